/*
 * A launch: what an executor (the functional engine, the timed machine, the oracle) is given, and what it returns.
 */
#ifndef HEDDLE_DEVICE_LAUNCH_H
#define HEDDLE_DEVICE_LAUNCH_H

#include "device/fault.h"
#include "device/image.h"
#include "device/texture.h"
#include "flow/program.h"

enum {
    LAUNCH_MAX_THREADS = 1024,              /* threads per block */
    LAUNCH_MAX_SHARED_BYTES = 227 * 1024,   /* shared memory per block */
    LAUNCH_MAX_BARRIERS = 16,               /* named barriers per block */
    LAUNCH_MULTIPROCESSORS = 132,           /* the value of %nsmid */
    LAUNCH_RESIDENT_ROWS = 64,              /* the value of %nwarpid */
    LAUNCH_DEFAULT_STACK_BYTES = 64 * 1024, /* local memory per thread */
    LAUNCH_MAX_STACK_BYTES = 512 * 1024,    /* largest local memory per thread */
    LAUNCH_DEFAULT_HEAP_BYTES = 8 << 20,    /* memory that kernels may hold from malloc */
    LAUNCH_MAX_CLUSTER_BLOCKS = 16,         /* blocks per cluster */
    LAUNCH_WORKSPACE_BYTES = 8              /* of a cooperative launch: its size, and the word of the grid's barrier */
};

/* Receives the output of a kernel's printf: `write` is called once per executed vprintf, with the formatted text. */
struct print_sink {
    void (*write)(void *context, const char *text, size_t length);
    void *context;
};

/* Hears of accesses to global memory while the functional engine executes a launch: `note` is called before the access,
 * with the addresses of the lanes that make it. Textures, surfaces, constants and local memory are not heard of. */
struct access_sink {
    void (*note)(void *context, const uint64_t *address, int count, uint16_t bytes, bool is_write);
    void *context;
};

struct ahead_team;
struct race;
struct site;
struct taping;
struct waste;
struct writers;

struct launch {
    const struct ptx_function *kernel;
    const struct image *image;
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* blocks per cluster; 0: no cluster was asked for */
    /* All blocks run at the same time, and %envreg1 (high) and %envreg2 (low) hold the address of a workspace for the
     * barrier of the grid. Without it both registers are 0, and grid.sync() traps. */
    bool is_cooperative;
    bool
        keeps_warps; /* threads stay in their static warps where the machine's mechanism can do so (run/compaction.h) */
    uint32_t dynamic_shared_bytes;
    const void *parameters; /* laid out as flow/layout.h says */
    size_t parameter_bytes;
    uint32_t stack_bytes;       /* local memory per thread; 0: the default */
    uint64_t heap_limit_bytes;  /* live memory from malloc in kernels, of all launches; 0: the default */
    uint64_t instruction_limit; /* warp instructions per launch (oracle: thread instructions / 32); 0: no limit */
    /* Functional engine: warp instructions after which a launch whose blocks all poll memory that nobody writes faults;
     * 0: the default, some seconds of host time, in which another thread of the host may write it. */
    uint64_t poll_limit;
    int texture_count;
    const struct texture *textures;
    int surface_count;
    const struct surface *surfaces;
    struct print_sink print;      /* `write` may be NULL: output is dropped */
    struct print_sink assertions; /* receives one line per failed assertion; `write` may be NULL */
    uint64_t grid_id;
    bool tolerates_reads; /* loads from global memory that does not exist read 0 and are counted, and do not fault */
    const struct taping *taping; /* records or replays what threads decide (exec/taping.h); NULL: neither */
    struct race *race;           /* the race check; NULL: races are not looked for. Not used by the oracle */
    struct site *sites;          /* [PC]: the functional engine counts here (exec/site.h); NULL: it does not count */
    struct waste *waste;         /* the functional engine counts here beside sites (exec/waste.h); NULL: it does not */
    /* [place in the grid]: number of the thread that runs there, both counted block by block (run/ordering.h). The
     * thread has its own %tid and %ctaid, and the lane and warp of its place. NULL: threads run at their own places. */
    const uint32_t *order;
    struct ahead_team *team; /* host threads of the functional engine (exec/ahead/ahead.h); NULL: the caller's alone */
    const struct access_sink *accesses; /* NULL: nobody hears of accesses. The functional engine alone uses it */
    struct writers
        *writers; /* which block wrote which word; NULL: not looked at. The functional engine alone uses it */
};

/* Where something happened first. */
struct launch_place {
    char where[160]; /* "file.cu:12 (PTX line 40)" */
    uint64_t address;
    uint64_t block; /* linear number of the block */
    uint64_t cycle; /* on a machine */
};

struct launch_result {
    struct fault fault;         /* kind FAULT_NONE: the launch finished */
    uint64_t warp_instructions; /* executed instructions of strands; 0 from the oracle */
    uint64_t thread_instructions;
    uint64_t branches, divergent_branches; /* executed branches that could diverge; those that did */
    uint64_t tolerated_reads;              /* loads, counted per thread, that read 0 by `tolerates_reads` */
    uint64_t block_conflicts;              /* stores, counted per thread, over another block's value (exec/writers.h) */
    struct launch_place first_tolerated, first_conflict;
    double host_seconds; /* host time of the launch; filled in by run_launch() */
};

/* Whether the first place comes before the second on a machine: in an earlier cycle or, in one cycle, in a block with a
 * lower number. */
static inline bool launch_place_is_before(const struct launch_place *a, const struct launch_place *b)
{
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->block < b->block;
}

/* The launch's blocks per cluster: what the kernel demands (.reqnctapercluster), else what the launch asks for, else 1
 * in each dimension. */
void launch_cluster(const struct launch *launch, uint32_t cluster[3]);
/* The linear index, in the grid, of the block with this rank in a cluster. */
uint64_t launch_cluster_block(const struct launch *launch, uint64_t cluster, uint32_t rank);
/* Whether the launch has clusters because the kernel or the launch says so. */
bool launch_has_cluster(const struct launch *launch);

/* Gives the launch of a coarsened kernel (rewrite/coarsen.c) its shape: fewer blocks in x, and as the kernel's last
 * parameter how many there would be. `parameters` are the launch's. A launch of any other kernel stays as it is. */
void launch_coarsen(struct launch *launch, const struct layout *layout, uint8_t *parameters);

/* Checks sizes, parameters and performance directives. False, with the fault filled in: the launch is impossible. */
bool launch_validate(const struct launch *launch, const struct layout *layout, struct fault *fault);

#endif
