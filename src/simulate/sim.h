/* A run: all that is mutable lives here. The order of the fields is the order of computation. A field that a
   later step reads before it is written is visited in state.c, or by its part (parts.h), or checkpoints lose it. */
#ifndef SIMULATE_SIM_H
#define SIMULATE_SIM_H

#include <mech/fundamental.h>
#include <mech/simulate.h>

#include "assemble/assembly.h"
#include "base/arena.h"
#include "base/text.h"
#include "base/tolerances.h"
#include "integrate/stepper.h"
#include "simulate/parts.h"
#include "system/laws.h"

/* Stages are projected from the moment the least kept singular value falls below TOL_NEAR of its largest.
   There an error eps in the positions is one of eps/d^3 in the accelerations, d the distance to the
   singular position, which no step is short enough for; what it does is undone by the projection after the
   step. So steps become no shorter than SIM_FLOOR of the last one that was clear of it. */
#define SIM_NEAR TOL_NEAR
#define SIM_FLOOR (1.0 / 32)

struct mech_sim {
    /* constant after creation */
    const mech_system *system;
    mech_sim_settings settings; /* as resolved against the model                              */
    mech_sizes sizes;
    size_t n, m, nz, nf; /* coordinates, rows, states, friction rows                   */
    size_t rows;         /* m + nf: natural and control rows, then those of stick      */
    size_t ny;           /* 2n + nz + 1: q, v, z, integrated power                     */
    mech_pattern pattern_M, pattern_A;
    arena memory;
    /* the tools */
    mech_eval *eval;
    const mech_equation *eq;
    dynamics dyn;              /* the equation at (t, y) -- sim_accelerate                   */
    mech_assembly *assembly;   /* of the start                                               */
    mech_diagnosis *diagnosis; /* n, m: see sim_diagnose_rows                                */
    sim_stepper *stepper;
    /* where it is */
    double t;
    double *y; /* (ny) at t                                                  */
    int has_started, has_stopped;
    mech_sim_info info;
    /* the parts: each owns its fields, and visits them for checkpoints */
    sim_given given;
    sim_call call;
    sim_good good;
    sim_way way;
    sim_onto onto;
    sim_control control;
    sim_given_rows given_rows;
    sim_sparse sparse;
    sim_contact *contact; /* (constraints)                                              */
    sim_events events;
    sim_kinks kink;
    sim_singular singular;
    sim_mass_guard mass;
    sim_audit audit;
    sim_record record;
    sim_fast_end fast;
    sim_leeway leeway;
    sim_outside outside;
    sim_unique unique;
    sim_implicit implicit;
    sim_trouble trouble;
    sim_fresh fresh;
    sim_scratch scratch;
};

/* ---- create.c ---- */
/* What is given of q, v, z into y; refused by name where it is not finite: "a run cannot WHAT x = nan". */
MECH_MUST_CHECK mech_status sim_take_values(mech_sim *s, double *y, const double *q, const double *v, const double *z,
                                            const char *what);

/* ---- dynamics.c: the equation at (t, y) ---- */
/* The evaluation at t and y = (q, v, z), all of it: a position set by itself would be met by the states of the point
   before. sim_set_position leaves the velocities to come; the other one remembers a failure. */
MECH_MUST_CHECK mech_status sim_set_position(mech_sim *s, double t, const double *y);
MECH_MUST_CHECK mech_status sim_set_point(mech_sim *s, double t, const double *y);
/* qdd, Qi, Qni, Qc, lambda, total at (t, y). */
MECH_MUST_CHECK mech_status sim_accelerate(mech_sim *s, double t, const double *y);
/* 1: the method does not evaluate where a step ends, so that only its stages tell of the rank. */
int sim_hides_ends(const mech_sim *s);
/* Right-hand side for the steppers. */
int sim_rhs(void *sim, double t, const double *y, double *ydot);
/* Which rows are in force now: masks of the solve and of the projections. */
void sim_update_active(mech_sim *s);
/* h, and dh/dt with the constraints' share, at the point of the last sim_accelerate; 0 where not finite. */
void sim_energy(mech_sim *s, double *h, double *power, double *kinetic);
/* M, A (rows x n with the stick rows) at the point set last, for projections and impacts. */
void sim_gather_rows(mech_sim *s);

/* 1 when a smaller step may help. */
int sim_is_recoverable(mech_status status);
/* Keeps a status and what the evaluation says about it. */
mech_status sim_remember(mech_sim *s, mech_status status);
/* MECH_ERR_INTERRUPTED, in words. */
mech_status sim_asked_to_stop(mech_sim *s);
/* Looked at wherever one more solve is due: MECH_OK, or MECH_ERR_INTERRUPTED when the run is to be given up at once. */
mech_status sim_poll(mech_sim *s);

/* ---- sparse.c: large systems by pattern ---- */
/* Decides how the run solves, and makes solver and assembler. */
MECH_MUST_CHECK mech_status sim_sparse_create(mech_sim *s);
/* By dense matrices after all. */
void sim_sparse_leave(mech_sim *s);
/* At the start: rows that make M definite, rows that depend on others. */
MECH_MUST_CHECK mech_status sim_sparse_settle(mech_sim *s);
/* Rows that were taken for dependent come back. 0: there are none, or no memory. */
int sim_sparse_unmonitor(mech_sim *s);
/* After a step: rows that were taken for dependent and are not come back. */
MECH_MUST_CHECK mech_status sim_sparse_follow(mech_sim *s);
/* Which rows were taken for dependent, and a solver for them. */
void sim_sparse_visit(mech_sim *s, state_walk *w);
/* Dense copies of M and A at the point set last, in M_full and A_full, for what is rare.
   0: too large, or no memory. */
int sim_make_dense(mech_sim *s);
/* Rows that nearly depend on others at the point set last, marked in s->scratch.row_mask. 0: not known. */
int sim_sparse_dependent(mech_sim *s);

/* ---- laws.c ---- */
/* "a+b", of the constraints the law (then friction) number k is on; "a+b#2" where it is the second from number `from`
   on. */
void sim_law_name(const mech_sim *s, size_t k, size_t from, textbuf *name);
/* Qni of each law and friction (n x (laws + frictions)), then the force of each friction, stick's too (n x frictions),
   at the point of the last sim_accelerate. Takes the solver's factors. */
MECH_MUST_CHECK mech_status sim_law_forces(mech_sim *s, double *to);

/* ---- project.c: onto the constraints in the mass metric ---- */
MECH_MUST_CHECK mech_status sim_project(mech_sim *s, double t, double *y);
/* velocities by an impulse of the rows */
MECH_MUST_CHECK mech_status sim_project_jump(mech_sim *s, double t, double *y);
MECH_MUST_CHECK mech_status sim_project_velocity(mech_sim *s, double t, double *y, int is_impulse);
/* The velocities of s->y at s->t, by the least change, to V = 0 of all friction that holds, on the constraints; off
   them where the start is as given. Where they prescribe V nothing is done. */
MECH_MUST_CHECK mech_status sim_stop_sliding(mech_sim *s);
/* Positions of s->y at s->t, onto what is marked as struck too: what an impact misses adds up over small bounces. */
MECH_MUST_CHECK mech_status sim_project_struck(mech_sim *s);
int sim_project_for_stepper(void *sim, double t, double *y);

/* ---- leeway.c: what counts as nothing ---- */
MECH_MUST_CHECK mech_status sim_leeway_create(mech_sim *s);
/* At the start: that of each row in s->leeway.row, of its velocity in s->leeway.rate; how far coordinates and
   velocities come, 1 at most, in s->leeway.reach. */
MECH_MUST_CHECK mech_status sim_leeway_begin(mech_sim *s);
/* Is it worth a look? A residual is `part` times what may be left of its row: after one correction its terms may have
   grown, unless its leeway is the largest there is. */
int sim_leeway_may_grow(const mech_sim *s, double part, int iteration, double leeway);
/* No less than at the point set last. Takes row_size, row_scale and row_work. */
void sim_leeway_look(mech_sim *s);
/* At the end of a step: looks where the motion has grown. */
MECH_MUST_CHECK mech_status sim_leeway_follow(mech_sim *s, double t, const double *y);
/* At the end of the run: tells of coordinates that are small beside an atol that nobody gave. */
MECH_MUST_CHECK mech_status sim_leeway_close(mech_sim *s);
/* The largest reach of a coordinate. */
double sim_reach_most(const mech_sim *s);
/* A coordinate, velocity or state i with value x is known no better than this: the tolerance of projections, and
   rounding. */
double sim_unknown_part(const mech_sim *s, size_t i, double x);
/* For each row (m) a hundred times what the error of a step in x (positions, with the gradient, or velocities, with A)
   may make of it, or its leeway: in row_size.
   By rows: a velocity that is large for a moment, of a crank at its dead centre, must not let the others drift. */
const double *sim_noticeable(mech_sim *s, const double *A, const double *x, const double *leeway);

/* ---- mass.c: a mass that is lost between the ends of steps ---- */
/* At the start, M evaluated. */
void sim_mass_begin(mech_sim *s);
/* Looks through the last step. *is_gone: M ceases to be positive semi-definite in it, and the stepper now ends a hair
   before (or the step has no part that stands, when t is still t_old's). */
MECH_MUST_CHECK mech_status sim_mass_look(mech_sim *s, int *is_gone);

/* ---- passage.c: steps through near-singular positions ---- */
/* 1: the velocities of the two states hardly differ in the mass metric (rk_judge). */
int sim_is_plain_step(void *sim, double t, const double *from, const double *to);
/* After a step: it is made shorter until it does not jump from one branch of the motion to another. */
sim_step_result sim_keep_branch(mech_sim *s);
void sim_passage_begin(mech_sim *s);
/* The least kept singular value beside the largest, at the point of the last solve. */
void sim_note_ratio(mech_sim *s, double t, double ratio);
/* 1: no solve of the last step told its end's singular values. A step that meets the constraints as it is is not
   evaluated again at its end. */
int sim_rank_is_unseen(const mech_sim *s);
/* After an accepted step, at s->t: the rank's part of the account. */
MECH_MUST_CHECK mech_status sim_audit_rank(mech_sim *s);
/* The run is over: what is under way is closed. */
MECH_MUST_CHECK mech_status sim_audit_close(mech_sim *s);

/* ---- settle.c: the end of a step by generated code ---- */
/* *is_done 0: it cannot say, and nothing happened. */
MECH_MUST_CHECK mech_status sim_settle_at_once(mech_sim *s, int *is_done);

/* Shall the full solve look at the rank? At first, every so often, and when the margin falls below all it has looked
   at. */
int sim_rank_is_due(mech_sim *s, double margin);

/* ---- start.c: the consistent start ---- */
MECH_MUST_CHECK mech_status sim_assemble(mech_sim *s);
/* The diagonal of |M|, nowhere 0: a metric whatever M is; in s->scratch.metric. */
const double *sim_plain_metric(mech_sim *s);
/* start.c: what the solvers of the run are made with. */
mech_fundamental_settings sim_solver_settings(const mech_sim *s);
/* Which of the system's rows in `mask` (m) depend on one another, and for right sides b (m, or NULL: 0) contradict:
   s->diagnosis, after sim_make_dense. */
MECH_MUST_CHECK mech_status sim_diagnose_rows(mech_sim *s, const unsigned char *mask, const double *b, double rank_tol);

/* ---- friction.c ---- */
/* A coefficient in force that is negative at the point of the last evaluation is refused by name, and one that holds
   with less than it slides. */
MECH_MUST_CHECK mech_status sim_friction_check(mech_sim *s);
/* Below this speed the direction is kept, but for what of V points beside it; HUGE_VAL where V has one component. */
double sim_friction_slow(const mech_sim *s, size_t friction);
/* After each step: the direction of sliding. */
void sim_friction_follow(mech_sim *s);
/* Its watched function at the point of the last evaluation. */
double sim_friction_value(const mech_sim *s, size_t friction);
int sim_friction_needs_reaction(const mech_sim *s);
/* What is as good as 0 of that function. */
double sim_friction_floor(const mech_sim *s, size_t friction);
/* Where sliding speeds are 0, or what holds reached its bound: has_fired (frictions); called with the state projected.
   */
MECH_MUST_CHECK mech_status sim_friction_act(mech_sim *s, const unsigned char *has_fired);
MECH_MUST_CHECK mech_status sim_friction_settle_all(mech_sim *s);
/* Before velocities jump: friction gives no impulse, so nothing is held until sim_friction_settle_all, which comes
   next. */
void sim_friction_let_go(mech_sim *s);
/* After a kink: what V itself did not jump at is left alone. */
MECH_MUST_CHECK mech_status sim_friction_pass_kink(mech_sim *s);

/* ---- events.c, actions.c ---- */
mech_status sim_events_create(mech_sim *s);
/* Signs at the present state, without anything happening. After an event: the outcomes still stand. */
mech_status sim_events_begin(mech_sim *s);
mech_status sim_note_triggers(mech_sim *s); /* accelerates too */
/* Looks through the last step; *found: one happened, and the stepper now ends there. *is_void: the step is none, and
   begins anew: it is not to see beyond a kink that is now known. */
mech_status sim_events_look(mech_sim *s, int *found, int *is_void);
/* A kink was crossed by a hair, to s->t and s->y: events that lay within it have fired. */
MECH_MUST_CHECK mech_status sim_events_passed(mech_sim *s);
/* What events that have fired do, at s->t and the projected s->y. must_restart: the state was moved already. */
MECH_MUST_CHECK mech_status sim_act_on_events(mech_sim *s, int must_restart);
/* The rows in force, and contacts, answer to this impulse (n) on s->y, or to velocities that do not meet them (NULL);
   contacts may open. */
MECH_MUST_CHECK mech_status sim_push(mech_sim *s, const double *impulse);
/* In the step looked at last: did anything but kinks fire? */
int sim_has_event(const mech_sim *s);
/* All watched functions at (t, y); signs as rk_rhs. */
int sim_watch_values(mech_sim *s, double t, const double *y, double *values);

/* Contacts only push: those that the velocities of s->y leave are out of force. */
MECH_MUST_CHECK mech_status sim_leave_contacts(mech_sim *s);
/* A constraint in force or out of it, as by an event; who calls projects the state after it. */
MECH_MUST_CHECK mech_status sim_put_in_force(mech_sim *s, size_t constraint, int is_active);

/* ---- kink.c ---- */
MECH_MUST_CHECK mech_status sim_kink_create(mech_sim *s);
/* Number of the first kink that has fired; SIZE_MAX: none. */
size_t sim_switched(const mech_sim *s);
/* What it, and all that has fired, look at. SIZE_MAX: a point of a table. */
switch_driver sim_kink_driver(const mech_sim *s, size_t kink);
/* What follows from what has fired, at s->t and the projected s->y. */
MECH_MUST_CHECK mech_status sim_events_act(mech_sim *s);
/* Across what is left of s->kink.gap, and the next step, of this length (0: chosen), begins behind it. kink: its
   number; SIZE_MAX: a point of a table. */
MECH_MUST_CHECK mech_status sim_pass_kink(mech_sim *s, size_t kink, double step);
/* At the end of an advance: what inputs that the caller sets then may make jump. */
void sim_keep_momentum(mech_sim *s);
/* The velocities that constraints, and inputs in the energy of motion, ask for at s->t, where another moment ago they
   asked for others. */
MECH_MUST_CHECK mech_status sim_follow_jump(mech_sim *s, int keeps_momentum);

/* ---- change.c: what the caller changed between steps ---- */
/* At the start, and where a run is taken up: what is set now is no change. */
void sim_know_changes(mech_sim *s);
int sim_is_changed(const mech_sim *s);
MECH_MUST_CHECK mech_status sim_take_changes(mech_sim *s);
/* At the end of an advance, and at the beginning of the next one. */
MECH_MUST_CHECK mech_status sim_note_functions(mech_sim *s);
MECH_MUST_CHECK mech_status sim_compare_functions(mech_sim *s);

/* ---- held.c ---- */
/* Marks the triggers near 0 that the rows in force hold there; values and their rounding (events): at s->t, s->y. */
void sim_find_held(mech_sim *s, const double *values, const double *rounding);

/* ---- impact.c ---- */
/* Impulses at s->t on s->y, once for all contacts that are struck, whose velocities are reversed by their restitution;
   rows in force are kept, but contacts only push: those that open are marked. impulse: (n) given from outside, or NULL.
   */
MECH_MUST_CHECK mech_status sim_impact(mech_sim *s, const double *impulse);

/* ---- contact.c: what is contact within rounding ---- */
/* What rounding, or the error of a few steps, may make of each trigger (events) at s->t, s->y; values: there. */
void sim_shake_triggers(mech_sim *s, const double *values, int by_tolerance, double *answer);
/* The row of a constraint along which its contact pushes. */
size_t sim_normal_row(const mech_sim *s, size_t constraint);
/* Finds it, and the sign of a multiplier that sends the trigger to this side; 0: the trigger does not say. */
int sim_find_push(mech_sim *s, size_t event, size_t constraint, int side);
/* Out of force, touching at no speed, and nothing presses: at the point of the last sim_accelerate. */
int sim_separates(const mech_sim *s, size_t constraint);
/* Struck no faster than this a constraint is not left any more: the bounce would be lower than what is known of the
   gap, or shorter than what is known of the time. At the point of the last sim_accelerate. */
double sim_rest_speed(const mech_sim *s, size_t constraint);
/* 0, or its residual there when it is clearly not touched. */
double sim_gap_beyond(const mech_sim *s, size_t constraint);
/* Impacts with this speed and below have died away. */
double sim_small_speed(const mech_sim *s, size_t constraint);
/* Speed of its residual at the point of the last evaluation. */
double sim_approach(const mech_sim *s, size_t constraint);

/* ---- unique.c ---- */
MECH_MUST_CHECK mech_status sim_unique_create(mech_sim *s);
/* At the point of the last sim_accelerate: laws and events that use what is not unique are refused, outputs marked. */
MECH_MUST_CHECK mech_status sim_check_unique(mech_sim *s);

/* ---- rows.c ---- */
mech_status sim_rows_create(mech_sim *s);
mech_status sim_row_add(mech_sim *s, double t, const double *y);
/* The same under another time, a hair away. */
mech_status sim_row_add_as(mech_sim *s, double written, double t, const double *y);
/* At s->t, s->y, and never behind the next row by the clock. */
mech_status sim_row_at_event(mech_sim *s);
/* Rows due by the clock up to the stepper's time. */
mech_status sim_rows_due(mech_sim *s);

/* ---- audit.c ---- */
void sim_audit_begin(mech_sim *s);
/* After an accepted and projected step, at s->t and s->y. */
mech_status sim_audit_step(mech_sim *s);
/* Residuals and balance at the point evaluated last; energy h and integrated power w there. */
void sim_audit_note(mech_sim *s, double h, double kinetic, double w);
/* The largest |phi|, |phi'|, |psi| of the rows in force at the point evaluated last. */
void sim_largest_residuals(const mech_sim *s, double *phi, double *phi_dot, double *psi);
double sim_balance(const mech_sim *s, double h, double w);
/* At the end of a step that stands, before it is projected: what rejected steps, stages, rows between steps and events
   leave does not count. */
void sim_audit_drift(mech_sim *s, double phi, double velocity);

/* ---- log.c ---- */
mech_status sim_happened(mech_sim *s, mech_happening_kind kind, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void sim_log_free(mech_sim *s); /* the texts; room for the list stays */
/* Keeps a status and its words for whoever reports it; the run may still recover from it. */
mech_status sim_blame(mech_sim *s, mech_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The run ends with this. */
mech_status sim_fail(mech_sim *s, mech_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same with the words of the status, and the coordinates or constraints behind it. */
mech_status sim_fail_at(mech_sim *s, mech_status status);
/* MECH_ERR_ARGUMENT in words; the run stands as it was. */
mech_status sim_refuse(mech_sim *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What a call wants the run to be: not started yet; started, and not moving; started, and not within a step. Else it is
   refused, and so it is after a failure, whose words remain. */
typedef enum sim_moment { SIM_FRESH, SIM_STILL, SIM_WHOLE } sim_moment;
MECH_MUST_CHECK mech_status sim_must_be(mech_sim *s, sim_moment moment);
/* Name of a row: that of its constraint, with [i] when it has several; or of friction. */
void sim_row_name(const mech_sim *s, size_t row, char *buffer, size_t size);

/* ---- jacobian.c: partial derivatives of the right-hand side ---- */
int sim_has_jacobian(const mech_sim *s);
/* NULL, or in words why there is none. */
const char *sim_why_no_jacobian(const mech_sim *s);
MECH_MUST_CHECK mech_status sim_jacobian_create(mech_sim *s);
int sim_jacobian(void *sim, double t, const double *y, double *J);

/* ---- path.c: control rows without gains have to be on their path ---- */
double sim_path_time(const mech_sim *s);
/* At the start and after a step: at the point of the last sim_set_point. */
MECH_MUST_CHECK mech_status sim_path_begin(mech_sim *s);
MECH_MUST_CHECK mech_status sim_path_step(mech_sim *s);
/* After anything sudden. */
MECH_MUST_CHECK mech_status sim_path_check(mech_sim *s);

/* ---- run.c ---- */
/* How long the run is, as far as it was asked for: what hairs of time are measured by. Never so short that the clock
   does not resolve them, never infinite. */
double sim_span(const mech_sim *s);
/* Crossings of triggers farther apart than this time are not missed. */
double sim_resolution(const mech_sim *s);
/* A step that fails may leave a state that is half of one time, half of another: what stands is kept, and gone back to
   when the run ends by a failure. */
void sim_keep_good(mech_sim *s);
mech_status sim_go_back(mech_sim *s, mech_status status);

/* ---- step.c ---- */
/* One step, and what happens at its end. */
MECH_MUST_CHECK mech_status sim_step(mech_sim *s);
/* Steps that all but stand still end the run. */
MECH_MUST_CHECK mech_status sim_guard_against_standstill(mech_sim *s);

/* ---- method.c ---- */
MECH_MUST_CHECK mech_status sim_choose_method(mech_sim *s);
MECH_MUST_CHECK mech_status sim_use_method(mech_sim *s, sim_method method);
/* To the stiff method for good, where steps say so and it may. */
MECH_MUST_CHECK mech_status sim_follow_stiffness(mech_sim *s);
mech_status sim_start_stepper(mech_sim *s, double step); /* the integrator, at s->t */
/* The same, and the watches. */
mech_status sim_restart(mech_sim *s, double step);

/* ---- gains.c ---- */
/* B and K at s->t, s->y; which control rows have them. */
MECH_MUST_CHECK mech_status sim_gains(mech_sim *s);

/* ---- given_rows.c ---- */
/* Rows given by accelerations have no drift that could hide it: when q'' misses them they contradict others. At the
   point of the last sim_accelerate. */
MECH_MUST_CHECK mech_status sim_check_given(mech_sim *s);

#endif
