/* A program as text: one line for each instruction. Inputs and outputs go by name, constants by value, kept
   values are k0, k1, ..., temporaries t0, t1, ... */
#include "compile/program.h"

#include "base/text.h"

typedef struct printer {
    const program *p;
    const char *const *inputs, *const *outputs;
    textbuf text;
} printer;

static void add_slot(printer *d, uint32_t slot)
{
    const program *p = d->p;
    const uint32_t kept = p->output_first + p->output_count, temporary = kept + p->kept_count;
    if (slot < p->input_count) {
        if (d->inputs && d->inputs[slot]) text_add(&d->text, d->inputs[slot]);
        else text_format(&d->text, "in%u", slot);
    } else if (slot < p->output_first) {
        text_add_double(&d->text, p->image[slot - p->input_count]);
    } else if (slot < kept) {
        if (d->outputs && d->outputs[slot - p->output_first]) text_add(&d->text, d->outputs[slot - p->output_first]);
        else text_format(&d->text, "out%u", slot - p->output_first);
    } else if (slot < temporary) {
        text_format(&d->text, "k%u", slot - kept);
    } else {
        text_format(&d->text, "t%u", slot - temporary);
    }
}

/* "a*b + c" with slots in place of the letters that stand alone */
static void add_pattern(printer *d, const char *pattern, const program_instruction *i)
{
    for (const char *c = pattern; *c; c++) {
        const int before = c > pattern && c[-1] >= 'a' && c[-1] <= 'z', after = c[1] >= 'a' && c[1] <= 'z';
        if (*c >= 'a' && *c <= 'c' && !before && !after) add_slot(d, *c == 'a' ? i->a : *c == 'b' ? i->b : i->c);
        else text_add_char(&d->text, *c);
    }
}

static void add_instruction(printer *d, const program_instruction *i)
{
    static const char *const patterns[] = {
#define PATTERN(name, arity, text, value) text,
        PROGRAM_OPERATIONS(PATTERN)
#undef PATTERN
    };
    text_add(&d->text, "    ");
    add_slot(d, i->out);
    if (i->op == PROGRAM_SINCOS) {
        text_add(&d->text, ", ");
        add_slot(d, i->b);
        text_add(&d->text, " = ");
        add_pattern(d, "sincos(a)", i);
    } else if (i->op < PROGRAM_SINCOS) {
        text_add(&d->text, " = ");
        add_pattern(d, patterns[i->op], i);
    } else {
        const mech_function function = (mech_function)(i->op - PROGRAM_CALL);
        static const char *const arguments[] = {"()", "(a)", "(a, b)", "(a, b, c)"};
        text_format(&d->text, " = %s", expr_function_name(function));
        add_pattern(d, arguments[expr_function_arity(function)], i);
    }
    text_add_char(&d->text, '\n');
}

char *program_dump(const program *p, const char *const *input_names, const char *const *output_names)
{
    printer d = {.p = p, .inputs = input_names, .outputs = output_names};
    text_format(&d.text, "# %u inputs, %u constants, %u outputs, %u kept, %u temporaries\n", p->input_count,
                p->constant_count, p->output_count, p->kept_count, p->temporary_count);
    for (uint32_t s = 0; s < p->stage_count; s++) {
        text_format(&d.text, "stage %u # %u instructions\n", s, p->stage_start[s + 1] - p->stage_start[s]);
        for (uint32_t i = p->stage_start[s]; i < p->stage_start[s + 1]; i++) add_instruction(&d, &p->code[i]);
    }
    return text_take(&d.text);
}
