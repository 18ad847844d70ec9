/* Stretches of blocks that run at the same time, and their turns: see round.h. */
#include "exec/ahead/round.h"

#include "base/arena.h"
#include "base/crew.h"
#include "exec/ahead/draft.h"
#include "exec/settled.h"
#include "exec/site.h"
#include "exec/writers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What a member of the crew runs blocks with. */
struct member {
    struct engine *engine;
    struct posted door; /* leads the engine's accesses to the draft at hand */
    struct block *spare;
    int32_t *recent; /* draft.recent */
};

enum stretch_state {
    STRETCH_RUNNING,
    STRETCH_WAITING, /* for its turn; its member's thread sleeps */
    STRETCH_TURN,    /* its turn has come while it ran */
    STRETCH_DONE     /* all its blocks ended, or one did not */
};

struct stretch {
    struct round *round;
    struct member *member;
    uint64_t first, blocks; /* blocks of the grid */
    uint64_t ended_blocks;  /* of these, how many ended */
    enum run_end ended;     /* how the last turn ended */
    enum stretch_state state;
    bool is_dropped;           /* the draft is no good, or comes too late */
    bool had_locks, has_locks; /* at its start and at its end */
    struct launch_result result;
    struct site *sites;               /* [PC], and one more; NULL: not counted */
    uint64_t now, writes;             /* of the engine, at the end; they count from 0 and 1 */
    struct block *kept;               /* the block that did not end; owned */
    struct row *row;                  /* of this block, that ran last */
    uint64_t block_now, block_writes; /* of the engine, when this block began */
    uint64_t writers_at;              /* of the engine, at the end */
    struct draft draft;
};

struct round {
    struct engine *engine; /* of the launch: its counters are those of the turns that have passed */
    struct crew *crew;
    struct member *members; /* of the crew, and one more, which executes at their turns what ran in vain */
    int member_count;       /* without that one */
    uint64_t generation;    /* of device memory, when the board was made */
    struct draft_board board;
    bool knows_writes; /* a block has run since the board was made, so it knows some of the areas that are written */
    struct stretch *stretches;
    int capacity, count; /* of `stretches`; of this round */
    bool has_locks;      /* as of the turns that have passed */
    struct ahead_end end;
    /* Guarded by the lock. */
    pthread_mutex_t lock;
    pthread_cond_t turn_came;
    int taken;   /* stretches that members have taken */
    int running; /* members that run a stretch, or look for one, in the first part; 0: the second part */
    int turn;    /* the stretch whose turn is next, or is now */
};

/* ---- running blocks ---- */

static void open_member(struct round *r, struct member *m)
{
    m->engine = engine_fork(r->engine, NULL);
    m->engine->posted = &m->door;
    m->recent = xcalloc((size_t)r->engine->program->insn_count + 1, sizeof *m->recent);
}

/* Makes the member's engine ready for the first block of the stretch. */
static void prepare(struct round *r, struct member *m, struct stretch *s)
{
    struct engine *e = m->engine;
    draft_reset(&s->draft, &r->board);
    s->draft.recent = m->recent;
    s->member = m;
    s->state = STRETCH_RUNNING;
    s->ended_blocks = 0;
    s->had_locks = s->has_locks = r->has_locks;
    memset(&s->result, 0, sizeof s->result);
    m->door.draft = &s->draft;
    m->door.count = 1;
    e->result = &s->result;
    e->sites = s->sites;
    if (s->sites)
        memset(s->sites, 0, sizeof *s->sites * ((size_t)e->program->insn_count + 1));
    e->now = e->elapsed = 0;
    e->writes = 1;
    e->limit = UINT64_MAX;
    e->failed = 0;
}

static void run_stretch(struct member *m, struct stretch *s)
{
    struct engine *e = m->engine;
    for (s->ended = RUN_BLOCKED; s->ended == RUN_BLOCKED && s->ended_blocks < s->blocks;) {
        uint64_t number = s->first + s->ended_blocks;
        bool is_new = !m->spare;
        if (is_new)
            m->spare = block_create(e->launch, e->program, e->local_bytes, NULL);
        m->spare->workspace = 0;
        block_start(m->spare, e->launch, e->program, number);
        if (is_new)
            settled_fill(e, m->spare);
        block_clear_local(m->spare);
        writers_start_block(e, number);
        s->block_now = e->now;
        s->block_writes = e->writes;
        s->draft.earlier = s->draft.log.count;
        s->ended = turn_run(e, m->spare, BLOCK_QUANTUM, &s->has_locks);
        s->ended_blocks += s->ended == RUN_BLOCKED;
    }
    if (s->ended != RUN_BLOCKED) {
        s->kept = m->spare;
        s->row = e->row;
        m->spare = NULL;
    }
    s->now = e->now;
    s->writes = e->writes;
    s->writers_at = e->writers_at;
}

/* ---- turns ---- */

/* The engine is to count on from the turns that have passed. */
static void join_engine(const struct round *r, struct engine *e)
{
    e->elapsed = r->engine->now;
    e->limit = r->engine->limit - r->engine->now;
}

/* Judges the draft, and makes its writes visible. False: it is no good. */
static bool accept(struct round *r, struct stretch *s, uint64_t now, uint64_t *writes)
{
    const struct engine *all = r->engine;
    /* A row that runs does not look at the limit before its quantum is used up. */
    bool is_near_limit = all->limit - all->now <= now + 2 * ROW_QUANTUM;
    if (is_near_limit || s->had_locks != r->has_locks || !draft_is_good(&s->draft) ||
        !writers_replay(s->draft.looks, all->now))
        return false;
    *writes += draft_commit(&s->draft);
    s->block_writes += s->draft.changed_earlier;
    r->engine->launch->team->good++;
    return true;
}

static void add_result(struct launch_result *all, const struct launch_result *one)
{
    all->thread_instructions += one->thread_instructions;
    all->branches += one->branches;
    all->divergent_branches += one->divergent_branches;
    if (one->tolerated_reads && !all->tolerated_reads)
        all->first_tolerated = one->first_tolerated;
    all->tolerated_reads += one->tolerated_reads;
    if (one->block_conflicts && !all->block_conflicts)
        all->first_conflict = one->first_conflict;
    all->block_conflicts += one->block_conflicts;
    if (one->fault.kind)
        all->fault = one->fault;
}

/* Makes the times and writes of a block that did not end count from the start of the launch. The turns of its threads
 * (row.last_turn) stay before all later ones anyway. */
static void rebase(struct block *b, uint64_t elapsed, uint64_t writes)
{
    b->last_order += b->last_order ? elapsed : 0;
    for (int i = 0; i < b->row_count; i++) {
        struct row *row = &b->rows[i];
        row->poll.writes += row->poll.writes ? writes : 0;
    }
}

/* The turn of the stretch has passed. */
static void conclude(struct round *r, struct stretch *s)
{
    struct engine *all = r->engine, *own = s->member->engine;
    uint64_t elapsed = all->now, writes = all->writes - 1;
    all->now += s->now;
    all->writes += s->writes - 1;
    r->has_locks |= s->has_locks;
    add_result(all->result, &s->result);
    for (int32_t pc = 0; s->sites && pc <= all->program->insn_count; pc++)
        site_add(&all->sites[pc], &s->sites[pc]);
    if (own->assertion) {
        all->assertion = own->assertion;
        all->limit = own->limit + elapsed;
        own->assertion = NULL;
        r->board.is_cut = true;
    }
    r->end.next = s->first + s->ended_blocks;
    r->turn++;
    if (s->ended == RUN_BLOCKED)
        return;
    r->board.is_cut = true;
    r->end.next++;
    r->end.ended = s->ended;
    r->end.kept = s->kept;
    r->end.now = elapsed + s->block_now;
    r->end.writes = writes + s->block_writes;
    s->kept = NULL;
    rebase(r->end.kept, elapsed, writes);
    all->block = r->end.kept;
    all->row = s->row;
    if (all->writers)
        all->writers_at = s->writers_at + elapsed;
}

/* Executes the stretch at its turn. */
static void run_in_turn(struct round *r, struct stretch *s)
{
    struct member *m = &r->members[r->member_count];
    block_destroy(s->kept);
    s->kept = NULL;
    prepare(r, m, s);
    s->draft.has_turn = true;
    m->door.count = 0;
    join_engine(r, m->engine);
    run_stretch(m, s);
    conclude(r, s);
}

/* Gives one stretch after the other its turn, up to one that has to go on by itself. Memory is the caller's, who holds
 * the lock. */
static void pass_turns(struct round *r)
{
    const struct engine *all = r->engine;
    for (; r->turn < r->taken && !r->board.is_cut;) {
        struct stretch *s = &r->stretches[r->turn];
        struct engine *own = s->member->engine;
        bool waits = s->state == STRETCH_WAITING;
        if (!accept(r, s, waits ? own->now : s->now, waits ? &own->writes : &s->writes)) {
            s->is_dropped = true;
            all->launch->team->vain++;
            if (!waits) {
                run_in_turn(r, s);
                continue;
            }
            /* Its thread comes back from the blocks first. */
        } else if (!waits) {
            conclude(r, s);
            continue;
        } else {
            join_engine(r, own);
        }
        s->state = STRETCH_TURN;
        pthread_cond_broadcast(&r->turn_came);
        return;
    }
    /* What is left comes too late. */
    for (int i = r->turn; i < r->taken; i++) {
        r->stretches[i].is_dropped = true;
        all->launch->team->vain++;
    }
    r->turn = r->taken;
    pthread_cond_broadcast(&r->turn_came);
}

/* A member is through with the first part. */
static void end_first_part(struct round *r)
{
    if (!--r->running)
        pass_turns(r);
}

/* draft.await */
static bool await_turn(void *context)
{
    struct stretch *s = context;
    struct round *r = s->round;
    pthread_mutex_lock(&r->lock);
    s->state = STRETCH_WAITING;
    end_first_part(r);
    while (s->state == STRETCH_WAITING && !s->is_dropped)
        pthread_cond_wait(&r->turn_came, &r->lock);
    bool ok = !s->is_dropped;
    pthread_mutex_unlock(&r->lock);
    return ok;
}

/* What a member of the crew does in a round. */
static void take_part(void *context, int member)
{
    struct round *r = context;
    struct member *m = &r->members[member];
    pthread_mutex_lock(&r->lock);
    while (r->running && r->taken < r->count) {
        struct stretch *s = &r->stretches[r->taken++];
        pthread_mutex_unlock(&r->lock);
        s->is_dropped = false;
        prepare(r, m, s);
        run_stretch(m, s);
        pthread_mutex_lock(&r->lock);
        if (s->state == STRETCH_TURN) { /* the second part has begun, and this is the thread that runs */
            if (s->is_dropped)
                run_in_turn(r, s);
            else
                conclude(r, s);
            pass_turns(r);
            pthread_mutex_unlock(&r->lock);
            return;
        }
        if (s->state == STRETCH_WAITING) { /* dropped while it waited */
            pthread_mutex_unlock(&r->lock);
            return;
        }
        s->state = STRETCH_DONE;
    }
    end_first_part(r);
    pthread_mutex_unlock(&r->lock);
}

/* ---- rounds ---- */

struct round *round_open(struct engine *e, struct crew *crew)
{
    struct round *r = xcalloc(1, sizeof *r);
    r->engine = e;
    r->crew = crew;
    r->member_count = crew_size(crew);
    r->members = xcalloc((size_t)r->member_count + 1, sizeof *r->members);
    for (int i = 0; i <= r->member_count; i++)
        open_member(r, &r->members[i]);
    draft_board_open(&r->board, e->launch);
    r->generation = e->memory->generation;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->turn_came, NULL);
    return r;
}

void round_close(struct round *r)
{
    if (!r)
        return;
    for (int i = 0; i <= r->member_count; i++) {
        engine_close_fork(r->members[i].engine);
        block_destroy(r->members[i].spare);
        free(r->members[i].recent);
    }
    for (int i = 0; i < r->capacity; i++) {
        block_destroy(r->stretches[i].kept);
        free(r->stretches[i].sites);
        draft_close(&r->stretches[i].draft);
    }
    draft_board_close(&r->board);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->turn_came);
    free(r->stretches);
    free(r->members);
    free(r);
}

/* Allocations have come or gone: what was known of them does not hold any more. */
static void look_at_memory_again(struct round *r)
{
    struct engine *e = r->engine;
    draft_board_close(&r->board);
    draft_board_open(&r->board, e->launch);
    r->generation = e->memory->generation;
    r->knows_writes = false;
    memset(e->last, 0, sizeof *e->last * (size_t)e->program->insn_count);
    for (int i = 0; i <= r->member_count; i++) {
        memset(r->members[i].engine->last, 0, sizeof *e->last * (size_t)e->program->insn_count);
        memset(r->members[i].recent, 0, sizeof *r->members[i].recent * (size_t)e->program->insn_count);
    }
}

static void lay_out(struct round *r, const struct round_plan *plan)
{
    if (r->capacity < plan->stretches) {
        r->stretches = xrealloc(r->stretches, sizeof *r->stretches * (size_t)plan->stretches);
        memset(r->stretches + r->capacity, 0, sizeof *r->stretches * (size_t)(plan->stretches - r->capacity));
        r->capacity = plan->stretches;
    }
    r->count = plan->stretches;
    for (int i = 0; i < r->count; i++) {
        struct stretch *s = &r->stretches[i];
        uint64_t first = plan->first + (uint64_t)i * plan->blocks, left = plan->end - first;
        block_destroy(s->kept);
        s->kept = NULL;
        s->round = r;
        if (r->engine->sites && !s->sites)
            s->sites = xcalloc((size_t)r->engine->program->insn_count + 1, sizeof *s->sites);
        s->first = first;
        s->blocks = left < plan->blocks ? left : plan->blocks;
        s->draft.await = await_turn;
        s->draft.context = s;
    }
}

bool round_knows_writes(const struct round *r)
{
    return r->knows_writes && r->generation == r->engine->memory->generation;
}

struct ahead_end round_run(struct round *r, const struct round_plan *plan, bool *has_locks)
{
    if (r->generation != r->engine->memory->generation)
        look_at_memory_again(r);
    draft_board_reset(&r->board);
    lay_out(r, plan);
    r->has_locks = *has_locks;
    r->end = (struct ahead_end){.next = plan->first, .ended = RUN_BLOCKED};
    r->taken = r->turn = 0;
    r->running = r->member_count;
    if (r->knows_writes) {
        crew_run(r->crew, take_part, r);
    } else {
        r->knows_writes = true;
        run_in_turn(r, &r->stretches[0]);
    }
    if (r->generation != r->engine->memory->generation)
        look_at_memory_again(r);
    *has_locks = r->has_locks;
    return r->end;
}
