/* Deadlocks and livelocks in words. */
#include "gpu/deadlock.h"

#include "base/vec.h"
#include "flow/print.h"

#include <stdio.h>
#include <string.h>

/* How much is shown. */
enum { MOST_BLOCKS = 4, MOST_CROWDS = 8, MOST_READS = 4, MOST_STATE_LINES = 40 };

enum { BLOCK_ROWS = LAUNCH_MAX_THREADS / ROW_LANES };

enum stand {
    AT_BARRIER,
    AT_RENDEZVOUS,
    PASSED,    /* a barrier let it go, but not all threads of its strand */
    RUNNING,   /* in a strand that may issue */
    PARKED,    /* in a strand that the mechanism keeps from issuing */
    HELD_BACK, /* in no strand: the mechanism has it */
};

/* Threads of one block that are alike. */
struct crowd {
    enum stand stand;
    int32_t pc; /* PC_NONE: only the mechanism knows */
    int barrier;
    int32_t row;                /* of the first thread, on the multiprocessor */
    uint32_t lanes[BLOCK_ROWS]; /* by row of the block */
};

/* A resident block and the crowds of its live threads. */
struct view {
    const struct scene *scene;
    struct sm *sm;
    const struct block *block;
    int32_t first_row;
    struct vec_of(struct crowd) crowds;
};

/* ---- who is where ---- */

/* The waiting cohort that the thread is in, or NULL. */
static const struct cohort *cohort_of(const struct row *row, int lane)
{
    for (int g = 0; g < row->cohort_count; g++)
        if (row->cohort[g].mask >> lane & 1 && row->cohort[g].state != COHORT_READY)
            return &row->cohort[g];
    return NULL;
}

static struct crowd classify(const struct view *v, int32_t number, int lane)
{
    struct crowd g = {.row = number, .barrier = -1};
    const struct cohort *c = cohort_of(sm_row(v->sm, number), lane);
    int32_t id = sm_strand_of(v->sm, number, lane);
    const struct strand *s = id < 0 ? NULL : sm_strand(v->sm, id);
    if (c) {
        g.stand = c->state == COHORT_AT_BARRIER ? AT_BARRIER : AT_RENDEZVOUS;
        g.barrier = c->state == COHORT_AT_BARRIER ? c->barrier : -1;
        g.pc = c->pc;
    } else if (s) {
        g.stand = s->held ? PASSED : s->parked ? PARKED : RUNNING;
        g.pc = s->pc;
    } else {
        g.stand = HELD_BACK;
        g.pc = sm_where(v->sm, number, lane);
    }
    return g;
}

static int loop_at(const struct view *v, int32_t pc)
{
    const struct program *p = v->scene->engine->program;
    return p->blocks[p->insns[pc].block].loop;
}

/* Threads that run in one loop are alike wherever in it they are. */
static bool are_alike(const struct view *v, const struct crowd *a, const struct crowd *b)
{
    if (a->stand != b->stand || a->barrier != b->barrier)
        return false;
    if (a->stand == RUNNING && loop_at(v, a->pc) >= 0)
        return loop_at(v, a->pc) == loop_at(v, b->pc);
    return a->pc == b->pc;
}

static void add_thread(struct view *v, int32_t number, int lane)
{
    struct crowd new = classify(v, number, lane), *g = NULL;
    for (int i = 0; i < v->crowds.count && !g; i++)
        if (are_alike(v, &v->crowds.data[i], &new))
            g = &v->crowds.data[i];
    if (!g) {
        vec_push(&v->crowds, new);
        g = &v->crowds.data[v->crowds.count - 1];
    }
    g->lanes[number - v->first_row] |= 1u << lane;
}

/* The resident block that starts at a row of the multiprocessor; false: there is none. */
static bool view_open(struct view *v, const struct scene *scene, struct sm *sm, int32_t first_row)
{
    const struct row *first = sm_row(sm, first_row);
    if (!first || first != sm_row_block(sm, first_row)->rows)
        return false;
    *v = (struct view){.scene = scene, .sm = sm, .block = sm_row_block(sm, first_row), .first_row = first_row};
    for (int r = 0; r < v->block->row_count; r++)
        for (uint32_t left = v->block->rows[r].live; left; left &= left - 1)
            add_thread(v, first_row + r, bits_lowest(left));
    return true;
}

static void view_close(struct view *v)
{
    vec_free(&v->crowds);
}

static bool has_stand(const struct view *v, enum stand stand)
{
    for (int i = 0; i < v->crowds.count; i++)
        if (v->crowds.data[i].stand == stand)
            return true;
    return false;
}

/* ---- words ---- */

/* "thread 3", "threads 0, 4-31": the lanes of a block's rows. Says whether it is one. */
static bool print_threads(const uint32_t *lanes, struct text *out)
{
    enum { MOST_RANGES = 12 };
    struct text list = {0};
    int ranges = 0, first = -1, total = 0;
    for (int t = 0; t <= LAUNCH_MAX_THREADS; t++) {
        bool is_in = t < LAUNCH_MAX_THREADS && lanes[t / ROW_LANES] >> (t % ROW_LANES) & 1;
        total += is_in;
        if (is_in && first < 0)
            first = t;
        if (is_in || first < 0)
            continue;
        if (ranges++ < MOST_RANGES) {
            text_printf(&list, ranges > 1 ? ", %d" : "%d", first);
            if (t - 1 > first)
                text_printf(&list, "-%d", t - 1);
        }
        first = -1;
    }
    text_printf(out, "%s %s", total == 1 ? "thread" : "threads", list.data ? list.data : "none");
    if (ranges > MOST_RANGES)
        text_printf(out, " and more, %d in all", total);
    text_free(&list);
    return total == 1;
}

/* "kernel.cu:12 (PTX line 40, block C)"; the block as the mechanism's state names it. */
static void print_place(const struct program *p, int32_t pc, struct text *out)
{
    char where[200];
    const char *block = p->blocks[p->insns[pc].block].name;
    program_where(p, pc, where, sizeof where);
    if (strncmp(where, "line ", 5))
        text_printf(out, "%s (PTX line %d, block %s)", where, (int)p->insns[pc].line, block);
    else
        text_printf(out, "PTX line %d (block %s)", (int)p->insns[pc].line, block);
}

static void print_place_and_instruction(const struct program *p, int32_t pc, struct text *out)
{
    print_place(p, pc, out);
    text_printf(out, ": ");
    program_print_instruction(p, pc, out);
}

static bool is_empty(const uint32_t *lanes)
{
    for (int r = 0; r < BLOCK_ROWS; r++)
        if (lanes[r])
            return false;
    return true;
}

/* ---- what they wait for ---- */

/* Live threads of the block that have not come to the barrier. */
static void missing_at_barrier(const struct view *v, const struct crowd *g, uint32_t *missing)
{
    const struct block_barrier *b = &v->block->barrier[g->barrier];
    for (int r = 0; r < v->block->row_count; r++)
        missing[r] = v->block->rows[r].live & ~b->arrived[r];
}

/* Live threads that the operation names and that do not wait at one like it. */
static void missing_at_rendezvous(const struct view *v, const struct crowd *g, uint32_t *missing)
{
    struct engine *e = v->scene->engine;
    for (int r = 0; r < v->block->row_count; r++) {
        if (!g->lanes[r])
            continue;
        uint32_t members[ROW_LANES], come = 0;
        const struct insn *own = &e->program->insns[g->pc];
        struct row *row = e->row = &v->block->rows[r];
        warp_members(e, &e->code->bound[g->pc], members);
        uint32_t named = members[bits_lowest(g->lanes[r])];
        for (int c = 0; c < row->cohort_count; c++) {
            const struct insn *other = &e->program->insns[row->cohort[c].pc];
            if (row->cohort[c].state == COHORT_AT_RENDEZVOUS && other->op == own->op &&
                !memcmp(&other->suffixes, &own->suffixes, sizeof own->suffixes))
                come |= row->cohort[c].mask;
        }
        missing[r] = named & row->live & ~come;
    }
}

static void missing_of(const struct view *v, const struct crowd *g, uint32_t *missing)
{
    memset(missing, 0, BLOCK_ROWS * sizeof *missing);
    if (g->stand == AT_BARRIER)
        missing_at_barrier(v, g, missing);
    else if (g->stand == AT_RENDEZVOUS)
        missing_at_rendezvous(v, g, missing);
}

static void explain_wait(const struct view *v, const struct crowd *g, struct text *out)
{
    uint32_t missing[BLOCK_ROWS];
    missing_of(v, g, missing);
    text_printf(out, "    for ");
    if (g->stand == AT_BARRIER && v->block->barrier[g->barrier].expected) {
        uint32_t come = 0;
        for (int r = 0; r < v->block->row_count; r++)
            come += (uint32_t)bits_count(v->block->barrier[g->barrier].arrived[r]);
        text_printf(out, "%u threads to come to barrier %d; %u have\n", v->block->barrier[g->barrier].expected,
                    g->barrier, come);
    } else if (is_empty(missing)) {
        text_printf(out, "threads of other masks or warps: all that it names wait somewhere\n");
    } else {
        print_threads(missing, out);
        text_printf(out, g->stand == AT_BARRIER ? " to come to barrier %d\n" : " to come to the same operation\n",
                    g->barrier);
    }
}

static void explain_read(const struct view *v, const struct crowd *g, int32_t pc, struct text *out)
{
    struct engine *e = v->scene->engine;
    const struct bound *in = &e->code->bound[pc];
    int row = g->row - v->first_row, lane = bits_lowest(g->lanes[row]);
    uint64_t address[ROW_LANES];
    char near[320];
    e->row = &v->block->rows[row];
    access_addresses(e, in, address);
    text_printf(out, "    reading %s memory at 0x%llx", space_text[in->space], (unsigned long long)address[lane]);
    if (in->space == IN_GLOBAL || in->space == IN_GENERIC)
        text_printf(out, " (%s)", memory_describe(e->memory, address[lane], near, sizeof near));
    text_printf(out, "\n      PTX line %d: ", (int)e->program->insns[pc].line);
    program_print_instruction(e->program, pc, out);
    text_printf(out, "\n");
}

/* What the instructions of the loop read: the memory that would have to change. */
static void explain_reads(const struct view *v, const struct crowd *g, const struct flow_loop *loop, struct text *out)
{
    const struct engine *e = v->scene->engine;
    int shown = 0;
    for (int b = 0; b < loop->block_count; b++) {
        const struct flow_block *block = &e->program->blocks[loop->blocks[b]];
        for (int32_t pc = block->first; pc <= block->last; pc++) {
            const struct bound *in = &e->code->bound[pc];
            bool reads = in->kind == BOUND_LOAD || in->kind == BOUND_ATOMIC;
            if (reads && in->space != IN_PARAMETER && shown++ < MOST_READS)
                explain_read(v, g, pc, out);
        }
    }
}

static void explain_running(const struct view *v, const struct crowd *g, bool one, struct text *out)
{
    const struct program *p = v->scene->engine->program;
    int index = loop_at(v, g->pc);
    if (index < 0) {
        text_printf(out, one ? " runs at " : " run at ");
        print_place_and_instruction(p, g->pc, out);
        text_printf(out, "\n");
        return;
    }
    const struct flow_loop *loop = &p->loops[index];
    int32_t low = INT32_MAX, high = 0;
    for (int b = 0; b < loop->block_count; b++) {
        const struct flow_block *block = &p->blocks[loop->blocks[b]];
        low = p->insns[block->first].line < low ? p->insns[block->first].line : low;
        high = p->insns[block->last].line > high ? p->insns[block->last].line : high;
    }
    text_printf(out, one ? " runs in the loop at " : " run in the loop at ");
    print_place(p, p->blocks[loop->header].first, out);
    text_printf(out, ", which goes from PTX line %d to %d\n", (int)low, (int)high);
    explain_reads(v, g, loop, out);
}

/* What the mechanism says of a parked strand. */
static void explain_parked(const struct view *v, const struct crowd *g, struct text *out)
{
    struct text why = {0};
    int lane = bits_lowest(g->lanes[g->row - v->first_row]);
    sm_why(v->sm, sm_strand_of(v->sm, g->row, lane), &why);
    if (why.length)
        text_printf(out, "    %s\n", why.data);
    text_free(&why);
}

static void explain_crowd(const struct view *v, const struct crowd *g, struct text *out)
{
    const struct program *p = v->scene->engine->program;
    const char *mechanism = v->scene->mechanism->name;
    text_printf(out, "  ");
    bool one = print_threads(g->lanes, out);
    switch (g->stand) {
    case AT_BARRIER:
    case AT_RENDEZVOUS:
        text_printf(out, one ? " waits at " : " wait at ");
        print_place_and_instruction(p, g->pc, out);
        text_printf(out, "\n");
        explain_wait(v, g, out);
        return;
    case PASSED:
        text_printf(out, one ? " was let go at " : " were let go at ");
        print_place_and_instruction(p, g->pc, out);
        text_printf(out, "\n    but not all threads of the strand were\n");
        return;
    case RUNNING:
        explain_running(v, g, one, out);
        return;
    case PARKED:
        text_printf(out, " %s kept by %s from running, at ", one ? "is" : "are", mechanism);
        print_place(p, g->pc, out);
        text_printf(out, "\n");
        explain_parked(v, g, out);
        return;
    case HELD_BACK:
        text_printf(out, " %s held back by %s", one ? "is" : "are", mechanism);
        if (g->pc != PC_NONE) {
            text_printf(out, " at ");
            print_place(p, g->pc, out);
        }
        text_printf(out, "\n    until those that go first have come to where they all meet, or ended\n");
        return;
    }
}

/* Whether threads that others wait for are held back by the mechanism. */
static bool waits_for_held_back(const struct view *v)
{
    for (int i = 0; i < v->crowds.count; i++) {
        uint32_t missing[BLOCK_ROWS];
        missing_of(v, &v->crowds.data[i], missing);
        for (int k = 0; k < v->crowds.count; k++)
            for (int r = 0; v->crowds.data[k].stand == HELD_BACK && r < v->block->row_count; r++)
                if (missing[r] & v->crowds.data[k].lanes[r])
                    return true;
    }
    return false;
}

/* What keeps the block from going on, in a sentence, where it can be told. */
static void explain_why(const struct view *v, enum fault_kind kind, struct text *out)
{
    const char *mechanism = v->scene->mechanism->name;
    bool spins = has_stand(v, RUNNING) && (has_stand(v, HELD_BACK) || has_stand(v, PARKED));
    if (waits_for_held_back(v))
        text_printf(out,
                    "  why: threads wait for others that %s lets run only after them.\n"
                    "       Where every thread has a PC of its own (--mech mimd) they may meet.\n",
                    mechanism);
    else if (spins && kind == FAULT_LIVELOCK)
        text_printf(out,
                    "  why: threads leave their loop only if what they read changes. Nobody who runs changes it,\n"
                    "       and %s lets the others run only after them: a lock, perhaps, that one of those has.\n",
                    mechanism);
    else if (spins)
        text_printf(out,
                    "  perhaps a livelock: if what the running threads read is to be changed by those held back,\n"
                    "  %s never lets it happen.\n",
                    mechanism);
    else if (kind == FAULT_DEADLOCK && has_stand(v, RUNNING))
        text_printf(out, "  why: unknown; threads are ready and do not run, which is a mistake of heddle.\n");
    else if (kind == FAULT_DEADLOCK)
        text_printf(out, "  why: they wait for each other, or for more threads than there are.\n");
}

static void explain_block(const struct view *v, enum fault_kind kind, struct text *out)
{
    text_printf(out, "block %llu, %u threads left:\n", (unsigned long long)v->block->number, v->block->live_threads);
    for (int i = 0; i < v->crowds.count && i < MOST_CROWDS; i++)
        explain_crowd(v, &v->crowds.data[i], out);
    if (v->crowds.count > MOST_CROWDS)
        text_printf(out, "  and threads at %d more places\n", v->crowds.count - MOST_CROWDS);
    explain_why(v, kind, out);
}

/* The mechanism's own words, cut where they become many. */
static void print_state(const struct scene *scene, int sm, struct text *out)
{
    struct text state = {0};
    sm_dump_mechanism(scene->sms[sm], &state);
    const char *at = state.data ? state.data : "";
    text_printf(out, "state of %s on multiprocessor %d:\n", scene->mechanism->name, sm);
    for (int line = 0; *at && line < MOST_STATE_LINES; line++) {
        size_t n = strcspn(at, "\n");
        text_printf(out, "  %.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
    if (*at)
        text_printf(out, "  ...\n");
    text_free(&state);
}

static const char *headline(enum fault_kind kind)
{
    switch (kind) {
    case FAULT_DEADLOCK:
        return "nothing can run and nothing is under way";
    case FAULT_LIVELOCK:
        return "every thread that runs repeats itself: same registers, and no memory changed in between";
    default:
        return "where the threads are";
    }
}

char *deadlock_explain(const struct scene *scene, enum fault_kind kind)
{
    struct text out = {0};
    int shown = 0, blocks = 0;
    bool any_runs = false;
    text_printf(&out, "%s:\n", headline(kind));
    for (int i = 0; i < scene->sm_count; i++) {
        int before = shown;
        for (int32_t row = 0; row < sm_row_count(scene->sms[i]); row++) {
            struct view v;
            if (!view_open(&v, scene, scene->sms[i], row))
                continue;
            blocks++;
            any_runs |= has_stand(&v, RUNNING);
            if (v.crowds.count && shown < MOST_BLOCKS) {
                explain_block(&v, kind, &out);
                shown++;
            }
            view_close(&v);
        }
        if (shown > before && scene->mechanism->dump)
            print_state(scene, i, &out);
    }
    if (kind == FAULT_DEADLOCK && any_runs)
        mem_dump(scene->mem, &out);
    if (blocks > shown)
        text_printf(&out, "%d more blocks are not shown\n", blocks - shown);
    if (scene->waiting_blocks)
        text_printf(&out, "%llu more blocks have not started\n", (unsigned long long)scene->waiting_blocks);
    return text_take(&out);
}

bool deadlock_holds_back(const struct scene *scene)
{
    bool any = false;
    for (int i = 0; i < scene->sm_count && !any; i++)
        for (int32_t row = 0; row < sm_row_count(scene->sms[i]) && !any; row++) {
            struct view v;
            if (!view_open(&v, scene, scene->sms[i], row))
                continue;
            any = has_stand(&v, HELD_BACK) || has_stand(&v, PARKED);
            view_close(&v);
        }
    return any;
}

static void name_crowd(const struct view *v, const struct crowd *g, struct fault *f)
{
    const struct program *p = v->scene->engine->program;
    const uint32_t *n = v->scene->engine->launch->block;
    struct text place = {0}, instruction = {0};
    int row = g->row - v->first_row;
    uint32_t t = (uint32_t)(row * ROW_LANES + bits_lowest(g->lanes[row]));
    print_place(p, g->pc, &place);
    program_print_instruction(p, g->pc, &instruction);
    snprintf(f->where, sizeof f->where, "%s", place.data);
    snprintf(f->instruction, sizeof f->instruction, "%s", instruction.data);
    text_free(&place);
    text_free(&instruction);
    memcpy(f->block, v->block->index, sizeof f->block);
    f->thread[0] = t % n[0];
    f->thread[1] = t / n[0] % n[1];
    f->thread[2] = t / n[0] / n[1];
    f->has_thread = true;
}

void deadlock_name_spinner(const struct scene *scene, struct fault *f)
{
    for (int i = 0; i < scene->sm_count && !f->has_thread; i++)
        for (int32_t row = 0; row < sm_row_count(scene->sms[i]) && !f->has_thread; row++) {
            struct view v;
            if (!view_open(&v, scene, scene->sms[i], row))
                continue;
            for (int g = 0; g < v.crowds.count && !f->has_thread; g++)
                if (v.crowds.data[g].stand == RUNNING)
                    name_crowd(&v, &v.crowds.data[g], f);
            view_close(&v);
        }
}
