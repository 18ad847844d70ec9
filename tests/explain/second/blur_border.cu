// kind: boundary
// line: 20
// gain: no
// why: only warps at the left and right border take the mirrored indices for some lanes; all others run the plain interior side together
// Gaussian blur of an image along rows, 7 taps, with mirrored borders handled apart from the interior.
#include "../program.h"

constexpr int R = 3;
__constant__ float taps[2 * R + 1];

struct Image { int w, h, pitch; const float *px; };

__device__ __forceinline__ int mirror(int x, int w) { return x < 0 ? -x : x >= w ? 2 * w - 2 - x : x; }

__global__ void blur_rows(Image im, float *__restrict__ dst) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= im.w) return;
    const float *row = im.px + size_t(y) * im.pitch;
    float s = 0.0f;
    if (x < R || x >= im.w - R) {
#pragma unroll
        for (int k = -R; k <= R; ++k) s += taps[k + R] * row[mirror(x + k, im.w)];
        s = s * 0.9f + 0.1f * row[x];            // a little less blur at the border
    } else {
        const float *p = row + x;
#pragma unroll
        for (int k = -R; k <= R; ++k) s += taps[k + R] * p[k];
    }
    dst[size_t(y) * im.pitch + x] = s;
}

int main(int argc, char **argv) {
    Options opt(argc, argv, 1024);
    Lcg g(17);
    const int w = opt.big ? 16384 : 4096, h = opt.big ? 32768 : 32 * opt.scale;
    std::vector<float> img(size_t(w) * h), want;
    for (auto &v : img) v = g.uni();
    float t[2 * R + 1], sum = 0;
    for (int k = -R; k <= R; ++k) sum += t[k + R] = std::exp(-0.3f * k * k);
    for (auto &v : t) v /= sum;
    cu(cudaMemcpyToSymbol(taps, t, sizeof t));
    Dev<float> ds(img), dd(img.size());
    Image im{w, h, w, ds.p};
    opt.bench([&] { blur_rows<<<dim3((w + 255) / 256, h), 256>>>(im, dd.p); });
    if (!opt.big)
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) {
                double s = 0;
                for (int k = -R; k <= R; ++k) { int q = x + k; q = q < 0 ? -q : q >= w ? 2 * w - 2 - q : q; s += t[k + R] * img[size_t(y) * w + q]; }
                if (x < R || x >= w - R) s = s * 0.9 + 0.1 * img[size_t(y) * w + x];
                want.push_back(float(s));
            }
    return report(dd.host(), want, 1e-5);
}
