/* Strands by block, with loose round-robin inside each block (block_turns.h). The caller says which block comes
 * first. */
#include "sched/parts/block_turns.h"

#include "base/arena.h"
#include "base/diag.h"

#include <stdlib.h>

enum { BIRTH_BITS = 40 }; /* low bits of the minor key: order of birth among strands of one lineage */

static struct sched_key key_of(const struct sched *s, const struct strand *strand)
{
    uint64_t number = s->by_age ? strand->block_age : (uint64_t)strand->block;
    uint64_t birth = strand->birth & ((UINT64_C(1) << BIRTH_BITS) - 1);
    return (struct sched_key){number, (uint64_t)strand->lineage << BIRTH_BITS | birth};
}

struct sched *block_turns_create(const struct sched_setup *setup, bool by_age)
{
    struct sched *s = xcalloc(1, sizeof *s + (size_t)setup->ports * sizeof s->turn[0]);
    s->order = order_create(setup);
    s->by_age = by_age;
    s->block = xcalloc((size_t)setup->ports, sizeof *s->block);
    return s;
}

void block_turns_destroy(struct sched *s)
{
    order_destroy(s->order);
    free(s->block);
    free(s);
}

void block_turns_added(struct sched *s, struct strand *strand)
{
    if (strand->block < 0 || strand->block >= TURNS_MAX_BLOCKS)
        panic("a strand of block %d, where there are %d", (int)strand->block, TURNS_MAX_BLOCKS);
    if (strand->block >= s->places)
        s->places = strand->block + 1;
    order_add(s->order, strand, key_of(s, strand));
}

void block_turns_removed(struct sched *s, struct strand *strand)
{
    order_remove(s->order, strand);
}

void block_turns_ready(struct sched *s, struct strand *strand, int class)
{
    order_ready(s->order, strand, class);
}

void block_turns_unready(struct sched *s, struct strand *strand)
{
    order_unready(s->order, strand);
}

void block_turns_issued(struct sched *s, int port, struct strand *strand, uint64_t now)
{
    (void)now;
    uint64_t key = s->order->at[strand->id].key.minor;
    s->block[port] = strand->block;
    s->turn[port][strand->block] = (struct turn){strand->block_age, key + 1};
}

struct strand *block_turns_pick(struct sched *s, uint64_t first, const struct sched_ask *ask)
{
    const struct sched_order *o = s->order;
    int places = order_line_asked(o, ask)->places, from = order_place(o, ask, (struct sched_key){first, 0});
    struct strand *found = order_first(o, from, places, ask);
    if (!found)
        found = order_first(o, 0, from, ask);
    if (!found)
        return NULL;
    /* The block of the strand found has its turn. Within the block, the first strand behind the one that issued
     * last goes. */
    const struct turn *turn = &s->turn[ask->port][found->block];
    uint64_t number = o->at[found->id].key.major;
    if (turn->age != found->block_age)
        return found;
    int behind = order_place(o, ask, (struct sched_key){number, turn->next});
    int end = order_place(o, ask, (struct sched_key){number + 1, 0});
    struct strand *next = order_first(o, behind, end, ask);
    return next ? next : found;
}
