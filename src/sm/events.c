/* Events that are due (events.h): what each kind does. */
#include "sm/events.h"

#include "sm/internal.h"

static bool is_of_strand(enum wheel_event_kind kind)
{
    return kind == EVENT_WAKE || kind == EVENT_RESOLVE || kind == EVENT_DONE;
}

/* An event of a strand that still exists. */
static ALWAYS_INLINE void take_strand_event(struct sm *sm, struct strand *s, const struct wheel_event *e)
{
    const struct strand_state *state = &sm->strands.state[s->id];
    if (e->kind == EVENT_RESOLVE)
        resolve_control(sm, s);
    else if (e->kind == EVENT_WAKE && state->wake_at == e->cycle)
        readiness_wake(sm, s);
    else if (e->kind == EVENT_DONE && state->drains)
        host_check_drain(sm, s);
    else if (e->kind == EVENT_DONE)
        resolve_straight(sm, s);
}

static void take_other_event(struct sm *sm, const struct wheel_event *e)
{
    switch (e->kind) {
    case EVENT_TICK:
        if (sm->cycle.tick_at <= sm->now) {
            sm->cycle.tick_at = SM_NEVER;
            sm->cycle.idle_ticks++;
            sm->ops->tick(sm->div);
            sm_called(sm);
        }
        return;
    case EVENT_REPLY:
        access_take_ideal_reply(sm, e->strand);
        return;
    case EVENT_COPY:
        copies_take_event(sm, e->strand);
        return;
    case EVENT_FETCHED:
        fetch_done(sm, e->strand, e->generation);
        return;
    default:
        return; /* EVENT_ROOM */
    }
}

/* Has the host fetch the strand of an event that comes soon; -1: there is no event. Events of no strand are not told
 * apart, since the host could not predict that. */
static ALWAYS_INLINE void prefetch_strand(const struct sm *sm, int32_t event)
{
    if (event < 0)
        return;
    const int32_t id = sm->wheel.events.data[event].strand;
    __builtin_prefetch(&sm->strands.at[id]);
    __builtin_prefetch(&sm->strands.state[id].pending.done_at);
}

void events_take(struct sm *sm)
{
    int32_t at = wheel_take_list(&sm->wheel);
    prefetch_strand(sm, wheel_first(&sm->wheel));
    while (at >= 0) {
        const struct wheel_event e = wheel_take_event(&sm->wheel, at);
        prefetch_strand(sm, e.next);
        struct strand *s = is_of_strand(e.kind) ? strand_table_current(&sm->strands, e.strand, e.generation) : NULL;
        if (s)
            take_strand_event(sm, s, &e);
        else if (!is_of_strand(e.kind))
            take_other_event(sm, &e);
        at = e.next;
    }
}
