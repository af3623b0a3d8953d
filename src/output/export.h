/* Exported C: what its parts share. */
#ifndef OUTPUT_EXPORT_H
#define OUTPUT_EXPORT_H

#include <mech/output.h>

#include "base/arena.h"
#include "base/text.h"
#include "dynamics/dynamics.h"
#include "motion/motion.h"
#include "system/system.h"

typedef struct exporter {
    const mech_system *system;
    const mech_model *model;
    const char *name;
    mech_eval *eval;
    emit_result fast, equation, output, signal, trigger, slope, follow; /* sizes of the pairs of functions */
    int with_jacobian, without_slopes, is_single;
    /* The motion is solved with all its forces, by the robust solve alone: for control, friction, laws of reactions
       (search) or by z (roots), for negative masses, and for values that look at such forces. */
    int with_forces, with_control, with_search, with_roots, with_friction;
    size_t at_rate, at_damping, at_stiffness, at_G, at_W, at_mu, at_static, at_slip, at_slip_A,
        at_slip_b; /* where they begin in the values of the equation */
    emit_result law;
    friction_law *friction; /* (frictions) in memory */
    arena memory;
    size_t equation_count;
    textbuf functions;
    mech_expr *values;
    emit_place *places;
    size_t count, capacity, place_capacity;
    mech_status status;
} exporter;

/* Text of the frame; every $ in it is the name. */
void export_add_frame(const exporter *x, textbuf *to, const char *text);
/* How a parameter gets its value: the caller gives it; it follows from others; it shaped the code and stays. */
typedef enum export_param { EXPORT_FREE, EXPORT_FOLLOWS, EXPORT_FIXED } export_param;
export_param export_param_kind(const exporter *x, size_t param);
static inline size_t at_least_one(size_t count) { return count ? count : 1; }

/* export_functions.c: the functions of the model, as text, and their sizes. */
MECH_MUST_CHECK mech_status export_functions(exporter *x);
/* An entry of a section of the system, among those that the code has. */
mech_expr export_section_value(const exporter *x, system_section section, size_t i);
/* Does a gain belong to a control row? The others are left out. */
int export_gain_counts(const exporter *x, system_section section, size_t i);
/* Forces of control: at actuators, or along all coordinates. */
size_t export_control_forces(const exporter *x);
/* Rows of the system, and of friction. */
size_t export_all_rows(const exporter *x);
/* export_forces.c: what models with forces of all kinds have beside the others. */
MECH_MUST_CHECK mech_status export_forces_find(exporter *x);
void export_forces_struct(const exporter *x, textbuf *to);
void export_forces_declare(const exporter *x, textbuf *to);
void export_forces_lists(const exporter *x, textbuf *to);
void export_forces_frame(const exporter *x, textbuf *to);
/* static const int NAME[] = { number(0), number(1), ... } */
void export_add_list(const exporter *x, textbuf *to, const char *name, size_t count,
                     size_t (*number)(const exporter *x, size_t i));
/* export_header.c: NAME.h */
void export_header(const exporter *x, textbuf *to);

#endif
