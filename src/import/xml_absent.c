/* The core build reads no XML. */
#include "import/xml.h"

mech_status xml_read(arena *memory, mech_diagnostics *list, uint32_t source, const char *text, size_t length,
                     xml_node **root)
{
    const mech_span whole = {source, MECH_SPAN_WHOLE, MECH_SPAN_WHOLE};
    (void)memory, (void)text, (void)length;
    *root = NULL;
    diagnostics_add(list, MECH_SEVERITY_ERROR, MECH_ERR_UNSUPPORTED, whole, NULL, "this build reads no XML");
    return MECH_ERR_UNSUPPORTED;
}
