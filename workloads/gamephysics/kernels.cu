// Rigid bodies of a game: balls, capsules and boxes that collide. A step takes five launches: pairs of bodies that are
// near each other (from a grid), contacts of these pairs, two rounds of impulses, and the motion of the bodies.

#include "vector.cuh"

enum shape { BALL, CAPSULE, BOX };
enum { MOST_NEIGHBOURS = 32, COLLIDE_THREADS = 128, HALF_WARP = 16 };

#define BOUNCE   0.3f  // share of the speed that is left
#define FRICTION 0.4f
#define PUSH     2.0f  // speed that bodies get per depth by which they overlap
#define RELAX    0.5f  // share of each impulse that is applied: all contacts of a body are solved at the same time
#define DEEPER   1e-3f // by which the second body's view must be deeper to be taken

struct body {
    float3 at;
    int shape;
    float4 turn;      // a quaternion, x y z w
    float3 half;      // of a box; a ball: x is its radius; a capsule: also, and y half of its length between the ends
    float reach;      // radius of the ball around it
    float mass;       // the inverse of it; 0: does not move
    float inertia;    // the inverse of it, the same for all axes
    float unused[2];
};

struct motion {
    float4 speed, spin;
};

struct contact {
    float4 normal_depth; // the normal pushes the first body; depth: 0 or less if the bodies do not touch
    float4 point;
};

struct grid {
    float3 corner;
    float cell;
    int columns, rows, layers; // of cells in x, y, z; bodies are inside of it
};

__device__ __forceinline__ float4 with(float3 a, float w)
{
    return make_float4(a.x, a.y, a.z, w);
}

// v turned by the quaternion q; with sign -1, turned back.
__device__ __forceinline__ float3 turned(float4 q, float3 v, float sign)
{
    float3 axis = sign * xyz(q), t = 2 * cross(axis, v);
    return v + q.w * t + cross(axis, t);
}

// Blocks of 128, one thread per body. Bodies are in the order of their cells. Each pair is found by its first body.
extern "C" __global__ void find_pairs(const body *bodies, int count, grid g, const int *cell_first, int *neighbours,
                                      int *neighbour_count)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= count)
        return;
    float3 at = bodies[me].at;
    float reach = bodies[me].reach;
    int x = (int)((at.x - g.corner.x) / g.cell), y = (int)((at.y - g.corner.y) / g.cell),
        z = (int)((at.z - g.corner.z) / g.cell), found = 0;
#pragma unroll 1
    for (int layer = max(z - 1, 0); layer <= min(z + 1, g.layers - 1); layer++)
#pragma unroll 1
        for (int row = max(y - 1, 0); row <= min(y + 1, g.rows - 1); row++)
#pragma unroll 1
            for (int column = max(x - 1, 0); column <= min(x + 1, g.columns - 1); column++) {
                int cell = (layer * g.rows + row) * g.columns + column;
#pragma unroll 1
                for (int other = cell_first[cell]; other < cell_first[cell + 1]; other++) {
                    if (other <= me)
                        continue;
                    float3 off = bodies[other].at - at;
                    float touch = reach + bodies[other].reach;
                    if (dot(off, off) < touch * touch && found < MOST_NEIGHBOURS)
                        neighbours[me * MOST_NEIGHBOURS + found++] = other;
                }
            }
    neighbour_count[me] = found;
}

__device__ __forceinline__ int points_of(int shape)
{
    return shape == BALL ? 1 : shape == CAPSULE ? 3 : 8;
}

// Point i of a body's surface, less its rounding radius: a ball's centre; a capsule's ends and what of its axis is
// closest to the other body; a box's corners.
__device__ __forceinline__ float3 point_of(const body &b, int i, float3 other)
{
    switch (b.shape) {
    case BALL:
        return b.at;
    case CAPSULE: {
        float3 axis = turned(b.turn, make_float3(0, 1, 0), 1);
        float along = i == 0 ? b.half.y : i == 1 ? -b.half.y : dot(other - b.at, axis);
        return b.at + fminf(fmaxf(along, -b.half.y), b.half.y) * axis;
    }
    default: {
        float3 corner = make_float3(i & 1 ? b.half.x : -b.half.x, i & 2 ? b.half.y : -b.half.y,
                                    i & 4 ? b.half.z : -b.half.z);
        return b.at + turned(b.turn, corner, 1);
    }
    }
}

// Distance of a point from the body, negative inside, and the direction away from it.
__device__ __forceinline__ float distance_from(const body &b, float3 point, float3 *away)
{
    float3 off = point - b.at;
    switch (b.shape) {
    case CAPSULE: {
        float3 axis = turned(b.turn, make_float3(0, 1, 0), 1);
        off = off - fminf(fmaxf(dot(off, axis), -b.half.y), b.half.y) * axis;
    }
    // fall through: the nearest point of the axis is the centre of a ball
    case BALL: {
        float length = sqrtf(dot(off, off)) + 1e-12f;
        *away = 1 / length * off;
        return length - b.half.x;
    }
    default: {
        float3 own = turned(b.turn, off, -1);
        float3 over = make_float3(fabsf(own.x) - b.half.x, fabsf(own.y) - b.half.y, fabsf(own.z) - b.half.z);
        if (over.x <= 0 && over.y <= 0 && over.z <= 0) { // inside: out by the nearest face
            if (over.x >= over.y && over.x >= over.z) {
                *away = turned(b.turn, make_float3(copysignf(1, own.x), 0, 0), 1);
                return over.x;
            }
            if (over.y >= over.z) {
                *away = turned(b.turn, make_float3(0, copysignf(1, own.y), 0), 1);
                return over.y;
            }
            *away = turned(b.turn, make_float3(0, 0, copysignf(1, own.z)), 1);
            return over.z;
        }
        float3 out = make_float3(copysignf(fmaxf(over.x, 0), own.x), copysignf(fmaxf(over.y, 0), own.y),
                                 copysignf(fmaxf(over.z, 0), own.z));
        float length = sqrtf(dot(out, out));
        *away = turned(b.turn, 1 / length * out, 1);
        return length;
    }
    }
}

// Blocks of 128. A warp has 16 pairs: its first half looks at the points of the first bodies, its second half at those
// of the second bodies. The deeper view makes the contact, which the first half computes.
extern "C" __global__ void collide(const body *bodies, const int2 *pairs, int count, contact *contacts)
{
    __shared__ float deepest_of[COLLIDE_THREADS];
    int lane = threadIdx.x % (2 * HALF_WARP), side = lane / HALF_WARP;
    int pair = (blockIdx.x * blockDim.x + threadIdx.x) / (2 * HALF_WARP) * HALF_WARP + lane % HALF_WARP;
    body own, other;
    float deepest = -1e30f;
    if (pair < count) {
        int2 p = pairs[pair];
        own = bodies[side ? p.y : p.x];
        other = bodies[side ? p.x : p.y];
        float radius = own.shape == BOX ? 0 : own.half.x;
        int points = points_of(own.shape);
#pragma unroll 1
        for (int i = 0; i < points; i++) {
            float3 away;
            deepest = fmaxf(deepest, radius - distance_from(other, point_of(own, i, other.at), &away));
        }
    }
    deepest_of[threadIdx.x] = deepest;
    __syncthreads();
    if (side == 1 || pair >= count)
        return;
    float sign = 1, of_other = deepest_of[threadIdx.x + HALF_WARP];
    if (of_other > deepest + DEEPER) {
        body swap = own;
        own = other;
        other = swap;
        deepest = of_other;
        sign = -1;
    }
    float3 normal = make_float3(0, 0, 0), point = make_float3(0, 0, 0);
    if (deepest > 0) { // the mean of all points that are in the other body, by their depths
        float radius = own.shape == BOX ? 0 : own.half.x, weight = 0;
        int points = points_of(own.shape);
#pragma unroll 1
        for (int i = 0; i < points; i++) {
            float3 away, at = point_of(own, i, other.at);
            float depth = radius - distance_from(other, at, &away);
            if (depth > 0) {
                normal = normal + depth * away;
                point = point + depth * (at - (radius - 0.5f * depth) * away);
                weight += depth;
            }
        }
        point = 1 / weight * point;
        normal = sign / (sqrtf(dot(normal, normal)) + 1e-12f) * normal;
    }
    contacts[pair].normal_depth = with(normal, deepest);
    contacts[pair].point = with(point, 0);
}

// Blocks of 128, one thread per body: the impulses of its contacts, all from the motions before.
extern "C" __global__ void solve(const body *bodies, int count, const int2 *pairs, const contact *contacts,
                                 const int *first_of, const int *contact_of, const motion *before, motion *after)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= count)
        return;
    motion mine = before[me];
    if (bodies[me].mass == 0) {
        after[me] = mine;
        return;
    }
    float3 speed = xyz(mine.speed), spin = xyz(mine.spin);
#pragma unroll 1
    for (int i = first_of[me]; i < first_of[me + 1]; i++) {
        int c = contact_of[i];
        float depth = contacts[c].normal_depth.w;
        if (depth <= 0)
            continue;
        int2 pair = pairs[c];
        float3 normal = xyz(contacts[c].normal_depth), point = xyz(contacts[c].point);
        int you = pair.x;
        if (pair.x == me) {
            you = pair.y;
        } else {
            normal = -1 * normal; // now it pushes me
        }
        motion yours = before[you];
        float3 arm = point - bodies[me].at, your_arm = point - bodies[you].at;
        float3 relative = xyz(mine.speed) + cross(xyz(mine.spin), arm) - xyz(yours.speed) -
                          cross(xyz(yours.spin), your_arm);
        float closing = dot(relative, normal), masses = bodies[me].mass + bodies[you].mass;
        float3 lever = cross(arm, normal), your_lever = cross(your_arm, normal);
        float impulse = (PUSH * depth - (1 + BOUNCE) * closing) /
                        (masses + bodies[me].inertia * dot(lever, lever) +
                         bodies[you].inertia * dot(your_lever, your_lever));
        if (impulse <= 0)
            continue;
        float3 sliding = relative - closing * normal, push = impulse * normal;
        float slide = sqrtf(dot(sliding, sliding));
        if (slide > 1e-6f)
            push = push - fminf(FRICTION * impulse, slide / masses) / slide * sliding;
        speed = speed + RELAX * bodies[me].mass * push;
        spin = spin + RELAX * bodies[me].inertia * cross(arm, push);
    }
    after[me].speed = with(speed, 0);
    after[me].spin = with(spin, 0);
}

// Blocks of 128, one thread per body: gravity, the floor and the walls, then the new place.
extern "C" __global__ void move(body *bodies, motion *motions, int count, float3 low, float3 high, float seconds)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= count || bodies[me].mass == 0)
        return;
    float3 speed = xyz(motions[me].speed), spin = xyz(motions[me].spin), at = bodies[me].at;
    float4 q = bodies[me].turn;
    speed.y -= 9.81f * seconds;
    if ((at.x < low.x && speed.x < 0) || (at.x > high.x && speed.x > 0))
        speed.x = -BOUNCE * speed.x;
    if ((at.y < low.y && speed.y < 0) || (at.y > high.y && speed.y > 0))
        speed.y = -BOUNCE * speed.y;
    if ((at.z < low.z && speed.z < 0) || (at.z > high.z && speed.z > 0))
        speed.z = -BOUNCE * speed.z;
    float half = 0.5f * seconds;
    float3 axis = xyz(q), by = half * (q.w * spin + cross(spin, axis));
    q = make_float4(q.x + by.x, q.y + by.y, q.z + by.z, q.w - half * dot(spin, axis));
    float length = rsqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    bodies[me].at = at + seconds * speed;
    bodies[me].turn = make_float4(length * q.x, length * q.y, length * q.z, length * q.w);
    motions[me].speed = with(speed, 0);
    motions[me].spin = with(0.995f * spin, 0);
}
