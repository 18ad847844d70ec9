/*
 * Same answer everywhere: race-free cases leave the same memory on a cycle-level machine, under any mechanism, as on
 * the functional engine; and visiting every cycle gives the same statistics as skipping idle ones.
 *
 *   timed MACHINE MECHANISM random FIRST COUNT [KNOB=VALUE ...]
 *   timed MACHINE MECHANISM corpus DIR [KNOB=VALUE ...]
 *   options before MACHINE:  --every-cycle   compare statistics of both ways to keep time
 */
#include "base/arena.h"
#include "base/diag.h"
#include "gpu/gpu.h"
#include "tests/agree/trace.h"
#include "tests/probes/probes.h"
#include "tests/random/generate.h"
#include "tests/silicon/corpus_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct setting {
    struct gpu_run run;
    bool compare_statistics;
    bool statistics_differ;
};

static void run_once(const struct gpu_run *run, const struct launch *launch, const struct code *code,
                     struct gpu_result *result)
{
    gpu_launch(run, launch, code, result);
    if (result->deadlock)
        fputs(result->deadlock, stdout);
}

/* What must hold of any run's counters. */
static bool identities_hold(const struct gpu_result *r)
{
    const struct sm_stats *s = &r->sm;
    uint64_t issued = 0;
    for (int i = 0; i < SM_WIDTH_CLASSES; i++)
        issued += s->issued_cycles[i];
    return s->thread_instructions <= s->issue_slots && issued <= s->warp_instructions;
}

static void on_machine(void *context, const struct launch *launch, const struct code *code, struct launch_result *result)
{
    struct setting *s = context;
    struct gpu_result timed;
    run_once(&s->run, launch, code, &timed);
    *result = timed.launch;
    if (!timed.launch.fault.kind && !identities_hold(&timed)) {
        printf("counters contradict each other\n");
        s->statistics_differ = true;
    }
    gpu_result_free(&timed);
}

/* The statistics of a case, both ways to keep time, each with a memory of its own. */
static void on_machine_counting(void *context, const struct launch *launch, const struct code *code,
                                struct launch_result *result)
{
    struct sm_stats *into = ((void **)context)[1];
    struct gpu_result timed;
    run_once(((void **)context)[0], launch, code, &timed);
    *result = timed.launch;
    *into = timed.sm;
    gpu_result_free(&timed);
}

static bool statistics_agree(const struct test_case *c, const struct setting *s)
{
    struct gpu_run runs[2] = {s->run, s->run};
    struct sm_stats stats[2];
    runs[1].visit_every_cycle = true;
    for (int i = 0; i < 2; i++) {
        struct trace t = {0};
        char *error = NULL;
        void *context[] = {&runs[i], &stats[i]};
        if (!trace_run(c, on_machine_counting, context, &t, &error))
            printf("%s: %s\n", c->name, error);
        free(error);
        trace_free(&t);
    }
    for (int i = 0; i < sm_stat_owner.count; i++) {
        const struct stat_counter *counter = &sm_stat_owner.counters[i];
        uint64_t a = *(uint64_t *)((char *)&stats[0] + counter->offset);
        uint64_t b = *(uint64_t *)((char *)&stats[1] + counter->offset);
        if (a != b) {
            printf("%s: %s is %llu skipping idle cycles, %llu visiting all\n", c->name, counter->name,
                   (unsigned long long)a, (unsigned long long)b);
            return false;
        }
    }
    return true;
}

static bool agree(const struct test_case *c, struct setting *s)
{
    struct trace engine = {0}, machine = {0};
    char *error = NULL;
    bool ok = trace_run(c, trace_on_engine, NULL, &engine, &error) && trace_run(c, on_machine, s, &machine, &error);
    if (!ok)
        printf("%s: does not load: %s\n", c->name, error ? error : "");
    else
        ok = !trace_differ(c, "engine", &engine, "machine", &machine) && !s->statistics_differ;
    if (ok && s->compare_statistics)
        ok = statistics_agree(c, s);
    free(error);
    trace_free(&engine);
    trace_free(&machine);
    return ok;
}

struct work {
    struct setting setting;
    uint64_t first;
    int count;
    struct test_case **corpus;
};

static int do_share(struct work *w, int start, int step)
{
    int failed = 0;
    for (int i = start; i < w->count; i += step) {
        struct test_case *c = w->corpus ? w->corpus[i] : random_case(w->first + (uint64_t)i);
        w->setting.statistics_differ = false;
        failed += !agree(c, &w->setting);
        if (!w->corpus)
            case_destroy(c);
        fflush(stdout);
    }
    return failed < 255 ? failed : 255;
}

int main(int argc, char **argv)
{
    struct work w = {0};
    char text[256] = "", *error = NULL;
    int at = 1;
    if (at < argc && !strcmp(argv[at], "--every-cycle")) {
        w.setting.compare_statistics = true;
        at++;
    }
    if (argc - at < 4) {
        fprintf(stderr, "usage: timed [--every-cycle] MACHINE MECHANISM random FIRST COUNT | corpus DIR [KNOB=VALUE ...]\n");
        return 2;
    }
    struct machine *machine = machine_load(argv[at], &error);
    if (!machine)
        fatal("%s", error);
    w.setting.run.machine = machine;
    w.setting.run.mechanism = div_find(argv[at + 1]);
    if (!w.setting.run.mechanism)
        w.setting.run.mechanism = probe_find(argv[at + 1]);
    if (!w.setting.run.mechanism)
        fatal("no mechanism %s", argv[at + 1]);
    const struct knob_table *knobs = w.setting.run.mechanism->knobs;
    uint64_t knob_values[64] = {0};
    if (knobs)
        knob_defaults(knobs, knob_values);
    w.setting.run.mechanism_knobs = knob_values;
    at += 2;
    const char *source = argv[at++];
    if (!strcmp(source, "random") && argc - at >= 2) {
        w.first = strtoull(argv[at], NULL, 10);
        w.count = atoi(argv[at + 1]);
        at += 2;
    } else {
        w.corpus = corpus_load(argv[at++], &w.count, text, sizeof text);
        if (!w.corpus)
            fatal("%s", text);
    }
    for (; at < argc; at++)
        if (!machine_set(machine, argv[at], &error))
            fatal("%s", error);
    if (!machine_check(machine, &error))
        fatal("%s", error);
    int jobs = (int)sysconf(_SC_NPROCESSORS_ONLN), failed = 0;
    fflush(stdout);
    for (int j = 0; j < jobs; j++)
        if (!fork())
            _exit(do_share(&w, j, jobs));
    for (int j = 0; j < jobs; j++) {
        int status;
        wait(&status);
        failed += WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        if (!WIFEXITED(status))
            printf("a process was ended by signal %d\n", WTERMSIG(status));
    }
    printf("%s %s %s: %d passed, %d failed\n", machine->name, w.setting.run.mechanism->name, source, w.count - failed, failed);
    for (int i = 0; w.corpus && i < w.count; i++)
        case_destroy(w.corpus[i]);
    free(w.corpus);
    machine_free(machine);
    return failed != 0;
}
