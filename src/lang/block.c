/* Statements one after the other, loops, structural if, included files. */
#include "lang/statement.h"

#include <inttypes.h>

static void run_for(lang_context *c, lang_statement *s)
{
    lang_bounds b;
    if (!lang_range(c, s->a, &b)) return;
    const size_t count = lang_range_count(&b), locals = c->local_count, turn_base = c->turn_base;
    if (count == 0 && lang_loop_depth(c) == 0)
        lang_warn(c, s->a->span, b.step == 1 && b.last + 1 < b.first ? "to count down write 'step -1'" : NULL,
                  "this loop has no turns: %" PRId64 "..%" PRId64, b.first, b.last);
    if (!lang_has_turns(c, count, s->a->span)) return;
    if (c->loop_count == LANG_MAX_NESTING) {
        lang_limit(c, s->span, "loops are nested more than %d deep", LANG_MAX_NESTING);
        return;
    }
    const lang_mark mark = lang_scratch_mark(c);
    c->loop_count++;
    for (size_t turn = 0; turn < count && lang_spend_turn(c, s->title.span); turn++) {
        const int64_t i = b.first + (int64_t)turn * b.step;
        if (!lang_bind_index(c, s->title.name, i, s->title.span)) break;
        c->loops[c->loop_count - 1] = i;
        c->turn_base = locals;
        lang_run_statements(c, s->body);
        lang_drop_locals(c, locals);
        lang_scratch_release(c, mark);
    }
    c->loop_count--;
    c->turn_base = turn_base;
}

static void run_if(lang_context *c, lang_statement *s)
{
    double condition;
    if (!lang_number(c, s->a, "the condition of a block", &condition)) return;
    lang_run_statements(c, condition != 0 ? s->body : s->other);
}

static lang_rule *const rules[STATEMENT_COUNT] = {
    [STATEMENT_PARAM] = lang_run_param,
    [STATEMENT_COORD] = lang_run_coord,
    [STATEMENT_LET] = lang_run_let,
    [STATEMENT_STATE] = lang_run_state,
    [STATEMENT_SAMPLED] = lang_run_sampled,
    [STATEMENT_INPUT] = lang_run_input,
    [STATEMENT_KINETIC] = lang_run_energy,
    [STATEMENT_POTENTIAL] = lang_run_energy,
    [STATEMENT_DISSIPATION] = lang_run_energy,
    [STATEMENT_MASS] = lang_run_mass,
    [STATEMENT_FORCE] = lang_run_force,
    [STATEMENT_CONSTRAINT] = lang_run_constraint,
    [STATEMENT_NONIDEAL] = lang_run_nonideal,
    [STATEMENT_FRICTION] = lang_run_friction,
    [STATEMENT_CONTROL] = lang_run_control,
    [STATEMENT_ACTUATOR] = lang_run_actuator,
    [STATEMENT_OUTPUT] = lang_run_output,
    [STATEMENT_MEASURE] = lang_run_measure,
    [STATEMENT_DRAW] = lang_run_draw,
    [STATEMENT_INITIAL] = lang_run_initial,
    [STATEMENT_GUESS] = lang_run_initial,
    [STATEMENT_STEADY] = lang_run_initial,
    [STATEMENT_EVENT] = lang_run_event,
    [STATEMENT_EVERY] = lang_run_every,
    [STATEMENT_STABILIZE] = lang_run_stabilize,
    [STATEMENT_SIMULATE] = lang_run_simulate,
    [STATEMENT_ALLOW] = lang_run_allow,
    [STATEMENT_COMPONENT] = lang_run_component,
    [STATEMENT_PART] = lang_run_part,
    [STATEMENT_GRAVITY] = lang_run_gravity,
    [STATEMENT_COORDINATES] = lang_run_coordinates,
    [STATEMENT_BODY] = lang_run_body,
    [STATEMENT_POINT] = lang_run_point,
    [STATEMENT_JOINT] = lang_run_joint,
    [STATEMENT_SPRING] = lang_run_spring,
    [STATEMENT_DAMPER] = lang_run_spring,
    [STATEMENT_MOTOR] = lang_run_motor,
    [STATEMENT_IMPORT] = lang_run_import,
};

void lang_set_place(lang_context *c, const lang_statement *s, mech_span span)
{
    if (s->items && s->items->next) lang_take_status(c, model_set_origin(c->model, span, c->loops, c->loop_count));
}

/* One instance of a statement. One that failed is not tried again in later turns: its errors would repeat. */
static void run_statement(lang_context *c, lang_statement *s)
{
    const size_t errors = lang_error_count(c);
    const lang_mark mark = lang_scratch_mark(c);
    if (s->has_failed || !lang_spend_statements(c, 1, s->span)) return;
    c->statement_errors = errors;
    c->statement_span = s->span;
    c->statement_kind = s->kind;
    lang_take_status(c, model_set_origin(c->model, s->span, c->loops, c->loop_count));
    rules[s->kind](c, s);
    lang_check_fault(c, s->span);
    /* values of let stay on the stack: to the end of the turn, or of the text */
    if (s->kind != STATEMENT_LET) lang_scratch_release(c, mark);
    if (lang_error_count(c) > errors) s->has_failed = 1;
}

void lang_run_statements(lang_context *c, lang_statement *first)
{
    for (lang_statement *s = first; s && !lang_is_over(c); s = s->next) {
        if (s->kind == STATEMENT_FOR) run_for(c, s);
        else if (s->kind == STATEMENT_IF) run_if(c, s);
        else if (s->kind == STATEMENT_INCLUDE) lang_run_statements(c, s->body);
        else run_statement(c, s);
    }
}
