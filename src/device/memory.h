/*
 * Memory: the device's address space, and what is allocated in it.
 *
 * Generic addresses are laid out once and for all, so that the same run gives the same addresses:
 *
 *   0x0000_0100_0000  shared memory of the own block      (16 MiB window)
 *   0x0000_0200_0000  local memory of the own thread      (16 MiB window)
 *   0x7000_0000_0000  the heap: every allocation, module variable, constant bank and parameter block
 *
 * The windows are not backed here: shared and local memory belong to the block that runs. The heap is a sorted
 * list of allocations, each backed by host memory of its own, with unallocated gaps between them, so that an
 * access one byte past the end is found. Host memory that a program maps (cuMemHostAlloc) keeps its host
 * address. Values live here and nowhere else; time and caches are mem/'s.
 */
#ifndef HEDDLE_DEVICE_MEMORY_H
#define HEDDLE_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMORY_SHARED_BASE UINT64_C(0x000001000000)
#define MEMORY_LOCAL_BASE  UINT64_C(0x000002000000)
#define MEMORY_WINDOW_SIZE UINT64_C(0x000001000000)
#define MEMORY_HEAP_BASE   UINT64_C(0x700000000000)

struct allocation {
    uint64_t address, bytes;
    uint8_t *host;     /* where the bytes are */
    const char *label; /* "cuMemAlloc of 4096 bytes", "variable gv": for messages; owned */
    bool is_owned;     /* host memory is freed with the allocation */
    bool is_constant;  /* kernels may not write it */
    bool is_freed;     /* only its address is still there, and it has 0 bytes */
};

struct memory {
    struct allocation *allocation; /* by ascending address; freed ones may still be among them */
    int count, capacity;
    int freed_count; /* of them */
    uint64_t next_address;
    uint64_t used_bytes, limit_bytes;
    uint64_t generation; /* changes whenever the list does: invalidates cached allocations */
};

struct memory *memory_create(uint64_t limit_bytes);
void memory_destroy(struct memory *m);
/* A copy with the same addresses and host memory of its own, so that a kernel which runs on it leaves the original as it
 * is. The constant bank, which kernels cannot write, is shared: the copy must go first. NULL if the host has no room. */
struct memory *memory_clone(const struct memory *m);

/* A zeroed allocation; 0 if the limit or the host refuses. Addresses are multiples of 512. */
uint64_t memory_alloc(struct memory *m, uint64_t bytes, const char *label);
/* Makes host memory visible to kernels at its own address. False if it overlaps something. */
bool memory_map(struct memory *m, void *host, uint64_t bytes, const char *label);
bool memory_free(struct memory *m, uint64_t address); /* of the start of an allocation */

/* The allocation that holds the address, or NULL. */
const struct allocation *memory_find(const struct memory *m, uint64_t address);
/* Host pointer to `bytes` bytes, or NULL if they are not all within one allocation. */
void *memory_host(const struct memory *m, uint64_t address, uint64_t bytes);
/* What lives at or near an address, in words, for a report. */
const char *memory_describe(const struct memory *m, uint64_t address, char *buffer, size_t size);

#endif
