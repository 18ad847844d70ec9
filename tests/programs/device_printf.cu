// printf of kernels: formats, the order of one thread's lines and of one kernel after another, and its return value.
#include "common.cuh"

__global__ void formats(const char *device_text)
{
    printf("plain\n");
    printf("%d %i %u %x %X %o %c%c\n", -5, 7, 4000000000u, 0xbeef, 0xbeef, 8, 'o', 'k');
    printf("[%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, 42, 42, 42, 42);
    printf("%lld %llu %llx %ld %hd\n", -1234567890123ll, 18446744073709551615ull, 0xfedcba9876543210ull, 99l,
           (short)-3);
    printf("%f %.3f %10.2f %-10.1f| %e %.2E %g %g\n", 1.5, 2.0 / 3, 3.14159, 2.5, 12345.678, 0.00012, 1e10, 0.0001);
    printf("%s and %s %%\n", "literal", device_text);
    printf("%*d|\n", 6, 12);
    printf("%f %f %f\n", 1.0 / 0.0, -1.0 / 0.0, 0.0f);
    int count = printf("three %d %d %d\n", 1, 2, 3);
    printf("returned %d\n", count);
    printf("%10s|%-10s|%.2s\n", "right", "left", "cut off");
    printf("no newline; ");
    printf("then one\n");
}

__global__ void in_turn(int *turn)
{
    // One thread at a time, in the order of its number.
    for (int t = 0; t < (int)blockDim.x; t++) {
        if ((int)threadIdx.x == t)
            printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
        __syncthreads();
    }
}

__global__ void one(int number)
{
    printf("kernel %d\n", number);
}

int main()
{
    char *text;
    CHECK(cudaMallocManaged(&text, 32));
    snprintf(text, 32, "managed text");
    printf("host first\n");
    fflush(stdout);
    formats<<<1, 1>>>(text);
    CHECK_KERNEL();
    in_turn<<<1, 5>>>(NULL);
    CHECK_KERNEL();
    for (int i = 0; i < 3; i++)
        one<<<1, 1>>>(i);
    CHECK_KERNEL();
    printf("host last\n");
    return 0;
}
