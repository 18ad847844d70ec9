/*
 * Cost: an estimate, in issue slots, of the time that code takes a warp, without running it.
 *
 * The iterations of loops are found first, since the probabilities of edges depend on them; then the cost of each
 * block, and of functions and calls. cost_from() follows one thread from a block on: by the probabilities of edges it
 * computes how often the thread executes each block. Where a profile knows a branch or loop, its numbers replace
 * guesses. cost.h says what is guessed otherwise. The program and the profile are only read.
 */
#include "recon/cost.h"

#include "recon/repeating.h"

#include <stdlib.h>
#include <string.h>

/* Cost of an instruction in issue slots; for loads, plus the part of their latency that other warps do not hide. */
static const double class_cost[] = {
    [CLASS_INT] = 1,    [CLASS_IMUL] = 1,    [CLASS_IDIV] = 16,  [CLASS_FP32] = 1,   [CLASS_HALF] = 1,
    [CLASS_FDIV] = 8,   [CLASS_FP64] = 2,    [CLASS_DDIV] = 24,  [CLASS_SFU] = 4,    [CLASS_CVT] = 1,
    [CLASS_LOAD] = 8,   [CLASS_STORE] = 2,   [CLASS_ATOMIC] = 8, [CLASS_FENCE] = 4,  [CLASS_TEX] = 8,
    [CLASS_BRANCH] = 1, [CLASS_BARRIER] = 4, [CLASS_WARP] = 4,   [CLASS_TENSOR] = 8, [CLASS_ASYNC] = 4,
};

enum {
    BUILTIN_COST = 50, /* cost of a call of a built-in function, in issue slots */
    SHARED_COST = 3    /* cost of an access to shared memory, in issue slots */
};

bool cost_is_in_loop(const struct program *p, int32_t block, int loop)
{
    int l = p->blocks[block].loop;
    while (l >= 0 && l != loop)
        l = p->loops[l].parent;
    return l == loop;
}

/* ---- iterations of loops ---- */

/* Whether the edge to the block's k-th successor leaves the loop. */
static bool leaves(const struct program *p, int32_t block, int k, int loop)
{
    return !cost_is_in_loop(p, p->blocks[block].successors[k], loop);
}

/* Whether threads can leave the loop at the block's end. */
static bool is_exit(const struct program *p, int32_t block, int loop)
{
    for (int k = 0; k < p->blocks[block].successor_count; k++)
        if (leaves(p, block, k, loop))
            return true;
    return false;
}

bool cost_is_uneven(const struct cost *c, int loop, int32_t *branch)
{
    const struct program *p = c->program;
    int best = 0;
    for (int i = 0; i < p->loops[loop].block_count; i++) {
        int32_t block = p->loops[loop].blocks[i], b = p->insns[p->blocks[block].last].branch;
        if (b < 0 || !is_exit(p, block, loop) || p->branches[b].uniform || p->branches[b].promised_uniform)
            continue;
        int rank = 1 + p->branches[b].backward + 2 * !c->repeating[b];
        *branch = rank >= best ? b : *branch;
        best = rank > best ? rank : best;
    }
    return best > 0;
}

static bool reads(const struct insn *in, int32_t plane)
{
    for (int i = 0; i < in->source_count; i++)
        if (in->source[i].kind == REF_PLANE && in->source[i].plane == plane)
            return true;
    return false;
}

static bool immediate_of(const struct insn *in, int64_t *value)
{
    for (int i = 0; i < in->source_count; i++)
        if (in->source[i].kind == REF_IMMEDIATE) {
            *value = (int32_t)in->source[i].immediate;
            return true;
        }
    return false;
}

/* The constant by which a plane grows in each iteration, or 0. */
static int64_t find_step(const struct program *p, int loop, int32_t plane)
{
    int64_t step = 0;
    for (int i = 0; i < p->loops[loop].block_count; i++) {
        const struct flow_block *b = &p->blocks[p->loops[loop].blocks[i]];
        for (int32_t pc = b->first; pc <= b->last; pc++) {
            const struct insn *in = &p->insns[pc];
            bool writes = in->dest_count && in->dest[0].kind == REF_PLANE && in->dest[0].plane == plane;
            if (writes && (in->op != OP_ADD || !reads(in, plane) || !immediate_of(in, &step)))
                return 0;
        }
    }
    return step;
}

/* The instruction of the block that computes the guard last, or NULL. */
static const struct insn *find_test(const struct program *p, const struct flow_block *b, int32_t guard)
{
    for (int32_t pc = b->last - 1; pc >= b->first; pc--) {
        const struct insn *in = &p->insns[pc];
        if (in->dest_count && in->dest[0].kind == REF_PLANE && in->dest[0].plane == guard)
            return in;
    }
    return NULL;
}

/* Iterations of a loop that counts from zero, or down to zero, in constant steps to a constant. A loop that counts to
 * something else in steps of more than one was probably unrolled, and gets fewer iterations than COST_ROUNDS. 0 for
 * every other loop. */
static double count_rounds(const struct program *p, int loop)
{
    for (int i = 0; i < p->loops[loop].block_count; i++) {
        int32_t block = p->loops[loop].blocks[i];
        const struct insn *last = &p->insns[p->blocks[block].last];
        if (last->branch < 0 || last->guard < 0 || !is_exit(p, block, loop))
            continue;
        const struct insn *test = find_test(p, &p->blocks[block], last->guard);
        int64_t step = test && test->source_count && test->source[0].kind == REF_PLANE
                           ? find_step(p, loop, test->source[0].plane)
                           : 0;
        int64_t bound, size = step < 0 ? -step : step;
        if (step && immediate_of(test, &bound) && bound / step > 0)
            return (double)(bound / step);
        if (size > 1 && size <= COST_ROUNDS)
            return size < COST_ROUNDS / 2 ? (double)COST_ROUNDS / (double)size : 2;
    }
    return 0;
}

/* Iterations by the profile: executions of the loop's exit branches over the times that the loop was left; 0 if the
 * profile does not know the loop. */
static double measured_rounds(const struct cost *c, int loop)
{
    const struct program *p = c->program;
    double most = 0, left = 0;
    for (int i = 0; c->profile && i < p->loops[loop].block_count; i++) {
        int32_t block = p->loops[loop].blocks[i], b = p->insns[p->blocks[block].last].branch;
        if (b < 0 || !is_exit(p, block, loop) || !c->profile[b].threads)
            continue;
        const struct branch_use *u = &c->profile[b];
        bool taken_leaves = !cost_is_in_loop(p, p->insns[p->branches[b].target[0]].block, loop);
        most = (double)u->threads > most ? (double)u->threads : most;
        left += (double)(taken_leaves ? u->taken : u->threads - u->taken);
    }
    return left > 0 ? most / left : 0;
}

static void find_rounds(struct cost *c)
{
    for (int l = 0; l < c->program->loop_count; l++) {
        double rounds = measured_rounds(c, l);
        rounds = rounds > 0 ? rounds : count_rounds(c->program, l);
        rounds = rounds > 0 ? rounds : COST_ROUNDS;
        c->rounds[l] = rounds > COST_MOST_ROUNDS ? COST_MOST_ROUNDS : rounds;
    }
}

/* ---- probabilities of edges ---- */

/* Close to the frequencies that Wu and Larus (MICRO 1994) measured. */
enum {
    EQUAL_PERCENT = 20, /* how often a test whether two numbers are equal holds */
    ENTER_PERCENT = 75  /* how often a test before a loop enters the loop */
};

/* Probability that a float is huge where code tests for that: libraries do so before a slow path. */
static const double HUGE_CHANCE = 0.005;

/* What a comparison asks: whether numbers are equal, whether they differ, whether a float is not huge, or is huge. */
enum cost_test { TEST_OTHER, TEST_EQUAL, TEST_UNEQUAL, TEST_SMALL, TEST_HUGE };

/* Whether the comparison is with a float constant above 50000. */
static bool compares_with_huge(const struct insn *test)
{
    const struct ref *bound = test->source_count > 1 ? &test->source[1] : NULL;
    uint32_t bits = bound ? (uint32_t)bound->immediate & 0x7fffffff : 0;
    float value;
    memcpy(&value, &bits, sizeof value);
    return bound && bound->kind == REF_IMMEDIATE && bound->type == TYPE_F32 && value > 50000;
}

static enum cost_test test_of(const struct insn *in)
{
    if (in->op != OP_SETP && in->op != OP_SETP_F)
        return TEST_OTHER;
    switch (in->suffixes.mod[GROUP_CMP]) {
    case CMP_EQ:
    case CMP_EQU:
        return TEST_EQUAL;
    case CMP_NE:
    case CMP_NEU:
        return TEST_UNEQUAL;
    case CMP_LT:
    case CMP_LE:
    case CMP_LTU:
    case CMP_LEU:
        return in->op == OP_SETP_F && compares_with_huge(in) ? TEST_SMALL : TEST_OTHER;
    case CMP_GT:
    case CMP_GE:
    case CMP_GTU:
    case CMP_GEU:
        return in->op == OP_SETP_F && compares_with_huge(in) ? TEST_HUGE : TEST_OTHER;
    default:
        return TEST_OTHER;
    }
}

/* Whether the edge from the block to `to` enters a loop, directly or through a block in between. */
static bool enters_loop(const struct program *p, int32_t block, int32_t to)
{
    if (p->blocks[to].successor_count == 1 && p->blocks[to].predecessor_count == 1)
        to = p->blocks[to].successors[0];
    int loop = p->blocks[to].loop;
    return loop >= 0 && p->loops[loop].header == to && !cost_is_in_loop(p, block, loop);
}

/* Probability that the branch at a block's end goes to its k-th successor of two, neither of which leaves a loop. */
static double guess(const struct program *p, int32_t block, int k)
{
    const struct flow_block *b = &p->blocks[block];
    const struct insn *last = &p->insns[b->last], *test = last->guard < 0 ? NULL : find_test(p, b, last->guard);
    bool is_taken = p->blocks[b->successors[k]].first == p->branches[last->branch].target[0];
    bool holds = is_taken != last->guard_negate;
    enum cost_test kind = test ? test_of(test) : TEST_OTHER;
    if (kind == TEST_EQUAL || kind == TEST_UNEQUAL)
        return ((kind == TEST_EQUAL) == holds ? EQUAL_PERCENT : 100 - EQUAL_PERCENT) / 100.0;
    if (kind == TEST_SMALL || kind == TEST_HUGE)
        return (kind == TEST_HUGE) == holds ? HUGE_CHANCE : 1 - HUGE_CHANCE;
    bool enters = enters_loop(p, block, b->successors[k]), other_does = enters_loop(p, block, b->successors[!k]);
    return enters == other_does ? 0.5 : (enters ? ENTER_PERCENT : 100 - ENTER_PERCENT) / 100.0;
}

double cost_probability(const struct cost *c, int32_t block, int k)
{
    const struct program *p = c->program;
    const struct flow_block *b = &p->blocks[block];
    int32_t branch = p->insns[b->last].branch;
    int n = b->successor_count;
    if (n < 2 || branch < 0)
        return n ? 1.0 / n : 0;
    if (n == 2 && p->branches[branch].target_count == 2 && c->profile && c->profile[branch].threads) {
        const struct branch_use *u = &c->profile[branch];
        double taken = (double)u->taken / (double)u->threads;
        return p->blocks[b->successors[k]].first == p->branches[branch].target[0] ? taken : 1 - taken;
    }
    int out = 0;
    for (int i = 0; i < n && b->loop >= 0; i++)
        out += leaves(p, block, i, b->loop);
    if (!out || out == n)
        return n == 2 && p->branches[branch].target_count == 2 ? guess(p, block, k) : 1.0 / n;
    double leaving = 1 / c->rounds[b->loop];
    return leaves(p, block, k, b->loop) ? leaving / out : (1 - leaving) / (n - out);
}

/* Whether the edge begins a new iteration of a loop. */
static bool is_back(const struct program *p, int32_t from, int32_t to)
{
    int loop = p->blocks[to].loop;
    return loop >= 0 && p->loops[loop].header == to && cost_is_in_loop(p, from, loop);
}

/* Executions of a block to which threads come `often` times from outside its innermost loop. The header of a loop other
 * than `loop` is executed once per iteration. */
static double with_rounds(const struct cost *c, int32_t block, int loop, double often)
{
    int own = c->program->blocks[block].loop;
    return own >= 0 && own != loop && c->program->loops[own].header == block ? often * c->rounds[own] : often;
}

/* Executions of a block, by the executions of its predecessors so far (c->often). Edges that leave `stop`, begin a new
 * iteration, or come from outside `loop` do not count. */
static double arriving(const struct cost *c, int32_t block, int32_t stop, int loop)
{
    const struct program *p = c->program;
    double sum = 0;
    for (int i = 0; i < p->blocks[block].predecessor_count; i++) {
        int32_t from = p->blocks[block].predecessors[i];
        const struct flow_block *f = &p->blocks[from];
        if (from == stop || is_back(p, from, block) || (loop >= 0 && !cost_is_in_loop(p, from, loop)))
            continue;
        for (int k = 0; k < f->successor_count; k++)
            if (f->successors[k] == block)
                sum += c->often[from] * cost_probability(c, from, k);
    }
    return with_rounds(c, block, loop, sum);
}

double cost_from(struct cost *c, int32_t block, int32_t stop, int loop, double *memory)
{
    const struct program *p = c->program;
    const struct program_function *f = &p->functions[p->blocks[block].function];
    enum { MOST_SWEEPS = 64 };
    double sum = 0;
    for (int32_t b = f->first_block; b < f->first_block + f->block_count; b++)
        c->often[b] = 0;
    if (block == stop)
        return 0;
    for (int sweep = 0, changed = 1; sweep < MOST_SWEEPS && changed; sweep++) {
        changed = 0;
        for (int32_t b = f->first_block; b < f->first_block + f->block_count; b++) {
            bool outside = b == stop || (loop >= 0 && !cost_is_in_loop(p, b, loop));
            double often = b == block ? with_rounds(c, b, loop, 1) : outside ? 0 : arriving(c, b, stop, loop);
            changed |= often != c->often[b];
            c->often[b] = often;
        }
    }
    if (memory)
        *memory = 0;
    for (int32_t b = f->first_block; b < f->first_block + f->block_count; b++) {
        sum += c->often[b] * c->block[b];
        if (memory)
            *memory += c->often[b] * c->memory[b];
    }
    return sum;
}

/* ---- blocks ---- */

/* Cost of one instruction. `is_memory` becomes true for an access to global, local or generic memory. */
static double cost_of(const struct insn *in, bool *is_memory)
{
    int space = in->suffixes.mod[GROUP_SPACE];
    bool accesses = in->class == CLASS_LOAD || in->class == CLASS_STORE || in->class == CLASS_ATOMIC;
    *is_memory = accesses && space != SPACE_SHARED && space != SPACE_PARAM && space != SPACE_CONST;
    if (accesses && (space == SPACE_PARAM || space == SPACE_CONST))
        return 1;
    if (accesses && space == SPACE_SHARED)
        return SHARED_COST;
    return class_cost[in->class];
}

double cost_of_instruction(const struct insn *in)
{
    bool is_memory;
    return cost_of(in, &is_memory);
}

/* Adds the cost of callees to the blocks of calls. Each sweep uses the costs of functions from the sweep before, so
 * DEPTH sweeps cover chains of DEPTH calls. */
static void add_calls(struct cost *c)
{
    const struct program *p = c->program;
    double *plain = xcalloc((size_t)p->block_count + 1, sizeof *plain);
    memcpy(plain, c->block, sizeof *plain * (size_t)p->block_count);
    enum { DEPTH = 6 };
    for (int sweep = 0; sweep < DEPTH && p->call_count; sweep++) {
        for (int32_t f = 0; f < p->function_count; f++)
            c->function[f] = cost_from(c, p->functions[f].first_block, -1, -1, NULL);
        memcpy(c->block, plain, sizeof *plain * (size_t)p->block_count);
        for (int i = 0; i < p->call_count; i++) {
            const struct call *call = &p->calls[i];
            double sum = call->candidate_count ? 0 : BUILTIN_COST;
            for (int k = 0; k < call->candidate_count; k++)
                sum += c->function[call->candidates[k]] / call->candidate_count;
            c->block[p->insns[call->pc].block] += call->recursive ? BUILTIN_COST : sum;
        }
    }
    free(plain);
}

struct cost cost_create(const struct program *program, const struct branch_use *profile, struct arena *arena)
{
    size_t blocks = (size_t)program->block_count;
    struct cost c = {.program = program,
                     .profile = profile,
                     .block = arena_array(arena, double, blocks),
                     .memory = arena_array(arena, double, blocks),
                     .function = arena_array(arena, double, (size_t)program->function_count),
                     .rounds = arena_array(arena, double, (size_t)program->loop_count),
                     .often = arena_array(arena, double, blocks),
                     .repeating = repeating_branches(program, arena)};
    for (int32_t pc = 0; pc < program->insn_count; pc++) {
        bool is_memory;
        double cost = cost_of(&program->insns[pc], &is_memory);
        c.block[program->insns[pc].block] += cost;
        c.memory[program->insns[pc].block] += is_memory ? cost : 0;
    }
    find_rounds(&c);
    add_calls(&c);
    return c;
}
