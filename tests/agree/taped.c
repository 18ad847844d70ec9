/* Recordings in memory: see taped.h. */
#include "tests/agree/taped.h"

#include "base/arena.h"
#include "base/diag.h"
#include "tape/block.h"

#include <stdio.h>
#include <stdlib.h>

static void keep(void *context, uint64_t block, const struct tape_log *log)
{
    struct taped *t = context;
    t->failed |= block >= t->block_count || t->block[block].count;
    if (!t->failed)
        tape_log_encode(log, &t->block[block]);
}

static struct tape_play *load(void *context, uint64_t block, char **error)
{
    const struct taped *t = context;
    struct tape_play *play = block < t->block_count ? tape_play_decode(t->block[block].data, t->block[block].count,
                                                                       t->threads, t->decisions->count)
                                                    : NULL;
    if (!play)
        diag_fail(error, "block %llu cannot be read", (unsigned long long)block);
    return play;
}

static bool begin(struct taped *t, const struct launch *launch, const struct code *code, struct launch *copy)
{
    char *error = NULL;
    decisions_destroy(t->decisions);
    t->decisions = decisions_create(code, &error);
    if (!t->decisions)
        printf("%s\n", error);
    free(error);
    *copy = *launch;
    copy->taping = &t->taping;
    return t->decisions;
}

bool taped_record(struct taped *t, const struct launch *launch, const struct code *code, struct launch *copy)
{
    const uint32_t *n = launch->block;
    t->block_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    t->block = xcalloc(t->block_count, sizeof *t->block);
    t->threads = (n[0] * n[1] * n[2] + ROW_LANES - 1) / ROW_LANES * ROW_LANES;
    bool ok = begin(t, launch, code, copy);
    t->taping = (struct taping){.steps = &taping_records, .decisions = t->decisions, .context = t, .keep = keep};
    return ok;
}

bool taped_replay(struct taped *t, const struct launch *launch, const struct code *code, struct launch *copy)
{
    bool ok = begin(t, launch, code, copy);
    t->taping = (struct taping){.steps = &taping_replays, .decisions = t->decisions, .context = t, .load = load};
    return ok;
}

void taped_free(struct taped *t)
{
    for (uint64_t i = 0; i < t->block_count; i++)
        bytes_free(&t->block[i]);
    free(t->block);
    decisions_destroy(t->decisions);
    *t = (struct taped){0};
}
