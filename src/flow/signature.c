/* Signatures: where parameters and results stand in the callee's frame. See signature.h. */
#include "flow/signature.h"

#include "base/bits.h"
#include "flow/layout.h"

/* The array of a variadic function is aligned for every type, since its elements are found by rounding addresses up. */
enum { VARIADIC_ALIGN = 16 };

struct signature signature_of_function(const struct ptx_function *f)
{
    return (struct signature){.name = f->name,
                              .parameter_count = f->parameter_count,
                              .return_count = f->return_count,
                              .parameters = f->parameters,
                              .returns = f->returns};
}

struct signature signature_of_call(const struct ptx_call *call)
{
    const struct ptx_prototype *p = call->prototype;
    if (call->callee)
        return signature_of_function(call->callee);
    if (!p)
        return (struct signature){.name = ""};
    struct signature s = {.parameter_count = p->parameter_count,
                          .return_count = p->return_count,
                          .parameters = p->parameters,
                          .returns = p->returns};
    if (p->is_targets && p->target_count)
        s = signature_of_function(p->target[0]);
    s.name = p->name;
    return s;
}

/* How many parameters stand before the array of a variadic function. */
static int named_count(const struct signature *s)
{
    return s->parameter_count - ptx_is_variadic(s->parameters, s->parameter_count);
}

uint64_t signature_place(const struct signature *s, int64_t *parameter_offset, int64_t *return_offset)
{
    uint64_t end = 0;
    int named = named_count(s);
    for (int i = 0; i < named; i++)
        parameter_offset[i] = layout_place(&end, s->parameters[i]);
    for (int i = 0; i < s->return_count; i++)
        return_offset[i] = layout_place(&end, s->returns[i]);
    if (named == s->parameter_count)
        return end;
    end = bits_align_up(end, VARIADIC_ALIGN);
    parameter_offset[named] = (int64_t)end;
    return end;
}

static const struct ptx_variable *formal(const struct signature *s, int index)
{
    return index < named_count(s) ? s->parameters[index] : s->returns[index - named_count(s)];
}

bool signature_fits(const struct signature *wanted, const struct signature *given)
{
    bool needs_array = named_count(wanted) < wanted->parameter_count,
         has_array = named_count(given) < given->parameter_count;
    if (named_count(wanted) != named_count(given) || wanted->return_count != given->return_count ||
        (needs_array && !has_array))
        return false;
    uint64_t end_wanted = 0, end_given = 0;
    for (int i = 0; i < named_count(wanted) + wanted->return_count; i++)
        if (layout_place(&end_wanted, formal(wanted, i)) != layout_place(&end_given, formal(given, i)) ||
            end_wanted != end_given)
            return false;
    return true;
}
