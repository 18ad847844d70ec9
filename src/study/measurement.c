/* Measurements: see measurement.h. */
#define _GNU_SOURCE
#include "study/measurement.h"

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct measurement_value {
    char *path;
    double sum, max;
    UT_hash_handle hh;
};

/* The line that is being read. */
struct measurement_line {
    struct measurement *measurement; /* what the line is added to */
    char *kernel;
    struct measurement_branch branch; /* the element of "branches" that is being read */
    double grid_id;                   /* the launch's number */
    struct verification *memory;      /* NULL: the launch's memory was not compared */
};

static void add_number(struct measurement *s, const char *path, double number)
{
    struct measurement_value *v;
    HASH_FIND_STR(s->values, path, v);
    if (!v) {
        v = xcalloc(1, sizeof *v);
        v->path = strdup(path);
        HASH_ADD_KEYPTR(hh, s->values, v->path, strlen(v->path), v);
    }
    v->sum += number;
    v->max = number > v->max ? number : v->max;
}

/* The entry of the branch, made if there is none yet. */
static struct measurement_branch *find_branch(struct measurement *s, const char *kernel, uint64_t pc)
{
    for (int i = 0; i < s->branch_count; i++)
        if (s->branches[i].pc == pc && !strcmp(s->branches[i].kernel, kernel))
            return &s->branches[i];
    if (s->branch_count == s->branch_capacity) {
        s->branch_capacity = 2 * s->branch_capacity + 16;
        s->branches = xrealloc(s->branches, sizeof *s->branches * (size_t)s->branch_capacity);
    }
    struct measurement_branch *b = &s->branches[s->branch_count++];
    *b = (struct measurement_branch){.kernel = strdup(kernel), .pc = pc};
    return b;
}

/* Takes a member of a branch. Members come in the order pc, where, ..., lost_issues. */
static void visit_branch(struct measurement_line *line, const char *member, const struct json_scalar *v)
{
    if (!strcmp(member, "pc")) {
        line->branch.pc = (uint64_t)v->number;
    } else if (!strcmp(member, "where") && v->string) {
        free(line->branch.where);
        line->branch.where = strdup(v->string);
    } else if (!strcmp(member, "lost_issues")) {
        struct measurement_branch *b =
            find_branch(line->measurement, line->kernel ? line->kernel : "", line->branch.pc);
        b->lost_issues += v->number;
        if (!b->where && line->branch.where)
            b->where = strdup(line->branch.where);
    }
}

static void set_text(char **text, const char *string)
{
    free(*text);
    *text = string ? strdup(string) : NULL;
}

/* Takes a member of the object that verification_json() writes. */
static void visit_memory(struct measurement_line *line, const char *member, const struct json_scalar *v)
{
    struct verification *m = line->memory ? line->memory : (line->memory = xcalloc(1, sizeof *m));
    struct difference *d = &m->difference;
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = {{"word", &d->word}, {"byte", &d->byte}, {"words", &d->words}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!strcmp(member, numbers[i].name))
            *numbers[i].number = (uint64_t)v->number;
    for (int i = 0; v->string && !strcmp(member, "verdict") && i < VERIFY_VERDICTS; i++)
        if (!strcmp(v->string, verify_names[i]))
            m->verdict = (enum verify_verdict)i;
    if (!strcmp(member, "argument"))
        m->argument = (int)v->number;
    else if (!strcmp(member, "allocation"))
        d->allocation = (int)v->number;
    else if (!strcmp(member, "unmatched"))
        d->is_unmatched = v->number != 0;
    else if (!strcmp(member, "parameter"))
        set_text(&m->parameter, v->string);
    else if (!strcmp(member, "why"))
        set_text(&m->why, v->string);
    else if (!strcmp(member, "label") && v->string)
        snprintf(d->label, sizeof d->label, "%s", v->string);
    else if (!strcmp(member, "address") && v->string)
        d->address = strtoull(v->string, NULL, 0);
    else if (!strcmp(member, "value") && v->string)
        d->got = (uint32_t)strtoull(v->string, NULL, 0);
    else if (!strcmp(member, "functional") && v->string)
        d->wanted = (uint32_t)strtoull(v->string, NULL, 0);
}

/* Counts the launch's verdict, and keeps it if it is worse than those before. */
static void keep_memory(struct measurement *s, struct measurement_line *line)
{
    struct verification *m = line->memory;
    if (!m)
        return;
    s->compared++;
    s->unordered += m->verdict == VERIFY_UNORDERED;
    s->racing += m->verdict == VERIFY_RACE;
    s->wrong += m->verdict > VERIFY_RACE;
    enum verify_verdict before = s->memory ? s->memory->verdict : VERIFY_SAME;
    if (m->verdict <= before)
        return;
    m->launch = (uint64_t)line->grid_id;
    set_text(&m->kernel, line->kernel ? line->kernel : "?");
    verification_free(s->memory);
    s->memory = m;
    line->memory = NULL;
}

static void visit(void *context, const struct json_scalar *v)
{
    static const char of_branch[] = "branches[].", of_memory[] = "memory.";
    struct measurement_line *line = context;
    if (!strcmp(v->path, "kernel") && v->string && !line->kernel)
        line->kernel = strdup(v->string);
    else if (!strncmp(v->path, of_branch, sizeof of_branch - 1))
        visit_branch(line, v->path + sizeof of_branch - 1, v);
    else if (!strncmp(v->path, of_memory, sizeof of_memory - 1))
        visit_memory(line, v->path + sizeof of_memory - 1, v);
    else if (v->kind == JSON_NUMBER && !strstr(v->path, "[]"))
        add_number(line->measurement, v->path, v->number);
    if (!strcmp(v->path, "launch.grid_id"))
        line->grid_id = v->number;
    if (!strcmp(v->path, "machine.sm.scheduler") && v->string && !line->measurement->scheduler)
        line->measurement->scheduler = strdup(v->string);
    line->measurement->faults += !strcmp(v->path, "fault.kind");
}

bool measurement_add_line(struct measurement *s, const char *text, char **error)
{
    static const char total[] = "{\"total\":"; /* the sum of the lines before, which heddle exec writes */
    if (!strncmp(text, total, sizeof total - 1))
        return true;
    struct measurement_line line = {.measurement = s};
    bool ok = json_walk(text, visit, &line, error);
    s->launches += ok;
    if (ok)
        keep_memory(s, &line);
    verification_free(line.memory);
    free(line.kernel);
    free(line.branch.where);
    return ok;
}

bool measurement_add_file(struct measurement *s, const char *path, char **error)
{
    struct text why = {0};
    char *text = NULL, *wrong = NULL;
    size_t capacity = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        text_printf(&why, "cannot read %s: %s", path, strerror(errno));
    while (file && !wrong && getline(&text, &capacity, file) > 0)
        measurement_add_line(s, text, &wrong);
    if (wrong)
        text_printf(&why, "%s, launch %d: %s", path, s->launches + 1, wrong);
    free(wrong);
    free(text);
    if (file)
        fclose(file);
    if (!why.data)
        return true;
    *error = text_take(&why);
    return false;
}

void measurement_free(struct measurement *s)
{
    struct measurement_value *v, *next;
    HASH_ITER(hh, s->values, v, next)
    {
        HASH_DEL(s->values, v);
        free(v->path);
        free(v);
    }
    for (int i = 0; i < s->branch_count; i++) {
        free(s->branches[i].kernel);
        free(s->branches[i].where);
    }
    free(s->branches);
    free(s->scheduler);
    verification_free(s->memory);
    *s = (struct measurement){0};
}

static const struct measurement_value *find(const struct measurement *s, const char *path)
{
    struct measurement_value *v;
    HASH_FIND_STR(s->values, path, v);
    return v;
}

bool measurement_has(const struct measurement *s, const char *path)
{
    return find(s, path) != NULL;
}

double measurement_sum(const struct measurement *s, const char *path)
{
    const struct measurement_value *v = find(s, path);
    return v ? v->sum : 0;
}

double measurement_max(const struct measurement *s, const char *path)
{
    const struct measurement_value *v = find(s, path);
    return v ? v->max : 0;
}

double measurement_efficiency(const struct measurement *s)
{
    double lanes = measurement_sum(s, "sm.issue_slots");
    return lanes > 0 ? measurement_sum(s, "sm.thread_instructions") / lanes : NAN;
}

double measurement_traffic(const struct measurement *s)
{
    return measurement_sum(s, "crossbar.request_bytes") + measurement_sum(s, "crossbar.reply_bytes");
}

const struct measurement_branch *measurement_worst_branch(const struct measurement *s)
{
    const struct measurement_branch *worst = NULL;
    for (int i = 0; i < s->branch_count; i++)
        if (s->branches[i].lost_issues > (worst ? worst->lost_issues : 0))
            worst = &s->branches[i];
    return worst;
}
