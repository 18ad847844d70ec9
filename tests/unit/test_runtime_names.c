/* The names that the runtime exports: all of CUDA 13, so that no program meets a loader's error. */
#define _GNU_SOURCE
#include "cuda_runtime_api.h"
#include "tests/runtime/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAILS(code, call) assert_int_equal((call), (code))

static void test_every_name_is_there(void **state)
{
    (void)state;
    names_check(13, "libcudart.so.13", 422);
}

/* Runs `call` and returns how often stderr has `text`. */
static int count_on_stderr(const char *text, void (*call)(void))
{
    char path[] = "/tmp/heddle-names-XXXXXX", said[4096] = "";
    int count = 0, file = mkstemp(path), kept = dup(STDERR_FILENO);
    assert_true(file >= 0 && kept >= 0);
    fflush(stderr);
    dup2(file, STDERR_FILENO);
    call();
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    ssize_t bytes = pread(file, said, sizeof said - 1, 0);
    assert_true(bytes >= 0);
    close(file);
    close(kept);
    unlink(path);
    for (const char *at = said; (at = strstr(at, text)); at++)
        count++;
    return count;
}

static void call_twice(void)
{
    FAILS(cudaErrorNotSupported, cudaIpcCloseMemHandle(NULL));
    FAILS(cudaErrorNotSupported, cudaIpcCloseMemHandle(NULL));
    FAILS(cudaErrorNotSupported, cudaGetLastError());
}

static void test_unsupported_calls_say_so_once(void **state)
{
    (void)state;
    assert_int_equal(count_on_stderr("heddle: cudaIpcCloseMemHandle is not supported\n", call_twice), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_name_is_there),
        cmocka_unit_test(test_unsupported_calls_say_so_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
