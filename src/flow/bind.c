/* Binding: replaces the registers of every operand by the planes that were allocated to them. */
#include "flow/analysis.h"

struct plane_binder {
    const struct program *program;
    const struct analysis *analysis;
    const struct program_function *function;
};

static void bind_ref(const struct plane_binder *b, struct ref *r)
{
    if (r->kind == REF_PLANE) {
        r->plane = analysis_plane(b->analysis, b->function, r->plane);
    } else if (r->kind == REF_SREG && b->program->sreg_plane[r->sreg] >= 0) {
        r->kind = REF_PLANE;
        r->plane = b->program->sreg_plane[r->sreg];
    }
}

static void bind_call(const struct plane_binder *b, struct call *c)
{
    for (int i = 0; i < c->argument_count; i++)
        bind_ref(b, &c->argument[i].value);
    for (int i = 0; i < c->return_count; i++)
        bind_ref(b, &c->result[i].value);
}

void bind_planes(struct program *p, const struct analysis *functions)
{
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        struct insn *insn = &p->insns[pc];
        struct plane_binder b = {p, &functions[insn->function], &p->functions[insn->function]};
        if (insn->guard >= 0)
            insn->guard = analysis_plane(b.analysis, b.function, insn->guard);
        for (int i = 0; i < insn->dest_count; i++)
            bind_ref(&b, &insn->dest[i]);
        for (int i = 0; i < insn->source_count; i++)
            bind_ref(&b, &insn->source[i]);
        if (insn->call >= 0)
            bind_call(&b, &p->calls[insn->call]);
    }
}
