/*
 * Copies of boxes of tensors: see tensor.h.
 *
 * A box is copied row by row, a row being the columns along the first dimension. A column is an element or, of an
 * interleaved tensor, a slice of channels of 16 or 32 bytes, of which a copy takes one: the dimension before the last
 * counts slices. In shared memory rows follow each other without gaps; with a swizzle they are as far apart as the
 * swizzle is wide, unless the tensor is interleaved, and units of 16 bytes change places. With im2col, a row is one
 * pixel's channels, and pixels are counted through a box of pixels, its first dimension fastest. As on an NVIDIA H200,
 * the first coordinate is a multiple of 16 bytes, coordinates of stores are not negative, and stores and reductions
 * write whole units of 16 bytes, even where a unit is partly behind the end of the first dimension.
 */
#include "exec/async/tensor.h"

#include "base/bits.h"
#include "device/tensor_map.h"
#include "exec/access.h"
#include "exec/async/async.h"
#include "exec/async/async_reduce.h"
#include "exec/async/copies.h"
#include "exec/async/mbarrier.h"
#include "exec/cluster.h"
#include "exec/engine_fault.h"

#include <string.h>

enum { SHARED_ALIGN = 128, MOST_ROWS = 1 << 20, UNIT = 16 }; /* a unit's bytes */

/* A copy while it is carried out. */
struct box {
    struct engine *e;
    const struct bound *in;
    int lane;
    struct tensor_map map;
    unsigned element;                     /* bytes of an element */
    unsigned width;                       /* bytes of a column */
    int32_t at[TENSOR_MAP_MAX_RANK];      /* coordinates of the first element */
    uint16_t offset[TENSOR_MAP_MAX_RANK]; /* im2col: by dimension */
    int first_pixel;                      /* im2col: first dimension of the box of pixels */
    uint32_t columns;                     /* per row */
    uint32_t rows;
    uint32_t pitch;     /* bytes from row to row in shared memory */
    int32_t rows_at[4]; /* gather and scatter: the four rows */
    bool is_four_rows;
    bool is_heard;       /* the machine has heard of the rows: a multicast reads them once */
    enum copy_kind kind; /* what the copy does to global memory */
};

/* ---- which elements ---- */

/* From column to column, or from row to row, in a dimension. */
static uint32_t step_of(const struct tensor_map *m, int d)
{
    return (d || m->interleave) && m->step[d] ? m->step[d] : 1;
}

/* Columns or rows of the box in a dimension. */
static uint32_t count_of(const struct tensor_map *m, int d)
{
    bool is_slices = m->interleave && d == m->rank - 2;
    return is_slices ? 1 : (m->box[d] + step_of(m, d) - 1) / step_of(m, d);
}

/* The coordinates of a row's first element. */
static void row_of_tile(const struct box *b, uint32_t row, int32_t at[TENSOR_MAP_MAX_RANK])
{
    memcpy(at, b->at, sizeof b->at);
    if (b->is_four_rows) {
        at[1] = b->rows_at[row];
        return;
    }
    for (int d = 1; d < b->map.rank; d++) {
        uint32_t n = count_of(&b->map, d);
        at[d] += (int32_t)(row % n * step_of(&b->map, d));
        row /= n;
    }
}

/* From a pixel of im2col to the next: in each dimension of the box of pixels, pixels are a step apart until its end;
 * then they start at its beginning, in the next line or image. */
static void next_pixel(const struct box *b, int32_t pixel[TENSOR_MAP_MAX_RANK])
{
    const struct tensor_map *m = &b->map;
    for (int k = 0; k < m->rank - 2; k++) {
        int d = b->first_pixel + k;
        int32_t last = (int32_t)m->size[d] - 1 + m->upper[k];
        pixel[d] += (int32_t)step_of(m, d);
        if (pixel[d] <= last)
            return;
        pixel[d] = m->lower[k];
    }
    pixel[m->rank - 1]++;
}

static bool is_inside(const struct tensor_map *m, const int32_t *at, int from)
{
    for (int d = from; d < m->rank; d++)
        if (at[d] < 0 || (uint32_t)at[d] >= m->size[d])
            return false;
    return true;
}

static uint64_t row_address(const struct tensor_map *m, const int32_t *at)
{
    uint64_t address = m->address;
    for (int d = 1; d < m->rank; d++)
        address += (uint64_t)at[d] * m->stride[d - 1];
    return address;
}

/* ---- where in shared memory ---- */

static uint64_t swizzled(const struct tensor_map *m, uint64_t address)
{
    unsigned bits = m->swizzle; /* 32, 64 and 128 bytes: one, two and three bits */
    return address ^ (address >> 7 & bits_below(bits)) << 4;
}

/* ---- values ---- */

/* Rounds to the precision of tf32, to nearest even. */
static uint32_t round_tf32(uint32_t bits)
{
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fffe000;
    return (bits + 0xfff + (bits >> 13 & 1)) & ~UINT32_C(0x1fff);
}

/* What a load makes of a column. Hardware flushes no subnormals, whatever the type's name says. */
static void convert(const struct box *b, uint8_t *column)
{
    uint32_t bits;
    if (b->map.type != TENSOR_TF32 && b->map.type != TENSOR_TF32_FTZ)
        return;
    for (unsigned at = 0; at < b->width; at += sizeof bits) {
        memcpy(&bits, column + at, sizeof bits);
        bits = round_tf32(bits);
        memcpy(column + at, &bits, sizeof bits);
    }
}

/* What stands for a column outside the tensor: zeros, or NaNs of any type. */
static void fill(const struct box *b, uint8_t *column)
{
    static const uint8_t nan[2] = {0xf7, 0x7f};
    memset(column, 0, b->width);
    for (unsigned at = 0; b->map.fills_nan && at < b->width; at++)
        column[at] = nan[at % 2];
}

/* ---- copies ---- */

/* The coordinates of the rows, one after the other; `pixel` keeps the last one of im2col. */
static void find_row(const struct box *b, uint32_t row, int32_t pixel[TENSOR_MAP_MAX_RANK],
                     int32_t at[TENSOR_MAP_MAX_RANK])
{
    if (!b->map.is_im2col) {
        row_of_tile(b, row, at);
        return;
    }
    if (row)
        next_pixel(b, pixel);
    else
        memcpy(pixel, b->at, sizeof b->at);
    for (int d = 0; d < b->map.rank; d++)
        at[d] = pixel[d] + b->offset[d];
}

/* Columns that a store writes: whole units, as far as there is memory. */
static uint32_t whole_units(const struct box *b, uint64_t address, uint32_t count, uint32_t most)
{
    uint32_t per_unit = b->width < UNIT ? UNIT / b->width : 1, whole = (count + per_unit - 1) / per_unit * per_unit;
    const struct allocation *a = memory_find(b->e->memory, address);
    bool is_there = a && address - a->address + (uint64_t)whole * b->width <= a->bytes;
    return is_there && whole <= most ? whole : count;
}

/* Host address of the row's columns that lie in the tensor, the first of which is `from` columns from its beginning.
 * NULL: none lie there, or after a fault. */
static uint8_t *reach_row(struct box *b, const int32_t *at, uint32_t *from, uint32_t *count, bool is_write)
{
    int64_t step = b->map.is_im2col ? 1 : step_of(&b->map, 0);
    int64_t first = at[0] < 0 ? (-(int64_t)at[0] + step - 1) / step : 0;
    int64_t left = (int64_t)b->map.size[0] - at[0], end = left > 0 ? (left + step - 1) / step : 0;
    end = end < b->columns ? end : b->columns;
    *from = (uint32_t)first;
    *count = end > first ? (uint32_t)(end - first) : 0;
    if (!*count || !is_inside(&b->map, at, 1))
        return NULL;
    uint64_t address = row_address(&b->map, at) + (uint64_t)(at[0] + first * step) * b->width;
    if (is_write)
        *count = whole_units(b, address, *count, b->columns - *from);
    const uint64_t bytes = ((uint64_t)(*count - 1) * (uint64_t)step + 1) * b->width;
    if (!b->is_heard)
        copies_move(b->e, b->kind, address, bytes);
    return async_global(b->e, b->in, b->lane, address, bytes, 1, is_write);
}

/* Bytes in global memory from column to column. */
static size_t column_pitch(const struct box *b)
{
    return (size_t)b->width * (b->map.is_im2col ? 1 : step_of(&b->map, 0));
}

static bool load_box(struct box *b, uint64_t to)
{
    int32_t pixel[TENSOR_MAP_MAX_RANK];
    uint8_t *base = async_shared(b->e, b->in, b->lane, to, (uint64_t)b->rows * b->pitch, SHARED_ALIGN, true);
    for (uint32_t row = 0; base && row < b->rows; row++) {
        int32_t at[TENSOR_MAP_MAX_RANK];
        uint32_t from = 0, count = 0;
        find_row(b, row, pixel, at);
        const uint8_t *source = reach_row(b, at, &from, &count, false);
        if (b->e->result->fault.kind)
            return false;
        for (uint32_t i = 0; i < b->columns; i++) {
            uint8_t column[TENSOR_MAP_MAX_SLICE];
            if (source && i - from < count) {
                memcpy(column, source + (i - from) * column_pitch(b), b->width);
                convert(b, column);
            } else {
                fill(b, column);
            }
            uint64_t place = to + (uint64_t)row * b->pitch + (uint64_t)i * b->width;
            for (unsigned part = 0; part < b->width; part += UNIT) {
                unsigned bytes = b->width < UNIT ? b->width : UNIT;
                memcpy(base + (int64_t)(swizzled(&b->map, place + part) - to), column + part, bytes);
            }
        }
    }
    return base;
}

/* `operation`: MOD_NONE for a store, else how elements are combined. */
static bool store_box(struct box *b, uint64_t from_shared, enum mod operation)
{
    int32_t pixel[TENSOR_MAP_MAX_RANK];
    uint64_t bytes = (uint64_t)b->rows * b->pitch;
    const uint8_t *base = async_shared(b->e, b->in, b->lane, from_shared, bytes, SHARED_ALIGN, false);
    enum type type = tensor_element_type(b->map.type);
    for (uint32_t row = 0; base && row < b->rows; row++) {
        int32_t at[TENSOR_MAP_MAX_RANK];
        uint32_t from = 0, count = 0;
        find_row(b, row, pixel, at);
        uint8_t *target = reach_row(b, at, &from, &count, true);
        if (b->e->result->fault.kind)
            return false;
        uint64_t line = from_shared + (uint64_t)row * b->pitch;
        for (uint64_t i = 0; target && i < (uint64_t)count * b->width; i += b->element) {
            uint64_t place = line + (uint64_t)from * b->width + i, old = 0, value = 0;
            uint8_t *to = target + i / b->width * column_pitch(b) + i % b->width;
            memcpy(&value, base + (int64_t)(swizzled(&b->map, place) - from_shared), b->element);
            memcpy(&old, to, b->element);
            if (operation)
                value = async_combine(operation, type, old, value, true);
            memcpy(to, &value, b->element);
        }
    }
    return base;
}

/* ---- instructions ---- */

/* How many columns and rows the box has, and how far apart they are in shared memory. */
static void measure(struct box *b)
{
    const struct tensor_map *m = &b->map;
    b->element = tensor_type_bytes(m->type);
    b->width = m->interleave ? tensor_slice_bytes(m->interleave) : b->element;
    b->first_pixel = m->interleave ? 0 : 1;
    b->columns = !m->is_im2col ? count_of(m, 0) : m->interleave ? 1 : m->channels;
    b->rows = m->is_im2col ? m->pixels : b->is_four_rows ? 4 : 1;
    for (int d = 1; !m->is_im2col && !b->is_four_rows && d < m->rank; d++)
        b->rows *= count_of(m, d);
    b->pitch = m->swizzle && !m->interleave ? 16u << m->swizzle : b->columns * b->width;
}

/* Reads the map and the coordinates. False after a fault. */
static bool open_box(struct box *b, struct async_operands *o)
{
    uint64_t address = async_address(o);
    const uint8_t *mods = b->in->insn->suffixes.mod;
    unsigned kind = mods[GROUP_BOX];
    const uint8_t *bytes = async_global(b->e, b->in, b->lane, address, TENSOR_MAP_BYTES, 64, false);
    if (!bytes)
        return false;
    memcpy(&b->map, bytes, sizeof b->map);
    b->is_four_rows = kind == BOX_GATHER || kind == BOX_SCATTER;
    bool is_im2col = kind == BOX_IM2COL || kind == BOX_IM2COL_STORE;
    if (b->map.magic != TENSOR_MAP_MAGIC || b->map.rank != mods[GROUP_DIM] - DIM_D1 + 1 ||
        b->map.is_im2col != is_im2col || kind == BOX_IM2COL_W || kind == BOX_IM2COL_W128 ||
        (b->map.interleave && (b->is_four_rows || b->map.rank < 3)))
        return engine_fault(b->e, b->in, 1u << b->lane, FAULT_BAD_COPY,
                            "there is no tensor map for this instruction at 0x%llx", (unsigned long long)address);
    measure(b);
    for (int d = 0; d < (b->is_four_rows ? 1 : b->map.rank); d++)
        b->at[d] = (int32_t)async_value(o);
    for (int i = 0; b->is_four_rows && i < 4; i++)
        b->rows_at[i] = (int32_t)async_value(o);
    if ((int64_t)b->at[0] * (int64_t)b->width % UNIT)
        return engine_fault(b->e, b->in, 1u << b->lane, FAULT_BAD_COPY,
                            "the first coordinate is %d, which is no multiple of %d bytes", b->at[0], UNIT);
    return b->rows <= MOST_ROWS;
}

static bool load_tensor(struct box *b, struct async_operands *o, uint64_t to)
{
    bool is_multicast = b->in->insn->op == OP_TENSOR_MULTICAST;
    if (!open_box(b, o))
        return false;
    uint64_t barrier = async_address(o), inside = (1u << MEMORY_SHARED_SHIFT) - 1;
    if (b->map.is_im2col)
        for (int k = 0; k < b->map.rank - 2; k++)
            b->offset[b->first_pixel + k] = (uint16_t)async_value(o);
    else
        async_is_given(o); /* the list of offsets is absent */
    uint32_t ranks = is_multicast ? (uint32_t)async_value(o) : 1, bytes = b->rows * b->columns * b->width;
    /* Of each pair of blocks, the even or the odd one is told: that which has the mbarrier named here, in its pair. */
    bool tells_pair = b->in->insn->suffixes.mod[GROUP_PAIR] == PAIR_BOTH;
    const uint64_t one = UINT64_C(1) << MEMORY_SHARED_SHIFT;
    for (; ranks; ranks &= ranks - 1) {
        uint64_t rank = (uint64_t)bits_lowest(ranks) << MEMORY_SHARED_SHIFT;
        uint64_t told = tells_pair ? (rank & ~one) + (barrier & one) : rank;
        if (!load_box(b, is_multicast ? rank + (to & inside) : to) ||
            !mbarrier_complete(b->e, b->in, b->lane, is_multicast ? told + (barrier & inside) : barrier, bytes))
            return false;
        b->is_heard = true;
    }
    return true;
}

/* Whether the tensor's elements can be combined by the operation. */
static bool can_combine(const struct tensor_map *m, enum mod operation)
{
    return m->type != TENSOR_S64 || operation == MOD_NONE || operation == ATOM_MIN || operation == ATOM_MAX;
}

static bool store_tensor(struct box *b, struct async_operands *o)
{
    enum mod operation = (enum mod)b->in->insn->suffixes.mod[GROUP_ATOM];
    if (!open_box(b, o))
        return false;
    for (int d = 0; d < b->map.rank; d++) {
        bool is_below = b->at[d] < 0 || (b->map.is_im2col && d < b->map.rank - 2 && b->map.lower[d] < 0);
        if (is_below || !can_combine(&b->map, operation))
            return engine_fault(b->e, b->in, 1u << b->lane, FAULT_BAD_COPY,
                                is_below ? "a coordinate of a store to a tensor is negative"
                                         : "64-bit signed elements of a tensor have no such reduction");
    }
    b->kind = operation ? COPY_REDUCES : COPY_WRITES;
    return store_box(b, async_address(o), operation);
}

/* Host address of a tensor map that the instruction changes; NULL after a fault. */
static uint8_t *reach_map(struct engine *e, const struct bound *in, int lane, uint64_t address)
{
    bool is_generic = in->space == IN_GENERIC && address - MEMORY_SHARED_BASE < MEMORY_SHARED_SIZE;
    if (in->space == IN_SHARED || is_generic)
        return async_shared(e, in, lane, address - (is_generic ? MEMORY_SHARED_BASE : 0), TENSOR_MAP_BYTES, 128, true);
    return async_global(e, in, lane, address, TENSOR_MAP_BYTES, 128, true);
}

static void replace_field(struct tensor_map *m, unsigned field, unsigned index, uint64_t value)
{
    index = index < TENSOR_MAP_MAX_RANK ? index : 0;
    switch (field) {
    case FIELD_ADDRESS:
        m->address = value;
        break;
    case FIELD_RANK: /* counted from 0 */
        m->rank = (uint8_t)(value % TENSOR_MAP_MAX_RANK + 1);
        break;
    case FIELD_BOX:
        m->box[index] = (uint16_t)value;
        break;
    case FIELD_SIZE:
        m->size[index] = (uint32_t)value;
        break;
    case FIELD_STRIDE:
        m->stride[index % (TENSOR_MAP_MAX_RANK - 1)] = value;
        break;
    case FIELD_STEP:
        m->step[index] = (uint8_t)value;
        break;
    case FIELD_TYPE:
        m->type = tensor_type_of_code((unsigned)value);
        break;
    case FIELD_INTERLEAVE:
        m->interleave = (uint8_t)(value % TENSOR_INTERLEAVE_COUNT);
        break;
    case FIELD_SWIZZLE:
        m->swizzle = (uint8_t)(value % TENSOR_SWIZZLE_COUNT);
        break;
    case FIELD_FILL:
        m->fills_nan = (uint8_t)value;
        break;
    default: /* swizzle_atomicity: 16 bytes, the only one here */
        break;
    }
}

static bool replace(struct engine *e, const struct bound *in, int lane, uint64_t address)
{
    struct async_operands o = async_operands_of(e, in, lane);
    uint8_t *at = reach_map(e, in, lane, address);
    struct tensor_map m;
    if (!at)
        return false;
    memcpy(&m, at, sizeof m);
    unsigned index = in->insn->op == OP_TENSORMAP_REPLACE_AT ? (unsigned)async_value(&o) : 0;
    replace_field(&m, in->insn->suffixes.mod[GROUP_FIELD], index, async_value(&o));
    memcpy(at, &m, sizeof m);
    return true;
}

static bool copy_map(struct engine *e, const struct bound *in, int lane, uint64_t to)
{
    struct async_operands o = async_operands_of(e, in, lane);
    uint8_t *target = async_global(e, in, lane, to, TENSOR_MAP_BYTES, 128, true);
    const uint8_t *source = target ? async_shared(e, in, lane, async_address(&o), TENSOR_MAP_BYTES, 128, false) : NULL;
    if (source)
        memcpy(target, source, TENSOR_MAP_BYTES);
    return source;
}

bool tensor_execute(struct engine *e, const struct bound *in, int lane, uint64_t address)
{
    struct async_operands o = async_operands_of(e, in, lane);
    struct box b = {.e = e, .in = in, .lane = lane, .kind = COPY_READS};
    switch (in->insn->op) {
    case OP_TENSOR_LOAD:
    case OP_TENSOR_MULTICAST:
        return load_tensor(&b, &o, in->space == IN_GENERIC ? address - MEMORY_SHARED_BASE : address);
    case OP_TENSOR_STORE:
    case OP_TENSOR_REDUCE:
        return store_tensor(&b, &o);
    case OP_TENSORMAP_COPY:
        return copy_map(e, in, lane, address);
    default:
        return replace(e, in, lane, address);
    }
}
