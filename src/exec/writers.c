/*
 * Writers: see writers.h. Most lines are written by one block, so a line's entry holds one owner and the words it
 * wrote; owners by word are kept only once a second block writes to the line.
 */
#include "exec/writers.h"

#include "base/arena.h"
#include "base/bits.h"
#include "base/vec.h"
#include "exec/ahead/draft.h"
#include "exec/engine_fault.h"
#include "exec/operand.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 128, LINE_WORDS = LINE_BYTES / 4, TABLE_LINES = 4096, SEVERAL = 0 };

/* Two entries are in one cache line of the host, since nearly every look misses its first caches. */
struct line {
    uint64_t number;  /* address / LINE_BYTES */
    uint64_t since;   /* engine.now of the line's first write in the launch */
    uint32_t launch;  /* the entry holds only if this is the launch at work */
    uint32_t owner;   /* 1 + number of the only block that wrote the line; SEVERAL: see owners_of() */
    uint32_t written; /* words that were written */
};

/* By written word of a line of several owners, 1 + number of the block that wrote it last. */
struct owners {
    uint32_t of[LINE_WORDS];
};

struct writers {
    uint32_t launch; /* counts launches; never 0 */
    struct line line[TABLE_LINES];
    struct owners owners[TABLE_LINES];
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
    if (++w->launch)
        return;
    memset(w, 0, sizeof *w); /* the count wrapped: entries of old launches must not seem new */
    w->launch = 1;
}

/* A store that is looked at. Times count from the start of the launch. */
struct look {
    struct writers *writers;
    uint64_t now;        /* engine.now at the store */
    uint64_t last_order; /* block.last_order at the store */
    uint32_t me;         /* 1 + number of the block */
    unsigned width, elements;
    /* To see whether the store changes a value; `engine` NULL: nobody can tell. */
    struct engine *engine;
    const struct bound *in;
    uintptr_t origin;
};

static unsigned index_of(uint64_t number)
{
    return (unsigned)((number ^ number >> 12) % TABLE_LINES);
}

/* The entry of a line; one that held another line, or another launch, starts anew. */
static struct line *entry_of(const struct look *k, uint64_t number)
{
    struct writers *w = k->writers;
    struct line *l = &w->line[index_of(number)];
    if (l->number == number && l->launch == w->launch)
        return l;
    l->number = number;
    l->launch = w->launch;
    l->since = k->now;
    l->owner = k->me;
    l->written = 0;
    return l;
}

static struct owners *owners_of(const struct look *k, const struct line *l)
{
    return &k->writers->owners[l - k->writers->line];
}

/* A second block writes to the line. */
static void split_owner(const struct look *k, struct line *l)
{
    struct owners *owners = owners_of(k, l);
    for (uint32_t left = l->written; left; left &= left - 1)
        owners->of[bits_lowest(left)] = l->owner;
    l->owner = SEVERAL;
}

/* Whether the lane's element differs from what is in memory. */
static bool changes(const struct look *k, uint64_t address, int lane, unsigned element)
{
    const struct bound *in = k->in;
    const uint8_t *lanes = operand_source(k->engine, in, (int)element);
    const void *at = (const void *)(k->origin + address);
    return memcmp(at, lanes + (unsigned)lane * lane_bytes(in->source_bits[element]), in->width) != 0;
}

/* Counts a store to words of another block. */
static void count_conflict(struct engine *e, const struct bound *in, uint64_t address)
{
    if (!e->result->block_conflicts++)
        engine_place(e, in, address, &e->result->first_conflict);
}

/* One lane's elements, in a line that several blocks write. False: whether there is a conflict cannot be told. */
static bool look_shared(const struct look *k, struct line *l, uint64_t address, int lane)
{
    unsigned words = k->width / 4u;
    struct owners *owners = owners_of(k, l);
    for (unsigned i = 0; i < k->elements; i++) {
        uint64_t at = address + (uint64_t)i * k->width;
        unsigned first = (unsigned)(at % LINE_BYTES / 4);
        bool is_foreign = false;
        for (unsigned w = first; w < first + words; w++)
            is_foreign |= l->written >> w & 1 && owners->of[w] != k->me;
        is_foreign &= k->last_order <= l->since;
        if (is_foreign && !k->engine)
            return false;
        if (is_foreign && changes(k, at, lane, i))
            count_conflict(k->engine, k->in, at);
        for (unsigned w = first; w < first + words; w++)
            owners->of[w] = k->me;
        l->written |= ((1u << words) - 1) << first;
    }
    return true;
}

/* The words of a line that an access within the line covers. */
static uint32_t words_of(uint64_t address, uint64_t bytes)
{
    return (uint32_t)((UINT64_C(1) << bytes / 4) - 1) << (address % LINE_BYTES / 4);
}

static bool look_lane(const struct look *k, uint64_t address, int lane)
{
    struct line *l = entry_of(k, address / LINE_BYTES);
    if (l->owner == k->me) {
        l->written |= words_of(address, (uint64_t)k->width * k->elements);
        return true;
    }
    if (l->owner != SEVERAL)
        split_owner(k, l);
    return look_shared(k, l, address, lane);
}

/* Lanes side by side in one line, from the lane `first` on, which is at `address`: if nobody else wrote the line, they
 * need no look at single words. */
static bool look_run(const struct look *k, uint64_t address, int first, int count)
{
    const uint64_t bytes = (uint64_t)k->width * k->elements;
    struct line *l = entry_of(k, address / LINE_BYTES);
    if (l->owner == k->me) {
        l->written |= words_of(address, bytes * (uint64_t)count);
        return true;
    }
    for (int n = 0; n < count; n++)
        if (!look_lane(k, address + (uint64_t)n * bytes, first + n))
            return false;
    return true;
}

/* Whole lines, of a row whose lanes are side by side. */
static bool look_lines(const struct look *k, uint64_t address)
{
    uint64_t bytes = (uint64_t)k->width * k->elements;
    int lanes_per_line = LINE_BYTES / (int)bytes;
    for (int i = 0; i < ROW_LANES; i += lanes_per_line)
        if (!look_run(k, address + (uint64_t)i * bytes, i, lanes_per_line))
            return false;
    return true;
}

/* The lanes `mask`, as many at a time as are side by side in one line. */
static void look_lanes(const struct look *k, const uint64_t *address, uint32_t mask)
{
    const uint64_t bytes = (uint64_t)k->width * k->elements;
    for (int first = 0, end; first < ROW_LANES; first = end) {
        end = first + 1;
        if (!(mask >> first & 1))
            continue;
        while (end < ROW_LANES && mask >> end & 1 && address[end] == address[end - 1] + bytes &&
               address[end] % LINE_BYTES)
            end++;
        look_run(k, address[first], first, end - first);
    }
}

/* ---- looks of blocks that run before their turn ---- */

struct kept_look {
    struct look look;
    uint32_t mask; /* lanes; 0: whole lines */
    int first;     /* index of the first address */
};

struct kept_line {
    unsigned index; /* in the table */
    struct line line;
    struct owners owners;
};

struct writers_log {
    struct vec_of(struct kept_look) looks;
    struct vec_of(uint64_t) addresses; /* of the lanes in the mask, or one of whole lines */
    struct vec_of(struct kept_line) before;
};

void writers_log_reset(struct writers_log **log)
{
    if (*log)
        (*log)->looks.count = (*log)->addresses.count = 0;
}

void writers_log_free(struct writers_log *log)
{
    if (!log)
        return;
    vec_free(&log->looks);
    vec_free(&log->addresses);
    vec_free(&log->before);
    free(log);
}

static void keep_look(struct writers_log **where, const struct look *k, const uint64_t *address, uint32_t mask)
{
    if (!*where)
        *where = xcalloc(1, sizeof **where);
    struct writers_log *log = *where;
    struct kept_look kept = {.look = *k, .mask = mask, .first = log->addresses.count};
    kept.look.engine = NULL;
    vec_push(&log->looks, kept);
    if (!mask)
        vec_push(&log->addresses, address[0]);
    for (; mask; mask &= mask - 1)
        vec_push(&log->addresses, address[bits_lowest(mask)]);
}

/* Keeps what the table has of the lines from `address` on. */
static void keep_lines(struct writers_log *log, const struct writers *w, uint64_t address, uint64_t bytes)
{
    for (uint64_t number = address / LINE_BYTES; number <= (address + bytes - 1) / LINE_BYTES; number++) {
        const unsigned index = index_of(number);
        vec_push(&log->before, (struct kept_line){index, w->line[index], w->owners[index]});
    }
}

static bool look_again(struct writers_log *log, const struct kept_look *kept, const struct look *k)
{
    const uint64_t *address = log->addresses.data + kept->first, bytes = (uint64_t)k->width * k->elements;
    if (!kept->mask) {
        keep_lines(log, k->writers, *address, bytes * ROW_LANES);
        return look_lines(k, *address);
    }
    for (int i = 0; i < bits_count(kept->mask); i++) {
        keep_lines(log, k->writers, address[i], bytes);
        if (!look_lane(k, address[i], 0))
            return false;
    }
    return true;
}

bool writers_replay(struct writers_log *log, uint64_t elapsed)
{
    bool ok = true;
    if (!log || !log->looks.count)
        return true;
    struct writers *w = log->looks.data[0].look.writers;
    log->before.count = 0;
    for (int i = 0; i < log->looks.count && ok; i++) {
        struct look k = log->looks.data[i].look;
        k.now += elapsed;
        k.last_order += k.last_order ? elapsed : 0;
        ok = look_again(log, &log->looks.data[i], &k);
    }
    while (!ok && log->before.count) {
        const struct kept_line *l = &log->before.data[--log->before.count];
        w->line[l->index] = l->line;
        w->owners[l->index] = l->owners;
    }
    log->looks.count = log->addresses.count = 0;
    return ok;
}

/* ---- stores ---- */

void writers_note(struct engine *e, const struct bound *in, uintptr_t origin, const uint64_t *address, uint32_t mask,
                  bool is_row)
{
    struct draft *d = draft_of(e);
    bool has_lines = is_row && address[0] % LINE_BYTES == 0;
    struct look k = {.writers = e->writers,
                     .now = e->elapsed + e->now,
                     .last_order = e->block->last_order ? e->elapsed + e->block->last_order : 0,
                     .me = (uint32_t)e->block->number + 1,
                     .width = in->width,
                     .elements = in->elements,
                     .engine = e,
                     .in = in,
                     .origin = origin};
    /* The price must not depend on what other blocks did. */
    if (has_lines)
        e->writers_at += (uint64_t)WRITERS_LINE_PRICE * k.width * k.elements / (LINE_BYTES / ROW_LANES);
    else
        e->writers_at += (uint64_t)WRITERS_LANE_PRICE * (uint64_t)bits_count(mask);
    if (d && !d->has_turn)
        keep_look(&d->looks, &k, address, has_lines ? 0 : mask);
    else if (has_lines)
        look_lines(&k, address[0]);
    else
        look_lanes(&k, address, mask);
}
