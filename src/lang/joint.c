/* joint, spring, damper, motor; and what a text asks of its joints before they are made. */
#include "lang/bodies.h"
#include "lang/statement.h"

#include "lang/call.h"

#include <string.h>

/* A place of a joint or spring; 0 when reported. */
static int read_place(lang_context *c, const lang_item *i, mech_place *place)
{
    lang_binding *b = NULL;
    const size_t errors = lang_error_count(c);
    *place = (mech_place){.body = MECH_GROUND};
    (void)lang_thing(c, i->target, &b);
    if (lang_error_count(c) > errors) return 0;
    if (b && b->kind == BIND_POINT) {
        place->body = b->thing;
        place->at = b->value.items;
        if (i->value)
            lang_error(c, MECH_ERR_MODEL, i->value->span, "write the body in place of the point",
                       "a point is where it is: it takes no 'at'");
    } else {
        place->body = lang_body_of(c, i->target);
        if (place->body == SIZE_MAX) return 0;
        place->at = i->value ? lang_entries(c, i->value, RANK_VECTOR, "the place of a joint or spring") : NULL;
    }
    place->turned = i->arguments ? lang_entries(c, i->arguments, RANK_MATRIX, "a rotation") : NULL;
    return lang_error_count(c) == errors;
}

/* The axis of a joint, NULL when there is none. 0 when reported. */
static int read_axis(lang_context *c, const lang_statement *s, const lang_node *n, const mech_expr **axis)
{
    *axis = NULL;
    if (!n) return 1;
    if (c->dimension == 2 && (s->word == MECH_JOINT_REVOLUTE || s->word == MECH_JOINT_PLANAR)) {
        lang_error(c, MECH_ERR_MODEL, n->span, "write it without", "in the plane a %s joint has no axis",
                   lang_joint_kinds[s->word]);
        return 0;
    }
    *axis = lang_entries(c, n, RANK_VECTOR, "the axis of a joint");
    return *axis != NULL;
}

void lang_run_joint(lang_context *c, const lang_statement *s)
{
    mech_joint joint = {.size = sizeof joint,
                        .kind = (mech_joint_kind)s->word,
                        .by_constraint = s->items->word                           ? 1
                                         : c->names.items[s->title.name].is_bound ? 2
                                                                                  : 0};
    const size_t errors = lang_error_count(c);
    size_t number = SIZE_MAX;
    lang_binding *b = NULL;
    if (lang_need_bodies(c, s->span) && read_place(c, s->items, &joint.before) &
                                            read_place(c, s->items->next, &joint.after) &
                                            read_axis(c, s, s->a, &joint.axis) & read_axis(c, s, s->b, &joint.second)) {
        const lang_value length =
            s->c ? lang_evaluate_scalar(c, s->c, s->word == MECH_JOINT_SCREW ? "a pitch" : "a distance")
                 : lang_scalar((mech_expr){0});
        joint.number = length.scalar;
        if (length.rank != RANK_ERROR) b = lang_name_thing(c, &s->title, BIND_JOINT);
    }
    const uint32_t full = b ? b->name : 0;
    if (b) lang_take_status(c, mech_bodies_joint(c->bodies, lang_text_of(c, full), &joint, &number));
    if (b) lang_global(c, full)->thing = number;
    if (lang_error_count(c) > errors || number == SIZE_MAX) {
        c->names.items[s->title.name].is_suspect = 1;
        return;
    }
    /* conditions come before control: what is asked of this joint as a value is made now */
    if (c->names.items[s->title.name].is_value && mech_bodies_joint_constraint(c->bodies, number) != SIZE_MAX &&
        mech_bodies_joint_count(c->bodies, number) == 1)
        (void)lang_take_symbol(c, mech_bodies_joint_coord(c->bodies, number, 0));
}

/* Values of words, none where they are not given; 0 when reported. */
static int read_words(lang_context *c, const lang_item *i, const char *const *table, mech_expr *values)
{
    int good = 1;
    for (; i; i = i->next) {
        const lang_value v = lang_evaluate_scalar(
            c, i->value, table == lang_spring_words ? "a number for the spring" : "a number for the motor");
        values[i->word] = v.scalar;
        good &= v.rank != RANK_ERROR;
    }
    return good;
}

/* Whether the words are those of something that turns or of something that slides. */
static int suits(lang_context *c, const lang_item *i, const char *const *table, int turns, int wrong_if_turns,
                 int wrong_if_slides)
{
    for (; i; i = i->next) {
        if (i->word != (turns ? wrong_if_turns : wrong_if_slides)) continue;
        lang_error(c, MECH_ERR_MODEL, i->span, NULL, "this joint %s: it takes '%s', not '%s'",
                   turns ? "turns" : "slides", table[turns ? wrong_if_slides : wrong_if_turns], table[i->word]);
        return 0;
    }
    return 1;
}

int lang_joint_turns(const lang_context *c, size_t joint, size_t k)
{
    const char *part = mech_bodies_joint_part(c->bodies, joint, k);
    return strncmp(part, ".angle", 6) == 0 ||
           (!*part && mech_bodies_joint_kind(c->bodies, joint) != MECH_JOINT_PRISMATIC);
}

void lang_run_spring(lang_context *c, const lang_statement *s)
{
    mech_expr v[SPRING_WORDS] = {{0}}, tension = {0};
    mech_place before, after;
    size_t joint, k;
    const lang_item *words = s->a ? s->items : s->items->next->next;
    mech_status status = MECH_ERR_MODEL;
    const size_t errors = lang_error_count(c);
    if (lang_need_bodies(c, s->span) && read_words(c, words, lang_spring_words, v)) {
        if (s->kind == STATEMENT_DAMPER &&
            (v[SPRING_STIFFNESS].id || v[SPRING_LENGTH].id || v[SPRING_ANGLE].id || !v[SPRING_DAMPING].id))
            lang_error(c, MECH_ERR_MODEL, s->span,
                       "write: damper NAME: ..., damping c; or a spring, which may have a damping too",
                       "a damper has a damping, and nothing else");
        else if (s->kind == STATEMENT_SPRING && !v[SPRING_STIFFNESS].id)
            lang_error(c, MECH_ERR_MODEL, s->span, "write: stiffness k; or a damper", "a spring needs its stiffness");
        else if (!s->a && v[SPRING_ANGLE].id)
            lang_error(c, MECH_ERR_MODEL, s->span, NULL, "a spring between places takes 'length', not 'angle'");
        else if (!s->a && s->kind == STATEMENT_SPRING && !v[SPRING_LENGTH].id)
            lang_error(c, MECH_ERR_MODEL, s->span, "write: length l; length 0 pulls at every distance",
                       "a spring between places needs its length at rest");
        else if (!s->a && (read_place(c, s->items, &before) & read_place(c, s->items->next, &after)))
            status = mech_bodies_spring(c->bodies, &before, &after, v[SPRING_STIFFNESS], v[SPRING_LENGTH],
                                        v[SPRING_DAMPING], &tension);
        else if (s->a && lang_joint_coordinate(c, s->a, &joint, &k) &&
                 suits(c, words, lang_spring_words, lang_joint_turns(c, joint, k), SPRING_LENGTH, SPRING_ANGLE))
            status = mech_bodies_spring_on(c->bodies, joint, k, v[SPRING_STIFFNESS],
                                           lang_joint_turns(c, joint, k) ? v[SPRING_ANGLE] : v[SPRING_LENGTH],
                                           v[SPRING_DAMPING], &tension);
    }
    if (status != MECH_OK && lang_error_count(c) > errors) {
        c->names.items[s->title.name].is_suspect = 1;
        return;
    }
    lang_take_status(c, status);
    lang_binding *b = status == MECH_OK ? lang_name_thing(c, &s->title, BIND_SPRING) : NULL;
    if (b) b->value = lang_scalar(tension);
}

/* What the motor does; 0 when reported. */
static int read_motor(lang_context *c, const lang_statement *s, int is_turning, mech_motor *motor)
{
    mech_expr v[MOTOR_WORDS] = {{0}};
    if (!read_words(c, s->items, lang_motor_words, v)) return 0;
    if (!suits(c, s->items, lang_motor_words, is_turning, MOTOR_FORCE, MOTOR_TORQUE)) return 0;
    if (!suits(c, s->items, lang_motor_words, is_turning, MOTOR_LENGTH, MOTOR_ANGLE)) return 0;
    const mech_expr effort = v[is_turning ? MOTOR_TORQUE : MOTOR_FORCE],
                    place = v[is_turning ? MOTOR_ANGLE : MOTOR_LENGTH], speed = v[MOTOR_SPEED];
    if (!!effort.id + !!place.id + !!speed.id != 1) {
        lang_error(c, MECH_ERR_MODEL, s->span,
                   "write: torque T (force F), or angle = f(t) (length = f(t)), or speed = f(t)",
                   "a motor gives one of an effort, a place and a speed");
        return 0;
    }
    *motor = (mech_motor){.size = sizeof *motor,
                          .kind = effort.id  ? MECH_MOTOR_EFFORT
                                  : place.id ? MECH_MOTOR_PLACE
                                             : MECH_MOTOR_SPEED,
                          .drive = effort.id  ? effort
                                   : place.id ? place
                                              : speed,
                          .rotor = v[MOTOR_ROTOR],
                          .gear = v[MOTOR_GEAR]};
    return 1;
}

void lang_run_motor(lang_context *c, const lang_statement *s)
{
    size_t joint, k, constraint = SIZE_MAX;
    mech_motor motor;
    lang_binding *b = NULL;
    if (lang_need_bodies(c, s->span) && lang_joint_coordinate(c, s->a, &joint, &k) &&
        read_motor(c, s, lang_joint_turns(c, joint, k), &motor))
        b = lang_name_thing(c, &s->title, BIND_MOTOR);
    if (!b) {
        c->names.items[s->title.name].is_suspect = 1;
        return;
    }
    const uint32_t full = b->name;
    lang_take_status(c, mech_bodies_motor(c->bodies, lang_text_of(c, full), joint, k, &motor, &constraint));
    if (constraint != SIZE_MAX) c->names.items[full].constraint = (uint32_t)constraint + 1;
}

/* ---- what a text asks of its joints ---- */

/* The last name of a path: 0 when the node is none. */
static uint32_t last_name(const lang_node *n)
{
    lang_title t;
    return lang_title_of(n, &t) ? t.name : 0;
}

/* Marks what an expression asks: joints as arguments of active(), lambda() ... are constraints, others are values. */
static void scan_expression(lang_context *c, const lang_node *n)
{
    const lang_node *child = n ? n->first : NULL;
    if (!n) return;
    if (n->kind == NODE_NAME) c->names.items[n->name].is_value = 1;
    if (n->kind == NODE_CALL && child) {
        const uint16_t builtin = c->names.items[n->name].builtin;
        const uint32_t name = last_name(child);
        if (builtin && lang_builtin_names_constraint(builtin - 1u)) {
            if (name) c->names.items[name].is_bound = 1;
            child = child->next;
        }
    }
    if (n->kind == NODE_MEMBER) {
        c->names.items[n->name].is_value = 1;
        if (child->kind == NODE_NAME) return; /* J.force does not ask for J */
    }
    for (; child; child = child->next) scan_expression(c, child);
}

static void scan_items(lang_context *c, const lang_item *i, int are_constraints)
{
    for (; i; i = i->next) {
        if (are_constraints && i->title.name) c->names.items[i->title.name].is_bound = 1;
        scan_expression(c, i->value);
        scan_items(c, i->items, 1); /* names of actions */
    }
}

/* Arguments that a component takes as constraints are constraints. 1 when that marked a name. */
static int scan_arguments(lang_context *c, const lang_statement *first, const lang_statement *part)
{
    int changed = 0;
    for (const lang_statement *s = first; s; s = s->next) {
        if (s->kind == STATEMENT_INCLUDE) changed |= scan_arguments(c, s->body, part);
        if (s->kind != STATEMENT_COMPONENT || part->a->kind != NODE_CALL || s->title.name != part->a->name) continue;
        const lang_node *given = part->a->first;
        for (const lang_node *a = s->items->arguments; a && given; a = a->next, given = given->next) {
            const uint32_t name = last_name(given);
            if (!name || !c->names.items[a->name].is_bound || c->names.items[name].is_bound) continue;
            c->names.items[name].is_bound = 1;
            changed = 1;
        }
    }
    return changed;
}

static int scan_parts(lang_context *c, const lang_statement *all, const lang_statement *first)
{
    int changed = 0;
    for (const lang_statement *s = first; s; s = s->next) {
        if (s->kind == STATEMENT_PART) changed |= scan_arguments(c, all, s);
        changed |= scan_parts(c, all, s->body) | scan_parts(c, all, s->other);
    }
    return changed;
}

/* 1 when there is a control statement. */
static int scan(lang_context *c, const lang_statement *first)
{
    int has_control = 0;
    for (const lang_statement *s = first; s; s = s->next) {
        const int names = s->kind == STATEMENT_NONIDEAL || (s->kind == STATEMENT_FRICTION && !s->word) ||
                          s->kind == STATEMENT_STABILIZE || (s->kind == STATEMENT_INITIAL && s->word);
        has_control |= s->kind == STATEMENT_CONTROL;
        scan_expression(c, s->a);
        scan_expression(c, s->b);
        scan_expression(c, s->c);
        scan_items(c, s->items, names);
        for (const lang_item *i = s->items; i; i = i->next)
            if (i->target && !names &&
                (s->kind == STATEMENT_CONSTRAINT || (s->kind >= STATEMENT_INITIAL && s->kind <= STATEMENT_EVERY)))
                scan_expression(c, i->target);
        has_control |= scan(c, s->body) | scan(c, s->other);
    }
    return has_control;
}

void lang_scan_joints(lang_context *c, const lang_statement *first)
{
    if (!scan(c, first))
        for (size_t i = 1; i < c->names.count; i++) c->names.items[i].is_value = 0;
    while (scan_parts(c, first, first)) continue;
}
