/*
 * Origins: from which parameters, constants and variables the addresses of a program's memory accesses are derived.
 *
 * A register's value has a set of origins. A parameter or constant of 8 bytes, the name of a global variable, the
 * parameter block itself, and the name of anything in shared, local or constant memory ("a window") are origins. What
 * an instruction computes has these origins:
 *   - moves, cvta, selections, minima and maxima: those of every value that may be the result
 *   - sums and differences: those of both operands. A number (a thread index, a constant, a value of at most 32 bits
 *     from memory, and what is computed from these) is an offset and adds no origin
 *   - a value of 64 bits from memory, from a call, or put together from smaller ones may point anywhere
 *   - every other operation mixes: its result is a number, if the origins of its operands are numbers too. Parameters
 *     and constants are known at the launch only, so the set keeps such origins by themselves, as `mixed`
 * A guarded write keeps the old value's origins. Where paths join, sets do too.
 *
 * What is proved holds under one assumption: an address that is computed from pointers and offsets lies in an
 * allocation of one of these pointers, and an address that is computed from the address of a parameter in that
 * parameter. A program whose index leads from one allocation into another one breaks it, and so does one that finds an
 * allocation behind NULL; CUDA does not define what such programs do.
 *
 * Functions that the kernel calls are looked at too, but nothing is known of their parameters and results.
 */
#ifndef HEDDLE_FLOW_ORIGINS_H
#define HEDDLE_FLOW_ORIGINS_H

#include "flow/program.h"

enum { ORIGINS_MOST = 56 }; /* origins of one program; values of further ones may point anywhere */

/* Bits of origin_set.of; the bits below are origins by their numbers. */
#define ORIGIN_NAMED      ((UINT64_C(1) << ORIGINS_MOST) - 1)
#define ORIGIN_ZERO       (UINT64_C(1) << 58) /* the number 0, as NULL or in a register that nothing wrote */
#define ORIGIN_WINDOW     (UINT64_C(1) << 59) /* shared, local or constant memory */
#define ORIGIN_PARAMETERS (UINT64_C(1) << 60) /* the parameter block; an ORIGIN_PLACE may say where */
#define ORIGIN_NUMBER     (UINT64_C(1) << 61) /* a number, which is no address */
#define ORIGIN_ANYTHING   (UINT64_C(1) << 62) /* an address of unknown origin, or a number */

/* What a value may be derived from. */
struct origin_set {
    uint64_t of;    /* pointers from which sums and differences made it; 0: nothing computed it yet */
    uint64_t mixed; /* origins of which other operations made it: were one of these a pointer, nothing is known */
};

enum origin_kind {
    ORIGIN_ADDRESS, /* the address of a global variable */
    ORIGIN_VALUE,   /* 8 bytes of the parameter block or of a constant variable, which a launch does not change */
    ORIGIN_PLACE    /* an address in the parameter block */
};

struct origin {
    enum origin_kind kind;
    const struct ptx_variable *variable; /* the global or constant variable; NULL: the parameter block */
    uint32_t offset;                     /* in the variable or the block */
    uint32_t bytes;                      /* the value or place is somewhere in so many bytes; 0: it is at the offset */
};

/* How an instruction accesses global memory. */
struct origin_access {
    struct origin_set address; /* of textures and surfaces: of the object's handle */
    bool reads, writes;
    bool is_texture, is_surface;
};

enum origins_flag {
    ORIGINS_UNKNOWN_READS = 1,  /* a read may be anywhere, whatever the parameters are */
    ORIGINS_UNKNOWN_WRITES = 2, /* a write may be anywhere */
    ORIGINS_RESULTS = 4,        /* an atomic in global memory gives a result */
    ORIGINS_STRONG = 8,         /* a global access is volatile, has an order wider than the block, or is not cached */
    ORIGINS_FENCES = 16,        /* a fence that is wider than the block */
    ORIGINS_CLUSTER = 32,       /* shared memory of other blocks, or the barrier of a cluster */
    ORIGINS_ASYNC = 64,         /* asynchronous copies, tensor maps among them */
    ORIGINS_BUILTINS = 128      /* calls of functions that the run time gives: printf, malloc, ... */
};

struct origins {
    int count;
    struct origin origin[ORIGINS_MOST];
    int access_count;
    struct origin_access *accesses; /* each kind of access once; owned */
    int32_t *access_at;             /* [PC]: index into accesses; -1: no access to global memory; owned */
    uint64_t read, written;         /* origins of addresses that are read, and written */
    unsigned flags;                 /* enum origins_flag */
};

struct origins *origins_find(const struct program *program);
void origins_destroy(struct origins *origins);

/* Whether the launch's parameters can tell where the access goes. An access that may go through NULL does not go there.
 * A write to the parameters themselves, which CUDA does not allow, counts as unknown. */
static inline bool origin_access_is_known(const struct origin_access *a)
{
    uint64_t unknown = ORIGIN_NUMBER | ORIGIN_ANYTHING | (a->writes ? ORIGIN_PARAMETERS : 0);
    return a->address.of & ~ORIGIN_ZERO && !(a->address.of & unknown);
}

#endif
