/* No dynamic loading in this build: there is no card. */
#include "ensemble/card.h"

#include <stdio.h>

mech_status card_compile(const char *text, const char *architecture, char **code, char why[CARD_REASON])
{
    (void)text, (void)architecture;
    *code = NULL;
    snprintf(why, CARD_REASON, "this build opens no libraries");
    return MECH_ERR_UNSUPPORTED;
}

static mech_status load(const char *text, size_t length, void **program, char why[CARD_REASON])
{
    (void)text, (void)length;
    *program = NULL;
    snprintf(why, CARD_REASON, "this build opens no libraries, and so has no cards");
    return MECH_ERR_UNSUPPORTED;
}

const card_kind card_cuda = {.load = load};
