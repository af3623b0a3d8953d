/* The elimination plan: how M q'' = Q + A' lambda, A q'' = b is solved for one pattern of M and A, as a list
   of elementary operations over slots. Made once from the pattern; run on doubles by plan_run, or unrolled
   into C by compile's emitter. Numbers only.

   All of M is eliminated first, connected component by component, then the Schur complement S = A M^-1 A' in
   an order of least degree. Variables with the same neighbours are taken two at a time by Cramer's rule. M is
   positive definite, so S is semi-definite and a pivot fails only where rows depend on one another: see
   docs/decisions/0008. */
#ifndef FUNDAMENTAL_PLAN_H
#define FUNDAMENTAL_PLAN_H

#include <mech/base.h>

/* What an operation computes; a, b, c, d, e are slots. */
typedef enum plan_code {
    PLAN_MUL,     /* out = a*b                                                            */
    PLAN_NEGMUL,  /* out = -(a*b)                                                         */
    PLAN_MULADD,  /* out = c + a*b                                                        */
    PLAN_MULSUB,  /* out = c - a*b                                                        */
    PLAN_SIZE,    /* out = c + |a*b|; c may be PLAN_NONE                                  */
    PLAN_INVERT,  /* out = 1/a                                      guard a against b     */
    PLAN_INVERT2, /* out, out+1, out+2 = inverse of [a b; b c]      guard against d, e    */
    PLAN_PIVOT,   /* INVERT that gives 0 for a row that depends on those before it        */
    PLAN_PIVOT2,  /* INVERT2 likewise                                                     */
    PLAN_MONITOR, /* nothing; doubt when |a| is not small beside b                        */
    PLAN_NEG,     /* out = -a                                                             */
    PLAN_NORM,    /* out = c + |a|*2^(d - PLAN_BIAS); c may be PLAN_NONE                  */
    PLAN_SOLVE,   /* out = 1/a                                      |a| guarded against b */
    PLAN_SOLVE2,  /* out .. out+3 = inverse of [a b; c d], by rows; |det| guarded against e */
    PLAN_ADD,     /* out = a + b                                                          */
    PLAN_ROOM,    /* out = |a|*2^(d - PLAN_BIAS) + PLAN_TINY                              */
    PLAN_CLEAR,   /* nothing; weak unless a is clear beside b                             */
    PLAN_BOUND,   /* nothing; weak unless 1 is clear beside a                             */
    PLAN_FRONT,   /* out ..: front a, eliminated: what is left of its rows, by columns as the entries */
    PLAN_BACK     /* out ..: the solution of front a, in its order                        */
} plan_code;

typedef struct plan_op {
    uint32_t code, out, a, b, c, d, e;
} plan_op;

#define PLAN_NONE UINT32_MAX

/* Coordinates that M joins all to one another, and the rows of A that touch them: regular enough for loops, so that it
   is one operation however large it is. Only generated code knows these (compile/graph.h). */
typedef struct plan_front {
    uint32_t size, rows;
    uint32_t
        *entries; /* by columns of the lower triangle, coordinates first, each ended by its right side; PLAN_NONE: 0 */
    uint32_t *whole;  /* (size) what the guard of each pivot looks at */
    uint32_t *lambda; /* (rows) when they are known                   */
} plan_front;

/* Operations that belong together, from one cut to the next: what eliminates one pivot of S, or finds its
   multipliers. Alike pivots have alike operations in the same order, which generated loops are made of. */
enum { PLAN_PLAIN, PLAN_FORWARD, PLAN_BACKWARD };
typedef struct plan_cut {
    size_t op;
    uint32_t kind, row[2]; /* row: of a pivot; PLAN_NONE when there is no second */
} plan_cut;

/* Guards. What is left of a squared row, as a part of the whole: below DROP it is taken as dependent, below
   DOUBT the robust path should decide, below WEAK the digits lost should be won back. */
#define PLAN_DROP 1e-13
#define PLAN_DOUBT 1e-8
#define PLAN_WEAK 1e-4
#define PLAN_DEPENDENT 1e-10 /* at the start: below, a row is taken out for good */
#define PLAN_MASS 1e-10      /* the same for M: below, it is only semi-definite        */
#define PLAN_MISSED 1e-6     /* a monitored row is missed by more than this part of it */
/* The same in single precision, whose rounding is 1e-7. */
#define PLAN_SINGLE_DROP 1e-5
#define PLAN_SINGLE_DOUBT 1e-3
#define PLAN_SINGLE_WEAK 1e-2
#define PLAN_SINGLE_MASS 1e-4
#define PLAN_SINGLE_MISSED 1e-3
#define PLAN_SINGLE_PART 1e-2
#define PLAN_PART 1e-3 /* clear beside the whole: a determinant of the null-space plan, a sum of either */
#define PLAN_BIAS 1024
#define PLAN_TINY 1e-300 /* so that 0 is clear beside 0 */

/* WEAK: digits are lost, to the coordinates chosen as dependent or to the square of A; says nothing about the
   rank. */
enum { PLAN_FLAG_DOUBT = 1, PLAN_FLAG_DROPPED = 2, PLAN_FLAG_WEAK = 4 };

typedef struct plan_entries { /* a sparse pattern */
    size_t count;
    const uint32_t *row, *column;
} plan_entries;

typedef struct plan_spec {
    size_t n, m;
    plan_entries M; /* lower triangle */
    plan_entries A;
    plan_entries wholes;            /* by row: sizes of what entries of A are differences of; the row is judged beside
                            them, where it may be 0 but for rounding. They are inputs too */
    const unsigned char *monitored; /* (m) 1: known to depend on others, kept out and watched; NULL: none */
    size_t most_ops;                /* MECH_ERR_LIMIT above                                               */
    size_t front;                   /* from how many coordinates on a front is eliminated at once; 0: never */
    int pivots_only; /* 1: neither multipliers as a whole nor mobilities are guarded, the caller does more */
} plan_spec;

typedef struct plan {
    size_t n, m;
    /* inputs: values of M and A by pattern, Q (n), b (m), wholes; then one slot for each result */
    uint32_t A_first, Q_first, b_first, whole_first, input_count, slot_count;
    plan_op *ops;
    size_t op_count;
    plan_cut *cuts;
    size_t cut_count;
    plan_front *fronts;
    size_t front_count;
    uint32_t *qdd;       /* (n) slots                                 */
    uint32_t *lambda;    /* (m) slots; PLAN_NONE: 0                   */
    uint32_t *diagonal;  /* (m) slots of A M^-1 A' before rows are eliminated, which their guards look at;
                            PLAN_NONE: watched */
    uint32_t *reaction;  /* (n) slots of M q'' - Q, PLAN_NONE: 0; NULL where the plan has no need of them */
    size_t blocks, fill; /* pivots; entries that the pattern did not have    */
    size_t watched;      /* rows that are monitored, or have no entries      */
    size_t mobility;     /* cost of looking at what rows hold that hardly has mass */
    int has_turned;      /* a determinant of the partition changed its sign along the points */
} plan;

/* MECH_ERR_MEMORY, MECH_ERR_LIMIT, MECH_ERR_SINGULAR_MASS when a diagonal entry of M is not in the pattern.
 */
MECH_MUST_CHECK mech_status plan_create(const plan_spec *spec, plan **result);
void plan_free(plan *p);

/* Values of the entries of A at points where the null-space plan should serve. The first `walk` of them
   follow one another closely along the constraints. */
typedef struct plan_samples {
    size_t count, walk;
    const double *A; /* (count x entries of A) */
} plan_samples;

/* The null-space plan, docs/decisions/0009. MECH_ERR_UNSUPPORTED when no choice of dependent coordinates
   serves at all points, or there is nothing to gain. */
MECH_MUST_CHECK mech_status plan_create_null(const plan_spec *spec, const plan_samples *samples, plan **result);
/* What a plan costs, in multiplications; known before it is run. */
size_t plan_cost(const plan *p);
/* Multiplications of a front. */
size_t plan_front_cost(const plan_front *f);
/* How many entries it has. */
size_t plan_front_entries(const plan_front *f);
/* The null-space plan is the cheaper one; clearly, where its partition becomes singular on the way. */
int plan_null_pays(const plan *null, const plan *schur);

/* slots: slot_count doubles with the inputs in place; a plan without fronts. Returns PLAN_FLAG_... */
unsigned plan_run(const plan *p, double *slots);

/* Sets dependent[i] (m, others are left as they are) for rows that depend on others at this point. slots as
   above. */
void plan_find_dependent(const plan *p, double *slots, unsigned char *dependent);

/* ---- order.c ---- */

typedef struct plan_graph { /* symmetric, without the diagonal; neighbours of i: list[start[i] .. start[i+1])
                             */
    size_t count;
    const size_t *start;
    const uint32_t *list;
} plan_graph;

/* An order of least degree on groups of vertices with equal closed neighbourhoods. order (count): vertices;
   pair (count): 1 where a vertex is eliminated together with the one that follows. */
MECH_MUST_CHECK mech_status plan_order(const plan_graph *graph, uint32_t *order, unsigned char *pair);

#endif
