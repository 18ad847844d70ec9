/* The launches of a recording: see replay.h. */
#include "run/replay.h"

#include "base/arena.h"
#include "base/diag.h"
#include "exec/taping.h"
#include "tape/block.h"
#include "tape/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A launch in the file. */
struct filed_launch {
    struct recorded_launch about;
    size_t first_section; /* of its blocks */
    uint64_t blocks;
};

struct replay {
    struct tape_reader *reader;
    struct recorded_head head;
    struct recorded_module *modules;
    uint64_t module_count;
    struct filed_launch *launches;
    uint64_t launch_count;
};

struct replay_stage {
    const struct replay *replay;
    const struct filed_launch *filed;
    struct image image;
    struct memory *memory;
    struct decisions *decisions;
    struct taping taping;
    uint32_t threads;                    /* of a block, rounded up to rows */
    const struct tape_section **section; /* by block */
};

static bool refuse(const struct replay *r, char **error, const char *what)
{
    return diag_fail(error, "%s is damaged: %s", r->reader->path, what);
}

typedef bool get_fn(struct bytes_reader *r, void *into);

static bool get_head(struct bytes_reader *r, void *into)
{
    return recorded_get_head(r, into);
}

static bool get_module(struct bytes_reader *r, void *into)
{
    return recorded_get_module(r, into);
}

static bool get_launch(struct bytes_reader *r, void *into)
{
    return recorded_get_launch(r, into);
}

static bool get(const struct replay *r, const struct tape_section *section, get_fn *read, void *into, const char *what,
                char **error)
{
    struct bytes content;
    if (!tape_reader_get(r->reader, section, &content, error))
        return false;
    struct bytes_reader bytes = {.at = content.data, .end = content.data + content.count};
    bool ok = read(&bytes, into) || refuse(r, error, what);
    bytes_free(&content);
    return ok;
}

/* Blocks of the grid; 0: more than a recording can hold. */
static uint64_t grid_blocks(const struct launch *l)
{
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1];
    return __builtin_mul_overflow(blocks, (uint64_t)l->grid[2], &blocks) ? 0 : blocks;
}

/* Reads one section behind the head. `blocks` counts those that no launch has claimed yet. */
static bool read_section(struct replay *r, size_t index, uint64_t *blocks, char **error)
{
    const struct tape_section *s = &r->reader->section[index];
    struct filed_launch *filed = &r->launches[r->launch_count];
    switch (s->kind) {
    case TAPE_BLOCK:
        ++*blocks;
        return true;
    case TAPE_MODULE:
        if (*blocks || s->key != r->module_count)
            return refuse(r, error, "a module stands where none can");
        return get(r, s, get_module, &r->modules[r->module_count++], "a module cannot be read", error);
    case TAPE_LAUNCH:
        r->launch_count++;
        if (!get(r, s, get_launch, &filed->about, "a launch cannot be read", error))
            return false;
        if (filed->about.module >= r->module_count || !*blocks || grid_blocks(&filed->about.launch) != *blocks)
            return refuse(r, error, "a launch has not the blocks or the module that it names");
        filed->first_section = index - *blocks;
        filed->blocks = *blocks;
        *blocks = 0;
        return true;
    default:
        return refuse(r, error, "it has two heads");
    }
}

static bool read_all(struct replay *r, char **error)
{
    size_t modules = 0, launches = 0;
    for (size_t i = 0; i < r->reader->count; i++) {
        modules += r->reader->section[i].kind == TAPE_MODULE;
        launches += r->reader->section[i].kind == TAPE_LAUNCH;
    }
    r->modules = xcalloc(modules + 1, sizeof *r->modules);
    r->launches = xcalloc(launches + 1, sizeof *r->launches);
    if (!r->reader->count || r->reader->section[0].kind != TAPE_HEAD)
        return refuse(r, error, "it has no head");
    if (!get(r, &r->reader->section[0], get_head, &r->head, "its head cannot be read", error))
        return false;
    uint64_t blocks = 0;
    for (size_t i = 1; i < r->reader->count; i++)
        if (!read_section(r, i, &blocks, error))
            return false;
    return (!blocks && launches) || refuse(r, error, "it has no launch, or blocks of none");
}

struct replay *replay_open(const char *path, char **error)
{
    struct tape_reader *reader = tape_reader_open(path, error);
    if (!reader)
        return NULL;
    struct replay *r = xcalloc(1, sizeof *r);
    r->reader = reader;
    if (read_all(r, error))
        return r;
    replay_close(r);
    return NULL;
}

void replay_close(struct replay *r)
{
    if (!r)
        return;
    for (uint64_t i = 0; i < r->launch_count; i++)
        recorded_free_launch(&r->launches[i].about);
    for (uint64_t i = 0; i < r->module_count; i++)
        recorded_free_module(&r->modules[i]);
    free(r->launches);
    free(r->modules);
    recorded_free_head(&r->head);
    tape_reader_close(r->reader);
    free(r);
}

const struct recorded_head *replay_head(const struct replay *r)
{
    return &r->head;
}

uint64_t replay_count(const struct replay *r)
{
    return r->launch_count;
}

const struct recorded_launch *replay_about(const struct replay *r, uint64_t index)
{
    return &r->launches[index].about;
}

static struct tape_play *load_block(void *context, uint64_t block, char **error)
{
    const struct replay_stage *stage = context;
    const struct tape_reader *reader = stage->replay->reader;
    struct bytes content;
    if (!tape_reader_get(reader, stage->section[block], &content, error))
        return NULL;
    struct tape_play *play = tape_play_decode(content.data, content.count, stage->threads, stage->decisions->count);
    if (!play)
        diag_fail(error, "%s is damaged: block %" PRIu64 " cannot be read", reader->path, block);
    bytes_free(&content);
    return play;
}

/* Finds the section of each block. False, and an error text: a block is there twice, and so another is not. */
static bool list_blocks(struct replay_stage *stage, char **error)
{
    const struct filed_launch *filed = stage->filed;
    const struct tape_section *first = &stage->replay->reader->section[filed->first_section];
    stage->section = xcalloc(filed->blocks, sizeof(const struct tape_section *));
    for (uint64_t i = 0; i < filed->blocks; i++) {
        if (first[i].key >= filed->blocks || stage->section[first[i].key])
            return refuse(stage->replay, error, "a block of a launch is missing");
        stage->section[first[i].key] = &first[i];
    }
    return true;
}

static bool prepare(struct replay_stage *stage, struct replay_launch *ready, char **error)
{
    const struct recorded_launch *about = &stage->filed->about;
    const struct recorded_module *module = &stage->replay->modules[about->module];
    const struct ptx_function *kernel = ptx_find_function(module->module, about->kernel);
    if (!kernel || !kernel->is_entry)
        return refuse(stage->replay, error, "a launch names a kernel that its module has not");
    stage->image = module->image;
    stage->memory = stage->image.memory = memory_create(UINT64_C(1) << 44);
    stage->memory->next_address = about->next_address;
    ready->launch = about->launch;
    ready->launch.kernel = kernel;
    ready->launch.image = &stage->image;
    ready->launch.taping = &stage->taping;
    ready->code = code_create(kernel, &stage->image, error);
    if (!ready->code || !(stage->decisions = decisions_create(ready->code, error)))
        return false;
    const uint32_t *n = about->launch.block;
    uint64_t threads = (uint64_t)n[0] * n[1] * n[2]; /* a wrong product is refused when the launch is validated */
    stage->threads = ((uint32_t)threads + ROW_LANES - 1) / ROW_LANES * ROW_LANES;
    stage->taping =
        (struct taping){.steps = &taping_replays, .decisions = stage->decisions, .context = stage, .load = load_block};
    return list_blocks(stage, error);
}

bool replay_begin(struct replay *r, uint64_t index, struct replay_launch *ready, char **error)
{
    *ready = (struct replay_launch){.stage = xcalloc(1, sizeof *ready->stage)};
    ready->stage->replay = r;
    ready->stage->filed = &r->launches[index];
    if (prepare(ready->stage, ready, error))
        return true;
    replay_end(ready);
    return false;
}

void replay_end(struct replay_launch *ready)
{
    struct replay_stage *stage = ready->stage;
    code_destroy(ready->code);
    decisions_destroy(stage->decisions);
    memory_destroy(stage->memory);
    free(stage->section);
    free(stage);
    *ready = (struct replay_launch){0};
}
