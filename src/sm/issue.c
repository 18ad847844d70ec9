/*
 * Issue: an instruction leaves for its unit, is executed, and its results are due later. Compiled twice, as the cycle is.
 */
#include "sm/scoreboard.h"

#include "base/arena.h"

static uint32_t passes_of(const struct sm *sm, const struct strand *s, enum op_class class)
{
    unsigned cost = sm->ops->issue_cost(sm->div, s, class);
    return cost ? cost : sm->passes;
}

/* A copy of the unit that is free is held. Strands of one port's issue group lie on disjoint slices, so they share it.
 * Where lanes are ideal they are the only limit, and the cycle counts them. */
static ALWAYS_INLINE void hold_unit(struct sm *sm, int unit, uint64_t until, const struct traits t)
{
    uint64_t *copy = sm->unit_free[unit];
    uint32_t count = sm->config->unit_count[unit], chosen = t.is_sliced ? sm->group_copy[unit] : SM_NO_COPY;
    if (t.ideal)
        return;
    if (chosen == SM_NO_COPY)
        for (chosen = 0; copy[chosen] > sm->now;)
            chosen++;
    copy[chosen] = t.is_sliced ? sm_later(copy[chosen], until) : until;
    if (t.is_sliced)
        sm->group_copy[unit] = (uint8_t)chosen;
    uint64_t first = copy[0];
    for (uint32_t i = 1; i < count; i++)
        first = sm_earlier(first, copy[i]);
    sm->unit_next[unit] = first;
}

/* The same where slices have shares of the unit: those that the strand lies on. */
static void hold_shares(struct sm *sm, int unit, uint64_t until, uint64_t slices)
{
    uint32_t lanes = sm->slice_lanes;
    while (slices) {
        uint32_t i = (uint32_t)__builtin_ctzll(slices) / lanes;
        uint64_t *share = &sm->slice_free[unit][i];
        slices &= ~((uint64_t)bits_below(lanes) << i * lanes);
        while (*share > sm->now)
            share += sm->slices;
        *share = until;
    }
    sm->slice_last[unit] = sm_later(sm->slice_last[unit], until);
}

static void note_trace(struct sm *sm, const struct strand *s, int threads, uint32_t passes, int port)
{
    struct trace_issue issue = {.cycle = sm->now,
                                .sm = sm->index,
                                .port = port,
                                .strand = s->id,
                                .pc = s->pc,
                                .slots = s->slots,
                                .threads = (uint32_t)threads,
                                .cycles = passes};
    trace_issue(sm->trace, &issue);
}

static void count_control(struct sm *sm, const struct strand *s, const struct plan *p)
{
    struct sm_site *site = &sm->sites[s->pc];
    site->diverged += sm->step.outcome_count > 1;
    for (int i = 0; i < sm->step.outcome_count; i++) {
        if (sm->step.outcome[i].pc != s->pc + 1)
            site->taken += (uint64_t)threads_size(&sm->step.outcome[i].threads);
        if (sm->static_lines)
            static_lines_jump(sm, s->pc, &sm->step.outcome[i]);
    }
    if (p->is_branch) {
        sm->stats.branches++;
        sm->stats.divergent_branches += sm->step.outcome_count > 1;
    }
    sm->stats.barriers += p->op_class == CLASS_BARRIER;
}

static ALWAYS_INLINE void count_issue(struct sm *sm, const struct strand *s, const struct plan *p, int threads)
{
    struct sm_site *site = &sm->sites[s->pc];
    sm->stats.warp_instructions++;
    sm->stats.thread_instructions += (uint64_t)threads;
    site->issues++;
    site->threads += (uint64_t)threads;
    if (p->is_control)
        count_control(sm, s, p);
}

/* All the strand's threads go to one place when its instruction is done: they stay the same until then. */
static void keep_way(struct sm *sm, const struct strand *s, int32_t pc, int32_t depth)
{
    struct strand_state *state = &sm->states[s->id];
    state->route_pc = pc;
    state->route_depth = depth;
}

/* Where the step sent the strand's threads is kept until it resolves. */
static void keep_outcomes(struct sm *sm, const struct strand *s)
{
    struct pending_branch *kept = &sm->pending_branches[s->id];
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

/* Rows are not given to another block while writes to them are under way. */
static ALWAYS_INLINE void keep_rows(struct sm *sm, const struct strand *s, uint64_t due, bool mixes_blocks)
{
    int parts = mixes_blocks ? s->threads.count : 1;
    for (int i = 0; i < parts; i++) {
        struct resident *r = &sm->residents[sm->row_resident[s->threads.part[i].row]];
        r->busy_until = sm_later(r->busy_until, due);
    }
}

static ALWAYS_INLINE void note_done(struct sm *sm, const struct strand *s, uint64_t due)
{
    struct strand_state *state = &sm->states[s->id];
    state->done_at = sm_later(state->done_at, due);
}

/* The strand is at `pc` by straight-line advance. The mechanism may retire it there, and
 * make another of its number, for another port. */
static ALWAYS_INLINE void advance_to(struct sm *sm, struct strand *s, int32_t pc, bool at_once)
{
    uint32_t generation = s->generation;
    s->pc = pc;
    if (sm->marks[pc] && sm->ops->arrive) {
        sm->ops->arrive(sm->div, s);
        sm_called(sm);
    }
    if (strand_if_current(sm, s->id, generation))
        (at_once ? strand_evaluate_at_once : strand_evaluate)(sm, s);
}

void issue_pass(struct sm *sm, struct strand *s, int32_t pc, int32_t depth)
{
    const struct plan *p = &sm->plans->at[s->pc];
    s->held = false;
    if (p->dest_count) { /* the result is made of all that came, so from now on */
        uint64_t due = sm->now + p->latency + sm->passes - 1 + p->operands;
        scoreboard_begin(sm, s, p, due);
        keep_rows(sm, s, due, sm->traits.mixes_blocks);
        note_done(sm, s, due);
    }
    if (sm->traits.every_commit) {
        s->busy = true;
        keep_way(sm, s, pc, depth);
        uint64_t latency = sm_later(p->dest_count ? p->latency : 1, sm->config->barrier_latency_cycles);
        wheel_add(&sm->wheel, sm->now + sm_later(1, latency), EVENT_DONE, s->id, s->generation);
        return;
    }
    s->depth = depth;
    s->not_before = sm_later(s->not_before, sm->now + sm->config->barrier_latency_cycles);
    advance_to(sm, s, pc, false);
}

/* A strand at a barrier or rendezvous is held until all its threads were let go. */
static void wait_there(struct sm *sm, struct strand *s)
{
    int32_t pc = s->pc + 1, depth = s->depth;
    for (int i = 0; i < sm->step.outcome_count; i++) {
        const struct threads *t = &sm->step.outcome[i].threads;
        s->waiting -= threads_size(t);
        for (int k = 0; k < t->count; k++)
            threads_add(&sm->passed, t->part[k].row, t->part[k].mask);
    }
    s->busy = false;
    if (s->waiting == 0) { /* also when other parts of the strand opened it */
        issue_pass(sm, s, pc, depth);
        return;
    }
    s->held = true;
    if (!sm->ops->barrier)
        return;
    uint32_t generation = s->generation;
    struct threads passed;
    threads_copy(&passed, &sm->passed);
    sm->ops->barrier(sm->div, s, s->block, sm->step.bound->insn->class == CLASS_BARRIER ? 0 : -1);
    if (passed.count && !strand_if_current(sm, s->id, generation) && sm->ops->released)
        sm->ops->released(sm->div, pc, depth, &passed);
    sm_called(sm);
}

/* Threads of the strand leave the instruction. Results are there at `due`, or when memory answered (SM_NEVER). */
static ALWAYS_INLINE void go_on(struct sm *sm, struct strand *s, const struct plan *p, uint64_t due,
                                const struct traits t)
{
    if (!p->is_control && !t.every_commit) {
        advance_to(sm, s, s->pc + 1, sm->stays_ready);
    } else if (sm->step.waits) {
        wait_there(sm, s);
    } else if (sm->step.control) {
        sm->states[s->id].resolves = true;
        keep_outcomes(sm, s);
        wheel_add(&sm->wheel, due, EVENT_RESOLVE, s->id, s->generation);
    } else {
        keep_way(sm, s, s->pc + 1, s->depth);
        if (due != SM_NEVER)
            wheel_add(&sm->wheel, due, EVENT_DONE, s->id, s->generation);
    }
}

static unsigned count_passes(struct sm *sm, int32_t pc, const struct step_access *shared)
{
    unsigned passes = mem_shared_passes_of(sm->mem, shared->count, shared->address, shared->bytes);
    sm->stats.shared_instructions++;
    sm->stats.shared_passes += passes;
    sm->sites[pc].transactions += passes;
    return passes;
}

/* It takes the issue slot and its unit's time, and is done at once. It is no instruction of the program. */
static void issue_sync(struct sm *sm, struct strand *s, int port)
{
    const struct plan *p = &sm->plans->at[sm->plans->sync];
    uint32_t generation = s->generation;
    strand_unready(sm, s);
    sm->policy->issued(sm->sched, port, s, sm->now);
    sm->stats.syncs++;
    sm->has_synced = true;
    if (sm->slice_free[p->unit])
        hold_shares(sm, p->unit, sm->now + p->interval, s->slots);
    else
        hold_unit(sm, p->unit, sm->now + p->interval, sm->traits);
    s->syncs--;
    sm->ops->sync(sm->div, s);
    sm_called(sm);
    if (strand_if_current(sm, s->id, generation))
        strand_evaluate(sm, s);
}

static ALWAYS_INLINE enum issue_result issue(struct sm *sm, struct strand *s, int port, const struct traits t)
{
    const struct plan *p = &sm->plans->at[s->pc];
    const struct step_access *outside = NULL, *shared = NULL;
    bool answers = p->dest_count > 0;
    if (t.syncs && s->syncs) {
        issue_sync(sm, s, port);
        return ISSUE_DONE;
    }
    if (p->accesses) {
        step_note_accesses(&sm->step, s);
        for (int i = 0; i < sm->step.access_count; i++)
            *(sm->step.access[i].kind == STEP_SHARED ? &shared : &outside) = &sm->step.access[i];
        if (outside && !access_join(sm, s, p, outside, answers))
            return ISSUE_REFUSED;
    }
    int threads = s->size;
    uint64_t slices = sm->states[s->id].slices;
    if (p->is_control || !sm->stays_ready)
        strand_unready(sm, s);
    sm->policy->issued(sm->sched, port, s, sm->now); /* before it may be gone */
    if (t.fetches)
        fetch_used(sm, s);
    s->waiting = threads;
    s->busy = t.every_commit || p->is_control;
    sm->passed.count = 0;
    sm->executing = p->is_control ? s : NULL;
    bool ok = step_execute(&sm->step, s, sm->now);
    sm->executing = NULL;
    if (!ok)
        return ISSUE_FAULT;
    if (sm->loose_count)
        strands_deliver_loose(sm);
    count_issue(sm, s, p, threads);
    uint32_t width = t.sets_cost ? passes_of(sm, s, (enum op_class)p->op_class) : sm->passes;
    if (t.is_traced)
        note_trace(sm, s, threads, width, port);
    uint64_t held = width + p->operands, due = sm->now + p->latency + width - 1 + p->operands;
    if (shared) {
        unsigned passes = count_passes(sm, s->pc, shared);
        held = sm_later(held, passes);
        due = sm->now + sm->config->shared_latency_cycles + passes - 1;
    }
    if (t.has_gangs && sm->slice_free[p->unit])
        hold_shares(sm, p->unit, sm->now + held * p->interval, slices);
    else
        hold_unit(sm, p->unit, sm->now + held * p->interval, t);
    bool memory_answers = outside && answers;
    if (!memory_answers || shared) { /* of a generic load to both, the later one counts */
        if (answers)
            scoreboard_begin(sm, s, p, due);
        if (!t.every_commit) /* else threads do nothing more, and do not end, before it is done */
            keep_rows(sm, s, due, t.mixes_blocks);
        note_done(sm, s, due);
    }
    if (memory_answers)
        due = SM_NEVER;
    go_on(sm, s, p, due, t);
    return ISSUE_DONE;
}

enum issue_result issue_strand(struct sm *sm, struct strand *s, int port)
{
    static const struct traits commits = {.every_commit = true};
    return sm->plain_issue     ? issue(sm, s, port, (struct traits){0})
           : sm->commits_issue ? issue(sm, s, port, commits)
                               : issue(sm, s, port, sm->traits);
}

/* ---- done ---- */

static void finish_block(struct sm *sm, struct resident *r)
{
    r->in_use = false;
    sm->resident_count--;
    sm->resident_threads -= (uint64_t)sm->rows_per_block * ROW_LANES;
    sm->stats.blocks++;
    sm->last_end = sm->now;
    trace_block_end(sm->trace, sm->now, sm->index, r->age);
    if (r->busy_until > sm->now)
        wheel_add(&sm->wheel, r->busy_until, EVENT_ROOM, 0, 0);
}

/* Threads ended: they are in no strand any more, and their block may be done. */
static void end_threads(struct sm *sm, struct strand *s, const struct threads *ended)
{
    for (int i = 0; i < ended->count; i++)
        strand_lose(sm, s, ended->part[i].row, ended->part[i].mask);
    sm->ops->exit(sm->div, s, ended);
    for (int i = 0; i < ended->count; i++) {
        struct resident *r = &sm->residents[sm->row_resident[ended->part[i].row]];
        r->threads -= bits_count(ended->part[i].mask);
        if (r->threads == 0)
            finish_block(sm, r);
    }
}

/* The mechanism is told where the strand's threads are, and may do with it what it likes. Then the strand is evaluated,
 * unless the mechanism made it ready. One that is gone is not evaluated, and another that got its number waits for the
 * cycle that host_create() found for it. */
static void deliver(struct sm *sm, struct strand *s, const struct outcome *outcome, int count)
{
    if (count)
        (sm->traits.every_commit ? sm->ops->commit : sm->ops->branch)(sm->div, s, outcome, count);
    sm_called(sm);
    if (!sm->states[s->id].ready)
        strand_evaluate(sm, s);
}

void issue_resolve(struct sm *sm, struct strand *s)
{
    const struct pending_branch *kept = &sm->pending_branches[s->id];
    uint32_t generation = s->generation;
    sm->states[s->id].resolves = false;
    s->busy = false;
    if (kept->ended.count) {
        struct threads ended;
        threads_copy(&ended, &kept->ended);
        end_threads(sm, s, &ended);
    }
    deliver(sm, s, kept->outcome, strand_if_current(sm, s->id, generation) ? kept->count : 0);
}

void issue_complete(struct sm *sm, struct strand *s)
{
    const struct strand_state *state = &sm->states[s->id];
    if (!s->busy || state->resolves)
        return;
    s->busy = false;
    sm->route.pc = state->route_pc;
    sm->route.depth = state->route_depth;
    threads_copy(&sm->route.threads, &s->threads);
    deliver(sm, s, &sm->route, 1);
}
