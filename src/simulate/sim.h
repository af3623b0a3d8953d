/* A run: all that is mutable lives here, in parts. Each part has a header: its fields, how it is made, what it does.
   What a later step reads before it is written is visited, or checkpoints lose it: fields in visit.c, arrays where they
   are made (SIM_MAKE_KEPT). */
#ifndef SIMULATE_SIM_H
#define SIMULATE_SIM_H

#include <mech/fundamental.h>
#include <mech/simulate.h>

#include "assemble/assembly.h"
#include "base/arena.h"
#include "base/text.h"
#include "base/tolerances.h"
#include "base/try.h"
#include "dynamics/dynamics.h"
#include "integrate/stepper.h"
#include "simulate/audit.h"
#include "simulate/caller.h"
#include "simulate/contact.h"
#include "simulate/control.h"
#include "simulate/delays.h"
#include "simulate/events.h"
#include "simulate/friction.h"
#include "simulate/given_rows.h"
#include "simulate/kink.h"
#include "simulate/leeway.h"
#include "simulate/log.h"
#include "simulate/mass.h"
#include "simulate/measure.h"
#include "simulate/method.h"
#include "simulate/passage.h"
#include "simulate/project.h"
#include "simulate/record.h"
#include "simulate/scratch.h"
#include "simulate/sparse.h"
#include "simulate/unique.h"
#include "system/laws.h"

struct mech_sim {
    /* constant after creation */
    const mech_system *system;
    mech_sim_settings settings; /* as resolved against the model                              */
    mech_sizes sizes;
    size_t n, m, nz; /* coordinates, rows, states                                  */
    size_t rows;     /* natural and control rows, then those of stick              */
    size_t ny;       /* 2n + nz + 1: q, v, z, integrated power                     */
    /* the tools */
    mech_eval *eval;
    const mech_equation *eq;
    dynamics dyn;            /* the equation at (t, y) -- sim_accelerate                   */
    mech_assembly *assembly; /* of the start                                               */
    sim_stepper *stepper;
    /* where it is */
    double *y; /* (ny) at t                                                  */
    double t;  /* visited, with the next ones                                */
    mech_sim_info info;
    /* the parts */
    sim_caller caller;
    sim_advance advance;
    sim_integration method;
    sim_onto onto;
    sim_control control;
    sim_given_rows given_rows;
    sim_sparse sparse;
    sim_friction friction;
    sim_contacts contacts;
    sim_events events;
    sim_kinks kink;
    sim_singular singular;
    sim_mass_guard mass;
    sim_delays delays;
    sim_audit audit;
    sim_leeway leeway;
    sim_unique unique;
    sim_record record;
    sim_measures measures;
    sim_log log;
    sim_memory memory;
};

/* ---- dynamics.c: the equation at (t, y) ---- */
/* The evaluation at t and y = (q, v, z), all of it: a position set by itself would be met by the states of the point
   before. sim_set_position leaves the velocities to come; the other one remembers a failure. */
MECH_MUST_CHECK mech_status sim_set_position(mech_sim *s, double t, const double *y);
MECH_MUST_CHECK mech_status sim_set_point(mech_sim *s, double t, const double *y);
/* qdd, Qi, Qni, Qc, lambda, total at (t, y). */
MECH_MUST_CHECK mech_status sim_accelerate(mech_sim *s, double t, const double *y);
/* The same of y brought onto the constraints. */
MECH_MUST_CHECK mech_status sim_accelerate_onto(mech_sim *s, double t, double *y);
/* A state within a step onto the constraints. */
MECH_MUST_CHECK mech_status sim_project_inside(mech_sim *s, double t, double *y);
/* 1: the method does not evaluate where a step ends, so that only its stages tell of the rank. */
int sim_hides_ends(const mech_sim *s);
/* The state at t within the last step, by its interpolant. */
MECH_MUST_CHECK mech_status sim_dense(mech_sim *s, double t, double *y);
/* Right-hand side for the steppers. */
int sim_rhs(void *sim, double t, const double *y, double *ydot);
/* The same by generated code alone; check may be NULL. 0: it is in doubt, or has failed. */
int sim_move_at_once(mech_sim *s, double t, const double *y, double *ydot, mech_motion_check *check, unsigned *flags);
/* Which rows are in force now: masks of the solve and of the projections. */
void sim_update_active(mech_sim *s);
/* h, and dh/dt with the constraints' share, at the point of the last sim_accelerate; 0 where not finite. */
typedef struct sim_energies {
    double h, power, kinetic;
} sim_energies;
sim_energies sim_energy(mech_sim *s);
/* Forces and outputs with these multipliers, at the point set last: one that is not finite is no failure of the motion.
   */
void sim_show(mech_sim *s, const double *lambda, const double *total);
/* With those in s->dyn, as sim_accelerate leaves them: what reads reactions has its values then. */
void sim_show_solved(mech_sim *s);
/* What follows the state and answers once: actions, clocks, delays. Each value that is used is looked at. */
void sim_evaluate_start(mech_sim *s);
/* The energy is another one now than h, at this instant: the account has the difference. */
MECH_MUST_CHECK mech_status sim_energy_jumped(mech_sim *s, double h);
/* M, A (rows x n with the stick rows) at the point set last, for projections and impacts. */
void sim_gather_rows(mech_sim *s);

/* 1 when a smaller step may help; a status as steppers are told (rk_rhs). */
int sim_is_recoverable(mech_status status);
int sim_rk_value(mech_status status);
/* Keeps a status and what the evaluation says about it. */
mech_status sim_remember(mech_sim *s, mech_status status);
/* MECH_ERR_INTERRUPTED, in words. */
mech_status sim_asked_to_stop(mech_sim *s);
/* Looked at wherever one more solve is due: MECH_OK, or MECH_ERR_INTERRUPTED when the run is to be given up at once. */
mech_status sim_poll(mech_sim *s);

/* ---- start.c: the consistent start ---- */
MECH_MUST_CHECK mech_status sim_assemble(mech_sim *s);
/* run.c: settings, and the time and state that the run would start from, in t and y; no start, whose account and first
   step cost more than these. Of a run that has not started, again and again: it forgets what it found before. Before
   anything else is asked of it, mech_sim_reset. */
MECH_MUST_CHECK mech_status sim_find_start(mech_sim *s);
/* start.c: what the solvers of the run are made with. */
mech_fundamental_settings sim_solver_settings(const mech_sim *s);
/* Which of the system's rows in `mask` (m) depend on one another, and for right sides b (m, or NULL: 0) contradict:
   s->unique.of_system, after sim_make_dense. */
MECH_MUST_CHECK mech_status sim_diagnose_rows(mech_sim *s, const unsigned char *mask, const double *b, double rank_tol);

/* ---- laws.c ---- */
/* "a+b", of the constraints the law (then friction) number k is on; "a+b#2" where it is the second from number `from`
   on. */
void sim_law_name(const mech_sim *s, size_t k, size_t from, textbuf *name);
/* Qni of each law and friction (n x (laws + frictions)), then the force of each friction, stick's too (n x frictions),
   at the point of the last sim_accelerate. Takes the solver's factors. */
MECH_MUST_CHECK mech_status sim_law_forces(mech_sim *s, double *to);

/* ---- visit.c: the mutable state of a run, visited in one place ---- */
/* As ARENA_MAKE, of arrays that a later step may read before it writes them: they are visited. */
MECH_MUST_CHECK mech_status sim_make_kept(mech_sim *s, const arena_array *arrays, size_t count);
#define SIM_MAKE_KEPT(sim, ...) sim_make_kept((sim), ARENA_LIST(__VA_ARGS__))
/* Every field of the run that a later step may read before it is written. Reading, the run has been started from the
   same system and settings. MECH_ERR_FILE: what was read makes no sense; the run is of no use then. */
MECH_MUST_CHECK mech_status sim_visit(mech_sim *s, state_walk *w);
/* The part of it that the run keeps in its own fields, and its solvers: it exists before the start, too. */
void sim_visit_run(mech_sim *s, state_walk *w);

/* ---- step.c ---- */
/* One step, and what happens at its end. */
MECH_MUST_CHECK mech_status sim_step(mech_sim *s);
/* Steps that all but stand still end the run. */
MECH_MUST_CHECK mech_status sim_guard_against_standstill(mech_sim *s);

#endif
