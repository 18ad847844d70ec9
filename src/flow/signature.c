/* Signatures: where parameters and results stand in the callee's frame. See signature.h. */
#include "flow/signature.h"

#include "flow/layout.h"

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

uint64_t signature_place(const struct signature *s, int64_t *parameter_offset, int64_t *return_offset)
{
    uint64_t end = 0;
    for (int i = 0; i < s->parameter_count; i++)
        parameter_offset[i] = layout_place(&end, s->parameters[i]);
    for (int i = 0; i < s->return_count; i++)
        return_offset[i] = layout_place(&end, s->returns[i]);
    return end;
}

static const struct ptx_variable *formal(const struct signature *s, int index)
{
    return index < s->parameter_count ? s->parameters[index] : s->returns[index - s->parameter_count];
}

bool signature_fits(const struct signature *a, const struct signature *b)
{
    if (a->parameter_count != b->parameter_count || a->return_count != b->return_count)
        return false;
    uint64_t end_a = 0, end_b = 0;
    for (int i = 0; i < a->parameter_count + a->return_count; i++)
        if (layout_place(&end_a, formal(a, i)) != layout_place(&end_b, formal(b, i)) || end_a != end_b)
            return false;
    return true;
}
