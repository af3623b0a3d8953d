/* mech lsp in a build without jansson. */
#include "lsp.h"
#include "cli.h"
#include "say.h"

int lsp_serve(FILE *in, FILE *out)
{
    (void)in;
    (void)out;
    say("mech lsp: this mech was built without jansson, which reads the editor's messages\n");
    return EXIT_USAGE;
}
