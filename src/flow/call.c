/*
 * Calls: what is copied between the caller's frame and the callee's, and the functions that have no body.
 *
 * Arguments travel as bytes of .param variables, or, in old code, straight from registers. Such registers are also
 * listed as operands of the call instruction, so that analyses see them. A call through a pointer copies to the offsets
 * of its prototype; functions whose signature does not fit the prototype are not among its candidates.
 */
#include "flow/decode.h"

#include "flow/signature.h"
#include "ptx/link.h"

/* Functions that the system provides; device code only declares them. */
static const struct builtin_row {
    const char *name;
    int argument_count, return_count;
} builtins[] = {{"vprintf", 2, 1}, {"__assertfail", 5, 0}, {"malloc", 1, 1}, {"free", 1, 0}};

static const struct builtin_row *find_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (!strcmp(name, builtins[i].name))
            return &builtins[i];
    return NULL;
}

/* Functions of CUDA's device run time, by which kernels launch kernels: with or without a body, they need a run time
 * on the device. */
static bool is_device_runtime(const struct ptx_function *callee)
{
    static const char *const prefixes[] = {"__cudaCDP2", "cudaLaunchDevice", "cudaGetParameterBuffer"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(callee->name, prefixes[i], strlen(prefixes[i])))
            return true;
    return !callee->is_defined && ptx_is_device_runtime(callee->name);
}

/* Functions by which grids on several devices synchronise, which CUDA 13 no longer has. */
static bool is_of_several_grids(const struct ptx_function *callee)
{
    static const char prefix[] = "__cuda_syscall_CGS_";
    return !callee->is_defined && !strncmp(callee->name, prefix, sizeof prefix - 1);
}

static bool check_callee(struct decoder *d, const struct ptx_call *call)
{
    const struct ptx_function *callee = call->callee;
    const struct builtin_row *builtin = !callee || callee->is_defined ? NULL : find_builtin(callee->name);
    if (!callee) {
        if (!call->pointer || !call->prototype)
            decode_fail(d, "a call through a pointer needs a prototype or a list of functions");
        return !d->error;
    }
    if (callee->is_entry)
        decode_fail(d, "kernel '%s' cannot be called", callee->name);
    else if (is_of_several_grids(callee))
        decode_fail(d, "groups of several grids (multi_grid_group) are not supported; this kernel calls '%s'",
                    callee->name);
    else if (is_device_runtime(callee))
        decode_fail(d, "kernels that launch kernels (dynamic parallelism) are not supported; this one calls '%s'",
                    callee->name);
    else if (!callee->is_defined && !builtin)
        decode_fail(d, "function '%s' has no body in this module", callee->name);
    else if (builtin &&
             (callee->parameter_count != builtin->argument_count || callee->return_count != builtin->return_count))
        decode_fail(d, "function '%s' must be declared as the system provides it: with %d parameters and %d results",
                    callee->name, builtin->argument_count, builtin->return_count);
    return !d->error;
}

static struct call_copy decode_copy(struct decoder *d, const struct ptx_operand *actual,
                                    const struct ptx_variable *formal, int64_t callee_offset, bool written)
{
    struct call_copy copy = {.callee_offset = callee_offset,
                             .bytes = formal->is_unsized ? UINT32_MAX : (uint32_t)formal->size_bytes};
    if (actual->kind == OPERAND_SYMBOL && actual->variable && actual->variable->space == SPACE_PARAM) {
        copy.caller_offset = layout_offset(d->program->layout, d->function, actual->variable) + actual->offset;
        if (actual->variable->size_bytes < copy.bytes)
            copy.bytes = (uint32_t)actual->variable->size_bytes;
        return copy;
    }
    copy.value = decode_operand(d, actual);
    copy.value.type = copy.value.type ? copy.value.type : formal->type;
    if (copy.value.kind == REF_PLANE || copy.value.kind == REF_SREG) {
        if (written)
            vec_push(&d->dest, copy.value);
        else
            vec_push(&d->source, copy.value);
    }
    return copy;
}

static struct call_copy *decode_copies(struct decoder *d, const struct signature *s, bool results,
                                       const struct ptx_operand *actuals, int count, const int64_t *offset)
{
    struct ptx_variable **formals = results ? s->returns : s->parameters;
    int formal_count = results ? s->return_count : s->parameter_count;
    bool leaves_out = !results && count == formal_count - 1 && ptx_is_variadic(formals, formal_count);
    if (count != formal_count && !leaves_out) {
        decode_fail(d, "the call of '%s' has %d %s, its declaration %d", s->name, count,
                    results ? "results" : "arguments", formal_count);
        return NULL;
    }
    struct call_copy *copies = arena_array(&d->program->arena, struct call_copy, (size_t)count);
    for (int i = 0; i < count; i++)
        copies[i] = decode_copy(d, &actuals[i], formals[i], offset[i], results);
    return copies;
}

static void find_candidates(struct decoder *d, const struct ptx_call *call, struct call *c)
{
    const struct program *p = d->program;
    struct vec_of(int32_t) found = {0};
    if (c->callee >= 0)
        vec_push(&found, c->callee);
    for (int i = 0; i < p->function_count && !call->callee; i++)
        if (layout_can_call(p->layout, call, p->functions[i].source))
            vec_push(&found, i);
    vec_into_arena(&found, &d->program->arena, c->candidates, c->candidate_count);
}

int call_decode(struct decoder *d, const struct ptx_call *call, int32_t pc)
{
    const struct ptx_function *callee = call->callee;
    if (!check_callee(d, call))
        return -1;
    struct call c = {.pc = pc,
                     .callee = callee ? d->function_of[callee->index] : -1,
                     .builtin = callee && !callee->is_defined ? callee : NULL,
                     .argument_count = call->argument_count,
                     .return_count = call->return_count};
    find_candidates(d, call, &c);
    if (!callee)
        vec_push(&d->source, decode_operand(d, call->pointer));
    struct signature s = signature_of_call(call);
    int64_t *parameter_offset = arena_array(d->scratch, int64_t, (size_t)s.parameter_count);
    int64_t *return_offset = arena_array(d->scratch, int64_t, (size_t)s.return_count);
    signature_place(&s, parameter_offset, return_offset);
    c.argument = decode_copies(d, &s, false, call->arguments, call->argument_count, parameter_offset);
    c.result = decode_copies(d, &s, true, call->returns, call->return_count, return_offset);
    vec_push(&d->calls, c);
    return d->calls.count - 1;
}
