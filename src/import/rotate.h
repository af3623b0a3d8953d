/* Rotations and inertias as plain numbers. Matrices turn components in the inner axes into those in the outer ones. */
#ifndef IMPORT_ROTATE_H
#define IMPORT_ROTATE_H

typedef struct pose { /* axes in others, and where their origin is */
    double R[9], p[3];
} pose;

pose pose_none(void);
pose pose_times(const pose *a, const pose *b);
pose pose_inverse(const pose *a);
void pose_point(const pose *a, const double x[3], double out[3]);
void rotate(const double R[9], const double x[3], double out[3]);
/* R I R': components of an inertia in the outer axes. */
void rotate_inertia(const double R[9], const double I[9], double out[9]);
/* About the point that is `x` away from the mass centre. */
void shift_inertia(double mass, const double x[3], double I[9]);

/* About axis 0, 1 or 2, with cosine c and sine s. */
void rotation_about(int axis, double c, double s, double R[9]);
void rotation_times(const double a[9], const double b[9], double out[9]);
/* w, x, y, z of length 1. */
void rotation_quaternion(const double q[4], double R[9]);
void quaternion_of(const double R[9], double q[4]);
void quaternion_times(const double a[4], const double b[4], double out[4]);

double length3(const double v[3]);
/* 0 when it has no length. */
int normalise(double *v, int count);
void cross(const double a[3], const double b[3], double out[3]);
/* Of a symmetric matrix, the smallest first. */
void principal_moments(const double I[9], double moments[3]);

#endif
