/*
 * Advice about managed memory: what cuMemAdvise() and prefetches said of which range, so that cuMemRangeGetAttribute()
 * can answer. There is only one memory, so advice changes nothing else.
 */
#include "cuda/alloc.h"

#include "base/arena.h"

#include <string.h>

enum { BY_DEVICE = 1, BY_HOST = 2 };

/* Ranges in ascending order, without overlaps. What no range covers has no advice. */
struct advice {
    uint64_t address, end;
    bool is_read_mostly;
    unsigned accessed_by;                /* BY_DEVICE, BY_HOST */
    CUmemLocation preferred, prefetched; /* type CU_MEM_LOCATION_TYPE_NONE: none */
};

static void insert(struct driver *d, int at, struct advice a)
{
    d->advice = xrealloc(d->advice, sizeof a * (size_t)(d->advice_count + 1));
    memmove(&d->advice[at + 1], &d->advice[at], sizeof a * (size_t)(d->advice_count - at));
    d->advice[at] = a;
    d->advice_count++;
}

/* The index of the first range that ends after the address. */
static int first_after(const struct driver *d, uint64_t address)
{
    int i = 0;
    while (i < d->advice_count && d->advice[i].end <= address)
        i++;
    return i;
}

/* Splits the range that the address lies within, so that one starts there. */
static void split(struct driver *d, uint64_t address)
{
    int i = first_after(d, address);
    if (i == d->advice_count || d->advice[i].address >= address)
        return;
    struct advice right = d->advice[i];
    d->advice[i].end = right.address = address;
    insert(d, i + 1, right);
}

/* Makes ranges cover [address, end) exactly, and returns the index of the first. */
static int cover(struct driver *d, uint64_t address, uint64_t end)
{
    split(d, address);
    split(d, end);
    int first = first_after(d, address), i = first;
    for (uint64_t at = address; at < end; at = d->advice[i++].end)
        if (i == d->advice_count || d->advice[i].address > at) {
            uint64_t next = i < d->advice_count && d->advice[i].address < end ? d->advice[i].address : end;
            insert(d, i, (struct advice){.address = at, .end = next});
        }
    return first;
}

void advice_forget(struct driver *d, uint64_t address, uint64_t bytes)
{
    if (!d->advice_count)
        return;
    split(d, address);
    split(d, address + bytes);
    int kept = 0;
    for (int i = 0; i < d->advice_count; i++)
        if (d->advice[i].address < address || d->advice[i].address >= address + bytes)
            d->advice[kept++] = d->advice[i];
    d->advice_count = kept;
}

static unsigned accessor(CUmemLocation location)
{
    return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? BY_DEVICE : BY_HOST;
}

void advice_set(struct driver *d, uint64_t address, uint64_t bytes, CUmem_advise advice, CUmemLocation location)
{
    uint64_t end = address + bytes;
    for (int i = cover(d, address, end); i < d->advice_count && d->advice[i].address < end; i++) {
        struct advice *a = &d->advice[i];
        if (advice == CU_MEM_ADVISE_SET_READ_MOSTLY || advice == CU_MEM_ADVISE_UNSET_READ_MOSTLY)
            a->is_read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
        else if (advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION)
            a->preferred = location;
        else if (advice == CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION)
            a->preferred = (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_NONE};
        else if (advice == CU_MEM_ADVISE_SET_ACCESSED_BY)
            a->accessed_by |= accessor(location);
        else
            a->accessed_by &= ~accessor(location);
    }
}

void advice_prefetch(struct driver *d, uint64_t address, uint64_t bytes, CUmemLocation location)
{
    uint64_t end = address + bytes;
    for (int i = cover(d, address, end); i < d->advice_count && d->advice[i].address < end; i++)
        d->advice[i].prefetched = location;
}

static bool same_location(CUmemLocation a, CUmemLocation b)
{
    return a.type == b.type && (a.type != CU_MEM_LOCATION_TYPE_DEVICE || a.id == b.id);
}

/* What holds for all of a range: where its parts differ, there is no advice. */
static struct advice advice_of(const struct driver *d, uint64_t address, uint64_t end)
{
    struct advice all = {0}, none = {0};
    uint64_t at = address;
    for (int i = first_after(d, address); at < end; i++) {
        bool is_gap = i == d->advice_count || d->advice[i].address > at;
        const struct advice *a = is_gap ? &none : &d->advice[i];
        if (at == address)
            all = *a;
        all.is_read_mostly &= a->is_read_mostly;
        all.accessed_by &= a->accessed_by;
        if (!same_location(all.preferred, a->preferred))
            all.preferred.type = CU_MEM_LOCATION_TYPE_NONE;
        if (!same_location(all.prefetched, a->prefetched))
            all.prefetched.type = CU_MEM_LOCATION_TYPE_NONE;
        if (is_gap) {
            at = i < d->advice_count ? d->advice[i].address : end;
            i--;
        } else {
            at = a->end;
        }
    }
    return all;
}

static int device_of(CUmemLocation location)
{
    return location.type == CU_MEM_LOCATION_TYPE_NONE     ? CU_DEVICE_INVALID
           : location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id
                                                          : CU_DEVICE_CPU;
}

CUresult cuMemRangeGetAttribute(void *data, size_t data_bytes, CUmem_range_attribute attribute, CUdeviceptr address,
                                size_t bytes)
{
    ENTER(e, NEED_CONTEXT);
    if (!data || !data_bytes || data_bytes % sizeof(int))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = allocation_check_managed(&e, address, bytes);
    if (result)
        return result;
    struct advice a = advice_of(e.driver, address, address + bytes);
    int *value = data, count = 0;
    if (attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY) {
        int most = (int)(data_bytes / sizeof(int));
        if (a.accessed_by & BY_DEVICE)
            value[count++] = 0;
        if (a.accessed_by & BY_HOST && count < most)
            value[count++] = CU_DEVICE_CPU;
        while (count < most)
            value[count++] = CU_DEVICE_INVALID;
        return CUDA_SUCCESS;
    }
    if (data_bytes != sizeof(int))
        return CUDA_ERROR_INVALID_VALUE;
    switch ((int)attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        *value = a.is_read_mostly;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
        *value = device_of(a.preferred);
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
        *value = device_of(a.prefetched);
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
        *value = (int)a.preferred.type;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
        *value = a.preferred.id;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
        *value = (int)a.prefetched.type;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
        *value = a.prefetched.id;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuMemRangeGetAttributes(void **data, size_t *data_bytes, CUmem_range_attribute *attributes, size_t count,
                                 CUdeviceptr address, size_t bytes)
{
    if (!data || !data_bytes || !attributes || !count)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < count && !result; i++)
        result = cuMemRangeGetAttribute(data[i], data_bytes[i], attributes[i], address, bytes);
    return result;
}
