/*
 * Snippets: PTX text that is parsed into a module that exists already.
 *
 * A pass that changes a module (rewrite/) writes its new instructions as PTX text, in which names have the meaning that
 * they have in the function. The text may declare registers, variables and labels.
 */
#ifndef HEDDLE_PTX_SNIPPET_H
#define HEDDLE_PTX_SNIPPET_H

#include "ptx/module.h"

/* Statements of a body, apart from the body. They live in the function's module. A label operand's `target` is the
 * position of an instruction of the snippet, or -1 - i for the i-th of the names that the caller gave. */
struct ptx_snippet {
    int instruction_count;
    struct ptx_instruction *instructions;
    int label_count;
    struct ptx_label *labels; /* that the text defines; `target` is a position in the snippet */
    int pragma_count;
    struct ptx_pragma *pragmas; /* `before` is a position in the snippet */
};

/* Parses statements as if they stood in the body of the function, in which `labels` are defined. Registers, variables
 * and prototypes that the text declares are added to the function. On errors, returns false, and `diag` holds them. */
bool ptx_parse_snippet(struct ptx_function *function, const char *const *labels, int label_count, const char *text,
                       size_t length, struct ptx_snippet *out, struct diag *diag);

/* Parses the definition of a function and adds it to the module. In the order of the module's statements the function
 * stands ahead of the definition of `before`, so that `before` may call it. NULL on errors, which `diag` holds. */
struct ptx_function *ptx_parse_definition(struct ptx_module *module, const struct ptx_function *before,
                                          const char *text, size_t length, struct diag *diag);

#endif
