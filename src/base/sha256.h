/*
 * SHA-256 (FIPS 180-4): a name for bytes that other bytes do not have. What `sha256sum` prints of a file is what
 * sha256_add_file() and sha256_hex() give.
 */
#ifndef HEDDLE_BASE_SHA256_H
#define HEDDLE_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_HEX = 65 }; /* hexadecimal digits and the NUL behind them */

struct sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes added so far */
    uint8_t block[64];
};

void sha256_open(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t length);
/* Adds a text and its NUL, so that "ab", "c" and "a", "bc" give different sums; NULL is no text, which "" is. */
void sha256_add_text(struct sha256 *s, const char *text);
/* Adds the bytes of a file. False, with errno, if the file cannot be read. */
bool sha256_add_file(struct sha256 *s, const char *path);
/* The sum of all that was added; nothing may be added afterwards. */
void sha256_hex(struct sha256 *s, char hex[SHA256_HEX]);

#endif
