/* Where a linear system stands: the point, and all that forbids to read a verdict off its modes. */
#include "output/modes.h"

#include <math.h>

#define INDENT "             "

enum { MOST_ROWS = 6 }; /* named one by one */

/* ---- text ---- */

static void off_lines(const mech_system *system, const mech_linear_result *l, textbuf *out)
{
    int shown = 0;
    for (int i = 0; i < l->rows; i++) {
        if ((l->r[i] == 0 && l->r_dot[i] == 0) || shown++ >= MOST_ROWS) continue;
        text_add(out, INDENT);
        text_add(out, mech_system_row_name(system, (size_t)i));
        if (l->r[i] != 0) {
            text_add(out, " is violated by ");
            modes_number(out, l->r[i]);
        }
        if (l->r_dot[i] != 0) {
            text_add(out, l->r[i] != 0 ? " and its rate by " : " is violated by the velocities, by ");
            modes_number(out, l->r_dot[i]);
        }
        text_add_char(out, '\n');
    }
    if (shown > MOST_ROWS) text_format(out, INDENT "... and %d rows more\n", shown - MOST_ROWS);
    text_add(out, INDENT "the system cannot be there: give a state that satisfies them with --state, or leave\n" INDENT
                         "out --here, and the search brings it onto the constraints\n");
}

static void frozen_lines(const mech_system *system, const mech_linear_result *l, textbuf *out)
{
    if (l->accelerates) {
        text_add(out, INDENT "it does not stay: accelerations up to ");
        modes_number(out, l->largest_acceleration);
        text_add_char(out, '\n');
    } else if (l->varying_input >= 0) {
        text_format(out,
                    INDENT "the input %s changes with time: the forces balance at this time only.\n" INDENT
                           "Give it a constant value to ask for stability\n",
                    mech_system_name(system, MECH_ITEM_INPUT, (size_t)l->varying_input));
    } else if (l->varies_with_time) {
        text_add(out, INDENT "the equations themselves change with time: they balance at this time only\n");
    } else {
        text_add(out, INDENT "the matrix changes along the motion (by ");
        modes_number(out, l->change);
        text_add(out, " of its size)\n");
    }
    text_add(out, INDENT "eigenvalues of a frozen point tell nothing of stability\n");
}

void point_kinks_text(const mech_linear_result *l, textbuf *out)
{
    for (int k = 0; k < l->kink_count && k < MOST_ROWS; k++)
        text_format(out, k ? INDENT "%s\n" : "Kink         %s\n", l->kinks[k]);
    if (l->kink_count > MOST_ROWS) text_format(out, INDENT "... and %d more\n", l->kink_count - MOST_ROWS);
    if (l->kink_count)
        text_add(out, INDENT
                 "changes over at this very point, and the derivatives of the two sides differ: there is no\n" INDENT
                 "linear system here. Ask beside it, with --here and --state, or give the corner a width\n");
}

static void events_text(const mech_linear_result *l, textbuf *out)
{
    if (l->event_count == 0) return;
    text_add(out, "Event        ");
    for (int k = 0; k < l->event_count && k < MOST_ROWS; k++) text_format(out, "%s%s", k ? ", " : "", l->events[k]);
    if (l->event_count > MOST_ROWS) text_format(out, " and %d more", l->event_count - MOST_ROWS);
    text_format(out,
                ": at %s threshold%s at this very point, and acts however near the motion stays.\n" INDENT
                "Modes are of the motion without %s and tell nothing of the motion with %s\n",
                l->event_count == 1 ? "its" : "their", l->event_count == 1 ? "" : "s",
                l->event_count == 1 ? "it" : "them", l->event_count == 1 ? "it" : "them");
}

/* What the constraints themselves do to the linear system. */
static void doubt_lines(const mech_system *system, const mech_linear_result *l, textbuf *out)
{
    if (l->lost >= 0) {
        text_add(out, "Warning      the constraints lose rank at this very point: ");
        text_add(out, mech_system_row_name(system, (size_t)l->lost));
        text_add(out, " adds nothing to the others here, but does beside it.\n" INDENT
                      "The linear system leaves it out; modes computed here tell nothing of the motion\n");
    } else if (l->kind != MECH_POINT_OFF && l->kind != MECH_POINT_FROZEN && mech_linear_doubt(l) && l->weak < 0 &&
               !l->kink_count && !l->event_count) {
        text_add(out, "Warning      the linear motion leaves the constraints, by ");
        modes_number(out, l->leak);
        text_add(
            out,
            " of its size: they bind the states more than their\n" INDENT
            "accelerations show, as two states do that one coordinate must follow. Modes computed here are wrong\n");
    }
}

void point_text(const mech_system *system, const mech_linear_result *l, textbuf *out)
{
    text_format(out, "Point        %s: ", modes_kind_text(l));
    modes_point_text(system, l->q, l->v, l->z, out);
    text_add_char(out, '\n');
    if (l->kind == MECH_POINT_OFF) off_lines(system, l, out);
    if (l->kind == MECH_POINT_FROZEN) frozen_lines(system, l, out);
    point_kinks_text(l, out);
    events_text(l, out);
    doubt_lines(system, l, out);
    if (l->weak < 0) return;
    const char *weak = mech_system_name(system, MECH_ITEM_COORD, (size_t)l->weak);
    text_format(out,
                "Warning      the mass matrix is all but singular here: %s loses its inertia within a "
                "millionth of %s.\n" INDENT "Modes computed here are wrong; choose other coordinates, such as "
                "Cartesian ones with constraints\n",
                weak, mech_system_name(system, MECH_ITEM_COORD, (size_t)l->weak_along));
}

void point_outputs_text(const mech_system *system, const mech_linear_result *l, textbuf *out)
{
    for (int i = 0; i < l->outputs; i++) {
        if (!l->undefined[i]) continue;
        char *expression = mech_system_output_text(system, (size_t)i);
        text_format(out, "Undefined    output %s%s%s has no derivative here: its row of C%s is not a number\n",
                    mech_system_name(system, MECH_ITEM_OUTPUT, (size_t)i), expression ? " = " : "",
                    expression ? expression : "", l->inputs ? " and D" : "");
        mech_text_free(expression);
    }
}

/* One line, however many. */
void point_choices_text(const mech_system *system, const mech_linear_result *l, textbuf *out)
{
    int said = 0;
    if (!l->choice_count) return;
    text_format(out, "Note         output%s ", l->choice_count > 1 ? "s" : "");
    for (int i = 0; i < l->outputs; i++)
        if (l->output_is_choice[i])
            text_format(out, "%s%s", said++ ? ", " : "", mech_system_name(system, MECH_ITEM_OUTPUT, (size_t)i));
    text_format(out, " use%s multipliers that are not unique: %s of C%s %s one choice of many\n",
                l->choice_count > 1 ? "" : "s", l->choice_count > 1 ? "their rows" : "its row",
                l->inputs ? " and D" : "", l->choice_count > 1 ? "are" : "is");
}

void point_inputs_text(const mech_system *system, const mech_linear_result *l, textbuf *out)
{
    for (int i = 0; i < l->inputs; i++)
        if (l->input_kinks[i]) {
            const char *name = mech_system_name(system, MECH_ITEM_INPUT, (size_t)i);
            text_format(
                out,
                "Undefined    %s changes over at the value that input %s has, and the derivatives by %s of the two "
                "sides differ:\n" INDENT "these entries of B%s are not numbers. Give %s another value\n",
                l->input_kinks[i], name, name, l->outputs ? " and D" : "", name);
        }
}

/* ---- for programs ---- */

void point_kinks_json(const mech_linear_result *l, textbuf *out)
{
    text_add_char(out, '[');
    for (int k = 0; l && k < l->kink_count; k++) {
        if (k) text_add(out, ", ");
        text_add_string(out, l->kinks[k]);
    }
    text_add_char(out, ']');
}

static void events_json(const mech_linear_result *l, textbuf *out)
{
    text_add_char(out, '[');
    for (int k = 0; k < l->event_count; k++) {
        if (k) text_add(out, ", ");
        text_add_string(out, l->events[k]);
    }
    text_add_char(out, ']');
}

static void name_json(const mech_system *system, mech_item item, int index, textbuf *out)
{
    text_add_string(out, index < 0 ? NULL : mech_system_name(system, item, (size_t)index));
}

static void violations_json(const mech_system *system, const mech_linear_result *l, textbuf *out)
{
    int first = 1;
    text_add(out, ",\n  \"violations\": [");
    for (int i = 0; i < l->rows; i++) {
        if (l->r[i] == 0 && l->r_dot[i] == 0) continue;
        text_add(out, first ? "{\"row\": " : ", {\"row\": ");
        text_add_string(out, mech_system_row_name(system, (size_t)i));
        text_add(out, ", \"r\": ");
        text_add_double(out, l->r[i]);
        text_add(out, ", \"r_dot\": ");
        text_add_double(out, l->r_dot[i]);
        text_add_char(out, '}');
        first = 0;
    }
    text_add_char(out, ']');
}

void point_json(const mech_system *system, const mech_linear_result *l, textbuf *out)
{
    int first = 1;
    text_format(out, ",\n  \"kind\": \"%s\",\n  \"point\": ", modes_kind_text(l));
    modes_point_json(system, l->q, l->v, l->z, out);
    violations_json(system, l, out);
    text_format(out, ",\n  \"varies_with_time\": %s, \"varying_input\": ", l->varies_with_time ? "true" : "false");
    name_json(system, MECH_ITEM_INPUT, l->varying_input, out);
    text_add(out, ", \"without_inertia\": ");
    name_json(system, MECH_ITEM_COORD, l->weak, out);
    text_add(out, ", \"loses_rank\": ");
    text_add_string(out, l->lost >= 0 ? mech_system_row_name(system, (size_t)l->lost) : NULL);
    text_add(out, ",\n  \"kinks\": ");
    point_kinks_json(l, out);
    text_add(out, ",\n  \"events_at_threshold\": ");
    events_json(l, out);
    text_add(out, ",\n  \"doubt\": ");
    text_add_string(out, mech_linear_doubt(l));
    text_add(out, ",\n  \"undefined_outputs\": [");
    for (int i = 0; i < l->outputs; i++) {
        if (!l->undefined[i]) continue;
        if (!first) text_add(out, ", ");
        name_json(system, MECH_ITEM_OUTPUT, i, out);
        first = 0;
    }
    text_add(out, "],\n  \"least_norm_outputs\": [");
    first = 1;
    for (int i = 0; i < l->outputs; i++) {
        if (!l->output_is_choice[i]) continue;
        if (!first) text_add(out, ", ");
        name_json(system, MECH_ITEM_OUTPUT, i, out);
        first = 0;
    }
    text_add(out, "],\n  \"input_kinks\": [");
    first = 1;
    for (int i = 0; i < l->inputs; i++) {
        if (!l->input_kinks[i]) continue;
        text_add(out, first ? "{\"input\": " : ", {\"input\": ");
        name_json(system, MECH_ITEM_INPUT, i, out);
        text_add(out, ", \"kink\": ");
        text_add_string(out, l->input_kinks[i]);
        text_add_char(out, '}');
        first = 0;
    }
    text_add_char(out, ']');
}
