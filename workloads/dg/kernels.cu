// Maxwell's equations in three dimensions by a discontinuous Galerkin method on tetrahedra (Hesthaven and Warburton,
// "Nodal Discontinuous Galerkin Methods", 2008). Each tetrahedron has polynomials of order 6, given by their values at
// 84 nodes, 28 of them on each face. A step in time has five stages, and a stage has three kernels: derivatives within
// the tetrahedra (volume), what flows across faces (surface), and the update of the fields (runge_kutta).

#include "device.h"

enum { NODES = 84, FACE_NODES = 28, FACES = 4, FIELDS = 6 };
enum { STRIDE = 96 }; // from field to field of a tetrahedron: its nodes, and room up to whole half-warps
enum { SURFACE_NODES = FACES * FACE_NODES };

// Derivatives of the fields H and E at a node, along the three coordinates of the reference tetrahedron.
struct derivatives {
    float r[FIELDS], s[FIELDS], t[FIELDS];
};

static __device__ __forceinline__ void add_node(derivatives *d, const float *fields, int node, float4 weight)
{
#pragma unroll
    for (int i = 0; i < FIELDS; i++) {
        float q = fields[i * STRIDE + node];
        d->r[i] += weight.x * q;
        d->s[i] += weight.y * q;
        d->t[i] += weight.z * q;
    }
}

// Of field number i, the derivative along the axis whose column of the tetrahedron's factors is given.
static __device__ __forceinline__ float along(const derivatives *d, const float *factors, int axis, int i)
{
    return factors[axis] * d->r[i] + factors[4 + axis] * d->s[i] + factors[8 + axis] * d->t[i];
}

// One block of 84 threads per tetrahedron.
extern "C" __global__ void volume(float *change, cudaTextureObject_t fields, cudaTextureObject_t matrices,
                                  cudaTextureObject_t geometry)
{
    __shared__ float mine[FIELDS * STRIDE], factors[12];
    int n = threadIdx.x, k = blockIdx.x;
#pragma unroll
    for (int i = 0; i < FIELDS; i++)
        mine[i * STRIDE + n] = tex1Dfetch<float>(fields, (k * FIELDS + i) * STRIDE + n);
    if (n < 12)
        factors[n] = tex1Dfetch<float>(geometry, 12 * k + n);
    __syncthreads();

    derivatives d = {{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}};
    for (int m = 0; m < NODES;) {
        add_node(&d, mine, m, tex1Dfetch<float4>(matrices, n + m * STRIDE));
        m++;
        add_node(&d, mine, m, tex1Dfetch<float4>(matrices, n + m * STRIDE));
        m++;
        add_node(&d, mine, m, tex1Dfetch<float4>(matrices, n + m * STRIDE));
        m++;
    }

    // Fields 0 to 2 are H, 3 to 5 are E: H changes by minus the curl of E, and E by the curl of H.
    float *out = change + k * FIELDS * STRIDE + n;
    out[0 * STRIDE] = along(&d, factors, 2, 4) - along(&d, factors, 1, 5);
    out[1 * STRIDE] = along(&d, factors, 0, 5) - along(&d, factors, 2, 3);
    out[2 * STRIDE] = along(&d, factors, 1, 3) - along(&d, factors, 0, 4);
    out[3 * STRIDE] = along(&d, factors, 1, 2) - along(&d, factors, 2, 1);
    out[4 * STRIDE] = along(&d, factors, 2, 0) - along(&d, factors, 0, 2);
    out[5 * STRIDE] = along(&d, factors, 0, 1) - along(&d, factors, 1, 0);
}

// One block of 112 threads per tetrahedron: first one thread per node of a face, then one per node.
extern "C" __global__ void surface(float *change, cudaTextureObject_t fields, cudaTextureObject_t faces,
                                   cudaTextureObject_t lift)
{
    __shared__ float flux[FIELDS * SURFACE_NODES];
    int n = threadIdx.x, k = blockIdx.x;
    if (n < SURFACE_NODES) {
        int at = 7 * k * SURFACE_NODES + n;
        int inside = (int)tex1Dfetch<float>(faces, at), outside = (int)tex1Dfetch<float>(faces, at + SURFACE_NODES);
        float scale = tex1Dfetch<float>(faces, at + 2 * SURFACE_NODES);
        float wall = tex1Dfetch<float>(faces, at + 3 * SURFACE_NODES); // -1 at a wall, else 1
        float nx = tex1Dfetch<float>(faces, at + 4 * SURFACE_NODES);
        float ny = tex1Dfetch<float>(faces, at + 5 * SURFACE_NODES);
        float nz = tex1Dfetch<float>(faces, at + 6 * SURFACE_NODES);
        float jump[FIELDS];
#pragma unroll
        for (int i = 0; i < FIELDS; i++) {
            float other = tex1Dfetch<float>(fields, outside + i * STRIDE);
            jump[i] = scale * ((i < 3 ? other : wall * other) - tex1Dfetch<float>(fields, inside + i * STRIDE));
        }
        float across_h = nx * jump[0] + ny * jump[1] + nz * jump[2];
        float across_e = nx * jump[3] + ny * jump[4] + nz * jump[5];
        flux[0 * SURFACE_NODES + n] = -ny * jump[5] + nz * jump[4] + jump[0] - across_h * nx;
        flux[1 * SURFACE_NODES + n] = -nz * jump[3] + nx * jump[5] + jump[1] - across_h * ny;
        flux[2 * SURFACE_NODES + n] = -nx * jump[4] + ny * jump[3] + jump[2] - across_h * nz;
        flux[3 * SURFACE_NODES + n] = ny * jump[2] - nz * jump[1] + jump[3] - across_e * nx;
        flux[4 * SURFACE_NODES + n] = nz * jump[0] - nx * jump[2] + jump[4] - across_e * ny;
        flux[5 * SURFACE_NODES + n] = nx * jump[1] - ny * jump[0] + jump[5] - across_e * nz;
    }
    __syncthreads();

    if (n < NODES) {
        float sum[FIELDS] = {0, 0, 0, 0, 0, 0};
        for (int m = 0; m < SURFACE_NODES; m += 4) {
            float4 weight = tex1Dfetch<float4>(lift, m / 4 * NODES + n);
#pragma unroll
            for (int i = 0; i < FIELDS; i++)
                sum[i] += weight.x * flux[i * SURFACE_NODES + m];
#pragma unroll
            for (int i = 0; i < FIELDS; i++)
                sum[i] += weight.y * flux[i * SURFACE_NODES + m + 1];
#pragma unroll
            for (int i = 0; i < FIELDS; i++)
                sum[i] += weight.z * flux[i * SURFACE_NODES + m + 2];
#pragma unroll
            for (int i = 0; i < FIELDS; i++)
                sum[i] += weight.w * flux[i * SURFACE_NODES + m + 3];
        }
        float *out = change + k * FIELDS * STRIDE + n;
#pragma unroll
        for (int i = 0; i < FIELDS; i++)
            out[i * STRIDE] += sum[i];
    }
}

// Blocks of 256, one thread per value of a field.
extern "C" __global__ void runge_kutta(int total, float *residual, const float *change, float *fields, float a, float b,
                                       float seconds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < total) {
        float sum = a * residual[i] + seconds * change[i];
        residual[i] = sum;
        fields[i] += b * sum;
    }
}
