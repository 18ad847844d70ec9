/* Writes the programs of tasks.h. */
#include "tasks.h"

#include "../random/rng.h"
#include "base/arena.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

enum {
    WORDS = 8,      /* variables of a thread, %a0 to %a7 */
    WIDE = 3,       /* 64-bit variables, %d0 to %d2 */
    SLOTS = 16,     /* output words of a thread: its variables behind the others */
    IN_WORDS = 256, /* of the input */
    MAX_DEPTH = 3,
    MAX_STEPS = 14 /* of a common sequence */
};

/* One instruction of a common sequence; registers are numbers that each place maps to its own. */
struct step {
    unsigned kind, to, from, other;
    uint32_t constant;
};

struct sequence {
    int count;
    struct step step[MAX_STEPS];
};

struct tasks {
    struct rng rng;
    struct text body;
    int labels, counters, predicates, temporaries;
    int loops;  /* around the statement that is written */
    int budget; /* instructions that may still be written */
    struct sequence sequence[3];
    bool allocates; /* threads use the device's malloc */
    bool calls;     /* there is a function `mix` */
    bool barriers;  /* there are block barriers, in code that all threads of a block come to */
};

static unsigned below(struct tasks *t, unsigned n)
{
    return rng_below(&t->rng, n);
}

static bool chance(struct tasks *t, unsigned percent)
{
    return rng_chance(&t->rng, percent);
}

/* ---- straight code ---- */

static void draw_sequence(struct tasks *t, struct sequence *s)
{
    unsigned words = chance(t, 70) ? 2 + below(t, 2) : WORDS; /* few values go in and come out */
    s->count = 4 + (int)below(t, MAX_STEPS - 3);
    for (int i = 0; i < s->count; i++) {
        struct step *step = &s->step[i];
        step->kind = below(t, 14);
        step->to = below(t, words);
        step->from = below(t, words);
        step->other = below(t, words);
        step->constant = rng_word(&t->rng);
    }
}

static void write_step(struct tasks *t, const struct step *s, const unsigned *map)
{
    unsigned to = map[s->to], from = map[s->from], other = map[s->other];
    struct text *out = &t->body;
    int n;
    t->budget--;
    switch (s->kind) {
    case 0:
        text_printf(out, "add.u32 %%a%u, %%a%u, %%a%u;\n", to, from, other);
        break;
    case 1:
        text_printf(out, "mul.lo.u32 %%a%u, %%a%u, %" PRIu32 ";\n", to, from, s->constant | 1);
        break;
    case 2:
        text_printf(out, "xor.b32 %%a%u, %%a%u, %" PRIu32 ";\n", to, from, s->constant);
        break;
    case 3:
        text_printf(out, "shf.l.wrap.b32 %%a%u, %%a%u, %%a%u, %u;\n", to, from, other, s->constant % 32);
        break;
    case 4:
        text_printf(out, "mad.lo.u32 %%a%u, %%a%u, %%a%u, %" PRIu32 ";\n", to, from, other, s->constant);
        break;
    case 5: /* a predicate, and what it chooses */
        n = t->predicates++;
        text_printf(out, "setp.lt.u32 %%p%d, %%a%u, %%a%u;\nselp.u32 %%a%u, %%a%u, %%a%u, %%p%d;\n", n, from, other, to,
                    other, from, n);
        break;
    case 6: /* a guard */
        n = t->predicates++;
        text_printf(out, "setp.ne.u32 %%p%d, %%a%u, %" PRIu32 ";\n@%s%%p%d sub.u32 %%a%u, %%a%u, %%a%u;\n", n, from,
                    s->constant, s->constant % 2 ? "!" : "", n, to, from, other);
        break;
    case 7:
        text_printf(out, "mad.wide.u32 %%d%u, %%a%u, %%a%u, %%d%u;\nshr.u64 %%d%u, %%d%u, %u;\n", to % WIDE, from,
                    other, from % WIDE, to % WIDE, to % WIDE, 1 + s->constant % 8);
        break;
    case 8:
        text_printf(out, "cvt.u32.u64 %%a%u, %%d%u;\n", to, from % WIDE);
        break;
    case 9: /* a load of the input */
        n = t->temporaries++;
        text_printf(out,
                    "and.b32 %%t%d, %%a%u, %u;\nmad.wide.u32 %%e%d, %%t%d, 4, %%in;\nld.global.u32 %%a%u, [%%e%d];\n",
                    n, from, IN_WORDS - 1, n, n, to, n);
        break;
    case 10: /* dear ones */
    case 11:
    case 12:
        n = t->temporaries++;
        text_printf(out, "or.b32 %%t%d, %%a%u, %u;\n%s.u32 %%a%u, %%a%u, %%t%d;\n", n, other, 1 + s->constant % 99,
                    s->kind == 10 ? "div" : "rem", to, from, n);
        break;
    default: /* a store to one of the thread's own words */
        n = t->temporaries++;
        text_printf(out,
                    "and.b32 %%t%d, %%a%u, %u;\nmad.wide.u32 %%e%d, %%t%d, 4, %%out;\nst.global.u32 [%%e%d], %%a%u;\n",
                    n, from, SLOTS / 2 - 1, n, n, n, other);
    }
}

static void write_random_step(struct tasks *t)
{
    static const unsigned same[WORDS] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct sequence s;
    draw_sequence(t, &s);
    write_step(t, &s.step[0], same);
}

/* A common sequence in registers of this place's own; seldom one of its constants is another. */
static void write_sequence(struct tasks *t, int which)
{
    struct sequence s = t->sequence[which];
    unsigned map[WORDS];
    for (unsigned i = 0; i < WORDS; i++)
        map[i] = i;
    for (unsigned i = WORDS - 1; i > 0; i--) {
        unsigned k = below(t, i + 1), kept = map[i];
        map[i] = map[k];
        map[k] = kept;
    }
    if (chance(t, 15))
        s.step[below(t, (unsigned)s.count)].constant ^= 4;
    for (int i = 0; i < s.count; i++)
        write_step(t, &s.step[i], map);
}

/* Memory of the device's heap on its way from a variable to another. */
static void write_allocation(struct tasks *t)
{
    int n = t->temporaries++;
    unsigned from = below(t, WORDS), to = below(t, WORDS);
    text_printf(
        &t->body,
        "{\n.param .b64 size;\n.param .b64 block;\nst.param.b64 [size], 16;\ncall.uni (block), malloc, (size);\n"
        "ld.param.b64 %%e%d, [block];\n}\nst.u32 [%%e%d+4], %%a%u;\nld.u32 %%a%u, [%%e%d+4];\n{\n"
        ".param .b64 block;\nst.param.b64 [block], %%e%d;\ncall.uni free, (block);\n}\n",
        n, n, from, to, n, n);
    t->budget -= 6;
}

static void write_call(struct tasks *t)
{
    unsigned from = below(t, WORDS), other = below(t, WORDS), to = below(t, WORDS);
    text_printf(
        &t->body,
        "{\n.param .b32 x;\n.param .b32 y;\n.param .b32 z;\nst.param.b32 [x], %%a%u;\nst.param.b32 [y], %%a%u;\n"
        "call.uni (z), mix, (x, y);\nld.param.b32 %%a%u, [z];\n}\n",
        from, other, to);
    t->budget -= 4;
}

/* ---- control ---- */

static void write_list(struct tasks *t, int depth, unsigned statements);

/* A predicate that differs between threads; returns its number. */
static int write_condition(struct tasks *t)
{
    int n = t->predicates++, k = t->temporaries++;
    text_printf(&t->body, "shr.u32 %%t%d, %%a%u, %u;\nand.b32 %%t%d, %%t%d, %u;\nsetp.eq.u32 %%p%d, %%t%d, %u;\n", k,
                below(t, WORDS), below(t, 20), k, k, 1u << below(t, 3), n, k, 0u);
    t->budget -= 3;
    return n;
}

static void write_side(struct tasks *t, int depth, int common)
{
    write_list(t, depth + 1, below(t, 3));
    if (common >= 0)
        write_sequence(t, common);
    write_list(t, depth + 1, below(t, 2));
}

static void write_if(struct tasks *t, int depth)
{
    int other = t->labels++, join = t->labels++, common = chance(t, 65) ? (int)below(t, 3) : -1;
    bool has_else = common >= 0 || chance(t, 60);
    int p = write_condition(t);
    text_printf(&t->body, "@%s%%p%d bra L%d;\n", chance(t, 50) ? "!" : "", p, other);
    write_side(t, depth, common);
    if (has_else)
        text_printf(&t->body, "bra%s L%d;\n", chance(t, 30) ? ".uni" : "", join);
    text_printf(&t->body, "L%d:\n", other);
    if (has_else)
        write_side(t, depth, common);
    text_printf(&t->body, "L%d:\n", join);
}

/* A loop that a thread leaves after 1 to 5 iterations, perhaps earlier, perhaps before the first. */
static void write_loop(struct tasks *t, int depth)
{
    int head = t->labels++, out = t->labels++, c = t->counters++, p = t->predicates++;
    bool varies = chance(t, 75), is_early = chance(t, 25), is_tested = chance(t, 30);
    if (varies)
        text_printf(&t->body, "shr.u32 %%c%d, %%a%u, %u;\nand.b32 %%c%d, %%c%d, %d;\n", c, below(t, WORDS),
                    below(t, 16), c, c, t->loops ? 3 : 5);
    else
        text_printf(&t->body, "mov.u32 %%c%d, %u;\n", c, below(t, 6));
    if (is_tested)
        text_printf(&t->body, "setp.eq.u32 %%p%d, %%c%d, 0;\n@%%p%d bra L%d;\n", p, c, p, out);
    text_printf(&t->body, "L%d:\n", head);
    t->loops++;
    write_list(t, depth + 1, 1 + below(t, 4));
    if (is_early) {
        int q = write_condition(t);
        text_printf(&t->body, "@%%p%d bra L%d;\n", q, out);
    }
    write_list(t, depth + 1, below(t, 3));
    t->loops--;
    text_printf(&t->body, "sub.u32 %%c%d, %%c%d, 1;\nsetp.gt.s32 %%p%d, %%c%d, 0;\n@%%p%d bra L%d;\nL%d:\n", c, c, p, c,
                p, head, out);
    t->budget -= 6;
}

static void write_statement(struct tasks *t, int depth)
{
    unsigned roll = below(t, 100);
    if (roll < 20 && depth < MAX_DEPTH)
        write_if(t, depth);
    else if (roll < 36 && depth < MAX_DEPTH && t->loops < 2)
        write_loop(t, depth);
    else if (roll < 44)
        write_sequence(t, (int)below(t, 3));
    else if (roll < 50 && t->calls)
        write_call(t);
    else if (roll < 54 && t->allocates)
        write_allocation(t);
    else
        write_random_step(t);
}

static void write_list(struct tasks *t, int depth, unsigned statements)
{
    for (unsigned i = 0; i < statements && t->budget > 0; i++)
        write_statement(t, depth);
}

/* ---- the kernel ---- */

/* Hands a word to another thread of the block between two barriers. */
static void write_exchange(struct tasks *t)
{
    unsigned from = below(t, WORDS), to = below(t, WORDS);
    text_printf(&t->body,
                "st.shared.u32 [%%mine], %%a%u;\nbar.sync 0;\nld.shared.u32 %%a%u, [%%theirs];\nbar.sync 0;\n", from,
                to);
}

static void write_body(struct tasks *t)
{
    unsigned parts = 1 + below(t, 3);
    for (unsigned i = 0; i < parts; i++) {
        write_list(t, 0, 2 + below(t, 4));
        if (chance(t, 60))
            write_loop(t, 0);
        if (t->barriers)
            write_exchange(t);
        else if (chance(t, 20)) {
            int p = write_condition(t);
            text_printf(&t->body, "@%%p%d %s;\n", p, chance(t, 50) ? "ret" : "bra DONE");
        }
    }
}

static void write_head(struct tasks *t, bool is_bounded, struct text *out)
{
    text_printf(out, ".version 7.8\n.target sm_75\n.address_size 64\n");
    if (t->allocates)
        text_printf(out, ".extern .func (.param .b64 result) malloc(.param .b64 size);\n"
                         ".extern .func free(.param .b64 block);\n");
    if (t->calls)
        text_printf(out,
                    ".func (.param .b32 z) mix(.param .b32 x, .param .b32 y)\n{\n.reg .b32 %%r<4>;\n.reg .pred %%p;\n"
                    "ld.param.b32 %%r0, [x];\nld.param.b32 %%r1, [y];\nsetp.lt.u32 %%p, %%r0, %%r1;\n"
                    "@%%p bra LESS;\nmad.lo.u32 %%r2, %%r0, 40503, %%r1;\nbra GIVE;\nLESS:\nxor.b32 %%r2, %%r0, %%r1;\n"
                    "add.u32 %%r2, %%r2, 12345;\nGIVE:\nst.param.b32 [z], %%r2;\nret;\n}\n");
    text_printf(
        out,
        ".visible .entry task(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
        ".reg .b32 %%a<%d>, %%c<%d>, %%t<%d>, %%r<8>, %%mine, %%theirs;\n.reg .b64 %%in, %%out, %%d<%d>, %%e<%d>;\n"
        ".reg .pred %%p<%d>, %%q;\n",
        WORDS, t->counters + 1, t->temporaries + 1, WIDE, t->temporaries + 1, t->predicates + 1);
    if (t->barriers)
        text_printf(out, ".shared .align 4 .b8 words[512];\n");
    text_printf(
        out, "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, %%ntid.x;\nmad.lo.u32 %%r3, %%r1, %%r2, "
             "%%r0;\nmov.u32 %%r4, %%ctaid.y;\nmov.u32 %%r5, %%nctaid.x;\nmul.lo.u32 %%r5, %%r5, %%r2;\n"
             "mad.lo.u32 %%r3, %%r4, %%r5, %%r3;\n");
    if (is_bounded)
        text_printf(out, "ld.param.u32 %%r6, [n];\nsetp.ge.u32 %%q, %%r3, %%r6;\n@%%q bra DONE;\n");
    if (t->barriers)
        text_printf(out, "mov.u32 %%r6, words;\nmad.lo.u32 %%mine, %%r0, 4, %%r6;\nsub.u32 %%r7, %%r2, %%r0;\n"
                         "sub.u32 %%r7, %%r7, 1;\nmad.lo.u32 %%theirs, %%r7, 4, %%r6;\n");
    text_printf(out,
                "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nmul.lo.u32 %%r7, %%r3, %d;\n"
                "mad.wide.u32 %%out, %%r7, 4, %%out;\n",
                SLOTS);
    for (int i = 0; i < WORDS; i++)
        text_printf(out,
                    "mad.lo.u32 %%a%d, %%r3, %u, %u;\nand.b32 %%r7, %%a%d, %d;\nmad.wide.u32 %%d0, %%r7, 4, %%in;\n"
                    "ld.global.u32 %%a%d, [%%d0];\n",
                    i, 2 * i + 3, 17 * i, i, IN_WORDS - 1, i);
    for (int i = 0; i < WIDE; i++)
        text_printf(out, "mul.wide.u32 %%d%d, %%a%d, %%a%d;\n", i, i, i + 1);
}

static void add_argument(struct test_case *c, size_t bytes, bool is_buffer, bool is_output)
{
    struct case_arg *arg = &c->arg[c->arg_count++];
    *arg = (struct case_arg){.is_buffer = is_buffer, .is_output = is_output, .bytes = bytes, .data = xcalloc(1, bytes)};
}

struct test_case *task_case(uint64_t seed)
{
    static const unsigned blocks[] = {32, 32, 64, 40, 33, 7};
    struct tasks t = {.budget = 120};
    struct text text = {0}, name = {0};
    struct test_case *c = xcalloc(1, sizeof *c);
    rng_seed(&t.rng, seed ^ UINT64_C(0x7461736b73)); /* not the programs' choices of another generator */
    t.allocates = chance(&t, 20);
    t.calls = chance(&t, 30);
    t.barriers = chance(&t, 15);
    c->grid[0] = 1 + below(&t, 5);
    c->grid[1] = chance(&t, 20) ? 2 : 1;
    c->grid[2] = 1;
    c->block[0] = blocks[below(&t, sizeof blocks / sizeof *blocks)];
    c->block[1] = c->block[2] = 1;
    for (int i = 0; i < 3; i++)
        draw_sequence(&t, &t.sequence[i]);
    write_body(&t);
    bool is_bounded = !t.barriers && chance(&t, 60);
    write_head(&t, is_bounded, &text);
    text_append(&text, t.body.data ? t.body.data : "", t.body.length);
    for (int i = 0; i < WORDS; i++)
        text_printf(&text, "st.global.u32 [%%out+%d], %%a%d;\n", 4 * (SLOTS / 2 + i), i);
    text_printf(&text, "DONE:\nret;\n}\n");
    text_free(&t.body);
    text_printf(&name, "task %" PRIu64, seed);
    c->name = text_take(&name);
    c->ptx = text_take(&text);
    c->kernel = strdup("task");
    unsigned threads = c->grid[0] * c->grid[1] * c->block[0];
    uint32_t n = threads - below(&t, threads / 4 + 1);
    add_argument(c, IN_WORDS * 4, true, false);
    for (int i = 0; i < IN_WORDS * 4; i++)
        ((uint8_t *)c->arg[0].data)[i] = (uint8_t)rng_next(&t.rng);
    add_argument(c, (size_t)threads * SLOTS * 4, true, true);
    memset(c->arg[1].data, 0xa5, c->arg[1].bytes);
    add_argument(c, 4, false, false);
    memcpy(c->arg[2].data, &n, 4);
    return c;
}
