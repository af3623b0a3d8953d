/* The list of diagnostics: places, carets under characters of more than one byte, the limit. */
#include "check.h"

#include "base/diagnostics.h"
#include "base/number.h"

int main(void)
{
    mech_diagnostics *list = mech_diagnostics_create();
    const char *source = "coord x\nkinetic \xCF\x86 + zeta*2\n";
    const uint32_t file = diagnostics_add_source(list, "a.mech", source, strlen(source));
    const uint32_t at = (uint32_t)(strstr(source, "zeta") - source);
    diagnostics_add(list, MECH_SEVERITY_ERROR, MECH_ERR_MODEL, (mech_span){file, at, at + 4}, "did you mean 'beta'?",
                    "unknown name '%s'", "zeta");
    char *text = mech_diagnostics_format(list);
    CHECK_TEXT(text, "a.mech:2:13: error: unknown name 'zeta'\n"
                     "    kinetic \xCF\x86 + zeta*2\n"
                     "                ^~~~\n"
                     "  hint: did you mean 'beta'?\n");
    mech_text_free(text);
    /* a span at the very end of the text, and one past it */
    diagnostics_add(list, MECH_SEVERITY_WARNING, MECH_ERR_MODEL, (mech_span){file, 1000, 1000}, NULL, "end");
    CHECK(mech_diagnostics_get(list, 1)->line == 0 || mech_diagnostics_get(list, 1)->line == 3);
    CHECK(mech_diagnostics_error_count(list) == 1);
    for (int i = 0; i < 200; i++)
        diagnostics_add(list, MECH_SEVERITY_ERROR, MECH_ERR_MODEL, (mech_span){0}, NULL, "error %d", i);
    CHECK(mech_diagnostics_count(list) == MECH_DIAGNOSTICS_MAX);
    CHECK(mech_diagnostics_error_count(list) == 201);
    CHECK(mech_diagnostics_get(list, MECH_DIAGNOSTICS_MAX) == NULL);
    mech_diagnostics_free(list);
    mech_diagnostics_free(NULL);

    /* numbers read back to the same double */
    char buffer[NUMBER_TEXT_SIZE];
    const double values[] = {0.1, 1.0 / 3, 1e300, 5e-324, -0.0, 123456789.125};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double back;
        number_shortest(values[i], buffer);
        CHECK(number_read(buffer, strlen(buffer), &back) && back == values[i]);
    }
    CHECK_TEXT(mech_status_name(MECH_OK), "MECH_OK");
    CHECK_TEXT(mech_status_name(MECH_ERR_NO_START), "MECH_ERR_NO_START");
    CHECK_TEXT(mech_status_name(MECH_STATUS_COUNT), "unknown status");
    double ignored;
    CHECK(!number_read("1.2.3", 5, &ignored));
    CHECK(!number_read("abc", 3, &ignored));
    return check_report();
}
