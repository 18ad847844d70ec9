/* cuGetProcAddress: from the name of a call to its address, in the newest form that the caller's CUDA version knows. */
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

/* The flags choose the default stream, and all streams are alike here. A name with a version (cuMemAlloc_v2) is not
 * found, as in NVIDIA's driver. */
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
    /* With a status to report to, a missing symbol is reported there, and the call succeeds. */
    return best || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
