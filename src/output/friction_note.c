/* Rows that load a friction along one velocity, and are no distances. */
#include "output/friction_note.h"

#include <math.h>

/* Length of the gradient of a row; NaN where it means nothing: M is not c times the unit matrix on its coordinates, so that these may
   have different units. */
static double row_length(const friction_point *at, size_t row)
{
    const size_t n = mech_system_sizes(at->system).coords;
    size_t first = n;
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
        const double entry = at->A[row + j * at->height];
        if (entry == 0) continue;
        if (first == n) first = j;
        const double mass = at->M[first + first * n];
        if (!(fabs(at->M[j + j * n] - mass) <= 1e-12 * fabs(mass))) return (double)NAN;
        for (size_t i = first; i < j; i++)
            if (at->A[row + i * at->height] != 0 && at->M[i + j * n] != 0) return (double)NAN;
        sum += entry * entry;
    }
    return sqrt(sum);
}

static void put_note(const friction_point *at, const mech_friction *friction, size_t row, double length, textbuf *out)
{
    const char *name = mech_system_row_name(at->system, row);
    for (size_t c = 0; c < friction->constraint_count; c++)
        text_format(out, "%s%s", c ? ", " : "friction on ", mech_system_name(at->system, MECH_ITEM_CONSTRAINT, friction->constraints[c]));
    text_format(out, ": its normal load takes |reaction(%s)|, and the gradient of %s has length %.6g: write the row as a distance, or name the whole "
                     "velocity (along [x', y'])", name, name, length);
}

int friction_note(const friction_point *at, size_t k, textbuf *out)
{
    const mech_friction friction = mech_system_friction(at->system, k);
    if (friction.row_count != 1) return 0;
    for (size_t c = 0; c < friction.constraint_count; c++) {
        size_t count;
        const size_t first = mech_system_constraint_rows(at->system, friction.constraints[c], &count);
        for (size_t row = first; row < first + count; row++) {
            const double length = at->active[row] ? row_length(at, row) : 1;
            if (!(length > 0 && fabs(length - 1) > 1e-6)) continue;
            put_note(at, &friction, row, length, out);
            return 1;
        }
    }
    return 0;
}
