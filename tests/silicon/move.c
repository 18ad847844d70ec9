/*
 * Moves: values, packing, addresses of variables, generic addresses, special registers.
 *
 * Special registers that differ from machine to machine or run to run are tried for consistency only: a
 * later clock is not before an earlier one, a multiprocessor's number is below their count.
 */
#include "base/bits.h"
#include "base/diag.h"
#include "emit.h"
#include "family.h"
#include "place.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

/* Variants of MOV: a plain value, then one a special register, then the address of a variable of a space. */
enum {
    MOV_VALUE,
    MOV_SREG,
    /* %envreg1 and %envreg2, the last two, are addresses that a driver chose: nothing to record. */
    MOV_ADDRESS = MOV_SREG + SREG_ENVREG + 1,
    MOV_COUNT = MOV_ADDRESS + (SPACE_PARAM - SPACE_GLOBAL + 1)
};

/* Variants of MOV_VECTOR. */
enum { VECTOR_REGISTERS, VECTOR_SREG };

/* Variants of UNPACK and PACK: two elements, four, and four of which some are left out. */
enum { PARTS_2, PARTS_4, PARTS_2_SINK, PARTS_4_SINK };

static int move_variants(enum op op)
{
    return op == OP_MOV ? MOV_COUNT : op == OP_UNPACK ? 4 : op == OP_PACK || op == OP_MOV_VECTOR ? 2 : 1;
}

static bool mov_legal(const struct form *f)
{
    const enum type t = (enum type)f->suffixes.type[0];
    if (f->variant == MOV_VALUE)
        return t != TYPE_F16; /* in the table for the sake of old texts; the assembler wants .b16 */
    if (f->variant < MOV_ADDRESS)
        return t == (enum type)sreg_table[f->variant - MOV_SREG].type;
    return t == TYPE_U64;
}

static bool move_legal(const struct form *f, bool complete)
{
    if (!complete)
        return true;
    switch (f->op) {
    case OP_MOV:
        return mov_legal(f);
    case OP_MOV_VECTOR:
        return f->suffixes.mod[GROUP_VEC] != VEC_V8 &&
               suffixes_vector(&f->suffixes) * type_bytes((enum type)f->suffixes.type[0]) <= 16 &&
               (f->variant == VECTOR_REGISTERS ||
                (f->suffixes.type[0] == TYPE_U32 && f->suffixes.mod[GROUP_VEC] == VEC_V4));
    case OP_PACK:
    case OP_UNPACK:
        return f->suffixes.type[0] != TYPE_B16 || f->variant == PARTS_2 || f->variant == PARTS_2_SINK;
    case OP_CVTA:
    case OP_CVTA_TO: /* with 64-bit addresses */
        return f->suffixes.type[0] == TYPE_U64;
    default:
        return true;
    }
}

static void move_describe(const struct form *f, char out[FAMILY_NAME_BYTES])
{
    static const char *const parts[] = {"2", "4", "2_sink", "4_sink"};
    if (f->op == OP_MOV_VECTOR)
        snprintf(out, FAMILY_NAME_BYTES, "%s", f->variant == VECTOR_SREG ? "%tid" : "");
    else if (f->op == OP_PACK || f->op == OP_UNPACK)
        snprintf(out, FAMILY_NAME_BYTES, "%s", parts[f->variant]);
    else if (f->op == OP_MOV && f->variant >= MOV_ADDRESS)
        snprintf(out, FAMILY_NAME_BYTES, "address_%s", mod_text[SPACE_GLOBAL + f->variant - MOV_ADDRESS]);
    else if (f->op == OP_MOV && f->variant >= MOV_SREG)
        snprintf(out, FAMILY_NAME_BYTES, "%s", sreg_table[f->variant - MOV_SREG].text);
}

static void fill_column(void *column, unsigned bytes, unsigned threads, enum type type, struct random *random)
{
    uint64_t edges[VALUES_MAX];
    const enum value_use use = type == TYPE_PRED ? USE_BOOL : USE_NUMBER;
    const int count = values_edges(type, use, edges);
    for (unsigned i = 0; i < threads; i++)
        emit_put(column, bytes, i, (int)i < count ? edges[i] : values_random(type, use, random));
}

static void make_value(struct emitter *e, const struct form *f, struct random *random)
{
    const enum type t = (enum type)f->suffixes.type[0];
    const unsigned bits = type_table[t].bits;
    void *column = emit_input(e, "%a", bits, t == TYPE_PRED ? TYPE_U32 : t);
    emit_register(e, bits, "%d");
    emit_line(e, "mov.%s %%d, %%a;", type_table[t].text);
    emit_output(e, "%d", bits, t == TYPE_PRED ? TYPE_U32 : t);
    fill_column(column, bits == 1 ? 4 : bits / 8, e->c->threads, t, random);
}

/* How a register that is not the same everywhere is boiled down to a predicate %ok. */
enum check { CHECK_NONE, CHECK_POSITIVE, CHECK_BELOW, CHECK_SAME, CHECK_ORDER, CHECK_READ };

static enum check sreg_check(enum sreg r)
{
    switch (r) {
    case SREG_WARPID:
    case SREG_SMID:
        return CHECK_BELOW;
    case SREG_NWARPID:
    case SREG_NSMID:
        return CHECK_POSITIVE;
    case SREG_GRIDID:
        return CHECK_SAME;
    case SREG_CLOCK:
    case SREG_CLOCK_HI:
    case SREG_CLOCK64:
    case SREG_GLOBALTIMER:
    case SREG_GLOBALTIMER_LO:
    case SREG_GLOBALTIMER_HI:
        return CHECK_ORDER;
    case SREG_RESERVED_SMEM_BEGIN: /* silicon has a system's part of shared memory; here it is empty */
    case SREG_RESERVED_SMEM_END:
    case SREG_RESERVED_SMEM_CAP:
    case SREG_RESERVED_SMEM_0:
    case SREG_RESERVED_SMEM_1:
    case SREG_PM:
    case SREG_PM64:
    case SREG_ENVREG:
        return CHECK_READ;
    default:
        return CHECK_NONE;
    }
}

static const char *sreg_spelling(enum sreg r) /* families are spelled with a number */
{
    return r == SREG_PM ? "%pm3" : r == SREG_PM64 ? "%pm3_64" : r == SREG_ENVREG ? "%envreg7" : sreg_table[r].text;
}

/* All three dimensions differ, in the grid and in the block; %i counts through all of them. */
static void shape_launch(struct emitter *e)
{
    static const unsigned grid[3] = {3, 2, 2}, block[3] = {8, 4, 2};
    memcpy(e->c->base.grid, grid, sizeof grid);
    memcpy(e->c->base.block, block, sizeof block);
    static const char *const steps[] = {"%ctaid.z", "%nctaid.y", "%ctaid.y", "%nctaid.x", "%ctaid.x", "%ntid.z",
                                        "%tid.z",   "%ntid.y",   "%tid.y",   "%ntid.x",   "%tid.x"};
    emit_register(e, 32, "%step");
    emit_line(e, "mov.u32 %%i, %s;", steps[0]);
    for (int s = 1; s < 11; s += 2) {
        emit_line(e, "mov.u32 %%flat, %s;", steps[s]);
        emit_line(e, "mov.u32 %%step, %s;", steps[s + 1]);
        emit_line(e, "mad.lo.u32 %%i, %%i, %%flat, %%step;");
    }
}

static void emit_check(struct emitter *e, enum sreg r, unsigned bits)
{
    const char *name = sreg_spelling(r);
    emit_register(e, 1, "%ok");
    emit_register(e, bits, "%d2");
    switch (sreg_check(r)) {
    case CHECK_POSITIVE:
        emit_line(e, "setp.gt.u%u %%ok, %%d, 0;", bits);
        break;
    case CHECK_BELOW:
        emit_line(e, "mov.u32 %%d2, %s;", r == SREG_SMID ? "%nsmid" : "%nwarpid");
        emit_line(e, "setp.lt.u32 %%ok, %%d, %%d2;");
        break;
    case CHECK_SAME:
        emit_line(e, "mov.u%u %%d2, %s;", bits, name);
        emit_line(e, "setp.eq.u%u %%ok, %%d, %%d2;", bits);
        break;
    case CHECK_ORDER: /* the difference, so that a low half may wrap around */
        emit_line(e, "membar.cta;");
        emit_line(e, "mov.u%u %%d2, %s;", bits, name);
        emit_line(e, "sub.s%u %%d2, %%d2, %%d;", bits);
        emit_line(e, "setp.ge.s%u %%ok, %%d2, 0;", bits);
        break;
    default: /* no more can be said than that it can be read */
        emit_line(e, "xor.b%u %%d2, %%d, %%d;", bits);
        emit_line(e, "setp.eq.u%u %%ok, %%d2, 0;", bits);
        break;
    }
    emit_output(e, "%ok", 1, TYPE_U32);
}

static void make_sreg(struct emitter *e, enum sreg r)
{
    const enum type t = (enum type)sreg_table[r].type;
    const unsigned bits = type_table[t].bits;
    shape_launch(e);
    e->version = r == SREG_AGGR_SMEM_SIZE ? 81 : 80;
    e->c->base.shared_bytes = 1024;
    text_printf(&e->module, ".shared .align 16 .b8 used[512];\n");
    emit_line(e, "st.volatile.shared.u32 [used], %%i;");
    emit_register(e, bits, "%d");
    emit_line(e, "mov.%s %%d, %s;", type_table[t].text, sreg_spelling(r));
    if (sreg_check(r) == CHECK_NONE)
        emit_output(e, "%d", bits, t == TYPE_PRED ? TYPE_U32 : t);
    else
        emit_check(e, r, bits);
}

/* The address is that of a variable; what is kept is what lies there. */
static void make_address(struct emitter *e, enum mod space, struct random *random)
{
    emit_register(e, 32, "%d");
    if (space == SPACE_GLOBAL) {
        text_printf(&e->module, ".global .align 4 .u32 other = 5;\n");
        text_printf(&e->module, ".global .align 4 .u32 variable[4] = {11, 22, 33, 44};\n");
        emit_register(e, 64, "%place");
        emit_line(e, "mov.u64 %%place, variable;");
        emit_line(e, "ld.global.u32 %%d, [%%place+8];");
    } else {
        place_make(e, space, 4, false, random);
        emit_line(e, "ld.%s.u32 %%d, [%%place];", mod_text[space]);
    }
    emit_output(e, "%d", 32, TYPE_U32);
}

static void make_pack(struct emitter *e, const struct form *f, struct random *random)
{
    const unsigned bits = type_table[f->suffixes.type[0]].bits, parts = f->variant == PARTS_2 ? 2 : 4;
    static const enum type types[] = {TYPE_B8, TYPE_B16, TYPE_NONE, TYPE_B32, [7] = TYPE_B64};
    const enum type t = types[bits / parts / 8 - 1];
    emit_register(e, bits, "%d");
    struct text list = {0};
    for (unsigned k = 0; k < parts; k++) {
        char reg[16];
        snprintf(reg, sizeof reg, "%%a%u", k);
        void *column = emit_input(e, reg, bits / parts, t);
        fill_column(column, bits / parts / 8, e->c->threads, t, random);
        text_printf(&list, "%s%s", k ? "," : "", reg);
    }
    emit_line(e, "mov.b%u %%d, {%s};", bits, list.data);
    emit_output(e, "%d", bits, (enum type)f->suffixes.type[0]);
    text_free(&list);
}

static void make_unpack(struct emitter *e, const struct form *f, struct random *random)
{
    const enum type whole = (enum type)f->suffixes.type[0];
    const unsigned bits = type_table[whole].bits;
    const unsigned parts = f->variant == PARTS_2 || f->variant == PARTS_2_SINK ? 2 : 4;
    const bool sink = f->variant == PARTS_2_SINK || f->variant == PARTS_4_SINK;
    static const enum type types[] = {TYPE_B8, TYPE_B16, TYPE_NONE, TYPE_B32, [7] = TYPE_B64};
    const unsigned part_bits = bits / parts;
    void *column = emit_input(e, "%a", bits, whole);
    fill_column(column, bits / 8, e->c->threads, whole, random);
    struct text list = {0};
    for (unsigned k = 0; k < parts; k++) {
        if (sink && k % 2 == 0) {
            text_printf(&list, "%s_", k ? "," : "");
            continue;
        }
        emit_line(e, ".reg .b%u %%d%u;", part_bits, k);
        text_printf(&list, "%s%%d%u", k ? "," : "", k);
    }
    emit_line(e, "mov.b%u {%s}, %%a;", bits, list.data);
    for (unsigned k = 0; k < parts; k++) {
        char reg[16];
        snprintf(reg, sizeof reg, "%%d%u", k);
        if (!sink || k % 2)
            emit_output(e, reg, part_bits, types[part_bits / 8 - 1]);
    }
    text_free(&list);
}

/* The elements change places twice: into other registers, and among themselves. */
static void make_vector(struct emitter *e, const struct form *f, struct random *random)
{
    const enum type t = (enum type)f->suffixes.type[0];
    const unsigned bits = type_table[t].bits, n = suffixes_vector(&f->suffixes);
    struct text to = {0}, from = {0}, turned = {0};
    for (unsigned k = 0; k < n; k++) {
        char reg[16];
        snprintf(reg, sizeof reg, "%%a%u", k);
        fill_column(emit_input(e, reg, bits, t), bits / 8, e->c->threads, t, random);
        snprintf(reg, sizeof reg, "%%d%u", k);
        emit_register(e, bits, reg);
        text_printf(&to, "%s%%d%u", k ? ", " : "", k);
        text_printf(&from, "%s%%a%u", k ? ", " : "", n - 1 - k);
        text_printf(&turned, "%s%%d%u", k ? ", " : "", (k + 1) % n);
    }
    const char *vector = mod_text[f->suffixes.mod[GROUP_VEC]], *type = type_table[t].text;
    if (f->variant == VECTOR_SREG) {
        emit_line(e, "mov.%s.%s {%s}, %%tid;", vector, type, to.data);
    } else {
        emit_line(e, "mov.%s.%s {%s}, {%s};", vector, type, to.data, from.data);
        emit_line(e, "mov.%s.%s {%s}, {%s};", vector, type, to.data, turned.data);
    }
    for (unsigned k = 0; k < n; k++) {
        char reg[16];
        snprintf(reg, sizeof reg, "%%d%u", k);
        emit_output(e, reg, bits, t);
    }
    text_free(&to);
    text_free(&from);
    text_free(&turned);
}

static void make_cvta(struct emitter *e, const struct form *f, struct random *random)
{
    const enum mod space = (enum mod)f->suffixes.mod[GROUP_SPACE];
    const char *text = mod_text[space];
    place_make(e, space, 4, false, random);
    emit_register(e, 64, "%generic");
    emit_register(e, 32, "%d");
    emit_line(e, "cvta.%s.u64 %%generic, %%place;", text);
    if (f->op == OP_CVTA) {
        emit_line(e, "ld.u32 %%d, [%%generic];");
    } else {
        emit_line(e, "cvta.to.%s.u64 %%generic, %%generic;", text);
        emit_line(e, "ld.%s.u32 %%d, [%%generic];", text);
    }
    emit_output(e, "%d", 32, TYPE_U32);
}

/* Asks one question of a generic address of every space. */
static void make_isspacep(struct emitter *e, const struct form *f, struct random *random)
{
    const char *text = mod_text[f->suffixes.mod[GROUP_SPACE]];
    emit_register(e, 64, "%generic");
    for (int space = SPACE_GLOBAL; space <= SPACE_PARAM; space++) {
        char reg[16];
        snprintf(reg, sizeof reg, "%%p%d", space - SPACE_GLOBAL);
        emit_register(e, 1, reg);
        emit_line(e, "{");
        place_make(e, (enum mod)space, 4, false, random);
        emit_line(e, "cvta.%s.u64 %%generic, %%place;", mod_text[space]);
        emit_line(e, "isspacep.%s %s, %%generic;", text, reg);
        emit_line(e, "}");
    }
    for (int space = SPACE_GLOBAL; space <= SPACE_PARAM; space++) {
        char reg[16];
        snprintf(reg, sizeof reg, "%%p%d", space - SPACE_GLOBAL);
        emit_output(e, reg, 1, TYPE_U32);
    }
}

static struct op_case *move_make(const struct form *f, const char *name)
{
    struct emitter e;
    const bool is_sreg = f->op == OP_MOV && f->variant >= MOV_SREG && f->variant < MOV_ADDRESS;
    struct random random = {.state = bits_hash(BITS_HASH_SEED, name, strlen(name))};
    emit_begin(&e, f->op, name, is_sreg ? 768 : 256, is_sreg ? 64 : 128);
    if (f->suffixes.type[0] == TYPE_B128)
        e.version = 83;
    if (f->op == OP_PACK)
        make_pack(&e, f, &random);
    else if (f->op == OP_UNPACK)
        make_unpack(&e, f, &random);
    else if (f->op == OP_MOV_VECTOR)
        make_vector(&e, f, &random);
    else if (f->op == OP_ISSPACEP)
        make_isspacep(&e, f, &random);
    else if (f->op != OP_MOV)
        make_cvta(&e, f, &random);
    else if (f->variant == MOV_VALUE)
        make_value(&e, f, &random);
    else if (is_sreg)
        make_sreg(&e, (enum sreg)(f->variant - MOV_SREG));
    else
        make_address(&e, (enum mod)(SPACE_GLOBAL + f->variant - MOV_ADDRESS), &random);
    return emit_end(&e);
}

const struct family family_move = {
    .variants = move_variants, .legal = move_legal, .describe = move_describe, .make = move_make};
