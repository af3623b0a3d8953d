/* Figures by gnuplot. The script goes to its standard input; nothing passes through a shell, and names stand in single
   quotes only, where gnuplot interprets nothing; a quote in them becomes a prime, so that none can end them. */
#include "output/figure.h"

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "output/aside.h"
#include "output/spawn.h"

#include <math.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *figure_terminal(const char *path, size_t panels, char *buffer, size_t size)
{
    const char *ending = strrchr(path, '.');
    const double height = panels > 1 ? 2.4 * (double)panels + 0.8 : 4.2;
    if (!ending) return NULL;
    if (strcmp(ending, ".svg") == 0)
        snprintf(buffer, size, "svg size 720,%d noenhanced font 'Helvetica,13' background rgb '#ffffff'",
                 (int)(height * 100));
    else if (strcmp(ending, ".pdf") == 0)
        snprintf(buffer, size, "pdfcairo size 7.2in,%d.%din noenhanced font 'Helvetica,12'", (int)height,
                 (int)(height * 10) % 10);
    else if (strcmp(ending, ".png") == 0)
        snprintf(buffer, size, "pngcairo size 1080,%d noenhanced font 'Helvetica,15'", (int)(height * 150));
    else return NULL;
    return buffer;
}

void figure_quote(textbuf *out, const char *s)
{
    text_add_char(out, '\'');
    for (; *s; s++) {
        const int before_letter = (s[1] >= 'a' && s[1] <= 'z') || (s[1] >= 'A' && s[1] <= 'Z');
        if (*s == '\'') text_add(out, before_letter ? "\xE2\x80\x99" : "\xE2\x80\xB2"); /* it’s, x′ */
        else if ((unsigned char)*s >= 0x20) text_add_char(out, *s);
    }
    text_add_char(out, '\'');
}

static const char *unit_of(const mech_figure *f, size_t column)
{
    return f->units && f->units[column] && *f->units[column] ? f->units[column] : "";
}

/* The table as inline data; a gap where a number is missing. */
static void add_data(const mech_figure *f, textbuf *out)
{
    const mech_table *t = f->table;
    text_add(out, "$data << END_OF_DATA\n");
    for (size_t i = 0; i < t->rows; i++) {
        for (size_t k = 0; k <= f->y_count; k++) {
            const double value = t->data[i * t->columns + (k == 0 ? f->x : f->y[k - 1])];
            char digits[NUMBER_TEXT_SIZE];
            number_general(value, 9, digits);
            text_format(out, "%s%s", k ? " " : "", isfinite(value) ? digits : "NaN");
        }
        text_add_char(out, '\n');
    }
    text_add(out, "END_OF_DATA\n");
}

/* Which panel each drawn column belongs to: one for each unit, in order of appearance. */
static size_t find_panels(const mech_figure *f, size_t *panel)
{
    size_t count = 0;
    for (size_t k = 0; k < f->y_count; k++) {
        size_t same = 0;
        if (f->panels) {
            panel[k] = f->panels[k];
            if (panel[k] >= count) count = panel[k] + 1;
            continue;
        }
        while (same < k && strcmp(unit_of(f, f->y[same]), unit_of(f, f->y[k])) != 0) same++;
        panel[k] = same < k ? panel[same] : count++;
    }
    return count;
}

static void add_label(const mech_figure *f, size_t column, int with_name, textbuf *out)
{
    textbuf label = {0};
    const char *unit = unit_of(f, column), *name = f->table->names[column];
    if (with_name) text_add(&label, name);
    if (*unit) text_format(&label, "%s[%s]", with_name ? " " : "", unit);
    else if (with_name && strcmp(name, "t") == 0) text_add(&label, " [s]");
    figure_quote(out, label.data ? label.data : "");
    out->failed |= label.failed;
    text_free(&label);
}

static void add_marks(const mech_figure *f, textbuf *out)
{
    text_add(out, "unset arrow\nunset label\n");
    for (size_t i = 0; i < f->mark_count; i++) {
        char digits[NUMBER_TEXT_SIZE];
        if (!isfinite(f->marks[i])) continue;
        number_general(f->marks[i], 12, digits);
        text_format(out,
                    "set arrow from first %s, graph 0 to first %s, graph 1 nohead dashtype 2 linecolor rgb '#999999'\n",
                    digits, digits);
        if (!f->mark_names || !f->mark_names[i]) continue;
        text_add(out, "set label ");
        figure_quote(out, f->mark_names[i]);
        text_format(out, " at first %s, graph 0.96 offset 0.4,0 textcolor rgb '#666666'\n", digits);
    }
}

static void add_panel(const mech_figure *f, const size_t *panel, size_t which, size_t panels, textbuf *out)
{
    static const char *const colours[] = {"#0b6fb3", "#d1495b", "#2a9d5c", "#e09f3e",
                                          "#6a4c93", "#3a3a3a", "#17a2b8", "#8d6e63"};
    size_t first = 0, count = 0;
    for (size_t k = 0; k < f->y_count; k++) {
        if (panel[k] != which) continue;
        if (count++ == 0) first = k;
    }
    add_marks(f, out);
    text_add(out, "set ylabel ");
    add_label(f, f->y[first], count == 1, out);
    text_add(out, which + 1 == panels ? "\nset xlabel " : "\nunset xlabel\n#");
    add_label(f, f->x, 1, out);
    text_format(out, "\n%s\nplot", count > 1 ? "set key outside right top Left reverse samplen 1.5" : "unset key");
    for (size_t k = 0, drawn = 0; k < f->y_count; k++) {
        if (panel[k] != which) continue;
        const int dashed = f->dashed && f->dashed[k];
        text_format(out, "%s $data using 1:%zu with lines linewidth %s linecolor rgb '%s' title ", drawn ? "," : "",
                    k + 2, dashed ? "2.2 dashtype 2" : "1.6", colours[drawn % 8]);
        figure_quote(out, f->table->names[f->y[k]]);
        drawn++;
    }
    text_add_char(out, '\n');
}

/* Characters to keep free for the legends, the same for all panels so that their axes line up. */
static size_t right_margin(const mech_figure *f, size_t panels)
{
    size_t longest = 0;
    for (size_t k = 0; k < f->y_count && panels < f->y_count; k++) {
        const size_t length = strlen(f->table->names[f->y[k]]);
        if (length > longest) longest = length;
    }
    return longest ? (longest > 20 ? 20 : longest) + 7 : 3;
}

static mech_status write_script(const mech_figure *f, const char *path, textbuf *out)
{
    char terminal[200];
    size_t *panel = mem_alloc((f->y_count + 1) * sizeof *panel);
    if (!panel) return MECH_ERR_MEMORY;
    const size_t panels = find_panels(f, panel);
    mech_status status = figure_terminal(path, panels, terminal, sizeof terminal) ? MECH_OK : MECH_ERR_ARGUMENT;
    if (status == MECH_OK) {
        text_format(out, "set terminal %s\nset encoding utf8\n", terminal);
        text_add(out, "set datafile missing 'NaN'\nset border 3 linecolor rgb '#444444'\nset tics nomirror\n"
                      "set grid linecolor rgb '#dddddd' linetype 1 linewidth 0.6\nset lmargin 11\n");
        if (f->equal_axes) text_add(out, "set size ratio -1\n");
        else text_format(out, "set rmargin %zu\n", right_margin(f, panels));
        add_data(f, out);
        text_format(out, "set multiplot layout %zu,1", panels);
        if (f->title) {
            text_add(out, " title ");
            figure_quote(out, f->title);
        }
        text_add_char(out, '\n');
        for (size_t i = 0; i < panels; i++) add_panel(f, panel, i, panels, out);
        text_add(out, "unset multiplot\n");
        if (out->failed) status = MECH_ERR_MEMORY;
    }
    mem_free(panel);
    return status;
}

/* Whether a figure has its end: gnuplot does not tell when the disk was full. */
static mech_status check_whole(const char *path)
{
    char tail[32] = "";
    FILE *file = fopen(path, "rb");
    if (!file) return errno == ENOMEM ? MECH_ERR_MEMORY : MECH_ERR_FILE;
    const int placed = fseek(file, -20, SEEK_END) == 0;
    const size_t got = placed ? fread(tail, 1, 20, file) : 0;
    fclose(file);
    for (size_t i = 0; i + 4 <= got; i++)
        if (memcmp(tail + i, "</sv", 4) == 0 || memcmp(tail + i, "%EOF", 4) == 0 || memcmp(tail + i, "IEND", 4) == 0)
            return MECH_OK;
    return MECH_ERR_FILE;
}

mech_status mech_figure_write(const mech_figure *f, const char *path)
{
    if (f->size != sizeof *f || f->table->size != sizeof *f->table || !f->y_count || f->x >= f->table->columns)
        return MECH_ERR_ARGUMENT;
    if (!aside_may_replace(path)) return MECH_ERR_FILE;
    for (size_t i = 0; i < f->y_count; i++)
        if (f->y[i] >= f->table->columns) return MECH_ERR_ARGUMENT;
    textbuf script = {0};
    char *part = aside_path(path);
    mech_status status = part ? write_script(f, path, &script) : MECH_ERR_MEMORY;
    if (status == MECH_OK) {
        const char *const arguments[] = {"gnuplot", "-", NULL};
        status = spawn_with_input(arguments, script.data, script.length, part);
    }
    if (status == MECH_OK) status = check_whole(part);
    if (part) status = aside_finish(status, part, path);
    text_free(&script);
    mem_free(part);
    return status;
}
