/* Names in scope while a module is parsed. Each name has a stack of meanings, the innermost scope's on top. */
#include "ptx/symbols.h"

#include <stdio.h>
#include <string.h>
#include <uthash.h>

struct symbol_name {
    const char *text;
    struct symbol *top; /* innermost meaning, or NULL */
    UT_hash_handle hh;
};

void symbols_enter(struct symbols *s)
{
    s->scope[++s->depth] = NULL;
}

void symbols_leave(struct symbols *s)
{
    for (struct symbol *y = s->scope[s->depth]; y; y = y->next_in_scope)
        y->name->top = y->outer;
    s->depth--;
}

void symbols_free(struct symbols *s)
{
    HASH_CLEAR(hh, s->names);
    HASH_CLEAR(hh, s->ranges);
    arena_free(&s->arena);
}

static struct symbol_name *name_find(struct symbol_name *table, const char *text, int length)
{
    struct symbol_name *name;
    HASH_FIND(hh, table, text, (unsigned)length, name);
    return name;
}

static struct symbol *define(struct symbols *s, struct symbol_name **table, const char *text, int length)
{
    struct symbol_name *name = name_find(*table, text, length);
    if (name) {
        if (name->top && name->top->depth == s->depth)
            return NULL;
        s->shadowing |= s->depth > 1 || name->top;
        s->late_shadowing |= s->depth == 0;
    } else {
        name = arena_new(&s->arena, struct symbol_name);
        name->text = arena_copy_string(&s->arena, text, (size_t)length);
        HASH_ADD_KEYPTR(hh, *table, name->text, (unsigned)length, name);
    }
    struct symbol *symbol = arena_new(&s->arena, struct symbol);
    symbol->depth = s->depth;
    symbol->name = name;
    symbol->outer = name->top;
    symbol->next_in_scope = s->scope[s->depth];
    name->top = s->scope[s->depth] = symbol;
    return symbol;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int digits_at_end(const char *text, int length)
{
    int digits = 0;
    while (digits < length && is_digit(text[length - digits - 1]))
        digits++;
    return digits < length ? digits : 0;
}

/* The range `prefix<...>` that contains the name: the rest of the name is a number below the count, without leading
 * zeros. */
static struct symbol *find_in_range(struct symbols *s, const char *text, int length, int digits, int *index)
{
    int number = 0;
    if (digits > 9 || (digits > 1 && text[length - digits] == '0'))
        return NULL;
    for (int i = length - digits; i < length; i++)
        number = number * 10 + (text[i] - '0');
    struct symbol_name *name = name_find(s->ranges, text, length - digits);
    for (struct symbol *range = name ? name->top : NULL; range; range = range->outer)
        if (number < range->count) {
            *index = range->first + number * range->stride;
            return range;
        }
    return NULL;
}

static struct symbol *find_in_ranges(struct symbols *s, const char *text, int length, int *index)
{
    int digits = digits_at_end(text, length), other_index;
    struct symbol *found = digits ? find_in_range(s, text, length, digits, index) : NULL;
    if (!s->digit_prefixes)
        return found;
    while (--digits > 0) { /* %r12 may be of %r<20> or of %r1<5> */
        struct symbol *other = find_in_range(s, text, length, digits, &other_index);
        if (other && (!found || other->depth > found->depth)) {
            found = other;
            *index = other_index;
        }
    }
    return found;
}

struct symbol *symbols_find(struct symbols *s, const char *text, int length, int *index)
{
    struct symbol *range = find_in_ranges(s, text, length, index);
    if (range && range->depth == s->depth)
        return range;
    struct symbol_name *name = name_find(s->names, text, length);
    struct symbol *exact = name ? name->top : NULL;
    if (!exact || (range && range->depth >= exact->depth))
        return range;
    *index = exact->first;
    return exact;
}

struct symbol *symbols_define(struct symbols *s, enum symbol_kind kind, const char *text, int length)
{
    int index;
    struct symbol *range = find_in_ranges(s, text, length, &index);
    if (range && range->depth == s->depth)
        return NULL;
    s->shadowing |= range != NULL;
    int digits = digits_at_end(text, length);
    if (digits) {
        s->numbered = true;
        if (s->depth == 0)
            s->late_shadowing |= s->digit_prefixes || name_find(s->ranges, text, length - digits);
    }
    struct symbol *symbol = define(s, &s->names, text, length);
    if (symbol)
        symbol->kind = kind;
    return symbol;
}

/* Whether one of prefix0, prefix1, ... has a meaning at this depth. Notes in s->shadowing if one has a meaning further
 * out. */
static bool range_is_taken(struct symbols *s, const char *prefix, int length, int count)
{
    char *text = arena_alloc(&s->arena, (size_t)length + 12);
    memcpy(text, prefix, (size_t)length);
    for (int i = 0; i < count; i++) {
        int digits = snprintf(text + length, 12, "%d", i);
        struct symbol_name *name = name_find(s->names, text, length + digits);
        if (!name || !name->top)
            continue;
        if (name->top->depth == s->depth)
            return true;
        s->shadowing = true;
    }
    return false;
}

struct symbol *symbols_define_range(struct symbols *s, const char *prefix, int length, int first, int count, int stride)
{
    bool digit_prefix = is_digit(prefix[length - 1]);
    s->digit_prefixes |= digit_prefix;
    s->shadowing |= s->depth > 1 || digit_prefix;
    if (s->numbered && range_is_taken(s, prefix, length, count))
        return NULL;
    struct symbol *symbol = define(s, &s->ranges, prefix, length);
    if (!symbol)
        return NULL;
    symbol->kind = SYMBOL_REGISTER;
    symbol->first = first;
    symbol->count = count;
    symbol->stride = stride;
    return symbol;
}
