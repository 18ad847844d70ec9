/* The warp pool (pool.h): how threads get slots in strands, join waiting strands or form new ones, and wait at
 * barriers. The LUT is in pool_lut.c, the regrouping bandwidth in pool_commit.c. */
#include "div/parts/pool_internal.h"

#include "base/inline.h"
#include "base/simd.h"

void pool_open(struct pool *p, struct div_host *host, const struct pool_knobs *knobs, struct pool_counters *counters)
{
    const struct program *program = host->facts.program;
    size_t pcs = (size_t)program->insn_count + 1;
    *p = (struct pool){.host = host, .knobs = *knobs, .counters = counters};
    p->lanes = knobs->home == POOL_HOME_SIMD ? host->facts.simd_width : host->facts.width;
    p->is_by_lane = host->facts.slots_are_lanes && p->lanes == host->facts.width;
    p->commit_limit = knobs->commits ? knobs->commits * (uint32_t)host->facts.schedulers : UINT32_MAX;
    p->traits = xcalloc(pcs, 1);
    for (int i = 0; i < program->branch_count; i++)
        if (program->branches[i].ipdom != PC_NONE)
            p->traits[program->branches[i].ipdom] |= POOL_MEETING;
    for (int i = 0; i < program->insn_count; i++)
        if (program->insns[i].class == CLASS_BARRIER)
            p->traits[i] |= POOL_BARRIER;
    pool_lut_open(p);
}

void pool_close(struct pool *p)
{
    vec_free(&p->nodes);
    vec_free(&p->passed);
    vec_free(&p->goes_on);
    vec_free(&p->at_block);
    vec_free(&p->at_warp);
    vec_free(&p->part_of_row);
    vec_free(&p->late);
    vec_free(&p->late_outcomes);
    free(p->traits);
    pool_lut_close(p);
}

void pool_reset_row(struct pool *p, int32_t row)
{
    while (p->at_block.count <= row) {
        vec_push(&p->at_block, 0);
        vec_push(&p->at_warp, 0);
        vec_push(&p->part_of_row, 0);
        for (int lane = 0; lane < 32; lane++) {
            vec_push(&p->passed, 0);
            vec_push(&p->goes_on, PC_NONE);
        }
    }
    p->at_block.data[row] = p->at_warp.data[row] = 0;
    memset(&p->passed.data[row * 32], 0, sizeof *p->passed.data * 32);
}

/* ---- slots ---- */

static int slot_count(uint64_t slots)
{
    return bits_count((uint32_t)slots) + (slots >> 32 ? bits_count((uint32_t)(slots >> 32)) : 0);
}

/* The slot that a thread with this home slot gets in a strand whose slots `taken` are occupied; 0: none is free. */
static uint64_t slot_for(const struct pool *p, uint64_t home, uint64_t taken)
{
    int slot = __builtin_ctzll(home) % p->lanes;
    for (; slot < p->host->facts.width; slot += p->lanes)
        if (!(taken >> slot & 1))
            return UINT64_C(1) << slot;
    return 0;
}

/* What claim() does where slots are not lanes: looks up the threads' slots, one by one if some of them collide. */
static uint32_t claim_slots(struct pool *p, uint64_t *taken, int32_t row, uint32_t lanes)
{
    struct div_host *h = p->host;
    uint64_t homes = h->calls.slots(h, row, lanes);
    bool collide = h->facts.width < 32 && slot_count(homes) != bits_count(lanes);
    if (!(homes & *taken) && !collide && p->lanes == h->facts.width) {
        *taken |= homes;
        return lanes;
    }
    uint32_t found = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t slot = slot_for(p, h->calls.slots(h, row, left & -left), *taken);
        *taken |= slot;
        found |= slot ? left & -left : 0;
    }
    return found;
}

/* The lanes of a row whose threads find a free slot. Their slots are added to `*taken`. */
static inline uint32_t claim(struct pool *p, uint64_t *taken, int32_t row, uint32_t lanes)
{
    if (!p->is_by_lane)
        return claim_slots(p, taken, row, lanes);
    uint32_t found = lanes & ~(uint32_t)*taken;
    *taken |= lanes;
    return found;
}

/* Adds threads of a row to `to`. p->part_of_row finds the row's part without a search: what it says is true if the part
 * is there and has the row. */
static void add_threads(struct pool *p, struct threads *to, int32_t row, uint32_t mask)
{
    uint8_t *at = &p->part_of_row.data[row];
    const bool is_there = *at < to->count && to->part[*at].row == row;
    if (!is_there && to->count == STRAND_MAX_PARTS) /* then no slot is free */
        return;
    const int part = is_there ? *at : to->count;
    to->part[part] = (struct part){row, mask | (is_there ? to->part[part].mask : 0)};
    to->count += !is_there && mask;
    *at = (uint8_t)part;
}

/* Moves the threads of `from` that find a free slot to `to`, and the others to `rest`. Returns how many were moved. */
static int fill(struct pool *p, struct threads *to, uint64_t *taken, const struct threads *from, struct threads *rest)
{
    uint64_t before = *taken;
    rest->count = 0;
    for (int i = 0; i < to->count; i++)
        p->part_of_row.data[to->part[i].row] = (uint8_t)i;
    for (int i = 0; i < from->count; i++) {
        int32_t row = from->part[i].row;
        uint32_t all = from->part[i].mask, found = claim(p, taken, row, all);
        add_threads(p, to, row, found);
        rest->part[rest->count] = (struct part){row, all & ~found};
        rest->count += (all & ~found) != 0;
    }
    return slot_count(*taken ^ before);
}

/* Moves threads whose slots do not collide from `from` to `some`, as many as one strand can hold. */
static void take_strand(struct pool *p, struct threads *some, struct threads *from)
{
    struct threads all;
    uint64_t taken = 0;
    threads_copy(&all, from);
    some->count = 0;
    fill(p, some, &taken, &all, from);
}

/* ---- strands ---- */

/* The LUT found no strand: counts it if a perfect LUT would have found one with a free slot. */
static void count_loss(struct pool *p, int32_t place, const struct threads *threads)
{
    const struct strand *s = pool_waiting(p, &p->places.data[place]);
    if (!s)
        return;
    for (int i = 0; i < threads->count; i++) {
        uint64_t taken = s->slots;
        if (claim(p, &taken, threads->part[i].row, threads->part[i].mask)) {
            p->counters->lost_merges++;
            return;
        }
    }
}

/* Moves a strand to a place; -1: to none. Keeps the number of strands per place and of places in use, without a branch
 * on whether a place is in use, since the host could not predict it. */
static void set_place(struct pool *p, struct pool_node *n, int32_t place)
{
    if (n->place >= 0)
        p->place_count -= !--p->places.data[n->place].strands;
    if (place >= 0)
        p->place_count += !p->places.data[place].strands++;
    n->place = place;
}

/* Enters a new strand in the list of the pool's strands, which may move the list. */
static struct pool_node *admit(struct pool *p, struct strand *s)
{
    while (p->nodes.count <= s->id)
        vec_push(&p->nodes, (struct pool_node){.place = -1, .warp = -1});
    struct pool_node *n = pool_node(p, s);
    n->strand = s;
    n->warp = -1;
    if ((uint64_t)++p->strand_count > p->counters->strands_max)
        p->counters->strands_max = (uint64_t)p->strand_count;
    return n;
}

static struct pool_node *create(struct pool *p, const struct pool_place *at, const struct threads *threads)
{
    p->lineage = (p->lineage + 1) & 0xfffff;
    return admit(p, p->host->calls.create(p->host, at->pc, at->depth, threads, p->lineage));
}

static void set_key(struct pool_node *n, int32_t passed, bool is_urgent)
{
    n->passed = passed;
    n->is_urgent = is_urgent;
    n->strand->key = is_urgent ? POOL_URGENT : passed;
}

/* A strand enters the pool at a place. */
static ALWAYS_INLINE void enter_place(struct pool *p, struct pool_node *n, int32_t place)
{
    set_place(p, n, place);
    p->counters->strands++;
}

/* A strand enters at a place with the threads that it has. Mostly it keeps its key, which stands in a cache line of the
 * host that nothing else here needs. */
static ALWAYS_INLINE void stay(struct pool *p, struct pool_node *n, int32_t place, int32_t passed, bool is_urgent)
{
    if (n->passed != passed || n->is_urgent != is_urgent)
        set_key(n, passed, is_urgent);
    enter_place(p, n, place);
}

/* Gives the threads to the strand of node `own`, or to a new one. The key is set before the pipeline can ask the
 * scheduler about the strand. */
static inline struct pool_node *settle(struct pool *p, struct pool_node *own, int32_t place,
                                       const struct threads *threads, int32_t passed, bool is_urgent)
{
    const struct pool_place *at = &p->places.data[place];
    struct pool_node *n = own ? own : create(p, at, threads);
    set_key(n, passed, is_urgent);
    if (own)
        p->host->calls.assign(p->host, n->strand, at->pc, at->depth, threads);
    enter_place(p, n, place);
    return n;
}

void pool_drop(struct pool *p, struct strand *s)
{
    struct pool_node *n = pool_node(p, s);
    set_place(p, n, -1);
    n->entry++;
    p->strand_count--;
    p->host->calls.retire(p->host, s);
}

/* The fewest reconvergence points that one of the threads has passed. Looks at all lanes of a row without a branch,
 * since the host could not predict which lanes are active. */
SIMD_CLONES static int32_t fewest_passed(const struct pool *p, const struct threads *threads)
{
    int32_t fewest = INT32_MAX;
    for (int i = 0; i < threads->count; i++) {
        const int32_t *passed = &p->passed.data[threads->part[i].row * 32];
        const uint32_t mask = threads->part[i].mask;
        for (int lane = 0; lane < 32; lane++) {
            int32_t is_out = (int32_t)(mask >> lane & 1) - 1; /* all bits set: the lane is not active */
            int32_t counts = passed[lane] | (is_out & INT32_MAX);
            fewest = counts < fewest ? counts : fewest;
        }
    }
    return fewest;
}

/* The threads have passed one more reconvergence point. */
SIMD_CLONES static void pass_point(struct pool *p, const struct threads *threads)
{
    for (int i = 0; i < threads->count; i++) {
        int32_t *passed = &p->passed.data[threads->part[i].row * 32];
        const uint32_t mask = threads->part[i].mask;
        for (int lane = 0; lane < 32; lane++)
            passed[lane] += mask >> lane & 1;
    }
}

/* The key of threads that wait at no barrier. */
static int32_t key_of(const struct pool *p, const struct threads *threads)
{
    return p->host->facts.orders_by_key ? fewest_passed(p, threads) : 0;
}

/* Threads came to `pc`. If `pc` is a reconvergence point, they have passed one more. Returns key_of(). */
static int32_t pass(struct pool *p, int32_t pc, const struct threads *threads)
{
    if (p->host->facts.orders_by_key && p->traits[pc] & POOL_MEETING)
        pass_point(p, threads);
    return key_of(p, threads);
}

/* Other threads have joined the waiting strand: `joint` are all its threads now. */
static void grow(struct pool *p, struct strand *s, const struct threads *joint, int32_t passed)
{
    struct pool_node *n = pool_node(p, s);
    set_key(n, passed < n->passed ? passed : n->passed, false);
    p->host->calls.assign(p->host, s, s->pc, s->depth, joint);
}

/* Threads join the waiting strand `found`. Threads whose slots are taken form a strand, `own` or a new one, which
 * `entry` of the LUT names from now on. The threads leave `own` before they enter `found`, since no thread may be in
 * two strands. */
static void join(struct pool *p, struct pool_node *own, int32_t place, const struct threads *threads, int32_t passed,
                 struct strand *found, struct pool_lut_entry *entry)
{
    struct pool_node *made = NULL;
    struct threads joint, rest;
    uint64_t taken = found->slots;
    threads_copy(&joint, &found->threads);
    int moved = fill(p, &joint, &taken, threads, &rest);
    p->counters->conflicts += (uint64_t)threads_size(&rest);
    p->counters->joined += (uint64_t)moved;
    p->counters->merges += moved > 0;
    if (rest.count) {
        int32_t fewest = key_of(p, &rest);
        made = settle(p, own, place, moved ? &rest : threads, fewest, false);
    } else if (own) {
        pool_drop(p, own->strand);
    }
    if (moved)
        grow(p, found, &joint, passed);
    if (made)
        pool_lut_point(p, place, made, entry);
}

/* Threads in no strand, which fit into one, arrive at a place. */
static void enter(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads, int32_t passed)
{
    int32_t place = pool_place_of(p, pc, depth);
    struct pool_lut_entry *entry = pool_lut_entry(p, place);
    struct strand *found = pool_lut_find(p, place, entry);
    if (found) {
        join(p, NULL, place, threads, passed, found, entry);
        return;
    }
    if (!entry)
        count_loss(p, place, threads);
    pool_lut_point(p, place, settle(p, NULL, place, threads, passed, false), entry);
}

/* The reconvergence points that the slowest thread of a strand has passed when the strand comes to `pc`. */
static ALWAYS_INLINE int32_t passed_at(struct pool *p, const struct pool_node *n, int32_t pc)
{
    return p->traits[pc] & POOL_MEETING ? pass(p, pc, &n->strand->threads) : n->passed;
}

/* The call depth of a strand, without a look at the strand. */
static ALWAYS_INLINE int32_t depth_of(struct pool *p, const struct pool_node *n)
{
    return p->places.data[n->place].depth;
}

/* All threads of a committed strand go to one place. True: they stay in the strand, which the caller has assigned. */
static ALWAYS_INLINE bool move(struct pool *p, struct strand *s, struct pool_node *n, int32_t pc, int32_t depth)
{
    int32_t place = pool_place_of(p, pc, depth), passed = passed_at(p, n, pc);
    struct pool_lut_entry *entry = pool_lut_entry(p, place);
    struct strand *found = pool_lut_find(p, place, entry);
    if (found) {
        join(p, n, place, &s->threads, passed, found, entry);
        return false;
    }
    if (!entry)
        count_loss(p, place, &s->threads);
    stay(p, n, place, passed, false);
    pool_lut_point(p, place, n, entry);
    return true;
}

/* Moves the threads of the first thread's block from `from` to `some`. */
static void take_block(struct pool *p, struct threads *some, struct threads *from)
{
    struct div_host *h = p->host;
    int32_t block = h->calls.row_block(h, from->part[0].row);
    int kept = 0;
    some->count = 0;
    for (int i = 0; i < from->count; i++)
        if (h->calls.row_block(h, from->part[i].row) == block)
            some->part[some->count++] = from->part[i];
        else
            from->part[kept++] = from->part[i];
    from->count = kept;
}

void pool_scatter(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct threads left, some;
    pass(p, pc, threads);
    threads_copy(&left, threads);
    while (left.count) {
        take_strand(p, &some, &left);
        enter(p, pc, depth, &some, key_of(p, &some));
    }
}

void pool_urge(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct threads left, block, some;
    pass(p, pc, threads);
    threads_copy(&left, threads);
    while (left.count) {
        take_block(p, &block, &left);
        while (block.count) {
            take_strand(p, &some, &block);
            settle(p, NULL, pool_place_of(p, pc, depth), &some, key_of(p, &some), true);
        }
    }
}

void pool_split(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads)
{
    enter(p, pc, depth, threads, pass(p, pc, threads));
}

void pool_move(struct pool *p, struct strand *s, int32_t pc, int32_t depth)
{
    if (move(p, s, pool_node(p, s), pc, depth))
        p->host->calls.assign(p->host, s, pc, depth, &s->threads);
}

bool pool_advance(struct pool *p, struct strand *s, struct pool_node *n, int32_t pc)
{
    if (pool_begin(p, s, n))
        return move(p, s, n, pc, depth_of(p, n));
    pool_postpone_advance(p, s, pc);
    return false;
}

struct strand *pool_make(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads, bool is_urgent)
{
    int32_t passed = pass(p, pc, threads);
    return settle(p, NULL, pool_place_of(p, pc, depth), threads, passed, is_urgent)->strand;
}

void pool_keep(struct pool *p, struct strand *s, int32_t pc, int32_t depth, bool is_urgent)
{
    struct pool_node *n = pool_node(p, s);
    int32_t passed = passed_at(p, n, pc);
    stay(p, n, pool_place_of(p, pc, depth), passed, is_urgent);
    p->host->calls.assign(p->host, s, pc, depth, &s->threads);
}

bool pool_advance_apart(struct pool *p, struct strand *s, struct pool_node *n, int32_t pc)
{
    if (!pool_begin(p, s, n)) {
        pool_postpone_advance(p, s, pc);
        return false;
    }
    stay(p, n, pool_place_of(p, pc, depth_of(p, n)), passed_at(p, n, pc), false);
    return true;
}

/* ---- barriers ---- */

void pool_wait(struct pool *p, struct strand *s, int id)
{
    for (int i = 0; i < s->threads.count; i++) {
        int32_t row = s->threads.part[i].row;
        uint32_t mask = s->threads.part[i].mask;
        *(id < 0 ? &p->at_warp.data[row] : &p->at_block.data[row]) |= mask;
        for (uint32_t left = mask; left; left &= left - 1)
            p->goes_on.data[row * 32 + bits_lowest(left)] = s->pc + 1;
    }
    pool_drop(p, s);
}

bool pool_stop_waiting(struct pool *p, const struct threads *threads)
{
    bool at_block = false;
    for (int i = 0; i < threads->count; i++) {
        int32_t row = threads->part[i].row;
        uint32_t mask = threads->part[i].mask;
        at_block |= p->at_block.data[row] & mask;
        p->at_block.data[row] &= ~mask;
        p->at_warp.data[row] &= ~mask;
    }
    return at_block;
}
