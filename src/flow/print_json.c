/* A program as JSON. Numbers of blocks, loops and functions are indices into the program's lists; null stands for
 * "none". */
#include "flow/print.h"

#include "base/json.h"
#include "flow/interleave.h"

static void put_index(struct text *t, const char *key, int32_t value)
{
    if (value < 0)
        text_printf(t, ", \"%s\": null", key);
    else
        text_printf(t, ", \"%s\": %d", key, (int)value);
}

static void put_bool(struct text *t, const char *key, bool value)
{
    text_printf(t, ", \"%s\": %s", key, value ? "true" : "false");
}

static void put_list(struct text *t, const char *key, const int32_t *list, int count)
{
    text_printf(t, ", \"%s\": [", key);
    for (int i = 0; i < count; i++)
        text_printf(t, i ? ", %d" : "%d", (int)list[i]);
    text_printf(t, "]");
}

static void put_instructions(const struct program *p, struct text *t)
{
    struct text line = {0};
    char where[256];
    text_printf(t, ",\n\"instructions\": [");
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        const struct insn *insn = &p->insns[pc];
        line.length = 0;
        program_print_instruction(p, pc, &line);
        program_where(p, pc, where, sizeof where);
        text_printf(t, "%s\n  {\"pc\": %d, \"text\": ", pc ? "," : "", (int)pc);
        json_print_string(t, line.data);
        text_printf(t, ", \"where\": ");
        json_print_string(t, where);
        text_printf(t, ", \"line\": %d, \"function\": %d, \"block\": %d}", (int)insn->line, (int)insn->function,
                    (int)insn->block);
    }
    text_printf(t, "]");
    text_free(&line);
}

static void put_functions(const struct program *p, struct text *t)
{
    text_printf(t, ",\n\"functions\": [");
    for (int i = 0; i < p->function_count; i++) {
        const struct program_function *f = &p->functions[i];
        text_printf(t, "%s\n  {\"name\": ", i ? "," : "");
        json_print_string(t, f->source->name);
        text_printf(t, ", \"first\": %d, \"last\": %d, \"frame_bytes\": %u", (int)f->first, (int)f->last,
                    f->frame_bytes);
        put_bool(t, "recursive", f->recursive);
        text_printf(t, ", \"first_block\": %d, \"blocks\": %d, \"planes\": %d", f->first_block, f->block_count,
                    program_planes(f));
        text_printf(t, ", \"live_registers\": %d}", f->live_registers);
    }
    text_printf(t, "]");
}

static void put_blocks(const struct program *p, struct text *t)
{
    text_printf(t, ",\n\"blocks\": [");
    for (int i = 0; i < p->block_count; i++) {
        const struct flow_block *b = &p->blocks[i];
        text_printf(t, "%s\n  {\"name\": \"%s\", \"first\": %d, \"last\": %d, \"function\": %d", i ? "," : "", b->name,
                    (int)b->first, (int)b->last, b->function);
        put_list(t, "successors", b->successors, b->successor_count);
        put_list(t, "predecessors", b->predecessors, b->predecessor_count);
        put_index(t, "dominator", b->dominator);
        put_index(t, "post_dominator", b->post_dominator);
        put_index(t, "loop", b->loop);
        put_bool(t, "reachable", b->reachable);
        text_printf(t, "}");
    }
    text_printf(t, "]");
}

static void put_loops(const struct program *p, struct text *t)
{
    text_printf(t, ",\n\"loops\": [");
    for (int i = 0; i < p->loop_count; i++) {
        const struct flow_loop *l = &p->loops[i];
        text_printf(t, "%s\n  {\"header\": %d, \"depth\": %d", i ? "," : "", (int)l->header, l->depth);
        put_index(t, "parent", l->parent);
        put_bool(t, "irreducible", l->irreducible);
        put_list(t, "blocks", l->blocks, l->block_count);
        text_printf(t, "}");
    }
    text_printf(t, "]");
}

static void put_branches(const struct program *p, struct text *t)
{
    text_printf(t, ",\n\"branches\": [");
    for (int i = 0; i < p->branch_count; i++) {
        const struct branch *b = &p->branches[i];
        text_printf(t, "%s\n  {\"pc\": %d, \"op\": \"%s\"", i ? "," : "", (int)b->pc,
                    op_table[p->insns[b->pc].op].mnemonic);
        put_list(t, "targets", b->target, b->target_count);
        put_index(t, "ipdom", b->ipdom);
        put_index(t, "likely", b->likely);
        put_bool(t, "uniform", b->uniform);
        put_bool(t, "partial", b->partial);
        put_bool(t, "promised_uniform", b->promised_uniform);
        put_bool(t, "backward", b->backward);
        text_printf(t, ", \"loop_depth\": %d", b->loop_depth);
        enum interleave class = interleave_of(p, b);
        put_bool(t, "interleavable", interleave_is(class));
        text_printf(t, ", \"class\": \"%s\", \"why\": \"%s\"}", interleave_name(class), interleave_why(class));
    }
    text_printf(t, "]");
}

static void put_classes(const struct program *p, struct text *t)
{
    int counts[INTERLEAVE_COUNT], found = interleave_count(p, counts);
    put_bool(t, "interleavable", found > 0);
    text_printf(t, ", \"interleavable_branches\": %d, \"branch_classes\": {", found);
    for (int i = 0; i < INTERLEAVE_COUNT; i++)
        text_printf(t, "%s\"%s\": %d", i ? ", " : "", interleave_name((enum interleave)i), counts[i]);
    text_printf(t, "}");
}

/* The callee's name; null for a call through a pointer, whose possible callees are the candidates. */
static void put_callee(const struct program *p, const struct call *c, struct text *t)
{
    const char *name = c->builtin ? c->builtin->name : c->callee >= 0 ? p->functions[c->callee].source->name : NULL;
    json_print_string(t, name);
}

static void put_calls(const struct program *p, struct text *t)
{
    text_printf(t, ",\n\"calls\": [");
    for (int i = 0; i < p->call_count; i++) {
        const struct call *c = &p->calls[i];
        text_printf(t, "%s\n  {\"pc\": %d, \"callee\": ", i ? "," : "", (int)c->pc);
        put_callee(p, c, t);
        put_list(t, "candidates", c->candidates, c->candidate_count);
        put_bool(t, "builtin", c->builtin != NULL);
        put_bool(t, "recursive", c->recursive);
        text_printf(t, ", \"saved_planes\": [");
        for (int k = 0; k < c->save_count; k++)
            text_printf(t, k ? ", %d" : "%d", (int)c->save[k].plane);
        text_printf(t, "]}");
    }
    text_printf(t, "]");
}

void program_print_json(const struct program *program, struct text *out)
{
    text_printf(out, "{\"kernel\": ");
    json_print_string(out, program->kernel->name);
    text_printf(out, ", \"hash\": \"%016llx\"", (unsigned long long)program->hash);
    text_printf(out, ", \"registers\": %d, \"planes\": %d", program->register_count, program->plane_count);
    text_printf(out, ", \"shared_bytes\": %u, \"stack_bytes\": %u, \"parameter_bytes\": %u",
                program->layout->static_shared_bytes, program->stack_bytes, program->layout->parameter_bytes);
    put_bool(out, "recursion", program->has_recursion);
    put_classes(program, out);
    put_functions(program, out);
    put_blocks(program, out);
    put_loops(program, out);
    put_branches(program, out);
    put_calls(program, out);
    put_instructions(program, out);
    text_printf(out, "}\n");
}
