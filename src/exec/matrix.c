/*
 * Matrix instructions (matrix.h): operands, results, and the products.
 *
 * All products use the same three layouts of registers, which mma's are made of. Of a 16-by-k matrix a, a register of
 * E elements of lane l holds row l / 4, columns (l % 4) * E onwards; the next register is 8 rows down, the next two
 * are 4 * E columns further. Of a k-by-8 matrix b, a register holds rows (l % 4) * E onwards of column l / 4. Of c
 * and d, a lane holds elements (l / 4, 2 * (l % 4)) and the one beside it, then those 8 rows down. Larger matrices
 * are tiles of 16 rows and 8 columns, one after the other. wmma computes m8n32k16 as the transposed m32n8k16. These
 * are the layouts of an NVIDIA H200, where PTX leaves those of wmma open.
 */
#include "exec/matrix.h"

#include "base/bits.h"
#include "exec/access.h"
#include "exec/bound.h"
#include "exec/engine_fault.h"
#include "lanes/tensor.h"
#include "ptx/fragment.h"

#include <string.h>

enum { MAX_ROWS = 32, MAX_COLUMNS = 256, MAX_DEPTH = 256, MAX_FLOAT_DEPTH = 64 };

/* A product while it is computed: the dense matrices. */
struct matrix_product {
    const struct insn *insn;
    int rows, columns, depth; /* of d; `depth`: products per element */
    enum type a_type, b_type, c_type, d_type;
    const uint64_t (*a_regs)[ROW_LANES], (*b_regs)[ROW_LANES], (*c_regs)[ROW_LANES]; /* the fragments */
    uint64_t (*d_regs)[ROW_LANES];
    const uint64_t *metadata; /* by lane: where the elements of a sparse a stand; NULL: a is not sparse */
    unsigned selector;        /* which threads' metadata counts */
    bool is_wgmma;
};

uint64_t matrix_value(const struct engine *e, const struct ref *r, int lane)
{
    switch (r->kind) {
    case REF_PLANE: {
        uint64_t v = lanes_value(e->row->planes + r->plane * PLANE_BYTES, r->bits, lane);
        return r->bits == 1 ? (v != 0) != r->negate : v;
    }
    case REF_IMMEDIATE:
        return r->type == TYPE_PRED ? r->immediate != r->negate : r->immediate;
    default:
        return 0;
    }
}

void matrix_collect(struct engine *e, const struct bound *in, uint32_t mask, struct matrix_operands *x)
{
    const struct insn *insn = in->insn;
    if (!x->mask) {
        x->insn = insn;
        x->bound = in;
        memset(x->source, 0, (size_t)insn->source_count * sizeof *x->source);
        memset(x->address, 0, sizeof x->address);
    }
    x->mask |= mask;
    uint64_t address[ROW_LANES];
    if (insn->address >= 0)
        access_addresses(e, in, address);
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = bits_lowest(left);
        for (int i = 0; i < insn->source_count; i++)
            x->source[i][lane] = i == insn->address ? 0 : matrix_value(e, &insn->source[i], lane);
        x->address[lane] = insn->address >= 0 ? address[lane] : 0;
    }
}

void matrix_deliver(struct engine *e, const struct bound *in, uint32_t mask, const struct matrix_operands *x)
{
    for (int i = 0; i < in->insn->dest_count; i++) {
        const struct ref *r = &in->insn->dest[i];
        if (r->kind != REF_PLANE)
            continue;
        uint8_t *plane = e->row->planes + r->plane * PLANE_BYTES;
        for (uint32_t left = mask; left; left &= left - 1) {
            int lane = bits_lowest(left);
            memcpy(plane + lane_bytes(r->bits) * (unsigned)lane, &x->dest[i][lane], lane_bytes(r->bits));
        }
    }
}

bool matrix_execute(struct engine *e, const struct bound *in, uint32_t mask)
{
    struct matrix_operands x;
    x.mask = 0;
    matrix_collect(e, in, mask, &x);
    if (!matrix_compute(e, &x))
        return false;
    matrix_deliver(e, in, mask, &x);
    return true;
}

/* Elements of a type in a register. */
static int packed(enum type type)
{
    return type == TYPE_F64 ? 1 : 32 / type_table[type].bits;
}

struct matrix_place matrix_place_a(enum type type, int rows, int depth, int row, int k)
{
    int each = packed(type), tall = rows >= 16 ? 2 : 1, tile_registers = tall * depth / (4 * each);
    return (struct matrix_place){row / 16 * tile_registers + k / (4 * each) * tall + (row >> 3 & (tall - 1)), k % each,
                                 (row & 7) * 4 + k % (4 * each) / each};
}

struct matrix_place matrix_place_b(enum type type, int depth, int k, int column)
{
    int each = packed(type), tile_registers = depth / (4 * each);
    return (struct matrix_place){column / 8 * tile_registers + k / (4 * each), k % each,
                                 (column & 7) * 4 + k % (4 * each) / each};
}

struct matrix_place matrix_place_c(enum type type, int rows, int columns, int row, int column)
{
    int per_tile = rows >= 16 ? 4 : 2; /* elements of a lane */
    int tile = row / 16 * (columns / 8) + column / 8;
    int index = tile * per_tile + (row >> 3 & (per_tile == 4)) * 2 + (column & 1), each = type == TYPE_F16 ? 2 : 1;
    return (struct matrix_place){index / each, index % each, (row & 7) * 4 + (column & 7) / 2};
}

static uint64_t get(const uint64_t (*regs)[ROW_LANES], enum type type, struct matrix_place p)
{
    unsigned bits = type_table[type].bits;
    uint64_t v = regs[p.reg][p.lane];
    return bits == 64 ? v : v >> (unsigned)p.part * bits & ((UINT64_C(1) << bits) - 1);
}

static void put(uint64_t (*regs)[ROW_LANES], enum type type, struct matrix_place p, uint64_t value)
{
    unsigned bits = type_table[type].bits;
    regs[p.reg][p.lane] = bits == 64 ? value : regs[p.reg][p.lane] | value << (unsigned)p.part * bits;
}

/* The two bits at `bit` of a row's metadata. A row has 4 bits for each 4 elements of b (2 of tf32, 8 of 4 bits), in
 * one register of each of several threads of a quad: which ones, `selector` says. */
static unsigned metadata(const uint64_t registers[ROW_LANES], int row, int bit, int row_bits, unsigned selector,
                         bool is_narrow)
{
    int quad = (row & 7) * 4, high = row >> 3;
    if (row_bits == 16)
        return registers[quad + (int)(selector & 3)] >> (16 * high + bit) & 3;
    if (row_bits == 32 && is_narrow)
        return registers[quad + (int)(selector & 1) * 2 + high] >> bit & 3;
    if (row_bits == 32)
        return registers[quad + (int)(selector & 1) * 2 + bit / 16] >> (16 * high + bit % 16) & 3;
    return registers[quad + high + 2 * (bit / 32)] >> bit % 32 & 3;
}

/* For each kept element of a row of a sparse a: the row of b that it is multiplied with. */
static void find_kept(const struct matrix_product *p, int row, int kept, int16_t *k_of)
{
    enum type type = p->a_type;
    bool is_single = type == TYPE_TF32, is_pair = type == TYPE_S4 || type == TYPE_U4;
    int row_bits = is_single ? 4 * kept : is_pair ? kept : 2 * kept;
    for (int i = 0; i < kept; i++) {
        int bit = is_single ? 4 * i : is_pair ? i / 2 * 2 : 2 * i;
        unsigned at = metadata(p->metadata, row, bit, row_bits, p->selector, type_table[type].bits <= 8);
        k_of[i] = (int16_t)(is_single ? 2 * i + (int)(at >> 1)
                            : is_pair ? i / 4 * 8 + (int)at * 2 + i % 2
                                      : i / 2 * 4 + (int)at);
    }
}

static int64_t extend(uint64_t bits, enum type type)
{
    unsigned width = type_table[type].bits;
    return type_table[type].kind == KIND_SINT ? (int64_t)(bits << (64 - width)) >> (64 - width) : (int64_t)bits;
}

static uint32_t integer_element(const struct matrix_product *p, const uint32_t *a, const uint32_t *b, int count,
                                uint32_t c)
{
    const struct suffixes *s = &p->insn->suffixes;
    int64_t sum = (int32_t)c;
    if (p->a_type != TYPE_B1)
        for (int i = 0; i < count; i++)
            sum += extend(a[i], p->a_type) * extend(b[i], p->b_type);
    else
        for (int i = 0; i < count; i++)
            sum += s->mod[GROUP_BITOP] == BITOP_XOR ? a[i] ^ b[i] : a[i] & b[i];
    if (suffixes_has(s, FLAG_SATFINITE))
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

/* mma of f8 elements is two products of f16 on this GPU, which converts the elements: of the first two of each four
 * elements in a register, then of the other two, from zero. c is added at the end, by an ordinary addition. */
static uint32_t narrow_element(const struct tensor_value *a, const struct tensor_value *b, int count, uint32_t c,
                               enum type type)
{
    struct tensor_value part[2][2][MAX_FLOAT_DEPTH];
    for (int i = 0; i < count; i++) {
        int half = i >> 1 & 1, at = i / 4 * 2 + i % 2;
        part[0][half][at] = tensor_as_half(a[i]);
        part[1][half][at] = tensor_as_half(b[i]);
    }
    uint32_t sum = 0;
    for (int half = 0; half < 2; half++)
        sum = tensor_dot(part[0][half], part[1][half], count / 2, tensor_decode(type, sum), TENSOR_KEPT_BITS, type);
    return tensor_add(type, sum, c);
}

static uint32_t float_element(const struct matrix_product *p, const struct tensor_value *a,
                              const struct tensor_value *b, int count, uint32_t c)
{
    bool is_narrow = type_table[p->a_type].bits == 8;
    if (is_narrow && !p->is_wgmma)
        return narrow_element(a, b, count, c, p->d_type);
    if (p->insn->op == OP_WMMA_TF32) { /* two products of depth 4, one after the other */
        c = tensor_dot(a, b, 4, tensor_decode(TYPE_F32, c), TENSOR_KEPT_BITS, TYPE_F32);
        return tensor_dot(a + 4, b + 4, 4, tensor_decode(TYPE_F32, c), TENSOR_KEPT_BITS, TYPE_F32);
    }
    if (p->c_type == p->d_type)
        return tensor_dot(a, b, count, tensor_decode(p->c_type, c), is_narrow ? TENSOR_KEPT_BITS_F8 : TENSOR_KEPT_BITS,
                          p->d_type);
    /* wmma with c and d of different types computes in f32. A subnormal c of f16 is a normal number there. */
    if (p->c_type == TYPE_F16)
        c = tensor_convert(TYPE_F32, TYPE_F16, c);
    uint32_t sum = tensor_dot(a, b, count, tensor_decode(TYPE_F32, c), TENSOR_KEPT_BITS, TYPE_F32);
    return p->d_type == TYPE_F32 ? sum : tensor_convert(TYPE_F16, TYPE_F32, sum);
}

/* Double precision: a chain of fused multiply-adds from c on, in ascending order of k; all lanes of a register at
 * once. */
static void multiply_doubles(const struct matrix_product *p, int registers)
{
    struct ref wide = {.kind = REF_PLANE, .type = TYPE_F64, .bits = 64}, sources[3] = {wide, wide, wide};
    struct insn fma = {.op = OP_FMA_F64, .dest_count = 1, .source_count = 3, .dest = &wide, .source = sources};
    fma.suffixes.type[0] = TYPE_F64;
    fma.suffixes.mod[GROUP_RND] = p->insn->suffixes.mod[GROUP_RND] ? p->insn->suffixes.mod[GROUP_RND] : RND_RN;
    lane_fn *fn = lanes_find(&fma);
    for (int r = 0; r < registers; r++) {
        uint64_t a[ROW_LANES], b[ROW_LANES], sum[ROW_LANES];
        memcpy(sum, p->c_regs[r], sizeof sum);
        for (int k = 0; k < p->depth; k++) {
            for (int lane = 0; lane < ROW_LANES; lane++) {
                int row = lane / 4 + 8 * (r >> 1), column = lane % 4 * 2 + (r & 1);
                a[lane] = get(p->a_regs, TYPE_F64, matrix_place_a(TYPE_F64, p->rows, p->depth, row, k));
                b[lane] = get(p->b_regs, TYPE_F64, matrix_place_b(TYPE_F64, p->depth, k, column));
            }
            struct lanes x = {.dest = {sum}, .source = {a, b, sum}};
            fn(&x);
        }
        memcpy(p->d_regs[r], sum, sizeof sum);
    }
}

/* d = a * b + c of the dense matrices a[row][k] and b[column][k]; of a sparse a, `stored` elements of a row exist. */
static void multiply_floats(const struct matrix_product *p, int stored, uint32_t (*a)[MAX_DEPTH],
                            uint32_t (*b)[MAX_DEPTH])
{
    struct tensor_value b_values[MAX_COLUMNS][MAX_FLOAT_DEPTH];
    for (int column = 0; column < p->columns; column++)
        for (int k = 0; k < p->depth; k++)
            b_values[column][k] = tensor_decode(p->b_type, b[column][k]);
    for (int row = 0; row < p->rows; row++) {
        struct tensor_value a_values[MAX_FLOAT_DEPTH], chosen[MAX_FLOAT_DEPTH];
        int16_t k_of[MAX_DEPTH];
        for (int i = 0; i < stored; i++)
            a_values[i] = tensor_decode(p->a_type, a[row][i]);
        if (p->metadata)
            find_kept(p, row, stored, k_of);
        for (int column = 0; column < p->columns; column++) {
            for (int i = 0; p->metadata && i < stored; i++)
                chosen[i] = b_values[column][k_of[i]];
            const struct tensor_value *b_column = p->metadata ? chosen : b_values[column];
            struct matrix_place at = matrix_place_c(p->c_type, p->rows, p->columns, row, column);
            uint32_t d = float_element(p, a_values, b_column, stored, (uint32_t)get(p->c_regs, p->c_type, at));
            put(p->d_regs, p->d_type, matrix_place_c(p->d_type, p->rows, p->columns, row, column), d);
        }
    }
}

static void multiply_integers(const struct matrix_product *p, int stored, uint32_t (*a)[MAX_DEPTH],
                              uint32_t (*b)[MAX_DEPTH])
{
    for (int row = 0; row < p->rows; row++) {
        uint32_t chosen[MAX_DEPTH];
        int16_t k_of[MAX_DEPTH];
        if (p->metadata)
            find_kept(p, row, stored, k_of);
        for (int column = 0; column < p->columns; column++) {
            for (int i = 0; p->metadata && i < stored; i++)
                chosen[i] = b[column][k_of[i]];
            struct matrix_place at = matrix_place_c(p->c_type, p->rows, p->columns, row, column);
            uint32_t c = (uint32_t)get(p->c_regs, p->c_type, at);
            put(p->d_regs, p->d_type, at, integer_element(p, a[row], p->metadata ? chosen : b[column], stored, c));
        }
    }
}

static void multiply(const struct matrix_product *p, int stored, uint32_t (*a)[MAX_DEPTH], uint32_t (*b)[MAX_DEPTH])
{
    if (type_table[p->a_type].kind == KIND_FLOAT)
        multiply_floats(p, stored, a, b);
    else
        multiply_integers(p, stored, a, b);
}

/* mma and wmma: all matrices are in registers. */
static void multiply_registers(struct matrix_operands *x)
{
    const struct insn *insn = x->insn;
    const struct suffixes *s = &insn->suffixes;
    enum op op = (enum op)insn->op;
    int a_count = fragment_of(op, s, ROLE_MATRIX_A).count, b_count = fragment_of(op, s, ROLE_MATRIX_B).count;
    bool is_turned = shape_m(s->shape) == 8 && shape_n(s->shape) == 32;
    struct matrix_product p = {
        .insn = insn,
        .rows = (int)(is_turned ? 32 : shape_m(s->shape)),
        .columns = (int)(is_turned ? 8 : shape_n(s->shape)),
        .depth = (int)shape_k(s->shape),
        .a_type = fragment_element(op, s, is_turned ? ROLE_MATRIX_B : ROLE_MATRIX_A),
        .b_type = fragment_element(op, s, is_turned ? ROLE_MATRIX_A : ROLE_MATRIX_B),
        .c_type = fragment_element(op, s, ROLE_MATRIX_C),
        .d_type = fragment_element(op, s, ROLE_MATRIX_D),
        .a_regs = (const uint64_t(*)[ROW_LANES])x->source + (is_turned ? a_count : 0),
        .b_regs = (const uint64_t(*)[ROW_LANES])x->source + (is_turned ? 0 : a_count),
        .c_regs = (const uint64_t(*)[ROW_LANES])x->source + a_count + b_count,
        .d_regs = x->dest,
    };
    int stored = s->mod[GROUP_SPARSE] ? p.depth / 2 : p.depth;
    if (s->mod[GROUP_SPARSE]) {
        p.metadata = x->source[insn->source_count - 2];
        p.selector = (unsigned)x->source[insn->source_count - 1][bits_lowest(x->mask)];
    }
    if (p.a_type == TYPE_F64) {
        multiply_doubles(&p, fragment_of(op, s, ROLE_MATRIX_D).count);
        return;
    }
    uint32_t a[MAX_ROWS][MAX_DEPTH], b[MAX_ROWS][MAX_DEPTH];
    for (int k = 0; k < p.depth; k++) {
        for (int row = 0; row < p.rows && k < stored; row++)
            a[row][k] = (uint32_t)get(p.a_regs, p.a_type, matrix_place_a(p.a_type, p.rows, stored, row, k));
        for (int column = 0; column < p.columns; column++)
            b[column][k] = (uint32_t)get(p.b_regs, p.b_type, matrix_place_b(p.b_type, p.depth, k, column));
    }
    multiply(&p, stored, a, b);
}

/* mma.m8n8k4 of f16: four products, each of the eight threads l with the same l / 4 % 4. */
static void multiply_quads(struct matrix_operands *x)
{
    const struct suffixes *s = &x->insn->suffixes;
    enum type c_type = (enum type)s->type[3], d_type = (enum type)s->type[0];
    const uint64_t(*a_regs)[ROW_LANES] = (const uint64_t(*)[ROW_LANES])x->source, (*b_regs)[ROW_LANES] = a_regs + 2;
    bool a_by_row = s->mod[GROUP_ALAYOUT] == ALAYOUT_ROW, b_by_row = s->mod[GROUP_BLAYOUT] == BLAYOUT_ROW;
    for (int i = 0; i < 4 * 8 * 8; i++) {
        int first = i / 64 * 4, row = i / 8 % 8, column = i % 8;
        struct tensor_value a[4], b[4];
        for (int k = 0; k < 4; k++) {
            int part = a_by_row ? k : row & 3, lane = first + (a_by_row ? row & 3 : k) + (row & 4) * 4;
            a[k] = tensor_decode(TYPE_F16, a_regs[part / 2][lane] >> 16 * (part & 1) & 0xffff);
            part = b_by_row ? column & 3 : k;
            lane = first + (b_by_row ? k : column & 3) + (column & 4) * 4;
            b[k] = tensor_decode(TYPE_F16, b_regs[part / 2][lane] >> 16 * (part & 1) & 0xffff);
        }
        struct matrix_place half = {column / 2, column & 1, first + (row & 3) + (row & 4) * 4};
        struct matrix_place whole = {(row & 2) + (column & 4) + (column & 1), 0,
                                     first + (row & 1) + (column & 2) + (row & 4) * 4};
        uint64_t c = get(a_regs + 4, c_type, c_type == TYPE_F16 ? half : whole);
        put(x->dest, d_type, d_type == TYPE_F16 ? half : whole, tensor_quad(a, b, (uint32_t)c, c_type, d_type));
    }
}

static bool outside(struct engine *e, const struct matrix_operands *x)
{
    return engine_fault(e, x->bound, x->mask, FAULT_OUT_OF_BOUNDS, "the matrix descriptor leads outside shared memory");
}

/* wgmma: b, and perhaps a, are in shared memory. This row computes 16 rows of d. */
static bool multiply_shared(struct engine *e, struct matrix_operands *x)
{
    const struct insn *insn = x->insn;
    const struct suffixes *s = &insn->suffixes;
    enum op op = (enum op)insn->op;
    int d_count = fragment_of(op, s, ROLE_ACCUMULATOR).count, lane = bits_lowest(x->mask);
    bool a_described = insn->origin->operand[1].kind != OPERAND_VECTOR;
    int next = d_count + (a_described ? 1 : fragment_of(op, s, ROLE_TILE_A).count);
    struct matrix_product p = {.insn = insn,
                               .rows = 16,
                               .columns = (int)shape_n(s->shape),
                               .depth = (int)shape_k(s->shape),
                               .a_type = (enum type)s->type[1],
                               .b_type = (enum type)s->type[2],
                               .c_type = (enum type)s->type[0],
                               .d_type = (enum type)s->type[0],
                               .a_regs = (const uint64_t(*)[ROW_LANES])x->source + d_count,
                               .c_regs = (const uint64_t(*)[ROW_LANES])x->source,
                               .d_regs = x->dest,
                               .is_wgmma = true};
    const uint64_t *b_descriptor = x->source[next++];
    if (s->mod[GROUP_SPARSE]) {
        p.metadata = x->source[next++];
        p.selector = (unsigned)x->source[next++][lane];
    }
    int stored = p.metadata ? p.depth / 2 : p.depth;
    const uint64_t *tail[7] = {0, 0}; /* from 1 on: scale of d, scales of a and b, transpositions */
    for (int i = 1; i < 7 && next < insn->source_count; i++)
        tail[i] = x->source[next++];
    bool has_turns = type_table[p.a_type].bits == 16;
    bool a_turned = has_turns && a_described && tail[4][lane], b_turned = has_turns && tail[4 + a_described][lane];
    unsigned a_bits = type_table[p.a_type].bits, b_bits = type_table[p.b_type].bits;
    uint32_t a_flip = tail[2] && (int32_t)tail[2][lane] < 0 ? 1u << (a_bits - 1) : 0;
    uint32_t b_flip = tail[3] && (int32_t)tail[3][lane] < 0 ? 1u << (b_bits - 1) : 0;
    if (!tail[1][lane])
        memset(x->source, 0, (size_t)d_count * sizeof *x->source);
    uint32_t a[MAX_ROWS][MAX_DEPTH], b[MAX_COLUMNS][MAX_DEPTH];
    unsigned first_row = e->row->first_thread / ROW_LANES % 4 * 16;
    for (int k = 0; k < p.depth; k++) {
        for (int row = 0; row < 16 && k < stored; row++) {
            if (!a_described)
                a[row][k] = (uint32_t)get(p.a_regs, p.a_type, matrix_place_a(p.a_type, 16, stored, row, k));
            else if (!matrix_described(e, x->source[d_count][lane], a_turned, a_bits, first_row + (unsigned)row,
                                       (unsigned)k, &a[row][k]))
                return outside(e, x);
            a[row][k] ^= a_flip;
        }
        for (int column = 0; column < p.columns; column++) {
            if (!matrix_described(e, b_descriptor[lane], b_turned, b_bits, (unsigned)column, (unsigned)k,
                                  &b[column][k]))
                return outside(e, x);
            b[column][k] ^= b_flip;
        }
    }
    multiply(&p, stored, a, b);
    return true;
}

/* movmatrix: lane l holds elements 2 * (l % 4) and the next of row l / 4. */
static void transpose(struct matrix_operands *x)
{
    for (int lane = 0; lane < ROW_LANES; lane++)
        for (int part = 0; part < 2; part++) {
            int row = lane % 4 * 2 + part, column = lane / 4;
            uint64_t v = x->source[0][row * 4 + column / 2] >> 16 * (column & 1) & 0xffff;
            x->dest[0][lane] |= v << 16 * part;
        }
}

bool matrix_compute(struct engine *e, struct matrix_operands *x)
{
    memset(x->dest, 0, (size_t)x->insn->dest_count * sizeof *x->dest);
    switch (x->insn->op) {
    case OP_MMA_QUAD_F32:
    case OP_MMA_QUAD_F16:
        multiply_quads(x);
        return true;
    case OP_LDMATRIX:
    case OP_LDMATRIX_B8:
    case OP_LDMATRIX_PACKED:
    case OP_LDMATRIX_PACKED_T:
    case OP_WMMA_LOAD ... OP_WMMA_LOAD_C_INT:
        return matrix_load(e, x);
    case OP_STMATRIX:
    case OP_STMATRIX_B8:
    case OP_WMMA_STORE ... OP_WMMA_STORE_INT:
        return matrix_store(e, x);
    case OP_MOVMATRIX:
        transpose(x);
        return true;
    case OP_WGMMA_F16 ... OP_WGMMA_SPARSE_INT8:
        return multiply_shared(e, x);
    default:
        multiply_registers(x);
        return true;
    }
}
