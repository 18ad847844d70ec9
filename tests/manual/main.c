/* manual-ptx SEED: prints the program of a seed, with its launch in the first line. */
#include "manual.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: manual-ptx SEED\n");
        return 2;
    }
    struct test_case *c = manual_case(strtoull(argv[1], NULL, 10));
    fputs(c->ptx, stdout);
    case_destroy(c);
    return 0;
}
