/*
 * The parser's inside: what its files share. Its interface is module.h.
 *
 * The parser is a recursive descent with one token of lookahead. Functions named parse_* return false after they have
 * reported an error; the reader of statements then skips to the end of the statement and continues, so that one pass
 * finds many errors. No input may crash the parser: nesting, counts and sizes are bounded below.
 */
#ifndef HEDDLE_PTX_PARSE_H
#define HEDDLE_PTX_PARSE_H

#include "base/vec.h"
#include "ptx/lex.h"
#include "ptx/match.h"
#include "ptx/module.h"
#include "ptx/symbols.h"

enum {
    PARSE_MAX_TEXT = 1 << 30,             /* bytes of text */
    PARSE_MAX_NESTING = 64,               /* levels of a constant expression */
    PARSE_MAX_REGISTERS = 1 << 20,        /* registers per function */
    PARSE_MAX_MODULE_REGISTERS = 1 << 22, /* registers of all functions together */
    PARSE_MAX_ELEMENTS = 300,             /* elements in braces and brackets of one instruction */
    PARSE_MAX_ALIGN = 1 << 20,            /* bytes */
    PARSE_MAX_INLINING = 64,              /* levels of inlined calls that a `.loc` keeps */
    PARSE_SHOWN = 60                      /* characters of a name shown in a message */
};
#define PARSE_MAX_BYTES                (1ull << 40)  /* bytes per variable */
#define PARSE_FREE_INIT_BYTES          (64ull << 20) /* bytes of initialised data that any module may have; */
#define PARSE_INIT_BYTES_PER_CHARACTER 256ull        /* a longer text may have this many bytes per character, */
#define PARSE_MAX_INIT_BYTES           (1ull << 30)  /* but no module more than this */

/* A value known while parsing. */
struct constant {
    uint8_t kind;  /* enum number_kind */
    uint64_t bits; /* like those of struct token */
};

/* The use of a label, target list or prototype, which may be defined later in the scope; the name is looked up when
 * the scope ends. */
struct reference {
    enum symbol_kind kind; /* what the name must be: SYMBOL_LABEL, SYMBOL_TARGETS or SYMBOL_PROTOTYPE */
    struct token name;
    int32_t *target;             /* SYMBOL_LABEL: gets the instruction index */
    struct ptx_operand *operand; /* SYMBOL_TARGETS: gets the list */
    struct ptx_call *call;       /* SYMBOL_PROTOTYPE: gets the prototype */
};

/* The function that is parsed now. */
struct body {
    struct ptx_function *function;
    struct vec_of(struct ptx_register) registers;
    struct vec_of(struct ptx_variable *) variables;
    struct vec_of(struct ptx_instruction) instructions;
    struct vec_of(struct ptx_label) labels;
    struct vec_of(struct ptx_targets *) targets;
    struct vec_of(struct ptx_prototype *) prototypes;
    struct vec_of(struct ptx_pragma) pragmas;
    struct vec_of(struct reference) references;
    int references_before[SYMBOLS_MAX_DEPTH + 1]; /* by depth: number of references when the scope began */
    int32_t location;
};

struct location_entry;
struct debug_string;

struct parser {
    struct lexer lexer;
    struct token token; /* the next token */
    struct diag *diag;
    struct ptx_module *module;
    struct arena *arena; /* the module's */
    struct symbols symbols;
    struct matcher matcher;
    struct body body;
    struct vec_of(struct ptx_variable *) variables;
    struct vec_of(struct ptx_function *) functions;
    struct vec_of(struct ptx_file) files;
    struct vec_of(struct ptx_location) locations;
    struct vec_of(struct ptx_item) items;
    struct vec_of(struct ptx_function *) shadowed; /* functions in which one name may have two meanings */
    struct location_entry *location_entries;
    struct debug_string *debug_strings;
    bool is_foreign;     /* the instruction has an operand that PTX has and heddle does not support */
    struct token opcode; /* of the instruction that is parsed now, for messages */
    int64_t register_total;
    uint64_t init_bytes_total;
    bool has_aliases;
};

/* Reports an error at a byte offset of the text. The value of parse_fail is false. */
#define parse_report(p, offset, ...) diag_at((p)->diag, &(p)->module->source, (offset), __VA_ARGS__)
#define parse_fail(p, offset, ...)   (parse_report(p, offset, __VA_ARGS__), false)
/* Reports that `what` was expected instead of the next token. Returns false. */
bool parse_expected(struct parser *p, const char *what);

/* How many characters of a text to show in a message, for "%.*s". */
static inline int shown(int length)
{
    return length < PARSE_SHOWN ? length : PARSE_SHOWN;
}

static inline void parse_advance(struct parser *p)
{
    lex_next(&p->lexer, &p->token);
}

static inline bool parse_at(const struct parser *p, int kind)
{
    return p->token.kind == kind;
}

static inline bool parse_accept(struct parser *p, int kind)
{
    if (p->token.kind != kind)
        return false;
    parse_advance(p);
    return true;
}

static inline bool parse_at_directive(const struct parser *p, const char *text)
{
    return p->token.kind == TOKEN_DIRECTIVE && token_is(&p->token, text, (int)strlen(text));
}

bool parse_accept_directive(struct parser *p, const char *text);
bool parse_expect(struct parser *p, int kind, const char *what);
bool parse_name(struct parser *p, const char *what, struct token *name); /* a word without dots */
char *parse_copy(struct parser *p, const struct token *token);
/* Skips up to and including the next `;`, or up to an unmatched `}`, or to the end of the text. */
void parse_skip_statement(struct parser *p);
bool parse_pragma(struct parser *p, int32_t before, bool in_function);
bool parse_attribute(struct parser *p, bool *is_managed);
void parse_free(struct parser *p); /* what the parser holds beside the module */

/* parse_constant.c */
bool parse_constant(struct parser *p, struct constant *c);
bool parse_integer(struct parser *p, int64_t *value);
bool parse_count(struct parser *p, uint64_t limit, const char *what, uint64_t *value);
/* Converts a constant to a type; *bits is in the form of ptx_operand.bits. Errors are reported at the offset. */
bool parse_convert(struct parser *p, size_t offset, const struct constant *c, enum type type, uint64_t *bits);

/* parse_variable.c */
bool parse_is_variable(const struct parser *p); /* the next token is a state space */
bool parse_variables(struct parser *p, uint8_t linkage);
/* A list of formal parameters in parentheses. With may_be_unnamed, `_` may stand for a name, as in prototypes. */
bool parse_formals(struct parser *p, struct ptx_variable ***formals, int *count, bool may_be_unnamed);

/* parse_register.c */
bool parse_registers(struct parser *p);
bool parse_define_register(struct parser *p, const struct token *name, enum type type, int vector, int *index);

/* parse_function.c */
bool parse_function(struct parser *p, uint8_t linkage);
bool parse_linkage(struct parser *p, uint8_t *linkage);

/* parse_body.c */
bool parse_body(struct parser *p, struct ptx_function *function);
void parse_enter_scope(struct parser *p); /* the caller checks the depth */
/* Statements up to the `}` that ends the current scope; the next token is the `{`. Leaves the scope. */
bool parse_statements(struct parser *p);
void parse_reference(struct parser *p, const struct reference *reference);

/* parse_location.c */
bool parse_file(struct parser *p);
bool parse_location(struct parser *p);
/* Reads the names that stand in a section .debug_str, whose `{` is the next token, and leaves the lexer there. */
void parse_debug_strings(struct parser *p);
/* Gives locations the names of inlined functions; after the last section. */
void parse_name_locations(struct parser *p);
void parse_free_locations(struct parser *p);

/* parse_operand.c: operands as they are written, before it is known which instruction they belong to. */
enum raw_kind { RAW_NAME, RAW_CONSTANT, RAW_ADDRESS, RAW_VECTOR, RAW_SINK };

struct raw {
    enum raw_kind kind;
    bool negate;        /* `!` stands before the operand */
    bool minus;         /* `-` stands before the name */
    bool paired;        /* `|` and another operand follow */
    bool indexed;       /* name[index]: an address or a value, as the slot demands */
    struct token token; /* first token of the operand, or the name */
    int64_t offset;     /* of a name with an offset behind it */
    struct constant constant;
    int element_count; /* elements in braces; in brackets, the address or texture, and texture coordinates */
    int scalar_count;  /* in brackets, those that are not in braces */
    struct raw *element;
};

struct raw_operands {
    int count;
    bool is_foreign; /* the operands are written in a form that no row of the table has */
    struct raw operand[PTX_MAX_OPERANDS];
    int element_count;
    struct raw element[PARSE_MAX_ELEMENTS];
};

bool parse_raw_operands(struct parser *p, struct raw_operands *raw);
bool parse_raw_operand(struct parser *p, struct raw_operands *raw, struct raw *out);

/* parse_instruction.c */
bool parse_instruction(struct parser *p, const struct token *opcode, int32_t guard, bool guard_negate);
/* Checks that a written operand fits a slot and fills in *out; otherwise reports what was expected. */
bool check_operand(struct parser *p, const struct match_form *form, int slot, const struct raw *raw,
                   struct ptx_operand *out);
bool check_register(struct parser *p, const struct token *name, int *index);

/* parse_call.c */
bool parse_call(struct parser *p, struct ptx_operand *out);
bool parse_prototype(struct parser *p, const struct token *name);

/* unique.c: renames where a name has two meanings within a function. */
void unique_names(struct parser *p);

#endif
