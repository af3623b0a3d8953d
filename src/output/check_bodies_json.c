/* Bodies, joints and loops in the report of `mech check` for a program. */
#include <mech/bodies.h>

#include "output/check.h"

enum { LONGEST_LOOP = 200 };

/* "key": "text", or null where there is none */
static void put(textbuf *out, const char *key, const char *text)
{
    text_format(out, ", \"%s\": ", key);
    text_add_string(out, text);
}

static void put_bodies(const mech_bodies *b, textbuf *out)
{
    text_add(out, "    \"list\": [");
    for (size_t i = 1; i < mech_bodies_body_count(b); i++) {
        const size_t joint = mech_bodies_parent_joint(b, i);
        const int hangs = joint != SIZE_MAX;
        text_add(out, i > 1 ? ",\n      {\"name\": " : "\n      {\"name\": ");
        text_add_string(out, mech_bodies_body_name(b, i));
        put(out, "joint", hangs ? mech_bodies_joint_name(b, joint) : NULL);
        put(out, "parent", hangs ? mech_bodies_body_name(b, mech_bodies_parent_body(b, i)) : NULL);
        text_add_char(out, '}');
    }
    text_add(out, "],\n");
}

static int is_in_tree(const mech_bodies *b, size_t joint)
{
    for (size_t i = 1; i < mech_bodies_body_count(b); i++)
        if (mech_bodies_parent_joint(b, i) == joint) return 1;
    return 0;
}

static void put_joints(const mech_bodies *b, textbuf *out)
{
    static const char *const by[] = {"no", "written", "needed"};
    text_add(out, "    \"joints\": [");
    for (size_t j = 0; j < mech_bodies_joint_total(b); j++) {
        text_add(out, j ? ",\n      {\"name\": " : "\n      {\"name\": ");
        text_add_string(out, mech_bodies_joint_name(b, j));
        put(out, "kind", mech_joint_kind_name(mech_bodies_joint_kind(b, j)));
        put(out, "before", mech_bodies_body_name(b, mech_bodies_joint_before(b, j)));
        put(out, "after", mech_bodies_body_name(b, mech_bodies_joint_after(b, j)));
        text_format(out, ", \"in_tree\": %s", is_in_tree(b, j) ? "true" : "false");
        put(out, "by_constraint", by[mech_bodies_by_constraint(b, j)]);
        text_add_char(out, '}');
    }
    text_add(out, "],\n");
}

/* Conditions of a joint that follow from others: [row, "along z"], ...; null where that is not known. */
static void put_redundant(const check_facts *facts, size_t joint, textbuf *out)
{
    const mech_bodies *b = facts->model->mechanism;
    const model_constraint *c = &facts->model->constraints[mech_bodies_joint_constraint(b, joint)];
    char text[MECH_CONDITION_TEXT];
    int first = 1;
    text_format(out, ", \"conditions\": %zu, \"redundant\": ", c->row_count);
    if (!facts->diagnosis) {
        text_add(out, "null");
        return;
    }
    text_add_char(out, '[');
    for (size_t k = 0; k < c->row_count; k++) {
        if (!facts->diagnosis->redundant[c->first_row + k]) continue;
        mech_bodies_condition(b, joint, k, text);
        text_add(out, first ? "" : ", ");
        text_add_string(out, text);
        first = 0;
    }
    text_add_char(out, ']');
}

/* Joints that are constraints: those of loops, and those of bodies with coordinates of their own. */
static void put_closed(const check_facts *facts, textbuf *out)
{
    const mech_bodies *b = facts->model->mechanism;
    size_t list[LONGEST_LOOP], shown = 0;
    text_add(out, "    \"closed\": [");
    for (size_t j = 0; j < mech_bodies_joint_total(b); j++) {
        if (mech_bodies_joint_constraint(b, j) == SIZE_MAX) continue;
        const size_t count = mech_bodies_loop(b, j, list, LONGEST_LOOP);
        text_add(out, shown++ ? ",\n      {\"joint\": " : "\n      {\"joint\": ");
        text_add_string(out, mech_bodies_joint_name(b, j));
        text_add(out, ", \"loop\": [");
        for (size_t i = 0; i < count; i++) {
            text_add(out, i ? ", " : "");
            text_add_string(out, mech_bodies_joint_name(b, list[i]));
        }
        text_add_char(out, ']');
        put_redundant(facts, j, out);
        text_format(out, ", \"parallel_axes\": %s}",
                    count && mech_bodies_loop_is_planar(b, list, count) ? "true" : "false");
    }
    text_add(out, "]\n");
}

void check_bodies_json(const check_facts *facts, textbuf *out)
{
    const mech_bodies *b = facts->model->mechanism;
    text_add(out, "  \"bodies\": {\n");
    put_bodies(b, out);
    put_joints(b, out);
    put_closed(facts, out);
    text_add(out, "  },\n");
}
