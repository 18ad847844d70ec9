/* Archives of object files (libNAME.a), as `ar` writes them: their members, one after the other. */
#ifndef HEDDLE_BINARY_ARCHIVE_H
#define HEDDLE_BINARY_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive_member {
    const uint8_t *data;
    size_t bytes;
};

bool archive_is(const void *data, size_t length);
/* The member at *offset, which is 0 for the first and is moved on. False: there is no further one, or the rest of the
 * archive is damaged. Tables of symbols and names are members, too. */
bool archive_next(const void *data, size_t length, size_t *offset, struct archive_member *member);

#endif
