/*
 * Which kernels may be coarsened.
 *
 * A thread of a coarsened kernel does the work of several threads one after the other, and a block that of several
 * blocks. Three things can go wrong.
 *
 * - A thread of the original that has returned is gone: barriers and warp-level operations do not wait for it. Its
 *   place is now taken by a thread that goes on. So each of these operations must be one that all threads of the block
 *   come to equally often: no branch may decide about it that is not proved uniform for the block, and no guard.
 * - Threads that wait for what another block writes may wait for work that now comes later in the same thread. Loops
 *   that end depending on an atomic's result or on a strong load, here or in a function that they call, are refused.
 * - The block's number is a register of the kernel now. A called function that reads %ctaid.x or %nctaid.x would still
 *   see the launch's. Numbers of clusters cannot be kept either, since a cluster's blocks would have to stay together.
 *
 * Shared memory needs no more than a block barrier between two items.
 */
#include "rewrite/coarsen.h"

#include "base/text.h"
#include "base/vec.h"
#include "flow/program.h"
#include "rewrite/edit.h"
#include "rewrite/rounds.h"
#include "rewrite/sides.h"

#include <stdlib.h>

struct checker {
    const struct program *program;
    struct arena *arena;
    bool *seen;     /* by block: scratch */
    int32_t *stack; /* blocks: scratch */
};

static const char *at(const struct checker *c, int32_t pc, const char *what)
{
    char where[256];
    return arena_printf(c->arena, "%s (%s)", what, program_where(c->program, pc, where, sizeof where));
}

/* ---- special registers and instructions ---- */

static const char *refuse_sreg(enum sreg sreg, bool in_kernel)
{
    if (sreg >= SREG_IS_EXPLICIT_CLUSTER && sreg <= SREG_CLUSTER_NCTARANK)
        return "it reads a special register of clusters, whose blocks cannot be kept together";
    if (!in_kernel && (sreg == SREG_CTAID_X || sreg == SREG_NCTAID_X))
        return "a function that it calls reads %ctaid.x or %nctaid.x";
    return NULL;
}

static const char *refuse_operand(const struct ptx_operand *o, bool in_kernel)
{
    const char *why = o->kind == OPERAND_SREG ? refuse_sreg((enum sreg)o->sreg, in_kernel) : NULL;
    for (int i = 0; !why && i < o->element_count; i++)
        why = refuse_operand(&o->element[i], in_kernel);
    return why;
}

static const char *refuse_instruction(const struct checker *c, int32_t pc)
{
    const struct insn *in = &c->program->insns[pc];
    bool in_kernel = in->function == 0, is_collective = in->class == CLASS_BARRIER || class_is_warp_level(in->class);
    const char *why = NULL;
    for (int i = 0; !why && in->origin && i < in->origin->operand_count; i++)
        why = refuse_operand(&in->origin->operand[i], in_kernel);
    if (in->op == OP_EXIT && !in_kernel)
        why = "a function that it calls ends the thread by exit";
    else if (is_collective && !in_kernel)
        why = "a function that it calls has a barrier or a warp-level operation";
    else if (in->op == OP_ALLOCA && in_kernel)
        why = "it takes memory on the stack, which is free again only when the thread ends";
    else if (is_collective && in->guard >= 0)
        why = "it has a barrier or warp-level operation with a guard";
    else if (in->op >= OP_CP_ASYNC && in->op <= OP_CTARANK)
        why = "it copies asynchronously, or uses mbarriers or clusters";
    else if (in->op == OP_BAR_ARRIVE || in->op == OP_BARRIER_ARRIVE)
        why = "threads arrive at a barrier without waiting";
    else if (in->class == CLASS_BARRIER && in->source_count > 1 && in->source[1].kind != REF_NONE)
        why = "a barrier waits for some threads of the block only";
    return why ? at(c, pc, why) : NULL;
}

/* ---- operations that all threads of a block must come to ---- */

/* Whether threads can come from behind `from` to `to` before they come to the post-dominator of `from`. */
static bool decides_about(struct checker *c, int32_t from, int32_t to)
{
    const struct program *p = c->program;
    int depth = 0;
    memset(c->seen, 0, sizeof *c->seen * (size_t)p->block_count);
    if (p->blocks[from].post_dominator >= 0)
        c->seen[p->blocks[from].post_dominator] = true;
    c->stack[depth++] = from;
    while (depth) {
        const struct flow_block *b = &p->blocks[c->stack[--depth]];
        for (int i = 0; i < b->successor_count; i++) {
            int32_t next = b->successors[i];
            if (c->seen[next])
                continue;
            if (next == to)
                return true;
            c->seen[next] = true;
            c->stack[depth++] = next;
        }
    }
    return false;
}

static const char *refuse_collective(struct checker *c, int32_t pc)
{
    const struct program *p = c->program;
    for (int i = 0; i < p->branch_count; i++) {
        const struct branch *b = &p->branches[i];
        const struct insn *in = &p->insns[b->pc];
        if (b->uniform || in->function != 0 || !p->blocks[in->block].reachable ||
            !decides_about(c, in->block, p->insns[pc].block))
            continue;
        return at(c, pc,
                  "threads of a block may come to a barrier or warp-level operation unequally often, and those that "
                  "returned would be missing");
    }
    return NULL;
}

/* ---- loops that wait ---- */

/*
 * A loop waits if the branch by which it ends depends on what other threads write meanwhile: on an atomic's result or a
 * strong load, in the loop or in a function that it calls. Followed are registers, what is written on one side of a
 * branch that depends, and the thread's own memory (.local, and .param variables of calls) as a whole. Memory that
 * other threads can see is not followed.
 */

/* Whether the instruction reads what other threads may write meanwhile. */
static bool polls(const struct insn *in)
{
    int order = in->suffixes.mod[GROUP_SEM];
    return (in->class == CLASS_ATOMIC && in->dest_count) ||
           (in->class == CLASS_LOAD && (order == SEM_VOLATILE || order == SEM_RELAXED || order == SEM_ACQUIRE));
}

/* What depends on such a read; and what one instruction does to that. */
struct dependence {
    const struct ptx_function *function;
    bool *depends;  /* by register of the function */
    bool in_memory; /* the thread's own memory */
    bool is_read;   /* the instruction reads a register that depends */
    bool is_new;    /* something was marked that was not marked before */
};

static void look_at(void *context, int32_t *reg, bool is_written)
{
    struct dependence *d = context;
    d->is_read |= !is_written && d->depends[*reg];
}

static void mark(void *context, int32_t *reg, bool is_written)
{
    struct dependence *d = context;
    if (!is_written || d->depends[*reg])
        return;
    d->depends[*reg] = d->is_new = true;
}

static bool reads_dependent(const struct insn *in, struct dependence *d)
{
    struct ptx_instruction copy = *in->origin;
    d->is_read = false;
    edit_visit_registers(&copy, look_at, d);
    return d->is_read;
}

/* Whether the load or store may be one of the thread's own memory that the function can write. A generic address may
 * be one of a local variable if the function has such. */
static bool is_own_memory(const struct insn *in, const struct ptx_function *f)
{
    uint8_t space = in->suffixes.mod[GROUP_SPACE];
    if (space == SPACE_LOCAL)
        return true;
    for (int i = 0; space == SPACE_PARAM && i < f->parameter_count; i++)
        for (int o = 0; o < in->origin->operand_count; o++)
            if (in->origin->operand[o].variable == f->parameters[i])
                return false;
    for (int i = 0; space == MOD_NONE && i < f->variable_count; i++)
        if (f->variables[i]->space == SPACE_LOCAL)
            return true;
    return space == SPACE_PARAM;
}

static void mark_memory(struct dependence *d)
{
    d->is_new |= !d->in_memory;
    d->in_memory = true;
}

/* Marks what the instruction writes if that depends on what others write. */
static void spread(const struct checker *c, const struct insn *in, struct dependence *d)
{
    if (!in->origin)
        return;
    bool is_load = in->class == CLASS_LOAD && is_own_memory(in, d->function);
    bool is_store = in->class == CLASS_STORE && is_own_memory(in, d->function);
    bool is_call = in->call >= 0 && (d->in_memory || sides_find_in_call(c->program, in->call, polls) != PC_NONE);
    if (!polls(in) && !is_call && !(is_load && d->in_memory) && !reads_dependent(in, d))
        return;
    struct ptx_instruction copy = *in->origin;
    edit_visit_registers(&copy, mark, d);
    if (is_store || in->call >= 0)
        mark_memory(d);
}

/* Marks what is written on the sides of a branch that depends: a register that one side alone writes tells which side
 * the thread took. */
static void spread_by_branch(struct checker *c, int loop, int32_t from, struct dependence *d)
{
    const struct program *p = c->program;
    const struct flow_loop *l = &p->loops[loop];
    for (int i = 0; i < l->block_count; i++) {
        if (!decides_about(c, from, l->blocks[i]))
            continue;
        for (int32_t pc = p->blocks[l->blocks[i]].first; pc <= p->blocks[l->blocks[i]].last; pc++) {
            const struct insn *in = &p->insns[pc];
            if (!in->origin)
                continue;
            struct ptx_instruction copy = *in->origin;
            edit_visit_registers(&copy, mark, d);
            if ((in->class == CLASS_STORE && is_own_memory(in, d->function)) || in->call >= 0)
                mark_memory(d);
        }
    }
}

static bool leaves(const struct program *p, int loop, const struct flow_block *b)
{
    for (int i = 0; i < b->successor_count; i++)
        if (!rounds_holds(p, loop, b->successors[i]))
            return true;
    return b->successor_count < 2;
}

/* Marks all that depends in the loop. */
static void find_dependence(struct checker *c, int loop, struct dependence *d)
{
    const struct program *p = c->program;
    const struct flow_loop *l = &p->loops[loop];
    bool *is_done = arena_array(c->arena, bool, (size_t)l->block_count + 1);
    do {
        d->is_new = false;
        for (int i = 0; i < l->block_count; i++) {
            const struct flow_block *b = &p->blocks[l->blocks[i]];
            const struct insn *last = &p->insns[b->last];
            for (int32_t pc = b->first; pc <= b->last; pc++)
                spread(c, &p->insns[pc], d);
            if (is_done[i] || last->branch < 0 || !last->origin || !reads_dependent(last, d))
                continue;
            is_done[i] = true;
            spread_by_branch(c, loop, l->blocks[i], d);
        }
    } while (d->is_new);
}

/* The PC at which a loop ends depending on what other threads write, or PC_NONE. */
static int32_t find_wait(struct checker *c, int loop)
{
    const struct program *p = c->program;
    const struct flow_loop *l = &p->loops[loop];
    const struct ptx_function *f = p->functions[p->blocks[l->header].function].source;
    struct dependence d = {.function = f, .depends = arena_array(c->arena, bool, (size_t)f->register_count + 1)};
    find_dependence(c, loop, &d);
    for (int i = 0; i < l->block_count; i++) {
        const struct flow_block *b = &p->blocks[l->blocks[i]];
        const struct insn *in = &p->insns[b->last];
        if (in->branch >= 0 && in->origin && reads_dependent(in, &d) && leaves(p, loop, b))
            return b->last;
    }
    return PC_NONE;
}

/* ---- the kernel ---- */

static bool uses_shared(const struct ptx_instruction *insn)
{
    if (insn->suffixes.mod[GROUP_SPACE] == SPACE_SHARED)
        return true;
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operand[i].variable && insn->operand[i].variable->space == SPACE_SHARED)
            return true;
    return false;
}

static void check_program(struct checker *c, struct coarsen_facts *facts)
{
    const struct program *p = c->program;
    for (int32_t pc = 0; pc < p->insn_count && !facts->refusal; pc++) {
        const struct insn *in = &p->insns[pc];
        bool is_collective = in->class == CLASS_BARRIER || class_is_warp_level(in->class);
        facts->refusal = refuse_instruction(c, pc);
        if (is_collective && !facts->refusal && p->blocks[in->block].reachable)
            facts->refusal = refuse_collective(c, pc);
        facts->needs_barrier |= is_collective || (in->origin && uses_shared(in->origin));
    }
    for (int i = 0; i < p->loop_count && !facts->refusal; i++) {
        int32_t pc = find_wait(c, i);
        if (pc != PC_NONE)
            facts->refusal = at(c, pc, "a loop may wait for what another block writes");
    }
}

struct coarsen_facts coarsen_check(const struct ptx_function *kernel, struct arena *arena)
{
    struct coarsen_facts facts = {0};
    const struct ptx_limits *l = &kernel->limits;
    char *error = NULL;
    if (kernel->coarsened)
        facts.refusal = "it is coarsened already";
    else if (l->required_cluster[0] || l->explicit_cluster || l->blocks_are_clusters)
        facts.refusal = "its blocks form clusters, which cannot be kept together";
    if (facts.refusal)
        return facts;
    struct program *program = program_create(kernel, &error);
    if (!program) {
        facts.refusal = arena_printf(arena, "%s", error);
        free(error);
        return facts;
    }
    struct checker c = {.program = program,
                        .arena = arena,
                        .seen = arena_array(arena, bool, (size_t)program->block_count + 1),
                        .stack = arena_array(arena, int32_t, (size_t)program->block_count + 1)};
    check_program(&c, &facts);
    program_destroy(program);
    return facts;
}
