/* Totals: see total.h. */
#define _GNU_SOURCE
#include "run/total.h"

#include "base/arena.h"
#include "base/diag.h"
#include "device/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LONGEST_NAME = 1 << 20 }; /* bytes; mangled names of templates reach some ten thousand */

const char total_variable[] = "HEDDLE_TOTALS";

bool total_append(const char *path, const struct total_record *record, const char *kernel)
{
    size_t length = strnlen(kernel, LONGEST_NAME);
    struct total_record r = *record;
    r.bytes = (uint32_t)(sizeof r + length);
    r.process = (uint32_t)getpid();
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0 && errno == ENOENT)
        return true;
    struct iovec parts[] = {{&r, sizeof r}, {(void *)kernel, length}};
    ssize_t written = file < 0 ? -1 : writev(file, parts, 2);
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
    return r->bytes >= sizeof *r && r->bytes - sizeof *r <= LONGEST_NAME && r->fault < FAULT_COUNT;
}

bool total_visit(const char *path, total_visitor *visit, void *context, char **error)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return diag_fail(error, "cannot read the launches of the program: %s", strerror(errno));
    struct total_record r;
    char *name = xmalloc(LONGEST_NAME + 1);
    size_t got = 0;
    bool ok = true;
    while (ok && (got = fread(&r, 1, sizeof r, file)) == sizeof r) {
        size_t length = is_record(&r) ? r.bytes - sizeof r : 0;
        ok = is_record(&r) && fread(name, 1, length, file) == length;
        name[ok ? length : 0] = '\0';
        if (ok)
            visit(context, &r, name);
    }
    ok = ok && !got && !ferror(file);
    fclose(file);
    free(name);
    return ok || diag_fail(error, "the list of the program's launches is damaged: the sum misses some of them");
}
