/* What the stepper prints for readers. See view.h. */
#include "step/view.h"

#include "base/demangle.h"
#include "flow/print.h"
#include "trace/event.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    LABEL = 11,      /* column of what stands behind a label */
    MOST_STATE = 24, /* lines of the state that a stop shows */
    AROUND = 5,      /* lines before and behind that `source` shows */
    SLOTS = 64
};

static int width_of(const struct step_scene *s)
{
    return (int)s->run->machine->sm.warp_width;
}

/* ---- what both kinds of output share ---- */

void view_each_warp(const struct step_scene *s, void (*show)(struct step_scene *s, int warp, struct text *out),
                    struct text *out)
{
    for (int warp = 0; warp < scene_warp_count(s); warp++) {
        bool is_in = false;
        for (int i = 0; i < width_of(s) && !is_in; i++) {
            struct scene_thread t;
            is_in = scene_thread_of(s, warp, i, &t) && threads_of_row(&s->strand->threads, t.row) >> t.lane & 1;
        }
        if (is_in)
            show((struct step_scene *)s, warp, out);
    }
}

int view_group_threads(const struct step_scene *s, int warp, struct view_group *groups, int most)
{
    int count = 0;
    for (int i = 0; i < width_of(s); i++) {
        struct scene_thread t;
        if (!scene_thread_of(s, warp, i, &t))
            continue;
        struct scene_place p = scene_place_of(s, t);
        int g = 0;
        while (g < count && !(groups[g].place.doing == p.doing && groups[g].place.pc == p.pc &&
                              groups[g].place.strand == p.strand && groups[g].place.barrier == p.barrier))
            g++;
        if (g == most)
            break;
        if (g == count)
            groups[count++] = (struct view_group){.place = p};
        groups[g].slots |= scene_slot(s, t);
    }
    return count;
}

const char *view_doing(enum scene_doing doing)
{
    static const char *const words[] = {
        [SCENE_ISSUES] = "issues now",
        [SCENE_IN_STRAND] = "issues by itself",
        [SCENE_PARKED] = "parked by the mechanism",
        [SCENE_AT_BARRIER] = "waits at a block barrier",
        [SCENE_AT_CLUSTER] = "waits at the barrier of its cluster",
        [SCENE_AT_RENDEZVOUS] = "waits for threads of its warp",
        [SCENE_HELD_BACK] = "held back by the mechanism",
        [SCENE_ENDED] = "ended",
    };
    return words[doing];
}

bool view_find_register(struct step_scene *s, struct scene_thread thread, const char *name,
                        struct named_register *found)
{
    struct scene_registers list;
    bool is_found = false;
    scene_list_registers(s, thread, &list);
    for (int i = 0; i < list.count && !is_found; i++) {
        is_found = !strcmp(list.data[i].reg.name, name);
        *found = list.data[i].reg;
    }
    vec_free(&list);
    return is_found;
}

/* ---- parts of a stop ---- */

static void begin_colour(const struct step_look *look, const char *code, struct text *out)
{
    if (look->is_coloured)
        text_printf(out, "\033[%sm", code);
}

/* Appends a label and a text that is cut to the width of the lines. */
static void print_labelled(const struct step_look *look, const char *label, const char *words, struct text *out)
{
    int room = look->columns - LABEL;
    bool is_cut = (int)strlen(words) > room;
    text_printf(out, "  %-*s%.*s%s\n", LABEL - 2, label, is_cut ? room - 3 : room, words, is_cut ? "..." : "");
}

static void print_warp_number(struct step_scene *s, int warp, struct text *out)
{
    (void)s;
    text_printf(out, "%s%d", out->length ? ", " : "", warp);
}

static void print_mask(const struct step_scene *s, const struct step_look *look, struct text *out)
{
    struct text warps = {0};
    view_each_warp(s, print_warp_number, &warps);
    text_printf(out, "  %-*s", LABEL - 2, "lanes");
    begin_colour(look, "32", out);
    trace_print_slots(s->strand->slots, width_of(s), out);
    begin_colour(look, "0", out);
    text_printf(out, "  %d of %d, warp%s %s\n", (int)s->strand->size, width_of(s),
                warps.data && strchr(warps.data, ',') ? "s" : "", warps.data ? warps.data : "");
    text_free(&warps);
}

/* Appends the lines of a state, indented, the first one behind a label. */
static void print_state(const char *label, const char *state, int most, struct text *out)
{
    int line = 0;
    for (; *state && line < most; line++) {
        int length = (int)strcspn(state, "\n");
        text_printf(out, "  %-*s%.*s\n", LABEL - 2, line ? "" : label, length, state);
        state += length + (state[length] == '\n');
    }
    int left = 0;
    for (; *state; left++)
        state += strcspn(state, "\n"), state += *state == '\n';
    if (left)
        text_printf(out, "  %-*s(%d more lines: state)\n", LABEL - 2, "", left);
}

/* The text of the PC's source line; NULL: there is none. */
static const char *source_text(struct step_scene *s, int32_t pc)
{
    struct ptx_place place = program_place(s->program, pc);
    return place.path ? sources_line(s->sources, place.path, place.line) : NULL;
}

void view_stop(struct step_scene *s, const struct step_look *look, struct text *out)
{
    int32_t pc = s->strand->pc;
    const struct journal_entry *entry = journal_at(s->journal, s->issue);
    char *kernel = demangle_short(s->launch->kernel->name), where[200];
    struct text line = {0}, changes = {0};
    begin_colour(look, "1", out);
    text_printf(out, "issue %" PRIu64 ", cycle %" PRIu64 ": %s, block ", s->issue, entry->cycle, kernel);
    program_print_pc(s->program, pc, out);
    text_printf(out, ", %s", program_where_both(s->program, pc, where, sizeof where));
    begin_colour(look, "0", out);
    text_printf(out, "\n");
    if (source_text(s, pc))
        print_labelled(look, "source", source_text(s, pc), out);
    program_print_instruction(s->program, pc, &line);
    print_labelled(look, "PTX", line.data ? line.data : "", out);
    print_mask(s, look, out);
    if (entry->flags & JOURNAL_MET)
        print_labelled(look, "meet", "threads of a warp that were apart issue together again", out);
    trace_find_changes(s->state_before, s->state, &changes);
    if (changes.length)
        print_state(s->state_before ? "changed" : "state", changes.data, MOST_STATE, out);
    text_free(&line);
    text_free(&changes);
    free(kernel);
}

/* ---- what commands show ---- */

static void print_instructions(struct step_scene *s, const struct step_look *look, struct text *out)
{
    int32_t pc = s->strand->pc;
    const struct program_function *f = &s->program->functions[s->program->insns[pc].function];
    for (int32_t i = pc - AROUND < f->first ? f->first : pc - AROUND; i <= pc + AROUND && i <= f->last; i++) {
        struct text line = {0};
        char label[32];
        if (s->program->insns[i].flags & INSN_LEADER)
            text_printf(out, "  block %s\n", s->program->blocks[s->program->insns[i].block].name);
        program_print_instruction(s->program, i, &line);
        snprintf(label, sizeof label, "%s%6d", i == pc ? ">" : " ", (int)s->program->insns[i].line);
        print_labelled(look, label, line.data ? line.data : "", out);
        text_free(&line);
    }
}

void view_source(struct step_scene *s, const struct step_look *look, struct text *out)
{
    struct ptx_place place = program_place(s->program, s->strand->pc);
    if (!source_text(s, s->strand->pc)) {
        print_instructions(s, look, out);
        return;
    }
    for (int line = place.line - AROUND; line <= place.line + AROUND; line++) {
        const char *words = sources_line(s->sources, place.path, line);
        char label[32];
        snprintf(label, sizeof label, "%s%6d", line == place.line ? ">" : " ", line);
        if (words)
            print_labelled(look, label, words, out);
    }
}

static void show_warp(struct step_scene *s, int warp, struct text *out)
{
    struct view_group groups[SLOTS];
    struct scene_thread first = {0};
    int count = view_group_threads(s, warp, groups, SLOTS);
    scene_thread_of(s, warp, 0, &first);
    text_printf(out, "  warp %d, block %" PRIu64 ", from thread %" PRIu32 " on\n", warp, scene_block_number(s, first),
                scene_thread_id(s, first));
    for (int i = 0; i < count; i++) {
        const struct scene_place *p = &groups[i].place;
        struct text at = {0};
        char where[200];
        if (p->pc != PC_NONE)
            program_print_pc(s->program, p->pc, &at);
        text_printf(out, "    ");
        trace_print_slots(groups[i].slots, width_of(s), out);
        text_printf(out, "  %-6s %-24s %s", at.data ? at.data : "-",
                    p->pc == PC_NONE ? "-" : program_where(s->program, p->pc, where, sizeof where),
                    view_doing(p->doing));
        if (p->doing == SCENE_IN_STRAND || p->doing == SCENE_PARKED)
            text_printf(out, ", strand %d", (int)p->strand);
        if (p->doing == SCENE_AT_BARRIER && p->barrier < LAUNCH_MAX_BARRIERS)
            text_printf(out, ", number %d", p->barrier);
        text_printf(out, "\n");
        text_free(&at);
    }
}

void view_lanes(struct step_scene *s, int warp, struct text *out)
{
    if (warp >= 0)
        show_warp(s, warp, out);
    else
        view_each_warp(s, show_warp, out);
}

void view_state(const struct step_scene *s, struct text *out)
{
    print_state("state", s->state, INT32_MAX, out);
    if (!*s->state)
        text_printf(out, "  %s keeps no state\n", s->run->mechanism->name);
}

/* "block 0, thread 3, at C": and that the thread is not in the issue, if it is not. */
static void print_thread(struct step_scene *s, struct scene_thread thread, struct text *out)
{
    struct scene_place p = scene_place_of(s, thread);
    text_printf(out, "  block %" PRIu64 ", thread %" PRIu32, scene_block_number(s, thread), scene_thread_id(s, thread));
    if (p.pc != PC_NONE) {
        text_printf(out, ", at ");
        program_print_pc(s->program, p.pc, out);
    }
    if (p.doing != SCENE_ISSUES)
        text_printf(out, ", %s", view_doing(p.doing));
    text_printf(out, "\n");
}

void view_registers(struct step_scene *s, struct scene_thread thread, struct text *out)
{
    struct scene_registers list;
    bool has_new = false;
    print_thread(s, thread, out);
    scene_list_registers(s, thread, &list);
    for (int i = 0; i < list.count; i++) {
        text_printf(out, "  %s %-8s ", list.data[i].is_new ? "*" : " ", list.data[i].reg.name);
        scene_print_value(s, thread, &list.data[i].reg, out);
        text_printf(out, "\n");
        has_new |= list.data[i].is_new;
    }
    if (!list.count)
        text_printf(out, "    no register holds a value that can be read here\n");
    if (has_new)
        text_printf(out, "  * written by the thread's last instruction\n");
    vec_free(&list);
}

bool view_register(struct step_scene *s, const char *name, struct text *out)
{
    bool is_found = false;
    for (int lane = 0; lane < width_of(s); lane++) {
        struct scene_thread thread;
        struct named_register reg;
        if (!(s->strand->slots >> lane & 1) || !scene_find_lane(s, lane, &thread) ||
            !view_find_register(s, thread, name, &reg))
            continue;
        text_printf(out, "  lane %2d, thread %4" PRIu32 "  ", lane, scene_thread_id(s, thread));
        scene_print_value(s, thread, &reg, out);
        text_printf(out, "\n");
        is_found = true;
    }
    return is_found;
}
