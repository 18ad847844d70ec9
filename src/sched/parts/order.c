/* Strands in a fixed order (order.h): the lines of places, where a strand is put, and searches for a ready strand. */
#include "sched/parts/order.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/inline.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_PLACES = 64 };

static void open_line(struct order_line *l, int places, int pools)
{
    int words = places / 64;
    *l = (struct order_line){.places = places, .words = words};
    l->id = xmalloc(sizeof *l->id * (size_t)places);
    memset(l->id, -1, sizeof *l->id * (size_t)places);
    l->used = xcalloc((size_t)words, sizeof *l->used);
    l->ready = xcalloc((size_t)words * (size_t)pools, sizeof *l->ready);
    l->has_ready = xcalloc((size_t)pools, sizeof *l->has_ready);
    l->of_class = xcalloc((size_t)words * SCHED_MAX_CLASSES, sizeof *l->of_class);
}

static void close_line(struct order_line *l)
{
    free(l->id);
    free(l->used);
    free(l->ready);
    free(l->has_ready);
    free(l->of_class);
}

struct sched_order *order_create(const struct sched_setup *setup)
{
    struct sched_order *o = xcalloc(1, sizeof *o + (size_t)setup->ports * sizeof o->line[0]);
    o->ports = setup->ports;
    o->pools = sched_pools(setup);
    memset(o->class, -1, sizeof o->class);
    for (int i = 0; i < o->ports; i++)
        open_line(&o->line[i], LEAST_PLACES, o->pools);
    return o;
}

void order_destroy(struct sched_order *o)
{
    for (int i = 0; i < o->ports; i++)
        close_line(&o->line[i]);
    free(o);
}

static bool is_before(struct sched_key a, struct sched_key b)
{
    return a.major != b.major ? a.major < b.major : a.minor < b.minor;
}

/* The first place from `from` on that holds a strand; `places` if there is none. */
static int next_used(const struct order_line *l, int from)
{
    if (from >= l->places)
        return l->places;
    int word = from / 64, words = l->words;
    uint64_t left = l->used[word] & ~UINT64_C(0) << from % 64;
    while (!left && ++word < words)
        left = l->used[word];
    return left ? word * 64 + __builtin_ctzll(left) : l->places;
}

static int last_used(const struct order_line *l)
{
    for (int word = l->words - 1; word >= 0; word--)
        if (l->used[word])
            return word * 64 + 63 - __builtin_clzll(l->used[word]);
    return -1;
}

int order_place(const struct sched_order *o, int port, struct sched_key key)
{
    const struct order_line *l = &o->line[port];
    /* Invariant: strands below place `low` come before the key, strands from place `high` on do not. */
    int low = 0, high = l->places;
    while (low < high) {
        int middle = (low + high) / 2, used = next_used(l, middle);
        if (used >= high)
            high = middle;
        else if (is_before(o->key[l->id[used]], key))
            low = used + 1;
        else
            high = middle;
    }
    return next_used(l, low);
}

static void stand(struct sched_order *o, struct order_line *l, int16_t id, int place)
{
    l->id[place] = id;
    l->used[place / 64] |= UINT64_C(1) << place % 64;
    l->count++;
    o->place[id] = (int16_t)place;
}

/* Spreads the strands of a full line over a new one: at least one gap in front of each, and behind the last strand,
 * where most new ones go, half as many places as there are strands. Lines stay short: on most machines the warps of
 * a port fit in one 64-bit word. */
static void spread(struct sched_order *o, int port)
{
    struct order_line old = o->line[port], *l = &o->line[port];
    int places = LEAST_PLACES, at_end = old.count / 2;
    while (places < 2 * (old.count + 1) + at_end)
        places *= 2;
    open_line(l, places, o->pools);
    int gap = (places - at_end) / (old.count + 1), at = 0;
    for (int from = next_used(&old, 0); from < old.places; from = next_used(&old, from + 1)) {
        int16_t id = old.id[from];
        int8_t class = o->class[id];
        at += gap;
        stand(o, l, id, at);
        o->class[id] = -1;
        if (class >= 0)
            order_ready(o, o->strand[id], class);
    }
    close_line(&old);
}

/* A gap between the place `before` and the strand that precedes it; -1 if there is none. */
static int find_gap(const struct order_line *l, int before)
{
    if (before == l->places) {
        int last = last_used(l);
        return last + 1 < l->places ? last + 1 : -1;
    }
    int low = before - 1;
    while (low >= 0 && l->id[low] < 0)
        low--;
    return before - low > 1 ? (low + before) / 2 : -1;
}

/* A gap where a strand of this key belongs; -1 if there is none. Most new strands belong behind all others. */
static int find_place(const struct sched_order *o, int port, struct sched_key key)
{
    const struct order_line *l = &o->line[port];
    int last = last_used(l);
    bool is_last = last < 0 || is_before(o->key[l->id[last]], key);
    return find_gap(l, is_last ? l->places : order_place(o, port, key));
}

void order_add(struct sched_order *o, struct strand *strand, struct sched_key key)
{
    int16_t id = (int16_t)strand->id;
    int port = strand->lineage % o->ports;
    if (o->strand[id])
        panic("strand %d is added twice", id);
    int gap = find_place(o, port, key);
    if (gap < 0) {
        spread(o, port);
        gap = find_place(o, port, key);
    }
    o->strand[id] = strand;
    o->key[id] = key;
    o->class[id] = -1;
    o->port[id] = (int8_t)port;
    stand(o, &o->line[port], id, gap);
}

void order_remove(struct sched_order *o, const struct strand *strand)
{
    int id = strand->id, place = o->place[id];
    if (!o->strand[id])
        return;
    struct order_line *l = &o->line[o->port[id]];
    order_unready(o, strand);
    l->id[place] = -1;
    l->used[place / 64] &= ~(UINT64_C(1) << place % 64);
    l->count--;
    o->strand[id] = NULL;
}

void order_move(struct sched_order *o, struct strand *strand, struct sched_key key)
{
    int id = strand->id;
    if (o->strand[id] && o->key[id].major == key.major && o->key[id].minor == key.minor)
        return;
    order_remove(o, strand);
    order_add(o, strand, key);
}

/* The first ready strand that fits among the 64 places of a word, of those from `low` to `high` - 1. */
static ALWAYS_INLINE struct strand *first_in_word(const struct sched_order *o, const struct order_line *l, int word,
                                                  int low, int high, const struct sched_ask *ask)
{
    uint64_t left = l->ready[ask->pool * l->words + word];
    for (uint32_t blocked = ask->blocked; blocked; blocked &= blocked - 1)
        left &= ~l->of_class[__builtin_ctz(blocked) * l->words + word];
    if (low > word * 64)
        left &= ~UINT64_C(0) << low % 64;
    if (high < (word + 1) * 64)
        left &= (UINT64_C(1) << high % 64) - 1;
    for (; left; left &= left - 1) {
        int id = l->id[word * 64 + __builtin_ctzll(left)];
        if (sched_fits(o->strand[id], o->class[id], ask))
            return o->strand[id];
    }
    return NULL;
}

/* Lines of more words than a word has bits (only beyond 1,600 strands of one port) are searched word by word. */
struct strand *order_first(const struct sched_order *o, int low, int high, const struct sched_ask *ask)
{
    const struct order_line *l = &o->line[ask->port];
    const int words = (high + 63) / 64;
    struct strand *s;
    if (l->words > 64) {
        for (int word = low / 64; word < words; word++)
            if (l->ready[ask->pool * l->words + word] && (s = first_in_word(o, l, word, low, high, ask)))
                return s;
        return NULL;
    }
    uint64_t left = low / 64 < 64 ? l->has_ready[ask->pool] & ~UINT64_C(0) << low / 64 : 0;
    for (; left && __builtin_ctzll(left) < words; left &= left - 1)
        if ((s = first_in_word(o, l, __builtin_ctzll(left), low, high, ask)))
            return s;
    return NULL;
}

struct strand *order_first_of_lineage(const struct sched_order *o, int32_t lineage, const struct sched_ask *ask)
{
    const struct order_line *l = &o->line[ask->port];
    const uint64_t *ready = l->ready + ask->pool * l->words;
    for (int word = 0; word < l->words; word++)
        for (uint64_t left = ready[word]; left; left &= left - 1) {
            struct strand *s = o->strand[l->id[word * 64 + __builtin_ctzll(left)]];
            if (s->lineage == lineage && order_fits(o, s, ask))
                return s;
        }
    return NULL;
}

/* The first place behind the strand that issued last. That strand mostly still has its place. */
static int place_behind(const struct sched_order *o, int port, struct order_turn last)
{
    const struct sched_key *key = &o->key[last.id];
    if (o->strand[last.id] && key->major == last.key.major && key->minor == last.key.minor)
        return o->place[last.id] + 1;
    last.key.minor++;
    return order_place(o, port, last.key);
}

struct strand *order_around(const struct sched_order *o, struct order_turn last, const struct sched_ask *ask)
{
    int from = place_behind(o, ask->port, last);
    struct strand *s = order_first(o, from, o->line[ask->port].places, ask);
    return s ? s : order_first(o, 0, from, ask);
}
