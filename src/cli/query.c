/* heddle query: what a store has, as tables. */
#include "cli/cli.h"

#include "base/terminal.h"
#include "cli/query_view.h"
#include "store/table.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option option_table[] = {
    {"--program", "A,B,...", "Only runs of these programs; * and ? stand for any characters, here and in the next.",
     NULL},
    {"--mech", "A,B,...", "Only runs under these mechanisms.", NULL},
    {"--gpu", "A,B,...", "Only runs on these machines.", NULL},
    {"--size", "A,B,...", "Only workloads of these sizes.", NULL},
    {"--ptx", "A,B,...", "Only workloads with these kernels: nvcc, plain.", NULL},
    {"--set", "KNOB=VALUE", "Only runs in which the knob has the value, set or by default. May be given several times.",
     NULL},
    {"--build", "HASH|this", "Only runs of the build whose hash begins so, or of this heddle.", NULL},
    {"--baseline", "MECH", "Mechanism that the view speedup divides by.", "pdom"},
    {"--top", "N", "Branches per run in the view branches.", "5"},
    {"--sql", "'SELECT ...'", "Prints what this statement selects, instead of a view; see SQL.", NULL},
    {"--csv", NULL, "Prints comma-separated values (RFC 4180) with a heading.", NULL},
    {"--json", NULL, "Prints one JSON object per row, each on a line of its own.", NULL},
    {"--latex", NULL, "Prints a tabular environment of LaTeX.", NULL},
    {NULL, NULL, NULL, NULL},
};

static void write_views(struct text *out)
{
    for (const struct query_about *v = query_views; v->name; v++) {
        text_printf(out, "%-10s ", v->name);
        cli_wrap(out, 11, 11, v->meaning);
    }
}

static const struct cli_section section_table[] = {
    {"Views", NULL, write_views},
    {"Results of several builds",
     "A store keeps the results of every build of heddle that wrote it. If a view shows several, a\n"
     "column names the build of each row; --build chooses one. A speedup is always within one build.\n",
     NULL},
    {"Narrow terminals",
     "On a terminal of fewer than 100 columns, a view that is wider leaves columns out until it fits:\n"
     "date, place, pc, seconds, executed, lost issues, and texts that are the same in all rows. Then it\n"
     "cuts long texts in the middle. --csv and --json have all.\n",
     NULL},
    {"SQL",
     "run      One row per run: key, build, version, name, gpu, mechanism, size, ptx, hints, settings,\n"
     "         program_hash, input_hash, configuration (JSON, all options and knobs), words (JSON, the\n"
     "         command), status, failure, why, seconds, date, host, launches, output and others.\n"
     "figures  run (run.id), path, sum, max: every figure, over all launches.\n"
     "branch   run (run.id), kernel, pc, line, executed, diverged, threads, taken, lost_lanes,\n"
     "         lost_issues.\n"
     "The store is only read. json_extract(configuration, '$.machine.sm.scheduler') is a knob.\n",
     NULL},
    {NULL, NULL, NULL},
};

enum query_format { QUERY_TEXT, QUERY_CSV, QUERY_JSON, QUERY_LATEX };

struct query_command_line {
    struct query_request request;
    const char *store, *sql;
    enum query_format format;
};

static int take_option(struct query_command_line *q, const char *name, const char *value)
{
    const struct {
        const char *name, **value;
    } texts[] = {
        {"--program", &q->request.program}, {"--mech", &q->request.mech}, {"--gpu", &q->request.gpu},
        {"--size", &q->request.size},       {"--ptx", &q->request.ptx},   {"--build", &q->request.build},
        {"--top", &q->request.top},         {"--sql", &q->sql},           {"--baseline", &q->request.baseline},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(name, texts[i].name))
            *texts[i].value = value;
    if (!strcmp(name, "--set"))
        vec_push(&q->request.settings, value);
    enum query_format format = !strcmp(name, "--csv")     ? QUERY_CSV
                               : !strcmp(name, "--json")  ? QUERY_JSON
                               : !strcmp(name, "--latex") ? QUERY_LATEX
                                                          : QUERY_TEXT;
    if (format && q->format && format != q->format)
        return cli_misuse("query", "--csv, --json and --latex exclude each other");
    q->format = format ? format : q->format;
    return STATUS_OK;
}

static int take_word(struct query_command_line *q, const char *word)
{
    const char *nearest = query_views[0].name;
    if (!q->store) {
        q->store = word;
        return STATUS_OK;
    }
    if (q->request.view && strcmp(q->request.view, "values"))
        return cli_misuse("query", "one view at a time: %s, then %s", q->request.view, word);
    if (q->request.view) {
        vec_push(&q->request.paths, word);
        return STATUS_OK;
    }
    q->request.view = word;
    for (const struct query_about *v = query_views; v->name; v++) {
        if (!strcmp(v->name, word))
            return STATUS_OK;
        if (text_distance(word, v->name) < text_distance(word, nearest))
            nearest = v->name;
    }
    struct text views = {0};
    char hint[TEXT_HINT];
    for (const struct query_about *v = query_views; v->name; v++)
        text_printf(&views, "%s%s", v == query_views ? "" : ", ", v->name);
    int status =
        cli_misuse("query", "there is no view '%s'%s; there is %s", word, text_hint(word, nearest, hint), views.data);
    text_free(&views);
    return status;
}

static int read_command_line(struct query_command_line *q, int argc, char **argv)
{
    for (int i = 1; i < argc;) {
        const char *value = NULL, *word = argv[i];
        int status;
        if (word[0] != '-') {
            status = take_word(q, argv[i++]);
        } else {
            const struct cli_option *o = cli_take(option_table, argc, argv, &i, &value);
            if (!o)
                return cli_unknown_option("query", option_table, word);
            if (o->value && !value)
                return cli_misuse("query", "%s needs a value: %s %s", o->name, o->name, o->value);
            status = take_option(q, o->name, value);
        }
        if (status)
            return status;
    }
    if (!q->store)
        return cli_misuse("query", "no store was given");
    if (q->sql && q->request.view)
        return cli_misuse("query", "either a view or --sql, not both");
    if (q->request.view && !strcmp(q->request.view, "values") && !q->request.paths.count)
        return cli_misuse("query", "the view values needs paths of figures, such as cycles or l1d.misses");
    if (q->request.top[strspn(q->request.top, "0123456789")] || !*q->request.top)
        return cli_misuse("query", "--top takes a number of branches, not '%s'", q->request.top);
    if (!q->request.view)
        q->request.view = "runs";
    return STATUS_OK;
}

/* A view may leave columns out on a narrow terminal; of a statement of the user's own, all columns were asked for. */
static void print(struct table *t, enum query_format format, bool is_view)
{
    static const char *const spare[] = {"date", "place", "pc", "seconds", "executed", "lost issues", NULL};
    struct text out = {0};
    if (format == QUERY_TEXT || format == QUERY_LATEX)
        table_drop_empty(t);
    if (format == QUERY_TEXT && terminal_text_columns() < TERMINAL_TEXT_MOST)
        table_fit(t, terminal_text_columns(), is_view ? spare : NULL);
    if (format == QUERY_TEXT)
        table_print_text(t, &out);
    else if (format == QUERY_CSV)
        table_print_csv(t, &out);
    else if (format == QUERY_JSON)
        table_print_json(t, &out);
    else
        table_print_latex(t, &out);
    fputs(out.data ? out.data : "", stdout);
    text_free(&out);
}

static int answer(const struct query_command_line *q, const struct store *s)
{
    struct text sql = {0};
    struct query_parameters parameters = {0};
    struct table t = {0};
    char *error = NULL;
    bool ok = q->sql || query_view(&q->request, s, &sql, &parameters, &error);
    ok = ok && table_select(&t, s, q->sql ? q->sql : sql.data, (const char *const *)parameters.data, parameters.count,
                            &error);
    int status = ok ? STATUS_OK : cli_misuse("query", "%s", error);
    if (ok)
        print(&t, q->format, !q->sql);
    for (int i = 0; i < parameters.count; i++)
        free(parameters.data[i]);
    vec_free(&parameters);
    text_free(&sql);
    table_free(&t);
    free(error);
    return status;
}

static int run(int argc, char **argv)
{
    struct query_command_line q = {.request = {.baseline = "pdom", .top = "5"}};
    char *error = NULL;
    int status = read_command_line(&q, argc, argv);
    struct store *s = status ? NULL : store_open(q.store, STORE_READ, &error);
    if (s)
        status = answer(&q, s);
    else if (!status)
        status = cli_fail("%s", error);
    store_close(s);
    free(error);
    vec_free(&q.request.settings);
    vec_free(&q.request.paths);
    return status;
}

const struct command query_command = {
    .name = "query",
    .summary = "print what a store of results has: runs, speedups, figures, branches, failures",
    .usage = "heddle query STORE [VIEW] [OPTIONS]",
    .description = "Prints a view of the results that heddle sweep, heddle compare and heddle paper have stored, as "
                   "text, CSV, JSON or LaTeX. The store is only read, and may be in use by a sweep.",
    .options = option_table,
    .sections = section_table,
    .examples = "heddle query study.db\n"
                "heddle query study.db speedup --baseline pdom --gpu fermi --set sm.scheduler=gto\n"
                "heddle query study.db values cycles l1d.misses max:tbc.max_depth --mech tbc --csv\n"
                "heddle query study.db --sql 'SELECT name, count(*) FROM run GROUP BY name'\n",
    .run = run,
};
