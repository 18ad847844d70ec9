/*
 * heddle recon: where convergence barriers go for predicted reconvergence points, why, and what the predictions gain.
 * The compiler passes themselves are in recon/.
 */
#include "base/diag.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/recon_gain.h"

#include "base/vec.h"
#include "recon/detect.h"
#include "recon/speculate.h"
#include "rewrite/table.h"
#include "run/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option option_table[] = {
    {"--kernel", "NAME", "Kernel to work on; may be left out if the file has only one.", NULL},
    {"--predict", "REGION:POINT",
     "Predicts that threads which enter REGION reconverge at POINT: labels, basic blocks as heddle flow names them "
     "(C), or places in a block (C+5); POINT may be a function. Behind POINT may stand :threshold=N, :scope=listing or "
     ":deconflict=static. May be given several times.",
     NULL},
    {"--auto", NULL, "Adds predictions that heddle expects to save cycles to those of the pragmas.", NULL},
    {"--profile", "FILE", "Takes the counts of taken branches from the --json of an earlier run of the kernel.", NULL},
    {"--deconflict", "dynamic|static",
     "What becomes of a post-dominator's barrier that conflicts with a prediction: threads leave the barrier while "
     "they wait at the predicted point (dynamic), or the program does without the barrier (static).",
     "dynamic"},
    {"--threshold", "N|all|auto|adaptive",
     "Number of threads at POINT that suffices to go on without waiting for more, for every prediction that does not "
     "name one itself; with all, all threads wait. auto tries several numbers on the machine, or estimates one for "
     "each prediction of --auto; adaptive lets the hardware find the number while the kernel runs.",
     "auto for what --auto finds, all for the rest"},
    {"--scope", "loop|listing",
     "Where a region inside a loop begins: before the loop (loop), or where the prediction is written (listing).",
     "loop"},
    {"--dot", NULL, "Prints the flow graph with the barriers, for Graphviz.", NULL},
    {"--json", NULL, "Prints the barriers and predictions as JSON.", NULL},
    {"--write", "FILE",
     "Writes the program with its predictions as pragmas; - is stdout. If passes rewrote the program, comments at its "
     "head say what they did.",
     NULL},
/* The word of a pass may be left out. */
#define VALUE_REWRITE_PLAIN(value)                       value
#define VALUE_REWRITE_NUMBER(value)                      value
#define VALUE_REWRITE_WORD(value)                        "[" value "]"
#define PASS(name, value_kind, value, meaning, function) {"--" name, VALUE_##value_kind(value), meaning, NULL},
#include "rewrite/passes.def"
#undef PASS
    {NULL, NULL, NULL, NULL},
};

static const struct cli_section section_table[] = {
    {"Words of passes (--merge-loops, --delay, --fuse)",
     "Of the words of a pass, the first is taken if none is given. gather lets threads wait at one\n"
     "place, ahead of the code that they are to run together; majority lets them wait on both sides of\n"
     "the branch, and a round runs the side that more threads are at. paying fuses branches where that\n"
     "saves issue slots. all, and all-majority, do the same wherever it is legal, whether it pays or\n"
     "not.\n",
     NULL},
    {"Runs",
     "With --gpu NAME the kernel runs under the mechanism volta, first with barriers at post-dominators,\n"
     "then with the predictions, and a table says what these gain. All other options are then those of\n"
     "heddle run: --grid, --block, --arg and so on.\n",
     NULL},
    {NULL, NULL, NULL},
};

struct recon_request {
    const char *path, *kernel, *profile, *write;
    struct vec_of(const char *) predictions; /* values of --predict */
    struct vec_of(char *) passed;            /* options of heddle run */
    struct rewrite_list passes;              /* in the order of the command line */
    struct speculate_rules rules;
    bool wants_auto, wants_dot, wants_json, has_machine;
    bool searches_threshold; /* --threshold auto */
    bool sets_threshold;     /* --threshold with a number, all or adaptive: --auto takes it too */
};

static int take_choice(const char *name, const char *value, const char *first, const char *second, bool *is_second)
{
    if (strcmp(value, first) && strcmp(value, second))
        return cli_misuse("recon", "%s takes %s or %s, not '%s'", name, first, second, value);
    *is_second = !strcmp(value, second);
    return STATUS_OK;
}

static int take_threshold(struct recon_request *r, const char *value)
{
    r->searches_threshold = !strcmp(value, "auto");
    r->sets_threshold = !r->searches_threshold;
    r->rules.threshold = 0;
    if (!r->searches_threshold && !predict_read_threshold(value, &r->rules.threshold))
        return cli_misuse("recon",
                          "--threshold takes a number of threads from 1 to %d, all, auto or adaptive, not '%s'",
                          BARRIER_THRESHOLD_MAX, value);
    return STATUS_OK;
}

static int take_pass(struct recon_request *r, const struct rewrite_pass *pass, const char *value)
{
    char *error = NULL;
    if (rewrite_add(&r->passes, pass, value, &error))
        return STATUS_OK;
    int status = cli_misuse("recon", "--%s", error);
    free(error);
    return status;
}

static int take_option(struct recon_request *r, const char *name, const char *value)
{
    const struct rewrite_pass *pass = rewrite_find(name + 2, strlen(name + 2));
    bool is_static = false;
    int status = STATUS_OK;
    if (pass)
        return take_pass(r, pass, value);
    if (!strcmp(name, "--kernel"))
        r->kernel = value;
    else if (!strcmp(name, "--predict"))
        vec_push(&r->predictions, value);
    else if (!strcmp(name, "--auto"))
        r->wants_auto = true;
    else if (!strcmp(name, "--profile"))
        r->profile = value;
    else if (!strcmp(name, "--threshold"))
        return take_threshold(r, value);
    else if (!strcmp(name, "--scope"))
        return take_choice(name, value, "loop", "listing", &r->rules.as_listed);
    else if (!strcmp(name, "--dot"))
        r->wants_dot = true;
    else if (!strcmp(name, "--json"))
        r->wants_json = true;
    else if (!strcmp(name, "--write"))
        r->write = value;
    else {
        status = take_choice(name, value, "dynamic", "static", &is_static);
        r->rules.deconflict = is_static ? DECONFLICT_STATIC : DECONFLICT_DYNAMIC;
    }
    return status;
}

/* Takes an option of heddle run, with its value if it has one. */
static void pass_on(struct recon_request *r, int argc, char **argv, int *index)
{
    const char *word = argv[*index];
    r->has_machine |= !strncmp(word, "--gpu", 5);
    vec_push(&r->passed, argv[(*index)++]);
    if (!strchr(word, '=') && *index < argc && strncmp(argv[*index], "--", 2))
        vec_push(&r->passed, argv[(*index)++]);
}

/* Refuses what heddle run would refuse, before barriers are printed. */
static int check_passed(const struct recon_request *r)
{
    struct vec_of(char *) words = {0};
    vec_push(&words, "run");
    vec_push(&words, (char *)r->path);
    vec_push(&words, "--mech=volta"); /* so that knobs of volta are known */
    for (int i = 0; i < r->passed.count; i++)
        vec_push(&words, r->passed.data[i]);
    int status = run_check("recon", words.count, words.data);
    vec_free(&words);
    return status;
}

/* Whether the word is --name=value with an option of recon that takes no value. */
static bool is_plain_with_value(const char *word)
{
    size_t length = strcspn(word, "=");
    for (const struct cli_option *o = option_table; word[length] && o->name; o++)
        if (!o->value && strlen(o->name) == length && !memcmp(o->name, word, length))
            return true;
    return false;
}

static int read_command_line(struct recon_request *r, int argc, char **argv)
{
    for (int i = 1; i < argc;) {
        const char *word = argv[i], *value = NULL;
        if (strncmp(word, "--", 2)) {
            if (r->path)
                return cli_misuse("recon", "one file at a time: %s, then %s", r->path, word);
            r->path = argv[i++];
            continue;
        }
        const struct cli_option *o = cli_take(option_table, argc, argv, &i, &value);
        if (o && cli_needs_value(o) && !value)
            return cli_misuse("recon", "%s needs a value: %s %s", o->name, o->name, o->value);
        if (!o && is_plain_with_value(word))
            return cli_misuse("recon", "%.*s takes no value, but got '%s'", (int)strcspn(word, "="), word,
                              strchr(word, '=') + 1);
        if (!o && (!strcmp(word, "--mech") || !strncmp(word, "--mech=", 7)))
            return cli_misuse("recon", "--mech is no option of recon: it runs under volta, which has barriers");
        int status = o ? take_option(r, o->name, value) : STATUS_OK;
        if (status)
            return status;
        if (!o)
            pass_on(r, argc, argv, &i);
    }
    if (!r->path)
        return cli_misuse("recon", "no PTX file was given");
    if (r->wants_dot && r->wants_json)
        return cli_misuse("recon", "--dot and --json exclude each other");
    if (r->passed.count && !r->has_machine)
        return cli_misuse("recon", "%s is no option of recon; options of heddle run need --gpu", r->passed.data[0]);
    return STATUS_OK;
}

/* ---- the kernel and its predictions ---- */

struct recon_stage {
    struct ptx_module *module;
    struct text original; /* the program before passes rewrote it; empty if none was asked for */
    struct text said;     /* what the passes did and refused */
    struct program *program;
    struct branch_use *profile;
    struct predictions predictions;
    struct detection *detection;
    struct speculation *speculation;
};

/* Applies the passes that were asked for, and says on stderr what they did, since stdout may be taken. */
static void rewrite(struct recon_stage *s, const struct recon_request *r, const struct ptx_function *kernel)
{
    if (!r->passes.count)
        return;
    struct ptx_function *f = s->module->functions[kernel->index];
    ptx_print(s->module, &s->original);
    rewrite_apply(&r->passes, s->module, f, &s->said);
    fprintf(diag_stream(), "%s", s->said.data ? s->said.data : "");
}

static int load(struct recon_stage *s, const struct recon_request *r)
{
    char *error = NULL;
    s->module = cli_load(r->path);
    if (!s->module)
        return STATUS_INPUT;
    int status = STATUS_OK;
    const struct ptx_function *kernel = cli_find_kernel(s->module, r->kernel, "recon", &status);
    if (!kernel)
        return status;
    rewrite(s, r, kernel);
    s->program = program_create(kernel, &error);
    if (!s->program)
        status = cli_fail("kernel %s: %s", kernel->name, error);
    else if (r->profile && !(s->profile = profile_read(r->profile, s->program, &error)))
        status = cli_misuse("recon", "kernel %s: %s", kernel->name, error);
    free(error);
    return status;
}

static int gather(struct recon_stage *s, const struct recon_request *r)
{
    char *error = NULL;
    predict_from_pragmas(&s->predictions, s->program);
    for (int i = 0; i < r->predictions.count; i++)
        if (!predict_from_words(&s->predictions, s->program, r->predictions.data[i], &error)) {
            cli_misuse("recon", "%s", error);
            free(error);
            return STATUS_USAGE;
        }
    int asked = s->predictions.list.count;
    if (r->wants_auto)
        s->detection = detect(&s->predictions, s->program, &(struct detect_rules){.profile = s->profile});
    for (int i = 0; i < s->predictions.list.count; i++) {
        struct prediction *p = &s->predictions.list.data[i];
        bool is_detected = i >= asked;
        if (is_detected ? r->sets_threshold : !p->threshold)
            p->threshold = r->rules.threshold;
        p->as_listed |= r->rules.as_listed;
        p->deconflict |= r->rules.deconflict;
    }
    s->speculation = speculate(s->program, &s->predictions, &r->rules);
    return STATUS_OK;
}

/* Drops the predictions that were refused, which are neither run nor written. */
static void keep_honoured(struct recon_stage *s)
{
    int kept = 0;
    for (int i = 0; i < s->predictions.list.count; i++)
        if (!s->speculation->list.data[i].refusal)
            s->predictions.list.data[kept++] = s->predictions.list.data[i];
    s->predictions.list.count = kept;
}

static void print(const struct recon_stage *s, const struct recon_request *r)
{
    struct text out = {0};
    if (r->wants_dot) {
        speculation_print_dot(s->speculation, &out);
    } else if (r->wants_json) {
        speculation_print_json(s->speculation, &s->predictions, &out);
    } else {
        if (s->detection)
            detection_print(s->detection, s->program, &out);
        speculation_print(s->speculation, &s->predictions, &out);
    }
    fwrite(out.data, 1, out.length, stdout);
    text_free(&out);
}

static int write_program(const struct recon_stage *s, const char *path)
{
    struct text text = {0};
    for (const char *line = s->said.data; line && *line; line = strchr(line, '\n') + 1)
        text_printf(&text, "// %.*s\n", (int)strcspn(line, "\n"), line);
    predict_write(&s->predictions, s->program, s->module);
    ptx_print(s->module, &text);
    FILE *file = strcmp(path, "-") ? fopen(path, "w") : stdout;
    bool ok = file && fwrite(text.data, 1, text.length, file) == text.length;
    if (file && file != stdout)
        ok &= !fclose(file);
    text_free(&text);
    return ok ? STATUS_OK : cli_fail("cannot write %s: %s", path, strerror(errno));
}

static int measure(struct recon_stage *s, const struct recon_request *r)
{
    bool is_for_machines = r->wants_json || r->wants_dot || (r->write && !strcmp(r->write, "-"));
    struct recon_gain gain = {.module = s->module,
                              .original = s->original.length ? &s->original : NULL,
                              .out = is_for_machines ? diag_stream() : stdout,
                              .program = s->program,
                              .predictions = &s->predictions,
                              .words = r->passed.data,
                              .word_count = r->passed.count,
                              .stop = interrupt_catch(),
                              .searches_threshold = r->searches_threshold};
    return recon_measure(&gain);
}

static int run(int argc, char **argv)
{
    struct recon_request r = {0};
    struct recon_stage s = {0};
    int status = read_command_line(&r, argc, argv);
    status = status ? status : load(&s, &r);
    status = status || !r.has_machine ? status : check_passed(&r);
    status = status || !r.write ? status : cli_check_writable(r.write);
    status = status ? status : gather(&s, &r);
    if (!status) {
        print(&s, &r);
        keep_honoured(&s);
    }
    if (!status && r.has_machine)
        status = measure(&s, &r);
    if (!status && r.write)
        status = write_program(&s, r.write);
    speculation_destroy(s.speculation);
    detection_destroy(s.detection);
    predictions_free(&s.predictions);
    free(s.profile);
    text_free(&s.original);
    text_free(&s.said);
    if (s.program)
        program_destroy(s.program);
    if (s.module)
        ptx_destroy(s.module);
    vec_free(&r.predictions);
    vec_free(&r.passed);
    return status;
}

const struct command recon_command = {
    .name = "recon",
    .summary = "place barriers where threads are predicted to reconverge, and say why",
    .usage = "heddle recon FILE.ptx [OPTIONS] [--gpu NAME RUN-OPTIONS]",
    .description =
        "Speculative reconvergence: places convergence barriers where threads are predicted to reconverge, not "
        "at post-dominators alone, and says where and why. Predictions come from the kernel's pragmas, from "
        "--predict and from --auto; an illegal prediction is refused with the reason. The file may also be a fat "
        "binary or a program that nvcc made, whose PTX is taken.",
    .options = option_table,
    .passes_run_options = true,
    .sections = section_table,
    .examples = "heddle recon walk.ptx --predict LOOP:EXPENSIVE --dot | dot -Tsvg > walk.svg\n"
                "heddle recon walk.ptx --auto --gpu volta --grid 4 --block 128 --arg 'buf:f32[512]' --arg 64\n",
    .fault_meaning = "A kernel that ran on the machine did wrong, as heddle run would say.",
    .can_be_stopped = true,
    .run = run,
};
