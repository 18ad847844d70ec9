/* The block-wide reconvergence stack of thread block compaction (block_stack.h): how warps leave the top entry for
 * branch targets and reconvergence points, and which entry runs next. */
#include "div/parts/block_stack.h"

#include "base/diag.h"
#include "div/parts/stack.h"

static struct block_entry *entry_at(const struct block_stack *s, int i)
{
    return &s->entries.data[i];
}

static int push(struct block_stack *s, struct block_rules *rules, const struct block_entry *e)
{
    vec_push(&s->entries, *e);
    rules->counters.pushes++;
    s->usage.operations++;
    if ((uint64_t)s->entries.count > rules->counters.max_depth)
        rules->counters.max_depth = (uint64_t)s->entries.count;
    return s->entries.count - 1;
}

static void pop(struct block_stack *s, struct block_rules *rules)
{
    rules->counters.pops++;
    s->usage.operations++;
    rules->counters.lcp_unused += entry_at(s, --s->entries.count)->likely;
}

void block_stack_start(struct block_stack *s, struct block_rules *rules, int32_t pc, const struct block_mask *mask,
                       int warps)
{
    s->entries.count = s->sites.count = 0;
    s->static_warps = warps;
    s->barred = (struct block_mask){{0}};
    s->top = push(s, rules,
                  &(struct block_entry){.at = {pc, 0},
                                        .rpc = {PC_NONE, 0},
                                        .lpc = {PC_NONE, 0},
                                        .back = PC_NONE,
                                        .site = -1,
                                        .warps = warps,
                                        .mask = *mask});
    stack_usage_start(&s->usage);
}

void block_stack_free(struct block_stack *s)
{
    vec_free(&s->entries);
    vec_free(&s->sites);
}

/* ---- reaching a reconvergence point ---- */

/* A thread of the entry `above` reached the end of that entry and stands at `p`. If the end is that of a function, the
 * entry that waits there is told the PC that the thread returned to. */
static void note_return(struct block_stack *s, int above, struct point p, struct part thread)
{
    struct point goal = entry_at(s, above)->rpc;
    int32_t none = PC_NONE;
    int i = above - 1;
    if (!point_is_end(goal)) {
        block_rules_note_back(&none, p, goal);
        return;
    }
    while (i >= 0 && !(point_is_same(entry_at(s, i)->at, goal) &&
                       entry_at(s, i)->mask.lanes[thread.row - s->first_row] & thread.mask))
        i--;
    if (i < 0)
        panic("threads returned to pc %d, where no entry of the stack waits for them", (int)p.pc);
    block_rules_note_back(&entry_at(s, i)->back, p, goal);
}

static struct part any_thread(const struct block_stack *s, const struct block_mask *m)
{
    int r = 0;
    while (!m->lanes[r])
        r++;
    return (struct part){s->first_row + r, m->lanes[r] & -m->lanes[r]};
}

/* Moves threads of the entry `from` into the entry that waits at its likely-convergence point. Entries between would
 * wait for them in vain: the rule compares PCs alone, so the threads may be in a later iteration of an outer loop. */
static void merge_likely(struct block_stack *s, struct block_rules *rules, int from, const struct block_mask *m)
{
    int lpos = entry_at(s, from)->lpos;
    block_mask_unite(&entry_at(s, lpos)->mask, m, s->rows);
    for (int i = lpos + 1; i < from; i++)
        block_mask_subtract(&entry_at(s, i)->mask, m, s->rows);
    rules->counters.lcp_merged++;
}

static bool is_at_likely(const struct block_entry *e, struct point p)
{
    return !point_is_end(e->lpc) && point_is_same(p, e->lpc);
}

void block_stack_leave(struct block_stack *s, struct block_rules *rules, struct point to, const struct threads *t)
{
    struct block_entry *top = entry_at(s, s->top);
    block_mask_remove(&top->mask, s->first_row, t);
    if (point_has_reached(to, top->rpc)) {
        note_return(s, s->top, to, t->part[0]);
        rules->counters.reconvergences++;
    } else {
        struct block_mask m = {0};
        block_mask_add(&m, s->first_row, t);
        merge_likely(s, rules, s->top, &m);
    }
}

/* ---- branches ---- */

/* The point of a branch target. The targets of a call are one call deeper, except the next PC of a guarded call. */
static struct point target_point(const struct block_arrival *at, int32_t target)
{
    const struct insn *insns = at->program->insns;
    bool is_next = target == at->pc + 1 && insns[target].function == insns[at->pc].function;
    return (struct point){target, at->depth + (insns[at->pc].op == OP_CALL && !is_next)};
}

/* Pushes the entry that waits at the branch's likely-convergence point, unless the sides inherit the same point from
 * the old top. */
static void push_likely(struct block_stack *s, struct block_rules *rules, struct point likely, struct block_entry *side)
{
    if (point_is_end(likely) || point_is_same(likely, side->rpc) || point_is_same(likely, side->lpc))
        return;
    struct block_entry e = *side;
    e.at = likely;
    e.likely = true;
    side->lpc = likely;
    side->lpos = push(s, rules, &e);
    rules->counters.lcp_pushed++;
}

static void push_targets(struct block_stack *s, struct block_rules *rules, const struct block_arrival *at,
                         const struct branch *branch, struct block_entry *side)
{
    for (int i = 0; i < branch->target_count; i++) {
        int chosen = rules->not_taken_first ? i : branch->target_count - 1 - i;
        side->at = target_point(at, branch->target[chosen]);
        if (!point_has_reached(side->at, side->rpc))
            push(s, rules, side);
    }
}

/* The first warp has reached the branch: pushes one entry per target. Returns the index of the site. */
static int open_site(struct block_stack *s, struct block_rules *rules, const struct block_arrival *at,
                     const struct branch *branch)
{
    const struct block_entry top = *entry_at(s, s->top);
    int index = s->sites.count;
    struct point rpc = branch ? (struct point){branch->ipdom, at->depth} : top.rpc;
    struct block_entry side = {.rpc = rpc, .lpc = top.lpc, .lpos = top.lpos, .back = PC_NONE, .site = -1};
    struct block_site site = {
        .branch = branch, .depth = at->depth, .route = at->route, .rpc = rpc, .waits = -1, .back = PC_NONE};
    if (!point_is_same(rpc, top.rpc)) {
        struct block_entry waits = top;
        waits.mask = (struct block_mask){{0}};
        waits.at = rpc;
        waits.likely = false;
        site.waits = index == 0 ? s->top : push(s, rules, &waits);
    }
    vec_push(&s->sites, site);
    push_likely(s, rules, (struct point){at->likely, at->depth}, &side);
    side.site = index;
    if (branch)
        push_targets(s, rules, at, branch, &side);
    return index;
}

static int site_of(struct block_stack *s, struct block_rules *rules, const struct block_arrival *at)
{
    int32_t listed = at->program->insns[at->pc].branch;
    const struct branch *branch = listed < 0 ? NULL : &at->program->branches[listed];
    for (int i = 0; i < s->sites.count; i++) {
        const struct block_site *site = &s->sites.data[i];
        if (site->branch == branch && site->depth == at->depth && site->route == at->route)
            return i;
    }
    return open_site(s, rules, at, branch);
}

/* The index of the entry for a target. A target that the branch does not list (a return) gets a new entry. */
static int target_of(struct block_stack *s, struct block_rules *rules, int site, struct point to)
{
    int like = s->top; /* the new entry has the likely-convergence point of this one */
    for (int i = s->entries.count - 1; i > s->top; i--) {
        const struct block_entry *e = entry_at(s, i);
        if (e->site != site)
            continue;
        if (point_is_same(e->at, to))
            return i;
        like = i;
    }
    const struct block_entry side = {.rpc = s->sites.data[site].rpc,
                                     .lpc = entry_at(s, like)->lpc,
                                     .lpos = entry_at(s, like)->lpos,
                                     .back = PC_NONE,
                                     .site = site,
                                     .at = to};
    return push(s, rules, &side);
}

void block_stack_branch(struct block_stack *s, struct block_rules *rules, const struct block_arrival *at,
                        const struct outcome *outcomes, int count)
{
    int index = site_of(s, rules, at);
    for (int i = 0; i < count; i++) {
        struct point to = {outcomes[i].pc, outcomes[i].depth};
        const struct threads *t = &outcomes[i].threads;
        struct block_site *site = &s->sites.data[index];
        struct block_entry *top = entry_at(s, s->top);
        if (point_has_reached(to, top->rpc)) {
            note_return(s, s->top, to, t->part[0]);
            block_mask_remove(&top->mask, s->first_row, t);
            rules->counters.reconvergences++;
            site->paths = 1;
            continue;
        }
        block_mask_add(&site->mask, s->first_row, t);
        if (point_has_reached(to, site->rpc)) {
            block_rules_note_back(&site->back, to, site->rpc);
            site->paths = 1;
        } else {
            block_mask_add(&entry_at(s, target_of(s, rules, index, to))->mask, s->first_row, t);
        }
    }
}

/* A direct branch does not return from a function, so no entry is told where threads returned to. */
void block_stack_part(struct block_stack *s, struct block_rules *rules, const struct block_arrival *at,
                      const struct strand *warp, int32_t target, uint32_t taken)
{
    struct path paths[2];
    const int count = path_part(warp, target, taken, paths), index = site_of(s, rules, at);
    int entry[2] = {s->top, s->top}; /* of the path, which has the lanes `going` if they wait there for others */
    uint32_t leaving = 0, going[2] = {0};
    for (int i = 0; i < count; i++) {
        struct block_site *site = &s->sites.data[index];
        const bool leaves = point_has_reached(paths[i].to, entry_at(s, s->top)->rpc);
        leaving |= leaves ? (uint32_t)paths[i].mask : 0;
        rules->counters.reconvergences += leaves;
        if (leaves || point_has_reached(paths[i].to, site->rpc)) {
            site->paths = 1;
        } else {
            entry[i] = target_of(s, rules, index, paths[i].to);
            going[i] = (uint32_t)paths[i].mask;
        }
    }
    uint32_t *top = entry_at(s, s->top)->mask.lanes, *site = s->sites.data[index].mask.lanes;
    uint32_t *first = entry_at(s, entry[0])->mask.lanes, *second = entry_at(s, entry[1])->mask.lanes;
    for (int i = 0; i < warp->threads.count; i++) {
        const uint32_t lanes = warp->threads.part[i].mask;
        const int r = warp->threads.part[i].row - s->first_row;
        top[r] &= ~(lanes & leaving);
        site[r] |= lanes & ~leaving;
        first[r] |= lanes & going[0];
        second[r] |= lanes & going[1];
    }
}

/* ---- the next top ---- */

/* Counts the paths that the threads of each site took; all warps have arrived. */
static void count_sites(struct block_stack *s, struct block_rules *rules)
{
    for (int i = s->top + 1; i < s->entries.count; i++) {
        const struct block_entry *e = entry_at(s, i);
        if (e->site >= 0 && !block_mask_is_empty(&e->mask, s->rows))
            s->sites.data[e->site].paths += 2;
    }
    for (int i = 0; i < s->sites.count; i++)
        rules->counters.divergent_branches += s->sites.data[i].paths > 2;
}

/* Removes an entry from the middle. No other entry may name it in `lpos`. */
static void take_out(struct block_stack *s, struct block_rules *rules, int at)
{
    struct block_entry *e = entry_at(s, at);
    memmove(e, e + 1, sizeof *e * (size_t)(s->entries.count - 1 - at));
    s->entries.count--;
    for (int i = at; i < s->entries.count; i++)
        if (entry_at(s, i)->lpos > at)
            entry_at(s, i)->lpos--;
    rules->counters.pops++;
    s->usage.operations++;
}

/* Makes the entries of all sites valid, now that all warps have arrived: the entry that waits at each site's
 * reconvergence point gets the site's threads, and the top gives up its slot if no site needs it. */
static void link_sites(struct block_stack *s, struct block_rules *rules)
{
    bool is_needed = !s->sites.count;
    if (is_needed && !block_mask_is_empty(&entry_at(s, s->top)->mask, s->rows))
        panic("threads of a block's stack are in no warp and at no branch");
    count_sites(s, rules);
    for (int i = 0; i < s->sites.count; i++) {
        const struct block_site *site = &s->sites.data[i];
        if (site->waits < 0)
            continue;
        struct block_entry *e = entry_at(s, site->waits);
        e->at = site->rpc;
        e->back = site->back;
        e->mask = site->mask;
        is_needed |= site->waits == s->top;
    }
    for (int i = s->top + 1; i < s->entries.count; i++)
        entry_at(s, i)->site = -1;
    s->sites.count = 0;
    if (!is_needed) { /* the top has the reconvergence point of all its sides: they take its slot */
        take_out(s, rules, s->top);
        rules->counters.reused_slots++;
    }
}

/* Pops finished entries (no threads, at the end, or at the likely-convergence point) until the uppermost can run.
 * False: none is left. */
static bool find_top(struct block_stack *s, struct block_rules *rules)
{
    while (s->entries.count) {
        int i = s->top = s->entries.count - 1;
        struct block_entry *top = entry_at(s, i);
        if (block_mask_is_empty(&top->mask, s->rows)) {
            pop(s, rules);
            continue;
        }
        if (point_is_end(top->at)) {
            if (top->back == PC_NONE)
                panic("threads wait at the end of a function that none of them left");
            top->at = (struct point){top->back, top->at.depth - 1};
            top->back = PC_NONE;
        }
        if (point_has_reached(top->at, top->rpc)) {
            note_return(s, i, top->at, any_thread(s, &top->mask));
            rules->counters.reconvergences++;
            pop(s, rules);
        } else if (is_at_likely(top, top->at)) {
            struct block_mask m = top->mask;
            merge_likely(s, rules, i, &m);
            pop(s, rules);
        } else {
            return true;
        }
    }
    return false;
}

/* The threads of the entry `i` that are neither barred nor in an entry above it. */
static struct block_mask free_threads(const struct block_stack *s, int i)
{
    struct block_mask m = entry_at(s, i)->mask;
    block_mask_subtract(&m, &s->barred, s->rows);
    for (int k = i + 1; k < s->entries.count; k++)
        block_mask_subtract(&m, &entry_at(s, k)->mask, s->rows);
    return m;
}

/* Pushes a new entry in which the threads `m` of the entry `i` run ahead of those that are barred. */
static void run_ahead(struct block_stack *s, struct block_rules *rules, int i, const struct block_mask *m)
{
    struct block_entry e = *entry_at(s, i);
    block_mask_subtract(&entry_at(s, i)->mask, m, s->rows);
    if (point_is_end(e.at))
        e.at = (struct point){e.back, e.at.depth - 1};
    e.back = PC_NONE;
    e.likely = false;
    e.mask = *m;
    push(s, rules, &e);
    rules->counters.ran_ahead++;
    if (!entry_at(s, i)->likely && block_mask_is_empty(&entry_at(s, i)->mask, s->rows))
        take_out(s, rules, i); /* otherwise entries that take turns at barriers would pile up */
}

enum block_next block_stack_next(struct block_stack *s, struct block_rules *rules)
{
    while (find_top(s, rules)) {
        int i = s->top;
        if (!block_mask_meets(&entry_at(s, i)->mask, &s->barred, s->rows)) {
            entry_at(s, i)->likely = false;
            return BLOCK_RUNS;
        }
        struct block_mask m = free_threads(s, i);
        while (i > 0 && block_mask_is_empty(&m, s->rows))
            m = free_threads(s, --i);
        if (block_mask_is_empty(&m, s->rows))
            return BLOCK_WAITS;
        run_ahead(s, rules, i, &m);
    }
    return BLOCK_ENDED;
}

enum block_next block_stack_settle(struct block_stack *s, struct block_rules *rules)
{
    link_sites(s, rules);
    return block_stack_next(s, rules);
}

/* ---- barriers and ends ---- */

void block_stack_bar(struct block_stack *s, struct block_rules *rules, const struct block_arrival *at,
                     const struct threads *t)
{
    struct outcome behind = {.pc = at->pc + 1, .depth = at->depth};
    threads_copy(&behind.threads, t);
    block_stack_branch(s, rules, at, &behind, 1);
    block_mask_add(&s->barred, s->first_row, t);
}

void block_stack_unbar(struct block_stack *s, const struct threads *t)
{
    block_mask_remove(&s->barred, s->first_row, t);
}

void block_stack_exit(struct block_stack *s, const struct threads *ended)
{
    for (int i = 0; i < s->entries.count; i++)
        block_mask_remove(&entry_at(s, i)->mask, s->first_row, ended);
    for (int i = 0; i < s->sites.count; i++)
        block_mask_remove(&s->sites.data[i].mask, s->first_row, ended);
    block_stack_unbar(s, ended);
}

/* ---- questions and checks ---- */

int32_t block_stack_where(const struct block_stack *s, int32_t row, int lane)
{
    for (int i = s->entries.count - 1; i >= 0; i--) {
        const struct block_entry *e = entry_at(s, i);
        if (!(e->mask.lanes[row - s->first_row] >> lane & 1))
            continue;
        if (i != s->top || !s->sites.count)
            return point_is_end(e->at) ? e->back : e->at.pc;
        for (int k = 0; k < s->sites.count; k++) /* the thread waits at the reconvergence point of its branch */
            if (s->sites.data[k].mask.lanes[row - s->first_row] >> lane & 1)
                return point_is_end(s->sites.data[k].rpc) ? s->sites.data[k].back : s->sites.data[k].rpc.pc;
        return e->at.pc;
    }
    return PC_NONE;
}

/* Whether all threads of the entry `i` are in the same entries below it. It is enough that all are in the same next
 * lower entry, if the property holds for that one. `inner` has, by thread, the highest entry so far that holds it. */
static bool is_nested(const struct block_stack *s, int i, int16_t *inner)
{
    const struct block_mask *m = &entry_at(s, i)->mask;
    int around = -2;
    for (int r = 0; r < s->rows; r++)
        for (uint32_t left = m->lanes[r]; left; left &= left - 1) {
            int16_t *of = &inner[r * 32 + bits_lowest(left)];
            if (around != -2 && *of != around)
                return false;
            around = *of;
            *of = (int16_t)i;
        }
    return true;
}

static bool is_sound(const struct block_stack *s)
{
    int16_t inner[COMPACT_MAX_ROWS * 32]; /* see is_nested() */
    memset(inner, -1, sizeof inner);
    for (int i = 0; i < s->entries.count; i++) {
        const struct block_entry *e = entry_at(s, i);
        if (!is_nested(s, i, inner) || (!point_is_end(e->lpc) && (e->lpos < 0 || e->lpos >= i)))
            return false;
    }
    return true;
}

bool block_stack_is_whole(const struct block_stack *s, const struct block_mask *live)
{
    return !s->sites.count && block_mask_is_within(live, &block_stack_top(s)->mask, s->rows);
}

void block_stack_check(const struct block_stack *s, const struct block_mask *live, const struct block_mask *running,
                       int warps, bool waits)
{
    const struct block_entry *top = block_stack_top(s);
    struct block_mask arrived = {{0}}, held = {{0}};
    if (!is_sound(s) || warps != (waits ? 0 : top->warps))
        panic("the stack from row %d on is not in order: %d warps, counted %d", (int)s->first_row, (int)top->warps,
              warps);
    for (int i = 0; i < s->sites.count; i++)
        block_mask_unite(&arrived, &s->sites.data[i].mask, s->rows);
    for (int i = 0; i < s->entries.count; i++)
        block_mask_unite(&held, &s->entries.data[i].mask, s->rows);
    for (int r = 0; r < s->rows; r++) {
        uint32_t runs = running->lanes[r], came = arrived.lanes[r];
        if (live->lanes[r] & ~held.lanes[r])
            panic("threads 0x%x of row %d are lost", live->lanes[r] & ~held.lanes[r], (int)s->first_row + r);
        if (runs & came || runs & live->lanes[r] & ~top->mask.lanes[r])
            panic("threads of row %d run and wait", (int)s->first_row + r);
        if (!waits && (top->mask.lanes[r] ^ (runs | came)) & live->lanes[r])
            panic("threads of row %d neither run nor wait", (int)s->first_row + r);
    }
}

void block_stack_print(const struct block_stack *s, const struct program *program, int width, struct text *out)
{
    for (int i = 0; i < s->entries.count; i++) {
        const struct block_entry *e = entry_at(s, i);
        text_printf(out, "  ");
        point_print(e->at, program, out);
        text_printf(out, e->likely ? "* " : " ");
        block_mask_print(&e->mask, s->rows, s->static_warps, width, out);
        text_printf(out, " ");
        point_print(e->rpc, program, out);
        if (!point_is_end(e->lpc)) {
            text_printf(out, " ");
            point_print(e->lpc, program, out);
            text_printf(out, ":%d", (int)e->lpos);
        }
        if (i == s->top)
            text_printf(out, " x%d", (int)e->warps);
        text_printf(out, i > s->top ? " +\n" : "\n");
    }
}
