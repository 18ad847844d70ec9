/*
 * The oracle's products of matrices, one element of the result at a time, with exact integers.
 *
 * What a tensor core keeps of a sum: all products are exact; of every term only the part is kept that is a multiple of
 * the quantum, a power of two that lies a fixed number of bits below the largest term's exponent. A product's exponent
 * is the sum of the exponents of its factors. The sum of what is kept is rounded once.
 */
#include "oracle/internal.h"

#include <math.h>
#include <string.h>

/* A number of a term or factor. */
struct oracle_term {
    struct oracle_number number;
    int weight; /* exponent: that of the leading bit of a normal number's format */
};

static int fraction_bits(enum type type)
{
    switch (type) {
    case TYPE_F32:
        return 23;
    case TYPE_BF16:
        return 7;
    default:
        return 10;
    }
}

/* e5m2 is the upper byte of an f16. An e4m3 is put together by hand; it has no infinity, and one NaN of each sign. */
static struct oracle_term term_of(enum type type, uint64_t bits)
{
    struct oracle_term t;
    if (type == TYPE_E4M3) {
        int field = (int)(bits >> 3 & 15);
        t.number = (struct oracle_number){.kind = NUMBER_FINITE,
                                          .negative = bits >> 7 & 1,
                                          .mantissa = (bits & 7) + (field ? 8 : 0),
                                          .exponent = (field ? field : 1) - 10};
        t.weight = t.number.exponent + 3;
        if ((bits & 0x7f) == 0x7f)
            t.number.kind = NUMBER_NAN;
        else if (!t.number.mantissa)
            t.number.kind = NUMBER_ZERO;
        return t;
    }
    if (type == TYPE_E5M2) {
        bits <<= 8;
        type = TYPE_F16;
    }
    t.number = oracle_number_decode(type, bits);
    t.weight = t.number.exponent + fraction_bits(type);
    return t;
}

static struct oracle_term product_of(struct oracle_term a, struct oracle_term b)
{
    struct oracle_term p = {.number = {.kind = NUMBER_FINITE, .negative = a.number.negative != b.number.negative}};
    if (a.number.kind == NUMBER_NAN || b.number.kind == NUMBER_NAN)
        p.number.kind = NUMBER_NAN;
    else if (a.number.kind == NUMBER_INFINITE || b.number.kind == NUMBER_INFINITE)
        p.number.kind = a.number.kind == NUMBER_ZERO || b.number.kind == NUMBER_ZERO ? NUMBER_NAN : NUMBER_INFINITE;
    else if (a.number.kind == NUMBER_ZERO || b.number.kind == NUMBER_ZERO)
        p.number.kind = NUMBER_ZERO;
    p.number.mantissa = a.number.mantissa * b.number.mantissa;
    p.number.exponent = a.number.exponent + b.number.exponent;
    p.weight = a.weight + b.weight;
    return p;
}

/* The multiple of 2^quantum next to the number toward zero, in units of 2^quantum. */
static int64_t kept_part(struct oracle_number n, int quantum)
{
    if (n.kind == NUMBER_ZERO || n.exponent - quantum <= -64)
        return 0;
    int64_t units =
        (int64_t)(n.exponent >= quantum ? n.mantissa << (n.exponent - quantum) : n.mantissa >> (quantum - n.exponent));
    return n.negative ? -units : units;
}

/* Adds the terms. */
static struct oracle_number add_terms(const struct oracle_term *term, int count, int kept_bits)
{
    struct oracle_number sum = {.kind = NUMBER_ZERO};
    int largest = INT32_MIN;
    for (int i = 0; i < count; i++) {
        struct oracle_number n = term[i].number;
        if (n.kind == NUMBER_NAN ||
            (n.kind == NUMBER_INFINITE && sum.kind == NUMBER_INFINITE && n.negative != sum.negative)) {
            sum.kind = NUMBER_NAN;
            return sum;
        }
        if (n.kind == NUMBER_INFINITE)
            sum = n;
        if (n.kind == NUMBER_FINITE && term[i].weight > largest)
            largest = term[i].weight;
    }
    /* A NaN behind the infinity is found above; infinities need no sum. */
    if (sum.kind == NUMBER_INFINITE || largest == INT32_MIN)
        return sum;
    int64_t total = 0;
    for (int i = 0; i < count; i++)
        total += kept_part(term[i].number, largest - kept_bits);
    sum.kind = total ? NUMBER_FINITE : NUMBER_ZERO;
    sum.negative = total < 0;
    sum.mantissa = (uint64_t)(total < 0 ? -total : total);
    sum.exponent = largest - kept_bits;
    return sum;
}

/* Results in f32 are truncated, but a sum that is too large is infinite. A result is never -0. */
static uint64_t finish(struct oracle_number sum, enum type type)
{
    if (type == TYPE_F16) {
        uint64_t half = oracle_number_encode(TYPE_F16, sum, RND_RN);
        return half == 0x8000 ? 0 : half;
    }
    if (sum.kind == NUMBER_FINITE && 63 - __builtin_clzll(sum.mantissa) + sum.exponent > 127)
        sum.kind = NUMBER_INFINITE;
    uint64_t word = oracle_number_encode(TYPE_F32, sum, RND_RZ);
    return word == 0x80000000 ? 0 : word;
}

uint64_t oracle_tensor_dot(enum type a_type, const uint64_t *a, enum type b_type, const uint64_t *b, int count,
                           enum type c_type, uint64_t c, int kept_bits, enum type d_type)
{
    struct oracle_term term[ORACLE_MAX_DEPTH + 1];
    for (int i = 0; i < count; i++)
        term[i] = product_of(term_of(a_type, a[i]), term_of(b_type, b[i]));
    term[count] = term_of(c_type, c);
    return finish(add_terms(term, count + 1, kept_bits), d_type);
}

static float float_of_bits(enum type type, uint64_t bits)
{
    uint32_t single =
        (uint32_t)(type == TYPE_F32 ? bits : oracle_number_encode(TYPE_F32, oracle_number_decode(type, bits), RND_RN));
    float f;
    memcpy(&f, &single, sizeof f);
    return f;
}

static uint64_t bits_of_sum(enum type type, float sum)
{
    uint32_t single;
    memcpy(&single, &sum, sizeof single);
    if (isnan(sum))
        return oracle_nan(type);
    return type == TYPE_F32 ? single : oracle_number_encode(type, oracle_number_decode(TYPE_F32, single), RND_RN);
}

static uint64_t half_of(enum type type, uint64_t bits)
{
    return oracle_number_encode(TYPE_F16, term_of(type, bits).number, RND_RN);
}

/* f8 elements on mma become f16; sums over elements 0 and 1, then 2 and 3, of each four; c comes last, by itself. */
uint64_t oracle_tensor_narrow(enum type a_type, const uint64_t *a, enum type b_type, const uint64_t *b, int count,
                              uint64_t c, enum type type)
{
    uint64_t sum = 0;
    for (int pair = 0; pair < 4; pair += 2) {
        uint64_t some_a[ORACLE_MAX_DEPTH], some_b[ORACLE_MAX_DEPTH];
        int n = 0;
        for (int i = 0; i < count; i++)
            if (i % 4 == pair || i % 4 == pair + 1) {
                some_a[n] = half_of(a_type, a[i]);
                some_b[n++] = half_of(b_type, b[i]);
            }
        sum = oracle_tensor_dot(TYPE_F16, some_a, TYPE_F16, some_b, n, type, sum, ORACLE_KEPT_BITS, type);
    }
    volatile float x = float_of_bits(type, sum), y = float_of_bits(type, c), z = x + y;
    return bits_of_sum(type, z);
}

/* mma.m8n8k4 of f16: fused multiply-adds, then c. A sum of negative zeros stays negative in f16 only. */
uint64_t oracle_tensor_quad(const uint64_t *a, const uint64_t *b, enum type c_type, uint64_t c, enum type d_type)
{
    volatile float sum = float_of_bits(TYPE_F16, a[0]) * float_of_bits(TYPE_F16, b[0]);
    if (d_type == TYPE_F32)
        sum = sum + 0.0f;
    for (int k = 1; k < 4; k++)
        sum = fmaf(float_of_bits(TYPE_F16, a[k]), float_of_bits(TYPE_F16, b[k]), sum);
    sum = sum + float_of_bits(c_type, c);
    return bits_of_sum(d_type, sum);
}

uint64_t oracle_tensor_to_half(uint64_t single)
{
    return bits_of_sum(TYPE_F16, float_of_bits(TYPE_F32, single));
}
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
};

static uint64_t step_of(const struct tensor_map *m, int d)
{
    return d == 0 || m->step[d] == 0 ? 1 : m->step[d];
}

static uint64_t count_of(const struct tensor_map *m, int d)
{
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
    for (int d = 1; d < m->rank - 1; d++) {
        int64_t first = m->lower[d - 1], last = (int64_t)m->size[d] - 1 + m->upper[d - 1];
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
    at[0] = b->start[0] + (int64_t)i;
    if (b->map.is_im2col) {
        locate_pixel(b, n, at);
        return;
    }
    for (int d = 1; d < b->map.rank; d++) {
        at[d] = b->start[d] + (int64_t)(n % count_of(&b->map, d) * step_of(&b->map, d));
        n /= count_of(&b->map, d);
    }
}

/* Host address of the element; NULL: it is outside the tensor, or after a fault. */
static uint8_t *reach_element(const struct oracle_box *b, const int64_t at[5], bool is_write)
{
    uint64_t address = b->map.address;
    for (int d = 0; d < b->map.rank; d++) {
        if (at[d] < 0 || at[d] >= (int64_t)b->map.size[d])
            return NULL;
        address += (uint64_t)at[d] * (d ? b->map.stride[d - 1] : b->bytes);
    }
    return oracle_reach_aligned(b->t, b->x, SPACE_GLOBAL, address, b->bytes, 1, is_write);
}

/* In shared memory, the 16-byte unit's number within its line is combined with the line's number. A row takes as many
 * bytes as the swizzle has. */
static uint64_t place_of(const struct oracle_box *b, uint64_t base, uint64_t i, uint64_t row)
{
    uint64_t widths[] = {b->inner * b->bytes, 32, 64, 128};
    uint64_t linear = base + row * widths[b->map.swizzle & 3] + i * b->bytes, line = linear / 128,
             unit = linear / 16 % 8, byte = linear % 16;
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
        b->map.rank != oracle_mod(b->x, GROUP_DIM) - DIM_D1 + 1 || kind == BOX_IM2COL_W || kind == BOX_IM2COL_W128) {
        oracle_fault(b->t, b->x, FAULT_BAD_COPY, "there is no tensor map for this instruction at 0x%llx",
                     (unsigned long long)address);
        return false;
    }
    b->bytes = tensor_type_bytes(b->map.type);
    for (int d = 0; d < b->map.rank; d++)
        b->start[d] = (int32_t)oracle_read(b->t, &z->element[1 + d]);
    if (b->start[0] * (int64_t)b->bytes % 16) {
        oracle_fault(b->t, b->x, FAULT_BAD_COPY, "the first coordinate is %lld, which is no multiple of 16 bytes",
                     (long long)b->start[0]);
        return false;
    }
    b->inner = wants_pixels ? b->map.channels : b->map.box[0];
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
            const uint8_t *from = reach_element(b, at, false);
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
            uint8_t *to = reach_element(b, at, true);
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
    for (int d = 1; b.map.is_im2col && d < b.map.rank - 1; d++)
        b.offset[d] = (int64_t)oracle_read(t, &x->operand[3].element[d - 1]);
    uint32_t bytes = (uint32_t)(b.inner * b.outer * b.bytes * (is_rows(x) ? 4 : 1));
    if (!oracle_reach_aligned(t, x, SPACE_SHARED, to, bytes, 128, true))
        return;
    uint64_t ranks = x->op == OP_TENSOR_MULTICAST ? oracle_read(t, &x->operand[4]) : 1;
    for (uint64_t rank = 0; rank < 16 && !t->oracle->fault->kind; rank++) {
        bool is_multicast = x->op == OP_TENSOR_MULTICAST;
        if (!(ranks >> rank & 1))
            continue;
        copy_rows(&b, &x->operand[1], is_multicast ? (to & inside) | rank << MEMORY_SHARED_SHIFT : to, load_box);
        oracle_mbarrier_complete(t, x, is_multicast ? (barrier & inside) | rank << MEMORY_SHARED_SHIFT : barrier,
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
        is_refused |= b.start[d] < 0 || (b.map.is_im2col && d > 0 && d + 1 < b.map.rank && b.map.lower[d - 1] < 0);
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
        m->type = (uint8_t)(v % TENSOR_TYPE_COUNT);
    else if (field == FIELD_INTERLEAVE)
        m->interleave = (uint8_t)v;
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
