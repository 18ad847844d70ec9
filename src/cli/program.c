/* Programs of the user: see program.h. */
#define _GNU_SOURCE
#include "cli/program.h"

#include "base/diag.h"
#include "cli/cli.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- finding ---- */

static bool is_folder(const char *path)
{
    struct stat s;
    return !stat(path, &s) && S_ISDIR(s.st_mode);
}

static bool is_runnable(const char *path)
{
    return !access(path, X_OK) && !is_folder(path);
}

/* Whether it is a library is asked of its name alone: a program may be position-independent, as libraries are. */
bool program_is(const char *path)
{
    char head[SELFMAG] = "";
    int file = is_runnable(path) && !strstr(path, ".so") ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    bool is_elf = file >= 0 && read(file, head, SELFMAG) == SELFMAG && !memcmp(head, ELFMAG, SELFMAG);
    if (file >= 0)
        close(file);
    return is_elf;
}

/* The first runnable file of this name in PATH; owned by the caller. NULL: there is none. */
static char *search_path(const char *name)
{
    const char *at = getenv("PATH");
    for (at = at ? at : "/usr/local/bin:/usr/bin:/bin";; at++) {
        size_t length = strcspn(at, ":");
        struct text path = {0};
        if (length) /* an empty entry is the current folder */
            text_printf(&path, "%.*s/", (int)length, at);
        text_printf(&path, "%s%s", length ? "" : "./", name);
        if (is_runnable(path.data))
            return text_take(&path);
        text_free(&path);
        at += length;
        if (!*at)
            return NULL;
    }
}

/* What to do with a file that is no program, by the ending of its name; NULL: nothing is known. */
static const char *advice_for(const char *path)
{
    static const struct {
        const char *ending, *advice;
    } table[] = {
        {".ptx", "it is PTX, whose kernels heddle run runs"},
        {".fatbin", "it is a fat binary, whose kernels heddle run runs"},
        {".cubin", "it is machine code of a GPU; nvcc -ptx makes PTX, which heddle run runs"},
        {".cu", "it is CUDA source; heddle cc makes a program of it, and heddle run runs its kernels"},
    };
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t tail = strlen(table[i].ending);
        if (length > tail && !strcmp(path + length - tail, table[i].ending))
            return table[i].advice;
    }
    return NULL;
}

static int complain(int status, const char *command, const char *path, const char *why)
{
    fprintf(diag_stream(), "heddle %s: cannot run %s: %s\n", command, path, why);
    return status;
}

char *program_find(const char *name, const char *command, int *status)
{
    *status = PROGRAM_NOT_FOUND;
    if (!strchr(name, '/')) {
        char *path = *name ? search_path(name) : NULL;
        if (path)
            return path;
        bool is_here = *name && is_runnable(name);
        fprintf(diag_stream(), "heddle %s: there is no program '%s' in PATH%s%s%s\n", command, name,
                is_here ? "; did you mean ./" : "", is_here ? name : "", is_here ? "?" : "");
        return NULL;
    }
    if (access(name, F_OK))
        complain(errno == ENOENT || errno == ENOTDIR ? PROGRAM_NOT_FOUND : (*status = PROGRAM_CANNOT_RUN), command,
                 name, strerror(errno));
    else if (is_folder(name))
        *status = complain(PROGRAM_CANNOT_RUN, command, name, "it is a folder");
    else if (access(name, X_OK))
        *status = complain(PROGRAM_CANNOT_RUN, command, name,
                           advice_for(name) ? advice_for(name) : "it is not executable; chmod +x makes it so");
    else
        return strdup(name);
    return NULL;
}

/* ---- why a file cannot be executed ---- */

static const struct machine_name {
    int number;
    const char *name;
} machine_names_of_elf[] = {
    {EM_386, "32-bit x86"}, {EM_X86_64, "x86-64"}, {EM_ARM, "32-bit ARM"},   {EM_AARCH64, "64-bit ARM"},
    {EM_PPC64, "POWER"},    {EM_RISCV, "RISC-V"},  {EM_CUDA, "NVIDIA GPUs"},
};

static const char *processor_of(int number)
{
    for (size_t i = 0; i < sizeof machine_names_of_elf / sizeof *machine_names_of_elf; i++)
        if (machine_names_of_elf[i].number == number)
            return machine_names_of_elf[i].name;
    return "another processor";
}

/* Says why execve() refused a file that exists and is executable. */
static int explain(const char *path, int reason, const char *command)
{
    unsigned char head[PATH_MAX] = {0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t bytes = file < 0 ? 0 : read(file, head, sizeof head - 1);
    if (file >= 0)
        close(file);
    bool is_elf = bytes >= EI_NIDENT + 4 && !memcmp(head, ELFMAG, SELFMAG);
    struct text why = {0};
    if (reason == ENOENT && is_elf) {
        text_printf(&why, "the loader that it names does not exist here");
    } else if (reason == ENOENT && !memcmp(head, "#!", 2)) {
        const char *name = (const char *)head + 2 + strspn((const char *)head + 2, " \t");
        text_printf(&why, "its interpreter %.*s does not exist", (int)strcspn(name, " \t\r\n"), name);
    } else if (reason == ENOEXEC && advice_for(path)) {
        text_printf(&why, "%s", advice_for(path));
    } else if (reason == ENOEXEC && is_elf) {
        bool is_big_endian = head[EI_DATA] == ELFDATA2MSB;
        int machine = head[EI_NIDENT + 2 + is_big_endian] | head[EI_NIDENT + 3 - is_big_endian] << 8;
        text_printf(&why, "it is an ELF file that this system cannot execute, for %s", processor_of(machine));
    } else if (reason == ENOEXEC) {
        text_printf(&why, "%s",
                    bytes ? "it is no program, and no script that begins with #! and an interpreter"
                          : "the file is empty");
    } else {
        text_printf(&why, "%s", strerror(reason));
    }
    int status = complain(PROGRAM_CANNOT_RUN, command, path, why.data);
    text_free(&why);
    return status;
}

/* ---- running ---- */

/* Signals that are passed on. A terminal sends its own to the whole process group, and so to the program, too. */
static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { PASSED_ON = sizeof passed_on / sizeof *passed_on };

/* The process that signals are passed on to. A signal handler gets no argument of ours. */
static volatile pid_t running;

static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (running > 0 && info->si_code <= 0) /* sent by a process; the kernel's own codes are positive */
        kill(running, number);
}

/* What becomes of the signals while a program runs, and what was before. */
struct signal_state {
    sigset_t mask;
    struct sigaction actions[PASSED_ON];
};

/* Blocks the signals and lets them be passed on; a signal that was ignored stays ignored, as under nohup. */
static void take_signals(struct signal_state *before)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    for (int i = 0; i < PASSED_ON; i++)
        sigaddset(&blocked, passed_on[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, &before->mask);
    for (int i = 0; i < PASSED_ON; i++) {
        struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
        action.sa_sigaction = pass_on;
        sigaction(passed_on[i], NULL, &before->actions[i]);
        if (before->actions[i].sa_handler != SIG_IGN)
            sigaction(passed_on[i], &action, NULL);
    }
    signal(SIGCHLD, SIG_DFL); /* if SIGCHLD was inherited as ignored, waitpid() could not wait for the program */
}

static void restore_signals(const struct signal_state *before)
{
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &before->actions[i], NULL);
}

/* Runs in the forked child. If the program cannot be executed, the reason goes into the pipe. */
static _Noreturn void become(const char *path, char *const *words, const struct signal_state *before, int pipe_end,
                             pid_t parent)
{
    restore_signals(before);
    pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* heddle does not leave the program behind, even if heddle is killed */
    if (getppid() == parent)
        execv(path, words);
    int reason = errno;
    while (write(pipe_end, &reason, sizeof reason) < 0 && errno == EINTR)
        ;
    _exit(PROGRAM_CANNOT_RUN);
}

static int wait_for(pid_t pid, const char *name, const char *command)
{
    int how;
    while (waitpid(pid, &how, 0) < 0)
        if (errno != EINTR)
            return complain(STATUS_INPUT, command, name, strerror(errno));
    if (WIFEXITED(how))
        return WEXITSTATUS(how);
    fprintf(diag_stream(), "heddle %s: %s was ended by signal %d (%s)\n", command, name, WTERMSIG(how),
            strsignal(WTERMSIG(how)));
    return STATUS_SIGNAL + WTERMSIG(how);
}

int program_run(const char *path, char *const *words, const char *command, bool *was_run)
{
    int ends[2], reason = 0;
    *was_run = false;
    if (pipe2(ends, O_CLOEXEC))
        return complain(PROGRAM_CANNOT_RUN, command, path, strerror(errno));
    struct signal_state before;
    fflush(NULL);
    take_signals(&before);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become(path, words, &before, ends[1], parent);
    reason = pid < 0 ? errno : 0;
    running = pid;
    pthread_sigmask(SIG_SETMASK, &before.mask, NULL);
    close(ends[1]);
    ssize_t got = 0;
    while (pid > 0 && (got = read(ends[0], &reason, sizeof reason)) < 0 && errno == EINTR)
        ;
    close(ends[0]);
    int status;
    if (pid < 0) {
        status = complain(PROGRAM_CANNOT_RUN, command, path, strerror(reason));
    } else if (got == sizeof reason) {
        waitpid(pid, NULL, 0);
        status = explain(path, reason, command);
    } else {
        *was_run = true;
        status = wait_for(pid, words[0], command);
    }
    running = 0;
    restore_signals(&before);
    return status;
}
