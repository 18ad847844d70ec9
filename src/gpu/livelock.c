/*
 * Livelocks: threads that return to a PC with the same registers while no memory changes. See livelock.h.
 *
 * A close look starts with one thread, the scout: most loops without stores count something, and any thread shows
 * that. Only if the scout repeats itself are all other threads observed.
 */
#include "gpu/livelock.h"

#include "base/arena.h"
#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* warp instructions without a write before the first close look, and the longest such time */
    FIRST_PATIENCE = 1 << 16,
    MOST_PATIENCE = 1 << 26,
    MOST_TURNS = 1 << 15,  /* turns of multiprocessors, summed over all, in one close look */
    SCOUT_TURNS = 1 << 12, /* turns of the scout's multiprocessor within which the scout must have repeated itself */
    STRIDE_BITS = 4,       /* the scout is looked at every 1 to 2^STRIDE_BITS cycles */
    /* returns of a thread to its PC with other registers, before the thread is taken for one that counts */
    MOST_RETURNS = 300
};

/* How far the observation of a thread has come. */
enum phase {
    UNSEEN,
    STANDS,  /* seen once; the thread has not moved since */
    MOVED,   /* the thread was seen at another place since */
    RETURNED /* the thread came back to the place where it was first seen, with the registers that it had there */
};

/* What was first seen of a thread in this close look. */
struct seen_thread {
    uint8_t phase;      /* enum phase */
    bool is_busy;       /* the strand's branch was in flight */
    uint16_t returns;   /* times that the thread came back with other registers */
    int32_t pc, depth;  /* place of the thread */
    uint64_t registers; /* hash of all registers of the thread */
};

/* What was last seen of a strand, so that only strands that moved are looked at again. */
struct seen_strand {
    int32_t pc;
    uint32_t generation;
    bool is_busy;
};

struct watched_sm {
    uint64_t since;              /* the multiprocessor's cycle when the look began */
    struct seen_thread *threads; /* [row][lane] */
    struct seen_strand *strands; /* [strand id] */
    int strand_capacity;         /* elements of `strands` */
};

/* A close look in progress. */
struct livelock_watch {
    struct watched_sm *sms;   /* [sm] */
    uint64_t writes;          /* writes of the engine when the look began */
    uint64_t *issues;         /* [PC] issues when the look began */
    int scout_sm, scout_lane; /* the scout: multiprocessor, lane and row */
    int32_t scout_row;
    bool has_returned; /* the scout has returned */
    bool is_wide;      /* so all threads are observed */
    bool has_failed;   /* some thread does not repeat itself */
    int turns;         /* turns of multiprocessors so far, summed over all */
    int open;          /* threads that were seen and have not returned */
};

void livelock_start(struct livelock *l, const struct deadlock_scene *scene, const struct site *sites)
{
    *l = (struct livelock){.scene = scene, .sites = sites, .patience = FIRST_PATIENCE};
}

static void close_watch(struct livelock *l)
{
    struct livelock_watch *w = l->watch;
    for (int i = 0; w && i < l->scene->sm_count; i++) {
        free(w->sms[i].threads);
        free(w->sms[i].strands);
    }
    if (w) {
        free(w->sms);
        free(w->issues);
    }
    free(w);
    l->watch = NULL;
    l->is_watching = false;
}

void livelock_end(struct livelock *l)
{
    close_watch(l);
}

/* Chooses a running thread as the scout; a different one at each look. False if no thread runs. */
static bool choose_scout(const struct livelock *l, struct livelock_watch *w)
{
    const struct deadlock_scene *scene = l->scene;
    int skip = l->looks;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < scene->sm_count; i++)
            for (int32_t id = 0; id < sm_strand_top(scene->sms[i]); id++) {
                const struct strand *s = sm_strand(scene->sms[i], id);
                if (!s || s->held || s->parked || !s->threads.count || skip-- > 0)
                    continue;
                w->scout_sm = i;
                w->scout_row = s->threads.part[0].row;
                w->scout_lane = bits_lowest(s->threads.part[0].mask);
                return true;
            }
    return false;
}

static void open_watch(struct livelock *l)
{
    const struct deadlock_scene *scene = l->scene;
    int count = scene->engine->program->insn_count;
    struct livelock_watch *w = l->watch = xcalloc(1, sizeof *w);
    w->sms = xcalloc((size_t)scene->sm_count, sizeof *w->sms);
    w->writes = scene->engine->writes;
    w->issues = xcalloc((size_t)count + 1, sizeof *w->issues);
    for (int pc = 0; pc < count; pc++)
        w->issues[pc] = l->sites[pc].issues;
    for (int i = 0; i < scene->sm_count; i++) {
        size_t threads = (size_t)sm_row_count(scene->sms[i]) * ROW_LANES;
        w->sms[i].since = sm_now(scene->sms[i]);
        w->sms[i].threads = xcalloc(threads, sizeof *w->sms[i].threads);
        w->sms[i].strand_capacity = (int)threads;
        w->sms[i].strands = xcalloc(threads, sizeof *w->sms[i].strands);
    }
    l->is_watching = true;
    if (!choose_scout(l, w))
        close_watch(l);
    l->looks = (l->looks + 1) % 7;
}

bool livelock_is_due(const struct livelock *l, uint64_t issued)
{
    return !l->is_watching && l->scene->engine->writes == l->writes && issued - l->issued >= l->patience;
}

void livelock_check(struct livelock *l, uint64_t issued)
{
    if (l->is_watching)
        return;
    if (l->scene->engine->writes != l->writes) {
        l->writes = l->scene->engine->writes;
        l->issued = issued;
    } else if (livelock_is_due(l, issued)) {
        l->issued = issued;
        open_watch(l);
    }
}

/* Ends a look that found no livelock, or could not tell: the next look comes later. Always false. */
static bool give_up(struct livelock *l)
{
    close_watch(l);
    if (l->patience < MOST_PATIENCE)
        l->patience *= 4;
    return false;
}

/* Hash of all registers of one thread. Registers saved by recursive calls are left out: they stay the same while no
 * thread calls or returns, and is_plain() rejects a look in which a thread did. A plane that functions share for
 * registers of several widths is hashed once per width. */
static uint64_t hash_registers(const struct program *p, const struct row *row, int lane)
{
    static const unsigned lane_bytes[WIDTH_COUNT] = {[WIDTH_32] = 4, [WIDTH_64] = 8, [WIDTH_16] = 2, [WIDTH_128] = 16};
    uint64_t hash = bits_hash(BITS_HASH_SEED, &row->frame[lane], sizeof row->frame[lane]);
    for (int f = 0; f < p->function_count; f++)
        for (int w = 0; w < WIDTH_COUNT; w++) {
            int step = lane_bytes[w] > 4 ? (int)lane_bytes[w] / 4 : 1;
            int first = p->functions[f].first_plane[w], count = p->functions[f].plane_count[w];
            for (int plane = first; plane + step <= first + count; plane += step)
                hash = bits_hash(hash, row->planes + (size_t)plane * PLANE_BYTES + (size_t)lane * lane_bytes[w],
                                 lane_bytes[w]);
        }
    return hash;
}

/* An unconditional branch to itself: a thread may be seen with its branch in flight every time, and goes nowhere. */
static bool branches_to_itself(const struct bound *in, int32_t pc)
{
    return in->kind == BOUND_BRANCH && in->guard == OFFSET_NONE && in->target == pc;
}

/* Observes one thread of a strand that moved or is new. False: the thread does not repeat itself. */
static bool observe_thread(struct livelock *l, const struct watched_sm *sm, const struct row *row, int32_t number,
                           int lane, const struct strand *s)
{
    struct livelock_watch *w = l->watch;
    const struct program *p = l->scene->engine->program;
    struct seen_thread *t = &sm->threads[(size_t)number * ROW_LANES + (unsigned)lane];
    if (t->phase == UNSEEN && branches_to_itself(&l->scene->engine->code->bound[s->pc], s->pc)) {
        t->phase = RETURNED;
    } else if (t->phase == UNSEEN) {
        *t = (struct seen_thread){STANDS, s->busy, 0, s->pc, s->depth, hash_registers(p, row, lane)};
        w->open++;
        return true;
    }
    if (t->phase == RETURNED)
        return true;
    if (t->pc != s->pc || t->depth != s->depth || t->is_busy != s->busy) {
        t->phase = MOVED;
        return true;
    }
    if (t->phase != MOVED)
        return true;
    if (t->registers != hash_registers(p, row, lane))
        return ++t->returns < MOST_RETURNS;
    t->phase = RETURNED;
    w->open--;
    return true;
}

static bool observe_strand(struct livelock *l, const struct watched_sm *w, const struct sm *sm, const struct strand *s)
{
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        for (uint32_t left = part.mask; left; left &= left - 1)
            if (!observe_thread(l, w, sm_row(sm, part.row), part.row, bits_lowest(left), s))
                return false;
    }
    return true;
}

/* Observes the strands that moved since the last turn, or all strands. False: some thread does not repeat itself. */
static bool observe_sm(struct livelock *l, int index, bool all)
{
    const struct sm *sm = l->scene->sms[index];
    struct watched_sm *w = &l->watch->sms[index];
    sm_catch_up(l->scene->sms[index]);
    for (int32_t id = 0; id < sm_strand_top(sm) && id < w->strand_capacity; id++) {
        const struct strand *s = sm_strand(sm, id);
        if (!s || s->held || s->parked)
            continue;
        struct seen_strand now = {s->pc, s->generation, s->busy}, *last = &w->strands[id];
        bool stands = last->pc == now.pc && last->generation == now.generation && last->is_busy == now.is_busy;
        if (stands && !all)
            continue;
        *last = now;
        if (!observe_strand(l, w, sm, s))
            return false;
    }
    return true;
}

/* Observes the scout. False: the scout does not repeat itself. */
static bool observe_scout(struct livelock *l)
{
    struct livelock_watch *w = l->watch;
    const struct sm *sm = l->scene->sms[w->scout_sm];
    struct watched_sm *own = &w->sms[w->scout_sm];
    const struct seen_thread *t = &own->threads[(size_t)w->scout_row * ROW_LANES + (unsigned)w->scout_lane];
    int32_t id = sm_strand_of(sm, w->scout_row, w->scout_lane);
    const struct strand *s = id < 0 ? NULL : sm_strand(sm, id);
    if (!sm_row(sm, w->scout_row))
        return false;
    if (!s)
        return true;
    sm_catch_up_strand(l->scene->sms[w->scout_sm], id);
    bool goes_on = observe_thread(l, own, sm_row(sm, w->scout_row), w->scout_row, w->scout_lane, s);
    w->has_returned = t->phase == RETURNED;
    return goes_on;
}

/* Whether the instruction's effect on a thread follows from the thread's own registers and from memory. `by_time`:
 * the mechanism decides by time which threads issue together. */
static bool is_plain(const struct engine *e, int32_t pc, bool by_time)
{
    const struct bound *in = &e->code->bound[pc];
    for (int i = 0; i < in->source_count; i++)
        if (in->prepare[i] == PREPARE_SREG)
            return false;
    switch ((enum bound_kind)in->kind) {
    case BOUND_LANES:
    case BOUND_NOTHING:
    case BOUND_LOAD:
    case BOUND_STORE: /* no thread stored: the guard was false, or memory would have changed */
    case BOUND_ATOMIC:
    case BOUND_MBARRIER:
    case BOUND_CLUSTER_ADDRESS:
    case BOUND_TEXTURE:
    case BOUND_SURFACE:
    case BOUND_QUERY:
    case BOUND_TO_GENERIC:
    case BOUND_FROM_GENERIC:
    case BOUND_IS_SPACE:
    case BOUND_YIELD:
    case BOUND_BRANCH:
    case BOUND_INDEXED:
        return true;
    case BOUND_TOGETHER: /* depends on the threads that issue together */
        return !by_time;
    default:
        return false;
    }
}

/* Whether a thread that does not run, and was not seen to repeat itself, may run later. A thread that was seen to
 * repeat itself does so again. */
static bool may_run(const struct livelock *l, int index, int32_t row, int lane)
{
    const struct watched_sm *w = &l->watch->sms[index];
    const struct sm *sm = l->scene->sms[index];
    int32_t id = sm_strand_of(sm, row, lane);
    if (id >= 0 && !sm_strand(sm, id)->parked)
        return false; /* the thread runs, or waits at a barrier */
    return w->threads[(size_t)row * ROW_LANES + (unsigned)lane].phase != RETURNED && sm_comes(sm, row, lane, w->since);
}

/* Whether a mechanism that decides by time may yet run threads that it holds back now. */
static bool may_let_go(const struct livelock *l)
{
    const struct deadlock_scene *scene = l->scene;
    if (!scene->mechanism->comes)
        return deadlock_holds_back(scene);
    for (int i = 0; i < scene->sm_count; i++)
        for (int32_t row = 0; row < sm_row_count(scene->sms[i]); row++) {
            const struct row *r = sm_row(scene->sms[i], row);
            for (uint32_t left = r ? r->live : 0; left; left &= left - 1)
                if (may_run(l, i, row, bits_lowest(left)))
                    return true;
        }
    return false;
}

static bool decides_by_time(const struct div_ops *m)
{
    return m->tick || m->idle || m->memory || m->flags & (DIV_EVERY_INSTRUCTION | DIV_BARRIERS);
}

/* Whether all instructions executed since the look began are plain, and no further block can start. */
static bool is_all_plain(const struct livelock *l)
{
    const struct deadlock_scene *scene = l->scene;
    bool by_time = decides_by_time(scene->mechanism);
    for (int32_t pc = 0; pc < scene->engine->program->insn_count; pc++)
        if (l->sites[pc].issues != l->watch->issues[pc] && !is_plain(scene->engine, pc, by_time))
            return false;
    for (int i = 0; i < scene->sm_count && scene->waiting_blocks; i++)
        if (sm_has_room(scene->sms[i], 1))
            return false;
    return true;
}

bool livelock_observes(const struct livelock *l, int sm)
{
    const struct livelock_watch *w = l->watch;
    return (w->is_wide || sm == w->scout_sm) && !w->has_failed; /* only who observes looks whether one failed */
}

/* The distances between two looks at the scout are uneven, so that they do not keep step with the scout's loop. */
uint64_t livelock_stride(const struct livelock *l)
{
    const struct livelock_watch *w = l->watch;
    return w->is_wide ? 1 : 1 + ((uint32_t)w->turns * 2654435769u >> (32 - STRIDE_BITS));
}

void livelock_observe(struct livelock *l, int sm)
{
    struct livelock_watch *w = l->watch;
    if (!livelock_observes(l, sm))
        return;
    w->turns++;
    w->has_failed = w->is_wide ? !observe_sm(l, sm, false) : !observe_scout(l);
}

bool livelock_is_wide(const struct livelock *l)
{
    return l->is_watching && l->watch->is_wide;
}

bool livelock_is_certain(struct livelock *l)
{
    struct livelock_watch *w = l->watch;
    if (w->has_failed || l->scene->engine->writes != w->writes || w->turns > (w->is_wide ? MOST_TURNS : SCOUT_TURNS))
        return give_up(l);
    if (!w->is_wide) { /* threads are first looked at after a whole cycle: here, a multiprocessor may be within one */
        w->is_wide = w->has_returned;
        return false;
    }
    if (w->open)
        return false;
    /* A strand that did not move may have got other threads, or may not have been looked at yet. */
    for (int i = 0; i < l->scene->sm_count; i++)
        if (!observe_sm(l, i, true))
            return give_up(l);
    if (w->open)
        return false;
    if (!is_all_plain(l))
        return give_up(l);
    for (int i = 0; i < l->scene->sm_count; i++)
        if (sm_awaits_copies(l->scene->sms[i]))
            return false; /* threads that ask whether the data has come will get another answer */
    if (decides_by_time(l->scene->mechanism) && may_let_go(l))
        return false; /* the mechanism may be about to run those threads */
    close_watch(l);
    return true;
}
