/* Random machines: see knobs.h. */
#include "tests/agree/knobs.h"

#include "mem/mem.h"

#include <stdlib.h>
#include <string.h>

enum { DRAWS = 12 };

/* A block that fits must still fit: these only grow. */
static bool is_room(const char *name)
{
    static const char *const rooms[] = {"max_threads",  "max_blocks",        "registers",
                                        "shared_bytes", "max_block_threads", NULL};
    for (int i = 0; rooms[i]; i++)
        if (!strcmp(rooms[i], name))
            return true;
    return false;
}

/* Neither so many multiprocessors nor such long waits that a test takes minutes. */
static double most(const struct knob *k, double now)
{
    double limit = 4 * now + 8;
    return limit < k->high ? limit : k->high;
}

static void draw_value(struct random *random, const struct knob *k, const void *structure, struct text *value)
{
    double low = k->low, high = k->high;
    uint32_t now;
    switch (k->kind) {
    case KNOB_BOOL:
        text_printf(value, "%s", random_u64(random) & 1 ? "yes" : "no");
        return;
    case KNOB_CHOICE:
        text_printf(value, "%s", k->choices[random_u64(random) % (uint64_t)(k->high + 1)]);
        return;
    case KNOB_REAL:
        text_printf(value, "%g", low + (high - low) * (double)(random_u64(random) % 1000) / 1000);
        return;
    case KNOB_COUNT:
        memcpy(&now, (const char *)structure + k->offset, sizeof now);
        high = most(k, now);
        low = is_room(k->name) ? now : low;
        break;
    }
    uint64_t span = high > low ? (uint64_t)(high - low) : 0, drawn = (uint64_t)low + random_u64(random) % (span + 1);
    if (random_u64(random) & 1) /* many must be powers of two */
        while (drawn & (drawn - 1))
            drawn &= drawn - 1;
    text_printf(value, "%llu", (unsigned long long)(drawn < low ? (uint64_t)low : drawn));
}

static void draw_one(struct random *random, struct machine *m, struct text *drawn)
{
    static const struct knob_table *const tables[] = {&sm_knobs, &mem_knobs, &gpu_knobs};
    const struct knob_table *table = tables[random_u64(random) % 3];
    const void *structure = table == &sm_knobs    ? (void *)&m->sm
                            : table == &mem_knobs ? (void *)&m->mem
                                                  : (void *)&m->gpu;
    const struct knob *k = &table->knobs[random_u64(random) % (uint64_t)table->count];
    struct machine before = *m;
    struct text assignment = {0};
    char *error = NULL;
    text_printf(&assignment, "%s.%s=", table->section, k->name);
    draw_value(random, k, structure, &assignment);
    if (machine_set(m, assignment.data, &error) && machine_check(m, &error))
        text_printf(drawn, " %s", assignment.data);
    else
        *m = before;
    free(error);
    text_free(&assignment);
}

void knobs_draw(struct random *random, struct machine *machine, const struct knob_table *table, void *values,
                struct text *drawn)
{
    for (int i = 0; i < DRAWS; i++)
        draw_one(random, machine, drawn);
    for (int i = 0; table && i < table->count; i++) {
        struct text value = {0};
        char *error = NULL;
        draw_value(random, &table->knobs[i], values, &value);
        if (knob_set(table, values, table->knobs[i].name, value.data, &error))
            text_printf(drawn, " %s.%s=%s", table->section, table->knobs[i].name, value.data);
        free(error);
        text_free(&value);
    }
}
