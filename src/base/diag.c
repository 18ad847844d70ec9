/* Diagnostics: messages on stderr, error texts, and collected errors with excerpt and caret. See diag.h. */
#include "base/diag.h"

#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

FILE *diag_stream(void)
{
    int reason = errno; /* the message may be about it */
    fflush(stdout);
    errno = reason;
    return stderr;
}

static void say(const char *kind, const char *format, va_list args)
{
    FILE *out = diag_stream();
    fprintf(out, "heddle: %s", kind);
    vfprintf(out, format, args);
    fputc('\n', out);
}

_Noreturn void fatal(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("error: ", format, args);
    va_end(args);
    exit(1);
}

_Noreturn void panic(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("internal error (please report it): ", format, args);
    va_end(args);
    abort();
}

bool diag_fail(char **error, const char *format, ...)
{
    struct text t = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    *error = text_take(&t);
    return false;
}

/* Fills in line, column and excerpt of the entry, for a byte offset of the source. */
static void find_place(struct diag *d, struct diag_entry *e, const struct source *source, size_t offset)
{
    if (offset > source->length)
        offset = source->length;
    size_t start = 0;
    e->line = 1;
    for (size_t i = 0; i < offset; i++)
        if (source->text[i] == '\n') {
            e->line++;
            start = i + 1;
        }
    size_t end = offset;
    while (end < source->length && source->text[end] != '\n' && end - start < 160)
        end++;
    /* A hostile line can be megabytes long: show the part around the error. */
    size_t from = offset - start > 100 ? offset - 60 : start;
    e->column = (int)(offset - start) + 1;
    char *excerpt = arena_copy_string(&d->arena, source->text + from, end - from);
    for (char *c = excerpt; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = ' ';
    struct text t = {0};
    text_printf(&t, "%s\n%*s^", excerpt, (int)(offset - from), "");
    e->excerpt = arena_copy_string(&d->arena, t.data, t.length);
    text_free(&t);
}

void diag_at(struct diag *d, const struct source *source, size_t offset, const char *format, ...)
{
    d->path = source->path;
    if (d->count++ >= DIAG_MAX)
        return;
    struct diag_entry *e = &d->entry[d->count - 1];
    *e = (struct diag_entry){.excerpt = ""};
    if (source->text)
        find_place(d, e, source, offset);
    struct text t = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    e->message = arena_copy_string(&d->arena, t.data, t.length);
    text_free(&t);
}

char *diag_text(const struct diag *d)
{
    struct text t = {0};
    int kept = d->count < DIAG_MAX ? d->count : DIAG_MAX;
    for (int i = 0; i < kept; i++) {
        const struct diag_entry *e = &d->entry[i];
        text_printf(&t, "%s:", d->path ? d->path : "input");
        if (e->line)
            text_printf(&t, "%d:%d:", e->line, e->column);
        text_printf(&t, " error: %s\n", e->message);
        for (const char *line = e->excerpt; *line;) {
            size_t n = strcspn(line, "\n");
            text_printf(&t, "    %.*s\n", (int)n, line);
            line += n + (line[n] == '\n');
        }
    }
    if (d->count > kept)
        text_printf(&t, "and %d more errors\n", d->count - kept);
    return text_take(&t);
}

void diag_print(const struct diag *d, FILE *out)
{
    char *all = diag_text(d);
    fputs(all, out);
    free(all);
}

void diag_free(struct diag *d)
{
    arena_free(&d->arena);
    d->count = 0;
}
