/*
 * Random PTX programs about threads that end early and the barriers of those that stay.
 *
 * A second generator beside tests/random, written from the PTX manual without a look at the first, so that what one of
 * them never writes the other may. Its programs are rich in `exit` and `ret` inside divergent code, called functions
 * and loops; in block barriers of every form with values handed over in shared memory; and in gotos past barriers.
 *
 * Every program ends, and has one answer whatever the order of its threads: a word of memory has one writer between two
 * barriers, or is changed by commutative atomics alone, and no thread reads what was not written.
 *
 * Dice are rolled in the same order on every host. Compilers evaluate the arguments of a call in an order of their own,
 * so no call rolls in more than one argument: such values are rolled ahead of it, the last argument's first, as gcc
 * does on x86-64, where the answers of a GPU to these programs were recorded.
 */
#ifndef HEDDLE_TESTS_MANUAL_H
#define HEDDLE_TESTS_MANUAL_H

#include "../silicon/case.h"

#include <stdint.h>

struct test_case *manual_case(uint64_t seed); /* the same seed gives the same case; see case_destroy() */

#endif
