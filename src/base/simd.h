/* Vectors: loops over arrays of which the program holds a version for the wider vectors of newer hosts too. */
#ifndef HEDDLE_BASE_SIMD_H
#define HEDDLE_BASE_SIMD_H

#include <stdbool.h>
#include <stdint.h> /* says whether this is glibc */

/* On an x86-64, a function marked so is there twice, and which of them runs is decided when the program is loaded.
 * Neither fuses products and sums: -ffp-contract=off holds for both. clang 14 gives static functions' resolvers names
 * that collide, and does not find the function where its declaration is not marked too; so it makes one version. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define SIMD_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define SIMD_CLONES
#endif

bool simd_goes_up_by(const uint64_t *values, int count, uint64_t step);

/* Each value is `step` more than the one before. Mostly the ends decide; otherwise simd_goes_up_by() looks at all. */
static inline bool simd_is_even(const uint64_t *values, int count, uint64_t step)
{
    return values[count - 1] - values[0] == (uint64_t)(count - 1) * step && simd_goes_up_by(values, count, step);
}

#endif
