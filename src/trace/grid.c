/* Lanes by time as cells: see grid.h. */
#include "trace/grid.h"

#include "trace/event.h"

static bool is_in_view(const struct trace_grid *g, const struct trace_event *e)
{
    return e->kind == TRACE_ISSUE && e->sm == g->view->sm && e->cycle <= g->view->last_cycle &&
           e->end > g->view->first_cycle;
}

/* The extent of the picture: cycles up to the last one in which a lane is held, ports and PCs. */
static void measure(struct trace_grid *g, const struct trace *t)
{
    const struct trace_view *view = g->view;
    uint64_t end = view->first_cycle;
    g->port_count = 1;
    g->first_cycle = view->first_cycle;
    for (int i = 0; i < t->events.count; i++) {
        const struct trace_event *e = &t->events.data[i];
        if (!is_in_view(g, e))
            continue;
        uint64_t last = e->end - 1 < view->last_cycle ? e->end - 1 : view->last_cycle;
        end = last + 1 > end ? last + 1 : end;
        g->port_count = e->issue.port >= g->port_count ? e->issue.port + 1 : g->port_count;
        g->pc_count = e->issue.pc >= g->pc_count ? e->issue.pc + 1 : g->pc_count;
    }
    g->is_cut = end - g->first_cycle > GRID_MOST_CYCLES;
    g->cycle_count = g->is_cut ? GRID_MOST_CYCLES : (int)(end - g->first_cycle);
}

static struct grid_cell *cell(const struct trace_grid *g, int port, int lane, int cycle)
{
    size_t row = (size_t)port * (size_t)g->view->width + (size_t)lane;
    return &g->cells[row * (size_t)g->cycle_count + (size_t)cycle];
}

static void paint_cycle(struct trace_grid *g, const struct trace_issue *issue, int cycle)
{
    int32_t *strand = &g->strands[(size_t)issue->port * (size_t)g->cycle_count + (size_t)cycle];
    *strand = *strand == STRAND_NONE || *strand == issue->strand ? issue->strand : STRAND_SEVERAL;
    for (int lane = 0; lane < g->view->width; lane++) {
        struct grid_cell *at = cell(g, issue->port, lane, cycle);
        if (issue->slots >> lane & 1)
            *at = (struct grid_cell){issue->pc < 0 ? 0 : g->blocks[issue->pc], issue->strand};
        else if (at->block == CELL_FREE)
            at->block = CELL_IDLE;
    }
}

static void paint(struct trace_grid *g, const struct trace *t)
{
    size_t columns = (size_t)g->port_count * (size_t)g->cycle_count;
    g->cells = xcalloc(columns * (size_t)g->view->width + 1, sizeof *g->cells);
    g->strands = xcalloc(columns + 1, sizeof *g->strands);
    for (size_t i = 0; i < columns * (size_t)g->view->width; i++)
        g->cells[i] = (struct grid_cell){CELL_FREE, STRAND_NONE};
    for (size_t i = 0; i < columns; i++)
        g->strands[i] = STRAND_NONE;
    int count;
    int *order = trace_order(t, &count);
    for (int i = 0; i < count; i++) {
        const struct trace_event *e = &t->events.data[order[i]];
        if (!is_in_view(g, e))
            continue;
        uint64_t first = e->cycle > g->first_cycle ? e->cycle - g->first_cycle : 0, end = e->end - g->first_cycle;
        for (uint64_t c = first; c < end && c < (uint64_t)g->cycle_count; c++)
            paint_cycle(g, &e->issue, (int)c);
        if (first >= (uint64_t)g->cycle_count)
            continue;
        g->issues += e->cycle >= g->first_cycle;
        if (e->issue.pc >= 0)
            g->is_used[e->issue.pc] = true;
    }
    free(order);
}

void trace_grid_make(struct trace_grid *g, const struct trace *t, const struct trace_view *view)
{
    *g = (struct trace_grid){.view = view};
    measure(g, t);
    g->blocks = trace_number_blocks(&view->names, g->pc_count);
    g->is_used = xcalloc((size_t)g->pc_count + 1, sizeof *g->is_used);
    paint(g, t);
}

void trace_grid_free(struct trace_grid *g)
{
    free(g->cells);
    free(g->strands);
    free(g->blocks);
    free(g->is_used);
}

/* ---- rectangles ---- */

struct area_search {
    struct grid_areas *done;
    struct vec_of(int) above; /* indices of the areas that reach down to the lane before, by first column */
};

/* The area of the lane before that this run of cells continues; NULL: none. */
static struct grid_area *find_above(struct area_search *search, const int *above, int count,
                                    const struct grid_area *run)
{
    for (int i = 0; i < count; i++) {
        struct grid_area *area = &search->done->data[above[i]];
        if (area->first == run->first && area->end == run->end && area->block == run->block)
            return area;
    }
    return NULL;
}

static void add_run(struct area_search *search, const int *above, int above_count, const struct grid_area *run)
{
    struct grid_area *area = find_above(search, above, above_count, run);
    if (area) {
        area->row_count++;
        vec_push(&search->above, (int)(area - search->done->data));
    } else {
        vec_push(&search->above, search->done->count);
        vec_push(search->done, *run);
    }
}

static int by_block(const void *left, const void *right)
{
    const struct grid_area *a = left, *b = right;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    if (a->first != b->first)
        return a->first - b->first;
    return a->top - b->top;
}

void trace_grid_find_areas(const struct trace_grid *g, int port, int from, int count, struct grid_areas *areas)
{
    struct area_search own = {.done = areas}, *search = &own;
    for (int lane = 0; lane < g->view->width; lane++) {
        int above_count = search->above.count;
        int *above = xmalloc(sizeof *above * ((size_t)above_count + 1));
        if (above_count)
            memcpy(above, search->above.data, sizeof *above * (size_t)above_count);
        search->above.count = 0;
        for (int c = 0, end; c < count; c = end) {
            const struct grid_cell *first = cell(g, port, lane, from + c);
            for (end = c + 1; end < count; end++) {
                const struct grid_cell *next = cell(g, port, lane, from + end);
                if (next->block != first->block || next->strand != first->strand)
                    break;
            }
            if (first->block != CELL_FREE)
                add_run(search, above, above_count, &(struct grid_area){first->block, c, end, lane, 1});
        }
        free(above);
    }
    vec_free(&search->above);
    if (areas->count)
        qsort(areas->data, (size_t)areas->count, sizeof *areas->data, by_block);
}

/* ---- questions ---- */

char trace_grid_letter(const struct trace_grid *g, int32_t block)
{
    int32_t pc = 0;
    char own[12];
    while (pc < g->pc_count && g->blocks[pc] != block)
        pc++;
    return trace_block(&g->view->names, pc, own)[0];
}

int32_t trace_grid_next_block(const struct trace_grid *g, int32_t pc)
{
    for (int32_t end; pc < g->pc_count; pc = end) {
        bool is_used = false;
        for (end = pc; end < g->pc_count && g->blocks[end] == g->blocks[pc]; end++)
            is_used |= g->is_used[end];
        if (is_used && (!pc || g->blocks[pc - 1] != g->blocks[pc]))
            return pc;
    }
    return -1;
}

double trace_grid_share(const struct trace_grid *g)
{
    size_t cells = (size_t)g->port_count * (size_t)g->view->width * (size_t)g->cycle_count, busy = 0, idle = 0;
    for (size_t i = 0; i < cells; i++) {
        busy += g->cells[i].block >= 0;
        idle += g->cells[i].block == CELL_IDLE;
    }
    return busy + idle ? (double)busy / (double)(busy + idle) : -1;
}
