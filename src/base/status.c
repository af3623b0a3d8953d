/* Status texts and the version. */
#include <mech/base.h>

#define STRINGIFY(x) #x
#define VERSION_TEXT(a, b, c) STRINGIFY(a) "." STRINGIFY(b) "." STRINGIFY(c)

const char *mech_version(void) { return VERSION_TEXT(MECH_VERSION_MAJOR, MECH_VERSION_MINOR, MECH_VERSION_PATCH); }

const char *mech_status_text(mech_status status)
{
    static const char *const texts[] = {
#define STATUS_TEXT(name, sentence) sentence,
        MECH_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    };
    if ((int)status < 0 || status >= MECH_STATUS_COUNT) return "unknown status";
    return texts[status];
}

const char *mech_status_name(mech_status status)
{
    static const char *const names[] = {
#define STATUS_NAME(name, sentence) #name,
        MECH_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    };
    if ((int)status < 0 || status >= MECH_STATUS_COUNT) return "unknown status";
    return names[status];
}
