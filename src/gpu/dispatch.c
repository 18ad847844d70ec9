/* Dispatch of thread blocks: see dispatch.h. */
#include "gpu/dispatch.h"

void dispatch_first(struct gpu *g)
{
    bool any = true;
    while (any) {
        any = false;
        for (int i = 0; i < g->sm_count && dispatch_has_blocks(g); i++)
            if (sm_has_room(g->sms[i])) {
                sm_launch(g->sms[i], g->next_block++, g->start);
                any = true;
            }
    }
}

bool dispatch_is_done(const struct gpu *g)
{
    for (int i = 0; i < g->sm_count; i++)
        if (dispatch_is_active(g, g->sms[i]))
            return false;
    return true;
}
