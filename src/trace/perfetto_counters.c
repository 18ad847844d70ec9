/* Counters of a timeline, by interval. See perfetto.h. */
#include "trace/perfetto.h"

#include <inttypes.h>

enum { MOST_INTERVALS = 1000 };

/* Sums of one interval. */
struct interval_sums {
    double issues, threads, misses; /* misses: lines times cycles */
};

static void widen(uint64_t cycle, uint64_t end, uint64_t *low, uint64_t *high)
{
    *low = cycle < *low ? cycle : *low;
    *high = end > *high ? end : *high;
}

/* The cycles of the trace, from its first event to the end of its last issue; an empty trace: none. */
static void find_span(const struct trace *t, uint64_t *low, uint64_t *high)
{
    *low = UINT64_MAX;
    *high = 0;
    for (int i = 0; i < t->events.count; i++)
        widen(t->events.data[i].cycle, t->events.data[i].end, low, high);
    if (*low > *high)
        *low = *high = 0;
}

uint64_t perfetto_interval(const struct trace *t)
{
    uint64_t low, high, power = 1;
    find_span(t, &low, &high);
    for (;; power *= 10)
        for (uint64_t digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3)
            if ((high - low + digit * power - 1) / (digit * power) <= MOST_INTERVALS)
                return digit * power;
}

/* Adds a number of misses that lasts from one cycle to another. */
static void add_misses(struct interval_sums *sums, uint64_t low, uint64_t interval, uint64_t from, uint64_t to,
                       double count)
{
    for (uint64_t at = from; at < to;) {
        uint64_t index = (at - low) / interval, end = low + (index + 1) * interval;
        end = end < to ? end : to;
        sums[index].misses += count * (double)(end - at);
        at = end;
    }
}

static void print_counter(const char *name, const char *unit, int sm, uint64_t cycle, double value, double *last,
                          struct text *out)
{
    if (value == *last)
        return;
    *last = value;
    text_printf(out, ",\n{\"ph\":\"C\",\"pid\":%d,\"tid\":0,\"ts\":%" PRIu64 ",\"name\":\"%s\",\"args\":{\"%s\":%.6g}}",
                sm, cycle, name, unit, value);
}

static void print_sums(const struct interval_sums *sums, uint64_t count, uint64_t low, uint64_t high, uint64_t interval,
                       int sm, struct text *out)
{
    double last[3] = {-1, -1, -1};
    for (uint64_t i = 0; i <= count; i++) { /* the last value, behind the trace, ends the counter's line */
        struct interval_sums none = {0};
        const struct interval_sums *s = i < count ? &sums[i] : &none;
        uint64_t cycle = i < count ? low + i * interval : high;
        double cycles = i < count && high - cycle < interval ? (double)(high - cycle) : (double)interval;
        print_counter("IPC", "warp instructions per cycle", sm, cycle, s->issues / cycles, &last[0], out);
        print_counter("active lanes", "threads per cycle", sm, cycle, s->threads / cycles, &last[1], out);
        print_counter("outstanding misses", "lines", sm, cycle, s->misses / cycles, &last[2], out);
    }
}

void perfetto_print_counters(const struct trace *t, int sm, uint64_t interval, struct text *out)
{
    uint64_t low, high, from = 0;
    find_span(t, &low, &high);
    uint64_t count = (high - low + interval - 1) / interval, issues = 0;
    struct interval_sums *sums = xcalloc(count + 1, sizeof *sums);
    for (int i = 0; i < t->events.count; i++) {
        const struct trace_event *e = &t->events.data[i];
        if (e->kind != TRACE_ISSUE || e->sm != sm)
            continue;
        sums[(e->cycle - low) / interval].issues++;
        sums[(e->cycle - low) / interval].threads += e->issue.threads;
        issues++;
    }
    double lines = 0;
    for (int i = 0; i <= t->misses.count; i++) {
        const struct trace_misses_at *m = i < t->misses.count ? &t->misses.data[i] : NULL;
        if (m && m->sm != sm)
            continue;
        uint64_t to = m && m->cycle < high ? m->cycle : high;
        if (lines > 0 && to > from)
            add_misses(sums, low, interval, from < low ? low : from, to, lines);
        from = to;
        lines = m ? m->count : 0;
    }
    if (issues)
        print_sums(sums, count, low, high, interval, sm, out);
    free(sums);
}
