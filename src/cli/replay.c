/*
 * heddle replay: times the launches of a recording (heddle run --record) under any mechanism and machine, without
 * executing them. What a recording is, and what a replay cannot know, is in docs/replay.md.
 */
#include "base/diag.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/replay_sum.h"

#include "base/arena.h"
#include "base/json.h"
#include "base/temporary.h"
#include "base/vec.h"
#include "div/table.h"
#include "run/output.h"
#include "run/replay.h"
#include "run/run.h"
#include "run/selection.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option option_table[] = {
    {"--mech", "NAME[,NAME]",
     "Mechanisms to time the recording under; of several, a table compares their cycles. Default: the recorded one.",
     NULL},
    {"--quiet", NULL, "Prints no figures, as --stats none does.", NULL},
    {NULL, NULL, NULL, NULL},
};

/* Options about execution, which have no meaning where nothing is executed. */
static const char *const refused_options[] = {"--executor", "--check", "--verify", "--tolerate", "--lower",
                                              "--rewrite",  "--stack", "--memory", "--record",   NULL};

static const struct cli_section section_table[] = {
    {"Machine, mechanism and knobs",
     "What the command line leaves open is as it was recorded: --gpu, --mech, --recon, profiles and\n"
     "--paper-schedulers. Recorded --set options hold, too, unless --gpu is given; knobs of another\n"
     "mechanism than the replayed one are left out. A recording without a machine needs --gpu. Options\n"
     "about execution are refused: --executor, --check, --tolerate, --verify, --lower, --rewrite,\n"
     "--stack, --memory, --record. HEDDLE_OPTS is not looked at.\n",
     NULL},
    {"What a replay cannot know",
     "Each thread does what it did when it was recorded: as many turns of a spinning loop, the same\n"
     "addresses. A program whose threads would do something else in another order (locks, queues,\n"
     "atomics whose results are used, races) is timed as if they did not.\n",
     NULL},
    {NULL, NULL, NULL},
};

/* What the command line asks for. */
struct replay_command_line {
    const char *path;
    const char *mechanisms;   /* value of --mech; NULL: not given */
    struct run_options given; /* all other options; owned */
    int argc;
    char **argv;
};

static int misuse(char *error)
{
    cli_misuse("replay", "%s", error);
    free(error);
    return STATUS_USAGE;
}

static bool is_refused(const char *word)
{
    size_t length = strcspn(word, "=");
    for (const char *const *name = refused_options; *name; name++)
        if (strlen(*name) == length && !memcmp(*name, word, length))
            return true;
    return false;
}

/* Takes the command line into the options. May be called several times, for one after the other. */
static int take_words(struct replay_command_line *c, struct run_options *options)
{
    c->path = NULL;
    for (int i = 1; i < c->argc;) {
        const char *word = c->argv[i], *value = NULL;
        char *error = NULL;
        if (word[0] != '-') {
            if (c->path)
                return cli_misuse("replay", "one recording at a time: %s, then %s", c->path, word);
            c->path = c->argv[i++];
            continue;
        }
        if (is_refused(word))
            return cli_misuse("replay", "%.*s is for runs that execute; a replay only takes time",
                              (int)strcspn(word, "="), word);
        const struct cli_option *o = cli_take(option_table, c->argc, c->argv, &i, &value);
        if (o && o->value && !value)
            return cli_misuse("replay", "%s needs a value: %s %s", o->name, o->name, o->value);
        if (o && o->value)
            c->mechanisms = value;
        else if (o)
            options->is_quiet = true;
        if (o)
            continue;
        int taken = options_take(options, c->argc, c->argv, &i, &error);
        if (taken < 0)
            return misuse(error);
        if (!taken)
            return cli_unknown_run_option("replay", option_table, word);
    }
    return c->path ? STATUS_OK : cli_misuse("replay", "no recording was given");
}

/* ---- options of one replay: the recorded ones, then those of the command line ---- */

/* Appends recorded knobs, but none of another mechanism. */
static void take_settings(const char *recorded, const char *mechanism, struct text *settings)
{
    for (const char *at = recorded; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        char owner[32];
        snprintf(owner, sizeof owner, "%.*s", (int)strcspn(at, ".=\n"), at);
        if (!div_find(owner) || !strcmp(owner, mechanism))
            text_printf(settings, "%.*s\n", (int)strcspn(at, "\n"), at);
    }
}

static char *copy_of(const char *word)
{
    struct text t = {0};
    text_printf(&t, "%s", word);
    return text_take(&t);
}

/* A profile that was recorded is for mechanisms with likely-convergence points; another one does not take it. */
static void drop_profile(struct run_options *o, const char *mechanism, const char *recorded)
{
    if (!strcmp(mechanism, recorded ? recorded : "pdom") || div_find(mechanism)->flags & DIV_LIKELY)
        return;
    free(o->profile);
    o->profile = NULL;
    o->profile_running = false;
}

/* Opens the request of one replay. `machine` is the file with the recorded description, if the recorded machine was a
 * file. */
static int open_request(struct run_request *r, struct replay_command_line *c, const struct recorded_head *head,
                        const char *mechanism, const char *machine)
{
    char *error = NULL;
    struct run_options *o = &r->options;
    request_open(r);
    if (!recorded_take_options(head, o, &error)) {
        cli_fail("%s: %s", c->path, error);
        free(error);
        return STATUS_INPUT;
    }
    drop_profile(o, mechanism, head->mechanism);
    if (!c->given.gpu && head->gpu) {
        struct text settings = {0};
        take_settings(head->settings, mechanism, &settings);
        o->gpu = copy_of(machine ? machine : head->gpu);
        o->settings = settings.length ? text_take(&settings) : NULL;
        text_free(&settings);
    }
    int status = take_words(c, o);
    if (status)
        return status;
    free(o->mechanism);
    o->mechanism = copy_of(mechanism);
    if (!o->gpu)
        return cli_misuse("replay", "%s was recorded without a machine, so this needs one: --gpu NAME", c->path);
    if (!strcmp(o->gpu, "none"))
        return cli_misuse("replay", "--gpu none only computes; a replay only takes time, so it needs a machine");
    if (!request_settle(r, &error))
        return misuse(error);
    if (!output_check(r, &error)) {
        cli_fail("%s", error);
        free(error);
        return STATUS_INPUT;
    }
    r->lists_lines = head->lists_lines;
    r->shows_progress = !o->is_quiet;
    r->stop = interrupt_catch();
    return STATUS_OK;
}

/* ---- launches ---- */

/* What JSON says of the recording. */
static void describe_recording(const char *path, const struct recorded_head *head, const struct recorded_launch *about,
                               struct text *out)
{
    text_printf(out, "{\"file\":");
    json_print_string(out, path);
    text_printf(out, ",\"mechanism\":");
    json_print_string(out, head->gpu ? head->mechanism ? head->mechanism : "pdom" : "functional");
    text_printf(out, ",\"gpu\":");
    json_print_string(out, head->gpu);
    if (head->gpu)
        text_printf(out, ",\"cycles\":%" PRIu64 "}", about->cycles);
    else
        text_printf(out, ",\"cycles\":null}");
}

static int print_fault(const struct run_request *r, const struct run_outcome *outcome)
{
    const struct fault *fault = &outcome->result.launch.fault;
    char words[2048];
    if (fault->kind == FAULT_NONE)
        return STATUS_OK;
    fprintf(diag_stream(), "heddle: %s%s", fault_describe(fault, words, sizeof words),
            outcome->result.deadlock ? outcome->result.deadlock : "");
    return fault->kind == FAULT_STOPPED     ? STATUS_SIGNAL + *r->stop
           : fault->kind == FAULT_RECORDING ? STATUS_INPUT
           : fault->kind == FAULT_LAUNCH    ? STATUS_USAGE
                                            : STATUS_FAULT;
}

static int replay_one(struct run_request *r, struct replay *replay, const char *path, uint64_t index,
                      bool wants_figures, struct replay_sum *sum)
{
    char *error = NULL;
    struct replay_launch ready;
    if (!replay_begin(replay, index, &ready, &error)) {
        cli_fail("%s", error);
        free(error);
        return STATUS_INPUT;
    }
    struct run_outcome outcome;
    struct text figures = {0}, about = {0};
    describe_recording(path, replay_head(replay), replay_about(replay, index), &about);
    r->replay = about.data;
    bool is_written = run_launch(r, &ready.launch, ready.code, &outcome, wants_figures ? &figures : NULL);
    if (figures.data)
        fputs(figures.data, diag_stream());
    int status = print_fault(r, &outcome);
    replay_sum_add(sum, &outcome.result);
    run_outcome_free(&outcome);
    text_free(&figures);
    text_free(&about);
    r->replay = NULL;
    replay_end(&ready);
    return status ? status : is_written ? STATUS_OK : STATUS_INPUT;
}

/* Replays the launches that --kernel and --launch choose. */
static int replay_all(struct run_request *r, struct replay *replay, const char *path, bool is_alone,
                      struct replay_sum *sum)
{
    int status = STATUS_OK;
    bool wants_figures = !r->options.is_quiet && (r->options.stats || (is_alone && replay_count(replay) == 1));
    for (uint64_t i = 0; i < replay_count(replay) && !status; i++) {
        const struct recorded_launch *about = replay_about(replay, i);
        if (selection_takes(r->selection, about->kernel, about->launch.grid_id))
            status = replay_one(r, replay, path, i, wants_figures, sum);
    }
    if (!status && !sum->launches)
        status = cli_misuse("replay", "no launch of %s is chosen", path);
    return status;
}

/* ---- mechanisms ---- */

/* Cuts a list of names at its commas. */
struct names {
    struct vec_of(char *) all;
    char *storage;
};

static int cut_names(struct names *n, const char *list)
{
    n->storage = copy_of(list);
    for (char *name = strtok(n->storage, ","); name; name = strtok(NULL, ",")) {
        if (!div_find(name))
            return cli_misuse("replay", "there is no mechanism '%s'; see heddle list mechanisms", name);
        vec_push(&n->all, name);
    }
    return n->all.count ? STATUS_OK : cli_misuse("replay", "--mech needs a name");
}

/* The recorded description of a machine as a file of its own, with the name that it had: messages and results name the
 * machine by its file. */
struct machine_copy {
    char *folder, *path;
};

static int copy_machine(struct machine_copy *m, const struct recorded_head *head)
{
    char *error = NULL;
    if (!head->machine_text || !head->gpu)
        return STATUS_OK;
    m->folder = temporary_folder(&error);
    if (!m->folder) {
        cli_fail("%s", error);
        free(error);
        return STATUS_INPUT;
    }
    const char *slash = strrchr(head->gpu, '/');
    struct text path = {0};
    text_printf(&path, "%s/%s", m->folder, slash ? slash + 1 : head->gpu);
    m->path = text_take(&path);
    FILE *file = fopen(m->path, "w");
    bool ok = file && fputs(head->machine_text, file) >= 0;
    ok = file && !fclose(file) && ok;
    return ok ? STATUS_OK : cli_fail("cannot write %s: %s", m->path, strerror(errno));
}

static void remove_machine(struct machine_copy *m)
{
    if (m->path)
        unlink(m->path);
    free(m->path);
    temporary_remove(m->folder);
}

static int replay_under(struct replay_command_line *c, struct replay *replay, const char *mechanism,
                        const char *machine, bool is_alone, struct replay_sum *sum)
{
    struct run_request request;
    int status = open_request(&request, c, replay_head(replay), mechanism, machine);
    if (!status)
        status = replay_all(&request, replay, c->path, is_alone, sum);
    sum->mechanism = div_find(mechanism)->name;
    request_close(&request);
    return status;
}

/* Replays under each mechanism. Figures are printed as far as replays ended well. */
static int replay_mechanisms(struct replay_command_line *c, struct replay *replay)
{
    const struct recorded_head *head = replay_head(replay);
    struct names names = {0};
    struct machine_copy machine = {0};
    int status = cut_names(&names, c->mechanisms ? c->mechanisms : head->mechanism ? head->mechanism : "pdom");
    if (!status && !c->given.gpu)
        status = copy_machine(&machine, head);
    int count = names.all.count, done = 0;
    struct replay_sum *sums = xcalloc((size_t)count + 1, sizeof *sums);
    for (; done < count && !status; done++)
        status = replay_under(c, replay, names.all.data[done], machine.path, count == 1, &sums[done]);
    bool is_quiet = c->given.is_quiet || (c->given.json_path && !strcmp(c->given.json_path, "-"));
    if (!is_quiet && count == 1 && (sums[0].launches > 1 || (c->given.stats && sums[0].launches)))
        replay_sum_print(&sums[0], c->path, replay);
    else if (!is_quiet && count > 1)
        replay_sum_table(sums, status ? done - 1 : done, c->path, replay);
    free(sums);
    remove_machine(&machine);
    vec_free(&names.all);
    free(names.storage);
    return status;
}

static int run(int argc, char **argv)
{
    struct replay_command_line c = {.argc = argc, .argv = argv};
    char *error = NULL;
    options_default(&c.given);
    int status = take_words(&c, &c.given);
    struct replay *replay = status ? NULL : replay_open(c.path, &error);
    if (replay) {
        status = replay_mechanisms(&c, replay);
    } else if (!status) {
        cli_fail("%s", error);
        status = STATUS_INPUT;
    }
    free(error);
    replay_close(replay);
    options_free(&c.given);
    return status;
}

const struct command replay_command = {
    .name = "replay",
    .summary = "time a recorded run under other mechanisms, without executing it",
    .usage = "heddle replay FILE [--mech NAME[,NAME...]] [--gpu NAME] [--set KNOB=VALUE] [OPTIONS]",
    .description =
        "Times the launches that heddle run or heddle exec recorded with --record FILE. Each thread follows its own "
        "recorded path and accesses its recorded addresses, in whatever order the mechanism runs threads, and nothing "
        "is computed. So a program that relies on warps in lock-step can be timed under mechanisms that would make it "
        "wrong. Under the recorded mechanism and machine a replay gives the recorded figures.",
    .options = option_table,
    .has_run_options = true,
    .refused_options = refused_options,
    .sections = section_table,
    .examples = "heddle run nvrt --size test --gpu fermi --mech pdom --record nvrt.rec\n"
                "heddle replay nvrt.rec --mech pdom,dwf,ws,vws\n"
                "heddle replay nvrt.rec --mech vws --gpu vws --stats cycles,memory\n"
                "heddle exec --record app.rec -- ./app --size 100\n"
                "heddle replay app.rec --gpu volta --mech volta --json out.json\n",
    .fault_meaning = "The replay reached a limit, or its threads can never end.",
    .can_be_stopped = true,
    .run = run,
};
