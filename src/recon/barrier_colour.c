/*
 * Barrier registers, by greedy colouring: two barriers overlap, and need different registers, if some thread may be in
 * (participate in) both at some point. Barriers for which no register is left are taken out of the plan. Also here is
 * the check whether a plan is sound; barrier.h lists what the check looks for.
 */
#include "base/diag.h"
#include "recon/barrier_flow.h"

#include <stdarg.h>

/*
 * Which barriers a thread may be in together, and for how long it is in each.
 *
 * A walk over all points of the program keeps the set of the point before. Barriers that were in that set overlap each
 * other already, so only those that are new to the set are noted. Noting all pairs at every point took minutes for a
 * kernel with 30,000 nested branches.
 */
struct barrier_overlap {
    int count, words;
    uint64_t *with;  /* [barrier][words]: bits by barrier; one of the two barriers of a pair holds the other's bit */
    int64_t *length; /* by barrier: instructions at which threads may be in the barrier */
    uint64_t *last;  /* joined set of the point visited last */
    int64_t *since;  /* by barrier in `last`: value of `visited` when the barrier came into the set */
    int64_t visited; /* instructions ahead of the point visited last */
};

/* Called by barrier_walk() at each point at which the joined set may have changed. */
static void note_point(struct barrier_visitor *v, int32_t pc, int weight, const uint64_t *joined)
{
    struct barrier_overlap *o = v->data;
    (void)pc;
    for (int w = 0; w < o->words; w++) {
        for (uint64_t gone = o->last[w] & ~joined[w]; gone; gone &= gone - 1) {
            int b = w * 64 + __builtin_ctzll(gone);
            o->length[b] += o->visited - o->since[b];
        }
        for (uint64_t new = joined[w] & ~o->last[w]; new; new &= new - 1) {
            int b = w * 64 + __builtin_ctzll(new);
            o->since[b] = o->visited;
            for (int k = 0; k < o->words; k++)
                o->with[(size_t)b * (size_t)o->words + (size_t)k] |= joined[k];
        }
        o->last[w] = joined[w];
    }
    o->visited += weight;
}

/* A barrier that spans calls shares its register with no other barrier. */
static void keep_apart(const struct barrier_plan *plan, struct barrier_overlap *o)
{
    for (int32_t a = 0; a < o->count; a++)
        for (int32_t b = 0; plan->barriers.data[a].spans_calls && b < o->count; b++)
            o->with[(size_t)a * (size_t)o->words + (size_t)b / 64] |= UINT64_C(1) << b % 64;
}

static struct barrier_overlap find_overlap(const struct barrier_plan *plan, const struct barrier_flow *flow,
                                           struct arena *arena)
{
    size_t n = (size_t)plan->barriers.count;
    struct barrier_overlap o = {.count = plan->barriers.count,
                                .words = flow->words,
                                .with = arena_array(arena, uint64_t, n * (size_t)flow->words),
                                .length = arena_array(arena, int64_t, n),
                                .last = arena_array(arena, uint64_t, (size_t)flow->words),
                                .since = arena_array(arena, int64_t, n)};
    uint64_t *none = arena_array(arena, uint64_t, (size_t)flow->words);
    struct barrier_visitor v = {note_point, &o};
    barrier_walk(flow, &v);
    note_point(&v, PC_NONE, 0, none);
    keep_apart(plan, &o);
    return o;
}

/*
 * One register, with sets of bits by barrier: the barriers that have the register, and those whose bits these hold in
 * barrier_overlap.with. A barrier overlaps one of the former if it holds the bit of one, or is among the latter. That
 * is found a word at a time: asking each pair of barriers took ten seconds for a kernel with 20,000 branches.
 */
struct barrier_register {
    uint64_t *members, *beside; /* [words] */
};

static void create_registers(struct barrier_register *of, int words, struct arena *arena)
{
    for (int i = 0; i < BARRIER_REGISTERS; i++) {
        of[i].members = arena_array(arena, uint64_t, (size_t)words);
        of[i].beside = arena_array(arena, uint64_t, (size_t)words);
    }
}

/* Whether the barrier overlaps none of the register's. */
static bool fits(const struct barrier_overlap *o, const struct barrier_register *r, int32_t barrier)
{
    const uint64_t *with = o->with + (size_t)barrier * (size_t)o->words;
    uint64_t common = 0;
    for (int k = 0; k < o->words; k++)
        common |= with[k] & r->members[k];
    return !common && !barrier_set_has(r->beside, barrier);
}

static void add_to_register(const struct barrier_overlap *o, struct barrier_register *r, int32_t barrier)
{
    const uint64_t *with = o->with + (size_t)barrier * (size_t)o->words;
    r->members[barrier / 64] |= UINT64_C(1) << barrier % 64;
    for (int k = 0; k < o->words; k++)
        r->beside[k] |= with[k];
}

/* A barrier and its length. */
struct barrier_length {
    int64_t length;
    int32_t barrier;
};

/* The longest first; of one length, the one that was made first. */
static int compare_lengths(const void *left, const void *right)
{
    const struct barrier_length *a = left, *b = right;
    return a->length != b->length ? (a->length < b->length) - (a->length > b->length)
                                  : (a->barrier > b->barrier) - (a->barrier < b->barrier);
}

/* order[] = barriers that have operations, the longest first. Returns how many. */
static int sort_barriers(const struct barrier_plan *plan, const struct barrier_overlap *o, struct barrier_length *order)
{
    int count = 0;
    bool *used = xcalloc((size_t)plan->barriers.count + 1, sizeof *used);
    for (int i = 0; i < plan->entries.count; i++)
        if (plan->entries.data[i].op.barrier >= 0)
            used[plan->entries.data[i].op.barrier] = true;
    for (int32_t b = 0; b < plan->barriers.count; b++)
        if (used[b])
            order[count++] = (struct barrier_length){o->length[b], b};
    qsort(order, (size_t)count, sizeof *order, compare_lengths);
    free(used);
    return count;
}

/* Takes the operations of dropped barriers out of the plan. */
static void remove_dropped(struct barrier_plan *plan)
{
    int kept = 0;
    for (int i = 0; i < plan->entries.count; i++) {
        int32_t barrier = plan->entries.data[i].op.barrier;
        if (barrier < 0 || !plan->barriers.data[barrier].is_dropped)
            plan->entries.data[kept++] = plan->entries.data[i];
    }
    plan->entries.count = kept;
}

int barrier_colour(struct barrier_plan *plan)
{
    struct arena scratch = {0};
    struct barrier_flow flow = barrier_flow_create_joined(plan, &scratch);
    struct barrier_overlap o = find_overlap(plan, &flow, &scratch);
    struct barrier_length *order = arena_array(&scratch, struct barrier_length, (size_t)plan->barriers.count);
    struct barrier_register registers[BARRIER_REGISTERS];
    int count = sort_barriers(plan, &o, order), dropped = 0;
    create_registers(registers, o.words, &scratch);
    for (int i = 0; i < plan->barriers.count; i++)
        plan->barriers.data[i].reg = BARRIER_NONE;
    for (int i = 0; i < count; i++) {
        struct barrier *b = &plan->barriers.data[order[i].barrier];
        int32_t reg = 0;
        while (reg < BARRIER_REGISTERS && !fits(&o, &registers[reg], order[i].barrier))
            reg++;
        if (reg < BARRIER_REGISTERS) {
            b->reg = reg;
            add_to_register(&o, &registers[reg], order[i].barrier);
            continue;
        }
        b->is_dropped = true;
        dropped++;
    }
    remove_dropped(plan);
    arena_free(&scratch);
    plan->dropped += dropped;
    return dropped;
}

/* ---- soundness ---- */

struct plan_check {
    const struct barrier_plan *plan;
    const struct barrier_overlap *overlap;
    struct text error;
};

static bool complain(struct plan_check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool complain(struct plan_check *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_vprintf(&c->error, format, args);
    va_end(args);
    return false;
}

static bool is_edge(const struct program *p, struct barrier_place place)
{
    const struct insn *last = &p->insns[place.from], *first = &p->insns[place.pc];
    const struct flow_block *from = &p->blocks[last->block], *to = &p->blocks[first->block];
    if (from->last != place.from || to->first != place.pc)
        return false;
    for (int i = 0; i < from->successor_count; i++)
        if (from->successors[i] == first->block)
            return true;
    for (int i = 0; last->call >= 0 && i < p->calls[last->call].candidate_count; i++)
        if (p->functions[p->calls[last->call].candidates[i]].first == place.pc)
            return true;
    return false;
}

static bool is_op(struct plan_check *c, const struct barrier_entry *e)
{
    const struct program *p = c->plan->program;
    struct barrier_place place = e->place;
    if (place.pc < 0 || place.pc >= p->insn_count || place.from < PC_NONE || place.from >= p->insn_count)
        return complain(c, "an operation stands at PC %d, or on the edge from %d, which the program does not have",
                        (int)place.pc, (int)place.from);
    if (place.from != PC_NONE && !is_edge(p, place))
        return complain(c, "there is no edge from PC %d to PC %d", (int)place.from, (int)place.pc);
    if (e->op.kind == BARRIER_YIELD)
        return true;
    if (e->op.barrier < 0 || e->op.barrier >= c->plan->barriers.count)
        return complain(c, "PC %d: there is no barrier b%d", (int)place.pc, (int)e->op.barrier);
    if (e->op.kind == BARRIER_SOFT_WAIT && e->op.threshold != BARRIER_ADAPTIVE &&
        (e->op.threshold < 1 || e->op.threshold > BARRIER_THRESHOLD_MAX))
        return complain(c, "PC %d: a soft wait for %d threads", (int)place.pc, e->op.threshold);
    return true;
}

static bool check_ops(struct plan_check *c)
{
    for (int i = 0; i < c->plan->entries.count; i++)
        if (!is_op(c, &c->plan->entries.data[i]))
            return false;
    return true;
}

static bool check_functions(struct plan_check *c)
{
    const struct barrier_plan *plan = c->plan;
    int32_t *function = xmalloc(sizeof *function * ((size_t)plan->barriers.count + 1));
    bool ok = true;
    for (int i = 0; i < plan->barriers.count; i++)
        function[i] = -1;
    for (int i = 0; i < plan->entries.count && ok; i++) {
        const struct barrier_entry *e = &plan->entries.data[i];
        int32_t own = plan->program->insns[e->place.pc].function, b = e->op.barrier;
        if (b < 0 || plan->barriers.data[b].spans_calls)
            continue;
        if (function[b] >= 0 && function[b] != own)
            ok = complain(c, "b%d is used in %s and in %s, but does not span calls", (int)b,
                          plan->program->functions[function[b]].source->name,
                          plan->program->functions[own].source->name);
        function[b] = own;
    }
    free(function);
    return ok;
}

static bool is_joined_somewhere(const struct barrier_plan *plan, int32_t barrier)
{
    return barrier_find(plan, BARRIER_JOIN, barrier) >= 0 || barrier_find(plan, BARRIER_REJOIN, barrier) >= 0;
}

static bool check_waits(struct plan_check *c, const struct barrier_flow *flow, uint64_t *set)
{
    const struct barrier_plan *plan = c->plan;
    const struct program *p = plan->program;
    for (int i = 0; i < plan->entries.count; i++) {
        const struct barrier_entry *e = &plan->entries.data[i];
        bool waits = e->op.kind == BARRIER_WAIT || e->op.kind == BARRIER_SOFT_WAIT;
        int32_t from = e->place.from != PC_NONE ? e->place.from : e->place.pc;
        if (!waits || !p->blocks[p->insns[from].block].reachable)
            continue;
        barrier_joined_before(flow, i, set);
        if (plan->barriers.data[e->op.barrier].spans_calls ? !is_joined_somewhere(plan, e->op.barrier)
                                                           : !barrier_set_has(set, e->op.barrier))
            return complain(c, "PC %d: threads wait at b%d, and none can have joined it", (int)e->place.pc,
                            (int)e->op.barrier);
    }
    return true;
}

/* A guarded `ret` may have participants: no place of a plan is on the way of its threads alone, and they leave the
 * barriers of their activation when they return (recon/barrier.h). */
static bool check_returns(struct plan_check *c, const struct barrier_flow *flow)
{
    const struct program *p = c->plan->program;
    for (int32_t block = 0; block < p->block_count; block++) {
        const struct flow_block *b = &p->blocks[block];
        if (!b->reachable || b->function == 0 || p->insns[b->last].op != OP_RET || p->insns[b->last].guard >= 0)
            continue;
        for (int32_t i = 0; i < c->plan->barriers.count; i++)
            if (barrier_is_in(flow, flow->joined_out, block, i) && !c->plan->barriers.data[i].spans_calls)
                return complain(c, "PC %d: threads may return while they are in b%d", (int)b->last, (int)i);
    }
    return true;
}

/* A barrier before `barrier` that has its register although threads can be in both; BARRIER_NONE: none. */
static int32_t find_rival(const struct plan_check *c, int32_t barrier)
{
    const struct barrier *data = c->plan->barriers.data;
    const struct barrier_overlap *o = c->overlap;
    for (int32_t b = 0; b < barrier; b++)
        if (data[b].reg == data[barrier].reg && (barrier_set_has(o->with + (size_t)b * (size_t)o->words, barrier) ||
                                                 barrier_set_has(o->with + (size_t)barrier * (size_t)o->words, b)))
            return b;
    return BARRIER_NONE;
}

static bool check_registers(struct plan_check *c, struct arena *scratch)
{
    const struct barrier_plan *plan = c->plan;
    struct barrier_register registers[BARRIER_REGISTERS];
    create_registers(registers, c->overlap->words, scratch);
    for (int i = 0; i < plan->entries.count; i++) {
        int32_t b = plan->entries.data[i].op.barrier;
        if (b >= 0 && (plan->barriers.data[b].reg < 0 || plan->barriers.data[b].reg >= BARRIER_REGISTERS))
            return complain(c, "b%d has no register", (int)b);
    }
    for (int32_t a = 0; a < plan->barriers.count; a++) {
        const int32_t reg = plan->barriers.data[a].reg;
        if (reg < 0 || reg >= BARRIER_REGISTERS) /* of a barrier without operations */
            continue;
        if (!fits(c->overlap, &registers[reg], a))
            return complain(c, "b%d and b%d share the register B%d, and threads can be in both", (int)find_rival(c, a),
                            (int)a, (int)reg);
        add_to_register(c->overlap, &registers[reg], a);
    }
    return true;
}

bool barrier_check(const struct barrier_plan *plan, char **error)
{
    struct plan_check c = {.plan = plan};
    bool ok = check_ops(&c) && check_functions(&c);
    if (ok) {
        struct arena scratch = {0};
        struct barrier_flow flow = barrier_flow_create_joined(plan, &scratch);
        struct barrier_overlap o = find_overlap(plan, &flow, &scratch);
        uint64_t *set = arena_array(&scratch, uint64_t, (size_t)flow.words);
        c.overlap = &o;
        ok = check_waits(&c, &flow, set) && check_returns(&c, &flow) && check_registers(&c, &scratch);
        arena_free(&scratch);
    }
    *error = ok ? NULL : text_take(&c.error);
    text_free(&c.error);
    return ok;
}
