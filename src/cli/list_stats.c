/* heddle list stats: every counter and every derived figure, as text, JSON, or docs/statistics.md.
 * heddle list energy: the energies per event behind figures of energy. */
#include "cli/cli.h"
#include "cli/list.h"

#include "div/table.h"
#include "mem/stats.h"
#include "report/energy.h"
#include "report/formulas.h"
#include "sm/stats.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAME_WIDTH = 34, ENERGY_WIDTH = 9 };

/* Prints one counter or derived figure; a derived figure has the owner "". */
static void list_figure(enum list_format format, const char *kind, const char *owner, const char *name,
                        const char *unit, const char *meaning)
{
    char path[128], words[512];
    snprintf(path, sizeof path, "%s%s%s", owner, *owner ? "." : "", name);
    if (format == LIST_NAMES) {
        puts(path);
    } else if (format == LIST_JSON) {
        list_object((const char *const[]){"kind", kind, "name", path, "unit", unit, "meaning", meaning, NULL});
    } else if (format == LIST_MARKDOWN) {
        printf("| `%s` | %s | ", path, unit);
        list_cell(meaning);
        printf(" |\n");
    } else {
        snprintf(words, sizeof words, "%s%s%s%s", meaning, *unit ? " [" : "", unit, *unit ? "]" : "");
        list_entry(path, NAME_WIDTH, words);
    }
}

static void list_owner(enum list_format format, const struct stat_owner *owner)
{
    for (int i = 0; i < owner->count; i++)
        list_figure(format, "counter", owner->name, owner->counters[i].name, owner->counters[i].unit,
                    owner->counters[i].meaning);
}

static void list_formulas(enum list_format format, const char *kind, const struct stat_formula *formulas, int count)
{
    for (int i = 0; i < count; i++)
        list_figure(format, kind, "", formulas[i].name, formulas[i].unit, formulas[i].meaning);
}

/* Prints a section's title, after an empty line unless the section is the first. */
static void heading(enum list_format format, bool is_first, const char *title, const char *words)
{
    if (format == LIST_MARKDOWN)
        printf("\n## %s\n\n%s\n\n| name | unit | meaning |\n|---|---|---|\n", title, words);
    else if (format == LIST_TEXT)
        printf("%s%s\n", is_first ? "" : "\n", title);
}

static const char introduction[] =
    "# Statistics\n\n"
    "What `heddle run --gpu` counts. This page is written by `heddle list stats --markdown` from the tables that\n"
    "stand beside the counters; edit those. `--stats` chooses what is printed (`heddle run --help` lists the\n"
    "groups), `--json` carries everything, `--csv` the groups of `--stats` as tables, one table per file. The table\n"
    "of source lines is in the JSON of `heddle run FILE.ptx`; a program with many launches has it on request\n"
    "(`--stats lines`) and for launches that `--kernel` or `--launch` chose.\n\n"
    "## How cycles are counted\n\n"
    "In each cycle a multiprocessor issues something, or it does not. A cycle that issued counts in the class of\n"
    "its number of threads (`W1_4` to `W29_32`, of all issue ports together). A cycle without an issue is a\n"
    "`Stall` if a strand was ready but the unit or port that it needs was busy, `W0_Mem` if no strand was ready\n"
    "and memory accesses were in flight, and `W0_Idle` otherwise; a multiprocessor without a block is idle. A\n"
    "cycle that issued nothing but operations on convergence barriers (`volta`) is a `W0_Sync`: these operations\n"
    "take issue slots, but are no instructions of the program, and no figure of efficiency counts them. The\n"
    "classes sum to multiprocessors times cycles.\n\n"
    "## Which branch is charged with empty lanes\n\n"
    "An issue of fewer threads than the warp width W leaves lanes empty. `--stats branches` charges them, PC by\n"
    "PC, to the innermost branch that diverged in this launch and whose region holds the PC. The region of a\n"
    "branch is what its threads can execute until they reach its immediate post-dominator. The innermost region\n"
    "is the smallest; of equal ones (a loop that is left in several places) that of the nearest branch above the\n"
    "PC. A PC of a function outside all regions of the function is charged to what all calls of the function are\n"
    "charged to. Empty lanes divided by W are issues lost: the issues that the branch would have saved by leaving\n"
    "no lane empty. Lanes that no branch is charged with (`not by a branch`) are empty for another reason: a\n"
    "partial last warp, or threads that have exited. Lanes that an outer branch had emptied already are charged to\n"
    "the inner branch, too. Under `mimd`, which packs any threads, no branch is charged.\n\n"
    "## Identities\n\n"
    "`report_check()` (`src/report/check.c`) holds every launch of a checking build to these: classes of cycles\n"
    "sum as above, hits and misses sum to accesses at each level, sites by PC sum to the totals, and every merge\n"
    "is a miss.\n";

int list_stats(const struct list_request *r)
{
    enum list_format f = r->format;
    if (f == LIST_MARKDOWN)
        fputs(introduction, stdout);
    heading(f, true, "Derived figures",
            "A figure whose denominator is zero has no value: `-`, `null` in JSON, empty in CSV.");
    list_formulas(f, "derived", gpu_formulas, gpu_formula_count);
    heading(f, false, "Counters of multiprocessors",
            "Summed over all multiprocessors; `cycles` is the longest of any.");
    list_owner(f, &sm_stat_owner);
    heading(f, false, "Counters of the memory system", "Summed over multiprocessors, slices and channels.");
    for (int i = 0; i < PORT_COUNT; i++)
        list_owner(f, &mem_port_owner[i]);
    list_owner(f, &mem_crossbar_owner);
    list_owner(f, &mem_l2_owner);
    list_owner(f, &mem_dram_owner);
    heading(f, false, "What the machine could have done in the cycles of the launch",
            "Denominators of figures that are shares of a peak.");
    list_owner(f, &gpu_peak_owner);
    heading(f, false, "Energy of the parts of a multiprocessor",
            "Events times published energies per event: [energy.md](energy.md). To compare runs with; no watts.");
    list_owner(f, &energy_owner);
    heading(f, false, "Counters of mechanisms", "Each stands under the name of its mechanism.");
    for (const struct div_ops *const *m = div_all(); *m; m++)
        if ((*m)->stats)
            list_owner(f, (*m)->stats);
    heading(
        f, false, "Names of GPGPU-Sim",
        "Figures that heddle and GPGPU-Sim both count; `--stats names` prints them as GPGPU-Sim does, `name = value`.");
    list_formulas(f, "gpgpusim", gpu_names_gpgpusim, gpu_names_gpgpusim_count);
    heading(f, false, "Names of Nsight Compute", "Figures that heddle and Nsight Compute both count.");
    list_formulas(f, "nsight", gpu_names_nsight, gpu_names_nsight_count);
    return STATUS_OK;
}

int list_energy(const struct list_request *r)
{
    for (const struct energy_figure *e = energy_figures; e->name; e++) {
        char value[32], words[512];
        snprintf(value, sizeof value, "%g", e->picojoules);
        snprintf(words, sizeof words, "%s pJ: %s. [%s]", value, e->meaning, e->source);
        if (r->format == LIST_NAMES)
            puts(e->name);
        else if (r->format == LIST_JSON)
            list_object((const char *const[]){"name", e->name, "picojoules", value, "meaning", e->meaning, "source",
                                              e->source, NULL});
        else
            list_entry(e->name, ENERGY_WIDTH, words);
    }
    return STATUS_OK;
}
