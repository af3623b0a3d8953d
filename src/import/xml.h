/* XML as a tree: elements, their attributes and where they stand. Text between elements is not kept. */
#ifndef IMPORT_XML_H
#define IMPORT_XML_H

#include "base/arena.h"
#include "base/diagnostics.h"

typedef struct xml_attribute {
    const char *name, *value;
} xml_attribute;

typedef struct xml_node {
    const char *name;
    const xml_attribute *attributes;
    size_t attribute_count;
    struct xml_node *parent, *first, *last, *next;
    mech_span span;  /* of its opening tag                       */
    const char *tag; /* the text of that tag, in the source      */
    int is_read;     /* 1: what it says is in the model          */
} xml_node;

enum { XML_MOST_DEPTH = 1000, XML_MOST_NODES = 200 * 1000 };

/* The root of text[0..length), which must stay; everything new is in the arena. What is wrong goes to the list, with
   its place in the source, a number that diagnostics_add_source gave. */
mech_status xml_read(arena *memory, mech_diagnostics *list, uint32_t source, const char *text, size_t length,
                     xml_node **root);

/* NULL when there is none. */
const char *xml_value(const xml_node *node, const char *attribute);
xml_node *xml_child(const xml_node *node, const char *name);
/* The next sibling of that name, `node` itself if it has it. */
xml_node *xml_named(xml_node *node, const char *name);
/* Where the value of an attribute stands; the tag when it has none. */
mech_span xml_place(const xml_node *node, const char *attribute);

#endif
