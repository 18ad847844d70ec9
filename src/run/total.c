/* Totals: see total.h. */
#define _GNU_SOURCE
#include "run/total.h"

#include "base/arena.h"
#include "base/diag.h"
#include "device/fault.h"
#include "run/notes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    LONGEST_TEXT = 1 << 20, /* bytes; mangled names of templates reach some ten thousand */
    HIGH_DESCRIPTOR = 512
};

const char total_variable[] = "HEDDLE_TOTALS";

static size_t length_of(const char *text)
{
    return text ? strnlen(text, LONGEST_TEXT) : 0;
}

void total_open(struct total_file *file, const char *path)
{
    *file = (struct total_file){.path = path && *path ? strdup(path) : NULL, .descriptor = -1};
}

static bool is_open(const struct total_file *file)
{
    struct stat s;
    return file->descriptor >= 0 && !fstat(file->descriptor, &s) && s.st_dev == file->device && s.st_ino == file->inode;
}

void total_close(struct total_file *file)
{
    if (is_open(file))
        close(file->descriptor);
    free(file->path);
    *file = (struct total_file){.descriptor = -1};
}

/* Opens the file unless it is open. Its descriptor has a high number if possible: programs may count on the low ones.
 * False, with errno, if the file cannot be opened. */
static bool reopen(struct total_file *file)
{
    struct stat s;
    if (is_open(file))
        return true;
    int low = open(file->path, O_WRONLY | O_APPEND | O_CLOEXEC), high = -1;
    if (low < 0 || fstat(low, &s)) {
        file->descriptor = -1;
        return false;
    }
    high = fcntl(low, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (high >= 0)
        close(low);
    file->descriptor = high >= 0 ? high : low;
    file->device = s.st_dev;
    file->inode = s.st_ino;
    return true;
}

bool total_append(struct total_file *file, const struct total_record *record, const char *kernel,
                  const struct note *note)
{
    struct total_record r = *record;
    struct iovec parts[] = {{&r, sizeof r},
                            {(void *)kernel, length_of(kernel)},
                            {(void *)note->tolerated_at, length_of(note->tolerated_at)},
                            {(void *)note->conflict_at, length_of(note->conflict_at)}};
    r.name_bytes = (uint32_t)parts[1].iov_len;
    r.tolerated_bytes = (uint32_t)parts[2].iov_len;
    r.conflict_bytes = (uint32_t)parts[3].iov_len;
    r.bytes = (uint32_t)sizeof r + r.name_bytes + r.tolerated_bytes + r.conflict_bytes;
    r.tolerated_reads = note->tolerated_reads;
    r.block_conflicts = note->block_conflicts;
    r.process = (uint32_t)getpid();
    bool is_ready = reopen(file);
    if (!is_ready && errno == ENOENT)
        return true;
    ssize_t written = is_ready ? writev(file->descriptor, parts, sizeof parts / sizeof *parts) : -1;
    int reason = written < 0 ? errno : ENOSPC;
    if (written == (ssize_t)r.bytes)
        return true;
    fprintf(diag_stream(), "heddle: error: cannot add the launch to the sum of the program: %s\n", strerror(reason));
    return false;
}

static bool is_record(const struct total_record *r)
{
    return r->name_bytes <= LONGEST_TEXT && r->tolerated_bytes <= LONGEST_TEXT && r->conflict_bytes <= LONGEST_TEXT &&
           r->bytes == sizeof *r + r->name_bytes + r->tolerated_bytes + r->conflict_bytes && r->fault < FAULT_COUNT;
}

/* Reads a text of the file into a buffer of LONGEST_TEXT + 1 bytes. */
static bool read_text(FILE *file, char *text, uint32_t bytes)
{
    bool ok = fread(text, 1, bytes, file) == bytes;
    text[ok ? bytes : 0] = '\0';
    return ok;
}

/* Reads the texts of a record and visits it. False: the file ends before the record does, or this is no record. */
static bool visit_one(FILE *file, const struct total_record *r, char *texts, total_visitor *visit, void *context)
{
    char *name = texts, *tolerated = name + LONGEST_TEXT + 1, *conflict = tolerated + LONGEST_TEXT + 1;
    if (!is_record(r) || !read_text(file, name, r->name_bytes) || !read_text(file, tolerated, r->tolerated_bytes) ||
        !read_text(file, conflict, r->conflict_bytes))
        return false;
    visit(context, r, name, &(struct note){r->tolerated_reads, r->block_conflicts, tolerated, conflict});
    return true;
}

bool total_visit(const char *path, total_visitor *visit, void *context, char **error)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return diag_fail(error, "cannot read the launches of the program: %s", strerror(errno));
    struct total_record r;
    char *texts = xmalloc(3 * (LONGEST_TEXT + 1));
    size_t got = 0;
    bool ok = true;
    while (ok && (got = fread(&r, 1, sizeof r, file)) == sizeof r)
        ok = visit_one(file, &r, texts, visit, context);
    ok = ok && !got && !ferror(file);
    fclose(file);
    free(texts);
    return ok || diag_fail(error, "the list of the program's launches is damaged: the sum misses some of them");
}
