/*
 * A program as a Graphviz graph: one cluster per function, one box per block, darker the deeper its loop nesting. Solid
 * lines are control flow (bold if backward); a dashed line leads from each branch to its reconvergence point. The text
 * of a block that ends in a branch ends with the branch's class (flow/interleave.h).
 */
#include "flow/print.h"

#include "base/demangle.h"
#include "flow/interleave.h"

#include <stdlib.h>
#include <string.h>

/* Within double quotes, Graphviz needs quotes and backslashes escaped; control characters become blanks. */
static void put_escaped(struct text *t, const char *s, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (s[i] == '"' || s[i] == '\\')
            text_append(t, "\\", 1);
        if ((unsigned char)s[i] < ' ')
            text_append(t, " ", 1);
        else
            text_append(t, &s[i], 1);
    }
}

static void put_label(const struct program *p, int block, struct text *t)
{
    const struct flow_block *b = &p->blocks[block];
    struct text line = {0};
    text_printf(t, "label=\"block %s\\l", b->name);
    for (int32_t pc = b->first; pc <= b->last; pc++) {
        line.length = 0;
        text_printf(&line, "%d: ", (int)pc);
        program_print_instruction(p, pc, &line);
        put_escaped(t, line.data, line.length);
        text_printf(t, "\\l");
    }
    if (p->insns[b->last].branch >= 0) {
        enum interleave class = interleave_of(p, &p->branches[p->insns[b->last].branch]);
        text_printf(t, "%s: %s\\l", interleave_is(class) ? "interleavable" : "not interleavable",
                    interleave_name(class));
    }
    text_printf(t, "\"");
    text_free(&line);
}

static void put_block(const struct program *p, int block, struct text *t)
{
    static const char *const shades[] = {"#ffffff", "#e3eefb", "#c2daf5", "#9cc3ec", "#74a9e0"};
    enum { DEEPEST = sizeof shades / sizeof *shades - 1 };
    const struct flow_block *b = &p->blocks[block];
    int depth = b->loop < 0 ? 0 : p->loops[b->loop].depth;
    text_printf(t, "    b%d [fillcolor=\"%s\", style=\"filled%s\", ", block, shades[depth < DEEPEST ? depth : DEEPEST],
                b->reachable ? "" : ",dashed");
    put_label(p, block, t);
    text_printf(t, "];\n");
}

static void put_edges(const struct program *p, int block, struct text *t)
{
    const struct flow_block *b = &p->blocks[block];
    for (int i = 0; i < b->successor_count; i++)
        text_printf(t, "    b%d -> b%d%s;\n", block, (int)b->successors[i],
                    b->successors[i] <= block ? " [style=bold]" : "");
    int branch = p->insns[b->last].branch;
    if (branch < 0 || p->branches[branch].ipdom == PC_NONE)
        return;
    text_printf(t, "    b%d -> b%d [style=dashed, color=\"%s\", constraint=false];\n", block,
                (int)p->insns[p->branches[branch].ipdom].block, p->branches[branch].uniform ? "#909090" : "#d04020");
}

void program_print_dot(const struct program *program, struct text *out)
{
    text_printf(out, "digraph flow {\n  node [shape=box, fontname=\"monospace\", fontsize=9];\n");
    for (int i = 0; i < program->function_count; i++) {
        const struct program_function *f = &program->functions[i];
        text_printf(out, "  subgraph cluster_%d {\n    label=\"", i);
        char *name = demangle_short(f->source->name);
        put_escaped(out, name, strlen(name));
        free(name);
        text_printf(out, "\";\n");
        for (int b = 0; b < f->block_count; b++)
            put_block(program, f->first_block + b, out);
        for (int b = 0; b < f->block_count; b++)
            put_edges(program, f->first_block + b, out);
        text_printf(out, "  }\n");
    }
    text_printf(out, "}\n");
}
