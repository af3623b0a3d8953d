/* Numbers, angles and axes out of attributes. */
#include "import/import.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

static const char blank[] = " \t\r\n\f\v";

/* That somebody looks at the attribute; only what nobody looks at is reported. */
static void ask(importer *c, const xml_node *node, const char *attribute)
{
    char key[256];
    const size_t a = strlen(node->name), b = strlen(attribute);
    if (a + b + 2 > sizeof key) return;
    memcpy(key, node->name, a);
    key[a] = ' ';
    memcpy(key + a + 1, attribute, b + 1);
    if (strmap_get(&c->asked, key) != SIZE_MAX) return;
    const char *kept = arena_text(&c->memory, key, a + b + 1);
    if (!kept || !strmap_put(&c->asked, kept, 1)) import_out_of_memory(c);
}

const char *import_value(importer *c, const xml_node *node, const char *attribute)
{
    ask(c, node, attribute);
    return xml_value(node, attribute);
}

static int is_plain(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr("0123456789+-.eE", word[i])) return 0;
    return 1;
}

size_t import_parse(importer *c, mech_span span, const char *attribute, const char *text, double *out, size_t fewest,
                    size_t most)
{
    size_t count = 0;
    for (const char *p = text + strspn(text, blank); *p; p += strspn(p, blank)) {
        const size_t length = strcspn(p, blank);
        double value;
        if (!is_plain(p, length) || !number_read(p, length, &value) || !isfinite(value)) {
            import_error(c, span,
                         strncmp(p, "${", 2) == 0
                             ? "this looks like xacro: write the file out with the command xacro, and import that"
                             : NULL,
                         "'%.*s' is not a finite number, in %s", (int)(length < 60 ? length : 60), p, attribute);
            return 0;
        }
        if (count < most) out[count] = value;
        count++;
        p += length;
    }
    if (count >= fewest && count <= most) return count;
    if (fewest == most)
        import_error(c, span, NULL, "%s takes %zu number%s, not %zu", attribute, fewest, fewest > 1 ? "s" : "", count);
    else import_error(c, span, NULL, "%s takes %zu to %zu numbers, not %zu", attribute, fewest, most, count);
    return 0;
}

size_t import_numbers(importer *c, const xml_node *node, const char *attribute, double *out, size_t fewest, size_t most)
{
    const char *text = import_value(c, node, attribute);
    return text ? import_parse(c, xml_place(node, attribute), attribute, text, out, fewest, most) : 0;
}

double import_number(importer *c, const xml_node *node, const char *attribute, double otherwise)
{
    double value = otherwise;
    return import_numbers(c, node, attribute, &value, 1, 1) == 1 ? value : otherwise;
}

xml_node *import_child(const xml_node *node, const char *name)
{
    xml_node *child = xml_child(node, name);
    if (child) child->is_read = 1;
    return child;
}

/* What the files mean when they write 1.5708 is not known; what they mean with 1.57079632679 is. */
static const double near = 1e-10;
static const double quarter = 1.57079632679489661923;

void import_cos_sin(importer *c, double angle, double *cosine, double *sine)
{
    static const int cosines[] = {1, 0, -1, 0}, sines[] = {0, 1, 0, -1};
    const double turns = nearbyint(angle / quarter);
    *cosine = cos(angle);
    *sine = sin(angle);
    if (c->options.keeps_angles || !(fabs(turns) < 1e6) || fabs(angle - turns * quarter) > near) return;
    const int k = (int)(((long)turns % 4 + 4) % 4);
    *cosine = cosines[k];
    *sine = sines[k];
    c->exact += angle != 0;
}

void import_exact(importer *c, double R[9])
{
    int changed = 0;
    if (c->options.keeps_angles) return;
    for (int i = 0; i < 9; i++) {
        double *entry = &R[i], whole = nearbyint(*entry);
        if (fabs(*entry - whole) > near || *entry == whole) continue;
        *entry = whole + 0.0;
        changed = 1;
    }
    c->exact += (size_t)changed;
}

int import_axis(importer *c, const xml_node *node, const char *attribute, double axis[3])
{
    const double length = length3(axis);
    if (!normalise(axis, 3)) {
        import_error(c, xml_place(node, attribute), NULL, "an axis of length 0 has no direction");
        return 0;
    }
    c->unit += fabs(length - 1) > 1e-12;
    return 1;
}
