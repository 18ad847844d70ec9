/*
 * Agreement of the two executors: runs cases on the engine and on the oracle, each with a memory of its own, and
 * compares every output buffer byte for byte, what was printed, and how the launch ended. The engine runs every case a
 * second time, on several host threads, and must also count the same.
 *
 *   agree corpus DIR              every case of the corpus, also against what the host computes
 *   agree ops                     every form of every row of the instruction table, textures among them
 *
 * Work is split over as many processes as there are processors. Prints each disagreement, then "N passed, N
 * failed".
 */
#include "base/diag.h"
#include "tests/agree/trace.h"

#include "tests/corpus/reference.h"
#include "tests/manual/manual.h"
#include "tests/random/generate.h"
#include "tests/silicon/case.h"
#include "tests/silicon/corpus_case.h"
#include "tests/silicon/jobs.h"
#include "tests/silicon/op_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Does the engine give what the kernel's reference computes on the host? True where there is none. */
static bool agrees_with_host(const struct test_case *c, const struct trace *engine)
{
    void *expected[CASE_MAX_ARGS];
    if (!reference_run(c, expected))
        return true;
    bool ok = true;
    for (int i = 0; i < c->arg_count; i++) {
        size_t offset = 0;
        if (ok && c->arg[i].is_output &&
            !corpus_case_agrees(corpus_case_of(c), i, engine->output[i], expected[i], &offset)) {
            printf("%s: argument %d, byte %zu: not what the host computes\n", c->name, i, offset);
            ok = false;
        }
        free(expected[i]);
    }
    return ok;
}

static bool has_faulted(const struct test_case *c, const struct trace *t)
{
    char text[1024];
    if (t->fault.kind)
        printf("%s: ended with: %s", c->name, fault_describe(&t->fault, text, sizeof text));
    return t->fault.kind;
}

enum work_source { FROM_RANDOM, FROM_MANUAL, FROM_CORPUS, FROM_OPS };

/* Whether the engine counts the same on several host threads. */
static bool counts_differ(const struct test_case *c, const struct launch_result *a, const struct launch_result *b)
{
    if (a->warp_instructions == b->warp_instructions && a->thread_instructions == b->thread_instructions &&
        a->branches == b->branches && a->divergent_branches == b->divergent_branches)
        return false;
    printf("%s: on one host thread %llu warp and %llu thread instructions, on several %llu and %llu\n", c->name,
           (unsigned long long)a->warp_instructions, (unsigned long long)a->thread_instructions,
           (unsigned long long)b->warp_instructions, (unsigned long long)b->thread_instructions);
    return true;
}

static bool agree(const struct test_case *c, enum work_source source)
{
    struct trace engine = {0}, threads = {0}, oracle = {0};
    struct launch_result counted, counted_on_threads;
    char *error = NULL;
    bool ok = trace_run(c, trace_on_engine, &counted, &engine, &error) &&
              trace_run(c, trace_on_threads, &counted_on_threads, &threads, &error) &&
              trace_run(c, trace_on_oracle, NULL, &oracle, &error);
    if (!ok)
        printf("%s: does not load: %s\n", c->name, error ? error : "");
    else
        ok = !trace_differ(c, "engine", &engine, "oracle", &oracle) &&
             !trace_differ(c, "one host thread", &engine, "several", &threads) &&
             !counts_differ(c, &counted, &counted_on_threads) &&
             (source != FROM_CORPUS || agrees_with_host(c, &engine)) &&
             ((source != FROM_RANDOM && source != FROM_MANUAL) || !has_faulted(c, &engine));
    free(error);
    trace_free(&engine);
    trace_free(&threads);
    trace_free(&oracle);
    return ok;
}

struct work {
    enum work_source source;
    uint64_t first;
    int count;
    struct test_case **corpus;
    struct form_list forms;
};

static struct test_case *work_case(const struct work *w, int i)
{
    switch (w->source) {
    case FROM_CORPUS:
        return w->corpus[i];
    case FROM_OPS:
        return &op_case_of_form(&w->forms.data[i])->base;
    case FROM_MANUAL:
        return manual_case(w->first + (uint64_t)i);
    default:
        return random_case(w->first + (uint64_t)i);
    }
}

/* One process's share: every step-th case from `start`. Returns the number of failures, at most 255. */
static int do_share(const struct work *w, int start, int step)
{
    int failed = 0;
    for (int i = start; i < w->count; i += step) {
        struct test_case *c = work_case(w, i);
        failed += !agree(c, w->source);
        if (w->source != FROM_CORPUS)
            case_destroy(c);
        fflush(stdout);
    }
    return failed < 255 ? failed : 255;
}

/* Rows of the instruction table that no form covers: a new row must have one. */
static int missing_rows(void)
{
    int missing = 0;
    for (enum op op = OP_NONE; (op = op_case_missing_row((enum op)(op + 1))) != OP_NONE; missing++)
        printf("FAIL %s: no case covers this row\n", op_table[op].id);
    return missing;
}

int main(int argc, char **argv)
{
    struct work w = {0};
    char error[256] = "";
    if (argc == 4 && (!strcmp(argv[1], "random") || !strcmp(argv[1], "manual"))) {
        w.source = argv[1][0] == 'm' ? FROM_MANUAL : FROM_RANDOM;
        w.first = strtoull(argv[2], NULL, 10);
        w.count = atoi(argv[3]);
    } else if (argc == 2 && !strcmp(argv[1], "ops")) {
        w.source = FROM_OPS;
        w.forms = form_list_all();
        w.count = w.forms.count;
    } else if (argc == 3 && !strcmp(argv[1], "corpus")) {
        w.source = FROM_CORPUS;
        w.corpus = corpus_load(argv[2], &w.count, error, sizeof error);
        if (!w.corpus)
            fatal("%s", error);
    } else {
        fprintf(stderr, "usage: agree random|manual FIRST COUNT | agree corpus DIR | agree ops\n");
        return 2;
    }
    int jobs = test_jobs();
    int failed = w.source == FROM_OPS ? missing_rows() : 0;
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
    printf("%s: %d passed, %d failed\n", argv[1], w.count - failed, failed);
    for (int i = 0; w.corpus && i < w.count; i++)
        case_destroy(w.corpus[i]);
    free(w.corpus);
    form_list_free(&w.forms);
    return failed != 0;
}
