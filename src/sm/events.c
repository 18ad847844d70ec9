/* Events that are due (events.h): what each kind does. */
#include "sm/events.h"

#include "sm/internal.h"

static void take_event(struct sm *sm, const struct wheel_event *e)
{
    struct strand *s;
    switch (e->kind) {
    case EVENT_TICK:
        if (sm->cycle.tick_at <= sm->now) {
            sm->cycle.tick_at = SM_NEVER;
            sm->cycle.idle_ticks++;
            sm->ops->tick(sm->div);
            sm_called(sm);
        }
        return;
    case EVENT_ROOM:
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
        s = strand_table_current(&sm->strands, e->strand, e->generation);
        if (!s)
            return;
    }
    if (e->kind == EVENT_RESOLVE)
        resolve_control(sm, s);
    else if (sm->strands.state[s->id].drains)
        host_check_drain(sm, s);
    else
        resolve_straight(sm, s);
}

void events_take(struct sm *sm)
{
    struct wheel_event e = wheel_take(&sm->wheel);
    if (e.kind != EVENT_WAKE)
        take_event(sm, &e);
    else if (sm->strands.state[e.strand].wake_at == e.cycle &&
             strand_table_current(&sm->strands, e.strand, e.generation))
        readiness_wake(sm, &sm->strands.at[e.strand]);
}
