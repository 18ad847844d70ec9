/* Trials: see trial.h. What runs print goes to files of a temporary folder, so that no pipe has to be served. */
#define _GNU_SOURCE
#include "study/trial.h"

#include "base/child.h"
#include "base/process_tree.h"
#include "base/temporary.h"
#include "base/text.h"
#include "study/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIGNALLED = 128 };     /* statuses above 128 name a signal */
enum { MOST_BEGINNINGS = 3 }; /* of a trial that is killed */

static const double look_seconds = 0.05; /* between two looks at the memory of a run */

/* Room for one process. */
struct trial_slot {
    struct child child; /* pid 0: the slot is free */
    int trial;          /* which trial the process runs */
    double began;       /* time in seconds */
    double looked;      /* time in seconds when the memory of the run was last looked at */
    const char *limit;  /* the limit for which the process is being ended; NULL: none */
    int beginnings;     /* of the trial; more than one after it was killed */
    struct task task;   /* of the trial, for the keeper */
};

struct trial_pool {
    struct trial *trials;
    int count;          /* trials */
    int next;           /* trial to begin next */
    int done;           /* trials that have ended */
    const char *folder; /* for the files of runs */
    struct trial_slot *slots;
    int slot_count;
    const struct trial_watch *watch;
    struct text why; /* why trials cannot be run at all; empty: they can */
};

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void trial_add_word(struct trial *t, const char *word)
{
    vec_push(&t->words, strdup(word));
}

void trial_add_words(struct trial *t, const char *words)
{
    for (;;) {
        words += strspn(words, " ");
        size_t length = strcspn(words, " ");
        if (!length)
            return;
        vec_push(&t->words, strndup(words, length));
        words += length;
    }
}

void trial_add_verify(struct trial *t)
{
    trial_add_words(t, "--verify functional");
}

void trial_free(struct trial *t)
{
    for (int i = 0; i < t->words.count; i++)
        free(t->words.data[i]);
    vec_free(&t->words);
    free(t->output);
    t->output = NULL;
    measurement_free(&t->measurement);
}

static char *file_of(const struct trial_pool *p, int trial, const char *ending)
{
    struct text path = {0};
    text_printf(&path, "%s/%d.%s", p->folder, trial, ending);
    return text_take(&path);
}

/* Whether the environment says how many host threads a run takes. */
static bool environment_names_threads(void)
{
    const char *words = getenv("HEDDLE_OPTS");
    return words && strstr(words, "--threads");
}

/* With `has_company` other runs go on at the same time, so this one gets one host thread unless told otherwise. */
static void start_run(struct trial_slot *slot, const struct trial *t, const char *json, int output, bool has_company)
{
    struct vec_of(char *) words = {0};
    vec_push(&words, "heddle");
    vec_push(&words, t->program ? "exec" : "run");
    if (has_company && !environment_names_threads())
        vec_push(&words, "--threads=1"); /* the words of the trial, which follow, may say otherwise */
    for (int i = 0; i < t->words.count; i++)
        vec_push(&words, t->words.data[i]);
    vec_push(&words, "--stats=none");
    vec_push(&words, "--json");
    vec_push(&words, (char *)json);
    if (t->program) {
        vec_push(&words, "--quiet");
        vec_push(&words, "--");
        for (int i = 0; t->program[i]; i++)
            vec_push(&words, t->program[i]);
    }
    vec_push(&words, NULL);
    child_start(&slot->child, &(struct child_program){.path = child_self, .words = words.data, .output = output});
    vec_free(&words);
}

static bool is_stopped(const struct trial_pool *p)
{
    return p->watch->stop && *p->watch->stop;
}

/* No further trial is begun. The first reason counts: others may follow from it. */
static void give_up(struct trial_pool *p, const char *format, const char *word)
{
    if (!p->why.data)
        text_printf(&p->why, format, word);
}

/* Begins the trial of a slot. */
static bool start(struct trial_pool *p, struct trial_slot *slot)
{
    char *json = file_of(p, slot->trial, "json"), *path = file_of(p, slot->trial, "out");
    int output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    unlink(json); /* of a beginning that was killed */
    if (output >= 0)
        start_run(slot, &p->trials[slot->trial], json, output, p->slot_count > 1);
    bool ok = slot->child.pid;
    if (!ok)
        give_up(p, output < 0 ? "cannot make a file for what a run prints: %s" : "cannot start a run: %s",
                strerror(errno));
    if (output >= 0)
        close(output);
    if (!ok)
        unlink(path);
    slot->began = slot->looked = now_seconds();
    slot->limit = NULL;
    slot->beginnings++;
    free(json);
    free(path);
    return ok;
}

static void count_done(struct trial_pool *p)
{
    p->done++;
    if (p->watch->progress)
        p->watch->progress(p->watch->context, p->done, p->count);
}

/* Takes the result of a trial whose process has ended. After this program was asked to stop, or gave up, a run whose
 * status names a signal counts as not run: either this program ended it, or the terminal sent it the same signal. A
 * program of the user may answer the signal with any status but 0. Of a run that was over a limit, no figures count. */
static void take_result(struct trial_pool *p, struct trial_slot *slot, int status)
{
    struct trial *t = &p->trials[slot->trial];
    char *json = file_of(p, slot->trial, "json"), *output = file_of(p, slot->trial, "out"), *error = NULL;
    bool is_over = is_stopped(p) || p->why.data;
    bool was_ended = is_over && !slot->limit && (status > SIGNALLED || (t->program && status));
    t->status = was_ended ? TRIAL_NOT_RUN : status;
    t->own_status = status;
    t->limit = slot->limit;
    t->seconds = now_seconds() - slot->began;
    t->output = text_read_file(output);
    bool has_figures = t->status != TRIAL_NOT_RUN && !t->limit && !access(json, R_OK);
    if (has_figures && !measurement_add_file(&t->measurement, json, &error)) {
        struct text why = {0};
        text_printf(&why, "%sheddle: %s\n", t->output, error);
        free(t->output);
        t->output = text_take(&why);
        t->status = t->status ? t->status : 1;
    }
    bool differs = t->measurement.wrong + t->measurement.racing && !t->measurement.faults;
    if (t->program && t->status > 0 && t->status < SIGNALLED && differs)
        t->status = TRIAL_WRONG; /* the program found its result wrong, with a status of its own choice */
    const struct measurement *m = &t->measurement;
    bool is_verified = m->compared && m->compared == m->launches && !differs && !m->faults;
    if (t->limit)
        t->status = t->status ? t->status : SIGNALLED + SIGTERM; /* a run may answer the signal with 0 */
    if (t->status == TRIAL_WRONG && !t->verifies_itself && is_verified && measurement_sum(m, "lockstep"))
        t->status = 0; /* the run failed for its reliance on lock-step alone; the result is right */
    if (!t->status && (t->measurement.wrong || (t->measurement.racing && !t->verifies_itself)))
        t->status = TRIAL_WRONG; /* a workload does not compare its memory, so its status is 0 */
    free(error);
    unlink(json);
    unlink(output);
    free(json);
    free(output);
}

/* Whether nothing more can be written into the folder. */
static bool is_without_room(const struct trial_pool *p)
{
    static const char bytes[1 << 16];
    char *path = file_of(p, 0, "room");
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t written = file < 0 ? -1 : write(file, bytes, sizeof bytes);
    bool is_full = written < 0 ? errno == ENOSPC || errno == EDQUOT : written < (ssize_t)sizeof bytes;
    if (file >= 0)
        close(file);
    unlink(path);
    free(path);
    return is_full;
}

/* Stores the result of a trial that has ended. A run that failed where the disk is full may have failed for that, so it
 * counts as not run, and no other is begun. */
static void keep_result(struct trial_pool *p, struct trial_slot *slot)
{
    struct trial *t = &p->trials[slot->trial];
    char *error = NULL;
    if (t->status > 0 && !t->limit && is_without_room(p)) {
        t->status = TRIAL_NOT_RUN;
        give_up(p, "there is no room for the files of runs in %s: the disk is full; TMPDIR can name a folder elsewhere",
                p->folder);
    } else if (p->watch->keeper && !keeper_put(p->watch->keeper, t, &slot->task, &error)) {
        t->status = TRIAL_NOT_RUN;
        give_up(p, "%s", error);
    }
    free(error);
}

/* Gives the slot the next trial that has no stored result. False: there is none, or the store cannot be read. */
static bool next_trial(struct trial_pool *p, struct trial_slot *slot)
{
    while (p->next < p->count && !is_stopped(p)) {
        bool is_found = false;
        char *error = NULL;
        slot->trial = p->next++;
        slot->beginnings = 0;
        if (!p->watch->keeper)
            return true;
        if (!keeper_find(p->watch->keeper, &p->trials[slot->trial], &slot->task, &is_found, &error)) {
            give_up(p, "%s", error);
            free(error);
            return false;
        }
        slot->task.time_limit = p->watch->time_limit_seconds;
        slot->task.memory_limit = (double)p->watch->memory_limit_bytes;
        if (!is_found)
            return true;
        task_free(&slot->task);
        count_done(p);
    }
    return false;
}

/* Begins a trial in every free slot. */
static void fill_slots(struct trial_pool *p)
{
    for (int i = 0; i < p->slot_count && !p->why.data; i++)
        if (!p->slots[i].child.pid && next_trial(p, &p->slots[i]))
            start(p, &p->slots[i]);
}

/* Whether the run of a slot must be ended, because it is over a limit. */
static bool is_over_limit(struct trial_pool *p, struct trial_slot *slot)
{
    const struct trial_watch *watch = p->watch;
    double now = now_seconds();
    if (!slot->limit && watch->time_limit_seconds > 0 && now - slot->began > watch->time_limit_seconds)
        slot->limit = result_time;
    if (!slot->limit && watch->memory_limit_bytes && now - slot->looked > look_seconds) {
        slot->looked = now;
        if (process_tree_bytes(slot->child.pid) > watch->memory_limit_bytes)
            slot->limit = result_memory;
    }
    if (slot->limit == result_memory) /* what grows fast has no time for a farewell */
        process_tree_kill(slot->child.pid);
    return slot->limit;
}

/* Takes the result of the trial of a slot, whose process has ended, or begins the trial again. */
static void finish(struct trial_pool *p, struct trial_slot *slot, int status)
{
    bool was_killed = status == SIGNALLED + SIGKILL && !slot->limit && !p->why.data && !is_stopped(p);
    if (was_killed && slot->beginnings < MOST_BEGINNINGS) {
        start(p, slot);
        return;
    }
    if (was_killed)
        slot->limit = result_killed;
    take_result(p, slot, status);
    keep_result(p, slot);
    task_free(&slot->task);
    count_done(p);
}

/* Takes the results of trials that have ended, and naps if none has. Returns how many still run. */
static int empty_slots(struct trial_pool *p, bool wants_end)
{
    int running = 0, status;
    bool has_ended_one = false;
    for (int i = 0; i < p->slot_count; i++) {
        struct trial_slot *slot = &p->slots[i];
        if (!slot->child.pid)
            continue;
        if (child_has_ended(&slot->child, is_over_limit(p, slot) || wants_end, &status)) {
            finish(p, slot, status);
            has_ended_one = true;
        }
        running += slot->child.pid != 0;
    }
    if (running && !has_ended_one)
        child_nap();
    return running;
}

/* Runs until all trials are done. After a signal or a failure no trial is begun, and those that run are ended. */
static void run_pool(struct trial_pool *p)
{
    bool is_over = false;
    do {
        is_over |= is_stopped(p);
        if (!is_over)
            fill_slots(p);
        is_over |= p->why.data != NULL;
    } while (empty_slots(p, is_over) || (!is_over && p->next < p->count));
}

bool trials_run(struct trial *trials, int count, int at_once, const struct trial_watch *watch, char **error)
{
    static const struct trial_watch nobody;
    for (int i = 0; i < count; i++)
        trials[i].status = TRIAL_NOT_RUN;
    char *folder = temporary_folder(error);
    if (!folder)
        return false;
    struct trial_pool p = {.trials = trials,
                           .folder = folder,
                           .slot_count = at_once < 1 ? 1 : at_once,
                           .count = count,
                           .watch = watch ? watch : &nobody};
    p.slots = xcalloc((size_t)p.slot_count, sizeof *p.slots);
    run_pool(&p);
    for (int i = 0; i < p.slot_count; i++)
        task_free(&p.slots[i].task);
    free(p.slots);
    temporary_remove(folder);
    bool ok = !p.why.data;
    if (!ok)
        *error = text_take(&p.why);
    return ok;
}

/* What a program of the user has to say is in its last line, if anywhere. */
static char *complaint_of_program(const struct trial *t)
{
    struct text why = {0};
    const char *last = "";
    for (const char *at = t->output ? t->output : ""; *at; at += strcspn(at, "\n"), at += *at == '\n')
        last = strspn(at, " \t\r\n") < strcspn(at, "\n") ? at : last;
    if (t->status)
        text_printf(&why, "exit status %d%s%.*s", t->own_status, *last ? ": " : "", (int)strcspn(last, "\n"), last);
    else
        text_printf(&why, "no launch was made, or --kernel and --launch chose none");
    return text_take(&why);
}

/* A complaint begins with the name of a program or kernel and a colon. Lines of explanations are indented. */
char *trial_complaint(const struct trial *t)
{
    if (t->program)
        return complaint_of_program(t);
    const char *found = t->output ? t->output : "";
    for (const char *at = found; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *colon = strstr(at, ": ");
        if (*at != ' ' && colon && colon < at + strcspn(at, "\n"))
            found = at;
    }
    return strndup(found, strcspn(found, "\n"));
}
