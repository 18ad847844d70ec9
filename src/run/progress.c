/* The progress line of a long launch: see progress.h. */
#include "run/progress.h"

#include "base/diag.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double patience_seconds = 1.0; /* a launch that ends sooner shows no line */
static const double redraw_seconds = 0.2;

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_start(struct progress *p, bool wants_line, const volatile sig_atomic_t *stop)
{
    double now = now_seconds();
    *p = (struct progress){.is_shown = wants_line && isatty(STDERR_FILENO),
                           .stop = stop,
                           .start_seconds = now,
                           .shown_seconds = now + patience_seconds - redraw_seconds};
}

/* Three digits and K, M, G or T. */
static void print_count(double value, struct text *out)
{
    static const char units[] = " KMGT";
    int unit = 0;
    while (value >= 999.5 && unit < 4) {
        value /= 1000;
        unit++;
    }
    text_printf(out, "%.*f", !unit || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value);
    if (unit)
        text_append(out, &units[unit], 1);
}

static void print_time(double seconds, struct text *out)
{
    if (seconds < 100)
        text_printf(out, "%.0f s", seconds);
    else if (seconds < 6000)
        text_printf(out, "%.0f min", seconds / 60);
    else
        text_printf(out, "%.1f h", seconds / 3600);
}

void progress_line(const struct gpu_progress *so_far, double seconds, struct text *out)
{
    print_count((double)so_far->cycle, out);
    text_printf(out, " cycles, ");
    print_count((double)so_far->warp_instructions, out);
    text_printf(out, " warp instructions (");
    print_count(seconds > 0 ? (double)so_far->warp_instructions / seconds : 0, out);
    text_printf(out, " per second), ");
    text_printf(out, "%llu of %llu blocks, ", (unsigned long long)so_far->blocks_done,
                (unsigned long long)so_far->blocks);
    print_time(seconds, out);
    /* The time left is estimated from the share of blocks that are done, as if all blocks took the same time. */
    if (so_far->blocks_done && so_far->blocks_done < so_far->blocks) {
        text_printf(out, ", about ");
        print_time(seconds * (double)(so_far->blocks - so_far->blocks_done) / (double)so_far->blocks_done, out);
        text_printf(out, " left");
    }
}

static void draw(struct progress *p, const struct gpu_progress *so_far, double now)
{
    struct text line = {0};
    progress_line(so_far, now - p->start_seconds, &line);
    fprintf(diag_stream(), "\r\033[K%s", line.data);
    fflush(stderr);
    text_free(&line);
    p->shown_seconds = now;
    p->is_drawn = true;
}

bool progress_report(struct progress *p, const struct gpu_progress *so_far)
{
    if (p->is_shown) {
        double now = now_seconds();
        if (now >= p->shown_seconds + redraw_seconds)
            draw(p, so_far, now);
    }
    return !p->stop || !*p->stop;
}

void progress_end(struct progress *p)
{
    if (!p->is_drawn)
        return;
    fputs("\r\033[K", diag_stream());
    fflush(stderr);
    p->is_drawn = false;
}
