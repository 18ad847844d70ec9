/*
 * Options of a run, from one table: parsing, help, completion and the options' part of a result derive from it. What
 * the options name is found by run/request.c.
 */
#include "run/options.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/vec.h"
#include "base/words.h"
#include "gpu/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Kinds from OPTION_WORD on are texts that the options own. */
enum option_kind {
    OPTION_CHOICE,
    OPTION_U32,
    OPTION_U64,
    OPTION_SWITCH, /* a bool: the option has no value */
    OPTION_WORD,
    OPTION_FILE,    /* the path of a file, or - */
    OPTION_MACHINE, /* the name of a built-in machine, or the path of a file */
    OPTION_VIEWS,
    OPTION_LIST
};

struct option_row {
    const char *name;
    enum option_kind kind;
    size_t offset;                 /* of the option's field in struct run_options */
    const char *value;             /* name of the value in the help, for example FILE; NULL: the option takes none */
    const char *meaning;           /* whole sentences: a verb in the third person, or a noun; a number names its unit */
    uint64_t initial, least, most; /* of a number; of a choice: `initial` is the default's index */
    const char *const *choices;    /* NULL-terminated */
};

static const char *const executor_names[] = {"engine", "oracle", NULL};
static const char *const check_names[] = {"none", "races", "lockstep", NULL};
static const char *const tolerate_names[] = {"none", "reads", NULL};
static const char *const verify_words[] = {"none", "functional", NULL};
static const char *const recon_names[] = {"pragmas", "auto", "none", NULL};
static const char *const deconflict_names[] = {"dynamic", "static", NULL};
static const char *const lower_names[] = {"none", "ptxas", NULL};

#define FIELD(name) offsetof(struct run_options, name)

enum { MOST_THREADS = 1024 };

static const struct option_row option_table[] = {
    {"executor", OPTION_CHOICE, FIELD(executor), "engine|oracle",
     "Executes with the fast engine, or with the slow, simple oracle.", EXECUTOR_ENGINE, 0, 1, executor_names},
    {"check", OPTION_CHOICE, FIELD(check), "none|races|lockstep",
     "Looks for data races between threads (races), or for threads of a warp that communicate through memory in an "
     "order that only lock-step gives (lockstep); slow.",
     CHECK_NOTHING, 0, 2, check_names},
    {"tolerate", OPTION_CHOICE, FIELD(tolerate), "none|reads",
     "Lets reads of global memory that does not exist return 0, and counts them, instead of ending the launch.",
     TOLERATE_NOTHING, 0, 1, tolerate_names},
    {"verify", OPTION_CHOICE, FIELD(verify), "none|functional",
     "Compares the memory that each launch leaves with what the functional engine leaves.", VERIFY_NEVER, 0, 1,
     verify_words},
    {"limit", OPTION_U64, FIELD(instruction_limit), "N", "Ends a launch after N warp instructions; 0: no limit.",
     UINT64_C(10000000000), 0, UINT64_MAX, NULL},
    {"stack", OPTION_U32, FIELD(stack_bytes), "BYTES", "Local memory per thread, in bytes.", LAUNCH_DEFAULT_STACK_BYTES,
     64, LAUNCH_MAX_STACK_BYTES, NULL},
    {"memory", OPTION_U64, FIELD(memory_bytes), "BYTES", "Size of device memory, in bytes.", UINT64_C(16) << 30,
     1 << 20, UINT64_C(1) << 44, NULL},
    {"threads", OPTION_U32, FIELD(threads), "N",
     "Host threads that simulate or compute a launch; 0: one for each core that is idle. Results, figures and memory "
     "do "
     "not depend on it. Runs side by side (--jobs) get one each unless told.",
     0, 0, MOST_THREADS, NULL},
    {"gpu", OPTION_MACHINE, FIELD(gpu), "NAME|FILE",
     "Simulates this machine cycle by cycle. Default: none, which only computes.", 0, 0, 0, NULL},
    {"mech", OPTION_WORD, FIELD(mechanism), "NAME", "Divergence mechanism of the machine. Default: pdom.", 0, 0, 0,
     NULL},
    {"set", OPTION_LIST, FIELD(settings), "KNOB=VALUE",
     "Changes a knob of the machine or the mechanism, as in sm.schedulers=2. May be given several times.", 0, 0, 0,
     NULL},
    {"paper-schedulers", OPTION_SWITCH, FIELD(paper_schedulers), NULL,
     "Runs the mechanism with the scheduler of its paper, which heddle list mechanisms names; without one, with the "
     "machine's. Excludes --set sm.scheduler.",
     0, 0, 0, NULL},
    {"profile", OPTION_FILE, FIELD(profile), "FILE",
     "Takes likely-convergence points from the --json of an earlier run.", 0, 0, 0, NULL},
    {"profile-running", OPTION_SWITCH, FIELD(profile_running), NULL,
     "Takes likely-convergence points from earlier launches of the same kernel in this run.", 0, 0, 0, NULL},
    {"profile-rare", OPTION_U32, FIELD(rare_percent), "PERCENT",
     "Ignores paths that at most this share of a branch's threads took.", 5, 0, 50, NULL},
    {"recon", OPTION_CHOICE, FIELD(recon), "pragmas|auto|none",
     "Predicts under volta where threads reconverge: by the kernel's pragmas (pragmas), by these and what "
     "heddle recon --auto finds (auto), or nowhere (none).",
     RECON_PRAGMAS, 0, 2, recon_names},
    {"recon-threshold", OPTION_WORD, FIELD(recon_threshold), "N|all|adaptive",
     "Number of threads at a predicted point that suffices to go on without waiting for more, for predictions whose "
     "pragma names none; with all, all threads wait; with adaptive, the hardware finds the number while the kernel "
     "runs. Default: all for pragmas, and what --recon auto estimates for what it finds.",
     0, 0, 0, NULL},
    {"recon-deconflict", OPTION_CHOICE, FIELD(recon_deconflict), "dynamic|static",
     "What becomes of a post-dominator's barrier that conflicts with a prediction: threads leave the barrier while "
     "they "
     "wait at the predicted point (dynamic), or the program does without the barrier (static).",
     RECON_DYNAMIC, 0, 1, deconflict_names},
    {"lower", OPTION_CHOICE, FIELD(lower), "none|ptxas",
     "Changes branches before the run as NVIDIA's ptxas does (ptxas): short ones become guards, and convergence "
     "barriers, which volta executes, count as instructions.",
     LOWER_NOTHING, 0, 1, lower_names},
    {"no-compaction", OPTION_WORD, FIELD(no_compaction), "NAME[,NAME]",
     "Keeps the threads of these kernels in their static warps, for code that relies on them: switches the compaction "
     "of tbc, tbc-lcp, tbc-dpe, lwm, capri, tstbc and tstbc-auto off.",
     0, 0, 0, NULL},
    {"rewrite", OPTION_WORD, FIELD(rewrite), "PASS[,PASS]",
     "Changes kernels before the run by these passes of heddle recon, such as merge-loops, delay=majority or fuse.", 0,
     0, 0, NULL},
    {"sort-threads", OPTION_WORD, FIELD(sort_threads), "[KERNEL:]BLOCK",
     "Runs threads that do alike at the branch at the end of this basic block (heddle flow) in the same warps, as "
     "a program does that sorts its inputs first.",
     0, 0, 0, NULL},
    {"evidence", OPTION_FILE, FIELD(evidence), "FILE",
     "Appends one line of JSON per launch that says which branches left lanes empty, for heddle explain.", 0, 0, 0,
     NULL},
    {"kernel", OPTION_WORD, FIELD(kernels), "NAME[,NAME]",
     "Times, checks and reports only launches of these kernels of a program, and only computes the others.", 0, 0, 0,
     NULL},
    {"launch", OPTION_WORD, FIELD(launches), "N[:M][,...]",
     "Times, checks and reports only these launches of a program, counted from 1 on.", 0, 0, 0, NULL},
    {"sample", OPTION_SWITCH, FIELD(sample), NULL,
     "Times only chosen launches and blocks on the machine, computes the others, and estimates the cycles of the whole "
     "with an interval of 95 % confidence; see docs/sampling.md.",
     0, 0, 0, NULL},
    {"record", OPTION_FILE, FIELD(record_path), "FILE",
     "Records what the threads of every launch decide: branches, addresses, barriers. heddle replay times the file "
     "under "
     "any mechanism.",
     0, 0, 0, NULL},
    {"json", OPTION_FILE, FIELD(json_path), "FILE", "Appends one line of JSON per launch; - is stdout.", 0, 0, 0, NULL},
    {"stats", OPTION_WORD, FIELD(stats), "WHAT[,WHAT]",
     "Prints these groups of figures on stderr; see Figures of a run.", 0, 0, 0, NULL},
    {"csv", OPTION_FILE, FIELD(csv_path), "FILE", "Appends the tables of --stats; - is stdout; see Tables.", 0, 0, 0,
     NULL},
    {"interval", OPTION_U64, FIELD(interval_cycles), "N", "Keeps a series of figures, one for every N cycles; 0: none.",
     0, 0, UINT64_MAX, NULL},
    {"trace", OPTION_VIEWS, FIELD(trace), "[VIEW,...]",
     "Prints the run cycle by cycle: lanes, stack, list. Default: lanes,stack.", 0, 0, 0, NULL},
    {"trace-window", OPTION_WORD, FIELD(trace_window), "FIRST:LAST", "Traces only these cycles.", 0, 0, 0, NULL},
    {"trace-sm", OPTION_WORD, FIELD(trace_sm), "N",
     "Traces only this multiprocessor. Default: 0 in text, all in a timeline.", 0, 0, 0, NULL},
    {"trace-file", OPTION_FILE, FIELD(trace_file), "FILE", "Prints the trace to this file instead of stdout.", 0, 0, 0,
     NULL},
    {"trace-perfetto", OPTION_FILE, FIELD(trace_perfetto), "FILE",
     "Writes a timeline for Perfetto or chrome://tracing.", 0, 0, 0, NULL},
    {"trace-svg", OPTION_FILE, FIELD(trace_svg), "FILE", "Draws lanes by time as SVG, coloured by basic block.", 0, 0,
     0, NULL},
    {"trace-tikz", OPTION_FILE, FIELD(trace_tikz), "FILE", "Draws the same for LaTeX; pdflatex makes a PDF of it.", 0,
     0, 0, NULL},
    {"report-data", OPTION_FILE, FIELD(report_data), "FILE",
     "Appends what a page shows of each launch on a machine, for heddle report: figures, counters by instruction, and "
     "for the first launch of each kernel program and trace.",
     0, 0, 0, NULL},
};

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
    else if (row->kind == OPTION_SWITCH)
        *(bool *)field(options, row) = value;
    else
        *(unsigned *)field(options, row) =
            (unsigned)value; /* every choice is an enum, which has the size of unsigned */
}

void options_default(struct run_options *options)
{
    memset(options, 0, sizeof *options);
    for (int i = 0; i < OPTION_COUNT; i++)
        if (option_table[i].kind < OPTION_WORD)
            store_number(options, &option_table[i], option_table[i].initial);
}

void options_free(struct run_options *options)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (option_table[i].kind >= OPTION_WORD) {
            char **word = field(options, &option_table[i]);
            free(*word);
            *word = NULL;
        }
}

/* Reads a whole number that may end in K, M or G: powers of 1024 for bytes, of 1000 for anything else. */
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
    if (row->kind >= OPTION_WORD) {
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

/* --trace may stand without a value. The next word is its value if that word looks like a list of views, not like a
 * file. */
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
    if (!strcmp(word, "--quiet")) { /* has no value, and is not in the table since results do not name it */
        options->is_quiet = true;
        ++*index;
        return 1;
    }
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
    const struct option_row *row = find_option(word + 2, length);
    if (!row)
        return 0;
    if (row->kind == OPTION_SWITCH) {
        ++*index;
        store_number(options, row, true);
        return equals ? diag_fail(error, "--%s takes no value: '%s'", row->name, word), -1 : 1;
    }
    const char *next = *index + 1 < argc ? argv[*index + 1] : NULL;
    const char *value = equals ? equals + 1 : row->kind == OPTION_VIEWS ? views_of(next) : next;
    if (!value) {
        diag_fail(error, "--%s needs a value: --%s %s", row->name, row->name, row->value);
        return -1;
    }
    *index += value == next ? 2 : 1;
    return store_word(options, row, value, error) ? 1 : -1;
}

bool options_take_no_value(const char *word)
{
    const struct option_row *row = strncmp(word, "--", 2) ? NULL : find_option(word + 2, strlen(word + 2));
    return !strcmp(word, "--quiet") || (row && row->kind == OPTION_SWITCH);
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

bool options_take_text(struct run_options *options, const char *words, char **error)
{
    struct vec_of(char *) argv = {0};
    char *copy = copy_string(words), *at = copy, *word;
    bool ok = true;
    while (ok && ((ok = words_next(&at, &word))) && word)
        vec_push(&argv, word);
    if (!ok)
        diag_fail(error, "a quote is not closed: %s", words);
    for (int i = 0; ok && i < argv.count;) {
        int taken = options_take(options, argv.count, argv.data, &i, error);
        if (!taken) {
            char name[64], hint[TEXT_HINT];
            snprintf(name, sizeof name, "--%s", options_nearest(argv.data[i]));
            diag_fail(error, "unknown option '%s'%s", argv.data[i], text_hint(argv.data[i], name, hint));
        }
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

/* Appends `--name=value` in quotes, as next_word() reads words. A single quote in the value stands in double quotes. */
static void append_word(struct text *out, const char *name, const char *value, size_t length)
{
    text_printf(out, "%s'--%s=", out->length ? " " : "", name);
    for (size_t i = 0; i < length; i++)
        if (value[i] == '\'')
            text_printf(out, "'\"'\"'");
        else
            text_append(out, &value[i], 1);
    text_printf(out, "'");
}

static void append_list(struct text *out, const char *name, const char *list)
{
    for (const char *at = list; at && *at; at += strcspn(at, "\n") + 1)
        append_word(out, name, at, strcspn(at, "\n"));
}

static void append_number(struct text *out, const struct option_row *row, uint64_t value)
{
    char number[32];
    snprintf(number, sizeof number, "%" PRIu64, value);
    if (value != row->initial)
        append_word(out, row->name, number, strlen(number));
}

void options_print(const struct run_options *options, struct text *out)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_table[i];
        const void *from = field(options, row);
        if (row->kind == OPTION_LIST) {
            append_list(out, row->name, *(char *const *)from);
        } else if (row->kind >= OPTION_WORD) {
            const char *word = *(char *const *)from;
            if (word)
                append_word(out, row->name, word, strlen(word));
        } else if (row->kind == OPTION_CHOICE) {
            const char *word = row->choices[*(const unsigned *)from];
            if (*(const unsigned *)from != row->initial)
                append_word(out, row->name, word, strlen(word));
        } else if (row->kind == OPTION_SWITCH) {
            if (*(const bool *)from)
                text_printf(out, "%s--%s", out->length ? " " : "", row->name);
        } else {
            append_number(out, row, row->kind == OPTION_U64 ? *(const uint64_t *)from : *(const uint32_t *)from);
        }
    }
    if (options->is_quiet)
        text_printf(out, "%s--quiet", out->length ? " " : "");
}

/* Whether --gpu names a file. A name that is neither a machine nor a file is left for the message about it. */
static bool is_machine_file(const char *name)
{
    bool is_builtin = !strcmp(name, "none");
    for (const char *const *m = machine_names(); *m; m++)
        is_builtin |= !strcmp(*m, name);
    return !is_builtin && !access(name, F_OK);
}

bool options_make_absolute(struct run_options *options, char **error)
{
    char *folder = NULL;
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_table[i];
        if (row->kind != OPTION_FILE && row->kind != OPTION_MACHINE)
            continue;
        char **path = field(options, row);
        if (!*path || **path == '/' || !strcmp(*path, "-") || (row->kind == OPTION_MACHINE && !is_machine_file(*path)))
            continue;
        if (!folder && !(folder = realpath(".", NULL)))
            return diag_fail(error, "--%s %s: the current folder has no path: %s", row->name, *path, strerror(errno));
        struct text whole = {0};
        text_printf(&whole, "%s/%s", folder, *path);
        free(*path);
        *path = text_take(&whole);
    }
    free(folder);
    return true;
}

bool options_describe(int index, struct options_about *about)
{
    if (index >= OPTION_COUNT)
        return false;
    const struct option_row *row = &option_table[index];
    *about = (struct options_about){.value = row->value, .meaning = row->meaning};
    snprintf(about->name, sizeof about->name, "--%s", row->name);
    if (row->kind == OPTION_CHOICE)
        snprintf(about->initial, sizeof about->initial, "%s", row->choices[row->initial]);
    else if (row->kind < OPTION_SWITCH)
        snprintf(about->initial, sizeof about->initial, "%" PRIu64, row->initial);
    return true;
}

void options_json(const struct run_options *options, struct text *t)
{
    text_printf(t, "{");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_table[i];
        if (row->offset == FIELD(threads)) /* it changes no result, so results do not name it */
            continue;
        text_printf(t, "%s\"%s\":", i ? "," : "", row->name);
        if (row->kind >= OPTION_WORD)
            json_print_string(t, *(char **)field(options, row));
        else if (row->kind == OPTION_CHOICE)
            json_print_string(t, row->choices[*(unsigned *)field(options, row)]);
        else if (row->kind == OPTION_SWITCH)
            text_printf(t, "%s", *(bool *)field(options, row) ? "true" : "false");
        else if (row->kind == OPTION_U32)
            text_printf(t, "%" PRIu32, *(uint32_t *)field(options, row));
        else
            text_printf(t, "%" PRIu64, *(uint64_t *)field(options, row));
    }
    text_printf(t, "}");
}
