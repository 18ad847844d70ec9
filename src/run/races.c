/* Races in words: see races.h. */
#include "run/races.h"

#include "exec/race.h"
#include "gpu/gpu.h"

void races_print(const struct race *race, const struct gpu_run *run, struct text *out)
{
    if (!run) {
        race_print(race, "the functional engine", false, out);
        return;
    }
    /* A race within a row does no harm where the row's 32 threads execute together while they have not diverged. */
    bool in_step = div_is_in_step(run->mechanism, run->mechanism_knobs) && run->machine->sm.warp_width >= 32;
    race_print(race, run->mechanism->name, in_step, out);
}
