/* What happened and what went wrong, in words (log.c). */
#ifndef SIMULATE_LOG_H
#define SIMULATE_LOG_H

#include <mech/simulate.h>

#include "base/visit.h"

enum { SIM_ERROR_SIZE = 768 };

typedef struct sim_log_line {
    mech_log_kind kind;
    double t;
    char *text;
    size_t capacity; /* of text */
    const char *name;
} sim_log_line;

/* What happened, what went wrong, and why calls were refused. */
typedef struct sim_log {
    sim_log_line *happened;
    size_t count, capacity;
    size_t made;         /* so many have room for their text */
    mech_status failure; /* of the last evaluation that failed */
    char failure_text[SIM_ERROR_SIZE / 2];
    int is_contradiction; /* ... and shorter steps did not help: constraints contradict one another */
    char error[SIM_ERROR_SIZE], warning[SIM_ERROR_SIZE];
    char refusal[200]; /* why the last call was not followed: the run stands as it was */
} sim_log;

void sim_log_visit(mech_sim *s, state_walk *w);

mech_status sim_log_add(mech_sim *s, mech_log_kind kind, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void sim_log_free(mech_sim *s);
/* Keeps a status and its words for whoever reports it; the run may still recover from it. */
mech_status sim_blame(mech_sim *s, mech_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Why the stepper gave up: what the last evaluation that failed said, if any did. */
mech_status sim_why(const mech_sim *s);
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
const char *sim_row_name(const mech_sim *s, size_t row);
/* One more of the names, as far as they fit: "a, b". */
void sim_list(char *names, size_t size, const char *name);
/* That of the system, or "?". */
const char *sim_name(const mech_sim *s, mech_item item, size_t index);

#endif
