/* Growable strings, and the edit distance of words. The string of a text comes from malloc. */
#include "base/text.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct text *t, size_t more)
{
    if (t->capacity - t->length > more)
        return;
    t->capacity = 2 * t->capacity + more + 64;
    t->data = xrealloc(t->data, t->capacity);
}

void text_append(struct text *t, const char *bytes, size_t length)
{
    reserve(t, length);
    memcpy(t->data + t->length, bytes, length);
    t->length += length;
    t->data[t->length] = '\0';
}

void text_vprintf(struct text *t, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    reserve(t, (size_t)length);
    vsnprintf(t->data + t->length, (size_t)length + 1, format, again);
    va_end(again);
    t->length += (size_t)length;
}

void text_printf(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_vprintf(t, format, args);
    va_end(args);
}

char *text_take(struct text *t)
{
    reserve(t, 0);
    t->data[t->length] = '\0';
    char *data = t->data;
    *t = (struct text){0};
    return data;
}

void text_free(struct text *t)
{
    free(t->data);
    *t = (struct text){0};
}

int text_distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    size_t n = strlen(b);
    if (strlen(a) > LONGEST || n > LONGEST)
        return LONGEST;
    int row[LONGEST + 1];
    for (size_t j = 0; j <= n; j++)
        row[j] = (int)j;
    for (size_t i = 0; a[i]; i++) {
        int diagonal = row[0];
        row[0] = (int)i + 1;
        for (size_t j = 0; j < n; j++) {
            int cost = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            int insert = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            row[j + 1] = cost < insert ? cost : insert;
        }
    }
    return row[n];
}

char *text_read_file(const char *path)
{
    struct text all = {0};
    char buffer[4096];
    FILE *file = fopen(path, "r");
    for (size_t n; file && (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_append(&all, buffer, n);
    if (file)
        fclose(file);
    return text_take(&all);
}
