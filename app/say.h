/* What the command says when something is wrong: to standard error at once, and remembered, so that --json
   can end in an object that holds it. */
#ifndef APP_SAY_H
#define APP_SAY_H

#include <mech/base.h>

/* A message or a part of one; it ends with a newline. Control characters are shown as '?'. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The diagnostics of the list from number `from` on. */
void say_diagnostics(const mech_diagnostics *diagnostics, size_t from);
/* JSON went to standard output: nothing more is due. */
void say_json_is_written(void);
/* With --json and a failure that wrote none: {"exit": ..., "errors": [...]}. Frees what was remembered. */
void say_end(int code, int json);
/* A text as a JSON string on standard output. */
void say_json_text(const char *text);

/* Standard output could not be written just now: the cause is in errno, and is told when the command ends. */
void say_output_failed(void);
/* The message about it, when there was such a failure: 1 said, 0 there was none. */
int say_about_output(void);

#endif
