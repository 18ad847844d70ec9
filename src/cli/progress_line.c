/* The line that counts runs: see progress_line.h. */
#include "cli/progress_line.h"

#include "base/diag.h"

#include <stdio.h>
#include <unistd.h>

void progress_line_show(void *context, int done, int count)
{
    (void)context;
    if (isatty(STDERR_FILENO))
        fprintf(diag_stream(), "\r%d of %d runs done ", done, count);
}

void progress_line_clear(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(diag_stream(), "\r\033[K");
}
