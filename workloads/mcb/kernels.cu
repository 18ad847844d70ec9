// Particles on a grid of zones: they are born, fly, scatter, and lose energy on their way, until roulette ends them or
// the time step is over. A thread follows one particle after the other, from segment to segment: the way within a zone
// up to the next event. Zones count the energy of particles that fly through them, and what they absorb of it.

#include "device.h"

enum { ROULETTE, CENSUS }; // fates

struct mesh {
    int across, along;     // zones
    double width, height;  // of a zone
    double absorption, scattering; // per unit of length
    double step;           // how far a particle flies in the time step
};

struct tallies { // [zone]; energies in units of 1 / ENERGY_SCALE
    unsigned long long *radiation, *absorbed;
    unsigned *segments;
};

#define ENERGY_SCALE    0x1p40
#define ROULETTE_ENERGY 0.1 // of a particle that is born with 1

struct particle {
    double x, y, ux, uy;
    double to_census, energy;
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
    p.energy = 1;
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

// Moves the particle, which loses energy on the way. Returns whether roulette ends it.
static __device__ __forceinline__ bool advance(particle &p, double way, const mesh &m, const tallies &t)
{
    int zone = p.row * m.across + p.column;
    double loss = m.absorption * way, before = p.energy, radiation;
    p.x += way * p.ux;
    p.y += way * p.uy;
    p.to_census -= way;
    if (loss > 0.01)
        radiation = before * (1 - exp(-loss)) / m.absorption;
    else // the difference above would be one of nearly equal numbers
        radiation = before * (1 - 0.5 * loss) * way;
    atomicAdd(&t.radiation[zone], (unsigned long long)(radiation * ENERGY_SCALE));
    p.energy = before * exp(-loss);
    double lost = before - p.energy;
    if (loss < 1e-5)
        lost = before * loss * (1 - 0.5 * loss);
    atomicAdd(&t.absorbed[zone], (unsigned long long)(lost * ENERGY_SCALE));
    if (p.energy < ROULETTE_ENERGY) {
        if (random_unit(p.random) > p.energy / ROULETTE_ENERGY)
            return true;
        p.energy = ROULETTE_ENERGY;
    }
    return false;
}

// Into the next zone, or back at a side of the grid, which is a mirror.
static __device__ __forceinline__ void cross(int &zone, double &direction, int zones)
{
    int next = direction > 0 ? zone + 1 : zone - 1;
    if (next < 0 || next == zones)
        direction = -direction;
    else
        zone = next;
}

// Blocks of 128.
extern "C" __global__ void track(mesh m, unsigned particles, tallies t, int *fates, unsigned long long *last_random)
{
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
            double to_collision = -log(1 - random_unit(p.random)) / m.scattering;
            double to_event = fmin(p.to_census, to_collision);
            double to_column = to_side(p.x, p.ux, p.column, m.width), to_row = to_side(p.y, p.uy, p.row, m.height);
            double to_facet = fmax(fmin(to_column, to_row), 0.0); // rounding may have taken it past the side
            atomicAdd(&t.segments[p.row * m.across + p.column], 1u);
            if (to_facet < to_event) {
                if (advance(p, to_facet, m, t))
                    fate = ROULETTE;
                else if (to_column < to_row)
                    cross(p.column, p.ux, m.across);
                else
                    cross(p.row, p.uy, m.along);
            } else if (to_collision == to_event) {
                if (advance(p, to_collision, m, t))
                    fate = ROULETTE;
                else
                    turn(p);
            } else {
                fate = advance(p, p.to_census, m, t) ? ROULETTE : CENSUS;
            }
        }
        fates[number] = fate;
        last_random[number] = p.random;
    }
}
