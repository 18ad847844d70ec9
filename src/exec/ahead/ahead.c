/* Blocks ahead of their turn: see ahead.h. How members of the crew take stretches and turns is in round.c. */
#include "exec/ahead/ahead.h"

#include "base/arena.h"
#include "base/crew.h"
#include "exec/ahead/round.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    /* Warp instructions. */
    PROBED = 1 << 15,         /* that a launch executes before its first round, to know its speed */
    LEAST_LEFT = 1 << 16,     /* that must be left, by estimate, for another round */
    STRETCH = 1 << 13,        /* of a stretch, by estimate */
    FIRST_PATIENCE = 1 << 18, /* without rounds after a round that was too slow; then twice as many, ... */
    MOST_PATIENCE = 1 << 26,  /* ... up to this */
    MOST_STRETCHES = 16,      /* of a round, for each member */
    FEWER_STRETCHES = 4,      /* where few blocks are left, stretches get shorter, until a round has so many */
    MOST_STRETCH_BLOCKS = 1 << 10,
    /* Launches of a kernel. */
    FIRST_RESTS = 8, /* without rounds after one whose rounds were too slow; then twice as many, ... */
    MOST_RESTS = 256 /* ... up to this */
};

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct ahead_team *ahead_team_create(int threads)
{
    struct ahead_team *team = xcalloc(1, sizeof *team);
    team->threads = threads;
    return team;
}

void ahead_team_destroy(struct ahead_team *team)
{
    if (team)
        crew_destroy(team->crew);
    free(team);
}

struct ahead {
    struct ahead_team *team;
    struct engine *engine;
    struct round *round;  /* NULL before the first */
    uint64_t first_block; /* where the blocks at hand began ... */
    uint64_t first_now;   /* ... and engine.now then */
    uint64_t alone_from;  /* engine.now when the last time without rounds began */
    double alone_since;   /* host time then, in seconds; 0: the last block was of a round */
    double alone_each;    /* host time of an instruction without rounds, in seconds */
    uint64_t due_at;      /* engine.now from which on a round is due */
    uint64_t patience;    /* instructions without rounds after the next round that is too slow */
    double in_rounds;     /* host time of all rounds, in seconds, with what they prepare */
    uint64_t by_rounds;   /* instructions of all rounds */
};

struct ahead *ahead_open(struct engine *e)
{
    const struct launch *l = e->launch;
    bool is_followed = e->taping || e->waste || e->accesses || e->race;
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    if (!l->team || l->team->threads == 1 || is_followed || l->is_cooperative || launch_has_cluster(l) || blocks < 2)
        return NULL;
    /* What a thread finds in local memory must not depend on the block that had it before. The first access of a launch
     * may count as a repeated one (poll.h), so whether it is the first must not matter. */
    if (!block_local_is_cleared(l, e->local_bytes) || e->code->bound[0].order & ORDER_POLL)
        return NULL;
    struct ahead *a = xcalloc(1, sizeof *a);
    *a = (struct ahead){.team = l->team, .engine = e};
    return a;
}

void ahead_begin(struct ahead *a, uint64_t first)
{
    if (!a)
        return;
    a->first_block = first;
    a->first_now = a->alone_from = a->engine->now;
    a->alone_since = now_seconds();
    a->due_at = a->engine->now + (a->team->is_eager ? 0 : PROBED);
    a->patience = FIRST_PATIENCE;
}

/* What is known of the launch's kernel. */
static struct ahead_habit *habit_of(const struct ahead *a)
{
    const struct ptx_function *kernel = a->engine->launch->kernel;
    struct ahead_habit *h = &a->team->habits[((uintptr_t)kernel >> 6) % AHEAD_HABITS];
    if (h->kernel != kernel)
        *h = (struct ahead_habit){.kernel = kernel};
    return h;
}

/* Whether the launch, which comes to its first round, is to have none. */
static bool rests(const struct ahead *a)
{
    struct ahead_habit *h = habit_of(a);
    if (a->round || a->team->is_eager || !h->rests)
        return false;
    h->rests--;
    return true;
}

/* The launch's rounds are over: whether they were worth their time says when the kernel's next launch has rounds. */
static void learn(struct ahead *a)
{
    struct ahead_habit *h = habit_of(a);
    bool were_slow = a->in_rounds > a->alone_each * (double)a->by_rounds;
    h->rests = !were_slow                   ? 0
               : !h->last_rests             ? FIRST_RESTS
               : h->last_rests < MOST_RESTS ? 2 * h->last_rests
                                            : MOST_RESTS;
    h->last_rests = h->rests;
}

void ahead_close(struct ahead *a)
{
    if (!a)
        return;
    double start = now_seconds();
    bool had_rounds = a->round;
    round_close(a->round);
    a->in_rounds += now_seconds() - start;
    if (had_rounds)
        learn(a);
    free(a);
}

bool ahead_is_due(struct ahead *a, uint64_t next, uint64_t total)
{
    if (!a || a->engine->now < a->due_at || a->engine->assertion || total - next < 2)
        return false;
    if (a->team->is_eager)
        return true;
    uint64_t each = next > a->first_block ? (a->engine->now - a->first_now) / (next - a->first_block) : 0;
    return each < BLOCK_QUANTUM / 4 * 3 && each * (total - next) >= LEAST_LEFT;
}

/* Makes the crew, if the last launch has not left one. False: the host gives no threads. */
static bool muster(struct ahead_team *team)
{
    if (crew_size(team->crew) < 2) {
        crew_destroy(team->crew); /* of a parent process */
        team->crew = crew_create(team->threads ? team->threads : crew_idle_cores());
    }
    return crew_size(team->crew) > 1;
}

/* How the blocks that are left are cut into stretches. */
static struct round_plan plan_round(const struct ahead *a, uint64_t next, uint64_t total)
{
    uint64_t members = (uint64_t)crew_size(a->team->crew), left = total - next, done = next - a->first_block;
    uint64_t each = done ? (a->engine->now - a->first_now) / done + 1 : STRETCH,
             blocks = a->team->is_eager ? 1 + next % 3 : STRETCH / each;
    if (!a->team->is_eager && blocks > left / (FEWER_STRETCHES * members))
        blocks = left / (FEWER_STRETCHES * members);
    blocks = blocks < 1 ? 1 : blocks > MOST_STRETCH_BLOCKS ? MOST_STRETCH_BLOCKS : blocks;
    uint64_t stretches = (left + blocks - 1) / blocks;
    stretches = stretches < MOST_STRETCHES * members ? stretches : MOST_STRETCHES * members;
    return (struct round_plan){.first = next, .end = total, .blocks = blocks, .stretches = (int)stretches};
}

/* Compares the pace of the round, which began at `start`, with the pace without rounds. */
static void keep_pace(struct ahead *a, uint64_t before, double start)
{
    double end = now_seconds();
    uint64_t now = a->engine->now;
    a->alone_since = 0;
    if (a->team->is_eager || end - start < a->alone_each * (double)(now - before))
        return;
    a->due_at = now + a->patience;
    a->patience = a->patience < MOST_PATIENCE ? 2 * a->patience : MOST_PATIENCE;
    a->alone_from = now;
    a->alone_since = end;
}

struct ahead_end ahead_run(struct ahead *a, uint64_t next, uint64_t total, bool *has_locks)
{
    struct engine *e = a->engine;
    if (rests(a) || !muster(a->team)) {
        a->due_at = UINT64_MAX;
        return (struct ahead_end){.next = next, .ended = RUN_BLOCKED};
    }
    double start = now_seconds();
    uint64_t before = e->now;
    if (a->alone_since > 0 && before > a->alone_from)
        a->alone_each = (start - a->alone_since) / (double)(before - a->alone_from);
    if (!a->round)
        a->round = round_open(e, a->team->crew);
    struct round_plan plan = plan_round(a, next, total);
    bool is_rehearsal = !round_knows_writes(a->round);
    struct ahead_end end = round_run(a->round, &plan, has_locks);
    a->in_rounds += now_seconds() - start;
    a->by_rounds += e->now - before;
    if (!is_rehearsal)
        keep_pace(a, before, start);
    a->alone_since = is_rehearsal ? 0 : a->alone_since;
    return end;
}
