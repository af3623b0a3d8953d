/* A long run holds its memory: resident memory at a tenth of it and at its end. 200 thousand steps, or as many as the
   first word says (`make soak`: ten million), of a pendulum with redundant rods, a state and an event, by the
   interpreted plan and by the full solve. */
#include "support/motion.h"

#include <malloc.h>
#include <sys/prctl.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_PLAIN = 0 }; /* the sanitizers' own memory grows; they look for leaks themselves */
#else
enum { IS_PLAIN = 1 };
#endif

static const char text[] =
    "param l = 1, g = 9.81\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential g*y\nconstraint rod: x^2 + y^2 = l^2\n"
    "constraint again: sqrt(x^2 + y^2) = l\nstate w: w' = x - w\nevent far: w rises through 10 -> record\n"
    "initial x = l\nsimulate until 1e9, step 1\n";

/* Kilobytes that a busy system has put aside: held all the same. */
static long swapped(void)
{
    char line[256];
    long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmSwap: %ld kB", &kilobytes) == 1) break;
    if (file) fclose(file);
    return kilobytes;
}

/* Kilobytes of this process, but for pages of its files, which come as they are first looked at. */
static long resident(void)
{
    long all = 0, in_memory = 0, of_files = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld %ld", &all, &in_memory, &of_files) != 3) in_memory = of_files = 0;
    if (file) fclose(file);
    return (in_memory - of_files) * (sysconf(_SC_PAGESIZE) / 1024) + swapped();
}

typedef struct watcher {
    size_t steps, most, rows;
    long early, late;    /* kB in memory            */
    size_t held, at_end; /* bytes allocated         */
} watcher;

static int on_progress(void *user, double t, double from, double until)
{
    watcher *w = user;
    (void)t, (void)from, (void)until;
    if (++w->steps == w->most / 10) {
        w->early = resident();
        w->held = mallinfo2().uordblks;
    }
    return w->steps > w->most;
}

static int on_row(void *user, const double *row, size_t columns)
{
    (void)row, (void)columns;
    ((watcher *)user)->rows++;
    return 0;
}

static void soak(mech_method method, int with_motion, size_t most)
{
    motion m;
    watcher w = {.most = most};
    if (!motion_read(&m, text)) return;
    m.settings.output_points = 0;
    m.settings.output_step = 0.1;
    m.settings.rtol = 1e-9;
    m.settings.atol = 1e-9;
    m.settings.method = method;
    m.settings.max_step = 0.01;
    m.settings.until = 0.02 * (double)most; /* further than it gets */
    m.settings.keep_trajectory = 0;
    m.settings.on_progress = on_progress;
    m.settings.on_row = on_row;
    m.settings.user = &w;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    if (with_motion) CHECK(motion_use_code(&m, NULL) == MECH_OK);
    CHECK(mech_sim_run(m.sim) == MECH_ERR_INTERRUPTED);
    w.late = resident();
    w.at_end = mallinfo2().uordblks;
    const mech_sim_info info = mech_sim_info_get(m.sim);
    CHECK(info.steps >= most && w.rows > 100);
    CHECK(!IS_PLAIN || (w.early > 0 && w.late - w.early <= 64 && w.at_end == w.held));
    /* it grows with the steps */
    CHECK(info.phi < 1e-9 && info.balance_error / info.energy_scale < 1e-11 * (double)info.steps);
    printf("figure: soak, %s: %ld kB at %zu steps, %ld kB at %zu; drift %.1e, energy misses by %.1e\n",
           mech_method_word(method), w.early, most / 10, w.late, info.steps, info.phi,
           info.balance_error / info.energy_scale);
    motion_free(&m);
}

int main(int count, char **words)
{
    const size_t most = count > 1 ? (size_t)strtod(words[1], NULL) : IS_PLAIN ? 200000 : 20000;
    (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* a kernel that joins pages to huge ones adds what nobody asked for */
    soak(MECH_METHOD_RK5, 1, most);
    if (count == 1) soak(MECH_METHOD_RK8, 0, most / 5);
    return check_report();
}
