/*
 * Random PTX programs about pointers: pointers to four buffers, to a variable and to shared memory are moved, selected,
 * added to, subtracted, taken to pieces and put together again, handed to functions and to other threads, and kept in
 * memory; and loads, stores and reductions go through all of them. Every access lies in the buffer from which its
 * pointer started, whatever has happened to the pointer on the way.
 */
#ifndef HEDDLE_TESTS_ORIGINS_POINTERS_H
#define HEDDLE_TESTS_ORIGINS_POINTERS_H

#include "tests/silicon/case.h"

#include <stdint.h>

struct test_case *pointers_case(uint64_t seed); /* the same seed gives the same case; see case_destroy() */

#endif
