/*
 * Agreement of the two executors: runs cases on the engine and on the oracle, each with a memory of its own, and
 * compares every output buffer byte for byte, what was printed, and how the launch ended.
 *
 *   agree random FIRST COUNT      random programs FIRST .. FIRST+COUNT-1
 *   agree corpus DIR              every case of the corpus, also against what the host computes
 *   agree ops                     every form of every row of the instruction table
 *
 * Work is split over as many processes as there are processors. Prints each disagreement, then "N passed, N
 * failed".
 */
#include "exec/code.h"
#include "exec/launch.h"
#include "base/bits.h"
#include "base/diag.h"
#include "base/text.h"

#include "tests/corpus/reference.h"
#include "tests/random/generate.h"
#include "tests/silicon/case.h"
#include "tests/silicon/corpus_case.h"
#include "tests/silicon/op_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INSTRUCTION_LIMIT = 200000000 };

/* What a launch left behind. */
struct trace {
    struct fault fault;
    struct text printed;
    uint8_t *output[CASE_MAX_ARGS];
};

static void keep_text(void *context, const char *text, size_t length)
{
    text_append(context, text, length);
}

static void trace_free(struct trace *t)
{
    for (int i = 0; i < CASE_MAX_ARGS; i++)
        free(t->output[i]);
    text_free(&t->printed);
}

/* Places the arguments; returns the parameter block. */
static void place_arguments(const struct test_case *c, const struct layout *layout, struct memory *memory,
                            uint64_t address[CASE_MAX_ARGS], uint8_t *block)
{
    for (int i = 0; i < c->arg_count && i < layout->kernel->parameter_count; i++) {
        const struct case_arg *a = &c->arg[i];
        uint8_t *to = block + layout->frame[layout->kernel->index].formal_offset[i];
        if (a->is_buffer) {
            address[i] = memory_alloc(memory, a->bytes, "argument");
            memcpy(memory_host(memory, address[i], a->bytes), a->data, a->bytes);
            memcpy(to, &address[i], 8);
        } else {
            memcpy(to, a->data, a->bytes);
        }
    }
}

static bool run_case(const struct test_case *c, bool on_oracle, struct trace *t, char **error)
{
    struct diag diag = {0};
    struct ptx_module *module = ptx_parse(c->name, c->ptx, strlen(c->ptx), &diag);
    if (!module) {
        *error = diag_text(&diag);
        diag_free(&diag);
        return false;
    }
    struct memory *memory = memory_create(UINT64_C(4) << 30);
    struct image *image = image_load(module, memory, error);
    const struct ptx_function *kernel = ptx_find_function(module, c->kernel);
    struct code *code = image && kernel ? code_create(kernel, image, error) : NULL;
    if (code) {
        const struct layout *layout = code_program(code)->layout;
        uint64_t address[CASE_MAX_ARGS] = {0};
        uint8_t *parameters = xcalloc(1, layout->parameter_bytes + 16);
        struct launch_result result;
        place_arguments(c, layout, memory, address, parameters);
        struct launch launch = {
            .kernel = kernel,
            .image = image,
            .grid = {c->grid[0], c->grid[1], c->grid[2]},
            .block = {c->block[0], c->block[1], c->block[2]},
            .dynamic_shared_bytes = c->shared_bytes,
            .parameters = parameters,
            .parameter_bytes = layout->parameter_bytes,
            .instruction_limit = INSTRUCTION_LIMIT,
            .print = {keep_text, &t->printed},
        };
        if (on_oracle)
            oracle_launch(&launch, &result);
        else
            engine_launch(&launch, code, &result);
        t->fault = result.fault;
        for (int i = 0; i < c->arg_count; i++)
            if (c->arg[i].is_output) {
                t->output[i] = xmalloc(c->arg[i].bytes);
                memcpy(t->output[i], memory_host(memory, address[i], c->arg[i].bytes), c->arg[i].bytes);
            }
        free(parameters);
    } else if (!kernel && !*error) {
        *error = strdup("no such kernel\n");
    }
    bool ok = code != NULL;
    code_destroy(code);
    image_unload(image);
    memory_destroy(memory);
    ptx_destroy(module);
    return ok;
}

static bool differ(const struct test_case *c, const struct trace *engine, const struct trace *oracle)
{
    char engine_text[1024], oracle_text[1024];
    if (engine->fault.kind != oracle->fault.kind) {
        printf("%s: the engine ended with: %s  the oracle with: %s", c->name,
               fault_describe(&engine->fault, engine_text, sizeof engine_text),
               fault_describe(&oracle->fault, oracle_text, sizeof oracle_text));
        return true;
    }
    for (int i = 0; i < c->arg_count; i++)
        for (size_t k = 0; c->arg[i].is_output && k < c->arg[i].bytes; k++)
            if (engine->output[i][k] != oracle->output[i][k]) {
                size_t word = k & ~(size_t)3;
                uint32_t a = 0, b = 0;
                memcpy(&a, engine->output[i] + word, 4);
                memcpy(&b, oracle->output[i] + word, 4);
                printf("%s: argument %d, word %zu: engine 0x%08x, oracle 0x%08x\n", c->name, i, word / 4, a, b);
                return true;
            }
    if (engine->printed.length != oracle->printed.length) {
        printf("%s: engine printed %zu bytes, oracle %zu\n", c->name, engine->printed.length, oracle->printed.length);
        return true;
    }
    return false;
}

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

static bool agree(const struct test_case *c, bool is_corpus)
{
    struct trace engine = {0}, oracle = {0};
    char *error = NULL;
    bool ok = run_case(c, false, &engine, &error) && run_case(c, true, &oracle, &error);
    if (!ok)
        printf("%s: does not load: %s\n", c->name, error ? error : "");
    else
        ok = !differ(c, &engine, &oracle) && (!is_corpus || agrees_with_host(c, &engine));
    free(error);
    trace_free(&engine);
    trace_free(&oracle);
    return ok;
}

enum work_source { FROM_RANDOM, FROM_CORPUS, FROM_OPS };

struct work {
    enum work_source source;
    uint64_t first;
    int count;
    struct test_case **corpus;
    struct form_list forms;
};

/* Textures are made by the driver, which is not under test here. */
static bool is_testable(const struct op_case *c)
{
    return !c->texture.dimensions;
}

static struct test_case *work_case(const struct work *w, int i)
{
    switch (w->source) {
    case FROM_CORPUS:
        return w->corpus[i];
    case FROM_OPS:
        return &op_case_of_form(&w->forms.data[i])->base;
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
        if (w->source != FROM_OPS || is_testable((struct op_case *)c))
            failed += !agree(c, w->source == FROM_CORPUS);
        if (w->source != FROM_CORPUS)
            case_destroy(c);
        fflush(stdout);
    }
    return failed < 255 ? failed : 255;
}

int main(int argc, char **argv)
{
    struct work w = {0};
    char error[256] = "";
    if (argc == 4 && !strcmp(argv[1], "random")) {
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
        fprintf(stderr, "usage: agree random FIRST COUNT | agree corpus DIR | agree ops\n");
        return 2;
    }
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
    printf("%s: %d passed, %d failed\n", argv[1], w.count - failed, failed);
    for (int i = 0; w.corpus && i < w.count; i++)
        case_destroy(w.corpus[i]);
    free(w.corpus);
    form_list_free(&w.forms);
    return failed != 0;
}
