/*
 * A program: one kernel and every function it can call, decoded once and read-only from then on.
 *
 * All instructions stand in one array indexed by PC. Registers of the PTX text are allocated to planes by liveness. A
 * plane is 32 lanes of 4 bytes. A 64-bit register takes two adjacent planes, which hold 32 lanes of 8 bytes; a 128-bit
 * register takes four. A 16-bit register takes one plane, whose first half holds 32 lanes of 2 bytes. A predicate takes
 * one plane, each lane 0 or 0xffffffff. Registers share a plane only with registers of the same width: threads of a row
 * may be at different PCs, and one lane of 8 bytes overlaps two lanes of 4 bytes. Functions that cannot be active
 * together share planes. A call that may re-enter its own function (recursion) lists the planes to save across it.
 *
 * Not here: addresses (device/image.h) and handlers (exec/code.h), which are bound when a module is loaded; and
 * anything about time.
 */
#ifndef HEDDLE_FLOW_PROGRAM_H
#define HEDDLE_FLOW_PROGRAM_H

#include "base/text.h"
#include "flow/layout.h"
#include "ptx/place.h"

enum { PROGRAM_COPY_REGISTERS = 8 }; /* registers of a function that stand for copies under way (flow/decode.c) */
enum { PC_NONE = -1 };               /* no such instruction; as a reconvergence point: the function's exit */

enum ref_kind {
    REF_NONE,
    REF_PLANE,     /* a register: its plane */
    REF_IMMEDIATE, /* a constant, truncated to the type */
    REF_SREG,      /* a special register that changes (%clock); those that do not are planes */
    REF_VARIABLE,  /* address of a global or const variable, plus offset, in the variable's own space */
    REF_SHARED,    /* offset in the block's shared memory */
    REF_LOCAL,     /* the thread's frame pointer plus offset, in local space (also .param of functions) */
    REF_PARAM,     /* offset in the kernel's parameter block */
    REF_FUNCTION,  /* address of a function */
    REF_SINK       /* `_`: what is written is discarded */
};

struct ref {
    uint8_t kind; /* enum ref_kind */
    uint8_t type; /* enum type that the instruction treats the operand as */
    uint8_t
        bits; /* REF_PLANE: declared width, 1 (predicate), 16, 32, 64 or 128; may exceed the type's (ld, st, cvt), and
                     differ from it for special registers (mov.u16 of %tid.x) */
    bool negate;     /* the predicate, or the operand of vmad, is read negated */
    uint8_t sreg;    /* REF_SREG: enum sreg */
    uint16_t select; /* selector of a video instruction's operand (ops.h); 0: none */
    int32_t plane;
    int64_t offset; /* REF_VARIABLE, _SHARED, _LOCAL, _PARAM: within the space; of an address: added to the register */
    uint64_t immediate;
    const struct ptx_variable *variable;
    const struct ptx_function *function;
};

enum insn_flag {
    INSN_LEADER = 1,        /* first instruction of a basic block */
    INSN_CONTROL = 2,       /* may continue elsewhere than at the next PC: bra, brx, call, ret, exit, trap */
    INSN_MEMORY = 4,        /* has an address operand */
    INSN_READS_CARRY = 8,   /* the last source is the carry flag, a predicate */
    INSN_WRITES_CARRY = 16, /* the last destination is the carry flag */
    INSN_POLICY = 32,       /* the last source is a cache policy, which has no effect on values */
    INSN_SAMPLER = 64       /* the source behind the coordinates of a texture fetch is a sampler */
};

/*
 * Operands stand in the order of the instruction table's row, with vectors flattened: first all registers that are
 * written (`dest`), then everything that is read (`source`). The address of a memory operation is source[address]: its
 * base, to which `offset` is added; an absolute address is a REF_IMMEDIATE. The operands of a call are the pointer, if
 * there is one, and the registers that the call passes directly, which struct call names too. An optional operand that
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
    int32_t target;   /* bra, call: PC; PC_NONE for a call of a built-in function (vprintf) or through a pointer */
    int32_t branch;   /* index into the program's branches, or -1 */
    int32_t call;     /* index into the program's calls, or -1 */
    int32_t block;    /* basic block */
    int32_t function; /* index into the program's functions */
    int32_t line;     /* line number in the PTX text */
    int32_t location; /* index into the module's source locations, or -1 */
    const struct ptx_instruction *origin; /* as parsed; NULL for an instruction that decoding inserted */
};

/*
 * A control instruction after which threads may continue at different PCs: a guarded bra, a brx. Also listed are
 * guarded ret and exit, which end threads, with the next PC as their one target; a guarded call of a function that has
 * a body, whose targets are the callee and the next PC; and every call through a pointer, whose targets are all
 * functions that it may enter, and the next PC if it is guarded. The reconvergence point of calls is the next PC.
 */
struct branch {
    int32_t pc;
    int target_count;
    int32_t *target; /* distinct PCs; of a guarded bra: the taken target, then the next PC */
    int table_count;
    int32_t *table; /* brx: PC by index, as in the list of labels; NULL for others */
    /* First PC of the block where the threads that diverge here, and do not exit, reconverge: the immediate
     * post-dominator; or an earlier block, if a side can exit (flow/reconvergence.c) or if the post-dominator lies
     * behind a barrier (flow/barrier_reconvergence.c). PC_NONE: the function's exit. */
    int32_t ipdom;
    int32_t likely;        /* likely-convergence point: PC of the closest enclosing backward branch; PC_NONE: none */
    bool uniform;          /* proved: all threads of a block that execute the branch together take the same side */
    bool partial;          /* another branch, not uniform, may keep threads of the block away from this branch */
    bool promised_uniform; /* .uni: the text promises that the threads of a warp take the same side */
    bool backward;         /* a target is at or before the branch */
    int loop_depth;        /* number of loops around the branch */
};

struct call {
    int32_t pc;
    int32_t callee;                     /* index into the program's functions; -1 for a built-in or a pointer */
    const struct ptx_function *builtin; /* vprintf, __assertfail, malloc, free; NULL otherwise */
    int candidate_count;
    int32_t *candidates; /* functions that the call may enter: the callee; through a pointer, any number */
    int argument_count, return_count;
    struct call_copy { /* an argument or result to copy between the caller's frame and the callee's */
        int64_t caller_offset, callee_offset;
        uint32_t bytes;
        struct ref value; /* register or immediate that is passed directly (in old code), else REF_NONE */
    } * argument, *result;
    bool recursive; /* a candidate may call this function again, perhaps through others */
    int save_count;
    struct call_save { /* a register that is live across a recursive call, which must save it */
        int32_t plane;
        uint8_t bits; /* 1 (predicate), 16, 32, 64 or 128 */
    } * save;
};

struct flow_loop {
    int32_t header;   /* block */
    int parent;       /* next loop out, or -1 */
    int depth;        /* outermost: 1 */
    bool irreducible; /* control can enter elsewhere than at the header */
    int block_count;
    int32_t *blocks;
};

struct flow_block {
    int32_t first, last; /* PCs, both included */
    int function;
    int successor_count, predecessor_count;
    int32_t *successors, *predecessors; /* blocks; a call leads to the block behind it, not to the callee */
    int32_t dominator, post_dominator;  /* immediate; -1: none, or the function's exit */
    int loop;                           /* innermost loop around the block, or -1 */
    bool reachable;                     /* from the function's entry */
    const char *label;                  /* first label at the block's start, or NULL */
    const char *name;                   /* short and unique: a letter, perhaps with a number; see name.c */
};

/* Widths of registers in planes; a predicate takes 32 bits. */
enum plane_width { WIDTH_32, WIDTH_64, WIDTH_16, WIDTH_128, WIDTH_COUNT };

struct program_function {
    const struct ptx_function *source;
    int32_t first, last;  /* PCs, both included */
    uint32_t frame_bytes; /* of the function's frame on the local stack */
    bool recursive;       /* the function can call itself, perhaps through others */
    int first_block, block_count;
    int first_plane[WIDTH_COUNT], plane_count[WIDTH_COUNT]; /* planes of the function's own registers */
    int live_registers;                                     /* most 32-bit registers that are live at once */
};

/* Planes of the function's registers, of all widths together. */
static inline int program_planes(const struct program_function *f)
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
    struct program_function *functions; /* function 0 is the kernel */
    struct flow_block *blocks;
    struct flow_loop *loops;
    struct branch *branches;
    struct branch *plain_branches; /* reconverge at immediate post-dominators; see program_plain() */
    struct call *calls;
    int plane_count;                /* planes that a row needs, including those of special registers */
    int settled_planes;             /* planes behind these that the functional engine adds (exec/settled.h); else 0 */
    int32_t sreg_plane[SREG_COUNT]; /* plane of a special register that does not change; -1: not used */
    int register_count;             /* 32-bit registers that a thread needs, for occupancy */
    uint32_t stack_bytes;           /* deepest local stack of a thread, without recursion */
    bool has_recursion;             /* some function is recursive */
    bool has_alloca;                /* some function takes stack at run time */
    uint64_t hash;                  /* of the decoded instructions; results name the program by its hash */
};

/* NULL and an error text (freed by the caller) if the kernel cannot be decoded: it holds an instruction that is not
 * supported, calls an undefined function, or needs more memory than any machine has. */
struct program *program_create(const struct ptx_function *kernel, char **error);
void program_destroy(struct program *program);

/* The program with every branch's immediate post-dominator as its reconvergence point (PC_NONE if that is the exit), as
 * compilers see it that know post-dominators alone. The copy shares everything else, and is not destroyed. */
struct program program_plain(const struct program *program);

/* The place of an instruction, and its name: "kernel.cu:12", or "PTX line 40" without a line table. The second name has
 * the line of the PTX text beside that of the source: "kernel.cu:12 (PTX line 40)". */
struct ptx_place program_place(const struct program *program, int32_t pc);
const char *program_where(const struct program *program, int32_t pc, char *buffer, size_t size);
const char *program_where_both(const struct program *program, int32_t pc, char *buffer, size_t size);
/* Prints the short name of the PC's block, and the distance from the block's start: "G", "G+2". */
void program_print_pc(const struct program *program, int32_t pc, struct text *out);

#endif
