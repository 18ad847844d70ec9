/*
 * The parser's inside: what its files share. The outside is module.h.
 *
 * Recursive descent, one token ahead. Functions named parse_* return false after they have reported an
 * error; whoever reads statements then skips to the end of the statement and goes on, so that one pass finds
 * many errors. No input may crash it: nesting, counts and sizes are bounded below.
 */
#ifndef HEDDLE_PTX_PARSE_H
#define HEDDLE_PTX_PARSE_H

#include "base/vec.h"
#include "ptx/lex.h"
#include "ptx/match.h"
#include "ptx/module.h"
#include "ptx/symbols.h"

enum {
    PARSE_MAX_TEXT = 1 << 30,             /* bytes */
    PARSE_MAX_NESTING = 64,               /* of constant expressions */
    PARSE_MAX_REGISTERS = 1 << 20,        /* of a function */
    PARSE_MAX_MODULE_REGISTERS = 1 << 22, /* of all functions together */
    PARSE_MAX_ELEMENTS = 32,              /* in braces and brackets of one instruction */
    PARSE_MAX_ALIGN = 1 << 20,
    PARSE_MAX_INLINING = 64, /* calls within calls that a `.loc` keeps */
    PARSE_SHOWN = 60         /* characters of a name shown in a message */
};
#define PARSE_MAX_BYTES                (1ull << 40)  /* of a variable */
#define PARSE_FREE_INIT_BYTES          (64ull << 20) /* initialised data that any module may have, */
#define PARSE_INIT_BYTES_PER_CHARACTER 256ull        /* and more of it in proportion to its text, */
#define PARSE_MAX_INIT_BYTES           (1ull << 30)  /* but no more than this */

/* A value known while parsing. */
struct constant {
    uint8_t kind;  /* enum number_kind */
    uint64_t bits; /* as in struct token */
};

/* A name used before the scope it belongs to has ended, so before it is known what it means. */
struct reference {
    enum symbol_kind kind; /* what it must be: SYMBOL_LABEL, SYMBOL_TARGETS or SYMBOL_PROTOTYPE */
    struct token name;
    int32_t *target;             /* SYMBOL_LABEL */
    struct ptx_operand *operand; /* SYMBOL_TARGETS */
    struct ptx_call *call;       /* SYMBOL_PROTOTYPE */
};

/* The function being read. */
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
    int references_before[SYMBOLS_MAX_DEPTH + 1]; /* references that are not of the scope of that depth */
    int32_t location;
};

struct location_entry;

struct parser {
    struct lexer lexer;
    struct token token; /* the next one */
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
    struct vec_of(struct ptx_function *) shadowed; /* functions that may have one name for two things */
    struct location_entry *location_entries;
    bool is_foreign;     /* the instruction being read has an operand that PTX has and heddle has not */
    struct token opcode; /* of the instruction being read, for messages */
    int64_t register_total;
    uint64_t init_bytes_total;
    bool has_aliases;
};

/* Reports an error at a byte offset; parse_fail is false. */
#define parse_report(p, offset, ...) diag_at((p)->diag, &(p)->module->source, (offset), __VA_ARGS__)
#define parse_fail(p, offset, ...)   (parse_report(p, offset, __VA_ARGS__), false)
/* Reports that the next token is not what was expected, and is false. */
bool parse_expected(struct parser *p, const char *what);

/* The length of a text as shown in messages: for "%.*s". */
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
/* To behind the next `;`, or to a `}` that closes more than was opened since, or to the end. */
void parse_skip_statement(struct parser *p);
bool parse_pragma(struct parser *p, int32_t before, bool in_function);
bool parse_attribute(struct parser *p, bool *is_managed);

/* parse_constant.c */
bool parse_constant(struct parser *p, struct constant *c);
bool parse_integer(struct parser *p, int64_t *value);
bool parse_count(struct parser *p, uint64_t limit, const char *what, uint64_t *value);
/* The constant as the type stores it, cut and extended as ptx_operand.bits is. Reports at the offset. */
bool parse_convert(struct parser *p, size_t offset, const struct constant *c, enum type type, uint64_t *bits);

/* parse_variable.c */
bool parse_is_variable(const struct parser *p); /* a state space stands next */
bool parse_variables(struct parser *p, uint8_t linkage);
/* What is between the parentheses of parameters, and the parentheses; names only where they will be defined.
 */
bool parse_formals(struct parser *p, struct ptx_variable ***formals, int *count, bool may_be_unnamed);

/* parse_register.c */
bool parse_registers(struct parser *p);
bool parse_define_register(struct parser *p, const struct token *name, enum type type, int vector, int *index);

/* parse_function.c */
bool parse_function(struct parser *p, uint8_t linkage);
bool parse_linkage(struct parser *p, uint8_t *linkage);

/* parse_body.c */
bool parse_body(struct parser *p, struct ptx_function *function);
void parse_reference(struct parser *p, const struct reference *reference);

/* parse_location.c */
bool parse_file(struct parser *p);
bool parse_location(struct parser *p);
void parse_free_locations(struct parser *p);

/* parse_operand.c: operands as they are written, before it is known which instruction they belong to. */
enum raw_kind { RAW_NAME, RAW_CONSTANT, RAW_ADDRESS, RAW_VECTOR, RAW_SINK };

struct raw {
    enum raw_kind kind;
    bool negate;        /* `!` before it */
    bool paired;        /* `|` and another operand behind it */
    bool indexed;       /* name[index]: as an address or a value, as the slot wants */
    struct token token; /* its first, or the name */
    int64_t offset;     /* behind a name */
    struct constant constant;
    int element_count; /* in braces; in brackets, 1 and the texture coordinates */
    struct raw *element;
};

struct raw_operands {
    int count;
    bool is_foreign; /* a way of writing operands that no row of the table has */
    struct raw operand[PTX_MAX_OPERANDS];
    int element_count;
    struct raw element[PARSE_MAX_ELEMENTS];
};

bool parse_raw_operands(struct parser *p, struct raw_operands *raw);
bool parse_raw_operand(struct parser *p, struct raw_operands *raw, struct raw *out);

/* parse_instruction.c */
bool parse_instruction(struct parser *p, const struct token *opcode, int32_t guard, bool guard_negate);
/* Fits one written operand to a slot; reports what was expected if it does not. */
bool check_operand(struct parser *p, const struct match_form *form, int slot, const struct raw *raw,
                   struct ptx_operand *out);
bool check_register(struct parser *p, const struct token *name, int *index);

/* parse_call.c */
bool parse_call(struct parser *p, struct ptx_operand *out);
bool parse_prototype(struct parser *p, const struct token *name);

/* unique.c: gives names that stand for two things within a function numbers of their own. */
void unique_names(struct parser *p);

#endif
