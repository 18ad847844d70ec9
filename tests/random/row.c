/*
 * Row operations: see row.h.
 *
 * An operation names exactly the live threads of its row, and all of them come. Three ways lead to such a
 * mask: %mask as the kernel's top sets it, while no thread has ended; a ballot, before an end at a
 * block-uniform place, of those that will not take it; and, where threads end in divergent code, a word of
 * shared memory into which each live thread of the row puts its lane's bit, between barriers. The last one
 * holds for the next operation only.
 */
#include "row.h"
#include "barrier.h"

#include <stdio.h>

struct members {
    const char *mask;
    bool is_whole; /* all threads of the row that ever were */
};

/*
 * The clamp operand keeps the source lane among the threads that exist: in a partial row it is the last
 * one's lane, in a full row any segment width will do.
 */
static void row_shuffle_whole(struct gen *g)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const unsigned segments[] = {0x00, 0x00, 0x10, 0x18, 0x1c};
    unsigned mode = rng_below(&g->rng, 4);
    struct name lane = gen_temporary(g, KIND_R);
    struct name clamp = gen_temporary(g, KIND_R);
    struct name t = gen_temporary(g, KIND_R);
    if (mode == 3) {
        lane = gen_word(g);
    } else {
        gen_op(g, "mov.u32 %s, %u", lane.s, 1 + rng_below(&g->rng, 17));
    }
    if (mode == 0) {
        clamp = name_format("0");
    } else if (g->plan.threads_per_block % 32 == 0) {
        unsigned segment = segments[rng_below(&g->rng, 5)];
        clamp = name_format("%u", segment << 8 | 31);
    } else {
        gen_op(g, "sub.u32 %s, %%row, 1", clamp.s);
    }
    struct name v = gen_source(g, KIND_R);
    struct name p = gen_dest(g, KIND_P);
    struct name dest = gen_dest(g, KIND_R);
    if (rng_chance(&g->rng, 50))
        gen_op(g, "shfl.sync.%s.b32 %s, %s, %s, %s, %%mask", modes[mode], t.s, v.s, lane.s, clamp.s);
    else
        gen_op(g, "shfl.sync.%s.b32 %s|%s, %s, %s, %s, %%mask", modes[mode], t.s, p.s, v.s, lane.s, clamp.s);
    gen_op(g, "lop3.b32 %s, %s, %s, 0x%x, 0x96", dest.s, dest.s, t.s, rng_below(&g->rng, 1 << 30));
}

/* From the first or the last thread of the mask, which lives. */
static void row_shuffle_member(struct gen *g, const char *mask)
{
    struct name lane = gen_temporary(g, KIND_R);
    struct name t = gen_temporary(g, KIND_R);
    struct name v = gen_source(g, KIND_R);
    struct name dest = gen_dest(g, KIND_R);
    if (rng_chance(&g->rng, 50)) {
        struct name turned = gen_temporary(g, KIND_R);
        gen_op(g, "brev.b32 %s, %s", turned.s, mask);
        gen_op(g, "clz.b32 %s, %s", lane.s, turned.s);
    } else {
        gen_op(g, "bfind.u32 %s, %s", lane.s, mask);
    }
    gen_op(g, "shfl.sync.idx.b32 %s, %s, %s, 31, %s", t.s, v.s, lane.s, mask);
    gen_op(g, "mad.lo.u32 %s, %s, 3, %s", dest.s, dest.s, t.s);
}

static void row_shuffle(struct gen *g, struct members m)
{
    gen_count(g, RANDOM_row_shuffle);
    if (m.is_whole)
        row_shuffle_whole(g);
    else
        row_shuffle_member(g, m.mask);
}

static void row_vote(struct gen *g, struct members m)
{
    static const char *const modes[] = {"all", "any", "uni"};
    struct name p = expr_condition(g);
    const char *negate = rng_chance(&g->rng, 30) ? "!" : "";
    gen_count(g, RANDOM_row_vote);
    if (rng_chance(&g->rng, 60)) {
        struct name t = gen_temporary(g, KIND_R);
        struct name dest = gen_dest(g, KIND_R);
        gen_op(g, "vote.sync.ballot.b32 %s, %s%s, %s", t.s, negate, p.s, m.mask);
        gen_op(g, "xor.b32 %s, %s, %s", dest.s, dest.s, t.s);
    } else {
        struct name dest = gen_dest(g, KIND_P);
        gen_op(g, "vote.sync.%s.pred %s, %s%s, %s", modes[rng_below(&g->rng, 3)], dest.s, negate, p.s, m.mask);
    }
}

static void row_match(struct gen *g, struct members m)
{
    struct name few = gen_temporary(g, KIND_R);
    struct name t = gen_temporary(g, KIND_R);
    struct name v = gen_word(g);
    struct name dest = gen_dest(g, KIND_R);
    struct name p = gen_dest(g, KIND_P);
    gen_count(g, RANDOM_row_match);
    gen_op(g, "and.b32 %s, %s, %u", few.s, v.s, rng_below(&g->rng, 4));
    if (rng_chance(&g->rng, 60))
        gen_op(g, "match.any.sync.b32 %s, %s, %s", t.s, few.s, m.mask);
    else
        gen_op(g, "match.all.sync.b32 %s|%s, %s, %s", t.s, p.s, few.s, m.mask);
    gen_op(g, "add.u32 %s, %s, %s", dest.s, dest.s, t.s);
}

/* A list of registers in braces. */
static void row_list(char *text, size_t size, const struct name *names, int count)
{
    size_t length = (size_t)snprintf(text, size, "{%s", names[0].s);
    for (int i = 1; i < count; i++)
        length += (size_t)snprintf(text + length, size - length, ", %s", names[i].s);
    snprintf(text + length, size - length, "}");
}

/* All 32 threads of a full row take part. The barrier brings them together, as .aligned demands. */
static void row_matrix(struct gen *g)
{
    static const struct {
        const char *opcode;
        int a, b, c; /* registers */
    } products[] = {
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4},
        {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2},
        {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4},
        {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4},
        {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 2, 4},
        {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", 4, 2, 4},
        {"mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32", 1, 1, 2},
        {"mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", 4, 2, 4},
        {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, 4},
        {"movmatrix.sync.aligned.m8n8.trans.b16", 0, 0, 1},
    };
    unsigned which = rng_below(&g->rng, sizeof products / sizeof *products);
    int count[4] = {products[which].c, products[which].a, products[which].b, products[which].c};
    char list[4][256];
    struct name d[4];
    gen_count(g, RANDOM_row_matrix);
    for (int i = 0; i < count[0]; i++)
        d[i] = gen_temporary(g, KIND_R);
    row_list(list[0], sizeof list[0], d, count[0]);
    for (int k = 1; k < 4 && count[1]; k++) {
        struct name source[4];
        for (int i = 0; i < count[k]; i++)
            source[i] = rng_chance(&g->rng, 50) ? gen_word(g) : gen_source(g, KIND_R);
        row_list(list[k], sizeof list[k], source, count[k]);
    }
    gen_op(g, "bar.warp.sync %%mask");
    if (count[1])
        gen_op(g, "%s %s, %s, %s, %s", products[which].opcode, list[0], list[1], list[2], list[3]);
    else
        gen_op(g, "%s %s, %s", products[which].opcode, d[0].s, gen_word(g).s);
    struct name dest = gen_dest(g, KIND_R);
    for (int i = 0; i < count[0]; i++)
        gen_op(g, "mad.lo.u32 %s, %s, 5, %s", dest.s, dest.s, d[i].s);
}

static void row_operate(struct gen *g, struct members m)
{
    unsigned roll = rng_below(&g->rng, 100);
    if (m.is_whole && g->plan.threads_per_block % 32 == 0 && rng_chance(&g->rng, 60)) {
        row_matrix(g);
    } else if (roll < 45) {
        row_shuffle(g, m);
    } else if (roll < 75) {
        row_vote(g, m);
    } else if (roll < 92) {
        row_match(g, m);
    } else {
        gen_count(g, RANDOM_row_barrier);
        gen_op(g, "bar.warp.sync %s", m.mask);
    }
}

void row_statement(struct gen *g)
{
    row_operate(g, (struct members){.mask = "%mask", .is_whole = !g->plan.thins});
    if (g->plan.thins)
        gen_count(g, RANDOM_row_thinned);
}

void row_thin(struct gen *g)
{
    struct name left = gen_temporary(g, KIND_R);
    struct name p = gen_temporary(g, KIND_P);
    struct name ends = early_rare(g);
    if (g->plan.shared)
        barrier_any(g);
    early_spare_keeper(g, &ends);
    gen_count(g, RANDOM_row_thins);
    gen_op(g, "mov.pred %s, %s", p.s, ends.s);
    gen_op(g, "vote.sync.ballot.b32 %s, !%s, %%mask", left.s, p.s);
    gen_op(g, "mov.u32 %%mask, %s", left.s);
    early_end_exactly(g, p.s);
}

void row_count(struct gen *g)
{
    struct name row = gen_temporary(g, KIND_R);
    struct name base = gen_temporary(g, KIND_R);
    struct name address = gen_temporary(g, KIND_R);
    struct name bit = gen_temporary(g, KIND_R);
    struct name mask = gen_temporary(g, KIND_R);
    gen_count(g, RANDOM_row_counted);
    gen_op(g, "shr.u32 %s, %%lin, 5", row.s);
    gen_op(g, "mov.u32 %s, alive", base.s);
    gen_op(g, "mad.lo.u32 %s, %s, 4, %s", address.s, row.s, base.s);
    gen_op(g, "red.shared.and.b32 [%s], 0", address.s);
    barrier_any(g);
    gen_op(g, "mov.u32 %s, %%lanemask_eq", bit.s);
    gen_op(g, "red.shared.or.b32 [%s], %s", address.s, bit.s);
    barrier_any(g);
    gen_op(g, "ld.shared.u32 %s, [%s]", mask.s, address.s);
    row_operate(g, (struct members){.mask = mask.s});
    barrier_any(g);
}
