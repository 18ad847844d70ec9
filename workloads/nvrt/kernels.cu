/*
 * Rays against a tree of boxes by persistent threads, after Aila and Laine, Understanding the Efficiency of
 * Ray Traversal on GPUs, HPG 2009: blocks of 32 x 6 threads, each row of which is a warp with a pool of rays
 * of its own. When the pool is empty thread 0 of the warp takes a batch from the global queue and says so in
 * shared memory, and the others read it there. There is no barrier: it is right only where they wait while
 * thread 0 is away, where a warp executes in lock-step. That is the program's point; the README says why it
 * also holds on machines of today. Compiled with NVRT_SYNC (workloads/nvrt-sync), the warp synchronises with
 * __syncwarp() before and after the others read the pool, and relies on nothing.
 *
 * Every product that is added to something is an explicit fmaf(), so no compiler is free to round otherwise.
 */
enum {
    LANES = 32,
    WARPS = 6,
    BATCH = 3 * LANES, /* rays taken from the queue at a time */
    MOST_PENDING = 64, /* nodes that wait on a thread's stack: the host keeps the tree lower */
    DONE = 0x7fffffff, /* in place of a node: nothing is left */
    NONE = -1,         /* in place of a triangle: the ray hits nothing */
};

#include "device.h"

struct ray {
    float3 origin, direction;
    float3 inverse;        /* of the direction */
    float3 scaled_origin;  /* by it */
    float least, greatest; /* distance; a negative greatest: any hit will do, not the closest alone */
};

struct hit {
    float distance;
    int triangle;
};

/* A direction parallel to a side of the boxes is turned a little, to have an inverse. */
__device__ __forceinline__ float inverse_of(float x)
{
    return 1.0f / (fabsf(x) > 0x1p-80f ? x : copysignf(0x1p-80f, x));
}

__device__ __forceinline__ struct ray load_ray(const float4 *rays, unsigned i)
{
    float4 o = rays[2 * i], d = rays[2 * i + 1];
    struct ray r;
    r.origin = make_float3(o.x, o.y, o.z);
    r.direction = make_float3(d.x, d.y, d.z);
    r.inverse = make_float3(inverse_of(d.x), inverse_of(d.y), inverse_of(d.z));
    r.scaled_origin = make_float3(o.x * r.inverse.x, o.y * r.inverse.y, o.z * r.inverse.z);
    r.least = o.w;
    r.greatest = d.w;
    return r;
}

/* A child of a node: two texels. */
struct child {
    float4 xy; /* the box: least and greatest x, least and greatest y */
    float4 z;  /* least and greatest z, then the bits of a node's number or, for a leaf, of ~(first * 8 + count) */
};

struct span {
    float enter, leave; /* along the ray; nothing if the first is not less */
    int what;
};

__device__ __forceinline__ struct span clip(const struct ray *r, float most, struct child c)
{
    float4 xy = c.xy, z = c.z;
    float x0 = fmaf(xy.x, r->inverse.x, -r->scaled_origin.x),
          x1 = fmaf(xy.y, r->inverse.x, -r->scaled_origin.x);
    float y0 = fmaf(xy.z, r->inverse.y, -r->scaled_origin.y),
          y1 = fmaf(xy.w, r->inverse.y, -r->scaled_origin.y);
    float z0 = fmaf(z.x, r->inverse.z, -r->scaled_origin.z),
          z1 = fmaf(z.y, r->inverse.z, -r->scaled_origin.z);
    return {fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), r->least)),
            fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fminf(fmaxf(z0, z1), most)), __float_as_int(z.z)};
}

__device__ __forceinline__ float dot(float3 a, float4 b)
{
    return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z));
}

/* What a launch works on; the host fills it in. */
struct input {
    cudaTextureObject_t nodes;     /* four texels each: its two children */
    cudaTextureObject_t triangles; /* three texels each: its rows */
    const float4 *rays;            /* two each: origin and least distance, direction and greatest */
    int2 *hits;                    /* of each ray: triangle, bits of the distance */
    unsigned *answered;            /* of each thread of the grid: how many rays it did */
    unsigned count;                /* of rays */
};

extern "C" {
__constant__ struct input nvrt_input;
__device__ unsigned nvrt_queue; /* rays that were taken */
}

__device__ __forceinline__ struct child fetch_child(int node, int which)
{
    int at = 4 * node + 2 * which;
    return {tex1Dfetch<float4>(nvrt_input.nodes, at), tex1Dfetch<float4>(nvrt_input.nodes, at + 1)};
}

__device__ __forceinline__ float4 fetch_row(int triangle, int row)
{
    return tex1Dfetch<float4>(nvrt_input.triangles, 3 * triangle + row);
}

/* Woop's test: the rows of a triangle map it to the corners (0,0,0), (1,0,0) and (0,1,0). True if the ray is
 * done with a first hit. */
__device__ __forceinline__ bool test_leaf(const struct ray *r, int leaf, struct hit *hit)
{
    int i = ~leaf >> 3, end = i + (~leaf & 7);
#pragma unroll 1
    for (; i < end; i++) {
        float4 row = fetch_row(i, 2);
        float t = (row.w - dot(r->origin, row)) / dot(r->direction, row);
        if (!(t > r->least && t < hit->distance))
            continue;
        row = fetch_row(i, 0);
        float u = fmaf(t, dot(r->direction, row), dot(r->origin, row) + row.w);
        if (!(u >= 0))
            continue;
        row = fetch_row(i, 1);
        float v = fmaf(t, dot(r->direction, row), dot(r->origin, row) + row.w);
        if (!(v >= 0 && u + v <= 1))
            continue;
        hit->distance = t;
        hit->triangle = i;
        if (r->greatest < 0)
            return true;
    }
    return false;
}

/* While-while: down the tree until a leaf is found, then its triangles. */
__device__ __forceinline__ struct hit trace(const struct ray *r)
{
    int pending[MOST_PENDING], top = 0, node = 0;
    struct hit hit = {fabsf(r->greatest), NONE};
    pending[0] = DONE;
    while (node != DONE) {
        while ((unsigned)node < DONE) {
            struct span a = clip(r, hit.distance, fetch_child(node, 0));
            struct span b = clip(r, hit.distance, fetch_child(node, 1));
            bool in_a = a.enter <= a.leave, in_b = b.enter <= b.leave;
            if (in_a && in_b) {
                bool a_first = a.enter <= b.enter;
                node = a_first ? a.what : b.what;
                pending[++top] = a_first ? b.what : a.what;
            } else if (in_a || in_b) {
                node = in_a ? a.what : b.what;
            } else {
                node = pending[top--];
            }
        }
        while (node < 0) {
            if (test_leaf(r, node, &hit))
                top = 0;
            node = pending[top--];
        }
    }
    return hit;
}

#ifdef NVRT_SYNC
#define MEET() __syncwarp()
#else
#define MEET() (void)0 /* lock-step is relied on */
#endif

/* The rays that a warp has taken and not yet begun. */
struct pool {
    unsigned next, left;
};

extern "C" __global__ void nvrt(void)
{
    __shared__ volatile struct pool pools[WARPS];
    volatile struct pool *pool = &pools[threadIdx.y];
    unsigned lane = threadIdx.x, answered = 0;
    if (lane == 0)
        pool->left = 0;
    for (;;) {
        if (lane == 0 && pool->left == 0) {
            pool->next = atomicAdd(&nvrt_queue, BATCH);
            pool->left = BATCH;
        }
        MEET(); /* thread 0 has filled the pool before others read it */
        unsigned i = pool->next + lane;
        MEET(); /* all have read the pool before thread 0 changes it */
        if (i >= nvrt_input.count)
            break;
        if (lane == 0) {
            pool->next += LANES;
            pool->left -= LANES;
        }
        struct ray r = load_ray(nvrt_input.rays, i);
        struct hit hit = trace(&r);
        nvrt_input.hits[i] = make_int2(hit.triangle, __float_as_int(hit.distance));
        answered++;
    }
    nvrt_input.answered[(blockIdx.x * WARPS + threadIdx.y) * LANES + lane] = answered;
}
