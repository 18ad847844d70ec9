/* The warp pool and its table: see pool.h. */
#include "div/pool.h"

#include "base/diag.h"

const char *const pool_home_names[] = {"warp", "simd", NULL};

void pool_open(struct pool *p, struct div_host *host, const struct pool_knobs *knobs,
               struct pool_counters *counters)
{
    const struct program *program = host->program;
    size_t pcs = (size_t)program->insn_count + 1;
    *p = (struct pool){.host = host, .knobs = *knobs, .counters = counters};
    p->lanes = knobs->home == POOL_HOME_SIMD ? host->simd_width : host->width;
    host->home_lanes = p->lanes;
    p->first_place = xmalloc(sizeof *p->first_place * pcs);
    memset(p->first_place, -1, sizeof *p->first_place * pcs);
    p->traits = xcalloc(pcs, 1);
    for (int i = 0; i < program->branch_count; i++)
        if (program->branches[i].ipdom != PC_NONE)
            p->traits[program->branches[i].ipdom] |= POOL_MEETING;
    for (int i = 0; i < program->insn_count; i++)
        if (program->insns[i].class == CLASS_BARRIER)
            p->traits[i] |= POOL_BARRIER;
    uint32_t entries = knobs->entries, ways = knobs->ways;
    if (!entries)
        return;
    p->sets = entries < ways ? 1 : (int)(entries / ways);
    p->knobs.ways = entries < ways ? entries : ways;
    size_t all = (size_t)p->sets * p->knobs.ways;
    p->lut = xcalloc(all, sizeof *p->lut);
    for (size_t i = 0; i < all; i++)
        p->lut[i].place = -1;
}

void pool_close(struct pool *p)
{
    vec_free(&p->nodes);
    vec_free(&p->places);
    vec_free(&p->passed);
    vec_free(&p->goes_on);
    vec_free(&p->at_block);
    vec_free(&p->at_warp);
    vec_free(&p->late);
    vec_free(&p->late_outcomes);
    free(p->first_place);
    free(p->traits);
    free(p->lut);
}

void pool_reset_row(struct pool *p, int32_t row)
{
    while (p->at_block.count <= row) {
        vec_push(&p->at_block, 0);
        vec_push(&p->at_warp, 0);
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
    return bits_count((uint32_t)slots) + bits_count((uint32_t)(slots >> 32));
}

/* Of a thread whose home slot is given, in a warp whose slots `taken` are: the slot it gets, or 0. */
static uint64_t slot_for(const struct pool *p, uint64_t home, uint64_t taken)
{
    int slot = __builtin_ctzll(home) % p->lanes;
    for (; slot < p->host->width; slot += p->lanes)
        if (!(taken >> slot & 1))
            return UINT64_C(1) << slot;
    return 0;
}

/* The lanes of a row that find room; their slots are taken. */
static uint32_t claim(struct pool *p, uint64_t *taken, int32_t row, uint32_t lanes)
{
    struct div_host *h = p->host;
    uint64_t homes = h->slots(h, row, lanes);
    bool collide = h->width < 32 && slot_count(homes) != bits_count(lanes);
    if (!(homes & *taken) && !collide && p->lanes == h->width) {
        *taken |= homes;
        return lanes;
    }
    uint32_t found = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t slot = slot_for(p, h->slots(h, row, left & -left), *taken);
        *taken |= slot;
        found |= slot ? left & -left : 0;
    }
    return found;
}

/* Threads of `from` that find room go to `to`, and the others to `rest`. */
static int fill(struct pool *p, struct threads *to, uint64_t *taken, const struct threads *from,
                struct threads *rest)
{
    uint64_t before = *taken;
    rest->count = 0;
    for (int i = 0; i < from->count; i++) {
        int32_t row = from->part[i].row;
        uint32_t all = from->part[i].mask, found = claim(p, taken, row, all);
        if (found)
            threads_add(to, row, found);
        if (all & ~found)
            rest->part[rest->count++] = (struct part){row, all & ~found};
    }
    return slot_count(*taken ^ before);
}

/* Takes threads out of `from` whose slots do not collide, as many as one strand can hold. */
static void take_strand(struct pool *p, struct threads *some, struct threads *from)
{
    struct threads all;
    uint64_t taken = 0;
    threads_copy(&all, from);
    some->count = 0;
    fill(p, some, &taken, &all, from);
}

static uint64_t slots_of(struct pool *p, const struct threads *t)
{
    uint64_t taken = 0;
    for (int i = 0; i < t->count; i++)
        claim(p, &taken, t->part[i].row, t->part[i].mask);
    return taken;
}

/* ---- places and the table ---- */

static int32_t place_of(struct pool *p, int32_t pc, int32_t depth)
{
    int32_t i = p->first_place[pc];
    while (i >= 0 && p->places.data[i].depth != depth)
        i = p->places.data[i].next;
    if (i >= 0)
        return i;
    vec_push(&p->places, (struct pool_place){pc, depth, -1, 0, 0, p->first_place[pc]});
    return p->first_place[pc] = p->places.count - 1;
}

/* The strand, if it has waited there since. */
static struct strand *waiting(struct pool *p, int32_t place, int32_t strand, uint32_t entry)
{
    if (strand < 0)
        return NULL;
    const struct pool_node *n = &p->nodes.data[strand];
    struct strand *s = n->strand;
    return s && n->entry == entry && n->place == place && !s->busy && !s->parked ? s : NULL;
}

static struct pool_lut_entry *lut_set(struct pool *p, int32_t place)
{
    return &p->lut[(uint32_t)p->places.data[place].pc % (uint32_t)p->sets * p->knobs.ways];
}

static struct pool_lut_entry *lut_entry(struct pool *p, int32_t place)
{
    struct pool_lut_entry *set = lut_set(p, place);
    for (uint32_t i = 0; i < p->knobs.ways; i++)
        if (set[i].place == place)
            return &set[i];
    return NULL;
}

static struct strand *lut_find(struct pool *p, int32_t place)
{
    struct pool_counters *c = p->counters;
    const struct pool_place *at = &p->places.data[place];
    struct strand *s;
    if (p->lut) {
        struct pool_lut_entry *e = lut_entry(p, place);
        if (!e) {
            c->lut_misses++;
            return NULL;
        }
        e->used = ++p->lut_clock;
        s = waiting(p, place, e->strand, e->entry);
    } else {
        if (at->strand < 0) {
            c->lut_misses++;
            return NULL;
        }
        s = waiting(p, place, at->strand, at->entry);
    }
    *(s ? &c->lut_hits : &c->lut_stale) += 1;
    return s;
}

/* An entry of a strand that has issued is as good as none. */
static struct pool_lut_entry *lut_victim(struct pool *p, int32_t place)
{
    struct pool_lut_entry *set = lut_set(p, place), *oldest = set;
    for (uint32_t i = 0; i < p->knobs.ways; i++) {
        if (set[i].place < 0 || !waiting(p, set[i].place, set[i].strand, set[i].entry))
            return &set[i];
        if (set[i].used < oldest->used)
            oldest = &set[i];
    }
    p->counters->lut_aliases++;
    return oldest;
}

static void lut_point(struct pool *p, int32_t place, const struct strand *s)
{
    uint32_t entry = pool_node(p, s)->entry;
    p->places.data[place].strand = s->id;
    p->places.data[place].entry = entry;
    if (!p->lut)
        return;
    struct pool_lut_entry *e = lut_entry(p, place);
    if (!e)
        e = lut_victim(p, place);
    *e = (struct pool_lut_entry){place, s->id, entry, ++p->lut_clock};
}

/* The table found nothing: would one without limits have? */
static void count_loss(struct pool *p, int32_t place, const struct threads *threads)
{
    const struct pool_place *at = &p->places.data[place];
    const struct strand *s = waiting(p, place, at->strand, at->entry);
    if (!s)
        return;
    for (int i = 0; i < threads->count; i++) {
        uint64_t taken = pool_node(p, s)->taken;
        if (claim(p, &taken, threads->part[i].row, threads->part[i].mask)) {
            p->counters->lost_merges++;
            return;
        }
    }
}

/* ---- strands ---- */

static void set_place(struct pool *p, struct pool_node *n, int32_t place)
{
    if (n->place == place)
        return;
    if (n->place >= 0 && !--p->places.data[n->place].strands)
        p->place_count--;
    if (place >= 0 && !p->places.data[place].strands++)
        p->place_count++;
    n->place = place;
}

static void admit(struct pool *p, struct strand *s)
{
    while (p->nodes.count <= s->id)
        vec_push(&p->nodes, (struct pool_node){.place = -1, .warp = -1});
    struct pool_node *n = pool_node(p, s);
    n->strand = s;
    n->warp = -1;
    if ((uint64_t)++p->strand_count > p->counters->strands_max)
        p->counters->strands_max = (uint64_t)p->strand_count;
}

/* Gives the strand, or a new one, the threads, which may be all that it has. The key is there before the pipeline
 * can ask a policy. */
static struct strand *settle(struct pool *p, struct strand *own, int32_t place, const struct threads *threads,
                             int32_t passed, int32_t key)
{
    struct div_host *h = p->host;
    int32_t pc = p->places.data[place].pc, depth = p->places.data[place].depth;
    struct strand *s = own;
    if (own) {
        own->key = key;
        h->assign(h, own, pc, depth, threads);
    } else {
        p->lineage = (p->lineage + 1) & 0xfffff;
        s = h->create(h, pc, depth, threads, p->lineage);
        s->key = key;
        admit(p, s);
    }
    struct pool_node *n = pool_node(p, s);
    n->entry++;
    n->passed = passed;
    if (!own || threads != &own->threads)
        n->taken = slots_of(p, threads);
    set_place(p, n, place);
    p->counters->strands++;
    return s;
}

void pool_drop(struct pool *p, struct strand *s)
{
    struct pool_node *n = pool_node(p, s);
    set_place(p, n, -1);
    n->strand = NULL;
    p->strand_count--;
    p->host->retire(p->host, s);
}

static int32_t fewest_passed(const struct pool *p, const struct threads *threads)
{
    int32_t fewest = INT32_MAX;
    for (int i = 0; i < threads->count; i++)
        for (uint32_t left = threads->part[i].mask; left; left &= left - 1) {
            int32_t passed = p->passed.data[threads->part[i].row * 32 + bits_lowest(left)];
            fewest = passed < fewest ? passed : fewest;
        }
    return fewest;
}

int32_t pool_pass(struct pool *p, int32_t pc, const struct threads *threads)
{
    if (p->traits[pc] & POOL_MEETING)
        for (int i = 0; i < threads->count; i++)
            for (uint32_t left = threads->part[i].mask; left; left &= left - 1)
                p->passed.data[threads->part[i].row * 32 + bits_lowest(left)]++;
    return fewest_passed(p, threads);
}

/* The waiting strand has got other threads besides. */
static void grow(struct pool *p, struct strand *s, const struct threads *joint, uint64_t taken, int32_t passed)
{
    struct pool_node *n = pool_node(p, s);
    n->taken = taken;
    n->passed = passed < n->passed ? passed : n->passed;
    s->key = n->passed;
    p->host->assign(p->host, s, s->pc, s->depth, joint);
}

/* Threads that can be one strand, in none, or all those of `own`. Threads leave a strand before they are another's. */
static void enter(struct pool *p, struct strand *own, int32_t pc, int32_t depth, const struct threads *threads,
                  int32_t passed)
{
    int32_t place = place_of(p, pc, depth);
    struct strand *found = lut_find(p, place), *made = NULL;
    if (!found) {
        count_loss(p, place, threads);
        lut_point(p, place, settle(p, own, place, own ? &own->threads : threads, passed, passed));
        return;
    }
    struct threads joint, rest;
    uint64_t taken = pool_node(p, found)->taken;
    threads_copy(&joint, &found->threads);
    int moved = fill(p, &joint, &taken, threads, &rest);
    p->counters->conflicts += (uint64_t)threads_size(&rest);
    p->counters->joined += (uint64_t)moved;
    p->counters->merges += moved > 0;
    if (rest.count) {
        int32_t fewest = fewest_passed(p, &rest);
        made = settle(p, own, place, own && !moved ? &own->threads : &rest, fewest, fewest);
    } else if (own) {
        pool_drop(p, own);
    }
    if (moved)
        grow(p, found, &joint, taken, passed);
    if (made)
        lut_point(p, place, made);
}

/* Takes those of the first thread's block. */
static void take_block(struct pool *p, struct threads *some, struct threads *from)
{
    struct div_host *h = p->host;
    int32_t block = h->row_block(h, from->part[0].row);
    int kept = 0;
    some->count = 0;
    for (int i = 0; i < from->count; i++)
        if (h->row_block(h, from->part[i].row) == block)
            some->part[some->count++] = from->part[i];
        else
            from->part[kept++] = from->part[i];
    from->count = kept;
}

void pool_scatter(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct threads left, some;
    pool_pass(p, pc, threads);
    threads_copy(&left, threads);
    while (left.count) {
        take_strand(p, &some, &left);
        enter(p, NULL, pc, depth, &some, fewest_passed(p, &some));
    }
}

void pool_urge(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct threads left, block, some;
    pool_pass(p, pc, threads);
    threads_copy(&left, threads);
    while (left.count) {
        take_block(p, &block, &left);
        while (block.count) {
            take_strand(p, &some, &block);
            settle(p, NULL, place_of(p, pc, depth), &some, fewest_passed(p, &some), POOL_URGENT);
        }
    }
}

void pool_split(struct pool *p, int32_t pc, int32_t depth, const struct threads *threads)
{
    enter(p, NULL, pc, depth, threads, pool_pass(p, pc, threads));
}

void pool_move(struct pool *p, struct strand *s, int32_t pc, int32_t depth, const struct threads *threads)
{
    int32_t passed = pool_node(p, s)->passed;
    if (p->traits[pc] & POOL_MEETING)
        passed = pool_pass(p, pc, threads);
    enter(p, s, pc, depth, threads, passed);
}

struct strand *pool_keep(struct pool *p, struct strand *own, int32_t pc, int32_t depth,
                         const struct threads *threads, int32_t key)
{
    int32_t passed = own ? pool_node(p, own)->passed : 0;
    if (!own || p->traits[pc] & POOL_MEETING)
        passed = pool_pass(p, pc, threads);
    if (own)
        threads = &own->threads;
    return settle(p, own, place_of(p, pc, depth), threads, passed, key == POOL_URGENT ? key : passed);
}

/* ---- commits ---- */

static void count_commit(struct pool *p, const struct strand *s)
{
    struct pool_counters *c = p->counters;
    int size = slot_count(pool_node(p, s)->taken) + p->ended, pcs = p->place_count;
    p->ended = 0;
    c->commits++;
    c->partial += size < p->host->width;
    c->pcs += (uint64_t)pcs;
    if ((uint64_t)pcs > c->pcs_max)
        c->pcs_max = (uint64_t)pcs;
    uint64_t *bin = pcs <= 1    ? &c->pcs_1
                    : pcs <= 2  ? &c->pcs_2
                    : pcs <= 4  ? &c->pcs_4
                    : pcs <= 8  ? &c->pcs_8
                    : pcs <= 16 ? &c->pcs_16
                                : &c->pcs_more;
    ++*bin;
}

static bool take_turn(struct pool *p)
{
    uint32_t limit = p->knobs.commits * (uint32_t)p->host->schedulers;
    if (p->turn != p->host->now) {
        p->turn = p->host->now;
        p->turn_commits = 0;
    }
    if (limit && p->turn_commits >= limit)
        return false;
    p->turn_commits++;
    return true;
}

bool pool_begin_commit(struct pool *p, struct strand *s, const struct outcome *outcomes, int count)
{
    count_commit(p, s);
    pool_node(p, s)->entry++; /* it left the pool when it issued */
    if (p->late_head == p->late.count && take_turn(p))
        return true;
    p->counters->late_commits++;
    p->host->park(p->host, s);
    vec_push(&p->late, (struct pool_late){s, count, p->host->now});
    for (int i = 0; i < count; i++) {
        vec_reserve(&p->late_outcomes, p->late_outcomes.count + 1);
        struct outcome *to = &p->late_outcomes.data[p->late_outcomes.count++];
        to->pc = outcomes[i].pc;
        to->depth = outcomes[i].depth;
        threads_copy(&to->threads, &outcomes[i].threads);
    }
    p->host->tick_at(p->host, p->host->now + 1);
    return false;
}

/* The front of the queue, which has been dealt with, gives its room back when it is the larger part. */
static void shift_late(struct pool *p)
{
    if (p->late_head * 2 < p->late.count)
        return;
    p->late.count -= p->late_head;
    p->late_outcomes.count -= p->late_outcome_head;
    if (p->late.count) {
        memmove(p->late.data, p->late.data + p->late_head, sizeof *p->late.data * (size_t)p->late.count);
        memmove(p->late_outcomes.data, p->late_outcomes.data + p->late_outcome_head,
                sizeof *p->late_outcomes.data * (size_t)p->late_outcomes.count);
    }
    p->late_head = p->late_outcome_head = 0;
}

void pool_tick(struct pool *p, struct div *d, pool_commit *commit)
{
    while (p->late_head < p->late.count && take_turn(p)) {
        struct pool_late next = p->late.data[p->late_head++];
        uint32_t generation = next.strand->generation;
        const struct outcome *outcomes = &p->late_outcomes.data[p->late_outcome_head];
        p->late_outcome_head += next.count;
        p->counters->late_cycles += p->host->now - next.since;
        commit(d, next.strand, outcomes, next.count);
        if (pool_node(p, next.strand)->strand && next.strand->generation == generation)
            p->host->unpark(p->host, next.strand);
    }
    shift_late(p);
    if (p->late.count > p->late_head)
        p->host->tick_at(p->host, p->host->now + 1);
}

static bool goes_with(const struct outcome *a, const struct outcome *b)
{
    return a->pc == b->pc && a->depth == b->depth;
}

const struct threads *pool_group(const struct outcome *outcomes, int count, int i, struct threads *room)
{
    const struct threads *group = &outcomes[i].threads;
    for (int k = 0; k < i; k++)
        if (goes_with(&outcomes[k], &outcomes[i]))
            return NULL;
    for (int k = i + 1; k < count; k++) {
        if (!goes_with(&outcomes[k], &outcomes[i]))
            continue;
        if (group != room)
            threads_copy(room, group);
        group = room;
        for (int n = 0; n < outcomes[k].threads.count; n++)
            threads_add(room, outcomes[k].threads.part[n].row, outcomes[k].threads.part[n].mask);
    }
    return group;
}

void pool_exit(struct pool *p, struct strand *s, const struct threads *ended)
{
    p->ended = threads_size(ended);
    pool_node(p, s)->taken = slots_of(p, &s->threads);
    if (s->threads.count)
        return;
    count_commit(p, s);
    pool_drop(p, s);
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

/* ---- for others to look at ---- */

void pool_check(struct pool *p, const uint32_t *elsewhere)
{
    int rows = p->at_block.count;
    uint32_t *seen = xcalloc((size_t)rows + 1, sizeof *seen);
    for (int row = 0; row < rows; row++)
        seen[row] = p->at_block.data[row] | p->at_warp.data[row] | (elsewhere ? elsewhere[row] : 0);
    for (int i = 0; i < p->nodes.count; i++) {
        const struct strand *s = p->nodes.data[i].strand;
        for (int k = 0; s && k < s->threads.count; k++) {
            struct part part = s->threads.part[k];
            if (seen[part.row] & part.mask)
                panic("threads 0x%x of row %d are in strand %d and elsewhere", seen[part.row] & part.mask,
                      (int)part.row, i);
            seen[part.row] |= part.mask;
        }
        if (s && !s->busy && !s->parked && p->nodes.data[i].taken != slots_of(p, &s->threads))
            panic("strand %d takes other slots than the pool knows", i);
    }
    for (int32_t row = 0; row < rows; row++) {
        /* Of threads that ended it may not have been told yet. */
        uint32_t live = p->host->row_live(p->host, row);
        if (live & ~seen[row])
            panic("threads 0x%x of row %d are lost", live & ~seen[row], (int)row);
    }
    free(seen);
}

int32_t pool_where(struct pool *p, int32_t row, int lane)
{
    if (row >= p->at_block.count || !((p->at_block.data[row] | p->at_warp.data[row]) >> lane & 1))
        return PC_NONE;
    return p->goes_on.data[row * 32 + lane];
}

static void print_place(struct pool *p, int32_t pc, int32_t depth, struct text *out)
{
    program_print_pc(p->host->program, pc, out);
    if (depth)
        text_printf(out, "@%d", (int)depth);
}

static void print_waits(const struct pool *p, struct text *out)
{
    for (int32_t row = 0; row < p->at_block.count; row++) {
        if (p->at_block.data[row])
            text_printf(out, "at a barrier: row %d 0x%x\n", (int)row, p->at_block.data[row]);
        if (p->at_warp.data[row])
            text_printf(out, "at a rendezvous: row %d 0x%x\n", (int)row, p->at_warp.data[row]);
    }
}

void pool_dump(struct pool *p, struct text *out)
{
    text_printf(out, "pool\n");
    for (int i = 0; i < p->nodes.count; i++) {
        const struct strand *s = p->nodes.data[i].strand;
        if (!s)
            continue;
        text_printf(out, "  strand %d at ", i);
        print_place(p, s->pc, s->depth, out);
        text_printf(out, s->busy ? " issued" : s->parked ? " to be regrouped" : "");
        for (int k = 0; k < s->threads.count; k++)
            text_printf(out, " row %d 0x%x", (int)s->threads.part[k].row, s->threads.part[k].mask);
        text_printf(out, "\n");
    }
    if (p->lut)
        text_printf(out, "table\n");
    for (int i = 0; p->lut && i < p->sets * (int)p->knobs.ways; i++) {
        const struct pool_lut_entry *e = &p->lut[i];
        if (e->place < 0 || !waiting(p, e->place, e->strand, e->entry))
            continue;
        text_printf(out, "  ");
        print_place(p, p->places.data[e->place].pc, p->places.data[e->place].depth, out);
        text_printf(out, " strand %d\n", (int)e->strand);
    }
    print_waits(p, out);
}
