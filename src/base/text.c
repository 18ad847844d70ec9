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

void text_append_word(struct text *t, const char *word)
{
    text_append(t, word, strlen(word));
}

void text_append_number(struct text *t, uint64_t number)
{
    char digits[20], *end = digits + sizeof digits, *first = end;
    do
        *--first = (char)('0' + number % 10);
    while (number /= 10);
    text_append(t, first, (size_t)(end - first));
}

/* Prints into the room that there is, and again if that was too little. */
void text_vprintf(struct text *t, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    reserve(t, 0);
    size_t room = t->capacity - t->length;
    int length = vsnprintf(t->data + t->length, room, format, args);
    if ((size_t)length >= room) {
        reserve(t, (size_t)length);
        vsnprintf(t->data + t->length, (size_t)length + 1, format, again);
    }
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
    int rows[3][LONGEST + 1]; /* of the character before the last one, of the last one, and of this one */
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= n; j++)
        last[j] = before[j] = (int)j;
    for (size_t i = 0; a[i]; i++) {
        row[0] = (int)i + 1;
        for (size_t j = 0; j < n; j++) {
            int least = last[j] + (a[i] != b[j]);
            least = row[j] + 1 < least ? row[j] + 1 : least;
            least = last[j + 1] + 1 < least ? last[j + 1] + 1 : least;
            if (i && j && a[i] == b[j - 1] && a[i - 1] == b[j] && before[j - 1] + 1 < least)
                least = before[j - 1] + 1;
            row[j + 1] = least;
        }
        int *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[n];
}

const char *text_hint(const char *word, const char *name, char hint[TEXT_HINT])
{
    const char *bare = word + strspn(word, "-");
    int length = (int)strcspn(bare, "="), most = length / 3 > 1 ? length / 3 : 1;
    char own[64];
    hint[0] = '\0';
    snprintf(own, sizeof own, "%.*s", length, bare);
    if (text_distance(own, name + strspn(name, "-")) <= most && most < length)
        snprintf(hint, TEXT_HINT, "; did you mean %s?", name);
    return hint;
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
