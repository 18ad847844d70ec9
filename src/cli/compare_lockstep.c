/*
 * Lock-step in comparisons: whether the mechanism of a row keeps it, with the row's machine and knobs, and a line about
 * workloads that rely on it, before the first run.
 */
#include "cli/compare_lockstep.h"

#include "base/diag.h"
#include "run/races.h"
#include "run/request.h"
#include "study/comparison.h"
#include "study/workload.h"

#include <stdlib.h>
#include <string.h>

/* Reads the options of a run among the row's words; all others concern the program alone. */
static bool keeps_lockstep(const struct comparison_row *row)
{
    struct run_request request;
    char *error = NULL;
    bool ok = true;
    request_open(&request);
    for (int i = 0; ok && i < row->trial.words.count;) {
        int taken = options_take(&request.options, row->trial.words.count, row->trial.words.data, &i, &error);
        ok = taken >= 0;
        i += !taken;
    }
    ok = ok && request_settle(&request, &error);
    bool keeps = !ok || !request.gpu || races_keeps_lockstep(request.gpu);
    free(error);
    request_close(&request);
    return keeps;
}

/* One line for the rows of a target on a machine, from `first` on, if the target is known to rely on lock-step. Of a
 * sweep over knobs, only the first point has a line. */
static void warn(const struct comparison *c, int first)
{
    const struct comparison_row *head = &c->rows[first];
    struct text names = {0};
    for (int i = first; i < c->count && comparison_is_one_group(head, &c->rows[i]); i++)
        if (c->rows[i].is_shown && c->rows[i].breaks_lockstep)
            text_printf(&names, "%s%s", names.length ? ", " : "", c->rows[i].mechanism);
    if (names.length && comparison_relies_on_lockstep(head))
        fprintf(
            diag_stream(),
            "heddle: on %s, %s relies on warps in lock-step, which these do not keep: %s. Their results may be wrong; "
            "%s does not rely on it\n",
            head->gpu, head->target, names.data, workload_find(head->target)->synced);
    text_free(&names);
}

void compare_lockstep(struct comparison *c)
{
    for (int i = 0; i < c->count; i++)
        c->rows[i].breaks_lockstep = !keeps_lockstep(&c->rows[i]);
    for (int i = 0; i < c->count; i++)
        if (!c->rows[i].point && (!i || !comparison_is_one_group(&c->rows[i - 1], &c->rows[i])))
            warn(c, i);
}
