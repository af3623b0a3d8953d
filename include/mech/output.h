/* What people and programs read: derived equations and reports as text, LaTeX or JSON. */
#ifndef MECH_OUTPUT_H
#define MECH_OUTPUT_H

#include <mech/assemble.h>
#include <mech/analyze.h>
#include <mech/figure.h>
#include <mech/instant.h>
#include <mech/model.h>
#include <mech/simulate.h>
#include <mech/system.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mech_report_format { MECH_REPORT_TEXT, MECH_REPORT_LATEX, MECH_REPORT_JSON } mech_report_format;

typedef struct mech_equations_options {
    size_t size; /* set by the default function; lets the struct grow                                   */
    mech_report_format format;
    const char *only; /* "M,Q,A,b": these parts only; NULL: all. Parts: M Q A b a r r' C G T V D h power */
    int normalize;    /* divide each row of A q'' = b by its common factor                              */
    int expand;       /* write everything out. 0: where one entry, written out, has more than 500 operations or all
                         together more than 4000, and names for what they share halve that or better, the names
                         come first, in a list called "where"                                             */
} mech_equations_options;

MECH_API void mech_equations_options_default(mech_equations_options *options, size_t size);

/* The derived equations of a finished model. New text in *text, freed with mech_text_free.
   MECH_ERR_ARGUMENT: `only` names a part that does not exist. */
MECH_API MECH_MUST_CHECK mech_status mech_report_equations(const mech_model *model,
                                                           const mech_equations_options *options, char **text);

/* What the user said, item by item, for people who work on a model: new text in *text. */
MECH_API MECH_MUST_CHECK mech_status mech_report_model(const mech_model *model, char **text);

/* The report of `mech check`: coordinates, constraints with their classification, rank and degrees of freedom at
   the consistent start, what is missing. Text or JSON. Where the start or the solve fails (MECH_ERR_CONFLICT, ...) that
   status is returned and the text says why. What is wrong with input tables goes to diagnostics. Compiles
   the model: do not use it in another thread meanwhile. */
MECH_API MECH_MUST_CHECK mech_status mech_report_check(const mech_model *model, mech_report_format format,
                                                       mech_diagnostics *diagnostics, char **text);

/* How a run went. Text: where it came to, how well constraints and energy were kept, and what a reader of the rows has
   to know, in a few lines (mech_sim_audit_text has all of it). JSON: all of it. status: what the run ended with; file:
   where its rows are, or NULL; both for JSON alone. */
MECH_API MECH_MUST_CHECK mech_status mech_report_run(const mech_sim *sim, const mech_system *system, mech_status status,
                                                     const char *file, mech_report_format format, char **text);

/* ---- code ---- */

/* Standalone C99 for the motion of a model: no allocation, no input or output, nothing but <math.h>. Texts are new,
   freed by mech_exported_free. */
typedef struct mech_exported {
    size_t size;                   /* of this struct, as the library has it */
    char *header, *source, *main;  /* NAME.h, NAME.c, NAME_main.c                                             */
    const char *small_h, *small_c; /* fundamental/small.h and .c, the robust solve: as they are. Static       */
    char *own_h, *own_c;           /* those of single precision, which small_h and small_c then are           */
} mech_exported;
/* What is in the way of a name, NULL: nothing. Letters, digits and underscores, a letter first, at most
   MECH_EXPORT_NAME; not a word of C, and not what the C library or the code declares. */
enum { MECH_EXPORT_NAME = 60 };
MECH_API const char *mech_export_name_obstacle(const char *name);
/* Where the example starts; what is NULL starts at 0. */
typedef struct mech_export_start {
    size_t size; /* sizeof(mech_export_start) */
    double t;
    const double *q, *v, *z; /* (n), (n), (states) */
    int is_single;           /* 1: the code is in single precision, float in place of double                  */
    int without_slopes;      /* 1: no derivatives, whatever the system has                                    */
} mech_export_start;
/* Why a system cannot be exported, in words; NULL: nothing is in the way. */
MECH_API const char *mech_export_obstacle(const mech_system *system);
/* name: one without obstacle, else MECH_ERR_ARGUMENT. start: NULL: all 0; without its size MECH_ERR_ARGUMENT. The
   example follows the model's own inputs. Of a system with exact derivatives (mech_system_options) the code has a
   Jacobian too, also by inputs, and by the parameters where the system has those; not where there is control or a law
   that looks at the reactions or is given by z. MECH_ERR_UNSUPPORTED: see mech_export_obstacle; MECH_ERR_LIMIT when the
   code would be too long. Of events the code has triggers and conditions, but not what they do; constraints are put in
   force and out of it by its caller. Gains of excess variables are left out but for those of control. */
MECH_API MECH_MUST_CHECK mech_status mech_export_c(const mech_system *system, const char *name,
                                                   const mech_export_start *start, mech_exported *files);
MECH_API void mech_exported_free(mech_exported *files);

/* ---- tables of numbers ---- */

/* A CSV file that is written as the run goes: rows go to PATH.part, whole rows only, and the file takes its name when
   it is committed. An earlier file of that name is untouched until then; what is not a regular file (a device, a pipe,
   a folder) is refused. 17 significant digits, a point, a header. A process that is killed while it writes may leave a
   last line in PATH.part that begins with '#', with a line end or without, and is no row. mech_table_read leaves it
   out and says so, mech_csv_resume cuts it off. */
typedef struct mech_csv mech_csv;
MECH_API MECH_MUST_CHECK mech_status mech_csv_open(const char *path, const char *const *names, size_t columns,
                                                   mech_csv **csv);
MECH_API MECH_MUST_CHECK mech_status mech_csv_row(mech_csv *csv, const double *row);
/* All on disk and renamed; frees. MECH_ERR_FILE: PATH.part stays. */
MECH_API MECH_MUST_CHECK mech_status mech_csv_commit(mech_csv *csv);
/* Whether any row was given. */
MECH_API int mech_csv_has_rows(const mech_csv *csv);
/* What there is stays in PATH.part (without a row, nothing does); frees. NULL is fine. */
MECH_API void mech_csv_abandon(mech_csv *csv);

/* How far a file was written: its bytes, and their checksum. */
typedef struct mech_csv_mark {
    uint64_t bytes, sum;
} mech_csv_mark;
/* All that was given goes to PATH.part and onto the disk. */
MECH_API MECH_MUST_CHECK mech_status mech_csv_mark_now(mech_csv *csv, mech_csv_mark *mark);
/* Goes on with PATH.part as it was at the mark: what came after is cut off. MECH_ERR_FILE: it cannot be opened.
   MECH_ERR_ARGUMENT: it does not hold what was marked; nothing is changed then. */
MECH_API MECH_MUST_CHECK mech_status mech_csv_resume(const char *path, size_t columns, const mech_csv_mark *mark,
                                                     mech_csv **csv);

/* Bytes (of mech_sim_save, say) to a file, written aside and renamed; an earlier one is untouched until then. */
MECH_API MECH_MUST_CHECK mech_status mech_checkpoint_write(const char *path, const char *bytes, size_t size);
/* A whole file into new bytes, freed with mech_text_free. MECH_ERR_FILE, MECH_ERR_MEMORY. */
MECH_API MECH_MUST_CHECK mech_status mech_checkpoint_read(const char *path, char **bytes, size_t *size);

/* Results of many runs (<mech/ensemble.h>): a CSV file with one line a run, the named numbers, then `status` and
   `reason`. Lines go to PATH.part as they come, and the file takes its name when it is committed. A PATH that ends in
   .h5 or .hdf5 becomes an HDF5 file then, made from those lines: one data set a column, `status` and `reason` as texts,
   units as attributes `unit`, and an attribute `not_unique` of 1 where values are one choice of many. Beside a CSV file
   both stand in PATH-metadata.json, as mech_about_write has them. */
typedef struct mech_runs mech_runs;
MECH_API int mech_runs_is_hdf5(const char *path);
/* MECH_ERR_FILE: it cannot be written, or somebody writes it; MECH_ERR_MODEL: two columns have one name, `status` and
   `reason` among them. Of HDF5: MECH_ERR_UNSUPPORTED: its library is not there. */
MECH_API MECH_MUST_CHECK mech_status mech_runs_open(const char *path, const char *const *names, size_t columns,
                                                    mech_runs **runs);
/* Goes on with PATH.part: *rows are whole, `last` (columns) are the numbers of the last one; what a kill left of
   another is cut off. MECH_ERR_FILE: there is none, or somebody writes it; MECH_ERR_ARGUMENT: it has other columns,
   or is no such file. */
MECH_API MECH_MUST_CHECK mech_status mech_runs_resume(const char *path, const char *const *names, size_t columns,
                                                      size_t *rows, double *last, mech_runs **runs);
/* A mark of what makes the rows, such as a digest of the model and its settings, of the caller's choice. Of a file
   without rows it is kept beside them, in PATH-metadata.json. Of one that is taken up it is compared with what stands
   there. MECH_ERR_ARGUMENT: that is another one, or none; MECH_ERR_FILE, MECH_ERR_MEMORY. */
MECH_API MECH_MUST_CHECK mech_status mech_runs_made_by(mech_runs *runs, const char *mark);
/* The unit of a column (copied; NULL: none), for files that have room for it. */
MECH_API MECH_MUST_CHECK mech_status mech_runs_unit(mech_runs *runs, size_t column, const char *unit);
/* Values of this column are not unique, but one choice of many, in one run at least (mech_ensemble_result). Said before
   the row of such a run is added, it is known after mech_runs_resume too. MECH_ERR_FILE, MECH_ERR_MEMORY. */
MECH_API MECH_MUST_CHECK mech_status mech_runs_mark(mech_runs *runs, size_t column);
MECH_API int mech_runs_is_marked(const mech_runs *runs, size_t column);
MECH_API MECH_MUST_CHECK mech_status mech_runs_row(mech_runs *runs, const double *numbers, const char *status,
                                                   const char *reason);
/* All on disk and renamed; frees. MECH_ERR_FILE: PATH.part stays. HDF5's library is no thread's alone: no other thread
   may call it meanwhile. */
MECH_API MECH_MUST_CHECK mech_status mech_runs_commit(mech_runs *runs);
/* What there is stays in PATH.part (without a row, nothing does); frees. NULL is fine. */
MECH_API void mech_runs_abandon(mech_runs *runs);

/* What happened at a time of a table. */
typedef struct mech_table_event {
    char *name;
    double t;
} mech_table_event;
/* A table in memory, rows one after the other. */
typedef struct mech_table {
    size_t size; /* sizeof(mech_table)                                                                      */
    size_t rows, columns;
    char **names;
    double *data;    /* rows x columns, by row                                                                  */
    size_t cut_line; /* 0, or the number of a last line that is not among the rows, since it begins with '#' or has
                        no line end: a run that was killed may leave one                                       */
    char **units;    /* (columns) NULL entries allowed; or NULL. Where the file beside it says so       */
    mech_table_event *events; /* (event_count) the same                                                        */
    size_t event_count;
    unsigned char *is_choice; /* (columns) 1: its values are not unique, but one choice of many; or NULL       */
} mech_table;
/* Beside the CSV file of a run: PATH-metadata.json with the units of the columns, which are not unique
   (mech_trajectory_is_choice) and the events, in the form of the W3C's "Metadata Vocabulary for Tabular Data". */
MECH_API MECH_MUST_CHECK mech_status mech_about_write(const char *path, const mech_sim *sim);
/* Reads a CSV file with a header, as mech_csv writes them, and what stands beside it. *why (may be NULL) receives new
   text that says what is wrong and where, freed with mech_text_free. */
MECH_API MECH_MUST_CHECK mech_status mech_table_read(const char *path, mech_table *table, char **why);
/* The rows of a run. */
MECH_API MECH_MUST_CHECK mech_status mech_table_from_run(const mech_trajectory *trajectory, mech_table *table);
MECH_API void mech_table_free(mech_table *table);

/* A MATLAB 5 file: one column vector for each name, and all of it as `data`. The cell array `names` has the names of
   the columns as they are, `variables` those of the vectors, in the same order: valid in MATLAB and Octave and all
   different (x' becomes x_dot, x[1] x_1, end end_; above 63 characters they are cut, and what is taken gets the
   column's number, x_dot_c5), `units` their units and `not_unique` 1 where values are one choice of many, as far as the
   table has them. Written aside and renamed. MECH_ERR_ARGUMENT: a table without its size. MECH_ERR_LIMIT:
   more than the 2 GiB that the format has room for in a variable. */
MECH_API MECH_MUST_CHECK mech_status mech_mat_write(const char *path, const mech_table *table);

/* ---- figures ---- */

typedef struct mech_figure {
    size_t size; /* sizeof(mech_figure)                                                     */
    const mech_table *table;
    size_t x;        /* column on the horizontal axis                                           */
    const size_t *y; /* columns drawn                                                           */
    size_t y_count;
    const char *const *units;      /* for each column of the table, NULL entries allowed; or NULL             */
    const char *title;             /* or NULL                                                                 */
    const double *marks;           /* places on the horizontal axis to mark with a thin line                  */
    const char *const *mark_names; /* or NULL                                                              */
    size_t mark_count;
    int equal_axes;              /* one unit is as long on both axes, for paths in a plane                  */
    const size_t *panels;        /* which panel each drawn column stands in, from 0; NULL: by units         */
    const unsigned char *dashed; /* 1: dashed, for each drawn column; NULL: none                            */
} mech_figure;
/* Draws to PATH by its ending: .svg; .pdf or .png by the program rsvg-convert, MECH_ERR_UNSUPPORTED without it. Columns
   with the same unit share a panel, at most eight of them. Written aside and renamed. */
MECH_API MECH_MUST_CHECK mech_status mech_figure_write(const mech_figure *figure, const char *path);

/* The amplitudes of a signal over frequencies (in cycles by unit of t): t (count) does not decrease, y stands `stride`
   apart. The signal is brought onto an even grid, its mean taken off, and weighed by Hann's window. New arrays of
   *bins numbers, freed with mech_text_free. MECH_ERR_ARGUMENT: fewer than 8 points, or one that is not finite. */
MECH_API MECH_MUST_CHECK mech_status mech_spectrum(const double *t, const double *y, size_t stride, size_t count,
                                                   double **frequency, double **amplitude, size_t *bins);

/* Curves that know their units. */
typedef struct mech_series {
    mech_curve curve;
    const char *unit, *x_label; /* or NULL                                                                     */
    size_t panel;               /* from 1: which one; 0: by unit and x_label, at most eight in one             */
} mech_series;
typedef struct mech_plot {
    size_t size; /* sizeof(mech_plot)                                                                          */
    const mech_series *series;
    size_t count;
    const char *title, *note;
    const double *marks; /* and the rest as in mech_panel, for all panels                                      */
    const char *const *mark_names;
    size_t mark_count;
    int log_x, log_y, equal_axes, is_time;
} mech_plot;
/* They are arranged in panels; freed by mech_plot_sheet_free. What the plot points to must outlive the sheet. */
MECH_API MECH_MUST_CHECK mech_status mech_plot_sheet(const mech_plot *plot, mech_sheet **sheet);
MECH_API void mech_plot_sheet_free(mech_sheet *sheet);

/* A run over time, its events marked. show: names of columns with commas between, a vector's for all of its entries;
   NULL: coordinates, states, inputs where the rows have them, outputs and forces of control, all of them. The system is
   that of the run. *why (may be NULL): new text about a name that there is none of, with MECH_ERR_ARGUMENT. */
MECH_API MECH_MUST_CHECK mech_status mech_run_sheet(const mech_sim *sim, const mech_system *system, const char *title,
                                                    const char *show, mech_sheet **sheet, char **why);
MECH_API void mech_run_sheet_free(mech_sheet *sheet);
MECH_API MECH_MUST_CHECK mech_status mech_run_write(const mech_sim *sim, const mech_system *system, const char *title,
                                                    const char *path);

/* What moving the start onto the constraints changed. */
typedef struct mech_report_move {
    const char *name; /* "x", "x'" */
    double from, to;
} mech_report_move;

typedef struct mech_instant_report {
    size_t size;               /* set by the default function; lets the struct grow                                 */
    mech_report_format format; /* text or JSON                                                    */
    const char *title;         /* of the page, NULL: none                                         */
    const char *start;         /* where the state comes from, in a few words; NULL: nothing said  */
    const mech_report_move *moves; /* (move_count)                                                    */
    size_t move_count;
    const char *failure;              /* of the last solve, in words; NULL: none                         */
    const unsigned char *contradicts; /* (rows) a mech_contradiction for each; NULL: none is known        */
} mech_instant_report;
MECH_API void mech_instant_report_default(mech_instant_report *options, size_t size);

/* The instant solved last (or one that ended in MECH_ERR_CONFLICT): every force and why, for people on one
   screen or for programs, where the letters of the equation stand under the key "equation". options may be
   NULL. New text in *text. */
MECH_API MECH_MUST_CHECK mech_status mech_report_instant(const mech_instant *instant,
                                                         const mech_instant_report *options, char **text);

/* ---- stability ---- */

/* The reports of `mech equilibrium`, `mech linearize`, `mech stability` and `mech gains`: new text in *text, freed with
   mech_text_free. title is the first line; linear, routh and symbolic may be NULL where the report can do without. */
MECH_API MECH_MUST_CHECK mech_status mech_report_equilibrium(const mech_system *system,
                                                             const mech_equilibrium_result *found,
                                                             const mech_linear_result *linear, const char *title,
                                                             mech_report_format format, char **text);
MECH_API MECH_MUST_CHECK mech_status mech_report_linear(const mech_system *system, const mech_linear_result *linear,
                                                        const char *title, mech_report_format format, char **text);
/* routh: of `symbolic` at the present values, compared with the modes, and shown unless symbols were asked for; either
   may be NULL. */
MECH_API MECH_MUST_CHECK mech_status mech_report_stability(const mech_system *system, const mech_linear_result *linear,
                                                           const mech_routh *routh,
                                                           const mech_symbolic_result *symbolic, const char *title,
                                                           mech_report_format format, char **text);
MECH_API MECH_MUST_CHECK mech_status mech_report_gains(const mech_system *system, const mech_gains_result *gains,
                                                       const char *title, mech_report_format format, char **text);

/* A MATLAB 5 file with A, B, C, D for ss(A, B, C, D), the same on the constraints (Ar, Br, Cr, basis), the names of
   states, inputs and outputs, and the point; `not_unique` is 1 where an output is one choice of many. */
MECH_API MECH_MUST_CHECK mech_status mech_linear_write(const char *path, const mech_system *system,
                                                       const mech_linear_result *linear);

/* The numbers of a map or of a root locus as JSON, in *text (mech_text_free). path: the chart's file, or NULL. */
MECH_API MECH_MUST_CHECK mech_status mech_report_map(const mech_map_result *map, const char *title, const char *path,
                                                     char **text);
MECH_API MECH_MUST_CHECK mech_status mech_report_sweep(const mech_sweep_result *sweep, const char *title,
                                                       const char *path, char **text);
/* A map of regions with the boundaries of Routh's criterion, or a root locus, as .svg, .pdf or .png. */
MECH_API MECH_MUST_CHECK mech_status mech_map_write(const mech_map_result *map, const char *title, const char *path);
MECH_API MECH_MUST_CHECK mech_status mech_sweep_write(const mech_sweep_result *sweep, const char *title,
                                                      const char *path);
/* Branches of equilibria: as text or JSON, new in *text (mech_text_free), path: the figure's file, or NULL; as .svg,
   .pdf or .png, each coordinate over the parameter, what is stable solid and what is not dashed, six coordinates at
   most. */
MECH_API MECH_MUST_CHECK mech_status mech_report_branches(const mech_branches_result *branches,
                                                          const mech_system *system, const char *title,
                                                          const char *path, mech_report_format format, char **text);
MECH_API MECH_MUST_CHECK mech_status mech_branches_write(const mech_branches_result *branches,
                                                         const mech_system *system, const char *title,
                                                         const char *path);
/* The motion from a start (2n + states) at t, moved onto the constraints, for `until` units of time, and the answer of
   the linear system to the same start, dashed. *why (may be NULL) receives new text, freed with mech_text_free, where
   the run failed. */
MECH_API MECH_MUST_CHECK mech_status mech_response_write(const mech_system *system, const mech_linear_result *linear,
                                                         double t, const double *start, double until, const char *title,
                                                         const char *path, char **why);

#ifdef __cplusplus
}
#endif
#endif
