// The Mandelbrot set: the classic loop that every thread leaves at another turn.
#include "corpus.h"

extern "C" __global__ void mandelbrot(u16 *out, int width, int height, float left, float top, float pixel,
                                      int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    float cx = fmaf((float)px, pixel, left), cy = fmaf((float)py, pixel, top);
    float x = 0, y = 0;
    int k = 0;
    while (k < limit && fmaf(x, x, y * y) <= 4.0f) {
        float t = fmaf(x, x, -(y * y)) + cx;
        y = fmaf(2.0f * x, y, cy);
        x = t;
        k++;
    }
    out[py * width + px] = (u16)k;
}
