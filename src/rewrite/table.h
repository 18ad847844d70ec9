/*
 * Passes from a module to a changed module: what compilers do to PTX before, or instead of, predicting where threads
 * reconverge (Damani et al., Speculative Reconvergence, CGO 2020, sections 3, 4.4, 6 and 7).
 *
 * A pass changes the module in place, as lower/ does, and leaves every thread's results as they were. What a pass
 * cannot do rightly it refuses: the module stays as it was, and the reason is said. passes.def lists the passes.
 */
#ifndef HEDDLE_REWRITE_TABLE_H
#define HEDDLE_REWRITE_TABLE_H

#include "base/text.h"
#include "ptx/module.h"

enum { REWRITE_MAX_NUMBER = 1 << 16, REWRITE_MAX_PASSES = 16 };

/* What a pass is asked for beside its name. */
struct rewrite_options {
    int number;       /* the pass's number; 0 if it takes none */
    const char *word; /* the pass's word; NULL if it takes none */
};

/* Changes the kernel and the functions that it calls. Returns whether anything was changed. `said` gets one line for
 * each thing that was changed, and one for each thing that was refused, with the reason. */
typedef bool rewrite_function(struct ptx_module *module, struct ptx_function *kernel,
                              const struct rewrite_options *options, struct text *said);

enum rewrite_value { REWRITE_PLAIN, REWRITE_NUMBER, REWRITE_WORD };

struct rewrite_pass {
    const char *name;
    enum rewrite_value value_kind;
    const char *value; /* stands for the value in help texts ("N"), or its words ("majority|any"); NULL: none */
    const char *meaning;
    rewrite_function *apply;
};

/* All passes, ended by a NULL name. */
extern const struct rewrite_pass rewrite_table[];
const struct rewrite_pass *rewrite_find(const char *name, size_t length); /* or NULL */

/* Passes to apply one after the other. */
struct rewrite_step {
    const struct rewrite_pass *pass;
    struct rewrite_options options;
};
struct rewrite_list {
    int count;
    struct rewrite_step step[REWRITE_MAX_PASSES];
};

/* Adds a pass with its value (NULL: none was given). False and an error text, which the caller frees, if the pass does
 * not take the value or the list is full. The value must outlive the list. */
bool rewrite_add(struct rewrite_list *list, const struct rewrite_pass *pass, const char *value, char **error);
/* Adds the passes of a text such as "coarsen=4,outline". Words are kept in the arena. */
bool rewrite_parse(struct rewrite_list *list, const char *text, struct arena *arena, char **error);

/* Applies the passes to a kernel. Returns whether any of them changed anything. */
bool rewrite_apply(const struct rewrite_list *list, struct ptx_module *module, struct ptx_function *kernel,
                   struct text *said);
/* Applies the passes to every kernel of the module that has a body. */
bool rewrite_apply_all(const struct rewrite_list *list, struct ptx_module *module, struct text *said);

#define PASS(name, value_kind, value, meaning, function) rewrite_function function;
#include "rewrite/passes.def"
#undef PASS

#endif
