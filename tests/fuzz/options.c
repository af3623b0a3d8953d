/* Any words: a command, its options and their values, as far as nothing is opened or written. One word a
 * line. */
#include "app.h"
#include "common.h"
#include "run.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 300 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_values(const cli_command *command, const cli_args *args)
{
    for (size_t i = 0; i < args->given_count; i++) {
        char name[128];
        double value;
        const char *option = args->given[i].option->name, *text = args->given[i].value;
        if (!cli_value(args, option)) abort();
        if (strcmp(option, "--set") == 0 || strcmp(option, "--state") == 0)
            split_assignment(text, name, sizeof name, &value);
    }
    if (strcmp(command->name, "run") == 0) {
        mech_sim_settings settings;
        run_gains gains;
        mech_sim_settings_default(&settings, sizeof settings);
        run_settings(args, &settings, &gains);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cli_args args;
    char *text = malloc(size + 1), *words[MOST_WORDS], message[256];
    int count = 0;
    size_t commands;
    const cli_command *const *table = app_commands(&commands);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *word = text; count < MOST_WORDS; count++) {
        char *end = strchr(word, '\n');
        words[count] = word;
        if (!end) {
            count++;
            break;
        }
        *end = '\0';
        word = end + 1;
    }
    for (size_t i = 0; i < commands; i++)
        if (strcmp(words[0], table[i]->name) == 0 || count < 3) {
            if (cli_parse(table[i], count - 1, words + 1, &args, message, sizeof message)) read_values(table[i], &args);
            else if (strlen(message) >= sizeof message) abort();
        }
    say_end(0, 0);
    free(text);
    return 0;
}
