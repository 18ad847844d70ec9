// Corners of an image by the detector of Harris and Stephens, one thread per pixel in three kernels: gradients, the
// response of a window around each pixel, and the pixels whose response is the largest among their neighbours. Pixels
// beyond the image's edge are those at the edge.

#include "device.h"

enum { REACH = 2, WINDOW = 2 * REACH + 1 };

__constant__ float window[WINDOW][WINDOW]; // weights, whose sum is 1

// Sobel's operator, scaled so that gradients are from -1 to 1.
extern "C" __global__ void differentiate(const unsigned char *image, float *gradients_x, float *gradients_y, int width,
                                         int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int left = max(x - 1, 0), right = min(x + 1, width - 1);
    const unsigned char *above = image + max(y - 1, 0) * width, *here = image + y * width,
                        *below = image + min(y + 1, height - 1) * width;
    int across = above[right] - above[left] + 2 * (here[right] - here[left]) + below[right] - below[left];
    int down = below[left] - above[left] + 2 * (below[x] - above[x]) + below[right] - above[right];
    gradients_x[y * width + x] = across * (1.0f / 1020);
    gradients_y[y * width + x] = down * (1.0f / 1020);
}

// The determinant of the window's matrix of products of gradients, less `sensitivity` times its squared trace: large at
// a corner, negative at an edge, nearly 0 elsewhere.
extern "C" __global__ void respond(const float *gradients_x, const float *gradients_y, float *responses, int width,
                                   int height, float sensitivity)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float xx = 0, xy = 0, yy = 0;
    for (int down = -REACH; down <= REACH; down++) {
        int row = min(max(y + down, 0), height - 1) * width;
        for (int across = -REACH; across <= REACH; across++) {
            int at = row + min(max(x + across, 0), width - 1);
            float gx = gradients_x[at], gy = gradients_y[at], weight = window[down + REACH][across + REACH];
            xx += weight * gx * gx;
            xy += weight * gx * gy;
            yy += weight * gy * gy;
        }
    }
    float trace = xx + yy;
    responses[y * width + x] = xx * yy - xy * xy - sensitivity * trace * trace;
}

// Marks the pixels that respond with more than `least` and than each of their eight neighbours, and counts them. Of
// equal neighbours none is marked.
extern "C" __global__ void pick(const float *responses, unsigned char *marks, unsigned *count, int width, int height,
                                float least)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float mine = responses[y * width + x];
    bool is_corner = mine > least;
    if (is_corner) {
        for (int down = -1; down <= 1; down++)
            for (int across = -1; across <= 1; across++) {
                int at_x = x + across, at_y = y + down;
                bool is_other = (across || down) && at_x >= 0 && at_x < width && at_y >= 0 && at_y < height;
                if (is_other && responses[at_y * width + at_x] >= mine)
                    is_corner = false;
            }
        if (is_corner)
            atomicAdd(count, 1u);
    }
    marks[y * width + x] = is_corner;
}
