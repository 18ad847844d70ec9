/* Host threads that run multiprocessors side by side: see hands.h. */
#include "gpu/hands.h"

#include "base/arena.h"
#include "base/crew.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A trial is this many windows, or, if they are long, fewer. The faster way is kept for a while; whether that
 * time is over is asked after so many windows or core cycles. */
enum { TRIED_WINDOWS = 64, LEAST_TRIED_WINDOWS = 5, WINDOWS_PER_LOOK = 64, CYCLES_PER_LOOK = 16384 };

static const double most_tried_seconds = 1e-3, least_kept_seconds = 0.1;
static const double long_window_seconds = 2e-4; /* waiting for each other is nothing against it */

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
    const int count = g->hands.count, own = (int)(hand - g->hands.at);
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

static void do_errand(void *context, int member)
{
    const struct errand *errand = context;
    struct hand *hand = &errand->gpu->hands.at[member];
    hand->has_counted = true;
    errand->fn(errand->gpu, hand);
}

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Goes on to the next phase. */
static void change_pace(struct pace *p)
{
    p->windows = 0;
    p->phase = p->phase == PACE_KEEPS ? PACE_TRIES_TOGETHER : p->phase + 1;
    p->kept_until = now_seconds() + least_kept_seconds;
    if (p->phase == PACE_KEEPS)
        p->is_together = p->seconds[PACE_TRIES_TOGETHER] * p->turns[PACE_TRIES_ALONE] <
                         p->seconds[PACE_TRIES_ALONE] * p->turns[PACE_TRIES_TOGETHER];
    else
        p->seconds[p->phase] = p->turns[p->phase] = 0;
}

/* Keeps to working together, without a trial of the other way. */
static void stay_together(struct pace *p)
{
    p->windows = 0;
    p->phase = PACE_KEEPS;
    p->is_together = true;
    p->kept_until = now_seconds() + least_kept_seconds;
}

/* Takes note of a window of a trial. The first one is left out: members of the crew may have to be woken. */
static void note_trial(struct pace *p, double seconds, int turns)
{
    if (!p->windows++)
        return;
    p->seconds[p->phase] += seconds;
    p->turns[p->phase] += turns;
    if (p->phase == PACE_TRIES_TOGETHER && seconds > long_window_seconds) {
        stay_together(p);
        return;
    }
    bool is_long = p->windows >= LEAST_TRIED_WINDOWS && p->seconds[p->phase] > most_tried_seconds;
    if (p->windows > TRIED_WINDOWS || is_long)
        change_pace(p);
}

static void run_together(struct gpu *g, void (*fn)(struct gpu *g, struct hand *hand))
{
    struct errand errand = {g, fn};
    crew_run(g->hands.crew, do_errand, &errand);
}

static void run_alone(struct gpu *g, void (*fn)(struct gpu *g, struct hand *hand))
{
    fn(g, g->hands.at);
}

void hands_run(struct gpu *g, void (*fn)(struct gpu *g, struct hand *hand), bool may)
{
    struct pace *p = g->hands.pace;
    deal_turns(g);
    if (!may || !g->hands.crew || g->window.turn_count < 2) {
        run_alone(g, fn);
        return;
    }
    if (p->phase == PACE_KEEPS) {
        (p->is_together ? run_together : run_alone)(g, fn);
        if (++p->windows % WINDOWS_PER_LOOK && g->window.first - p->looked_at < CYCLES_PER_LOOK)
            return;
        p->looked_at = g->window.first;
        if (now_seconds() > p->kept_until)
            change_pace(p);
        return;
    }
    double begin = now_seconds();
    (p->phase == PACE_TRIES_TOGETHER ? run_together : run_alone)(g, fn);
    note_trial(p, now_seconds() - begin, g->window.turn_count);
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
