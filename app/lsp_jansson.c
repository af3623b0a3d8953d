/* Requests of an editor and their answers. */
#include "lsp.h"
#include "cli.h"

#include <mech/lang.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef struct server {
    FILE *out;
    lsp_text *texts;
    int is_shut; /* `shutdown` came */
} server;

enum { PARSE_ERROR = -32700, NO_METHOD = -32601, BAD_PARAMS = -32602, NOT_NOW = -32803 };
/* Numbers of the protocol. */
enum { SYMBOL_CLASS = 5, SYMBOL_FUNCTION = 12, SYMBOL_VARIABLE = 13, SYMBOL_CONSTANT = 14, SYMBOL_EVENT = 24 };
enum { ITEM_FUNCTION = 3, ITEM_VARIABLE = 6, ITEM_KEYWORD = 14 };

/* ---- messages ---- */

static void send(server *s, json_t *message)
{
    json_object_set_new(message, "jsonrpc", json_string("2.0"));
    char *text = json_dumps(message, JSON_COMPACT);
    if (text) {
        fprintf(s->out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
        fflush(s->out);
    }
    free(text);
    json_decref(message);
}

static void answer(server *s, json_t *id, json_t *result)
{
    send(s, json_pack("{s:O, s:o}", "id", id, "result", result ? result : json_null()));
}

static void refuse(server *s, json_t *id, int code, const char *why)
{
    send(s, json_pack("{s:O, s:{s:i, s:s}}", "id", id ? id : json_null(), "error", "code", code, "message", why));
}

/* The body of the next message, freed with free(); NULL at the end, or when its head is none. */
static char *receive(FILE *in, size_t *length)
{
    enum { MOST = 256 << 20 };
    char line[512];
    *length = 0;
    while (fgets(line, sizeof line, in)) {
        if (strncmp(line, "Content-Length:", 15) == 0) *length = (size_t)strtoull(line + 15, NULL, 10);
        if (strcmp(line, "\r\n") == 0 || strcmp(line, "\n") == 0) {
            char *body = *length > 0 && *length <= MOST ? malloc(*length + 1) : NULL;
            if (!body) return NULL;
            if (fread(body, 1, *length, in) == *length) return body;
            free(body);
            return NULL;
        }
    }
    return NULL;
}

/* ---- texts ---- */

static lsp_text **find_text(server *s, const char *uri)
{
    lsp_text **t = &s->texts;
    while (*t && strcmp((*t)->uri, uri) != 0) t = &(*t)->next;
    return t;
}

static json_t *position_json(lsp_position p)
{
    return json_pack("{s:I, s:I}", "line", (json_int_t)p.line, "character", (json_int_t)p.column);
}

static json_t *range_json(const char *text, size_t length, size_t start, size_t end)
{
    return json_pack("{s:o, s:o}", "start", position_json(lsp_position_of(text, length, start)), "end",
                     position_json(lsp_position_of(text, length, end)));
}

/* ---- errors under the line ---- */

static json_t *diagnostic_json(const lsp_text *t, const mech_diagnostic *d)
{
    const int is_here = !d->file || !t->path || strcmp(d->file, t->path) == 0;
    const size_t start = is_here ? lsp_byte_of_place(t->text, t->length, d->line, d->column) : 0,
                 end = is_here ? lsp_byte_of_place(t->text, t->length, d->line, d->column + d->length) : 0;
    const size_t size = strlen(d->message) + (d->hint ? strlen(d->hint) : 0) + (is_here ? 0 : strlen(d->file)) + 64;
    char *message = malloc(size);
    if (!message) return NULL;
    int used = is_here ? 0 : snprintf(message, size, "%s:%d: ", d->file, d->line);
    snprintf(message + used, size - (size_t)used, d->hint ? "%s\n%s" : "%s%s", d->message, d->hint ? d->hint : "");
    const int severity = d->severity == MECH_SEVERITY_ERROR ? 1 : d->severity == MECH_SEVERITY_WARNING ? 2 : 3;
    json_t *made = json_pack("{s:o, s:i, s:s, s:s}", "range", range_json(t->text, t->length, start, end), "severity",
                             severity, "source", "mech", "message", message);
    free(message);
    return made;
}

static void publish(server *s, const lsp_text *t)
{
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *model = NULL;
    json_t *all = json_array();
    mech_read_options options;
    mech_read_options_default(&options, sizeof options);
    options.no_files = !t->path;
    if (list && mech_read_text(t->path ? t->path : "text", t->text, t->length, &options, list, &model) == MECH_OK)
        mech_model_free(model);
    for (size_t i = 0; i < mech_diagnostics_count(list); i++)
        json_array_append_new(all, diagnostic_json(t, mech_diagnostics_get(list, i)));
    mech_diagnostics_free(list);
    send(s, json_pack("{s:s, s:{s:s, s:o}}", "method", "textDocument/publishDiagnostics", "params", "uri", t->uri,
                      "diagnostics", all));
}

/* The text as it is now takes the place of what was open under this address. */
static void open_text(server *s, const char *uri, const char *text)
{
    lsp_text **at = find_text(s, uri), *made = lsp_text_create(uri, text);
    if (!made) return;
    if (*at) {
        made->next = (*at)->next;
        lsp_text_free(*at);
    }
    *at = made;
    publish(s, made);
}

static void close_text(server *s, const char *uri)
{
    lsp_text **at = find_text(s, uri), *gone = *at;
    if (!gone) return;
    *at = gone->next;
    lsp_text_free(gone);
    send(s, json_pack("{s:s, s:{s:s, s:[]}}", "method", "textDocument/publishDiagnostics", "params", "uri", uri,
                      "diagnostics"));
}

/* ---- what stands where ---- */

/* What a request is about: its text, the byte, and the name there, if any. */
typedef struct subject {
    lsp_text *text;
    size_t byte;
    const mech_outline_place *place;
    const mech_outline_name *name;
} subject;

static int find_subject(server *s, json_t *params, subject *found)
{
    const char *uri = NULL;
    json_int_t line = 0, column = 0;
    json_unpack(params, "{s:{s:s}}", "textDocument", "uri", &uri);
    json_unpack(params, "{s:{s:I, s:I}}", "position", "line", &line, "character", &column);
    *found = (subject){.text = uri ? *find_text(s, uri) : NULL};
    if (!found->text) return 0;
    const lsp_position at = {line < 0 ? 0 : (size_t)line, column < 0 ? 0 : (size_t)column};
    found->byte = lsp_byte_of(found->text->text, found->text->length, at);
    found->place = mech_outline_find(found->text->outline, found->byte);
    found->name = found->place ? mech_outline_name_at(found->text->outline, found->place->name) : NULL;
    return 1;
}

static const char *kind_of(const char *keyword)
{
    static const char *const words[][2] = {{"param", "a parameter"},
                                           {"coord", "a coordinate"},
                                           {"let", "a named value"},
                                           {"state", "a state"},
                                           {"input", "an input"},
                                           {"output", "an output"},
                                           {"measure", "a measure"},
                                           {"constraint", "a constraint"},
                                           {"control", "a control"},
                                           {"actuator", "an actuator"},
                                           {"event", "an event"},
                                           {"component", "a component"},
                                           {"part", "a part"},
                                           {"import", "an imported part"},
                                           {"body", "a body"},
                                           {"point", "a point of a body"},
                                           {"joint", "a joint"},
                                           {"spring", "a spring"},
                                           {"damper", "a damper"},
                                           {"motor", "a motor"},
                                           {"argument", "an argument"},
                                           {"index", "the index of a loop"},
                                           {"where", "a value seen in this statement"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], keyword) == 0) return words[i][1];
    return keyword;
}

/* A keyword or a function: how to write it, NULL when it is none. */
static const char *usage_of(const char *word, size_t length)
{
    const char *usage = NULL, *known;
    for (size_t i = 0; (known = mech_language_word(i, NULL, &usage)) != NULL; i++)
        if (strlen(known) == length && strncmp(known, word, length) == 0) return usage;
    return NULL;
}

static json_t *hover(const subject *at)
{
    const lsp_text *t = at->text;
    const mech_outline_name *n = at->name;
    char says[700];
    size_t start, end;
    if (n) {
        start = at->place->start;
        end = at->place->end;
        const char *unit = n->unit && n->unit[0] ? n->unit : NULL;
        const int has_text = !n->file && n->to > n->from && n->to <= t->length, most = 400;
        const int shown = has_text ? (int)(n->to - n->from < (size_t)most ? n->to - n->from : (size_t)most) : 0;
        snprintf(says, sizeof says, "%s: %s%s%s%s%s%s%.*s%s", n->name, kind_of(n->keyword), unit ? ", in " : "",
                 unit ? unit : "", n->file ? ", declared in " : "", n->file ? n->file : "", has_text ? "\n\n" : "",
                 shown, t->text + (has_text ? n->from : 0), shown == most ? " ..." : "");
    } else {
        start = lsp_word(t->text, t->length, at->byte, &end);
        const char *usage = usage_of(t->text + start, end - start);
        if (!usage) return NULL;
        snprintf(says, sizeof says, "%s", usage);
    }
    return json_pack("{s:{s:s, s:s}, s:o}", "contents", "kind", "plaintext", "value", says, "range",
                     range_json(t->text, t->length, start, end));
}

/* The text of a file, freed with free(); NULL when it cannot be read. */
static char *read_text(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t capacity = 1 << 16;
    *length = 0;
    while (f && (text || (text = malloc(capacity)))) {
        *length += fread(text + *length, 1, capacity - *length, f);
        if (*length < capacity) break;
        char *more = realloc(text, capacity *= 2);
        if (!more) break;
        text = more;
    }
    if (f) fclose(f);
    return text;
}

static json_t *definition(const subject *at)
{
    const mech_outline_name *n = at->name;
    if (!n) return NULL;
    if (!n->file)
        return json_pack("{s:s, s:o}", "uri", at->text->uri, "range",
                         range_json(at->text->text, at->text->length, n->start, n->end));
    size_t length;
    char *text = read_text(n->file, &length), *uri = lsp_uri(n->file);
    json_t *made =
        text && uri ? json_pack("{s:s, s:o}", "uri", uri, "range", range_json(text, length, n->start, n->end)) : NULL;
    free(text);
    free(uri);
    return made;
}

/* All places of the name: edits to a new one, or where they are. */
static json_t *places(const subject *at, const char *new_name)
{
    json_t *all = json_array();
    const lsp_text *t = at->text;
    for (size_t i = 0; at->place && i < mech_outline_place_count(t->outline); i++) {
        const mech_outline_place *p = mech_outline_place_at(t->outline, i);
        if (p->name != at->place->name) continue;
        json_array_append_new(all, json_pack("{s:o, s:s}", "range", range_json(t->text, t->length, p->start, p->end),
                                             new_name ? "newText" : "uri", new_name ? new_name : t->uri));
    }
    return all;
}

static int symbol_kind(const char *keyword)
{
    if (strcmp(keyword, "param") == 0) return SYMBOL_CONSTANT;
    if (strcmp(keyword, "event") == 0) return SYMBOL_EVENT;
    if (strcmp(keyword, "let") == 0) return SYMBOL_FUNCTION;
    return strcmp(keyword, "component") == 0 || strcmp(keyword, "body") == 0 ? SYMBOL_CLASS : SYMBOL_VARIABLE;
}

static int is_local(const mech_outline_name *n)
{
    return strcmp(n->keyword, "argument") == 0 || strcmp(n->keyword, "index") == 0 || strcmp(n->keyword, "where") == 0;
}

static json_t *symbols(const lsp_text *t)
{
    json_t *all = json_array();
    for (size_t i = 0; i < mech_outline_name_count(t->outline); i++) {
        const mech_outline_name *n = mech_outline_name_at(t->outline, i);
        if (n->file || is_local(n) || n->start < n->from || n->end > n->to) continue;
        json_array_append_new(all, json_pack("{s:s, s:s, s:i, s:o, s:o}", "name", n->name, "detail",
                                             kind_of(n->keyword), "kind", symbol_kind(n->keyword), "range",
                                             range_json(t->text, t->length, n->from, n->to), "selectionRange",
                                             range_json(t->text, t->length, n->start, n->end)));
    }
    return all;
}

static void add_item(json_t *list, const char *label, int kind, const char *detail)
{
    json_array_append_new(list,
                          json_pack("{s:s, s:i, s:s}", "label", label, "kind", kind, "detail", detail ? detail : ""));
}

/* Is the word that is being written the first of its line or after '{' or ';'? A statement starts there. */
static int starts_statement(const lsp_text *t, size_t word)
{
    while (word > 0 && (t->text[word - 1] == ' ' || t->text[word - 1] == '\t')) word--;
    return word == 0 || strchr("\n{};", t->text[word - 1]) != NULL;
}

static json_t *completion(const subject *at)
{
    const lsp_text *t = at->text;
    size_t end;
    const size_t word = lsp_word(t->text, t->length, at->byte, &end);
    const int is_member = word > 0 && t->text[word - 1] == '.', is_first = starts_statement(t, word);
    const size_t holder = is_member ? mech_outline_holder_before(t->outline, word) : SIZE_MAX;
    json_t *list = json_array();
    for (size_t i = 0; i < mech_outline_name_count(t->outline) && !is_first; i++) {
        const mech_outline_name *n = mech_outline_name_at(t->outline, i);
        const int is_seen = n->seen_to == SIZE_MAX || (!n->file && n->seen_from <= word && word <= n->seen_to);
        if (is_member ? holder == SIZE_MAX || n->holder != holder : !is_seen) continue;
        add_item(list, n->name, ITEM_VARIABLE, kind_of(n->keyword));
    }
    const char *usage, *known;
    int is_statement;
    for (size_t i = 0; !is_member && (known = mech_language_word(i, &is_statement, &usage)) != NULL; i++)
        if (is_first == is_statement) add_item(list, known, is_statement ? ITEM_KEYWORD : ITEM_FUNCTION, usage);
    return list;
}

/* Is it one token, and a name? */
static int is_name(const char *text)
{
    char *tokens = mech_dump_tokens(text, strlen(text));
    const size_t length = tokens ? strlen(tokens) : 0, head = strlen("1:1 NAME ");
    const int is_one = length == head + strlen(text) + 1 && strncmp(tokens, "1:1 NAME ", head) == 0 &&
                       strncmp(tokens + head, text, strlen(text)) == 0;
    mech_text_free(tokens);
    return is_one;
}

/* Why a name cannot be given, or NULL. */
static const char *rename_obstacle(const subject *at, const char *new_name)
{
    const mech_outline *o = at->text->outline;
    if (!at->name) return "no name that this text declares stands here";
    if (at->name->file) return "the name is declared in another file: rename it there";
    if (at->text->mistakes) return "the text has statements that cannot be read: mend them first";
    if (!is_name(new_name)) return "a name is a letter or _, then letters, digits and _";
    if (usage_of(new_name, strlen(new_name))) return "this is a word of the language";
    for (size_t i = 0; i < mech_outline_name_count(o); i++) {
        const mech_outline_name *n = mech_outline_name_at(o, i);
        if (n == at->name || !mech_same_name(n->name, new_name)) continue;
        const int is_apart = (n->holder != at->name->holder) ||
                             (n->seen_to != SIZE_MAX && at->name->seen_to != SIZE_MAX &&
                              (n->seen_to <= at->name->seen_from || at->name->seen_to <= n->seen_from));
        if (!is_apart) return "another thing has this name";
    }
    return NULL;
}

/* ---- requests ---- */

/* One edit that replaces the text, or none where it stands as it should. */
static void format(server *s, json_t *id, const lsp_text *t)
{
    char *made = NULL;
    const mech_status status = mech_format(t->text, t->length, &made);
    if (status != MECH_OK) refuse(s, id, NOT_NOW, "the text has mistakes");
    else if (strcmp(made, t->text) == 0) answer(s, id, json_array());
    else
        answer(s, id,
               json_pack("[{s:o, s:s}]", "range", range_json(t->text, t->length, 0, t->length), "newText", made));
    mech_text_free(made);
}

static json_t *capabilities(void)
{
    return json_pack("{s:{s:s, s:i, s:b, s:b, s:b, s:b, s:b, s:{s:[s]}, s:{s:b}}, s:{s:s, s:s}}", "capabilities",
                     "positionEncoding", "utf-16", "textDocumentSync", 1, "hoverProvider", 1, "definitionProvider", 1,
                     "referencesProvider", 1, "documentSymbolProvider", 1, "documentFormattingProvider", 1,
                     "completionProvider", "triggerCharacters", ".", "renameProvider", "prepareProvider", 1,
                     "serverInfo", "name", "mech", "version", mech_version());
}

static void rename_name(server *s, json_t *id, const subject *at, const char *new_name)
{
    const char *why = new_name ? rename_obstacle(at, new_name) : "the new name is missing";
    if (why) refuse(s, id, NOT_NOW, why);
    else answer(s, id, json_pack("{s:{s:o}}", "changes", at->text->uri, places(at, new_name)));
}

static void request_on_text(server *s, const char *method, json_t *id, json_t *params)
{
    subject at;
    const char *new_name = NULL;
    if (!find_subject(s, params, &at)) {
        refuse(s, id, BAD_PARAMS, "this text is not open");
        return;
    }
    json_unpack(params, "{s:s}", "newName", &new_name);
    if (strcmp(method, "textDocument/hover") == 0) answer(s, id, hover(&at));
    else if (strcmp(method, "textDocument/definition") == 0) answer(s, id, definition(&at));
    else if (strcmp(method, "textDocument/references") == 0) answer(s, id, places(&at, NULL));
    else if (strcmp(method, "textDocument/documentSymbol") == 0) answer(s, id, symbols(at.text));
    else if (strcmp(method, "textDocument/completion") == 0) answer(s, id, completion(&at));
    else if (strcmp(method, "textDocument/rename") == 0) rename_name(s, id, &at, new_name);
    else if (strcmp(method, "textDocument/formatting") == 0) format(s, id, at.text);
    else if (strcmp(method, "textDocument/prepareRename") != 0) refuse(s, id, NO_METHOD, "there is no such request");
    else if (!at.name || at.name->file) answer(s, id, NULL);
    else answer(s, id, range_json(at.text->text, at.text->length, at.place->start, at.place->end));
}

static void notification(server *s, const char *method, json_t *params)
{
    const char *uri = NULL, *text = NULL;
    json_unpack(params, "{s:{s:s}}", "textDocument", "uri", &uri);
    if (!uri) return;
    if (strcmp(method, "textDocument/didOpen") == 0) json_unpack(params, "{s:{s:s}}", "textDocument", "text", &text);
    if (strcmp(method, "textDocument/didChange") == 0) {
        const json_t *changes = json_object_get(params, "contentChanges");
        const json_t *last = json_array_get(changes, json_array_size(changes) - 1);
        text = json_string_value(json_object_get(last, "text"));
    }
    if (text) open_text(s, uri, text);
    if (strcmp(method, "textDocument/didClose") == 0) close_text(s, uri);
}

/* 0: the server ends. */
static int serve_message(server *s, json_t *message)
{
    const char *method = json_string_value(json_object_get(message, "method"));
    json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
    if (!method) return 1; /* an answer; nothing is asked of editors */
    if (strcmp(method, "exit") == 0) return 0;
    if (!id) notification(s, method, params);
    else if (strcmp(method, "initialize") == 0) answer(s, id, capabilities());
    else if (strcmp(method, "shutdown") == 0) {
        s->is_shut = 1;
        answer(s, id, NULL);
    } else if (strncmp(method, "textDocument/", 13) == 0) request_on_text(s, method, id, params);
    else refuse(s, id, NO_METHOD, "there is no such request");
    return 1;
}

int lsp_serve(FILE *in, FILE *out)
{
    server s = {.out = out};
    size_t length;
    char *body;
    int goes_on = 1;
    while (goes_on && (body = receive(in, &length)) != NULL) {
        json_t *message = json_loadb(body, length, 0, NULL);
        if (message) goes_on = serve_message(&s, message);
        else refuse(&s, NULL, PARSE_ERROR, "this is no JSON");
        json_decref(message);
        free(body);
    }
    while (s.texts) {
        lsp_text *next = s.texts->next;
        lsp_text_free(s.texts);
        s.texts = next;
    }
    return s.is_shut ? EXIT_OK : EXIT_MODEL;
}
