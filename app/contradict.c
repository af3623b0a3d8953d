#include "contradict.h"

#include <mech/simulate.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_words[] = {"", "position", "velocity", "acceleration"};

/* The part of row i that is row k; of the row itself -1. */
static double share(const mech_instant_result *r, size_t i, size_t k)
{
    return k == i ? -1 : r->diagnosis->depends[i + k * r->rows];
}

/* Does a value of row i not follow from those of the rows that it is made of? Off the constraints also rows that agree may miss
   by what the squares of their residuals bring: the assembly decides. */
static int differs(const mech_instant_result *r, size_t i, const double *values)
{
    double sum = 0, size = 0;
    for (size_t k = 0; k < r->m; k++) {
        sum += share(r, i, k) * values[k];
        size += fabs(share(r, i, k) * values[k]);
    }
    return fabs(sum) > 1e-9 * size && fabs(sum) > 1e-12;
}

/* The first level at which row i differs; MECH_AGREES: none, or not all rows are constraints of nature. */
static mech_contradiction level_of(const mech_system *system, const mech_instant_result *r, size_t i)
{
    int is_holonomic = 1;
    for (size_t k = 0; k < r->rows; k++) {
        if (share(r, i, k) == 0) continue;
        if (k >= r->m || mech_system_row(system, k).is_control) return MECH_AGREES;
        is_holonomic = is_holonomic && mech_system_row(system, k).level == MECH_HOLONOMIC;
    }
    if (is_holonomic && differs(r, i, r->r)) return MECH_CONTRADICTS_POSITION;
    if (differs(r, i, r->r_dot)) return MECH_CONTRADICTS_VELOCITY;
    return differs(r, i, r->b) ? MECH_CONTRADICTS_ACCELERATION : MECH_AGREES;
}

static int takes_part(const mech_system *system, const mech_instant_result *r, size_t i, size_t constraint)
{
    size_t count;
    const size_t first = mech_system_constraint_rows(system, constraint, &count);
    for (size_t k = first; k < first + count; k++)
        if (share(r, i, k) != 0) return 1;
    return 0;
}

/* Is there a state near this one that meets the constraints of row i and of those it depends on, and no others? */
static mech_status assemble_alone(const mech_system *system, const mech_instant_result *r, size_t i)
{
    const mech_sizes sizes = mech_system_sizes(system);
    mech_sim_settings settings;
    mech_sim *sim = NULL;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.from = r->t;
    settings.until = r->t + 1;
    mech_status status = mech_sim_create(system, &settings, &sim);
    for (size_t c = 0; c < sizes.constraints && status == MECH_OK; c++)
        if (!takes_part(system, r, i, c)) status = mech_eval_set_active(mech_sim_eval(sim), c, 0);
    if (status == MECH_OK) status = mech_sim_set_start(sim, r->q, r->v, sizes.states ? r->z : NULL, 0);
    if (status == MECH_OK) status = mech_sim_start(sim);
    mech_sim_free(sim);
    const int is_missed = status == MECH_ERR_CONFLICT || status == MECH_ERR_NO_START;
    return is_missed || status == MECH_ERR_MEMORY ? status : MECH_OK; /* what else is wrong is said elsewhere */
}

static void row_name(const mech_system *system, size_t row, char *name, size_t size)
{
    size_t count;
    const size_t owner = mech_system_row(system, row).constraint;
    const size_t first = mech_system_constraint_rows(system, owner, &count);
    const char *text = mech_system_name(system, MECH_ITEM_CONSTRAINT, owner);
    if (count > 1) snprintf(name, size, "%s[%zu]", text, row - first + 1);
    else snprintf(name, size, "%s", text);
}

static void describe(const mech_system *system, const mech_instant_result *r, size_t i, mech_contradiction level, mech_status status,
                     contradiction *found)
{
    const double *values = level == MECH_CONTRADICTS_POSITION ? r->r : level == MECH_CONTRADICTS_VELOCITY ? r->r_dot : r->b;
    const char *const lead = level == MECH_CONTRADICTS_ACCELERATION ? "right side" : "missed here by";
    const char *const words = status == MECH_ERR_NO_START ? "no %s was found that meets these constraints together: "
                                                          : "these constraints contradict one another, no %s meets them together: ";
    size_t used = (size_t)snprintf(found->words, sizeof found->words, words, level_words[level]);
    for (size_t k = 0, count = 0; k < r->m && used < sizeof found->words; k++) {
        char name[128];
        if (share(r, i, k) == 0) continue;
        row_name(system, k, name, sizeof name);
        used += (size_t)snprintf(found->words + used, sizeof found->words - used, "%s%s (%s %.6g)", count++ ? ", " : "", name, lead, values[k]);
    }
}

mech_status contradict_find(const mech_system *system, const mech_instant *instant, contradiction *found)
{
    const mech_instant_result *r = mech_instant_get(instant);
    *found = (contradiction){0};
    if (!r->diagnosis || r->is_reweighted) return MECH_OK;
    for (size_t i = 0; i < r->m; i++) {
        const mech_contradiction level = r->diagnosis->redundant[i] ? level_of(system, r, i) : MECH_AGREES;
        if (level == MECH_AGREES) continue;
        const mech_status status = assemble_alone(system, r, i);
        if (status == MECH_OK) continue;
        if (status != MECH_ERR_MEMORY && !found->rows) {
            found->rows = calloc(r->rows + 1, 1);
            if (found->rows) describe(system, r, i, level, status, found);
        }
        if (status == MECH_ERR_MEMORY || !found->rows) return MECH_ERR_MEMORY;
        found->rows[i] = (unsigned char)level;
    }
    return found->rows ? MECH_ERR_CONFLICT : MECH_OK;
}
