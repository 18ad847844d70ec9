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
#include <sys/uio.h>
#include <unistd.h>

enum { LONGEST_TEXT = 1 << 20 }; /* bytes; mangled names of templates reach some ten thousand */

const char total_variable[] = "HEDDLE_TOTALS";

static size_t length_of(const char *text)
{
    return text ? strnlen(text, LONGEST_TEXT) : 0;
}

bool total_append(const char *path, const struct total_record *record, const char *kernel, const struct note *note)
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
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0 && errno == ENOENT)
        return true;
    ssize_t written = file < 0 ? -1 : writev(file, parts, sizeof parts / sizeof *parts);
    int reason = written < 0 ? errno : ENOSPC;
    if (file >= 0)
        close(file);
    if (written == (ssize_t)r.bytes)
        return true;
    fprintf(stderr, "heddle: error: cannot add the launch to the sum of the program: %s\n", strerror(reason));
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
