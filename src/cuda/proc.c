/* The way from a call's name to its address: the newest form that the asking program's version knows. */
#include "cuda/driver.h"
#include "cuda/legacy.h"

#include <string.h>

struct proc {
    const char *name;
    void (*function)(void);
    int since;
};

static const struct proc proc_table[] = {
#define API(name, version)         {#name, (void (*)(void))name, version},
#define OLD(name, symbol, version) {#name, (void (*)(void))symbol, version},
#include "cuda/api.def"
};

/* The flags choose between default streams, which are alike here. A symbol that is asked for with its version
 * (cuMemAlloc_v2) is not found, as in the real driver. */
CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status)
{
    cuuint64_t known = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    if (!symbol || !function || flags & ~known)
        return CUDA_ERROR_INVALID_VALUE;
    const struct proc *best = NULL;
    bool exists = false;
    for (size_t i = 0; i < sizeof proc_table / sizeof proc_table[0]; i++) {
        const struct proc *p = &proc_table[i];
        if (strcmp(p->name, symbol))
            continue;
        exists = true;
        if (p->since <= version && (!best || p->since > best->since))
            best = p;
    }
    *function = best ? (void *)best->function : NULL;
    if (status)
        *status = best     ? CU_GET_PROC_ADDRESS_SUCCESS
                  : exists ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                           : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    /* The form with a status reports a missing symbol there and succeeds. */
    return best || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
