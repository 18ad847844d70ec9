/*
 * Allocation of planes to registers, by linear scan.
 *
 * Each register that a function names has one interval of PCs, from the first PC where the register is written or live
 * to the last; holes in the interval are not used. Intervals are closed: a register that an instruction reads for the
 * last time and a register that the instruction writes first never share a plane, so a handler may write results while
 * it still reads operands. The values of a thread are safe however threads are grouped, for two reasons: an interval
 * covers every path that one thread can take; and a plane is reused only by registers of the same width, so lane i of
 * one register never touches lane j of another.
 */
#include "base/vec.h"
#include "flow/analysis.h"

struct live_interval {
    int32_t start, end; /* PCs, both included; end < start: the register is never named */
};

static void extend(struct live_interval *v, int32_t reg, int32_t pc)
{
    if (reg < 0)
        return;
    if (v[reg].end < v[reg].start) {
        v[reg] = (struct live_interval){pc, pc};
        return;
    }
    if (pc < v[reg].start)
        v[reg].start = pc;
    if (pc > v[reg].end)
        v[reg].end = pc;
}

/* Extends the intervals of the set's names to `pc`, except of names that are in `done`; adds the names to `done`. */
static void extend_new(struct live_interval *v, const struct liveness *l, const uint64_t *set, uint64_t *done,
                       int32_t pc)
{
    for (int w = 0; w < l->words; w++) {
        for (uint64_t bits = set[w] & ~done[w]; bits; bits &= bits - 1)
            extend(v, l->reg[w * 64 + __builtin_ctzll(bits)], pc);
        done[w] |= set[w];
    }
}

static void extend_operands(struct live_interval *v, const struct insn *insn, int32_t pc)
{
    extend(v, insn->guard, pc);
    for (int i = 0; i < insn->dest_count; i++)
        extend(v, analysis_register(&insn->dest[i]), pc);
    for (int i = 0; i < insn->source_count; i++)
        extend(v, analysis_register(&insn->source[i]), pc);
}

/* Going up through the PCs, the first PC where a name is live is its start; going down, its end. */
static struct live_interval *find_intervals(const struct program *p, const struct program_function *f,
                                            const struct analysis *a, struct arena *scratch)
{
    const struct liveness *l = &a->live;
    struct live_interval *v = arena_array(scratch, struct live_interval, (size_t)a->register_count);
    uint64_t *out = arena_array(scratch, uint64_t, (size_t)l->words);
    uint64_t *started = arena_array(scratch, uint64_t, (size_t)l->words);
    uint64_t *ended = arena_array(scratch, uint64_t, (size_t)l->words);
    for (int i = 0; i < a->register_count; i++)
        v[i] = (struct live_interval){0, -1};
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

/* sorted[] = registers in the order of their start or end, by counting sort over the function's PCs. Returns how
 * many registers are named at all. */
static int sort_registers(const struct program_function *f, const struct live_interval *v, int register_count,
                          bool by_end, int32_t *sorted, struct arena *scratch)
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

/* Places for registers of one width: place i is the i-th register-wide stretch of planes. */
struct plane_pool {
    uint64_t *free; /* bit by place below `used`: the place is free */
    int hint;       /* no word of `free` below this one has a bit */
    int used;       /* places at and above this number were never taken */
};

/* The lowest free place. */
static int take_place(struct plane_pool *pool)
{
    for (; pool->hint * 64 < pool->used; pool->hint++)
        if (pool->free[pool->hint]) {
            int bit = __builtin_ctzll(pool->free[pool->hint]);
            pool->free[pool->hint] &= pool->free[pool->hint] - 1;
            return pool->hint * 64 + bit;
        }
    return pool->used++;
}

static void give_place(struct plane_pool *pool, int place)
{
    pool->free[place / 64] |= 1ull << (place % 64);
    if (place / 64 < pool->hint)
        pool->hint = place / 64;
}

/* Goes through the registers by the start of their intervals. Places whose interval has ended before are free again. */
static void allocate_function(const struct program *p, struct program_function *f, struct analysis *a,
                              struct arena *result, struct arena *scratch)
{
    struct live_interval *v = find_intervals(p, f, a, scratch);
    int32_t *starting = arena_array(scratch, int32_t, (size_t)a->register_count);
    int32_t *ending = arena_array(scratch, int32_t, (size_t)a->register_count);
    int count = sort_registers(f, v, a->register_count, false, starting, scratch), ended = 0;
    sort_registers(f, v, a->register_count, true, ending, scratch);
    struct plane_pool pool[WIDTH_COUNT] = {{0}};
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
