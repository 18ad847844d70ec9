/* What happens to a module between loading and its first launch: see prepare.h. */
#include "run/prepare.h"

#include "base/diag.h"
#include "lower/lower.h"
#include "rewrite/table.h"

#include <stdlib.h>

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

static void apply_passes(const struct run_options *options, struct ptx_module *module, struct ptx_function *kernel)
{
    struct rewrite_list list = {0};
    struct arena arena = {0};
    struct text said = {0};
    char *error = NULL;
    if (!rewrite_parse(&list, options->rewrite, &arena, &error))
        panic("--rewrite %s was not checked: %s", options->rewrite, error);
    bool is_changed = kernel ? rewrite_apply(&list, module, kernel, &said) : rewrite_apply_all(&list, module, &said);
    if (!options->is_quiet && said.length)
        fprintf(stderr, "%s", said.data);
    if (!options->is_quiet && !is_changed && !said.length)
        fprintf(stderr, "--rewrite %s: nothing was changed: no place fits\n", options->rewrite);
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
