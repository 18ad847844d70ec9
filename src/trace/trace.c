/* Traces: the sink. Keeps events of the window in memory; the writers are picture.c, list.c and perfetto.c.
 */
#include "trace/trace.h"

#include "trace/event.h"

#include <stdbool.h>

enum { DEFAULT_CAPACITY = 1000000 };

struct trace *trace_create(const struct trace_options *options)
{
    struct trace *t = xcalloc(1, sizeof *t);
    t->options = *options;
    if (t->options.capacity <= 0)
        t->options.capacity = DEFAULT_CAPACITY;
    return t;
}

void trace_destroy(struct trace *t)
{
    if (!t)
        return;
    vec_free(&t->events);
    arena_free(&t->arena);
    free(t);
}

bool trace_wants(const struct trace *t, uint64_t cycle, int sm)
{
    return t && cycle >= t->options.first_cycle && cycle <= t->options.last_cycle &&
           (t->options.sm < 0 || t->options.sm == sm);
}

uint64_t trace_dropped(const struct trace *t)
{
    return t->dropped;
}

/* A place for an event, or NULL where it is not wanted. */
static struct trace_event *add(struct trace *t, enum trace_kind kind, uint64_t cycle, int sm)
{
    if (!trace_wants(t, cycle, sm))
        return NULL;
    if (t->events.count >= t->options.capacity) {
        t->dropped++;
        return NULL;
    }
    vec_push(&t->events, (struct trace_event){.kind = kind, .sm = sm, .cycle = cycle, .end = cycle + 1});
    return &t->events.data[t->events.count - 1];
}

void trace_add_issue(struct trace *t, const struct trace_issue *issue)
{
    struct trace_event *e = add(t, TRACE_ISSUE, issue->cycle, issue->sm);
    if (!e)
        return;
    e->issue = *issue;
    e->end = issue->cycle + (issue->cycles ? issue->cycles : 1);
}

void trace_add_state(struct trace *t, uint64_t cycle, int sm, int32_t strand, const char *state)
{
    struct trace_event *e = add(t, TRACE_STATE, cycle, sm);
    if (!e)
        return;
    e->state.strand = strand;
    e->state.text = arena_copy_string(&t->arena, state, strlen(state));
}

void trace_add_block(struct trace *t, uint64_t cycle, int sm, uint64_t block, bool is_end)
{
    struct trace_event *e = add(t, is_end ? TRACE_BLOCK_END : TRACE_BLOCK_START, cycle, sm);
    if (e)
        e->block = block;
}

void trace_add_stall(struct trace *t, uint64_t first, uint64_t end, int sm, const char *reason)
{
    uint64_t begin = first > t->options.first_cycle ? first : t->options.first_cycle;
    if (end <= begin)
        return;
    struct trace_event *last = t->events.count ? &t->events.data[t->events.count - 1] : NULL;
    if (last && last->kind == TRACE_STALL && last->sm == sm && last->end == begin && last->reason == reason) {
        last->end = end;
        return;
    }
    struct trace_event *e = add(t, TRACE_STALL, begin, sm);
    if (!e)
        return;
    e->end = end;
    e->reason = reason;
}

struct order_key {
    uint64_t cycle;
    int index;
};

static int compare_keys(const void *left, const void *right)
{
    const struct order_key *a = left, *b = right;
    if (a->cycle != b->cycle)
        return a->cycle < b->cycle ? -1 : 1;
    return a->index - b->index;
}

int *trace_order(const struct trace *t, int *count)
{
    size_t n = (size_t)t->events.count;
    struct order_key *keys = xcalloc(n + 1, sizeof *keys);
    int *order = xcalloc(n + 1, sizeof *order);
    for (size_t i = 0; i < n; i++)
        keys[i] = (struct order_key){t->events.data[i].cycle, (int)i};
    qsort(keys, n, sizeof *keys, compare_keys);
    for (size_t i = 0; i < n; i++)
        order[i] = keys[i].index;
    free(keys);
    *count = t->events.count;
    return order;
}

char trace_letter(int group)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    enum { LETTER_COUNT = sizeof letters - 1 };
    return group < 0 ? '?' : letters[group % LETTER_COUNT];
}
