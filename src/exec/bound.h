/*
 * Bound instructions: the engine's own form of a program, one cache line or two an instruction.
 *
 * An operand is an offset: not negative, into the row's planes; negative, into the code's constants, where
 * immediates and addresses stand spread over 32 lanes. So fetching an operand is one addition, whatever it is.
 */
#ifndef HEDDLE_EXEC_BOUND_H
#define HEDDLE_EXEC_BOUND_H

#include "exec/code.h"
#include "lanes/lanes.h"

/* How the engine executes an instruction. */
enum bound_kind {
    BOUND_LANES, /* a lane handler */
    BOUND_NOTHING,
    BOUND_LOAD,
    BOUND_STORE,
    BOUND_ATOMIC,
    BOUND_TEXTURE,
    BOUND_TO_GENERIC,   /* cvta */
    BOUND_FROM_GENERIC, /* cvta.to */
    BOUND_IS_SPACE,     /* isspacep */
    BOUND_TOGETHER,     /* warp-level operation without .sync: among the threads that happen to be together */
    BOUND_BUILTIN,      /* call of vprintf and the like */
    /* From here on the threads may wait or go elsewhere: control.c. */
    BOUND_YIELD,      /* nanosleep */
    BOUND_RENDEZVOUS, /* warp-level operation that waits for the threads it names */
    BOUND_BARRIER,
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

/* A source that must be made anew for each execution. */
enum prepare { PREPARE_NONE, PREPARE_NEGATE, PREPARE_FRAME, PREPARE_SREG };

enum { OFFSET_NONE = INT32_MIN, BOUND_MAX_OPERANDS = 8, BOUND_SIMPLE_SOURCES = 3 };

struct bound {
    lane_fn *fn;
    uint8_t kind; /* enum bound_kind */
    uint8_t dest_count, source_count;
    bool prepared;  /* a source needs preparation */
    bool is_simple; /* a lane handler that writes its first destination only, of few sources, none prepared */
    bool guard_negate;
    uint8_t space;                         /* enum space */
    uint8_t width;                         /* bytes of one element of a memory operation */
    uint8_t elements;                      /* 1, 2, 4 or 8 */
    bool is_signed;                        /* a load extends the sign */
    bool moves_rows;                       /* a load or store that goes at once where lanes lie side by side */
    uint8_t address_bits;                  /* 32 or 64: width of the address register */
    uint8_t dest_bits[BOUND_MAX_OPERANDS]; /* 1, 16, 32, 64; 0: sunk */
    uint8_t source_bits[BOUND_MAX_OPERANDS];
    uint8_t prepare[BOUND_MAX_OPERANDS]; /* enum prepare, by source */
    int32_t guard;                       /* offset of the plane, or OFFSET_NONE */
    int32_t dest[BOUND_MAX_OPERANDS];    /* offsets; OFFSET_NONE: sunk */
    int32_t source[BOUND_MAX_OPERANDS];  /* offsets; OFFSET_NONE: absent. Memory: the address base is `address` */
    int32_t address;                     /* offset of the base, or OFFSET_NONE for an absolute address */
    int64_t address_offset;
    int32_t target; /* PC; PC_NONE: a call through a pointer, the first source */
    const struct insn *insn;
};

/* The instruction neither branches nor waits: its threads go on at the next PC. */
static inline bool bound_is_straight(const struct bound *in)
{
    return in->kind < BOUND_YIELD;
}

struct code {
    struct program *program;
    const struct image *image;
    struct bound *bound; /* by PC */
    uint8_t *constants;  /* the operand -n is at constants + n */
};

#endif
