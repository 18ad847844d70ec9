/* Eight host threads, each with a stream, memory and launches of its own, and errors of its own. */
#include "tests/runtime/registered.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 8, ROUNDS = 50 };

static char add;
static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry add(.param .u64 at, .param .u32 by)\n"
                          "{ .reg .b32 %r<2>; .reg .b64 %d; ld.param.u64 %d, [at]; ld.param.u32 %r0, [by];\n"
                          "  atom.global.add.u32 %r1, [%d], %r0; ret; }\n";

/* NULL: all is as it should be. */
static void *work(void *data)
{
    uint32_t by = (uint32_t)(uintptr_t)data, sum = 0;
    void *memory = NULL, *arguments[] = {&memory, &by};
    cudaStream_t stream;
    if (cudaStreamCreate(&stream) || cudaMalloc(&memory, sizeof sum) || cudaMemset(memory, 0, sizeof sum))
        return "cannot start";
    for (int i = 0; i < ROUNDS; i++) {
        if (cudaSetDevice(by % 2 ? 0 : 9) != (by % 2 ? cudaSuccess : cudaErrorInvalidDevice))
            return "wrong device";
        if (cudaLaunchKernel(&add, (dim3){2, 1, 1}, (dim3){32, 1, 1}, arguments, 0, stream))
            return "cannot launch";
        if (cudaGetLastError() != (by % 2 ? cudaSuccess : cudaErrorInvalidDevice))
            return "another thread's error";
    }
    if (cudaStreamSynchronize(stream) || cudaMemcpy(&sum, memory, sizeof sum, cudaMemcpyDeviceToHost) ||
        cudaFree(memory) || cudaStreamDestroy(stream))
        return "cannot end";
    return sum == by * 64 * ROUNDS ? NULL : "wrong sum";
}

int main(void)
{
    pthread_t thread[THREADS];
    int failed = 0;
    void **binary = registered_binary(ptx);
    registered_kernel(binary, &add, "add");
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++) {
        void *what = "not joined";
        pthread_join(thread[i], &what);
        if (what)
            printf("thread %d: %s\n", i, (char *)what);
        failed += what != NULL;
    }
    if (!failed)
        puts("all threads agree");
    return failed;
}
