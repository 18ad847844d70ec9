/*
 * Rows of words: what the lanes of a row load from, or store to, 32 places of memory, four bytes each.
 *
 * Most rows are groups of eight lanes side by side, or of eight lanes at one place: whole rows do both, and tiles of 8
 * or 16 columns do. The vectors of the host move such a group at once. Words of other rows are loaded one by one and
 * put together in a vector, since a lane handler that reads a vector would wait for 32 small stores. The host's own
 * gather instructions take longer than that: 41 ns for a row with AVX2 and 25 with AVX-512, where this takes 16 to 20.
 *
 * All functions are false, with nothing done, if a word may be misaligned or not in the memory's `bytes`, or if the
 * host has no AVX2. A lane's word is at `memory` plus its register plus `add`, a sum that wraps around.
 */
#ifndef HEDDLE_EXEC_WORDS_H
#define HEDDLE_EXEC_WORDS_H

#include <stdbool.h>
#include <stdint.h>

bool words_load_narrow(uint32_t *to, const uint8_t *memory, uint64_t bytes, const uint32_t *registers, uint32_t add);
bool words_load_wide(uint32_t *to, const uint8_t *memory, uint64_t bytes, const uint64_t *registers, uint64_t add);
/* Loads for the lanes `mask`, of which there is at least one; the others are not looked at. */
bool words_load_some(uint32_t *to, const uint8_t *memory, uint64_t bytes, const uint64_t *registers, uint64_t add,
                     uint32_t mask);
/* Of several lanes that store to one place, the last one counts. */
bool words_store_narrow(const uint32_t *from, uint8_t *memory, uint64_t bytes, const uint32_t *registers, uint32_t add);
bool words_store_wide(const uint32_t *from, uint8_t *memory, uint64_t bytes, const uint64_t *registers, uint64_t add);
/* Stores of the lanes `mask`; the others are not looked at. */
bool words_store_some_narrow(const uint32_t *from, uint8_t *memory, uint64_t bytes, const uint32_t *registers,
                             uint32_t add, uint32_t mask);
bool words_store_some_wide(const uint32_t *from, uint8_t *memory, uint64_t bytes, const uint64_t *registers,
                           uint64_t add, uint32_t mask);

#endif
