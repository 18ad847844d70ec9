/* The end of a case; see case.h. */
#include "case.h"

#include <stdlib.h>

void case_destroy(struct test_case *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->arg_count; i++)
        free(c->arg[i].data);
    free(c->name);
    free(c->ptx);
    free(c->kernel);
    free(c);
}
