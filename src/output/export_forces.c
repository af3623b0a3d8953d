/* Exported C of models that need more than a plan: control, laws of reactions or by z, negative masses. What they have
   is put into the code as it stands in src/fundamental; the frame around it is src/output/frame. */
#include "output/export.h"

#include "fundamental/reaction.h"
#include "output/export_small.h"
#include "system/laws.h"

#include <string.h>

void export_forces_find(exporter *x)
{
    const mech_sizes k = mech_system_sizes(x->system);
    x->with_control = k.rows > k.natural_rows;
    x->with_search = x->with_roots = 0;
    for (size_t i = 0; i < k.laws; i++) {
        const mech_law law = mech_system_law(x->system, i);
        x->with_search |= law.uses_reaction;
        x->with_roots |= law.kind == MECH_LAW_Z;
    }
    x->with_forces |= x->with_control || !laws_are_explicit(x->system) || x->system->allows_negative_mass;
    /* the derivative of what is searched or weighed is another solve */
    if (x->with_control || x->with_search || x->with_roots) x->with_jacobian = 0;
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

void export_forces_struct(const exporter *x, textbuf *to)
{
    const size_t n = x->model->coords_count, m = x->model->rows_count, rows = at_least_one(m);
    if (!x->with_forces) return;
    text_format(to, "    double reaction[%zu]; /* multipliers with the part of the laws */\n", rows);
    text_format(to, "    double ideal[%zu], Qi[%zu], none_given[%zu];\n    unsigned char servo[%zu], natural[%zu];\n",
                rows, n, rows, rows, rows);
    if (x->with_control) add_control_struct(x, to);
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
    text_format(to, "#define WITH_FORCES\nenum { ALLOWS_CHOICE = %d, ALLOWS_NEGATIVE = %d, %s_AT_RATE = %zu };\n",
                x->system->allows_leastnorm != 0, x->system->allows_negative_mass != 0, x->name, x->at_rate);
    text_format(to, "enum { %s_LATE_REACTION = %zu, %s_LATE_CONTROL = %zu, LATE_CONTROLS = %zu };\n", x->name,
                late.reaction, x->name, late.control, x->system->control_count);
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
    if (x->with_roots) {
        add_part(to, export_root_h);
        add_part(to, export_root_c);
        export_add_frame(x, to, export_roots_text);
    }
    export_add_frame(x, to, export_forces_text);
}
