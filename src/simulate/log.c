/* What happened and what went wrong, in words. */
#include "simulate/sim.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *sim_row_name(const mech_sim *s, size_t row)
{
    return row < s->m ? mech_system_row_name(s->system, row) : "friction (stick)";
}

void sim_list(char *names, size_t size, const char *name)
{
    const size_t used = strlen(names);
    snprintf(names + used, size - used, "%s%s", used ? ", " : "", name);
}

const char *sim_name(const mech_sim *s, mech_item item, size_t index)
{
    const char *name = mech_system_name(s->system, item, index);
    return name ? name : "?";
}

mech_status sim_log_add(mech_sim *s, mech_log_kind kind, const char *name, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (!mem_grow(&s->log.happened, &s->log.capacity, s->log.count + 1, sizeof *s->log.happened))
        return MECH_ERR_MEMORY;
    sim_log_line *h = &s->log.happened[s->log.count];
    if (s->log.count == s->log.made) {
        *h = (sim_log_line){.text = NULL};
        s->log.made++;
    }
    if (!mem_grow(&h->text, &h->capacity, strlen(line) + 1, 1)) return MECH_ERR_MEMORY;
    h->kind = kind;
    h->t = s->t;
    h->name = name;
    memcpy(h->text, line, strlen(line) + 1);
    s->log.count++;
    return MECH_OK;
}

/* The texts; room for the list stays. */
static void sim_log_clear(mech_sim *s)
{
    for (size_t k = 0; k < s->log.made; k++) mem_free(s->log.happened[k].text);
    s->log.count = s->log.made = 0;
}

void sim_log_free(mech_sim *s)
{
    sim_log_clear(s);
    mem_free(s->log.happened);
}

mech_status sim_blame(mech_sim *s, mech_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->log.failure_text, sizeof s->log.failure_text, format, arguments);
    va_end(arguments);
    s->log.failure = status;
    s->log.is_contradiction = 0;
    return status;
}

mech_status sim_why(const mech_sim *s) { return s->log.failure != MECH_OK ? s->log.failure : MECH_ERR_INTEGRATION; }

/* The first failure is kept: later ones follow from it. */
mech_status sim_fail(mech_sim *s, mech_status status, const char *format, ...)
{
    if (s->log.error[0]) return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->log.error, sizeof s->log.error, format, arguments);
    va_end(arguments);
    if (s->eval)
        eval_lock(s->eval, "the run has failed, as mech_sim_error_text says: nothing of it can be set any more");
    return status;
}

mech_status sim_refuse(mech_sim *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->log.refusal, sizeof s->log.refusal, format, arguments);
    va_end(arguments);
    return MECH_ERR_ARGUMENT;
}

mech_status sim_must_be(mech_sim *s, sim_moment moment)
{
    s->log.refusal[0] = 0;
    if (s->log.error[0]) return MECH_ERR_ARGUMENT; /* what ended the run still stands there */
    if (moment == SIM_FRESH && s->advance.has_started)
        return sim_refuse(s, "the run has been started: this comes before mech_sim_start");
    if (moment == SIM_WHOLE ? s->advance.is_in_row : s->advance.is_moving)
        return sim_refuse(s, "the run is moving, and this is called from one of its callbacks");
    if (moment != SIM_FRESH && !s->advance.has_started)
        return sim_refuse(s, "the run has not been started: call mech_sim_start before");
    return MECH_OK;
}

size_t mech_sim_log_count(const mech_sim *sim) { return sim->log.count; }

mech_log_entry mech_sim_log_get(const mech_sim *sim, size_t index)
{
    if (index >= sim->log.count) return (mech_log_entry){0};
    const sim_log_line *h = &sim->log.happened[index];
    return (mech_log_entry){.kind = h->kind, .t = h->t, .text = h->text, .name = h->name};
}

const char *mech_sim_error_text(const mech_sim *sim) { return sim->log.error[0] ? sim->log.error : sim->log.refusal; }
size_t mech_sim_move_count(const mech_sim *sim) { return mech_assembly_move_count(sim->assembly); }

mech_move mech_sim_move_get(const mech_sim *sim, size_t index) { return mech_assembly_move(sim->assembly, index); }

/* Time, status and its words, the coordinate or constraint behind it. */
mech_status sim_fail_at(mech_sim *s, mech_status status)
{
    char who[160] = "";
    int count = 0;
    const int *culprits = mech_fundamental_culprits(s->dyn.solver, &count);
    const int by_rows = status == MECH_ERR_NOT_REALISABLE;
    for (int k = 0; k < count && (by_rows || sim_is_lost_mass(status)); k++)
        sim_list(who, sizeof who,
                 by_rows ? sim_row_name(s, (size_t)culprits[k])
                         : mech_system_name(s->system, MECH_ITEM_COORD, (size_t)culprits[k]));
    const int told = s->log.failure == status && s->log.failure_text[0];
    if (told && s->log.is_contradiction) status = MECH_ERR_CONFLICT;
    const char *thin = status == MECH_ERR_SINGULAR_MASS ? system_thin(s->system) : "";
    return sim_fail(s, status, "at t = %.10g: %s%s%s%s%s%s%s%s", s->t, mech_status_text(status), told ? ": " : "",
                    told ? s->log.failure_text : "", who[0] ? ": " : "", who, *thin ? "; " : "", thin,
                    by_rows && count
                        ? "; no actuator is left that acts along it at once: write one more (actuator x'), "
                          "or control what those that are there reach"
                        : "");
}

/* The name is the system's own; it is found there again. */
static const char *own_name(const mech_sim *s, const char *name)
{
    static const mech_item items[] = {MECH_ITEM_CONSTRAINT, MECH_ITEM_EVENT};
    const size_t counts[] = {s->sizes.constraints, s->sizes.events};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < counts[k]; i++) {
            const char *known = mech_system_name(s->system, items[k], i);
            if (known && strcmp(known, name) == 0) return known;
        }
    return NULL;
}

/* A text of the log, an absent one as an empty one; reading, where it was absent: new, or NULL. */
static void visit_text(char **text, state_walk *w)
{
    size_t length = *text ? strlen(*text) : 0;
    state_count(w, &length, 1);
    if (w->reads && !w->failed) *text = mem_zeroed(length + 1, 1);
    if (*text) state_bytes(w, *text, length);
    else if (w->reads && !w->failed) w->lacks_memory = w->failed = 1;
}

void sim_log_visit(mech_sim *s, state_walk *w)
{
    size_t count = s->log.count;
    state_count(w, &count, 1);
    if (w->reads) {
        sim_log_clear(s);
        if (!mem_grow(&s->log.happened, &s->log.capacity, count, sizeof *s->log.happened))
            w->lacks_memory = w->failed = 1;
    }
    for (size_t k = 0; k < count && !w->failed; k++) {
        sim_log_line *h = &s->log.happened[k];
        if (w->reads) *h = (sim_log_line){.kind = MECH_LOG_EVENT};
        STATE_FIELD(w, h->kind);
        STATE_FIELD(w, h->t);
        char *name = (char *)(uintptr_t)h->name;
        visit_text(&name, w);
        visit_text(&h->text, w);
        if (!w->reads) continue;
        h->name = name && *name ? own_name(s, name) : NULL;
        mem_free(name);
        if (!h->text) return;
        h->capacity = strlen(h->text) + 1;
        s->log.made = ++s->log.count;
    }
}
