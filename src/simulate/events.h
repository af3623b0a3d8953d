/* What is watched, and what follows from it (events.c, cut.c, actions.c, held.c). */
#ifndef SIMULATE_EVENTS_H
#define SIMULATE_EVENTS_H

#include <mech/simulate.h>

#include "simulate/clocks.h"

typedef enum sim_watch_state {
    WATCH_FREE,
    WATCH_PENDING, /* just after an event: only what exceeds `floor` counts */
    WATCH_HELD     /* the rows in force keep it where it is: not watched    */
} sim_watch_state;
/* of the step that was looked at last */
typedef enum sim_watch_outcome {
    WATCH_QUIET,
    WATCH_PASSES, /* it crossed, and by its direction or condition sets nothing off */
    WATCH_FIRED
} sim_watch_outcome;

/* over its threshold, by what else happened at this instant; or on the way, and it has fired: MET */
typedef enum sim_watch_jump { JUMP_NONE, JUMP_SEEN, JUMP_FIRED, JUMP_MET } sim_watch_jump;

/* One function whose sign is watched. Its number says what it is: events, frictions, contacts, switches. */
typedef struct sim_watch {
    int sign; /* of the function since the last look; 0: not known yet          */
    sim_watch_state state;
    sim_watch_outcome outcome;
    double floor;
    double largest;                    /* |value| met: the scale of its rounding                         */
    double value;                      /* at valued_at                                                   */
    double passes_at;                  /* when it crossed in the step that was looked at last            */
    double fired_at, gap, largest_gap; /* events: when last, and the times between       */
    int shrinking;                     /* so many gaps were shorter than the one before                  */
    sim_watch_jump jump;
    int frequent;          /* so many were shorter than the resolution                       */
    int has_told;          /* that a value it set was undone                                 */
    int has_told_momentum; /* that a state it set made a momentum jump */
} sim_watch;

/* What an event does: its actions, a bit for each kind. */
enum {
    SIM_RELEASES = 1 << MECH_ACTION_RELEASE,
    SIM_IMPOSES = 1 << MECH_ACTION_IMPOSE,
    SIM_STRIKES = 1 << MECH_ACTION_IMPACT,
    SIM_SETS = 1 << MECH_ACTION_SET,
    SIM_JUMPS = SIM_IMPOSES | SIM_STRIKES | SIM_SETS, /* velocities may */
    SIM_CHANGES = SIM_RELEASES | SIM_JUMPS,
    SIM_VALUED = SIM_STRIKES | SIM_SETS /* by an expression */
};

typedef struct sim_resolver sim_resolver; /* resolve.h */
typedef struct sim_turns sim_turns;       /* turns.h   */
typedef struct sim_spikes sim_spikes;     /* spikes.h  */

/* So many of something since then. */
typedef struct sim_stretch {
    double since;
    size_t count;
} sim_stretch;

/* The functions whose signs count, how far they were looked at, and what happened without the clock advancing. */
typedef struct sim_events {
    sim_watch *watch;        /* (count) */
    sim_watch *watch_before; /* (count) the last step, which may be taken anew */
    sim_watch *watch_found;  /* (count) what was found in it, while its part before that is looked through */
    size_t count;
    double *values, *tried; /* (3 x count) at the samples last looked at; (3 x count) scratch */
    unsigned char *does;    /* (events) bits as above */
    sim_turns *turns;       /* see turns.c; NULL: no function of time alone */
    sim_resolver *resolver; /* see resolve.c; NULL: nothing is watched */
    sim_spikes *spikes;     /* see spikes.c; NULL: there can be none */
    size_t first_friction, first_contact, first_switch; /* numbers of watches; before them events */
    size_t switch_count;
    sim_clocks clocks; /* what samples */
    /* visited, all that follows */
    double turn[2];                /* turns of functions of time behind the last step, in order; HUGE_VAL: not known */
    double turns_until;            /* there are no others before this time */
    double watched_until;          /* the time of their values; NaN: none */
    double valued_at;              /* when they were seen last, by whomever */
    size_t open_watch, open_count; /* so many stretches in a row in which it is not known whether this one passes 0 */
    double open_since, open_until;
    /* so many stretches may hide a crossing and back; the first one's watch, and when */
    size_t unresolved, unresolved_watch;
    double unresolved_time;
    size_t at_instant; /* without the clock advancing */
    double last_time;
    sim_stretch kinks, strides; /* crossed; taken */
} sim_events;

mech_status sim_events_create(mech_sim *s);
/* Signs at the present state, without anything happening. After an event: the outcomes still stand. */
mech_status sim_events_begin(mech_sim *s);
mech_status sim_note_triggers(mech_sim *s); /* accelerates too */
/* cut.c. Looks through the last step; *found: one happened, and the stepper now ends there. *is_void: the step is none,
   and begins anew: it is not to see beyond a kink that is now known. */
mech_status sim_events_look(mech_sim *s, int *found, int *is_void);
/* Where triggers stand at s->t and s->y, before something changes there: one at its threshold has yet to pass it. */
MECH_MUST_CHECK mech_status sim_events_see(mech_sim *s);
/* What the function changes by from here, by a short step along the slope; NaN: not known. */
double sim_change_ahead(mech_sim *s, size_t k, double value);
/* Has the function left its side at this sample? Takes note of the side where it was not known. */
int sim_has_crossed(sim_watch *w, double value);
/* It has, and set nothing off: it is on its other side, also where rounding does not show it yet. One that has come to
   stand at 0 is on none. */
void sim_note_passed(sim_watch *w, double value);
/* 0: nothing may happen now, by no function. */
int sim_needs_watching(const mech_sim *s);
/* 1: what this one does is no news now, since rows in force hold it. */
int sim_is_idle(const mech_sim *s, size_t k);
int sim_has_condition(const mech_sim *s, size_t k);
/* Is it by passages this way, 1 upwards, -1 downwards, that the function sets something off? */
int sim_is_wanted(const mech_sim *s, size_t k, int way);
/* And does its condition hold at the state of the last evaluation? */
int sim_sets_off(const mech_sim *s, size_t k, int way);
/* jumps.c. A kink was crossed by a hair, to s->t and s->y, or the caller changed something: events that lay within it
   have fired. */
MECH_MUST_CHECK mech_status sim_events_passed(mech_sim *s);
/* Around what a `set` does: a state that is put elsewhere has not been on the way, so that triggers which it moved jump
   from where it left them. Those that look at forces jump by it, unless `all`. */
void sim_see_before_set(mech_sim *s);
void sim_see_after_set(mech_sim *s, int all);
/* What happened here made triggers jump: those that passed their thresholds are marked. */
MECH_MUST_CHECK mech_status sim_see_jumps(mech_sim *s);
/* Those that are marked have fired. 0: there are none. */
int sim_fire_jumped(mech_sim *s);
/* For importers, who step by themselves (exchange.c): sides at s->t, s->y; what has crossed there, kinks too; and
   values as functions that pass 0 where something may happen. */
MECH_MUST_CHECK mech_status sim_events_note(mech_sim *s);
MECH_MUST_CHECK mech_status sim_events_crossed(mech_sim *s);
void sim_events_shift(const mech_sim *s, double *values);
/* What events that have fired do, at s->t and the projected s->y. must_restart: the state was moved already. */
MECH_MUST_CHECK mech_status sim_act_on_events(mech_sim *s, int must_restart);
/* In the step looked at last: did anything but kinks fire? */
int sim_has_event(const mech_sim *s);
/* The first watch that has fired in it, from `from` on; `end`: none. */
size_t sim_first_fired(const mech_sim *s, size_t from, size_t end);
/* Those before `end` that have fired have not. */
void sim_unfire_before(mech_sim *s, size_t end);
/* Scratch: the state at x from here along the slope (ny). */
double *sim_state_along(mech_sim *s, const double *slope, double x);
/* All watched functions at (t, y), or there; signs as rk_rhs. */
int sim_watch_values(mech_sim *s, double t, const double *y, double *values);
int sim_values_along(mech_sim *s, const double *slope, double x, double *values);
/* The same at s->t, s->y, into s->events.values. */
MECH_MUST_CHECK mech_status sim_watch_here(mech_sim *s);

/* One more: how many since the stretch began, which begins anew where it would be longer than this. */
size_t sim_count_within(const mech_sim *s, sim_stretch *stretch, double longest);
/* What rows ask of the velocities of s->y has jumped, or this impulse (n; NULL: none) acts. Rows that hold both ways
   answer first, and contacts to what that leaves. */
MECH_MUST_CHECK mech_status sim_answer_jump(mech_sim *s, const double *impulse);
/* Places and velocities of s->y were set: onto the rows that hold both ways, where that is not beyond a contact. sees:
   triggers jump from where this leaves them. */
MECH_MUST_CHECK mech_status sim_place_beside_contacts(mech_sim *s, int sees);
/* Contacts only push: those that the velocities of s->y leave are out of force. So are one-sided ones that are struck:
   their own events come at once. */
MECH_MUST_CHECK mech_status sim_leave_contacts(mech_sim *s);
/* A constraint in force or out of it, as by an event; who calls projects the state after it. */
MECH_MUST_CHECK mech_status sim_put_in_force(mech_sim *s, size_t constraint, int is_active);
/* Values (2n; NaN: none) into y, and what follows them. Contacts have no say. */
MECH_MUST_CHECK mech_status sim_put(mech_sim *s, const double *values);
/* Back onto the constraints: what a `set` put beside them has not been on the way either. */
MECH_MUST_CHECK mech_status sim_project_acted(mech_sim *s, int after_set);

/* Marks the triggers near 0 that the rows in force hold there; values and their rounding (events): at s->t, s->y. */
void sim_find_held(mech_sim *s, const double *values, const double *rounding);

#endif
