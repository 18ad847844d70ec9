/* Interval series: see interval.h. */
#include "report/interval.h"

#include "base/vec.h"
#include "stat/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { MOST_ROWS = 32, BAR_COLUMNS = 60 };

static const char *const paths[INTERVAL_COUNTERS] = {[INTERVAL_WARPS] = "sm.warp_instructions",
                                                     [INTERVAL_THREADS] = "sm.thread_instructions",
                                                     [INTERVAL_SLOTS] = "sm.issue_slots",
                                                     [INTERVAL_RESIDENT] = "sm.resident_thread_cycles",
                                                     [INTERVAL_L1D_MISSES] = "l1d.misses",
                                                     [INTERVAL_L2_MISSES] = "l2.misses",
                                                     [INTERVAL_DRAM_BYTES] = "dram.bytes",
                                                     [INTERVAL_PCS] = "*.pcs",
                                                     [INTERVAL_COMMITS] = "*.commits",
#define GANGS(n) [INTERVAL_GANGS + n - 1] = "vws.in_" #n,
                                                     GANGS(1) GANGS(2) GANGS(3) GANGS(4) GANGS(5) GANGS(6) GANGS(7)
                                                         GANGS(8)
#undef GANGS
};

enum { PER_CYCLE = -1, ITSELF = -2 };

/* A figure: a counter, divided by another counter, by the cycles, or by nothing. */
static const struct figure {
    const char *name;
    enum interval_counter over;
    int under;        /* enum interval_counter, or PER_CYCLE, or ITSELF */
    const char *form; /* printf format of the number in the table */
} figures[] = {{"warp_instructions", INTERVAL_WARPS, ITSELF, "%.0f"},
               {"thread_instructions", INTERVAL_THREADS, ITSELF, "%.0f"},
               {"thread_ipc", INTERVAL_THREADS, PER_CYCLE, "%.2f"},
               {"simd_efficiency", INTERVAL_THREADS, INTERVAL_SLOTS, "%.3f"},
               {"l1d_misses", INTERVAL_L1D_MISSES, ITSELF, "%.0f"},
               {"l2_misses", INTERVAL_L2_MISSES, ITSELF, "%.0f"},
               {"dram_bytes", INTERVAL_DRAM_BYTES, ITSELF, "%.0f"},
               {"resident_threads", INTERVAL_RESIDENT, PER_CYCLE, "%.1f"},
               {"pcs_in_use", INTERVAL_PCS, INTERVAL_COMMITS, "%.2f"},
#define GANGS(n) {"in_gangs_of_" #n, INTERVAL_GANGS + n - 1, PER_CYCLE, "%.1f"},
               GANGS(1) GANGS(2) GANGS(3) GANGS(4) GANGS(5) GANGS(6) GANGS(7) GANGS(8)
#undef GANGS
};

/* The table leaves out figures that only some mechanisms have: it must fit a terminal. */
enum {
    FIGURE_COUNT = sizeof figures / sizeof *figures,
    GANG_FIGURES = 8,
    TABLE_COUNT = FIGURE_COUNT - GANG_FIGURES - 1
};

static int figure_count(const struct interval_series *s)
{
    return s->has_gangs ? FIGURE_COUNT : FIGURE_COUNT - GANG_FIGURES;
}

/* Headings of the table, two lines, eleven columns each. */
static const char *const headings[2][TABLE_COUNT] = {
    {"warp", "thread", "thread", "SIMD", "L1", "L2", "DRAM", "resident"},
    {"instr.", "instr.", "IPC", "efficiency", "misses", "misses", "bytes", "threads"},
};

static double value_of(const struct figure *f, const struct interval *i)
{
    double over = (double)i->counted[f->over];
    if (f->under == ITSELF)
        return over;
    uint64_t under = f->under == PER_CYCLE ? i->cycles : i->counted[f->under];
    return under ? over / (double)under : NAN;
}

void interval_note(struct interval_series *s, uint64_t cycle, const struct stat_result *so_far)
{
    uint64_t cycles = stat_get(so_far, "sm.cycles", NULL);
    if (cycles <= s->cycles)
        return;
    struct interval next = {.end = cycle, .cycles = cycles - s->cycles};
    for (int i = 0; i < INTERVAL_COUNTERS; i++) {
        uint64_t now = stat_get(so_far, paths[i], NULL);
        next.counted[i] = now - s->before[i];
        s->before[i] = now;
    }
    s->cycles = cycles;
    stat_get(so_far, paths[INTERVAL_GANGS], &s->has_gangs);
    vec_push(s, next);
}

void interval_free(struct interval_series *series)
{
    vec_free(series);
}

/* Adds up `count` intervals from `first` on, or as many as there are, as one interval. */
static struct interval merge(const struct interval_series *s, int first, int count)
{
    struct interval sum = {0};
    for (int i = first; i < first + count && i < s->count; i++) {
        sum.end = s->data[i].end;
        sum.cycles += s->data[i].cycles;
        for (int k = 0; k < INTERVAL_COUNTERS; k++)
            sum.counted[k] += s->data[i].counted[k];
    }
    return sum;
}

static void print_table(const struct interval_series *s, struct text *out)
{
    int step = (s->count + MOST_ROWS - 1) / MOST_ROWS;
    for (int line = 0; line < 2; line++) {
        text_printf(out, "%10s", line ? "to cycle" : "");
        for (int f = 0; f < TABLE_COUNT; f++)
            text_printf(out, " %10s", headings[line][f]);
        text_printf(out, "\n");
    }
    for (int i = 0; i < s->count; i += step) {
        struct interval row = merge(s, i, step);
        text_printf(out, "%10" PRIu64, row.end);
        for (int f = 0; f < TABLE_COUNT; f++) {
            char number[STAT_NUMBER_LENGTH] = "-";
            double value = value_of(&figures[f], &row);
            if (isfinite(value))
                snprintf(number, sizeof number, figures[f].form, value);
            text_printf(out, " %10s", number);
        }
        text_printf(out, "\n");
    }
    if (step > 1)
        text_printf(out, "(each row is %d intervals)\n", step);
}

/* A figure whose counters stay 0 is left out, such as pcs_in_use under static warps. */
static bool is_counted(const struct interval_series *s, const struct figure *f)
{
    struct interval all = merge(s, 0, s->count);
    return isfinite(value_of(f, &all));
}

/* One line per figure, with one block character per interval, as high as the value's share of the largest value. With
 * more than BAR_COLUMNS intervals each character stands for several. */
static void print_bars(const struct interval_series *s, struct text *out)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    int step = (s->count + BAR_COLUMNS - 1) / BAR_COLUMNS;
    for (int f = 0; f < figure_count(s); f++) {
        double most = 0;
        if (!is_counted(s, &figures[f]))
            continue;
        for (int i = 0; i < s->count; i += step) {
            struct interval part = merge(s, i, step);
            most = fmax(most, value_of(&figures[f], &part));
        }
        text_printf(out, "%-19s |", figures[f].name);
        for (int i = 0; i < s->count; i += step) {
            struct interval part = merge(s, i, step);
            double value = value_of(&figures[f], &part);
            text_printf(out, "%s", blocks[isfinite(value) && most > 0 ? (int)ceil(8 * value / most) : 0]);
        }
        char number[STAT_NUMBER_LENGTH];
        snprintf(number, sizeof number, figures[f].form, most);
        text_printf(out, "| at most %s\n", number);
    }
}

void interval_text(const struct interval_series *series, bool is_utf8, struct text *out)
{
    if (!series->count)
        text_printf(out, "no interval has passed\n");
    else if (is_utf8)
        print_bars(series, out);
    else
        print_table(series, out);
}

void interval_json(const struct interval_series *series, struct text *out)
{
    text_printf(out, "[");
    for (int i = 0; i < series->count; i++) {
        const struct interval *v = &series->data[i];
        text_printf(out, "%s{\"end\":%" PRIu64 ",\"cycles\":%" PRIu64, i ? "," : "", v->end, v->cycles);
        for (int f = 0; f < figure_count(series); f++) {
            char number[STAT_NUMBER_LENGTH];
            stat_format_exact(value_of(&figures[f], v), number);
            text_printf(out, ",\"%s\":%s", figures[f].name, *number ? number : "null");
        }
        text_printf(out, "}");
    }
    text_printf(out, "]");
}

void interval_csv(const struct interval_series *series, bool has_heading, struct text *out)
{
    if (has_heading) {
        text_printf(out, "end,cycles");
        for (int f = 0; f < figure_count(series); f++)
            text_printf(out, ",%s", figures[f].name);
        text_printf(out, "\n");
    }
    for (int i = 0; i < series->count; i++) {
        const struct interval *v = &series->data[i];
        text_printf(out, "%" PRIu64 ",%" PRIu64, v->end, v->cycles);
        for (int f = 0; f < figure_count(series); f++) {
            char number[STAT_NUMBER_LENGTH];
            stat_format_exact(value_of(&figures[f], v), number);
            text_printf(out, ",%s", number);
        }
        text_printf(out, "\n");
    }
}
