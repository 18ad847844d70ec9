// rewritten: sort (calls, then puts)
// key: known
// Monte Carlo of lookback options: one contract a thread, calls look at the minimum and puts at the maximum of the path.
#include "../program.h"

struct Terms { float spot, strike, vol; int is_call; uint32_t seed; };

// sum of uniform numbers instead of a normal one: no library function, so that the CPU agrees closely
__host__ __device__ inline float shock(uint32_t &s) {
    float z = -6.0f;
#pragma unroll
    for (int k = 0; k < 12; ++k) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; z += (s >> 8) * (1.0f / 16777216.0f); }
    return z;
}

__host__ __device__ inline float lookback(const Terms &t, int steps, float rate) {
    uint32_t s = t.seed | 1u;
    const float dt = 1.0f / steps, sd = t.vol * sqrtf(dt), drift = rate * dt;
    float value;
    if (t.is_call) {
        float price = t.spot, low = price;
        for (int k = 0; k < steps; ++k) {
            price *= 1.0f + drift + sd * shock(s);
            price = fmaxf(price, 0.01f);
            low = fminf(low, price);
        }
        value = fmaxf(price - fmaxf(low, t.strike), 0.0f);
    } else {
        float price = t.spot, high = price;
        for (int k = 0; k < steps; ++k) {
            price *= 1.0f + drift + sd * shock(s);
            price = fmaxf(price, 0.01f);
            high = fmaxf(high, price);
        }
        value = fmaxf(fminf(high, t.strike) - price, 0.0f);
    }
    return value * (1.0f - rate);
}

__global__ void simulate(const Terms *__restrict__ terms, const int *__restrict__ order, int n, int steps, float rate, float *__restrict__ value) {
    int slot = blockIdx.x * blockDim.x + threadIdx.x;
    if (slot >= n) return;
    int i = order[slot];
    Terms t = terms[i];
    value[i] = lookback(t, steps, rate);
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 1024);
    Lcg g(97);
    const int n = 8192 * opt.scale, steps = 40;
    std::vector<Terms> terms(n);
    for (auto &t : terms) t = {90 + 20 * g.uni(), 90 + 20 * g.uni(), 0.1f + 0.4f * g.uni(), int(g.below(2)), g()};
    Dev<Terms> dt(terms);
    Dev<float> out(n);
    // the order in which threads take the inputs: calls, then puts
    std::vector<int> order(n);
    for (int i = 0; i < n; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return terms[a].is_call > terms[b].is_call; });
    Dev<int> dord(order);
    opt.bench([&] { simulate<<<(n + 127) / 128, 128>>>(dt.p, dord.p, n, steps, 0.02f, out.p); });
    std::vector<float> want;
    if (!opt.big) for (auto &t : terms) want.push_back(lookback(t, steps, 0.02f));
    return report(out.host(), want, 1e-3);
}
