/* The report of a launch as text for a terminal, at most 100 columns wide: see report.h. */
#include "report/report.h"

#include "base/demangle.h"
#include "base/terminal.h"
#include "report/stalls.h"
#include "stat/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUMMARY_BRANCHES = 5, MOST_BRANCHES = 25, MOST_LINES = 40, BAR = 50, LONGEST_NAME = 30 };

static uint64_t get(const struct report *r, const char *path)
{
    return stat_get(&r->statistics, path, NULL);
}

/* The derived figure of this name; NAN if it has no value in this run. */
static double figure(const struct report *r, const char *name)
{
    for (int i = 0; i < gpu_formula_count; i++)
        if (!strcmp(gpu_formulas[i].name, name))
            return gpu_formulas[i].value(&r->statistics);
    return NAN;
}

/* A number as text; "-" for a figure without a value. */
struct number {
    char text[STAT_NUMBER_LENGTH];
};

static struct number number_of(double value, int digits)
{
    struct number n = {"-"};
    if (isfinite(value))
        snprintf(n.text, sizeof n.text, "%.*f", digits, value);
    return n;
}

static struct number percent_of(double share)
{
    struct number n = {"-"};
    if (isfinite(share))
        snprintf(n.text, sizeof n.text, "%.1f %%", 100 * share);
    return n;
}

static struct number count_of(uint64_t count)
{
    struct number n;
    snprintf(n.text, sizeof n.text, "%" PRIu64, count);
    return n;
}

static void row(struct text *out, const char *name, struct number value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void row(struct text *out, const char *name, struct number value, const char *format, ...)
{
    va_list args;
    text_printf(out, "  %-20s %12s   ", name, value.text);
    va_start(args, format);
    text_vprintf(out, format, args);
    va_end(args);
    text_printf(out, "\n");
}

/* " ± 1.2 %" behind a figure that is derived from cycles, if these are an estimate; else nothing. */
static struct number error_of(const struct report *r)
{
    struct number n = {""};
    if (r->estimate && r->estimate->half_cycles > 0)
        snprintf(n.text, sizeof n.text, " ± %.1f %%", 100 * sample_relative_half(r->estimate));
    return n;
}

/* What of a sampled launch was timed. */
static void sampling_row(const struct report *r, struct text *out)
{
    const struct sample_estimate *e = r->estimate;
    if (!e)
        return;
    struct number share = percent_of(sample_timed_share(e));
    if (e->samples)
        row(out, "timed", share, "of all instructions, %" PRIu64 " of %" PRIu64 " blocks, in %d samples",
            e->timed_blocks, e->blocks, e->samples);
    else if (e->half_cycles > 0)
        row(out, "timed", share, "of this launch: it is estimated from launches like it");
    else
        row(out, "timed", share, "of all instructions%s%s", e->why ? ": " : "", e->why ? e->why : "");
}

static void cache_row(const struct report *r, struct text *out, const char *name, const char *owner)
{
    char path[64];
    snprintf(path, sizeof path, "%s.accesses", owner);
    uint64_t accesses = get(r, path);
    if (!accesses)
        return;
    snprintf(path, sizeof path, "%s_hit_rate", owner);
    struct number rate = percent_of(figure(r, path));
    snprintf(path, sizeof path, "%s_mpki", owner);
    row(out, name, rate, "hits of %" PRIu64 " line%s; %s misses per 1000 thread instr.", accesses,
        accesses == 1 ? "" : "s", number_of(figure(r, path), 2).text);
}

void report_launch_text(const struct launch *l, struct text *out)
{
    char *name = demangle_short(l->kernel->name);
    bool is_long = strlen(name) > LONGEST_NAME;
    text_printf(out, "%s:%sgrid %" PRIu32 " x %" PRIu32 " x %" PRIu32 ", block %" PRIu32 " x %" PRIu32 " x %" PRIu32,
                name, is_long ? "\n  " : " ", l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                l->block[2]);
    free(name);
}

static void print_heading(const struct report *r, struct text *out)
{
    report_launch_text(r->launch, out);
    text_printf(out, ", on %s under %s%s", r->run->machine->name, r->run->mechanism->name,
                r->run->is_uncompacted ? ", compaction off" : "");
    if (r->run->profiled_launches)
        text_printf(out, ", profile of %d launch%s", r->run->profiled_launches,
                    r->run->profiled_launches == 1 ? "" : "es");
    text_printf(out, "\n");
}

static void print_rates(const struct report *r, struct text *out)
{
    const struct gpu_result *result = r->result;
    const struct machine *m = r->run->machine;
    double seconds = result->launch.host_seconds;
    const struct number off = error_of(r);
    const char *error = off.text;
    row(out, "cycles", count_of(result->cycles), "%s%s%s us at %" PRIu32 " MHz, on %" PRIu32 " multiprocessor%s",
        error + (*error != 0), *error ? "; " : "", number_of(figure(r, "microseconds"), 2).text, m->mem.core_mhz,
        m->gpu.sm_count, m->gpu.sm_count == 1 ? "" : "s");
    if (result->drain_cycles)
        row(out, "of those, at the end", count_of(result->drain_cycles),
            "for stores and atomics after the last thread");
    row(out, "warp instructions", count_of(result->sm.warp_instructions), "%s per cycle%s",
        number_of(figure(r, "warp_ipc"), 3).text, error);
    row(out, "thread instructions", count_of(result->sm.thread_instructions), "%s per cycle%s",
        number_of(figure(r, "thread_ipc"), 2).text, error);
    row(out, "SIMD efficiency", percent_of(figure(r, "simd_efficiency")), "%s of %" PRIu32 " threads per issue",
        number_of(figure(r, "threads_per_issue"), 2).text, m->sm.warp_width);
    if (m->sm.scalar != SM_SCALAR_NONE)
        row(out, "scalar instructions", percent_of(figure(r, "scalar_share")),
            "of warp instructions; registers: %" PRIu64 " per warp and %" PRIu64 " per thread",
            result->sm.scalar_registers, result->sm.private_registers);
    row(out, "branches", count_of(result->sm.branches), "divergent %" PRIu64 " (%s)", result->sm.divergent_branches,
        percent_of(figure(r, "divergence")).text);
    row(out, "occupancy", percent_of(figure(r, "occupancy")), "of %" PRIu32 " threads each; %d blocks fit (limit: %s)",
        m->sm.max_threads, result->blocks_per_sm, result->occupancy_limit ? result->occupancy_limit : "none");
    cache_row(r, out, "L1 data cache", "l1d");
    cache_row(r, out, "constant cache", "constant");
    cache_row(r, out, "texture cache", "texture");
    cache_row(r, out, "L2", "l2");
    if (get(r, "dram.bytes"))
        row(out, "DRAM", percent_of(figure(r, "dram_utilisation")),
            "of its bandwidth%s; %" PRIu64 " bytes, %s row hits", error, get(r, "dram.bytes"),
            percent_of(figure(r, "dram_row_hit_rate")).text);
    sampling_row(r, out);
    row(out, "host seconds", number_of(seconds, 3), "%s million warp instructions per second",
        number_of(seconds > 0 ? (double)result->sm.warp_instructions / seconds * 1e-6 : NAN, 2).text);
}

/* Cycles of all multiprocessors by class. `is_short` leaves out classes without cycles. */
static void print_cycles(const struct report *r, bool is_short, struct text *out)
{
    static const char *const names[] = {"W1-4",   "W5-8",   "W9-12", "W13-16", "W17-20",  "W21-24",
                                        "W25-28", "W29-32", "Stall", "W0_Mem", "W0_Idle", "W0_Sync"};
    enum { CLASSES = sizeof names / sizeof *names };
    const struct sm_stats *s = &r->result->sm;
    uint64_t cycles[CLASSES], sum = 0;
    memcpy(cycles, s->issued_cycles, sizeof s->issued_cycles);
    cycles[SM_WIDTH_CLASSES] = s->stall_cycles;
    cycles[SM_WIDTH_CLASSES + 1] = s->idle_memory_cycles;
    cycles[SM_WIDTH_CLASSES + 2] = s->idle_cycles;
    cycles[SM_WIDTH_CLASSES + 3] = s->sync_cycles;
    for (int i = 0; i < CLASSES; i++)
        sum += cycles[i];
    text_printf(out, "cycles of all multiprocessors, by threads that issued\n");
    for (int i = 0; i < CLASSES; i++) {
        double share = sum ? (double)cycles[i] / (double)sum : 0;
        int bar = (int)lround(BAR * share);
        if (!cycles[i] && (is_short || i == CLASSES - 1)) /* W0_Sync: few mechanisms issue synchronisation operations */
            continue;
        text_printf(out, "  %-8s %14" PRIu64 " %6.1f %%%s%.*s\n", names[i], cycles[i], 100 * share, bar ? "  " : "",
                    bar, "##################################################");
    }
}

/* One row for a cache: counts, hit rate, and hits, misses and merges per 1000 thread instructions. No row for a cache
 * that was not used. */
static void print_level(const struct report *r, const char *owner, struct text *out)
{
    static const char *const counters[] = {"accesses", "hits", "misses", "merges"};
    static const char *const figures[] = {"hit_rate", "hits_pki", "mpki", "merges_pki"};
    char path[64];
    uint64_t counted[4];
    double derived[4];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s.%s", owner, counters[i]);
        counted[i] = get(r, path);
        snprintf(path, sizeof path, "%s_%s", owner, figures[i]);
        derived[i] = figure(r, path);
    }
    if (!counted[0])
        return;
    text_printf(out, "  %-11s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %8s %9s %9s %9s\n", owner,
                counted[0], counted[1], counted[2], counted[3], percent_of(derived[0]).text,
                number_of(derived[1], 2).text, number_of(derived[2], 2).text, number_of(derived[3], 2).text);
}

/* One line for a counter of waiting of the L2, which counts crossbar cycles, if anything waited. */
static void print_stall(const struct report *r, const char *name, const char *path, struct text *out)
{
    uint64_t cycles = get(r, path);
    if (cycles)
        text_printf(out, "  %-50s %14" PRIu64 " crossbar cycles\n", name, cycles);
}

/* Stall cycles of the memory pipes, by cause: a row for each pipe that stalled. */
static void print_pipe_stalls(const struct report *r, struct text *out)
{
    if (!(figure(r, "memory_stalls") > 0))
        return;
    text_printf(out, "memory-pipe stalls, in cycles of all multiprocessors, by cause\n  %-9s", "pipe");
    for (int cause = 0; cause < STALL_CAUSES; cause++)
        text_printf(out, " %11s", stall_cause_names[cause]);
    text_printf(out, " %13s\n", "all");
    for (int pipe = 0; pipe < STALL_PIPES; pipe++) {
        double all = stalls_of_pipe(&r->statistics, (enum stall_pipe)pipe);
        if (!(all > 0))
            continue;
        text_printf(out, "  %-9s", stall_pipe_names[pipe]);
        for (int cause = 0; cause < STALL_CAUSES; cause++) {
            double cycles = stalls_of(&r->statistics, (enum stall_pipe)pipe, (enum stall_cause)cause);
            text_printf(out, " %11s", number_of(cycles, 0).text);
        }
        text_printf(out, " %13s\n", number_of(all, 0).text);
    }
}

static void print_memory(const struct report *r, struct text *out)
{
    const struct sm_stats *s = &r->result->sm;
    text_printf(out,
                "memory                                                      per 1000 thread instructions:\n"
                "  %-11s %10s %10s %10s %10s %8s %9s %9s %9s\n",
                "lines", "accesses", "hits", "misses", "merges", "hit rate", "hits", "misses", "merges");
    static const char *const levels[] = {"l1d", "constant", "texture", "instruction", "l2"};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        print_level(r, levels[i], out);
    if (s->memory_instructions)
        row(out, "accesses", count_of(s->memory_instructions), "warp instructions, %s lines each",
            number_of(figure(r, "transactions_per_access"), 2).text);
    if (get(r, "l1d.replies"))
        row(out, "latency", number_of(figure(r, "memory_latency"), 1),
            "cycles, of loads and atomics on average; %" PRIu64 " at most", get(r, "l1d.longest_cycles"));
    if (s->shared_instructions)
        row(out, "shared memory", count_of(s->shared_instructions), "accesses, %s passes each; %s passes per cycle",
            number_of(figure(r, "passes_per_shared_access"), 2).text,
            number_of((double)s->shared_passes / (double)s->cycles, 2).text);
    if (get(r, "crossbar.requests")) {
        row(out, "crossbar, to the L2", count_of(get(r, "crossbar.request_bytes")), "bytes in %" PRIu64 " packets",
            get(r, "crossbar.requests"));
        row(out, "crossbar, back", count_of(get(r, "crossbar.reply_bytes")), "bytes in %" PRIu64 " packets",
            get(r, "crossbar.replies"));
    }
    if (get(r, "dram.bytes")) {
        row(out, "DRAM", count_of(get(r, "dram.bytes")), "bytes, %s per core cycle; %s of its bandwidth",
            number_of(figure(r, "dram_bytes_per_cycle"), 2).text, percent_of(figure(r, "dram_utilisation")).text);
        row(out, "DRAM rows", percent_of(figure(r, "dram_row_hit_rate")),
            "of requests found their row open: %" PRIu64 " reads, %" PRIu64 " writes", get(r, "dram.reads"),
            get(r, "dram.writes"));
    }
    print_stall(r, "L2 waited for a miss register", "l2.mshr_stall_cycles", out);
    print_stall(r, "L2 waited for room in a miss register", "l2.merge_stall_cycles", out);
    print_stall(r, "L2 waited for DRAM's queue", "l2.dram_stall_cycles", out);
    print_stall(r, "L2 waited for room for a reply", "l2.reply_stall_cycles", out);
    print_stall(r, "L2 waited for an atomic on the line", "l2.atomic_stall_cycles", out);
    print_pipe_stalls(r, out);
}

static void print_branches(const struct site_table *t, int most, struct text *out)
{
    if (!t->branch_count && !t->lost_lanes)
        return;
    text_printf(out,
                "branches, by issues lost: lanes that issues left empty, over the warp width,%sin %% of all issues\n",
                terminal_text_columns() < TERMINAL_TEXT_MOST ? "\n  " : " ");
    site_table_branches_text(t, most, out);
}

void report_sites_text(const struct site_table *sites, unsigned groups, struct text *out)
{
    if (groups & REPORT_BRANCHES)
        print_branches(sites, MOST_BRANCHES, out);
    if (groups & REPORT_LINES) {
        text_printf(out, "lines, by issues\n");
        site_table_lines_text(sites, MOST_LINES, out);
    }
}

/* Derived figures that say how well a mechanism does, where the mechanism keeps the counters they need. */
static void print_mechanism_figures(const struct report *r, struct text *out)
{
    struct stat_formula known[GPU_MECHANISM_FORMULAS];
    int count = 0;
    for (int i = gpu_formula_count - GPU_MECHANISM_FORMULAS; i < gpu_formula_count; i++)
        if (!isnan(gpu_formulas[i].value(&r->statistics)))
            known[count++] = gpu_formulas[i];
    stat_text_formulas(&r->statistics, known, count, out);
}

static void print_mechanism(const struct report *r, struct text *out)
{
    text_printf(out, "mechanism %s\n", r->run->mechanism->name);
    print_mechanism_figures(r, out);
    for (int i = 0; i < r->statistics.count; i++)
        if (r->statistics.parts[i].owner == r->run->mechanism->stats)
            stat_text_owner(&r->statistics.parts[i], out);
}

/* GPGPU-Sim's names in the form `name = value`, since scripts look for it; Nsight Compute's names as a table. */
static void print_names(const struct report *r, struct text *out)
{
    const struct sm_stats *s = &r->result->sm;
    text_printf(out, "names of GPGPU-Sim\n");
    for (int i = 0; i < gpu_names_gpgpusim_count; i++) {
        const struct stat_formula *f = &gpu_names_gpgpusim[i];
        char number[STAT_NUMBER_LENGTH];
        stat_format_short(f->value(&r->statistics), number);
        text_printf(out, "%s = %s%s\n", f->name, number, strcmp(f->unit, "%") ? "" : "%");
    }
    text_printf(out, "Warp Occupancy Distribution:\nStall:%" PRIu64 "\tW0_Idle:%" PRIu64 "\tW0_Mem:%" PRIu64,
                s->stall_cycles, s->idle_cycles, s->idle_memory_cycles);
    for (int i = 0; i < SM_WIDTH_CLASSES; i++)
        text_printf(out, "%sW%d_%d:%" PRIu64, i % 4 ? "\t" : "\n", 4 * i + 1, 4 * i + 4, s->issued_cycles[i]);
    text_printf(out, "\nnames of Nsight Compute\n");
    stat_text_formulas(&r->statistics, gpu_names_nsight, gpu_names_nsight_count, out);
}

void report_text(const struct report *r, unsigned groups, bool is_utf8, struct text *out)
{
    if (!groups)
        return;
    print_heading(r, out);
    if (groups & REPORT_SUMMARY) {
        print_rates(r, out);
        if (!(groups & REPORT_CYCLES))
            print_cycles(r, true, out);
        if (!(groups & REPORT_BRANCHES))
            print_branches(&r->sites, SUMMARY_BRANCHES, out);
    }
    if (groups & REPORT_CYCLES)
        print_cycles(r, false, out);
    if (groups & REPORT_MEMORY)
        print_memory(r, out);
    report_sites_text(&r->sites, groups, out);
    if (groups & REPORT_MECHANISM && r->run->mechanism->stats)
        print_mechanism(r, out);
    if (groups & REPORT_COUNTERS) {
        text_printf(out, "counters, and what is derived from them\n");
        stat_print_text(&r->statistics, gpu_formulas, gpu_formula_count, out);
    }
    if (groups & REPORT_NAMES)
        print_names(r, out);
    if (groups & REPORT_INTERVALS && r->intervals) {
        text_printf(out, "intervals\n");
        interval_text(r->intervals, is_utf8, out);
    }
}
