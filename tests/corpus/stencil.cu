// Stencils: five points in two dimensions with a halo in shared memory, seven in three.
#include "corpus.h"

extern "C" __global__ void stencil_2d(const float *in, float *out, int width, int height)
{
    __shared__ float tile[10][18];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 16 + tx, y = blockIdx.y * 8 + ty;
    bool inside = x < width && y < height;
    tile[ty + 1][tx + 1] = inside ? in[y * width + x] : 0.0f;
    if (tx == 0)
        tile[ty + 1][0] = x > 0 && y < height ? in[y * width + x - 1] : 0.0f;
    if (tx == 15)
        tile[ty + 1][17] = x + 1 < width && y < height ? in[y * width + x + 1] : 0.0f;
    if (ty == 0)
        tile[0][tx + 1] = y > 0 && x < width ? in[(y - 1) * width + x] : 0.0f;
    if (ty == 7)
        tile[9][tx + 1] = y + 1 < height && x < width ? in[(y + 1) * width + x] : 0.0f;
    __syncthreads();
    if (inside) {
        float around = tile[ty][tx + 1] + tile[ty + 2][tx + 1] + (tile[ty + 1][tx] + tile[ty + 1][tx + 2]);
        out[y * width + x] = fmaf(around, 0.125f, 0.5f * tile[ty + 1][tx + 1]);
    }
}

extern "C" __global__ void stencil_3d(const int *in, int *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz)
        return;
    int at = (z * ny + y) * nx + x;
    int sum = -6 * in[at];
    sum += in[x > 0 ? at - 1 : at] + in[x < nx - 1 ? at + 1 : at];
    sum += in[y > 0 ? at - nx : at] + in[y < ny - 1 ? at + nx : at];
    sum += in[z > 0 ? at - nx * ny : at] + in[z < nz - 1 ? at + nx * ny : at];
    out[at] = sum;
}
