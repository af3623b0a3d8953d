/* Runs on a card: the text for it, the card, and the runs. docs/decisions/0034-cuda.md. */
#ifndef ENSEMBLE_CARD_H
#define ENSEMBLE_CARD_H

#include "base/text.h"
#include "ensemble/plan.h"

/* ---- card_source.c ---- */

enum { CARD_MOST_STATEMENTS = 8000, CARD_LONG = 300, CARD_SHORT = 100, CARD_THREADS = 128, CARD_REASON = 300 };

typedef struct card_source {
    const mech_system *system;
    const unsigned char *monitored; /* (rows) of the model's own start                           */
    int projects;                   /* 1: the ends of steps are brought back onto the constraints */
    int is_fixed;                   /* 1: equal steps of order 4                                  */
    /* made */
    textbuf text;
    size_t statements;
} card_source;

/* Why runs of a system are not for a card, in words ("there is friction"), into `why`; 1: they are. */
int card_serves(const mech_system *system, const mech_sim_settings *settings, char why[CARD_REASON]);
/* The text, freed with text_free. MECH_ERR_LIMIT: it would be too long to compile. */
MECH_MUST_CHECK mech_status card_source_make(card_source *source);

/* What became of a run, as frame.cu has it. */
typedef enum card_state {
    CARD_GOES_ON,
    CARD_DONE,
    CARD_IN_DOUBT,
    CARD_TOO_SMALL,
    CARD_TOO_MANY,
    CARD_NOT_FINITE,
    CARD_OFF_ROWS,
    CARD_UNRESOLVED,
    CARD_MOVED
} card_state;
/* Rows of `start` before parameters and state. */
enum { CARD_FROM, CARD_UNTIL, CARD_RTOL, CARD_ATOL, CARD_MAX_STEP, CARD_FIRST_STEP, CARD_AS_WRITTEN, CARD_SETTINGS };

/* Of frame.cu; pointers are the card's. */
typedef struct card_job {
    unsigned long long count;
    const double *start;
    double *measures, *ended;
    int *states;
    unsigned int *steps;
    unsigned long long *next;
    const int *stop;
    double step;
    unsigned int most_steps;
} card_job;

/* ---- a card, or what stands for one in tests ---- */

typedef struct card_shape { /* of the arrays of a job */
    size_t runs;            /* at most                */
    size_t rows, measures;  /* rows of start, of measures */
} card_shape;

/* Numbers of a block, on the host. */
typedef struct card_block {
    size_t count;
    const double *start; /* (rows x count)     */
    double *measures;    /* (measures x count) */
    double *ended;       /* (count)            */
    int *states;         /* (count)            */
    unsigned int *steps; /* (count)            */
    double step;
    unsigned int most_steps;
} card_block;

/* Each function says what went wrong in `why`, and returns MECH_ERR_UNSUPPORTED then, or MECH_ERR_MEMORY. A program is
   shared by threads; a line is one thread's. */
typedef struct card_kind {
    mech_status (*load)(const char *text, size_t length, void **program, char why[CARD_REASON]);
    void (*unload)(void *program);
    const char *(*name)(const void *program);
    mech_status (*open)(void *program, const card_shape *shape, void **line, char why[CARD_REASON]);
    void (*close)(void *line);
    /* A block is sent and begun; then asked after until it is done, or has been stopped; then brought back. */
    mech_status (*send)(void *line, const card_block *block, char why[CARD_REASON]);
    mech_status (*ask)(void *line, int stops, int *is_done, char why[CARD_REASON]);
    mech_status (*fetch)(void *line, const card_block *block, char why[CARD_REASON]);
} card_kind;

/* ---- card_cuda.c, card_absent.c ---- */

extern const card_kind card_cuda;
/* Text to code by NVRTC, freed with mem_free: for "sm_90" what that card runs, for "compute_90" PTX. */
MECH_MUST_CHECK mech_status card_compile(const char *text, const char *architecture, char **code,
                                         char why[CARD_REASON]);

/* ---- card.c ---- */

struct ensemble_job;
/* The backend's begin, on another kind of card. */
MECH_MUST_CHECK mech_status card_begin(const card_kind *kind, const struct ensemble_job *job, void **shared,
                                       char why[CARD_REASON]);

extern const char card_text_frame[], card_text_chebyshev_h[], card_text_chebyshev_c[];

#endif
