/*
 * Branches: the instructions behind which threads can diverge, where they surely reconverge (the immediate
 * post-dominator) and where they likely do.
 *
 * The likely-convergence point is the backward branch that closes the innermost loop around the branch (Fung and
 * Aamodt, HPCA 2011, section 4: the closest enclosing backward taken branch). A branch has such a point only where it
 * can help: the branch is not that backward branch itself (then the next outer loop is tried), and the branch's
 * post-dominator is not in the loop (then threads reconverge within the iteration anyway, at the latest at the loop's
 * header). Of several backward branches of a loop, the next one below the branch counts.
 *
 * Compilers rotate loops: control enters in the middle, at a header that stands below the body, and the branch back
 * leads up to the body. No branch to such a header is backward; branches that lead up within the loop count instead.
 */
#include "base/vec.h"
#include "flow/analysis.h"

/* Backward branches to each loop's header. */
struct latches {
    int32_t *first; /* by loop, one more at the end: index of the loop's first latch in pc */
    int32_t *pc;    /* PCs, rising within a loop */
};

static bool is_latch(const struct program *p, const struct program_function *f, const struct analysis *a, int loop,
                     int32_t from)
{
    const struct flow_block *block = &p->blocks[f->first_block + from];
    const struct insn *last = &p->insns[block->last];
    return (last->op == OP_BRA || last->op == OP_BRX) &&
           p->blocks[f->first_block + a->loops.loops[loop].header].first <= block->last &&
           loop_contains(&a->loops, loop, a->loops.innermost[from]);
}

/* Whether a block whose innermost loop is `loop` ends in a branch up to a block of the loop. */
static bool leads_up(const struct program *p, const struct program_function *f, const struct analysis *a, int loop,
                     int32_t node)
{
    const struct flow_block *block = &p->blocks[f->first_block + node];
    const struct insn *last = &p->insns[block->last];
    if (a->loops.innermost[node] != loop || (last->op != OP_BRA && last->op != OP_BRX))
        return false;
    for (int i = 0; i < block->successor_count; i++) {
        int32_t to = block->successors[i];
        if (p->blocks[to].first <= block->last &&
            loop_contains(&a->loops, loop, a->loops.innermost[to - f->first_block]))
            return true;
    }
    return false;
}

static struct latches find_latches(const struct program *p, const struct program_function *f, const struct analysis *a,
                                   struct arena *scratch)
{
    const struct graph *g = &a->graph;
    struct latches l = {.first = arena_array(scratch, int32_t, (size_t)a->loops.count + 1),
                        .pc = arena_array(scratch, int32_t, (size_t)g->first_predecessor[g->node_count])};
    int count = 0;
    for (int i = 0; i < a->loops.count; i++) {
        int32_t header = a->loops.loops[i].header;
        l.first[i] = count;
        for (int32_t k = g->first_predecessor[header]; k < g->first_predecessor[header + 1]; k++)
            if (is_latch(p, f, a, i, g->predecessors[k]))
                l.pc[count++] = p->blocks[f->first_block + g->predecessors[k]].last;
        bool is_rotated = count == l.first[i];
        for (int32_t node = 0; is_rotated && node < f->block_count; node++)
            if (leads_up(p, f, a, i, node))
                l.pc[count++] = p->blocks[f->first_block + node].last;
    }
    l.first[a->loops.count] = count;
    return l;
}

/* The loop's first backward branch at or behind `pc`, or else the loop's last; PC_NONE if the loop has no backward
 * branch. */
static int32_t next_latch(const struct latches *l, int loop, int32_t pc)
{
    int32_t low = l->first[loop], high = l->first[loop + 1];
    if (low == high)
        return PC_NONE;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (l->pc[middle] < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->first[loop + 1] ? l->pc[low] : l->pc[low - 1];
}

static int32_t find_likely(const struct analysis *a, const struct latches *latches, int32_t pc, int block,
                           int32_t reconvergence)
{
    int around = reconvergence < 0 ? -1 : a->loops.innermost[reconvergence];
    for (int loop = a->loops.innermost[block]; loop >= 0; loop = a->loops.loops[loop].parent) {
        if (reconvergence >= 0 && loop_contains(&a->loops, loop, around))
            return PC_NONE;
        int32_t latch = next_latch(latches, loop, pc);
        if (latch != pc && latch != PC_NONE)
            return latch;
    }
    return PC_NONE;
}

struct targets vec_of(int32_t);

static void add_target(struct targets *targets, int32_t pc)
{
    for (int i = 0; i < targets->count; i++)
        if (targets->data[i] == pc)
            return;
    vec_push(targets, pc);
}

static void find_targets(const struct program *p, const struct program_function *f, int32_t pc, struct targets *targets)
{
    const struct insn *insn = &p->insns[pc];
    targets->count = 0;
    if (insn->op == OP_BRA)
        add_target(targets, insn->target);
    if (insn->op == OP_CALL)
        for (int i = 0; i < p->calls[insn->call].candidate_count; i++)
            add_target(targets, p->functions[p->calls[insn->call].candidates[i]].first);
    if (insn->op == OP_BRX) {
        /* The block's successors are the targets of the list, each once. */
        const struct flow_block *b = &p->blocks[insn->block];
        for (int i = 0; i < b->successor_count; i++)
            if (insn->guard < 0 || p->blocks[b->successors[i]].first != pc + 1)
                vec_push(targets, p->blocks[b->successors[i]].first);
    }
    if (insn->guard >= 0 && pc < f->last)
        add_target(targets, pc + 1);
}

static bool is_branch(const struct program *p, const struct insn *insn)
{
    switch (insn->op) {
    case OP_BRX:
        return true;
    case OP_BRA:
    case OP_RET:
    case OP_EXIT:
        return insn->guard >= 0;
    case OP_CALL:
        return !p->calls[insn->call].builtin && (insn->guard >= 0 || insn->target == PC_NONE);
    default:
        return false;
    }
}

static void fill_table(struct program *p, const struct analysis *a, struct branch *out)
{
    const struct ptx_targets *list = analysis_targets(&p->insns[out->pc]);
    out->table_count = list ? list->count : 0;
    out->table = arena_array(&p->arena, int32_t, (size_t)out->table_count);
    for (int i = 0; i < out->table_count; i++)
        out->table[i] = a->pc_of[list->target[i]];
}

static void fill_branch(struct program *p, const struct program_function *f, const struct analysis *a,
                        struct targets *targets, int32_t pc, struct branch *out)
{
    const struct insn *insn = &p->insns[pc];
    int block = insn->block - f->first_block, loop = a->loops.innermost[block];
    find_targets(p, f, pc, targets);
    *out = (struct branch){.pc = pc,
                           .target_count = targets->count,
                           .target = arena_array(&p->arena, int32_t, (size_t)targets->count),
                           .ipdom = PC_NONE,
                           .likely = PC_NONE,
                           .promised_uniform = suffixes_has(&insn->suffixes, FLAG_UNI),
                           .loop_depth = loop < 0 ? 0 : a->loops.loops[loop].depth};
    for (int i = 0; i < targets->count; i++) {
        out->target[i] = targets->data[i];
        out->backward |= insn->op != OP_CALL && targets->data[i] <= pc;
    }
    if (insn->op == OP_BRX)
        fill_table(p, a, out);
}

void branch_create(struct program *p, const struct analysis *functions)
{
    for (int32_t pc = 0; pc < p->insn_count; pc++)
        p->branch_count += is_branch(p, &p->insns[pc]);
    p->branches = arena_array(&p->arena, struct branch, (size_t)p->branch_count);
    struct targets targets = {0};
    int made = 0;
    for (int i = 0; i < p->function_count; i++) {
        const struct program_function *f = &p->functions[i];
        for (int32_t pc = f->first; pc <= f->last; pc++) {
            if (!is_branch(p, &p->insns[pc]))
                continue;
            p->insns[pc].branch = made;
            fill_branch(p, f, &functions[i], &targets, pc, &p->branches[made++]);
        }
    }
    vec_free(&targets);
}

/* Sets the branch's reconvergence point to a block of its function, or, with -1, to the function's exit; and the
 * likely-convergence point that goes with it. */
static void set_reconvergence(const struct program *p, const struct program_function *f, const struct analysis *a,
                              const struct latches *latches, struct branch *b, int32_t reconvergence)
{
    const struct insn *insn = &p->insns[b->pc];
    int block = insn->block - f->first_block;
    bool is_call = insn->op == OP_CALL;
    if (is_call)
        reconvergence = block + 1;
    b->ipdom = reconvergence < 0 ? PC_NONE : p->blocks[f->first_block + reconvergence].first;
    b->likely = is_call ? PC_NONE : find_likely(a, latches, b->pc, block, reconvergence);
}

void branch_reconverge(struct program *p, struct analysis *functions)
{
    struct arena scratch = {0};
    struct latches *latches = arena_array(&scratch, struct latches, (size_t)p->function_count);
    for (int i = 0; i < p->function_count; i++)
        latches[i] = find_latches(p, &p->functions[i], &functions[i], &scratch);
    p->plain_branches = arena_array(&p->arena, struct branch, (size_t)p->branch_count);
    for (int i = 0; i < p->branch_count; i++) {
        struct branch *b = &p->branches[i], *plain = &p->plain_branches[i];
        const struct insn *insn = &p->insns[b->pc];
        const struct program_function *f = &p->functions[insn->function];
        const struct analysis *a = &functions[insn->function];
        int block = insn->block - f->first_block;
        *plain = *b;
        set_reconvergence(p, f, a, &latches[insn->function], b, a->reconvergence[block]);
        set_reconvergence(p, f, a, &latches[insn->function], plain, a->post_dominator[block]);
    }
    arena_free(&scratch);
}
