/*
 * Home lines: the transactions that static warps would have made of the same accesses.
 *
 * A mechanism that regroups threads may take the threads of a static warp to an instruction in several strands, each of
 * which asks for lines that the warp would have asked for once. (TBC, section 6.3, compares memory traffic of two runs;
 * this is within one.) Here every access of a thread has a place: the block, the static warp, the PC, and for each loop
 * around it the rounds that the thread has made. Threads of a warp that access the same line from the same place count
 * it once, however many strands brought them there. That is what pdom makes where all threads of a warp meet again at the
 * end of each branch and loop; where they do not meet there (a `break`), pdom makes more.
 *
 * Places and lines are known by a hash, and only the last ones: a line that comes back late counts again. A loop of a
 * function that is called several times within a round of the loop around goes on counting.
 */
#include "sm/internal.h"

#include "base/arena.h"
#include "base/simd.h"
#include "mem/config.h"

#include <stdlib.h>
#include <string.h>

enum { SEEN = 1 << 15 };

struct static_lines {
    const struct mem_config *memory;
    int loops;
    int32_t *loop_of;   /* by block: the loop that it is the header of, or -1 */
    uint8_t *is_within; /* [outer][inner] */
    uint32_t *rounds;   /* [row][loop][lane] */
    uint64_t *seen;     /* hashes, by their low bits */
};

struct static_lines *static_lines_create(const struct sm *sm, const struct mem_config *memory)
{
    const struct program *p = sm->host.facts.program;
    struct static_lines *h = xcalloc(1, sizeof *h);
    size_t threads = (size_t)sm->resident_capacity * (size_t)sm->rows_per_block * ROW_LANES;
    size_t loops = h->loops = p->loop_count;
    h->memory = memory;
    h->seen = xcalloc(SEEN, sizeof *h->seen);
    h->rounds = xcalloc(threads * loops + 1, sizeof *h->rounds);
    h->is_within = xcalloc(loops * loops + 1, sizeof *h->is_within);
    h->loop_of = xcalloc((size_t)p->block_count + 1, sizeof *h->loop_of);
    for (int i = 0; i < p->block_count; i++)
        h->loop_of[i] = -1;
    for (int inner = 0; inner < p->loop_count; inner++) {
        h->loop_of[p->loops[inner].header] = inner;
        for (int outer = p->loops[inner].parent; outer >= 0; outer = p->loops[outer].parent)
            h->is_within[outer * p->loop_count + inner] = 1;
    }
    return h;
}

void static_lines_destroy(struct static_lines *h)
{
    if (!h)
        return;
    free(h->loop_of);
    free(h->is_within);
    free(h->rounds);
    free(h->seen);
    free(h);
}

/* Of the row's lanes. */
static uint32_t *rounds_of(const struct static_lines *h, int32_t row, int loop)
{
    return &h->rounds[((size_t)row * (size_t)h->loops + (size_t)loop) * ROW_LANES];
}

void static_lines_launch(struct sm *sm, int32_t first_row, int rows)
{
    struct static_lines *h = sm->static_lines;
    memset(rounds_of(h, first_row, 0), 0, sizeof *h->rounds * (size_t)rows * ROW_LANES * (size_t)h->loops);
}

/* The loop whose next round begins where a jump goes; -1: none. */
static int loop_again(const struct sm *sm, int32_t from, int32_t to)
{
    const struct program *p = sm->host.facts.program;
    int again = sm->static_lines->loop_of[p->insns[to].block];
    if (again < 0 || p->blocks[p->insns[to].block].first != to)
        return -1;
    for (int loop = p->blocks[p->insns[from].block].loop; loop >= 0; loop = p->loops[loop].parent)
        if (loop == again)
            return again;
    return -1;
}

/* A round begins for threads of a row, and with it the loops inside begin anew. */
SIMD_CLONES static void begin_round(const struct static_lines *h, int loop, int32_t row, uint32_t mask)
{
    uint32_t *rounds = rounds_of(h, row, loop);
    for (int lane = 0; lane < ROW_LANES; lane++)
        rounds[lane] += mask >> lane & 1;
    for (int inner = loop + 1; inner < h->loops; inner++) {
        if (!h->is_within[loop * h->loops + inner])
            continue;
        rounds = rounds_of(h, row, inner);
        for (int lane = 0; lane < ROW_LANES; lane++)
            rounds[lane] &= (mask >> lane & 1) - 1;
    }
}

void static_lines_jump(struct sm *sm, int32_t from, const struct outcome *o)
{
    int loop = loop_again(sm, from, o->pc);
    for (int i = 0; loop >= 0 && i < o->threads.count; i++)
        begin_round(sm->static_lines, loop, o->threads.part[i].row, o->threads.part[i].mask);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Of threads of one static warp at the PC. */
static uint64_t place_of_warp(uint64_t block, uint32_t warp, int32_t pc)
{
    return mix(mix(mix(0, block + 1), warp), (uint64_t)pc);
}

/* Of a thread of it, by the rounds that it has made. */
static uint64_t place_of(const struct sm *sm, uint64_t place, int loop, int32_t row, int lane)
{
    const struct program *p = sm->host.facts.program;
    for (; loop >= 0; loop = p->loops[loop].parent)
        place = mix(place, rounds_of(sm->static_lines, row, loop)[lane]);
    return place;
}

/* The lines that an access touches, as hashes. They are looked up some at a time: each is likely to miss the host's caches,
 * and so they miss together. */
struct touches {
    struct sm *sm;
    const struct step_access *access;
    int32_t pc;
    unsigned line_shift;
    int at; /* the next of its addresses */
    int count;
    uint64_t hash[ROW_LANES];
};

static uint64_t *seen_at(const struct static_lines *h, uint64_t hash)
{
    return &h->seen[hash >> 1 & (SEEN - 1)];
}

/* Counts those that nobody made from there before, as far as is known; somebody has from now on. */
static void look_up(struct touches *t)
{
    struct sm *sm = t->sm;
    for (int i = 0; i < t->count; i++) {
        uint64_t *at = seen_at(sm->static_lines, t->hash[i]);
        sm->stats.home_transactions += *at != t->hash[i];
        *at = t->hash[i];
    }
    t->count = 0;
}

static void touch(struct touches *t, uint64_t place, uint64_t line)
{
    uint64_t hash = mix(place, line) | 1;
    if (t->count && t->hash[t->count - 1] == hash) /* neighbours most often are in one line */
        return;
    if (t->count == ROW_LANES)
        look_up(t);
    __builtin_prefetch(seen_at(t->sm->static_lines, hash), 1);
    t->hash[t->count++] = hash;
}

/* Lanes share a transaction if their addresses divided by 2^this are the same: as mem/sm_port.c has it. */
static unsigned line_shift_of(const struct mem_config *c, const struct step_access *a)
{
    enum mem_port port = a->kind == STEP_CONSTANT ? PORT_CONSTANT : a->kind == STEP_TEXTURE ? PORT_TEXTURE : PORT_DATA;
    uint32_t bytes = port == PORT_CONSTANT ? c->constant_width_bytes : c->port[port].line_bytes;
    while (bytes < a->bytes && bytes < c->port[port].line_bytes)
        bytes *= 2;
    return (unsigned)__builtin_ctz(bytes);
}

/* Of a part of the strand. Threads of a warp are neighbours: what is the same for them is found once. */
static void touch_by_part(struct touches *t, struct part part)
{
    const struct sm *sm = t->sm;
    const struct program *p = sm->host.facts.program;
    const struct step_access *a = t->access;
    const struct resident *r = &sm->residents[sm->row_resident[part.row]];
    const unsigned warp_shift = (unsigned)__builtin_ctz(sm->config->warp_width);
    const uint32_t first_thread = (uint32_t)(part.row - r->first_row) * ROW_LANES, bytes = a->bytes ? a->bytes : 1;
    const int loop = p->blocks[p->insns[t->pc].block].loop;
    uint32_t warp = UINT32_MAX;
    uint64_t of_warp = 0;
    for (uint32_t left = part.mask; left && t->at < a->count; left &= left - 1) {
        uint64_t address = a->address[t->at++], last = (address + bytes - 1) >> t->line_shift;
        int lane = bits_lowest(left);
        uint32_t own = (first_thread + (uint32_t)lane) >> warp_shift;
        if (own != warp)
            of_warp = place_of_warp(r->age, warp = own, t->pc);
        uint64_t place = place_of(sm, of_warp, loop, part.row, lane);
        for (uint64_t line = address >> t->line_shift; line <= last; line++)
            touch(t, place, line);
    }
}

void static_lines_access(struct sm *sm, const struct strand *s, const struct step_access *a)
{
    struct touches t = {.sm = sm,
                        .access = a,
                        .pc = s->pc,
                        .line_shift = line_shift_of(sm->static_lines->memory, a),
                        .at = 0,
                        .count = 0};
    for (int i = 0; i < s->threads.count; i++)
        touch_by_part(&t, (struct part){s->threads.part[i].row, sm->step.part_active[i]});
    look_up(&t);
}
