/* The kernel around its random body: see kernel.h. */
#include "kernel.h"

#include <inttypes.h>

#include "atomics.h"
#include "barrier.h"
#include "texture.h"
#include "uniform.h"

static void kernel_tables(struct gen *g, const struct kernel_shape *shape, struct draft *to)
{
    for (int table = 0; table < 2; table++) {
        if (!(table ? g->plan.global : g->plan.constant))
            continue;
        draft_add(to, "%s .align 16 .b32 %s[%d] = {", table ? ".global" : ".const", table ? "gtab" : "ctab",
                  TABLE_BYTES / 4);
        for (int i = 0; i < TABLE_BYTES / 4; i++)
            draft_add(to, "%s0x%" PRIx32, i ? ", " : "", rng_word(&g->rng));
        draft_add(to, "};\n");
    }
    draft_add(to, ".visible .global .align 4 .b32 nil[%d];\n", NIL_WORDS);
    if (!g->plan.shared)
        return;
    if (g->plan.atomics)
        draft_add(to, ".shared .align 16 .b32 sacc[%d];\n", SHARED_ATOMICS);
    if (g->plan.row_ops)
        draft_add(to, ".shared .align 16 .b32 alive[%d];\n", MAX_ROWS);
    if (shape->dynamic_shared)
        draft_add(to, ".extern .shared .align 16 .b8 xch[];\n");
    else
        draft_add(to, ".shared .align 16 .b8 xch[%u];\n", g->plan.threads_per_block * SLOT_BYTES);
}

static void kernel_pointer(struct gen *g, const char *reg, const char *parameter)
{
    struct name flat = gen_temporary(g, KIND_D);
    gen_op(g, "ld.param.u64 %s, [k_%s]", flat.s, parameter);
    gen_op(g, "cvta.to.global.u64 %s, %s", reg, flat.s);
}

static void kernel_position(struct gen *g, const struct kernel_shape *shape)
{
    if (shape->block[1] == 1 && shape->block[2] == 1) {
        gen_op(g, "mov.u32 %%lin, %%tid.x");
    } else {
        struct name x = gen_temporary(g, KIND_R);
        struct name y = gen_temporary(g, KIND_R);
        struct name z = gen_temporary(g, KIND_R);
        struct name columns = gen_temporary(g, KIND_R);
        struct name rows = gen_temporary(g, KIND_R);
        gen_op(g, "mov.u32 %s, %%tid.x", x.s);
        gen_op(g, "mov.u32 %s, %%tid.y", y.s);
        gen_op(g, "mov.u32 %s, %%tid.z", z.s);
        gen_op(g, "mov.u32 %s, %%ntid.x", columns.s);
        gen_op(g, "mov.u32 %s, %%ntid.y", rows.s);
        gen_op(g, "mad.lo.u32 %s, %s, %s, %s", y.s, z.s, rows.s, y.s);
        gen_op(g, "mad.lo.u32 %%lin, %s, %s, %s", y.s, columns.s, x.s);
    }
    struct name block = gen_temporary(g, KIND_R);
    gen_op(g, "mov.u32 %s, %%ctaid.x", block.s);
    if (shape->grid[1] > 1) {
        struct name y = gen_temporary(g, KIND_R);
        gen_op(g, "mov.u32 %s, %%ctaid.y", y.s);
        gen_op(g, "mad.lo.u32 %s, %s, %u, %s", block.s, y.s, shape->grid[0], block.s);
    }
    gen_op(g, "mad.lo.u32 %%gid, %s, %u, %%lin", block.s, g->plan.threads_per_block);
    gen_op(g, "mad.wide.u32 %%pout, %%gid, %u, %%pout", g->plan.interleaved ? 4 : 4 * g->plan.slots);
    gen_op(g, "xor.b32 %%hash, %%gid, %u", rng_below(&g->rng, 1 << 20));
}

/* The first words come from the input, the others from those, so that threads differ from the start. */
static void kernel_words(struct gen *g)
{
    int words = g->scope->live[KIND_R];
    int loaded = words >= 4 && rng_chance(&g->rng, 50) ? 4 : 2;
    struct name offset = gen_temporary(g, KIND_R);
    struct name wide = gen_temporary(g, KIND_D);
    struct name address = gen_temporary(g, KIND_D);
    gen_op(g, "mul.lo.u32 %s, %%gid, %u", offset.s, 4 * (2 * rng_below(&g->rng, 20) + 1));
    gen_op(g, "and.b32 %s, %s, %u", offset.s, offset.s, g->plan.in_bytes - 4 * (unsigned)loaded);
    gen_op(g, "cvt.u64.u32 %s, %s", wide.s, offset.s);
    gen_op(g, "add.s64 %s, %%pin, %s", address.s, wide.s);
    if (loaded == 4)
        gen_op(g, "ld.global.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%s]", address.s);
    else
        gen_op(g, "ld.global.v2.u32 {%%r0, %%r1}, [%s]", address.s);
    for (int i = loaded; i < words; i++) {
        if (i == loaded && rng_chance(&g->rng, 50))
            gen_op(g, "ld.param.u32 %%r%d, [k_n]", i);
        else
            gen_op(g, "mad.lo.u32 %%r%d, %%r%d, %u, %%lin", i, i - 1, 2 * rng_below(&g->rng, 1 << 20) + 1);
    }
}

static void kernel_variables(struct gen *g)
{
    const struct scope *s = g->scope;
    int words = s->live[KIND_R];
    for (int i = 0; i < s->live[KIND_D]; i++) {
        if (i == 0)
            gen_op(g, "ld.param.u64 %%d0, [k_s]");
        else
            gen_op(g, "mad.wide.u32 %%d%d, %%r%d, %u, %%d%d", i, i % words, 1 + rng_below(&g->rng, 1 << 30), i - 1);
    }
    for (int i = 0; i < s->live[KIND_H]; i++)
        gen_op(g, "cvt.u16.u32 %%h%d, %%r%d", i, (i + 1) % words);
    for (int i = 0; i < s->live[KIND_F]; i++) {
        if (rng_chance(&g->rng, 30))
            gen_op(g, "mov.b32 %%f%d, %%r%d", i, i % words);
        else
            gen_op(g, "cvt.rn.f32.s32 %%f%d, %%r%d", i, i % words);
    }
    for (int i = 0; i < s->live[KIND_G]; i++)
        gen_op(g, "cvt.rn.f64.s32 %%g%d, %%r%d", i, (i + 1) % words);
    for (int i = 0; i < s->live[KIND_P]; i++) {
        struct name t = gen_temporary(g, KIND_R);
        gen_op(g, "and.b32 %s, %%r%d, %u", t.s, i % words, 1u << rng_below(&g->rng, 8));
        gen_op(g, "setp.ne.u32 %%p%d, %s, 0", i, t.s);
    }
}

static void kernel_shared(struct gen *g)
{
    struct name base = gen_temporary(g, KIND_R);
    gen_op(g, "mov.u32 %s, xch", base.s);
    gen_op(g, "mad.lo.u32 %%sown, %%lin, %d, %s", SLOT_BYTES, base.s);
    gen_op(g, "st.shared.v2.u32 [%%sown], {%%r0, %%r1}");
    if (g->plan.atomics) {
        atomic_shared_clear(g);
        gen_op(g, "bar.sync 0");
    }
}

/* The threads of this row that exist: their number and their mask. A shift by 32 gives 0, so 0 - 1 is all. */
static void kernel_row(struct gen *g)
{
    struct name first = gen_temporary(g, KIND_R);
    struct name left = gen_temporary(g, KIND_R);
    struct name bit = gen_temporary(g, KIND_R);
    gen_op(g, "and.b32 %s, %%lin, 0xffffffe0", first.s);
    gen_op(g, "sub.u32 %s, %u, %s", left.s, g->plan.threads_per_block, first.s);
    gen_op(g, "min.u32 %%row, %s, 32", left.s);
    gen_op(g, "shl.b32 %s, 1, %%row", bit.s);
    gen_op(g, "sub.u32 %%mask, %s, 1", bit.s);
}

static void kernel_prologue(struct gen *g, const struct kernel_shape *shape)
{
    kernel_pointer(g, "%pin", "in");
    kernel_pointer(g, "%pout", "out");
    if (g->plan.tab)
        kernel_pointer(g, "%ptab", "tab");
    if (g->plan.atomics)
        kernel_pointer(g, "%pacc", "acc");
    texture_load_handles(g);
    kernel_position(g, shape);
    kernel_words(g);
    kernel_variables(g);
    ldst_fill_local(g);
    if (g->plan.shared)
        kernel_shared(g);
    if (g->plan.row_ops)
        kernel_row(g);
}

static void kernel_epilogue(struct gen *g)
{
    unsigned stride = g->plan.interleaved ? 4 * g->plan.threads : 4;
    early_place_stores(g);
    struct name sum = expr_fold(g);
    gen_op(g, "st.global.u32 [%%pout], %s", sum.s);
    gen_op(g, "st.global.u32 [%%pout+%u], %%hash", stride);
    early_place_end(g);
}

static void kernel_header(struct gen *g, const struct kernel_shape *shape, struct draft *to)
{
    draft_add(to, ".visible .entry k(\n\t.param .u64 k_in,\n\t.param .u64 k_out,\n");
    if (g->plan.tab)
        draft_add(to, "\t.param .u64 k_tab,\n");
    if (g->plan.atomics)
        draft_add(to, "\t.param .u64 k_acc,\n");
    draft_add(to, "\t.param .u32 k_n,\n\t.param .u64 k_s");
    texture_parameters(g, to);
    draft_add(to, "\n)\n");
    if (rng_chance(&g->rng, 15))
        draft_add(to, ".reqntid %u, %u, %u\n", shape->block[0], shape->block[1], shape->block[2]);
    else if (rng_chance(&g->rng, 15))
        draft_add(to, ".maxntid 256, 1, 1\n");
}

static void kernel_functions(struct gen *g, struct draft *to)
{
    if (!g->plan.weight_call)
        return;
    int least = g->static_left / 2; /* for the kernel's own body */
    int functions = 1 + (int)rng_below(&g->rng, 4);
    do {
        function_write(g, to);
    } while (g->functions < functions && g->static_left > least + 40);
    if (g->static_left < least)
        g->static_left = least;
}

void kernel_write(struct gen *g, const struct kernel_shape *shape, struct draft *to)
{
    kernel_tables(g, shape, to);
    barrier_write_function(g, to);
    kernel_functions(g, to);
    kernel_header(g, shape, to);
    int body = g->static_left;
    kernel_prologue(g, shape);
    g->static_left = body;
    g->scope->limit += g->scope->spent;
    uniform_phases(g);
    kernel_epilogue(g);
    draft_add(to, "{\n");
    gen_declare(g->scope, to);
    draft_add(to, "\t.reg .b64 %%pin, %%pout, %%ptab, %%pacc;\n\t.reg .b32 %%sown, %%row, %%mask;\n");
    texture_declare(g, to);
    draft_move(to, &g->scope->body);
    draft_move(to, &g->scope->cold);
    draft_add(to, "}\n");
}
