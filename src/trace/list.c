/* Traces as text, one line per event; the worked examples of the papers are checked against such lists. */
#include "trace/event.h"

#include <inttypes.h>
#include <stdbool.h>

/* What a strand issued last, for merged lists (trace_view.is_merged). */
struct last_issue {
    bool is_known;
    int32_t pc;
    uint64_t slots;
};

struct list {
    const struct trace_view *view;
    struct text *out;
    struct vec_of(struct last_issue) last; /* by strand: its last issue */
};

/* Prints the lines of a state below its event. */
static void print_indented(const char *lines, struct text *out)
{
    while (*lines) {
        int length = (int)strcspn(lines, "\n");
        text_printf(out, "              | %.*s\n", length, lines);
        lines += length;
        lines += *lines == '\n';
    }
}

/* Whether the strand continues within the basic block of its last issue, with the same threads. Notes the issue as the
 * strand's last. */
static bool goes_on(struct list *l, const struct trace_issue *issue)
{
    if (issue->strand < 0)
        return false;
    while (l->last.count <= issue->strand)
        vec_push(&l->last, (struct last_issue){.is_known = false});
    struct last_issue *last = &l->last.data[issue->strand];
    struct last_issue before = *last;
    char own[12], other[12];
    *last = (struct last_issue){true, issue->pc, issue->slots};
    return before.is_known && before.slots == issue->slots && issue->pc > before.pc &&
           !strcmp(trace_block(&l->view->names, issue->pc, own), trace_block(&l->view->names, before.pc, other));
}

static void print_issue(struct list *l, const struct trace_issue *issue)
{
    const struct trace_names *names = &l->view->names;
    struct text *out = l->out;
    char own[12];
    text_printf(out, "issue  strand %d pc %d ", issue->strand, issue->pc);
    if (names->block)
        text_printf(out, "%s ", trace_block(names, issue->pc, own));
    trace_print_slots(issue->slots, l->view->width, out);
    text_printf(out, " (%u)", issue->threads);
    if (names->print) {
        text_printf(out, " ");
        names->print(names->context, issue->pc, out);
    }
    text_printf(out, "\n");
}

/* In a merged list: the first issue of a strand's walk through a basic block, which stands for the whole walk. */
static void print_run(struct list *l, const struct trace_issue *issue)
{
    char own[12];
    text_printf(l->out, "run    %s ", trace_block(&l->view->names, issue->pc, own));
    trace_print_slots(issue->slots, l->view->width, l->out);
    text_printf(l->out, "  strand %d\n", issue->strand);
}

static void print_event(struct list *l, const struct trace_event *e)
{
    struct text *out = l->out;
    if (l->view->is_merged && (e->kind == TRACE_STALL || (e->kind == TRACE_ISSUE && goes_on(l, &e->issue))))
        return;
    text_printf(out, "%10" PRIu64 "  ", e->cycle);
    switch (e->kind) {
    case TRACE_ISSUE:
        if (l->view->is_merged)
            print_run(l, &e->issue);
        else
            print_issue(l, &e->issue);
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
        text_printf(out, "block  %" PRIu64 " %s\n", e->block, e->kind == TRACE_BLOCK_START ? "starts" : "ends");
        break;
    case TRACE_STALL:
        text_printf(out, "stall  %" PRIu64 " cycles: %s\n", e->end - e->cycle, e->reason);
        break;
    }
}

void trace_print_list(const struct trace *t, const struct trace_view *view, struct text *out)
{
    struct list l = {.view = view, .out = out};
    int count;
    int *order = trace_order(t, &count);
    for (int i = 0; i < count; i++) {
        const struct trace_event *e = &t->events.data[order[i]];
        if (e->sm == view->sm && e->cycle <= view->last_cycle && e->end > view->first_cycle)
            print_event(&l, e);
    }
    free(order);
    vec_free(&l.last);
    if (t->dropped)
        text_printf(out, "%" PRIu64 " further events were not kept\n", t->dropped);
}
