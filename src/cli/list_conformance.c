/*
 * heddle list conformance: the instructions of PTX's manual (ptx/manual.def) against what heddle has of each: rows of
 * the instruction table, handlers of both executors, a cost on every machine, and, if a file names the rows that
 * silicon has confirmed, those.
 */
#include "cli/cli.h"
#include "cli/list.h"

#include "base/text.h"
#include "exec/code.h"
#include "gpu/machine.h"
#include "oracle/oracle.h"
#include "ptx/manual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_ROWS, COLUMN_ENGINE, COLUMN_ORACLE, COLUMN_TIMED, COLUMN_SILICON, COLUMN_COUNT };

static const char *const column_names[COLUMN_COUNT] = {"rows", "engine", "oracle", "timed", "silicon"};

struct conformance {
    bool has_silicon;           /* a file said which rows silicon has confirmed */
    bool on_silicon[OP_COUNT];  /* by row */
    bool is_timed[CLASS_COUNT]; /* every machine has a cost for the class */
    int full[COLUMN_COUNT];     /* lines of which all rows have the property */
    int refused, missing;       /* lines without a row, with a reason and without one */
};

static bool read_silicon(struct conformance *c, const char *path)
{
    char line[64];
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        for (int op = OP_NONE + 1; op < OP_COUNT; op++)
            if (!strcmp(op_table[op].id, line))
                c->on_silicon[op] = true;
    }
    fclose(file);
    c->has_silicon = true;
    return true;
}

static bool look_at_machines(struct conformance *c)
{
    for (int class = 0; class < CLASS_COUNT; class ++)
        c->is_timed[class] = true;
    for (const struct machine_builtin *b = machine_builtins; b->name; b++) {
        char *error = NULL;
        struct machine *m = machine_load(b->name, &error);
        if (!m) {
            cli_fail("%s", error);
            free(error);
            return false;
        }
        for (int class = 0; class < CLASS_COUNT; class ++)
            c->is_timed[class] &= m->sm.cost[class].latency_cycles > 0;
        machine_free(m);
    }
    return true;
}

/* How many rows the line has, and how many of them have each property. */
static void count_rows(const struct conformance *c, int line, int count[COLUMN_COUNT])
{
    memset(count, 0, sizeof *count * COLUMN_COUNT);
    for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
        if (!manual_is_about(line, (enum op)op))
            continue;
        count[COLUMN_ROWS]++;
        count[COLUMN_ENGINE] += code_executes((enum op)op);
        count[COLUMN_ORACLE] += oracle_executes((enum op)op);
        count[COLUMN_TIMED] += c->is_timed[op_table[op].class];
        count[COLUMN_SILICON] += c->on_silicon[op];
    }
}

/* "yes", "2 of 3" or "no"; "-": not asked, or the line has no rows. */
static const char *share(const struct conformance *c, const int count[COLUMN_COUNT], int column, char out[32])
{
    if (!count[COLUMN_ROWS] || (column == COLUMN_SILICON && !c->has_silicon))
        return "-";
    if (count[column] == count[COLUMN_ROWS])
        return "yes";
    if (!count[column])
        return "no";
    snprintf(out, 32, "%d of %d", count[column], count[COLUMN_ROWS]);
    return out;
}

static void sum_up(struct conformance *c)
{
    for (int line = 0; line < MANUAL_COUNT; line++) {
        int count[COLUMN_COUNT];
        count_rows(c, line, count);
        for (int column = 0; column < COLUMN_COUNT && count[COLUMN_ROWS]; column++)
            c->full[column] += count[column] == count[COLUMN_ROWS];
        c->refused += !count[COLUMN_ROWS] && *manual_table[line].refusal;
        c->missing += !count[COLUMN_ROWS] && !*manual_table[line].refusal;
    }
}

static void print_sums(const struct conformance *c)
{
    printf("Of %d instructions the engine executes %d and the oracle %d; %d have a time on every machine", MANUAL_COUNT,
           c->full[COLUMN_ENGINE], c->full[COLUMN_ORACLE], c->full[COLUMN_TIMED]);
    if (c->has_silicon)
        printf(";\n%d are confirmed by silicon in every row", c->full[COLUMN_SILICON]);
    printf(".\n%d are refused, for the reason given; %d are missing.\n", c->refused, c->missing);
}

static void print_text(const struct conformance *c)
{
    const char *section = "";
    for (int line = 0; line < MANUAL_COUNT; line++) {
        const struct manual_line *m = &manual_table[line];
        int count[COLUMN_COUNT];
        char cell[COLUMN_COUNT][32];
        count_rows(c, line, count);
        if (strcmp(section, m->section))
            printf("%s%s\n", line ? "\n" : "", m->section);
        section = m->section;
        struct text t = {0};
        if (*m->refusal)
            text_printf(&t, "refused: %s", m->refusal);
        else if (!count[COLUMN_ROWS])
            text_printf(&t, "missing");
        else
            for (int k = COLUMN_ENGINE; k < COLUMN_COUNT; k++)
                text_printf(&t, "%s %-8s", column_names[k], share(c, count, k, cell[k]));
        struct text name = {0};
        text_printf(&name, "  %-30s %-4s %-8s", m->title, m->version, m->target);
        list_entry(name.data, 46, t.data);
        text_free(&name);
        text_free(&t);
    }
    printf("\n");
    print_sums(c);
}

static void print_markdown(const struct conformance *c)
{
    printf("# Conformance\n\n"
           "The instructions of PTX 9.0, title by title of the manual, and what heddle has of each. This page is "
           "written by\n"
           "`make docs` with `heddle list conformance --markdown`, from `src/ptx/manual.def` and `src/ptx/ops.def`; "
           "edit those.\n\n");
    print_sums(c);
    printf("\n`rows` counts the rows of [instructions.md](instructions.md). `engine` and `oracle`: the functional "
           "engine and the\n"
           "oracle execute the rows. `timed`: every machine has a cost for them. `silicon`: `tests/silicon` has "
           "results of an H200\n"
           "for them, which both executors reproduce; instructions of later GPUs have none.\n");
    const char *section = "";
    for (int line = 0; line < MANUAL_COUNT; line++) {
        const struct manual_line *m = &manual_table[line];
        int count[COLUMN_COUNT];
        char cell[COLUMN_COUNT][32];
        count_rows(c, line, count);
        if (strcmp(section, m->section))
            printf("\n## %s\n\n| instruction | PTX | target | rows | engine | oracle | timed | silicon |\n"
                   "|---|---|---|---|---|---|---|---|\n",
                   m->section);
        section = m->section;
        printf("| `%s` | %s | %s | ", m->title, m->version, m->target);
        if (!count[COLUMN_ROWS])
            printf("%s%s | | | | |\n", *m->refusal ? "refused: " : "missing", m->refusal);
        else
            printf("%d | %s | %s | %s | %s |\n", count[COLUMN_ROWS], share(c, count, COLUMN_ENGINE, cell[1]),
                   share(c, count, COLUMN_ORACLE, cell[2]), share(c, count, COLUMN_TIMED, cell[3]),
                   share(c, count, COLUMN_SILICON, cell[4]));
    }
}

static void print_json(const struct conformance *c)
{
    for (int line = 0; line < MANUAL_COUNT; line++) {
        const struct manual_line *m = &manual_table[line];
        int count[COLUMN_COUNT];
        char rows[32], cell[COLUMN_COUNT][32];
        count_rows(c, line, count);
        snprintf(rows, sizeof rows, "%d", count[COLUMN_ROWS]);
        list_object((const char *const[]){"instruction", m->title,
                                          "section",     m->section,
                                          "version",     m->version,
                                          "target",      m->target,
                                          "rows",        rows,
                                          "engine",      share(c, count, COLUMN_ENGINE, cell[1]),
                                          "oracle",      share(c, count, COLUMN_ORACLE, cell[2]),
                                          "timed",       share(c, count, COLUMN_TIMED, cell[3]),
                                          "silicon",     share(c, count, COLUMN_SILICON, cell[4]),
                                          "refused",     *m->refusal ? m->refusal : NULL,
                                          NULL});
    }
}

/* Titles may stand in several sections. */
static bool is_first(int line)
{
    for (int i = 0; i < line; i++)
        if (!strcmp(manual_table[i].title, manual_table[line].title))
            return false;
    return true;
}

int list_conformance(const struct list_request *r)
{
    struct conformance c = {.has_silicon = false};
    if (r->path && !read_silicon(&c, r->path)) {
        cli_fail("cannot read '%s'", r->path);
        return STATUS_INPUT;
    }
    if (r->format == LIST_NAMES) {
        for (int line = 0; line < MANUAL_COUNT; line++)
            if (is_first(line))
                puts(manual_table[line].title);
        return STATUS_OK;
    }
    if (!look_at_machines(&c))
        return STATUS_INPUT;
    sum_up(&c);
    if (r->format == LIST_JSON)
        print_json(&c);
    else if (r->format == LIST_MARKDOWN)
        print_markdown(&c);
    else
        print_text(&c);
    return STATUS_OK;
}
