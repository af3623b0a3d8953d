/* A model as a Functional Mock-up Unit: one file that system simulators import, by FMI 2.0 or 3.0, for co-simulation
 * (the unit integrates itself) or model exchange (the simulator integrates).
 *
 * Over the library, the unit holds the model's text, with the files it reads, and a binary that is the same for every
 * model: the core of this library. So it does what a run does: constraints of any rank stay met, events happen,
 * friction sticks and slips. Over C, for model exchange, it holds the sources of the model, for any system that has a
 * compiler.
 * Either needs nothing but the C library. */
#ifndef MECH_FMU_H
#define MECH_FMU_H

#include <mech/lang.h>
#include <mech/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a unit is for; both: the sum. */
enum { MECH_FMU_COSIMULATION = 1, MECH_FMU_EXCHANGE = 2 };

/* What the unit stands on: the library, which is in its binary; or exported C, which is among its files and which its
   binary is compiled from, for model exchange alone. AUTO: C where it can be. */
typedef enum mech_fmu_over { MECH_FMU_OVER_AUTO, MECH_FMU_OVER_LIBRARY, MECH_FMU_OVER_C } mech_fmu_over;
typedef struct mech_fmu_made {
    size_t size;        /* of this struct, set by the caller                                                  */
    mech_fmu_over over; /* MECH_FMU_OVER_LIBRARY or MECH_FMU_OVER_C                                           */
    const char *why;    /* model exchange that is not over C: why not, in words; NULL. Static                 */
    int has_binary;     /* 0: sources alone, as there is no compiler                                          */
} mech_fmu_made;

typedef struct mech_fmu_options {
    size_t size;                    /* of this struct, set by mech_fmu_options_default                      */
    int fmi;                        /* 2 (default) or 3                                                     */
    const char *name;               /* of the model: a C name; NULL: "model"                                */
    const char *binary;             /* the file of the library's binary: fmu.so as it is built and installed; NULL
                                       only over C                                                           */
    const mech_override *overrides; /* with which the model was read: the unit reads it with them too       */
    size_t override_count;
    unsigned kinds;      /* MECH_FMU_...; default: co-simulation                                                 */
    mech_fmu_over over;  /* default: MECH_FMU_OVER_AUTO                                                     */
    mech_fmu_made *made; /* what was made, or NULL                                                          */
} mech_fmu_options;
MECH_API void mech_fmu_options_default(mech_fmu_options *options, size_t size);

/* Writes the unit of a system that was made from a text; the file takes its name when it is whole. What is in the way
   goes to diagnostics. MECH_ERR_UNSUPPORTED: a model that the core cannot read (`import`), files outside of the model's
   folder, a build without libzip, a model that cannot be integrated by others; MECH_ERR_ARGUMENT: no binary, no text;
   MECH_ERR_FILE. Over C that is asked for: MECH_ERR_UNSUPPORTED, with the reason, where the model is not for it. With
   model exchange a trial of 100 steps finds the default of the unit's `excess gain`, and a system
   that was made with derivatives gives the unit directional derivatives. */
MECH_API MECH_MUST_CHECK mech_status mech_export_fmu(const mech_system *system, const char *path,
                                                     const mech_fmu_options *options, mech_diagnostics *diagnostics);
/* New text, freed with mech_text_free: the unit's modelDescription.xml. */
MECH_API MECH_MUST_CHECK mech_status mech_fmu_describe(const mech_system *system, const mech_fmu_options *options,
                                                       char **text);

#ifdef __cplusplus
}
#endif
#endif
