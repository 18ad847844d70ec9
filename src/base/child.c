/*
 * Child processes: see child.h. A parent polls its children every few milliseconds. A blocking wait would need signals
 * blocked in all threads, or a signal just before the wait would be missed.
 */
#define _GNU_SOURCE
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char child_self[] = "/proc/self/exe";

static const double patience_seconds = 2; /* between SIGTERM and SIGKILL */

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void redirect(int output)
{
    int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(empty, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
}

/* Runs in the forked child, and replaces this program by the other one. */
static _Noreturn void become(const struct child_program *program, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    if (program->output >= 0)
        redirect(program->output);
    for (int i = 0; program->environment && program->environment[i]; i++)
        putenv(program->environment[i]);
    execv(program->path, program->words);
    fprintf(stderr, "heddle: cannot run %s: %s\n", program->path, strerror(errno));
    fflush(stderr);
    _exit(1);
}

bool child_start(struct child *c, const struct child_program *program)
{
    signal(SIGCHLD, SIG_DFL); /* if SIGCHLD was inherited as ignored, waitpid() could not wait for children */
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become(program, parent);
    *c = (struct child){.pid = pid < 0 ? 0 : pid};
    return pid > 0;
}

static void ask_to_end(struct child *c)
{
    double now = now_seconds();
    if (!c->asked) {
        kill(c->pid, SIGTERM);
        c->asked = now;
    } else if (now - c->asked > patience_seconds) {
        kill(c->pid, SIGKILL);
    }
}

bool child_has_ended(struct child *c, bool wants_end, int *status)
{
    int how;
    pid_t ended = waitpid(c->pid, &how, WNOHANG);
    if (ended == 0) {
        if (wants_end)
            ask_to_end(c);
        return false;
    }
    if (ended < 0) /* other code of this process has waited for the child: its status is lost */
        *status = 1;
    else
        *status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    c->pid = 0;
    return true;
}

void child_nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

int child_wait(struct child *c, const volatile sig_atomic_t *stop)
{
    int status;
    while (!child_has_ended(c, stop && *stop, &status))
        child_nap();
    return status;
}
