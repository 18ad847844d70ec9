/*
 * Names of C++ kernels as people write them.
 *
 * A compiler mangles the name of a C++ kernel: `void scale<int>(int*)` is `_Z5scaleIiEvPT_`. The C++ library of the
 * system turns such names back. It is loaded when it is first needed; where there is none, names stay as they are.
 */
#ifndef HEDDLE_BASE_DEMANGLE_H
#define HEDDLE_BASE_DEMANGLE_H

#include "base/text.h"

#include <stddef.h>

/* The whole declaration, `void ns::scale<int>(int*)`; owned by the caller. NULL: the name is not mangled, or there is
 * no C++ library. */
char *demangle(const char *name);
/* Cuts a declaration, in place, to the function's name with its template arguments: `ns::scale<int>`. Returns where
 * the name begins. */
char *demangle_cut(char *declaration);
/* How many characters stand before the last part of a name: those of `ns::` in `ns::scale<a::b>`. */
size_t demangle_qualifier(const char *name);
/* What a table shows of a kernel: the name with its template arguments, or the name as it is. Owned by the caller. */
char *demangle_short(const char *name);
/* Prints what demangle_short() gives. */
void demangle_print(const char *name, struct text *out);

#endif
