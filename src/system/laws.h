/* Laws of constraints that do work: which are in force, and the sum of what they give. */
#ifndef SYSTEM_LAWS_H
#define SYSTEM_LAWS_H

#include <mech/system.h>

/* Is one of the law's constraints in force? */
int laws_is_on(const mech_system *system, const mech_law *law, const unsigned char *active);
/* Adds the columns of C of all laws of a kind that are in force, as evaluated last, to sum (n). */
void laws_add(const mech_system *system, mech_law_kind kind, const mech_equation *at, double *sum);
/* Adds the derivative of all laws of kind C that are in force by the total multipliers to dC (n x m). */
void laws_add_slopes(const mech_system *system, const mech_equation *at, double *dC);
/* dC = NaN, not known, where a law in force looks at multipliers: by the ideal ones there is no derivative. */
void laws_lack_slopes(const mech_system *system, const mech_equation *at, double *dC);
/* The same by the multiplier of one row for laws by z, into dz (n). 0: nothing depends on it. */
int laws_z_slope(const mech_system *system, const mech_equation *at, size_t row, double *dz);
/* 1 when all laws give C as a function of the state alone. */
int laws_are_explicit(const mech_system *system);

#endif
