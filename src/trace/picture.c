/*
 * Lanes over time, as text. Each issue port has rows of its own, since two ports may hold the same lanes of different
 * units in one cycle. Neighbouring lanes whose rows are equal share one row. Cycles are columns. A compressed picture
 * has columns only for cycles in which some lane is held, and one `:` for each gap.
 */
#include "trace/event.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

enum { DEFAULT_COLUMNS = 100, LABEL_WIDTH = 12, MOST_COLUMNS = 100000, COLOURS = 20 };

/* Colours of a terminal with 256 of them, near those of svg_colours (base/svg.h). */
static const unsigned char terminal_colours[COLOURS] = {67,  208, 71,  167, 139, 95,  73,  178, 168, 242,
                                                        110, 215, 114, 217, 182, 180, 116, 186, 218, 247};

/* One issue that lies at least partly in the view. */
struct piece {
    uint64_t first, end; /* cycles */
    uint64_t slots;      /* mask of the lanes with a thread */
    int32_t port, pc;
};

/* What one lane shows in one column. */
struct glyph {
    char letter;   /* of the basic block; '.', ':' and ' ' as trace.h says */
    int16_t block; /* number of the basic block in the program (trace_number_blocks()); -1: none */
};

struct column {
    uint64_t cycle; /* of a gap: its first cycle */
    bool is_gap;
};

struct picture {
    const struct trace_view *view;
    struct vec_of(struct piece) pieces;   /* sorted by first cycle */
    struct vec_of(struct column) columns; /* sorted by cycle */
    int line_columns;                     /* width of the picture's lines, with labels */
    int port_count;                       /* issue ports, each with a band of rows */
    int32_t pc_count;                     /* PCs up to the last one in the picture */
    int32_t *blocks;                      /* by PC: number of the basic block; owned */
    struct glyph *cells;                  /* [port][lane][column]; owned */
};

static char letter_of(const struct trace_names *names, int32_t pc)
{
    char own[12];
    return trace_block(names, pc, own)[0];
}

/* Collects the issues that the view shows, and counts issue ports. */
static void gather(struct picture *p, const struct trace *t)
{
    int count;
    int *order = trace_order(t, &count);
    p->port_count = 1;
    for (int i = 0; i < count; i++) {
        const struct trace_event *e = &t->events.data[order[i]];
        if (e->kind != TRACE_ISSUE || e->sm != p->view->sm || e->cycle > p->view->last_cycle ||
            e->end <= p->view->first_cycle)
            continue;
        vec_push(&p->pieces, (struct piece){e->cycle, e->end, e->issue.slots, e->issue.port, e->issue.pc});
        p->port_count = e->issue.port >= p->port_count ? e->issue.port + 1 : p->port_count;
        p->pc_count = e->issue.pc >= p->pc_count ? e->issue.pc + 1 : p->pc_count;
    }
    free(order);
    p->blocks = trace_number_blocks(&p->view->names, p->pc_count);
}

/* Decides which cycles have a column. Pieces are sorted by first cycle, so `done` only grows. */
static void choose_columns(struct picture *p)
{
    const struct trace_view *view = p->view;
    uint64_t done = view->first_cycle; /* cycles before this one are handled */
    for (int i = 0; i < p->pieces.count && p->columns.count < MOST_COLUMNS; i++) {
        const struct piece *piece = &p->pieces.data[i];
        if (piece->first > done) {
            if (view->is_compressed)
                vec_push(&p->columns, (struct column){done, true});
            for (uint64_t c = done; c < piece->first && !view->is_compressed && p->columns.count < MOST_COLUMNS; c++)
                vec_push(&p->columns, (struct column){c, false});
            done = piece->first;
        }
        for (; done < piece->end && done <= view->last_cycle && p->columns.count < MOST_COLUMNS; done++)
            vec_push(&p->columns, (struct column){done, false});
    }
}

static struct glyph *cell(const struct picture *p, int port, int lane, int column)
{
    size_t row = (size_t)port * (size_t)p->view->width + (size_t)lane;
    return &p->cells[row * (size_t)p->columns.count + (size_t)column];
}

/* The first column at or after the cycle. */
static int column_of(const struct picture *p, uint64_t cycle)
{
    int low = 0, high = p->columns.count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (p->columns.data[middle].cycle < cycle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void paint_piece(struct picture *p, const struct piece *piece)
{
    struct glyph thread = {letter_of(&p->view->names, piece->pc),
                           (int16_t)(piece->pc < 0 ? -1 : p->blocks[piece->pc] % COLOURS)};
    for (int c = column_of(p, piece->first); c < p->columns.count && p->columns.data[c].cycle < piece->end; c++)
        for (int lane = 0; lane < p->view->width; lane++) {
            struct glyph *at = cell(p, piece->port, lane, c);
            if (piece->slots >> lane & 1)
                *at = thread;
            else if (at->letter == ' ')
                *at = (struct glyph){'.', -1};
        }
}

/* Fills in the cells: letters and dots of issues, `:` in the columns of gaps, blanks elsewhere. */
static void paint(struct picture *p)
{
    size_t rows = (size_t)p->port_count * (size_t)p->view->width;
    p->cells = xcalloc(rows * (size_t)p->columns.count + 1, sizeof *p->cells);
    for (int c = 0; c < p->columns.count; c++)
        for (size_t row = 0; row < rows; row++)
            *cell(p, 0, (int)row, c) = (struct glyph){p->columns.data[c].is_gap ? ':' : ' ', -1};
    for (int i = 0; i < p->pieces.count; i++)
        paint_piece(p, &p->pieces.data[i]);
}

/* Prints a cycle number at every tenth column, unless the number before takes that room. */
static void print_ruler(const struct picture *p, int from, int to, struct text *out)
{
    int column = from;
    text_printf(out, "%-*s", LABEL_WIDTH, "cycle");
    for (int c = from; c < to; c++) {
        bool is_marked = ((c - from) % 10 == 0 || (c == 1 && p->columns.data[0].is_gap)) && !p->columns.data[c].is_gap;
        if (is_marked && c >= column) {
            size_t before = out->length;
            text_printf(out, "%*s|%" PRIu64, c - column, "", p->columns.data[c].cycle);
            column = c + (int)(out->length - before) - (c - column);
        }
    }
    text_printf(out, "\n");
}

/* Begins the colour of a block, -1: of none, if the view is coloured. */
static void print_colour(const struct picture *p, int block, struct text *out)
{
    if (p->view->is_coloured && block >= 0)
        text_printf(out, "\033[38;5;16;48;5;%dm", terminal_colours[block]);
    else if (p->view->is_coloured)
        text_printf(out, "\033[0m");
}

static void print_row(const struct picture *p, const struct glyph *row, int length, struct text *out)
{
    int block = -1;
    while (length > 0 && row[length - 1].letter == ' ')
        length--;
    for (int i = 0; i < length; i++) {
        if (row[i].block != block)
            print_colour(p, row[i].block, out);
        block = row[i].block;
        text_append(out, &row[i].letter, 1);
    }
    if (block >= 0)
        print_colour(p, -1, out);
    text_printf(out, "\n");
}

/* Whether two rows show the same. Blocks with one letter differ only if their colours do. */
static bool is_same_row(const struct picture *p, const struct glyph *a, const struct glyph *b, int length)
{
    for (int i = 0; i < length; i++)
        if (a[i].letter != b[i].letter || (p->view->is_coloured && a[i].block != b[i].block))
            return false;
    return true;
}

/* Prints the columns from `from` up to, not including, `to`: a ruler, then for each port one line per lane, or per
 * group of neighbouring lanes that show the same. */
static void print_band(const struct picture *p, int from, int to, struct text *out)
{
    print_ruler(p, from, to, out);
    for (int port = 0; port < p->port_count; port++) {
        if (p->port_count > 1)
            text_printf(out, "port %d\n", port);
        for (int lane = 0, end; lane < p->view->width; lane = end) {
            const struct glyph *row = cell(p, port, lane, from);
            char label[32];
            for (end = lane + 1; end < p->view->width; end++)
                if (!is_same_row(p, row, cell(p, port, end, from), to - from))
                    break;
            snprintf(label, sizeof label, end - lane > 1 ? "lanes %d-%d" : "lane %d", lane, end - 1);
            text_printf(out, "%-*s", LABEL_WIDTH, label);
            print_row(p, row, to - from, out);
        }
    }
    text_printf(out, "\n");
}

/* *high = the last PC of the picture that is in the block of `low`. Returns the first PC behind. */
static int32_t end_of_block(const struct picture *p, const bool *is_used, int32_t low, int32_t count, int32_t *high)
{
    char own[12], other[12];
    const char *name = trace_block(&p->view->names, low, own);
    int32_t pc = low;
    for (*high = low; pc < count && (!is_used[pc] || !strcmp(name, trace_block(&p->view->names, pc, other))); pc++)
        if (is_used[pc])
            *high = pc;
    return pc;
}

/* Prints what the caller says of the block at the PC, behind `column` columns, cut to the width of the picture. */
static void print_description(const struct picture *p, int32_t pc, int column, struct text *out)
{
    struct text what = {0};
    int blanks = column < 17 ? 19 - column : 2, room = p->line_columns - column - blanks;
    p->view->names.describe(p->view->names.context, pc, &what);
    if ((int)what.length > room)
        text_printf(out, "%*s%.*s...", blanks, "", room > 3 ? room - 3 : 0, what.data);
    else
        text_printf(out, "%*s%s", blanks, "", what.data ? what.data : "");
    text_free(&what);
}

/* Prints the legend: for each block its name, its PCs in the picture, and the caller's description. */
static void print_legend(const struct picture *p, struct text *out)
{
    int32_t count = p->pc_count;
    bool *is_used = xcalloc((size_t)count + 1, sizeof *is_used);
    for (int i = 0; i < p->pieces.count; i++)
        if (p->pieces.data[i].pc >= 0)
            is_used[p->pieces.data[i].pc] = true;
    for (int32_t pc = 0, high; pc < count;) {
        if (!is_used[pc]) {
            pc++;
            continue;
        }
        char own[12], range[32];
        int32_t low = pc;
        pc = end_of_block(p, is_used, low, count, &high);
        snprintf(range, sizeof range, high > low ? "pc %d to %d" : "pc %d", (int)low, (int)high);
        const char *name = trace_block(&p->view->names, low, own);
        print_colour(p, p->blocks[low] % COLOURS, out);
        text_printf(out, "%s", name);
        print_colour(p, -1, out);
        text_printf(out, "%*s %s", strlen(name) < 3 ? 3 - (int)strlen(name) : 0, "", range);
        if (p->view->names.describe)
            print_description(p, low, 4 + (int)strlen(range), out);
        text_printf(out, "\n");
    }
    free(is_used);
}

void trace_print_lanes(const struct trace *t, const struct trace_view *view, struct text *out)
{
    struct picture p = {.view = view, .line_columns = view->columns > 0 ? view->columns : DEFAULT_COLUMNS};
    int wide = p.line_columns > LABEL_WIDTH ? p.line_columns - LABEL_WIDTH : 1;
    gather(&p, t);
    choose_columns(&p);
    paint(&p);
    for (int from = 0; from < p.columns.count; from += wide)
        print_band(&p, from, from + wide < p.columns.count ? from + wide : p.columns.count, out);
    print_legend(&p, out);
    if (!p.pieces.count)
        text_printf(out, "nothing issued on multiprocessor %d in these cycles\n", view->sm);
    if (p.columns.count >= MOST_COLUMNS)
        text_printf(out, "the picture ends after %d columns\n", MOST_COLUMNS);
    if (t->dropped)
        text_printf(out, "%" PRIu64 " further events were not kept\n", t->dropped);
    vec_free(&p.pieces);
    vec_free(&p.columns);
    free(p.cells);
    free(p.blocks);
}
