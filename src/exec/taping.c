/* Recording and replaying what threads decide: see taping.h. */
#include "exec/taping.h"

#include "base/bits.h"
#include "exec/engine_fault.h"
#include "exec/straight.h"
#include "tape/block.h"

#include <stdlib.h>

static uint32_t threads_of(const struct block *b)
{
    const struct row *last = &b->rows[b->row_count - 1];
    return last->first_thread + ROW_LANES;
}

/* ---- recording ---- */

static uint64_t read_lane(const struct row *row, const struct decision *d, int lane)
{
    const uint8_t *plane = row->planes + d->offset;
    switch (d->bits) {
    case 64:
        return ((const uint64_t *)(const void *)plane)[lane];
    case 16:
        return ((const uint16_t *)(const void *)plane)[lane];
    default:
        return ((const uint32_t *)(const void *)plane)[lane];
    }
}

void taping_note(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask, uint32_t active)
{
    const struct decisions *d = e->taping->decisions;
    const struct row *row = e->row;
    struct block *block = e->block;
    if (in->guard == OFFSET_NONE && d->first[pc] == d->first[pc + 1])
        return;
    if (!block->log)
        block->log = tape_log_create(threads_of(block), d->count);
    if (in->guard != OFFSET_NONE)
        for (uint32_t left = mask; left; left &= left - 1) {
            int lane = bits_lowest(left);
            tape_log_bit(block->log, row->first_thread + (uint32_t)lane, active >> lane & 1);
        }
    for (uint32_t site = d->first[pc]; site < d->first[pc + 1]; site++)
        for (uint32_t left = active; left; left &= left - 1) {
            int lane = bits_lowest(left);
            tape_log_word(block->log, row->first_thread + (uint32_t)lane, site, read_lane(row, &d->at[site], lane));
        }
}

void taping_end(struct engine *e, struct block *block)
{
    const struct taping *t = e->taping;
    if (block->live_threads || !t->keep)
        return;
    if (!block->log)
        block->log = tape_log_create(threads_of(block), t->decisions->count);
    t->keep(t->context, block->number, block->log);
    tape_log_destroy(block->log);
    block->log = NULL;
}

/* Whether no part of the strand before this one belongs to the same block. */
static bool is_first_of_block(const struct step *s, const struct threads *threads, int part)
{
    for (int i = 0; i < part; i++)
        if (s->row_blocks[threads->part[i].row] == s->row_blocks[threads->part[part].row])
            return false;
    return true;
}

/* Executes a step and records it. */
static bool execute_recording(struct step *s, const struct strand *strand, uint64_t now)
{
    struct engine *e = s->engine;
    const struct bound *in = &e->code->bound[strand->pc];
    const struct threads *threads = &strand->threads;
    for (int i = 0; i < threads->count; i++) {
        struct part part = threads->part[i];
        e->row = s->rows[part.row];
        e->block = s->row_blocks[part.row];
        taping_note(e, in, strand->pc, part.mask, straight_guarded(e, in, part.mask));
    }
    if (!step_execute(s, strand, now))
        return false;
    for (int i = 0; i < threads->count && s->control; i++)
        if (is_first_of_block(s, threads, i))
            taping_end(e, s->row_blocks[threads->part[i].row]);
    return true;
}

const struct step_ops taping_records = {step_note_accesses, step_guarded, execute_recording};

/* ---- replaying ---- */

static void write_lane(struct row *row, const struct decision *d, int lane, uint64_t value)
{
    uint8_t *plane = row->planes + d->offset;
    switch (d->bits) {
    case 64:
        ((uint64_t *)(void *)plane)[lane] = value;
        break;
    case 16:
        ((uint16_t *)(void *)plane)[lane] = (uint16_t)value;
        break;
    default:
        ((uint32_t *)(void *)plane)[lane] = (uint32_t)value;
        break;
    }
}

/* The record of the block at work; NULL after a fault. */
static struct tape_play *play_of(struct engine *e, const struct bound *in, uint32_t mask)
{
    struct block *block = e->block;
    if (block->play)
        return block->play;
    char *error = NULL;
    block->play = e->taping->load(e->taping->context, block->number, &error);
    if (!block->play)
        engine_fault(e, in, mask, FAULT_RECORDING, "%s", error);
    free(error);
    return block->play;
}

static bool refuse(struct engine *e, const struct bound *in, int lane)
{
    return engine_fault(e, in, 1u << lane, FAULT_RECORDING,
                        "the thread's record ends here: the recording is not of this kernel");
}

/* Puts what the thread decided in the instruction at the PC into its registers; with `is_final` its record goes on
 * behind the instruction. False after a fault. */
static bool restore_thread(struct engine *e, const struct bound *in, int32_t pc, int lane, bool is_final)
{
    const struct decisions *d = e->taping->decisions;
    struct tape_play *play = e->block->play;
    struct row *row = e->row;
    uint32_t thread = row->first_thread + (uint32_t)lane;
    bool passes = true;
    if (in->guard != OFFSET_NONE) {
        if (!tape_play_bit(play, thread, &passes))
            return refuse(e, in, lane);
        ((uint32_t *)(void *)(row->planes + in->guard))[lane] = passes != in->guard_negate ? UINT32_MAX : 0;
        if (is_final)
            tape_play_skip_bit(play, thread);
    }
    for (uint32_t site = d->first[pc]; site < d->first[pc + 1] && passes; site++) {
        uint64_t value;
        if (!tape_play_word(play, thread, site, &value))
            return refuse(e, in, lane);
        write_lane(row, &d->at[site], lane, value);
        if (is_final)
            tape_play_skip_word(play, thread, site);
    }
    return true;
}

/* restore_thread() for the threads of one part of the strand. */
static bool restore_part(struct step *s, const struct strand *strand, int part, bool is_final)
{
    struct engine *e = s->engine;
    const struct bound *in = &e->code->bound[strand->pc];
    struct part p = strand->threads.part[part];
    const uint32_t *first = e->taping->decisions->first;
    if (in->guard == OFFSET_NONE && first[strand->pc] == first[strand->pc + 1])
        return true;
    e->row = s->rows[p.row];
    e->block = s->row_blocks[p.row];
    if (!play_of(e, in, p.mask))
        return false;
    for (uint32_t left = p.mask; left; left &= left - 1)
        if (!restore_thread(e, in, strand->pc, bits_lowest(left), is_final))
            return false;
    return true;
}

static bool restore(struct step *s, const struct strand *strand, bool is_final)
{
    for (int i = 0; i < strand->threads.count; i++)
        if (!restore_part(s, strand, i, is_final))
            return false;
    return true;
}

/* A fault that is met here is met again, and returned, when the strand is executed. */
static void note_replaying(struct step *s, const struct strand *strand)
{
    restore(s, strand, false);
    step_note_accesses(s, strand);
}

static uint32_t guard_replaying(struct step *s, const struct strand *strand, int part)
{
    restore_part(s, strand, part, false);
    return step_guarded(s, strand, part);
}

/* The last thread of the block has ended: no thread may have anything left in its record. */
static bool end_block(struct step *s, const struct strand *strand, struct block *block)
{
    struct engine *e = s->engine;
    bool is_over = !block->play || tape_play_is_over(block->play);
    tape_play_destroy(block->play);
    block->play = NULL;
    e->block = block;
    e->row = &block->rows[0];
    return is_over || engine_fault(e, &e->code->bound[strand->pc], 1, FAULT_RECORDING,
                                   "all threads of the block have ended, but its record goes on");
}

static bool execute_replaying(struct step *s, const struct strand *strand, uint64_t now)
{
    struct engine *e = s->engine;
    const struct bound *in = &e->code->bound[strand->pc];
    if (!restore(s, strand, true))
        return false;
    /* Values neither change nor matter, so the search for threads that repeat themselves (gpu/livelock.h) must find
     * that something changed: their records went on. */
    e->writes++;
    if (bound_is_straight(in)) {
        e->now = now;
        s->bound = in;
        s->control = s->waits = false;
        s->noted = NULL;
        return true;
    }
    if (!step_execute(s, strand, now))
        return false;
    for (int i = 0; i < strand->threads.count; i++) {
        struct block *block = s->row_blocks[strand->threads.part[i].row];
        if (!block->live_threads && block->play && !end_block(s, strand, block))
            return false;
    }
    return true;
}

const struct step_ops taping_replays = {note_replaying, guard_replaying, execute_replaying};
