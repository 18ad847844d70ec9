/* Strands in a fixed order (order.h): the lines of places, where a strand is put, and searches for a ready strand. */
#include "sched/parts/order.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/inline.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_PLACES = 64, MOST_STEPS = 16, WARP_GROUPS = 64, BLOCK_GROUPS = 8 };

static void open_line(struct order_line *l, int places)
{
    int words = places / 64;
    *l = (struct order_line){.places = places, .words = words};
    l->id = xmalloc(sizeof *l->id * (size_t)places);
    memset(l->id, -1, sizeof *l->id * (size_t)places);
    l->key = xmalloc(sizeof *l->key * (size_t)places);
    l->newest = xcalloc(WARP_GROUPS + BLOCK_GROUPS, sizeof *l->newest);
    l->word = xcalloc((size_t)words, sizeof *l->word);
}

static void close_line(struct order_line *l)
{
    free(l->id);
    free(l->key);
    free(l->newest);
    free(l->word);
}

struct sched_order *order_create(const struct sched_setup *setup)
{
    int pools = sched_pools(setup), lines = setup->ports * pools;
    struct sched_order *o = xcalloc(1, sizeof *o + (size_t)lines * sizeof o->line[0]);
    o->ports = setup->ports;
    o->pools = pools;
    for (int i = 0; i < lines; i++)
        open_line(&o->line[i], LEAST_PLACES);
    return o;
}

void order_destroy(struct sched_order *o)
{
    for (int i = 0; i < o->ports * o->pools; i++)
        close_line(&o->line[i]);
    free(o->at);
    free(o);
}

static bool is_before(struct sched_key a, struct sched_key b)
{
    return a.major != b.major ? a.major < b.major : a.minor < b.minor;
}

/* The first place from `from` on that is used; `places` if there is none. */
static int next_used(const struct order_line *l, int from)
{
    if (from >= l->places)
        return l->places;
    unsigned word = (unsigned)from / 64, words = (unsigned)l->words;
    uint64_t left = l->word[word].used & ~UINT64_C(0) << (from & 63);
    while (!left && ++word < words)
        left = l->word[word].used;
    return left ? (int)word * 64 + __builtin_ctzll(left) : l->places;
}

/* The last place before `end` that is used; -1 if there is none. */
static int last_used(const struct order_line *l, int end)
{
    if (end <= 0)
        return -1;
    unsigned word = (unsigned)(end - 1) / 64;
    uint64_t left = l->word[word].used & ~UINT64_C(0) >> (-end & 63);
    while (!left && word > 0)
        left = l->word[--word].used;
    return left ? (int)word * 64 + 63 - __builtin_clzll(left) : -1;
}

/* The first used place of the line that does not come before the key. */
static int place_in(const struct order_line *l, struct sched_key key)
{
    /* Invariant: used places below place `low` come before the key, those from place `high` on do not. */
    int low = 0, high = l->places;
    while (low < high) {
        const int middle = (low + high) / 2, used = next_used(l, middle);
        const bool comes_before = used < high && is_before(l->key[used], key);
        low = comes_before ? used + 1 : low; /* no branch on keys: the host could not predict it */
        high = comes_before ? high : middle;
    }
    return next_used(l, low);
}

int order_place(const struct sched_order *o, const struct sched_ask *ask, struct sched_key key)
{
    return place_in(order_line_asked(o, ask), key);
}

static void stand(struct sched_order *o, struct order_line *l, int16_t id, int place)
{
    const unsigned word = (unsigned)place / 64;
    struct order_entry *e = &o->at[id];
    e->place = (int16_t)place;
    e->word = &l->word[word];
    e->bit = UINT64_C(1) << (place & 63);
    e->word_bit = word < 64 ? UINT64_C(1) << word : 0;
    e->word->used |= e->bit;
    l->id[place] = id;
    l->key[place] = e->key;
    l->count++;
}

/* The strand leaves its place, which stays used, as a kept one. */
static void leave(struct order_line *l, const struct order_entry *e)
{
    l->id[e->place] = -1;
    l->count--;
}

static bool is_used(const struct order_line *l, int place)
{
    return l->word[(unsigned)place / 64].used >> (place & 63) & 1;
}

static void give_up(struct order_line *l, int place)
{
    l->word[(unsigned)place / 64].used &= ~(UINT64_C(1) << (place & 63));
}

/* Spreads the strands of a line over a new one, of which at least a third is gaps. Half of these are behind the last
 * strand, where most new ones go. Lines stay short: on most machines the warps of a port fit in one 64-bit word. */
static void spread(struct sched_order *o, struct order_line *l)
{
    struct order_line old = *l;
    int places = LEAST_PLACES, next = 0;
    while (places < 3 * (old.count + 1) / 2)
        places *= 2;
    open_line(l, places);
    int used_by = places - (places - old.count) / 2;
    for (int from = next_used(&old, 0); from < old.places; from = next_used(&old, from + 1)) {
        int16_t id = old.id[from];
        if (id < 0) /* a kept place */
            continue;
        int class = o->at[id].class;
        stand(o, l, id, ++next * used_by / (old.count + 1));
        o->at[id].class = -1;
        if (class >= 0)
            order_ready(o, o->at[id].strand, class);
    }
    close_line(&old);
}

/* Moves the strand at one place of a line to another, where no strand is. */
static void step_aside(struct sched_order *o, struct order_line *l, int from, int to)
{
    int16_t id = l->id[from];
    int class = o->at[id].class;
    order_unready(o, o->at[id].strand);
    leave(l, &o->at[id]);
    give_up(l, from);
    stand(o, l, id, to);
    if (class >= 0)
        order_ready(o, o->at[id].strand, class);
}

/* Makes a gap in front of the place `before`, where there is none: the strands between it and the nearest place without
 * a strand step aside by one place each. -1: that place is more than `most` places off. */
static int make_gap(struct sched_order *o, struct order_line *l, int before, int most)
{
    for (int steps = 0; steps < most; steps++) {
        int above = before + steps, below = before - 1 - steps;
        if (above < l->places && l->id[above] < 0) {
            for (int to = above; to > before; to--)
                step_aside(o, l, to - 1, to);
            return before;
        }
        if (below >= 0 && l->id[below] < 0) {
            for (int to = below; to < before - 1; to++)
                step_aside(o, l, to + 1, to);
            return before - 1;
        }
    }
    return -1;
}

/* Strands with this key are put near the place that is noted here: those of a warp, if it is among the first of the
 * multiprocessor, or else those of a block. Their newest place is kept when its strand leaves. */
static int16_t *newest_of(const struct order_line *l, struct sched_key key)
{
    const uint64_t rank = key.minor >> ORDER_BIRTH_BITS;
    return &l->newest[rank && rank < WARP_GROUPS ? rank : WARP_GROUPS + key.major % BLOCK_GROUPS];
}

/* The two used places between which a key belongs; -1 and `places`: there is none. */
struct neighbours {
    int last, next;
};

static struct neighbours neighbours_in(const struct order_line *l, struct sched_key key)
{
    const int next = place_in(l, key);
    return (struct neighbours){last_used(l, next), next};
}

/* neighbours_in() for a key that belongs mostly near the place `at`. */
static struct neighbours neighbours_near(const struct order_line *l, struct sched_key key, int at)
{
    int last = last_used(l, at + 1), next = next_used(l, at + 1);
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        if (last >= 0 && !is_before(l->key[last], key)) {
            next = last;
            last = last_used(l, last);
        } else if (next < l->places && is_before(l->key[next], key)) {
            last = next;
            next = next_used(l, next + 1);
        } else {
            return (struct neighbours){last, next};
        }
    }
    return neighbours_in(l, key);
}

/* A gap between the neighbours: the place `at` if that is one, and else the first. -1: there is none within `most`
 * places. */
static int find_gap(struct sched_order *o, struct order_line *l, struct neighbours n, int at, int most)
{
    if (n.last + 1 == n.next)
        return make_gap(o, l, n.next, most);
    return n.last < at && at < n.next ? at : n.last + 1;
}

/* The neighbours of a key that is looked for from the place `newest` of its warp or block on. */
static __attribute__((noinline)) struct neighbours search_neighbours(struct order_line *l, struct sched_key key,
                                                                     int newest)
{
    if (l->id[newest] < 0) /* the place was kept in vain */
        give_up(l, newest);
    return neighbours_near(l, key, newest);
}

/* Spreads the line anew, which makes many gaps, and gives one where a strand of this key belongs. */
static __attribute__((noinline)) int spread_for(struct sched_order *o, struct order_line *l, struct sched_key key)
{
    spread(o, l);
    return find_gap(o, l, neighbours_in(l, key), -1, l->places);
}

/* A place for a strand of this key. Mostly that is the newest place of its warp or block, if it was kept, or one behind
 * it. Where there is no gap behind all other strands, the line is spread anew, since most new strands belong there. */
static int find_place(struct sched_order *o, struct order_line *l, struct sched_key key)
{
    const int newest = *newest_of(l, key);
    struct neighbours n = {newest, next_used(l, newest + 1)};
    int place = newest;
    if (!is_used(l, newest) || !is_before(l->key[newest], key) ||
        (n.next < l->places && is_before(l->key[n.next], key)))
        n = search_neighbours(l, key, newest);
    if (n.last != newest || l->id[newest] >= 0)
        place = find_gap(o, l, n, newest, n.next < l->places ? MOST_STEPS : 0);
    if (place < 0)
        place = spread_for(o, l, key);
    *newest_of(l, key) = (int16_t)place;
    return place;
}

/* Makes entries for ids up to this one. */
static void make_entries(struct sched_order *o, int id)
{
    enum { LEAST_ENTRIES = 64 };
    int capacity = o->capacity ? o->capacity : LEAST_ENTRIES;
    while (capacity <= id)
        capacity *= 2;
    o->at = xrealloc(o->at, sizeof *o->at * (size_t)capacity);
    memset(o->at + o->capacity, 0, sizeof *o->at * (size_t)(capacity - o->capacity));
    o->capacity = capacity;
}

void order_add(struct sched_order *o, struct strand *strand, struct sched_key key)
{
    int id = strand->id, port = sched_port(strand->lineage, o->ports);
    struct order_line *l = &o->line[port * o->pools + strand->pool];
    if (id >= o->capacity)
        make_entries(o, id);
    if (o->at[id].strand)
        panic("strand %d is added twice", id);
    const int place = find_place(o, l, key);
    o->at[id] = (struct order_entry){.strand = strand, .key = key, .line = l, .class = -1, .pool = strand->pool};
    stand(o, l, (int16_t)id, place);
}

void order_change_line(struct sched_order *o, struct strand *strand)
{
    struct sched_key key = o->at[strand->id].key;
    order_remove(o, strand);
    order_add(o, strand, key);
}

static bool is_in_line(const struct sched_order *o, const struct strand *strand)
{
    return strand->id < o->capacity && o->at[strand->id].strand;
}

void order_remove(struct sched_order *o, const struct strand *strand)
{
    if (!is_in_line(o, strand))
        return;
    struct order_entry *e = &o->at[strand->id];
    order_unready(o, strand);
    leave(e->line, e);
    if (*newest_of(e->line, e->key) != e->place)
        give_up(e->line, e->place);
    e->strand = NULL;
}

void order_move(struct sched_order *o, struct strand *strand, struct sched_key key)
{
    const struct order_entry *e = is_in_line(o, strand) ? &o->at[strand->id] : NULL;
    if (e && e->key.major == key.major && e->key.minor == key.minor)
        return;
    order_remove(o, strand);
    order_add(o, strand, key);
}

/* The first ready strand that fits among the 64 places of a word, of those from `low` to `high` - 1. */
static ALWAYS_INLINE struct strand *first_in_word(const struct sched_order *o, const struct order_line *l, int word,
                                                  int low, int high, const struct sched_ask *ask)
{
    uint64_t left = order_ready_places(&l->word[word], ask->blocked);
    if (low > word * 64)
        left &= ~UINT64_C(0) << low % 64;
    if (high < (word + 1) * 64)
        left &= (UINT64_C(1) << high % 64) - 1;
    for (; left; left &= left - 1) {
        const struct order_entry *e = order_at(o, l, word * 64 + __builtin_ctzll(left));
        if (sched_fits(e->strand, e->class, ask))
            return e->strand;
    }
    return NULL;
}

/* Lines of more words than a word has bits (only beyond 1,600 strands of one port) are searched word by word. */
struct strand *order_first(const struct sched_order *o, int low, int high, const struct sched_ask *ask)
{
    const struct order_line *l = order_line_asked(o, ask);
    const int words = (high + 63) / 64;
    struct strand *s;
    if (l->words > 64) {
        for (int word = low / 64; word < words; word++)
            if (l->word[word].ready && (s = first_in_word(o, l, word, low, high, ask)))
                return s;
        return NULL;
    }
    uint64_t left = low / 64 < 64 ? l->has_ready & ~UINT64_C(0) << low / 64 : 0;
    for (; left && __builtin_ctzll(left) < words; left &= left - 1)
        if ((s = first_in_word(o, l, __builtin_ctzll(left), low, high, ask)))
            return s;
    return NULL;
}

struct strand *order_first_of_lineage(const struct sched_order *o, int32_t lineage, const struct sched_ask *ask)
{
    const struct order_line *l = order_line_asked(o, ask);
    for (int word = 0; word < l->words; word++)
        for (uint64_t left = l->word[word].ready; left; left &= left - 1) {
            struct strand *s = order_at(o, l, word * 64 + __builtin_ctzll(left))->strand;
            if (s->lineage == lineage && order_fits(o, s->id, ask))
                return s;
        }
    return NULL;
}

struct strand *order_pick_greedily(const struct order_greed *g, const struct sched_ask *ask)
{
    const struct order_last *last = &g->last[ask->port * g->order->pools + ask->pool];
    if (last->strand && order_fits(g->order, last->id, ask))
        return last->strand;
    if (!ask->pool && order_last_has_siblings(g, last)) {
        struct strand *sibling = order_first_of_lineage(g->order, last->lineage, ask);
        if (sibling)
            return sibling;
    }
    return order_first_of_all(g->order, ask);
}

struct strand *order_pick_other(const struct order_greed *g, int port, uint32_t blocked)
{
    const struct order_line *l = &g->order->line[port];
    const struct sched_ask ask = {.port = port, .is_whole = true, .blocked = blocked};
    if (order_last_has_siblings(g, &g->last[port])) {
        struct strand *sibling = order_first_of_lineage(g->order, g->last[port].lineage, &ask);
        if (sibling)
            return sibling;
    }
    if (l->words > 64)
        return order_first(g->order, 0, l->places, &ask);
    for (uint64_t words = l->has_ready; words; words &= words - 1) {
        const int word = __builtin_ctzll(words);
        const uint64_t left = order_ready_places(&l->word[word], blocked);
        if (left)
            return order_at(g->order, l, word * 64 + __builtin_ctzll(left))->strand;
    }
    return NULL;
}

/* The first place behind the strand that issued last. That strand mostly still has its place. */
static int place_behind(const struct sched_order *o, const struct order_line *l, struct order_turn last)
{
    const struct order_entry *e = &o->at[last.id];
    bool is_there = o->capacity && e->strand && e->line == l;
    if (is_there && e->key.major == last.key.major && e->key.minor == last.key.minor)
        return e->place + 1;
    last.key.minor++;
    return place_in(l, last.key);
}

struct strand *order_around(const struct sched_order *o, struct order_turn last, const struct sched_ask *ask)
{
    const struct order_line *l = order_line_asked(o, ask);
    int from = place_behind(o, l, last);
    struct strand *s = order_first(o, from, l->places, ask);
    return s ? s : order_first(o, 0, from, ask);
}
