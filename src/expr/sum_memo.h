/* What sums of terms were shortened to. */
#ifndef EXPR_SUM_MEMO_H
#define EXPR_SUM_MEMO_H

#include "expr/intern.h"

typedef struct expr_sum_memo expr_sum_memo;

typedef struct sum_memo_key { /* where a sum is kept whose result is not known yet */
    uint32_t hash, first, count, age;
} sum_memo_key;

/* What c0 + terms, sorted and without like terms, was shortened to; 0: not known. */
uint32_t sum_memo_find(const expr_sum_memo *memo, uint32_t c0, const expr_pairs *terms);
/* Keeps a sum, made when the first is kept; 0: out of memory. */
int sum_memo_keep(expr_sum_memo **memo, uint32_t c0, const expr_pairs *terms, sum_memo_key *key);
void sum_memo_give(expr_sum_memo *memo, const sum_memo_key *key, uint32_t result);
void sum_memo_free(expr_sum_memo *memo);

#endif
