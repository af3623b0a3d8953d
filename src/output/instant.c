/* One instant on a page: which page, and names. */
#include "output/instant.h"
#include "base/options.h"
#include "base/try.h"
#include "dynamics/friction_note.h"

#include <string.h>

void mech_instant_report_default(mech_instant_report *options, size_t size)
{
    const mech_instant_report defaults = {.size = size, .format = MECH_REPORT_TEXT};
    memset(options, 0, size);
    memcpy(options, &defaults, size < sizeof defaults ? size : sizeof defaults);
}

double instant_least_singular(const instant_view *view, int *is_true)
{
    const int rank = view->r->rank;
    *is_true = view->d && rank > 0 && view->d->rank == rank && view->d->sigma[rank - 1] > 0;
    return *is_true ? view->d->sigma[rank - 1] : view->r->smallest;
}

int instant_shows_group(const instant_view *view, const mech_group *group)
{
    return group->kind == MECH_GROUP_CONSTRAINT || group->kind == MECH_GROUP_CONTROL ||
           view->r->active[group->first_row];
}

const mech_group *instant_group_of(const instant_view *view, size_t row)
{
    size_t low = 0, high = view->r->groups; /* groups stand in the order of their rows */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (view->r->group[middle].first_row <= row) low = middle;
        else high = middle;
    }
    return &view->r->group[low];
}

void instant_row_name(const instant_view *view, size_t row, textbuf *out)
{
    const mech_group *group = instant_group_of(view, row);
    char number[TEXT_ROW];
    text_add(out, group->name);
    text_add(out, text_row(number, row - group->first_row, group->row_count));
}

const char *instant_contradiction(const instant_view *view, size_t row)
{
    static const char *const words[] = {NULL, "position", "velocity", "acceleration"};
    return view->options->contradicts ? words[view->options->contradicts[row]] : NULL;
}

const char *instant_weight_word(mech_weight weight)
{
    static const char *const words[] = {"nature", "identity", "given"};
    return words[weight];
}

const char *instant_mode_word(mech_friction_mode mode)
{
    static const char *const words[] = {"off", "slides", "holds", "gives way"};
    return words[mode];
}

int instant_bound_is_given(const mech_system *system, size_t friction)
{
    return mech_system_friction(system, friction).constraint_count == 0;
}

/* Friction at its bound that does not move: its rows were found to depend on those of constraints. */
static int is_stopped(const instant_view *view, size_t friction)
{
    const mech_instant_result *r = view->r;
    for (size_t g = 0; g < r->groups && view->d; g++)
        for (size_t i = 0; i < r->group[g].row_count && r->group[g].kind == MECH_GROUP_FRICTION; i++)
            if (r->group[g].index == friction && view->d->redundant[r->group[g].first_row + i] &&
                !r->active[r->group[g].first_row + i])
                return 1;
    return 0;
}

char *instant_law_note(const instant_view *view, size_t k, textbuf *out)
{
    const mech_equation *at = mech_eval_equation(mech_instant_eval(view->instant));
    const size_t laws = mech_system_sizes(view->system).laws;
    textbuf note = {0};
    if (k < laws) return NULL;
    const int is_off = friction_note(view->system, at, k - laws, &note);
    if (is_stopped(view, k - laws))
        text_format(&note,
                    "%sconstraints stop it too, and only what they and friction give together is unique: friction at "
                    "its bound is one of many answers",
                    is_off ? "; " : "");
    else if (!is_off) return NULL;
    out->failed |= note.failed;
    return text_take(&note);
}

mech_status mech_report_instant(const mech_instant *instant, const mech_instant_report *options, char **text)
{
    mech_instant_report chosen;
    mech_instant_report_default(&chosen, sizeof chosen);
    *text = NULL;
    MECH_TRY(options_take(&chosen, sizeof chosen, options));
    if (chosen.format == MECH_REPORT_LATEX) return MECH_ERR_ARGUMENT;
    const mech_instant_result *r = mech_instant_get(instant);
    if (r->n == 0) return MECH_ERR_ARGUMENT; /* nothing was solved yet */
    const instant_view view = {instant, mech_instant_system(instant), r, r->diagnosis, &chosen};
    textbuf out = {0};
    if (chosen.format == MECH_REPORT_JSON) instant_json(&view, &out);
    else instant_text(&view, &out);
    *text = text_take(&out);
    return *text ? MECH_OK : MECH_ERR_MEMORY;
}
