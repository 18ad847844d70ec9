/* Whether one result of an instruction agrees with silicon's. */
#ifndef HEDDLE_TESTS_COMPARE_H
#define HEDDLE_TESTS_COMPARE_H

#include "op_case.h"

/* Both values as bit patterns of the type. */
bool compare_agrees(const struct op_compare *compare, enum type type, uint64_t got, uint64_t expected);

#endif
