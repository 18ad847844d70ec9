/*
 * Finds scalar instructions: see scalar.h. Sets of planes are solved over the blocks of the kernel, as often as needed:
 *
 *   private  forward: planes whose value every thread has of its own
 *   live     backward: planes that may still be read
 *   met      backward: planes whose value meets a private value of the same plane where paths join, so that it must be
 *            private as well
 *
 * `private` and `met` depend on each other. Both start small and only grow, and the number of planes ends that.
 */
#include "flow/scalar.h"

#include "base/arena.h"
#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

enum { JOINED = -1 }; /* as a side: threads of several sides come to the block */

struct finder {
    const struct program *program;
    const struct program_function *kernel;
    int blocks, words;              /* blocks of the kernel; 64-bit words of a set of planes */
    bool *mixed;                    /* [block] in a loop around a mixing point */
    bool *apart;                    /* [block] several groups of a warp may be under way */
    bool *must_be_private;          /* [PC] what the instruction writes meets a private value */
    bool *is_scalar;                /* [PC] */
    uint64_t *written, *diverged;   /* [block] planes that it writes; planes that are private from its start on because
                                     sides of a branch meet there */
    uint64_t *private, *live, *met; /* [block] at its start */
    uint64_t *private_end;          /* [block] private planes at its end */
    uint64_t *predicates;           /* [block] live planes at its start that hold a predicate */
    uint8_t *width;                 /* [plane] 32-bit registers that it stands for; 0: a special register */
    /* Scratch of the walk over the sides of a branch. */
    int32_t *side, *region, *stack;
    int region_count, stack_depth;
};

static uint64_t *set_of(const struct finder *f, uint64_t *sets, int block)
{
    return sets + (size_t)block * (size_t)f->words;
}

static bool has(const uint64_t *set, int32_t plane)
{
    return set[plane / 64] >> plane % 64 & 1;
}

static void put(uint64_t *set, int32_t plane, bool is_in)
{
    uint64_t bit = UINT64_C(1) << plane % 64;
    set[plane / 64] = is_in ? set[plane / 64] | bit : set[plane / 64] & ~bit;
}

/* True if the set grew. */
static bool add_all(const struct finder *f, uint64_t *into, const uint64_t *from)
{
    uint64_t grown = 0;
    for (int w = 0; w < f->words; w++) {
        grown |= from[w] & ~into[w];
        into[w] |= from[w];
    }
    return grown;
}

static const struct flow_block *block_at(const struct finder *f, int block)
{
    return &f->program->blocks[f->kernel->first_block + block];
}

static int successor(const struct finder *f, int block, int i)
{
    return block_at(f, block)->successors[i] - f->kernel->first_block;
}

/* ---- where threads are apart ---- */

/* Marks the blocks from which, or to which (`is_backward`), control can come to or from the block. */
static void reach(struct finder *f, int from, bool is_backward, bool *reached)
{
    f->stack_depth = 0;
    f->stack[f->stack_depth++] = from;
    while (f->stack_depth) {
        const struct flow_block *b = block_at(f, f->stack[--f->stack_depth]);
        int count = is_backward ? b->predecessor_count : b->successor_count;
        for (int i = 0; i < count; i++) {
            int32_t next = (is_backward ? b->predecessors : b->successors)[i] - f->kernel->first_block;
            if (reached[next])
                continue;
            reached[next] = true;
            f->stack[f->stack_depth++] = next;
        }
    }
}

/* Marks the loops around a mixing point: the blocks from which control comes to the point again and again. */
static void mix(struct finder *f, int32_t pc)
{
    if (f->program->insns[pc].function != 0)
        return;
    int point = f->program->insns[pc].block - f->kernel->first_block;
    bool *after = calloc((size_t)f->blocks, sizeof *after), *before = calloc((size_t)f->blocks, sizeof *before);
    reach(f, point, false, after);
    reach(f, point, true, before);
    for (int b = 0; b < f->blocks; b++)
        f->mixed[b] |= after[b] && before[b];
    free(after);
    free(before);
}

static void come_to(struct finder *f, int32_t block, int32_t side, int32_t reconvergence)
{
    int32_t old = f->side[block], now = old && old != side ? JOINED : side;
    if (block == reconvergence || old == now)
        return;
    if (!old)
        f->region[f->region_count++] = block;
    f->side[block] = now;
    f->stack[f->stack_depth++] = block;
}

/* Finds the blocks that each side of the branch can come to before the reconvergence point. Gives the number of sides
 * with blocks. */
static int walk_sides(struct finder *f, int block, int32_t reconvergence)
{
    int sides = 0;
    f->region_count = 0;
    for (int i = 0; i < block_at(f, block)->successor_count; i++) {
        f->stack_depth = 0;
        sides += successor(f, block, i) != reconvergence;
        come_to(f, successor(f, block, i), i + 1, reconvergence);
        while (f->stack_depth) {
            int32_t b = f->stack[--f->stack_depth];
            for (int k = 0; k < block_at(f, b)->successor_count; k++)
                come_to(f, successor(f, b, k), f->side[b], reconvergence);
        }
    }
    return sides;
}

/* Threads may diverge at the branch. In a mixed loop they need not wait for each other at its reconvergence point. */
static void diverge(struct finder *f, const struct branch *b)
{
    int block = f->program->insns[b->pc].block - f->kernel->first_block;
    int32_t meet =
        b->ipdom == PC_NONE || f->mixed[block] ? -1 : f->program->insns[b->ipdom].block - f->kernel->first_block;
    if (block_at(f, block)->successor_count < 2)
        return;
    int sides = walk_sides(f, block, meet);
    uint64_t *written = xcalloc((size_t)f->words, sizeof *written);
    for (int i = 0; i < f->region_count; i++) {
        add_all(f, written, set_of(f, f->written, f->region[i]));
        f->apart[f->region[i]] |= sides > 1;
    }
    for (int i = 0; i < f->region_count; i++) {
        if (f->side[f->region[i]] == JOINED)
            add_all(f, set_of(f, f->diverged, f->region[i]), written);
        f->side[f->region[i]] = 0;
    }
    if (meet >= 0)
        add_all(f, set_of(f, f->diverged, meet), written);
    free(written);
}

static void find_written(struct finder *f)
{
    for (int b = 0; b < f->blocks; b++)
        for (int32_t pc = block_at(f, b)->first; pc <= block_at(f, b)->last; pc++) {
            const struct insn *in = &f->program->insns[pc];
            for (int i = 0; i < in->dest_count + in->source_count; i++) {
                const struct ref *r = i < in->dest_count ? &in->dest[i] : &in->source[i - in->dest_count];
                if (r->kind != REF_PLANE)
                    continue;
                if (i < in->dest_count)
                    put(set_of(f, f->written, b), r->plane, true);
                f->width[r->plane] = (uint8_t)((r->bits + 31) / 32);
            }
        }
}

static void find_apart(struct finder *f, const int32_t *mixing, int mixing_count)
{
    for (int i = 0; i < mixing_count; i++)
        mix(f, mixing[i]);
    memcpy(f->apart, f->mixed, sizeof *f->apart * (size_t)f->blocks);
    for (int i = 0; i < f->program->branch_count; i++) {
        const struct branch *b = &f->program->branches[i];
        const struct insn *in = &f->program->insns[b->pc];
        if (in->function == 0 && (!b->uniform || f->mixed[in->block - f->kernel->first_block]))
            diverge(f, b);
    }
}

/* ---- liveness ---- */

/* Turns what is live behind the instruction into what is live before it. A guarded write keeps the old value. */
static void step_live(const struct insn *in, uint64_t *live)
{
    for (int i = 0; i < in->dest_count; i++)
        if (in->dest[i].kind == REF_PLANE)
            put(live, in->dest[i].plane, in->guard >= 0 && has(live, in->dest[i].plane));
    for (int i = 0; i < in->source_count; i++)
        if (in->source[i].kind == REF_PLANE)
            put(live, in->source[i].plane, true);
    if (in->guard >= 0)
        put(live, in->guard, true);
}

/* As step_live(), for planes that hold a predicate: a plane holds what will be read from it, and a 32-bit register and
 * a predicate may take turns in one plane. */
static void step_predicates(const struct insn *in, uint64_t *predicates)
{
    for (int i = 0; i < in->dest_count; i++)
        if (in->dest[i].kind == REF_PLANE)
            put(predicates, in->dest[i].plane, in->guard >= 0 && has(predicates, in->dest[i].plane));
    for (int i = 0; i < in->source_count; i++)
        if (in->source[i].kind == REF_PLANE)
            put(predicates, in->source[i].plane, in->source[i].bits == 1);
    if (in->guard >= 0)
        put(predicates, in->guard, true);
}

/* What is in `sets` at the start of a successor of the block. */
static void gather_at_end(const struct finder *f, uint64_t *sets, int block, uint64_t *set)
{
    memset(set, 0, sizeof *set * (size_t)f->words);
    for (int i = 0; i < block_at(f, block)->successor_count; i++)
        add_all(f, set, set_of(f, sets, successor(f, block, i)));
}

static void find_live(struct finder *f, uint64_t *sets, void (*step)(const struct insn *in, uint64_t *set),
                      uint64_t *set)
{
    for (bool grown = true; grown;) {
        grown = false;
        for (int b = f->blocks - 1; b >= 0; b--) {
            gather_at_end(f, sets, b, set);
            for (int32_t pc = block_at(f, b)->last; pc >= block_at(f, b)->first; pc--)
                step(&f->program->insns[pc], set);
            grown |= add_all(f, set_of(f, sets, b), set);
        }
    }
}

/* ---- scalar instructions ---- */

/* Loads whose result is the same for equal addresses while the kernel runs. */
static bool is_constant_load(const struct insn *in)
{
    if (in->op != OP_LD && in->op != OP_LDU)
        return false;
    const int space = in->suffixes.mod[GROUP_SPACE];
    return space == SPACE_CONST || (space == SPACE_PARAM && in->source[in->address].kind == REF_PARAM);
}

static bool is_scalar_class(const struct insn *in)
{
    return (in->class == CLASS_INT || in->class == CLASS_IMUL || in->class == CLASS_ICVT) &&
           !(in->flags & (INSN_CONTROL | INSN_MEMORY)) && in->dest_count > 0;
}

static bool is_same_for_all(const struct ref *r, const uint64_t *private)
{
    switch ((enum ref_kind)r->kind) {
    case REF_PLANE:
        return !has(private, r->plane);
    case REF_SREG:
    case REF_LOCAL:
        return false;
    default:
        return true;
    }
}

/* Whether what the instruction writes is scalar, if these planes are private before it. */
static bool writes_scalar(const struct finder *f, int32_t pc, const uint64_t *private)
{
    const struct insn *in = &f->program->insns[pc];
    if (!(is_scalar_class(in) || is_constant_load(in)) || f->apart[in->block - f->kernel->first_block] ||
        f->must_be_private[pc] || (in->guard >= 0 && has(private, in->guard)))
        return false;
    for (int i = 0; i < in->source_count; i++)
        if (!is_same_for_all(&in->source[i], private))
            return false;
    for (int i = 0; i < in->dest_count && in->guard >= 0; i++) /* a guarded write may leave the old value */
        if (in->dest[i].kind == REF_PLANE && has(private, in->dest[i].plane))
            return false;
    return true;
}

static void step_private(struct finder *f, int32_t pc, uint64_t *private)
{
    const struct insn *in = &f->program->insns[pc];
    bool is_scalar = writes_scalar(f, pc, private);
    f->is_scalar[pc] = is_scalar && is_scalar_class(in);
    for (int i = 0; i < in->dest_count; i++)
        if (in->dest[i].kind == REF_PLANE)
            put(private, in->dest[i].plane, !is_scalar);
}

/* True if more planes are private than before. */
static bool find_private(struct finder *f, uint64_t *set)
{
    bool has_grown = false;
    for (bool grown = true; grown;) {
        grown = false;
        for (int b = 0; b < f->blocks; b++) {
            const struct flow_block *block = block_at(f, b);
            uint64_t *start = set_of(f, f->private, b);
            add_all(f, start, set_of(f, f->diverged, b));
            for (int i = 0; i < block->predecessor_count; i++)
                add_all(f, start, set_of(f, f->private_end, block->predecessors[i] - f->kernel->first_block));
            memcpy(set, start, sizeof *set * (size_t)f->words);
            for (int32_t pc = block->first; pc <= block->last; pc++)
                step_private(f, pc, set);
            grown |= add_all(f, set_of(f, f->private_end, b), set);
        }
        has_grown |= grown;
    }
    return has_grown;
}

/* Planes that are scalar at the block's end and private behind it must be private already in the block, if their values
 * are read behind it. */
static void met_at_end(const struct finder *f, int block, uint64_t *met)
{
    const uint64_t *end = set_of(f, f->private_end, block);
    memset(met, 0, sizeof *met * (size_t)f->words);
    for (int i = 0; i < block_at(f, block)->successor_count; i++) {
        int next = successor(f, block, i);
        const uint64_t *private = set_of(f, f->private, next), *live = set_of(f, f->live, next);
        add_all(f, met, set_of(f, f->met, next));
        for (int w = 0; w < f->words; w++)
            met[w] |= private[w] & ~end[w] & live[w];
    }
}

/* Turns the planes that must be private behind the instruction into those before it. True if the instruction's own
 * result must be private, which was not known. */
static bool step_met(struct finder *f, int32_t pc, uint64_t *met)
{
    const struct insn *in = &f->program->insns[pc];
    bool was = f->must_be_private[pc];
    for (int i = 0; i < in->dest_count; i++)
        if (in->dest[i].kind == REF_PLANE)
            f->must_be_private[pc] |= has(met, in->dest[i].plane);
    /* A write under a guard that is not scalar joins the old value. */
    bool joins = in->guard >= 0 && (f->must_be_private[pc] || !f->is_scalar[pc]);
    for (int i = 0; i < in->dest_count; i++)
        if (in->dest[i].kind == REF_PLANE)
            put(met, in->dest[i].plane, joins);
    return !was && f->must_be_private[pc];
}

static bool find_met(struct finder *f, uint64_t *set)
{
    bool has_changed = false;
    for (bool grown = true; grown;) {
        grown = false;
        for (int b = f->blocks - 1; b >= 0; b--) {
            met_at_end(f, b, set);
            for (int32_t pc = block_at(f, b)->last; pc >= block_at(f, b)->first; pc--)
                has_changed |= step_met(f, pc, set);
            grown |= add_all(f, set_of(f, f->met, b), set);
        }
    }
    return has_changed;
}

/* Special registers differ between threads, or are what all threads of a block share. A register that may be read
 * before it is written is private. */
static void begin_private(struct finder *f)
{
    uint64_t *private = set_of(f, f->private, 0);
    add_all(f, private, set_of(f, f->live, 0));
    for (int s = 0; s < SREG_COUNT; s++)
        if (f->program->sreg_plane[s] >= 0) {
            put(private, f->program->sreg_plane[s], sreg_table[s].scope == SCOPE_THREAD_FIXED);
            f->width[f->program->sreg_plane[s]] = 0;
        }
}

/* ---- registers ---- */

static int registers_in(const struct finder *f, const uint64_t *live, const uint64_t *predicates,
                        const uint64_t *private, bool wants_private)
{
    int registers = 0;
    for (int w = 0; w < f->words; w++) {
        uint64_t left = live[w] & ~predicates[w] & (wants_private ? private[w] : ~private[w]);
        for (; left; left &= left - 1)
            registers += f->width[64 * w + __builtin_ctzll(left)];
    }
    return registers;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void count_registers(struct finder *f, struct scalar_facts *facts, uint64_t *live, uint64_t *predicates)
{
    const size_t words = (size_t)f->words, bytes = sizeof *live * words;
    for (int b = 0; b < f->blocks; b++) {
        const struct flow_block *block = block_at(f, b);
        size_t count = (size_t)(block->last - block->first) + 2;
        uint64_t *private = xcalloc(count, bytes); /* before each instruction, and behind the last */
        memcpy(private, set_of(f, f->private, b), bytes);
        for (size_t i = 1; i < count; i++) {
            memcpy(private + i * words, private + (i - 1) * words, bytes);
            step_private(f, block->first + (int32_t)i - 1, private + i * words);
        }
        gather_at_end(f, f->live, b, live);
        gather_at_end(f, f->predicates, b, predicates);
        for (size_t i = count; i-- > 0;) {
            const uint64_t *own = private + i * words;
            facts->private_registers = larger(facts->private_registers, registers_in(f, live, predicates, own, true));
            facts->scalar_registers = larger(facts->scalar_registers, registers_in(f, live, predicates, own, false));
            if (i == 0)
                break;
            step_live(&f->program->insns[block->first + (int32_t)i - 1], live);
            step_predicates(&f->program->insns[block->first + (int32_t)i - 1], predicates);
        }
        free(private);
    }
}

struct scalar_facts scalar_find(const struct program *program, const int32_t *mixing, int mixing_count)
{
    struct scalar_facts facts = {.is_scalar = xcalloc((size_t)program->insn_count + 1, sizeof(bool))};
    struct arena scratch = {0};
    const struct program_function *kernel = &program->functions[0];
    const size_t blocks = (size_t)kernel->block_count, words = (size_t)(program->plane_count + 63) / 64;
    struct finder f = {.program = program,
                       .kernel = kernel,
                       .blocks = kernel->block_count,
                       .words = (int)words,
                       .mixed = arena_array(&scratch, bool, blocks),
                       .apart = arena_array(&scratch, bool, blocks),
                       .must_be_private = arena_array(&scratch, bool, (size_t)program->insn_count),
                       .is_scalar = facts.is_scalar,
                       .written = arena_array(&scratch, uint64_t, blocks * words),
                       .diverged = arena_array(&scratch, uint64_t, blocks * words),
                       .private = arena_array(&scratch, uint64_t, blocks * words),
                       .private_end = arena_array(&scratch, uint64_t, blocks * words),
                       .live = arena_array(&scratch, uint64_t, blocks * words),
                       .predicates = arena_array(&scratch, uint64_t, blocks * words),
                       .met = arena_array(&scratch, uint64_t, blocks * words),
                       .width = arena_array(&scratch, uint8_t, 64 * words),
                       .side = arena_array(&scratch, int32_t, blocks),
                       .region = arena_array(&scratch, int32_t, blocks),
                       .stack = arena_array(&scratch, int32_t, 2 * blocks + 1)};
    uint64_t *set = arena_array(&scratch, uint64_t, words);
    find_written(&f);
    find_live(&f, f.live, step_live, set);
    find_live(&f, f.predicates, step_predicates, set);
    find_apart(&f, mixing, mixing_count);
    begin_private(&f);
    do
        find_private(&f, set);
    while (find_met(&f, set));
    count_registers(&f, &facts, set, arena_array(&scratch, uint64_t, words));
    arena_free(&scratch);
    return facts;
}

void scalar_facts_free(struct scalar_facts *facts)
{
    free(facts->is_scalar);
    facts->is_scalar = NULL;
}
