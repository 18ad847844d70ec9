/*
 * The race check's shadow memory: for each word, the last write, and the reads and atomics since.
 *
 * race.h says what a race is; order.c says which accesses are ordered; report.c describes what is found. The
 * check only reads the engine's state, so a launch computes the same values with it and without it.
 *
 * A word that is once accessed by bytes is split into its bytes from then on. Of several unordered reads of a word the
 * shadow keeps the reads of one row, one read of another row of the block, and one read of another block: an unordered
 * write that follows then conflicts with at least one read that is kept. A write discards the reads before it: a later
 * access that is ordered after the write is ordered after these reads too, or the race between the reads and the write
 * has been found already. Reads by several lanes of one row are kept as one record; their PCs are listed where they
 * differ.
 */
#include "exec/race/race.h"

#include "exec/operand.h"
#include "exec/race/internal.h"

#include "base/arena.h"
#include "base/bits.h"

#include <string.h>

enum { PAGE_WORDS = 1024, WORD_BYTES = 4 };

/* Accesses of one kind that are not ordered among each other. */
struct race_crowd {
    struct race_seen row;         /* lanes of one row */
    int32_t pcs;                  /* PCs of these lanes, if they differ: 1 + index in `pcs`; 0: all have row.pc */
    struct race_seen other_row;   /* one thread of another row of the block */
    struct race_seen other_block; /* one thread of another block */
};

/* The accesses of one word, or of one byte of a split word. */
struct race_cell {
    struct race_seen write;   /* the last write */
    int32_t readers, atomics; /* reads and atomics since the write: 1 + index in `crowds`; 0: none */
    int32_t split;            /* cells of the word's bytes: 1 + index in `split`; 0: the word is not split */
};

struct race_split_word {
    struct race_cell byte[WORD_BYTES];
};

/* The last PC of each lane of a crowd's row. */
struct race_pcs {
    uint32_t lane[ROW_LANES];
};

/* Cells of PAGE_WORDS consecutive words of global memory. */
struct race_page {
    uint64_t number;         /* word address / PAGE_WORDS */
    struct race_cell *cells; /* NULL: a free slot of the table */
};

/* Crowds, their PCs and split words live in arrays and are named by 1 + index. Numbers that are free are listed. */
struct race_shadow {
    struct race_page *pages; /* hash table of global memory, open addressing */
    int capacity, count;
    struct vec_of(struct race_crowd) crowds;
    struct vec_of(int32_t) free_crowds;
    struct vec_of(struct race_pcs) pcs;
    struct vec_of(int32_t) free_pcs;
    struct vec_of(struct race_split_word) split;
    struct vec_of(int32_t) free_split;
};

/* One thread's access, to be checked against the cells of its bytes. */
struct race_visit {
    struct engine *e;
    const struct bound *in;
    struct race_present present;
    enum race_act act;
    enum space space;
    uint64_t address;             /* of the first byte, in `space` */
    const uint64_t *lane_address; /* of all lanes of the instruction */
    uint32_t earlier;             /* lanes of the instruction that were visited before this thread */
};

struct race *race_create_lockstep(void)
{
    struct race *r = race_create();
    r->is_lockstep = true;
    return r;
}

struct race *race_create(void)
{
    struct race *r = xcalloc(1, sizeof *r);
    r->shadow = xcalloc(1, sizeof *r->shadow);
    return r;
}

void race_destroy(struct race *r)
{
    for (int i = 0; i < r->shadow->capacity; i++)
        free(r->shadow->pages[i].cells);
    free(r->shadow->pages);
    vec_free(&r->shadow->crowds);
    vec_free(&r->shadow->free_crowds);
    vec_free(&r->shadow->pcs);
    vec_free(&r->shadow->free_pcs);
    vec_free(&r->shadow->split);
    vec_free(&r->shadow->free_split);
    free(r->shadow);
    race_order_free(&r->order);
    race_forget_findings(r);
    free(r->tests);
    free(r);
}

/* ---- cells ---- */

static struct race_page *page_of(struct race_shadow *s, uint64_t number)
{
    size_t at = number * UINT64_C(0x9e3779b97f4a7c15) >> 32 & ((size_t)s->capacity - 1);
    while (s->pages[at].cells && s->pages[at].number != number)
        at = (at + 1) & ((size_t)s->capacity - 1);
    return &s->pages[at];
}

static void grow(struct race_shadow *s)
{
    struct race_shadow old = *s;
    s->capacity = old.capacity ? 2 * old.capacity : 64;
    s->pages = xcalloc((size_t)s->capacity, sizeof *s->pages);
    for (int i = 0; i < old.capacity; i++)
        if (old.pages[i].cells)
            *page_of(s, old.pages[i].number) = old.pages[i];
    free(old.pages);
}

static struct race_cell *global_cell(struct race_shadow *s, uint64_t word)
{
    if (2 * s->count >= s->capacity)
        grow(s);
    struct race_page *p = page_of(s, word / PAGE_WORDS);
    if (!p->cells) {
        p->number = word / PAGE_WORDS;
        p->cells = xcalloc(PAGE_WORDS, sizeof *p->cells);
        s->count++;
    }
    return &p->cells[word % PAGE_WORDS];
}

static size_t shared_words(const struct race_order_block *b)
{
    return (b->block->shared_bytes + WORD_BYTES - 1) / WORD_BYTES;
}

static struct race_cell *shared_cell(struct race_order_block *b, uint64_t word)
{
    if (!b->shared)
        b->shared = xcalloc(shared_words(b), sizeof(struct race_cell));
    return (struct race_cell *)b->shared + word;
}

static struct race_crowd *crowd_at(struct race_shadow *s, int32_t number)
{
    return number ? &s->crowds.data[number - 1] : NULL;
}

/* The crowd that a cell's field names; a new one if the field is 0. */
static struct race_crowd *crowd_for(struct race_shadow *s, int32_t *number)
{
    if (!*number && s->free_crowds.count) {
        *number = s->free_crowds.data[--s->free_crowds.count];
    } else if (!*number) {
        vec_push(&s->crowds, (struct race_crowd){0});
        *number = s->crowds.count;
    }
    return crowd_at(s, *number);
}

/* PCs by lane for the crowd's row, all of them the row's if they did not differ before. */
static struct race_pcs *pcs_for(struct race_shadow *s, struct race_crowd *c)
{
    if (c->pcs)
        return &s->pcs.data[c->pcs - 1];
    if (s->free_pcs.count) {
        c->pcs = s->free_pcs.data[--s->free_pcs.count];
    } else {
        vec_push(&s->pcs, (struct race_pcs){{0}});
        c->pcs = s->pcs.count;
    }
    struct race_pcs *pcs = &s->pcs.data[c->pcs - 1];
    for (int lane = 0; lane < ROW_LANES; lane++)
        pcs->lane[lane] = c->row.pc;
    return pcs;
}

static void drop_pcs(struct race_shadow *s, struct race_crowd *c)
{
    if (c->pcs)
        vec_push(&s->free_pcs, c->pcs);
    c->pcs = 0;
}

static void drop_crowd(struct race_shadow *s, int32_t *number)
{
    if (!*number)
        return;
    drop_pcs(s, crowd_at(s, *number));
    *crowd_at(s, *number) = (struct race_crowd){0};
    vec_push(&s->free_crowds, *number);
    *number = 0;
}

static int32_t copy_crowd(struct race_shadow *s, int32_t number)
{
    int32_t copy = 0;
    if (number) {
        struct race_crowd value = *crowd_at(s, number);
        struct race_crowd *c = crowd_for(s, &copy);
        *c = value;
        c->pcs = 0;
        if (value.pcs) {
            struct race_pcs pcs = s->pcs.data[value.pcs - 1];
            *pcs_for(s, c) = pcs;
        }
    }
    return copy;
}

/* Splits the word, unless it is split already, and returns the cells of its bytes; each inherits the word's
 * accesses. */
static struct race_cell *split(struct race_shadow *s, struct race_cell *word)
{
    if (!word->split) {
        struct race_cell whole = *word;
        *word = (struct race_cell){0};
        if (s->free_split.count) {
            word->split = s->free_split.data[--s->free_split.count];
        } else {
            vec_push(&s->split, (struct race_split_word){0});
            word->split = s->split.count;
        }
        struct race_cell *byte = s->split.data[word->split - 1].byte;
        for (int i = 0; i < WORD_BYTES; i++) {
            byte[i] = whole;
            byte[i].readers = i ? copy_crowd(s, whole.readers) : whole.readers;
            byte[i].atomics = i ? copy_crowd(s, whole.atomics) : whole.atomics;
        }
    }
    return s->split.data[word->split - 1].byte;
}

static void clear_cell(struct race_shadow *s, struct race_cell *c)
{
    drop_crowd(s, &c->readers);
    drop_crowd(s, &c->atomics);
    if (c->split) {
        for (int i = 0; i < WORD_BYTES; i++)
            clear_cell(s, &s->split.data[c->split - 1].byte[i]);
        vec_push(&s->free_split, c->split);
    }
    *c = (struct race_cell){0};
}

/* ---- conflicts ---- */

/* Whether a lane of `before`, which stored to the visited bytes, did so in the instruction that is executed now. */
static bool is_of_this_store(const struct race_visit *v, const struct race_seen *before)
{
    for (uint32_t left = before->lanes & v->earlier; left; left &= left - 1)
        if (v->lane_address[bits_lowest(left)] == v->lane_address[v->present.lane])
            return before->pc == v->present.self.pc;
    return false;
}

/* Whether the lock-step check leaves this pair alone, whatever its order (race.h). */
static bool is_excused(const struct race_visit *v, const struct race_seen *before, enum race_act act)
{
    const struct race_seen *self = &v->present.self;
    const bool *is_test = v->e->race->tests;
    if (before->block != self->block || before->row != self->row)
        return true;
    if (act == RACE_WRITE && v->act == RACE_WRITE)
        return is_of_this_store(v, before);
    return (act == RACE_READ && v->act == RACE_ATOMIC && is_test[before->pc]) ||
           (act == RACE_ATOMIC && v->act == RACE_READ && is_test[self->pc]);
}

/* Reports a race if nothing orders the earlier access `before`, of kind `act`, before the visiting thread. */
static void check(const struct race_visit *v, const struct race_seen *before, enum race_act act)
{
    bool is_lockstep = v->e->race->is_lockstep;
    uint32_t unordered = race_order_unordered(&v->e->race->order, before, &v->present);
    if (!unordered || (is_lockstep && is_excused(v, before, act)))
        return;
    if (is_lockstep && act == RACE_WRITE && unordered != before->lanes) /* these lanes stored one value */
        return;
    struct race_pair pair = {.e = v->e,
                             .before = before,
                             .lane = bits_lowest(unordered),
                             .act_before = act,
                             .present = &v->present,
                             .act = v->act,
                             .space = v->space,
                             .address = v->address,
                             .bytes = (uint32_t)v->in->width * v->in->elements};
    race_found(v->e->race, &pair);
}

/* Checks the lanes of the crowd's row, those of each PC together. */
static void check_row(const struct race_visit *v, const struct race_crowd *c, enum race_act act)
{
    struct race_seen part = c->row;
    if (!c->pcs) {
        check(v, &part, act);
        return;
    }
    for (uint32_t left = c->row.lanes; left; left &= ~part.lanes) {
        const struct race_pcs *pcs = &v->e->race->shadow->pcs.data[c->pcs - 1];
        part.pc = pcs->lane[bits_lowest(left)] & RACE_PC_MASK;
        part.lanes = 0;
        for (int lane = 0; lane < ROW_LANES; lane++)
            part.lanes |= pcs->lane[lane] == part.pc ? left & 1u << lane : 0;
        check(v, &part, act);
    }
}

static void check_crowd(const struct race_visit *v, const struct race_crowd *c, enum race_act act)
{
    if (!c)
        return;
    check_row(v, c, act);
    check(v, &c->other_row, act);
    check(v, &c->other_block, act);
}

static uint32_t earlier(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Adds the access to the crowd. Accesses that are ordered before it may be forgotten. */
static void join_crowd(const struct race_visit *v, struct race_crowd *c)
{
    const struct race_order *o = &v->e->race->order;
    struct race_shadow *s = v->e->race->shadow;
    const struct race_seen *self = &v->present.self;
    uint32_t unordered = race_order_unordered(o, &c->row, &v->present);
    if (!unordered) {
        drop_pcs(s, c);
        c->row = *self;
    } else if (c->row.block != self->block) {
        c->other_block = *self;
    } else if (c->row.row != self->row) {
        c->other_row = *self;
    } else {
        if (c->pcs || c->row.pc != self->pc)
            pcs_for(s, c)->lane[v->present.lane] = self->pc;
        c->row.lanes = unordered | self->lanes;
        c->row.clock = earlier(c->row.clock, self->clock);
        c->row.atomics = earlier(c->row.atomics, self->atomics);
    }
}

/* The value that the lane stores: as many bytes as the element has. */
static const void *stored(const struct race_visit *v, int lane, unsigned element)
{
    const uint8_t *lanes = operand_source(v->e, v->in, (int)element);
    return lanes + (unsigned)lane * lane_bytes(v->in->source_bits[element]);
}

/* The bytes that the store overwrites: from an earlier lane of the instruction, or from memory. NULL: they do not
 * exist. */
static const uint8_t *bytes_before(const struct race_visit *v, uint8_t *buffer)
{
    for (int lane = ROW_LANES - 1; lane >= 0; lane--)
        if (v->earlier >> lane & 1 && v->lane_address[lane] == v->lane_address[v->present.lane]) {
            for (unsigned k = 0; k < v->in->elements; k++)
                memcpy(buffer + k * v->in->width, stored(v, lane, k), v->in->width);
            return buffer;
        }
    uint64_t bytes = (uint64_t)v->in->width * v->in->elements;
    if (v->space != IN_SHARED)
        return memory_host(v->e->memory, v->address, bytes);
    const struct block *b = v->e->block;
    return v->address <= b->shared_bytes && bytes <= b->shared_bytes - v->address ? b->shared + v->address : NULL;
}

/* The store writes the value that is already there. */
static bool changes_nothing(const struct race_visit *v)
{
    uint8_t buffer[BOUND_MAX_OPERANDS * sizeof(struct lane_b128)];
    const uint8_t *there = bytes_before(v, buffer);
    for (unsigned k = 0; there && k < v->in->elements; k++)
        if (memcmp(there + k * v->in->width, stored(v, v->present.lane, k), v->in->width))
            return false;
    return there != NULL;
}

/* The store is of the same instruction as the last write, and writes the value that is already there: no race. */
static bool writes_the_same(const struct race_visit *v, const struct race_seen *before)
{
    return before->block && before->pc == v->present.self.pc && changes_nothing(v);
}

/* Lock-step check: a store of the value that is already there joins the stores of its row that wrote it. */
static void join_writers(const struct race_visit *v, struct race_seen *write)
{
    const struct race_seen *self = &v->present.self;
    if (write->block != self->block || write->row != self->row || write->epoch != self->epoch) {
        *write = *self;
        return;
    }
    write->lanes |= self->lanes;
    write->clock = earlier(write->clock, self->clock);
}

static void visit_by_store(const struct race_visit *v, struct race_cell *c)
{
    struct race_shadow *s = v->e->race->shadow;
    if (v->e->race->is_lockstep && changes_nothing(v)) {
        join_writers(v, &c->write);
        return;
    }
    if (!writes_the_same(v, &c->write))
        check(v, &c->write, RACE_WRITE);
    check_crowd(v, crowd_at(s, c->readers), RACE_READ);
    check_crowd(v, crowd_at(s, c->atomics), RACE_ATOMIC);
    drop_crowd(s, &c->readers);
    drop_crowd(s, &c->atomics);
    c->write = v->present.self;
}

/* Checks the access against the accesses that the cell records, and records it. */
static void visit_cell(const struct race_visit *v, struct race_cell *c)
{
    struct race_shadow *s = v->e->race->shadow;
    switch (v->act) {
    case RACE_READ:
        check(v, &c->write, RACE_WRITE);
        check_crowd(v, crowd_at(s, c->atomics), RACE_ATOMIC);
        join_crowd(v, crowd_for(s, &c->readers));
        break;
    case RACE_WRITE:
        visit_by_store(v, c);
        break;
    case RACE_ATOMIC:
        check(v, &c->write, RACE_WRITE);
        check_crowd(v, crowd_at(s, c->readers), RACE_READ);
        join_crowd(v, crowd_for(s, &c->atomics));
        break;
    case RACE_ATOMIC_READ:
        check(v, &c->write, RACE_WRITE);
        break;
    }
}

static void visit_word(const struct race_visit *v, uint64_t address, unsigned bytes)
{
    struct race_shadow *s = v->e->race->shadow;
    uint64_t word = address / WORD_BYTES;
    struct race_cell *c = v->space == IN_SHARED ? shared_cell(v->present.block, word) : global_cell(s, word);
    if (bytes == WORD_BYTES && !c->split) {
        visit_cell(v, c);
        return;
    }
    struct race_cell *byte = split(s, c);
    for (unsigned i = 0; i < bytes; i++)
        visit_cell(v, &byte[address % WORD_BYTES + i]);
}

/* ---- what the engine calls ---- */

static enum race_act act_of(const struct bound *in)
{
    int sem = in->insn->suffixes.mod[GROUP_SEM];
    bool is_strong = sem == SEM_RELAXED || sem == SEM_ACQUIRE || sem == SEM_RELEASE;
    if (in->kind == BOUND_ATOMIC)
        return RACE_ATOMIC;
    if (in->kind == BOUND_STORE || in->kind == BOUND_FILL)
        return is_strong ? RACE_ATOMIC : RACE_WRITE;
    return is_strong ? RACE_ATOMIC_READ : RACE_READ;
}

static struct race_order_block *block_at_work(struct engine *e)
{
    bool is_new;
    struct race_order_block *b = race_order_find(&e->race->order, e->block, &is_new);
    if (is_new && b->shared) /* the shadow is of the block that had this storage before */
        for (size_t i = 0; i < shared_words(b); i++)
            clear_cell(e->race->shadow, (struct race_cell *)b->shared + i);
    return b;
}

/* The space that an address lies in, and its address there. IN_LOCAL stands for all memory that is not checked. */
static enum space space_of(const struct engine *e, const struct bound *in, uint64_t *address)
{
    enum space space = (enum space)in->space;
    if (space == IN_GENERIC && *address - MEMORY_SHARED_BASE < MEMORY_SHARED_SIZE) {
        *address -= MEMORY_SHARED_BASE;
        space = IN_SHARED;
    }
    if (space == IN_SHARED) { /* shared memory of other blocks of the cluster is not checked */
        *address -= (uint64_t)e->block->rank << MEMORY_SHARED_SHIFT;
        return *address >> MEMORY_SHARED_SHIFT ? IN_LOCAL : IN_SHARED;
    }
    if (space == IN_GENERIC)
        return *address - MEMORY_LOCAL_BASE < MEMORY_WINDOW_SIZE ? IN_LOCAL : IN_GLOBAL;
    return space == IN_GLOBAL ? space : IN_LOCAL;
}

/* Whether the bytes exist. If they do not, or are misaligned, the access faults, and there is nothing to check. */
static bool is_there(const struct race_visit *v, uint64_t bytes)
{
    if (v->address % bytes)
        return false;
    if (v->space == IN_SHARED)
        return v->address <= v->e->block->shared_bytes && bytes <= v->e->block->shared_bytes - v->address;
    return memory_host(v->e->memory, v->address, bytes) != NULL;
}

/* What an atomic, or a strong load or store, does to the order of its thread and others. */
static void order_by_atomic(const struct race_visit *v, int thread)
{
    struct race *r = v->e->race;
    bool is_load = v->in->kind == BOUND_LOAD, is_store = v->in->kind == BOUND_STORE || v->in->kind == BOUND_FILL;
    if (r->is_lockstep)
        race_order_hand_over(v->present.block, v->space, v->address / WORD_BYTES, thread,
                             !is_store && (is_load || v->in->insn->dest_count), !is_load);
    else
        race_order_atomic(&r->order, v->present.block, thread);
}

void race_access(struct engine *e, const struct bound *in, int32_t pc, const uint64_t *address, uint32_t mask)
{
    struct race_order *o = &e->race->order;
    struct race_order_block *b = block_at_work(e);
    int row = (int)(e->row - e->block->rows);
    uint64_t bytes = (uint64_t)in->width * in->elements;
    unsigned step = bytes < WORD_BYTES ? (unsigned)bytes : WORD_BYTES;
    struct race_visit v = {.e = e, .in = in, .act = act_of(in), .lane_address = address};
    if (e->race->is_lockstep && !e->race->tests)
        e->race->tests = lockstep_tests(e->program);
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = bits_lowest(left);
        v.address = address[lane];
        v.space = space_of(e, in, &v.address);
        if (v.space == IN_LOCAL || !is_there(&v, bytes))
            continue;
        bool is_atomic = v.act == RACE_ATOMIC || v.act == RACE_ATOMIC_READ;
        v.present = race_order_present(o, b, row, lane, pc);
        v.present.self.atomics += is_atomic; /* an atomic orders accesses before and after it, not itself */
        for (uint64_t at = 0; at < bytes; at += step)
            visit_word(&v, v.address + at, step);
        if (is_atomic)
            order_by_atomic(&v, row * ROW_LANES + lane);
        v.earlier |= 1u << lane;
    }
}

void race_warp_sync(struct engine *e, const struct row *row, uint32_t mask)
{
    race_order_warp_sync(block_at_work(e), (int)(row - e->block->rows), mask);
}

void race_arrive(struct engine *e, uint32_t barrier, uint32_t mask)
{
    race_order_arrive(block_at_work(e), barrier, (int)(e->row - e->block->rows), mask);
}

void race_pass(struct engine *e, const struct row *row, uint32_t barrier, uint32_t mask)
{
    race_order_pass(block_at_work(e), barrier, (int)(row - e->block->rows), mask);
}

void race_open(struct engine *e, uint32_t barrier)
{
    race_order_open(block_at_work(e), barrier);
}

void race_open_all(struct engine *e)
{
    race_order_open_all(block_at_work(e));
}

void race_open_cluster(struct engine *e)
{
    struct race_order_block *b = block_at_work(e);
    race_order_open_all(b);
    for (int thread = 0; thread < b->threads; thread++)
        race_order_atomic(&e->race->order, b, thread);
}

void race_synchronise(struct engine *e, const uint64_t *address, uint32_t mask)
{
    struct race_order_block *b = block_at_work(e);
    int row = (int)(e->row - e->block->rows);
    for (int lane = 0; lane < ROW_LANES; lane++)
        if (mask >> lane & 1 && e->race->is_lockstep)
            race_order_hand_over(b, IN_SHARED, address[lane] / WORD_BYTES, row * ROW_LANES + lane, true, true);
        else if (mask >> lane & 1)
            race_order_atomic(&e->race->order, b, row * ROW_LANES + lane);
}
