/* Rows of the trajectory. Names that begin with "equation." cannot collide with a user's. */
#include "simulate/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add(mech_sim *s, const char *unit, const char *format, const char *name, const char *second)
{
    textbuf text = {0};
    text_format(&text, format, name, second);
    trajectory_add_column(&s->record.trajectory, text.failed ? NULL : text.data, unit);
    text_free(&text);
}

static double *put(double *to, const double *from, size_t count)
{
    if (count) memcpy(to, from, count * sizeof *to);
    return to + count;
}

/* Columns are walked for their names and for the values of a row alike, so that both stand in the same order: *to NULL,
   names are added; else values are put there. */
static void walk_items(mech_sim *s, double **to, mech_item item, size_t count, const char *format, const double *values)
{
    if (*to) *to = put(*to, values, count);
    for (size_t k = 0; k < count && !*to; k++) {
        const char *unit = strchr(format, '\'') ? NULL : mech_system_unit(s->system, item, k);
        add(s, unit, format, sim_name(s, item, k), "");
    }
}

/* Those of control stand behind the natural ones, rows and constraints alike; they have no multipliers. */
static int is_control(const mech_sim *s, size_t constraint)
{
    return mech_system_constraint_rows(s->system, constraint, NULL) >= s->sizes.natural_rows;
}

static void walk_rows(mech_sim *s, double **to, size_t rows, const char *format, const double *values)
{
    if (*to) *to = put(*to, values, rows);
    for (size_t i = 0; i < rows && !*to; i++) {
        const size_t owner = mech_system_row(s->system, i).constraint;
        size_t count;
        const size_t first = mech_system_constraint_rows(s->system, owner, &count);
        char number[TEXT_ROW];
        add(s, NULL, format, sim_name(s, MECH_ITEM_CONSTRAINT, owner), text_row(number, i - first, count));
    }
}

static int by_number(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

/* The coordinates that the entries of A between these two touch, in their order, into `touched`; how many. */
static size_t list_touched(const mech_pattern *A, size_t from, size_t end, uint32_t *touched)
{
    size_t kept = 0;
    for (size_t k = from; k < end; k++) touched[k - from] = A->column[k];
    qsort(touched, end - from, sizeof *touched, by_number);
    for (size_t k = 0; k < end - from; k++)
        if (k == 0 || touched[k] != touched[k - 1]) touched[kept++] = touched[k];
    return kept;
}

/* Non-ideal force of each law, then the whole force of each friction: the order of sim_law_forces. */
static void add_laws(mech_sim *s)
{
    const size_t laws = s->sizes.laws, frictions = s->sizes.frictions;
    for (size_t k = 0; k < laws + 2 * frictions; k++) {
        const int is_whole = k >= laws + frictions;
        textbuf name = {0};
        sim_law_name(s, is_whole ? k - frictions : k, is_whole ? laws : 0, &name);
        s->record.trajectory.lacks_memory |= name.failed;
        for (size_t j = 0; j < s->n; j++)
            add(s, NULL, is_whole ? "friction(%s, %s)" : "nonideal(%s, %s)", name.data ? name.data : "",
                sim_name(s, MECH_ITEM_COORD, j));
        text_free(&name);
    }
}

/* Of each constraint, along the coordinates that it touches. Entries of A are listed by row: those of a constraint
   stand together, from `from` to `end`. */
static void walk_forces(mech_sim *s, double **to, const double *lambda)
{
    const mech_pattern *A = &s->dyn.pattern_A;
    for (size_t c = 0, from = 0, end = 0; c < s->sizes.constraints && !is_control(s, c); c++, from = end) {
        while (end < A->count && mech_system_row(s->system, A->row[end]).constraint == c) end++;
        const size_t touched = list_touched(A, from, end, s->record.touched);
        for (size_t k = 0; k < touched && !*to; k++)
            add(s, NULL, "force(%s, %s)", sim_name(s, MECH_ITEM_CONSTRAINT, c),
                sim_name(s, MECH_ITEM_COORD, s->record.touched[k]));
        if (!*to) continue;
        memset(*to, 0, touched * sizeof **to);
        for (size_t k = from; k < end; k++) {
            const uint32_t *at =
                bsearch(&A->column[k], s->record.touched, touched, sizeof *s->record.touched, by_number);
            (*to)[at - s->record.touched] += s->eq->A[k] * lambda[A->row[k]];
        }
        *to += touched;
    }
}

void sim_row_forces(mech_sim *s, const double *lambda, const double *total, double *to)
{
    double *const end = to + s->record.force_columns;
    memset(to, 0, s->record.force_columns * sizeof *to);
    if (s->settings.columns & MECH_COLUMNS_MULTIPLIERS)
        to = put(put(to, lambda, s->sizes.natural_rows), total, s->sizes.natural_rows);
    if (!(s->settings.columns & MECH_COLUMNS_FORCES)) return;
    walk_forces(s, &to, lambda);
    to = end - s->n * s->sizes.frictions; /* friction(NAME, x): the whole of each */
    for (size_t k = 0; k < s->sizes.frictions; k++, to += s->n) {
        const friction_law *law = &s->dyn.friction[k].law;
        for (size_t a = 0; a < law->count; a++)
            for (size_t j = 0; j < s->n; j++)
                to[j] += s->dyn.S[law->first + a + j * s->dyn.nf] * total[s->m + law->first + a];
    }
}

/* All columns, as above; t, y, h: of the row. */
static mech_status walk(mech_sim *s, double *to, double t, const double *y, double h)
{
    static const char *const audit[] = {"equation.phi", "equation.phi'", "equation.psi", "equation.h",
                                        "equation.balance"};
    const unsigned columns = s->settings.columns;
    const size_t n = s->n, natural = s->sizes.natural_rows;
    mech_trajectory *names = &s->record.trajectory;
    if (to) *to++ = t;
    else trajectory_add_column(names, "t", "s");
    walk_items(s, &to, MECH_ITEM_COORD, n, "%s%s", y);
    walk_items(s, &to, MECH_ITEM_COORD, n, "%s'%s", y + n);
    if (columns & MECH_COLUMNS_ACCELERATIONS) walk_items(s, &to, MECH_ITEM_COORD, n, "%s''%s", s->dyn.qdd);
    walk_items(s, &to, MECH_ITEM_STATE, s->nz, "%s%s", y + 2 * n);
    if (columns & MECH_COLUMNS_INPUTS) walk_items(s, &to, MECH_ITEM_INPUT, s->sizes.inputs, "%s%s", s->eq->u);
    if (!to) s->record.first_output = names->columns;
    walk_items(s, &to, MECH_ITEM_OUTPUT, s->sizes.outputs, "%s%s", s->eq->output);
    if (s->dyn.has_control && s->sizes.actuators)
        walk_items(s, &to, MECH_ITEM_ACTUATOR, s->sizes.actuators, "control(%s)%s", s->dyn.u);
    else if (s->dyn.has_control) walk_items(s, &to, MECH_ITEM_COORD, n, "control(%s)%s", s->dyn.Qc);
    if (!to) s->record.first_force = names->columns;
    if (columns & MECH_COLUMNS_MULTIPLIERS) {
        walk_rows(s, &to, natural, "lambda(%s)%s", s->dyn.lambda);
        walk_rows(s, &to, natural, "reaction(%s)%s", s->dyn.total);
    }
    if (columns & MECH_COLUMNS_FORCES) {
        walk_forces(s, &to, s->dyn.lambda);
        walk_items(s, &to, MECH_ITEM_COORD, n, "equation.Qi(%s)%s", s->dyn.Qi);
        walk_items(s, &to, MECH_ITEM_COORD, n, "equation.Qni(%s)%s", s->dyn.Qni);
        if (to) MECH_TRY(sim_law_forces(s, to)); /* after all that the solver's factors are for */
        if (to) to += n * (s->sizes.laws + 2 * s->sizes.frictions);
        else add_laws(s);
    }
    if (!to) s->record.force_columns = names->columns - s->record.first_force;
    if (columns & MECH_COLUMNS_RESIDUALS) {
        walk_rows(s, &to, s->m, "r(%s)%s", s->eq->r);
        walk_rows(s, &to, s->m, "r'(%s)%s", s->eq->r_dot);
    }
    for (size_t k = 0; k < sizeof audit / sizeof *audit && !to; k++) trajectory_add_column(names, audit[k], NULL);
    if (!to) return names->lacks_memory ? MECH_ERR_MEMORY : MECH_OK;
    sim_largest_residuals(s, s->eq->r, s->eq->r_dot, to, to + 1, to + 2);
    to[3] = h;
    to[4] = sim_balance(s, h, y[s->ny - 1]);
    return MECH_OK;
}

mech_status sim_rows_create(mech_sim *s)
{
    mech_trajectory *rows = &s->record.trajectory, *curve = &s->record.curve;
    MECH_TRY(ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->record.touched, s->dyn.pattern_A.count)));
    MECH_TRY(walk(s, NULL, 0, s->y, 0));
    for (size_t k = 0; s->settings.follow & MECH_FOLLOW_KEPT && k < rows->columns; k++)
        trajectory_add_column(curve, rows->column[k].name, rows->column[k].unit);
    if (curve->lacks_memory) return MECH_ERR_MEMORY;
    const size_t length = rows->columns > s->sizes.actions ? rows->columns : s->sizes.actions;
    MECH_TRY(ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->record.row, length)));
    MECH_TRY(SIM_MAKE_KEPT(s, ARRAY_OF(s->record.is_choice, rows->columns)));
    rows->is_choice = curve->is_choice = s->record.is_choice;
    return MECH_OK;
}

/* All that a row is made of, at (t, y): it must be numbers. */
static mech_status look(mech_sim *s, double t, const double *y, sim_energies *e)
{
    sim_moreau_show(s, 1);
    mech_status status = sim_accelerate(s, t, y);
    if (status == MECH_OK) {
        sim_moreau_put_forces(s);
        *e = sim_energy(s);
        status = sim_remember(s, mech_eval_output(s->eval));
    }
    sim_moreau_show(s, 0);
    return status;
}

/* Where the run is, with what the caller changed there; what fails is told, and the run stands as it was. */
static mech_status look_now(mech_sim *s, sim_energies *e)
{
    if (!s->advance.has_started) MECH_TRY(sim_must_be(s, SIM_STILL));
    if (s->advance.is_in_row)
        return sim_refuse(s, "the run is within a step: the row that it hands out is all there is to see");
    if (!s->log.error[0]) MECH_TRY(sim_take_changes(s, 0));
    const mech_status status = look(s, s->t, s->y, e);
    if (status != MECH_OK)
        (void)sim_refuse(s, "at t = %.10g: %s", s->t,
                         s->log.failure == status && s->log.failure_text[0] ? s->log.failure_text
                                                                            : mech_status_text(status));
    return status;
}

mech_status mech_sim_row_now(mech_sim *s, double *row)
{
    sim_energies e;
    MECH_TRY(look_now(s, &e));
    MECH_TRY(walk(s, s->record.row, s->t, s->y, e.h));
    memcpy(row, s->record.row, s->record.trajectory.columns * sizeof *row);
    return MECH_OK;
}

mech_status mech_sim_outputs_now(mech_sim *s, double *outputs)
{
    sim_energies e;
    MECH_TRY(look_now(s, &e));
    if (s->sizes.outputs) memcpy(outputs, s->eq->output, s->sizes.outputs * sizeof *outputs);
    return MECH_OK;
}

static mech_status keep_row(mech_sim *s, mech_trajectory *in)
{
    double *row = trajectory_next(in);
    if (!row) return sim_blame(s, MECH_ERR_MEMORY, "no memory for another row of the trajectory");
    memcpy(row, s->record.row, in->columns * sizeof *row);
    in->rows++;
    return MECH_OK;
}

/* Of the state y, which is projected. is_aside: for figures alone, and no part of the account. */
static mech_status add_row(mech_sim *s, double written, double t, double *y, int is_aside)
{
    sim_energies e;
    if (s->settings.stabilize == MECH_STABILIZE_PROJECT && s->advance.has_started)
        MECH_TRY(sim_project_inside(s, t, y));
    MECH_TRY(look(s, t, y, &e));
    if (!is_aside) sim_audit_note(s, s->eq->r, s->eq->r_dot, e.h, e.kinetic, y[s->ny - 1]);
    MECH_TRY(walk(s, s->record.row, written, y, e.h));
    if (s->record.follow.how == MECH_FOLLOW_KEPT) MECH_TRY(keep_row(s, &s->record.curve));
    if (s->settings.keep_trajectory && !is_aside) MECH_TRY(keep_row(s, &s->record.trajectory));
    if (!s->settings.on_row || is_aside) return MECH_OK;
    /* the step goes on to its end: what were set now would be told as of a time that it is not of */
    eval_lock(
        s->eval,
        "nothing of a run can be set while it hands out a row; between two calls of mech_sim_advance, or in on_progress, it can");
    s->advance.is_in_row = 1;
    const int asks_to_stop = s->settings.on_row(s->settings.user, s->record.row, s->record.trajectory.columns);
    s->advance.is_in_row = 0;
    eval_lock(s->eval, NULL);
    if (asks_to_stop) return sim_blame(s, MECH_ERR_INTERRUPTED, "stopped by the caller");
    return MECH_OK;
}

/* At s->t, s->y, which stays as it is. */
static mech_status add_here(mech_sim *s, double written, int is_aside)
{
    SIM_SCRATCH(s);
    double *copy = sim_take_state(s);
    memcpy(copy, s->y, s->ny * sizeof *copy);
    return add_row(s, written, s->t, copy, is_aside);
}

mech_status sim_row_first(mech_sim *s) { return add_here(s, s->settings.from, 0); }

/* The end is a row, whether the step divides the span or not; who goes on beyond it finds
   rows at the same distances. */
double sim_next_row(const mech_sim *s)
{
    const mech_sim_settings *o = &s->settings;
    const double span = o->until - o->from, number = (double)s->record.next_output;
    if (o->output_step == 0) {
        const double last = (double)(o->output_points - 1);
        return isinf(o->until) ? HUGE_VAL : number == last ? o->until : o->from + span * (number / last);
    }
    /* steps before the end, which is row `last` */
    const double steps = span / o->output_step, last = ceil(steps - TOL_ROW_DIVIDES);
    if (number == last) return o->until;
    return o->from + (number > last && last - steps > TOL_ROW_DIVIDES ? number - 1 : number) * o->output_step;
}

/* A row may be due within the hair across a kink: what stands before it in the file is not later. */
static double time_written(const mech_sim *s) { return fmin(s->t, sim_next_row(s)); }

mech_status sim_row_at_event(mech_sim *s) { return add_here(s, time_written(s), 0); }

mech_status sim_row_between(mech_sim *s)
{
    return add_here(s, time_written(s), s->record.follow.how == MECH_FOLLOW_KEPT);
}

/* The rows between those by the clock, up to `end`. y: scratch. */
static mech_status add_between(mech_sim *s, double end, double *y)
{
    const sim_stepper *st = s->stepper;
    for (double t = sim_follow_next(s, st->t_old); t < end && t < st->t; t = sim_follow_next(s, t)) {
        MECH_TRY(sim_dense(s, t, y));
        MECH_TRY(add_row(s, t, t, y, s->record.follow.how == MECH_FOLLOW_KEPT));
        s->record.follow.last = t;
    }
    return MECH_OK;
}

mech_status sim_rows_due(mech_sim *s)
{
    SIM_SCRATCH(s);
    const sim_stepper *st = s->stepper;
    double *y = sim_take_state(s);
    /* where a sample or a held value is due a row may differ by rounding: it shows what was held until then */
    const double end = st->t + (st->t >= s->advance.held_until ? sim_rounding(st->t) : 0);
    for (;;) {
        const double t = sim_next_row(s);
        if (s->record.follow.how && st->t > st->t_old) MECH_TRY(add_between(s, t - TOL_TICKS * sim_span(s), y));
        if (t > end) return MECH_OK;
        /* a kink was crossed there, by a hair: the state is that behind it ... */
        double side = fmin(fmax(t, st->t_old), st->t);
        if (t >= st->t) memcpy(y, st->y, s->ny * sizeof *y);
        else MECH_TRY(sim_dense(s, side, y));
        /* ... or that before it, where the advance ends within the hair */
        if (s->kink.gap_left > 0) side = t - (s->kink.gap - s->kink.gap_left);
        MECH_TRY(add_row(s, t, side, y, 0));
        s->record.follow.last = t;
        s->record.next_output++;
    }
}

static void visit_rows(mech_trajectory *t, state_walk *w)
{
    size_t rows = t->rows;
    state_count(w, &rows, t->columns * sizeof(double));
    if (w->reads) trajectory_clear(t);
    for (size_t k = 0; k < rows && !w->failed; k++) {
        double *row = w->reads ? trajectory_next(t) : (double *)(uintptr_t)mech_trajectory_row(t, k);
        if (!row) {
            w->lacks_memory = w->failed = 1;
            return;
        }
        STATE_ARRAY(w, row, t->columns);
        if (w->reads) t->rows++;
    }
}

void sim_rows_visit(mech_sim *s, state_walk *w)
{
    visit_rows(&s->record.trajectory, w);
    visit_rows(&s->record.curve, w);
}

void sim_record_free(mech_sim *s)
{
    trajectory_release(&s->record.trajectory);
    trajectory_release(&s->record.curve);
}
