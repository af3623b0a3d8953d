/* The report of an instant: the k-th allocation fails and nothing leaks; bad calls are refused. */
#include "support/mem_fault.h"
#include "unit/dynamics/instant_helpers.h"

#include <mech/output.h>

static void every_failure(bench_model *b, mech_report_format format)
{
    mech_instant_report options;
    mech_instant_report_default(&options, sizeof options);
    options.format = format;
    options.title = "a \"title\"";
    options.start = "as given";
    options.moves = (const mech_report_move[]){{"x'", 0, 0.25}};
    options.move_count = 1;
    for (size_t k = 1;; k++) {
        char *text = (char *)b;
        const size_t live = mem_fault_live();
        mem_fault_set(k);
        const mech_status status = mech_report_instant(b->instant, &options, &text);
        const int hit = mem_fault_hit();
        mem_fault_set(0);
        CHECK(hit ? status == MECH_ERR_MEMORY && !text : status == MECH_OK && text && strstr(text, "0.25"));
        mech_text_free(hit ? NULL : text);
        CHECK(mem_fault_live() == live);
        if (!hit) break;
    }
}

int main(void)
{
    bench_model b;
    char *text = NULL;
    open_file(&b, "examples/sliding-rod/model.mech", 0);
    CHECK(mech_report_instant(b.instant, NULL, &text) == MECH_ERR_ARGUMENT && !text); /* nothing was solved */
    (void)solved(&b);
    every_failure(&b, MECH_REPORT_TEXT);
    every_failure(&b, MECH_REPORT_JSON);
    mech_instant_report latex;
    mech_instant_report_default(&latex, sizeof latex);
    latex.format = MECH_REPORT_LATEX;
    CHECK(mech_report_instant(b.instant, &latex, &text) == MECH_ERR_ARGUMENT);
    close_bench(&b);
    return check_report();
}
