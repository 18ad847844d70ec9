/* Traces: keeps the events of the window in memory, which the other files of this folder print. See trace.h. */
#include "trace/trace.h"

#include "trace/event.h"

#include <stdbool.h>
#include <stdio.h>

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
    vec_free(&t->misses);
    vec_free(&t->last_misses);
    for (int i = 0; i < t->last_state.count; i++)
        free(t->last_state.data[i]);
    vec_free(&t->last_state);
    arena_free(&t->arena);
    free(t);
}

void trace_set_origin(struct trace *t, uint64_t cycle)
{
    if (t)
        t->origin = cycle;
}

/* Whether an event is wanted; the cycle counts from the origin. */
static bool is_in_window(const struct trace *t, uint64_t cycle, int sm)
{
    return cycle >= t->options.first_cycle && cycle <= t->options.last_cycle &&
           (t->options.sm < 0 || t->options.sm == sm);
}

static bool is_full(const struct trace *t)
{
    return t->events.count >= t->options.capacity ||
           (t->options.state_bytes && t->state_bytes >= t->options.state_bytes);
}

bool trace_wants(const struct trace *t, uint64_t cycle, int sm)
{
    return t && is_in_window(t, cycle - t->origin, sm) && !is_full(t);
}

/* Adds an event and returns it; NULL if the event is not wanted or the trace is full. The cycle counts from the origin.
 * */
static struct trace_event *add(struct trace *t, enum trace_kind kind, uint64_t cycle, int sm)
{
    if (!is_in_window(t, cycle, sm))
        return NULL;
    if (is_full(t)) {
        t->dropped++;
        return NULL;
    }
    vec_push(&t->events, (struct trace_event){.kind = kind, .sm = sm, .cycle = cycle, .end = cycle + 1});
    return &t->events.data[t->events.count - 1];
}

void trace_add_issue(struct trace *t, const struct trace_issue *issue)
{
    struct trace_event *e = add(t, TRACE_ISSUE, issue->cycle - t->origin, issue->sm);
    if (!e)
        return;
    e->issue = *issue;
    e->issue.cycle = e->cycle;
    e->end = e->cycle + (issue->cycles ? issue->cycles : 1);
}

/* Length of the paragraph at the start of a text, including its last newline. */
static size_t paragraph_length(const char *text)
{
    size_t n = 0;
    do {
        n += strcspn(text + n, "\n");
        n += text[n] == '\n';
    } while (text[n] == ' ');
    return n;
}

static bool has_paragraph(const char *text, const char *paragraph, size_t length)
{
    for (size_t n; *text; text += n) {
        n = paragraph_length(text);
        if (n == length && !memcmp(text, paragraph, n))
            return true;
    }
    return false;
}

/* The slot for the text of the multiprocessor's last state. */
static char **last_state(struct trace *t, int sm)
{
    while (t->last_state.count <= sm)
        vec_push(&t->last_state, NULL);
    return &t->last_state.data[sm];
}

void trace_find_changes(const char *last, const char *state, struct text *changes)
{
    for (size_t n; *state; state += n) {
        n = paragraph_length(state);
        if (!last || !has_paragraph(last, state, n))
            text_append(changes, state, n);
    }
}

bool trace_add_state(struct trace *t, uint64_t cycle, int sm, int32_t strand, const char *state)
{
    struct text changes = {0};
    if (!trace_wants(t, cycle, sm))
        return false;
    if (strand < 0) {
        char **last = last_state(t, sm);
        trace_find_changes(*last, state, &changes);
        free(*last);
        *last = memcpy(xmalloc(strlen(state) + 1), state, strlen(state) + 1);
    } else {
        text_append(&changes, state, strlen(state));
    }
    bool is_new = changes.length > 0;
    struct trace_event *e = is_new ? add(t, TRACE_STATE, cycle - t->origin, sm) : NULL;
    if (e) {
        e->state.strand = strand;
        t->state_bytes += changes.length;
        e->state.text = arena_copy_string(&t->arena, changes.data, changes.length);
    }
    text_free(&changes);
    return is_new;
}

void trace_add_block(struct trace *t, uint64_t cycle, int sm, uint64_t block, bool is_end)
{
    struct trace_event *e = add(t, is_end ? TRACE_BLOCK_END : TRACE_BLOCK_START, cycle - t->origin, sm);
    if (e)
        e->block = block;
}

void trace_add_stall(struct trace *t, uint64_t first, uint64_t end, int sm, const char *reason)
{
    first -= t->origin;
    end -= t->origin;
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

void trace_add_misses(struct trace *t, uint64_t cycle, int sm, uint32_t count)
{
    vec_extend(&t->last_misses, sm + 1);
    if (!trace_wants(t, cycle, sm) || t->last_misses.data[sm] == count || t->misses.count >= t->options.capacity)
        return;
    t->last_misses.data[sm] = count;
    vec_push(&t->misses, (struct trace_misses_at){cycle - t->origin, sm, count});
}

struct event_key {
    uint64_t cycle;
    int index;
};

static int compare_keys(const void *left, const void *right)
{
    const struct event_key *a = left, *b = right;
    if (a->cycle != b->cycle)
        return a->cycle < b->cycle ? -1 : 1;
    return a->index - b->index;
}

int *trace_order(const struct trace *t, int *count)
{
    size_t n = (size_t)t->events.count;
    struct event_key *keys = xcalloc(n + 1, sizeof *keys);
    int *order = xcalloc(n + 1, sizeof *order);
    for (size_t i = 0; i < n; i++)
        keys[i] = (struct event_key){t->events.data[i].cycle, (int)i};
    qsort(keys, n, sizeof *keys, compare_keys);
    for (size_t i = 0; i < n; i++)
        order[i] = keys[i].index;
    free(keys);
    *count = t->events.count;
    return order;
}

const char *trace_block(const struct trace_names *names, int32_t pc, char own[12])
{
    if (names->block)
        return names->block(names->context, pc);
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    enum { LETTER_COUNT = sizeof letters - 1 };
    snprintf(own, 12, "%c", pc < 0 ? '?' : letters[pc % LETTER_COUNT]);
    return own;
}

int32_t *trace_number_blocks(const struct trace_names *names, int32_t pc_count)
{
    int32_t *numbers = xcalloc((size_t)pc_count + 1, sizeof *numbers);
    char own[2][12];
    const char *last = NULL;
    for (int32_t pc = 0, number = -1; pc < pc_count; pc++) {
        const char *name = trace_block(names, pc, own[pc & 1]);
        number += !last || strcmp(name, last) != 0;
        numbers[pc] = number;
        last = name;
    }
    return numbers;
}

void trace_print_slots(uint64_t slots, int width, struct text *out)
{
    for (int i = 0; i < width && i < 64; i++)
        text_append(out, slots >> i & 1 ? "1" : "0", 1);
}
