/*
 * Scripts by which shells complete words of a heddle command line.
 *
 * Both scripts share the functions that say which words are possible: options of a command, operands of a command,
 * values of an option. Names of mechanisms, machines and so on are asked from `heddle list TOPIC --names` when they are
 * needed, so a script stays right when heddle gets another mechanism. What is possible is written from the option
 * tables; what shells differ in is only how they are told.
 */
#include "cli/help.h"

#include "report/report.h"
#include "run/options.h"

#include <ctype.h>
#include <string.h>

/* Options whose values are names that a topic of heddle list has; of every command that has the option. */
static const struct completion_topic {
    const char *name; /* of an option, or of a command whose operands these are */
    const char *topic;
    const char *ending; /* behind each name */
} topics[] =
    {
        {"--gpu", "machines", ""},
        {"--mech", "mechanisms", ""},
        {"--set", "knobs", "="},
        {"--man", "commands", ""},
        {"run", "workloads", ""},
        {"compare", "workloads", ""},
        {"paper", "papers", ""},
        {"list", "topics", ""},
        {"help", "commands", ""},
        {"sm.scheduler", "schedulers", ""}, /* --set sm.scheduler=NAME, where shells make a word of the knob */
};

/* Whether the value of an option is one of some words: "test|small|paper", in [] if the value may be left out. */
static bool is_choice(const char *value)
{
    bool has_several = false;
    for (; *value; value++) {
        has_several |= *value == '|';
        if (!islower((unsigned char)*value) && !strchr("|-[]", *value))
            return false;
    }
    return has_several;
}

/* What the tables of commands say of options, as cases of the shell. */
struct completion_cases {
    struct text choices;       /* --option) echo 'its words' ;; for options that take one of some words */
    struct text with_value;    /* 'COMMAND --option'|... */
    struct text without_value; /* 'COMMAND --option'|... */
};

static void append_choice(const char *name, const char *value, struct text *choices)
{
    struct text line = {0};
    text_printf(&line, "    %s) echo '", name);
    for (; *value; value++)
        if (*value != '[' && *value != ']')
            text_printf(&line, "%c", *value == '|' ? ' ' : *value);
    text_printf(&line, "' ;;\n");
    if (!choices->data || !strstr(choices->data, line.data))
        text_append(choices, line.data, line.length);
    text_free(&line);
}

static void take_option(const char *command, const char *name, const char *value, struct completion_cases *cases)
{
    struct text *list = value ? &cases->with_value : &cases->without_value;
    text_printf(list, "%s'%s %s'", list->length ? "|" : "", command, name);
    if (value && is_choice(value))
        append_choice(name, value, &cases->choices);
}

/* The function that prints the options of a command. Options of heddle run are also those of commands that pass them
 * on. */
static void append_options(struct text *out, struct completion_cases *cases)
{
    struct options_about about;
    text_printf(out, "_heddle_options() { # COMMAND\n    case $1 in\n");
    for (const struct command *const *c = command_table; *c; c++) {
        text_printf(out, "    %s) %secho '", (*c)->name, (*c)->passes_run_options ? "{ _heddle_options run; " : "");
        for (const struct cli_option *o = (*c)->options; o->name; o++) {
            text_printf(out, "%s ", o->name);
            take_option((*c)->name, o->name, o->value, cases);
        }
        for (int i = 0; (*c)->has_run_options && help_describe_run_option(*c, i, &about); i++) {
            text_printf(out, "%s ", about.name);
            take_option((*c)->name, about.name, about.value, cases);
        }
        text_printf(out, "--help'%s ;;\n", (*c)->passes_run_options ? "; } | tr ' ' '\\n' | sort -u" : "");
    }
    text_printf(out, "    *) echo '--help --version' ;;\n    esac\n}\n\n");
}

/* The function that tells whether an option of a command has a value behind it. */
static void append_takes_value(const struct completion_cases *cases, struct text *out)
{
    text_printf(out,
                "_heddle_takes_value() { # COMMAND OPTION\n    case \"$1 $2\" in\n    %s) return 1 ;;\n    %s) ;;\n",
                cases->without_value.data, cases->with_value.data);
    for (const struct command *const *c = command_table; *c; c++)
        if ((*c)->passes_run_options)
            text_printf(out, "    '%s '*) _heddle_takes_value run \"$2\" ;;\n", (*c)->name);
    text_printf(out, "    *' sm.scheduler') ;;\n    *) return 1 ;;\n    esac\n}\n\n");
}

/* The cases of _heddle_values for options and operands whose values are names of a topic. */
static void append_topics(struct text *out)
{
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        text_printf(out, "    %s) ", topics[i].name);
        text_printf(out, "\"$2\" list %s --names 2>/dev/null", topics[i].topic);
        if (*topics[i].ending)
            text_printf(out, " | sed 's/$/%s/'", topics[i].ending);
        text_printf(out, " ;;\n");
    }
}

/* The functions that both scripts share. */
static void append_functions(struct text *out)
{
    struct completion_cases cases = {0};
    struct text groups = {0};
    append_options(out, &cases);
    append_takes_value(&cases, out);
    text_printf(out, "_heddle_values() { # OPTION or COMMAND, and the heddle to ask\n    case $1 in\n%s",
                cases.choices.data);
    append_topics(out);
    report_describe_groups(&groups);
    text_printf(out, "    --stats) echo '");
    for (const char *at = groups.data; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        at += strspn(at, " ");
        text_printf(out, "%.*s ", (int)strcspn(at, " \n"), at);
    }
    text_printf(out, "' ;;\n    --trace) echo 'lanes stack list' ;;\n    esac\n}\n\n");
    text_free(&cases.choices);
    text_free(&cases.with_value);
    text_free(&cases.without_value);
    text_free(&groups);
}

static const char bash_script[] =
    "_heddle() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words head=\n"
    "    # bash makes words of their own of the = and : of a command line\n"
    "    [ \"$cur\" = = ] && cur=\n"
    "    [ \"$prev\" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        words=\"$(\"${COMP_WORDS[0]}\" list commands --names 2>/dev/null) $(_heddle_options)\"\n"
    "    elif _heddle_takes_value \"${COMP_WORDS[1]}\" \"$prev\"; then\n"
    "        words=$(_heddle_values \"$prev\" \"${COMP_WORDS[0]}\")\n"
    "        case $cur in *,*) head=${cur%,*}, cur=${cur##*,} ;; esac\n"
    "    elif [ \"${cur#-}\" != \"$cur\" ]; then\n"
    "        words=$(_heddle_options \"${COMP_WORDS[1]}\")\n"
    "    else\n"
    "        words=$(_heddle_values \"${COMP_WORDS[1]}\" \"${COMP_WORDS[0]}\")\n"
    "    fi\n"
    "    # shellcheck disable=SC2207\n"
    "    COMPREPLY=($(compgen -P \"$head\" -W \"$words\" -- \"$cur\"))\n"
    "    case ${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
    "}\n"
    "complete -o default -F _heddle heddle\n";

static const char zsh_script[] =
    "_heddle() {\n"
    "    local prev=${words[CURRENT-1]} cur=${words[CURRENT]} found\n"
    "    if (( CURRENT == 2 )); then\n"
    "        found=\"$(\"${words[1]}\" list commands --names 2>/dev/null) $(_heddle_options)\"\n"
    "    elif _heddle_takes_value \"${words[2]}\" \"$prev\"; then\n"
    "        found=$(_heddle_values \"$prev\" \"${words[1]}\")\n"
    "        compset -P '*,'\n"
    "    elif [[ $cur == -* ]]; then\n"
    "        found=$(_heddle_options \"${words[2]}\")\n"
    "    else\n"
    "        found=$(_heddle_values \"${words[2]}\" \"${words[1]}\")\n"
    "    fi\n"
    "    compadd -- ${=found}\n"
    "    [[ $cur == -* ]] || _files\n"
    "}\n"
    "# a file of $fpath is run as the function at its first use\n"
    "if [[ ${funcstack[1]} == _heddle ]]; then _heddle \"$@\"; else compdef _heddle heddle; fi\n";

bool help_write_completion(const char *shell, struct text *out)
{
    bool is_bash = !strcmp(shell, "bash");
    if (!is_bash && strcmp(shell, "zsh"))
        return false;
    text_printf(out, "%s# Completion of heddle for %s, written by: heddle help --completion %s\n\n",
                is_bash ? "" : "#compdef heddle\n", shell, shell);
    append_functions(out);
    text_printf(out, "%s", is_bash ? bash_script : zsh_script);
    return true;
}
