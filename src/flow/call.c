/*
 * Calls: what is copied between the caller's frame and the callee's, and the functions that have no body.
 *
 * Arguments travel as bytes of .param variables, or, as old code wrote them, straight from registers; the
 * latter are operands of the call instruction too, so that analyses see them.
 */
#include "flow/decode.h"

#include "base/bits.h"

static const struct builtin {
    const char *name;
    int argument_count, return_count;
} builtins[] = {{"vprintf", 2, 1}, {"__assertfail", 5, 0}, {"malloc", 1, 1}, {"free", 1, 0}};

static const struct builtin *find_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (!strcmp(name, builtins[i].name))
            return &builtins[i];
    return NULL;
}

static bool check_callee(struct decoder *d, const struct ptx_function *callee)
{
    const struct builtin *builtin = !callee || callee->is_defined ? NULL : find_builtin(callee->name);
    if (!callee)
        decode_fail(d, "calls through pointers are not supported");
    else if (callee->is_entry)
        decode_fail(d, "kernel '%s' cannot be called", callee->name);
    else if (!callee->is_defined && !builtin)
        decode_fail(d, "function '%s' has no body in this module", callee->name);
    else if (builtin && (callee->parameter_count != builtin->argument_count ||
                         callee->return_count != builtin->return_count))
        decode_fail(d, "function '%s' is not declared as the system's: %d parameters, %d results",
                    callee->name, builtin->argument_count, builtin->return_count);
    return !d->error;
}

/* Where a formal of the callee stands: in its frame, or, for one without a frame, as if it had one. */
static int64_t formal_offset(const struct decoder *d, const struct ptx_function *callee,
                             struct ptx_variable *const *formals, int index)
{
    if (callee->is_defined)
        return layout_offset(d->program->layout, callee, formals[index]);
    uint64_t end = 0;
    for (int i = 0; i <= index; i++) {
        uint64_t align = formals[i]->align_bytes;
        end = bits_align_up(end, align && !(align & (align - 1)) ? align : 1);
        if (i < index)
            end += formals[i]->size_bytes;
    }
    return (int64_t)end;
}

static struct call_copy decode_copy(struct decoder *d, const struct ptx_operand *actual,
                                    const struct ptx_variable *formal, int64_t callee_offset, bool written)
{
    struct call_copy copy = {.callee_offset = callee_offset, .bytes = (uint32_t)formal->size_bytes};
    if (actual->kind == OPERAND_SYMBOL && actual->variable && actual->variable->space == SPACE_PARAM) {
        copy.caller_offset =
            layout_offset(d->program->layout, d->function, actual->variable) + actual->offset;
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

static struct call_copy *decode_copies(struct decoder *d, const struct ptx_function *callee, bool results,
                                       const struct ptx_operand *actuals, int count)
{
    struct ptx_variable **formals = results ? callee->returns : callee->parameters;
    int formal_count = results ? callee->return_count : callee->parameter_count;
    if (count != formal_count) {
        decode_fail(d, "the call of '%s' has %d %s, its declaration %d", callee->name, count,
                    results ? "results" : "arguments", formal_count);
        return NULL;
    }
    struct call_copy *copies = arena_array(&d->program->arena, struct call_copy, (size_t)count);
    for (int i = 0; i < count; i++)
        copies[i] = decode_copy(d, &actuals[i], formals[i], formal_offset(d, callee, formals, i), results);
    return copies;
}

int call_decode(struct decoder *d, const struct ptx_call *call, int32_t pc)
{
    const struct ptx_function *callee = call->callee;
    if (!check_callee(d, callee))
        return -1;
    struct call c = {.pc = pc,
                     .callee = d->function_of[callee->index],
                     .builtin = callee->is_defined ? NULL : callee,
                     .argument_count = call->argument_count,
                     .return_count = call->return_count};
    c.argument = decode_copies(d, callee, false, call->arguments, call->argument_count);
    c.result = decode_copies(d, callee, true, call->returns, call->return_count);
    vec_push(&d->calls, c);
    return d->calls.count - 1;
}
