// Prices of European options by a binomial tree. A block prices one option: it writes the values at the last time step
// to its row of global memory, then walks back to the first step. It takes WINDOW values into shared memory, goes DEPTH
// steps back there, and writes those that are still right; each step costs the right end of the window one value.

#include "device.h"

enum { WINDOW = 256, DEPTH = 32, STRIDE = WINDOW - DEPTH, MOST_OPTIONS = 512, PADDING = 16 };

struct option {
    float stock, strike;
    float growth;   // logarithm of the factor by which the stock rises or falls in a step
    float up, down; // discounted probabilities that it rises, that it falls
};

__constant__ option options[MOST_OPTIONS];

// Blocks of WINDOW threads, one per option. `steps` is a multiple of DEPTH. A row of `values` has steps + 1 values and
// is padded to steps + PADDING, so that rows start at multiples of 64 bytes.
extern "C" __global__ void price(float *values, float *prices, int steps)
{
    // The last thread also reads the element behind the window. That value is never right, and never used.
    __shared__ float now[WINDOW + 1], next[WINDOW + 1];
    int me = threadIdx.x;
    option o = options[blockIdx.x];
    float *row = values + blockIdx.x * (steps + PADDING);

    for (int i = me; i <= steps; i += WINDOW) {
        float gain = o.stock * expf(o.growth * (2.0f * i - steps)) - o.strike;
        row[i] = gain > 0 ? gain : 0;
    }

    for (int last = steps; last > 0; last -= DEPTH)
        for (int first = 0; first < last; first += STRIDE) {
            int last_loaded = min(WINDOW - 1, last - first), last_right = last_loaded - DEPTH;
            __syncthreads();
            if (me <= last_loaded)
                now[me] = row[first + me];
#pragma unroll 1
            for (int k = last_loaded - 1; k >= last_right; k -= 2) {
                __syncthreads();
                next[me] = o.up * now[me + 1] + o.down * now[me];
                __syncthreads();
                now[me] = o.up * next[me + 1] + o.down * next[me];
            }
            __syncthreads();
            if (me <= last_right)
                row[first + me] = now[me];
        }
    if (me == 0)
        prices[blockIdx.x] = now[0];
}
