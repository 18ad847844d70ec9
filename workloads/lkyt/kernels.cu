// White blood cells in frames of a microscope. They are found by a score that each pixel gets as the centre of a circle
// (GICOV: gradient inverse coefficient of variation) and by a dilation of the scores, which shows the local maxima.
// They are then tracked in a field around each, which the edges of the image spread through (MGVF: motion gradient
// vector flow). Images are stored by column, fields by row.

#include "device.h"

enum { SAMPLES = 150, MOST_CIRCLES = 7, MOST_DISC_SIDE = 25 };

__constant__ float sine[SAMPLES], cosine[SAMPLES];
__constant__ int sample_x[MOST_CIRCLES * SAMPLES], sample_y[MOST_CIRCLES * SAMPLES]; // as seen from the circle's centre
__constant__ float disc[MOST_DISC_SIDE * MOST_DISC_SIDE];                            // 1 within the disc, 0 outside

// One block per column and one thread per row, but for a margin. The score of a circle is the squared mean of the
// gradients across it, divided by their variance; a pixel gets the best of its circles'.
extern "C" __global__ void score(int rows, int margin, int circles, float *scores, cudaTextureObject_t gradient_x,
                                 cudaTextureObject_t gradient_y)
{
    int x = blockIdx.x + margin, y = threadIdx.x + margin;
    float best = 0;
    for (int k = 0; k < circles; k++) {
        float sum = 0, squares = 0, mean = 0;
        for (int n = 0; n < SAMPLES; n++) {
            int at = (x + sample_x[k * SAMPLES + n]) * rows + y + sample_y[k * SAMPLES + n];
            float p = tex1Dfetch<float>(gradient_x, at) * cosine[n] + tex1Dfetch<float>(gradient_y, at) * sine[n];
            sum += p;
            float apart = p - mean;
            mean += apart / (float)(n + 1);
            squares += apart * (p - mean);
        }
        mean = sum / (float)SAMPLES;
        float variance = squares / (float)(SAMPLES - 1);
        if (mean * mean / variance > best)
            best = mean * mean / variance;
    }
    scores[x * rows + y] = best;
}

// Blocks of 175, one thread per pixel: the highest score in the disc around it. Here the result is stored by row.
extern "C" __global__ void dilate(int rows, int columns, int disc_rows, int disc_columns, float *dilated,
                                  cudaTextureObject_t scores)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int y = thread % rows, x = thread / rows;
    float most = 0;
    for (int i = 0; i < disc_rows; i++) {
        int near_y = y - disc_rows / 2 + i;
        if (near_y >= 0 && near_y < rows) {
            for (int j = 0; j < disc_columns; j++) {
                int near_x = x - disc_columns / 2 + j;
                if (near_x >= 0 && near_x < columns && disc[i * disc_columns + j] != 0) {
                    float score = tex1Dfetch<float>(scores, near_x * rows + near_y);
                    if (score > most)
                        most = score;
                }
            }
        }
    }
    if (x < columns)
        dilated[y * columns + x] = most;
}

enum { FLOW_THREADS = 175, FLOW_POWER = 128, MOST_ROWS = 41, MOST_COLUMNS = 81 };

// What an element gets from a neighbour that differs by so much: all if the difference, times the velocity in that
// direction, lies well above 0, nothing if it lies well below. The step between is smooth.
static __device__ __forceinline__ float take(float more, float velocity, float per_e)
{
    return (atanf(more * velocity * per_e) * 0.318309886f + 0.5f) * more;
}

// The new value of an element of the field: each neighbour's difference counts by how much it lies downstream.
static __device__ __forceinline__ float spread(const float *field, int rows, int columns, int row, int column, float vx,
                                               float vy, float per_e, float image)
{
    const float mu = 0.5f, lambda = 8 * mu + 1;
    int up = row == 0 ? 0 : row - 1, down = row == rows - 1 ? rows - 1 : row + 1;
    int left = column == 0 ? 0 : column - 1, right = column == columns - 1 ? columns - 1 : column + 1;
    float old = field[row * columns + column];
    float sum = take(field[up * columns + column] - old, -vy, per_e);
    sum += take(field[down * columns + column] - old, vy, per_e);
    sum += take(field[row * columns + left] - old, -vx, per_e);
    sum += take(field[row * columns + right] - old, vx, per_e);
    sum += take(field[up * columns + right] - old, vx - vy, per_e);
    sum += take(field[down * columns + right] - old, vx + vy, per_e);
    sum += take(field[up * columns + left] - old, -vx - vy, per_e);
    sum += take(field[down * columns + left] - old, -vx + vy, per_e);
    float value = old + mu / lambda * sum;
    return value - 1 / lambda * image * (value - image);
}

// Blocks of 175, one per cell. The field is in shared memory, and the block goes over it in rounds of 175 elements. A
// round's new values wait in a buffer until the next round, which still needs the old ones, has been computed.
extern "C" __global__ void flow(float *const *fields, const float *const *images, const int *rows_of,
                                const int *columns_of, float vx, float vy, float e, int most_iterations, float cutoff)
{
    __shared__ float field[MOST_ROWS * MOST_COLUMNS], buffer[FLOW_THREADS];
    __shared__ int has_converged;
    const float *image = images[blockIdx.x];
    int rows = rows_of[blockIdx.x], columns = columns_of[blockIdx.x], me = threadIdx.x;
    int rounds = (rows * columns + FLOW_THREADS - 1) / FLOW_THREADS, row = 0, column = 0;
    for (int round = 0; round < rounds; round++) {
        row = (me + round * FLOW_THREADS) / columns;
        column = (me + round * FLOW_THREADS) % columns;
        if (row < rows)
            field[row * columns + column] = fields[blockIdx.x][row * columns + column];
    }
    if (me == 0)
        has_converged = 0;
    __syncthreads();

    float per_columns = 1 / (float)columns, per_e = 1 / e;
    int columns_a_round = FLOW_THREADS % columns, first_column = me % columns;
    for (int iteration = 0; !has_converged && iteration < most_iterations; iteration++) {
        float change = 0;
        column = first_column - columns_a_round;
        for (int round = 0; round < rounds; round++) {
            int last_row = row, last_column = column;
            row = (int)((me + round * FLOW_THREADS + 0.5f) * per_columns);
            column += columns_a_round;
            if (column >= columns)
                column -= columns;
            float value = 0, old = 0;
            if (row < rows) {
                old = field[row * columns + column];
                value = spread(field, rows, columns, row, column, vx, vy, per_e, image[row * columns + column]);
            }
            __syncthreads();
            if (round > 0) {
                if (last_row < rows)
                    field[last_row * columns + last_column] = buffer[me];
            }
            if (round < rounds - 1) {
                buffer[me] = value;
            } else {
                if (row < rows)
                    field[row * columns + column] = value;
            }
            change += fabsf(value - old);
            __syncthreads();
        }

        buffer[me] = change;
        __syncthreads();
        if (me >= FLOW_POWER)
            buffer[me - FLOW_POWER] += buffer[me];
        __syncthreads();
        for (int half = FLOW_POWER / 2; half > 0; half /= 2) {
            if (me < half)
                buffer[me] += buffer[me + half];
            __syncthreads();
        }
        if (me == 0) {
            if (buffer[0] / (float)(rows * columns) < cutoff)
                has_converged = 1;
        }
        __syncthreads();
    }

    for (int round = 0; round < rounds; round++) {
        row = (me + round * FLOW_THREADS) / columns;
        column = (me + round * FLOW_THREADS) % columns;
        if (row < rows)
            fields[blockIdx.x][row * columns + column] = field[row * columns + column];
    }
}
