/*
 * Device memory: the address space of the device, and what is allocated in it.
 *
 * Generic addresses are fixed, so that every run gives the same addresses:
 *
 *   0x0000_0200_0000  local memory of the thread                     (16 MiB window)
 *   0x0000_1000_0000  shared memory of the blocks of the thread's cluster, 16 MiB for each rank (256 MiB window)
 *   0x7000_0000_0000  the heap: every allocation, module variable, constant bank and parameter block
 *
 * The windows have no bytes here: executors hold the shared and local memory of running blocks. The heap is a sorted
 * list of allocations, each with host memory of its own, with unallocated gaps between them, so that an access one byte
 * past the end is found. Host memory that a program maps (cuMemHostAlloc) keeps its host address. This memory holds
 * values only: time and caches belong to mem/.
 */
#ifndef HEDDLE_DEVICE_MEMORY_H
#define HEDDLE_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMORY_SHARED_BASE  UINT64_C(0x000010000000)
#define MEMORY_SHARED_SIZE  UINT64_C(0x000010000000)
#define MEMORY_SHARED_SHIFT 24 /* an address in shared memory is rank << 24 plus the offset in the block */
#define MEMORY_LOCAL_BASE   UINT64_C(0x000002000000)
#define MEMORY_WINDOW_SIZE  UINT64_C(0x000001000000)
#define MEMORY_HEAP_BASE    UINT64_C(0x700000000000)
#define MEMORY_HEAP_END     UINT64_C(0x7f0000000000) /* hosts have their libraries and stacks above */

struct allocation {
    uint64_t address, bytes;
    uint8_t *host;     /* the bytes, in host memory */
    const char *label; /* for messages: "cuMemAlloc's memory", "variable gv"; owned */
    bool is_owned;     /* `host` is freed with the allocation */
    bool is_constant;  /* kernels may not write it */
    bool is_heap;      /* a kernel's malloc returned it */
    bool is_managed;   /* a managed variable: the host reaches it at the same address */
    bool is_freed;     /* the allocation was freed: only its address is kept, and `bytes` is 0 */
};

struct memory {
    struct allocation *allocation; /* in ascending order of addresses; freed allocations may be among them */
    int count, capacity;
    int freed_count;       /* freed allocations in the list */
    uint64_t next_address; /* address of the next allocation */
    uint64_t used_bytes, limit_bytes;
    uint64_t heap_bytes; /* live memory from malloc in kernels; part of used_bytes */
    uint64_t generation; /* changes whenever the list changes, so that executors know when to drop cached allocations */
};

struct memory *memory_create(uint64_t limit_bytes);
void memory_destroy(struct memory *m);
/* A copy with equal addresses and its own host memory, so that a kernel that runs on the copy does not change the
 * original. The copy shares the constant bank, which kernels cannot write, so it must be destroyed first. NULL: the
 * host has no room. */
struct memory *memory_clone(const struct memory *m);

/* Copies the bytes of a clone back into the memory that it was cloned from. Allocations that only one of the two has
 * stay as they are. */
void memory_restore(struct memory *m, const struct memory *clone);

/* Allocates zeroed memory and returns its address, a multiple of 512; 0: the limit is reached or the host has no
 * room. */
uint64_t memory_alloc(struct memory *m, uint64_t bytes, const char *label);
/* Makes host memory visible to kernels at its host address. False: it overlaps another allocation. */
bool memory_map(struct memory *m, void *host, uint64_t bytes, const char *label);
/* Takes a stretch of addresses from the heap, to which memory_map_at() gives bytes. The alignment is a power of two. 0:
 * there are not enough addresses. */
uint64_t memory_reserve(struct memory *m, uint64_t bytes, uint64_t alignment);
/* Makes host memory visible to kernels at an address of the caller's. False: it overlaps another allocation. */
bool memory_map_at(struct memory *m, uint64_t address, void *host, uint64_t bytes, bool is_constant, const char *label);
/* Allocates zeroed memory at its host address, for a managed variable; 0: the limit is reached or the host has no
 * room. */
uint64_t memory_alloc_managed(struct memory *m, uint64_t bytes, const char *label);
bool memory_free(struct memory *m, uint64_t address); /* `address` must be the start of an allocation */

/* malloc() in a kernel, which gives memory as long as no more than `limit_bytes` of such memory is live; 0: none. */
uint64_t memory_heap_alloc(struct memory *m, uint64_t bytes, uint64_t limit_bytes);
/* free() in a kernel. False: the address did not come from memory_heap_alloc(), or was freed already. */
bool memory_heap_free(struct memory *m, uint64_t address);

/* The allocation that contains the address; NULL: none does. */
const struct allocation *memory_find(const struct memory *m, uint64_t address);
/* Host pointer to `bytes` bytes; NULL: they are not all within one allocation. */
void *memory_host(const struct memory *m, uint64_t address, uint64_t bytes);
/* Describes what is allocated at or near an address, in `buffer`, and returns it. */
const char *memory_describe(const struct memory *m, uint64_t address, char *buffer, size_t size);

#endif
