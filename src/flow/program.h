/*
 * A program: one kernel and every function it can call, decoded once and read-only from then on.
 *
 * All instructions stand in one array indexed by PC. Registers of the PTX text are allocated to planes by
 * liveness: a plane is 32 lanes of 4 bytes; a 64-bit register takes two planes in a row, which hold 32 lanes
 * of 8 bytes, a 128-bit one four; a 16-bit register takes one plane, whose first half holds 32 lanes of 2
 * bytes; a predicate one plane, each lane 0 or 0xffffffff. Registers share a plane only with others of the same width: threads of a
 * row may be anywhere, and a lane of 8 bytes stands where two other lanes of 4 bytes would. Functions that
 * cannot be active together share planes. A call that may re-enter its own function (recursion) carries the
 * planes to save across it.
 *
 * What is not here: addresses (device/image.h) and handlers (exec/code.h), which are bound when a module is
 * loaded; and anything about time.
 */
#ifndef HEDDLE_FLOW_PROGRAM_H
#define HEDDLE_FLOW_PROGRAM_H

#include "base/text.h"
#include "flow/layout.h"
#include "ptx/module.h"

enum { PC_NONE = -1 }; /* "no such instruction"; as a reconvergence point: only where the function ends */

enum ref_kind {
    REF_NONE,
    REF_PLANE,     /* register: plane */
    REF_IMMEDIATE, /* bits, truncated to the type */
    REF_SREG,      /* special register that must be read anew (%clock); the fixed ones are planes */
    REF_VARIABLE,  /* address of a global or const variable: variable + offset, in its own space */
    REF_SHARED,    /* offset in the block's shared memory */
    REF_LOCAL,     /* the thread's frame pointer + offset, in local space (also .param of functions) */
    REF_PARAM,     /* offset in the kernel's parameter block */
    REF_FUNCTION,  /* address of a function */
    REF_SINK       /* `_`: written to nowhere, or read as nothing */
};

struct ref {
    uint8_t kind; /* enum ref_kind */
    uint8_t type; /* enum type the instruction treats it as */
    uint8_t bits; /* REF_PLANE: declared width: 1 (predicate), 16, 32 or 64; may exceed the type's (ld, st,
                     cvt), and differ from it for special registers (mov.u16 of %tid.x) */
    bool negate;  /* a predicate read as its opposite */
    uint8_t sreg;
    int32_t plane;
    int64_t offset; /* REF_VARIABLE, _SHARED, _LOCAL, _PARAM; and, for the address of a memory operation, what
                       is added to the register */
    uint64_t immediate;
    const struct ptx_variable *variable;
    const struct ptx_function *function;
};

enum insn_flag {
    INSN_LEADER = 1,       /* first of a basic block */
    INSN_CONTROL = 2,      /* may change the PC other than to the next: bra, brx, call, ret, exit, trap */
    INSN_MEMORY = 4,       /* has an address operand */
    INSN_READS_CARRY = 8,  /* the carry is an operand: last source, a predicate */
    INSN_WRITES_CARRY = 16 /* last destination */
};

/*
 * Operands stand in the row's order with vectors flattened: all registers written first (`dest`), then all
 * that is read (`source`). The address of a memory operation is the source `address` (its base; `offset` is
 * added; an absolute address is a REF_IMMEDIATE). A call's are the registers that it passes directly, which
 * its struct call names too; before them, of a call through a pointer, the pointer. An optional operand that
 * is absent is REF_NONE, so that positions are fixed per row.
 */
struct insn {
    uint16_t op;
    uint8_t class; /* enum op_class */
    uint8_t flags; /* enum insn_flag */
    bool guard_negate;
    uint8_t dest_count, source_count;
    int8_t address; /* index into source, or -1 */
    int32_t guard;  /* plane of the guard predicate, or -1 */
    struct suffixes suffixes;
    struct ref *dest, *source;
    int32_t target;   /* bra, call: PC; PC_NONE for a call of a built-in function (vprintf) or by a pointer */
    int32_t branch;   /* index into the program's branches (see there), or -1 */
    int32_t call;     /* index into the program's calls, or -1 */
    int32_t block;    /* basic block */
    int32_t function; /* index into the program's functions */
    int32_t line;     /* in the PTX text */
    int32_t location; /* source line, or -1 */
    const struct ptx_instruction *origin; /* as parsed, for messages; NULL for inserted ones */
};

/* A branch that could go more than one way: guarded bra, brx. (Guarded ret and exit end threads; they are
 * listed too, with one target. So is a guarded call of a function that has a body: its targets are the callee
 * and the next PC, and its ipdom is the next PC. So is every call through a pointer: its targets are all
 * functions it may come to, and the next PC if it is guarded.) */
struct branch {
    int32_t pc;
    int target_count;
    int32_t *target; /* distinct PCs, in order of the list; a guarded bra: taken target, then the next */
    int table_count;
    int32_t *table;        /* brx: PCs by index, as in the list; NULL for others */
    int32_t ipdom;         /* first PC of the block where threads that part here, and live on, meet: the immediate
                            post-dominator, or a block before it where sides can end (flow/reconvergence.c) or that
                            lies behind a barrier (flow/barrier_reconvergence.c); PC_NONE: the function's exit */
    int32_t likely;        /* likely-convergence point: the closest enclosing backward branch's PC; PC_NONE */
    bool uniform;          /* proved: all threads of a block that execute it together go the same way */
    bool partial;          /* a branch that is not uniform may keep threads of the block away from this one */
    bool promised_uniform; /* .uni: the text promises it for the warp */
    bool backward;         /* a target is at or before the branch */
    int loop_depth;
};

struct call {
    int32_t pc;
    int32_t callee;                     /* index into the program's functions; -1 for a built-in or a pointer */
    const struct ptx_function *builtin; /* vprintf, __assertfail, malloc, free; NULL otherwise */
    int candidate_count;
    int32_t *candidates; /* functions that it may enter: the callee; of a pointer, none or more */
    int argument_count, return_count;
    struct call_copy { /* bytes to copy between the caller's frame and the callee's */
        int64_t caller_offset, callee_offset;
        uint32_t bytes;
        struct ref value; /* register or immediate passed directly (old style), else REF_NONE */
    } * argument, *result;
    bool recursive; /* a candidate may reach this function again */
    int save_count; /* registers live across the call, to save if it is recursive */
    struct call_save {
        int32_t plane;
        uint8_t bits; /* 1 (predicate), 16, 32 or 64 */
    } * save;
};

struct flow_loop {
    int32_t header;   /* block */
    int parent;       /* loop around it, or -1 */
    int depth;        /* outermost: 1 */
    bool irreducible; /* control can come in elsewhere than at the header */
    int block_count;
    int32_t *blocks;
};

struct flow_block {
    int32_t first, last; /* PCs, both included */
    int function;
    int successor_count, predecessor_count;
    int32_t *successors, *predecessors; /* blocks; a call's successor is the instruction behind it */
    int32_t dominator, post_dominator;  /* immediate; -1: none, or the function's exit */
    int loop;                           /* innermost, or -1 */
    bool reachable;
    const char *label; /* the first that stands before it, or NULL */
    const char *name;  /* a letter, perhaps with a number: short, and no other block's; see name.c */
};

/* Widths of registers as planes know them; a predicate is as wide as 32 bits. */
enum plane_width { WIDTH_32, WIDTH_64, WIDTH_16, WIDTH_128, WIDTH_COUNT };

struct program_function {
    const struct ptx_function *source;
    int32_t first, last; /* PCs */
    uint32_t frame_bytes;
    bool recursive;
    int first_block, block_count;
    int first_plane[WIDTH_COUNT], plane_count[WIDTH_COUNT]; /* planes the function's own registers use */
    int live_registers;                                     /* most 32-bit registers live at once in it */
};

static inline int program_planes(const struct program_function *f) /* of all widths together */
{
    int planes = 0;
    for (int w = 0; w < WIDTH_COUNT; w++)
        planes += f->plane_count[w];
    return planes;
}

struct program {
    struct arena arena;
    const struct ptx_function *kernel;
    struct layout *layout; /* owned */
    int insn_count, function_count, block_count, loop_count, branch_count, call_count;
    struct insn *insns;
    struct program_function *functions; /* the kernel is 0 */
    struct flow_block *blocks;
    struct flow_loop *loops;
    struct branch *branches;
    struct branch
        *plain_branches; /* the same, with plain post-dominators as reconvergence points; see program_plain() */
    struct call *calls;
    int plane_count;                /* planes a row needs in all, those of special registers too */
    int32_t sreg_plane[SREG_COUNT]; /* where a fixed special register is kept, or -1 if it is not used */
    int register_count;             /* 32-bit registers a thread needs, for occupancy */
    uint32_t stack_bytes;           /* deepest local stack without recursion */
    bool has_recursion;
    uint64_t hash; /* of the decoded instructions: names the program in results */
};

/* NULL and an error text (freed by the caller) if the kernel holds an instruction that is not supported,
 * or calls an undefined function. */
struct program *program_create(const struct ptx_function *kernel, char **error);
void program_destroy(struct program *program);

/* The program as compilers see it that know of post-dominators alone: its branches meet at the immediate post-dominator,
 * and nowhere if that is the exit. It shares all else, and is not destroyed. */
struct program program_plain(const struct program *program);

/* "file.cu:12" or "line 40 of the PTX"; into `buffer`. */
const char *program_where(const struct program *program, int32_t pc, char *buffer, size_t size);
/* "G", or "G+2" within the block: by the blocks' short names, as in traces. */
void program_print_pc(const struct program *program, int32_t pc, struct text *out);

#endif
