/* Ideal memory, the least times of accesses, and meters: what the mechanism `bound` counts with. */
#include "gpu/machine.h"
#include "mem/ideal.h"
#include "mem/meter.h"
#include "mem/unloaded.h"
#include "sm/limits.h"
#include "sm/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct machine *load(const char *name)
{
    char *error = NULL;
    struct machine *m = machine_load(name, &error);
    assert_non_null(m);
    return m;
}

static uint64_t read_at(struct ideal_memory *m, uint64_t now, int sm, uint64_t address)
{
    struct mem_access a = {
        .kind = MEM_LOAD, .sm = sm, .wants_reply = true, .count = 1, .bytes = 4, .address = {address}};
    return ideal_memory_access(m, now, &a, true).ready - now;
}

/* A meter's time is that of the latest busy span: work that can be asked for early does not wait for late work. */
static void test_meter(void **state)
{
    (void)state;
    struct meter m = {0};
    meter_add(&m, 10, METER_CYCLE / 2);
    meter_add(&m, 10, METER_CYCLE);
    assert_int_equal(meter_cycles(m.free), 12);
    meter_add(&m, 100, METER_CYCLE);
    assert_int_equal(meter_cycles(m.free), 101);
    assert_int_equal(m.work, METER_CYCLE * 5 / 2);
}

/* The least times are those of an idle memory system: further away is never faster, and a first-level hit is the knob's
 * latency. */
static void test_least_times(void **state)
{
    (void)state;
    for (const char *const *name = machine_names(); *name; name++) {
        struct machine *m = load(*name);
        struct unloaded u;
        unloaded_measure(&u, &m->mem);
        if (m->mem.port[PORT_DATA].bytes)
            assert_int_equal(u.read[MEM_LOAD].first_level, m->mem.port[PORT_DATA].latency_cycles);
        assert_true(u.read[MEM_LOAD].merged <= u.read[MEM_LOAD].l2);
        assert_true(u.read[MEM_LOAD].l2 <= u.read[MEM_LOAD].dram);
        assert_true(u.read[MEM_LOAD].merged > 2 * m->mem.crossbar_latency);
        assert_true(u.written[0] > m->mem.crossbar_latency && u.written[1] > m->mem.crossbar_latency);
        machine_free(m);
    }
}

/* The cycle at which multiprocessor 1 has a line that multiprocessor 0 asked an idle memory system for at cycle 1, if it
 * asks `behind` cycles later. */
static uint64_t answer_behind_another(struct mem_config *config, uint32_t behind)
{
    struct mem *mem = mem_create(config, 2);
    struct mem_access a = {.kind = MEM_LOAD, .wants_reply = true, .count = 1, .bytes = 4};
    struct mem_reply reply;
    uint64_t answered = 0;
    assert_true(mem_issue(mem, 1, &a, NULL));
    a.sm = 1;
    mem_advance(mem, behind);
    assert_true(mem_issue(mem, 1 + behind, &a, NULL));
    for (uint64_t now = 2 + behind; !answered; now++) {
        mem_advance(mem, now);
        while (mem_take_reply(mem, 0, now, &reply))
            ;
        while (mem_take_reply(mem, 1, now, &reply))
            answered = reply.cycle;
    }
    mem_destroy(mem);
    return answered;
}

/* If the L2 holds replies of misses for longer than those of hits, an access that comes behind the line may have its data
 * before the access that asked DRAM: the least time from DRAM is that of such an access. */
static void test_hits_may_pass_a_miss(void **state)
{
    (void)state;
    struct machine *m = load("fermi");
    struct unloaded plain, u;
    unloaded_measure(&plain, &m->mem);
    m->mem.l2_fill_latency = m->mem.l2_latency + 300;
    unloaded_measure(&u, &m->mem);
    uint64_t together = answer_behind_another(&m->mem, 0), least = together;
    for (uint32_t behind = 100; behind < 600; behind += 10) {
        uint64_t answered = answer_behind_another(&m->mem, behind);
        least = answered < least ? answered : least;
    }
    assert_true(least + 300 < together);
    assert_in_range(1 + u.read[MEM_LOAD].dram, least - 100, least);
    assert_in_range(u.read[MEM_LOAD].dram, plain.read[MEM_LOAD].dram - 2, plain.read[MEM_LOAD].dram);
    machine_free(m);
}

/* The first access of all goes to DRAM; one that comes meanwhile waits for the line; later the line is in the first-level
 * cache of that multiprocessor, and in the L2 for others. */
static void test_first_touch(void **state)
{
    (void)state;
    struct machine *machine = load("fermi");
    struct unloaded u;
    unloaded_measure(&u, &machine->mem);
    struct ideal_memory *m = ideal_memory_create(&machine->mem, 2);
    const struct unloaded_time *t = &u.read[MEM_LOAD];
    ideal_memory_start(m, 32);
    assert_int_equal(read_at(m, 1000, 0, 0), t->dram);
    assert_int_equal(read_at(m, 1010, 0, 64), t->dram - 10);
    assert_int_equal(read_at(m, 5000, 0, 4), t->first_level);
    assert_int_equal(read_at(m, 5000, 1, 4), t->l2);
    assert_int_equal(read_at(m, 6000, 0, 128), t->dram);
    ideal_memory_start(m, 32); /* the next launch starts with empty first-level caches, and what the L2 holds */
    assert_int_equal(read_at(m, 9000, 0, 4), t->l2);
    ideal_memory_destroy(m);
    machine_free(machine);
}

/* A line of instructions comes whole, also on a machine whose data comes in sectors: instructions in another sector of
 * the line are there when the line is. */
static void test_fetch_of_a_line(void **state)
{
    (void)state;
    struct machine *machine = load("volta");
    struct unloaded u;
    unloaded_measure(&u, &machine->mem);
    struct ideal_memory *m = ideal_memory_create(&machine->mem, 1);
    const uint64_t line = machine->mem.port[PORT_INSTRUCTION].line_bytes, dram = u.read[MEM_INSTRUCTION].dram;
    assert_true(machine->mem.sector_bytes && machine->mem.sector_bytes < line);
    ideal_memory_start(m, 32);
    assert_int_equal(ideal_memory_fetch(m, 1000, 0, 0), 1000 + dram);
    assert_int_equal(ideal_memory_fetch(m, 2000, 0, machine->mem.sector_bytes), 1000 + dram);
    assert_int_equal(ideal_memory_fetch(m, 2000, 0, line), 2000 + dram);
    ideal_memory_destroy(m);
    machine_free(machine);
}

/* Where nobody knows where lines of code begin, instructions less than a line apart may share a line, and those further
 * apart share none. */
static void test_fetch_of_loose_code(void **state)
{
    (void)state;
    struct machine *machine = load("vws");
    struct unloaded u;
    unloaded_measure(&u, &machine->mem);
    struct ideal_memory *m = ideal_memory_create(&machine->mem, 2);
    const uint64_t bytes = 8, line = machine->mem.port[PORT_INSTRUCTION].line_bytes;
    const struct unloaded_time *t = &u.read[MEM_INSTRUCTION];
    ideal_memory_start(m, 32);
    assert_int_equal(ideal_memory_fetch_loose(m, 1000, 0, line, 8), 1000 + t->dram);
    assert_int_equal(ideal_memory_fetch_loose(m, 2000, 0, 2 * line - bytes, 8), 1000 + t->dram);
    assert_int_equal(ideal_memory_fetch_loose(m, 2000, 0, bytes, 8), 1000 + t->dram);
    assert_int_equal(ideal_memory_fetch_loose(m, 3000, 0, 3 * line, 8), 3000 + t->dram);
    assert_int_equal(ideal_memory_fetch_loose(m, 4000, 0, 0, 8), 2000 + t->dram); /* asked for with that at `bytes` */
    assert_int_equal(ideal_memory_fetch_loose(m, 5000, 1, line + bytes, 8), 5000 + t->l2);
    ideal_memory_start(m, 32); /* another kernel's code is at these addresses, and may be in the L2 */
    assert_int_equal(ideal_memory_fetch_loose(m, 9000, 0, 50 * line, 8), 9000 + t->l2);
    ideal_memory_destroy(m);
    machine_free(machine);
}

/* Accesses of up to as many threads as issue together may share a lookup; more threads need another. */
static void test_lookups(void **state)
{
    (void)state;
    struct machine *machine = load("fermi");
    struct ideal_memory *m = ideal_memory_create(&machine->mem, 1);
    struct mem_access a = {.kind = MEM_LOAD, .wants_reply = true, .count = 1, .bytes = 4};
    uint64_t cycles = 0;
    ideal_memory_start(m, 32);
    for (int i = 0; i < 64; i++)
        cycles += ideal_memory_access(m, 1, &a, true).lookup_time;
    assert_int_equal(cycles, 2 * METER_CYCLE);
    ideal_memory_destroy(m);
    machine_free(machine);
}

/* Miss registers limit how many lines come in the time of a miss, however the lines are asked for. */
static void test_miss_registers(void **state)
{
    (void)state;
    struct machine *machine = load("fermi");
    struct unloaded u;
    unloaded_measure(&u, &machine->mem);
    struct ideal_memory *m = ideal_memory_create(&machine->mem, 1);
    uint64_t registers = machine->mem.port[PORT_DATA].mshrs;
    ideal_memory_start(m, 32);
    for (uint64_t i = 0; i < 10 * registers; i++)
        read_at(m, 1, 0, i * 128);
    assert_true(ideal_memory_answered(m, 0) >= 10 * (uint64_t)u.read[MEM_LOAD].l2);
    ideal_memory_destroy(m);
    machine_free(machine);
}

/* W threads of one cycle are one issue per port; an instruction with an interval holds its unit for longer. */
static void test_limits(void **state)
{
    (void)state;
    struct machine *machine = load("tiny");
    struct limits l = {0};
    struct plan p = {.unit = SM_ALU, .interval = 1};
    limits_open(&l, &machine->sm, 1);
    for (int i = 0; i < 40; i++)
        limits_issue(&l, 0, &p, 1, 1, 1);
    assert_int_equal(limits_last_issue(&l.all), 10); /* four lanes: cycles 1 to 10 */
    p.interval = 5;
    for (int i = 0; i < 40; i++)
        limits_issue(&l, 0, &p, 1, 1, 1);
    assert_int_equal(limits_last_issue(&l.all), 56); /* 10 cycles and 10 times 5; the last begins 5 before the end */
    assert_int_equal(limits_last_issue(&l.block[0]), 56);
    limits_start_block(&l, 0);
    assert_int_equal(limits_last_issue(&l.block[0]), 0);
    limits_close(&l);
    machine_free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meter),           cmocka_unit_test(test_least_times),
        cmocka_unit_test(test_first_touch),     cmocka_unit_test(test_hits_may_pass_a_miss),
        cmocka_unit_test(test_fetch_of_a_line), cmocka_unit_test(test_fetch_of_loose_code),
        cmocka_unit_test(test_lookups),         cmocka_unit_test(test_miss_registers),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
