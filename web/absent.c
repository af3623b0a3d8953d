/* What the module of the playground goes without: commands that its page has no button for, what is made of XML, which
   the core build does not read, and code for a compiler, which no browser has. */
#include "app.h"
#include "compile/emit.h"
#include "import/import.h"
#include "say.h"

static int refuse(const cli_args *args)
{
    (void)args;
    say("mech: this command is not in the playground; the command line has it\n");
    return EXIT_USAGE;
}

static const cli_option options[] = {{NULL, NULL, NULL}};
#define ABSENT(name) const cli_command command_##name = {#name, "...", "not in the playground", 0, 99, options, refuse}
ABSENT(equilibrium);
ABSENT(export);
ABSENT(fmt);
ABSENT(gains);
ABSENT(import);
ABSENT(linearize);
ABSENT(lsp);
ABSENT(plot);
ABSENT(sweep);

/* Never called: there is no XML to make something of. */
void import_urdf(importer *c, xml_node *root) { (void)c, (void)root; }
void import_mjcf(importer *c, xml_node *root) { (void)c, (void)root; }

/* Never called: no compiler is found first. */
void emit_prelude(textbuf *to, int is_single) { (void)to, (void)is_single; }
void emit_omissions(textbuf *to, int is_long) { (void)to, (void)is_long; }
mech_status emit_c(const emit_spec *spec, textbuf *to, emit_result *result)
{
    (void)spec, (void)to;
    *result = (emit_result){0};
    return MECH_ERR_UNSUPPORTED;
}
