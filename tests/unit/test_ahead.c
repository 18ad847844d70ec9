/*
 * The functional engine on several host threads: a launch leaves the memory, the counters, the fault and the output that
 * one host thread leaves, whatever its blocks do to each other.
 */
#include "kernel_bench.h"

#include "base/arena.h"
#include "base/text.h"
#include "exec/ahead/ahead.h"
#include "exec/site.h"
#include "exec/writers.h"

struct ahead_case {
    const char *text;
    uint32_t blocks, threads; /* of the grid; of a block */
    uint64_t limit;           /* instruction_limit; 0: the bench's */
    uint64_t poll_limit;
    bool has_sites;   /* counters by PC are compared, too */
    bool has_texture; /* the texture 77 has the first 1024 words as texels */
};

enum { MOST_SITES = 100 };

static void collect(void *context, const char *text, size_t length)
{
    text_printf(context, "%.*s", (int)length, text);
}

/* What a launch left, as a text that can be compared. */
static char *outcome_of(const struct ahead_case *c, struct ahead_team *team)
{
    struct bench b;
    struct text all = {0};
    struct writers *writers = writers_create();
    struct site *sites = c->has_sites ? xcalloc(MOST_SITES, sizeof *sites) : NULL;
    open_bench(&b, c->text);
    b.launch.grid[0] = c->blocks;
    b.launch.block[0] = c->threads ? c->threads : 64;
    b.launch.instruction_limit = c->limit ? c->limit : UINT64_C(100000000);
    b.launch.poll_limit = c->poll_limit;
    b.launch.team = team;
    b.launch.writers = writers;
    b.launch.print = b.launch.assertions = (struct print_sink){collect, &all};
    struct texture texture = {.handle = 77,
                              .level = {{.address = b.out, .width = 1024, .row_bytes = 4096}},
                              .level_count = 1,
                              .is_linear = true,
                              .channels = 1,
                              .texel_type = TYPE_U32};
    if (c->has_texture) {
        b.launch.texture_count = 1;
        b.launch.textures = &texture;
    }
    b.launch.sites = sites;
    run_on_engine(&b);
    const struct launch_result *r = &b.result;
    char report[2048] = "";
    if (r->fault.kind)
        fault_describe(&r->fault, report, sizeof report);
    text_printf(&all, "%s; %llu warp, %llu thread instructions, %llu branches, %llu divergent, %llu conflicts (%s);\n",
                report, (unsigned long long)r->warp_instructions, (unsigned long long)r->thread_instructions,
                (unsigned long long)r->branches, (unsigned long long)r->divergent_branches,
                (unsigned long long)r->block_conflicts, r->block_conflicts ? r->first_conflict.where : "");
    for (int i = 0; i < OUT_BYTES / 4; i++)
        text_printf(&all, " %x", ((uint32_t *)out(&b))[i]);
    for (int i = 0; sites && i < MOST_SITES; i++)
        text_printf(&all, " %llu/%llu/%llu/%llu", (unsigned long long)sites[i].issues,
                    (unsigned long long)sites[i].threads, (unsigned long long)sites[i].diverged,
                    (unsigned long long)sites[i].taken);
    close_bench(&b);
    free(sites);
    writers_destroy(writers);
    return text_take(&all);
}

/* The launch leaves the same with 1, 2, 3 and 7 host threads, again and again. Gives the percentage of stretches that were
 * not executed in vain. */
static int expect_same(const struct ahead_case *c, const char *says)
{
    static const int threads[] = {1, 2, 3, 7};
    uint64_t good = 0, all = 0;
    char *first = outcome_of(c, NULL);
    if (says && !strstr(first, says))
        fail_msg("'%s' does not say '%s'", first, says);
    for (size_t i = 0; i < COUNTOF(threads); i++) {
        struct ahead_team *team = ahead_team_create(threads[i]);
        team->is_eager = true;
        for (int n = 0; n < 3; n++) {
            char *now = outcome_of(c, team);
            assert_string_equal(first, now);
            free(now);
        }
        good += team->good;
        all += team->good + team->vain;
        ahead_team_destroy(team);
    }
    free(first);
    return all ? (int)(100 * good / all) : 0;
}

#define REGS   ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b16 %h<2>; .reg .f32 %f<4>; .reg .b64 %rd<8>;\n"
#define GLOBAL "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, 64, %r2; ld.param.u64 %rd0, [out];\n"
/* %rd2 is the address of the thread's own word, among the first 4096 bytes. */
#define OWN     "and.b32 %r15, %r3, 1023; mul.wide.u32 %rd1, %r15, 4; add.u64 %rd2, %rd0, %rd1;\n"
#define K(body) HEADER ".visible .entry k(.param .u64 out)\n{\n" REGS GLOBAL OWN body "\nret;\n}\n"

static void expect_all_same(const char *const *texts, size_t count, uint32_t blocks)
{
    for (size_t i = 0; i < count; i++)
        expect_same(&(struct ahead_case){.text = texts[i], .blocks = blocks}, NULL);
}

/* ---- memory ---- */

static void test_blocks_see_what_blocks_before_them_wrote(void **state)
{
    (void)state;
    static const char *const texts[] = {
        K("st.global.u32 [%rd2], %r3;"),
        /* In place. */
        K("ld.global.u32 %r4, [%rd2]; mad.lo.u32 %r4, %r4, 3, %r3; st.global.u32 [%rd2], %r4;"),
        /* A chain: each block adds to what the one before left, in memory that the launch before left unchanged. */
        K("ld.global.u32 %r4, [%rd0+4096]; add.u32 %r4, %r4, %r1; st.global.u32 [%rd0+4096], %r4;\n"
          "st.global.u32 [%rd2], %r4;"),
        /* A chain by single bytes, whose neighbours belong to other blocks. */
        K("cvt.u64.u32 %rd3, %r1; add.u64 %rd4, %rd0, %rd3; ld.global.u8 %r4, [%rd4+4095]; add.u32 %r4, %r4, 3;\n"
          "st.global.u8 [%rd4+4096], %r4;"),
        /* Every third block reads what its neighbour wrote. */
        K("rem.u32 %r4, %r1, 3; setp.ne.u32 %p0, %r4, 0; mov.u32 %r5, 7; @!%p0 ld.global.u32 %r5, [%rd2+256];\n"
          "add.u32 %r5, %r5, %r3; st.global.u32 [%rd2], %r5;"),
        /* Blocks overwrite each other: the last one stays, and it counts as a conflict. */
        K("mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd0, %rd3; st.global.u32 [%rd4+4096], %r1;"),
        K("mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd0, %rd3; st.global.u16 [%rd4+4098], %h0; st.global.u8 [%rd4], "
          "%r1;"),
        /* The first block writes nothing; the others form a chain. */
        K("setp.eq.u32 %p0, %r1, 0; @%p0 bra E; ld.global.u32 %r4, [%rd0+4096]; add.u32 %r4, %r4, %r1; bar.sync 0;\n"
          "st.volatile.global.u32 [%rd0+4096], %r4; st.volatile.global.u32 [%rd2], %r4; E:"),
        /* Vectors, read back. */
        K("and.b32 %r4, %r3, 255; mul.wide.u32 %rd3, %r4, 16; add.u64 %rd4, %rd0, %rd3;\n"
          "st.global.v4.u32 [%rd4], {%r1, %r2, %r3, %r4}; ld.global.v2.u32 {%r5, %r6}, [%rd4+8];\n"
          "add.u32 %r5, %r5, %r6; st.global.u32 [%rd4+4], %r5;"),
    };
    expect_all_same(texts, COUNTOF(texts), 23);
}

/* Loads see own stores of parts of words, at any width. */
static void test_blocks_see_what_they_wrote(void **state)
{
    (void)state;
    static const char *const texts[] = {
        K("st.global.u8 [%rd2+1], %r2; ld.global.u32 %r4, [%rd2]; add.u32 %r4, %r4, 5; st.global.u32 [%rd2], %r4;\n"
          "ld.global.u16 %h0, [%rd2]; cvt.u32.u16 %r5, %h0; ld.global.u32 %r6, [%rd2]; add.u32 %r5, %r5, %r6;\n"
          "bar.sync 0; xor.b32 %r7, %r2, 1; and.b32 %r8, %r1, 15; mad.lo.u32 %r7, %r8, 64, %r7;\n"
          "mul.wide.u32 %rd3, %r7, 4; add.u64 %rd4, %rd0, %rd3; ld.global.u32 %r9, [%rd4]; bar.sync 0;\n"
          "add.u32 %r9, %r9, %r5; st.global.u32 [%rd2], %r9;"),
        /* Some lanes store, all load. */
        K("and.b32 %r4, %r2, 3; setp.eq.u32 %p0, %r4, 0; @%p0 st.global.u32 [%rd2], %r3;\n"
          "ld.global.u32 %r5, [%rd2]; add.u32 %r5, %r5, 1; st.global.u32 [%rd2+2048], %r5;"),
    };
    expect_all_same(texts, COUNTOF(texts), 16);
}

/* ---- atomics ---- */

static void test_atomics_happen_in_order(void **state)
{
    (void)state;
    static const char *const texts[] = {
        /* Sums of floats, whose bits depend on the order. */
        K("cvt.rn.f32.u32 %f0, %r3; mul.f32 %f0, %f0, 0f3DCCCCCD; red.global.add.f32 [%rd0+4096], %f0;"),
        K("red.global.add.u32 [%rd0+4096], %r3; red.global.max.u32 [%rd0+4100], %r3; red.global.xor.b32 [%rd2], 3;"),
        /* Even blocks add to words that odd blocks load. */
        K("and.b32 %r4, %r1, 1; setp.eq.u32 %p0, %r4, 0; @%p0 red.global.add.u32 [%rd0+4096], %r3;\n"
          "@!%p0 ld.global.u32 %r5, [%rd0+4096]; st.global.u32 [%rd2], %r5;"),
        /* Atomics that change memory between loads that may not be cached: the block does not only poll. */
        K("mov.u32 %r6, 0; L: ld.volatile.global.u32 %r4, [%rd0+4100]; red.global.add.u32 [%rd2], 1; add.u32 %r6, %r6, "
          "1;\n"
          "setp.lt.u32 %p0, %r6, 20; @%p0 bra L; bar.sync 0; setp.ne.u32 %p1, %r2, 0; @%p1 bra E;\n"
          "atom.global.add.u32 %r7, [%rd0+4096], 1; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd0, %rd3;\n"
          "st.global.u32 [%rd4+5120], %r7; E:"),
        /* Tickets. */
        K("atom.global.add.u32 %r4, [%rd0+4096], 1; st.global.u32 [%rd2], %r4;"),
        /* The last block sums up. */
        K("st.global.u32 [%rd2], %r3; membar.gl; bar.sync 0; setp.ne.u32 %p0, %r2, 0; @%p0 bra E;\n"
          "atom.global.inc.u32 %r4, [%rd0+4096], 22; setp.ne.u32 %p1, %r4, 22; @%p1 bra E;\n"
          "ld.volatile.global.u32 %r5, [%rd0+12]; st.global.u32 [%rd0+4100], %r5; E:"),
        /* A load of what an atomic without a result changes; a store over it; an atomic over a store. */
        K("red.global.add.u32 [%rd2], 5; ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd2+2048], %r4;"),
        K("red.global.add.u32 [%rd2], 5; st.global.u32 [%rd2], %r3; red.global.add.u32 [%rd2], 1;"),
        K("st.global.u32 [%rd2], %r3; red.global.add.u32 [%rd2], 5; st.global.u16 [%rd2], %h0;"),
        /* Loads that may not be cached between atomics that change memory only in some blocks. */
        K("mov.u32 %r6, 0; L: ld.volatile.global.u32 %r4, [%rd0+4096]; red.global.max.u32 [%rd0+4096], %r1;\n"
          "ld.volatile.global.u32 %r5, [%rd0+4096]; add.u32 %r6, %r6, 1; setp.lt.u32 %p0, %r6, 5; @%p0 bra L;\n"
          "add.u32 %r4, %r4, %r5; st.global.u32 [%rd2], %r4;"),
        K("atom.global.cas.b32 %r4, [%rd2], 0, %r1; atom.global.exch.b64 %rd3, [%rd0+4096], %rd2;\n"
          "st.global.u64 [%rd0+4104], %rd3; .shared .u32 s[2]; red.shared.add.u32 [s], 1;"),
    };
    expect_all_same(texts, COUNTOF(texts), 23);
}

/* ---- waiting ---- */

static void test_blocks_wait_for_blocks(void **state)
{
    (void)state;
    static const char *const texts[] = {
        /* Block b waits for block b - 1. */
        K("setp.ne.u32 %p0, %r2, 0; @%p0 bra E;\n"
          "W: ld.acquire.gpu.global.u32 %r4, [%rd0+4096]; setp.ne.u32 %p1, %r4, %r1; @%p1 bra W;\n"
          "st.global.u32 [%rd2], %r3; add.u32 %r4, %r1, 1; st.release.gpu.global.u32 [%rd0+4096], %r4; E:"),
        /* Block b waits for block b + 1: all must be resident. */
        K("setp.ne.u32 %p0, %r2, 0; @%p0 bra E; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd0, %rd3;\n"
          "setp.eq.u32 %p2, %r1, 11; @%p2 bra S;\n"
          "W: ld.volatile.global.u32 %r4, [%rd4+4100]; setp.eq.u32 %p1, %r4, 0; @%p1 bra W;\n"
          "S: add.u32 %r5, %r4, 1; st.volatile.global.u32 [%rd4+4096], %r5; E: st.global.u32 [%rd2], %r3;"),
        /* Odd blocks wait for the next one; later blocks are as usual. */
        K("and.b32 %r6, %r1, 1; setp.eq.u32 %p0, %r6, 0; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd0, %rd3;\n"
          "setp.eq.u32 %p2, %r1, 11; or.pred %p0, %p0, %p2; @%p0 bra S;\n"
          "W: ld.volatile.global.u32 %r4, [%rd4+4100]; setp.eq.u32 %p1, %r4, 0; @%p1 bra W;\n"
          "S: st.volatile.global.u32 [%rd4+4096], 1; atom.global.add.u32 %r5, [%rd0+4092], 1;\n"
          "st.global.u32 [%rd2], %r5;"),
        /* A lock. */
        K("setp.ne.u32 %p0, %r2, 0; @%p0 bra E;\n"
          "L: atom.global.cas.b32 %r4, [%rd0+4096], 0, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra L;\n"
          "ld.global.u32 %r5, [%rd0+4100]; mad.lo.u32 %r5, %r5, 3, %r1; st.global.u32 [%rd0+4100], %r5;\n"
          "atom.global.exch.b32 %r4, [%rd0+4096], 0; E:"),
    };
    expect_all_same(texts, COUNTOF(texts), 12);
}

/* Block 5 and later ones wait for what nobody writes: the same fault, after the same number of instructions. */
static void test_waiting_in_vain_ends_alike(void **state)
{
    (void)state;
    static const char text[] =
        K("st.global.u32 [%rd2], %r3; red.global.add.u32 [%rd0+4100], %r1; setp.lt.u32 %p0, %r1, 5; @%p0 bra E;\n"
          "W: ld.volatile.global.u32 %r4, [%rd0+4096]; setp.eq.u32 %p1, %r4, 0; @%p1 bra W; E:");
    expect_same(&(struct ahead_case){.text = text, .blocks = 9, .poll_limit = 5000}, "livelock");
    expect_same(&(struct ahead_case){.text = text, .blocks = 9, .limit = 3000}, NULL);
    /* The last block waits, and writes nothing. */
    static const char silent[] =
        K("mov.u32 %r4, %nctaid.x; sub.u32 %r4, %r4, 1; setp.ge.u32 %p0, %r1, %r4; @%p0 bra W;\n"
          "red.global.max.u32 [%rd0+4100], %r1; st.global.u32 [%rd2], %r3; bra E;\n"
          "W: ld.volatile.global.u32 %r4, [%rd0+4096]; setp.eq.u32 %p1, %r4, 0; @%p1 bra W; E:");
    for (uint32_t blocks = 4; blocks < 8; blocks++)
        for (uint64_t limit = 4; limit < 200; limit += 27)
            expect_same(&(struct ahead_case){.text = silent, .blocks = blocks, .poll_limit = limit}, "livelock");
}

/* A block whose quantum is used up lets the next one run beside it. */
static void test_long_blocks_take_turns(void **state)
{
    (void)state;
    static const char text[] =
        K("mov.u32 %r4, 0; mov.u32 %r6, 60000; setp.ne.u32 %p2, %r1, 2; @%p2 mov.u32 %r6, 10;\n"
          "L: add.u32 %r5, %r5, %r4; xor.b32 %r5, %r5, %r3; add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, %r6;\n"
          "add.u32 %r7, %r7, %r5; shl.b32 %r8, %r7, 1; add.u32 %r7, %r8, %r5; xor.b32 %r7, %r7, %r4; @%p0 bra L;\n"
          "atom.global.add.u32 %r9, [%rd0+4096], 1; add.u32 %r9, %r9, %r7; st.global.u32 [%rd2], %r9;");
    expect_same(&(struct ahead_case){.text = text, .blocks = 6}, NULL);
}

/* ---- what only one thread at a time may do ---- */

static void test_faults_end_alike(void **state)
{
    (void)state;
    static const char stores[] =
        K("st.global.u32 [%rd2], %r3; rem.u32 %r4, %r1, 3; setp.ne.u32 %p0, %r4, 0; setp.lt.u32 %p1, %r1, 3;\n"
          "or.pred %p2, %p0, %p1; @%p2 bra E; mov.u64 %rd3, 64; st.global.u32 [%rd3], %r1;\n"
          "E: st.global.u32 [%rd2+4], %r3;");
    static const char traps[] = K("st.global.u32 [%rd2], %r3; setp.ne.u32 %p0, %r1, 7; @%p0 bra E; trap; E:");
    /* Blocks that read too early would fault, or not fault. */
    static const char by_value[] =
        K("ld.global.u32 %r4, [%rd0+4096]; add.u32 %r5, %r4, 1; bar.sync 0; st.global.u32 [%rd0+4096], %r5;\n"
          "setp.ne.u32 %p0, %r4, %r1; @%p0 trap; setp.ne.u32 %p1, %r4, 13; @%p1 bra E; mov.u64 %rd3, 64;\n"
          "st.global.u32 [%rd3], %r1; E:");
    expect_same(&(struct ahead_case){.text = stores, .blocks = 14}, "block (3,0,0)");
    expect_same(&(struct ahead_case){.text = traps, .blocks = 14}, "block (7,0,0)");
    expect_same(&(struct ahead_case){.text = by_value, .blocks = 20}, "block (13,0,0)");
}

static void test_limits_end_alike(void **state)
{
    (void)state;
    static const char text[] =
        K("mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, 100; @%p0 bra L; st.global.u32 [%rd2], %r4;\n"
          "red.global.add.u32 [%rd0+4096], 1;");
    for (uint64_t limit = 600; limit < 12000; limit += 757)
        expect_same(&(struct ahead_case){.text = text, .blocks = 14, .limit = limit}, NULL);
    expect_same(&(struct ahead_case){.text = text, .blocks = 400, .limit = 200000}, "limit");
}

static void test_clocks_go_on(void **state)
{
    (void)state;
    static const char *const texts[] = {
        K("mov.u32 %r4, %clock; st.global.u32 [%rd2], %r4;"),
        K("ld.global.u32 %r5, [%rd2]; mov.u64 %rd3, %globaltimer; cvt.u32.u64 %r4, %rd3; add.u32 %r4, %r4, %r5;\n"
          "st.global.u32 [%rd2], %r4; mov.u32 %r6, %clock; st.global.u32 [%rd2+1024], %r6;"),
    };
    expect_all_same(texts, COUNTOF(texts), 15);
}

#define SYSTEM                                                                                                        \
    HEADER ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"                                   \
           ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n" \
           ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"               \
           ".global .align 1 .b8 fmt[8] = {37, 100, 32, 37, 100, 10, 0, 0};\n"
#define PRINT                                                                                                      \
    "st.local.u32 [buffer], %r1; st.local.u32 [buffer+4], %r4; mov.u64 %rd5, buffer; cvta.local.u64 %rd5, %rd5;\n" \
    "mov.u64 %rd6, fmt; { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd6;\n"                  \
    "st.param.b64 [a], %rd5; call.uni (r), vprintf, (f, a); }\n"
#define SYSTEM_K(body) \
    SYSTEM ".visible .entry k(.param .u64 out)\n{\n.local .align 8 .b8 buffer[16];\n" REGS GLOBAL OWN body "ret;\n}\n"

static void test_the_system_is_called_in_order(void **state)
{
    (void)state;
    static const char prints[] =
        SYSTEM_K("setp.ne.u32 %p0, %r2, 5; ld.global.u32 %r4, [%rd0+4096]; add.u32 %r6, %r4, %r1;\n"
                 "bar.sync 0; st.global.u32 [%rd0+4096], %r6; @%p0 bra E;\n" PRINT "E: ");
    /* Blocks hand memory from malloc on to later blocks; one frees it. */
    static const char allocates[] =
        SYSTEM_K("setp.ne.u32 %p0, %r2, 0; @%p0 bra E; ld.global.u64 %rd3, [%rd0+4096]; setp.ne.u64 %p1, %rd3, 0;\n"
                 "@%p1 bra H; { .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call.uni (r), malloc, (n);\n"
                 "ld.param.b64 %rd3, [r]; } st.global.u64 [%rd0+4096], %rd3; st.u32 [%rd3], 1;\n"
                 "H: ld.u32 %r4, [%rd3]; mad.lo.u32 %r4, %r4, 3, %r1; st.u32 [%rd3], %r4; st.global.u32 [%rd2], %r4;\n"
                 "setp.ne.u32 %p2, %r1, 9; @%p2 bra E; { .param .b64 p; st.param.b64 [p], %rd3; call.uni free, (p); }\n"
                 "mov.u64 %rd3, 0; st.global.u64 [%rd0+4096], %rd3; E: ");
    static const char asserts[] =
        SYSTEM_K("st.global.u32 [%rd2], %r3; setp.ne.u32 %p0, %r1, 6; @%p0 bra E;\n"
                 "{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s; mov.u64 %rd6, fmt;\n"
                 "st.param.b64 [m], %rd6; st.param.b64 [f], %rd6; st.param.b32 [l], 5; st.param.b64 [n], %rd6;\n"
                 "st.param.b64 [s], 1; call.uni __assertfail, (m, f, l, n, s); }\n"
                 "E: atom.global.add.u32 %r4, [%rd0+4096], 1; ");
    expect_same(&(struct ahead_case){.text = prints, .blocks = 13}, "12 66\n");
    expect_same(&(struct ahead_case){.text = allocates, .blocks = 20}, NULL);
    expect_same(&(struct ahead_case){.text = asserts, .blocks = 20}, "assertion");
    /* Memory that is freed while later blocks, ahead of their turns, still find it. */
    static const char frees[] =
        SYSTEM_K("setp.ne.u32 %p0, %r2, 0; @%p0 bra E; setp.ne.u32 %p1, %r1, 0; @%p1 bra H;\n"
                 "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call.uni (r), malloc, (n);\n"
                 "ld.param.b64 %rd3, [r]; } st.global.u64 [%rd0+4096], %rd3; st.u32 [%rd3], 7;\n"
                 "H: ld.global.u64 %rd3, [%rd0+4096]; ld.u32 %r4, [%rd3]; st.global.u32 [%rd2], %r4;\n"
                 "setp.ne.u32 %p2, %r1, 9; @%p2 bra E; { .param .b64 p; st.param.b64 [p], %rd3; call.uni free, (p); }\n"
                 "E: ");
    expect_same(&(struct ahead_case){.text = frees, .blocks = 20}, "block (10,0,0)");
    /* One block asserts, a later one never ends. */
    static const char lasts[] =
        SYSTEM_K("st.global.u32 [%rd2], %r3; setp.ne.u32 %p0, %r1, 6; @%p0 bra E;\n"
                 "{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s; mov.u64 %rd6, fmt;\n"
                 "st.param.b64 [m], %rd6; st.param.b64 [f], %rd6; st.param.b32 [l], 5; st.param.b64 [n], %rd6;\n"
                 "st.param.b64 [s], 1; call.uni __assertfail, (m, f, l, n, s); }\n"
                 "E: setp.eq.u32 %p1, %r1, 8; L: @%p1 bra L; ");
    expect_same(&(struct ahead_case){.text = lasts, .blocks = 9, .limit = 3000000}, "assertion");
}

static void test_counters_by_pc_are_summed(void **state)
{
    (void)state;
    static const char text[] =
        K("ld.global.u32 %r4, [%rd0+4096]; bar.sync 0; add.u32 %r5, %r4, %r1; st.global.u32 [%rd0+4096], %r5;\n"
          "L: and.b32 %r6, %r5, 7; setp.gt.u32 %p0, %r2, %r5; @%p0 bra N; add.u32 %r7, %r7, 1;\n"
          "N: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r5; @%p1 bra L; st.global.u32 [%rd2], %r7;");
    expect_same(&(struct ahead_case){.text = text, .blocks = 19, .has_sites = true}, NULL);
}

/* What a thread finds in local memory that it did not write does not depend on the block that had the memory before. */
static void test_local_memory_is_nobodys(void **state)
{
    (void)state;
    static const char text[] =
        HEADER ".visible .entry k(.param .u64 out)\n{\n.local .align 4 .b8 buffer[64];\n" REGS GLOBAL OWN
               "and.b32 %r4, %r1, 3; mul.wide.u32 %rd3, %r4, 4; mov.u64 %rd4, buffer; add.u64 %rd4, %rd4, %rd3;\n"
               "ld.local.u32 %r5, [%rd4+4]; st.local.u32 [%rd4], %r3; add.u32 %r5, %r5, 1; st.global.u32 [%rd2], %r5;\n"
               "ret;\n}\n";
    expect_same(&(struct ahead_case){.text = text, .blocks = 16}, "conflicts ();\n 1 1 1 1");
}

/* Texture fetches see what earlier blocks stored, and own stores. */
static void test_textures_are_read_in_order(void **state)
{
    (void)state;
    static const char *const texts[] = {
        K("mov.u64 %rd3, 77; add.u32 %r4, %r15, 960; and.b32 %r4, %r4, 1023;\n"
          "tex.1d.v4.u32.s32 {%r5, %r6, %r7, %r8}, [%rd3, {%r4}]; mad.lo.u32 %r5, %r5, 3, %r3;\n"
          "st.global.u32 [%rd2], %r5;"),
        K("mov.u64 %rd3, 77; st.global.u32 [%rd2], %r3; tex.1d.v4.u32.s32 {%r5, %r6, %r7, %r8}, [%rd3, {%r15}];\n"
          "st.global.u32 [%rd2+4096], %r5;"),
    };
    for (size_t i = 0; i < COUNTOF(texts); i++)
        expect_same(&(struct ahead_case){.text = texts[i], .blocks = 16, .has_texture = true}, NULL);
}

/* What must not make blocks run in vain. */
static void test_most_blocks_run_ahead(void **state)
{
    (void)state;
    static const char *const all_good[] = {
        K("st.global.u32 [%rd2], %r3;"),
        K("ld.global.u32 %r4, [%rd2]; mad.lo.u32 %r4, %r4, 3, %r3; st.global.u32 [%rd2], %r4;"), /* in place */
        K("cvt.rn.f32.u32 %f0, %r3; red.global.add.f32 [%rd0+4096], %f0; ld.global.u32 %r4, [%rd2];\n"
          "st.global.u32 [%rd2], %r4;"),
        /* neighbours in a unit of 32 bytes */
        K("cvt.u64.u32 %rd3, %r1; add.u64 %rd4, %rd0, %rd3; st.global.u8 [%rd4+4096], %r1;\n"
          "ld.global.u8 %r4, [%rd4+4096]; st.global.u8 [%rd4+5120], %r4;"),
        K("st.global.u32 [%rd2], %r3; atom.global.add.u32 %r4, [%rd0+4096], 1; st.global.u32 [%rd2], %r4;"),
    };
    for (size_t i = 0; i < COUNTOF(all_good); i++)
        assert_int_equal(expect_same(&(struct ahead_case){.text = all_good[i], .blocks = 16}, NULL), 100);
    static const char chain[] =
        K("ld.global.u32 %r4, [%rd0+4096]; add.u32 %r4, %r4, %r1; st.global.u32 [%rd0+4096], %r4;");
    assert_in_range(expect_same(&(struct ahead_case){.text = chain, .blocks = 40}, NULL), 0, 50);
}

/* Half of the threads of a row wait for the other half, so that turns go by age: from then on, rows of later blocks take
 * such turns sooner. */
static void test_locks_are_remembered(void **state)
{
    (void)state;
    static const char text[] =
        K("setp.lt.u32 %p3, %r1, 4; @%p3 bra E; shl.b32 %r4, %r1, 6; cvt.u64.u32 %rd3, %r4; add.u64 %rd4, %rd0, %rd3; "
          "setp.lt.u32 %p0, %r2, 16;\n"
          "setp.ge.u32 %p1, %r2, 32; @%p1 bra E; @%p0 bra W; bra S;\n"
          "W: ld.global.u32 %r5, [%rd4+4096]; add.u32 %r6, %r6, 1; setp.eq.u32 %p2, %r5, 0; @%p2 bra W; bra E;\n"
          "S: mov.u32 %r7, 1; st.global.u32 [%rd4+4096], %r7; E: st.global.u32 [%rd2], %r6;");
    expect_same(&(struct ahead_case){.text = text, .blocks = 7}, NULL);
}

/* Every block reads what the block before it wrote last, so that all blocks run ahead in vain: after the first launch,
 * few launches try. */
static void test_launches_in_vain_are_not_repeated(void **state)
{
    (void)state;
    enum { LAUNCHES = 24, BLOCKS = 128 };
    static const char chain[] =
        K("L: ld.global.u32 %r4, [%rd0+4096]; add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 200; @%p0 bra L;\n"
          "add.u32 %r4, %r4, 1; st.global.u32 [%rd0+4096], %r4;");
    struct bench b;
    struct ahead_team *team = ahead_team_create(2);
    int tries = 0;
    open_bench(&b, chain);
    b.launch.grid[0] = BLOCKS;
    b.launch.block[0] = 64;
    b.launch.team = team;
    for (int n = 0; n < LAUNCHES; n++) {
        uint64_t before = team->good + team->vain;
        run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, FAULT_NONE);
        tries += team->good + team->vain > before;
    }
    assert_in_range(tries, 1, LAUNCHES / 2);
    close_bench(&b);
    ahead_team_destroy(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_see_what_blocks_before_them_wrote),
        cmocka_unit_test(test_blocks_see_what_they_wrote),
        cmocka_unit_test(test_atomics_happen_in_order),
        cmocka_unit_test(test_blocks_wait_for_blocks),
        cmocka_unit_test(test_waiting_in_vain_ends_alike),
        cmocka_unit_test(test_long_blocks_take_turns),
        cmocka_unit_test(test_faults_end_alike),
        cmocka_unit_test(test_limits_end_alike),
        cmocka_unit_test(test_clocks_go_on),
        cmocka_unit_test(test_the_system_is_called_in_order),
        cmocka_unit_test(test_textures_are_read_in_order),
        cmocka_unit_test(test_most_blocks_run_ahead),
        cmocka_unit_test(test_locks_are_remembered),
        cmocka_unit_test(test_launches_in_vain_are_not_repeated),
        cmocka_unit_test(test_counters_by_pc_are_summed),
        cmocka_unit_test(test_local_memory_is_nobodys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
