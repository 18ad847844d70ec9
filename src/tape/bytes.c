/* Numbers and strings as bytes: see bytes.h. */
#include "tape/bytes.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 10 }; /* of a 64-bit number, seven bits each */

void bytes_free(struct bytes *b)
{
    free(b->data);
    *b = (struct bytes){0};
}

static uint8_t *make_room(struct bytes *b, size_t count)
{
    if (b->capacity - b->count < count) {
        b->capacity = 2 * b->capacity + count + 64;
        b->data = xrealloc(b->data, b->capacity);
    }
    return b->data + b->count;
}

void bytes_put(struct bytes *b, const void *data, size_t count)
{
    uint8_t *to = make_room(b, count);
    if (count)
        memcpy(to, data, count);
    b->count += count;
}

void bytes_put_number(struct bytes *b, uint64_t value)
{
    uint8_t *to = make_room(b, NUMBER_BYTES);
    for (; value > 0x7f; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    b->count = (size_t)(to - b->data);
}

/* Numbers near 0 of either sign become small: 0, -1, 1, -2, ... are 0, 1, 2, 3, ... */
static uint64_t fold(uint64_t difference)
{
    return difference >> 63 ? ~(difference << 1) : difference << 1;
}

void bytes_put_difference(struct bytes *b, uint64_t difference)
{
    bytes_put_number(b, fold(difference));
}

unsigned bytes_of_difference(uint64_t difference)
{
    uint64_t folded = fold(difference) | 1;
    return (70u - (unsigned)__builtin_clzll(folded)) / 7u;
}

void bytes_put_string(struct bytes *b, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    bytes_put_number(b, text ? length + 1 : 0);
    bytes_put(b, text, length);
}

uint64_t bytes_number(struct bytes_reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && r->at < r->end && !r->failed; shift += 7) {
        uint8_t byte = *r->at++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    r->failed = true;
    return 0;
}

uint64_t bytes_number_up_to(struct bytes_reader *r, uint64_t most)
{
    uint64_t value = bytes_number(r);
    if (value <= most)
        return value;
    r->failed = true;
    return 0;
}

uint64_t bytes_difference(struct bytes_reader *r)
{
    uint64_t folded = bytes_number(r);
    return folded & 1 ? ~(folded >> 1) : folded >> 1;
}

const uint8_t *bytes_take(struct bytes_reader *r, uint64_t count)
{
    const uint8_t *from = r->at;
    if (r->failed || count > (uint64_t)(r->end - r->at)) {
        r->failed = true;
        return NULL;
    }
    r->at += count;
    return from;
}

char *bytes_string(struct bytes_reader *r)
{
    uint64_t length = bytes_number(r);
    const uint8_t *from = length ? bytes_take(r, length - 1) : NULL;
    if (!from || memchr(from, 0, length - 1)) {
        r->failed |= from != NULL;
        return NULL;
    }
    char *text = xmalloc(length);
    memcpy(text, from, length - 1);
    text[length - 1] = '\0';
    return text;
}
