/*
 * Planes for registers, by linear scan.
 *
 * Each register that a function names has one interval of PCs, from the first place where it is written or
 * alive to the last; holes are not used. Intervals are closed: a register read for the last time by an
 * instruction and one first written by it never share a plane, so a handler may write results while it still
 * reads operands of another width. Any thread's values are safe at any time, however threads are grouped,
 * because the intervals hold for every path that one thread can take; and because a place is only ever reused
 * by a register of the same width, lane i of one never touches lane j of the other.
 */
#include "base/vec.h"
#include "flow/analysis.h"

struct interval {
    int32_t start, end; /* PCs; end < start: the register is never named */
};

static void extend(struct interval *v, int32_t reg, int32_t pc)
{
    if (reg < 0)
        return;
    if (v[reg].end < v[reg].start) {
        v[reg] = (struct interval){pc, pc};
        return;
    }
    if (pc < v[reg].start)
        v[reg].start = pc;
    if (pc > v[reg].end)
        v[reg].end = pc;
}

/* Extends the intervals of a set's names to `pc`, unless it was done for them before. */
static void extend_new(struct interval *v, const struct liveness *l, const uint64_t *set, uint64_t *done, int32_t pc)
{
    for (int w = 0; w < l->words; w++) {
        for (uint64_t bits = set[w] & ~done[w]; bits; bits &= bits - 1)
            extend(v, l->reg[w * 64 + __builtin_ctzll(bits)], pc);
        done[w] |= set[w];
    }
}

static void extend_operands(struct interval *v, const struct insn *insn, int32_t pc)
{
    extend(v, insn->guard, pc);
    for (int i = 0; i < insn->dest_count; i++)
        extend(v, analysis_register(&insn->dest[i]), pc);
    for (int i = 0; i < insn->source_count; i++)
        extend(v, analysis_register(&insn->source[i]), pc);
}

/* Going up through the PCs, the first place where a name is alive is its start; going down, its end. */
static struct interval *find_intervals(const struct program *p, const struct program_function *f,
                                       const struct analysis *a, struct arena *scratch)
{
    const struct liveness *l = &a->live;
    struct interval *v = arena_array(scratch, struct interval, (size_t)a->register_count);
    uint64_t *out = arena_array(scratch, uint64_t, (size_t)l->words);
    uint64_t *started = arena_array(scratch, uint64_t, (size_t)l->words);
    uint64_t *ended = arena_array(scratch, uint64_t, (size_t)l->words);
    for (int i = 0; i < a->register_count; i++)
        v[i] = (struct interval){0, -1};
    for (int32_t pc = f->first; pc <= f->last; pc++)
        extend_operands(v, &p->insns[pc], pc);
    for (int b = 0; b < f->block_count; b++) {
        extend_new(v, l, liveness_in(l, b), started, p->blocks[f->first_block + b].first);
        liveness_out(l, a, b, out);
        extend_new(v, l, out, started, p->blocks[f->first_block + b].last);
    }
    for (int b = f->block_count - 1; b >= 0; b--) {
        liveness_out(l, a, b, out);
        extend_new(v, l, out, ended, p->blocks[f->first_block + b].last);
        extend_new(v, l, liveness_in(l, b), ended, p->blocks[f->first_block + b].first);
    }
    return v;
}

/* Registers in the order of their start or end, by counting sort over the function's PCs. */
static int sort_registers(const struct program_function *f, const struct interval *v, int register_count, bool by_end,
                          int32_t *sorted, struct arena *scratch)
{
    int length = f->last - f->first + 1, count = 0;
    int32_t *place = arena_array(scratch, int32_t, (size_t)length + 1);
    for (int i = 0; i < register_count; i++)
        if (v[i].end >= v[i].start)
            place[(by_end ? v[i].end : v[i].start) - f->first + 1]++;
    for (int i = 0; i < length; i++)
        place[i + 1] += place[i];
    for (int i = 0; i < register_count; i++)
        if (v[i].end >= v[i].start) {
            sorted[place[(by_end ? v[i].end : v[i].start) - f->first]++] = i;
            count++;
        }
    return count;
}

/* Free places for registers of one width, as a set of bits; those at and above `used` were never taken. */
struct pool {
    uint64_t *free;
    int hint; /* no word below it has a free place */
    int used;
};

static int take_place(struct pool *pool)
{
    for (; pool->hint * 64 < pool->used; pool->hint++)
        if (pool->free[pool->hint]) {
            int bit = __builtin_ctzll(pool->free[pool->hint]);
            pool->free[pool->hint] &= pool->free[pool->hint] - 1;
            return pool->hint * 64 + bit;
        }
    return pool->used++;
}

static void give_place(struct pool *pool, int place)
{
    pool->free[place / 64] |= 1ull << (place % 64);
    if (place / 64 < pool->hint)
        pool->hint = place / 64;
}

static void allocate_function(const struct program *p, struct program_function *f, struct analysis *a,
                              struct arena *result, struct arena *scratch)
{
    struct interval *v = find_intervals(p, f, a, scratch);
    int32_t *starting = arena_array(scratch, int32_t, (size_t)a->register_count);
    int32_t *ending = arena_array(scratch, int32_t, (size_t)a->register_count);
    int count = sort_registers(f, v, a->register_count, false, starting, scratch), ended = 0;
    sort_registers(f, v, a->register_count, true, ending, scratch);
    struct pool pool[WIDTH_COUNT] = {{0}};
    for (int w = 0; w < WIDTH_COUNT; w++)
        pool[w].free = arena_array(scratch, uint64_t, (size_t)count / 64 + 1);
    a->plane = arena_array(result, int32_t, (size_t)a->register_count);
    for (int i = 0; i < a->register_count; i++)
        a->plane[i] = -1;
    for (int i = 0; i < count; i++) {
        int32_t reg = starting[i];
        while (v[ending[ended]].end < v[reg].start) {
            int32_t old = ending[ended++];
            give_place(&pool[analysis_width(a, old)], a->plane[old] / analysis_planes(a, old));
        }
        a->plane[reg] = take_place(&pool[analysis_width(a, reg)]) * analysis_planes(a, reg);
    }
    static const int planes_of[WIDTH_COUNT] = {[WIDTH_16] = 1, [WIDTH_32] = 1, [WIDTH_64] = 2, [WIDTH_128] = 4};
    for (int w = 0; w < WIDTH_COUNT; w++)
        f->plane_count[w] = pool[w].used * planes_of[w];
}

void allocate_planes(struct program *p, struct analysis *functions, struct arena *scratch)
{
    for (int i = 0; i < p->function_count; i++) {
        struct arena own = {0};
        allocate_function(p, &p->functions[i], &functions[i], scratch, &own);
        arena_free(&own);
    }
}
