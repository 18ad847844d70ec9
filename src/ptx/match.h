/*
 * Which rows of the instruction table an opcode such as `add.rn.ftz.f32` can mean.
 *
 * Suffixes in the pattern's order are tried first, then in any order, since PTX's own assembler takes them
 * so. Each opcode text is matched against the patterns of ops.def once and remembered; rows' operand patterns
 * are split when first needed.
 */
#ifndef HEDDLE_PTX_MATCH_H
#define HEDDLE_PTX_MATCH_H

#include "base/arena.h"
#include "ptx/ops.h"

enum match_result {
    MATCH_FORMS,       /* at least one row fits the suffixes */
    MATCH_UNSUPPORTED, /* an instruction or a form of it that is not in the table */
    MATCH_BAD_SUFFIX,  /* a known mnemonic with something behind it that is no suffix of PTX */
    MATCH_NO_SUFFIX,   /* a known mnemonic that cannot stand alone */
    MATCH_NO_OPCODE    /* nothing that could be a mnemonic */
};

/* A row whose suffixes fit. */
struct match_form {
    enum op op;
    struct suffixes suffixes;
    int slot_count, required_count;
    unsigned vector; /* registers that the roles `v` and `w` take */
    const struct slot *slot;
    uint8_t type[OP_MAX_SLOTS]; /* enum type of each slot under these suffixes */
};

enum { MATCH_MAX_FORMS = 4 };

struct match {
    enum match_result result;
    int bad_offset, bad_length; /* MATCH_BAD_SUFFIX: where in the text */
    int form_count;
    struct match_form form[MATCH_MAX_FORMS];
};

struct match_entry;

struct matcher {
    struct arena arena;
    struct match_entry *entries;
    struct slot *slots[OP_COUNT]; /* split when first needed */
};

const struct match *match_opcode(struct matcher *m, const char *text, int length);
/* A suffix of PTX that is spelled much like this one, or NULL. */
const char *match_similar_suffix(const char *text, int length);
void match_free(struct matcher *m);

#endif
