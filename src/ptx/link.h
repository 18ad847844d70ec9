/*
 * Linking: several modules become one.
 *
 * Relocatable device code (nvcc -rdc=true, cuLinkAddData) comes as one module per source file. A name that is .visible,
 * .weak or .common in one of them stands for the same function or variable in all. A name without such a word belongs
 * to its module alone. The rules are those of linkers of C: a strong definition goes before a weak one, a weak one
 * before a common one, and the first of several weak ones is taken; two strong ones are an error.
 *
 * The modules that are linked here are parsed ones. Their functions move into the linked module as they are, with
 * references redirected, so source lines and the names of kernels stay what they were. An instruction without a source
 * line gets the line of its own module's text as one. Private names that occur in several modules get `$2`, `$3`, ...
 * appended, by the number of their module.
 */
#ifndef HEDDLE_PTX_LINK_H
#define HEDDLE_PTX_LINK_H

#include "base/text.h"
#include "ptx/module.h"

enum ptx_link_rule {
    LINK_TOGETHER, /* modules of one program: names are resolved between them */
    LINK_APART     /* modules that do not know each other: only gathered; a kernel's name may get a number, too */
};

/* Links modules, which are given away, and returns the module that holds them all; its source is the first one's. NULL:
 * `errors` gets one line per error, and the modules are destroyed. */
struct ptx_module *ptx_link(struct ptx_module **modules, int count, enum ptx_link_rule rule, struct text *errors);

/* Whether the modules can be linked together, but for names that are not defined yet. False: `errors` gets one line per
 * error. The modules stay as they are. */
bool ptx_link_fits(struct ptx_module **modules, int count, struct text *errors);

/* Whether a function without a body is one that the system provides: those that kernels may call (vprintf, malloc), and
 * those of CUDA's device runtime, on which launches from within kernels are built. */
bool ptx_is_system_function(const char *name);
/* Whether the name is one of the device runtime, which heddle does not have. */
bool ptx_is_device_runtime(const char *name);

#endif
