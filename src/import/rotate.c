#include "import/rotate.h"

#include <math.h>
#include <string.h>

pose pose_none(void) { return (pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}; }

void rotate(const double R[9], const double x[3], double out[3])
{
    double y[3];
    for (int i = 0; i < 3; i++) y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
    memcpy(out, y, sizeof y);
}

void rotation_times(const double a[9], const double b[9], double out[9])
{
    double product[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            product[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    memcpy(out, product, sizeof product);
}

static void transpose(const double a[9], double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = a[3 * j + i];
}

void pose_point(const pose *a, const double x[3], double out[3])
{
    rotate(a->R, x, out);
    for (int i = 0; i < 3; i++) out[i] += a->p[i];
}

pose pose_times(const pose *a, const pose *b)
{
    pose out;
    rotation_times(a->R, b->R, out.R);
    pose_point(a, b->p, out.p);
    return out;
}

pose pose_inverse(const pose *a)
{
    pose out;
    transpose(a->R, out.R);
    rotate(out.R, a->p, out.p);
    for (int i = 0; i < 3; i++) out.p[i] = -out.p[i];
    return out;
}

void rotate_inertia(const double R[9], const double I[9], double out[9])
{
    double back[9], half[9];
    transpose(R, back);
    rotation_times(R, I, half);
    rotation_times(half, back, out);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) out[3 * i + j] = out[3 * j + i] = (out[3 * i + j] + out[3 * j + i]) / 2;
}

void shift_inertia(double mass, const double x[3], double I[9])
{
    const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) I[3 * i + j] += mass * ((i == j ? square : 0) - x[i] * x[j]);
}

void rotation_about(int axis, double c, double s, double R[9])
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    memset(R, 0, 9 * sizeof(double));
    R[4 * axis] = 1;
    R[3 * i + i] = R[3 * j + j] = c;
    R[3 * j + i] = s;
    R[3 * i + j] = -s;
}

void rotation_quaternion(const double q[4], double R[9])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double all[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                           2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                           2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, all, sizeof all);
}

/* By the largest of its four entries, so that nothing is divided by what is nearly 0. */
void quaternion_of(const double R[9], double q[4])
{
    const double squares[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                               1 - R[0] - R[4] + R[8]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (squares[i] > squares[k]) k = i;
    const double products[4][4] = {
        {squares[0], R[7] - R[5], R[2] - R[6], R[3] - R[1]},
        {R[7] - R[5], squares[1], R[1] + R[3], R[2] + R[6]},
        {R[2] - R[6], R[1] + R[3], squares[2], R[5] + R[7]},
        {R[3] - R[1], R[2] + R[6], R[5] + R[7], squares[3]},
    };
    memcpy(q, products[k], 4 * sizeof *q);
    normalise(q, 4);
    for (int i = 0; i < 4; i++)
        if (q[0] < 0) q[i] = -q[i];
}

void quaternion_times(const double a[4], const double b[4], double out[4])
{
    const double product[4] = {
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, product, sizeof product);
}

double length3(const double v[3]) { return hypot(hypot(v[0], v[1]), v[2]); }

int normalise(double *v, int count)
{
    double largest = 0, square = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(v[i]));
    if (!(largest > 0)) return 0;
    for (int i = 0; i < count; i++) square += (v[i] / largest) * (v[i] / largest);
    for (int i = 0; i < count; i++) v[i] = v[i] / largest / sqrt(square);
    return 1;
}

void cross(const double a[3], const double b[3], double out[3])
{
    const double product[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(out, product, sizeof product);
}

/* One of Jacobi's rotations, which takes the entry i, j away. */
static void take_away(double a[9], int i, int j)
{
    if (a[3 * i + j] == 0) return;
    const double theta = (a[3 * j + j] - a[3 * i + i]) / (2 * a[3 * i + j]),
                 t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1), s = t * c;
    double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    turn[3 * i + i] = turn[3 * j + j] = c;
    turn[3 * i + j] = -s;
    turn[3 * j + i] = s;
    rotate_inertia(turn, a, a);
    a[3 * i + j] = a[3 * j + i] = 0;
}

void principal_moments(const double I[9], double moments[3])
{
    double a[9];
    memcpy(a, I, sizeof a);
    for (int sweep = 0; sweep < 12; sweep++)
        for (int i = 0; i < 3; i++) take_away(a, i, (i + 1) % 3);
    for (int i = 0; i < 3; i++) moments[i] = a[3 * i + i];
    for (int i = 1; i < 3; i++)
        for (int j = i; j > 0 && moments[j] < moments[j - 1]; j--) {
            const double kept = moments[j];
            moments[j] = moments[j - 1];
            moments[j - 1] = kept;
        }
}
