/*
 * Wrapper functions, whose entries can be reconvergence points (Damani et al., CGO 2020, section 4.4).
 *
 * A function without a body has no entry at which threads could wait: one that the system provides (vprintf, malloc,
 * free, __assertfail), or one of another module that is not linked in. The pass gives each such function a wrapper with
 * the same parameters that does nothing but call it, and calls the wrapper instead. `--predict REGION:WRAPPER` and
 * `--auto` may then take the wrapper's entry as the point.
 *
 * A point's barrier serves one region. A function that several branches call on several of their sides has several
 * regions, which do not depend on each other. Each of them gets a wrapper of its own, whether the function has a body
 * or not; other calls of a function without a body share one. Calls through pointers stay as they are.
 */
#include "base/text.h"
#include "base/vec.h"
#include "flow/program.h"
#include "rewrite/edit.h"
#include "rewrite/sides.h"
#include "rewrite/table.h"

#include <stdlib.h>

/* A call of the text. */
struct wrap_call {
    struct ptx_function *caller;
    const struct ptx_function *callee;
    int index;      /* of its instruction */
    int region;     /* branch of the program on whose sides the callee is called; -1: none */
    bool is_needed; /* the call is to be one of a wrapper */
};

struct wrapper_pass {
    struct ptx_module *module;
    struct ptx_function *kernel;
    struct program *program; /* NULL: the kernel calls what is not there, so nothing is known of its branches */
    struct sides sides;
    struct vec_of(struct ptx_function *) callers; /* the kernel, and what it calls, directly or through others */
    struct vec_of(struct wrap_call) calls;
    struct arena arena;
};

static const struct ptx_call *call_of(const struct ptx_instruction *insn)
{
    for (int i = 0; insn->op == OP_CALL && i < insn->operand_count; i++)
        if (insn->operand[i].kind == OPERAND_CALL)
            return insn->operand[i].call;
    return NULL;
}

static bool is_known(const struct wrapper_pass *w, const struct ptx_function *f)
{
    for (int i = 0; i < w->callers.count; i++)
        if (w->callers.data[i] == f)
            return true;
    return false;
}

/* Whether the function does nothing but pass its parameters on to another, as a wrapper does. */
static bool is_wrapper(const struct ptx_function *f)
{
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *insn = &f->instructions[i];
        if (insn->op != OP_CALL && insn->op != OP_RET && insn->suffixes.mod[GROUP_SPACE] != SPACE_PARAM)
            return false;
    }
    return !f->is_entry;
}

static void find_calls(struct wrapper_pass *w)
{
    vec_push(&w->callers, w->kernel);
    for (int i = 0; i < w->callers.count; i++) {
        struct ptx_function *f = w->callers.data[i];
        for (int k = 0; k < f->instruction_count; k++) {
            const struct ptx_call *call = call_of(&f->instructions[k]);
            if (!call || !call->callee || is_wrapper(f))
                continue;
            vec_push(&w->calls, (struct wrap_call){.caller = f, .callee = call->callee, .index = k, .region = -1});
            if (call->callee->is_defined && !is_known(w, call->callee))
                vec_push(&w->callers, w->module->functions[call->callee->index]);
        }
    }
}

/* ---- regions ---- */

/* The side of the marked branch that alone comes to the call; -1: none, or several. */
static int side_of(const struct wrapper_pass *w, const struct wrap_call *call)
{
    const struct program *p = w->program;
    const struct ptx_instruction *insn = &call->caller->instructions[call->index];
    for (int32_t pc = p->functions[0].first; call->caller == w->kernel && pc <= p->functions[0].last; pc++)
        if (p->insns[pc].origin == insn)
            return sides_only(&w->sides, p->insns[pc].block);
    return -1;
}

/* Gives the calls of a function on several sides of the branch their region; inner branches come first. */
static void find_region(struct wrapper_pass *w, int branch, const struct ptx_function *callee)
{
    uint32_t sides = 0;
    for (int i = 0; i < w->calls.count; i++) {
        const struct wrap_call *c = &w->calls.data[i];
        int side = c->callee == callee && c->region < 0 ? side_of(w, c) : -1;
        if (side >= 0)
            sides |= UINT32_C(1) << side;
    }
    for (int i = 0; i < w->calls.count && sides & (sides - 1); i++) {
        struct wrap_call *c = &w->calls.data[i];
        if (c->callee == callee && c->region < 0 && side_of(w, c) >= 0)
            c->region = branch;
    }
}

static void find_regions(struct wrapper_pass *w)
{
    if (!w->program)
        return;
    w->sides = sides_create(w->program, &w->arena);
    for (int b = w->program->branch_count - 1; b >= 0; b--) {
        if (!sides_diverge(w->program, &w->program->branches[b]))
            continue;
        sides_mark(&w->sides, &w->program->branches[b]);
        for (int i = 0; i < w->calls.count; i++)
            if (w->calls.data[i].region < 0)
                find_region(w, b, w->calls.data[i].callee);
    }
}

static int count_regions(const struct wrapper_pass *w, const struct ptx_function *callee)
{
    int count = 0;
    for (int i = 0; i < w->calls.count; i++) {
        const struct wrap_call *c = &w->calls.data[i];
        bool is_first = c->callee == callee && c->region >= 0;
        for (int k = 0; k < i && is_first; k++)
            is_first = w->calls.data[k].callee != callee || w->calls.data[k].region != c->region;
        count += is_first;
    }
    return count;
}

/* ---- the wrapper ---- */

/* Declares a parameter of this name, like the formal one. */
static void declare(const struct ptx_variable *v, const char *name, int index, struct text *out)
{
    text_printf(out, ".param .align %u ", v->align_bytes);
    if (v->is_array || v->vector > 1)
        text_printf(out, ".b8 %s%d[%llu]", name, index, (unsigned long long)v->size_bytes);
    else
        text_printf(out, ".%s %s%d", type_table[v->type].text, name, index);
}

/* Copies a parameter, in pieces as large as its alignment allows. */
static void copy(const struct ptx_variable *v, const char *from, const char *to, int index, struct text *out)
{
    uint64_t piece = v->align_bytes < 8 ? v->align_bytes : 8;
    for (uint64_t at = 0; at < v->size_bytes; at += piece) {
        while (piece > v->size_bytes - at)
            piece /= 2;
        unsigned bits = (unsigned)(8 * piece);
        text_printf(out, "ld.param.b%u %%w%u, [%s%d+%llu];\nst.param.b%u [%s%d+%llu], %%w%u;\n", bits, bits, from,
                    index, (unsigned long long)at, bits, to, index, (unsigned long long)at, bits);
    }
}

/* A list of formal parameters; those that are registers stay registers. */
static void declare_formals(struct ptx_variable *const *formals, int count, const char *name, struct text *out)
{
    text_printf(out, "(");
    for (int i = 0; i < count; i++) {
        text_printf(out, i ? ", " : "");
        if (formals[i]->is_register)
            text_printf(out, ".reg .%s %%%s%d", type_table[formals[i]->type].text, name, i);
        else
            declare(formals[i], name, i, out);
    }
    text_printf(out, ")");
}

static void write_list(struct ptx_variable *const *formals, int count, const char *variable, const char *reg,
                       struct text *out)
{
    text_printf(out, "(");
    for (int i = 0; i < count; i++)
        text_printf(out, "%s%s%s%d", i ? ", " : "", formals[i]->is_register ? "%" : "",
                    formals[i]->is_register ? reg : variable, i);
    text_printf(out, ")");
}

static struct ptx_function *make_wrapper(struct wrapper_pass *w, const struct ptx_function *callee,
                                         const struct ptx_function *before)
{
    struct text t = {0};
    const char *name = edit_fresh_function_name(w->module, arena_printf(&w->module->arena, "%s_wrapper", callee->name));
    text_printf(&t, ".func ");
    if (callee->return_count)
        declare_formals(callee->returns, callee->return_count, "result", &t);
    text_printf(&t, " %s", name);
    declare_formals(callee->parameters, callee->parameter_count, "given", &t);
    text_printf(&t, "\n{\n.reg .b16 %%w8, %%w16;\n.reg .b32 %%w32;\n.reg .b64 %%w64;\n");
    for (int i = 0; i < callee->parameter_count; i++)
        if (!callee->parameters[i]->is_register) {
            declare(callee->parameters[i], "passed", i, &t);
            text_printf(&t, ";\n");
            copy(callee->parameters[i], "given", "passed", i, &t);
        }
    for (int i = 0; i < callee->return_count; i++)
        if (!callee->returns[i]->is_register) {
            declare(callee->returns[i], "back", i, &t);
            text_printf(&t, ";\n");
        }
    text_printf(&t, "call.uni ");
    if (callee->return_count) {
        write_list(callee->returns, callee->return_count, "back", "result", &t);
        text_printf(&t, ", ");
    }
    text_printf(&t, "%s, ", callee->name);
    write_list(callee->parameters, callee->parameter_count, "passed", "given", &t);
    text_printf(&t, ";\n");
    for (int i = 0; i < callee->return_count; i++)
        if (!callee->returns[i]->is_register)
            copy(callee->returns[i], "back", "result", i, &t);
    text_printf(&t, "ret;\n}\n");
    struct ptx_function *made = edit_add_function(w->module, before, t.data);
    text_free(&t);
    return made;
}

/* ---- the pass ---- */

/* The caller whose definition stands first in the module. */
static const struct ptx_function *first_caller(const struct wrapper_pass *w, const struct ptx_function *callee)
{
    for (int i = 0; i < w->module->item_count; i++)
        for (int k = 0; k < w->calls.count && w->module->items[i].kind == ITEM_DEFINITION; k++)
            if (w->calls.data[k].callee == callee && w->module->items[i].function == w->calls.data[k].caller)
                return w->calls.data[k].caller;
    return w->kernel;
}

/* Makes the calls of `callee` in the region calls of one new wrapper. */
static void wrap(struct wrapper_pass *w, const struct ptx_function *callee, int region, struct text *said)
{
    /* Regions are the kernel's. Ahead of it stands whatever it calls, but not ahead of other callers: a function may
     * call itself. */
    struct ptx_function *wrapper = make_wrapper(w, callee, region >= 0 ? w->kernel : first_caller(w, callee));
    char where[256];
    int count = 0;
    for (int i = 0; i < w->calls.count; i++) {
        struct wrap_call *c = &w->calls.data[i];
        if (c->callee != callee || c->region != region)
            continue;
        ((struct ptx_call *)call_of(&c->caller->instructions[c->index]))->callee = wrapper;
        c->callee = NULL;
        count++;
    }
    text_printf(said, "wrap: %s: ", w->kernel->name);
    if (region >= 0)
        text_printf(said, "sides of the branch at %s: ",
                    program_where(w->program, w->program->branches[region].pc, where, sizeof where));
    text_printf(said, "%d call%s of %s through %s\n", count, count > 1 ? "s" : "", callee->name, wrapper->name);
}

/* Whether the size of every parameter is known. */
static bool can_be_passed(const struct ptx_function *f)
{
    for (int i = 0; i < f->parameter_count; i++)
        if (f->parameters[i]->is_unsized)
            return false;
    return true;
}

static bool wrap_all(struct wrapper_pass *w, struct text *said)
{
    bool is_changed = false;
    for (int i = 0; i < w->calls.count; i++) {
        struct wrap_call *c = &w->calls.data[i];
        c->is_needed =
            can_be_passed(c->callee) && (!c->callee->is_defined || (c->region >= 0 && count_regions(w, c->callee) > 1));
    }
    for (int i = 0; i < w->calls.count; i++) {
        const struct ptx_function *callee = w->calls.data[i].callee;
        if (!callee || !w->calls.data[i].is_needed)
            continue;
        wrap(w, callee, w->calls.data[i].region, said);
        is_changed = true;
    }
    return is_changed;
}

bool rewrite_wrap(struct ptx_module *module, struct ptx_function *kernel, const struct rewrite_options *options,
                  struct text *said)
{
    struct wrapper_pass w = {.module = module, .kernel = kernel};
    char *error = NULL;
    (void)options;
    w.program = program_create(kernel, &error);
    find_calls(&w);
    find_regions(&w);
    bool is_changed = wrap_all(&w, said);
    if (!is_changed)
        text_printf(said, "wrap: %s: left alone: no call of a function without a body, none from several regions\n",
                    kernel->name);
    if (w.program)
        program_destroy(w.program);
    free(error);
    vec_free(&w.callers);
    vec_free(&w.calls);
    arena_free(&w.arena);
    return is_changed;
}
