// Face detection by a cascade of stages (Viola and Jones): one thread per window of the image. A stage sums the votes
// of its features, each of which compares sums over two or three rectangles; a window whose sum stays below the stage's
// threshold is no face, and the later stages are not evaluated. `screen` gives every window the first stages. `confirm`
// gives the others to the windows that are left, which stand in a list without gaps.

#include "device.h"

enum { STAGES = 22, WIDTH = 32, HEIGHT = 6 };

// The corners of a rectangle as distances in the integral image from the corner of the window.
struct rectangle {
    int top_left, top_right, bottom_left, bottom_right;
};

struct feature {
    rectangle part[3];
    int weight[3]; // weight[2] is 0 if there are two rectangles
    float threshold, below, above;
};

struct stage {
    int first_feature, features;
    float threshold;
};

struct scene {
    int pitch;   // of the integral images, which have one more column and row than the image
    int columns; // windows side by side
    int rows;
    int step; // pixels from window to window
    int side; // of a window in pixels
};

__constant__ stage stages[STAGES];

// The sum over a rectangle from its four corners in an integral image. Sums wrap, but their differences are right.
static __device__ __forceinline__ unsigned sum_of(const unsigned *integral, int pitch, int corner, int width,
                                                  int height)
{
    int below = corner + height * pitch;
    return integral[below + width] - integral[below] - integral[corner + width] + integral[corner];
}

static __device__ __forceinline__ int part_of(const unsigned *window, const rectangle &r)
{
    return (int)(window[r.bottom_right] - window[r.bottom_left] - window[r.top_right] + window[r.top_left]);
}

// The pixels' standard deviation times their number: a feature's threshold is in units of it. Every rounding is named,
// so that all compilers and the CPU get the same bits.
static __device__ __forceinline__ float contrast_of(const unsigned *sums, const unsigned *squares, const scene &s,
                                                    int corner)
{
    float area = (float)(s.side * s.side);
    float mean = __fdiv_rn((float)sum_of(sums, s.pitch, corner, s.side, s.side), area);
    float mean_square = __fdiv_rn((float)sum_of(squares, s.pitch, corner, s.side, s.side), area);
    float variance = __fsub_rn(mean_square, __fmul_rn(mean, mean));
    float deviation = 1;
    if (variance > 0)
        deviation = __fsqrt_rn(variance);
    return __fmul_rn(deviation, area);
}

// Stages from `first` on, up to the one that rejects the window or to `end`: returns which.
static __device__ __forceinline__ int run_cascade(const unsigned *window, const feature *features, float contrast,
                                                  int first, int end)
{
    int s;
#pragma unroll 1
    for (s = first; s < end; s++) {
        float votes = 0;
        int f = stages[s].first_feature, end_feature = f + stages[s].features;
#pragma unroll 1
        for (; f < end_feature; f++) {
            const feature &g = features[f];
            int value = g.weight[0] * part_of(window, g.part[0]) + g.weight[1] * part_of(window, g.part[1]);
            if (g.weight[2])
                value += g.weight[2] * part_of(window, g.part[2]);
            if ((float)value < __fmul_rn(g.threshold, contrast))
                votes += g.below;
            else
                votes += g.above;
        }
        if (votes < stages[s].threshold)
            break;
    }
    return s;
}

// Blocks of 32x6 windows. `passed`: how many of the first `end` stages each window passed.
extern "C" __global__ void screen(const unsigned *sums, const unsigned *squares, const feature *features, scene s,
                                  int end, int *passed)
{
    int column = blockIdx.x * WIDTH + threadIdx.x, row = blockIdx.y * HEIGHT + threadIdx.y;
    if (column < s.columns && row < s.rows) {
        int corner = row * s.step * s.pitch + column * s.step;
        float contrast = contrast_of(sums, squares, s, corner);
        passed[row * s.columns + column] = run_cascade(sums + corner, features, contrast, 0, end);
    }
}

// Blocks of 32x6 windows of the list, whose entries are numbers of windows.
extern "C" __global__ void confirm(const unsigned *sums, const unsigned *squares, const feature *features, scene s,
                                   int first, const int *list, int listed, int *passed)
{
    int me = (blockIdx.x * HEIGHT + threadIdx.y) * WIDTH + threadIdx.x;
    if (me < listed) {
        int window = list[me];
        int corner = window / s.columns * s.step * s.pitch + window % s.columns * s.step;
        float contrast = contrast_of(sums, squares, s, corner);
        passed[window] = run_cascade(sums + corner, features, contrast, first, STAGES);
    }
}
