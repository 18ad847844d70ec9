/*
 * Runs cases on the functional engine and checks where their accesses go (check.h).
 *
 *   origins random|manual|pointers FIRST COUNT   random programs; those of `pointers` are of pointers (pointers.h)
 *   origins corpus DIR                           every case of the corpus
 *   origins ops                                  every form of every row of the instruction table
 *
 * Prints each contradiction, then "NAME: N passed, N failed", how many launches are apart, and for how many accesses
 * of threads to global memory the origins are known.
 */
#include "base/diag.h"
#include "exec/functional.h"
#include "tests/agree/trace.h"
#include "tests/manual/manual.h"
#include "tests/origins/check.h"
#include "tests/origins/pointers.h"
#include "tests/random/generate.h"
#include "tests/silicon/corpus_case.h"
#include "tests/silicon/op_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    int cases, failed, apart;
    uint64_t known, total;
};

static void execute(void *context, const struct launch *launch, const struct code *code, struct launch_result *result)
{
    check_launch(launch, code, functional_launch, result, context);
}

/* Whether a case that must end without a fault has one. */
static bool has_faulted(const struct test_case *c, const struct trace *t)
{
    char text[1024];
    if (t->fault.kind)
        printf("%s: ended with: %s", c->name, fault_describe(&t->fault, text, sizeof text));
    return t->fault.kind;
}

static void look_at(const struct test_case *c, bool may_fault, struct tally *tally)
{
    struct check check = {0};
    struct trace trace = {0};
    char *error = NULL;
    bool ok = trace_run(c, execute, &check, &trace, &error);
    if (!ok)
        printf("%s: does not load: %s\n", c->name, error ? error : "");
    if (check.wrong_count)
        printf("%s: %d accesses are wrong:\n%s", c->name, check.wrong_count, check.wrong.data);
    ok = ok && !check.wrong_count && (may_fault || !has_faulted(c, &trace));
    tally->cases++;
    tally->failed += !ok;
    tally->apart += check.apart == APART_YES;
    tally->known += check.known;
    tally->total += check.total;
    free(error);
    trace_free(&trace);
    check_free(&check);
}

static void look_at_made(struct test_case *make(uint64_t seed), uint64_t first, int count, struct tally *tally)
{
    for (int i = 0; i < count; i++) {
        struct test_case *c = make(first + (uint64_t)i);
        look_at(c, false, tally);
        case_destroy(c);
    }
}

static void look_at_corpus(const char *folder, struct tally *tally)
{
    char error[256] = "";
    int count = 0;
    struct test_case **cases = corpus_load(folder, &count, error, sizeof error);
    if (!cases)
        fatal("%s", error);
    for (int i = 0; i < count; i++) {
        look_at(cases[i], true, tally);
        case_destroy(cases[i]);
    }
    free(cases);
}

static void look_at_ops(struct tally *tally)
{
    struct form_list forms = form_list_all();
    for (int i = 0; i < forms.count; i++) {
        struct test_case *c = &op_case_of_form(&forms.data[i])->base;
        look_at(c, true, tally);
        case_destroy(c);
    }
    form_list_free(&forms);
}

int main(int argc, char **argv)
{
    struct tally tally = {0};
    uint64_t first = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
    int count = argc == 4 ? atoi(argv[3]) : 0;
    if (argc == 4 && !strcmp(argv[1], "random")) {
        look_at_made(random_case, first, count, &tally);
    } else if (argc == 4 && !strcmp(argv[1], "manual")) {
        look_at_made(manual_case, first, count, &tally);
    } else if (argc == 4 && !strcmp(argv[1], "pointers")) {
        look_at_made(pointers_case, first, count, &tally);
    } else if (argc == 3 && !strcmp(argv[1], "corpus")) {
        look_at_corpus(argv[2], &tally);
    } else if (argc == 2 && !strcmp(argv[1], "ops")) {
        look_at_ops(&tally);
    } else {
        fprintf(stderr, "usage: origins random|manual|pointers FIRST COUNT | origins corpus DIR | origins ops\n");
        return 2;
    }
    printf("%s: %d passed, %d failed; %d apart; origins are known of %llu of %llu accesses\n", argv[1],
           tally.cases - tally.failed, tally.failed, tally.apart, (unsigned long long)tally.known,
           (unsigned long long)tally.total);
    return tally.failed != 0 || !tally.known; /* nothing comes here if the engine's calls are not wrapped */
}
