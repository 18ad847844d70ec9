/*
 * Uniformity: at which branches all threads of a block that execute them together take the same side.
 *
 * A register is uniform if, each time control comes to an instruction that reads it, the register holds the same value
 * for all threads that came there the same number of times. A register varies if
 *   - an instruction writes it whose result differs by nature (thread indices, loads of memory that may be written,
 *     atomics, warp-level operations, clocks, calls) or that reads a register that varies,
 *   - an instruction writes it whose guard varies, or
 *   - threads reconverge that diverged at a branch whose guard or index varies: then every register varies that is
 *     written between that branch and its reconvergence point and is live where several sides can come. This covers
 *     values that leave a loop which threads leave in different iterations.
 * Registers are not followed write by write: one varying write makes the register vary everywhere.
 *
 * Threads that have exited do not count, so code behind `if (i >= n) return` can still be uniform. Between a varying
 * branch and its reconvergence point another branch may still be uniform for the threads that come there; such a branch
 * is marked partial. In functions that only some threads of a block may call, no branch is proved. All of this holds
 * for mechanisms whose threads reconverge at post-dominators (or earlier, in the same iteration), not for mechanisms
 * that mix threads of different iterations.
 */
#include "base/vec.h"
#include "flow/analysis.h"

enum {
    WORK_PER_BLOCK = 128, /* steps that a proof may take; beyond these, nothing is proved */
    WORK_AT_LEAST = 1 << 23,
    JOINED = -1 /* as a side: threads of several sides come to the block */
};

struct uniform_prover {
    struct program *program;
    const struct program_function *function;
    const struct analysis *analysis;
    bool *varies;                   /* by register */
    bool *partial;                  /* by block: only some threads of the block may come there */
    bool *was_split;                /* by block: split() has handled the divergence behind it */
    struct vec_of(int32_t) pending; /* registers that vary, whose readers are still to be looked at */
    int32_t *first_reader;          /* by register, one more at the end: index into readers */
    int32_t *readers;               /* PCs of instructions that read the register */
    bool has_call_params;           /* the kernel has .param variables besides its parameters */
    int64_t work_left;              /* steps left; below 0, nothing is proved */
    /* Scratch of split(): */
    int32_t *side;   /* by block: 0: not seen; the side (from 1) by which threads come; or JOINED */
    int32_t *region; /* blocks between branch and reconvergence point */
    int32_t *stack;  /* blocks to go on from */
    int region_count, stack_depth;
    uint64_t *joined_live; /* names (liveness.h) that are live at the start of a block to which several sides come */
};

static void mark_register(struct uniform_prover *v, int32_t reg)
{
    if (reg < 0 || v->varies[reg])
        return;
    v->varies[reg] = true;
    vec_push(&v->pending, reg);
}

static bool ref_varies(const struct uniform_prover *v, const struct ref *r)
{
    switch (r->kind) {
    case REF_PLANE:
        return v->varies[r->plane];
    case REF_SREG:
        return sreg_table[r->sreg].scope == SCOPE_THREAD_FIXED || sreg_table[r->sreg].scope == SCOPE_EVERY_READ;
    case REF_LOCAL:
        return true;
    default:
        return false;
    }
}

static bool any_source_varies(const struct uniform_prover *v, const struct insn *insn)
{
    for (int i = 0; i < insn->source_count; i++)
        if (ref_varies(v, &insn->source[i]))
            return true;
    return false;
}

/* Whether the load reads memory that nothing writes while the kernel runs. */
static bool reads_constant_memory(const struct uniform_prover *v, const struct insn *insn)
{
    if (insn->op == OP_LDU || suffixes_has(&insn->suffixes, FLAG_NC) || insn->suffixes.mod[GROUP_SPACE] == SPACE_CONST)
        return true;
    const struct ref *address = &insn->source[insn->address];
    return insn->suffixes.mod[GROUP_SPACE] == SPACE_PARAM && v->function == &v->program->functions[0] &&
           (address->kind == REF_PARAM || !v->has_call_params);
}

static bool result_varies(const struct uniform_prover *v, const struct insn *insn)
{
    switch (insn->op) {
    case OP_LD:
    case OP_LDU:
        return !reads_constant_memory(v, insn) || any_source_varies(v, insn);
    case OP_BAR_RED:
    case OP_BAR_RED_POPC:
    case OP_BARRIER_RED:
    case OP_BARRIER_RED_POPC: /* all threads of the block get the same result */
        return ref_varies(v, &insn->source[0]) || insn->source[1].kind != REF_NONE;
    case OP_CALL:
    case OP_STACKSAVE: /* threads may have taken different amounts */
    case OP_ALLOCA:
        return true;
    default:
        return class_is_warp_level(insn->class) || insn->class == CLASS_ATOMIC || insn->class == CLASS_TEX ||
               any_source_varies(v, insn);
    }
}

static bool is_pointer_call(const struct uniform_prover *v, const struct insn *insn)
{
    return insn->call >= 0 && insn->target == PC_NONE && !v->program->calls[insn->call].builtin;
}

static bool direction_varies(const struct uniform_prover *v, const struct insn *insn)
{
    return (insn->guard >= 0 && v->varies[insn->guard]) || (insn->op == OP_BRX && any_source_varies(v, insn)) ||
           (is_pointer_call(v, insn) && ref_varies(v, &insn->source[0]));
}

/* Notes that threads of a side come to a block. If threads of another side came there before, the block and all blocks
 * behind it are JOINED. */
static void come_to(struct uniform_prover *v, int32_t block, int32_t side, int32_t reconvergence)
{
    int32_t old = v->side[block], now = old && old != side ? JOINED : side;
    if (block == reconvergence || old == now)
        return;
    if (!old)
        v->region[v->region_count++] = block;
    v->side[block] = now;
    v->stack[v->stack_depth++] = block;
}

/* Finds the blocks that each side of a branch can reach before the reconvergence point. */
static void walk_sides(struct uniform_prover *v, int32_t branch_block, int32_t reconvergence)
{
    const struct graph *g = &v->analysis->graph;
    v->region_count = v->stack_depth = 0;
    for (int32_t s = g->first_successor[branch_block]; s < g->first_successor[branch_block + 1]; s++) {
        come_to(v, g->successors[s], s - g->first_successor[branch_block] + 1, reconvergence);
        while (v->stack_depth) {
            int32_t block = v->stack[--v->stack_depth];
            v->work_left -= 1 + g->first_successor[block + 1] - g->first_successor[block];
            for (int32_t i = g->first_successor[block]; i < g->first_successor[block + 1]; i++)
                come_to(v, g->successors[i], v->side[block], reconvergence);
        }
    }
}

static void note_joined_live(struct uniform_prover *v, int32_t block)
{
    const struct liveness *l = &v->analysis->live;
    const uint64_t *in = liveness_in(l, block);
    for (int w = 0; w < l->words; w++)
        v->joined_live[w] |= in[w];
    v->work_left -= l->words;
}

static void mark_writes(struct uniform_prover *v, int32_t block)
{
    const struct liveness *l = &v->analysis->live;
    const struct flow_block *b = &v->program->blocks[v->function->first_block + block];
    for (int32_t pc = b->first; pc <= b->last; pc++) {
        const struct insn *insn = &v->program->insns[pc];
        for (int i = 0; i < insn->dest_count; i++) {
            int32_t reg = analysis_register(&insn->dest[i]), name = reg < 0 ? -1 : l->name[reg];
            if (name >= 0 && v->joined_live[name / 64] >> (name % 64) & 1)
                mark_register(v, reg);
        }
    }
    v->work_left -= b->last - b->first + 1;
}

/* Threads diverge behind this block: marks what varies where they reconverge. */
static void split(struct uniform_prover *v, int32_t block)
{
    const struct analysis *a = v->analysis;
    int32_t reconvergence = a->reconvergence[block];
    if (v->was_split[block] || v->work_left < 0)
        return;
    v->was_split[block] = true;
    if (a->graph.first_successor[block + 1] - a->graph.first_successor[block] < 2)
        return;
    walk_sides(v, block, reconvergence);
    memset(v->joined_live, 0, sizeof *v->joined_live * (size_t)a->live.words);
    if (reconvergence >= 0)
        note_joined_live(v, reconvergence);
    for (int i = 0; i < v->region_count; i++)
        if (v->side[v->region[i]] == JOINED)
            note_joined_live(v, v->region[i]);
    for (int i = 0; i < v->region_count; i++) {
        v->partial[v->region[i]] = true;
        v->side[v->region[i]] = 0;
        mark_writes(v, v->region[i]);
    }
}

/* Marks what varies because of the instruction at a PC. */
static void look_at(struct uniform_prover *v, int32_t pc)
{
    const struct insn *insn = &v->program->insns[pc];
    if (insn->dest_count && ((insn->guard >= 0 && v->varies[insn->guard]) || result_varies(v, insn)))
        for (int i = 0; i < insn->dest_count; i++)
            mark_register(v, analysis_register(&insn->dest[i]));
    if ((insn->op == OP_BRA || insn->op == OP_BRX) && direction_varies(v, insn))
        split(v, insn->block - v->function->first_block);
}

/* Lists the instructions that read each register. */
static void find_readers(struct uniform_prover *v, struct arena *scratch)
{
    const struct program_function *f = v->function;
    int32_t *first = arena_array(scratch, int32_t, (size_t)v->analysis->register_count + 2);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t pc = f->first; pc <= f->last; pc++) {
            const struct insn *insn = &v->program->insns[pc];
            for (int i = -1; i < insn->source_count; i++) {
                int32_t reg = i < 0 ? insn->guard : analysis_register(&insn->source[i]);
                if (reg >= 0 && pass == 0)
                    first[reg + 2]++;
                else if (reg >= 0)
                    v->readers[first[reg + 1]++] = pc;
            }
        }
        if (pass == 1)
            break;
        for (int i = 0; i < v->analysis->register_count; i++)
            first[i + 2] += first[i + 1];
        v->readers = arena_array(scratch, int32_t, (size_t)first[v->analysis->register_count + 1]);
    }
    v->first_reader = first;
}

static void find_varying(struct uniform_prover *v)
{
    const struct program_function *f = v->function;
    for (int32_t reg = 0; reg < v->analysis->register_count; reg++)
        if (liveness_is_in(&v->analysis->live, 0, reg)) /* read before it is written */
            mark_register(v, reg);
    for (int32_t pc = f->first; pc <= f->last; pc++)
        look_at(v, pc);
    while (v->pending.count) {
        int32_t reg = v->pending.data[--v->pending.count];
        for (int32_t i = v->first_reader[reg]; i < v->first_reader[reg + 1]; i++)
            look_at(v, v->readers[i]);
    }
}

static bool has_call_params(const struct ptx_function *f)
{
    for (int i = 0; i < f->variable_count; i++)
        if (f->variables[i]->space == SPACE_PARAM)
            return true;
    return false;
}

static void publish(struct uniform_prover *v, bool *called_by_some)
{
    struct program *p = v->program;
    bool proved = v->work_left >= 0;
    for (int32_t pc = v->function->first; pc <= v->function->last; pc++) {
        const struct insn *insn = &p->insns[pc];
        bool partial = !proved || v->partial[insn->block - v->function->first_block];
        bool varies = !proved || direction_varies(v, insn);
        if (insn->branch >= 0) {
            p->branches[insn->branch].uniform = !varies;
            p->branches[insn->branch].partial = partial;
        }
        const struct call *call = insn->call < 0 ? NULL : &p->calls[insn->call];
        for (int i = 0; call && i < call->candidate_count && (partial || varies); i++)
            called_by_some[call->candidates[i]] = true;
    }
}

static void prove_function(struct program *p, int function, const struct analysis *a, bool *called_by_some)
{
    struct arena scratch = {0};
    size_t blocks = (size_t)p->functions[function].block_count;
    struct uniform_prover v = {.program = p,
                               .function = &p->functions[function],
                               .analysis = a,
                               .varies = arena_array(&scratch, bool, (size_t)a->register_count),
                               .partial = arena_array(&scratch, bool, blocks),
                               .was_split = arena_array(&scratch, bool, blocks),
                               .side = arena_array(&scratch, int32_t, blocks),
                               .region = arena_array(&scratch, int32_t, blocks),
                               .stack = arena_array(&scratch, int32_t, 2 * blocks),
                               .joined_live = arena_array(&scratch, uint64_t, (size_t)a->live.words),
                               .has_call_params = has_call_params(p->functions[function].source),
                               .work_left = WORK_AT_LEAST + WORK_PER_BLOCK * (int64_t)blocks};
    find_readers(&v, &scratch);
    find_varying(&v);
    publish(&v, called_by_some);
    vec_free(&v.pending);
    arena_free(&scratch);
}

/* Marks all functions that a marked function calls, directly or through others. */
static void spread_to_callees(const struct program *p, bool *called_by_some, struct arena *scratch)
{
    int32_t *stack = arena_array(scratch, int32_t, (size_t)p->function_count);
    int32_t *first_call = arena_array(scratch, int32_t, (size_t)p->function_count + 1);
    int depth = 0;
    for (int i = 0; i < p->call_count; i++)
        first_call[p->insns[p->calls[i].pc].function + 1]++;
    for (int i = 0; i < p->function_count; i++) {
        first_call[i + 1] += first_call[i];
        if (called_by_some[i])
            stack[depth++] = i;
    }
    while (depth) {
        int32_t caller = stack[--depth];
        for (int32_t i = first_call[caller]; i < first_call[caller + 1]; i++)
            for (int k = 0; k < p->calls[i].candidate_count; k++) {
                int32_t callee = p->calls[i].candidates[k];
                if (called_by_some[callee])
                    continue;
                called_by_some[callee] = true;
                stack[depth++] = callee;
            }
    }
}

void uniform_prove(struct program *p, const struct analysis *functions, struct arena *scratch)
{
    bool *called_by_some = arena_array(scratch, bool, (size_t)p->function_count);
    for (int i = 0; i < p->function_count; i++)
        prove_function(p, i, &functions[i], called_by_some);
    spread_to_callees(p, called_by_some, scratch);
    for (int i = 0; i < p->branch_count; i++) {
        struct branch *b = &p->branches[i];
        if (!called_by_some[p->insns[b->pc].function])
            continue;
        b->uniform = false;
        b->partial = true;
    }
}
