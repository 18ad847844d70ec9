/* The report of a launch: the groups of figures that can be asked for, and all figures as JSON and CSV. */
#include "report/report.h"

#include "base/arena.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct choice {
    const char *name;
    unsigned bits;
    const char *meaning;
} choice_table[] = {
    {"summary", REPORT_SUMMARY, "one screen of the most important figures (default)"},
    {"cycles", REPORT_CYCLES, "where the cycles went: threads issued, stalls, idle"},
    {"memory", REPORT_MEMORY, "caches, traffic, DRAM, and stalls of the memory pipes by cause"},
    {"branches", REPORT_BRANCHES, "by branch: divergence, and the issues lost to it"},
    {"lines", REPORT_LINES, "by source line: issues, SIMD efficiency, transactions"},
    {"mechanism", REPORT_MECHANISM, "the counters of the divergence mechanism"},
    {"counters", REPORT_COUNTERS, "every counter and every derived figure"},
    {"names", REPORT_NAMES, "figures under the names of GPGPU-Sim and Nsight Compute"},
    {"intervals", REPORT_INTERVALS, "a series of figures, one for every N cycles; needs --interval N"},
    {"all", 2 * REPORT_INTERVALS - 1, "all groups"},
    {"none", 0, "nothing"},
};

enum { CHOICE_COUNT = sizeof choice_table / sizeof *choice_table };

static const struct choice *find_choice(const char *word, size_t length)
{
    for (int i = 0; i < CHOICE_COUNT; i++)
        if (strlen(choice_table[i].name) == length && !memcmp(choice_table[i].name, word, length))
            return &choice_table[i];
    return NULL;
}

bool report_parse_groups(const char *words, unsigned *groups, char **error)
{
    *groups = 0;
    for (const char *at = words;; at++) {
        size_t length = strcspn(at, ",");
        const struct choice *g = find_choice(at, length);
        if (!g) {
            struct text t = {0};
            text_printf(&t, "there are no statistics '%.*s'; there are", (int)length, at);
            for (int i = 0; i < CHOICE_COUNT; i++)
                text_printf(&t, " %s", choice_table[i].name);
            *error = text_take(&t);
            return false;
        }
        *groups |= g->bits;
        at += length;
        if (!*at)
            return true;
    }
}

void report_describe_groups(struct text *out)
{
    for (int i = 0; i < CHOICE_COUNT; i++)
        text_printf(out, "  %-26s %s\n", choice_table[i].name, choice_table[i].meaning);
}

void report_open(struct report *r, const struct gpu_run *run, const struct launch *launch,
                 const struct program *program, const struct gpu_result *result,
                 const struct interval_series *intervals, struct sources *sources)
{
    *r = (struct report){.run = run, .launch = launch, .program = program, .result = result, .intervals = intervals};
    r->plain = program_plain(program);
    if (run->machine->sm.reconvergence == SM_MEET_POST_DOMINATORS)
        r->program = &r->plain;
    r->peak = gpu_peak_of(run->machine, result->sm.cycles);
    memcpy(r->parts, result->parts, sizeof result->parts);
    r->parts[result->part_count] = (struct stat_value){&gpu_peak_owner, &r->peak};
    r->energy = energy_of(run->machine, r->program, result);
    r->parts[result->part_count + 1] = (struct stat_value){&energy_owner, &r->energy};
    r->statistics = (struct stat_result){r->parts, result->part_count + 2};
    bool has_sites = result->sites && result->site_count == r->program->insn_count;
    site_table_open(&r->sites, &(struct site_input){.program = r->program,
                                                    .sites = has_sites ? result->sites : NULL,
                                                    .width = run->machine->sm.warp_width,
                                                    .is_ideal = run->mechanism->flags & DIV_IDEAL_LANES,
                                                    .is_timed = true,
                                                    .sources = sources});
}

void report_close(struct report *r)
{
    site_table_close(&r->sites);
}

void report_json(const struct report *r, struct text *out)
{
    stat_print_json(&r->statistics, out);
    text_printf(out, ",");
    stat_json_formulas("derived", &r->statistics, gpu_formulas, gpu_formula_count, out);
    text_printf(out, ",");
    stat_json_formulas("gpgpusim", &r->statistics, gpu_names_gpgpusim, gpu_names_gpgpusim_count, out);
    text_printf(out, ",");
    stat_json_formulas("nsight", &r->statistics, gpu_names_nsight, gpu_names_nsight_count, out);
    text_printf(out, ",\"branches\":");
    site_table_branches_json(&r->sites, out);
    text_printf(out, ",\"lost_lanes\":%" PRIu64 ",\"lost_lanes_by_branches\":%" PRIu64, r->sites.lost_lanes,
                r->sites.lost_by_branch);
    if (r->lists_lines) {
        text_printf(out, ",\"lines\":");
        site_table_lines_json(&r->sites, out);
    }
    if (r->intervals) {
        text_printf(out, ",\"intervals\":");
        interval_json(r->intervals, out);
    }
}

/* What a table is printed from: without a machine, from the sites alone. */
struct csv_input {
    const struct report *report; /* NULL: there was no machine */
    const struct site_table *sites;
};

static void counters_csv(const struct csv_input *in, bool has_heading, struct text *out)
{
    const struct report *r = in->report;
    if (!r)
        return;
    if (has_heading)
        stat_csv_heading(out);
    stat_csv_formulas(&r->statistics, gpu_formulas, gpu_formula_count, out);
    stat_csv_formulas(&r->statistics, gpu_names_gpgpusim, gpu_names_gpgpusim_count, out);
    stat_csv_formulas(&r->statistics, gpu_names_nsight, gpu_names_nsight_count, out);
    stat_csv_counters(&r->statistics, out);
}

static void branches_csv(const struct csv_input *in, bool has_heading, struct text *out)
{
    site_table_branches_csv(in->sites, has_heading, out);
}

static void lines_csv(const struct csv_input *in, bool has_heading, struct text *out)
{
    site_table_lines_csv(in->sites, has_heading, out);
}

static void intervals_csv(const struct csv_input *in, bool has_heading, struct text *out)
{
    if (in->report && in->report->intervals)
        interval_csv(in->report->intervals, has_heading, out);
}

/* Appends a table; each record begins with the number and the kernel of the launch. */
static void append_table(const struct launch *launch, bool has_heading, const struct text *table, struct text *out)
{
    const char *at = table->data;
    for (bool is_heading = has_heading; at && *at; is_heading = false) {
        size_t length = stat_csv_record_bytes(at);
        if (is_heading) {
            text_printf(out, "launch,kernel,");
        } else {
            text_printf(out, "%" PRIu64 ",", launch->grid_id);
            stat_csv_field(launch->kernel->name, out);
            text_printf(out, ",");
        }
        text_append(out, at, length);
        at += length;
    }
}

static const struct report_table {
    const char *name;
    unsigned groups; /* any of these groups asks for the table */
    void (*print)(const struct csv_input *in, bool has_heading, struct text *out);
} csv_tables[] = {
    {"counters", REPORT_SUMMARY | REPORT_CYCLES | REPORT_MEMORY | REPORT_MECHANISM | REPORT_COUNTERS | REPORT_NAMES,
     counters_csv},
    {"branches", REPORT_BRANCHES, branches_csv},
    {"lines", REPORT_LINES, lines_csv},
    {"intervals", REPORT_INTERVALS, intervals_csv},
};

enum { CSV_TABLES = sizeof csv_tables / sizeof *csv_tables };

/* The table of this index among the tables that the groups ask for; NULL: there is none. */
static const struct report_table *find_csv_table(unsigned groups, int index)
{
    for (int i = 0; i < CSV_TABLES; i++)
        if (groups & csv_tables[i].groups && !index--)
            return &csv_tables[i];
    return NULL;
}

const char *report_csv_name(unsigned groups, int index)
{
    const struct report_table *t = find_csv_table(groups, index);
    return t ? t->name : NULL;
}

void report_csv(const struct launch *launch, const struct report *r, const struct site_table *sites, unsigned groups,
                int index, bool has_heading, struct text *out)
{
    const struct report_table *t = find_csv_table(groups, index);
    struct text table = {0};
    t->print(&(struct csv_input){r, sites}, has_heading, &table);
    append_table(launch, has_heading, &table, out);
    text_free(&table);
}
