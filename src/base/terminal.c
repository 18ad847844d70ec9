/* What the terminal can show: see terminal.h. */
#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int clamp(long columns)
{
    return columns < TERMINAL_LEAST ? TERMINAL_LEAST : columns > TERMINAL_MOST ? TERMINAL_MOST : (int)columns;
}

int terminal_columns(void)
{
    const char *words = getenv("COLUMNS");
    char *end;
    long columns = words ? strtol(words, &end, 10) : 0;
    if (columns > 0 && !*end)
        return clamp(columns);
    struct winsize size;
    if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
        return clamp(size.ws_col);
    return TERMINAL_COLUMNS;
}

int terminal_columns_at(int fd)
{
    const char *words = getenv("COLUMNS");
    struct winsize size;
    if (!isatty(fd))
        return 0;
    int columns = words ? atoi(words) : 0;
    if (columns <= 0 && !ioctl(fd, TIOCGWINSZ, &size))
        columns = size.ws_col;
    return columns > 0 ? clamp(columns) : TERMINAL_COLUMNS;
}

int terminal_text_columns(void)
{
    int columns = terminal_columns();
    return columns < TERMINAL_TEXT_MOST ? columns : TERMINAL_TEXT_MOST;
}

bool terminal_has_colour(int fd)
{
    const char *no_colour = getenv("NO_COLOR"), *kind = getenv("TERM");
    return isatty(fd) && !(no_colour && *no_colour) && !(kind && !strcmp(kind, "dumb"));
}
