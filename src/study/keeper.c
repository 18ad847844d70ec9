/* A keeper of results: see keeper.h. */
#define _GNU_SOURCE
#include "study/keeper.h"

#include "study/identity.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OUTPUT_BYTES = 1 << 16 }; /* that are kept of what a run printed */

bool keeper_open(struct keeper *k, const char *path, char **error)
{
    *k = (struct keeper){.store = store_open(path, STORE_WRITE, error)};
    if (k->store)
        k->identity = identity_open(error);
    if (k->identity)
        return true;
    keeper_close(k);
    return false;
}

void keeper_close(struct keeper *k)
{
    store_close(k->store);
    identity_close(k->identity);
    *k = (struct keeper){0};
}

/* The end of what a run printed: complaints come last. */
static char *end_of(const char *output)
{
    struct text kept = {0};
    size_t length = strlen(output), cut = length > OUTPUT_BYTES ? length - OUTPUT_BYTES : 0;
    if (cut)
        text_printf(&kept, "[%zu bytes before this are not kept]\n", cut);
    text_printf(&kept, "%s", output + cut);
    return text_take(&kept);
}

static const char *failure_of(const struct trial *t)
{
    if (t->limit)
        return t->limit;
    if (t->status == TRIAL_WRONG)
        return result_wrong;
    return t->status || !t->measurement.launches ? result_error : NULL;
}

static char *why_of(const struct trial *t)
{
    if (t->limit == result_time)
        return strdup("the run took longer than its time limit");
    if (t->limit == result_memory)
        return strdup("the run took more memory than its limit");
    if (t->limit == result_killed)
        return strdup("the run was killed several times, not by heddle; too little memory is a common reason");
    char *why = trial_complaint(t);
    if (*why)
        return why;
    free(why);
    return strdup(t->status ? "the run failed without a word" : "no launch was made");
}

void keeper_make_result(const struct trial *t, const char *key, struct result *r)
{
    char date[32], host[256] = "";
    struct tm parts;
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    gethostname(host, sizeof host - 1);
    const char *failure = failure_of(t);
    *r = (struct result){.key = strdup(key),
                         .status = t->status,
                         .own_status = t->own_status,
                         .failure = failure ? strdup(failure) : NULL,
                         .why = failure ? why_of(t) : NULL,
                         .seconds = t->seconds,
                         .date = strdup(date),
                         .host = strdup(host),
                         .output = end_of(t->output ? t->output : "")};
    measurement_save(&t->measurement, r);
}

bool keeper_take_result(struct trial *t, const struct result *r, char **error)
{
    static const char *const limits[] = {result_time, result_memory, result_killed};
    t->status = r->status;
    t->own_status = r->own_status;
    t->seconds = r->seconds;
    t->output = strdup(r->output ? r->output : "");
    for (size_t i = 0; r->failure && i < sizeof limits / sizeof *limits; i++)
        if (!strcmp(r->failure, limits[i]))
            t->limit = limits[i];
    return measurement_load(&t->measurement, r, error);
}

static void forget(struct trial *t)
{
    free(t->output);
    t->output = NULL;
    measurement_free(&t->measurement);
}

bool keeper_find(struct keeper *k, struct trial *t, struct task *task, bool *found, char **error)
{
    char *why = NULL;
    struct result r = {0};
    enum store_found kind = STORE_NOTHING;
    *found = false;
    if (!identity_make_task(k->identity, t, task, &why)) {
        free(why);
        return true;
    }
    if (!store_get(k->store, task->key, &kind, &r, error))
        return false;
    *found = kind == STORE_RIGHT || kind == STORE_WRONG || (kind == STORE_FAILED && k->takes_failures);
    bool ok = !*found || keeper_take_result(t, &r, error);
    t->was_stored = *found;
    t->has_failed = *found && r.failure;
    result_free(&r);
    if (*found && k->forgets)
        forget(t);
    return ok;
}

bool keeper_put(struct keeper *k, struct trial *t, const struct task *task, char **error)
{
    if (!task->key || t->status == TRIAL_NOT_RUN)
        return true;
    struct result r;
    keeper_make_result(t, task->key, &r);
    bool ok = store_put(k->store, task, &r, error);
    t->has_failed = r.failure;
    result_free(&r);
    if (k->forgets)
        forget(t);
    return ok;
}

bool keeper_import(struct keeper *k, struct trial *t, const struct task *task, const struct result *r, char **error)
{
    bool ok = keeper_take_result(t, r, error) && store_put(k->store, task, r, error);
    t->has_failed = ok && r->failure;
    if (!ok)
        t->status = TRIAL_NOT_RUN;
    if (k->forgets || !ok)
        forget(t);
    return ok;
}
