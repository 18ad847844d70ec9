// Particles on a grid of zones: they are born, fly, scatter, and are absorbed, leave the grid, or reach the end of the
// time step. A thread follows one particle after the other, from segment to segment: the way within a zone up to the
// next event. Zones count the length of all ways in them.

#include "device.h"

enum { ABSORBED, ESCAPED, CENSUS };

struct mesh {
    int across, along;     // zones
    double width, height;  // of a zone
    double absorption, scattering; // per unit of length
    double step;           // how far a particle flies in the time step
};

#define LENGTH_SCALE 0x1p40 // lengths are tallied in units of 2^-40

struct particle {
    double x, y, ux, uy;
    double to_census, free_paths; // what is left: of the time step's way; up to the collision
    int column, row;
    unsigned long long random;
};

// A number of a linear congruential generator modulo 2^64, in [0, 1).
static __device__ __forceinline__ double random_unit(unsigned long long &state)
{
    state = state * 2862933555777941757ull + 3037000493ull;
    return (double)(state >> 11) * 0x1p-53;
}

static __device__ __forceinline__ void turn(particle &p)
{
    double up = 2 * random_unit(p.random) - 1, angle = 6.283185307179586 * random_unit(p.random);
    double flat = sqrt(1 - up * up);
    p.ux = flat * cos(angle);
    p.uy = flat * sin(angle);
}

// A particle's random numbers depend on its number alone, so it does not matter which thread follows it.
static __device__ __forceinline__ void bear(particle &p, unsigned number, const mesh &m)
{
    p.random = (number + 1) * 0x9e3779b97f4a7c15ull;
    p.random = (p.random ^ p.random >> 30) * 0xbf58476d1ce4e5b9ull;
    p.random ^= p.random >> 27;
    p.x = random_unit(p.random) * m.across;
    p.y = random_unit(p.random) * m.along;
    p.column = (int)p.x;
    p.row = (int)p.y;
    p.x *= m.width;
    p.y *= m.height;
    turn(p);
    p.to_census = m.step * random_unit(p.random);
    p.free_paths = -log(1 - random_unit(p.random));
}

// How far it is to a side of the zone in one dimension.
static __device__ __forceinline__ double to_side(double at, double direction, int zone, double size)
{
    if (direction > 0)
        return ((zone + 1) * size - at) / direction;
    if (direction < 0)
        return (zone * size - at) / direction;
    return 1e300;
}

// Blocks of 128.
extern "C" __global__ void track(mesh m, unsigned particles, unsigned long long *lengths, int *fates,
                                 unsigned long long *last_random)
{
    double interaction = m.absorption + m.scattering;
    HEDDLE_PREDICT(next_segment);
#pragma unroll 1
    for (unsigned number = blockIdx.x * blockDim.x + threadIdx.x; number < particles;
         number += gridDim.x * blockDim.x) {
        particle p;
        bear(p, number, m);
        int fate = -1;
#pragma unroll 1
        while (fate < 0) {
            HEDDLE_LABEL(next_segment);
            double to_column = to_side(p.x, p.ux, p.column, m.width), to_row = to_side(p.y, p.uy, p.row, m.height);
            double to_facet = fmin(to_column, to_row), to_collision = p.free_paths / interaction;
            double way = fmin(fmin(to_facet, to_collision), p.to_census);
            p.x += way * p.ux;
            p.y += way * p.uy;
            atomicAdd(&lengths[p.row * m.across + p.column], (unsigned long long)(way * LENGTH_SCALE));
            if (way == p.to_census) {
                fate = CENSUS;
            } else if (way == to_collision) {
                p.to_census -= way;
                if (random_unit(p.random) * interaction < m.absorption) {
                    fate = ABSORBED;
                } else {
                    turn(p);
                    p.free_paths = -log(1 - random_unit(p.random));
                }
            } else {
                p.to_census -= way;
                p.free_paths -= way * interaction;
                if (to_column < to_row)
                    p.column += p.ux > 0 ? 1 : -1;
                else
                    p.row += p.uy > 0 ? 1 : -1;
                if (p.column < 0 || p.column >= m.across || p.row < 0 || p.row >= m.along)
                    fate = ESCAPED;
            }
        }
        fates[number] = fate;
        last_random[number] = p.random;
    }
}
