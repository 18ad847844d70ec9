/*
 * A module: PTX text after parsing, before any analysis.
 *
 * A module says what the text says, with names resolved: registers are numbers within their function, labels are
 * instruction indices, symbols are pointers. Nothing here is decoded for speed (see flow/program.h), and nothing
 * depends on addresses (see device/image.h). The oracle interprets this form directly.
 *
 * Names of registers, variables and labels are unique within a function and differ from names of module scope: where
 * nested braces reuse a name, the later one gets `$1`, `$2`, ... appended.
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

/* An address within an initialiser, `generic(symbol)+addend`, which takes `bytes` bytes at `offset` of the variable. */
struct ptx_reloc {
    uint64_t offset;
    uint8_t bytes; /* 1 to 8: how much of the address is stored here */
    uint8_t shift; /* bits by which the address is shifted right before (mask operator 0xFF00(...)) */
    bool generic;  /* a generic address; otherwise one in the symbol's own space */
    int64_t addend;
    const struct ptx_variable *variable; /* the symbol, or NULL */
    const struct ptx_function *function; /* the symbol, or NULL */
};

/* A variable of any space; parameters of functions and calls are variables of space PARAM. */
struct ptx_variable {
    const char *name;
    uint8_t space;   /* enum mod: SPACE_GLOBAL, SPACE_SHARED, SPACE_CONST, SPACE_LOCAL, SPACE_PARAM */
    uint8_t type;    /* enum type of an element */
    uint8_t vector;  /* elements per vector: 1, 2 or 4 */
    uint8_t linkage; /* enum ptx_linkage */
    bool is_array;
    /* `extern .shared .b8 s[]`: the launch sets the size. Of a last parameter: the arguments of a variadic function
     * beyond the named ones, as one array, or none at all: each call sets the size. */
    bool is_unsized;
    uint32_t align_bytes;
    uint64_t size_bytes;
    int dimension_count;
    uint64_t dimension[4];
    const uint8_t *init; /* size_bytes of initial data, or NULL: all zero */
    int reloc_count;
    const struct ptx_reloc *reloc;
    const struct ptx_function *owner; /* NULL at module scope */
    int index;                        /* in the owner's or the module's list of variables */
    int line;
    /* .ptr attributes of kernel parameters, kept for printing: */
    uint8_t pointer_space; /* enum mod or MOD_NONE */
    uint32_t pointer_align;
    bool is_pointer;
    bool is_managed;  /* .attribute(.managed) */
    bool is_register; /* a formal parameter that was declared .reg: register `reg` of the body */
    int32_t reg;
};

struct ptx_register {
    const char *name;
    uint8_t type;   /* enum type as declared */
    uint8_t vector; /* 1, 2 or 4; the elements of a vector `.reg .v4 .f32 %v` follow as registers %v.x, %v.y, ... */
};

enum operand_kind {
    OPERAND_NONE,      /* an optional operand that is absent */
    OPERAND_REGISTER,  /* reg */
    OPERAND_IMMEDIATE, /* bits */
    OPERAND_SREG,      /* sreg */
    OPERAND_SYMBOL,    /* address of variable + offset, or of function */
    OPERAND_ADDRESS,   /* [reg + offset], [variable + offset] or [offset] */
    OPERAND_VECTOR,    /* element[0..element_count) */
    OPERAND_SINK,      /* `_` */
    OPERAND_LABEL,     /* target: instruction index */
    OPERAND_TARGETS,   /* targets */
    OPERAND_TEXTURE,   /* [object, {coordinates}] or [object, sampler, {coordinates}]: element[0] the object, then the
                          coordinates, last the sampler */
    OPERAND_TENSOR,    /* [address, {coordinates}]: element[0] the address of a tensor map, then the coordinates */
    OPERAND_CALL       /* call */
};

struct ptx_targets { /* .branchtargets */
    const char *name;
    int count;
    const char **label;
    int *target; /* instruction indices */
    int line;
};

/* .callprototype or .calltargets: which functions an indirect call may enter. */
struct ptx_prototype {
    const char *name;
    bool is_targets; /* .calltargets: the functions of `target`; otherwise all functions with these parameters */
    bool no_return;
    int parameter_count, return_count;
    struct ptx_variable **parameters, **returns; /* like those of a function, but all named "_" */
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
    uint8_t type; /* enum type that the instruction reads or writes the operand as, or TYPE_NONE */
    bool negate;  /* `!p` of a predicate, `-a` of a value */
    uint8_t sreg; /* enum sreg */
    uint8_t element_count;
    bool has_sampler; /* OPERAND_TEXTURE: the last element is a sampler */
    uint16_t select;  /* the selector behind a register (ops.h); 0: none */
    int32_t reg;      /* index into the function's registers; -1 for none */
    uint64_t bits;    /* immediate, already in the operand's type: 0f3F800000 as .f32 is 0x3f800000; integers
                       are cut to the type's width and sign-extended from it to 64 bits; predicates 0 or 1 */
    int64_t offset;   /* OPERAND_ADDRESS, OPERAND_SYMBOL: bytes */
    const struct ptx_variable *variable;
    const struct ptx_function *function;
    int32_t target;
    const struct ptx_targets *targets;
    const struct ptx_call *call;
    struct ptx_operand *element;
};

/* A source line given by `.loc`. */
struct ptx_location {
    int file; /* number of one of the module's files */
    int line, column;
    int inlined_at;       /* index of the location of the call that was inlined, or -1 */
    const char *function; /* name of the inlined function, as PTX spells it; NULL: not inlined, or not known. Neither
                             printed nor compared */
};

enum { PTX_MAX_OPERANDS = 10 };

struct ptx_instruction {
    uint16_t op; /* enum op; OP_NONE: not supported; only a launch of the kernel fails */
    bool guard_negate;
    uint8_t operand_count;
    int32_t guard; /* predicate register, or -1 */
    struct suffixes suffixes;
    struct ptx_operand *operand; /* in the order of the row of ops.def; absent optional operands are OPERAND_NONE */
    const char *unsupported;     /* text of the instruction (OP_NONE only) */
    int32_t line;                /* line number in the PTX text */
    int32_t location;            /* index into the module's locations, or -1 */
};

struct ptx_label {
    const char *name;
    int32_t target; /* index of the instruction behind the label; instruction_count at the end of the body */
    int line;
};

struct ptx_pragma {
    const char *text;
    int32_t before; /* index of the instruction behind the pragma; -1: it concerns the whole function */
    int line;
};

/* Performance directives; 0 if not given. */
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
    struct ptx_variable **returns;    /* return parameters (0 or 1), or variables that stand for return registers */
    int register_count;
    struct ptx_register *registers; /* of all nested scopes */
    int variable_count;
    struct ptx_variable **variables; /* declared in the body: .local, .shared, .global, and .param of calls */
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
    /* A thread does the work of this many threads of the text (rewrite/coarsen.c); 0: of its own alone. The last
     * parameter is then the number of blocks in x before: heddle gives it, and launches that many times fewer. */
    uint32_t coarsened;
    const struct ptx_function *alias_of; /* .alias: calls and addresses in the module name the other function already */
};

struct ptx_file {
    int number;
    const char *path;
};

/* Kinds of statements at module scope. */
enum ptx_item_kind {
    ITEM_DECLARATION, /* of a variable (.extern, defined later) or of a function without its body */
    ITEM_DEFINITION,  /* of a variable or function */
    ITEM_ALIAS,       /* `function` is the alias */
    ITEM_PRAGMA       /* `text` is the pragma */
};

struct ptx_item {
    enum ptx_item_kind kind;
    struct ptx_variable *variable; /* or NULL */
    struct ptx_function *function; /* or NULL */
    const char *text;              /* or NULL */
};

struct ptx_module {
    struct arena arena;
    struct source source; /* a copy of the text, for messages */
    int version_major, version_minor;
    const char *target;         /* "sm_75" */
    const char *target_options; /* ", texmode_independent, debug", or "" */
    int address_bits;           /* 32 or 64; 64 if the text does not say */
    int variable_count;
    struct ptx_variable **variables; /* at module scope */
    int function_count;
    struct ptx_function **functions; /* each name once, whether declared, defined or both */
    int file_count;
    struct ptx_file *files;
    int location_count;
    struct ptx_location *locations;
    int item_count;
    struct ptx_item *items; /* statements at module scope, in the order of the text */
    bool is_lowered;        /* lower_module() has replaced branches; convergence barriers count as instructions */
};

/* Parses a text. On errors, returns NULL, and `diag` holds the errors. The text need not outlive the call. */
struct ptx_module *ptx_parse(const char *path, const char *text, size_t length, struct diag *diag);
struct ptx_module *ptx_parse_file(const char *path, struct diag *diag);
void ptx_destroy(struct ptx_module *module);

/* Prints a module as PTX that parses to the same module. */
struct text;
void ptx_print(const struct ptx_module *module, struct text *out);
/* Prints one instruction, without the `;`. */
void ptx_print_instruction(const struct ptx_function *function, const struct ptx_instruction *insn, struct text *out);

/* Whether two modules are equal; if not, `difference` (may be NULL) gets where they first differ. Line numbers of the
 * text are not compared. */
bool ptx_equal(const struct ptx_module *a, const struct ptx_module *b, struct text *difference);

/* The function of that name, or NULL; for an alias, the function that it stands for. */
struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name);
/* Parameters that a launch of the kernel is given: all but the one that heddle adds itself. */
static inline int ptx_given_parameters(const struct ptx_function *kernel)
{
    return kernel->parameter_count - (kernel->coarsened > 0);
}
/* Whether the last of these parameters takes any number of arguments, so that a call may leave it out. */
static inline bool ptx_is_variadic(struct ptx_variable *const *parameters, int count)
{
    return count > 0 && parameters[count - 1]->is_unsized;
}
/* The first label that stands before the instruction, or NULL. */
const struct ptx_label *ptx_label_at(const struct ptx_function *function, int32_t target);
const struct ptx_variable *ptx_find_variable(const struct ptx_module *module, const char *name);

#endif
