/*
 * Traces in Chrome's JSON trace format, which Perfetto reads.
 *
 * Each multiprocessor is a process, and each of its strands a thread. Stalls and states have a thread of their own.
 * Thread blocks are asynchronous spans, states are instants. One cycle is written as one microsecond.
 */
#include "base/json.h"
#include "trace/event.h"

#include <inttypes.h>

enum { STALL_THREAD = 1000000, STATE_THREAD = 1000001 };

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

static void print_issue(const struct trace_issue *issue, uint64_t end, const struct trace_names *names,
                        struct text *out)
{
    struct text label = {0};
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
    text_printf(out, ",\"slots\":\"0x%" PRIx64 "\",\"threads\":%u,\"port\":%d}}", issue->slots, issue->threads,
                issue->port);
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

static void print_event(const struct trace_event *e, const struct trace_names *names, struct text *out)
{
    switch (e->kind) {
    case TRACE_ISSUE:
        print_issue(&e->issue, e->end, names, out);
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

void trace_print_json(const struct trace *t, const struct trace_names *names, struct text *out)
{
    int count;
    int *order = trace_order(t, &count);
    text_printf(out,
                "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"1 us is 1 cycle\",\"dropped\":%" PRIu64
                "},\n\"traceEvents\":[",
                t->dropped);
    text_printf(out,
                "\n{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":0}}");
    print_names(t, out);
    for (int i = 0; i < count; i++)
        print_event(&t->events.data[order[i]], names, out);
    text_printf(out, "\n]}\n");
    free(order);
}
