/*
 * The rules of the reconvergence stack when the threads of the top entry branch, in the order in which they apply:
 *
 *   1. A path that is at the top's rpc leaves the top: an entry below holds its threads already.
 *   2. One path is left: the top continues with it.
 *   3. Several paths are left. Let r be the branch's reconvergence point. If r is not the top's rpc, the top becomes
 *      the entry that waits at r; otherwise the top's slot is reused, so that loops do not grow the stack.
 *   4. A likely-convergence point that the top does not have yet gets an entry without threads.
 *   5. Every path that is not at r is pushed, with rpc r.
 *   6. While the top has no threads, or is at its rpc or lpc, it is popped.
 *
 * A path that already is at its lpc is pushed and popped again, as in the paper's Figure 10, and counts for the depth.
 */
#include "div/parts/stack.h"

#include "base/diag.h"

static void push(struct stack *s, struct stack_rules *rules, struct stack_entry e)
{
    vec_push(s, e);
    rules->counters.pushes++;
    if ((uint64_t)s->count > rules->counters.max_depth)
        rules->counters.max_depth = (uint64_t)s->count;
}

static void pop(struct stack *s, struct stack_rules *rules)
{
    const struct stack_entry *top = &s->data[--s->count];
    rules->counters.pops++;
    rules->counters.lcp_unused += top->likely;
}

/* Threads of the entries from index `above` on reached `goal` and stand at `p`. If `goal` is the end of a function, the
 * entry that waits there is told the PC that the threads returned to. Only siblings, which wait at PCs, lie between. */
static void note_return(struct stack *s, int above, struct point p, struct point goal)
{
    int32_t none = PC_NONE, *back = &none;
    if (point_is_end(goal)) {
        int i = above - 1;
        while (i >= 0 && !point_is_end(s->data[i].at))
            i--;
        if (i < 0 || !point_is_same(s->data[i].at, goal))
            panic("threads returned to pc %d, where no entry of the stack waits for them", (int)p.pc);
        back = &s->data[i].back;
    }
    point_note_return(goal, p, back);
}

static void merge_likely(struct stack *s, struct stack_rules *rules)
{
    const struct stack_entry *top = &s->data[s->count - 1];
    s->data[top->lpos].mask |= top->mask;
    /* An entry between may hold these threads and would wait for them in vain: the rule compares PCs alone, so the
     * threads may be in a later iteration of an outer loop than the likely entry. */
    for (int i = top->lpos + 1; i < s->count - 1; i++)
        s->data[i].mask &= ~top->mask;
    rules->counters.lcp_merged++;
    pop(s, rules);
}

/* Pops finished entries until the top is one that can run (rule 6). */
static void settle(struct stack *s, struct stack_rules *rules)
{
    while (s->count) {
        struct stack_entry *top = &s->data[s->count - 1];
        if (!top->mask) {
            pop(s, rules);
            continue;
        }
        top->at = point_behind(top->at, &top->back);
        if (point_has_reached(top->at, top->rpc)) {
            note_return(s, s->count - 1, top->at, top->rpc);
            rules->counters.reconvergences++;
            pop(s, rules);
        } else if (!point_is_end(top->lpc) && point_is_same(top->at, top->lpc)) {
            merge_likely(s, rules);
        } else {
            top->likely = false;
            return;
        }
    }
}

void stack_start(struct stack *s, struct stack_rules *rules, int32_t pc, uint64_t mask)
{
    s->count = 0;
    push(s, rules,
         (struct stack_entry){.at = {pc, 0}, .rpc = {PC_NONE, 0}, .lpc = {PC_NONE, 0}, .back = PC_NONE, .mask = mask});
}

/* The index of the path among the branch's targets; a path to no target, which only a return has, comes last. */
static int rank_of(const struct branch *branch, const struct path *g)
{
    int rank = 0, count = branch ? branch->target_count : 0;
    while (rank < count && branch->target[rank] != g->to.pc)
        rank++;
    return rank;
}

/* The path with the smallest key runs first; paths of equal size run in the order of the targets. */
static int64_t order_key(enum stack_order order, const struct branch *branch, const struct path *g)
{
    int64_t size = __builtin_popcountll(g->mask), rank = rank_of(branch, g);
    switch (order) {
    case ORDER_TAKEN_FIRST:
        return rank;
    case ORDER_NOT_TAKEN_FIRST:
        return -rank;
    case ORDER_LARGER_FIRST:
        return rank - size * INT32_MAX;
    case ORDER_SMALLER_FIRST:
        return rank + size * INT32_MAX;
    case ORDER_HIGHEST_LANE:
        return 63 - __builtin_clzll(g->mask);
    }
    return 0;
}

void stack_sort_paths(enum stack_order order, const struct branch *branch, struct path *paths, int count)
{
    int64_t key[STACK_MAX_THREADS];
    for (int i = 0; i < count; i++) {
        struct path g = paths[i];
        int64_t k = order_key(order, branch, &g);
        int at = i;
        for (; at > 0 && key[at - 1] > k; at--) {
            key[at] = key[at - 1];
            paths[at] = paths[at - 1];
        }
        key[at] = k;
        paths[at] = g;
    }
}

/* Pushes the entry that waits at the branch's likely-convergence point, unless the paths inherit the same point from
 * the old top (rule 4). */
static void push_likely(struct stack *s, struct stack_rules *rules, struct point likely, struct stack_entry *side)
{
    if (point_is_end(likely) || point_is_same(likely, side->rpc) || point_is_same(likely, side->lpc))
        return;
    struct stack_entry e = *side;
    e.at = likely;
    e.mask = 0;
    e.likely = true;
    push(s, rules, e);
    rules->counters.lcp_pushed++;
    side->lpc = likely;
    side->lpos = s->count - 1;
}

static void diverge(struct stack *s, struct stack_rules *rules, const struct branch *branch, int32_t likely,
                    int32_t depth, struct path *paths, int count)
{
    struct stack_entry *top = &s->data[s->count - 1];
    struct point r = branch ? (struct point){branch->ipdom, depth} : top->rpc;
    struct stack_entry side = {.rpc = r, .lpc = top->lpc, .lpos = top->lpos, .back = PC_NONE};
    if (point_is_same(r, top->rpc)) {
        s->count--;
        rules->counters.pushes--; /* the first push below reuses this slot */
        rules->counters.reused_slots++;
    } else {
        top->at = r;
        top->back = PC_NONE;
    }
    push_likely(s, rules, (struct point){likely, depth}, &side);
    stack_sort_paths(rules->order, branch, paths, count);
    for (int i = count - 1; i >= 0; i--) {
        if (point_has_reached(paths[i].to, r)) {
            note_return(s, s->count, paths[i].to, r);
            continue;
        }
        side.at = paths[i].to;
        side.mask = paths[i].mask;
        push(s, rules, side);
    }
}

void stack_branch(struct stack *s, struct stack_rules *rules, const struct branch *branch, int32_t likely,
                  int32_t depth, struct path *paths, int count)
{
    struct stack_entry *top = &s->data[s->count - 1];
    int staying = 0;
    uint64_t mask = 0;
    for (int i = 0; i < count; i++) {
        if (point_has_reached(paths[i].to, top->rpc)) {
            note_return(s, s->count - 1, paths[i].to, top->rpc);
            rules->counters.reconvergences++;
        } else {
            mask |= paths[i].mask;
            paths[staying++] = paths[i];
        }
    }
    top->mask = mask;
    rules->counters.divergent_branches += count > 1;
    rules->counters.reused_slots += count > 1 && staying == 1;
    if (staying == 1)
        top->at = paths[0].to;
    else if (staying)
        diverge(s, rules, branch, likely, depth, paths, staying);
    settle(s, rules);
}

bool stack_advance(struct stack *s, struct stack_rules *rules, struct point to)
{
    int before = s->count;
    s->data[before - 1].at = to;
    settle(s, rules);
    return s->count != before;
}

bool stack_exit(struct stack *s, struct stack_rules *rules, uint64_t ended)
{
    for (int i = 0; i < s->count; i++)
        s->data[i].mask &= ~ended;
    if (!s->count || s->data[s->count - 1].mask)
        return false;
    settle(s, rules);
    return true;
}

void stack_return(struct stack *s, struct stack_rules *rules, struct point at, uint64_t mask)
{
    struct point none = {PC_NONE, 0};
    push(s, rules, (struct stack_entry){0});
    memmove(s->data + 1, s->data, sizeof *s->data * (size_t)(s->count - 1));
    s->data[0] = (struct stack_entry){.at = at, .rpc = none, .lpc = none, .back = PC_NONE, .mask = mask};
    for (int i = 1; i < s->count; i++)
        s->data[i].lpos += !point_is_end(s->data[i].lpc);
}

bool stack_unite(struct stack *s, struct stack_rules *rules, struct point here)
{
    struct point none = {PC_NONE, 0};
    uint64_t all = s->data[s->count - 1].mask; /* threads of the entries looked at so far, from the top down */
    bool are_others = false;
    for (int i = s->count - 2; i >= 0; i--) {
        uint64_t own = s->data[i].mask & ~all; /* its other threads are in entries above */
        if (own && !point_is_same(s->data[i].at, here))
            return false;
        are_others |= own != 0;
        all |= own;
    }
    if (!are_others)
        return false;
    while (s->count > 1)
        pop(s, rules);
    s->data[0] = (struct stack_entry){.at = here, .rpc = none, .lpc = none, .back = PC_NONE, .mask = all};
    return true;
}

struct stack_entry stack_take_top(struct stack *s, struct stack_rules *rules)
{
    pop(s, rules);
    return s->data[s->count];
}

void stack_push(struct stack *s, struct stack_rules *rules, struct point at, uint64_t mask, struct point rpc)
{
    push(s, rules, (struct stack_entry){.at = at, .rpc = rpc, .lpc = {PC_NONE, 0}, .back = PC_NONE, .mask = mask});
}

void stack_note_end(struct stack *s, struct point at, struct point rpc)
{
    note_return(s, s->count, at, rpc);
}

void stack_resume(struct stack *s, struct stack_rules *rules)
{
    settle(s, rules);
}

uint64_t stack_threads(const struct stack *s)
{
    uint64_t all = 0;
    for (int i = 0; i < s->count; i++)
        all |= s->data[i].mask;
    return all;
}

bool stack_is_sound(const struct stack *s)
{
    for (int i = 0; i < s->count; i++) {
        const struct stack_entry *low = &s->data[i];
        if (!point_is_end(low->lpc) && (low->lpos < 0 || low->lpos >= i))
            return false;
        for (int k = i + 1; k < s->count; k++) {
            uint64_t both = low->mask & s->data[k].mask;
            if (both && both != s->data[k].mask)
                return false;
        }
    }
    return !s->count || s->data[s->count - 1].mask;
}

void stack_print(const struct stack *s, const struct point *top_at, const struct program *program, int width,
                 struct text *out)
{
    for (int i = 0; i < s->count; i++) {
        const struct stack_entry *e = &s->data[i];
        text_printf(out, "  ");
        point_print(top_at && i == s->count - 1 ? *top_at : e->at, program, out);
        text_printf(out, e->likely ? "* " : " ");
        for (int k = 0; k < width; k++)
            text_append(out, e->mask >> k & 1 ? "1" : "0", 1);
        text_printf(out, " ");
        point_print(e->rpc, program, out);
        if (!point_is_end(e->lpc)) {
            text_printf(out, " ");
            point_print(e->lpc, program, out);
            text_printf(out, ":%d", (int)e->lpos);
        }
        text_printf(out, "\n");
    }
}
