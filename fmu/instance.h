/* One instance of a unit, whatever the version of the standard: a run of the model that an importer drives, or whose
   steps it takes itself (model exchange). There are two of them: over the library (instance.c), and over exported C
   (source/), for model exchange alone. */
#ifndef FMU_INSTANCE_H
#define FMU_INSTANCE_H

#include <stddef.h>

typedef struct instance instance;
typedef void instance_log(void *user, int is_error, const char *words);

/* resources: the folder with the text, which is needed over the library alone; may be NULL. Returns NULL when there
   is no memory, the token is another's, or the model is refused; said by log, which may be NULL. */
instance *instance_create(const char *resources, const char *token, int is_exchange, instance_log *log, void *user);
void instance_free(instance *i);
void instance_log_events(instance *i, int is_on);

/* 1 done, 0 failed and said by the log. */
int instance_setup(instance *i, double start, double tolerance); /* tolerance 0: the model's */
int instance_get(instance *i, size_t reference, double *value);
int instance_set(instance *i, size_t reference, double value);
int instance_start(instance *i); /* initialization is over */
int instance_reset(instance *i);
/* *has_ended: an event of the model stopped the run before `t`. */
int instance_advance(instance *i, double from, double t, int *has_ended);
double instance_time(const instance *i);

/* ---- model exchange: the importer says where the state is ---- */
void instance_counts(const instance *i, size_t *states, size_t *indicators);
int instance_set_time(instance *i, double t);
int instance_set_states(instance *i, const double *x, size_t count);
int instance_get_states(instance *i, double *x, size_t count);
/* 1 done, 0 failed, -1: there are none here, and a smaller step may help. */
int instance_rates(instance *i, double *rates, size_t count);
int instance_indicators(instance *i, double *values, size_t count);
int instance_slope(instance *i, const unsigned *unknown, size_t unknowns, const unsigned *known, size_t knowns,
                   const double *along, double *slope);
/* *wants_event: the state is to be projected. */
int instance_completed_step(instance *i, int *wants_event, int *has_ended);
/* What happens where the state is. *next: the next time event, or HUGE_VAL. */
int instance_event(instance *i, int *is_moved, int *has_ended, double *next);

/* States that it may come back to, as importers hold them: handles, which bytes can be made of. */
int instance_keep(instance *i, void **state); /* *state: NULL, or one to write over */
int instance_return(instance *i, const void *state);
void instance_state_free(void **state);
size_t instance_state_size(const void *state);
int instance_state_write(const void *state, void *bytes, size_t size);
int instance_state_read(const void *bytes, size_t size, void **state);

#endif
