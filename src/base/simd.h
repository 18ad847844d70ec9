/* Functions with loops over arrays, compiled a second time for the wider vector registers of newer hosts. */
#ifndef HEDDLE_BASE_SIMD_H
#define HEDDLE_BASE_SIMD_H

#include <stdbool.h>
#include <stdint.h> /* says whether this is glibc */

/* On x86-64, a function marked SIMD_CLONES exists twice, and the loader picks the version that the host supports.
 * Neither version fuses products and sums: -ffp-contract=off holds for both. clang 14 gives the resolvers of static
 * functions names that collide, and does not find a function whose declaration is not marked too, so with clang there
 * is one version. So there is in a build that counts for a profile (HEDDLE_COUNTS, scripts/pgo.sh): the loader calls
 * gcc's resolvers in a shared library before the counters have their addresses. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(HEDDLE_COUNTS)
#define SIMD_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define SIMD_CLONES
#endif

/* Whether values[i] is values[0] + i * step for all i. */
bool simd_goes_up_by(const uint64_t *values, int count, uint64_t step);

/* Whether each value is `step` more than the one before. Mostly the first and last value decide; only if they fit,
 * simd_goes_up_by() looks at all values. */
static inline bool simd_is_even(const uint64_t *values, int count, uint64_t step)
{
    return values[count - 1] - values[0] == (uint64_t)(count - 1) * step && simd_goes_up_by(values, count, step);
}

#endif
