/* Statements of bodies and joints. */
#include "lang/bodies.h"

#include "lang/parser.h"

const char *const lang_body_words[] = {"mass",   "center", "inertia", "rod", "box",    "cylinder",
                                       "sphere", "disc",   "density", "at",  "turned", NULL};
const char *const lang_joint_kinds[] = {"revolute", "prismatic", "screw", "cylindrical", "universal", "spherical",
                                        "planar",   "fixed",     "free",  "distance",    "slot",      NULL};
const char *const lang_spring_words[] = {"stiffness", "length", "angle", "damping", NULL};
const char *const lang_motor_words[] = {"torque", "force", "angle", "length", "speed", "rotor", "gear", NULL};
static const char *const coordinates[] = {"relative", "absolute", NULL};

static lang_item *append_item(lang_parser *p, lang_item ***last)
{
    lang_item *i = p->failed ? NULL : lang_new(p, sizeof *i);
    if (!i) return NULL;
    i->span = lang_token_span(p);
    **last = i;
    *last = &i->next;
    return i;
}

/* gravity -> 'gravity' expression */
void lang_parse_gravity(lang_parser *p, lang_statement *s)
{
    if (p->in_component) lang_fail(p, "write 'gravity' once, outside", "a component does not say how gravity pulls");
    s->a = lang_parse_expression(p);
}

/* coordinates -> 'coordinates' ('relative' | 'absolute') */
void lang_parse_coordinates(lang_parser *p, lang_statement *s)
{
    s->word = lang_take_choice(p, coordinates, "how bodies are placed");
}

/* rod -> 'rod' expression 'to' expression; cylinder -> 'cylinder' expression ',' expression; else one expression */
static void parse_property(lang_parser *p, lang_item *i)
{
    i->word = lang_take_choice(p, lang_body_words, "what a body is made of");
    i->value = lang_parse_expression(p);
    if (i->word == BODY_ROD) {
        lang_expect_word(p, "to", "and the other end of the rod");
        i->target = lang_parse_expression(p);
    }
    if (i->word == BODY_CYLINDER) {
        lang_expect(p, TOK_COMMA, "and the height of the cylinder");
        const lang_token_kind next = lang_peek(p).kind;
        if (!p->failed && lang_find_choice(p, p->token, lang_body_words) >= 0 &&
            (next == TOK_NUMBER || next == TOK_NAME || next == TOK_LBRACKET))
            lang_fail(p, "write: cylinder r, h", "a cylinder has a radius and a height");
        i->target = lang_parse_expression(p);
    }
    i->span.end = p->previous_end;
}

/* body -> 'body' title [':' property {',' property}] */
void lang_parse_body(lang_parser *p, lang_statement *s)
{
    lang_item **last = &s->items;
    s->title = lang_parse_title(p, "the name of a body");
    if (lang_at_end_of_statement(p)) return;
    lang_expect(p, TOK_COLON, "and what the body is made of");
    do {
        lang_item *i = append_item(p, &last);
        if (!i) return;
        parse_property(p, i);
    } while (lang_accept(p, TOK_COMMA));
}

/* point -> 'point' path '.' name '=' expression */
void lang_parse_point(lang_parser *p, lang_statement *s)
{
    s->title = lang_parse_reference(p, "a body, a '.' and the name of its point");
    if (!p->failed && s->title.within && s->title.indices)
        lang_fail_at(p, s->title.span, p->usage, "expected '=' between the name of a point and where it is");
    if (!p->failed && !s->title.within)
        lang_fail_at(p, s->title.span, p->usage, "a point has the name of its body before its own");
    lang_expect(p, TOK_ASSIGN, "and where the point is in the body");
    s->a = lang_parse_expression(p);
}

/* place -> path ['at' expression] ['turned' expression] */
static void parse_place(lang_parser *p, lang_item ***last)
{
    lang_item *i = append_item(p, last);
    if (!i) return;
    i->target = lang_parse_path(p, "a body or a point of one");
    if (lang_accept_word(p, "at")) i->value = lang_parse_expression(p);
    if (lang_accept_word(p, "turned")) i->arguments = lang_parse_expression(p);
    i->span.end = p->previous_end;
}

/* places -> place 'to' place */
static void parse_places(lang_parser *p, lang_item ***last)
{
    parse_place(p, last);
    lang_expect_word(p, "to", "and the other place");
    parse_place(p, last);
}

static lang_node *parse_axis(lang_parser *p, const char *word)
{
    lang_expect_word(p, word, "and a vector");
    return lang_parse_expression(p);
}

static const char *kind_usage(mech_joint_kind kind)
{
    switch (kind) {
    case MECH_JOINT_PRISMATIC: return "write: joint NAME: BODY to BODY, prismatic along [1, 0, 0]";
    case MECH_JOINT_SCREW: return "write: joint NAME: BODY to BODY, screw along [0, 0, 1] pitch p";
    case MECH_JOINT_CYLINDRICAL: return "write: joint NAME: BODY to BODY, cylindrical along [0, 0, 1]";
    case MECH_JOINT_UNIVERSAL: return "write: joint NAME: BODY to BODY, universal about [1, 0, 0], [0, 1, 0]";
    case MECH_JOINT_SLOT: return "write: joint NAME: BODY at P to BODY, slot along [1, 0, 0]";
    default: return lang_statement_usage(STATEMENT_JOINT);
    }
}

/* What follows the word of a kind. */
static void parse_kind(lang_parser *p, lang_statement *s)
{
    switch ((mech_joint_kind)s->word) {
    case MECH_JOINT_REVOLUTE:
        if (lang_is_word(p, "about")) s->a = parse_axis(p, "about");
        return;
    case MECH_JOINT_SCREW:
        s->a = parse_axis(p, "along");
        lang_expect_word(p, "pitch", "and the advance of one turn");
        s->c = lang_parse_expression(p);
        return;
    case MECH_JOINT_UNIVERSAL:
        s->a = parse_axis(p, "about");
        lang_expect(p, TOK_COMMA, "and the second axis");
        s->b = lang_parse_expression(p);
        return;
    case MECH_JOINT_PRISMATIC:
    case MECH_JOINT_CYLINDRICAL:
    case MECH_JOINT_SLOT: s->a = parse_axis(p, "along"); return;
    case MECH_JOINT_PLANAR:
        if (lang_is_word(p, "normal")) s->a = parse_axis(p, "normal");
        return;
    case MECH_JOINT_DISTANCE: s->c = lang_parse_expression(p); return;
    default: return;
    }
}

/* joint -> 'joint' title ':' place 'to' place ',' kind [[','] 'by' 'constraint'] */
void lang_parse_joint(lang_parser *p, lang_statement *s)
{
    lang_item **last = &s->items;
    s->title = lang_parse_title(p, "the name of a joint");
    lang_expect(p, TOK_COLON, "and what the joint ties");
    parse_places(p, &last);
    lang_expect(p, TOK_COMMA, "and the kind of the joint");
    s->word = lang_take_choice(p, lang_joint_kinds, "the kind of the joint");
    if (p->failed) return;
    p->usage = kind_usage((mech_joint_kind)s->word);
    parse_kind(p, s);
    if (p->failed || lang_at_end_of_statement(p)) return;
    lang_accept(p, TOK_COMMA);
    lang_expect_word(p, "by", "constraint, or the end of the statement");
    lang_expect_word(p, "constraint", "after 'by'");
    if (!p->failed) s->items->word = 1;
}

/* Words with an expression each, some with a '=' between. */
static void parse_words(lang_parser *p, lang_item ***last, const char *const *table, const char *what,
                        unsigned with_equals)
{
    unsigned given = 0;
    do {
        lang_item *i = append_item(p, last);
        if (!i) return;
        i->word = lang_take_choice(p, table, what);
        if (p->failed) return;
        if (given & 1u << i->word) lang_fail_at(p, i->span, "leave one of them", "'%s' is given twice", table[i->word]);
        given |= 1u << i->word;
        if (with_equals & 1u << i->word) lang_expect(p, TOK_ASSIGN, "and what it is made to be");
        i->value = lang_parse_expression(p);
        i->span.end = p->previous_end;
    } while (lang_accept(p, TOK_COMMA));
}

/* spring -> ('spring' | 'damper') title ('on' path ':' | ':' place 'to' place ',') word expression {',' word
   expression} */
void lang_parse_spring(lang_parser *p, lang_statement *s)
{
    lang_item **last = &s->items;
    s->title = lang_parse_title(p, s->kind == STATEMENT_SPRING ? "the name of a spring" : "the name of a damper");
    if (lang_accept_word(p, "on")) {
        s->a = lang_parse_path(p, "the name of a joint");
        lang_expect(p, TOK_COLON, "and what the spring is like");
    } else {
        lang_expect(p, TOK_COLON, "and two places, or 'on' and a joint");
        parse_places(p, &last);
        lang_expect(p, TOK_COMMA, "and what the spring is like");
    }
    parse_words(p, &last, lang_spring_words, "what the spring is like", 0);
}

/* motor -> 'motor' title 'on' path ':' ('torque' | 'force' | 'rotor' | 'gear') expression | ('angle' | 'length' |
   'speed') '=' expression {',' ...} */
void lang_parse_motor(lang_parser *p, lang_statement *s)
{
    lang_item **last = &s->items;
    s->title = lang_parse_title(p, "the name of a motor");
    lang_expect_word(p, "on", "and the joint that the motor drives");
    s->a = lang_parse_path(p, "the name of a joint");
    lang_expect(p, TOK_COLON, "and what the motor does");
    parse_words(p, &last, lang_motor_words, "what the motor does",
                1u << MOTOR_ANGLE | 1u << MOTOR_LENGTH | 1u << MOTOR_SPEED);
}
