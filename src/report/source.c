/* Source files: see source.h. */
#include "report/source.h"

#include "base/arena.h"
#include "base/text.h"
#include "base/vec.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 16 << 20 }; /* of a source file; a larger one is not read */

struct source_file {
    const char *path; /* as line tables have it */
    char *text;       /* owned; NULL: the file was not found */
    struct vec_of(const char *) lines;
};

struct sources {
    struct arena arena; /* paths */
    struct vec_of(struct source_file) files;
};

struct sources *sources_create(void)
{
    return xcalloc(1, sizeof(struct sources));
}

void sources_destroy(struct sources *sources)
{
    if (!sources)
        return;
    for (int i = 0; i < sources->files.count; i++) {
        free(sources->files.data[i].text);
        vec_free(&sources->files.data[i].lines);
    }
    vec_free(&sources->files);
    arena_free(&sources->arena);
    free(sources);
}

/* ---- finding ---- */

/* Opens a file of a sensible size; -1: there is none of this name. */
static int open_file(const char *path, size_t *bytes)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return -1;
    if (fstat(file, &about) || !S_ISREG(about.st_mode) || about.st_size > MOST_BYTES) {
        close(file);
        return -1;
    }
    *bytes = (size_t)about.st_size;
    return file;
}

static int open_in(const char *folder, int length, const char *path, size_t *bytes)
{
    struct text whole = {0};
    text_printf(&whole, "%.*s/%s", length, folder, path);
    int file = open_file(whole.data, bytes);
    text_free(&whole);
    return file;
}

/* Looks into the folder of the running program. */
static int open_beside_program(const char *path, size_t *bytes)
{
    char *program = realpath("/proc/self/exe", NULL);
    int file = program ? open_in(program, (int)(strrchr(program, '/') - program), path, bytes) : -1;
    free(program);
    return file;
}

/* Looks into each folder of HEDDLE_SOURCE, and into that of the program. */
static int open_in_folders(const char *path, size_t *bytes)
{
    int file = -1;
    for (const char *folder = getenv("HEDDLE_SOURCE"); folder && *folder && file < 0;) {
        size_t length = strcspn(folder, ":");
        if (length)
            file = open_in(folder, (int)length, path, bytes);
        folder += length + (folder[length] == ':');
    }
    return file < 0 ? open_beside_program(path, bytes) : file;
}

static int find_file(const char *path, size_t *bytes)
{
    const char *slash = strrchr(path, '/');
    int file = open_file(path, bytes);
    if (file < 0 && *path != '/')
        file = open_in_folders(path, bytes);
    if (file < 0)
        file = open_in_folders(slash ? slash + 1 : path, bytes);
    return file;
}

/* ---- reading ---- */

/* Cuts the text into lines, in place. */
static void split_lines(struct source_file *f)
{
    char *text = f->text;
    while (text) {
        char *end = strchr(text, '\n');
        if (end)
            *end = '\0';
        size_t length = strlen(text);
        while (length && strchr(" \t\r", text[length - 1]))
            text[--length] = '\0';
        vec_push(&f->lines, text + strspn(text, " \t"));
        text = end ? end + 1 : NULL;
    }
}

char *sources_read(const char *path, size_t most_bytes)
{
    size_t bytes = 0, count = 0;
    int file = find_file(path, &bytes);
    char *text = file >= 0 && bytes <= most_bytes ? xcalloc(bytes + 1, 1) : NULL;
    for (ssize_t got; text && count < bytes && (got = read(file, text + count, bytes - count)) > 0;)
        count += (size_t)got;
    if (file >= 0)
        close(file);
    return text;
}

const char *sources_line(struct sources *sources, const char *path, int line)
{
    int i = 0;
    while (i < sources->files.count && strcmp(sources->files.data[i].path, path))
        i++;
    if (i == sources->files.count) {
        vec_push(&sources->files, (struct source_file){.path = arena_copy_string(&sources->arena, path, strlen(path))});
        struct source_file *f = &sources->files.data[i];
        f->text = sources_read(path, MOST_BYTES);
        split_lines(f);
    }
    const struct source_file *found = &sources->files.data[i];
    return line >= 1 && line <= found->lines.count ? found->lines.data[line - 1] : NULL;
}

/* ---- folders ---- */

void sources_add_folder(const char *folder)
{
    const char *before = getenv("HEDDLE_SOURCE");
    struct text all = {0};
    text_printf(&all, "%s%s%s", before ? before : "", before && *before ? ":" : "", folder);
    setenv("HEDDLE_SOURCE", all.data, 1);
    text_free(&all);
}

void sources_add_folder_of(const char *file)
{
    char *whole = realpath(file, NULL);
    if (whole) {
        *strrchr(whole, '/') = '\0';
        sources_add_folder(*whole ? whole : "/");
    }
    free(whole);
}
