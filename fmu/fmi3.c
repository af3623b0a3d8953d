/* The face of FMI 3.0: co-simulation and model exchange. */
#include "instance.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef double fmi3Float64;
typedef bool fmi3Boolean;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* importers have the headers */
#if defined(_WIN32)
#define FMI __declspec(dllexport)
#elif defined(__GNUC__)
#define FMI __attribute__((visibility("default")))
#else
#define FMI
#endif

typedef struct unit {
    instance *inner;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
} unit;

static void tell(void *user, int is_error, const char *words)
{
    const unit *u = user;
    if (u->log) u->log(u->environment, is_error ? fmi3Error : fmi3OK, is_error ? "logStatusError" : "logEvents", words);
}

static fmi3Status status_of(int is_done) { return is_done > 0 ? fmi3OK : is_done < 0 ? fmi3Discard : fmi3Error; }

static fmi3Status refuse(unit *u, const char *words)
{
    tell(u, 1, words);
    return fmi3Error;
}

FMI const char *fmi3GetVersion(void) { return "3.0"; }

static unit *make(fmi3String token, fmi3String resources, int is_exchange, fmi3Boolean logging,
                  fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    unit *u = calloc(1, sizeof *u);
    if (!u) return NULL;
    u->environment = environment;
    u->log = log;
    char *folder = resources ? malloc(strlen(resources) + 1) : NULL;
    if (folder) {
        strcpy(folder, resources);
        while (folder[0] && folder[strlen(folder) - 1] == '/') folder[strlen(folder) - 1] = '\0';
    }
    if (folder || !resources) u->inner = instance_create(folder, token, is_exchange, tell, u);
    free(folder);
    if (u->inner) {
        instance_log_events(u->inner, logging);
        return u;
    }
    free(u);
    return NULL;
}

FMI fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                             fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
                                             fmi3Boolean early_return, const fmi3ValueReference intermediate[],
                                             size_t intermediate_count, fmi3InstanceEnvironment environment,
                                             fmi3LogMessageCallback log, void *intermediate_update)
{
    (void)name, (void)visible, (void)event_mode, (void)early_return, (void)intermediate, (void)intermediate_count,
        (void)intermediate_update;
    return make(token, resources, 0, logging, environment, log);
}

FMI fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                              fmi3Boolean visible, fmi3Boolean logging,
                                              fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    (void)name, (void)visible;
    return make(token, resources, 1, logging, environment, log);
}
FMI fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                                   fmi3Boolean visible, fmi3Boolean logging,
                                                   fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                                   void *clock, void *lock, void *unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock, (void)lock, (void)unlock;
    if (log) log(environment, fmi3Error, "logStatusError", "the unit is not for scheduled execution");
    return NULL;
}

FMI void fmi3FreeInstance(unit *u)
{
    if (!u) return;
    instance_free(u->inner);
    free(u);
}
FMI fmi3Status fmi3SetDebugLogging(unit *u, fmi3Boolean logging, size_t count, const fmi3String categories[])
{
    (void)count, (void)categories;
    instance_log_events(u->inner, logging);
    return fmi3OK;
}

FMI fmi3Status fmi3EnterInitializationMode(unit *u, fmi3Boolean has_tolerance, fmi3Float64 tolerance, fmi3Float64 start,
                                           fmi3Boolean has_stop, fmi3Float64 stop)
{
    (void)has_stop, (void)stop;
    return status_of(instance_setup(u->inner, start, has_tolerance ? tolerance : 0));
}
FMI fmi3Status fmi3ExitInitializationMode(unit *u) { return status_of(instance_start(u->inner)); }
FMI fmi3Status fmi3Terminate(unit *u)
{
    (void)u;
    return fmi3OK;
}
FMI fmi3Status fmi3Reset(unit *u) { return status_of(instance_reset(u->inner)); }

FMI fmi3Status fmi3GetFloat64(unit *u, const fmi3ValueReference vr[], size_t count, fmi3Float64 value[], size_t values)
{
    if (values < count) return refuse(u, "there is no room for the values");
    for (size_t k = 0; k < count; k++)
        if (!instance_get(u->inner, vr[k], &value[k])) return fmi3Error;
    return fmi3OK;
}
FMI fmi3Status fmi3SetFloat64(unit *u, const fmi3ValueReference vr[], size_t count, const fmi3Float64 value[],
                              size_t values)
{
    if (values < count) return refuse(u, "values are missing");
    for (size_t k = 0; k < count; k++)
        if (!instance_set(u->inner, vr[k], value[k])) return fmi3Error;
    return fmi3OK;
}

/* Variables of other types: there are none. */
#define NONE(get, set, type)                                                                                           \
    FMI fmi3Status get(unit *u, const fmi3ValueReference vr[], size_t count, type value[], size_t values)              \
    {                                                                                                                  \
        (void)vr, (void)value, (void)values;                                                                           \
        return count ? refuse(u, "all variables are of type Float64") : fmi3OK;                                        \
    }                                                                                                                  \
    FMI fmi3Status set(unit *u, const fmi3ValueReference vr[], size_t count, const type value[], size_t values)        \
    {                                                                                                                  \
        (void)vr, (void)value, (void)values;                                                                           \
        return count ? refuse(u, "all variables are of type Float64") : fmi3OK;                                        \
    }
NONE(fmi3GetFloat32, fmi3SetFloat32, float)
NONE(fmi3GetInt8, fmi3SetInt8, int8_t)
NONE(fmi3GetUInt8, fmi3SetUInt8, uint8_t)
NONE(fmi3GetInt16, fmi3SetInt16, int16_t)
NONE(fmi3GetUInt16, fmi3SetUInt16, uint16_t)
NONE(fmi3GetInt32, fmi3SetInt32, int32_t)
NONE(fmi3GetUInt32, fmi3SetUInt32, uint32_t)
NONE(fmi3GetInt64, fmi3SetInt64, int64_t)
NONE(fmi3GetUInt64, fmi3SetUInt64, uint64_t)
NONE(fmi3GetBoolean, fmi3SetBoolean, fmi3Boolean)
NONE(fmi3GetString, fmi3SetString, fmi3String)

FMI fmi3Status fmi3GetBinary(unit *u, const fmi3ValueReference vr[], size_t count, size_t sizes[],
                             const fmi3Byte *value[], size_t values)
{
    (void)vr, (void)sizes, (void)value, (void)values;
    return count ? refuse(u, "all variables are of type Float64") : fmi3OK;
}
FMI fmi3Status fmi3SetBinary(unit *u, const fmi3ValueReference vr[], size_t count, const size_t sizes[],
                             const fmi3Byte *const value[], size_t values)
{
    (void)vr, (void)sizes, (void)value, (void)values;
    return count ? refuse(u, "all variables are of type Float64") : fmi3OK;
}
FMI fmi3Status fmi3GetClock(unit *u, const fmi3ValueReference vr[], size_t count, bool value[])
{
    (void)vr, (void)value;
    return count ? refuse(u, "there are no clocks") : fmi3OK;
}
FMI fmi3Status fmi3SetClock(unit *u, const fmi3ValueReference vr[], size_t count, const bool value[])
{
    (void)vr, (void)value;
    return count ? refuse(u, "there are no clocks") : fmi3OK;
}

FMI fmi3Status fmi3DoStep(unit *u, fmi3Float64 from, fmi3Float64 step, fmi3Boolean no_set_state,
                          fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early_return,
                          fmi3Float64 *last_time)
{
    (void)no_set_state;
    int has_ended = 0;
    const int is_done = instance_advance(u->inner, from, from + step, &has_ended);
    *event_needed = false;
    *terminate = has_ended != 0;
    *early_return = has_ended != 0;
    *last_time = has_ended || !is_done ? instance_time(u->inner) : from + step;
    return status_of(is_done);
}

FMI fmi3Status fmi3GetFMUState(unit *u, fmi3FMUState *kept) { return status_of(instance_keep(u->inner, kept)); }
FMI fmi3Status fmi3SetFMUState(unit *u, fmi3FMUState kept) { return status_of(instance_return(u->inner, kept)); }
FMI fmi3Status fmi3FreeFMUState(unit *u, fmi3FMUState *kept)
{
    (void)u;
    instance_state_free(kept);
    return fmi3OK;
}
FMI fmi3Status fmi3SerializedFMUStateSize(unit *u, fmi3FMUState kept, size_t *size)
{
    (void)u;
    *size = instance_state_size(kept);
    return fmi3OK;
}
FMI fmi3Status fmi3SerializeFMUState(unit *u, fmi3FMUState kept, fmi3Byte bytes[], size_t size)
{
    return instance_state_write(kept, bytes, size) ? fmi3OK : refuse(u, "there is no room for the state");
}
FMI fmi3Status fmi3DeserializeFMUState(unit *u, const fmi3Byte bytes[], size_t size, fmi3FMUState *kept)
{
    return instance_state_read(bytes, size, kept) ? fmi3OK : refuse(u, "out of memory");
}

/* ---- model exchange ---- */

FMI fmi3Status fmi3EnterEventMode(unit *u)
{
    (void)u;
    return fmi3OK;
}
FMI fmi3Status fmi3EnterContinuousTimeMode(unit *u)
{
    (void)u;
    return fmi3OK;
}
FMI fmi3Status fmi3UpdateDiscreteStates(unit *u, fmi3Boolean *needs_more, fmi3Boolean *terminate,
                                        fmi3Boolean *nominals_changed, fmi3Boolean *values_changed,
                                        fmi3Boolean *next_is_defined, fmi3Float64 *next)
{
    int is_moved = 0, has_ended = 0;
    double time = HUGE_VAL;
    const int is_done = instance_event(u->inner, &is_moved, &has_ended, &time);
    *needs_more = *nominals_changed = false;
    *terminate = has_ended != 0;
    *values_changed = is_moved != 0;
    *next_is_defined = time < HUGE_VAL;
    *next = *next_is_defined ? time : 0;
    return status_of(is_done);
}
FMI fmi3Status fmi3CompletedIntegratorStep(unit *u, fmi3Boolean no_set_state, fmi3Boolean *enter_event_mode,
                                           fmi3Boolean *terminate)
{
    (void)no_set_state;
    int wants_event = 0, has_ended = 0;
    const int is_done = instance_completed_step(u->inner, &wants_event, &has_ended);
    *enter_event_mode = wants_event != 0;
    *terminate = has_ended != 0;
    return status_of(is_done);
}
FMI fmi3Status fmi3SetTime(unit *u, fmi3Float64 t) { return status_of(instance_set_time(u->inner, t)); }
FMI fmi3Status fmi3SetContinuousStates(unit *u, const fmi3Float64 x[], size_t count)
{
    return status_of(instance_set_states(u->inner, x, count));
}
FMI fmi3Status fmi3GetContinuousStates(unit *u, fmi3Float64 x[], size_t count)
{
    return status_of(instance_get_states(u->inner, x, count));
}
FMI fmi3Status fmi3GetContinuousStateDerivatives(unit *u, fmi3Float64 rates[], size_t count)
{
    return status_of(instance_rates(u->inner, rates, count));
}
FMI fmi3Status fmi3GetEventIndicators(unit *u, fmi3Float64 values[], size_t count)
{
    return status_of(instance_indicators(u->inner, values, count));
}
FMI fmi3Status fmi3GetNominalsOfContinuousStates(unit *u, fmi3Float64 nominal[], size_t count)
{
    (void)u;
    for (size_t k = 0; k < count; k++) nominal[k] = 1;
    return fmi3OK;
}
FMI fmi3Status fmi3GetNumberOfEventIndicators(unit *u, size_t *count)
{
    size_t states;
    instance_counts(u->inner, &states, count);
    return fmi3OK;
}
FMI fmi3Status fmi3GetNumberOfContinuousStates(unit *u, size_t *count)
{
    size_t indicators;
    instance_counts(u->inner, count, &indicators);
    return fmi3OK;
}
FMI fmi3Status fmi3GetDirectionalDerivative(unit *u, const fmi3ValueReference unknown[], size_t unknowns,
                                            const fmi3ValueReference known[], size_t knowns, const fmi3Float64 along[],
                                            size_t alongs, fmi3Float64 derivative[], size_t derivatives)
{
    if (alongs < knowns || derivatives < unknowns) return refuse(u, "values are missing");
    return status_of(instance_slope(u->inner, unknown, unknowns, known, knowns, along, derivative));
}
FMI fmi3Status fmi3EvaluateDiscreteStates(unit *u)
{
    (void)u; /* there are none besides those that an event updates */
    return fmi3OK;
}

/* What units without early returns and clocks do not need: importers look for all names all the same. */
#define NOT_HERE(name, parameters)                                                                                     \
    FMI fmi3Status name parameters { return refuse(u, "this function of the standard is not for this unit"); }
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOT_HERE(fmi3EnterStepMode, (unit * u))
NOT_HERE(fmi3EnterConfigurationMode, (unit * u))
NOT_HERE(fmi3ExitConfigurationMode, (unit * u))
NOT_HERE(fmi3GetNumberOfVariableDependencies, (unit * u, fmi3ValueReference vr, size_t *count))
NOT_HERE(fmi3GetVariableDependencies,
         (unit * u, fmi3ValueReference vr, size_t a[], fmi3ValueReference b[], size_t c[], int d[], size_t e))
NOT_HERE(fmi3GetAdjointDerivative, (unit * u, const fmi3ValueReference a[], size_t b, const fmi3ValueReference c[],
                                    size_t d, const double e[], size_t f, double g[], size_t h))
NOT_HERE(fmi3GetIntervalDecimal, (unit * u, const fmi3ValueReference a[], size_t b, double c[], int d[]))
NOT_HERE(fmi3GetIntervalFraction,
         (unit * u, const fmi3ValueReference a[], size_t b, uint64_t c[], uint64_t d[], int e[]))
NOT_HERE(fmi3GetShiftDecimal, (unit * u, const fmi3ValueReference a[], size_t b, double c[]))
NOT_HERE(fmi3GetShiftFraction, (unit * u, const fmi3ValueReference a[], size_t b, uint64_t c[], uint64_t d[]))
NOT_HERE(fmi3SetIntervalDecimal, (unit * u, const fmi3ValueReference a[], size_t b, const double c[]))
NOT_HERE(fmi3SetIntervalFraction,
         (unit * u, const fmi3ValueReference a[], size_t b, const uint64_t c[], const uint64_t d[]))
NOT_HERE(fmi3SetShiftDecimal, (unit * u, const fmi3ValueReference a[], size_t b, const double c[]))
NOT_HERE(fmi3SetShiftFraction,
         (unit * u, const fmi3ValueReference a[], size_t b, const uint64_t c[], const uint64_t d[]))
NOT_HERE(fmi3GetOutputDerivatives,
         (unit * u, const fmi3ValueReference a[], size_t b, const int32_t c[], double d[], size_t e))
NOT_HERE(fmi3ActivateModelPartition, (unit * u, fmi3ValueReference a, double b))
