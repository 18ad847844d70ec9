/* What the writer and the reader of a recording share: the header of the file and those of its sections, in bytes,
 * lowest first. */
#ifndef HEDDLE_TAPE_FILE_FORMAT_H
#define HEDDLE_TAPE_FILE_FORMAT_H

#include <stdint.h>

/* Readers refuse files of another version. */
#define TAPE_MAGIC "heddle recording"
enum { TAPE_VERSION = 2, TAPE_MAGIC_BYTES = 16, TAPE_FILE_HEADER_BYTES = TAPE_MAGIC_BYTES + 8, TAPE_LEVEL = 6 };

/* Header of a section: kind, key, compressed bytes, uncompressed bytes, checksum. */
enum { TAPE_WORDS = 5, TAPE_HEADER_BYTES = 8 * TAPE_WORDS };

static inline void tape_put_word(uint8_t *to, uint64_t word)
{
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)(word >> 8 * i);
}

static inline uint64_t tape_word(const uint8_t *from)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word |= (uint64_t)from[i] << 8 * i;
    return word;
}

#endif
