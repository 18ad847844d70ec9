/*
 * Matrices in memory: ldmatrix, stmatrix, wmma.load, wmma.store, and the matrices that wgmma reads by descriptors.
 *
 * A descriptor of wgmma has the address of a matrix in shared memory, two distances, and how 16-byte pieces are
 * exchanged among rows (swizzling). All numbers were checked on an NVIDIA H200, for every mode of swizzling.
 */
#include "base/bits.h"
#include "exec/access.h"
#include "exec/bound.h"
#include "exec/matrix.h"
#include "exec/race/race.h"
#include "ptx/fragment.h"

#include <string.h>

enum { MATRIX_SIDE = 8, MATRIX_ROW_BYTES = 16 }; /* of the matrices of ldmatrix and stmatrix */

/* Tells the race check of the lanes' accesses. */
static void note_access(struct engine *e, const struct matrix_operands *x, const uint64_t *address, uint32_t mask,
                        bool is_write)
{
    if (!e->race)
        return;
    struct bound access = *x->bound;
    access.kind = is_write ? BOUND_STORE : BOUND_LOAD;
    race_access(e, &access, (int32_t)(x->bound - e->code->bound), address, mask);
}

/* The 16 bytes at a lane's address; NULL after a fault, or if the lane takes no part. */
static uint8_t *reach_row(struct engine *e, const struct matrix_operands *x, int lane, bool is_write, bool *ok)
{
    if (!(x->mask >> lane & 1))
        return NULL;
    int32_t pc = (int32_t)(x->bound - e->code->bound);
    uint8_t *host = access_resolve(e, x->bound, pc, lane, x->address[lane], is_write);
    *ok &= host != NULL;
    return host;
}

/* ldmatrix and stmatrix: register j of lane l holds two elements of matrix j, whose rows lanes 8 * j to 8 * j + 7 give
 * the addresses of. */
static bool move_rows(struct engine *e, struct matrix_operands *x, bool is_write)
{
    int count = fragment_of((enum op)x->insn->op, &x->insn->suffixes, ROLE_MATRIX_D).count;
    bool is_turned = suffixes_has(&x->insn->suffixes, FLAG_TRANS), ok = true;
    const uint64_t(*from)[ROW_LANES] = (const uint64_t(*)[ROW_LANES])x->source + 1; /* behind the address */
    note_access(e, x, x->address, count == 4 ? x->mask : x->mask & ((1u << MATRIX_SIDE * count) - 1), is_write);
    for (int j = 0; j < count && ok; j++) {
        for (int row = 0; row < MATRIX_SIDE; row++) {
            uint8_t *host = reach_row(e, x, j * MATRIX_SIDE + row, is_write, &ok);
            for (int column = 0; column < MATRIX_SIDE && host; column++) {
                int line = is_turned ? column : row, place = is_turned ? row : column;
                int lane = line * 4 + place / 2, shift = 16 * (place & 1);
                uint16_t v = 0;
                if (is_write) {
                    v = (uint16_t)(from[j][lane] >> shift);
                    memcpy(host + 2 * column, &v, sizeof v);
                } else {
                    memcpy(&v, host + 2 * column, sizeof v);
                    x->dest[j][lane] |= (uint64_t)v << shift;
                }
            }
        }
    }
    return ok;
}

/* The row of a matrix in memory, as ldmatrix reads it: 16 bytes, or 16 elements of 4 or 6 bits, each in a byte. */
static void expand_row(const uint8_t *host, const struct suffixes *s, uint8_t row[MATRIX_ROW_BYTES])
{
    unsigned bits = s->mod[GROUP_PACKED] == PACKED_B4X16_P64 ? 4 : s->mod[GROUP_PACKED] == PACKED_B6X16_P32 ? 6 : 8;
    for (unsigned i = 0; i < MATRIX_ROW_BYTES; i++) {
        unsigned at = i * bits, next = at / 8 + 1 < MATRIX_ROW_BYTES ? host[at / 8 + 1] : 0;
        row[i] = (uint8_t)((host[at / 8] | next << 8) >> at % 8 & ((1u << bits) - 1));
    }
}

/* ldmatrix and stmatrix of bytes. Of m8n16, lane l holds 4 bytes of row l / 4. Of m16n16 and m16n8, which are
 * transposed, it holds 4 bytes of columns l / 4 and, in the next register or the upper half, l / 4 + 8. */
static bool move_bytes(struct engine *e, struct matrix_operands *x, bool is_write)
{
    const struct suffixes *s = &x->insn->suffixes;
    int count = fragment_of((enum op)x->insn->op, s, ROLE_MATRIX_D).count, rows = shape_m(s->shape) == 8 ? 8 : 16;
    bool is_turned = suffixes_has(s, FLAG_TRANS), ok = true;
    int given = 8 * count; /* lanes that give addresses */
    uint8_t *host[ROW_LANES], row[ROW_LANES][MATRIX_ROW_BYTES] = {{0}};
    note_access(e, x, x->address, given == ROW_LANES ? x->mask : x->mask & ((1u << given) - 1), is_write);
    for (int i = 0; i < given; i++) {
        host[i] = reach_row(e, x, i, is_write, &ok);
        if (!ok)
            return false;
        if (host[i] && !is_write)
            expand_row(host[i], s, row[i]);
    }
    for (int lane = 0; lane < ROW_LANES; lane++)
        for (int i = 0; i < 4 * count; i++) {
            int reg = i / 4, part = i % 4, line, place;
            if (is_write) {
                line = 8 * reg + lane % 4 * 2 + part % 2;
                place = lane / 4 + 8 * (part / 2);
            } else if (is_turned) {
                line = reg / 2 * rows + lane % 4 * 4 + part;
                place = lane / 4 + 8 * (reg % 2);
            } else {
                line = 8 * reg + lane / 4;
                place = lane % 4 * 4 + part;
            }
            if (!is_write)
                x->dest[reg][lane] |= (uint64_t)row[line][place] << 8 * part;
            else if (host[line])
                host[line][place] = (uint8_t)(x->source[1 + reg][lane] >> 8 * part);
        }
    return true;
}

/* The place of element (row, column) of the matrix that a wmma.load or wmma.store moves. */
static struct matrix_place find_place(const struct suffixes *s, enum type type, int row, int column)
{
    int m = (int)shape_m(s->shape), n = (int)shape_n(s->shape), k = (int)shape_k(s->shape);
    bool is_turned = m == 8 && n == 32;
    switch (fragment_role(s)) {
    case ROLE_MATRIX_A:
        return is_turned ? matrix_place_b(type, k, column, row) : matrix_place_a(type, m, k, row, column);
    case ROLE_MATRIX_B:
        return is_turned ? matrix_place_a(type, n, k, column, row) : matrix_place_b(type, k, row, column);
    default:
        return is_turned ? matrix_place_c(type, n, m, column, row) : matrix_place_c(type, m, n, row, column);
    }
}

/* Moves one element between memory and registers; `index` counts elements from the lane's address. */
static bool move_element(struct engine *e, struct matrix_operands *x, struct matrix_place p, uint64_t index,
                         bool is_write)
{
    unsigned bits = type_table[x->insn->suffixes.type[0]].bits, bytes = bits < 8 ? 1 : bits / 8;
    int32_t pc = (int32_t)(x->bound - e->code->bound);
    uint64_t address[ROW_LANES] = {0};
    address[p.lane] = x->address[p.lane] + index * bits / 8;
    note_access(e, x, address, 1u << p.lane, is_write);
    uint8_t *host = access_resolve(e, x->bound, pc, p.lane, address[p.lane], is_write);
    if (!host)
        return false;
    unsigned within = bits < 8 ? (unsigned)(index * bits % 8) : 0;
    uint64_t ones = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, v = 0;
    if (is_write) {
        v = x->source[1 + p.reg][p.lane] >> (unsigned)p.part * bits % 64 & ones;
        memcpy(host, &v, bytes);
        return true;
    }
    memcpy(&v, host, bytes);
    x->dest[p.reg][p.lane] |= (v >> within & ones) << (unsigned)p.part * bits % 64;
    return true;
}

static bool move_fragment(struct engine *e, struct matrix_operands *x, bool is_write)
{
    const struct suffixes *s = &x->insn->suffixes;
    enum role role = fragment_role(s);
    enum type type = (enum type)s->type[0];
    int rows = (int)(role == ROLE_MATRIX_B ? shape_k(s->shape) : shape_m(s->shape));
    int columns = (int)(role == ROLE_MATRIX_A ? shape_k(s->shape) : shape_n(s->shape));
    bool by_row = s->mod[GROUP_ALAYOUT] == ALAYOUT_ROW;
    int stride_at = x->insn->source_count - 1;
    bool has_stride = x->insn->source[stride_at].kind != REF_NONE;
    int used = 0;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            struct matrix_place p = find_place(s, type, row, column);
            used = p.reg >= used ? p.reg + 1 : used;
            if (!(x->mask >> p.lane & 1))
                continue;
            uint64_t stride = has_stride ? x->source[stride_at][p.lane] : (uint64_t)(by_row ? columns : rows);
            uint64_t index =
                by_row ? (uint64_t)row * stride + (uint64_t)column : (uint64_t)column * stride + (uint64_t)row;
            if (!move_element(e, x, p, index, is_write))
                return false;
        }
    /* Fragments of f16 repeat the registers that they need. */
    for (int i = used; !is_write && i < x->insn->dest_count; i++)
        memcpy(x->dest[i], x->dest[i - used], sizeof x->dest[i]);
    return true;
}

bool matrix_load(struct engine *e, struct matrix_operands *x)
{
    if (x->insn->op == OP_LDMATRIX)
        return move_rows(e, x, false);
    return x->insn->suffixes.mod[GROUP_NUM] ? move_bytes(e, x, false) : move_fragment(e, x, false);
}

bool matrix_store(struct engine *e, struct matrix_operands *x)
{
    if (x->insn->op == OP_STMATRIX)
        return move_rows(e, x, true);
    return x->insn->suffixes.mod[GROUP_NUM] ? move_bytes(e, x, true) : move_fragment(e, x, true);
}

/* ---- for machines ---- */

bool matrix_is_access(const struct insn *in)
{
    return op_is_matrix((enum op)in->op) && in->address >= 0;
}

bool matrix_is_store(const struct insn *in)
{
    return matrix_is_access(in) && !in->dest_count;
}

/* The rows of a wmma.load or wmma.store, or its columns where these lie side by side in memory, in pieces that one
 * access of 32 bytes reaches. All threads name one matrix, so the row's first live thread brings all pieces. */
static void cut_fragment(struct engine *e, const struct bound *in, const uint64_t *address, struct matrix_pieces *out)
{
    enum { MOST_BYTES = 32 };
    const struct suffixes *s = &in->insn->suffixes;
    enum role role = fragment_role(s);
    unsigned rows = role == ROLE_MATRIX_B ? shape_k(s->shape) : shape_m(s->shape);
    unsigned columns = role == ROLE_MATRIX_A ? shape_k(s->shape) : shape_n(s->shape);
    bool by_row = s->mod[GROUP_ALAYOUT] == ALAYOUT_ROW;
    unsigned lines = by_row ? rows : columns, length = by_row ? columns : rows;
    unsigned bits = type_table[s->type[0]].bits, line_bytes = length * bits / 8;
    int lane = bits_lowest(e->row->live);
    const struct ref *given = &in->insn->source[in->insn->source_count - 1];
    uint64_t stride = given->kind == REF_NONE ? length : matrix_value(e, given, lane);
    out->bytes = line_bytes < MOST_BYTES ? line_bytes : MOST_BYTES;
    for (unsigned i = 0; i < lines; i++)
        for (unsigned at = 0; at < line_bytes && out->count < MATRIX_MOST_PIECES; at += out->bytes)
            out->address[out->count++] = address[lane] + i * stride * bits / 8 + at;
}

void matrix_find_pieces(struct engine *e, const struct bound *in, uint32_t mask, struct matrix_pieces *out)
{
    uint64_t address[ROW_LANES];
    access_addresses(e, in, address);
    out->count = 0;
    if (!in->insn->suffixes.mod[GROUP_NUM]) {
        if (mask & e->row->live & -e->row->live)
            cut_fragment(e, in, address, out);
        return;
    }
    int given = fragment_of((enum op)in->insn->op, &in->insn->suffixes, ROLE_MATRIX_D).count;
    out->bytes = MATRIX_ROW_BYTES;
    for (int lane = 0; lane < given * MATRIX_SIDE && lane < ROW_LANES; lane++)
        if (mask >> lane & 1)
            out->address[out->count++] = address[lane];
}

/* ---- descriptors ---- */

/* Bytes of a row of the pattern in which 16-byte pieces are exchanged, by the descriptor's two highest bits. */
static unsigned swizzle_bytes(uint64_t descriptor)
{
    static const uint8_t bytes[4] = {16, 128, 64, 32};
    return bytes[descriptor >> 62];
}

/* The offset of an element from the start of the matrix, before swizzling. `along`: bytes from the start of the line or
 * of the k-th row, whichever lies side by side in memory; `across`: the number of that line or row. */
static uint64_t unswizzled(uint64_t descriptor, bool is_transposed, unsigned along, unsigned across)
{
    uint64_t leading = (descriptor >> 16 & 0x3fff) << 4, stride = (descriptor >> 32 & 0x3fff) << 4;
    unsigned width = swizzle_bytes(descriptor);
    uint64_t piece = (uint64_t)(along / width), group = across / 8;
    if (is_transposed)
        return along % width + across % 8 * width +
               (width == 16 ? piece * stride + group * leading : piece * leading + group * stride);
    return along % width + across % 8 * width + piece * leading + group * stride;
}

bool matrix_described(const struct engine *e, uint64_t descriptor, bool is_transposed, unsigned element_bits,
                      unsigned line, unsigned k, uint32_t *bits)
{
    unsigned along = (is_transposed ? line : k) * element_bits, across = is_transposed ? k : line;
    uint64_t address = ((descriptor & 0x3fff) << 4) + unswizzled(descriptor, is_transposed, along / 8, across);
    unsigned base = descriptor >> 49 & 7, pieces = swizzle_bytes(descriptor) / 16;
    address ^= (((address >> 7) - base) & (pieces - 1)) << 4;
    unsigned bytes = element_bits < 8 ? 1 : element_bits / 8;
    if (address + bytes > e->block->shared_bytes)
        return false;
    *bits = 0;
    memcpy(bits, e->block->shared + address, bytes);
    if (element_bits < 8)
        *bits = *bits >> along % 8 & ((1u << element_bits) - 1);
    return true;
}
