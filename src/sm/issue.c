/*
 * Issue of one strand's next instruction: its effects, the unit and registers that it holds, and where its threads go
 * next, at once or when the instruction is done (resolve.c). cycle.c chooses the strand.
 *
 * issue() is compiled several times: for no traits, for every_commit alone, for gangs, pairs, lanes and ideal lanes,
 * and for any traits. Ideal lanes hold no unit here: cycle.c counts the lanes, which are their only limit.
 */
#include "sm/issue.h"

#include "base/arena.h"
#include "exec/bound.h"
#include "exec/taping.h"
#include "mem/ideal.h"
#include "sm/bundles/ready.h"
#include "sm/internal.h"
#include "sm/ready_set.h"

/* The threads of a part of the strand that pass the guard of its next instruction. */
static uint32_t guarded(struct sm *sm, const struct strand *s, int part)
{
    return (sm->traits.is_taped ? sm->engine->taping->steps->guarded : step_guarded)(&sm->step, s, part);
}

/* Home slots of the threads that execute the strand's next instruction: see issue_cost in div/contract/div.h. */
static uint64_t working_slots(struct sm *sm, const struct strand *s, const struct plan *p)
{
    if (p->is_control || sm->engine->code->bound[s->pc].guard == OFFSET_NONE)
        return s->slots;
    uint64_t working = 0;
    for (int i = 0; i < s->threads.count; i++)
        working |= thread_map_slots(sm, s->threads.part[i].row, guarded(sm, s, i));
    return working;
}

/* What the strand's next instruction takes: passes through the lanes, and cycles for which it holds its unit. */
struct width {
    uint32_t passes;
    uint64_t cycles; /* conflicts of register banks apart */
};

/* To be called before the instruction is executed, which may overwrite its guard. */
static struct width width_of(struct sm *sm, const struct strand *s, const struct plan *p)
{
    struct width w = {1, p->interval};
    if (p->unit == SM_SCALAR)
        return w;
    uint64_t working = working_slots(sm, s, p);
    unsigned passes = sm->ops->issue_cost(sm->div, working, (enum op_class)p->op_class);
    w.passes = passes ? passes : sm->units.passes;
    w.cycles = passes && sm->ops->unit_cost ? sm->ops->unit_cost(sm->div, working, p->interval) : 0;
    if (!w.cycles)
        w.cycles = (uint64_t)w.passes * p->interval;
    return w;
}

/* Holds the plan's unit for some cycles; where slices have shares of the unit, the shares of the slices in `slots`. */
static ALWAYS_INLINE void hold_unit(struct sm *sm, const struct plan *p, uint64_t cycles, uint64_t slots,
                                    const struct sm_traits t)
{
    if (t.has_gangs && units_has_shares(&sm->units, p->unit))
        units_hold_shares(&sm->units, p->unit, sm->now + cycles, slots);
    else if (!t.ideal)
        units_hold(&sm->units, p->unit, sm->now + cycles, sm->now, t.is_sliced);
}

/* Whether the issue may change what the mechanism prints of its state, without a call of the mechanism. It prints the
 * block in which a strand is, and a strand may come to the next block in a straight line; under a mechanism that takes
 * every commit, a strand leaves the pool when it issues. */
static bool changes_state(const struct sm *sm, int32_t pc)
{
    const struct program *p = sm->host.facts.program;
    return sm->traits.every_commit || (pc + 1 < p->insn_count && p->insns[pc + 1].block != p->insns[pc].block);
}

static void note_trace(struct sm *sm, const struct strand *s, int threads, uint64_t slots, uint32_t passes, int port)
{
    struct trace_issue issue = {.cycle = sm->now,
                                .sm = sm->index,
                                .port = port,
                                .strand = s->id,
                                .pc = s->pc,
                                .slots = slots,
                                .threads = (uint32_t)threads,
                                .cycles = passes};
    trace_issue(sm->trace, &issue);
    sm->cycle.has_new_state |= changes_state(sm, s->pc);
}

/* Holds the strand's lane. Returns the cycles by which the last thread's result is behind the first thread's, and one:
 * a dependent instruction takes the threads in the same order, so it need not wait for the last of them, but a control
 * instruction decides when all have passed. */
static uint64_t hold_lane(struct sm *sm, const struct strand *s, const struct plan *p, int threads, int port)
{
    uint32_t lane = warp_lanes_of(&sm->lanes, s->lineage);
    uint64_t cycles =
        warp_lanes_hold(&sm->lanes, port, lane, threads, s->slots, p->unit, p->interval, p->operands, sm->now);
    if (sm->traits.is_traced)
        note_trace(sm, s, threads, warp_lanes_slots(&sm->lanes, lane), (uint32_t)cycles, port);
    return p->is_control ? cycles : 1;
}

static void count_control(struct sm *sm, const struct strand *s, const struct plan *p, uint64_t issues)
{
    struct site *site = &sm->sites[s->pc];
    bool diverged = sm->step.outcome_count > 1 && !sm->traits.ideal; /* each thread of a bundle counts by itself */
    site->diverged += diverged;
    for (int i = 0; i < sm->step.outcome_count; i++) {
        if (sm->step.outcome[i].pc != s->pc + 1)
            site->taken += (uint64_t)threads_size(&sm->step.outcome[i].threads);
        if (sm->shortcuts.counts_iterations)
            static_lines_jump(sm, s->pc, sm->step.outcome[i].pc, &sm->step.outcome[i].threads, UINT32_MAX);
    }
    if (p->is_branch) {
        sm->stats.branches += issues;
        sm->stats.divergent_branches += diverged;
    }
    sm->stats.barriers += p->op_class == CLASS_BARRIER ? issues : 0;
}

static ALWAYS_INLINE void count_issue(struct sm *sm, const struct strand *s, const struct plan *p, int threads,
                                      bool is_ideal)
{
    struct site *site = &sm->sites[s->pc];
    const uint64_t issues = is_ideal ? (uint64_t)threads : 1; /* see bundles.h */
    sm->stats.warp_instructions += issues;
    sm->stats.thread_instructions += (uint64_t)threads;
    site->issues += issues;
    site->threads += (uint64_t)threads;
    if (p->is_control)
        count_control(sm, s, p, issues);
}

/* Keeps where all the strand's threads go when its instruction is done, which leaves their call depth as it is. The
 * strand's threads do not change until then. */
static void keep_route(struct sm *sm, const struct strand *s, int32_t pc)
{
    sm->strands.state[s->id].route_pc = pc;
}

/* Keeps where the step sent the strand's threads, until the instruction resolves. */
static void keep_outcomes(struct sm *sm, const struct strand *s)
{
    struct pending_branch *kept = &sm->strands.branch[s->id];
    kept->count = sm->step.outcome_count;
    if (kept->capacity < kept->count) {
        kept->capacity = kept->count;
        kept->outcome = xrealloc(kept->outcome, sizeof *kept->outcome * (size_t)kept->count);
    }
    for (int i = 0; i < kept->count; i++) {
        kept->outcome[i].pc = sm->step.outcome[i].pc;
        kept->outcome[i].depth = sm->step.outcome[i].depth;
        threads_copy(&kept->outcome[i].threads, &sm->step.outcome[i].threads);
    }
    threads_copy(&kept->ended, &sm->step.ended);
}

/* The strand's rows are not given to another block while writes to them are in flight. Where all threads of a strand
 * are of one block, thread_map.c does it when threads leave the strand. */
static void keep_rows(struct sm *sm, const struct strand *s, uint64_t due)
{
    for (int i = 0; i < s->threads.count; i++)
        residents_keep_row(&sm->residents, s->threads.part[i].row, due);
}

static ALWAYS_INLINE void note_done(struct sm *sm, const struct strand *s, uint64_t due)
{
    struct scoreboard_strand *pending = &sm->strands.state[s->id].pending;
    pending->done_at = sm_later(pending->done_at, due);
}

/* The plan's instruction, which the strand issues, writes its destinations at cycle `due`. */
static inline void begin_writes(struct sm *sm, const struct strand *s, const struct plan *p, uint64_t due)
{
    struct scoreboard *b = &sm->scoreboard;
    if (b->is_plain)
        scoreboard_begin(b, &sm->strands.state[s->id].pending, s, p, due, sm->now);
    else if (!b->is_off)
        readiness_begin_writes(sm, s, p, due);
}

/* The strand advances to `pc` in a straight line. The mechanism may retire the strand there, and create another with
 * its id, for another port: such a strand is not evaluated here. It may also give the strand other threads, whose lanes
 * the cycle has not taken yet: where strands share the lanes of a port, the strand waits for the end of the issue. */
static ALWAYS_INLINE void advance_to(struct sm *sm, struct strand *s, int32_t pc, bool at_once)
{
    uint32_t generation = s->generation;
    s->pc = pc;
    if (sm->marks[pc] && sm->ops->arrive) {
        sm->ops->arrive(sm->div, s);
        sm_called(sm);
        at_once &= !sm->traits.is_sliced;
    }
    if (!s->parked && strand_table_current(&sm->strands, s->id, generation)) /* a parked strand is not ready */
        (at_once ? readiness_evaluate_at_once : readiness_evaluate)(sm, s);
}

void issue_arrive(struct sm *sm, struct strand *s)
{
    advance_to(sm, s, s->pc, sm->shortcuts.stays_ready);
}

/* Cycles from the last arrival at a block barrier, or at a rendezvous of a warp's threads, to the release. */
static uint64_t release_latency(const struct sm *sm, const struct plan *p)
{
    return p->op_class == CLASS_BARRIER ? sm->config->barrier_latency_cycles : sm->config->rendezvous_latency_cycles;
}

/* With limits counted apart: the cycle before which the last thread of the strand's block cannot arrive at a barrier.
 * Memory's share in it is that of the block only if the multiprocessor has no other block in this launch. */
static uint64_t last_arrival(const struct sm *sm, const struct strand *s)
{
    int place = sm->residents.place_of_row[s->threads.part[0].row];
    uint64_t last = sm_later(sm->now, limits_last_issue(&sm->limits.block[place]));
    if (sm->limits.has_one_block)
        last = sm_later(last, ideal_memory_answered(sm->ideal_memory, sm->index));
    return last;
}

void issue_pass(struct sm *sm, struct strand *s, int32_t pc, int32_t depth)
{
    const struct plan *p = &sm->plans->at[s->pc];
    const struct strand_state *state = &sm->strands.state[s->id];
    uint64_t data_at = p->accesses ? sm->strands.branch[s->id].data_at : 0;
    s->held = false;
    if (p->dest_count) { /* the result depends on every thread that came, so its latency starts now */
        uint64_t due = sm_later(sm->now + p->latency + sm->units.passes - 1 + p->operands, data_at);
        begin_writes(sm, s, p, due);
        if (sm->traits.mixes_blocks)
            keep_rows(sm, s, due);
        note_done(sm, s, due);
    }
    if (sm->traits.every_commit) {
        s->busy = true;
        keep_route(sm, s, pc);
        uint64_t latency = sm_later(p->dest_count ? p->latency : 1, release_latency(sm, p));
        if (!p->accesses || !state->pending.loads) /* else the strand goes on when memory has answered */
            wheel_add(&sm->wheel, sm_later(sm->now + sm_later(1, latency), data_at), EVENT_DONE, s->id, s->generation);
        return;
    }
    s->depth = depth;
    uint64_t last = sm->traits.least_time && p->joins_block ? last_arrival(sm, s) : sm->now;
    s->not_before = sm_later(s->not_before, last + release_latency(sm, p));
    advance_to(sm, s, pc, false);
}

/* The strand executed a barrier or rendezvous instruction. It is held until all its threads are let go; a mechanism may
 * take the threads over instead, and then hears at once of those that have passed already. */
static void wait_for_release(struct sm *sm, struct strand *s)
{
    int32_t pc = s->pc + 1, depth = s->depth;
    for (int i = 0; i < sm->step.outcome_count; i++) {
        const struct threads *t = &sm->step.outcome[i].threads;
        s->waiting -= threads_size(t);
        for (int k = 0; k < t->count; k++)
            threads_add(&sm->releases.passed, t->part[k].row, t->part[k].mask);
    }
    s->busy = false;
    if (s->waiting == 0) { /* also when a later part of the strand released an earlier one */
        issue_pass(sm, s, pc, depth);
        return;
    }
    s->held = true;
    if (!sm->ops->barrier)
        return;
    uint32_t generation = s->generation;
    struct threads passed;
    threads_copy(&passed, &sm->releases.passed);
    sm->ops->barrier(sm->div, s, s->block, sm->step.bound->insn->class == CLASS_BARRIER ? 0 : -1);
    if (passed.count && !strand_table_current(&sm->strands, s->id, generation) && sm->ops->released)
        sm->ops->released(sm->div, pc, depth, &passed);
    sm_called(sm);
}

/* The strand's threads leave the instruction. Its results are written at `due`, or when memory has answered
 * (SM_NEVER). `is_deferred`: it has not been executed, and goes to the strand's backlog. */
static ALWAYS_INLINE void leave_instruction(struct sm *sm, struct strand *s, const struct plan *p, uint64_t due,
                                            const bool is_deferred, const struct sm_traits t)
{
    if (t.ideal && !p->is_control && sm->map.bundles.has_easy) {
        bundles_advance(sm, s);
    } else if (!p->is_control && !t.every_commit) {
        s->pc++;
        if (is_deferred)
            backlog_add(sm, s, &sm->strands.state[s->id]);
        advance_to(sm, s, s->pc, sm->shortcuts.stays_ready);
    } else if (sm->step.waits) {
        wait_for_release(sm, s);
    } else if (sm->step.control) {
        sm->strands.state[s->id].resolves = true;
        keep_outcomes(sm, s);
        wheel_add(&sm->wheel, due, EVENT_RESOLVE, s->id, s->generation);
    } else {
        keep_route(sm, s, s->pc + 1);
        if (due != SM_NEVER)
            wheel_add(&sm->wheel, due, EVENT_DONE, s->id, s->generation);
    }
}

/* Passes over the banks of shared memory until the access is served. Where strands on disjoint slices issue in one
 * cycle, these are the passes of their joint access so far, and only those that this strand adds are counted, at its
 * PC. */
static unsigned shared_passes(struct sm *sm, const struct strand *s, const struct step_access *shared, bool is_sliced)
{
    unsigned before = 0;
    unsigned passes =
        is_sliced ? shared_group_join(&sm->shared, sm->mem, shared, s->block, &before)
                  : mem_shared_passes_of(sm->mem, shared->count, shared->address, shared->bytes, shared->is_atomic);
    sm->stats.shared_instructions++;
    sm->stats.shared_passes += passes - before;
    sm->stats.shared_stall_cycles += passes - (before ? before : 1);
    sm->sites[s->pc].transactions += passes - before;
    return passes;
}

/* Issues an operation of the mechanism, on a convergence barrier or a stack. It takes the issue slot and time of its
 * unit, and is done at once. It is no instruction of the program, and counts as none, unless the program was lowered
 * (lower/lower.h). */
static enum issue_result issue_sync(struct sm *sm, struct strand *s, int port)
{
    const struct plan *p = &sm->plans->at[sm->plans->sync];
    uint32_t generation = s->generation;
    bool counts = sm->host.facts.program->kernel->module->is_lowered;
    readiness_clear(sm, s);
    ready_set_issue(sm, s, port);
    sm->stats.syncs++;
    if (counts) { /* by the PC of the instruction behind the operation */
        sm->stats.warp_instructions++;
        sm->stats.thread_instructions += (uint64_t)s->size;
        sm->sites[s->pc].issues++;
        sm->sites[s->pc].threads += (uint64_t)s->size;
    }
    hold_unit(sm, p, p->interval, s->slots, sm->traits);
    if (sm->traits.fetches && sm->shortcuts.fetches_syncs)
        fetch_used(sm, s);
    s->syncs--;
    sm->ops->sync(sm->div, s);
    sm_called(sm);
    if (strand_table_current(&sm->strands, s->id, generation))
        readiness_evaluate(sm, s);
    return counts ? ISSUE_DONE : ISSUE_SYNCED;
}

/* Threads of the strand that the guard of its next instruction does not switch off. */
static int working_threads(struct sm *sm, const struct strand *s)
{
    int working = 0;
    if (sm->engine->code->bound[s->pc].guard == OFFSET_NONE)
        return s->size;
    for (int i = 0; i < s->threads.count; i++)
        working += bits_count(guarded(sm, s, i));
    return working;
}

/* Counts the issue in the limits. The place of a block is not free before ports and units can have issued all that the
 * block has issued. */
static void note_limits(struct sm *sm, const struct strand *s, const struct plan *p)
{
    int place = sm->residents.place_of_row[s->threads.part[0].row];
    limits_issue(&sm->limits, place, p, s->size, working_threads(sm, s), sm->now);
}

/* Tells the observer that the strand is about to execute an instruction. False: the observer ends the launch. */
static bool tell_before(struct sm *sm, const struct strand *s)
{
    if (!sm->observer || sm->observer->before(sm->observer->context, sm, s))
        return true;
    sm->engine->result->fault.kind = FAULT_STOPPED;
    return false;
}

static void tell_after(const struct sm *sm, const struct plan *p)
{
    if (sm->observer)
        sm->observer->after(sm->observer->context, p->is_control ? sm->step.outcome_count : 1);
}

/* Cycles for which mbarrier.try_wait suspends threads if the phase is not complete. Hardware wakes them when it is, so
 * that they do not take issue slots from the threads that they wait for; here they ask again. */
enum { TRY_WAIT_CYCLES = 64 };

/* Executes the strand's next instruction. False after a fault. */
static ALWAYS_INLINE bool execute(struct sm *sm, struct strand *s, const struct sm_traits t)
{
    bool ok = (t.is_taped ? sm->engine->taping->steps->execute : step_execute)(&sm->step, s, sm->now);
    sm->releases.executing = NULL;
    if (ok && sm->releases.loose_count)
        releases_deliver(sm);
    return ok;
}

/* The strand, which issues, is no longer among the ready ones. This comes before its instruction is executed, which may
 * retire the strand. */
static ALWAYS_INLINE void leave_ready(struct sm *sm, struct strand *s, const struct plan *p, int port,
                                      const struct sm_traits t)
{
    if (t.ideal && sm->map.bundles.rows) { /* bundles have no scheduler that would have to hear of it */
        bundles_remove_ready(sm, s, &sm->strands.state[s->id]);
        return;
    }
    if (p->is_control || !sm->shortcuts.stays_ready)
        readiness_clear(sm, s);
    ready_set_issue(sm, s, port);
}

/* ISSUE_REFUSED: the strand's access cannot join the access that this cycle collects; nothing has changed. */
static ALWAYS_INLINE enum issue_result issue(struct sm *sm, struct strand *s, int port, const struct sm_traits t)
{
    const struct plan *p = &sm->plans->at[s->pc];
    const struct step_access *outside = NULL, *shared = NULL;
    bool answers = p->dest_count > 0;
    if (t.syncs && s->syncs)
        return issue_sync(sm, s, port);
    const bool is_deferred = p->is_simple && !p->is_control && sm->shortcuts.defers_lanes;
    if (!is_deferred)
        backlog_empty(sm, s, &sm->strands.state[s->id]);
    if (p->accesses) {
        if (!t.ideal || !sm->map.bundles.has_noted)
            (t.is_taped ? sm->engine->taping->steps->note_accesses : step_note_accesses)(&sm->step, s);
        for (int i = 0; i < sm->step.access_count; i++)
            *(sm->step.access[i].kind == STEP_SHARED ? &shared : &outside) = &sm->step.access[i];
        if (outside && !access_join(sm, s, p, outside, answers)) {
            sm->step.noted = NULL;
            return ISSUE_REFUSED;
        }
        if (outside && answers)
            scoreboard_note_load(&sm->strands.state[s->id].pending, p);
    }
    if (t.is_traced && !tell_before(sm, s))
        return ISSUE_FAULT;
    int threads = s->size;
    uint64_t slices = sm->strands.state[s->id].slices;
    leave_ready(sm, s, p, port, t);
    if (t.fetches)
        fetch_used(sm, s);
    s->waiting = threads;
    s->busy = t.every_commit || p->is_control;
    sm->releases.passed.count = 0;
    sm->releases.executing = p->is_control ? s : NULL;
    struct width width = t.sets_cost ? width_of(sm, s, p) : (struct width){p->passes, p->passes * p->interval};
    if (t.checks_scalar && p->unit == SM_SCALAR)
        issue_check_scalar(sm, s);
    if (t.least_time)
        note_limits(sm, s, p);
    if (!is_deferred && !execute(sm, s, t))
        return ISSUE_FAULT;
    count_issue(sm, s, p, threads, t.ideal);
    if (t.is_traced)
        tell_after(sm, p);
    if (t.is_traced && !t.has_lanes)
        note_trace(sm, s, threads, s->slots, width.passes, port);
    uint64_t held = width.cycles + (uint64_t)p->operands * p->interval;
    uint64_t due = sm->now + p->latency + width.passes - 1 + p->operands;
    if (t.has_lanes)
        due = sm->now + p->latency + p->operands + hold_lane(sm, s, p, threads, port) - 1;
    if (shared) {
        unsigned passes = t.ideal && shared->count > 1 ? bundles_pass_banks(sm, s, shared)
                                                       : shared_passes(sm, s, shared, t.is_sliced);
        held = sm_later(held, (uint64_t)passes * p->interval);
        due = sm->now + sm->config->shared_latency_cycles + passes - 1;
        if (p->tries && sm->engine->has_to_wait)
            due += TRY_WAIT_CYCLES;
        if (p->is_control) /* issue_pass() needs it when all threads of the matrices have come */
            sm->strands.branch[s->id].data_at = due;
    }
    if (!t.has_lanes || !warp_lanes_has_share(&sm->lanes, p->unit))
        hold_unit(sm, p, held, slices, t);
    bool memory_answers = outside && answers;
    if (!memory_answers || shared) { /* a generic load from global and shared memory waits for both */
        if (answers)
            begin_writes(sm, s, p, due);
        /* With every_commit threads issue nothing, and so do not end, before the write is done. */
        if (!t.every_commit && t.mixes_blocks)
            keep_rows(sm, s, due);
        note_done(sm, s, due);
    }
    if (t.has_async && p->async)
        async_issued(sm, s, p);
    if (memory_answers)
        due = SM_NEVER;
    leave_instruction(sm, s, p, due, is_deferred, t);
    return ISSUE_DONE;
}

enum issue_result issue_strand(struct sm *sm, struct strand *s, int port)
{
    static const struct sm_traits commits = {.every_commit = true};
    return sm->shortcuts.plain_issue     ? issue(sm, s, port, (struct sm_traits){0})
           : sm->shortcuts.ideal_only    ? issue(sm, s, port, sm_traits_of_ideal())
           : sm->shortcuts.commits_issue ? issue(sm, s, port, commits)
           : sm->shortcuts.gangs_only    ? issue(sm, s, port, sm_traits_of_gangs(&sm->traits))
           : sm->shortcuts.pairs_only    ? issue(sm, s, port, sm_traits_of_pairs(&sm->traits))
           : sm->shortcuts.lanes_only    ? issue(sm, s, port, sm_traits_of_lanes(&sm->traits))
                                         : issue(sm, s, port, sm->traits);
}
