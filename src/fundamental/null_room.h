/* Between the parts of the null-space plan: which coordinates are dependent (partition.c, pivots.c), how
   their columns fall into blocks (blocks.c), and the operations (null_plan.c). Only these include this. */
#ifndef FUNDAMENTAL_NULL_ROOM_H
#define FUNDAMENTAL_NULL_ROOM_H

#include "fundamental/plan.h"

typedef struct null_split {      /* a choice of dependent columns and its blocks */
    unsigned char *is_dependent; /* (n)                                                               */
    uint32_t *row, *column;      /* (rows) by blocks, and within a block in the order of its pivots    */
    uint32_t *start;             /* (blocks + 1)                                                      */
    size_t blocks;
    double margin;  /* least |pivot| or determinant at any point, beside its rows; -1: none */
    int has_turned; /* one changes its sign along the walk */
    size_t cost;    /* of the plan */
} null_split;

typedef struct null_room {
    const plan_spec *spec;
    const plan_samples *samples;
    size_t n, rows;                    /* rows that are not watched                                             */
    uint32_t *row_of;                  /* (rows) their numbers in the spec                                      */
    uint32_t *entry;                   /* (rows x n) number of an entry of A, PLAN_NONE: 0; by row              */
    unsigned char *same;               /* (rows x n) the entry has one value at all points                      */
    int *weight;                       /* (n) columns count 2^weight in guards                                  */
    double *value;                     /* (count x rows x n) weighted, rows of 1-norm 1                         */
    double *scratch;                   /* the same                                                              */
    unsigned char *changed;            /* (rows x n) scratch                                                 */
    unsigned char *row_on, *column_on; /* (rows), (n) scratch                                     */
    uint32_t *match, *number;          /* (n), (rows) scratch                                     */
    unsigned char *there;              /* (rows x n) entries that are not 0 at some point         */
    size_t *across, *down;             /* (rows), (n) how many                                    */
    double *most;                      /* (count x rows) the largest of a row at a point          */
} null_room;

/* ---- pivots.c ---- */

/* Pivots of the rows and columns that are on, by threshold Markowitz at all points: order of rows and
   columns; returns the least pivot beside its row at any point, -1 when there is none; *has_turned is set
   when one changes its sign along the walk. */
double null_eliminate(null_room *k, size_t count, uint32_t *row, uint32_t *column, int *has_turned);
/* Least |determinant| of two rows and columns, the same way. */
double null_determinant(const null_room *k, const uint32_t row[2], const uint32_t column[2], int *has_turned);

/* ---- blocks.c ---- */

/* Block triangular form of the dependent columns; 0 when they are singular in structure. */
int null_make_blocks(null_room *k, null_split *split);

/* ---- null_plan.c ---- */

/* The operations for a split. */
MECH_MUST_CHECK mech_status null_write(const null_room *k, const null_split *split, plan **result);

#endif
