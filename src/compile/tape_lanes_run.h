/* The tape on TAPE_LANES states, for one kind of vectors: included once for each, with
       RUN     the name of the function
       TARGET  what the compiler may use in it
       WIDE    lanes in a vector
   Each operation jumps to the next by itself, as in tape_run.c. Vector after vector: the result may stand
   where an operand of the same lanes stood. No include guard. */

#define vector NAMED(RUN, vector)
#define mask NAMED(RUN, mask)
typedef double vector __attribute__((vector_size(8 * WIDE)));
typedef int64_t mask __attribute__((vector_size(8 * WIDE)));

#define TIMES (W / WIDE)
#define SLOT(number) ((vector *)(s + (number) * (size_t)W))
#define WHERE(kept, x) ((vector)((mask)(x) & (kept)))
#define ALL_VECTORS _Pragma("GCC unroll 16") for (int k = 0; k < TIMES; k++)
#define NEXT goto *labels[(++i)->code]
/* One operation on all vectors, and the next. What it does not use is not read. */
#define EACH(...)                                                                                            \
    do {                                                                                                     \
        const vector *const pa = SLOT(i->a), *const pb = SLOT(i->b), *const pc = SLOT(i->c);                 \
        const vector *const pd = SLOT(i->d), *const pe = SLOT(i->e);                                         \
        vector *const out = SLOT(i->out);                                                                    \
        (void)out;                                                                                           \
        ALL_VECTORS                                                                                          \
        {                                                                                                    \
            const vector a = pa[k], b = pb[k], c = pc[k], d = pd[k], e = pe[k];                              \
            (void)a, (void)b, (void)c, (void)d, (void)e;                                                     \
            __VA_ARGS__;                                                                                     \
        }                                                                                                    \
        NEXT;                                                                                                \
    } while (0)

TARGET static void NAMED(RUN, run)(const tape *t, const tape_op *i, double *s, int64_t *found)
{
#define LABEL(name, value) &&do_##name,
    static const void *const labels[] = {TAPE_OPERATIONS(LABEL) && do_PIVOT,
                                         &&do_PIVOT2,
                                         &&do_INVERT2,
                                         &&do_GUARD,
                                         &&do_MONITOR,
                                         &&do_CLEAR,
                                         &&do_ANGLES,
                                         &&do_CALL,
                                         &&do_END};
#undef LABEL
    mask *const doubt = (mask *)found;
    goto *labels[i->code];
#define PLAIN(name, value) do_##name : EACH(out[k] = value);
    TAPE_ARITHMETIC(PLAIN)
#undef PLAIN
do_ABS:
    EACH(out[k] = (vector)((mask)a & INT64_MAX));
do_ADDABS:
    EACH(out[k] = a + (vector)((mask)b & INT64_MAX));
do_SELECT:
    EACH(out[k] = (vector)(((mask)b & (a != 0.0)) | ((mask)c & (a == 0.0))));
do_PIVOT:
    EACH(out[k] = WHERE(a > PLAN_DROP * b, 1.0 / a); doubt[k] |= ~(a > PLAN_DOUBT * b));
do_PIVOT2:
    EACH(const vector left = a * c - b * b, whole = d * e;
         const vector scale = WHERE(left > PLAN_DROP * whole, 1.0 / left); out[k] = c * scale;
         out[TIMES + k] = b * scale; out[2 * TIMES + k] = a * scale;
         doubt[k] |= ~(left > PLAN_DOUBT * whole));
do_INVERT2:
    EACH(const vector left = a * c - b * b, scale = 1.0 / left; out[k] = c * scale;
         out[TIMES + k] = b * scale; out[2 * TIMES + k] = a * scale;
         doubt[k] |= ~((left > PLAN_MASS * (d * e)) & (a > 0.0)));
do_GUARD:
    EACH(doubt[k] |= ~((a > PLAN_MASS * b) & (a > 0.0)));
do_MONITOR:
    EACH(const vector most = PLAN_MISSED * b; doubt[k] |= ~(a * a <= most * most));
do_CLEAR:
    EACH(const vector least = PLAN_PART * b; doubt[k] |= ~((a > least) | (a < -least)));
do_ANGLES:
    angles(t, &t->angles[i->a], s);
    NEXT;
do_SQRT:
    roots(s + i->a * (size_t)W, s + i->out * (size_t)W);
    NEXT;
do_CALL:
    call(i, s);
    NEXT;
do_END:
    return;
}

/* Rows of the caller stand where they like. */
typedef vector NAMED(RUN, loose) __attribute__((aligned(8)));

TARGET static void NAMED(RUN, load)(const tape_copy *copies, size_t count, const double *const *rows,
                                    double *s)
{
    for (size_t i = 0; i < count; i++) {
        const NAMED(RUN, loose) *from = (const NAMED(RUN, loose) *)rows[copies[i].from];
        ALL_VECTORS SLOT(copies[i].slot)[k] = from[k];
    }
}

/* x - x is 0 for every finite x. */
TARGET static void NAMED(RUN, store)(const tape_copy *copies, size_t count, const double *s, size_t watched,
                                     double *const *rows, int64_t *found)
{
    mask *const doubt = (mask *)found;
    for (size_t i = 0; i < count; i++) {
        const mask sign = (mask){0} + (copies[i].from ? INT64_MIN : 0);
        const vector *from = SLOT(copies[i].slot);
        NAMED(RUN, loose) *to = (NAMED(RUN, loose) *)rows[i];
        if (i < watched) ALL_VECTORS doubt[k] |= from[k] - from[k] != 0.0;
        if (to) ALL_VECTORS to[k] = (vector)((mask)from[k] ^ sign);
    }
}
#undef SLOT
#undef EACH
#undef ALL_VECTORS
#undef TIMES
#undef WHERE
#undef NEXT

static const lanes_way RUN = {NAMED(RUN, load), NAMED(RUN, run), NAMED(RUN, store)};
#undef vector
#undef mask
#undef RUN
#undef TARGET
#undef WIDE
