/* What varies in an ensemble, by the number of a run. */
#ifndef ENSEMBLE_PLAN_H
#define ENSEMBLE_PLAN_H

#include <mech/ensemble.h>

enum { PLAN_ERROR_SIZE = 400 };

typedef struct plan_column {
    char *name;
    size_t param;  /* SIZE_MAX: none                                  */
    size_t target; /* SIZE_MAX: none                                  */
    size_t axis;   /* which one it belongs to                         */
    size_t place;  /* its column in a table, or number among the drawn */
} plan_column;

typedef struct plan_axis {
    mech_spread spread;
    double a, b;
    size_t count; /* points; of what is drawn: 1 */
    double *data; /* of a table: (count x columns); else NULL */
    size_t columns;
} plan_axis;

struct mech_plan {
    const mech_system *system;
    plan_column *columns;
    size_t column_count, column_capacity;
    plan_axis *axes;
    size_t axis_count, axis_capacity;
    size_t points; /* of grids and tables together */
    size_t drawn;  /* columns that are drawn       */
    size_t samples;
    mech_sequence sequence;
    uint64_t seed;
    char error[PLAN_ERROR_SIZE];
};

static inline int plan_is_drawn(mech_spread spread)
{
    return spread == MECH_SPREAD_UNIFORM || spread == MECH_SPREAD_NORMAL;
}

#endif
