/* A control loop: a new force each millisecond, 200 s long, held in between.

   Lesson: what a program sets between two advances takes effect there and then, exactly. A damped oscillator follows
   the exact answer to such a force, and a pendulum the run of `input u = file ... held`, in which the model itself
   has the same force from a table; by rk5 and rk8, with generated code and without. */
#include <mech/easy.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const double turn = 1e-3;

static const char oscillator[] =
    "param k = 100, d = 0.5\ncoord x\nkinetic x'^2/2\npotential k/2*x^2\ninput u = 0\nforce u - 2*d*x' on x'\ninitial x = 1\nsimulate until 1\n";
static const char pendulum[] =
    "coord theta\nkinetic theta'^2/2\npotential -9.81*cos(theta)\ninput u = %s\nforce u - theta' on theta'\ninitial theta = 1\nsimulate until 1\n";

/* Numbers between -1 and 1 that a linear congruence gives: the same in each run. */
static double force(int k)
{
    const unsigned x = ((unsigned)k * 2654435761u) ^ ((unsigned)k >> 3) * 40503u;
    return (double)(x % 20001u) / 1e4 - 1;
}

/* A run at its start, without an end; NULL after a message. *code is NULL, or of the caller. */
static mech_sim *begin(mech_easy *easy, mech_method method, int native, mech_motion_code **code)
{
    mech_sim_settings settings;
    mech_sim *sim = NULL;
    *code = NULL;
    mech_system *system = mech_easy_system(easy);
    mech_sim_settings_default(&settings, sizeof settings);
    settings.until = INFINITY;
    settings.rtol = 1e-12;
    settings.atol = 1e-15;
    settings.method = method;
    if (!system) {
        fprintf(stderr, "%s\n", mech_easy_error(easy));
        return NULL;
    }
    mech_status status = MECH_OK;
    if (native) {
        mech_motion_settings motion;
        mech_motion_settings_default(&motion, sizeof motion);
        motion.native = MECH_NATIVE_ON;
        motion.with_power = motion.with_check = 1;
        status = mech_motion_code_create(system, &motion, code);
    }
    if (status == MECH_OK) status = mech_sim_create(system, &settings, &sim);
    if (status == MECH_OK && native) status = mech_sim_use_motion(sim, *code);
    if (status == MECH_OK) status = mech_sim_start(sim);
    if (status == MECH_OK) return sim;
    fprintf(stderr, "%s\n", sim ? mech_sim_error_text(sim) : mech_status_text(status));
    mech_sim_free(sim);
    return NULL;
}

/* One millisecond of the loop: 1, or 0 after a message. */
static int go_on(mech_sim *sim, int k, int sets)
{
    const mech_status status = sets ? mech_sim_set_input(sim, 0, force(k)) : MECH_OK;
    if (status == MECH_OK && mech_sim_advance(sim, (k + 1) * turn) == MECH_OK) return 1;
    fprintf(stderr, "%s\n", mech_sim_error_text(sim));
    return 0;
}

/* The exact step of x'' = u - k x - 2 d x'. */
static void exact_step(double *x, double *v, double u, double k, double d)
{
    const double w = sqrt(k - d * d), rest = u / k, e = exp(-d * turn), c = cos(w * turn), s = sin(w * turn) / w,
                 x0 = *x - rest, v0 = *v;
    *x = rest + e * (x0 * (c + d * s) + v0 * s);
    *v = e * (v0 * (c - d * s) - k * x0 * s);
}

/* The largest distance from the exact answer; negative: it failed. */
static double follow_oscillator(mech_method method, int native, int turns)
{
    mech_easy *easy = mech_easy_open_text(oscillator);
    mech_motion_code *code;
    mech_sim *sim = begin(easy, method, native, &code);
    double x = 1, v = 0, worst = sim ? 0 : -1;
    for (int k = 0; k < turns && worst >= 0; k++) {
        if (!go_on(sim, k, 1)) worst = -1;
        exact_step(&x, &v, force(k), 100, 0.5);
        if (worst >= 0) worst = fmax(worst, fmax(fabs(mech_sim_q(sim)[0] - x), fabs(mech_sim_v(sim)[0] - v)));
    }
    mech_sim_free(sim);
    mech_motion_code_free(code);
    mech_easy_close(easy);
    return worst;
}

static int write_table(const char *path, int turns)
{
    FILE *f = fopen(path, "w");
    if (!f) return 0;
    fprintf(f, "t,u\n");
    for (int k = 0; k < turns; k++) fprintf(f, "%.17g,%.17g\n", k * turn, force(k));
    return fclose(f) == 0;
}

static double follow_pendulum(mech_method method, int native, int turns, const char *table)
{
    char signal[1200], driven_text[2048], held_text[2048];
    snprintf(signal, sizeof signal, "file \"%s\" column \"u\" held", table);
    snprintf(driven_text, sizeof driven_text, pendulum, "0");
    snprintf(held_text, sizeof held_text, pendulum, signal);
    mech_easy *driven = mech_easy_open_text(driven_text), *held = mech_easy_open_text(held_text);
    mech_motion_code *code[2];
    mech_sim *a = begin(driven, method, native, &code[0]), *b = begin(held, method, native, &code[1]);
    double worst = a && b ? 0 : -1;
    for (int k = 0; k < turns && worst >= 0; k++) {
        if (!go_on(a, k, 1)) worst = -1;
        if (k % 1000 != 999 || worst < 0) continue;
        if (!go_on(b, k, 0)) worst = -1; /* a second at once */
        else
            worst =
                fmax(worst, fmax(fabs(mech_sim_q(a)[0] - mech_sim_q(b)[0]), fabs(mech_sim_v(a)[0] - mech_sim_v(b)[0])));
    }
    mech_sim_free(a);
    mech_sim_free(b);
    mech_motion_code_free(code[0]);
    mech_motion_code_free(code[1]);
    mech_easy_close(driven);
    mech_easy_close(held);
    return worst;
}

int main(int argc, char **argv)
{
    static const mech_method methods[] = {MECH_METHOD_RK5, MECH_METHOD_RK8};
    const int seconds = argc > 1 ? atoi(argv[1]) : 200, turns = 1000 * seconds;
    char table[1024];
    const char *folder = getenv("TMPDIR");
    int is_right = 1;
    snprintf(table, sizeof table, "%s/mech-loop-%ld.csv", folder ? folder : "/tmp", (long)getpid());
    if (!write_table(table, turns)) return 1;
    printf("%d s, a new force each millisecond: largest distance from the exact oscillator, and from the held table\n",
           seconds);
    for (int k = 0; k < 4; k++) {
        const mech_method method = methods[k % 2];
        const double from_exact = follow_oscillator(method, k / 2, turns),
                     from_held = follow_pendulum(method, k / 2, turns, table);
        printf("%s %-12s %8.1e  %8.1e\n", mech_method_word(method), k / 2 ? "native" : "interpreted", from_exact,
               from_held);
        is_right = is_right && from_exact >= 0 && from_exact < 1e-9 && from_held >= 0 && from_held < 1e-9;
    }
    remove(table);
    return is_right ? 0 : 1;
}
