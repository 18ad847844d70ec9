/*
 * Layout: which functions a kernel reaches, and at which offsets its shared, local and param variables stand. Global
 * and const variables are placed elsewhere (device/image.c).
 *
 * A shared variable of module scope takes space only if a reached function names it, since one module holds the shared
 * arrays of many kernels. Sizes saturate at LAYOUT_LIMIT, which no launch grants; flow/program.c refuses them.
 */
#include "flow/layout.h"

#include "base/bits.h"
#include "base/vec.h"
#include "flow/signature.h"

struct layout_builder {
    struct layout *layout;
    struct vec_of(const struct ptx_function *) queue; /* functions that are reached, in the order of discovery */
    bool *seen;                                       /* by function index: the function is in `queue` */
    bool *shared_is_used; /* by module variable index: a reached function names the shared variable */
};

static void reach_function(struct layout_builder *b, const struct ptx_function *f)
{
    if (!f || !f->is_defined || b->seen[f->index])
        return;
    b->seen[f->index] = true;
    vec_push(&b->queue, f);
}

static void note_variable(struct layout_builder *b, const struct ptx_variable *v)
{
    if (v && !v->owner && v->space == SPACE_SHARED)
        b->shared_is_used[v->index] = true;
}

static void scan_values(struct layout_builder *b, const struct ptx_operand *list, int count)
{
    for (int i = 0; i < count; i++) {
        note_variable(b, list[i].variable);
        for (int k = 0; k < list[i].element_count; k++)
            note_variable(b, list[i].element[k].variable);
    }
}

static void note_relocs(bool *taken, struct ptx_variable *const *variables, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < variables[i]->reloc_count; k++)
            if (variables[i]->reloc[k].function)
                taken[variables[i]->reloc[k].function->index] = true;
}

static void note_functions(bool *taken, const struct ptx_operand *list, int count)
{
    for (int i = 0; i < count; i++) {
        if (list[i].kind == OPERAND_SYMBOL && list[i].function)
            taken[list[i].function->index] = true;
        note_functions(taken, list[i].element, list[i].element_count);
    }
}

/* By function of the module: whether an initialiser or an instruction takes the function's address. */
static const bool *find_taken(struct arena *arena, const struct ptx_module *m)
{
    bool *taken = arena_array(arena, bool, (size_t)m->function_count);
    note_relocs(taken, m->variables, m->variable_count);
    for (int i = 0; i < m->function_count; i++) {
        const struct ptx_function *f = m->functions[i];
        note_relocs(taken, f->variables, f->variable_count);
        for (int k = 0; k < f->instruction_count; k++)
            note_functions(taken, f->instructions[k].operand, f->instructions[k].operand_count);
    }
    return taken;
}

bool layout_can_call(const struct layout *layout, const struct ptx_call *call, const struct ptx_function *function)
{
    const struct ptx_prototype *p = call->prototype;
    if (!p || !function->is_defined || function->is_entry)
        return false;
    bool named = !p->is_targets && layout->address_taken && layout->address_taken[function->index];
    for (int i = 0; i < p->target_count && !named; i++)
        named = p->target[i] == function;
    if (!named)
        return false;
    struct signature wanted = signature_of_call(call), given = signature_of_function(function);
    return signature_fits(&wanted, &given);
}

static void reach_callees(struct layout_builder *b, const struct ptx_call *call)
{
    struct layout *l = b->layout;
    const struct ptx_module *m = l->kernel->module;
    if (call->callee) {
        reach_function(b, call->callee);
        return;
    }
    if (!l->address_taken)
        l->address_taken = find_taken(&l->arena, m);
    for (int i = 0; i < m->function_count; i++)
        if (!b->seen[i] && layout_can_call(l, call, m->functions[i]))
            reach_function(b, m->functions[i]);
}

/* The array of a variadic function has room for what any call passes. */
static void note_variadic(struct layout *l, const struct ptx_call *call)
{
    struct signature s = signature_of_call(call);
    bool is_variadic = ptx_is_variadic(s.parameters, s.parameter_count) && call->argument_count == s.parameter_count;
    const struct ptx_variable *array = is_variadic ? call->arguments[s.parameter_count - 1].variable : NULL;
    if (array && array->size_bytes > l->variadic_bytes)
        l->variadic_bytes = array->size_bytes;
}

static void scan_function(struct layout_builder *b, const struct ptx_function *f)
{
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *insn = &f->instructions[i];
        scan_values(b, insn->operand, insn->operand_count);
        for (int k = 0; k < insn->operand_count; k++) {
            const struct ptx_call *call = insn->operand[k].call;
            if (insn->operand[k].kind != OPERAND_CALL || !call)
                continue;
            scan_values(b, call->arguments, call->argument_count);
            scan_values(b, call->returns, call->return_count);
            reach_callees(b, call);
            note_variadic(b->layout, call);
        }
    }
}

static uint64_t alignment(const struct ptx_variable *v)
{
    return bits_is_power_of_two(v->align_bytes) ? v->align_bytes : 1;
}

int64_t layout_place(uint64_t *end, const struct ptx_variable *v)
{
    uint64_t offset = bits_align_up(*end, alignment(v));
    if (offset > LAYOUT_LIMIT || v->size_bytes > LAYOUT_LIMIT - offset) {
        *end = LAYOUT_LIMIT;
        return 0;
    }
    *end = offset + v->size_bytes;
    return (int64_t)offset;
}

static int64_t *new_offsets(struct arena *arena, int count)
{
    int64_t *offsets = arena_array(arena, int64_t, (size_t)count);
    for (int i = 0; i < count; i++)
        offsets[i] = LAYOUT_NONE;
    return offsets;
}

static void lay_out_frame(struct layout *l, const struct ptx_function *f)
{
    struct layout_frame *frame = &l->frame[f->index];
    frame->offset = new_offsets(&l->arena, f->variable_count);
    frame->formal_offset = new_offsets(&l->arena, f->parameter_count);
    frame->return_offset = new_offsets(&l->arena, f->return_count);
    struct signature s = signature_of_function(f);
    uint64_t end = signature_place(&s, frame->formal_offset, frame->return_offset);
    if (f != l->kernel && ptx_is_variadic(f->parameters, f->parameter_count))
        end = l->variadic_bytes > LAYOUT_LIMIT - end ? LAYOUT_LIMIT : end + l->variadic_bytes;
    if (f == l->kernel) {
        l->parameter_bytes = (uint32_t)end;
        end = 0;
    }
    for (int i = 0; i < f->variable_count; i++)
        if (f->variables[i]->space == SPACE_LOCAL || f->variables[i]->space == SPACE_PARAM)
            frame->offset[i] = layout_place(&end, f->variables[i]);
    frame->frame_bytes = (uint32_t)(end < LAYOUT_LIMIT ? bits_align_up(end, 16) : LAYOUT_LIMIT);
}

/* The block's shared memory while variables are placed in it. */
struct shared_space {
    uint64_t end;           /* first byte behind the variables placed so far */
    uint64_t dynamic_align; /* largest alignment of the variables without a size, which all begin behind the others */
};

static int64_t place_shared(struct shared_space *s, const struct ptx_variable *v)
{
    if (!v->is_unsized)
        return layout_place(&s->end, v);
    if (alignment(v) > s->dynamic_align)
        s->dynamic_align = alignment(v);
    return LAYOUT_NONE;
}

static void lay_out_shared(struct layout_builder *b)
{
    struct layout *l = b->layout;
    const struct ptx_module *m = l->kernel->module;
    struct shared_space space = {0, 16};
    l->module_offset = new_offsets(&l->arena, m->variable_count);
    for (int i = 0; i < m->variable_count; i++)
        if (b->shared_is_used[i])
            l->module_offset[i] = place_shared(&space, m->variables[i]);
    for (int r = 0; r < l->reached_count; r++) {
        const struct ptx_function *f = l->reached[r];
        for (int i = 0; i < f->variable_count; i++)
            if (f->variables[i]->space == SPACE_SHARED)
                l->frame[f->index].offset[i] = place_shared(&space, f->variables[i]);
    }
    l->static_shared_bytes = (uint32_t)space.end;
    uint64_t dynamic = bits_align_up(space.end, space.dynamic_align);
    l->dynamic_shared_offset = (uint32_t)(dynamic < LAYOUT_LIMIT ? dynamic : LAYOUT_LIMIT);
}

struct layout *layout_create(const struct ptx_function *kernel)
{
    const struct ptx_module *m = kernel->module;
    struct layout *l = xcalloc(1, sizeof *l);
    l->kernel = kernel;
    l->frame = arena_array(&l->arena, struct layout_frame, (size_t)m->function_count);
    struct layout_builder b = {
        .layout = l,
        .seen = xcalloc((size_t)m->function_count, sizeof(bool)),
        .shared_is_used = xcalloc((size_t)m->variable_count, sizeof(bool)),
    };
    reach_function(&b, kernel);
    for (int i = 0; i < b.queue.count; i++)
        scan_function(&b, b.queue.data[i]);
    vec_into_arena(&b.queue, &l->arena, l->reached, l->reached_count);
    for (int i = 0; i < l->reached_count; i++)
        lay_out_frame(l, l->reached[i]);
    lay_out_shared(&b);
    free(b.seen);
    free(b.shared_is_used);
    return l;
}

void layout_destroy(struct layout *layout)
{
    if (!layout)
        return;
    arena_free(&layout->arena);
    free(layout);
}

static int64_t frame_offset(const struct layout_frame *frame, const struct ptx_function *f,
                            const struct ptx_variable *v)
{
    int i = v->index;
    if (frame->offset && i >= 0 && i < f->variable_count && f->variables[i] == v)
        return frame->offset[i];
    if (frame->formal_offset && i >= 0 && i < f->parameter_count && f->parameters[i] == v)
        return frame->formal_offset[i];
    if (frame->return_offset && i >= 0 && i < f->return_count && f->returns[i] == v)
        return frame->return_offset[i];
    return LAYOUT_NONE;
}

int64_t layout_offset(const struct layout *layout, const struct ptx_function *function,
                      const struct ptx_variable *variable)
{
    const struct ptx_function *owner = variable->owner ? variable->owner : function;
    if (variable->space == SPACE_SHARED && variable->is_unsized)
        return layout->dynamic_shared_offset;
    if (!variable->owner && variable->space != SPACE_PARAM)
        return variable->space == SPACE_SHARED ? layout->module_offset[variable->index] : LAYOUT_NONE;
    return frame_offset(&layout->frame[owner->index], owner, variable);
}
