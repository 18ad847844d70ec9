// Macroscopic cross sections: for a random energy and material, the sum over the nuclides of the material of what a
// table says about each nuclide at that energy. One search in the energies of all nuclides finds the places in all
// tables.

#include "device.h"

enum { CHANNELS = 5, MATERIALS = 12 };

struct point {
    double energy;
    double section[CHANNELS];
};

struct reactor {
    const int *nuclides_in;    // of each material
    const int *nuclide;        // [material][most_nuclides]
    const double *density;     // [material][most_nuclides]
    const double *energies;    // of all nuclides, sorted
    const int *place;          // [energy][nuclide]: the point of the nuclide's table at or below that energy
    const point *tables;       // [nuclide][points]
    int nuclides, points;
    int most_nuclides;         // of a material
};

// Numbers of a linear congruential generator modulo 2^63.
static __device__ __forceinline__ double random_unit(unsigned long long &seed)
{
    seed = (2806196910506780709ull * seed + 1) & 0x7fffffffffffffffull;
    return (double)seed / 9223372036854775808.0;
}

// The seed `count` numbers later, by squaring.
static __device__ __forceinline__ unsigned long long skip(unsigned long long seed, unsigned long long count)
{
    unsigned long long factor = 2806196910506780709ull, addend = 1, all_factor = 1, all_addend = 0;
    while (count > 0) {
        if (count & 1) {
            all_factor *= factor;
            all_addend = all_addend * factor + addend;
        }
        addend *= factor + 1;
        factor *= factor;
        count >>= 1;
    }
    return (all_factor * seed + all_addend) & 0x7fffffffffffffffull;
}

// Materials have the shares of a reactor's volume. The fuel, material 0, is what the others leave.
static __device__ __forceinline__ int choose_material(unsigned long long &seed)
{
    double share[MATERIALS] = {0.140, 0.052, 0.275, 0.134, 0.154, 0.064, 0.066, 0.055, 0.008, 0.015, 0.025, 0.013};
    double chance = random_unit(seed);
    for (int i = 0; i < MATERIALS; i++) {
        double sum = 0;
        for (int k = i; k > 0; k--)
            sum += share[k];
        if (chance < sum)
            return i;
    }
    return 0;
}

// The last of `count` sorted energies that is not above `energy`; never the very last.
static __device__ __forceinline__ int find(const double *energies, int count, double energy)
{
    int low = 0, high = count - 1, length = high - low;
    while (length > 1) {
        int middle = low + length / 2;
        if (energies[middle] > energy)
            high = middle;
        else
            low = middle;
        length = high - low;
    }
    return low;
}

// A nuclide's cross sections between two points of its table.
static __device__ __forceinline__ void interpolate(const reactor &r, double energy, int nuclide, int row,
                                                   double *section)
{
    const point *low;
    if (r.place[(long)row * r.nuclides + nuclide] == r.points - 1)
        low = &r.tables[nuclide * r.points + r.place[(long)row * r.nuclides + nuclide] - 1];
    else
        low = &r.tables[nuclide * r.points + r.place[(long)row * r.nuclides + nuclide]];
    const point *high = low + 1;
    double share = (high->energy - energy) / (high->energy - low->energy);
    for (int c = 0; c < CHANNELS; c++)
        section[c] = high->section[c] - share * (high->section[c] - low->section[c]);
}

// Blocks of 256. A thread does every so many-th lookup.
extern "C" __global__ void look_up(reactor r, unsigned long long first_seed, unsigned lookups, double *totals,
                                   int *largest)
{
    HEDDLE_PREDICT(next_nuclide);
#pragma unroll 1
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < lookups; i += gridDim.x * blockDim.x) {
        unsigned long long seed = skip(first_seed, 2ull * i);
        double energy = random_unit(seed);
        int material = choose_material(seed);
        double sum[CHANNELS] = {0};
        int row = find(r.energies, r.nuclides * r.points, energy);
#pragma unroll 1
        for (int j = 0; j < r.nuclides_in[material]; j++) {
            HEDDLE_LABEL(next_nuclide);
            double section[CHANNELS];
            int nuclide = r.nuclide[material * r.most_nuclides + j];
            double density = r.density[material * r.most_nuclides + j];
            interpolate(r, energy, nuclide, row, section);
            for (int c = 0; c < CHANNELS; c++)
                sum[c] += section[c] * density;
        }
        double most = -1, total = 0;
        int channel = 0;
        for (int c = 0; c < CHANNELS; c++) {
            total += sum[c];
            if (sum[c] > most) {
                most = sum[c];
                channel = c;
            }
        }
        totals[i] = total;
        largest[i] = channel;
    }
}
