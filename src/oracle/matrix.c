/*
 * The oracle's matrix instructions, which all threads of a row execute together.
 *
 * Each thread's registers are put into whole matrices, the product is computed from its definition, and each thread
 * takes its elements out again. Which element a thread holds is written here as the PTX manual writes it: by the
 * thread's group (lane / 4), its number in the group (lane % 4), and the number of the element in the fragment. For
 * wmma, whose fragments the manual leaves open, they are those of an NVIDIA H200.
 */
#include "oracle/internal.h"

#include "base/bits.h"
#include "base/diag.h"
#include "ptx/fragment.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LINES = 256 };

struct oracle_spot {
    int row, column;
};

/* Registers of an operand: those in braces, or the one that stands alone. */
static const struct oracle_operand *register_of(const struct oracle_operand *o, int i)
{
    return o->source == SOURCE_VECTOR ? &o->element[i] : o;
}

/* Which elements a thread holds of a matrix a of `rows` by `depth` elements, E in each register. */
static struct oracle_spot spot_a(int lane, int reg, int part, int each, int rows, int depth)
{
    int group = lane >> 2, number = lane & 3;
    if (rows == 8)
        return (struct oracle_spot){group, reg * 4 * each + number * each + part};
    int registers = depth / (2 * each), tile = reg / registers, in_tile = reg % registers;
    return (struct oracle_spot){16 * tile + group + (in_tile % 2 ? 8 : 0),
                                in_tile / 2 * 4 * each + number * each + part};
}

static struct oracle_spot spot_b(int lane, int reg, int part, int each, int depth)
{
    int registers = depth / (4 * each);
    return (struct oracle_spot){reg % registers * 4 * each + (lane & 3) * each + part,
                                reg / registers * 8 + (lane >> 2)};
}

/* c and d: `index` counts the thread's elements. */
static struct oracle_spot spot_c(int lane, int index, int rows, int columns)
{
    int tile = index / (rows == 8 ? 2 : 4), in_tile = index % (rows == 8 ? 2 : 4), across = columns / 8;
    return (struct oracle_spot){tile / across * 16 + (lane >> 2) + (in_tile >= 2 ? 8 : 0),
                                tile % across * 8 + (lane & 3) * 2 + in_tile % 2};
}

static struct oracle_spot turned(struct oracle_spot s)
{
    return (struct oracle_spot){s.column, s.row};
}

/* Which element of its matrix is in the part of the register; wmma's m8n32k16 is m32n8k16 with rows as columns. */
static struct oracle_spot spot_of(const struct oracle_insn *x, enum role role, enum type type, int lane, int reg,
                                  int part)
{
    uint32_t shape = x->origin->suffixes.shape;
    int m = (int)shape_m(shape), n = (int)shape_n(shape), k = (int)shape_k(shape);
    int each = type == TYPE_F64 ? 1 : 32 / type_table[type].bits;
    bool is_turned = m == 8 && n == 32;
    if (role == ROLE_MATRIX_A)
        return is_turned ? turned(spot_b(lane, reg, part, each, k))
                         : spot_a(lane, reg, part, each, m, oracle_mod(x, GROUP_SPARSE) ? k / 2 : k);
    if (role == ROLE_MATRIX_B)
        return is_turned ? turned(spot_a(lane, reg, part, each, n, k)) : spot_b(lane, reg, part, each, k);
    return is_turned ? turned(spot_c(lane, reg * each + part, n, m)) : spot_c(lane, reg * each + part, m, n);
}

/* Number of registers of the fragment that hold different elements. */
static int own_registers(const struct oracle_insn *x, enum role role)
{
    const struct suffixes *s = &x->origin->suffixes;
    int count = fragment_of((enum op)x->op, s, role).count;
    unsigned elements = role == ROLE_MATRIX_A   ? shape_m(s->shape) * shape_k(s->shape)
                        : role == ROLE_MATRIX_B ? shape_k(s->shape) * shape_n(s->shape)
                                                : 0;
    bool repeats = s->mod[GROUP_WMMA] && fragment_element((enum op)x->op, s, role) == TYPE_F16 && elements;
    return repeats ? (int)elements / 64 : count;
}

static uint64_t part_of(uint64_t value, enum type type, int part)
{
    unsigned bits = type_table[type].bits;
    return bits == 64 ? value : value >> (bits * (unsigned)part) & oracle_mask(bits);
}

/* Fills matrix[row][column] from the registers of the operand. */
static void read_matrix(const struct oracle_party *p, const struct oracle_insn *x, int operand, enum role role,
                        uint64_t (*matrix)[MAX_LINES])
{
    enum type type = fragment_element((enum op)x->op, &x->origin->suffixes, role);
    int parts = type == TYPE_F64 ? 1 : 32 / (int)type_table[type].bits, count = own_registers(x, role);
    for (int lane = 0; lane < ORACLE_LANES; lane++)
        for (int i = 0; i < count * parts; i++) {
            struct oracle_spot s = spot_of(x, role, type, lane, i / parts, i % parts);
            const struct oracle_thread *t = p->member[lane];
            uint64_t v = t ? oracle_read(t, register_of(&t->at->operand[operand], i / parts)) : 0;
            matrix[s.row][s.column] = part_of(v, type, i % parts);
        }
}

/* Writes a fragment from matrix[row][column]; registers beyond those needed repeat the first ones. */
static void write_matrix(const struct oracle_party *p, const struct oracle_insn *x, enum role role,
                         uint64_t (*matrix)[MAX_LINES])
{
    enum type type = fragment_element((enum op)x->op, &x->origin->suffixes, role);
    int parts = type == TYPE_F64 ? 1 : 32 / (int)type_table[type].bits, own = own_registers(x, role);
    int count = fragment_of((enum op)x->op, &x->origin->suffixes, role).count;
    for (int lane = 0; lane < ORACLE_LANES; lane++)
        for (int reg = 0; reg < count && p->member[lane]; reg++) {
            uint64_t v = 0;
            for (int part = 0; part < parts; part++) {
                struct oracle_spot s = spot_of(x, role, type, lane, reg % own, part);
                v |= matrix[s.row][s.column] << (type == TYPE_F64 ? 0 : part * (int)type_table[type].bits);
            }
            oracle_write(p->member[lane], register_of(&p->member[lane]->at->operand[0], reg), v);
        }
}

/* The place, among the elements that a sparse a leaves out, of kept element i of a row: PTX's metadata. */
static int kept_place(const struct oracle_party *p, const struct oracle_insn *x, enum type type, int row, int i)
{
    unsigned bits = type_table[type].bits;
    int kept = (int)shape_k(x->origin->suffixes.shape) / 2, group = (row % 8) * 4, lane, shift;
    int meta = oracle_mod(x, GROUP_WGMMA) ? 3 : 4; /* the operand; the selector stands behind it */
    unsigned selector = (unsigned)x->origin->operand[meta + 1].bits;
    /* Each four bits of a row's metadata describe the two kept ones of four elements; of tf32, one of two; of 4-bit
     * elements, two pairs of four pairs. */
    int four = bits == 32 ? i : bits == 4 ? i / 4 : i / 2, second = bits == 32 ? 0 : bits == 4 ? i / 2 % 2 : i % 2;
    int fours = bits == 32 ? kept : bits == 4 ? kept / 4 : kept / 2, bit = four * 4 + second * 2;
    if (fours == 4) { /* the selected thread: row and row + 8 */
        lane = group + (int)selector;
        shift = bit + (row >= 8 ? 16 : 0);
    } else if (fours == 8 && bits > 8) { /* the selected pair of threads: left and right half of both rows */
        lane = group + (int)selector * 2 + (bit >= 16);
        shift = bit % 16 + (row >= 8 ? 16 : 0);
    } else if (fours == 8) { /* the selected pair of threads: row, row + 8 */
        lane = group + (int)selector * 2 + (row >= 8);
        shift = bit;
    } else { /* all four threads */
        lane = group + (row >= 8) + (bit >= 32 ? 2 : 0);
        shift = bit % 32;
    }
    const struct oracle_thread *t = p->member[lane & 31];
    int place = t ? (int)(oracle_read(t, &t->at->operand[meta]) >> shift & 3) : 0;
    if (bits == 32)
        return four * 2 + place / 2;
    return bits == 4 ? four * 8 + place * 2 + i % 2 : four * 4 + place;
}

static uint64_t sum_integers(const struct oracle_insn *x, enum type a_type, const uint64_t *a, enum type b_type,
                             const uint64_t *b, int count, uint64_t c)
{
    int64_t sum = (int64_t)oracle_extend(c, TYPE_S32);
    for (int i = 0; i < count; i++)
        if (a_type == TYPE_B1)
            sum += oracle_mod(x, GROUP_BITOP) == BITOP_XOR ? a[i] != b[i] : a[i] && b[i];
        else
            sum += (int64_t)oracle_extend(a[i], a_type) * (int64_t)oracle_extend(b[i], b_type);
    if (oracle_flag(x, FLAG_SATFINITE) && sum != (int32_t)sum)
        sum = sum < 0 ? INT32_MIN : INT32_MAX;
    return (uint64_t)sum & UINT32_MAX;
}

static uint64_t sum_doubles(const struct oracle_insn *x, const uint64_t *a, const uint64_t *b, int count, uint64_t c)
{
    for (int i = 0; i < count; i++)
        c = oracle_fma64(a[i], b[i], c, oracle_mod(x, GROUP_RND));
    return c;
}

/* One element of d. */
static uint64_t element(const struct oracle_insn *x, const uint64_t *a, const uint64_t *b, int count, uint64_t c)
{
    const struct suffixes *s = &x->origin->suffixes;
    bool is_group = s->mod[GROUP_WGMMA];
    enum type at = fragment_element((enum op)x->op, s, ROLE_MATRIX_A);
    enum type bt = fragment_element((enum op)x->op, s, ROLE_MATRIX_B);
    enum type dt = fragment_element((enum op)x->op, s, ROLE_MATRIX_D);
    enum type ct = is_group ? dt : fragment_element((enum op)x->op, s, ROLE_MATRIX_C);
    if (at == TYPE_F64)
        return sum_doubles(x, a, b, count, c);
    if (type_table[at].kind != KIND_FLOAT)
        return sum_integers(x, at, a, bt, b, count, c);
    if (type_table[at].bits == 8 && !is_group)
        return oracle_tensor_narrow(at, a, bt, b, count, c, dt);
    if (type_table[at].bits == 8) {
        uint64_t sum = oracle_tensor_dot(at, a, bt, b, count, ct, c, ORACLE_KEPT_BITS_F8, dt);
        return dt == TYPE_F32 && (sum & 0x7fffffff) < 0x7f800000 ? sum & ~UINT64_C(0x3ff) : sum;
    }
    if (x->op == OP_WMMA_TF32) {
        c = oracle_tensor_dot(at, a, bt, b, 4, ct, c, ORACLE_KEPT_BITS, dt);
        return oracle_tensor_dot(at, a + 4, bt, b + 4, 4, ct, c, ORACLE_KEPT_BITS, dt);
    }
    if (ct == TYPE_F16 && dt == TYPE_F32) { /* c becomes f32 first, so that it has an exponent of its own */
        c = oracle_number_encode(TYPE_F32, oracle_number_decode(TYPE_F16, c), RND_RN);
        ct = TYPE_F32;
    }
    if (ct == TYPE_F32 && dt == TYPE_F16)
        return oracle_tensor_to_half(oracle_tensor_dot(at, a, bt, b, count, ct, c, ORACLE_KEPT_BITS, TYPE_F32));
    return oracle_tensor_dot(at, a, bt, b, count, ct, c, ORACLE_KEPT_BITS, dt);
}

/* The matrices of one product. */
struct oracle_matrices {
    uint64_t a[64][MAX_LINES], b[MAX_LINES][MAX_LINES], c[64][MAX_LINES];
};

static void multiply(const struct oracle_party *p, const struct oracle_insn *x)
{
    struct oracle_matrices *m = xcalloc(1, sizeof *m);
    const struct suffixes *s = &x->origin->suffixes;
    enum type a_type = fragment_element((enum op)x->op, s, ROLE_MATRIX_A);
    int k = (int)shape_k(s->shape), kept = s->mod[GROUP_SPARSE] ? k / 2 : k;
    read_matrix(p, x, 1, ROLE_MATRIX_A, m->a);
    read_matrix(p, x, 2, ROLE_MATRIX_B, m->b);
    read_matrix(p, x, 3, ROLE_MATRIX_C, m->c);
    for (int row = 0; row < (int)shape_m(s->shape); row++)
        for (int column = 0; column < (int)shape_n(s->shape); column++) {
            uint64_t b_column[MAX_LINES];
            for (int i = 0; i < kept; i++)
                b_column[i] = m->b[kept < k ? kept_place(p, x, a_type, row, i) : i][column];
            m->c[row][column] = element(x, m->a[row], b_column, kept, m->c[row][column]);
        }
    write_matrix(p, x, ROLE_MATRIX_D, m->c);
    free(m);
}

static uint64_t lane_element(const struct oracle_party *p, int lane, int operand, enum type type, int index)
{
    const struct oracle_thread *t = p->member[lane];
    int parts = type == TYPE_F16 ? 2 : 1;
    return t ? part_of(oracle_read(t, register_of(&t->at->operand[operand], index / parts)), type, index % parts) : 0;
}

/* Element (row, column) of c or d of one of the four products of mma.m8n8k4: lane and index, as the manual has it. */
static int quad_spot(enum type type, int quad, int row, int column, int *index)
{
    if (type == TYPE_F16) {
        *index = column;
        return quad * 4 + row % 4 + (row >= 4 ? 16 : 0);
    }
    *index = (column / 4) * 4 + (row & 2) + column % 2;
    return quad * 4 + (row & 1) + (column & 2) + (row >= 4 ? 16 : 0);
}

/* mma.m8n8k4 of f16: lanes 4 q to 4 q + 3 and those 16 further compute the product q. */
static void multiply_quads(const struct oracle_party *p, const struct oracle_insn *x)
{
    enum type ct = (enum type)x->origin->suffixes.type[3], dt = (enum type)x->origin->suffixes.type[0];
    bool a_rows = oracle_mod(x, GROUP_ALAYOUT) == ALAYOUT_ROW, b_rows = oracle_mod(x, GROUP_BLAYOUT) == BLAYOUT_ROW;
    uint64_t d[4][8][8];
    for (int q = 0; q < 4; q++)
        for (int row = 0; row < 8; row++)
            for (int column = 0; column < 8; column++) {
                uint64_t a[4], b[4];
                for (int k = 0; k < 4; k++) {
                    int lane = q * 4 + (row >= 4 ? 16 : 0);
                    a[k] = a_rows ? lane_element(p, lane + row % 4, 1, TYPE_F16, k)
                                  : lane_element(p, lane + k, 1, TYPE_F16, row % 4);
                    lane = q * 4 + (column >= 4 ? 16 : 0);
                    b[k] = b_rows ? lane_element(p, lane + k, 2, TYPE_F16, column % 4)
                                  : lane_element(p, lane + column % 4, 2, TYPE_F16, k);
                }
                int index, lane = quad_spot(ct, q, row, column, &index);
                d[q][row][column] = oracle_tensor_quad(a, b, ct, lane_element(p, lane, 3, ct, index), dt);
            }
    uint64_t out[ORACLE_LANES][8] = {0};
    for (int i = 0; i < 4 * 64; i++) {
        int index, lane = quad_spot(dt, i / 64, i / 8 % 8, i % 8, &index);
        out[lane][index] = d[i / 64][i / 8 % 8][i % 8];
    }
    for (int lane = 0; lane < ORACLE_LANES; lane++)
        for (int reg = 0; reg < (dt == TYPE_F16 ? 4 : 8) && p->member[lane]; reg++)
            oracle_write(p->member[lane], register_of(&p->member[lane]->at->operand[0], reg),
                         dt == TYPE_F16 ? out[lane][2 * reg] | out[lane][2 * reg + 1] << 16 : out[lane][reg]);
}

/* The byte address, in shared memory, of what a matrix descriptor of wgmma calls element (line, k), where a line is a
 * row of a or a column of b. */
static uint64_t described(uint64_t descriptor, bool is_turned, unsigned bits, unsigned line, unsigned k)
{
    uint64_t start = (descriptor & 0x3fff) * 16, leading = (descriptor >> 16 & 0x3fff) * 16,
             stride = (descriptor >> 32 & 0x3fff) * 16, base = descriptor >> 49 & 7, at = start;
    int mode = (int)(descriptor >> 62); /* 0: none, 1: 128 bytes, 2: 64 bytes, 3: 32 bytes */
    unsigned bytes = mode == 1 ? 128 : mode == 2 ? 64 : mode == 3 ? 32 : 16;
    if (!is_turned) { /* 8 lines by 16 bytes, or by the width of the pattern */
        unsigned offset = k * bits / 8;
        at += line / 8 * stride + line % 8 * bytes + offset % bytes + offset / bytes * leading;
    } else {
        unsigned offset = line * bits / 8;
        at += k % 8 * bytes + offset % bytes;
        at += mode ? offset / bytes * leading + k / 8 * stride : offset / bytes * stride + k / 8 * leading;
    }
    /* Bits 4 and up are exchanged by the number of the 128-byte line. */
    uint64_t pattern = at / 128 - base;
    return at ^ pattern % (bytes / 16) * 16;
}

/* Reads a matrix by its descriptor: lines `first` onwards. False after a fault. */
static bool read_described(struct oracle_thread *t, const struct oracle_insn *x, uint64_t descriptor, bool is_turned,
                           enum type type, int first, int lines, int depth, uint64_t (*matrix)[MAX_LINES], bool by_line)
{
    unsigned bits = type_table[type].bits, bytes = bits < 8 ? 1 : bits / 8;
    for (int line = 0; line < lines; line++)
        for (int k = 0; k < depth; k++) {
            uint64_t at = described(descriptor, is_turned, bits, (unsigned)(first + line), (unsigned)k);
            at += t->oracle->block.rank << MEMORY_SHARED_SHIFT;
            const void *host = oracle_reach(t, NULL, SPACE_SHARED, at, bytes, false);
            if (!host) {
                oracle_fault(t, x, FAULT_OUT_OF_BOUNDS, "the matrix descriptor leads outside shared memory");
                return false;
            }
            uint64_t v = oracle_load(host, bytes);
            if (bits < 8)
                v = v >> (k * (int)bits % 8) & oracle_mask(bits);
            *(by_line ? &matrix[line][k] : &matrix[k][line]) = v;
        }
    return true;
}

/* wgmma: the row computes its 16 of the 64 rows of d. */
static void multiply_group(const struct oracle_party *p, const struct oracle_insn *x)
{
    struct oracle_thread *t = p->member[bits_lowest(p->mask)];
    const struct suffixes *s = &x->origin->suffixes;
    const struct oracle_operand *o = t->at->operand;
    enum type at = (enum type)s->type[1], bt = (enum type)s->type[2], dt = (enum type)s->type[0];
    int n = (int)shape_n(s->shape), k = (int)shape_k(s->shape), parts = dt == TYPE_F16 ? 2 : 1;
    bool a_in_registers = o[1].source == SOURCE_VECTOR, has_turns = type_table[at].bits == 16;
    int kept = s->mod[GROUP_SPARSE] ? k / 2 : k, scale = s->mod[GROUP_SPARSE] ? 5 : 3;
    /* Behind the scale of d: scales of a and b, then whether a (if in memory) and b are turned. */
    bool has_scales = type_table[at].kind == KIND_FLOAT;
    bool a_turned = has_turns && !a_in_registers && oracle_read(t, &o[scale + 3]);
    bool b_turned = has_turns && oracle_read(t, &o[scale + (a_in_registers ? 3 : 4)]);
    bool a_negative = has_scales && (int64_t)oracle_read_integer(t, &o[scale + 1]) < 0;
    bool b_negative = has_scales && (int64_t)oracle_read_integer(t, &o[scale + 2]) < 0;
    struct oracle_matrices *m = xcalloc(1, sizeof *m);
    bool ok = read_described(t, x, oracle_read(t, &o[2]), b_turned, bt, 0, n, k, m->b, false);
    if (ok && !a_in_registers)
        ok = read_described(t, x, oracle_read(t, &o[1]), a_turned, at, t->row % 4 * 16, 16, kept, m->a, true);
    int each = 32 / (int)type_table[at].bits;
    for (int lane = 0; lane < ORACLE_LANES && ok && a_in_registers; lane++)
        for (int i = 0; i < 4 * each; i++) {
            struct oracle_spot spot = spot_a(lane, i / each, i % each, each, 16, kept);
            const struct oracle_thread *who = p->member[lane];
            m->a[spot.row][spot.column] =
                who ? part_of(oracle_read(who, register_of(&who->at->operand[1], i / each)), at, i % each) : 0;
        }
    for (int lane = 0; lane < ORACLE_LANES && ok; lane++)
        for (int i = 0; i < n / 2 && p->member[lane]; i++) {
            struct oracle_spot spot = spot_c(lane, i, 16, n);
            uint64_t a[MAX_LINES], b[MAX_LINES], c = oracle_read(t, &o[scale]) ? lane_element(p, lane, 0, dt, i) : 0;
            for (int j = 0; j < kept; j++) {
                int place = kept < k ? kept_place(p, x, at, spot.row, j) : j;
                a[j] = m->a[spot.row][j] ^ (uint64_t)a_negative << (type_table[at].bits - 1);
                b[j] = m->b[place][spot.column] ^ (uint64_t)b_negative << (type_table[bt].bits - 1);
            }
            m->c[lane][i] = element(x, a, b, kept, c);
        }
    for (int lane = 0; lane < ORACLE_LANES && ok; lane++)
        for (int reg = 0; reg < n / 2 / parts && p->member[lane]; reg++)
            oracle_write(p->member[lane], register_of(&p->member[lane]->at->operand[0], reg),
                         parts == 2 ? m->c[lane][2 * reg] | m->c[lane][2 * reg + 1] << 16 : m->c[lane][reg]);
    free(m);
}

/* The rows in memory that the first lanes name, 16 bytes each; NULL for a lane that does not take part. False: one of
 * them cannot be reached. */
static bool reach_lines(const struct oracle_party *p, int count, bool is_store, uint8_t *line[ORACLE_LANES])
{
    memset(line, 0, ORACLE_LANES * sizeof *line);
    for (int i = 0; i < count; i++) {
        struct oracle_thread *t = p->member[i];
        if (!t)
            continue;
        uint64_t at = oracle_address(t, &t->at->operand[is_store ? 0 : 1]);
        line[i] = oracle_reach(t, t->at, (enum mod)t->at->space, at, 16, is_store);
        if (!line[i])
            return false;
    }
    return true;
}

/* ldmatrix and stmatrix: lane l has two elements of row l / 4 of each matrix, or of column l / 4 if .trans. */
static void move_eights(const struct oracle_party *p, const struct oracle_insn *x)
{
    bool is_store = x->op == OP_STMATRIX, is_turned = oracle_flag(x, FLAG_TRANS);
    int registers = is_store ? 1 : 0;
    int count = fragment_of((enum op)x->op, &x->origin->suffixes, ROLE_MATRIX_D).count;
    uint8_t *line[ORACLE_LANES];
    if (!reach_lines(p, 8 * count, is_store, line))
        return;
    for (int lane = 0; lane < ORACLE_LANES; lane++)
        for (int j = 0; j < count && p->member[lane]; j++) {
            const struct oracle_operand *o = register_of(&p->member[lane]->at->operand[registers], j);
            uint64_t v = is_store ? oracle_read(p->member[lane], o) : 0;
            for (int part = 0; part < 2; part++) {
                int row = is_turned ? lane % 4 * 2 + part : lane / 4,
                    column = is_turned ? lane / 4 : lane % 4 * 2 + part;
                uint8_t *host = line[8 * j + row];
                if (host && is_store)
                    oracle_store(host + 2 * column, v >> 16 * part, 2);
                else if (host)
                    v |= oracle_load(host + 2 * column, 2) << 16 * part;
            }
            if (!is_store)
                oracle_write(p->member[lane], o, v);
        }
}

/* One element of a row in memory, in a byte. */
static uint64_t row_element(const struct oracle_insn *x, const uint8_t *line, int i)
{
    uint64_t low = oracle_load(line, 8), high = oracle_load(line + 8, 8);
    switch (oracle_mod(x, GROUP_PACKED)) {
    case PACKED_B4X16_P64:
        return low >> 4 * i & 15;
    case PACKED_B6X16_P32:
        return (6 * i >= 64  ? high >> (6 * i - 64)
                : 6 * i > 58 ? low >> 6 * i | high << (64 - 6 * i)
                             : low >> 6 * i) &
               63;
    default:
        return line[i];
    }
}

/* ldmatrix and stmatrix of bytes, of sm_100. A lane's group is a row of a matrix, or, transposed, a column: of m16n16
 * the columns group and group + 8 in two registers; of m16n8 both in one. */
static void move_bytes(const struct oracle_party *p, const struct oracle_insn *x)
{
    bool is_store = x->op == OP_STMATRIX_B8, is_turned = oracle_flag(x, FLAG_TRANS);
    int registers = is_store ? 1 : 0;
    int count = fragment_of((enum op)x->op, &x->origin->suffixes, ROLE_MATRIX_D).count;
    uint8_t *line[ORACLE_LANES];
    if (!reach_lines(p, 8 * count, is_store, line))
        return;
    for (int lane = 0; lane < ORACLE_LANES; lane++)
        for (int reg = 0; reg < count && p->member[lane]; reg++) {
            const struct oracle_operand *o = register_of(&p->member[lane]->at->operand[registers], reg);
            uint64_t v = is_store ? oracle_read(p->member[lane], o) : 0;
            int group = lane >> 2, number = lane & 3;
            for (int part = 0; part < 4; part++) {
                if (is_store) {
                    uint8_t *to = line[8 * reg + 2 * number + (part & 1)];
                    if (to)
                        to[group + (part & 2) * 4] = (uint8_t)(v >> 8 * part);
                    continue;
                }
                const uint8_t *from = line[is_turned ? reg / 2 * 16 + 4 * number + part : 8 * reg + group];
                if (from)
                    v |= row_element(x, from, is_turned ? group + reg % 2 * 8 : 4 * number + part) << 8 * part;
            }
            if (!is_store)
                oracle_write(p->member[lane], o, v);
        }
}

static void move_matrix(const struct oracle_party *p)
{
    uint64_t matrix[8][8], turned_value[ORACLE_LANES];
    for (int lane = 0; lane < ORACLE_LANES; lane++)
        for (int part = 0; part < 2; part++)
            matrix[lane / 4][lane % 4 * 2 + part] = lane_element(p, lane, 1, TYPE_F16, part);
    for (int lane = 0; lane < ORACLE_LANES; lane++)
        turned_value[lane] = matrix[lane % 4 * 2][lane / 4] | matrix[lane % 4 * 2 + 1][lane / 4] << 16;
    for (int lane = 0; lane < ORACLE_LANES; lane++)
        if (p->member[lane])
            oracle_write(p->member[lane], &p->member[lane]->at->operand[0], turned_value[lane]);
}

/* wmma.load and wmma.store: every thread moves its own elements. */
static void move_fragment(struct oracle_thread *t, const struct oracle_insn *x, int lane)
{
    const struct suffixes *s = &x->origin->suffixes;
    bool is_store = oracle_mod(x, GROUP_WMMA) == WMMA_STORE, by_row = oracle_mod(x, GROUP_ALAYOUT) == ALAYOUT_ROW;
    enum role role = fragment_role(s);
    enum type type = (enum type)s->type[0];
    unsigned bits = type_table[type].bits, bytes = bits < 8 ? 1 : bits / 8;
    int rows = (int)(role == ROLE_MATRIX_B ? shape_k(s->shape) : shape_m(s->shape));
    int columns = (int)(role == ROLE_MATRIX_A ? shape_k(s->shape) : shape_n(s->shape));
    int parts = bits >= 32 ? 1 : 32 / (int)bits, own = own_registers(x, role);
    int count = fragment_of((enum op)x->op, s, role).count;
    uint64_t stride =
        x->operand[2].source == SOURCE_NONE ? (uint64_t)(by_row ? columns : rows) : oracle_read(t, &x->operand[2]);
    for (int reg = 0; reg < (is_store ? own : count); reg++) {
        const struct oracle_operand *o = register_of(&x->operand[is_store ? 1 : 0], reg);
        uint64_t v = is_store ? oracle_read(t, o) : 0;
        for (int part = 0; part < parts; part++) {
            struct oracle_spot spot = spot_of(x, role, type, lane, reg % own, part);
            uint64_t index = by_row ? (uint64_t)spot.row * stride + (uint64_t)spot.column
                                    : (uint64_t)spot.column * stride + (uint64_t)spot.row;
            uint64_t address = oracle_address(t, &x->operand[is_store ? 0 : 1]) + index * bits / 8;
            void *host = oracle_reach(t, x, (enum mod)x->space, address, bytes, is_store);
            if (!host)
                return;
            if (is_store)
                oracle_store(host, part_of(v, type, part), bytes);
            else
                v |= part_of(oracle_load(host, bytes), type, bits < 8 ? (int)(index % (8 / bits)) : 0)
                     << (bits == 64 ? 0 : (int)bits * part);
        }
        if (!is_store)
            oracle_write(t, o, v);
    }
}

void oracle_matrix(const struct oracle_party *p, const struct oracle_insn *x)
{
    switch (x->op) {
    case OP_MMA_QUAD_F32:
    case OP_MMA_QUAD_F16:
        multiply_quads(p, x);
        break;
    case OP_WMMA_LOAD ... OP_WMMA_STORE_INT:
        for (int lane = 0; lane < ORACLE_LANES; lane++)
            if (p->member[lane])
                move_fragment(p->member[lane], p->member[lane]->at, lane);
        break;
    case OP_LDMATRIX:
    case OP_STMATRIX:
        move_eights(p, x);
        break;
    case OP_LDMATRIX_B8 ... OP_STMATRIX_B8:
        move_bytes(p, x);
        break;
    case OP_MOVMATRIX:
        move_matrix(p);
        break;
    case OP_WGMMA_F16 ... OP_WGMMA_SPARSE_INT8:
        multiply_group(p, x);
        break;
    default:
        multiply(p, x);
        break;
    }
}

/* Waiting for wgmma, which is complete when the next instruction starts. */
void oracle_nothing(struct oracle_thread *t, const struct oracle_insn *x)
{
    (void)t;
    (void)x;
}
