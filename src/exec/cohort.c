/*
 * Running the cohorts of a row: the hot loop of the functional engine.
 *
 * The cohort deepest in calls and, among equals, lowest in PC runs first, so that lagging threads catch up and
 * reconverge. If the row does not reconverge for a long time, its threads may be spinning on a lock, so another cohort
 * gets a turn: the holder of the lock can then release it. Warp-synchronous code must never see such a turn, so the
 * first turn of a launch comes only after a million warp instructions. A launch that has come to this has locks, and
 * later turns come after 10000. Threads that only poll memory (poll.h) are not run on and on: the row's turn ends, so
 * that other rows and blocks can write what the threads wait for, and the row comes to such a turn sooner.
 */
#include "exec/cohort.h"

#include "base/bits.h"
#include "base/inline.h"
#include "exec/access.h"
#include "exec/ahead/draft.h"
#include "exec/barrier.h"
#include "exec/control.h"
#include "exec/poll.h"
#include "exec/repeated.h"
#include "exec/shared_words.h"
#include "exec/site.h"
#include "exec/straight.h"
#include "exec/taping.h"
#include "exec/turn.h"
#include "exec/waste.h"

enum {
    /* Warp instructions that a row may stay diverged before another cohort gets a turn. */
    COHORT_PATIENCE = 1000000,     /* the first time in a launch */
    COHORT_PATIENCE_LATER = 10000, /* later */
    COHORT_POLL = 2000,            /* what a repeated access of threads that poll counts towards this */
    COHORT_TURN = 1000,            /* warp instructions that the turn lasts */
};

/* When the longest-waiting thread of the mask had its last turn. Turns belong to threads, not to cohorts: threads that
 * spin may diverge and reconverge in every iteration, and a cohort that forms anew must not go before threads that have
 * waited. */
static uint64_t oldest_turn(const struct row *row, uint32_t mask)
{
    uint64_t oldest = UINT64_MAX;
    for (; mask; mask &= mask - 1)
        if (row->last_turn[bits_lowest(mask)] < oldest)
            oldest = row->last_turn[bits_lowest(mask)];
    return oldest;
}

int cohort_pick(const struct row *row, bool by_turn)
{
    int best = -1;
    for (int g = 0; g < row->cohort_count; g++) {
        const struct cohort *c = &row->cohort[g], *b = &row->cohort[best < 0 ? 0 : best];
        if (c->state != COHORT_READY)
            continue;
        if (best < 0 || (by_turn ? oldest_turn(row, c->mask) < oldest_turn(row, b->mask)
                                 : c->depth > b->depth || (c->depth == b->depth && c->pc < b->pc)))
            best = g;
    }
    return best;
}

/* cohort_pick(); most rows are one cohort. */
static inline int pick(const struct row *row)
{
    if (row->cohort_count == 1)
        return row->cohort[0].state == COHORT_READY ? 0 : -1;
    return cohort_pick(row, row->by_turn);
}

static struct cohort remove_cohort(struct row *row, int g)
{
    struct cohort c = row->cohort[g];
    row->cohort[g] = row->cohort[--row->cohort_count];
    return c;
}

/* The lowest PC of the other ready cohorts at the call depth of `here`. At that PC `here` must stop: it joins the
 * cohort there, or lets the cohort go first. */
static int32_t next_stop(const struct row *row, const struct cohort *here)
{
    int32_t stop = INT32_MAX;
    for (int g = 0; g < row->cohort_count; g++) {
        const struct cohort *c = &row->cohort[g];
        if (c->state == COHORT_READY && c->depth == here->depth && c->pc < stop)
            stop = c->pc;
    }
    return stop;
}

/* Executes a straight instruction and looks at what it says about waiting. False: the cohort stops here, by a fault, by
 * a failed assertion, or because it only polls. Not inline: the loop around it is hot, and these cases are rare. */
static __attribute__((noinline)) bool execute_straight(struct engine *e, const struct bound *in, int32_t pc,
                                                       uint32_t mask)
{
    if (__builtin_expect(!in->order, 1))
        return straight_execute(e, in, pc, mask);
    if (in->order & ORDER_TURN && draft_of(e) && !draft_admits(e, in))
        return false;
    if (!straight_execute(e, in, pc, mask))
        return false;
    if (in->order & ORDER_BLOCKS)
        e->block->last_order = e->now;
    e->row->poll.is_waiting = in->order & ORDER_POLL && poll_repeats(e, in, pc, mask);
    return !e->row->poll.is_waiting;
}

/* Whether the instruction is a load that access_row() may execute. Stores need the right engine.now (writers.h). */
static inline bool is_quick_load(const struct engine *e, const struct bound *in)
{
    return in->kind == BOUND_LOAD && in->reach != REACH_LANES && !in->order && !e->race && !e->waste;
}

/* Whether the instruction is a load or store that shared_words_move() may execute. */
static inline bool is_shared_move(const struct engine *e, const struct bound *in)
{
    return in->is_shared_word && !in->order && !e->race && !e->waste;
}

/* A cohort stopped at the PC. False: by a fault. Else threads whose assertion failed end, and the others go on behind
 * the instruction when the cohort runs again. */
static __attribute__((noinline)) bool is_no_fault(struct engine *e, const struct cohort *here, int32_t pc)
{
    uint32_t failed = e->failed, others = here->mask & ~failed;
    if (!failed && !e->row->poll.is_waiting)
        return false;
    e->failed = 0;
    if (others)
        row_add_cohort(e->row, pc + 1, here->depth, others);
    if (failed)
        control_end_threads(e, failed);
    return true;
}

/* ---- counters and recordings ---- */

/* Counts the run of instructions from `from` to before `end`, which the threads `mask` executed. */
static void count_run(const struct engine *e, int32_t from, int32_t end, uint32_t mask)
{
    site_add_runs(e->sites, from, end, (uint64_t)bits_count(mask), 1);
}

/* Counts a branch that all of the threads take, and with it the run that ends there. */
static void count_jump(const struct engine *e, int32_t from, int32_t pc, uint32_t mask)
{
    count_run(e, from, pc + 1, mask);
    e->sites[pc].taken += (uint64_t)bits_count(mask);
}

/* Counts where a control instruction sent the threads `mask` of the row: `here` is where they were. */
static void count_control(const struct engine *e, const struct cohort *here)
{
    struct site *site = &e->sites[here->pc];
    int places = 0;
    for (int g = 0; g < e->row->cohort_count; g++) {
        const struct cohort *c = &e->row->cohort[g];
        if (!(c->mask & here->mask))
            continue;
        places++;
        if (c->pc != here->pc + 1 && c->pc != here->pc)
            site->taken += (uint64_t)bits_count(c->mask & here->mask);
    }
    site->diverged += places > 1;
}

/* Reports the access that the threads `active` of the row are about to make, if it is one to global memory. */
static void note_access(struct engine *e, const struct bound *in, uint32_t active)
{
    uint64_t address[ROW_LANES];
    int count = 0;
    bool is_access = in->kind == BOUND_LOAD || in->kind == BOUND_STORE || in->kind == BOUND_ATOMIC;
    if (!is_access || (in->space != IN_GLOBAL && in->space != IN_GENERIC))
        return;
    access_addresses(e, in, address);
    for (uint32_t left = active; left; left &= left - 1) {
        uint64_t at = address[bits_lowest(left)];
        address[count] = at;
        count += access_is_global(in, at);
    }
    if (count)
        e->accesses->note(e->accesses->context, address, count, (uint16_t)(in->width * in->elements),
                          in->kind != BOUND_LOAD);
}

/* What is noted of an instruction before it executes, and of a control instruction afterwards. */
static void note(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask, uint32_t active)
{
    if (e->taping)
        taping_note(e, in, pc, mask, active);
    if (e->waste)
        waste_issue(e, in, pc, mask, active);
    if (e->accesses && active)
        note_access(e, in, active);
}

static void note_control(struct engine *e, const struct bound *in, const struct cohort *here)
{
    if (e->taping)
        taping_end(e, e->block);
    if (e->sites)
        count_control(e, here);
    if (e->waste)
        waste_parting(e, in, here);
}

/* ---- running ---- */

enum { MAX_ASIDE = 8 };

/* A run of one cohort: the threads that run, and those that parted from them at a branch and wait at a PC further on,
 * the nearest last. These are no cohorts of the row, but run in the order in which cohorts would. */
struct run {
    int32_t pc, stop;
    uint32_t mask;
    int32_t from;        /* where the instructions begin that are not counted by site yet */
    uint64_t count;      /* instructions executed */
    uint64_t tallied;    /* of these, those whose threads are in the launch's sum */
    uint32_t jumps_back; /* branches back that threads have taken */
    int aside_count;
    struct aside {
        int32_t pc;
        uint32_t mask;
        int32_t stop; /* of the running threads, once these have joined them or run */
    } aside[MAX_ASIDE];
};

/* Counts what the running threads have executed up to before the PC `end`, since they will be others. */
static ALWAYS_INLINE void change_threads(struct engine *e, struct run *r, int32_t end, bool is_counted)
{
    const uint64_t threads = r->mask == UINT32_MAX ? ROW_LANES : (uint64_t)bits_count(r->mask);
    e->result->thread_instructions += (r->count - r->tallied) * threads;
    r->tallied = r->count;
    if (is_counted && e->sites)
        count_run(e, r->from, end, r->mask);
}

/* At a branch that only the threads `taken` take, those at the lower PC run on, and the others are set aside. False:
 * these would wait behind the stop, or too many wait already. */
static ALWAYS_INLINE bool set_aside(struct engine *e, struct run *r, int32_t target, uint32_t taken, bool is_counted)
{
    int32_t next = r->pc + 1, lower = target < next ? target : next, upper = target < next ? next : target;
    uint32_t waiting = target < next ? r->mask & ~taken : taken;
    bool joins = r->aside_count && upper == r->stop;
    if (lower == upper || (!joins && (upper >= r->stop || r->aside_count == MAX_ASIDE)))
        return false;
    change_threads(e, r, next, is_counted);
    r->jumps_back += target < next;
    e->result->branches++;
    e->result->divergent_branches++;
    if (is_counted && e->sites) {
        e->sites[r->pc].taken += (uint64_t)bits_count(taken);
        e->sites[r->pc].diverged++;
    }
    if (joins)
        r->aside[r->aside_count - 1].mask |= waiting;
    else
        r->aside[r->aside_count++] = (struct aside){.pc = upper, .mask = waiting, .stop = r->stop};
    r->stop = upper;
    r->mask &= ~waiting;
    r->pc = r->from = lower;
    return true;
}

/* The running threads have come to their stop, or jumped over it: the nearest threads that were set aside join them
 * there, or run while they wait. False: nobody waits, or the running threads have jumped too far. */
static ALWAYS_INLINE bool take_aside(struct engine *e, struct run *r, bool is_counted)
{
    struct aside *nearest = &r->aside[r->aside_count - 1];
    if (!r->aside_count || r->pc >= nearest->stop)
        return false;
    change_threads(e, r, r->pc, is_counted);
    if (r->pc == nearest->pc) {
        r->mask |= nearest->mask;
        r->stop = nearest->stop;
        r->from = r->pc;
        r->aside_count--;
    } else {
        struct aside now = *nearest;
        *nearest = (struct aside){.pc = r->pc, .mask = r->mask, .stop = now.stop};
        r->stop = r->pc;
        r->mask = now.mask;
        r->pc = r->from = now.pc;
    }
    return true;
}

/* The threads that were set aside become cohorts of the row. */
static ALWAYS_INLINE void release_aside(struct engine *e, struct run *r, int32_t depth)
{
    for (int i = 0; i < r->aside_count; i++)
        row_add_cohort(e->row, r->aside[i].pc, depth, r->aside[i].mask);
    r->aside_count = 0;
}

/* What a cohort may do in its run. */
struct limits {
    uint64_t budget; /* instructions */
    int32_t stop;
    bool may_part;   /* threads may be set aside */
    bool may_run_on; /* as run_on() says: the cohort is the whole row */
};

static ALWAYS_INLINE void begin_run(struct run *r, const struct cohort *here, int32_t stop)
{
    r->pc = r->from = here->pc; /* `aside` is left as it is: to clear it takes as long as a short run */
    r->stop = stop;
    r->mask = here->mask;
    r->count = r->tallied = 0;
    r->jumps_back = 0;
    r->aside_count = 0;
}

/* Counts that the running threads executed the loop of `count` instructions and the branch back so many times. */
static void count_rounds(const struct engine *e, struct run *r, uint64_t count, uint64_t rounds)
{
    const int32_t branch = r->pc + (int32_t)count;
    const uint64_t threads = (uint64_t)bits_count(r->mask);
    site_add_runs(e->sites, r->from, branch + 1, threads, 1); /* the first round may have begun before the loop */
    site_add_runs(e->sites, r->pc, branch + 1, threads, rounds - 1);
    e->sites[branch].taken += rounds * threads;
    r->from = r->pc;
}

/* run_stretch() for threads that go on in a loop. They may execute all of the loop at once, unless its branch has to be
 * noted. */
static ALWAYS_INLINE uint64_t run_repeated(struct engine *e, struct run *r, const struct bound *in, uint64_t count,
                                           uint64_t budget, bool is_counted, bool is_noted)
{
    const struct bound *branch = in + count;
    const bool is_loop = branch->kind == BOUND_BRANCH && branch->target == r->pc && r->pc + (int32_t)count < r->stop;
    const uint64_t most = is_loop && !is_noted ? (budget - r->count - count) / (count + 1) : 0;
    uint64_t rounds;
    const uint64_t done = repeated_stretch(e, r->pc, count, r->mask, most, &rounds);
    if (!rounds)
        return done;
    r->count += rounds * (count + 1);
    r->jumps_back += (uint32_t)rounds;
    e->result->branches += branch->guard != OFFSET_NONE ? rounds : 0;
    if (is_counted && e->sites)
        count_rounds(e, r, count, rounds);
    return done;
}

/* Executes `count` instructions of a stretch, or those before a load, where that needs more. Returns how many.
 * `budget`: instructions of the run. */
static ALWAYS_INLINE uint64_t run_stretch(struct engine *e, struct run *r, const struct bound *in, uint64_t count,
                                          uint64_t budget, bool is_counted, bool is_noted)
{
    const bool may_load = !is_noted || !e->accesses;
    if (may_load && r->jumps_back >= REPEATED_PATIENCE)
        return run_repeated(e, r, in, count, budget, is_counted, is_noted);
    return straight_stretch(e, in, count, r->mask, may_load);
}

/* The running threads execute a control instruction, for the threads `active`. False: a fault. */
static ALWAYS_INLINE bool run_control(struct engine *e, struct run *r, struct cohort *here, uint32_t active,
                                      bool is_counted, bool is_noted)
{
    const struct bound *in = &e->code->bound[r->pc];
    const struct cohort at = {.pc = r->pc, .depth = here->depth, .mask = r->mask};
    release_aside(e, r, at.depth);
    const bool is_barrier = in->kind == BOUND_BARRIER && active == at.mask;
    const bool ok = is_barrier ? barrier_arrive(e, in, at) : control_execute(e, in, at, active);
    /* Threads that come to a barrier together neither part nor jump. */
    if (ok && (is_noted || (is_counted && !is_barrier)))
        note_control(e, in, &at);
    here->mask = at.mask;
    change_threads(e, r, r->pc + 1, is_counted);
    e->now += r->count;
    return ok;
}

/* The only cohort of the row at work, which is ready, leaves the row's list and runs. */
static ALWAYS_INLINE struct cohort begin_whole(struct engine *e)
{
    struct row *row = e->row;
    row->cohort_count = 0;
    row->by_turn = false;
    row->diverged_time = 0;
    e->run_began = e->now;
    return row->cohort[0];
}

/* Behind a control instruction of a row that was one cohort. If it still is one and can go on, it does. If none of its
 * threads can, the next row of the block has its turn, just as turn_run() would begin it: rows that meet at barriers
 * take turns every few instructions. False: neither. */
static ALWAYS_INLINE bool run_on(struct engine *e, struct run *r, struct cohort *here, struct limits *limits)
{
    const struct row *row = e->row;
    const bool is_ready = row->cohort_count && row->cohort[0].state == COHORT_READY;
    if (row->cohort_count > 1)
        return false;
    if (!is_ready) {
        const struct row *next = &e->block->rows[e->block->next_row];
        if (e->now > e->next_row_until || next->cohort_count != 1 || next->cohort[0].state != COHORT_READY)
            return false;
        turn_begin_row(e, ROW_QUANTUM);
    }
    *here = begin_whole(e);
    begin_run(r, here, INT32_MAX);
    limits->budget = e->row_end - e->now;
    return true;
}

/* Runs one cohort until its threads part for long, wait, poll, end, reach the PC `stop`, or have executed `budget`
 * instructions. Returns false after a fault. `is_counted`: the launch may have sites; `is_noted`: it may be recorded,
 * too. Compiled three times, so that a launch pays for nothing that it does not ask for. */
static ALWAYS_INLINE bool run_cohort(struct engine *e, struct cohort *here, struct limits limits, bool is_counted,
                                     bool is_noted)
{
    const struct bound *bound = e->code->bound;
    struct run r;
    uint32_t active = 0;
    bool ok = true;
    begin_run(&r, here, limits.stop);
    while (r.count < limits.budget && (r.pc < r.stop || take_aside(e, &r, is_counted))) {
        const struct bound *in = &bound[r.pc];
        if (in->stretch && (!is_noted || !e->waste)) {
            uint64_t left = limits.budget - r.count, before_stop = (uint64_t)(r.stop - r.pc), length = in->stretch;
            length = length < left ? length : left;
            length = length < before_stop ? length : before_stop;
            if (!in->is_passed)
                length = run_stretch(e, &r, in, length, limits.budget, is_counted, is_noted);
            r.pc += (int32_t)length;
            r.count += length;
            if (length)
                continue;
        }
        active = straight_guarded(e, in, r.mask);
        r.count++;
        if (is_noted)
            note(e, in, r.pc, r.mask, active);
        if (in->kind == BOUND_LANES) {
            if (active)
                straight_lanes(e, in, active);
            r.pc++;
        } else if (in->kind == BOUND_BRANCH && (active == r.mask || !active)) {
            e->result->branches += in->guard != OFFSET_NONE;
            if (is_counted && e->sites && active && in->target != r.pc + 1) {
                count_jump(e, r.from, r.pc, r.mask);
                r.from = in->target;
            }
            r.jumps_back += active && in->target <= r.pc;
            r.pc = active ? in->target : r.pc + 1;
        } else if (!active) {
            r.pc++;
        } else if (active == UINT32_MAX && is_quick_load(e, in) && access_row(e, in, r.pc)) {
            r.pc++;
        } else if (is_shared_move(e, in) && shared_words_move(e, in, active)) {
            r.pc++;
        } else if (bound_is_straight(in)) {
            e->now += r.count;
            ok = execute_straight(e, in, r.pc, active);
            e->now -= r.count;
            if (!ok)
                break;
            r.pc++;
        } else if (!(in->kind == BOUND_BRANCH && limits.may_part && set_aside(e, &r, in->target, active, is_counted))) {
            if (!run_control(e, &r, here, active, is_counted, is_noted))
                return is_no_fault(e, here, r.pc);
            if (!limits.may_run_on || !run_on(e, &r, here, &limits))
                return true;
        }
    }
    release_aside(e, &r, here->depth);
    here->mask = r.mask;
    change_threads(e, &r, r.pc + !ok, is_counted);
    e->now += r.count;
    if (ok)
        row_add_cohort(e->row, r.pc, here->depth, r.mask);
    return ok || is_no_fault(e, here, r.pc);
}

static __attribute__((noinline)) bool run_plain(struct engine *e, struct cohort *here, struct limits limits)
{
    return run_cohort(e, here, limits, false, false);
}

static __attribute__((noinline)) bool run_counted(struct engine *e, struct cohort *here, struct limits limits)
{
    return run_cohort(e, here, limits, true, false);
}

static __attribute__((noinline)) bool run_noted(struct engine *e, struct cohort *here, struct limits limits)
{
    return run_cohort(e, here, limits, true, true);
}

/* Ends the turn of the threads that ran. The next turn alternates: the cohort that waited longest runs, and after its
 * turn the cohort with the lowest PC again. */
static void change_turns(const struct engine *e, struct row *row, uint32_t ran)
{
    for (uint32_t left = ran; left; left &= left - 1)
        row->last_turn[bits_lowest(left)] = e->now;
    row->had_turns = true;
    row->by_turn = !row->by_turn;
    row->diverged_time = 0;
}

static uint64_t length_of_turn(const struct row *row, bool has_locks)
{
    return row->by_turn ? COHORT_TURN : has_locks ? COHORT_PATIENCE_LATER : COHORT_PATIENCE;
}

/* The ready cohort `g` of several leaves the row's list and runs. */
static struct cohort begin_some(struct engine *e, int g, struct limits *limits, bool has_locks)
{
    struct row *row = e->row;
    const struct cohort here = remove_cohort(row, g);
    const uint64_t left = length_of_turn(row, has_locks) - row->diverged_time;
    limits->stop = row->by_turn ? INT32_MAX : next_stop(row, &here);
    limits->budget = left < limits->budget ? left : limits->budget;
    limits->may_part &= !row->by_turn;
    e->run_began = e->now;
    return here;
}

typedef bool run_fn(struct engine *e, struct cohort *here, struct limits limits);

enum run_end cohort_run_row(struct engine *e, bool *has_locks)
{
    run_fn *const run = e->taping || e->waste || e->accesses ? run_noted : e->sites ? run_counted : run_plain;
    const bool may_part = !e->taping && !e->waste;
    for (;;) {
        struct row *row = e->row;
        int g = pick(row);
        if (g < 0)
            return RUN_BLOCKED;
        const bool is_whole = row->cohort_count == 1;
        struct cohort here;
        struct limits limits = {e->row_end - e->now, INT32_MAX, may_part && !*has_locks, false};
        if (is_whole) {
            here = begin_whole(e);
            limits.may_run_on = limits.may_part;
        } else {
            here = begin_some(e, g, &limits, *has_locks);
        }
        if (!limits.budget)
            limits.budget = 1;
        if (!run(e, &here, limits))
            return RUN_FAULT;
        row = e->row;
        bool is_polling = row->poll.is_waiting;
        row->poll.is_waiting = false;
        row->diverged_time += e->now - e->run_began + (is_polling ? COHORT_POLL : 0);
        if (!is_whole && row->diverged_time >= length_of_turn(row, *has_locks)) {
            change_turns(e, row, here.mask);
            *has_locks = true;
        }
        if (is_polling)
            return RUN_POLLING;
        if (e->now >= e->row_end)
            return RUN_QUANTUM;
    }
}
