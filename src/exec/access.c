/*
 * Loads and stores.
 *
 * An access finds the segment of memory that the lanes' addresses lie in, checks every address against the segment, and
 * moves the values (transfer.h). An instruction mostly stays within one allocation, so the allocation that it accessed
 * last is tried first, for all lanes in one vector loop. Lanes with addresses outside that allocation are looked up one
 * by one. A whole row whose addresses have one stride needs only its first and last address checked. Lanes with generic
 * addresses are sorted into shared, local and global lanes, and each group is served in turn. Most accesses are whole
 * rows within the allocation that their instruction accessed last; one function does all of these (access_row).
 */
#include "exec/access.h"

#include "base/bits.h"
#include "exec/ahead/draft.h"
#include "exec/cluster.h"
#include "exec/engine_fault.h"
#include "exec/global_words.h"
#include "exec/local.h"
#include "exec/operand.h"
#include "exec/race/race.h"
#include "exec/shared_words.h"
#include "exec/tolerance.h"
#include "exec/transfer.h"
#include "exec/waste.h"
#include "exec/writers.h"
#include "lanes/mask.h"

#include <string.h>

SIMD_CLONES void access_addresses(struct engine *e, const struct bound *in, uint64_t address[ROW_LANES])
{
    uint64_t offset = (uint64_t)in->address_offset;
    if (in->address == OFFSET_NONE) {
        for (int i = 0; i < ROW_LANES; i++)
            address[i] = offset;
        unsigned kind = in->insn->source[in->insn->address].kind;
        if (kind == REF_LOCAL)
            for (int i = 0; i < ROW_LANES; i++)
                address[i] += e->row->frame[i];
        if (kind == REF_SHARED && e->block->rank)
            for (int i = 0; i < ROW_LANES; i++)
                address[i] += (uint64_t)e->block->rank << MEMORY_SHARED_SHIFT;
    } else if (in->address_bits == 64) {
        const uint64_t *base = (const void *)(e->row->planes + in->address);
        LANES_INDEPENDENT
        for (int i = 0; i < ROW_LANES; i++)
            address[i] = base[i] + offset;
    } else {
        const uint32_t *base = (const void *)(e->row->planes + in->address);
        LANES_INDEPENDENT
        for (int i = 0; i < ROW_LANES; i++)
            address[i] = (uint32_t)(base[i] + (uint32_t)offset);
    }
}

void access_address(struct engine *e, const struct bound *in, int lane, uint64_t address[ROW_LANES])
{
    const uint64_t offset = (uint64_t)in->address_offset;
    if (in->address == OFFSET_NONE)
        access_addresses(e, in, address);
    else if (in->address_bits == 64)
        address[lane] = lanes_value(e->row->planes + in->address, 64, lane) + offset;
    else
        address[lane] = (uint32_t)(lanes_value(e->row->planes + in->address, 32, lane) + offset);
}

SIMD_CLONES static __attribute__((noinline)) bool whole_row_within(const uint64_t *address, uint64_t base,
                                                                   uint64_t limit, uint64_t align)
{
    uint64_t outside = 0, bits = 0;
    for (int i = 0; i < ROW_LANES; i++) {
        uint64_t at = address[i] - base;
        outside |= at | (limit - at); /* the highest bit is set if at > limit: SSE2 cannot compare 64 bits */
        bits |= address[i];
    }
    return !(outside >> 63) && !(bits & align);
}

/* So many lanes are looked at one by one, without the others. */
enum { FEW_LANES = 8 };

/* All accesses, of `bytes` bytes each, are aligned and within the segment. */
static inline bool all_within(const struct segment *s, const struct lane_set *set, uint64_t bytes)
{
    const uint64_t *address = set->address, base = s->base, limit = s->bytes - bytes, align = bytes - 1;
    uint64_t outside = 0, bits = 0;
    if (s->bytes < bytes)
        return false;
    if (set->is_even && set->stride <= s->bytes) /* with one stride, the first and last lane bound the others */
        return address[0] - base <= limit && address[ROW_LANES - 1] - base <= limit &&
               !((address[0] | set->stride) & align);
    if (bits_count(set->mask) > FEW_LANES && whole_row_within(address, base, limit, align))
        return true; /* mostly, though not all lanes access */
    for (uint32_t left = set->mask; left; left &= left - 1) {
        uint64_t at = address[bits_lowest(left)] - base;
        outside |= at | (limit - at);
        bits |= at + base;
    }
    return !(outside >> 63) && !(bits & align);
}

/* Moves the values; all addresses are known to be within the segment. */
static bool move(struct engine *e, const struct bound *in, const struct segment *s, const struct lane_set *set,
                 bool is_global, bool is_write)
{
    uintptr_t origin = (uintptr_t)s->host - s->base;
    if (is_global)
        return transfer_global(e, in, origin, set, is_write);
    (is_write ? transfer_store : transfer_load)(e, in, origin, set);
    return true;
}

/* Looks for another block's value where a store to global memory goes (writers.h). */
static __attribute__((noinline)) void look_at_writers(struct engine *e, const struct bound *in, const struct segment *s,
                                                      const struct lane_set *set)
{
    if (in->is_plain)
        writers_note(e, in, (uintptr_t)s->host - s->base, set->address, set->mask, lane_set_is_side_by_side(in, set));
}

static inline void note_writer(struct engine *e, const struct bound *in, const struct segment *s,
                               const struct lane_set *set)
{
    if (__builtin_expect(writers_have_time(e), 0))
        look_at_writers(e, in, s, set);
}

static bool access_segment(struct engine *e, const struct bound *in, const struct segment *s, enum space space,
                           const struct lane_set *set, bool is_write);

static struct segment segment_of(const struct allocation *a)
{
    return (struct segment){a->address, a->bytes, a->host, a->is_constant};
}

/* Lanes in several allocations: finds the allocation of the lowest lane, serves all lanes within it, and repeats. */
static bool access_global_lanes(struct engine *e, const struct bound *in, int32_t pc, const uint64_t *address,
                                uint32_t mask, bool is_write)
{
    if (e->launch->tolerates_reads && !is_write)
        mask = tolerance_filter(e, in, address, mask);
    while (mask) {
        int lane = bits_lowest(mask);
        const struct allocation *a = memory_find(e->memory, address[lane]);
        if (!a)
            return engine_fault_address(e, in, lane, FAULT_OUT_OF_BOUNDS, IN_GLOBAL, address[lane], is_write);
        e->last[pc] = segment_of(a);
        uint32_t same = 0;
        for (uint32_t left = mask; left; left &= left - 1) {
            int i = bits_lowest(left);
            if (address[i] - a->address < a->bytes)
                same |= 1u << i;
        }
        struct lane_set set = set_of_lanes(address, same);
        if (!access_segment(e, in, &e->last[pc], IN_GLOBAL, &set, is_write))
            return false;
        mask &= ~same;
    }
    return true;
}

static bool access_segment(struct engine *e, const struct bound *in, const struct segment *s, enum space space,
                           const struct lane_set *set, bool is_write)
{
    const uint64_t *address = set->address, bytes = (uint64_t)in->width * in->elements;
    int first = bits_lowest(set->mask);
    if (!all_within(s, set, bytes)) {
        for (uint32_t left = set->mask; left; left &= left - 1) {
            int i = bits_lowest(left);
            uint64_t offset = address[i] - s->base;
            if (address[i] % bytes)
                return engine_fault_address(e, in, i, FAULT_MISALIGNED, space, address[i], is_write);
            if (offset > s->bytes || bytes > s->bytes - offset)
                return engine_fault_address(e, in, i, FAULT_OUT_OF_BOUNDS, space, address[i], is_write);
        }
    }
    if (is_write && s->is_constant)
        return engine_fault_address(e, in, first, FAULT_READ_ONLY, space, address[first], true);
    if (is_write && space == IN_GLOBAL)
        note_writer(e, in, s, set);
    return move(e, in, s, set, space == IN_GLOBAL, is_write);
}

static inline bool access_global(struct engine *e, const struct bound *in, int32_t pc, const struct lane_set *set,
                                 bool is_write)
{
    struct segment *s = &e->last[pc];
    if (!all_within(s, set, (uint64_t)in->width * in->elements) || (is_write && s->is_constant))
        return access_global_lanes(e, in, pc, set->address, set->mask, is_write);
    if (is_write)
        note_writer(e, in, s, set);
    /* Mostly a kernel writes other allocations than it reads. A draft notes all loads. */
    const struct posted *p = e->posted;
    if (p && !is_write && !p->draft && !posted_reaches(p, s->host, s->bytes)) {
        transfer_load(e, in, (uintptr_t)s->host - s->base, set);
        return true;
    }
    return transfer_global(e, in, (uintptr_t)s->host - s->base, set, is_write);
}

/* Lanes may be in the shared memory of several blocks: those of one block are served together. */
static bool access_cluster(struct engine *e, const struct bound *in, const struct lane_set *set, bool is_write)
{
    for (uint32_t left = set->mask, same; left; left &= ~same) {
        uint64_t rank = set->address[bits_lowest(left)] >> MEMORY_SHARED_SHIFT;
        struct segment s = cluster_shared(e, rank << MEMORY_SHARED_SHIFT);
        same = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1)
            if (set->address[bits_lowest(rest)] >> MEMORY_SHARED_SHIFT == rank)
                same |= rest & -rest;
        struct lane_set part = set_of_lanes(set->address, same);
        if (!access_segment(e, in, &s, IN_SHARED, &part, is_write))
            return false;
    }
    return true;
}

static bool access_shared(struct engine *e, const struct bound *in, const struct lane_set *set, bool is_write)
{
    if (e->block->cluster)
        return access_cluster(e, in, set, is_write);
    struct segment s = {0, e->block->shared_bytes, e->block->shared, false};
    return access_segment(e, in, &s, IN_SHARED, set, is_write);
}

/* What the offsets of a row of addresses have in common. */
struct row_bits {
    uint64_t any, every; /* bits that are set in one of them, or in all: `any` is at least as large as the largest */
};

/* Offsets of the lanes' addresses from the start of a segment: `add` is what the address registers lack. */
SIMD_CLONES static __attribute__((noinline)) struct row_bits
wide_offsets(uint64_t *restrict at, const uint64_t *restrict registers, uint64_t add)
{
    struct row_bits bits = {0, UINT64_MAX};
    for (int i = 0; i < ROW_LANES; i++) {
        at[i] = registers[i] + add;
        bits.any |= at[i];
        bits.every &= at[i];
    }
    return bits;
}

/* As wide_offsets(), of addresses of 32 bits in a segment that begins at `base`. */
SIMD_CLONES static __attribute__((noinline)) struct row_bits
narrow_offsets(uint64_t *restrict at, const uint32_t *restrict registers, uint32_t add, uint64_t base)
{
    struct row_bits bits = {0, UINT64_MAX};
    for (int i = 0; i < ROW_LANES; i++) {
        at[i] = (uint32_t)(registers[i] + add) - base;
        bits.any |= at[i];
        bits.every &= at[i];
    }
    return bits;
}

static struct row_bits find_offsets(const struct engine *e, const struct bound *in, uint64_t base, uint64_t *at)
{
    const void *registers = e->row->planes + in->address;
    uint64_t offset = (uint64_t)in->address_offset;
    if (in->reach == REACH_WIDE)
        return wide_offsets(at, registers, offset - base);
    return narrow_offsets(at, registers, (uint32_t)offset, base);
}

/* The segment in which the lanes of an access probably all lie; NULL: they have to be looked up, or something else has
 * to look at them. A generic address in an allocation is global, so that generic accesses need no sorting. */
static const struct segment *likely_segment(struct engine *e, const struct bound *in, int32_t pc, struct segment *own)
{
    switch ((enum space)in->space) {
    case IN_SHARED:
        *own = (struct segment){0, e->block->shared_bytes, e->block->shared, false};
        return e->block->cluster ? NULL : own;
    case IN_CONSTANT:
        return &e->constants;
    case IN_PARAMETER:
        return &e->parameters;
    default:
        if (e->posted)
            return draft_lets_load(e, in, &e->last[pc]) ? &e->last[pc] : NULL;
        return in->kind == BOUND_STORE && writers_have_time(e) ? NULL : &e->last[pc];
    }
}

/* Loads what is at one place for all lanes. False, with nothing done, if it is out of bounds. */
static bool load_fixed(struct engine *e, const struct bound *in, const struct segment *s)
{
    uint64_t bytes = (uint64_t)in->width * in->elements, at = (uint64_t)in->address_offset - s->base;
    if (at > s->bytes || bytes > s->bytes - at || (uint64_t)in->address_offset & (bytes - 1))
        return false;
    struct lane_set set = {.address = &at, .mask = UINT32_MAX, .is_even = true, .stride = 0};
    transfer_load(e, in, (uintptr_t)s->host, &set);
    return true;
}

/* Fills a plane with one value. */
static inline void fill_plane(void *plane, const uint8_t *from, uint64_t bytes)
{
    uint64_t wide;
    uint32_t word;
    if (bytes == sizeof wide) {
        memcpy(&wide, from, sizeof wide);
        for (int i = 0; i < ROW_LANES; i++)
            ((uint64_t *)plane)[i] = wide;
    } else {
        memcpy(&word, from, sizeof word);
        for (int i = 0; i < ROW_LANES; i++)
            ((uint32_t *)plane)[i] = word;
    }
}

/* Loads a row, one element per lane without conversion, whose lanes lie side by side, or all at one place. False, with
 * nothing done, if they do not, or not all in the segment. */
static inline bool load_run(struct engine *e, const struct bound *in, const struct segment *s)
{
    const uint64_t *address = (const void *)(e->row->planes + in->address), width = in->width;
    const uint64_t step = address[1] - address[0], at = address[0] + (uint64_t)in->address_offset - s->base;
    const bool is_same = !step && width >= 4 && width <= 8;
    if ((step != width && !is_same) || !in->moves_rows || in->elements != 1)
        return false;
    const uint64_t bytes = width + (ROW_LANES - 1) * step;
    if (at > s->bytes || s->bytes - at < bytes || at & (width - 1) || !simd_is_even(address, ROW_LANES, step))
        return false;
    if (is_same)
        fill_plane(e->row->planes + in->dest[0], s->host + at, width);
    else
        memcpy(e->row->planes + in->dest[0], s->host + at, bytes);
    return true;
}

static __attribute__((noinline)) bool access_other_row(struct engine *e, const struct bound *in, int32_t pc)
{
    bool is_write = in->kind != BOUND_LOAD;
    struct segment own;
    const struct segment *s = likely_segment(e, in, pc, &own);
    uint64_t at[ROW_LANES], bytes = (uint64_t)in->width * in->elements, align = bytes - 1;
    if (!s || s->bytes < bytes || s->base & align || (is_write && s->is_constant))
        return false;
    if (in->reach == REACH_FIXED)
        return load_fixed(e, in, s);
    if ((global_words_are_of(in) && global_words_row(e, in, s)) ||
        (is_write && in->is_shared_word && shared_words_store(e, in))) {
        e->writes += is_write;
        return true;
    }
    if (in->reach == REACH_WIDE && !is_write && load_run(e, in, s))
        return true;
    struct row_bits bits = find_offsets(e, in, s->base, at);
    if ((bits.any & align) || (bits.any > s->bytes - bytes && !whole_row_within(at, 0, s->bytes - bytes, align)))
        return false;
    struct lane_set set = {.address = at, .mask = UINT32_MAX, .is_even = true, .stride = 0};
    if (bits.any != bits.every)
        set = set_of_lanes(at, UINT32_MAX);
    e->writes += is_write;
    (is_write ? transfer_store : transfer_load)(e, in, (uintptr_t)s->host, &set);
    return true;
}

bool access_row(struct engine *e, const struct bound *in, int32_t pc)
{
    return (in->reach == REACH_SHARED_WORD && shared_words_load(e, in)) || access_other_row(e, in, pc);
}

uint8_t *access_find(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask, uint64_t at[ROW_LANES])
{
    struct segment own;
    const struct segment *s = in->reach == REACH_LANES ? NULL : likely_segment(e, in, pc, &own);
    uint64_t bytes = (uint64_t)in->width * in->elements, align = bytes - 1, outside = 0, bits = 0;
    if (!s || s->bytes < bytes || s->is_constant || s->base & align)
        return NULL;
    struct row_bits all = find_offsets(e, in, s->base, at);
    if (all.any <= s->bytes - bytes && !(all.any & align))
        return s->host;
    for (; mask; mask &= mask - 1) {
        uint64_t offset = at[bits_lowest(mask)];
        outside |= offset | (s->bytes - bytes - offset);
        bits |= offset;
    }
    return outside >> 63 || bits & align ? NULL : s->host;
}

static bool access_generic(struct engine *e, const struct bound *in, int32_t pc, const struct lane_set *set,
                           bool is_write)
{
    const uint64_t *address = set->address;
    uint32_t shared = 0, local = 0;
    for (int i = 0; i < ROW_LANES; i++) {
        shared |= (uint32_t)(address[i] - MEMORY_SHARED_BASE < MEMORY_SHARED_SIZE) << i;
        local |= (uint32_t)(address[i] - MEMORY_LOCAL_BASE < MEMORY_WINDOW_SIZE) << i;
    }
    shared &= set->mask;
    local &= set->mask;
    if (!(shared | local))
        return access_global(e, in, pc, set, is_write);
    uint64_t own[ROW_LANES];
    for (int i = 0; i < ROW_LANES; i++)
        own[i] = address[i] - (local >> i & 1 ? MEMORY_LOCAL_BASE : MEMORY_SHARED_BASE);
    uint32_t global = set->mask & ~(shared | local);
    struct lane_set in_shared = set_of_lanes(own, shared), in_global = set_of_lanes(address, global);
    return (!shared || access_shared(e, in, &in_shared, is_write)) &&
           (!local || local_access(e, in, own, local, is_write)) &&
           (!global || access_global(e, in, pc, &in_global, is_write));
}

/* access_row() for global memory, of blocks that run before their turn (draft.h). False, with nothing done, if the row
 * may not lie in the allocation that the instruction accessed last; or if the blocks ran in vain. */
static bool access_draft_row(struct engine *e, const struct bound *in, const struct segment *s, bool is_write)
{
    uint64_t at[ROW_LANES], bytes = (uint64_t)in->width * in->elements, align = bytes - 1;
    bool is_looked_at = e->race || e->waste || (is_write && (s->is_constant || writers_have_time(e)));
    if (is_looked_at || s->bytes < bytes || s->base & align)
        return false;
    struct row_bits bits = find_offsets(e, in, s->base, at);
    if ((bits.any & align) || (bits.any > s->bytes - bytes && !whole_row_within(at, 0, s->bytes - bytes, align)))
        return false;
    struct lane_set set = set_of_lanes(at, UINT32_MAX);
    e->writes += is_write;
    return transfer_global(e, in, (uintptr_t)s->host, &set, is_write);
}

/* An access that is no row within one allocation, or that something else looks at. */
static __attribute__((noinline)) bool access_lanes(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask,
                                                   const uint64_t *known)
{
    uint64_t own[ROW_LANES];
    const uint64_t *address = known ? known : own;
    bool is_write = in->kind != BOUND_LOAD, is_global = in->space == IN_GLOBAL || in->space == IN_GENERIC;
    bool is_row = mask == UINT32_MAX && in->reach == REACH_WIDE && is_global && !known;
    if (is_row && draft_of(e) && access_draft_row(e, in, &e->last[pc], is_write))
        return true;
    if (!known)
        access_addresses(e, in, own);
    e->writes += is_write;
    if (__builtin_expect(e->race != NULL, 0))
        race_access(e, in, pc, address, mask);
    if (__builtin_expect(e->waste != NULL, 0))
        waste_access(e, in, pc, address, mask);
    struct lane_set set = set_of_lanes(address, mask);
    switch ((enum space)in->space) {
    case IN_GLOBAL:
        return access_global(e, in, pc, &set, is_write);
    case IN_SHARED:
        return access_shared(e, in, &set, is_write);
    case IN_LOCAL:
        return local_access(e, in, address, mask, is_write);
    case IN_CONSTANT:
        return access_segment(e, in, &e->constants, IN_CONSTANT, &set, is_write);
    case IN_PARAMETER:
        return access_segment(e, in, &e->parameters, IN_PARAMETER, &set, is_write);
    default:
        return access_generic(e, in, pc, &set, is_write);
    }
}

/* Loads or stores words for some lanes of a row. False, with nothing done, if they may not lie in the allocation that
 * the instruction accessed last, or if something else has to look at them. */
static bool access_some_words(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask)
{
    struct segment own;
    const bool is_write = in->kind != BOUND_LOAD;
    if (!global_words_are_of(in) || e->race || e->waste || bits_count(mask) <= FEW_LANES)
        return false;
    const struct segment *s = likely_segment(e, in, pc, &own);
    if (!s || (is_write && s->is_constant) || !global_words_some(e, in, s, mask))
        return false;
    e->writes += is_write;
    return true;
}

/* Loads from global memory for one lane, of a machine's multiprocessor. False, with nothing done, if the address is not
 * in the allocation that the instruction accessed last, or if something else has to look at the load. */
static bool load_single(struct engine *e, const struct bound *in, int32_t pc, int lane, const uint64_t *address)
{
    const struct segment *s = &e->last[pc];
    const struct posted *p = e->posted;
    const uint64_t bytes = (uint64_t)in->width * in->elements, at = address[lane] - s->base;
    const uintptr_t host = (uintptr_t)s->host + at;
    if (in->kind != BOUND_LOAD || (in->space != IN_GLOBAL && in->space != IN_GENERIC) || !p || p->draft || e->race ||
        e->waste || at > s->bytes || bytes > s->bytes - at || address[lane] & (bytes - 1))
        return false;
    if (p->count && (posted_may_hold(p, host) || posted_may_hold(p, host + bytes - 1)))
        return false;
    struct lane_set set = {.address = address, .mask = UINT32_C(1) << lane};
    transfer_load(e, in, (uintptr_t)s->host - s->base, &set);
    return true;
}

/* Whether the store of a row of words is to be looked at (writers.h). */
static inline bool is_looked_at(const struct engine *e, const struct bound *in)
{
    return in->kind == BOUND_STORE && writers_have_time(e) && in->is_plain && global_words_are_of(in) && !e->posted;
}

/* Looks at the store of a row of words, and stores it. False, with nothing done, if the words do not fill a line within
 * the allocation that the instruction accessed last. */
static bool store_looked_at(struct engine *e, const struct bound *in, int32_t pc)
{
    enum { BYTES = ROW_LANES * 4 };
    const struct segment *s = &e->last[pc];
    const uint64_t *registers = (const void *)(e->row->planes + in->address);
    const uint64_t first = registers[0] + (uint64_t)in->address_offset, at = first - s->base;
    if (first % BYTES || at > s->bytes || s->bytes - at < BYTES || s->is_constant ||
        !simd_is_even(registers, ROW_LANES, 4))
        return false;
    writers_note(e, in, (uintptr_t)s->host - s->base, &first, UINT32_MAX, true);
    memcpy(s->host + at, operand_source(e, in, 0), BYTES);
    e->writes++;
    return true;
}

bool access_execute(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask, const uint64_t *known)
{
    if (known && !(mask & (mask - 1)) && load_single(e, in, pc, bits_lowest(mask), known))
        return true;
    bool is_row = mask == UINT32_MAX && in->reach != REACH_LANES && !known && !e->race && !e->waste;
    if (is_row && ((is_looked_at(e, in) && store_looked_at(e, in, pc)) || access_row(e, in, pc)))
        return true;
    if (in->is_shared_word && !is_row && !known && !e->race && !e->waste && shared_words_access(e, in, mask))
        return true;
    if (!is_row && !known && access_some_words(e, in, pc, mask))
        return true;
    return access_lanes(e, in, pc, mask, known);
}

void *access_resolve(struct engine *e, const struct bound *in, int32_t pc, int lane, uint64_t address, bool is_write)
{
    uint64_t bytes = (uint64_t)in->width * in->elements;
    struct segment shared, *s = &e->last[pc];
    enum space space = (enum space)in->space;
    if (space == IN_GENERIC && address - MEMORY_SHARED_BASE < MEMORY_SHARED_SIZE) {
        space = IN_SHARED;
        address -= MEMORY_SHARED_BASE;
    }
    if (space == IN_SHARED) {
        shared = cluster_shared(e, address);
        s = &shared;
    } else if (address - s->base >= s->bytes) {
        const struct allocation *a = memory_find(e->memory, address);
        if (a)
            *s = segment_of(a);
    }
    uint64_t offset = address - s->base;
    if (address % bytes)
        engine_fault_address(e, in, lane, FAULT_MISALIGNED, space, address, is_write);
    else if (offset > s->bytes || bytes > s->bytes - offset)
        engine_fault_address(e, in, lane, FAULT_OUT_OF_BOUNDS, space, address, is_write);
    else if (is_write && s->is_constant)
        engine_fault_address(e, in, lane, FAULT_READ_ONLY, space, address, is_write);
    else if (space == IN_SHARED || in->kind == BOUND_ATOMIC || !draft_of(e) ||
             draft_reach(e, in, s->host + offset, bytes, is_write))
        return s->host + offset;
    return NULL;
}

bool access_read_generic(struct engine *e, int lane, uint64_t address, void *into, uint32_t bytes)
{
    uint8_t *to = into;
    if (address - MEMORY_LOCAL_BASE < MEMORY_WINDOW_SIZE) {
        uint64_t offset = address - MEMORY_LOCAL_BASE;
        if (offset > e->local_bytes || bytes > e->local_bytes - offset)
            return false;
        for (uint32_t i = 0; i < bytes; i++)
            to[i] = *local_byte(e->row, lane, offset + i);
        return true;
    }
    const uint8_t *from;
    if (address - MEMORY_SHARED_BASE < MEMORY_SHARED_SIZE) {
        struct segment s = cluster_shared(e, address - MEMORY_SHARED_BASE);
        uint64_t offset = address - MEMORY_SHARED_BASE - s.base;
        from = offset <= s.bytes && bytes <= s.bytes - offset ? s.host + offset : NULL;
    } else {
        from = memory_host(e->memory, address, bytes);
    }
    if (from)
        memcpy(into, from, bytes);
    return from != NULL;
}
