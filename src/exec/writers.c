/*
 * Writers: see writers.h. Most lines are written by one block, so a line's entry holds one owner and the words it
 * wrote; owners by word are kept only once a second block writes to the line.
 */
#include "exec/writers.h"

#include "base/arena.h"
#include "base/bits.h"
#include "exec/engine_fault.h"
#include "exec/operand.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 128, LINE_WORDS = LINE_BYTES / 4, TABLE_LINES = 4096, SEVERAL = 0 };

struct line {
    uint64_t number;               /* address / LINE_BYTES */
    uint64_t since;                /* engine.now of the line's first write in the launch */
    uint32_t launch;               /* the entry holds only if this is the launch at work */
    uint32_t owner;                /* 1 + number of the only block that wrote the line; SEVERAL: see owner_of */
    uint32_t written;              /* words that were written */
    uint32_t owner_of[LINE_WORDS]; /* by written word, 1 + number of the block that wrote it last; if SEVERAL */
};

struct writers {
    uint32_t launch; /* counts launches; never 0 */
    struct line line[TABLE_LINES];
};

struct writers *writers_create(void)
{
    return xcalloc(1, sizeof(struct writers));
}

void writers_destroy(struct writers *w)
{
    free(w);
}

void writers_begin(struct writers *w, struct engine *e)
{
    e->writers = w;
    e->writers_at = 0;
    if (++w->launch)
        return;
    memset(w, 0, sizeof *w); /* the count wrapped: entries of old launches must not seem new */
    w->launch = 1;
}

/* The entry of a line; one that held another line, or another launch, starts anew. */
static struct line *entry_of(const struct engine *e, uint64_t number)
{
    struct writers *w = e->writers;
    struct line *l = &w->line[(number ^ number >> 12) % TABLE_LINES];
    if (l->number == number && l->launch == w->launch)
        return l;
    l->number = number;
    l->launch = w->launch;
    l->since = e->now;
    l->owner = (uint32_t)e->block->number + 1;
    l->written = 0;
    return l;
}

/* A second block writes to the line. */
static void split_owner(struct line *l)
{
    for (uint32_t left = l->written; left; left &= left - 1)
        l->owner_of[bits_lowest(left)] = l->owner;
    l->owner = SEVERAL;
}

/* Whether the lane's element k differs from what is in memory. */
static bool changes(struct engine *e, const struct bound *in, const void *at, int lane, unsigned k)
{
    const uint8_t *lanes = operand_source(e, in, (int)k);
    return memcmp(at, lanes + (unsigned)lane * lane_bytes(in->source_bits[k]), in->width) != 0;
}

/* Counts a store to words of another block. */
static void count_conflict(struct engine *e, const struct bound *in, uint64_t address)
{
    if (!e->result->block_conflicts++)
        engine_place(e, in, address, &e->result->first_conflict);
}

/* One lane's elements, in a line that several blocks write. */
static void note_shared(struct engine *e, const struct bound *in, struct line *l, uintptr_t origin, uint64_t address,
                        int lane)
{
    uint32_t me = (uint32_t)e->block->number + 1;
    unsigned words = in->width / 4u;
    for (unsigned k = 0; k < in->elements; k++) {
        uint64_t at = address + (uint64_t)k * in->width;
        unsigned first = (unsigned)(at % LINE_BYTES / 4);
        bool is_foreign = false;
        for (unsigned w = first; w < first + words; w++)
            is_foreign |= l->written >> w & 1 && l->owner_of[w] != me;
        if (is_foreign && e->block->last_order <= l->since && changes(e, in, (const void *)(origin + at), lane, k))
            count_conflict(e, in, at);
        for (unsigned w = first; w < first + words; w++)
            l->owner_of[w] = me;
        l->written |= ((1u << words) - 1) << first;
    }
}

/* The words of a line that an access of at most 64 bytes within the line covers. */
static uint32_t words_of(uint64_t address, uint64_t bytes)
{
    return (uint32_t)((UINT64_C(1) << bytes / 4) - 1) << (address % LINE_BYTES / 4);
}

static void note_lane(struct engine *e, const struct bound *in, uintptr_t origin, uint64_t address, int lane)
{
    struct line *l = entry_of(e, address / LINE_BYTES);
    e->writers_at += WRITERS_LANE_PRICE;
    uint32_t me = (uint32_t)e->block->number + 1;
    if (l->owner == me) {
        l->written |= words_of(address, (uint64_t)in->width * in->elements);
        return;
    }
    if (l->owner != SEVERAL)
        split_owner(l);
    note_shared(e, in, l, origin, address, lane);
}

void writers_note(struct engine *e, const struct bound *in, uintptr_t origin, const uint64_t *address, uint32_t mask,
                  bool is_row)
{
    uint64_t bytes = (uint64_t)in->width * in->elements;
    uint32_t me = (uint32_t)e->block->number + 1;
    /* Whole lines that nobody else wrote need no look at single words. */
    if (is_row && address[0] % LINE_BYTES == 0) {
        uint32_t lanes_per_line = LINE_BYTES / (uint32_t)bytes;
        e->writers_at += WRITERS_LINE_PRICE * bytes / (LINE_BYTES / ROW_LANES);
        for (uint32_t i = 0; i < ROW_LANES; i += lanes_per_line) {
            struct line *l = entry_of(e, address[i] / LINE_BYTES);
            if (l->owner == me)
                l->written = UINT32_MAX;
            else
                for (uint32_t k = i; k < i + lanes_per_line; k++)
                    note_lane(e, in, origin, address[k], (int)k);
        }
        return;
    }
    for (; mask; mask &= mask - 1)
        note_lane(e, in, origin, address[bits_lowest(mask)], bits_lowest(mask));
}
