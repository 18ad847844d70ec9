/* Entry points of the driver, for programs on the runtime that call the driver, too, without linking with it. */
#ifndef HEDDLE_RUNTIME_ENTRY_POINT_H
#define HEDDLE_RUNTIME_ENTRY_POINT_H

#include "cuda_runtime_api.h"

#include <stdbool.h>

/* The newest form of the driver's call that `version` of CUDA knows. By default it is for the legacy stream, or, if
 * per_thread, for the thread's own. The status may be NULL. */
cudaError_t entry_point_find(const char *symbol, void **function, int version, unsigned long long flags,
                             enum cudaDriverEntryPointQueryResult *status, bool per_thread);

#pragma GCC visibility push(default)
cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **function, unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *status);
cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **function, unsigned int version,
                                                  unsigned long long flags,
                                                  enum cudaDriverEntryPointQueryResult *status);
void *__cudaGetProcAddress(void);
#pragma GCC visibility pop

#endif
