/* Finds and runs the host's version of a kernel; see reference.h. */
#include "reference.h"
#include "reference_kernels.h"

#include <stdlib.h>

const struct reference *reference_find(const char *kernel)
{
    const struct reference *const tables[] = {reference_integer, reference_float, reference_warp,
                                              reference_memory, reference_control};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct reference *r = tables[t]; r->kernel; r++)
            if (!strcmp(r->kernel, kernel))
                return r;
    return NULL;
}

bool reference_run(const struct test_case *c, void *expected[CASE_MAX_ARGS])
{
    const struct reference *r = reference_find(c->kernel);
    bool good = r != NULL;
    for (int i = 0; i < CASE_MAX_ARGS; i++) {
        expected[i] = NULL;
        if (!good || i >= c->arg_count || !c->arg[i].is_buffer)
            continue;
        expected[i] = malloc(c->arg[i].bytes);
        if (expected[i])
            memcpy(expected[i], c->arg[i].data, c->arg[i].bytes);
        else
            good = false;
    }
    if (good) {
        r->compute(c, expected);
        return true;
    }
    for (int i = 0; i < CASE_MAX_ARGS; i++) {
        free(expected[i]);
        expected[i] = NULL;
    }
    return false;
}
