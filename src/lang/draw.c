/* draw: what people see of a model. Points and numbers of it become expressions that are evaluated beside the run. */
#include "lang/draw.h"

#include "bodies/bodies.h"
#include "lang/parser.h"
#include "lang/statement.h"

#include <ctype.h>
#include <string.h>

const char *const lang_draw_kinds[] = {"point",    "line",   "trace",  "circle", "box",
                                       "cylinder", "sphere", "spring", "arrow",  NULL};
const char *const lang_draw_words[] = {"radius", "size", "turn", "frame", "scale", "width", "when", "colour", NULL};

/* ---- parsing ---- */

/* A word of ours, and not the beginning of an expression with a name that is the same. */
static int option_follows(const lang_parser *p)
{
    const int word = lang_is(p, TOK_NAME) ? lang_find_choice(p, p->token, lang_draw_words) : -1;
    const lang_token_kind next = lang_peek(p).kind;
    return word >= 0 && (next == TOK_NAME || next == TOK_NUMBER || next == TOK_LBRACKET || next == TOK_STRING ||
                         next == TOK_MINUS || next == TOK_LPAREN)
               ? word
               : -1;
}

/* draw -> 'draw' kind expression {',' expression | ',' word expression | ',' 'colour' (name | string)} */
void lang_parse_draw(lang_parser *p, lang_statement *s)
{
    lang_item **last = &s->items;
    s->word = lang_take_choice(p, lang_draw_kinds, "what is drawn");
    do {
        lang_item *i = p->failed ? NULL : lang_new(p, sizeof *i);
        if (!i) return;
        i->span = lang_token_span(p);
        i->word = option_follows(p);
        *last = i;
        last = &i->next;
        if (i->word < 0 && lang_is_word(p, "color") && lang_peek(p).kind == TOK_NAME)
            lang_fail(p, "did you mean 'colour'? write: colour red", "there is no 'color' of a drawing");
        if (i->word >= 0) lang_advance(p);
        if (i->word == DRAW_COLOUR && lang_is(p, TOK_STRING)) i->text = lang_take_string(p);
        else if (i->word == DRAW_COLOUR) i->title = lang_parse_title(p, "the name of a colour");
        else i->value = lang_parse_expression(p);
        i->span.end = p->previous_end;
    } while (lang_accept(p, TOK_COMMA));
}

/* ---- building ---- */

enum { MOST_VALUES = 300 };

/* What each kind takes: points (0: two or more), and words. */
static const struct {
    size_t points;
    unsigned needs, takes;
} rules[] = {[MECH_DRAW_POINT] = {1, 0, 0},
             [MECH_DRAW_LINE] = {0, 0, 0},
             [MECH_DRAW_TRACE] = {1, 0, 0},
             [MECH_DRAW_CIRCLE] = {1, 1 << DRAW_RADIUS, 1 << DRAW_TURN | 1 << DRAW_FRAME},
             [MECH_DRAW_BOX] = {1, 1 << DRAW_SIZE, 1 << DRAW_FRAME},
             [MECH_DRAW_CYLINDER] = {2, 1 << DRAW_RADIUS, 0},
             [MECH_DRAW_SPHERE] = {1, 1 << DRAW_RADIUS, 0},
             [MECH_DRAW_SPRING] = {2, 0, 0},
             [MECH_DRAW_ARROW] = {2, 0, 1 << DRAW_SCALE}};

typedef struct draft {
    mech_drawing d;
    mech_expr values[MOST_VALUES];
    const lang_item *words[DRAW_COLOUR + 1]; /* NULL: not said */
    size_t points;
} draft;

static int add_values(lang_context *c, draft *f, const lang_value *v, mech_span span)
{
    if (f->d.count + lang_size(v) > MOST_VALUES) {
        lang_error(c, MECH_ERR_LIMIT, span, "divide it into several lines", "one drawing has at most %d numbers",
                   MOST_VALUES);
        return 0;
    }
    for (size_t k = 0; k < lang_size(v); k++) f->values[f->d.count++] = lang_items(v)[k];
    return 1;
}

static int add_point(lang_context *c, draft *f, const lang_item *i)
{
    char shape[LANG_SHAPE_TEXT];
    const lang_value v = lang_evaluate(c, i->value);
    if (v.rank == RANK_ERROR) return 0;
    if (v.rank != RANK_VECTOR || v.rows < 2 || v.rows > 3) {
        lang_error(c, MECH_ERR_MODEL, i->span, "in the plane [x, y], in space [x, y, z]",
                   "a point that is drawn is a vector of 2 or 3, not %s", lang_shape(&v, shape));
        return 0;
    }
    if (f->points && v.rows != f->d.dimension) {
        lang_error(c, MECH_ERR_MODEL, i->span, NULL, "this point has %u entries, and the one before it %zu", v.rows,
                   f->d.dimension);
        return 0;
    }
    f->d.dimension = v.rows;
    f->points++;
    return add_values(c, f, &v, i->span);
}

/* The value of a word, which has so many entries (1: a number). */
static int add_word(lang_context *c, draft *f, lang_draw_word word, size_t entries)
{
    char shape[LANG_SHAPE_TEXT];
    const lang_item *i = f->words[word];
    const lang_value v = lang_evaluate(c, i->value);
    if (v.rank == RANK_ERROR) return 0;
    if (lang_size(&v) == entries && (entries == 1) == (v.rank == RANK_SCALAR)) return add_values(c, f, &v, i->span);
    lang_error(c, MECH_ERR_MODEL, i->span, NULL, "'%s' takes %s here, not %s", lang_draw_words[word],
               entries == 1   ? "a number"
               : entries == 2 ? "a vector of 2"
               : entries == 3 ? "a vector of 3"
               : entries == 4 ? "a 2 x 2 matrix"
                              : "a 3 x 3 matrix",
               lang_shape(&v, shape));
    return 0;
}

static int sort_items(lang_context *c, const lang_statement *s, draft *f)
{
    const unsigned allowed =
        rules[s->word].needs | rules[s->word].takes | 1U << DRAW_WIDTH | 1U << DRAW_WHEN | 1U << DRAW_COLOUR;
    for (const lang_item *i = s->items; i; i = i->next) {
        if (i->word < 0) {
            if (!add_point(c, f, i)) return 0;
            continue;
        }
        if (!(allowed >> i->word & 1)) {
            lang_error(c, MECH_ERR_MODEL, i->span, NULL, "'%s' does not go with draw %s", lang_draw_words[i->word],
                       lang_draw_kinds[s->word]);
            return 0;
        }
        if (f->words[i->word]) {
            lang_error(c, MECH_ERR_MODEL, i->span, "leave one of them", "'%s' is given twice",
                       lang_draw_words[i->word]);
            return 0;
        }
        f->words[i->word] = i;
    }
    const size_t wanted = rules[s->word].points;
    if (wanted ? f->points == wanted : f->points >= 2) return 1;
    lang_error(c, MECH_ERR_MODEL, s->span, NULL, "draw %s takes %s; here are %zu", lang_draw_kinds[s->word],
               s->word == MECH_DRAW_ARROW ? "a point and a vector"
               : wanted == 1              ? "one point"
               : wanted == 2              ? "two points"
                                          : "two points or more",
               f->points);
    return 0;
}

static int take_look(lang_context *c, draft *f)
{
    const lang_item *colour = f->words[DRAW_COLOUR], *width = f->words[DRAW_WIDTH], *when = f->words[DRAW_WHEN];
    if (colour) {
        f->d.colour = colour->text ? colour->text : lang_text_of(c, colour->title.name);
        for (const char *l = f->d.colour; *l; l++)
            if (!isalnum((unsigned char)*l) && !(l == f->d.colour && *l == '#')) {
                lang_error(c, MECH_ERR_MODEL, colour->span, NULL, "a colour is a word such as red, or \"#ff8800\"");
                return 0;
            }
    }
    if (width) {
        const lang_value v = lang_evaluate(c, width->value);
        if (v.rank == RANK_ERROR) return 0;
        const mech_status status =
            v.rank == RANK_SCALAR ? model_constant(c->model, v.scalar, &f->d.width) : MECH_ERR_MODEL;
        if (status == MECH_ERR_MEMORY) lang_take_status(c, status);
        if (status != MECH_OK || !(f->d.width > 0)) {
            lang_error(c, MECH_ERR_MODEL, width->span, NULL, "the width of a line is a number of pixels above 0");
            return 0;
        }
    }
    if (when) {
        const lang_value v = lang_evaluate(c, when->value);
        if (v.rank == RANK_ERROR) return 0;
        if (v.rank != RANK_SCALAR) {
            lang_error(c, MECH_ERR_MODEL, when->span, NULL, "'when' takes a condition");
            return 0;
        }
        f->d.when = v.scalar;
    }
    return 1;
}

void lang_run_draw(lang_context *c, const lang_statement *s)
{
    draft f = {.d = {.size = sizeof f.d, .kind = (mech_draw_kind)s->word}};
    if (!sort_items(c, s, &f) || !take_look(c, &f)) return;
    const size_t dim = f.d.dimension;
    if (c->bodies && c->bodies->dimension != dim) {
        lang_error(c, MECH_ERR_MODEL, s->span, NULL, "the bodies are in %s, and this has points of %zu entries",
                   c->bodies->dimension == 2 ? "the plane" : "space", dim);
        return;
    }
    for (int word = DRAW_RADIUS; word <= DRAW_SIZE; word++) {
        if (!(rules[s->word].needs >> word & 1)) continue;
        if (!f.words[word]) {
            lang_error(c, MECH_ERR_MODEL, s->span, NULL, "draw %s needs '%s'", lang_draw_kinds[s->word],
                       lang_draw_words[word]);
            return;
        }
        if (!add_word(c, &f, (lang_draw_word)word, word == DRAW_SIZE ? dim : 1)) return;
    }
    if (f.words[DRAW_TURN] && dim == 3) {
        lang_error(c, MECH_ERR_MODEL, f.words[DRAW_TURN]->span, "in space write: frame R",
                   "'turn' is for circles in the plane");
        return;
    }
    if (f.words[DRAW_TURN] && !add_word(c, &f, DRAW_TURN, 1)) return;
    if (f.words[DRAW_FRAME] && !add_word(c, &f, DRAW_FRAME, dim * dim)) return;
    f.d.turned = f.words[DRAW_TURN] ? 1 : f.words[DRAW_FRAME] ? 2 : 0;
    if (s->word == MECH_DRAW_ARROW && f.words[DRAW_SCALE] && !add_word(c, &f, DRAW_SCALE, 1)) return;
    if (s->word == MECH_DRAW_ARROW && !f.words[DRAW_SCALE]) f.values[f.d.count++] = EXPR_ONE;
    f.d.values = f.values;
    lang_take_status(c, mech_model_draw(c->model, &f.d));
}
