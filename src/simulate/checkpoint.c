/* A run as bytes: who it is, the caller's note, its state, a checksum. */
#include "simulate/sim.h"
#include "motion/visit.h"
#include "system/visit.h"

#include <string.h>

enum { FORMAT = 12 };
static const char magic[8] = {'M', 'E', 'C', 'H', 'S', 'A', 'V', 'E'};

typedef struct head {
    char magic[8];
    uint64_t format, who, note, state; /* lengths in bytes */
} head;

static void add_number(textbuf *t, const char *what, double value)
{
    text_format(t, "%s ", what);
    text_add_double(t, value);
    text_add_char(t, '\n');
}

static void add_settings(const mech_sim *s, textbuf *t)
{
    const mech_sim_settings *o = &s->settings;
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"from", o->from},
                   {"until", o->until},
                   {"step between rows", o->output_step},
                   {"points", (double)o->output_points},
                   {"rtol", o->rtol},
                   {"atol", o->atol},
                   {"max_step", o->max_step},
                   {"first step", o->first_step},
                   {"projection tolerance", o->projection_tol},
                   {"rank tolerance", o->rank_tol},
                   {"event tolerance", o->event_tol},
                   {"resolution", o->resolution},
                   {"impact speed", o->impact_speed},
                   {"most steps", (double)o->max_steps},
                   {"most events", (double)o->max_events},
                   {"columns", (double)o->columns},
                   {"rows kept", (double)(o->keep_trajectory != 0)},
                   {"rows at events", (double)(o->rows_at_events != 0)}};
    static const char *const ways[] = {"project", "excess", "none"};
    text_format(t, "method %s\n", mech_method_word(o->method));
    text_format(t, "stabilize %s\n", ways[o->stabilize]);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) add_number(t, numbers[k].name, numbers[k].value);
    for (size_t k = 0; k < s->control.counts[0]; k++) add_number(t, "damping of excess", s->control.gains[0][k]);
    for (size_t k = 0; k < s->control.counts[1]; k++) add_number(t, "stiffness of excess", s->control.gains[1][k]);
}

/* A line a fact; what differs is what the message names. */
static void who_is(const mech_sim *s, textbuf *t)
{
    const uint16_t order = 1;
    text_format(t, "version %s\n", mech_version());
    text_format(t, "layout %zu-byte words, %s end first, %zu, %zu\n", sizeof(void *),
                *(const unsigned char *)&order ? "low" : "high", sizeof(mech_sim_info), sizeof(sim_watch));
    system_identity(s->eval, t);
    motion_identity(s->eval, t);
    add_settings(s, t);
}

static size_t line_length(const char *at, const char *end)
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return (size_t)((stop ? stop : end) - at);
}

static int begins(const char *line, size_t length, const char *word)
{
    return length >= strlen(word) && memcmp(line, word, strlen(word)) == 0;
}

/* What a line that differs means. */
static const char *kind_of(const char *line, size_t length)
{
    static const char *const kinds[][2] = {{"version ", "version of this program"},
                                           {"layout ", "kind of machine"},
                                           {"coordinates ", "model"},
                                           {"states ", "model"},
                                           {"constraints ", "model"},
                                           {"events ", "model"},
                                           {"sizes ", "model"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (begins(line, length, kinds[k][0])) return kinds[k][1];
    return "run";
}

/* Names the first line that differs. */
static mech_status compare(mech_sim *s, const char *kept, size_t length, const textbuf *mine)
{
    if (length == mine->length && memcmp(kept, mine->data, length) == 0) return MECH_OK;
    const char *a = kept, *b = mine->data, *const a_end = kept + length, *const b_end = b + mine->length;
    while (a < a_end && b < b_end) {
        const size_t la = line_length(a, a_end), lb = line_length(b, b_end);
        const int differs = la != lb || memcmp(a, b, la) != 0;
        /* by a number that tells nobody anything */
        if (differs && begins(a, la, "equations ") && begins(b, lb, "equations "))
            return sim_fail(
                s, MECH_ERR_ARGUMENT,
                "the checkpoint is of another model: it has the same names, but other equations, outputs or options");
        if (differs)
            return sim_fail(s, MECH_ERR_ARGUMENT, "the checkpoint is of another %s: it has '%.*s', this one '%.*s'",
                            kind_of(a, la), la < 200 ? (int)la : 200, a, lb < 200 ? (int)lb : 200, b);
        a += la + 1;
        b += lb + 1;
    }
    return sim_fail(s, MECH_ERR_ARGUMENT, "the checkpoint is of another run: it has %s parameters or gains",
                    a < a_end ? "more" : "fewer");
}

/* Methods that keep their history to themselves begin anew, here and in the run that is taken up. */
static mech_status begin_anew(mech_sim *s, double step)
{
    return s->stepper->ops->visit ? MECH_OK : sim_start_stepper(s, step);
}

static mech_status replace_method(mech_sim *s, double step)
{
    if (s->stepper->ops->visit) return MECH_OK;
    if (!s->method.has_told_anew)
        MECH_TRY(sim_log_add(s, MECH_LOG_METHOD, NULL,
                             "checkpoints: %s begins anew at each, here and in a run that is taken up",
                             sim_methods[s->method.kind].name));
    s->method.has_told_anew = 1;
    MECH_TRY(sim_use_method(s, s->method.kind));
    s->stepper->h_next = step;
    return MECH_OK;
}

static mech_status write_all(mech_sim *s, const void *note, size_t note_size, state_walk *w)
{
    head h = {.format = FORMAT, .note = note_size};
    textbuf who = {0};
    memcpy(h.magic, magic, sizeof magic);
    who_is(s, &who);
    h.who = who.length;
    STATE_FIELD(w, h);
    STATE_ARRAY(w, who.data, who.length);
    w->lacks_memory |= who.failed;
    text_free(&who);
    state_bytes(w, (void *)(uintptr_t)note, note_size);
    const size_t before = w->out.length;
    MECH_TRY(sim_visit(s, w));
    h.state = w->out.length - before;
    memcpy(w->out.data, &h, sizeof h);
    uint64_t sum = state_sum(STATE_SUM, w->out.data, w->out.length);
    STATE_FIELD(w, sum);
    return w->lacks_memory ? MECH_ERR_MEMORY : MECH_OK;
}

mech_status mech_sim_save(mech_sim *s, const void *note, size_t note_size, char **bytes, size_t *size)
{
    *bytes = NULL;
    *size = 0;
    MECH_TRY(sim_must_be(s, SIM_WHOLE));
    const double step = s->stepper->h_next;
    state_walk w = {0};
    MECH_TRY(replace_method(s, step));
    mech_status status = write_all(s, note, note_size, &w);
    const mech_status anew = begin_anew(s, step);
    if (anew != MECH_OK) status = anew;
    if (status == MECH_OK) {
        *size = w.out.length;
        *bytes = text_take(&w.out);
    }
    text_free(&w.out);
    return status;
}

static int is_whole(const char *bytes, size_t size, const head *h)
{
    uint64_t sum;
    if (size < sizeof *h + sizeof sum) return 0;
    memcpy(&sum, bytes + size - sizeof sum, sizeof sum);
    const size_t left = size - sizeof *h - sizeof sum;
    if (h->who > left || h->note > left - h->who || h->state != left - h->who - h->note) return 0;
    return sum == state_sum(STATE_SUM, bytes, size - sizeof sum);
}

mech_status mech_sim_restore(mech_sim *s, const char *bytes, size_t size, const void **note, size_t *note_size)
{
    head h;
    if (!s->advance.has_started) { /* as any run begins, but without its first row */
        const mech_sim_row on_row = s->settings.on_row;
        s->settings.on_row = NULL;
        const mech_status started = mech_sim_start(s);
        s->settings.on_row = on_row;
        MECH_TRY(started);
    }
    MECH_TRY(sim_must_be(s, SIM_STILL));
    if (size < sizeof h || memcmp(bytes, magic, sizeof magic) != 0)
        return sim_fail(s, MECH_ERR_FILE, "this is no checkpoint");
    memcpy(&h, bytes, sizeof h);
    if (h.format != FORMAT)
        return sim_fail(s, MECH_ERR_FILE, "the checkpoint is of another format (%llu, this is %d)",
                        (unsigned long long)h.format, FORMAT);
    if (!is_whole(bytes, size, &h)) return sim_fail(s, MECH_ERR_FILE, "the checkpoint is cut short or damaged");
    const char *at = bytes + sizeof h;
    textbuf mine = {0};
    who_is(s, &mine);
    mech_status status = mine.failed ? sim_fail(s, MECH_ERR_MEMORY, "out of memory") : compare(s, at, h.who, &mine);
    text_free(&mine);
    MECH_TRY(status);
    at += h.who;
    if (note) *note = at;
    if (note_size) *note_size = h.note;
    at += h.note;
    state_walk w = {.reads = 1, .at = (const unsigned char *)at, .end = (const unsigned char *)at + h.state};
    status = sim_visit(s, &w);
    if (status == MECH_OK) status = begin_anew(s, s->stepper->h_next);
    if (status == MECH_OK) return MECH_OK;
    return sim_fail(s, status, "the checkpoint cannot be taken up: %s", mech_status_text(status));
}
