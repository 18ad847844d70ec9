/* Compares two device memories, allocation by allocation in the order of addresses. Both memories are only read. */
#include "device/difference.h"

#include <stdio.h>
#include <string.h>

enum { WORD_BYTES = 4, CHUNK_BYTES = 4096 };

static uint32_t word_at(const uint8_t *bytes, uint64_t left)
{
    uint32_t word = 0;
    memcpy(&word, bytes, left < WORD_BYTES ? left : WORD_BYTES);
    return word;
}

/* Records the place of the first difference. */
static void note(struct difference *d, const struct memory *m, const struct allocation *a, uint64_t byte)
{
    int below = 0;
    for (int i = 0; i < m->count && m->allocation[i].address < a->address; i++)
        below += !m->allocation[i].is_freed;
    d->address = a->address + byte;
    d->byte = byte;
    d->word = byte / WORD_BYTES;
    d->allocation = below;
    d->start = a->address;
    d->bytes = a->bytes;
    snprintf(d->label, sizeof d->label, "%s", a->label);
}

static bool compare(struct difference *d, const struct memory *m, const struct allocation *got,
                    const struct allocation *wanted, bool is_first)
{
    bool differs = false;
    for (uint64_t chunk = 0; chunk < got->bytes; chunk += CHUNK_BYTES) {
        uint64_t left = got->bytes - chunk, bytes = left < CHUNK_BYTES ? left : CHUNK_BYTES;
        if (!memcmp(got->host + chunk, wanted->host + chunk, bytes))
            continue;
        for (uint64_t at = chunk; at < chunk + bytes; at += WORD_BYTES) {
            uint32_t a = word_at(got->host + at, got->bytes - at), b = word_at(wanted->host + at, got->bytes - at);
            if (a == b)
                continue;
            if (is_first && !differs) {
                note(d, m, got, at);
                d->got = a;
                d->wanted = b;
            }
            differs = true;
            d->words++;
        }
    }
    return differs;
}

/* The allocation at or behind place `*i` of the list that was not freed, and its place; NULL: there is none. */
static const struct allocation *next_live(const struct memory *m, int *i)
{
    while (*i < m->count && m->allocation[*i].is_freed)
        (*i)++;
    return *i < m->count ? &m->allocation[*i] : NULL;
}

bool difference_find(struct difference *d, const struct memory *got, const struct memory *wanted)
{
    bool differs = false;
    memset(d, 0, sizeof *d);
    for (int i = 0, k = 0;;) {
        const struct allocation *a = next_live(got, &i), *b = next_live(wanted, &k);
        if (!a && !b)
            return differs;
        bool is_match = a && b && a->address == b->address && a->bytes == b->bytes;
        if (is_match) {
            if (a->host != b->host) /* a clone shares the constant bank of the original */
                differs |= compare(d, got, a, b, !differs);
            i++;
            k++;
            continue;
        }
        bool is_of_got = a && (!b || a->address <= b->address);
        if (!differs) {
            note(d, got, is_of_got ? a : b, 0);
            d->is_unmatched = true;
        }
        differs = true;
        i += is_of_got;
        k += !is_of_got;
    }
}
