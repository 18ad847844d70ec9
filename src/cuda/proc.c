/*
 * cuGetProcAddress: from the name of a call to its address, in the newest form that the caller's CUDA version knows.
 *
 * A call may have an earlier form, and a form for per-thread default streams, which is found if the flags ask for it.
 * Calls that heddle does not carry out are found, too: they fail by name when they are called.
 */
#include "cuda/driver.h"
#include "cuda/legacy.h"

#include <limits.h>
#include <string.h>

struct proc {
    const char *name;
    void (*function)(void);
    int since;
    bool is_per_thread;
};

/* Only the headers of programs declare these forms. */
#define PER_THREAD(symbol, name, version, function, parameters, arguments) void symbol_##symbol(void) __asm__(#symbol);
#include "cuda/per_thread.def"
#define UNSUPPORTED(symbol, name, version)            void symbol_##symbol(void) __asm__(#symbol);
#define UNSUPPORTED_PER_THREAD(symbol, name, version) void symbol_##symbol(void) __asm__(#symbol);
#include "cuda/unsupported.def"

static const struct proc proc_table[] = {
#define API(name, version)         {#name, (void (*)(void))name, version, false},
#define OLD(name, symbol, version) {#name, (void (*)(void))symbol, version, false},
#include "cuda/api.def"
#define PER_THREAD(symbol, name, version, function, parameters, arguments) {#name, symbol_##symbol, version, true},
#include "cuda/per_thread.def"
#define UNSUPPORTED(symbol, name, version)            {#name, symbol_##symbol, version, false},
#define UNSUPPORTED_PER_THREAD(symbol, name, version) {#name, symbol_##symbol, version, true},
#include "cuda/unsupported.def"
};

/* The newest form of a call that `version` knows; NULL: there is none. */
static const struct proc *newest(const char *name, int version, bool is_per_thread)
{
    const struct proc *best = NULL;
    for (size_t i = 0; i < sizeof proc_table / sizeof proc_table[0]; i++) {
        const struct proc *p = &proc_table[i];
        if (p->since <= version && p->is_per_thread == is_per_thread && (!best || p->since > best->since) &&
            !strcmp(p->name, name))
            best = p;
    }
    return best;
}

/* A name with a version (cuMemAlloc_v2) is not found, as in NVIDIA's driver. */
CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status)
{
    cuuint64_t known = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    if (!symbol || !function || flags & ~known || flags == known)
        return CUDA_ERROR_INVALID_VALUE;
    const struct proc *best = newest(symbol, version, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    if (!best)
        best = newest(symbol, version, false);
    *function = best ? (void *)best->function : NULL;
    if (status)
        *status = best                             ? CU_GET_PROC_ADDRESS_SUCCESS
                  : newest(symbol, INT_MAX, false) ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                                   : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    /* With a status to report to, a missing symbol is reported there, and the call succeeds. */
    return best || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
