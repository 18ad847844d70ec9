/* Races in words: see races.h. */
#include "run/races.h"

#include "exec/race/race.h"
#include "gpu/gpu.h"
#include "run/rehearsal.h"

bool races_keeps_lockstep(const struct gpu_run *run)
{
    return div_is_in_step(run->mechanism, run->mechanism_knobs) && run->machine->sm.warp_width >= 32;
}

struct race *races_rehearse_lockstep(const struct launch *launch, const struct code *code)
{
    struct launch_result result;
    struct memory *copy = memory_clone(launch->image->memory);
    if (!copy)
        return NULL;
    struct race *race = race_create_lockstep();
    rehearse(copy, launch, code, race, &result);
    memory_destroy(copy);
    return race;
}

void races_print(const struct race *race, const struct gpu_run *run, struct text *out)
{
    if (!run) {
        race_print(race, "the functional engine", false, out);
        return;
    }
    /* A race within a row does no harm where the row's 32 threads execute together while they have not diverged. */
    race_print(race, run->mechanism->name, races_keeps_lockstep(run), out);
}
