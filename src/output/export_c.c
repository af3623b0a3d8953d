/* A model as standalone C: the emitted functions, the robust solve beside them, and a frame that ties them
 * together. */
#include "base/mem.h"
#include "base/options.h"
#include "base/number.h"
#include "base/try.h"
#include "output/export.h"
#include "output/export_single.h"
#include "output/export_small.h"
#include "system/compiled.h"

#include <string.h>

void export_add_frame(const exporter *x, textbuf *to, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '$') text_add(to, x->name);
        else text_add_char(to, *c);
    }
}

static void add_numbers(textbuf *to, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i) text_add(to, ", ");
        text_add_double(to, values[i]);
    }
    if (count == 0) text_add(to, "0");
}

static const char frame_derive[] =
    "/* One may follow from another that follows: again while any changes. */\n"
    "void $_derive_parameters(double *p)\n{\n"
    "    double k[FOLLOW_KEPT], w[FOLLOW_WORK], found[$_PARAMS + 1] = {0.0};\n"
    "    int changed = 1;\n"
    "    for (int i = 0; i < $_PARAMS; i++)\n"
    "        if (param_kind[i] == FIXED) p[i] = declared[i];\n"
    "    for (int round = 0; changed && round < $_PARAMS; round++) {\n"
    "        changed = 0;\n"
    "        (void)$_follow_parameters(p, k);\n"
    "        (void)$_follow_motion(k, 0.0, NULL, NULL, NULL, NULL, NULL, NULL, found, w);\n"
    "        for (int i = 0; i < $_PARAMS; i++) {\n"
    "            if (param_kind[i] != FOLLOWS || p[i] == found[i]) continue;\n"
    "            p[i] = found[i];\n"
    "            changed = 1;\n        }\n    }\n}\n\n";

static const char frame_start[] =
    "/* ---- the frame ---- */\n\n"
    "void $_set_each_parameter($ *s, const double *p)\n{\n"
    "    for (int i = 0; i < $_PARAMS; i++) s->p[i] = param_kind[i] == FIXED ? declared[i] : p[i];\n"
    "#ifdef WITH_FORCES\n"
    "    s->flags = 0;\n"
    "#else\n"
    "    s->flags = $_fast_parameters(s->p, s->fast);\n"
    "#endif\n"
    "#if defined(WITH_FORCES) && defined(WITH_LAWS)\n"
    "    (void)$_law_parameters(s->p, s->law);\n"
    "#endif\n"
    "    (void)$_equation_parameters(s->p, s->equation);\n"
    "    (void)$_output_parameters(s->p, s->output);\n"
    "    (void)$_signal_parameters(s->p, s->signal);\n"
    "    (void)$_trigger_parameters(s->p, s->trigger);\n"
    "#ifdef WITH_JACOBIAN\n    (void)$_slope_parameters(s->p, s->slope);\n#endif\n}\n\n"
    "void $_set_parameters($ *s, const double *p)\n{\n"
    "    double all[$_PARAMS + 1];\n"
    "    for (int i = 0; i < $_PARAMS; i++) all[i] = p[i];\n"
    "    $_derive_parameters(all);\n"
    "    $_set_each_parameter(s, all);\n}\n\n"
    "void $_set_active($ *s, int constraint, int is_active)\n{\n"
    "    s->released = 0;\n"
    "    for (int i = first_row[constraint]; i < first_row[constraint + 1]; i++) s->active[i] = is_active != 0;\n"
    "    for (int i = 0; i < $_ROWS; i++) s->released |= !s->active[i];\n"
    "#ifdef WITH_FRICTION\n"
    "    for (int k = 0; k < $_FRICTIONS; k++) s->was_met[k] = 0;\n"
    "#endif\n}\n\n"
    "void $_start($ *s)\n{\n"
    "    s->flags = s->released = 0;\n"
    "    for (int i = 0; i < $_ROWS; i++) {\n"
    "        s->active[i] = in_force[i] != 0;\n"
    "        s->released |= !in_force[i];\n    }\n"
    "    for (int i = 0; i < (int)(sizeof s->values / sizeof *s->values); i++) s->values[i] = 0;\n"
    "#ifdef WITH_JACOBIAN\n"
    "    for (int i = 0; i < (int)(sizeof s->slopes / sizeof *s->slopes); i++) s->slopes[i] = 0;\n"
    "#endif\n"
    "#ifndef WITH_FORCES\n"
    "    small_place(&s->robust, $_COORDS, $_ROWS, s->numbers, s->integers);\n"
    "#else\n"
    "    small_place(&s->robust, $_COORDS, $_ALL, s->numbers, s->integers);\n"
    "    s->robust.may_be_indefinite = ALLOWS_NEGATIVE;\n"
    "    for (int i = 0; i < $_ROWS; i++) s->none_given[i] = 0.0;\n"
    "#ifdef WITH_LAWS\n"
    "    for (int i = 0; i < (int)(sizeof s->laws / sizeof *s->laws); i++) s->laws[i] = 0.0;\n"
    "#endif\n"
    "#endif\n"
    "    s->robust.needs_no_root = 1;\n"
    "#ifdef WITH_FRICTION\n"
    "    s->slow_speed = 1e-4;\n"
    "    for (int k = 0; k < $_FRICTIONS; k++) {\n"
    "        s->is_on[k] = s->is_known[k] = s->was_met[k] = 0;\n"
    "        s->holds[k] = s->is_full[k] = 0;\n"
    "        s->slow[k] = s->floor[k] = 0.0;\n"
    "        s->indicator[k] = 1.0;\n"
    "    }\n"
    "    for (int i = 0; i < (int)(sizeof s->along / sizeof *s->along); i++) s->along[i] = 0.0;\n"
    "    for (int i = 0; i < (int)(sizeof s->friction / sizeof *s->friction); i++) s->friction[i] = 0.0;\n"
    "    for (int i = 0; i < (int)(sizeof s->is_seen / sizeof *s->is_seen); i++) s->is_seen[i] = 0;\n"
    "    for (int i = 0; i < (int)(sizeof s->seen / sizeof *s->seen); i++) s->seen[i] = 0.0;\n"
    "#endif\n"
    "#ifdef WITH_CONTROL\n"
    "    small_place(&s->least, $_FORCES, (int)(sizeof s->target / sizeof *s->target), s->least_numbers, s->least_integers);\n"
    "    s->robust.needs_no_root = !CONTROL_NATURE; /* least by the root of M */\n"
    "#endif\n"
    "    $_set_each_parameter(s, declared);\n}\n\n";

static const char frame_equation[] =
    "/* Behind multipliers: which constraints are in force. */\n"
    "static void list_active(const $ *s, double *to)\n{\n"
    "    for (int c = 0; c < $_CONSTRAINTS; c++)\n"
    "        to[c] = first_row[c] == first_row[c + 1] || s->active[first_row[c]] ? 1.0 : 0.0;\n}\n\n"
    "/* What outputs and events look at besides: multipliers, what is in force, and the forces found last. */\n"
    "static void list_late(const $ *s, const double *lambda, double *to)\n{\n"
    "    for (int i = 0; i < $_ROWS; i++) to[i] = lambda[i];\n"
    "    list_active(s, to + $_ROWS);\n"
    "#ifdef WITH_FORCES\n"
    "    for (int i = 0; i < $_ROWS; i++) to[$_LATE_REACTION + i] = s->reaction[i];\n"
    "#ifdef WITH_CONTROL\n"
    "    for (int i = 0; i < LATE_CONTROLS; i++) to[$_LATE_CONTROL + i] = s->control[i];\n"
    "#endif\n"
    "#ifdef WITH_FRICTION\n"
    "    for (int i = 0; i < $_SLIPS; i++) to[$_LATE_FRICTION + i] = s->friction[i];\n"
    "#endif\n"
    "#endif\n}\n\n"
    "void $_equation($ *s, double t, const double *q, const double *v, const double *z, const double *u)\n{\n"
    "    const int n = $_COORDS, m = $_ROWS;\n    const double *x = s->values;\n"
    "    double l[$_LATE + 1] = {0.0};\n"
    "    list_active(s, l + m);\n"
    "    (void)$_equation_motion(s->equation, t, q, v, z, u, NULL, l, s->values, s->work);\n"
    "    for (int i = 0; i < n*n; i++) s->M[i] = *x++;\n"
    "    for (int i = 0; i < m*n; i++) s->A[i] = *x++;\n"
    "    for (int i = 0; i < n; i++) s->Q[i] = *x++;\n"
    "    for (int i = 0; i < m; i++) s->b[i] = *x++;\n"
    "    for (int i = 0; i < m; i++) s->r[i] = *x++;\n"
    "    for (int i = 0; i < m; i++) s->r_dot[i] = *x++;\n"
    "#ifdef WITH_CONTROL\n"
    "    x = s->values;\n"
    "    for (int i = 0; i < dampings; i++) s->b[damping_row[i]] -= x[$_AT_DAMPING + i]*s->r_dot[damping_column[i]];\n"
    "    for (int i = 0; i < stiffnesses; i++) s->b[stiffness_row[i]] -= x[$_AT_STIFFNESS + i]*s->r[stiffness_column[i]];\n"
    "    for (int i = 0; i < (int)(sizeof s->G / sizeof *s->G); i++) s->G[i] = 0.0;\n"
    "    for (int i = 0; i < directions; i++) s->G[G_row[i] + n*G_column[i]] = x[$_AT_G + i];\n"
    "    for (int i = 0; CONTROL_W && i < (int)(sizeof s->W / sizeof *s->W); i++) s->W[i] = x[$_AT_W + i];\n"
    "#endif\n"
    "#if defined(WITH_LAWS) && !defined(WITH_FORCES)\n"
    "    for (int i = 0; i < n; i++) s->C[i] = 0.0;\n"
    "    for (int i = 0; i < law_entries; i++, x++) s->C[law_row[i]] += law_is_on(s, law_of[i]) ? *x : 0.0;\n"
    "#endif\n}\n\n";

static const char frame_missed[] =
    "/* Rows that contradict others: A q'' = b is missed by more than rounding, of its terms or of what all forces make\n"
    "   and undo. */\n"
    "static int is_missed(const $ *s, const double *qdd)\n{\n"
    "    double push[$_COORDS];\n"
    "    for (int j = 0; j < $_COORDS; j++) {\n"
    "        double force = fabs(s->Q[j]), mass = fabs(s->M[j + $_COORDS*j]);\n"
    "        for (int i = 0; i < $_COORDS; i++) force += fabs(s->M[j + $_COORDS*i]*qdd[i]);\n"
    "        push[j] = mass > 0.0 ? force/mass : 0.0;\n    }\n"
    "    for (int i = 0; i < $_ROWS; i++) {\n"
    "        if (!s->active[i]) continue;\n"
    "        double miss = s->b[i], size = fabs(miss), rounding = 0.0;\n"
    "        for (int j = 0; j < $_COORDS; j++) {\n"
    "            const double term = s->A[i + $_ROWS*j]*qdd[j];\n"
    "            miss -= term;\n"
    "            size += fabs(term);\n"
    "            rounding += fabs(s->A[i + $_ROWS*j])*push[j];\n        }\n"
    "        if (fabs(miss) > MISSED*size && fabs(miss) > 64.0*DBL_EPSILON*(double)$_COORDS*rounding) return 1;\n    }\n"
    "    return 0;\n}\n\n";

static const char frame_fast[] =
    "int $_acceleration($ *s, double t, const double *q, const double *v, const double *z, const double *u,\n"
    "                   double *qdd, double *lambda)\n{\n"
    "    double sum = 0.0;\n"
    "    const int flags = s->released | s->flags | $_fast_motion(s->fast, t, q, v, z, u, qdd, lambda, s->more, s->work);\n"
    "    for (int i = 0; i < $_COORDS; i++) sum += qdd[i] - qdd[i];\n"
    "    if (flags == 0 && sum == 0.0) return 0;\n"
    "    $_equation(s, t, q, v, z, u);\n"
    "    const small_status status = small_factor(&s->robust, s->M, s->A, s->active, RANK, 0.0);\n"
    "    if (status == SMALL_NOT_FINITE) return -2;\n"
    "    if (status != SMALL_OK) return -1;\n"
    "    small_ideal(&s->robust, s->M, s->Q, s->b, qdd, NULL, lambda);\n"
    "#ifdef WITH_LAWS\n"
    "    double driven[$_COORDS];\n"
    "    for (int i = 0; i < $_COORDS; i++) driven[i] = s->Q[i] + s->C[i];\n"
    "    small_ideal(&s->robust, s->M, driven, s->b, qdd, NULL, NULL);\n"
    "#endif\n"
    "    s->more[0] = s->values[sizeof s->values/sizeof *s->values - 1]; /* and what the rows in force add */\n"
    "    for (int i = 0; i < $_COORDS; i++) {\n"
    "        double force = -s->Q[i];\n"
    "        for (int j = 0; j < $_COORDS; j++) force += s->M[i + $_COORDS*j]*qdd[j];\n"
    "        s->more[0] += force*v[i];\n    }\n"
    "    return 1 + is_missed(s, qdd);\n}\n\n";

static const char frame_values[] =
    "int $_derivative($ *s, double t, const double *y, const double *u, double *ydot)\n{\n"
    "    const int n = $_COORDS;\n"
    "    double lambda[$_ROWS + 1];\n"
    "    const int status = $_acceleration(s, t, y, y + n, y + 2*n, u, ydot + n, lambda);\n"
    "    for (int i = 0; i < n; i++) ydot[i] = y[n + i];\n"
    "    for (int i = 0; i < $_STATES; i++) ydot[2*n + i] = s->more[1 + i];\n"
    "    return status;\n}\n\n"
    "void $_outputs($ *s, double t, const double *q, const double *v, const double *z, const double *u,\n"
    "               const double *qdd, const double *lambda, double *y)\n{\n"
    "    double a[$_COORDS], l[$_LATE + 1];\n"
    "    for (int i = 0; i < $_COORDS; i++) a[i] = qdd[i];\n"
    "    list_late(s, lambda, l);\n"
    "    (void)$_output_motion(s->output, t, q, v, z, u, a, l, y, s->work);\n}\n\n"
    "void $_triggers($ *s, double t, const double *q, const double *v, const double *z, const double *u,\n"
    "                const double *qdd, const double *lambda, double *g)\n{\n"
    "    double a[$_COORDS], l[$_LATE + 1];\n"
    "    for (int i = 0; i < $_COORDS; i++) a[i] = qdd[i];\n"
    "    list_late(s, lambda, l);\n"
    "    for (int i = 0; i < 2*$_EVENTS; i++) g[i] = 1.0;\n"
    "    (void)$_trigger_motion(s->trigger, t, q, v, z, u, a, l, g, s->work);\n}\n";

/* M da - A' dlambda = -d(M a - Q - A' lambda) + dC, A da = -d(A a - b): one column after the other, lambda
 * with C */
static const char frame_jacobian[] =
    "\n/* The first `count` columns. */\n"
    "static int fill_slopes($ *s, double t, const double *y, const double *u, int count, double *J)\n{\n"
    "    enum { n = $_COORDS, m = $_ROWS, nz = $_STATES, size = 2*$_COORDS + $_STATES, all = $_SLOPES };\n"
    "    double qdd[n], lambda[$_LATE + 1], force[n], side[m + 1];\n"
    "    const int status = $_acceleration(s, t, y, y + n, y + 2*n, u, qdd, lambda);\n"
    "    if (status < 0) return status;\n"
    "    if (status == 0) {\n"
    "        $_equation(s, t, y, y + n, y + 2*n, u);\n"
    "        if (small_factor(&s->robust, s->M, s->A, s->active, RANK, 0.0) != SMALL_OK) return -1;\n"
    "    }\n"
    "#ifdef WITH_LAWS\n"
    "    for (int i = 0; i < n; i++) force[i] = s->Q[i] + s->C[i];\n"
    "    small_ideal(&s->robust, s->M, force, s->b, qdd, NULL, lambda);\n"
    "#endif\n"
    "    list_active(s, lambda + m);\n"
    "    (void)$_slope_motion(s->slope, t, y, y + n, y + 2*n, u, qdd, lambda, s->slopes, s->work);\n"
    "    for (int c = 0; c < count; c++) {\n"
    "        const double *F = s->slopes + n*c, *G = s->slopes + n*all + m*c, *R = s->slopes + (n + m)*all "
    "+ nz*c;\n"
    "        double *to = J + size*c;\n"
    "        for (int i = 0; i < n; i++) force[i] = -F[i];\n"
    "#ifdef WITH_LAWS\n"
    "        const double *L = s->slopes + (n + m + nz)*all + law_entries*c;\n"
    "        for (int i = 0; i < law_entries; i++) force[law_row[i]] += law_is_on(s, law_of[i]) ? L[i] : 0.0;\n"
    "#endif\n"
    "        for (int i = 0; i < m; i++) side[i] = -G[i];\n"
    "        for (int i = 0; i < n; i++) to[i] = c == n + i ? 1.0 : 0.0;\n"
    "        small_ideal(&s->robust, s->M, force, side, to + n, NULL, NULL);\n"
    "        for (int i = 0; i < nz; i++) to[2*n + i] = R[i];\n"
    "    }\n"
    "    return status;\n}\n\n"
    "int $_jacobian($ *s, double t, const double *y, const double *u, double *J)\n{\n"
    "    return fill_slopes(s, t, y, u, 2*$_COORDS + $_STATES, J);\n}\n\n"
    "int $_slopes($ *s, double t, const double *y, const double *u, double *J)\n{\n"
    "    return fill_slopes(s, t, y, u, $_SLOPES, J);\n}\n";

void export_add_list(const exporter *x, textbuf *to, const char *name, size_t count,
                     size_t (*number)(const exporter *x, size_t i))
{
    text_format(to, "static const int %s[] = {", name);
    for (size_t i = 0; i < count; i++) text_format(to, "%s%zu", i ? ", " : "", number(x, i));
    text_add(to, count ? "};\n" : "0};\n");
}

static size_t row_of_entry(const exporter *x, size_t i) { return x->model->equations.C.items[i].row; }
static size_t law_of_entry(const exporter *x, size_t i) { return x->model->equations.C.items[i].column; }
static size_t law_end(const exporter *x, size_t law)
{
    size_t end = 0;
    for (size_t k = 0; k < law; k++) end += mech_system_law(x->system, k).constraint_count;
    return end;
}
static size_t law_constraint(const exporter *x, size_t i)
{
    size_t law = 0;
    while (law_end(x, law + 1) <= i) law++;
    return mech_system_law(x->system, law).constraints[i - law_end(x, law)];
}
static size_t first_row(const exporter *x, size_t constraint)
{
    const mech_sizes sizes = mech_system_sizes(x->system);
    return constraint < sizes.constraints ? mech_system_constraint_rows(x->system, constraint, NULL) : sizes.rows;
}
static size_t row_is_active(const exporter *x, size_t row) { return mech_eval_equation(x->eval)->active[row]; }

/* Which coordinate each entry of C belongs to, and which law; a law is silent while all its constraints are. */
static void add_law_rows(const exporter *x, textbuf *to)
{
    const size_t entries = x->model->equations.C.count, laws = mech_system_sizes(x->system).laws;
    text_format(to, "#define WITH_LAWS\nenum { law_entries = %zu };\n", entries);
    export_add_list(x, to, "law_row", entries, row_of_entry);
    export_add_list(x, to, "law_of", entries, law_of_entry);
    export_add_list(x, to, "law_first", laws + 1, law_end);
    export_add_list(x, to, "law_constraint", law_end(x, laws), law_constraint);
}

static const char frame_law_is_on[] = "static int law_is_on(const $ *s, int law)\n{\n"
                                      "    for (int i = law_first[law]; i < law_first[law + 1]; i++)\n"
                                      "        if (s->active[first_row[law_constraint[i]]]) return 1;\n"
                                      "    return law_first[law] == law_first[law + 1];\n}\n\n";

static size_t param_kind(const exporter *x, size_t i) { return export_param_kind(x, i); }

/* What _set_parameters computes. */
static void add_derive(const exporter *x, textbuf *to)
{
    text_format(to, "enum { FOLLOWS = %d, FIXED = %d, FOLLOW_KEPT = %zu, FOLLOW_WORK = %zu };\n", EXPORT_FOLLOWS,
                EXPORT_FIXED, at_least_one(x->follow.kept), at_least_one(x->follow.work));
    export_add_list(x, to, "param_kind", x->model->params_count, param_kind);
    text_add(to, "\n");
    export_add_frame(x, to, frame_derive);
}

static void add_directions(const exporter *x, textbuf *to)
{
    export_add_frame(x, to, "const signed char $_direction[] = {");
    for (size_t i = 0; i < x->model->events_count; i++) {
        const mech_direction d = x->model->events[i].direction;
        text_format(to, "%s%d", i ? ", " : "", d == MECH_DIRECTION_RISES ? 1 : d == MECH_DIRECTION_FALLS ? -1 : 0);
    }
    text_add(to, x->model->events_count ? "};\n\n" : "0};\n\n");
}

static const char frame_table[] =
    "/* Points (t, u) of a signal: value and slope, linear between them, constant beyond the ends. */\n"
    "static void from_table(const double *at, int count, double t, double *u, double *u_dot)\n{\n"
    "    int low = 0, high = count - 1;\n"
    "    *u_dot = 0.0;\n"
    "    *u = at[2*(t < at[0] ? 0 : high) + 1];\n"
    "    if (!(t >= at[0]) || t >= at[2*high]) return;\n"
    "    while (high - low > 1) {\n"
    "        const int middle = low + (high - low)/2;\n"
    "        if (at[2*middle] <= t) low = middle;\n"
    "        else high = middle;\n    }\n"
    "    *u_dot = (at[2*high + 1] - at[2*low + 1])/(at[2*high] - at[2*low]);\n"
    "    *u = at[2*low + 1] + *u_dot*(t - at[2*low]);\n}\n\n";

static const char frame_held[] =
    "/* Points (t, u) of a signal that is held from each to the next. */\n"
    "static void from_held(const double *at, int count, double t, double *u, double *u_dot)\n{\n"
    "    int low = 0, high = count;\n"
    "    while (high - low > 1) {\n"
    "        const int middle = low + (high - low)/2;\n"
    "        if (at[2*middle] <= t) low = middle;\n"
    "        else high = middle;\n"
    "    }\n"
    "    *u = at[2*low + 1];\n"
    "    *u_dot = 0;\n"
    "}\n\n";

/* The points of all tables, one after the other. */
static void add_points(const system_compiled *c, textbuf *to)
{
    size_t count = 0;
    text_add(to, "static const double points[] = {");
    for (size_t i = 0; i < c->table_count; i++)
        for (size_t j = 0; j < c->tables[i].count; j++, count++) {
            const double point[2] = {c->tables[i].t[j], c->tables[i].y[j]};
            text_add(to, count == 0 ? "" : count % 4 ? ", " : ",\n    ");
            add_numbers(to, point, 2);
        }
    text_add(to, "};\n\n");
}

static void add_inputs(const exporter *x, textbuf *to)
{
    const system_compiled *c = x->system->compiled;
    const size_t count = x->model->inputs_count;
    size_t first = 0, tables[2] = {0, 0}; /* linear, held */
    for (size_t i = 0; i < c->table_count; i++) tables[c->tables[i].is_held] += c->tables[i].count > 0;
    if (tables[0] + tables[1]) add_points(c, to);
    if (tables[0]) text_add(to, frame_table);
    if (tables[1]) text_add(to, frame_held);
    export_add_frame(x, to,
                     "void $_inputs($ *s, double t, double *u)\n{\n"
                     "    for (int i = 0; i < 3*$_INPUTS; i++) u[i] = 0.0;\n"
                     "    (void)$_signal_motion(s->signal, t, NULL, NULL, NULL, NULL, NULL, NULL, u, s->work);\n");
    for (size_t i = 0; i < c->table_count; first += c->tables[i++].count)
        if (c->tables[i].count)
            text_format(to, "    %s(points + %zu, %zu, t, &u[%zu], &u[%zu]);\n",
                        c->tables[i].is_held ? "from_held" : "from_table", 2 * first, c->tables[i].count, i, count + i);
    text_add(to, "}\n\n");
}

static void add_source(const exporter *x, textbuf *to)
{
    const mech_equation *eq = mech_eval_equation(x->eval);
    export_add_frame(x, to, "/* Generated by Mechanician. */\n#include \"$.h\"\n\n");
    if (x->with_jacobian) text_add(to, "#define WITH_JACOBIAN\n");
    if (x->model->equations.C.count) add_law_rows(x, to);
    text_add(to, "#include <float.h>\n");
    emit_prelude(to, x->is_single);
    text_add(to, x->is_single ? "#define RANK 1e-4\n" : "#define RANK 1e-10\n");
    const char *const kinds[] = {"equation",
                                 "output",
                                 "signal",
                                 "trigger",
                                 "follow",
                                 x->with_jacobian ? "slope" : NULL,
                                 !x->with_forces                   ? "fast"
                                 : x->model->equations.C.count > 0 ? "law"
                                                                   : NULL};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *kind = kinds[i];
        if (!kind) continue;
        text_format(to, "int %s_%s_parameters(const double *p, double *k);\nint %s_%s_motion(" EMIT_ARGUMENTS ");\n",
                    x->name, kind, x->name, kind);
    }
    text_add(to, "\n");
    if (x->functions.data) text_add_n(to, x->functions.data, x->functions.length);
    text_format(to, "static const double declared[%zu] = {", at_least_one(x->model->params_count));
    add_numbers(to, eq->p, x->model->params_count);
    text_add(to, "};\n");
    export_add_list(x, to, "first_row", mech_system_sizes(x->system).constraints + 1, first_row);
    export_add_list(x, to, "in_force", x->model->rows_count, row_is_active);
    text_add(to, "\n");
    add_directions(x, to);
    export_forces_lists(x, to);
    if (x->model->equations.C.count) export_add_frame(x, to, frame_law_is_on);
    add_derive(x, to);
    export_add_frame(x, to, frame_start);
    add_inputs(x, to);
    export_add_frame(x, to, frame_equation);
    export_add_frame(x, to, frame_missed);
    if (x->with_forces) export_forces_frame(x, to);
    else export_add_frame(x, to, frame_fast);
    export_add_frame(x, to, frame_values);
    if (x->with_jacobian) export_add_frame(x, to, frame_jacobian);
}

static const char main_rest[] =
    "/* Runge and Kutta's fourth-order step. */\n"
    "static int step($ *s, double t, double h, double *y)\n{\n"
    "    double k[4][SIZE], at[SIZE], u[3*$_INPUTS + 1];\n"
    "    static const double part[4] = {0.0, 0.5, 0.5, 1.0};\n"
    "    for (int j = 0; j < 4; j++) {\n"
    "        for (int i = 0; i < SIZE; i++) at[i] = y[i] + (j > 0 ? part[j]*h*k[j - 1][i] : 0.0);\n"
    "        $_inputs(s, t + part[j]*h, u);\n"
    "        const int status = $_derivative(s, t + part[j]*h, at, u, k[j]);\n"
    "        if (status < 0) return status;\n    }\n"
    "    for (int i = 0; i < SIZE; i++) y[i] += h/6.0*(k[0][i] + 2.0*k[1][i] + 2.0*k[2][i] + k[3][i]);\n"
    "    return 0;\n}\n\n"
    "int main(void)\n{\n    static $ s;\n"
    "    $_start(&s);\n";

static const char main_settles[] =
    "    double u[3*$_INPUTS + 1];\n"
    "    $_inputs(&s, start_time, u);\n"
    "    if ($_settle(&s, start_time, y, y + $_COORDS, y + 2*$_COORDS, u) < 0) return 1;\n";

static const char main_settles_again[] =
    "        $_inputs(&s, start_time + 1e-5*(i + 1), u);\n"
    "        for (int k = 0; k < $_FRICTIONS; k++)\n"
    "            if (s.indicator[k] < 0 &&\n"
    "                $_settle(&s, start_time + 1e-5*(i + 1), y, y + $_COORDS, y + 2*$_COORDS, u) < 0) return 1;\n";

static const char main_loop[] = "    for (int i = 0; i < 1000; i++) {\n"
                                "        const int status = step(&s, start_time + 1e-5*i, 1e-5, y);\n"
                                "        if (status < 0) {\n"
                                "            fprintf(stderr, \"no motion: $_derivative returned %d\\n\", status);\n"
                                "            return 1;\n        }\n";

static const char main_end[] = "    }\n"
                               "    for (int i = 0; i < SIZE; i++) printf(\"%.17g\\n\", y[i]);\n"
                               "    return 0;\n}\n";

/* Numbers of a list, 0 where there is none. */
static void add_start(textbuf *to, const double *values, size_t count, int *is_first)
{
    for (size_t i = 0; i < count; i++) {
        if (!*is_first) text_add(to, ", ");
        *is_first = 0;
        text_add_double(to, values ? values[i] : 0);
    }
}

static void add_main(const exporter *x, const mech_export_start *start, textbuf *to)
{
    const size_t n = x->model->coords_count;
    int is_first = 1;
    export_add_frame(x, to,
                     "/* An example: 0.01 s of motion in steps of 1e-5 s, the state at the end. Generated by "
                     "Mechanician. */\n"
                     "#include \"$.h\"\n\n#include <stdio.h>\n\nenum { SIZE = 2*$_COORDS + $_STATES };\n\n");
    text_add(to, "static const double start_time = ");
    text_add_double(to, start->t);
    text_add(to, ";\nstatic double y[SIZE] = {");
    add_start(to, start->q, n, &is_first);
    add_start(to, start->v, n, &is_first);
    add_start(to, start->z, x->model->states_count, &is_first);
    text_add(to, "};\n\n");
    export_add_frame(x, to, main_rest);
    if (x->with_friction) export_add_frame(x, to, main_settles);
    export_add_frame(x, to, main_loop);
    if (x->with_friction) export_add_frame(x, to, main_settles_again);
    export_add_frame(x, to, main_end);
}

static void turn_single(textbuf *text)
{
    textbuf made = {0};
    export_single(text->data, &made);
    text_free(text);
    *text = made;
}

static mech_status make_single(textbuf *header, textbuf *source, textbuf *example, mech_exported *files)
{
    textbuf small_h = {0}, small_c = {0};
    turn_single(header);
    turn_single(source);
    turn_single(example);
    export_single(export_small_h, &small_h);
    text_add(&small_c, "#define SMALL_SINGLE\n");
    export_single(export_small_c, &small_c);
    const int is_made = !header->failed && !source->failed && !example->failed && !small_h.failed && !small_c.failed;
    if (is_made) {
        files->small_h = files->own_h = text_take(&small_h);
        files->small_c = files->own_c = text_take(&small_c);
    }
    text_free(&small_h);
    text_free(&small_c);
    return is_made ? MECH_OK : MECH_ERR_MEMORY;
}

const char *mech_export_obstacle(const mech_system *system)
{
    for (size_t k = 0; k < system->sizes.frictions; k++)
        if (mech_system_friction(system, k).row_count > FRICTION_MOST)
            return "there is friction along a velocity of more than 3 components";
    return !system_model(system)   ? "it is given by functions, not by a model"
           : !system->sizes.coords ? "there are no coordinates"
           : system->delay_count   ? "there are delays, and the code keeps no history"
                                   : NULL;
}

/* By a plan, and where a value looks at forces that a plan does not give, with all of them. */
static mech_status make_functions(exporter *x)
{
    x->with_jacobian = x->system->jacobian_count > 0 && !x->without_slopes;
    MECH_TRY(export_forces_find(x));
    const mech_status status = export_functions(x);
    if (status != MECH_ERR_UNSUPPORTED || x->with_forces) return status;
    text_free(&x->functions);
    x->functions = (textbuf){0};
    x->count = 0;
    x->with_forces = 1;
    return export_functions(x);
}

mech_status mech_export_c(const mech_system *system, const char *name, const mech_export_start *start,
                          mech_exported *files)
{
    mech_export_start at = {.t = 0};
    if (!files) return MECH_ERR_ARGUMENT;
    *files = (mech_exported){.size = sizeof *files, .small_h = export_small_h, .small_c = export_small_c};
    if (!system || !name || mech_export_name_obstacle(name)) return MECH_ERR_ARGUMENT;
    MECH_TRY(options_take(&at, sizeof at, start));
    const mech_model *model = system_model(system);
    if (!model || mech_export_obstacle(system)) return MECH_ERR_UNSUPPORTED;
    exporter x = {.system = system, .model = model, .name = name, .is_single = at.is_single, .status = MECH_OK};
    x.without_slopes = at.without_slopes;
    mech_status status = mech_eval_create(system, MECH_STORAGE_SPARSE, &x.eval);
    if (status == MECH_OK) status = make_functions(&x);
    textbuf header = {0}, source = {0}, example = {0};
    if (status == MECH_OK) {
        export_header(&x, &header);
        add_source(&x, &source);
        add_main(&x, &at, &example);
        if (header.failed || source.failed || example.failed) status = MECH_ERR_MEMORY;
    }
    if (status == MECH_OK && at.is_single) status = make_single(&header, &source, &example, files);
    if (status == MECH_OK) {
        files->header = text_take(&header);
        files->source = text_take(&source);
        files->main = text_take(&example);
    }
    text_free(&header);
    text_free(&source);
    text_free(&example);
    text_free(&x.functions);
    arena_free(&x.memory);
    mem_free(x.values);
    mem_free(x.places);
    mech_eval_free(x.eval);
    return status;
}

void mech_exported_free(mech_exported *files)
{
    mem_free(files->header);
    mem_free(files->source);
    mem_free(files->main);
    mem_free(files->own_h);
    mem_free(files->own_c);
    *files = (mech_exported){0};
}
