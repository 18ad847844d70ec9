/*
 * Bound instructions: the form of a program that the engine executes. Only binding (code.c) writes them.
 *
 * An operand is a byte offset: into the row's planes if it is not negative, into the code's constants if it is
 * negative. Immediates and addresses stand in the constants as planes, with the value in all 32 lanes. So fetching any
 * operand is one addition to one of two pointers.
 */
#ifndef HEDDLE_EXEC_BOUND_H
#define HEDDLE_EXEC_BOUND_H

#include "exec/code.h"
#include "lanes/lanes.h"

/* How the engine executes an instruction. */
enum bound_kind {
    BOUND_LANES,   /* a lane handler computes it: lanes/ */
    BOUND_CLOCK,   /* a lane handler computes it from a clock, so engine.now must be right */
    BOUND_NOTHING, /* no effect on values: fences, prefetches */
    BOUND_LOAD,
    BOUND_STORE,
    BOUND_ATOMIC,
    BOUND_TEXTURE,
    BOUND_SURFACE,
    BOUND_QUERY,           /* txq, suq, istypep */
    BOUND_ASYNC,           /* asynchronous copy; its operands are not bound, but read as the program has them */
    BOUND_MBARRIER,        /* operation on an mbarrier */
    BOUND_CLUSTER_ADDRESS, /* mapa, getctarank */
    BOUND_TO_GENERIC,      /* cvta */
    BOUND_FROM_GENERIC,    /* cvta.to */
    BOUND_IS_SPACE,        /* isspacep */
    BOUND_POLICY,          /* createpolicy */
    BOUND_STACK,           /* alloca, stacksave, stackrestore */
    BOUND_FILL,            /* st.bulk */
    BOUND_TOGETHER,        /* warp-level operation without .sync, among the threads that execute it together */
    BOUND_BUILTIN,         /* call of a function that the run time gives: vprintf, malloc, ... */
    /* The kinds that follow may leave threads waiting, ended, or at different PCs: control.c. */
    BOUND_YIELD,      /* nanosleep */
    BOUND_RENDEZVOUS, /* warp-level operation with .sync: waits for the threads of its member mask */
    BOUND_BARRIER,
    BOUND_CLUSTER, /* barrier.cluster */
    BOUND_BRANCH,
    BOUND_INDEXED, /* brx.idx */
    BOUND_CALL,
    BOUND_RETURN,
    BOUND_EXIT,
    BOUND_TRAP
};

/* Where a memory operation's address points. */
enum space { IN_GENERIC, IN_GLOBAL, IN_SHARED, IN_LOCAL, IN_CONSTANT, IN_PARAMETER };

extern const char *const space_text[];

/* How a source is computed into a scratch plane, if it must be computed anew at each execution. */
enum prepare { PREPARE_NONE, PREPARE_NEGATE, PREPARE_FRAME, PREPARE_SREG, PREPARE_SHARED };

/* What the functional engine looks at before and after the instruction; several may hold. */
enum bound_order {
    ORDER_POLL = 1,   /* may be how a thread waits for another: an atomic, or a load that may not be cached (poll.h) */
    ORDER_BLOCKS = 2, /* blocks may agree on an order by it: such an access to global memory, or a fence (writers.h) */
    ORDER_TURN = 4    /* it matters, or has to be noted, that blocks execute it before their turn (draft.h) */
};

/* How the rows of a load, a store or an atomic find their memory in one step (access.c). */
enum bound_reach {
    REACH_LANES,       /* they do not: local memory, and what is rare */
    REACH_FIXED,       /* a load from the same place for all lanes, in parameters or constants */
    REACH_SHARED_WORD, /* a load of a word of shared memory, at a register of 32 bits, into such a register */
    REACH_NARROW,      /* a register of 32 bits */
    REACH_WIDE         /* a register of 64 bits */
};

/* What the offset of an operand is added to, to find one lane of it: the constants, whose lanes are all alike, or the
 * row's planes and the lane's place in an operand of so many bytes per lane. */
enum bound_base { BASE_CONSTANTS, BASE_LANES_1, BASE_LANES_2, BASE_LANES_4, BASE_LANES_8, BASE_LANES_16, BASE_COUNT };

struct settled;

enum { OFFSET_NONE = INT32_MIN, BOUND_MAX_OPERANDS = 8, BOUND_SIMPLE_SOURCES = 3 };

struct bound {
    lane_fn *fn;  /* the lane handler of BOUND_LANES */
    uint8_t kind; /* enum bound_kind */
    uint8_t dest_count, source_count;
    bool prepared;  /* some source has a prepare other than PREPARE_NONE */
    bool is_simple; /* BOUND_LANES with at most 3 sources, none prepared, and only the first destination written */
    bool is_double; /* with is_simple: arithmetic of doubles */
    /* Instructions from this one on that have no guard and are simple or, in settled code, loads that access_row() may
     * execute; 255: so many or more. */
    uint8_t stretch;
    bool is_passed; /* it is passed over, and so are all of its stretch (settled.h) */
    bool guard_negate;
    uint8_t space;        /* enum space */
    uint8_t width;        /* bytes of one element of a memory access */
    uint8_t elements;     /* elements per lane of a memory access: 1, 2, 4 or 8 */
    bool is_signed;       /* the load sign-extends */
    bool moves_rows;      /* a load or store whose rows can be moved as one block if the lanes are side by side */
    uint8_t reach;        /* enum bound_reach */
    bool is_shared_word;  /* a load as REACH_SHARED_WORD says, or a store like it */
    bool is_plain;        /* a store of whole words without .volatile and without a memory order: writers.h */
    uint8_t order;        /* enum bound_order: how threads may wait by the instruction; 0: they do not */
    uint8_t address_bits; /* width of the address register: 32 or 64 */
    int32_t guard;        /* offset of the guard predicate, or OFFSET_NONE */
    int32_t source[BOUND_MAX_OPERANDS];    /* offsets, a memory address not among them; OFFSET_NONE: absent */
    int32_t dest[BOUND_MAX_OPERANDS];      /* offsets; OFFSET_NONE: sunk */
    uint8_t dest_bits[BOUND_MAX_OPERANDS]; /* width of the destination: 1, 16, 32, 64; 0: sunk (`_`) */
    uint8_t source_bits[BOUND_MAX_OPERANDS];
    uint8_t prepare[BOUND_MAX_OPERANDS]; /* enum prepare, by source */
    /* Offset of the address register, or OFFSET_NONE: the address is address_offset alone. Of a texture fetch: index
     * into code->more of the sources that `source` has no room for. */
    int32_t address;
    int64_t address_offset; /* bytes added to the address register */
    int32_t target;         /* PC of a branch or call; PC_NONE: a call through the pointer in the first source */
    const struct insn *insn;
};

/* What one lane of a simple instruction by itself takes, for the backlogs of single threads: half a cache line of the
 * host, where the whole struct bound has several. */
struct bound_single {
    lane_fn *fn;   /* the handler of one lane; NULL: there is none */
    int32_t guard; /* offset of the guard predicate, plus 1 if it is negated; OFFSET_NONE: there is none */
    int32_t source[BOUND_SIMPLE_SOURCES], dest;           /* offsets */
    uint8_t source_base[BOUND_SIMPLE_SOURCES], dest_base; /* enum bound_base */
};
_Static_assert(sizeof(struct bound_single) == 32, "none begins in one cache line and ends in another");

/* The instruction neither branches nor waits: its threads go on at the next PC. */
static inline bool bound_is_straight(const struct bound *in)
{
    return in->kind < BOUND_YIELD;
}

/* What launches leave with a code for others to come: what another room keeps (see code_keep()), and settled.h. */
struct code_kept {
    void *made;
    void (*destroy)(void *made);
    struct settled *settled; /* NULL before the first launch that needs it */
};

struct code {
    struct program *program; /* owned */
    struct code_kept *kept;  /* owned */
    const struct image *image;
    struct bound *bound;         /* by PC */
    struct bound_single *single; /* by PC */
    uint8_t *constants;          /* the operand with offset -n is at constants - n */
    uint8_t *planes;             /* owned: all constants, of which `constants` is the last */
    bool uses_clusters;          /* the kernel can tell that its blocks form clusters */
    int32_t *more;               /* offsets of sources of texture fetches behind the first BOUND_MAX_OPERANDS */
};

/* Where an operand stands, by its offset. */
static inline const uint8_t *bound_operand(const uint8_t *planes, const uint8_t *constants, int64_t offset)
{
    return (offset >= 0 ? planes : constants) + offset;
}

#endif
