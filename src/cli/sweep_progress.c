/* How far a sweep is: see sweep_progress.h. */
#include "cli/sweep_progress.h"

#include "base/diag.h"
#include "base/text.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double pause_seconds = 0.2; /* between two lines */

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void sweep_progress_begin(struct sweep_progress *p, const struct trial *trials)
{
    *p = (struct sweep_progress){.trials = trials, .began = now_seconds()};
}

void sweep_progress_print_time(double seconds, struct text *out)
{
    static const struct {
        const char *name;
        long seconds;
    } units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
    enum { UNITS = sizeof units / sizeof *units };
    long whole = (long)(seconds + 0.5);
    int unit = 0;
    while (unit + 1 < UNITS && whole < units[unit].seconds)
        unit++;
    text_printf(out, "%ld %s", whole / units[unit].seconds, units[unit].name);
    whole %= units[unit].seconds;
    if (unit + 1 < UNITS && whole / units[unit + 1].seconds)
        text_printf(out, " %ld %s", whole / units[unit + 1].seconds, units[unit + 1].name);
}

void sweep_progress_show(void *context, int done, int count)
{
    struct sweep_progress *p = context;
    double now = now_seconds();
    int failed = 0, ran = 0;
    if (!isatty(STDERR_FILENO) || (now - p->shown < pause_seconds && done < count))
        return;
    p->shown = now;
    for (int i = 0; i < count; i++) {
        failed += p->trials[i].has_failed;
        ran += p->trials[i].status != TRIAL_NOT_RUN && !p->trials[i].was_stored;
    }
    struct text line = {0};
    text_printf(&line, "\r\033[K%d of %d runs done", done, count);
    if (failed)
        text_printf(&line, ", %d failed", failed);
    if (ran && done < count) {
        text_printf(&line, ", about ");
        sweep_progress_print_time((now - p->began) / ran * (count - done), &line);
        text_printf(&line, " left");
    }
    fprintf(diag_stream(), "%s ", line.data);
    text_free(&line);
}
