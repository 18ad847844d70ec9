/* Measurements: see measurement.h. */
#define _GNU_SOURCE
#include "study/measurement.h"

#include "base/arena.h"
#include "base/json.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
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

static struct measurement_value *find_value(const struct measurement *s, const char *path)
{
    struct measurement_value *v;
    HASH_FIND_STR(s->values, path, v);
    return v;
}

static void add_number(struct measurement *s, const char *path, double number)
{
    struct measurement_value *v = find_value(s, path);
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

static void add_branch(struct measurement *s, const char *kernel, const struct measurement_branch *seen)
{
    struct measurement_branch *b = find_branch(s, kernel, seen->pc);
    b->executed += seen->executed;
    b->diverged += seen->diverged;
    b->threads += seen->threads;
    b->taken += seen->taken;
    b->lost_lanes += seen->lost_lanes;
    b->lost_issues += seen->lost_issues;
    if (!b->where && seen->where)
        b->where = strdup(seen->where);
}

/* Takes a member of a branch. The first of them is pc, the last is lost_issues. */
static void visit_branch(struct measurement_line *line, const char *member, const struct json_scalar *v)
{
    struct measurement_branch *b = &line->branch;
    const struct {
        const char *name;
        double *number;
    } numbers[] = {{"executed", &b->executed}, {"diverged", &b->diverged},     {"threads", &b->threads},
                   {"taken", &b->taken},       {"lost_lanes", &b->lost_lanes}, {"lost_issues", &b->lost_issues}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!strcmp(member, numbers[i].name))
            *numbers[i].number = v->number;
    if (!strcmp(member, "pc")) {
        *b = (struct measurement_branch){.pc = (uint64_t)v->number, .where = b->where};
    } else if (!strcmp(member, "where") && v->string) {
        free(b->where);
        b->where = strdup(v->string);
    } else if (!strcmp(member, "lost_issues")) {
        add_branch(line->measurement, line->kernel ? line->kernel : "", b);
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

/* Takes a member of an interval. Each interval begins with its end, and those of later launches are numbered on. */
static void visit_interval(struct measurement_line *line, const char *member, const struct json_scalar *v)
{
    struct measurement *s = line->measurement;
    char path[96];
    s->intervals += !strcmp(member, "end");
    snprintf(path, sizeof path, "intervals.%d.%s", s->intervals - 1, member);
    if (v->kind == JSON_NUMBER)
        add_number(s, path, v->number);
}

static void visit(void *context, const struct json_scalar *v)
{
    static const char of_branch[] = "branches[].", of_memory[] = "memory.", of_interval[] = "intervals[].";
    struct measurement_line *line = context;
    if (!strcmp(v->path, "kernel") && v->string && !line->kernel)
        line->kernel = strdup(v->string);
    else if (!strncmp(v->path, of_branch, sizeof of_branch - 1))
        visit_branch(line, v->path + sizeof of_branch - 1, v);
    else if (!strncmp(v->path, of_memory, sizeof of_memory - 1))
        visit_memory(line, v->path + sizeof of_memory - 1, v);
    else if (!strncmp(v->path, of_interval, sizeof of_interval - 1))
        visit_interval(line, v->path + sizeof of_interval - 1, v);
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

/* ---- stored results ---- */

void measurement_save(const struct measurement *s, struct result *r)
{
    r->launches = s->launches;
    r->faults = s->faults;
    r->compared = s->compared;
    r->unordered = s->unordered;
    r->racing = s->racing;
    r->wrong = s->wrong;
    r->scheduler = s->scheduler ? strdup(s->scheduler) : NULL;
    if (s->memory) {
        struct text memory = {0};
        text_printf(&memory, "{\"launch\":{\"grid_id\":%" PRIu64 "},\"kernel\":", s->memory->launch);
        json_print_string(&memory, s->memory->kernel);
        text_printf(&memory, ",\"memory\":");
        verification_json(s->memory, &memory);
        text_printf(&memory, "}");
        r->memory = text_take(&memory);
    }
    for (const struct measurement_value *v = s->values; v; v = v->hh.next)
        vec_push(&r->values, (struct result_value){strdup(v->path), v->sum, v->max});
    for (int i = 0; i < s->branch_count; i++) {
        const struct measurement_branch *b = &s->branches[i];
        vec_push(&r->branches,
                 (struct result_branch){strdup(b->kernel), b->where ? strdup(b->where) : NULL, b->pc, b->executed,
                                        b->diverged, b->threads, b->taken, b->lost_lanes, b->lost_issues});
    }
}

/* `memory` of a result has the form of a line with a launch, of which only the memory is told. */
static bool load_memory(struct measurement *s, const char *text, char **error)
{
    struct measurement only_memory = {0};
    bool ok = !text || measurement_add_line(&only_memory, text, error);
    s->memory = only_memory.memory;
    only_memory.memory = NULL;
    measurement_free(&only_memory);
    return ok;
}

bool measurement_load(struct measurement *s, const struct result *r, char **error)
{
    s->launches = r->launches;
    s->faults = r->faults;
    s->compared = r->compared;
    s->unordered = r->unordered;
    s->racing = r->racing;
    s->wrong = r->wrong;
    s->scheduler = r->scheduler ? strdup(r->scheduler) : NULL;
    for (int i = 0; i < r->values.count; i++) {
        add_number(s, r->values.data[i].path, r->values.data[i].sum);
        find_value(s, r->values.data[i].path)->max = r->values.data[i].max;
    }
    for (int i = 0; i < r->branches.count; i++) {
        const struct result_branch *b = &r->branches.data[i];
        add_branch(s, b->kernel,
                   &(struct measurement_branch){.where = b->where,
                                                .pc = b->pc,
                                                .executed = b->executed,
                                                .diverged = b->diverged,
                                                .threads = b->threads,
                                                .taken = b->taken,
                                                .lost_lanes = b->lost_lanes,
                                                .lost_issues = b->lost_issues});
    }
    return load_memory(s, r->memory, error);
}

bool measurement_has(const struct measurement *s, const char *path)
{
    return find_value(s, path) != NULL;
}

double measurement_sum(const struct measurement *s, const char *path)
{
    const struct measurement_value *v = find_value(s, path);
    return v ? v->sum : 0;
}

double measurement_max(const struct measurement *s, const char *path)
{
    const struct measurement_value *v = find_value(s, path);
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
