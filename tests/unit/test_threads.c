/*
 * Host threads: crews, batons, decks, writes that wait for the end of a window, and launches that leave the same memory
 * and the same counters whatever the number of host threads.
 */
#include "kernel_bench.h"

#include "base/arena.h"
#include "base/baton.h"
#include "base/crew.h"
#include "base/deck.h"
#include "exec/bound.h"
#include "exec/posted.h"
#include "gpu/hands.h"
#include "run/run.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- crews ---- */

enum { MEMBERS = 4, ROUNDS = 3000 };

/* Each member adds what its neighbour had at the end of the round before. */
struct ring_of_sums {
    uint64_t sum[2][MEMBERS];
    int round;
};

static void add_neighbour(void *context, int member)
{
    struct ring_of_sums *r = context;
    const uint64_t *before = r->sum[r->round & 1];
    r->sum[~r->round & 1][member] = before[member] * 3 + before[(member + 1) % MEMBERS];
}

static void test_crew_works_in_rounds(void **state)
{
    (void)state;
    struct ring_of_sums alone = {.sum = {{1, 2, 3, 4}}}, together = alone;
    struct crew *crew = crew_create(MEMBERS);
    assert_int_equal(crew_size(crew), MEMBERS);
    for (int i = 0; i < ROUNDS; i++) {
        for (int m = 0; m < MEMBERS; m++)
            add_neighbour(&alone, m);
        alone.round++;
        crew_run(crew, add_neighbour, &together);
        together.round++;
    }
    assert_memory_equal(&alone, &together, sizeof alone);
    crew_destroy(crew);
    assert_null(crew_create(1));
    assert_int_equal(crew_size(NULL), 1);
    assert_true(crew_idle_cores() >= 1);
}

/* A program may fork between two launches. The threads stay with the parent: the child must not wait for them. */
static void test_crew_is_of_no_use_in_a_child(void **state)
{
    (void)state;
    struct crew *crew = crew_create(MEMBERS);
    pid_t child = fork();
    if (!child) {
        int size = crew_size(crew);
        alarm(10);
        crew_destroy(crew);
        _exit(size == 1 ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(crew_size(crew), MEMBERS);
    crew_destroy(crew);
}

/* ---- batons ---- */

enum { LEGS = 4000 };

/* Members write down in turn which piece of work they did. */
struct relay_book {
    struct baton baton;
    int at, written[LEGS];
};

static void write_own_legs(void *context, int member)
{
    struct relay_book *book = context;
    for (int i = 0; i < LEGS; i++) {
        if (i * 7 / 5 % MEMBERS != member) /* the next one is another member's, or the same one's again */
            continue;
        baton_await(&book->baton, i);
        book->written[book->at++] = i;
        baton_pass(&book->baton, i + 1);
    }
}

static void test_baton_keeps_the_order(void **state)
{
    (void)state;
    struct relay_book *book = xcalloc(1, sizeof *book);
    struct crew *crew = crew_create(MEMBERS);
    crew_run(crew, write_own_legs, book);
    assert_int_equal(book->at, LEGS);
    for (int i = 0; i < LEGS; i++)
        assert_int_equal(book->written[i], i);
    crew_destroy(crew);
    free(book);
}

/* ---- turns of hands, one after the other ---- */

/* What each turn found: its hand, the thread that had it, and how many turns were before it. */
struct turn_note {
    int hand, before;
    pthread_t thread;
};
static struct turn_note notes[LEGS];
static int note_count, last_note;

static bool note_turn(struct gpu *g, struct hand *hand, int sm)
{
    notes[sm] = (struct turn_note){.hand = (int)(hand - g->hands.at), .before = note_count++, .thread = pthread_self()};
    return sm != last_note;
}

static void test_hands_have_turns_in_order(void **state)
{
    (void)state;
    struct gpu_run run = {0};
    struct hand *hands = xmalloc_lines(MEMBERS * sizeof *hands);
    struct gpu g = {.run = &run, .hands = {.crew = crew_create(MEMBERS), .at = hands, .count = MEMBERS}};
    struct hand_turn turns[LEGS];
    pthread_t of_hand[MEMBERS];
    for (int i = 0; i < LEGS; i++)
        turns[i] = (struct hand_turn){.sm = i, .hand = i * 7 / 5 % MEMBERS};
    note_count = 0;
    last_note = -1;
    assert_true(hands_run_in_order(&g, turns, LEGS, note_turn));
    assert_int_equal(note_count, LEGS);
    for (int i = 0; i < LEGS; i++)
        of_hand[turns[i].hand] = notes[i].thread;
    for (int i = 0; i < LEGS; i++) {
        assert_int_equal(notes[i].before, i);
        assert_int_equal(notes[i].hand, turns[i].hand);
        assert_true(pthread_equal(notes[i].thread, of_hand[turns[i].hand]));
    }
    for (int i = 1; i < MEMBERS; i++)
        assert_false(pthread_equal(of_hand[i], of_hand[i - 1]));
    note_count = 0;
    last_note = 5;
    assert_false(hands_run_in_order(&g, turns, LEGS, note_turn));
    assert_int_equal(note_count, 6);
    crew_destroy(g.hands.crew);
    free(hands);
}

/* ---- decks ---- */

enum { CARDS = 1000 };

/* What a member takes: its own deck from the front, then those of the others from the back. */
struct table_of_decks {
    struct deck deck[MEMBERS];
    atomic_int taken[MEMBERS * CARDS];
};

static void take_all(void *context, int member)
{
    struct table_of_decks *t = context;
    for (int card; (card = deck_take_front(&t->deck[member])) != DECK_EMPTY;)
        atomic_fetch_add(&t->taken[card], 1);
    for (int i = 0; i < MEMBERS; i++)
        for (int card; (card = deck_take_back(&t->deck[i])) != DECK_EMPTY;)
            atomic_fetch_add(&t->taken[card], 1);
}

static void test_each_number_of_a_deck_is_taken_once(void **state)
{
    (void)state;
    struct table_of_decks *t = calloc(1, sizeof *t);
    struct crew *crew = crew_create(MEMBERS);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < MEMBERS; i++) /* decks of different sizes, the first one empty */
            deck_fill(&t->deck[i], (uint32_t)(i * CARDS), (uint32_t)(i * CARDS + i * (round + 1)));
        memset(t->taken, 0, sizeof t->taken);
        crew_run(crew, take_all, t);
        for (int card = 0; card < MEMBERS * CARDS; card++)
            assert_int_equal(t->taken[card], card % CARDS < card / CARDS * (round + 1));
    }
    crew_destroy(crew);
    deck_fill(&t->deck[0], 7, 10);
    assert_int_equal(deck_take_front(&t->deck[0]), 7);
    assert_int_equal(deck_take_back(&t->deck[0]), 9);
    assert_int_equal(deck_take_back(&t->deck[0]), 8);
    assert_int_equal(deck_take_front(&t->deck[0]), DECK_EMPTY);
    deck_fill(&t->deck[0], 3, 5);
    assert_int_equal(deck_take_alone(&t->deck[0]), 3);
    assert_int_equal(deck_take_alone(&t->deck[0]), 4);
    assert_int_equal(deck_take_alone(&t->deck[0]), DECK_EMPTY);
    free(t);
}

/* ---- writes that wait ---- */

static void expect_view(const struct posted *p, const uint8_t *host, uint64_t value, uint32_t bytes)
{
    uint64_t seen = 0;
    posted_read(p, host, &seen, bytes);
    assert_int_equal(seen, value);
}

static void post_word(struct posted *p, uint8_t *host, uint32_t value)
{
    memcpy(posted_store(p, 0, host, sizeof value), &value, sizeof value);
}

/* An atomic of the kernel k, by its place among the kernel's atomics. */
static const struct bound *find_atomic(const struct code *code, int which)
{
    for (int32_t pc = 0; pc < code->program->insn_count; pc++)
        if (code->bound[pc].kind == BOUND_ATOMIC && which-- == 0)
            return &code->bound[pc];
    fail_msg("no such atomic");
    return NULL;
}

static void test_own_writes_are_seen_and_others_wait(void **state)
{
    (void)state;
    struct bench b;
    char *error = NULL;
    open_bench(&b, HEADER ".visible .entry k(.param .u64 out)\n{ .reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .b64 %x;\n"
                          "ld.param.u64 %rd0, [out]; mov.u32 %r0, 1; mov.u64 %x, 1;\n"
                          "red.global.add.u32 [%rd0], %r0; red.global.add.u64 [%rd0], %x; ret; }\n");
    struct code *code = code_create(b.launch.kernel, b.image, &error);
    const struct bound *add_word = find_atomic(code, 0), *add_pair = find_atomic(code, 1);
    _Alignas(128) uint8_t memory[256];
    struct posted p = {0};
    memset(memory, 0x11, sizeof memory);
    uint8_t *at = memory + 64;
    assert_false(posted_may_hold(&p, (uintptr_t)at));
    assert_false(posted_reaches(&p, memory, sizeof memory));
    post_word(&p, at, 5);
    posted_atomic(&p, 0, add_word, at, (const uint64_t[]){10, 0}, 2, (struct posted_result){NULL, 0});
    posted_atomic(&p, 0, add_pair, at, (const uint64_t[]){UINT64_C(1) << 32, 0}, 2, (struct posted_result){NULL, 0});
    post_word(&p, at + 8, 0xabcd1234);
    assert_true(posted_may_hold(&p, (uintptr_t)at));
    assert_true(posted_reaches(&p, memory, sizeof memory) && posted_reaches(&p, at + 11, 1));
    assert_false(posted_reaches(&p, memory, 64) || posted_reaches(&p, at + 12, 1));
    assert_int_equal(*(uint32_t *)(void *)at, 0x11111111); /* nobody else sees anything yet */
    expect_view(&p, at, 15, 4);
    expect_view(&p, at, 15, 1);
    expect_view(&p, at + 4, 0x11111112, 4); /* the upper half of the pair alone */
    expect_view(&p, at + 5, 0x11, 1);
    expect_view(&p, at, UINT64_C(0x111111120000000f), 8);
    expect_view(&p, at + 8, 0x34, 1);
    expect_view(&p, at + 10, UINT64_C(0x11111111abcd), 6);
    expect_view(&p, at + 128, 0x11111111, 4);
    posted_apply(&p, 0, false);
    assert_int_equal(*(uint64_t *)(void *)at, UINT64_C(0x111111120000000f));
    assert_int_equal(*(uint32_t *)(void *)(at + 8), 0xabcd1234);
    assert_int_equal(p.changed, 4);
    assert_int_equal(p.count, 0);
    assert_false(posted_may_hold(&p, (uintptr_t)at));
    assert_false(posted_reaches(&p, memory, sizeof memory));
    posted_close(&p);
    code_destroy(code);
    close_bench(&b);
}

/* Late writes wait for their part of the window, and with them the results of atomics. */
static void test_late_writes_wait(void **state)
{
    (void)state;
    struct bench b;
    char *error = NULL;
    open_bench(&b, HEADER ".visible .entry k(.param .u64 out)\n{ .reg .b64 %rd<2>; .reg .b32 %r<3>;\n"
                          "ld.param.u64 %rd0, [out]; mov.u32 %r0, 1;\n"
                          "atom.global.add.u32 %r1, [%rd0], %r0; st.global.u32 [%rd0], %r1; ret; }\n");
    struct code *code = code_create(b.launch.kernel, b.image, &error);
    const struct bound *add = find_atomic(code, 0);
    uint32_t word = 0, planes[1024] = {0}, *result = &planes[(unsigned)add->dest[0] / 4 + 3];
    uint8_t *at = (uint8_t *)&word;
    struct posted p = {0};
    memcpy(posted_store(&p, 1, at, 4), &(uint32_t){5}, 4);
    p.late_before = 3;
    posted_atomic(&p, 2, add, at, (const uint64_t[]){10, 0}, 2, (struct posted_result){(uint8_t *)planes, 3});
    memcpy(posted_store(&p, 3, at, 4), &(uint32_t){9}, 4);
    posted_apply(&p, 3, false);
    assert_int_equal(word, 5);
    assert_int_equal(posted_first(&p), 2);
    expect_view(&p, at, 9, 4);
    assert_int_equal(*result, 0);
    posted_apply(&p, 2, true);
    assert_int_equal(word, 15);
    assert_int_equal(*result, 5);
    posted_apply(&p, 3, false); /* not late */
    assert_int_equal(word, 9);
    assert_int_equal(p.count, 0);
    posted_close(&p);
    code_destroy(code);
    close_bench(&b);
}

/* ---- launches ---- */

/* What a launch left, as a text that can be compared. */
static char *outcome_of(const char *options, const char *text, uint32_t blocks)
{
    struct bench b;
    struct run_request request;
    struct run_outcome outcome;
    struct text all = {0};
    char *error = NULL;
    open_bench(&b, text);
    request_open(&request);
    if (!options_take_text(&request.options, options, &error) || !request_settle(&request, &error))
        fail_msg("%s", error);
    struct code *code = code_create(b.launch.kernel, b.image, &error);
    if (!code)
        fail_msg("%s", error);
    b.launch.grid[0] = blocks;
    b.launch.block[0] = 64;
    run_launch(&request, &b.launch, code, &outcome, NULL);
    const struct gpu_result *r = &outcome.result;
    char report[2048] = "";
    if (r->launch.fault.kind)
        fault_describe(&r->launch.fault, report, sizeof report);
    text_printf(&all, "%s; %llu cycles, %llu tolerated from block %llu on; ", report, (unsigned long long)r->cycles,
                (unsigned long long)r->launch.tolerated_reads, (unsigned long long)r->launch.first_tolerated.block);
    struct stat_result counters = {r->parts, r->part_count};
    stat_print_json(&counters, &all);
    for (int pc = 0; pc < r->site_count; pc++)
        text_printf(&all, " %llu/%llu", (unsigned long long)r->sites[pc].issues,
                    (unsigned long long)r->sites[pc].transactions);
    for (int i = 0; i < OUT_BYTES / 4; i++)
        text_printf(&all, " %x", ((uint32_t *)out(&b))[i]);
    run_outcome_free(&outcome);
    code_destroy(code);
    request_close(&request);
    close_bench(&b);
    return text_take(&all);
}

/* The launch leaves the same with 1, 2, 3 and 7 host threads. */
static void expect_same(const char *options, const char *text, uint32_t blocks, const char *says)
{
    static const int threads[] = {1, 2, 3, 7};
    char *first = NULL;
    for (size_t i = 0; i < COUNTOF(threads); i++) {
        char words[256];
        snprintf(words, sizeof words, "%s --threads %d", options, threads[i]);
        char *now = outcome_of(words, text, blocks);
        if (says && !strstr(now, says))
            fail_msg("with %s: '%s' does not say '%s'", words, now, says);
        if (first)
            assert_string_equal(first, now);
        else
            first = now;
        if (first != now)
            free(now);
    }
    free(first);
}

#define REGS   ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b16 %h<2>; .reg .b64 %rd<8>;\n"
#define GLOBAL "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, 64, %r2; ld.param.u64 %rd0, [out];\n"

/* Threads of all blocks load, store and do atomics without results on 64 words, in no order, and use what they load:
 * every value depends on who sees what when. Each fourth round counts with an atomic whose result is used. */
static const char racy[] = HEADER
    ".visible .entry k(.param .u64 out)\n{\n" REGS GLOBAL "mov.u32 %r4, %r3; mov.u32 %r5, 0;\n"
    "L: mad.lo.u32 %r4, %r4, 1664525, 1013904223; bfe.u32 %r6, %r4, 20, 6; mul.wide.u32 %rd1, %r6, 4;\n"
    "add.u64 %rd2, %rd0, %rd1; ld.global.u32 %r7, [%rd2]; add.u32 %r7, %r7, %r3; xor.b32 %r4, %r4, %r7;\n"
    "st.global.u32 [%rd2], %r7; ld.global.u32 %r8, [%rd2]; add.u32 %r4, %r4, %r8; red.global.add.u32 [%rd2], %r4;\n"
    "ld.global.u16 %h0, [%rd2]; cvt.u32.u16 %r9, %h0; xor.b32 %r4, %r4, %r9;\n"
    "and.b32 %r10, %r5, 3; setp.ne.u32 %p0, %r10, 3; @%p0 bra N;\n"
    "atom.global.add.u32 %r11, [%rd0+256], 1; add.u32 %r4, %r4, %r11;\n"
    "N: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 8; @%p1 bra L;\n"
    "and.b32 %r12, %r3, 1023; mul.wide.u32 %rd3, %r12, 4; add.u64 %rd4, %rd0, %rd3;\n"
    "st.global.u32 [%rd4+512], %r4; ret;\n}\n";

static void test_races_end_alike(void **state)
{
    (void)state;
    static const char *const mechanisms[] = {"pdom", "dwf", "tbc", "volta", "vws", "mimd"};
    for (size_t i = 0; i < COUNTOF(mechanisms); i++) {
        char options[64];
        snprintf(options, sizeof options, "--gpu fermi --mech %s", mechanisms[i]);
        expect_same(options, racy, 24, NULL);
    }
    expect_same("--gpu volta", racy, 60, NULL);
    /* The first multiprocessor that fetches a line makes it faster for the others. */
    expect_same("--gpu fermi --mech mimd --set sm.fetch=icache", racy, 24, NULL);
    expect_same("--gpu fermi --mech bound", racy, 24, NULL);
}

/* Each thread i works on a word of its own: stores 3i, loads that, adds what it loaded and 1, loads the sum, and stores
 * 9i + 2, the sum of both loads and 1. A load issues right behind the write, in the same window, and must see it. */
static void test_threads_read_what_they_wrote(void **state)
{
    (void)state;
    static const char text[] = HEADER
        ".visible .entry k(.param .u64 out)\n{\n" REGS GLOBAL
        "mul.wide.u32 %rd1, %r3, 4; add.u64 %rd2, %rd0, %rd1; mul.lo.u32 %r4, %r3, 3; st.global.u32 [%rd2], %r4;\n"
        "ld.global.u32 %r5, [%rd2]; add.u32 %r6, %r5, 1; red.global.add.u32 [%rd2], %r6;\n"
        "ld.global.u32 %r7, [%rd2]; add.u32 %r8, %r6, %r7; st.global.u32 [%rd2], %r8; ret;\n}\n";
    struct text expected = {0};
    for (unsigned i = 0; i < 20 * 64; i++)
        text_printf(&expected, " %x", 9 * i + 2);
    expect_same("--gpu fermi", text, 20, expected.data);
    text_free(&expected);
}

/* Blocks 3, 9 and 12 store where nothing is: the same one is always blamed, and what was written until then is the
 * same. */
static void test_faults_end_alike(void **state)
{
    (void)state;
    static const char text[] =
        HEADER ".visible .entry k(.param .u64 out)\n{\n" REGS GLOBAL
               "mul.wide.u32 %rd1, %r3, 4; add.u64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r3;\n"
               "rem.u32 %r4, %r1, 3; setp.ne.u32 %p0, %r4, 0; setp.lt.u32 %p1, %r1, 3; or.pred %p2, %p0, %p1;\n"
               "@%p2 bra E; mov.u64 %rd3, 64; st.global.u32 [%rd3], %r1;\n"
               "E: st.global.u32 [%rd2+4], %r3; ret;\n}\n";
    expect_same("--gpu fermi", text, 14, "block (3,0,0)");
}

/* Loads past the end, which are tolerated, are counted once each. Blocks with lower numbers load later, so that the first
 * load is not that of the first block. */
/* Atomics whose result is used have turns of their own, each on the thread of its hand. The fault of the first one is
 * reported, and later ones are not executed. Before them all threads have long turns side by side; who runs which
 * multiprocessor then is a matter of chance, hence several runs. */
static void test_faults_of_own_turns_end_alike(void **state)
{
    (void)state;
    static const char text[] =
        HEADER ".visible .entry k(.param .u64 out)\n{\n" REGS GLOBAL
               "rem.u32 %r5, %r1, 3; setp.eq.u32 %p0, %r5, 0; setp.gt.u32 %p1, %r1, 8; and.pred %p0, %p0, %p1;\n"
               "mov.u64 %rd1, %rd0; mov.u32 %r6, 0;\n"
               "L: mad.lo.u32 %r7, %r7, 3, %r6; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 2000; @%p2 bra L;\n"
               "@%p0 mov.u64 %rd1, 64; atom.global.exch.b32 %r5, [%rd1+4], %r7; ret;\n}\n";
    for (int i = 0; i < 4; i++)
        expect_same("--gpu fermi", text, 14, "block (9,0,0)");
}

static void test_tolerated_reads_are_summed(void **state)
{
    (void)state;
    static const char text[] =
        HEADER ".visible .entry k(.param .u64 out)\n{\n" REGS GLOBAL
               "mul.wide.u32 %rd1, %r3, 4; add.u64 %rd2, %rd0, %rd1; sub.u32 %r5, 12, %r1; mul.lo.u32 %r5, %r5, 10;\n"
               "L: sub.u32 %r5, %r5, 1; setp.gt.s32 %p0, %r5, 0; @%p0 bra L;\n"
               "ld.global.u32 %r4, [%rd2+65536]; st.global.u32 [%rd2], %r4; ret;\n}\n";
    expect_same("--gpu fermi --tolerate reads", text, 15, " 960 tolerated from block 12 on");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crew_works_in_rounds),
        cmocka_unit_test(test_crew_is_of_no_use_in_a_child),
        cmocka_unit_test(test_baton_keeps_the_order),
        cmocka_unit_test(test_hands_have_turns_in_order),
        cmocka_unit_test(test_each_number_of_a_deck_is_taken_once),
        cmocka_unit_test(test_own_writes_are_seen_and_others_wait),
        cmocka_unit_test(test_late_writes_wait),
        cmocka_unit_test(test_races_end_alike),
        cmocka_unit_test(test_threads_read_what_they_wrote),
        cmocka_unit_test(test_faults_end_alike),
        cmocka_unit_test(test_faults_of_own_turns_end_alike),
        cmocka_unit_test(test_tolerated_reads_are_summed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
