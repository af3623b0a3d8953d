/* One instance of a unit, whatever the version of the standard: a run of the model that an importer drives. */
#ifndef FMU_INSTANCE_H
#define FMU_INSTANCE_H

#include <stddef.h>

typedef struct instance instance;
typedef void instance_log(void *user, int is_error, const char *words);

/* resources: the folder with the text. NULL when there is no memory, the token is another's, or the model is refused;
   said by log, which may be NULL. */
instance *instance_create(const char *resources, const char *token, instance_log *log, void *user);
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

/* States that it may come back to, as importers hold them: handles, which bytes can be made of. */
int instance_keep(instance *i, void **state); /* *state: NULL, or one to write over */
int instance_return(instance *i, const void *state);
void instance_state_free(void **state);
size_t instance_state_size(const void *state);
int instance_state_write(const void *state, void *bytes, size_t size);
int instance_state_read(const void *bytes, size_t size, void **state);

#endif
