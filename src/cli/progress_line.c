/* The line that counts runs: see progress_line.h. */
#include "cli/progress_line.h"

#include <stdio.h>
#include <unistd.h>

void progress_line_show(void *context, int done, int count)
{
    (void)context;
    fflush(stdout); /* the line must not stand amid a table */
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%d of %d runs done ", done, count);
}

void progress_line_clear(void)
{
    fflush(stdout);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}
