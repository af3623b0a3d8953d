/* `import`: a robot's file, as the text that describes it, as a part. */
#include "lang/parser.h"

#include "base/file.h"
#include "base/mem.h"

#include <mech/import.h>

#include <string.h>

/* One more argument of the part: its value, and the name that it has in the text. */
static void add_argument(lang_parser *p, lang_statement *s, lang_node *value, const char *name)
{
    lang_node *argument = p->failed ? NULL : lang_new(p, sizeof *argument), **values = &s->a->first,
              **names = &s->items->arguments;
    if (!argument || !value) return;
    argument->name = lang_intern(&p->c->names, name, strlen(name));
    if (!argument->name) lang_out_of_memory(p->c);
    while (*values) values = &(*values)->next;
    while (*names) names = &(*names)->next;
    *values = value;
    *names = argument;
    s->a->count++;
    s->items->argument_count++;
}

/* place -> path ['at' expression] ['turned' expression]: arguments, for they mean what they mean around the part */
static void parse_place(lang_parser *p, lang_statement *s, mech_import_options *options)
{
    add_argument(p, s, lang_parse_path(p, "a body or a point of one"), "place");
    const int has_point = !p->failed && lang_accept_word(p, "at");
    if (has_point) add_argument(p, s, lang_parse_expression(p), "place_at");
    const int is_turned = !p->failed && lang_accept_word(p, "turned");
    if (is_turned) add_argument(p, s, lang_parse_expression(p), "place_turned");
    options->place = has_point && is_turned ? "place at place_at turned place_turned"
                     : has_point            ? "place at place_at"
                     : is_turned            ? "place turned place_turned"
                                            : "place";
}

/* option -> 'free' | 'friction' | 'limits' | 'angles' 'as' 'written' | 'on' place */
static void parse_option(lang_parser *p, lang_statement *s, mech_import_options *options)
{
    if (lang_accept_word(p, "free")) options->is_free = 1;
    else if (lang_accept_word(p, "friction")) options->imposes_friction = 1;
    else if (!options->place && lang_accept_word(p, "on")) parse_place(p, s, options);
    else if (lang_accept_word(p, "limits")) options->imposes_limits = 1;
    else if (lang_accept_word(p, "angles")) {
        lang_expect_word(p, "as", "and 'written'");
        lang_expect_word(p, "written", "after 'as'");
        options->keeps_angles = 1;
    } else lang_expected(p, "free, friction, limits, 'angles as written' or 'on' and a place");
}

/* The statements that the file is worth; what is wrong with it is reported with its places. */
static lang_statement *read_robot(lang_parser *p, const char *file, mech_span span, const mech_import_options *options)
{
    lang_context *c = p->c;
    const char *path = file_path(&c->memory, p->directory, file), *problem = NULL;
    const char *title = path ? arena_format(&c->memory, "%s (as text)", path) : NULL;
    char *text = NULL, *model = NULL;
    size_t length = 0;
    if (!title) {
        lang_out_of_memory(c);
        return NULL;
    }
    if (c->options.no_files) {
        lang_error(c, MECH_ERR_FILE, span, NULL, "this text may not read files");
        return NULL;
    }
    mech_status status = file_read(path, &text, &length, &problem);
    if (problem) lang_error(c, status, span, NULL, "cannot import '%s': %s", path, problem);
    if (status == MECH_OK) status = mech_import_text(path, text, length, options, c->diagnostics, &model);
    if (status == MECH_ERR_MEMORY) lang_out_of_memory(c);
    lang_statement *first = model ? lang_parse(c, p, title, p->directory, model, strlen(model)) : NULL;
    mem_free(text);
    mech_text_free(model);
    return first;
}

/* import -> 'import' title ':' string {',' option} */
void lang_parse_import(lang_parser *p, lang_statement *s)
{
    mech_import_options options;
    mech_import_options_default(&options, sizeof options);
    options.is_part = 1;
    s->items = lang_new(p, sizeof *s->items);
    s->a = lang_new(p, sizeof *s->a);
    if (!s->items || !s->a) return;
    s->a->kind = NODE_CALL;
    s->title = lang_parse_title(p, "the name of a part");
    lang_expect(p, TOK_COLON, "and the file it is read from");
    const mech_span span = lang_token_span(p);
    const char *file = p->failed ? NULL : lang_take_string(p);
    if (!p->failed && !file) lang_expected(p, "the name of a file in quotes");
    while (!p->failed && lang_accept(p, TOK_COMMA)) parse_option(p, s, &options);
    if (!p->failed && !lang_at_end_of_statement(p)) lang_expected(p, "the end of the statement");
    if (!p->failed) s->body = read_robot(p, file, span, &options);
}
