/*
 * Lanes by time as SVG: see svg.h.
 *
 * All rectangles of one colour (grid.h) become one path: a picture of some hundred cycles stays below 60 KB. All
 * coordinates are whole pixels, and nothing depends on the host, so a picture is the same on every machine.
 *
 * A document consists of a header, panels and legends. Comments with their sizes mark where each begins, so that
 * trace_join_svg() can cut documents apart; names cannot hold such a comment, since `<` is escaped.
 */
#include "trace/svg.h"

#include "base/svg.h"
#include "trace/event.h"
#include "trace/grid.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    BAND_CYCLES = 240, /* cycles beside each other; later cycles stand in a band below */
    BAND_PIXELS = 960, /* width of a band */
    MOST_PIXELS = 16,  /* widest column, for short windows */
    LEFT = 56,         /* room for the names of lanes */
    RIGHT = 24,        /* room for the half of the last cycle number */
    LINE = 18,         /* height of a line of text */
    BAR = 13,          /* height of the bar with the strands */
    GAP = 8,           /* pixels between strips */
    LABEL_PIXELS = 12, /* least width of a rectangle that has room for a letter */
};

struct svg {
    const struct trace_grid *grid; /* what is drawn */
    struct text *out;              /* where panels are printed to */
    int band_cycles;               /* cycles of a band */
    int pixels;                    /* width of a cycle */
    int lane_height;               /* pixels */
};

/* The scale of the picture, which depends on the window and the width of warps alone. */
static void choose_scale(struct svg *s)
{
    const struct trace_view *view = s->grid->view;
    uint64_t length = view->last_cycle - view->first_cycle;
    s->band_cycles = length < BAND_CYCLES ? (int)length + 1 : BAND_CYCLES;
    s->pixels = BAND_PIXELS / s->band_cycles < MOST_PIXELS ? BAND_PIXELS / s->band_cycles : MOST_PIXELS;
    s->lane_height = view->width <= 8 ? 12 : view->width <= 16 ? 8 : 5;
}

/* A rectangle leaves a pixel to its right and below, so that neighbours stay apart; narrow columns leave none. */
static void print_rectangle(const struct svg *s, const struct grid_area *a, int y)
{
    int spare = s->pixels >= 4;
    int width = (a->end - a->first) * s->pixels - spare, height = a->row_count * s->lane_height - 1;
    text_printf(s->out, "M%d %dh%dv%dh-%dz", LEFT + a->first * s->pixels, y + a->top * s->lane_height, width, height,
                width);
}

static void print_letter(const struct svg *s, const struct grid_area *a, int y)
{
    int width = (a->end - a->first) * s->pixels, height = a->row_count * s->lane_height;
    if (a->block < 0 || width < LABEL_PIXELS || height < LABEL_PIXELS)
        return;
    char letter[2] = {trace_grid_letter(s->grid, a->block), '\0'};
    text_printf(s->out, "<text class=\"in\" x=\"%d\" y=\"%d\">", LEFT + a->first * s->pixels + width / 2,
                y + a->top * s->lane_height + height / 2 + 3);
    svg_escape(letter, s->out);
    text_printf(s->out, "</text>\n");
}

static void print_lanes(const struct svg *s, int port, int from, int count, int y)
{
    struct grid_areas areas = {0};
    trace_grid_find_areas(s->grid, port, from, count, &areas);
    for (int i = 0; i < areas.count; i++) {
        const struct grid_area *a = &areas.data[i];
        bool is_first = !i || a[-1].block != a->block;
        if (is_first && a->block == CELL_IDLE)
            text_printf(s->out, "<path class=\"idle\" d=\"");
        else if (is_first)
            text_printf(s->out, "<path fill=\"%s\" d=\"", svg_colours[a->block % SVG_COLOURS]);
        print_rectangle(s, a, y);
        if (i + 1 == areas.count || a[1].block != a->block)
            text_printf(s->out, "\"/>\n");
    }
    for (int i = 0; i < areas.count; i++)
        print_letter(s, &areas.data[i], y);
    vec_free(&areas);
}

/* ---- a band: ruler, strips, bars ---- */

static void print_ruler(const struct svg *s, int from, int count, int y)
{
    static const int steps[] = {5, 10, 20, 50, 100};
    int step = steps[0];
    for (int i = 0; i < (int)(sizeof steps / sizeof *steps) && step * s->pixels < 60; i++)
        step = steps[i];
    text_printf(s->out, "<text x=\"0\" y=\"%d\">cycle</text>\n", y + 11);
    for (int c = 0; c < count; c++) {
        uint64_t cycle = s->grid->first_cycle + (uint64_t)(from + c);
        if (cycle % (uint64_t)step)
            continue;
        int x = LEFT + c * s->pixels;
        text_printf(s->out,
                    "<path class=\"tick\" d=\"M%d %dv4\"/><text class=\"mid\" x=\"%d\" y=\"%d\">%" PRIu64 "</text>\n",
                    x, y + LINE - 5, x, y + 10, cycle);
    }
}

/* The bar below the lanes: the id of the strand that issues. A cycle in which several strands issue has no bar. */
static void print_bar(const struct svg *s, int port, int from, int count, int y)
{
    const int32_t *strands = &s->grid->strands[(size_t)port * (size_t)s->grid->cycle_count + (size_t)from];
    text_printf(s->out, "<text x=\"0\" y=\"%d\">strand</text>\n", y + 10);
    for (int c = 0, end; c < count; c = end) {
        for (end = c + 1; end < count && strands[end] == strands[c]; end++)
            ;
        if (strands[c] < 0)
            continue;
        int width = (end - c) * s->pixels;
        text_printf(s->out, "<path class=\"bar\" d=\"M%d %dh%dv%dh-%dz\"/>", LEFT + c * s->pixels, y,
                    width - (s->pixels >= 4), BAR - 2, width - (s->pixels >= 4));
        if (width >= LABEL_PIXELS + 6)
            text_printf(s->out, "<text class=\"mid\" x=\"%d\" y=\"%d\">%d</text>", LEFT + c * s->pixels + width / 2,
                        y + 10, (int)strands[c]);
        text_printf(s->out, "\n");
    }
}

/* Prints one band: ruler, strips and bars. Returns the height. */
static int print_band(const struct svg *s, int from, int y)
{
    int count = s->grid->cycle_count - from < s->band_cycles ? s->grid->cycle_count - from : s->band_cycles;
    int strip = s->grid->view->width * s->lane_height, at = y + LINE;
    print_ruler(s, from, count, y);
    for (int port = 0; port < s->grid->port_count; port++) {
        print_lanes(s, port, from, count, at);
        text_printf(s->out, "<text x=\"0\" y=\"%d\">lane 0</text><text x=\"0\" y=\"%d\">lane %d</text>\n",
                    at + (s->lane_height + 8) / 2, at + strip - s->lane_height / 2 + 3, s->grid->view->width - 1);
        print_bar(s, port, from, count, at + strip + 1);
        at += strip + BAR + GAP;
    }
    return at - y + GAP;
}

/* ---- the legend ---- */

/* Prints one line per basic block of the picture: colour, name, and what the caller says of the block or else its first
 * PC. Returns the height. */
static int print_legend(const struct trace_grid *grid, struct text *out)
{
    const struct trace_names *names = &grid->view->names;
    int y = 0;
    for (int32_t pc = trace_grid_next_block(grid, 0); pc >= 0; pc = trace_grid_next_block(grid, pc + 1)) {
        char own[12];
        text_printf(out, "<path fill=\"%s\" d=\"M%d %dh14v11h-14z\"/><text x=\"%d\" y=\"%d\">",
                    svg_colours[grid->blocks[pc] % SVG_COLOURS], LEFT, y + 1, LEFT + 22, y + 11);
        svg_escape(trace_block(names, pc, own), out);
        if (names->describe) {
            struct text what = {0};
            names->describe(names->context, pc, &what);
            text_printf(out, ": ");
            svg_escape(what.data ? what.data : "", out);
            text_free(&what);
        } else {
            text_printf(out, ": pc %d", (int)pc);
        }
        text_printf(out, "</text>\n");
        y += LINE;
    }
    text_printf(out,
                "<path class=\"idle\" d=\"M%d %dh14v11h-14z\"/><text x=\"%d\" y=\"%d\">an issue holds the lane, but no "
                "thread executes there</text>\n",
                LEFT, y + 1, LEFT + 22, y + 11);
    return y + LINE + GAP;
}

/* ---- documents ---- */

static void print_header(int width, int height, struct text *out)
{
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n"
                "<style>text{font:11px sans-serif;fill:#6e7781}.head{font-weight:bold;font-size:13px}"
                ".mid,.in{text-anchor:middle}.in{fill:#fff;font-weight:bold}.idle{fill:#8c959f;fill-opacity:.22}"
                ".bar{fill:#8c959f;fill-opacity:.2}.tick{stroke:#8c959f}</style>\n",
                width, height, width, height);
}

static int print_title(const struct svg *s, const char *title)
{
    if (!title)
        return 0;
    text_printf(s->out, "<text class=\"head\" x=\"0\" y=\"14\">");
    svg_escape(title, s->out);
    text_printf(s->out, "</text>\n");
    return LINE + 4;
}

/* Prints the totals below the lanes, and what the picture lacks. Returns the height. */
static int print_notes(const struct svg *s, const struct trace *t, int y)
{
    int before = y;
    double share = trace_grid_share(s->grid);
    text_printf(s->out, "<text x=\"%d\" y=\"%d\">", LEFT, y + 11);
    if (share >= 0)
        text_printf(s->out, "issues: %" PRIu64 "; of the lanes held, %.0f %% have a thread", s->grid->issues,
                    100.0 * share);
    else
        text_printf(s->out, "nothing issued on multiprocessor %d in these cycles", s->grid->view->sm);
    text_printf(s->out, "</text>\n");
    y += LINE;
    if (s->grid->is_cut) {
        text_printf(s->out, "<text x=\"%d\" y=\"%d\">the picture ends after %d cycles</text>\n", LEFT, y + 11,
                    GRID_MOST_CYCLES);
        y += LINE;
    }
    if (t->dropped) {
        text_printf(s->out, "<text x=\"%d\" y=\"%d\">%" PRIu64 " further events were not kept</text>\n", LEFT, y + 11,
                    t->dropped);
        y += LINE;
    }
    return y - before + GAP;
}

void trace_print_svg(const struct trace *t, const struct trace_view *view, const char *title, struct text *out)
{
    struct text panel = {0}, legend = {0};
    struct trace_grid grid;
    struct svg s = {.grid = &grid, .out = &panel};
    trace_grid_make(&grid, t, view);
    choose_scale(&s);
    int width = LEFT + s.band_cycles * s.pixels + RIGHT, height = print_title(&s, title);
    for (int from = 0; from < grid.cycle_count; from += s.band_cycles)
        height += print_band(&s, from, height);
    height += print_notes(&s, t, height);
    int legend_height = print_legend(&grid, &legend);
    print_header(width, height + legend_height, out);
    text_printf(out, "<!-- panel %d %d -->\n<g>\n%s</g>\n", width, height, panel.data);
    text_printf(out, "<!-- legend %d -->\n<g transform=\"translate(0,%d)\">\n%s</g>\n</svg>\n", legend_height, height,
                legend.data);
    text_free(&panel);
    text_free(&legend);
    trace_grid_free(&grid);
}

/* ---- several pictures in one document ---- */

/* Where the parts of a document of trace_print_svg() are, and their sizes in pixels. */
struct svg_parts {
    const char *panel, *legend;
    int panel_length, legend_length; /* bytes */
    int width, height, legend_height;
};

/* The content of the first group behind `from`: what stands between the line "<g ...>" and "</g>". NULL: there is no
 * group. */
static const char *find_group(const char *from, int *length)
{
    const char *group = strstr(from, "<g"), *begin = group ? strchr(group, '\n') : NULL;
    const char *end = begin ? strstr(begin, "</g>") : NULL;
    if (!end)
        return NULL;
    *length = (int)(end - begin - 1);
    return begin + 1;
}

static bool find_parts(const char *document, struct svg_parts *parts)
{
    const char *panel = strstr(document, "<!-- panel "), *legend = strstr(document, "<!-- legend ");
    if (!panel || !legend || sscanf(panel, "<!-- panel %d %d", &parts->width, &parts->height) != 2 ||
        sscanf(legend, "<!-- legend %d", &parts->legend_height) != 1)
        return false;
    parts->panel = find_group(panel, &parts->panel_length);
    parts->legend = find_group(legend, &parts->legend_length);
    return parts->panel && parts->legend;
}

static bool has_same_legend(const struct svg_parts *a, const struct svg_parts *b)
{
    return a->legend_length == b->legend_length && !memcmp(a->legend, b->legend, (size_t)a->legend_length);
}

bool trace_join_svg(char *const *documents, int count, struct text *out)
{
    struct svg_parts *parts = xcalloc((size_t)count + 1, sizeof *parts);
    struct text body = {0};
    int width = 0, y = 0;
    bool ok = true;
    for (int i = 0; i < count && ok; i++)
        ok = find_parts(documents[i], &parts[i]);
    for (int i = 0; i < count && ok; i++) {
        const struct svg_parts *p = &parts[i];
        text_printf(&body, "<!-- panel %d %d -->\n<g transform=\"translate(0,%d)\">\n%.*s</g>\n", p->width, p->height,
                    y, p->panel_length, p->panel);
        y += p->height;
        width = p->width > width ? p->width : width;
        if (i + 1 < count && has_same_legend(p, p + 1))
            continue;
        text_printf(&body, "<!-- legend %d -->\n<g transform=\"translate(0,%d)\">\n%.*s</g>\n", p->legend_height, y,
                    p->legend_length, p->legend);
        y += p->legend_height;
    }
    if (ok) {
        print_header(width, y, out);
        text_printf(out, "%s</svg>\n", body.data ? body.data : "");
    }
    text_free(&body);
    free(parts);
    return ok;
}
