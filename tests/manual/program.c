/* A whole program: the kernel from its guard to its last store, and the case around it. */
#include "base/arena.h"
#include "manual.h"
#include "sheet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_THREADS = 256,
    SUM_WORDS = 16,
    MOST_INSTRUCTIONS = 12000,
    LEAST_INSTRUCTIONS = 700,
    ALL_INSTRUCTIONS = 300000
};

static int roll(struct manual_sheet *s, int limit)
{
    return manual_dice_below(&s->dice, limit);
}

static void draw_shape(struct manual_sheet *s)
{
    static const int usual[] = {32, 64, 64, 96, 128};
    int threads = roll(s, 3) ? usual[roll(s, 5)] : 1 + roll(s, roll(s, 3) ? 100 : MAX_THREADS);
    s->block[0] = (unsigned)threads;
    s->block[1] = s->block[2] = 1;
    if (roll(s, 4) == 0) {
        s->block[1] = 1 + (unsigned)roll(s, 5);
        s->block[2] = 1 + (unsigned)roll(s, 3);
        s->block[0] = (unsigned)threads / (s->block[1] * s->block[2]);
        s->block[0] += s->block[0] == 0;
    }
    s->threads = (int)(s->block[0] * s->block[1] * s->block[2]);
    s->warps = (s->threads + 31) / 32;
    s->blocks = 1 + (unsigned)roll(s, 3);
    if (roll(s, 10) < 3) /* at least one thread of the grid stays */
        s->block_limit = 1 + roll(s, s->threads * (int)s->blocks);
    s->is_dynamic = roll(s, 2);
    s->leaders_stay = roll(s, 3) == 0;
    s->crosses = roll(s, 2);
    s->tail_count = roll(s, MAX_TAILS + 1);
}

static int all_shared_bytes(const struct manual_sheet *s)
{
    return 3 * manual_buffer_bytes(s) + COUNTER_BYTES;
}

static void declare(struct manual_sheet *s)
{
    text_printf(&s->declarations, ".version 7.0\n.target sm_75\n.address_size 64\n\n");
    if (s->is_dynamic)
        text_printf(&s->declarations, ".extern .shared .align 16 .b8 slots[];\n");
    else
        text_printf(&s->declarations, ".shared .align 16 .b8 slots[%d];\n", all_shared_bytes(s));
    text_printf(&s->declarations, ".const .align 4 .u32 table[%d] = {", CONST_WORDS);
    for (int i = 0; i < CONST_WORDS; i++)
        text_printf(&s->declarations, "%s%" PRIu32, i ? ", " : "", manual_dice_word(&s->dice));
    text_printf(&s->declarations, "};\n\n");
}

/* Ends the threads beyond the grid's limit; gives the %x with how many threads of the block go on. */
static int guard(struct manual_sheet *s, const struct manual_place *at)
{
    const int live = manual_new_x(s), first = manual_new_x(s);
    manual_line(s, at, "mov.u32 %%x%d, %d;", live, s->threads);
    if (s->block_limit) {
        const int limit = manual_new_x(s), p = manual_new_p(s);
        manual_line(s, at, "ld.param.u32 %%x%d, [limit];", limit);
        manual_line(s, at, "setp.ge.u32 %%p%d, %%gid, %%x%d;", p, limit);
        if (roll(s, 3))
            manual_line(s, at, "@%%p%d bra $L%d;", p, s->body->end_label);
        else
            manual_line(s, at, "@%%p%d %s;", p, roll(s, 2) ? "exit" : "ret");
        manual_line(s, at, "sub.u32 %%x%d, %%gid, %%t;", first);
        manual_line(s, at, "sub.u32 %%x%d, %%x%d, %%x%d;", limit, limit, first);
        manual_line(s, at, "min.u32 %%x%d, %%x%d, %%x%d;", live, live, limit);
    }
    manual_line(s, at, "add.u32 %%cnt, %%x%d, 31;", live);
    manual_line(s, at, "and.b32 %%cnt, %%cnt, 0xffffffe0;");
    return live;
}

/* Writes all slots and counters, those of ended threads too, so that any may be read. */
static void clear_shared(struct manual_sheet *s, const struct manual_place *at, int live)
{
    const int slot = manual_new_x(s), address = manual_new_x(s), p = manual_new_p(s), q = manual_new_p(s);
    const int head = manual_new_label(s);
    struct manual_place inner = *at;
    inner.weight *= 4;
    manual_line(s, at, "mov.u32 %%x%d, %%t;", slot);
    manual_label(s, head);
    manual_line(s, &inner, "mad.lo.u32 %%x%d, %%x%d, %d, %%sh;", address, slot, SLOT_BYTES);
    for (int i = 0; i < 3; i++)
        manual_line(s, &inner, "st.shared.v4.u32 [%%x%d+%d], {%%x%d, %%u%d, %%x%d, %%u0};", address,
                    i * manual_buffer_bytes(s), slot, i, slot);
    manual_line(s, &inner, "add.u32 %%x%d, %%x%d, %%x%d;", slot, slot, live);
    manual_line(s, &inner, "setp.lt.u32 %%p%d, %%x%d, %d;", p, slot, s->threads);
    manual_line(s, &inner, "@%%p%d bra $L%d;", p, head);
    manual_line(s, at, "setp.eq.u32 %%p%d, %%t, 0;", q);
    manual_line(s, at, "mov.u32 %%x%d, 0;", address);
    for (int i = 0; i < COUNTER_BYTES / 16; i++)
        manual_line(s, at, "@%%p%d st.shared.v4.u32 [%%sh+%d], {%%x%d, %%x%d, %%x%d, %%x%d};", q,
                    3 * manual_buffer_bytes(s) + 16 * i, address, address, address, address);
    manual_barrier(s, at);
}

/* The threads of the warp that live; warps are ended from the last on, so that these are the first lanes. */
static int first_mask(struct manual_sheet *s, const struct manual_place *at, int live)
{
    const int first = manual_new_x(s), mask = manual_new_x(s);
    manual_line(s, at, "shl.b32 %%x%d, %%warp, 5;", first);
    manual_line(s, at, "sub.u32 %%x%d, %%x%d, %%x%d;", first, live, first);
    manual_line(s, at, "shl.b32 %%x%d, 1, %%x%d;", mask, first);
    manual_line(s, at, "sub.u32 %%x%d, %%x%d, 1;", mask, mask);
    return mask;
}

/* Whole warps end, and barriers with a count are told. What these warps still read must not be written by others, for
 * whom no counted barrier waits any more: hence a barrier before. */
static void end_warps(struct manual_sheet *s, struct manual_place *at)
{
    const int stay = 1 + roll(s, at->warp_count - 1), p = manual_new_p(s);
    manual_barrier(s, at);
    manual_line(s, at, "setp.ge.u32 %%p%d, %%warp, %d;", p, stay);
    if (roll(s, 2))
        manual_line(s, at, "@%%p%d bra $L%d;", p, s->body->end_label);
    else
        manual_line(s, at, "@%%p%d exit;", p);
    manual_line(s, at, "mov.u32 %%cnt, %d;", 32 * stay);
    at->warp_count = stay;
}

static void store_results(struct manual_sheet *s, const struct manual_place *at)
{
    const int x = manual_new_x(s);
    manual_line(s, at, "st.global.v4.u32 [%%row], {%%a0, %%a1, %%a2, %%a3};");
    manual_line(s, at, "st.global.v4.u32 [%%row+16], {%%a4, %%a5, %%a6, %%a7};");
    manual_line(s, at, "st.global.v2.u64 [%%row+32], {%%w0, %%w1};");
    manual_line(s, at, "st.global.v2.u64 [%%row+48], {%%w2, %%w3};");
    manual_line(s, at, "st.global.v4.u16 [%%row+64], {%%h0, %%h1, %%h2, %%h3};");
    manual_line(s, at, "selp.u32 %%x%d, 1, 0, %%q0;", x);
    for (int i = 1; i < FLAG_COUNT; i++)
        manual_line(s, at, "@%%q%d or.b32 %%x%d, %%x%d, %d;", i, x, x, 1 << i);
    manual_line(s, at, "st.global.u32 [%%row+72], %%x%d;", x);
    manual_line(s, at, "xor.b32 %%x%d, %%u0, %%u1;", x);
    manual_line(s, at, "mad.lo.u32 %%x%d, %%u2, %%u3, %%x%d;", x, x);
    manual_line(s, at, "st.global.u32 [%%row+76], %%x%d;", x);
}

/* First code in which no thread really ends, with masks and counts; then code in which threads do. */
static void write_kernel(struct manual_sheet *s)
{
    int limit = ALL_INSTRUCTIONS / (s->threads * (int)s->blocks);
    limit = limit < LEAST_INSTRUCTIONS ? LEAST_INSTRUCTIONS : limit > MOST_INSTRUCTIONS ? MOST_INSTRUCTIONS : limit;
    struct manual_body body = {.is_kernel = true, .cost_limit = limit};
    struct manual_place at = {.is_uniform = true,
                              .may_count = true,
                              .warp_count = s->warps,
                              .mask = NO_MASK,
                              .crosses = s->crosses,
                              .weight = 1};
    s->body = &body;
    body.end_label = manual_new_label(s);
    s->uniform_tail_label = manual_new_label(s);
    for (int i = 0; i < s->tail_count; i++)
        s->tail_label[i] = manual_new_label(s);
    manual_prologue(s, &at);
    const int live = guard(s, &at);
    clear_shared(s, &at, live);
    if (!s->crosses)
        at.mask = first_mask(s, &at, live);
    body.cost_limit = limit / 2;
    manual_statements(s, &at, roll(s, 5));
    if (!s->block_limit && s->warps > 1 && roll(s, 4) == 0)
        end_warps(s, &at);
    if (roll(s, 3) == 0)
        manual_statements(s, &at, 1 + roll(s, 3));
    body.cost_limit = limit;
    at.mask = NO_MASK;
    at.may_end = roll(s, 4) != 0;
    at.may_count = !at.may_end || s->leaders_stay;
    manual_statements(s, &at, 2 + roll(s, 6));
    store_results(s, &at);
    if (roll(s, 2))
        manual_line(s, &at, "ret;");
    else
        manual_line(s, &at, "bra%s $L%d;", manual_uni(s), body.end_label);
    body.cost_limit += 500; /* tails are outside of loops */
    manual_tails(s);
    manual_label(s, body.end_label);
    manual_line(s, &at, "%s;", roll(s, 4) ? "ret" : "exit");
    manual_body_close(s, &s->functions,
                      ".visible .entry test(.param .u64 out, .param .u64 input, .param .u64 sums, .param .u32 limit)");
}

static uint32_t *add_argument(struct test_case *c, int words, bool is_buffer, bool is_output)
{
    struct case_arg *a = &c->arg[c->arg_count++];
    *a = (struct case_arg){is_buffer, is_output, 4 * (size_t)words, xcalloc((size_t)words, 4)};
    return a->data;
}

static void add_arguments(struct manual_sheet *s, struct test_case *c)
{
    const int threads = s->threads * (int)s->blocks, words = IN_THREADS + 4 * threads;
    add_argument(c, ROW_WORDS * threads, true, true);
    uint32_t *in = add_argument(c, words, true, false);
    for (int i = IN_UNIFORM; i < words; i++)
        in[i] = i >= IN_RARE && i < IN_THREADS ? roll(s, 10) == 0 : manual_dice_word(&s->dice);
    uint32_t *sums = add_argument(c, SUM_WORDS, true, true);
    for (int i = 0; i < SUM_WORDS; i++)
        sums[i] = manual_dice_word(&s->dice);
    add_argument(c, 1, false, false)[0] = (uint32_t)s->block_limit;
}

struct test_case *manual_case(uint64_t seed)
{
    struct manual_sheet s = {0};
    struct test_case *c = xcalloc(1, sizeof *c);
    struct text text = {0};
    manual_dice_seed(&s.dice, seed);
    draw_shape(&s);
    declare(&s);
    manual_functions(&s);
    write_kernel(&s);
    text_printf(&text, "manual %" PRIu64, seed);
    c->name = text_take(&text);
    text_printf(&text, "// manual %" PRIu64 ": grid %u, block %ux%ux%u, dynamic shared memory %d, limit %d\n%s%s", seed,
                s.blocks, s.block[0], s.block[1], s.block[2], s.is_dynamic ? all_shared_bytes(&s) : 0, s.block_limit,
                s.declarations.data, s.functions.data);
    c->ptx = text_take(&text);
    text_printf(&text, "test");
    c->kernel = text_take(&text);
    c->grid[0] = s.blocks;
    c->grid[1] = c->grid[2] = 1;
    memcpy(c->block, s.block, sizeof c->block);
    c->shared_bytes = s.is_dynamic ? (unsigned)all_shared_bytes(&s) : 0;
    add_arguments(&s, c);
    text_free(&s.declarations);
    text_free(&s.functions);
    return c;
}
