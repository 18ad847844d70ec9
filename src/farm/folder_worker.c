/* A worker of a sweep in a shared folder: see folder.h. */
#define _GNU_SOURCE
#include "farm/folder.h"

#include "base/diag.h"
#include "base/text.h"
#include "farm/folder_file.h"
#include "store/result.h"
#include "study/identity.h"
#include "study/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const double wait_seconds = 0.2; /* before the next look for a task */
static const double beat_seconds = 1;   /* between two signs of life */

struct folder_work {
    const char *folder;
    char name[320]; /* of this worker, without slash: host and process */
    struct identity *identity;
    const volatile sig_atomic_t *stop;
    int done;
};

/* Signs of life while a run goes on: a thread that changes the time of the taken task. */
struct heartbeat {
    const char *path;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    bool is_over;
};

static void *beat(void *context)
{
    struct heartbeat *b = context;
    pthread_mutex_lock(&b->mutex);
    while (!b->is_over) {
        struct timespec until;
        utimensat(AT_FDCWD, b->path, NULL, 0); /* a failure means that the owner took the task back */
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += (time_t)beat_seconds;
        pthread_cond_timedwait(&b->ended, &b->mutex, &until);
    }
    pthread_mutex_unlock(&b->mutex);
    return NULL;
}

/* Signals go to the main thread, whose waiting they end. */
static bool begin_beating(struct heartbeat *b, const char *path, char **error)
{
    sigset_t all, before;
    b->path = path;
    b->is_over = false;
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->ended, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&b->thread, NULL, beat, b);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failure || diag_fail(error, "cannot make a thread: %s", strerror(failure));
}

static void end_beating(struct heartbeat *b)
{
    pthread_mutex_lock(&b->mutex);
    b->is_over = true;
    pthread_cond_signal(&b->ended);
    pthread_mutex_unlock(&b->mutex);
    pthread_join(b->thread, NULL);
    pthread_cond_destroy(&b->ended);
    pthread_mutex_destroy(&b->mutex);
}

/* Carries out a task that this worker has. A task without result goes back. */
static bool carry_out(struct folder_work *w, const char *key, const char *taken, char **error)
{
    struct heartbeat b;
    char *text = text_read_file(taken), *result = NULL;
    if (begin_beating(&b, taken, error)) {
        result = worker_carry_out(w->identity, text, w->stop, error);
        end_beating(&b);
    }
    char *back = folder_path(w->folder, folder_open, key), *path = folder_path(w->folder, folder_results, key);
    bool ok = result && result_write_file(path, result, error);
    if (ok)
        unlink(taken);
    else
        rename(taken, back); /* if the owner took it back before, there is nothing to rename */
    w->done += ok;
    free(path);
    free(back);
    free(result);
    free(text);
    return ok;
}

/* Takes the task, if nobody was faster. Over a network, an answer may be lost and the rename be tried again in vain:
 * what counts is whether the file is there. */
static char *take(struct folder_work *w, const char *key)
{
    struct text name = {0};
    text_printf(&name, "%s%c%s", key, FOLDER_WORKER_MARK, w->name);
    char *from = folder_path(w->folder, folder_open, key), *to = folder_path(w->folder, folder_taken, name.data);
    if (rename(from, to) && access(to, F_OK)) {
        free(to);
        to = NULL;
    }
    free(from);
    text_free(&name);
    return to;
}

/* Takes tasks as long as there are any. */
static bool work(struct folder_work *w, bool *has_found, char **error)
{
    struct folder_names n = {0};
    bool ok = true;
    *has_found = false;
    folder_list(w->folder, folder_open, &n);
    int first = n.names.count ? (int)(getpid() % n.names.count) : 0; /* workers begin at different places */
    for (int i = 0; ok && i < n.names.count && !*w->stop; i++) {
        const char *key = n.names.data[(first + i) % n.names.count];
        char *taken = take(w, key);
        *has_found |= taken != NULL;
        ok = !taken || carry_out(w, key, taken, error);
        free(taken);
    }
    folder_free_names(&n);
    return ok;
}

/* Checks that the owner's runs can be made here, and goes to their working folder. */
static bool follow(const struct folder_work *w, const struct folder_owner *o, char **error)
{
    if (strcmp(o->build, identity_build(w->identity)))
        return diag_fail(error, "the sweep is of another build of heddle: of %.12s, and this is %.12s", o->build,
                         identity_build(w->identity));
    return !chdir(o->directory) ||
           diag_fail(error, "cannot go to the folder of the sweep's runs, %s: %s", o->directory, strerror(errno));
}

static bool work_on(struct folder_work *w, char **error)
{
    while (!*w->stop) {
        struct folder_owner o;
        bool has_owner = folder_read_owner(w->folder, &o, error), is_over = has_owner && o.is_over, has_found = false;
        bool ok = !*error && (!has_owner || is_over || follow(w, &o, error));
        folder_free_owner(&o);
        if (ok && is_over)
            return true;
        if (ok && has_owner)
            ok = work(w, &has_found, error);
        if (!ok)
            return *w->stop;
        if (!has_found)
            folder_wait(wait_seconds);
    }
    return true;
}

bool folder_work(const char *folder, const volatile sig_atomic_t *stop, int *done, char **error)
{
    struct folder_work w = {.folder = folder, .identity = identity_open(error), .stop = stop};
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    snprintf(w.name, sizeof w.name, "%s-%d", host, (int)getpid());
    bool ok = w.identity && work_on(&w, error);
    *done = w.done;
    identity_close(w.identity);
    return ok;
}
