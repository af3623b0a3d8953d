/* How wide texts are: the widths of Helvetica's letters, in thousandths of the size. */
#include "figure/figure.h"

#include <string.h>

static const unsigned short widths[95] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

/* One letter and the bytes it has. */
static double letter(const char *at, size_t *bytes)
{
    const unsigned char c = (unsigned char)*at;
    size_t count = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    for (size_t k = 1; k < count; k++)
        if (!at[k]) count = k;
    *bytes = count;
    if (c >= 0x20 && c < 0x7F) return widths[c - 0x20];
    return c < 0x80 ? 0 : count >= 3 && c >= 0xE3 ? 1000 : 620; /* Greek and signs; wide letters of the East */
}

double figure_text_width(const char *text, double size)
{
    double sum = 0;
    for (size_t bytes; *text; text += bytes) sum += letter(text, &bytes);
    return sum / 1000 * size;
}

/* Names differ at their ends as often as at their beginnings, so that what does not fit is left out of the middle. */
void figure_text_fit(textbuf *out, const char *text, double size, double width)
{
    textbuf kept = {0};
    const int is_cut = figure_text_width(text, size) > width;
    const double room = width - figure_text_width("...", size);
    double used = 0;
    for (size_t bytes; *text; text += bytes) {
        const double next = letter(text, &bytes) / 1000 * size;
        if (is_cut && used + next > room / 2) break;
        text_add_n(&kept, text, bytes);
        used += next;
    }
    if (is_cut) {
        size_t bytes;
        for (; *text && figure_text_width(text, size) > room - used; text += bytes) (void)letter(text, &bytes);
        text_add(&kept, "...");
        text_add(&kept, text);
    }
    figure_escape(out, kept.data ? kept.data : "");
    out->failed |= kept.failed;
    text_free(&kept);
}
