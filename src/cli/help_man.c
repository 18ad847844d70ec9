/*
 * Manual pages in roff, for man(1), from the tables that help texts are made of.
 *
 * Only macros of man(7) that every formatter has are used. Text is escaped: a backslash or a leading dot of a help text
 * must not become a request, and a hyphen of an option must stay one that can be copied.
 */
#include "cli/help.h"

#include "run/options.h"

#include <ctype.h>
#include <string.h>

static void append_escaped(const char *words, size_t length, struct text *out)
{
    if (length && (*words == '.' || *words == '\''))
        text_printf(out, "\\&");
    for (size_t i = 0; i < length; i++)
        switch (words[i]) {
        case '\\':
            text_printf(out, "\\e");
            break;
        case '-':
            text_printf(out, "\\-");
            break;
        case '\'':
            text_printf(out, "\\(aq");
            break;
        case '`':
            text_printf(out, "\\(ga");
            break;
        case '^':
            text_printf(out, "\\(ha");
            break;
        case '~':
            text_printf(out, "\\(ti");
            break;
        default:
            text_append(out, words + i, 1);
        }
}

static void append_paragraph(const char *words, struct text *out)
{
    append_escaped(words, strlen(words), out);
    text_printf(out, "\n");
}

/* Lines that keep their breaks and blanks. */
static void append_lines(const char *lines, struct text *out)
{
    text_printf(out, ".PP\n.nf\n");
    for (const char *at = lines; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        append_escaped(at, strcspn(at, "\n"), out);
        text_printf(out, "\n");
    }
    text_printf(out, ".fi\n");
}

static void append_title(const char *title, struct text *out)
{
    text_printf(out, ".SH ");
    for (; *title; title++)
        text_printf(out, "%c", toupper((unsigned char)*title));
    text_printf(out, "\n");
}

static void append_option(const struct cli_option *o, struct text *out)
{
    text_printf(out, ".TP\n\\fB");
    append_escaped(o->name, strlen(o->name), out);
    text_printf(out, "\\fR");
    if (o->value) {
        text_printf(out, " \\fI");
        append_escaped(o->value, strlen(o->value), out);
        text_printf(out, "\\fR");
    }
    text_printf(out, "\n");
    append_escaped(o->meaning, strlen(o->meaning), out);
    if (o->initial && *o->initial) {
        text_printf(out, " Default: ");
        append_escaped(o->initial, strlen(o->initial), out);
        text_printf(out, ".");
    }
    text_printf(out, "\n");
}

static void append_options(const struct command *command, struct text *out)
{
    struct options_about about;
    append_title("Options", out);
    for (const struct cli_option *o = command->options; o->name; o++)
        append_option(o, out);
    for (int i = 0; command->has_run_options && help_describe_run_option(command, i, &about); i++)
        append_option(&(struct cli_option){about.name, about.value, about.meaning, about.initial}, out);
}

static void append_sections(const struct cli_section *sections, struct text *out)
{
    for (const struct cli_section *s = sections; s && s->title; s++) {
        struct text lines = {0};
        if (s->write)
            s->write(&lines);
        else
            text_printf(&lines, "%s", s->text);
        append_title(s->title, out);
        append_lines(lines.data, out);
        text_free(&lines);
    }
}

static void append_statuses(const struct command *command, struct text *out)
{
    struct help_status s;
    append_title("Exit status", out);
    for (int i = 0; help_describe_status(command, i, &s); i++) {
        text_printf(out, ".TP\n\\fB%d\\fR\n", s.status);
        append_paragraph(s.meaning, out);
    }
}

static void append_heading(const char *name, const char *summary, struct text *out)
{
    struct text upper = {0};
    for (const char *at = name; *at; at++)
        text_printf(&upper, *at == '-' ? "\\-" : "%c", toupper((unsigned char)*at));
    text_printf(out, ".TH %s 1 \"\" \"heddle %s\" \"heddle\"\n", upper.data, HEDDLE_VERSION);
    append_title("Name", out);
    append_escaped(name, strlen(name), out);
    text_printf(out, " \\- ");
    append_paragraph(summary, out);
    text_free(&upper);
}

/* "heddle(1), heddle-run(1), ...", without the page itself. */
static void append_see_also(const struct command *command, struct text *out)
{
    const char *comma = "";
    append_title("See also", out);
    if (command) {
        text_printf(out, "\\fBheddle\\fR(1)");
        comma = ", ";
    }
    for (const struct command *const *c = command_table; *c; c++)
        if (*c != command) {
            text_printf(out, "%s\\fBheddle\\-%s\\fR(1)", comma, (*c)->name);
            comma = ", ";
        }
    text_printf(out, "\n");
}

static void append_overview(struct text *out)
{
    append_heading("heddle", "run GPU kernels under divergence mechanisms, and explain what happened", out);
    append_title("Synopsis", out);
    text_printf(out, "\\fBheddle\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n");
    append_title("Description", out);
    append_paragraph(help_description, out);
    append_title("Commands", out);
    for (const struct command *const *c = command_table; *c; c++) {
        text_printf(out, ".TP\n\\fB%s\\fR\n", (*c)->name);
        append_paragraph((*c)->summary, out);
    }
    append_sections(help_sections, out);
}

void help_write_man(const struct command *command, struct text *out)
{
    if (command) {
        char name[64];
        snprintf(name, sizeof name, "heddle-%s", command->name);
        append_heading(name, command->summary, out);
        append_title("Synopsis", out);
        append_lines(command->usage, out);
        append_title("Description", out);
        append_paragraph(command->description, out);
        append_options(command, out);
        append_sections(command->sections, out);
        append_title("Examples", out);
        append_lines(command->examples, out);
    } else {
        append_overview(out);
    }
    append_statuses(command, out);
    append_see_also(command, out);
}
