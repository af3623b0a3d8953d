/* Tokens to a syntax tree. */
#ifndef LANG_PARSER_H
#define LANG_PARSER_H

#include "lang/context.h"
#include "lang/lexer.h"

typedef struct lang_parser {
    lang_context *c;
    lang_lexer lexer;
    lang_token token; /* the next one */
    uint32_t previous_end;
    uint32_t source;
    const char *directory;            /* of the file */
    const char *path;                 /* of the file, for include cycles */
    const struct lang_parser *parent; /* the file that includes this one */
    int failed;                       /* the statement being read is given up; its error was reported */
    int depth;
    const char *usage; /* of the statement being read, for hints */
    int takes_label;   /* a quoted unit may stand in it          */
    int in_component;  /* within the block of one                */
} lang_parser;

/* All statements of a text; errors are reported and left out. NULL when there are none. */
lang_statement *lang_parse(lang_context *c, const lang_parser *parent, const char *name, const char *directory,
                           const char *text, size_t length);

/* ---- for the parse_*.c files ---- */
mech_span lang_span(const lang_parser *p, uint32_t start, uint32_t end);
mech_span lang_token_span(const lang_parser *p);
void lang_advance(lang_parser *p);
/* Reports at the present token (unless the statement failed already) and fails the statement. */
void lang_fail(lang_parser *p, const char *hint, const char *format, ...) __attribute__((format(printf, 3, 4)));
void lang_fail_at(lang_parser *p, mech_span span, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "expected WHAT, found ...", with the best hint there is */
void lang_expected(lang_parser *p, const char *what);
void lang_expected_expression(lang_parser *p);
/* What a name after a number probably was: a unit, a product; or NULL. */
const char *lang_slip_hint(const lang_parser *p);
/* The option of `simulate` that other tools call so, or NULL. */
const char *lang_other_option(const char *word);
/* What a measure keeps, likewise. */
const char *lang_other_measure(const char *word);
/* The kind of a joint, likewise. */
const char *lang_other_kind(const char *word);
/* Fails the statement: nothing starts with the present token. */
void lang_unknown_statement(lang_parser *p);
/* Fails the statement: an inequality stands where an equation belongs. */
void lang_inequality(lang_parser *p, mech_span span);
int lang_is(const lang_parser *p, lang_token_kind kind);
int lang_is_word(const lang_parser *p, const char *word);
/* The token after the present one. */
lang_token lang_peek(const lang_parser *p);
int lang_token_is_word(const lang_parser *p, lang_token token, const char *word);
/* Steps over it when it is there. accept_word and accept_open let newlines follow. */
int lang_accept(lang_parser *p, lang_token_kind kind);
int lang_accept_word(lang_parser *p, const char *word);
void lang_expect(lang_parser *p, lang_token_kind kind, const char *where);
/* '=' after the left side of an equation. */
void lang_expect_equals(lang_parser *p, const lang_node *left, const char *where);
void lang_expect_word(lang_parser *p, const char *word, const char *where);
void lang_skip_newlines(lang_parser *p);
/* After a failure within a block: to after its '}', or to the next line that begins a statement. */
void lang_leave_block(lang_parser *p);
/* 1 at a newline, ';', '}' or the end. */
int lang_at_end_of_statement(const lang_parser *p);
/* Number of the present name token, which is stepped over; 0 with a report when it is none. */
uint32_t lang_take_name(lang_parser *p, const char *what);
/* The same, of a name that is declared here. */
uint32_t lang_take_new_name(lang_parser *p, const char *what);
/* A quoted text, or NULL when none stands here. */
const char *lang_take_string(lang_parser *p);
void *lang_new(lang_parser *p, size_t size); /* zeroed, in the arena; NULL fails the statement */

/* parse_expression.c */
lang_node *lang_parse_expression(lang_parser *p);
/* range -> expression '..' expression ['step' expression] */
lang_node *lang_parse_range(lang_parser *p);
/* title -> name ['[' index {',' index} ']']: a name as it is declared */
lang_title lang_parse_title(lang_parser *p, const char *what);
/* path -> title {'.' title}: a name as it is referred to, as a node or a title */
lang_node *lang_parse_path(lang_parser *p, const char *what);
lang_title lang_parse_reference(lang_parser *p, const char *what);
/* arguments -> '(' name {',' name} ')' */
void lang_parse_arguments(lang_parser *p, lang_item *i);

/* parse_statement.c, parse_run.c: fill the statement, whose keyword was stepped over */
typedef void lang_parse_rule(lang_parser *p, lang_statement *s);
lang_parse_rule lang_parse_param, lang_parse_coord, lang_parse_let, lang_parse_state, lang_parse_input,
    lang_parse_energy, lang_parse_mass, lang_parse_force, lang_parse_constraint, lang_parse_nonideal,
    lang_parse_friction, lang_parse_control, lang_parse_actuator, lang_parse_output, lang_parse_measure,
    lang_parse_draw, lang_parse_initial, lang_parse_event, lang_parse_every, lang_parse_stabilize, lang_parse_simulate,
    lang_parse_allow, lang_parse_include, lang_parse_for, lang_parse_if, lang_parse_component, lang_parse_part,
    lang_parse_import;
/* parse_bodies.c */
lang_parse_rule lang_parse_gravity, lang_parse_coordinates, lang_parse_body, lang_parse_point, lang_parse_joint,
    lang_parse_spring, lang_parse_motor;
/* names -> title {',' title}; stops before a comma that is followed by what is no further name. */
lang_item *lang_parse_names(lang_parser *p, int (*is_other)(const lang_parser *p));
/* block -> '{' {statement} '}' */
lang_statement *lang_parse_block(lang_parser *p);

/* advice.c: at the second sign of a < b < c. */
void lang_chain(lang_parser *p);
/* advice.c: fails where this is what stands behind the comma of 9,81. */
void lang_decimal_comma(lang_parser *p, const lang_node *n);
/* Words a statement chooses from; tables end in NULL. */
extern const char *const lang_directions[],
    *const lang_actions[], *const lang_stabilizers[], *const lang_run_options[], *const lang_measure_kinds[];
/* Index in the table of the present word, which is stepped over; -1 with a report when it is not there. */
int lang_take_choice(lang_parser *p, const char *const *table, const char *what);
int lang_find_choice(const lang_parser *p, lang_token token, const char *const *table);

#endif
