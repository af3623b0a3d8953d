/* Checkpoints of `mech run`: when they are due, and how a run is taken up again. */
#include "run.h"
#include "common.h"
#include "say.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct note { /* what the command adds to the saved run */
    double every, steps, least;
    mech_csv_mark mark;
} note;

static int positive(const cli_args *args, const char *name, double *value)
{
    const char *text = cli_value(args, name);
    char *end;
    if (!text) return 1;
    *value = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(*value) && *value > 0) return 1;
    say("mech run: %s takes a number above 0, not '%s'\n", name, text);
    return 0;
}

/* Said before anything else is done: the rest may take long. */
static int is_there(const char *path)
{
    struct stat about;
    const int is_found = stat(path, &about) == 0;
    if (is_found && S_ISREG(about.st_mode) && access(path, R_OK) == 0) return 1;
    say("mech run: the checkpoint '%s' cannot be read: %s\n", path,
        is_found && !S_ISREG(about.st_mode) ? "it is not a regular file"
        : errno == ENOENT                   ? "there is no such file"
                                            : strerror(errno));
    say("  A run with --checkpoint FILE writes one, and removes it when it comes to its end. Without --resume it begins anew.\n");
    return 0;
}

int run_checkpoint_options(const cli_args *args, const char *rows, run_checkpoint *c)
{
    *c = (run_checkpoint){.path = cli_value(args, "--checkpoint"), .resume = cli_value(args, "--resume")};
    if (!positive(args, "--checkpoint-every", &c->every) || !positive(args, "--checkpoint-steps", &c->steps)) return 0;
    if (!c->path) c->path = c->resume;
    if (c->every > 0 && c->steps > 0)
        say("mech run: --checkpoint-every and --checkpoint-steps are two ways to say the same: give one\n");
    else if (!c->path && (c->every > 0 || c->steps > 0))
        say("mech run: --checkpoint-%s needs --checkpoint FILE\n", c->every > 0 ? "every" : "steps");
    else if (c->path && strcmp(rows, "-") == 0)
        say("mech run: rows on standard output cannot be taken back, so a run that writes there has no checkpoints: use -o FILE\n");
    else if (c->steps > 0 && c->steps < 1) say("mech run: --checkpoint-steps takes a number that is at least 1\n");
    else return !c->resume || is_there(c->resume);
    return 0;
}

/* Number of the interval the run is in. */
static double interval(const run_checkpoint *c, const mech_sim *sim, double from)
{
    return c->steps > 0 ? floor((double)mech_sim_info_get(sim).steps / c->steps)
                        : floor((mech_sim_time(sim) - from) / c->every);
}

/* bdf and adams come back to their order in some 50 steps: a tenth at most of what lies between two. irk has no order
   to come back to. */
static int is_too_soon(const run_checkpoint *c, const mech_sim *sim)
{
    const mech_sim_info info = mech_sim_info_get(sim);
    return (info.method == MECH_METHOD_BDF || info.method == MECH_METHOD_ADAMS) &&
           (double)info.steps - c->at_steps < c->least;
}

static mech_status write_now(run_checkpoint *c, mech_sim *sim, mech_csv *csv)
{
    note n = {.every = c->every, .steps = c->steps, .least = c->least};
    char *bytes = NULL;
    size_t size;
    mech_status status = csv ? mech_csv_mark_now(csv, &n.mark) : MECH_OK;
    const mech_status saved =
        mech_sim_save(sim, &n, sizeof n, &bytes, &size); /* in any case: the method may begin anew by it */
    if (status == MECH_OK) status = saved;
    if (status == MECH_OK) status = mech_checkpoint_write(c->path, bytes, size);
    mech_text_free(bytes);
    return status;
}

void run_checkpoint_write(run_checkpoint *c, mech_sim *sim, mech_csv *csv, double from, double until, int is_asked)
{
    if (!c->path) return;
    if (c->every <= 0 && c->steps <= 0) {
        c->every = (until - from) / 100;
        c->least = 1000;
    }
    const double now = interval(c, sim, from);
    if ((now <= c->last || is_too_soon(c, sim)) && !is_asked) return;
    c->last = now;
    c->at_steps = (double)mech_sim_info_get(sim).steps;
    if (write_now(c, sim, csv) == MECH_OK) {
        c->is_written = 1;
        return;
    }
    if (!c->has_failed)
        say("mech run: the checkpoint '%s' cannot be written; the run goes on, an earlier one is untouched\n", c->path);
    c->has_failed = 1;
}

/* A file that does not fit is a wrong call. */
static int refused(mech_status status) { return status == MECH_ERR_MEMORY ? exit_code(status) : EXIT_USAGE; }

static int rows_refused(const char *path, const mech_csv_mark *mark, mech_status status)
{
    struct stat about;
    char part[4200];
    snprintf(part, sizeof part, "%s.part", path);
    const int is_there = stat(part, &about) == 0;
    if (!is_there) {
        say("mech run: '%s' is missing: the rows so far are needed to go on.\n", part);
        say("  Put it back, or give its name without .part to -o. If '%s' is there, the run had come to its end. Without --resume it begins anew.\n",
            path);
    } else if (status == MECH_ERR_ARGUMENT && (uint64_t)about.st_size < mark->bytes) {
        say("mech run: '%s' is too short: it has %llu bytes, and %llu were written before the checkpoint.\n", part,
            (unsigned long long)about.st_size, (unsigned long long)mark->bytes);
        say("  Put back the whole file, or begin anew without --resume.\n");
    } else if (status == MECH_ERR_ARGUMENT) {
        say("mech run: '%s' holds other rows than those the checkpoint goes on from.\n", part);
        say("  Put back the file that belongs to it, or begin anew without --resume.\n");
    } else say("mech run: '%s': %s\n", part, mech_status_text(status));
    return refused(status);
}

static int restore(run_checkpoint *c, mech_sim *sim, const char *bytes, size_t size, note *n)
{
    const void *kept;
    size_t kept_size;
    const mech_status status = mech_sim_restore(sim, bytes, size, &kept, &kept_size);
    if (status != MECH_OK) {
        const char *why = mech_sim_error_text(sim);
        say("mech run: '%s' cannot be taken up: %s\n", c->resume, *why ? why : mech_status_text(status));
        if (status != MECH_ERR_MEMORY)
            say("  --resume wants the file that --checkpoint wrote, with the same model and options. Without it the run begins anew.\n");
        return refused(status);
    }
    if (kept_size != sizeof *n) {
        say("mech run: '%s' was not written by mech run\n", c->resume);
        return EXIT_USAGE;
    }
    memcpy(n, kept, sizeof *n);
    return EXIT_OK;
}

int run_checkpoint_take_up(run_checkpoint *c, mech_sim *sim, const char *path, int is_csv, mech_csv **csv)
{
    char *bytes;
    size_t size;
    note n;
    const mech_status status = mech_checkpoint_read(c->resume, &bytes, &size);
    if (status != MECH_OK) {
        say("mech run: the checkpoint '%s' cannot be read: %s\n", c->resume, mech_status_text(status));
        return refused(status);
    }
    const int code = restore(c, sim, bytes, size, &n);
    mech_text_free(bytes);
    if (code != EXIT_OK) return code;
    if (c->every <= 0 && c->steps <= 0) {
        c->every = n.every;
        c->steps = n.steps;
        c->least = n.least;
    }
    c->at_steps = (double)mech_sim_info_get(sim).steps;
    const mech_sim_settings *settings = mech_sim_settings_get(sim);
    c->last = interval(c, sim, settings->from);
    if (!is_csv) return EXIT_OK;
    const mech_status rows = mech_csv_resume(path, mech_trajectory_columns(mech_sim_trajectory(sim)), &n.mark, csv);
    return rows == MECH_OK ? EXIT_OK : rows_refused(path, &n.mark, rows);
}

void run_checkpoint_end(const run_checkpoint *c)
{
    if (c->path && (c->is_written || (c->resume && strcmp(c->path, c->resume) == 0))) (void)unlink(c->path);
}
