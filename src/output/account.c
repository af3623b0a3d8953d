/* How a run went: a few lines for people, everything for programs. */
#include <mech/output.h>

#include "base/text.h"
#include "output/moves.h"

#include <math.h>
#include <string.h>

static size_t count_of(const mech_sim *sim, mech_log_kind first, mech_log_kind last)
{
    size_t count = 0;
    for (size_t i = 0; i < mech_sim_log_count(sim); i++) {
        const mech_log_kind kind = mech_sim_log_get(sim, i).kind;
        count += kind >= first && kind <= last;
    }
    return count;
}

static int is_stopped_by(const mech_system *system, const char *name)
{
    for (size_t k = 0; k < mech_system_sizes(system).events; k++) {
        const mech_event_info event = mech_system_event(system, k);
        const char *own = mech_system_name(system, MECH_ITEM_EVENT, k);
        if (!own || strcmp(own, name) != 0) continue;
        for (size_t i = 0; i < event.action_count; i++)
            if (mech_system_action(system, event.first_action + i).kind == MECH_ACTION_STOP) return 1;
    }
    return 0;
}

/* stops: of those that end a run. */
static mech_log_entry last_event(const mech_sim *sim, const mech_system *system, int stops)
{
    for (size_t i = mech_sim_log_count(sim); i-- > 0;) {
        const mech_log_entry h = mech_sim_log_get(sim, i);
        if (h.kind == MECH_LOG_EVENT && (!stops || is_stopped_by(system, h.name))) return h;
    }
    return (mech_log_entry){.name = "?"};
}

static void add_count(textbuf *t, size_t count, const char *one, const char *many)
{
    text_format(t, "%zu %s", count, count == 1 ? one : many);
}

/* Where it came to, and what happened on the way. */
static void put_way(const mech_sim *sim, const mech_system *system, const mech_sim_info *info, textbuf *t)
{
    const size_t events = count_of(sim, MECH_LOG_EVENT, MECH_LOG_EVENT);
    const size_t changes =
        count_of(sim, MECH_LOG_STICK, MECH_LOG_SLIP) + count_of(sim, MECH_LOG_CONTACT, MECH_LOG_RELEASE);
    const mech_log_entry last = last_event(sim, system, 0);
    if (mech_sim_has_stopped(sim))
        text_format(t, "stopped at t = %.9g by event %s, after ", mech_sim_time(sim), last_event(sim, system, 1).name);
    else text_format(t, "reached t = %.9g in ", mech_sim_time(sim));
    add_count(t, info->steps, "step", "steps");
    if (events) {
        text_add(t, "; ");
        add_count(t, events, "event", "events");
        text_format(t, " (%s%s at t = %.9g)", events > 1 ? "the last: " : "", last.name, last.t);
    }
    if (changes) {
        text_add(t, "; ");
        add_count(t, changes, "change", "changes");
        text_add(t, " of stick, slip or contact");
    }
    text_add_char(t, '\n');
}

/* Which of the two the warning of a run is about. */
static const char *kept_text(const mech_sim *sim, const char *about)
{
    return strncmp(mech_sim_warning(sim), about, strlen(about)) == 0 ? "missed by" : "kept to";
}

/* How well constraints and energy were kept. */
static void put_quality(const mech_sim *sim, const mech_system *system, const mech_sim_info *info, textbuf *t)
{
    const int has_rows = mech_system_sizes(system).rows > 0;
    if (has_rows)
        text_format(t, "constraints %s %.2g in positions and %.2g in velocities", kept_text(sim, "the constraints"),
                    info->phi, fmax(info->phi_dot, info->psi));
    if (has_rows && info->has_energy) text_add(t, ", ");
    if (info->has_energy)
        text_format(t, "energy %s %.2g (largest energy: %.3g)", kept_text(sim, "the energy"), info->balance_error,
                    info->energy_scale);
    if (has_rows || info->has_energy) text_add_char(t, '\n');
}

static int is_worth_a_note(const mech_log_entry *h)
{
    if (h->kind == MECH_LOG_METHOD) return strncmp(h->text, "method ", 7) != 0; /* the choice at the start */
    return h->kind == MECH_LOG_BEYOND || h->kind == MECH_LOG_NOTE;
}

/* Passages near singular positions: how many, and the first one. */
static void note_passages(const mech_sim *sim, textbuf *t)
{
    const size_t passages = count_of(sim, MECH_LOG_SINGULAR, MECH_LOG_SINGULAR);
    size_t i = 0;
    while (i < mech_sim_log_count(sim) && mech_sim_log_get(sim, i).kind != MECH_LOG_SINGULAR) i++;
    if (passages) text_format(t, "note: %s", mech_sim_log_get(sim, i).text);
    if (passages > 1) text_format(t, "; %zu more such passages", passages - 1);
    if (passages) text_add_char(t, '\n');
}

static mech_move move_of(const void *sim, size_t i) { return mech_sim_move_get(sim, i); }

static void note_start(const mech_sim *sim, const mech_system *system, textbuf *t)
{
    const size_t count = mech_sim_move_count(sim);
    if (!count) return;
    text_format(t, "note: the start was moved %s: ",
                mech_system_sizes(system).rows ? "onto the constraints" : "to meet the initial values");
    moves_text(move_of, sim, count, t);
    text_add_char(t, '\n');
}

/* How long the name of an output is without its own index: "F" of "F[2]" and "F[3]". */
static size_t stem_of(const char *name)
{
    const size_t length = strlen(name);
    const char *bracket = strrchr(name, '[');
    return length && name[length - 1] == ']' && bracket ? (size_t)(bracket - name) : length;
}

static int is_of_stem(const char *name, const char *other)
{
    return stem_of(name) == stem_of(other) && strncmp(name, other, stem_of(name)) == 0;
}

/* What is not unique of a choice (mech_sim_output_is_choice), as one or several use it. */
static const char *reason_text(int reason, int is_one)
{
    static const char *const words[2][2] = {
        {"use multipliers that are not unique: they are one choice of many",
         "uses multipliers that are not unique: it is one choice of many"},
        {"look at whether a constraint is active, which is not unique: they are one choice of many",
         "looks at whether a constraint is active, which is not unique: it is one choice of many"}};
    return words[reason == 2][is_one];
}

/* 1: all entries of this vector are choices; *is_first: this is the first of them. */
static int is_whole_choice(const mech_sim *sim, const mech_system *system, size_t k, int *is_first)
{
    const size_t count = mech_system_sizes(system).outputs;
    const char *name = mech_system_name(system, MECH_ITEM_OUTPUT, k);
    *is_first = 1;
    for (size_t i = 0; i < count; i++) {
        if (!is_of_stem(mech_system_name(system, MECH_ITEM_OUTPUT, i), name)) continue;
        if (mech_sim_output_is_choice(sim, i) != mech_sim_output_is_choice(sim, k)) return 0;
        if (i < k) *is_first = 0;
    }
    return 1;
}

/* "outputs push, twist[3] use multipliers that are not unique": one line, however many. */
static void note_choices(const mech_sim *sim, const mech_system *system, int reason, textbuf *t)
{
    enum { MOST = 12 };
    textbuf names = {0};
    size_t count = 0, components = 0;
    for (size_t k = 0; k < mech_system_sizes(system).outputs; k++) {
        const char *name = mech_system_name(system, MECH_ITEM_OUTPUT, k);
        int is_first = 1;
        if (mech_sim_output_is_choice(sim, k) != reason) continue;
        components++;
        const int is_whole = is_whole_choice(sim, system, k, &is_first);
        if ((is_whole && !is_first) || ++count > MOST) continue;
        text_format(&names, "%s%.*s", count > 1 ? ", " : "", (int)(is_whole ? stem_of(name) : strlen(name)), name);
    }
    if (components == 1) text_format(t, "note: output %s %s\n", names.data ? names.data : "", reason_text(reason, 1));
    else if (components)
        text_format(t, "note: outputs %s%s %s\n", names.data ? names.data : "", count > MOST ? " and others" : "",
                    reason_text(reason, 0));
    t->failed |= names.failed;
    text_free(&names);
}

/* What a reader of the rows has to know: at most a few lines. */
static void put_notes(const mech_sim *sim, const mech_system *system, textbuf *t)
{
    enum { MOST = 3 };
    size_t count = 0;
    note_start(sim, system, t);
    for (size_t i = 0; i < mech_sim_log_count(sim); i++) {
        const mech_log_entry h = mech_sim_log_get(sim, i);
        if (is_worth_a_note(&h) && ++count <= MOST) text_format(t, "note: at t = %.6g: %s\n", h.t, h.text);
    }
    if (count > MOST) text_format(t, "note: %zu more of this kind\n", count - MOST);
    note_passages(sim, t);
    for (int reason = 1; reason <= 2; reason++) note_choices(sim, system, reason, t);
    for (size_t k = 0; k < mech_system_sizes(system).measures; k++)
        if (mech_sim_measure_is_choice(sim, k))
            text_format(t, "note: measure %s %s\n", mech_system_name(system, MECH_ITEM_MEASURE, k),
                        reason_text(mech_sim_measure_is_choice(sim, k), 1));
}

static void put_measures(const mech_sim *sim, const mech_system *system, textbuf *t)
{
    for (size_t k = 0; k < mech_system_sizes(system).measures; k++) {
        const double value = mech_sim_measure(sim, k);
        const char *unit = mech_system_unit(system, MECH_ITEM_MEASURE, k);
        text_format(t, "measure %s", mech_system_name(system, MECH_ITEM_MEASURE, k));
        if (isnan(value)) text_add(t, ": it did not happen\n");
        else text_format(t, " = %.10g%s%s\n", value, unit ? " " : "", unit ? unit : "");
    }
}

static void put_text(const mech_sim *sim, const mech_system *system, textbuf *t)
{
    const mech_sim_info info = mech_sim_info_get(sim);
    put_way(sim, system, &info, t);
    put_measures(sim, system, t);
    put_quality(sim, system, &info, t);
    put_notes(sim, system, t);
}

/* ---- JSON ---- */

static void put_string(textbuf *t, const char *key, const char *value)
{
    text_format(t, ",\n  \"%s\": ", key);
    text_add_string(t, value);
}

static void put_value(textbuf *t, double value)
{
    if (isfinite(value)) text_add_double(t, value);
    else text_add(t, "null");
}

static void put_number(textbuf *t, const char *key, double value)
{
    text_format(t, ",\n  \"%s\": ", key);
    put_value(t, value);
}

static void put_size(textbuf *t, const char *key, size_t value) { text_format(t, ",\n  \"%s\": %zu", key, value); }

static void put_log(const mech_sim *sim, textbuf *t)
{
    static const char *const kinds[] = {"event",   "switch", "stick",    "slip",   "impact", "contact",
                                        "release", "method", "singular", "beyond", "note"};
    text_add(t, ",\n  \"happenings\": [");
    for (size_t i = 0; i < mech_sim_log_count(sim); i++) {
        const mech_log_entry h = mech_sim_log_get(sim, i);
        text_add(t, i ? ",\n    {\"t\": " : "\n    {\"t\": ");
        put_value(t, h.t);
        text_format(t, ", \"kind\": \"%s\", \"name\": ", kinds[h.kind]);
        text_add_string(t, h.name);
        text_add(t, ", \"text\": \"");
        text_add_json(t, h.text);
        text_add(t, "\"}");
    }
    text_add_char(t, ']');
}

/* Those whose value is the least-norm choice of multipliers. */
static void put_choices(const mech_sim *sim, const mech_system *system, const char *key, mech_item item, size_t count,
                        int (*is_choice)(const mech_sim *, size_t), textbuf *t)
{
    const char *between = "\"";
    text_format(t, ",\n  \"%s\": [", key);
    for (size_t k = 0; k < count; k++) {
        if (!is_choice(sim, k)) continue;
        text_add(t, between);
        text_add_json(t, mech_system_name(system, item, k));
        text_add_char(t, '"');
        between = ", \"";
    }
    text_add_char(t, ']');
}

/* By name; null: it did not happen. */
static void put_measured(const mech_sim *sim, const mech_system *system, textbuf *t)
{
    text_add(t, ",\n  \"measures\": {");
    for (size_t k = 0; k < mech_system_sizes(system).measures; k++) {
        text_add(t, k ? ",\n    \"" : "\n    \"");
        text_add_json(t, mech_system_name(system, MECH_ITEM_MEASURE, k));
        text_add(t, "\": ");
        put_value(t, mech_sim_measure(sim, k));
    }
    text_add_char(t, '}');
}

static void put_state(const mech_sim *sim, const mech_system *system, textbuf *t)
{
    const double *q = mech_sim_q(sim), *v = mech_sim_v(sim), *z = mech_sim_states(sim);
    text_add(t, ",\n  \"state\": {");
    for (size_t i = 0; mech_sim_has_started(sim) && i < mech_system_sizes(system).coords; i++) {
        text_add(t, i ? ",\n    \"" : "\n    \"");
        text_add_json(t, mech_system_name(system, MECH_ITEM_COORD, i));
        text_add(t, "\": [");
        put_value(t, q[i]);
        text_add(t, ", ");
        put_value(t, v[i]);
        text_add_char(t, ']');
    }
    for (size_t i = 0; mech_sim_has_started(sim) && i < mech_system_sizes(system).states;
         i++) { /* a system has coordinates */
        text_add(t, ",\n    \"");
        text_add_json(t, mech_system_name(system, MECH_ITEM_STATE, i));
        text_add(t, "\": ");
        put_value(t, z[i]);
    }
    text_add_char(t, '}');
}

static void put_account(const mech_sim *sim, textbuf *t)
{
    static const char *const ways[] = {"project", "excess", "none"};
    const mech_sim_info info = mech_sim_info_get(sim);
    put_string(t, "method", mech_method_word(info.method));
    put_string(t, "stabilize", ways[info.stabilize]);
    put_number(t, "t", mech_sim_has_started(sim) ? mech_sim_time(sim) : (double)NAN);
    put_number(t, "largest_phi", info.phi);
    put_number(t, "largest_phi_dot", info.phi_dot);
    put_number(t, "largest_psi", info.psi);
    put_number(t, "drift_of_a_step", info.raw_phi);
    put_number(t, "drift_of_a_step_dot", info.raw_velocity);
    put_number(t, "energy_first", info.energy_first);
    put_number(t, "energy_last", info.energy_last);
    put_number(t, "energy_by_power", info.power_integral);
    put_number(t, "energy_by_events", info.event_energy);
    put_number(t, "energy_size", info.energy_scale);
    put_number(t, "energy_balance_error", info.balance_error);
    put_number(t, "energy_error_explained", info.explained);
    put_number(t, "smallest_singular", info.smallest_singular);
    put_number(t, "smallest_singular_t", info.smallest_time);
    text_format(t, ",\n  \"rank\": [%d, %d]", info.rank_least, info.rank_most);
    put_number(t, "resolution", info.resolution);
    put_string(t, "warning", mech_sim_warning(sim));
    put_size(t, "steps", info.steps);
    put_size(t, "rejected", info.rejected);
    put_size(t, "evaluations", info.evaluations);
    put_size(t, "events", info.events);
    put_size(t, "near_singular", info.near_singular);
    if (info.solves) {
        put_size(t, "sparse_solves", info.solves);
        put_size(t, "robust_solves", info.robust);
    }
    if (info.fast) {
        put_size(t, "fast_accelerations", info.fast);
        put_size(t, "fast_second_choice", info.fast_fallbacks);
        put_size(t, "fast_robust", info.fast_robust);
    }
}

static void put_json(const mech_sim *sim, const mech_system *system, mech_status status, const char *file, textbuf *t)
{
    text_format(t, "{\n  \"status\": \"%s\"", mech_status_text(status));
    put_string(t, "error", mech_sim_error_text(sim));
    put_string(t, "file", file);
    put_account(sim, t);
    const mech_sizes sizes = mech_system_sizes(system);
    put_measured(sim, system, t);
    put_choices(sim, system, "least_norm_outputs", MECH_ITEM_OUTPUT, sizes.outputs, mech_sim_output_is_choice, t);
    put_choices(sim, system, "least_norm_measures", MECH_ITEM_MEASURE, sizes.measures, mech_sim_measure_is_choice, t);
    put_log(sim, t);
    put_state(sim, system, t);
    text_add(t, "\n}\n");
}

mech_status mech_report_run(const mech_sim *sim, const mech_system *system, mech_status status, const char *file,
                            mech_report_format format, char **text)
{
    textbuf t = {0};
    if (format == MECH_REPORT_JSON) put_json(sim, system, status, file, &t);
    else put_text(sim, system, &t);
    *text = text_take(&t);
    return *text ? MECH_OK : MECH_ERR_MEMORY;
}
