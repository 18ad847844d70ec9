/*
 * Device memory: the heap as a sorted list of allocations. Lookups are binary searches; executors cache the result.
 *
 * A freed allocation stays in the list, marked, until more than half of the list is marked, so that not every free
 * moves the rest of the list. No live allocation contains the address of a marked one: heap addresses are never reused,
 * and mapping host memory over marked allocations removes these first.
 */
#include "device/memory.h"

#include "base/arena.h"
#include "base/bits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE_BYTES = 1 << 22, LARGE_PAGE_BYTES = 1 << 21 };
enum { ADDRESS_ALIGN = 512, GAP_BYTES = 4096, HEAP_UNIT_BYTES = 16 };

struct memory *memory_create(uint64_t limit_bytes)
{
    struct memory *m = xcalloc(1, sizeof *m);
    m->next_address = MEMORY_HEAP_BASE;
    m->limit_bytes = limit_bytes;
    return m;
}

/* Host memory for an allocation, all zeros; NULL if the host has none. Many bytes are in large pages: a large array is
 * mostly used as a whole, and each small page would cost the host a fault. */
static uint8_t *take_host(uint64_t bytes)
{
    if (bytes < LARGE_BYTES)
        return calloc(1, bytes ? bytes : 1);
    const size_t rounded = (size_t)bits_align_up(bytes, LARGE_PAGE_BYTES);
    void *host = mmap(NULL, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (host == MAP_FAILED)
        return NULL;
    madvise(host, rounded, MADV_HUGEPAGE); /* a hint: without large pages all is the same, only slower */
    return host;
}

/* The same at a multiple of ADDRESS_ALIGN. */
static uint8_t *take_host_aligned(uint64_t bytes)
{
    if (bytes >= LARGE_BYTES)
        return take_host(bytes);
    const size_t rounded = (size_t)bits_align_up(bytes ? bytes : 1, ADDRESS_ALIGN);
    uint8_t *host = aligned_alloc(ADDRESS_ALIGN, rounded);
    return host ? memset(host, 0, rounded) : NULL;
}

static void give_host_back(uint8_t *host, uint64_t bytes)
{
    if (bytes < LARGE_BYTES)
        free(host);
    else
        munmap(host, (size_t)bits_align_up(bytes, LARGE_PAGE_BYTES));
}

static void release(struct allocation *a)
{
    if (a->is_owned)
        give_host_back(a->host, a->bytes);
    free((char *)a->label);
}

void memory_destroy(struct memory *m)
{
    if (!m)
        return;
    for (int i = 0; i < m->count; i++)
        release(&m->allocation[i]);
    free(m->allocation);
    free(m);
}

/* Index of the first allocation that starts above the address. */
static int upper_bound(const struct memory *m, uint64_t address)
{
    int low = 0, high = m->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (m->allocation[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The live allocation that starts at the address; NULL: none does. */
static struct allocation *find_start(const struct memory *m, uint64_t address)
{
    int above = upper_bound(m, address);
    struct allocation *a = above ? &m->allocation[above - 1] : NULL;
    return a && a->address == address && !a->is_freed ? a : NULL;
}

/* Removes the freed allocations from the list. */
static void sweep(struct memory *m)
{
    int kept = 0;
    for (int i = 0; i < m->count; i++)
        if (!m->allocation[i].is_freed)
            m->allocation[kept++] = m->allocation[i];
    m->count = kept;
    m->freed_count = 0;
}

static void insert(struct memory *m, struct allocation a)
{
    if (m->count == m->capacity) {
        m->capacity = m->capacity ? 2 * m->capacity : 16;
        m->allocation = xrealloc(m->allocation, sizeof a * (size_t)m->capacity);
    }
    int at = upper_bound(m, a.address);
    memmove(&m->allocation[at + 1], &m->allocation[at], sizeof a * (size_t)(m->count - at));
    m->allocation[at] = a;
    m->count++;
    m->generation++;
}

static char *copy_label(const char *label)
{
    size_t n = strlen(label) + 1;
    return memcpy(xmalloc(n), label, n);
}

static bool is_zero(const uint8_t *bytes, size_t count)
{
    return !bytes[0] && !memcmp(bytes, bytes + 1, count - 1);
}

/* Copies bytes to where all are zeros. Pages of zeros are left as they are: the host clears none of its memory for
 * them. What kernels write is often zeros before. */
static void copy_onto_zeros(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
    enum { PART_BYTES = 64 * 1024 };
    for (uint64_t at = 0; at < bytes; at += PART_BYTES) {
        const size_t part = bytes - at < PART_BYTES ? (size_t)(bytes - at) : PART_BYTES;
        if (!is_zero(from + at, part))
            memcpy(to + at, from + at, part);
    }
}

static bool clone_allocation(struct memory *into, const struct allocation *a)
{
    struct allocation copy = *a;
    copy.is_owned = !a->is_constant;
    if (copy.is_owned) {
        copy.host = take_host(a->bytes);
        if (!copy.host)
            return false;
        copy_onto_zeros(copy.host, a->host, a->bytes);
    }
    copy.label = copy_label(a->label);
    insert(into, copy);
    return true;
}

struct memory *memory_clone(const struct memory *m)
{
    struct memory *copy = memory_create(m->limit_bytes);
    copy->next_address = m->next_address;
    copy->used_bytes = m->used_bytes;
    copy->heap_bytes = m->heap_bytes;
    for (int i = 0; i < m->count; i++)
        if (!m->allocation[i].is_freed && !clone_allocation(copy, &m->allocation[i])) {
            memory_destroy(copy);
            return NULL;
        }
    return copy;
}

void memory_restore(struct memory *m, const struct memory *clone)
{
    for (int i = 0; i < clone->count; i++) {
        const struct allocation *from = &clone->allocation[i];
        struct allocation *to = find_start(m, from->address);
        if (to && to->bytes == from->bytes && to->host != from->host)
            memcpy(to->host, from->host, from->bytes);
    }
}

uint64_t memory_alloc(struct memory *m, uint64_t bytes, const char *label)
{
    if (bytes > m->limit_bytes - m->used_bytes)
        return 0;
    uint8_t *host = take_host(bytes);
    if (!host)
        return 0;
    uint64_t address = m->next_address;
    m->next_address = bits_align_up(address + bytes + GAP_BYTES, ADDRESS_ALIGN);
    m->used_bytes += bytes;
    insert(m, (struct allocation){
                  .address = address, .bytes = bytes, .host = host, .label = copy_label(label), .is_owned = true});
    return address;
}

/* What an allocation takes of the heap: the device's malloc() returns multiples of 16 bytes. */
static uint64_t heap_share(uint64_t bytes)
{
    return bits_align_up(bytes ? bytes : 1, HEAP_UNIT_BYTES);
}

uint64_t memory_heap_alloc(struct memory *m, uint64_t bytes, uint64_t limit_bytes)
{
    uint64_t left = limit_bytes > m->heap_bytes ? limit_bytes - m->heap_bytes : 0;
    if (bytes > left || heap_share(bytes) > left)
        return 0;
    uint64_t address = memory_alloc(m, bytes, "a kernel's malloc");
    if (!address)
        return 0;
    find_start(m, address)->is_heap = true;
    m->heap_bytes += heap_share(bytes);
    return address;
}

bool memory_heap_free(struct memory *m, uint64_t address)
{
    const struct allocation *a = find_start(m, address);
    return a && a->is_heap && memory_free(m, address);
}

uint64_t memory_reserve(struct memory *m, uint64_t bytes, uint64_t alignment)
{
    uint64_t address = bits_align_up(m->next_address, alignment);
    if (address < m->next_address || address >= MEMORY_HEAP_END || bytes > MEMORY_HEAP_END - address)
        return 0;
    m->next_address = bits_align_up(address + bytes + GAP_BYTES, ADDRESS_ALIGN);
    return address;
}

bool memory_map_at(struct memory *m, uint64_t address, void *host, uint64_t bytes, bool is_constant, const char *label)
{
    int above = upper_bound(m, address);
    bool is_over_freed = above > 0 && m->allocation[above - 1].address == address && m->allocation[above - 1].is_freed;
    if (above > 0 && m->allocation[above - 1].address + m->allocation[above - 1].bytes > address)
        return false;
    for (; above < m->count && address + bytes > m->allocation[above].address; above++) {
        if (!m->allocation[above].is_freed)
            return false;
        is_over_freed = true;
    }
    if (is_over_freed)
        sweep(m);
    insert(
        m,
        (struct allocation){
            .address = address, .bytes = bytes, .host = host, .label = copy_label(label), .is_constant = is_constant});
    return true;
}

bool memory_map(struct memory *m, void *host, uint64_t bytes, const char *label)
{
    return memory_map_at(m, (uint64_t)(uintptr_t)host, host, bytes, false, label);
}

uint64_t memory_alloc_managed(struct memory *m, uint64_t bytes, const char *label)
{
    if (bytes > m->limit_bytes - m->used_bytes)
        return 0;
    uint8_t *host = take_host_aligned(bytes);
    if (!host)
        return 0;
    if (!memory_map(m, host, bytes, label)) {
        give_host_back(host, bytes);
        return 0;
    }
    struct allocation *a = &m->allocation[upper_bound(m, (uint64_t)(uintptr_t)host) - 1];
    a->is_owned = a->is_managed = true;
    m->used_bytes += bytes;
    return a->address;
}

bool memory_free(struct memory *m, uint64_t address)
{
    struct allocation *a = find_start(m, address);
    if (!a)
        return false;
    if (a->is_owned)
        m->used_bytes -= a->bytes;
    if (a->is_heap)
        m->heap_bytes -= heap_share(a->bytes);
    release(a);
    *a = (struct allocation){.address = address, .is_freed = true};
    m->freed_count++;
    m->generation++;
    /* Freed allocations at the end of the list are removed at once. */
    for (; m->count && m->allocation[m->count - 1].is_freed; m->count--)
        m->freed_count--;
    if (m->freed_count > m->count / 2)
        sweep(m);
    return true;
}

const struct allocation *memory_find(const struct memory *m, uint64_t address)
{
    int above = upper_bound(m, address);
    if (!above)
        return NULL;
    const struct allocation *a = &m->allocation[above - 1];
    return address - a->address < a->bytes ? a : NULL;
}

void *memory_host(const struct memory *m, uint64_t address, uint64_t bytes)
{
    int above = upper_bound(m, address);
    if (!above)
        return NULL;
    const struct allocation *a = &m->allocation[above - 1];
    uint64_t offset = address - a->address;
    return !a->is_freed && offset <= a->bytes && bytes <= a->bytes - offset ? a->host + offset : NULL;
}

static void describe_heap(const struct memory *m, uint64_t address, char *buffer, size_t size)
{
    int above = upper_bound(m, address);
    int under = above - 1;
    while (under >= 0 && m->allocation[under].is_freed)
        under--;
    while (above < m->count && m->allocation[above].is_freed)
        above++;
    const struct allocation *below = under >= 0 ? &m->allocation[under] : NULL;
    const struct allocation *next = above < m->count ? &m->allocation[above] : NULL;
    if (below && address - below->address < below->bytes) {
        snprintf(buffer, size, "byte %" PRIu64 " of %s (%" PRIu64 " bytes at 0x%" PRIx64 ")", address - below->address,
                 below->label, below->bytes, below->address);
        return;
    }
    uint64_t past = below ? address - (below->address + below->bytes) : UINT64_MAX;
    uint64_t before = next ? next->address - address : UINT64_MAX;
    if (past == UINT64_MAX && before == UINT64_MAX) {
        snprintf(buffer, size, "nothing is allocated");
        return;
    }
    /* In the middle of a gap both neighbours are named: only the programmer knows which of them was meant. */
    enum { CLOSE_BYTES = 256 };
    bool is_gap = past > CLOSE_BYTES && before > CLOSE_BYTES && past <= GAP_BYTES + ADDRESS_ALIGN &&
                  before <= GAP_BYTES + ADDRESS_ALIGN;
    size_t used = 0;
    buffer[0] = '\0';
    if (past <= before || is_gap) {
        int n = snprintf(buffer, size, "%" PRIu64 " bytes past the end of %s (%" PRIu64 " bytes at 0x%" PRIx64 ")",
                         past, below->label, below->bytes, below->address);
        used = n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
    }
    if (past > before || is_gap)
        snprintf(buffer + used, size - used, "%s%" PRIu64 " bytes before %s (%" PRIu64 " bytes at 0x%" PRIx64 ")",
                 used ? ", " : "", before, next->label, next->bytes, next->address);
}

const char *memory_describe(const struct memory *m, uint64_t address, char *buffer, size_t size)
{
    if (address < 0x10000)
        snprintf(buffer, size, "a null pointer, or an address close to it");
    else if (address - MEMORY_SHARED_BASE < MEMORY_SHARED_SIZE)
        snprintf(buffer, size, "byte %" PRIu64 " of the window for shared memory", address - MEMORY_SHARED_BASE);
    else if (address - MEMORY_LOCAL_BASE < MEMORY_WINDOW_SIZE)
        snprintf(buffer, size, "byte %" PRIu64 " of the window for local memory", address - MEMORY_LOCAL_BASE);
    else
        describe_heap(m, address, buffer, size);
    return buffer;
}
