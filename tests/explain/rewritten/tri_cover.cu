// rewritten: sort (triangles that are drawn, then the culled ones)
// key: known (the culling test itself, which depends on the triangle alone)
// Coverage of small triangles by 12x12 samples of their bounding square, one triangle a thread, after culling.
#include "../program.h"

struct Tri { int x[3], y[3]; };   // 24.8 fixed point
enum : uint32_t { CULLED_BACK = 0xffff0001u, CULLED_OUT = 0xffff0002u };

__host__ __device__ inline uint32_t coverage(const Tri &t, int x0, int y0, int size) {
    int a[3], b[3], c[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        int n = (k + 1) % 3;
        a[k] = t.y[k] - t.y[n];
        b[k] = t.x[n] - t.x[k];
        c[k] = -(a[k] * (t.x[k] - x0) + b[k] * (t.y[k] - y0));
    }
    uint32_t count = 0, mask = 0;
    for (int j = 0; j < 12; ++j)
        for (int i = 0; i < 12; ++i) {
            int px = (2 * i + 1) * size / 24, py = (2 * j + 1) * size / 24;
            bool in = (a[0] * px + b[0] * py + c[0] >= 0) & (a[1] * px + b[1] * py + c[1] >= 0) & (a[2] * px + b[2] * py + c[2] >= 0);
            count += in;
            mask = (mask << 1 | mask >> 31) ^ uint32_t(in);
        }
    return count << 20 ^ (mask & 0xfffffu);
}

__host__ __device__ inline int min3(int a, int b, int c) { int m = a < b ? a : b; return m < c ? m : c; }
__host__ __device__ inline int max3(int a, int b, int c) { int m = a > b ? a : b; return m > c ? m : c; }

__global__ void cover(const Tri *__restrict__ tris, const int *__restrict__ order, int n, int w, int h, uint32_t *__restrict__ out) {
    int slot = blockIdx.x * blockDim.x + threadIdx.x;
    if (slot >= n) return;
    int i = order[slot];
    const Tri t = tris[i];
    int area = (t.x[1] - t.x[0]) * (t.y[2] - t.y[0]) - (t.x[2] - t.x[0]) * (t.y[1] - t.y[0]);
    int x0 = min3(t.x[0], t.x[1], t.x[2]), x1 = max3(t.x[0], t.x[1], t.x[2]), y0 = min3(t.y[0], t.y[1], t.y[2]), y1 = max3(t.y[0], t.y[1], t.y[2]);
    bool back = area <= 0, outside = x1 < 0 || y1 < 0 || x0 > w || y0 > h;
    if (back || outside) {
        out[i] = back ? CULLED_BACK : CULLED_OUT;
        return;
    }
    int size = max(x1 - x0, y1 - y0) + 1;
    out[i] = coverage(t, x0, y0, size);
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 1024);
    Lcg g(64);
    const int n = 16384 * opt.scale, w = 1024 << 8, h = 1024 << 8;
    std::vector<Tri> tris(n);
    for (auto &t : tris) {
        int x = int(g.below(1300u << 8)) - (150 << 8), y = int(g.below(1300u << 8)) - (150 << 8);
        for (int k = 0; k < 3; ++k) { t.x[k] = x + int(g.below(16 << 8)); t.y[k] = y + int(g.below(16 << 8)); }
    }
    Dev<Tri> dt(tris);
    Dev<uint32_t> out(n);
    auto culled = [&](const Tri &t) {
        int area = (t.x[1] - t.x[0]) * (t.y[2] - t.y[0]) - (t.x[2] - t.x[0]) * (t.y[1] - t.y[0]);
        int x0 = min3(t.x[0], t.x[1], t.x[2]), x1 = max3(t.x[0], t.x[1], t.x[2]), y0 = min3(t.y[0], t.y[1], t.y[2]), y1 = max3(t.y[0], t.y[1], t.y[2]);
        return area <= 0 || x1 < 0 || y1 < 0 || x0 > w || y0 > h;
    };
    // the order in which threads take the inputs: triangles that are drawn, then the culled ones
    std::vector<int> order(n);
    for (int i = 0; i < n; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return culled(tris[a]) < culled(tris[b]); });
    Dev<int> dord(order);
    opt.bench([&] { cover<<<(n + 255) / 256, 256>>>(dt.p, dord.p, n, w, h, out.p); });
    std::vector<uint32_t> want;
    if (!opt.big)
        for (auto &t : tris) {
            int area = (t.x[1] - t.x[0]) * (t.y[2] - t.y[0]) - (t.x[2] - t.x[0]) * (t.y[1] - t.y[0]);
            int x0 = min3(t.x[0], t.x[1], t.x[2]), x1 = max3(t.x[0], t.x[1], t.x[2]), y0 = min3(t.y[0], t.y[1], t.y[2]), y1 = max3(t.y[0], t.y[1], t.y[2]);
            want.push_back(area <= 0 ? uint32_t(CULLED_BACK) : x1 < 0 || y1 < 0 || x0 > w || y0 > h ? uint32_t(CULLED_OUT) : coverage(t, x0, y0, std::max(x1 - x0, y1 - y0) + 1));
        }
    return report(out.host(), want);
}
