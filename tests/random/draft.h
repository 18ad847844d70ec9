/* A growing string. */
#ifndef HEDDLE_TESTS_RANDOM_DRAFT_H
#define HEDDLE_TESTS_RANDOM_DRAFT_H

#include <stdarg.h>
#include <stddef.h>

struct draft {
    char *s; /* NUL-terminated once anything was added; NULL before */
    size_t length, capacity;
};

void *draft_allocate(size_t bytes); /* zeroed; ends the program with a message when there is no memory */
void draft_add(struct draft *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void draft_vadd(struct draft *t, const char *format, va_list args) __attribute__((format(printf, 2, 0), nonnull));
void draft_move(struct draft *to, struct draft *from); /* appends; leaves `from` empty */
void draft_clear(struct draft *t);

#endif
