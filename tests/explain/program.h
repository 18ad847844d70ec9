/*
 * What the programs of second/ and rewritten/ share: random inputs, arrays on the device, a timed launch, and the
 * comparison with what the CPU computes. An argument is a factor for the size, or `big`: a size that fills an H200, at
 * which the median time of eleven launches is printed and nothing is compared.
 */
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

inline void cu(cudaError_t e)
{
    if (e != cudaSuccess) {
        std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(e));
        std::exit(1);
    }
}

struct Lcg {
    uint64_t s;
    explicit Lcg(uint64_t seed) : s(seed * 2 + 1) {}
    uint32_t operator()()
    {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        return uint32_t(s >> 32);
    }
    uint32_t below(uint32_t n) { return uint32_t((uint64_t((*this)()) * n) >> 32); }
    float uni() { return ((*this)() >> 8) * (1.0f / 16777216.0f); }
};

template <class T> struct Dev {
    T *p = nullptr;
    size_t n = 0;
    explicit Dev(size_t count) : n(count)
    {
        cu(cudaMalloc((void **)&p, n * sizeof(T)));
        cu(cudaMemset(p, 0, n * sizeof(T)));
    }
    explicit Dev(const std::vector<T> &v) : n(v.size())
    {
        cu(cudaMalloc((void **)&p, n * sizeof(T)));
        cu(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    Dev(const Dev &) = delete;
    ~Dev() { cudaFree(p); }
    std::vector<T> host() const
    {
        std::vector<T> v(n);
        cu(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

struct Options {
    bool big = false;
    int scale = 1;
    Options(int argc, char **argv, int at_big)
    {
        if (argc > 1) {
            big = !std::strcmp(argv[1], "big");
            scale = big ? at_big : std::max(1, std::atoi(argv[1]));
        }
    }
    template <class Launch> void bench(Launch launch) const
    {
        launch();
        cu(cudaGetLastError());
        cu(cudaDeviceSynchronize());
        if (!big)
            return;
        cudaEvent_t t0, t1;
        cu(cudaEventCreate(&t0));
        cu(cudaEventCreate(&t1));
        float ms[11];
        for (int i = 0; i < 11; ++i) {
            cu(cudaEventRecord(t0));
            launch();
            cu(cudaEventRecord(t1));
            cu(cudaEventSynchronize(t1));
            cu(cudaEventElapsedTime(&ms[i], t0, t1));
        }
        std::sort(ms, ms + 11);
        std::printf("ms %.4f\n", ms[5]);
    }
};

// Compares (floats: relative tolerance; at most `slack` of all may differ), prints the checksum; want may be empty.
template <class T>
int report(const std::vector<T> &got, const std::vector<T> &want, double tol = 0.0, double slack = 0.0)
{
    size_t bad = 0;
    for (size_t i = 0; i < want.size(); ++i) {
        double g = double(got[i]), w = double(want[i]);
        if (!(std::fabs(g - w) <= tol * (1.0 + std::fabs(w))))
            ++bad;
    }
    const bool ok = double(bad) <= slack * double(want.size());
    if (!want.empty())
        std::printf("check %s (%zu of %zu differ)\n", ok ? "OK" : "WRONG", bad, want.size());
    if (T(0.5) != T(0)) {
        double s = 0;
        for (size_t i = 0; i < got.size(); ++i)
            s += double(got[i]);
        std::printf("checksum %.5e\n", s);
    } else {
        uint64_t s = 0;
        for (size_t i = 0; i < got.size(); ++i)
            s += (uint64_t(got[i]) + 0x9e3779b97f4a7c15ull) * (2 * uint64_t(i) + 1);
        std::printf("checksum %016llx\n", (unsigned long long)s);
    }
    return ok ? 0 : 1;
}
