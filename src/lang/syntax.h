/* The syntax tree: what was written, before it means anything. Lives in the reader's arena. */
#ifndef LANG_SYNTAX_H
#define LANG_SYNTAX_H

#include "base/diagnostics.h"
#include "expr/pool.h"

/* kind and the name a dump gives it */
#define LANG_NODES(X)                                                                                                  \
    X(NODE_NUMBER, "number")                                                                                           \
    X(NODE_NAME, "name")                                                                                               \
    X(NODE_LIST, "list")         /* [a, b]                          children: entries          */                      \
    X(NODE_EACH, "each")         /* [e for i in a..b]               name; children: e, range   */                      \
    X(NODE_INDEX, "index")       /* e[i, j]                         children: e, i, j          */                      \
    X(NODE_CALL, "call")         /* f(a, b)                         name; children: arguments  */                      \
    X(NODE_SUM, "sum")           /* sum(i in a..b: e)               name; children: e, range   */                      \
    X(NODE_PRIME, "prime")       /* e''                             op: how many; child: e     */                      \
    X(NODE_NEGATE, "negate")     /* -e                                                         */                      \
    X(NODE_NOT, "not")           /* not e                                                      */                      \
    X(NODE_POWER, "power")       /* a^b                                                        */                      \
    X(NODE_ADD, "add")           /* a + b - c                       joint of each child        */                      \
    X(NODE_MULTIPLY, "multiply") /* a*b/c                           joint of each child        */                      \
    X(NODE_COMPARE, "compare")   /* a < b                           op: the token              */                      \
    X(NODE_AND, "and")           /* a and b and c                                              */                      \
    X(NODE_OR, "or")             /* a or b or c                                                */                      \
    X(NODE_RANGE, "range")       /* a..b [step s]                   children: a, b, s          */                      \
    X(NODE_MEMBER, "member")     /* e.name                          name; child: e             */                      \
    X(NODE_TEXT, "text")         /* "file.csv", smooth              text; op 1: a plain word   */

typedef enum lang_node_kind {
#define LANG_NODE_ENUM(name, text) name,
    LANG_NODES(LANG_NODE_ENUM)
#undef LANG_NODE_ENUM
        NODE_COUNT
} lang_node_kind;

typedef struct lang_node {
    uint8_t kind;      /* lang_node_kind                                                   */
    uint8_t op;        /* a token kind or a count, see above                               */
    uint8_t joint;     /* token kind of the operator before this child of a sum or product */
    uint16_t depth;    /* 1 + that of its deepest child                                    */
    uint32_t name;     /* number of a name, see names.h                                    */
    uint32_t count;    /* children                                                         */
    uint32_t joint_at; /* offset of that operator                                          */
    mech_span span;    /* all of it                                                        */
    mech_span mark;    /* the operator or the name: what to underline                      */
    struct lang_node *first, *next;
    const char *text;      /* a number's digits, a quoted text */
    const char *directory; /* of a quoted text: that of the file it stands in */
    uint32_t length;
    mech_expr value; /* of a number, once known */
} lang_node;

/* A name as it is declared or referred to: foot, foot[i], x[1..K], leg[2].foot[i]. */
typedef struct lang_title {
    uint32_t name; /* 0: none */
    mech_span span;
    lang_node *indices; /* list of expressions or ranges, or NULL */
    uint32_t index_count;
    const lang_node *within; /* what stands before the last '.', or NULL */
} lang_title;

/* One entry of a statement's list: a parameter, an action, an option, ... Fields as its kind needs. */
typedef struct lang_item {
    struct lang_item *next;
    int word; /* which action or option: see the statement */
    mech_span span;
    lang_title title;
    lang_node *target, *value;
    const char *unit;        /* a quoted text, or NULL    */
    const char *text;        /* a second one, or a word   */
    int is_held;             /* of the column of an input */
    struct lang_item *items; /* names of an action; `where` parts */
    lang_node *arguments;    /* of a function: NODE_NAMEs, chained */
    uint32_t argument_count;
} lang_item;

/* keyword and how the statement is read; the order is that of the reference */
/* clang-format off */
#define LANG_STATEMENTS(X)                                                                         \
    X(PARAM, "param") X(COORD, "coord") X(LET, "let") X(STATE, "state") X(SAMPLED, "sampled") X(INPUT, "input")          \
    X(KINETIC, "kinetic") X(POTENTIAL, "potential") X(DISSIPATION, "dissipation") X(MASS, "mass")  \
    X(FORCE, "force") X(CONSTRAINT, "constraint") X(NONIDEAL, "nonideal") X(FRICTION, "friction")  \
    X(CONTROL, "control") X(ACTUATOR, "actuator") X(OUTPUT, "output") X(MEASURE, "measure") X(DRAW, "draw") X(INITIAL, "initial")  \
    X(GUESS, "guess") X(STEADY, "steady") X(EVENT, "event") X(EVERY, "every") X(STABILIZE, "stabilize")  \
    X(SIMULATE, "simulate") X(ALLOW, "allow") X(INCLUDE, "include") X(FOR, "for") X(IF, "if")      \
    X(COMPONENT, "component") X(PART, "part") X(IMPORT, "import") X(GRAVITY, "gravity") X(COORDINATES, "coordinates")  \
    X(BODY, "body") X(POINT, "point") X(JOINT, "joint") X(SPRING, "spring") X(DAMPER, "damper")    \
    X(MOTOR, "motor")
/* clang-format on */

typedef enum lang_statement_kind {
#define LANG_STATEMENT_ENUM(name, text) STATEMENT_##name,
    LANG_STATEMENTS(LANG_STATEMENT_ENUM)
#undef LANG_STATEMENT_ENUM
        STATEMENT_COUNT
} lang_statement_kind;

typedef struct lang_statement {
    struct lang_statement *next;
    lang_statement_kind kind;
    int has_failed; /* reported in an earlier turn of its loop: not tried again */
    int word;       /* direction, weight, way to stabilize, kind of law         */
    mech_span span;
    lang_title title; /* its name, or a loop's index                              */
    lang_node *a, *b, *c;
    lang_item *items;
    struct lang_statement *body, *other; /* for, if, include: the block; if: else  */
    const char *directory;               /* of the file it stands in               */
} lang_statement;

/* The title a path is: leg[2].foot[3]; 0 when the node is no path. */
int lang_title_of(const lang_node *n, lang_title *t);
/* The keyword of a statement, a node's word in a dump. Static. */
const char *lang_statement_word(lang_statement_kind kind);
/* How it is written. Static. */
const char *lang_statement_usage(lang_statement_kind kind);

#endif
