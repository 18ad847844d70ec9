/*
 * Strands in an order, and which of them are ready: what most policies are made of.
 *
 * Each port has a line of places; a strand stands in its port's line by its key, from when it is added to when it is
 * removed, with gaps between strands so that one can come in between. Ready strands are bits by place, one set for all
 * and one for each class, so that the first of a stretch that fits is found by looking at words. When a line has no
 * gap where one is needed, its strands are spread anew.
 */
#ifndef HEDDLE_SCHED_PARTS_ORDER_H
#define HEDDLE_SCHED_PARTS_ORDER_H

#include "sched/sched.h"

/* Smaller is earlier; `minor` decides where `major` is equal. */
struct sched_key {
    uint64_t major, minor;
};

/* Whose turn it was: the strand may be gone, and its number another's. */
struct order_turn {
    struct sched_key key;
    int32_t id;
};

struct order_line {
    int places, words;  /* 64 places a word */
    int count;          /* strands in it */
    int16_t *id;        /* by place; -1: a gap */
    uint64_t *used;     /* bits by place */
    uint64_t *ready;    /* [pool][word]: bits by place */
    uint64_t *of_class; /* [class][word]: ready ones of that class */
};

struct sched_order {
    int ports, pools;
    struct strand *strand[SCHED_MAX_STRANDS]; /* by id; NULL: not in a line */
    struct sched_key key[SCHED_MAX_STRANDS];
    int16_t place[SCHED_MAX_STRANDS];
    int8_t port[SCHED_MAX_STRANDS];
    int8_t class[SCHED_MAX_STRANDS]; /* of a ready one; -1: not ready */
    uint8_t pool[SCHED_MAX_STRANDS]; /* of a ready one */
    struct order_line line[];
};

struct sched_order *order_create(const struct sched_setup *setup);
void order_destroy(struct sched_order *o);

void order_add(struct sched_order *o, struct strand *strand, struct sched_key key);
void order_remove(struct sched_order *o, const struct strand *strand);
/* To where this key belongs, if it is not there yet; not ready from then on. */
void order_move(struct sched_order *o, struct strand *strand, struct sched_key key);

static inline void order_unready(struct sched_order *o, const struct strand *strand)
{
    int id = strand->id, class = o->class[id];
    if (class < 0)
        return;
    struct order_line *l = &o->line[o->port[id]];
    unsigned place = (unsigned)o->place[id];
    uint64_t bit = UINT64_C(1) << place % 64;
    l->ready[(unsigned)(o->pool[id] * l->words) + place / 64] &= ~bit;
    l->of_class[(unsigned)(class * l->words) + place / 64] &= ~bit;
    o->class[id] = -1;
}

static inline void order_ready(struct sched_order *o, const struct strand *strand, int class)
{
    int id = strand->id;
    order_unready(o, strand);
    struct order_line *l = &o->line[o->port[id]];
    unsigned place = (unsigned)o->place[id];
    uint64_t bit = UINT64_C(1) << place % 64;
    o->pool[id] = strand->pool;
    l->ready[(unsigned)(strand->pool * l->words) + place / 64] |= bit;
    l->of_class[(unsigned)(class * l->words) + place / 64] |= bit;
    o->class[id] = (int8_t) class;
}

/* A minor key by which strands with more threads come first, and of equally many the oldest. */
static inline uint64_t order_fullest(const struct strand *strand)
{
    return (uint64_t)(64 - strand->size) << 56 | strand->birth;
}

/* It is there, ready, and fits. */
static inline bool order_fits(const struct sched_order *o, const struct strand *strand, const struct sched_ask *ask)
{
    int class = o->class[strand->id];
    return class >= 0 && !(ask->blocked >> class & 1) && sched_fits(strand, class, ask);
}

/* The first place of the port's line whose strand does not come before the key. */
int order_place(const struct sched_order *o, int port, struct sched_key key);
/* The first ready strand that fits, of places low .. high - 1; NULL: none. */
struct strand *order_first(const struct sched_order *o, int low, int high, const struct sched_ask *ask);
/* The same of the whole line. */
static inline struct strand *order_first_of_all(const struct sched_order *o, const struct sched_ask *ask)
{
    const struct order_line *l = &o->line[ask->port];
    if (l->words > 1)
        return order_first(o, 0, l->places, ask);
    uint64_t left = l->ready[ask->pool];
    for (uint32_t blocked = ask->blocked; blocked; blocked &= blocked - 1)
        left &= ~l->of_class[__builtin_ctz(blocked)];
    for (; left; left &= left - 1) {
        int id = l->id[__builtin_ctzll(left)];
        if (sched_fits(o->strand[id], o->class[id], ask))
            return o->strand[id];
    }
    return NULL;
}
/* The same among those of a lineage. */
struct strand *order_first_of_lineage(const struct sched_order *o, int32_t lineage, const struct sched_ask *ask);
/* The same, from behind the strand whose turn it was around to it. */
struct strand *order_around(const struct sched_order *o, struct order_turn last, const struct sched_ask *ask);

#endif
