/* mech: the command line, a thin shell over the library. All of it but this function is linked by the tests
 * too. */
#include "app.h"
#include "exhausted.h"

int main(int argc, char **argv)
{
    exhausted_prepare(argc, argv);
    return app_main(argc, argv);
}
