// Molecular dynamics with link cells: cells are at least as large as the cutoff, so an atom has all its partners in its
// own cell and the 26 around it. Each atom has one thread. Cells at the box's surface have copies on the other side
// (halo cells), shifted by the box, so positions need no wrapping here.

#include "device.h"

enum { CELL_ATOMS = 64, NEIGHBOURS = 27 };

struct vectors {
    float *x, *y, *z; // one element per place: place i of cell c is number c * CELL_ATOMS + i
};

struct list {
    int atoms;
    const int *place, *cell; // of each atom
};

struct potential {
    float sigma, epsilon, cutoff;
};

// Adds what one atom at distance (dx, dy, dz) does, with factors that are the same for all pairs left out.
static __device__ __forceinline__ void add_partner(float dx, float dy, float dz, float squared, float sigma6,
                                                   float shift, float3 &force, float &energy)
{
    float inverse = 1.0f / squared;
    float sixth = sigma6 * (inverse * inverse * inverse);
    energy += 0.5f * (sixth * (sixth - 1.0f) - shift);
    float factor = sixth * inverse * (48.0f * sixth - 24.0f);
    force.x += factor * dx;
    force.y += factor * dy;
    force.z += factor * dz;
}

// Lennard-Jones forces and energies. `atoms_of` counts the atoms of each cell; `neighbours` names the 27 cells around
// each cell, the cell itself first.
extern "C" __global__ void force(list l, vectors positions, vectors forces, float *energies, const int *atoms_of,
                                 const int *neighbours, potential p)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= l.atoms)
        return;
    int cell = l.cell[me], mine = cell * CELL_ATOMS + l.place[me];

    float sigma2 = p.sigma * p.sigma, sigma6 = sigma2 * sigma2 * sigma2, farthest = p.cutoff * p.cutoff;
    float at_cutoff = sigma6 / (farthest * farthest * farthest), shift = at_cutoff * (at_cutoff - 1.0f);
    float x = positions.x[mine], y = positions.y[mine], z = positions.z[mine];
    float3 sum = make_float3(0, 0, 0);
    float energy = 0;

    int other = cell * CELL_ATOMS;
#pragma unroll 1
    for (int i = 0; i < atoms_of[cell]; i++, other++) {
        float dx = x - positions.x[other], dy = y - positions.y[other], dz = z - positions.z[other];
        float squared = dx * dx + dy * dy + dz * dz;
        if (squared <= farthest && squared > 0.0f) // the atom itself is at distance 0
            add_partner(dx, dy, dz, squared, sigma6, shift, sum, energy);
    }
#pragma unroll 1
    for (int n = 1; n < NEIGHBOURS; n++) {
        int neighbour = neighbours[cell * NEIGHBOURS + n];
        other = neighbour * CELL_ATOMS;
#pragma unroll 1
        for (int i = 0; i < atoms_of[neighbour]; i++, other++) {
            float dx = x - positions.x[other], dy = y - positions.y[other], dz = z - positions.z[other];
            float squared = dx * dx + dy * dy + dz * dz;
            if (squared <= farthest)
                add_partner(dx, dy, dz, squared, sigma6, shift, sum, energy);
        }
    }

    forces.x[mine] = sum.x * p.epsilon;
    forces.y[mine] = sum.y * p.epsilon;
    forces.z[mine] = sum.z * p.epsilon;
    energies[mine] = energy * 4 * p.epsilon;
}

extern "C" __global__ void advance_velocity(list l, vectors velocities, vectors forces, float time_per_mass)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= l.atoms)
        return;
    int mine = l.cell[me] * CELL_ATOMS + l.place[me];
    velocities.x[mine] += time_per_mass * forces.x[mine];
    velocities.y[mine] += time_per_mass * forces.y[mine];
    velocities.z[mine] += time_per_mass * forces.z[mine];
}

extern "C" __global__ void advance_position(list l, vectors positions, vectors velocities, float time)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= l.atoms)
        return;
    int mine = l.cell[me] * CELL_ATOMS + l.place[me];
    positions.x[mine] += time * velocities.x[mine];
    positions.y[mine] += time * velocities.y[mine];
    positions.z[mine] += time * velocities.z[mine];
}
