/* Failures of an instant in words, with the names of the model. */
#include "dynamics/instant.h"

#include "base/text.h"
#include "system/owner.h"

/* The group a row belongs to. */
static const mech_group *group_of(const mech_instant *s, size_t row)
{
    for (size_t g = 0; g < s->result.groups; g++)
        if (row < s->group[g].first_row + s->group[g].row_count) return &s->group[g];
    return NULL;
}

/* Names of the groups of the culprits, each once: "'a', 'b' and 'c'". Returns how many. */
static size_t add_groups(const mech_instant *s, textbuf *text)
{
    size_t count = 0, done = 0;
    const mech_group *last = NULL;
    for (int pass = 0; pass < 2; pass++, last = NULL)
        for (int i = 0; i < s->culprits; i++) {
            const mech_group *g = group_of(s, (size_t)s->culprit[i]);
            if (!g || g == last) continue;
            last = g;
            if (pass == 0) {
                count++;
                continue;
            }
            if (done) text_add(text, done + 1 == count ? " and " : ", ");
            text_format(text, "'%s'", g->name);
            done++;
        }
    return count;
}

static void add_coordinates(const mech_instant *s, textbuf *text)
{
    for (int i = 0; i < s->culprits; i++)
        text_format(text, "%s%s", i ? ", " : "", mech_system_name(s->d.system, MECH_ITEM_COORD, (size_t)s->culprit[i]));
}

static void explain_reactions(const mech_instant *s, textbuf *text)
{
    text_add(text, s->failure == MECH_ERR_NO_REACTION ? "no reaction of " : "more than one reaction of ");
    if (!add_groups(s, text)) text_add(text, "the constraints");
    if (s->d.sizes.frictions) {
        text_add(text, " satisfies the law of friction here (Painleve's paradox): friction loads its own contact "
                       "too strongly for a rigid body; a smaller coefficient or an elastic contact has an answer");
        return;
    }
    text_format(text,
                " satisfies the law that depends on it: %s; a law that jumps with a reaction it changes needs a width",
                s->failure == MECH_ERR_NO_REACTION ? "what it gives at one reaction asks for another"
                                                   : "each of them is what the law makes of it");
}

static void explain_conflict(const mech_instant *s, textbuf *text)
{
    textbuf names = {0};
    const size_t count = add_groups(s, &names);
    const char *which = names.data ? names.data : "";
    if (count == 1) text_format(text, "the constraint %s cannot be met: its rows contradict one another", which);
    else text_format(text, "the constraints %s contradict one another: no acceleration satisfies them together", which);
    text->failed |= names.failed;
    text_free(&names);
}

char *mech_instant_explain(const mech_instant *s)
{
    textbuf text = {0};
    if (s->failed_in_eval) return mech_eval_explain(s->d.eval);
    switch (s->failure) {
    case MECH_ERR_CONFLICT: explain_conflict(s, &text); break;
    case MECH_ERR_NO_REACTION:
    case MECH_ERR_MANY_REACTIONS: explain_reactions(s, &text); break;
    case MECH_ERR_NOT_UNIQUE:
        text_add(&text, "a law uses the reaction of ");
        add_groups(s, &text);
        text_add(&text, ", which is not unique because constraints depend on one another; write the "
                        "constraint once, or 'allow leastnorm'");
        break;
    case MECH_ERR_NOT_REALISABLE:
        text_add(&text, "the actuators cannot produce ");
        if (!add_groups(s, &text)) text_add(&text, "the motion");
        text_add(&text, ": not realisable at acceleration level (relative degree above 2); no actuator is left that "
                        "acts along it at once");
        break;
    case MECH_ERR_SINGULAR_MASS:
        text_add(&text, "the masses and the constraints leave ");
        if (s->culprits) add_coordinates(s, &text);
        else text_add(&text, "coordinates");
        if (mech_system_allows_negative_mass(s->d.system)) {
            text_add(
                &text,
                " undetermined: masses, of which the model allows negative ones, are missing or cancel along the constraints");
            break;
        }
        text_add(&text, s->culprits > 1 ? " undetermined: give them mass, or constraints that hold them"
                                        : " undetermined: give it mass, or a constraint that holds it");
        if (*system_thin(s->d.system)) text_format(&text, "; %s", system_thin(s->d.system));
        break;
    case MECH_ERR_NOT_DEFINITE:
        text_add(&text, mech_status_text(s->failure));
        if (s->culprits) text_add(&text, ": see ");
        add_coordinates(s, &text);
        break;
    case MECH_ERR_NOT_FINITE: return mech_eval_explain(s->d.eval);
    default: text_add(&text, s->why ? s->why : mech_status_text(s->failure)); break;
    }
    return text_take(&text);
}
