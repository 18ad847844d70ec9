/* Memory that programs allocate, for pools, virtual memory and questions about pointers. */
#ifndef HEDDLE_CUDA_ALLOC_H
#define HEDDLE_CUDA_ALLOC_H

#include "cuda/driver.h"

/* Allocates memory of a kind (device, host or managed), zeroed. `call` is what messages name. */
CUresult allocation_create(struct driver_entry *e, enum allocation_kind kind, uint64_t bytes, const char *call,
                           struct cuda_allocation **allocation);
/* The allocation that holds the address, at its start or further inside; NULL: none. */
struct cuda_allocation *allocation_find(struct driver *d, uint64_t address);
/* Whether a range is managed memory; CUDA_ERROR_INVALID_VALUE: it is not. */
CUresult allocation_check_managed(struct driver_entry *e, CUdeviceptr address, size_t bytes);

/* advice.c: keeps what the program said of a range of managed memory. */
void advice_set(struct driver *d, uint64_t address, uint64_t bytes, CUmem_advise advice, CUmemLocation location);
void advice_prefetch(struct driver *d, uint64_t address, uint64_t bytes, CUmemLocation location);
void advice_forget(struct driver *d, uint64_t address, uint64_t bytes);

/* pool.c: takes memory from a pool; NULL: the device's current one. */
CUresult pool_allocate(struct driver_entry *e, struct pool *p, size_t bytes, const char *call, CUdeviceptr *address);
/* The same as an operation of a stream. */
CUresult pool_allocate_in_stream(struct driver_entry *e, struct pool *p, size_t bytes, CUstream stream,
                                 const char *call, CUdeviceptr *address);
void pool_release(struct pool *p, uint64_t bytes); /* when an allocation of the pool is freed */

#endif
