/* Numbers of variables, and the token. */
#include "fmu/fmu.h"
#include "simulate/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *fmu_setting_name(size_t setting)
{
    static const char *const names[FMU_SETTINGS] = {
        [FMU_GAIN] = "excess gain", [FMU_PROJECTION] = "projection at steps"};
    return names[setting];
}

size_t fmu_count(const mech_system *system, fmu_kind kind)
{
    const mech_sizes sizes = mech_system_sizes(system);
    switch (kind) {
    case FMU_TIME: return 1;
    case FMU_PARAM: return sizes.params;
    case FMU_INPUT: return sizes.inputs;
    case FMU_OUTPUT: return sizes.outputs;
    case FMU_COORD:
    case FMU_VELOCITY:
    case FMU_ACCELERATION: return sizes.coords;
    case FMU_STATE:
    case FMU_RATE: return sizes.states;
    case FMU_SETTING: return FMU_SETTINGS;
    case FMU_INDICATOR: return exchange_indicator_count(system);
    case FMU_KINDS: break;
    }
    return 0;
}

fmu_variable fmu_variable_at(const mech_system *system, size_t reference)
{
    for (int kind = 0; kind < FMU_KINDS; kind++) {
        const size_t count = fmu_count(system, (fmu_kind)kind);
        if (reference < count) return (fmu_variable){(fmu_kind)kind, reference};
        reference -= count;
    }
    return (fmu_variable){FMU_KINDS, 0};
}

/* FNV-1a: tells texts apart, and keeps no secret. */
static uint64_t mix(uint64_t sum, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3u;
    return sum;
}

void fmu_token(const char *text, size_t length, const char *values, char token[FMU_TOKEN])
{
    size_t end = 0;
    while (values[end]) end++;
    const uint64_t first = mix(mix(0xcbf29ce484222325u, text, length), values, end),
                   second = mix(mix(first, values, end), text, length);
    snprintf(token, FMU_TOKEN, "{%08x-%04x-%04x-%04x-%04x%08x}", (unsigned)(first >> 32),
             (unsigned)(first >> 16 & 0xffff), (unsigned)(first & 0xffff), (unsigned)(second >> 48),
             (unsigned)(second >> 32 & 0xffff), (unsigned)(second & 0xffffffff));
}

static void add_value(textbuf *to, const char *name, double value)
{
    text_add(to, name);
    text_add_char(to, '=');
    text_add_double(to, value);
    text_add_char(to, '\n');
}

void fmu_add_values(textbuf *to, const mech_override *overrides, size_t count, double gain)
{
    text_add(to, "");
    if (gain > 0) add_value(to, fmu_setting_name(FMU_GAIN), gain);
    for (size_t i = 0; i < count; i++) add_value(to, overrides[i].name, overrides[i].value);
}

double fmu_gain(const char *values)
{
    const char *name = fmu_setting_name(FMU_GAIN);
    const size_t length = strlen(name);
    return strncmp(values, name, length) == 0 && values[length] == '=' ? strtod(values + length + 1, NULL) : 0;
}
