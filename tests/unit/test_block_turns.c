/* Block priorities: which block comes first, and whose turn it is inside it. */
#include "sched/sched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STRANDS = 16, CLASS_FREE = 0, CLASS_BUSY = 1 };

/* Four strands a block; strand 4b + i is the i-th of the block in place b. */
struct bench {
    const struct sched_ops *ops;
    struct sched *sched;
    struct strand strand[STRANDS];
    uint64_t now;
};

static void open_bench(struct bench *b, const char *policy, const uint64_t *ages)
{
    memset(b, 0, sizeof *b);
    b->ops = sched_find(policy);
    assert_non_null(b->ops);
    b->sched = b->ops->create(&(struct sched_setup){.ports = 1, .group = 8});
    for (int i = 0; i < STRANDS; i++) {
        b->strand[i] = (struct strand){.id = i,
                                       .lineage = i,
                                       .birth = (uint64_t)(STRANDS - i), /* lineage counts, not birth */
                                       .block = i / 4,
                                       .block_age = ages[i / 4]};
        b->ops->added(b->sched, &b->strand[i]);
    }
}

static void close_bench(struct bench *b)
{
    b->ops->destroy(b->sched);
}

static void ready(struct bench *b, const char *ids) /* in hexadecimal */
{
    for (; *ids; ids++) {
        int id = (int)strtol((char[2]){*ids, 0}, NULL, 16);
        b->ops->ready(b->sched, &b->strand[id], CLASS_FREE);
    }
}

static void unready(struct bench *b, const char *ids)
{
    for (; *ids; ids++)
        b->ops->unready(b->sched, &b->strand[(int)strtol((char[2]){*ids, 0}, NULL, 16)]);
}

/* One issue a cycle; whoever issued is ready again. */
static void expect(struct bench *b, const char *ids)
{
    for (const char *c = ids; *c; c++) {
        struct sched_ask ask = {.blocked = 1u << CLASS_BUSY, .free_slots = UINT64_MAX, .now = b->now};
        struct strand *s = b->ops->pick(b->sched, &ask);
        if (!s || s->id != (int)strtol((char[2]){*c, 0}, NULL, 16))
            fail_msg("at '%s' of %s it is the turn of %d", c, ids, s ? (int)s->id : -1);
        b->ops->issued(b->sched, 0, s, b->now);
        b->now++;
    }
}

static void age_lets_the_oldest_block_go_first(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, "age", (const uint64_t[]){9, 3, 5, 7});
    ready(&b, "0189ac56");
    expect(&b, "56565");
    unready(&b, "56");
    expect(&b, "89a89");
    ready(&b, "7");
    expect(&b, "77");
    unready(&b, "7");
    expect(&b, "a8"); /* where it was before */
    unready(&b, "89a");
    expect(&b, "c");
    unready(&b, "c");
    expect(&b, "0101");
    close_bench(&b);
}

static void rrb_prefers_another_block_each_cycle(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, "rrb", (const uint64_t[]){0, 1, 2, 3});
    ready(&b, "0145cd");
    expect(&b, "04cd15cd"); /* in the cycles of block 2 the next one goes */
    b.now = 41;
    expect(&b, "4");
    unready(&b, "045cd");
    expect(&b, "1111");
    close_bench(&b);
}

static void srr_stays_until_its_block_has_nothing(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, "srr", (const uint64_t[]){3, 2, 1, 0});
    ready(&b, "0145cd");
    expect(&b, "010");
    unready(&b, "01");
    expect(&b, "454");
    ready(&b, "0");
    expect(&b, "54");
    b.ops->ready(b.sched, &b.strand[4], CLASS_BUSY); /* its unit is busy */
    unready(&b, "5");
    expect(&b, "cdc");
    unready(&b, "cd");
    expect(&b, "00");
    close_bench(&b);
}

/* A young block in an old one's place starts with its first strand. */
static void a_new_block_starts_anew(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, "age", (const uint64_t[]){0, 1, 2, 3});
    ready(&b, "0123");
    expect(&b, "012");
    for (int i = 0; i < 4; i++) {
        b.ops->removed(b.sched, &b.strand[i]);
        b.strand[i].block_age = 4;
        b.ops->added(b.sched, &b.strand[i]);
    }
    ready(&b, "0123");
    expect(&b, "0123");
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(age_lets_the_oldest_block_go_first),
        cmocka_unit_test(rrb_prefers_another_block_each_cycle),
        cmocka_unit_test(srr_stays_until_its_block_has_nothing),
        cmocka_unit_test(a_new_block_starts_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
