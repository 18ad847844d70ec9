/*
 * The calls of CUDA's runtime that heddle does not have, so that a program that names them can be loaded: each says so
 * when it is called, and fails. They ignore their arguments, so they are declared without any, and this file includes
 * no header of the API.
 */
#include "runtime/refuse.h"

#pragma GCC visibility push(default)
#define UNSUPPORTED(call)                       \
    int call(void);                             \
    int call(void)                              \
    {                                           \
        static atomic_bool is_said;             \
        return runtime_refuse(#call, &is_said); \
    }
#include "runtime/unsupported.def"
#undef UNSUPPORTED
#pragma GCC visibility pop
