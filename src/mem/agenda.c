/* Agendas of slices (agenda.h): storage. */
#include "mem/agenda.h"

#include "base/arena.h"

#include <stdlib.h>

void agenda_open(struct agenda *a, uint32_t slices)
{
    *a = (struct agenda){.slices = slices, .words = (slices + 63) / 64};
    a->due = xcalloc(slices, sizeof *a->due);
    a->wheel = xcalloc((size_t)a->words * AGENDA_CYCLES, sizeof *a->wheel);
    for (uint32_t i = 0; i < slices; i++)
        agenda_put(a, i, CLOCK_NEVER);
}

void agenda_close(struct agenda *a)
{
    free(a->due);
    free(a->wheel);
}
