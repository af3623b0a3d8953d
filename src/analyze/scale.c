/* What the residuals of a search are measured by, in any units: the terms they are made of, and what they change by
   as far as the search has come. Unknowns are measured by how far they have come, those with a mass by one measure.
   */
#include "analyze/dense.h"
#include "analyze/search.h"

#include "system/sizes.h"

#include <math.h>
#include <string.h>

void search_scale_begin(search *s)
{
    memset(s->most, 0, s->equations * sizeof *s->most);
    memset(s->seen, 0, s->N * sizeof *s->seen);
    for (size_t i = 0; i < s->equations; i++) s->scale[i] = 1;
}

double search_size(search *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->equations; i++) {
        const double r = s->residual[i];
        s->scaled[i] = s->scale[i] > 0 ? r / s->scale[i] : r;
        sum += s->scale[i] > 0 || r == 0 ? s->scaled[i] * s->scaled[i] : 1; /* made of nothing: not met */
    }
    return sqrt(sum);
}

/* The sizes of the terms alone. */
static void take_terms(search *s)
{
    const mech_equation *e = s->t.e;
    const size_t rows = s->n + s->nz, steady = rows + 2 * s->m;
    system_sizes sizes;
    const int is_known = system_sizes_look(s->t.eval, 0, s->t.size_work, &sizes);
    memset(s->scale, 0, s->equations * sizeof *s->scale);
    for (size_t i = 0; i < s->n; i++) s->scale[i] = s->t.pull * s->t.one[s->n + i] / s->t.time;
    for (size_t i = 0; i < 2 * s->m && is_known; i++)
        s->scale[rows + i] = i < s->m ? sizes.r[i] : sizes.r_dot[i - s->m];
    for (size_t i = 0; i < s->ns; i++) s->scale[steady + i] = fabs(e->steady_value[i]);
}

void search_scale(search *s, double tolerance)
{
    for (size_t i = 0; i < s->N; i++) s->seen[i] = fmax(s->seen[i], fabs(s->x[i]));
    tangent_measure(&s->t, s->seen);
    take_terms(s);
    for (size_t k = 0; k < s->unknowns; k++)
        for (size_t i = 0; i < s->equations; i++) {
            s->J[i + k * s->equations] *= s->t.one[search_column(s, k)];
            s->scale[i] += fabs(s->J[i + k * s->equations]);
        }
    for (size_t i = 0; i < s->equations;
         i++) { /* where all derivatives vanish, what they were elsewhere still tells a little */
        s->most[i] = fmax(s->most[i], s->scale[i]);
        s->scale[i] = fmax(s->scale[i], tolerance * s->most[i]);
        for (size_t k = 0; k < s->unknowns && s->scale[i] > 0; k++) s->J[i + k * s->equations] /= s->scale[i];
    }
}
