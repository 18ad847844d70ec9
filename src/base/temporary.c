/* Temporary files and folders, with unique names, in the folder that TMPDIR names or else in /tmp. */
#define _GNU_SOURCE
#include "base/temporary.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *folder_in_use(void)
{
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

static char *path_pattern(void)
{
    struct text path = {0};
    text_printf(&path, "%s/heddle.XXXXXX", folder_in_use());
    return text_take(&path);
}

/* An error text. A long folder name is cut, since its length may be the reason, and the reason must stay visible. */
static char *refusal(const char *what, int reason)
{
    enum { SHOWN = 200 };
    const char *folder = folder_in_use(), *named = getenv("TMPDIR");
    struct text t = {0};
    text_printf(&t, "cannot %s in %.*s%s: %s%s", what, SHOWN, folder, strlen(folder) > SHOWN ? "..." : "",
                strerror(reason), folder == named ? "; TMPDIR names that folder" : "; TMPDIR can name another folder");
    return text_take(&t);
}

static bool write_all(int file, const char *bytes, size_t length)
{
    while (length) {
        ssize_t n = write(file, bytes, length);
        if (n < 0 && errno != EINTR)
            return false;
        bytes += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

char *temporary_file(const void *bytes, size_t length, char **error)
{
    char *path = path_pattern();
    int file = mkostemp(path, O_CLOEXEC);
    if (file < 0) {
        *error = refusal("make a temporary file", errno);
        free(path);
        return NULL;
    }
    bool ok = write_all(file, bytes, length);
    int reason = errno;
    if (close(file) && ok) { /* some file systems report a full disk only here */
        ok = false;
        reason = errno;
    }
    if (ok)
        return path;
    *error = refusal("write a temporary file", reason);
    temporary_remove(path);
    return NULL;
}

char *temporary_folder(char **error)
{
    char *path = path_pattern();
    if (mkdtemp(path))
        return path;
    *error = refusal("make a temporary folder", errno);
    free(path);
    return NULL;
}

void temporary_remove(char *path)
{
    if (path)
        remove(path);
    free(path);
}

void temporary_remove_folder(char *path)
{
    DIR *entries = path ? opendir(path) : NULL;
    for (struct dirent *e; entries && (e = readdir(entries));)
        unlinkat(dirfd(entries), e->d_name, 0); /* which leaves "." and ".." alone */
    if (entries)
        closedir(entries);
    temporary_remove(path);
}
