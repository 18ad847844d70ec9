/*
 * Details of a launch: what a page (heddle report, --report) shows beyond figures. One line of JSON per launch goes
 * into the file of --report-data, behind the launch's result (report/result.h):
 *
 *     {"detail":1,"kernel":,"mechanism":,"gpu":,"hash":,"launch":,"grid":,"block":,"cycles":,"width":,
 *      "counters":{"issues":[],"threads":[],"diverged":[],"taken":[],"transactions":[],"lost":[]},    by PC
 *      "branch_lost":[],                                              empty lanes charged to each branch of the program
 *      "program":{},"places":{"files":[],"file":[],"line":[]},"ptx":{"first":,"text":},"barriers":[],"trace":{}}
 *
 * Only the first launch of a program (by its hash) that a process carries out has the members of the last line. The
 * trace has columns rather than events, packed as base/pack.h says: see detail_trace.c.
 */
#ifndef HEDDLE_RUN_DETAIL_H
#define HEDDLE_RUN_DETAIL_H

#include "base/text.h"

#include <stdbool.h>

struct code;
struct gpu_result;
struct gpu_run;
struct launch;
struct program;
struct report;
struct run_request;
struct trace;

/* Whether the request has reported no launch of this program so far; from now on it has. */
bool detail_is_first(struct run_request *request, const struct program *program);

/* Appends the line. `trace`: JSON of the trace, from detail_print_trace(); NULL: this is not the program's first
 * launch. */
void detail_print(const struct report *report, const struct gpu_run *run, const struct text *trace, struct text *out);

/* Appends the trace as a JSON object. */
void detail_print_trace(const struct trace *trace, struct text *out);

#endif
