/* Papers: reading and checking their data. See paper.h. */
#define _GNU_SOURCE
#include "study/paper.h"

#include "base/text.h"
#include "stat/stat.h"
#include "study/installed.h"
#include "study/verdict.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct paper_reading {
    struct paper *paper;
    const char *at;   /* what inih reads next */
    const char *path; /* of the text that is read */
    int line;         /* of that text */
    struct text why;  /* the first mistake, with its place; empty: none */
};

static bool fail(struct paper_reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct paper_reading *r, const char *format, ...)
{
    if (r->why.data)
        return false;
    va_list args;
    text_printf(&r->why, "%s:", r->path);
    if (r->line)
        text_printf(&r->why, "%d:", r->line);
    text_printf(&r->why, " ");
    va_start(args, format);
    text_vprintf(&r->why, format, args);
    va_end(args);
    return false;
}

static bool has_length(const char *name, const char *word, size_t length)
{
    return strlen(name) == length && !memcmp(name, word, length);
}

static int find_run(const struct paper *p, const char *name, size_t length)
{
    for (int i = 0; i < p->run_count; i++)
        if (has_length(p->runs[i].name, name, length))
            return i;
    return -1;
}

/* ---- the .ini ---- */

/* As fgets(), for inih: counts lines, and takes leading blanks off, which inih takes for the continuation of a
 * value. */
static char *read_line(char *into, int capacity, void *stream)
{
    struct paper_reading *r = stream;
    if (!*r->at || r->why.data)
        return NULL;
    r->line++;
    size_t length = strcspn(r->at, "\n"), blanks = strspn(r->at, " \t");
    blanks = blanks < length ? blanks : length;
    if (length - blanks + 2 > (size_t)capacity) {
        fail(r, "the line is longer than %d characters", capacity - 2);
        return NULL;
    }
    memcpy(into, r->at + blanks, length - blanks);
    memcpy(into + length - blanks, "\n", 2);
    r->at += length + (r->at[length] == '\n');
    return into;
}

/* The path of a program's file: one of heddle's own if it is in examples/, or else as the text has it. */
static const char *find_file(struct paper_reading *r, const char *name, size_t length)
{
    static const char folder[] = "examples/";
    const char *path = arena_copy_string(&r->paper->arena, name, length);
    bool is_example = !strncmp(path, folder, sizeof folder - 1);
    char *own = is_example ? installed_path("examples", path + sizeof folder - 1) : NULL;
    if (own)
        path = arena_copy_string(&r->paper->arena, own, strlen(own));
    else if (access(path, R_OK))
        fail(r, "cannot read %s: %s", path, strerror(errno));
    free(own);
    return r->why.data ? NULL : path;
}

/* "DIVG,LARGE --set ...": the program's sets, and options for its runs. "DIVG @FILE --grid 4 ..."
 * names a PTX file. */
static bool take_program(struct paper_reading *r, const char *label, const char *value)
{
    struct paper *p = r->paper;
    const struct workload *workload = NULL;
    const char *file = NULL, *words = value + strcspn(value, " ");
    if (words[strspn(words, " ")] == '@') {
        const char *name = words + strspn(words, " ") + 1;
        words = name + strcspn(name, " ");
        file = find_file(r, name, (size_t)(words - name));
        if (!file)
            return false;
    } else if (!(workload = workload_find(label))) {
        return fail(r, "there is no workload %s; see heddle list workloads", label);
    }
    if (p->program_count == PAPER_MAX_PROGRAMS)
        return fail(r, "more than %d programs", PAPER_MAX_PROGRAMS);
    for (int i = 0; i < p->program_count; i++)
        if (!strcmp(p->programs[i].label, label))
            return fail(r, "the program %s is named twice", label);
    size_t set = strcspn(value, " ");
    if (!set)
        return fail(r, "the program %s has no set", label);
    p->programs[p->program_count++] = (struct paper_program){arena_copy_string(&p->arena, label, strlen(label)),
                                                             arena_copy_string(&p->arena, value, set),
                                                             arena_copy_string(&p->arena, words, strlen(words)),
                                                             workload,
                                                             file,
                                                             r->line};
    return true;
}

static bool take_run(struct paper_reading *r, const char *name, const char *words)
{
    struct paper *p = r->paper;
    if (p->run_count == PAPER_MAX_RUNS)
        return fail(r, "more than %d runs", PAPER_MAX_RUNS);
    if (find_run(p, name, strlen(name)) >= 0)
        return fail(r, "the run %s is named twice", name);
    p->runs[p->run_count++] = (struct paper_run){arena_copy_string(&p->arena, name, strlen(name)), words, r->line};
    return true;
}

/* The sweep of this name, which a section begins. NULL: there are too many. */
static struct paper_sweep *open_sweep(struct paper_reading *r, const char *name)
{
    struct paper *p = r->paper;
    for (int i = 0; i < p->sweep_count; i++)
        if (!strcmp(p->sweeps[i].name, name))
            return &p->sweeps[i];
    if (p->sweep_count == PAPER_MAX_SWEEPS) {
        fail(r, "more than %d sweeps", PAPER_MAX_SWEEPS);
        return NULL;
    }
    struct paper_sweep *s = &p->sweeps[p->sweep_count++];
    *s = (struct paper_sweep){.name = arena_copy_string(&p->arena, name, strlen(name)), .line = r->line};
    return s;
}

/* An entry of [sweep NAME]: what the sweep is about, or a variant. */
static bool take_variant(struct paper_reading *r, const char *sweep, const char *name, const char *words)
{
    struct paper_sweep *s = *sweep ? open_sweep(r, sweep) : NULL;
    if (!*sweep)
        return fail(r, "a sweep needs a name: [sweep NAME]");
    if (!s)
        return false;
    if (!strcmp(name, "about")) {
        s->about = words;
        return true;
    }
    if (s->variant_count == SWEEP_MAX_VARIANTS)
        return fail(r, "the sweep %s has more than %d variants", s->name, SWEEP_MAX_VARIANTS);
    for (int i = 0; i < s->variant_count; i++)
        if (!strcmp(s->variants[i].name, name))
            return fail(r, "the variant %s of the sweep %s is named twice", name, s->name);
    s->variants[s->variant_count++] =
        (struct paper_variant){arena_copy_string(&r->paper->arena, name, strlen(name)), words, r->line};
    return true;
}

static bool check_sweeps(struct paper_reading *r)
{
    for (int i = 0; i < r->paper->sweep_count; i++) {
        const struct paper_sweep *s = &r->paper->sweeps[i];
        r->line = s->line;
        if (!s->about)
            return fail(r, "the sweep %s does not say what it is about: about = ...", s->name);
        if (s->variant_count < 2)
            return fail(r, "the sweep %s has fewer than two variants", s->name);
    }
    return true;
}

/* Every paper has the sweep over whose code the programs are; what decides comes first. */
static bool add_ptx_sweep(struct paper_reading *r)
{
    static const struct paper_variant variants[] = {{"nvcc", "--ptx nvcc", 0}, {"plain", "--ptx plain", 0}};
    struct paper_sweep *s = paper_find_sweep(r->paper, "ptx") ? NULL : open_sweep(r, "ptx");
    bool is_plain = !strcmp(r->paper->ptx, "plain");
    if (!s)
        return fail(r, "[sweep ptx] is built in, over whose code the programs are");
    s->about =
        "Whose code the programs are: nvcc's, or plain code with every branch kept as written; the paper's first";
    s->variants[0] = variants[is_plain];
    s->variants[1] = variants[!is_plain];
    s->variant_count = 2;
    return true;
}

static int take_entry(void *user, const char *section, const char *name, const char *value)
{
    static const char sweep[] = "sweep ";
    struct paper_reading *r = user;
    struct paper *p = r->paper;
    const char *copy = arena_copy_string(&p->arena, value, strlen(value));
    if (!strcmp(section, "paper") && !strcmp(name, "title"))
        p->title = copy;
    else if (!strcmp(section, "paper") && !strcmp(name, "gpu"))
        p->gpu = copy;
    else if (!strcmp(section, "paper") && !strcmp(name, "ptx"))
        p->ptx = copy;
    else if (!strcmp(section, "programs"))
        return take_program(r, name, value);
    else if (!strcmp(section, "runs"))
        return take_run(r, name, copy);
    else if (!strncmp(section, sweep, sizeof sweep - 1))
        return take_variant(r, section + sizeof sweep - 1, name, copy);
    else if (strncmp(section, "figure", strlen("figure")) != 0) /* figure.c reads those */
        return fail(r,
                    "[%s] has no entry '%s'; [paper] has title, gpu and ptx, then come [programs], [runs] and any "
                    "[sweep NAME] and [figure N]",
                    section, name);
    return true;
}

static bool read_ini(struct paper_reading *r, const struct paper_text *text)
{
    r->at = text->ini;
    r->path = r->paper->ini_path;
    int line = ini_parse_stream(read_line, r, take_entry, r);
    if (line && !r->why.data) {
        r->line = line;
        fail(r, "neither a [section] nor 'name = value'");
    }
    check_sweeps(r);
    r->line = 0;
    if (!r->paper->title || !r->paper->gpu)
        fail(r, "[paper] needs title and gpu");
    if (!r->paper->ptx)
        r->paper->ptx = "nvcc";
    if (strcmp(r->paper->ptx, "nvcc") && strcmp(r->paper->ptx, "plain"))
        fail(r, "[paper] has ptx = %s; ptx is nvcc or plain", r->paper->ptx);
    return !r->why.data && add_ptx_sweep(r);
}

/* ---- the .csv ---- */

enum { ID, KIND, SOURCE, PROGRAMS, TEXT, PUBLISHED, METRIC, RUNS, RULE, WHY, FIELDS };

static const char *const field_names[FIELDS] = {"id",        "kind",   "source", "programs", "claim",
                                                "published", "metric", "runs",   "rule",     "why"};

/* "tbc/pdom dwf": names of runs, or of two with a slash between; "-": the claim needs no run. */
static bool read_runs(struct paper_reading *r, struct claim *c, const char *words)
{
    if (!strcmp(words, "-"))
        return true;
    while (*(words += strspn(words, " "))) {
        size_t length = strcspn(words, " "), over = strcspn(words, " /");
        if (c->run_count == CLAIM_MAX_RUNS)
            return fail(r, "%s names more than %d runs", c->id, CLAIM_MAX_RUNS);
        struct claim_run *run = &c->runs[c->run_count++];
        run->over = find_run(r->paper, words, over);
        run->under = over < length ? find_run(r->paper, words + over + 1, length - over - 1) : -1;
        if (run->over < 0 || (over < length && run->under < 0))
            return fail(r, "%s: there is no run %.*s in %s", c->id, (int)length, words, r->paper->ini_path);
        words += length;
    }
    return c->run_count || fail(r, "%s names no run", c->id);
}

static bool check_programs(struct paper_reading *r, const struct claim *c)
{
    const struct paper *p = r->paper;
    int count = 0;
    for (const char *at = c->programs; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
        size_t length = strcspn(at, " ");
        bool is_known = length == 1 && *at == '-' && !c->run_count;
        at += length > 1 && *at == '-';
        length = strcspn(at, " ");
        for (int i = 0; i < p->program_count; i++)
            is_known |= paper_program_is(&p->programs[i], at, length);
        if (!is_known)
            return fail(r, "%s: there is no program and no set %.*s in %s", c->id, (int)length, at, p->ini_path);
        count++;
    }
    return count || fail(r, "%s names no program", c->id);
}

static bool check_claim(struct paper_reading *r, const struct claim *c)
{
    struct text why = {0};
    bool ok = check_programs(r, c) && (claim_check(r->paper, c, &why) || fail(r, "%s: %s", c->id, why.data));
    for (const struct claim *other = r->paper->claims; ok && other < c; other++)
        if (!strcmp(other->id, c->id))
            ok = fail(r, "the claim %s is named twice", c->id);
    text_free(&why);
    return ok;
}

/* The last field, why, may be left out. */
static bool split_record(struct paper_reading *r, char *record, const char *field[FIELDS])
{
    for (int i = 0; i < FIELDS; i++) {
        field[i] = stat_csv_take_field(&record);
        if (!field[i] && i == WHY)
            field[i] = "";
        else if (!field[i])
            return fail(r, "the record has fewer than %d fields", WHY);
    }
    return !record || fail(r, "%s has more than %d fields; a field with a comma stands in quotes", field[ID], FIELDS);
}

static bool read_heading(struct paper_reading *r, char *record)
{
    const char *field[FIELDS];
    if (!split_record(r, record, field))
        return false;
    for (int i = 0; i < FIELDS; i++)
        if (strcmp(field[i], field_names[i]) && (i != WHY || *field[i]))
            return fail(r, "column %d is headed '%s', not '%s'", i + 1, field[i], field_names[i]);
    return true;
}

static bool read_claim(struct paper_reading *r, char *record)
{
    struct paper *p = r->paper;
    const char *field[FIELDS];
    if (!split_record(r, record, field))
        return false;
    if (p->claim_count == PAPER_MAX_CLAIMS)
        return fail(r, "more than %d claims", PAPER_MAX_CLAIMS);
    struct claim *c = &p->claims[p->claim_count++];
    const char *metric = field[METRIC], *second = strchr(metric, ' ');
    *c = (struct claim){.id = field[ID],
                        .kind = field[KIND],
                        .source = field[SOURCE],
                        .programs = field[PROGRAMS],
                        .text = field[TEXT],
                        .published = field[PUBLISHED],
                        .metric = arena_copy_string(&p->arena, metric, strcspn(metric, " ")),
                        .second_metric = second ? second + 1 : NULL,
                        .rule = field[RULE],
                        .why = field[WHY],
                        .line = r->line};
    return read_runs(r, c, field[RUNS]) && check_claim(r, c);
}

static bool read_csv(struct paper_reading *r, const struct paper_text *text)
{
    bool is_heading = true;
    r->path = r->paper->csv_path;
    r->line = 1;
    for (const char *at = text->csv; *at;) {
        size_t bytes = stat_csv_record_bytes(at), length = bytes;
        while (length && (at[length - 1] == '\n' || at[length - 1] == '\r'))
            length--;
        char *record = arena_copy_string(&r->paper->arena, at, length);
        if (length && !(is_heading ? read_heading(r, record) : read_claim(r, record)))
            return false;
        is_heading &= !length;
        for (; bytes; bytes--)
            r->line += *at++ == '\n';
    }
    return true;
}

/* ---- the whole ---- */

struct paper *paper_read(const struct paper_text *text, char **error)
{
    struct paper *p = xcalloc(1, sizeof *p);
    struct paper_reading r = {.paper = p};
    p->name = arena_copy_string(&p->arena, text->name, strlen(text->name));
    p->ini = arena_copy_string(&p->arena, text->ini, strlen(text->ini));
    p->ini_path =
        arena_printf(&p->arena, text->ini_path ? "%s" : "papers/%s.ini", text->ini_path ? text->ini_path : text->name);
    p->csv_path =
        arena_printf(&p->arena, text->csv_path ? "%s" : "papers/%s.csv", text->csv_path ? text->csv_path : text->name);
    if (read_ini(&r, text) && read_csv(&r, text))
        return p;
    *error = text_take(&r.why);
    paper_free(p);
    return NULL;
}

/* The text of a file, owned by the caller; NULL and errno. */
static char *read_file(const char *path)
{
    struct text all = {0};
    char chunk[4096];
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;)
        text_append(&all, chunk, n);
    int reason = errno;
    bool ok = !ferror(file);
    fclose(file);
    errno = reason;
    if (ok)
        return text_take(&all);
    text_free(&all);
    return NULL;
}

static void name_papers(const char *wrong, char **error)
{
    struct text why = {0};
    struct paper_text text;
    text_printf(&why, "there is no paper and no file '%s'; there is", wrong);
    for (int i = 0; paper_built_in(i, &text); i++)
        text_printf(&why, "%s %s", i ? "," : "", text.name);
    *error = text_take(&why);
}

/* From NAME.ini and NAME.csv beside it. */
static struct paper *load_files(const char *path, char **error)
{
    struct text csv_path = {0}, name = {0}, why = {0};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = strlen(path), ending = length > 4 && !strcmp(path + length - 4, ".ini") ? 4 : 0;
    text_printf(&csv_path, "%.*s.csv", (int)(length - ending), path);
    text_append(&name, base, strlen(base) - ending);
    char *ini = read_file(path);
    int ini_errno = errno;
    char *csv = ini ? read_file(csv_path.data) : NULL;
    struct paper *p = NULL;
    if (csv)
        p = paper_read(&(struct paper_text){name.data, path, csv_path.data, ini, csv}, error);
    else if (ini)
        text_printf(&why, "cannot read %s, the claims of %s: %s", csv_path.data, path, strerror(errno));
    else if (ini_errno == ENOENT && !slash && !ending)
        name_papers(path, error);
    else
        text_printf(&why, "cannot read %s: %s", path, strerror(ini_errno));
    if (why.data)
        *error = text_take(&why);
    free(ini);
    free(csv);
    text_free(&csv_path);
    text_free(&name);
    return p;
}

struct paper *paper_load(const char *name_or_path, char **error)
{
    struct paper_text text;
    for (int i = 0; paper_built_in(i, &text); i++)
        if (!strcmp(text.name, name_or_path))
            return paper_read(&text, error);
    return load_files(name_or_path, error);
}

void paper_free(struct paper *p)
{
    if (!p)
        return;
    arena_free(&p->arena);
    free(p);
}

bool paper_program_is(const struct paper_program *program, const char *name, size_t length)
{
    if (has_length(program->label, name, length))
        return true;
    for (const char *at = program->sets; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && !memcmp(at, name, length))
            return true;
    return false;
}

bool claim_names(const struct claim *c, const struct paper_program *program)
{
    bool is_named = false;
    for (const char *at = c->programs; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (*at == '-' && length > 1 && paper_program_is(program, at + 1, length - 1))
            return false;
        is_named |= paper_program_is(program, at, length);
    }
    return is_named;
}

bool claim_needs(const struct claim *c, const struct paper_program *program)
{
    static const char *const rules[] = {"top ", "top-half "};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        size_t length = strlen(rules[i]);
        if (!strncmp(c->rule, rules[i], length) &&
            paper_program_is(program, c->rule + length, strlen(c->rule + length)))
            return true;
    }
    return claim_names(c, program);
}
