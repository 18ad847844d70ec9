/*
 * Rewritten programs leave the memory of the original: random programs, each rewritten by each pass of the table that
 * applies, run on the engine, on the oracle, and on a cycle-level machine under two mechanisms, which change from program
 * to program. Under mechanisms with convergence barriers the predictions that a pass wrote are honoured.
 *
 *   rewritten [OPTIONS] random|manual|tasks FIRST COUNT [PASSES ...]
 *
 *   PASSES          lists of passes, such as `coarsen=4` or `coarsen=2,outline`; default: each pass of the table alone,
 *                   and all together
 *   --machine NAME  the machine (tiny)
 *   --write FOLDER  also writes the original and the rewritten program, with their launches, as two corpora (see
 *                   tests/corpus/README.md) under FOLDER: what silicon.sh has a GPU check
 *   --may-be-idle   it is no failure that a list of passes changes no program
 *
 * Prints how many programs each list of passes really changed, then "N passed, N failed".
 */
#define _GNU_SOURCE
#include "base/arena.h"
#include "base/diag.h"
#include "div/table.h"
#include "exec/functional.h"
#include "gpu/gpu.h"
#include "recon/speculate.h"
#include "rewrite/table.h"
#include "tests/agree/trace.h"
#include "tests/manual/manual.h"
#include "tests/random/generate.h"
#include "tests/rewrite/tasks.h"
#include "tests/silicon/jobs.h"
#include "tests/silicon/op_texture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_LISTS = 64 };

/* How the programs of one list of passes fared; shared by all processes. */
struct tally {
    int changed, failed;
};

struct work {
    const char *source; /* name of the generator */
    struct test_case *(*make)(uint64_t seed);
    uint64_t first;
    int count, list_count;
    const char *passes[MAX_LISTS]; /* NULL: all passes of the table, for `all_passes` to draw */
    struct machine *machine;
    const char *folder;
    bool may_be_idle;
    struct tally *tally; /* by list */
};

/* ---- passes ---- */

/* Appends the pass with a value that the program's number chooses. */
static void name_pass(const struct rewrite_pass *p, uint64_t number, struct text *out)
{
    text_printf(out, "%s%s", out->length ? "," : "", p->name);
    if (p->value_kind == REWRITE_NUMBER)
        text_printf(out, "=%d", 2 + (int)(number % 3));
    if (p->value_kind != REWRITE_WORD)
        return;
    int words = 1;
    for (const char *w = p->value; (w = strchr(w, '|')); w++)
        words++;
    const char *word = p->value;
    for (uint64_t skipped = number % (uint64_t)words; skipped; skipped--)
        word = strchr(word, '|') + 1;
    text_printf(out, "=%.*s", (int)strcspn(word, "|"), word);
}

/* The passes of a list, as text: what the user named, one pass of the table, or all of them from another one on. */
static char *passes_of(const struct work *w, int list, uint64_t number)
{
    struct text out = {0};
    int count = 0;
    if (w->passes[list])
        return strdup(w->passes[list]);
    while (rewrite_table[count].name)
        count++;
    if (list < count)
        name_pass(&rewrite_table[list], number, &out);
    else
        for (int i = 0; i < count; i++)
            name_pass(&rewrite_table[(number + (uint64_t)i) % (uint64_t)count], number, &out);
    return text_take(&out);
}

/* The rewritten case, or NULL: the passes changed nothing. */
static struct test_case *rewrite_case(const struct test_case *c, const char *passes)
{
    struct diag diag = {0};
    struct arena arena = {0};
    struct rewrite_list list = {0};
    struct text said = {0}, text = {0};
    struct test_case *changed = NULL;
    char *error = NULL;
    if (!rewrite_parse(&list, passes, &arena, &error))
        fatal("%s", error);
    struct ptx_module *m = ptx_parse(c->name, c->ptx, strlen(c->ptx), &diag);
    struct ptx_function *k = m ? ptx_find_function(m, c->kernel) : NULL;
    if (k && rewrite_apply(&list, m, k, &said)) {
        changed = xcalloc(1, sizeof *changed);
        *changed = *c;
        ptx_print(m, &text);
        changed->name = strdup(c->name);
        changed->kernel = strdup(c->kernel);
        changed->ptx = text_take(&text);
        for (int i = 0; i < c->arg_count; i++)
            changed->arg[i].data = memcpy(xmalloc(c->arg[i].bytes), c->arg[i].data, c->arg[i].bytes);
        changed->texture = NULL;
        if (c->texture_count) {
            size_t bytes = (size_t)c->texture_count * sizeof *c->texture;
            changed->texture = memcpy(xmalloc(bytes), c->texture, bytes);
        }
        if (k->coarsened) {
            uint32_t blocks = c->grid[0];
            changed->arg[changed->arg_count++] =
                (struct case_arg){.bytes = 4, .data = memcpy(xmalloc(4), &blocks, sizeof blocks)};
            changed->grid[0] = (blocks + k->coarsened - 1) / k->coarsened;
        }
    }
    text_free(&said);
    diag_free(&diag);
    arena_free(&arena);
    if (m)
        ptx_destroy(m);
    return changed;
}

/* ---- runs ---- */

static void on_machine(void *context, const struct launch *launch, const struct code *code,
                       struct launch_result *result)
{
    struct gpu_run run = *(const struct gpu_run *)context;
    struct gpu_result timed;
    struct text said = {0};
    uint64_t knobs[64] = {0};
    struct barrier_plan *plan = NULL;
    if (run.mechanism->knobs)
        knob_defaults(run.mechanism->knobs, knobs);
    run.mechanism_knobs = knobs;
    if (!strcmp(run.mechanism->name, "volta"))
        run.barriers = plan = speculate_program(code_program(code), &(struct speculate_request){0}, &said);
    gpu_launch(&run, launch, code, &timed);
    barrier_plan_destroy(plan);
    text_free(&said);
    if (timed.deadlock)
        fputs(timed.deadlock, stdout);
    *result = timed.launch;
    gpu_result_free(&timed);
}

/* Whether the case, run by the executor, leaves what the original left. `original` has the outputs to compare. */
static bool leaves(const struct test_case *original, const struct trace *expected, const struct test_case *c,
                   const char *by, trace_executor *execute, void *context)
{
    struct trace t = {0};
    char *error = NULL;
    bool ok = trace_run(c, execute, context, &t, &error);
    if (!ok)
        printf("%s: does not load: %s\n", c->name, error ? error : "");
    /* A block may need more registers than the machine has. */
    ok = ok && (t.fault.kind == FAULT_LAUNCH || !trace_differ(original, "the original", expected, by, &t));
    free(error);
    trace_free(&t);
    return ok;
}

static bool agrees(const struct work *w, const struct test_case *original, const struct trace *expected,
                   const struct test_case *c, uint64_t number)
{
    int mechanisms = 0;
    while (div_all()[mechanisms])
        mechanisms++;
    bool ok = leaves(original, expected, c, "the engine", trace_on_engine, NULL) &&
              leaves(original, expected, c, "the oracle", trace_on_oracle, NULL);
    for (int i = 0; ok && i < 2; i++) {
        /* Every second program also runs under volta, whose barriers honour predictions. */
        const struct div_ops *m =
            i && number % 2 ? div_find("volta") : div_all()[(number * 2 + (uint64_t)i) % mechanisms];
        struct gpu_run run = {.machine = w->machine, .mechanism = m};
        ok = leaves(original, expected, c, m->name, on_machine, &run);
    }
    return ok;
}

/* ---- files ---- */

static FILE *open_file(const struct work *w, const char *corpus, const char *name, const char *end)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s/%s%s", w->folder, corpus, name, end);
    FILE *file = fopen(path, "w");
    if (!file)
        fatal("cannot write %s: %s", path, strerror(errno));
    return file;
}

static void write_files(const struct work *w, const char *corpus, const char *name, const struct test_case *c)
{
    char ptx[256];
    FILE *file = open_file(w, corpus, name, ".case");
    case_write(c, "launch", file);
    fclose(file);
    snprintf(ptx, sizeof ptx, "ptx/%s", name);
    file = open_file(w, corpus, ptx, ".pass.ptx");
    fputs(c->ptx, file);
    fclose(file);
}

static void make_folders(const char *folder)
{
    static const char *const parts[] = {"", "/original", "/original/ptx", "/rewritten", "/rewritten/ptx"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s%s", folder, parts[i]);
        if (mkdir(path, 0777) && errno != EEXIST)
            fatal("cannot make %s: %s", path, strerror(errno));
    }
}

/* ---- all programs ---- */

static void do_list(const struct work *w, int list, uint64_t number, const struct test_case *c,
                    const struct trace *expected)
{
    char *passes = passes_of(w, list, number);
    struct test_case *changed = rewrite_case(c, passes);
    if (changed) {
        __atomic_add_fetch(&w->tally[list].changed, 1, __ATOMIC_RELAXED);
        if (!agrees(w, c, expected, changed, number)) {
            printf("%s: wrong when rewritten by %s\n", c->name, passes);
            __atomic_add_fetch(&w->tally[list].failed, 1, __ATOMIC_RELAXED);
        } else if (w->folder) {
            char name[128];
            snprintf(name, sizeof name, "%s_%llu_%d", w->source, (unsigned long long)number, list);
            write_files(w, "original", name, c);
            write_files(w, "rewritten", name, changed);
        }
        case_destroy(changed);
    }
    free(passes);
}

static void do_share(const struct work *w, int start, int step)
{
    for (int i = start; i < w->count; i += step) {
        uint64_t number = w->first + (uint64_t)i;
        struct test_case *c = w->make(number);
        struct trace expected = {0};
        char *error = NULL;
        if (!trace_run(c, trace_on_engine, NULL, &expected, &error))
            fatal("%s: does not load: %s", c->name, error ? error : "");
        for (int list = 0; list < w->list_count; list++)
            do_list(w, list, number, c, &expected);
        trace_free(&expected);
        case_destroy(c);
        fflush(stdout);
    }
}

static int do_all(const struct work *w)
{
    int jobs = test_jobs(), failed = 0, passed = 0;
    fflush(stdout);
    for (int j = 0; j < jobs; j++)
        if (!fork()) {
            do_share(w, j, jobs);
            _exit(0);
        }
    for (int j = 0; j < jobs; j++) {
        int status;
        wait(&status);
        failed += !WIFEXITED(status) || WEXITSTATUS(status);
        if (!WIFEXITED(status))
            printf("a process was ended by signal %d\n", WTERMSIG(status));
    }
    for (int i = 0; i < w->list_count; i++) {
        char *passes = passes_of(w, i, w->first);
        bool is_idle = !w->tally[i].changed && !w->may_be_idle;
        printf("  %-40s changed %d of %d programs%s\n", passes, w->tally[i].changed, w->count,
               is_idle ? ": that tests nothing" : "");
        failed += w->tally[i].failed + is_idle;
        passed += w->tally[i].changed - w->tally[i].failed;
        free(passes);
    }
    printf("rewritten %s: %d passed, %d failed\n", w->source, passed, failed);
    return failed != 0;
}

static int misuse(void)
{
    fprintf(stderr,
            "usage: rewritten [--machine NAME] [--write FOLDER] [--may-be-idle] random|manual|tasks FIRST COUNT "
            "[PASSES ...]\n");
    return 2;
}

int main(int argc, char **argv)
{
    struct work w = {0};
    const char *machine = "tiny";
    char *error = NULL;
    int at = 1;
    for (; at < argc && !strncmp(argv[at], "--", 2); at++) {
        if (!strcmp(argv[at], "--may-be-idle"))
            w.may_be_idle = true;
        else if (!strcmp(argv[at], "--machine") && at + 1 < argc)
            machine = argv[++at];
        else if (!strcmp(argv[at], "--write") && at + 1 < argc)
            w.folder = argv[++at];
        else
            return misuse();
    }
    if (argc - at < 3)
        return misuse();
    w.source = argv[at];
    w.make = !strcmp(w.source, "random")   ? random_case
             : !strcmp(w.source, "manual") ? manual_case
             : !strcmp(w.source, "tasks")  ? task_case
                                           : NULL;
    w.first = strtoull(argv[at + 1], NULL, 10);
    w.count = atoi(argv[at + 2]);
    for (at += 3; at < argc && w.list_count < MAX_LISTS; at++)
        w.passes[w.list_count++] = argv[at];
    if (!w.list_count) {
        while (rewrite_table[w.list_count].name)
            w.list_count++;
        w.list_count += w.list_count > 1; /* all of them together */
    }
    if (!w.make || w.count < 1)
        return misuse();
    w.machine = machine_load(machine, &error);
    if (!w.machine)
        fatal("%s", error);
    if (w.folder)
        make_folders(w.folder);
    w.tally = mmap(NULL, sizeof *w.tally * MAX_LISTS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (w.tally == MAP_FAILED)
        fatal("no memory to share: %s", strerror(errno));
    int status = do_all(&w);
    machine_free(w.machine);
    return status;
}
