/* The figures that heddle run prints of a kernel: see run_figures.h. */
#include "cli/run_figures.h"

#include "base/diag.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WARP_THREADS = 32 };

/* Prints the figures of a launch without a machine. */
static void print_functional(const struct run_request *r, const struct launch *l, const struct launch_result *result)
{
    double seconds = result->host_seconds, warps = (double)result->warp_instructions;
    FILE *out = diag_stream();
    struct text heading = {0};
    report_launch_text(l, &heading);
    fprintf(out, "%s\n", heading.data);
    text_free(&heading);
    if (r->options.executor == EXECUTOR_ORACLE) {
        fprintf(out, "  thread instructions  %" PRIu64 "\n", result->thread_instructions);
        fprintf(out, "  host seconds         %.3f\n", seconds);
        return;
    }
    fprintf(out, "  warp instructions    %" PRIu64 "\n", result->warp_instructions);
    fprintf(out, "  thread instructions  %" PRIu64 "\n", result->thread_instructions);
    if (result->warp_instructions)
        fprintf(out, "  SIMD efficiency      %.1f %%\n",
                100 * (double)result->thread_instructions / (WARP_THREADS * warps));
    fprintf(out, "  branches             %" PRIu64 ", divergent %" PRIu64 "\n", result->branches,
            result->divergent_branches);
    fprintf(out, "  host seconds         %.3f", seconds);
    if (seconds > 0)
        fprintf(out, " (%.1f million warp instructions per second)", warps / seconds * 1e-6);
    fputc('\n', out);
}

void run_print_figures(const struct run_request *request, const struct launch *launch,
                       const struct launch_result *result, const struct text *report)
{
    if (request->gpu)
        fputs(report->data ? report->data : "", diag_stream());
    else if (request->report_groups)
        print_functional(request, launch, result);
    if (!request->gpu && report->data)
        fputs(report->data, diag_stream());
}
