/* Files that results are appended to: see output.h. */
#include "run/output.h"

#include "base/diag.h"
#include "report/report.h"
#include "report/result.h"
#include "run/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_append(const char *path, const struct text *line)
{
    bool to_stdout = !strcmp(path, "-");
    if (!line->length)
        return true;
    FILE *file = to_stdout ? stdout : fopen(path, "a");
    if (!file) {
        fprintf(diag_stream(), "heddle: error: cannot open %s for the results: %s\n", path, strerror(errno));
        return false;
    }
    bool ok = fwrite(line->data, 1, line->length, file) == line->length;
    int reason = errno;
    if ((to_stdout ? fflush(file) : fclose(file)) && ok) { /* stdio buffers a short line until here */
        ok = false;
        reason = errno;
    }
    if (!ok)
        fprintf(diag_stream(), "heddle: error: cannot write the results to %s: %s\n", to_stdout ? "stdout" : path,
                strerror(reason));
    return ok;
}

static bool check_path(const char *path, const char *what, char **error)
{
    if (!path || !strcmp(path, "-"))
        return true;
    FILE *file = fopen(path, "a");
    if (!file)
        return diag_fail(error, "cannot open %s for the %s: %s", path, what, strerror(errno));
    fclose(file);
    return true;
}

/* The file of one table of --csv; to be freed. A single table has the file that was asked for. Of several, each has its
 * name before the extension (out.branches.csv). On stdout tables follow each other, an empty line between them. */
static char *csv_path_of(const struct run_request *r, int table)
{
    const char *path = r->options.csv_path, *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    bool is_single = !strcmp(path, "-") || !report_csv_name(r->report_groups, 1);
    size_t stem = dot && dot != name ? (size_t)(dot - path) : strlen(path);
    struct text t = {0};
    text_append(&t, path, stem);
    if (!is_single)
        text_printf(&t, ".%s", report_csv_name(r->report_groups, table));
    text_printf(&t, "%s", path + stem);
    return text_take(&t);
}

static bool check_csv_paths(const struct run_request *r, char **error)
{
    bool ok = true;
    for (int i = 0; ok && r->options.csv_path && report_csv_name(r->report_groups, i); i++) {
        char *path = csv_path_of(r, i);
        ok = check_path(path, "results", error);
        free(path);
    }
    return ok;
}

/* A recording is written beside its file, under another name, until it is complete. */
static bool check_record_path(const char *path, char **error)
{
    if (!path)
        return true;
    struct text folder = {0};
    const char *slash = strrchr(path, '/');
    text_printf(&folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    struct stat about;
    bool ok = !access(folder.data, W_OK | X_OK) ||
              diag_fail(error, "cannot write the recording %s: %s", path, strerror(errno));
    if (ok && !stat(path, &about) && !S_ISREG(about.st_mode))
        ok = diag_fail(error, "cannot write the recording %s: it is no file", path);
    text_free(&folder);
    return ok;
}

bool output_check(const struct run_request *r, char **error)
{
    const struct run_options *o = &r->options;
    return check_record_path(o->record_path, error) && check_path(o->json_path, "results", error) &&
           check_csv_paths(r, error) && check_path(o->trace_file, "trace", error) &&
           check_path(o->trace_perfetto, "trace", error) && check_path(o->trace_svg, "trace", error) &&
           check_path(o->trace_tikz, "trace", error) && check_path(o->report_data, "report", error) &&
           check_path(o->evidence, "evidence", error);
}

bool output_is_utf8_terminal(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    if (!isatty(STDERR_FILENO))
        return false;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value)
            return strstr(value, "UTF-8") || strstr(value, "utf8");
    }
    return false;
}

static bool is_empty_file(const char *path)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "r") : NULL;
    bool is_empty = !file || fgetc(file) == EOF;
    if (file)
        fclose(file);
    return is_empty;
}

bool output_write(const struct run_request *request, const struct result *result)
{
    const struct run_options *options = &request->options;
    struct text t = {0};
    bool ok = true;
    if (options->json_path) {
        result_json_line(&t, result);
        ok = output_append(options->json_path, &t);
        text_free(&t);
    }
    for (int i = 0; options->csv_path && result->sites && report_csv_name(request->report_groups, i); i++) {
        char *path = csv_path_of(request, i);
        if (i && !strcmp(path, "-"))
            text_printf(&t, "\n");
        report_csv(result->launch, result->report, result->sites, request->report_groups, i, is_empty_file(path), &t);
        ok = output_append(path, &t) && ok;
        text_free(&t);
        free(path);
    }
    return ok;
}
