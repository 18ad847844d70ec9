/*
 * Goldens: what silicon gave, by the case's name.
 *
 * Two kinds of file. Records: the word HEDDLEG1, then for each case the length of its name, the name, a
 * status, the length of the bytes, the bytes (lengths little-endian); or all of that compressed by zstd,
 * behind HEDDLEZ1 and its length. Lines: a name and 16 hexadecimal digits, the hash of all outputs.
 */
#ifndef HEDDLE_TESTS_GOLDEN_H
#define HEDDLE_TESTS_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct golden_entry {
    const char *name; /* not NUL-terminated */
    size_t name_length;
    bool absent; /* silicon does not have this form */
    bool used;   /* found by golden_find() */
    const uint8_t *bytes;
    size_t length;
};

struct golden {
    uint8_t *text; /* what the entries point into */
    struct golden_entry *data;
    int count, capacity;
    int expected; /* where the next one looked for probably is */
};

/* False: `error` says what is wrong with the file. */
bool golden_load(struct golden *g, const char *path, char *error, size_t error_size);
const struct golden_entry *golden_find(struct golden *g, const char *name);
void golden_free(struct golden *g);

struct golden_writer;
struct golden_writer *golden_create(const char *path, bool lines); /* NULL: cannot be written; errno says why */
void golden_write(struct golden_writer *w, const char *name, bool absent, const uint8_t *bytes, size_t length);
bool golden_close(struct golden_writer *w); /* whether all was written */

/* Compresses a file of records; false: `error` says why not. */
bool golden_pack(const char *from, const char *to, char *error, size_t error_size);

#endif
