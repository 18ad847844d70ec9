/* Reading of archives; see archive.h. */
#include "binary/archive.h"

#include <string.h>

/* A member: a header of text, of which 10 digits at byte 48 are the size and the last two bytes are fixed, then the
 * data, padded to an even length. */
enum { MAGIC_BYTES = 8, HEADER_BYTES = 60, SIZE_AT = 48, SIZE_DIGITS = 10, END_AT = 58 };

bool archive_is(const void *data, size_t length)
{
    return length >= MAGIC_BYTES && !memcmp(data, "!<arch>\n", MAGIC_BYTES);
}

bool archive_next(const void *data, size_t length, size_t *offset, struct archive_member *member)
{
    const uint8_t *at = data;
    size_t start = *offset ? *offset : MAGIC_BYTES, bytes = 0;
    if (start > length || length - start < HEADER_BYTES || memcmp(at + start + END_AT, "`\n", 2))
        return false;
    for (int i = 0; i < SIZE_DIGITS && at[start + SIZE_AT + (size_t)i] != ' '; i++) {
        unsigned digit = (unsigned)(at[start + SIZE_AT + (size_t)i] - '0');
        if (digit > 9)
            return false;
        bytes = 10 * bytes + digit;
    }
    start += HEADER_BYTES;
    if (bytes > length - start)
        return false;
    *member = (struct archive_member){.data = at + start, .bytes = bytes};
    *offset = start + bytes + bytes % 2;
    return true;
}
