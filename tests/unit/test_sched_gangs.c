/* Schedulers of gangs: big or little ones first, slices with pools and turns of their own, slices whose units are busy. */
#include "base/random.h"
#include "sched/sched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { SLICES = 8, LANES = 4, MOST = 200 };

struct bench {
    const struct sched_ops *ops;
    struct sched *sched;
    struct strand strand[MOST];
    uint64_t now, busy[SCHED_MAX_CLASSES];
    uint64_t strand_age; /* of the block of strands that are added */
};

static struct bench *open_bench(const char *policy)
{
    struct bench *b = test_calloc(1, sizeof *b);
    b->ops = sched_find(policy);
    assert_non_null(b->ops);
    b->sched = b->ops->create(&(struct sched_setup){.ports = 1, .pools = 1 + SLICES, .group = 8, .now = &b->now});
    return b;
}

static void close_bench(struct bench *b)
{
    b->ops->destroy(b->sched);
    test_free(b);
}

/* A strand on the slices of `mask`, of warp `lineage`, that can issue. */
static void add(struct bench *b, int id, unsigned mask, int lineage)
{
    struct strand *s = &b->strand[id];
    *s = (struct strand){
        .id = id, .lineage = lineage, .birth = (uint64_t)id, .pc = 1, .block_age = b->strand_age, .age_rank = lineage};
    for (int i = SLICES - 1; i >= 0; i--)
        if (mask >> i & 1) {
            s->slots |= UINT64_C(0xf) << LANES * i;
            s->slices++;
            s->pool = (uint8_t)(1 + i);
        }
    s->pool = s->slices == 1 ? s->pool : 0;
    s->size = LANES * s->slices;
    b->ops->added(b->sched, s);
    b->ops->ready(b->sched, s, 0);
}

/* The strand that issues; -1: none. It is ready again at once. */
static int issue(struct bench *b, int pool, uint64_t free_slots)
{
    struct sched_ask ask = {.pool = pool, .free_slots = free_slots, .busy_slots = b->busy, .now = ++b->now};
    struct strand *s = b->ops->pick(b->sched, &ask);
    if (!s)
        return -1;
    b->ops->unready(b->sched, s);
    b->ops->issued(b->sched, 0, s, b->now);
    b->ops->ready(b->sched, s, 0);
    return s->id;
}

static void unready(struct bench *b, int id)
{
    b->ops->unready(b->sched, &b->strand[id]);
}

/* Of one size the oldest warp, not the strand that was made first; then the one that issued last. */
static void sizes_then_greed_then_age(void **state)
{
    bool biggest_first = !strcmp(*state, "bgto");
    struct bench *b = open_bench(*state);
    int big = biggest_first ? 1 : 3, little = biggest_first ? 3 : 1;
    add(b, big, 0x0f, 5);
    add(b, little, 0x03, 4);
    add(b, big + 1, 0xf0, 2);
    add(b, little + 1, 0x0c, 3);
    int first = biggest_first ? big + 1 : little + 1, other = biggest_first ? big : little;
    assert_int_equal(issue(b, 0, UINT64_MAX), first);
    unready(b, first);
    assert_int_equal(issue(b, 0, UINT64_MAX), other);
    b->ops->ready(b->sched, &b->strand[first], 0);
    assert_int_equal(issue(b, 0, UINT64_MAX), other); /* greedy */
    unready(b, first);
    unready(b, other);
    assert_int_equal(issue(b, 0, UINT64_MAX), biggest_first ? little + 1 : big + 1);
    b->ops->ready(b->sched, &b->strand[other], 0);
    assert_int_equal(issue(b, 0, UINT64_MAX), other); /* size before greed */
    close_bench(b);
}

/* Of one size, a gang of the older block goes before one whose warp has a lower number. */
static void age_is_the_blocks_first(void **state)
{
    struct bench *b = open_bench(*state);
    b->strand_age = 2;
    add(b, 1, 0x03, 1);
    b->strand_age = 1;
    add(b, 2, 0x0c, 7);
    assert_int_equal(issue(b, 0, UINT64_MAX), 2);
    close_bench(b);
}

/* The strand that issued last is no more, and another one has its place: nobody is greedy for that. */
static void nobody_is_greedy_for_what_is_gone(void **state)
{
    struct bench *b = open_bench(*state);
    add(b, 1, 0x03, 1);
    add(b, 2, 0x0c, 2);
    assert_int_equal(issue(b, 0, UINT64_MAX), 1);
    b->ops->unready(b->sched, &b->strand[1]);
    b->ops->removed(b->sched, &b->strand[1]);
    add(b, 1, 0x30, 3);
    assert_int_equal(issue(b, 0, UINT64_MAX), 2);
    close_bench(b);
}

/* A gang must lie on slices that are free, and whose share of its unit is. */
static void gangs_lie_on_free_slices(void **state)
{
    struct bench *b = open_bench(*state);
    add(b, 1, 0x0f, 1);
    add(b, 2, 0x30, 2);
    assert_int_equal(issue(b, 0, 0xffff0000), 2);
    b->busy[0] = 0x000f0000;
    assert_int_equal(issue(b, 0, UINT64_MAX), 1);
    unready(b, 1);
    assert_int_equal(issue(b, 0, UINT64_MAX), -1);
    close_bench(b);
}

static void slices_have_pools_and_turns(void **state)
{
    struct bench *b = open_bench(*state);
    add(b, 1, 0x01, 1);
    add(b, 2, 0x01, 2);
    add(b, 3, 0x02, 0);
    add(b, 4, 0x02, 1);
    add(b, 5, 0xc0, 3);
    assert_int_equal(issue(b, 0, UINT64_MAX), 5);
    assert_int_equal(issue(b, 3, UINT64_MAX), -1);
    int first = issue(b, 1, UINT64_MAX);
    assert_in_range(first, 1, 2);
    if (strcmp(*state, "lrr")) {
        unready(b, first);
        assert_int_equal(issue(b, 1, UINT64_MAX), 3 - first);
        b->ops->ready(b->sched, &b->strand[first], 0);
    }
    /* slice 1 is greedy for the second, or has its turn next; slice 2 has issued nothing */
    int of_2 = issue(b, 2, UINT64_MAX);
    assert_int_equal(of_2, first + 2);
    assert_int_equal(issue(b, 1, UINT64_MAX), 3 - first);
    close_bench(b);
}

/* A strand whose gang fell apart stands in its slice's pool from when it is ready again. */
static void strands_change_pools(void **state)
{
    struct bench *b = open_bench(*state);
    add(b, 1, 0x03, 1);
    assert_int_equal(issue(b, 0, UINT64_MAX), 1);
    unready(b, 1);
    b->strand[1].slots = 0xf0;
    b->strand[1].slices = 1;
    b->strand[1].pool = 2;
    b->ops->ready(b->sched, &b->strand[1], 0);
    assert_int_equal(issue(b, 0, UINT64_MAX), -1);
    assert_int_equal(issue(b, 2, UINT64_MAX), 1);
    unready(b, 1);
    assert_int_equal(issue(b, 2, UINT64_MAX), -1);
    close_bench(b);
}

/* The ready strand of the pool with the lowest PC; of strands at one PC the one with most threads, then the one that
 * was made first. -1: none is ready. */
static int lowest(const struct bench *b, const bool *is_ready, int pool)
{
    int best = -1;
    for (int id = 0; id < MOST; id++) {
        const struct strand *s = &b->strand[id], *least = &b->strand[best < 0 ? id : best];
        if (!is_ready[id] || s->pool != pool)
            continue;
        bool is_lower = s->pc != least->pc ? s->pc < least->pc : s->size > least->size;
        best = best < 0 || is_lower ? id : best;
    }
    return best;
}

/* Strands go from PC to PC and from pool to pool, more of them than a word has bits, and mostly to where others are. */
static void order_holds_while_strands_move(void **state)
{
    (void)state;
    enum { PCS = 7, POOLS = 3, MOVES = 20000 };
    struct bench *b = open_bench("pc");
    struct random random = {.state = 1};
    bool is_ready[MOST];
    for (int id = 0; id < MOST; id++) {
        add(b, id, 1, id);
        is_ready[id] = true;
    }
    for (int i = 0; i < MOVES; i++) {
        int id = (int)(random_u64(&random) % MOST);
        struct strand *s = &b->strand[id];
        if (is_ready[id])
            unready(b, id);
        s->pc = (int)(random_u64(&random) % PCS);
        s->size = 1 + (int)(random_u64(&random) % LANES);
        s->pool = (uint8_t)(i < MOVES / 2 ? 1 : random_u64(&random) % POOLS); /* first, one line gets full */
        is_ready[id] = random_u64(&random) % 8 > 0;
        if (is_ready[id])
            b->ops->ready(b->sched, s, 0);
        for (int pool = 0; pool < POOLS; pool++) {
            struct sched_ask ask = {.pool = pool, .free_slots = UINT64_MAX, .now = ++b->now};
            const struct strand *found = b->ops->pick(b->sched, &ask);
            assert_int_equal(found ? found->id : -1, lowest(b, is_ready, pool));
        }
    }
    close_bench(b);
}

static bool is_older(const struct strand *a, const struct strand *b)
{
    if (a->block_age != b->block_age)
        return a->block_age < b->block_age;
    return a->age_rank != b->age_rank ? a->age_rank < b->age_rank : a->birth < b->birth;
}

/* Strands leave and others come in their places, mostly of the same few warps: of these, some have several at once, and
 * blocks end and newer ones follow. All are ready. The oldest goes first. */
static void order_holds_while_strands_come_and_go(void **state)
{
    enum { WARPS = 80, MOVES = 40000 };
    struct bench *b = open_bench("oldest");
    struct random random = {.state = 1};
    bool is_there[MOST] = {false};
    for (int i = 0; i < MOVES; i++) {
        const int most = i < MOVES / 2 ? MOST / 4 : MOST; /* first, all fit in one word */
        const int id = (int)(random_u64(&random) % (uint64_t)most);
        if (is_there[id]) {
            unready(b, id);
            b->ops->removed(b->sched, &b->strand[id]);
        } else {
            const int rank = *(const bool *)*state ? (int)(random_u64(&random) % WARPS) : 0;
            b->strand[id] = (struct strand){.id = id,
                                            .age_rank = rank,
                                            .birth = (uint64_t)i,
                                            .block_age = (uint64_t)(i / 1000) + random_u64(&random) % 4,
                                            .size = LANES};
            b->ops->added(b->sched, &b->strand[id]);
            b->ops->ready(b->sched, &b->strand[id], 0);
        }
        is_there[id] = !is_there[id];
        int oldest = -1;
        for (int k = 0; k < MOST; k++)
            if (is_there[k] && (oldest < 0 || is_older(&b->strand[k], &b->strand[oldest])))
                oldest = k;
        const struct sched_ask ask = {.free_slots = UINT64_MAX, .now = ++b->now};
        const struct strand *found = b->ops->pick(b->sched, &ask);
        assert_int_equal(found ? found->id : -1, oldest);
    }
    close_bench(b);
}

int main(void)
{
    static bool has_warps[] = {true, false}; /* or a rank for all, as where strands mix blocks */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(sizes_then_greed_then_age, "bgto"),
        cmocka_unit_test_prestate(sizes_then_greed_then_age, "lgto"),
        cmocka_unit_test_prestate(age_is_the_blocks_first, "bgto"),
        cmocka_unit_test_prestate(age_is_the_blocks_first, "lgto"),
        cmocka_unit_test_prestate(nobody_is_greedy_for_what_is_gone, "bgto"),
        cmocka_unit_test_prestate(nobody_is_greedy_for_what_is_gone, "lgto"),
        cmocka_unit_test_prestate(gangs_lie_on_free_slices, "bgto"),
        cmocka_unit_test_prestate(gangs_lie_on_free_slices, "gto"),
        cmocka_unit_test_prestate(gangs_lie_on_free_slices, "lrr"),
        cmocka_unit_test_prestate(gangs_lie_on_free_slices, "pc"),
        cmocka_unit_test_prestate(gangs_lie_on_free_slices, "majority"),
        cmocka_unit_test_prestate(slices_have_pools_and_turns, "bgto"),
        cmocka_unit_test_prestate(slices_have_pools_and_turns, "gto"),
        cmocka_unit_test_prestate(slices_have_pools_and_turns, "lrr"),
        cmocka_unit_test_prestate(strands_change_pools, "bgto"),
        cmocka_unit_test_prestate(strands_change_pools, "gto"),
        cmocka_unit_test_prestate(strands_change_pools, "lrr"),
        cmocka_unit_test_prestate(strands_change_pools, "two-level"),
        cmocka_unit_test_prestate(strands_change_pools, "majority"),
        cmocka_unit_test(order_holds_while_strands_move),
        cmocka_unit_test_prestate(order_holds_while_strands_come_and_go, &has_warps[0]),
        cmocka_unit_test_prestate(order_holds_while_strands_come_and_go, &has_warps[1]),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
