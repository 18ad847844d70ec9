/*
 * Pace: whether the host threads of a launch are faster together than one alone.
 *
 * With little to do in a window, or on a host whose cores are busy, waiting for each other takes longer than the work.
 * So both ways are tried now and then, and the faster one is kept for a while. Only host time depends on it.
 */
#ifndef HEDDLE_GPU_PACE_H
#define HEDDLE_GPU_PACE_H

#include <stdbool.h>
#include <stdint.h>

enum pace_phase { PACE_TRIES_TOGETHER, PACE_TRIES_ALONE, PACE_KEEPS };

/* All zeros at first. Times are in seconds of the host. */
struct pace {
    enum pace_phase phase;
    int windows;                 /* of this phase so far */
    bool is_together;            /* in PACE_KEEPS */
    double kept_until;           /* likewise */
    uint64_t looked_at;          /* likewise: first cycle of the window behind which the host's time was asked for */
    double seconds[2], turns[2]; /* of the two trials */
};

/* A window of a trial. */
struct pace_window {
    int turns;      /* of multiprocessors */
    double seconds; /* that it took */
    double worked;  /* processor time of all threads in it, if they were together */
};

/* Whether the next window is one of a trial, of which pace_note() is to hear. */
static inline bool pace_is_trial(const struct pace *p)
{
    return p->phase != PACE_KEEPS;
}

/* Whether threads are to run the next window together. */
static inline bool pace_is_together(const struct pace *p)
{
    return p->phase == PACE_KEEPS ? p->is_together : p->phase == PACE_TRIES_TOGETHER;
}

/* Takes note of a window of a trial, which ended at host time `now`. */
void pace_note(struct pace *p, const struct pace_window *w, double now);
/* Takes note of a window that was none, and began with this cycle. Gives whether to call pace_look(), which takes the
 * host's time. */
bool pace_count(struct pace *p, uint64_t cycle);
void pace_look(struct pace *p, double now);

#endif
