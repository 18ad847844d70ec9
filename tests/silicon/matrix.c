/*
 * Cases of matrix instructions: every block is one warp (wgmma: four) with fragments of its own; blocks differ in the
 * kind of numbers. A case's threads read one table: per block, what shared memory begins with, then each thread's
 * registers.
 */
#include "base/bits.h"
#include "base/diag.h"
#include "base/random.h"
#include "emit.h"
#include "family.h"
#include "ptx/fragment.h"

#include <stdio.h>
#include <string.h>

enum {
    KINDS = 8,            /* of numbers */
    SHARED_BYTES = 16384, /* a matrix a in the first half, b in the second */
    HALF_BYTES = SHARED_BYTES / 2,
    OUTPUT_REGISTERS = 16 /* in one output column */
};

/* Kinds of numbers, by block. */
enum numbers { NEAR_ONE, WIDE, ANY_FINITE, WITH_SPECIALS, HALF_ZERO, MOSTLY_ZERO, ANY_BITS, SMALL };

/* Ways to use wgmma. */
enum group_variant { A_IN_REGISTERS, A_DESCRIBED, WIDE_PATTERN, NEGATED, TRANSPOSED, GROUP_VARIANTS };

static bool is_group(enum op op)
{
    return op >= OP_WGMMA_F16 && op <= OP_WGMMA_SPARSE_INT8;
}

static bool is_sparse(enum op op)
{
    return op >= OP_MMA_SPARSE_F16 && op <= OP_MMA_SPARSE_INT4;
}

static bool is_access(enum op op)
{
    return op >= OP_WMMA_LOAD && op <= OP_WMMA_STORE_INT;
}

static int matrix_variants(enum op op)
{
    if (is_group(op))
        return GROUP_VARIANTS;
    if (is_sparse(op))
        return 4; /* selectors */
    if (is_access(op))
        return 3;                                           /* no stride, a constant, a register */
    return op >= OP_LDMATRIX && op <= OP_MOVMATRIX ? 1 : 2; /* plain; sinks and constants */
}

/* Threads of a quad that hold the metadata of two rows: the selector chooses among 4 / that many groups of threads. */
static int metadata_threads(const struct form *f)
{
    enum type type = fragment_element(f->op, &f->suffixes, ROLE_MATRIX_A);
    unsigned bits = type_table[type].bits, k = shape_k(f->suffixes.shape);
    unsigned row_bits = bits == 32 ? 2 * k : bits == 4 ? k / 2 : k;
    return (int)row_bits / 16;
}

static bool matrix_legal(const struct form *f, bool complete)
{
    unsigned n = shape_n(f->suffixes.shape);
    if (is_group(f->op) && n && n != 8 && n != 24 && !(n == 64 && f->op == OP_WGMMA_F16))
        return false; /* others differ in nothing but the number of registers */
    if (!complete)
        return true;
    if (is_group(f->op) && f->variant == TRANSPOSED)
        return type_table[f->suffixes.type[1]].bits == 16;
    if (is_group(f->op) && f->variant == NEGATED)
        return type_table[f->suffixes.type[1]].kind == KIND_FLOAT;
    if (is_sparse(f->op))
        return f->variant < 4 / metadata_threads(f);
    /* Where a product is several instructions, the driver's compiler (CUDA 13.0) does not take `_`. */
    if (f->op == OP_MMA_F8_F16 || f->op == OP_MMA_F8_F32 || f->op == OP_WMMA_TF32)
        return !f->variant;
    return true;
}

static void matrix_describe(const struct form *f, char out[FAMILY_NAME_BYTES])
{
    static const char *const group[] = {"registers", "described", "wide_pattern", "negated", "transposed"};
    static const char *const access[] = {"dense", "stride", "stride_register"};
    if (is_group(f->op))
        snprintf(out, FAMILY_NAME_BYTES, "%s", group[f->variant]);
    else if (is_access(f->op))
        snprintf(out, FAMILY_NAME_BYTES, "%s", access[f->variant]);
    else if (is_sparse(f->op))
        snprintf(out, FAMILY_NAME_BYTES, "selector_%d", f->variant);
    else if (f->variant)
        snprintf(out, FAMILY_NAME_BYTES, "sink");
}

/* A number with `exponent_bits` and `fraction_bits`, by its kind. */
static uint64_t random_float(int exponent_bits, int fraction_bits, enum numbers numbers, struct random *random)
{
    uint64_t noise = random_u64(random), sign = noise & 1, fraction = noise >> 1 & ((1ull << fraction_bits) - 1);
    uint64_t all = (1ull << exponent_bits) - 1, chance = random_u64(random);
    int bias = (1 << (exponent_bits - 1)) - 1, span = numbers == WIDE || numbers >= HALF_ZERO ? 9 : 3;
    sign <<= exponent_bits + fraction_bits;
    if (numbers == ANY_BITS || numbers == ANY_FINITE) {
        uint64_t bits = noise >> 1 & ((1ull << (exponent_bits + fraction_bits)) - 1);
        bool is_special = bits >> fraction_bits == all;
        return sign | (numbers == ANY_FINITE && is_special ? bits ^ 1ull << fraction_bits : bits);
    }
    if ((numbers == HALF_ZERO && chance & 1) || (numbers == MOSTLY_ZERO && chance & 7))
        return chance & 8 ? sign : 0;
    if (numbers == WITH_SPECIALS && !(chance & 31)) {
        uint64_t specials[] = {0, all << fraction_bits,      all << fraction_bits | fraction, fraction,
                               1, (all << fraction_bits) - 1};
        return sign | specials[(chance >> 5) % 6];
    }
    int exponent = bias + (int)((chance >> 8) % (unsigned)(2 * span + 1)) - span;
    if (numbers == SMALL)
        exponent = (int)((chance >> 8) % 5) + (chance & 1 ? 0 : bias / 2);
    exponent = exponent < 0 ? 0 : exponent > (int)all - 1 ? (int)all - 1 : exponent;
    return sign | (uint64_t)exponent << fraction_bits | fraction;
}

static uint64_t random_element(enum type type, enum numbers numbers, struct random *random)
{
    switch (type) {
    case TYPE_F16:
        return random_float(5, 10, numbers, random);
    case TYPE_BF16:
        return random_float(8, 7, numbers, random);
    case TYPE_F32:
    case TYPE_TF32:
        return random_float(8, 23, numbers, random);
    case TYPE_F64:
        return random_float(11, 52, numbers, random);
    case TYPE_E4M3:
        return random_float(4, 3, numbers, random);
    case TYPE_E5M2:
        return random_float(5, 2, numbers, random);
    case TYPE_S32: /* near the limits, so that .satfinite matters */
        return (numbers & 1 ? 0x7fffff00u : 0x80000000u) + (random_u64(random) & 0xff);
    default:
        return random_u64(random) & ((1ull << type_table[type].bits) - 1);
    }
}

/* One register full of elements. */
static uint64_t random_register(enum type type, enum numbers numbers, struct random *random)
{
    unsigned bits = type_table[type].bits;
    uint64_t v = random_element(type, numbers, random);
    for (unsigned at = bits; at < 32; at += bits)
        v |= random_element(type, numbers, random) << at;
    return v;
}

/* Metadata of a sparse matrix: of each four, two places in ascending order; of tf32, one of two. */
static uint64_t random_metadata(enum type type, struct random *random)
{
    static const uint8_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, ones[] = {0x4, 0xe};
    uint64_t v = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t chance = random_u64(random);
        v |= (uint64_t)(type == TYPE_TF32 ? ones[chance % 2] : pairs[chance % 6]) << 4 * i;
    }
    return v;
}

/* A case while it is written. */
struct matrix_writer {
    struct emitter e;
    const struct form *form;
    struct random random;
    int table;        /* the argument that all threads read */
    unsigned threads; /* of a block */
    size_t shared;    /* bytes at the beginning of a block's part of the table */
    size_t registers; /* bytes of a thread's registers */
    size_t next;      /* of the next register of a thread */
    unsigned kind;    /* of numbers in the first block; others follow in turn */
};

static uint8_t *block_bytes(struct matrix_writer *w, unsigned block)
{
    uint8_t *data = w->e.c->base.arg[w->table].data;
    return data + block * (w->shared + w->threads * w->registers);
}

static enum numbers kind_of(const struct matrix_writer *w, unsigned block)
{
    return (enum numbers)((w->kind + block) % KINDS);
}

/* Blocks of a case. Each has another kind of numbers; which kinds a form gets depends on its name, so that a row's forms
 * have all, and goldens stay small. */
static unsigned blocks_of(const struct form *f)
{
    enum type type = fragment_element(f->op, &f->suffixes, is_group(f->op) ? ROLE_TILE_A : ROLE_MATRIX_A);
    bool is_float = type_table[type].kind == KIND_FLOAT;
    if (is_group(f->op))
        return is_float && shape_n(f->suffixes.shape) == 8 ? 2 : 1;
    return is_float && (!f->variant || is_sparse(f->op)) ? 3 : 1;
}

/* Declares registers %f<letter>0 onwards and loads them; type: of elements. Metadata: TYPE_NONE. */
static void load_fragment(struct matrix_writer *w, char letter, int count, enum type type, bool is_metadata)
{
    unsigned bits = type == TYPE_F64 ? 64 : 32;
    emit_line(&w->e, ".reg .b%u %%f%c<%d>;", bits, letter, count);
    for (int i = 0; i < count; i++) {
        emit_line(&w->e, "ld.global.b%u %%f%c%d, [%%mine+%zu];", bits, letter, i, w->next);
        for (unsigned t = 0; t < w->e.c->threads; t++) {
            uint64_t v = is_metadata ? random_metadata(type, &w->random)
                                     : random_register(type, kind_of(w, t / w->threads), &w->random);
            uint8_t *thread = block_bytes(w, t / w->threads) + w->shared + t % w->threads * w->registers;
            memcpy(thread + w->next, &v, bits / 8);
        }
        w->next += bits / 8;
    }
}

/* Stores registers %f<letter>0 onwards. */
static void store_fragment(struct matrix_writer *w, char letter, int count, enum type type)
{
    unsigned bytes = type == TYPE_F64 ? 8 : 4;
    for (int from = 0; from < count; from += OUTPUT_REGISTERS) {
        int some = count - from < OUTPUT_REGISTERS ? count - from : OUTPUT_REGISTERS;
        int out = emit_buffer(&w->e, bytes * (unsigned)some, type, true);
        emit_address(&w->e, "%address", out);
        for (int i = 0; i < some; i++)
            emit_line(&w->e, "st.global.b%u [%%address+%u], %%f%c%d;", 8 * bytes, bytes * (unsigned)i, letter,
                      from + i);
    }
}

static void begin(struct matrix_writer *w, const struct form *f, const char *name, unsigned threads, unsigned blocks,
                  size_t shared, size_t registers)
{
    *w = (struct matrix_writer){.form = f, .threads = threads, .shared = shared, .registers = registers};
    w->random.state = bits_hash(BITS_HASH_SEED, name, strlen(name));
    w->kind = w->random.state % KINDS;
    emit_begin(&w->e, f->op, name, threads * blocks, threads);
    w->e.version = 87;
    w->e.target = "sm_90a";
    w->table = emit_table(&w->e, blocks * (shared + threads * registers));
    emit_line(&w->e, ".reg .b64 %%part, %%mine;");
    emit_line(&w->e, ".reg .b32 %%n;");
    emit_line(&w->e, "mov.u32 %%n, %%ctaid.x;");
    emit_line(&w->e, "mad.wide.u32 %%part, %%n, %zu, %%b%d;", shared + threads * registers, w->table);
    emit_line(&w->e, "mad.wide.u32 %%mine, %%t, %zu, %%part;", registers);
    if (shared)
        emit_line(&w->e, "add.u64 %%mine, %%mine, %zu;", shared);
}

/* "{%fa0, %fa1}" into text. The first register can be replaced by `first`. */
static void write_list(struct text *out, char letter, int count, const char *first)
{
    text_printf(out, "{");
    for (int i = 0; i < count; i++)
        if (!i && first)
            text_printf(out, "%s", first);
        else
            text_printf(out, "%s%%f%c%d", i ? ", " : "", letter, i);
    text_printf(out, "}");
}

/* mma, mma.sp and wmma.mma. */
static struct op_case *make_product(const struct form *f, const char *name)
{
    static const enum role roles[] = {ROLE_MATRIX_A, ROLE_MATRIX_B, ROLE_MATRIX_C, ROLE_MATRIX_D};
    struct fragment part[4];
    enum type type[4];
    size_t bytes = is_sparse(f->op) ? 8 : 0;
    for (int i = 0; i < 4; i++) {
        part[i] = fragment_of(f->op, &f->suffixes, roles[i]);
        type[i] = fragment_element(f->op, &f->suffixes, roles[i]);
        bytes += i < 3 ? (size_t)part[i].count * type_bytes(part[i].type) : 0;
    }
    struct matrix_writer w;
    begin(&w, f, name, 32, blocks_of(f), 0, bytes);
    for (int i = 0; i < 3; i++)
        load_fragment(&w, "abc"[i], part[i].count, type[i], false);
    if (is_sparse(f->op))
        load_fragment(&w, 'm', 1, type[0], true);
    emit_line(&w.e, ".reg .b%d %%fd<%d>;", type[3] == TYPE_F64 ? 64 : 32, part[3].count);
    bool is_plain = is_sparse(f->op) || !f->variant;
    if (!is_plain)
        emit_line(&w.e, "mov.b%d %%fd0, 0;", type[3] == TYPE_F64 ? 64 : 32);
    struct text line = {0};
    form_print(f, &line);
    text_printf(&line, " ");
    write_list(&line, 'd', part[3].count, is_plain ? NULL : "_");
    text_printf(&line, ", ");
    write_list(&line, 'a', part[0].count, NULL);
    text_printf(&line, ", ");
    write_list(&line, 'b', part[1].count, NULL);
    text_printf(&line, ", ");
    const char *constant = type[2] == TYPE_F32 ? "0f40490fdb" : type[2] == TYPE_F64 ? "0d400921fb54442d18" : "77";
    write_list(&line, 'c', part[2].count, is_plain ? NULL : constant);
    if (is_sparse(f->op))
        text_printf(&line, ", %%fm0, %d", f->variant);
    emit_line(&w.e, "%s;", line.data);
    text_free(&line);
    store_fragment(&w, 'd', part[3].count, type[3]);
    return emit_end(&w.e);
}

/* Copies the block's part of the table to shared memory, of which the array `s` is declared. */
static void fill_shared(struct matrix_writer *w, enum type first, enum type second)
{
    for (unsigned block = 0; block * w->threads < w->e.c->threads; block++)
        for (size_t at = 0; at < w->shared; at += 4) {
            enum type type = at < w->shared / 2 ? first : second;
            uint64_t v = random_register(type, kind_of(w, block), &w->random);
            memcpy(block_bytes(w, block) + at, &v, 4);
        }
    text_printf(&w->e.module, ".shared .align 1024 .b8 s[%zu];\n", w->shared);
    emit_line(&w->e, ".reg .b32 %%at, %%word, %%base;");
    emit_line(&w->e, ".reg .b64 %%from;");
    emit_line(&w->e, ".reg .pred %%more;");
    emit_line(&w->e, "mov.u32 %%base, s;");
    emit_line(&w->e, "shl.b32 %%at, %%t, 2;");
    emit_line(&w->e, "FILL:");
    emit_line(&w->e, "cvt.u64.u32 %%from, %%at;");
    emit_line(&w->e, "add.u64 %%from, %%part, %%from;");
    emit_line(&w->e, "ld.global.b32 %%word, [%%from];");
    emit_line(&w->e, "add.u32 %%n, %%base, %%at;");
    emit_line(&w->e, "st.shared.b32 [%%n], %%word;");
    emit_line(&w->e, "add.u32 %%at, %%at, %u;", 4 * w->threads);
    emit_line(&w->e, "setp.lt.u32 %%more, %%at, %zu;", w->shared);
    emit_line(&w->e, "@%%more bra FILL;");
}

/* Asynchronous reads of shared memory need a fence of their own on silicon. */
static bool has_proxy_fence(void)
{
    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        if (!strcmp(op_table[op].mnemonic, "fence") && strstr(op_table[op].suffixes, "proxy"))
            return true;
    return false;
}

/* %<name> = the descriptor of the matrix at `offset` of shared memory. */
static void emit_descriptor(struct matrix_writer *w, const char *name, unsigned offset)
{
    static const uint64_t fields[GROUP_VARIANTS] = {
        [A_IN_REGISTERS] = 8ull << 16 | 16ull << 32,
        [A_DESCRIBED] = 16ull << 16 | 32ull << 32,
        [WIDE_PATTERN] = 1ull << 62 | 1ull << 16 | 64ull << 32,
        [NEGATED] = 2ull << 62 | 1ull << 16 | 32ull << 32,
        [TRANSPOSED] = 3ull << 62 | 32ull << 16 | 16ull << 32,
    };
    emit_line(&w->e, ".reg .b64 %s;", name);
    emit_line(&w->e, "add.u32 %%n, %%base, %u;", offset);
    emit_line(&w->e, "shr.u32 %%n, %%n, 4;");
    emit_line(&w->e, "cvt.u64.u32 %s, %%n;", name);
    emit_line(&w->e, "or.b64 %s, %s, 0x%llx;", name, name, (unsigned long long)fields[w->form->variant]);
}

static struct op_case *make_group(const struct form *f, const char *name)
{
    struct fragment d = fragment_of(f->op, &f->suffixes, ROLE_ACCUMULATOR),
                    a = fragment_of(f->op, &f->suffixes, ROLE_TILE_A);
    enum type at = (enum type)f->suffixes.type[1], bt = (enum type)f->suffixes.type[2],
              dt = (enum type)f->suffixes.type[0];
    bool in_registers = f->variant == A_IN_REGISTERS || f->variant == NEGATED;
    bool is_sparse_group = f->suffixes.mod[GROUP_SPARSE];
    struct matrix_writer w;
    begin(&w, f, name, 128, blocks_of(f), SHARED_BYTES, (size_t)(d.count + a.count + 1) * 4);
    fill_shared(&w, at, bt);
    load_fragment(&w, 'd', d.count, dt, false);
    load_fragment(&w, 'a', a.count, at, false);
    load_fragment(&w, 'm', 1, at, true);
    emit_descriptor(&w, "%da", 0);
    emit_descriptor(&w, "%db", HALF_BYTES);
    emit_line(&w.e, "setp.%s.u32 %%more, %%base, 0xffffffff;", f->variant == WIDE_PATTERN ? "eq" : "ne");
    if (has_proxy_fence())
        emit_line(&w.e, "fence.proxy.async;");
    emit_line(&w.e, "bar.sync 0;");
    emit_line(&w.e, "wgmma.fence.sync.aligned;");
    struct text line = {0};
    form_print(f, &line);
    text_printf(&line, " ");
    write_list(&line, 'd', d.count, NULL);
    text_printf(&line, ", ");
    if (in_registers)
        write_list(&line, 'a', a.count, NULL);
    else
        text_printf(&line, "%%da");
    text_printf(&line, ", %%db");
    if (is_sparse_group)
        text_printf(&line, ", %%fm0, %d", type_table[at].bits > 8 ? f->variant & 1 : 0);
    text_printf(&line, ", %%more");
    int turned = f->variant == TRANSPOSED;
    if (type_table[at].kind == KIND_FLOAT)
        text_printf(&line, f->variant == NEGATED ? ", -1, 1" : turned ? ", 1, -1" : ", 1, 1");
    if (type_table[at].bits == 16)
        text_printf(&line, in_registers ? ", %d" : ", %d, %d", turned, turned);
    emit_line(&w.e, "%s;", line.data);
    text_free(&line);
    emit_line(&w.e, "wgmma.commit_group.sync.aligned;");
    emit_line(&w.e, "wgmma.wait_group.sync.aligned 0;");
    store_fragment(&w, 'd', d.count, dt);
    return emit_end(&w.e);
}

/* Stores shared memory, or the block's part of the table, to output columns. */
static void store_memory(struct matrix_writer *w, bool is_global)
{
    unsigned each = (unsigned)(w->shared / w->threads);
    emit_line(&w->e, "bar.sync 0;");
    emit_line(&w->e, "mad.lo.u32 %%at, %%t, %u, %%base;", each);
    emit_line(&w->e, "mad.wide.u32 %%from, %%t, %u, %%part;", each);
    for (unsigned from = 0; from < each; from += 128) {
        int out = emit_buffer(&w->e, each - from < 128 ? each - from : 128, TYPE_B32, true);
        emit_address(&w->e, "%address", out);
        for (unsigned i = from; i < each && i < from + 128; i += 4) {
            emit_line(&w->e, "ld.%s.b32 %%word, [%s+%u];", is_global ? "global" : "shared", is_global ? "%from" : "%at",
                      i);
            emit_line(&w->e, "st.global.b32 [%%address+%u], %%word;", i - from);
        }
    }
}

/* ldmatrix, stmatrix: the address of each lane is a row of 16 bytes, in an order of their own. Matrices of bytes exist
 * from sm_100 on. */
static struct op_case *make_eights(const struct form *f, const char *name)
{
    int count = fragment_of(f->op, &f->suffixes, ROLE_MATRIX_D).count;
    bool is_store = f->op == OP_STMATRIX || f->op == OP_STMATRIX_B8, is_generic = !f->suffixes.mod[GROUP_SPACE];
    struct matrix_writer w;
    begin(&w, f, name, 32, 2, 1024, (size_t)count * 4);
    if (f->op >= OP_LDMATRIX_B8 && f->op <= OP_STMATRIX_B8) {
        w.e.target = "sm_100a";
        w.e.c->may_be_absent = true;
    }
    fill_shared(&w, TYPE_B32, TYPE_B32);
    load_fragment(&w, 'd', count, TYPE_B32, false);
    emit_line(&w.e, "bar.sync 0;");
    emit_line(&w.e, ".reg .b32 %%row;");
    emit_line(&w.e, ".reg .b64 %%wide;");
    emit_line(&w.e, "mul.lo.u32 %%row, %%t, 13;");
    emit_line(&w.e, "and.b32 %%row, %%row, 31;");
    emit_line(&w.e, "mad.lo.u32 %%row, %%row, 32, %%base;");
    emit_line(&w.e, "cvt.u64.u32 %%wide, %%row;");
    emit_line(&w.e, "cvta.shared.u64 %%wide, %%wide;");
    struct text line = {0};
    form_print(f, &line);
    const char *address = is_generic ? "%wide" : "%row";
    if (is_store)
        text_printf(&line, " [%s], ", address);
    else
        text_printf(&line, " ");
    write_list(&line, 'd', count, NULL);
    if (!is_store)
        text_printf(&line, ", [%s]", address);
    emit_line(&w.e, "%s;", line.data);
    text_free(&line);
    if (is_store)
        store_memory(&w, false);
    else
        store_fragment(&w, 'd', count, TYPE_B32);
    return emit_end(&w.e);
}

static struct op_case *make_move(const struct form *f, const char *name)
{
    struct matrix_writer w;
    begin(&w, f, name, 32, 2, 0, 4);
    load_fragment(&w, 'a', 1, TYPE_B32, false);
    emit_line(&w.e, ".reg .b32 %%fd<1>;");
    emit_line(&w.e, "movmatrix.sync.aligned.m8n8.trans.b16 %%fd0, %%fa0;");
    store_fragment(&w, 'd', 1, TYPE_B32);
    return emit_end(&w.e);
}

/* wmma.load and wmma.store, in shared, global or generic memory. */
static struct op_case *make_access(const struct form *f, const char *name)
{
    const struct suffixes *s = &f->suffixes;
    enum role role = fragment_role(s);
    enum type type = (enum type)s->type[0];
    struct fragment part = fragment_of(f->op, s, role);
    bool is_store = s->mod[GROUP_WMMA] == WMMA_STORE, is_global = s->mod[GROUP_SPACE] == SPACE_GLOBAL;
    unsigned rows = role == ROLE_MATRIX_B ? shape_k(s->shape) : shape_m(s->shape);
    unsigned columns = role == ROLE_MATRIX_A ? shape_k(s->shape) : shape_n(s->shape);
    unsigned dense = s->mod[GROUP_ALAYOUT] == ALAYOUT_ROW ? columns : rows;
    unsigned stride = f->variant ? dense + 128 / type_table[type].bits : dense;
    struct matrix_writer w;
    begin(&w, f, name, 32, 1, 2048, (size_t)part.count * type_bytes(part.type));
    fill_shared(&w, TYPE_B32, TYPE_B32);
    load_fragment(&w, 'd', part.count, type == TYPE_F64 ? TYPE_F64 : TYPE_B32, false);
    emit_line(&w.e, "bar.sync 0;");
    emit_line(&w.e, ".reg .b64 %%wide;");
    emit_line(&w.e, ".reg .b32 %%stride;");
    emit_line(&w.e, "mov.u32 %%stride, %u;", stride);
    emit_line(&w.e, "cvt.u64.u32 %%wide, %%base;");
    emit_line(&w.e, "cvta.shared.u64 %%wide, %%wide;");
    const char *address = is_global ? "%part" : s->mod[GROUP_SPACE] ? "%base" : "%wide";
    struct text line = {0};
    form_print(f, &line);
    if (is_store)
        text_printf(&line, " [%s], ", address);
    else
        text_printf(&line, " ");
    write_list(&line, 'd', part.count, NULL);
    if (!is_store)
        text_printf(&line, ", [%s]", address);
    if (f->variant == 1)
        text_printf(&line, ", %u", stride);
    else if (f->variant)
        text_printf(&line, ", %%stride");
    emit_line(&w.e, "%s;", line.data);
    text_free(&line);
    if (is_store)
        store_memory(&w, is_global);
    else
        store_fragment(&w, 'd', part.count, type);
    return emit_end(&w.e);
}

static struct op_case *matrix_make(const struct form *f, const char *name)
{
    if (is_group(f->op))
        return make_group(f, name);
    if (is_access(f->op))
        return make_access(f, name);
    switch (f->op) {
    case OP_LDMATRIX ... OP_STMATRIX_B8:
        return make_eights(f, name);
    case OP_MOVMATRIX:
        return make_move(f, name);
    default:
        return make_product(f, name);
    }
}

const struct family family_matrix = {
    .variants = matrix_variants, .legal = matrix_legal, .describe = matrix_describe, .make = matrix_make};
