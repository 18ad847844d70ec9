/* Children: how they end, what they are given, and that they end when they are asked to, even those that do not listen. */
#include "base/child.h"
#include "base/process_tree.h"
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const volatile sig_atomic_t at_once = SIGINT;

static struct child start_shell(const char *script, int output, char *const *environment)
{
    char *words[] = {"sh", "-c", (char *)script, NULL};
    struct child c;
    assert_true(child_start(&c, &(struct child_program){"/bin/sh", words, environment, output}));
    return c;
}

/* What the shell prints; its status. */
static int run_shell(const char *script, char *const *environment, char *printed, size_t size)
{
    char *error = NULL, *path = temporary_file("", 0, &error);
    int output = open(path, O_RDWR | O_CLOEXEC);
    struct child c = start_shell(script, output, environment);
    int status = child_wait(&c, NULL);
    ssize_t length = pread(output, printed, size - 1, 0);
    assert_true(length >= 0);
    printed[length] = '\0';
    close(output);
    temporary_remove(path);
    assert_int_equal(c.pid, 0);
    return status;
}

static void expect_no_children(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void test_status(void **state)
{
    (void)state;
    char printed[64];
    assert_int_equal(run_shell("exit 0", NULL, printed, sizeof printed), 0);
    assert_int_equal(run_shell("exit 7", NULL, printed, sizeof printed), 7);
    assert_int_equal(run_shell("kill -KILL $$", NULL, printed, sizeof printed), 128 + SIGKILL);
    expect_no_children();
}

static void test_streams(void **state)
{
    (void)state;
    char printed[64], *environment[] = {"HEDDLE_CHILD=new", NULL}, *error = NULL;
    char *typed = temporary_file("typed\n", 6, &error); /* what is not the child's to read */
    int input = open(typed, O_RDONLY);
    assert_true(input >= 0 && dup2(input, STDIN_FILENO) == STDIN_FILENO);
    setenv("HEDDLE_CHILD", "old", 1);
    assert_int_equal(run_shell("cat; echo $HEDDLE_CHILD; echo two >&2", environment, printed, sizeof printed), 0);
    assert_string_equal(printed, "new\ntwo\n");
    assert_string_equal(getenv("HEDDLE_CHILD"), "old");
    close(input);
    temporary_remove(typed);
}

static void test_no_program(void **state)
{
    (void)state;
    char *words[] = {"nobody", NULL}, *error = NULL, *path = temporary_file("", 0, &error), got[128] = "";
    int output = open(path, O_RDWR | O_CLOEXEC);
    struct child c;
    assert_true(child_start(&c, &(struct child_program){.path = "/no/such/program", .words = words, .output = output}));
    assert_int_equal(child_wait(&c, NULL), 1);
    assert_true(pread(output, got, sizeof got - 1, 0) > 0);
    assert_string_equal(got, "heddle: cannot run /no/such/program: No such file or directory\n");
    close(output);
    temporary_remove(path);
}

/* Whoever starts a program may have it ignore SIGCHLD; then the system forgets how children ended. */
static void test_ignored_by_parent(void **state)
{
    (void)state;
    char printed[64];
    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(run_shell("exit 7", NULL, printed, sizeof printed), 7);
}

static double seconds_to_end(const char *script, int *status)
{
    struct timespec from, to;
    struct child c = start_shell(script, -1, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL); /* for its trap */
    clock_gettime(CLOCK_MONOTONIC, &from);
    *status = child_wait(&c, &at_once);
    clock_gettime(CLOCK_MONOTONIC, &to);
    expect_no_children();
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

static void test_asked(void **state)
{
    (void)state;
    int status;
    assert_true(seconds_to_end("exec sleep 60", &status) < 1.5);
    assert_int_equal(status, 128 + SIGTERM);
    seconds_to_end("trap 'exit 5' TERM; while :; do sleep 0.05; done", &status);
    assert_int_equal(status, 5);
}

static void test_stubborn(void **state)
{
    (void)state;
    int status;
    double seconds = seconds_to_end("trap '' TERM; exec sleep 60", &status);
    assert_int_equal(status, 128 + SIGKILL);
    assert_true(seconds > 1.5 && seconds < 6);
}

/* A shell whose child has eight million bytes of its own: the tree has them, and all of it ends at once. */
static void test_tree(void **state)
{
    (void)state;
    int ends[2];
    char byte;
    uint64_t most = 0;
    assert_int_equal(pipe(ends), 0);
    struct child c =
        start_shell("sh -c 'x=$(head -c 8000000 /dev/zero | tr \\\\0 a); sleep 100; : $x'; :", ends[1], NULL);
    close(ends[1]);
    for (int i = 0; i < 4000 && most < 8000000; i++) {
        child_nap();
        most = process_tree_bytes(c.pid);
    }
    assert_true(most >= 8000000 && most < 200000000);
    process_tree_kill(c.pid);
    assert_int_equal(child_wait(&c, NULL), 128 + SIGKILL);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* the last process that could write has ended */
    close(ends[0]);
    assert_int_equal(process_tree_bytes(0x3fffffff), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status), cmocka_unit_test(test_streams),           cmocka_unit_test(test_no_program),
        cmocka_unit_test(test_asked),  cmocka_unit_test(test_ignored_by_parent), cmocka_unit_test(test_stubborn),
        cmocka_unit_test(test_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
