/* Statistics: adding, subtracting and finding counters by their descriptions. See stat.h. */
#include "stat/stat.h"

#include "stat/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    size_t length = strlen(owner->name);
    return strncmp(path, owner->name, length) || path[length] != '.' ? NULL : path + length + 1;
}

uint64_t stat_get(const struct stat_result *result, const char *path, _Bool *found)
{
    for (int i = 0; i < result->count; i++) {
        const struct stat_owner *owner = result->parts[i].owner;
        const char *name = name_within(path, owner);
        for (int j = 0; name && j < owner->count; j++)
            if (!strcmp(name, owner->counters[j].name)) {
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

void stat_format_exact(double value, char *into)
{
    into[0] = '\0';
    if (!isfinite(value))
        return;
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(into, STAT_NUMBER_LENGTH, "%.*g", digits, value);
        if (strtod(into, NULL) == value)
            return;
    }
}
