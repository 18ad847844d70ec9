/* Strands that share the lanes of a port, to the cycle. */
#include "timing_bench.h"

/* ---- a mechanism whose two strands exchange all that they have ---- */

/* The strands have half of a row each. The first of them that comes to the body has the other's threads and PC from then
 * on, and the other has its own. */
struct exchange {
    struct div_host *host;
    struct strand *half[2];
    bool is_done;
};

static struct div *exchange_create(struct div_host *host, const void *knobs, struct div_wants *wants)
{
    (void)knobs, (void)wants;
    struct exchange *d = xcalloc(1, sizeof *d);
    d->host = host;
    return (struct div *)d;
}

static void exchange_destroy(struct div *div)
{
    free(div);
}

static void exchange_prepare(struct div *div, uint8_t *marks)
{
    (void)div;
    marks[2] = 1; /* the body's first instruction */
}

static void exchange_launch(struct div *div, int32_t block)
{
    struct exchange *d = (struct exchange *)div;
    int32_t row, rows;
    d->host->calls.block_rows(d->host, block, &row, &rows);
    for (int i = 0; i < 2; i++) {
        struct threads threads = {1, {{row, 0xffffu << 16 * i}}};
        d->half[i] = d->host->calls.create(d->host, 0, 0, &threads, i);
    }
}

static void exchange_arrive(struct div *div, struct strand *s)
{
    struct exchange *d = (struct exchange *)div;
    struct strand *other = d->half[s == d->half[0]];
    if (d->is_done)
        return;
    d->is_done = true;
    const struct threads mine = {1, {s->threads.part[0]}}, others = {1, {other->threads.part[0]}};
    const struct threads none = {0};
    const int32_t pc = s->pc, other_pc = other->pc;
    d->host->calls.assign(d->host, s, pc, 0, &none);
    d->host->calls.assign(d->host, other, pc, 0, &mine);
    d->host->calls.assign(d->host, s, other_pc, 0, &others);
}

static void exchange_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    (void)div, (void)s, (void)outcomes, (void)count;
    fail_msg("the kernel has no branch");
}

static void exchange_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct exchange *d = (struct exchange *)div;
    (void)ended;
    d->host->calls.retire(d->host, s);
}

static const struct div_ops exchange = {
    .name = "exchange",
    .summary = "Two strands that exchange their threads.",
    .paper = "none",
    .create = exchange_create,
    .destroy = exchange_destroy,
    .prepare = exchange_prepare,
    .launch = exchange_launch,
    .branch = exchange_branch,
    .arrive = exchange_arrive,
    .exit = exchange_exit,
};

/* Both halves issue in one cycle, until the first strand that has issued gets the threads of the other, whose lanes are
 * still free: it issues for them in the next cycle, as every strand issues once per cycle. */
static void a_strand_with_new_threads_does_not_issue_again_in_its_cycle(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "add.u32 %r1, %t, 1; // a\n", .own = &exchange};
    struct timing t;
    timing_open(&t, &c, "sm.slice_lanes=16");
    assert_int_equal(issued_nth(&t, "base", ANY_STRAND, 0), FIRST_ISSUE);
    assert_int_equal(issued_nth(&t, "base", ANY_STRAND, 1), FIRST_ISSUE);
    assert_int_equal(issued_nth(&t, "t", ANY_STRAND, 0), FIRST_ISSUE + 1);
    assert_int_equal(issued_nth(&t, "t", ANY_STRAND, 1), FIRST_ISSUE + 2);
    assert_int_equal(find_issue(&t, "t", ANY_STRAND, 0)->strand, find_issue(&t, "t", ANY_STRAND, 1)->strand);
    timing_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_strand_with_new_threads_does_not_issue_again_in_its_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
