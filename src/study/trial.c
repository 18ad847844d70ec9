/* Trials: see trial.h. What runs print goes to files of a temporary folder, so that no pipe has to be served. */
#define _GNU_SOURCE
#include "study/trial.h"

#include "base/child.h"
#include "base/temporary.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIGNALLED = 128 }; /* statuses above 128 name a signal */

/* Room for one process. */
struct trial_slot {
    struct child child; /* pid 0: the slot is free */
    int trial;          /* which trial the process runs */
    double began;       /* time in seconds */
};

struct trial_pool {
    struct trial *trials;
    int count;          /* trials */
    int next;           /* trial to begin next */
    int done;           /* trials that have ended */
    const char *folder; /* for the files of runs */
    struct trial_slot *slots;
    int slot_count;
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

static void start_run(struct trial_slot *slot, const struct trial *t, const char *json, int output)
{
    struct vec_of(char *) words = {0};
    vec_push(&words, "heddle");
    vec_push(&words, t->program ? "exec" : "run");
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

static bool start(struct trial_pool *p, struct trial_slot *slot, struct text *why)
{
    char *json = file_of(p, p->next, "json"), *path = file_of(p, p->next, "out");
    int output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (output >= 0)
        start_run(slot, &p->trials[p->next], json, output);
    bool ok = slot->child.pid;
    if (!ok)
        text_printf(why, "cannot %s: %s", output < 0 ? "make a file for what a run prints" : "start a run",
                    strerror(errno));
    if (output >= 0)
        close(output);
    if (!ok)
        unlink(path);
    slot->trial = p->next++;
    slot->began = now_seconds();
    free(json);
    free(path);
    return ok;
}

static bool is_stopped(const struct trial_watch *watch)
{
    return watch->stop && *watch->stop;
}

/* Takes the result of a trial whose process has ended. After this program was asked to stop, a run whose status
 * names a signal counts as not run: either this program ended it, or the terminal sent it the same signal. A program of
 * the user may answer the signal with any status but 0. */
static void finish(struct trial_pool *p, struct trial_slot *slot, int status, bool was_stopped)
{
    struct trial *t = &p->trials[slot->trial];
    char *json = file_of(p, slot->trial, "json"), *output = file_of(p, slot->trial, "out"), *error = NULL;
    bool was_ended = was_stopped && (status > SIGNALLED || (t->program && status));
    t->status = was_ended ? TRIAL_NOT_RUN : status;
    t->own_status = status;
    t->seconds = now_seconds() - slot->began;
    t->output = text_read_file(output);
    if (t->status != TRIAL_NOT_RUN && !access(json, R_OK) && !measurement_add_file(&t->measurement, json, &error)) {
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

/* Begins a trial in every free slot. False if a trial cannot be begun. */
static bool fill_slots(struct trial_pool *p, struct text *why)
{
    for (int i = 0; i < p->slot_count && p->next < p->count; i++)
        if (!p->slots[i].child.pid && !start(p, &p->slots[i], why))
            return false;
    return true;
}

/* Takes the results of trials that have ended, and naps if none has. Returns how many still run. */
static int empty_slots(struct trial_pool *p, bool wants_end, const struct trial_watch *watch)
{
    int running = 0, status;
    bool has_ended_one = false;
    for (int i = 0; i < p->slot_count; i++) {
        struct trial_slot *slot = &p->slots[i];
        if (!slot->child.pid)
            continue;
        if (!child_has_ended(&slot->child, wants_end, &status)) {
            running++;
            continue;
        }
        finish(p, slot, status, is_stopped(watch));
        p->done++;
        has_ended_one = true;
        if (watch->progress)
            watch->progress(watch->context, p->done, p->count);
    }
    if (running && !has_ended_one)
        child_nap();
    return running;
}

/* Runs until all trials are done. After a signal or a failure no trial is begun, and those that run are ended. */
static bool run_pool(struct trial_pool *p, const struct trial_watch *watch, struct text *why)
{
    bool ok = true, is_over = false;
    do {
        is_over |= is_stopped(watch);
        if (!is_over)
            ok = fill_slots(p, why);
        is_over |= !ok;
    } while (empty_slots(p, is_over, watch) || (!is_over && p->next < p->count));
    return ok;
}

bool trials_run(struct trial *trials, int count, int at_once, const struct trial_watch *watch, char **error)
{
    static const struct trial_watch nobody;
    struct text why = {0};
    for (int i = 0; i < count; i++)
        trials[i].status = TRIAL_NOT_RUN;
    char *folder = temporary_folder(error);
    if (!folder)
        return false;
    struct trial_pool p = {.trials = trials, .folder = folder, .slot_count = at_once < 1 ? 1 : at_once, .count = count};
    p.slots = xcalloc((size_t)p.slot_count, sizeof *p.slots);
    bool ok = run_pool(&p, watch ? watch : &nobody, &why);
    free(p.slots);
    temporary_remove(folder);
    if (!ok)
        *error = text_take(&why);
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
