/* One HTML file: sections of text, equations and figures, and the scene with its script. */
#include "show/scene.h"
#include "show/show.h"

#include "base/draft.h"
#include "base/mem.h"
#include "base/system.h"

#include <math.h>
#include <string.h>

void page_escape(textbuf *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '&') text_add(out, "&amp;");
        else if (*s == '<') text_add(out, "&lt;");
        else if (*s == '>') text_add(out, "&gt;");
        else if (*s == '"') text_add(out, "&quot;");
        else if ((unsigned char)*s >= 0x20 || *s == '\n' || *s == '\t') text_add_char(out, *s);
    }
}

void page_json(textbuf *out, const char *json)
{
    for (; *json; json++) {
        if (*json == '<') text_add(out, "\\u003c");
        else text_add_char(out, *json);
    }
}

static void put_scene(const mech_page *p, textbuf *out)
{
    const mech_scene *s = p->scene;
    if (!s || !s->set_count) return;
    const int is_empty = mech_scene_is_empty(s);
    if (!is_empty)
        text_add(out, "<canvas id=\"stage\" tabindex=\"0\" role=\"img\" aria-label=\"the motion\"></canvas>\n");
    text_add(
        out,
        "<div class=\"controls\"><button id=\"play\" type=\"button\">Play</button>"
        "<input id=\"time\" type=\"range\" min=\"0\" max=\"1000\" step=\"any\" value=\"0\" aria-label=\"time\">"
        "<output id=\"clock\"></output><label>speed <select id=\"speed\"><option value=\"0.1\">0.1</option>"
        "<option value=\"0.25\">0.25</option><option value=\"0.5\">0.5</option><option value=\"1\" selected>1</option>"
        "<option value=\"2\">2</option><option value=\"5\">5</option><option value=\"20\">20</option></select></label>");
    if (s->set_count > 1) {
        size_t number = 0;
        text_add(out, "<label>show <select id=\"set\">");
        for (const char *at = s->names.data; at && *at; number++) {
            const char *stop = strchr(at, '\n');
            textbuf name = {0};
            text_add_n(&name, at, (size_t)(stop - at));
            text_format(out, "<option value=\"%zu\">", number);
            page_escape(out, name.data ? name.data : "");
            text_add(out, "</option>");
            text_free(&name);
            at = stop + 1;
        }
        text_add(out, "</select></label>");
    }
    if (!is_empty)
        text_add(out, "<label><input id=\"traces\" type=\"checkbox\" checked> traces</label>"
                      "<label><input id=\"arrows\" type=\"checkbox\" checked> arrows</label>");
    text_add(out, "</div>\n<p class=\"small hint\">");
    text_add(out, is_empty ? "Nothing is drawn of this model: a <code>draw</code> statement would show it. "
                           : "Drag to turn or move, wheel to come closer. ");
    text_add(
        out,
        "Keys: space plays and pauses, arrows go step by step, Home and End. A click in a figure sets the time.</p>\n");
}

/* Many of them are folded away, but where the page has nothing else. */
static void put_equations(const mech_page *p, const char *latex, textbuf *out)
{
    enum { MANY = 6000 };
    const int is_folded = p->count > 1 && strlen(latex) > MANY;
    if (is_folded) text_add(out, "<details><summary>They are long: show them</summary>\n");
    text_add(out, "<div class=\"equations\">");
    page_math(latex, out);
    text_add(out, is_folded ? "</div></details>\n" : "</div>\n");
}

static void put_section(const mech_page *p, const mech_section *s, textbuf *out)
{
    switch (s->kind) {
    case MECH_SECTION_TEXT:
        text_add(out, "<pre>");
        page_escape(out, s->text ? s->text : "");
        text_add(out, "</pre>\n");
        return;
    case MECH_SECTION_WORDS:
        text_add(out, "<p>");
        page_escape(out, s->text ? s->text : "");
        text_add(out, "</p>\n");
        return;
    case MECH_SECTION_LATEX: put_equations(p, s->text ? s->text : "", out); return;
    case MECH_SECTION_SVG: text_add(out, s->text ? s->text : ""); return;
    case MECH_SECTION_SCENE: put_scene(p, out); return;
    }
}

mech_status mech_page_html(const mech_page *p, char **html)
{
    textbuf out = {0}, data = {0};
    *html = NULL;
    if (p->size != sizeof *p) return MECH_ERR_ARGUMENT;
    text_add(&out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>");
    page_escape(&out, p->title ? p->title : "");
    text_add(
        &out,
        "</title>\n<meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n<style>\n");
    text_add(&out, page_css);
    text_add(&out, "</style></head>\n<body>\n<h1>");
    page_escape(&out, p->title ? p->title : "");
    text_add(&out, "</h1>\n<nav>");
    for (size_t k = 0; k < p->count; k++) {
        if (!p->sections[k].title) continue;
        text_format(&out, "<a href=\"#s%zu\">", k);
        page_escape(&out, p->sections[k].title);
        text_add(&out, "</a>");
    }
    text_add(&out, "</nav>\n<main>\n");
    for (size_t k = 0; k < p->count; k++) {
        const mech_section *s = &p->sections[k];
        if (s->title) {
            text_format(&out, "%s<section id=\"s%zu\"><h2>", k ? "</section>\n" : "", k);
            page_escape(&out, s->title);
            text_add(&out, "</h2>\n");
        }
        put_section(p, s, &out);
    }
    text_add(&out, "</section>\n</main>\n");
    if (p->scene && p->scene->set_count) {
        scene_json(p->scene, &data);
        text_add(&out, "<script type=\"application/json\" id=\"data\">");
        page_json(&out, data.data ? data.data : "{}");
        text_add(&out, "</script>\n<script>\n");
        text_add(&out, page_player);
        text_add(&out, page_script);
        text_add(&out, "</script>\n");
    }
    text_format(&out, "<p class=\"small\">Made by Mechanician %s.</p>\n</body></html>\n", mech_version());
    out.failed |= data.failed;
    text_free(&data);
    if (!out.failed) *html = text_take(&out);
    text_free(&out);
    return *html ? MECH_OK : MECH_ERR_MEMORY;
}

mech_status mech_page_write(const mech_page *page, const char *path)
{
    char *html = NULL, *part = NULL;
    if (!draft_may_replace(path)) return MECH_ERR_FILE;
    mech_status status = mech_page_html(page, &html);
    if (status == MECH_OK && !(part = draft_path(path))) status = MECH_ERR_MEMORY;
    if (status == MECH_OK) status = draft_put(part, path, html, strlen(html), SYSTEM_FOLLOWS_LINKS);
    mem_free(part);
    mem_free(html);
    return status;
}
