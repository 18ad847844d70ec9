/* The picture of heddle compare --trace-svg: see compare_svg.h. */
#include "cli/compare_svg.h"

#include "base/arena.h"
#include "base/temporary.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "trace/svg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void remove_files(char **paths, int count)
{
    for (int i = 0; i < count; i++)
        temporary_remove(paths[i]);
    free(paths);
}

char **compare_svg_begin(struct comparison *c, char **error)
{
    char **paths = xcalloc((size_t)c->count + 1, sizeof *paths);
    for (int i = 0; i < c->count; i++) {
        paths[i] = temporary_file("", 0, error);
        if (!paths[i]) {
            remove_files(paths, i);
            return NULL;
        }
        trial_add_word(&c->rows[i].trial, "--trace-svg");
        trial_add_word(&c->rows[i].trial, paths[i]);
    }
    return paths;
}

static char *read_text(const char *path)
{
    struct text all = {0};
    char buffer[4096];
    FILE *file = fopen(path, "r");
    for (size_t n; file && (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_append(&all, buffer, n);
    if (file)
        fclose(file);
    return text_take(&all);
}

static int write_text(const char *path, const struct text *text)
{
    FILE *file = fopen(path, "w");
    bool ok = file && fwrite(text->data, 1, text->length, file) == text->length;
    int reason = errno;
    if (file && fclose(file) && ok) {
        ok = false;
        reason = errno;
    }
    return ok ? STATUS_OK : cli_fail("cannot write the trace to %s: %s", path, strerror(reason));
}

int compare_svg_end(const struct comparison *c, char **paths, const char *path)
{
    struct vec_of(char *) documents = {0};
    struct text picture = {0};
    int status = STATUS_OK;
    for (int i = 0; i < c->count; i++) {
        char *document = c->rows[i].is_shown ? read_text(paths[i]) : NULL;
        if (document && *document)
            vec_push(&documents, document);
        else
            free(document);
    }
    if (!trace_join_svg(documents.data, documents.count, &picture))
        status = cli_fail("a run left a trace that is no picture; nothing was written to %s", path);
    else if (documents.count)
        status = write_text(path, &picture);
    for (int i = 0; i < documents.count; i++)
        free(documents.data[i]);
    vec_free(&documents);
    text_free(&picture);
    remove_files(paths, c->count);
    return status;
}
