/* Bundles of threads that issue together on ideal lanes (bundles.h): what a port issues in a cycle. */
#include "sm/bundles/easy.h"
#include "sm/bundles/ready.h"
#include "sm/ready_set.h"

#include <string.h>

/* ---- which instructions a bundle may issue ---- */

enum how {
    HOW_FREE,    /* the order of threads does not matter: registers of the own thread only */
    HOW_ORDERED, /* threads may issue as a bundle, but in the order of picks */
    HOW_SINGLE   /* each thread issues by itself */
};

static enum how how_to_issue(const struct plan *p)
{
    if (p->is_simple)
        return HOW_FREE;
    switch (p->bound->kind) {
    case BOUND_LANES:
    case BOUND_CLOCK:
    case BOUND_NOTHING:
    case BOUND_TO_GENERIC:
    case BOUND_FROM_GENERIC:
    case BOUND_IS_SPACE:
    case BOUND_BRANCH:
        return p->accesses ? HOW_ORDERED : HOW_FREE;
    case BOUND_LOAD:
    case BOUND_STORE:
    case BOUND_ATOMIC:
    case BOUND_TEXTURE:
    case BOUND_EXIT:
        return HOW_ORDERED;
    case BOUND_BARRIER: /* a constant one for all threads of the block lets them go at once, if all come to it */
        return p->joins_block && p->bound->guard == OFFSET_NONE && p->bound->source[0] < 0 ? HOW_ORDERED : HOW_SINGLE;
    default:
        return HOW_SINGLE;
    }
}

static struct strand *strand_of(const struct sm *sm, int32_t row, uint32_t lane)
{
    return &sm->strands.at[sm->map.bundles.rows[row].id[bits_lowest(lane)]];
}

/* The lowest lanes of the mask, which has more than so many. */
static uint32_t lowest_lanes(uint32_t mask, int count)
{
    uint32_t lowest = 0;
    for (; count > 0; count--) {
        lowest |= mask & -mask;
        mask &= mask - 1;
    }
    return lowest;
}

/* ---- issue of one strand ---- */

/* Whether the instruction loads or stores, and only the memory system behind the multiprocessor answers it. */
static bool is_plain_access(const struct sm *sm, const struct plan *p)
{
    const struct bound *in = p->bound;
    return (in->kind == BOUND_LOAD || in->kind == BOUND_STORE) &&
           (in->space == IN_GLOBAL || in->space == IN_CONSTANT) && sm->map.bundles.has_easy && sm->shortcuts.ideal_only;
}

/* issue_strand() for such an access: it neither holds a unit nor concerns other threads. */
static enum issue_result issue_plain_access(struct sm *sm, struct strand *s, const struct plan *p, int port)
{
    struct strand_state *state = &sm->strands.state[s->id];
    struct step *step = &sm->step;
    struct site *site = &sm->sites[s->pc];
    const bool answers = p->dest_count > 0;
    const uint64_t threads = (uint64_t)s->size;
    if (!sm->map.bundles.has_noted) {
        backlog_empty(sm, s, state); /* the address may be in it */
        step_note_accesses(step, s);
    }
    if (!step->part_active[0])
        return issue_strand(sm, s, port);
    if (!access_join(sm, s, p, &step->access[0], answers)) {
        step->noted = NULL;
        return ISSUE_REFUSED;
    }
    if (answers)
        scoreboard_note_load(&state->pending, p);
    else
        state->pending.done_at = sm_later(state->pending.done_at, sm->now + p->due_cycles);
    bundles_remove_ready(sm, s, state);
    if (!step_execute_noted(step, p->bound, s, sm->now))
        return ISSUE_FAULT;
    sm->stats.warp_instructions += threads;
    sm->stats.thread_instructions += threads;
    site->issues += threads;
    site->threads += threads;
    bundles_advance(sm, s);
    return ISSUE_DONE;
}

static enum issue_result issue(struct sm *sm, struct strand *s, const struct plan *p, int port)
{
    if (is_plain_access(sm, p))
        return issue_plain_access(sm, s, p, port);
    /* Where instructions must be fetched, the one behind a branch is asked for when the branch resolves. */
    if (!p->is_simple || !sm->scoreboard.is_plain || (p->is_control && sm->shortcuts.awaits_code))
        return issue_strand(sm, s, port);
    bundles_remove_ready(sm, s, &sm->strands.state[s->id]);
    bundles_issue_simple(sm, s, p);
    return ISSUE_DONE;
}

/* ---- one port's turn in a cycle ---- */

struct turn {
    struct sched_ask *ask;
    int left;                    /* threads that may still issue, `greedy` apart */
    int issued;                  /* threads that have issued */
    struct bundle_thread greedy; /* the thread that was to go first and has not issued yet; row -1: none */
    struct bundle_thread first;  /* the thread that went first, or is `greedy`; row -1: none */
    struct bundle_thread newest; /* the last row that issued, and all its lanes that issued, `first` apart */
};

/* The lane of the thread, if it is in the row; else 0. */
static uint32_t lane_in(struct bundle_thread thread, int32_t row)
{
    return thread.row == row ? thread.lane : 0;
}

/* Whether a ready strand of the port can issue. */
static bool can_issue(const struct sm *sm, const struct strand *s, const struct sched_ask *ask)
{
    return !ask->blocked || !(ask->blocked >> sm->strands.state[s->id].class & 1);
}

/* Whether some generic addresses of the lanes are in local memory and others are not: step.c does not note these in the
 * order of lanes. */
static bool mixes_local(const struct sm *sm, const struct plan *p, uint32_t mask)
{
    if (p->bound->space != IN_GENERIC || p->bound->kind == BOUND_TEXTURE)
        return false;
    uint32_t local = 0;
    for (uint32_t left = mask; left; left &= left - 1)
        if (sm->step.lane_address[bits_lowest(left)] - MEMORY_LOCAL_BASE < MEMORY_WINDOW_SIZE)
            local |= left & -left;
    return local && local != mask;
}

/* Those of the strand's threads, which are to access memory, that can do so as one: all of them if each makes one
 * access of one kind, or if none makes any; as many as the cycle's access has room for; else the first one. */
static uint32_t lanes_alike(struct sm *sm, const struct strand *s)
{
    const uint32_t mask = s->threads.part[0].mask;
    backlog_empty(sm, s, &sm->strands.state[s->id]); /* the addresses may be in it */
    step_note_accesses(&sm->step, s);
    const struct step_access *a = &sm->step.access[0];
    if (!sm->step.part_active[0])
        return mask;
    if (sm->step.access_count != 1 || a->count != s->size || a->has_pieces ||
        mixes_local(sm, &sm->plans->at[s->pc], mask))
        return mask & -mask;
    int room = MEM_MAX_LANES - sm->flights.open_lanes;
    return a->kind == STEP_SHARED || room >= s->size || room < 1 ? mask : lowest_lanes(mask, room);
}

/* The thread's address becomes the first of the strand's access, which is noted; a lane of 0: none does. */
static void put_first(struct sm *sm, const struct strand *s, uint32_t lane)
{
    struct step_access *a = &sm->step.access[0];
    if (!(s->threads.part[0].mask & lane) || !sm->step.access_count)
        return;
    if (sm->step.lane_address != sm->step.own_address) { /* they are in the access; the step still needs them by lane */
        memcpy(sm->step.own_address, sm->step.lane_address, sizeof sm->step.own_address);
        sm->step.lane_address = sm->step.own_address;
    }
    int at = bits_count(s->threads.part[0].mask & (lane - 1));
    uint64_t own = a->address[at];
    memmove(a->address + 1, a->address, sizeof own * (size_t)at);
    a->address[0] = own;
}

/* Whether no thread of a row before this one, in the order of picks, can issue on the port. */
static bool is_first_row(const struct sm *sm, const struct sched_ask *ask, int32_t row)
{
    const struct bundles *b = &sm->map.bundles;
    const int rows = sm->residents.rows_per_block;
    for (int i = 0; i < b->place_count; i++) {
        const int32_t first = sm->residents.at[b->places[i]].first_row;
        for (int32_t r = first; r < first + rows; r++) {
            if (r == row)
                return true;
            if (bundles_find_free(sm, ask->port, r, ask->blocked))
                return false;
        }
    }
    return true;
}

/* Whether the thread, whose instruction its strand `s` can issue, may issue with the strand: the order does not matter,
 * or the strand loads and is all that issues in order until the strand has issued. Loads of different threads do not
 * see each other, but the addresses of an access are in the order of picks. */
static bool may_wait(struct sm *sm, const struct turn *turn, const struct strand *s)
{
    const struct plan *p = &sm->plans->at[s->pc];
    const struct part part = s->threads.part[0];
    if (s->size == 1)
        return false;
    if (how_to_issue(p) == HOW_FREE)
        return true;
    if (p->bound->kind != BOUND_LOAD || p->bound->space == IN_GENERIC || p->bound->guard != OFFSET_NONE ||
        s->size > turn->left || s->size > MEM_MAX_LANES - sm->flights.open_lanes)
        return false;
    uint32_t others = sm->map.bundles.ready[turn->ask->port][part.row] & ~part.mask;
    return !others && is_first_row(sm, turn->ask, part.row);
}

/* Threads of the row have issued. There is no branch on the row: the host could not predict it. */
static ALWAYS_INLINE void note_newest(struct turn *turn, int32_t row, uint32_t lanes)
{
    const uint32_t is_other = -(uint32_t)(lanes && turn->newest.row != row);
    turn->newest.lane = (turn->newest.lane & ~is_other) | lanes;
    turn->newest.row = (int32_t)(((uint32_t)turn->newest.row & ~is_other) | ((uint32_t)row & is_other));
}

/* These threads of the row, which are `size`, have issued as one; `greedy`: the lane of the thread that was to go
 * first, if it is among them, else 0. */
static ALWAYS_INLINE void note_issue(struct turn *turn, int32_t row, uint32_t lanes, int size, uint32_t greedy)
{
    turn->issued += size;
    turn->left -= size - (greedy != 0);
    if (greedy)
        turn->greedy.row = -1;
    note_newest(turn, row, lanes & ~lane_in(turn->first, row));
}

/* Issues those of these threads of the strand that can issue as one. False after a fault. */
static bool issue_lanes(struct sm *sm, struct turn *turn, struct strand *s, uint32_t lanes)
{
    const struct plan *p = &sm->plans->at[s->pc];
    const int32_t row = s->threads.part[0].row;
    if (lanes != s->threads.part[0].mask)
        bundles_split_ready(sm, s, lanes); /* the rest may issue in this cycle, too */
    if (p->accesses && s->size > 1) {
        uint32_t alike = lanes_alike(sm, s);
        if (alike != lanes)
            bundles_split_ready(sm, s, alike);
        else
            put_first(sm, s, lane_in(turn->greedy, row));
        sm->map.bundles.has_noted = alike == lanes;
        lanes = alike;
    }
    const int size = s->size;
    enum issue_result result = issue(sm, s, p, turn->ask->port);
    const uint32_t greedy = lane_in(turn->greedy, row) & lanes;
    sm->map.bundles.has_noted = false;
    if (result == ISSUE_FAULT)
        return false;
    if (result == ISSUE_REFUSED) {
        const struct plan_class *class = &sm->plans->class[p->class];
        turn->ask->blocked |= sm->plans->classes_of_unit[class->unit] &
                              sm->plans->classes_of_port[class->kind == PLAN_NO_PORT ? MEM_KINDS : class->kind];
        if (greedy) { /* its lane is free for others */
            turn->left++;
            turn->greedy.row = turn->first.row = -1;
        }
        return true;
    }
    note_issue(turn, row, lanes, size, greedy);
    return true;
}

/* issue_lanes(), with the most frequent case inline: all threads of the strand issue a simple instruction. */
static ALWAYS_INLINE bool issue_some(struct sm *sm, struct turn *turn, struct strand *s, uint32_t lanes)
{
    const struct plan *p = &sm->plans->at[s->pc];
    const int32_t row = s->threads.part[0].row;
    const int size = s->size;
    if (!p->is_simple || lanes != s->threads.part[0].mask || !sm->map.bundles.has_easy)
        return issue_lanes(sm, turn, s, lanes);
    bundles_remove_ready(sm, s, &sm->strands.state[s->id]);
    bundles_issue_simple(sm, s, p);
    note_issue(turn, row, lanes, size, lane_in(turn->greedy, row) & lanes);
    return true;
}

/* The thread that issued last on the port goes first. If the thread is in a bundle and may issue with it, a lane is
 * kept free for the thread instead, and it issues when the turn comes to its bundle, or after all others. False after a
 * fault. */
static bool begin_greedy(struct sm *sm, struct turn *turn)
{
    const struct bundle_thread last = sm->map.bundles.last[turn->ask->port];
    if (last.row < 0 || !(sm->map.bundles.ready[turn->ask->port][last.row] & last.lane))
        return true;
    struct strand *s = strand_of(sm, last.row, last.lane);
    if (!can_issue(sm, s, turn->ask))
        return true;
    bool waits = may_wait(sm, turn, s);
    turn->first = turn->greedy = last;
    turn->left--;
    return waits || issue_lanes(sm, turn, s, last.lane);
}

/* The greedy thread, for which a lane was kept, issues without its bundle. */
static bool end_greedy(struct sm *sm, struct turn *turn)
{
    if (turn->greedy.row < 0)
        return true;
    return issue_lanes(sm, turn, strand_of(sm, turn->greedy.row, turn->greedy.lane), turn->greedy.lane);
}

/* The strands of a row that can issue on the port. */
struct row_choice {
    uint32_t ordered; /* one bit for each of `strand` that issues in order */
    int count;
    struct strand *strand[ROW_LANES]; /* by their lowest lanes */
};

/* Finds the strands of the lanes, all of which can issue, and joins strands that are at one point. */
static void look_at_row(struct sm *sm, int32_t row, uint32_t lanes, struct row_choice *c)
{
    uint32_t left = lanes;
    uint64_t seen = 0; /* the PCs so far, modulo 64, as bits: mostly no two strands are at one PC */
    c->ordered = 0;
    c->count = 0;
    while (left) {
        struct strand *s = strand_of(sm, row, left), *alike = NULL;
        left &= ~s->threads.part[0].mask;
        const uint64_t pc_bit = UINT64_C(1) << (s->pc & 63);
        for (int i = 0; seen & pc_bit && i < c->count && !alike; i++)
            if (c->strand[i]->pc == s->pc && c->strand[i]->depth == s->depth)
                alike = c->strand[i];
        seen |= pc_bit;
        if (alike) {
            bundles_join(sm, alike, s);
            continue;
        }
        c->ordered |= (uint32_t)(how_to_issue(&sm->plans->at[s->pc]) != HOW_FREE) << c->count;
        c->strand[c->count++] = s;
    }
}

/* Issues, of the strands that issue in order, the one with the lowest lane, up to the lowest lane of the others. Only
 * lanes of `lanes` may issue. False after a fault. */
static bool issue_in_order(struct sm *sm, struct turn *turn, const struct row_choice *c, uint32_t lanes)
{
    struct strand *first = c->strand[bits_lowest(c->ordered)];
    uint32_t others = 0;
    for (uint32_t left = c->ordered & (c->ordered - 1); left; left &= left - 1)
        others |= c->strand[bits_lowest(left)]->threads.part[0].mask;
    lanes &= first->threads.part[0].mask;
    if (others)
        lanes &= (others & -others) - 1;
    if (how_to_issue(&sm->plans->at[first->pc]) == HOW_SINGLE)
        lanes &= -lanes;
    return !lanes || issue_lanes(sm, turn, first, lanes);
}

/* issue_from_row() where no other strand of the row can issue on the port. */
static bool issue_alone(struct sm *sm, struct turn *turn, struct strand *s, uint32_t greedy)
{
    uint32_t lanes = s->threads.part[0].mask;
    greedy &= lanes;
    if (s->size - (greedy != 0) > turn->left)
        lanes = lowest_lanes(lanes & ~greedy, turn->left) | greedy;
    if (s->size > 1 && how_to_issue(&sm->plans->at[s->pc]) == HOW_SINGLE)
        lanes &= -lanes;
    return issue_some(sm, turn, s, lanes);
}

/* Issues threads of the row, of which these can issue on the port: all, or as many as the lanes of the cycle and the
 * order of picks allow. False after a fault. */
static bool issue_from_row(struct sm *sm, struct turn *turn, int32_t row, uint32_t lanes)
{
    struct row_choice c;
    struct strand *s = strand_of(sm, row, lanes);
    const uint32_t greedy = lane_in(turn->greedy, row);
    if (lanes == s->threads.part[0].mask)
        return issue_alone(sm, turn, s, greedy);
    look_at_row(sm, row, lanes, &c);
    if (bits_count(lanes & ~greedy) > turn->left)
        lanes = lowest_lanes(lanes & ~greedy, turn->left) | greedy;
    for (int i = 0; i < c.count; i++) {
        uint32_t own = c.strand[i]->threads.part[0].mask & lanes;
        if (own && !(c.ordered >> i & 1) && !issue_some(sm, turn, c.strand[i], own))
            return false;
    }
    return !c.ordered || issue_in_order(sm, turn, &c, lanes);
}

/* Issues threads of the rows of a place, in the order of rows. False after a fault. */
static bool issue_from_place(struct sm *sm, struct turn *turn, int place)
{
    const struct bundles *b = &sm->map.bundles;
    const struct sched_ask *ask = turn->ask;
    const int32_t first = sm->residents.at[place].first_row, end = first + sm->residents.rows_per_block;
    for (int32_t row = bundles_next_row(b, ask->port, first, end); row < end;
         row = bundles_next_row(b, ask->port, row + 1, end)) {
        uint32_t lanes;
        while ((lanes = bundles_find_free(sm, ask->port, row, ask->blocked))) {
            if (turn->left <= 0)
                return true;
            if (!issue_from_row(sm, turn, row, lanes))
                return false;
        }
        if (!(sm->ready.at_port[ask->port] & ~ask->blocked))
            return true;
    }
    return true;
}

/* Issues what the set of ready threads has for the port, on the lanes that easy strands left. */
static bool issue_ordinary(struct sm *sm, struct turn *turn)
{
    const struct bundles *b = &sm->map.bundles;
    if (b->is_greedy && !begin_greedy(sm, turn))
        return false;
    for (int i = 0; i < b->place_count && turn->left > 0; i++)
        if (!issue_from_place(sm, turn, b->places[i]))
            return false;
    return end_greedy(sm, turn);
}

/* Finds the thread that goes first in the next cycle: the last one in the order of picks that issued. The thread that
 * went first in this cycle goes first again only if no other thread issued. */
static void note_last(struct bundles *b, int port, const struct turn *turn)
{
    if (turn->newest.row >= 0) /* which does not have the thread that went first */
        bundles_note_newest(b, port, (struct part){turn->newest.row, turn->newest.lane});
    if (b->newest[port])
        bundles_end_turn(b, port);
    else if (turn->issued)
        b->last[port] = turn->first;
}

bool bundles_issue(struct sm *sm, struct sched_ask *ask, int *threads)
{
    struct bundles *b = &sm->map.bundles;
    const int easy = b->easy_threads[ask->port];
    struct turn turn;
    turn.ask = ask;
    turn.left = (int)sm->config->warp_width - easy;
    turn.issued = 0;
    turn.greedy.row = turn.first.row = turn.newest.row = -1;
    b->easy_threads[ask->port] = 0;
    if (sm->ready.at_port[ask->port] & ~ask->blocked && !issue_ordinary(sm, &turn))
        return false;
    *threads += turn.issued + easy;
    note_last(b, ask->port, &turn);
    return true;
}
