// A portfolio of swaptions under the LIBOR market model: each thread follows one path of the forward rates over `steps`
// maturities and values the portfolio at its end. `value` does just that. `value_and_slopes` also goes the path
// backwards, with all rates of all times that it has kept, and finds the slopes of the value for changes of the rates.

#include "device.h"

enum { MOST_RATES = 80, MOST_STEPS = 40, MOST_KEPT = MOST_RATES * (MOST_STEPS + 1), MOST_OPTIONS = 15 };

struct market {
    int rates, steps, options;
    float interval; // between maturities, in years
    int maturity[MOST_OPTIONS];
    float swap_rate[MOST_OPTIONS], volatility[MOST_RATES];
};

__constant__ market m;

// Loops stay as written: compilers of the time did not unroll loops whose length they did not know.

// One time step after the other; a rate that has matured stays as it is.
static __device__ __forceinline__ void follow_path(float *rate, const float *shock)
{
#pragma unroll 1
    for (int n = 0; n < m.steps; n++) {
        float root_shock = sqrtf(m.interval) * shock[n], drift = 0;
#pragma unroll 1
        for (int i = n + 1; i < m.rates; i++) {
            float sigma = m.volatility[i - n - 1], variance = m.interval * sigma;
            drift += __fdividef(variance * rate[i], 1.0f + m.interval * rate[i]);
            rate[i] *= __expf(variance * drift + sigma * (root_shock - 0.5f * variance));
        }
    }
}

static __device__ __forceinline__ void follow_and_keep(float *rate, const float *shock, float *kept)
{
#pragma unroll 1
    for (int i = 0; i < m.rates; i++)
        kept[i] = rate[i];
#pragma unroll 1
    for (int n = 0; n < m.steps; n++) {
        float root_shock = sqrtf(m.interval) * shock[n], drift = 0;
#pragma unroll 1
        for (int i = n + 1; i < m.rates; i++) {
            float sigma = m.volatility[i - n - 1], variance = m.interval * sigma;
            drift += __fdividef(variance * rate[i], 1.0f + m.interval * rate[i]);
            rate[i] *= __expf(variance * drift + sigma * (root_shock - 0.5f * variance));
            kept[i + (n + 1) * m.rates] = rate[i];
        }
    }
}

// The path backwards: from the slopes for the rates at the end to those for the rates at the beginning.
static __device__ __forceinline__ void carry_back(float *slope, const float *kept)
{
#pragma unroll 1
    for (int n = m.steps - 1; n >= 0; n--) {
        float sum = 0;
#pragma unroll 1
        for (int i = m.rates - 1; i > n; i--) {
            float sigma = m.volatility[i - n - 1], after = kept[i + (n + 1) * m.rates], before = kept[i + n * m.rates];
            sum += sigma * after * slope[i];
            float factor = __fdividef(m.interval, 1.0f + m.interval * before);
            slope[i] = slope[i] * __fdividef(after, before) + sum * sigma * factor * factor;
        }
    }
}

static __device__ __forceinline__ float portfolio(const float *rate)
{
    float bond[MOST_STEPS], annuity[MOST_STEPS], discount = 1, sum = 0, value = 0;
#pragma unroll 1
    for (int n = m.steps; n < m.rates; n++) {
        discount = discount / (1.0f + m.interval * rate[n]);
        sum += m.interval * discount;
        bond[n - m.steps] = discount;
        annuity[n - m.steps] = sum;
    }
#pragma unroll 1
    for (int i = 0; i < m.options; i++) {
        int last = m.maturity[i] - 1;
        float swap = bond[last] + m.swap_rate[i] * annuity[last] - 1.0f;
        if (swap < 0)
            value += -100.0f * swap;
    }
    discount = 1;
#pragma unroll 1
    for (int n = 0; n < m.steps; n++)
        discount = discount / (1.0f + m.interval * rate[n]);
    return discount * value;
}

// `slope` may be `rate`: a rate is read before its slope is written.
static __device__ __forceinline__ float portfolio_and_slopes(const float *rate, float *slope)
{
    float bond[MOST_STEPS], annuity[MOST_STEPS], bond_slope[MOST_STEPS], annuity_slope[MOST_STEPS];
    float discount = 1, sum = 0, value = 0;
#pragma unroll 1
    for (int k = 0; k < m.rates - m.steps; k++) {
        discount = __fdividef(discount, 1.0f + m.interval * rate[k + m.steps]);
        sum += m.interval * discount;
        bond[k] = discount;
        annuity[k] = sum;
    }
#pragma unroll 1
    for (int k = 0; k < m.rates - m.steps; k++) {
        bond_slope[k] = 0;
        annuity_slope[k] = 0;
    }
#pragma unroll 1
    for (int i = 0; i < m.options; i++) {
        int last = m.maturity[i] - 1;
        float swap = bond[last] + m.swap_rate[i] * annuity[last] - 1.0f;
        if (swap < 0) {
            value += -100.0f * swap;
            annuity_slope[last] += -100.0f * m.swap_rate[i];
            bond_slope[last] += -100.0f;
        }
    }
#pragma unroll 1
    for (int k = m.rates - m.steps - 1; k >= 0; k--) {
        float growth = 1.0f + m.interval * rate[k + m.steps];
        bond_slope[k] += m.interval * annuity_slope[k];
        slope[k + m.steps] = -bond_slope[k] * bond[k] * __fdividef(m.interval, growth);
        if (k > 0) {
            annuity_slope[k - 1] += annuity_slope[k];
            bond_slope[k - 1] += __fdividef(bond_slope[k], growth);
        }
    }
    discount = 1;
#pragma unroll 1
    for (int n = 0; n < m.steps; n++)
        discount = discount / (1.0f + m.interval * rate[n]);
    value = discount * value;
#pragma unroll 1
    for (int n = 0; n < m.steps; n++)
        slope[n] = -value * m.interval / (1.0f + m.interval * rate[n]);
#pragma unroll 1
    for (int n = m.steps; n < m.rates; n++)
        slope[n] = discount * slope[n];
    return value;
}

// The same beginning and the same shocks for all paths, as in the original.
static __device__ __forceinline__ void begin_path(float *rate, float *shock)
{
#pragma unroll 1
    for (int i = 0; i < m.rates; i++) {
        shock[i] = 0.3f;
        rate[i] = 0.05f;
    }
}

// Blocks of 64 threads. A thread takes more than one path if there are more paths than threads.
extern "C" __global__ void value(float *values, int paths)
{
    float rate[MOST_RATES], shock[MOST_RATES];
#pragma unroll 1
    for (int path = blockDim.x * blockIdx.x + threadIdx.x; path < paths; path += blockDim.x * gridDim.x) {
        begin_path(rate, shock);
        follow_path(rate, shock);
        values[path] = portfolio(rate);
    }
}

// Of the slopes one is written per path, for another rate from path to path.
extern "C" __global__ void value_and_slopes(float *values, float *slopes, int paths)
{
    float rate[MOST_RATES], shock[MOST_RATES], kept[MOST_KEPT];
#pragma unroll 1
    for (int path = blockDim.x * blockIdx.x + threadIdx.x; path < paths; path += blockDim.x * gridDim.x) {
        begin_path(rate, shock);
        follow_and_keep(rate, shock, kept);
        values[path] = portfolio_and_slopes(rate, rate);
        carry_back(rate, kept);
        slopes[path] = rate[path % m.rates];
    }
}
