/*
 * The oracle's copies of tensors, element by element: the number of an element in the box gives its coordinates, these
 * its place in global memory, and the number its place in shared memory.
 */
#include "oracle/internal.h"

#include "device/tensor_map.h"

#include <string.h>

/* A copy: the map, where it starts, and how many elements it has in each direction. */
struct oracle_box {
    struct oracle_thread *t;
    const struct oracle_insn *x;
    struct tensor_map map;
    int64_t start[5], offset[5];
    uint64_t inner, outer; /* elements per row or pixel; rows or pixels */
    unsigned bytes;        /* of an element */
    unsigned group;        /* elements for each step in the first dimension: 1, or those of a slice of channels */
    int pixels;            /* im2col: the first dimension of the box of pixels */
};

static uint64_t step_of(const struct tensor_map *m, int d)
{
    if (m->step[d] == 0)
        return 1;
    return d == 0 && m->interleave == TENSOR_INTERLEAVE_NONE ? 1 : m->step[d];
}

/* Of slices there is one in each copy. */
static uint64_t count_of(const struct tensor_map *m, int d)
{
    if (m->interleave != TENSOR_INTERLEAVE_NONE && d + 2 == m->rank)
        return 1;
    return (m->box[d] + step_of(m, d) - 1) / step_of(m, d);
}

static bool is_rows(const struct oracle_insn *x)
{
    return oracle_mod(x, GROUP_BOX) == BOX_GATHER || oracle_mod(x, GROUP_BOX) == BOX_SCATTER;
}

/* Coordinates of pixel number `n`, counted from the first. In a dimension, the first line has the pixels from the start
 * to the end of the box of pixels, and the lines behind it have all pixels of the box. */
static void locate_pixel(const struct oracle_box *b, uint64_t n, int64_t at[5])
{
    const struct tensor_map *m = &b->map;
    for (int d = b->pixels; d < b->pixels + m->rank - 2; d++) {
        int64_t first = m->lower[d - b->pixels], last = (int64_t)m->size[d] - 1 + m->upper[d - b->pixels];
        int64_t step = (int64_t)step_of(m, d);
        int64_t begun = b->start[d] > last ? 1 : (last - b->start[d]) / step + 1;
        int64_t whole = first > last ? 1 : (last - first) / step + 1, number = (int64_t)n;
        at[d] = number < begun ? b->start[d] + number * step : first + (number - begun) % whole * step;
        at[d] += b->offset[d];
        n = number < begun ? 0 : 1 + (uint64_t)((number - begun) / whole);
    }
    at[m->rank - 1] = b->start[m->rank - 1] + (int64_t)n;
}

/* Coordinates of element i of row n. */
static void locate(const struct oracle_box *b, uint64_t i, uint64_t n, int64_t at[5])
{
    memcpy(at, b->start, sizeof b->start);
    at[0] += (int64_t)(i / b->group * step_of(&b->map, 0));
    if (b->map.is_im2col) {
        locate_pixel(b, n, at);
        return;
    }
    for (int d = 1; d < b->map.rank; d++) {
        at[d] = b->start[d] + (int64_t)(n % count_of(&b->map, d) * step_of(&b->map, d));
        n /= count_of(&b->map, d);
    }
}

/* The coordinate at which a row of the tensor ends. For stores it ends with the 16 bytes that hold its last element, if
 * there is memory for all of them. */
static int64_t end_of_row(const struct oracle_box *b, uint64_t row_address, bool is_write)
{
    uint64_t width = (uint64_t)b->bytes * b->group, exact = b->map.size[0] * width, whole = (exact + 15) / 16 * 16;
    const struct allocation *a = memory_find(b->t->oracle->memory, row_address + exact - 1);
    bool has_room = a && row_address + whole <= a->address + a->bytes;
    return (int64_t)((is_write && has_room ? whole : exact) / width);
}

/* Host address of element i of a row, at these coordinates; NULL: it is outside the tensor, or after a fault. */
static uint8_t *reach_element(const struct oracle_box *b, const int64_t at[5], uint64_t i, bool is_write)
{
    uint64_t address = b->map.address;
    for (int d = 1; d < b->map.rank; d++) {
        if (at[d] < 0 || at[d] >= (int64_t)b->map.size[d])
            return NULL;
        address += (uint64_t)at[d] * b->map.stride[d - 1];
    }
    if (at[0] < 0 || at[0] >= end_of_row(b, address, is_write))
        return NULL;
    address += ((uint64_t)at[0] * b->group + i % b->group) * b->bytes;
    return oracle_reach_aligned(b->t, b->x, SPACE_GLOBAL, address, b->bytes, 1, is_write);
}

/* In shared memory, the 16-byte unit's number within its line is combined with the line's number. A row takes as many
 * bytes as the swizzle has, unless the tensor is interleaved. */
static uint64_t place_of(const struct oracle_box *b, uint64_t base, uint64_t i, uint64_t row)
{
    uint64_t widths[] = {b->inner * b->bytes, 32, 64, 128};
    uint64_t pitch = widths[b->map.interleave ? 0 : b->map.swizzle & 3];
    uint64_t linear = base + row * pitch + i * b->bytes, line = linear / 128, unit = linear / 16 % 8,
             byte = linear % 16;
    uint64_t lines[] = {1, 2, 4, 8};
    unit ^= line % lines[b->map.swizzle & 3];
    return line * 128 + unit * 16 + byte;
}

/* tf32 keeps 10 bits of the mantissa: to nearest, and to even between two. Subnormals stay. */
static uint64_t loaded(const struct tensor_map *m, uint64_t value)
{
    if (m->type != TENSOR_TF32 && m->type != TENSOR_TF32_FTZ)
        return value;
    uint64_t magnitude = value & 0x7fffffff, rest = value & 0x1fff, kept = value - rest;
    if (magnitude > 0x7f800000)
        return 0x7fffe000;
    bool is_up = rest > 0x1000 || (rest == 0x1000 && kept & 0x2000);
    return kept + (is_up ? 0x2000 : 0);
}

/* Fills in the box from the map at an address and coordinates. False after a fault. */
static bool open_box(struct oracle_box *b, const struct oracle_operand *z)
{
    uint64_t address = oracle_address(b->t, &z->element[0]);
    enum mod kind = oracle_mod(b->x, GROUP_BOX);
    const void *bytes = oracle_reach_aligned(b->t, b->x, MOD_NONE, address, TENSOR_MAP_BYTES, 64, false);
    if (!bytes)
        return false;
    memcpy(&b->map, bytes, sizeof b->map);
    bool wants_pixels = kind == BOX_IM2COL || kind == BOX_IM2COL_STORE;
    if (b->map.magic != TENSOR_MAP_MAGIC || b->map.is_im2col != wants_pixels ||
        b->map.rank != oracle_mod(b->x, GROUP_DIM) - DIM_D1 + 1 || kind == BOX_IM2COL_W || kind == BOX_IM2COL_W128 ||
        (b->map.interleave && (b->map.rank < 3 || is_rows(b->x)))) {
        oracle_fault(b->t, b->x, FAULT_BAD_COPY, "there is no tensor map for this instruction at 0x%llx",
                     (unsigned long long)address);
        return false;
    }
    b->bytes = tensor_type_bytes(b->map.type);
    b->group = b->map.interleave ? tensor_slice_bytes(b->map.interleave) / b->bytes : 1;
    b->pixels = b->map.interleave ? 0 : 1;
    for (int d = 0; d < b->map.rank; d++)
        b->start[d] = (int32_t)oracle_read(b->t, &z->element[1 + d]);
    if (b->start[0] * (int64_t)b->bytes * b->group % 16) {
        oracle_fault(b->t, b->x, FAULT_BAD_COPY, "the first coordinate is %lld, which is no multiple of 16 bytes",
                     (long long)b->start[0]);
        return false;
    }
    b->inner = !wants_pixels ? count_of(&b->map, 0) * b->group : b->map.interleave ? b->group : b->map.channels;
    b->outer = wants_pixels ? b->map.pixels : 1;
    for (int d = 1; !wants_pixels && !is_rows(b->x) && d < b->map.rank; d++)
        b->outer *= count_of(&b->map, d);
    return true;
}

static void load_box(const struct oracle_box *b, uint64_t to, uint64_t first)
{
    uint64_t nan = UINT64_C(0x7ff77ff77ff77ff7) & oracle_mask(8 * b->bytes);
    for (uint64_t n = 0; n < b->outer; n++)
        for (uint64_t i = 0; i < b->inner && !b->t->oracle->fault->kind; i++) {
            int64_t at[5];
            locate(b, i, n, at);
            const uint8_t *from = reach_element(b, at, i, false);
            uint64_t value = from ? loaded(&b->map, oracle_load(from, b->bytes)) : b->map.fills_nan ? nan : 0;
            uint64_t place = place_of(b, to, i, first + n);
            uint8_t *host = oracle_reach_aligned(b->t, b->x, SPACE_SHARED, place, b->bytes, 1, true);
            if (host)
                oracle_store(host, value, b->bytes);
        }
}

static void store_box(const struct oracle_box *b, uint64_t from, uint64_t first)
{
    for (uint64_t n = 0; n < b->outer; n++)
        for (uint64_t i = 0; i < b->inner && !b->t->oracle->fault->kind; i++) {
            int64_t at[5];
            locate(b, i, n, at);
            uint8_t *to = reach_element(b, at, i, true);
            uint64_t place = place_of(b, from, i, first + n);
            const uint8_t *host = oracle_reach_aligned(b->t, b->x, SPACE_SHARED, place, b->bytes, 1, false);
            if (!to || !host)
                continue;
            if (oracle_mod(b->x, GROUP_ATOM))
                oracle_combine_elements(b->x, tensor_element_type(b->map.type), to, host, b->bytes, true);
            else
                memcpy(to, host, b->bytes);
        }
}

/* Copies the whole box, or four rows of it, one after the other. */
static void copy_rows(struct oracle_box *b, const struct oracle_operand *z, uint64_t shared,
                      void (*copy)(const struct oracle_box *b, uint64_t shared, uint64_t first))
{
    if (!is_rows(b->x)) {
        copy(b, shared, 0);
        return;
    }
    b->map.box[1] = 1;
    for (int r = 0; r < 4; r++) {
        b->start[1] = (int32_t)oracle_read(b->t, &z->element[2 + r]);
        copy(b, shared, (uint64_t)r);
    }
}

static void load(struct oracle_thread *t, const struct oracle_insn *x)
{
    struct oracle_box b = {.t = t, .x = x};
    uint64_t to = oracle_address(t, &x->operand[0]) - (x->space == MOD_NONE ? MEMORY_SHARED_BASE : 0);
    uint64_t barrier = oracle_address(t, &x->operand[2]), inside = oracle_mask(MEMORY_SHARED_SHIFT);
    if (!open_box(&b, &x->operand[1]))
        return;
    for (int k = 0; b.map.is_im2col && k < b.map.rank - 2; k++)
        b.offset[b.pixels + k] = (int64_t)oracle_read(t, &x->operand[3].element[k]);
    uint32_t bytes = (uint32_t)(b.inner * b.outer * b.bytes * (is_rows(x) ? 4 : 1));
    if (!oracle_reach_aligned(t, x, SPACE_SHARED, to, bytes, 128, true))
        return;
    uint64_t ranks = x->op == OP_TENSOR_MULTICAST ? oracle_read(t, &x->operand[4]) : 1;
    for (uint64_t rank = 0; rank < 16 && !t->oracle->fault->kind; rank++) {
        bool is_multicast = x->op == OP_TENSOR_MULTICAST;
        if (!(ranks >> rank & 1))
            continue;
        uint64_t told = rank;
        if (oracle_mod(x, GROUP_PAIR) ==
            PAIR_BOTH) /* the even or the odd block of the pair, as the mbarrier is in one */
            told = rank / 2 * 2 + (barrier >> MEMORY_SHARED_SHIFT) % 2;
        copy_rows(&b, &x->operand[1], is_multicast ? (to & inside) | rank << MEMORY_SHARED_SHIFT : to, load_box);
        oracle_mbarrier_complete(t, x, is_multicast ? (barrier & inside) | told << MEMORY_SHARED_SHIFT : barrier,
                                 bytes);
    }
}

static void store(struct oracle_thread *t, const struct oracle_insn *x)
{
    struct oracle_box b = {.t = t, .x = x};
    if (!open_box(&b, &x->operand[0]))
        return;
    enum mod operation = oracle_mod(x, GROUP_ATOM);
    bool is_refused = b.map.type == TENSOR_S64 && operation && operation != ATOM_MIN && operation != ATOM_MAX;
    for (int d = 0; d < b.map.rank; d++)
        is_refused |= b.start[d] < 0 || (b.map.is_im2col && d + 2 < b.map.rank && b.map.lower[d] < 0);
    if (is_refused) {
        oracle_fault(t, x, FAULT_BAD_COPY,
                     "a store to a tensor with a negative coordinate, or a reduction that its "
                     "elements do not have");
        return;
    }
    uint64_t from = oracle_address(t, &x->operand[1]);
    uint32_t bytes = (uint32_t)(b.inner * b.outer * b.bytes * (is_rows(x) ? 4 : 1));
    if (oracle_reach_aligned(t, x, SPACE_SHARED, from, bytes, 128, false))
        copy_rows(&b, &x->operand[0], from, store_box);
}

static void set_field(struct tensor_map *m, enum mod field, uint64_t i, uint64_t v)
{
    i = i < 5 ? i : 0;
    if (field == FIELD_ADDRESS)
        m->address = v;
    else if (field == FIELD_RANK)
        m->rank = (uint8_t)(v % 5 + 1); /* the field holds one less than the rank */
    else if (field == FIELD_BOX)
        m->box[i] = (uint16_t)v;
    else if (field == FIELD_SIZE)
        m->size[i] = (uint32_t)v;
    else if (field == FIELD_STRIDE)
        m->stride[i % 4] = v;
    else if (field == FIELD_STEP)
        m->step[i] = (uint8_t)v;
    else if (field == FIELD_TYPE)
        m->type = tensor_type_of_code((unsigned)v);
    else if (field == FIELD_INTERLEAVE)
        m->interleave = (uint8_t)(v % 3);
    else if (field == FIELD_SWIZZLE)
        m->swizzle = (uint8_t)(v % TENSOR_SWIZZLE_COUNT);
    else if (field == FIELD_FILL)
        m->fills_nan = (uint8_t)v;
}

static void replace(struct oracle_thread *t, const struct oracle_insn *x)
{
    bool has_index = x->op == OP_TENSORMAP_REPLACE_AT;
    struct tensor_map m;
    void *host =
        oracle_reach_aligned(t, x, (enum mod)x->space, oracle_address(t, &x->operand[0]), TENSOR_MAP_BYTES, 128, true);
    if (!host)
        return;
    memcpy(&m, host, sizeof m);
    set_field(&m, oracle_mod(x, GROUP_FIELD), has_index ? oracle_read(t, &x->operand[1]) : 0,
              oracle_read(t, &x->operand[has_index ? 2 : 1]));
    memcpy(host, &m, sizeof m);
}

static void copy_map(struct oracle_thread *t, const struct oracle_insn *x)
{
    void *to = oracle_reach_aligned(t, x, SPACE_GLOBAL, oracle_address(t, &x->operand[0]), TENSOR_MAP_BYTES, 128, true);
    const void *from =
        oracle_reach_aligned(t, x, SPACE_SHARED, oracle_address(t, &x->operand[1]), TENSOR_MAP_BYTES, 128, false);
    if (to && from)
        memcpy(to, from, TENSOR_MAP_BYTES);
}

void oracle_tensor(struct oracle_thread *t, const struct oracle_insn *x)
{
    switch (x->op) {
    case OP_TENSOR_LOAD:
    case OP_TENSOR_MULTICAST:
        load(t, x);
        break;
    case OP_TENSOR_STORE:
    case OP_TENSOR_REDUCE:
        store(t, x);
        break;
    case OP_TENSORMAP_COPY:
        copy_map(t, x);
        break;
    case OP_TENSORMAP_REPLACE:
    case OP_TENSORMAP_REPLACE_AT:
        replace(t, x);
        break;
    default: /* a prefetch */
        break;
    }
}
