/* Calls that heddle does not carry out (unsupported.def): each fails by name, so that no program meets a loader's
 * error. */
#include "cuda/driver.h"

static CUresult refuse(const char *call)
{
    ENTER(e, NEED_LOCK);
    return driver_refuse(e.driver, call, NULL);
}

/* The parameters do not matter, so one definition without parameters serves callers with any. */
#define UNSUPPORTED(symbol, name, since)                                                         \
    CUresult unsupported_##symbol(void) __asm__(#symbol) __attribute__((visibility("default"))); \
    CUresult unsupported_##symbol(void)                                                          \
    {                                                                                            \
        return refuse(#symbol);                                                                  \
    }
#define UNSUPPORTED_PER_THREAD(symbol, name, since) UNSUPPORTED(symbol, name, since)
#include "cuda/unsupported.def"
