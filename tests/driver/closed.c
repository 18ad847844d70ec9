/* A program that opens the driver by name, has it start its thread, closes it, and goes on. */
#include "cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static void count(void *calls)
{
    ++*(int *)calls;
}

#define NAME_OF(name) #name
#define CALL(name, ...)                                                             \
    do {                                                                            \
        __typeof__(name) *call_ = (__typeof__(name) *)dlsym(driver, NAME_OF(name)); \
        CUresult result_ = call_ ? call_(__VA_ARGS__) : CUDA_ERROR_NOT_FOUND;       \
        if (result_) {                                                              \
            printf("%s: error %d\n", #name, (int)result_);                          \
            return 1;                                                               \
        }                                                                           \
    } while (0)

int main(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver)
        return 1;
    CUcontext context;
    int calls = 0;
    CALL(cuInit, 0);
    CALL(cuDevicePrimaryCtxRetain, &context, 0);
    CALL(cuCtxSetCurrent, context);
    CALL(cuLaunchHostFunc, NULL, count, &calls);
    dlclose(driver);
    usleep(20000); /* the thread wakes now and then */
    printf("%d host function has run\n", calls);
    return 0;
}
