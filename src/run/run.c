/* A launch from a request to written figures: see run.h. */
#include "run/run.h"

#include "base/diag.h"
#include "exec/ahead/ahead.h"
#include "exec/functional.h"
#include "exec/race/race.h"
#include "exec/writers.h"
#include "oracle/oracle.h"
#include "recon/barrier.h"
#include "report/report.h"
#include "report/result.h"
#include "report/source.h"
#include "report/verification.h"
#include "run/compaction.h"
#include "run/detail.h"
#include "run/notes.h"
#include "run/ordering.h"
#include "run/output.h"
#include "run/predictions.h"
#include "run/progress.h"
#include "run/recording.h"
#include "run/running_profile.h"
#include "run/sampling.h"
#include "run/selection.h"
#include "run/tracing.h"
#include "run/verify.h"
#include "run/witness.h"
#include "sample/program.h"
#include "step/session.h"

#include <fenv.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What watches a launch while it runs: the series of --interval and the line on the terminal. */
struct watcher {
    struct interval_series intervals;
    struct progress progress;
};

static void note_interval(void *context, uint64_t cycle, const struct stat_result *so_far)
{
    interval_note(&((struct watcher *)context)->intervals, cycle, so_far);
}

static bool note_progress(void *context, const struct gpu_progress *so_far)
{
    return progress_report(&((struct watcher *)context)->progress, so_far);
}

/* Builds with HEDDLE_CHECKS end at once if the counters of a launch contradict each other. */
static void check_counters(const struct gpu_result *result, const struct machine *machine)
{
#ifdef HEDDLE_CHECKS
    struct text why = {0};
    if (!result->launch.fault.kind && !report_check(result, machine, &why))
        panic("counters contradict each other:\n%s", why.data);
    text_free(&why);
#else
    (void)result;
    (void)machine;
#endif
}

/* The launch itself, timed and watched. `run` is complete but for its watcher. */
static void execute_on_machine(const struct run_request *request, struct gpu_run *run, const struct launch *launch,
                               const struct code *code, struct watcher *watcher, struct gpu_result *result)
{
    run->watch = (struct gpu_watch){.context = watcher,
                                    .every_cycles = request->options.interval_cycles,
                                    .interval = note_interval,
                                    .progress = note_progress};
    progress_start(&watcher->progress, request->shows_progress, request->stop);
    double start = now_seconds();
    gpu_launch(run, launch, code, result);
    result->launch.host_seconds = now_seconds() - start;
    progress_end(&watcher->progress);
    check_counters(result, run->machine);
    if (request->options.interval_cycles)
        note_interval(watcher, result->cycles, &(struct stat_result){result->parts, result->part_count});
}

/* What execute_on_machine() needs beside a launch. */
struct execution {
    const struct run_request *request;
    const struct code *code;
    struct watcher *watcher;
};

static void execute_part(void *context, struct gpu_run *run, const struct launch *launch, struct gpu_result *result)
{
    const struct execution *e = context;
    execute_on_machine(e->request, run, launch, e->code, e->watcher, result);
}

/* The launch under --sample. */
static void execute_sampled(struct run_request *request, struct gpu_run *run, const struct launch *launch,
                            const struct code *code, struct watcher *watcher, struct run_outcome *outcome)
{
    struct execution execution = {request, code, watcher};
    struct sampling_execute how = {execute_part, &execution};
    double start = now_seconds();
    outcome->is_sampled = true;
    if (!request->sampled)
        request->sampled = sample_program_create();
    sampling_launch(request->sampled, run, launch, code, &how, &outcome->result, &outcome->estimate);
    outcome->result.launch.host_seconds = now_seconds() - start;
}

/* Tables by branch and by line of a launch without a machine; false: nothing was counted. */
static bool open_sites(const struct run_request *request, const struct code *code, const struct gpu_result *counted,
                       struct site_table *sites)
{
    if (counted->sites)
        site_table_open(sites, &(struct site_input){.program = code_program(code),
                                                    .sites = counted->sites,
                                                    .width = ROW_LANES,
                                                    .sources = request->sources});
    return counted->sites;
}

/* Tells once per process how places become lines of the source. */
static void tell_of_lines(struct run_request *request, const struct code *code, struct text *figures)
{
    bool shows_places = request->report_groups & (REPORT_SUMMARY | REPORT_SITES);
    if (request->told_of_lines || !shows_places || !figures->length ||
        code_program(code)->kernel->module->location_count)
        return;
    request->told_of_lines = true;
    text_printf(figures,
                "  The PTX has no line table: compile with nvcc -lineinfo, or heddle cc, for lines of the source.\n");
}

/* Appends the launch to the file of --report-data. */
static bool write_detail(const struct run_request *request, const struct result *result, const struct text *page_trace)
{
    struct text lines = {0};
    if (!request->options.report_data)
        return true;
    result_json_line(&lines, result);
    if (result->report)
        detail_print(result->report, result->run, page_trace, &lines);
    bool ok = output_append(request->options.report_data, &lines);
    text_free(&lines);
    return ok;
}

/* Options and machine are the same for all launches of the request: their JSON is printed once. */
static void print_settings(struct run_request *request)
{
    struct text words = {0};
    if (!request->options_json) {
        options_json(&request->options, &words);
        request->options_json = text_take(&words);
    }
    if (request->gpu && !request->machine_json) {
        machine_print_json(request->gpu->machine, &words);
        request->machine_json = text_take(&words);
    }
}

/* JSON, CSV, the text of --stats, and the file of --report-data. `run`: the machine's, NULL without a machine.
 * `page_trace`: the trace for --report-data; NULL: an earlier launch of the program has one. */
static bool report_outcome(struct run_request *request, const struct gpu_run *run, const struct launch *launch,
                           const struct code *code, const struct run_outcome *outcome,
                           const struct interval_series *intervals, const struct text *page_trace, struct text *figures)
{
    const struct run_options *options = &request->options;
    bool is_written = options->json_path || options->csv_path || options->report_data;
    bool is_shown = figures && request->report_groups && (run || outcome->result.sites);
    if (!is_written && !is_shown)
        return true;
    if (!request->sources)
        request->sources = sources_create();
    struct report report;
    struct site_table sites;
    bool has_sites = !run && open_sites(request, code, &outcome->result, &sites);
    print_settings(request);
    int lockstep = launch->race ? race_count(launch->race) : outcome->races; /* found now, or ahead of the launch */
    struct result result = {.executor = options->executor == EXECUTOR_ORACLE ? RESULT_ORACLE : RESULT_ENGINE,
                            .run = run,
                            .launch = launch,
                            .code = code,
                            .gpu = &outcome->result,
                            .memory = outcome->memory,
                            .lockstep = options->check == CHECK_LOCKSTEP ? &lockstep : NULL,
                            .options = request->options_json,
                            .machine = request->machine_json,
                            .replay = request->replay,
                            .report = run ? &report : NULL,
                            .sites = run         ? &report.sites
                                     : has_sites ? &sites
                                                 : NULL};
    if (run) {
        report_open(&report, run, launch, code_program(code), &outcome->result, intervals, request->sources);
        report.estimate = outcome->is_sampled ? &outcome->estimate : NULL;
        report.lists_lines = request->lists_lines || request->selection || request->report_groups & REPORT_LINES;
    }
    bool ok = output_write(request, &result) && write_detail(request, &result, page_trace);
    if (run && figures)
        report_text(&report, request->report_groups, output_is_utf8_terminal(), figures);
    if (has_sites && figures)
        report_sites_text(&sites, request->report_groups, figures);
    if (figures && (run || has_sites))
        tell_of_lines(request, code, figures);
    if (run)
        report_close(&report);
    if (has_sites)
        site_table_close(&sites);
    return ok;
}

/* The launch proper on a machine, with its verification, trace and figures. */
static bool measure(struct run_request *request, const struct gpu_run *prepared, const struct launch *launch,
                    const struct code *code, struct run_outcome *outcome, struct text *figures)
{
    const struct run_options *options = &request->options;
    struct gpu_result *result = &outcome->result;
    struct gpu_run run = *prepared;
    bool is_first = options->report_data && detail_is_first(request, code_program(code));
    run.trace = request->tracing ? tracing_begin(request->tracing, is_first) : NULL;
    struct verify_start *before = options->verify ? verify_begin(launch) : NULL;
    struct watcher watcher = {0};
    if (options->sample)
        execute_sampled(request, &run, launch, code, &watcher, outcome);
    else
        execute_on_machine(request, &run, launch, code, &watcher, result);
    if (options->profile_running && !result->launch.fault.kind)
        running_profile_add(&request->profile, code_program(code), result);
    if (options->verify)
        outcome->memory = verify_end(before, &run, launch, code, result, &request->known);
    struct text page_trace = {0};
    if (is_first && run.trace)
        detail_print_trace(run.trace, &page_trace);
    bool is_traced = !run.trace || tracing_end(request->tracing, run.trace, &run, launch, code, result->cycles);
    bool is_written =
        report_outcome(request, &run, launch, code, outcome, options->interval_cycles ? &watcher.intervals : NULL,
                       is_first ? &page_trace : NULL, figures);
    text_free(&page_trace);
    interval_free(&watcher.intervals);
    return is_written && is_traced;
}

static bool run_on_machine(struct run_request *request, const struct launch *launch, const struct code *code,
                           struct run_outcome *outcome, struct text *figures)
{
    struct launch_result *result = &outcome->result.launch;
    struct gpu_run run = *request->gpu;
    bool ok = true;
    compaction_apply(request, launch, &run);
    int32_t *likely = predictions_likely(request, &run, launch, code, &result->fault);
    if (result->fault.kind)
        return true;
    struct barrier_plan *barriers = predictions_barriers(&request->options, &run, code);
    run.likely = likely;
    run.barriers = barriers ? barriers : run.barriers;
    if (request->stepper) {
        if (!request->sources)
            request->sources = sources_create();
        step_launch(request->stepper, &run, launch, code, request->sources, result);
    } else {
        ok = measure(request, &run, launch, code, outcome, figures);
    }
    free(likely);
    barrier_plan_destroy(barriers);
    return ok;
}

static void compute(const struct run_request *request, const struct launch *launch, const struct code *code,
                    struct run_outcome *outcome)
{
    struct launch_result *result = &outcome->result.launch;
    double start = now_seconds();
    if (request->options.executor == EXECUTOR_ORACLE)
        oracle_launch(launch, result);
    else
        functional_launch(launch, code, result);
    result->host_seconds = now_seconds() - start;
}

static bool run_functionally(struct run_request *request, struct launch *launch, const struct code *code,
                             struct run_outcome *outcome, struct text *figures)
{
    struct gpu_result *result = &outcome->result;
    bool is_engine = request->options.executor == EXECUTOR_ENGINE;
    if (launch->waste || (is_engine && request->options.stats && request->report_groups & REPORT_SITES)) {
        result->site_count = code_program(code)->insn_count;
        result->sites = xcalloc((size_t)result->site_count + 1, sizeof *result->sites);
    }
    launch->sites = result->sites;
    compute(request, launch, code, outcome);
    launch->sites = NULL;
    return report_outcome(request, NULL, launch, code, outcome, NULL, NULL, figures);
}

static void take_races(const struct run_request *request, struct launch *launch, struct run_outcome *outcome)
{
    struct text words = {0};
    outcome->races = race_count(launch->race);
    races_print(launch->race, request->gpu, &words);
    outcome->race_text = words.length ? text_take(&words) : NULL;
    race_destroy(launch->race);
    launch->race = NULL;
}

/* Looks for reliance on lock-step before the launch runs, and says on stderr what it found, since the launch may take
 * hours and its result may be wrong. False: there was no room to look. */
static bool look_ahead(const struct run_request *request, struct launch *launch, const struct code *code,
                       struct run_outcome *outcome)
{
    launch->race = races_rehearse_lockstep(launch, code);
    if (!launch->race)
        return false;
    take_races(request, launch, outcome);
    if (outcome->race_text)
        fprintf(diag_stream(), "heddle: %s", outcome->race_text);
    free(outcome->race_text);
    outcome->race_text = NULL;
    return true;
}

/* The check goes along with the launch. Only --check lockstep goes before it, under a mechanism that does not keep
 * lock-step. */
static void begin_check(const struct run_request *request, struct launch *launch, const struct code *code,
                        struct run_outcome *outcome)
{
    enum check check = request->options.check;
    if (check == CHECK_RACES)
        launch->race = race_create();
    bool is_ahead = check == CHECK_LOCKSTEP && request->gpu && !races_keeps_lockstep(request->gpu);
    if (check == CHECK_LOCKSTEP && !(is_ahead && look_ahead(request, launch, code, outcome)))
        launch->race = race_create_lockstep();
}

/* Takes from the request what the launch leaves open. */
static void fill_in(struct run_request *request, struct launch *launch)
{
    const struct run_options *options = &request->options;
    if (!request->writers)
        request->writers = writers_create();
    launch->writers = request->writers;
    if (!request->team)
        request->team = ahead_team_create((int)options->threads);
    launch->team = request->team;
    if (!launch->instruction_limit)
        launch->instruction_limit = options->instruction_limit;
    if (!launch->stack_bytes)
        launch->stack_bytes = options->stack_bytes;
    launch->tolerates_reads = options->tolerate == TOLERATE_READS;
}

bool run_launch(struct run_request *request, struct launch *launch, const struct code *code,
                struct run_outcome *outcome, struct text *figures)
{
    fill_in(request, launch);
    *outcome = (struct run_outcome){0};
    begin_check(request, launch, code, outcome);
    ordering_begin(request, launch, code);
    witness_begin(request, launch, code);
    bool is_recorded = recording_begin(request, launch, code);
    bool ok = request->gpu ? run_on_machine(request, launch, code, outcome, figures)
                           : run_functionally(request, launch, code, outcome, figures);
    if (request->stepper && outcome->result.launch.fault.kind != FAULT_LAUNCH) /* the reader has seen it */
        outcome->result.launch = (struct launch_result){0};
    recording_end(request, launch, &outcome->result);
    ok &= witness_end(request, launch, code, &outcome->result);
    ordering_end(launch);
    if (launch->race)
        take_races(request, launch, outcome);
    return ok && is_recorded;
}

void run_outcome_free(struct run_outcome *outcome)
{
    gpu_result_free(&outcome->result);
    free(outcome->race_text);
    verification_free(outcome->memory);
    *outcome = (struct run_outcome){0};
}

void run_print_memory(const struct run_request *request, const struct run_outcome *outcome)
{
    struct text difference = {0};
    if (!outcome->memory)
        return;
    verification_print(outcome->memory, &difference);
    if (outcome->memory->races)
        fprintf(diag_stream(), "heddle: %s", outcome->memory->races);
    if (difference.data)
        fprintf(diag_stream(), "heddle: under %s, %s", request->gpu->mechanism->name, difference.data);
    text_free(&difference);
}

/* The time that these cycles take on the machine. */
static uint64_t picoseconds_of(const struct machine *machine, uint64_t cycles)
{
    return (uint64_t)((double)cycles * 1e6 / machine->mem.core_mhz);
}

/* Advances the simulated time by a launch. A launch that was only computed has no cycles. */
static void pass_time(struct run_request *request, const struct gpu_result *result)
{
    const struct machine *machine = request->gpu ? request->gpu->machine : NULL;
    if (machine)
        request->simulated_picoseconds +=
            UINT64_C(1000) * machine->gpu.launch_ns + picoseconds_of(machine, result->cycles);
}

/* Adds the launch to the sum that heddle exec prints. */
static bool add_to_total(struct run_request *request, const struct launch *launch, const struct run_outcome *outcome,
                         const struct note *note, bool is_chosen)
{
    const struct gpu_result *result = &outcome->result;
    const struct sample_estimate *e = &outcome->estimate;
    const struct launch_result *l = &result->launch;
    const struct machine *machine = request->gpu && is_chosen ? request->gpu->machine : NULL;
    struct total_record record = {
        .launch = launch->grid_id,
        .cycles = result->cycles,
        .picoseconds = machine ? picoseconds_of(machine, result->cycles) : 0,
        .warp_instructions = l->warp_instructions,
        .thread_instructions = l->thread_instructions,
        .lanes = machine ? result->sm.issue_slots : 32 * l->warp_instructions,
        .branches = l->branches,
        .divergent_branches = l->divergent_branches,
        .host_seconds = l->host_seconds,
        .fault = (uint32_t)l->fault.kind,
        .is_timed = machine != NULL,
        .is_chosen = is_chosen,
        .is_sampled = outcome->is_sampled,
        .program_cycles = e->program.cycles,
        .program_half_cycles = e->program.half_cycles,
        .kernel_cycles = e->kernel.cycles,
        .kernel_half_cycles = e->kernel.half_cycles,
        .timed_instructions = (uint64_t)(sample_timed_share(e) * (double)l->thread_instructions + 0.5),
    };
    memcpy(record.grid, launch->grid, sizeof record.grid);
    memcpy(record.block, launch->block, sizeof record.block);
    return total_append(&request->totals, &record, launch->kernel->name, note);
}

static void describe_place(const struct launch_place *place, char *text, size_t size)
{
    snprintf(text, size, "%s, address 0x%" PRIx64, place->where, place->address);
}

/* What is noted of a launch; the texts stand in `places`. */
struct launch_note {
    char places[2][200];
    struct note note;
};

/* A search for races has told more than a note could tell of words that two blocks wrote. */
static void take_note(const struct launch_result *l, bool has_searched_races, struct launch_note *n)
{
    uint64_t conflicts = has_searched_races ? 0 : l->block_conflicts;
    *n = (struct launch_note){0};
    if (l->tolerated_reads)
        describe_place(&l->first_tolerated, n->places[0], sizeof n->places[0]);
    if (conflicts)
        describe_place(&l->first_conflict, n->places[1], sizeof n->places[1]);
    n->note = (struct note){l->tolerated_reads, conflicts, n->places[0], n->places[1]};
}

/* A process that was forked does not tell what its parent will tell. */
static void forget_notes_of_parent(struct run_request *request)
{
    int32_t process = (int32_t)getpid();
    if (request->notes && request->notes_process != process)
        notes_free(&request->notes);
    request->notes_process = process;
}

static void add_notes(struct run_request *request, const char *kernel, const struct note *note)
{
    forget_notes_of_parent(request);
    notes_add(&request->notes, kernel, note);
}

void run_add_notes(struct run_request *request, const struct launch *launch, const struct launch_result *result)
{
    struct launch_note n;
    take_note(result, request->options.check == CHECK_RACES, &n);
    add_notes(request, launch->kernel->name, &n.note);
}

/* Sums the launch up: into the file of heddle exec if there is one, otherwise its notes are kept for the end. */
static bool keep(struct run_request *request, const struct launch *launch, const struct run_outcome *outcome,
                 bool is_chosen)
{
    struct launch_note n;
    take_note(&outcome->result.launch, is_chosen && request->options.check == CHECK_RACES, &n);
    if (request->totals.path)
        return add_to_total(request, launch, outcome, &n.note, is_chosen);
    if (n.note.tolerated_reads || n.note.block_conflicts)
        add_notes(request, launch->kernel->name, &n.note);
    return true;
}

/* The heading of a launch without a machine; on a machine, the report has one. */
static void print_launch(const struct launch *launch)
{
    struct text heading = {0};
    report_launch_text(launch, &heading);
    fprintf(diag_stream(), "%s\n", heading.data);
    text_free(&heading);
}

/* A launch of a program that heddle step looks at: it is stepped, and then computed, so that the program gets its
 * results, unless it came to a fault. What its threads print was shown while it was stepped. */
static void step_and_compute(struct run_request *request, struct launch *launch, const struct code *code,
                             struct run_outcome *outcome)
{
    bool is_stepped = !stepper_has_quit(request->stepper);
    fill_in(request, launch);
    *outcome = (struct run_outcome){0};
    if (is_stepped)
        run_on_machine(request, launch, code, outcome, NULL);
    if (outcome->result.launch.fault.kind != FAULT_NONE)
        return;
    struct print_sink print = launch->print;
    if (is_stepped)
        launch->print = (struct print_sink){NULL, NULL};
    compute(request, launch, code, outcome);
    launch->print = print;
}

/* run_launch_aloud(), with the host's floating point as lane handlers need it. */
static bool launch_aloud(struct run_request *request, struct launch *launch, const struct code *code,
                         struct launch_result *result)
{
    struct run_outcome outcome;
    struct text figures = {0};
    bool wants_figures = request->options.stats && !request->options.is_quiet;
    bool is_chosen = selection_takes(request->selection, launch->kernel->name, launch->grid_id), ok = true;
    if (request->stepper && is_chosen) {
        is_chosen = false;
        step_and_compute(request, launch, code, &outcome);
    } else if (is_chosen) {
        ok = run_launch(request, launch, code, &outcome, wants_figures ? &figures : NULL);
    } else {
        outcome = (struct run_outcome){0};
        fill_in(request, launch);
        compute(request, launch, code, &outcome);
    }
    *result = outcome.result.launch;
    pass_time(request, &outcome.result);
    ok = keep(request, launch, &outcome, is_chosen) && ok;
    if (outcome.result.deadlock)
        fputs(outcome.result.deadlock, diag_stream());
    if (figures.data && !request->gpu)
        print_launch(launch);
    if (figures.data)
        fputs(figures.data, diag_stream());
    if (outcome.race_text)
        fprintf(diag_stream(), "heddle: %s", outcome.race_text);
    run_print_memory(request, &outcome);
    text_free(&figures);
    run_outcome_free(&outcome);
    return ok;
}

/* The program that launches may round otherwise, or take subnormal numbers for zeros, as those do that are compiled
 * with -ffast-math. Threads that the launch makes inherit what is set here. */
bool run_launch_aloud(struct run_request *request, struct launch *launch, const struct code *code,
                      struct launch_result *result)
{
    fenv_t of_program;
    fegetenv(&of_program);
    fesetenv(FE_DFL_ENV);
    const bool ok = launch_aloud(request, launch, code, result);
    fesetenv(&of_program);
    return ok;
}

void run_print_notes(struct run_request *request)
{
    struct text lines = {0};
    forget_notes_of_parent(request);
    notes_print(request->notes, &lines);
    if (lines.data)
        fputs(lines.data, diag_stream());
    text_free(&lines);
    notes_free(&request->notes);
}
