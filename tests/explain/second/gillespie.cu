// kind: loop trips
// line: 31
// gain: yes
// why: a stochastic epidemic ends when nobody is infected: some lanes die out after a few events, others have hundreds
// Gillespie's algorithm for small SIR epidemics, one realisation a thread; integer rates, so that CPU and GPU agree exactly.
#include "../program.h"

struct Rng {
    uint32_t s;
    __host__ __device__ uint32_t next() { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; }
};
struct Result { int recovered, events; };

template <int POPULATION>
__host__ __device__ inline Result epidemic(uint32_t seed, int beta, int gamma) {
    Rng rng{seed | 1u};
    int s = POPULATION - 2, i = 2, events = 0;
    unsigned clock = 0;
    do {
        // rates in units of 1/POPULATION
        unsigned infect = unsigned(beta) * s * i / POPULATION, recover = unsigned(gamma) * i;
        unsigned total = infect + recover;
        unsigned pick = unsigned((uint64_t(rng.next()) * total) >> 32);
        // waiting time: uniform around the mean instead of exponential, which the final size does not depend on
        unsigned wait = rng.next() >> 20;
        clock += 1 + wait * 2u / total;
        bool infected = pick < infect;
        s -= infected;
        i += infected ? 1 : -1;
        ++events;
    } while (i > 0 && clock < 1000000u);
    return Result{POPULATION - s - i, events};
}

__global__ void realise(const uint32_t *seeds, const int *beta, int n, int *size) {
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
        Result r = epidemic<256>(seeds[k], beta[k], 100);
        size[k] = r.recovered * 4096 + r.events;
    }
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 512);
    Lcg g(5);
    const int n = 8192 * opt.scale;
    std::vector<uint32_t> seeds(n);
    std::vector<int> beta(n);
    for (auto &s : seeds) s = g();
    for (auto &b : beta) b = 60 + int(g.below(160));
    Dev<uint32_t> ds(seeds);
    Dev<int> db(beta), out(n);
    opt.bench([&] { realise<<<(n + 127) / 128, 128>>>(ds.p, db.p, n, out.p); });
    std::vector<int> want;
    if (!opt.big) for (int k = 0; k < n; ++k) { Result r = epidemic<256>(seeds[k], beta[k], 100); want.push_back(r.recovered * 4096 + r.events); }
    return report(out.host(), want);
}
