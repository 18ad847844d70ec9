/* The owner of a sweep in a shared folder: see folder.h. */
#define _GNU_SOURCE
#include "farm/folder.h"

#include "base/diag.h"
#include "base/text.h"
#include "farm/book.h"
#include "farm/folder_file.h"
#include "store/result.h"
#include "study/identity.h"
#include "study/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double look_seconds = 0.1; /* between two looks into the folder */

/* A taken task, as the owner saw it last. */
struct folder_sight {
    char *name;              /* KEY@WORKER; owned */
    struct timespec changed; /* time of change, by the clock of the file system */
    double seen;             /* when the owner saw that time first, by its own clock */
    bool is_there;
};

struct folder_hold {
    const char *folder;
    double silence_seconds;
    struct book book;
    struct vec_of(struct folder_sight) sights;
};

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The entry of a file by its name, KEY or KEY@WORKER; -1 if it is of no run of this sweep. */
static int entry_of(const struct folder_hold *h, const char *name)
{
    char *key = strndup(name, strcspn(name, (char[]){FOLDER_WORKER_MARK, 0}));
    int entry = book_find(&h->book, key);
    free(key);
    return entry;
}

static void remove_file(const struct folder_hold *h, const char *kind, const char *name)
{
    char *path = folder_path(h->folder, kind, name);
    unlink(path);
    free(path);
}

static bool lay_out(struct folder_hold *h, int entry, char **error)
{
    char *text = book_task(&h->book, entry, error);
    char *path = folder_path(h->folder, folder_open, h->book.entries[entry].key);
    bool ok = text && result_write_file(path, text, error);
    free(path);
    free(text);
    return ok;
}

/* Stores a result that a worker left. One that is damaged counts as a worker that was lost. */
static bool import(struct folder_hold *h, const char *name, char **error)
{
    int entry = entry_of(h, name);
    bool ok = true, is_whole = true;
    if (entry >= 0 && book_is_to_do(&h->book, entry)) {
        char *path = folder_path(h->folder, folder_results, name), *text = text_read_file(path);
        ok = book_take(&h->book, entry, text, &is_whole, error) && (is_whole || book_lose(&h->book, entry, error));
        free(text);
        free(path);
    }
    if (ok)
        remove_file(h, folder_results, name);
    if (ok && entry >= 0 && !book_is_to_do(&h->book, entry))
        remove_file(h, folder_open, name);
    else if (ok && !is_whole)
        ok = lay_out(h, entry, error);
    return ok;
}

static bool import_all(struct folder_hold *h, char **error)
{
    struct folder_names n = {0};
    bool ok = true;
    folder_list(h->folder, folder_results, &n);
    for (int i = 0; ok && i < n.names.count; i++)
        ok = import(h, n.names.data[i], error);
    folder_free_names(&n);
    return ok;
}

static struct folder_sight *sight_of(struct folder_hold *h, const char *name)
{
    for (int i = 0; i < h->sights.count; i++)
        if (!strcmp(h->sights.data[i].name, name))
            return &h->sights.data[i];
    vec_push(&h->sights, (struct folder_sight){.name = strdup(name)});
    return &h->sights.data[h->sights.count - 1];
}

/* Takes a task back from a worker that counts as dead, or removes it if it was done meanwhile. */
static bool take_back(struct folder_hold *h, const char *name, char **error)
{
    int entry = entry_of(h, name);
    bool ok = true;
    if (entry >= 0 && book_is_to_do(&h->book, entry))
        ok = book_lose(&h->book, entry, error);
    if (ok && entry >= 0 && book_is_to_do(&h->book, entry)) {
        char *from = folder_path(h->folder, folder_taken, name);
        char *to = folder_path(h->folder, folder_open, h->book.entries[entry].key);
        if (rename(from, to) && errno != ENOENT)
            ok = diag_fail(error, "cannot rename %s: %s", from, strerror(errno));
        free(from);
        free(to);
    } else if (ok) {
        remove_file(h, folder_taken, name);
    }
    return ok;
}

/* Looks at one task that a worker has. */
static bool look_at(struct folder_hold *h, const char *name, char **error)
{
    struct stat s;
    char *path = folder_path(h->folder, folder_taken, name);
    bool is_there = !stat(path, &s);
    free(path);
    if (!is_there)
        return true;
    struct folder_sight *sight = sight_of(h, name);
    double now = now_seconds();
    sight->is_there = true;
    if (!sight->seen || sight->changed.tv_sec != s.st_mtim.tv_sec || sight->changed.tv_nsec != s.st_mtim.tv_nsec) {
        sight->changed = s.st_mtim;
        sight->seen = now;
    }
    return now - sight->seen < h->silence_seconds || take_back(h, name, error);
}

/* Looks at all tasks that workers have, and forgets those that they have no more. */
static bool look_at_workers(struct folder_hold *h, char **error)
{
    struct folder_names n = {0};
    bool ok = true;
    int kept = 0;
    for (int i = 0; i < h->sights.count; i++)
        h->sights.data[i].is_there = false;
    folder_list(h->folder, folder_taken, &n);
    for (int i = 0; ok && i < n.names.count; i++)
        ok = look_at(h, n.names.data[i], error);
    folder_free_names(&n);
    for (int i = 0; i < h->sights.count; i++)
        if (h->sights.data[i].is_there)
            h->sights.data[kept++] = h->sights.data[i];
        else
            free(h->sights.data[i].name);
    h->sights.count = kept;
    return ok;
}

/* Lays out what nobody has, brings or has brought. An owner that was stopped left its tasks here. */
static bool lay_out_all(struct folder_hold *h, char **error)
{
    bool *is_here = xcalloc((size_t)h->book.count + 1, sizeof *is_here), ok = true;
    static const char *const kinds[] = {folder_open, folder_taken};
    for (int k = 0; k < 2; k++) {
        struct folder_names n = {0};
        folder_list(h->folder, kinds[k], &n);
        for (int i = 0; i < n.names.count; i++) {
            int entry = entry_of(h, n.names.data[i]);
            if (entry >= 0 && book_is_to_do(&h->book, entry))
                is_here[entry] = true;
            else /* of another sweep, or done */
                remove_file(h, kinds[k], n.names.data[i]);
        }
        folder_free_names(&n);
    }
    for (int i = 0; ok && i < h->book.count && !*h->book.watch->stop; i++)
        if (book_is_to_do(&h->book, i) && !is_here[i])
            ok = lay_out(h, i, error);
    free(is_here);
    return ok;
}

static bool make_folders(const char *folder, char **error)
{
    const char *const kinds[] = {folder_open, folder_taken, folder_results};
    bool ok = !mkdir(folder, 0777) || errno == EEXIST;
    for (int i = 0; ok && i < 3; i++) {
        char *path = folder_path(folder, kinds[i], NULL);
        ok = !mkdir(path, 0777) || errno == EEXIST;
        free(path);
    }
    return ok || diag_fail(error, "cannot make the folder %s: %s", folder, strerror(errno));
}

/* A file whose lock says that this process owns the folder; the system frees the lock when the process ends. */
static int lock(const char *folder, char **error)
{
    char *path = folder_path(folder, "lock", NULL);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        diag_fail(error, "cannot make %s: %s", path, strerror(errno));
    } else if (flock(file, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        diag_fail(error, "another sweep owns the folder %s", folder);
        close(file);
        file = -1;
    }
    free(path);
    return file;
}

static bool serve(struct folder_hold *h, char **error)
{
    const struct trial_watch *watch = h->book.watch;
    char *here = getcwd(NULL, 0);
    struct folder_owner o = {.build = (char *)identity_build(watch->keeper->identity), .directory = here ? here : "/"};
    bool ok = import_all(h, error) && lay_out_all(h, error) && folder_write_owner(h->folder, &o, error);
    while (ok && h->book.done < h->book.count && !*watch->stop) {
        folder_wait(look_seconds);
        ok = import_all(h, error) && look_at_workers(h, error);
    }
    o.is_over = h->book.done == h->book.count;
    if (ok && o.is_over)
        ok = folder_write_owner(h->folder, &o, error);
    free(here);
    return ok;
}

bool folder_own(const char *folder, struct trial *trials, int count, double silence_seconds,
                const struct trial_watch *watch, char **error)
{
    struct folder_hold h = {.folder = folder, .silence_seconds = silence_seconds};
    int file = make_folders(folder, error) ? lock(folder, error) : -1;
    if (file < 0)
        return false;
    bool ok = book_open(&h.book, trials, count, watch, error) && serve(&h, error);
    book_close(&h.book);
    for (int i = 0; i < h.sights.count; i++)
        free(h.sights.data[i].name);
    vec_free(&h.sights);
    close(file);
    return ok;
}
