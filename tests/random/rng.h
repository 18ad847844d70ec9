/*
 * The generator's own random numbers: splitmix64, so that a seed means the same program on every machine,
 * compiler and libc. Decisions use integers alone.
 *
 * A caller never draws two numbers inside one argument list: C leaves their order open.
 */
#ifndef HEDDLE_TESTS_RANDOM_RNG_H
#define HEDDLE_TESTS_RANDOM_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

void rng_seed(struct rng *rng, uint64_t seed);
uint64_t rng_next(struct rng *rng);
unsigned rng_below(struct rng *rng, unsigned n); /* 0 .. n-1; n > 0 */
bool rng_chance(struct rng *rng, unsigned percent);
uint32_t rng_word(struct rng *rng); /* a data word: edge values, small numbers, float patterns, noise */

#endif
