/* Schedulers: the order that each policy is named for, ports, rejected strands, and none forgotten. */
#include "base/random.h"
#include "sched/sched.h"
#include "sched/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 3000 };

struct bench {
    const struct sched_ops *ops;
    struct sched *sched;
    struct strand strand[SCHED_MAX_STRANDS];
    bool added[SCHED_MAX_STRANDS];
    bool ready[SCHED_MAX_STRANDS];
    bool rejected[SCHED_MAX_STRANDS]; /* of a class that cannot issue */
    uint64_t now;
    uint64_t settling; /* cycles that the policy may need before it picks */
};

static struct bench *open_bench(const char *policy, int ports)
{
    struct bench *b = test_calloc(1, sizeof *b);
    b->ops = sched_find(policy);
    assert_non_null(b->ops);
    struct sched_setup setup = {.ports = ports, .group = 8, .now = &b->now};
    b->settling = b->ops->without_time ? 1000000 : 0;
    b->sched = b->ops->create(&setup);
    for (int i = 0; i < SCHED_MAX_STRANDS; i++)
        b->strand[i] = (struct strand){.id = i, .lineage = i, .birth = (uint64_t)i};
    return b;
}

static void close_bench(struct bench *b)
{
    b->ops->destroy(b->sched);
    test_free(b);
}

enum { CLASS_FREE, CLASS_BUSY };

static void ready(struct bench *b, int id)
{
    if (!b->added[id])
        b->ops->added(b->sched, &b->strand[id]);
    b->added[id] = b->ready[id] = true;
    b->ops->ready(b->sched, &b->strand[id], b->rejected[id] ? CLASS_BUSY : CLASS_FREE);
}

static void unready(struct bench *b, int id)
{
    b->ready[id] = false;
    if (b->added[id])
        b->ops->unready(b->sched, &b->strand[id]);
}

static void set_ready(struct bench *b, int id, bool on)
{
    (on ? ready : unready)(b, id);
}

static void remove_strand(struct bench *b, int id)
{
    b->added[id] = b->ready[id] = false;
    b->ops->removed(b->sched, &b->strand[id]);
}

static int pick(struct bench *b, int port)
{
    b->now += b->settling;
    struct sched_ask ask = {.port = port, .blocked = 1u << CLASS_BUSY, .free_slots = UINT64_MAX, .now = b->now};
    struct strand *s = b->ops->pick(b->sched, &ask);
    return s ? s->id : -1;
}

static int issue(struct bench *b, int port)
{
    int id = pick(b, port);
    if (id >= 0)
        b->ops->issued(b->sched, port, &b->strand[id], b->now);
    b->now++;
    return id;
}

static void reject(struct bench *b, int id, bool on)
{
    b->rejected[id] = on;
    if (b->ready[id])
        ready(b, id);
}

static void expect_issues(struct bench *b, const int *ids, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(issue(b, 0), ids[i]);
}

#define EXPECT_ISSUES(b, ...) \
    expect_issues(b, (const int[]){__VA_ARGS__}, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))

static void lrr_goes_round_by_lineage(void **state)
{
    (void)state;
    struct bench *b = open_bench("lrr", 1);
    b->strand[3].lineage = 70;
    b->strand[70].lineage = 3;
    ready(b, 0);
    ready(b, 3);
    ready(b, 70);
    EXPECT_ISSUES(b, 0, 70, 3, 0, 70);
    unready(b, 3);
    EXPECT_ISSUES(b, 0);
    ready(b, 1);
    EXPECT_ISSUES(b, 1, 70, 0);
    close_bench(b);
}

static void lrr_gives_each_strand_of_a_lineage_its_turn(void **state)
{
    (void)state;
    struct bench *b = open_bench("lrr", 1);
    b->strand[9].lineage = b->strand[5].lineage = b->strand[7].lineage = 2;
    ready(b, 9);
    ready(b, 5);
    ready(b, 7);
    ready(b, 100);
    EXPECT_ISSUES(b, 5, 7, 9, 100, 5, 7);
    unready(b, 7);
    EXPECT_ISSUES(b, 9, 100, 5, 9);
    close_bench(b);
}

static void lrr_alone_issues_again(void **state)
{
    (void)state;
    struct bench *b = open_bench("lrr", 1);
    ready(b, 40);
    EXPECT_ISSUES(b, 40, 40, 40);
    unready(b, 40);
    EXPECT_ISSUES(b, -1);
    close_bench(b);
}

static void gto_is_greedy_then_takes_the_oldest(void **state)
{
    (void)state;
    struct bench *b = open_bench("gto", 1);
    b->strand[2].birth = 90;
    b->strand[80].birth = 10;
    b->strand[200].birth = 50;
    ready(b, 2);
    ready(b, 80);
    ready(b, 200);
    EXPECT_ISSUES(b, 80, 80);
    unready(b, 80);
    EXPECT_ISSUES(b, 200, 200);
    ready(b, 80);
    EXPECT_ISSUES(b, 200); /* greed before age */
    unready(b, 200);
    EXPECT_ISSUES(b, 80);
    unready(b, 80);
    EXPECT_ISSUES(b, 2);
    close_bench(b);
}

/* Block, then warp, then birth: a compacted warp that was just made is older than the warps of later blocks, and both
 * sides of a branch are older than the next warp. */
static void age_goes_by_block_then_warp_then_birth(void **state)
{
    (void)state;
    static const char *const policies[] = {"gto", "oldest"};
    for (int i = 0; i < 2; i++) {
        struct bench *b = open_bench(policies[i], 1);
        static const struct {
            uint64_t block_age, birth;
            int rank;
        } oldest_first[] = {{0, 40, 8}, {0, 41, 8}, {0, 3, 9}, {1, 50, 1}, {1, 2, 2}};
        static const int ids[] = {100, 3, 70, 5, 90};
        for (int k = 4; k >= 0; k--) {
            b->strand[ids[k]].block_age = oldest_first[k].block_age;
            b->strand[ids[k]].birth = oldest_first[k].birth;
            b->strand[ids[k]].age_rank = oldest_first[k].rank;
            ready(b, ids[k]);
        }
        for (int k = 0; k < 5; k++) {
            EXPECT_ISSUES(b, ids[k]);
            unready(b, ids[k]);
        }
        close_bench(b);
    }
}

static void gto_stays_with_the_lineage(void **state)
{
    (void)state;
    struct bench *b = open_bench("gto", 1);
    b->strand[6].lineage = 4;
    b->strand[6].birth = 1000;
    ready(b, 4);
    ready(b, 1);
    unready(b, 1);
    EXPECT_ISSUES(b, 4);
    ready(b, 1);
    ready(b, 6);
    unready(b, 4);
    remove_strand(b, 4);
    EXPECT_ISSUES(b, 6);
    unready(b, 6);
    EXPECT_ISSUES(b, 1);
    close_bench(b);
}

/* The place of a strand that is gone may be taken by one of another warp: greed does not go over to it. */
static void gto_is_not_greedy_for_a_reused_id(void **state)
{
    (void)state;
    struct bench *b = open_bench("gto", 1);
    ready(b, 8);
    EXPECT_ISSUES(b, 8);
    unready(b, 8);
    remove_strand(b, 8);
    b->strand[8].lineage = 30;
    b->strand[8].birth = 5000;
    ready(b, 8);
    ready(b, 9);
    EXPECT_ISSUES(b, 9);
    close_bench(b);
}

static void oldest_goes_by_block_then_birth(void **state)
{
    (void)state;
    struct bench *b = open_bench("oldest", 1);
    b->strand[0].block_age = 2;
    b->strand[1].block_age = 1;
    b->strand[65].block_age = 1;
    b->strand[65].birth = 0;
    ready(b, 0);
    ready(b, 1);
    ready(b, 65);
    EXPECT_ISSUES(b, 65, 65);
    unready(b, 65);
    EXPECT_ISSUES(b, 1);
    unready(b, 1);
    EXPECT_ISSUES(b, 0);
    ready(b, 1);
    EXPECT_ISSUES(b, 1);
    close_bench(b);
}

static void two_level_stays_in_its_group_until_all_wait(void **state)
{
    (void)state;
    struct bench *b = open_bench("two-level", 1);
    for (int i = 0; i < 24; i++)
        ready(b, i);
    EXPECT_ISSUES(b, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1);
    for (int i = 0; i < 8; i++)
        if (i != 3)
            unready(b, i);
    EXPECT_ISSUES(b, 3, 3);
    unready(b, 3);
    EXPECT_ISSUES(b, 8, 9);
    for (int i = 0; i < 8; i++)
        ready(b, i);
    EXPECT_ISSUES(b, 10, 11, 12, 13, 14, 15, 8); /* the turn does not go back */
    for (int i = 8; i < 24; i++)
        unready(b, i);
    EXPECT_ISSUES(b, 0, 1);
    close_bench(b);
}

static void two_level_keeps_the_turn_over_a_busy_unit(void **state)
{
    (void)state;
    struct bench *b = open_bench("two-level", 1);
    ready(b, 1);
    ready(b, 20);
    EXPECT_ISSUES(b, 1);
    reject(b, 1, true);
    EXPECT_ISSUES(b, 20);
    reject(b, 1, false);
    EXPECT_ISSUES(b, 1, 1);
    close_bench(b);
}

/* ---- policies of dynamic warps ---- */

/* Strands with ids from 0 on, at these PCs and with so many threads. */
static void put(struct bench *b, int count, const int *pcs, const int *sizes)
{
    for (int i = 0; i < count; i++) {
        b->strand[i].pc = pcs[i];
        b->strand[i].size = sizes[i];
        ready(b, i);
    }
}

/* Issues, and the strand is not ready any more. */
static int take(struct bench *b)
{
    int id = issue(b, 0);
    if (id >= 0)
        unready(b, id);
    return id;
}

#define EXPECT_TAKEN(b, ...)                                            \
    do {                                                                \
        const int expected[] = {__VA_ARGS__};                           \
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) \
            assert_int_equal(take(b), expected[i]);                     \
    } while (0)

static void fifo_goes_by_arrival(void **state)
{
    (void)state;
    struct bench *b = open_bench("fifo", 1);
    ready(b, 9);
    ready(b, 2);
    ready(b, 5);
    unready(b, 9); /* others join it: it keeps its place */
    ready(b, 9);
    EXPECT_TAKEN(b, 9);
    ready(b, 9);
    EXPECT_TAKEN(b, 2, 5, 9, -1);
    close_bench(b);
}

static void pc_goes_by_pc_then_size(void **state)
{
    (void)state;
    struct bench *b = open_bench("pc", 1);
    put(b, 4, (const int[]){7, 3, 3, 3}, (const int[]){32, 4, 9, 9});
    EXPECT_TAKEN(b, 2, 3);
    b->strand[1].pc = 8; /* the same strand elsewhere */
    unready(b, 1);
    ready(b, 1);
    EXPECT_TAKEN(b, 0, 1, -1);
    close_bench(b);
}

static void pdom_priority_goes_by_key_then_size(void **state)
{
    (void)state;
    struct bench *b = open_bench("pdom-priority", 1);
    b->strand[0].key = 2;
    b->strand[1].key = b->strand[2].key = 1;
    put(b, 3, (const int[]){0, 9, 9}, (const int[]){32, 4, 5});
    EXPECT_TAKEN(b, 2, 1, 0, -1);
    close_bench(b);
}

/* PC 5 has nine threads in two strands, PC 3 eight, PC 9 eight. A late one at PC 5 keeps the turn there. */
static void majority_stays_until_none_waits(void **state)
{
    struct bench *b = open_bench(*state, 1);
    put(b, 4, (const int[]){5, 3, 5, 9}, (const int[]){4, 8, 5, 8});
    EXPECT_TAKEN(b, 0);
    b->strand[4].pc = 5;
    b->strand[4].size = 1;
    ready(b, 4);
    EXPECT_TAKEN(b, 2, 4, 1, 3, -1);
    close_bench(b);
}

static void majority_keeps_the_turn_over_a_busy_unit(void **state)
{
    struct bench *b = open_bench(*state, 1);
    put(b, 4, (const int[]){5, 5, 3, 3}, (const int[]){4, 4, 3, 4});
    EXPECT_TAKEN(b, 0);
    reject(b, 1, true);
    EXPECT_TAKEN(b, 2);
    reject(b, 1, false);
    EXPECT_TAKEN(b, 1, 3, -1);
    close_bench(b);
}

static void majority_has_a_choice_a_port(void **state)
{
    struct bench *b = open_bench(*state, 2);
    put(b, 4, (const int[]){5, 6, 7, 8}, (const int[]){1, 2, 3, 1});
    assert_int_equal(issue(b, 0), 2);
    assert_int_equal(issue(b, 1), 1);
    close_bench(b);
}

static void strands_from_barriers_go_first(void **state)
{
    struct bench *b = open_bench(*state, 1);
    b->strand[2].key = -1;
    put(b, 3, (const int[]){5, 5, 50}, (const int[]){8, 8, 1});
    EXPECT_TAKEN(b, 2);
    EXPECT_TAKEN(b, 0, 1, -1);
    close_bench(b);
}

/* Against a search over all strands. */
static void majority_agrees_with_a_plain_search(void **state)
{
    enum { STRANDS = 200, PCS = 23 };
    struct bench *b = open_bench(*state, 1);
    struct random r = {11};
    int chosen = -1;
    for (int step = 0; step < 20000; step++) {
        int id = (int)(random_u64(&r) % STRANDS), threads[PCS] = {0}, best = -1;
        if (!b->ready[id]) {
            b->strand[id].pc = (int32_t)(random_u64(&r) % PCS);
            b->strand[id].size = 1 + (int32_t)(random_u64(&r) % 32);
        }
        set_ready(b, id, !b->ready[id]);
        for (int i = 0; i < STRANDS; i++)
            if (b->ready[i])
                threads[b->strand[i].pc] += b->strand[i].size;
        for (int pc = 0; pc < PCS; pc++)
            if (threads[pc] && (best < 0 || threads[pc] > threads[best]))
                best = pc;
        if (chosen >= 0 && threads[chosen])
            best = chosen;
        if (step % 3)
            continue;
        int got = take(b);
        assert_int_equal(got < 0, best < 0);
        if (got >= 0)
            assert_int_equal(b->strand[got].pc, best);
        chosen = best;
    }
    close_bench(b);
}

/* Thirty PCs come in one cycle: the heap is not in order before some cycles have passed. */
static void max_heap_waits_for_its_updates(void **state)
{
    (void)state;
    struct bench *b = open_bench("max-heap", 1);
    b->settling = 0;
    for (int i = 0; i < 30; i++) {
        b->strand[i].pc = i;
        b->strand[i].size = i + 1;
        ready(b, i);
    }
    assert_int_equal(pick(b, 0), -1);
    int cycles = 0;
    for (; pick(b, 0) < 0; cycles++)
        b->now++;
    assert_in_range(cycles, 2, 60);
    assert_int_equal(pick(b, 0), 29);
    b->now += 100;
    b->strand[40].pc = 7; /* one update goes through within its cycle */
    b->strand[40].size = 1;
    ready(b, 40);
    assert_int_equal(pick(b, 0), 29);
    close_bench(b);
}

/* Forty PCs wait, more than the table knows: another strand at the one it lost longest ago is found by reading the whole
 * heap, four entries a cycle, though little is written. */
static void max_heap_reads_through_few_ports(void **state)
{
    (void)state;
    enum { PCS = 40, READ_PORTS = 4 };
    struct bench *b = open_bench("max-heap", 1);
    b->settling = 0;
    for (int i = 0; i < PCS; i++) {
        b->strand[i].pc = i;
        b->strand[i].size = PCS - i;
        ready(b, i);
    }
    b->now += 1000;
    assert_int_equal(pick(b, 0), 0);
    b->strand[PCS].pc = 0;
    b->strand[PCS].size = 1;
    ready(b, PCS);
    for (int cycles = 1; cycles < PCS / READ_PORTS; cycles++, b->now++)
        assert_int_equal(pick(b, 0), -1);
    assert_int_equal(pick(b, 0), 0);
    b->strand[PCS + 1].pc = 0; /* which the table knows again */
    b->strand[PCS + 1].size = 1;
    ready(b, PCS + 1);
    assert_int_equal(pick(b, 0), 0);
    close_bench(b);
}

/* ---- for every policy ---- */

static void each(void (*test)(struct bench *b), int ports)
{
    for (const struct sched_ops *const *s = sched_all(); *s; s++) {
        struct bench *b = open_bench((*s)->name, ports);
        assert_ptr_equal(b->ops, *s);
        test(b);
        close_bench(b);
    }
}

static void check_ports(struct bench *b)
{
    for (int i = 0; i < 10; i++)
        ready(b, i);
    for (int i = 0; i < 12; i++)
        for (int port = 0; port < 3; port++)
            assert_int_equal(issue(b, port) % 3, port);
    for (int i = 1; i < 10; i += 3)
        unready(b, i);
    assert_int_equal(pick(b, 1), -1);
    assert_int_not_equal(pick(b, 0), -1);
}

static void a_strand_issues_on_the_port_of_its_lineage(void **state)
{
    (void)state;
    each(check_ports, 3);
}

static void check_rejects(struct bench *b)
{
    bool seen[MANY] = {0};
    for (int i = 0; i < MANY; i++)
        ready(b, i);
    for (int n = 0; n < MANY; n++) {
        int id = pick(b, 0);
        assert_in_range(id, 0, MANY - 1);
        assert_false(seen[id]);
        seen[id] = true;
        reject(b, id, true);
    }
    assert_int_equal(pick(b, 0), -1);
    reject(b, 1234, false);
    assert_int_equal(pick(b, 0), 1234);
}

static void rejected_strands_are_passed_over(void **state)
{
    (void)state;
    each(check_rejects, 1);
}

static void check_saying_it_twice(struct bench *b)
{
    ready(b, 5);
    ready(b, 5);
    unready(b, 6);
    assert_int_equal(issue(b, 0), 5);
    unready(b, 5);
    assert_int_equal(pick(b, 0), -1);
    unready(b, 5);
    remove_strand(b, 5);
    assert_int_equal(pick(b, 0), -1);
}

static void what_is_said_twice_counts_once(void **state)
{
    (void)state;
    each(check_saying_it_twice, 1);
}

/* Something is picked exactly when something is ready, on this port, and not rejected. */
static void check_random(struct bench *b)
{
    struct random r = {7};
    for (int i = 0; i < SCHED_MAX_STRANDS; i++) {
        b->strand[i].lineage = (int32_t)(random_u64(&r) % 6000);
        b->strand[i].birth = random_u64(&r) % 100000;
        b->strand[i].block_age = random_u64(&r) % 8;
    }
    for (int step = 0; step < 20000; step++) {
        int id = (int)(random_u64(&r) % 300) * (step / 10000 ? 13 : 1);
        set_ready(b, id, !b->ready[id]);
        for (int i = 0; i < 4; i++)
            reject(b, (int)(random_u64(&r) % 300), random_u64(&r) & 1);
        int port = step % 2, got = issue(b, port);
        bool any = false;
        for (int i = 0; i < SCHED_MAX_STRANDS && !any; i++)
            any = b->ready[i] && b->strand[i].lineage % 2 == port && !b->rejected[i];
        assert_int_equal(got >= 0, any);
        if (got >= 0) {
            assert_true(b->ready[got] && b->strand[got].lineage % 2 == port);
            assert_false(b->rejected[got]);
        }
    }
}

static void none_is_forgotten(void **state)
{
    (void)state;
    each(check_random, 2);
}

/* The picks of `oldest` against a plain search. */
static void oldest_agrees_with_a_plain_search(void **state)
{
    (void)state;
    struct bench *b = open_bench("oldest", 1);
    struct random r = {3};
    for (int i = 0; i < 500; i++) {
        b->strand[i].birth = random_u64(&r) % 1000;
        b->strand[i].block_age = random_u64(&r) % 4;
    }
    for (int step = 0; step < 20000; step++) {
        int id = (int)(random_u64(&r) % 500), best = -1;
        set_ready(b, id, !b->ready[id]);
        reject(b, (int)(random_u64(&r) % 500), random_u64(&r) & 1);
        for (int i = 0; i < 500; i++) {
            const struct strand *s = &b->strand[i], *t = &b->strand[best < 0 ? 0 : best];
            if (b->ready[i] && !b->rejected[i] &&
                (best < 0 || s->block_age < t->block_age || (s->block_age == t->block_age && s->birth < t->birth)))
                best = i;
        }
        int got = pick(b, 0);
        assert_int_equal(got < 0, best < 0);
        if (got >= 0) {
            assert_int_equal(b->strand[got].block_age, b->strand[best].block_age);
            assert_int_equal(b->strand[got].birth, b->strand[best].birth);
        }
    }
    close_bench(b);
}

/* The list that users' choices come from names each scheduler as the scheduler names itself. */
static void names_agree_with_the_table(void **state)
{
    (void)state;
#define NAME(ops, name) name,
    static const char *const names[] = {SCHED_TABLE(NAME) NULL};
#undef NAME
    for (int i = 0; names[i] || sched_all()[i]; i++) {
        assert_non_null(names[i]);
        assert_non_null(sched_all()[i]);
        assert_string_equal(names[i], sched_all()[i]->name);
    }
}

static void unknown_names_find_nothing(void **state)
{
    (void)state;
    assert_null(sched_find("lr"));
    assert_null(sched_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lrr_goes_round_by_lineage),
        cmocka_unit_test(lrr_gives_each_strand_of_a_lineage_its_turn),
        cmocka_unit_test(lrr_alone_issues_again),
        cmocka_unit_test(gto_is_greedy_then_takes_the_oldest),
        cmocka_unit_test(gto_stays_with_the_lineage),
        cmocka_unit_test(gto_is_not_greedy_for_a_reused_id),
        cmocka_unit_test(oldest_goes_by_block_then_birth),
        cmocka_unit_test(age_goes_by_block_then_warp_then_birth),
        cmocka_unit_test(two_level_stays_in_its_group_until_all_wait),
        cmocka_unit_test(two_level_keeps_the_turn_over_a_busy_unit),
        cmocka_unit_test(fifo_goes_by_arrival),
        cmocka_unit_test(pc_goes_by_pc_then_size),
        cmocka_unit_test(pdom_priority_goes_by_key_then_size),
        cmocka_unit_test_prestate(majority_stays_until_none_waits, "majority"),
        cmocka_unit_test_prestate(majority_stays_until_none_waits, "max-heap"),
        cmocka_unit_test_prestate(majority_keeps_the_turn_over_a_busy_unit, "majority"),
        cmocka_unit_test_prestate(majority_keeps_the_turn_over_a_busy_unit, "max-heap"),
        cmocka_unit_test_prestate(majority_has_a_choice_a_port, "majority"),
        cmocka_unit_test_prestate(majority_has_a_choice_a_port, "max-heap"),
        cmocka_unit_test_prestate(majority_agrees_with_a_plain_search, "majority"),
        cmocka_unit_test_prestate(majority_agrees_with_a_plain_search, "max-heap"),
        cmocka_unit_test(max_heap_waits_for_its_updates),
        cmocka_unit_test(max_heap_reads_through_few_ports),
        cmocka_unit_test_prestate(strands_from_barriers_go_first, "fifo"),
        cmocka_unit_test_prestate(strands_from_barriers_go_first, "pc"),
        cmocka_unit_test_prestate(strands_from_barriers_go_first, "pdom-priority"),
        cmocka_unit_test_prestate(strands_from_barriers_go_first, "majority"),
        cmocka_unit_test_prestate(strands_from_barriers_go_first, "max-heap"),
        cmocka_unit_test(a_strand_issues_on_the_port_of_its_lineage),
        cmocka_unit_test(rejected_strands_are_passed_over),
        cmocka_unit_test(what_is_said_twice_counts_once),
        cmocka_unit_test(none_is_forgotten),
        cmocka_unit_test(oldest_agrees_with_a_plain_search),
        cmocka_unit_test(unknown_names_find_nothing),
        cmocka_unit_test(names_agree_with_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
