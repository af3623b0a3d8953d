/* What every Routh array needs: memory, verdict, signs. */
#include "analyze/routh.h"

#include "analyze/dense.h"
#include "base/mem.h"

const char *mech_verdict_text(mech_verdict verdict)
{
    switch (verdict) {
    case MECH_VERDICT_STABLE: return "asymptotically stable";
    case MECH_VERDICT_MARGINAL: return "marginal";
    case MECH_VERDICT_REPEATED: return "repeated roots on the axis";
    case MECH_VERDICT_DEFECTIVE: return "defective on the axis: grows like a power of time";
    case MECH_VERDICT_UNSTABLE: return "unstable";
    case MECH_VERDICT_UNDECIDED: return "undecided";
    }
    return "undecided";
}

mech_routh *routh_new(int degree)
{
    const size_t rows = (size_t)degree + 1, columns = (size_t)degree / 2 + 1;
    mech_routh *r = mem_zeroed(1, sizeof *r);
    if (!r) return NULL;
    const mech_status status =
        ARENA_MAKE(&r->memory, ARRAY_OF(r->array, rows * columns), ARRAY_OF(r->text, rows * columns),
                   ARRAY_OF(r->full, rows * columns), ARRAY_OF(r->row_kind, rows));
    r->result = (mech_routh_result){.size = sizeof r->result,
                                    .degree = degree,
                                    .rows = (int)rows,
                                    .columns = (int)columns,
                                    .right = -1,
                                    .left = -1,
                                    .axis = -1,
                                    .repeated = -1,
                                    .array = r->array,
                                    .row_kind = r->row_kind,
                                    .verdict = MECH_VERDICT_UNDECIDED};
    if (status == MECH_OK) return r;
    mech_routh_free(r);
    return NULL;
}

void mech_routh_free(mech_routh *r)
{
    if (!r) return;
    arena_free(&r->memory);
    mem_free(r);
}

const mech_routh_result *mech_routh_get(const mech_routh *r) { return &r->result; }

const char *mech_routh_entry(const mech_routh *r, int row, int column)
{
    if (row < 0 || row >= r->result.rows || column < 0 || column >= r->result.columns) return NULL;
    const char *text = r->text[(size_t)row + (size_t)column * (size_t)r->result.rows];
    return text ? text : "";
}

const char *mech_routh_entry_full(const mech_routh *r, int row, int column)
{
    const char *text = mech_routh_entry(r, row, column);
    const char *full = text ? r->full[(size_t)row + (size_t)column * (size_t)r->result.rows] : NULL;
    return full ? full : text;
}

void routh_judge(mech_routh_result *r)
{
    if (r->right < 0) r->verdict = MECH_VERDICT_UNDECIDED;
    else if (r->right > 0) r->verdict = MECH_VERDICT_UNSTABLE;
    else if (r->axis == 0) r->verdict = MECH_VERDICT_STABLE;
    else r->verdict = r->repeated > 1 ? MECH_VERDICT_REPEATED : MECH_VERDICT_MARGINAL;
}

int routh_sign_changes(const mech_routh *r)
{
    int changes = 0;
    for (int row = 1; row < r->result.rows; row++) changes += (r->array[row] < 0) != (r->array[row - 1] < 0);
    return changes;
}

static mech_status create_exact(const double *values, const char *const *texts, int degree, mech_routh **routh)
{
    *routh = NULL;
    if (degree < 0 || (!values && !texts)) return MECH_ERR_ARGUMENT;
    if (degree > ROUTH_MOST_DEGREE) return MECH_ERR_LIMIT;
    if (values && !dense_is_finite(values, (size_t)degree + 1)) return MECH_ERR_NOT_FINITE;
    return routh_exact(values, texts, degree, routh);
}

mech_status mech_routh_exact(const double *coefficients, int degree, mech_routh **routh)
{
    return create_exact(coefficients, NULL, degree, routh);
}

mech_status mech_routh_exact_text(const char *const *coefficients, int degree, mech_routh **routh)
{
    return create_exact(NULL, coefficients, degree, routh);
}
