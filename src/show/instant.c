/* The geometry of an instant as a picture: the plane of what constraints hold (across) and what is free (up), in
   accelerations scaled by M^(1/2). The free motion a_s is moved by B+e, across, onto q''_s. */
#include "show/show.h"

#include <math.h>

typedef struct drawing {
    textbuf *out;
    double scale, left, foot; /* pixels of a unit; where 0 is */
} drawing;

static void put_arrow(const drawing *d, int width, const char *colour, double x0, double y0, double x1, double y1)
{
    const double a = d->left + d->scale * x0, b = d->foot - d->scale * y0, c = d->left + d->scale * x1,
                 e = d->foot - d->scale * y1;
    const double length = hypot(c - a, e - b), ux = length > 0 ? (c - a) / length : 0,
                 uy = length > 0 ? (e - b) / length : 0;
    if (length < 1) {
        text_format(d->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" style=\"fill:var(%s)\"/>\n", a, b, colour);
        return;
    }
    const double half = width + 2, back = 2.5 * half; /* of the head */
    text_format(d->out, "<path style=\"stroke:var(%s);stroke-width:%d\" d=\"M%.1f %.1f %.1f %.1f\"/>", colour, width, a,
                b, c - 0.6 * back * ux, e - 0.6 * back * uy);
    text_format(d->out, "<path style=\"fill:var(%s)\" d=\"M%.1f %.1f %.1f %.1f %.1f %.1fz\"/>\n", colour, c, e,
                c - back * ux - half * uy, e - back * uy + half * ux, c - back * ux + half * uy,
                e - back * uy - half * ux);
}

static void put_key(textbuf *out, int line, const char *colour, const char *name, double length)
{
    text_format(
        out,
        "<path style=\"stroke:var(%s);stroke-width:3\" d=\"M400 %dh22\"/><text x=\"430\" y=\"%d\">%s = %.5g</text>\n",
        colour, 36 + 24 * line, 40 + 24 * line, name, length);
}

mech_status mech_instant_picture(const mech_instant *instant, char **svg)
{
    const mech_instant_result *r = mech_instant_get(instant);
    const mech_diagnosis_result *d = r->diagnosis;
    textbuf out = {0};
    *svg = NULL;
    if (!d || !isfinite(r->zwang) || d->rank == 0) return MECH_ERR_ARGUMENT;
    const mech_geometry *g = &d->geometry;
    /* along T a_s; what of B+b points another way is left out of the plane */
    const double held = g->Tas > 0 ? (g->Bpb * g->Bpb + g->Tas * g->Tas - g->Bpe * g->Bpe) / (2 * g->Tas) : g->Bpb;
    const double free = g->Nas + g->Ncs, low = fmin(0, held), high = fmax(fmax(g->Tas, held), 1e-300),
                 top = fmax(fmax(g->Nas, free), 1e-300);
    const double scale = fmin(300 / (high - low), 190 / top);
    const drawing p = {.out = &out, .scale = scale, .left = 40 - scale * low, .foot = 226};
    text_add(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure instant\" viewBox=\"0 0 720 260\">\n");
    text_format(&out, "<path class=\"axis\" d=\"M20 226H372M%.1f 240V16\"/>\n", p.left);
    text_add(&out, "<text x=\"372\" y=\"246\" text-anchor=\"end\">held by the constraints</text>");
    text_format(&out, "<text x=\"%.1f\" y=\"12\">free</text>\n", p.left + 4);
    /* broad: where the constraints change nothing, the motion lies upon it */
    put_arrow(&p, 5, "--c0", 0, 0, g->Tas, g->Nas);
    put_arrow(&p, 2, "--c1", g->Tas, g->Nas, held, g->Nas);
    if (g->Ncs > 0) put_arrow(&p, 2, "--c3", held, g->Nas, held, free);
    put_arrow(&p, 2, "--c2", 0, 0, held, free);
    put_key(&out, 0, "--c0", "free motion |a_s|", hypot(g->Tas, g->Nas));
    put_key(&out, 1, "--c1", "what the constraints add |B⁺e|", g->Bpe);
    put_key(&out, 2, "--c2", "motion |q''_s|", hypot(g->Bpb, free));
    if (g->Ncs > 0) put_key(&out, 3, "--c3", "what laws add |N c_s|", g->Ncs);
    text_format(&out, "<text class=\"tick\" x=\"400\" y=\"160\">across: |T a_s| = %.5g, |B⁺b| = %.5g</text>", g->Tas,
                g->Bpb);
    text_format(&out,
                "<text class=\"tick\" x=\"400\" y=\"178\">free: |N a_s| = %.5g; Gauss's Zwang %.5g</text>\n</svg>\n",
                g->Nas, r->zwang);
    *svg = out.failed ? NULL : text_take(&out);
    text_free(&out);
    return *svg ? MECH_OK : MECH_ERR_MEMORY;
}
