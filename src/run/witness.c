/* Evidence of a launch for heddle explain: see witness.h. */
#include "run/witness.h"

#include "exec/row.h"
#include "exec/waste.h"
#include "explain/evidence.h"
#include "gpu/gpu.h"
#include "report/source.h"
#include "run/output.h"
#include "run/request.h"

void witness_begin(const struct run_request *request, struct launch *launch, const struct code *code)
{
    const struct run_options *options = &request->options;
    if (options->evidence && !request->gpu && options->executor == EXECUTOR_ENGINE)
        launch->waste = waste_create(code_program(code));
}

static bool write_line(struct run_request *request, const struct launch *launch, const struct code *code,
                       const struct gpu_result *result)
{
    const struct launch_result *l = &result->launch;
    if (!request->sources)
        request->sources = sources_create();
    struct text line = {0};
    evidence_print(
        &(struct evidence_launch){.launch = launch,
                                  .program = code_program(code),
                                  .issues = l->warp_instructions,
                                  .threads = l->thread_instructions,
                                  .lanes = request->gpu ? result->sm.issue_slots : ROW_LANES * l->warp_instructions,
                                  .cycles = result->cycles,
                                  .sites = launch->waste ? result->sites : NULL,
                                  .waste = launch->waste,
                                  .sources = request->sources},
        &line);
    bool ok = output_append(request->options.evidence, &line);
    text_free(&line);
    return ok;
}

bool witness_end(struct run_request *request, struct launch *launch, const struct code *code,
                 const struct gpu_result *result)
{
    bool is_asked = request->options.evidence && (request->gpu || launch->waste);
    bool ok = !is_asked || result->launch.fault.kind != FAULT_NONE || write_line(request, launch, code, result);
    waste_destroy(launch->waste);
    launch->waste = NULL;
    return ok;
}
