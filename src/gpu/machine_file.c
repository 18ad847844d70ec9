/*
 * Machine files: finding them, and reading them with inih.
 *
 * read_line() feeds inih one line at a time. It counts lines for messages, and strips leading blanks, so that inih
 * does not take an indented line for a continuation of the value above. The first mistake ends the reading.
 */
#include "gpu/machine_file.h"

#include "base/arena.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct machine_reading {
    const char *at, *end;
    int line;
    struct machine *machine;
    struct text seen; /* "\nsection.knob\n" for each knob that was set already */
    char *error;      /* the first mistake, without path and line */
    int error_line;
};

static void fail(struct machine_reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(struct machine_reading *r, const char *format, ...)
{
    if (r->error)
        return;
    struct text t = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    r->error = text_take(&t);
    r->error_line = r->line;
}

/* Like fgets(), for inih: writes one line to `into`; NULL at the end or after a mistake. */
static char *read_line(char *into, int capacity, void *stream)
{
    struct machine_reading *r = stream;
    if (r->error || r->at == r->end)
        return NULL;
    r->line++;
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const char *stop = newline ? newline : r->end;
    const char *begin = r->at;
    r->at = newline ? newline + 1 : r->end;
    while (begin < stop && (*begin == ' ' || *begin == '\t'))
        begin++;
    if (stop - begin >= capacity - 1) {
        fail(r, "the line is longer than %d characters", capacity - 2);
        return NULL;
    }
    size_t length = (size_t)(stop - begin);
    if (memchr(begin, '\0', length)) {
        fail(r, "the line holds a zero byte: not a text file");
        return NULL;
    }
    memcpy(into, begin, length);
    into[length] = '\n';
    into[length + 1] = '\0';
    return into;
}

static bool is_first(struct machine_reading *r, const char *section, const char *name)
{
    struct text key = {0};
    text_printf(&key, "\n%s.%s\n", section, name);
    bool is_new = !r->seen.data || !strstr(r->seen.data, key.data);
    if (is_new)
        text_append(&r->seen, key.data, key.length);
    text_free(&key);
    return is_new;
}

static int take_entry(void *user, const char *section, const char *name, const char *value)
{
    struct machine_reading *r = user;
    char *error = NULL;
    if (r->error)
        return 0;
    if (!*section) {
        fail(r, "'%s' stands before the first section", name);
    } else if (!is_first(r, section, name)) {
        fail(r, "'%s' is set a second time", name);
    } else if (!strcmp(section, "gpu") && !strcmp(name, "description")) {
        struct text t = {0};
        text_printf(&t, "%s", value);
        free(r->machine->description);
        r->machine->description = text_take(&t);
    } else if (!machine_set_knob(r->machine, section, name, value, &error)) {
        fail(r, "%s", error);
        free(error);
    }
    return r->error == NULL;
}

static struct machine *read_machine(const char *name, const char *path, const char *text, const char *end, char **error)
{
    struct machine_reading r = {.at = text, .end = end, .machine = machine_create(name)};
    int syntax_error_line = ini_parse_stream(read_line, &r, take_entry, &r);
    struct text t = {0};
    char *unfit = NULL;
    if (r.error && (syntax_error_line <= 0 || r.error_line <= syntax_error_line))
        text_printf(&t, "%s:%d: %s", path, r.error_line, r.error);
    else if (syntax_error_line)
        text_printf(&t, "%s:%d: neither a [section] nor 'knob = value'", path, syntax_error_line);
    else if (!r.seen.data)
        text_printf(&t, "%s: the file sets no knob", path);
    else if (!machine_check(r.machine, &unfit))
        text_printf(&t, "%s: %s", path, unfit);
    free(unfit);
    free(r.error);
    text_free(&r.seen);
    if (!t.data)
        return r.machine;
    machine_free(r.machine);
    *error = text_take(&t);
    return NULL;
}

static bool read_file(const char *path, struct text *into)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    char chunk[4096];
    size_t length;
    while ((length = fread(chunk, 1, sizeof chunk, file)) > 0)
        text_append(into, chunk, length);
    int read_errno = errno;
    bool is_whole = !ferror(file);
    fclose(file);
    errno = read_errno;
    return is_whole;
}

static char *name_of_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t length = strlen(base);
    if (length > 4 && !strcmp(base + length - 4, ".ini"))
        length -= 4;
    struct text t = {0};
    text_append(&t, base, length);
    return text_take(&t);
}

struct machine *machine_load(const char *name_or_path, char **error)
{
    for (const struct machine_builtin *b = machine_builtins; b->name; b++)
        if (!strcmp(b->name, name_or_path))
            return read_machine(b->name, b->name, b->text, b->end, error);
    struct text text = {0}, message = {0};
    struct machine *m = NULL;
    if (read_file(name_or_path, &text)) {
        char *name = name_of_path(name_or_path);
        m = read_machine(name, name_or_path, text.data, text.data + text.length, error);
        free(name);
    } else if (errno == ENOENT && !strchr(name_or_path, '/')) {
        text_printf(&message, "no machine and no file '%s'; there is", name_or_path);
        for (const struct machine_builtin *b = machine_builtins; b->name; b++)
            text_printf(&message, "%s %s", b == machine_builtins ? "" : ",", b->name);
        *error = text_take(&message);
    } else {
        text_printf(&message, "%s: %s", name_or_path, strerror(errno));
        *error = text_take(&message);
    }
    text_free(&text);
    return m;
}
