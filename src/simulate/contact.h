/* Contacts and impacts (contact.c, impact.c, touch.c, blow.c). */
#ifndef SIMULATE_CONTACT_H
#define SIMULATE_CONTACT_H

#include <mech/instant.h>
#include <mech/simulate.h>

#include "simulate/press.h"

typedef enum sim_contact_state {
    CONTACT_APART,
    CONTACT_CLOSED, /* accumulated impacts ended in contact */
    CONTACT_LEFT    /* it was in force, and still touches   */
} sim_contact_state;
/* in its impulses */
typedef enum sim_contact_share {
    SHARE_LOADED,
    SHARE_FREE,
    SHARE_OPENS /* ... and it was closed, and leaves */
} sim_contact_share;

typedef struct sim_contact { /* of a constraint that impacts speak of */
    sim_contact_state state;
    size_t normal;  /* which of its rows is pushed along       */
    double push;    /* sign of the multiplier while it pushes; 0: not known */
    double fastest; /* approach met                            */
    int is_struck;  /* by the impact that is under way, with `restitution` */
    sim_contact_share share;
    double restitution;
    double idle_at;    /* when it touched last, and was left out of force since it bore nothing */
    double driven;     /* the largest coefficient of restitution above 1 that it was struck with; 0: none */
    double rest_at;    /* when the bounces that were too small to follow have ended; 0: there are none */
    double pressed_at; /* when it came into force last without being struck: it touched before */
    int is_told_open;  /* that its coming or going was one choice of many was told            */
} sim_contact;

/* Scratch of touch.c. */
typedef struct sim_touch {
    size_t *list;                   /* (constraints) that touch                                   */
    unsigned char *was_on, *leaves; /* (constraints) in force before; just lifted off             */
    unsigned char *stays;           /* (constraints) in force even if it bears nothing            */
    struct contact_room *room;      /* NULL: no impact needs it                                   */
    struct contact_point *point;    /* (constraints)                                              */
    size_t *friction;               /* (constraints)                                              */
    double *work;
    double slow; /* all that strike have died away, below this speed: others open by more; else 0 */
} sim_touch;

typedef struct sim_contacts {
    sim_contact *list; /* (constraints) */
    sim_touch touch;
    sim_press press;
} sim_contacts;

MECH_MUST_CHECK mech_status sim_contact_create(mech_sim *s);
/* In words what was struck with a coefficient of restitution above 1, if any was. A model that is read with one says so
   then; in a sweep it comes and goes from run to run. */
int sim_says_driven(const mech_sim *s, char *text, size_t size);

/* Is any in this state? */
int sim_has_contact(const mech_sim *s, sim_contact_state state);
int sim_is_in_force(const mech_sim *s, size_t constraint);
/* What rounding, or the error of a few steps, may make of each trigger (events) at s->t, s->y; values: there. */
void sim_probe_triggers(mech_sim *s, const double *values, int by_tolerance, double *answer);
/* The row of a constraint along which its contact pushes. */
size_t sim_normal_row(const mech_sim *s, size_t constraint);
/* Finds it, and the sign of a multiplier that sends the trigger to this side; 0: the trigger does not say. */
int sim_find_push(mech_sim *s, size_t event, size_t constraint, int side);
/* Does what the constraint pushes along move the trigger of this event? */
int sim_moves_trigger(mech_sim *s, size_t event, size_t constraint);
/* Out of force, touching at no speed, and nothing presses: at the point of the last sim_accelerate. */
int sim_separates(const mech_sim *s, size_t constraint);
/* Struck no faster than this a constraint is not left any more: the bounce would be lower than what is known of the
   gap, or shorter than what is known of the time. At the point of the last sim_accelerate. */
double sim_rest_speed(const mech_sim *s, size_t constraint);
/* What a one-sided constraint that is pressed on from rest sinks in by, as a speed, before its trigger fires. */
double sim_sinking_speed(const mech_sim *s, size_t constraint);
/* The time that all bounces from this one on take together, each e times as fast as the one before. */
double sim_bounces_left(const mech_sim *s, size_t constraint);
/* 0, or its residual there when it is clearly not touched. */
double sim_gap_beyond(const mech_sim *s, size_t constraint);
/* Where a one-sided one stands, at the point set last. */
mech_side sim_side_at(const mech_sim *s, size_t constraint);
/* Impacts with this speed and below have died away. */
double sim_small_speed(const mech_sim *s, size_t constraint);
/* Speed of its residual at the point of the last evaluation. */
double sim_approach(const mech_sim *s, size_t constraint);

/* blow.c: impacts with friction */
MECH_MUST_CHECK mech_status sim_blow_create(mech_sim *s);
/* Is the impact under way one that impulses along the normals alone do not answer? At the point set last. joined: those
   that join it (sim_is_joined) bear a part. */
int sim_blow_is_due(const mech_sim *s, int joined);
/* As sim_impact, with friction. */
MECH_MUST_CHECK mech_status sim_blow(mech_sim *s, const double *impulse);
/* The coefficient from which on friction that slides on this contact alone has no force that meets its law; HUGE_VAL:
   none is known. */
double sim_blow_limit(mech_sim *s, size_t constraint);
/* In the impact under way, and open: on velocities, which may pass it while that lasts. At the point set last. */
int sim_is_joined(const mech_sim *s, size_t constraint);
/* impact.c: may this constraint open in the impact under way? */
int sim_is_unilateral(const mech_sim *s, size_t constraint);

/* touch.c: one-sided constraints */
/* Is it the own event of one? */
int sim_is_own_event(const mech_sim *s, size_t event);
/* The state was put elsewhere: those in force that are apart now are left; beyond one it is refused. */
MECH_MUST_CHECK mech_status sim_touch_leave(mech_sim *s);
/* Its gap has jumped to beyond: no motion follows. */
mech_status sim_fail_beyond(mech_sim *s, size_t constraint);
/* The place that this row in force asks for has jumped, at the point set last: is it a contact that opens by that? Then
   it is left. */
MECH_MUST_CHECK mech_status sim_touch_fall_away(mech_sim *s, size_t row, int *is_left);
/* Behind a kink, where forces may have jumped: settled again where that is due. */
MECH_MUST_CHECK mech_status sim_touch_pass_kink(mech_sim *s);
/* At s->t, s->y: those that touch are put in force where they press, and friction is settled with them; those that
   were in force and pull are left. */
MECH_MUST_CHECK mech_status sim_touch_settle(mech_sim *s);

/* Impulses at s->t on s->y, once for all contacts that are struck, whose velocities are reversed by their restitution;
   rows in force are kept, but contacts only push: those that open are marked. impulse: (n) given from outside, or NULL.
   */
MECH_MUST_CHECK mech_status sim_impact(mech_sim *s, const double *impulse);

#endif
