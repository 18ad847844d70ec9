/* The control flow of programs as a picture in SVG: see print_svg.h. */
#include "flow/print_svg.h"

#include "base/svg.h"
#include "base/vec.h"
#include "flow/layered.h"
#include "flow/print.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    LINE = 13,         /* pixels of a line of text */
    CHARACTER = 61,    /* tenths of a pixel of a character */
    PADDING = 8,       /* between a box and its text */
    MOST_LETTERS = 46, /* of a line in a box */
    MOST_LINES = 4,    /* first instructions of a block that a box shows */
    MARGIN = 24,       /* around a function's graph */
    TITLE = 30,        /* height of a function's title */
    THINNEST = 10,     /* tenths of a pixel: an edge that nobody took, or nothing is known of */
    THICKEST = 70,     /* an edge that the most threads took */
    LANES = 32,        /* of a full warp */
    LEGEND_LINE = 18,  /* height of a line of the legend */
    SHADES = 8
};

/* From few active lanes to all of them. */
static const char *const shades[SHADES] = {"#c0392b", "#d9694a", "#e8956d", "#f2c14e",
                                           "#c9cf6a", "#9bc57a", "#6bb58a", "#3f9f8f"};

struct graph {
    const struct program *program;
    const struct program_function *function;
    const struct flow_heat *heat;   /* NULL: none */
    struct layered layered;         /* nodes are the function's blocks in their order */
    struct text *texts;             /* by node: lines of the box */
    struct vec_of(int64_t) threads; /* by edge: that took it; -1: not known */
    int64_t most_threads;           /* of all edges */
    int x, y;                       /* of the graph's corner in the picture */
};

static const struct flow_block *block_of(const struct graph *g, int node)
{
    return &g->program->blocks[g->function->first_block + node];
}

/* ---- what was counted ---- */

/* Threads that took an edge of a branch: known for the two sides of a guarded bra. */
static int64_t branch_threads(const struct graph *g, const struct branch *b, const struct flow_block *to)
{
    const struct branch_use *use = &g->heat->use[b - g->program->branches];
    if (b->table || b->target_count > 2)
        return -1;
    bool is_next = to->first == b->pc + 1, is_taken = to->first == b->target[0];
    if (is_next && is_taken)
        return (int64_t)use->threads;
    return (int64_t)(is_taken ? use->taken : use->threads - use->taken);
}

/* A block without a branch is left by as many threads as enter it. Blocks are asked for again until nothing changes;
 * what stays unknown lies behind a branch through a table, or is never left. */
static bool settle_edge(struct graph *g, int edge)
{
    const struct layered_edge *e = &g->layered.edges[edge];
    const struct flow_block *from = block_of(g, e->from);
    int branch = g->program->insns[from->last].branch;
    int64_t sum = !e->from && g->function == g->program->functions ? (int64_t)g->heat->threads : 0;
    if (branch >= 0) {
        g->threads.data[edge] = branch_threads(g, &g->program->branches[branch], block_of(g, e->to));
        return g->threads.data[edge] >= 0;
    }
    if (!e->from && g->function != g->program->functions)
        return false; /* nobody counted the calls */
    for (int i = 0; i < g->layered.edge_count; i++) {
        if (g->layered.edges[i].to != e->from)
            continue;
        if (g->threads.data[i] < 0)
            return false;
        sum += g->threads.data[i];
    }
    g->threads.data[edge] = sum;
    return true;
}

static void count_threads(struct graph *g)
{
    for (int e = 0; e < g->layered.edge_count; e++)
        vec_push(&g->threads, -1);
    for (bool changes = g->heat != NULL; changes;) {
        changes = false;
        for (int e = 0; e < g->layered.edge_count; e++)
            if (g->threads.data[e] < 0 && settle_edge(g, e))
                changes = true;
    }
    for (int e = 0; e < g->layered.edge_count; e++)
        g->most_threads = g->threads.data[e] > g->most_threads ? g->threads.data[e] : g->most_threads;
}

static double lanes_of(const struct graph *g, int node)
{
    return g->heat ? g->heat->lanes[g->function->first_block + node] : -1;
}

static const char *shade_of(double lanes)
{
    int shade = (int)(lanes * SHADES / LANES - 0.001);
    return shades[shade < 0 ? 0 : shade >= SHADES ? SHADES - 1 : shade];
}

/* ---- boxes ---- */

static bool has_barrier(const struct graph *g, const struct flow_block *b)
{
    for (int32_t pc = b->first; pc <= b->last; pc++)
        if (g->program->insns[pc].class == CLASS_BARRIER)
            return true;
    return false;
}

/* Whether threads that some branch may split reconverge at the start of the block. */
static bool is_reconvergence(const struct graph *g, const struct flow_block *b)
{
    for (int i = 0; i < g->program->branch_count; i++)
        if (!g->program->branches[i].uniform && g->program->branches[i].ipdom == b->first)
            return true;
    return false;
}

static void add_line(struct text *t, const char *line)
{
    if (strlen(line) > MOST_LETTERS)
        text_printf(t, "%.*s...\n", MOST_LETTERS - 3, line);
    else
        text_printf(t, "%s\n", line);
}

static void add_instruction(const struct graph *g, int32_t pc, struct text *t)
{
    struct text line = {0};
    program_print_instruction(g->program, pc, &line);
    add_line(t, line.data ? line.data : "");
    text_free(&line);
}

/* The lines of a block's box: name and place, the first instructions, the last one, what was counted. */
static void write_box(const struct graph *g, int node, struct text *t)
{
    const struct flow_block *b = block_of(g, node);
    char where[200], line[300];
    int count = b->last - b->first + 1, shown = count <= MOST_LINES + 1 ? count : MOST_LINES;
    snprintf(line, sizeof line, "%s  %s", b->name, program_where(g->program, b->first, where, sizeof where));
    add_line(t, line);
    for (int i = 0; i < shown; i++)
        add_instruction(g, b->first + i, t);
    if (shown < count && count - shown > 1)
        text_printf(t, "... %d more\n", count - shown - 1);
    if (shown < count)
        add_instruction(g, b->last, t);
    int branch = g->program->insns[b->last].branch;
    if (branch >= 0 && !g->program->branches[branch].uniform) {
        int32_t point = g->program->branches[branch].ipdom;
        text_printf(t, "reconverges at %s\n",
                    point == PC_NONE ? "the exit" : g->program->blocks[g->program->insns[point].block].name);
    }
    if (lanes_of(g, node) >= 0)
        text_printf(t, "%.1f lanes active\n", lanes_of(g, node));
}

static void measure_box(const struct text *t, struct layered_node *n)
{
    int widest = 0, lines = 0;
    for (const char *at = t->data; *at; at += strcspn(at, "\n") + 1) {
        int length = (int)strcspn(at, "\n");
        widest = length > widest ? length : widest;
        lines++;
    }
    n->width = widest * CHARACTER / 10 + 2 * PADDING;
    n->height = lines * LINE + PADDING;
}

static void print_box(const struct graph *g, int node, struct text *out)
{
    const struct flow_block *b = block_of(g, node);
    const struct layered_node *n = &g->layered.nodes[node];
    int x = g->x + n->x, y = g->y + n->y;
    double lanes = lanes_of(g, node);
    text_printf(out, "<rect class=\"%s\" data-block=\"%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"",
                b->reachable ? "box" : "box dead", g->function->first_block + node, x, y, n->width, n->height);
    if (lanes >= 0)
        text_printf(out, " style=\"fill:%s;fill-opacity:.35\"", shade_of(lanes));
    text_printf(out, "/>\n");
    if (is_reconvergence(g, b))
        text_printf(out, "<path class=\"meet\" d=\"M%d %dh%d\"/>\n", x, y, n->width);
    if (has_barrier(g, b))
        text_printf(out, "<path class=\"barrier\" d=\"M%d %dv%d\"/>\n", x + 2, y + 3, n->height - 6);
    int line = 0;
    for (const char *at = g->texts[node].data; *at; at += strcspn(at, "\n") + 1, line++) {
        char words[400];
        snprintf(words, sizeof words, "%.*s", (int)strcspn(at, "\n"), at);
        text_printf(out, "<text%s x=\"%d\" y=\"%d\">", line ? "" : " class=\"name\"", x + PADDING,
                    y + (line + 1) * LINE);
        svg_escape(words, out);
        text_printf(out, "</text>\n");
    }
}

/* ---- edges ---- */

static int width_of(const struct graph *g, int edge)
{
    int64_t threads = g->threads.data[edge];
    if (threads <= 0 || !g->most_threads)
        return g->layered.edges[edge].is_back && !g->heat ? 2 * THINNEST : THINNEST;
    return THINNEST + (int)((THICKEST - THINNEST) * threads / g->most_threads);
}

static void print_edge(const struct graph *g, int edge, struct text *out)
{
    const struct layered_edge *e = &g->layered.edges[edge];
    const struct layered_point *p = e->points.data;
    int width = width_of(g, edge), last = e->points.count - 1;
    double lanes = lanes_of(g, e->to);
    text_printf(out, "<path class=\"edge%s\" data-edge=\"%d %d\" marker-end=\"url(#arrow)\" d=\"M%d %d",
                g->heat && g->threads.data[edge] <= 0 ? " unused" : "", g->function->first_block + e->from,
                g->function->first_block + e->to, g->x + p[0].x, g->y + p[0].y);
    for (int i = 1; i <= last; i++) {
        int x = g->x + p[i].x, y = g->y + p[i].y, before = g->x + p[i - 1].x, half = (p[i].y + p[i - 1].y) / 2 + g->y;
        if (i % 2 || e->is_back)
            text_printf(out, "L%d %d", x, i == last ? y - 1 : y);
        else
            text_printf(out, "C%d %d %d %d %d %d", before, half, x, half, x, i == last ? y - 1 : y);
    }
    text_printf(out, "\" style=\"stroke-width:%d.%d", width / 10, width % 10);
    if (lanes >= 0 && g->threads.data[edge] > 0)
        text_printf(out, ";stroke:%s", shade_of(lanes));
    text_printf(out, "\">");
    if (g->threads.data[edge] >= 0)
        text_printf(out, "<title>%" PRId64 " threads</title>", g->threads.data[edge]);
    text_printf(out, "</path>\n");
}

/* ---- functions and documents ---- */

static void make_graph(struct graph *g)
{
    const struct program_function *f = g->function;
    struct layered *l = &g->layered;
    struct vec_of(struct layered_edge) edges = {0};
    l->node_count = f->block_count;
    l->nodes = xcalloc((size_t)f->block_count + 1, sizeof *l->nodes);
    g->texts = xcalloc((size_t)f->block_count + 1, sizeof *g->texts);
    for (int i = 0; i < f->block_count; i++) {
        const struct flow_block *b = block_of(g, i);
        for (int k = 0; k < b->successor_count; k++)
            vec_push(&edges, (struct layered_edge){.from = i, .to = (int)b->successors[k] - f->first_block});
        write_box(g, i, &g->texts[i]);
        measure_box(&g->texts[i], &l->nodes[i]);
    }
    l->edges = edges.data;
    l->edge_count = edges.count;
    layered_place(l);
    count_threads(g);
}

static void free_graph(struct graph *g)
{
    for (int i = 0; i < g->layered.node_count; i++)
        text_free(&g->texts[i]);
    layered_free(&g->layered);
    free(g->layered.nodes);
    free(g->layered.edges);
    free(g->texts);
    vec_free(&g->threads);
}

void flow_picture_add(struct flow_picture *picture, const struct program *program, const struct flow_heat *heat)
{
    picture->has_heat |= heat != NULL;
    for (int i = 0; i < program->function_count; i++) {
        struct graph g = {.program = program, .function = &program->functions[i], .heat = heat};
        g.x = MARGIN;
        g.y = picture->height + TITLE + MARGIN;
        make_graph(&g);
        int title = (int)strlen(g.function->source->name) * 8;
        text_printf(&picture->body, "<text class=\"head\" x=\"%d\" y=\"%d\">", MARGIN, picture->height + TITLE - 8);
        svg_escape(g.function->source->name, &picture->body);
        text_printf(&picture->body, "</text>\n");
        for (int e = 0; e < g.layered.edge_count; e++)
            print_edge(&g, e, &picture->body);
        for (int n = 0; n < g.layered.node_count; n++)
            print_box(&g, n, &picture->body);
        int wide = g.layered.width > title ? g.layered.width : title;
        picture->width = wide + 2 * MARGIN > picture->width ? wide + 2 * MARGIN : picture->width;
        picture->height = g.y + g.layered.height + MARGIN;
        free_graph(&g);
    }
}

static void print_words(struct flow_picture *p, int y, const char *words)
{
    text_printf(&p->body, "<text x=\"%d\" y=\"%d\">%s</text>\n", MARGIN + 52, y, words);
}

static void print_legend(struct flow_picture *p)
{
    int y = p->height + LINE;
    text_printf(&p->body, "<path class=\"meet\" d=\"M%d %dh40\"/>", MARGIN, y - 4);
    print_words(p, y, "threads of a branch that may diverge reconverge at the top of this block");
    y += LEGEND_LINE;
    text_printf(&p->body, "<path class=\"barrier\" d=\"M%d %dh40\"/>", MARGIN, y - 4);
    print_words(p, y, "the block waits at a barrier");
    y += LEGEND_LINE;
    if (!p->has_heat) {
        text_printf(&p->body, "<path class=\"edge\" style=\"stroke-width:2\" d=\"M%d %dh40\"/>", MARGIN, y - 4);
        print_words(p, y, "an edge back, to the start of a loop");
        y += LEGEND_LINE;
    }
    for (int i = 0; i < SHADES && p->has_heat; i++)
        text_printf(&p->body, "<rect x=\"%d\" y=\"%d\" width=\"20\" height=\"10\" fill=\"%s\"/>\n", MARGIN + 20 * i,
                    y - 9, shades[i]);
    if (p->has_heat) {
        text_printf(&p->body,
                    "<text x=\"%d\" y=\"%d\">active lanes: few to all %d; an edge is as wide as the share of threads "
                    "that took it, dashed if none did or none was counted</text>\n",
                    MARGIN + 20 * SHADES + 12, y, LANES);
        y += LEGEND_LINE;
    }
    p->height = y + MARGIN;
    p->width = p->width < 720 ? 720 : p->width;
    if (p->has_heat)
        p->width = p->width < 980 ? 980 : p->width;
}

void flow_picture_end(struct flow_picture *picture, struct text *out)
{
    print_legend(picture);
    text_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n"
        "<style>text{font:10px monospace;fill:#24292f}.name{font-weight:bold}.head{font-weight:bold;"
        "font-size:13px}.box{fill:#f6f8fa;stroke:#57606a}.dead{stroke-dasharray:3 3}.edge{fill:none;"
        "stroke:#57606a}.unused{stroke:#8c959f;stroke-dasharray:4 3}.meet{stroke:#8250df;stroke-width:4;"
        "fill:none}.barrier{stroke:#0969da;stroke-width:4;fill:none}</style>\n"
        "<defs><marker id=\"arrow\" markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" markerHeight=\"9\" refX=\"8\" "
        "refY=\"4\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#57606a\"/></marker></defs>\n"
        "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n%s</svg>\n",
        picture->width, picture->height, picture->width, picture->height, picture->width, picture->height,
        picture->body.data);
    text_free(&picture->body);
}
