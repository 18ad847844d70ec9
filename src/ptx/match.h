/*
 * Which rows of the instruction table an opcode such as `add.rn.ftz.f32` can mean.
 *
 * Suffixes are tried in the order of the pattern first, and then in any order, since PTX's own assembler accepts any
 * order. Each opcode text is matched against the patterns of ops.def once and remembered.
 */
#ifndef HEDDLE_PTX_MATCH_H
#define HEDDLE_PTX_MATCH_H

#include "base/arena.h"
#include "ptx/ops.h"

enum match_result {
    MATCH_FORMS,       /* at least one row fits the suffixes */
    MATCH_UNSUPPORTED, /* an instruction, or a form of an instruction, that is not in the table */
    MATCH_BAD_SUFFIX,  /* a known mnemonic with a suffix that PTX does not have */
    MATCH_NO_SUFFIX,   /* a known mnemonic that needs a suffix and has none */
    MATCH_NO_OPCODE    /* the text cannot be a mnemonic */
};

/* A row whose suffixes fit. */
struct match_form {
    enum op op;
    struct suffixes suffixes;
    int slot_count, required_count;
    unsigned vector; /* registers that the roles `v` and `w` take */
    const struct op_slot *slot;
    uint8_t type[OP_MAX_SLOTS]; /* enum type of each slot under these suffixes */
};

enum { MATCH_MAX_FORMS = 4 };

struct match {
    enum match_result result;
    int bad_offset, bad_length; /* MATCH_BAD_SUFFIX: the suffix in the text */
    int form_count;
    struct match_form form[MATCH_MAX_FORMS];
};

struct match_entry;

struct matcher {
    struct arena arena;
    struct match_entry *entries;
    struct op_slot *slots[OP_COUNT]; /* operand patterns of the rows; NULL: not split yet */
};

const struct match *match_opcode(struct matcher *m, const char *text, int length);
/* A suffix of PTX that is spelled similarly, or NULL. */
const char *match_similar_suffix(const char *text, int length);
void match_free(struct matcher *m);

#endif
