/*
 * Virtual memory management: address ranges, physical memory, and what is mapped where.
 *
 * All physical memory is one file in the host's memory. A reserved address range is a stretch of the host's address
 * space, and mapping makes the file's bytes appear in it. So one piece of physical memory can be mapped at several
 * addresses, and pieces that are mapped side by side are one allocation for kernels and copies. A mapping can be used
 * once cuMemSetAccess() allows it. Sharing with other processes, multicast objects and sparse arrays are refused.
 */
#define _GNU_SOURCE /* memfd_create, fallocate */
#include "cuda/alloc.h"

#include "base/arena.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GRANULARITY = 2 << 20 }; /* as on devices of compute capability 9.0 */

struct physical {
    struct object object;
    CUmemAllocationProp properties;
    uint64_t offset, bytes; /* place in the file */
    unsigned handles;       /* how often the program has to release the handle */
    unsigned mappings;
};

struct mapping {
    uint64_t address, bytes;
    struct physical *physical;
    CUmemAccess_flags access; /* of the device */
};

/* A reserved address range. */
struct reservation {
    struct object object;
    uint64_t bytes;
    uint8_t *host;
    struct mapping *mapping; /* in ascending order */
    int count;
};

static bool is_whole(uint64_t value)
{
    return value && value % GRANULARITY == 0;
}

/* The reservation that holds all of a range; NULL: none does. */
static struct reservation *find_reservation(struct driver *d, uint64_t address, uint64_t bytes)
{
    for (struct object *o = d->objects; o; o = o->hh.next) {
        struct reservation *r = (struct reservation *)o;
        if (o->kind == OBJECT_RESERVATION && address >= o->handle && address - o->handle <= r->bytes &&
            bytes <= r->bytes - (address - o->handle))
            return r;
    }
    return NULL;
}

static uint8_t *host_of(const struct reservation *r, uint64_t address)
{
    return r->host + (address - r->object.handle);
}

/* Takes away what kernels and copies see of a reservation. */
static void hide(struct driver *d, const struct reservation *r)
{
    for (int i = 0; i < r->count; i++)
        memory_free(d->memory, r->mapping[i].address); /* fails where a mapping continues the one before */
}

/* Makes each run of mappings that are side by side, and may be accessed alike, one allocation of device memory. */
static void show(struct driver *d, const struct reservation *r)
{
    for (int i = 0, end; i < r->count; i = end) {
        const struct mapping *first = &r->mapping[i];
        uint64_t bytes = first->bytes;
        for (end = i + 1; end < r->count && r->mapping[end].address == first->address + bytes &&
                          r->mapping[end].access == first->access;
             end++)
            bytes += r->mapping[end].bytes;
        if (first->access != CU_MEM_ACCESS_FLAGS_PROT_NONE)
            memory_map_at(d->memory, first->address, host_of(r, first->address), bytes,
                          first->access == CU_MEM_ACCESS_FLAGS_PROT_READ, "memory of cuMemMap");
    }
}

static void drop_if_unused(struct driver *d, struct physical *p)
{
    if (!p->handles && !p->mappings)
        object_destroy(d, &p->object);
}

void physical_finish(struct driver *d, struct object *object)
{
    struct physical *p = (struct physical *)object;
    fallocate(d->physical_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)p->offset, (off_t)p->bytes);
    d->memory->used_bytes -= p->bytes;
}

void reservation_finish(struct driver *d, struct object *object)
{
    struct reservation *r = (struct reservation *)object;
    hide(d, r);
    munmap(r->host, r->bytes);
    free(r->mapping);
}

static CUresult check_properties(struct driver *d, const CUmemAllocationProp *p, const char *call)
{
    if (!p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    if (p->location.type == CU_MEM_LOCATION_TYPE_DEVICE) {
        if (!device_is_valid(p->location.id))
            return CUDA_ERROR_INVALID_DEVICE;
    } else if (p->location.type < CU_MEM_LOCATION_TYPE_HOST ||
               p->location.type > CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (p->requestedHandleTypes)
        return driver_refuse(d, call, "memory that processes share");
    if (p->allocFlags.usage)
        return driver_refuse(d, call, "memory for sparse arrays or hardware decompression");
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option)
{
    ENTER(e, NEED_INIT);
    if (!granularity || (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM && option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = check_properties(e.driver, properties, "cuMemGetAllocationGranularity");
    if (!result)
        *granularity = GRANULARITY;
    return result;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags)
{
    ENTER(e, NEED_INIT);
    (void)wanted; /* a hint, and addresses are never used twice */
    if (!address || !is_whole(bytes) || flags || (alignment & (alignment - 1)))
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t at = memory_reserve(e.driver->memory, bytes, alignment > GRANULARITY ? alignment : GRANULARITY);
    if (!at)
        return CUDA_ERROR_OUT_OF_MEMORY;
    /* The host has the range at the same address, so that it reaches memory of the host there. If the host has no such
     * address, or uses it, any other serves memory of the device. */
    int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *host = mmap((void *)(uintptr_t)at, bytes, PROT_NONE, kind | MAP_FIXED_NOREPLACE, -1, 0);
    if (host == MAP_FAILED)
        host = mmap(NULL, bytes, PROT_NONE, kind, -1, 0);
    if (host == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct reservation *r = xcalloc(1, sizeof *r);
    r->bytes = bytes;
    r->host = host;
    object_add(e.driver, &r->object, OBJECT_RESERVATION, at, NULL);
    *address = at;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    ENTER(e, NEED_INIT);
    struct reservation *r = object_find(e.driver, OBJECT_RESERVATION, address);
    if (!r || r->bytes != bytes || r->count)
        return CUDA_ERROR_INVALID_VALUE;
    object_destroy(e.driver, &r->object);
    return CUDA_SUCCESS;
}

/* Makes the file of physical memory when it is first needed. */
static bool open_file(struct driver *d)
{
    if (!d->has_physical_file) {
        d->physical_file = memfd_create("heddle", MFD_CLOEXEC);
        d->has_physical_file = d->physical_file >= 0;
    }
    return d->has_physical_file;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *properties,
                     unsigned long long flags)
{
    ENTER(e, NEED_INIT);
    struct driver *d = e.driver;
    CUresult result = check_properties(d, properties, "cuMemCreate");
    if (result)
        return result;
    if (!handle || !is_whole(bytes) || flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (bytes > d->memory->limit_bytes - d->memory->used_bytes || !open_file(d) ||
        ftruncate(d->physical_file, (off_t)(d->physical_bytes + bytes)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct physical *p = xcalloc(1, sizeof *p);
    p->properties = *properties;
    p->properties.allocFlags.compressionType = 0; /* a device may grant compression or not */
    p->offset = d->physical_bytes;
    p->bytes = bytes;
    p->handles = 1;
    d->physical_bytes += bytes; /* places are never used twice; freed ones are holes, which take no memory */
    d->memory->used_bytes += bytes;
    object_add(d, &p->object, OBJECT_PHYSICAL, handle_of(p), NULL);
    *handle = p->object.handle;
    return CUDA_SUCCESS;
}

/* The physical memory of a handle that the program has not released yet. */
static struct physical *find_physical(struct driver *d, CUmemGenericAllocationHandle handle)
{
    struct physical *p = object_find(d, OBJECT_PHYSICAL, handle);
    return p && p->handles ? p : NULL;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    ENTER(e, NEED_INIT);
    struct physical *p = find_physical(e.driver, handle);
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    p->handles--;
    drop_if_unused(e.driver, p);
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties, CUmemGenericAllocationHandle handle)
{
    ENTER(e, NEED_INIT);
    const struct physical *p = find_physical(e.driver, handle);
    if (!p || !properties)
        return CUDA_ERROR_INVALID_VALUE;
    *properties = p->properties;
    return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    ENTER(e, NEED_INIT);
    struct driver *d = e.driver;
    struct physical *p = find_physical(d, handle);
    struct reservation *r = find_reservation(d, address, bytes);
    if (!p || !r || !is_whole(bytes) || address % GRANULARITY || offset % GRANULARITY || offset > p->bytes ||
        bytes > p->bytes - offset || flags)
        return CUDA_ERROR_INVALID_VALUE;
    int at = 0;
    while (at < r->count && r->mapping[at].address < address)
        at++;
    if ((at && r->mapping[at - 1].address + r->mapping[at - 1].bytes > address) ||
        (at < r->count && address + bytes > r->mapping[at].address))
        return CUDA_ERROR_INVALID_VALUE;
    if (p->properties.location.type != CU_MEM_LOCATION_TYPE_DEVICE && handle_of(r->host) != r->object.handle)
        return driver_refuse(d, "cuMemMap", "the host uses the addresses of this range already");
    if (mmap(host_of(r, address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, d->physical_file,
             (off_t)(p->offset + offset)) == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    hide(d, r);
    r->mapping = xrealloc(r->mapping, sizeof r->mapping[0] * (size_t)(r->count + 1));
    memmove(&r->mapping[at + 1], &r->mapping[at], sizeof r->mapping[0] * (size_t)(r->count - at));
    r->mapping[at] = (struct mapping){.address = address, .bytes = bytes, .physical = p};
    r->count++;
    p->mappings++;
    show(d, r);
    return CUDA_SUCCESS;
}

/* The mappings that make up a range exactly: the first one's index, and how many; 0: the range is not of whole mappings
 * without gaps. */
static int find_mappings(const struct reservation *r, uint64_t address, uint64_t bytes, int *first)
{
    for (*first = 0; *first < r->count && r->mapping[*first].address != address;)
        ++*first;
    uint64_t end = address;
    int i = *first;
    for (; i < r->count && r->mapping[i].address == end && end < address + bytes; i++)
        end += r->mapping[i].bytes;
    return end == address + bytes ? i - *first : 0;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes)
{
    ENTER(e, NEED_INIT);
    struct driver *d = e.driver;
    struct reservation *r = find_reservation(d, address, bytes);
    int first, n = r && bytes ? find_mappings(r, address, bytes, &first) : 0;
    if (!n)
        return CUDA_ERROR_INVALID_VALUE;
    if (mmap(host_of(r, address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) ==
        MAP_FAILED)
        return CUDA_ERROR_OPERATING_SYSTEM;
    hide(d, r);
    for (int i = first; i < first + n; i++) {
        r->mapping[i].physical->mappings--;
        drop_if_unused(d, r->mapping[i].physical);
    }
    r->count -= n;
    memmove(&r->mapping[first], &r->mapping[first + n], sizeof r->mapping[0] * (size_t)(r->count - first));
    show(d, r);
    return CUDA_SUCCESS;
}

static bool flags_are_valid(CUmemAccess_flags flags)
{
    return flags == CU_MEM_ACCESS_FLAGS_PROT_NONE || flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
           flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
}

/* Access of the host to memory of the host is given from the start, so only that of the device is kept. */
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count)
{
    ENTER(e, NEED_INIT);
    struct reservation *r = find_reservation(e.driver, address, bytes);
    int first, n = r && bytes ? find_mappings(r, address, bytes, &first) : 0;
    if (!n || !access || !count)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        if (!flags_are_valid(access[i].flags))
            return CUDA_ERROR_INVALID_VALUE;
        if (access[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE && !device_is_valid(access[i].location.id))
            return CUDA_ERROR_INVALID_DEVICE;
        if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
            for (int k = first; k < first + n; k++)
                if (r->mapping[k].physical->properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE)
                    return CUDA_ERROR_INVALID_VALUE;
    }
    hide(e.driver, r);
    for (size_t i = 0; i < count; i++)
        if (access[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE)
            for (int k = first; k < first + n; k++)
                r->mapping[k].access = access[i].flags;
    show(e.driver, r);
    return CUDA_SUCCESS;
}

/* The mapping at an address; NULL: nothing is mapped there. */
static const struct mapping *find_mapping(struct driver *d, uint64_t address)
{
    const struct reservation *r = find_reservation(d, address, 1);
    for (int i = 0; r && i < r->count; i++)
        if (address - r->mapping[i].address < r->mapping[i].bytes)
            return &r->mapping[i];
    return NULL;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address)
{
    ENTER(e, NEED_INIT);
    const struct mapping *m = find_mapping(e.driver, address);
    if (!m || !flags || !location)
        return CUDA_ERROR_INVALID_VALUE;
    if (location->type == CU_MEM_LOCATION_TYPE_DEVICE && !device_is_valid(location->id))
        return CUDA_ERROR_INVALID_DEVICE;
    bool is_on_device = m->physical->properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE;
    *flags = location->type == CU_MEM_LOCATION_TYPE_DEVICE ? m->access
             : is_on_device                                ? CU_MEM_ACCESS_FLAGS_PROT_NONE
                                                           : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
    ENTER(e, NEED_INIT);
    const struct mapping *m = find_mapping(e.driver, handle_of(address));
    if (!m || !handle)
        return CUDA_ERROR_INVALID_VALUE;
    m->physical->handles++;
    *handle = m->physical->object.handle;
    return CUDA_SUCCESS;
}
