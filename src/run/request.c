/* Settling a request: words become a machine, a mechanism and a trace. See request.h. */
#include "run/request.h"

#include "base/arena.h"
#include "base/crew.h"
#include "base/diag.h"
#include "div/table.h"
#include "exec/ahead/ahead.h"
#include "exec/writers.h"
#include "gpu/gpu.h"
#include "recon/predict.h"
#include "report/report.h"
#include "report/source.h"
#include "run/compaction.h"
#include "run/notes.h"
#include "run/prepare.h"
#include "run/recording.h"
#include "run/running_profile.h"
#include "run/sampling.h"
#include "run/selection.h"
#include "run/tracing.h"
#include "sample/program.h"
#include "step/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void request_open(struct run_request *r)
{
    *r = (struct run_request){.totals.descriptor = -1};
    options_default(&r->options);
}

static void free_gpu(struct gpu_run *gpu)
{
    if (!gpu)
        return;
    machine_free((struct machine *)gpu->machine);
    free((void *)gpu->mechanism_knobs);
    gpu_kept_free(gpu->kept);
    free(gpu->kept);
    free(gpu);
}

void request_close(struct run_request *r)
{
    recording_abandon(r->recording);
    free_gpu(r->gpu);
    writers_destroy(r->writers);
    ahead_team_destroy(r->team);
    free(r->tracing);
    stepper_destroy(r->stepper);
    selection_destroy(r->selection);
    selection_destroy(r->static_kernels);
    free(r->static_knobs);
    running_profile_free(&r->profile);
    total_close(&r->totals);
    notes_free(&r->notes);
    sample_program_destroy(r->sampled);
    free(r->known.where);
    sources_destroy(r->sources);
    free(r->options_json);
    free(r->machine_json);
    vec_free(&r->reported);
    options_free(&r->options);
    *r = (struct run_request){0};
}

/* The mechanism whose knob a setting names, "tbc.drain=no"; NULL: none. */
static const struct div_ops *owner_of(const char *setting)
{
    for (const struct div_ops *const *m = div_all(); *m; m++) {
        size_t length = strlen((*m)->name);
        if (!strncmp(setting, (*m)->name, length) && setting[length] == '.')
            return *m;
    }
    return NULL;
}

/* Applies every --set: a name that starts with the mechanism's belongs to the mechanism, any other to the machine. A
 * knob of another mechanism is refused. */
static bool apply_settings(const struct run_options *options, struct machine *machine, const struct div_ops *mechanism,
                           void *knobs, char **error)
{
    size_t length = strlen(mechanism->name);
    for (const char *at = options->settings; at && *at;) {
        size_t n = strcspn(at, "\n");
        char *word = xcalloc(1, n + 1);
        memcpy(word, at, n);
        at += n + 1;
        char *equals = strchr(word, '=');
        const struct div_ops *owner = owner_of(word);
        bool ok, for_mechanism = !strncmp(word, mechanism->name, length) && word[length] == '.';
        if (for_mechanism && mechanism->knobs && equals) {
            *equals = '\0';
            ok = knob_set(mechanism->knobs, knobs, word + length + 1, equals + 1, error);
        } else if (!for_mechanism && owner) {
            ok = diag_fail(error, "'%s' sets a knob of the mechanism %s, and the run's mechanism is %s", word,
                           owner->name, mechanism->name);
        } else {
            ok = machine_set(machine, word, error);
        }
        free(word);
        if (!ok)
            return false;
    }
    return machine_check(machine, error);
}

/* Whether a --set names the scheduler. */
static bool sets_scheduler(const struct run_options *options)
{
    static const char knob[] = "sm.scheduler";
    for (const char *at = options->settings; at && *at; at += strcspn(at, "\n") + 1) {
        const char *name = at + strspn(at, " \t");
        size_t length = strcspn(name, "= \t\n");
        if (length == sizeof knob - 1 && !memcmp(name, knob, length))
            return true;
    }
    return false;
}

/* Gives the machine the scheduler of the mechanism's paper. A --set of the scheduler asks for another, so both together
 * are refused: whoever reads the figures would not know which of the two ran. */
static bool apply_paper_scheduler(const struct run_options *options, struct machine *machine,
                                  const struct div_ops *mechanism, char **error)
{
    const char *scheduler = div_paper_scheduler(mechanism);
    if (!options->paper_schedulers)
        return true;
    if (sets_scheduler(options))
        return diag_fail(error, "--paper-schedulers and --set sm.scheduler exclude each other");
    struct text setting = {0};
    text_printf(&setting, "sm.scheduler=%s", scheduler);
    bool ok = !*scheduler || machine_set(machine, setting.data, error);
    text_free(&setting);
    return ok;
}

static char *list_mechanisms(const char *wrong)
{
    struct text t = {0};
    text_printf(&t, "there is no mechanism '%s'; there are", wrong);
    for (const struct div_ops *const *m = div_all(); *m; m++)
        text_printf(&t, " %s", (*m)->name);
    return text_take(&t);
}

/* The first option that only a machine can carry out; NULL: there is none. */
static const char *needs_machine(const struct run_request *r)
{
    const struct run_options *o = &r->options;
    const struct {
        const char *name;
        bool is_given;
    } options[] = {
        {"mech", o->mechanism},
        {"set", o->settings},
        {"paper-schedulers", o->paper_schedulers},
        {"csv", o->csv_path && !(r->report_groups & REPORT_SITES)},
        {"interval", o->interval_cycles},
        {"profile", o->profile},
        {"profile-running", o->profile_running},
        {"no-compaction", o->no_compaction},
        {"recon", o->recon},
        {"recon-threshold", o->recon_threshold},
        {"recon-deconflict", o->recon_deconflict},
        {"verify", o->verify},
        {"sample", o->sample},
        {"trace", o->trace},
        {"trace-perfetto", o->trace_perfetto},
        {"trace-svg", o->trace_svg},
        {"trace-tikz", o->trace_tikz},
        {"stats", o->stats && r->report_groups & ~(unsigned)(REPORT_SUMMARY | REPORT_SITES) && strcmp(o->stats, "all")},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_given)
            return options[i].name;
    return NULL;
}

static bool settle_tracing(struct run_request *r, char **error)
{
    const struct run_options *o = &r->options;
    if (!o->trace && !o->trace_perfetto && !o->trace_svg && !o->trace_tikz && !o->report_data) {
        const char *alone = o->trace_window ? "window" : o->trace_sm ? "sm" : "file";
        if (!o->trace_window && !o->trace_sm && !o->trace_file)
            return true;
        return diag_fail(error, "--trace-%s needs --trace, --trace-perfetto, --trace-svg, --trace-tikz or a report",
                         alone);
    }
    struct tracing *t = r->tracing = xcalloc(1, sizeof *t);
    t->sm = -1;
    t->text_path = o->trace_file;
    t->perfetto_path = o->trace_perfetto;
    t->svg_path = o->trace_svg;
    t->tikz_path = o->trace_tikz;
    t->for_page = o->report_data;
    return (!o->trace || tracing_read_views(t, o->trace, error)) &&
           (!o->trace_window || tracing_read_window(t, o->trace_window, error)) &&
           (!o->trace_sm || tracing_read_sm(t, o->trace_sm, r->gpu->machine->gpu.sm_count, error));
}

static bool settle_groups(struct run_request *r, char **error)
{
    const struct run_options *o = &r->options;
    if (!report_parse_groups(o->stats ? o->stats : "summary", &r->report_groups, error))
        return false;
    if (!o->stats && o->interval_cycles)
        r->report_groups |= REPORT_INTERVALS;
    if (o->stats && strstr(o->stats, "intervals") && !o->interval_cycles)
        return diag_fail(error, "--stats intervals needs their length: --interval N");
    if (!o->interval_cycles)
        r->report_groups &= ~(unsigned)REPORT_INTERVALS;
    return true;
}

static const struct div_ops *find_mechanism(const struct run_options *o, char **error)
{
    const struct div_ops *mechanism = div_find(o->mechanism ? o->mechanism : "pdom");
    if (!mechanism) {
        *error = list_mechanisms(o->mechanism);
        return NULL;
    }
    bool predicts = o->recon == RECON_AUTO && mechanism->flags & DIV_BARRIERS;
    bool is_refused = !(mechanism->flags & DIV_LIKELY) && (o->profile_running || (o->profile && !predicts));
    if (is_refused) {
        diag_fail(error, "--profile%s is for mechanisms with likely-convergence points, such as pdom-lcp, not for %s",
                  o->profile_running ? "-running" : "", mechanism->name);
        return NULL;
    }
    if (o->profile_running && o->profile) {
        diag_fail(error, "--profile and --profile-running exclude each other");
        return NULL;
    }
    return mechanism;
}

static bool settle_machine(struct run_request *r, char **error)
{
    const struct div_ops *mechanism = find_mechanism(&r->options, error);
    struct machine *machine = mechanism ? machine_load(r->options.gpu, error) : NULL;
    if (!machine)
        return false;
    void *knobs = xcalloc(REQUEST_KNOB_WORDS, sizeof(uint64_t));
    if (mechanism->knobs)
        knob_defaults(mechanism->knobs, knobs);
    r->gpu = xcalloc(1, sizeof *r->gpu);
    *r->gpu = (struct gpu_run){.machine = machine,
                               .mechanism = mechanism,
                               .mechanism_knobs = knobs,
                               .threads = r->options.threads ? (int)r->options.threads : crew_idle_cores(),
                               .kept = xcalloc(1, sizeof *r->gpu->kept)};
    return apply_paper_scheduler(&r->options, machine, mechanism, error) &&
           apply_settings(&r->options, machine, mechanism, knobs, error) && compaction_settle(r, error);
}

/* Makes the stepper that heddle step asks for. */
static bool settle_stepper(struct run_request *r, char **error)
{
    const char *value = getenv(step_variable);
    if (!value)
        return true;
    r->stepper = stepper_create(value, error);
    uint32_t sm_count = r->gpu->machine->gpu.sm_count;
    if (r->stepper && (uint32_t)stepper_sm(r->stepper) >= sm_count)
        return diag_fail(error, "--sm must be a multiprocessor of the machine, 0 to %" PRIu32 ", not '%d'",
                         sm_count - 1, stepper_sm(r->stepper));
    return r->stepper;
}

/* Refuses --sample beside what needs every cycle or every block of the machine. */
static bool check_sampling(const struct run_request *r, char **error)
{
    const char *conflict = sampling_conflict(&r->options);
    if (!r->options.sample)
        return true;
    if (conflict)
        return diag_fail(error, "--sample and --%s exclude each other: most blocks are not timed", conflict);
    if (r->gpu->mechanism->flags & DIV_LEAST_TIME)
        return diag_fail(error, "--sample is not for %s, whose time is a bound for a whole launch",
                         r->gpu->mechanism->name);
    return !r->stepper || diag_fail(error, "--sample is not for heddle step, which shows every issue");
}

bool request_settle(struct run_request *r, char **error)
{
    const struct run_options *o = &r->options;
    total_open(&r->totals, getenv(total_variable));
    if ((o->kernels || o->launches) && !(r->selection = selection_create(o->kernels, o->launches, error)))
        return false;
    if (o->rewrite && !prepare_check(o->rewrite, error))
        return false;
    int threshold;
    if (o->recon_threshold && !predict_read_threshold(o->recon_threshold, &threshold))
        return diag_fail(error, "--recon-threshold takes a number of threads from 1 to %d, all or adaptive, not '%s'",
                         BARRIER_THRESHOLD_MAX, o->recon_threshold);
    bool is_functional = !o->gpu || !strcmp(o->gpu, "none");
    if (o->check && o->executor == EXECUTOR_ORACLE)
        return diag_fail(error, "--check %s needs the engine: the oracle does not look at the order of threads",
                         o->check == CHECK_RACES ? "races" : "lockstep");
    if (o->record_path && o->executor == EXECUTOR_ORACLE)
        return diag_fail(error, "--record needs the engine: the oracle records nothing");
    if (o->record_path && !strcmp(o->record_path, "-"))
        return diag_fail(error, "--record needs a file: a recording gets its name when it is complete");
    if (!settle_groups(r, error))
        return false;
    if (is_functional && r->options.stats && r->report_groups & REPORT_SITES &&
        r->options.executor == EXECUTOR_ORACLE && strcmp(r->options.stats, "all"))
        return diag_fail(error, "--stats branches and lines need --executor engine: the oracle runs no warps");
    if (is_functional && needs_machine(r))
        return diag_fail(error, "--%s needs a machine: --gpu NAME", needs_machine(r));
    if (is_functional)
        return true;
    if (o->executor == EXECUTOR_ORACLE)
        return diag_fail(error, "--executor oracle and --gpu exclude each other");
    return settle_machine(r, error) && settle_tracing(r, error) && settle_stepper(r, error) && check_sampling(r, error);
}
