/* Temporary files and folders: where they lie, what they hold, and what is said, and left, when they cannot be made. */
#define _GNU_SOURCE
#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Each test has a folder of its own as TMPDIR. */
static int open_folder(void **state)
{
    char *error = NULL, *folder;
    unsetenv("TMPDIR");
    folder = temporary_folder(&error);
    *state = folder;
    return !folder || setenv("TMPDIR", folder, 1);
}

static int close_folder(void **state)
{
    char *folder = *state;
    int is_left = rmdir(folder);
    free(folder);
    return is_left;
}

static int count_entries(const char *folder)
{
    int count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        count += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(dir);
    return count;
}

static void test_file(void **state)
{
    const char *folder = *state;
    char *error = NULL, got[16] = "";
    char *one = temporary_file("seven", 5, &error), *two = temporary_file("", 0, &error);
    struct stat s;
    assert_non_null(one);
    assert_non_null(two);
    assert_string_not_equal(one, two);
    assert_int_equal(strncmp(one, folder, strlen(folder)), 0);
    assert_int_equal(stat(one, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    FILE *file = fopen(one, "r");
    assert_non_null(file);
    assert_int_equal(fread(got, 1, sizeof got, file), 5);
    assert_string_equal(got, "seven");
    fclose(file);
    assert_int_equal(count_entries(folder), 2);
    temporary_remove(one);
    temporary_remove(two);
    temporary_remove(NULL);
    assert_int_equal(count_entries(folder), 0);
}

static void test_folder(void **state)
{
    char *error = NULL, *folder = temporary_folder(&error);
    struct stat s;
    assert_non_null(folder);
    assert_int_equal(stat(folder, &s), 0);
    assert_true(S_ISDIR(s.st_mode));
    assert_int_equal(s.st_mode & 0777, 0700);
    temporary_remove(folder);
    assert_int_equal(count_entries(*state), 0);
}

static void test_without_tmpdir(void **state)
{
    (void)state;
    for (int is_empty = 0; is_empty < 2; is_empty++) {
        char *error = NULL;
        if (is_empty)
            setenv("TMPDIR", "", 1);
        else
            unsetenv("TMPDIR");
        char *path = temporary_file("", 0, &error);
        assert_non_null(path);
        assert_int_equal(strncmp(path, "/tmp/heddle.", 12), 0);
        temporary_remove(path);
    }
}

static void expect_refusal(char *path, char *error, const char *what, const char *why)
{
    assert_null(path);
    assert_non_null(error);
    if (!strstr(error, what) || !strstr(error, why) || !strstr(error, "TMPDIR") || strlen(error) > 400)
        fail_msg("'%s' should say '%s' and '%s'", error, what, why);
    free(error);
}

static void expect_no_room(const char *tmpdir, int reason)
{
    char *error = NULL, *path;
    setenv("TMPDIR", tmpdir, 1);
    path = temporary_file("", 0, &error);
    expect_refusal(path, error, "cannot make a temporary file in ", strerror(reason));
    path = temporary_folder(&error);
    expect_refusal(path, error, "cannot make a temporary folder in ", strerror(reason));
}

static void test_no_such_folder(void **state)
{
    char missing[512], *file, *error = NULL;
    snprintf(missing, sizeof missing, "%s/nowhere", (char *)*state);
    expect_no_room(missing, ENOENT);
    assert_int_equal(count_entries(*state), 0);
    setenv("TMPDIR", *state, 1);
    file = temporary_file("", 0, &error);
    expect_no_room(file, ENOTDIR);
    temporary_remove(file);
}

static void test_name_too_long(void **state)
{
    (void)state;
    static char name[5000];
    memset(name, 'x', sizeof name - 1);
    expect_no_room(name, ENAMETOOLONG);
}

/* A limit on the size of files stands for a full disk: the first bytes can be written, the rest cannot. */
static void test_full_disk(void **state)
{
    static char bytes[10000];
    char *error = NULL;
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    char *path = temporary_file(bytes, sizeof bytes, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    expect_refusal(path, error, "cannot write a temporary file in ", strerror(EFBIG));
    assert_int_equal(count_entries(*state), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_file, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_folder, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_without_tmpdir, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_no_such_folder, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_name_too_long, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_full_disk, open_folder, close_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
