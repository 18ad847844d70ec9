/*
 * Lanes over time, as text. Each issue port has a band of W rows, since two ports may hold the same lanes of different
 * units in one cycle. Cycles are columns. A compressed picture has columns only for cycles in which some lane is held,
 * and one `:` for each gap.
 */
#include "trace/event.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

enum { DEFAULT_COLUMNS = 80, LABEL_WIDTH = 8, MOST_COLUMNS = 100000 };

/* One issue that lies at least partly in the view. */
struct piece {
    uint64_t first, end; /* cycles */
    uint64_t slots;      /* mask of the lanes with a thread */
    int32_t port, pc;
    char letter; /* of the basic block */
};

struct column {
    uint64_t cycle; /* of a gap: its first cycle */
    bool is_gap;
};

struct picture {
    const struct trace_view *view;
    struct vec_of(struct piece) pieces;   /* sorted by first cycle */
    struct vec_of(struct column) columns; /* sorted by cycle */
    int port_count;                       /* issue ports, each with a band of rows */
    char *cells;                          /* [port][lane][column]; owned */
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
        vec_push(&p->pieces, (struct piece){e->cycle, e->end, e->issue.slots, e->issue.port, e->issue.pc,
                                            letter_of(&p->view->names, e->issue.pc)});
        if (e->issue.port >= p->port_count)
            p->port_count = e->issue.port + 1;
    }
    free(order);
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

static char *cell(const struct picture *p, int port, int lane, int column)
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

/* Fills in the cells: letters and dots of issues, `:` in the columns of gaps, blanks elsewhere. */
static void paint(struct picture *p)
{
    size_t cells = (size_t)p->port_count * (size_t)p->view->width * (size_t)p->columns.count;
    p->cells = xmalloc(cells + 1);
    memset(p->cells, ' ', cells);
    for (int c = 0; c < p->columns.count; c++)
        if (p->columns.data[c].is_gap)
            for (int row = 0; row < p->port_count * p->view->width; row++)
                *cell(p, 0, row, c) = ':';
    for (int i = 0; i < p->pieces.count; i++) {
        const struct piece *piece = &p->pieces.data[i];
        for (int c = column_of(p, piece->first); c < p->columns.count && p->columns.data[c].cycle < piece->end; c++)
            for (int lane = 0; lane < p->view->width; lane++) {
                char *at = cell(p, piece->port, lane, c);
                if (piece->slots >> lane & 1)
                    *at = piece->letter;
                else if (*at == ' ')
                    *at = '.';
            }
    }
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

/* Prints the columns from `from` up to, not including, `to`: a ruler, then one line per port and lane. */
static void print_band(const struct picture *p, int from, int to, struct text *out)
{
    print_ruler(p, from, to, out);
    for (int port = 0; port < p->port_count; port++)
        for (int lane = 0; lane < p->view->width; lane++) {
            const char *row = cell(p, port, lane, from);
            int length = to - from;
            while (length > 0 && row[length - 1] == ' ')
                length--;
            if (p->port_count > 1)
                text_printf(out, "%d.%-*d%.*s\n", port, LABEL_WIDTH - 2, lane, length, row);
            else
                text_printf(out, "%-*d%.*s\n", LABEL_WIDTH, lane, length, row);
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

/* Prints the legend: for each block its name, its PCs in the picture, and the caller's description. */
static void print_legend(const struct picture *p, struct text *out)
{
    int32_t count = 0;
    for (int i = 0; i < p->pieces.count; i++)
        if (p->pieces.data[i].pc >= count)
            count = p->pieces.data[i].pc + 1;
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
        text_printf(out, "%-3s %s", trace_block(&p->view->names, low, own), range);
        if (p->view->names.describe) {
            text_printf(out, "%*s", 15 - (int)strlen(range) > 2 ? 15 - (int)strlen(range) : 2, "");
            p->view->names.describe(p->view->names.context, low, out);
        }
        text_printf(out, "\n");
    }
    free(is_used);
}

void trace_print_lanes(const struct trace *t, const struct trace_view *view, struct text *out)
{
    struct picture p = {.view = view};
    int wide = view->columns > 0 ? view->columns : DEFAULT_COLUMNS;
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
}
