/* Polynomials with known roots, thousands of them: the exact count is never wrong, the floating one is right
   or undecided. Roots in clusters, on the axis, at zero, in real pairs and quadruples; degree up to 20. */
#include "check.h"
#include "support/random_numbers.h"

#include <mech/analyze.h>

#include <stdlib.h>

__extension__ typedef __int128 wide;

enum { CASES = 6000, MOST = 20 };

static int below(int n) { return (int)random_below((uint32_t)n); }

typedef struct polynomial {
    wide c[MOST + 1]; /* c[k] belongs to s^k */
    int degree, right, left, axis, zero, repeated;
    int axis_count[8]; /* of +-i w, w = 0..7, with the power of each */
} polynomial;

/* times s^2 - t s + d, or s - t when d < 0 */
static void times(polynomial *p, int t, int d)
{
    const int by = d < 0 ? 1 : 2;
    wide result[MOST + 3] = {0};
    for (int k = 0; k <= p->degree; k++) {
        result[k + by] += p->c[k];
        result[k + by - 1] -= t * p->c[k];
        if (by == 2) result[k] += d * p->c[k];
    }
    p->degree += by;
    for (int k = 0; k <= p->degree; k++) p->c[k] = result[k];
}

static void add_real(polynomial *p, int a)
{
    times(p, a, -1);
    if (a > 0) p->right++;
    else if (a < 0) p->left++;
    else {
        p->axis++;
        p->zero++;
        p->axis_count[0]++;
    }
}

static void add_pair(polynomial *p, int a, int b)
{
    times(p, 2 * a, a * a + b * b);
    if (a > 0) p->right += 2;
    else if (a < 0) p->left += 2;
    else {
        p->axis += 2;
        p->axis_count[b]++;
    }
}

/* One case: a mixture drawn so that every special case is common. */
static void draw(polynomial *p)
{
    memset(p, 0, sizeof *p);
    p->c[0] = below(2) ? 1 : -1 - below(3);
    const int degree = 1 + below(MOST), centre = below(7) - 3, mixture = below(6);
    while (p->degree < degree) {
        const int room = degree - p->degree;
        int kind = below(8);
        if (mixture == 0) kind = 7;             /* to the left only          */
        if (mixture == 1 && kind < 4) kind = 3; /* much on the axis          */
        if (mixture == 2 && kind < 5) kind = 5; /* clusters                  */
        if (kind == 0 || room == 1) add_real(p, mixture == 0 ? -1 - below(5) : below(9) - 4);
        else if (kind == 1) add_pair(p, below(9) - 4, 1 + below(5));
        else if (kind == 2) add_real(p, 0);
        else if (kind == 3) add_pair(p, 0, 1 + below(4));
        else if (kind == 4) { /* real pair: symmetric, no axis */ const int a = 1 + below(4);
            add_real(p, a);
            add_real(p, -a);
        } else if (kind == 5) add_real(p, centre);
        else if (kind == 6 && room >= 4) {
            const int a = 1 + below(3), b = 1 + below(3);
            add_pair(p, a, b);
            add_pair(p, -a, b);
        } else if (room >= 2) add_pair(p, -1 - below(4), 1 + below(4));
    }
    for (int k = 0; k < 8; k++)
        if (p->axis_count[k] > p->repeated) p->repeated = p->axis_count[k];
}

static void print(wide value, char *text)
{
    char digits[48];
    int count = 0;
    const int negative = value < 0;
    do {
        const int digit = (int)(value % 10);
        digits[count++] = (char)('0' + (digit < 0 ? -digit : digit));
        value /= 10;
    } while (value);
    if (negative) *text++ = '-';
    while (count) *text++ = digits[--count];
    *text = '\0';
}

static int exact_is_right(const polynomial *p, int *array_agrees)
{
    char text[MOST + 1][48];
    const char *list[MOST + 1];
    for (int k = 0; k <= p->degree; k++) {
        print(p->c[p->degree - k], text[k]);
        list[k] = text[k];
    }
    mech_routh *routh;
    CHECK(mech_routh_exact_text(list, p->degree, &routh) == MECH_OK);
    const mech_routh_result *r = mech_routh_get(routh);
    const mech_verdict want = p->right          ? MECH_VERDICT_UNSTABLE
                              : p->axis == 0    ? MECH_VERDICT_STABLE
                              : p->repeated > 1 ? MECH_VERDICT_REPEATED
                                                : MECH_VERDICT_MARGINAL;
    const int right = r->right == p->right && r->left == p->left && r->axis == p->axis && r->zero == p->zero &&
                      r->repeated == p->repeated && r->verdict == want && r->is_exact;
    *array_agrees = r->sign_changes == p->right;
    mech_routh_free(routh);
    return right;
}

/* 1: right, 0: undecided, -1: wrong */
static int floating(const polynomial *p)
{
    double c[MOST + 1];
    for (int k = 0; k <= p->degree; k++) c[k] = (double)p->c[p->degree - k];
    mech_routh *routh;
    CHECK(mech_routh_floating(c, NULL, p->degree, &routh) == MECH_OK);
    const mech_routh_result *r = mech_routh_get(routh);
    const int answer = r->right < 0 ? 0 : r->right == p->right && r->axis == p->axis ? 1 : -1;
    CHECK((r->right < 0) == (r->verdict == MECH_VERDICT_UNDECIDED));
    mech_routh_free(routh);
    return answer;
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 20260715;
    int decided = 0, off_axis = 0, array_off = 0;
    random_state = seed;
    printf("seed %llu, %d polynomials\n", (unsigned long long)seed, CASES);
    for (int i = 0; i < CASES; i++) {
        polynomial p;
        int agrees;
        draw(&p);
        CHECK(exact_is_right(&p, &agrees));
        array_off += !agrees;
        const int answer = floating(&p);
        CHECK(answer >= 0);
        if (p.axis) CHECK(answer == 0); /* on the axis nothing but undecided is honest */
        off_axis += p.axis == 0;
        decided += answer == 1;
    }
    printf("exact: %d right; sign changes of the printed array differ in %d\n", CASES, array_off);
    printf("floating: decided %d of %d that have no root on the axis, none wrong\n", decided, off_axis);
    CHECK(array_off == 0);
    CHECK(2 * decided > off_axis);
    return check_report();
}
