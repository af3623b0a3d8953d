/* A graph as C with loops, for systems of many alike bodies. */
#include "compile/shapes_room.h"

#include "base/mem.h"
#include "base/try.h"

/* The guards of emit_prelude for eight turns at once; where one is not clear, each by itself. */
static const char wide[] = "#if defined(__GNUC__) && defined(__FMA__) && !defined(__FAST_MATH__)\n"
                           "#define WIDE\n"
                           "#define INLINE static inline __attribute__((always_inline, unused))\n"
                           "typedef double u8 __attribute__((vector_size(64), aligned(8), may_alias));\n"
                           "INLINE int any8(i8 m)\n"
                           "{\n"
                           "    long long all = 0;\n"
                           "    for (int i = 0; i < 8; i++) all |= m[i];\n"
                           "    return all != 0;\n"
                           "}\n"
                           "INLINE v8 abs8(v8 x) { return (v8)((i8)x & 0x7fffffffffffffffLL); }\n"
                           "INLINE int guard8(v8 a, v8 b) { return any8(~((a > MASS*b) & (a > 0.0))); }\n"
                           "INLINE int monitor8(v8 a, v8 b) { return any8(~(abs8(a) <= MISSED*abs8(b))); }\n"
                           "INLINE int clear8(v8 a, v8 b) { return any8(~(abs8(a) > PART*b)) ? 4 : 0; }\n"
                           "INLINE v8 pivot_8(v8 left, v8 whole, int *flags)\n"
                           "{\n"
                           "    v8 x = 1.0/left;\n"
                           "    if (LIKELY(!any8(~(left > WEAK*whole)))) return x;\n"
                           "    for (int i = 0; i < 8; i++) x[i] = pivot(left[i], whole[i], flags);\n"
                           "    return x;\n"
                           "}\n"
                           "#define PAIR8(NAME, CLEAR) \\\n"
                           "INLINE int NAME##_8(v8 a, v8 b, v8 c, v8 d, v8 e, v8 *x, v8 *y, v8 *z) \\\n"
                           "{ \\\n"
                           "    const v8 left = a*c - b*b, scale = 1.0/left; \\\n"
                           "    *x = c*scale; \\\n"
                           "    *y = b*scale; \\\n"
                           "    *z = a*scale; \\\n"
                           "    int f = 0; \\\n"
                           "    if (LIKELY(!any8(~((left > CLEAR*(d*e)) & (a > 0.0))))) return 0; \\\n"
                           "    for (int i = 0; i < 8; i++) { \\\n"
                           "        double r, s, t; \\\n"
                           "        f |= NAME(a[i], b[i], c[i], d[i], e[i], &r, &s, &t); \\\n"
                           "        (*x)[i] = r; \\\n"
                           "        (*y)[i] = s; \\\n"
                           "        (*z)[i] = t; \\\n"
                           "    } \\\n"
                           "    return f; \\\n"
                           "}\n"
                           "PAIR8(pivot2, WEAK)\n"
                           "PAIR8(invert2, MASS)\n"
                           "#endif\n\n";

static mech_status allocate(shapes *s)
{
    const size_t count = s->g->count + 1;
    uint32_t blocks = 0;
    for (size_t i = 1; i < s->g->count; i++)
        if (s->g->values[i].block / 4 > blocks) blocks = s->g->values[i].block / 4;
    s->needed = mem_zeroed(count, 1);
    s->stored = mem_zeroed(count, 1);
    s->sign = mem_zeroed(count, 1);
    s->form = mem_zeroed(count, 1);
    s->owner = mem_zeroed(count, sizeof *s->owner);
    s->user = mem_zeroed(count, sizeof *s->user);
    s->reads = mem_zeroed(count, sizeof *s->reads);
    s->position = mem_zeroed(count, sizeof *s->position);
    s->where = mem_zeroed(count, sizeof *s->where);
    s->source = mem_zeroed(count, sizeof *s->source);
    s->output = mem_zeroed(count, sizeof *s->output);
    s->angle = mem_zeroed(count, sizeof *s->angle);
    s->number_at = mem_zeroed(count, sizeof *s->number_at);
    s->block_item = mem_zeroed(2 * ((size_t)blocks + 1), sizeof *s->block_item);
    const int done = s->needed && s->stored && s->sign && s->form && s->owner && s->user && s->reads && s->position &&
                     s->where && s->source && s->output && s->angle && s->number_at && s->block_item;
    return done ? MECH_OK : MECH_ERR_MEMORY;
}

static void release(shapes *s)
{
    mem_free(s->needed);
    mem_free(s->stored);
    mem_free(s->sign);
    mem_free(s->form);
    mem_free(s->owner);
    mem_free(s->user);
    mem_free(s->reads);
    mem_free(s->position);
    mem_free(s->where);
    mem_free(s->source);
    mem_free(s->output);
    mem_free(s->angle);
    mem_free(s->number_at);
    mem_free(s->block_item);
    mem_free(s->items);
    mem_free(s->ops);
    mem_free(s->shape_table);
    mem_free(s->shape_first);
    mem_free(s->cells);
    mem_free(s->other);
    mem_free(s->numbers);
    mem_free(s->ranges);
    mem_free(s->free_ranges);
    text_free(&s->body);
}

static void list_outputs(shapes *s)
{
    for (uint32_t i = (uint32_t)s->spec->output_count; i-- > 0;) {
        const uint32_t id = graph_id(s->spec->values[i]);
        const graph_value *v = &s->g->values[id];
        if (v->stage == 1 && !emit_is_leaf(v)) s->output[id] = i + 1;
    }
}

static mech_status make_stage(shapes *s, int stage)
{
    s->stage = stage;
    s->statements = 0;
    for (size_t i = 1; i < s->g->count; i++)
        if (s->g->values[i].block) s->block_item[s->g->values[i].block / 4] = 0;
    MECH_TRY(shapes_form_items(s));
    MECH_TRY(shapes_name(s));
    return shapes_schedule(s);
}

/* Numbers that differ from turn to turn, in runs of neighbouring places. */
static void add_numbers(const shapes *s, textbuf *to)
{
    for (size_t i = 0, next; i < s->number_count; i = next) {
        for (next = i + 1; next < s->number_count && s->numbers[next].at == s->numbers[next - 1].at + 1;) next++;
        text_add(to, "    {\n        static const double c[] = {");
        for (size_t k = i; k < next; k++) {
            emit_number(to, graph_constant_value(&s->g->values[s->numbers[k].value]));
            text_add(to, k + 1 < next ? ",\n" : "};\n");
        }
        text_format(to, "        for (int i = 0; i < %zu; i++) k[%u + i] = c[i];\n    }\n", next - i,
                    (unsigned)s->numbers[i].at);
    }
}

static void add_ends(shapes *s, textbuf *to)
{
    const char *prefix = s->spec->prefix;
    text_format(to, "int %s_parameters(const double *p, double *k)\n{\n    int f = 0;\n    (void)p, (void)k;\n",
                prefix);
    add_numbers(s, to);
    for (size_t i = 0; i < s->functions[0]; i++) text_format(to, "    f |= %s_p%zu(p, k);\n", prefix, i);
    text_add(to, "    return f;\n}\n\n");
    text_format(to, "int %s_motion(" EMIT_ARGUMENTS ")\n{\n    int f = 0;\n", prefix);
    for (size_t i = 0; i < s->functions[1]; i++)
        text_format(to, "    f |= %s_%zu(k, t, q, v, z, u, qdd, lambda, more, w);\n", prefix, i);
    text_add(to, "    return f;\n}\n\n");
}

static mech_status run(shapes *s, textbuf *to, emit_result *result)
{
    MECH_TRY(s->g->status);
    MECH_TRY(allocate(s));
    s->arrays[s->array_count++] = "w";
    s->arrays[s->array_count++] = "k";
    list_outputs(s);
    shapes_mark(s);
    shapes_choose_signs(s);
    MECH_TRY(make_stage(s, 0));
    MECH_TRY(make_stage(s, 1));
    *result = (emit_result){.kept = s->kept_count,
                            .work = s->work_count,
                            .statements = s->statements,
                            .angles = s->angles,
                            .functions = s->functions[1],
                            .loops = s->loops};
    if (s->spec->most && s->statements > s->spec->most) return MECH_ERR_LIMIT;
    if (!to) return MECH_OK;
    text_add(to, wide);
    if (s->body.data) text_add_n(to, s->body.data, s->body.length);
    add_ends(s, to);
    return s->body.failed || to->failed ? MECH_ERR_MEMORY : MECH_OK;
}

mech_status emit_loops(const emit_spec *spec, textbuf *to, emit_result *result)
{
    shapes s = {.spec = spec, .g = spec->graph, .status = MECH_OK};
    *result = (emit_result){0};
    const mech_status status = run(&s, to, result);
    release(&s);
    return status;
}
