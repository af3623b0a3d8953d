/* Exported code in single precision. */
#ifndef OUTPUT_EXPORT_SINGLE_H
#define OUTPUT_EXPORT_SINGLE_H

#include "base/text.h"

/* C as this house writes it, with doubles, to the same with floats. Comments and strings stay. */
void export_single(const char *text, textbuf *to);

#endif
