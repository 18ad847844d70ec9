/*
 * Which rows of the instruction table (ops.def) an opcode such as `add.rn.ftz.f32` can mean. Suffixes are tried in the
 * order of the row's pattern first, then in any order. Operands are not looked at: parse_instruction.c chooses among
 * the rows by them. Each opcode text is matched once and remembered.
 */
#include "ptx/match.h"

#include "base/diag.h"
#include "base/text.h"

#include <string.h>
#include <uthash.h>

enum { MATCH_MAX_SHAPES = 64 }; /* that one row takes */

struct match_entry {
    struct match match;
    UT_hash_handle hh;
};

static const struct {
    uint8_t group, mod;
    const char *text;
} mod_texts[] = {
#define MOD(group, name, text)   {GROUP_##group, group##_##name, text},
#define ALIAS(group, name, text) {GROUP_##group, group##_##name, text},
#define FLAG(name, text)
#include "ptx/mods.def"
};

/* Suffixes of PTX that no row of ops.def has. A known mnemonic with such a suffix is unsupported, not wrong. */
static const char *const foreign_suffixes[] = {
    "async", "bulk",   "proxy",       "alias",       "mbarrier_init", "sync_restrict", "tensormap", "3d",
    "a1d",   "a2d",    "cube",        "acube",       "2dms",          "a2dms",         "base",      "level",
    "grad",  "read",   "wait",        "op_restrict", "release",       "u8x4",          "s8x4",      "unified",
    "v1",    "scaled", "block_scale", "ue8m0",       "ue4m3",         "e2m3",          "e3m2",      "e2m1",
};

/* What txq and suq ask for in PTX, and cannot be asked on an H200 either. */
static const char *const foreign_queries[] = {
    "channel_data_type", "channel_order", "normalized_coords", "array_size",
    "num_mipmap_levels", "num_samples",   "filter_mode",       "force_unnormalized_coords",
    "addr_mode_0",       "addr_mode_1",   "addr_mode_2",       "memory_layout",
};

const char *match_similar_suffix(const char *text, int length)
{
    char word[32];
    if (length >= (int)sizeof word)
        return NULL;
    memcpy(word, text, (size_t)length);
    word[length] = '\0';
    const char *best = NULL;
    int best_distance = length < 4 ? 2 : 3;
    for (size_t i = 0; i < sizeof mod_texts / sizeof *mod_texts + FLAG_COUNT + TYPE_COUNT; i++) {
        size_t mods = sizeof mod_texts / sizeof *mod_texts;
        const char *known = i < mods                ? mod_texts[i].text
                            : i < mods + FLAG_COUNT ? flag_text[i - mods]
                                                    : type_table[i - mods - FLAG_COUNT].text;
        int distance = *known ? text_distance(word, known) : best_distance;
        if (distance < best_distance) {
            best = known;
            best_distance = distance;
        }
    }
    return best;
}

static bool is_text(const char *known, const char *text, int length)
{
    return !strncmp(known, text, (size_t)length) && !known[length];
}

/* Whether some row of ops.def has the suffix as a fixed word. */
static bool is_fixed_word(const char *text, int length)
{
    for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
        struct element elements[OP_MAX_ELEMENTS];
        op_split_suffixes(op_table[op].suffixes, elements);
        for (const struct element *e = elements; e->kind != ELEMENT_END; e++)
            if (e->kind == ELEMENT_WORD && e->word_length == length && !memcmp(e->word, text, (size_t)length))
                return true;
    }
    return false;
}

static bool is_suffix(const char *text, int length)
{
    for (size_t i = 0; i < sizeof mod_texts / sizeof *mod_texts; i++)
        if (is_text(mod_texts[i].text, text, length))
            return true;
    for (int f = 0; f < FLAG_COUNT; f++)
        if (is_text(flag_text[f], text, length))
            return true;
    for (size_t i = 0; i < sizeof foreign_suffixes / sizeof *foreign_suffixes; i++)
        if (is_text(foreign_suffixes[i], text, length))
            return true;
    for (size_t i = 0; i < sizeof foreign_queries / sizeof *foreign_queries; i++)
        if (is_text(foreign_queries[i], text, length))
            return true;
    for (int i = 0; i + 1 < length; i++)
        if (text[i] == ':' && text[i + 1] == ':')
            return true;
    return shape_find(text, length) || type_find(text, length) != TYPE_NONE || is_fixed_word(text, length);
}

/* The suffixes of an opcode, without their dots; suffix i is text[i], of length[i]. */
struct match_words {
    int count;
    const char *text[OP_MAX_ELEMENTS];
    int length[OP_MAX_ELEMENTS];
};

/* Whether the suffix fits the element of the pattern; if so, records the suffix in `s`. */
static bool element_takes(const struct element *e, const char *text, int length, struct suffixes *s)
{
    switch (e->kind) {
    case ELEMENT_FLAG:
        if (!is_text(flag_text[e->which], text, length))
            return false;
        s->flags |= 1ull << e->which;
        return true;
    case ELEMENT_WORD:
        return length == e->word_length && !memcmp(e->word, text, (size_t)length);
    case ELEMENT_TYPE: {
        enum type type = type_find(text, length);
        if (!type || !(e->types >> type & 1))
            return false;
        s->type[e->which] = (uint8_t)type;
        return true;
    }
    case ELEMENT_GROUP:
        for (size_t i = 0; i < sizeof mod_texts / sizeof *mod_texts; i++)
            if (mod_texts[i].group == e->which && is_text(mod_texts[i].text, text, length) &&
                element_takes_mod(e, (enum mod)mod_texts[i].mod)) {
                s->mod[e->which] = mod_texts[i].mod;
                return true;
            }
        return false;
    case ELEMENT_SHAPE: {
        uint32_t shapes[MATCH_MAX_SHAPES], shape = shape_find(text, length);
        int count = shape ? element_shapes(e, shapes, MATCH_MAX_SHAPES) : 0;
        for (int i = 0; i < count && i < MATCH_MAX_SHAPES; i++)
            if (shapes[i] == shape) {
                s->shape = shape;
                return true;
            }
        return false;
    }
    default:
        return false;
    }
}

/* Matches suffixes in the order of the pattern. */
static bool takes_in_order(const struct element *e, const struct match_words *words, int from, struct suffixes *s)
{
    if (e->kind == ELEMENT_END)
        return from == words->count;
    if (from < words->count) {
        struct suffixes before = *s;
        if (element_takes(e, words->text[from], words->length[from], s) && takes_in_order(e + 1, words, from + 1, s))
            return true;
        *s = before;
    }
    return e->optional && takes_in_order(e + 1, words, from, s);
}

/* Matches suffixes in any order; only types keep their order. Compilers write atom.add.relaxed.gpu.u32 and
 * atom.global.sys.add.u32 as well as the manual's atom.relaxed.gpu.global.add.u32. */
static bool takes_in_any_order(const struct element *elements, const struct match_words *words, struct suffixes *s)
{
    uint32_t used = 0;
    for (int i = 0; i < words->count; i++) {
        bool taken = false, is_type_passed = false;
        for (int k = 0; elements[k].kind != ELEMENT_END && !taken; k++) {
            if (used >> k & 1 || (elements[k].kind == ELEMENT_TYPE && is_type_passed))
                continue;
            taken = element_takes(&elements[k], words->text[i], words->length[i], s);
            used |= (uint32_t)taken << k;
            is_type_passed |= elements[k].kind == ELEMENT_TYPE;
        }
        if (!taken)
            return false;
    }
    for (int k = 0; elements[k].kind != ELEMENT_END; k++)
        if (!elements[k].optional && !(used >> k & 1))
            return false;
    return true;
}

static const struct op_slot *row_slots(struct matcher *m, enum op op)
{
    if (!m->slots[op]) {
        m->slots[op] = arena_array(&m->arena, struct op_slot, OP_MAX_SLOTS);
        op_split_operands(op_table[op].operands, m->slots[op]);
    }
    return m->slots[op];
}

static void add_form(struct matcher *m, struct match *match, enum op op, const struct suffixes *suffixes)
{
    if (match->form_count == MATCH_MAX_FORMS)
        panic("ops.def: too many rows for one opcode, '%s'", op_table[op].mnemonic);
    struct match_form *form = &match->form[match->form_count++];
    form->op = op;
    form->suffixes = *suffixes;
    form->vector = suffixes_vector(suffixes);
    form->slot = row_slots(m, op);
    for (const struct op_slot *s = form->slot; s->role != ROLE_END; s++) {
        form->required_count += !s->optional || (s->role == ROLE_POLICY && suffixes_has(suffixes, FLAG_HINT));
        form->type[form->slot_count++] = (uint8_t)slot_type(s, suffixes);
    }
}

/* Finds the rows whose suffixes fit. False if no row has the mnemonic. */
static bool add_forms(struct matcher *m, struct match *match, const char *mnemonic, int length,
                      const struct match_words *words, bool in_order)
{
    bool is_known = false;
    for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
        if (!is_text(op_table[op].mnemonic, mnemonic, length))
            continue;
        is_known = true;
        struct element elements[OP_MAX_ELEMENTS];
        struct suffixes suffixes = {0};
        op_split_suffixes(op_table[op].suffixes, elements);
        if (in_order ? takes_in_order(elements, words, 0, &suffixes) : takes_in_any_order(elements, words, &suffixes))
            add_form(m, match, (enum op)op, &suffixes);
    }
    return is_known;
}

static void match_rows(struct matcher *m, struct match *match, const char *mnemonic, int length,
                       const struct match_words *words)
{
    bool is_known = add_forms(m, match, mnemonic, length, words, true);
    if (is_known && !match->form_count)
        add_forms(m, match, mnemonic, length, words, false);
    if (match->form_count) {
        match->result = MATCH_FORMS;
        return;
    }
    match->result = MATCH_UNSUPPORTED;
    if (is_known && !words->count)
        match->result = MATCH_NO_SUFFIX;
    for (int i = 0; is_known && i < words->count; i++)
        if (!is_suffix(words->text[i], words->length[i])) {
            match->result = MATCH_BAD_SUFFIX;
            match->bad_offset = (int)(words->text[i] - mnemonic);
            match->bad_length = words->length[i];
            return;
        }
}

static bool is_mnemonic(const char *text, int length)
{
    for (int i = 0; i < length; i++)
        if (!((text[i] >= 'a' && text[i] <= 'z') || (i && text[i] >= '0' && text[i] <= '9') || (i && text[i] == '_')))
            return false;
    return length > 0;
}

static void match_text(struct matcher *m, struct match *match, const char *text, int length)
{
    struct match_words words = {0};
    int mnemonic = 0;
    while (mnemonic < length && text[mnemonic] != '.')
        mnemonic++;
    if (!is_mnemonic(text, mnemonic)) {
        match->result = MATCH_NO_OPCODE;
        return;
    }
    for (int from = mnemonic + 1, to; from < length; from = to + 1) {
        for (to = from; to < length && text[to] != '.';)
            to++;
        if (words.count == OP_MAX_ELEMENTS) {
            match->result = MATCH_UNSUPPORTED;
            return;
        }
        words.text[words.count] = text + from;
        words.length[words.count++] = to - from;
    }
    match_rows(m, match, text, mnemonic, &words);
}

const struct match *match_opcode(struct matcher *m, const char *text, int length)
{
    struct match_entry *entry;
    HASH_FIND(hh, m->entries, text, (unsigned)length, entry);
    if (!entry) {
        entry = arena_new(&m->arena, struct match_entry);
        const char *key = arena_copy_string(&m->arena, text, (size_t)length);
        match_text(m, &entry->match, key, length);
        HASH_ADD_KEYPTR(hh, m->entries, key, (unsigned)length, entry);
    }
    return &entry->match;
}

void match_free(struct matcher *m)
{
    HASH_CLEAR(hh, m->entries);
    arena_free(&m->arena);
}
