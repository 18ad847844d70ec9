/* Files that results are appended to: see output.h. */
#include "run/output.h"

#include "base/diag.h"
#include "report/report.h"
#include "report/result.h"
#include "run/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool append_file(const char *path, const struct text *line)
{
    bool to_stdout = !strcmp(path, "-");
    if (!line->length)
        return true;
    FILE *file = to_stdout ? stdout : fopen(path, "a");
    if (!file) {
        fprintf(stderr, "heddle: error: cannot open %s for the results: %s\n", path, strerror(errno));
        return false;
    }
    bool ok = fwrite(line->data, 1, line->length, file) == line->length;
    int reason = errno;
    if ((to_stdout ? fflush(file) : fclose(file)) && ok) { /* stdio buffers a short line until here */
        ok = false;
        reason = errno;
    }
    if (!ok)
        fprintf(stderr, "heddle: error: cannot write the results to %s: %s\n", to_stdout ? "stdout" : path,
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

bool output_check(const struct run_options *options, char **error)
{
    return check_path(options->json_path, "results", error) && check_path(options->csv_path, "results", error) &&
           check_path(options->trace_file, "trace", error) && check_path(options->trace_perfetto, "trace", error);
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
        ok = append_file(options->json_path, &t);
        text_free(&t);
    }
    if (options->csv_path && result->report) {
        report_csv(result->report, request->report_groups, is_empty_file(options->csv_path), &t);
        ok = append_file(options->csv_path, &t) && ok;
        text_free(&t);
    }
    return ok;
}
