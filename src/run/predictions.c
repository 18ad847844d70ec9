/* Predictions of a kernel: see predictions.h. */
#include "run/predictions.h"

#include "base/diag.h"
#include "exec/code.h"
#include "gpu/gpu.h"
#include "recon/speculate.h"
#include "run/profile.h"
#include "run/request.h"
#include "run/running_profile.h"

#include <stdlib.h>

int32_t *predictions_likely(const struct run_request *request, struct gpu_run *run, const struct launch *launch,
                            const struct code *code, struct fault *fault)
{
    const struct run_options *options = &request->options;
    const struct program *p = code_program(code);
    if (options->profile_running) {
        const struct branch_use *so_far = running_profile_find(request->profile, p, &run->profiled_launches);
        return so_far ? profile_points(p, so_far, options->rare_percent) : NULL;
    }
    if (!options->profile || !(run->mechanism->flags & DIV_LIKELY))
        return NULL;
    char *error = NULL;
    struct branch_use *use = profile_read(options->profile, p, &error);
    int32_t *points = use ? profile_points(p, use, options->rare_percent) : NULL;
    if (!use) {
        fault->kind = FAULT_LAUNCH;
        fault->kernel = launch->kernel->name;
        snprintf(fault->detail, sizeof fault->detail, "%s", error);
    }
    free(error);
    free(use);
    return points;
}

struct barrier_plan *predictions_barriers(const struct run_options *options, const struct gpu_run *run,
                                          const struct code *code)
{
    const struct program *p = code_program(code);
    if (!(run->mechanism->flags & DIV_BARRIERS) || run->barriers || options->recon == RECON_NONE ||
        (options->recon == RECON_PRAGMAS && !predict_has_pragmas(p)))
        return NULL;
    struct branch_use *use = NULL;
    char *error = NULL;
    if (options->profile && options->recon == RECON_AUTO) /* a kernel without a profile is judged by its text alone */
        use = profile_read(options->profile, p, &error);
    struct speculate_request request = {.detects = options->recon == RECON_AUTO,
                                        .profile = use,
                                        .sets_threshold = options->recon_threshold != NULL,
                                        .rules.deconflict =
                                            options->recon_deconflict ? DECONFLICT_STATIC : DECONFLICT_DYNAMIC};
    if (options->recon_threshold && !predict_read_threshold(options->recon_threshold, &request.rules.threshold))
        panic("--recon-threshold %s was not checked", options->recon_threshold);
    struct text complaints = {0};
    struct barrier_plan *plan = speculate_program(p, &request, &complaints);
    if (complaints.length)
        fprintf(diag_stream(), "kernel %s: %s", p->kernel->name, complaints.data);
    text_free(&complaints);
    free(error);
    free(use);
    return plan;
}
