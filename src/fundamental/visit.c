#include "fundamental/visit.h"

#include "fundamental/room.h"

/* The order of the rows that the factorisation by LAPACK tries first; the rest is made anew by every solve.
 */
void fundamental_visit(mech_fundamental *f, state_walk *w)
{
    fundamental_dense *d = &f->dense;
    if (w->reads) {
        f->phase = 0;
        f->M = NULL;
    }
    if (f->sparse) fundamental_sparse_visit(f->sparse, w);
    if (!d->work) return;
    STATE_FIELD(w, d->rows);
    STATE_FIELD(w, d->rank);
    STATE_FIELD(w, d->is_close);
    STATE_ARRAY(w, d->row, (size_t)f->m);
    state_must(w, d->rows >= 0 && d->rows <= f->m && d->rank >= 0 && d->rank <= d->rows);
    for (int j = 0; j < f->m; j++) state_must(w, d->row[j] >= 0 && d->row[j] < f->m);
    if (w->failed) d->rows = d->rank = 0;
}

void fundamental_forget(mech_fundamental *f)
{
    f->phase = 0;
    f->M = NULL;
    fundamental_visit(f, &(state_walk){.clears = 1});
}
