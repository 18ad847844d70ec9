// Photons in layered tissue, as in workloads/mcml, with one loop over photons and one over the steps of a photon:
// threads leave the inner loop after different numbers of steps.

#include "../mcml/photon.h"

// Blocks of 256, as many as the machine holds. `next` counts the photons that threads have taken.
extern "C" __global__ void transport(unsigned photons, unsigned *next, tallies t)
{
    unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    HEDDLE_PREDICT(photon_step);
    while (number < photons) {
        photon p;
        enter(p, number);
        bool is_alive = true;
#pragma unroll 1
        do {
            HEDDLE_LABEL(photon_step);
            step(p, t);
            if (p.weight < ROULETTE_WEIGHT) {
                float chance = random_unit(p);
                if (p.weight != 0 && chance < ROULETTE_CHANCE)
                    p.weight *= 1 / ROULETTE_CHANCE;
                else
                    is_alive = false;
            }
        } while (is_alive);
        end(p, number, t);
        number = atomicAdd(next, 1u);
    }
}
