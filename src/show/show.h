/* Inside the room: texts of a page. */
#ifndef SHOW_SHOW_H
#define SHOW_SHOW_H

#include <mech/show.h>

#include "base/text.h"

/* Text of a user in HTML. */
void page_escape(textbuf *out, const char *text);
/* The blocks of a LaTeX text of ours as MathML. */
void page_math(const char *latex, textbuf *out);
/* JSON within a page: '<' cannot end its element. */
void page_json(textbuf *out, const char *json);

/* Files of page/, as they are. */
extern const char page_css[], page_player[], page_script[];

#endif
