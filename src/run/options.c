/*
 * Options of a run, from one table: parsing, help, and their part of a result derive from it.
 *
 * The JSON line is written whole after the launch, appended, and checked: a result that could not be written
 * is an error, not a surprise for who reads the file later.
 */
#include "run/options.h"

#include "gpu/gpu.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "base/vec.h"
#include "div/table.h"
#include "exec/code.h"
#include "exec/race.h"
#include "recon/speculate.h"
#include "report/report.h"
#include "report/result.h"
#include "run/profile.h"
#include "run/progress.h"
#include "run/tracing.h"
#include "run/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum option_kind { OPTION_CHOICE, OPTION_U32, OPTION_U64, OPTION_PATH, OPTION_VIEWS, OPTION_LIST };

struct option_row {
    const char *name;
    enum option_kind kind;
    size_t offset;     /* of the field in struct run_options */
    const char *value; /* what stands for the value in the help */
    const char *meaning;
    uint64_t initial, least, most; /* numbers; choices: index */
    const char *const *choices;    /* NULL-terminated */
};

static const char *const executor_names[] = {"engine", "oracle", NULL};
static const char *const check_names[] = {"none", "races", NULL};
static const char *const verify_words[] = {"none", "functional", NULL};
static const char *const recon_names[] = {"pragmas", "auto", "none", NULL};

#define FIELD(name) offsetof(struct run_options, name)

static const struct option_row option_table[] = {
    {"executor", OPTION_CHOICE, FIELD(executor), "engine|oracle",
     "the vectorised engine, or the slow one-thread-at-a-time oracle", EXECUTOR_ENGINE, 0, 1, executor_names},
    {"check", OPTION_CHOICE, FIELD(check), "none|races", "look for threads that touch one word unordered; slow",
     CHECK_NOTHING, 0, 1, check_names},
    {"verify", OPTION_CHOICE, FIELD(verify), "none|functional",
     "compare the memory of each launch on a machine with the engine's", VERIFY_NEVER, 0, 1, verify_words},
    {"limit", OPTION_U64, FIELD(instruction_limit), "N", "warp instructions a launch may take; 0: no limit",
     UINT64_C(10000000000), 0, UINT64_MAX, NULL},
    {"stack", OPTION_U32, FIELD(stack_bytes), "BYTES", "local memory of a thread", LAUNCH_DEFAULT_STACK_BYTES, 64,
     LAUNCH_MAX_STACK_BYTES, NULL},
    {"memory", OPTION_U64, FIELD(memory_bytes), "BYTES", "device memory", UINT64_C(16) << 30, 1 << 20,
     UINT64_C(1) << 44, NULL},
    {"gpu", OPTION_PATH, FIELD(gpu), "NAME|FILE", "run on this machine, cycle by cycle; none: only compute (default)",
     0, 0, 0, NULL},
    {"mech", OPTION_PATH, FIELD(mechanism), "NAME", "divergence mechanism on a machine (default pdom)", 0, 0, 0, NULL},
    {"set", OPTION_LIST, FIELD(settings), "KNOB=VALUE", "change the machine or the mechanism: sm.schedulers=2", 0, 0, 0,
     NULL},
    {"profile", OPTION_PATH, FIELD(profile), "FILE", "likely-convergence points from --json of an earlier run", 0, 0, 0,
     NULL},
    {"profile-rare", OPTION_U32, FIELD(rare_percent), "PERCENT", "of a branch's threads: ways they hardly take", 5, 0,
     50, NULL},
    {"recon", OPTION_CHOICE, FIELD(recon), "pragmas|auto|none", "predicted meeting points under volta; auto: find more",
     RECON_PRAGMAS, 0, 2, recon_names},
    {"json", OPTION_PATH, FIELD(json_path), "FILE", "append a line of JSON for each launch; - is stdout", 0, 0, 0,
     NULL},
    {"stats", OPTION_PATH, FIELD(stats), "WHAT[,WHAT]", "figures to print on stderr; see below", 0, 0, 0, NULL},
    {"csv", OPTION_PATH, FIELD(csv_path), "FILE", "append these figures as tables; - is stdout", 0, 0, 0, NULL},
    {"interval", OPTION_U64, FIELD(interval_cycles), "N", "figures of each N cycles; 0: none", 0, 0, UINT64_MAX, NULL},
    {"trace", OPTION_VIEWS, FIELD(trace), "[VIEW,...]",
     "print what happened when: lanes, stack, list (default lanes,stack)", 0, 0, 0, NULL},
    {"trace-window", OPTION_PATH, FIELD(trace_window), "FIRST:LAST", "trace these cycles only", 0, 0, 0, NULL},
    {"trace-sm", OPTION_PATH, FIELD(trace_sm), "N", "trace this multiprocessor (default 0; in a timeline all)", 0, 0, 0,
     NULL},
    {"trace-file", OPTION_PATH, FIELD(trace_file), "FILE", "print the trace there, not on stdout", 0, 0, 0, NULL},
    {"trace-perfetto", OPTION_PATH, FIELD(trace_perfetto), "FILE", "write a timeline for Perfetto or chrome://tracing",
     0, 0, 0, NULL},
};

enum { OPTIONS_KNOB_WORDS = 64 }; /* room for any mechanism's knobs */

enum { OPTION_COUNT = sizeof option_table / sizeof option_table[0] };

static void *field(const struct run_options *options, const struct option_row *row)
{
    return (char *)options + row->offset;
}

static void store_number(struct run_options *options, const struct option_row *row, uint64_t value)
{
    if (row->kind == OPTION_U64)
        *(uint64_t *)field(options, row) = value;
    else if (row->kind == OPTION_U32)
        *(uint32_t *)field(options, row) = (uint32_t)value;
    else
        *(unsigned *)field(options, row) = (unsigned)value; /* of whatever enum */
}

void options_default(struct run_options *options)
{
    memset(options, 0, sizeof *options);
    for (int i = 0; i < OPTION_COUNT; i++)
        if (option_table[i].kind < OPTION_PATH)
            store_number(options, &option_table[i], option_table[i].initial);
}

void options_free(struct run_options *options)
{
    free(options->json_path);
    free(options->gpu);
    free(options->mechanism);
    free(options->settings);
    free(options->stats);
    free(options->csv_path);
    free(options->profile);
    free(options->trace);
    free(options->trace_window);
    free(options->trace_sm);
    free(options->trace_file);
    free(options->trace_perfetto);
    free(options->tracing);
    if (options->run) {
        machine_free((struct machine *)options->run->machine);
        free((void *)options->run->mechanism_knobs);
        gpu_kept_free(options->run->kept);
        free(options->run->kept);
        free(options->run);
    }
    options->json_path = options->gpu = options->mechanism = options->settings = NULL;
    options->stats = options->csv_path = options->profile = NULL;
    options->trace = options->trace_window = options->trace_sm = options->trace_file = options->trace_perfetto = NULL;
    options->tracing = NULL;
    options->run = NULL;
}

/* A whole number, perhaps with K, M or G behind it: of bytes powers of 1024, of anything else of 1000. */
static bool parse_number(const char *word, bool is_bytes, uint64_t *value)
{
    if (*word < '0' || *word > '9')
        return false;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(word, &end, 0);
    if (errno)
        return false;
    static const char letters[] = "KMGkmg";
    uint64_t unit = 1;
    const char *letter = *end ? strchr(letters, *end) : NULL;
    if (letter) {
        for (int i = (int)(letter - letters) % 3; i >= 0; i--)
            unit *= is_bytes ? 1024 : 1000;
        end++;
    }
    return !*end && !__builtin_mul_overflow((uint64_t)number, unit, value);
}

static char *copy_string(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(xmalloc(bytes), text, bytes);
}

static bool store_word(struct run_options *options, const struct option_row *row, const char *word, char **error)
{
    uint64_t number;
    if (row->kind == OPTION_LIST) {
        char **list = field(options, row);
        struct text all = {0};
        text_printf(&all, "%s%s\n", *list ? *list : "", word);
        free(*list);
        *list = text_take(&all);
        return true;
    }
    if (row->kind >= OPTION_PATH) {
        if (!*word)
            return diag_fail(error, "--%s needs a name", row->name);
        char **path = field(options, row);
        free(*path);
        *path = copy_string(word);
        return true;
    }
    if (row->kind == OPTION_CHOICE) {
        for (int i = 0; row->choices[i]; i++)
            if (!strcmp(row->choices[i], word)) {
                store_number(options, row, (uint64_t)i);
                return true;
            }
        return diag_fail(error, "--%s must be one of %s, not '%s'", row->name, row->value, word);
    }
    if (!parse_number(word, !strcmp(row->value, "BYTES"), &number) || number < row->least || number > row->most)
        return diag_fail(error, "--%s must be a number from %" PRIu64 " to %" PRIu64 ", not '%s'", row->name,
                         row->least, row->most, word);
    store_number(options, row, number);
    return true;
}

static const struct option_row *find_option(const char *name, size_t length)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strlen(option_table[i].name) == length && !memcmp(option_table[i].name, name, length))
            return &option_table[i];
    return NULL;
}

/* --trace may stand alone. What follows it is its value if it looks like a list of views, not like a file. */
static const char *views_of(const char *next)
{
    bool is_list = next && *next && strspn(next, "abcdefghijklmnopqrstuvwxyz,") == strlen(next);
    return is_list ? next : "lanes,stack";
}

int options_take(struct run_options *options, int argc, char **argv, int *index, char **error)
{
    const char *word = argv[*index];
    if (strncmp(word, "--", 2))
        return 0;
    if (!strcmp(word, "--quiet")) { /* the one without a value; it is about the terminal, so results do not name it */
        options->is_quiet = true;
        ++*index;
        return 1;
    }
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
    const struct option_row *row = find_option(word + 2, length);
    if (!row)
        return 0;
    const char *next = *index + 1 < argc ? argv[*index + 1] : NULL;
    const char *value = equals ? equals + 1 : row->kind == OPTION_VIEWS ? views_of(next) : next;
    if (!value) {
        diag_fail(error, "--%s needs a value: --%s %s", row->name, row->name, row->value);
        return -1;
    }
    *index += value == next ? 2 : 1;
    return store_word(options, row, value, error) ? 1 : -1;
}

const char *options_nearest(const char *word)
{
    while (*word == '-')
        word++;
    const struct option_row *best = &option_table[0];
    for (int i = 1; i < OPTION_COUNT; i++)
        if (text_distance(word, option_table[i].name) < text_distance(word, best->name))
            best = &option_table[i];
    return best->name;
}

/* Splits at blanks, in place; quotes of either kind keep blanks and vanish. Returns false on an open quote.
 */
static bool next_word(char **at, char **word)
{
    char *from = *at, *to;
    while (*from == ' ' || *from == '\t' || *from == '\n')
        from++;
    *word = to = from;
    if (!*from) {
        *word = NULL;
        *at = from;
        return true;
    }
    char quote = 0;
    for (; *from && (quote || !strchr(" \t\n", *from)); from++) {
        if (quote ? *from == quote : *from == '"' || *from == '\'')
            quote = quote ? 0 : *from;
        else
            *to++ = *from;
    }
    *at = *from ? from + 1 : from;
    *to = '\0';
    return !quote;
}

bool options_take_text(struct run_options *options, const char *words, char **error)
{
    struct vec_of(char *) argv = {0};
    char *copy = copy_string(words), *at = copy, *word;
    bool ok = true;
    while (ok && ((ok = next_word(&at, &word))) && word)
        vec_push(&argv, word);
    if (!ok)
        diag_fail(error, "a quote is not closed: %s", words);
    for (int i = 0; ok && i < argv.count;) {
        int taken = options_take(options, argv.count, argv.data, &i, error);
        if (!taken)
            diag_fail(error, "unknown option '%s'; did you mean --%s?", argv.data[i], options_nearest(argv.data[i]));
        ok = taken > 0;
    }
    vec_free(&argv);
    free(copy);
    return ok;
}

bool options_take_environment(struct run_options *options, char **error)
{
    const char *words = getenv("HEDDLE_OPTS");
    return !words || options_take_text(options, words, error);
}

void options_help(FILE *out)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_table[i];
        char left[64];
        snprintf(left, sizeof left, "--%s %s", row->name, row->value);
        fprintf(out, "  %-26s %s\n", left, row->meaning);
        if (row->kind == OPTION_CHOICE)
            fprintf(out, "  %-26s (default %s)\n", "", row->choices[row->initial]);
        else if (row->kind < OPTION_PATH)
            fprintf(out, "  %-26s (default %" PRIu64 ")\n", "", row->initial);
    }
}

void options_json(const struct run_options *options, struct text *t)
{
    text_printf(t, "{");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_table[i];
        text_printf(t, "%s\"%s\":", i ? "," : "", row->name);
        if (row->kind >= OPTION_PATH)
            result_json_string(t, *(char **)field(options, row));
        else if (row->kind == OPTION_CHOICE)
            result_json_string(t, row->choices[*(unsigned *)field(options, row)]);
        else if (row->kind == OPTION_U32)
            text_printf(t, "%" PRIu32, *(uint32_t *)field(options, row));
        else
            text_printf(t, "%" PRIu64, *(uint64_t *)field(options, row));
    }
    text_printf(t, "}");
}

static bool append_file(const char *path, const struct text *line)
{
    bool to_stdout = !strcmp(path, "-");
    if (!line->length)
        return true;
    FILE *file = to_stdout ? stdout : fopen(path, "a");
    if (!file) {
        fprintf(stderr, "heddle: error: cannot open %s for the results: %s\n", path, strerror(errno));
        return false;
    }
    bool ok = fwrite(line->data, 1, line->length, file) == line->length;
    int reason = errno;
    if ((to_stdout ? fflush(file) : fclose(file)) && ok) { /* a short line is written only here */
        ok = false;
        reason = errno;
    }
    if (!ok)
        fprintf(stderr, "heddle: error: cannot write the results to %s: %s\n", to_stdout ? "stdout" : path,
                strerror(reason));
    return ok;
}

static bool check_path(const char *path, const char *what, char **error)
{
    if (!path || !strcmp(path, "-"))
        return true;
    FILE *file = fopen(path, "a");
    if (!file)
        return diag_fail(error, "cannot open %s for the %s: %s", path, what, strerror(errno));
    fclose(file);
    return true;
}

bool options_check_output(const struct run_options *options, char **error)
{
    return check_path(options->json_path, "results", error) && check_path(options->csv_path, "results", error) &&
           check_path(options->trace_file, "trace", error) && check_path(options->trace_perfetto, "trace", error);
}

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

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
        bool ok, for_mechanism = !strncmp(word, mechanism->name, length) && word[length] == '.';
        if (for_mechanism && mechanism->knobs && equals) {
            *equals = '\0';
            ok = knob_set(mechanism->knobs, knobs, word + length + 1, equals + 1, error);
        } else {
            ok = machine_set(machine, word, error);
        }
        free(word);
        if (!ok)
            return false;
    }
    return machine_check(machine, error);
}

static char *list_mechanisms(const char *wrong)
{
    struct text t = {0};
    text_printf(&t, "there is no mechanism '%s'; there are", wrong);
    for (const struct div_ops *const *m = div_all(); *m; m++)
        text_printf(&t, " %s", (*m)->name);
    return text_take(&t);
}

/* What only a machine can do: the option's name, or NULL if none is given. */
static const char *needs_machine(const struct run_options *o)
{
    return o->mechanism                                                              ? "mech"
           : o->settings                                                             ? "set"
           : o->csv_path                                                             ? "csv"
           : o->interval_cycles                                                      ? "interval"
           : o->profile                                                              ? "profile"
           : o->recon                                                                ? "recon"
           : o->verify                                                               ? "verify"
           : o->trace                                                                ? "trace"
           : o->trace_perfetto                                                       ? "trace-perfetto"
           : o->report_groups & ~(unsigned)REPORT_SUMMARY && strcmp(o->stats, "all") ? "stats"
                                                                                     : NULL;
}

/* Reads what the options of a trace ask for, if any do. */
static bool finish_tracing(struct run_options *options, char **error)
{
    if (!options->trace && !options->trace_perfetto) {
        const char *alone = options->trace_window ? "window" : options->trace_sm ? "sm" : "file";
        if (!options->trace_window && !options->trace_sm && !options->trace_file)
            return true;
        return diag_fail(error, "--trace-%s needs --trace or --trace-perfetto", alone);
    }
    struct tracing *t = options->tracing = xcalloc(1, sizeof *t);
    uint64_t sm;
    uint32_t sm_count = options->run->machine->gpu.sm_count;
    t->sm = -1;
    t->text_path = options->trace_file;
    t->perfetto_path = options->trace_perfetto;
    if ((options->trace && !tracing_read_views(t, options->trace, error)) ||
        (options->trace_window && !tracing_read_window(t, options->trace_window, error)))
        return false;
    if (options->trace_sm) {
        if (!parse_number(options->trace_sm, false, &sm) || sm >= sm_count)
            return diag_fail(error, "--trace-sm must be a multiprocessor of the machine, 0 to %" PRIu32 ", not '%s'",
                             sm_count - 1, options->trace_sm);
        t->sm = (int)sm;
    }
    return true;
}

static bool choose_groups(struct run_options *options, char **error)
{
    if (!report_parse_groups(options->stats ? options->stats : "summary", &options->report_groups, error))
        return false;
    if (!options->stats && options->interval_cycles)
        options->report_groups |= REPORT_INTERVALS;
    if (options->stats && strstr(options->stats, "intervals") && !options->interval_cycles)
        return diag_fail(error, "--stats intervals needs their length: --interval N");
    return true;
}

bool options_finish(struct run_options *options, char **error)
{
    bool functional = !options->gpu || !strcmp(options->gpu, "none");
    if (options->check && options->executor == EXECUTOR_ORACLE)
        return diag_fail(error, "--check races needs the engine: the oracle does not look");
    if (!choose_groups(options, error))
        return false;
    if (functional && needs_machine(options))
        return diag_fail(error, "--%s needs a machine: --gpu NAME", needs_machine(options));
    if (functional)
        return true;
    if (options->executor == EXECUTOR_ORACLE)
        return diag_fail(error, "--executor oracle and --gpu exclude each other");
    const struct div_ops *mechanism = div_find(options->mechanism ? options->mechanism : "pdom");
    if (!mechanism) {
        *error = list_mechanisms(options->mechanism);
        return false;
    }
    bool predicts = options->recon == RECON_AUTO && mechanism->flags & DIV_BARRIERS;
    if (options->profile && !(mechanism->flags & DIV_LIKELY) && !predicts)
        return diag_fail(error,
                         "--profile is for mechanisms with likely-convergence points, such as pdom-lcp, not for %s",
                         mechanism->name);
    struct machine *machine = machine_load(options->gpu, error);
    if (!machine)
        return false;
    void *knobs = xcalloc(OPTIONS_KNOB_WORDS, sizeof(uint64_t));
    if (mechanism->knobs)
        knob_defaults(mechanism->knobs, knobs);
    options->run = xcalloc(1, sizeof *options->run);
    *options->run = (struct gpu_run){.machine = machine,
                                     .mechanism = mechanism,
                                     .mechanism_knobs = knobs,
                                     .kept = xcalloc(1, sizeof *options->run->kept)};
    return apply_settings(options, machine, mechanism, knobs, error) && finish_tracing(options, error);
}

/* Blocks of characters are for people at a terminal that says it knows them. */
static bool is_utf8_terminal(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    if (!isatty(STDERR_FILENO))
        return false;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value)
            return strstr(value, "UTF-8") || strstr(value, "utf8");
    }
    return false;
}

static bool is_empty_file(const char *path)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "r") : NULL;
    bool is_empty = !file || fgetc(file) == EOF;
    if (file)
        fclose(file);
    return is_empty;
}

/* JSON and CSV to where they are wanted. */
static bool write_results(const struct run_options *options, const struct launch *launch, const struct code *code,
                          const struct gpu_result *timed, const struct report *report)
{
    struct text t = {0};
    bool ok = true;
    if (options->json_path) {
        result_json_line(&t, options, launch, code, timed, report);
        ok = append_file(options->json_path, &t);
        text_free(&t);
    }
    if (options->csv_path && report) {
        report_csv(report, options->report_groups, is_empty_file(options->csv_path), &t);
        ok = append_file(options->csv_path, &t) && ok;
        text_free(&t);
    }
    return ok;
}

static void check_counters(const struct gpu_result *timed, const struct machine *machine)
{
#ifdef HEDDLE_CHECKS
    struct text why = {0};
    if (!timed->launch.fault.kind && !report_check(timed, machine, &why))
        panic("counters contradict each other:\n%s", why.data);
    text_free(&why);
#else
    (void)timed;
    (void)machine;
#endif
}

/* Who watches a launch. */
struct watching {
    struct interval_series intervals;
    struct progress progress;
};

static void note_interval(void *context, uint64_t cycle, const struct stat_result *so_far)
{
    interval_note(&((struct watching *)context)->intervals, cycle, so_far);
}

static bool note_progress(void *context, const struct gpu_progress *so_far)
{
    return progress_report(&((struct watching *)context)->progress, so_far);
}

/* The points that the profile names for the program; NULL and a fault if it knows nothing of it. */
static int32_t *read_likely(const struct run_options *options, const struct launch *launch, const struct code *code,
                            struct fault *fault)
{
    const struct program *p = code_program(code);
    char *error = NULL;
    struct branch_use *use = profile_read(options->profile, p, &error);
    int32_t *points = use ? profile_points(p, use, options->rare_percent) : NULL;
    if (!use) {
        fault->kind = FAULT_LAUNCH;
        fault->kernel = launch->kernel->name;
        snprintf(fault->detail, sizeof fault->detail, "%s", error);
    }
    free(error);
    free(use);
    return points;
}

/* Barriers as predictions ask for them; NULL: there are none, or the mechanism knows no barriers. */
static struct barrier_plan *predicted_barriers(const struct run_options *options, const struct gpu_run *run,
                                               const struct code *code)
{
    const struct program *p = code_program(code);
    struct branch_use *use = NULL;
    struct text said = {0};
    char *error = NULL;
    if (!(run->mechanism->flags & DIV_BARRIERS) || run->barriers || options->recon == RECON_NONE ||
        (options->recon == RECON_PRAGMAS && !predict_has_pragmas(p)))
        return NULL;
    if (options->profile && options->recon == RECON_AUTO) /* a kernel that it does not know goes without */
        use = profile_read(options->profile, p, &error);
    struct barrier_plan *plan = speculate_program(p, options->recon == RECON_AUTO, use, &said);
    if (said.length)
        fprintf(stderr, "kernel %s: %s", p->kernel->name, said.data);
    text_free(&said);
    free(error);
    free(use);
    return plan;
}

static bool run_on_machine(const struct run_options *options, const struct launch *launch, const struct code *code,
                           struct gpu_result *timed, struct text *text)
{
    struct watching watching = {0};
    struct gpu_run run = *options->run;
    bool wants_likely = options->profile && run.mechanism->flags & DIV_LIKELY;
    int32_t *likely = wants_likely ? read_likely(options, launch, code, &timed->launch.fault) : NULL;
    if (timed->launch.fault.kind)
        return true;
    run.likely = likely;
    struct barrier_plan *barriers = predicted_barriers(options, &run, code);
    run.barriers = barriers ? barriers : run.barriers;
    run.watch.context = &watching;
    run.watch.every_cycles = options->interval_cycles;
    run.watch.interval = note_interval;
    run.watch.progress = note_progress;
    if (options->tracing)
        run.trace = tracing_begin(options->tracing);
    struct verify_start *before = options->verify ? verify_begin(launch) : NULL;
    progress_start(&watching.progress, options->shows_progress, options->stop);
    double start = now_seconds();
    gpu_launch(&run, launch, code, timed);
    timed->launch.host_seconds = now_seconds() - start;
    progress_end(&watching.progress);
    if (options->verify)
        timed->memory = verify_end(before, &run, launch, code, timed);
    bool traced = !run.trace || tracing_end(options->tracing, run.trace, &run, launch, code, timed->cycles);
    check_counters(timed, run.machine);
    if (options->interval_cycles)
        note_interval(&watching, timed->cycles, &(struct stat_result){timed->parts, timed->part_count});
    bool ok = true;
    if (text || options->json_path || options->csv_path) {
        struct report report;
        report_open(&report, &run, launch, code_program(code), timed,
                    options->interval_cycles ? &watching.intervals : NULL);
        ok = write_results(options, launch, code, timed, &report);
        if (text)
            report_text(&report, options->report_groups, is_utf8_terminal(), text);
        report_close(&report);
    }
    interval_free(&watching.intervals);
    free(likely);
    barrier_plan_destroy(barriers);
    return ok && traced;
}

static bool run_somewhere(const struct run_options *options, struct launch *launch, const struct code *code,
                          struct gpu_result *timed, struct text *report)
{
    if (options->run)
        return run_on_machine(options, launch, code, timed, report);
    double start = now_seconds();
    if (options->executor == EXECUTOR_ORACLE)
        oracle_launch(launch, &timed->launch);
    else
        engine_launch(launch, code, &timed->launch);
    timed->launch.host_seconds = now_seconds() - start;
    return write_results(options, launch, code, timed, NULL);
}

static char *describe_races(const struct run_options *options, const struct race *race)
{
    struct text t = {0};
    if (options->run)
        gpu_print_races(options->run, race, &t);
    else
        race_print(race, "the functional engine", false, &t);
    return text_take(&t);
}

bool options_run_timed(const struct run_options *options, struct launch *launch, const struct code *code,
                       struct gpu_result *timed, struct text *report)
{
    if (!launch->instruction_limit)
        launch->instruction_limit = options->instruction_limit;
    if (!launch->stack_bytes)
        launch->stack_bytes = options->stack_bytes;
    memset(timed, 0, sizeof *timed);
    if (options->check == CHECK_RACES)
        launch->race = race_create();
    bool ok = run_somewhere(options, launch, code, timed, report);
    if (launch->race) {
        timed->launch.races = race_count(launch->race);
        timed->races = describe_races(options, launch->race);
        race_destroy(launch->race);
        launch->race = NULL;
    }
    return ok;
}

void options_print_memory(const struct run_options *options, const struct gpu_result *timed)
{
    struct text t = {0};
    if (!timed->memory)
        return;
    verification_print(timed->memory, &t);
    if (timed->memory->races)
        fprintf(stderr, "heddle: %s", timed->memory->races);
    if (t.data)
        fprintf(stderr, "heddle: under %s, %s", options->run->mechanism->name, t.data);
    text_free(&t);
}

bool options_run(const struct run_options *options, struct launch *launch, const struct code *code,
                 struct launch_result *result)
{
    struct gpu_result timed;
    struct text report = {0};
    bool ok = options_run_timed(options, launch, code, &timed, options->stats && !options->is_quiet ? &report : NULL);
    *result = timed.launch;
    if (timed.deadlock)
        fputs(timed.deadlock, stderr);
    if (report.data)
        fputs(report.data, stderr);
    if (timed.launch.races)
        fprintf(stderr, "heddle: %s", timed.races);
    options_print_memory(options, &timed);
    text_free(&report);
    gpu_result_free(&timed);
    return ok;
}
