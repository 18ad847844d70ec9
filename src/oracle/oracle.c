/*
 * The oracle: launches, blocks, and the turns of threads. One thread runs at a time, each for a quantum, so that a
 * thread that spins until another thread writes something does not spin for ever.
 */
#include "oracle/oracle.h"

#include "base/arena.h"
#include "oracle/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Local and shared memory that the blocks of a cooperative launch may take together. */
#define MOST_TOGETHER_BYTES (UINT64_C(8) << 30)

void oracle_end_thread(struct oracle_thread *t)
{
    struct oracle *o = t->oracle;
    t->state = THREAD_ENDED;
    o->block.live[t->row] &= ~(1u << t->lane);
    o->block.live_count--;
    o->cluster->live--;
    o->cluster->arrived -= t->has_arrived;
    oracle_rendezvous_check(o, t->row);
    oracle_barrier_check_all(o);
    oracle_cluster_check(o);
}

static bool is_guarded_off(const struct oracle_thread *t, const struct oracle_insn *x)
{
    return x->guard >= 0 && (t->reg[x->guard] & 1) == x->guard_negate;
}

void oracle_run(struct oracle_thread *t, int64_t quantum)
{
    struct oracle *o = t->oracle;
    t->budget = quantum;
    while (t->state == THREAD_READY && t->budget-- > 0 && !o->fault->kind) {
        if (t->pc >= t->function->insn_count) {
            oracle_return(t, NULL);
            continue;
        }
        const struct oracle_insn *x = &t->function->insns[t->pc];
        if (o->executed >= o->limit) {
            oracle_fault(t, x, FAULT_LIMIT, "the limit of %llu warp instructions is reached; raise it with --limit",
                         (unsigned long long)o->launch->instruction_limit);
            return;
        }
        o->executed++;
        t->pc++;
        if (!is_guarded_off(t, x))
            x->run(t, x);
    }
}

/* Puts a thread at the kernel's first instruction, with registers and local memory zero. */
static void start_thread(struct oracle *o, int index)
{
    struct oracle_thread *t = &o->block.threads[index];
    const struct launch *l = o->launch;
    const struct oracle_function *kernel = &o->functions[l->kernel->index];
    uint32_t n = (uint32_t)index;
    t->oracle = o;
    t->id[0] = n % l->block[0];
    t->id[1] = n / l->block[0] % l->block[1];
    t->id[2] = n / l->block[0] / l->block[1];
    t->row = index / ORACLE_LANES;
    t->lane = index % ORACLE_LANES;
    t->state = THREAD_READY;
    t->pc = 0;
    t->function = kernel;
    t->base = 0;
    t->top = oracle_frame_end(t);
    t->carry = false;
    t->has_arrived = false;
    t->depth = 0;
    t->first_register = 0;
    if (t->register_capacity < kernel->register_slots) {
        t->register_capacity = kernel->register_slots;
        t->registers = xrealloc(t->registers, sizeof *t->registers * (size_t)t->register_capacity);
    }
    if (kernel->register_slots)
        memset(t->registers, 0, sizeof *t->registers * (size_t)kernel->register_slots);
    t->reg = t->registers;
    memset(t->local, 0, t->local_used);
    t->local_used = 0;
    o->block.live[t->row] |= 1u << t->lane;
}

static void start_block(struct oracle *o, uint64_t linear)
{
    struct oracle_block *b = &o->block;
    const uint32_t *grid = o->launch->grid;
    b->linear = linear;
    b->id[0] = (uint32_t)(linear % grid[0]);
    b->id[1] = (uint32_t)(linear / grid[0] % grid[1]);
    b->id[2] = (uint32_t)(linear / grid[0] / grid[1]);
    memset(b->live, 0, sizeof b->live);
    memset(b->barrier, 0, sizeof b->barrier);
    memset(b->shared, 0, o->shared_bytes);
    b->live_count = b->thread_count;
    for (int i = 0; i < b->thread_count; i++)
        start_thread(o, i);
}

/* Gives each thread of the block at work a turn. False: all of them wait. */
static bool run_turn(struct oracle *o)
{
    struct oracle_block *b = &o->block;
    bool moved = false;
    for (int i = 0; i < b->thread_count && !o->fault->kind; i++) {
        struct oracle_thread *t = &b->threads[i];
        moved |= t->state == THREAD_READY || t->state == THREAD_GATHERING;
        if (t->state == THREAD_READY)
            oracle_run(t, ORACLE_QUANTUM);
        if (t->state == THREAD_GATHERING && !o->fault->kind)
            oracle_gather(t);
    }
    return moved;
}

static bool asks_for_parameter_address(const struct layout *layout)
{
    for (int r = 0; r < layout->reached_count; r++)
        for (int i = 0; i < layout->reached[r]->instruction_count; i++) {
            const struct ptx_instruction *x = &layout->reached[r]->instructions[i];
            if ((x->op == OP_CVTA || x->op == OP_CVTA_TO || x->op == OP_ISSPACEP) &&
                x->suffixes.mod[GROUP_SPACE] == SPACE_PARAM)
                return true;
        }
    return false;
}

/* Copies the parameters to device memory for the time of the launch, so that they have generic addresses. */
static bool place_parameters(struct oracle *o)
{
    const struct launch *l = o->launch;
    if (!l->parameter_bytes || !asks_for_parameter_address(o->layout))
        return true;
    o->parameter_address = memory_alloc(o->memory, l->parameter_bytes, "kernel parameters");
    if (!o->parameter_address)
        return false;
    memcpy(memory_host(o->memory, o->parameter_address, l->parameter_bytes), l->parameters, l->parameter_bytes);
    for (int i = 0; i < o->memory->count; i++)
        if (o->memory->allocation[i].address == o->parameter_address)
            o->memory->allocation[i].is_constant = true;
    return true;
}

static void create_block(struct oracle *o)
{
    const struct launch *l = o->launch;
    struct oracle_block *b = &o->block;
    b->thread_count = (int)(l->block[0] * l->block[1] * l->block[2]);
    b->row_count = (b->thread_count + ORACLE_LANES - 1) / ORACLE_LANES;
    b->threads = xcalloc((size_t)b->thread_count, sizeof *b->threads);
    b->shared = xcalloc(1, (size_t)o->shared_bytes + 1);
    b->local = xcalloc((size_t)b->thread_count,
                       o->stack_bytes); /* all at once: the host provides a page only when it is used */
    for (int i = 0; i < b->thread_count; i++)
        b->threads[i].local = b->local + (size_t)i * o->stack_bytes;
}

static void destroy_block(struct oracle_block *b)
{
    for (int i = 0; i < b->thread_count; i++) {
        free(b->threads[i].registers);
        free(b->threads[i].frames);
    }
    free(b->threads);
    free(b->local);
    free(b->shared);
}

static void run_in_order(struct oracle *o, uint64_t blocks)
{
    struct oracle_cluster alone;
    create_block(o);
    o->cluster = &alone;
    for (uint64_t i = 0; i < blocks && !o->fault->kind; i++) {
        start_block(o, i);
        alone = (struct oracle_cluster){.live = (uint64_t)o->block.thread_count};
        while (o->block.live_count && !o->fault->kind)
            if (!run_turn(o) && !o->fault->kind)
                oracle_fault_deadlock(o);
    }
    destroy_block(&o->block);
}

/* Gives each of `count` blocks a turn; `size` of them form a cluster. False: no block could run. */
static bool run_round(struct oracle *o, struct oracle_block *all, struct oracle_cluster *clusters, uint64_t count,
                      uint64_t size)
{
    bool moved = false;
    for (uint64_t i = 0; i < count && !o->fault->kind; i++) {
        if (!all[i].live_count)
            continue;
        o->block = all[i];
        o->cluster = &clusters[i / size];
        o->peers = size > 1 ? &all[i / size * size] : NULL;
        o->peer_count = (int)size;
        moved |= run_turn(o);
        all[i] = o->block;
    }
    return moved;
}

static bool any_lives(const struct oracle_block *all, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (all[i].live_count)
            return true;
    return false;
}

/* `count` blocks from the `first` on, in the order of their clusters, are started, and take turns until the last has
 * ended. */
static void run_together(struct oracle *o, uint64_t first, uint64_t count, uint64_t size)
{
    struct oracle_block *all = xcalloc(count, sizeof *all);
    struct oracle_cluster *clusters = xcalloc(count / size, sizeof *clusters);
    for (uint64_t i = 0; i < count; i++) {
        memset(&o->block, 0, sizeof o->block);
        create_block(o);
        start_block(o, launch_cluster_block(o->launch, (first + i) / size, (uint32_t)(i % size)));
        o->block.rank = i % size;
        clusters[i / size].live += (uint64_t)o->block.thread_count;
        all[i] = o->block;
    }
    while (any_lives(all, count) && !o->fault->kind)
        if (!run_round(o, all, clusters, count, size) && !o->fault->kind)
            oracle_fault_deadlock(o);
    for (uint64_t i = 0; i < count; i++)
        destroy_block(&all[i]);
    free(clusters);
    free(all);
    o->peers = NULL;
    memset(&o->block, 0, sizeof o->block);
}

static void refuse(struct oracle *o, const char *why)
{
    o->fault->kind = FAULT_LAUNCH;
    o->fault->kernel = o->launch->kernel->name;
    snprintf(o->fault->detail, sizeof o->fault->detail, "%s", why);
}

/* The workspace of a cooperative launch: its size in bytes, and the word that counts the blocks at the grid's barrier.
 * False: device memory has no room. */
static bool place_workspace(struct oracle *o)
{
    if (!o->launch->is_cooperative)
        return true;
    o->workspace = memory_alloc(o->memory, LAUNCH_WORKSPACE_BYTES, "workspace of a cooperative launch");
    if (!o->workspace)
        return false;
    oracle_store(memory_host(o->memory, o->workspace, LAUNCH_WORKSPACE_BYTES), LAUNCH_WORKSPACE_BYTES, 4);
    return true;
}

static void run_grid(struct oracle *o)
{
    const struct launch *l = o->launch;
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    uint32_t n[3];
    launch_cluster(l, n);
    uint64_t size = (uint64_t)n[0] * n[1] * n[2];
    if (!l->is_cooperative && size == 1)
        run_in_order(o, blocks);
    else if (!l->is_cooperative)
        for (uint64_t first = 0; first < blocks && !o->fault->kind; first += size)
            run_together(o, first, size, size);
    else if (blocks > MOST_TOGETHER_BYTES / (threads * o->stack_bytes + o->shared_bytes))
        refuse(o, "the oracle has no room for the local memory of all blocks of this cooperative launch at once");
    else
        run_together(o, 0, blocks, size);
}

void oracle_launch(const struct launch *launch, struct launch_result *result)
{
    memset(result, 0, sizeof *result);
    if (!launch->kernel || !launch->kernel->module) {
        launch_validate(launch, NULL, &result->fault);
        return;
    }
    struct oracle o = {.launch = launch, .image = launch->image, .result = result, .fault = &result->fault};
    o.layout = layout_create(launch->kernel);
    if (launch_validate(launch, o.layout, &result->fault)) {
        o.memory = launch->image->memory;
        o.stack_bytes = launch->stack_bytes ? launch->stack_bytes : LAUNCH_DEFAULT_STACK_BYTES;
        o.shared_bytes = launch->dynamic_shared_bytes ? o.layout->dynamic_shared_offset + launch->dynamic_shared_bytes
                                                      : o.layout->static_shared_bytes;
        o.limit = launch->instruction_limit && launch->instruction_limit < UINT64_MAX / 32
                      ? launch->instruction_limit * 32
                      : UINT64_MAX;
        if (!place_parameters(&o)) {
            refuse(&o, "device memory has no room for the parameters");
        } else if (!place_workspace(&o)) {
            refuse(&o, "device memory has no room for the workspace of a cooperative launch");
        } else {
            oracle_decode(&o);
            run_grid(&o);
        }
        if (o.workspace)
            memory_free(o.memory, o.workspace);
        if (o.parameter_address)
            memory_free(o.memory, o.parameter_address);
    }
    if (o.assertion.kind)
        result->fault = o.assertion;
    result->thread_instructions = o.executed;
    layout_destroy(o.layout);
    arena_free(&o.arena);
}
