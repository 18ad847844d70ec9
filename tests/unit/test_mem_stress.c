/*
 * Random traffic through random machines: every reply comes once and brings each lane once, counters add up,
 * and it makes no difference whether the memory system is brought forward every cycle, only when it says so,
 * or a quantum at a time with the multiprocessors one after the other, in every cycle or where there is news.
 */
#include "mem_bench.h"

#include "base/random.h"

#include <stdio.h>

enum { SMS = 5, ACCESSES = 400, MACHINES = 60 };

enum drive { EVERY_CYCLE, ONLY_EVENTS, BY_QUANTUM, BY_NEWS, DRIVES };

struct driver {
    struct mem *m;
    struct mem_access plan[SMS][ACCESSES];
    uint64_t pause[SMS][ACCESSES]; /* cycles after the one before */
    int next[SMS];
    int out[SMS], most_out[SMS]; /* accesses that want a reply and have got none */
    uint64_t ready[SMS];
    uint64_t due[SMS]; /* by news: nothing to do before, as far as is known */
    uint64_t last_cycle[SMS];
    uint64_t no_reply_before[SMS]; /* if nothing more is issued: what the memory system said */
    uint64_t worth_trying[SMS];    /* the next access is not taken before: what the memory system said */
    uint64_t lanes[SMS][ACCESSES]; /* that came back */
    uint64_t ended[SMS][ACCESSES]; /* cycle of the last reply */
};

static uint64_t below(struct random *r, uint64_t n)
{
    return random_u64(r) % n;
}

static void plan_access(struct random *r, struct mem_access *a, int sm, uint32_t ticket)
{
    static const enum mem_kind kinds[] = {MEM_LOAD,   MEM_LOAD,     MEM_LOAD,    MEM_LOAD,       MEM_STORE,
                                          MEM_ATOMIC, MEM_CONSTANT, MEM_TEXTURE, MEM_INSTRUCTION};
    a->kind = kinds[below(r, 9)];
    a->sm = sm;
    a->ticket = ticket;
    a->wants_reply = a->kind != MEM_STORE || below(r, 2);
    a->wants_parts = below(r, 2);
    a->bypasses_l1 = a->kind == MEM_ATOMIC || below(r, 8) == 0;
    a->count = a->kind == MEM_INSTRUCTION ? 1 : 1 + (int)below(r, below(r, 4) ? 8 : 64);
    a->bytes = (uint16_t)(1u << below(r, 5));
    uint64_t range = below(r, 2) ? 4096 : 1 << 20, base = below(r, 4) * 8192;
    bool gathers = below(r, 3) == 0;
    for (int i = 0; i < a->count; i++)
        a->address[i] = (gathers ? below(r, range) : base + (uint64_t)i * a->bytes) / a->bytes * a->bytes;
}

static struct driver *make_driver(const struct mem_config *c, uint64_t seed)
{
    struct driver *d = calloc(1, sizeof *d);
    struct random r = {seed};
    d->m = mem_create(c, SMS);
    for (int sm = 0; sm < SMS; sm++) {
        d->most_out[sm] = sm == 0 ? ACCESSES : 1 + (int)below(&r, 8);
        for (int i = 0; i < ACCESSES; i++) {
            plan_access(&r, &d->plan[sm][i], sm, (uint32_t)i);
            d->pause[sm][i] = below(&r, 20) ? below(&r, 3) : below(&r, 2000);
        }
    }
    return d;
}

static void take_replies(struct driver *d, int sm, uint64_t now)
{
    struct mem_reply r;
    uint64_t not_before = mem_next_reply(d->m, sm);
    not_before = not_before > d->no_reply_before[sm] ? not_before : d->no_reply_before[sm];
    while (mem_take_reply(d->m, sm, now, &r)) {
        const struct mem_access *a = &d->plan[sm][r.ticket];
        assert_true(not_before <= now);
        assert_true(r.cycle <= now && r.cycle >= d->last_cycle[sm]);
        d->last_cycle[sm] = r.cycle;
        assert_true(a->wants_reply);
        assert_int_equal(d->lanes[sm][r.ticket] & r.lanes, 0);
        assert_int_equal(d->ended[sm][r.ticket], 0);
        d->out[sm] -= !d->lanes[sm][r.ticket];
        d->lanes[sm][r.ticket] |= r.lanes;
        if (r.is_last) {
            d->ended[sm][r.ticket] = r.cycle;
            assert_int_equal(d->lanes[sm][r.ticket], a->count == 64 ? UINT64_MAX : (UINT64_C(1) << a->count) - 1);
        }
    }
}

/* It may issue its next access: there is one, its time has come, and not too many are out. */
static bool is_ready(const struct driver *d, int sm, uint64_t now)
{
    return d->next[sm] < ACCESSES && d->ready[sm] <= now && d->out[sm] < d->most_out[sm];
}

/* What the multiprocessor does in a cycle. Gives when it wants to be called again. */
static uint64_t run_sm(struct driver *d, int sm, uint64_t now)
{
    take_replies(d, sm, now);
    if (d->next[sm] == ACCESSES)
        return UINT64_MAX;
    int i = d->next[sm];
    enum mem_kind kind = d->plan[sm][i].kind;
    bool can_take = mem_can_take(d->m, sm, kind, now);
    assert_true(!can_take || mem_kind_free(d->m, sm, kind, now) <= now);
    assert_true(!can_take || d->worth_trying[sm] <= now);
    if (is_ready(d, sm, now)) {
        assert_int_equal(mem_issue(d->m, now, &d->plan[sm][i], NULL), can_take);
        if (can_take) {
            d->no_reply_before[sm] = 0;
            d->out[sm] += d->plan[sm][i].wants_reply;
            d->next[sm] = ++i;
            d->ready[sm] = now + 1 + (i < ACCESSES ? d->pause[sm][i] : 0);
        }
    }
    if (i == ACCESSES)
        return UINT64_MAX;
    d->worth_trying[sm] = mem_kind_free(d->m, sm, d->plan[sm][i].kind, now + 1);
    return d->ready[sm] > now ? d->ready[sm] : d->worth_trying[sm];
}

static uint64_t drive_in_step(struct driver *d, bool every_cycle)
{
    uint64_t now = 0;
    for (;;) {
        mem_advance(d->m, now);
        uint64_t next = UINT64_MAX;
        for (int sm = 0; sm < SMS; sm++) {
            uint64_t wants = run_sm(d, sm, now);
            next = wants < next ? wants : next;
        }
        uint64_t inside = mem_next_event(d->m);
        next = inside < next ? inside : next;
        if (next == UINT64_MAX)
            return now;
        assert_true(next > now);
        now = every_cycle ? now + 1 : next;
    }
}

/* The multiprocessor's cycles up to `last`: those at which it has something to issue, or there is news. It is not called
 * before the memory system found some. */
static bool run_by_wakeup(struct driver *d, int sm, uint64_t first, uint64_t last)
{
    uint64_t due = d->due[sm], any = mem_next_any_wakeup(d->m, sm, due < last ? due : last);
    uint64_t now = any < due ? any : due;
    now = now > first ? now : first;
    d->worth_trying[sm] = 0; /* what was said before mem_advance() */
    while (now <= last) {
        run_sm(d, sm, now);
        bool more = d->next[sm] < ACCESSES, waits = is_ready(d, sm, now);
        uint64_t own = more && d->ready[sm] > now ? d->ready[sm] : UINT64_MAX;
        enum mem_kind kind = d->plan[sm][more ? d->next[sm] : 0].kind;
        uint64_t until = own < last ? own : last;
        uint64_t news = mem_next_wakeup(d->m, sm, true, waits ? 1u << kind : 0, now, until);
        assert_true(news > now);
        assert_true(news > until || mem_next_reply(d->m, sm) <= news || (waits && mem_can_take(d->m, sm, kind, news)));
        now = news < own ? news : own;
    }
    d->due[sm] = now;
    return d->next[sm] < ACCESSES;
}

static uint64_t drive_by_quantum(struct driver *d, bool by_wakeup)
{
    uint64_t quantum = mem_quantum(d->m);
    for (uint64_t begin = 0;; begin += quantum) {
        bool busy = false;
        for (int sm = 0; sm < SMS; sm++)
            d->no_reply_before[sm] = mem_next_reply(d->m, sm);
        for (int sm = 0; sm < SMS; sm++) {
            if (by_wakeup)
                busy |= run_by_wakeup(d, sm, begin, begin + quantum - 1);
            for (uint64_t now = begin; !by_wakeup && now < begin + quantum; now++)
                busy |= run_sm(d, sm, now) != UINT64_MAX;
        }
        mem_advance(d->m, begin + quantum - 1);
        if (!busy && mem_next_event(d->m) == UINT64_MAX)
            return begin;
    }
}

static void check_counters(const struct mem *m)
{
    static const char *const caches[] = {"l1d", "constant", "texture", "instruction"};
    uint64_t sent = 0, answered = 0;
    for (int i = 0; i < 4; i++) {
        char path[64];
        uint64_t v[8];
        static const char *const names[] = {"accesses", "hits",    "misses",   "merges",
                                            "stores",   "atomics", "bypasses", "transactions"};
        for (int n = 0; n < 8; n++) {
            snprintf(path, sizeof path, "%s.%s", caches[i], names[n]);
            v[n] = counter(m, path);
        }
        assert_int_equal(v[0], v[1] + v[2]);
        assert_int_equal(v[7], v[0] + v[4] + v[5] + v[6]);
        sent += v[2] - v[3] + v[4] + v[5] + v[6];
        answered += v[2] - v[3] + v[5] + v[6];
    }
    assert_int_equal(counter(m, "crossbar.requests"), sent);
    assert_true(counter(m, "crossbar.replies") >= answered);
    assert_int_equal(counter(m, "l2.accesses"), sent);
    assert_int_equal(counter(m, "l2.accesses"), counter(m, "l2.hits") + counter(m, "l2.misses"));
    assert_int_equal(counter(m, "l2.accesses"),
                     counter(m, "l2.reads") + counter(m, "l2.writes") + counter(m, "l2.atomics"));
    assert_int_equal(counter(m, "dram.reads"), counter(m, "l2.misses") - counter(m, "l2.merges"));
    assert_true(counter(m, "dram.writes") >= counter(m, "l2.writebacks"));
}

static uint32_t one_of(struct random *r, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t n = below(r, 3);
    return n == 0 ? a : n == 1 ? b : c;
}

static struct mem_config random_config(struct random *r)
{
    struct mem_config c;
    knob_defaults(&mem_knobs, &c);
    c.core_mhz = one_of(r, 1000, 1300, 700);
    c.crossbar_mhz = one_of(r, 1000, 650, 1401);
    c.memory_mhz = one_of(r, 1000, 800, 924);
    c.l2_line_bytes = one_of(r, 128, 128, 64);
    for (int i = 0; i < PORT_COUNT; i++) {
        c.port[i].line_bytes = one_of(r, 64, 64, c.l2_line_bytes);
        c.port[i].latency_cycles = one_of(r, 1, 4, 30);
        c.port[i].ways = one_of(r, 1, 4, 8);
        c.port[i].bytes = c.port[i].line_bytes * c.port[i].ways * one_of(r, 0, 3, 32);
        c.port[i].mshrs = one_of(r, 1, 4, 32);
        c.port[i].merges = one_of(r, 1, 2, 8);
    }
    c.sector_bytes = one_of(r, 0, 0, 32);
    c.l1d_store = (uint32_t)below(r, 2);
    if (c.port[PORT_DATA].bytes == c.port[PORT_DATA].line_bytes * c.port[PORT_DATA].ways * 32)
        c.l1d_sets = (uint32_t)below(r, 2);
    c.l1d_banks = one_of(r, 1, 1, 4);
    c.l1d_ports = one_of(r, 1, 1, 2);
    c.miss_queue = one_of(r, 1, 2, 8);
    c.write_queue = one_of(r, 1, 2, 8);
    c.crossbar_latency = one_of(r, 1, 7, 16);
    c.crossbar_bytes = one_of(r, 4, 32, 200);
    c.crossbar_queue = one_of(r, 1, 3, 64);
    c.channels = one_of(r, 1, 3, 8);
    c.l2_ways = one_of(r, 1, 2, 8);
    c.l2_bytes = c.l2_line_bytes * c.l2_ways * one_of(r, 0, 2, 32);
    c.l2_latency = one_of(r, 1, 10, 40);
    c.l2_fill_latency = one_of(r, 1, 1, 30);
    c.l2_interval = one_of(r, 1, 1, 3);
    c.l2_mshrs = one_of(r, 1, 3, 32);
    c.l2_merges = one_of(r, 1, 2, 8);
    c.l2_queue = one_of(r, 1, 2, 8);
    c.l2_reply_queue = one_of(r, 1, 2, 32);
    c.l2_write_miss = (uint32_t)below(r, 2);
    c.dram_model = below(r, 4) == 0 ? DRAM_FIXED : DRAM_BANKED;
    c.dram_queue = one_of(r, 1, 4, 16);
    c.dram_banks = one_of(r, 4, 8, 16);
    c.slices_per_channel = one_of(r, 1, 2, 4);
    c.dram_bytes_per_cycle = one_of(r, 8, 32, 48);
    c.dram_latency = one_of(r, 0, 0, 50);
    return c;
}

static void run_machine(const struct mem_config *c, uint64_t seed)
{
    struct driver *d[DRIVES];
    for (int how = 0; how < DRIVES; how++) {
        d[how] = make_driver(c, seed);
        if (how == BY_QUANTUM || how == BY_NEWS)
            drive_by_quantum(d[how], how == BY_NEWS);
        else
            drive_in_step(d[how], how == EVERY_CYCLE);
        check_counters(d[how]->m);
        for (int sm = 0; sm < SMS; sm++)
            for (int i = 0; i < ACCESSES; i++)
                assert_int_equal(d[how]->ended[sm][i] != 0, d[how]->plan[sm][i].wants_reply);
        assert_memory_equal(d[how]->ended, d[0]->ended, sizeof d[0]->ended);
        struct stat_value a[MEM_OWNERS], b[MEM_OWNERS];
        int count;
        mem_stats(d[0]->m, a, MEM_OWNERS, &count);
        mem_stats(d[how]->m, b, MEM_OWNERS, &count);
        for (int i = 0; i < count; i++)
            assert_memory_equal(a[i].values, b[i].values, a[i].owner->bytes);
    }
    for (int how = 0; how < DRIVES; how++) {
        mem_destroy(d[how]->m);
        free(d[how]);
    }
}

static void test_random_machines(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= MACHINES; seed++) {
        struct random r = {seed};
        struct mem_config c = random_config(&r);
        char *error = NULL;
        assert_true(mem_config_check(&c, &error));
        run_machine(&c, seed);
    }
}

static void test_default_machine(void **state)
{
    (void)state;
    struct mem_config c;
    knob_defaults(&mem_knobs, &c);
    run_machine(&c, 12345);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default_machine),
        cmocka_unit_test(test_random_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
