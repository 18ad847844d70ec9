/* Counters by their paths: see counter.h. */
#include "study/counter.h"

#include "div/table.h"
#include "mem/stats.h"
#include "report/formulas.h"
#include "sm/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool owns(const struct stat_owner *owner, const char *path)
{
    size_t length = strcspn(path, ".");
    bool is_any = length == 1 && *path == '*';
    if (!is_any && (strlen(owner->name) != length || memcmp(owner->name, path, length) != 0))
        return false;
    for (int i = 0; i < owner->count; i++)
        if (!strcmp(owner->counters[i].name, path + length + 1))
            return true;
    return false;
}

bool counter_exists(const char *path)
{
    static const char derived[] = "derived.";
    const struct stat_owner *const owners[] = {&sm_stat_owner, &mem_crossbar_owner, &mem_l2_owner, &mem_dram_owner,
                                               &gpu_peak_owner};
    bool is_any = *path == '*', found = false;
    if (!strchr(path, '.'))
        return false;
    for (size_t i = 0; !is_any && i < sizeof owners / sizeof *owners; i++)
        found |= owns(owners[i], path);
    for (int i = 0; !is_any && i < PORT_COUNT; i++)
        found |= owns(&mem_port_owner[i], path);
    for (const struct div_ops *const *m = div_all(); *m; m++)
        found |= (*m)->stats && owns((*m)->stats, path);
    for (int i = 0; !strncmp(path, derived, sizeof derived - 1) && i < gpu_formula_count; i++)
        found |= !strcmp(gpu_formulas[i].name, path + sizeof derived - 1) && !strcmp(gpu_formulas[i].unit, "cycles");
    return found;
}

double counter_value(const struct measurement *m, const char *path)
{
    if (*path != '*')
        return measurement_has(m, path) ? measurement_sum(m, path) : NAN;
    for (const struct div_ops *const *mechanism = div_all(); *mechanism; mechanism++) {
        char own[96];
        snprintf(own, sizeof own, "%s%s", (*mechanism)->name, path + 1);
        if (measurement_has(m, own))
            return measurement_sum(m, own);
    }
    return NAN;
}
