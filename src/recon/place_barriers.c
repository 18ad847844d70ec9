/*
 * Barriers from post-dominators: makes the plan that place_barriers.h describes. The program is only read.
 *
 * Every branch that can diverge, and every call of a function in which threads do not reconverge, gets joins; their
 * reconvergence points get waits; loops that may poll get yields. Then joins by threads that all participate already
 * are removed, and threads that can no longer come to a wait cancel. Last, barriers get registers.
 */
#include "recon/place_barriers.h"

#include "base/diag.h"
#include "recon/barrier_flow.h"
#include "recon/loop_points.h"

/* The plan while it is made. */
struct barrier_placer {
    const struct program *program;
    struct barrier_plan *plan;
    struct arena scratch;
    int32_t *points;        /* by branch: PC where its threads reconverge, or PC_NONE */
    int32_t *barrier_at;    /* by PC: barrier whose wait stands before that instruction, or BARRIER_NONE */
    bool *returns_diverged; /* by function: threads may diverge in it and reconverge only behind its call */
    bool *reaches;          /* by block: a path leads to the block that mark_sources() was asked for */
    int32_t *stack;         /* scratch: blocks */
};

/* The outermost loop that contains the block and not the reconvergence point, or -1. */
static int loop_to_leave(const struct program *p, int32_t block, int32_t reconvergence_block)
{
    int found = -1;
    for (int l = p->blocks[block].loop; l >= 0 && !loop_holds(p, l, reconvergence_block); l = p->loops[l].parent)
        found = l;
    return found;
}

static struct barrier_op operation(enum barrier_kind kind, int32_t barrier)
{
    return (struct barrier_op){.kind = (uint8_t)kind, .barrier = barrier};
}

/* Joins on all edges into the loop. False: the function's entry is in the loop, and threads start there without an
 * edge. */
static bool join_outside(struct barrier_placer *g, int loop, int32_t barrier)
{
    const struct program *p = g->program;
    const struct flow_loop *l = &p->loops[loop];
    int32_t entry = p->functions[p->blocks[l->header].function].first_block;
    if (loop_holds(p, loop, entry))
        return false;
    for (int i = 0; i < l->block_count; i++) {
        const struct flow_block *b = &p->blocks[l->blocks[i]];
        for (int k = 0; k < b->predecessor_count; k++)
            if (!loop_holds(p, loop, b->predecessors[k]))
                barrier_append(g->plan, barrier_between(p, b->predecessors[k], l->blocks[i]),
                               operation(BARRIER_JOIN, barrier));
    }
    return true;
}

/* Makes threads that diverge at `pc` join the barrier of the reconvergence point. */
static void join_at(struct barrier_placer *g, int32_t pc, int32_t branch, int32_t reconvergence)
{
    const struct program *p = g->program;
    int32_t barrier = g->barrier_at[reconvergence];
    if (barrier == BARRIER_NONE) {
        struct text place = {0};
        program_print_pc(p, pc, &place);
        barrier =
            barrier_add(g->plan, branch, false, "%s at %s", p->insns[pc].call >= 0 ? "call" : "branch", place.data);
        g->barrier_at[reconvergence] = barrier;
        text_free(&place);
    }
    int loop = loop_to_leave(p, p->insns[pc].block, p->insns[reconvergence].block);
    if (loop < 0 || !join_outside(g, loop, barrier))
        barrier_append(g->plan, barrier_before(pc), operation(BARRIER_JOIN, barrier));
}

/* Marks the `top` blocks on g->stack, and all blocks from which a path leads to one of them, in g->reaches. */
static void mark_sources_of(struct barrier_placer *g, int top)
{
    const struct program *p = g->program;
    memset(g->reaches, 0, sizeof *g->reaches * (size_t)p->block_count);
    for (int i = 0; i < top; i++)
        g->reaches[g->stack[i]] = true;
    while (top) {
        const struct flow_block *b = &p->blocks[g->stack[--top]];
        for (int i = 0; i < b->predecessor_count; i++)
            if (!g->reaches[b->predecessors[i]]) {
                g->reaches[b->predecessors[i]] = true;
                g->stack[top++] = b->predecessors[i];
            }
    }
}

/* Marks the block, and all blocks from which a path leads to it, in g->reaches. */
static void mark_sources(struct barrier_placer *g, int32_t block)
{
    g->stack[0] = block;
    mark_sources_of(g, 1);
}

/* Whether several sides of the branch come to the reconvergence point. If threads exit on all sides but one, there is
 * nobody to wait for. */
static bool sides_reconverge(struct barrier_placer *g, int32_t branch)
{
    const struct program *p = g->program;
    const struct branch *b = &p->branches[branch];
    int sides = 0;
    if (p->insns[b->pc].call >= 0)
        return true; /* the sides of a call are functions */
    if (b->target_count > 1 && g->points[branch] == p->plain_branches[branch].ipdom)
        return true; /* a post-dominator: all sides come to it */
    mark_sources(g, p->insns[g->points[branch]].block);
    for (int i = 0; i < b->target_count; i++)
        sides += g->reaches[p->insns[b->target[i]].block];
    return sides > 1;
}

static bool can_diverge(const struct program *p, const struct branch *b)
{
    const struct insn *in = &p->insns[b->pc];
    bool returns = in->op == OP_RET && in->function != 0;
    return !b->uniform && !b->promised_uniform && p->blocks[in->block].reachable && (b->target_count > 1 || returns);
}

/* Whether a lowered kernel has nothing but its end at the PC. ptxas places no barrier there. */
static bool only_ends(const struct program *p, int32_t pc)
{
    const struct insn *in = &p->insns[pc];
    return p->kernel->module->is_lowered && in->function == 0 && in->guard < 0 &&
           (in->op == OP_RET || in->op == OP_EXIT);
}

static void place_branches(struct barrier_placer *g)
{
    const struct program *p = g->program;
    for (int32_t i = 0; i < p->branch_count; i++) {
        const struct branch *b = &p->branches[i];
        if (!can_diverge(p, b))
            continue;
        if (g->points[i] == PC_NONE)
            g->returns_diverged[p->insns[b->pc].function] = true;
        else if (!only_ends(p, g->points[i]) && sides_reconverge(g, i))
            join_at(g, b->pc, i, g->points[i]);
    }
}

/* Makes threads reconverge behind calls of functions that they may leave diverged. Comes after place_branches(). */
static void place_calls(struct barrier_placer *g)
{
    const struct program *p = g->program;
    for (int i = 0; i < p->call_count; i++) {
        const struct call *c = &p->calls[i];
        const struct insn *in = &p->insns[c->pc];
        bool diverges = false;
        for (int k = 0; k < c->candidate_count; k++)
            diverges |= g->returns_diverged[c->candidates[k]];
        if (diverges && p->blocks[in->block].reachable && c->pc < p->functions[in->function].last)
            join_at(g, c->pc, -1, c->pc + 1);
    }
}

static void place_waits(struct barrier_placer *g)
{
    for (int32_t pc = 0; pc < g->program->insn_count; pc++)
        if (g->barrier_at[pc] != BARRIER_NONE)
            barrier_prepend(g->plan, barrier_before(pc), operation(BARRIER_WAIT, g->barrier_at[pc]));
}

/* Whether a loop with this instruction may wait for other threads. */
static bool polls(const struct insn *in)
{
    int order = in->suffixes.mod[GROUP_SEM];
    return (in->class == CLASS_ATOMIC && in->dest_count) || in->class == CLASS_FENCE || in->op == OP_NANOSLEEP ||
           (in->class == CLASS_LOAD && (order == SEM_VOLATILE || order == SEM_RELAXED || order == SEM_ACQUIRE));
}

static void place_yields(struct barrier_placer *g)
{
    const struct program *p = g->program;
    bool *waits = arena_array(&g->scratch, bool, (size_t)p->loop_count);
    for (int32_t pc = 0; pc < p->insn_count; pc++)
        if (p->blocks[p->insns[pc].block].loop >= 0 && polls(&p->insns[pc]))
            waits[p->blocks[p->insns[pc].block].loop] = true;
    for (int i = 0; i < p->loop_count; i++) {
        const struct flow_block *header = &p->blocks[p->loops[i].header];
        for (int k = 0; waits[i] && k < header->predecessor_count; k++)
            if (loop_holds(p, i, header->predecessors[k]))
                barrier_append(g->plan, barrier_between(p, header->predecessors[k], p->loops[i].header),
                               operation(BARRIER_YIELD, BARRIER_NONE));
    }
}

/* ---- superfluous joins ---- */

/* A forward analysis: the barriers in which every thread participates. Sets are bits by barrier. */
struct sure_joins {
    int words;            /* 64-bit words per set */
    uint64_t *in;         /* [block][words]: at the block's start */
    uint64_t *set;        /* at the point that is looked at now */
    bool *is_superfluous; /* by entry: a join by threads that all participate already; NULL until `in` is final */
};

/* Applies the operations of a place to s->set. */
static void pass(const struct barrier_plan *plan, struct sure_joins *s, struct barrier_range r)
{
    for (int i = r.first; i < r.first + r.count; i++) {
        const struct barrier_op *op = &plan->entries.data[i].op;
        if (op->barrier < 0)
            continue;
        uint64_t bit = UINT64_C(1) << op->barrier % 64, *word = &s->set[op->barrier / 64];
        if (s->is_superfluous && op->kind == BARRIER_JOIN && *word & bit)
            s->is_superfluous[i] = true;
        *word = op->kind == BARRIER_JOIN ? *word | bit : *word & ~bit;
    }
}

/* Carries the set of a block's start to the starts of its successors. True: one of these has changed. */
static bool pass_block(const struct barrier_plan *plan, struct sure_joins *s, int32_t block)
{
    const struct program *p = plan->program;
    const struct flow_block *b = &p->blocks[block];
    uint64_t *out = xmalloc(sizeof *out * (size_t)s->words);
    bool changed = false;
    memcpy(s->set, s->in + (size_t)block * (size_t)s->words, sizeof *s->set * (size_t)s->words);
    for (int32_t pc = b->first; pc <= b->last; pc++)
        pass(plan, s, barrier_at(plan, barrier_before(pc)));
    memcpy(out, s->set, sizeof *out * (size_t)s->words);
    for (int i = 0; i < b->successor_count; i++) {
        uint64_t *in = s->in + (size_t)b->successors[i] * (size_t)s->words;
        memcpy(s->set, out, sizeof *out * (size_t)s->words);
        pass(plan, s, barrier_at(plan, barrier_between(p, block, b->successors[i])));
        for (int w = 0; w < s->words; w++) {
            changed |= in[w] & ~s->set[w];
            in[w] &= s->set[w];
        }
    }
    free(out);
    return changed;
}

static bool pass_all(const struct barrier_plan *plan, struct sure_joins *s)
{
    bool changed = false;
    for (int32_t b = 0; b < plan->program->block_count; b++)
        changed |= plan->program->blocks[b].reachable && pass_block(plan, s, b);
    return changed;
}

static void remove_superfluous(struct barrier_placer *g)
{
    struct barrier_plan *plan = g->plan;
    const struct program *p = g->program;
    struct sure_joins s = {.words = plan->barriers.count / 64 + 1};
    size_t words = (size_t)s.words;
    s.in = arena_array(&g->scratch, uint64_t, (size_t)p->block_count * words);
    s.set = arena_array(&g->scratch, uint64_t, words);
    memset(s.in, 0xff, sizeof *s.in * (size_t)p->block_count * words);
    for (int i = 0; i < p->function_count; i++)
        memset(s.in + (size_t)p->functions[i].first_block * words, 0, sizeof *s.in * words);
    while (pass_all(plan, &s))
        ;
    s.is_superfluous = arena_array(&g->scratch, bool, (size_t)plan->entries.count);
    pass_all(plan, &s);
    for (int i = plan->entries.count - 1; i >= 0; i--)
        if (s.is_superfluous[i])
            barrier_remove(plan, i);
}

/* ---- threads that cannot come to the wait any more ---- */

/* The set of barriers whose participants may get to where no path leads to the wait. Such a thread still participates
 * where it exits, or in a loop without end, so only those blocks are looked at. Few barriers are in the set, and
 * cancel_lost() takes time proportional to the program for each. */
static uint64_t *find_losable(struct barrier_placer *g, const struct barrier_flow *flow)
{
    const struct program *p = g->program;
    uint64_t *losable = arena_array(&g->scratch, uint64_t, (size_t)flow->words);
    int ends = 0;
    for (int32_t b = 0; b < p->block_count; b++)
        if (!p->blocks[b].successor_count)
            g->stack[ends++] = b;
    mark_sources_of(g, ends);
    for (int32_t b = 0; b < p->block_count; b++)
        for (int w = 0; w < flow->words && (!p->blocks[b].successor_count || !g->reaches[b]); w++)
            losable[w] |= flow->joined_out[(size_t)b * (size_t)flow->words + (size_t)w];
    return losable;
}

/* Makes participants cancel on each edge behind which no path leads to the barrier's wait. */
static void cancel_lost(struct barrier_placer *g)
{
    const struct program *p = g->program;
    struct barrier_flow flow = barrier_flow_create_joined(g->plan, &g->scratch);
    const uint64_t *losable = find_losable(g, &flow);
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        int32_t barrier = g->barrier_at[pc];
        if (barrier == BARRIER_NONE || !barrier_set_has(losable, barrier))
            continue;
        mark_sources(g, p->insns[pc].block);
        for (int32_t b = 0; b < p->block_count; b++)
            for (int i = 0; g->reaches[b] && i < p->blocks[b].successor_count; i++)
                if (!g->reaches[p->blocks[b].successors[i]] && barrier_is_in(&flow, flow.joined_out, b, barrier))
                    barrier_append(g->plan, barrier_between(p, b, p->blocks[b].successors[i]),
                                   operation(BARRIER_CANCEL, barrier));
    }
}

/* Makes participants of barriers whose wait stands in a loop cancel on the edges out of that loop. Threads can take
 * such an edge without coming to the wait only at points that loop_points() found. */
static void cancel_leaving(struct barrier_placer *g)
{
    const struct program *p = g->program;
    struct barrier_flow flow = barrier_flow_create_joined(g->plan, &g->scratch);
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        int32_t barrier = g->barrier_at[pc];
        int loop = p->blocks[p->insns[pc].block].loop;
        for (int i = 0; barrier != BARRIER_NONE && loop >= 0 && i < p->loops[loop].block_count; i++) {
            int32_t block = p->loops[loop].blocks[i];
            if (!barrier_is_in(&flow, flow.joined_out, block, barrier))
                continue;
            for (int k = 0; k < p->blocks[block].successor_count; k++)
                if (!loop_holds(p, loop, p->blocks[block].successors[k]))
                    barrier_append(g->plan, barrier_between(p, block, p->blocks[block].successors[k]),
                                   operation(BARRIER_CANCEL, barrier));
        }
    }
}

struct barrier_plan *barriers_place(const struct program *program)
{
    struct barrier_placer g = {.program = program, .plan = barrier_plan_create(program)};
    char *error;
    g.barrier_at = arena_array(&g.scratch, int32_t, (size_t)program->insn_count + 1);
    g.returns_diverged = arena_array(&g.scratch, bool, (size_t)program->function_count);
    g.reaches = arena_array(&g.scratch, bool, (size_t)program->block_count);
    g.stack = arena_array(&g.scratch, int32_t, (size_t)program->block_count);
    for (int32_t pc = 0; pc < program->insn_count; pc++)
        g.barrier_at[pc] = BARRIER_NONE;
    g.points = arena_array(&g.scratch, int32_t, (size_t)program->branch_count);
    for (int i = 0; i < program->branch_count; i++)
        g.points[i] = program->branches[i].ipdom;
    if (program->kernel->module->is_lowered)
        g.points = loop_points(program, &g.scratch);
    place_branches(&g);
    place_calls(&g);
    place_waits(&g);
    place_yields(&g);
    remove_superfluous(&g);
    if (program->kernel->module->is_lowered)
        cancel_leaving(&g);
    cancel_lost(&g);
    barrier_colour(g.plan);
    arena_free(&g.scratch);
    if (!barrier_check(g.plan, &error))
        panic("barriers from post-dominators are not sound: %s", error);
    return g.plan;
}
