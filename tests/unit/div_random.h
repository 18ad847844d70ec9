/*
 * Random graphs for tests of mechanisms: loops, calls, returns, ends and barriers wherever they may stand,
 * and threads that choose their way by their own past alone, so that each can be walked by itself first.
 */
#ifndef HEDDLE_TESTS_DIV_RANDOM_H
#define HEDDLE_TESTS_DIV_RANDOM_H

#include "div_bench.h"

#define HEAD             ".version 8.0\n.target sm_90\n.address_size 64\n"
#define REGS             ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<4>;\n"
#define START            "mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0;\n"
#define FUNC(name, body) ".func " name "()\n{\n" REGS START body "\n}\n"
#define KERNEL(body)     ".visible .entry k()\n{\n" REGS START body "\n}\n"
#define WORK             " add.u32 %r1, %r1, 1; "

enum { BUDGET = 120, MAX_BLOCKS = 10, MAX_DEPTH = 10 };

static void put_targets(struct text *t, struct random *r, int function, int block, int blocks)
{
    text_printf(t, "T%d_%d: .branchtargets ", function, block);
    int count = 2 + (int)(random_u64(r) % 12);
    for (int i = 0; i < count; i++)
        text_printf(t, "L%d_%d, ", function, (int)(random_u64(r) % (unsigned)blocks));
    text_printf(t, "L%d_%d;\n", function, blocks - 1);
}

/* Every backward way, and every call that may recurse, has another way beside it. */
static void put_end(struct text *t, struct random *r, int function, int functions, int block, int blocks, bool barriers)
{
    int any = (int)(random_u64(r) % (unsigned)blocks);
    int forward = block + 1 + (int)(random_u64(r) % (unsigned)(blocks - block - 1));
    int callee = functions > 1 ? 1 + (int)(random_u64(r) % (unsigned)(functions - 1)) : 0;
    switch (random_u64(r) % 16) {
    case 0:
        text_printf(t, "bra L%d_%d;\n", function, forward);
        break;
    case 1:
        put_targets(t, r, function, block, blocks);
        text_printf(t, "%sbrx.idx %%r0, T%d_%d;\n", any & 1 ? "@%p0 " : "", function, block);
        break;
    case 2:
    case 3:
        if (callee)
            text_printf(t, "%scall f%d;\n", callee > function ? "" : "@%p0 ", callee);
        break;
    case 4:
        if (callee)
            text_printf(t, "@%%p0 call f%d;\n", callee);
        break;
    case 5:
        if (callee)
            text_printf(t, "mov.u64 %%d0, f%d;\nP%d_%d: .callprototype _ ();\n@%%p0 call %%d0, P%d_%d;\n", callee,
                        function, block, function, block);
        break;
    case 6:
        text_printf(t, "@%%p0 ret;\n");
        break;
    case 7:
        text_printf(t, any & 1 ? "@%%p0 exit;\n" : "\n");
        break;
    case 8:
        text_printf(t, any ? "\n" : "exit;\n");
        break;
    case 9:
        if (barriers) {
            text_printf(t, "%sbarrier.sync 0;\n", any & 1 ? "@%p0 " : "");
            break;
        }
        /* fall through */
    default:
        text_printf(t, "@%%p0 bra L%d_%d;\n", function, any);
    }
}

static char *random_module(struct random *r, bool barriers)
{
    struct text t = {0};
    int functions = 1 + (int)(random_u64(r) % 4);
    text_printf(&t, HEAD);
    for (int f = 1; f < functions; f++)
        text_printf(&t, ".func f%d();\n", f);
    for (int f = functions - 1; f >= 0; f--) {
        int blocks = 2 + (int)(random_u64(r) % MAX_BLOCKS);
        text_printf(&t, f ? ".func f%d()\n{\n" : ".visible .entry k()\n{\n", f);
        text_printf(&t, "%s", REGS START);
        for (int i = 0; i < blocks; i++) {
            text_printf(&t, "L%d_%d:%s\n", f, i, random_u64(r) % 8 ? WORK : ""); /* a branch may be a target */
            if (i < blocks - 1)
                put_end(&t, r, f, functions, i, blocks, barriers);
        }
        text_printf(&t, "ret;\n}\n");
    }
    return text_take(&t);
}

/* Depends on nothing but the thread and its own past. Half of the choices are the same for all threads. */
static int random_choice(struct bench *b, int thread, int32_t pc, int ways)
{
    const uint64_t *seed = b->script;
    const struct bench_thread *t = &b->thread[thread];
    const struct insn *in = &b->program->insns[pc];
    int visit = in->branch < 0 ? t->steps : t->visits[in->branch < 63 ? in->branch : 63];
    uint64_t key[4] = {*seed, (uint64_t)pc, (uint64_t)visit, 0};
    uint64_t h = bits_hash(BITS_HASH_SEED, key, sizeof key);
    if (h >> 40 & 1) {
        key[3] = (uint64_t)thread + 1;
        h = bits_hash(BITS_HASH_SEED, key, sizeof key);
    }
    bool tired = t->steps > BUDGET || (in->op == OP_CALL && t->depth >= MAX_DEPTH);
    return tired ? ways - 1 : (int)((h >> 20) % (unsigned)ways);
}

/* What each thread does when it is alone. */
static void walk_alone(struct bench *b, uint64_t *path, int *steps, int threads)
{
    memset(b->thread, 0, sizeof b->thread);
    for (int i = 0; i < threads; i++) {
        struct bench_thread *t = &b->thread[i];
        t->pc = b->program->functions[0].first;
        while (!t->ended) {
            bench_step(b, i);
            assert_in_range(t->steps, 0, 1000000);
        }
        path[i] = t->path;
        steps[i] = t->steps;
    }
}

static void compare_paths(struct bench *b, const uint64_t *path, const int *steps, int first, int last)
{
    for (int i = first; i < last; i++) {
        assert_int_equal(b->thread[i].steps, steps[i]);
        assert_true(b->thread[i].path == path[i]);
    }
}

#endif
