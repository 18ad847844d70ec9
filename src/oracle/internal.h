/*
 * The oracle's inside: an interpreter of parsed PTX that runs one thread at a time.
 *
 * Every virtual register is a uint64_t of its thread and call, holding the register's bits zero-extended; a
 * predicate is 0 or 1. Nothing is allocated to slots, nothing is done for several lanes at once. Only what
 * does not change during a launch is worked out beforehand: which function does an instruction, and where
 * each operand comes from (oracle_decode.c).
 *
 * A thread runs until it waits, ends, or used up its quantum; then comes the next of the block. Blocks run
 * one after the other.
 */
#ifndef HEDDLE_ORACLE_INTERNAL_H
#define HEDDLE_ORACLE_INTERNAL_H

#include "device/launch.h"

enum { ORACLE_LANES = 32, ORACLE_MAX_ROWS = LAUNCH_MAX_THREADS / ORACLE_LANES };

struct oracle;
struct oracle_thread;
struct oracle_insn;

enum oracle_source {
    SOURCE_NONE,     /* not there: reads as 0, is not written */
    SOURCE_REGISTER, /* reg; of an address: plus value */
    SOURCE_CONSTANT, /* value */
    SOURCE_FRAME,    /* the thread's frame base + value, an address in local memory */
    SOURCE_SREG,     /* sreg */
    SOURCE_SINK,     /* `_` */
    SOURCE_VECTOR    /* element */
};

struct oracle_operand {
    uint8_t source; /* enum oracle_source */
    uint8_t type;   /* enum type it is read or written as */
    uint8_t sreg;
    bool negate;
    int32_t reg;
    uint64_t mask;          /* the bits of the type */
    uint64_t register_mask; /* the bits of the register as declared */
    uint64_t value;
    int element_count;
    struct oracle_operand *element;
};

typedef void oracle_fn(struct oracle_thread *t, const struct oracle_insn *x);

struct oracle_insn {
    oracle_fn *run;
    uint16_t op;
    uint8_t type;  /* enum type: the first of the suffixes */
    uint8_t space; /* enum mod: of memory operations; MOD_NONE: generic addresses */
    bool guard_negate;
    int32_t guard;                                   /* register, or -1 */
    struct oracle_operand operand[PTX_MAX_OPERANDS]; /* in the row's order */
    const struct ptx_instruction *origin;
    const struct oracle_function *function;
    const char *complaint; /* run is oracle_unsupported: why */
};

struct oracle_function {
    const struct ptx_function *source;
    int insn_count;
    struct oracle_insn *insns; /* NULL if the kernel does not reach the function */
    uint32_t frame_bytes;
};

struct oracle_frame { /* of a caller */
    const struct oracle_function *function;
    int pc;
    uint32_t base;      /* of the frame in local memory */
    int first_register; /* in the thread's registers */
    const struct oracle_insn *call;
};

enum oracle_state {
    THREAD_READY,
    THREAD_AT_BARRIER,    /* waits at barrier `barrier` */
    THREAD_AT_RENDEZVOUS, /* waits for the threads of `mask` at an equal operation */
    THREAD_GATHERING,     /* at an operation of whoever happens to be there; see oracle_warp.c */
    THREAD_ENDED
};

struct oracle_thread {
    struct oracle *oracle;
    uint32_t id[3];
    int row, lane;
    enum oracle_state state;
    int64_t budget; /* instructions left of the quantum */
    int pc;
    const struct oracle_function *function;
    uint32_t base;
    uint64_t *reg; /* of the current call: into registers */
    bool carry;
    const struct oracle_insn *at; /* what it waits at */
    uint32_t mask;
    unsigned barrier;
    struct oracle_frame *frames;
    int depth, frame_capacity;
    uint64_t *registers; /* of all calls */
    int first_register, register_capacity;
    uint8_t *local;      /* its part of the block's */
    uint32_t local_used; /* bytes that were touched, and are cleared for the next block */
};

struct oracle_barrier {
    bool is_active;
    uint8_t kind;   /* what is done at it; see oracle_barrier.c */
    uint32_t count; /* threads it waits for; 0: all of the block */
    uint32_t arrived[ORACLE_MAX_ROWS];
    const struct oracle_insn *aligned[ORACLE_MAX_ROWS]; /* the aligned instruction the row's first came to */
    const struct oracle_insn *torn; /* an aligned instruction that part of a row came to, the rest to another */
    int torn_thread;
    uint32_t true_count, voter_count;
};

struct oracle_block {
    uint32_t id[3];
    uint64_t linear;
    int thread_count, row_count, live_count;
    uint32_t live[ORACLE_MAX_ROWS];
    struct oracle_thread *threads;
    uint8_t *shared;
    uint8_t *local; /* of all threads */
    struct oracle_barrier barrier[LAUNCH_MAX_BARRIERS];
};

struct oracle {
    const struct launch *launch;
    const struct image *image;
    struct memory *memory;
    struct layout *layout;
    struct arena arena;
    struct oracle_function *functions; /* by index in the module */
    struct fault *fault;
    uint64_t executed, limit; /* thread instructions */
    uint32_t stack_bytes, shared_bytes;
    uint64_t parameter_address; /* generic, of the copy for cvta.param; 0 if nothing asks for it */
    struct allocation recent;   /* the allocation touched last, valid while the generation holds */
    uint64_t recent_generation;
    bool has_recent;
    struct oracle_block block;
};

/* oracle_decode.c */
void oracle_decode(struct oracle *o);

/* oracle.c */
enum { ORACLE_QUANTUM = 2000 };
void oracle_run(struct oracle_thread *t, int64_t quantum); /* a ready thread, until it waits, ends or is through */
void oracle_end_thread(struct oracle_thread *t);

/* oracle_fault.c. The first fault of a launch is kept. */
void oracle_fault(struct oracle_thread *t, const struct oracle_insn *x, enum fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void oracle_fault_access(struct oracle_thread *t, const struct oracle_insn *x, enum fault_kind kind, enum mod space,
                         uint64_t address, uint32_t bytes, bool is_write);
void oracle_fault_deadlock(struct oracle *o);
void oracle_unsupported(struct oracle_thread *t, const struct oracle_insn *x);

/* oracle_sreg.c */
uint64_t oracle_sreg(const struct oracle_thread *t, enum sreg sreg);

/* oracle_memory.c. Host pointer to guest bytes; NULL if they are not there, cannot be written, or, if `check`
 * names an instruction, after having recorded the fault. MOD_NONE: a generic address. */
void *oracle_reach(struct oracle_thread *t, const struct oracle_insn *check, enum mod space, uint64_t address,
                   uint32_t bytes, bool is_write);
uint64_t oracle_address(const struct oracle_thread *t, const struct oracle_operand *m);
uint64_t oracle_load(const void *host, unsigned bytes);
void oracle_store(void *host, uint64_t value, unsigned bytes);

/* oracle_number.c: floating-point formats, exactly. */
struct oracle_number {
    enum { NUMBER_ZERO, NUMBER_FINITE, NUMBER_INFINITE, NUMBER_NAN } kind;
    bool negative;
    uint64_t mantissa; /* value: mantissa * 2^exponent */
    int exponent;
};

struct oracle_number oracle_number_decode(enum type type, uint64_t bits);
struct oracle_number oracle_number_from_integer(enum type type, uint64_t value); /* extended to 64 bits */
uint64_t oracle_number_encode(enum type type, struct oracle_number n, enum mod rounding);
struct oracle_number oracle_number_round(struct oracle_number n, enum mod rounding); /* to an integer; .rni ... */

/* oracle_float.c */
float oracle_flush32(float x); /* subnormal: zero of the same sign */
uint64_t oracle_nan(enum type type);
float oracle_add_f32(float a, float b);

/* oracle_warp.c */
void oracle_rendezvous_check(struct oracle *o, int row); /* after a thread of the row came or ended */
void oracle_gather(struct oracle_thread *t);

/* oracle_barrier.c */
void oracle_barrier_check_all(struct oracle *o); /* after a thread ended */

/* oracle_builtin.c: functions without a body that the system gives. NULL if there is none of that name. */
oracle_fn *oracle_builtin(const char *name);
/* oracle_control.c */
void oracle_return_value(struct oracle_thread *t, const struct oracle_insn *x, int index, uint64_t value);
uint64_t oracle_argument(struct oracle_thread *t, const struct oracle_insn *x, int index);
void oracle_return(struct oracle_thread *t, const struct oracle_insn *x);

/* Instructions, a family each. */
oracle_fn oracle_integer, oracle_carry, oracle_bits, oracle_logic, oracle_compare, oracle_float, oracle_convert,
    oracle_move, oracle_space, oracle_memory, oracle_atomic, oracle_texture, oracle_control, oracle_call,
    oracle_barrier, oracle_warp_sync, oracle_warp_old;

static inline uint64_t oracle_mask(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* The low bits of a value, extended to 64 by the type's sign. */
static inline uint64_t oracle_extend(uint64_t value, enum type type)
{
    unsigned bits = type_table[type].bits;
    if (type_table[type].kind != KIND_SINT || bits >= 64)
        return value & oracle_mask(bits);
    return (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
}

/* The operand's bits, zero-extended. */
static inline uint64_t oracle_read(const struct oracle_thread *t, const struct oracle_operand *a)
{
    uint64_t v = 0;
    switch (a->source) {
    case SOURCE_REGISTER:
        v = t->reg[a->reg];
        break;
    case SOURCE_CONSTANT:
        v = a->value;
        break;
    case SOURCE_FRAME:
        v = t->base + a->value;
        break;
    case SOURCE_SREG:
        v = oracle_sreg(t, (enum sreg)a->sreg);
        break;
    default:
        break;
    }
    return (v & a->mask) ^ a->negate;
}

/* The operand's value, sign-extended where its type is signed. */
static inline uint64_t oracle_read_integer(const struct oracle_thread *t, const struct oracle_operand *a)
{
    return oracle_extend(oracle_read(t, a), (enum type)a->type);
}

/* Truncates to the type, then extends to the register where that is wider. */
static inline void oracle_write(struct oracle_thread *t, const struct oracle_operand *d, uint64_t value)
{
    if (d->source == SOURCE_REGISTER)
        t->reg[d->reg] = oracle_extend(value & d->mask, (enum type)d->type) & d->register_mask;
}

static inline enum mod oracle_mod(const struct oracle_insn *x, enum group group)
{
    return (enum mod)x->origin->suffixes.mod[group];
}

static inline bool oracle_flag(const struct oracle_insn *x, enum flag flag)
{
    return suffixes_has(&x->origin->suffixes, flag);
}

#endif
