/*
 * What the memory system computes, to the last digit: cycles, replies and every counter of some patterns on
 * the built-in machines and of two odd ones, as recorded in mem_recorded.h. Speed is bought by doing less,
 * never by computing something else; a change of the model itself changes the record:
 *
 *   test_mem_recorded --record > tests/unit/mem_recorded.h
 */
#include "base/text.h"
#include "gpu/machine.h"
#include "mem_traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct record {
    const char *machine;
    enum traffic_kind kind;
    const char *text;
};

static const struct record records[] = {
#include "mem_recorded.h"
    {NULL, TRAFFIC_KINDS, NULL},
};

enum { SMS = 15, MANY_SMS = 70, MANY_SLICES = 100, MOST_OUT = 48 };

/* More multiprocessors and slices than a word has bits, and windows that are longer. */
static void make_wide(struct machine *m)
{
    m->mem.slices_per_channel = 2;
    m->gpu.sm_count = MANY_SMS;
    m->mem.channels = MANY_SLICES / 2;
    m->mem.crossbar_latency = 90;
}

/* Everything waits for everything else. */
static void make_narrow(struct machine *m)
{
    m->mem.crossbar_mhz = 777;
    m->mem.miss_queue = m->mem.write_queue = 2;
    m->mem.port[PORT_DATA].mshrs = 3;
    m->mem.port[PORT_DATA].merges = 2;
    m->mem.crossbar_queue = 5;
    m->mem.l2_queue = 3;
    m->mem.l2_reply_queue = 2;
    m->mem.l2_mshrs = 4;
    m->mem.l2_merges = 2;
    m->mem.dram_queue = 3;
}

/* A built-in machine, with as many multiprocessors as all others, or one made of it. */
static struct machine *load_machine(const char *name)
{
    bool is_wide = strcmp(name, "wide") == 0, is_narrow = strcmp(name, "narrow") == 0;
    char *error = NULL;
    struct machine *machine = machine_load(is_wide || is_narrow ? "fermi" : name, &error);
    machine->gpu.sm_count = SMS;
    if (is_wide)
        make_wide(machine);
    if (is_narrow)
        make_narrow(machine);
    return machine;
}

/* Cycles, a sum over all replies, and the counters that are not zero. */
static char *run_traffic(const char *name, enum traffic_kind kind)
{
    static const uint32_t accesses[TRAFFIC_KINDS] = {40, 60, 300, 400, 500, 300};
    struct machine *machine = load_machine(name);
    struct text text = {0};
    struct traffic t;
    struct stat_value parts[MEM_OWNERS];
    int count;
    traffic_open(&t, &machine->mem, kind, (int)machine->gpu.sm_count, accesses[kind], MOST_OUT);
    text_printf(&text, "cycles %llu", (unsigned long long)traffic_run(&t));
    text_printf(&text, " replies %016llx", (unsigned long long)t.replies);
    mem_flush(t.m); /* counts what is dirty */
    mem_stats(t.m, parts, MEM_OWNERS, &count);
    for (int i = 0; i < count; i++)
        for (int n = 0; n < parts[i].owner->count; n++) {
            const struct stat_counter *c = &parts[i].owner->counters[n];
            uint64_t value = *(const uint64_t *)((const char *)parts[i].values + c->offset);
            if (value)
                text_printf(&text, " %s.%s %llu", parts[i].owner->name, c->name, (unsigned long long)value);
        }
    traffic_close(&t);
    machine_free(machine);
    return text_take(&text);
}

static void test_machines_do_what_was_recorded(void **state)
{
    (void)state;
    for (const struct record *r = records; r->machine; r++) {
        char *text = run_traffic(r->machine, r->kind);
        if (strcmp(text, r->text) != 0)
            print_error("%s on %s:\n", traffic_name[r->kind], r->machine);
        assert_string_equal(text, r->text);
        free(text);
    }
}

static void print_case(const char *machine, int kind)
{
    char *text = run_traffic(machine, (enum traffic_kind)kind);
    printf("{\"%s\", %d,\n \"", machine, kind);
    int column = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        bool wraps = column + (int)strlen(word) > 100;
        printf("%s%s%s", column ? " " : "", wraps ? "\"\n \"" : "", word);
        column = (wraps ? 0 : column + 1) + (int)strlen(word);
    }
    printf("\"},\n");
    free(text);
}

int main(int argc, char **argv)
{
    static const char *const machines[] = {"fermi", "fx5800", "volta", "vws", "wide", "narrow"};
    enum { MACHINES = sizeof machines / sizeof *machines };
    if (argc > 1 && strcmp(argv[1], "--record") == 0) {
        printf("/* Recorded by test_mem_recorded --record: {machine, pattern, what came of it}. */\n");
        for (int m = 0; m < MACHINES; m++)
            for (int kind = 0; kind < TRAFFIC_KINDS; kind++)
                print_case(machines[m], kind);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machines_do_what_was_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
