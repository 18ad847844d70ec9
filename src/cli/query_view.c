/* The views of heddle query: see query_view.h. */
#define _GNU_SOURCE
#include "cli/query_view.h"

#include "base/diag.h"
#include "store/table.h"
#include "study/identity.h"
#include "study/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct query_about query_views[] = {
    {"runs", "Every run: cycles, SIMD efficiency, seconds, and why it failed."},
    {"speedup", "Cycles of the baseline (--baseline), divided by those of each run, on the same machine."},
    {"best", "The fewest cycles of each program on each machine, and under what."},
    {"branches", "The branches that lose most issues in each run (--top)."},
    {"failures", "Runs that failed, and why."},
    {"values", "Figures by path: values cycles l1d.misses max:tbc.max_depth. Sums of launches, or with max: "
               "the largest one."},
    {"paths", "The paths of all figures that are stored; heddle list stats says what they mean."},
    {"builds", "The builds of heddle that results are from."},
    {NULL, NULL},
};

/* ---- filters ---- */

struct query_writing {
    const struct query_request *request;
    struct text *sql;
    struct query_parameters *parameters;
    bool has_builds; /* results of several builds are shown */
};

static void add_parameter(struct query_writing *w, const char *format, const char *value)
{
    char *text = NULL;
    if (asprintf(&text, format, value) >= 0)
        vec_push(w->parameters, text);
}

/* Adds a condition that the column has one of the values of a list; * and ? stand for any characters. */
static void add_list(struct query_writing *w, const char *column, const char *list)
{
    text_printf(w->sql, " AND (");
    for (const char *at = list; at; at = strchr(at, ','), at += at != NULL) {
        char *value = strndup(at, strcspn(at, ","));
        const struct workload *workload = strcmp(column, "name") ? NULL : workload_find(value);
        text_printf(w->sql, "%srun.%s GLOB ?", at == list ? "" : " OR ", column);
        add_parameter(w, "%s", workload ? workload->name : value);
        free(value);
    }
    text_printf(w->sql, ")");
}

/* The path of a knob in a configuration: $."machine"."sm"."scheduler". */
static void add_knob_path(struct query_writing *w, const char *part, const char *knob, size_t length)
{
    struct text path = {0};
    size_t section = strcspn(knob, ".");
    text_printf(&path, "$.\"%s\".\"%.*s\".\"%.*s\"", part, (int)section, knob, (int)(length - section - 1),
                knob + section + 1);
    vec_push(w->parameters, text_take(&path));
}

/* The value of a knob as configurations have it: numbers without K, M and G; 1 and 0 for yes and no. */
static char *knob_value(const char *word)
{
    static const char letters[] = "KMG";
    struct text value = {0};
    char *end;
    unsigned long long number = strtoull(word, &end, 10);
    const char *letter = end > word && *end && !end[1] ? strchr(letters, *end) : NULL;
    for (int i = letter ? (int)(letter - letters) : -1; i >= 0; i--)
        number *= 1024;
    if (letter)
        text_printf(&value, "%llu", number);
    else
        text_printf(&value, "%s", !strcmp(word, "yes") ? "1" : !strcmp(word, "no") ? "0" : word);
    return text_take(&value);
}

static const char of_knob[] = "coalesce(json_extract(run.configuration, ?), json_extract(run.configuration, ?))";

static bool add_setting(struct query_writing *w, const struct store *s, const char *setting, char **error)
{
    size_t length = strcspn(setting, "=");
    if (!setting[length] || strcspn(setting, ".") >= length)
        return diag_fail(error, "--set takes KNOB=VALUE, as in sm.scheduler=gto, not '%s'", setting);
    struct table found = {0};
    struct text sql = {0};
    struct query_parameters names = {0};
    struct query_writing question = {.parameters = &names};
    text_printf(&sql, "SELECT 1 FROM run WHERE %s IS NOT NULL LIMIT 1", of_knob);
    add_knob_path(&question, "machine", setting, length);
    add_knob_path(&question, "mechanism", setting, length);
    bool ok = table_select(&found, s, sql.data, (const char *const *)names.data, names.count, error);
    if (ok && !table_rows(&found))
        ok = diag_fail(error, "no stored run has a knob %.*s; see heddle list knobs", (int)length, setting);
    for (int i = 0; i < names.count; i++)
        free(names.data[i]);
    vec_free(&names);
    text_free(&sql);
    table_free(&found);
    if (!ok)
        return false;
    text_printf(w->sql, " AND CAST(%s AS TEXT) = ?", of_knob);
    add_knob_path(w, "machine", setting, length);
    add_knob_path(w, "mechanism", setting, length);
    vec_push(w->parameters, knob_value(setting + length + 1));
    return true;
}

static bool add_build(struct query_writing *w, const char *build, char **error)
{
    text_printf(w->sql, " AND run.build GLOB ?");
    if (strcmp(build, "this")) {
        add_parameter(w, "%s*", build);
        return true;
    }
    struct identity *identity = identity_open(error);
    if (identity)
        add_parameter(w, "%s", identity_build(identity));
    identity_close(identity);
    return identity;
}

/* Appends the conditions of all filters behind a WHERE. */
static bool add_filters(struct query_writing *w, const struct store *s, char **error)
{
    const struct query_request *r = w->request;
    const struct {
        const char *column, *list;
    } lists[] = {{"name", r->program}, {"mechanism", r->mech}, {"gpu", r->gpu}, {"size", r->size}, {"ptx", r->ptx}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].list)
            add_list(w, lists[i].column, lists[i].list);
    for (int i = 0; i < r->settings.count; i++)
        if (!add_setting(w, s, r->settings.data[i], error))
            return false;
    return !r->build || add_build(w, r->build, error);
}

/* ---- views ---- */

/* Columns that say which run it is. */
static void add_names(struct query_writing *w)
{
    text_printf(w->sql, "run.name AS program, run.gpu, run.mechanism AS mech, run.size, run.ptx, "
                        "CASE run.hints WHEN 1 THEN 'hints' END AS hints, run.settings");
    if (w->has_builds)
        text_printf(w->sql, ", substr(run.build, 1, 8) AS build");
}

static const char in_order[] =
    " ORDER BY run.name, run.gpu, run.size, run.ptx, run.hints, run.settings, run.build, run.id";

/* The sum of a figure of the run. */
#define SUM_OF(run, path)                                                                                              \
    "(SELECT sum FROM figure WHERE figure.run = " run ".id AND figure.path = (SELECT id FROM path WHERE path = '" path \
    "'))"
#define SIMD_OF(run) "round(100 * " SUM_OF(run, "sm.thread_instructions") " / " SUM_OF(run, "sm.issue_slots") ", 1)"

static bool write_runs(struct query_writing *w, const struct store *s, char **error)
{
    text_printf(w->sql, "SELECT ");
    add_names(w);
    text_printf(w->sql, ", CAST(" SUM_OF("run", "cycles") " AS INTEGER) AS cycles, " SIMD_OF(
                            "run") " AS 'SIMD %%', "
                                   "round(run.seconds, 2) AS seconds, run.failure, run.date FROM run WHERE 1");
    bool ok = add_filters(w, s, error);
    text_printf(w->sql, "%s", in_order);
    return ok;
}

static bool write_speedup(struct query_writing *w, const struct store *s, char **error)
{
    text_printf(w->sql, "SELECT ");
    add_names(w);
    text_printf(
        w->sql,
        ", CAST(" SUM_OF("run", "cycles") " AS INTEGER) AS cycles, round((SELECT " SUM_OF(
            "base",
            "cycles") " FROM run AS base WHERE base.mechanism = ? AND base.failure IS NULL AND base.name = run.name"
                      " AND base.build = run.build AND base.program_hash = run.program_hash"
                      " AND base.input_hash = run.input_hash AND json_extract(base.configuration, '$.machine') ="
                      " json_extract(run.configuration, '$.machine') ORDER BY length(base.settings), base.id LIMIT 1) "
                      "/ " SUM_OF("run",
                                  "cycles") ", 4) AS speedup, " SIMD_OF("run") " AS 'SIMD %%'"
                                                                               " FROM run WHERE run.failure IS NULL");
    add_parameter(w, "%s", w->request->baseline);
    bool ok = add_filters(w, s, error);
    text_printf(w->sql, "%s", in_order);
    return ok;
}

static bool write_best(struct query_writing *w, const struct store *s, char **error)
{
    text_printf(w->sql,
                "SELECT program, gpu, mech, size, ptx, hints, settings, %scycles, round(worst / cycles, 4) AS"
                " 'over the worst', runs FROM (SELECT ",
                w->has_builds ? "build, " : "");
    add_names(w);
    text_printf(w->sql, ", " SUM_OF("run", "cycles") " AS cycles, max(" SUM_OF(
                            "run", "cycles") ") OVER same AS worst,"
                                             " count(*) OVER same AS runs,"
                                             " row_number() OVER (same ORDER BY " SUM_OF(
                                                 "run", "cycles") ", run.id) AS place"
                                                                  " FROM run WHERE run.failure IS NULL");
    bool ok = add_filters(w, s, error);
    text_printf(w->sql, " WINDOW same AS (PARTITION BY run.name, run.gpu, run.size, run.ptx, run.hints, run.build,"
                        " run.input_hash)) WHERE place = 1 ORDER BY program, gpu, size, ptx, hints");
    return ok;
}

static bool write_branches(struct query_writing *w, const struct store *s, char **error)
{
    text_printf(w->sql, "SELECT * FROM (SELECT ");
    add_names(w);
    text_printf(
        w->sql,
        ", branch.kernel, branch.line, branch.pc, branch.executed, branch.diverged,"
        " branch.lost_issues AS 'lost issues', round(100 * branch.lost_issues / " SUM_OF(
            "run",
            "sm.warp_instructions") ", 1) AS 'lost %%',"
                                    " row_number() OVER (PARTITION BY run.id ORDER BY branch.lost_issues DESC, "
                                    "branch.number)"
                                    " AS place FROM run JOIN branch ON branch.run = run.id WHERE run.failure IS NULL");
    bool ok = add_filters(w, s, error);
    text_printf(w->sql, "%s) WHERE place <= CAST(? AS INTEGER)", in_order);
    add_parameter(w, "%s", w->request->top);
    return ok;
}

static bool write_failures(struct query_writing *w, const struct store *s, char **error)
{
    text_printf(w->sql, "SELECT ");
    add_names(w);
    text_printf(w->sql, ", run.failure, run.own_status AS status, round(run.seconds, 2) AS seconds, run.why FROM run"
                        " WHERE run.failure IS NOT NULL");
    bool ok = add_filters(w, s, error);
    text_printf(w->sql, "%s", in_order);
    return ok;
}

static bool path_exists(const struct store *s, const char *path, char **error)
{
    struct table t = {0};
    bool ok = table_select(&t, s, "SELECT 1 FROM path WHERE path = ?", &path, 1, error);
    if (ok && !table_rows(&t))
        ok = diag_fail(error, "no stored run has a figure '%s'; see heddle query STORE paths", path);
    table_free(&t);
    return ok;
}

static bool write_values(struct query_writing *w, const struct store *s, char **error)
{
    static const char largest[] = "max:";
    text_printf(w->sql, "SELECT ");
    add_names(w);
    for (int i = 0; i < w->request->paths.count; i++) {
        const char *path = w->request->paths.data[i];
        bool is_largest = !strncmp(path, largest, sizeof largest - 1);
        const char *plain = is_largest ? path + sizeof largest - 1 : path;
        if (!path_exists(s, plain, error))
            return false;
        text_printf(w->sql, ", (SELECT %s FROM figures WHERE figures.run = run.id AND path = ?) AS \"",
                    is_largest ? "max" : "sum");
        for (const char *c = path; *c; c++)
            text_printf(w->sql, *c == '"' ? "\"\"" : "%c", *c);
        text_printf(w->sql, "\"");
        add_parameter(w, "%s", plain);
    }
    text_printf(w->sql, " FROM run WHERE run.failure IS NULL");
    bool ok = add_filters(w, s, error);
    text_printf(w->sql, "%s", in_order);
    return ok;
}

/* Whether results of several builds are among those that the filters leave. */
static bool count_builds(struct query_writing *w, const struct store *s, char **error)
{
    struct table t = {0};
    struct text sql = {0};
    struct query_parameters parameters = {0};
    struct query_writing count = {w->request, &sql, &parameters, false};
    text_printf(&sql, "SELECT DISTINCT run.build FROM run WHERE 1");
    bool ok = add_filters(&count, s, error) &&
              table_select(&t, s, sql.data, (const char *const *)parameters.data, parameters.count, error);
    w->has_builds = table_rows(&t) > 1;
    for (int i = 0; i < parameters.count; i++)
        free(parameters.data[i]);
    vec_free(&parameters);
    text_free(&sql);
    table_free(&t);
    return ok;
}

bool query_view(const struct query_request *r, const struct store *s, struct text *sql,
                struct query_parameters *parameters, char **error)
{
    struct query_writing w = {r, sql, parameters, false};
    static const struct {
        const char *name;
        bool (*write)(struct query_writing *w, const struct store *s, char **error);
    } writers[] = {{"runs", write_runs},         {"speedup", write_speedup},   {"best", write_best},
                   {"branches", write_branches}, {"failures", write_failures}, {"values", write_values}};
    if (!strcmp(r->view, "paths"))
        text_printf(sql, "SELECT path FROM path ORDER BY path");
    if (!strcmp(r->view, "builds"))
        text_printf(sql, "SELECT build, version, count(*) AS runs, count(failure) AS failed, min(date) AS first,"
                         " max(date) AS last FROM run GROUP BY build, version ORDER BY last");
    if (!count_builds(&w, s, error))
        return false;
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (!strcmp(r->view, writers[i].name))
            return writers[i].write(&w, s, error);
    return true;
}
