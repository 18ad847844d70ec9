// Prices of European options by the formula of Black and Scholes. Threads go through the options with the stride of the
// grid; each option takes a logarithm, exponentials and two values of the cumulative normal distribution.

#include "device.h"

// The normal distribution's integral up to d: the polynomial 26.2.17 of Abramowitz and Stegun, off by 7.5e-8 at most.
static __device__ __forceinline__ float cumulative_normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float polynomial =
        k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.3989422804f * __expf(-0.5f * d * d) * polynomial;
    if (d > 0)
        tail = 1.0f - tail;
    return tail;
}

extern "C" __global__ void price(float *calls, float *puts, const float *stocks, const float *strikes,
                                 const float *years, float rate, float volatility, int count)
{
    int threads = blockDim.x * gridDim.x;
    for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < count; i += threads) {
        float stock = stocks[i], strike = strikes[i], time = years[i];
        float spread = volatility * sqrtf(time);
        float d1 = (__logf(stock / strike) + (rate + 0.5f * volatility * volatility) * time) / spread;
        float d2 = d1 - spread;
        float n1 = cumulative_normal(d1), n2 = cumulative_normal(d2);
        float discounted = strike * __expf(-rate * time);
        calls[i] = stock * n1 - discounted * n2;
        puts[i] = discounted * (1.0f - n2) - stock * (1.0f - n1);
    }
}
