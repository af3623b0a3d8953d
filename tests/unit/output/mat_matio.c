/* A table written as .mat: every variable has a name that MATLAB and Octave can use, no two the same, and
   `names` and `variables` say which column is which. */
#include "check.h"

#include <mech/output.h>

#include <matio.h>

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#define LONG "a_name_that_is_longer_than_the_sixty_three_characters_that_are_read_by_all"

static const char *const columns[] = {"t",         "end",
                                      "for",       "end_",
                                      "x[1]",      "x(1)",
                                      "x_1",       "x'",
                                      "x''",       "x_dot",
                                      "data",      "names",
                                      "variables", "_u",
                                      "1st",       "\xce\xbb",
                                      "",          LONG "1",
                                      LONG "2",    "nonideal(a+b#2, x)",
                                      "x_dot_c10", "equation.phi'",
                                      "not_unique"};
static const char *const wanted[] = {"t", "end_", "for_", "end__c4"};
enum { COLUMNS = sizeof columns / sizeof *columns, WANTED = sizeof wanted / sizeof *wanted, ROWS = 2 };

static int is_valid(const char *name)
{
    if (!isalpha((unsigned char)*name) || strlen(name) > 63) return 0;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_') return 0;
    return strcmp(name, "end") != 0 && strcmp(name, "for") != 0;
}

/* Entry j of a cell array of texts. */
static void cell(matvar_t *cells, int j, char *text, size_t size)
{
    matvar_t *entry = cells ? Mat_VarGetCell(cells, j) : NULL;
    const size_t length = entry ? entry->nbytes : 0;
    CHECK(cells != NULL && entry != NULL && length < size);
    if (length && length < size) memcpy(text, entry->data, length);
    text[length < size ? length : 0] = '\0';
}

static void check_column(mat_t *mat, int j, const char *variable, const double *data)
{
    CHECK(is_valid(variable));
    if (j < WANTED) CHECK_TEXT(variable, wanted[j]);
    matvar_t *v = Mat_VarRead(mat, variable);
    CHECK(v && v->class_type == MAT_C_DOUBLE && v->dims[0] == ROWS && v->dims[1] == 1);
    for (int i = 0; v && i < ROWS; i++) CHECK(((const double *)v->data)[i] == data[i * COLUMNS + j]);
    Mat_VarFree(v);
}

static void check_file(const char *path, const double *data)
{
    mat_t *mat = Mat_Open(path, MAT_ACC_RDONLY);
    CHECK(mat != NULL);
    if (!mat) return;
    matvar_t *names = Mat_VarRead(mat, "names"), *variables = Mat_VarRead(mat, "variables");
    for (int j = 0; j < COLUMNS; j++) {
        char name[128] = "", variable[128] = "";
        cell(names, j, name, sizeof name);
        CHECK_TEXT(name, columns[j]);
        cell(variables, j, variable, sizeof variable);
        check_column(mat, j, variable, data);
    }
    Mat_VarFree(names);
    Mat_VarFree(variables);
    matvar_t *marks = Mat_VarRead(mat, "not_unique"); /* every third column */
    CHECK(marks && marks->class_type == MAT_C_DOUBLE && marks->dims[0] == COLUMNS && marks->dims[1] == 1);
    for (int j = 0; marks && j < COLUMNS; j++) CHECK(((const double *)marks->data)[j] == (j % 3 == 0));
    Mat_VarFree(marks);
    size_t count = 0; /* no two the same, or one would have taken the other's place */
    (void)Mat_Rewind(mat);
    for (matvar_t *v; (v = Mat_VarReadNextInfo(mat)); Mat_VarFree(v)) count++;
    CHECK(count == COLUMNS + 4);
    Mat_Close(mat);
}

/* What is not a regular file is not replaced, and nothing is left beside it. */
static void refuse_link(const char *path, const mech_table *table)
{
    char link[64], part[80];
    snprintf(link, sizeof link, "%s.link.mat", path);
    snprintf(part, sizeof part, "%s.part", link);
    CHECK(symlink(path, link) == 0);
    CHECK(mech_mat_write(link, table) == MECH_ERR_FILE);
    CHECK(access(part, F_OK) != 0);
    CHECK(unlink(link) == 0);
}

int main(void)
{
    char path[] = "/tmp/mech-mat-XXXXXX.mat", *given[COLUMNS];
    const int file = mkstemps(path, 4);
    double data[ROWS * COLUMNS];
    unsigned char marks[COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) data[i] = i;
    for (int j = 0; j < COLUMNS; j++) given[j] = strdup(columns[j]), marks[j] = j % 3 == 0;
    const mech_table table = {
        .size = sizeof table, .rows = ROWS, .columns = COLUMNS, .names = given, .data = data, .is_choice = marks};
    CHECK(mech_mat_write(path, &table) == MECH_OK);
    check_file(path, data);
    refuse_link(path, &table);
    for (int j = 0; j < COLUMNS; j++) free(given[j]);
    if (file >= 0) close(file);
    unlink(path);
    return check_report();
}
