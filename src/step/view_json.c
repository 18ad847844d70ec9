/* What the stepper prints as JSON. See view.h. */
#include "step/view.h"

#include "base/json.h"
#include "flow/print.h"
#include "trace/event.h"

#include <inttypes.h>

enum { SLOTS = 64 };

static int width_of(const struct step_scene *s)
{
    return (int)s->run->machine->sm.warp_width;
}

static void print_slots(const struct step_scene *s, uint64_t slots, struct text *out)
{
    text_printf(out, "\"");
    trace_print_slots(slots, width_of(s), out);
    text_printf(out, "\"");
}

static void print_text(const char *name, struct text *words, struct text *out)
{
    text_printf(out, ",\"%s\":", name);
    json_print_string(out, words->data ? words->data : "");
    text_free(words);
}

/* "block":"C","where":"PTX line 22": the place of a PC. */
static void print_place(const struct step_scene *s, int32_t pc, struct text *out)
{
    char where[200];
    text_printf(out, "\"pc\":%d,\"block\":", (int)pc);
    json_print_string(out, s->program->blocks[s->program->insns[pc].block].name);
    text_printf(out, ",\"where\":");
    json_print_string(out, program_where(s->program, pc, where, sizeof where));
}

static void print_warp_number(struct step_scene *s, int warp, struct text *out)
{
    (void)s;
    text_printf(out, "%s%d", out->length ? "," : "", warp);
}

void view_json_stop(struct step_scene *s, struct text *out)
{
    int32_t pc = s->strand->pc;
    const struct journal_entry *entry = journal_at(s->journal, s->issue);
    struct ptx_place place = program_place(s->program, pc);
    struct text line = {0}, warps = {0}, changes = {0};
    text_printf(out, "{\"issue\":%" PRIu64 ",\"cycle\":%" PRIu64 ",\"kernel\":", s->issue, entry->cycle);
    json_print_string(out, s->launch->kernel->name);
    text_printf(out, ",");
    print_place(s, pc, out);
    text_printf(out, ",\"ptx_line\":%d,\"source\":", place.ptx_line);
    json_print_string(out, place.path ? sources_line(s->sources, place.path, place.line) : NULL);
    program_print_instruction(s->program, pc, &line);
    print_text("ptx", &line, out);
    view_each_warp(s, print_warp_number, &warps);
    text_printf(out, ",\"strand\":%d,\"warps\":[%s],\"threads\":%d,\"lanes\":", (int)s->strand->id,
                warps.data ? warps.data : "", (int)s->strand->size);
    text_free(&warps);
    print_slots(s, s->strand->slots, out);
    text_printf(out, ",\"met\":%s", entry->flags & JOURNAL_MET ? "true" : "false");
    trace_find_changes(s->state_before, s->state, &changes);
    print_text("changed", &changes, out);
    text_printf(out, "}\n");
}

static void show_warp(struct step_scene *s, int warp, struct text *out)
{
    struct view_group groups[SLOTS];
    int count = view_group_threads(s, warp, groups, SLOTS);
    text_printf(out, "{\"warp\":%d,\"threads\":[", warp);
    for (int i = 0; i < count; i++) {
        text_printf(out, "%s{\"lanes\":", i ? "," : "");
        print_slots(s, groups[i].slots, out);
        text_printf(out, ",");
        if (groups[i].place.pc != PC_NONE) {
            print_place(s, groups[i].place.pc, out);
            text_printf(out, ",");
        }
        text_printf(out, "\"doing\":\"%s\"}", view_doing(groups[i].place.doing));
    }
    text_printf(out, "]}\n");
}

void view_json_lanes(struct step_scene *s, int warp, struct text *out)
{
    if (warp >= 0)
        show_warp(s, warp, out);
    else
        view_each_warp(s, show_warp, out);
}

void view_json_state(const struct step_scene *s, struct text *out)
{
    text_printf(out, "{\"state\":");
    json_print_string(out, s->state);
    text_printf(out, "}\n");
}

static void begin_thread(struct step_scene *s, struct scene_thread thread, struct text *out)
{
    text_printf(out, "{\"block\":%" PRIu64 ",\"thread\":%" PRIu32, scene_block_number(s, thread),
                scene_thread_id(s, thread));
}

void view_json_registers(struct step_scene *s, struct scene_thread thread, struct text *out)
{
    struct scene_registers list;
    scene_list_registers(s, thread, &list);
    begin_thread(s, thread, out);
    text_printf(out, ",\"registers\":[");
    for (int i = 0; i < list.count; i++) {
        struct text value = {0};
        text_printf(out, "%s{\"name\":", i ? "," : "");
        json_print_string(out, list.data[i].reg.name);
        scene_print_value(s, thread, &list.data[i].reg, &value);
        print_text("value", &value, out);
        text_printf(out, ",\"new\":%s}", list.data[i].is_new ? "true" : "false");
    }
    text_printf(out, "]}\n");
    vec_free(&list);
}

bool view_json_register(struct step_scene *s, const char *name, struct text *out)
{
    struct text rows = {0};
    for (int lane = 0; lane < width_of(s); lane++) {
        struct scene_thread thread;
        struct named_register reg;
        struct text value = {0};
        if (!(s->strand->slots >> lane & 1) || !scene_find_lane(s, lane, &thread) ||
            !view_find_register(s, thread, name, &reg))
            continue;
        text_printf(&rows, "%s", rows.length ? "," : "");
        begin_thread(s, thread, &rows);
        text_printf(&rows, ",\"lane\":%d", lane);
        scene_print_value(s, thread, &reg, &value);
        print_text("value", &value, &rows);
        text_printf(&rows, "}");
    }
    bool is_found = rows.length;
    if (is_found) {
        text_printf(out, "{\"register\":");
        json_print_string(out, name);
        text_printf(out, ",\"threads\":[%s]}\n", rows.data);
    }
    text_free(&rows);
    return is_found;
}
