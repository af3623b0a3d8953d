/* An instant for a person: one screen, in the letters of the equation, each said in words. */
#include "output/instant.h"

#include "base/mem.h"
#include "base/number.h"
#include "base/tolerances.h"

#include <math.h>
#include <string.h>

enum { MOST_LINES = 24, MOST_PARTS = 3, NUMBER_WIDTH = 13 };

/* ---- tables ---- */

/* characters, not bytes: names may be Greek */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void cell(textbuf *out, const char *text, size_t width)
{
    text_add(out, text);
    for (size_t i = width_of(text); i < width; i++) text_add_char(out, ' ');
}

static void put(textbuf *out, double value)
{
    char number[NUMBER_TEXT_SIZE];
    if (isfinite(value)) number_general(value == 0 ? 0 : value, 6, number);
    text_add(out, isfinite(value) ? number : "undefined");
}

static void number_cell(textbuf *out, double value)
{
    textbuf text = {0};
    put(&text, value);
    if (text.data) cell(out, text.data, NUMBER_WIDTH);
    out->failed |= text.failed;
    text_free(&text);
}

/* no blanks at the end of a line */
static void end_line(textbuf *out)
{
    while (out->length && out->data[out->length - 1] == ' ') out->data[--out->length] = '\0';
    text_add_char(out, '\n');
}

static void more(textbuf *out, size_t shown, size_t count)
{
    if (shown < count) text_format(out, "  ... and %zu more (--json has them all)\n", count - shown);
}

static const char *coordinate(const instant_view *view, size_t j)
{
    return mech_system_name(view->system, MECH_ITEM_COORD, j);
}

static size_t names_width(const instant_view *view, mech_item item, size_t count, size_t least)
{
    for (size_t i = 0; i < count && i < MOST_LINES; i++) {
        const char *name = mech_system_name(view->system, item, i);
        if (name && width_of(name) + 2 > least) least = width_of(name) + 2;
    }
    return least;
}

/* ---- what it is ---- */

static void show_head(const instant_view *view, textbuf *out)
{
    const mech_instant_result *r = view->r;
    size_t rows = 0;
    for (size_t i = 0; i < r->rows; i++) rows += r->active[i];
    if (view->options->title) text_format(out, "%s, ", view->options->title);
    text_add(out, "t = ");
    put(out, r->t);
    text_format(out, "\n%zu coordinate%s, %zu constraint row%s of rank %d", r->n, r->n == 1 ? "" : "s", rows,
                rows == 1 ? "" : "s", r->rank + r->servo_rank);
    text_format(out, ": %d degree%s of freedom\n", r->dof, r->dof == 1 ? "" : "s");
    if (r->is_reweighted)
        text_format(out,
                    "Weight %s: Qi below is the force of least u'Wu that keeps the constraints, not the one "
                    "nature takes (W = M^-1)\n",
                    instant_weight_word(r->weight));
}

static void show_moves(const instant_view *view, textbuf *out)
{
    const mech_instant_report *o = view->options;
    for (size_t i = 0; i < o->move_count && i < MOST_LINES; i++) {
        text_format(out, "  moved %s: %s from ", view->r->rows ? "onto the constraints" : "to meet the initial values",
                    o->moves[i].name);
        put(out, o->moves[i].from);
        text_add(out, " to ");
        put(out, o->moves[i].to);
        text_add_char(out, '\n');
    }
    more(out, o->move_count < MOST_LINES ? o->move_count : MOST_LINES, o->move_count);
}

/* One line for each value: name, value, unit. */
static void show_values(const instant_view *view, const char *what, mech_item item, size_t count, const double *values,
                        textbuf *out)
{
    for (size_t i = 0; i < count && i < MOST_LINES; i++) {
        const char *unit = mech_system_unit(view->system, item, i);
        text_format(out, "  %s%s%s = ", what ? what : "", what ? " " : "", mech_system_name(view->system, item, i));
        put(out, values[i]);
        if (unit) text_format(out, " %s", unit);
        if (item == MECH_ITEM_OUTPUT && view->r->output_is_choice && view->r->output_is_choice[i])
            text_add(out, "  (one choice of many: uses multipliers that are not unique)");
        text_add_char(out, '\n');
    }
    more(out, count < MOST_LINES ? count : MOST_LINES, count);
}

static void show_state(const instant_view *view, textbuf *out)
{
    const mech_instant_result *r = view->r;
    const mech_sizes sizes = mech_system_sizes(view->system);
    const size_t width = names_width(view, MECH_ITEM_COORD, r->n, 12);
    text_add(out, "\nState");
    if (view->options->start) text_format(out, " (%s)", view->options->start);
    text_add(out, "\n  ");
    cell(out, "", width);
    cell(out, "q", NUMBER_WIDTH);
    cell(out, "q'", NUMBER_WIDTH);
    end_line(out);
    for (size_t i = 0; i < r->n && i < MOST_LINES; i++) {
        const char *unit = mech_system_unit(view->system, MECH_ITEM_COORD, i);
        text_add(out, "  ");
        cell(out, coordinate(view, i), width);
        number_cell(out, r->q[i]);
        number_cell(out, r->v[i]);
        if (unit) text_format(out, "%s, %s/s", unit, unit);
        end_line(out);
    }
    more(out, r->n < MOST_LINES ? r->n : MOST_LINES, r->n);
    show_moves(view, out);
    show_values(view, "state", MECH_ITEM_STATE, sizes.states, r->z, out);
    show_values(view, "input", MECH_ITEM_INPUT, sizes.inputs, mech_eval_equation(mech_instant_eval(view->instant))->u,
                out);
}

/* ---- constraints ---- */

/* whether entry j is among the three largest and stands clear of rounding */
static int is_shown(const double *force, size_t n, size_t j, double floor)
{
    size_t larger = 0;
    for (size_t k = 0; k < n; k++)
        larger += fabs(force[k]) > fabs(force[j]) || (fabs(force[k]) == fabs(force[j]) && k < j);
    return larger < MOST_PARTS && fabs(force[j]) > floor;
}

/* "x -1, y 3.4": the largest entries of a force, at most three, in the order of the coordinates */
static void show_force(const instant_view *view, const double *force, textbuf *out)
{
    const size_t n = view->r->n;
    double largest = 0;
    size_t shown = 0, count = 0;
    for (size_t j = 0; j < n; j++) largest = fmax(largest, fabs(force[j]));
    for (size_t j = 0; j < n; j++) {
        count += fabs(force[j]) > TOL_SHOWN_FORCE * largest;
        if (!is_shown(force, n, j, TOL_SHOWN_FORCE * largest)) continue;
        text_format(out, "%s%s ", shown++ ? ", " : "", coordinate(view, j));
        put(out, force[j]);
    }
    if (!(largest > 0)) text_add(out, "0");
    if (shown < count) text_add(out, ", ...");
}

/* "= 2*rod - 3*again" */
static void show_depends(const instant_view *view, size_t row, textbuf *out)
{
    size_t terms = 0;
    const char *level = instant_contradiction(view, row);
    text_format(out, "%s: its row is ", level ? "NOT MET TOGETHER" : "redundant");
    for (size_t k = 0; k < view->r->rows; k++) {
        const double factor = view->d->depends[row + k * view->r->rows];
        if (factor == 0) continue;
        if (terms == 4) {
            text_add(out, " + ...");
            break;
        }
        text_add(out, terms ? (factor < 0 ? " - " : " + ") : (factor < 0 ? "-" : ""));
        if (fabs(fabs(factor) - 1) > TOL_SHOWN_SAME) {
            put(out, fabs(factor));
            text_add(out, "*");
        }
        instant_row_name(view, k, out);
        terms++;
    }
    if (!terms) text_add(out, "0 = 0");
    if (level) text_format(out, ", but no %s was found that meets them all", level);
}

static void show_conflict(const instant_view *view, size_t row, textbuf *out)
{
    const size_t rows = view->r->rows;
    for (int k = 0; k < view->d->conflicts; k++) {
        const unsigned char *set = view->d->in_conflict + (size_t)k * rows;
        const mech_group *self = instant_group_of(view, row), *last = self;
        if (!set[row]) continue;
        text_format(out, "%sIN CONFLICT", out->length ? "; " : "");
        for (size_t i = 0, named = 0; i < rows; i++) {
            const mech_group *group = instant_group_of(view, i);
            if (!set[i] || group == self || group == last) continue;
            text_format(out, "%s%s", named++ ? ", " : " with ", group->name);
            last = group;
        }
    }
}

/* Why a constraint is out of force. */
static const char *side_word(const instant_view *view, const mech_group *group)
{
    switch (group->kind == MECH_GROUP_CONSTRAINT ? (mech_side)view->r->side[group->index] : MECH_SIDE_NONE) {
    case MECH_SIDE_OPEN: return "open";
    case MECH_SIDE_TOUCHES: return "touches";
    case MECH_SIDE_STRIKES: return "is struck";
    default: return "released";
    }
}

/* "unique", "least-norm", "one of many" beside friction that is stopped, or why there is no multiplier */
static const char *row_word(const instant_view *view, const mech_group *group, size_t row)
{
    if (!view->r->active[row]) return side_word(view, group);
    if (group->kind == MECH_GROUP_CONTROL || group->kind == MECH_GROUP_GIVEN) return "control";
    if (view->r->is_reweighted) return "weight";
    if (!view->d) return "";
    if (view->d->unique_lambda[row]) return "unique";
    return view->r->flags & MECH_FUNDAMENTAL_REDUNDANT ? "least-norm" : "one of many";
}

/* What is to be said besides, on a line of its own. */
static void show_row_note(const instant_view *view, const mech_group *group, size_t row, size_t width, textbuf *out)
{
    const mech_diagnosis_result *d = view->d;
    textbuf note = {0};
    if (!d || !view->r->active[row] || group->kind == MECH_GROUP_CONTROL || group->kind == MECH_GROUP_GIVEN) return;
    if (d->redundant[row]) show_depends(view, row, &note);
    if (!d->unique_lambda[row] && row == group->first_row && d->unique_force[group - view->r->group] &&
        !view->r->is_reweighted)
        text_format(&note, "%sits force is unique all the same", note.length ? "; " : "");
    show_conflict(view, row, &note);
    if (note.length) {
        text_add(out, "  ");
        cell(out, "", width);
        text_format(out, "%s\n", note.data);
    }
    out->failed |= note.failed;
    text_free(&note);
}

static void show_row(const instant_view *view, const mech_group *group, size_t row, size_t width, textbuf *out)
{
    const mech_instant_result *r = view->r;
    textbuf name = {0};
    const int is_servo = group->kind == MECH_GROUP_CONTROL || group->kind == MECH_GROUP_GIVEN;
    const int has_lambda = r->active[row] && !is_servo;
    instant_row_name(view, row, &name);
    text_add(out, "  ");
    cell(out, name.data ? name.data : "", width);
    out->failed |= name.failed;
    text_free(&name);
    if (r->active[row]) number_cell(out, r->e[row]);
    else cell(out, "-", NUMBER_WIDTH);
    for (int k = 0; k < 2; k++)
        if (has_lambda) number_cell(out, k ? r->reaction[row] : r->lambda[row]);
        else cell(out, "-", NUMBER_WIDTH);
    cell(out, row_word(view, group, row), NUMBER_WIDTH);
    if (row == group->first_row && has_lambda && !r->is_reweighted)
        show_force(view, r->force + (size_t)(group - r->group) * r->n, out);
    end_line(out);
    show_row_note(view, group, row, width, out);
}

static void show_constraints(const instant_view *view, textbuf *out)
{
    const mech_instant_result *r = view->r;
    size_t width = 12, shown = 0, rows = 0;
    if (r->rows == 0) return;
    for (size_t g = 0; g < r->groups; g++) {
        if (!instant_shows_group(view, &r->group[g])) continue;
        const size_t wide = width_of(r->group[g].name) + (r->group[g].row_count > 1 ? 4 : 2);
        rows += r->group[g].row_count;
        if (wide > width && g < MOST_LINES) width = wide;
    }
    if (rows == 0) return;
    text_add(out, "\nConstraints A q'' = b (e = b - A a: what the free motion a misses it by; lambda: the ideal "
                  "multiplier,\n"
                  "  reaction: the total one, with what laws add; force: A' lambda along the coordinates)\n  ");
    cell(out, "", width);
    cell(out, "e", NUMBER_WIDTH);
    cell(out, "lambda", NUMBER_WIDTH);
    cell(out, "reaction", NUMBER_WIDTH);
    cell(out, "", NUMBER_WIDTH);
    text_add(out, "force\n");
    for (size_t g = 0; g < r->groups; g++) {
        const mech_group *group = &r->group[g];
        if (!instant_shows_group(view, group)) continue;
        for (size_t i = 0; i < group->row_count && shown < MOST_LINES; i++, shown++)
            show_row(view, group, group->first_row + i, width, out);
    }
    more(out, shown, rows);
    if (view->d && (r->flags & MECH_FUNDAMENTAL_REDUNDANT))
        text_add(out, "  least-norm: rows depend on one another, so this is one choice of many; q'', Qi and "
                      "Qni are unique\n");
}

/* ---- motion ---- */

static void show_motion(const instant_view *view, textbuf *out)
{
    const mech_instant_result *r = view->r;
    const size_t width = names_width(view, MECH_ITEM_COORD, r->n, 12);
    const int has_control = r->u != NULL;
    const char *const heads[] = {"a (free)",  "q''",         "Q", r->is_reweighted ? "Qi (weight)" : "Qi (ideal)",
                                 "Qni (law)", "Qc (control)"};
    const double *const columns[] = {r->a, r->qdd, r->Q, r->Qi, r->Qni, r->Qc};
    const int shows[] = {1, 1, 1, 1, r->laws > 0, has_control};
    text_format(out, "\nMotion M q'' = Q + Qi%s%s (a: what the forces Q alone would do)\n  ", r->laws ? " + Qni" : "",
                has_control ? " + Qc" : "");
    cell(out, "", width);
    for (int k = 0; k < 6; k++)
        if (shows[k]) cell(out, heads[k], NUMBER_WIDTH);
    end_line(out);
    for (size_t i = 0; i < r->n && i < MOST_LINES; i++) {
        text_add(out, "  ");
        cell(out, coordinate(view, i), width);
        for (int k = 0; k < 6; k++)
            if (shows[k]) number_cell(out, columns[k][i]);
        end_line(out);
    }
    more(out, r->n < MOST_LINES ? r->n : MOST_LINES, r->n);
    if (r->flags & MECH_FUNDAMENTAL_SINGULAR_MASS)
        text_add(out, "  M has no inverse: a and what is made of it (e, T, N, geometry) do not exist\n");
    if (r->flags & MECH_FUNDAMENTAL_INDEFINITE_MASS)
        text_add(out,
                 "  M is indefinite, as allowed: M^(1/2) and what is made of it (z, T, N, geometry) do not exist\n");
}

/* Control rows beyond the actuators' reach hold only while nothing is asked of them. */
static void show_reach(const instant_view *view, textbuf *out)
{
    const mech_instant_result *r = view->r;
    int rows = 0;
    for (size_t i = 0; i < r->rows; i++) rows += r->active[i] && mech_system_row(view->system, i).is_control;
    if (r->is_reweighted || r->servo_rank >= rows) return;
    text_format(out,
                "  the actuators reach %d of %d control row%s at acceleration level: the rest is met here only "
                "because nothing more is asked of it\n",
                r->servo_rank, rows, rows == 1 ? "" : "s");
}

/* Where a run would be refused. */
static void show_off_path(const instant_view *view, textbuf *out)
{
    const mech_instant_result *r = view->r;
    for (size_t i = 0; i < r->m; i++) {
        if (!r->off_path[i]) continue;
        text_add(out, "  ");
        instant_row_name(view, i, out);
        text_add(out, " is off its path, r = ");
        put(out, r->r[i]);
        text_add(out, " and r' = ");
        put(out, r->r_dot[i]);
        text_add(out, ", and no gains are given that bring it back: r'' = 0 is asked for (stabilize, --gains)\n");
    }
}

/* Are there forces that control changes by the reactions it changes? */
static int answers_to_reactions(const mech_system *system)
{
    return mech_system_sizes(system).frictions > 0 || mech_system_pattern(system, MECH_MATRIX_C_REACTION).count > 0;
}

static void show_control(const instant_view *view, textbuf *out)
{
    const mech_instant_result *r = view->r;
    const int named = r->actuators != r->n || mech_system_sizes(view->system).actuators;
    if (!r->u) return;
    text_format(out, "\nControl, of least u'Wu with the weight %s%s (Qc = G u)\n", instant_weight_word(r->weight),
                answers_to_reactions(view->system) ? ", beside the forces of laws and friction that act" : "");
    if (answers_to_reactions(view->system))
        text_add(out, "  a smaller u that makes these forces smaller is not looked for\n");
    for (size_t k = 0; k < r->actuators && k < MOST_LINES; k++) {
        const char *name = named ? mech_system_name(view->system, MECH_ITEM_ACTUATOR, k) : coordinate(view, k);
        if (name) text_format(out, "  u on %s = ", name);
        else text_format(out, "  u of actuator %zu = ", k + 1);
        put(out, r->u[k]);
        text_add_char(out, '\n');
    }
    more(out, r->actuators < MOST_LINES ? r->actuators : MOST_LINES, r->actuators);
    show_reach(view, out);
    show_off_path(view, out);
}

static void show_friction(const mech_instant_law *law, int is_given, textbuf *out)
{
    text_format(out, "  %s %s", law->name, instant_mode_word(law->mode));
    if (law->mode != MECH_FRICTION_MODE_OFF) {
        text_add(out, is_given ? ": given bound " : ": normal load ");
        put(out, law->normal);
        text_add(out, law->mode == MECH_FRICTION_MODE_HOLDS ? ", it needs " : ", friction ");
        put(out, law->tangential);
        if (law->mode == MECH_FRICTION_MODE_HOLDS) {
            text_add(out, " and can give ");
            put(out, law->bound);
        }
        text_add(out, ", speed ");
        put(out, law->speed);
    }
    text_add_char(out, '\n');
}

static void show_laws(const instant_view *view, textbuf *out)
{
    const mech_instant_result *r = view->r;
    if (!r->laws) return;
    text_add(out, "\nLaws of constraints that do work (C as prescribed; Qni: the part that the constraints "
                  "let through)\n");
    for (size_t k = 0; k < r->laws && k < MOST_LINES; k++) {
        const mech_instant_law *law = &r->law[k];
        if (law->is_friction)
            show_friction(law, instant_bound_is_given(view->system, k - mech_system_sizes(view->system).laws), out);
        else text_format(out, "  %s%s\n", law->name, law->is_on ? "" : ": off, its constraints are released");
        char *note = instant_law_note(view, k, out);
        if (note) text_format(out, "    note: %s\n", note);
        mem_free(note);
        if (!law->is_on || law->mode == MECH_FRICTION_MODE_HOLDS) continue;
        text_add(out, "    C:   ");
        show_force(view, law->C, out);
        text_add(out, "\n    Qni: ");
        show_force(view, law->Qni, out);
        text_add_char(out, '\n');
    }
    more(out, r->laws < MOST_LINES ? r->laws : MOST_LINES, r->laws);
}

/* ---- checks ---- */

static double largest_of(const double *list, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(list[i]));
    return largest;
}

static void show_work(const instant_view *view, textbuf *out)
{
    const mech_diagnosis_result *d = view->d;
    const size_t free = view->r->n - (size_t)d->rank;
    text_add(out, "  virtual work along the free directions, at most: Qi ");
    put(out, largest_of(d->work_Qi, free));
    if (view->r->is_reweighted) text_add(out, " (not nature's force: it pushes along the motion)");
    else text_add(out, " (an ideal force does none)");
    if (view->r->laws) {
        text_add(out, ", Qni ");
        put(out, largest_of(d->work_Qni, free));
    }
    if (view->r->u) {
        text_add(out, ", Qc ");
        put(out, largest_of(d->work_Qc, free));
    }
    text_add_char(out, '\n');
}

static void show_checks(const instant_view *view, textbuf *out)
{
    const mech_instant_result *r = view->r;
    int is_true;
    const double least = instant_least_singular(view, &is_true);
    text_add(out, "\nChecks\n  A q'' = b is met to ");
    put(out, r->residual);
    text_add(out, "; the state is off the constraints by ");
    put(out, r->drift);
    text_add(out, ", its velocity by ");
    put(out, r->drift_rate);
    text_add_char(out, '\n');
    if (r->rank > 0) {
        text_format(out, "  rank: smallest kept singular value of %s %s",
                    r->flags & MECH_FUNDAMENTAL_INDEFINITE_MASS ? "the scaled rows" : "B = A M^(-1/2)",
                    is_true ? "" : "about ");
        put(out, least);
        text_add(out, ", largest row ");
        put(out, r->largest);
        text_add(out, ", tolerance ");
        put(out, r->rank_tol);
        text_add_char(out, '\n');
    }
    if (!view->d)
        text_add(out, "  diagnosis (uniqueness, redundancy, virtual work, geometry) skipped: the model is large\n");
    else if (r->rank > 0 || r->laws || r->u) show_work(view, out);
}

static void show_geometry(const instant_view *view, textbuf *out)
{
    const mech_diagnosis_result *d = view->d;
    if (!d || !isfinite(view->r->zwang) || d->rank == 0) return;
    const mech_geometry *g = &d->geometry;
    struct {
        const char *name;
        double value;
    } const lengths[] = {{"B+b", g->Bpb}, {"T a_s", g->Tas}, {"B+e", g->Bpe}, {"N a_s", g->Nas}, {"N c_s", g->Ncs}};
    text_add(out,
             "\nGeometry: lengths of accelerations scaled by M^(1/2) (B = A M^(-1/2); a_s, c_s: a and M^-1 C, scaled;\n"
             "  T = B+ B and N = I - T: their parts across and along the constraints)\n  held by the constraints: ");
    for (size_t i = 0; i < 5; i++) {
        if (i == 3) text_add(out, ";  free: ");
        else if (i) text_add(out, ", ");
        text_format(out, "%s ", lengths[i].name);
        put(out, lengths[i].value);
    }
    text_add(out, "\n  largest cosine between the two kinds ");
    put(out, g->orthogonality);
    text_add(out, " (0: orthogonal); Gauss's Zwang (q''-a)'M(q''-a) = ");
    put(out, view->r->zwang);
    text_add_char(out, '\n');
}

void instant_text(const instant_view *view, textbuf *out)
{
    const mech_sizes sizes = mech_system_sizes(view->system);
    show_head(view, out);
    if (view->options->failure) text_format(out, "NOT SOLVABLE: %s\n", view->options->failure);
    show_state(view, out);
    show_constraints(view, out);
    show_motion(view, out);
    show_control(view, out);
    show_laws(view, out);
    if (sizes.outputs) text_add(out, "\nOutputs\n");
    show_values(view, NULL, MECH_ITEM_OUTPUT, sizes.outputs, view->r->output, out);
    show_checks(view, out);
    show_geometry(view, out);
}
