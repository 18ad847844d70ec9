/* Ends the program, saying which call of the driver failed and how. */
#ifndef HEDDLE_TESTS_DRIVER_CHECK_H
#define HEDDLE_TESTS_DRIVER_CHECK_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static void check(CUresult result, const char *call)
{
    const char *name = "an unknown error";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    printf("%s: %s\n", call, name);
    exit(1);
}

#define CHECK(call) check(call, #call)

#endif
