/* What can be asked of a stop: where threads are, and what their registers hold. See scene.h. */
#include "step/scene.h"

#include <inttypes.h>

/* ---- warps and threads ---- */

static int width_of(const struct step_scene *s)
{
    return (int)s->run->machine->sm.warp_width;
}

int scene_warp_count(const struct step_scene *s)
{
    return sm_row_count(s->sm) * ROW_LANES / width_of(s);
}

int scene_warp_of(const struct step_scene *s, struct scene_thread thread)
{
    return (thread.row * ROW_LANES + thread.lane) / width_of(s);
}

static uint32_t block_threads(const struct step_scene *s)
{
    return s->launch->block[0] * s->launch->block[1] * s->launch->block[2];
}

bool scene_thread_of(const struct step_scene *s, int warp, int i, struct scene_thread *thread)
{
    int number = warp * width_of(s) + i;
    *thread = (struct scene_thread){number / ROW_LANES, number % ROW_LANES};
    return thread->row < sm_row_count(s->sm) && sm_row(s->sm, thread->row) &&
           scene_thread_id(s, *thread) < block_threads(s);
}

bool scene_has_warp(const struct step_scene *s, int warp)
{
    struct scene_thread thread;
    return warp < scene_warp_count(s) && scene_thread_of(s, warp, 0, &thread);
}

uint32_t scene_thread_id(const struct step_scene *s, struct scene_thread thread)
{
    return sm_row(s->sm, thread.row)->first_thread + (uint32_t)thread.lane;
}

uint64_t scene_block_number(const struct step_scene *s, struct scene_thread thread)
{
    return sm_row_block(s->sm, thread.row)->number;
}

uint64_t scene_slot(const struct step_scene *s, struct scene_thread thread)
{
    return sm_slots(s->sm, thread.row, UINT32_C(1) << thread.lane);
}

bool scene_find_lane(const struct step_scene *s, int lane, struct scene_thread *thread)
{
    const struct threads *t = &s->strand->threads;
    if (lane >= width_of(s))
        return false;
    uint64_t slot = UINT64_C(1) << lane;
    for (int i = 0; i < t->count; i++)
        for (uint32_t left = t->part[i].mask; left; left &= left - 1) {
            *thread = (struct scene_thread){t->part[i].row, bits_lowest(left)};
            if (scene_slot(s, *thread) == slot)
                return true;
        }
    int warp = scene_warp_of(s, (struct scene_thread){t->part[0].row, bits_lowest(t->part[0].mask)});
    for (int i = 0; i < width_of(s); i++)
        if (scene_thread_of(s, warp, i, thread) && scene_slot(s, *thread) == slot)
            return true;
    return false;
}

struct scene_place scene_place_of(const struct step_scene *s, struct scene_thread thread)
{
    const struct row *row = sm_row(s->sm, thread.row);
    struct scene_place place = {.pc = PC_NONE, .strand = -1};
    if (!(row->live >> thread.lane & 1)) {
        place.doing = SCENE_ENDED;
        return place;
    }
    place.strand = sm_strand_of(s->sm, thread.row, thread.lane);
    for (int i = 0; i < row->cohort_count; i++) {
        const struct cohort *c = &row->cohort[i];
        if (!(c->mask >> thread.lane & 1) || c->state == COHORT_READY)
            continue;
        place.doing = c->state == COHORT_AT_BARRIER   ? SCENE_AT_BARRIER
                      : c->state == COHORT_AT_CLUSTER ? SCENE_AT_CLUSTER
                                                      : SCENE_AT_RENDEZVOUS;
        place.barrier = c->barrier;
        place.pc = c->pc;
        return place;
    }
    const struct strand *strand = place.strand < 0 ? NULL : sm_strand(s->sm, place.strand);
    place.pc = strand ? strand->pc : sm_where(s->sm, thread.row, thread.lane);
    place.doing = !strand               ? SCENE_HELD_BACK
                  : strand == s->strand ? SCENE_ISSUES
                  : strand->parked      ? SCENE_PARKED
                                        : SCENE_IN_STRAND;
    return place;
}

/* ---- registers ---- */

/* The bytes of the thread's register, `bytes` of them. */
static const uint8_t *find_value(const struct step_scene *s, struct scene_thread thread, int32_t plane, unsigned bytes)
{
    return sm_row(s->sm, thread.row)->planes + (size_t)plane * PLANE_BYTES + (size_t)thread.lane * bytes;
}

static unsigned bytes_of(unsigned bits)
{
    return bits == 1 ? 4 : bits / 8;
}

static bool is_true(const struct step_scene *s, struct scene_thread thread, int32_t plane)
{
    uint32_t value;
    memcpy(&value, find_value(s, thread, plane, sizeof value), sizeof value);
    return value;
}

/* PC of the instruction that the thread executed last; PC_NONE: it has executed none. */
static int32_t last_pc(const struct step_scene *s, struct scene_thread thread)
{
    uint64_t issue = s->last[thread.row * ROW_LANES + thread.lane];
    return issue ? journal_at(s->journal, issue)->pc : PC_NONE;
}

/* Whether the guard of the instruction, which the thread has executed, let it write. A guard that the instruction
 * itself has overwritten counts as true. */
static bool was_guarded_on(const struct step_scene *s, struct scene_thread thread, const struct insn *insn)
{
    for (int i = 0; i < insn->dest_count; i++)
        if (insn->dest[i].kind == REF_PLANE && insn->dest[i].plane == insn->guard)
            return true;
    return insn->guard < 0 || is_true(s, thread, insn->guard) != insn->guard_negate;
}

void scene_list_registers(struct step_scene *s, struct scene_thread thread, struct scene_registers *list)
{
    struct scene_place place = scene_place_of(s, thread);
    int32_t before = last_pc(s, thread);
    const struct named_register *live = NULL, *written = NULL;
    int live_count = 0, written_count = 0;
    *list = (struct scene_registers){0};
    if (!s->registers)
        s->registers = registers_create(s->program->kernel);
    if (place.pc == PC_NONE)
        return;
    live = registers_live(s->registers, place.pc, &live_count);
    const struct insn *insns = s->program->insns;
    if (before != PC_NONE && insns[before].function == insns[place.pc].function &&
        was_guarded_on(s, thread, &insns[before]))
        written = registers_written(s->registers, before, &written_count);
    for (int i = 0; i < live_count; i++)
        vec_push(list, (struct scene_register){.reg = live[i]});
    for (int i = 0; i < written_count; i++) {
        int k = 0;
        while (k < list->count && strcmp(list->data[k].reg.name, written[i].name))
            k++;
        if (k == list->count)
            vec_push(list, (struct scene_register){.reg = written[i]});
        list->data[k].is_new = true;
    }
}

void scene_print_value(const struct step_scene *s, struct scene_thread thread, const struct named_register *reg,
                       struct text *out)
{
    uint64_t words[2] = {0};
    float single;
    double twice;
    memcpy(words, find_value(s, thread, reg->plane, bytes_of(reg->bits)), bytes_of(reg->bits));
    switch (reg->bits) {
    case 1:
        text_printf(out, "%s", words[0] ? "true" : "false");
        return;
    case 128:
        text_printf(out, "0x%016" PRIx64 "%016" PRIx64, words[1], words[0]);
        return;
    case 32:
        memcpy(&single, words, sizeof single);
        if (reg->type == TYPE_F32)
            text_printf(out, "%.9g", (double)single);
        else
            text_printf(out, "0x%08" PRIx64 " %" PRId32, words[0], (int32_t)words[0]);
        return;
    case 64:
        memcpy(&twice, words, sizeof twice);
        if (reg->type == TYPE_F64)
            text_printf(out, "%.17g", twice);
        else
            text_printf(out, "0x%016" PRIx64 " %" PRId64, words[0], (int64_t)words[0]);
        return;
    default:
        text_printf(out, "0x%04" PRIx64 " %" PRId16, words[0], (int16_t)words[0]);
    }
}
