/* heddle list: the tables that heddle is made of, and the kernels of a file, as text, JSON or Markdown. */
#include "cli/list.h"

#include "cli/cli.h"

#include "base/json.h"
#include "base/text.h"
#include "run/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option option_table[] = {
    {"--json", NULL, "as JSON"},
    {"--markdown", NULL, "as a Markdown page (instructions, stats)"},
    {"--gpu", "NAME|FILE", "values of this machine, not defaults (knobs) or the paper's (area)"},
    {"--set", "KNOB=VALUE", "change one of them"},
    {NULL, NULL, NULL},
};

/* ---- an instruction row in the words of the PTX manual ---- */

static const char *const class_names[CLASS_COUNT] = {
#define CLASS(name, meaning) [CLASS_##name] = #name,
#include "ptx/class.def"
};

static int count_types(uint64_t types)
{
    return __builtin_popcountll(types);
}

static void list_types(uint64_t types, struct text *out)
{
    const char *blank = "";
    for (int t = 0; t < TYPE_COUNT; t++)
        if (types >> t & 1) {
            text_printf(out, "%s%s", blank, type_table[t].text);
            blank = " ";
        }
}

/* Suffixes from the row's pattern: groups by name, flags and single types as they are, others as .type. */
static void write_suffixes(const struct op_info *op, struct text *out)
{
    struct element elements[OP_MAX_ELEMENTS];
    int count = op_split_suffixes(op->suffixes, elements);
    const char *at = op->suffixes;
    for (int i = 0; i < count; i++) {
        at += strspn(at, " ");
        int n = (int)strcspn(at, " ?");
        const struct element *e = &elements[i];
        text_printf(out, "%s", e->optional ? "{" : "");
        if (e->kind == ELEMENT_GROUP)
            text_printf(out, ".%.*s", n, at);
        else if (e->kind == ELEMENT_FLAG)
            text_printf(out, "%.*s", n, at);
        else if (count_types(e->types) == 1)
            text_printf(out, ".%s", type_table[__builtin_ctzll(e->types)].text);
        else
            text_printf(out, ".%s", e->which ? "type2" : "type");
        text_printf(out, "%s", e->optional ? "}" : "");
        at += strcspn(at, " ");
    }
}

static void write_operands(const struct op_info *op, struct text *out)
{
    struct op_slot slots[OP_MAX_SLOTS];
    int count = op_split_operands(op->operands, slots);
    char letter = 'a';
    for (int i = 0; i < count; i++) {
        const struct op_slot *s = &slots[i];
        const char *comma = !i ? " " : s->role == ROLE_DEST_SECOND ? "" : ", ";
        text_printf(out, "%s%s", s->optional ? "{" : "", comma);
        switch (s->role) {
        case ROLE_DEST:
        case ROLE_DEST_VECTOR:
            text_printf(out, "d");
            break;
        case ROLE_DEST_SECOND:
            text_printf(out, "|e");
            break;
        case ROLE_VALUE:
        case ROLE_VALUE_VECTOR:
        case ROLE_IMMEDIATE:
            text_printf(out, "%c", letter++);
            break;
        case ROLE_PREDICATE:
            text_printf(out, "{!}%c", letter++);
            break;
        case ROLE_ADDRESS:
            text_printf(out, "[%c]", letter++);
            break;
        case ROLE_TEXTURE:
            text_printf(out, "[a, coordinates]");
            break;
        case ROLE_PACK:
            text_printf(out, "{a, ...}");
            break;
        case ROLE_UNPACK:
            text_printf(out, "{d, ...}");
            break;
        case ROLE_LABEL:
            text_printf(out, "label");
            break;
        case ROLE_TARGETS:
            text_printf(out, "targets");
            break;
        case ROLE_CALL:
            text_printf(out, "{(result),} function{, (arguments)}");
            break;
        case ROLE_END:
            break;
        }
        text_printf(out, "%s", s->optional ? "}" : "");
    }
}

static char *row_syntax(const struct op_info *op)
{
    struct text t = {0};
    text_printf(&t, "%s", op->mnemonic);
    write_suffixes(op, &t);
    write_operands(op, &t);
    return text_take(&t);
}

/* "u16 u32; f32 f64": the types that stand for .type and .type2; "" where the syntax shows all. */
static char *row_types(const struct op_info *op)
{
    struct element elements[OP_MAX_ELEMENTS];
    int count = op_split_suffixes(op->suffixes, elements);
    struct text t = {0};
    for (int i = 0; i < count; i++)
        if (elements[i].kind == ELEMENT_TYPE && count_types(elements[i].types) > 1) {
            text_printf(&t, "%s%s: ", t.length ? "; " : "", elements[i].which ? "type2" : "type");
            list_types(elements[i].types, &t);
        }
    return text_take(&t);
}

/* The group's name as patterns write it, found in the first row that uses it. */
static void group_name(enum group group, struct text *out)
{
    for (int i = OP_NONE + 1; i < OP_COUNT; i++) {
        struct element elements[OP_MAX_ELEMENTS];
        int count = op_split_suffixes(op_table[i].suffixes, elements);
        const char *at = op_table[i].suffixes;
        for (int j = 0; j < count; j++) {
            at += strspn(at, " ");
            if (elements[j].kind == ELEMENT_GROUP && elements[j].which == group) {
                text_append(out, at, strcspn(at, " ?"));
                return;
            }
            at += strcspn(at, " ");
        }
    }
}

static void group_members(enum group group, struct text *out)
{
    for (int m = MOD_NONE + 1; m < MOD_COUNT; m++)
        if (mod_group((enum mod)m) == group)
            text_printf(out, "%s%s", out->length ? " " : "", mod_text[m]);
}

/* ---- text that fits 100 columns ---- */

enum { COLUMNS = 100 };

/* Words, wrapped, each line after the first indented. */
static void print_wrapped(int column, int indent, const char *words)
{
    for (const char *at = words + strspn(words, " "); *at; at += strspn(at, " ")) {
        int n = (int)strcspn(at, " ");
        if (column > indent && column + 1 + n > COLUMNS) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", n, at);
        column += n;
        at += n;
    }
    putchar('\n');
}

void list_entry(const char *name, int width, const char *words)
{
    printf("%-*s ", width, name);
    int column = (int)strlen(name) > width ? (int)strlen(name) + 1 : width + 1;
    print_wrapped(column > width + 1 ? column : width + 1, width + 1, words);
}

/* ---- topics ---- */

static void instructions_text(void)
{
    enum { ID = 18 };
    for (int i = OP_NONE + 1; i < OP_COUNT; i++) {
        const struct op_info *op = &op_table[i];
        char *syntax = row_syntax(op), *types = row_types(op);
        list_entry(op->id, ID, syntax);
        struct text line = {0};
        text_printf(&line, "%s  [%s]", op->meaning, class_names[op->class]);
        list_entry("", ID, line.data);
        if (*types)
            list_entry("", ID, types);
        text_free(&line);
        free(syntax);
        free(types);
    }
    printf("\nSuffixes that choose one of several:\n");
    for (int g = 0; g < GROUP_COUNT; g++) {
        struct text name = {0}, members = {0};
        group_name((enum group)g, &name);
        group_members((enum group)g, &members);
        if (name.length)
            list_entry(name.data, ID, members.data ? members.data : "");
        text_free(&name);
        text_free(&members);
    }
}

void list_cell(const char *text) /* of a Markdown table */
{
    for (; *text; text++)
        printf(*text == '|' ? "\\|" : "%c", *text);
}

static void instructions_markdown(void)
{
    printf("# Instructions\n\n"
           "The PTX that heddle knows: one row an instruction form. This page is written by\n"
           "`heddle list instructions --markdown` from `src/ptx/ops.def`; edit that.\n\n"
           "Braces mark what may be left out. The name of a group (`.rnd`) stands for one of its suffixes, "
           "listed at\n"
           "the end, and `.type` for one of the types named beside it.\n\n"
           "| id | syntax | types | class | meaning |\n|---|---|---|---|---|\n");
    for (int i = OP_NONE + 1; i < OP_COUNT; i++) {
        const struct op_info *op = &op_table[i];
        char *syntax = row_syntax(op), *types = row_types(op);
        printf("| %s | `", op->id);
        list_cell(syntax);
        printf("` | %s | %s | ", types, class_names[op->class]);
        list_cell(op->meaning);
        printf(" |\n");
        free(syntax);
        free(types);
    }
    printf("\n## Suffixes that choose one of several\n\n| group | suffixes |\n|---|---|\n");
    for (int g = 0; g < GROUP_COUNT; g++) {
        struct text name = {0}, members = {0};
        group_name((enum group)g, &name);
        group_members((enum group)g, &members);
        if (name.length)
            printf("| %s | %s |\n", name.data, members.data ? members.data : "");
        text_free(&name);
        text_free(&members);
    }
    printf("\n## Classes\n\n| class | what |\n|---|---|\n");
    for (int c = 0; c < CLASS_COUNT; c++)
        printf("| %s | %s |\n", class_names[c], class_text[c]);
}

void list_object(const char *const *pairs)
{
    struct text t = {0};
    for (int i = 0; pairs[i]; i += 2) {
        text_printf(&t, "%s\"%s\":", i ? "," : "{", pairs[i]);
        json_print_string(&t, pairs[i + 1]);
    }
    printf("%s}\n", t.data);
    text_free(&t);
}

static void instructions_json(void)
{
    for (int i = OP_NONE + 1; i < OP_COUNT; i++) {
        const struct op_info *op = &op_table[i];
        char *syntax = row_syntax(op), *types = row_types(op);
        list_object((const char *const[]){"id", op->id, "mnemonic", op->mnemonic, "syntax", syntax, "types", types,
                                          "operands", op->operands, "class", class_names[op->class], "meaning",
                                          op->meaning, NULL});
        free(syntax);
        free(types);
    }
}

static int list_instructions(const struct list_request *r)
{
    if (r->format == FORMAT_MARKDOWN)
        instructions_markdown();
    else if (r->format == FORMAT_JSON)
        instructions_json();
    else
        instructions_text();
    return STATUS_OK;
}

static int list_sregs(const struct list_request *r)
{
    for (int i = 0; i < SREG_COUNT; i++) {
        const struct sreg_info *s = &sreg_table[i];
        if (r->format == FORMAT_JSON)
            list_object(
                (const char *const[]){"name", s->text, "type", type_table[s->type].text, "meaning", s->meaning, NULL});
        else
            printf("%-26s %-5s %s\n", s->text, type_table[s->type].text, s->meaning);
    }
    return STATUS_OK;
}

static int list_classes(const struct list_request *r)
{
    for (int i = 0; i < CLASS_COUNT; i++) {
        if (r->format == FORMAT_JSON)
            list_object((const char *const[]){"name", class_names[i], "meaning", class_text[i], NULL});
        else
            list_entry(class_names[i], 10, class_text[i]);
    }
    return STATUS_OK;
}

static int list_options(const struct list_request *r)
{
    if (r->format == FORMAT_JSON) {
        struct run_options defaults;
        struct text t = {0};
        options_default(&defaults);
        options_json(&defaults, &t);
        printf("%s\n", t.data);
        text_free(&t);
        options_free(&defaults);
    } else {
        options_help(stdout);
    }
    return STATUS_OK;
}

static void kernel_text(const struct ptx_function *k)
{
    printf("%s\n", k->name);
    for (int i = 0; i < k->parameter_count; i++) {
        const struct ptx_variable *p = k->parameters[i];
        printf("  %3d  %-5s %6" PRIu64 " bytes%s  %s\n", i, type_table[p->type].text, p->size_bytes,
               p->is_array     ? " (structure)"
               : p->is_pointer ? " (pointer)"
                               : "",
               p->name);
    }
}

static void kernel_json(const struct ptx_function *k)
{
    struct text t = {0};
    text_printf(&t, "{\"kernel\":");
    json_print_string(&t, k->name);
    text_printf(&t, ",\"parameters\":[");
    for (int i = 0; i < k->parameter_count; i++) {
        const struct ptx_variable *p = k->parameters[i];
        text_printf(&t, "%s{\"name\":", i ? "," : "");
        json_print_string(&t, p->name);
        text_printf(&t, ",\"type\":\"%s\",\"bytes\":%" PRIu64 "}", type_table[p->type].text, p->size_bytes);
    }
    text_printf(&t, "]}");
    printf("%s\n", t.data);
    text_free(&t);
}

static int list_kernels(const struct list_request *r)
{
    if (!r->path)
        return cli_misuse("list", "kernels of which file? heddle list kernels FILE.ptx");
    struct ptx_module *module = cli_load(r->path);
    if (!module)
        return STATUS_INPUT;
    int count = 0;
    for (int i = 0; i < module->function_count; i++) {
        const struct ptx_function *f = module->functions[i];
        if (!cli_is_kernel(f))
            continue;
        count++;
        if (r->format == FORMAT_JSON)
            kernel_json(f);
        else
            kernel_text(f);
    }
    int status = count ? STATUS_OK : cli_fail("%s holds no kernel", r->path);
    ptx_destroy(module);
    return status;
}

static const struct topic {
    const char *name, *summary;
    int (*list)(const struct list_request *r);
    bool has_markdown, takes_file, takes_machine;
} topic_table[] = {
    {"workloads", "programs that run and compare know", list_workloads, false, false, false},
    {"machines", "GPUs that --gpu knows", list_machines, false, false, false},
    {"mechanisms", "divergence mechanisms that --mech knows", list_mechanisms, false, false, false},
    {"schedulers", "policies for --set sm.scheduler=NAME", list_schedulers, false, false, false},
    {"knobs", "what --set can change: default, meaning, range; with --gpu that machine's values", list_knobs, false,
     false, true},
    {"stats", "every counter and derived figure: unit, meaning", list_stats, true, false, false},
    {"area", "what variable warp sizing adds to a multiprocessor, by the width of its slices", list_area, false, false,
     true},
    {"options", "options of a run, with their defaults", list_options, false, false, false},
    {"instructions", "every instruction form: syntax, types, class, meaning", list_instructions, true, false, false},
    {"sregs", "special registers", list_sregs, false, false, false},
    {"classes", "cost classes of instructions", list_classes, false, false, false},
    {"kernels", "kernels of a file and their parameters: heddle list kernels FILE.ptx", list_kernels, false, true,
     false},
};

enum { TOPIC_COUNT = sizeof topic_table / sizeof topic_table[0] };

static void print_topics(FILE *out)
{
    for (int i = 0; i < TOPIC_COUNT; i++)
        fprintf(out, "  %-14s %s\n", topic_table[i].name, topic_table[i].summary);
}

static void help(FILE *out)
{
    fputs("heddle list TOPIC [--json | --markdown] [--gpu NAME] [--set KNOB=VALUE]\n\n", out);
    print_topics(out);
    fputs("\n", out);
    cli_help_options(option_table, out);
    fputs("\nExamples:\n"
          "  heddle list instructions\n"
          "  heddle list knobs --gpu fermi\n"
          "  heddle list area --set vws.fetch_ports=4 --set sm.l0_bytes=512\n"
          "  heddle list kernels saxpy.ptx --json\n",
          out);
}

static const struct topic *find_topic(const char *name)
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
    return cli_misuse("list", "there is no topic '%s'; did you mean %s?", name, best);
}

static bool take_format(struct list_request *r, enum format format)
{
    bool is_other = r->format != FORMAT_TEXT && r->format != format;
    r->format = format;
    return !is_other;
}

/* What stands behind the topic: a file, or options. */
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
            return cli_misuse("list", "unknown option '%s'; did you mean %s?", word, cli_nearest(option_table, word));
        if (o->value && !value)
            return cli_misuse("list", "%s needs a value: %s %s", o->name, o->name, o->value);
        if (o->value && !strcmp(o->name, "--gpu"))
            r->gpu = value;
        else if (o->value && r->setting_count == LIST_MOST_SETTINGS)
            return cli_misuse("list", "more than %d times --set", LIST_MOST_SETTINGS);
        else if (o->value)
            r->settings[r->setting_count++] = value;
        else if (!take_format(r, !strcmp(o->name, "--json") ? FORMAT_JSON : FORMAT_MARKDOWN))
            return cli_misuse("list", "--json and --markdown exclude each other");
    }
    return STATUS_OK;
}

static int run(int argc, char **argv)
{
    struct list_request r = {.format = FORMAT_TEXT};
    const char *name = NULL;
    int status = read_request(&r, &name, argc, argv);
    if (status)
        return status;
    if (!name && argc > 1)
        return cli_misuse("list", "%s of which topic? heddle list names all", argv[1]);
    if (!name) {
        print_topics(stdout);
        return STATUS_OK;
    }
    const struct topic *topic = find_topic(name);
    if (!topic)
        return unknown_topic(name);
    if (r.path && !topic->takes_file)
        return cli_misuse("list", "%s takes no file", topic->name);
    if (r.format == FORMAT_MARKDOWN && !topic->has_markdown)
        return cli_misuse("list", "--markdown is for instructions and stats");
    if ((r.gpu || r.setting_count) && !topic->takes_machine)
        return cli_misuse("list", "--gpu and --set are for knobs and area");
    return topic->list(&r);
}

const struct command list_command = {
    "list", "prints machines, mechanisms, knobs, statistics, the instruction set, a file's kernels", run, help};
