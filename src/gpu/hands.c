/* Host threads that run multiprocessors side by side: see hands.h. */
#include "gpu/hands.h"

#include "base/arena.h"
#include "base/baton.h"
#include "base/crew.h"
#include "gpu/pace.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Whether SMs share the ideal memory, where a line that one SM has asked for comes sooner for the others. */
static bool share_ideal_memory(const struct gpu_run *run)
{
    return run->mechanism->flags & DIV_LEAST_TIME ||
           (run->mechanism->flags & DIV_IDEAL_LANES && run->machine->sm.fetch == SM_FETCH_CACHE);
}

bool hands_are_free(const struct gpu *g)
{
    const struct gpu_run *run = g->run;
    bool is_followed = run->trace || run->observer || g->engine->taping || g->engine->race;
    return !is_followed && !g->spreads && !share_ideal_memory(run);
}

/* How many hands the launch can have. */
static int count_hands(const struct gpu *g)
{
    const struct gpu_run *run = g->run;
    int most = hands_are_free(g) ? g->sm_count : 1;
    int wanted = run->threads > 1 ? run->threads : 1;
    return wanted < most ? wanted : most;
}

/* Takes the crew that the last launch left, if it has the right size, or makes a new one. Fewer hands if the host gives
 * no more threads. */
static void take_crew(struct gpu *g)
{
    struct gpu_kept *kept = g->run->kept;
    if (g->hands.count == 1)
        return;
    if (kept && kept->crew && crew_size(kept->crew) == g->hands.count) {
        g->hands.crew = kept->crew;
    } else {
        if (kept)
            crew_destroy(kept->crew);
        g->hands.crew = crew_create(g->hands.count);
        g->hands.count = crew_size(g->hands.crew);
    }
    if (kept)
        kept->crew = g->hands.crew;
}

void hands_open(struct gpu *g, struct site *sites)
{
    g->hands.count = count_hands(g);
    take_crew(g);
    g->hands.at = xmalloc_lines((size_t)g->hands.count * sizeof *g->hands.at);
    memset(g->hands.at, 0, (size_t)g->hands.count * sizeof *g->hands.at);
    g->hands.pace = xcalloc(1, sizeof *g->hands.pace);
    for (int i = 0; i < g->hands.count; i++) {
        struct hand *h = &g->hands.at[i];
        h->end_sm = (int)((int64_t)g->sm_count * (i + 1) / g->hands.count);
        h->fault_sm = -1;
        h->engine = i ? engine_fork(g->engine, &h->result) : g->engine;
        h->sites = i ? xcalloc((size_t)g->site_count + 1, sizeof *h->sites) : sites;
    }
}

void hands_close(struct gpu *g)
{
    for (int i = 1; i < g->hands.count; i++) {
        engine_close_fork(g->hands.at[i].engine);
        free(g->hands.at[i].sites);
    }
    free(g->hands.at);
    free(g->hands.pace);
    if (!g->run->kept)
        crew_destroy(g->hands.crew);
}

/* Gives each hand the turns of the SMs that it begins with. */
static void deal_turns(struct gpu *g)
{
    int at = 0;
    g->hands.at_work = g->hands.count;
    for (int i = 0; i < g->hands.count; i++) {
        struct hand *h = &g->hands.at[i];
        const int first = at;
        while (at < g->window.turn_count && g->window.turns[at] < h->end_sm)
            at++;
        deck_fill(&h->turns, (uint32_t)first, (uint32_t)at);
    }
}

int hands_next_turn(struct gpu *g, struct hand *hand)
{
    const int count = g->hands.at_work, own = (int)(hand - g->hands.at);
    int turn = count == 1 ? deck_take_alone(&hand->turns) : deck_take_front(&hand->turns);
    for (int i = 1; turn == DECK_EMPTY && i < count; i++) {
        const int other = own + i < count ? own + i : own + i - count;
        turn = deck_take_back(&g->hands.at[other].turns);
    }
    return turn == DECK_EMPTY ? -1 : g->window.turns[turn];
}

/* What the members of the crew are told. */
struct errand {
    struct gpu *gpu;
    void (*fn)(struct gpu *g, struct hand *hand);
};

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void do_errand(void *context, int member)
{
    const struct errand *errand = context;
    struct hand *hand = &errand->gpu->hands.at[member];
    const bool is_trial = pace_is_trial(errand->gpu->hands.pace);
    const double begin = is_trial ? seconds_of(CLOCK_THREAD_CPUTIME_ID) : 0;
    hand->has_counted = true;
    errand->fn(errand->gpu, hand);
    hand->worked = is_trial ? seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin : 0;
}

static void run_together(struct gpu *g, void (*fn)(struct gpu *g, struct hand *hand))
{
    struct errand errand = {g, fn};
    deal_turns(g);
    crew_run(g->hands.crew, do_errand, &errand);
}

static void run_alone(struct gpu *g, void (*fn)(struct gpu *g, struct hand *hand))
{
    g->hands.at_work = 1;
    deck_fill(&g->hands.at->turns, 0, (uint32_t)g->window.turn_count);
    fn(g, g->hands.at);
}

static void run_at_pace(struct gpu *g, void (*fn)(struct gpu *g, struct hand *hand))
{
    (pace_is_together(g->hands.pace) ? run_together : run_alone)(g, fn);
}

/* Runs a window of a trial. */
static void run_trial(struct gpu *g, void (*fn)(struct gpu *g, struct hand *hand))
{
    struct pace_window w = {.turns = g->window.turn_count};
    const double begin = seconds_of(CLOCK_MONOTONIC);
    run_at_pace(g, fn);
    const double end = seconds_of(CLOCK_MONOTONIC);
    w.seconds = end - begin;
    for (int i = 0; i < g->hands.at_work; i++)
        w.worked += g->hands.at[i].worked;
    pace_note(g->hands.pace, &w, end);
}

void hands_run(struct gpu *g, void (*fn)(struct gpu *g, struct hand *hand), bool may)
{
    struct pace *p = g->hands.pace;
    if (!may || !g->hands.crew || g->window.turn_count < 2) {
        run_alone(g, fn);
    } else if (pace_is_trial(p)) {
        run_trial(g, fn);
    } else {
        run_at_pace(g, fn);
        if (pace_count(p, g->window.first))
            pace_look(p, seconds_of(CLOCK_MONOTONIC));
    }
}

/* Turns that hands have one after the other. */
struct relay {
    struct gpu *gpu;
    const struct hand_turn *turns;
    int count;
    hand_turn_fn *fn;
    bool has_ended;     /* a turn was the last: its function gave false */
    struct baton baton; /* the number of the next turn */
};

/* The turns of one hand. */
static void run_leg(void *context, int member)
{
    struct relay *relay = context;
    struct hand *hand = &relay->gpu->hands.at[member];
    for (int i = 0; i < relay->count; i++) {
        if (relay->turns[i].hand != member)
            continue;
        hand->has_counted = true;
        baton_await(&relay->baton, i);
        relay->has_ended = relay->has_ended || !relay->fn(relay->gpu, hand, relay->turns[i].sm);
        baton_pass(&relay->baton, i + 1);
    }
}

bool hands_run_in_order(struct gpu *g, const struct hand_turn *turns, int count, hand_turn_fn *fn)
{
    int others = 0;
    for (int i = 0; i < count; i++)
        others += turns[i].hand > 0;
    if (others && !g->run->skipper) {
        struct relay relay = {.gpu = g, .turns = turns, .count = count, .fn = fn};
        crew_run(g->hands.crew, run_leg, &relay);
        return !relay.has_ended;
    }
    for (int i = 0; i < count; i++)
        if (!fn(g, g->hands.at, turns[i].sm))
            return false;
    return true;
}

void hands_gather(struct gpu *g)
{
    struct launch_result *all = g->engine->result;
    for (int i = 1; i < g->hands.count; i++) {
        struct hand *h = &g->hands.at[i];
        const struct launch_place *first = &h->result.first_tolerated;
        if (!h->has_counted)
            continue;
        h->has_counted = false;
        if (h->result.tolerated_reads &&
            (!all->tolerated_reads || launch_place_is_before(first, &all->first_tolerated)))
            all->first_tolerated = *first;
        all->tolerated_reads += h->result.tolerated_reads;
        h->result.tolerated_reads = 0;
        for (int32_t pc = 0; pc <= g->site_count; pc++)
            site_add(&g->hands.at[0].sites[pc], &h->sites[pc]);
        memset(h->sites, 0, ((size_t)g->site_count + 1) * sizeof *h->sites);
    }
}
