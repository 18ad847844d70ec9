/*
 * heddle list: the tables that heddle is made of, as text, JSON, Markdown or bare names. Scripts take names from here,
 * so that no list of mechanisms, machines or workloads is kept anywhere else.
 */
#include "cli/list.h"

#include "base/json.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/words.h"
#include "run/options.h"
#include "study/installed.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option option_table[] = {
    {"--names", NULL, "Prints bare names, one per line, for scripts (all topics but area).", NULL},
    {"--json", NULL, "Prints one JSON object per line.", NULL},
    {"--markdown", NULL, "Prints a Markdown page (instructions, conformance, stats, words).", NULL},
    {"--gpu", "NAME|FILE", "Prints the knobs of this machine in place of defaults, or costs on this machine (area).",
     NULL},
    {"--set", "KNOB=VALUE",
     "Changes a knob of that machine first (knobs, area), or of a mechanism (area). May be given several times.", NULL},
    {"--mech", "NAME", "Prints every term of this mechanism's cost, with its formula and source (area).", NULL},
    {NULL, NULL, NULL, NULL},
};

/* ---- how entries are printed ---- */

void list_entry(const char *name, int width, const char *words)
{
    struct text t = {0};
    text_printf(&t, "%-*s ", width, name);
    cli_wrap(&t, (int)t.length, width + 1, words);
    fputs(t.data, stdout);
    text_free(&t);
}

void list_cell(const char *text)
{
    for (; *text; text++)
        printf(*text == '|' ? "\\|" : "%c", *text);
}

void list_object(const char *const *pairs)
{
    struct text t = {0};
    for (int i = 0; pairs[i]; i += 2) {
        if (!pairs[i + 1])
            continue;
        text_printf(&t, "%s\"%s\":", i ? "," : "{", pairs[i]);
        json_print_string(&t, pairs[i + 1]);
    }
    printf("%s}\n", t.data);
    text_free(&t);
}

/* ---- topics about the command itself ---- */

static int list_commands(const struct list_request *r)
{
    for (const struct command *const *c = command_table; *c; c++) {
        if (r->format == LIST_NAMES)
            puts((*c)->name);
        else if (r->format == LIST_JSON)
            list_object((const char *const[]){"name", (*c)->name, "summary", (*c)->summary, NULL});
        else
            list_entry((*c)->name, 8, (*c)->summary);
    }
    return STATUS_OK;
}

static void print_run_options_json(void)
{
    struct run_options defaults;
    struct text t = {0};
    options_default(&defaults);
    options_json(&defaults, &t);
    printf("%s\n", t.data);
    text_free(&t);
    options_free(&defaults);
}

static int list_options(const struct list_request *r)
{
    struct options_about about;
    struct text t = {0};
    if (r->format == LIST_JSON) {
        print_run_options_json();
        return STATUS_OK;
    }
    for (int i = 0; r->format == LIST_NAMES && options_describe(i, &about); i++)
        text_printf(&t, "%s\n", about.name);
    if (r->format == LIST_TEXT)
        help_append_run_options(NULL, &t);
    fputs(t.data, stdout);
    text_free(&t);
    return STATUS_OK;
}

static int list_words(const struct list_request *r)
{
    struct text t = {0};
    for (const struct word *w = word_table; w->name && r->format == LIST_NAMES; w++)
        puts(w->name);
    for (const struct word *w = word_table; w->name && r->format == LIST_JSON; w++)
        list_object((const char *const[]){"name", w->name, "meaning", w->meaning, "elsewhere", w->elsewhere, NULL});
    if (r->format == LIST_TEXT)
        words_append_text(&t);
    else if (r->format == LIST_MARKDOWN)
        words_append_markdown(&t);
    fputs(t.data ? t.data : "", stdout);
    text_free(&t);
    return STATUS_OK;
}

static int list_folders(const struct list_request *r)
{
    for (const struct installed_folder *f = installed_folders; f->name; f++) {
        char *path = installed_path(f->name, NULL);
        if (path && r->format == LIST_NAMES)
            puts(f->name);
        else if (path && r->format == LIST_JSON)
            list_object((const char *const[]){"name", f->name, "path", path, "meaning", f->meaning, NULL});
        else if (path)
            printf("%-10s %s\n", f->name, path);
        free(path);
    }
    return STATUS_OK;
}

static int list_topics(const struct list_request *r);

enum { HAS_MARKDOWN = 1, TAKES_FILE = 2, TAKES_MACHINE = 4, HAS_NO_NAMES = 8, TAKES_MECHANISM = 16 };

static const struct list_topic {
    const char *name, *summary;
    int (*list)(const struct list_request *r);
    unsigned flags;
} topic_table[] = {
    {"workloads", "programs that run and compare know by name", list_workloads, 0},
    {"machines", "GPUs that --gpu knows by name", list_machines, 0},
    {"mechanisms", "divergence mechanisms that --mech knows", list_mechanisms, 0},
    {"schedulers", "policies for --set sm.scheduler=NAME", list_schedulers, 0},
    {"papers", "papers whose claims heddle paper checks", list_papers, 0},
    {"knobs", "what --set can change: default, meaning, values; with --gpu that machine's values", list_knobs,
     TAKES_MACHINE},
    {"stats", "every counter and derived figure of a run on a machine", list_stats, HAS_MARKDOWN},
    {"area", "hardware cost of each mechanism: bits of storage, logic, area where a paper gives it", list_area,
     TAKES_MACHINE | TAKES_MECHANISM | HAS_NO_NAMES},
    {"energy", "published energies per event, with their sources", list_energy, 0},
    {"instructions", "the PTX instructions that heddle executes", list_instructions, HAS_MARKDOWN},
    {"conformance", "PTX's instructions, and what heddle has of each; FILE: rows confirmed by silicon",
     list_conformance, HAS_MARKDOWN | TAKES_FILE},
    {"sregs", "special registers", list_sregs, 0},
    {"classes", "classes of instructions: machines give each a unit and a latency", list_classes, 0},
    {"options", "options of a run; with --json their defaults", list_options, 0},
    {"kernels", "the kernels of a file or program, and their parameters: heddle list kernels FILE", list_kernels,
     TAKES_FILE},
    {"commands", "the commands of heddle", list_commands, 0},
    {"words", "the glossary", list_words, HAS_MARKDOWN},
    {"folders", "where workloads, libcuda, examples and headers of this heddle are", list_folders, 0},
    {"topics", "this list", list_topics, 0},
};

enum { TOPIC_COUNT = sizeof topic_table / sizeof topic_table[0] };

static int list_topics(const struct list_request *r)
{
    for (int i = 0; i < TOPIC_COUNT; i++) {
        if (r->format == LIST_NAMES)
            puts(topic_table[i].name);
        else if (r->format == LIST_JSON)
            list_object((const char *const[]){"name", topic_table[i].name, "summary", topic_table[i].summary, NULL});
        else
            list_entry(topic_table[i].name, 13, topic_table[i].summary);
    }
    return STATUS_OK;
}

/* ---- the command ---- */

static void write_topics(struct text *out)
{
    for (int i = 0; i < TOPIC_COUNT; i++)
        text_printf(out, "%-13s %s\n", topic_table[i].name, topic_table[i].summary);
}

static const struct cli_section section_table[] = {{"Topics", NULL, write_topics}, {NULL, NULL, NULL}};

static const struct list_topic *find_topic(const char *name)
{
    for (int i = 0; i < TOPIC_COUNT; i++)
        if (!strcmp(topic_table[i].name, name))
            return &topic_table[i];
    return NULL;
}

static int unknown_topic(const char *name)
{
    const char *best = topic_table[0].name;
    for (int i = 1; i < TOPIC_COUNT; i++)
        if (text_distance(name, topic_table[i].name) < text_distance(name, best))
            best = topic_table[i].name;
    struct text topics = {0};
    char hint[TEXT_HINT];
    for (int i = 0; i < TOPIC_COUNT; i++)
        text_printf(&topics, "%s%s", i ? ", " : "", topic_table[i].name);
    int status =
        cli_misuse("list", "there is no topic '%s'%s; there is %s", name, text_hint(name, best, hint), topics.data);
    text_free(&topics);
    return status;
}

static int take_format(struct list_request *r, const char *name)
{
    static const char *const names[] = {
        [LIST_JSON] = "--json", [LIST_MARKDOWN] = "--markdown", [LIST_NAMES] = "--names"};
    enum list_format format = LIST_JSON;
    while (strcmp(names[format], name))
        format++;
    if (r->format != LIST_TEXT && r->format != format)
        return cli_misuse("list", "%s and %s exclude each other", names[r->format], name);
    r->format = format;
    return STATUS_OK;
}

/* Reads the topic, a file that may stand behind it, and options. */
static int read_request(struct list_request *r, const char **name, int argc, char **argv)
{
    const char *value;
    for (int i = 1; i < argc;) {
        const char *word = argv[i];
        if (word[0] != '-') {
            if (*name && r->path)
                return cli_misuse("list", "one file at a time: %s, then %s", r->path, word);
            *(*name ? &r->path : name) = word;
            i++;
            continue;
        }
        const struct cli_option *o = cli_take(option_table, argc, argv, &i, &value);
        if (!o)
            return cli_unknown_option("list", option_table, word);
        if (o->value && !value)
            return cli_misuse("list", "%s needs a value: %s %s", o->name, o->name, o->value);
        int status = o->value ? STATUS_OK : take_format(r, o->name);
        if (status)
            return status;
        if (o->value && !strcmp(o->name, "--gpu"))
            r->gpu = value;
        else if (o->value && !strcmp(o->name, "--mech"))
            r->mech = value;
        else if (o->value && r->setting_count == LIST_MOST_SETTINGS)
            return cli_misuse("list", "more than %d times --set", LIST_MOST_SETTINGS);
        else if (o->value)
            r->settings[r->setting_count++] = value;
    }
    return STATUS_OK;
}

static int run(int argc, char **argv)
{
    struct list_request r = {.format = LIST_TEXT};
    const char *name = NULL;
    int status = read_request(&r, &name, argc, argv);
    if (status)
        return status;
    if (!name && argc > 1)
        return cli_misuse("list", "%s of which topic? heddle list names all", argv[1]);
    const struct list_topic *topic = find_topic(name ? name : "topics");
    if (!topic)
        return unknown_topic(name);
    if (r.path && !(topic->flags & TAKES_FILE))
        return cli_misuse("list", "%s takes no file", topic->name);
    if (r.format == LIST_MARKDOWN && !(topic->flags & HAS_MARKDOWN))
        return cli_misuse("list", "--markdown is for instructions, conformance, stats and words");
    if (r.format == LIST_NAMES && topic->flags & HAS_NO_NAMES)
        return cli_misuse("list", "%s has no names", topic->name);
    if ((r.gpu || r.setting_count) && !(topic->flags & TAKES_MACHINE))
        return cli_misuse("list", "--gpu and --set are for knobs and area");
    if (r.mech && !(topic->flags & TAKES_MECHANISM))
        return cli_misuse("list", "--mech is for area");
    return topic->list(&r);
}

const struct command list_command = {
    .name = "list",
    .summary = "print machines, mechanisms, knobs, statistics, instructions, a file's kernels",
    .usage = "heddle list [TOPIC] [--names | --json | --markdown] [--gpu NAME] [--set KNOB=VALUE]\n"
             "heddle list area [--mech NAME] [--gpu NAME] [--set KNOB=VALUE] [--json]\n"
             "heddle list kernels FILE\n"
             "heddle list conformance [FILE]",
    .description = "Prints one of the tables that heddle is made of. Without a topic it prints the topics.",
    .options = option_table,
    .sections = section_table,
    .examples = "heddle list instructions\n"
                "heddle list knobs --gpu fermi\n"
                "for mech in $(heddle list mechanisms --names); do heddle run bfs2 --gpu fermi --mech $mech; done\n"
                "heddle list area --gpu fermi\n"
                "heddle list area --mech vws --set vws.fetch_ports=4 --set sm.l0_bytes=512\n"
                "heddle list kernels saxpy.ptx --json\n",
    .run = run,
};
