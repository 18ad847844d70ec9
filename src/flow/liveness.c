/*
 * Liveness: which registers hold a value that may still be read, at each block's start and at each instruction.
 *
 * Each read that no write of the same block precedes spreads backwards over predecessors, up to the blocks that write
 * the register. Sixty-four registers spread together, as the bits of one word. Later blocks come first, so that without
 * loops each block is visited once; a block is visited again only to pass on registers that are new to it. A register
 * that is live at some block's start has a number, its name (liveness.h); the others need no bit in sets.
 */
#include "flow/liveness.h"

#include "base/vec.h"
#include "flow/analysis.h"

/* A read or write of a register in a block. */
struct liveness_occurrence {
    int32_t block, reg;
};

struct liveness_occurrences vec_of(struct liveness_occurrence);

struct liveness_scan {
    const struct program *program;
    struct liveness_occurrences reads;  /* reads that no unguarded write of the block precedes */
    struct liveness_occurrences writes; /* unguarded writes */
    int32_t *read_in, *written_in;      /* by register: number, plus one, of the last block that reads or writes it */
};

static void see_read(struct liveness_scan *s, int32_t block, int32_t reg)
{
    if (reg < 0 || s->written_in[reg] == block + 1 || s->read_in[reg] == block + 1)
        return;
    s->read_in[reg] = block + 1;
    vec_push(&s->reads, (struct liveness_occurrence){block, reg});
}

static void see_write(struct liveness_scan *s, int32_t block, int32_t reg)
{
    if (reg < 0 || s->written_in[reg] == block + 1)
        return;
    s->written_in[reg] = block + 1;
    vec_push(&s->writes, (struct liveness_occurrence){block, reg});
}

static void scan_block(struct liveness_scan *s, const struct flow_block *b, int32_t block)
{
    for (int32_t pc = b->first; pc <= b->last; pc++) {
        const struct insn *insn = &s->program->insns[pc];
        see_read(s, block, insn->guard);
        for (int i = 0; i < insn->source_count; i++)
            see_read(s, block, analysis_register(&insn->source[i]));
        for (int i = 0; i < insn->dest_count && insn->guard < 0; i++)
            see_write(s, block, analysis_register(&insn->dest[i]));
    }
}

/* Gives each register that is live at some block's start a name, which is its bit in sets. */
static void name_registers(struct liveness *l, const struct liveness_occurrences *reads, int register_count,
                           struct arena *arena)
{
    l->name = arena_array(arena, int32_t, (size_t)register_count);
    l->reg = arena_array(arena, int32_t, (size_t)register_count);
    for (int i = 0; i < register_count; i++)
        l->name[i] = -1;
    for (int i = 0; i < reads->count; i++) {
        int32_t reg = reads->data[i].reg;
        if (l->name[reg] >= 0)
            continue;
        l->reg[l->name_count] = reg;
        l->name[reg] = l->name_count++;
    }
    l->words = (l->name_count + 63) / 64;
}

/* Occurrences sorted by the word of a set that holds their register's bit; registers without a name are left out. */
struct liveness_by_word {
    int32_t *first; /* by word, one more at the end: index into list */
    struct liveness_occurrence *list;
};

static struct liveness_by_word sort_by_word(const struct liveness *l, const struct liveness_occurrences *all,
                                            struct arena *arena)
{
    struct liveness_by_word s = {.first = arena_array(arena, int32_t, (size_t)l->words + 2),
                                 .list = arena_array(arena, struct liveness_occurrence, (size_t)all->count)};
    for (int i = 0; i < all->count; i++)
        if (l->name[all->data[i].reg] >= 0)
            s.first[l->name[all->data[i].reg] / 64 + 2]++;
    for (int w = 0; w < l->words; w++)
        s.first[w + 2] += s.first[w + 1];
    for (int i = 0; i < all->count; i++)
        if (l->name[all->data[i].reg] >= 0)
            s.list[s.first[l->name[all->data[i].reg] / 64 + 1]++] = all->data[i];
    return s;
}

/* The spreading of one word of all blocks' sets. Blocks are queued by rank: later blocks come first. */
struct liveness_spreading {
    const struct graph *graph;
    int32_t *rank, *block_at; /* rank by block; block by rank */
    uint64_t *in, *written;   /* by block: names live at its start; names that it writes */
    uint64_t *fresh;          /* by block: names of `in` that were not yet passed on to predecessors */
    uint64_t *queued;         /* bit by rank: the block has fresh names */
    int queue_words, hint;    /* words of `queued`; no word below the hint has a bit */
};

/* Makes names live at the block's start. The block is queued if some of them are new there. */
static void add_names(struct liveness_spreading *s, int32_t block, uint64_t names)
{
    names &= ~s->in[block];
    if (!names)
        return;
    s->in[block] |= names;
    s->fresh[block] |= names;
    int word = s->rank[block] / 64;
    s->queued[word] |= 1ull << (s->rank[block] % 64);
    if (word < s->hint)
        s->hint = word;
}

/* Passes fresh names on to predecessors that do not write them, until no block has any. */
static void spread(struct liveness_spreading *s)
{
    for (s->hint = 0; s->hint < s->queue_words;) {
        uint64_t bits = s->queued[s->hint];
        if (!bits) {
            s->hint++;
            continue;
        }
        s->queued[s->hint] = bits & (bits - 1);
        int32_t block = s->block_at[s->hint * 64 + __builtin_ctzll(bits)];
        uint64_t names = s->fresh[block];
        s->fresh[block] = 0;
        for (int32_t i = s->graph->first_predecessor[block]; i < s->graph->first_predecessor[block + 1]; i++)
            add_names(s, s->graph->predecessors[i], names & ~s->written[s->graph->predecessors[i]]);
    }
}

/* Ranks are the postorder of a walk from the entry, so that a block comes before its predecessors, except in loops.
 * Unreachable blocks come last. */
static void rank_blocks(struct liveness_spreading *s, struct arena *arena)
{
    struct graph_walk walk = graph_walk(arena, s->graph, 0);
    int next = walk.count;
    for (int32_t b = 0; b < s->graph->node_count; b++) {
        s->rank[b] = walk.number[b] >= 0 ? walk.post[walk.number[b]] : next++;
        s->block_at[s->rank[b]] = b;
    }
}

static uint64_t name_bit(const struct liveness *l, const struct liveness_occurrence *o)
{
    return 1ull << (l->name[o->reg] % 64);
}

/* Fills in l->in, one word of all sets at a time. */
static void spread_all(const struct liveness *l, const struct graph *g, const struct liveness_by_word *reads,
                       const struct liveness_by_word *writes, struct arena *arena)
{
    size_t blocks = (size_t)g->node_count;
    struct liveness_spreading s = {.graph = g,
                                   .rank = arena_array(arena, int32_t, blocks),
                                   .block_at = arena_array(arena, int32_t, blocks),
                                   .in = arena_array(arena, uint64_t, blocks),
                                   .written = arena_array(arena, uint64_t, blocks),
                                   .fresh = arena_array(arena, uint64_t, blocks),
                                   .queued = arena_array(arena, uint64_t, blocks / 64 + 1),
                                   .queue_words = (int)(blocks / 64 + 1)};
    rank_blocks(&s, arena);
    for (int w = 0; w < l->words; w++) {
        memset(s.in, 0, sizeof *s.in * blocks);
        memset(s.written, 0, sizeof *s.written * blocks);
        for (int32_t i = writes->first[w]; i < writes->first[w + 1]; i++)
            s.written[writes->list[i].block] |= name_bit(l, &writes->list[i]);
        for (int32_t i = reads->first[w]; i < reads->first[w + 1]; i++)
            add_names(&s, reads->list[i].block, name_bit(l, &reads->list[i]));
        spread(&s);
        for (size_t b = 0; b < blocks; b++)
            l->in[b * (size_t)l->words + (size_t)w] = s.in[b];
    }
}

struct liveness liveness_create(const struct program *p, int function, const struct analysis *a, struct arena *arena)
{
    const struct program_function *f = &p->functions[function];
    size_t registers = (size_t)a->register_count;
    struct arena scratch = {0};
    struct liveness_scan s = {.program = p,
                              .read_in = arena_array(&scratch, int32_t, registers),
                              .written_in = arena_array(&scratch, int32_t, registers)};
    for (int b = 0; b < f->block_count; b++)
        scan_block(&s, &p->blocks[f->first_block + b], b);
    struct liveness l = {0};
    name_registers(&l, &s.reads, a->register_count, arena);
    l.in = arena_array(arena, uint64_t, (size_t)f->block_count * (size_t)l.words);
    struct liveness_by_word reads = sort_by_word(&l, &s.reads, &scratch),
                            writes = sort_by_word(&l, &s.writes, &scratch);
    spread_all(&l, &a->graph, &reads, &writes, &scratch);
    vec_free(&s.reads);
    vec_free(&s.writes);
    arena_free(&scratch);
    return l;
}

void liveness_out(const struct liveness *l, const struct analysis *a, int block, uint64_t *set)
{
    memset(set, 0, sizeof *set * (size_t)l->words);
    for (int32_t i = a->graph.first_successor[block]; i < a->graph.first_successor[block + 1]; i++) {
        const uint64_t *in = liveness_in(l, a->graph.successors[i]);
        for (int w = 0; w < l->words; w++)
            set[w] |= in[w];
    }
}

/* What is live during the backward walk. */
struct liveness_alive {
    const struct analysis *analysis;
    uint64_t *names;       /* set of live names */
    bool *local;           /* by register without a name: live; all false again at each block's start */
    uint64_t *size[3];     /* sets of names that take 1, 2 and 4 machine registers */
    int machine_registers; /* 32-bit registers that are live now */
    int most;              /* the most that were live at any point so far */
};

static bool is_alive(const struct liveness_alive *alive, int32_t reg)
{
    int32_t n = alive->analysis->live.name[reg];
    return n < 0 ? alive->local[reg] : alive->names[n / 64] >> (n % 64) & 1;
}

static void set_alive(struct liveness_alive *alive, int32_t reg, bool value)
{
    int32_t n = alive->analysis->live.name[reg];
    if (n < 0)
        alive->local[reg] = value;
    else
        alive->names[n / 64] ^= 1ull << (n % 64);
}

static void make_alive(struct liveness_alive *alive, int32_t reg)
{
    if (reg < 0 || is_alive(alive, reg))
        return;
    set_alive(alive, reg, true);
    alive->machine_registers += analysis_words(alive->analysis, reg);
    if (alive->machine_registers > alive->most)
        alive->most = alive->machine_registers;
}

static void make_dead(struct liveness_alive *alive, int32_t reg)
{
    if (reg < 0 || !is_alive(alive, reg))
        return;
    set_alive(alive, reg, false);
    alive->machine_registers -= analysis_words(alive->analysis, reg);
}

/* A value that nothing reads still needs a register at the moment it is written. */
static void count_dead_writes(struct liveness_alive *alive, const struct insn *insn)
{
    int count = alive->machine_registers;
    for (int i = 0; i < insn->dest_count; i++) {
        int32_t reg = analysis_register(&insn->dest[i]);
        if (reg >= 0 && !is_alive(alive, reg))
            count += analysis_words(alive->analysis, reg);
    }
    if (count > alive->most)
        alive->most = count;
}

static void step_back(struct liveness_alive *alive, const struct insn *insn, struct liveness_walker *walker)
{
    count_dead_writes(alive, insn);
    for (int i = 0; i < insn->dest_count && (insn->guard < 0 || insn->call >= 0); i++)
        make_dead(alive, analysis_register(&insn->dest[i]));
    if (insn->call >= 0)
        walker->at_call(walker, insn->call, alive->names, alive->machine_registers);
    for (int i = 0; i < insn->dest_count && insn->guard >= 0 && insn->call >= 0; i++)
        if (analysis_register(&insn->dest[i]) >= 0 && alive->analysis->live.name[insn->dest[i].plane] >= 0)
            make_alive(alive, insn->dest[i].plane);
    make_alive(alive, insn->guard);
    for (int i = 0; i < insn->source_count; i++)
        make_alive(alive, analysis_register(&insn->source[i]));
}

static void start_at_end(struct liveness_alive *alive, int block)
{
    const struct liveness *l = &alive->analysis->live;
    liveness_out(l, alive->analysis, block, alive->names);
    alive->machine_registers = 0;
    for (int w = 0; w < l->words; w++)
        for (int k = 0; k < 3; k++)
            alive->machine_registers += __builtin_popcountll(alive->names[w] & alive->size[k][w]) << k;
    if (alive->machine_registers > alive->most)
        alive->most = alive->machine_registers;
}

int liveness_walk(const struct program *p, int function, const struct analysis *a, struct liveness_walker *walker,
                  struct arena *scratch)
{
    const struct program_function *f = &p->functions[function];
    size_t words = (size_t)a->live.words;
    struct liveness_alive alive = {.analysis = a,
                                   .names = arena_array(scratch, uint64_t, words),
                                   .local = arena_array(scratch, bool, (size_t)a->register_count)};
    for (int k = 0; k < 3; k++)
        alive.size[k] = arena_array(scratch, uint64_t, words);
    for (int n = 0; n < a->live.name_count; n++) {
        int size = analysis_words(a, a->live.reg[n]);
        if (size)
            alive.size[size / 2][n / 64] |= 1ull << (n % 64);
    }
    for (int b = 0; b < f->block_count; b++) {
        const struct flow_block *block = &p->blocks[f->first_block + b];
        start_at_end(&alive, b);
        for (int32_t pc = block->last; pc >= block->first; pc--)
            step_back(&alive, &p->insns[pc], walker);
    }
    return alive.most;
}
