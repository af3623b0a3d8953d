/* The face of FMI 2.0: co-simulation and model exchange. */
#include "instance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef char fmi2Char, fmi2Byte;
typedef const fmi2Char *fmi2String;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* importers have the headers */
#if defined(_WIN32)
#define FMI __declspec(dllexport)
#elif defined(__GNUC__)
#define FMI __attribute__((visibility("default")))
#else
#define FMI
#endif

typedef struct component {
    instance *inner;
    fmi2CallbackFunctions callbacks;
    char *name;
    int has_ended;
} component;

static void tell(void *user, int is_error, const char *words)
{
    const component *c = user;
    if (!c->callbacks.logger) return;
    c->callbacks.logger(c->callbacks.componentEnvironment, c->name, is_error ? fmi2Error : fmi2OK,
                        is_error ? "logStatusError" : "logEvents", "%s", words);
}

static fmi2Status status_of(int is_done) { return is_done > 0 ? fmi2OK : is_done < 0 ? fmi2Discard : fmi2Error; }

FMI const char *fmi2GetTypesPlatform(void) { return "default"; }
FMI const char *fmi2GetVersion(void) { return "2.0"; }

/* The folder of an address "file:///..." or a path, freed with free(). */
static char *folder_of(const char *uri)
{
    const char *path = strncmp(uri, "file://", 7) == 0 ? uri + 7 : strncmp(uri, "file:", 5) == 0 ? uri + 5 : uri;
    char *made = malloc(strlen(path) + 1), *to = made;
    for (const char *from = path; made && *from; from++) {
        unsigned code;
        if (*from == '%' && sscanf(from + 1, "%2x", &code) == 1 && from[1] && from[2]) {
            *to++ = (char)code;
            from += 2;
        } else *to++ = *from;
    }
    if (made) *to = '\0';
    return made;
}

FMI fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                  const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)visible;
    component *c = calloc(1, sizeof *c);
    char *folder = resources ? folder_of(resources) : NULL;
    if (c && name) c->name = malloc(strlen(name) + 1);
    if (c && c->name) strcpy(c->name, name);
    if (c && functions) c->callbacks = *functions;
    if (c && c->name && (folder || !resources))
        c->inner = instance_create(folder, guid, type == fmi2ModelExchange, tell, c);
    free(folder);
    if (c && c->inner) {
        instance_log_events(c->inner, logging);
        return c;
    }
    if (c) free(c->name);
    free(c);
    return NULL;
}

FMI void fmi2FreeInstance(fmi2Component component_)
{
    component *c = component_;
    if (!c) return;
    instance_free(c->inner);
    free(c->name);
    free(c);
}

FMI fmi2Status fmi2SetDebugLogging(component *c, fmi2Boolean logging, size_t count, const fmi2String categories[])
{
    (void)count;
    (void)categories;
    instance_log_events(c->inner, logging);
    return fmi2OK;
}

FMI fmi2Status fmi2SetupExperiment(component *c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
                                   fmi2Boolean has_stop, fmi2Real stop)
{
    (void)has_stop;
    (void)stop;
    return status_of(instance_setup(c->inner, start, has_tolerance ? tolerance : 0));
}

FMI fmi2Status fmi2EnterInitializationMode(component *c)
{
    (void)c;
    return fmi2OK;
}
FMI fmi2Status fmi2ExitInitializationMode(component *c) { return status_of(instance_start(c->inner)); }
FMI fmi2Status fmi2Terminate(component *c)
{
    (void)c;
    return fmi2OK;
}
FMI fmi2Status fmi2Reset(component *c)
{
    c->has_ended = 0;
    return status_of(instance_reset(c->inner));
}

FMI fmi2Status fmi2GetReal(component *c, const fmi2ValueReference vr[], size_t count, fmi2Real value[])
{
    for (size_t k = 0; k < count; k++)
        if (!instance_get(c->inner, vr[k], &value[k])) return fmi2Error;
    return fmi2OK;
}
FMI fmi2Status fmi2SetReal(component *c, const fmi2ValueReference vr[], size_t count, const fmi2Real value[])
{
    for (size_t k = 0; k < count; k++)
        if (!instance_set(c->inner, vr[k], value[k])) return fmi2Error;
    return fmi2OK;
}

/* There are none of these. */
#define NONE(get, set, type)                                                                                           \
    FMI fmi2Status get(component *c, const fmi2ValueReference vr[], size_t count, type value[])                        \
    {                                                                                                                  \
        (void)vr, (void)value;                                                                                         \
        if (count) tell(c, 1, "all variables are real");                                                               \
        return count ? fmi2Error : fmi2OK;                                                                             \
    }                                                                                                                  \
    FMI fmi2Status set(component *c, const fmi2ValueReference vr[], size_t count, const type value[])                  \
    {                                                                                                                  \
        (void)vr, (void)value;                                                                                         \
        if (count) tell(c, 1, "all variables are real");                                                               \
        return count ? fmi2Error : fmi2OK;                                                                             \
    }
NONE(fmi2GetInteger, fmi2SetInteger, fmi2Integer)
NONE(fmi2GetBoolean, fmi2SetBoolean, fmi2Boolean)
NONE(fmi2GetString, fmi2SetString, fmi2String)

FMI fmi2Status fmi2DoStep(component *c, fmi2Real from, fmi2Real step, fmi2Boolean no_return)
{
    (void)no_return;
    const int is_done = instance_advance(c->inner, from, from + step, &c->has_ended);
    return !is_done ? fmi2Error : c->has_ended ? fmi2Discard : fmi2OK;
}
FMI fmi2Status fmi2CancelStep(component *c)
{
    tell(c, 1, "no step is pending");
    return fmi2Error;
}

FMI fmi2Status fmi2GetFMUstate(component *c, fmi2FMUstate *kept) { return status_of(instance_keep(c->inner, kept)); }
FMI fmi2Status fmi2SetFMUstate(component *c, fmi2FMUstate kept)
{
    c->has_ended = 0;
    return status_of(instance_return(c->inner, kept));
}
FMI fmi2Status fmi2FreeFMUstate(component *c, fmi2FMUstate *kept)
{
    (void)c;
    instance_state_free(kept);
    return fmi2OK;
}
FMI fmi2Status fmi2SerializedFMUstateSize(component *c, fmi2FMUstate kept, size_t *size)
{
    (void)c;
    *size = instance_state_size(kept);
    return fmi2OK;
}
FMI fmi2Status fmi2SerializeFMUstate(component *c, fmi2FMUstate kept, fmi2Byte bytes[], size_t size)
{
    (void)c;
    return status_of(instance_state_write(kept, bytes, size));
}
FMI fmi2Status fmi2DeSerializeFMUstate(component *c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *kept)
{
    (void)c;
    return status_of(instance_state_read(bytes, size, kept));
}

FMI fmi2Status fmi2GetDirectionalDerivative(component *c, const fmi2ValueReference unknown[], size_t unknowns,
                                            const fmi2ValueReference known[], size_t knowns, const fmi2Real along[],
                                            fmi2Real derivative[])
{
    return status_of(instance_slope(c->inner, unknown, unknowns, known, knowns, along, derivative));
}
FMI fmi2Status fmi2SetRealInputDerivatives(component *c, const fmi2ValueReference vr[], size_t count,
                                           const fmi2Integer order[], const fmi2Real value[])
{
    (void)vr, (void)order, (void)value;
    if (count) tell(c, 1, "inputs are held from one step to the next");
    return count ? fmi2Error : fmi2OK;
}
FMI fmi2Status fmi2GetRealOutputDerivatives(component *c, const fmi2ValueReference vr[], size_t count,
                                            const fmi2Integer order[], fmi2Real value[])
{
    (void)vr, (void)order, (void)value;
    if (count) tell(c, 1, "derivatives of outputs are not given");
    return count ? fmi2Error : fmi2OK;
}

FMI fmi2Status fmi2GetStatus(component *c, fmi2StatusKind kind, fmi2Status *value)
{
    (void)c, (void)kind;
    *value = fmi2OK;
    return fmi2Discard; /* no step is pending */
}
FMI fmi2Status fmi2GetRealStatus(component *c, fmi2StatusKind kind, fmi2Real *value)
{
    *value = instance_time(c->inner);
    return kind == fmi2LastSuccessfulTime ? fmi2OK : fmi2Discard;
}
FMI fmi2Status fmi2GetIntegerStatus(component *c, fmi2StatusKind kind, fmi2Integer *value)
{
    (void)c, (void)kind;
    *value = 0;
    return fmi2Discard;
}
FMI fmi2Status fmi2GetBooleanStatus(component *c, fmi2StatusKind kind, fmi2Boolean *value)
{
    *value = c->has_ended;
    return kind == fmi2Terminated ? fmi2OK : fmi2Discard;
}
FMI fmi2Status fmi2GetStringStatus(component *c, fmi2StatusKind kind, fmi2String *value)
{
    (void)c, (void)kind;
    *value = "";
    return fmi2Discard;
}

/* ---- model exchange ---- */

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
        valuesOfContinuousStatesChanged, nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

FMI fmi2Status fmi2EnterEventMode(component *c)
{
    (void)c;
    return fmi2OK;
}
FMI fmi2Status fmi2EnterContinuousTimeMode(component *c)
{
    (void)c;
    return fmi2OK;
}
FMI fmi2Status fmi2NewDiscreteStates(component *c, fmi2EventInfo *info)
{
    int is_moved = 0;
    double next = HUGE_VAL;
    *info = (fmi2EventInfo){0};
    const int is_done = instance_event(c->inner, &is_moved, &info->terminateSimulation, &next);
    info->valuesOfContinuousStatesChanged = is_moved;
    info->nextEventTimeDefined = next < HUGE_VAL;
    info->nextEventTime = next < HUGE_VAL ? next : 0;
    return status_of(is_done);
}
FMI fmi2Status fmi2CompletedIntegratorStep(component *c, fmi2Boolean no_set_state, fmi2Boolean *enter_event_mode,
                                           fmi2Boolean *terminate)
{
    (void)no_set_state;
    *enter_event_mode = *terminate = 0;
    return status_of(instance_completed_step(c->inner, enter_event_mode, terminate));
}
FMI fmi2Status fmi2SetTime(component *c, fmi2Real t) { return status_of(instance_set_time(c->inner, t)); }
FMI fmi2Status fmi2SetContinuousStates(component *c, const fmi2Real x[], size_t count)
{
    return status_of(instance_set_states(c->inner, x, count));
}
FMI fmi2Status fmi2GetContinuousStates(component *c, fmi2Real x[], size_t count)
{
    return status_of(instance_get_states(c->inner, x, count));
}
FMI fmi2Status fmi2GetDerivatives(component *c, fmi2Real rates[], size_t count)
{
    return status_of(instance_rates(c->inner, rates, count));
}
FMI fmi2Status fmi2GetEventIndicators(component *c, fmi2Real values[], size_t count)
{
    return status_of(instance_indicators(c->inner, values, count));
}
FMI fmi2Status fmi2GetNominalsOfContinuousStates(component *c, fmi2Real nominal[], size_t count)
{
    (void)c;
    for (size_t k = 0; k < count; k++) nominal[k] = 1;
    return fmi2OK;
}
