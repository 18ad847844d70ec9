/* Splits of a warp in the order of their PCs (splits.h). */
#include "div/parts/splits.h"

#include "base/diag.h"
#include "div/parts/block_order.h"
#include "div/parts/control.h"

#include <stdlib.h>
#include <string.h>

const char *const splits_order_names[] = {"topological", "layout", NULL};
const char *const splits_sync_names[] = {"none", "region", "order", NULL};

static struct splits *splits_of(struct div *div)
{
    return (struct splits *)div;
}

void splits_start(struct splits *d, struct div_host *host)
{
    static_warp_check_width(host);
    d->host = host;
}

void splits_close(struct splits *d)
{
    for (int i = 0; i < d->warps.count; i++) {
        vec_free(&d->warps.data[i].running);
        vec_free(&d->warps.data[i].groups);
    }
    vec_free(&d->warps);
    vec_free(&d->place);
    free(d->order_of);
    free(d->opens);
    for (int32_t pc = 0; d->paths && pc <= d->host->facts.program->insn_count; pc++)
        free(d->paths[pc]);
    free(d->paths);
}

/* ---- the order ---- */

/* Puts PCs into the order of their blocks. */
static void find_order(struct splits *d)
{
    const struct program *p = d->host->facts.program;
    int32_t *rank = block_order(p);
    d->order_of = xmalloc(sizeof *d->order_of * ((size_t)p->insn_count + 1));
    for (int32_t pc = 0; pc < p->insn_count; pc++)
        d->order_of[pc] = (int64_t)(d->order == SPLITS_LAYOUT ? 0 : rank[p->insns[pc].block]) << 32 | pc;
    d->order_of[p->insn_count] = INT64_MAX;
    free(rank);
}

/* Finds, for each reconvergence point, the first block from which a branch leads there. */
static void find_regions(struct splits *d)
{
    const struct program *p = d->host->facts.program;
    d->opens = xmalloc(sizeof *d->opens * ((size_t)p->insn_count + 1));
    for (int32_t pc = 0; pc <= p->insn_count; pc++)
        d->opens[pc] = -1;
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        const struct branch *branch = control_branch_at(p, pc);
        if (!branch || branch->ipdom == PC_NONE)
            continue;
        int64_t first = d->order_of[p->blocks[p->insns[pc].block].first], *opens = &d->opens[branch->ipdom];
        *opens = *opens < 0 || first < *opens ? first : *opens;
    }
}

static bool has_bit(const uint64_t *bits, int32_t at)
{
    return bits[at / 64] >> at % 64 & 1;
}

/* Adds the blocks that threads may pass on their way from the branch at the end of `from` to the block that begins at
 * `end`. `list` is scratch for one number per block. */
static void add_paths(const struct program *p, int32_t from, int32_t end, uint64_t *on_path, int32_t *list)
{
    int32_t count = 0;
    for (list[count++] = from; count;) {
        const struct flow_block *b = &p->blocks[list[--count]];
        for (int i = 0; i < b->successor_count; i++) {
            int32_t next = b->successors[i];
            if (p->blocks[next].first == end || has_bit(on_path, next))
                continue;
            on_path[next / 64] |= UINT64_C(1) << next % 64;
            list[count++] = next;
        }
    }
}

/* Finds, for each reconvergence point, the blocks from which threads that diverged come there. */
static void find_paths(struct splits *d)
{
    const struct program *p = d->host->facts.program;
    size_t words = (size_t)p->block_count / 64 + 1;
    int32_t *list = xmalloc(sizeof *list * ((size_t)p->block_count + 1));
    uint64_t *own = xmalloc(sizeof *own * words);
    d->paths = xcalloc((size_t)p->insn_count + 1, sizeof *d->paths);
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        const struct branch *branch = control_branch_at(p, pc);
        if (!branch || branch->ipdom == PC_NONE)
            continue;
        memset(own, 0, sizeof *own * words);
        add_paths(p, p->insns[pc].block, branch->ipdom, own, list);
        uint64_t **all = &d->paths[branch->ipdom];
        *all = *all ? *all : xcalloc(words, sizeof **all);
        for (size_t i = 0; i < words; i++)
            (*all)[i] |= own[i];
    }
    free(own);
    free(list);
}

/* Splits can be where blocks begin, and behind calls, barriers and warp-level operations. */
void splits_prepare(struct div *div, uint8_t *marks)
{
    struct splits *d = splits_of(div);
    const struct program *p = d->host->facts.program;
    find_order(d);
    find_regions(d);
    if (d->sync == SPLITS_PATHS)
        find_paths(d);
    for (int i = 0; i < p->block_count; i++)
        marks[p->blocks[i].first] = 1;
    for (int32_t pc = 0; pc + 1 < p->insn_count; pc++)
        if (p->insns[pc].class == CLASS_BARRIER || class_is_warp_level(p->insns[pc].class) ||
            p->insns[pc].op == OP_CALL)
            marks[pc + 1] = 1;
}

/* Whether point `a` comes before point `b`: deeper calls first, then by the order of PCs. */
static bool comes_before(const struct splits *d, struct point a, struct point b)
{
    return a.depth != b.depth ? a.depth > b.depth : d->order_of[a.pc] < d->order_of[b.pc];
}

static struct point point_of(const struct strand *s)
{
    return (struct point){s->pc, s->depth};
}

/* Whether a split at `at` waits there for a split at `other`. */
static bool waits_for(const struct splits *d, struct point at, struct point other)
{
    if (!comes_before(d, other, at))
        return false;
    if (d->sync == SPLITS_ORDER || other.depth > at.depth)
        return true;
    if (d->sync == SPLITS_PATHS)
        return has_bit(d->paths[at.pc], d->host->facts.program->insns[other.pc].block);
    return d->order_of[other.pc] >= d->opens[at.pc];
}

/* Whether a split at `at` waits there for another of the warp. No split waits for one at its own point, so the split
 * itself may be among those that are looked at. */
static bool must_wait(const struct splits *d, const struct split_warp *w, struct point at)
{
    if (d->sync == SPLITS_FREE || d->opens[at.pc] < 0)
        return false;
    for (int i = 0; i < w->running.count; i++)
        if (waits_for(d, at, point_of(w->running.data[i])))
            return true;
    for (int i = 0; i < w->groups.count; i++)
        if (!w->groups.data[i].is_held && waits_for(d, at, w->groups.data[i].at))
            return true;
    return false;
}

/* ---- strands and groups ---- */

static struct split_warp *warp_of(struct splits *d, const struct strand *s)
{
    return &d->warps.data[d->place.data[s->id]];
}

static uint64_t mask_of(const struct split_warp *w, const struct strand *s)
{
    return static_warp_mask(&w->at, &s->threads);
}

/* A strand of the warp at the point that can take threads in; NULL: none. */
static struct strand *strand_at(const struct split_warp *w, struct point at, const struct strand *but)
{
    for (int i = 0; i < w->running.count; i++) {
        struct strand *s = w->running.data[i];
        if (s != but && point_is_same(point_of(s), at) && !s->busy && !s->held)
            return s;
    }
    return NULL;
}

static struct split_group *group_at(const struct split_warp *w, struct point at, bool is_held)
{
    for (int i = 0; i < w->groups.count; i++)
        if (point_is_same(w->groups.data[i].at, at) && w->groups.data[i].is_held == is_held)
            return &w->groups.data[i];
    return NULL;
}

/* Threads of the warp are at the point: they join the group there, or form one. */
static void add_threads(struct splits *d, struct split_warp *w, struct point at, uint64_t mask)
{
    struct split_group *g = group_at(w, at, false);
    d->counters.merges += g != NULL;
    if (g)
        g->mask |= mask;
    else
        vec_push(&w->groups, (struct split_group){.at = at, .mask = mask});
}

/* Merges groups with the strands at their points. */
static void absorb(struct splits *d, struct split_warp *w)
{
    for (int i = w->groups.count - 1; i >= 0; i--) {
        struct split_group g = w->groups.data[i];
        struct strand *s = g.is_held ? NULL : strand_at(w, g.at, NULL);
        if (!s)
            continue;
        struct threads all;
        static_warp_threads(&w->at, g.mask | mask_of(w, s), &all);
        w->groups.data[i] = w->groups.data[--w->groups.count];
        d->host->calls.assign(d->host, s, g.at.pc, g.at.depth, &all);
        d->counters.merges++;
    }
}

/* The first group in the order that may run, and does not merge with a strand; NULL: none. */
static struct split_group *first_group(const struct splits *d, const struct split_warp *w)
{
    struct split_group *first = NULL;
    for (int i = 0; i < w->groups.count; i++) {
        struct split_group *g = &w->groups.data[i];
        if (!g->is_held && (!first || comes_before(d, g->at, first->at)) && !strand_at(w, g->at, NULL) &&
            !must_wait(d, w, g->at))
            first = g;
    }
    return first;
}

static void count_splits(struct splits *d, const struct split_warp *w)
{
    uint64_t count = (uint64_t)w->running.count;
    for (int i = 0; i < w->groups.count; i++)
        count += !w->groups.data[i].is_held;
    if (count > d->counters.max_splits)
        d->counters.max_splits = count;
}

/* Takes a group off the list and lets it run, in `spare` or, if that is NULL, in a new strand. */
static void start(struct splits *d, struct split_warp *w, struct split_group *group, struct strand *spare)
{
    struct split_group g = *group;
    struct threads t;
    static_warp_threads(&w->at, g.mask, &t);
    struct strand *s = spare;
    *group = w->groups.data[--w->groups.count];
    if (s)
        d->host->calls.assign(d->host, s, g.at.pc, g.at.depth, &t);
    else
        s = d->host->calls.create(d->host, g.at.pc, g.at.depth, &t, w->at.lineage);
    vec_push(&w->running, s);
    vec_extend(&d->place, s->id + 1);
    d->place.data[s->id] = w->at.place;
}

/* Lets the first groups run while fewer than `most` splits do: one in `spare`, a strand that runs no split, if it is
 * not NULL, the others in new strands. A spare strand for which there is no group is retired. Groups at which a strand
 * stands merge with it. */
static void fill(struct splits *d, struct split_warp *w, struct strand *spare)
{
    struct split_group *first;
    count_splits(d, w);
    while (w->running.count < d->most && w->groups.count && (first = first_group(d, w))) {
        start(d, w, first, spare);
        spare = NULL;
    }
    if (spare)
        d->host->calls.retire(d->host, spare);
    absorb(d, w); /* now that no strand has the groups' threads */
}

static int passes_of(const struct splits *d, uint64_t mask)
{
    int lanes = d->host->facts.simd_width;
    return (__builtin_popcountll(mask) + lanes - 1) / lanes;
}

/* Whether the group, apart from the other threads of its warp, leaves the sum of passes as it is. */
static bool is_free(const struct splits *d, const struct split_warp *w, const struct split_group *g)
{
    uint64_t all = 0;
    for (int i = 0; i < w->running.count; i++)
        all |= mask_of(w, w->running.data[i]);
    for (int i = 0; i < w->groups.count; i++)
        all |= w->groups.data[i].mask;
    return passes_of(d, g->mask) + passes_of(d, all & ~g->mask) == passes_of(d, all);
}

/* The first group in the order that only waits for other splits of its warp; NULL: none. */
static struct split_group *first_waiting(const struct splits *d, const struct split_warp *w, bool free_only)
{
    struct split_group *first = NULL;
    for (int i = 0; i < w->groups.count && w->running.count < d->most; i++) {
        struct split_group *g = &w->groups.data[i];
        if (!g->is_held && !strand_at(w, g->at, NULL) && (!first || comes_before(d, g->at, first->at)) &&
            (!free_only || is_free(d, w, g)))
            first = g;
    }
    return first;
}

bool splits_hurry(struct splits *d, bool free_only)
{
    for (int i = 0; i < d->warps.count; i++) {
        int at = (d->hurried + 1 + i) % d->warps.count;
        struct split_warp *w = &d->warps.data[at];
        struct split_group *g = w->groups.count ? first_waiting(d, w, free_only) : NULL;
        if (!g)
            continue;
        start(d, w, g, NULL);
        d->hurried = at;
        return true;
    }
    return false;
}

bool splits_subdivide(struct splits *d, struct strand *s, const struct threads *late)
{
    struct split_warp *w = warp_of(d, s);
    struct point here = point_of(s);
    uint64_t all = mask_of(w, s), rest = all & ~static_warp_mask(&w->at, late);
    if (s->busy || s->held || !rest || rest == all || w->running.count >= d->most)
        return false;
    struct threads t;
    static_warp_threads(&w->at, rest, &t);
    d->host->calls.assign(d->host, s, here.pc, here.depth, &t);
    vec_push(&w->groups, (struct split_group){.at = here, .mask = all & ~rest});
    start(d, w, &w->groups.data[w->groups.count - 1], NULL);
    return true;
}

/* The strand runs no split any more; its threads are the caller's. */
static void stop(struct split_warp *w, const struct strand *s)
{
    for (int i = 0; i < w->running.count; i++)
        if (w->running.data[i] == s) {
            w->running.data[i] = w->running.data[--w->running.count];
            return;
        }
    panic("strand %d runs no split of its warp", (int)s->id);
}

/* ---- calls of the contract ---- */

void splits_launch(struct div *div, int32_t block)
{
    struct splits *d = splits_of(div);
    struct static_warp at;
    int next = 0;
    for (uint64_t mask; (mask = static_warp_next(d->host, block, &next, &at));) {
        vec_extend(&d->warps, at.place + 1); /* warps of later blocks use the place again */
        struct split_warp *w = &d->warps.data[at.place];
        w->at = at;
        add_threads(d, w, (struct point){d->host->facts.program->functions[0].first, 0}, mask);
        fill(d, w, NULL);
    }
}

void splits_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct splits *d = splits_of(div);
    struct split_warp *w = warp_of(d, s);
    struct path paths[STACK_MAX_THREADS];
    int used = static_warp_paths(&w->at, outcomes, count, paths);
    if (used == 1 && w->running.count == 1 && !w->groups.count) {
        d->host->calls.assign(d->host, s, paths[0].to.pc, paths[0].to.depth, &s->threads);
        return;
    }
    stop(w, s);
    const struct split_group *first = first_group(d, w);
    d->counters.switches += first && used == 1 && comes_before(d, first->at, paths[0].to);
    d->counters.divergent_branches += used > 1;
    d->counters.made += (uint64_t)used - 1;
    for (int i = 0; i < used; i++)
        add_threads(d, w, paths[i].to, paths[i].mask);
    for (int i = 0; i < used; i++)
        d->counters.waits += group_at(w, paths[i].to, false) && must_wait(d, w, paths[i].to);
    fill(d, w, s);
}

void splits_arrive(struct div *div, struct strand *s)
{
    struct splits *d = splits_of(div);
    struct split_warp *w = warp_of(d, s);
    struct point here = point_of(s);
    if (w->running.count == 1 && !w->groups.count)
        return;
    bool waits = must_wait(d, w, here), meets = strand_at(w, here, s) || group_at(w, here, false);
    const struct split_group *first = first_group(d, w);
    bool gives_way = first && w->running.count == d->most && comes_before(d, first->at, here);
    if (!waits && !meets && !gives_way) {
        fill(d, w, NULL); /* the strand may have been the last for which a group waited */
        return;
    }
    d->counters.waits += waits;
    d->counters.switches += gives_way && !waits && !meets;
    uint64_t mask = mask_of(w, s);
    stop(w, s);
    add_threads(d, w, here, mask);
    fill(d, w, s);
}

void splits_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct splits *d = splits_of(div);
    struct split_warp *w = warp_of(d, s);
    (void)ended;
    if (s->threads.count)
        return;
    stop(w, s);
    fill(d, w, s);
}

/* A warp that waits with all its threads is left as it is. */
void splits_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct splits *d = splits_of(div);
    struct split_warp *w = warp_of(d, s);
    (void)block, (void)id;
    if (s->waiting == s->size && w->running.count == 1 && !w->groups.count)
        return;
    struct point behind = {s->pc + 1, s->depth};
    uint64_t mask = mask_of(w, s);
    stop(w, s);
    d->host->calls.retire(d->host, s);
    struct split_group *g = group_at(w, behind, true);
    if (g)
        g->mask |= mask;
    else
        vec_push(&w->groups, (struct split_group){.at = behind, .mask = mask, .is_held = true});
    fill(d, w, NULL);
}

void splits_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct splits *d = splits_of(div);
    struct threads left;
    struct static_warp at;
    threads_copy(&left, threads);
    for (uint64_t mask; (mask = static_warp_take(d->host, &left, &at));) {
        struct split_warp *w = &d->warps.data[at.place];
        for (int i = w->groups.count - 1; i >= 0; i--)
            if (w->groups.data[i].is_held && !(w->groups.data[i].mask &= ~mask))
                w->groups.data[i] = w->groups.data[--w->groups.count];
        add_threads(d, w, (struct point){pc, depth}, mask);
        fill(d, w, NULL);
    }
}

/* ---- checks and reports ---- */

static void check_warp(struct splits *d, const struct split_warp *w)
{
    uint64_t live = static_warp_live(d->host, &w->at), seen = 0;
    int place = (int)w->at.place;
    for (int i = 0; i < w->running.count; i++) {
        uint64_t own = mask_of(w, w->running.data[i]);
        if (own & seen || warp_of(d, w->running.data[i]) != w)
            panic("strands of warp %d share threads 0x%llx", place, (unsigned long long)(own & seen));
        seen |= own;
    }
    for (int i = 0; i < w->groups.count; i++) {
        const struct split_group *g = &w->groups.data[i];
        if (!g->mask || g->mask & seen)
            panic("a group of warp %d has threads 0x%llx", place, (unsigned long long)g->mask);
        seen |= g->mask;
    }
    if (live & ~seen)
        panic("warp %d lost threads: 0x%llx live, 0x%llx in its splits", place, (unsigned long long)live,
              (unsigned long long)seen);
    if (w->running.count > d->most)
        panic("%d splits of warp %d run", w->running.count, place);
    if (!w->running.count && first_group(d, w))
        panic("a group of warp %d could run, and none does", place);
}

void splits_check(struct div *div)
{
    struct splits *d = splits_of(div);
    for (int i = 0; i < d->warps.count; i++)
        if (d->warps.data[i].running.count || d->warps.data[i].groups.count)
            check_warp(d, &d->warps.data[i]);
}

int32_t splits_where(struct div *div, int32_t row, int lane)
{
    struct splits *d = splits_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct split_warp *w = &d->warps.data[i];
        uint64_t bit = w->groups.count ? static_warp_bit(d->host, &w->at, row, lane) : 0;
        for (int k = 0; bit && k < w->groups.count; k++)
            if (w->groups.data[k].mask & bit)
                return w->groups.data[k].at.pc;
    }
    return PC_NONE;
}

static void print_split(const struct splits *d, struct point at, uint64_t mask, const char *what, struct text *out)
{
    text_printf(out, "  ");
    point_print(at, d->host->facts.program, out);
    text_printf(out, " ");
    static_warp_print(mask, d->host->facts.width, out);
    text_printf(out, "%s\n", what);
}

void splits_dump(struct div *div, struct text *out)
{
    struct splits *d = splits_of(div);
    for (int i = 0; i < d->warps.count; i++) {
        const struct split_warp *w = &d->warps.data[i];
        if (!w->running.count && !w->groups.count)
            continue;
        text_printf(out, "warp %d\n", (int)w->at.lineage);
        for (int k = 0; k < w->running.count; k++) /* by block: PCs move on without a call of the mechanism */
            print_split(d, control_block_of(d->host->facts.program, w->running.data[k]), mask_of(w, w->running.data[k]),
                        " runs", out);
        for (int k = 0; k < w->groups.count; k++) {
            const struct split_group *g = &w->groups.data[k];
            print_split(d, g->at, g->mask, g->is_held ? " at a barrier" : must_wait(d, w, g->at) ? " waits" : "", out);
        }
    }
}
