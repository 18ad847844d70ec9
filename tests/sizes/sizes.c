/*
 * Holds the limits of size in src/ and include/: reads preprocessed C, as `cc -E` writes it, from stdin, and names each
 * function and structure that is too large.
 *
 * The text is read after the preprocessor, as tokens, so that neither layout nor macros nor included tables hide a
 * field. Line markers say where a token stands in its source. A field is one declared name within the braces of a
 * struct or union. Fields of a nested struct or union that has no name of its own (C11's anonymous members) are fields
 * of the outer one, too. A function's lines are those from the first token of its declaration to its closing brace.
 *
 * Knob structures are excepted: their fields are the user's options, and a table row describes each. The tag of
 * a knob structure ends in _knobs or _config. Structures all of whose fields come from a table file (.def) are excepted,
 * too, and those of the CUDA headers in include/, whose layout is not heddle's to choose.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 40, MOST_LINES = 80, NAME_BYTES = 256 };

struct token {
    char text[NAME_BYTES]; /* cut if longer */
    char file[NAME_BYTES];
    int line;
};

/* A struct or union whose braces are open. */
struct sizes_open {
    char tag[NAME_BYTES];
    char file[NAME_BYTES]; /* of the opening brace */
    int line;
    int fields;
    int table_fields;                 /* those among fields that stand in a .def file */
    bool has_name;                    /* the declaration that is being read has a token that is no nested definition */
    int nested_fields, nested_tables; /* of the nested definition in the declaration that is being read */
};

struct scanner {
    char file[NAME_BYTES]; /* of the next character */
    int line;
    bool at_line_start;
    int failures;
    char **seen; /* file:line of each structure that was counted; headers are read many times */
    size_t seen_count, seen_room;
};

static int next_char(struct scanner *s)
{
    int c = getchar();
    if (c == '\n') {
        s->line++;
        s->at_line_start = true;
    }
    return c;
}

/* # LINE "FILE" FLAGS: the next line is that one. */
static void read_marker(struct scanner *s)
{
    char text[1024];
    size_t length = 0;
    int c;
    while ((c = getchar()) != EOF && c != '\n')
        if (length + 1 < sizeof text)
            text[length++] = (char)c;
    text[length] = '\0';
    int line;
    char file[NAME_BYTES];
    if (sscanf(text, " %d \"%255[^\"]\"", &line, file) == 2) {
        s->line = line;
        strcpy(s->file, file);
    } else {
        s->line++; /* a pragma */
    }
    s->at_line_start = true;
}

static void skip_quoted(struct scanner *s, int quote)
{
    int c;
    while ((c = next_char(s)) != EOF && c != quote)
        if (c == '\\')
            next_char(s);
}

/* False at the end. Names and numbers are one token, a quoted text is one, every other character is one. */
static bool next_token(struct scanner *s, struct token *t)
{
    int c;
    for (;;) {
        bool was_start = s->at_line_start;
        c = next_char(s);
        if (c == EOF)
            return false;
        if (c == '#' && was_start) {
            read_marker(s);
            continue;
        }
        if (!isspace(c))
            break;
    }
    s->at_line_start = false;
    strcpy(t->file, s->file);
    t->line = s->line;
    size_t length = 0;
    t->text[length++] = (char)c;
    if (c == '"' || c == '\'') {
        skip_quoted(s, c);
    } else if (isalnum(c) || c == '_') {
        while ((c = getchar()) != EOF && (isalnum(c) || c == '_'))
            if (length + 1 < sizeof t->text)
                t->text[length++] = (char)c;
        if (c != EOF)
            ungetc(c, stdin);
    }
    t->text[length] = '\0';
    return true;
}

static bool is_name(const struct token *t)
{
    return isalpha((unsigned char)t->text[0]) || t->text[0] == '_';
}
static bool is(const struct token *t, const char *text)
{
    return !strcmp(t->text, text);
}

static bool ends_in(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && !strcmp(text + a - b, end);
}

/* The libraries' own headers have no limits, nor has cuda.h, whose structures are the vendor's. */
static bool is_held(const char *file)
{
    return (!strncmp(file, "src/", 4) || !strncmp(file, "include/", 8)) && strcmp(file, "include/cuda.h") != 0;
}

static bool is_new(struct scanner *s, const struct sizes_open *o)
{
    char key[NAME_BYTES * 2 + 32];
    snprintf(key, sizeof key, "%s:%d:%s", o->file, o->line, o->tag);
    for (size_t i = 0; i < s->seen_count; i++)
        if (!strcmp(s->seen[i], key))
            return false;
    if (s->seen_count == s->seen_room) {
        s->seen_room = s->seen_room ? 2 * s->seen_room : 1024;
        s->seen = realloc(s->seen, s->seen_room * sizeof *s->seen);
        if (!s->seen)
            abort();
    }
    s->seen[s->seen_count++] = strdup(key);
    return true;
}

static void judge_struct(struct scanner *s, const struct sizes_open *o)
{
    if (!is_held(o->file) || !is_new(s, o) || o->fields <= MOST_FIELDS)
        return;
    if (ends_in(o->tag, "_knobs") || ends_in(o->tag, "_config") || o->table_fields == o->fields)
        return;
    if (!strncmp(o->file, "include/cuda", strlen("include/cuda")))
        return;
    printf("%s:%d: struct %s has %d fields; at most %d\n", o->file, o->line, o->tag[0] ? o->tag : "without a tag",
           o->fields, MOST_FIELDS);
    s->failures++;
}

static void judge_function(struct scanner *s, const struct token *name, const struct token *first,
                           const struct token *last)
{
    int lines = last->line - first->line + 1;
    if (!is_held(first->file) || strcmp(first->file, last->file) != 0 || lines <= MOST_LINES)
        return;
    struct sizes_open key = {.line = first->line};
    strcpy(key.file, first->file);
    strcpy(key.tag, name->text);
    if (!is_new(s, &key))
        return;
    printf("%s:%d: %s() has %d lines; at most %d\n", first->file, first->line, name->text, lines, MOST_LINES);
    s->failures++;
}

/* Reads to the bracket that closes the one just read. */
static void skip_brackets(struct scanner *s, const char *open, const char *close)
{
    struct token t;
    for (int depth = 1; depth && next_token(s, &t);)
        depth += is(&t, open) - is(&t, close);
}

static int read_struct(struct scanner *s, const char *tag, const struct token *brace, int *table_fields);

/*
 * After `struct`: reads the tag and, if braces follow, the fields, and returns how many there are. Else *is_read is false,
 * and t has the first token after the tag.
 */
static int read_tag(struct scanner *s, struct token *t, int *table_fields, bool *is_read)
{
    char tag[NAME_BYTES] = "";
    *table_fields = 0;
    *is_read = false;
    while (next_token(s, t)) {
        if (is(t, "__attribute__")) {
            if (next_token(s, t) && is(t, "("))
                skip_brackets(s, "(", ")");
        } else if (is_name(t) && !tag[0]) {
            strcpy(tag, t->text);
        } else if (is(t, "{")) {
            *is_read = true;
            return read_struct(s, tag, t, table_fields);
        } else {
            return 0;
        }
    }
    return 0;
}

/* A declared name ends with token t, or a nested definition that declares none. */
static void end_field(struct sizes_open *o, const struct token *t)
{
    o->fields += o->has_name ? 1 : o->nested_fields;
    o->table_fields += o->has_name ? ends_in(t->file, ".def") : o->nested_tables;
    o->nested_fields = o->nested_tables = 0;
}

/* Reads up to the closing brace; returns the number of fields. */
static int read_struct(struct scanner *s, const char *tag, const struct token *brace, int *table_fields)
{
    struct sizes_open o = {.line = brace->line};
    strcpy(o.tag, tag);
    strcpy(o.file, brace->file);
    struct token t, last = *brace;
    bool is_unread = false;
    while (is_unread || next_token(s, &t)) {
        is_unread = false;
        if (is(&t, "}"))
            break;
        if (is(&t, "struct") || is(&t, "union")) {
            bool is_read;
            o.nested_fields = read_tag(s, &t, &o.nested_tables, &is_read);
            o.has_name = !is_read;
            is_unread = !is_read;
        } else if (is(&t, "(") || is(&t, "[")) {
            skip_brackets(s, is(&t, "(") ? "(" : "[", is(&t, "(") ? ")" : "]");
        } else if (is(&t, "{")) {
            skip_brackets(s, "{", "}"); /* an enum's */
        } else if (is(&t, ",") || is(&t, ";")) {
            end_field(&o, &last);
            o.has_name = o.has_name && is(&t, ",");
        } else {
            o.has_name = true;
        }
        last = t;
    }
    judge_struct(s, &o);
    *table_fields = o.table_fields;
    return o.fields;
}

/* Reads to the closing brace of a function or initialiser, which is returned. */
static struct token read_body(struct scanner *s)
{
    struct token t = {0};
    for (int depth = 1; depth && next_token(s, &t);) {
        bool is_read = false;
        int from_table;
        if (is(&t, "struct") || is(&t, "union"))
            read_tag(s, &t, &from_table, &is_read);
        if (!is_read)
            depth += is(&t, "{") - is(&t, "}");
    }
    return t;
}

/* Declarations at the outermost level. */
static void read_unit(struct scanner *s)
{
    struct token t, first = {0}, name = {0}, before = {0};
    bool is_unread = false, is_first = true, has_parameters = false;
    while (is_unread || next_token(s, &t)) {
        is_unread = false;
        if (is_first)
            first = t;
        is_first = false;
        if (is(&t, "struct") || is(&t, "union")) {
            int from_table;
            bool is_read;
            read_tag(s, &t, &from_table, &is_read);
            is_unread = !is_read;
        } else if (is(&t, "__attribute__") || is(&t, "__asm__") || is(&t, "_Alignas") || is(&t, "__typeof__") ||
                   is(&t, "typeof")) {
            if (next_token(s, &t) && is(&t, "("))
                skip_brackets(s, "(", ")");
        } else if (is(&t, "(")) {
            if (!has_parameters)
                name = before;
            has_parameters = true;
            skip_brackets(s, "(", ")");
        } else if (is(&t, "{")) {
            struct token end = read_body(s);
            if (has_parameters) {
                judge_function(s, &name, &first, &end);
                is_first = true;
                has_parameters = false;
            }
        } else if (is(&t, "=")) {
            has_parameters = false; /* an initialiser's braces are no body */
        } else if (is(&t, ";")) {
            is_first = true;
            has_parameters = false;
        }
        before = t;
    }
}

int main(void)
{
    struct scanner s = {.line = 1, .at_line_start = true};
    read_unit(&s);
    for (size_t i = 0; i < s.seen_count; i++)
        free(s.seen[i]);
    free(s.seen);
    return s.failures > 0;
}
