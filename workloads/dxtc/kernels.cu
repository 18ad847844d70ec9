// Compression of pictures to DXT1: 4x4 pixels become two colours of 16 bits and sixteen choices among these and one or
// two colours between them. A block of 64 threads has 4x4 pixels. It sorts their colours along the line that fits them
// best, and tries all ways to cut this order into clusters, each with the two colours that are best for it.

#include "device.h"

enum { THREADS = 64, PIXELS = 16, FOUR_COLOUR_CUTS = 992, THREE_COLOUR_CUTS = 160 };

#define DEVICE_FUNCTION static __device__ __forceinline__

struct colour {
    float r, g, b;
};

DEVICE_FUNCTION colour operator+(colour a, colour b)
{
    return {a.r + b.r, a.g + b.g, a.b + b.b};
}

DEVICE_FUNCTION colour operator-(colour a, colour b)
{
    return {a.r - b.r, a.g - b.g, a.b - b.b};
}

DEVICE_FUNCTION colour operator*(colour a, colour b)
{
    return {a.r * b.r, a.g * b.g, a.b * b.b};
}

DEVICE_FUNCTION colour operator*(float a, colour b)
{
    return {a * b.r, a * b.g, a * b.b};
}

// Weights of the first colour in each of the four choices, times 9 and times 4; and the squares of the first weight, of
// the second, and their product (8 bits each), times 9 and times 4.
__constant__ float weights4[4] = {9, 0, 6, 3}, weights3[4] = {4, 0, 2, 2};
__constant__ int products4[4] = {0x090000, 0x000900, 0x040102, 0x010402};
__constant__ int products3[4] = {0x040000, 0x000400, 0x010101, 0x010101};

struct choice {
    unsigned short first, second; // 5, 6 and 5 bits of red, green and blue
    unsigned cut;                 // 2 bits for each pixel, in the order along the line
};

// ---- the order of colours ----

// The sum of all colours, in all sixteen places.
DEVICE_FUNCTION void add_colours(const colour *colours, colour *sums)
{
    int me = threadIdx.x;
    if (me < PIXELS)
        sums[me] = colours[me];
    __syncthreads();
    for (int d = PIXELS / 2; d > 0; d >>= 1) {
        colour other;
        if (me < PIXELS)
            other = sums[me ^ d];
        __syncthreads();
        if (me < PIXELS)
            sums[me] = sums[me] + other;
        __syncthreads();
    }
}

// The direction in which the colours differ most: the first eigenvector of their covariance, by powers.
DEVICE_FUNCTION colour direction_of(const float *covariance)
{
    colour v = {1, 1, 1};
    for (int i = 0; i < 8; i++) {
        float x = v.r * covariance[0] + v.g * covariance[1] + v.b * covariance[2];
        float y = v.r * covariance[1] + v.g * covariance[3] + v.b * covariance[4];
        float z = v.r * covariance[2] + v.g * covariance[4] + v.b * covariance[5];
        float scale = 1.0f / fmaxf(fmaxf(x, y), z);
        v = {x * scale, y * scale, z * scale};
    }
    return v;
}

DEVICE_FUNCTION void add_covariances(const colour *colours, colour sum, float *covariance)
{
    int me = threadIdx.x;
    if (me < PIXELS) {
        colour d = colours[me] - 1.0f / PIXELS * sum;
        covariance[6 * me] = d.r * d.r;
        covariance[6 * me + 1] = d.r * d.g;
        covariance[6 * me + 2] = d.r * d.b;
        covariance[6 * me + 3] = d.g * d.g;
        covariance[6 * me + 4] = d.g * d.b;
        covariance[6 * me + 5] = d.b * d.b;
    }
    __syncthreads();
    for (int d = PIXELS / 2; d > 0; d >>= 1) {
        if (me < d) {
#pragma unroll
            for (int i = 0; i < 6; i++)
                covariance[6 * me + i] += covariance[6 * (me + d) + i];
        }
        __syncthreads();
    }
}

// Ranks along the line; equal ones are told apart one after the other.
DEVICE_FUNCTION void rank_colours(const float *along, int *ranks)
{
    int me = threadIdx.x;
    if (me < PIXELS) {
        int rank = 0;
#pragma unroll
        for (int i = 0; i < PIXELS; i++)
            rank += along[i] < along[me];
        ranks[me] = rank;
    }
    __syncthreads();
    for (int i = 0; i < PIXELS - 1; i++) {
        if (me < PIXELS && me > i && ranks[me] == ranks[i])
            ranks[me]++;
        __syncthreads();
    }
}

// Leaves the colours in order, their ranks, and the sum of all.
DEVICE_FUNCTION void load_colours(const unsigned *image, colour *colours, colour *sums, int *ranks)
{
    __shared__ float covariance[6 * PIXELS], along[PIXELS];
    int me = threadIdx.x;
    if (me < PIXELS) {
        unsigned pixel = image[blockIdx.x * PIXELS + me];
        colours[me] = 1.0f / 255 * colour{(float)(pixel & 255), (float)(pixel >> 8 & 255), (float)(pixel >> 16 & 255)};
    }
    __syncthreads();
    add_colours(colours, sums);
    add_covariances(colours, sums[0], covariance);
    if (me < PIXELS) {
        colour direction = direction_of(covariance), on_line = colours[me] * direction;
        along[me] = on_line.r + on_line.g + on_line.b;
    }
    __syncthreads();
    rank_colours(along, ranks);
    colour mine;
    if (me < PIXELS)
        mine = colours[me];
    __syncthreads();
    if (me < PIXELS)
        colours[ranks[me]] = mine;
    __syncthreads();
}

// ---- the search ----

// Rounds to 5, 6 and 5 bits, and returns the colour that these stand for.
DEVICE_FUNCTION colour round_colour(colour c, unsigned short *bits)
{
    c = {rintf(__saturatef(c.r) * 31), rintf(__saturatef(c.g) * 63), rintf(__saturatef(c.b) * 31)};
    *bits = (unsigned short)((unsigned short)c.r << 11 | (unsigned short)c.g << 5 | (unsigned short)c.b);
    return {c.r * 0.03227752766457f, c.g * 0.01583151765563f, c.b * 0.03227752766457f};
}

// The best two colours for a cut by least squares, rounded, and the squared error that they leave, less the sum of all
// squares, which is the same for all cuts.
DEVICE_FUNCTION float try_cut(const colour *colours, unsigned cut, colour sum, const float *weights,
                              const int *products, float unit, unsigned short *first, unsigned short *second)
{
    colour first_sum = {0, 0, 0};
    int squares = 0;
    for (int i = 0; i < PIXELS; i++) {
        unsigned bits = cut >> 2 * i & 3;
        first_sum = first_sum + weights[bits] * colours[i];
        squares += products[bits];
    }
    float aa = (float)(squares >> 16), bb = (float)(squares >> 8 & 255), ab = (float)(squares & 255);
    colour second_sum = unit * sum - first_sum;
    float factor = 1.0f / (aa * bb - ab * ab);
    colour a = factor * (bb * first_sum - ab * second_sum), b = factor * (aa * second_sum - ab * first_sum);
    a = round_colour(a, first);
    b = round_colour(b, second);
    colour e = aa * (a * a) + bb * (b * b) + 2.0f * (ab * (a * b) - a * first_sum - b * second_sum);
    return 1.0f / unit * (e.r + e.g + e.b);
}

DEVICE_FUNCTION choice try_cuts(const colour *colours, const unsigned *cuts, float *errors, colour sum)
{
    __shared__ unsigned short_cuts[THREE_COLOUR_CUTS];
    int me = threadIdx.x;
    float least = 3.402823466e+38f;
    choice best = {0, 0, 0};
    for (int i = 0; i < 16; i++) {
        int number = me + THREADS * i;
        if (number >= FOUR_COLOUR_CUTS)
            break;
        unsigned cut = cuts[number];
        if (number < THREE_COLOUR_CUTS)
            short_cuts[number] = cut;
        unsigned short first, second;
        float error = try_cut(colours, cut, sum, weights4, products4, 9, &first, &second);
        if (error < least) {
            least = error;
            best = {first, second, cut};
        }
    }
    // The first colour is the greater one, if there are four.
    if (best.first < best.second)
        best = {best.second, best.first, best.cut ^ 0x55555555};
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        int number = me + THREADS * i;
        if (number >= THREE_COLOUR_CUTS)
            break;
        unsigned cut = short_cuts[number];
        unsigned short first, second;
        float error = try_cut(colours, cut, sum, weights3, products3, 4, &first, &second);
        if (error < least) {
            least = error;
            best = {first, second, cut};
            if (best.first > best.second)
                best = {best.second, best.first, best.cut ^ (~best.cut >> 1 & 0x55555555)};
        }
    }
    errors[me] = least;
    return best;
}

// The thread with the least error. In all steps half of the threads look, as in the original, though fewer would do.
DEVICE_FUNCTION int find_winner(float *errors)
{
    __shared__ int owners[THREADS];
    int me = threadIdx.x;
    owners[me] = me;
    __syncthreads();
    for (int d = THREADS / 2; d > 0; d >>= 1) {
        float other;
        int owner;
        if (me < THREADS / 2) {
            other = errors[me + d];
            owner = owners[me + d];
        }
        __syncthreads();
        if (me < THREADS / 2 && other < errors[me]) {
            errors[me] = other;
            owners[me] = owner;
        }
        __syncthreads();
    }
    return owners[0];
}

extern "C" __global__ void compress(const unsigned *cuts, const unsigned *image, uint2 *result)
{
    __shared__ colour colours[PIXELS], sums[PIXELS];
    __shared__ int ranks[PIXELS];
    __shared__ float errors[THREADS];
    load_colours(image, colours, sums, ranks);
    choice best = try_cuts(colours, cuts, errors, sums[0]);
    int winner = find_winner(errors);
    if (threadIdx.x == winner) {
        if (best.first == best.second)
            best.cut = 0;
        unsigned choices = 0;
        for (int i = 0; i < PIXELS; i++)
            choices |= (best.cut >> 2 * ranks[i] & 3) << 2 * i;
        result[blockIdx.x].x = (unsigned)best.second << 16 | best.first;
        result[blockIdx.x].y = choices;
    }
}
