// kind: condition in a loop
// line: 22
// gain: yes
// why: each event is a limit order, a cancellation or a market order at random per lane, and each side has loops over the levels of the book
// Replays simulated order flow on many small order books, one a thread; the event comes from the book's own random stream.
#include "../program.h"

constexpr int LEVELS = 16;

struct Book {
    int qty[LEVELS];
    int best, traded, volume;
    uint32_t seed;
};

__host__ __device__ inline uint32_t draw(uint32_t &s) { s = s * 1664525u + 1013904223u; return (s ^ (s >> 16)) * 0x7feb352du >> 4; }

__host__ __device__ inline void event(Book &b) {
    uint32_t r = draw(b.seed);
    uint32_t kind = r % 100u;
    int size = 1 + int((r >> 8) & 31u);
    if (kind < 45u) {
        // limit order: added where the resting quantity is smallest
        int where = 0, least = 1 << 30;
        for (int l = 0; l < LEVELS; ++l) {
            int cost = b.qty[l] * 4 + l;
            if (cost < least) { least = cost; where = l; }
        }
        b.qty[where] += size;
        b.best = where < b.best ? where : b.best;
    } else if (kind < 75u) {
        // cancellation: every level loses a share, the weights decay with depth
        int weight = 64, lost = 0;
        for (int l = LEVELS - 1; l >= 0; --l) {
            int cut = b.qty[l] * weight >> 9;
            b.qty[l] -= cut;
            lost += cut;
            weight = weight * 7 >> 3;
        }
        b.volume += lost & 3;
    } else {
        // market order: walks the book from the best level on
        int left = size * 3, paid = 0;
        for (int l = 0; l < LEVELS; ++l) {
            int take = b.qty[l] < left ? b.qty[l] : left;
            b.qty[l] -= take;
            left -= take;
            paid += take * (100 + l);
            if (take > 0) b.best = l;
        }
        b.traded += paid;
        b.volume += size * 3 - left;
    }
}

__host__ __device__ inline uint32_t replay(uint32_t seed, int events) {
    Book b;
    for (int l = 0; l < LEVELS; ++l) b.qty[l] = 20 + l;
    b.best = 0; b.traded = 0; b.volume = 0; b.seed = seed;
    for (int e = 0; e < events; ++e) event(b);
    uint32_t h = uint32_t(b.traded) * 31u + b.volume;
    for (int l = 0; l < LEVELS; ++l) h = h * 33u + b.qty[l];
    return h + b.best;
}

__global__ void replay_books(const uint32_t *seed, int n, int events, uint32_t *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = replay(seed[i], events);
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 512);
    Lcg g(31);
    const int n = 8192 * opt.scale, events = 48;
    std::vector<uint32_t> seed(n), want;
    for (auto &s : seed) s = g();
    Dev<uint32_t> ds(seed), out(n);
    opt.bench([&] { replay_books<<<(n + 127) / 128, 128>>>(ds.p, n, events, out.p); });
    if (!opt.big) for (auto s : seed) want.push_back(replay(s, events));
    return report(out.host(), want);
}
