/* Papers: reading their data. See paper.h. */
#define _GNU_SOURCE
#include "study/paper.h"

#include "base/text.h"

#include <ini.h>
#include <stdlib.h>
#include <string.h>

#define EMBED(name, ending)                              \
    __asm__(".pushsection .rodata\n"                     \
            ".globl paper_" #name "_" #ending "\n"       \
            ".hidden paper_" #name "_" #ending "\n"      \
            "paper_" #name "_" #ending ":\n"             \
            ".incbin \"papers/" #name "." #ending "\"\n" \
            ".byte 0\n"                                  \
            ".popsection\n");                            \
    extern const char paper_##name##_##ending[] __attribute__((visibility("hidden")));

EMBED(tbc, ini)
EMBED(tbc, csv)

const char *const paper_names[] = {"tbc", NULL};

static const struct {
    const char *ini, *csv;
} texts[] = {{paper_tbc_ini, paper_tbc_csv}};

/* ---- the .ini ---- */

struct reading {
    struct paper *paper;
    struct text why; /* what is wrong; empty: nothing */
};

/* "DIVG --set ...": the program's set, and words for its runs. */
static bool take_program(struct reading *r, const char *label, const char *value)
{
    struct paper *p = r->paper;
    const struct workload *workload = workload_find(label);
    if (!workload || p->program_count == PAPER_MAX_PROGRAMS) {
        text_printf(&r->why, "there is no workload %s", label);
        return false;
    }
    size_t set = strcspn(value, " ");
    p->programs[p->program_count++] = (struct paper_program){
        arena_copy_string(&p->arena, label, strlen(label)), arena_copy_string(&p->arena, value, set),
        arena_copy_string(&p->arena, value + set, strlen(value + set)), workload};
    return true;
}

static int take_entry(void *user, const char *section, const char *name, const char *value)
{
    struct reading *r = user;
    struct paper *p = r->paper;
    const char *copy = arena_copy_string(&p->arena, value, strlen(value));
    if (!strcmp(section, "paper") && !strcmp(name, "title"))
        p->title = copy;
    else if (!strcmp(section, "paper") && !strcmp(name, "gpu"))
        p->gpu = copy;
    else if (!strcmp(section, "programs"))
        return take_program(r, name, value);
    else if (!strcmp(section, "runs") && p->run_count < PAPER_MAX_RUNS)
        p->runs[p->run_count++] = (struct paper_run){arena_copy_string(&p->arena, name, strlen(name)), copy};
    else
        text_printf(&r->why, "what is %s in [%s]?", name, section);
    return !r->why.data;
}

/* ---- the .csv ---- */

static int find_run(const struct paper *p, const char *name, size_t length)
{
    for (int i = 0; i < p->run_count; i++)
        if (strlen(p->runs[i].name) == length && !memcmp(p->runs[i].name, name, length))
            return i;
    return -1;
}

/* "tbc/pdom dwf": names of runs, some by another. */
static bool read_runs(struct reading *r, struct claim *c, const char *words)
{
    while (*(words += strspn(words, " "))) {
        size_t length = strcspn(words, " "), over = strcspn(words, " /");
        if (c->run_count == CLAIM_MAX_RUNS) {
            text_printf(&r->why, "%s names more than %d runs", c->id, CLAIM_MAX_RUNS);
            return false;
        }
        struct claim_run *run = &c->runs[c->run_count++];
        run->over = find_run(r->paper, words, over);
        run->under = over < length ? find_run(r->paper, words + over + 1, length - over - 1) : -1;
        if (run->over < 0 || (over < length && run->under < 0)) {
            text_printf(&r->why, "%s: there is no run %.*s", c->id, (int)length, words);
            return false;
        }
        words += length;
    }
    return true;
}

/* No field of ours has commas or quotes in it. */
static bool read_claim(struct reading *r, char *line)
{
    enum { ID, KIND, SOURCE, PROGRAMS, TEXT, PUBLISHED, METRIC, RUNS, RULE, FIELDS };
    struct paper *p = r->paper;
    const char *field[FIELDS];
    for (int i = 0; i < FIELDS; i++) {
        char *found = strsep(&line, ",");
        if (!found) {
            text_printf(&r->why, "a claim has fewer than %d fields", FIELDS);
            return false;
        }
        field[i] = found;
    }
    if (line || p->claim_count == PAPER_MAX_CLAIMS) {
        text_printf(&r->why, "%s has more than %d fields, or is one claim too many", field[ID], FIELDS);
        return false;
    }
    struct claim *c = &p->claims[p->claim_count++];
    *c = (struct claim){.id = field[ID],
                        .kind = field[KIND],
                        .source = field[SOURCE],
                        .programs = field[PROGRAMS],
                        .text = field[TEXT],
                        .published = field[PUBLISHED],
                        .metric = field[METRIC],
                        .rule = field[RULE]};
    return read_runs(r, c, field[RUNS]);
}

static bool read_claims(struct reading *r, const char *csv)
{
    char *rest = arena_copy_string(&r->paper->arena, csv, strlen(csv));
    bool is_heading = true;
    for (char *line; (line = strsep(&rest, "\n"));) {
        if (*line && !is_heading && !read_claim(r, line))
            return false;
        is_heading = false;
    }
    return true;
}

struct paper *paper_read(const char *name, const char *ini, const char *csv, char **error)
{
    struct paper *p = xcalloc(1, sizeof *p);
    struct reading r = {.paper = p};
    p->name = name;
    int line = ini_parse_string(ini, take_entry, &r);
    if (line && !r.why.data)
        text_printf(&r.why, "line %d is neither a section nor name = value", line);
    if (!r.why.data && (!p->title || !p->gpu))
        text_printf(&r.why, "[paper] needs title and gpu");
    if (!r.why.data && read_claims(&r, csv))
        return p;
    struct text why = {0};
    text_printf(&why, "papers/%s: %s", name, r.why.data);
    *error = text_take(&why);
    text_free(&r.why);
    paper_free(p);
    return NULL;
}

struct paper *paper_load(const char *name, char **error)
{
    for (int i = 0; paper_names[i]; i++)
        if (!strcmp(paper_names[i], name))
            return paper_read(paper_names[i], texts[i].ini, texts[i].csv, error);
    struct text why = {0};
    text_printf(&why, "there is no paper '%s'; there is", name);
    for (int i = 0; paper_names[i]; i++)
        text_printf(&why, " %s", paper_names[i]);
    *error = text_take(&why);
    return NULL;
}

void paper_free(struct paper *p)
{
    if (!p)
        return;
    arena_free(&p->arena);
    free(p);
}

bool claim_names(const struct claim *c, const struct paper_program *program)
{
    for (const char *at = c->programs; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if ((strlen(program->label) == length && !memcmp(program->label, at, length)) ||
            (strlen(program->set) == length && !memcmp(program->set, at, length)))
            return true;
    }
    return false;
}
