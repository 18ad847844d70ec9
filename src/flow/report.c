/* The analyses as text for people: no line is wider than REPORT_COLUMNS. */
#include "flow/report.h"

#include <string.h>

enum { REPORT_COLUMNS = 110 };

static size_t line_start(const struct text *t)
{
    size_t i = t->length;
    while (i && t->data[i - 1] != '\n')
        i--;
    return i;
}

/* Ends the line; what is too long is cut, between characters. */
static void end_line(struct text *t)
{
    size_t start = line_start(t);
    if (t->length - start > REPORT_COLUMNS) {
        size_t end = start + REPORT_COLUMNS - 3;
        while (end > start && ((unsigned char)t->data[end] & 0xc0) == 0x80)
            end--;
        t->length = end;
        text_printf(t, "...");
    }
    text_printf(t, "\n");
}

/* Numbers behind a word, on as many lines as they need. */
static void put_list(struct text *t, const char *word, const int32_t *list, int count)
{
    text_printf(t, "  %s", word);
    for (int i = 0; i < count; i++) {
        if (t->length - line_start(t) > REPORT_COLUMNS - 12)
            text_printf(t, "\n          ");
        text_printf(t, " %d", (int)list[i]);
    }
    if (!count)
        text_printf(t, " -");
}

static void put_number(struct text *t, const char *word, int32_t value)
{
    if (value < 0)
        text_printf(t, "  %s -", word);
    else
        text_printf(t, "  %s %d", word, (int)value);
}

void flow_report_instruction(const struct program *program, int32_t pc, struct text *out)
{
    const struct insn *insn = &program->insns[pc];
    const struct ptx_function *f = program->functions[insn->function].source;
    if (insn->origin)
        ptx_print_instruction(f, insn->origin, out);
    else if (insn->op == OP_RET)
        text_printf(out, "ret");
    else if (insn->op == OP_LD)
        text_printf(out, "ld.param.%s %s", type_table[insn->suffixes.type[0]].text,
                    insn->source[0].variable->name);
    else
        text_printf(out, "st.param.%s %s", type_table[insn->suffixes.type[0]].text,
                    insn->source[0].variable->name);
}

static void put_instruction(const struct program *p, int32_t pc, struct text *t)
{
    text_printf(t, "    %6d  ", (int)pc);
    flow_report_instruction(p, pc, t);
    text_printf(t, p->insns[pc].origin ? ";" : "; // not in the text");
    end_line(t);
}

static void put_block(const struct program *p, int block, struct text *t)
{
    const struct flow_block *b = &p->blocks[block];
    text_printf(t, "  block %d  PCs %d-%d%s", block, (int)b->first, (int)b->last,
                b->reachable ? "" : "  unreachable");
    put_number(t, "dominator", b->dominator);
    put_number(t, "post-dominator", b->post_dominator);
    put_number(t, "loop", b->loop);
    end_line(t);
    text_printf(t, "   ");
    put_list(t, "from", b->predecessors, b->predecessor_count);
    put_list(t, "to", b->successors, b->successor_count);
    end_line(t);
    for (int32_t pc = b->first; pc <= b->last; pc++)
        put_instruction(p, pc, t);
}

static void put_loops(const struct program *p, int function, struct text *t)
{
    bool any = false;
    for (int i = 0; i < p->loop_count; i++) {
        const struct flow_loop *l = &p->loops[i];
        if (p->blocks[l->header].function != function)
            continue;
        if (!any)
            text_printf(t, "  loops\n");
        any = true;
        text_printf(t, "    loop %d  depth %d", i, l->depth);
        put_number(t, "inside", l->parent);
        put_number(t, "header", l->header);
        text_printf(t, "%s", l->irreducible ? "  irreducible" : "");
        put_list(t, "blocks", l->blocks, l->block_count);
        end_line(t);
    }
}

static const char *pc_text(int32_t pc, const char *none, char buffer[16])
{
    if (pc == PC_NONE)
        return none;
    snprintf(buffer, 16, "%d", (int)pc);
    return buffer;
}

static void put_branches(const struct program *p, int function, struct text *t)
{
    bool any = false;
    char where[256], ipdom[16], likely[16];
    for (int i = 0; i < p->branch_count; i++) {
        const struct branch *b = &p->branches[i];
        if (p->insns[b->pc].function != function)
            continue;
        if (!any)
            text_printf(t, "  branches\n    %6s  %-24s %-7s %-7s %-8s %-7s %s\n", "pc", "where", "ipdom",
                        "likely", "uniform", "depth", "to");
        any = true;
        program_where(p, b->pc, where, sizeof where);
        size_t length = strlen(where);
        text_printf(t, "    %6d  %-24s %-7s %-7s %-8s %-5d", (int)b->pc,
                    length > 24 ? where + length - 24 : where, pc_text(b->ipdom, "exit", ipdom),
                    pc_text(b->likely, "-", likely),
                    !b->uniform  ? b->promised_uniform ? "promised" : "no"
                    : b->partial ? "partial"
                                 : "yes",
                    b->loop_depth);
        put_list(t, "", b->target, b->target_count);
        end_line(t);
    }
}

static void put_calls(const struct program *p, int function, struct text *t)
{
    for (int i = 0; i < p->call_count; i++) {
        const struct call *c = &p->calls[i];
        if (p->insns[c->pc].function != function)
            continue;
        bool by_pointer = c->callee < 0 && !c->builtin;
        const char *name = c->builtin   ? c->builtin->name
                           : by_pointer ? ""
                                        : p->functions[c->callee].source->name;
        text_printf(t, "  call at %d %s%s", (int)c->pc, by_pointer ? "through a pointer" : "of ", name);
        if (c->recursive)
            text_printf(t, "  recursive, saves %d registers", c->save_count);
        end_line(t);
        for (int k = 0; k < c->candidate_count && c->callee < 0; k++) {
            text_printf(t, "    may enter %s", p->functions[c->candidates[k]].source->name);
            end_line(t);
        }
    }
}

static void put_function(const struct program *p, int function, struct text *t)
{
    const struct program_function *f = &p->functions[function];
    text_printf(t, "%s %s", function ? "function" : "kernel", f->source->name);
    end_line(t);
    text_printf(t, "  PCs %d-%d  registers alive %d  planes %d  frame %u bytes%s", (int)f->first,
                (int)f->last, f->live_registers, program_planes(f), f->frame_bytes,
                f->recursive ? "  recursive" : "");
    end_line(t);
    for (int b = 0; b < f->block_count; b++)
        put_block(p, f->first_block + b, t);
    put_loops(p, function, t);
    put_branches(p, function, t);
    put_calls(p, function, t);
    text_printf(t, "\n");
}

void flow_report_text(const struct program *program, struct text *out)
{
    text_printf(out, "program %s", program->kernel->name);
    end_line(out);
    text_printf(out,
                "  %d instructions  %d functions  %d blocks  %d loops  %d branches  %d calls  hash %016llx",
                program->insn_count, program->function_count, program->block_count, program->loop_count,
                program->branch_count, program->call_count, (unsigned long long)program->hash);
    end_line(out);
    text_printf(out, "  %d registers  %d planes  %u bytes shared  %u bytes stack  %u bytes parameters%s",
                program->register_count, program->plane_count, program->layout->static_shared_bytes,
                program->stack_bytes, program->layout->parameter_bytes,
                program->has_recursion ? "  recursion" : "");
    end_line(out);
    text_printf(out, "\n");
    for (int i = 0; i < program->function_count; i++)
        put_function(program, i, out);
}
