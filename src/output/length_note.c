/* Found by what the text of a row comes to: A = c*e for four coordinates e, and M e = 0. */
#include "output/length_note.h"

#include "base/tolerances.h"

#include <math.h>
#include <string.h>

enum { PARAMETERS = 4 };

/* c of an entry c*q, q the coordinate of its column; 0: it is another one. */
static double factor_of(const mech_model *m, const model_entry *entry)
{
    const mech_pool *p = m->pool;
    const expr_node *n = expr_at(p, entry->value);
    const uint32_t q = m->coords[entry->column].q.id;
    if (entry->value.id == q) return 1;
    if (n->kind != EXPR_ADD || n->count != 3) return 0;
    const uint32_t *o = expr_operands(p, n);
    return o[0] == EXPR_ID_ZERO && o[2] == q ? expr_number_of(p, (mech_expr){o[1]})->value : 0;
}

/* The entries of a row from `first` on are c*e of four coordinates e. */
static int is_length(const mech_model *m, size_t first)
{
    const model_entries *A = &m->equations.A;
    size_t count = 0;
    for (; first + count < A->count && A->items[first + count].row == A->items[first].row; count++)
        if (count == PARAMETERS || factor_of(m, &A->items[first + count]) != factor_of(m, &A->items[first])) return 0;
    return count == PARAMETERS && factor_of(m, &A->items[first]) != 0 &&
           m->rows[A->items[first].row].level == MODEL_HOLONOMIC;
}

static int has_no_mass_along(const mech_model *m, const model_entry *e, const double *q, const double *M)
{
    const size_t n = m->coords_count;
    double size = 0;
    for (size_t k = 0; k < PARAMETERS; k++) size = fmax(size, fabs(M[e[k].column * (n + 1)]));
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < PARAMETERS; k++) sum += M[i + e[k].column * n] * q[e[k].column];
        if (!(fabs(sum) <= TOL_NO_MASS * (size + fabs(M[i * (n + 1)])))) return 0;
    }
    return size > 0;
}

/* e where they are e[1] ... e[4], else [a, b, c, d]; with primes. */
static void put_vector(const mech_model *m, const model_entry *e, const char *prime, textbuf *out)
{
    const char *first = m->coords[e[0].column].name, *bracket = strchr(first, '[');
    const size_t stem = bracket ? (size_t)(bracket - first) : 0;
    int one = stem > 0;
    for (size_t k = 1; k < PARAMETERS; k++) one = one && strncmp(m->coords[e[k].column].name, first, stem + 1) == 0;
    if (one) {
        text_format(out, "%.*s%s", (int)stem, first, prime);
        return;
    }
    for (size_t k = 0; k < PARAMETERS; k++)
        text_format(out, "%s%s%s", k ? ", " : "[", m->coords[e[k].column].name, prime);
    text_add_char(out, ']');
}

int length_note(const mech_model *m, const double *q, const double *M, textbuf *out)
{
    const model_entries *A = &m->equations.A;
    for (size_t k = 0; k < A->count; k++) {
        if (k && A->items[k].row == A->items[k - 1].row) continue;
        const model_entry *e = &A->items[k];
        if (!is_length(m, k) || !has_no_mass_along(m, e, q, M)) continue;
        text_add(out, "M has no mass along ");
        put_vector(m, e, "", out);
        text_format(out, ", whose length %s keeps, so that a slower solve takes over: add kinetic 2*J*dot(",
                    m->constraints[m->rows[e->row].constraint].name);
        put_vector(m, e, "", out);
        text_add(out, ", ");
        put_vector(m, e, "'", out);
        text_add(out, ")^2 with a moment of inertia J; on the constraint it is 0 and changes nothing");
        return 1;
    }
    return 0;
}
