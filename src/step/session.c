/*
 * The stepper's session with its reader: runs of the launch, stops, and the commands at a stop. See session.h.
 *
 * A run has either a target, an issue at which it stops, or a goal to be found among issues that are new to the
 * journal. A stop shows what changed in the mechanism's state since the stop's reference: the last issue before it
 * among those that the reader looks at (all, or those of one warp). So what a stop shows depends on its position
 * alone, not on the way that led there. If a run comes to a goal without having passed the reference with open eyes,
 * it starts again with the goal as its target.
 */
#define _GNU_SOURCE
#include "base/arena.h"
#include "base/demangle.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/terminal.h"
#include "device/memory.h"
#include "step/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char step_variable[] = "HEDDLE_STEP";

enum { MOST_ISSUES = 50000000 }; /* of a journal: 1.2 GB */

/* A signal handler gets no argument of ours. */
volatile sig_atomic_t step_was_interrupted;

static void note_interrupt(int number)
{
    (void)number;
    step_was_interrupted = 1;
}

/* ---- the stepper ---- */

struct stepper *stepper_create(const char *value, char **error)
{
    struct stepper *s = xcalloc(1, sizeof *s);
    char format[8] = "";
    int length = 0;
    if (sscanf(value, "%d %7s %n", &s->sm, format, &length) != 2 || !length || s->sm < 0 || !value[length]) {
        free(s);
        diag_fail(error, "%s must be 'SM text|json FILE', not '%s'", step_variable, value);
        return NULL;
    }
    s->as_json = !strcmp(format, "json");
    s->status_path = strdup(value + length);
    s->out = stdout;
    s->is_terminal = isatty(STDIN_FILENO);
    s->look = (struct step_look){terminal_columns(), terminal_has_colour(STDOUT_FILENO)};
    s->command.verb = STEP_STEP;
    s->command.number = 1;
    s->focus = UINT64_MAX;
    return s;
}

void stepper_destroy(struct stepper *s)
{
    if (!s)
        return;
    free(s->status_path);
    free(s);
}

int stepper_sm(const struct stepper *s)
{
    return s->sm;
}

bool stepper_has_quit(const struct stepper *s)
{
    return s->has_quit;
}

/* ---- a run ---- */

/* Notes the threads of the strand as having issued, and whether threads of one warp meet that last issued apart. */
static uint32_t note_threads(struct stepper *s, const struct sm *sm, const struct strand *strand, bool is_noted)
{
    uint32_t flags = 0;
    int width = (int)s->scene.run->machine->sm.warp_width, segment = width < ROW_LANES ? width : ROW_LANES;
    for (int i = 0; i < strand->threads.count; i++) {
        const struct part *part = &strand->threads.part[i];
        uint64_t *last = &s->last[(size_t)part->row * ROW_LANES], block = sm_row_block(sm, part->row)->number + 1;
        if (s->row_block[part->row] != block) {
            memset(last, 0, ROW_LANES * sizeof *last);
            s->row_block[part->row] = block;
        }
        uint64_t seen[ROW_LANES] = {0}; /* by segment: last issue of one of its threads */
        for (uint32_t left = part->mask; left; left &= left - 1) {
            int lane = bits_lowest(left);
            uint64_t *one = &seen[lane / segment];
            if (last[lane] && *one && last[lane] != *one)
                flags |= JOURNAL_MET;
            if (last[lane])
                *one = last[lane];
            if (is_noted)
                last[lane] = s->count;
        }
    }
    return flags;
}

static uint64_t warps_of(const struct stepper *s, const struct strand *strand)
{
    int width = (int)s->scene.run->machine->sm.warp_width;
    uint64_t warps = 0;
    for (int i = 0; i < strand->threads.count; i++)
        for (uint32_t left = strand->threads.part[i].mask; left; left &= left - 1) {
            int warp = (strand->threads.part[i].row * ROW_LANES + bits_lowest(left)) / width;
            warps |= warp < STEP_MOST_FOCUS ? UINT64_C(1) << warp : 0;
        }
    return warps;
}

/* Enters an issue that is new to the journal, and stops there if it is the goal. */
static void enter(struct stepper *s, const struct sm *sm, const struct strand *strand)
{
    struct journal_entry entry = {.cycle = sm_now(sm),
                                  .warps = warps_of(s, strand),
                                  .pc = strand->pc,
                                  .flags = note_threads(s, sm, strand, false)};
    vec_push(&s->journal.issues, entry);
    bool is_goal = !s->target && s->count > s->from && journal_matches(&s->goal, &entry) && !--s->goal.count;
    if (is_goal || s->count == MOST_ISSUES)
        move_aim(s, s->count);
    if (s->count == MOST_ISSUES)
        prompt_tell(s, "note", "the stepper knows no more issues than this one and those before it");
}

static void take_state(const struct sm *sm, struct text *state)
{
    text_free(state);
    sm_dump_mechanism(sm, state);
    if (!state->data)
        text_printf(state, "%s", "");
}

static void clear_progress(struct stepper *s)
{
    if (s->shows_progress)
        fputs("\r\033[K", stderr);
    s->shows_progress = false;
}

/* Stops at the present issue. True: the run goes on; false: it ends, because it must begin again or the reader has
 * left. */
static bool stop(struct stepper *s, const struct sm *sm, const struct strand *strand)
{
    clear_progress(s);
    take_state(sm, &s->state);
    s->state_at = s->count;
    s->scene.sm = sm;
    s->scene.strand = strand;
    s->scene.issue = s->count;
    s->scene.last = s->last;
    s->scene.state = s->state.data;
    s->scene.state_before = s->reference ? s->before.data : NULL;
    prompt_show_stop(s);
    prompt_converse(s);
    s->scene.sm = NULL;
    clock_gettime(CLOCK_MONOTONIC, &s->start);
    return !s->has_quit && !s->has_left && (!s->target || s->target > s->count);
}

static bool before_issue(void *context, const struct sm *sm, const struct strand *strand)
{
    struct stepper *s = context;
    s->count++;
    if (!s->last) {
        size_t rows = (size_t)sm_row_count(sm);
        s->last = xcalloc(rows * ROW_LANES, sizeof *s->last);
        s->row_block = xcalloc(rows, sizeof *s->row_block);
    }
    if (s->count > journal_count(&s->journal))
        enter(s, sm, strand);
    if (step_was_interrupted) {
        step_was_interrupted = 0;
        move_aim(s, s->count);
    }
    if (s->target && s->count > s->target) /* the goal was found only when its instruction was executed */
        return false;
    if (s->count == s->reference && s->before_at != s->reference) {
        take_state(sm, &s->before);
        s->before_at = s->count;
    }
    if (s->count == s->target && ((s->reference && s->before_at != s->reference) || !stop(s, sm, strand)))
        return false;
    note_threads(s, sm, strand, true);
    return true;
}

static void after_issue(void *context, int places)
{
    struct stepper *s = context;
    bool is_new = s->count > s->executed;
    s->told = s->count > s->told ? s->count : s->told;
    if (!is_new)
        return;
    s->executed = s->count;
    if (places <= 1)
        return;
    struct journal_entry *entry = journal_at(&s->journal, s->count);
    entry->flags |= JOURNAL_DIVERGED;
    if (!s->target && s->goal.flags & JOURNAL_DIVERGED && s->count > s->from && journal_matches(&s->goal, entry) &&
        !--s->goal.count)
        move_aim(s, s->count);
}

/* Says on a terminal how far a long run has come. */
static bool note_progress(void *context, const struct gpu_progress *so_far)
{
    struct stepper *s = context;
    struct timespec now;
    (void)so_far;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (double)(now.tv_sec - s->start.tv_sec) + (double)(now.tv_nsec - s->start.tv_nsec) * 1e-9;
    if (s->is_terminal && seconds > 0.5 && isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[Kissue %" PRIu64 " (Ctrl-C stops here)", s->count);
        s->shows_progress = true;
    }
    return true;
}

/* What threads print is shown when it is printed for the first time. */
static void print_output(void *context, const char *words, size_t length)
{
    struct stepper *s = context;
    struct text out = {0};
    if (s->count <= s->told)
        return;
    text_append(&out, words, length);
    if (s->as_json)
        prompt_tell(s, "printed", out.data ? out.data : "");
    else
        fputs(out.data ? out.data : "", s->out);
    text_free(&out);
}

/* Runs the launch on a copy of its memory. False: there is no room for the copy. */
static bool run_once(struct stepper *s, const struct code *code, struct gpu_result *result)
{
    struct image image = *s->scene.launch->image;
    struct launch launch = *s->scene.launch;
    struct gpu_run run = *s->scene.run;
    struct sm_observer observer = {s, s->sm, before_issue, after_issue};
    image.memory = memory_clone(s->scene.launch->image->memory);
    *result = (struct gpu_result){0};
    if (!image.memory)
        return false;
    launch.image = &image;
    launch.print = launch.assertions = (struct print_sink){print_output, s};
    launch.writers = NULL;
    launch.race = NULL;
    launch.taping = NULL;
    run.kept = NULL;
    run.trace = NULL;
    run.observer = &observer;
    run.watch = (struct gpu_watch){.context = s, .progress = note_progress};
    s->count = 0;
    clock_gettime(CLOCK_MONOTONIC, &s->start);
    gpu_launch(&run, &launch, code, result);
    clear_progress(s);
    free(s->last);
    free(s->row_block);
    s->last = s->row_block = NULL;
    memory_destroy(image.memory);
    return true;
}

/* ---- the end of a launch ---- */

static void show_end(struct stepper *s, const struct gpu_result *result)
{
    struct text out = {0};
    char words[2048] = "", *kernel = demangle_short(s->scene.launch->kernel->name);
    bool has_fault = result->launch.fault.kind != FAULT_NONE;
    if (has_fault)
        fault_describe(&result->launch.fault, words, sizeof words);
    if (s->as_json) {
        text_printf(&out, "{\"end\":true,\"issues\":%" PRIu64 ",\"cycles\":%" PRIu64 ",\"fault\":",
                    journal_count(&s->journal), result->cycles);
        json_print_string(&out, has_fault ? words : NULL);
        text_printf(&out, "}\n");
    } else {
        text_printf(&out, "%s has ended after %" PRIu64 " issues on multiprocessor %d, in cycle %" PRIu64 "\n", kernel,
                    journal_count(&s->journal), s->sm, result->cycles);
        text_printf(&out, "%s%s", words, result->deadlock ? result->deadlock : "");
    }
    free(kernel);
    prompt_show(s, &out);
}

/* Runs the launch until the reader leaves it. */
static void go_on(struct stepper *s, const struct code *code, struct launch_result *result)
{
    while (!s->has_quit && !s->has_left) {
        struct gpu_result run;
        *result = (struct launch_result){0};
        if (!run_once(s, code, &run)) {
            prompt_tell(s, "error", "there is no room for a copy of the device memory");
            return;
        }
        bool is_over = run.launch.fault.kind != FAULT_STOPPED;
        s->journal.is_complete |= is_over;
        if (is_over && (!s->target || s->target > journal_count(&s->journal))) {
            *result = run.launch;
            s->target = 0;
            s->has_left = run.launch.fault.kind == FAULT_LAUNCH; /* whoever asked for the launch says so */
            if (!s->has_left) {
                show_end(s, &run);
                prompt_converse(s);
            }
        }
        gpu_result_free(&run);
    }
}

void step_launch(struct stepper *s, const struct gpu_run *run, const struct launch *launch, const struct code *code,
                 struct sources *sources, struct launch_result *result)
{
    struct sigaction action = {.sa_handler = note_interrupt}, old;
    prompt_note_status(s, "launch");
    s->scene = (struct step_scene){
        .run = run, .launch = launch, .program = code_program(code), .journal = &s->journal, .sources = sources};
    s->has_left = false;
    s->executed = s->told = s->state_at = s->before_at = 0;
    move_seek(s, (struct journal_goal){.warps = UINT64_MAX, .count = 1}, 0);
    step_was_interrupted = 0;
    sigaction(SIGINT, &action, &old);
    go_on(s, code, result);
    sigaction(SIGINT, &old, NULL);
    registers_destroy(s->scene.registers);
    vec_free(&s->journal.issues);
    s->journal.is_complete = false;
    free(s->pcs);
    s->pcs = NULL;
    text_free(&s->state);
    text_free(&s->before);
}
