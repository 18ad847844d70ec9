/*
 * Speed of the memory system alone, with the [mem] section of a machine: transactions per second for each pattern of
 * tests/unit/mem_traffic.h.
 *
 *   memory [MACHINE [PATTERN [ACCESSES]]]
 *
 * MACHINE is fermi by default; PATTERN is the number of one pattern, by default all are run; ACCESSES is the number of
 * accesses per multiprocessor. Each figure is the best of several runs, since a disturbance can only slow a run down.
 */
#define _GNU_SOURCE
#include "base/diag.h"
#include "gpu/machine.h"
#include "tests/unit/mem_traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 3, MOST_OUT = 48 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure(const struct machine *machine, enum traffic_kind kind, uint32_t accesses)
{
    double best = 1e30;
    uint64_t cycles = 0, transactions = 0;
    for (int i = 0; i < REPEATS; i++) {
        struct traffic t;
        traffic_open(&t, &machine->mem, kind, (int)machine->gpu.sm_count, accesses, MOST_OUT);
        double start = seconds();
        cycles = traffic_run(&t);
        double took = seconds() - start;
        best = took < best ? took : best;
        transactions = t.transactions;
        traffic_close(&t);
    }
    printf("%-14s %7.2f M transactions/s %8.1f ns each %9llu transactions %9llu cycles\n", traffic_name[kind],
           1e-6 * (double)transactions / best, 1e9 * best / (double)transactions, (unsigned long long)transactions,
           (unsigned long long)cycles);
}

int main(int argc, char **argv)
{
    static const uint32_t accesses[TRAFFIC_KINDS] = {400, 400, 3000, 3000, 20000, 2000};
    char *error = NULL;
    struct machine *machine = machine_load(argc > 1 ? argv[1] : "fermi", &error);
    if (!machine)
        fatal("%s", error);
    for (int kind = 0; kind < TRAFFIC_KINDS; kind++)
        if (argc < 3 || atoi(argv[2]) == kind)
            measure(machine, (enum traffic_kind)kind, argc > 3 ? (uint32_t)atoi(argv[3]) : accesses[kind]);
    machine_free(machine);
    return 0;
}
