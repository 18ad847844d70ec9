/*
 * The trace of a launch as columns, for pages:
 *
 *     {"dropped":,"issues":{"sm":,"cycle":,"cycles":,"port":,"strand":,"pc":,"slots":,"high_slots":,"threads":},
 *      "states":{"sm":,"cycle":,"text":},"texts":,
 *      "blocks":{"sm":,"cycle":,"block":,"is_end":},"stalls":{"sm":,"cycle":,"end":,"reason":},"reasons":[]}
 *
 * Each column is packed (base/pack.h). Rows are sorted by multiprocessor, then by cycle; rows of one cycle stand in the
 * order of the simulation. `slots` has lanes 0 to 31, `high_slots` the others. A state names one of the texts, which
 * are ended by zero bytes; each text occurs once.
 */
#include "run/detail.h"

#include "base/arena.h"
#include "base/json.h"
#include "base/pack.h"
#include "trace/event.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

typedef double trace_value(const struct trace_event *e);

struct trace_column {
    const char *name;
    trace_value *value;
};

static double sm_of(const struct trace_event *e)
{
    return e->sm;
}
static double cycle_of(const struct trace_event *e)
{
    return (double)e->cycle;
}
static double end_of(const struct trace_event *e)
{
    return (double)e->end;
}
static double cycles_of(const struct trace_event *e)
{
    return e->issue.cycles;
}
static double port_of(const struct trace_event *e)
{
    return e->issue.port;
}
static double strand_of(const struct trace_event *e)
{
    return e->issue.strand;
}
static double pc_of(const struct trace_event *e)
{
    return e->issue.pc;
}
static double slots_of(const struct trace_event *e)
{
    return (double)(uint32_t)e->issue.slots;
}
static double high_slots_of(const struct trace_event *e)
{
    return (double)(e->issue.slots >> 32);
}
static double threads_of(const struct trace_event *e)
{
    return e->issue.threads;
}
static double block_of(const struct trace_event *e)
{
    return (double)e->block;
}
static double is_end_of(const struct trace_event *e)
{
    return e->kind == TRACE_BLOCK_END;
}

static const struct trace_column issue_columns[] = {
    {"sm", sm_of}, {"cycle", cycle_of}, {"cycles", cycles_of},         {"port", port_of},       {"strand", strand_of},
    {"pc", pc_of}, {"slots", slots_of}, {"high_slots", high_slots_of}, {"threads", threads_of}, {NULL, NULL},
};
static const struct trace_column state_columns[] = {{"sm", sm_of}, {"cycle", cycle_of}, {NULL, NULL}};
static const struct trace_column block_columns[] = {
    {"sm", sm_of}, {"cycle", cycle_of}, {"block", block_of}, {"is_end", is_end_of}, {NULL, NULL}};
static const struct trace_column stall_columns[] = {{"sm", sm_of}, {"cycle", cycle_of}, {"end", end_of}, {NULL, NULL}};

/* Events of the trace in the order of the columns. */
struct trace_rows {
    const struct trace_event **events;
    int count;
};

static int by_sm(const void *a, const void *b)
{
    const struct trace_event *x = *(const struct trace_event *const *)a, *y = *(const struct trace_event *const *)b;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* The events of one kind; starts and ends of blocks count as one. */
static struct trace_rows rows_of(const struct trace *t, enum trace_kind kind)
{
    struct trace_rows rows = {xcalloc((size_t)t->events.count + 1, sizeof *rows.events), 0};
    for (int i = 0; i < t->events.count; i++) {
        const struct trace_event *e = &t->events.data[i];
        if ((e->kind == TRACE_BLOCK_END ? TRACE_BLOCK_START : e->kind) == kind)
            rows.events[rows.count++] = e;
    }
    qsort(rows.events, (size_t)rows.count, sizeof *rows.events, by_sm);
    return rows;
}

static void print_columns(const struct trace_rows *rows, const struct trace_column *columns, struct text *out)
{
    double *numbers = xcalloc((size_t)rows->count + 1, sizeof *numbers);
    for (int k = 0; columns[k].name; k++) {
        for (int i = 0; i < rows->count; i++)
            numbers[i] = columns[k].value(rows->events[i]);
        text_printf(out, "%s\"%s\":", k ? "," : "", columns[k].name);
        pack_numbers(numbers, (size_t)rows->count, out);
    }
    free(numbers);
}

/* ---- texts, each once ---- */

struct known_text {
    const char *text;
    int number;
    UT_hash_handle hh;
};

struct known_texts {
    struct known_text *all; /* a hash table */
    struct text joined;     /* all texts, each ended by a zero byte */
};

static int number_of(struct known_texts *k, const char *text)
{
    struct known_text *found = NULL;
    HASH_FIND_STR(k->all, text, found);
    if (!found) {
        found = xcalloc(1, sizeof *found);
        *found = (struct known_text){.text = text, .number = (int)HASH_COUNT(k->all)};
        HASH_ADD_KEYPTR(hh, k->all, found->text, strlen(found->text), found);
        text_append(&k->joined, text, strlen(text) + 1);
    }
    return found->number;
}

static void free_texts(struct known_texts *k)
{
    struct known_text *text, *next;
    HASH_ITER(hh, k->all, text, next)
    {
        HASH_DEL(k->all, text);
        free(text);
    }
    text_free(&k->joined);
}

static void print_states(const struct trace *t, struct text *out)
{
    struct trace_rows rows = rows_of(t, TRACE_STATE);
    struct known_texts texts = {0};
    double *numbers = xcalloc((size_t)rows.count + 1, sizeof *numbers);
    for (int i = 0; i < rows.count; i++)
        numbers[i] = number_of(&texts, rows.events[i]->state.text);
    text_printf(out, ",\"states\":{");
    print_columns(&rows, state_columns, out);
    text_printf(out, ",\"text\":");
    pack_numbers(numbers, (size_t)rows.count, out);
    text_printf(out, "},\"texts\":");
    pack_text(texts.joined.data, texts.joined.length, out);
    free_texts(&texts);
    free(numbers);
    free(rows.events);
}

static void print_stalls(const struct trace *t, struct text *out)
{
    struct trace_rows rows = rows_of(t, TRACE_STALL);
    struct known_texts reasons = {0};
    double *numbers = xcalloc((size_t)rows.count + 1, sizeof *numbers);
    for (int i = 0; i < rows.count; i++)
        numbers[i] = number_of(&reasons, rows.events[i]->reason);
    text_printf(out, ",\"stalls\":{");
    print_columns(&rows, stall_columns, out);
    text_printf(out, ",\"reason\":");
    pack_numbers(numbers, (size_t)rows.count, out);
    text_printf(out, "},\"reasons\":[");
    for (size_t at = 0; at < reasons.joined.length; at += strlen(reasons.joined.data + at) + 1) {
        text_printf(out, "%s", at ? "," : "");
        json_print_string(out, reasons.joined.data + at);
    }
    text_printf(out, "]");
    free_texts(&reasons);
    free(numbers);
    free(rows.events);
}

void detail_print_trace(const struct trace *t, struct text *out)
{
    struct trace_rows issues = rows_of(t, TRACE_ISSUE), blocks = rows_of(t, TRACE_BLOCK_START);
    text_printf(out, "{\"dropped\":%llu,\"issues\":{", (unsigned long long)t->dropped);
    print_columns(&issues, issue_columns, out);
    text_printf(out, "}");
    print_states(t, out);
    text_printf(out, ",\"blocks\":{");
    print_columns(&blocks, block_columns, out);
    text_printf(out, "}");
    print_stalls(t, out);
    text_printf(out, "}");
    free(issues.events);
    free(blocks.events);
}
