/*
 * Issue: an instruction leaves for its unit, is executed, and its results are due later.
 */
#include "sm/internal.h"

#include "base/arena.h"
#include "base/bits.h"

#include <string.h>

int issue_free_copy(const struct sm *sm, uint32_t unit)
{
    if (sm->ops->flags & DIV_IDEAL_LANES)
        return 0; /* lanes are the only limit, and sm.c counts them */
    for (uint32_t i = 0; i < sm->config->unit_count[unit]; i++)
        if (sm->unit_free[unit][i] <= sm->now)
            return (int)i;
    return -1;
}

static uint32_t passes_of(const struct sm *sm, const struct strand *s, enum op_class class)
{
    unsigned cost = sm->ops->issue_cost ? sm->ops->issue_cost(sm->div, s, class) : 0;
    return cost ? cost : sm_passes(sm->config);
}

static void count_issue(struct sm *sm, const struct strand *s)
{
    int threads = threads_size(&s->threads);
    struct sm_site *site = &sm->sites[s->pc];
    site->issues++;
    site->threads += (uint64_t)threads;
    site->diverged += sm->step.outcome_count > 1;
    for (int i = 0; i < sm->step.outcome_count; i++)
        if (sm->step.outcome[i].pc != s->pc + 1)
            site->taken += (uint64_t)threads_size(&sm->step.outcome[i].threads);
    if (sm->trace) {
        struct trace_issue issue = {.cycle = sm->now, .sm = sm->index, .strand = s->id, .pc = s->pc,
                                    .threads = (uint32_t)threads, .cycles = sm_passes(sm->config)};
        issue.port = s->lineage % (int32_t)sm->config->schedulers;
        for (int i = 0; i < s->threads.count; i++)
            issue.slots |= sm->host.slots(&sm->host, s->threads.part[i].row, s->threads.part[i].mask);
        trace_issue(sm->trace, &issue);
        if (sm->step.control && sm->ops->dump && trace_wants(sm->trace, sm->now, sm->index)) {
            struct text state = {0};
            sm->ops->dump(sm->div, &state);
            trace_state(sm->trace, sm->now, sm->index, -1, state.data ? state.data : "");
            text_free(&state);
        }
    }
    sm->stats.warp_instructions++;
    sm->stats.thread_instructions += (uint64_t)threads;
    sm->stats.issue_slots += sm->config->warp_width;
}

static enum mem_kind kind_of(const struct step_access *a)
{
    if (a->kind == STEP_CONSTANT)
        return MEM_CONSTANT;
    return a->is_atomic ? MEM_ATOMIC : a->is_store ? MEM_STORE : MEM_LOAD;
}

/* Hands an access to the memory system under the ticket; false: refused. */
static bool send_access(struct sm *sm, const struct step_access *a, const struct strand *s, uint32_t ticket,
                        bool wants_reply)
{
    struct mem_access m = {.kind = kind_of(a), .sm = sm->index, .ticket = ticket, .wants_reply = wants_reply,
                           .count = a->count, .bytes = a->bytes};
    const struct suffixes *suffixes = &sm->host.program->insns[s->pc].suffixes;
    m.bypasses_l1 = a->is_atomic || suffixes->mod[GROUP_CACHE] == CACHE_CG || suffixes->mod[GROUP_SEM] == SEM_VOLATILE;
    memcpy(m.address, a->address, sizeof a->address[0] * (size_t)a->count);
    int transactions = 0;
    if (!mem_issue(sm->mem, sm->now, &m, &transactions))
        return false;
    sm->stats.memory_instructions++;
    sm->stats.transactions += (uint64_t)transactions;
    sm->sites[s->pc].transactions += (uint64_t)transactions;
    return true;
}

static const struct step_access *find_access(const struct step *step, enum step_memory kind)
{
    for (int i = 0; i < step->access_count; i++)
        if (step->access[i].kind == kind)
            return &step->access[i];
    return NULL;
}

/* Threads of the strand leave the instruction: at once for straight ones, when it resolves for control ones. */
static void go_on(struct sm *sm, struct strand *s, uint32_t latency)
{
    struct strand_state *state = &sm->states[s->id];
    if (!sm->step.control) {
        s->pc++;
        if (sm->marks[s->pc] && sm->ops->arrive)
            sm->ops->arrive(sm->div, s);
        if (state->in_use)
            strand_evaluate(sm, s);
        return;
    }
    if (state->outcome_capacity < sm->step.outcome_count) {
        state->outcome_capacity = sm->step.outcome_count;
        state->outcome = xrealloc(state->outcome, sizeof *state->outcome * (size_t)state->outcome_capacity);
    }
    if (sm->step.outcome_count) /* none if all its threads ended */
        memcpy(state->outcome, sm->step.outcome, sizeof *state->outcome * (size_t)sm->step.outcome_count);
    state->outcome_count = sm->step.outcome_count;
    state->ended = sm->step.ended;
    state->resolving = true;
    strand_evaluate(sm, s);
    event_push(&sm->events, sm->now + latency, EVENT_RESOLVE, s->id, s->generation);
}

/* A strand at a barrier or rendezvous is held until all its threads were let go. */
static void wait_there(struct sm *sm, struct strand *s)
{
    int resumed = 0;
    for (int i = 0; i < sm->step.outcome_count; i++)
        resumed += threads_size(&sm->step.outcome[i].threads);
    s->waiting -= resumed;
    if (s->waiting == 0) { /* also when other parts of the strand opened it */
        strand_let_go(sm, s, s->pc + 1, s->depth);
        return;
    }
    s->held = true;
    strand_evaluate(sm, s);
    if (sm->ops->barrier)
        sm->ops->barrier(sm->div, s, s->block, sm->step.bound->insn->class == CLASS_BARRIER ? 0 : -1);
}

static void complete_later(struct sm *sm, const struct strand *s, int32_t pc, uint64_t cycle)
{
    int32_t w = scoreboard_begin(sm, s, pc);
    if (w < 0)
        return;
    sm->states[s->id].in_flight++;
    event_push(&sm->events, cycle, EVENT_WRITE_BACK, w, 0);
}

static enum issue_result execute(struct sm *sm, struct strand *s)
{
    s->waiting = threads_size(&s->threads);
    if (!step_execute(&sm->step, s, sm->now))
        return ISSUE_FAULT;
    count_issue(sm, s);
    return ISSUE_DONE;
}

static enum issue_result issue_memory(struct sm *sm, struct strand *s, int copy, const struct sm_cost *cost)
{
    const struct step_access *global = find_access(&sm->step, STEP_GLOBAL);
    if (!global)
        global = find_access(&sm->step, STEP_CONSTANT);
    const struct step_access *shared = find_access(&sm->step, STEP_SHARED);
    int32_t pc = s->pc;
    bool writes = sm->checks[pc].dest_count > 0;
    int32_t w = -1;
    if (global) {
        /* The record is the ticket, so it must exist before the memory system is asked. */
        w = scoreboard_begin(sm, s, pc);
        if (!send_access(sm, global, s, (uint32_t)w, writes)) {
            scoreboard_cancel(sm, w);
            sm->refused_kinds |= 1u << kind_of(global);
            return ISSUE_REFUSED;
        }
    }
    struct step_access kept_shared = shared ? *shared : (struct step_access){.count = 0};
    if (execute(sm, s) == ISSUE_FAULT)
        return ISSUE_FAULT;
    unsigned passes = 1;
    if (kept_shared.count) {
        passes = mem_shared_passes_of(sm->mem, kept_shared.count, kept_shared.address, kept_shared.bytes);
        sm->stats.shared_instructions++;
        sm->stats.shared_passes += passes;
    }
    uint32_t width = passes_of(sm, s, (enum op_class)sm->host.program->insns[pc].class);
    sm->unit_free[cost->unit][copy] = sm->now + (passes > width ? passes : width) * cost->interval_cycles;
    if (global && writes) {
        sm->states[s->id].in_flight++;
        sm->memory_pending++;
    } else if (global) {
        sm->states[s->id].in_flight++;
        event_push(&sm->events, sm->now + cost->latency_cycles, EVENT_WRITE_BACK, w, 0);
    } else {
        complete_later(sm, s, pc, sm->now + sm->config->shared_latency_cycles + passes - 1);
    }
    go_on(sm, s, cost->latency_cycles);
    return ISSUE_DONE;
}

enum issue_result issue_strand(struct sm *sm, struct strand *s)
{
    const struct insn *in = &sm->host.program->insns[s->pc];
    const struct sm_cost *cost = &sm->config->cost[in->class];
    int copy = issue_free_copy(sm, cost->unit);
    if (copy < 0)
        return ISSUE_REFUSED;
    step_note_accesses(&sm->step, s);
    if (sm->step.access_count)
        return issue_memory(sm, s, copy, cost);
    int32_t pc = s->pc;
    uint32_t width = passes_of(sm, s, (enum op_class)in->class);
    if (execute(sm, s) == ISSUE_FAULT)
        return ISSUE_FAULT;
    sm->unit_free[cost->unit][copy] = sm->now + (uint64_t)width * cost->interval_cycles;
    uint32_t latency = cost->latency_cycles + width - 1;
    if (in->branch >= 0) {
        sm->stats.branches++;
        sm->stats.divergent_branches += sm->step.outcome_count > 1;
    }
    complete_later(sm, s, pc, sm->now + latency);
    if (sm->step.waits) {
        sm->stats.barriers += in->class == CLASS_BARRIER;
        wait_there(sm, s);
    } else {
        go_on(sm, s, latency);
    }
    return ISSUE_DONE;
}

static void finish_blocks(struct sm *sm)
{
    for (int b = 0; b < sm->resident_capacity; b++) {
        struct resident *r = &sm->residents[b];
        if (!r->in_use || r->block->live_threads)
            continue;
        r->in_use = false;
        trace_block_end(sm->trace, sm->now, sm->index, r->age);
        sm->resident_count--;
        sm->stats.blocks++;
    }
}

void issue_resolve(struct sm *sm, int32_t id, uint32_t generation)
{
    struct strand *s = &sm->strands[id];
    struct strand_state *state = &sm->states[id];
    if (!state->in_use || s->generation != generation || !state->resolving)
        return;
    state->resolving = false;
    if (state->ended.count) {
        struct threads ended = state->ended;
        for (int i = 0; i < ended.count; i++) {
            for (uint32_t left = ended.part[i].mask; left; left &= left - 1)
                sm->strand_of[(size_t)ended.part[i].row * ROW_LANES + (unsigned)bits_lowest(left)] = -1;
            threads_remove(&s->threads, ended.part[i].row, ended.part[i].mask);
        }
        sm->ops->exit(sm->div, s, &ended);
        finish_blocks(sm);
    }
    if (!state->in_use || s->generation != generation)
        return;
    if (state->outcome_count)
        sm->ops->branch(sm->div, s, state->outcome, state->outcome_count);
    if (state->in_use && s->generation == generation)
        strand_evaluate(sm, s);
}
