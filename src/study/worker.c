/* Workers: see worker.h. */
#include "study/worker.h"

#include "base/diag.h"
#include "study/keeper.h"

#include <stdlib.h>
#include <string.h>

/* The words of a task as a trial. `program` gets the part behind --, which the trial points to. */
struct worker_words {
    struct vec_of(char *) program; /* owned; ends with NULL */
    struct trial trial;
};

static bool read_words(struct worker_words *w, const char *words, char **error)
{
    char *why = NULL;
    cJSON *array = json_read(words, &why);
    const cJSON *word;
    int at = 0;
    bool is_exec = false, is_program = false, ok = cJSON_IsArray(array) && cJSON_GetArraySize(array) > 1;
    cJSON_ArrayForEach(word, array)
    {
        char *text = field_string(word);
        ok = ok && text && (at || !strcmp(text, "run") || !strcmp(text, "exec"));
        is_exec |= ok && !at && !strcmp(text, "exec");
        if (ok && is_program)
            vec_push(&w->program, strdup(text));
        else if (ok && at && is_exec && !strcmp(text, "--"))
            is_program = true;
        else if (ok && at)
            trial_add_word(&w->trial, text);
        free(text);
        at++;
    }
    cJSON_Delete(array);
    free(why);
    ok = ok && is_exec == (w->program.count > 0);
    vec_push(&w->program, NULL);
    w->trial.program = is_exec ? w->program.data : NULL;
    return ok || diag_fail(error, "this is no task of heddle: its words are no command line");
}

/* Whether the run is the same here: its program and the files of its input are those that the owner has. */
static bool is_same_here(struct identity *identity, const struct trial *trial, const struct task *task, char **error)
{
    struct task here = {0};
    if (!identity_make_task(identity, trial, &here, error))
        return false;
    bool is_same = !strcmp(here.key, task->key);
    task_free(&here);
    return is_same || diag_fail(error, "the files of the run %s are other ones here", task->name);
}

static char *carry_out(struct identity *identity, const struct task *task, const volatile sig_atomic_t *stop,
                       char **error)
{
    struct worker_words w = {.trial.verifies_itself = task->verifies_itself};
    struct trial_watch watch = {
        .stop = stop, .time_limit_seconds = task->time_limit, .memory_limit_bytes = (uint64_t)task->memory_limit};
    struct text text = {0};
    bool ok = read_words(&w, task->words, error) && is_same_here(identity, &w.trial, task, error) &&
              trials_run(&w.trial, 1, 1, &watch, error);
    if (ok && w.trial.status == TRIAL_NOT_RUN)
        ok = diag_fail(error, "stopped before the end of the run");
    if (ok) {
        struct result r;
        keeper_make_result(&w.trial, task->key, &r);
        result_print(&r, &text);
        result_free(&r);
    }
    for (int i = 0; i < w.program.count; i++)
        free(w.program.data[i]);
    vec_free(&w.program);
    trial_free(&w.trial);
    return ok ? text_take(&text) : NULL;
}

char *worker_carry_out(struct identity *identity, const char *text, const volatile sig_atomic_t *stop, char **error)
{
    struct task task = {0};
    char *result = NULL;
    if (!task_read(&task, text, error))
        return NULL;
    if (strcmp(task.build, identity_build(identity)))
        diag_fail(error, "the task is of another build of heddle: of %.12s, and this is %.12s", task.build,
                  identity_build(identity));
    else
        result = carry_out(identity, &task, stop, error);
    task_free(&task);
    return result;
}
