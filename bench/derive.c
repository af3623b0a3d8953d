/* How long it takes from energies and constraints to M, Q, A, b:
 *   (i)  the n-link pendulum on a cart, beside SymPy's LagrangesMethod and KanesMethod in the same run;
 *   (ii) a planar chain of N links in maximal coordinates: growth and memory.
 * Every measurement is a process of its own; the best of several is shown. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <mech/model.h>

enum { SYMPY_LIMIT = 120 }; /* seconds */

/* CPU seconds of this process: other load does not count. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the systems ---- */

static mech_pool *p;

static mech_expr add(mech_expr a, mech_expr b) { return mech_add(p, a, b); }
static mech_expr mul(mech_expr a, mech_expr b) { return mech_mul(p, a, b); }
static mech_expr square_dot(mech_expr a) { return mech_mul(p, mech_dot(p, a), mech_dot(p, a)); }
static mech_expr sine(mech_expr a) { return mech_call(p, MECH_FUNCTION_SIN, &a, 1); }
static mech_expr cosine(mech_expr a) { return mech_call(p, MECH_FUNCTION_COS, &a, 1); }

static mech_expr indexed(mech_model *m, const char *letter, size_t i, int is_coord)
{
    char name[32];
    snprintf(name, sizeof name, "%s[%zu]", letter, i);
    return is_coord ? mech_model_coord(m, name, NULL) : mech_model_param(m, name, mech_number(p, 1), NULL);
}

/* cart x, then links with point masses at their ends, angles from the vertical */
static int build_pendulum(mech_model *m, size_t n)
{
    const mech_expr g = mech_model_param(m, "g", mech_number(p, 9.81), NULL), half = mech_rational(p, 1, 2);
    const mech_expr cart = mech_model_param(m, "M", mech_number(p, 1), NULL), x = mech_model_coord(m, "x", NULL);
    mech_expr px = x, py = mech_number(p, 0);
    int ok = mech_model_kinetic(m, mul(mul(half, cart), square_dot(x))) == MECH_OK;
    for (size_t i = 1; i <= n && ok; i++) {
        const mech_expr mass = indexed(m, "m", i, 0), l = indexed(m, "l", i, 0), q = indexed(m, "q", i, 1);
        px = add(px, mul(l, sine(q)));
        py = add(py, mul(l, cosine(q)));
        ok = mech_model_kinetic(m, mul(mul(half, mass), add(square_dot(px), square_dot(py)))) == MECH_OK &&
             mech_model_potential(m, mul(mul(mass, g), py)) == MECH_OK;
    }
    return ok;
}

/* rods (x, y, a), each pinned to the one before */
static int build_chain(mech_model *m, size_t n)
{
    const mech_expr mass = mech_model_param(m, "m", mech_number(p, 1), NULL);
    const mech_expr l = mech_model_param(m, "l", mech_number(p, 1), NULL);
    const mech_expr g = mech_model_param(m, "g", mech_number(p, 9.81), NULL), half = mech_rational(p, 1, 2);
    const mech_expr inertia = mul(mul(mass, mul(l, l)), mech_rational(p, 1, 24)), arm = mul(l, half);
    mech_expr end[2] = {mech_number(p, 0), mech_number(p, 0)};
    int ok = 1;
    for (size_t i = 1; i <= n && ok; i++) {
        char name[32];
        const mech_expr x = indexed(m, "x", i, 1), y = indexed(m, "y", i, 1), a = indexed(m, "a", i, 1);
        const mech_expr dx = mul(arm, cosine(a)), dy = mul(arm, sine(a));
        const mech_expr pin[2] = {mech_sub(p, mech_sub(p, x, dx), end[0]), mech_sub(p, mech_sub(p, y, dy), end[1])};
        snprintf(name, sizeof name, "pin[%zu]", i);
        ok = mech_model_kinetic(m, add(mul(mul(half, mass), add(square_dot(x), square_dot(y))),
                                       mul(inertia, square_dot(a)))) == MECH_OK &&
             mech_model_potential(m, mul(mul(mass, g), y)) == MECH_OK &&
             mech_model_constraint(m, name, pin, 2, NULL) == MECH_OK;
        end[0] = add(x, dx);
        end[1] = add(y, dy);
    }
    return ok;
}

/* Seconds from an empty model to its equations; negative when it fails. */
static double derive_once(int (*build)(mech_model *m, size_t n), size_t n)
{
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *m = NULL;
    const double start = now();
    int ok = list && mech_model_create(list, &m) == MECH_OK;
    if (ok) {
        p = mech_model_pool(m);
        ok = build(m, n) && mech_model_finish(m) == MECH_OK;
    }
    const double seconds = now() - start;
    mech_model_free(m);
    mech_diagnostics_free(list);
    return ok ? seconds : -1;
}

/* ---- measuring ---- */

typedef struct measured {
    double seconds;   /* best; negative: failed */
    double megabytes; /* peak of the process  */
} measured;

/* The best of as many runs as fit half a second, at least three, in a process of its own. */
static measured measure(int (*build)(mech_model *m, size_t n), size_t n)
{
    measured result = {-1, 0};
    int ends[2], status;
    struct rusage used;
    fflush(stdout);
    if (pipe(ends) != 0) return result;
    const pid_t child = fork();
    if (child < 0) return result;
    if (child == 0) {
        double best = derive_once(build, n);
        const double start = now();
        for (int runs = 1; best >= 0 && (runs < 3 || now() - start < 0.5) && runs < 1000; runs++) {
            const double again = derive_once(build, n);
            if (again < best) best = again;
        }
        _exit(write(ends[1], &best, sizeof best) != (ssize_t)sizeof best);
    }
    close(ends[1]);
    if (read(ends[0], &result.seconds, sizeof result.seconds) != (ssize_t)sizeof result.seconds) result.seconds = -1;
    close(ends[0]);
    if (wait4(child, &status, 0, &used) == child) result.megabytes = (double)used.ru_maxrss / 1024;
    return result;
}

/* Seconds SymPy took; HUGE_VAL: more than the limit; negative: it is not there. */
static double sympy_seconds(const char *method, size_t n)
{
    const char *python = getenv("PYTHON");
    char command[256];
    double seconds = -1;
    snprintf(command, sizeof command, "ulimit -t %d; timeout %d %s bench/derive_sympy.py %s %zu 2>/dev/null",
             SYMPY_LIMIT, 4 * SYMPY_LIMIT, python ? python : "/usr/bin/python3", method, n);
    fflush(stdout);
    FILE *f = popen(command, "r");
    if (!f) return -1;
    if (fscanf(f, "%lf", &seconds) != 1) seconds = -1;
    const int status = pclose(f), code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    /* out of CPU time, or of patience on a machine that is busy with other things */
    return code == 124 || code >= 128 ? HUGE_VAL : seconds;
}

static int has_sympy(void)
{
    if (access("bench/derive_sympy.py", R_OK) != 0) return 0;
    return sympy_seconds("none", 0) >= 0;
}

/* One cell of the table; returns whether a larger n is worth trying. */
static int show_sympy(const char *method, size_t n, double ours, int is_tried)
{
    if (!is_tried) {
        printf("%24s", "-");
        return 0;
    }
    const double theirs = sympy_seconds(method, n);
    char cell[64];
    if (theirs < 0) snprintf(cell, sizeof cell, "failed");
    else if (isinf(theirs)) snprintf(cell, sizeof cell, "> %d s (> %.0fx)", SYMPY_LIMIT, SYMPY_LIMIT / ours);
    else snprintf(cell, sizeof cell, "%.2f s (%.0fx)", theirs, theirs / ours);
    printf("%24s", cell);
    fflush(stdout);
    return theirs >= 0 && !isinf(theirs);
}

static void pendulums(int with_sympy)
{
    static const size_t sizes[] = {6, 20, 50};
    int lagrange = with_sympy, kane = with_sympy;
    printf("n-link pendulum on a cart, CPU time and how many times slower\n%6s %14s%24s%24s\n", "n", "Mechanician",
           "SymPy LagrangesMethod", "SymPy KanesMethod");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const measured ours = measure(build_pendulum, sizes[i]);
        printf("%6zu %11.3f ms", sizes[i], ours.seconds * 1e3);
        lagrange = show_sympy("lagrange", sizes[i], ours.seconds, lagrange);
        kane = show_sympy("kane", sizes[i], ours.seconds, kane);
        printf("\n");
    }
    if (!with_sympy) printf("SymPy is left out (--no-sympy, or python3-sympy is not installed)\n");
    else
        printf("SymPy gets %d s of CPU time; '-' is not tried, since a smaller n took longer than that\n", SYMPY_LIMIT);
}

static void chains(void)
{
    static const size_t sizes[] = {10, 100, 1000, 10000};
    measured before = {0, 0}, first = {0, 0};
    printf("\nplanar chain in maximal coordinates: 3 N coordinates, 2 N constraints\n%6s %14s %14s %10s %14s\n", "N",
           "seconds", "us per link", "exponent", "peak memory");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const measured ours = measure(build_chain, sizes[i]);
        printf("%6zu %11.3f ms %14.2f ", sizes[i], ours.seconds * 1e3, ours.seconds * 1e6 / (double)sizes[i]);
        if (i == 0) {
            first = ours;
            printf("%10s", "");
        } else printf("%10.2f", log(ours.seconds / before.seconds) / log((double)sizes[i] / (double)sizes[i - 1]));
        printf(" %11.1f MB\n", ours.megabytes);
        before = ours;
    }
    printf("from N = 10 to 10000: time grows like N^%.2f\n", log(before.seconds / first.seconds) / log(1000));
}

int main(int argc, char **argv)
{
    const int with_sympy = !(argc > 1 && strcmp(argv[1], "--no-sympy") == 0) && has_sympy();
    pendulums(with_sympy);
    chains();
    return 0;
}
