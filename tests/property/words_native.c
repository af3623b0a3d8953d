/* Whole numbers divided, in generated code and on the tape: what floor, mod and comparisons say is that of integers, by
   numbers and by parameters, also where the quotient is whole. */
#include "support/motion.h"

enum { FIRST = 1, LAST = 110, COUNT = LAST - FIRST + 1 };

static void divided(mech_native native)
{
    motion m;
    if (!motion_read(&m,
                     "param p[1..110] = [d for d in 1..110]\ncoord x, a[1..110], b[1..110], c[1..110]\nkinetic x'^2/2\n"
                     "for d in 1..110 {\n  kinetic (a[d]'^2 + b[d]'^2 + c[d]'^2)/2\n"
                     "  force floor((x - 1)/d) on a[d]'\n  force mod(x + 2, p[d]) on b[d]'\n"
                     "  force if((x - 1)/p[d] >= 2, 1, 0) on c[d]'\n}\n"))
        return;
    static double q[1 + 3 * COUNT], v[1 + 3 * COUNT], qdd[1 + 3 * COUNT];
    mech_motion_settings settings;
    mech_motion_code *code = NULL;
    mech_eval *e = NULL;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = native;
    settings.q = q;
    settings.v = v;
    CHECK(mech_motion_code_create(m.system, &settings, &code) == MECH_OK);
    CHECK(mech_eval_create(m.system, MECH_STORAGE_SPARSE, &e) == MECH_OK && mech_eval_use_motion(e, code) == MECH_OK);
    long wrong = 0;
    for (int x = 1; x <= 400; x++) {
        mech_motion got = {.size = sizeof got, .qdd = qdd};
        q[0] = x;
        CHECK(mech_eval_motion(e, 0, q, v, &got) == MECH_OK);
        for (int d = FIRST; d <= LAST; d++)
            wrong += qdd[1 + d - FIRST] != (x - 1) / d || qdd[1 + COUNT + d - FIRST] != (x + 2) % d ||
                     qdd[1 + 2 * COUNT + d - FIRST] != (x - 1 >= 2 * d);
    }
    CHECK(wrong == 0);
    mech_eval_free(e);
    mech_motion_code_free(code);
    motion_free(&m);
}

int main(void)
{
    divided(MECH_NATIVE_OFF);
    divided(MECH_NATIVE_ON);
    return check_report();
}
