/* Sampling launches: see sampling.h. */
#include "run/sampling.h"

#include "base/arena.h"
#include "exec/functional.h"
#include "exec/row.h"
#include "gpu/gpu.h"
#include "mem/stats.h"
#include "sample/program.h"
#include "sample/scale.h"
#include "sample/waves.h"

#include <stdlib.h>
#include <string.h>

const char *sampling_conflict(const struct run_options *o)
{
    const struct {
        const char *name;
        bool is_given;
    } options[] = {
        {"check", o->check},
        {"record", o->record_path},
        {"interval", o->interval_cycles},
        {"trace", o->trace},
        {"trace-perfetto", o->trace_perfetto},
        {"trace-svg", o->trace_svg},
        {"trace-tikz", o->trace_tikz},
        {"profile-running", o->profile_running},
        {"evidence", o->evidence},
        {"report-data", o->report_data},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_given)
            return options[i].name;
    return NULL;
}

/* Whether the machine or its mechanism forms other warps than the functional engine, so that warp instructions of the
 * two are no measure of the same work. */
static bool counts_threads(const struct gpu_run *run)
{
    return !(run->mechanism->flags & DIV_ONE_ITERATION) || run->machine->sm.warp_width != ROW_LANES;
}

/* ---- one launch ---- */

/* Keeps what threads print until it is clear that the launch need not run again. */
static void keep_text(void *context, const char *text, size_t length)
{
    text_append(context, text, length);
}

static void pass_on(struct text *kept, const struct print_sink *sink)
{
    if (kept->length && sink->write)
        sink->write(sink->context, kept->data, kept->length);
    text_free(kept);
}

/* Whether the program calls malloc() or free(): memory that kernels allocate cannot be set back. */
static bool allocates(const struct program *program)
{
    for (int i = 0; i < program->call_count; i++) {
        const struct ptx_function *f = program->calls[i].builtin;
        if (f && (!strcmp(f->name, "malloc") || !strcmp(f->name, "free")))
            return true;
    }
    return false;
}

/* Why a launch with enough waves for sampling is timed whole; NULL: it is sampled. */
static const char *why_not(const struct launch *launch, const struct program *program)
{
    if (launch->taping)
        return "it is replayed from a recording";
    if (launch->is_cooperative)
        return "all blocks of a cooperative launch run at the same time";
    if (allocates(program))
        return "its threads allocate memory";
    return NULL;
}

/* A launch while it is sampled. */
struct attempt {
    const struct gpu_run *run;
    const struct program *program;
    const struct sampling_execute *how;
    struct launch launch;          /* as the caller gave it, but for what its threads print */
    struct text print, assertions; /* what they print */
    struct memory *before;         /* copy of the memory from before the launch; NULL: it is timed whole */
    bool has_caches;               /* earlier launches have left caches, which cannot be set back */
    uint64_t blocks, wave_count;
    struct waves waves;
};

/* Runs the launch with so many samples; 0: all blocks are timed. */
static void run_once(struct attempt *a, int samples, struct gpu_result *result, struct sample_estimate *e)
{
    struct gpu_skipper skipper;
    struct gpu_run run = *a->run;
    waves_begin(&a->waves, samples, counts_threads(&run), a->program->hash, &skipper);
    run.skipper = samples ? &skipper : NULL;
    a->how->execute(a->how->context, &run, &a->launch, result);
    waves_estimate(&a->waves, result, a->blocks, e);
}

/* Undoes the launch, so that it can run again. */
static void set_back(struct attempt *a, struct gpu_result *result)
{
    memory_restore(a->launch.image->memory, a->before);
    text_free(&a->print);
    text_free(&a->assertions);
    gpu_result_free(result);
    if (a->run->kept && !a->has_caches) {
        gpu_kept_free(a->run->kept);
        a->run->kept->cycle = 0;
    }
}

/* Runs the launch until the interval is narrow enough. */
static void run_until_narrow(struct attempt *a, struct gpu_result *result, struct sample_estimate *e)
{
    int samples = a->before ? waves_first_samples(a->wave_count) : 0;
    run_once(a, samples, result, e);
    while (samples &&
           (result->skipped.waits || (!result->launch.fault.kind && sample_relative_half(e) > sample_target))) {
        bool waits = result->skipped.waits;
        samples = waits ? 0 : waves_next_samples(&a->waves, e, a->wave_count);
        set_back(a, result);
        run_once(a, samples, result, e);
        if (!samples)
            e->why = waits ? "its blocks wait for each other" : "its blocks differ too much";
    }
}

/* The result of the timed blocks becomes that of the launch. */
static void extrapolate(const struct attempt *a, struct gpu_result *result, const struct sample_estimate *e)
{
    const struct gpu_skipped *s = &result->skipped;
    if (!s->blocks || result->launch.fault.kind)
        return;
    struct launch_result exact = {
        .warp_instructions = result->launch.warp_instructions + s->warp_instructions,
        .thread_instructions = result->launch.thread_instructions + s->thread_instructions,
        .branches = result->launch.branches + s->branches,
        .divergent_branches = result->launch.divergent_branches + s->divergent_branches,
    };
    scale_counters(result, e->cycles / e->timed_cycles, e->work / e->timed_work);
    scale_set_exact(result, &exact, a->blocks, !counts_threads(a->run));
    result->cycles = result->sm.cycles = (uint64_t)(e->cycles + 0.5);
}

/* Times the launch, or, unless it is to be timed whole, samples of its blocks. */
static void time_launch(const struct gpu_run *run, const struct launch *launch, const struct code *code,
                        const struct sampling_execute *how, bool is_whole, struct gpu_result *result,
                        struct sample_estimate *estimate)
{
    struct attempt a = {.run = run,
                        .program = code_program(code),
                        .how = how,
                        .launch = *launch,
                        .has_caches = run->kept && run->kept->mem,
                        .blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2]};
    uint64_t wave = gpu_wave_blocks(run, launch, a.program);
    a.wave_count = wave ? a.blocks / wave : 0;
    a.launch.print = (struct print_sink){keep_text, &a.print};
    a.launch.assertions = (struct print_sink){keep_text, &a.assertions};
    bool is_long = !is_whole && waves_first_samples(a.wave_count);
    const char *why = is_long ? why_not(launch, a.program) : NULL;
    if (!why && is_long) {
        a.before = memory_clone(launch->image->memory);
        why = a.before ? NULL : "the host has no room for a copy of its memory";
    }
    run_until_narrow(&a, result, estimate);
    estimate->why = why ? why : estimate->why;
    extrapolate(&a, result, estimate);
    pass_on(&a.print, &launch->print);
    pass_on(&a.assertions, &launch->assertions);
    memory_destroy(a.before);
}

/* ---- a launch among others ---- */

/* Leaves the lines of an access in the L2. */
struct warming {
    struct mem *mem;
    uint64_t brought; /* lines that the L2 did not hold */
};

static void note_access(void *context, const uint64_t *address, int count, uint16_t bytes, bool is_write)
{
    struct warming *w = context;
    struct mem_access access;
    access.kind = is_write ? MEM_STORE : MEM_LOAD;
    access.count = count;
    access.bytes = bytes;
    access.has_sizes = false;
    memcpy(access.address, address, (size_t)count * sizeof *address);
    w->brought += (uint64_t)mem_touch(w->mem, &access);
}

/* Computes the launch without a machine, and counts what it executes. `warming`: where its lines are left; its memory
 * system may be NULL. */
static void compute(const struct launch *launch, const struct code *code, struct warming *warming,
                    struct gpu_result *result)
{
    struct access_sink sink = {note_access, warming};
    struct launch copy = *launch;
    copy.accesses = warming->mem ? &sink : NULL;
    memset(result, 0, sizeof *result);
    result->site_count = code_program(code)->insn_count;
    result->sites = xcalloc((size_t)result->site_count + 1, sizeof *result->sites);
    copy.sites = result->sites;
    functional_launch(&copy, code, &result->launch);
}

/* Lines that the L2 has. */
static double l2_lines(const struct gpu_run *run)
{
    const struct mem_config *m = &run->machine->mem;
    return (double)m->l2_bytes * mem_slices(m) / (m->l2_line_bytes ? m->l2_line_bytes : 1);
}

/* Lines that a timed launch brought into the L2. */
static uint64_t brought_lines(const struct gpu_result *result)
{
    for (int i = 0; i < result->part_count; i++)
        if (result->parts[i].owner == &mem_l2_owner) {
            const struct l2_stats *l2 = result->parts[i].values;
            return l2->misses - l2->merges;
        }
    return 0;
}

/* The result of a launch that was only computed becomes an estimate: its own counts, and the other counters of a launch
 * like it. */
static void fill_in(struct gpu_result *result, const struct gpu_result *like, const struct sample_estimate *e,
                    uint64_t blocks, bool has_warps)
{
    struct gpu_result own = *result;
    scale_copy(result, like);
    double timed = (double)like->launch.thread_instructions, cycles = (double)like->cycles;
    double work = (double)own.launch.thread_instructions;
    scale_counters(result, cycles > 0 ? e->cycles / cycles : 0, timed > 0 ? work / timed : 0);
    for (int pc = 0; pc < own.site_count; pc++)
        own.sites[pc].transactions = result->sites[pc].transactions;
    free(result->sites);
    result->sites = own.sites;
    result->launch = own.launch;
    scale_set_exact(result, &own.launch, blocks, has_warps);
    result->cycles = result->sm.cycles = (uint64_t)(e->cycles + 0.5);
}

void sampling_launch(struct sample_program *program, const struct gpu_run *run, const struct launch *launch,
                     const struct code *code, const struct sampling_execute *how, struct gpu_result *result,
                     struct sample_estimate *estimate)
{
    const struct program *p = code_program(code);
    struct sample_key key = sample_key_of(launch, p, gpu_wave_blocks(run, launch, p));
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    enum sample_choice choice = sample_program_choose(program, &key);
    bool is_timed = choice == SAMPLE_TIME;
    struct warming warming = {.mem = choice == SAMPLE_WARM && run->kept ? run->kept->mem : NULL};
    if (is_timed)
        time_launch(run, launch, code, how, sample_program_times_whole(program, &key), result, estimate);
    else
        compute(launch, code, &warming, result);
    if (result->launch.fault.kind) { /* it says nothing about other launches, and counts as far as it got */
        if (!is_timed)
            *estimate = (struct sample_estimate){.work = (double)result->launch.thread_instructions, .blocks = blocks};
        estimate->program = estimate->kernel = (struct sample_change){.cycles = (double)result->cycles};
        return;
    }
    const struct launch_result *l = &result->launch;
    double lines = l2_lines(run), brought = (double)(is_timed ? brought_lines(result) : warming.brought);
    struct sample_launch ended = {.work = (double)(counts_threads(run) ? l->thread_instructions : l->warp_instructions),
                                  .is_in_l2 = choice != SAMPLE_COMPUTE,
                                  .brought = lines > 0 ? brought / lines : 0,
                                  .result = is_timed ? result : NULL,
                                  .estimate = estimate};
    signature_of(p, result->sites, l->thread_instructions, blocks, &ended.signature);
    sample_program_add(program, &key, &ended);
    if (!is_timed) {
        const struct gpu_result *like;
        sample_program_last(program, estimate, &like);
        estimate->blocks = blocks;
        fill_in(result, like, estimate, blocks, !counts_threads(run));
    }
    sample_program_changes(program, &estimate->program, &estimate->kernel);
}
