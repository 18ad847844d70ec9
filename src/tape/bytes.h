/*
 * Bytes of a recording: numbers and strings that are appended to a growable buffer, and read back from bytes that may
 * be damaged or hostile.
 *
 * Numbers take one byte per seven bits, lowest first; differences are folded so that small ones of either sign are
 * short. A reader that meets the end, or a number of more than 64 bits, keeps `failed` set and gives zeros from then
 * on, so that callers may check once.
 */
#ifndef HEDDLE_TAPE_BYTES_H
#define HEDDLE_TAPE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    uint8_t *data;
    size_t count, capacity;
};

void bytes_free(struct bytes *b);
void bytes_put(struct bytes *b, const void *data, size_t count);
void bytes_put_number(struct bytes *b, uint64_t value);
void bytes_put_difference(struct bytes *b, uint64_t difference); /* modulo 2^64: -1 is UINT64_MAX */
void bytes_put_string(struct bytes *b, const char *text);        /* NULL is not the same as "" */

/* How many bytes bytes_put_difference() appends. */
unsigned bytes_of_difference(uint64_t difference);

struct bytes_reader {
    const uint8_t *at, *end;
    bool failed;
};

uint64_t bytes_number(struct bytes_reader *r);
uint64_t bytes_difference(struct bytes_reader *r);
/* The next `count` bytes; NULL: there are fewer. */
const uint8_t *bytes_take(struct bytes_reader *r, uint64_t count);
/* A copy of the next string, which the caller frees; NULL if NULL was written, and after a failure. */
char *bytes_string(struct bytes_reader *r);
/* A number that may be at most `most`; 0 and a failure if it is larger. */
uint64_t bytes_number_up_to(struct bytes_reader *r, uint64_t most);

#endif
