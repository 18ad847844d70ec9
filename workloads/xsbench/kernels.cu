// Macroscopic cross sections: for a random energy and material, the sum over the nuclides of the material of what a
// table says about each nuclide at that energy. One search in the energies of all nuclides finds the places in all
// tables.

#include "neutron.cuh"

enum { CHANNELS = 5 };

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
