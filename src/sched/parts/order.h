/*
 * Strands in a fixed order, with bits for the ready ones: the part that most schedulers are made of.
 *
 * Each port has a line of places for each pool. From `add` to `remove` a strand has a place in a line of its port, in
 * order of its key: while the strand is ready, in the line of its pool. There are gaps between strands, so that a
 * strand can be put between two others. Ready strands are bits by place, in one set for all and one per class; a
 * search for the first strand that fits looks at 64 places at once. A new strand mostly belongs where the last one of
 * its warp was, or behind the last one of its block. So the place of that strand is kept, with its key, when the strand
 * leaves, and the new strand takes it without a search if it belongs there. When there is no gap where one is needed,
 * neighbours step aside if a place without a strand is near, and else the strands of the line are spread out anew.
 */
#ifndef HEDDLE_SCHED_PARTS_ORDER_H
#define HEDDLE_SCHED_PARTS_ORDER_H

#include "sched/sched.h"

/* Smaller comes first; `minor` decides where `major` is equal. */
struct sched_key {
    uint64_t major, minor;
};

/* A strand that issued, by key and id. The strand may be gone since, and its id another strand's. */
struct order_turn {
    struct sched_key key;
    int32_t id;
};

/* 64 places of a line, one bit each. */
struct order_word {
    uint64_t used;                        /* a strand stands there, or the place is kept */
    uint64_t ready;                       /* the strand there is ready */
    uint64_t of_class[SCHED_MAX_CLASSES]; /* [class] the strand there is ready and of the class */
};

struct order_line {
    int places, words;       /* places in the line; words for one bit per place */
    int count;               /* strands in the line */
    int16_t *id;             /* [place] strand; -1: none */
    struct sched_key *key;   /* [place] of the strand, or of the one for which the place is kept */
    int16_t *newest;         /* [group of a key, order.c] the place that the last strand of the group got */
    uint64_t has_ready;      /* bits by word: some strand there is ready; of no use if there are more than 64 words */
    struct order_word *word; /* [place / 64] */
};

/* What the order knows of a strand. */
struct order_entry {
    struct strand *strand; /* NULL: not in a line */
    struct sched_key key;
    struct order_line *line;
    struct order_word *word; /* the word of its place */
    int16_t place;           /* place in the line */
    int16_t class;           /* class of a ready strand; -1: not ready */
    uint8_t pool;            /* pool of the line */
    uint64_t bit;            /* of the place, in its word */
    uint64_t word_bit;       /* of the word, in has_ready; 0 if there are more than 64 words */
};

struct sched_order {
    int ports, pools;
    int capacity;             /* entries in `at` */
    struct order_entry *at;   /* [id] */
    struct order_line line[]; /* [port][pool] */
};
_Static_assert(sizeof(struct order_entry) == 64, "indexing by id is a shift");

struct sched_order *order_create(const struct sched_setup *setup);
void order_destroy(struct sched_order *o);

void order_add(struct sched_order *o, struct strand *strand, struct sched_key key);
void order_remove(struct sched_order *o, const struct strand *strand);
/* Moves the strand to the place of this key, unless it has this key already. A strand that moves is not ready. */
void order_move(struct sched_order *o, struct strand *strand, struct sched_key key);

/* Puts a strand that is not ready in the line of its pool, which is not the line that it has. */
void order_change_line(struct sched_order *o, struct strand *strand);

/* The line that the request searches. */
static inline const struct order_line *order_line_asked(const struct sched_order *o, const struct sched_ask *ask)
{
    return &o->line[ask->port * o->pools + ask->pool];
}

/* The strand at a place of a line; there must be one. */
static inline const struct order_entry *order_at(const struct sched_order *o, const struct order_line *l, int place)
{
    return &o->at[l->id[place]];
}

/* Bits of the ready strands in a word whose class is not blocked. */
static inline uint64_t order_ready_places(const struct order_word *word, uint32_t blocked)
{
    uint64_t left = word->ready;
    for (uint32_t rest = left ? blocked : 0; rest; rest &= rest - 1)
        left &= ~word->of_class[__builtin_ctz(rest)];
    return left;
}

/* Clears the bits of a ready strand. */
static inline void order_clear(struct order_entry *e)
{
    e->word->of_class[e->class] &= ~e->bit;
    if (!(e->word->ready &= ~e->bit))
        e->line->has_ready &= ~e->word_bit;
    e->class = -1;
}

/* Sets the bits of a strand that is not ready, in the line that it has. */
static inline void order_set(struct order_entry *e, int class)
{
    e->word->ready |= e->bit;
    e->word->of_class[class] |= e->bit;
    e->line->has_ready |= e->word_bit;
    e->class = (int16_t) class;
}

/* A ready strand becomes one of another class. */
static inline void order_change(struct order_entry *e, int class)
{
    e->word->of_class[e->class] &= ~e->bit;
    e->word->of_class[class] |= e->bit;
    e->class = (int16_t) class;
}

static inline void order_unready(struct sched_order *o, const struct strand *strand)
{
    struct order_entry *e = &o->at[strand->id];
    if (e->class >= 0)
        order_clear(e);
}

/* Sets the bits of a strand that is not ready, in the line of its pool. */
static inline void order_enter(struct sched_order *o, struct strand *strand, int class)
{
    if (__builtin_expect(o->at[strand->id].pool != strand->pool, 0))
        order_change_line(o, strand);
    order_set(&o->at[strand->id], class);
}

static inline void order_ready(struct sched_order *o, struct strand *strand, int class)
{
    order_unready(o, strand);
    order_enter(o, strand, class);
}

enum { ORDER_BIRTH_BITS = 40 };

/* The key of age: strands of older blocks first, then those of older warps, then those made first. A strand that a
 * mechanism makes anew (a compacted warp, the other side of a branch) is as old as the warp whose place it has:
 * GPGPU-Sim numbers warps when their block starts, and a warp keeps its number until the block ends. */
static inline struct sched_key order_age(const struct strand *strand)
{
    uint64_t birth = strand->birth & ((UINT64_C(1) << ORDER_BIRTH_BITS) - 1);
    return (struct sched_key){strand->block_age, (uint64_t)strand->age_rank << ORDER_BIRTH_BITS | birth};
}

/* A minor key by which strands with more threads come first; among strands of one size, the oldest. */
static inline uint64_t order_fullest(const struct strand *strand)
{
    return (uint64_t)(64 - strand->size) << 56 | strand->birth;
}

/* Whether the strand with this id, which is in a line, is ready and satisfies the request. */
static inline bool order_fits(const struct sched_order *o, int32_t id, const struct sched_ask *ask)
{
    const struct order_entry *e = &o->at[id];
    return e->class >= 0 && !(ask->blocked >> e->class & 1) && sched_fits(e->strand, e->class, ask);
}

/* The first place of the line that is asked for whose strand does not come before the key. */
int order_place(const struct sched_order *o, const struct sched_ask *ask, struct sched_key key);
/* The first ready strand at places low to high - 1 of the line that is asked for that fits; NULL: none. */
struct strand *order_first(const struct sched_order *o, int low, int high, const struct sched_ask *ask);
/* The first ready strand of the whole line that fits; NULL: none. */
static inline struct strand *order_first_of_all(const struct sched_order *o, const struct sched_ask *ask)
{
    const struct order_line *l = order_line_asked(o, ask);
    if (l->words > 1)
        return order_first(o, 0, l->places, ask);
    for (uint64_t left = order_ready_places(l->word, ask->blocked); left; left &= left - 1) {
        const struct order_entry *e = order_at(o, l, __builtin_ctzll(left));
        if (sched_fits(e->strand, e->class, ask))
            return e->strand;
    }
    return NULL;
}
/* The first ready strand of the lineage that fits; NULL: none. */
struct strand *order_first_of_lineage(const struct sched_order *o, int32_t lineage, const struct sched_ask *ask);

/* ---- greed: the strand that issued last goes first ---- */

struct order_last {
    struct strand *strand; /* the strand that issued last; NULL: none yet, or it is gone */
    int32_t id;            /* its id */
    int32_t lineage;       /* its lineage; -1: none yet */
};

struct order_greed {
    struct sched_order *order;
    /* [lineage modulo SCHED_MAX_STRANDS] number of strands; lineages that share an index are counted together */
    uint16_t lineage_count[SCHED_MAX_STRANDS];
    int sharers;              /* strands that were added when lineage_count had one for their index already */
    struct order_last last[]; /* [port][pool] */
};

/* Whether a strand other than the last one may be of its lineage. */
static inline bool order_last_has_siblings(const struct order_greed *g, const struct order_last *last)
{
    return last->lineage >= 0 && g->lineage_count[(uint32_t)last->lineage % SCHED_MAX_STRANDS] > (last->strand ? 1 : 0);
}

/* The strand that issued last, if it fits; else one of its lineage; else the first of the line that fits. NULL: none
 * does. Where the line is that of a slice, a lineage has one strand in it. */
struct strand *order_pick_greedily(const struct order_greed *g, const struct sched_ask *ask);

/* order_pick_greedily() where strands take all lanes (sched_ask.is_whole), and there is one pool, when the strand that
 * issued last does not fit. */
struct strand *order_pick_other(const struct order_greed *g, int port, uint32_t blocked);

/* order_pick_greedily() where strands take all lanes, and there is one pool. Inline are the common cases: the strand
 * that issued last fits, or no other is of its lineage, and the line has one word. */
static inline struct strand *order_pick_whole(const struct order_greed *g, int port, uint32_t blocked)
{
    const struct order_last *last = &g->last[port];
    const struct order_line *l = &g->order->line[port];
    if (last->strand) {
        const int class = g->order->at[last->id].class;
        if (class >= 0 && !(blocked >> class & 1))
            return last->strand;
    }
    const bool may_have_siblings = g->sharers || !last->strand;
    if (__builtin_expect(l->words > 1 || (may_have_siblings && order_last_has_siblings(g, last)), 0))
        return order_pick_other(g, port, blocked);
    const uint64_t left = order_ready_places(l->word, blocked);
    return left ? order_at(g->order, l, __builtin_ctzll(left))->strand : NULL;
}

/* order_pick_greedily() for the pool of a slice or a lane, where every ready strand whose class is not blocked fits.
 * `at`: the number of the port and pool in g->last, and of their line. */
static inline struct strand *order_pick_in_pool(const struct order_greed *g, int at, uint32_t blocked)
{
    const struct order_line *l = &g->order->line[at];
    const struct order_last *last = &g->last[at];
    const struct order_entry *e = &g->order->at[last->id];
    if (last->strand && e->line == l && e->class >= 0 && !(blocked >> e->class & 1))
        return last->strand;
    for (int word = 0; word < l->words; word++) {
        const uint64_t left = order_ready_places(&l->word[word], blocked);
        if (left)
            return order_at(g->order, l, word * 64 + __builtin_ctzll(left))->strand;
    }
    return NULL;
}

/* The strand issues; it was picked for this port and pool, which together have the number `at` in g->last. */
static inline void order_note_last(struct order_greed *g, int at, struct strand *strand)
{
    g->last[at] = (struct order_last){strand, strand->id, strand->lineage};
}
/* The first ready strand that fits, searching from behind the strand that issued last to the end of the line, then
 * from its beginning; NULL: none. */
struct strand *order_around(const struct sched_order *o, struct order_turn last, const struct sched_ask *ask);

#endif
