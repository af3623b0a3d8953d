/* An instant for a program. The letters of the equation stand under "equation"; matrices are lists of rows;
   what does not exist is null, and "undefined" says why. */
#include "output/instant.h"

#include "base/mem.h"
#include "base/number.h"

#include <math.h>

static void put_number(textbuf *out, double value)
{
    char number[NUMBER_TEXT_SIZE];
    if (isfinite(value)) number_general(value, 17, number);
    text_add(out, isfinite(value) ? number : "null");
}

static void put_bool(textbuf *out, int value) { text_add(out, value ? "true" : "false"); }

static void put_list(textbuf *out, const double *list, size_t count)
{
    if (!list) {
        text_add(out, "null");
        return;
    }
    text_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) text_add(out, ", ");
        put_number(out, list[i]);
    }
    text_add_char(out, ']');
}

static void put_matrix(textbuf *out, const double *matrix, size_t rows, size_t columns)
{
    if (!matrix) {
        text_add(out, "null");
        return;
    }
    text_add_char(out, '[');
    for (size_t i = 0; i < rows; i++) {
        text_add(out, i ? ", [" : "[");
        for (size_t j = 0; j < columns; j++) {
            if (j) text_add(out, ", ");
            put_number(out, matrix[i + j * rows]);
        }
        text_add_char(out, ']');
    }
    text_add_char(out, ']');
}

static void key(textbuf *out, const char *indent, const char *name) { text_format(out, ",\n%s\"%s\": ", indent, name); }

static void put_keyed(textbuf *out, const char *name, double value)
{
    text_format(out, "\"%s\": ", name);
    put_number(out, value);
}

static void put_row_name(const instant_view *view, size_t row, textbuf *out)
{
    textbuf name = {0};
    instant_row_name(view, row, &name);
    text_add_string(out, name.data ? name.data : "");
    out->failed |= name.failed;
    text_free(&name);
}

static void put_items(const instant_view *view, const char *what, mech_item item, size_t count, const double *values,
                      textbuf *out)
{
    key(out, "  ", what);
    text_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        text_add_string(out, mech_system_name(view->system, item, i));
        text_add(out, ", \"unit\": ");
        text_add_string(out, mech_system_unit(view->system, item, i));
        text_add(out, ", ");
        put_keyed(out, item == MECH_ITEM_COORD ? "q" : "value", values[i]);
        if (item == MECH_ITEM_COORD) {
            text_add(out, ", ");
            put_keyed(out, "v", view->r->v[i]);
        }
        if (item == MECH_ITEM_OUTPUT && view->r->output_is_choice) {
            text_add(out, ", \"unique\": ");
            put_bool(out, !view->r->output_is_choice[i]);
        }
        text_add_char(out, '}');
    }
    text_add(out, count ? "\n  ]" : "]");
}

static void put_state(const instant_view *view, textbuf *out)
{
    const mech_sizes sizes = mech_system_sizes(view->system);
    const mech_equation *eq = mech_eval_equation(mech_instant_eval(view->instant));
    const mech_instant_report *o = view->options;
    text_add(out, "{\n  ");
    put_keyed(out, "t", view->r->t);
    key(out, "  ", "start");
    text_add_string(out, o->start);
    key(out, "  ", "failure");
    text_add_string(out, o->failure);
    key(out, "  ", "moved");
    text_add_char(out, '[');
    for (size_t i = 0; i < o->move_count; i++) {
        text_add(out, i ? ", {\"name\": " : "{\"name\": ");
        text_add_string(out, o->moves[i].name);
        text_add(out, ", ");
        put_keyed(out, "from", o->moves[i].from);
        text_add(out, ", ");
        put_keyed(out, "to", o->moves[i].to);
        text_add_char(out, '}');
    }
    text_add_char(out, ']');
    put_items(view, "coordinates", MECH_ITEM_COORD, view->r->n, view->r->q, out);
    put_items(view, "states", MECH_ITEM_STATE, sizes.states, view->r->z, out);
    put_items(view, "inputs", MECH_ITEM_INPUT, sizes.inputs, eq->u, out);
    put_items(view, "parameters", MECH_ITEM_PARAM, sizes.params, eq->p, out);
    put_items(view, "outputs", MECH_ITEM_OUTPUT, sizes.outputs, view->r->output, out);
}

static void put_equation(const instant_view *view, textbuf *out)
{
    const mech_instant_result *r = view->r;
    const mech_diagnosis_result *d = view->d;
    struct {
        const char *name;
        const double *list;
        size_t count;
    } const lists[] = {
        {"Q", r->Q, r->n},
        {"b", r->b, r->rows},
        {"a", r->a, r->n},
        {"e", r->e, r->rows},
        {"qdd", r->qdd, r->n},
        {"Qi", r->Qi, r->n},
        {"Qni", r->Qni, r->n},
        {"Qc", r->Qc, r->n},
        {"u", r->u, r->actuators},
        {"C", r->C, r->n},
        {"z", r->law_z, r->n},
        {"lambda", r->lambda, r->rows},
        {"reaction", r->reaction, r->rows},
    };
    key(out, "  ", "equation");
    text_add(out, "{\n    \"rows\": [");
    for (size_t i = 0; i < r->rows; i++) {
        if (i) text_add(out, ", ");
        put_row_name(view, i, out);
    }
    text_add_char(out, ']');
    key(out, "    ", "M");
    put_matrix(out, r->M, r->n, r->n);
    key(out, "    ", "A");
    put_matrix(out, r->A, r->rows, r->n);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        key(out, "    ", lists[i].name);
        put_list(out, lists[i].list, lists[i].count);
    }
    key(out, "    ", "T");
    put_matrix(out, d ? d->T : NULL, r->n, r->n);
    key(out, "    ", "N");
    put_matrix(out, d ? d->N : NULL, r->n, r->n);
    key(out, "    ", "undefined");
    text_add_string(
        out, r->flags & MECH_FUNDAMENTAL_SINGULAR_MASS     ? "M has no inverse: a, e, z, T and N do not exist"
             : r->flags & MECH_FUNDAMENTAL_INDEFINITE_MASS ? "M is indefinite, as allowed: z, T and N do not exist"
             : r->is_reweighted
                 ? "the force of another weight than nature's is not A' lambda: lambda and reaction do not exist"
             : !d ? "the diagnosis was skipped: z, T and N were not computed"
                  : NULL);
    text_add(out, "\n  }");
}

static void put_depends(const instant_view *view, size_t row, textbuf *out)
{
    int first = 1;
    text_add_char(out, '[');
    for (size_t k = 0; k < view->r->rows; k++) {
        const double factor = view->d->depends[row + k * view->r->rows];
        if (factor == 0) continue;
        text_add(out, first ? "{\"row\": " : ", {\"row\": ");
        first = 0;
        put_row_name(view, k, out);
        text_add(out, ", ");
        put_keyed(out, "factor", factor);
        text_add_char(out, '}');
    }
    text_add_char(out, ']');
}

static void put_row(const instant_view *view, size_t row, textbuf *out)
{
    const mech_instant_result *r = view->r;
    text_add(out, "{\"name\": ");
    put_row_name(view, row, out);
    text_add(out, ", \"active\": ");
    put_bool(out, r->active[row]);
    text_add(out, ", ");
    put_keyed(out, "lambda", r->lambda[row]);
    text_add(out, ", ");
    put_keyed(out, "reaction", r->reaction[row]);
    if (row < r->m) {
        text_add(out, ", ");
        put_keyed(out, "r", r->r[row]);
        text_add(out, ", ");
        put_keyed(out, "r_dot", r->r_dot[row]);
    }
    if (row < r->m && mech_system_row(view->system, row).is_control) {
        text_add(out, ", \"off_path_without_gains\": ");
        put_bool(out, r->off_path[row]);
    }
    if (view->d) {
        text_add(out, ", \"unique\": ");
        put_bool(out, view->d->unique_lambda[row]);
        text_add(out, ", \"redundant\": ");
        put_bool(out, view->d->redundant[row]);
        text_add(out, ", \"depends_on\": ");
        put_depends(view, row, out);
        const char *level = instant_contradiction(view, row);
        text_add(out, ", \"contradicts_in\": ");
        if (level) text_add_string(out, level);
        else text_add(out, "null");
    }
    text_add_char(out, '}');
}

static void put_constraints(const instant_view *view, textbuf *out)
{
    static const char *const kinds[] = {"constraint", "control", "friction", "given"};
    const mech_instant_result *r = view->r;
    int first = 1;
    key(out, "  ", "constraints");
    text_add_char(out, '[');
    for (size_t g = 0; g < r->groups; g++) {
        const mech_group *group = &r->group[g];
        if (!instant_shows_group(view, group)) continue;
        text_add(out, first ? "\n    {\"name\": " : ",\n    {\"name\": ");
        first = 0;
        text_add_string(out, group->name);
        text_format(out, ", \"kind\": \"%s\", \"force\": ", kinds[group->kind]);
        put_list(out, r->force + g * r->n, r->n);
        if (view->d) {
            text_add(out, ", \"unique_force\": ");
            put_bool(out, view->d->unique_force[g]);
        }
        text_add(out, ", \"rows\": [");
        for (size_t i = 0; i < group->row_count; i++) {
            if (i) text_add(out, ", ");
            put_row(view, group->first_row + i, out);
        }
        text_add(out, "]}");
    }
    text_add(out, first ? "]" : "\n  ]");
}

static void put_laws(const instant_view *view, textbuf *out)
{
    const mech_instant_result *r = view->r;
    key(out, "  ", "laws");
    text_add_char(out, '[');
    for (size_t k = 0; k < r->laws; k++) {
        const mech_instant_law *law = &r->law[k];
        text_add(out, k ? ",\n    {\"name\": " : "\n    {\"name\": ");
        text_add_string(out, law->name);
        text_add(out, ", \"active\": ");
        put_bool(out, law->is_on);
        text_add(out, ", \"C\": ");
        put_list(out, law->C, r->n);
        text_add(out, ", \"Qni\": ");
        put_list(out, law->Qni, r->n);
        if (law->is_friction) {
            text_format(out, ", \"mode\": \"%s\", ", instant_mode_word(law->mode));
            put_keyed(out, "speed", law->speed);
            text_add(out, ", ");
            const int is_given = instant_bound_is_given(view->system, k - mech_system_sizes(view->system).laws);
            put_keyed(out, "normal", is_given ? (double)NAN : law->normal);
            text_add(out, ", ");
            put_keyed(out, "tangential", law->tangential);
            text_add(out, ", ");
            put_keyed(out, "bound", law->bound);
            char *note = instant_law_note(view, k, out);
            if (note) text_add(out, ", \"note\": ");
            if (note) text_add_string(out, note);
            mem_free(note);
        }
        text_add_char(out, '}');
    }
    text_add(out, r->laws ? "\n  ]" : "]");
}

static void put_conflicts(const instant_view *view, textbuf *out)
{
    const size_t rows = view->r->rows;
    key(out, "  ", "conflicts");
    text_add_char(out, '[');
    for (int k = 0; k < view->d->conflicts; k++) {
        int first = 1;
        text_add(out, k ? ", [" : "[");
        for (size_t i = 0; i < rows; i++) {
            if (!view->d->in_conflict[i + (size_t)k * rows]) continue;
            if (!first) text_add(out, ", ");
            first = 0;
            put_row_name(view, i, out);
        }
        text_add_char(out, ']');
    }
    text_add_char(out, ']');
}

static void put_diagnosis(const instant_view *view, textbuf *out)
{
    const mech_diagnosis_result *d = view->d;
    const size_t n = view->r->n, rows = view->r->rows, free = n - (size_t)d->rank;
    const mech_geometry *g = &d->geometry;
    struct {
        const char *name;
        double value;
    } const lengths[] = {
        {"B+b", g->Bpb},
        {"T a_s", g->Tas},
        {"B+e", g->Bpe},
        {"N a_s", g->Nas},
        {"N c_s", g->Ncs},
        {"q''_s", g->qdds},
        {"orthogonality", g->orthogonality},
    };
    put_conflicts(view, out);
    key(out, "  ", "singular_values");
    put_list(out, d->sigma, n < rows ? n : rows);
    key(out, "  ", "virtual_work");
    text_add(out, "{\"displacements\": ");
    put_matrix(out, d->Z, n, free);
    text_add(out, ", \"Qi\": ");
    put_list(out, d->work_Qi, free);
    text_add(out, ", \"Qni\": ");
    put_list(out, d->work_Qni, free);
    text_add(out, ", \"Qc\": ");
    put_list(out, d->work_Qc, free);
    text_add_char(out, '}');
    key(out, "  ", "zwang");
    put_number(out, view->r->zwang);
    key(out, "  ", "geometry");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        text_add(out, i ? ", " : "{");
        put_keyed(out, lengths[i].name, lengths[i].value);
    }
    text_add_char(out, '}');
}

void instant_json(const instant_view *view, textbuf *out)
{
    static const char *const energies[] = {"kinetic", "potential", "dissipation", "h", "power"};
    const mech_instant_result *r = view->r;
    int is_true;
    put_state(view, out);
    put_equation(view, out);
    put_constraints(view, out);
    put_laws(view, out);
    text_format(out, ",\n  \"rank\": %d,\n  \"control_rank\": %d,\n  \"degrees_of_freedom\": %d,\n  ", r->rank,
                r->servo_rank, r->dof);
    text_format(out, "\"weight\": \"%s\",\n  \"reweighted\": %s,\n  ", instant_weight_word(r->weight),
                r->is_reweighted ? "true" : "false");
    put_keyed(out, "rank_tolerance", r->rank_tol);
    text_add(out, ", ");
    put_keyed(out, "smallest_singular_value", instant_least_singular(view, &is_true));
    text_add(out, ", ");
    put_keyed(out, "largest_row", r->largest);
    text_add(out, ",\n  ");
    put_keyed(out, "residual", r->residual);
    text_add(out, ", ");
    put_keyed(out, "drift", r->drift);
    text_add(out, ", ");
    put_keyed(out, "drift_rate", r->drift_rate);
    key(out, "  ", "energy");
    for (size_t i = 0; i < 5; i++) {
        text_add(out, i ? ", " : "{");
        put_keyed(out, energies[i], r->energy[i]);
    }
    text_add_char(out, '}');
    if (view->d) put_diagnosis(view, out);
    text_add(out, "\n}\n");
}
