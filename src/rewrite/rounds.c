/* Loops whose threads go in rounds: see rounds.h, which has the code that is made, and why it ends. */
#include "rewrite/rounds.h"

#include "rewrite/edit.h"
#include "rewrite/sides.h"

bool rounds_holds(const struct program *program, int loop, int32_t block)
{
    int l = program->blocks[block].loop;
    while (l >= 0 && l != loop)
        l = program->loops[l].parent;
    return l == loop;
}

/* ---- edges ---- */

static bool is_taken_edge(const struct program *p, int32_t from, int32_t to)
{
    const struct insn *last = &p->insns[p->blocks[from].last];
    return last->op == OP_BRA && last->target == p->blocks[to].first;
}

/* Whether control can go from the block's last instruction to the next one. */
static bool falls_through(const struct program *p, int32_t block)
{
    const struct insn *last = &p->insns[p->blocks[block].last];
    bool may_leave =
        last->op == OP_BRA || last->op == OP_BRX || last->op == OP_RET || last->op == OP_EXIT || last->op == OP_TRAP;
    return !may_leave || last->guard >= 0;
}

static bool is_next_edge(const struct program *p, int32_t from, int32_t to)
{
    return p->blocks[from].last + 1 == p->blocks[to].first && falls_through(p, from);
}

/* ---- what is refused ---- */

static const char *hazard_of(const struct insn *in)
{
    uint8_t sem = in->suffixes.mod[GROUP_SEM];
    if (in->class == CLASS_BARRIER)
        return "a block barrier";
    if (class_is_warp_level(in->class))
        return "a warp-level operation";
    if (in->op == OP_ATOM_CAS || in->op == OP_ATOM_EXCH_B128 ||
        (in->op == OP_ATOM && in->suffixes.mod[GROUP_ATOM] == ATOM_EXCH))
        return "an atomic by which threads may wait for each other";
    if (in->op == OP_LD && sem != MOD_NONE && sem != SEM_WEAK)
        return "a load by which threads may wait for each other";
    return NULL;
}

static bool is_hazard(const struct insn *in)
{
    return hazard_of(in);
}

/* The first instruction in the loop, or in what it calls, that forbids rounds; PC_NONE: none does. */
static int32_t find_hazard(const struct rounds *r)
{
    const struct program *p = r->program;
    const struct flow_loop *l = &p->loops[r->loop];
    for (int i = 0; i < l->block_count; i++)
        for (int32_t pc = p->blocks[l->blocks[i]].first; pc <= p->blocks[l->blocks[i]].last; pc++) {
            int32_t call = p->insns[pc].call;
            int32_t found = is_hazard(&p->insns[pc]) ? pc
                            : call >= 0              ? sides_find_in_call(p, call, is_hazard)
                                                     : PC_NONE;
            if (found != PC_NONE)
                return found;
        }
    return PC_NONE;
}

static bool is_gate_block(const struct rounds *r, int32_t block)
{
    for (int i = 0; i < r->gate_count; i++)
        if (r->gates[i].from == block)
            return true;
    return false;
}

/* Whether a branch by a table leaves the loop, enters it, or has a gate on one of its edges. */
static bool has_odd_table(const struct rounds *r)
{
    const struct program *p = r->program;
    const struct program_function *f = &p->functions[p->blocks[p->loops[r->loop].header].function];
    for (int32_t b = f->first_block; b < f->first_block + f->block_count; b++) {
        bool is_inside = rounds_holds(p, r->loop, b);
        if (p->insns[p->blocks[b].last].op != OP_BRX)
            continue;
        if (is_gate_block(r, b))
            return true;
        for (int k = 0; k < p->blocks[b].successor_count; k++)
            if (is_inside != rounds_holds(p, r->loop, p->blocks[b].successors[k]) &&
                (is_inside || p->blocks[b].successors[k] == p->loops[r->loop].header))
                return true;
    }
    return false;
}

static bool has_exit(const struct rounds *r)
{
    const struct program *p = r->program;
    const struct flow_loop *l = &p->loops[r->loop];
    for (int i = 0; i < l->block_count; i++)
        for (int k = 0; k < p->blocks[l->blocks[i]].successor_count; k++)
            if (!rounds_holds(p, r->loop, p->blocks[l->blocks[i]].successors[k]))
                return true;
    return false;
}

const char *rounds_refusal(const struct rounds *r, struct arena *arena)
{
    const struct program *p = r->program;
    const struct flow_loop *l = &p->loops[r->loop];
    char where[256];
    int32_t hazard = find_hazard(r);
    if (hazard != PC_NONE)
        return arena_printf(arena, "the loop holds %s (%s)", hazard_of(&p->insns[hazard]),
                            program_where(p, hazard, where, sizeof where));
    if (l->irreducible)
        return "the loop can be entered at several places";
    if (has_odd_table(r))
        return "a branch by a table (brx) leaves the loop, enters it, or is the branch in question";
    if (!has_exit(r))
        return "the loop has no exit";
    for (int i = 0; i < l->block_count; i++) {
        const struct insn *last = &p->insns[p->blocks[l->blocks[i]].last];
        if (last->op == OP_RET && p->blocks[l->blocks[i]].function)
            return "a function returns from within the loop";
    }
    return NULL;
}

/* ---- the change ---- */

/*
 * Threads stop at the exits of the loop and at its gates. Stops have numbers: exits first, then gates of the first
 * side, then gates of the second side. New code stands at the function's end: the stops of branches, the vote, and the
 * way out.
 */
struct rounds_edit {
    const struct rounds *rounds;
    struct edit edit;
    struct vec_of(struct edit_item *) behind; /* by stop: label at which threads go on */
    struct edit_item *tail;                   /* the instruction that stands for the end of the body; or the end */
    struct edit_item *vote, *leave;           /* labels */
    int32_t group, where;                     /* registers: threads of the group; the thread's stop */
};

static struct edit_item *item_of(struct rounds_edit *e, int32_t pc)
{
    const struct program *p = e->rounds->program;
    const struct program_function *f = &p->functions[p->insns[pc].function];
    for (; pc <= f->last; pc++)
        if (p->insns[pc].origin)
            return edit_at(&e->edit, (int)(p->insns[pc].origin - f->source->instructions));
    return e->tail;
}

/* Ahead of the item, threads note the stop's number and go to the vote. */
static void insert_stop(struct rounds_edit *e, struct edit_item *before, int number)
{
    edit_insert(&e->edit, before, "mov.u32 %s, %d; bra %s;", edit_name(&e->edit, e->where), number, e->vote->text);
}

/* Makes the next stop of an edge. */
static void stop_on_edge(struct rounds_edit *e, int32_t from, int32_t to)
{
    const struct program *p = e->rounds->program;
    int number = e->behind.count;
    struct edit_item *last = item_of(e, p->blocks[from].last);
    vec_push(&e->behind, edit_label_of(&e->edit, item_of(e, p->blocks[to].first), "L"));
    if (is_next_edge(p, from, to))
        insert_stop(e, last->next, number);
    if (is_taken_edge(p, from, to)) {
        const struct edit_item *label = edit_add_label(&e->edit, e->vote, "STOP");
        insert_stop(e, e->vote, number);
        edit_retarget(last, label);
    }
}

/* Makes the next stop ahead of the block's first instruction, behind the block's labels. */
static void stop_at_block(struct rounds_edit *e, int32_t block)
{
    struct edit_item *first = item_of(e, e->rounds->program->blocks[block].first);
    edit_label_of(&e->edit, first, "L"); /* for stops on edges that lead here */
    insert_stop(e, first, e->behind.count);
    vec_push(&e->behind, edit_add_label(&e->edit, first, "GO"));
}

static void stop_at_exits(struct rounds_edit *e)
{
    const struct program *p = e->rounds->program;
    const struct flow_loop *l = &p->loops[e->rounds->loop];
    for (int i = 0; i < l->block_count; i++) {
        const struct flow_block *b = &p->blocks[l->blocks[i]];
        for (int k = 0; k < b->successor_count; k++)
            if (!rounds_holds(p, e->rounds->loop, b->successors[k]))
                stop_on_edge(e, l->blocks[i], b->successors[k]);
    }
}

static void stop_at_gates(struct rounds_edit *e, bool is_second)
{
    for (int i = 0; i < e->rounds->gate_count; i++) {
        const struct rounds_gate *g = &e->rounds->gates[i];
        if (g->is_second == is_second && g->from < 0)
            stop_at_block(e, g->to);
        else if (g->is_second == is_second)
            stop_on_edge(e, g->from, g->to);
    }
}

/* Ahead of the loop, the threads that enter it together note who they are. */
static void insert_entry(struct rounds_edit *e)
{
    const struct program *p = e->rounds->program;
    int32_t header = p->loops[e->rounds->loop].header, first = p->blocks[header].first;
    struct edit_item *item = item_of(e, first);
    const struct edit_item *label = edit_label_of(&e->edit, item, "L");
    while (item->previous->kind == EDIT_LABEL || item->previous->kind == EDIT_PRAGMA)
        item = item->previous;
    int32_t above = first > p->functions[p->blocks[header].function].first ? p->insns[first - 1].block : -1;
    if (above >= 0 && rounds_holds(p, e->rounds->loop, above) && is_next_edge(p, above, header))
        edit_insert(&e->edit, item, "bra %s;", label->text);
    const struct edit_item *entry = edit_add_label(&e->edit, item, "ENTER");
    edit_insert(&e->edit, item, "activemask.b32 %s;", edit_name(&e->edit, e->group));
    for (int k = 0; k < p->blocks[header].predecessor_count; k++) {
        int32_t from = p->blocks[header].predecessors[k];
        if (!rounds_holds(p, e->rounds->loop, from) && is_taken_edge(p, from, header))
            edit_retarget(item_of(e, p->blocks[from].last), entry);
    }
}

/* Ahead of the item, threads whose stops are from `first` to `last` go on. */
static void insert_dispatch(struct rounds_edit *e, struct edit_item *before, int first, int last)
{
    struct edit *d = &e->edit;
    const char *is_this = first < last ? edit_name(d, edit_add_register(d, TYPE_PRED, "is_this")) : "";
    for (int i = first; i < last; i++)
        edit_insert(d, before, "setp.eq.u32 %s, %s, %d; @%s bra %s;", is_this, edit_name(d, e->where), i, is_this,
                    e->behind.data[i]->text);
    edit_insert(d, before, "bra %s;", e->behind.data[last]->text);
}

/* All threads at a gate go on. Stops from `first` are gates. */
static void insert_vote_of_all(struct rounds_edit *e, int first)
{
    struct edit *d = &e->edit;
    const char *waits = edit_name(d, edit_add_register(d, TYPE_PRED, "waits"));
    const char *some = edit_name(d, edit_add_register(d, TYPE_PRED, "some"));
    edit_insert(d, e->leave, "setp.ge.u32 %s, %s, %d; vote.sync.any.pred %s, %s, %s;", waits, edit_name(d, e->where),
                first, some, waits, edit_name(d, e->group));
    edit_insert(d, e->leave, "@!%s bra %s; @!%s bra %s;", some, e->leave->text, waits, e->vote->text);
}

/* The side with more threads goes on. Stops from `first` are gates, from `second` those of the second side. */
static void insert_vote_of_majority(struct rounds_edit *e, int first, int second)
{
    struct edit *d = &e->edit;
    const char *where = edit_name(d, e->where), *group = edit_name(d, e->group);
    const char *waits = edit_name(d, edit_add_register(d, TYPE_PRED, "waits"));
    const char *is_second = edit_name(d, edit_add_register(d, TYPE_PRED, "is_second"));
    const char *stays = edit_name(d, edit_add_register(d, TYPE_PRED, "stays"));
    const char *wins = edit_name(d, edit_add_register(d, TYPE_PRED, "wins"));
    const char *all = edit_name(d, edit_add_register(d, TYPE_U32, "all"));
    const char *seconds = edit_name(d, edit_add_register(d, TYPE_U32, "seconds"));
    edit_insert(d, e->leave, "setp.ge.u32 %s, %s, %d; setp.ge.u32 %s, %s, %d;", waits, where, first, is_second, where,
                second);
    edit_insert(d, e->leave, "vote.sync.ballot.b32 %s, %s, %s; vote.sync.ballot.b32 %s, %s, %s;", all, waits, group,
                seconds, is_second, group);
    edit_insert(d, e->leave, "setp.eq.u32 %s, %s, 0; @%s bra %s;", stays, all, stays, e->leave->text);
    edit_insert(d, e->leave, "popc.b32 %s, %s; popc.b32 %s, %s; add.u32 %s, %s, %s; setp.gt.u32 %s, %s, %s;", all, all,
                seconds, seconds, seconds, seconds, seconds, wins, seconds, all);
    edit_insert(d, e->leave, "xor.pred %s, %s, %s; not.pred %s, %s; or.pred %s, %s, %s; @%s bra %s;", stays, is_second,
                wins, waits, waits, stays, stays, waits, stays, e->vote->text);
}

/* Threads that were never together at a branch now may be, so nothing promises any more that they take one side. */
static void drop_promises(struct ptx_module *module, const struct rounds *r)
{
    for (int i = 0; i < r->program->function_count; i++) {
        const struct ptx_function *f = module->functions[r->program->functions[i].source->index];
        for (int k = 0; k < f->instruction_count; k++)
            if (f->instructions[k].op != OP_NONE && op_table[f->instructions[k].op].class == CLASS_BRANCH)
                f->instructions[k].suffixes.flags &= ~((uint64_t)1 << FLAG_UNI);
    }
}

/* activemask and vote.sync need PTX 6.2. */
static void raise_version(struct ptx_module *module)
{
    if (module->version_major > 6 || (module->version_major == 6 && module->version_minor >= 2))
        return;
    module->version_major = 6;
    module->version_minor = 2;
}

void rounds_apply(const struct rounds *r, struct ptx_module *module)
{
    const struct program *p = r->program;
    const struct program_function *f = &p->functions[p->blocks[p->loops[r->loop].header].function];
    struct rounds_edit e = {.rounds = r};
    struct edit *d = &e.edit;
    drop_promises(module, r);
    raise_version(module);
    edit_open(d, module->functions[f->source->index]);
    e.group = edit_add_register(d, TYPE_B32, "group");
    e.where = edit_add_register(d, TYPE_U32, "where");
    e.tail = edit_insert(d, edit_end(d), "ret;");
    e.vote = edit_add_label(d, edit_end(d), "VOTE");
    e.leave = edit_add_label(d, edit_end(d), "LEAVE");
    insert_entry(&e); /* ahead of a gate at the header */
    stop_at_exits(&e);
    int first = e.behind.count;
    stop_at_gates(&e, false);
    int second = e.behind.count;
    stop_at_gates(&e, true);
    if (r->policy == ROUNDS_ALL)
        insert_vote_of_all(&e, first);
    else
        insert_vote_of_majority(&e, first, second);
    insert_dispatch(&e, e.leave, first, e.behind.count - 1);
    insert_dispatch(&e, edit_end(d), 0, first - 1);
    edit_close(d);
    vec_free(&e.behind);
}
