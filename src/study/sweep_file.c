/*
 * Study files of sweeps: see sweep.h. They have the form of .ini files; inih, which reads the other ones, cuts lines at
 * 200 characters, and a list of programs or values may be longer.
 */
#define _GNU_SOURCE
#include "study/sweep.h"

#include "base/diag.h"
#include "base/words.h"
#include "study/workload.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The study that is being read. */
struct sweep_reading {
    struct sweep *sweep;
    char *section; /* "" before the first; owned */
    int line;
};

static char *trim(char *text)
{
    text += strspn(text, " \t\r\n");
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* "LABEL = @FILE OPTIONS", "LABEL = -- PROGRAM ARGUMENTS" or "WORKLOAD = OPTIONS". */
static bool take_program(struct sweep_reading *r, const char *label, const char *value, char **error)
{
    struct text words = {0};
    if (*value == '@') {
        size_t length = strcspn(value + 1, " \t");
        char *path = strndup(value + 1, length);
        bool exists = !access(path, R_OK);
        if (!exists)
            diag_fail(error, "cannot read %s: %s", path, strerror(errno));
        free(path);
        if (!exists)
            return false;
        text_printf(&words, "%s", value + 1);
    } else if (!strncmp(value, "--", 2) && strchr(" \t", value[2])) {
        text_printf(&words, "%s", value);
    } else if (!workload_find(label)) {
        return diag_fail(error, "there is no workload %s; a file is '%s = @FILE', a program is '%s = -- PROGRAM'",
                         label, label, label);
    } else {
        text_printf(&words, "%s %s", workload_find(label)->name, value);
    }
    bool ok = sweep_add_program(r->sweep, words.data, r->line, error);
    text_free(&words);
    return ok;
}

static bool take_options(struct sweep_reading *r, const char *value, char **error)
{
    char *copy = strdup(value), *at = copy, *word;
    bool ok;
    r->sweep->words_line = r->line;
    while ((ok = words_next(&at, &word)) && word)
        vec_push(&r->sweep->words, strdup(word));
    free(copy);
    return ok || diag_fail(error, "a quote is not closed: %s", value);
}

static bool take_sweep(struct sweep_reading *r, const char *name, const char *value, char **error)
{
    for (int axis = 0; axis < SWEEP_AXES; axis++)
        if (!strcmp(name, sweep_axis_names[axis]))
            return sweep_set_axis(r->sweep, (enum sweep_axis)axis, value, r->line, error);
    if (!strcmp(name, "options"))
        return take_options(r, value, error);
    if (!strcmp(name, "time-limit"))
        return sweep_set_time_limit(r->sweep, value, error);
    if (!strcmp(name, "memory-limit"))
        return sweep_set_memory_limit(r->sweep, value, error);
    return diag_fail(error,
                     "[sweep] has no entry '%s'; it has gpu, mech, size, ptx, hints, options, time-limit and "
                     "memory-limit",
                     name);
}

static bool take_entry(struct sweep_reading *r, const char *name, const char *value, char **error)
{
    if (!strcmp(r->section, "programs"))
        return take_program(r, name, value, error);
    if (!strcmp(r->section, "sweep"))
        return take_sweep(r, name, value, error);
    if (!strcmp(r->section, "knobs"))
        return sweep_add_knob(r->sweep, name, value, r->line, error);
    return diag_fail(error, "'%s' stands before the first section; a study has [programs], [sweep] and [knobs]", name);
}

static bool take_section(struct sweep_reading *r, char *line, char **error)
{
    char *end = strchr(line, ']');
    if (!end || end[1])
        return diag_fail(error, "a section is a line [NAME], not '%s'", line);
    *end = '\0';
    line = trim(line + 1);
    if (strcmp(line, "programs") && strcmp(line, "sweep") && strcmp(line, "knobs"))
        return diag_fail(error, "there is no section [%s]; a study has [programs], [sweep] and [knobs]", line);
    free(r->section);
    r->section = strdup(line);
    return true;
}

/* Takes a line; a comment begins with ; or # at the begin of a line, or with ; behind a blank. */
static bool take_line(struct sweep_reading *r, char *line, char **error)
{
    for (char *c = line; (c = strchr(c, ';')); c++)
        if (c == line || isspace((unsigned char)c[-1])) {
            *c = '\0';
            break;
        }
    line = trim(line);
    if (!*line || *line == '#')
        return true;
    if (*line == '[')
        return take_section(r, line, error);
    char *equals = strchr(line, '=');
    if (!equals || equals == line)
        return diag_fail(error, "a line is NAME = VALUE, not '%s'", line);
    *equals = '\0';
    return take_entry(r, trim(line), trim(equals + 1), error);
}

bool sweep_read(struct sweep *s, FILE *file, const char *path, char **error)
{
    struct sweep_reading r = {.sweep = s, .section = strdup("")};
    char *line = NULL, *why = NULL;
    size_t capacity = 0;
    bool ok = true;
    s->path = strdup(path);
    while (ok && getline(&line, &capacity, file) > 0) {
        r.line++;
        ok = take_line(&r, line, &why);
    }
    if (!ok)
        diag_fail(error, "%s:%d: %s", path, r.line, why);
    free(line);
    free(why);
    free(r.section);
    return ok;
}
