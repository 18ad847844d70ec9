/* Whether host threads are faster together: see pace.h. */
#include "gpu/pace.h"

/* A trial is this many windows, or, if they are long, fewer. The faster way is kept for a while; whether that time is
 * over is asked after so many windows or core cycles. */
enum { TRIED_WINDOWS = 64, LEAST_TRIED_WINDOWS = 5, WINDOWS_PER_LOOK = 64, CYCLES_PER_LOOK = 16384 };

static const double most_tried_seconds = 1e-3, least_kept_seconds = 0.1;
/* In a window of this length or more, what threads lose by meeting at its end does not matter. */
static const double long_window_seconds = 2e-4;
/* By how much the work of a window must exceed its time for a clear gain. */
static const double clear_gain = 1.2;

static void enter(struct pace *p, enum pace_phase phase, double now)
{
    p->phase = phase;
    p->windows = 0;
    p->kept_until = now + least_kept_seconds;
    if (phase != PACE_KEEPS)
        p->seconds[phase] = p->turns[phase] = 0;
}

static void keep(struct pace *p, bool is_together, double now)
{
    enter(p, PACE_KEEPS, now);
    p->is_together = is_together;
}

/* Time per turn decides. */
static bool was_faster_together(const struct pace *p)
{
    return p->seconds[PACE_TRIES_TOGETHER] * p->turns[PACE_TRIES_ALONE] <
           p->seconds[PACE_TRIES_ALONE] * p->turns[PACE_TRIES_TOGETHER];
}

/* The first window is left out: threads may have to be woken. A long window in which threads have clearly worked side
 * by side needs no trial of the other way. One that is long because threads waited does. */
void pace_note(struct pace *p, const struct pace_window *w, double now)
{
    if (!p->windows++)
        return;
    p->seconds[p->phase] += w->seconds;
    p->turns[p->phase] += w->turns;
    if (p->phase == PACE_TRIES_TOGETHER && w->seconds > long_window_seconds && w->worked > clear_gain * w->seconds) {
        keep(p, true, now);
        return;
    }
    const bool is_long = p->windows >= LEAST_TRIED_WINDOWS && p->seconds[p->phase] > most_tried_seconds;
    if (p->windows <= TRIED_WINDOWS && !is_long)
        return;
    if (p->phase == PACE_TRIES_TOGETHER)
        enter(p, PACE_TRIES_ALONE, now);
    else
        keep(p, was_faster_together(p), now);
}

bool pace_count(struct pace *p, uint64_t cycle)
{
    if (++p->windows % WINDOWS_PER_LOOK && cycle - p->looked_at < CYCLES_PER_LOOK)
        return false;
    p->looked_at = cycle;
    return true;
}

void pace_look(struct pace *p, double now)
{
    if (now > p->kept_until)
        enter(p, PACE_TRIES_TOGETHER, now);
}
