/* Looking around in a tree of elements. */
#include "import/xml.h"

#include <string.h>

const char *xml_value(const xml_node *node, const char *attribute)
{
    for (size_t i = 0; i < node->attribute_count; i++)
        if (strcmp(node->attributes[i].name, attribute) == 0) return node->attributes[i].value;
    return NULL;
}

xml_node *xml_named(xml_node *node, const char *name)
{
    while (node && strcmp(node->name, name) != 0) node = node->next;
    return node;
}

xml_node *xml_child(const xml_node *node, const char *name) { return xml_named(node->first, name); }

static const char *skip_blank(const char *p, const char *end)
{
    while (p < end && strchr(" \t\r\n", *p)) p++;
    return p;
}

/* The tag is well-formed: the parser has been over it. */
mech_span xml_place(const xml_node *node, const char *attribute)
{
    const char *end = node->tag + (node->span.end - node->span.start), *p = node->tag + 1 + strlen(node->name);
    const size_t length = strlen(attribute);
    while ((p = skip_blank(p, end)) < end) {
        const char *name = p, *name_end, *value;
        while (p < end && !strchr("= \t\r\n", *p)) p++;
        name_end = p;
        p = skip_blank(p, end);
        if (p >= end || *p != '=') break;
        p = skip_blank(p + 1, end);
        if (p >= end || (*p != '"' && *p != '\'')) break;
        value = p + 1;
        p = memchr(value, *p, (size_t)(end - value));
        if (!p) break;
        if ((size_t)(name_end - name) == length && memcmp(name, attribute, length) == 0) {
            const uint32_t start = node->span.start + (uint32_t)(value - node->tag);
            return (mech_span){node->span.source, start, start + (uint32_t)(p - value)};
        }
        p++;
    }
    return node->span;
}
