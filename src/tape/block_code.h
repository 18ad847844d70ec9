/*
 * How the bits and words of a block become bytes, before zstd compresses them.
 *
 * Threads next to each other mostly do the same, so a thread's bits are kept as their difference from those of the
 * thread before. Words are addresses, masks and indices: each is kept as its difference from a guess, and each site has
 * the way of guessing that makes its bytes fewest.
 */
#ifndef HEDDLE_TAPE_BLOCK_CODE_H
#define HEDDLE_TAPE_BLOCK_CODE_H

#include "tape/block.h"

void block_code_bits(const uint8_t *bits, size_t count, const uint8_t *before, size_t count_before, struct bytes *out);
void block_decode_bits(uint8_t *to, size_t bytes, const uint8_t *from, const uint8_t *before, size_t bytes_before);

void block_code_site(const struct tape_words *words, uint32_t site, struct bytes *out);
/* Fills the site's words and their places. Fails if the block would have more than `most` words. */
void block_decode_site(struct tape_words *words, uint32_t site, size_t most, struct bytes_reader *r);

#endif
