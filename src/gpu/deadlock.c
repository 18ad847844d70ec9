/* Deadlocks and livelocks in words (deadlock.h). A report groups the live threads of a block by where they are and why
 * they are there; each group is one line of the report. Nothing that is simulated changes. */
#include "gpu/deadlock.h"

#include "base/vec.h"
#include "exec/access.h"
#include "exec/cluster.h"
#include "exec/warp_ops.h"
#include "flow/print.h"

#include <stdio.h>
#include <string.h>

/* How much of a report is shown. */
enum { MOST_BLOCKS = 4, MOST_GROUPS = 8, MOST_READS = 4, MOST_STATE_LINES = 40 };

enum { BLOCK_ROWS = LAUNCH_MAX_THREADS / ROW_LANES };

/* Why a thread is where it is. */
enum deadlock_state {
    AT_BARRIER,    /* the thread waits at a block barrier */
    AT_CLUSTER,    /* the thread waits at the barrier of its cluster */
    AT_RENDEZVOUS, /* the thread waits at a warp-level operation for other threads */
    PASSED,        /* a barrier released the thread, but not all threads of its strand */
    RUNNING,       /* in a strand that may issue */
    AT_COPIES,     /* in a strand that does not issue before data of bulk copies has come */
    PARKED,        /* in a strand that the mechanism keeps from issuing */
    HELD_BACK,     /* in no strand: the mechanism holds the thread back */
};

/* Threads of one block that are at one place for one reason. */
struct deadlock_group {
    enum deadlock_state state;
    int32_t pc;                 /* PC_NONE: only the mechanism knows the place */
    int barrier;                /* number of the block barrier, with AT_BARRIER; else -1 */
    int32_t row;                /* row of the group's first thread, counted over the multiprocessor */
    uint32_t lanes[BLOCK_ROWS]; /* [row of the block] the group's threads, as bits */
};

/* A resident block and the groups of its live threads. */
struct deadlock_view {
    const struct deadlock_scene *scene;
    struct sm *sm;
    const struct block *block;
    int32_t first_row; /* the block's first row on the multiprocessor */
    struct vec_of(struct deadlock_group) groups;
};

/* ---- where threads are ---- */

/* The cohort that the thread waits in, at a barrier or rendezvous; NULL if it does not wait. */
static const struct cohort *cohort_of(const struct row *row, int lane)
{
    for (int g = 0; g < row->cohort_count; g++)
        if (row->cohort[g].mask >> lane & 1 && row->cohort[g].state != COHORT_READY)
            return &row->cohort[g];
    return NULL;
}

/* A group that has the place and state of the thread in this row and lane, and no threads yet. */
static struct deadlock_group classify(const struct deadlock_view *v, int32_t number, int lane)
{
    struct deadlock_group g = {.row = number, .barrier = -1};
    const struct cohort *c = cohort_of(sm_row(v->sm, number), lane);
    int32_t id = sm_strand_of(v->sm, number, lane);
    const struct strand *s = id < 0 ? NULL : sm_strand(v->sm, id);
    if (c) {
        g.state = c->state == COHORT_AT_BARRIER   ? AT_BARRIER
                  : c->state == COHORT_AT_CLUSTER ? AT_CLUSTER
                                                  : AT_RENDEZVOUS;
        g.barrier = c->state == COHORT_AT_BARRIER ? c->barrier : -1;
        g.pc = c->pc;
    } else if (s) {
        g.state = s->held ? PASSED : s->parked ? PARKED : sm_is_kept_by_copies(v->sm, id) ? AT_COPIES : RUNNING;
        g.pc = s->pc;
    } else {
        g.state = HELD_BACK;
        g.pc = sm_where(v->sm, number, lane);
    }
    return g;
}

/* Index of the innermost loop around the PC; -1: none. */
static int loop_at(const struct deadlock_view *v, int32_t pc)
{
    const struct program *p = v->scene->engine->program;
    return p->blocks[p->insns[pc].block].loop;
}

/* Threads that run in one loop are one group, wherever in the loop they are. */
static bool are_alike(const struct deadlock_view *v, const struct deadlock_group *a, const struct deadlock_group *b)
{
    if (a->state != b->state || a->barrier != b->barrier)
        return false;
    if (a->state == RUNNING && loop_at(v, a->pc) >= 0)
        return loop_at(v, a->pc) == loop_at(v, b->pc);
    return a->pc == b->pc;
}

static void add_thread(struct deadlock_view *v, int32_t number, int lane)
{
    struct deadlock_group new = classify(v, number, lane), *g = NULL;
    for (int i = 0; i < v->groups.count && !g; i++)
        if (are_alike(v, &v->groups.data[i], &new))
            g = &v->groups.data[i];
    if (!g) {
        vec_push(&v->groups, new);
        g = &v->groups.data[v->groups.count - 1];
    }
    g->lanes[number - v->first_row] |= 1u << lane;
}

/* Opens the resident block whose first row is the given row of the multiprocessor; false if there is none. */
static bool view_open(struct deadlock_view *v, const struct deadlock_scene *scene, struct sm *sm, int32_t first_row)
{
    const struct row *first = sm_row(sm, first_row);
    if (!first || first != sm_row_block(sm, first_row)->rows)
        return false;
    *v = (struct deadlock_view){.scene = scene, .sm = sm, .block = sm_row_block(sm, first_row), .first_row = first_row};
    for (int r = 0; r < v->block->row_count; r++)
        for (uint32_t left = v->block->rows[r].live; left; left &= left - 1)
            add_thread(v, first_row + r, bits_lowest(left));
    return true;
}

static void view_close(struct deadlock_view *v)
{
    vec_free(&v->groups);
}

static bool has_state(const struct deadlock_view *v, enum deadlock_state state)
{
    for (int i = 0; i < v->groups.count; i++)
        if (v->groups.data[i].state == state)
            return true;
    return false;
}

/* ---- words ---- */

/* Prints "thread 3" or "threads 0, 4-31". True if there is one thread: the verb is singular. */
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

/* Prints "kernel.cu:12 (PTX line 40, block C)", with the basic block's name as in the mechanism's state. */
static void print_place(const struct program *p, int32_t pc, struct text *out)
{
    char where[200];
    const char *block = p->blocks[p->insns[pc].block].name;
    struct ptx_place place = program_place(p, pc);
    ptx_place_print(&place, where, sizeof where);
    if (place.path)
        text_printf(out, "%s (PTX line %d, block %s)", where, place.ptx_line, block);
    else
        text_printf(out, "%s (block %s)", where, block);
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

/* ---- what threads wait for ---- */

/* Live threads of the block, or of the row's warpgroup, that have not arrived at the barrier. */
static void missing_at_barrier(const struct deadlock_view *v, const struct deadlock_group *g, uint32_t *missing)
{
    const struct block_barrier *b = &v->block->barrier[g->barrier];
    bool is_group = g->barrier >= LAUNCH_MAX_BARRIERS;
    int first = is_group ? (g->barrier - LAUNCH_MAX_BARRIERS) * WARPGROUP_ROWS : 0;
    for (int r = first; r < v->block->row_count && (!is_group || r < first + WARPGROUP_ROWS); r++)
        missing[r] = v->block->rows[r].live & ~b->arrived[r];
}

/* Live threads of the block that have not arrived at the barrier of the cluster. */
static void missing_at_cluster(const struct deadlock_view *v, uint32_t *missing)
{
    const struct cluster *c = v->block->cluster;
    for (int r = 0; c && r < v->block->row_count; r++)
        missing[r] = v->block->rows[r].live & ~c->arrived[v->block->rank][r];
}

/* Live threads that the operation's member mask names and that do not wait at an operation of the same kind. */
static void missing_at_rendezvous(const struct deadlock_view *v, const struct deadlock_group *g, uint32_t *missing)
{
    struct engine *e = v->scene->engine;
    for (int r = 0; r < v->block->row_count; r++) {
        if (!g->lanes[r])
            continue;
        uint32_t members[ROW_LANES], come = 0;
        const struct insn *own = &e->program->insns[g->pc];
        struct row *row = e->row = &v->block->rows[r];
        warp_ops_members(e, &e->code->bound[g->pc], members);
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

/* Threads that the group waits for; none if the group does not wait. */
static void missing_of(const struct deadlock_view *v, const struct deadlock_group *g, uint32_t *missing)
{
    memset(missing, 0, BLOCK_ROWS * sizeof *missing);
    if (g->state == AT_BARRIER)
        missing_at_barrier(v, g, missing);
    else if (g->state == AT_CLUSTER)
        missing_at_cluster(v, missing);
    else if (g->state == AT_RENDEZVOUS)
        missing_at_rendezvous(v, g, missing);
}

static void explain_wait(const struct deadlock_view *v, const struct deadlock_group *g, struct text *out)
{
    uint32_t missing[BLOCK_ROWS];
    missing_of(v, g, missing);
    text_printf(out, "    for ");
    if (g->state == AT_BARRIER && v->block->barrier[g->barrier].expected) {
        uint32_t come = 0;
        for (int r = 0; r < v->block->row_count; r++)
            come += (uint32_t)bits_count(v->block->barrier[g->barrier].arrived[r]);
        text_printf(out, "%u threads to arrive at barrier %d; %u have\n", v->block->barrier[g->barrier].expected,
                    g->barrier, come);
    } else if (is_empty(missing) && g->state == AT_CLUSTER) {
        text_printf(out, "threads of other blocks to arrive at the barrier of the cluster\n");
    } else if (is_empty(missing)) {
        text_printf(out,
                    "threads of other warps or member masks: every thread that the operation names waits somewhere\n");
    } else {
        print_threads(missing, out);
        text_printf(out,
                    g->state == AT_BARRIER && g->barrier < LAUNCH_MAX_BARRIERS ? " to arrive at barrier %d\n"
                                                                               : " to arrive at the same operation\n",
                    g->barrier);
    }
}

static void explain_read(const struct deadlock_view *v, const struct deadlock_group *g, int32_t pc, struct text *out)
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

/* What the loop's instructions read: the memory that would have to change for threads to leave the loop. */
static void explain_reads(const struct deadlock_view *v, const struct deadlock_group *g, const struct flow_loop *loop,
                          struct text *out)
{
    const struct engine *e = v->scene->engine;
    int shown = 0;
    for (int b = 0; b < loop->block_count; b++) {
        const struct flow_block *block = &e->program->blocks[loop->blocks[b]];
        for (int32_t pc = block->first; pc <= block->last; pc++) {
            const struct bound *in = &e->code->bound[pc];
            bool reads = in->kind == BOUND_LOAD || in->kind == BOUND_ATOMIC || in->kind == BOUND_MBARRIER;
            if (reads && in->space != IN_PARAMETER && shown++ < MOST_READS)
                explain_read(v, g, pc, out);
        }
    }
}

static void explain_running(const struct deadlock_view *v, const struct deadlock_group *g, bool one, struct text *out)
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

/* What the mechanism says about a parked strand. */
static void explain_parked(const struct deadlock_view *v, const struct deadlock_group *g, struct text *out)
{
    struct text why = {0};
    int lane = bits_lowest(g->lanes[g->row - v->first_row]);
    sm_why(v->sm, sm_strand_of(v->sm, g->row, lane), &why);
    if (why.length)
        text_printf(out, "    %s\n", why.data);
    text_free(&why);
}

static void explain_group(const struct deadlock_view *v, const struct deadlock_group *g, struct text *out)
{
    const struct program *p = v->scene->engine->program;
    const char *mechanism = v->scene->mechanism->name;
    text_printf(out, "  ");
    bool one = print_threads(g->lanes, out);
    switch (g->state) {
    case AT_BARRIER:
    case AT_CLUSTER:
    case AT_RENDEZVOUS:
        text_printf(out, one ? " waits at " : " wait at ");
        print_place_and_instruction(p, g->pc, out);
        text_printf(out, "\n");
        explain_wait(v, g, out);
        return;
    case PASSED:
        text_printf(out, one ? " was released at " : " were released at ");
        print_place_and_instruction(p, g->pc, out);
        text_printf(out, "\n    but other threads of the strand were not\n");
        return;
    case RUNNING:
        explain_running(v, g, one, out);
        return;
    case AT_COPIES:
        text_printf(out, one ? " waits at " : " wait at ");
        print_place_and_instruction(p, g->pc, out);
        text_printf(out, "\n    for data of bulk copies, which are under way\n");
        return;
    case PARKED:
        text_printf(out, " %s kept from running by %s, at ", one ? "is" : "are", mechanism);
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
        text_printf(out, "\n    until the threads that run first reach the reconvergence point or exit\n");
        return;
    }
}

/* Whether the mechanism holds back threads that other threads wait for. */
static bool waits_for_held_back(const struct deadlock_view *v)
{
    for (int i = 0; i < v->groups.count; i++) {
        uint32_t missing[BLOCK_ROWS];
        missing_of(v, &v->groups.data[i], missing);
        for (int k = 0; k < v->groups.count; k++)
            for (int r = 0; v->groups.data[k].state == HELD_BACK && r < v->block->row_count; r++)
                if (missing[r] & v->groups.data[k].lanes[r])
                    return true;
    }
    return false;
}

/* One sentence on what keeps the block from going on, where that is known. */
static void explain_why(const struct deadlock_view *v, enum fault_kind kind, struct text *out)
{
    const char *mechanism = v->scene->mechanism->name;
    bool spins = has_state(v, RUNNING) && (has_state(v, HELD_BACK) || has_state(v, PARKED));
    if (waits_for_held_back(v))
        text_printf(out,
                    "  why: threads wait for threads that %s lets run only after them.\n"
                    "       Under a mechanism with one PC per thread (--mech mimd) the kernel may finish.\n",
                    mechanism);
    else if (spins && kind == FAULT_LIVELOCK)
        text_printf(
            out,
            "  why: threads leave their loop only if what they read changes. No running thread changes it,\n"
            "       and %s lets the other threads run only after them. Perhaps one of the others holds a lock.\n",
            mechanism);
    else if (spins)
        text_printf(
            out,
            "  perhaps a livelock: if only threads that are held back would change what the running threads read,\n"
            "  %s never lets them.\n",
            mechanism);
    else if (kind == FAULT_DEADLOCK && has_state(v, RUNNING))
        text_printf(out, "  why: unknown; threads are ready but do not run, which is a bug of heddle.\n");
    else if (kind == FAULT_DEADLOCK)
        text_printf(out, "  why: the threads wait for each other, or for more threads than there are.\n");
}

static void explain_block(const struct deadlock_view *v, enum fault_kind kind, struct text *out)
{
    text_printf(out, "block %llu, %u threads left:\n", (unsigned long long)v->block->number, v->block->live_threads);
    for (int i = 0; i < v->groups.count && i < MOST_GROUPS; i++)
        explain_group(v, &v->groups.data[i], out);
    if (v->groups.count > MOST_GROUPS)
        text_printf(out, "  and threads at %d more places\n", v->groups.count - MOST_GROUPS);
    explain_why(v, kind, out);
}

/* The mechanism's dump of its own state, cut after MOST_STATE_LINES lines. */
static void print_state(const struct deadlock_scene *scene, int sm, struct text *out)
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
        return "nothing can run and nothing is in flight";
    case FAULT_LIVELOCK:
        return "every running thread repeats itself: its registers are as before, and no memory changed in between";
    default:
        return "where the threads are";
    }
}

char *deadlock_explain(const struct deadlock_scene *scene, enum fault_kind kind)
{
    struct text out = {0};
    int shown = 0, blocks = 0;
    bool any_runs = false;
    text_printf(&out, "%s:\n", headline(kind));
    for (int i = 0; i < scene->sm_count; i++) {
        int before = shown;
        for (int32_t row = 0; row < sm_row_count(scene->sms[i]); row++) {
            struct deadlock_view v;
            if (!view_open(&v, scene, scene->sms[i], row))
                continue;
            blocks++;
            any_runs |= has_state(&v, RUNNING);
            if (v.groups.count && shown < MOST_BLOCKS) {
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

bool deadlock_holds_back(const struct deadlock_scene *scene)
{
    bool any = false;
    for (int i = 0; i < scene->sm_count && !any; i++)
        for (int32_t row = 0; row < sm_row_count(scene->sms[i]) && !any; row++) {
            struct deadlock_view v;
            if (!view_open(&v, scene, scene->sms[i], row))
                continue;
            any = has_state(&v, HELD_BACK) || has_state(&v, PARKED);
            view_close(&v);
        }
    return any;
}

/* Puts the group's first thread, its place and its instruction into the fault. */
static void name_group(const struct deadlock_view *v, const struct deadlock_group *g, struct fault *f)
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

void deadlock_name_spinner(const struct deadlock_scene *scene, struct fault *f)
{
    for (int i = 0; i < scene->sm_count && !f->has_thread; i++)
        for (int32_t row = 0; row < sm_row_count(scene->sms[i]) && !f->has_thread; row++) {
            struct deadlock_view v;
            if (!view_open(&v, scene, scene->sms[i], row))
                continue;
            for (int g = 0; g < v.groups.count && !f->has_thread; g++)
                if (v.groups.data[g].state == RUNNING)
                    name_group(&v, &v.groups.data[g], f);
            view_close(&v);
        }
}
