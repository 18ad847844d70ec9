// rewritten: sort (outliers, then the other pixels; the index of a pixel is its x and y)
// key: known (the outlier test itself, which depends on the input image alone)
// Removes salt-and-pepper noise: a pixel that deviates from the mean of its cross gets the median of its 5x5 window.
#include "../program.h"

__device__ inline int clampi(int v, int hi) { return min(max(v, 0), hi); }

__global__ void despeckle(const unsigned char *__restrict__ src, unsigned char *__restrict__ dst, const ushort2 *__restrict__ order, int w, int h, int threshold) {
    const int slot = blockIdx.x * blockDim.x + threadIdx.x;
    if (slot >= w * h) return;
    const ushort2 at = order[slot];
    const int x = at.x, y = at.y;
    const int c = src[size_t(y) * w + x];
    int l = src[size_t(y) * w + clampi(x - 1, w - 1)], r = src[size_t(y) * w + clampi(x + 1, w - 1)];
    int u = src[size_t(clampi(y - 1, h - 1)) * w + x], d = src[size_t(clampi(y + 1, h - 1)) * w + x];
    // middle of the four neighbours
    int lo = min(min(l, r), min(u, d)), hi = max(max(l, r), max(u, d));
    int mid = (l + r + u + d - lo - hi) / 2;
    int result = c;
    if (abs(c - mid) > threshold) {
        // median by bisection on the value: 8 passes over the window
        int low = 0, high = 255;
        while (low < high) {
            int m = (low + high) >> 1, below = 0;
            for (int dy = -2; dy <= 2; ++dy) {
                const unsigned char *row = src + size_t(clampi(y + dy, h - 1)) * w;
                for (int dx = -2; dx <= 2; ++dx) below += row[clampi(x + dx, w - 1)] <= m;
            }
            if (below >= 13) high = m; else low = m + 1;
        }
        result = low;
    }
    dst[size_t(y) * w + x] = (unsigned char)result;
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 2048);
    Lcg g(19);
    const int w = opt.big ? 4096 : 256, h = opt.big ? 16384 : 128 * opt.scale;
    std::vector<unsigned char> img(size_t(w) * h), want;
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            int v = 128 + int(60 * std::sin(x * 0.05f) * std::cos(y * 0.07f)) + int(g.below(9));
            if (g.below(8) == 0) v = g.below(2) ? 255 : 0;
            img[size_t(y) * w + x] = (unsigned char)v;
        }
    Dev<unsigned char> ds(img), dd(img.size());
    // the order in which threads take the pixels: outliers, then the others
    std::vector<ushort2> order;
    std::vector<unsigned char> outlier(img.size());
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            auto at = [&](int x, int y) { return int(img[size_t(std::min(std::max(y, 0), h - 1)) * w + std::min(std::max(x, 0), w - 1)]); };
            int l = at(x - 1, y), r = at(x + 1, y), u = at(x, y - 1), d = at(x, y + 1);
            int lo = std::min(std::min(l, r), std::min(u, d)), hi = std::max(std::max(l, r), std::max(u, d));
            outlier[size_t(y) * w + x] = std::abs(at(x, y) - (l + r + u + d - lo - hi) / 2) > 30;
            order.push_back(make_ushort2(x, y));
        }
    std::stable_sort(order.begin(), order.end(), [&](ushort2 a, ushort2 b) { return outlier[size_t(a.y) * w + a.x] > outlier[size_t(b.y) * w + b.x]; });
    Dev<ushort2> dord(order);
    opt.bench([&] { despeckle<<<(w * h + 255) / 256, 256>>>(ds.p, dd.p, dord.p, w, h, 30); });
    if (!opt.big) {
        auto px = [&](int x, int y) { return int(img[size_t(std::min(std::max(y, 0), h - 1)) * w + std::min(std::max(x, 0), w - 1)]); };
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) {
                int n[4] = {px(x - 1, y), px(x + 1, y), px(x, y - 1), px(x, y + 1)};
                std::sort(n, n + 4);
                int v = px(x, y);
                if (std::abs(v - (n[1] + n[2]) / 2) > 30) {
                    std::vector<int> win;
                    for (int k = 0; k < 25; ++k) win.push_back(px(x + k % 5 - 2, y + k / 5 - 2));
                    std::sort(win.begin(), win.end());
                    v = win[12];
                }
                want.push_back((unsigned char)v);
            }
    }
    return report(dd.host(), want);
}
