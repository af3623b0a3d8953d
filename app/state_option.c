#include "state_option.h"

#include "common.h"
#include "say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int unknown_coordinate(const mech_system *system, const char *word, const char *name)
{
    const mech_sizes sizes = mech_system_sizes(system);
    const char **known = malloc((sizes.coords + sizes.states + 1) * sizeof *known);
    size_t count = 0;
    for (size_t i = 0; known && i < sizes.coords; i++) known[count++] = mech_system_name(system, MECH_ITEM_COORD, i);
    for (size_t i = 0; known && i < sizes.states; i++) known[count++] = mech_system_name(system, MECH_ITEM_STATE, i);
    const char *near = known ? cli_nearest(name, known, count) : NULL;
    if (near) say("mech %s: the model has no coordinate '%s'; did you mean '%s'?\n", word, name, near);
    else say("mech %s: the model has no coordinate '%s'; 'mech check' lists them\n", word, name);
    free(known);
    return EXIT_USAGE;
}

int read_state(const mech_system *system, const char *word, const char *assignment, state_value *out)
{
    char name[256];
    if (!split_assignment(assignment, name, sizeof name, &out->value)) return EXIT_USAGE;
    const size_t length = strlen(name);
    const int is_velocity = length > 1 && name[length - 1] == '\'';
    if (is_velocity) name[length - 1] = '\0';
    out->variable = is_velocity ? MECH_VARIABLE_V : MECH_VARIABLE_Q;
    out->index = mech_system_find(system, MECH_ITEM_COORD, name);
    if (out->index != SIZE_MAX) return EXIT_OK;
    out->variable = MECH_VARIABLE_Z;
    out->index = is_velocity ? SIZE_MAX : mech_system_find(system, MECH_ITEM_STATE, name);
    return out->index != SIZE_MAX ? EXIT_OK : unknown_coordinate(system, word, name);
}
