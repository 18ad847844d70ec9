// A program with no kernel of its own: all device code comes from a static library (the files lib_*.cu).
#include "../common.cuh"
#include "filters.h"

int main()
{
    const int n = 1000;
    static int host[n];
    numbers random(5);
    for (int &x : host)
        x = random.below(1000);
    int *a, *b;
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMalloc(&b, sizeof host));
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    filter_threshold(a, n, 600);
    filter_smooth(a, b, n);
    filter_threshold(b, n, 450);
    CHECK(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost));
    long long sum = 0;
    int most = 0;
    for (int x : host) {
        sum += x;
        most = x > most ? x : most;
    }
    printf("sum %lld most %d launches %d\n", sum, most, filter_launches());
    return 0;
}
