/*
 * Lines of static warps: the transactions that static warps would have made of the accesses that strands make.
 *
 * A mechanism that regroups threads may bring the threads of a static warp to an instruction in several strands, each
 * of which asks for lines that the warp would have asked for once. (TBC, section 6.3, compares the memory traffic of
 * two runs; the comparison here is within one run.) Every access of a thread has a place: the block, the static warp,
 * the PC, and for each loop around the PC the number of iterations that the thread has made. Threads of a warp that
 * access one line from one place count as one transaction, however many strands brought them there. pdom makes just
 * these transactions where all threads of a warp reconverge at the end of each branch and loop; where they do not (a
 * `break`), pdom makes more.
 *
 * Approximations: pairs of place and line are known by a hash, of which low bits are the pair's number, below SEEN. Of
 * pairs with one number the last is known; a pair that was displaced counts again when it comes back. The iterations of
 * a loop in a function are not reset between calls of the function within one iteration of the caller's loop.
 */
#include "sm/static_lines.h"

#include "base/arena.h"
#include "base/simd.h"
#include "mem/config.h"
#include "sm/internal.h"

#include <stdlib.h>
#include <string.h>

enum { SEEN = 1 << 15, LEAST_SEEN = 1 << 9 };

struct static_lines {
    const struct mem_config *memory;
    int loops;            /* loops of the program */
    bool has_loops;       /* some loop has accesses in it */
    int32_t *loop_at;     /* [PC]: the loop whose header begins at the PC, or -1; loops without accesses are left out */
    uint8_t *is_within;   /* [outer][inner]: 1 if the loop `inner` lies within `outer` */
    uint32_t *iterations; /* [row][loop][lane]: iterations of the loop that the thread has made */
    uint64_t *seen;       /* table of hashes of place and line: each at its number modulo `seen_size`, or behind */
    unsigned seen_size;   /* entries of the table, which grows up to SEEN: small launches touch few pages of the host */
    unsigned seen_count;  /* entries that are used; others are 0 */
    int count;            /* hashes of the last access that were not looked up yet */
    uint64_t hash[ROW_LANES];
};

/* Fills in the headers of loops in which there are accesses: of the others no access asks for iterations. */
static void list_loops(struct static_lines *h, const struct program *p, const struct plans *plans)
{
    for (int pc = 0; pc < p->insn_count; pc++)
        for (int loop = p->blocks[p->insns[pc].block].loop; loop >= 0; loop = p->loops[loop].parent)
            if (!plans->at[pc].is_simple) {
                h->loop_at[p->blocks[p->loops[loop].header].first] = loop;
                h->has_loops = true;
            }
}

bool static_lines_has_loops(const struct static_lines *h)
{
    return h->has_loops;
}

struct static_lines *static_lines_create(const struct sm *sm, const struct mem_config *memory)
{
    const struct program *p = sm->host.facts.program;
    struct static_lines *h = xcalloc(1, sizeof *h);
    size_t threads = (size_t)residents_row_count(&sm->residents) * ROW_LANES;
    size_t loops = h->loops = p->loop_count;
    h->memory = memory;
    h->seen_size = LEAST_SEEN;
    h->seen = xcalloc(h->seen_size, sizeof *h->seen);
    h->iterations = xcalloc(threads * loops + 1, sizeof *h->iterations);
    h->is_within = xcalloc(loops * loops + 1, sizeof *h->is_within);
    h->loop_at = xmalloc((size_t)p->insn_count * sizeof *h->loop_at);
    for (int i = 0; i < p->insn_count; i++)
        h->loop_at[i] = -1;
    for (int inner = 0; inner < p->loop_count; inner++) {
        for (int outer = p->loops[inner].parent; outer >= 0; outer = p->loops[outer].parent)
            h->is_within[outer * p->loop_count + inner] = 1;
    }
    list_loops(h, p, sm->plans);
    return h;
}

void static_lines_destroy(struct static_lines *h)
{
    if (!h)
        return;
    free(h->loop_at);
    free(h->is_within);
    free(h->iterations);
    free(h->seen);
    free(h);
}

/* Iterations of the loop by the row's lanes. */
static uint32_t *iterations_of(const struct static_lines *h, int32_t row, int loop)
{
    return &h->iterations[((size_t)row * (size_t)h->loops + (size_t)loop) * ROW_LANES];
}

void static_lines_launch(struct sm *sm, int32_t first_row, int rows)
{
    struct static_lines *h = sm->static_lines;
    memset(iterations_of(h, first_row, 0), 0, sizeof *h->iterations * (size_t)rows * ROW_LANES * (size_t)h->loops);
}

static bool is_in_loop(const struct program *p, int32_t pc, int wanted)
{
    int loop = p->blocks[p->insns[pc].block].loop;
    while (loop >= 0 && loop != wanted)
        loop = p->loops[loop].parent;
    return loop >= 0;
}

/* Begins an iteration for threads of a row, and resets the iterations of the loops within the loop. */
SIMD_CLONES static void begin_iteration(const struct static_lines *h, int loop, int32_t row, uint32_t mask)
{
    uint32_t *made = iterations_of(h, row, loop);
    for (int lane = 0; lane < ROW_LANES; lane++)
        made[lane] += mask >> lane & 1;
    for (int inner = loop + 1; inner < h->loops; inner++) {
        if (!h->is_within[loop * h->loops + inner])
            continue;
        made = iterations_of(h, row, inner);
        for (int lane = 0; lane < ROW_LANES; lane++)
            made[lane] &= (mask >> lane & 1) - 1;
    }
}

/* A jump from within a loop to the loop's header. Apart, so that most jumps need no stack frame. */
static __attribute__((noinline)) void enter_again(struct sm *sm, int32_t from, int loop, const struct threads *threads,
                                                  uint32_t lanes)
{
    if (!is_in_loop(sm->host.facts.program, from, loop))
        return;
    for (int i = 0; i < threads->count; i++)
        begin_iteration(sm->static_lines, loop, threads->part[i].row, threads->part[i].mask & lanes);
}

void static_lines_jump(struct sm *sm, int32_t from, int32_t to, const struct threads *threads, uint32_t lanes)
{
    const int loop = sm->static_lines->loop_at[to];
    if (loop >= 0)
        enter_again(sm, from, loop, threads, lanes);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Hash of the place of a static warp at a PC, without iterations. */
static uint64_t place_of_warp(uint64_t block, uint32_t warp, int32_t pc)
{
    return mix(mix(mix(0, block + 1), warp), (uint64_t)pc);
}

/* Hash of the place of a thread of the warp whose place is `place`: adds the iterations of the loops around the PC. */
static uint64_t place_of_thread(const struct sm *sm, uint64_t place, int loop, int32_t row, int lane)
{
    const struct program *p = sm->host.facts.program;
    for (; loop >= 0; loop = p->loops[loop].parent)
        place = mix(place, iterations_of(sm->static_lines, row, loop)[lane]);
    return place;
}

/* An access whose lines are collected, as hashes of place and line. They are looked up when the next access comes: each
 * lookup is likely to miss the host's caches, and the host loads the entries meanwhile. */
struct touched_lines {
    struct sm *sm;
    const struct step_access *access;
    int32_t pc;
    unsigned line_shift; /* a line is an address shifted right by this */
    int at;              /* index of the next address of the access */
};

static unsigned number_of(uint64_t hash)
{
    return hash >> 1 & (SEEN - 1);
}

/* The entry of the hashes with this one's number, which is 0 if there was none yet. In a table of SEEN entries it is
 * the first that is looked at. */
static uint64_t *seen_at(const struct static_lines *h, uint64_t hash)
{
    unsigned at = number_of(hash) & (h->seen_size - 1);
    while (h->seen[at] && number_of(h->seen[at]) != number_of(hash))
        at = (at + 1) & (h->seen_size - 1);
    return &h->seen[at];
}

static __attribute__((noinline)) void double_table(struct static_lines *h)
{
    uint64_t *old = h->seen;
    const unsigned size = h->seen_size;
    h->seen_size = 2 * size;
    h->seen = xcalloc(h->seen_size, sizeof *h->seen);
    for (unsigned i = 0; i < size; i++)
        if (old[i])
            *seen_at(h, old[i]) = old[i];
    free(old);
}

void static_lines_settle(struct sm *sm)
{
    struct static_lines *h = sm->static_lines;
    for (int i = 0; i < h->count; i++) {
        uint64_t *at = seen_at(h, h->hash[i]);
        sm->stats.home_transactions += *at != h->hash[i];
        h->seen_count += !*at;
        *at = h->hash[i];
        if (h->seen_count > h->seen_size / 2 && h->seen_size < SEEN)
            double_table(h);
    }
    h->count = 0;
}

static void touch(struct sm *sm, uint64_t place, uint64_t line)
{
    struct static_lines *h = sm->static_lines;
    uint64_t hash = mix(place, line) | 1;
    if (h->count && h->hash[h->count - 1] == hash) /* the addresses of neighbour lanes are mostly in one line */
        return;
    if (h->count == ROW_LANES)
        static_lines_settle(sm);
    __builtin_prefetch(&h->seen[number_of(hash) & (h->seen_size - 1)], 1);
    h->hash[h->count++] = hash;
}

/* Lanes share a transaction if their addresses, shifted right by the result, are equal: the rule of the coalescer in
 * mem/. */
static unsigned line_shift_of(const struct mem_config *c, const struct step_access *a)
{
    enum mem_port port = a->kind == STEP_CONSTANT ? PORT_CONSTANT : a->kind == STEP_TEXTURE ? PORT_TEXTURE : PORT_DATA;
    uint32_t bytes = port == PORT_CONSTANT ? c->constant_width_bytes : c->port[port].line_bytes;
    while (bytes < a->bytes && bytes < c->port[port].line_bytes)
        bytes *= 2;
    return (unsigned)__builtin_ctz(bytes);
}

/* Collects the lines that one part of the strand touches. Threads of a warp are neighbours, so the place of a warp is
 * computed once for all of them. */
static void touch_by_part(struct touched_lines *t, struct part part)
{
    struct sm *sm = t->sm;
    const struct program *p = sm->host.facts.program;
    const struct step_access *a = t->access;
    const struct resident *r = residents_of_row(&sm->residents, part.row);
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
        uint64_t place = place_of_thread(sm, of_warp, loop, part.row, lane);
        for (uint64_t line = address >> t->line_shift; line <= last; line++)
            touch(sm, place, line);
    }
}

/* Collects the lines of a matrix, all at the place of the strand's first thread. */
static void touch_pieces(const struct touched_lines *t, struct part part)
{
    struct sm *sm = t->sm;
    const struct program *p = sm->host.facts.program;
    const struct resident *r = residents_of_row(&sm->residents, part.row);
    uint64_t of_warp = place_of_warp(r->age, (uint32_t)(part.row - r->first_row), t->pc);
    uint64_t place =
        place_of_thread(sm, of_warp, p->blocks[p->insns[t->pc].block].loop, part.row, bits_lowest(part.mask));
    for (int i = 0; i < t->access->count; i++) {
        uint64_t first = t->access->address[i], last = (first + t->access->bytes - 1) >> t->line_shift;
        for (uint64_t line = first >> t->line_shift; line <= last; line++)
            touch(sm, place, line);
    }
}

void static_lines_access(struct sm *sm, const struct strand *s, const struct step_access *a)
{
    struct touched_lines t = {
        .sm = sm, .access = a, .pc = s->pc, .line_shift = line_shift_of(sm->static_lines->memory, a), .at = 0};
    static_lines_settle(sm);
    if (a->has_pieces) {
        touch_pieces(&t, s->threads.part[0]);
        return;
    }
    for (int i = 0; i < s->threads.count; i++)
        touch_by_part(&t, (struct part){s->threads.part[i].row, sm->step.part_active[i]});
}
