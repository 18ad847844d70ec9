/* What the tests of the driver API share: checks of error codes, a context for each test, and what goes to stderr. */
#ifndef HEDDLE_TESTS_DRIVER_CHECK_H
#define HEDDLE_TESTS_DRIVER_CHECK_H

#include "cuda.h"
#include "heddle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), CUDA_SUCCESS)
#define FAILS(code, call) assert_int_equal((call), (code))

#define PTX_HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

static inline int open_context(void **state)
{
    return cuInit(0) || cuCtxCreate((CUcontext *)state, NULL, 0, 0);
}

static inline int close_context(void **state)
{
    return cuCtxDestroy(*state);
}

/* Catches stderr from here on. */
static inline int catch_stderr(void)
{
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    FILE *file = tmpfile();
    assert_non_null(file);
    dup2(fileno(file), STDERR_FILENO);
    fclose(file);
    return saved;
}

/* Lets stderr go where it went before catch_stderr(), and puts what was caught into `text`. */
static inline void release_stderr(int saved, char *text, size_t size)
{
    fflush(stderr);
    lseek(STDERR_FILENO, 0, SEEK_SET);
    ssize_t n = read(STDERR_FILENO, text, size - 1);
    text[n > 0 ? n : 0] = '\0';
    dup2(saved, STDERR_FILENO);
    close(saved);
}

#endif
