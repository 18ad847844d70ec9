/*
 * The clock of the whole machine, in windows.
 *
 * Multiprocessors (SMs) run one after the other, each through all cycles of a window; then the memory system catches
 * up. A window is no longer than the crossbar's latency (mem_quantum()), so nothing that one SM does can reach another
 * within it. Windows begin at multiples of their length, whatever happens, so that the order in which SMs get blocks
 * and touch memory is a function of the launch alone. A window in which nothing happens is skipped.
 */
#include "gpu/dispatch.h"
#include "gpu/internal.h"
#include "mem/ideal.h"
#include "sm/limits.h"

/* How far, in core cycles, an SM may run ahead of the others while nothing outside can reach it: then the SM's
 * state stays in the host's cache. */
enum { AHEAD_CYCLES = 1024 };

/* The last cycle of the window that holds the cycle. */
static uint64_t window_end(const struct gpu *g, uint64_t cycle)
{
    return (divide(g->by_quantum, cycle) + 1) * g->by_quantum.by - 1;
}

/* The next cycle at which anything can happen; UINT64_MAX: never. Any cycle of the next window does as well as
 * another, so if a slice of the L2 is due there, as it mostly is, nobody else is asked. */
static uint64_t next_cycle(const struct gpu *g)
{
    if (mem_next_in_slices(g->mem) <= window_end(g, g->now + 1))
        return g->now + 1;
    uint64_t next = mem_next_event(g->mem);
    const uint64_t *due = g->due, *end = due + g->sm_count;
    for (; due < end; due++)
        next = clock_earlier(next, *due);
    return next;
}

/* Lists the SMs that may have something to do up to cycle `last`, the end of the window: by themselves, or because
 * something happens at their side of the memory system. Gives their number. No branches, since the host cannot predict
 * them. */
static int list_turns(const struct gpu *g, uint64_t last)
{
    const struct mem_times *memory = mem_times(g->mem);
    const uint64_t *due = g->due, *ignores_memory = g->ignores_memory,
                   until = g->run->visit_every_cycle ? UINT64_MAX : last;
    const int all = g->sm_count;
    int count = 0, *turns = g->turns;
    for (int i = 0; i < all; i++) {
        turns[count] = i;
        count += clock_earlier(due[i], clock_earlier(memory[i].next, memory[i].reply) | ignores_memory[i]) <= until;
    }
    return count;
}

/* Whether a listed SM has something to do by cycle `last`. Most events at an SM's side of the memory system wake
 * nothing in the SM: this function lets the memory system do these events, and moves `due` behind them. */
static bool has_turn(struct gpu *g, int index, uint64_t last)
{
    if (g->run->visit_every_cycle)
        return true;
    if (g->due[index] > last && !g->ignores_memory[index])
        g->due[index] = clock_earlier(g->due[index], mem_next_any_wakeup(g->mem, index, last));
    return g->due[index] <= last;
}

/* The SM has done all it can for now and wants to go on at cycle `due`. Always true: no fault. */
static bool end_turn(struct gpu *g, int index, uint64_t due)
{
    g->due[index] = due;
    g->ignores_memory[index] = sm_heeds_memory(g->sms[index]) ? 0 : UINT64_MAX;
    return true;
}

/* Whether an SM may go on at a cycle past the window's end: only if it is alone (sm_is_alone()), and within reason. */
static bool may_run_ahead(const struct gpu *g, const struct sm *sm, uint64_t cycle, uint64_t last)
{
    const struct gpu_run *run = g->run;
    return cycle <= last + AHEAD_CYCLES && !run->visit_every_cycle && !run->watch.every_cycles && sm_is_alone(sm);
}

/* Runs an SM through the cycles `first` to `last` of a window, and further while it may run ahead. A block that
 * ends makes room for the next one in the same cycle. False after a fault. */
static bool run_window(struct gpu *g, int index, uint64_t first, uint64_t last)
{
    struct sm *sm = g->sms[index];
    /* The SM may have run ahead to where a block of its own ended: the next block starts there. If the SM stopped
     * in the middle of that cycle, the rest of the cycle is done first. */
    bool ran_ahead = sm_now(sm) >= first && !sm_is_stopped(sm);
    if (ran_ahead && dispatch_has_blocks(g) && !dispatch_refill(g, sm, last))
        return end_turn(g, index, sm_now(sm));
    for (uint64_t t = first; dispatch_is_active(g, sm); t++) {
        if (!g->run->visit_every_cycle) {
            uint64_t next = sm_next(sm, last);
            t = next > t ? next : t;
        }
        bool ahead = t > last;
        if (ahead && !may_run_ahead(g, sm, t, last))
            return end_turn(g, index, t);
        enum sm_progress progress = sm_cycle(sm, t, ahead);
        if (progress == SM_FAULT)
            return false;
        if (progress == SM_STOPPED)
            return end_turn(g, index, t);
        if (g->livelock.is_watching)
            livelock_observe(&g->livelock, index);
        if (!dispatch_refill(g, sm, last))
            return end_turn(g, index, sm_now(sm));
    }
    return end_turn(g, index, UINT64_MAX);
}

/* The cycle at which the last block ended or, in a launch that was stopped, the furthest cycle of any SM. */
static uint64_t last_thread(const struct gpu *g, bool finished)
{
    uint64_t end = 0;
    for (int i = 0; i < g->sm_count; i++) {
        uint64_t own = finished ? sm_last_end(g->sms[i]) : sm_now(g->sms[i]);
        end = own > end ? own : end;
    }
    return end;
}

/* Brings memory to the end of the window that holds the cycle, to which SMs may have run ahead. */
static void catch_up(struct gpu *g, uint64_t cycle)
{
    uint64_t last = window_end(g, cycle);
    while (g->now < last) {
        uint64_t next = mem_next_event(g->mem);
        if (next <= g->now) /* a reply to a load whose threads have ended: nobody takes it */
            next = g->now + 1;
        g->now = next < last ? window_end(g, next) : last;
        mem_advance(g->mem, g->now);
    }
}

void windows_drain_memory(struct gpu *g)
{
    struct mem_reply reply;
    for (uint64_t next; (next = mem_next_event(g->mem)) != UINT64_MAX;) {
        g->now = next > g->now ? next : g->now;
        mem_advance(g->mem, g->now);
        for (int i = 0; i < g->sm_count; i++)
            while (mem_take_reply(g->mem, i, g->now, &reply))
                ;
    }
}

/* Whether nothing is left in the memory system but replies to loads whose threads have ended, on SMs that have no block
 * any more: nobody will take these, so that the memory system never has nothing to do. */
static bool only_untaken_replies(const struct gpu *g)
{
    const struct mem_times *memory = mem_times(g->mem);
    if (mem_next_in_slices(g->mem) != UINT64_MAX)
        return false;
    for (int i = 0; i < g->sm_count; i++) {
        bool is_taken = memory[i].reply == UINT64_MAX || !dispatch_is_active(g, g->sms[i]);
        if (g->due[i] != UINT64_MAX || memory[i].next != UINT64_MAX || !is_taken)
            return false;
    }
    return true;
}

bool windows_run(struct gpu *g, struct gpu_result *result)
{
    uint64_t windows = 0; /* run so far: limits and watchers are looked at in each 32nd window */
    dispatch_first(g);
    g->is_one_round = !dispatch_has_blocks(g);
    for (int i = 0; i < g->sm_count; i++)
        end_turn(g, i, g->start + 1);
    while (!dispatch_is_done(g)) {
        uint64_t next = next_cycle(g);
        if (next == UINT64_MAX || (next <= g->now && only_untaken_replies(g)))
            return launch_fault_deadlock(g, result);
        uint64_t first = g->run->visit_every_cycle || next <= g->now ? g->now + 1 : next;
        uint64_t last = window_end(g, first);
        mem_advance(g->mem, first - 1);
        int turns = list_turns(g, last);
        for (int i = 0; i < turns; i++)
            if (has_turn(g, g->turns[i], last) && !run_window(g, g->turns[i], first, last))
                return false;
        if (g->is_halted)
            return false;
        mem_advance(g->mem, last);
        g->now = last;
        if (g->now >= g->interval_at && !dispatch_is_done(g))
            counters_report_interval(g);
        if ((++windows & 0x1f) == 0) {
            if (counters_warp_instructions(g) > g->engine->limit)
                return launch_fault_limit(g, result);
            livelock_check(&g->livelock, counters_warp_instructions(g));
            if (!counters_report_progress(g))
                return launch_fault_stopped(g, result);
        }
        g->scene.waiting_blocks = g->block_count - g->next_block;
        if (g->livelock.is_watching && livelock_is_certain(&g->livelock))
            return launch_fault_livelock(g, result);
    }
    return true;
}

/* Whether nothing delays an instruction, so that limits are to be counted apart (DIV_LEAST_TIME). */
static bool takes_least_time(const struct gpu *g)
{
    return g->run->mechanism->flags & DIV_LEAST_TIME;
}

/* Whether each block is on the same SM in every run: those of the first round are, later ones go to any SM. */
static bool is_fixed(const struct gpu *g)
{
    return g->is_one_round || g->run->machine->gpu.sm_count == 1;
}

/* A cycle before which the last thread cannot end, because of the limits of SMs and memory. */
static uint64_t least_end(const struct gpu *g)
{
    const struct machine *m = g->run->machine;
    struct limits_meters sum = {0};
    uint64_t last = ideal_memory_done(g->ideal, g->start, is_fixed(g));
    for (int i = 0; i < g->sm_count; i++) {
        limits_add_work(&sum, sm_limits(g->sms[i]));
        if (is_fixed(g))
            last = clock_later(last, limits_last_issue(sm_limits(g->sms[i])));
        if (is_fixed(g))
            last = clock_later(last, ideal_memory_answered(g->ideal, i));
    }
    last = clock_later(last, limits_even_last_issue(&sum, g->start, m->gpu.sm_count));
    return last + m->sm.cost[CLASS_BRANCH].latency_cycles;
}

/* A cycle before which the last store or atomic cannot be done. */
static uint64_t least_written(const struct gpu *g)
{
    uint64_t written = ideal_memory_last_written(g->ideal);
    for (int i = 0; i < g->sm_count && is_fixed(g); i++)
        written = clock_later(written, ideal_memory_sent(g->ideal, i));
    return written;
}

/* A launch ends when what its threads wrote is visible to the next launch: with the last store or atomic done at
 * the L2, if that is later than the end of the last thread. Nobody waits for the stores of a launch that was
 * stopped. */
void windows_end_launch(struct gpu *g, struct gpu_result *result, bool finished)
{
    uint64_t threads = last_thread(g, finished);
    if (finished && takes_least_time(g))
        threads = clock_later(threads, least_end(g));
    catch_up(g, threads);
    g->end = threads;
    if (!finished)
        return;
    windows_drain_memory(g);
    uint64_t written = takes_least_time(g) ? least_written(g) : mem_last_written(g->mem);
    if (written > threads) {
        g->end = written;
        result->drain_cycles = written - threads;
    }
}
