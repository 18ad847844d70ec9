// Prices of European call options by Monte Carlo integration: the payoff of an option is averaged over many samples of
// the normal distribution, the same samples for all options. One block per option.

#include "device.h"

enum { THREADS = 256, MOST_OPTIONS = 512 };

struct option {
    float price, strike, drift, spread; // drift and spread of the price's logarithm over the option's life
};

__constant__ option options[MOST_OPTIONS];

// The normal deviate whose distribution function is (x + 1/2) / 2^32, by Moro's approximation: a rational function in
// the middle, a polynomial of the logarithm in the tails.
static __device__ __forceinline__ float normal_of(unsigned x)
{
    const float a1 = 2.50662823884f, a2 = -18.61500062529f, a3 = 41.39119773534f, a4 = -25.44106049637f;
    const float b1 = -8.4735109309f, b2 = 23.08336743743f, b3 = -21.06224101826f, b4 = 3.13082909833f;
    const float c1 = 0.3374754822726147f, c2 = 0.9761690190917186f, c3 = 0.1607979714918209f, c4 = 0.0276438810333863f,
                c5 = 0.0038405729373609f, c6 = 0.0003951896511919f, c7 = 0.0000321767881768f, c8 = 0.0000002888167364f,
                c9 = 0.0000003960315187f;
    bool is_upper = false;
    if (x >= 0x80000000u) {
        x = 0xffffffffu - x;
        is_upper = true;
    }
    float p = (float)x * 0x1p-32f + 0x1p-33f, from_middle = p - 0.5f, z;
    if (from_middle > -0.42f) {
        z = from_middle * from_middle;
        z = from_middle * (((a4 * z + a3) * z + a2) * z + a1) / ((((b4 * z + b3) * z + b2) * z + b1) * z + 1.0f);
    } else {
        z = __logf(-__logf(p));
        z = -(c1 + z * (c2 + z * (c3 + z * (c4 + z * (c5 + z * (c6 + z * (c7 + z * (c8 + z * c9))))))));
    }
    return is_upper ? -z : z;
}

// Samples at equal steps of the distribution function.
extern "C" __global__ void make_samples(float *samples, unsigned count)
{
    unsigned step = 0xffffffffu / (count + 1);
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
        samples[i] = normal_of((i + 1) * step);
}

// What the option pays if the price develops by this sample.
static __device__ __forceinline__ float payoff(const option &o, float sample)
{
    float gain = o.price * __expf(o.drift + o.spread * sample) - o.strike;
    return gain > 0 ? gain : 0;
}

// Sums of payoffs and of their squares over all samples.
extern "C" __global__ void price_options(float2 *sums, const float *samples, int count)
{
    __shared__ float sum[THREADS], sum_of_squares[THREADS];
    const option o = options[blockIdx.x];
    for (int at = threadIdx.x; at < THREADS; at += blockDim.x) {
        float payoffs = 0, squares = 0;
        for (int i = at; i < count; i += THREADS) {
            float paid = payoff(o, samples[i]);
            payoffs += paid;
            squares += paid * paid;
        }
        sum[at] = payoffs;
        sum_of_squares[at] = squares;
    }

    for (int stride = THREADS / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        for (int at = threadIdx.x; at < stride; at += THREADS) {
            sum[at] += sum[at + stride];
            sum_of_squares[at] += sum_of_squares[at + stride];
        }
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = make_float2(sum[0], sum_of_squares[0]);
}
