/*
 * Lanes by time as a TikZ picture: see tikz.h.
 *
 * Lengths are whole tenths of a millimetre, y grows downwards, and nothing depends on the host, so a picture is the
 * same on every machine.
 */
#include "trace/tikz.h"

#include "base/svg.h"
#include "base/tex.h"
#include "trace/event.h"
#include "trace/grid.h"

#include <inttypes.h>
#include <stdio.h>

/* Tenths of a millimetre, but for cycles. */
enum {
    BAND_CYCLES = 160,  /* cycles beside each other; later cycles stand in a band below */
    BAND_WIDTH = 1600,  /* of a band: the text of a page */
    MOST_WIDTH = 40,    /* widest column, for short windows */
    LEFT = 130,         /* room for the names of lanes */
    LINE = 40,          /* height of a line of text */
    BAR = 26,           /* height of the bar with the strands */
    GAP = 20,           /* between strips */
    LABEL_WIDTH = 20,   /* least width of a rectangle that has room for a letter */
    LABEL_HEIGHT = 24,  /* and its least height */
    BAR_LABEL = 36,     /* least width of a bar that has room for the number of its strand */
    MOST_DESCRIBED = 90 /* characters of a line of the legend */
};

struct tikz {
    struct trace_grid grid;
    struct text *out;
    int band_cycles;  /* cycles of a band */
    int column_width; /* of a cycle */
    int lane_height;
};

/* Prints a length in millimetres. */
static void print_length(int tenths, struct text *out)
{
    text_printf(out, tenths % 10 ? "%d.%d" : "%d", tenths / 10, tenths % 10);
}

static void print_point(int x, int y, struct text *out)
{
    text_printf(out, "(");
    print_length(x, out);
    text_printf(out, ",");
    print_length(y, out);
    text_printf(out, ")");
}

static void print_rectangle(const char *style, int x, int y, int width, int height, struct text *out)
{
    text_printf(out, "\\fill[%s] ", style);
    print_point(x, y, out);
    text_printf(out, " rectangle ");
    print_point(x + width, y + height, out);
    text_printf(out, ";\n");
}

/* Begins a node at a place; the caller prints its text and "};\n". */
static void begin_node(const char *style, int x, int y, struct text *out)
{
    text_printf(out, "\\node[%s] at ", style);
    print_point(x, y, out);
    text_printf(out, " {");
}

static void print_node(const char *style, int x, int y, const char *words, struct text *out)
{
    begin_node(style, x, y, out);
    tex_escape(words, out);
    text_printf(out, "};\n");
}

static void print_lanes(const struct tikz *p, int port, int from, int count, int y)
{
    struct grid_areas areas = {0};
    trace_grid_find_areas(&p->grid, port, from, count, &areas);
    for (int i = 0; i < areas.count; i++) {
        const struct grid_area *a = &areas.data[i];
        char style[24] = "idle";
        int x = LEFT + a->first * p->column_width, top = y + a->top * p->lane_height;
        int width = (a->end - a->first) * p->column_width, height = a->row_count * p->lane_height;
        if (a->block >= 0)
            snprintf(style, sizeof style, "block%d", (int)(a->block % SVG_COLOURS));
        /* A hair of white keeps neighbours apart. */
        print_rectangle(style, x, top, width > 4 ? width - 1 : width, height > 4 ? height - 1 : height, p->out);
        if (a->block < 0 || width < LABEL_WIDTH || height < LABEL_HEIGHT)
            continue;
        char letter[2] = {trace_grid_letter(&p->grid, a->block), '\0'};
        print_node("letter", x + width / 2, top + height / 2, letter, p->out);
    }
    vec_free(&areas);
}

/* The bar below the lanes: the id of the strand that issues. A cycle in which several strands issue has no bar. */
static void print_bar(const struct tikz *p, int port, int from, int count, int y)
{
    const int32_t *strands = &p->grid.strands[(size_t)port * (size_t)p->grid.cycle_count + (size_t)from];
    print_node("words", 0, y + BAR / 2, "strand", p->out);
    for (int c = 0, end; c < count; c = end) {
        for (end = c + 1; end < count && strands[end] == strands[c]; end++)
            ;
        if (strands[c] < 0)
            continue;
        int x = LEFT + c * p->column_width, width = (end - c) * p->column_width;
        print_rectangle("strand bar", x, y, width > 4 ? width - 1 : width, BAR - 4, p->out);
        char number[12];
        snprintf(number, sizeof number, "%d", (int)strands[c]);
        if (width >= BAR_LABEL)
            print_node("number", x + width / 2, y + BAR / 2 - 2, number, p->out);
    }
}

static void print_ruler(const struct tikz *p, int from, int count, int y)
{
    static const int steps[] = {5, 10, 20, 50};
    int step = steps[0];
    for (int i = 0; i < (int)(sizeof steps / sizeof *steps) && step * p->column_width < 120; i++)
        step = steps[i];
    print_node("words", 0, y + LINE / 2, "cycle", p->out);
    for (int c = 0; c < count; c++) {
        uint64_t cycle = p->grid.first_cycle + (uint64_t)(from + c);
        if (cycle % (uint64_t)step)
            continue;
        char number[24];
        int x = LEFT + c * p->column_width;
        snprintf(number, sizeof number, "%" PRIu64, cycle);
        print_node("number", x, y + LINE / 2 - 5, number, p->out);
        text_printf(p->out, "\\draw[tick] ");
        print_point(x, y + LINE - 10, p->out);
        text_printf(p->out, " -- ");
        print_point(x, y + LINE - 2, p->out);
        text_printf(p->out, ";\n");
    }
}

/* Prints one band: ruler, strips and bars. Returns the height. */
static int print_band(const struct tikz *p, int from, int y)
{
    int count = p->grid.cycle_count - from < p->band_cycles ? p->grid.cycle_count - from : p->band_cycles;
    int width = p->grid.view->width, strip = width * p->lane_height, at = y + LINE;
    text_printf(p->out, "%% cycles %" PRIu64 " to %" PRIu64 "\n", p->grid.first_cycle + (uint64_t)from,
                p->grid.first_cycle + (uint64_t)(from + count - 1));
    print_ruler(p, from, count, y);
    for (int port = 0; port < p->grid.port_count; port++) {
        char last[24];
        snprintf(last, sizeof last, "lane %d", width - 1);
        print_lanes(p, port, from, count, at);
        print_node("words", 0, at + p->lane_height / 2, "lane 0", p->out);
        print_node("words", 0, at + strip - p->lane_height / 2, last, p->out);
        print_bar(p, port, from, count, at + strip + 4);
        at += strip + BAR + GAP;
    }
    return at - y + GAP;
}

/* Prints one line per basic block: colour, name, and what the caller says of the block or else its first PC. */
static void print_legend(const struct tikz *p, int y)
{
    const struct trace_names *names = &p->grid.view->names;
    for (int32_t pc = trace_grid_next_block(&p->grid, 0); pc >= 0; pc = trace_grid_next_block(&p->grid, pc + 1)) {
        char own[12], style[24];
        struct text what = {0};
        text_printf(&what, "%s: ", trace_block(names, pc, own));
        if (names->describe)
            names->describe(names->context, pc, &what);
        else
            text_printf(&what, "pc %d", (int)pc);
        if (what.length > MOST_DESCRIBED)
            memcpy(what.data + MOST_DESCRIBED - 3, "...", 4);
        snprintf(style, sizeof style, "block%d", (int)(p->grid.blocks[pc] % SVG_COLOURS));
        print_rectangle(style, LEFT, y + 6, 50, LINE - 12, p->out);
        print_node("words", LEFT + 70, y + LINE / 2, what.data, p->out);
        text_free(&what);
        y += LINE;
    }
    print_rectangle("idle", LEFT, y + 6, 50, LINE - 12, p->out);
    print_node("words", LEFT + 70, y + LINE / 2, "an issue holds the lane, but no thread executes there", p->out);
}

/* Prints the totals below the lanes, and what the picture lacks. Returns the height. */
static int print_notes(const struct tikz *p, const struct trace *t, int y)
{
    int before = y;
    double share = trace_grid_share(&p->grid);
    struct text note = {0};
    if (share >= 0)
        text_printf(&note, "issues: %" PRIu64 "; of the lanes held, %.0f %% have a thread", p->grid.issues,
                    100 * share);
    else
        text_printf(&note, "nothing issued on multiprocessor %d in these cycles", p->grid.view->sm);
    if (p->grid.is_cut)
        text_printf(&note, "; the picture ends after %d cycles", GRID_MOST_CYCLES);
    if (t->dropped)
        text_printf(&note, "; %" PRIu64 " further events were not kept", t->dropped);
    print_node("words", LEFT, y + LINE / 2, note.data, p->out);
    text_free(&note);
    return y + LINE + GAP - before;
}

static void print_preamble(const struct tikz *p)
{
    bool is_defined[SVG_COLOURS] = {false};
    text_printf(p->out, "\\documentclass[border=2mm]{standalone}\n\\usepackage{tikz}\n");
    for (int32_t pc = trace_grid_next_block(&p->grid, 0); pc >= 0; pc = trace_grid_next_block(&p->grid, pc + 1))
        is_defined[p->grid.blocks[pc] % SVG_COLOURS] = true;
    for (int i = 0; i < SVG_COLOURS; i++)
        if (is_defined[i]) {
            text_printf(p->out, "\\definecolor{block%d}{HTML}{", i);
            for (const char *digit = svg_colours[i] + 1; *digit; digit++)
                text_printf(p->out, "%c", *digit >= 'a' ? *digit - 'a' + 'A' : *digit);
            text_printf(p->out, "}\n");
        }
    text_printf(p->out, "\\begin{document}\n\\begin{tikzpicture}[x=1mm,y=-1mm,\n"
                        "  every node/.style={inner sep=0pt,font=\\sffamily\\fontsize{7}{8}\\selectfont},\n"
                        "  words/.style={anchor=west,text=black!70},number/.style={text=black!70},\n"
                        "  letter/.style={text=white},idle/.style={fill=black!12},strand bar/.style={fill=black!10},\n"
                        "  tick/.style={draw=black!50,line width=0.2pt}]\n");
}

void trace_print_tikz(const struct trace *t, const struct trace_view *view, const char *title, struct text *out)
{
    struct tikz p = {.out = out};
    trace_grid_make(&p.grid, t, view);
    uint64_t length = view->last_cycle - view->first_cycle;
    p.band_cycles = length < BAND_CYCLES ? (int)length + 1 : BAND_CYCLES;
    p.column_width = BAND_WIDTH / p.band_cycles < MOST_WIDTH ? BAND_WIDTH / p.band_cycles : MOST_WIDTH;
    p.lane_height = view->width <= 8 ? 30 : view->width <= 16 ? 20 : 12;
    print_preamble(&p);
    int y = 0;
    if (title) {
        print_node("words,font=\\sffamily\\bfseries\\fontsize{8}{9}\\selectfont", 0, LINE / 2, title, out);
        y += LINE + GAP;
    }
    for (int from = 0; from < p.grid.cycle_count; from += p.band_cycles)
        y += print_band(&p, from, y);
    y += print_notes(&p, t, y);
    print_legend(&p, y);
    text_printf(out, "\\end{tikzpicture}\n\\end{document}\n");
    trace_grid_free(&p.grid);
}
