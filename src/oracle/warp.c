/*
 * The oracle's warp-level operations, among the 32 threads of a row.
 *
 * The .sync forms are a rendezvous: a thread waits until every live thread of its member mask is at an equal operation
 * with an equal mask, whatever its PC. Then the operation is executed once for all of them.
 *
 * The forms without .sync are executed by the threads that are converged. Here these are the threads at the same
 * instruction and call depth, after every other thread of the row has run until it waits, ends, comes here too, or has
 * used up a quantum.
 */
#include "oracle/internal.h"

#include "base/bits.h"

#include <string.h>

static struct oracle_thread *thread_at(struct oracle *o, int row, int lane)
{
    int index = row * ORACLE_LANES + lane;
    return index < o->block.thread_count ? &o->block.threads[index] : NULL;
}

static const struct oracle_operand *operand(const struct oracle_thread *t, int i)
{
    return &t->at->operand[i];
}

static void shuffle(const struct oracle_party *p, const struct oracle_insn *x)
{
    uint64_t value[ORACLE_LANES] = {0};
    for (int i = 0; i < ORACLE_LANES; i++)
        if (p->member[i])
            value[i] = oracle_read(p->member[i], operand(p->member[i], 2));
    for (int i = 0; i < ORACLE_LANES; i++) {
        struct oracle_thread *t = p->member[i];
        if (!t)
            continue;
        int b = (int)(oracle_read(t, operand(t, 3)) & 31), c = (int)oracle_read(t, operand(t, 4));
        int segment = c >> 8 & 31, from = i & segment, last = from | (c & 31 & ~segment), j;
        bool in_range;
        switch (oracle_mod(x, GROUP_SHFL)) {
        case SHFL_UP:
            j = i - b;
            in_range = j >= last;
            break;
        case SHFL_DOWN:
            j = i + b;
            in_range = j <= last;
            break;
        case SHFL_BFLY:
            j = i ^ b;
            in_range = j <= last;
            break;
        default:
            j = from | (b & ~segment);
            in_range = j <= last;
        }
        if (!in_range || !p->member[j & 31]) /* PTX leaves the value from a lane that takes no part undefined */
            j = i;
        oracle_write(t, operand(t, 0), value[j & 31]);
        oracle_write(t, operand(t, 1), in_range);
    }
}

static void write_all(const struct oracle_party *p, int destination, uint64_t value)
{
    for (int i = 0; i < ORACLE_LANES; i++)
        if (p->member[i])
            oracle_write(p->member[i], operand(p->member[i], destination), value);
}

static void vote(const struct oracle_party *p, const struct oracle_insn *x)
{
    uint32_t yes = 0;
    for (int i = 0; i < ORACLE_LANES; i++)
        if (p->member[i] && oracle_read(p->member[i], operand(p->member[i], 1)))
            yes |= 1u << i;
    if (x->op == OP_BALLOT || x->op == OP_BALLOT_SYNC) {
        write_all(p, 0, yes);
        return;
    }
    switch (oracle_mod(x, GROUP_VOTE)) {
    case VOTE_ALL:
        write_all(p, 0, yes == p->mask);
        break;
    case VOTE_ANY:
        write_all(p, 0, yes != 0);
        break;
    default:
        write_all(p, 0, yes == p->mask || yes == 0);
    }
}

static void match(const struct oracle_party *p, const struct oracle_insn *x)
{
    int a = x->op == OP_MATCH_ALL ? 2 : 1;
    uint32_t alike[ORACLE_LANES] = {0};
    bool all = true;
    for (int i = 0; i < ORACLE_LANES; i++)
        for (int k = 0; k < ORACLE_LANES && p->member[i]; k++) {
            if (!p->member[k])
                continue;
            if (oracle_read(p->member[i], operand(p->member[i], a)) ==
                oracle_read(p->member[k], operand(p->member[k], a)))
                alike[i] |= 1u << k;
            else
                all = false;
        }
    if (x->op == OP_MATCH_ALL) {
        write_all(p, 0, all ? p->mask : 0);
        write_all(p, 1, all);
        return;
    }
    for (int i = 0; i < ORACLE_LANES; i++)
        if (p->member[i])
            oracle_write(p->member[i], operand(p->member[i], 0), alike[i]);
}

static uint64_t reduce_pair(const struct oracle_insn *x, uint64_t a, uint64_t b)
{
    bool less = x->type == TYPE_S32 ? (int64_t)a < (int64_t)b : a < b;
    switch (oracle_mod(x, GROUP_REDUX)) {
    case REDUX_ADD:
        return a + b;
    case REDUX_MIN:
        return less ? a : b;
    case REDUX_MAX:
        return less ? b : a;
    case REDUX_AND:
        return a & b;
    case REDUX_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static void reduce(const struct oracle_party *p, const struct oracle_insn *x)
{
    uint64_t total = 0;
    bool is_first = true;
    for (int i = 0; i < ORACLE_LANES; i++) {
        if (!p->member[i])
            continue;
        uint64_t a = oracle_read_integer(p->member[i], operand(p->member[i], 1));
        total = is_first ? a : reduce_pair(x, total, a);
        is_first = false;
    }
    write_all(p, 0, total);
}

/* Whether the number comes before the other: zeros of either sign compare as equal, so their signs decide. */
static bool is_below(struct oracle_number a, struct oracle_number b, double x, double y)
{
    return a.kind == NUMBER_ZERO && b.kind == NUMBER_ZERO ? a.negative && !b.negative : x < y;
}

static double value_of(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

static void reduce_float(const struct oracle_party *p, const struct oracle_insn *x)
{
    uint64_t best = 0;
    bool is_first = true, has_nan = false;
    for (int i = 0; i < ORACLE_LANES; i++) {
        if (!p->member[i])
            continue;
        uint64_t a = oracle_read(p->member[i], operand(p->member[i], 1));
        if (oracle_flag(x, FLAG_ABS))
            a &= ~UINT64_C(0x80000000);
        struct oracle_number n = oracle_number_decode(TYPE_F32, a), m = oracle_number_decode(TYPE_F32, best);
        if (n.kind == NUMBER_NAN) {
            has_nan = true;
            continue;
        }
        bool takes = oracle_mod(x, GROUP_REDUX) == REDUX_MIN ? is_below(n, m, value_of(a), value_of(best))
                                                             : is_below(m, n, value_of(best), value_of(a));
        if (is_first || takes)
            best = a;
        is_first = false;
    }
    bool is_nan = is_first || (has_nan && oracle_flag(x, FLAG_NANQ));
    write_all(p, 0, is_nan ? oracle_nan(TYPE_F32) : best);
}

/* The member in the lowest lane is elected. */
static void elect(const struct oracle_party *p)
{
    int leader = 0;
    while (!p->member[leader])
        leader++;
    write_all(p, 0, (uint64_t)leader);
    write_all(p, 1, 0);
    oracle_write(p->member[leader], operand(p->member[leader], 1), 1);
}

static void execute(const struct oracle_party *p, const struct oracle_insn *x)
{
    if (op_is_matrix((enum op)x->op))
        oracle_matrix(p, x);
    switch (x->op) {
    case OP_SHFL:
    case OP_SHFL_SYNC:
        shuffle(p, x);
        break;
    case OP_VOTE:
    case OP_VOTE_SYNC:
    case OP_BALLOT:
    case OP_BALLOT_SYNC:
        vote(p, x);
        break;
    case OP_MATCH_ANY:
    case OP_MATCH_ALL:
        match(p, x);
        break;
    case OP_REDUX_F:
        reduce_float(p, x);
        break;
    case OP_REDUX:
        reduce(p, x);
        break;
    case OP_ACTIVEMASK:
        write_all(p, 0, p->mask);
        break;
    case OP_ELECT:
        elect(p);
        break;
    default: /* bar.warp.sync computes nothing; matrix instructions are done */
        break;
    }
    for (int i = 0; i < ORACLE_LANES; i++)
        if (p->member[i])
            p->member[i]->state = THREAD_READY;
}

static int mask_operand(enum op op)
{
    switch (op) {
    case OP_BAR_WARP:
        return 0;
    case OP_SHFL_SYNC:
        return 5;
    case OP_MATCH_ALL:
        return 3;
    default:
        return 2;
    }
}

static bool is_equal_operation(const struct oracle_thread *a, const struct oracle_thread *b)
{
    return a->at->op == b->at->op && a->mask == b->mask &&
           !memcmp(&a->at->origin->suffixes.mod, &b->at->origin->suffixes.mod, sizeof a->at->origin->suffixes.mod) &&
           !memcmp(&a->at->origin->suffixes.type, &b->at->origin->suffixes.type, sizeof a->at->origin->suffixes.type) &&
           a->at->origin->suffixes.flags == b->at->origin->suffixes.flags &&
           a->at->origin->suffixes.shape == b->at->origin->suffixes.shape;
}

/* Executes the operation if all threads that the thread waits for have arrived. */
static void try_rendezvous(struct oracle *o, struct oracle_thread *t)
{
    struct oracle_party p = {.mask = 0};
    for (int i = 0; i < ORACLE_LANES; i++) {
        struct oracle_thread *other = thread_at(o, t->row, i);
        if (!(t->mask >> i & 1) || !other || other->state == THREAD_ENDED)
            continue;
        if (other->state != THREAD_AT_RENDEZVOUS || !is_equal_operation(t, other))
            return;
        p.member[i] = other;
        p.mask |= 1u << i;
    }
    execute(&p, t->at);
}

void oracle_rendezvous_check(struct oracle *o, int row)
{
    for (int i = 0; i < ORACLE_LANES; i++) {
        struct oracle_thread *t = thread_at(o, row, i);
        if (t && t->state == THREAD_AT_RENDEZVOUS)
            try_rendezvous(o, t);
    }
}

void oracle_warp_sync(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint32_t mask = op_is_matrix((enum op)x->op) /* .aligned: all threads */
                        ? UINT32_MAX
                        : (uint32_t)oracle_read(t, &x->operand[mask_operand((enum op)x->op)]);
    if (!(mask >> t->lane & 1)) {
        oracle_fault(t, x, FAULT_BAD_BARRIER, "the member mask 0x%08x does not name the thread itself (lane %d)", mask,
                     t->lane);
        return;
    }
    t->state = THREAD_AT_RENDEZVOUS;
    t->mask = mask;
    t->at = x;
    try_rendezvous(t->oracle, t);
}

void oracle_warp_old(struct oracle_thread *t, const struct oracle_insn *x)
{
    t->state = THREAD_GATHERING;
    t->at = x;
}

void oracle_gather(struct oracle_thread *t)
{
    struct oracle *o = t->oracle;
    int64_t budget[ORACLE_LANES];
    bool moved = true;
    for (int i = 0; i < ORACLE_LANES; i++)
        budget[i] = ORACLE_QUANTUM;
    while (moved && !o->fault->kind) {
        moved = false;
        for (int i = 0; i < ORACLE_LANES && !o->fault->kind; i++) {
            struct oracle_thread *other = thread_at(o, t->row, i);
            if (!other || other->state != THREAD_READY || budget[i] <= 0)
                continue;
            oracle_run(other, budget[i]);
            budget[i] = other->budget;
            moved = true;
        }
    }
    if (o->fault->kind)
        return;
    struct oracle_party p = {.mask = 0};
    for (int i = 0; i < ORACLE_LANES; i++) {
        struct oracle_thread *other = thread_at(o, t->row, i);
        if (other && other->state == THREAD_GATHERING && other->at == t->at && other->depth == t->depth) {
            p.member[i] = other;
            p.mask |= 1u << i;
        }
    }
    execute(&p, t->at);
}
