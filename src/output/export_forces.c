/* Exported C of models that need more than a plan: control, friction, laws of reactions or by z, negative masses.
   What they have is put into the code as it stands in src/fundamental and src/dynamics; the frame around it is
   src/output/frame. */
#include "output/export.h"

#include "base/number.h"
#include "base/tolerances.h"
#include "base/try.h"
#include "fundamental/reaction.h"
#include "output/export_small.h"
#include "system/laws.h"

#include <string.h>

mech_status export_forces_find(exporter *x)
{
    const mech_sizes k = mech_system_sizes(x->system);
    x->friction = arena_alloc(&x->memory, (k.frictions + 1) * sizeof *x->friction);
    if (!x->friction) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < k.frictions; i++)
        MECH_TRY(dynamics_create_friction(x->system, i, &x->memory, &x->friction[i]));
    x->with_control = k.rows > k.natural_rows;
    x->with_friction = k.frictions > 0;
    x->with_search = x->with_friction;
    x->with_roots = 0;
    for (size_t i = 0; i < k.laws; i++) {
        const mech_law law = mech_system_law(x->system, i);
        x->with_search |= law.uses_reaction;
        x->with_roots |= law.kind == MECH_LAW_Z;
    }
    x->with_forces |=
        x->with_control || x->with_friction || !laws_are_explicit(x->system) || x->system->allows_negative_mass;
    /* the derivative of what is searched or weighed is another solve */
    if (x->with_control || x->with_search || x->with_roots) x->with_jacobian = 0;
    return MECH_OK;
}

/* ---- the struct ---- */

static size_t control_rows(const exporter *x) { return x->system->sizes.rows - x->system->sizes.natural_rows; }

static void add_control_struct(const exporter *x, textbuf *to)
{
    const size_t n = x->model->coords_count, g = export_control_forces(x), rows = control_rows(x);
    text_format(to, "    double control[%zu], Qc[%zu]; /* forces of control, of each and along the coordinates */\n", g,
                n);
    text_format(to,
                "    double G[%zu], W[%zu], scaled[%zu], reach[%zu], target[%zu], way[%zu], unit[%zu], none[%zu], "
                "least_numbers[%zu];\n",
                at_least_one(x->model->actuators_count * n), at_least_one(x->model->given_weight_size), n * rows,
                rows * g, rows, n, g * g, g, small_doubles((int)g, (int)rows));
    text_format(to, "    int least_integers[%zu];\n    small_solve least;\n", small_integers((int)g, (int)rows));
}

static size_t load_end(const exporter *x, size_t friction);

static void add_friction_struct(const exporter *x, textbuf *to)
{
    const mech_sizes k = x->system->sizes;
    const size_t f = k.frictions, loads = at_least_one(load_end(x, f));
    text_format(to,
                "    double friction[%zu];  /* its forces, along the velocities of each                      */\n"
                "    double indicator[%zu]; /* falls through 0 where what each does ends: then _settle         */\n"
                "    int holds[%zu];        /* each one: 1 it holds, 0 it slides                               */\n"
                "    double slow_speed;     /* below it the direction of sliding in a plane or in space is kept */\n",
                k.friction_rows, f, f);
    text_format(to,
                "    double along[%zu], slow[%zu], bound[%zu], floor[%zu], S[%zu], seen[%zu];\n"
                "    unsigned char is_on[%zu], is_known[%zu], was_met[%zu], is_full[%zu], is_seen[%zu];\n",
                3 * f, f, f, f, k.friction_rows * k.coords, 3 * loads, f, f, f, f, loads);
}

void export_forces_struct(const exporter *x, textbuf *to)
{
    const size_t n = x->model->coords_count, m = export_all_rows(x), rows = at_least_one(m);
    if (!x->with_forces) return;
    text_format(to, "    double reaction[%zu]; /* multipliers with the part of the laws%s */\n", rows,
                x->with_friction ? ", then those of friction that holds" : "");
    if (x->with_control) add_control_struct(x, to);
    if (x->with_friction) add_friction_struct(x, to);
    text_format(to,
                "    double ideal[%zu], Qi[%zu], none_given[%zu], rows_A[%zu], rows_b[%zu];\n"
                "    unsigned char servo[%zu], natural[%zu];\n",
                rows, n, rows, at_least_one(m * n), rows, rows, rows);
    if (x->with_search && !x->model->equations.C.count) text_format(to, "    double C[%zu];\n", n);
    if (x->model->equations.C.count)
        text_format(to, "    double law[%zu], laws[%zu];\n", at_least_one(x->law.kept),
                    x->model->equations.C.count + x->system->parts[SECTION_C_REACTION].count);
    if (x->with_search)
        text_format(to, "    double room[%zu];\n    int which[%zu];\n    unsigned char read[%zu];\n",
                    small_reaction_room((int)n, (int)m), rows, 2 * rows);
    if (x->with_roots) text_format(to, "    double vectors[%zu], matrix[%zu];\n", n * n, n * n);
}

void export_forces_declare(const exporter *x, textbuf *to)
{
    if (!x->with_forces) return;
    export_add_frame(
        x, to,
        "/* Forces on the coordinates in the motion that the last _acceleration gave as qdd: ideal ones of "
        "constraints,\n   non-ideal ones, and those of control. NULL: not wanted. Outputs and triggers "
        "look at the forces of that motion, too. */\n"
        "void $_forces(const $ *s, const double *qdd, double *Qi, double *Qni, double *Qc);\n");
    if (!x->with_friction) return;
    export_add_frame(
        x, to,
        "/* Which frictions hold and which slide, and where to: at the start, after anything sudden (_set_active, a state\n"
        "   that is set), and where an indicator falls through 0. Between these the code keeps it, so that the motion is\n"
        "   smooth. v of what holds is brought to rest, by the least change. Returns what _acceleration returns; -4 and\n"
        "   -5 also when no choice is an answer, or several are. */\n"
        "int $_settle($ *s, double t, const double *q, double *v, const double *z, const double *u);\n");
}

/* ---- the source ---- */

static size_t gain_number(const exporter *x, system_section section, size_t i)
{
    size_t k = 0;
    for (size_t seen = 0; seen <= i; k++) seen += export_gain_counts(x, section, k) != 0;
    return k - 1;
}
static size_t gain_count(const exporter *x, system_section section)
{
    size_t count = 0;
    for (size_t k = 0; k < x->system->parts[section].count; k++) count += export_gain_counts(x, section, k) != 0;
    return count;
}
static size_t damping_row(const exporter *x, size_t i)
{
    return x->system->parts[SECTION_DAMPING].row[gain_number(x, SECTION_DAMPING, i)];
}
static size_t damping_column(const exporter *x, size_t i)
{
    return x->system->parts[SECTION_DAMPING].column[gain_number(x, SECTION_DAMPING, i)];
}
static size_t stiffness_row(const exporter *x, size_t i)
{
    return x->system->parts[SECTION_STIFFNESS].row[gain_number(x, SECTION_STIFFNESS, i)];
}
static size_t stiffness_column(const exporter *x, size_t i)
{
    return x->system->parts[SECTION_STIFFNESS].column[gain_number(x, SECTION_STIFFNESS, i)];
}
static size_t G_row(const exporter *x, size_t i) { return x->system->parts[SECTION_G].row[i]; }
static size_t G_column(const exporter *x, size_t i) { return x->system->parts[SECTION_G].column[i]; }
static size_t slope_entry(const exporter *x, size_t i) { return x->system->parts[SECTION_C_REACTION].row[i]; }
static size_t slope_row(const exporter *x, size_t i) { return x->system->parts[SECTION_C_REACTION].column[i]; }
static size_t law_is_root(const exporter *x, size_t i) { return mech_system_law(x->system, i).kind == MECH_LAW_Z; }
static size_t is_control(const exporter *x, size_t i) { return mech_system_row(x->system, i).is_control != 0; }

/* Rows that load frictions, one after the other. */
static size_t load_end(const exporter *x, size_t friction)
{
    size_t end = 0;
    for (size_t k = 0; k < friction; k++) end += x->friction[k].row_count;
    return end;
}
static size_t friction_first(const exporter *x, size_t k)
{
    return k < x->system->sizes.frictions ? mech_system_friction(x->system, k).first_row
                                          : x->system->sizes.friction_rows;
}
static size_t slip_row(const exporter *x, size_t i) { return x->system->parts[SECTION_SLIP_A].row[i]; }
static size_t slip_column(const exporter *x, size_t i) { return x->system->parts[SECTION_SLIP_A].column[i]; }

static void add_friction_lists(const exporter *x, textbuf *to)
{
    const mech_sizes k = x->system->sizes;
    const size_t loads = load_end(x, k.frictions);
    text_format(to,
                "#define WITH_FRICTION\nenum { %s_AT_MU = %zu, %s_AT_STATIC = %zu, %s_AT_SLIP = %zu, %s_AT_SLIP_A = "
                "%zu, %s_AT_SLIP_B = %zu, slip_entries = %zu };\n",
                x->name, x->at_mu, x->name, x->at_static, x->name, x->at_slip, x->name, x->at_slip_A, x->name,
                x->at_slip_b, x->system->parts[SECTION_SLIP_A].count);
    export_add_list(x, to, "friction_first", k.frictions + 1, friction_first);
    export_add_list(x, to, "load_first", k.frictions + 1, load_end);
    export_add_list(x, to, "slip_row", x->system->parts[SECTION_SLIP_A].count, slip_row);
    export_add_list(x, to, "slip_column", x->system->parts[SECTION_SLIP_A].count, slip_column);
    text_add(to, "static const size_t friction_rows[] = {");
    for (size_t f = 0, i = 0; f < k.frictions; f++)
        for (size_t r = 0; r < x->friction[f].row_count; r++)
            text_format(to, "%s%zu", i++ ? ", " : "", x->friction[f].rows[r]);
    text_add(to, loads ? "};\nstatic const int friction_side[] = {" : "0};\nstatic const int friction_side[] = {");
    for (size_t f = 0; f < k.frictions; f++) text_format(to, "%s%d", f ? ", " : "", x->friction[f].side);
    text_add(to, "};\nstatic const unsigned char friction_seen[] = {");
    for (size_t f = 0, i = 0; f < k.frictions; f++)
        for (size_t r = 0; r < x->friction[f].row_count; r++)
            text_format(to, "%s%d", i++ ? ", " : "", x->friction[f].may_be_seen[r]);
    text_add(to, loads ? "};\n" : "0};\n");
}

static void add_control_lists(const exporter *x, textbuf *to)
{
    const size_t damping = gain_count(x, SECTION_DAMPING), stiffness = gain_count(x, SECTION_STIFFNESS);
    const mech_weight weight = mech_system_weight(x->system);
    const int by_nature = weight == MECH_WEIGHT_NATURE && x->model->actuators_count == 0;
    text_format(to,
                "#define WITH_CONTROL\n"
                "enum { CONTROL_G = %d, CONTROL_W = %d, CONTROL_NATURE = %d, dampings = %zu, stiffnesses = %zu, "
                "directions = %zu };\n",
                x->model->actuators_count > 0, weight == MECH_WEIGHT_GIVEN, by_nature, damping, stiffness,
                x->system->parts[SECTION_G].count);
    text_format(to, "enum { %s_AT_DAMPING = %zu, %s_AT_STIFFNESS = %zu, %s_AT_G = %zu, %s_AT_W = %zu };\n", x->name,
                x->at_damping, x->name, x->at_stiffness, x->name, x->at_G, x->name, x->at_W);
    export_add_list(x, to, "damping_row", damping, damping_row);
    export_add_list(x, to, "damping_column", damping, damping_column);
    export_add_list(x, to, "stiffness_row", stiffness, stiffness_row);
    export_add_list(x, to, "stiffness_column", stiffness, stiffness_column);
    export_add_list(x, to, "G_row", x->system->parts[SECTION_G].count, G_row);
    export_add_list(x, to, "G_column", x->system->parts[SECTION_G].count, G_column);
}

void export_forces_lists(const exporter *x, textbuf *to)
{
    const motion_late late = motion_late_of(x->system);
    if (!x->with_forces) return;
    int reads = 0;
    for (size_t i = 0; i < x->system->sizes.laws; i++) reads |= mech_system_law(x->system, i).uses_reaction;
    text_format(to, "#define WITH_FORCES\nenum { ALLOWS_CHOICE = %d, ALLOWS_NEGATIVE = %d, LAWS_READ = %d };\n",
                x->system->allows_leastnorm != 0, x->system->allows_negative_mass != 0, reads);
    text_format(to, "enum { %s_AT_RATE = %zu, %s_ALL = %zu };\n", x->name, x->at_rate, x->name, export_all_rows(x));
    text_format(
        to, "enum { %s_LATE_REACTION = %zu, %s_LATE_CONTROL = %zu, LATE_CONTROLS = %zu, %s_LATE_FRICTION = %zu };\n",
        x->name, late.reaction, x->name, late.control, x->system->control_count, x->name, late.friction);
    if (x->with_friction) add_friction_lists(x, to);
    export_add_list(x, to, "is_control", x->model->rows_count, is_control);
    if (x->with_search) text_add(to, "#define WITH_SEARCH\n");
    if (x->with_roots) text_add(to, "#define WITH_ROOTS\n");
    if (x->with_control) add_control_lists(x, to);
    if (x->model->equations.C.count) {
        text_format(to, "enum { law_slopes = %zu };\n", x->system->parts[SECTION_C_REACTION].count);
        export_add_list(x, to, "slope_entry", x->system->parts[SECTION_C_REACTION].count, slope_entry);
        export_add_list(x, to, "slope_row", x->system->parts[SECTION_C_REACTION].count, slope_row);
        export_add_list(x, to, "law_is_root", x->system->sizes.laws, law_is_root);
    }
}

/* A file of the library, without the includes of its own. */
static void add_part(textbuf *to, const char *text)
{
    static const char own[] = "#include \"";
    while (*text) {
        const char *end = strchr(text, '\n');
        end = end ? end + 1 : text + strlen(text);
        if (strncmp(text, own, sizeof own - 1) != 0) text_add_n(to, text, (size_t)(end - text));
        text = end;
    }
    text_add(to, "\n");
}

/* Those of base/tolerances.h, and what single precision has in their place: about the root. */
static void add_tolerances(const exporter *x, textbuf *to)
{
    static const struct {
        const char *name;
        double value, single;
    } of[] = {{"PIVOT", TOL_FRICTION_PIVOT, 1e-5},   {"SURFACE", TOL_FRICTION_SURFACE, 1e-3},
              {"UNSEEN", TOL_FRICTION_UNSEEN, 1e-2}, {"ROUNDING", TOL_FRICTION_ROUNDING, 1e-5},
              {"LATE", TOL_FRICTION_LATE, 1e-3},     {"ASKED", TOL_FRICTION_ASKED, 1e-4},
              {"TURNED", TOL_FRICTION_TURNED, 1e-5}, {"SAME", TOL_FRICTION_SAME, 1e-3},
              {"REST", TOL_FRICTION_REST, 1e-5},     {"STOPPED", TOL_FRICTION_STOPPED, 1e-2},
              {"MOMENT", TOL_FRICTION_MOMENT, 1e-6}, {"HELD", TOL_FRICTION_HELD, 1e-5},
              {"FULL", TOL_FRICTION_FULL, 1e-3}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        text_format(to, "#define TOL_FRICTION_%s ", of[i].name);
        text_add_double(to, x->is_single ? of[i].single : of[i].value);
        text_add(to, "\n");
    }
}

void export_forces_frame(const exporter *x, textbuf *to)
{
    if (!x->with_forces) return;
    text_add(to, "#define SMALL_LEAN\n#define SMALL_PART static\n");
    if (x->is_single) text_add(to, "#define SMALL_SINGLE\n");
    if (x->with_control) {
        add_part(to, export_control_h);
        add_part(to, export_control_c);
    } else text_add(to, "#define SMALL_UNCONTROLLED\ntypedef struct small_control small_control;\n\n");
    if (x->with_search) {
        add_part(to, export_reaction_h);
        add_part(to, export_reaction_c);
    }
    if (x->with_friction) {
        add_tolerances(x, to);
        add_part(to, export_friction_law_h);
        add_part(to, export_friction_law_c);
        add_part(to, export_friction_modes_h);
        add_part(to, export_friction_modes_c);
    }
    if (x->with_roots) {
        add_part(to, export_root_h);
        add_part(to, export_root_c);
        export_add_frame(x, to, export_roots_text);
    }
    export_add_frame(x, to, export_forces_text);
}
