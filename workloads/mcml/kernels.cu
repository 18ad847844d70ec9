// Photons in layered tissue. Each thread follows one photon after the other in a single loop over steps: a thread whose
// photon ends takes the next one in the same round, so threads of a warp are in different photons.

#include "photon.h"

// Blocks of 256, as many as the machine holds. `next` counts the photons that threads have taken.
extern "C" __global__ void transport(unsigned photons, unsigned *next, tallies t)
{
    unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    bool is_active = number < photons;
    photon p;
    enter(p, number);
    while (is_active) {
        step(p, t);
        if (p.weight < ROULETTE_WEIGHT) {
            float chance = random_unit(p);
            if (p.weight != 0 && chance < ROULETTE_CHANCE) {
                p.weight *= 1 / ROULETTE_CHANCE;
            } else {
                end(p, number, t);
                number = atomicAdd(next, 1u);
                if (number < photons)
                    enter(p, number);
                else
                    is_active = false;
            }
        }
    }
}
