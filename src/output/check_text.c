/* The one-screen report of `mech check`. */
#include "output/check.h"

#include <mech/bodies.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/tolerances.h"
#include "output/equations.h"

#include <math.h>
#include <string.h>

enum { MOST_LISTED = 12 }; /* of anything, before "and N more" */

static void put_number(textbuf *out, double value)
{
    char buffer[NUMBER_TEXT_SIZE];
    number_general(value, 6, buffer);
    text_add(out, buffer);
}

static void more(textbuf *out, size_t count, const char *what)
{
    if (count > MOST_LISTED) text_format(out, "    ... and %zu more %s\n", count - MOST_LISTED, what);
}

static void show_symbols(const mech_model *m, textbuf *out)
{
    text_format(out, "coordinates   %zu: ", m->coords_count);
    for (size_t i = 0; i < m->coords_count && i < MOST_LISTED; i++)
        text_format(out, "%s%s", i ? ", " : "", m->coords[i].name);
    text_add(out, m->coords_count > MOST_LISTED ? ", ...\n" : "\n");
    if (m->params_count) text_format(out, "parameters    %zu: ", m->params_count);
    for (size_t i = 0; i < m->params_count && i < MOST_LISTED; i++) {
        text_format(out, "%s%s = ", i ? ", " : "", m->params[i].name);
        put_number(out, m->params[i].number);
        if (m->params[i].unit) text_format(out, " %s", m->params[i].unit);
    }
    if (m->params_count) text_add(out, m->params_count > MOST_LISTED ? ", ...\n" : "\n");
    if (m->states_count) text_format(out, "states        %zu\n", m->states_count);
    if (m->inputs_count) text_format(out, "inputs        %zu\n", m->inputs_count);
}

static void count_of(textbuf *out, int *first, size_t count, const char *word)
{
    if (!count) return;
    text_format(out, "%s%zu %s", *first ? "" : ", ", count, word);
    *first = 0;
}

static void show_counts(const mech_model *m, textbuf *out)
{
    int first = 1;
    text_add(out, "statements    ");
    count_of(out, &first, m->kinetic_count, "kinetic");
    count_of(out, &first, m->potential_count, "potential");
    count_of(out, &first, m->dissipation_count, "dissipation");
    count_of(out, &first, m->masses_count, "mass");
    count_of(out, &first, m->forces_count, "force");
    count_of(out, &first, m->laws_count, "nonideal");
    count_of(out, &first, m->frictions_count, "friction");
    count_of(out, &first, m->actuators_count, "actuator");
    count_of(out, &first, m->outputs_count, "output");
    count_of(out, &first, m->measures_count, "measure");
    size_t events = 0;
    for (size_t i = 0; i < m->events_count; i++) events += !m->events[i].contact;
    count_of(out, &first, events, "event");
    count_of(out, &first, m->clocks_count, "every");
    text_add_char(out, '\n');
}

static int same_kind(const model_row *a, const model_row *b)
{
    return a->level == b->level && a->by_states == b->by_states && a->is_linear == b->is_linear &&
           a->is_rheonomic == b->is_rheonomic && a->is_acatastatic == b->is_acatastatic &&
           a->integrable == b->integrable;
}

/* Whether all rows of two constraints are of one kind. */
static int alike(const mech_model *m, const model_constraint *a, const model_constraint *b)
{
    if (a->row_count != b->row_count || a->is_control != b->is_control || a->waits != b->waits || a->side != b->side)
        return 0;
    for (size_t i = 0; i < a->row_count; i++)
        if (!same_kind(&m->rows[a->first_row], &m->rows[b->first_row + i])) return 0;
    return 1;
}

/* The length of a name without its indices. */
static size_t stem(const char *name) { return strcspn(name, "["); }

/* Constraints from `first` on that may share its line: same stem, same kind. */
static size_t run_length(const mech_model *m, size_t first)
{
    const model_constraint *c = &m->constraints[first];
    const size_t length = stem(c->name);
    size_t count = 1;
    if (!alike(m, c, c)) return 1;
    for (; first + count < m->constraints_count; count++) {
        const model_constraint *next = &m->constraints[first + count];
        if (stem(next->name) != length || strncmp(c->name, next->name, length) != 0 || !c->name[length]) break;
        if (!alike(m, c, next)) break;
    }
    return count;
}

static void show_line(const mech_model *m, const char *name, size_t row, size_t rows, textbuf *out)
{
    const model_constraint *c = &m->constraints[m->rows[row].constraint];
    text_format(out, "    %-18s %s", name, c->is_control ? "control, " : "");
    equations_row_kind(m, row, out);
    if (rows > 1) text_format(out, "; %zu rows", rows);
    if (c->waits && !c->side) text_add(out, "; waits for an event");
    text_add_char(out, '\n');
}

/* Constraints of one kind on one line ("foot[1] .. foot[41]"), else one line a row. */
static void show_run(const mech_model *m, size_t first, size_t count, textbuf *out)
{
    const model_constraint *c = &m->constraints[first];
    const int together = alike(m, c, c);
    for (size_t i = 0; i < (together ? 1 : c->row_count); i++) {
        textbuf name = {0};
        if (together) text_add(&name, c->name);
        else equations_row_name(m, c->first_row + i, &name);
        if (count > 1) text_format(&name, " .. %s", m->constraints[first + count - 1].name);
        if (name.data) show_line(m, name.data, c->first_row + i, together ? count * c->row_count : 1, out);
        out->failed |= name.failed;
        text_free(&name);
    }
}

static void show_constraints(const mech_model *m, textbuf *out)
{
    if (!m->constraints_count) {
        text_add(out, "constraints   none\n");
        return;
    }
    text_format(out, "constraints   %zu, %zu row%s\n", m->constraints_count, m->rows_count,
                m->rows_count == 1 ? "" : "s");
    size_t lines = 0, count;
    for (size_t i = 0; i < m->constraints_count; i += count) {
        count = run_length(m, i);
        if (lines++ < MOST_LISTED) show_run(m, i, count, out);
    }
    more(out, lines, "constraints");
}

/* ---- bodies ---- */

/* ground -A- crank -B- coupler: from a body to the end of its first branch, marking what was shown. */
static void show_branch(const mech_bodies *b, size_t body, unsigned char *shown, textbuf *out)
{
    const size_t count = mech_bodies_body_count(b);
    text_add(out, mech_bodies_body_name(b, body));
    for (size_t next = 0; next < count;) {
        for (next = 1; next < count; next++)
            if (!shown[next] && mech_bodies_parent_joint(b, next) != SIZE_MAX &&
                mech_bodies_parent_body(b, next) == body)
                break;
        if (next == count) return;
        shown[next] = 1;
        text_format(out, " -%s- %s", mech_bodies_joint_name(b, mech_bodies_parent_joint(b, next)),
                    mech_bodies_body_name(b, next));
        body = next;
    }
}

static int has_branch(const mech_bodies *b, size_t body, const unsigned char *shown)
{
    for (size_t i = 1; i < mech_bodies_body_count(b); i++)
        if (!shown[i] && mech_bodies_parent_joint(b, i) != SIZE_MAX && mech_bodies_parent_body(b, i) == body) return 1;
    return 0;
}

static void show_tree(const mech_bodies *b, textbuf *out)
{
    const size_t count = mech_bodies_body_count(b);
    unsigned char *shown = mem_zeroed(count + 1, 1);
    size_t lines = 0;
    if (!shown) {
        out->failed = 1;
        return;
    }
    text_format(out, "bodies        %zu", count - 1);
    for (size_t i = 1, own = 0; i < count; i++)
        if (mech_bodies_parent_joint(b, i) == SIZE_MAX && ++own <= MOST_LISTED)
            text_format(out, "%s%s", own > 1 ? ", " : "; with coordinates of its own: ", mech_bodies_body_name(b, i));
    text_add_char(out, '\n');
    for (size_t body = 0; body < count; body++)
        while (has_branch(b, body, shown)) {
            textbuf skipped = {0};
            if (lines < MOST_LISTED) text_add(out, lines ? "              " : "tree          ");
            show_branch(b, body, shown, lines < MOST_LISTED ? out : &skipped);
            if (lines++ < MOST_LISTED) text_add_char(out, '\n');
            text_free(&skipped);
        }
    more(out, lines, "branches");
    mem_free(shown);
}

enum { LONGEST_LOOP = 64 };

static void show_joint_names(const mech_bodies *b, const size_t *list, size_t count, textbuf *out)
{
    for (size_t i = 0; i < count && i < MOST_LISTED; i++) text_format(out, " %s", mech_bodies_joint_name(b, list[i]));
    if (count > MOST_LISTED) text_add(out, " ...");
}

static void show_loops(const mech_bodies *b, textbuf *out)
{
    size_t list[LONGEST_LOOP], lines = 0;
    for (size_t j = 0; j < mech_bodies_joint_total(b); j++) {
        const size_t count = mech_bodies_loop(b, j, list, LONGEST_LOOP);
        if (count < 2 || ++lines > MOST_LISTED) continue;
        text_format(out, "%s%s closes", lines == 1 ? "loops         " : "              ", mech_bodies_joint_name(b, j));
        show_joint_names(b, list, count, out);
        text_add_char(out, '\n');
    }
    if (lines > MOST_LISTED) more(out, lines, "loops");
    lines = 0;
    for (size_t j = 0; j < mech_bodies_joint_total(b); j++) {
        if (mech_bodies_by_constraint(b, j) != 2 || mech_bodies_loop(b, j, list, LONGEST_LOOP))
            continue; /* a loop's joint is one anyway */
        text_format(out, "%s%s", lines++ ? ", " : "by constraint ", mech_bodies_joint_name(b, j));
    }
    if (lines) text_add(out, ": other statements name it as a constraint\n");
}

/* The joint whose condition a row is, SIZE_MAX: none. */
static size_t joint_of_row(const mech_model *m, size_t row)
{
    const size_t constraint = m->rows[row].constraint;
    const size_t joint = m->mechanism ? mech_bodies_joint_of(m->mechanism, constraint) : SIZE_MAX;
    return joint != SIZE_MAX && mech_bodies_joint_constraint(m->mechanism, joint) == constraint ? joint : SIZE_MAX;
}

/* The rows that one of a joint's redundant conditions goes with: along them multipliers may change and nothing
   moves. */
static int is_shared(const mech_diagnosis_result *d, const model_constraint *c, size_t row)
{
    for (size_t k = c->first_row; k < c->first_row + c->row_count; k++)
        if (d->redundant[k] && (k == row || fabs(d->depends[k + row * (size_t)d->m]) >= TOL_DEPENDS_SHARE)) return 1;
    return 0;
}

/* How many of the loops that share the forces go through each joint (joints). A free joint bears nothing. Returns how
   many other constraints and joints share them. */
static size_t count_shares(const check_facts *facts, size_t joint, unsigned char *loops)
{
    const mech_model *m = facts->model;
    const mech_bodies *b = m->mechanism;
    const model_constraint *c = &m->constraints[mech_bodies_joint_constraint(b, joint)];
    size_t list[LONGEST_LOOP], others = 0, last = SIZE_MAX;
    for (size_t row = 0; row < m->rows_count; row++) {
        if (m->rows[row].constraint == last || !is_shared(facts->diagnosis, c, row)) continue;
        last = m->rows[row].constraint;
        const size_t closes = joint_of_row(m, row);
        others += closes != joint;
        const size_t count = closes == SIZE_MAX ? 0 : mech_bodies_loop(b, closes, list, LONGEST_LOOP);
        for (size_t i = 0; i < count; i++)
            if (loops[list[i]] < 2 && mech_bodies_joint_kind(b, list[i]) != MECH_JOINT_FREE) loops[list[i]]++;
        if (closes != SIZE_MAX) loops[closes] = 1; /* where a loop is closed no other one goes through */
    }
    return others;
}

static size_t show_with(const mech_bodies *b, const unsigned char *loops, unsigned char wanted, const char *before,
                        textbuf *out)
{
    size_t shown = 0;
    for (size_t j = 0; j < mech_bodies_joint_total(b); j++)
        if (loops[j] == wanted && ++shown <= MOST_LISTED)
            text_format(out, "%s%s", shown == 1 ? before : " ", mech_bodies_joint_name(b, j));
    if (shown > MOST_LISTED) text_format(out, " and %zu more", shown - MOST_LISTED);
    return shown;
}

/* "not unique: the forces and torques of A B C D in these directions"; what several loops bring to a joint may
   cancel. */
static void show_shares(const check_facts *facts, size_t joint, textbuf *out)
{
    const mech_model *m = facts->model;
    const mech_bodies *b = m->mechanism;
    const model_constraint *c = &m->constraints[mech_bodies_joint_constraint(b, joint)];
    unsigned char *loops = mem_zeroed(mech_bodies_joint_total(b) + 1, 1);
    size_t last = SIZE_MAX;
    if (!loops) {
        out->failed = 1;
        return;
    }
    const size_t others = count_shares(facts, joint, loops);
    text_add(out, "    not unique: the forces and torques of ");
    (void)show_with(b, loops, 1, "", out);
    for (size_t row = 0; row < m->rows_count; row++) {
        if (m->rows[row].constraint == last || joint_of_row(m, row) != SIZE_MAX || !is_shared(facts->diagnosis, c, row))
            continue;
        last = m->rows[row].constraint;
        text_format(out, " %s", m->constraints[last].name);
    }
    if (!others) text_add(out, " in these directions");
    if (show_with(b, loops, 2, "; where they do not cancel, of ", out)) text_add(out, " too");
    text_add_char(out, '\n');
    mem_free(loops);
}

/* "loop A B C D: 3 of the 5 conditions of D follow from the other joints: along z, ... (all axes are parallel)" */
static void show_loop(const check_facts *facts, size_t joint, const unsigned char *redundant, textbuf *out)
{
    const mech_model *m = facts->model;
    const mech_bodies *b = m->mechanism;
    const model_constraint *c = &m->constraints[mech_bodies_joint_constraint(b, joint)];
    size_t list[LONGEST_LOOP], lost = 0, shown = 0;
    char text[MECH_CONDITION_TEXT];
    const size_t count = mech_bodies_loop(b, joint, list, LONGEST_LOOP);
    for (size_t k = 0; k < c->row_count; k++) lost += redundant[c->first_row + k];
    text_add(out, count ? "    loop" : "    joint ");
    show_joint_names(b, list, count, out);
    if (!count) text_add(out, c->name);
    text_format(out, ": %zu of the %zu conditions of %s follow%s from the other joints: ", lost, c->row_count, c->name,
                lost == 1 ? "s" : "");
    for (size_t k = 0; k < c->row_count; k++) {
        if (!redundant[c->first_row + k]) continue;
        mech_bodies_condition(b, joint, k, text);
        text_format(out, "%s%s", shown++ ? ", " : "", text);
    }
    if (count && mech_bodies_loop_is_planar(b, list, count)) text_add(out, " (all axes are parallel)");
    text_add_char(out, '\n');
    show_shares(facts, joint, out);
}

/* What a row of a model is called for people: a condition of a joint by the joint, else as everywhere. */
static void show_source(const mech_model *m, size_t row, textbuf *out)
{
    const size_t joint = m->mechanism ? mech_bodies_joint_of(m->mechanism, m->rows[row].constraint) : SIZE_MAX;
    if (joint == SIZE_MAX) equations_row_name(m, row, out);
    else text_add(out, mech_bodies_joint_name(m->mechanism, joint));
}

/* Whether the row's gradient is another one in other states. */
static int has_other_gradients(const mech_model *m, size_t row)
{
    const model_entries *A = &m->equations.A;
    for (size_t k = 0; k < A->count; k++)
        if (A->items[k].row == row && expr_classes(m->pool, A->items[k].value) &
                                          (EXPR_COORD | EXPR_VELOCITY | EXPR_STATE | EXPR_TIME | EXPR_INPUT))
            return 1;
    return 0;
}

/* " is redundant here: it follows from lf.hip, lf.roll": each joint once, however many of its conditions. */
static void show_sources(const check_facts *facts, size_t row, textbuf *out)
{
    const mech_diagnosis_result *d = facts->diagnosis;
    const mech_model *m = facts->model;
    const size_t rows = (size_t)d->m;
    size_t shown = 0;
    for (size_t k = 0; k < rows; k++) {
        int is_new = k != row && fabs(d->depends[row + k * rows]) >= TOL_DEPENDS_SHARE;
        const size_t joint = m->mechanism ? mech_bodies_joint_of(m->mechanism, m->rows[k].constraint) : SIZE_MAX;
        for (size_t i = 0; i < k && is_new && joint != SIZE_MAX; i++)
            is_new = i == row || fabs(d->depends[row + i * rows]) < TOL_DEPENDS_SHARE ||
                     mech_bodies_joint_of(m->mechanism, m->rows[i].constraint) != joint;
        if (!is_new || ++shown > MOST_LISTED) continue;
        text_add(out, shown == 1 ? " is redundant here: it follows from " : ", ");
        show_source(m, k, out);
    }
    if (shown > MOST_LISTED) text_format(out, " and %zu more", shown - MOST_LISTED);
    text_add(out, shown ? "\n"
                  : has_other_gradients(m, row)
                      ? " is singular here: its gradient is 0, and it holds nothing in this state\n"
                      : " is redundant: it says nothing (0 = 0)\n");
}

/* It follows from others, and does not contradict them either: that is said by itself. */
static int is_redundant(const mech_diagnosis_result *d, int row)
{
    if (!d->redundant[row]) return 0;
    for (int set = 0; set < d->conflicts; set++)
        if (d->in_conflict[(size_t)row + (size_t)set * (size_t)d->m]) return 0;
    return 1;
}

/* "left.1 depends on foot[1].1, right.2" for each redundant row. */
static void show_redundant(const check_facts *facts, textbuf *out)
{
    const mech_diagnosis_result *d = facts->diagnosis;
    size_t count = 0, last = SIZE_MAX;
    for (int row = 0; row < d->m; row++) {
        const size_t joint = is_redundant(d, row) ? joint_of_row(facts->model, (size_t)row) : SIZE_MAX;
        if (joint != SIZE_MAX && joint != last && ++count <= MOST_LISTED) show_loop(facts, joint, d->redundant, out);
        if (joint != SIZE_MAX) last = joint;
        if (!is_redundant(d, row) || joint != SIZE_MAX || ++count > MOST_LISTED) continue;
        text_add(out, "    ");
        equations_row_name(facts->model, (size_t)row, out);
        show_sources(facts, (size_t)row, out);
    }
    more(out, count, "redundant rows");
}

static void show_conflicts(const check_facts *facts, textbuf *out)
{
    const mech_diagnosis_result *d = facts->diagnosis;
    for (int set = 0; set < d->conflicts && set < MOST_LISTED; set++) {
        text_add(out, "    in conflict: ");
        int first = 1;
        for (int row = 0; row < d->m; row++) {
            if (!d->in_conflict[(size_t)row + (size_t)set * (size_t)d->m]) continue;
            if (!first) text_add(out, ", ");
            equations_row_name(facts->model, (size_t)row, out);
            first = 0;
        }
        text_add_char(out, '\n');
    }
}

static void show_numbers(const check_facts *facts, textbuf *out)
{
    text_format(out, "initial state\n    rank %d of %zu constraint row%s, ", facts->rank, facts->rows,
                facts->rows == 1 ? "" : "s");
    if (facts->control_rank) text_format(out, "control of rank %d, ", facts->control_rank);
    text_format(out, "%zu degree%s of freedom\n", facts->freedom, facts->freedom == 1 ? "" : "s");
    if (facts->diagnosis) {
        show_redundant(facts, out);
        show_conflicts(facts, out);
    }
    if (facts->moved)
        text_format(out, "    %s: %s\n",
                    facts->model->rows_count ? "assembled onto the constraints" : "moved to meet the initial values",
                    facts->moved);
    if (facts->is_indefinite)
        text_add(out, "    the mass matrix is indefinite: a mass is negative, as the model allows\n");
    if (facts->why) text_format(out, "    %s\n", facts->why);
}

/* A joint with a spring or motor along it that the action releases; SIZE_MAX: none. */
static size_t driven_and_released(const mech_model *m, const mech_action *a)
{
    for (size_t i = 0; a->kind == MECH_ACTION_RELEASE && i < a->constraint_count; i++) {
        const size_t joint = mech_bodies_joint_of(m->mechanism, a->constraints[i]);
        if (mech_bodies_joint_is_driven(m->mechanism, joint)) return joint;
    }
    return SIZE_MAX;
}

static void show_released(const mech_model *m, textbuf *out)
{
    for (size_t i = 0; i < m->events_count; i++)
        for (size_t k = 0; k < m->events[i].action_count; k++) {
            const size_t joint = driven_and_released(m, &m->events[i].actions[k]);
            if (joint == SIZE_MAX) continue;
            text_format(out,
                        "note          springs and motors on %s go on acting between its bodies when %s releases it; a "
                        "state can switch them off\n",
                        mech_bodies_joint_name(m->mechanism, joint), m->events[i].name);
            return;
        }
}

static void show_missing(const check_facts *facts, textbuf *out)
{
    const mech_model *m = facts->model;
    int until = 0;
    for (size_t i = 0; i < m->options_count; i++) until |= strcmp(m->options[i].name, "until") == 0;
    if (facts->friction) text_format(out, "note          %s\n", facts->friction);
    if (m->mechanism && mech_bodies_gear(m->mechanism) != SIZE_MAX)
        text_format(
            out,
            "note          %s ties coordinates of joints: what it exerts acts along them, and is not in the forces of "
            "joints; for forces between teeth write it with values of bodies\n",
            m->constraints[mech_bodies_gear(m->mechanism)].name);
    if (m->mechanism) show_released(m, out);
    if (facts->length) text_format(out, "note          %s\n", facts->length);
    if (!m->initials_count)
        text_format(out, "note          no initial values are given: all coordinates and velocities start at 0%s\n",
                    facts->moved ? ", before they are moved (initial state)" : "");
    if (!until)
        text_add(out, "note          no end time is given: add 'simulate until 10', or use 'mech run --until 10'\n");
}

void check_text(const check_facts *facts, textbuf *out)
{
    const mech_model *m = facts->model;
    if (m->mechanism) show_tree(m->mechanism, out);
    if (m->mechanism) show_loops(m->mechanism, out);
    show_symbols(m, out);
    show_counts(m, out);
    show_constraints(m, out);
    if (facts->has_numbers) show_numbers(facts, out);
    else if (facts->why) text_format(out, "initial state\n    %s\n", facts->why);
    else text_add(out, "initial state\n    rank not computed: the model is too large for a dense factorization\n");
    show_missing(facts, out);
}
