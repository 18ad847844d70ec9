/*
 * Traces in Chrome's JSON trace format (the Trace Event Format), which Perfetto reads.
 *
 * Each multiprocessor is a process, and each of its strands a thread. A strand's way through a basic block is a slice,
 * in which the slices of its instructions lie. Stalls and states have a thread of their own. Thread blocks are
 * asynchronous spans, states are instants, counters (perfetto_counters.c) are tracks of the multiprocessor. One cycle
 * is written as one microsecond.
 *
 * The format wants slices of a thread to nest: an instruction that holds its lanes beyond the strand's next issue ends
 * there, and says in its arguments for how long it holds them. Perfetto colours a slice by its name without the
 * digits, so the name of a block's slice has the mask as # and dots; chrome://tracing takes the colour that `cname`
 * names, which says how many lanes hold a thread.
 */
#include "trace/perfetto.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdbool.h>

enum { STALL_THREAD = 1000000, STATE_THREAD = 1000001 };

/* The way of a strand through a basic block, or its part in the trace. */
struct walk {
    int32_t last_pc; /* of its last issue */
    uint64_t end;    /* first cycle after its last issue */
    uint32_t issues;
};

struct timeline {
    const struct trace *trace;
    const struct trace_names *names;
    int width; /* lanes of a warp */
    struct text *out;
    int *order; /* of the events */
    int count;
    uint64_t *end;      /* [event] of an issue: first cycle after its slice */
    struct walk *walks; /* [event] of the first issue of a walk: the walk */
    int *walk_of;       /* [event] of an issue: the event with which its walk begins */
    int strands, sms;   /* strand ids and multiprocessors that issues name are below these */
};

static void begin(const char *phase, int sm, int thread, struct text *out)
{
    text_printf(out, ",\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d", phase, sm, thread);
}

static void print_name(const char *what, int sm, int thread, const char *kind, int number, struct text *out)
{
    begin("M", sm, thread, out);
    text_printf(out, ",\"name\":\"%s\",\"args\":{\"name\":\"%s", what, kind);
    if (number >= 0)
        text_printf(out, " %d", number);
    text_printf(out, "\"}}");
}

/* ---- walks ---- */

static size_t strand_key(const struct timeline *l, const struct trace_issue *issue)
{
    return (size_t)issue->sm * (size_t)l->strands + (size_t)issue->strand;
}

/* Ends slices of issues where the strand's next issue begins. */
static void cut_issues(struct timeline *l)
{
    size_t keys = (size_t)l->sms * (size_t)l->strands;
    uint64_t *next = xcalloc(keys + 1, sizeof *next); /* cycle of the strand's next issue; 0: it has none */
    for (int i = l->count - 1; i >= 0; i--) {
        const struct trace_event *e = &l->trace->events.data[l->order[i]];
        if (e->kind != TRACE_ISSUE)
            continue;
        uint64_t *after = &next[strand_key(l, &e->issue)];
        l->end[l->order[i]] = *after && *after < e->end ? *after : e->end;
        *after = e->cycle;
    }
    free(next);
}

static bool goes_on(const struct timeline *l, const struct trace_issue *before, const struct trace_issue *now)
{
    char own[12], other[12];
    return before->slots == now->slots && now->pc > before->pc &&
           !strcmp(trace_block(l->names, now->pc, own), trace_block(l->names, before->pc, other));
}

/* Puts the issues of a strand together that go straight through a basic block with the same threads. */
static void find_walks(struct timeline *l)
{
    size_t keys = (size_t)l->sms * (size_t)l->strands;
    int *last = xcalloc(keys + 1, sizeof *last); /* 1 + the strand's last event; 0: none */
    for (int i = 0; i < l->count; i++) {
        int index = l->order[i];
        const struct trace_event *e = &l->trace->events.data[index];
        l->walk_of[index] = -1;
        if (e->kind != TRACE_ISSUE)
            continue;
        int *before = &last[strand_key(l, &e->issue)];
        bool joins = *before && goes_on(l, &l->trace->events.data[*before - 1].issue, &e->issue);
        l->walk_of[index] = joins ? l->walk_of[*before - 1] : index;
        struct walk *walk = &l->walks[l->walk_of[index]];
        walk->last_pc = e->issue.pc;
        walk->end = l->end[index];
        walk->issues++;
        *before = index + 1;
    }
    free(last);
}

static void open_timeline(struct timeline *l)
{
    l->order = trace_order(l->trace, &l->count);
    for (int i = 0; i < l->count; i++) {
        const struct trace_event *e = &l->trace->events.data[i];
        l->sms = e->sm >= l->sms ? e->sm + 1 : l->sms;
        if (e->kind == TRACE_ISSUE && e->issue.strand >= l->strands)
            l->strands = e->issue.strand + 1;
    }
    size_t count = (size_t)l->count + 1;
    l->end = xcalloc(count, sizeof *l->end);
    l->walks = xcalloc(count, sizeof *l->walks);
    l->walk_of = xcalloc(count, sizeof *l->walk_of);
    cut_issues(l);
    find_walks(l);
}

static void close_timeline(struct timeline *l)
{
    free(l->order);
    free(l->end);
    free(l->walks);
    free(l->walk_of);
}

/* ---- slices ---- */

/* One of the colours that the format names, by the share of lanes that hold a thread. */
static const char *colour_of(uint32_t threads, int width)
{
    uint32_t lanes = (uint32_t)width;
    return threads >= lanes       ? "thread_state_running"
           : 2 * threads >= lanes ? "thread_state_runnable"
           : 4 * threads >= lanes ? "thread_state_iowait"
                                  : "terrible";
}

/* "lines":"kernel.cu:12" or "kernel.cu:12 to kernel.cu:14". */
static void print_lines(const struct timeline *l, int32_t first, int32_t last)
{
    struct text from = {0}, to = {0};
    if (!l->names->where)
        return;
    l->names->where(l->names->context, first, &from);
    l->names->where(l->names->context, last, &to);
    if (from.data && to.data && strcmp(from.data, to.data))
        text_printf(&from, " to %s", to.data);
    text_printf(l->out, ",\"lines\":");
    json_print_string(l->out, from.data ? from.data : "");
    text_free(&from);
    text_free(&to);
}

static void print_walk(const struct timeline *l, const struct trace_issue *issue, const struct walk *walk)
{
    struct text label = {0};
    char own[12];
    text_printf(&label, "%s ", trace_block(l->names, issue->pc, own));
    for (int i = 0; i < l->width; i++)
        text_append(&label, issue->slots >> i & 1 ? "#" : ".", 1);
    begin("X", issue->sm, issue->strand, l->out);
    text_printf(l->out, ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"cat\":\"basic block\",\"cname\":\"%s\",\"name\":",
                issue->cycle, walk->end - issue->cycle, colour_of(issue->threads, l->width));
    json_print_string(l->out, label.data);
    text_free(&label);
    text_printf(l->out, ",\"args\":{\"block\":");
    json_print_string(l->out, trace_block(l->names, issue->pc, own));
    print_lines(l, issue->pc, walk->last_pc);
    text_printf(l->out, ",\"lanes\":\"");
    trace_print_slots(issue->slots, l->width, l->out);
    text_printf(l->out, "\",\"threads\":%u,\"instructions\":%u}}", issue->threads, walk->issues);
}

static void print_issue(const struct timeline *l, const struct trace_issue *issue, uint64_t end)
{
    const struct trace_names *names = l->names;
    struct text *out = l->out, label = {0};
    if (names->print)
        names->print(names->context, issue->pc, &label);
    if (!label.length)
        text_printf(&label, "pc %d", issue->pc);
    begin("X", issue->sm, issue->strand, out);
    text_printf(out, ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"name\":", issue->cycle, end - issue->cycle);
    json_print_string(out, label.data);
    text_free(&label);
    text_printf(out, ",\"args\":{\"pc\":%d", issue->pc);
    if (names->block) {
        text_printf(out, ",\"block\":");
        json_print_string(out, names->block(names->context, issue->pc));
    }
    print_lines(l, issue->pc, issue->pc);
    text_printf(out, ",\"slots\":\"0x%" PRIx64 "\",\"threads\":%u,\"port\":%d,\"cycles\":%u}}", issue->slots,
                issue->threads, issue->port, issue->cycles ? issue->cycles : 1);
}

/* The thread, in the process of the multiprocessor, that shows the event; -1: none. */
static int thread_of(const struct trace_event *e)
{
    switch (e->kind) {
    case TRACE_ISSUE:
        return e->issue.strand;
    case TRACE_STATE:
        return e->state.strand >= 0 ? e->state.strand : STATE_THREAD;
    case TRACE_STALL:
        return STALL_THREAD;
    case TRACE_BLOCK_START:
    case TRACE_BLOCK_END:
        break;
    }
    return -1;
}

static void print_event(const struct timeline *l, int index)
{
    const struct trace_event *e = &l->trace->events.data[index];
    struct text *out = l->out;
    switch (e->kind) {
    case TRACE_ISSUE:
        if (l->walk_of[index] == index)
            print_walk(l, &e->issue, &l->walks[index]);
        print_issue(l, &e->issue, l->end[index]);
        break;
    case TRACE_STATE:
        begin("i", e->sm, thread_of(e), out);
        text_printf(out, ",\"ts\":%" PRIu64 ",\"s\":\"t\",\"name\":\"state\",\"args\":{\"state\":", e->cycle);
        json_print_string(out, e->state.text);
        text_printf(out, "}}");
        break;
    case TRACE_BLOCK_START:
    case TRACE_BLOCK_END:
        begin(e->kind == TRACE_BLOCK_START ? "b" : "e", e->sm, 0, out);
        text_printf(out, ",\"ts\":%" PRIu64 ",\"cat\":\"block\",\"id\":%" PRIu64 ",\"name\":\"block %" PRIu64 "\"}",
                    e->cycle, e->block, e->block);
        break;
    case TRACE_STALL:
        begin("X", e->sm, thread_of(e), out);
        text_printf(out, ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"name\":", e->cycle, e->end - e->cycle);
        json_print_string(out, e->reason);
        text_printf(out, "}");
        break;
    }
}

static int compare_keys(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* Prints the names of the processes and threads that events refer to, each once. */
static void print_names(const struct trace *t, struct text *out)
{
    size_t count = (size_t)t->events.count;
    uint64_t *keys = xcalloc(count + 1, sizeof *keys);
    for (size_t i = 0; i < count; i++)
        keys[i] = (uint64_t)t->events.data[i].sm << 32 | (uint32_t)(thread_of(&t->events.data[i]) + 1);
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < count; i++) {
        int sm = (int)(keys[i] >> 32), thread = (int)(uint32_t)keys[i] - 1;
        if (!i || keys[i] >> 32 != keys[i - 1] >> 32)
            print_name("process_name", sm, 0, "multiprocessor", sm, out);
        if ((i && keys[i] == keys[i - 1]) || thread < 0)
            continue;
        if (thread == STALL_THREAD || thread == STATE_THREAD)
            print_name("thread_name", sm, thread, thread == STALL_THREAD ? "stalls" : "states", -1, out);
        else
            print_name("thread_name", sm, thread, "strand", thread, out);
    }
    free(keys);
}

void trace_print_json(const struct trace *t, const struct trace_names *names, int width, struct text *out)
{
    struct timeline l = {.trace = t, .names = names, .width = width, .out = out};
    open_timeline(&l);
    uint64_t interval = perfetto_interval(t);
    text_printf(out,
                "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"1 us is 1 cycle\",\"counters\":\"one value "
                "for every %" PRIu64 " cycles\",\"dropped\":%" PRIu64 "},\n\"traceEvents\":[",
                interval, t->dropped);
    text_printf(out,
                "\n{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":0}}");
    print_names(t, out);
    for (int sm = 0; sm < l.sms; sm++)
        perfetto_print_counters(t, sm, interval, out);
    for (int i = 0; i < l.count; i++)
        print_event(&l, l.order[i]);
    text_printf(out, "\n]}\n");
    close_timeline(&l);
}
