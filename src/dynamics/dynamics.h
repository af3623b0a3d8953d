/* The equation at a state, once: rows in force, stick and slip, laws, control and gains, its solution, its derivative,
   and whether what somebody reads of it is unique. An instant, a run and a linearization hold one each. The order of
   the fields is the order of computation. See docs/decisions/0021-dynamics.md. */
#ifndef DYNAMICS_DYNAMICS_H
#define DYNAMICS_DYNAMICS_H

#include <mech/fundamental.h>
#include <mech/system.h>

#include "base/arena.h"
#include "dynamics/friction_modes.h"

/* One statement of friction. */
typedef struct dynamics_friction {
    /* one of its constraints is in force */
    int is_on;
    /* which rows show in V's components: found where it comes into force first, as before V need have no value */
    int is_known;
    /* its rows stand behind those of the system: m + law.first */
    friction_law law;
    /* direction: of V, or in which it will begin */
    friction_mode mode;
    /* at rest up to this speed */
    double slip_floor;
    /* below this speed mode.direction stands for V/|V|, turned by what of V points beside it */
    double slow;
    /* when it was last looked at */
    friction_sizes size;
    /* while it was tried to hold it: the force that V = 0 asks of it, and static mu N */
    double asked, allowed;
    /* at the point gathered last */
    friction_normal normal;
    double surface[FRICTION_MOST][FRICTION_MOST]; /* directions beside it: its rows while it holds */
    size_t directions;
} dynamics_friction;

/* Gains of the excess variables: a list of entries, 0 elsewhere. */
typedef struct dynamics_gains {
    size_t count;
    uint32_t *row, *column;
    double *value;
} dynamics_gains;

/* Along which friction slides: a unit vector, or nearly where it slides slowly; and how it turns with V, dd = (dV -
   beside (along.dV))/over. */
typedef struct dynamics_way {
    double d[FRICTION_MOST], along[FRICTION_MOST], beside[FRICTION_MOST], over;
} dynamics_way;

typedef struct dynamics {
    /* constant after creation */
    const mech_system *system;
    mech_sizes sizes;
    size_t n, m, nf; /* coordinates, rows of the system, rows of friction                            */
    size_t rows;     /* m + nf, and those that the holder adds                                       */
    int has_laws, laws_use_reaction, laws_use_root;
    int laws_move_reaction; /* what they look at: total multipliers, or ideal ones that control moves */
    mech_pattern pattern_M, pattern_A, pattern_C, pattern_G, pattern_slip;
    /* the holder's: it makes and frees them */
    mech_eval *eval;
    const mech_equation *eq;
    mech_fundamental *solver; /* n, rows                                                                      */
    int is_sparse;            /* by patterns, no dense matrix exists                                          */
    /* what the holder says */
    int has_singular_mass; /* solve with M + alpha A'A                                                     */
    int gains_on_all;      /* natural rows have gains, too                                                 */
    double stick_damping;  /* ... and stick                                                                */
    dynamics_gains B, K;
    int has_control;  /* some rows are control's                                                      */
    size_t actuators; /* that it acts by; 0: on each coordinate                                       */
    mech_weight weight;
    const double *W; /* with MECH_WEIGHT_GIVEN, in place of the model's; NULL: that                  */
    double rank_tol; /* 0: the default                                                               */
    /* asked before each solve of a choice; NULL: nobody */
    mech_status (*poll)(void *user);
    void *user;
    /* (rows) in force: rows of the system -- dynamics_list_rows, of stick -- dynamics_gather */
    unsigned char *active;
    unsigned char *servo;        /* (rows)                                                                       */
    dynamics_friction *friction; /* (frictions)                                                                 */
    friction_modes *modes;       /* while what friction does at rest is tried; else NULL                         */
    /* at the point -- dynamics_gather */
    double *S;                      /* (nf x n) dV/dq'                                                              */
    double *A;                      /* (rows x n) where there are more rows than the system has; else NULL          */
    const double *A_used;           /* (rows x n) A, or the evaluation's; d r/dq while positions are projected      */
    const double *M_used;           /* (n x n) M, or `metric`                                                       */
    double *metric, *Q_used, alpha; /* (n x n), (n)                                                             */
    size_t *touched;                /* (n) scratch: coordinates of a row                                        */
    double *b;                      /* (rows) with gains -- dynamics_gather_sides                                   */
    double *G;                      /* (n x actuators)                                                              */
    /* the solution -- dynamics_solve */
    double *C; /* (n) laws that look at the state alone                                        */
    double *qdd, *Qi, *Qni, *Qc, *lambda, *total, *u;
    mech_fundamental_output out;
    double *shown;      /* (nf) forces of friction, see dynamics_show                               */
    double *push;       /* (2n + rows) scratch of the choice of friction                            */
    int failed_in_eval; /* a law had no value: the evaluation explains the failure                      */
    /* laws by z, forces.c: (n x n) (n x n) (n) (n) (n), M = V diag(d) V'                                 */
    struct {
        double *vectors, *matrix, *d, *z, *C;
    } root;
} dynamics;

/* ---- create.c ---- */
/* Sized by the system, and `more` rows behind its own and those of friction; all memory from the arena, which has to be
   kept as long. MECH_ERR_UNSUPPORTED: friction along a velocity of more than 3 components. */
MECH_MUST_CHECK mech_status dynamics_create(dynamics *d, const mech_system *system, size_t more, arena *memory);
/* The constraints by themselves: without laws, friction, actuators and the choice of one-sided ones. */
MECH_MUST_CHECK mech_status dynamics_create_constraints(dynamics *d, const mech_system *system, arena *memory);
/* Its solver, and an evaluation of its own: the holder frees d->solver and d->eval. */
MECH_MUST_CHECK mech_status dynamics_make_solver(dynamics *d);
MECH_MUST_CHECK mech_status dynamics_make_eval(dynamics *d);
/* With the evaluation that it asks. */
void dynamics_use(dynamics *d, mech_eval *eval);

/* ---- friction_create.c ---- */
/* Friction number k of a system, all memory from the arena. MECH_ERR_UNSUPPORTED: V has too many components. */
MECH_MUST_CHECK mech_status dynamics_create_friction(const mech_system *system, size_t k, arena *memory,
                                                     friction_law *law);
/* Are all coordinates of a row among those of the friction's velocities? Else these show its force by chance alone. */
int dynamics_may_see(const mech_system *system, const mech_friction *info, size_t row);

/* ---- gather.c ---- */
/* Which rows of the system are in force, and which are control's. Those of friction follow with dynamics_gather. */
void dynamics_list_rows(dynamics *d);
/* Rows, with those of stick, and the mass matrix, at the point set last. */
void dynamics_gather(dynamics *d);
/* The same with d r/dq in place of A, for what moves positions: of the rows of the system alone. */
void dynamics_gather_gradient(dynamics *d);
/* b - B r' - K r: on all rows where they are stabilized so, on control rows always, as nothing else holds them. */
void dynamics_gather_sides(dynamics *d);
/* V along the rows of stick (nf); 0 where they are not in force. */
void dynamics_stick_speeds(const dynamics *d, double *V);
/* Where M is singular, M_used for a solve over the rows in mask alone: what others add to M would change what is the
   least. Behind it: over d->active again. */
void dynamics_metric_over(dynamics *d, const unsigned char *mask);
/* Room for so many gains. */
MECH_MUST_CHECK mech_status dynamics_make_gains(dynamics_gains *gains, size_t count, arena *memory);
/* The model's, as they are at the point set last; given: numbers B and K for each row in their place, or NULL. For
   holders that made room for as many. */
void dynamics_take_gains(dynamics *d, const double given[2]);
/* Gains, count 1 (of each row), m or m x m, as the list of those that are not 0; it has room for them. NULL: none. */
void dynamics_list_gains(const dynamics *d, const double *gain, size_t count, dynamics_gains *to);

/* ---- solve.c ---- */
/* q'', forces and multipliers at what was gathered, with the modes of friction as they stand. is_same: the factors are
   of these rows and masses already. */
MECH_MUST_CHECK mech_status dynamics_solve(dynamics *d, int is_same);
/* Masses and rows as gathered, with another force, other right sides and other rows in force. */
mech_fundamental_input dynamics_question(const dynamics *d, const double *Q, const double *b,
                                         const unsigned char *active);
/* The equation as gathered, without laws and control, with another force and other rows in force. */
mech_fundamental_input dynamics_equation(const dynamics *d, const double *Q, const unsigned char *active);
/* Laws, and friction that slides, for given multipliers (ideal NULL: as they are): C (n) and dC (n x rows, or NULL). */
MECH_MUST_CHECK mech_status dynamics_law(dynamics *d, const double *ideal, const double *total, double *C, double *dC);

/* The solution into the evaluation, for laws, events and outputs that look at it, with these multipliers. What is not
   finite is looked at one by one: MECH_ERR_NOT_FINITE, and all is done. */
MECH_MUST_CHECK mech_status dynamics_show(dynamics *d, const double *lambda, const double *total);
/* The same, and outputs and energies there: what is not finite is no failure. */
void dynamics_show_outputs(dynamics *d, const double *lambda, const double *total);

/* ---- forces.c ---- */
/* Adds C = M^(1/2) z of the laws given by z, and its derivative (n x rows, or NULL). */
MECH_MUST_CHECK mech_status dynamics_root_laws(dynamics *d, double *C, double *dC);
/* z = M^(-1/2) C of all laws; M definite. */
void dynamics_find_z(dynamics *d, const double *C, double *z);
/* C of law k, and behind the laws of friction k - laws while it slides, at the multipliers evaluated last. */
MECH_MUST_CHECK mech_status dynamics_column(dynamics *d, size_t k, double *C);
/* Qni of each law and friction (n x (laws + frictions)), each projected by itself over `natural` (rows). Takes the
   solver's factors. */
MECH_MUST_CHECK mech_status dynamics_split(dynamics *d, const unsigned char *natural, const double *no_force,
                                           double *to);

/* ---- friction.c ---- */
/* At a point that nothing is known of: gathers the rows, and finds what is in force, what rests (mode.rests, and
   nothing holds yet) and where the others slide. */
void dynamics_meet(dynamics *d);
/* Does one rest? */
int dynamics_rests(const dynamics *d);
/* S, A, M and Q as friction's law sees them. */
friction_state dynamics_friction_state(const dynamics *d, size_t friction);
int dynamics_slides(const dynamics *d);
/* Its coefficient while it does not hold. */
double dynamics_mu(const dynamics *d, size_t friction);
/* How far V is from leaving the kept direction: past a reversal, or faster than slowly by a turn of 60 degrees. */
double dynamics_keeping(const dynamics *d, size_t friction);
void dynamics_way_of(const dynamics *d, size_t friction, dynamics_way *at);
/* Adds the law of all that slides to C (n) and its derivative to dC (n x rows, or NULL). */
void dynamics_friction_law(const dynamics *d, const double *total, double *C, double *dC);
/* The force of one friction on the coordinates at the solution, added to C (n): while it slides, and with_stick also
   while it holds. */
void dynamics_friction_force(const dynamics *d, size_t friction, int with_stick, double *C);
/* What the rows V = 0 need of friction, into ft (its components); its size. */
double dynamics_stick_force(const dynamics *d, size_t friction, const double *total, double *ft);
/* The force of one friction along its velocities, into F (its components), at these multipliers; 0 while it is not in
   force. */
void dynamics_friction_along(const dynamics *d, size_t friction, const double *total, double *F);
/* Frictions at their bound that do not move all the same, since constraints stop them: in the motion solved last. Their
   rows V = 0 into A and b, and into mask (rows); how many frictions. Nothing else reads these rows. */
size_t dynamics_put_stopped(dynamics *d, unsigned char *mask);
/* What rests (mode.rests) holds or begins to slide; the last solve is that of the choice. */
MECH_MUST_CHECK mech_status dynamics_choose(dynamics *d);
/* fundamental_accepts: of a motion with d->modes as they stand. */
int dynamics_accepts(void *dynamics, const double *qdd, const double *total);

#endif
