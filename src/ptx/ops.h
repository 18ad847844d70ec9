/*
 * The instruction table as data: types, suffixes, special registers, cost classes, instruction rows.
 *
 * Everything here is expanded from the .def files. Enumerators are named after the tables: TYPE_U32, RND_RZ (of group
 * GROUP_RND), FLAG_FTZ, SREG_TID_X, CLASS_FP32, OP_ADD.
 */
#ifndef HEDDLE_PTX_OPS_H
#define HEDDLE_PTX_OPS_H

#include <stdbool.h>
#include <stdint.h>

enum type {
    TYPE_NONE,
#define TYPE(name, text, bits, kind) TYPE_##name,
#include "ptx/types.def"
    TYPE_COUNT
};

enum type_kind { KIND_NONE, KIND_PRED, KIND_BITS, KIND_UINT, KIND_SINT, KIND_FLOAT, KIND_PACKED };

struct type_info {
    const char *text;
    uint8_t bits;
    uint8_t kind; /* enum type_kind */
};

extern const struct type_info type_table[TYPE_COUNT];

/* Bytes in memory. Predicates cannot be in memory; they count as one byte. */
static inline unsigned type_bytes(enum type t)
{
    return (type_table[t].bits + 7u) / 8u;
}

/* Textures, samplers and surfaces: the name of such a variable stands for the object, in every instruction. */
static inline bool type_is_reference(enum type t)
{
    return t == TYPE_TEXREF || t == TYPE_SAMPLERREF || t == TYPE_SURFREF;
}

enum type type_find(const char *text, int length); /* TYPE_NONE if the text is no type */

enum group {
    GROUP_RND,
    GROUP_CMP,
    GROUP_BOOL,
    GROUP_HALF,
    GROUP_SPACE,
    GROUP_VEC,
    GROUP_ATOM,
    GROUP_SEM,
    GROUP_SCOPE,
    GROUP_FENCE,
    GROUP_CACHE,
    GROUP_EVICT,
    GROUP_PRIORITY,
    GROUP_FALLBACK,
    GROUP_PREFETCH,
    GROUP_LEVEL,
    GROUP_DIR,
    GROUP_WRAP,
    GROUP_PRMT,
    GROUP_TESTP,
    GROUP_SHFL,
    GROUP_VOTE,
    GROUP_REDUX,
    GROUP_GEOM,    /* shapes of textures */
    GROUP_FLAT,    /* shapes that integer coordinates and surfaces have */
    GROUP_GATHER,  /* shapes that tld4 has */
    GROUP_COMP,    /* which channel tld4 reads */
    GROUP_QUERY,   /* what txq and suq ask for */
    GROUP_BOUNDS,  /* what a surface access outside the surface does */
    GROUP_EXTREME, /* min or max */
    GROUP_ANDOR,   /* and or or */
    GROUP_SECOND,
    GROUP_SCALE,
    GROUP_ALAYOUT,
    GROUP_BLAYOUT,
    GROUP_SPARSE,
    GROUP_BITOP,
    GROUP_NUM,
    GROUP_WMMA,
    GROUP_FRAGMENT,
    GROUP_WGMMA,
    GROUP_EXPANDED,
    GROUP_PACKED,
    GROUP_DIM,
    GROUP_BOX,
    GROUP_PAIR,
    GROUP_FIELD,
    GROUP_COUNT
};

/* All suffixes that are one of a group, in one enumeration: RND_RN, CMP_EQ, HALF_LO, SPACE_GLOBAL, ... */
enum mod {
    MOD_NONE,
#define MOD(group, name, text) group##_##name,
#define ALIAS(group, name, text)
#define FLAG(name, text)
#include "ptx/mods.def"
    MOD_COUNT
};

enum flag {
#define MOD(group, name, text)
#define ALIAS(group, name, text)
#define FLAG(name, text) FLAG_##name,
#include "ptx/mods.def"
    FLAG_COUNT
};

extern const char *const mod_text[MOD_COUNT];
extern const char *const flag_text[FLAG_COUNT];

enum sreg {
#define SREG(name, text, type, scope, meaning) SREG_##name,
#include "ptx/sregs.def"
    SREG_COUNT
};

enum sreg_scope { SCOPE_THREAD_FIXED, SCOPE_BLOCK_FIXED, SCOPE_GRID_FIXED, SCOPE_EVERY_READ };

struct sreg_info {
    const char *text; /* name, with the % */
    uint8_t type;     /* enum type */
    uint8_t scope;    /* enum sreg_scope */
    const char *meaning;
};

extern const struct sreg_info sreg_table[SREG_COUNT];

int sreg_find(const char *text, int length); /* an enum sreg, or -1 */

enum op_class {
#define CLASS(name, meaning) CLASS_##name,
#include "ptx/class.def"
    CLASS_COUNT
};

enum op {
    OP_NONE,
#define OP(id, mnemonic, suffixes, operands, class, meaning) OP_##id,
#include "ptx/ops.def"
    OP_COUNT
};

struct op_info {
    const char *id; /* the enumerator without OP_ */
    const char *mnemonic;
    const char *suffixes; /* pattern; see ops.def */
    const char *operands; /* pattern; see ops.def */
    uint8_t class;        /* enum op_class */
    const char *meaning;
};

extern const struct op_info op_table[OP_COUNT]; /* [OP_NONE] is empty */
extern const char *const class_text[CLASS_COUNT];

/* Whether instructions of the class are executed by threads of a row together. */
static inline bool class_is_warp_level(unsigned class)
{
    return class == CLASS_WARP || class == CLASS_TENSOR;
}

/* Whether the row is a matrix instruction, which the 32 threads of a row execute together. */
static inline bool op_is_matrix(enum op op)
{
    return op >= OP_MMA_QUAD_F32 && op <= OP_WGMMA_SPARSE_INT8;
}

enum { OP_MAX_TYPES = 4 }; /* type suffixes of one instruction */

/* The suffixes of one instruction. */
struct suffixes {
    uint8_t type[OP_MAX_TYPES]; /* enum type: `t`, `u` and the further ones of the row's pattern */
    uint8_t mod[GROUP_COUNT];   /* by group: enum mod, or MOD_NONE */
    uint32_t shape;             /* of a matrix instruction: see shape_m(); 0: none */
    uint64_t flags;             /* bit by enum flag */
};

static inline bool suffixes_has(const struct suffixes *s, enum flag flag)
{
    return s->flags >> flag & 1;
}

/* A shape such as m16n8k16 is one number, with ten bits for each of m, n and k; k is 0 where there is none (m8n8). */
static inline uint32_t shape_make(unsigned m, unsigned n, unsigned k)
{
    return m << 20 | n << 10 | k;
}

static inline unsigned shape_m(uint32_t shape)
{
    return shape >> 20;
}

static inline unsigned shape_n(uint32_t shape)
{
    return shape >> 10 & 1023;
}

static inline unsigned shape_k(uint32_t shape)
{
    return shape & 1023;
}

uint32_t shape_find(const char *text, int length); /* 0 if the text is no shape */
enum { SHAPE_TEXT_BYTES = 16 };
const char *shape_text(uint32_t shape, char buffer[SHAPE_TEXT_BYTES]); /* m16n8k16 */

/* Elements of the vector that the instruction loads or stores: 1, 2, 4 or 8. */
static inline unsigned suffixes_vector(const struct suffixes *s)
{
    enum mod m = (enum mod)s->mod[GROUP_VEC];
    if (s->flags & (UINT64_C(1) << FLAG_V4 | UINT64_C(1) << FLAG_V2))
        return suffixes_has(s, FLAG_V4) ? 4 : 2;
    return m == VEC_V8 ? 8 : m == VEC_V4 ? 4 : m == VEC_V2 ? 2 : 1;
}

/* The shape of the texture or surface that an instruction accesses. */
struct op_shape {
    uint8_t axes;    /* coordinates of a texel without its layer: 1 to 3 */
    bool is_layered; /* the first coordinate is a layer */
    bool is_cube;    /* the three coordinates are a direction */
};

struct op_shape suffixes_shape(const struct suffixes *s);

/* One element of a row's suffix pattern. The parser, the printer, the documentation and the golden tests walk the
 * pattern. */
enum element_kind { ELEMENT_END, ELEMENT_GROUP, ELEMENT_FLAG, ELEMENT_TYPE, ELEMENT_SHAPE, ELEMENT_WORD };

struct element {
    enum element_kind kind;
    bool optional;
    uint8_t which;    /* enum group, enum flag, or 0 to 3: which type slot */
    uint64_t types;   /* ELEMENT_TYPE: bit by enum type that is allowed */
    const char *only; /* ELEMENT_SHAPE: the shapes, separated by |; ELEMENT_GROUP: those of the group, NULL: all */
    int only_length;
    const char *word; /* ELEMENT_WORD: the suffix, without its dot; not ended by a zero */
    int word_length;
};

enum { OP_MAX_ELEMENTS = 16 };

/* Splits a suffix pattern. Returns the number of elements; the array ends with ELEMENT_END. */
int op_split_suffixes(const char *pattern, struct element out[OP_MAX_ELEMENTS]);
enum group mod_group(enum mod m);
/* Whether the element of a group takes this suffix of the group. */
bool element_takes_mod(const struct element *e, enum mod m);
/* The shapes that an element lists, in order: writes up to `most` of them and returns how many there are. */
int element_shapes(const struct element *e, uint32_t *out, int most);
const char *group_name(enum group g); /* as patterns write it */

/* One element of a row's operand pattern. */
enum role {
    ROLE_END,
    ROLE_DEST,         /* d */
    ROLE_DEST_SECOND,  /* e */
    ROLE_VALUE,        /* a */
    ROLE_IMMEDIATE,    /* i */
    ROLE_PREDICATE,    /* g */
    ROLE_ADDRESS,      /* m */
    ROLE_ADDRESS_MORE, /* n */
    ROLE_TENSOR,       /* z */
    ROLE_LIST,         /* l */
    ROLE_POLICY,       /* p */
    ROLE_TEXTURE,      /* x */
    ROLE_OBJECT,       /* o */
    ROLE_AXES,         /* k */
    ROLE_DEST_VECTOR,  /* v */
    ROLE_VALUE_VECTOR, /* w */
    ROLE_VALUE_FOUR,   /* w4 */
    ROLE_PACK,
    ROLE_UNPACK,
    ROLE_MATRIX_D,    /* md */
    ROLE_MATRIX_A,    /* ma */
    ROLE_MATRIX_B,    /* mb */
    ROLE_MATRIX_C,    /* mc */
    ROLE_ACCUMULATOR, /* mx */
    ROLE_TILE_A,      /* mt */
    ROLE_LABEL,
    ROLE_TARGETS,
    ROLE_CALL
};

/* Whether an operand of the role is written. ROLE_ACCUMULATOR is read, too. */
static inline bool role_is_written(enum role role)
{
    return role == ROLE_DEST || role == ROLE_DEST_SECOND || role == ROLE_DEST_VECTOR || role == ROLE_UNPACK ||
           role == ROLE_MATRIX_D || role == ROLE_ACCUMULATOR;
}

struct op_slot {
    enum role role;
    bool optional;
    bool wider;      /* the register may be wider than the type */
    bool minus;      /* a `-` may stand before the operand */
    uint8_t selects; /* parts that a selector names, 1 (scalar), 2 (halves) or 4 (bytes); 0: there is no selector */
    uint8_t type_of; /* 0: fixed type; 1: t; 2: u; 3: t2 */
    uint8_t type;    /* enum type, if fixed */
};

enum { OP_MAX_SLOTS = 12 };

/*
 * Selector of a video instruction's operand, as `.b2` of `%r1.b2` or `.h31` of `%r1.h31`, in 16 bits; 0: none. Bits 0
 * to 11: indices of the parts, three bits each, the last one written lowest. Bits 12 to 14: how many are written. Bit
 * 15: parts are halves, not bytes.
 */
static inline unsigned select_count(uint16_t select)
{
    return select >> 12 & 7;
}

static inline bool select_is_halves(uint16_t select)
{
    return select >> 15;
}

static inline unsigned select_index(uint16_t select, unsigned part)
{
    return select >> 3 * part & 7;
}

int op_split_operands(const char *pattern, struct op_slot out[OP_MAX_SLOTS]);
/* The type that the operand has with these suffixes. */
enum type slot_type(const struct op_slot *slot, const struct suffixes *suffixes);

#endif
