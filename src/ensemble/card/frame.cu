/* One run a thread: steps, the way back onto the constraints, and what is measured. Text that is compiled for a card,
   behind the functions of a model (ensemble/card_source.c); as plain C it is compiled by the tests. What is a run's own
   stands in card_run; a thread that is done with one takes the next. docs/decisions/0034-cuda.md.

   Given before it: UNROLLS: the code is short; N coordinates, M rows, Z states, P parameters, U inputs, MEASURES; ALONG: some are taken along steps;
   FIXED: equal steps of order 4, else those of a pair of order 5; LOOKS: measures look at accelerations or multipliers; PROJECTS; KEPT, SIGNAL_KEPT, MEASURE_KEPT: numbers of parameters;
   card_kind(k); model_..., signal_..., measure_... */

#ifdef __CUDACC__
#define KERNEL extern "C" __global__ void __launch_bounds__(CARD_BLOCK)
#define TAKE(next) atomicAdd((next), 1ull)
#define EACH(i, count) _Pragma("unroll") for (int i = 0; i < (count); i++)
#if UNROLLS
#define STAGES(i) _Pragma("unroll") for (int i = 0; i < 4; i++)
#else
#define STAGES(i) _Pragma("unroll 1") for (int i = 0; i < 4; i++)
#endif
#ifndef NULL
#define NULL 0
#endif
#else
#define STAGES(i) for (int i = 0; i < 4; i++)
#define KERNEL void
#define TAKE(next) ((*(next))++)
#define EACH(i, count) for (int i = 0; i < (count); i++)
#endif

enum { NY = 2 * N + Z, MORE = 1 + Z + 2 * M + 2 * N + 3, MOST_TURNS = 6, MOST_LEVEL = 20, MOST_STRETCHES = 400 };
/* What became of a run: the first goes on, the second is done, all others are for the host. MOVED: the start was as the
   model writes it, and is not on the constraints. */
enum { GOES_ON, DONE, IN_DOUBT, TOO_SMALL, TOO_MANY, NOT_FINITE, OFF_ROWS, UNRESOLVED, MOVED };
/* Rows of `start` before the parameters and the state. */
enum { FROM, UNTIL, RTOL, ATOL, MAX_STEP, FIRST_STEP, AS_WRITTEN, SETTINGS };

typedef struct card_job {
    unsigned long long count; /* runs                                                */
    const double *start;      /* (SETTINGS + P + NY rows of count)                   */
    double *measures;         /* (MEASURES rows of count)                            */
    double *ended;            /* (count)                                             */
    int *states;              /* (count) DONE, or why not                            */
    unsigned int *steps;      /* (count)                                             */
    unsigned long long *next; /* the run that no thread has taken                    */
    const int *stop;          /* what is not 0 ends all                              */
    double step;              /* where FIXED                                         */
    unsigned int most_steps;
} card_job;

typedef struct card_run {
    double t, until, rtol, atol, max_step, h, error_old, margin, margin_most, margin_step;
    int was_rejected;
    unsigned int steps;
    double k[KEPT + 1], signal[SIGNAL_KEPT + 1], measured[MEASURE_KEPT + 1];
    double y[NY], slope[NY];
#if MEASURES
    double best[MEASURES], integral[MEASURES], size[MEASURES];
#endif
} card_run;

INNER double largest(double a, double b) { return a > b ? a : b; }
INNER double least(double a, double b) { return a < b ? a : b; }

/* ---- the equation ---- */

INNER void card_inputs(const card_run *r, double t, double *u)
{
#if U
    EACH(i, 3 * U) u[i] = 0.0;
    (void)signal_motion(r->signal, t, NULL, NULL, NULL, NULL, NULL, NULL, u, NULL);
#else
    (void)r, (void)t, (void)u;
#endif
}

/* lambda, more: NULL, or there the residuals and what removes them come too. */
INNER int card_slope(const card_run *r, double t, const double *y, double *f, double *lambda, double *more)
{
    double u[3 * U + 1], rates[1 + Z];
    double *to = more ? more : rates;
    card_inputs(r, t, u);
    const int flags = model_motion(r->k, t, y, y + N, y + 2 * N, u, f + N, lambda, to, NULL);
    EACH(i, N) f[i] = y[N + i];
    EACH(i, Z) f[2 * N + i] = to[1 + i];
    return flags;
}

/* ---- onto the constraints ---- */

#if M && PROJECTS
/* How far a change is, in parts of the tolerance. */
INNER double card_reach(const card_run *r, const double *x, const double *change)
{
    double most = 0;
    EACH(i, N) {
        const double part = fabs(change[i]) / (r->atol + r->rtol * fabs(x[i]));
        most = largest(most, part < 1e6 ? part : 1e6); /* also where it is no number */
    }
    return most;
}

INNER int card_turn(const card_run *r, double t, double *y, double *f, double *margin)
{
    double lambda[M], more[MORE];
    const double *dq = more + 1 + Z + 2 * M, *dv = dq + N;
    if (card_slope(r, t, y, f, lambda, more)) return IN_DOUBT;
    *margin = more[MORE - 1];
    const double off = HAS_POSITIONS ? largest(card_reach(r, y, dq), card_reach(r, y + N, dv)) : card_reach(r, y + N, dv);
    if (off <= LEFT_OVER) return DONE;
    if (!(off < 1e6)) return OFF_ROWS;
    for (int i = 0; HAS_POSITIONS && i < N; i++) y[i] += dq[i];
    EACH(i, N) y[N + i] += dv[i];
    return GOES_ON;
}
#endif

/* The slope at the end of a step, which is moved onto the constraints. before: what the turns began with. */
#if M && PROJECTS
#define SETTLE APART
#else
#define SETTLE INNER
#endif
SETTLE int card_settle(const card_run *r, double t, double *y, double *f, double *before, double *margin)
{
#if M && PROJECTS
    int state = GOES_ON;
    for (int turn = 0; state == GOES_ON && turn < MOST_TURNS; turn++) {
        state = card_turn(r, t, y, f, margin);
        if (turn == 0 && before)
            EACH(i, NY) before[i] = f[i];
    }
    return state == GOES_ON ? OFF_ROWS : state;
#else
    *margin = 1;
    const int flags = card_slope(r, t, y, f, NULL, NULL);
    for (int i = 0; before && i < NY; i++) before[i] = f[i];
    return flags ? IN_DOUBT : DONE;
#endif
}

/* Do the rows come so close to depending on one another that the next step could pass over it? The square root of what
   is left of a pivot is about linear there; NEAR: of the most it was. */
INNER int card_nears(card_run *r, double margin, double h)
{
    const double now = sqrt(margin), fall = r->margin_step > 0 ? (r->margin - now) / r->margin_step : 0;
    r->margin = now;
    r->margin_most = largest(r->margin_most, now);
    r->margin_step = h;
    return M && !(now - largest(fall, 0) * r->h > NEAR * r->margin_most);
}

/* ---- what is measured ---- */

#if MEASURES
#if ALONG
#define LOOK APART
#else
#define LOOK INNER
#endif
LOOK int card_look(card_run *r, double t, const double *y, double *values)
{
    double u[3 * U + 1];
    const double *a = NULL, *multiplier = NULL;
    card_inputs(r, t, u);
#if LOOKS
    double f[NY], lambda[M + 1], more[MORE];
    if (card_slope(r, t, y, f, lambda, more)) return IN_DOUBT;
    a = f + N;
    multiplier = lambda;
#endif
    (void)measure_motion(r->measured, t, y, y + N, y + 2 * N, u, (double *)a, (double *)multiplier, values, NULL);
    EACH(k, MEASURES) {
        if (!(fabs(values[k]) < 1e300)) return NOT_FINITE;
        if (card_kind(k) == RMS) values[k] *= values[k];
        r->size[k] = largest(r->size[k], fabs(values[k]));
    }
    return GOES_ON;
}

INNER void card_take(card_run *r, int k, double value)
{
    if (card_kind(k) == MAX) r->best[k] = largest(r->best[k], value);
    if (card_kind(k) == MIN) r->best[k] = least(r->best[k], value);
}
#endif

#if ALONG
/* A step between two of its points: by both ends, their slopes, and what the pair of order 5 adds. */
typedef struct card_dense {
    double t, h;
    const double *from, *to, *slope, *end, *more;
} card_dense;

INNER void card_between(const card_dense *d, double s, double *y)
{
    const double s1 = 1 - s;
    EACH(i, NY) {
        const double dy = d->to[i] - d->from[i], bend = d->h * d->slope[i] - dy;
        const double last = (dy - d->h * d->end[i] - bend) + s1 * (d->more ? d->more[i] : 0);
        y[i] = d->from[i] + s * (dy + s1 * (bend + s * last));
    }
}

INNER int card_look_at(card_run *r, const card_dense *d, double s, double *values)
{
    double y[NY];
    card_between(d, s, y);
    return card_look(r, d->t + s * d->h, y, values);
}

INNER chebyshev card_interpolant(const double *values, int k, int stride)
{
    double f[CHEBYSHEV_MOST + 1];
    for (int j = 0; j <= CHEBYSHEV_MOST / stride; j++) f[j] = values[j * stride * MEASURES + k];
    return chebyshev_through(f, CHEBYSHEV_MOST / stride);
}

/* Is the interpolant all that is asked? part: of the step. */
INNER int card_is_resolved(const card_run *r, int k, const chebyshev *p, double part)
{
    const double most = r->rtol * r->size[k] + r->atol, tail = chebyshev_tail(p);
    if (tail <= most) return 1;
    if (card_kind(k) == MEAN || card_kind(k) == RMS) return tail * part <= most;
    const double sign = card_kind(k) == MAX ? 1 : -1;
    return sign * r->best[k] > chebyshev_bound(p, sign) + 8 * tail;
}

INNER int card_is_along(int k) { return card_kind(k) != FINAL; }

INNER int card_peak(card_run *r, const card_dense *d, int k, const chebyshev *p, double middle, double half)
{
    double at, point[MEASURES];
    const double sign = card_kind(k) == MAX ? 1 : -1;
    if (!(chebyshev_bound(p, sign) > sign * r->best[k])) return GOES_ON;
    const double peak = chebyshev_peak(p, sign, &at);
    if (!(sign * peak > sign * r->best[k]) || fabs(at) == 1) return GOES_ON;
    const int state = card_look_at(r, d, middle + half * at, point);
    if (state == GOES_ON) card_take(r, k, point[k]);
    return state;
}

/* A stretch of the step: DONE, GOES_ON where it is to be halved, or why not. */
APART int card_stretch(card_run *r, const card_dense *d, double middle, double half)
{
    double values[(CHEBYSHEV_MOST + 1) * MEASURES];
    for (int stride = 2; stride; stride--) {
        int is_resolved = 1;
        for (int j = stride == 2 ? 0 : 1; j <= CHEBYSHEV_MOST; j += 2) {
            const int state = card_look_at(r, d, middle + half * chebyshev_point(j), values + j * MEASURES);
            if (state) return state;
        }
        for (int k = 0; k < MEASURES && is_resolved; k++) {
            if (!card_is_along(k)) continue;
            const chebyshev p = card_interpolant(values, k, stride);
            is_resolved = card_is_resolved(r, k, &p, 2 * half);
        }
        if (!is_resolved) continue;
        EACH(k, MEASURES) {
            if (!card_is_along(k)) continue;
            const chebyshev p = card_interpolant(values, k, stride);
            for (int j = 0; j <= CHEBYSHEV_MOST; j += stride) card_take(r, k, values[j * MEASURES + k]);
            if (card_kind(k) == MEAN || card_kind(k) == RMS) {
                r->integral[k] += half * d->h * chebyshev_integral(&p);
                continue;
            }
            const int state = card_peak(r, d, k, &p, middle, half);
            if (state) return state;
        }
        return DONE;
    }
    return GOES_ON;
}

/* Stretches by their number at a level: 2^level of them make the step. */
APART int card_along(card_run *r, const card_dense *d)
{
    int level = 0, seen = 0;
    for (unsigned int number = 0; number < 1u << level;) {
        const double half = 0.5 / (double)(1u << level);
        const int state = card_stretch(r, d, (2 * number + 1) * half, half);
        if (state > DONE) return state;
        if (++seen > MOST_STRETCHES) return UNRESOLVED;
        if (state == GOES_ON) {
            if (++level > MOST_LEVEL) return UNRESOLVED;
            number *= 2;
            continue;
        }
        for (number++; level && number % 2 == 0; level--) number /= 2;
    }
    return GOES_ON;
}
#endif

/* ---- a run ---- */

INNER double card_read(const card_job *job, int row, unsigned long long run) { return job->start[row * job->count + run]; }

INNER int card_begin(card_run *r, const card_job *job, unsigned long long run)
{
    double p[P + 1];
    r->t = card_read(job, FROM, run);
    r->until = card_read(job, UNTIL, run);
    r->rtol = card_read(job, RTOL, run);
    r->atol = card_read(job, ATOL, run);
    r->max_step = card_read(job, MAX_STEP, run);
    r->h = card_read(job, FIRST_STEP, run);
    r->error_old = 1e-4;
    r->margin = r->margin_most = r->margin_step = 0;
    r->was_rejected = 0;
    r->steps = 0;
    EACH(i, P) p[i] = card_read(job, SETTINGS + i, run);
    EACH(i, NY) r->y[i] = card_read(job, SETTINGS + P + i, run);
    int flags = model_parameters(p, r->k);
#if U
    (void)signal_parameters(p, r->signal);
#endif
#if MEASURES
    double values[MEASURES];
    (void)measure_parameters(p, r->measured);
    EACH(k, MEASURES) r->size[k] = r->integral[k] = 0;
    const int state = flags ? IN_DOUBT : card_look(r, r->t, r->y, values);
    if (state) return state;
    EACH(k, MEASURES) r->best[k] = values[k];
#endif
    return flags ? IN_DOUBT : GOES_ON;
}

/* The slope where a run begins. */
INNER int card_set_out(card_run *r, const card_job *job, unsigned long long run, double *margin)
{
    int state = card_settle(r, r->t, r->y, r->slope, NULL, margin);
    if (state != DONE) return card_read(job, AS_WRITTEN, run) != 0 ? MOVED : state;
    state = GOES_ON;
    if (card_read(job, AS_WRITTEN, run) != 0)
        EACH(i, NY) if (r->y[i] != card_read(job, SETTINGS + P + i, run)) state = MOVED;
    return state;
}

INNER void card_end(card_run *r, const card_job *job, unsigned long long run, int state, double length)
{
#if MEASURES
    double last[MEASURES];
    if (state == DONE) {
        const int seen = card_look(r, r->t, r->y, last);
        if (seen) state = seen;
    }
    for (int k = 0; k < MEASURES && state == DONE; k++) {
        const double mean = length > 0 ? r->integral[k] / length : last[k];
        job->measures[k * job->count + run] = card_kind(k) == FINAL  ? last[k]
                                              : card_kind(k) == MEAN ? mean
                                              : card_kind(k) == RMS  ? sqrt(largest(mean, 0))
                                                                     : r->best[k];
    }
#else
    (void)length;
#endif
    job->ended[run] = r->t;
    job->steps[run] = r->steps;
    job->states[run] = state;
}

#if !FIXED
INNER double card_norm(const card_run *r, const double *x)
{
    double sum = 0;
    EACH(i, NY) {
        const double part = x[i] / (r->atol + r->rtol * fabs(r->y[i]));
        sum += part * part;
    }
    return sqrt(sum / NY);
}

/* Hairer, Norsett and Wanner I, II.4, as integrate/rk.c has it. */
INNER double card_first_step(const card_run *r)
{
    double at[NY], other[NY];
    const double span = r->until - r->t, limit = r->max_step > 0 && r->max_step < span ? r->max_step : span;
    const double d0 = card_norm(r, r->y), d1 = card_norm(r, r->slope);
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h0 = least(largest(h0, 1e-8 * span), limit);
    EACH(i, NY) at[i] = r->y[i] + h0 * r->slope[i];
    if (card_slope(r, r->t + h0, at, other, NULL, NULL)) return h0 * 1e-2;
    EACH(i, NY) other[i] -= r->slope[i];
    const double d2 = card_norm(r, other) / h0, most = largest(d1, d2);
    double h1 = most <= 1e-15 ? largest(h0 * 1e-3, 1e-6) : pow(0.01 / most, 0.2);
    if (!(h1 < 100 * h0)) h1 = 100 * h0;
    return least(h1, limit);
}

/* ---- Dormand and Prince's pair of order 5 ---- */

/* How much shorter the next step is to be; single precision is enough for that. */
INNER double card_factor(double error, double before)
{
    return powf((float)least(error, 1e30), 0.17f) / powf((float)before, 0.04f) / 0.9f;
}

#define STAGE(to, c, sum)                                                                                              \
    EACH(i, NY) at[i] = r->y[i] + h * (sum);                                                          \
    flags |= card_slope(r, r->t + (c) * h, at, to, NULL, NULL);

INNER int card_step(card_run *r, unsigned int most_steps)
{
    double k2[NY], k3[NY], k4[NY], k5[NY], k6[NY], k7[NY], at[NY];
    const double *k1 = r->slope;
    const double room = r->until - r->t, smallest = 16 * 2.220446049250313e-16 * fabs(r->t);
    const int is_last = 1.01 * r->h >= room;
    const double h = is_last ? room : r->h;
    int flags = 0;
    double margin = 1;
    if (r->steps++ >= most_steps) return TOO_MANY;
    if (!(h > smallest)) return TOO_SMALL;
    STAGE(k2, 1.0 / 5, 1.0 / 5 * k1[i])
    STAGE(k3, 3.0 / 10, 3.0 / 40 * k1[i] + 9.0 / 40 * k2[i])
    STAGE(k4, 4.0 / 5, 44.0 / 45 * k1[i] + -56.0 / 15 * k2[i] + 32.0 / 9 * k3[i])
    STAGE(k5, 8.0 / 9,
          19372.0 / 6561 * k1[i] + -25360.0 / 2187 * k2[i] + 64448.0 / 6561 * k3[i] + -212.0 / 729 * k4[i])
    STAGE(k6, 1.0,
          9017.0 / 3168 * k1[i] + -355.0 / 33 * k2[i] + 46732.0 / 5247 * k3[i] + 49.0 / 176 * k4[i] +
              -5103.0 / 18656 * k5[i])
    if (flags) return IN_DOUBT;
    double end[NY], sum = 0; /* the end as integrated, and as settled in `at` */
    EACH(i, NY)
        at[i] = end[i] = r->y[i] + h * (35.0 / 384 * k1[i] + 500.0 / 1113 * k3[i] + 125.0 / 192 * k4[i] +
                                        -2187.0 / 6784 * k5[i] + 11.0 / 84 * k6[i]);
    double after[NY];
    const double t = is_last ? r->until : r->t + h;
    const int settled = card_settle(r, t, at, after, k7, &margin);
    if (settled == IN_DOUBT) return IN_DOUBT;
    EACH(i, NY) {
        const double part = (71.0 / 57600 * k1[i] + -71.0 / 16695 * k3[i] + 71.0 / 1920 * k4[i] +
                             -17253.0 / 339200 * k5[i] + 22.0 / 525 * k6[i] + -1.0 / 40 * k7[i]) /
                            (r->atol + r->rtol * largest(fabs(r->y[i]), fabs(end[i])));
        sum += part * part;
    }
    const double error = h * sqrt(sum / NY);
    if (!(error <= 1)) { /* also where it is no number */
        r->h = h / (error > 1 ? least(largest(card_factor(error, r->error_old), 1.1), 5.0) : 5.0);
        r->was_rejected = 1;
        return GOES_ON;
    }
    if (settled != DONE) return settled;
#if ALONG
    double more[NY];
    EACH(i, NY)
        more[i] = h * (-12715105075.0 / 11282082432.0 * k1[i] + 87487479700.0 / 32700410799.0 * k3[i] +
                       -10690763975.0 / 1880347072.0 * k4[i] + 701980252875.0 / 199316789632.0 * k5[i] +
                       -1453857185.0 / 822651844.0 * k6[i] + 69997945.0 / 29380423.0 * k7[i]);
    card_dense dense;
    dense.t = r->t, dense.h = h, dense.from = r->y, dense.to = end, dense.slope = k1, dense.end = k7, dense.more = more;
    const int seen = card_along(r, &dense);
    if (seen) return seen;
#endif
    const double factor = least(largest(card_factor(error, r->error_old), 0.1), 5.0);
    const double next = r->was_rejected ? least(h / factor, h) : h / factor;
    if (!is_last || next < r->h) r->h = r->max_step > 0 ? least(next, r->max_step) : next;
    r->error_old = least(largest(error, 1e-4), 1.0);
    r->was_rejected = 0;
    r->t = t;
    EACH(i, NY) r->y[i] = at[i], r->slope[i] = after[i];
    if (is_last) return DONE;
    return card_nears(r, margin, h) ? IN_DOUBT : GOES_ON;
}

KERNEL card_runs(card_job job)
{
    card_run r;
    unsigned long long run = 0;
    double from = 0;
    for (int is_busy = 0; !*(const volatile int *)job.stop;) {
        int state = GOES_ON;
        if (!is_busy) {
            double margin;
            run = TAKE(job.next);
            if (run >= job.count) return;
            is_busy = 1;
            state = card_begin(&r, &job, run);
            from = r.t;
            if (state == GOES_ON) state = card_set_out(&r, &job, run, &margin);
            if (state == GOES_ON && card_nears(&r, margin, 0)) state = IN_DOUBT;
            if (state == GOES_ON && !(r.h > 0)) r.h = card_first_step(&r);
        }
        if (state == GOES_ON) state = card_step(&r, job.most_steps);
        if (state == GOES_ON) continue;
        card_end(&r, &job, run, state, r.t - from);
        is_busy = 0;
    }
}

#else

/* ---- the classical method of order 4, equal steps ---- */

INNER int card_equal_step(card_run *r, double t, double h)
{
    double at[NY], f[NY], sum[NY];
    const double sixth = h * (1.0 / 6), half = 0.5 * h;
    int flags = 0;
    EACH(i, NY) at[i] = r->y[i], sum[i] = 0;
    STAGES(stage) {
        const double ahead = stage == 0 ? 0 : stage == 3 ? h : half;
        const double weight = stage == 0 || stage == 3 ? sixth : 2 * sixth, next = stage < 2 ? half : h;
        flags |= card_slope(r, t + ahead, at, f, NULL, NULL);
        EACH(i, NY) {
            sum[i] += weight * f[i];
            at[i] = r->y[i] + next * f[i];
        }
    }
    EACH(i, NY) r->y[i] += sum[i];
    return flags ? IN_DOUBT : GOES_ON;
}

/* What is measured along a step, and the end onto the constraints. before: its start and the slope there. */
INNER int card_finish_step(card_run *r, double t, double h, const double *before)
{
    int state = GOES_ON;
#if ALONG || (M && PROJECTS)
    double at[NY], end[NY], first[NY], margin;
    EACH(i, NY) at[i] = end[i] = r->y[i];
    state = card_settle(r, t + h, at, r->slope, first, &margin);
    if (state != DONE) return state;
    state = GOES_ON;
#if ALONG
    card_dense dense;
    dense.t = t, dense.h = h, dense.from = before, dense.to = end, dense.slope = before + NY, dense.end = first;
    dense.more = NULL;
    state = card_along(r, &dense);
#endif
    EACH(i, NY) r->y[i] = at[i];
#endif
    (void)r, (void)t, (void)h, (void)before;
    return state;
}

INNER int card_equal_steps(card_run *r, double step, unsigned int most_steps, const int *stop)
{
    const double from = r->t, count = ceil((r->until - from) / step * (1 - 1e-12)), h = (r->until - from) / count;
    if (!(count <= most_steps)) return TOO_MANY;
#if ALONG
    double before[2 * NY];
#else
    double before[1];
#endif
    const unsigned int all = (unsigned int)count;
    for (unsigned int i = 0; i < all; i++) {
#if ALONG
        EACH(j, NY) before[j] = r->y[j], before[NY + j] = r->slope[j];
#endif
        int state = card_equal_step(r, from + i * h, h);
        if (state == GOES_ON) state = card_finish_step(r, from + i * h, h, before);
        if (state) return state;
        if (i % 256 == 255 && *(const volatile int *)stop) return TOO_MANY;
    }
    r->steps = all;
    r->t = r->until;
    double sum = 0;
    EACH(i, NY) sum += r->y[i] * 0;
    return sum == 0 ? DONE : NOT_FINITE;
}

KERNEL card_runs(card_job job)
{
    card_run r;
    for (;;) {
        const unsigned long long run = *(const volatile int *)job.stop ? job.count : TAKE(job.next);
        if (run >= job.count) return;
        int state = card_begin(&r, &job, run);
        const double from = r.t;
#if ALONG || (M && PROJECTS)
        double margin;
        if (state == GOES_ON) state = card_set_out(&r, &job, run, &margin);
#endif
        if (state == GOES_ON) state = card_equal_steps(&r, job.step, job.most_steps, job.stop);
        card_end(&r, &job, run, state, r.until - from);
    }
}
#endif
