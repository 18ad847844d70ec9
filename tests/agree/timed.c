/*
 * Same answer everywhere: race-free cases leave the same memory on a cycle-level machine, under any mechanism, as on
 * the functional engine; their threads execute as many instructions; and the counters obey their identities.
 *
 *   timed [OPTIONS] MACHINE MECHANISM random|manual FIRST COUNT [KNOB=VALUE ...]
 *   timed [OPTIONS] MACHINE MECHANISM corpus DIR [KNOB=VALUE ...]
 *
 *   --every-cycle   a second run that visits every cycle must give the same counters
 *   --twice         so must a second run, on two host threads
 *   --bound         no case may take fewer cycles than under the mechanism `bound`
 *   --any-knobs     other knobs of the machine and the mechanism for each case, drawn at random
 *   --replay        a recording of the run must give the run's counters when it is replayed, and so must a recording of a
 *                   random case on the functional engine
 *   --predict       convergence barriers of predictions drawn at random, legal and illegal, for mechanisms that know such;
 *                   what they leave is compared with the oracle's memory too
 */
#include "base/arena.h"
#include "base/diag.h"
#include "div/table.h"
#include "exec/functional.h"
#include "gpu/gpu.h"
#include "report/report.h"
#include "tests/agree/knobs.h"
#include "tests/agree/predictions.h"
#include "tests/agree/taped.h"
#include "tests/agree/trace.h"
#include "tests/manual/manual.h"
#include "tests/probes/probes.h"
#include "tests/random/generate.h"
#include "tests/silicon/corpus_case.h"
#include "tests/silicon/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_KNOB_WORDS = 64 };

struct setting {
    struct gpu_run run;
    bool every_cycle, twice, any_knobs, predicts, is_bounded, replays;
    bool counts_threads; /* thread instructions depend on the program alone: not where threads race for a word */
};

/* A run of one case, and what it counted. */
struct counted {
    struct gpu_run run;
    uint64_t thread_instructions, cycles;
    uint64_t predictions; /* the number they are drawn by; 0: none are */
    struct drawn_predictions drawn;
    struct taped *records; /* where the run is recorded; NULL: it is not */
    struct taped *replays; /* what the run replays; NULL: it executes */
    struct sm_stats stats;
    struct text counters; /* all of them */
    bool is_wrong;        /* counters contradict each other */
    bool cannot_be_recorded;
};

static void on_engine(void *context, const struct launch *launch, const struct code *code, struct launch_result *result)
{
    functional_launch(launch, code, result);
    *(uint64_t *)context += result->thread_instructions;
}

static void on_machine(void *context, const struct launch *launch, const struct code *code,
                       struct launch_result *result)
{
    struct counted *c = context;
    struct gpu_result timed;
    struct text why = {0};
    struct gpu_run run = c->run;
    struct barrier_plan *plan = c->predictions ? predictions_draw(code_program(code), c->predictions, &c->drawn) : NULL;
    struct launch taped = *launch;
    run.barriers = plan;
    char *refusal = NULL;
    struct decisions *decisions = decisions_create(code, &refusal);
    c->cannot_be_recorded = !decisions; /* it copies asynchronously, or has clusters or matrices */
    decisions_destroy(decisions);
    free(refusal);
    if ((c->records && !taped_record(c->records, launch, code, &taped)) ||
        (c->replays && !taped_replay(c->replays, launch, code, &taped)))
        c->is_wrong = true;
    gpu_launch(&run, &taped, code, &timed);
    barrier_plan_destroy(plan);
    if (timed.deadlock)
        fputs(timed.deadlock, stdout);
    *result = timed.launch;
    if (!result->fault.kind && !report_check(&timed, c->run.machine, &why)) {
        printf("counters contradict each other: %s\n", why.data);
        c->is_wrong = true;
    }
    text_free(&why);
    c->thread_instructions += result->thread_instructions;
    c->cycles += timed.cycles;
    struct stat_result all = {timed.parts, timed.part_count};
    stat_print_json(&all, &c->counters);
    gpu_result_free(&timed);
}

static bool run_counted(const struct test_case *c, struct counted *into, struct trace *t)
{
    char *error = NULL;
    bool ok = trace_run(c, on_machine, into, t, &error);
    if (!ok)
        printf("%s: does not load: %s\n", c->name, error ? error : "");
    free(error);
    return ok && !into->is_wrong;
}

/* Says the first counter in which two lists, as JSON, differ. */
static bool counters_agree(const struct test_case *c, const char *what, const struct text *a, const struct text *b)
{
    if (a->length == b->length && (!a->length || !memcmp(a->data, b->data, a->length)))
        return true;
    size_t i = 0, member = 0;
    for (; i < a->length && i < b->length && a->data[i] == b->data[i]; i++)
        if (a->data[i] == ',')
            member = i + 1;
    printf("%s: %s gives other counters: %.*s against %.*s\n", c->name, what, (int)strcspn(a->data + member, ","),
           a->data + member, (int)strcspn(b->data + member, ","), b->data + member);
    return false;
}

static bool runs_agree(const struct test_case *c, const struct setting *s, const struct counted *first)
{
    bool ok = true;
    for (int every = 0; every < 2; every++) {
        if (!(every ? s->every_cycle : s->twice))
            continue;
        struct counted again = {.run = first->run, .predictions = first->predictions};
        struct trace t = {0};
        again.run.visit_every_cycle = every;
        again.run.threads = every ? 1 : 2; /* of the host */
        ok &= run_counted(c, &again, &t) &&
              counters_agree(c, every ? "visiting every cycle" : "a second run, on two host threads,", &first->counters,
                             &again.counters);
        trace_free(&t);
        text_free(&again.counters);
    }
    return ok;
}

/* Where a case is recorded on the functional engine. */
static void on_recorded_engine(void *context, const struct launch *launch, const struct code *code,
                               struct launch_result *result)
{
    struct taped *t = context;
    struct launch copy;
    t->failed = !taped_record(t, launch, code, &copy);
    functional_launch(&copy, code, result);
}

/* Replays what was recorded, and compares the counters with those of the run. */
static bool replay_agrees(const struct test_case *c, const struct counted *first, struct taped *taped, const char *what)
{
    struct counted again = {.run = first->run, .predictions = first->predictions, .replays = taped};
    struct trace t = {0};
    bool ok = !taped->failed && run_counted(c, &again, &t);
    if (ok && t.fault.kind) {
        char words[1024];
        printf("%s: %s: %s", c->name, what, fault_describe(&t.fault, words, sizeof words));
        ok = false;
    }
    ok = ok && counters_agree(c, what, &first->counters, &again.counters);
    trace_free(&t);
    text_free(&again.counters);
    return ok;
}

/* A recording made on the machine, and one made on the functional engine, both replayed on the machine. The second is
 * left out if what threads do depends on their order (`has_order`). */
static bool replays_agree(const struct test_case *c, const struct counted *first, bool has_order)
{
    struct taped functional = {0}, timed = {0};
    struct trace engine = {0}, machine = {0};
    char *error = NULL;
    struct counted recorded = {.run = first->run, .predictions = first->predictions, .records = &timed};
    bool ok = (has_order || (trace_run(c, on_recorded_engine, &functional, &engine, &error) &&
                             replay_agrees(c, first, &functional, "the replay of a functional run"))) &&
              run_counted(c, &recorded, &machine) &&
              counters_agree(c, "a run that is recorded", &first->counters, &recorded.counters) &&
              replay_agrees(c, first, &timed, "the replay of the run");
    free(error);
    trace_free(&engine);
    trace_free(&machine);
    text_free(&recorded.counters);
    taped_free(&functional);
    taped_free(&timed);
    return ok;
}

/* Whether the case takes at least the cycles of the bound. Threads that race may execute other instructions there; then
 * nothing is said. */
static bool keeps_bound(const struct test_case *c, const struct counted *first)
{
    struct counted bound = {.run = first->run};
    struct trace t = {0};
    bound.run.mechanism = div_find("bound");
    bound.run.mechanism_knobs = NULL;
    bool ok = run_counted(c, &bound, &t);
    if (ok && first->cycles < bound.cycles && first->thread_instructions == bound.thread_instructions) {
        printf("%s: %llu cycles, and %llu under the bound\n", c->name, (unsigned long long)first->cycles,
               (unsigned long long)bound.cycles);
        ok = false;
    }
    trace_free(&t);
    text_free(&bound.counters);
    return ok;
}

static bool agrees_with_oracle(const struct test_case *c, const struct trace *machine)
{
    struct trace oracle = {0};
    char *error = NULL;
    bool ok =
        trace_run(c, trace_on_oracle, NULL, &oracle, &error) && !trace_differ(c, "oracle", &oracle, "machine", machine);
    free(error);
    trace_free(&oracle);
    return ok;
}

static bool agree(const struct test_case *c, const struct setting *s, uint64_t number)
{
    struct trace engine = {0}, machine = {0};
    struct machine drawn = *s->run.machine;
    uint64_t knobs[MAX_KNOB_WORDS], thread_instructions = 0;
    struct text settings = {0};
    struct counted first = {.run = s->run, .predictions = s->predicts ? number + 1 : 0};
    char *error = NULL;
    memcpy(knobs, s->run.mechanism_knobs, sizeof knobs);
    if (s->any_knobs) {
        struct random random = {number};
        knobs_draw(&random, &drawn, s->run.mechanism->knobs, knobs, &settings);
    }
    first.run.machine = &drawn;
    first.run.mechanism_knobs = knobs;
    bool ok = trace_run(c, on_engine, &thread_instructions, &engine, &error) && run_counted(c, &first, &machine);
    bool fits = machine.fault.kind != FAULT_LAUNCH; /* a block may need more registers than the machine has */
    ok = ok && (!fits || !trace_differ(c, "engine", &engine, "machine", &machine));
    if (ok && fits && s->counts_threads && !engine.fault.kind && first.thread_instructions != thread_instructions) {
        printf("%s: %llu thread instructions on the engine, %llu on the machine\n", c->name,
               (unsigned long long)thread_instructions, (unsigned long long)first.thread_instructions);
        ok = false;
    }
    ok = ok && (!s->predicts || !fits || agrees_with_oracle(c, &machine)) && runs_agree(c, s, &first) &&
         (!s->is_bounded || !fits || engine.fault.kind || keeps_bound(c, &first)) &&
         (!s->replays || !fits || engine.fault.kind || first.cannot_be_recorded ||
          replays_agree(c, &first, !s->counts_threads));
    if (!ok && s->predicts)
        printf("%s: with %llu predictions, %llu others refused\n", c->name, (unsigned long long)first.drawn.honoured,
               (unsigned long long)first.drawn.refused);
    if (!ok && s->any_knobs)
        printf("%s: with%s\n", c->name, settings.data ? settings.data : "");
    free(error);
    text_free(&settings);
    text_free(&first.counters);
    trace_free(&engine);
    trace_free(&machine);
    return ok;
}

struct work {
    struct setting setting;
    uint64_t first;
    int count;
    struct test_case *(*make)(uint64_t seed); /* random_case or manual_case, where there is no corpus */
    struct test_case **corpus;
};

static int do_share(struct work *w, int start, int step)
{
    int failed = 0;
    for (int i = start; i < w->count; i += step) {
        struct test_case *c = w->corpus ? w->corpus[i] : w->make(w->first + (uint64_t)i);
        failed += !agree(c, &w->setting, w->first + (uint64_t)i);
        if (!w->corpus)
            case_destroy(c);
        fflush(stdout);
    }
    return failed < 255 ? failed : 255;
}

/* One process a core. */
static int do_all(struct work *w)
{
    int jobs = test_jobs(), failed = 0;
    fflush(stdout);
    for (int j = 0; j < jobs; j++)
        if (!fork())
            _exit(do_share(w, j, jobs));
    for (int j = 0; j < jobs; j++) {
        int status;
        wait(&status);
        failed += WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        if (!WIFEXITED(status))
            printf("a process was ended by signal %d\n", WTERMSIG(status));
    }
    return failed;
}

static bool take_option(struct setting *s, const char *word)
{
    bool *const flags[] = {&s->every_cycle, &s->twice, &s->any_knobs, &s->predicts, &s->is_bounded, &s->replays};
    static const char *const names[] = {"--every-cycle", "--twice", "--any-knobs", "--predict", "--bound", "--replay"};
    for (int i = 0; i < 6; i++)
        if (!strcmp(word, names[i]))
            return *flags[i] = true;
    return false;
}

static const struct div_ops *find_mechanism(const char *name)
{
    const struct div_ops *found = div_find(name);
    if (!found)
        found = probe_find(name);
    if (!found)
        fatal("no mechanism %s", name);
    return found;
}

int main(int argc, char **argv)
{
    struct work w = {0};
    char text[256] = "", *error = NULL;
    int at = 1;
    while (at < argc && take_option(&w.setting, argv[at]))
        at++;
    if (argc - at < 4) {
        fprintf(
            stderr,
            "usage: timed [--every-cycle] [--twice] [--any-knobs] [--predict] [--bound] [--replay] MACHINE MECHANISM "
            "random|manual FIRST COUNT | "
            "corpus DIR [KNOB=VALUE ...]\n");
        return 2;
    }
    struct machine *machine = machine_load(argv[at], &error);
    if (!machine)
        fatal("%s", error);
    uint64_t knob_values[MAX_KNOB_WORDS] = {0};
    w.setting.run.machine = machine;
    w.setting.run.mechanism = find_mechanism(argv[at + 1]);
    w.setting.run.mechanism_knobs = knob_values;
    const struct knob_table *knobs = w.setting.run.mechanism->knobs;
    if (knobs)
        knob_defaults(knobs, knob_values);
    at += 2;
    const char *source = argv[at++];
    if ((!strcmp(source, "random") || !strcmp(source, "manual")) && argc - at >= 2) {
        w.make = source[0] == 'm' ? manual_case : random_case;
        w.first = strtoull(argv[at], NULL, 10);
        w.count = atoi(argv[at + 1]);
        w.setting.counts_threads = true;
        at += 2;
    } else {
        w.corpus = corpus_load(argv[at++], &w.count, text, sizeof text);
        if (!w.corpus)
            fatal("%s", text);
    }
    for (; at < argc; at++) {
        const char *dot = strchr(argv[at], '.'), *equals = strchr(argv[at], '=');
        char name[64] = "";
        if (knobs && dot && equals && !strncmp(argv[at], knobs->section, (size_t)(dot - argv[at]))) {
            snprintf(name, sizeof name, "%.*s", (int)(equals - dot - 1), dot + 1);
            if (!knob_set(knobs, knob_values, name, equals + 1, &error))
                fatal("%s", error);
        } else if (!machine_set(machine, argv[at], &error)) {
            fatal("%s", error);
        }
    }
    if (!machine_check(machine, &error))
        fatal("%s", error);
    int failed = do_all(&w);
    printf("%s %s %s: %d passed, %d failed\n", machine->name, w.setting.run.mechanism->name, source, w.count - failed,
           failed);
    for (int i = 0; w.corpus && i < w.count; i++)
        case_destroy(w.corpus[i]);
    free(w.corpus);
    machine_free(machine);
    return failed != 0;
}
