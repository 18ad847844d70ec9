/* The random neutrons of workloads/xsbench and workloads/rsbench: their numbers, and the material that each is in. */
#ifndef HEDDLE_WORKLOADS_NEUTRON_CUH
#define HEDDLE_WORKLOADS_NEUTRON_CUH

#include "device.h"

enum { MATERIALS = 12 };

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

#endif
