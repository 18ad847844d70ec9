/* The stepper's prompt: reads commands, and shows what they ask for. See session.h. */
#define _GNU_SOURCE
#include "base/diag.h"
#include "base/json.h"
#include "step/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINE = 1024 }; /* bytes of a command line */

/* ---- what the stepper says ---- */

void prompt_note_status(const struct stepper *s, const char *word)
{
    FILE *file = fopen(s->status_path, "a");
    if (file) {
        fprintf(file, "%s\n", word);
        fclose(file);
    }
}

void prompt_show(struct stepper *s, struct text *out)
{
    if (out->data)
        fputs(out->data, s->out);
    fflush(s->out);
    text_free(out);
}

void prompt_tell(struct stepper *s, const char *member, const char *words)
{
    struct text out = {0};
    if (s->as_json) {
        text_printf(&out, "{\"%s\":", member);
        json_print_string(&out, words);
        text_printf(&out, "}\n");
    } else {
        text_printf(&out, "%s%s\n", strcmp(member, "error") ? "" : "error: ", words);
    }
    prompt_show(s, &out);
}

bool prompt_complain(struct stepper *s, char *error)
{
    prompt_tell(s, "error", error);
    prompt_note_status(s, "wrong");
    free(error);
    return false;
}

/* ---- what commands show ---- */

void prompt_show_stop(struct stepper *s)
{
    struct text out = {0};
    if (s->as_json)
        view_json_stop(&s->scene, &out);
    else
        view_stop(&s->scene, &s->look, &out);
    prompt_show(s, &out);
}

static bool set_focus(struct stepper *s, const struct step_command *c)
{
    char *error = NULL;
    if (c->has_number && c->number >= STEP_MOST_FOCUS) {
        diag_fail(&error, "only warps 0 to %d can be looked at alone", STEP_MOST_FOCUS - 1);
        return prompt_complain(s, error);
    }
    if (c->has_number && s->scene.sm && !scene_has_warp(&s->scene, (int)c->number)) {
        diag_fail(&error, "multiprocessor %d has no warp %" PRIu64 " now", s->sm, c->number);
        return prompt_complain(s, error);
    }
    s->focus = c->has_number ? UINT64_C(1) << c->number : UINT64_MAX;
    struct text words = {0};
    if (c->has_number)
        text_printf(&words, "stops at issues of warp %" PRIu64, c->number);
    else
        text_printf(&words, "stops at issues of all warps");
    prompt_tell(s, "note", words.data);
    text_free(&words);
    return true;
}

static bool show_lanes(struct stepper *s, const struct step_command *c, struct text *out)
{
    char *error = NULL;
    if (c->has_number && (c->number > INT32_MAX || !scene_has_warp(&s->scene, (int)c->number))) {
        diag_fail(&error, "multiprocessor %d has no warp %" PRIu64 " now", s->sm, c->number);
        return prompt_complain(s, error);
    }
    (s->as_json ? view_json_lanes : view_lanes)(&s->scene, c->has_number ? (int)c->number : -1, out);
    return true;
}

static bool show_registers(struct stepper *s, const struct step_command *c, struct text *out)
{
    struct scene_thread thread;
    char *error = NULL;
    int lane = c->has_number ? (int)(c->number < STEP_MOST_FOCUS ? c->number : STEP_MOST_FOCUS)
                             : __builtin_ctzll(s->scene.strand->slots | UINT64_C(1) << 63);
    if (!scene_find_lane(&s->scene, lane, &thread)) {
        diag_fail(&error, "lane %" PRIu64 " has no thread", c->number);
        return prompt_complain(s, error);
    }
    (s->as_json ? view_json_registers : view_registers)(&s->scene, thread, out);
    return true;
}

static bool has_register(const struct stepper *s, const char *name)
{
    const struct program *p = s->scene.program;
    const struct ptx_function *f = p->functions[p->insns[s->scene.strand->pc].function].source;
    for (int i = 0; i < f->register_count; i++)
        if (!strcmp(f->registers[i].name, name))
            return true;
    return false;
}

static bool show_register(struct stepper *s, const struct step_command *c, struct text *out)
{
    char *error = NULL;
    if (!has_register(s, c->word)) {
        diag_fail(&error, "there is no register '%s' here", c->word);
        return prompt_complain(s, error);
    }
    if (!(s->as_json ? view_json_register : view_register)(&s->scene, c->word, out))
        prompt_tell(s, "note", "the register holds no value that can be read here");
    return true;
}

static void show_help(struct stepper *s)
{
    struct text out = {0};
    step_describe_commands(&out);
    if (s->as_json) {
        prompt_tell(s, "help", out.data);
        text_free(&out);
    } else {
        prompt_show(s, &out);
    }
}

/* Takes a command that shows something. */
static void look(struct stepper *s, const struct step_command *c)
{
    struct text out = {0};
    if (c->verb == STEP_HELP) {
        show_help(s);
    } else if (c->verb == STEP_WARP) {
        set_focus(s, c);
    } else if (!s->scene.sm) {
        prompt_tell(s, "note", "the launch has ended: back shows its last issue");
    } else if (c->verb == STEP_WHERE) {
        prompt_show_stop(s);
    } else if (c->verb == STEP_SOURCE) {
        view_source(&s->scene, &s->look, &out);
        if (s->as_json)
            prompt_tell(s, "lines", out.data ? out.data : "");
        else
            prompt_show(s, &out);
        text_free(&out);
    } else if (c->verb == STEP_STATE) {
        (s->as_json ? view_json_state : view_state)(&s->scene, &out);
    } else if (c->verb == STEP_LANES) {
        show_lanes(s, c, &out);
    } else if (c->verb == STEP_REGS) {
        show_registers(s, c, &out);
    } else if (c->verb == STEP_PRINT) {
        show_register(s, c, &out);
    }
    prompt_show(s, &out);
}

/* ---- the prompt ---- */

/* Reads a line; false at the end of the input. Ctrl-C at the prompt begins a new line. */
static bool read_line(struct stepper *s, char line[MOST_LINE])
{
    for (;;) {
        if (s->is_terminal && !s->as_json)
            fputs("(heddle) ", s->out);
        fflush(s->out);
        if (fgets(line, MOST_LINE, stdin))
            break;
        if (!ferror(stdin) || errno != EINTR) {
            if (s->is_terminal)
                fputs("\n", s->out);
            return false;
        }
        clearerr(stdin);
        step_was_interrupted = 0;
        fputs("\n", s->out);
    }
    line[strcspn(line, "\n")] = '\0';
    if (!s->is_terminal && !s->as_json)
        fprintf(s->out, "> %s\n", line);
    return true;
}

void prompt_converse(struct stepper *s)
{
    char line[MOST_LINE], *error = NULL;
    struct step_command c;
    for (;;) {
        if (!read_line(s, line)) {
            s->has_quit = true;
            return;
        }
        if (!step_read_command(line, &c, &error)) {
            prompt_complain(s, error);
            continue;
        }
        if (c.verb == STEP_NOTHING)
            continue;
        if (c.verb == STEP_REPEAT)
            c = s->command;
        s->command = c;
        s->has_quit = c.verb == STEP_QUIT;
        s->has_left = c.verb == STEP_NEXT;
        bool is_goal = c.verb >= STEP_STEP && c.verb <= STEP_RESTART;
        if (s->has_quit || s->has_left || (is_goal && move_take(s, &c)))
            return;
        if (!is_goal)
            look(s, &c);
    }
}
