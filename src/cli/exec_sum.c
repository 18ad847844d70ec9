/* The sum of a program that heddle exec ran: see exec_sum.h. */
#define _GNU_SOURCE
#include "cli/exec_sum.h"

#include "base/arena.h"
#include "base/demangle.h"
#include "base/json.h"
#include "base/terminal.h"
#include "cli/cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A process that launched a kernel. */
struct exec_process {
    uint32_t id;
    int number; /* processes are counted from 1 on */
    UT_hash_handle hh;
};

/* ---- reading ---- */

static void add(struct exec_figures *f, const struct total_record *r)
{
    f->launches++;
    f->chosen += r->is_chosen != 0;
    f->timed += r->is_timed != 0;
    f->cycles += r->cycles;
    f->picoseconds += r->picoseconds;
    f->warp_instructions += r->warp_instructions;
    f->thread_instructions += r->thread_instructions;
    f->lanes += r->lanes;
    f->branches += r->branches;
    f->divergent_branches += r->divergent_branches;
    f->sampled += r->is_sampled != 0;
    f->timed_instructions += r->timed_instructions;
    f->faults += r->fault != 0;
    f->host_seconds += r->host_seconds;
}

/* Adds how a launch changed an estimate. The cycles of a sampled program are the estimate: its last rates count for all
 * launches. */
static void add_estimate(struct exec_figures *f, double cycles, double half_cycles)
{
    f->sampled_cycles += cycles;
    f->half_cycles += half_cycles;
}

static struct exec_kernel *find_kernel(struct exec_sum *sum, const char *name)
{
    struct exec_kernel *k;
    HASH_FIND_STR(sum->kernels, name, k);
    if (!k) {
        k = xcalloc(1, sizeof *k);
        k->name = strdup(name);
        k->shown = demangle_short(name);
        HASH_ADD_KEYPTR(hh, sum->kernels, k->name, strlen(k->name), k);
    }
    return k;
}

static int find_process(struct exec_sum *sum, uint32_t id)
{
    struct exec_process *p;
    HASH_FIND(hh, sum->processes, &id, sizeof id, p);
    if (!p) {
        p = xcalloc(1, sizeof *p);
        p->id = id;
        p->number = 1 + (int)HASH_COUNT(sum->processes);
        HASH_ADD(hh, sum->processes, id, sizeof p->id, p);
    }
    return p->number;
}

/* ---- cells ---- */

enum { CELL = 32 };

static const char *time_cell(char cell[CELL], const struct exec_figures *f)
{
    static const struct {
        double least; /* picoseconds from which the unit is used */
        const char *name;
    } units[] = {{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}};
    double time = (double)f->picoseconds;
    size_t u = 0;
    while (u < 3 && time < units[u].least)
        u++;
    double value = time / units[u].least;
    if (f->timed)
        snprintf(cell, CELL, "%.*f %s", value < 10 ? 2 : value < 100 ? 1 : 0, value, units[u].name);
    else
        snprintf(cell, CELL, "-");
    return cell;
}

/* Half the interval of an estimate, in percent. */
static double half_percent(const struct exec_figures *f)
{
    return f->sampled_cycles > 0 ? 100 * f->half_cycles / f->sampled_cycles : 0;
}

/* Cycles and their time; dashes if none of the launches ran on a machine. */
static void print_time(const struct exec_figures *f, struct text *out)
{
    char cycles[CELL] = "-", time[CELL];
    if (f->timed)
        snprintf(cycles, sizeof cycles, "%" PRIu64, f->cycles);
    text_printf(out, " %12s %9s", cycles, time_cell(time, f));
}

/* A share in percent; a dash if there is nothing to have a share of. */
static const char *share_cell(char cell[CELL], uint64_t part, uint64_t whole)
{
    if (whole)
        snprintf(cell, CELL, "%.1f %%", 100 * (double)part / (double)whole);
    else
        snprintf(cell, CELL, "-");
    return cell;
}

/* Ends a row with a name of any length. Where it does not fit the page, first its namespaces go, then its template
 * arguments, then what is too much. */
static void end_row(struct text *out, size_t row, const char *name)
{
    static const char arguments[] = "<...>";
    size_t end = row + (size_t)terminal_text_columns(), room = end > out->length ? end - out->length : 0;
    if (strlen(name) > room)
        name += demangle_qualifier(name);
    size_t length = strlen(name), plain = strcspn(name, "<");
    if (length <= room)
        text_printf(out, "%s\n", name);
    else if (plain + strlen(arguments) <= room)
        text_printf(out, "%.*s%s\n", (int)plain, name, arguments);
    else if (plain <= room)
        text_printf(out, "%.*s\n", (int)plain, name);
    else
        text_printf(out, "%.*s...\n", (int)room - 3, name);
}

static void print_launch(struct exec_sum *sum, const struct total_record *r, const char *shown)
{
    struct exec_figures f = {0};
    char shape[3 * CELL], number[CELL], simd[CELL];
    size_t row = sum->launches.length;
    int process = find_process(sum, r->process);
    add(&f, r);
    if (process > 1)
        snprintf(number, sizeof number, "%d/%" PRIu64, process, r->launch);
    else
        snprintf(number, sizeof number, "%" PRIu64, r->launch);
    snprintf(shape, sizeof shape, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 " x %" PRIu32 ",%" PRIu32 ",%" PRIu32, r->grid[0],
             r->grid[1], r->grid[2], r->block[0], r->block[1], r->block[2]);
    text_printf(&sum->launches, "  %8s %13" PRIu64 " %8s", number, f.warp_instructions,
                share_cell(simd, f.thread_instructions, f.lanes));
    if (sum->has_machine)
        print_time(&f, &sum->launches);
    text_printf(&sum->launches, "  %-18s  ", shape);
    end_row(&sum->launches, row, shown);
}

static void visit(void *context, const struct total_record *r, const char *kernel, const struct note *note)
{
    struct exec_sum *sum = context;
    struct exec_kernel *k = find_kernel(sum, kernel);
    add(&k->figures, r);
    add(&sum->total, r);
    add_estimate(&k->figures, r->kernel_cycles, r->kernel_half_cycles);
    add_estimate(&sum->total, r->program_cycles, r->program_half_cycles);
    find_process(sum, r->process);
    notes_add(&sum->notes, kernel, note);
    if (sum->lists_launches)
        print_launch(sum, r, k->shown);
}

/* The estimate takes the place of the sum of what each launch was estimated at. */
static void settle(struct exec_figures *f)
{
    if (!f->sampled || !f->cycles)
        return;
    f->picoseconds = (uint64_t)((double)f->picoseconds * (f->sampled_cycles / (double)f->cycles) + 0.5);
    f->cycles = (uint64_t)(f->sampled_cycles + 0.5);
}

bool exec_sum_read(struct exec_sum *sum, const char *path, char **error)
{
    bool ok = total_visit(path, visit, sum, error);
    settle(&sum->total);
    for (struct exec_kernel *k = sum->kernels; k; k = k->hh.next)
        settle(&k->figures);
    return ok;
}

void exec_sum_free(struct exec_sum *sum)
{
    struct exec_kernel *k, *next;
    HASH_ITER(hh, sum->kernels, k, next)
    {
        HASH_DEL(sum->kernels, k);
        free(k->name);
        free(k->shown);
        free(k);
    }
    struct exec_process *p, *following;
    HASH_ITER(hh, sum->processes, p, following)
    {
        HASH_DEL(sum->processes, p);
        free(p);
    }
    notes_free(&sum->notes);
    text_free(&sum->launches);
}

/* ---- the table ---- */

/* What a kernel's share is a share of: cycles, where there are any. */
static uint64_t weight(const struct exec_sum *sum, const struct exec_figures *f)
{
    return sum->total.timed ? f->cycles : f->warp_instructions;
}

static void print_row(const struct exec_sum *sum, const struct exec_figures *f, const char *name, struct text *out)
{
    char simd[CELL], share[CELL];
    size_t row = out->length;
    text_printf(out, "  %8" PRIu64 " %13" PRIu64 " %8s", f->launches, f->warp_instructions,
                share_cell(simd, f->thread_instructions, f->lanes));
    if (sum->has_machine)
        print_time(f, out);
    if (sum->total.sampled)
        text_printf(out, " %7.1f %%", half_percent(f));
    text_printf(out, " %8s  ", share_cell(share, weight(sum, f), weight(sum, &sum->total)));
    end_row(out, row, name);
}

static int compare_kernels(const void *a, const void *b)
{
    const struct exec_figures *x = &(*(struct exec_kernel *const *)a)->figures;
    const struct exec_figures *y = &(*(struct exec_kernel *const *)b)->figures;
    uint64_t left = x->cycles ? x->cycles : x->warp_instructions, right = y->cycles ? y->cycles : y->warp_instructions;
    if (!x->cycles != !y->cycles)
        return x->cycles ? -1 : 1;
    return left > right ? -1 : left < right;
}

/* The kernels, that with the largest share first. Owned by the caller. */
static struct exec_kernel **sort_kernels(const struct exec_sum *sum, size_t *count)
{
    *count = HASH_COUNT(sum->kernels);
    struct exec_kernel **sorted = xcalloc(*count + 1, sizeof(void *));
    size_t i = 0;
    for (struct exec_kernel *k = sum->kernels; k; k = k->hh.next)
        sorted[i++] = k;
    qsort(sorted, *count, sizeof(void *), compare_kernels);
    return sorted;
}

static const char *plural(uint64_t count, const char *one, const char *several)
{
    return count == 1 ? one : several;
}

static void print_heading(const struct exec_sum *sum, const char *program, size_t kernels, struct text *out)
{
    unsigned processes = HASH_COUNT(sum->processes);
    text_printf(out, "heddle: %s: %" PRIu64 " %s of %zu %s", program, sum->total.launches,
                plural(sum->total.launches, "launch", "launches"), kernels, plural(kernels, "kernel", "kernels"));
    if (processes > 1)
        text_printf(out, " by %u processes", processes);
    text_printf(out, ", %.3f host seconds\n", sum->total.host_seconds);
}

void exec_sum_print(const struct exec_sum *sum, const char *program, int exit_status, struct text *out)
{
    const char *times = sum->has_machine ? "       cycles      time" : "";
    size_t count;
    if (!sum->total.launches) {
        /* A signal may have ended the program in the middle of its first launch. */
        text_printf(out, "heddle: %s %s\n", program,
                    exit_status > STATUS_SIGNAL ? "ended before a launch was complete" : "launched no kernel");
        return;
    }
    struct exec_kernel **kernels = sort_kernels(sum, &count);
    print_heading(sum, program, count, out);
    if (sum->lists_launches) {
        text_printf(out, "  %8s %13s %8s%s  %-18s  kernel\n", "launch", "warp instr.", "SIMD", times, "grid x block");
        text_append(out, sum->launches.data, sum->launches.length);
    }
    text_printf(out, "  %8s %13s %8s%s%s %8s  kernel\n", "launches", "warp instr.", "SIMD", times,
                sum->total.sampled ? "         ±" : "", "share");
    for (size_t i = 0; i < count; i++)
        print_row(sum, &kernels[i]->figures, kernels[i]->shown, out);
    print_row(sum, &sum->total, "(all)", out);
    if (!sum->total.chosen)
        text_printf(out, "  --kernel and --launch chose none of these launches; all were only computed.\n");
    else if (sum->has_machine && sum->total.timed < sum->total.launches)
        text_printf(out, "  Cycles and time are those of the %" PRIu64 " %s that ran on the machine.\n",
                    sum->total.timed, plural(sum->total.timed, "launch", "launches"));
    if (sum->total.sampled)
        text_printf(out, "  Cycles and time are estimates from %.1f %% of the thread instructions, which were timed.\n",
                    100 * (double)sum->total.timed_instructions / (double)sum->total.thread_instructions);
    if (sum->total.faults)
        text_printf(out, "  %" PRIu64 " %s ended with a fault.\n", sum->total.faults,
                    plural(sum->total.faults, "launch", "launches"));
    free(kernels);
}

/* ---- JSON ---- */

static void json_figures(const struct exec_figures *f, struct text *out)
{
    text_printf(out, "\"launches\":%" PRIu64 ",\"timed_launches\":%" PRIu64, f->launches, f->timed);
    if (f->timed)
        text_printf(out, ",\"cycles\":%" PRIu64 ",\"simulated_seconds\":%.12f", f->cycles,
                    (double)f->picoseconds * 1e-12);
    else
        text_printf(out, ",\"cycles\":null,\"simulated_seconds\":null");
    if (f->sampled)
        text_printf(out,
                    ",\"sampling\":{\"estimate\":%.1f,\"interval\":[%.1f,%.1f],\"interval_percent\":%.4f,"
                    "\"timed_share\":%.6f}",
                    f->sampled_cycles, f->sampled_cycles - f->half_cycles, f->sampled_cycles + f->half_cycles,
                    half_percent(f), (double)f->timed_instructions / (double)f->thread_instructions);
    text_printf(out, ",\"warp_instructions\":%" PRIu64 ",\"thread_instructions\":%" PRIu64 ",\"simd_efficiency\":",
                f->warp_instructions, f->thread_instructions);
    if (f->lanes)
        text_printf(out, "%.6f", (double)f->thread_instructions / (double)f->lanes);
    else
        text_printf(out, "null");
    text_printf(out,
                ",\"branches\":%" PRIu64 ",\"divergent_branches\":%" PRIu64 ",\"faults\":%" PRIu64
                ",\"host_seconds\":%.6f",
                f->branches, f->divergent_branches, f->faults, f->host_seconds);
}

void exec_sum_json(const struct exec_sum *sum, const char *program, int exit_status, struct text *out)
{
    size_t count;
    struct exec_kernel **kernels = sort_kernels(sum, &count);
    text_printf(out, "{\"total\":{\"program\":");
    json_print_string(out, program);
    text_printf(out, ",\"exit_status\":%d,\"processes\":%u,", exit_status, HASH_COUNT(sum->processes));
    json_figures(&sum->total, out);
    text_printf(out, ",\"kernels\":[");
    for (size_t i = 0; i < count; i++) {
        text_printf(out, "%s{\"kernel\":", i ? "," : "");
        json_print_string(out, kernels[i]->name);
        text_printf(out, ",\"name\":");
        json_print_string(out, kernels[i]->shown);
        text_printf(out, ",");
        json_figures(&kernels[i]->figures, out);
        text_printf(out, "}");
    }
    text_printf(out, "]}}\n");
    free(kernels);
}
