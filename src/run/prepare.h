/*
 * What happens to a module between loading and its first launch: the passes of --rewrite (rewrite/table.h), then what
 * --lower asks for (lower/lower.h). Both change the module in place, so that every executor, analysis and mechanism
 * sees the changed program.
 */
#ifndef HEDDLE_RUN_PREPARE_H
#define HEDDLE_RUN_PREPARE_H

#include "ptx/module.h"
#include "run/options.h"

/* What every line that prepare_module() prints begins with. */
extern const char prepare_word[];

/* Whether the text is a list of passes. False and an error text (freed by the caller). */
bool prepare_check(const char *passes, char **error);

/* Changes the kernel, or with NULL all kernels, and prints on stderr what the passes changed and what they refused. The
 * options were settled, so their list of passes is one. */
void prepare_module(const struct run_options *options, struct ptx_module *module, struct ptx_function *kernel);

#endif
