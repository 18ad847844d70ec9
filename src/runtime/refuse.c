/* See refuse.h. */
#include "runtime/refuse.h"

#include "runtime/runtime.h"

#include <stdio.h>

int runtime_refuse(const char *call, atomic_bool *is_said)
{
    if (!atomic_exchange(is_said, true)) {
        fflush(stdout);
        fprintf(stderr, "heddle: %s is not supported\n", call);
    }
    return (int)runtime_fail(cudaErrorNotSupported);
}
