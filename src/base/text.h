/* Growable strings. `data` is NULL until something was printed, and NUL-terminated from then on. */
#ifndef HEDDLE_BASE_TEXT_H
#define HEDDLE_BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *data;
    size_t length, capacity;
};

void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *format, va_list args);
void text_append(struct text *t, const char *bytes, size_t length);
void text_append_word(struct text *t, const char *word);
void text_append_number(struct text *t, uint64_t number); /* in decimal */
char *text_take(struct text *t); /* the string ("" if empty), which the caller frees; the text is empty afterwards */
void text_free(struct text *t);

/* The number of edits that turn one word into the other, for "did you mean". An edit adds, drops or changes a
 * character, or swaps two neighbours. */
int text_distance(const char *a, const char *b);

enum { TEXT_HINT = 96 };
/* "; did you mean NAME?" for a message about a word that is not known, if the name is a near miss of the word: it
 * takes at most one edit per three characters of the word, and one at least. Dashes in front and =VALUE do not
 * count. Else "". In `hint`. */
const char *text_hint(const char *word, const char *name, char hint[TEXT_HINT]);

/* The whole content of a file, to be freed; an empty text if the file cannot be read. */
char *text_read_file(const char *path);

#endif
