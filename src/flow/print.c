/* A program as text for people: no line is wider than PRINT_COLUMNS. */
#include "flow/print.h"

#include "base/arena.h"
#include "base/demangle.h"
#include "flow/interleave.h"

#include <stdlib.h>
#include <string.h>

enum {
    PRINT_COLUMNS = 110,
    MOST_LOOP_BLOCKS = 256 /* blocks listed per loop: each of many nested loops would list the innermost blocks again */
};

/* Loops, branches or calls sorted by function. */
struct by_function {
    int *first; /* by function, one more at the end: index into item */
    int *item;  /* numbers of loops, branches or calls in the program */
};

struct program_printer {
    const struct program *program;
    struct text *out;
    struct by_function loops, branches, calls;
};

static int function_of_loop(const struct program *p, int i)
{
    return p->blocks[p->loops[i].header].function;
}

static int function_of_branch(const struct program *p, int i)
{
    return p->insns[p->branches[i].pc].function;
}

static int function_of_call(const struct program *p, int i)
{
    return p->insns[p->calls[i].pc].function;
}

static struct by_function sort_by_function(const struct program *p, int count,
                                           int (*function_of)(const struct program *p, int i))
{
    struct by_function f = {.first = xcalloc((size_t)p->function_count + 2, sizeof *f.first),
                            .item = xcalloc((size_t)count + 1, sizeof *f.item)};
    for (int i = 0; i < count; i++)
        f.first[function_of(p, i) + 2]++;
    for (int i = 0; i < p->function_count; i++)
        f.first[i + 2] += f.first[i + 1];
    for (int i = 0; i < count; i++)
        f.item[f.first[function_of(p, i) + 1]++] = i;
    return f;
}

static void free_sorted(struct by_function *f)
{
    free(f->first);
    free(f->item);
}

static size_t line_start(const struct text *t)
{
    size_t i = t->length;
    while (i && t->data[i - 1] != '\n')
        i--;
    return i;
}

/* Ends the line. A line that is too long is cut, but not within a UTF-8 character. */
static void end_line(struct text *t)
{
    size_t start = line_start(t);
    if (t->length - start > PRINT_COLUMNS) {
        size_t end = start + PRINT_COLUMNS - 3;
        while (end > start && ((unsigned char)t->data[end] & 0xc0) == 0x80)
            end--;
        t->length = end;
        text_printf(t, "...");
    }
    text_printf(t, "\n");
}

/* Prints a word and the places at these PCs, on as many lines as they need. */
static void put_places(const struct program *p, struct text *t, const char *word, const int32_t *pcs, int count)
{
    text_printf(t, "  %s", word);
    for (int i = 0; i < count; i++) {
        if (t->length - line_start(t) > PRINT_COLUMNS - 12)
            text_printf(t, "\n          ");
        text_printf(t, " ");
        program_print_pc(p, pcs[i], t);
    }
    if (!count)
        text_printf(t, " -");
}

/* Prints a word and the names of these blocks, on as many lines as they need. */
static void put_blocks(const struct program *p, struct text *t, const char *word, const int32_t *blocks, int count)
{
    int32_t *firsts = xmalloc(sizeof *firsts * (size_t)(count + 1));
    for (int i = 0; i < count; i++)
        firsts[i] = p->blocks[blocks[i]].first;
    put_places(p, t, word, firsts, count);
    free(firsts);
}

static void put_name(const struct program *p, struct text *t, const char *word, int32_t block)
{
    text_printf(t, "  %s %s", word, block < 0 ? "-" : p->blocks[block].name);
}

static void put_number(struct text *t, const char *word, int32_t value)
{
    if (value < 0)
        text_printf(t, "  %s -", word);
    else
        text_printf(t, "  %s %d", word, (int)value);
}

void program_print_instruction(const struct program *program, int32_t pc, struct text *out)
{
    const struct insn *insn = &program->insns[pc];
    const struct ptx_function *f = program->functions[insn->function].source;
    if (insn->origin)
        ptx_print_instruction(f, insn->origin, out);
    else if (insn->op == OP_RET)
        text_printf(out, "ret");
    else if (insn->op == OP_LD)
        text_printf(out, "ld.param.%s %s", type_table[insn->suffixes.type[0]].text, insn->source[0].variable->name);
    else
        text_printf(out, "st.param.%s %s", type_table[insn->suffixes.type[0]].text, insn->source[0].variable->name);
}

static void put_instruction(const struct program *p, int32_t pc, struct text *t)
{
    text_printf(t, "    %6d  ", (int)pc);
    program_print_instruction(p, pc, t);
    text_printf(t, p->insns[pc].origin ? ";" : "; // inserted");
    end_line(t);
}

static void put_block(const struct program *p, int block, struct text *t)
{
    const struct flow_block *b = &p->blocks[block];
    text_printf(t, "  block %s  PCs %d-%d%s", b->name, (int)b->first, (int)b->last,
                b->reachable ? "" : "  unreachable");
    put_name(p, t, "dominator", b->dominator);
    put_name(p, t, "post-dominator", b->post_dominator);
    put_number(t, "loop", b->loop);
    end_line(t);
    text_printf(t, "   ");
    put_blocks(p, t, "from", b->predecessors, b->predecessor_count);
    put_blocks(p, t, "to", b->successors, b->successor_count);
    end_line(t);
    for (int32_t pc = b->first; pc <= b->last; pc++)
        put_instruction(p, pc, t);
}

static void put_loops(const struct program_printer *r, int function)
{
    struct text *t = r->out;
    const int *first = &r->loops.first[function];
    if (first[0] < first[1])
        text_printf(t, "  loops\n");
    for (int k = first[0]; k < first[1]; k++) {
        int i = r->loops.item[k];
        const struct flow_loop *l = &r->program->loops[i];
        bool is_long = l->block_count > MOST_LOOP_BLOCKS;
        text_printf(t, "    loop %d  depth %d", i, l->depth);
        put_number(t, "inside", l->parent);
        put_name(r->program, t, "header", l->header);
        text_printf(t, "%s", l->irreducible ? "  irreducible" : "");
        put_blocks(r->program, t, "blocks", l->blocks, is_long ? MOST_LOOP_BLOCKS : l->block_count);
        if (is_long)
            text_printf(t, "\n           and %d more", l->block_count - MOST_LOOP_BLOCKS);
        end_line(t);
    }
}

/* The name of a place, padded to a column of the table of branches. */
static void put_column(const struct program *p, struct text *t, int32_t pc, const char *none)
{
    enum { COLUMN = 8 };
    size_t start = t->length;
    if (pc == PC_NONE)
        text_printf(t, "%s", none);
    else
        program_print_pc(p, pc, t);
    int used = (int)(t->length - start);
    text_printf(t, "%*s", used < COLUMN ? COLUMN - used : 1, "");
}

static void put_branches(const struct program_printer *r, int function)
{
    const struct program *p = r->program;
    struct text *t = r->out;
    const int *first = &r->branches.first[function];
    char where[256];
    if (first[0] < first[1])
        text_printf(t, "  branches\n    %-7s %-24s %-7s %-7s %-8s %-5s %-17s %s\n", "at", "where", "ipdom", "likely",
                    "uniform", "depth", "interleavable", "to");
    for (int i = first[0]; i < first[1]; i++) {
        const struct branch *b = &p->branches[r->branches.item[i]];
        program_where(p, b->pc, where, sizeof where);
        size_t length = strlen(where);
        text_printf(t, "    ");
        put_column(p, t, b->pc, "");
        text_printf(t, "%-24s ", length > 24 ? where + length - 24 : where);
        put_column(p, t, b->ipdom, "exit");
        put_column(p, t, b->likely, "-");
        text_printf(t, "%-8s %-5d ",
                    !b->uniform  ? b->promised_uniform ? "promised" : "no"
                    : b->partial ? "partial"
                                 : "yes",
                    b->loop_depth);
        enum interleave class = interleave_of(p, b);
        text_printf(t, "%-3s %-11s", interleave_is(class) ? "yes" : "no", interleave_name(class));
        put_places(p, t, "", b->target, b->target_count);
        end_line(t);
    }
}

static void put_calls(const struct program_printer *r, int function)
{
    const struct program *p = r->program;
    struct text *t = r->out;
    for (int i = r->calls.first[function]; i < r->calls.first[function + 1]; i++) {
        const struct call *c = &p->calls[r->calls.item[i]];
        bool by_pointer = c->callee < 0 && !c->builtin;
        const char *name = c->builtin ? c->builtin->name : by_pointer ? "" : p->functions[c->callee].source->name;
        text_printf(t, "  call at ");
        program_print_pc(p, c->pc, t);
        text_printf(t, " %s%s", by_pointer ? "through a pointer" : "of ", name);
        if (c->recursive)
            text_printf(t, "  recursive, saves %d registers", c->save_count);
        end_line(t);
        for (int k = 0; k < c->candidate_count && c->callee < 0; k++) {
            text_printf(t, "    may enter ");
            demangle_print(p->functions[c->candidates[k]].source->name, t);
            end_line(t);
        }
    }
}

static void put_function(const struct program_printer *r, int function)
{
    const struct program *p = r->program;
    struct text *t = r->out;
    const struct program_function *f = &p->functions[function];
    text_printf(t, "%s ", function ? "function" : "kernel");
    demangle_print(f->source->name, t);
    end_line(t);
    text_printf(t, "  PCs %d-%d  registers alive %d  planes %d  frame %u bytes%s", (int)f->first, (int)f->last,
                f->live_registers, program_planes(f), f->frame_bytes, f->recursive ? "  recursive" : "");
    end_line(t);
    for (int b = 0; b < f->block_count; b++)
        put_block(p, f->first_block + b, t);
    put_loops(r, function);
    put_branches(r, function);
    put_calls(r, function);
    text_printf(t, "\n");
}

/* How many branches are interleavable, and how many there are of each class. */
static void put_classes(const struct program *p, struct text *t)
{
    int counts[INTERLEAVE_COUNT];
    if (!p->branch_count)
        return;
    text_printf(t, "  %d of %d branches interleavable:", interleave_count(p, counts), p->branch_count);
    const char *comma = "";
    for (int i = 0; i < INTERLEAVE_COUNT; i++) {
        if (!counts[i])
            continue;
        text_printf(t, "%s %d %s", comma, counts[i], interleave_name((enum interleave)i));
        comma = ",";
    }
    end_line(t);
}

/* What the classes mean that the program's branches have. */
static void put_reasons(const struct program *p, struct text *t)
{
    int counts[INTERLEAVE_COUNT];
    interleave_count(p, counts);
    for (int i = 0; i < INTERLEAVE_COUNT; i++)
        if (counts[i])
            text_printf(t, "%-10s %s: %s\n", interleave_name((enum interleave)i),
                        interleave_is((enum interleave)i) ? "interleavable" : "not interleavable",
                        interleave_why((enum interleave)i));
    if (p->branch_count)
        text_printf(t, "\n");
}

void program_print_text(const struct program *program, struct text *out)
{
    text_printf(out, "program ");
    demangle_print(program->kernel->name, out);
    end_line(out);
    text_printf(out, "  %d instructions  %d functions  %d blocks  %d loops  %d branches  %d calls  hash %016llx",
                program->insn_count, program->function_count, program->block_count, program->loop_count,
                program->branch_count, program->call_count, (unsigned long long)program->hash);
    end_line(out);
    text_printf(out, "  %d registers  %d planes  %u bytes shared  %u bytes stack  %u bytes parameters%s",
                program->register_count, program->plane_count, program->layout->static_shared_bytes,
                program->stack_bytes, program->layout->parameter_bytes, program->has_recursion ? "  recursion" : "");
    end_line(out);
    put_classes(program, out);
    text_printf(out, "\n");
    struct program_printer r = {program, out, sort_by_function(program, program->loop_count, function_of_loop),
                                sort_by_function(program, program->branch_count, function_of_branch),
                                sort_by_function(program, program->call_count, function_of_call)};
    for (int i = 0; i < program->function_count; i++)
        put_function(&r, i);
    put_reasons(program, out);
    free_sorted(&r.loops);
    free_sorted(&r.branches);
    free_sorted(&r.calls);
}
