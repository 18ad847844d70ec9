// Nonbonded forces of molecular dynamics. Space is cut into patches a little larger than the cutoff, so an atom has all
// its partners in its own patch and the 26 around it. A block of `nonbonded` has one pair of patches: each thread keeps
// an atom of the first patch, and the atoms of the second pass by in shared memory, 16 at a time. `sum_forces` adds for
// each atom what the blocks of its 27 pairs have found.

#include "device.h"

enum { THREADS = 64, TILE = THREADS / 4, ENTRIES = 4096, EXCLUSION_WORDS = 4 };

struct __align__(16) atom {
    float x, y, z, charge;
};

struct __align__(16) kind {
    float root_epsilon, half_sigma;
    int index;                                // of the atom in the molecule's numbering
    unsigned short exclusions, farthest_excl; // where its bits are for an index difference of 0; largest difference
};

struct patch_pair {
    float shift_x, shift_y, shift_z; // of the first patch, in boxes
    int first, atoms, forces;        // first patch: its atoms, and where their forces go
    int others_first, others;        // second patch
};

struct patch {
    int first, atoms;      // where the sums go
    int first_list, lists; // in the buffer: lists of so many atoms, one after the other
};

__constant__ unsigned exclusions[EXCLUSION_WORDS]; // a bit is 1 if atoms whose indices differ so much do not interact

union tile_of_atoms {
    atom at[TILE];
    unsigned word[THREADS];
};

union tile_of_kinds {
    kind at[TILE];
    unsigned word[THREADS];
};

// Per partner: x: electrostatics, y and z: the two terms of Lennard-Jones, w: electrostatics of long range, each as
// force over distance. The table is over 1 / distance; between entries it is linear.
static __device__ __forceinline__ float4 look_up(cudaTextureObject_t table, float inverse_distance)
{
    float place = fminf(inverse_distance * ENTRIES, ENTRIES - 1);
    int entry = (int)place;
    float part = place - entry;
    float4 a = tex1Dfetch<float4>(table, entry), b = tex1Dfetch<float4>(table, entry + 1);
    return make_float4(a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), a.z + part * (b.z - a.z),
                       a.w + part * (b.w - a.w));
}

template <bool HAS_SLOW>
static __device__ __forceinline__ void add_tile(const atom &me, const kind &my, const tile_of_atoms &atoms,
                                                const tile_of_kinds &kinds, int count, float cutoff_squared,
                                                cudaTextureObject_t table, float4 &force, float4 &slow)
{
#pragma unroll 1
    for (int j = 0; j < count; j++) {
        float dx = atoms.at[j].x - me.x, dy = atoms.at[j].y - me.y, dz = atoms.at[j].z - me.z;
        float squared = dx * dx + dy * dy + dz * dz;
        if (squared < cutoff_squared) {
            float4 entry = look_up(table, rsqrtf(squared));
            bool is_excluded = false;
            int difference = my.index - kinds.at[j].index;
            if (abs(difference) <= (int)kinds.at[j].farthest_excl) {
                difference += kinds.at[j].exclusions;
                is_excluded = (exclusions[difference >> 5] & (1u << (difference & 31))) != 0;
            }
            float sigma = my.half_sigma + kinds.at[j].half_sigma, sigma3 = sigma * sigma * sigma;
            float sigma6 = sigma3 * sigma3, charges = me.charge * atoms.at[j].charge;
            float jones = sigma6 * (sigma6 * entry.z + entry.y) * (my.root_epsilon * kinds.at[j].root_epsilon);
            float near = jones + charges * entry.x, far = charges * entry.w;
            if (!is_excluded) {
                force.w += squared * near;
                force.x += dx * near;
                force.y += dy * near;
                force.z += dz * near;
                if (HAS_SLOW) {
                    slow.w += squared * far;
                    slow.x += dx * far;
                    slow.y += dy * far;
                    slow.z += dz * far;
                }
            }
        }
    }
}

// One block per pair of patches and direction. `slow_forces` may be NULL.
extern "C" __global__ void nonbonded(const patch_pair *pairs, const atom *atoms, const kind *kinds, float4 *forces,
                                     float4 *slow_forces, float3 lattice_a, float3 lattice_b, float3 lattice_c,
                                     float cutoff_squared, cudaTextureObject_t table)
{
    __shared__ tile_of_atoms tile;
    __shared__ tile_of_kinds tile_kinds;
    __shared__ union {
        patch_pair of;
        unsigned word[sizeof(patch_pair) / 4];
    } pair;

    if (threadIdx.x < sizeof(patch_pair) / 4)
        pair.word[threadIdx.x] = ((const unsigned *)(pairs + blockIdx.x))[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float a = pair.of.shift_x, b = pair.of.shift_y, c = pair.of.shift_z;
        pair.of.shift_x = a * lattice_a.x + b * lattice_b.x + c * lattice_c.x;
        pair.of.shift_y = a * lattice_a.y + b * lattice_b.y + c * lattice_c.y;
        pair.of.shift_z = a * lattice_a.z + b * lattice_b.z + c * lattice_c.z;
    }
    __syncthreads();

#pragma unroll 1
    for (int block = 0; block < pair.of.atoms; block += THREADS) {
        int mine = block + threadIdx.x;
        atom me = {0, 0, 0, 0};
        kind my = {0, 0, 0, 0, 0};
        if (mine < pair.of.atoms) {
            me = atoms[pair.of.first + mine];
            me.x += pair.of.shift_x;
            me.y += pair.of.shift_y;
            me.z += pair.of.shift_z;
            my = kinds[pair.of.first + mine];
        }
        float4 force = make_float4(0, 0, 0, 0), slow = make_float4(0, 0, 0, 0);

#pragma unroll 1
        for (int other = 0; other < pair.of.others; other += TILE) {
            int count = pair.of.others - other;
            if (count > TILE)
                count = TILE;
            __syncthreads(); // the tile before is still in use
            if (threadIdx.x < 4 * count) {
                int from = pair.of.others_first + other;
                tile.word[threadIdx.x] = ((const unsigned *)(atoms + from))[threadIdx.x];
                tile_kinds.word[threadIdx.x] = ((const unsigned *)(kinds + from))[threadIdx.x];
            }
            __syncthreads();
            if (mine < pair.of.atoms) {
                if (slow_forces)
                    add_tile<true>(me, my, tile, tile_kinds, count, cutoff_squared, table, force, slow);
                else
                    add_tile<false>(me, my, tile, tile_kinds, count, cutoff_squared, table, force, slow);
            }
        }

        if (mine < pair.of.atoms) {
            forces[pair.of.forces + mine] = force;
            if (slow_forces)
                slow_forces[pair.of.forces + mine] = slow;
        }
    }
}

// One block per patch.
extern "C" __global__ void sum_forces(const patch *patches, const float4 *buffer, float4 *sums)
{
    __shared__ patch mine;
    if (threadIdx.x == 0)
        mine = patches[blockIdx.x];
    __syncthreads();
#pragma unroll 1
    for (int i = threadIdx.x; i < mine.atoms; i += blockDim.x) {
        const float4 *from = buffer + mine.first_list + i;
        float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 1
        for (int list = 0; list < mine.lists; list++) {
            float4 force = *from;
            sum.x += force.x;
            sum.y += force.y;
            sum.z += force.z;
            sum.w += force.w;
            from += mine.atoms;
        }
        sums[mine.first + i] = sum;
    }
}
