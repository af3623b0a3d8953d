/* The backend of lanes: which models it serves, how lanes take runs and give them back. A lane that cannot go on hands
   its run on: it is made whole, from its start. docs/decisions/0033-lanes-of-runs.md. */
#include "ensemble/lanes.h"

#include "base/mem.h"
#include "base/try.h"
#include "motion/motion.h"
#include "simulate/settings.h"
#include "simulate/sim.h"
#include "system/compiled.h"
#include "system/spikes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOOK_EVERY = 256 }; /* steps, at most, between looks at the account */

/* ---- which models ---- */

static const char *obstacle_of_measures(const mech_system *s)
{
    size_t kinks = s->parts[SECTION_MEASURE_KINK].count;
    if (s->measures_need_motion) return "a measure looks at multipliers or accelerations";
    if (kinks) return "a measure has a kink";
    for (size_t k = 0; k < s->sizes.measures; k++)
        if (s->measures[k].event != SIZE_MAX) return "a measure is of an event";
    return NULL;
}

/* Rows of positions alone, or none of them: what the check of a tape can project. */
static const char *obstacle_of_rows(const mech_system *s)
{
    size_t holonomic = 0;
    for (size_t i = 0; i < s->sizes.rows; i++) {
        const int level = mech_system_row(s, i).level;
        if (level == MECH_LEVEL_ACCELERATION) return "a constraint is given by accelerations";
        holonomic += level == MECH_LEVEL_HOLONOMIC;
    }
    if (holonomic && holonomic < s->sizes.rows) return "there are constraints of positions beside those of velocities";
    return holonomic && system_has_gradient(s) ? "a constraint has a gradient of its own" : NULL;
}

static const char *obstacle_of_system(const mech_system *s)
{
    if (!s->compiled) return "it is not a model";
    if (s->sizes.contacts) return "there are one-sided constraints";
    if (s->sizes.events) return "there are events";
    if (s->sizes.laws) return "there are laws of constraints that are not ideal";
    if (s->sizes.inputs) return "there are inputs";
    const char *why = mech_motion_obstacle(s);
    if (!why) why = obstacle_of_rows(s);
    return why ? why : obstacle_of_measures(s);
}

/* What a run knows when it is made. */
static const char *obstacle_of_run(const mech_sim *s, const mech_sim_settings *settings)
{
    if (s->dyn.is_sparse) return "the system is large";
    if (s->events.switch_count) return "there are kinks";
    if (s->events.turns) return "there are functions of time alone";
    if (s->events.clocks.count) return "values are sampled";
    if (system_spikes_need_inside(s->system)) return "functions of states may be spikes";
    if (s->given_rows.exist) return "rows are given";
    if (settings->stabilize != MECH_STABILIZE_PROJECT && s->rows) return "the motion is not projected";
    if (settings->max_steps) return "the number of steps is limited";
    return settings->method == MECH_METHOD_AUTO || settings->method == MECH_METHOD_RK5 ||
                   settings->method == MECH_METHOD_RK8
               ? NULL
               : "the method is neither rk5 nor rk8";
}

/* ---- what workers share ---- */

static void end(void *shared)
{
    lanes_code *c = shared;
    if (!c) return;
    tape_free(c->motion);
    tape_free(c->measure);
    mech_motion_code_free(c->start);
    mem_free(c->kind);
    mem_free(c);
}

static mech_status make_measures(lanes_code *c)
{
    const mech_model *model = system_model(c->system);
    int is_along = 0;
    c->kind = mem_zeroed(c->measures + 1, sizeof *c->kind);
    mech_expr *values = mem_zeroed(c->measures + 1, sizeof *values);
    if (!c->kind || !values) {
        mem_free(values);
        return MECH_ERR_MEMORY;
    }
    for (size_t k = 0; k < c->measures; k++) {
        c->kind[k] = c->system->measures[k].kind;
        values[k] = model->measures[k].value;
        is_along |= c->kind[k] != MECH_MEASURE_FINAL;
    }
    const mech_status status = is_along ? motion_values_tape(c->system, values, c->measures, &c->measure) : MECH_OK;
    mem_free(values);
    return status;
}

/* The tape, for rows as they depend on one another where the model itself starts. */
static mech_status make_motion(lanes_code *c, mech_sim *sim)
{
    mech_motion_settings given;
    mech_motion_settings_default(&given, sizeof given);
    given.native = MECH_NATIVE_OFF;
    given.with_power = 1;
    if (mech_sim_start(sim) == MECH_OK) {
        given.t = mech_sim_time(sim);
        given.q = mech_sim_q(sim);
        given.v = mech_sim_v(sim);
        given.z = mech_sim_states(sim);
    }
    MECH_TRY(mech_motion_code_create(c->system, &given, &c->start));
    c->has_dq = c->start->has_dq;
    c->has_dv = c->start->has_dv;
    return motion_tape_checked(c->start, &given, &c->motion);
}

static mech_status make_code(lanes_code *c, mech_sim *sim, const mech_sim_settings *settings)
{
    const mech_sizes *k = &c->system->sizes;
    c->n = k->coords;
    c->m = k->rows;
    c->nz = k->states;
    c->ny = 2 * c->n + c->nz + 1;
    c->measures = k->measures;
    c->table = settings->method == MECH_METHOD_RK5 ? &rk_dormand_prince5 : &rk_dormand_prince8;
    c->may_turn_stiff = settings->method == MECH_METHOD_AUTO;
    MECH_TRY(make_measures(c));
    return make_motion(c, sim);
}

static mech_status begin_with(const ensemble_job *job, lanes_code *c, mech_sim *sim, const char **why)
{
    mech_sim_settings settings = sim->settings;
    settings_resolve(&settings, sim->eval, c->system);
    *why = obstacle_of_run(sim, &settings);
    if (*why) return MECH_ERR_UNSUPPORTED;
    (void)job;
    const mech_status status = make_code(c, sim, &settings);
    if (status == MECH_OK || status == MECH_ERR_MEMORY) return status;
    *why = "the equations do not go into the interpreter's short form";
    return MECH_ERR_UNSUPPORTED;
}

static mech_status begin(const ensemble_job *job, void **shared, char *text)
{
    const mech_system *system = job->plan->system;
    const char *why = obstacle_of_system(system);
    mech_sim *sim = NULL;
    lanes_code *c = NULL;
    mech_status status = why ? MECH_ERR_UNSUPPORTED : mech_sim_create(system, &job->run, &sim);
    if (status == MECH_OK && !(c = mem_zeroed(1, sizeof *c))) status = MECH_ERR_MEMORY;
    if (status == MECH_OK) {
        c->system = system;
        status = begin_with(job, c, sim, &why);
    }
    mech_sim_free(sim);
    if (status == MECH_OK) *shared = c;
    else end(c);
    if (why) snprintf(text, ENSEMBLE_WHY_SIZE, "lanes do not serve this model: %s", why);
    return status;
}

/* ---- a worker ---- */

static void free_worker(void *of)
{
    lanes *w = of;
    if (!w) return;
    for (size_t j = 0; j < LANES; j++) mech_sim_free(w->run[j].sim);
    mech_sim_free(w->whole);
    mem_free(w->memory);
    mem_free(w->inputs);
    mem_free(w->outputs);
    mem_free(w->swift_lane);
    mem_free(w->swift_room);
    lanes_spikes_free(w);
    mem_free((void *)((void **)w)[-1]);
}

/* A block at a line of the cache, its own place before it. */
static lanes *allocate_aligned(void)
{
    char *block = mem_zeroed(1, sizeof(lanes) + 128);
    if (!block) return NULL;
    void **at = (void **)(((uintptr_t)block + 64 + 63) & ~(uintptr_t)63);
    at[-1] = block;
    return (lanes *)(void *)at;
}

/* Rows one after the other; NULL: only counts. */
typedef struct rows_taker {
    double *at;
    size_t count;
} rows_taker;

static double *take_rows(rows_taker *r, size_t rows)
{
    double *p = r->at ? r->at + r->count * LANES : NULL;
    r->count += rows;
    return p;
}

static void lay_out(lanes *w, rows_taker *r)
{
    const lanes_code *c = w->code;
    double **vectors[] = {&w->y, &w->y_new, &w->stage, &w->work, &w->work2};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = take_rows(r, c->ny);
    for (int k = 0; k < c->table->dense_stages; k++) w->slope[k] = take_rows(r, c->ny);
    w->slope[RK_MAX_STAGES] = take_rows(r, c->ny);
    for (int k = 0; k < 4 + c->table->dense_rows; k++) w->dense[k] = take_rows(r, c->ny);
    w->params = take_rows(r, c->system->sizes.params);
    w->zeros = take_rows(r, 1);
    w->time = take_rows(r, 1);
    w->row_leeway = take_rows(r, c->m);
    w->rate_leeway = take_rows(r, c->m);
    w->check = take_rows(r, 2 * c->m + 2 * c->n + 3);
    w->best = take_rows(r, c->measures);
    w->integral = take_rows(r, c->measures);
    w->size = take_rows(r, c->measures);
    w->point = take_rows(r, c->measures);
    w->values = take_rows(r, LANES_POINTS * c->measures);
    w->swift_kept = take_rows(r, LANES_KEPT * (1 + lanes_swift_inputs(c)));
    w->swift_low = take_rows(r, lanes_swift_inputs(c));
    w->swift_high = take_rows(r, lanes_swift_inputs(c));
    w->motion_slots = take_rows(r, c->motion->slot_count);
    w->measure_slots = take_rows(r, c->measure ? c->measure->slot_count : 0);
}

static mech_status make_rows(lanes *w)
{
    const lanes_code *c = w->code;
    rows_taker counted = {NULL, 0};
    lay_out(w, &counted);
    const size_t most = c->motion->output_count > c->measures ? c->motion->output_count : c->measures;
    w->memory = mem_zeroed((counted.count + 1) * LANES, sizeof *w->memory);
    w->inputs = mem_zeroed(c->system->in.count + 1, sizeof *w->inputs);
    w->outputs = mem_zeroed(most + 1, sizeof *w->outputs);
    if (!w->memory || !w->inputs || !w->outputs) return MECH_ERR_MEMORY;
    rows_taker taken = {(double *)(((uintptr_t)w->memory + 63) & ~(uintptr_t)63), 0};
    lay_out(w, &taken);
    for (size_t i = 0; i < c->system->in.count; i++) w->inputs[i] = w->zeros;
    for (size_t i = 0; i < c->system->sizes.params; i++) w->inputs[c->system->in.p + i] = w->params + i * LANES;
    tape_reset_lanes(c->motion, w->motion_slots);
    if (c->measure) tape_reset_lanes(c->measure, w->measure_slots);
    MECH_TRY(lanes_swift_create(w));
    return lanes_spikes_create(w);
}

static mech_status create(const ensemble_job *job, void *shared, void **result)
{
    lanes *w = allocate_aligned();
    if (!w) return MECH_ERR_MEMORY;
    *result = w;
    w->job = job;
    w->code = shared;
    MECH_TRY(make_rows(w));
    for (size_t j = 0; j < LANES; j++) {
        w->run[j].row = SIZE_MAX;
        MECH_TRY(ensemble_make_sim(job, w->code->start, &w->run[j].sim));
    }
    return MECH_OK;
}

/* ---- a lane takes a run ---- */

static void clear_lane(lanes *w, size_t j)
{
    w->run[j].row = SIZE_MAX;
    w->has_run[j] = 0;
    w->clock.end[j] = w->clock.t[j]; /* it stands still */
    w->clock.h[j] = 1;
    w->clock.longest[j] = HUGE_VAL;
    w->clock.rtol[j] = w->clock.atol[j] = 1;
}

static mech_status hand_on(lanes *w, size_t j, ensemble_rows *rows)
{
    const size_t row = w->run[j].row;
    clear_lane(w, j);
    w->handed_on++;
    return ensemble_whole_run(w->job, &w->whole, rows, row);
}

static void take_leeway(lanes *w, size_t j)
{
    const mech_sim *s = w->run[j].sim;
    for (size_t i = 0; i < w->code->m; i++) {
        w->row_leeway[i * LANES + j] = s->leeway.row[i];
        w->rate_leeway[i * LANES + j] = s->leeway.rate[i];
    }
}

/* What the run's start has made known, into its lane. */
static void fill_lane(lanes *w, size_t j)
{
    const lanes_code *c = w->code;
    lanes_clock *k = &w->clock;
    const mech_sim *s = w->run[j].sim;
    const mech_sim_settings *o = &s->settings;
    for (size_t i = 0; i < c->ny; i++) w->y[i * LANES + j] = s->y[i];
    for (size_t i = 0; i < c->system->sizes.params; i++) w->params[i * LANES + j] = s->eval->slots[c->system->in.p + i];
    take_leeway(w, j);
    for (size_t i = 0; i < c->measures; i++) {
        w->best[i * LANES + j] = s->measures.list[i].best;
        w->integral[i * LANES + j] = s->measures.list[i].integral;
        w->size[i * LANES + j] = s->measures.list[i].size;
    }
    k->t[j] = s->t;
    k->end[j] = o->until;
    k->h[j] = s->stepper->h_next;
    k->rtol[j] = o->rtol;
    k->atol[j] = o->atol;
    k->longest[j] = o->max_step > 0 ? o->max_step : HUGE_VAL;
    k->before[j] = -13.287712379549449; /* log2 of 1e-4 */
    k->stiffness[j] = 0;
    k->was_rejected[j] = 0;
    w->error_sum[j] = w->free_sum[j] = w->margin_most[j] = 0;
    w->doubt[j] = 0;
    lanes_swift_begin(w, j);
    lanes_spikes_begin(w, j);
    w->has_run[j] = w->is_fresh[j] = -1;
    w->run[j].steps = 0;
    w->run[j].next_look = 1;
    w->run[j].shortest = TOL_LANES_STEP * (o->until - s->t);
}

/* What a lane is not for, in this run. */
static int is_special(const mech_sim *s)
{
    return s->dyn.has_singular_mass || s->singular.projects_stages || s->mass.is_on || s->advance.has_stopped ||
           !isfinite(s->settings.until) || !(s->settings.until > s->t);
}

static mech_status take_run(lanes *w, size_t j, ensemble_rows *rows, size_t row)
{
    mech_sim *s = w->run[j].sim;
    w->run[j].row = row;
    MECH_TRY(mech_sim_reset(s));
    mech_status status = ensemble_set_values(w->job->plan, mech_sim_eval(s), rows->values + row * w->job->columns);
    if (status == MECH_OK) status = mech_sim_start(s);
    if (status == MECH_ERR_MEMORY || status == MECH_ERR_INTERRUPTED) return status;
    if (status != MECH_OK || is_special(s)) return hand_on(w, j, rows);
    fill_lane(w, j);
    return MECH_OK;
}

/* Lanes without a run take the next ones; what depends on parameters and the first slope follow. */
static mech_status fill_lanes(lanes *w, ensemble_rows *rows, size_t *next)
{
    const lanes_vectors *by = lanes_vectors_get();
    int64_t is_any = 0;
    for (size_t j = 0; j < LANES; j++) {
        while (!w->has_run[j] && *next < rows->count) MECH_TRY(take_run(w, j, rows, (*next)++));
        is_any |= w->is_fresh[j];
    }
    if (!is_any) return MECH_OK;
    tape_run_parameters_lanes(w->code->motion, w->inputs, w->motion_slots, w->doubt);
    if (w->code->measure) tape_run_parameters_lanes(w->code->measure, w->inputs, w->measure_slots, w->doubt);
    lanes_evaluate(w, w->clock.t, w->y, w->slope[RK_MAX_STAGES], 0);
    by->blend(w->code->ny, w->is_fresh, w->slope[RK_MAX_STAGES], w->slope[0]);
    memset(w->is_fresh, 0, sizeof w->is_fresh);
    return MECH_OK;
}

/* ---- the account, and the end ---- */

static void put_back(lanes *w, size_t j)
{
    mech_sim *s = w->run[j].sim;
    s->t = w->clock.t[j];
    for (size_t i = 0; i < w->code->ny; i++) s->y[i] = w->y[i * LANES + j];
}

void lanes_grow_leeway(lanes *w, size_t j)
{
    mech_sim *s = w->run[j].sim;
    put_back(w, j);
    if (sim_leeway_follow(s, s->t, s->y) != MECH_OK || sim_set_point(s, s->t, s->y) != MECH_OK) return;
    sim_leeway_look(s);
    take_leeway(w, j);
}

/* Energy and what the steps' errors explain of it: the judge's, over all steps since the last look. 0: in doubt. */
static int look_at_account(lanes *w, size_t j)
{
    mech_sim *s = w->run[j].sim;
    sim_judge *judge = &s->audit.judge;
    put_back(w, j);
    for (size_t i = 0; i < s->n; i++) s->leeway.extent[i] = fmax(s->leeway.extent[i], fabs(s->y[i]));
    if (sim_set_point(s, s->t, s->y) != MECH_OK) return 0;
    const sim_energies e = sim_energy(s);
    for (int k = 0; k < 4; k++)
        if (!isfinite(s->eq->energy[k])) return 0;
    sim_audit_note(s, s->eq->r, s->eq->r_dot, e.h, e.kinetic, s->y[s->ny - 1]);
    sim_judge_weigh(s);
    judge->energy += w->error_sum[j] * sqrt((double)(2 * s->n)) * judge->energy_weight + w->free_sum[j] +
                     100 * DBL_EPSILON * s->info.energy_scale;
    judge->most_balance = fmax(judge->most_balance, fabs(s->audit.last_balance));
    w->error_sum[j] = w->free_sum[j] = 0;
    return isfinite(s->audit.last_balance);
}

static mech_status finish(lanes *w, size_t j, ensemble_rows *rows)
{
    const lanes_code *c = w->code;
    const size_t row = w->run[j].row;
    mech_sim *s = w->run[j].sim;
    if (!look_at_account(w, j)) return hand_on(w, j, rows);
    for (size_t i = 0; i < c->measures; i++) {
        s->measures.list[i].best = w->best[i * LANES + j];
        s->measures.list[i].integral = w->integral[i * LANES + j];
        s->measures.list[i].size = w->size[i * LANES + j];
    }
    s->measures.until = s->t;
    sim_judge_close(s);
    if (sim_measure_point(s) != MECH_OK || *mech_sim_warning(s)) return hand_on(w, j, rows);
    if (sim_leeway_close(s) != MECH_OK || ensemble_has_notes(s)) return hand_on(w, j, rows); /* which says them */
    for (size_t i = 0; i < c->measures; i++) rows->measures[row * c->measures + i] = mech_sim_measure(s, i);
    rows->t[row] = s->t;
    rows->status[row] = MECH_OK;
    rows->reason[row] = NULL;
    clear_lane(w, j);
    return MECH_OK;
}

/* After an attempt: what is in doubt is handed on, what has come to its end is given back. */
static mech_status follow(lanes *w, size_t j, ensemble_rows *rows)
{
    const lanes_clock *k = &w->clock;
    lanes_run *run = &w->run[j];
    const int is_over = k->is_accepted[j] && k->is_last[j];
    if (w->doubt[j] || (!is_over && !(k->h[j] > run->shortest))) return hand_on(w, j, rows);
    if (is_over) return finish(w, j, rows);
    if (!k->is_accepted[j] || ++run->steps < run->next_look) return MECH_OK;
    run->next_look += run->steps < LOOK_EVERY ? run->steps : LOOK_EVERY;
    return look_at_account(w, j) ? MECH_OK : hand_on(w, j, rows);
}

static mech_status run_block(void *of, ensemble_rows *rows)
{
    lanes *w = of;
    size_t next = 0;
    for (size_t j = 0; j < LANES; j++) clear_lane(w, j);
    for (;;) {
        int64_t left = 0;
        if (ensemble_is_over(w->job)) return MECH_ERR_INTERRUPTED;
        MECH_TRY(fill_lanes(w, rows, &next));
        for (size_t j = 0; j < LANES; j++) left |= w->has_run[j];
        if (!left) return MECH_OK;
        lanes_attempt(w);
        for (size_t j = 0; j < LANES; j++)
            if (w->has_run[j]) MECH_TRY(follow(w, j, rows));
    }
}

static size_t handed_on(const void *of) { return ((const lanes *)of)->handed_on; }

const ensemble_backend ensemble_lanes = {.on = MECH_ON_LANES,
                                         .least = 2 * LANES,
                                         .most = 1024,
                                         .begin = begin,
                                         .end = end,
                                         .create = create,
                                         .run_block = run_block,
                                         .handed_on = handed_on,
                                         .free = free_worker};
