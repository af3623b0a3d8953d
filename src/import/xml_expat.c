/* The tree, by expat. A document type is refused: it could bring entities, and with them other files or texts without
   end. */
#include "import/xml.h"

#include "base/library.h"
#include "base/mem.h"

#include <expat.h>
#include <string.h>

#define EXPAT_FUNCTIONS(X)                                                                                             \
    X(XML_ParserCreate_MM)                                                                                             \
    X(XML_ParserFree)                                                                                                  \
    X(XML_SetUserData)                                                                                                 \
    X(XML_SetElementHandler)                                                                                           \
    X(XML_SetStartDoctypeDeclHandler)                                                                                  \
    X(XML_Parse)                                                                                                       \
    X(XML_StopParser)                                                                                                  \
    X(XML_GetErrorCode)                                                                                                \
    X(XML_GetCurrentByteIndex)                                                                                         \
    X(XML_GetCurrentByteCount)                                                                                         \
    X(XML_ErrorString)
LIBRARY(expat, EXPAT_FUNCTIONS, MECH_EXPAT)

typedef struct reading {
    arena *memory;
    mech_diagnostics *list;
    XML_Parser parser;
    uint32_t source;
    const char *text;
    xml_node *root, *open;
    size_t depth, nodes;
    mech_status status;
} reading;

static mech_span here(const reading *r)
{
    const long at = (long)expat.XML_GetCurrentByteIndex(r->parser);
    const uint32_t start = at > 0 ? (uint32_t)at : 0;
    return (mech_span){r->source, start, start + (uint32_t)expat.XML_GetCurrentByteCount(r->parser)};
}

static void stop(reading *r, mech_status status)
{
    r->status = status;
    expat.XML_StopParser(r->parser, XML_FALSE);
}

static int copy_attributes(reading *r, xml_node *node, const XML_Char **given)
{
    size_t count = 0;
    while (given[2 * count]) count++;
    xml_attribute *attributes = arena_alloc(r->memory, (count + 1) * sizeof *attributes);
    for (size_t i = 0; attributes && i < count; i++) {
        attributes[i].name = arena_text(r->memory, given[2 * i], strlen(given[2 * i]));
        attributes[i].value = arena_text(r->memory, given[2 * i + 1], strlen(given[2 * i + 1]));
        if (!attributes[i].name || !attributes[i].value) return 0;
    }
    node->attributes = attributes;
    node->attribute_count = count;
    return attributes != NULL;
}

static void XMLCALL start_element(void *data, const XML_Char *name, const XML_Char **given)
{
    reading *r = data;
    if (r->status != MECH_OK) return;
    if (++r->depth > XML_MOST_DEPTH || ++r->nodes > XML_MOST_NODES) {
        diagnostics_add(r->list, MECH_SEVERITY_ERROR, MECH_ERR_LIMIT, here(r), NULL,
                        r->depth > XML_MOST_DEPTH ? "elements are nested more than %d deep"
                                                  : "there are more than %d elements",
                        r->depth > XML_MOST_DEPTH ? XML_MOST_DEPTH : XML_MOST_NODES);
        stop(r, MECH_ERR_LIMIT);
        return;
    }
    xml_node *node = arena_alloc(r->memory, sizeof *node);
    if (node) {
        *node = (xml_node){.name = arena_text(r->memory, name, strlen(name)), .parent = r->open, .span = here(r)};
        node->tag = r->text + node->span.start;
    }
    if (!node || !node->name || !copy_attributes(r, node, given)) {
        stop(r, MECH_ERR_MEMORY);
        return;
    }
    if (!r->open) r->root = node;
    else if (r->open->last) r->open->last->next = node;
    else r->open->first = node;
    if (r->open) r->open->last = node;
    r->open = node;
}

static void XMLCALL end_element(void *data, const XML_Char *name)
{
    reading *r = data;
    (void)name;
    if (r->status != MECH_OK) return;
    r->depth--;
    r->open = r->open->parent;
}

static void XMLCALL refuse_doctype(void *data, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                                   int has_inside)
{
    reading *r = data;
    (void)name, (void)system, (void)public, (void)has_inside;
    diagnostics_add(r->list, MECH_SEVERITY_ERROR, MECH_ERR_SYNTAX, here(r),
                    "take the line with DOCTYPE out of the file",
                    "a document type is not read: it could name other files");
    stop(r, MECH_ERR_SYNTAX);
}

static void parse(reading *r, size_t length)
{
    expat.XML_SetUserData(r->parser, r);
    expat.XML_SetElementHandler(r->parser, start_element, end_element);
    expat.XML_SetStartDoctypeDeclHandler(r->parser, refuse_doctype);
    if (expat.XML_Parse(r->parser, r->text, (int)length, 1) == XML_STATUS_OK || r->status != MECH_OK) return;
    const enum XML_Error error = expat.XML_GetErrorCode(r->parser);
    r->status = error == XML_ERROR_NO_MEMORY ? MECH_ERR_MEMORY : MECH_ERR_SYNTAX;
    mech_span at = here(r);
    at.end = at.start + 1;
    if (r->status == MECH_ERR_SYNTAX)
        diagnostics_add(
            r->list, MECH_SEVERITY_ERROR, MECH_ERR_SYNTAX, at,
            error == XML_ERROR_INVALID_TOKEN || error == XML_ERROR_PARTIAL_CHAR ? "the file is read as UTF-8" : NULL,
            "this is not XML: %s", expat.XML_ErrorString(error));
}

mech_status xml_read(arena *memory, mech_diagnostics *list, uint32_t source, const char *text, size_t length,
                     xml_node **root)
{
    static const XML_Memory_Handling_Suite seam = {mem_alloc, mem_resize, mem_free};
    const mech_span whole = {source, MECH_SPAN_WHOLE, MECH_SPAN_WHOLE};
    *root = NULL;
    if (!expat_open()) {
        diagnostics_add(list, MECH_SEVERITY_ERROR, MECH_ERR_UNSUPPORTED, whole, "on Debian: apt-get install libexpat1",
                        "XML is read by the library %s, which is not there", MECH_EXPAT);
        return MECH_ERR_UNSUPPORTED;
    }
    reading r = {.memory = memory, .list = list, .source = source, .text = text};
    r.parser = expat.XML_ParserCreate_MM("UTF-8", &seam, NULL);
    if (!r.parser) return MECH_ERR_MEMORY;
    parse(&r, length);
    expat.XML_ParserFree(r.parser);
    *root = r.status == MECH_OK ? r.root : NULL;
    return r.status;
}
