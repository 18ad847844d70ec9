/* What happens to a module between loading and its first launch: see prepare.h. */
#include "run/prepare.h"

#include "base/diag.h"
#include "lower/lower.h"
#include "rewrite/table.h"

#include <stdlib.h>
#include <string.h>

const char prepare_word[] = "rewrite: ";

bool prepare_check(const char *passes, char **error)
{
    struct rewrite_list list = {0};
    struct arena arena = {0};
    char *why = NULL;
    bool ok = rewrite_parse(&list, passes, &arena, &why);
    arena_free(&arena);
    if (!ok)
        diag_fail(error, "--rewrite %s: %s", passes, why);
    free(why);
    return ok;
}

/* Each line begins with this word, by which heddle compare finds the lines of a run. */
static void print_said(const char *said)
{
    for (const char *at = said; *at; at += strcspn(at, "\n"), at += *at == '\n')
        fprintf(diag_stream(), "%s%.*s\n", prepare_word, (int)strcspn(at, "\n"), at);
}

static void apply_passes(const struct run_options *options, struct ptx_module *module, struct ptx_function *kernel)
{
    struct rewrite_list list = {0};
    struct arena arena = {0};
    struct text said = {0};
    char *error = NULL;
    if (!rewrite_parse(&list, options->rewrite, &arena, &error))
        panic("--rewrite %s was not checked: %s", options->rewrite, error);
    bool is_changed = kernel ? rewrite_apply(&list, module, kernel, &said) : rewrite_apply_all(&list, module, &said);
    if (said.length)
        print_said(said.data);
    if (!is_changed && !said.length)
        fprintf(diag_stream(), "%snothing was changed by %s: no place fits\n", prepare_word, options->rewrite);
    text_free(&said);
    arena_free(&arena);
}

void prepare_module(const struct run_options *options, struct ptx_module *module, struct ptx_function *kernel)
{
    if (options->rewrite)
        apply_passes(options, module, kernel);
    if (options->lower == LOWER_PTXAS)
        lower_module(module);
}
