/*
 * The clock of the whole machine, in windows.
 *
 * Multiprocessors (SMs) run through all cycles of a window, then the memory system catches up. A window is no longer
 * than the crossbar's latency (mem_quantum()), so nothing that one SM does can reach another within it. Windows begin
 * at multiples of their length, whatever happens, so that the order in which SMs get blocks and touch memory is a
 * function of the launch alone. A window in which nothing happens is skipped.
 *
 * A window has two parts. First all SMs run, each with the values of memory at the window's beginning and what it wrote
 * itself (exec/posted.h), so that host threads may run them side by side (gpu/hands.h). An SM stops where it needs more
 * than that: before an atomic whose result is used, for instance (sm/plan.h), or where it can take a block. Then what
 * the SMs wrote becomes visible, in order of their numbers, and those that stopped go on, one after the other in that
 * order, with memory as it is. In most launches atomics stop no SM: they are done in this second part (gpu/lead.h).
 */
#include "gpu/dispatch.h"
#include "gpu/hands.h"
#include "gpu/internal.h"
#include "gpu/lead.h"
#include "mem/ideal.h"
#include "sm/limits.h"

/* An SM may run ahead of the others while nothing outside can reach it, up to the next multiple of so many core cycles:
 * then the SM's state stays in the host's cache. All stop at the same cycle, so that host threads find them all with
 * something to do in the same window; for the same reason an SM does not run past a window in which another SM goes on,
 * which mostly waits there for a block, nor in a turn of its own.
 *
 * An SM with room for a block has to wait until all others have come to its cycle, and then goes from there to the
 * common one while their host threads have nothing to do. So SMs stop more often as long as blocks wait. What is
 * simulated before a fault must not depend on the number of host threads, so that one alone does the same. */
enum { AHEAD_CYCLES = 8192, AHEAD_CYCLES_WITH_BLOCKS = 512 };
/* Limits and watchers are looked at after so many windows or core cycles. */
enum { WINDOWS_PER_LOOK = 32, CYCLES_PER_LOOK = 16384 };

/* The next cycle at which anything can happen; UINT64_MAX: never. Any cycle of the next window does as well as
 * another, so if a slice of the L2 is due there, as it mostly is, nobody else is asked. */
static uint64_t next_cycle(const struct gpu *g)
{
    const bool slices_are_due = mem_slices_are_due(g->mem, gpu_window_end(g, g->now + 1));
    if (slices_are_due && !g->lead.may)
        return g->now + 1;
    uint64_t next = slices_are_due ? mem_next_at_sms(g->mem) : mem_next_event(g->mem);
    const uint64_t *due = g->due, *end = due + g->sm_count;
    for (; due < end; due++)
        next = clock_earlier(next, *due);
    /* Slices can catch up later, as long as SMs know what reaches them. */
    return slices_are_due && next > g->now + mem_reach(g->mem) ? g->now + 1 : next;
}

/* Lists the SMs that may have something to do up to cycle `last`, the end of their turns: by themselves, or because
 * something happens at their side of the memory system. Gives their number. No branches, since the host cannot predict
 * them. */
static int list_turns(const struct gpu *g, uint64_t last)
{
    const struct mem_times *memory = mem_times(g->mem);
    const uint64_t *due = g->due, *ignores_memory = g->ignores_memory,
                   until = g->run->visit_every_cycle ? UINT64_MAX : last;
    const int all = g->sm_count;
    int count = 0, *turns = g->window.turns;
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

/* The last cycle to which SMs may run ahead in the window that ends with cycle `last`. */
static uint64_t find_ahead(const struct gpu *g, uint64_t last)
{
    const uint64_t cycles = dispatch_has_blocks(g) ? AHEAD_CYCLES_WITH_BLOCKS : AHEAD_CYCLES;
    uint64_t next = (last / cycles + 1) * cycles;
    for (int i = 0; i < g->sm_count; i++)
        next = clock_earlier(next, g->due[i] > last ? g->due[i] : UINT64_MAX);
    return gpu_window_end(g, next) - g->by_quantum.by;
}

/* The last cycle to which the SM may run in its turn, as far as is known now. */
static uint64_t last_of_turn(const struct gpu *g, int index, bool is_own)
{
    const uint64_t last = g->window.last, reach = mem_times(g->mem)[index].reach;
    return is_own || reach <= last ? last : clock_earlier(g->window.lead, reach);
}

/* Whether an SM may go on at a cycle past the window's end: only if it is alone (sm_is_alone()), and within reason.
 * Where clusters are spread, other SMs may write its shared memory. */
static bool may_run_ahead(const struct gpu *g, const struct sm *sm, uint64_t cycle, bool is_own)
{
    const struct gpu_run *run = g->run;
    return cycle <= g->window.ahead && !is_own && !run->visit_every_cycle && !run->watch.every_cycles && !g->spreads &&
           sm_is_alone(sm);
}

/* How an SM's turn ended. */
enum turn_end {
    TURN_DONE,      /* the SM has done all it can for now */
    TURN_WANTS_OWN, /* the SM stopped before something that needs a turn of its own */
    TURN_FAULT
};

/* The SM wants to go on at cycle `due`. */
static enum turn_end end_turn(struct gpu *g, int index, uint64_t due)
{
    g->due[index] = due;
    g->ignores_memory[index] = sm_heeds_memory(g->sms[index]) ? 0 : UINT64_MAX;
    return TURN_DONE;
}

/* Gives an SM that has room the next block. In a shared turn, the SM waits for its own; past the end of the window, for
 * the window of its own cycle. TURN_DONE: the turn goes on. */
static enum turn_end refill(struct gpu *g, struct sm *sm, bool is_own, bool *must_wait)
{
    *must_wait = false;
    if (!dispatch_has_blocks(g) || g->spreads || !sm_has_room(sm, g->cluster_size))
        return TURN_DONE;
    *must_wait = sm_now(sm) > g->window.last;
    if (*must_wait)
        return TURN_DONE;
    if (!is_own)
        return TURN_WANTS_OWN;
    dispatch_block(g, sm, sm_now(sm));
    return TURN_DONE;
}

/* The first cycle of the window that the SM has not done, or where it stopped. */
static uint64_t first_of_turn(const struct sm *sm, uint64_t first)
{
    uint64_t next = sm_now(sm) + !sm_is_stopped(sm);
    return next > first ? next : first;
}

/* The cycle up to which an SM may go on by itself from cycle `first` on in a turn that ends with cycle `last`. */
static uint64_t run_until(const struct gpu *g, int index, uint64_t first, uint64_t last, bool ahead)
{
    if (g->run->visit_every_cycle)
        return first;
    if (ahead)
        last = g->window.ahead;
    else if (g->lead.reads_shared && first <= g->window.last) /* past the window, the SM may do less */
        last = clock_earlier(last, g->window.last);
    bool is_observed = g->livelock.is_watching && livelock_observes(&g->livelock, index);
    return is_observed ? clock_earlier(last, first + livelock_stride(&g->livelock) - 1) : last;
}

/* The turn of an SM whose fault was kept (gpu/lead.h). */
static enum turn_end meet_fault(struct gpu *g, const struct hand *hand, int index, bool is_own)
{
    if (g->due[index] > g->window.last)
        return TURN_DONE;
    if (!is_own && sm_is_late(g->sms[index]))
        return TURN_WANTS_OWN;
    hand->engine->result->fault = *g->lead.fault[index];
    return TURN_FAULT;
}

/* Runs an SM through the cycles of the window, and further while it may run ahead. A block that ends makes room for the
 * next one in the same cycle. */
static enum turn_end run_turn(struct gpu *g, const struct hand *hand, int index, bool is_own)
{
    struct sm *sm = g->sms[index];
    const uint64_t first = g->window.first;
    bool must_wait = false;
    if (g->lead.fault && g->lead.fault[index])
        return meet_fault(g, hand, index, is_own);
    /* The race check compares what is stored with what is in memory, so that stores must be there at once. */
    sm_begin_turn(sm, hand->engine, hand->sites, is_own || g->sm_count == 1 || g->engine->race);
    /* The SM may have come to where a block of its own ended, in the shared turn or ahead of the others: the next block
     * starts there. If the SM stopped in the middle of that cycle, the rest of the cycle is done first. */
    if (sm_now(sm) >= first && !sm_is_stopped(sm) && refill(g, sm, is_own, &must_wait) == TURN_WANTS_OWN)
        return TURN_WANTS_OWN;
    if (must_wait)
        return end_turn(g, index, sm_now(sm));
    for (uint64_t t = first_of_turn(sm, first); dispatch_is_active(g, sm); t++) {
        if (!g->run->visit_every_cycle) {
            uint64_t next = sm_next(sm, last_of_turn(g, index, is_own));
            t = next > t ? next : t;
        }
        const uint64_t last = last_of_turn(g, index, is_own);
        bool ahead = t > last;
        if (ahead && !may_run_ahead(g, sm, t, is_own))
            return end_turn(g, index, t);
        const struct sm_run_limits limits = {.until = run_until(g, index, t, last, ahead),
                                             .turn = ahead                ? SM_TURN_AHEAD
                                                     : is_own             ? SM_TURN_OWN
                                                     : t > g->window.last ? SM_TURN_LEAD
                                                                          : SM_TURN_SHARED,
                                             .takes_blocks = dispatch_has_blocks(g),
                                             .defers = g->lead.may,
                                             .results_stop = g->livelock.is_watching};
        enum sm_progress progress = sm_run(sm, t, &limits);
        t = sm_now(sm);
        const bool is_late = !is_own && sm_is_late(sm);
        if (progress == SM_FAULT && (ahead || t <= g->window.last) && !is_late)
            return TURN_FAULT;
        if (progress == SM_FAULT) {
            lead_keep_fault(g, index, &hand->engine->result->fault, t);
            return t > g->window.last ? TURN_DONE : TURN_WANTS_OWN;
        }
        if (progress == SM_STOPPED)
            return t > g->window.last ? end_turn(g, index, t) : TURN_WANTS_OWN;
        if (g->livelock.is_watching && !sm_awaits_results(sm))
            livelock_observe(&g->livelock, index);
        if (refill(g, sm, is_own, &must_wait) == TURN_WANTS_OWN)
            return TURN_WANTS_OWN;
        if (must_wait)
            return end_turn(g, index, sm_now(sm));
    }
    return end_turn(g, index, UINT64_MAX);
}

/* ---- the two parts of a window ---- */

/* The first part of the window, for the SMs that one hand runs. After a fault the other SMs have their turns all the
 * same, so that what was simulated does not depend on which hand has which SM. */
static void run_shared_turns(struct gpu *g, struct hand *hand)
{
    struct fault *fault = &hand->engine->result->fault;
    for (int sm = hands_next_turn(g, hand); sm >= 0; sm = hands_next_turn(g, hand)) {
        if (!has_turn(g, sm, g->window.lead))
            continue;
        enum turn_end end = run_turn(g, hand, sm, false);
        if (end == TURN_WANTS_OWN)
            g->window.stopped_in[sm] = 1 + (int)(hand - g->hands.at);
        if (end == TURN_DONE)
            mem_advance_sm(g->mem, sm, g->window.last);
        if (g->lead.may)
            g->lead.unpublished[sm] = sm_unpublished(g->sms[sm]);
        if (end != TURN_FAULT)
            continue;
        if (hand->fault_sm < 0 || sm < hand->fault_sm) {
            hand->fault_sm = sm;
            hand->fault = *fault;
        }
        fault->kind = FAULT_NONE;
    }
}

/* Makes visible what SMs wrote in the first part, up to the SM that made a fault. */
static void publish(struct gpu *g, int fault_sm)
{
    if (g->lead.may)
        lead_publish_first_part(g, g->window.last, fault_sm);
    else
        for (int i = 0; i < g->window.turn_count && g->window.turns[i] <= fault_sm; i++)
            g->engine->writes += sm_publish(g->sms[g->window.turns[i]], UINT64_MAX, true);
}

/* Adds the writes that hands counted to those of the launch. */
static void add_writes(struct gpu *g)
{
    for (int i = 1; i < g->hands.at_work; i++) {
        g->engine->writes += g->hands.at[i].engine->writes;
        g->hands.at[i].engine->writes = 0;
    }
}

/* The hand with the fault of the lowest SM; NULL: there was no fault. */
static const struct hand *find_faulty(const struct gpu *g)
{
    const struct hand *faulty = NULL;
    for (int i = 0; i < g->hands.at_work; i++) {
        const struct hand *h = &g->hands.at[i];
        if (h->fault_sm >= 0 && (!faulty || h->fault_sm < faulty->fault_sm))
            faulty = h;
    }
    return faulty;
}

/* The second part of the window, for one SM: what it wrote late, then what it stopped before. */
static bool run_own_turn(struct gpu *g, struct hand *hand, int sm)
{
    const bool has_stopped = g->window.stopped_in[sm];
    g->window.stopped_in[sm] = 0;
    lead_publish_late(g, sm, g->window.last);
    if (!has_stopped)
        return true;
    if (run_turn(g, hand, sm, true) != TURN_FAULT)
        return true;
    g->engine->result->fault = hand->engine->result->fault;
    return false;
}

/* The second part of the window: SMs that stopped go on, one after the other. False after a fault, which is then in the
 * result. */
static bool run_own_turns(struct gpu *g)
{
    int count = 0;
    for (int sm = 0; sm < g->sm_count; sm++) {
        const int stopped_in = g->window.stopped_in[sm];
        if (stopped_in || lead_has_late(g, sm, g->window.last))
            g->window.own_turns[count++] = (struct hand_turn){.sm = sm, .hand = stopped_in ? stopped_in - 1 : 0};
    }
    return hands_run_in_order(g, g->window.own_turns, count, run_own_turn);
}

/* Runs all SMs through the window. False after a fault, which is then in the result. */
static bool run_window(struct gpu *g, uint64_t first, uint64_t last)
{
    g->window.first = first;
    g->window.last = last;
    g->window.lead = lead_end(g, last);
    g->window.ahead = find_ahead(g, last);
    g->window.turn_count = list_turns(g, g->window.lead);
    if (g->lead.reads_shared) /* what SMs wrote in windows that were skipped is visible in this one */
        lead_publish_before(g, last);
    hands_run(g, run_shared_turns, !livelock_is_wide(&g->livelock));
    const struct hand *faulty = find_faulty(g);
    publish(g, faulty ? faulty->fault_sm : g->sm_count);
    if (faulty) {
        g->engine->result->fault = faulty->fault;
        return false;
    }
    const bool goes_on = run_own_turns(g);
    add_writes(g);
    return goes_on;
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
    uint64_t last = gpu_window_end(g, cycle);
    while (g->now < last) {
        uint64_t next = mem_next_event(g->mem);
        if (next <= g->now) /* a reply to a load whose threads have ended: nobody takes it */
            next = g->now + 1;
        g->now = next < last ? gpu_window_end(g, next) : last;
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
        bool is_done = memory[i].next == UINT64_MAX && memory[i].reach == UINT64_MAX; /* nothing comes past its reach */
        if (g->due[i] != UINT64_MAX || !is_done || !is_taken)
            return false;
    }
    return true;
}

/* Between two windows: what one SM did to the blocks of another one. */
static void spread(struct gpu *g)
{
    for (int i = 0; i < g->sm_count; i++)
        if (sm_resident(g->sms[i]) && sm_let_go(g->sms[i], g->now))
            g->due[i] = g->now + 1;
    dispatch_spread(g, g->now);
}

bool windows_run(struct gpu *g, struct gpu_result *result)
{
    uint64_t looked_at = g->start;
    dispatch_first(g);
    g->is_one_round = !dispatch_has_blocks(g);
    for (int i = 0; i < g->sm_count; i++)
        end_turn(g, i, g->start + 1);
    while (!dispatch_is_done(g)) {
        uint64_t next = next_cycle(g);
        if (next == UINT64_MAX || (next <= g->now && only_untaken_replies(g)))
            return launch_fault_deadlock(g, result);
        uint64_t first = g->run->visit_every_cycle || next <= g->now ? g->now + 1 : next;
        uint64_t last = gpu_window_end(g, first);
        mem_advance(g->mem, first - 1);
        if (!run_window(g, first, last) || g->is_halted)
            return false;
        mem_advance(g->mem, last);
        g->now = last;
        if (g->spreads)
            spread(g);
        if (g->now >= g->interval_at && !dispatch_is_done(g))
            counters_report_interval(g);
        if (++result->windows % WINDOWS_PER_LOOK == 0 || g->now - looked_at >= CYCLES_PER_LOOK) {
            looked_at = g->now;
            if (counters_warp_instructions(g) > g->engine->limit)
                return launch_fault_limit(g, result);
            const uint64_t issued = counters_warp_instructions(g);
            if (livelock_is_due(&g->livelock, issued))
                hands_gather(g);
            livelock_check(&g->livelock, issued);
            if (!counters_report_progress(g))
                return launch_fault_stopped(g, result);
        }
        g->scene.waiting_blocks = g->block_count - g->next_block;
        if (g->livelock.is_watching) {
            if (livelock_is_wide(&g->livelock)) /* only then counters by instruction decide */
                hands_gather(g);
            if (livelock_is_certain(&g->livelock))
                return launch_fault_livelock(g, result);
        }
    }
    if (g->lead.may)
        lead_publish(g, UINT64_MAX);
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
