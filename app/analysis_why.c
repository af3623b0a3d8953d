/* Why no equilibrium was found, as the library tells it, and what may be tried. */
#include "analysis.h"
#include "say.h"

#include <string.h>

void analysis_why(const analysis *a, mech_status status)
{
    mech_unrest kind;
    if (!a->eval) return;
    char *text = mech_equilibrium_explain(a->system, a->eval, status, &kind);
    for (const char *line = text; line && *line;) {
        const size_t length = strcspn(line, "\n");
        say("  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    mech_text_free(text);
    if (status != MECH_ERR_NO_EQUILIBRIUM || kind == MECH_UNREST_MOVING) return;
    const int takes_here = strcmp(a->word, "linearize") == 0 || strcmp(a->word, "stability") == 0;
    const char *here = takes_here ? "take a state as it is with --here" : "";
    if (kind != MECH_UNREST_DRIVEN) say("  begin elsewhere with --state NAME=VALUE%s%s\n", *here ? ", or " : "", here);
    else if (*here) say("  %s\n", here);
}
