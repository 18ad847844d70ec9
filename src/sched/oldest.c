/* oldest: the ready strand of the block that was launched first; within a block, the one that was made first.
 */
#include "base/arena.h"
#include "sched/age.h"

#include <stdlib.h>

struct sched {
    struct age *age;
};

static struct sched *oldest_create(int ports)
{
    struct sched *s = xcalloc(1, sizeof *s);
    s->age = age_create(ports);
    return s;
}

static void oldest_destroy(struct sched *s)
{
    free(s->age);
    free(s);
}

static void oldest_ready(struct sched *s, struct strand *strand)
{
    age_add(s->age, strand, (struct age_key){strand->block_age, strand->birth});
}

static void oldest_unready(struct sched *s, struct strand *strand)
{
    age_remove(s->age, strand);
}

static struct strand *oldest_pick(struct sched *s, int port, const uint64_t *reject, uint64_t now)
{
    (void)now;
    return age_pick(s->age, port, reject);
}

static void oldest_issued(struct sched *s, int port, struct strand *strand, uint64_t now)
{
    (void)s, (void)port, (void)strand, (void)now;
}

const struct sched_ops sched_oldest = {
    .name = "oldest",
    .summary = "the oldest strand of the oldest block",
    .source = "block priority AGE of Fung and Aamodt, HPCA 2011",
    .create = oldest_create,
    .destroy = oldest_destroy,
    .ready = oldest_ready,
    .unready = oldest_unready,
    .pick = oldest_pick,
    .issued = oldest_issued,
    .removed = oldest_unready,
};
