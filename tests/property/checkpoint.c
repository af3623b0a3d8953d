/* Runs taken up again in the middle: every shipped model, and some made for this, saved at several steps and restored
   into a new run each time, must end with the same rows, account and log to the byte as the run that was left alone.
   And so must each run that is reset and begins again. */
#include "base/visit.h"
#include "support/motion.h"

#include <glob.h>

#ifdef __SANITIZE_ADDRESS__
enum { MOST_STEPS = 24 }; /* slow: the same saves of the same runs, nearer to one another */
#else
enum { MOST_STEPS = 60 };
#endif
enum { SAVES = 6, EACH = 40 }; /* a run: at some of its steps, or at each of the first ones */

typedef struct watcher { /* saves at these steps */
    mech_sim *sim;
    size_t steps, saves, at[EACH];
    char *bytes[EACH];
    size_t size[EACH], count;
    int is_on, failed;
} watcher;

static int on_progress(void *user, double t, double from, double until)
{
    watcher *w = user;
    (void)t, (void)from, (void)until;
    const size_t steps = mech_sim_info_get(w->sim).steps;
    for (size_t k = 0; w->is_on && k < w->saves; k++) {
        if (w->at[k] != steps || w->steps == steps) continue;
        mech_text_free(w->bytes[k]);
        if (mech_sim_save(w->sim, "note", 4, &w->bytes[k], &w->size[k]) != MECH_OK) w->failed = 1;
        w->count++;
        break;
    }
    w->steps = steps;
    return 0;
}

static int same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static int same_account(const mech_sim *a, const mech_sim *b)
{
    mech_sim_info x = mech_sim_info_get(a), y = mech_sim_info_get(b);
    x.seconds = y.seconds = 0;
    char *s = mech_sim_audit_text(a), *t = mech_sim_audit_text(b);
    const int same = s && t && strcmp(s, t) == 0 && x.evaluations == y.evaluations && x.projections == y.projections &&
                     x.jacobians == y.jacobians && x.steps == y.steps && same_bits(x.raw_phi, y.raw_phi) &&
                     same_bits(x.energy_last, y.energy_last) && same_bits(x.balance_error, y.balance_error) &&
                     same_bits(x.smallest_singular, y.smallest_singular) && same_bits(x.phi, y.phi);
    if (!same && s && t) fprintf(stderr, "%s---- and ----\n%s", s, t);
    mech_text_free(s);
    mech_text_free(t);
    return same;
}

static int same_log(const mech_sim *a, const mech_sim *b)
{
    if (mech_sim_log_count(a) != mech_sim_log_count(b)) return 0;
    for (size_t k = 0; k < mech_sim_log_count(a); k++) {
        const mech_log_entry x = mech_sim_log_get(a, k), y = mech_sim_log_get(b, k);
        if (x.kind != y.kind || !same_bits(x.t, y.t) || strcmp(x.text, y.text) != 0 || x.name != y.name) return 0;
    }
    return 1;
}

static int same_rows(const mech_sim *a, const mech_sim *b)
{
    const mech_trajectory *x = mech_sim_trajectory(a), *y = mech_sim_trajectory(b);
    const size_t rows = mech_trajectory_rows(x), columns = mech_trajectory_columns(x);
    if (rows != mech_trajectory_rows(y)) return 0;
    for (size_t i = 0; i < rows; i++)
        if (memcmp(mech_trajectory_row(x, i), mech_trajectory_row(y, i), columns * sizeof(double)) != 0) return 0;
    return same_bits(mech_sim_time(a), mech_sim_time(b));
}

static int same(const mech_sim *a, const mech_sim *b)
{
    return same_rows(a, b) && same_log(a, b) && same_account(a, b);
}

/* A run with the plan in place of the full solve where it can be had. */
static mech_status begin(motion *m, int with_motion, mech_sim **sim)
{
    mech_status status = mech_sim_create(m->system, &m->settings, sim);
    if (status == MECH_OK && with_motion && m->code && mech_sim_use_motion(*sim, m->code) == MECH_ERR_MEMORY)
        status = MECH_ERR_MEMORY;
    return status == MECH_OK ? mech_sim_start(*sim) : status;
}

static void prepare_motion(motion *m)
{
    mech_motion_settings plan;
    mech_motion_settings_default(&plan, sizeof plan);
    plan.native = MECH_NATIVE_OFF;
    plan.with_power = 1;
    CHECK(!m->code && mech_motion_code_create(m->system, &plan, &m->code) != MECH_ERR_MEMORY);
}

static size_t cases, resumed;

/* From before the start, twice: the first time from its end, the second from amid. */
static void again_from_start(const char *name, const mech_sim *alone, mech_status end, double first, mech_sim *used)
{
    for (int turn = 0; turn < 2; turn++) {
        if (turn) CHECK(mech_sim_reset(used) == MECH_OK && mech_sim_start(used) == MECH_OK);
        if (turn) CHECK(mech_sim_advance(used, first + 0.4 * (mech_sim_time(alone) - first)) == MECH_OK);
        CHECK(mech_sim_reset(used) == MECH_OK && !mech_sim_has_started(used));
        CHECK(mech_sim_run(used) == end);
        if (same(alone, used)) continue;
        fprintf(stderr, "%s, %s, reset, turn %d: rows %d log %d account %d\n", name,
                mech_method_word(mech_sim_settings_get(used)->method), turn, same_rows(alone, used),
                same_log(alone, used), same_account(alone, used));
        CHECK(0);
    }
}

/* One model, one method. */
static void one(const char *name, motion *m, mech_method method, int with_motion, size_t most, size_t saves)
{
    watcher w = {.saves = saves, .at = {0, 1, 2, most / 6, most / 3, most - 2}};
    const int is_own = method == MECH_METHOD_RK5 || method == MECH_METHOD_RK8 || method == MECH_METHOD_MOREAU;
    mech_sim *alone = NULL, *saved = NULL;
    for (size_t k = 0; k < saves && saves == EACH; k++) w.at[k] = k;
    m->settings.method = method;
    m->settings.max_steps = most;
    m->settings.on_progress = on_progress;
    m->settings.columns = MECH_COLUMNS_ACCELERATIONS | MECH_COLUMNS_MULTIPLIERS;
    m->settings.user = &w;
    w.steps = SIZE_MAX;
    if (begin(m, with_motion, &alone) != MECH_OK) { /* some are meant to fail */
        mech_sim_free(alone);
        return;
    }
    w.sim = alone;
    const double first = mech_sim_time(alone);
    mech_status end = mech_sim_run(alone);
    const mech_status end_alone = end;
    CHECK(begin(m, with_motion, &saved) == MECH_OK);
    w.sim = saved;
    w.steps = SIZE_MAX;
    w.is_on = 1;
    const mech_status end_of_saved = mech_sim_run(saved);
    CHECK(!w.failed && (!is_own || (end == end_of_saved && same(alone, saved))));
    end = end_of_saved;
    cases++;
    for (size_t k = 0; k < w.saves; k++) {
        mech_sim *again = NULL;
        const void *note;
        size_t size;
        if (!w.bytes[k]) continue;
        w.is_on = 0;
        const mech_status begun = begin(m, with_motion, &again);
        w.sim = again; /* moved on first, so that a field that is not restored holds what another place left there */
        if (begun == MECH_OK && k % 2)
            CHECK(mech_sim_advance(again, first + 0.5 * (fmin(mech_sim_time(alone), mech_sim_time(saved)) - first)) ==
                  MECH_OK);
        w.is_on = 1;
        if (begun == MECH_OK && mech_sim_restore(again, w.bytes[k], w.size[k], &note, &size) == MECH_OK) {
            CHECK(size == 4 && memcmp(note, "note", 4) == 0);
            w.sim = again;
            w.steps = mech_sim_info_get(again).steps;
            CHECK(mech_sim_run(again) == end);
            resumed++;
            if (!same(is_own ? alone : saved, again)) {
                fprintf(stderr, "%s, %s, motion %d, taken up at step %zu: rows %d log %d\n", name,
                        mech_method_word(method), with_motion, w.at[k], same_rows(saved, again),
                        same_log(saved, again));
                CHECK(0);
            }
        } else {
            fprintf(stderr, "%s: %s\n", name, mech_sim_error_text(again));
            CHECK(0);
        }
        mech_sim_free(again);
    }
    w.is_on = 0;
    w.sim = saved;
    again_from_start(name, alone, end_alone, first, saved);
    for (size_t k = 0; k < w.saves; k++) mech_text_free(w.bytes[k]);
    mech_sim_free(alone);
    mech_sim_free(saved);
}

static void all_methods(const char *name, const char *text, const mech_override *overrides, size_t count, size_t most,
                        size_t methods_tried)
{
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                          MECH_METHOD_IRK};
    motion m;
    if (!motion_read_with(&m, text, overrides, count)) return;
    CHECK(motion_derive(&m) == MECH_OK);
    m.settings.rtol = 1e-7;
    m.settings.atol = 1e-9;
    m.settings.output_points = 57;
    for (size_t k = 0; k < methods_tried; k++) one(name, &m, methods[k], 0, most, SAVES);
    prepare_motion(&m);
    for (size_t k = 0; k < 2; k++) one(name, &m, methods[k], 1, most, SAVES);
    motion_free(&m);
}

static const char states[] =
    "param tau = 0.1\ncoord x, y\nstate u: u' = (-10*x - u)/tau\nstate w[1..2]: w' = [x - w[1], w[1] - w[2]]\n"
    "input push = 3*sin(5*t)\nkinetic (x'^2 + y'^2)/2\nforce u + push on x'\npotential y\nconstraint slope: y = x/2\n"
    "event far: x rises through 0.05 -> record, set u = 0\ninitial x = 0.1\noutput e = w[2]\nsimulate until 5\n";
static const char rough[] =
    "coord x, y\nmass [x, y] = 1\nforce -9.81 on y'\nforce 6*sin(3*t) on x'\nconstraint floor: y = 0\n"
    "event hit: y falls through 0 -> impact floor restitution 0.5\nfriction on floor: 0.3, along x', static 0.4\n"
    "initial y = 0.2, x' = 0.5\nsimulate until 6\n";
static const char kinks[] =
    "coord x\nkinetic x'^2/2\nforce -x - 0.3*sign(x') + max(0, 0.2 - x) on x'\nforce if(t > 2, 0.5, 0) on x'\ninitial x = 2\nsimulate until 8\n";
static const char shaken[] =
    "input u = file \"tests/support/hat.csv\" column \"u\"\ncoord x, y\nkinetic (x + u)'^2/2 + (y + abs(t - 1.5))'^2/2 + x'^2/2\npotential x^2/2 + y^2\n"
    "constraint tie: y = x^2 + x\ninitial x = 0.3\nsimulate until 4\n";
static const char weight[] =
    "param k = 100\ncoord x, y, z\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y + k*(x - z)^2/2\nconstraint a: x^2 + y^2 = 1\n"
    "constraint b: z = x + y/10\ninitial x = 1\nsimulate until 4\n";

/* laws and friction that have no value while their floor is let go */
static const char silent[] =
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint floor: y = 0\nnonideal on floor: x = -sqrt((x - 2)*(x - 3))\n"
    "friction on floor: sqrt((x - 2)*(x - 3))/10, along [x', y']\ninitial x' = 6\nevent off: x rises through 1.5 -> release floor\n"
    "event on: x rises through 4 -> impose floor\nsimulate until 1.2\n";
/* contacts that open by impulses and by force, and triggers that are held */
static const char rocks[] =
    "coord y, th\nstate n: n' = 0\nkinetic y'^2/2 + th'^2\npotential 9.81*y\nconstraint L: y - sin(th) = 0.3\nconstraint R: y + sin(th) = 0.3\n"
    "event hL: y - sin(th) falls through 0.3 -> impact L restitution 0.2, set n = n + 1\n"
    "event hR: y + sin(th) falls through 0.3 -> impact R restitution 0.2\ninitial y = 0.5, th = 0.1\nsimulate until 2\n";
static const char lifts[] =
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0.21*sin(7.5*t)\noutput N = reaction(floor)\n"
    "friction on floor: 0.2, along x'\nevent lift: N falls through 0 when active(floor) -> release floor\n"
    "event hit: y - 0.21*sin(7.5*t) falls through 0 -> impact floor restitution 0.3\n"
    "event kick: t rises through 0.05 -> set x' = 0.4\ninitial y = 0, y' = 0.21*7.5\nsimulate until 2\n";

/* what comes late: of jumps, of samples, of itself */
static const char late[] =
    "coord y, x\nkinetic (y'^2 + x'^2)/2\npotential 9.81*y\nconstraint floor: y >= 0, restitution 0.7\nsampled u = 0\n"
    "force delay(u, 0.23) - delay(x', 0.31) + 0.1*delay(delay(y, 0.05), 0.2) on x'\n"
    "event e: delay(y', 0.1) rises through 0 -> record\nevery 0.1 { set u = -3*x - delay(u, 0.15) }\n"
    "initial y = 0.3, x = 1\nsimulate until 3\n";

/* What is due by the clock just where a run is saved: breaks that come back, samples, an input that is held. That is no
   new number of the model, for which rows, gains and what comes late would begin anew. */
static const char tied[] =
    "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint f: x^2 + y^2 = 1\nforce -delay(x + 0.3*x', 0.05) on x'\n"
    "initial x = 1, y = 0, y' = 1\nsimulate until 5\n";
static const char due[] =
    "input p = file \"tests/support/hat.csv\" column \"u\" held\ncoord x, y, u\nkinetic (x'^2 + y'^2 + u'^2)/2\n"
    "potential 9.81*y + u^2\nconstraint f: x^2 + y^2 = 1\nconstraint g: u >= -0.1, restitution 0.5\n"
    "friction on f: 0.1, along x*y' - y*x'\nsampled w = 0\nevery 0.02 { set w = -x' }\n"
    "force w + p - delay(x + 0.3*x', 0.05) on x'\nforce delay(y, 0.13) on u'\n"
    "event low: y - w falls through -0.2 -> record\ninitial x = 1, y = 0\nsimulate until 3\n";

static void due_by_the_clock(void)
{
    static const char *const texts[][2] = {{"tied", tied}, {"due", due}};
    for (size_t i = 0; i < 2; i++) {
        motion m;
        if (!motion_read(&m, texts[i][1])) return;
        m.settings.rtol = 1e-9;
        m.settings.atol = 1e-12;
        m.settings.output_points = 200;
        one(texts[i][0], &m, MECH_METHOD_RK8, 0, 200, EACH);
        one(texts[i][0], &m, MECH_METHOD_RK5, 0, 200, EACH);
        motion_free(&m);
    }
}

/* two boxes that fall, slide and bump, a motor that samples; rows end some of the steps */
static const char boxes[] =
    "coord x, y, s, h\nkinetic (x'^2 + y'^2 + s'^2 + h'^2)/2\npotential 9.81*(y + h)\nsampled u = 0\nforce u on x'\n"
    "constraint f: y >= 0, restitution 0.5, friction 0.3, along x'\nconstraint g: h >= 0, friction 0.2, along s'\n"
    "constraint bump: s - x >= 0.1, restitution 0.4\nevery 0.017 { set u = 9*(0.4 - x) - reaction(f)/9 }\n"
    "initial y = 0.02, s = 0.2\nsimulate until 0.9\n";

static void fixed_steps(void)
{
    motion m;
    if (!motion_read(&m, boxes)) return;
    m.settings.output_points = 57;
    m.settings.max_step = 3e-3;
    one("boxes", &m, MECH_METHOD_MOREAU, 0, 150, SAVES);
    motion_free(&m);
}

static void refusals(void)
{
    motion m;
    char *bytes;
    size_t size, refused = 0, tried = 0;
    if (!motion_read(&m, states)) return;
    mech_sim *sim;
    CHECK(mech_sim_create(m.system, &m.settings, &sim) == MECH_OK && mech_sim_start(sim) == MECH_OK &&
          mech_sim_advance(sim, 1) == MECH_OK);
    CHECK(mech_sim_save(sim, NULL, 0, &bytes, &size) == MECH_OK);
    mech_sim_free(sim);
    for (size_t cut = 0; cut < size; cut += 1 + cut / 8) { /* cut short, and one bit changed */
        for (int way = 0; way < 2; way++) {
            char *copy = malloc(size);
            memcpy(copy, bytes, size);
            copy[cut] ^= 16;
            tried++;
            CHECK(mech_sim_create(m.system, &m.settings, &sim) == MECH_OK);
            const mech_status status = mech_sim_restore(sim, way ? copy : bytes, way ? size : cut, NULL, NULL);
            refused += status == MECH_ERR_FILE && mech_sim_error_text(sim)[0] != 0;
            mech_sim_free(sim);
            free(copy);
        }
    }
    CHECK(refused == tried);
    printf("figure: damaged checkpoints: %zu of %zu refused\n", refused, tried);
    char *older = malloc(size); /* by another version, and otherwise sound */
    memcpy(older, bytes, size);
    char *version = memmem(older, size, "version ", 8);
    CHECK(version != NULL);
    version[8] = 'X';
    const uint64_t sum = state_sum(STATE_SUM, older, size - sizeof sum);
    memcpy(older + size - sizeof sum, &sum, sizeof sum);
    CHECK(mech_sim_create(m.system, &m.settings, &sim) == MECH_OK);
    CHECK(mech_sim_restore(sim, older, size, NULL, NULL) == MECH_ERR_ARGUMENT);
    CHECK(strstr(mech_sim_error_text(sim), "is of another version of this program: it has 'version X") != NULL);
    mech_sim_free(sim);
    free(older);
    m.settings.rtol = 1e-5; /* other settings */
    CHECK(mech_sim_create(m.system, &m.settings, &sim) == MECH_OK);
    CHECK(mech_sim_restore(sim, bytes, size, NULL, NULL) == MECH_ERR_ARGUMENT);
    CHECK(strstr(mech_sim_error_text(sim), "it has 'rtol 1e-11', this one 'rtol 1e-05'") != NULL);
    mech_sim_free(sim);
    motion_settings(&m, 1e-11);
    CHECK(mech_sim_create(m.system, &m.settings, &sim) == MECH_OK); /* another parameter */
    CHECK(mech_eval_set_param(mech_sim_eval(sim), "tau", 0.2) == MECH_OK);
    CHECK(mech_sim_restore(sim, bytes, size, NULL, NULL) == MECH_ERR_ARGUMENT);
    CHECK(strstr(mech_sim_error_text(sim), "'parameter tau = 0.1', this one 'parameter tau = 0.2'") != NULL);
    mech_sim_free(sim);
    motion other;
    if (motion_read(&other, kinks)) { /* another model */
        CHECK(mech_sim_create(other.system, &other.settings, &sim) == MECH_OK);
        CHECK(mech_sim_restore(sim, bytes, size, NULL, NULL) == MECH_ERR_ARGUMENT);
        CHECK(strstr(mech_sim_error_text(sim), "'coordinates x, y', this one 'coordinates x'") != NULL);
        mech_sim_free(sim);
        motion_free(&other);
    }
    mech_text_free(bytes);
    motion_free(&m);
}

/* A run that has turned to a stiff method goes on with it: s = t - 1e-6 behind a rate of 1e6, x'' = s, and no step is
   as short as RK8 would need. */
static void turned_stiff(void)
{
    motion m;
    mech_sim *other = NULL;
    char *bytes = NULL;
    size_t size;
    if (!motion_read(&m, "coord x\nstate s: s' = -1e6*(s - t)\nkinetic x'^2/2\nforce s on x'\nsimulate until 20\n"))
        return;
    CHECK(motion_derive(&m) == MECH_OK);
    m.settings.rtol = 1e-8;
    m.settings.atol = 1e-11;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 2) == MECH_OK);
    const int has_turned = mech_sim_info_get(m.sim).steps < 5000;
    CHECK(mech_sim_save(m.sim, NULL, 0, &bytes, &size) == MECH_OK);
    CHECK(mech_sim_create(m.system, &m.settings, &other) == MECH_OK);
    CHECK(mech_sim_restore(other, bytes, size, NULL, NULL) == MECH_OK);
    if (has_turned) { /* a build without SUNDIALS stays with RK8 */
        CHECK(mech_sim_run(other) == MECH_OK && mech_sim_info_get(other).steps < 5000);
        CHECK_NEAR(mech_sim_states(other)[0], 20 - 1e-6, 1e-8);
        CHECK_NEAR(mech_sim_v(other)[0], 200 - 20e-6, 1e-5);
    }
    mech_text_free(bytes);
    mech_sim_free(other);
    motion_free(&m);
}

int main(void)
{
    turned_stiff();
    glob_t files;
    const mech_override few = {"N", 6}, ladder = {"N", 18}; /* of the ladder 221 coordinates and rows: LAPACK */
    CHECK(glob("examples/*/*.mech", 0, NULL, &files) == 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *file = files.gl_pathv[i];
        const int has_N = strstr(file, "/chain/") || strstr(file, "cart-pendulum-n");
        if (!strstr(file, "ladder")) all_methods(file, file, &few, has_N ? 1 : 0, MOST_STEPS, i % 3 ? 2 : 5);
    }
    globfree(&files);
    motion m;
    if (motion_read_with(&m, "examples/four-bar-ladder/model.mech", &ladder, 1))
        one("ladder", &m, MECH_METHOD_RK5, 0, 8, SAVES);
    motion_free(&m);
    const mech_override one_loop = {"N", 1}; /* passes singular positions */
    all_methods("loop", "examples/four-bar-ladder/model.mech", &one_loop, 1, 300, 2);
    all_methods("states", states, NULL, 0, 250, 5);
    all_methods("rough", rough, NULL, 0, 250, 5);
    all_methods("kinks", kinks, NULL, 0, 250, 5);
    all_methods("shaken", shaken, NULL, 0, 250, 5);
    all_methods("weight", weight, NULL, 0, 250, 5);
    all_methods("silent", silent, NULL, 0, 250, 5);
    all_methods("rocks", rocks, NULL, 0, 250, 5);
    all_methods("lifts", lifts, NULL, 0, 250, 5);
    all_methods("late", late, NULL, 0, 400, 2);
    due_by_the_clock();
    fixed_steps();
    refusals();
    CHECK(cases >= 150 && resumed >= 600);
    printf("figure: runs taken up again in the middle: %zu in %zu cases, the same bytes as left alone\n", resumed,
           cases);
    return check_report();
}
