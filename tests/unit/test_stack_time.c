/* Stacks of limited capacity, and the time of pushes, pops and moves into memory: to the cycle under pdom and tbc, and
 * for every mechanism whose stacks take time. */
#include "timing_bench.h"

/* A branch whose sides both have work; those of two warps pack into one warp each. At the branch two entries are pushed
 * onto one; each side's end pops one. */
static const char hammock[] =
    "mov.u32 %r0, 0xa5a5;\nshr.u32 %r0, %r0, %t;\nand.b32 %r0, %r0, 1;\nsetp.ne.u32 %p0, %r0, 0;\n"
    "@%p0 bra C; // A\n"
    "add.u32 %r1, %t, 1; // B\n"
    "bra D; // B2\n"
    "C: add.u32 %r1, %t, 2; // C\n"
    "D: add.u32 %r2, %r1, 1; // D\n";

struct delays {
    uint64_t taken, other, behind; /* from the last A to C, C to B, the end of B to the first D */
    uint64_t spills, cycles;
};

static struct delays delays_of(const char *mechanism, const char *knobs, int threads)
{
    struct timing t;
    struct timing_case c = {
        .body = hammock, .machine = "tiny", .mechanism = mechanism, .knobs = knobs, .threads = (uint32_t)threads};
    char name[2][64];
    snprintf(name[0], sizeof name[0], "%s.spills", mechanism);
    snprintf(name[1], sizeof name[1], "%s.stack_cycles", mechanism);
    timing_open(&t, &c, "%s", "");
    uint64_t last = issued_nth(&t, "A", ANY_STRAND, threads / 4 - 1), first = issued_nth(&t, "D", ANY_STRAND, 0);
    struct delays d = {issued(&t, "C") - last, issued(&t, "B") - issued(&t, "C"), first - issued(&t, "B2"),
                       count_of(&t, name[0]), count_of(&t, name[1])};
    timing_close(&t);
    return d;
}

static void expect(const char *mechanism, const char *knobs, struct delays more)
{
    struct delays plain = delays_of(mechanism, NULL, 4), d = delays_of(mechanism, knobs, 4);
    assert_int_equal(plain.spills + plain.cycles, 0);
    assert_int_equal(d.taken, plain.taken + more.taken);
    assert_int_equal(d.other, plain.other + more.other);
    assert_int_equal(d.behind, plain.behind + more.behind);
    assert_int_equal(d.spills, more.spills);
    assert_int_equal(d.cycles, more.taken + more.other + more.behind);
}

static void pushes_and_pops_take_their_time(void **state)
{
    (void)state;
    static const char *const mechanisms[] = {"pdom", "pdom-lcp", "bcc", "scc", "tbc", "tbc-lcp", "lwm"};
    for (size_t i = 0; i < COUNTOF(mechanisms); i++) {
        expect(mechanisms[i], "stack_cycles=5", (struct delays){10, 5, 5, 0, 0});
        expect(mechanisms[i], "stack_cycles=1", (struct delays){2, 1, 1, 0, 0});
    }
}

static void entries_beyond_the_capacity_go_to_memory(void **state)
{
    (void)state;
    static const char *const mechanisms[] = {"pdom", "tbc", "lwm"};
    for (size_t i = 0; i < COUNTOF(mechanisms); i++) {
        expect(mechanisms[i], "stack_entries=3 spill_cycles=7", (struct delays){0, 0, 0, 0, 0});
        expect(mechanisms[i], "stack_entries=2 spill_cycles=7", (struct delays){7, 0, 7, 2, 0});
        expect(mechanisms[i], "stack_entries=1 spill_cycles=7", (struct delays){14, 7, 7, 4, 0});
        expect(mechanisms[i], "stack_entries=1 spill_cycles=7 stack_cycles=2", (struct delays){18, 9, 9, 4, 0});
    }
}

/* Two warps that meet: a frame has one entry per side. */
static void frames_take_time_too(void **state)
{
    (void)state;
    static const char *const mechanisms[] = {"capri", "tstbc", "tbc-dpe"};
    for (size_t i = 0; i < COUNTOF(mechanisms); i++) {
        struct delays plain = delays_of(mechanisms[i], NULL, 8), slow = delays_of(mechanisms[i], "stack_cycles=5", 8);
        assert_int_equal(plain.cycles, 0);
        assert_true(slow.taken >= plain.taken + 5);
        assert_true(slow.behind >= plain.behind + 5);
        struct delays full = delays_of(mechanisms[i], "stack_entries=1 spill_cycles=50", 8);
        assert_true(full.spills > 0 && full.cycles == 50 * full.spills);
    }
}

/* Four warps come to a branch. With a count that holds two, they meet two by two. */
static void a_meeting_closes_when_its_count_is_full(void **state)
{
    (void)state;
    struct timing_case c = {.body = hammock, .machine = "tiny", .mechanism = "tstbc", .threads = 16};
    static const struct {
        const char *knobs;
        unsigned frames;
    } cases[] = {{"counted=0", 1}, {"counted=2", 2}, {"counted=4", 1}, {"counted=1", 0}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        struct timing t;
        c.knobs = cases[i].knobs;
        timing_open(&t, &c, "%s", "");
        assert_int_equal(count_of(&t, "tstbc.frames"), cases[i].frames);
        assert_int_equal(count_of(&t, "tstbc.waits"), 4);
        timing_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pushes_and_pops_take_their_time),
        cmocka_unit_test(entries_beyond_the_capacity_go_to_memory),
        cmocka_unit_test(frames_take_time_too),
        cmocka_unit_test(a_meeting_closes_when_its_count_is_full),
    };
    return cmocka_run_group_tests_name("stack time", tests, NULL, NULL);
}
