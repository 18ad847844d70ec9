/*
 * replay: runs the cases through the CUDA driver API, to record what silicon gives or to check against it.
 *
 * The same program serves both: linked with a GPU's libcuda.so.1 it records goldens, run on heddle's it
 * checks them. Cases run in worker processes; this one never touches CUDA, except to name the device.
 */
#define _DEFAULT_SOURCE
#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "device.h"
#include "golden.h"
#include "jobs.h"
#include "pool.h"
#include "suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: replay ops|random|manual|corpus [options] --record FILE | --check FILE | --list | --print\n"
    "       replay pack FROM TO     compress a recorded file\n"
    "       replay rows FILE        name the rows of the instruction table that a recorded file of ops has\n"
    "       replay device           name the device\n"
    "options:\n"
    "  --only TEXT             only cases whose name contains TEXT\n"
    "  --jobs N                worker processes (all cores)\n"
    "  --timeout SECONDS       for one case (120)\n"
    "  --random FIRST COUNT    seeds; when checking, those of the file are the default\n"
    "  --corpus FOLDER         where the corpus is (tests/corpus)\n"
    "  --optimisation LEVEL    at which the driver compiles modules, 0 to 4 (random, manual: 0; others: the "
    "driver's)\n";

enum action { ACTION_NONE, ACTION_RECORD, ACTION_CHECK, ACTION_LIST, ACTION_PRINT };

struct options {
    enum action action;
    const char *file, *only, *corpus;
    int jobs;
    unsigned timeout_s;
    uint64_t first_seed;
    int seed_count;   /* 0: not said */
    int optimisation; /* -1: not said */
};

struct replay {
    struct options options;
    struct suite suite;
    struct vec_of(int) selected; /* cases of the suite */
    int passed, failed, skipped;
};

static bool worker_start(void *context, char *message, size_t message_size)
{
    (void)context;
    char reason[DEVICE_MESSAGE_BYTES];
    /* What kernels print would drown the results. */
    if (!freopen("/dev/null", "w", stdout))
        fatal("/dev/null: %s", strerror(errno));
    if (device_open(reason))
        return true;
    snprintf(message, message_size, "no device: %.200s", reason);
    return false;
}

static bool worker_run(void *context, int index, struct pool_result *result)
{
    struct replay *r = context;
    const struct suite *suite = &r->suite;
    struct test_case *c = suite->make(suite, r->selected.data[index]);
    void *outputs[CASE_MAX_ARGS];
    char message[DEVICE_MESSAGE_BYTES] = "";
    const enum device_status status = device_run(c, suite->optimisation, outputs, message);
    if (status == DEVICE_DONE) {
        const struct suite_digest digest = suite->digest(c, outputs);
        result->bytes = digest.bytes;
        result->length = digest.length;
        for (int i = 0; i < CASE_MAX_ARGS; i++)
            free(outputs[i]);
    } else {
        result->status = status == DEVICE_REFUSED ? POOL_REFUSED : POOL_FAILED;
        struct text copy = {0};
        text_printf(&copy, "%s", message);
        result->message = text_take(&copy);
    }
    suite->release(c);
    return status != DEVICE_FAULT;
}

static struct pool_result *run_selected(struct replay *r)
{
    const struct pool_work work = {.count = r->selected.count,
                                   .jobs = r->options.jobs,
                                   .timeout_s = r->options.timeout_s,
                                   .context = r,
                                   .start = worker_start,
                                   .run = worker_run};
    return pool_run(&work);
}

static void complain(struct replay *r, const char *name, const char *what)
{
    printf("FAIL %s: %s\n", name, what);
    r->failed++;
}

/* Whether this result was recorded before under the same key, by another variant of the same case. */
static bool recorded_before(struct replay *r, const struct test_case *c, const char *key, const char *last_key,
                            const struct suite_digest *got, const struct suite_digest *last)
{
    if (!last_key || strcmp(key, last_key))
        return false;
    struct text report = {0};
    if (r->suite.agrees(c, got, last, &report))
        r->passed++;
    else
        complain(r, c->name, "differs from the variant recorded first");
    if (report.length)
        fputs(report.data, stdout);
    text_free(&report);
    return true;
}

static void record(struct replay *r)
{
    struct golden_writer *writer = golden_create(r->options.file, r->suite.as_lines);
    if (!writer)
        fatal("%s: %s", r->options.file, strerror(errno));
    struct pool_result *results = run_selected(r);
    char *last_key = NULL;
    struct suite_digest last = {0};
    for (int i = 0; i < r->selected.count; i++) {
        struct test_case *c = r->suite.make(&r->suite, r->selected.data[i]);
        const struct suite_digest got = {results[i].bytes, results[i].length};
        struct text text = {0};
        r->suite.key(c, &text);
        char *key = text_take(&text);
        if (results[i].status == POOL_DONE && !recorded_before(r, c, key, last_key, &got, &last)) {
            golden_write(writer, key, false, got.bytes, got.length);
            r->passed++;
            free(last_key);
            last_key = key;
            key = NULL;
            last = got;
        } else if (results[i].status == POOL_REFUSED && r->suite.may_be_absent(c)) {
            printf("not on this silicon: %s: %s\n", c->name, results[i].message);
            golden_write(writer, key, true, NULL, 0);
            r->skipped++;
        } else if (results[i].status != POOL_DONE) {
            complain(r, c->name, results[i].message);
        }
        free(key);
        r->suite.release(c);
    }
    free(last_key);
    pool_free(results, r->selected.count);
    if (!golden_close(writer))
        fatal("%s: not all could be written", r->options.file);
    printf("%s: %d recorded, %d failed, %d not on this silicon\n", r->suite.name, r->passed, r->failed, r->skipped);
}

static void check_one(struct replay *r, const struct test_case *c, const struct pool_result *result,
                      struct golden *golden)
{
    struct text key = {0}, report = {0};
    r->suite.key(c, &key);
    const struct golden_entry *entry = golden_find(golden, key.data);
    const struct suite_digest got = {result->bytes, result->length};
    if (!entry) {
        complain(r, c->name, "there is no golden");
    } else if (entry->absent) {
        r->skipped++;
    } else if (result->status != POOL_DONE) {
        complain(r, c->name, result->message);
    } else {
        const struct suite_digest expected = {(uint8_t *)entry->bytes, entry->length};
        if (r->suite.agrees(c, &got, &expected, &report))
            r->passed++;
        else
            complain(r, c->name, "differs from silicon");
        if (report.length)
            fputs(report.data, stdout);
    }
    text_free(&key);
    text_free(&report);
}

static void check(struct replay *r, struct golden *golden)
{
    struct pool_result *results = run_selected(r);
    for (int i = 0; i < r->selected.count; i++) {
        struct test_case *c = r->suite.make(&r->suite, r->selected.data[i]);
        check_one(r, c, &results[i], golden);
        r->suite.release(c);
    }
    pool_free(results, r->selected.count);
    const bool everything = !r->options.only && !r->options.seed_count;
    for (int i = 0; everything && i < golden->count; i++)
        if (!golden->data[i].used) {
            printf("FAIL %.*s: a golden of no case\n", (int)golden->data[i].name_length, golden->data[i].name);
            r->failed++;
        }
    printf("%d passed, %d failed, %d skipped\n", r->passed, r->failed, r->skipped);
}

static void select_cases(struct replay *r)
{
    for (int i = 0; i < r->suite.count; i++) {
        bool wanted = true;
        if (r->options.only) {
            struct test_case *c = r->suite.make(&r->suite, i);
            wanted = strstr(c->name, r->options.only);
            r->suite.release(c);
        }
        if (wanted)
            vec_push(&r->selected, i);
    }
}

static void list(struct replay *r)
{
    for (int i = 0; i < r->selected.count; i++) {
        struct test_case *c = r->suite.make(&r->suite, r->selected.data[i]);
        if (r->options.action == ACTION_PRINT)
            printf("// %s\n%s\n", c->name, c->ptx);
        else
            printf("%s\n", c->name);
        r->suite.release(c);
    }
}

static long parse_number(const char *text, long least)
{
    char *end;
    errno = 0;
    const long n = strtol(text ? text : "", &end, 10);
    if (errno || !text || end == text || *end || n < least)
        fatal("'%s' is not a number of the expected kind", text ? text : "");
    return n;
}

static void parse_options(struct options *o, char **arg)
{
    while (*arg) {
        const char *word = *arg++;
        if (!strcmp(word, "--list") || !strcmp(word, "--print")) {
            o->action = word[2] == 'l' ? ACTION_LIST : ACTION_PRINT;
            continue;
        }
        if (!*arg)
            fatal("%s wants a value\n%s", word, usage);
        if (!strcmp(word, "--record") || !strcmp(word, "--check")) {
            o->action = word[2] == 'r' ? ACTION_RECORD : ACTION_CHECK;
            o->file = *arg++;
        } else if (!strcmp(word, "--only")) {
            o->only = *arg++;
        } else if (!strcmp(word, "--corpus")) {
            o->corpus = *arg++;
        } else if (!strcmp(word, "--jobs")) {
            o->jobs = (int)parse_number(*arg++, 1);
        } else if (!strcmp(word, "--timeout")) {
            o->timeout_s = (unsigned)parse_number(*arg++, 1);
        } else if (!strcmp(word, "--optimisation")) {
            o->optimisation = (int)parse_number(*arg++, 0);
        } else if (!strcmp(word, "--random")) {
            o->first_seed = (uint64_t)parse_number(*arg++, 0);
            o->seed_count = (int)parse_number(*arg, 1);
            arg++;
        } else {
            fatal("there is no option %s\n%s", word, usage);
        }
    }
    if (o->action == ACTION_NONE)
        fatal("nothing to do\n%s", usage);
}

/* A file of goldens has seeds in rising order. Some may be missing: see leave_out_unrecorded(). */
static void open_seeds(struct replay *r, const char *name, const struct golden *golden)
{
    uint64_t first = 1;
    int count = 1500;
    if (r->options.seed_count) {
        first = r->options.first_seed;
        count = r->options.seed_count;
    } else if (golden->count) {
        first = strtoull(golden->data[0].name, NULL, 10);
        count = (int)(strtoull(golden->data[golden->count - 1].name, NULL, 10) - first) + 1;
    }
    if (!strcmp(name, "manual"))
        suite_open_manual(&r->suite, first, count);
    else
        suite_open_random(&r->suite, first, count);
}

/* Seeds that the file has no golden of are left out: silicon gave none, or not one of what the text says. */
static void leave_out_unrecorded(struct replay *r, struct golden *golden)
{
    int kept = 0;
    for (int i = 0; i < r->selected.count; i++) {
        struct test_case *c = r->suite.make(&r->suite, r->selected.data[i]);
        struct text key = {0};
        r->suite.key(c, &key);
        if (golden_find(golden, key.data))
            r->selected.data[kept++] = r->selected.data[i];
        text_free(&key);
        r->suite.release(c);
    }
    r->selected.count = kept;
}

static int replay_suite(const char *name, char **arg)
{
    struct replay r = {.options = {.corpus = "tests/corpus", .timeout_s = 120, .optimisation = -1}};
    struct golden golden = {0};
    char error[512];
    r.options.jobs = test_jobs();
    parse_options(&r.options, arg);
    if (r.options.action == ACTION_CHECK && !golden_load(&golden, r.options.file, error, sizeof error))
        fatal("%s", error);
    if (!strcmp(name, "ops"))
        suite_open_ops(&r.suite);
    else if (!strcmp(name, "random") || !strcmp(name, "manual"))
        open_seeds(&r, name, &golden);
    else if (!suite_open_corpus(&r.suite, r.options.corpus, error, sizeof error))
        fatal("%s", error);
    if (r.options.optimisation >= 0)
        r.suite.optimisation = r.options.optimisation;
    select_cases(&r);
    if (r.options.action == ACTION_CHECK && r.suite.as_lines && !r.options.seed_count)
        leave_out_unrecorded(&r, &golden);
    if (r.options.action == ACTION_RECORD)
        record(&r);
    else if (r.options.action == ACTION_CHECK)
        check(&r, &golden);
    else
        list(&r);
    vec_free(&r.selected);
    golden_free(&golden);
    suite_close(&r.suite);
    return r.failed ? 1 : 0;
}

/* The rows of ops.def that a file of goldens has results of, one per line. Names begin with the row. */
static int print_rows(const char *path)
{
    struct golden golden = {0};
    char error[512];
    if (!golden_load(&golden, path, error, sizeof error))
        fatal("%s", error);
    for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
        const size_t length = strlen(op_table[op].id);
        bool found = false;
        for (int i = 0; i < golden.count && !found; i++) {
            const struct golden_entry *e = &golden.data[i];
            found = !e->absent && e->name_length > length && e->name[length] == '/' &&
                    !memcmp(e->name, op_table[op].id, length);
        }
        if (found)
            puts(op_table[op].id);
    }
    golden_free(&golden);
    return 0;
}

int main(int argc, char **argv)
{
    char error[512];
    static const char *const suites[] = {"ops", "random", "manual", "corpus"};
    for (size_t i = 0; argc >= 2 && i < sizeof suites / sizeof *suites; i++)
        if (!strcmp(argv[1], suites[i]))
            return replay_suite(argv[1], argv + 2);
    if (argc == 2 && !strcmp(argv[1], "device"))
        return device_print() ? 0 : 1;
    if (argc == 3 && !strcmp(argv[1], "rows"))
        return print_rows(argv[2]);
    if (argc == 4 && !strcmp(argv[1], "pack")) {
        if (!golden_pack(argv[2], argv[3], error, sizeof error))
            fatal("%s", error);
        return 0;
    }
    fputs(usage, stderr);
    return 2;
}
