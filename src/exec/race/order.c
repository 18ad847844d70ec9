/*
 * Happens-before: whether one access is ordered before another, by the epoch of the block, by vector clocks among the
 * threads of a block, and by the last atomics of both threads or blocks (order.h). Only what race.c reports here
 * orders threads; the order in which the engine executes them does not.
 */
#include "exec/race/order.h"

#include "base/arena.h"
#include "base/bits.h"

#include <string.h>
#include <uthash.h>

/* Which accesses of a row's threads come before an atomic that reads this word. A row only has to know of itself, since
 * the lock-step check looks at pairs within rows. */
struct race_word {
    struct race_word_key {
        uint64_t address; /* of a word, in its space */
        uint32_t space, row;
    } key;
    uint32_t known[ROW_LANES]; /* by lane: up to which clock */
    UT_hash_handle hh;
};

static size_t place_of(const struct race_order *o, const struct block *block)
{
    size_t at = ((uintptr_t)block >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    at &= (size_t)o->capacity - 1;
    while (o->table[at].block && o->table[at].block != block)
        at = (at + 1) & ((size_t)o->capacity - 1);
    return at;
}

static void grow(struct race_order *o)
{
    struct race_order old = *o;
    o->capacity = old.capacity ? 2 * old.capacity : 16;
    o->table = xcalloc((size_t)o->capacity, sizeof *o->table);
    for (int i = 0; i < old.capacity; i++)
        if (old.table[i].block)
            o->table[place_of(o, old.table[i].block)] = old.table[i];
    free(old.table);
}

static void forget(struct race_order_block *b)
{
    struct race_word *w, *next;
    HASH_ITER(hh, b->words, w, next)
    {
        HASH_DEL(b->words, w);
        free(w);
    }
    free(b->clock);
    free(b->behind);
    free(b->atomic);
    free(b->arrived);
}

/* Makes the structure describe a block whose threads have not synchronised yet. The shadow of shared memory stays. */
static void start(struct race_order_block *b, const struct block *block)
{
    forget(b);
    *b = (struct race_order_block){
        .block = block, .number = block->number, .threads = block->row_count * ROW_LANES, .shared = b->shared};
    b->known = ROW_LANES;
    b->clock = xcalloc((size_t)b->threads, sizeof *b->clock);
    b->behind = xcalloc((size_t)b->threads * b->known, sizeof *b->behind);
    b->atomic = xcalloc((size_t)b->threads, sizeof *b->atomic);
    for (int i = 0; i < b->threads; i++)
        b->clock[i] = 1;
}

struct race_order_block *race_order_find(struct race_order *o, const struct block *block, bool *is_new)
{
    if (2 * o->count >= o->capacity)
        grow(o);
    struct race_order_block *b = &o->table[place_of(o, block)];
    *is_new = !b->block || b->number != block->number;
    o->count += !b->block;
    if (*is_new) {
        start(b, block);
        while ((uint64_t)o->last_atomic.count <= block->number)
            vec_push(&o->last_atomic, 0);
    }
    return b;
}

void race_order_free(struct race_order *o)
{
    for (int i = 0; i < o->capacity; i++) {
        forget(&o->table[i]);
        free(o->table[i].shared);
    }
    free(o->table);
    vec_free(&o->last_atomic);
}

/* ---- what is known ---- */

/* Where a thread keeps what it knows of the thread `of`. */
static uint32_t *knowledge(const struct race_order_block *b, int thread, int of)
{
    return &b->behind[(size_t)thread * b->known + (uint32_t)of % b->known];
}

struct race_present race_order_present(const struct race_order *o, struct race_order_block *b, int row, int lane,
                                       int32_t pc)
{
    struct race_present p = {.block = b, .lane = lane};
    p.self = (struct race_seen){.block = (uint32_t)b->number + 1,
                                .lanes = 1u << lane,
                                .epoch = b->epoch,
                                .clock = b->clock[row * ROW_LANES + lane],
                                .atomics = o->atomics,
                                .pc = (uint32_t)pc,
                                .row = (uint32_t)row};
    return p;
}

/* Whether the access `before`, by the thread on `lane`, of the same block and epoch, is ordered before the thread
 * `p`. */
static bool thread_is_before(const struct race_seen *before, int lane, const struct race_present *p)
{
    const struct race_order_block *b = p->block;
    int then = (int)before->row * ROW_LANES + lane, now = (int)p->self.row * ROW_LANES + p->lane;
    if (then == now)
        return true;
    bool knows = b->known > ROW_LANES || before->row == p->self.row;
    if (knows && *knowledge(b, now, then) >= before->clock)
        return true;
    return b->atomic[then] > before->atomics && b->atomic[now] > before->atomics;
}

uint32_t race_order_unordered(const struct race_order *o, const struct race_seen *before, const struct race_present *p)
{
    if (!before->block)
        return 0;
    if (before->block != p->self.block) {
        bool both = o->last_atomic.data[before->block - 1] > before->atomics &&
                    o->last_atomic.data[p->self.block - 1] > before->atomics;
        return both ? 0 : before->lanes;
    }
    if (before->epoch < p->self.epoch)
        return 0;
    uint32_t unordered = 0;
    for (uint32_t left = before->lanes; left; left &= left - 1)
        if (!thread_is_before(before, bits_lowest(left), p))
            unordered |= left & -left;
    return unordered;
}

/* ---- what happens ---- */

void race_order_atomic(struct race_order *o, struct race_order_block *b, int thread)
{
    b->atomic[thread] = o->last_atomic.data[b->number] = ++o->atomics;
}

/* to[i] = the larger of to[i] and from[i]. */
static void raise_to(uint32_t *to, const uint32_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

/* Adds the knowledge of a thread that synchronises, its own clock included, to `known`; and advances its clock. */
static void tell(struct race_order_block *b, int thread, uint32_t *known)
{
    raise_to(known, knowledge(b, thread, 0), b->known);
    known[(uint32_t)thread % b->known] = b->clock[thread]++;
}

void race_order_hand_over(struct race_order_block *b, enum space space, uint64_t address, int thread, bool reads,
                          bool writes)
{
    int row = thread / ROW_LANES;
    uint32_t *mine = knowledge(b, thread, row * ROW_LANES);
    struct race_word_key key = {address, (uint32_t)space, (uint32_t)row};
    struct race_word *w;
    HASH_FIND(hh, b->words, &key, sizeof key, w);
    if (!w) {
        w = xcalloc(1, sizeof *w);
        w->key = key;
        HASH_ADD(hh, b->words, key, sizeof key, w);
    }
    if (reads)
        raise_to(mine, w->known, ROW_LANES);
    if (!writes)
        return;
    raise_to(w->known, mine, ROW_LANES);
    w->known[thread % ROW_LANES] = b->clock[thread]++;
}

void race_order_warp_sync(struct race_order_block *b, int row, uint32_t mask)
{
    uint32_t known[LAUNCH_MAX_THREADS] = {0}, atomic = 0;
    int first = row * ROW_LANES;
    for (uint32_t left = mask; left; left &= left - 1) {
        int thread = first + bits_lowest(left);
        tell(b, thread, known);
        atomic = b->atomic[thread] > atomic ? b->atomic[thread] : atomic;
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        int thread = first + bits_lowest(left);
        memcpy(knowledge(b, thread, 0), known, sizeof *known * b->known);
        b->atomic[thread] = atomic;
    }
}

/* Lets each thread know all threads of the block, not only its row. */
static void widen(struct race_order_block *b)
{
    struct race_order_block narrow = *b;
    b->known = (uint32_t)b->threads;
    b->behind = xcalloc((size_t)b->threads * b->known, sizeof *b->behind);
    for (int thread = 0; thread < b->threads; thread++)
        memcpy(knowledge(b, thread, thread / ROW_LANES * ROW_LANES), knowledge(&narrow, thread, 0),
               ROW_LANES * sizeof *b->behind);
    free(narrow.behind);
    b->arrived = xcalloc((size_t)LAUNCH_MAX_BARRIERS * b->known, sizeof *b->arrived);
}

void race_order_arrive(struct race_order_block *b, uint32_t barrier, int row, uint32_t mask)
{
    if (!b->arrived)
        widen(b);
    for (uint32_t left = mask; left; left &= left - 1) {
        int thread = row * ROW_LANES + bits_lowest(left);
        tell(b, thread, b->arrived + barrier * b->known);
        raise_to(&b->arrived_atomic[barrier], &b->atomic[thread], 1);
    }
}

void race_order_pass(struct race_order_block *b, uint32_t barrier, int row, uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        int thread = row * ROW_LANES + bits_lowest(left);
        raise_to(knowledge(b, thread, 0), b->arrived + barrier * b->known, b->known);
        raise_to(&b->atomic[thread], &b->arrived_atomic[barrier], 1);
    }
}

void race_order_open(struct race_order_block *b, uint32_t barrier)
{
    memset(b->arrived + barrier * b->known, 0, sizeof *b->arrived * b->known);
    b->arrived_atomic[barrier] = 0;
}

void race_order_open_all(struct race_order_block *b)
{
    b->epoch++;
}
