/* Statements of other files. */
#ifndef LANG_INCLUDE_H
#define LANG_INCLUDE_H

#include "lang/parser.h"

/* The statements of an included file; errors are reported at span. */
lang_statement *lang_include(lang_parser *p, const char *file, mech_span span);

#endif
