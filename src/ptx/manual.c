/* The manual's titles against the rows of ops.def. Patterns are compared as texts: what can stand in them grows. */
#include "ptx/manual.h"

#include <string.h>

const struct manual_line manual_table[MANUAL_COUNT] = {
#define MANUAL(section, title, version, target, kind, refusal) \
    {section, title, version, target, MANUAL_##kind, refusal},
#include "ptx/manual.def"
};

/* A piece of a text, up to a separator. */
struct piece {
    const char *text;
    size_t length;
};

static struct piece next_piece(const char **at, const char *separators)
{
    *at += strspn(*at, separators);
    struct piece p = {*at, strcspn(*at, separators)};
    *at += p.length;
    return p;
}

static bool is_word(struct piece p, struct piece word)
{
    return p.length == word.length && !memcmp(p.text, word.text, word.length);
}

/* Whether the word is one of the alternatives `a|b|c`; `is_only` becomes whether there are no others. */
static bool is_among(struct piece list, struct piece word, bool *is_only)
{
    *is_only = !memchr(list.text, '|', list.length);
    size_t from = 0;
    while (from <= list.length) {
        size_t to = from;
        while (to < list.length && list.text[to] != '|')
            to++;
        if (is_word((struct piece){list.text + from, to - from}, word))
            return true;
        from = to + 1;
    }
    return false;
}

static bool group_has(struct piece group, struct piece word)
{
    for (int m = MOD_NONE + 1; m < MOD_COUNT; m++) {
        const char *name = group_name(mod_group((enum mod)m));
        if (is_word(group, (struct piece){name, strlen(name)}) &&
            is_word((struct piece){mod_text[m], strlen(mod_text[m])}, word))
            return true;
    }
    return false;
}

/* Whether an element of a suffix pattern can be spelled as the word; `always` becomes whether it must be. */
static bool element_spells(struct piece e, struct piece word, bool *always)
{
    bool is_optional = e.length && e.text[e.length - 1] == '?', is_only = false, found;
    e.length -= is_optional;
    const char *open = memchr(e.text, '(', e.length);
    if (e.text[0] == '.' || e.text[0] == '=')
        found = is_among((struct piece){e.text + 1, e.length - 1}, word, &is_only);
    else if (open)
        found = is_among((struct piece){open + 1, e.length - (size_t)(open - e.text) - 2}, word, &is_only);
    else
        found = group_has(e, word);
    *always = found && is_only && !is_optional;
    return found;
}

/* Whether the row can be spelled with all words of the title; `always` becomes whether it always is. */
static bool row_spells(enum op op, const char *title, bool *always)
{
    const char *at = title;
    struct piece mnemonic = next_piece(&at, ".");
    *always = true;
    if (!is_word((struct piece){op_table[op].mnemonic, strlen(op_table[op].mnemonic)}, mnemonic))
        return false;
    while (*at) {
        struct piece word = next_piece(&at, ".");
        bool found = false, must = false;
        for (const char *pattern = op_table[op].suffixes; *pattern && !must;) {
            struct piece e = next_piece(&pattern, " ");
            bool here = false;
            if (e.length && e.text[0] != ':')
                found |= element_spells(e, word, &here);
            must |= here;
        }
        if (!found)
            return false;
        *always &= must;
    }
    return true;
}

/* Whether one of the row's type lists, from the n-th on, has one of the types, each between blanks. */
static bool has_type(enum op op, int from, const char *types)
{
    int n = 0;
    for (const char *pattern = op_table[op].suffixes; *pattern;) {
        struct piece e = next_piece(&pattern, " ");
        if (!e.length || e.text[0] != ':' || n++ < from)
            continue;
        for (const char *at = types; *at;) {
            struct piece type = next_piece(&at, " ");
            bool is_only;
            if (type.length && is_among((struct piece){e.text + 1, e.length - 1}, type, &is_only))
                return true;
        }
    }
    return false;
}

static bool fits_kind(enum op op, enum manual_kind kind)
{
    static const char floats[] = "f32 f64 f32x2 float", halves[] = "f16 f16x2 bf16 bf16x2";
    switch (kind) {
    case MANUAL_INT:
        return has_type(op, 0, "int anyint cmp u16 s16 u32 s32 u64 s64 b16 b32 b64 u16x2 s16x2 u8x4 s8x4");
    case MANUAL_FLOAT:
        return has_type(op, 0, floats);
    case MANUAL_DOUBLE:
        return has_type(op, 0, "f64");
    case MANUAL_HALF:
        return has_type(op, 0, halves);
    case MANUAL_MIXED:
        return has_type(op, 0, "f32") && has_type(op, 1, halves);
    default:
        return true;
    }
}

static bool is_longer(const char *a, const char *b)
{
    size_t n = strlen(b);
    return !strncmp(a, b, n) && a[n] == '.';
}

bool manual_is_about(int line, enum op op)
{
    const struct manual_line *m = &manual_table[line];
    bool always;
    if (!row_spells(op, m->title, &always) || !fits_kind(op, m->kind))
        return false;
    for (int other = 0; other < MANUAL_COUNT; other++)
        if (is_longer(manual_table[other].title, m->title) && row_spells(op, manual_table[other].title, &always) &&
            always && fits_kind(op, manual_table[other].kind))
            return false;
    return true;
}
