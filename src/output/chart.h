/* What charts as JSON share. */
#ifndef OUTPUT_CHART_H
#define OUTPUT_CHART_H

#include "base/text.h"

#include <mech/analyze.h>

/* {"model": ..., "chart": the path or null; chart_end closes it and hands the text out. */
void chart_begin(textbuf *out, const char *title, const char *path);
/* "x": {"name": "K", "values": [...]} */
void chart_axis(textbuf *out, const char *key, const mech_axis *axis);
mech_status chart_end(textbuf *out, char **text);

#endif
