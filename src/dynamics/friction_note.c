/* Rows that load a friction and are no distances, velocities of friction that are no speeds. */
#include "dynamics/friction_note.h"

#include "base/tolerances.h"
#include "dynamics/dynamics.h"

#include <math.h>

typedef struct sparse_row { /* row `number` of a matrix by pattern */
    mech_pattern pattern;
    const double *values;
    size_t number;
} sparse_row;

static int has(const sparse_row *row, size_t k) { return row->pattern.row[k] == row->number && row->values[k] != 0; }

static double entry(const sparse_row *row, size_t column)
{
    double sum = 0;
    for (size_t k = 0; k < row->pattern.count; k++)
        if (has(row, k) && row->pattern.column[k] == column) sum += row->values[k];
    return sum;
}

static double mass_of(const mech_system *system, const mech_equation *at, size_t coordinate)
{
    const sparse_row M = {mech_system_pattern(system, MECH_MATRIX_M), at->M, coordinate};
    return entry(&M, coordinate);
}

static int is_same(double mass, double other) { return fabs(mass - other) <= TOL_SAME_MASS * fabs(other); }

/* x - X of two bodies of the same mass is one coordinate: entry k of a row is left out if it is the second of such
   two. */
static int is_second(const mech_system *system, const mech_equation *at, const sparse_row *row, size_t k)
{
    const double mass = mass_of(system, at, row->pattern.column[k]);
    for (size_t j = 0; j < k; j++)
        if (has(row, j) && fabs(row->values[j] + row->values[k]) <= TOL_UNIT_LENGTH * fabs(row->values[k]) &&
            is_same(mass_of(system, at, row->pattern.column[j]), mass))
            return 1;
    return 0;
}

/* Whether friction acts between two bodies: its velocity is one of them less one of the other. */
static int is_between(const mech_system *system, const mech_equation *at, const mech_friction *friction)
{
    sparse_row S = {mech_system_pattern(system, MECH_MATRIX_SLIP), at->slip_A, 0};
    for (size_t a = 0; a < friction->row_count; a++) {
        S.number = friction->first_row + a;
        for (size_t k = 0; k < S.pattern.count; k++)
            if (has(&S, k) && is_second(system, at, &S, k)) return 1;
    }
    return 0;
}

/* The product of two rows in coordinates of one mass, those of a point; with itself the square of its length. */
static double product(const mech_system *system, const mech_equation *at, const sparse_row *row,
                      const sparse_row *other, double mass, int between)
{
    double sum = 0;
    for (size_t k = 0; k < row->pattern.count; k++)
        if (has(row, k) && is_same(mass_of(system, at, row->pattern.column[k]), mass) &&
            !(between && is_second(system, at, row, k)))
            sum += row->values[k] * entry(other, row->pattern.column[k]);
    return sum;
}

/* Does M join coordinates of the row? Then they may have different units. */
static int is_joined(const mech_system *system, const mech_equation *at, const sparse_row *row)
{
    const mech_pattern M = mech_system_pattern(system, MECH_MATRIX_M);
    for (size_t k = 0; k < M.count; k++)
        if (M.row[k] != M.column[k] && at->M[k] != 0 && entry(row, M.row[k]) != 0 && entry(row, M.column[k]) != 0)
            return 1;
    return 0;
}

/* Length of a gradient, and the mass of the coordinates it is measured in: of several points that which is nearest to
   1, as the distance of a block from a wedge that moves too has length 1 in the coordinates of the block. NaN where
   lengths mean nothing. */
static double length_of(const mech_system *system, const mech_equation *at, const sparse_row *row, int between,
                        double *c)
{
    double nearest = (double)NAN;
    if (is_joined(system, at, row)) return nearest;
    for (size_t k = 0; k < row->pattern.count; k++) {
        if (!has(row, k)) continue;
        const double mass = mass_of(system, at, row->pattern.column[k]),
                     length = sqrt(product(system, at, row, row, mass, between));
        if (fabs(nearest - 1) <= fabs(length - 1)) continue;
        nearest = length;
        *c = mass;
    }
    return nearest;
}

static int is_off(double length) { return length > 0 && fabs(length - 1) > TOL_UNIT_LENGTH; }

static void put_name(const mech_system *system, const mech_friction *friction, textbuf *out)
{
    for (size_t c = 0; c < friction->constraint_count; c++)
        text_format(out, "%s%s", c ? ", " : "friction on ",
                    mech_system_name(system, MECH_ITEM_CONSTRAINT, friction->constraints[c]));
}

static int note_row(const mech_system *system, const mech_equation *at, const mech_friction *friction, size_t number,
                    textbuf *out)
{
    const sparse_row row = {mech_system_pattern(system, MECH_MATRIX_A), at->A, number};
    double mass;
    const double length = length_of(system, at, &row, is_between(system, at, friction), &mass);
    const char *name = mech_system_row_name(system, number);
    if (!is_off(length)) return 0;
    put_name(system, friction, out);
    text_format(
        out,
        ": its normal load takes |reaction(%s)|, and the gradient of %s has length %.6g: write the row as a distance, or name the whole "
        "velocity (along [x', y'])",
        name, name, length);
    return 1;
}

/* Are the coordinates of this mass a point for sure: are they all of the row, or more than one? */
static int is_point(const mech_system *system, const mech_equation *at, const sparse_row *row, double mass)
{
    size_t in = 0, all = 0;
    for (size_t k = 0; k < row->pattern.count; k++) {
        if (!has(row, k)) continue;
        all++;
        in += is_same(mass_of(system, at, row->pattern.column[k]), mass) != 0;
    }
    return in == all || in > 1;
}

/* A velocity is measured where its coordinates have the mass of those of the row: R*phi' of a journal, whose row is in
   x and y, is a speed. Across the row it would load what it is loaded by. */
static int note_velocity(const mech_system *system, const mech_equation *at, const mech_friction *friction,
                         size_t number, textbuf *out)
{
    const sparse_row load = {mech_system_pattern(system, MECH_MATRIX_A), at->A, number};
    const int between = is_between(system, at, friction);
    double mass = (double)NAN, own = (double)NAN;
    const double unit = length_of(system, at, &load, between, &mass);
    for (size_t a = 0; a < friction->row_count; a++) {
        const sparse_row row = {mech_system_pattern(system, MECH_MATRIX_SLIP), at->slip_A, friction->first_row + a};
        const double length = length_of(system, at, &row, between, &own),
                     across = unit > 0 && is_point(system, at, &load, mass)
                                  ? product(system, at, &load, &row, mass, between)
                                  : 0;
        if (fabs(across) > TOL_UNIT_LENGTH) {
            put_name(system, friction, out);
            text_format(
                out,
                ": %.6g of its velocity is across %s, and its force would press there: write the speed along it, or name the whole velocity "
                "(along [x', y'])",
                fabs(across), mech_system_row_name(system, number));
            return 1;
        }
        if (!is_off(length) || !is_same(own, mass)) continue;
        put_name(system, friction, out);
        text_format(
            out,
            ": its velocity is %.6g times a speed if its coordinates are lengths, and its force as many times mu N: divide it by that, unless "
            "it is a radius",
            length);
        return 1;
    }
    return 0;
}

int friction_note(const mech_system *system, const mech_equation *at, size_t k, textbuf *out)
{
    const mech_friction friction = mech_system_friction(system, k);
    for (size_t c = 0; c < friction.constraint_count; c++) {
        size_t count;
        const size_t first = mech_system_constraint_rows(system, friction.constraints[c], &count);
        for (size_t i = first; i < first + count; i++) {
            /* a multiplier counts as it is where the velocities do not show the force of its row */
            const int is_seen = friction.row_count > 1 && dynamics_may_see(system, &friction, i);
            if (!at->active[i] || mech_system_row(system, i).is_torque || is_seen) continue;
            if (note_row(system, at, &friction, i, out) || note_velocity(system, at, &friction, i, out)) return 1;
        }
    }
    return 0;
}
