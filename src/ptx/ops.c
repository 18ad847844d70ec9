/*
 * The instruction table as data: expands the .def files into arrays, and splits the patterns of ops.def (whose opening
 * comment is their grammar) into elements and slots. A pattern that is wrong is a mistake of ours, so it panics.
 */
#include "ptx/ops.h"

#include "base/diag.h"

#include <stdio.h>
#include <string.h>

const struct type_info type_table[TYPE_COUNT] = {
    [TYPE_NONE] = {"", 0, KIND_NONE},
#define TYPE(name, text, bits, kind) [TYPE_##name] = {text, bits, KIND_##kind},
#include "ptx/types.def"
};

const char *const mod_text[MOD_COUNT] = {
    [MOD_NONE] = "",
#define MOD(group, name, text) [group##_##name] = text,
#define ALIAS(group, name, text)
#define FLAG(name, text)
#include "ptx/mods.def"
};

const char *const flag_text[FLAG_COUNT] = {
#define MOD(group, name, text)
#define ALIAS(group, name, text)
#define FLAG(name, text) [FLAG_##name] = text,
#include "ptx/mods.def"
};

static const uint8_t mod_groups[MOD_COUNT] = {
#define MOD(group, name, text) [group##_##name] = GROUP_##group,
#define ALIAS(group, name, text)
#define FLAG(name, text)
#include "ptx/mods.def"
};

enum { THREAD = SCOPE_THREAD_FIXED, BLOCK = SCOPE_BLOCK_FIXED, GRID = SCOPE_GRID_FIXED, DYNAMIC = SCOPE_EVERY_READ };

const struct sreg_info sreg_table[SREG_COUNT] = {
#define SREG(name, text, type, scope, meaning) [SREG_##name] = {text, TYPE_##type, scope, meaning},
#include "ptx/sregs.def"
};

const char *const class_text[CLASS_COUNT] = {
#define CLASS(name, meaning) [CLASS_##name] = meaning,
#include "ptx/class.def"
};

const struct op_info op_table[OP_COUNT] = {
    [OP_NONE] = {"NONE", "", "", "", 0, ""},
#define OP(id, mnemonic, suffixes, operands, class, meaning) \
    [OP_##id] = {#id, mnemonic, suffixes, operands, CLASS_##class, meaning},
#include "ptx/ops.def"
};

enum group mod_group(enum mod m)
{
    return (enum group)mod_groups[m];
}

enum type type_find(const char *text, int length)
{
    for (int t = 1; t < TYPE_COUNT; t++)
        if ((int)strlen(type_table[t].text) == length && !memcmp(type_table[t].text, text, (size_t)length))
            return (enum type)t;
    return TYPE_NONE;
}

/* The digits in the names of %pm3, %pm3_64 and %envreg12 do not matter, since all these registers are always 0;
 * %envreg1 and %envreg2 have rows of their own. */
static int sreg_family(const char *text, int length)
{
    if (length > 7 && !memcmp(text, "%envreg", 7))
        return SREG_ENVREG;
    if (length >= 4 && !memcmp(text, "%pm", 3) && text[3] >= '0' && text[3] <= '7')
        return length == 4 ? SREG_PM : length == 7 && !memcmp(text + 4, "_64", 3) ? SREG_PM64 : -1;
    return -1;
}

int sreg_find(const char *text, int length)
{
    for (int r = 0; r < SREG_COUNT; r++)
        if ((int)strlen(sreg_table[r].text) == length && !memcmp(sreg_table[r].text, text, (size_t)length))
            return r;
    return sreg_family(text, length);
}

static bool word_is(const char *word, int length, const char *text)
{
    return (int)strlen(text) == length && !memcmp(word, text, (size_t)length);
}

#define BIT(name) (1ull << TYPE_##name)

/* Names that stand for several types in a suffix pattern. */
static const struct {
    const char *name;
    uint64_t types; /* bit by enum type */
} type_sets[] = {
    {"int", BIT(U16) | BIT(S16) | BIT(U32) | BIT(S32) | BIT(U64) | BIT(S64)},
    {"anyint", BIT(U8) | BIT(S8) | BIT(U16) | BIT(S16) | BIT(U32) | BIT(S32) | BIT(U64) | BIT(S64)},
    {"cmp", BIT(B16) | BIT(B32) | BIT(B64) | BIT(U16) | BIT(S16) | BIT(U32) | BIT(S32) | BIT(U64) | BIT(S64)},
    {"float", BIT(F16) | BIT(BF16) | BIT(F32) | BIT(F64)},
    {"mem", BIT(B8) | BIT(U8) | BIT(S8) | BIT(B16) | BIT(U16) | BIT(S16) | BIT(F16) | BIT(B32) | BIT(U32) | BIT(S32) |
                BIT(F32) | BIT(B64) | BIT(U64) | BIT(S64) | BIT(F64) | BIT(B128)},
    {"atomic", BIT(B32) | BIT(U32) | BIT(S32) | BIT(F32) | BIT(B64) | BIT(U64) | BIT(S64) | BIT(F64)},
};

/* The types of a list such as "u32|s32" or "int", one bit per enum type. */
static uint64_t parse_type_list(const char *word, int length)
{
    uint64_t types = 0;
    while (length > 0) {
        int n = 0;
        while (n < length && word[n] != '|')
            n++;
        uint64_t found = 0;
        for (size_t i = 0; i < sizeof type_sets / sizeof *type_sets; i++)
            if (word_is(word, n, type_sets[i].name))
                found = type_sets[i].types;
        if (!found && type_find(word, n))
            found = 1ull << type_find(word, n);
        if (!found)
            panic("ops.def: no type or type set '%.*s'", n, word);
        types |= found;
        word += n + 1;
        length -= n + 1;
    }
    return types;
}

static const char *const group_text[GROUP_COUNT] = {
    [GROUP_RND] = "rnd",           [GROUP_CMP] = "cmp",           [GROUP_BOOL] = "bool",
    [GROUP_HALF] = "half",         [GROUP_SPACE] = "space",       [GROUP_VEC] = "vec",
    [GROUP_ATOM] = "atom",         [GROUP_SEM] = "sem",           [GROUP_SCOPE] = "scope",
    [GROUP_FENCE] = "fence",       [GROUP_CACHE] = "cache",       [GROUP_EVICT] = "evict",
    [GROUP_LEVEL] = "level",       [GROUP_PREFETCH] = "prefetch", [GROUP_DIR] = "dir",
    [GROUP_WRAP] = "wrap",         [GROUP_PRMT] = "prmt",         [GROUP_TESTP] = "testp",
    [GROUP_SHFL] = "shfl",         [GROUP_VOTE] = "vote",         [GROUP_REDUX] = "redux",
    [GROUP_GEOM] = "geom",         [GROUP_SECOND] = "second",     [GROUP_SCALE] = "scale",
    [GROUP_ALAYOUT] = "alayout",   [GROUP_BLAYOUT] = "blayout",   [GROUP_SPARSE] = "sparse",
    [GROUP_BITOP] = "bitop",       [GROUP_NUM] = "num",           [GROUP_WMMA] = "wmma",
    [GROUP_FRAGMENT] = "fragment", [GROUP_WGMMA] = "wgmma",       [GROUP_PRIORITY] = "priority",
    [GROUP_FALLBACK] = "fallback", [GROUP_EXPANDED] = "expanded", [GROUP_PACKED] = "packed",
    [GROUP_DIM] = "dim",           [GROUP_BOX] = "box",           [GROUP_PAIR] = "pair",
    [GROUP_FIELD] = "field",       [GROUP_FLAT] = "flat",         [GROUP_GATHER] = "gather",
    [GROUP_COMP] = "comp",         [GROUP_QUERY] = "query",       [GROUP_BOUNDS] = "bounds",
    [GROUP_EXTREME] = "extreme",   [GROUP_ANDOR] = "andor",
};

const char *group_name(enum group g)
{
    return group_text[g];
}

/* Splits one word of a suffix pattern: "rnd", "rnd?", "rnd(rn|rz)", ".sat", "=init", ":u32" or "@m8n8k4|m16n8k8". */
static struct element parse_element(const char *word, int length, int types_so_far)
{
    struct element e = {.kind = ELEMENT_GROUP};
    if (word[length - 1] == '?') {
        e.optional = true;
        length--;
    }
    if (word[0] == ':') {
        e.kind = ELEMENT_TYPE;
        e.which = (uint8_t)types_so_far;
        e.types = parse_type_list(word + 1, length - 1);
        return e;
    }
    if (word[0] == '@') {
        e.kind = ELEMENT_SHAPE;
        e.only = word + 1;
        e.only_length = length - 1;
        return e;
    }
    const char *list = memchr(word, '(', (size_t)length);
    if (list) {
        e.only = list + 1;
        e.only_length = length - (int)(list - word) - 2;
        length = (int)(list - word);
    }
    if (word[0] == '=') {
        e.kind = ELEMENT_WORD;
        e.word = word + 1;
        e.word_length = length - 1;
        return e;
    }
    if (word[0] == '.') {
        e.kind = ELEMENT_FLAG;
        for (int f = 0; f < FLAG_COUNT; f++)
            if (word_is(word + 1, length - 1, flag_text[f])) {
                e.which = (uint8_t)f;
                return e;
            }
    }
    for (int g = 0; g < GROUP_COUNT; g++)
        if (word_is(word, length, group_text[g])) {
            e.which = (uint8_t)g;
            return e;
        }
    panic("ops.def: no suffix group or flag '%.*s'", length, word);
}

/* The text of the n-th word of a list such as "row|col"; false behind the last one. */
static bool list_word(const char *list, int length, int n, const char **word, int *word_length)
{
    for (; length > 0; n--) {
        int size = 0;
        while (size < length && list[size] != '|')
            size++;
        *word = list;
        *word_length = size;
        if (!n)
            return true;
        list += size + 1;
        length -= size + 1;
    }
    return false;
}

bool element_takes_mod(const struct element *e, enum mod m)
{
    const char *word;
    int length;
    if (e->kind != ELEMENT_GROUP || mod_group(m) != (enum group)e->which || m == MOD_NONE)
        return false;
    for (int i = 0; e->only && list_word(e->only, e->only_length, i, &word, &length); i++)
        if (word_is(word, length, mod_text[m]))
            return true;
    return !e->only;
}

static int read_number(const char **text, const char *end)
{
    int value = 0;
    const char *from = *text;
    while (*text < end && **text >= '0' && **text <= '9' && value < 1024)
        value = 10 * value + *(*text)++ - '0';
    return *text > from ? value : 0;
}

uint32_t shape_find(const char *text, int length)
{
    const char *end = text + length;
    int size[3] = {0};
    for (int i = 0; i < 3 && text < end; i++) {
        if (*text++ != "mnk"[i])
            return 0;
        size[i] = read_number(&text, end);
        if (!size[i] || size[i] > 1023)
            return 0;
    }
    return text == end && size[1] ? shape_make((unsigned)size[0], (unsigned)size[1], (unsigned)size[2]) : 0;
}

const char *shape_text(uint32_t shape, char buffer[SHAPE_TEXT_BYTES])
{
    int n = snprintf(buffer, SHAPE_TEXT_BYTES, "m%un%u", shape_m(shape), shape_n(shape));
    if (shape_k(shape))
        snprintf(buffer + n, SHAPE_TEXT_BYTES - (size_t)n, "k%u", shape_k(shape));
    return buffer;
}

/* Shapes of wgmma have any multiple of 8 up to 256 as n ("m64n*k16"), or, for integers, one that is also a multiple of
 * 16 or below 32 ("m64n#k32"). */
int element_shapes(const struct element *e, uint32_t *out, int most)
{
    const char *word;
    int length, count = 0;
    for (int i = 0; list_word(e->only, e->only_length, i, &word, &length); i++) {
        const char *any = memchr(word, '*', (size_t)length), *some = memchr(word, '#', (size_t)length);
        if (!any && !some) {
            if (count < most)
                out[count] = shape_find(word, length);
            count++;
            continue;
        }
        const char *behind = (any ? any : some) + 2, *from = word + 1;
        unsigned m = (unsigned)read_number(&from, word + length), k = (unsigned)read_number(&behind, word + length);
        for (unsigned n = 8; n <= 256; n += 8) {
            if (some && n > 32 && n % 16)
                continue;
            if (count < most)
                out[count] = shape_make(m, n, k);
            count++;
        }
    }
    return count;
}

int op_split_suffixes(const char *pattern, struct element out[OP_MAX_ELEMENTS])
{
    int count = 0, types = 0;
    while (*pattern) {
        int n = (int)strcspn(pattern, " ");
        if (count + 1 >= OP_MAX_ELEMENTS)
            panic("ops.def: too many suffixes");
        out[count] = parse_element(pattern, n, types);
        types += out[count].kind == ELEMENT_TYPE;
        if (types > OP_MAX_TYPES)
            panic("ops.def: too many types");
        count++;
        pattern += n;
        pattern += strspn(pattern, " ");
    }
    out[count] = (struct element){.kind = ELEMENT_END};
    return count;
}

static const struct {
    const char *text;
    enum role role;
} role_texts[] = {
    {"d", ROLE_DEST},         {"e", ROLE_DEST_SECOND},   {"a", ROLE_VALUE},        {"i", ROLE_IMMEDIATE},
    {"g", ROLE_PREDICATE},    {"m", ROLE_ADDRESS},       {"x", ROLE_TEXTURE},      {"v", ROLE_DEST_VECTOR},
    {"w", ROLE_VALUE_VECTOR}, {"w4", ROLE_VALUE_FOUR},   {"pack", ROLE_PACK},      {"unpack", ROLE_UNPACK},
    {"label", ROLE_LABEL},    {"targets", ROLE_TARGETS}, {"call", ROLE_CALL},      {"md", ROLE_MATRIX_D},
    {"ma", ROLE_MATRIX_A},    {"mb", ROLE_MATRIX_B},     {"mc", ROLE_MATRIX_C},    {"mx", ROLE_ACCUMULATOR},
    {"mt", ROLE_TILE_A},      {"p", ROLE_POLICY},        {"n", ROLE_ADDRESS_MORE}, {"z", ROLE_TENSOR},
    {"l", ROLE_LIST},         {"o", ROLE_OBJECT},        {"k", ROLE_AXES},
};

/* Takes the marks behind the type of an operand ("?", "+", "-", "@4") and returns the length without them. */
static int parse_marks(const char *word, int length, struct op_slot *s)
{
    for (;; length--) {
        char mark = word[length - 1];
        if (mark == '?')
            s->optional = true;
        else if (mark == '+')
            s->wider = true;
        else if (mark == '-')
            s->minus = true;
        else if (length >= 2 && word[length - 2] == '@')
            s->selects = (uint8_t)(word[--length] - '0');
        else
            return length;
    }
}

/* Splits one word of an operand pattern: "d:t", "a:u32?" or "v:t+". */
static struct op_slot parse_slot(const char *word, int length)
{
    struct op_slot s = {.role = ROLE_END};
    length = parse_marks(word, length, &s);
    int n = 0;
    while (n < length && word[n] != ':')
        n++;
    for (size_t i = 0; i < sizeof role_texts / sizeof *role_texts; i++)
        if (word_is(word, n, role_texts[i].text))
            s.role = role_texts[i].role;
    const char *type = word + n + 1;
    int type_length = length - n - 1;
    if (type_length > 0) {
        if (word_is(type, type_length, "t"))
            s.type_of = 1;
        else if (word_is(type, type_length, "u"))
            s.type_of = 2;
        else if (word_is(type, type_length, "t2"))
            s.type_of = 3;
        else
            s.type = (uint8_t)type_find(type, type_length);
    }
    if (s.role == ROLE_END || (type_length > 0 && !s.type_of && !s.type))
        panic("ops.def: bad operand '%.*s'", length, word);
    s.optional |= s.role == ROLE_DEST_SECOND || s.role == ROLE_POLICY;
    if (s.role == ROLE_POLICY)
        s.type = TYPE_B64;
    return s;
}

int op_split_operands(const char *pattern, struct op_slot out[OP_MAX_SLOTS])
{
    int count = 0;
    while (*pattern) {
        int n = (int)strcspn(pattern, " ");
        if (count + 1 >= OP_MAX_SLOTS)
            panic("ops.def: too many operands");
        out[count++] = parse_slot(pattern, n);
        pattern += n;
        pattern += strspn(pattern, " ");
    }
    out[count] = (struct op_slot){.role = ROLE_END};
    return count;
}

struct op_shape suffixes_shape(const struct suffixes *s)
{
    switch (s->mod[GROUP_GEOM] + s->mod[GROUP_FLAT] + s->mod[GROUP_GATHER]) { /* an instruction has one of these */
    case GEOM_D1:
    case FLAT_D1:
        return (struct op_shape){.axes = 1};
    case GEOM_D2:
    case FLAT_D2:
    case GATHER_D2:
        return (struct op_shape){.axes = 2};
    case GEOM_A1D:
    case FLAT_A1D:
        return (struct op_shape){.axes = 1, .is_layered = true};
    case GEOM_A2D:
    case FLAT_A2D:
    case GATHER_A2D:
        return (struct op_shape){.axes = 2, .is_layered = true};
    case GEOM_CUBE:
    case GATHER_CUBE:
        return (struct op_shape){.axes = 3, .is_cube = true};
    case GEOM_ACUBE:
    case GATHER_ACUBE:
        return (struct op_shape){.axes = 3, .is_layered = true, .is_cube = true};
    default:
        return (struct op_shape){.axes = 3};
    }
}

static enum type type_doubled(enum type t)
{
    switch (t) {
    case TYPE_U16:
        return TYPE_U32;
    case TYPE_S16:
        return TYPE_S32;
    case TYPE_U32:
        return TYPE_U64;
    case TYPE_S32:
        return TYPE_S64;
    default:
        panic("ops.def: type .%s has no double", type_table[t].text);
    }
}

enum type slot_type(const struct op_slot *slot, const struct suffixes *suffixes)
{
    switch (slot->type_of) {
    case 1:
        return (enum type)suffixes->type[0];
    case 2:
        return (enum type)suffixes->type[1];
    case 3:
        return type_doubled((enum type)suffixes->type[0]);
    default:
        return (enum type)slot->type;
    }
}
