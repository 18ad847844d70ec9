/*
 * A module: PTX text after parsing, before any analysis.
 *
 * It says what the text says, with names resolved: registers are numbers within their function, labels are
 * instruction indices, symbols are pointers. Nothing here is decoded for speed (that is flow/program.h), and
 * nothing depends on addresses (that is device/image.h). The oracle interprets this form directly.
 *
 * Names of registers, variables, labels and the like are unique within a function and differ from those of
 * the module: where nested braces reuse a name, the later one got `$1`, `$2`, ... behind it.
 *
 * A module and everything it points to live in its arena.
 */
#ifndef HEDDLE_PTX_MODULE_H
#define HEDDLE_PTX_MODULE_H

#include "base/arena.h"
#include "base/diag.h"
#include "ptx/ops.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ptx_function;

enum ptx_linkage { LINKAGE_NONE, LINKAGE_EXTERN, LINKAGE_VISIBLE, LINKAGE_WEAK, LINKAGE_COMMON };

/* An address inside an initialiser: `generic(symbol)+addend`, written over `bytes` bytes at `offset`. */
struct ptx_reloc {
    uint64_t offset;
    uint8_t bytes; /* 1 to 8: how much of the address is stored here */
    uint8_t shift; /* the address is shifted right by this many bits first (mask operator 0xFF00(...)) */
    bool generic;  /* a generic address rather than one in the variable's own space */
    int64_t addend;
    const struct ptx_variable *variable; /* either this */
    const struct ptx_function *function; /* or this */
};

/* A variable of any space; parameters of functions and calls are variables of space PARAM. */
struct ptx_variable {
    const char *name;
    uint8_t space;   /* enum mod: SPACE_GLOBAL, SPACE_SHARED, SPACE_CONST, SPACE_LOCAL, SPACE_PARAM */
    uint8_t type;    /* enum type of an element */
    uint8_t vector;  /* elements of the vector type: 1, 2 or 4 */
    uint8_t linkage; /* enum ptx_linkage */
    bool is_array;
    bool is_unsized; /* `extern .shared .b8 s[]`: sized at launch */
    uint32_t align_bytes;
    uint64_t size_bytes;
    int dimension_count;
    uint64_t dimension[4];
    const uint8_t *init; /* size_bytes long, or NULL for zeros */
    int reloc_count;
    const struct ptx_reloc *reloc;
    const struct ptx_function *owner; /* NULL at module scope */
    int index;                        /* within the owner's or the module's variables */
    int line;
    /* .ptr attributes of kernel parameters; kept for printing */
    uint8_t pointer_space; /* enum mod or MOD_NONE */
    uint32_t pointer_align;
    bool is_pointer;
    bool is_managed;  /* .attribute(.managed) */
    bool is_register; /* stands for a formal parameter `.reg`: the body has it as register `reg` */
    int32_t reg;
};

struct ptx_register {
    const char *name;
    uint8_t type;   /* enum type as declared */
    uint8_t vector; /* 1, 2 or 4: `.reg .v4 .f32 %v` declares a vector; its elements follow as %v.x ... */
};

enum operand_kind {
    OPERAND_NONE,      /* an optional operand that is not there */
    OPERAND_REGISTER,  /* reg */
    OPERAND_IMMEDIATE, /* bits */
    OPERAND_SREG,      /* sreg */
    OPERAND_SYMBOL,    /* address of variable + offset, or of function */
    OPERAND_ADDRESS,   /* [reg + offset], [variable + offset] or [offset] */
    OPERAND_VECTOR,    /* element[0..element_count) */
    OPERAND_SINK,      /* `_` */
    OPERAND_LABEL,     /* target: instruction index */
    OPERAND_TARGETS,   /* targets */
    OPERAND_TEXTURE,   /* [object, {coordinates}]: element[0] the object, then the coordinates */
    OPERAND_CALL       /* call */
};

struct ptx_targets { /* .branchtargets */
    const char *name;
    int count;
    const char **label;
    int *target; /* instruction indices */
    int line;
};

/* .callprototype, or .calltargets: what an indirect call may call. */
struct ptx_prototype {
    const char *name;
    bool is_targets; /* .calltargets: `target` says it; otherwise the parameters do */
    bool no_return;
    int parameter_count, return_count;
    struct ptx_variable **parameters, **returns; /* as those of functions; named "_" */
    int target_count;
    const struct ptx_function **target;
    int line;
};

struct ptx_call {
    const struct ptx_function *callee;     /* NULL for an indirect call */
    struct ptx_operand *pointer;           /* register that holds the function's address, or NULL */
    const struct ptx_prototype *prototype; /* of an indirect call, or NULL */
    int return_count, argument_count;
    struct ptx_operand *returns;   /* PARAM symbols or registers */
    struct ptx_operand *arguments; /* PARAM symbols, registers or immediates */
};

struct ptx_operand {
    uint8_t kind; /* enum operand_kind */
    uint8_t type; /* enum type the instruction reads or writes it as; TYPE_NONE where it has none */
    bool negate;  /* `!p` */
    uint8_t sreg; /* enum sreg */
    uint8_t element_count;
    int32_t reg;    /* index into the function's registers; -1 for none */
    uint64_t bits;  /* immediate, already in the operand's type: 0f3F800000 as .f32 is 0x3f800000; integers
                       are cut to the type's width and sign-extended from it to 64 bits; predicates 0 or 1 */
    int64_t offset; /* of addresses and symbols */
    const struct ptx_variable *variable;
    const struct ptx_function *function;
    int32_t target;
    const struct ptx_targets *targets;
    const struct ptx_call *call;
    struct ptx_operand *element;
};

/* A source line given by `.loc`. */
struct ptx_location {
    int file; /* number in the module's files */
    int line, column;
    int inlined_at; /* index of the location of the call site this was inlined at, or -1 */
};

enum { PTX_MAX_OPERANDS = 8 };

struct ptx_instruction {
    uint16_t op; /* enum op; OP_NONE: not supported, `unsupported` names it and only a launch fails */
    bool guard_negate;
    uint8_t operand_count;
    int32_t guard; /* register, or -1 */
    struct suffixes suffixes;
    struct ptx_operand *operand; /* in the row's order; optional ones that are absent are OPERAND_NONE */
    const char *unsupported;     /* text of the instruction (OP_NONE only) */
    int32_t line;                /* in the PTX text */
    int32_t location;            /* index into the module's locations, or -1 */
};

struct ptx_label {
    const char *name;
    int32_t target; /* index of the instruction it stands before; may equal instruction_count */
    int line;
};

struct ptx_pragma {
    const char *text;
    int32_t before; /* instruction index; -1 for the whole function */
    int line;
};

/* Performance directives; 0 where not given. */
struct ptx_limits {
    uint32_t max_threads[3];         /* .maxntid */
    uint32_t required_threads[3];    /* .reqntid */
    uint32_t min_blocks;             /* .minnctapersm */
    uint32_t max_registers;          /* .maxnreg */
    uint32_t max_blocks_per_cluster; /* .maxclusterrank */
    uint32_t required_cluster[3];    /* .reqnctapercluster */
    bool explicit_cluster;           /* .explicitcluster */
    bool blocks_are_clusters;        /* .blocksareclusters */
};

struct ptx_function {
    const char *name;
    bool is_entry;
    bool is_defined; /* has a body */
    bool no_return;
    uint8_t linkage; /* enum ptx_linkage */
    int index;       /* within the module's functions */
    int line;
    struct ptx_module *module;
    int parameter_count, return_count;
    struct ptx_variable **parameters; /* formal parameters, in order */
    struct ptx_variable **returns;    /* return parameters (0 or 1), or return registers' stand-ins */
    int register_count;
    struct ptx_register *registers; /* nested scopes' registers have numbers of their own */
    int variable_count;
    struct ptx_variable **variables; /* .local, .shared, .global and call .param declared in the body; formals not */
    int instruction_count;
    struct ptx_instruction *instructions;
    int label_count;
    struct ptx_label *labels;
    int targets_count;
    struct ptx_targets **targets;
    int prototype_count;
    struct ptx_prototype **prototypes;
    int pragma_count;
    struct ptx_pragma *pragmas;
    struct ptx_limits limits;
    const struct ptx_function *alias_of; /* .alias: calls and addresses in the module name that one already */
};

struct ptx_file {
    int number;
    const char *path;
};

/* What stands at module scope, in the order of the text. */
enum ptx_item_kind {
    ITEM_DECLARATION, /* of a variable (.extern, defined later) or function, without initialiser or body */
    ITEM_DEFINITION,  /* of a variable or function */
    ITEM_ALIAS,       /* function is the alias */
    ITEM_PRAGMA       /* text */
};

struct ptx_item {
    enum ptx_item_kind kind;
    struct ptx_variable *variable; /* either this */
    struct ptx_function *function; /* or this */
    const char *text;              /* or this */
};

struct ptx_module {
    struct arena arena;
    struct source source; /* a copy of the text, for messages about it */
    int version_major, version_minor;
    const char *target;         /* "sm_75" */
    const char *target_options; /* ", texmode_independent, debug", or "" */
    int address_bits;           /* 32 or 64; 64 where the text does not say */
    int variable_count;
    struct ptx_variable **variables; /* at module scope */
    int function_count;
    struct ptx_function **functions; /* each name once, declared or defined */
    int file_count;
    struct ptx_file *files;
    int location_count;
    struct ptx_location *locations;
    int item_count;
    struct ptx_item *items;
};

/* Parses a text. On errors returns NULL and `diag` says which; on success `diag` is empty.
 * The text need not outlive the call. */
struct ptx_module *ptx_parse(const char *path, const char *text, size_t length, struct diag *diag);
struct ptx_module *ptx_parse_file(const char *path, struct diag *diag);
void ptx_destroy(struct ptx_module *module);

/* Prints a module as PTX that parses to the same module. */
struct text;
void ptx_print(const struct ptx_module *module, struct text *out);
/* One instruction, without the `;`. */
void ptx_print_instruction(const struct ptx_function *function, const struct ptx_instruction *insn, struct text *out);

/* Whether two modules say the same; if not, `difference` (may be NULL) says where they first differ. Lines of
 * the text are not compared. */
bool ptx_equal(const struct ptx_module *a, const struct ptx_module *b, struct text *difference);

/* By name, NULL if there is none; for an alias, the function it stands for. */
struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name);
/* The first label that stands before the instruction, or NULL. */
const struct ptx_label *ptx_label_at(const struct ptx_function *function, int32_t target);
const struct ptx_variable *ptx_find_variable(const struct ptx_module *module, const char *name);

#endif
