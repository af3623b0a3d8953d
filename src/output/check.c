/* `mech check`: evaluates a model at its consistent start and asks the fundamental equation for rank,
   redundancy and conflicts there. */
#include "output/check.h"
#include "dynamics/friction_note.h"
#include "dynamics/instant.h"
#include "output/length_note.h"
#include "output/moves.h"

#include <mech/output.h>
#include <mech/assemble.h>

#include "base/mem.h"
#include "base/try.h"
#include "system/owner.h"

#include <math.h>
#include <string.h>

enum {
    LARGEST_SOLVED = 3000,  /* coordinates: a dense factorization takes a few seconds there */
    LARGEST_DIAGNOSED = 150 /* coordinates or rows: beyond it only the rank is reported     */
};

typedef struct numbers {
    mech_system *system;
    mech_instant *instant; /* of the constraints by themselves */
    mech_eval *eval;       /* its own                          */
    double *q, *v, *z;     /* initial values                   */
} numbers;

static void release(numbers *s)
{
    mech_instant_free(s->instant);
    mech_system_free(s->system);
    mem_free(s->q);
    mem_free(s->v);
    mem_free(s->z);
}

static mech_status allocate(numbers *s, const mech_sizes *sizes)
{
    s->q = mem_zeroed(sizes->coords, sizeof(double));
    s->v = mem_zeroed(sizes->coords, sizeof(double));
    s->z = mem_zeroed(sizes->states, sizeof(double));
    if (!s->q || !s->v || !s->z) return MECH_ERR_MEMORY;
    MECH_TRY(mech_instant_create(s->system, MECH_INSTANT_CONSTRAINTS, &s->instant));
    s->eval = mech_instant_eval(s->instant);
    return MECH_OK;
}

static mech_move move_of(const void *assembly, size_t i) { return mech_assembly_move(assembly, i); }

/* What the assembly moved; NULL when nothing, or out of memory. */
static char *describe_moves(const mech_assembly *assembly)
{
    const size_t count = mech_assembly_move_count(assembly);
    textbuf out = {0};
    moves_text(move_of, assembly, count, &out);
    return count ? text_take(&out) : NULL;
}

/* The consistent start: its state evaluated, or why there is none. */
static mech_status assemble(numbers *s, check_facts *facts)
{
    const mech_sizes sizes = mech_system_sizes(s->system);
    mech_assemble_options options;
    mech_assembly *assembly;
    const char *word;
    mech_assemble_options_default(&options, sizeof options);
    if (mech_eval_option(s->eval, "from", &options.t, &word) != 1 || !isfinite(options.t)) options.t = 0;
    MECH_TRY(mech_assembly_create(s->eval, &assembly));
    facts->status = mech_assemble(assembly, &options);
    mech_status status = MECH_OK;
    if (facts->status == MECH_OK) {
        memcpy(s->q, mech_assembly_q(assembly), sizes.coords * sizeof *s->q);
        memcpy(s->v, mech_assembly_v(assembly), sizes.coords * sizeof *s->v);
        if (sizes.states) memcpy(s->z, mech_assembly_z(assembly), sizes.states * sizeof *s->z);
        facts->moved = describe_moves(assembly);
        if (!facts->moved && mech_assembly_move_count(assembly)) status = MECH_ERR_MEMORY;
        facts->status = mech_eval_state(s->eval, options.t, s->q, s->v, s->z);
        if (facts->status != MECH_OK) facts->why = mech_eval_explain(s->eval);
    } else {
        const char *why = mech_assembly_error_text(assembly);
        facts->why = mem_text(why, strlen(why));
    }
    mech_assembly_free(assembly);
    return facts->status == MECH_ERR_MEMORY ? MECH_ERR_MEMORY : status;
}

static mech_instant_input start_of(const numbers *s, const mech_sizes *sizes, double t)
{
    mech_instant_input at;
    mech_instant_input_default(&at, sizeof at);
    at.t = t;
    at.q = s->q;
    at.v = s->v;
    at.z = sizes->states ? s->z : NULL;
    at.skip_diagnosis = 1;
    return at;
}

/* What all of the model says: one-sided constraints that press at the start are in force, and control holds more beside
   the constraints. A solve that fails says so where it is asked for: mech eval. */
static mech_status look_at_all(numbers *s, const mech_sizes *sizes, double t, check_facts *facts)
{
    mech_instant *instant = NULL;
    const mech_instant_input at = start_of(s, sizes, t);
    if (!sizes->contacts && sizes->natural_rows == sizes->rows) return MECH_OK;
    mech_status status = mech_instant_create(s->system, 0, &instant);
    const mech_instant_result *r =
        status == MECH_OK && mech_instant_solve(instant, &at) == MECH_OK ? mech_instant_get(instant) : NULL;
    for (size_t c = 0; r && c < sizes->constraints && status == MECH_OK; c++)
        if (mech_system_side(s->system, c))
            status = mech_eval_set_active(s->eval, c, r->active[mech_system_constraint_rows(s->system, c, NULL)]);
    if (r) facts->control_rank = r->servo_rank;
    mech_instant_free(instant);
    return status == MECH_ERR_MEMORY ? status : MECH_OK;
}

static mech_status solve(const numbers *s, const mech_sizes *sizes, double t, check_facts *facts)
{
    mech_instant_input at = start_of(s, sizes, t);
    at.skip_diagnosis = sizes->coords > LARGEST_DIAGNOSED || sizes->rows > LARGEST_DIAGNOSED || sizes->rows == 0;
    facts->status = mech_instant_solve(s->instant, &at);
    if (facts->status == MECH_ERR_MEMORY) return facts->status;
    const mech_instant_result *r = mech_instant_get(s->instant);
    facts->rows = 0;
    for (size_t row = 0; row < sizes->rows; row++) facts->rows += r->active[row];
    facts->diagnosis = r->diagnosis;
    facts->rank = r->diagnosis ? r->diagnosis->rank : r->rank;
    facts->is_indefinite = (r->flags & MECH_FUNDAMENTAL_INDEFINITE_MASS) != 0;
    return MECH_OK;
}

static mech_status note_friction(const numbers *s, const mech_sizes *sizes, check_facts *facts)
{
    textbuf out = {0};
    for (size_t k = 0; k < sizes->frictions; k++)
        if (friction_note(s->system, mech_eval_equation(s->eval), k, &out)) {
            facts->friction = text_take(&out);
            return facts->friction ? MECH_OK : MECH_ERR_MEMORY;
        }
    return MECH_OK;
}

static mech_status note_length(const numbers *s, check_facts *facts)
{
    textbuf out = {0};
    if (!length_note(facts->model, s->q, mech_eval_equation(s->eval)->M_dense, &out)) return MECH_OK;
    facts->length = text_take(&out);
    return facts->length ? MECH_OK : MECH_ERR_MEMORY;
}

/* Names of the coordinates behind a failed solve. */
static char *name_culprits(const numbers *s, mech_status status)
{
    textbuf out = {0};
    const int *list = s->instant->culprit, count = status == MECH_ERR_CONFLICT ? 0 : s->instant->culprits;
    text_add(&out, mech_status_text(status));
    for (int i = 0; i < count && i < 10; i++)
        text_format(&out, "%s%s", i ? ", " : ": ", mech_system_name(s->system, MECH_ITEM_COORD, (size_t)list[i]));
    if (count > 10) text_add(&out, ", ...");
    const char *thin = status == MECH_ERR_SINGULAR_MASS ? system_thin(s->system) : "";
    if (*thin) text_format(&out, "; %s", thin);
    return text_take(&out);
}

static mech_status find_numbers(numbers *s, mech_diagnostics *diagnostics, check_facts *facts)
{
    MECH_TRY(mech_system_from_model(facts->model, diagnostics, &s->system));
    const mech_sizes sizes = mech_system_sizes(s->system);
    if (sizes.coords > LARGEST_SOLVED || sizes.rows > LARGEST_SOLVED) return MECH_OK;
    MECH_TRY(allocate(s, &sizes));
    MECH_TRY(assemble(s, facts));
    if (facts->status != MECH_OK) return MECH_OK;
    const double t = *mech_eval_equation(s->eval)->t;
    facts->has_numbers = 1;
    MECH_TRY(look_at_all(s, &sizes, t, facts));
    MECH_TRY(solve(s, &sizes, t, facts));
    MECH_TRY(note_friction(s, &sizes, facts));
    MECH_TRY(note_length(s, facts));
    if (facts->status != MECH_OK) facts->why = name_culprits(s, facts->status);
    return MECH_OK;
}

mech_status mech_report_check(const mech_model *model, mech_report_format format, mech_diagnostics *diagnostics,
                              char **text)
{
    check_facts facts = {.model = model};
    numbers s = {0};
    *text = NULL;
    if (!model->is_finished) return MECH_ERR_ARGUMENT;
    mech_status status = find_numbers(&s, diagnostics, &facts);
    if (status == MECH_OK) {
        textbuf out = {0};
        facts.freedom = model->coords_count - (size_t)facts.rank - (size_t)facts.control_rank;
        if (format == MECH_REPORT_JSON) check_json(&facts, &out);
        else check_text(&facts, &out);
        if (mech_pool_status(model->pool) == MECH_OK) *text = text_take(&out); /* else loops are told by guesses */
        text_free(&out);
        status = *text ? facts.status : MECH_ERR_MEMORY;
    }
    release(&s);
    mem_free(facts.why);
    mem_free(facts.moved);
    mem_free(facts.friction);
    mem_free(facts.length);
    return status;
}
