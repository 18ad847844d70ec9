/* The width of what is printed, and colours: from the environment, from a terminal, and without either. */
#define _GNU_SOURCE
#include "base/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

static int columns_of(const char *variable)
{
    setenv("COLUMNS", variable, 1);
    int columns = terminal_columns();
    unsetenv("COLUMNS");
    return columns;
}

/* Puts a file descriptor in the place of stdout; returns the old one. */
static int swap_stdout(int fd)
{
    fflush(stdout);
    int old = dup(STDOUT_FILENO);
    assert_true(old >= 0 && dup2(fd, STDOUT_FILENO) >= 0);
    return old;
}

static void restore_stdout(int old)
{
    assert_true(dup2(old, STDOUT_FILENO) >= 0);
    close(old);
}

static void test_environment(void **state)
{
    (void)state;
    int file = open("/dev/null", O_WRONLY), old = swap_stdout(file);
    int set = columns_of("80"), narrow = columns_of("3"), wide = columns_of("999999"), empty = columns_of(""),
        words = columns_of("80x"), negative = columns_of("-5"), without = terminal_columns();
    setenv("COLUMNS", "250", 1);
    int text = terminal_text_columns();
    setenv("COLUMNS", "80", 1);
    int narrow_text = terminal_text_columns();
    unsetenv("COLUMNS");
    restore_stdout(old);
    close(file);
    assert_int_equal(set, 80);
    assert_int_equal(narrow, TERMINAL_LEAST);
    assert_int_equal(wide, TERMINAL_MOST);
    assert_int_equal(empty, TERMINAL_COLUMNS);
    assert_int_equal(words, TERMINAL_COLUMNS);
    assert_int_equal(negative, TERMINAL_COLUMNS);
    assert_int_equal(without, TERMINAL_COLUMNS);
    assert_int_equal(text, TERMINAL_TEXT_MOST);
    assert_int_equal(narrow_text, 80);
}

static void test_terminal(void **state)
{
    (void)state;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
    int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0);
    struct winsize size = {.ws_col = 73, .ws_row = 20};
    assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
    int old = swap_stdout(terminal);
    int columns = terminal_columns(), overruled = columns_of("90");
    size.ws_col = 0;
    ioctl(terminal, TIOCSWINSZ, &size);
    int unknown = terminal_columns();
    restore_stdout(old);
    assert_int_equal(columns, 73);
    assert_int_equal(overruled, 90);
    assert_int_equal(unknown, TERMINAL_COLUMNS);

    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    assert_true(terminal_has_colour(terminal));
    setenv("NO_COLOR", "", 1);
    assert_true(terminal_has_colour(terminal));
    setenv("NO_COLOR", "1", 1);
    assert_false(terminal_has_colour(terminal));
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    assert_false(terminal_has_colour(terminal));
    setenv("TERM", "xterm", 1);
    int file = open("/dev/null", O_WRONLY);
    assert_false(terminal_has_colour(file));
    close(file);
    close(terminal);
    close(master);
}

int main(void)
{
    unsetenv("COLUMNS");
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_environment), cmocka_unit_test(test_terminal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
