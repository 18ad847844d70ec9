/*
 * What the files of the oracle share; no other room includes this header. The oracle interprets parsed PTX, one thread
 * at a time.
 *
 * Every virtual register is a uint64_t, per thread and per call, with the register's bits zero-extended; a predicate is
 * 0 or 1. A register of 128 bits has its upper half in a second number, as far behind the first as the function has
 * registers. There is no register allocation, and no instruction is executed for several lanes at once. Only what does
 * not change during a launch is decoded beforehand: which function executes an instruction, and where each operand
 * comes from (decode.c).
 *
 * A thread runs until it waits, ends, or has used up its quantum; then the block's next thread runs. Blocks run one
 * after the other, but for the blocks of a cooperative launch, which take turns.
 */
#ifndef HEDDLE_ORACLE_INTERNAL_H
#define HEDDLE_ORACLE_INTERNAL_H

#include "device/launch.h"

enum { ORACLE_LANES = 32, ORACLE_MAX_ROWS = LAUNCH_MAX_THREADS / ORACLE_LANES };

struct oracle;
struct oracle_thread;
struct oracle_insn;

enum oracle_source {
    SOURCE_NONE,     /* absent: reads as 0, and writes have no effect */
    SOURCE_REGISTER, /* register `reg`; in an address, plus `value` */
    SOURCE_CONSTANT, /* `value` */
    SOURCE_FRAME,    /* an address in local memory: the thread's frame base plus `value` */
    SOURCE_SHARED,   /* an address in the block's shared memory: its rank in the cluster, shifted, plus `value` */
    SOURCE_SREG,     /* special register `sreg` */
    SOURCE_SINK,     /* `_`: writes have no effect */
    SOURCE_VECTOR    /* a braced list: `element` */
};

struct oracle_operand {
    uint8_t source; /* enum oracle_source */
    uint8_t type;   /* enum type: the type that the operand is read or written as */
    uint8_t sreg;   /* enum sreg */
    bool negate;    /* of a predicate */
    int32_t reg;
    int32_t upper;          /* where the upper half of a register of 128 bits is; -1: it has none */
    uint64_t mask;          /* ones in the bits of the type */
    uint64_t register_mask; /* ones in the bits of the declared register */
    uint64_t value;
    int element_count;
    struct oracle_operand *element;
};

/* Executes an instruction for one thread. */
typedef void oracle_fn(struct oracle_thread *t, const struct oracle_insn *x);

struct oracle_insn {
    oracle_fn *run;
    uint16_t op;
    uint8_t type;  /* enum type: the first type suffix */
    uint8_t space; /* enum mod: the space of a memory access; MOD_NONE: addresses are generic */
    bool guard_negate;
    int32_t guard;                                   /* register of the guard predicate; -1: none */
    struct oracle_operand operand[PTX_MAX_OPERANDS]; /* in the order of the row of ops.def */
    const struct ptx_instruction *origin;
    const struct oracle_function *function;
    const char *complaint; /* why the instruction cannot be executed; NULL: it can, else `run` is oracle_unsupported */
};

struct oracle_function {
    const struct ptx_function *source;
    int insn_count;
    struct oracle_insn *insns; /* NULL if the kernel does not reach the function */
    uint32_t frame_bytes;
    int register_slots; /* numbers that hold the registers of one call */
};

/* What a thread needs to return to its caller. */
struct oracle_frame {
    const struct oracle_function *function;
    int pc;
    uint32_t base;      /* start of the caller's frame in local memory */
    uint32_t top;       /* end of what the caller has on the stack */
    int first_register; /* index, in the thread's `registers`, of the caller's first register */
    const struct oracle_insn *call;
};

enum oracle_state {
    THREAD_READY,
    THREAD_AT_BARRIER,    /* waits at the block barrier `barrier` */
    THREAD_AT_RENDEZVOUS, /* waits until the threads of `mask` are at an equal operation */
    THREAD_AT_CLUSTER,    /* waits at the barrier of the cluster */
    THREAD_GATHERING, /* at a warp-level operation without .sync; the threads that take part are collected (warp.c) */
    THREAD_ENDED
};

struct oracle_thread {
    struct oracle *oracle;
    uint32_t id[3]; /* %tid */
    int row, lane;
    enum oracle_state state;
    int64_t budget; /* instructions left in the quantum */
    int pc;
    const struct oracle_function *function;
    uint32_t base;                /* start of the current frame in local memory */
    uint32_t top;                 /* the stack pointer: end of the frame and of what alloca took */
    uint64_t *reg;                /* registers of the current call: points into `registers` */
    bool carry;                   /* CC.CF */
    bool has_arrived;             /* at the cluster's barrier, in its current phase */
    const struct oracle_insn *at; /* the instruction that the thread waits at */
    uint32_t mask;                /* member mask, while THREAD_AT_RENDEZVOUS */
    unsigned barrier;             /* barrier number, while THREAD_AT_BARRIER */
    struct oracle_frame *frames;  /* one per active caller */
    int depth, frame_capacity;
    uint64_t *registers; /* of all active calls */
    int first_register, register_capacity;
    uint8_t *local;      /* local memory: points into the block's `local` */
    uint32_t local_used; /* bytes that were accessed, and must be cleared for the next block */
};

/* Named barriers, and behind them one for each warpgroup. */
enum { ORACLE_BARRIERS = LAUNCH_MAX_BARRIERS + ORACLE_MAX_ROWS / 4 };

struct oracle_barrier {
    bool is_active; /* a thread has arrived since the barrier last opened */
    bool is_group;  /* of the warpgroup `group` */
    int group;
    uint8_t kind;                      /* enum oracle_barrier_kind (barrier.c): a plain barrier, or a reduction */
    uint32_t count;                    /* threads that open the barrier; 0: all of the block */
    uint32_t arrived[ORACLE_MAX_ROWS]; /* lanes, by row */
    const struct oracle_insn *aligned[ORACLE_MAX_ROWS]; /* by row: the first .aligned instruction of its threads */
    const struct oracle_insn *torn;   /* an .aligned instruction other than the first of its row; NULL: none */
    int torn_thread;                  /* the thread that arrived at `torn` */
    uint32_t true_count, voter_count; /* of a reduction: arrived threads with a true predicate; all arrived threads */
};

struct oracle_block {
    uint32_t id[3];  /* %ctaid */
    uint64_t linear; /* index in the grid */
    uint64_t rank;   /* in the cluster */
    int thread_count, row_count, live_count;
    uint32_t live[ORACLE_MAX_ROWS]; /* lanes whose thread has not ended, by row */
    struct oracle_thread *threads;
    uint8_t *shared;
    uint8_t *local; /* local memory of all threads */
    struct oracle_barrier barrier[ORACLE_BARRIERS];
};

/* The barrier of a cluster. */
struct oracle_cluster {
    uint64_t live;    /* threads that have not ended */
    uint64_t arrived; /* of these, in the current phase */
};

struct oracle {
    const struct launch *launch;
    const struct image *image;
    struct memory *memory;
    struct layout *layout;
    struct arena arena;
    struct oracle_function *functions; /* by the function's index in the module */
    struct launch_result *result;
    struct fault *fault;                /* the result's */
    uint64_t executed, limit;           /* thread instructions */
    uint32_t stack_bytes, shared_bytes; /* local memory per thread; shared memory per block */
    uint64_t parameter_address; /* generic address of a copy of the parameters, for cvta.param; 0: none is needed */
    struct fault assertion;     /* the first assertion that failed; its launch goes on for a while */
    uint64_t workspace;         /* generic address of a cooperative launch's workspace; else 0 */
    struct allocation recent;   /* the allocation accessed last; valid if has_recent and the generation is unchanged */
    uint64_t recent_generation; /* memory->generation when `recent` was found */
    bool has_recent;
    struct oracle_block block;      /* the block at work */
    struct oracle_cluster *cluster; /* of the block at work */
    struct oracle_block *peers;     /* the blocks of its cluster, by rank; NULL: it is alone */
    int peer_count;
};

/* decode.c */
void oracle_decode(struct oracle *o);

/* oracle.c */
enum { ORACLE_QUANTUM = 2000 };
/* Runs a ready thread until it waits, ends, or has executed `quantum` instructions. */
void oracle_run(struct oracle_thread *t, int64_t quantum);
void oracle_end_thread(struct oracle_thread *t);

/* fault.c. Only the first fault of a launch is kept. */
void oracle_fault(struct oracle_thread *t, const struct oracle_insn *x, enum fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void oracle_fault_access(struct oracle_thread *t, const struct oracle_insn *x, enum fault_kind kind, enum mod space,
                         uint64_t address, uint32_t bytes, bool is_write);
void oracle_fault_deadlock(struct oracle *o);
void oracle_place(const struct oracle_insn *x, uint64_t address, struct launch_place *place);
void oracle_unsupported(struct oracle_thread *t, const struct oracle_insn *x);

/* sreg.c */
uint64_t oracle_sreg(const struct oracle_thread *t, enum sreg sreg);

/* memory.c. Host pointer to guest bytes; NULL if they do not exist or may not be written. If `check` is not NULL, such
 * an access, and a misaligned one, is recorded as a fault of that instruction. `space` MOD_NONE: the address is
 * generic. */
void *oracle_reach(struct oracle_thread *t, const struct oracle_insn *check, enum mod space, uint64_t address,
                   uint32_t bytes, bool is_write);
/* The address that a memory operand stands for, in the instruction's space. */
uint64_t oracle_address(const struct oracle_thread *t, const struct oracle_operand *m);
uint64_t oracle_load(const void *host, unsigned bytes);
void oracle_store(void *host, uint64_t value, unsigned bytes);

/* number.c: exact numbers, and their floating-point formats. */
struct oracle_number {
    enum { NUMBER_ZERO, NUMBER_FINITE, NUMBER_INFINITE, NUMBER_NAN } kind;
    bool negative;
    uint64_t mantissa; /* the value is mantissa * 2^exponent */
    int exponent;
};

struct oracle_number oracle_number_decode(enum type type, uint64_t bits);
struct oracle_number oracle_number_from_integer(enum type type, uint64_t value); /* `value` is extended to 64 bits */
uint64_t oracle_number_encode(enum type type, struct oracle_number n, enum mod rounding);
/* Rounds to an integer by .rni, .rzi, .rmi or .rpi. */
struct oracle_number oracle_number_round(struct oracle_number n, enum mod rounding);

/* float.c */
float oracle_flush32(float x); /* a subnormal becomes a zero of the same sign */
uint64_t oracle_nan(enum type type);
float oracle_add_f32(float a, float b);
uint64_t oracle_fma64(uint64_t a, uint64_t b, uint64_t c, enum mod rounding); /* MOD_NONE: to nearest */

/* Threads that take part in a warp-level operation. Each has its own instruction, `at`, whose operands are read and
 * written for that thread. */
struct oracle_party {
    struct oracle_thread *member[ORACLE_LANES]; /* by lane; NULL: the lane takes no part */
    uint32_t mask;                              /* lanes that take part */
};

/* matrix.c: executes a matrix instruction. */
void oracle_matrix(const struct oracle_party *p, const struct oracle_insn *x);

/* tensor.c: one element of a product of matrices. */
enum { ORACLE_MAX_DEPTH = 256, ORACLE_KEPT_BITS = 25, ORACLE_KEPT_BITS_F8 = 13 };
uint64_t oracle_tensor_dot(enum type a_type, const uint64_t *a, enum type b_type, const uint64_t *b, int count,
                           enum type c_type, uint64_t c, int kept_bits, enum type d_type);
uint64_t oracle_tensor_narrow(enum type a_type, const uint64_t *a, enum type b_type, const uint64_t *b, int count,
                              uint64_t c, enum type type);
uint64_t oracle_tensor_quad(const uint64_t *a, const uint64_t *b, enum type c_type, uint64_t c, enum type d_type);
uint64_t oracle_tensor_to_half(uint64_t single);

/* half.c: numbers of half precision; `type` is F16 or BF16. */
uint64_t oracle_half_add(enum type type, uint64_t a, uint64_t b);
uint64_t oracle_half_choose(enum type type, uint64_t a, uint64_t b, bool smaller);
double oracle_half_value(enum type type, uint64_t bits, bool flushed);

/* special.c: the approximate functions of one operand, and division. */
float oracle_special(enum op op, bool ftz, float a);
float oracle_divide_approximately(bool is_full, bool ftz, float a, float b);
/* rcp and rsqrt .approx.ftz.f64 */
uint64_t oracle_special_upper(bool is_root, uint64_t bits);

/* warp.c */
void oracle_rendezvous_check(struct oracle *o, int row); /* to be called after a thread of the row arrived or ended */
/* Collects the threads that execute a warp-level operation without .sync together with the thread, and executes it. */
void oracle_gather(struct oracle_thread *t);

/* barrier.c */
void oracle_barrier_check_all(struct oracle *o); /* to be called after a thread ended */

/* cluster.c: to be called after a thread arrived or ended */
void oracle_cluster_check(struct oracle *o);

/* mbarrier.c: an mbarrier in shared memory counts bytes that were copied. False after a fault. */
bool oracle_mbarrier_complete(struct oracle_thread *t, const struct oracle_insn *x, uint64_t address, uint32_t bytes);

/* async.c: oracle_reach() of bytes that need not be a power of two. */
void *oracle_reach_aligned(struct oracle_thread *t, const struct oracle_insn *x, enum mod space, uint64_t address,
                           uint32_t bytes, uint32_t align, bool is_write);
/* Combines elements by the instruction's operation. */
void oracle_combine_elements(const struct oracle_insn *x, enum type type, uint8_t *to, const uint8_t *from,
                             uint32_t bytes, bool in_global);

/* atomic.c: the new value of a word of memory. False: the type has no such operation. */
bool oracle_combine(enum mod op, enum type type, uint64_t old, uint64_t b, bool in_global, uint64_t *new);

/* builtin.c: a function that the CUDA run time gives kernels. NULL: there is none of that name. */
oracle_fn *oracle_builtin(const char *name);
/* control.c */
void oracle_return_value(struct oracle_thread *t, const struct oracle_insn *x, int index, uint64_t value);
uint64_t oracle_argument(struct oracle_thread *t, const struct oracle_insn *x, int index);
void oracle_return(struct oracle_thread *t, const struct oracle_insn *x);
uint32_t oracle_frame_end(const struct oracle_thread *t); /* where the static part of the current frame ends */

/* texture.c: the surface of a handle; NULL: there is none. */
const struct surface *oracle_find_surface(const struct oracle_thread *t, uint64_t handle);

/* Each function executes one family of instructions. */
oracle_fn oracle_integer, oracle_carry, oracle_bits, oracle_logic, oracle_compare, oracle_float, oracle_float_newer,
    oracle_half, oracle_convert, oracle_move, oracle_space, oracle_memory, oracle_atomic, oracle_texture,
    oracle_surface, oracle_control, oracle_call, oracle_barrier, oracle_warp_sync, oracle_warp_old, oracle_async,
    oracle_tensor, oracle_mbarrier, oracle_cluster, oracle_policy, oracle_stack, oracle_nothing, oracle_narrow,
    oracle_video, oracle_packed;

static inline uint64_t oracle_mask(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* The value's low bits, as many as the type has, extended to 64 bits: by the sign if the type is signed, else by
 * zeros. */
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
    case SOURCE_SHARED:
        v = (t->oracle->block.rank << MEMORY_SHARED_SHIFT) + a->value;
        break;
    case SOURCE_SREG:
        v = oracle_sreg(t, (enum sreg)a->sreg);
        break;
    default:
        break;
    }
    return (v & a->mask) ^ a->negate;
}

/* The operand's value, sign-extended if its type is signed. */
static inline uint64_t oracle_read_integer(const struct oracle_thread *t, const struct oracle_operand *a)
{
    return oracle_extend(oracle_read(t, a), (enum type)a->type);
}

/* Truncates the value to the type, then extends it to the register if that is wider. */
static inline void oracle_write(struct oracle_thread *t, const struct oracle_operand *d, uint64_t value)
{
    if (d->source == SOURCE_REGISTER)
        t->reg[d->reg] = oracle_extend(value & d->mask, (enum type)d->type) & d->register_mask;
}

/* The upper halves of values of 128 bits; 0 for narrower registers. */
static inline uint64_t oracle_read_upper(const struct oracle_thread *t, const struct oracle_operand *a)
{
    return a->source == SOURCE_REGISTER && a->upper >= 0 ? t->reg[a->upper] : 0;
}

static inline void oracle_write_upper(struct oracle_thread *t, const struct oracle_operand *d, uint64_t value)
{
    if (d->source == SOURCE_REGISTER && d->upper >= 0)
        t->reg[d->upper] = value;
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
