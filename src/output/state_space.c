/* A linear system as a MATLAB 5 file: s = load("sys.mat"); sys = ss(s.A, s.B, s.C, s.D). */
#include "output/modes.h"

#include "base/mem.h"
#include "output/mat_file.h"

/* which: 0 states, 1 inputs, 2 outputs. A new text, NULL when out of memory. */
static char *name_of(const mech_system *system, const mech_linear_result *l, int which, size_t k)
{
    textbuf text = {0};
    if (which == 0) modes_state_name(system, (size_t)l->n, k, &text);
    else text_add(&text, mech_system_name(system, which == 1 ? MECH_ITEM_INPUT : MECH_ITEM_OUTPUT, k));
    return text_take(&text);
}

static void write_names(mat_file *f, const char *name, const mech_system *system, const mech_linear_result *l,
                        int which)
{
    const size_t count = (size_t)(which == 0 ? l->order : which == 1 ? l->inputs : l->outputs);
    char **texts = mem_zeroed(count + 1, sizeof *texts);
    size_t done = 0;
    while (texts && done < count && (texts[done] = name_of(system, l, which, done))) done++;
    if (texts && done == count) mat_file_texts(f, name, texts, count);
    else f->status = MECH_ERR_MEMORY;
    while (done > 0) mem_free(texts[--done]);
    mem_free(texts);
}

/* 1 for each input whose rates act. */
static void write_rates(mat_file *f, const mech_linear_result *l)
{
    const size_t count = (size_t)l->inputs;
    double *rates = mem_zeroed(count + 1, sizeof *rates);
    for (size_t k = 0; rates && k < count; k++) rates[k] = l->input_rates[k];
    if (rates) mat_file_matrix(f, "rates_of_inputs", rates, count, 1);
    else f->status = MECH_ERR_MEMORY;
    mem_free(rates);
}

static void write_all(mat_file *f, const mech_system *system, const mech_linear_result *l)
{
    const size_t N = (size_t)l->order, nu = (size_t)l->inputs, ny = (size_t)l->outputs, d = (size_t)l->freedom,
                 n = (size_t)l->n;
    const struct {
        const char *name;
        const double *data;
        size_t rows, columns;
    } matrices[] = {{"A", l->A, N, N},           {"B", l->E, N, nu},         {"C", l->C, ny, N},
                    {"D", l->D, ny, nu},         {"Ar", l->reduced_A, d, d}, {"Br", l->reduced_E, d, nu},
                    {"Cr", l->reduced_C, ny, d}, {"basis", l->basis, N, d},  {"q0", l->q, n, 1},
                    {"v0", l->v, n, 1}},
      rates[] = {{"B1", l->E1, N, nu},
                 {"B2", l->E2, N, nu},
                 {"D1", l->D1, ny, nu},
                 {"D2", l->D2, ny, nu},
                 {"Dr", l->reduced_D, ny, nu},
                 {"Dr1", l->reduced_D1, ny, nu},
                 {"Dr2", l->reduced_D2, ny, nu},
                 {"by_input", l->by_input, N, nu},
                 {"by_input_rate", l->by_input_rate, N, nu}};
    static const char *const lists[] = {"states", "inputs", "outputs"};
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++)
        mat_file_matrix(f, matrices[k].name, matrices[k].data, matrices[k].rows, matrices[k].columns);
    for (size_t k = 0; l->uses_input_rates && k < sizeof rates / sizeof *rates; k++)
        mat_file_matrix(f, rates[k].name, rates[k].data, rates[k].rows, rates[k].columns);
    write_rates(f, l);
    for (int k = 0; k < 3 && f->status == MECH_OK; k++) write_names(f, lists[k], system, l, k);
    double *marks = mem_zeroed(ny + 1, sizeof *marks);
    for (size_t i = 0; marks && i < ny; i++) marks[i] = l->output_is_choice[i];
    if (marks) mat_file_matrix(f, "not_unique", marks, ny, 1);
    else f->status = MECH_ERR_MEMORY;
    mem_free(marks);
}

mech_status mech_linear_write(const char *path, const mech_system *system, const mech_linear_result *linear)
{
    mat_file f;
    mat_file_open(&f, path);
    if (f.status == MECH_OK) write_all(&f, system, linear);
    return mat_file_close(&f);
}
