/* The book of a shared sweep: see book.h. */
#include "farm/book.h"

#include "base/diag.h"
#include "study/identity.h"
#include "study/keeper.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LOSSES = 3, SIGNALLED = 128 };

static int compare_entries(const void *a, const void *b)
{
    const struct book_entry *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    return order ? order : x->trial - y->trial;
}

static void note_done(struct book *b, struct book_entry *e)
{
    e->is_done = true;
    b->done++;
    if (b->watch->progress)
        b->watch->progress(b->watch->context, b->done, b->count);
}

bool book_open(struct book *b, struct trial *trials, int count, const struct trial_watch *watch, char **error)
{
    *b = (struct book){.trials = trials, .watch = watch};
    b->entries = xcalloc((size_t)count, sizeof *b->entries);
    for (int i = 0; i < count; i++)
        trials[i].status = TRIAL_NOT_RUN;
    for (int i = 0; i < count; i++) {
        struct task task = {0};
        bool is_found = false;
        if (!keeper_find(watch->keeper, &trials[i], &task, &is_found, error))
            return false;
        if (!task.key)
            return diag_fail(error, "a run cannot be given to a worker, since its result could not be known again");
        b->entries[b->count++] = (struct book_entry){.key = strdup(task.key), .trial = i, .is_done = is_found};
        b->done += is_found;
        task_free(&task);
    }
    qsort(b->entries, (size_t)count, sizeof *b->entries, compare_entries);
    return true;
}

void book_close(struct book *b)
{
    for (int i = 0; i < b->count; i++)
        free(b->entries[i].key);
    free(b->entries);
    *b = (struct book){0};
}

int book_find(const struct book *b, const char *key)
{
    int low = 0, high = b->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (strcmp(b->entries[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < b->count && !strcmp(b->entries[low].key, key) ? low : -1;
}

bool book_is_to_do(const struct book *b, int entry)
{
    const struct book_entry *e = &b->entries[entry];
    return !e->is_done && (!entry || strcmp(e[-1].key, e->key));
}

static bool make_task(const struct book *b, int entry, struct task *task, char **error)
{
    const struct trial *t = &b->trials[b->entries[entry].trial];
    if (!identity_make_task(b->watch->keeper->identity, t, task, error))
        return false;
    task->time_limit = b->watch->time_limit_seconds;
    task->memory_limit = (double)b->watch->memory_limit_bytes;
    return true;
}

char *book_task(const struct book *b, int entry, char **error)
{
    struct task task = {0};
    struct text text = {0};
    if (!make_task(b, entry, &task, error))
        return NULL;
    task_print(&task, &text);
    task_free(&task);
    return text_take(&text);
}

/* Stores the result, and gives it to all trials that are the same run. */
static bool store_result(struct book *b, int entry, const struct result *r, char **error)
{
    struct task task = {0};
    if (!make_task(b, entry, &task, error))
        return false;
    bool ok = true;
    for (int i = entry; ok && i < b->count && !strcmp(b->entries[i].key, r->key); i++) {
        if (b->entries[i].is_done)
            continue;
        ok = keeper_import(b->watch->keeper, &b->trials[b->entries[i].trial], &task, r, error);
        if (ok)
            note_done(b, &b->entries[i]);
    }
    task_free(&task);
    return ok;
}

bool book_take(struct book *b, int entry, const char *text, bool *is_whole, char **error)
{
    struct result r = {0};
    char *why = NULL;
    *is_whole = result_read(&r, text, &why) && !strcmp(r.key, b->entries[entry].key);
    free(why);
    bool ok = !*is_whole || store_result(b, entry, &r, error);
    result_free(&r);
    return ok;
}

bool book_lose(struct book *b, int entry, char **error)
{
    struct book_entry *e = &b->entries[entry];
    if (++e->losses < MOST_LOSSES)
        return true;
    struct trial lost = {.status = SIGNALLED + SIGKILL, .own_status = SIGNALLED + SIGKILL, .limit = result_killed};
    struct result r;
    keeper_make_result(&lost, e->key, &r);
    bool ok = store_result(b, entry, &r, error);
    result_free(&r);
    return ok;
}
