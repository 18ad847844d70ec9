/* Counters of a timeline for Perfetto, which perfetto.c writes. */
#ifndef HEDDLE_TRACE_PERFETTO_H
#define HEDDLE_TRACE_PERFETTO_H

#include "trace/event.h"

/* The cycles of an interval: 1, 2 or 5 times a power of ten, so that the trace has at most a thousand intervals. */
uint64_t perfetto_interval(const struct trace *t);
/* Appends the counters of a multiprocessor, one value per interval in which it differs from the one before: `IPC`, warp
 * instructions per cycle; `active lanes`, threads that issued per cycle; `outstanding misses`, lines that its caches
 * wait for, on average. Nothing for a multiprocessor without issues. */
void perfetto_print_counters(const struct trace *t, int sm, uint64_t interval, struct text *out);

#endif
