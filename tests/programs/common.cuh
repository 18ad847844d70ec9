// What the programs share: an end with a message when a call fails that must not, a repeatable source of numbers, and a
// line for a truth that must hold.
#ifndef PROGRAMS_COMMON_CUH
#define PROGRAMS_COMMON_CUH
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                 \
    do {                                                                            \
        cudaError_t error_ = (call);                                                \
        if (error_ != cudaSuccess) {                                                \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error_)); \
            exit(2);                                                                \
        }                                                                           \
    } while (0)

// The launch before was accepted, and the kernel ended well.
#define CHECK_KERNEL()                  \
    do {                                \
        CHECK(cudaGetLastError());      \
        CHECK(cudaDeviceSynchronize()); \
    } while (0)

// Prints the name of the error that a call returns.
#define TELL(call) printf("%s -> %s\n", #call, cudaGetErrorName(call))

// Prints whether something holds.
static inline void fact(const char *what, bool holds)
{
    printf("%s %s\n", what, holds ? "yes" : "NO");
}

// A linear congruential generator: the same numbers everywhere.
struct numbers {
    unsigned long long state;
    explicit numbers(unsigned long long seed) : state(seed * 2862933555777941757ull + 3037000493ull) {}
    unsigned next()
    {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (unsigned)(state >> 33);
    }
    unsigned below(unsigned bound) { return next() % bound; }
};

// A fingerprint of any bytes (FNV-1a).
static inline unsigned fingerprint(const void *bytes, size_t count)
{
    const unsigned char *byte = (const unsigned char *)bytes;
    unsigned hash = 2166136261u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ byte[i]) * 16777619u;
    return hash;
}
#endif
