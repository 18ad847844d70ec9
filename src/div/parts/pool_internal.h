/* Between the files of the warp pool. */
#ifndef HEDDLE_DIV_PARTS_POOL_INTERNAL_H
#define HEDDLE_DIV_PARTS_POOL_INTERNAL_H

#include "div/parts/pool.h"

/* ---- pool.c ---- */

static inline int pool_slot_count(uint64_t slots)
{
    return bits_count((uint32_t)slots) + (slots >> 32 ? bits_count((uint32_t)(slots >> 32)) : 0);
}

uint64_t pool_slots_of(struct pool *p, const struct threads *t); /* that they take */

/* ---- pool_lut.c ---- */

void pool_lut_open(struct pool *p);
void pool_lut_close(struct pool *p);
int32_t pool_add_place(struct pool *p, int32_t pc, int32_t depth);

/* The place, made if it is new. */
static inline int32_t pool_place_of(struct pool *p, int32_t pc, int32_t depth)
{
    int32_t i = p->first_place[pc];
    while (i >= 0 && p->places.data[i].depth != depth)
        i = p->places.data[i].next;
    return i >= 0 ? i : pool_add_place(p, pc, depth);
}

/* The strand, if it has waited at the place since that entry. */
static inline struct strand *pool_waiting(struct pool *p, int32_t place, int32_t strand, uint32_t entry)
{
    if (strand < 0)
        return NULL;
    const struct pool_node *n = &p->nodes.data[strand];
    struct strand *s = n->strand;
    return s && n->entry == entry && n->place == place && !s->busy && !s->parked ? s : NULL;
}

/* The place's entry of the table; NULL: there is none, or the table has no limits. */
static inline struct pool_lut_entry *pool_lut_entry(struct pool *p, int32_t place)
{
    struct pool_lut_entry *set = p->lut ? &p->lut[p->places.data[place].set] : NULL;
    for (uint32_t i = 0; set && i < p->knobs.ways; i++)
        if (set[i].place == place)
            return &set[i];
    return NULL;
}

/* The strand that threads which come to the place are to join; NULL: none that the table knows. */
struct strand *pool_lut_find(struct pool *p, int32_t place, struct pool_lut_entry *entry);
/* The strand is to be joined from now on. The place may have an entry. */
void pool_lut_point(struct pool *p, int32_t place, const struct strand *s, struct pool_lut_entry *entry);

#endif
