/* Functional runs on a copy of memory: see rehearsal.h. */
#include "run/rehearsal.h"

#include "exec/functional.h"

void rehearse(struct memory *memory, const struct launch *launch, const struct code *code, struct race *race,
              struct launch_result *result)
{
    struct image image = *launch->image;
    struct launch copy = *launch;
    image.memory = memory;
    copy.image = &image;
    copy.print = copy.assertions = (struct print_sink){NULL, NULL};
    copy.writers = NULL;
    copy.race = race;
    copy.taping = NULL;
    *result = (struct launch_result){0};
    functional_launch(&copy, code, result);
}
