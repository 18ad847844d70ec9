/*
 * Random PTX programs for the passes of src/rewrite: kernels that look like what the passes are for.
 *
 * Each thread has a task: loops with trip counts that differ between threads, loops in loops, branches in loops whose
 * sides cost much or little, and the same sequence of instructions, in other registers, on both sides of a branch and in
 * several places. The other two generators (tests/random, tests/manual) seldom write these.
 *
 * Every program ends, and has one answer whatever the order of its threads: a thread writes its own words of `out`
 * alone, and reads what nobody writes. The arithmetic is of integers, so that a GPU gives the same bits.
 */
#ifndef HEDDLE_TESTS_TASKS_H
#define HEDDLE_TESTS_TASKS_H

#include "../silicon/case.h"

#include <stdint.h>

struct test_case *task_case(uint64_t seed); /* the same seed gives the same case; see case_destroy() */

#endif
