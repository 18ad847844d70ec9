/* Compaction switched off for some launches: see compaction.h. */
#include "run/compaction.h"

#include "base/arena.h"
#include "base/diag.h"
#include "gpu/gpu.h"
#include "run/request.h"
#include "run/selection.h"

#include <string.h>

const char *compaction_obstacle(const struct gpu_run *run)
{
    bool forms_warps = run && run->mechanism->flags & DIV_MIXES_BLOCKS;
    return forms_warps && !run->mechanism->compaction_knob
               ? "it forms new warps after every instruction, and nothing in its papers switches that off"
               : NULL;
}

bool compaction_settle(struct run_request *r, char **error)
{
    const struct div_ops *mechanism = r->gpu->mechanism;
    const char *kernels = r->options.no_compaction, *obstacle = compaction_obstacle(r->gpu);
    if (kernels && obstacle)
        return diag_fail(error, "--no-compaction does not work under %s: %s", mechanism->name, obstacle);
    if (kernels && !(r->static_kernels = selection_create_kernels("no-compaction", kernels, error)))
        return false;
    if (!mechanism->compaction_knob)
        return true;
    r->static_knobs = xcalloc(REQUEST_KNOB_WORDS, sizeof(uint64_t));
    memcpy(r->static_knobs, r->gpu->mechanism_knobs, REQUEST_KNOB_WORDS * sizeof(uint64_t));
    return knob_set(mechanism->knobs, r->static_knobs, mechanism->compaction_knob, "no", error);
}

bool compaction_is_off(const struct run_request *request, const struct launch *launch)
{
    bool is_named = request->static_kernels && selection_takes(request->static_kernels, launch->kernel->name, 1);
    return is_named || launch->keeps_warps;
}

void compaction_apply(const struct run_request *request, const struct launch *launch, struct gpu_run *run)
{
    if (!request->static_knobs || !compaction_is_off(request, launch))
        return;
    run->mechanism_knobs = request->static_knobs;
    run->is_uncompacted = true;
}
