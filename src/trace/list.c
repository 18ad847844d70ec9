/* Traces as text, a line an event: what the worked examples of the papers are read from. */
#include "trace/event.h"

#include <inttypes.h>

/* Slot 0 first, as the papers draw masks. */
static void print_slots(uint64_t slots, int width, struct text *out)
{
    for (int i = 0; i < width && i < 64; i++)
        text_printf(out, "%c", slots >> i & 1 ? '1' : '0');
}

static void print_indented(const char *lines, struct text *out)
{
    while (*lines) {
        int length = (int)strcspn(lines, "\n");
        text_printf(out, "              | %.*s\n", length, lines);
        lines += length;
        lines += *lines == '\n';
    }
}

static void print_issue(const struct trace_issue *issue, const struct trace_view *view, struct text *out)
{
    const struct trace_names *names = &view->names;
    text_printf(out, "issue  strand %d pc %d ", issue->strand, issue->pc);
    if (names->group)
        text_printf(out, "%c ", trace_letter(names->group(names->context, issue->pc)));
    print_slots(issue->slots, view->width, out);
    text_printf(out, " (%u)", issue->threads);
    if (names->print) {
        text_printf(out, " ");
        names->print(names->context, issue->pc, out);
    }
    text_printf(out, "\n");
}

static void print_event(const struct trace_event *e, const struct trace_view *view, struct text *out)
{
    text_printf(out, "%10" PRIu64 "  ", e->cycle);
    switch (e->kind) {
    case TRACE_ISSUE:
        print_issue(&e->issue, view, out);
        break;
    case TRACE_STATE:
        if (e->state.strand >= 0)
            text_printf(out, "state  strand %d\n", e->state.strand);
        else
            text_printf(out, "state\n");
        print_indented(e->state.text, out);
        break;
    case TRACE_BLOCK_START:
    case TRACE_BLOCK_END:
        text_printf(out, "block  %" PRIu64 " %s\n", e->block,
                    e->kind == TRACE_BLOCK_START ? "starts" : "ends");
        break;
    case TRACE_STALL:
        text_printf(out, "stall  %" PRIu64 " cycles: %s\n", e->end - e->cycle, e->reason);
        break;
    }
}

void trace_print_list(const struct trace *t, const struct trace_view *view, struct text *out)
{
    int count;
    int *order = trace_order(t, &count);
    for (int i = 0; i < count; i++) {
        const struct trace_event *e = &t->events.data[order[i]];
        if (e->sm == view->sm && e->cycle <= view->last_cycle && e->end > view->first_cycle)
            print_event(e, view, out);
    }
    free(order);
    if (t->dropped)
        text_printf(out, "%" PRIu64 " further events were not kept\n", t->dropped);
}
