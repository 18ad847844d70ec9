/*
 * Source lines: `.file 1 "a.cu"` and `.loc 1 16 29, function_name $L__info_string0, inlined_at 1 28 3`.
 *
 * The call site that inlined_at names is the latest `.loc` of that file, line and column, which may itself be inlined.
 * The name of the inlined function stands under its label in the section .debug_str, as a list of bytes.
 */
#include "ptx/parse.h"

#include "base/text.h"

#include <uthash.h>

struct location_key {
    int file, line, column;
};

/* What the text has said so far about one place of the source. */
struct location_entry {
    struct location_key key;
    int latest; /* index of the last location at that place; -1: none yet */
    UT_hash_handle hh;
};

/* A string of the section .debug_str. */
struct debug_string {
    const char *label, *text;
    UT_hash_handle hh;
};

void parse_free_locations(struct parser *p)
{
    HASH_CLEAR(hh, p->location_entries);
    HASH_CLEAR(hh, p->debug_strings);
}

static void add_debug_string(struct parser *p, const struct token *label, const struct text *bytes)
{
    struct debug_string *s = arena_new(&p->symbols.arena, struct debug_string), *before;
    s->label = arena_copy_string(&p->symbols.arena, label->text, (size_t)label->length);
    s->text = arena_copy_string(p->arena, bytes->data ? bytes->data : "", bytes->length);
    HASH_FIND_STR(p->debug_strings, s->label, before);
    if (!before)
        HASH_ADD_KEYPTR(hh, p->debug_strings, s->label, strlen(s->label), s);
}

/* strings = {label ":" {".b8" byte {"," byte}}}. What looks otherwise ends the list, and is no error: nothing depends
 * on these names but messages. */
void parse_debug_strings(struct parser *p)
{
    struct lexer lexer = p->lexer;
    struct token token, label = {0};
    struct text bytes = {0};
    lex_next(&lexer, &token);
    while (token.kind == TOKEN_WORD) {
        label = token;
        lex_next(&lexer, &token);
        if (token.kind != ':')
            break;
        bytes.length = 0;
        for (lex_next(&lexer, &token); token.kind == TOKEN_DIRECTIVE && TOKEN_IS(&token, ".b8");)
            for (lex_next(&lexer, &token); token.kind == TOKEN_NUMBER || token.kind == ','; lex_next(&lexer, &token))
                if (token.kind == TOKEN_NUMBER && token.bits && token.bits < 128)
                    text_printf(&bytes, "%c", (char)token.bits);
        add_debug_string(p, &label, &bytes);
    }
    text_free(&bytes);
}

void parse_name_locations(struct parser *p)
{
    for (int i = 0; i < p->locations.count; i++) {
        struct ptx_location *l = &p->locations.data[i];
        struct debug_string *s = NULL;
        if (l->function)
            HASH_FIND_STR(p->debug_strings, l->function, s);
        l->function = s ? s->text : NULL;
    }
}

/* file = ".file" number [string] string {"," number}: clang writes the folder as a string of its own. */
bool parse_file(struct parser *p)
{
    uint64_t number;
    parse_advance(p);
    if (!parse_count(p, INT32_MAX, "the number of the file", &number))
        return false;
    if (!parse_at(p, TOKEN_STRING))
        return parse_expected(p, "the path of the file");
    const char *path = parse_copy(p, &p->token);
    parse_advance(p);
    if (parse_at(p, TOKEN_STRING)) {
        path = arena_printf(p->arena, "%s/%s", path, parse_copy(p, &p->token));
        parse_advance(p);
    }
    vec_push(&p->files, (struct ptx_file){.number = (int)number, .path = path});
    while (parse_accept(p, ','))
        if (!parse_count(p, INT64_MAX, "the file's time or size", &number))
            return false;
    return true;
}

static bool parse_key(struct parser *p, struct location_key *key)
{
    uint64_t part[3];
    for (int i = 0; i < 3; i++)
        if (!parse_count(p, INT32_MAX, i == 0 ? "the file" : i == 1 ? "the line" : "the column", &part[i]))
            return false;
    memset(key, 0, sizeof *key);
    key->file = (int)part[0];
    key->line = (int)part[1];
    key->column = (int)part[2];
    return true;
}

static struct location_entry *entry_of(struct parser *p, const struct location_key *key)
{
    struct location_entry *entry;
    HASH_FIND(hh, p->location_entries, key, sizeof *key, entry);
    if (!entry) {
        entry = arena_new(&p->symbols.arena, struct location_entry);
        entry->key = *key;
        entry->latest = -1;
        HASH_ADD(hh, p->location_entries, key, sizeof *key, entry);
    }
    return entry;
}

/* Whether the chain of inlined calls that leads to the location is longer than is kept. */
static bool is_deep(const struct parser *p, int location)
{
    int depth = 0;
    for (; location >= 0 && depth <= PARSE_MAX_INLINING; depth++)
        location = p->locations.data[location].inlined_at;
    return depth > PARSE_MAX_INLINING;
}

/* The index of a location at the entry's place with this call site: the latest one again if it has that call site. */
static int add_location(struct parser *p, struct location_entry *entry, int inlined_at, const char *function)
{
    if (is_deep(p, inlined_at))
        inlined_at = -1;
    if (entry->latest < 0 || p->locations.data[entry->latest].inlined_at != inlined_at) {
        entry->latest = p->locations.count;
        vec_push(&p->locations, (struct ptx_location){.file = entry->key.file,
                                                      .line = entry->key.line,
                                                      .column = entry->key.column,
                                                      .inlined_at = inlined_at,
                                                      .function = function});
    }
    return entry->latest;
}

/* Behind the first comma: "function_name" name ["+" n] "," "inlined_at" place, in any order. */
static bool parse_clause(struct parser *p, int *inlined_at, const char **function)
{
    struct token word, name;
    struct location_key key;
    int64_t offset;
    if (!parse_name(p, "'function_name' or 'inlined_at'", &word))
        return false;
    if (TOKEN_IS(&word, "function_name")) {
        if (!parse_name(p, "a label", &name))
            return false;
        *function = parse_at(p, '+') ? NULL : parse_copy(p, &name);
        return !parse_accept(p, '+') || parse_integer(p, &offset);
    }
    if (!TOKEN_IS(&word, "inlined_at"))
        return parse_fail(p, word.offset, "expected 'function_name' or 'inlined_at'");
    if (!parse_key(p, &key))
        return false;
    struct location_entry *site = entry_of(p, &key);
    *inlined_at = site->latest >= 0 ? site->latest : add_location(p, site, -1, NULL);
    return true;
}

/* location = ".loc" file line column {"," clause} */
bool parse_location(struct parser *p)
{
    struct location_key key;
    int inlined_at = -1;
    const char *function = NULL; /* the label under which the name stands, until parse_name_locations() */
    parse_advance(p);
    if (!parse_key(p, &key))
        return false;
    while (parse_accept(p, ','))
        if (!parse_clause(p, &inlined_at, &function))
            return false;
    if (key.line) /* line 0: code of no line of the source, which counts to the line before it */
        p->body.location = add_location(p, entry_of(p, &key), inlined_at, function);
    return true;
}
