/* Launches that --kernel and --launch choose: see selection.h. */
#define _GNU_SOURCE
#include "run/selection.h"

#include "base/arena.h"
#include "base/demangle.h"
#include "base/diag.h"
#include "base/vec.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct launch_range {
    uint64_t first, last;
};

/* A kernel that was looked at before: names are compared once per kernel, not once per launch. */
struct known_kernel {
    char *name;
    bool is_taken;
    UT_hash_handle hh;
};

struct selection {
    struct vec_of(char *) patterns; /* of --kernel, without blanks; none: all kernels. Owned */
    struct vec_of(struct launch_range) ranges;
    struct known_kernel *known;
};

/* ---- --kernel ---- */

/* Blanks in C++ names are a matter of taste: a<int,2> is a<int, 2>. */
static void remove_blanks(char *name)
{
    char *to = name;
    for (; *name; name++)
        if (*name != ' ')
            *to++ = *name;
    *to = '\0';
}

/* The length of the first name of a list. Commas in brackets belong to a name. */
static size_t name_length(const char *list)
{
    int depth = 0;
    size_t length = 0;
    for (; list[length] && (depth > 0 || list[length] != ','); length++)
        depth += (strchr("<([{", list[length]) != NULL) - (strchr(">)]}", list[length]) != NULL);
    return length;
}

static bool read_kernels(struct selection *s, const char *option, const char *list, char **error)
{
    for (const char *at = list;; at++) {
        size_t length = name_length(at);
        char *pattern = strndup(at, length);
        remove_blanks(pattern);
        vec_push(&s->patterns, pattern);
        if (!*pattern)
            return diag_fail(error, "--%s takes names with commas between them, not '%s'", option, list);
        at += length;
        if (!*at)
            return true;
    }
}

static bool matches(const struct selection *s, const char *name)
{
    for (int i = 0; i < s->patterns.count; i++)
        if (!strcmp(s->patterns.data[i], name) || !fnmatch(s->patterns.data[i], name, 0))
            return true;
    return false;
}

/* Tries a name with its template arguments and without them. */
static bool matches_template(const struct selection *s, char *name)
{
    if (matches(s, name))
        return true;
    size_t length = strcspn(name, "<");
    char before = name[length];
    name[length] = '\0';
    bool found = before && matches(s, name);
    name[length] = before;
    return found;
}

static bool matches_kernel(const struct selection *s, const char *name)
{
    if (matches(s, name))
        return true;
    char *whole = demangle(name);
    if (!whole)
        return false;
    char *cut = demangle_short(name);
    remove_blanks(whole);
    remove_blanks(cut);
    bool found = matches(s, whole) || matches_template(s, cut) || matches_template(s, cut + demangle_qualifier(cut));
    free(whole);
    free(cut);
    return found;
}

static bool takes_kernel(struct selection *s, const char *name)
{
    struct known_kernel *k;
    if (!s->patterns.count)
        return true;
    HASH_FIND_STR(s->known, name, k);
    if (!k) {
        k = xcalloc(1, sizeof *k);
        k->name = strdup(name);
        k->is_taken = matches_kernel(s, name);
        HASH_ADD_KEYPTR(hh, s->known, k->name, strlen(k->name), k);
    }
    return k->is_taken;
}

/* ---- --launch ---- */

/* Reads a number from 1 on; `at` is moved behind it. */
static bool read_number(const char **at, uint64_t *number)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *number = strtoull(*at, &end, 10);
    *at = end;
    return !errno && *number;
}

static bool read_launches(struct selection *s, const char *list, char **error)
{
    for (const char *at = list;; at++) {
        struct launch_range range;
        bool ok = read_number(&at, &range.first);
        range.last = range.first;
        if (ok && *at == ':' && at++) {
            range.last = UINT64_MAX; /* N: means from N on */
            ok = !*at || *at == ',' || (read_number(&at, &range.last) && range.last >= range.first);
        }
        if (!ok || (*at && *at != ','))
            return diag_fail(error, "--launch takes numbers of launches from 1 on, as in 3 or 2:5,9 or 7:, not '%s'",
                             list);
        vec_push(&s->ranges, range);
        if (!*at)
            return true;
    }
}

static bool takes_launch(const struct selection *s, uint64_t launch)
{
    for (int i = 0; i < s->ranges.count; i++)
        if (launch >= s->ranges.data[i].first && launch <= s->ranges.data[i].last)
            return true;
    return !s->ranges.count;
}

/* ---- both ---- */

struct selection *selection_create(const char *kernels, const char *launches, char **error)
{
    struct selection *s = xcalloc(1, sizeof *s);
    if ((!kernels || read_kernels(s, "kernel", kernels, error)) && (!launches || read_launches(s, launches, error)))
        return s;
    selection_destroy(s);
    return NULL;
}

struct selection *selection_create_kernels(const char *option, const char *kernels, char **error)
{
    struct selection *s = xcalloc(1, sizeof *s);
    if (read_kernels(s, option, kernels, error))
        return s;
    selection_destroy(s);
    return NULL;
}

void selection_destroy(struct selection *s)
{
    struct known_kernel *k, *next;
    if (!s)
        return;
    HASH_ITER(hh, s->known, k, next)
    {
        HASH_DEL(s->known, k);
        free(k->name);
        free(k);
    }
    for (int i = 0; i < s->patterns.count; i++)
        free(s->patterns.data[i]);
    vec_free(&s->patterns);
    vec_free(&s->ranges);
    free(s);
}

bool selection_takes(struct selection *s, const char *kernel, uint64_t launch)
{
    return !s || (takes_launch(s, launch) && takes_kernel(s, kernel));
}
