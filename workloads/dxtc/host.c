/* Compression of a picture to DXT1; verified by decoding it: its error must be the least that a search in double
 * precision finds. */
#include "work.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, PIXELS = 16, CUTS = 1024, USED_CUTS = 992, THREE_COLOUR_CUTS = 160 };

struct problem {
    int columns, rows; /* of blocks of 4x4 pixels */
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.columns = 4, .rows = 3},
    [WORK_SMALL] = {.columns = 16, .rows = 15},
    [WORK_PAPER] = {.columns = 74, .rows = 72},
};

/* ---- the input ---- */

/* Clusters end before colours i, j and k of the order. They are given choices 0, 2, 3 and 1: from one colour to the
 * other. */
static uint32_t cut_at(int i, int j, int k)
{
    uint32_t cut = 0;
    for (int p = 0; p < PIXELS; p++)
        cut |= (p < i ? 0u : p < j ? 2u : p < k ? 3u : 1u) << 2 * p;
    return cut;
}

/* All cuts into three clusters first, then those into four; all colours in one cluster is none. Tables are filled up
 * with even cuts. */
static void make_cuts(struct work *w, uint32_t *cuts)
{
    int count = 0;
    for (int i = 0; i < PIXELS; i++)
        for (int j = i; j <= PIXELS; j++)
            if (i > 0 || j < PIXELS)
                cuts[count++] = cut_at(i, j, j);
    while (count < THREE_COLOUR_CUTS)
        cuts[count++] = cut_at(5, 11, 11);
    for (int i = 0; i < PIXELS; i++)
        for (int j = i; j < PIXELS; j++)
            for (int k = j + 1; k <= PIXELS; k++)
                if (i > 0 || j > 0 || k < PIXELS)
                    cuts[count++] = cut_at(i, j, k);
    work_check(w, count <= USED_CUTS, "%d cuts", count);
    while (count < CUTS)
        cuts[count++] = cut_at(4, 8, 12);
}

/* Smooth colours with edges and noise. Some parts are enlarged, so that four pixels have the same colour. Pixels of a
 * block lie side by side in memory. */
static void make_image(struct work *w, const struct problem *p, uint32_t *image)
{
    double phase[6];
    for (int i = 0; i < 6; i++)
        phase[i] = 2 * M_PI * (double)work_random_unit(w);
    for (int block = 0; block < p->columns * p->rows; block++)
        for (int pixel = 0; pixel < PIXELS; pixel++) {
            double x = block % p->columns * 4 + pixel % 4, y = block / p->columns * 4 + (double)(pixel / 4);
            bool is_inside = sin(x * 0.11 + phase[3]) + sin(y * 0.13 + phase[4]) > 0.4;
            uint32_t packed = 0;
            for (int channel = 0; channel < 3; channel++) {
                double level = 128 + 60 * sin(x * 0.031 + y * 0.023 + phase[0]) +
                               20 * sin(x * 0.037 * channel + y * 0.029 + phase[channel]) + (is_inside ? 40 : 0) +
                               24 * ((double)work_random_unit(w) - 0.5);
                packed |= (uint32_t)fmin(fmax(level, 0), 255) << 8 * channel;
            }
            bool is_enlarged = sin(x * 0.4 + phase[5]) < 0;
            int corner = pixel & ~5; /* of two by two pixels */
            image[block * PIXELS + pixel] = is_enlarged && pixel != corner ? image[block * PIXELS + corner] : packed;
        }
}

/* ---- the reference ---- */

static void unpack_565(unsigned bits, double colour[3])
{
    colour[0] = (bits >> 11) * 0.03227752766457;
    colour[1] = (bits >> 5 & 63) * 0.01583151765563;
    colour[2] = (bits & 31) * 0.03227752766457;
}

/* The share of the first colour in a choice. */
static double share_of(unsigned choice, bool has_four)
{
    return choice == 0 ? 1 : choice == 1 ? 0 : !has_four ? 0.5 : choice == 2 ? 2.0 / 3 : 1.0 / 3;
}

static double error_of(double pixels[PIXELS][3], unsigned first, unsigned second, uint32_t choices, bool has_four)
{
    double a[3], b[3], sum = 0;
    unpack_565(first, a);
    unpack_565(second, b);
    for (int p = 0; p < PIXELS; p++)
        for (int c = 0; c < 3; c++) {
            double share = share_of(choices >> 2 * p & 3, has_four);
            double off = pixels[p][c] - share * a[c] - (1 - share) * b[c];
            sum += off * off;
        }
    return sum;
}

struct range {
    double low, high;
};

/* The error of one channel with these two values, which are rounded. Near the middle between two steps both roundings
 * are right. */
static struct range channel_error(double pixels[PIXELS][3], int channel, double first, double second, uint32_t cut,
                                  bool has_four)
{
    static const double most[3] = {31, 63, 31}, unit[3] = {0.03227752766457, 0.01583151765563, 0.03227752766457};
    struct range r = {DBL_MAX, 0};
    for (int way = 0; way < 4; way++) {
        double a = rint(fmin(fmax(first, 0), 1) * most[channel] + (way & 1 ? 1e-4 : -1e-4)) * unit[channel];
        double b = rint(fmin(fmax(second, 0), 1) * most[channel] + (way & 2 ? 1e-4 : -1e-4)) * unit[channel], sum = 0;
        for (int p = 0; p < PIXELS; p++) {
            double share = share_of(cut >> 2 * p & 3, has_four);
            double off = pixels[p][channel] - share * a - (1 - share) * b;
            sum += off * off;
        }
        r = (struct range){fmin(r.low, sum), fmax(r.high, sum)};
    }
    return r;
}

/* Lowers `least` to the error with the best two colours for this cut, from the normal equations of least squares. */
static void try_cut(double pixels[PIXELS][3], uint32_t cut, bool has_four, struct range *least)
{
    double aa = 0, ab = 0, bb = 0, ax[3] = {0}, bx[3] = {0};
    for (int p = 0; p < PIXELS; p++) {
        double a = share_of(cut >> 2 * p & 3, has_four), b = 1 - a;
        aa += a * a;
        ab += a * b;
        bb += b * b;
        for (int c = 0; c < 3; c++) {
            ax[c] += a * pixels[p][c];
            bx[c] += b * pixels[p][c];
        }
    }
    double determinant = aa * bb - ab * ab;
    struct range sum = {0, 0};
    if (determinant < 1e-9)
        return;
    for (int c = 0; c < 3; c++) {
        struct range r = channel_error(pixels, c, (ax[c] * bb - bx[c] * ab) / determinant,
                                       (bx[c] * aa - ax[c] * ab) / determinant, cut, has_four);
        sum = (struct range){sum.low + r.low, sum.high + r.high};
    }
    *least = (struct range){fmin(least->low, sum.low), fmin(least->high, sum.high)};
}

struct place {
    double along;
    double colour[3];
};

static int by_place(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    return (p->along > q->along) - (p->along < q->along);
}

/* Sorts the colours along the line that fits them best. Returns whether rounding in float may change the order of
 * different colours. The power method is in doubt by what a step adds, times what is lost where products cancel: much,
 * if it begins almost at right angles to the line. */
static bool sort_pixels(double pixels[PIXELS][3])
{
    double mean[3] = {0}, covariance[3][3] = {{0}}, v[3] = {1, 1, 1};
    for (int p = 0; p < PIXELS; p++)
        for (int c = 0; c < 3; c++)
            mean[c] += pixels[p][c] / PIXELS;
    for (int p = 0; p < PIXELS; p++)
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++)
                covariance[c][d] += (pixels[p][c] - mean[c]) * (pixels[p][d] - mean[d]);
    double doubt = 0x1p-22;
    for (int step = 0; step < 8; step++) {
        double next[3] = {0}, uncancelled = 0;
        for (int c = 0; c < 3; c++) {
            double sum = 0;
            for (int d = 0; d < 3; d++) {
                next[c] += covariance[c][d] * v[d];
                sum += fabs(covariance[c][d] * v[d]);
            }
            uncancelled = fmax(uncancelled, sum);
        }
        double most = fmax(fmax(next[0], next[1]), next[2]);
        doubt = (doubt + 0x1p-23) * uncancelled / fabs(most);
        for (int c = 0; c < 3; c++)
            v[c] = next[c] / most;
    }
    struct place places[PIXELS];
    for (int p = 0; p < PIXELS; p++) {
        places[p].along = 0;
        for (int c = 0; c < 3; c++) {
            places[p].colour[c] = pixels[p][c];
            places[p].along += pixels[p][c] * v[c];
        }
    }
    qsort(places, PIXELS, sizeof *places, by_place);
    bool is_close = false;
    for (int p = 0; p < PIXELS; p++) {
        double gap = p > 0 ? places[p].along - places[p - 1].along : 1;
        is_close = is_close ||
                   (!(gap >= 4 * doubt) && memcmp(places[p].colour, places[p - 1].colour, sizeof places[p].colour));
        for (int c = 0; c < 3; c++)
            pixels[p][c] = places[p].colour[c];
    }
    return is_close;
}

/* The error of what the kernel chose must be the least of all cuts. The kernel compares errors without the sum of all
 * squares, 16 times 3 at most, in float: 2^-20 of it may decide. If two colours are so close on the line that rounding
 * decides on their order, some of the cuts are others; then this is true. */
static bool check_block(struct work *w, int block, const uint32_t *image, const uint32_t *cuts, const uint32_t got[2])
{
    double pixels[PIXELS][3];
    for (int p = 0; p < PIXELS; p++)
        for (int c = 0; c < 3; c++)
            pixels[p][c] = (image[p] >> 8 * c & 255) / 255.0;
    unsigned first = got[0] & 0xffff, second = got[0] >> 16;
    double error = error_of(pixels, first, second, got[1], first > second);
    bool is_close = sort_pixels(pixels);
    struct range least = {DBL_MAX, DBL_MAX};
    for (int i = 0; i < USED_CUTS; i++)
        try_cut(pixels, cuts[i], true, &least);
    for (int i = 0; i < THREE_COLOUR_CUTS; i++)
        try_cut(pixels, cuts[i], false, &least);
    double tolerance = 48 * 0x1p-20 + (is_close ? 0.1 * least.high : 0);
    work_check(w, error <= least.high + tolerance && error >= least.low - tolerance,
               "block %d has an error of %g, should be %g to %g", block, error, least.low, least.high);
    return is_close;
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    size_t blocks = (size_t)(p->columns * p->rows);
    uint32_t cuts[CUTS], *image = work_buffer(w, blocks * PIXELS, sizeof *image),
                         (*got)[2] = work_buffer(w, blocks, sizeof *got);
    make_cuts(w, cuts);
    make_image(w, p, image);
    CUdeviceptr cut_table = work_upload(w, cuts, sizeof cuts),
                pixels = work_upload(w, image, blocks * PIXELS * sizeof *image),
                result = work_alloc(w, blocks * sizeof *got);
    work_launch(w, "compress", (struct work_shape){.x = (unsigned)blocks}, (struct work_shape){.x = THREADS}, 0,
                (void *[]){&cut_table, &pixels, &result});
    work_read(w, got, result, blocks * sizeof *got);
    size_t close = 0;
    for (size_t i = 0; i < blocks; i++)
        close += check_block(w, (int)i, image + i * PIXELS, cuts, got[i]);
    work_check(w, close <= blocks / 100, "%zu blocks of %zu are left to rounding", close, blocks);
    work_say(w, "%dx%d pixels, %zu blocks of %zu left to rounding", 4 * p->columns, 4 * p->rows, close, blocks);
}

const struct workload workload = {.name = "dxtc", .run = run};
