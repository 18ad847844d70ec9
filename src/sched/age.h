/*
 * Ready strands by age: bits by id, ages in an array by id, and the oldest of each word of bits, found anew
 * only when it left. For policies that pick the oldest.
 */
#ifndef HEDDLE_SCHED_AGE_H
#define HEDDLE_SCHED_AGE_H

#include "sched/sched.h"

/* Smaller is older; `minor` decides where `major` is equal. */
struct age_key {
    uint64_t major, minor;
};

struct age_port {
    uint64_t ready[SCHED_MAX_STRANDS / 64];
    int16_t oldest[SCHED_MAX_STRANDS / 64]; /* id + 1 in each word; 0: to be found */
    int words;                              /* that were ever used */
};

struct age {
    int ports;
    struct strand *strand[SCHED_MAX_STRANDS];
    struct age_key key[SCHED_MAX_STRANDS];
    int16_t port_of[SCHED_MAX_STRANDS]; /* port + 1 of a ready strand; 0: not ready */
    struct age_port port[];
};

struct age *age_create(int ports);
/* Both do nothing where nothing changes. */
void age_add(struct age *a, struct strand *strand, struct age_key key);
void age_remove(struct age *a, const struct strand *strand);
struct strand *age_pick(struct age *a, int port, const uint64_t *reject);

#endif
