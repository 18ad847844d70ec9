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
#include "base/vector.h"
#include "mem/config.h"

#include <stdlib.h>
#include <string.h>

enum { SEEN = 1 << 15 };

struct home {
    const struct mem_config *memory;
    int loops;
    int32_t *loop_of;  /* by block: the loop that it is the header of, or -1 */
    uint8_t *is_within; /* [outer][inner] */
    uint32_t *rounds;  /* [row][loop][lane] */
    uint64_t *seen;    /* hashes, by their low bits */
};

struct home *home_create(const struct sm *sm, const struct mem_config *memory)
{
    const struct program *p = sm->host.program;
    struct home *h = xcalloc(1, sizeof *h);
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

void home_destroy(struct home *h)
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
static uint32_t *rounds_of(const struct home *h, int32_t row, int loop)
{
    return &h->rounds[((size_t)row * (size_t)h->loops + (size_t)loop) * ROW_LANES];
}

void home_launch(struct sm *sm, int32_t first_row, int rows)
{
    struct home *h = sm->home;
    memset(rounds_of(h, first_row, 0), 0, sizeof *h->rounds * (size_t)rows * ROW_LANES * (size_t)h->loops);
}

/* The loop whose next round begins where a jump goes; -1: none. */
static int loop_again(const struct sm *sm, int32_t from, int32_t to)
{
    const struct program *p = sm->host.program;
    int again = sm->home->loop_of[p->insns[to].block];
    if (again < 0 || p->blocks[p->insns[to].block].first != to)
        return -1;
    for (int loop = p->blocks[p->insns[from].block].loop; loop >= 0; loop = p->loops[loop].parent)
        if (loop == again)
            return again;
    return -1;
}

/* A round begins for threads of a row, and with it the loops inside begin anew. */
VECTOR_CLONES static void begin_round(const struct home *h, int loop, int32_t row, uint32_t mask)
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

void home_jump(struct sm *sm, int32_t from, const struct outcome *o)
{
    int loop = loop_again(sm, from, o->pc);
    for (int i = 0; loop >= 0 && i < o->threads.count; i++)
        begin_round(sm->home, loop, o->threads.part[i].row, o->threads.part[i].mask);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t place_of(const struct sm *sm, int32_t pc, int32_t row, int lane)
{
    const struct program *p = sm->host.program;
    const struct resident *r = &sm->residents[sm->row_resident[row]];
    uint32_t warp = (uint32_t)((row - r->first_row) * ROW_LANES + lane) / sm->config->warp_width;
    uint64_t hash = mix(mix(mix(0, r->age + 1), warp), (uint64_t)pc);
    for (int loop = p->blocks[p->insns[pc].block].loop; loop >= 0; loop = p->loops[loop].parent)
        hash = mix(hash, rounds_of(sm->home, row, loop)[lane]);
    return hash;
}

/* Whether nobody touched it from there, as far as is known; somebody has from now on. */
static bool is_new(struct home *h, uint64_t place, uint64_t line)
{
    uint64_t hash = mix(place, line) | 1, *at = &h->seen[hash >> 1 & (SEEN - 1)];
    bool is_known = *at == hash;
    *at = hash;
    return !is_known;
}

/* Lanes share a transaction if their addresses divided by 2^this are the same: as mem/front.c has it. */
static unsigned line_shift_of(const struct mem_config *c, const struct step_access *a)
{
    enum mem_port port = a->kind == STEP_CONSTANT ? PORT_CONSTANT : a->kind == STEP_TEXTURE ? PORT_TEXTURE : PORT_DATA;
    uint32_t bytes = port == PORT_CONSTANT ? c->constant_width_bytes : c->port[port].line_bytes;
    while (bytes < a->bytes && bytes < c->port[port].line_bytes)
        bytes *= 2;
    return (unsigned)__builtin_ctz(bytes);
}

void home_access(struct sm *sm, const struct strand *s, const struct step_access *a)
{
    unsigned line_shift = line_shift_of(sm->home->memory, a);
    int at = 0;
    for (int i = 0; i < s->threads.count; i++)
        for (uint32_t left = sm->step.part_active[i]; left && at < a->count; left &= left - 1, at++) {
            uint64_t place = place_of(sm, s->pc, s->threads.part[i].row, bits_lowest(left));
            uint64_t last = (a->address[at] + (a->bytes ? a->bytes - 1u : 0)) >> line_shift;
            for (uint64_t line = a->address[at] >> line_shift; line <= last; line++)
                sm->stats.home_transactions += is_new(sm->home, place, line);
        }
}
