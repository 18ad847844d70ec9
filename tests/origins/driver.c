/*
 * A libcuda.so.1 that checks origins (check.h) in every launch of a program. Appends one line per launch to the file
 * that HEDDLE_TEST_ORIGINS names: the kernel, whether the launch is apart, how many accesses there were of which the
 * origins are known, and how many in all; and lines from "WRONG" on, if accesses contradict.
 */
#include "tests/origins/check.h"

#include <stdio.h>
#include <stdlib.h>

check_executor __wrap_functional_launch, __real_functional_launch;

void __wrap_functional_launch(const struct launch *launch, const struct code *code, struct launch_result *result)
{
    struct check check;
    const char *path = getenv("HEDDLE_TEST_ORIGINS");
    check_launch(launch, code, __real_functional_launch, result, &check);
    FILE *out = path ? fopen(path, "a") : NULL;
    if (out) {
        fprintf(out, "%s\t%s\t%llu\t%llu\n", launch->kernel->name, apart_text[check.apart],
                (unsigned long long)check.known, (unsigned long long)check.total);
        if (check.wrong_count)
            fprintf(out, "WRONG %d: %s", check.wrong_count, check.wrong.data);
        fclose(out);
    }
    check_free(&check);
}
