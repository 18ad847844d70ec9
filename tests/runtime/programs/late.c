/* Calls of the runtime at the very end: by atexit(), by a destructor, and by a thread that is still at work then. None
 * may crash or hang, whatever they return. */
#include "cuda_runtime_api.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *memory;

static void call(void)
{
    cudaStream_t stream = NULL;
    (void)cudaFree(memory);
    (void)cudaStreamCreate(&stream);
    (void)cudaStreamDestroy(stream);
    (void)cudaDeviceSynchronize();
}

__attribute__((destructor)) static void at_the_end(void)
{
    call();
}

static void *work(void *unused)
{
    (void)unused;
    for (;;) {
        void *own = NULL;
        (void)cudaMalloc(&own, 1000);
        (void)cudaMemset(own, 1, 1000);
        (void)cudaFree(own);
    }
    return NULL;
}

int main(int count, char **words)
{
    (void)words;
    pthread_t thread;
    atexit(call);
    if (cudaMalloc(&memory, 4))
        return 1;
    if (count > 1 && pthread_create(&thread, NULL, work, NULL))
        return 1;
    usleep(count > 1 ? 20000 : 0);
    puts("end of main");
    return 3;
}
