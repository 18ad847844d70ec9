/* heddle list stats: every counter and every derived figure, as text, JSON, or docs/statistics.md. */
#include "cli/cli.h"
#include "cli/list.h"

#include "div/table.h"
#include "mem/stats.h"
#include "report/formulas.h"
#include "sm/stats.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAME_WIDTH = 34 };

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
        snprintf(words, sizeof words, "%s%s%s%s", *unit ? "[" : "", unit, *unit ? "] " : "", meaning);
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
    "groups), `--json` carries everything, `--csv` the groups of `--stats` as tables.\n\n"
    "## How cycles are counted\n\n"
    "In each cycle a multiprocessor issues something, or it does not. A cycle that issued counts in the class of\n"
    "its threads (`W1_4` to `W29_32`, of all issue ports together). One that did not is a `Stall` if a strand was\n"
    "ready and what it needs was busy, `W0_Mem` if none was ready while memory was under way, and `W0_Idle`\n"
    "otherwise; so is a multiprocessor without a block. One that issued nothing but convergence-barrier operations\n"
    "(`volta`) is a `W0_Sync`: they take issue slots, but are no instructions of the program, and no figure of\n"
    "efficiency counts them. The classes sum to multiprocessors times cycles.\n\n"
    "## Whom lost lanes are charged to\n\n"
    "An issue of fewer threads than the warp width W leaves lanes empty. `--stats branches` charges them, PC by\n"
    "PC, to the innermost branch that diverged in this launch and whose region holds the PC. The region of a\n"
    "branch is what its threads can execute until they come to its immediate post-dominator; the innermost is the\n"
    "smallest, and of equal ones (a loop that is left in several places) that of the nearest branch above. A\n"
    "function's PCs outside its own regions are charged to what all calls of it are charged to. Lanes over W are\n"
    "issues lost. What no branch is charged with (`not by a branch`) was lost otherwise: a\n"
    "partial last warp, threads that ended. Lanes that an outer branch had emptied before are charged to the inner\n"
    "one too. Under `mimd`, which packs any threads, nothing is charged.\n\n"
    "## Identities\n\n"
    "`report_check()` (`src/report/check.c`) holds every launch of a checking build to them: classes of cycles\n"
    "sum as above, hits and misses to accesses at each level, sites by PC to the totals, merges are misses.\n";

int list_stats(const struct list_request *r)
{
    enum list_format f = r->format;
    if (f == LIST_MARKDOWN)
        fputs(introduction, stdout);
    heading(f, true, "Derived figures",
            "A figure whose denominator is zero has no value: `-`, `null` in JSON, empty in CSV.");
    list_formulas(f, "derived", gpu_formulas, gpu_formula_count);
    heading(f, false, "Counters of multiprocessors", "Summed over all of them; `cycles` is the longest.");
    list_owner(f, &sm_stat_owner);
    heading(f, false, "Counters of the memory system", "Summed over multiprocessors, slices and channels.");
    for (int i = 0; i < PORT_COUNT; i++)
        list_owner(f, &mem_port_owner[i]);
    list_owner(f, &mem_crossbar_owner);
    list_owner(f, &mem_l2_owner);
    list_owner(f, &mem_dram_owner);
    heading(f, false, "What the machine could have done in the same cycles", "For figures that are shares of it.");
    list_owner(f, &gpu_peak_owner);
    heading(f, false, "Counters of mechanisms", "Under the mechanism's own name.");
    for (const struct div_ops *const *m = div_all(); *m; m++)
        if ((*m)->stats)
            list_owner(f, (*m)->stats);
    heading(f, false, "Names of GPGPU-Sim",
            "Where heddle counts the same; `--stats names` prints them as GPGPU-Sim does, `name = value`.");
    list_formulas(f, "gpgpusim", gpu_names_gpgpusim, gpu_names_gpgpusim_count);
    heading(f, false, "Names of Nsight Compute", "Where heddle counts the same.");
    list_formulas(f, "nsight", gpu_names_nsight, gpu_names_nsight_count);
    return STATUS_OK;
}
