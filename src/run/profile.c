/*
 * Profiles: see profile.h. The lines are heddle's own, so they are not parsed as any JSON would be: within a string
 * quotes have a backslash before them, so that a name with its quotes, colon and bracket is found only where it is one.
 */
#include "run/profile.h"

#include "base/arena.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Finds the number that follows "name": before `end`. False: there is none. */
static bool read_number(const char *at, const char *end, const char *name, uint64_t *value)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *found = strstr(at, key);
    if (!found || found >= end)
        return false;
    char *stop;
    errno = 0;
    *value = strtoull(found + strlen(key), &stop, 10);
    return stop != found + strlen(key) && !errno;
}

/* Adds the branches of one line. False: the line is about another program, or has no branches. */
static bool add_line(const char *line, const struct program *p, struct branch_use *use)
{
    char hash[64];
    snprintf(hash, sizeof hash, "\"program\":{\"hash\":\"%016" PRIx64 "\"", p->hash);
    const char *at = strstr(line, hash) ? strstr(line, "\"branches\":[") : NULL;
    if (!at)
        return false;
    const char *last = strchr(at, ']');
    for (at = strchr(at, '{'); at && last && at < last; at = strchr(at, '{')) {
        const char *end = strchr(at, '}');
        uint64_t pc, threads, taken, issues = 0;
        if (!end)
            return false;
        if (read_number(at, end, "pc", &pc) && read_number(at, end, "threads", &threads) &&
            read_number(at, end, "taken", &taken) && pc < (uint64_t)p->insn_count && p->insns[pc].branch >= 0) {
            use[p->insns[pc].branch].threads += threads;
            use[p->insns[pc].branch].taken += taken;
            if (read_number(at, end, "executed", &issues))
                use[p->insns[pc].branch].issues += issues;
        }
        at = end;
    }
    return true;
}

struct branch_use *profile_read(const char *path, const struct program *program, char **error)
{
    struct text why = {0};
    struct branch_use *use = xcalloc((size_t)program->branch_count + 1, sizeof *use);
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    int lines = 0;
    if (!file)
        text_printf(&why, "cannot read the profile %s: %s", path, strerror(errno));
    while (file && getline(&line, &capacity, file) > 0)
        lines += add_line(line, program, use);
    free(line);
    if (file && ferror(file))
        text_printf(&why, "cannot read the profile %s: %s", path, strerror(errno));
    else if (file && !lines)
        text_printf(&why, "the profile %s has no run of this program on a machine", path);
    if (file)
        fclose(file);
    if (!why.data)
        return use;
    free(use);
    *error = text_take(&why);
    return NULL;
}
