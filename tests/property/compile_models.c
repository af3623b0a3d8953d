/* Every shipped model: the compiled equation at random states is that of its expressions, taken one by one.
 */
#include "support/shipped.h"

#include "model/model.h"

#include <stdlib.h>

typedef struct subject {
    const char *path;
    const mech_model *model;
    mech_eval *eval;
    const mech_equation *e;
    double worst;
} subject;

static double value_of(void *user, const expr_symbol *s)
{
    const subject *k = user;
    const mech_equation *e = k->e;
    switch (s->class_bit) {
    case EXPR_PARAM: return e->p[s->index];
    case EXPR_TIME: return *e->t;
    case EXPR_COORD: return e->q[s->index];
    case EXPR_VELOCITY: return e->v[s->index];
    case EXPR_ACCELERATION: return e->a[s->index];
    case EXPR_STATE: return e->z[s->index];
    case EXPR_INPUT: return (s->order == 0 ? e->u : s->order == 1 ? e->u_dot : e->u_ddot)[s->index];
    default: return strncmp(s->name, "active", 6) == 0 ? 1 : e->lambda[s->index]; /* reaction is the same here */
    }
}

static void agree(subject *k, const char *what, mech_expr expr, double got)
{
    double want = 0;
    if (expr.id) CHECK(expr_evaluate(k->model->pool, expr, value_of, k, &want) == MECH_OK);
    const double error = got == want ? 0 : fabs(got - want) / (1 + fabs(want));
    check_count++;
    if (error > k->worst) k->worst = error;
    if (error <= 1e-11) return; /* rounding; the governor's stiff spring loses four digits by cancellation */
    check_failures++;
    fprintf(stderr, "%s: %s = %.17g, want %.17g\n", k->path, what, got, want);
}

static void agree_entries(subject *k, const char *what, const model_entries *entries, const double *got)
{
    for (size_t i = 0; i < entries->count; i++) agree(k, what, entries->items[i].value, got[i]);
}

static void agree_all(subject *k)
{
    const mech_model *m = k->model;
    const model_equations *want = &m->equations;
    const mech_equation *e = k->e;
    agree_entries(k, "M", &want->M, e->M);
    agree_entries(k, "A", &want->A, e->A);
    agree_entries(k, "G", &want->G, e->G);
    agree_entries(k, "C", &want->C, e->C);
    for (size_t i = 0; i < m->coords_count; i++) agree(k, "Q", want->Q[i], e->Q[i]);
    for (size_t i = 0; i < m->rows_count; i++) {
        agree(k, "b", want->b[i], e->b[i]);
        agree(k, "r", want->r[i], e->r[i]);
        agree(k, "r'", want->r_dot[i], e->r_dot[i]);
        agree(k, "a0", want->a0[i], e->a0[i]);
    }
    for (size_t i = 0; i < m->states_count; i++) agree(k, "rate", m->states[i].rate, e->rate[i]);
    for (size_t i = 0; i < m->outputs_count; i++) agree(k, m->outputs[i].name, m->outputs[i].value, e->output[i]);
    for (size_t i = 0; i < m->events_count; i++) agree(k, m->events[i].name, m->events[i].trigger, e->trigger[i]);
    agree(k, "energy", want->energy, e->energy[3]);
    agree(k, "power", want->power, e->energy[4]);
}

static void set_random_state(subject *k)
{
    const size_t n = k->model->coords_count, m = k->model->rows_count, states = k->model->states_count;
    double *x = malloc((3 * n + m + states + 1) * sizeof *x);
    for (size_t i = 0; i < 3 * n + m + states + 1; i++) x[i] = random_real();
    const double *v = x + n, *a = v + n, *lambda = a + n, *z = lambda + m;
    mech_eval_set_states(k->eval, z);
    mech_status status = mech_eval_position(k->eval, z[states], x);
    if (status == MECH_OK) status = mech_eval_velocity(k->eval, v);
    if (status == MECH_OK) status = mech_eval_reaction(k->eval, lambda, lambda);
    if (status == MECH_OK) status = mech_eval_acceleration(k->eval, a);
    if (status == MECH_OK) status = mech_eval_output(k->eval);
    if (status == MECH_OK) status = mech_eval_start(k->eval);
    free(x);
    CHECK(status == MECH_OK);
    if (status == MECH_OK) return;
    char *text = mech_eval_explain(k->eval);
    fprintf(stderr, "%s: %s\n", k->path, text);
    mech_text_free(text);
}

static void one_model(const char *path, mech_model *model, mech_system *system)
{
    subject k = {.path = path, .model = model};
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    mech_system *derived = NULL;
    (void)system;
    CHECK(mech_system_create(model, &with, NULL, &derived) == MECH_OK);
    CHECK(mech_eval_create(derived, MECH_STORAGE_SPARSE, &k.eval) == MECH_OK);
    k.e = mech_eval_equation(k.eval);
    for (int i = 0; i < 3; i++) {
        mech_jacobian J;
        set_random_state(&k);
        agree_all(&k);
        CHECK(mech_eval_jacobian(k.eval, &J) == MECH_OK);
    }
    printf("%-45s %5zu coordinates, largest difference %.1e\n", path, model->coords_count, k.worst);
    mech_eval_free(k.eval);
    mech_system_free(derived);
}

int main(int argc, char **argv) { return shipped_main(argc, argv, one_model); }
