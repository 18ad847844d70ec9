/* A sweep over MPI: see ranks.h. */
#define _GNU_SOURCE
#include "farm/ranks.h"

#include "base/child.h"
#include "base/diag.h"
#include "base/text.h"
#include "base/vec.h"
#include "farm/book.h"
#include "study/identity.h"
#include "study/worker.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

/* A worker that is told to stop answers when its run has ended, which takes two seconds at most (base/child.h). */
static const double patience_seconds = 5;

/* The first letter of a text. */
enum {
    READY = 'r',  /* a worker wants its first task */
    RESULT = 'R', /* a worker has a result, and wants a task */
    FAILED = 'F', /* a worker cannot work, and why */
    PLACE = 'P',  /* the owner names the working folder of the runs */
    TASK = 'T',   /* the owner has a task */
    OVER = 'O'    /* the owner has nothing more to do; the last text to a worker */
};

struct ranks_hold {
    const struct transport *t;
    struct book book;
    int *tasks;                  /* the entry that each process works on; -1: none */
    int next;                    /* entry to look at next */
    int left;                    /* workers that have not been told to end */
    struct vec_of(int) returned; /* entries whose workers failed */
    char *why;                   /* what the first worker that failed said; NULL: none did */
};

static void send(const struct transport *t, int to, char letter, const char *text)
{
    struct text message = {0};
    text_printf(&message, "%c%s", letter, text);
    t->send(to, message.data);
    text_free(&message);
}

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits for the next text. NULL: *stop is not 0, and nothing came for five seconds since. `stop` may be NULL. */
static char *receive(const struct transport *t, int *sender, const volatile sig_atomic_t *stop)
{
    char *text;
    double stopped = 0;
    while (!(text = t->receive(sender))) {
        if (stop && *stop && !stopped)
            stopped = now_seconds();
        if (stopped && now_seconds() - stopped > patience_seconds)
            return NULL;
        child_nap();
    }
    return text;
}

static int next_entry(struct ranks_hold *h)
{
    if (h->returned.count)
        return h->returned.data[--h->returned.count];
    while (h->next < h->book.count && !book_is_to_do(&h->book, h->next))
        h->next++;
    return h->next < h->book.count ? h->next++ : -1;
}

/* Gives the worker a task, or tells it to end. */
static bool answer(struct ranks_hold *h, int worker, bool may_work, char **error)
{
    int entry = may_work ? next_entry(h) : -1;
    char *task = entry >= 0 ? book_task(&h->book, entry, error) : NULL;
    h->tasks[worker] = task ? entry : -1;
    h->left -= !task;
    send(h->t, worker, task ? TASK : OVER, task ? task : "");
    free(task);
    return entry < 0 || h->tasks[worker] >= 0;
}

/* Takes what a worker says. */
static bool hear(struct ranks_hold *h, int worker, const char *text, char **error)
{
    int entry = h->tasks[worker];
    bool ok = true, is_whole = true;
    if (*text == RESULT && entry >= 0)
        ok = book_take(&h->book, entry, text + 1, &is_whole, error);
    if (*text == FAILED && entry >= 0)
        vec_push(&h->returned, entry);
    if (*text == FAILED && !h->why)
        h->why = strdup(text + 1);
    return ok && (is_whole || diag_fail(error, "a worker sent a result that is not whole"));
}

static bool serve(struct ranks_hold *h, bool *is_deserted, char **error)
{
    const volatile sig_atomic_t *stop = h->book.watch->stop;
    bool ok = true;
    while (h->left) {
        int worker = 0;
        char *text = receive(h->t, &worker, stop), *later = NULL;
        *is_deserted = !text;
        if (!text)
            break;
        ok = hear(h, worker, text, ok ? error : &later) && ok;
        ok = answer(h, worker, ok && !*stop && *text != FAILED, ok ? error : &later) && ok;
        free(later);
        free(text);
    }
    if (ok && h->book.done < h->book.count && !*stop)
        ok = diag_fail(error, "no process is left to do the rest: %s", h->why ? h->why : "all of them ended");
    return ok;
}

bool ranks_own(const struct transport *t, struct trial *trials, int count, const struct trial_watch *watch,
               bool *is_deserted, char **error)
{
    struct ranks_hold h = {.t = t, .left = t->size - 1, .tasks = xcalloc((size_t)t->size, sizeof *h.tasks)};
    char *here = getcwd(NULL, 0);
    *is_deserted = false;
    for (int i = 0; i < t->size; i++)
        h.tasks[i] = -1;
    bool ok = book_open(&h.book, trials, count, watch, error);
    if (ok) {
        for (int i = 1; i < t->size; i++)
            send(t, i, PLACE, here ? here : "/");
        ok = serve(&h, is_deserted, error);
    } else {
        ranks_dismiss(t);
    }
    book_close(&h.book);
    vec_free(&h.returned);
    free(h.tasks);
    free(h.why);
    free(here);
    return ok;
}

void ranks_dismiss(const struct transport *t)
{
    for (int i = 1; i < t->size; i++)
        send(t, i, OVER, "");
}

/* Goes to the working folder of the runs, or carries out a task, and says what came of it. */
static bool obey(const struct transport *t, struct identity *identity, const char *text,
                 const volatile sig_atomic_t *stop, char **error)
{
    char *result = NULL;
    bool ok = true;
    if (*text == PLACE)
        ok = !chdir(text + 1) ||
             diag_fail(error, "cannot go to the folder of the sweep's runs, %s: %s", text + 1, strerror(errno));
    else
        ok = (result = worker_carry_out(identity, text + 1, stop, error));
    if (ok)
        send(t, 0, *text == PLACE ? READY : RESULT, result ? result : "");
    else
        send(t, 0, FAILED, *error);
    free(result);
    return ok;
}

bool ranks_work(const struct transport *t, const volatile sig_atomic_t *stop, char **error)
{
    struct identity *identity = identity_open(error);
    bool ok = identity;
    for (;;) {
        int sender;
        char *text = receive(t, &sender, NULL);
        bool is_over = *text == OVER;
        if (!is_over && ok)
            ok = obey(t, identity, text, stop, error);
        else if (!is_over)
            send(t, 0, FAILED, *error);
        free(text);
        if (is_over)
            break;
    }
    identity_close(identity);
    return ok || *stop;
}
