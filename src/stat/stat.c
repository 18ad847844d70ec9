/* Statistics: adding, subtracting and finding counters by their descriptions. See stat.h. */
#include "stat/stat.h"

#include "stat/format.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a figure: at least, in most ratios at least, and enough for any value. */
enum { LEAST_DIGITS = 6, FEWER_DIGITS = 15, MOST_DIGITS = 17 };

uint64_t stat_load(const struct stat_counter *counter, const void *values)
{
    uint64_t value;
    memcpy(&value, (const char *)values + counter->offset, sizeof value);
    return value;
}

static void save(const struct stat_counter *counter, void *values, uint64_t value)
{
    memcpy((char *)values + counter->offset, &value, sizeof value);
}

void stat_add(const struct stat_owner *owner, void *into, const void *from)
{
    for (int i = 0; i < owner->count; i++) {
        const struct stat_counter *c = &owner->counters[i];
        uint64_t a = stat_load(c, into), b = stat_load(c, from);
        save(c, into, c->combine == STAT_SUM ? a + b : a > b ? a : b);
    }
}

void stat_difference(const struct stat_owner *owner, void *into, const void *now, const void *before)
{
    for (int i = 0; i < owner->count; i++) {
        const struct stat_counter *c = &owner->counters[i];
        uint64_t value = stat_load(c, now);
        save(c, into, c->combine == STAT_SUM ? value - stat_load(c, before) : value);
    }
}

/* What follows the owner's name in the path, or NULL. */
static const char *name_within(const char *path, const struct stat_owner *owner)
{
    if (!strncmp(path, "*.", 2))
        return path + 2;
    if (*path != *owner->name)
        return NULL;
    size_t length = strlen(owner->name);
    return strncmp(path, owner->name, length) || path[length] != '.' ? NULL : path + length + 1;
}

uint64_t stat_get(const struct stat_result *result, const char *path, _Bool *found)
{
    for (int i = 0; i < result->count; i++) {
        const struct stat_owner *owner = result->parts[i].owner;
        const char *name = name_within(path, owner);
        for (int j = 0; name && j < owner->count; j++)
            if (*name == *owner->counters[j].name && !strcmp(name, owner->counters[j].name)) {
                if (found)
                    *found = 1;
                return stat_load(&owner->counters[j], result->parts[i].values);
            }
    }
    if (found)
        *found = 0;
    return 0;
}

void stat_format_short(double value, char *into)
{
    if (!isfinite(value))
        snprintf(into, STAT_NUMBER_LENGTH, "-");
    else if (value == floor(value) && fabs(value) < 1e15)
        snprintf(into, STAT_NUMBER_LENGTH, "%.0f", value);
    else if (fabs(value) >= 1000 && fabs(value) < 1e15)
        snprintf(into, STAT_NUMBER_LENGTH, "%.2f", value);
    else
        snprintf(into, STAT_NUMBER_LENGTH, "%.6g", value);
}

/* Prints the value with so many digits; false if the text stands for another value. */
static bool print_digits(double value, int digits, char *into)
{
    snprintf(into, STAT_NUMBER_LENGTH, "%.*g", digits, value);
    return strtod(into, NULL) == value;
}

/* The least number of digits, from `least` on, that stand for the value and no other. */
static void print_least_digits(double value, int least, char *into)
{
    while (least < MOST_DIGITS && !print_digits(value, least, into))
        least++;
    if (least == MOST_DIGITS)
        print_digits(value, MOST_DIGITS, into);
}

/* With the least number of digits, from 6 on, that stand for the value and no other. Most figures are whole numbers, or
 * ratios that need 16 or 17 digits. If more digits than the least do not do, which powers of two may have, all numbers
 * of digits are tried in turn. */
void stat_format_exact(double value, char *into)
{
    int exponent;
    into[0] = '\0';
    if (!isfinite(value))
        return;
    if (value >= 0 && value < 1e6 && value == (double)(int)value && !signbit(value))
        snprintf(into, STAT_NUMBER_LENGTH, "%d", (int)value);
    else if (print_digits(value, LEAST_DIGITS, into))
        return;
    else if (frexp(fabs(value), &exponent) != 0.5 && !print_digits(value, FEWER_DIGITS, into))
        print_least_digits(value, FEWER_DIGITS + 1, into);
    else
        print_least_digits(value, LEAST_DIGITS + 1, into);
}
