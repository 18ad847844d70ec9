/* Recording the launches of a run: see recording.h. */
#include "run/recording.h"

#include "base/arena.h"
#include "base/bits.h"
#include "base/diag.h"
#include "base/vec.h"
#include "exec/taping.h"
#include "gpu/gpu.h"
#include "run/compaction.h"
#include "run/recorded.h"
#include "run/request.h"
#include "tape/block.h"
#include "tape/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A module that is in the file. Equal pointers are not enough: memory of a module that was unloaded may serve another.
 * */
struct written_module {
    const struct image *image;
    uint64_t hash;
};

struct recording {
    struct tape_writer *writer; /* NULL: recording failed, and `launches` is 0, or is finished */
    int32_t process;            /* that records; a process that it forks does not */
    struct vec_of(struct written_module) modules;
    uint64_t launches, thread_instructions;
    /* the launch that runs */
    struct decisions *decisions;
    struct taping taping;
    struct tape_place start;
    struct recorded_launch launch;
};

static bool fail(struct run_request *request, const char *kernel, char *error)
{
    fprintf(diag_stream(), "heddle: error: cannot record%s%s: %s\n", kernel ? " kernel " : "", kernel ? kernel : "",
            error);
    free(error);
    tape_writer_abandon(request->recording->writer);
    request->recording->writer = NULL;
    request->recording->launches = 0;
    return false;
}

static bool open_file(struct run_request *request)
{
    struct recording *r = request->recording = xcalloc(1, sizeof *r);
    char *error = NULL;
    struct bytes head = {0};
    r->process = (int32_t)getpid();
    r->writer = tape_writer_open(request->options.record_path, &error);
    if (!r->writer)
        return fail(request, NULL, error);
    recorded_put_head(&head, request);
    tape_writer_put(r->writer, TAPE_HEAD, 0, &head);
    bytes_free(&head);
    return true;
}

/* What tells one module in memory from another: its text, and where its variables stand. */
static uint64_t hash_of(const struct image *image)
{
    const struct ptx_module *m = image->module;
    uint64_t hash = bits_hash(BITS_HASH_SEED, &m, sizeof m);
    hash = bits_hash(hash, m->source.text, m->source.length);
    hash = bits_hash(hash, &image->constant_base, sizeof image->constant_base);
    hash = bits_hash(hash, &m->function_count, sizeof m->function_count);
    hash = bits_hash(hash, image->module_address, (size_t)m->variable_count * sizeof *image->module_address);
    for (int f = 0; f < m->function_count; f++) {
        hash = bits_hash(hash, &m->functions[f]->instruction_count, sizeof m->functions[f]->instruction_count);
        hash = bits_hash(hash, image->function_address[f],
                         (size_t)m->functions[f]->variable_count * sizeof *image->function_address[f]);
    }
    return hash;
}

/* Writes the module unless the file has it, and gives its number. */
static bool write_module(struct recording *r, const struct image *image, uint64_t *number, char **error)
{
    struct written_module wanted = {image, hash_of(image)};
    for (int i = 0; i < r->modules.count; i++)
        if (r->modules.data[i].image == wanted.image && r->modules.data[i].hash == wanted.hash) {
            *number = (uint64_t)i;
            return true;
        }
    struct bytes content = {0};
    bool ok = recorded_put_module(&content, image, error);
    *number = (uint64_t)r->modules.count;
    if (ok) {
        tape_writer_put(r->writer, TAPE_MODULE, *number, &content);
        vec_push(&r->modules, wanted);
    }
    bytes_free(&content);
    return ok;
}

static void keep_block(void *context, uint64_t block, const struct tape_log *log)
{
    struct recording *r = context;
    struct bytes content = {0};
    tape_log_encode(log, &content);
    tape_writer_put(r->writer, TAPE_BLOCK, block, &content);
    bytes_free(&content);
}

bool recording_begin(struct run_request *request, struct launch *launch, const struct code *code)
{
    char *error = NULL;
    if (!request->options.record_path || launch->taping)
        return true;
    if (!request->recording && !open_file(request))
        return false;
    struct recording *r = request->recording;
    if (!r->writer || r->process != (int32_t)getpid())
        return true;
    r->launch = (struct recorded_launch){
        .kernel = (char *)launch->kernel->name, .launch = *launch, .next_address = launch->image->memory->next_address};
    r->launch.launch.keeps_warps = compaction_is_off(request, launch);
    if (!write_module(r, launch->image, &r->launch.module, &error) || !(r->decisions = decisions_create(code, &error)))
        return fail(request, launch->kernel->name, error);
    r->taping = (struct taping){.steps = &taping_records, .decisions = r->decisions, .context = r, .keep = keep_block};
    r->start = tape_writer_place(r->writer);
    launch->taping = &r->taping;
    return true;
}

void recording_end(struct run_request *request, struct launch *launch, const struct gpu_result *result)
{
    struct recording *r = request->recording;
    if (!r || launch->taping != &r->taping)
        return;
    launch->taping = NULL;
    if (result->launch.fault.kind) {
        tape_writer_go_back(r->writer, r->start);
        fprintf(diag_stream(), "heddle: launch %" PRIu64 " of kernel %s did not end well and is not in the recording\n",
                launch->grid_id, launch->kernel->name);
    } else {
        struct bytes content = {0};
        r->launch.cycles = result->cycles;
        r->launch.thread_instructions = result->launch.thread_instructions;
        recorded_put_launch(&content, &r->launch);
        tape_writer_put(r->writer, TAPE_LAUNCH, r->launches++, &content);
        bytes_free(&content);
        r->thread_instructions += result->launch.thread_instructions;
    }
    decisions_destroy(r->decisions);
    r->decisions = NULL;
}

static bool say_none(const char *path, const char *why)
{
    fprintf(diag_stream(), "heddle: error: there is no recording %s: %s\n", path, why);
    return false;
}

bool recording_finish(struct run_request *request)
{
    struct recording *r = request->recording;
    const char *path = request->options.record_path;
    char *error = NULL;
    if (!path || (r && r->process != (int32_t)getpid()))
        return true;
    if (!r)
        return say_none(path, "nothing was launched");
    if (!r->writer) /* it was said why, or it is finished */
        return r->launches;
    if (!r->launches) {
        tape_writer_abandon(r->writer);
        r->writer = NULL;
        return say_none(path, "no launch ended well");
    }
    uint64_t bytes = tape_writer_place(r->writer).offset;
    bool ok = tape_writer_finish(r->writer, &error);
    r->writer = NULL;
    if (!ok) {
        r->launches = 0;
        fprintf(diag_stream(), "heddle: error: %s\n", error);
    } else if (!request->options.is_quiet) {
        fprintf(diag_stream(),
                "heddle: recorded %" PRIu64 " launch%s into %s: %" PRIu64 " bytes, %.3f per thread instruction\n",
                r->launches, r->launches == 1 ? "" : "es", path, bytes,
                r->thread_instructions ? (double)bytes / (double)r->thread_instructions : 0);
    }
    free(error);
    return ok;
}

void recording_abandon(struct recording *r)
{
    if (!r)
        return;
    if (r->process == (int32_t)getpid())
        tape_writer_abandon(r->writer);
    decisions_destroy(r->decisions);
    vec_free(&r->modules);
    free(r);
}
