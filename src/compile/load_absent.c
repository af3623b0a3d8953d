/* No dynamic loading in this build: the interpreter does the work. */
#include "compile/native.h"

mech_status native_load(const char *source, size_t length, const char *prefix, const native_settings *settings,
                        native_code **code, native_outcome *outcome)
{
    (void)source;
    (void)length;
    (void)prefix;
    (void)settings;
    *code = NULL;
    *outcome = (native_outcome){.why = "this build loads no code"};
    return MECH_ERR_UNSUPPORTED;
}

void native_free(native_code *code) { (void)code; }

native_parameters native_get_parameters(const native_code *code)
{
    (void)code;
    return NULL;
}

native_motion native_get_motion(const native_code *code)
{
    (void)code;
    return NULL;
}
