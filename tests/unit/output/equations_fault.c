/* The report of the equations, short and with names for what long ones share: every allocation may fail,
   nothing leaks. */
#include <mech/lang.h>
#include <mech/output.h>

#include "check.h"
#include "support/mem_fault.h"

#include <string.h>

static mech_model *read_file(const char *path, mech_diagnostics *list)
{
    mech_model *m = NULL;
    CHECK(mech_read_file(path, NULL, list, &m) == MECH_OK);
    return m;
}

static void every_failure(mech_model *m, mech_report_format format, int named)
{
    mech_equations_options options;
    mech_equations_options_default(&options, sizeof options);
    options.format = format;
    options.only = "M,Q,A,b";
    char *text = NULL;
    CHECK(mech_report_equations(m, &options, &text) == MECH_OK);
    const size_t length = text ? strlen(text) : 0;
    CHECK(format == MECH_REPORT_LATEX || (text && strstr(text, "where") != NULL) == named);
    mech_text_free(text);
    for (size_t k = 1;; k += k < 300 ? 1 : k / 5) {
        const size_t live = mem_fault_live();
        mem_fault_set(k);
        const mech_status status = mech_report_equations(m, &options, &text);
        const int hit = mem_fault_hit();
        mem_fault_set(0);
        CHECK(hit ? status == MECH_ERR_MEMORY && !text : status == MECH_OK && text && strlen(text) == length);
        mech_text_free(text);
        CHECK(mem_fault_live() == live);
        if (!hit) break;
    }
}

int main(void)
{
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *small = read_file("examples/hoop-on-cylinder/model.mech", list),
               *large = read_file("examples/heavy-top/model.mech", list);
    for (int format = MECH_REPORT_TEXT; format <= MECH_REPORT_JSON; format++) {
        every_failure(small, (mech_report_format)format, 0);
        every_failure(large, (mech_report_format)format, 1);
    }
    mech_model_free(small);
    mech_model_free(large);
    mech_diagnostics_free(list);
    return check_report();
}
