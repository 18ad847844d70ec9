/* Trials: see trial.h. Outputs are files of a folder of their own, so that no pipe has to be served. */
#define _GNU_SOURCE
#include "study/trial.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct slot {
    pid_t pid; /* 0: free */
    int trial;
    double began;
};

struct pool {
    struct trial *trials;
    char folder[256];
    struct slot *slots;
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

void trial_free(struct trial *t)
{
    for (int i = 0; i < t->words.count; i++)
        free(t->words.data[i]);
    vec_free(&t->words);
    free(t->output);
    t->output = NULL;
    sample_free(&t->sample);
}

static char *file_of(const struct pool *p, int trial, const char *ending)
{
    struct text path = {0};
    text_printf(&path, "%s/%d.%s", p->folder, trial, ending);
    return text_take(&path);
}

/* In the child: nothing of heddle's own runs on. */
static _Noreturn void become(const struct trial *t, const char *json, const char *output)
{
    struct vec_of(char *) words = {0};
    int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600), in = open("/dev/null", O_RDONLY);
    if (out < 0 || in < 0)
        _exit(1);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    vec_push(&words, "heddle");
    vec_push(&words, "run");
    for (int i = 0; i < t->words.count; i++)
        vec_push(&words, t->words.data[i]);
    vec_push(&words, "--stats=none");
    vec_push(&words, "--json");
    vec_push(&words, (char *)json);
    vec_push(&words, NULL);
    execv("/proc/self/exe", words.data);
    fprintf(stderr, "heddle: cannot run myself: %s\n", strerror(errno));
    _exit(1);
}

static bool start(struct pool *p, struct slot *slot, int trial)
{
    char *json = file_of(p, trial, "json"), *output = file_of(p, trial, "out");
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        become(&p->trials[trial], json, output);
    free(json);
    free(output);
    if (pid < 0)
        return false;
    *slot = (struct slot){pid, trial, now_seconds()};
    return true;
}

static char *read_all(const char *path)
{
    struct text all = {0};
    char buffer[4096];
    FILE *file = fopen(path, "r");
    for (size_t n; file && (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_append(&all, buffer, n);
    if (file)
        fclose(file);
    return text_take(&all);
}

static void finish(struct pool *p, struct slot *slot, int how)
{
    struct trial *t = &p->trials[slot->trial];
    char *json = file_of(p, slot->trial, "json"), *output = file_of(p, slot->trial, "out"), *error = NULL;
    t->status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    t->seconds = now_seconds() - slot->began;
    t->output = read_all(output);
    if (!access(json, R_OK) && !sample_add_file(&t->sample, json, &error)) {
        struct text why = {0};
        text_printf(&why, "%sheddle: %s\n", t->output, error);
        free(t->output);
        t->output = text_take(&why);
        t->status = t->status ? t->status : 1;
    }
    free(error);
    unlink(json);
    unlink(output);
    free(json);
    free(output);
    slot->pid = 0;
}

static struct slot *slot_of(struct pool *p, pid_t pid)
{
    for (int i = 0; i < p->slot_count; i++)
        if (p->slots[i].pid == pid)
            return &p->slots[i];
    return NULL;
}

static void end_all(struct pool *p)
{
    for (int i = 0; i < p->slot_count; i++)
        if (p->slots[i].pid)
            kill(p->slots[i].pid, SIGKILL);
}

static bool is_stopped(const struct trial_watch *watch)
{
    return watch->stop && *watch->stop;
}

/* Until all are done: a free slot takes the next one, else whoever ends first is waited for. */
static bool run_pool(struct pool *p, int count, const struct trial_watch *watch)
{
    int next = 0, done = 0, running = 0;
    while (done < count) {
        struct slot *slot = slot_of(p, 0);
        if (next < count && slot && !is_stopped(watch)) {
            if (!start(p, slot, next++))
                return false;
            running++;
            continue;
        }
        int how;
        pid_t pid = running ? waitpid(-1, &how, 0) : 0;
        if (is_stopped(watch))
            end_all(p);
        if (pid < 0 && errno == EINTR)
            continue;
        if (pid <= 0)
            return is_stopped(watch);
        if ((slot = slot_of(p, pid))) {
            finish(p, slot, how);
            running--;
            done++;
            if (watch->progress)
                watch->progress(watch->context, done, count);
        }
    }
    return true;
}

bool trials_run(struct trial *trials, int count, int at_once, const struct trial_watch *watch, char **error)
{
    static const struct trial_watch nobody;
    struct pool p = {.trials = trials, .slot_count = at_once < 1 ? 1 : at_once};
    struct text why = {0};
    const char *temporary = getenv("TMPDIR");
    for (int i = 0; i < count; i++)
        trials[i].status = TRIAL_NOT_RUN;
    snprintf(p.folder, sizeof p.folder, "%s/heddle.XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(p.folder)) {
        text_printf(&why, "cannot make %s: %s", p.folder, strerror(errno));
    } else {
        p.slots = xcalloc((size_t)p.slot_count, sizeof *p.slots);
        if (!run_pool(&p, count, watch ? watch : &nobody))
            text_printf(&why, "cannot run a process: %s", strerror(errno));
        end_all(&p);
        free(p.slots);
        rmdir(p.folder);
    }
    if (!why.data)
        return true;
    *error = text_take(&why);
    return false;
}

/* Who complains begins its line with its name; explanations before it are indented, or say nothing behind a colon. */
char *trial_complaint(const struct trial *t)
{
    const char *found = t->output ? t->output : "";
    for (const char *at = found; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *colon = strstr(at, ": ");
        if (*at != ' ' && colon && colon < at + strcspn(at, "\n"))
            found = at;
    }
    return strndup(found, strcspn(found, "\n"));
}
