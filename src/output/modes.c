#include "output/modes.h"

#include "base/mem.h"
#include "base/number.h"
#include "base/tolerances.h"

#include <math.h>
#include <string.h>

void modes_number(textbuf *out, double value)
{
    char number[NUMBER_TEXT_SIZE];
    if (!isfinite(value)) {
        text_add(out, "undefined");
        return;
    }
    number_general(value == 0 ? 0 : value, 7, number);
    text_add(out, number);
}

/* Rounding is not shown as a number: what counted as on the axis is on it. */
static double shown_real(const mech_modes_result *m, int k)
{
    return fabs(m->real[k]) <= m->tolerance ? 0 : m->real[k];
}

static void add_mode(const mech_modes_result *m, int k, textbuf *out)
{
    const double re = shown_real(m, k), im = m->imaginary[k];
    if (im == 0) {
        modes_number(out, re);
        return;
    }
    if (re != 0) modes_number(out, re);
    text_add(out, re != 0 ? " +- " : "+-");
    modes_number(out, im);
    text_add(out, " i");
    const double w = hypot(re, im);
    text_add(out, "   (");
    modes_number(out, im / 6.283185307179586);
    text_add(out, " Hz");
    if (re != 0) {
        text_add(out, ", damping ratio ");
        modes_number(out, -re / w);
    }
    text_add_char(out, ')');
}

void modes_text(const mech_modes_result *m, const char *indent, textbuf *out)
{
    int first = 1;
    textbuf last = {0}, now = {0};
    size_t times = 0;
    for (int k = 0; k <= m->n - m->zero; k++) {
        const int is_end = k == m->n - m->zero;
        if (!is_end && m->imaginary[k] < 0) continue;
        if (!is_end) add_mode(m, k, &now);
        out->failed |= now.failed;
        if (out->failed) break;                                     /* out of memory: text_take will say so */
        if (times && !is_end && strcmp(last.data, now.data) == 0) { /* the same to the digits shown */
            times++;
        } else {
            if (times)
                text_format(out, times > 1 ? "%s%s   (%zu times)\n" : "%s%s\n", first ? "" : indent, last.data, times);
            if (times) first = 0;
            text_free(&last);
            last = now;
            now = (textbuf){0};
            times = !is_end && last.data;
        }
        text_free(&now);
    }
    text_free(&now);
    text_free(&last);
    if (m->zero) {
        if (!first) text_add(out, indent);
        text_format(out, "0, %d time%s (%s)\n", m->zero, m->zero == 1 ? "" : "s",
                    m->longest_chain > 1 ? "defective: grows with time" : "semisimple");
        first = 0;
    }
    if (first) text_add(out, "none\n");
}

void modes_json(const mech_modes_result *m, textbuf *out)
{
    text_add(out, "{\"eigenvalues\": [");
    for (int k = 0; k < m->n - m->zero; k++) {
        text_add(out, k ? ", [" : "[");
        text_add_double(out, m->real[k]);
        text_add(out, ", ");
        text_add_double(out, m->imaginary[k]);
        text_add_char(out, ']');
    }
    text_format(out,
                "], \"zero\": %d, \"zero_eigenvectors\": %d, \"longest_chain\": %d, \"right\": %d, \"left\": "
                "%d, \"axis\": %d, ",
                m->zero, m->zero_vectors, m->longest_chain, m->right, m->left, m->axis);
    text_add(out, "\"axis_tolerance\": ");
    text_add_double(out, m->tolerance);
    text_format(out, ", \"verdict\": \"%s\", \"routh_right\": %d, \"agree\": %s}", mech_verdict_text(m->verdict),
                m->routh_right, m->agree ? "true" : "false");
}

void modes_state_name(const mech_system *system, size_t n, size_t k, textbuf *out)
{
    if (k < 2 * n) {
        text_add(out, mech_system_name(system, MECH_ITEM_COORD, k % n));
        if (k >= n) text_add_char(out, '\'');
    } else {
        text_add(out, mech_system_name(system, MECH_ITEM_STATE, k - 2 * n));
    }
}

static double state_value(size_t n, size_t k, const double *q, const double *v, const double *z)
{
    return k < n ? q[k] : k < 2 * n ? v[k - n] : z[k - 2 * n];
}

void modes_point_text(const mech_system *system, const double *q, const double *v, const double *z, textbuf *out)
{
    const mech_sizes sizes = mech_system_sizes(system);
    const size_t n = sizes.coords;
    enum { MOST_NAMED = 12 };
    int first = 1, named = 0;
    double speed = 0;
    for (size_t k = 0; k < n; k++) speed = fmax(speed, fabs(v[k]));
    for (size_t k = 0; k < 2 * n + sizes.states; k++) {
        const double value = state_value(n, k, q, v, z);
        if (k >= n && k < 2 * n && fabs(value) <= TOL_SHOWN_STILL * speed) continue; /* at rest goes without saying */
        if (named++ >= MOST_NAMED) continue;
        if (!first) text_add(out, ", ");
        modes_state_name(system, n, k, out);
        text_add(out, " = ");
        modes_number(out, value);
        first = 0;
    }
    if (named > MOST_NAMED) text_format(out, ", ... and %d more", named - MOST_NAMED);
}

void modes_point_json(const mech_system *system, const double *q, const double *v, const double *z, textbuf *out)
{
    const mech_sizes sizes = mech_system_sizes(system);
    const size_t n = sizes.coords;
    text_add_char(out, '{');
    for (size_t k = 0; k < 2 * n + sizes.states; k++) {
        textbuf name = {0};
        modes_state_name(system, n, k, &name);
        text_add(out, k ? ", \"" : "\"");
        if (name.data) text_add_json(out, name.data);
        text_add(out, "\": ");
        text_add_double(out, state_value(n, k, q, v, z));
        out->failed |= name.failed;
        text_free(&name);
    }
    text_add_char(out, '}');
}

void modes_matrix_json(const double *X, size_t rows, size_t columns, textbuf *out)
{
    text_add_char(out, '[');
    for (size_t i = 0; i < rows; i++) {
        text_add(out, i ? ", [" : "[");
        for (size_t j = 0; j < columns; j++) {
            if (j) text_add(out, ", ");
            if (isfinite(X[i + j * rows])) text_add_double(out, X[i + j * rows]);
            else text_add(out, "null");
        }
        text_add_char(out, ']');
    }
    text_add_char(out, ']');
}

const char *modes_kind_text(const mech_linear_result *l)
{
    switch (l->kind) {
    case MECH_POINT_EQUILIBRIUM: return "equilibrium";
    case MECH_POINT_STEADY: return "steady motion";
    case MECH_POINT_FROZEN: return l->varies_with_time ? "frozen, depends on time" : "frozen, depends on coordinates";
    case MECH_POINT_OFF: return "off its constraints";
    }
    return "";
}

/* ---- shapes ---- */

enum { MOST_SHAPES = 12, MOST_ENTRIES = 8, LARGEST_SHAPED = 120 };

static void shape_entry(const char *name, double re, double im, int is_first, textbuf *out)
{
    char size[NUMBER_TEXT_SIZE], angle[NUMBER_TEXT_SIZE];
    const double phase = atan2(im, re) * 57.29577951308232;
    const int is_along = fabs(im) <= TOL_SHAPE_ALONG * fabs(re);
    number_general(is_along ? re : hypot(re, im), 4, size);
    text_format(out, "%s%s %s", is_first ? "" : ", ", name, size);
    if (is_along) return;
    number_general(phase, 4, angle);
    text_format(out, " at %s deg", angle);
}

static void shape_line(const mech_system *system, const mech_linear_result *l, int k, const double *re,
                       const double *im, textbuf *out)
{
    const mech_modes_result *m = l->motion;
    const size_t n = (size_t)l->n;
    size_t shown = 0, left = 0;
    if (m->imaginary[k] > 0) {
        modes_number(out, m->imaginary[k]);
        text_add(out, " rad/s: ");
    } else {
        modes_number(out, shown_real(m, k));
        text_add(out, ": ");
    }
    for (size_t i = 0; i < n; i++) {
        if (hypot(re[i], im[i]) < TOL_SHAPE_SHOWN) continue;
        if (shown == MOST_ENTRIES) left++;
        else shape_entry(mech_system_name(system, MECH_ITEM_COORD, i), re[i], im[i], shown++ == 0, out);
    }
    if (!shown) text_add(out, "states alone");
    if (left) text_format(out, ", and %zu more", left);
    text_add_char(out, '\n');
}

void modes_shapes_text(const mech_system *system, const mech_linear_result *l, textbuf *out)
{
    const mech_modes_result *m = l->motion;
    const int count = m->n - m->zero;
    int shown = 0, left = 0;
    if (!count || l->freedom > LARGEST_SHAPED) return;
    double *re = mem_alloc(2 * (size_t)l->order * sizeof *re), *im = re ? re + l->order : NULL;
    out->failed |= !re;
    for (int k = 0; k < count && re; k++) {
        if (m->imaginary[k] < 0) continue;
        if (shown == MOST_SHAPES) {
            left++;
            continue;
        }
        const mech_status status = mech_linear_shape(l, k, re, im);
        out->failed |= status == MECH_ERR_MEMORY;
        if (status != MECH_OK) continue;
        text_add(out, shown++ ? "             " : "  shapes     ");
        shape_line(system, l, k, re, im, out);
    }
    if (left) text_format(out, "             and %d more: --json has them\n", left);
    mem_free(re);
}

void modes_shapes_json(const mech_linear_result *l, textbuf *out)
{
    const mech_modes_result *m = l->motion;
    const int count = l->kink_count || l->freedom > LARGEST_SHAPED ? 0 : m->n - m->zero;
    const size_t order = (size_t)l->order;
    double *re = mem_alloc((2 * order + 1) * sizeof *re), *im = re ? re + order : NULL;
    out->failed |= !re;
    text_add_char(out, '[');
    for (int k = 0, shown = 0; k < count && re; k++) {
        const mech_status status = mech_linear_shape(l, k, re, im);
        out->failed |= status == MECH_ERR_MEMORY;
        if (status != MECH_OK) continue;
        text_add(out, shown++ ? ",\n    {\"eigenvalue\": [" : "\n    {\"eigenvalue\": [");
        text_add_double(out, m->real[k]);
        text_add(out, ", ");
        text_add_double(out, m->imaginary[k]);
        for (int part = 0; part < 2; part++) {
            text_add(out, part ? "], \"imaginary\": [" : "], \"real\": [");
            for (size_t i = 0; i < order; i++) {
                if (i) text_add(out, ", ");
                text_add_double(out, part ? im[i] : re[i]);
            }
        }
        text_add(out, "]}");
    }
    text_add_char(out, ']');
    mem_free(re);
}
