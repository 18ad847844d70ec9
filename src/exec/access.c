/*
 * Loads and stores.
 *
 * An access finds the stretch of memory behind the lanes' addresses, checks every address against it, and moves
 * the values. An instruction mostly stays within one allocation, so the one it touched last is tried first and
 * tests all lanes in one vector loop; lanes that leave it are looked up one by one. Generic addresses are sorted
 * into global, shared and local lanes, and each part served in turn.
 */
#include "exec/engine.h"
#include "exec/mask.h"

#include "base/bits.h"

#include <string.h>

void access_addresses(struct engine *e, const struct bound *in, uint64_t address[ROW_LANES])
{
    uint64_t offset = (uint64_t)in->address_offset;
    if (in->address == OFFSET_NONE) {
        for (int i = 0; i < ROW_LANES; i++)
            address[i] = offset;
        if (in->insn->source[in->insn->address].kind == REF_LOCAL)
            for (int i = 0; i < ROW_LANES; i++)
                address[i] += e->row->frame[i];
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

/* The distance from each lane's address to the next one's, if it is the same for all. */
static bool find_stride(const uint64_t *address, uint64_t *stride)
{
    uint64_t step = address[1] - address[0], differs = 0;
    for (int i = 0; i + 1 < ROW_LANES; i++)
        differs |= (address[i + 1] - address[i]) ^ step;
    *stride = step;
    return !differs;
}

/* True if all the mask's accesses of `bytes` bytes are aligned and within the segment. */
static bool all_within(const struct segment *s, const uint64_t *address, uint32_t mask, uint64_t bytes)
{
    uint64_t base = s->base, limit = s->bytes - bytes, align = bytes - 1, stride;
    if (s->bytes < bytes)
        return false;
    if (mask == UINT32_MAX && find_stride(address, &stride) && stride <= s->bytes) /* the ends speak for all */
        return address[0] - base <= limit && address[ROW_LANES - 1] - base <= limit && !((address[0] | stride) & align);
    uint32_t lanes[ROW_LANES];
    mask_to_lanes(mask, lanes);
    uint64_t outside = 0, bits = 0;
    for (int i = 0; i < ROW_LANES; i++) {
        uint64_t m = (uint64_t)(int64_t)(int32_t)lanes[i], at = address[i] - base;
        outside |= m & (at | (limit - at)); /* the highest bit says at > limit: SSE2 compares no 64 bits */
        bits |= m & address[i];
    }
    return !(outside >> 63) && !(bits & align);
}

/* Moving values: one loop a pair of widths. `at` are the lanes' offsets from `host`. */
#define MOVE_IN(name, memory_type, register_type)                                                            \
    static void name(void *to, const uint8_t *host, const uint64_t *at, uint32_t mask)                       \
    {                                                                                                        \
        register_type *d = to;                                                                               \
        if (mask == UINT32_MAX) {                                                                            \
            for (int i = 0; i < ROW_LANES; i++)                                                              \
                d[i] = (register_type)*(const memory_type *)(host + at[i]);                                  \
            return;                                                                                          \
        }                                                                                                    \
        for (; mask; mask &= mask - 1) {                                                                     \
            int i = bits_lowest(mask);                                                                       \
            d[i] = (register_type)*(const memory_type *)(host + at[i]);                                      \
        }                                                                                                    \
    }

#define MOVE_OUT(name, memory_type, register_type)                                                           \
    static void name(uint8_t *host, const uint64_t *at, const void *from, uint32_t mask)                     \
    {                                                                                                        \
        const register_type *s = from;                                                                       \
        for (; mask; mask &= mask - 1) {                                                                     \
            int i = bits_lowest(mask);                                                                       \
            *(memory_type *)(host + at[i]) = (memory_type)s[i];                                              \
        }                                                                                                    \
    }

MOVE_IN(in_u8_16, uint8_t, uint16_t)
MOVE_IN(in_s8_16, int8_t, uint16_t)
MOVE_IN(in_16_16, uint16_t, uint16_t)
MOVE_IN(in_u8_32, uint8_t, uint32_t)
MOVE_IN(in_s8_32, int8_t, uint32_t)
MOVE_IN(in_u16_32, uint16_t, uint32_t)
MOVE_IN(in_s16_32, int16_t, uint32_t)
MOVE_IN(in_32_32, uint32_t, uint32_t)
MOVE_IN(in_u8_64, uint8_t, uint64_t)
MOVE_IN(in_s8_64, int8_t, uint64_t)
MOVE_IN(in_u16_64, uint16_t, uint64_t)
MOVE_IN(in_s16_64, int16_t, uint64_t)
MOVE_IN(in_u32_64, uint32_t, uint64_t)
MOVE_IN(in_s32_64, int32_t, uint64_t)
MOVE_IN(in_64_64, uint64_t, uint64_t)

MOVE_OUT(out_8_16, uint8_t, uint16_t)
MOVE_OUT(out_16_16, uint16_t, uint16_t)
MOVE_OUT(out_8_32, uint8_t, uint32_t)
MOVE_OUT(out_16_32, uint16_t, uint32_t)
MOVE_OUT(out_32_32, uint32_t, uint32_t)
MOVE_OUT(out_8_64, uint8_t, uint64_t)
MOVE_OUT(out_16_64, uint16_t, uint64_t)
MOVE_OUT(out_32_64, uint32_t, uint64_t)
MOVE_OUT(out_64_64, uint64_t, uint64_t)

typedef void move_in_fn(void *to, const uint8_t *host, const uint64_t *at, uint32_t mask);
typedef void move_out_fn(uint8_t *host, const uint64_t *at, const void *from, uint32_t mask);

/* [register: 16, 32, 64][memory: 1, 2, 4, 8 bytes][signed] */
static move_in_fn *const move_in[3][4][2] = {
    {{in_u8_16, in_s8_16}, {in_16_16, in_16_16}, {NULL, NULL}, {NULL, NULL}},
    {{in_u8_32, in_s8_32}, {in_u16_32, in_s16_32}, {in_32_32, in_32_32}, {NULL, NULL}},
    {{in_u8_64, in_s8_64}, {in_u16_64, in_s16_64}, {in_u32_64, in_s32_64}, {in_64_64, in_64_64}},
};

static move_out_fn *const move_out[3][4] = {
    {out_8_16, out_16_16, NULL, NULL},
    {out_8_32, out_16_32, out_32_32, NULL},
    {out_8_64, out_16_64, out_32_64, out_64_64},
};

static int register_index(unsigned bits)
{
    return bits == 64 ? 2 : bits == 16 ? 0 : 1;
}

static int width_index(unsigned bytes)
{
    return __builtin_ctz(bytes);
}

/* All lanes get the first one's value. */
static void spread_first(void *plane, unsigned bits)
{
    uint64_t *wide = plane;
    uint32_t *word = plane;
    uint16_t *half = plane;
    LANES_INDEPENDENT
    for (int i = 1; bits == 64 && i < ROW_LANES; i++)
        wide[i] = wide[0];
    LANES_INDEPENDENT
    for (int i = 1; bits == 32 && i < ROW_LANES; i++)
        word[i] = word[0];
    LANES_INDEPENDENT
    for (int i = 1; bits == 16 && i < ROW_LANES; i++)
        half[i] = half[0];
}

/* Consecutive elements, or one for all lanes, are moved at once. */
static void load_from(struct engine *e, const struct bound *in, uint8_t *host, const uint64_t *at, uint32_t mask)
{
    uint64_t stride = 1;
    bool is_even = mask == UINT32_MAX && find_stride(at, &stride);
    for (unsigned k = 0; k < in->elements; k++) {
        unsigned bits = in->dest_bits[k];
        if (!bits)
            continue;
        uint8_t *to = e->row->planes + in->dest[k];
        const uint8_t *from = host + k * in->width;
        move_in_fn *move_lanes = move_in[register_index(bits)][width_index(in->width)][in->is_signed];
        if (is_even && stride == in->width && in->width * 8u == bits) {
            memcpy(to, from + at[0], (size_t)bits * 4);
        } else if (is_even && !stride) {
            move_lanes(to, from, at, 1);
            spread_first(to, bits);
        } else {
            move_lanes(to, from, at, mask);
        }
    }
}

static void store_to(struct engine *e, const struct bound *in, uint8_t *host, const uint64_t *at, uint32_t mask)
{
    uint64_t stride;
    for (unsigned k = 0; k < in->elements; k++) {
        const void *from = engine_source(e, in, (int)k);
        unsigned bits = in->source_bits[k];
        uint8_t *to = host + k * in->width;
        if (mask == UINT32_MAX && in->width * 8u == bits && find_stride(at, &stride) && stride == in->width)
            memcpy(to + at[0], from, (size_t)bits * 4);
        else
            move_out[register_index(bits)][width_index(in->width)](to, at, from, mask);
    }
}

static void move(struct engine *e, const struct bound *in, uint8_t *host, const uint64_t *at, uint32_t mask,
                 bool is_write)
{
    if (is_write)
        store_to(e, in, host, at, mask);
    else
        load_from(e, in, host, at, mask);
}

static bool access_segment(struct engine *e, const struct bound *in, const struct segment *s, enum space space,
                           const uint64_t *address, uint32_t mask, bool is_write);

/* Local memory: words interleaved over lanes, so an access wider than a word is done word by word. */
static bool access_local_lanes(struct engine *e, const struct bound *in, const uint64_t *address, uint32_t mask,
                               bool is_write)
{
    uint64_t bytes = (uint64_t)in->width * in->elements;
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        if (address[i] % bytes)
            return engine_fault_address(e, in, i, FAULT_MISALIGNED, IN_LOCAL, address[i], is_write);
        if (address[i] > e->local_bytes || bytes > e->local_bytes - address[i])
            return engine_fault_address(e, in, i, FAULT_OUT_OF_BOUNDS, IN_LOCAL, address[i], is_write);
    }
    unsigned words = in->width == 8 ? 2 : 1;
    for (unsigned k = 0; k < in->elements; k++) {
        _Alignas(8) uint8_t buffer[2 * PLANE_BYTES];
        uint64_t at[ROW_LANES];
        for (int i = 0; i < ROW_LANES; i++)
            at[i] = (uint64_t)i * 8;
        unsigned bits = is_write ? in->source_bits[k] : in->dest_bits[k];
        const void *from = is_write ? engine_source(e, in, (int)k) : NULL;
        if (is_write)
            move_out[register_index(bits)][width_index(in->width)](buffer, at, from, mask);
        for (uint32_t left = mask; left; left &= left - 1) {
            int i = bits_lowest(left);
            for (unsigned w = 0; w < words; w++) {
                uint8_t *local = access_local(e->row, i, address[i] + (uint64_t)k * in->width + 4 * w);
                unsigned n = in->width < 4 ? in->width : 4;
                if (is_write)
                    memcpy(local, buffer + 8 * i + 4 * w, n);
                else
                    memcpy(buffer + 8 * i + 4 * w, local, n);
            }
        }
        if (!is_write && bits)
            move_in[register_index(bits)][width_index(in->width)][in->is_signed](e->row->planes + in->dest[k], buffer,
                                                                                 at, mask);
    }
    return true;
}

static struct segment segment_of(const struct allocation *a)
{
    return (struct segment){a->address, a->bytes, a->host, a->is_constant};
}

/* Lanes that do not share an allocation: group them by allocation, lane by lane. */
static bool access_global_lanes(struct engine *e, const struct bound *in, int32_t pc, const uint64_t *address,
                                uint32_t mask, bool is_write)
{
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
        if (!access_segment(e, in, &e->last[pc], IN_GLOBAL, address, same, is_write))
            return false;
        mask &= ~same;
    }
    return true;
}

static bool access_segment(struct engine *e, const struct bound *in, const struct segment *s, enum space space,
                           const uint64_t *address, uint32_t mask, bool is_write)
{
    uint64_t bytes = (uint64_t)in->width * in->elements;
    if (!all_within(s, address, mask, bytes)) {
        for (uint32_t left = mask; left; left &= left - 1) {
            int i = bits_lowest(left);
            uint64_t offset = address[i] - s->base;
            if (address[i] % bytes)
                return engine_fault_address(e, in, i, FAULT_MISALIGNED, space, address[i], is_write);
            if (offset > s->bytes || bytes > s->bytes - offset)
                return engine_fault_address(e, in, i, FAULT_OUT_OF_BOUNDS, space, address[i], is_write);
        }
    }
    if (is_write && s->is_constant)
        return engine_fault_address(e, in, bits_lowest(mask), FAULT_READ_ONLY, space, address[bits_lowest(mask)], true);
    uint64_t at[ROW_LANES];
    LANES_INDEPENDENT
    for (int i = 0; i < ROW_LANES; i++)
        at[i] = address[i] - s->base;
    move(e, in, s->host, at, mask, is_write);
    return true;
}

static bool access_global(struct engine *e, const struct bound *in, int32_t pc, const uint64_t *address, uint32_t mask,
                          bool is_write)
{
    struct segment *s = &e->last[pc];
    uint64_t bytes = (uint64_t)in->width * in->elements;
    if (!all_within(s, address, mask, bytes) || (is_write && s->is_constant))
        return access_global_lanes(e, in, pc, address, mask, is_write);
    uint64_t at[ROW_LANES];
    uint64_t base = s->base;
    LANES_INDEPENDENT
    for (int i = 0; i < ROW_LANES; i++)
        at[i] = address[i] - base;
    move(e, in, s->host, at, mask, is_write);
    return true;
}

static bool access_shared(struct engine *e, const struct bound *in, const uint64_t *address, uint32_t mask,
                          bool is_write)
{
    struct segment s = {0, e->block->shared_bytes, e->block->shared, false};
    return access_segment(e, in, &s, IN_SHARED, address, mask, is_write);
}

static bool access_generic(struct engine *e, const struct bound *in, int32_t pc, const uint64_t *address, uint32_t mask,
                           bool is_write)
{
    uint32_t shared = 0, local = 0;
    for (int i = 0; i < ROW_LANES; i++) {
        shared |= (uint32_t)(address[i] - MEMORY_SHARED_BASE < MEMORY_WINDOW_SIZE) << i;
        local |= (uint32_t)(address[i] - MEMORY_LOCAL_BASE < MEMORY_WINDOW_SIZE) << i;
    }
    shared &= mask;
    local &= mask;
    if (!(shared | local))
        return access_global(e, in, pc, address, mask, is_write);
    uint64_t own[ROW_LANES];
    for (int i = 0; i < ROW_LANES; i++)
        own[i] = address[i] - (local >> i & 1 ? MEMORY_LOCAL_BASE : MEMORY_SHARED_BASE);
    uint32_t global = mask & ~(shared | local);
    return (!shared || access_shared(e, in, own, shared, is_write)) &&
           (!local || access_local_lanes(e, in, own, local, is_write)) &&
           (!global || access_global(e, in, pc, address, global, is_write));
}

static bool access_execute(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask, bool is_write)
{
    uint64_t address[ROW_LANES];
    access_addresses(e, in, address);
    if (__builtin_expect(e->race != NULL, 0))
        race_access(e, in, pc, address, mask);
    switch ((enum space)in->space) {
    case IN_GLOBAL:
        return access_global(e, in, pc, address, mask, is_write);
    case IN_SHARED:
        return access_shared(e, in, address, mask, is_write);
    case IN_LOCAL:
        return access_local_lanes(e, in, address, mask, is_write);
    case IN_CONSTANT:
        return access_segment(e, in, &e->constants, IN_CONSTANT, address, mask, is_write);
    case IN_PARAMETER:
        return access_segment(e, in, &e->parameters, IN_PARAMETER, address, mask, is_write);
    default:
        return access_generic(e, in, pc, address, mask, is_write);
    }
}

bool access_load(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask)
{
    return access_execute(e, in, pc, mask, false);
}

bool access_store(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask)
{
    e->writes++;
    return access_execute(e, in, pc, mask, true);
}

void *access_resolve(struct engine *e, const struct bound *in, int32_t pc, int lane, uint64_t address, bool is_write)
{
    uint64_t bytes = (uint64_t)in->width * in->elements;
    struct segment shared = {0, e->block->shared_bytes, e->block->shared, false};
    struct segment *s = &e->last[pc];
    enum space space = (enum space)in->space;
    if (space == IN_GENERIC && address - MEMORY_SHARED_BASE < MEMORY_WINDOW_SIZE) {
        space = IN_SHARED;
        address -= MEMORY_SHARED_BASE;
    }
    if (space == IN_SHARED)
        s = &shared;
    else if (address - s->base >= s->bytes) {
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
    else
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
            to[i] = *access_local(e->row, lane, offset + i);
        return true;
    }
    const uint8_t *from;
    if (address - MEMORY_SHARED_BASE < MEMORY_WINDOW_SIZE) {
        uint64_t offset = address - MEMORY_SHARED_BASE;
        from = offset <= e->block->shared_bytes && bytes <= e->block->shared_bytes - offset ? e->block->shared + offset
                                                                                              : NULL;
    } else {
        from = memory_host(e->memory, address, bytes);
    }
    if (from)
        memcpy(into, from, bytes);
    return from != NULL;
}
