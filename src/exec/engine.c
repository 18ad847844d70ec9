/* Opens and closes the engine: the state of one launch, shared by the functional engine and the timed machine. */
#include "exec/engine.h"

#include "base/arena.h"
#include "base/bits.h"
#include "exec/gather.h"
#include "exec/repeated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool place_parameters(struct engine *e)
{
    const struct launch *l = e->launch;
    e->parameter_base = memory_alloc(e->memory, l->parameter_bytes, "kernel parameters");
    if (!e->parameter_base)
        return false;
    e->parameters.host = memory_host(e->memory, e->parameter_base, l->parameter_bytes);
    e->parameters.bytes = l->parameter_bytes;
    if (l->parameter_bytes)
        memcpy(e->parameters.host, l->parameters, l->parameter_bytes);
    return true;
}

/* A cooperative launch's workspace: its size in bytes, then the word that counts the blocks at the grid's barrier. */
static bool place_workspace(struct engine *e)
{
    if (!e->launch->is_cooperative)
        return true;
    e->workspace = memory_alloc(e->memory, LAUNCH_WORKSPACE_BYTES, "workspace of a cooperative launch");
    if (!e->workspace)
        return false;
    uint32_t bytes = LAUNCH_WORKSPACE_BYTES;
    memcpy(memory_host(e->memory, e->workspace, LAUNCH_WORKSPACE_BYTES), &bytes, sizeof bytes);
    return true;
}

struct engine *engine_open(const struct launch *launch, const struct code *code, struct launch_result *result)
{
    memset(result, 0, sizeof *result);
    const struct program *program = code->program;
    if (!launch_validate(launch, program->layout, &result->fault))
        return NULL;
    struct engine *e = xcalloc(1, sizeof *e);
    e->launch = launch;
    e->code = code;
    e->program = program;
    e->memory = launch->image->memory;
    e->result = result;
    e->race = launch->race;
    e->taping = launch->taping;
    e->writers_at = UINT64_MAX;
    e->clock_step = 1;
    e->last = xcalloc((size_t)program->insn_count, sizeof *e->last);
    e->constants.host = memory_host(e->memory, launch->image->constant_base, launch->image->constant_bytes);
    e->constants.bytes = e->constants.host ? launch->image->constant_bytes : 0;
    e->constants.is_constant = true;
    /* Every call takes at least 16 bytes of stack, even if the function has no frame, so that recursion ends in a
     * fault. */
    uint32_t stack = launch->stack_bytes ? launch->stack_bytes : LAUNCH_DEFAULT_STACK_BYTES;
    uint32_t needed = program->stack_bytes + 16u * (uint32_t)program->function_count;
    e->local_bytes = program->has_recursion ? stack : program->has_alloca ? needed + stack : needed;
    e->local_bytes = (uint32_t)bits_align_up(e->local_bytes, 16);
    e->limit = launch->instruction_limit ? launch->instruction_limit : UINT64_MAX;
    if (place_parameters(e) && place_workspace(e))
        return e;
    result->fault.kind = FAULT_LAUNCH;
    snprintf(result->fault.detail, sizeof result->fault.detail, "device memory has no room for the %s",
             e->parameter_base ? "workspace of a cooperative launch" : "parameters");
    engine_close(e);
    return NULL;
}

void engine_close(struct engine *e)
{
    if (e->parameter_base)
        memory_free(e->memory, e->parameter_base);
    if (e->workspace)
        memory_free(e->memory, e->workspace);
    repeated_destroy(e->repeated);
    gather_close(e->gathering);
    free(e->assertion);
    free(e->last);
    free(e);
}

struct engine *engine_fork(const struct engine *e, struct launch_result *result)
{
    struct engine *fork = xmalloc_lines(sizeof *fork);
    memcpy(fork, e, sizeof *fork);
    fork->result = result;
    fork->last = xcalloc((size_t)e->program->insn_count, sizeof *fork->last);
    fork->writes = 0;
    fork->assertion = NULL;
    fork->repeated = NULL;
    fork->gathering = NULL;
    return fork;
}

void engine_close_fork(struct engine *e)
{
    repeated_destroy(e->repeated);
    gather_close(e->gathering);
    free(e->assertion);
    free(e->last);
    free(e);
}
