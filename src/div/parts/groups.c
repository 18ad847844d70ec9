/* Groups of a warp under convergence barriers (groups.h): ready groups and their order, the barrier operations, and the
 * limits on waiting. */
#include "div/parts/groups.h"

#include "base/diag.h"

/* ---- ready groups ---- */

void groups_start(struct groups *g, uint64_t mask, struct spot at)
{
    g->running = (struct warp_group){.at = at, .mask = mask};
    g->ready.count = g->waiting.count = g->slots.count = 0;
    g->elsewhere = 0;
    g->newest = g->last = 0;
    memset(g->habits, 0, sizeof g->habits);
}

void groups_free(struct groups *g)
{
    vec_free(&g->ready);
    vec_free(&g->waiting);
    vec_free(&g->slots);
}

/* Where a group goes under GROUP_STACK: it runs next, or after all others. */
enum placing { AHEAD, BEHIND_ALL };

/* Makes threads ready. With `joins`, they join a group that is ready at the same spot. */
static void add_ready(struct groups *g, struct group_rules *rules, uint64_t mask, struct spot at, bool joins,
                      enum placing placing)
{
    for (int i = 0; joins && i < g->ready.count; i++)
        if (spot_is_same(&g->ready.data[i].at, &at)) {
            g->ready.data[i].mask |= mask;
            rules->counters.merges++;
            return;
        }
    int64_t order = placing == BEHIND_ALL && rules->order == GROUP_STACK ? --g->last : ++g->newest;
    vec_push(&g->ready, (struct warp_group){.at = at, .mask = mask, .since = rules->now, .order = order});
}

/* Whether ready group `a` runs before ready group `b`. */
static bool comes_before(const struct group_rules *rules, const struct warp_group *a, const struct warp_group *b)
{
    switch (rules->order) {
    case GROUP_STACK:
        return a->order > b->order;
    case GROUP_MOST: {
        int more = __builtin_popcountll(a->mask) - __builtin_popcountll(b->mask);
        return more ? more > 0 : a->order > b->order;
    }
    default:
        return a->order < b->order;
    }
}

/* Index of the ready group that runs next. There must be one. */
static int choose(const struct groups *g, const struct group_rules *rules)
{
    int best = 0;
    for (int i = 1; i < g->ready.count; i++)
        if (comes_before(rules, &g->ready.data[i], &g->ready.data[best]))
            best = i;
    return best;
}

/* The ready group with this index becomes the running group. */
static void run(struct groups *g, int ready)
{
    g->running = g->ready.data[ready];
    g->ready.data[ready] = g->ready.data[--g->ready.count];
}

/* The ready group `to` runs instead of the running group, which becomes ready. */
static void give_way(struct groups *g, struct group_rules *rules, int to)
{
    struct warp_group old = g->running;
    run(g, to);
    add_ready(g, rules, old.mask, old.at, rules->merges, BEHIND_ALL);
}

/* ---- barriers ---- */

/* Index of the slot of the operation's barrier at the call depth; -1: no thread takes part in it. */
static int find_slot(const struct groups *g, const struct group_op *op, int32_t depth)
{
    depth = op->spans_calls ? -1 : depth;
    for (int i = 0; i < g->slots.count; i++)
        if (g->slots.data[i].reg == op->reg && g->slots.data[i].depth == depth)
            return i;
    return -1;
}

/* No thread takes part in the barrier any more: its register is free. */
static void free_slot(struct groups *g, int slot)
{
    int moved = --g->slots.count;
    if (slot == moved)
        return;
    g->slots.data[slot] = g->slots.data[moved];
    for (int i = 0; i < g->waiting.count; i++)
        if (g->waiting.data[i].slot == moved)
            g->waiting.data[i].slot = slot;
}

/* Threads continue at an adaptive soft wait after `waited` thread-cycles. */
static void learn(struct group_habit *h, uint64_t waited, uint64_t now)
{
    h->passed = now;
    if (!waited)
        return;
    h->waited = h->waited ? (h->waited + waited) / 2 : waited;
    h->idle = 0;
}

/* Whether a soft wait opens when the threads `there` are present. */
static bool is_enough(const struct groups *g, const struct group_rules *rules, const struct group_op *wait,
                      const struct group_slot *s, uint64_t there)
{
    const struct group_habit *h = &g->habits[wait->reg];
    if (wait->threshold != BARRIER_ADAPTIVE)
        return __builtin_popcountll(there) >= wait->threshold;
    uint64_t missing = (uint64_t)__builtin_popcountll(s->joined & ~there);
    return h->idle + missing * (rules->now - h->passed) < h->waited;
}

/* Opens a barrier: the threads that wait there become ready. Threads of one spot become one group. */
static void let_go(struct groups *g, struct group_rules *rules, int slot)
{
    struct group_slot *s = &g->slots.data[slot];
    for (int i = 0; i < g->waiting.count;) {
        struct warp_group w = g->waiting.data[i];
        if (w.slot != slot) {
            i++;
            continue;
        }
        g->waiting.data[i] = g->waiting.data[--g->waiting.count];
        add_ready(g, rules, w.mask, w.at, rules->merges, AHEAD);
    }
    uint64_t waited = (uint64_t)__builtin_popcountll(s->waiting) * rules->now - s->arrivals;
    rules->counters.wait_thread_cycles += waited;
    learn(&g->habits[s->reg], waited, rules->now);
    s->joined &= ~s->waiting;
    s->waiting = s->arrivals = 0;
    if (!s->joined)
        free_slot(g, slot);
}

/* A thread has left a barrier: frees the register if no thread takes part, and opens the barrier if all others wait. */
static void test_slot(struct groups *g, struct group_rules *rules, int slot)
{
    struct group_slot *s = &g->slots.data[slot];
    s->since = rules->now;
    s->yields = 0;
    if (!s->joined) {
        free_slot(g, slot);
    } else if (s->joined == s->waiting) {
        rules->counters.opened++;
        let_go(g, rules, slot);
    }
}

/* The threads leave all barriers of call depths greater than `deeper_than`; barriers that span calls have depth -1. */
static void leave_slots(struct groups *g, struct group_rules *rules, uint64_t mask, int32_t deeper_than)
{
    for (int i = g->slots.count - 1; i >= 0; i--)
        if (g->slots.data[i].joined & mask && g->slots.data[i].depth > deeper_than) {
            g->slots.data[i].joined &= ~mask;
            test_slot(g, rules, i);
        }
}

/* The running group takes part in the operation's barrier from now on. */
static void do_join(struct groups *g, struct group_rules *rules, const struct group_op *op)
{
    int slot = find_slot(g, op, g->running.at.depth);
    rules->counters.joins++;
    if (slot >= 0) {
        g->slots.data[slot].joined |= g->running.mask;
        return;
    }
    for (int i = 0; i < g->slots.count; i++)
        if (g->slots.data[i].reg == op->reg && g->slots.data[i].joined & g->running.mask) {
            rules->counters.register_saves++;
            break;
        }
    vec_push(&g->slots, (struct group_slot){.reg = op->reg,
                                            .depth = op->spans_calls ? -1 : g->running.at.depth,
                                            .joined = g->running.mask,
                                            .since = rules->now});
}

/* Threads of the running group begin to wait. The spot of the running group is already behind the wait. */
static void begin_to_wait(struct groups *g, struct group_rules *rules, int slot, uint64_t mask)
{
    struct group_slot *s = &g->slots.data[slot];
    s->waiting |= mask;
    s->since = rules->now;
    s->yields = 0;
    s->arrivals += (uint64_t)__builtin_popcountll(mask) * rules->now;
    for (int i = 0; i < g->waiting.count; i++)
        if (g->waiting.data[i].slot == slot && spot_is_same(&g->waiting.data[i].at, &g->running.at)) {
            g->waiting.data[i].mask |= mask;
            rules->counters.reconvergences++;
            return;
        }
    vec_push(&g->waiting, (struct warp_group){.at = g->running.at, .mask = mask, .since = rules->now, .slot = slot});
}

/* True: the running group continues. False: at least one of its threads waits or was made ready. */
static bool do_wait(struct groups *g, struct group_rules *rules, const struct group_op *op)
{
    int slot = find_slot(g, op, g->running.at.depth);
    rules->counters.waits++;
    if (slot < 0)
        return true;
    struct group_slot *s = &g->slots.data[slot];
    uint64_t own = s->joined & g->running.mask;
    if (!own)
        return true;
    if (own == s->joined && own == g->running.mask) { /* no thread is missing */
        g->habits[s->reg].idle = 0;
        g->habits[s->reg].passed = rules->now;
        free_slot(g, slot);
        return true;
    }
    begin_to_wait(g, rules, slot, own);
    g->running.mask &= ~own;
    s = &g->slots.data[slot];
    if (s->joined == s->waiting) {
        rules->counters.opened++;
        let_go(g, rules, slot);
    } else if (op->kind == BARRIER_SOFT_WAIT && is_enough(g, rules, op, s, s->waiting)) {
        struct group_habit *h = &g->habits[op->reg];
        rules->counters.opened_soft++;
        h->idle += (uint64_t)__builtin_popcountll(s->joined & ~s->waiting) * (rules->now - h->passed);
        let_go(g, rules, slot);
    }
    return false;
}

/* The wait that follows a cancel, other cancels skipped; NULL: there is none. */
static const struct group_op *next_wait(const struct group_code *code, struct spot at)
{
    for (; group_ops_left(code, &at); group_step(code, &at)) {
        const struct group_op *op = &code->ops.data[at.op];
        if (op->kind != BARRIER_CANCEL)
            return op->kind == BARRIER_WAIT || op->kind == BARRIER_SOFT_WAIT ? op : NULL;
    }
    return NULL;
}

/* Whether the soft wait that follows will open at once for the running group. */
static bool is_met(const struct groups *g, const struct group_rules *rules)
{
    const struct group_op *wait = next_wait(rules->code, g->running.at);
    if (!wait)
        return false;
    int slot = find_slot(g, wait, g->running.at.depth);
    if (slot < 0)
        return true;
    const struct group_slot *s = &g->slots.data[slot];
    uint64_t there = s->waiting | (s->joined & g->running.mask);
    return there == s->joined || is_enough(g, rules, wait, s, there);
}

static void do_cancel(struct groups *g, struct group_rules *rules, const struct group_op *op)
{
    int slot = find_slot(g, op, g->running.at.depth);
    rules->counters.cancels++;
    if (slot < 0 || !(g->slots.data[slot].joined & g->running.mask) || (op->threshold && is_met(g, rules)))
        return;
    g->slots.data[slot].joined &= ~g->running.mask;
    test_slot(g, rules, slot);
}

/* Among barriers with waiting threads, the one whose last arrival or departure is longest ago; -1: none. */
static int find_stale(const struct groups *g)
{
    int stale = -1;
    for (int i = 0; i < g->slots.count; i++)
        if (g->slots.data[i].waiting && (stale < 0 || g->slots.data[i].since < g->slots.data[stale].since))
            stale = i;
    return stale;
}

static void break_slot(struct groups *g, struct group_rules *rules, int slot)
{
    rules->counters.broken++;
    let_go(g, rules, slot);
}

/* Lets another group run. False: no other group is ready. */
static bool do_yield(struct groups *g, struct group_rules *rules)
{
    rules->counters.yields++;
    for (int i = g->slots.count - 1; i >= 0; i--) {
        struct group_slot *s = &g->slots.data[i];
        if (s->waiting && s->joined & g->running.mask && ++s->yields >= rules->yield_limit)
            break_slot(g, rules, i);
    }
    if (!g->ready.count)
        return false;
    give_way(g, rules, choose(g, rules));
    return true;
}

bool groups_do(struct groups *g, struct group_rules *rules)
{
    const struct group_op *op = &rules->code->ops.data[g->running.at.op];
    group_step(rules->code, &g->running.at);
    switch ((enum barrier_kind)op->kind) {
    case BARRIER_JOIN:
    case BARRIER_REJOIN:
        do_join(g, rules, op);
        return true;
    case BARRIER_WAIT:
    case BARRIER_SOFT_WAIT:
        return do_wait(g, rules, op);
    case BARRIER_CANCEL:
        do_cancel(g, rules, op);
        return true;
    case BARRIER_YIELD:
        return !do_yield(g, rules);
    }
    return true;
}

/* ---- who runs ---- */

void groups_run(struct groups *g, struct group_rules *rules)
{
    if (g->running.mask)
        return;
    if (!g->ready.count && g->waiting.count)
        break_slot(g, rules, find_stale(g)); /* every group waits: the missing threads wait at other barriers */
    if (g->ready.count)
        run(g, choose(g, rules));
}

bool groups_switch(struct groups *g, struct group_rules *rules, uint64_t may_run)
{
    int best = -1;
    for (int i = 0; i < g->ready.count; i++)
        if (!(g->ready.data[i].mask & ~may_run) &&
            (best < 0 || comes_before(rules, &g->ready.data[i], &g->ready.data[best])))
            best = i;
    if (best < 0)
        return false;
    rules->counters.switches++;
    give_way(g, rules, best);
    return true;
}

bool groups_advance(struct groups *g, struct group_rules *rules, struct spot at, bool joins)
{
    g->running.at = at;
    for (int i = 0; joins && i < g->ready.count; i++)
        if (spot_is_same(&g->ready.data[i].at, &at)) {
            g->running.mask |= g->ready.data[i].mask;
            g->ready.data[i] = g->ready.data[--g->ready.count];
            rules->counters.merges++;
            return true;
        }
    return false;
}

/* The group that has been ready longest, if for at least `timeout_cycles`; -1: none. */
static int find_overdue(const struct groups *g, const struct group_rules *rules)
{
    int overdue = -1;
    for (int i = 0; i < g->ready.count; i++)
        if (rules->now - g->ready.data[i].since >= rules->timeout_cycles &&
            (overdue < 0 || g->ready.data[i].since < g->ready.data[overdue].since))
            overdue = i;
    return overdue;
}

/* At a control instruction: applies the two time limits. */
static void be_fair(struct groups *g, struct group_rules *rules)
{
    int stale = g->waiting.count ? find_stale(g) : -1;
    if (stale >= 0 && rules->now - g->slots.data[stale].since >= rules->patience_cycles) {
        break_slot(g, rules, stale);
        int newest = 0;
        for (int i = 1; i < g->ready.count; i++)
            if (g->ready.data[i].order > g->ready.data[newest].order)
                newest = i;
        give_way(g, rules, newest);
        return;
    }
    int overdue = g->ready.count ? find_overdue(g, rules) : -1;
    if (overdue < 0)
        return;
    rules->counters.rotations++;
    give_way(g, rules, overdue);
}

void groups_branch(struct groups *g, struct group_rules *rules, int32_t depth, const struct warp_group *to, int count)
{
    for (int i = 0; i < count; i++)
        if (to[i].at.depth < depth)
            leave_slots(g, rules, to[i].mask, to[i].at.depth);
    if (count == 1) {
        g->running.mask = to[0].mask;
        groups_advance(g, rules, to[0].at, rules->merges);
        if (g->ready.count && rules->order == GROUP_ROUND_ROBIN)
            give_way(g, rules, choose(g, rules));
    } else {
        g->running.mask = 0;
        for (int i = count - 1; i >= 0; i--)
            add_ready(g, rules, to[i].mask, to[i].at, rules->merges, AHEAD);
        run(g, choose(g, rules));
    }
    be_fair(g, rules);
}

void groups_leave(struct groups *g)
{
    g->elsewhere |= g->running.mask;
    g->running.mask = 0;
}

void groups_return(struct groups *g, struct group_rules *rules, uint64_t mask, struct spot at)
{
    g->elsewhere &= ~mask;
    add_ready(g, rules, mask, at, true, AHEAD);
}

void groups_exit(struct groups *g, struct group_rules *rules, uint64_t ended)
{
    g->running.mask &= ~ended;
    leave_slots(g, rules, ended, -2);
}

/* ---- questions and checks ---- */

uint64_t groups_threads(const struct groups *g)
{
    uint64_t all = g->running.mask | g->elsewhere;
    for (int i = 0; i < g->ready.count; i++)
        all |= g->ready.data[i].mask;
    for (int i = 0; i < g->waiting.count; i++)
        all |= g->waiting.data[i].mask;
    return all;
}

/* Whether each thread is in exactly one group, and the waiting groups agree with the slots. */
bool groups_are_sound(const struct groups *g)
{
    uint64_t seen = g->running.mask, twice = g->running.mask & g->elsewhere;
    seen |= g->elsewhere;
    for (int i = 0; i < g->ready.count; i++) {
        twice |= seen & g->ready.data[i].mask;
        twice |= g->ready.data[i].mask ? 0 : 1;
        seen |= g->ready.data[i].mask;
    }
    for (int i = 0; i < g->waiting.count; i++) {
        const struct warp_group *w = &g->waiting.data[i];
        twice |= seen & w->mask;
        seen |= w->mask;
        if (w->slot >= g->slots.count || w->mask & ~g->slots.data[w->slot].waiting)
            return false;
    }
    uint64_t waiting = 0;
    for (int i = 0; i < g->slots.count; i++) {
        const struct group_slot *s = &g->slots.data[i];
        if (!s->joined || s->waiting & ~s->joined || s->waiting == s->joined || s->joined & ~seen ||
            waiting & s->waiting)
            return false;
        waiting |= s->waiting;
        for (int k = 0; k < i; k++)
            if (g->slots.data[k].reg == s->reg && g->slots.data[k].depth == s->depth)
                return false;
    }
    return !twice;
}

int32_t groups_where(const struct groups *g, uint64_t thread)
{
    for (int i = 0; i < g->ready.count; i++)
        if (g->ready.data[i].mask & thread)
            return g->ready.data[i].at.pc;
    for (int i = 0; i < g->waiting.count; i++)
        if (g->waiting.data[i].mask & thread)
            return g->waiting.data[i].at.pc;
    return PC_NONE;
}

static void print_mask(uint64_t mask, int width, struct text *out)
{
    for (int i = 0; i < width; i++)
        text_append(out, mask >> i & 1 ? "1" : "0", 1);
}

static void print_group(const struct warp_group *group, const char *what, const struct program *p, int width,
                        struct text *out)
{
    text_printf(out, "  %s ", what);
    point_print((struct point){group->at.pc, group->at.depth}, p, out);
    text_printf(out, " ");
    print_mask(group->mask, width, out);
}

void groups_print(const struct groups *g, const struct program *program, int32_t pc, int width, struct text *out)
{
    if (g->running.mask) {
        struct warp_group running = g->running;
        running.at.pc = pc;
        print_group(&running, "runs", program, width, out);
        text_printf(out, "\n");
    }
    for (int i = 0; i < g->ready.count; i++) {
        print_group(&g->ready.data[i], "ready", program, width, out);
        text_printf(out, "\n");
    }
    for (int i = 0; i < g->waiting.count; i++) {
        const struct group_slot *s = &g->slots.data[g->waiting.data[i].slot];
        print_group(&g->waiting.data[i], "waits", program, width, out);
        text_printf(out, " for ");
        print_mask(s->joined & ~s->waiting, width, out);
        text_printf(out, " at B%d\n", (int)s->reg);
    }
    if (g->elsewhere) {
        text_printf(out, "  at a block barrier or rendezvous ");
        print_mask(g->elsewhere, width, out);
        text_printf(out, "\n");
    }
}
