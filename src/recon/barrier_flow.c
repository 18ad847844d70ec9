/*
 * Barrier flow: in which barriers of a plan threads may participate (joined, a forward analysis), and at which they may
 * still wait (live, a backward analysis), per block. Both iterate over the blocks until no set changes. The plan is
 * only read, so the sets hold for the plan as it was when they were computed.
 */
#include "recon/barrier_flow.h"

static uint64_t *set_of(const struct barrier_flow *flow, uint64_t *sets, int32_t block)
{
    return sets + (size_t)block * (size_t)flow->words;
}

/* Applies an operation to the joined set before it. */
static void forward(const struct barrier_op *op, uint64_t *set)
{
    if (op->barrier < 0)
        return;
    uint64_t bit = UINT64_C(1) << op->barrier % 64;
    if (op->kind == BARRIER_JOIN || op->kind == BARRIER_REJOIN)
        set[op->barrier / 64] |= bit;
    else
        set[op->barrier / 64] &= ~bit;
}

/* Applies an operation to the live set behind it. */
static void backward(const struct barrier_op *op, uint64_t *set)
{
    if (op->barrier < 0)
        return;
    uint64_t bit = UINT64_C(1) << op->barrier % 64;
    if (op->kind == BARRIER_WAIT || op->kind == BARRIER_SOFT_WAIT)
        set[op->barrier / 64] |= bit;
    else if (op->kind == BARRIER_JOIN || op->kind == BARRIER_REJOIN)
        set[op->barrier / 64] &= ~bit;
}

/* Entries that stand before instructions of the block; entries on the edges to the block are not among them. */
static struct barrier_range range_of(const struct barrier_plan *plan, int32_t block)
{
    const struct flow_block *b = &plan->program->blocks[block];
    struct barrier_range first = barrier_at(plan, barrier_before(b->first)),
                         last = barrier_at(plan, barrier_before(b->last));
    return (struct barrier_range){first.first, last.first + last.count - first.first};
}

static void pass_forward(const struct barrier_plan *plan, struct barrier_range r, uint64_t *set)
{
    for (int i = 0; i < r.count; i++)
        forward(&plan->entries.data[r.first + i].op, set);
}

static void pass_backward(const struct barrier_plan *plan, struct barrier_range r, uint64_t *set)
{
    for (int i = r.count - 1; i >= 0; i--)
        backward(&plan->entries.data[r.first + i].op, set);
}

static struct barrier_range edge_entries(const struct barrier_plan *plan, int32_t from, int32_t to)
{
    return barrier_at(plan, barrier_between(plan->program, from, to));
}

/* into |= set. True: `into` has changed. */
static bool add_set(uint64_t *into, const uint64_t *set, int words)
{
    bool is_new = false;
    for (int i = 0; i < words; i++) {
        is_new |= set[i] & ~into[i];
        into[i] |= set[i];
    }
    return is_new;
}

static bool move_forward(const struct barrier_flow *f, int32_t block, uint64_t *scratch)
{
    const struct barrier_plan *plan = f->plan;
    const struct flow_block *b = &plan->program->blocks[block];
    uint64_t *out = set_of(f, f->joined_out, block);
    bool changed = false;
    memcpy(out, set_of(f, f->joined_in, block), sizeof *out * (size_t)f->words);
    pass_forward(plan, range_of(plan, block), out);
    for (int i = 0; i < b->successor_count; i++) {
        memcpy(scratch, out, sizeof *out * (size_t)f->words);
        pass_forward(plan, edge_entries(plan, block, b->successors[i]), scratch);
        changed |= add_set(set_of(f, f->joined_in, b->successors[i]), scratch, f->words);
    }
    return changed;
}

static bool move_backward(const struct barrier_flow *f, int32_t block, uint64_t *scratch)
{
    const struct barrier_plan *plan = f->plan;
    const struct flow_block *b = &plan->program->blocks[block];
    uint64_t *in = set_of(f, f->live_in, block);
    bool changed = false;
    memcpy(in, set_of(f, f->live_out, block), sizeof *in * (size_t)f->words);
    pass_backward(plan, range_of(plan, block), in);
    for (int i = 0; i < b->predecessor_count; i++) {
        memcpy(scratch, in, sizeof *in * (size_t)f->words);
        pass_backward(plan, edge_entries(plan, b->predecessors[i], block), scratch);
        changed |= add_set(set_of(f, f->live_out, b->predecessors[i]), scratch, f->words);
    }
    return changed;
}

static size_t words_in_all(const struct barrier_flow *f)
{
    return (size_t)f->plan->program->block_count * (size_t)f->words;
}

static void find_live(struct barrier_flow *f, struct arena *arena)
{
    uint64_t *scratch = arena_array(arena, uint64_t, (size_t)f->words);
    f->live_in = arena_array(arena, uint64_t, words_in_all(f));
    f->live_out = arena_array(arena, uint64_t, words_in_all(f));
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t b = f->plan->program->block_count - 1; b >= 0; b--)
            changed |= move_backward(f, b, scratch);
    }
}

struct barrier_flow barrier_flow_create_joined(const struct barrier_plan *plan, struct arena *arena)
{
    const struct program *p = plan->program;
    struct barrier_flow f = {.plan = plan, .words = (plan->barriers.count + 63) / 64 + !plan->barriers.count};
    uint64_t *scratch = arena_array(arena, uint64_t, (size_t)f.words);
    f.joined_in = arena_array(arena, uint64_t, words_in_all(&f));
    f.joined_out = arena_array(arena, uint64_t, words_in_all(&f));
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t b = 0; b < p->block_count; b++)
            changed |= p->blocks[b].reachable && move_forward(&f, b, scratch);
    }
    return f;
}

struct barrier_flow barrier_flow_create(const struct barrier_plan *plan, struct arena *arena)
{
    struct barrier_flow f = barrier_flow_create_joined(plan, arena);
    find_live(&f, arena);
    return f;
}

void barrier_joined_before(const struct barrier_flow *flow, int position, uint64_t *set)
{
    const struct barrier_plan *plan = flow->plan;
    struct barrier_place place = plan->entries.data[position].place;
    bool on_edge = place.from != PC_NONE;
    int32_t block = plan->program->insns[on_edge ? place.from : place.pc].block;
    int first = on_edge ? barrier_at(plan, place).first : range_of(plan, block).first;
    memcpy(set, set_of(flow, on_edge ? flow->joined_out : flow->joined_in, block), sizeof *set * (size_t)flow->words);
    pass_forward(plan, (struct barrier_range){first, position - first}, set);
}

void barrier_live_after(const struct barrier_flow *flow, int position, uint64_t *set)
{
    const struct barrier_plan *plan = flow->plan;
    struct barrier_place place = plan->entries.data[position].place;
    bool on_edge = place.from != PC_NONE;
    int32_t block = plan->program->insns[place.pc].block;
    struct barrier_range r = on_edge ? barrier_at(plan, place) : range_of(plan, block);
    memcpy(set, set_of(flow, on_edge ? flow->live_in : flow->live_out, block), sizeof *set * (size_t)flow->words);
    pass_backward(plan, (struct barrier_range){position + 1, r.first + r.count - position - 1}, set);
}

/* Visits the points within a block. `set` is what is joined at the block's start, and afterwards at its end. */
static void walk_block(const struct barrier_flow *flow, int32_t block, struct barrier_visitor *v, uint64_t *set)
{
    const struct barrier_plan *plan = flow->plan;
    const struct flow_block *b = &plan->program->blocks[block];
    struct barrier_range r = range_of(plan, block);
    int32_t pc = b->first;
    for (int i = 0; i <= r.count; i++) {
        const struct barrier_entry *next = i < r.count ? &plan->entries.data[r.first + i] : NULL;
        int32_t end = next ? next->place.pc : b->last + 1;
        v->visit(v, pc, end - pc, set);
        pc = end;
        if (next)
            forward(&next->op, set);
    }
}

void barrier_walk(const struct barrier_flow *flow, struct barrier_visitor *visitor)
{
    const struct barrier_plan *plan = flow->plan;
    const struct program *p = plan->program;
    uint64_t *set = xcalloc((size_t)flow->words, sizeof *set);
    for (int32_t block = 0; block < p->block_count; block++) {
        const struct flow_block *b = &p->blocks[block];
        if (!b->reachable)
            continue;
        memcpy(set, set_of(flow, flow->joined_in, block), sizeof *set * (size_t)flow->words);
        walk_block(flow, block, visitor, set);
        for (int i = 0; i < b->successor_count; i++) {
            struct barrier_range r = edge_entries(plan, block, b->successors[i]);
            memcpy(set, set_of(flow, flow->joined_out, block), sizeof *set * (size_t)flow->words);
            for (int k = 0; k < r.count; k++) {
                forward(&plan->entries.data[r.first + k].op, set);
                visitor->visit(visitor, p->blocks[b->successors[i]].first, 0, set);
            }
        }
    }
    free(set);
}
