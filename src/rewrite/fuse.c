/*
 * Branch fusion, the pass (fuse.h): finds divergent branches whose sides are straight lines that meet, and fuses those
 * that get cheaper. A warp of which some threads take either side issues both sides before, and the fused code after.
 * Inner branches come first; when they are fused, the branch around them may have straight sides as well.
 *
 * Refused, with the reason: sides with block barriers or warp-level operations, or calls of functions that have some,
 * since other threads would take part; sides that end threads; branches for which the fused code would cost as much as
 * the two sides. Sides with branches or loops of their own are no candidates.
 */
#include "rewrite/fuse.h"

#include "rewrite/sides.h"
#include "rewrite/table.h"

#include <stdlib.h>

enum { MOST_CHANGES = 256 }; /* of one kernel */

/* Gathers one side: the blocks from `block` on that threads run one after the other, until one that has other
 * predecessors, too. Returns that block, or -1: the side does not end so. */
static int32_t gather_side(struct fuse_branch *b, int side, int32_t block)
{
    const struct program *p = b->program;
    while (p->blocks[block].predecessor_count == 1) {
        const struct flow_block *k = &p->blocks[block];
        for (int32_t pc = k->first; pc <= k->last; pc++) {
            const struct insn *in = &p->insns[pc];
            if (!in->origin || in->op == OP_RET || in->op == OP_EXIT || in->op == OP_TRAP || in->op == OP_BRX)
                return -1;
            int index = (int)(in->origin - b->function->instructions);
            if (in->op == OP_BRA && in->guard >= 0)
                return -1;
            if (in->op == OP_BRA)
                b->jumps[b->jump_count++] = index;
            else
                b->instruction[side][b->count[side]++] = index;
        }
        if (k->successor_count != 1)
            return -1;
        block = k->successors[0];
    }
    return block;
}

/* Whether the branch is a candidate; then the sides are in `b`. */
static bool gather_sides(struct fuse_branch *b, struct arena *arena)
{
    const struct program *p = b->program;
    const struct branch *branch = &p->branches[b->branch];
    const struct insn *in = &p->insns[branch->pc];
    if (in->op != OP_BRA || in->guard < 0 || branch->target_count != 2 || branch->uniform || branch->promised_uniform ||
        !p->blocks[in->block].reachable)
        return false;
    b->function = p->functions[in->function].source;
    b->index = (int)(in->origin - b->function->instructions);
    size_t most = (size_t)b->function->instruction_count;
    b->jumps = arena_array(arena, int, most);
    for (int side = 0; side < FUSE_SIDES; side++)
        b->instruction[side] = arena_array(arena, int, most);
    b->join = gather_side(b, FUSE_TAKEN, p->insns[branch->target[0]].block);
    int32_t other = gather_side(b, FUSE_NEXT, p->insns[branch->target[1]].block);
    return b->join >= 0 && other == b->join && b->count[FUSE_TAKEN] && b->count[FUSE_NEXT];
}

/* Why the instruction at the PC of a side forbids fusion, or NULL. */
static const char *hazard_of(const struct program *p, int32_t pc)
{
    const struct insn *in = &p->insns[pc];
    if (in->class == CLASS_BARRIER)
        return "a side holds a block barrier";
    if (class_is_warp_level(in->class))
        return "a side holds a warp-level operation";
    return in->call >= 0 && sides_call_collective(p, in->call)
               ? "a side calls a function with a barrier or a warp-level operation"
               : NULL;
}

static const char *find_hazard(const struct fuse_branch *b)
{
    const struct program *p = b->program;
    const struct program_function *f = &p->functions[p->insns[p->branches[b->branch].pc].function];
    const char *why = NULL;
    for (int side = 0; side < FUSE_SIDES; side++)
        for (int i = 0; i < b->count[side]; i++) {
            const struct ptx_instruction *insn = &b->function->instructions[b->instruction[side][i]];
            uint8_t class = op_table[insn->op].class;
            if (class != CLASS_BARRIER && !class_is_warp_level(class) && insn->op != OP_CALL)
                continue;
            for (int32_t pc = f->first; pc <= f->last && !why; pc++)
                if (p->insns[pc].origin == insn)
                    why = hazard_of(p, pc);
        }
    return why;
}

static int cost_of_sides(const struct fuse_branch *b)
{
    int cost = 1 + b->jump_count;
    for (int side = 0; side < FUSE_SIDES; side++)
        for (int i = 0; i < b->count[side]; i++)
            cost += fuse_weight(&b->function->instructions[b->instruction[side][i]]);
    return cost;
}

/* Fuses the branch. False, and why, if that is refused. */
static bool fuse(const struct fuse_branch *b, bool is_everywhere, struct ptx_module *module, struct arena *arena,
                 const char **what)
{
    *what = find_hazard(b);
    if (*what)
        return false;
    struct fuse_plan plan = fuse_align(b, true, arena);
    if (!fuse_params_fit(b, &plan))
        plan = fuse_align(b, false, arena);
    int before = cost_of_sides(b), after = plan.pairs ? fuse_cost(b, &plan) : 0;
    if (!plan.count) {
        *what = "a side is too long to be aligned with the other";
    } else if (!plan.pairs) {
        *what = "the sides have nothing in common that pays";
    } else if (after >= before && !is_everywhere) {
        *what = arena_printf(arena, "the fused code would take %d issue slots, the sides take %d", after, before);
    } else {
        *what = arena_printf(arena, "%d pairs of instructions are fused: %d issue slots instead of %d", plan.pairs,
                             after, before);
        fuse_emit(b, &plan, module->functions[b->function->index]);
        return true;
    }
    return false;
}

static void say(struct text *said, const struct program *p, int32_t branch, const char *what)
{
    char where[256];
    text_printf(said, "fuse: %s: branch at %s: %s\n", p->kernel->name,
                program_where(p, p->branches[branch].pc, where, sizeof where), what);
}

/* Fuses the first branch that can be fused. False: there is none; then what was refused is said. */
static bool change_one(struct ptx_module *module, const struct ptx_function *kernel, bool is_everywhere,
                       struct text *said)
{
    struct arena arena = {0};
    struct text refused = {0};
    char *error = NULL;
    bool is_changed = false;
    struct program *p = program_create(kernel, &error);
    if (!p) {
        text_printf(said, "fuse: %s: %s\n", kernel->name, error);
        free(error);
        return false;
    }
    for (int32_t i = 0; i < p->branch_count && !is_changed; i++) {
        struct fuse_branch b = {.program = p, .branch = i};
        const char *what = NULL;
        if (!gather_sides(&b, &arena))
            continue;
        is_changed = fuse(&b, is_everywhere, module, &arena, &what);
        say(is_changed ? said : &refused, p, i, is_changed ? what : arena_printf(&arena, "left alone: %s", what));
    }
    if (!is_changed && refused.length)
        text_printf(said, "%s", refused.data);
    program_destroy(p);
    text_free(&refused);
    arena_free(&arena);
    return is_changed;
}

bool rewrite_fuse(struct ptx_module *module, struct ptx_function *kernel, const struct rewrite_options *options,
                  struct text *said)
{
    bool is_everywhere = options->word && !strcmp(options->word, "all");
    int changes = 0;
    while (changes < MOST_CHANGES && change_one(module, kernel, is_everywhere, said))
        changes++;
    return changes > 0;
}
