/* What bodies, joints and springs hold: crank.c, hinge.force, hinge.load.torque, ball.e. */
#include "lang/bodies.h"

#include "lang/call.h"

#include <string.h>

/* Errors of the builder point at this place, until the next call for the statement. */
static void look_at(lang_context *c, mech_span span)
{
    lang_take_status(c, model_set_origin(c->model, span, c->loops, c->loop_count));
}

static lang_value finished(lang_context *c, mech_status status, lang_value v)
{
    lang_take_status(c, status);
    look_at(c, c->statement_span);
    return status == MECH_OK ? v : lang_no_value();
}

/* The coordinates of a joint in words, for hints. */
static const char *coordinates_of(lang_context *c, const lang_binding *joint)
{
    const char *name = lang_text_of(c, joint->stands_for ? joint->stands_for : joint->name);
    const size_t count = mech_bodies_joint_count(c->bodies, joint->thing);
    if (count == 0) return NULL;
    const char *first = mech_bodies_joint_part(c->bodies, joint->thing, 0),
               *last = mech_bodies_joint_part(c->bodies, joint->thing, count - 1);
    return count == 1 ? arena_format(&c->memory, "its coordinate is %s itself", name)
                      : arena_format(&c->memory, "its coordinates are %s%s to %s%s", name, first, name, last);
}

/* What others call what a body has, or NULL. */
static const char *body_word_meant(const char *word)
{
    static const char *const words[][2] = {
        {"x", "its origin is r: NAME.r[1]"},
        {"y", "its origin is r: NAME.r[2]"},
        {"z", "its origin is r: NAME.r[3]"},
        {"pos", "its origin is NAME.r, its mass centre NAME.c"},
        {"position", "its origin is NAME.r, its mass centre NAME.c"},
        {"com", "its mass centre is NAME.c"},
        {"v", "velocities are primes: NAME.r' of its origin, NAME.c' of its mass centre"},
        {"velocity", "velocities are primes: NAME.r' of its origin, NAME.c' of its mass centre"},
        {"a", "accelerations are primes: NAME.r'' of its origin, NAME.c'' of its mass centre"},
        {"omega", "its angular velocity is NAME.w"},
        {"theta", "in the plane its angle is NAME.angle; in space its attitude is NAME.R"},
        {"phi", "in the plane its angle is NAME.angle; in space its attitude is NAME.R"},
        {"mass", "give the mass a name: param m = 1, then body NAME: mass m"},
        {"m", "give the mass a name: param m = 1, then body NAME: mass m"},
        {"inertia", "give the inertia a name: param J = 1, then body NAME: mass m, inertia J"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], word) == 0) return words[i][1];
    return NULL;
}

static void no_member(lang_context *c, const lang_binding *of, const lang_node *n, const char *const *known)
{
    lang_guess guess;
    const uint32_t full = of->stands_for ? of->stands_for : of->name;
    lang_guess_start(&guess, lang_text_of(c, n->name));
    const char *hint = NULL;
    for (size_t i = 0; known[i]; i++) { /* a word that other joints and bodies have is no misprint */
        if (strcmp(known[i], lang_text_of(c, n->name)) != 0) lang_guess_try(&guess, known[i]);
        else if (of->kind == BIND_JOINT) hint = coordinates_of(c, of);
    }
    for (size_t i = 0; i < c->global_count; i++) {
        const char *text = lang_text_within(c, c->globals[i].name, full);
        if (text != lang_text_of(c, c->globals[i].name)) lang_guess_try(&guess, text);
    }
    if (of->kind == BIND_BODY && strcmp(lang_text_of(c, n->name), "e") == 0)
        hint = "its attitude is R; e is there where a body has coordinates of its own: coordinates absolute";
    if (!hint && of->kind == BIND_BODY) hint = body_word_meant(lang_text_of(c, n->name));
    if (!hint) hint = lang_hint(c, &guess);
    if (!hint && of->kind == BIND_BODY) hint = "a body has r, R, c, w (in the plane: angle) and its points";
    if (!hint && of->kind == BIND_JOINT)
        hint = "a joint has force, torque, load.force, load.torque and its coordinates";
    if (!hint) hint = "a spring has force";
    lang_error(c, MECH_ERR_MODEL, n->mark, hint, "%s '%s' has no '%s'", lang_binding_word(of->kind) + 2,
               lang_text_of(c, full), lang_text_of(c, n->name));
}

/* Of a body that has coordinates of its own. */
static lang_value euler_parameters(lang_context *c, const lang_binding *of, const lang_node *n)
{
    lang_value v = lang_make(c, RANK_VECTOR, 4, 1, n->span);
    for (size_t k = 0; k < 4 && v.rank != RANK_ERROR; k++)
        v.items[k] = mech_bodies_own_coord(c->bodies, of->thing, 3 + k);
    return v;
}

static const char *const body_words[] = {"r", "R", "c", "w", "angle", NULL}; /* in the order of mech_body_value */

static int body_word(const char *name)
{
    int what = 0;
    while (body_words[what] && strcmp(body_words[what], name) != 0) what++;
    return what;
}

static lang_value body_member(lang_context *c, const lang_binding *of, const lang_node *n)
{
    const char *name = lang_text_of(c, n->name);
    const int what = body_word(name);
    if (strcmp(name, "e") == 0 && c->dimension == 3 && mech_bodies_own_coord(c->bodies, of->thing, 3).id)
        return euler_parameters(c, of, n);
    if (!body_words[what]) {
        no_member(c, of, n, body_words);
        return lang_no_value();
    }
    const size_t d = c->dimension;
    lang_value v = what == MECH_BODY_ATTITUDE ? lang_make(c, RANK_MATRIX, d, d, n->span)
                   : what == MECH_BODY_ANGLE || (what == MECH_BODY_OMEGA && d == 2)
                       ? lang_scalar(EXPR_ZERO)
                       : lang_make(c, RANK_VECTOR, d, 1, n->span);
    if (v.rank == RANK_ERROR) return v;
    look_at(c, n->span);
    const mech_status status =
        mech_bodies_value(c->bodies, of->thing, (mech_body_value)what, v.rank == RANK_SCALAR ? &v.scalar : v.items);
    return finished(c, status, v);
}

lang_value lang_point_value(lang_context *c, const lang_binding *point, mech_span span)
{
    lang_value v = lang_make(c, RANK_VECTOR, c->dimension, 1, span);
    if (v.rank == RANK_ERROR) return v;
    look_at(c, span);
    return finished(c, mech_bodies_point(c->bodies, point->thing, point->value.items, v.items), v);
}

static lang_value wrench(lang_context *c, const lang_binding *of, const lang_node *n, int with_load)
{
    const int is_torque = strcmp(lang_text_of(c, n->name), "torque") == 0;
    static const mech_wrench kinds[2][2] = {{MECH_WRENCH_FORCE, MECH_WRENCH_TORQUE},
                                            {MECH_WRENCH_LOAD_FORCE, MECH_WRENCH_LOAD_TORQUE}};
    lang_value v =
        is_torque && c->dimension == 2 ? lang_scalar(EXPR_ZERO) : lang_make(c, RANK_VECTOR, c->dimension, 1, n->span);
    if (v.rank == RANK_ERROR) return v;
    look_at(c, n->span);
    return finished(c,
                    mech_bodies_joint_wrench(c->bodies, of->thing, kinds[with_load][is_torque],
                                             v.rank == RANK_SCALAR ? &v.scalar : v.items),
                    v);
}

/* One coordinate of a joint as a value. */
static lang_value coordinate(lang_context *c, size_t joint, size_t k, mech_span span)
{
    look_at(c, span);
    const lang_value v = lang_take_symbol(c, mech_bodies_joint_coord(c->bodies, joint, k));
    look_at(c, c->statement_span);
    return v;
}

/* Coordinates of a joint whose names begin so: the first, and how many; 0: none. */
static size_t find_coordinates(const lang_context *c, size_t joint, const char *name, size_t *first)
{
    size_t count = 0;
    const size_t all = mech_bodies_joint_count(c->bodies, joint);
    for (size_t k = 0; k < all; k++) {
        const char *part = mech_bodies_joint_part(c->bodies, joint, k);
        const size_t length = strlen(name);
        if (part[0] != '.' || strncmp(part + 1, name, length) != 0 || (part[length + 1] && part[length + 1] != '['))
            continue;
        if (count++ == 0) *first = k;
    }
    return count;
}

static lang_value joint_member(lang_context *c, const lang_binding *of, const lang_node *n)
{
    static const char *const words[] = {"force", "torque", "load", "angle", "slide", "e", "x", "y", "r", NULL};
    const char *name = lang_text_of(c, n->name);
    const int with_load = n->first->kind == NODE_MEMBER && strcmp(lang_text_of(c, n->first->name), "load") == 0;
    size_t first = 0;
    if (strcmp(name, "force") == 0 || strcmp(name, "torque") == 0) return wrench(c, of, n, with_load);
    if (with_load || strcmp(name, "load") == 0) {
        lang_error(c, MECH_ERR_MODEL, n->mark, NULL, "a load is NAME.load.force or NAME.load.torque");
        return lang_no_value();
    }
    const size_t count = find_coordinates(c, of->thing, name, &first);
    if (count == 0) {
        no_member(c, of, n, words);
        return lang_no_value();
    }
    if (!strchr(mech_bodies_joint_part(c->bodies, of->thing, first), '['))
        return coordinate(c, of->thing, first, n->span);
    lang_value v = lang_make(c, RANK_VECTOR, count, 1, n->span);
    for (size_t k = 0; k < count && v.rank != RANK_ERROR; k++) {
        const lang_value one = coordinate(c, of->thing, first + k, n->span);
        if (one.rank == RANK_ERROR) return one;
        v.items[k] = one.scalar;
    }
    return v;
}

lang_value lang_thing_member(lang_context *c, const lang_binding *of, const lang_node *n)
{
    static const char *const words[] = {"force", NULL};
    if (of->kind == BIND_BODY) return body_member(c, of, n);
    if (of->kind == BIND_JOINT) return joint_member(c, of, n);
    if (strcmp(lang_text_of(c, n->name), "force") == 0) return of->value;
    no_member(c, of, n, words);
    return lang_no_value();
}

/* Reports that a joint has not just one coordinate, and which it has. */
static void several_coordinates(lang_context *c, const lang_binding *joint, mech_span span)
{
    const char *name = lang_text_of(c, joint->stands_for ? joint->stands_for : joint->name);
    if (joint->thing == SIZE_MAX) return; /* what is wrong with it was said */
    lang_error(c, MECH_ERR_MODEL, span, coordinates_of(c, joint),
               mech_bodies_joint_count(c->bodies, joint->thing) ? "joint '%s' has more than one coordinate"
                                                                : "joint '%s' has no coordinate",
               name);
}

lang_value lang_joint_value(lang_context *c, const lang_binding *joint, mech_span span)
{
    if (mech_bodies_joint_count(c->bodies, joint->thing) == 1) return coordinate(c, joint->thing, 0, span);
    several_coordinates(c, joint, span);
    return lang_no_value();
}

static void no_joint(lang_context *c, const lang_node *n)
{
    lang_guess guess;
    if (n->kind == NODE_NAME && c->names.items[n->name].is_suspect) return;
    lang_guess_start(&guess, n->kind == NODE_NAME ? lang_text_of(c, n->name) : "");
    for (size_t i = 0; i < c->global_count; i++)
        if (c->globals[i].kind == BIND_JOINT)
            lang_guess_try(&guess, lang_text_within(c, c->globals[i].name, c->scope.part));
    if (n->kind == NODE_NAME)
        lang_error(c, MECH_ERR_MODEL, n->span, lang_hint(c, &guess), "there is no joint '%s'",
                   lang_text_of(c, n->name));
    else lang_error(c, MECH_ERR_MODEL, n->span, NULL, "expected a joint, or a coordinate of one");
}

/* J.angle, J.angle[2] of a joint; 0 when reported. */
static int part_of_joint(lang_context *c, const lang_binding *joint, const lang_node *path, const lang_node *index,
                         size_t *k)
{
    size_t first = 0;
    int64_t i = 1;
    const size_t count = find_coordinates(c, joint->thing, lang_text_of(c, path->name), &first);
    if (index && !lang_integer(c, index, "an index", &i)) return 0;
    *k = first + (size_t)i - 1;
    if ((count == 1 || (count > 1 && index)) && i >= 1 && (size_t)i <= count) return 1;
    several_coordinates(c, joint, path->span);
    return 0;
}

int lang_joint_coordinate(lang_context *c, const lang_node *n, size_t *joint, size_t *k)
{
    const lang_node *path = n->kind == NODE_INDEX ? n->first : n;
    lang_binding *b = NULL;
    const size_t errors = lang_error_count(c);
    if (path->kind == NODE_MEMBER) (void)lang_thing(c, path->first, &b);
    if (b && b->kind == BIND_JOINT) {
        *joint = b->thing;
        return part_of_joint(c, b, path, n == path ? NULL : path->next, k);
    }
    b = NULL;
    if (lang_error_count(c) == errors) (void)lang_thing(c, n, &b);
    if (b && b->kind == BIND_JOINT) {
        *joint = b->thing;
        *k = 0;
        if (mech_bodies_joint_count(c->bodies, *joint) == 1) return 1;
        several_coordinates(c, b, n->span);
    } else if (lang_error_count(c) == errors) no_joint(c, n);
    return 0;
}

size_t lang_body_of(lang_context *c, const lang_node *n)
{
    lang_binding *b = NULL;
    lang_guess guess;
    const size_t errors = lang_error_count(c);
    static const char *const none[] = {NULL};
    (void)lang_thing(c, n, &b);
    if (b && b->kind == BIND_BODY) return b->thing;
    if (!b && n->kind == NODE_MEMBER && lang_error_count(c) == errors) {
        (void)lang_thing(c, n->first, &b);
        if (b && b->kind == BIND_BODY &&
            !body_words[body_word(lang_text_of(c, n->name))]) { /* a point that is misspelt */
            no_member(c, b, n, none);
            return SIZE_MAX;
        }
        b = NULL;
    }
    if (!b && n->kind == NODE_NAME && strcmp(lang_text_of(c, n->name), "ground") == 0) return MECH_GROUND;
    if (lang_error_count(c) > errors || (n->kind == NODE_NAME && c->names.items[n->name].is_suspect)) return SIZE_MAX;
    lang_guess_start(&guess, n->kind == NODE_NAME ? lang_text_of(c, n->name) : "");
    lang_guess_try(&guess, "ground");
    for (size_t i = 0; i < c->global_count; i++)
        if (c->globals[i].kind == BIND_BODY)
            lang_guess_try(&guess, lang_text_within(c, c->globals[i].name, c->scope.part));
    if (b) lang_error(c, MECH_ERR_MODEL, n->span, NULL, "expected a body, found %s", lang_binding_word(b->kind));
    else if (n->kind == NODE_NAME)
        lang_error(c, MECH_ERR_MODEL, n->span, lang_hint(c, &guess), "there is no body '%s'", lang_text_of(c, n->name));
    else lang_error(c, MECH_ERR_MODEL, n->span, NULL, "expected a body");
    return SIZE_MAX;
}

/* axes(BODY, v) */
lang_value lang_fn_axes(lang_context *c, const lang_node *n, int which)
{
    (void)which;
    if (!lang_need_bodies(c, n->span)) return lang_no_value();
    const size_t body = lang_body_of(c, n->first);
    const mech_expr *v = body == SIZE_MAX ? NULL : lang_entries(c, n->first->next, RANK_VECTOR, "what axes() takes");
    lang_value r = v ? lang_make(c, RANK_VECTOR, c->dimension, 1, n->span) : lang_no_value();
    if (r.rank == RANK_ERROR) return r;
    look_at(c, n->span);
    return finished(c, mech_bodies_axes(c->bodies, body, v, r.items), r);
}
