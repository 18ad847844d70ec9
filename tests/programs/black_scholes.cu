// Prices of options by the formula of Black and Scholes, against the host's, and put-call parity.
#include "common.cuh"
#include <cmath>
#include <vector>

__host__ __device__ inline float normal(float x)
{
    return 0.5f * erfcf(-x * 0.70710678f);
}

__host__ __device__ inline void price(float s, float x, float t, float r, float v, float *call, float *put)
{
    float root = sqrtf(t);
    float d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
    float discount = expf(-r * t);
    *call = s * normal(d1) - x * discount * normal(d2);
    *put = x * discount * normal(-d2) - s * normal(-d1);
}

__global__ void prices(const float *s, const float *x, const float *t, float *call, float *put, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        price(s[i], x[i], t[i], 0.02f, 0.3f, &call[i], &put[i]);
}

int main()
{
    const int n = 2000;
    std::vector<float> s(n), x(n), t(n), call(n), put(n);
    numbers random(31);
    for (int i = 0; i < n; i++) {
        s[i] = 5 + random.below(2500) / 100.0f;
        x[i] = 1 + random.below(9900) / 100.0f;
        t[i] = 0.25f + random.below(975) / 100.0f;
    }
    float *d[5];
    for (float *&p : d)
        CHECK(cudaMalloc(&p, n * sizeof(float)));
    CHECK(cudaMemcpy(d[0], s.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d[1], x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d[2], t.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    prices<<<(n + 255) / 256, 256>>>(d[0], d[1], d[2], d[3], d[4], n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(call.data(), d[3], n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(put.data(), d[4], n * sizeof(float), cudaMemcpyDeviceToHost));
    double worst = 0, parity = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        float c, p;
        price(s[i], x[i], t[i], 0.02f, 0.3f, &c, &p);
        worst = std::fmax(worst, std::fmax(std::fabs(c - call[i]), std::fabs(p - put[i])));
        parity = std::fmax(parity, std::fabs(call[i] - put[i] - s[i] + x[i] * std::exp(-0.02 * t[i])));
        sum += call[i];
    }
    fact("as on the host", worst < 1e-4);
    fact("put-call parity", parity < 1e-4);
    printf("mean call %.2f\n", sum / n);
    for (float *p : d)
        CHECK(cudaFree(p));
    return 0;
}
