/* What every figure's script needs. */
#ifndef OUTPUT_FIGURE_H
#define OUTPUT_FIGURE_H

#include <mech/output.h>

#include "base/text.h"

/* gnuplot's terminal for the ending of path; NULL: none for it. */
const char *figure_terminal(const char *path, size_t panels, char *buffer, size_t size);
/* 'text' with an apostrophe or a prime for each quote (gnuplot looks for comments before it pairs doubled quotes);
   control characters left out. */
void figure_quote(textbuf *out, const char *s);

#endif
