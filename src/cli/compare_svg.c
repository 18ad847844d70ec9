/* The picture of heddle compare --trace-svg: see compare_svg.h. */
#define _GNU_SOURCE
#include "cli/compare_svg.h"

#include "base/temporary.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "trace/svg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *file_of(const char *folder, int row)
{
    struct text path = {0};
    text_printf(&path, "%s/%d.svg", folder, row);
    return text_take(&path);
}

char *compare_svg_begin(struct comparison *c, char **error)
{
    char *folder = temporary_folder(error);
    for (int i = 0; folder && i < c->count; i++) {
        char *file = file_of(folder, i);
        trial_add_word(&c->rows[i].trial, "--trace-svg");
        trial_add_word(&c->rows[i].trial, file);
        free(file);
    }
    return folder;
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

int compare_svg_end(const struct comparison *c, char *folder, const char *path)
{
    struct vec_of(char *) documents = {0};
    struct text picture = {0};
    int status = STATUS_OK;
    for (int i = 0; i < c->count; i++) {
        char *file = file_of(folder, i), *document = c->rows[i].is_shown ? text_read_file(file) : NULL;
        free(file);
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
    temporary_remove_folder(folder); /* a program with several launches leaves a file for each */
    return status;
}
