/* Running scripts: which forms they are legal for, and the kernel around them. */
#include "script.h"

#include "base/bits.h"
#include "base/diag.h"
#include "base/random.h"
#include "emit.h"
#include "family.h"

#include <stdio.h>
#include <string.h>

enum { BLOCKS = 2 };

/* The n-th script of the row, or NULL. */
static const struct script *script_find(enum op op, int n)
{
    for (int i = 0; i < script_count; i++)
        if (script_table[i].op == op && n-- == 0)
            return &script_table[i];
    for (int i = 0; i < script_count_async; i++)
        if (script_table_async[i].op == op && n-- == 0)
            return &script_table_async[i];
    return NULL;
}

static int script_variants(enum op op)
{
    int n = 0;
    while (script_find(op, n))
        n++;
    return n;
}

static bool redux_legal(enum mod redux, enum type t)
{
    const bool bits = redux == REDUX_AND || redux == REDUX_OR || redux == REDUX_XOR;
    return bits == (type_table[t].kind == KIND_BITS);
}

/* Rows about the L2, and st.bulk: spaces, levels and orders that they take. */
static bool hint_legal(const struct form *f)
{
    const struct suffixes *s = &f->suffixes;
    const enum mod space = (enum mod)s->mod[GROUP_SPACE];
    if (f->op == OP_ST_BULK)
        return space == SPACE_SHARED && s->mod[GROUP_SEM] == SEM_WEAK; /* as the script spells it */
    if (space && space != SPACE_GLOBAL)
        return false;
    if (f->op == OP_APPLYPRIORITY)
        return s->mod[GROUP_PRIORITY] == PRIORITY_NORMAL;
    return f->op == OP_POLICY_RANGE || s->mod[GROUP_LEVEL] == LEVEL_L2;
}

static bool is_pair(const struct suffixes *s, bool is_optional, enum mod first, enum mod second)
{
    const enum mod sem = (enum mod)s->mod[GROUP_SEM], scope = (enum mod)s->mod[GROUP_SCOPE];
    if (!sem || !scope)
        return is_optional && !sem && !scope;
    return (sem == first || sem == second) && (scope == SCOPE_CTA || scope == SCOPE_CLUSTER);
}

/* Forms that PTX has of operations on mbarriers. */
static bool mbarrier_legal(const struct form *f, const struct script *script)
{
    const struct suffixes *s = &f->suffixes;
    const enum mod space = (enum mod)s->mod[GROUP_SPACE];
    const bool is_remote = space == SPACE_CLUSTER;
    if (space && space != SPACE_SHARED && !is_remote)
        return false;
    switch (f->op) {
    case OP_MBARRIER_EXPECT:
    case OP_MBARRIER_COMPLETE:
        return space && is_pair(s, true, SEM_RELAXED, SEM_RELAXED);
    case OP_MBARRIER_ARRIVE:
    case OP_MBARRIER_ARRIVE_EXPECT:
    case OP_MBARRIER_DROP:
    case OP_MBARRIER_DROP_EXPECT:
        return is_pair(s, true, SEM_RELEASE, SEM_RELAXED) && !(is_remote && script->flags & SCRIPT_STATE) &&
               (!is_remote || s->mod[GROUP_SEM]);
    case OP_MBARRIER_ARRIVE_NO_COMPLETE:
    case OP_MBARRIER_DROP_NO_COMPLETE:
        return !is_remote && is_pair(s, true, SEM_RELEASE, SEM_RELEASE) && s->mod[GROUP_SCOPE] != SCOPE_CLUSTER;
    case OP_MBARRIER_TEST ... OP_MBARRIER_TRY_PARITY:
        return !is_remote && is_pair(s, true, SEM_ACQUIRE, SEM_RELAXED);
    default:
        return !is_remote;
    }
}

/* Forms that PTX has of fences of one kind each. */
static bool fence_legal(const struct form *f)
{
    const enum mod sem = (enum mod)f->suffixes.mod[GROUP_SEM], scope = (enum mod)f->suffixes.mod[GROUP_SCOPE];
    const enum mod space = (enum mod)f->suffixes.mod[GROUP_SPACE];
    switch (f->op) {
    case OP_FENCE_ASYNC:
        return !space || space == SPACE_GLOBAL || space == SPACE_CLUSTER;
    case OP_FENCE_ASYNC_ACQUIRE:
    case OP_FENCE_ACQUIRE_CLUSTER:
        return sem == SEM_ACQUIRE && scope == SCOPE_CLUSTER;
    case OP_FENCE_ASYNC_RELEASE:
    case OP_FENCE_RELEASE_CTA:
    case OP_FENCE_BARRIER_INIT:
        return sem == SEM_RELEASE && scope == SCOPE_CLUSTER;
    case OP_FENCE_TENSORMAP:
        return sem == SEM_RELEASE;
    case OP_FENCE_TENSORMAP_OF:
        return sem == SEM_ACQUIRE;
    case OP_PREFETCH_TENSORMAP:
        return !space;
    default:
        return true;
    }
}

static bool reduction_legal(enum op op, enum mod atom, enum type t)
{
    const bool is_half = t == TYPE_F16 || t == TYPE_BF16, is_float = is_half || t == TYPE_F32 || t == TYPE_F64;
    const bool is_bits = type_table[t].kind == KIND_BITS;
    const bool is_logic = atom == ATOM_AND || atom == ATOM_OR || atom == ATOM_XOR;
    if (atom == ATOM_EXCH || is_logic != is_bits)
        return false;
    if (op == OP_BULK_REDUCE_NOFTZ)
        return atom == ATOM_ADD;
    if (is_half)
        return atom == ATOM_MIN || atom == ATOM_MAX;
    if (is_float || (op != OP_BULK_REDUCE && t == TYPE_U64))
        return atom == ATOM_ADD;
    if (t == TYPE_S64 && atom == ATOM_ADD)
        return false;
    if (op != OP_BULK_REDUCE && type_bytes(t) == 8)
        return false;
    return (atom != ATOM_INC && atom != ATOM_DEC) || t == TYPE_U32;
}

/* An asynchronous copy. */
static bool is_copy(const struct form *f)
{
    return f->op >= OP_CP_ASYNC && f->op <= OP_RED_ASYNC;
}

/* Forms that PTX has of asynchronous copies. */
static bool copy_legal(const struct form *f)
{
    const struct suffixes *s = &f->suffixes;
    const enum mod space = (enum mod)s->mod[GROUP_SPACE], cache = (enum mod)s->mod[GROUP_CACHE];
    const enum type t = (enum type)s->type[0];
    switch (f->op) {
    case OP_CP_ASYNC:
    case OP_CP_ASYNC_IGNORE:
        return space == SPACE_SHARED && (cache == CACHE_CA || cache == CACHE_CG);
    case OP_CP_ASYNC_ARRIVE:
    case OP_CP_ASYNC_ARRIVE_NOINC:
        return !space || space == SPACE_SHARED;
    case OP_BULK_LOAD:
    case OP_BULK_MULTICAST:
    case OP_BULK_PEER:
        return space == SPACE_CLUSTER;
    case OP_BULK_REDUCE_PEER:
        return space == SPACE_CLUSTER && reduction_legal((enum op)f->op, (enum mod)s->mod[GROUP_ATOM], t);
    case OP_BULK_STORE:
    case OP_BULK_STORE_MASK:
    case OP_BULK_PREFETCH:
        return space == SPACE_GLOBAL;
    case OP_BULK_REDUCE:
    case OP_BULK_REDUCE_NOFTZ:
        return space == SPACE_GLOBAL && reduction_legal((enum op)f->op, (enum mod)s->mod[GROUP_ATOM], t);
    case OP_ST_ASYNC:
        return space == SPACE_CLUSTER && (!s->mod[GROUP_SEM] || s->mod[GROUP_SEM] == SEM_WEAK) &&
               suffixes_vector(s) * type_bytes(t) <= 16;
    case OP_RED_ASYNC:
        return space == SPACE_CLUSTER && reduction_legal((enum op)f->op, (enum mod)s->mod[GROUP_ATOM], t) &&
               s->mod[GROUP_SEM] == SEM_RELAXED && s->mod[GROUP_SCOPE] == SCOPE_CLUSTER;
    default:
        return true;
    }
}

/* mapa and getctarank: the width decides which kind of address the script makes. */
static bool address_legal(const struct form *f, const struct script *script)
{
    const bool is_narrow = !strcmp(script->tag, "narrow");
    return is_narrow ? f->suffixes.type[0] == TYPE_U32 && f->suffixes.mod[GROUP_SPACE] == SPACE_CLUSTER
                     : f->suffixes.type[0] == TYPE_U64 && !f->suffixes.mod[GROUP_SPACE];
}

static bool script_legal(const struct form *f, bool complete)
{
    if (!complete)
        return true;
    const struct suffixes *s = &f->suffixes;
    const enum mod sem = (enum mod)s->mod[GROUP_SEM];
    const struct script *script = script_find(f->op, f->variant);
    if ((script->flags & SCRIPT_DIVERGENT) && (suffixes_has(s, FLAG_UNI) || suffixes_has(s, FLAG_ALIGNED)))
        return false;
    switch (f->op) {
    case OP_FENCE_ALIAS ... OP_PREFETCH_TENSORMAP:
        return fence_legal(f);
    case OP_CP_ASYNC ... OP_RED_ASYNC:
        return copy_legal(f);
    case OP_MBARRIER_INIT ... OP_MBARRIER_PENDING:
        return mbarrier_legal(f, script);
    case OP_MAPA:
    case OP_CTARANK:
        return address_legal(f, script);
    case OP_CLUSTER_ARRIVE:
        return !sem || sem == SEM_RELEASE || sem == SEM_RELAXED;
    case OP_CLUSTER_WAIT:
        return !sem || sem == SEM_ACQUIRE;
    case OP_FENCE:
        return sem == MOD_NONE || sem == SEM_SC || sem == SEM_ACQ_REL || sem == SEM_ACQUIRE || sem == SEM_RELEASE;
    case OP_REDUX:
        return redux_legal((enum mod)s->mod[GROUP_REDUX], (enum type)s->type[0]);
    case OP_REDUX_F:
        return s->mod[GROUP_REDUX] == REDUX_MIN || s->mod[GROUP_REDUX] == REDUX_MAX;
    case OP_POLICY_RANGE:
    case OP_APPLYPRIORITY:
    case OP_DISCARD:
    case OP_POLICY_CVT:
    case OP_ST_BULK:
        return hint_legal(f);
    case OP_BAR_RED:
    case OP_BARRIER_RED:
        return s->mod[GROUP_BOOL] != BOOL_XOR;
    default:
        return true;
    }
}

static void script_describe(const struct form *f, char out[FAMILY_NAME_BYTES])
{
    snprintf(out, FAMILY_NAME_BYTES, "%s", script_find(f->op, f->variant)->tag);
}

/* Bytes that cp.async copies. */
static unsigned copied_bytes(const struct form *f)
{
    if (f->suffixes.mod[GROUP_CACHE] == CACHE_CG)
        return 16;
    const unsigned prefetch = f->suffixes.mod[GROUP_PREFETCH];
    return prefetch == PREFETCH_L2_64B ? 8 : prefetch == PREFETCH_L2_128B ? 16 : 4;
}

/* The value or values that st.async or red.async takes. */
static const char *stored_value(const struct form *f)
{
    const bool is_wide = type_bytes((enum type)f->suffixes.type[0]) == 8;
    switch (suffixes_vector(&f->suffixes)) {
    case 2:
        return is_wide ? "{%w, %w}" : "{%x, %t}";
    case 4:
        return "{%x, %t, %x, %t}";
    default:
        return is_wide ? "%w" : f->op == OP_RED_ASYNC ? "%y" : "%x";
    }
}

/* The script's text with its signs replaced. */
static void expand(struct text *out, const char *text, const struct form *f)
{
    struct text mnemonic = {0};
    form_print(f, &mnemonic);
    const bool up = f->suffixes.mod[GROUP_SHFL] == SHFL_UP;
    for (; *text; text++)
        switch (*text) {
        case '$':
            text_append(out, mnemonic.data, mnemonic.length);
            break;
        case '^':
            text_printf(out, "%s", type_table[f->suffixes.type[0]].text);
            break;
        case '~':
            text_printf(out, up ? "0" : "31");
            break;
        case '#':
            text_printf(out, up ? "0x1000" : "0x101f");
            break;
        case '@':
            /* a guard has the sign, too */
            text_printf(out, text[1] != ']' ? "@" : f->suffixes.mod[GROUP_SPACE] ? "%%r8" : "%%rd3");
            break;
        case '`':
            text_printf(out, "%u", copied_bytes(f));
            break;
        case '?':
            text_printf(out, "%u", suffixes_vector(&f->suffixes) * type_bytes((enum type)f->suffixes.type[0]));
            break;
        case '&':
            text_printf(out, "%s", stored_value(f));
            break;
        case '|': /* elsewhere it stands between two destinations */
            text_printf(out, !is_copy(f) ? "|" : suffixes_has(&f->suffixes, FLAG_HINT) ? ", %%policy" : "");
            break;
        default:
            text_append(out, text, 1);
        }
    text_free(&mnemonic);
}

static uint32_t input_value(char style, unsigned thread, struct random *random)
{
    const uint64_t noise = random_u64(random);
    switch (style) {
    case 's':
        return noise % 8;
    case 'l':
        return noise % 32;
    case 'm':
        return noise % 64;
    case 'w':
        return thread / 32 * 7 + 1;
    case 'f': {
        static const uint32_t edges[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                         0x00000001, 0x80000001, 0x7f7fffff, 0x7fc00000, 0xffc12345, 0x7f800001};
        return noise % 4 ? (uint32_t)(noise >> 32) : edges[noise / 4 % (sizeof edges / sizeof *edges)];
    }
    case 'g': {
        const float value = thread % 32 <= 16 ? (float)(thread % 32) / 16.0f : (float)(noise % 1000) / 1000.0f;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    case 'c': /* bits 0..4: clamp; bits 8..12: segment mask */
        return (uint32_t)((noise & 0x1f) | ((noise >> 8 & 3) ? (noise >> 16 & 0x1f) << 8 : 0));
    default:
        return (uint32_t)noise;
    }
}

static void emit_inputs(struct emitter *e, const struct script *script, struct random *random)
{
    static const char *const names[] = {"%x", "%y", "%z"};
    for (int k = 0; script->inputs[k]; k++) {
        void *column = emit_input(e, names[k], 32, TYPE_B32);
        for (unsigned i = 0; i < e->c->threads; i++)
            emit_put(column, 4, i, input_value(script->inputs[k], i, random));
    }
}

static void emit_scratch(struct emitter *e, const struct form *f, const struct script *script)
{
    emit_line(e, ".reg .b32 %%r<10>, %%o<4>;");
    emit_line(e, ".reg .b64 %%rd<4>;");
    emit_line(e, ".reg .pred %%p<6>;");
    for (int k = 0; k < script->outputs; k++)
        emit_line(e, "mov.u32 %%o%d, 0;", k);
    if (is_copy(f) && suffixes_has(&f->suffixes, FLAG_HINT)) {
        emit_line(e, ".reg .b64 %%policy;");
        emit_line(e, "createpolicy.fractional.L2::evict_first.b64 %%policy;");
    }
    if (f->op == OP_MATCH_ANY || f->op == OP_MATCH_ALL) {
        const bool wide = f->suffixes.type[0] == TYPE_B64;
        emit_line(e, ".reg .b%d %%v;", wide ? 64 : 32);
        emit_line(e, wide ? "mov.b64 %%v, {%%y, %%y};" : "mov.b32 %%v, %%y;");
    }
    if (f->op == OP_ALLOCA || f->op == OP_STACKSAVE || f->op == OP_STACKRESTORE) {
        emit_line(e, ".reg .%s %%w, %%w2, %%n;", type_table[f->suffixes.type[0]].text);
        emit_line(e, "mov.%s %%n, 24;", type_table[f->suffixes.type[0]].text);
    }
}

static struct op_case *script_make(const struct form *f, const char *name)
{
    const struct script *script = script_find(f->op, f->variant);
    struct emitter e;
    struct random random = {.state = bits_hash(BITS_HASH_SEED, name, strlen(name))};
    emit_begin(&e, f->op, name, BLOCKS * script->block, script->block);
    if (script->flags & SCRIPT_OLD) {
        e.version = 60;
        e.target = "sm_60";
        e.c->may_be_absent = true;
    }
    if (script->flags & SCRIPT_SM_90A)
        e.target = "sm_90a";
    if (script->flags & SCRIPT_SM_100) {
        e.version = 86;
        e.target = "sm_100a";
        e.c->may_be_absent = true;
    }
    if (f->suffixes.mod[GROUP_SEM] == SEM_ACQUIRE || f->suffixes.mod[GROUP_SEM] == SEM_RELEASE)
        e.version = 86; /* fences of one direction */
    if (f->op >= OP_FENCE_ALIAS && f->op <= OP_CTARANK)
        e.version = 90;
    if (script->flags & SCRIPT_NEWER) {
        e.target = "sm_100";
        e.c->may_be_absent = true;
    }
    if (script->flags & SCRIPT_CLUSTER)
        e.directives = ".reqnctapercluster 2\n";
    expand(&e.module, script->module, f);
    emit_inputs(&e, script, &random);
    emit_scratch(&e, f, script);
    expand(&e.body, script->body, f);
    for (int k = 0; k < script->outputs; k++) {
        char reg[16];
        snprintf(reg, sizeof reg, "%%o%d", k);
        emit_output(&e, reg, 32, TYPE_U32);
    }
    return emit_end(&e);
}

const struct family family_script = {
    .variants = script_variants, .legal = script_legal, .describe = script_describe, .make = script_make};
