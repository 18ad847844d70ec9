/* The shape of branches: see shape.h. */
#include "explain/shape.h"

#include "base/arena.h"
#include "exec/site.h"
#include "recon/repeating.h"
#include "rewrite/sides.h"

#include <stdlib.h>
#include <string.h>

/* Trips of a loop differ if its warps diverge at an exit this often, per execution of the branch ahead of it. */
#define LEAST_UNEVEN 0.1

enum {
    BARE = 2,           /* instructions of a block that holds nothing but a ret, and perhaps a move before it */
    LEAST_RUN = 6,      /* instructions in a row that both sides must have to count as alike: fewer occur by chance */
    MOST_COMPARED = 600 /* instructions of a side that are compared */
};

struct shapes {
    struct arena arena;
    const struct program *program;
    const struct site *sites;
    struct sides sides;
    bool *repeating;              /* by branch */
    bool *in_loop;                /* by function: called within a loop, perhaps through others */
    bool *reached[SHAPE_SIDES];   /* by block: scratch */
    int32_t *stack;               /* by block: scratch */
    int32_t *listed[SHAPE_SIDES]; /* PCs of a side's own code: scratch */
};

static bool is_within(const struct program *p, int32_t block, int loop)
{
    for (int l = p->blocks[block].loop; l >= 0; l = p->loops[l].parent)
        if (l == loop)
            return true;
    return false;
}

/* Finds functions that are called in loops. Each round carries the property one call further. */
static void find_looped_functions(struct shapes *s)
{
    const struct program *p = s->program;
    for (int round = 0; round < p->function_count; round++)
        for (int c = 0; c < p->call_count; c++) {
            const struct insn *in = &p->insns[p->calls[c].pc];
            bool is_looped = p->blocks[in->block].loop >= 0 || s->in_loop[in->function];
            for (int k = 0; k < p->calls[c].candidate_count; k++)
                s->in_loop[p->calls[c].candidates[k]] |= is_looped;
        }
}

struct shapes *shapes_create(const struct program *p, const struct site *sites)
{
    struct shapes *s = xcalloc(1, sizeof *s);
    s->program = p;
    s->sites = sites;
    s->sides = sides_create(p, &s->arena);
    s->repeating = repeating_branches(p, &s->arena);
    s->in_loop = arena_array(&s->arena, bool, (size_t)p->function_count + 1);
    s->stack = arena_array(&s->arena, int32_t, (size_t)p->block_count + 1);
    for (int k = 0; k < SHAPE_SIDES; k++) {
        s->reached[k] = arena_array(&s->arena, bool, (size_t)p->block_count + 1);
        s->listed[k] = arena_array(&s->arena, int32_t, MOST_COMPARED);
    }
    find_looped_functions(s);
    return s;
}

void shapes_destroy(struct shapes *s)
{
    arena_free(&s->arena);
    free(s);
}

/* ---- sides ---- */

static int instructions_of(const struct program *p, int32_t block)
{
    return p->blocks[block].last - p->blocks[block].first + 1;
}

/* Instructions of the own code of side `k` of the branch whose sides are marked. */
static int own_instructions(const struct shapes *s, int k)
{
    int count = 0;
    for (int b = 0; b < s->program->block_count; b++)
        count += sides_only(&s->sides, b) == k ? instructions_of(s->program, b) : 0;
    return count;
}

/* Chooses the two sides of a switch with most own code; a bra has only two. */
static void choose_sides(const struct shapes *s, const struct branch *b, int chosen[SHAPE_SIDES])
{
    int best[SHAPE_SIDES] = {-1, -1};
    chosen[0] = chosen[1] = -1;
    for (int k = 0; k < b->target_count && k < SIDES_MAX; k++) {
        int count = own_instructions(s, k);
        int at = count > best[0] ? 0 : count > best[1] ? 1 : -1;
        if (at == 0) {
            best[1] = best[0];
            chosen[1] = chosen[0];
        }
        if (at >= 0) {
            best[at] = count;
            chosen[at] = k;
        }
    }
}

static void reach(struct shapes *s, int k, int32_t from, int32_t stop)
{
    const struct program *p = s->program;
    int depth = 0;
    memset(s->reached[k], 0, (size_t)p->block_count);
    if (from < 0 || from == stop)
        return;
    s->reached[k][from] = true;
    s->stack[depth++] = from;
    while (depth) {
        const struct flow_block *at = &p->blocks[s->stack[--depth]];
        for (int i = 0; i < at->successor_count; i++) {
            int32_t next = at->successors[i];
            if (next == stop || s->reached[k][next])
                continue;
            s->reached[k][next] = true;
            s->stack[depth++] = next;
        }
    }
}

/* Whether the block holds nothing but the end of the thread. */
static bool is_bare_end(const struct program *p, int32_t block)
{
    return !p->blocks[block].successor_count && instructions_of(p, block) <= BARE;
}

/* Whether threads of side `k` come to nothing that those of the other side come to. */
static bool is_apart(const struct shapes *s, int k)
{
    for (int b = 0; b < s->program->block_count; b++)
        if (s->reached[k][b] && s->reached[1 - k][b] && !is_bare_end(s->program, b))
            return false;
    return true;
}

/* Whether threads of side `k` come to the branch again. */
static bool comes_back(const struct shapes *s, int k, int32_t branch_block)
{
    const struct program *p = s->program;
    bool is_empty = true;
    for (int b = 0; b < p->block_count; b++) {
        is_empty &= !s->reached[k][b];
        for (int i = 0; s->reached[k][b] && i < p->blocks[b].successor_count; i++)
            if (p->blocks[b].successors[i] == branch_block)
                return true;
    }
    return is_empty; /* the side leads to the branch's own block */
}

static bool is_same_line(const struct program *p, int32_t a, int32_t b)
{
    struct ptx_place x = program_place(p, a), y = program_place(p, b);
    return x.path && y.path && x.line == y.line && !strcmp(x.path, y.path);
}

/* Whether the block ends with a branch out of a loop deeper than `depth`, and either warps diverge there, or that
 * branch and the one at `pc` are one condition of the source. */
static bool leaves_unevenly(const struct shapes *s, int32_t block, int depth, int32_t pc)
{
    const struct program *p = s->program;
    const struct flow_block *b = &p->blocks[block];
    bool leaves = false;
    if (b->loop < 0 || p->loops[b->loop].depth <= depth || p->insns[b->last].branch < 0)
        return false;
    for (int i = 0; i < b->successor_count; i++)
        leaves |= !is_within(p, b->successors[i], b->loop);
    return leaves && (is_same_line(p, b->last, pc) ||
                      (double)s->sites[b->last].diverged >= LEAST_UNEVEN * (double)s->sites[pc].issues);
}

/* Instructions that a thread executes for one: of a call, those of the function. */
static int weight(const struct program *p, int32_t pc)
{
    int32_t callee = p->insns[pc].call >= 0 ? p->calls[p->insns[pc].call].callee : -1;
    return callee < 0 ? 1 : p->functions[callee].last - p->functions[callee].first + 1;
}

static void count_work(const struct shapes *s, int k, int depth, int32_t branch_pc, struct shape_side *side)
{
    const struct program *p = s->program;
    for (int b = 0; b < p->block_count; b++) {
        if (sides_only(&s->sides, b) != k)
            continue;
        side->instructions += instructions_of(p, b);
        uint64_t work = 0;
        for (int32_t pc = p->blocks[b].first; pc <= p->blocks[b].last; pc++) {
            work += s->sites[pc].threads;
            side->issues += s->sites[pc].issues * (uint64_t)weight(p, pc);
        }
        side->decides_trips |= leaves_unevenly(s, b, depth, branch_pc);
        side->work += work;
        if (p->blocks[b].loop >= 0 && p->loops[p->blocks[b].loop].depth > depth)
            side->work_in_loop += work;
    }
}

/* ---- code that both sides have ---- */

/* Lists the code of a side that has run: a slow path that nobody took is no work. */
static int list_code(const struct shapes *s, int k, int32_t *into)
{
    const struct program *p = s->program;
    int count = 0;
    for (int b = 0; b < p->block_count; b++)
        for (int32_t pc = p->blocks[b].first; sides_only(&s->sides, b) == k && pc <= p->blocks[b].last; pc++)
            if (count < MOST_COMPARED && s->sites[pc].threads && !(p->insns[pc].op == OP_BRA && p->insns[pc].guard < 0))
                into[count++] = pc;
    return count;
}

static bool is_alike(const struct program *p, int32_t a, int32_t b)
{
    const struct insn *x = &p->insns[a], *y = &p->insns[b];
    if (x->op != y->op || memcmp(&x->suffixes, &y->suffixes, sizeof x->suffixes) != 0)
        return false;
    return x->call < 0 || (p->calls[x->call].callee >= 0 && p->calls[x->call].callee == p->calls[y->call].callee);
}

/* Weight of the longest run that both lists have and in which nothing was used before; marks it as used, and adds what
 * doing it once would save. 0: no run is long enough. */
static int take_run(const struct shapes *s, const int count[SHAPE_SIDES], uint64_t *saved)
{
    const struct program *p = s->program;
    int32_t *const *list = s->listed;
    int best = 0, at[SHAPE_SIDES] = {0, 0}, length = 0;
    for (int i = 0; i < count[0]; i++)
        for (int j = 0; j < count[1]; j++) {
            int run = 0, heavy = 0;
            while (i + run < count[0] && j + run < count[1] && list[0][i + run] >= 0 && list[1][j + run] >= 0 &&
                   is_alike(p, list[0][i + run], list[1][j + run])) {
                heavy += weight(p, list[0][i + run]);
                run++;
            }
            if (heavy > best && heavy >= LEAST_RUN) {
                best = heavy;
                length = run;
                at[0] = i;
                at[1] = j;
            }
        }
    for (int i = 0; i < length; i++) {
        int32_t *one = &list[0][at[0] + i], *other = &list[1][at[1] + i];
        uint64_t x = s->sites[*one].issues, y = s->sites[*other].issues;
        *saved += (x < y ? x : y) * (uint64_t)weight(p, *one);
        *one = *other = PC_NONE;
    }
    return best;
}

static int count_alike(const struct shapes *s, const int chosen[SHAPE_SIDES], uint64_t *saved)
{
    int count[SHAPE_SIDES], sum = 0;
    for (int k = 0; k < SHAPE_SIDES; k++)
        count[k] = chosen[k] < 0 ? 0 : list_code(s, chosen[k], s->listed[k]);
    for (int run; (run = take_run(s, count, saved)) > 0;)
        sum += run;
    return sum;
}

/* ---- all of it ---- */

static void describe_loop(const struct shapes *s, const struct branch *b, struct shape *shape)
{
    const struct program *p = s->program;
    int32_t block = p->insns[b->pc].block;
    int loop = p->blocks[block].loop;
    if (loop < 0)
        return;
    bool stays = false;
    for (int k = 0; k < SHAPE_SIDES; k++) {
        struct shape_side *side = &shape->side[k];
        int32_t to = side->target == PC_NONE ? -1 : p->insns[side->target].block;
        side->leaves_loop = to < 0 || !is_within(p, to, loop);
        stays |= !side->leaves_loop;
        shape->leaves_loop |= side->leaves_loop;
        if (side->leaves_loop && to >= 0 && p->loops[loop].parent >= 0 && is_within(p, to, p->loops[loop].parent))
            shape->leaves_to_loop = true;
    }
    shape->leaves_loop &= stays;
    shape->leaves_to_loop &= shape->leaves_loop;
    for (int i = 0; i < p->loops[loop].block_count; i++) {
        int32_t at = p->loops[loop].blocks[i];
        const struct insn *last = &p->insns[p->blocks[at].last];
        bool is_exit = last->branch >= 0 && p->branches[last->branch].target_count == 1;
        for (int k = 0; k < p->blocks[at].successor_count; k++)
            is_exit |= !is_within(p, p->blocks[at].successors[k], loop);
        shape->has_other_exit |= is_exit && at != block;
    }
    int32_t header = p->blocks[p->loops[loop].header].first;
    shape->header_issues = s->sites[header].issues;
    shape->header_threads = s->sites[header].threads;
}

struct shape shape_of(struct shapes *s, int32_t index)
{
    const struct program *p = s->program;
    const struct branch *b = &p->branches[index];
    const struct insn *in = &p->insns[b->pc];
    int depth = p->blocks[in->block].loop >= 0 ? p->loops[p->blocks[in->block].loop].depth : 0, chosen[SHAPE_SIDES];
    struct shape shape = {.loop_depth = depth + s->in_loop[in->function],
                          .is_repeating = s->repeating[index],
                          .target_count = b->target_count};
    sides_mark(&s->sides, b);
    choose_sides(s, b, chosen);
    bool is_end = in->op != OP_BRA && in->op != OP_BRX && in->op != OP_CALL && b->target_count == 1;
    for (int k = 0; k < SHAPE_SIDES; k++) {
        shape.side[k].target = chosen[k] < 0 ? PC_NONE : b->target[chosen[k]];
        reach(s, k, shape.side[k].target == PC_NONE ? -1 : p->insns[shape.side[k].target].block, in->block);
        if (chosen[k] >= 0)
            count_work(s, chosen[k], depth, b->pc, &shape.side[k]);
    }
    for (int k = 0; k < SHAPE_SIDES && in->function == 0; k++)
        shape.side[k].ends = (chosen[k] < 0 && is_end) ||
                             (chosen[k] >= 0 && b->target_count == 2 && is_apart(s, k) && !comes_back(s, k, in->block));
    shape.alike = count_alike(s, chosen, &shape.alike_issues);
    describe_loop(s, b, &shape);
    return shape;
}
