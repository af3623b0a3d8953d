#include "exhausted.h"

void exhausted_prepare(int argc, char **argv)
{
    (void)argc;
    (void)argv;
}
