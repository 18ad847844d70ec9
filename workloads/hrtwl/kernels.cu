// Tracking of points on the wall of a heart in frames of ultrasound. Each point has a pattern, cut from an earlier
// frame. In each frame, the pattern is looked for near the point's last place by normalised cross-correlation. One
// block has one point. Matrices are stored by column.

#include "device.h"

enum { THREADS = 512, MOST_PATTERN_SIDE = 51, MOST_CORRELATION_SIDE = 131 };
enum { MOST_MOVE = 10 }; // side of the square of places to which a point may move from frame to frame

// One per block. Arrays are in global memory, and so is this: loops copy what they need of it first, since after each
// store to an array compilers would read it again.
struct point {
    float *pattern, *pattern_squares;
    float *area, *area_squares;
    float *correlation; // first only its numerator
    float *padded, *shifted, *strips, *shifted_strips;
    float *sums, *square_sums; // of what the pattern covers, at each place; in the end, the latter has the correlation
    float *mask, *masked;
    const float *frame;
    int *rows, *columns; // the point's place in each frame, counted from 1
    int row, column;     // where the pattern was cut
    int frame_number, frame_rows;
    int radius, reach; // of the pattern, and of the area in which it is looked for, around the point
    int pattern_side, area_side, correlation_side, padded_side;
    int pattern_elements, area_elements, correlation_elements, padded_elements, strip_elements;
    int period; // patterns are renewed every `period` frames
    float keep; // how much of the old pattern stays then
};

// Row and column of an element, which the original counts from 1.
static __device__ __forceinline__ void locate(int element, int rows, int *row, int *column)
{
    *row = (element + 1) % rows - 1;
    *column = (element + 1) / rows;
    if ((element + 1) % rows == 0) {
        *row = rows - 1;
        *column -= 1;
    }
}

// A part of a matrix of `from_rows` rows, from a place on, becomes a matrix of its own.
static __device__ __forceinline__ void copy_part(float *to, int to_rows, int elements, const float *from, int from_rows,
                                                 int first_row, int first_column)
{
    for (int e = threadIdx.x; e < elements; e += THREADS) {
        int row, column;
        locate(e, to_rows, &row, &column);
        to[e] = from[(column + first_column) * from_rows + row + first_row];
    }
}

static __device__ __forceinline__ void square(float *squares, const float *values, int elements)
{
    for (int e = threadIdx.x; e < elements; e += THREADS) {
        float value = values[e];
        squares[e] = value * value;
    }
}

// values = others - values
static __device__ __forceinline__ void subtract_from(const float *others, float *values, int elements)
{
    for (int e = threadIdx.x; e < elements; e += THREADS)
        values[e] = others[e] - values[e];
}

// Of all places at which the pattern and the area overlap, the sum of products of what lies on each other.
static __device__ __forceinline__ void convolve(const point *p, const float *turned)
{
    int pattern_side = p->pattern_side, area_side = p->area_side;
    const float *area = p->area;
    for (int e = threadIdx.x; e < p->correlation_elements; e += THREADS) {
        int i, j;
        locate(e, p->correlation_side, &i, &j);
        i++, j++;
        int first_column, last_column, first_row, last_row;
        if (area_side < j + 1)
            first_column = j + 1 - area_side;
        else
            first_column = 1;
        if (pattern_side < j)
            last_column = pattern_side;
        else
            last_column = j;
        if (area_side < i + 1)
            first_row = i + 1 - area_side;
        else
            first_row = 1;
        if (pattern_side < i)
            last_row = pattern_side;
        else
            last_row = i;
        float sum = 0;
        for (int column = first_column; column <= last_column; column++)
            for (int row = first_row; row <= last_row; row++)
                sum += turned[pattern_side * (column - 1) + row - 1] * area[area_side * (j - column) + i - row];
        p->correlation[e] = sum;
    }
}

// Sums of the values under each place of the pattern, by cumulative sums down the columns and along the rows of the
// area, padded with zeros. A sum over a stretch is the difference of two cumulative ones.
static __device__ __forceinline__ void sum_windows(const point *p, const float *values, float *sums)
{
    for (int e = threadIdx.x; e < p->padded_elements; e += THREADS) {
        int row, column;
        locate(e, p->padded_side, &row, &column);
        if (row > p->pattern_side - 1 && row < p->pattern_side + p->area_side && column > p->pattern_side - 1 &&
            column < p->pattern_side + p->area_side)
            p->padded[e] = values[(column - p->pattern_side) * p->area_side + row - p->pattern_side];
        else
            p->padded[e] = 0;
    }
    __syncthreads();

    for (int column = threadIdx.x; column < p->padded_side; column += THREADS) {
        float *padded = p->padded, sum = 0;
        int first = column * p->padded_side, end = first + p->padded_side;
        for (int e = first; e < end; e++) {
            padded[e] += sum;
            sum = padded[e];
        }
    }
    __syncthreads();

    copy_part(p->shifted, p->correlation_side, p->strip_elements, p->padded, p->padded_side, p->pattern_side, 0);
    __syncthreads();
    copy_part(p->strips, p->correlation_side, p->strip_elements, p->padded, p->padded_side, 0, 0);
    __syncthreads();
    subtract_from(p->shifted, p->strips, p->strip_elements);
    __syncthreads();

    for (int row = threadIdx.x; row < p->correlation_side; row += THREADS) {
        float *strips = p->strips, sum = 0;
        int end = row + p->strip_elements, side = p->correlation_side;
        for (int e = row; e < end; e += side) {
            strips[e] += sum;
            sum = strips[e];
        }
    }
    __syncthreads();

    copy_part(p->shifted_strips, p->correlation_side, p->correlation_elements, p->strips, p->correlation_side, 0,
              p->pattern_side);
    __syncthreads();
    copy_part(sums, p->correlation_side, p->correlation_elements, p->strips, p->correlation_side, 0, 0);
    __syncthreads();
    subtract_from(p->shifted_strips, sums, p->correlation_elements);
    __syncthreads();
}

// The pattern's sum, and its standard deviation times the root of its elements less one.
static __device__ __forceinline__ void sum_pattern(const point *p, float *total, float *deviation)
{
    __shared__ float column_sum[MOST_PATTERN_SIDE], row_sum[MOST_PATTERN_SIDE], square_total;
    int side = p->pattern_side;
    for (int column = threadIdx.x; column < side; column += THREADS) {
        const float *pattern = p->pattern;
        float sum = 0;
        for (int row = 0; row < side; row++)
            sum += pattern[column * side + row];
        column_sum[column] = sum;
    }
    __syncthreads();
    for (int row = threadIdx.x; row < side; row += THREADS) {
        const float *squares = p->pattern_squares;
        float sum = 0;
        for (int column = 0; column < side; column++)
            sum += squares[column * side + row];
        row_sum[row] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        *total = 0;
        for (int i = 0; i < side; i++)
            *total += column_sum[i];
    } else if (threadIdx.x == 1) {
        square_total = 0;
        for (int i = 0; i < side; i++)
            square_total += row_sum[i];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        float mean = *total / p->pattern_elements;
        float variance = square_total / p->pattern_elements - mean * mean;
        *deviation = sqrtf((float)(p->pattern_elements - 1)) * sqrtf(variance);
    }
    __syncthreads();
}

// From sums to the correlation.
static __device__ __forceinline__ void normalise(const point *p, float total, float deviation)
{
    float *square_sums = p->square_sums, *correlation = p->correlation;
    const float *sums = p->sums;
    int elements = p->correlation_elements, pattern_elements = p->pattern_elements;
    for (int e = threadIdx.x; e < elements; e += THREADS)
        square_sums[e] *= deviation;
    __syncthreads();
    for (int e = threadIdx.x; e < elements; e += THREADS)
        correlation[e] -= sums[e] * total / pattern_elements;
    __syncthreads();
    for (int e = threadIdx.x; e < elements; e += THREADS)
        square_sums[e] = correlation[e] / square_sums[e];
    __syncthreads();
}

// Leaves of the correlation what is near the point's last place: by convolving a mask that has a 1 there with a square.
static __device__ __forceinline__ void mask_far(const point *p)
{
    int centre = p->reach + p->radius + 1;
    int mask_row = centre + p->rows[p->frame_number - 1] - p->row - 1;
    int mask_column = centre + p->columns[p->frame_number - 1] - p->column - 1;
    for (int e = threadIdx.x; e < p->correlation_elements; e += THREADS) {
        if (e == mask_column * p->correlation_side + mask_row)
            p->mask[e] = 1;
        else
            p->mask[e] = 0;
    }
    __syncthreads();

    const float *mask = p->mask;
    int side = p->correlation_side;
    for (int e = threadIdx.x; e < p->correlation_elements; e += THREADS) {
        int i, j;
        locate(e, side, &i, &j);
        i += 1 + MOST_MOVE / 2, j += 1 + MOST_MOVE / 2;
        int first_column, last_column, first_row, last_row;
        if (MOST_MOVE < j + 1)
            first_column = j + 1 - MOST_MOVE;
        else
            first_column = 1;
        if (side < j)
            last_column = side;
        else
            last_column = j;
        if (MOST_MOVE < i + 1)
            first_row = i + 1 - MOST_MOVE;
        else
            first_row = 1;
        if (side < i)
            last_row = side;
        else
            last_row = i;
        float sum = 0;
        for (int column = first_column; column <= last_column; column++)
            for (int row = first_row; row <= last_row; row++)
                sum += mask[side * (column - 1) + row - 1];
        p->masked[e] = p->square_sums[e] * sum;
    }
    __syncthreads();
}

// Where the pattern fits best becomes the point's place in this frame.
static __device__ __forceinline__ void find_best(const point *p)
{
    __shared__ float best_value[MOST_CORRELATION_SIDE];
    __shared__ int best_element[MOST_CORRELATION_SIDE];
    int side = p->correlation_side;
    for (int column = threadIdx.x; column < side; column += THREADS) {
        float most = 0;
        int most_at = 0;
        const float *masked = p->masked;
        for (int i = 0; i < side; i++) {
            int e = column * side + i;
            float value = fabsf(masked[e]);
            if (value > most) {
                most_at = e;
                most = value;
            }
        }
        best_element[column] = most_at;
        best_value[column] = most;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        float most = 0;
        int most_at = 0, row, column;
        for (int i = 0; i < side; i++)
            if (best_value[i] > most) {
                most = best_value[i];
                most_at = best_element[i];
            }
        locate(most_at, side, &row, &column);
        int aligned = p->pattern_side + p->reach - p->radius;
        p->rows[p->frame_number] = p->row + row + 1 - aligned;
        p->columns[p->frame_number] = p->column + column + 1 - aligned;
    }
    __syncthreads();
}

static __device__ __forceinline__ void cut_pattern(const point *p)
{
    if (threadIdx.x == 0) {
        p->rows[0] = p->row;
        p->columns[0] = p->column;
    }
    copy_part(p->pattern, p->pattern_side, p->pattern_elements, p->frame, p->frame_rows, p->row - p->radius - 1,
              p->column - p->radius - 1);
}

static __device__ __forceinline__ void renew_pattern(point *p)
{
    int new_row = p->rows[p->frame_number], new_column = p->columns[p->frame_number];
    if (threadIdx.x == 0) {
        p->row = new_row;
        p->column = new_column;
    }
    for (int e = threadIdx.x; e < p->pattern_elements; e += THREADS) {
        int row, column;
        locate(e, p->pattern_side, &row, &column);
        row += new_row - p->radius - 1;
        column += new_column - p->radius - 1;
        p->pattern[e] = p->keep * p->pattern[e] + (1 - p->keep) * p->frame[column * p->frame_rows + row];
    }
}

// Blocks of 512, one for each point; a launch for each frame.
extern "C" __global__ void track(point *const *points)
{
    __shared__ float turned[MOST_PATTERN_SIDE * MOST_PATTERN_SIDE]; // the pattern, turned by half a circle
    __shared__ float total, deviation;
    point *p = points[blockIdx.x];
    if (p->frame_number == 0)
        cut_pattern(p);

    if (p->frame_number != 0) {
        copy_part(p->area, p->area_side, p->area_elements, p->frame, p->frame_rows, p->row - p->reach - 1,
                  p->column - p->reach - 1);
        __syncthreads();

        for (int e = threadIdx.x; e < p->pattern_elements; e += THREADS) {
            int row, column;
            locate(e, p->pattern_side, &row, &column);
            turned[e] = p->pattern[(p->pattern_side - 1 - column) * p->pattern_side + p->pattern_side - 1 - row];
        }
        __syncthreads();
        convolve(p, turned);
        __syncthreads();

        sum_windows(p, p->area, p->sums);
        square(p->area_squares, p->area, p->area_elements);
        __syncthreads();
        sum_windows(p, p->area_squares, p->square_sums);
        for (int e = threadIdx.x; e < p->correlation_elements; e += THREADS) {
            float sum = p->sums[e], variance = p->square_sums[e] - sum * sum / p->pattern_elements;
            if (variance < 0)
                variance = 0;
            p->square_sums[e] = sqrtf(variance);
        }
        __syncthreads();

        square(p->pattern_squares, p->pattern, p->pattern_elements);
        __syncthreads();
        sum_pattern(p, &total, &deviation);
        normalise(p, total, deviation);
        mask_far(p);
        find_best(p);
    }

    if (p->frame_number != 0 && p->frame_number % p->period == 0)
        renew_pattern(p);
}
