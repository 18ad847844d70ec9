/*
 * A launch: what an executor (the functional engine, the timed machine, the oracle) is given, and what it returns.
 */
#ifndef HEDDLE_DEVICE_LAUNCH_H
#define HEDDLE_DEVICE_LAUNCH_H

#include "device/fault.h"
#include "device/image.h"
#include "flow/program.h"

enum {
    LAUNCH_MAX_THREADS = 1024,              /* threads per block */
    LAUNCH_MAX_SHARED_BYTES = 227 * 1024,   /* shared memory per block */
    LAUNCH_MAX_BARRIERS = 16,               /* named barriers per block */
    LAUNCH_MULTIPROCESSORS = 132,           /* the value of %nsmid */
    LAUNCH_RESIDENT_ROWS = 64,              /* the value of %nwarpid */
    LAUNCH_DEFAULT_STACK_BYTES = 64 * 1024, /* local memory per thread */
    LAUNCH_MAX_STACK_BYTES = 512 * 1024     /* largest local memory per thread */
};

/* Receives the output of a kernel's printf: `write` is called once per executed vprintf, with the formatted text. */
struct print_sink {
    void (*write)(void *context, const char *text, size_t length);
    void *context;
};

/* What happens to coordinates outside a texture. */
enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

/* A texture object. Only point filtering is modelled. */
struct texture {
    uint64_t handle;        /* the value by which kernels name the texture; never 0 */
    uint64_t address;       /* generic */
    uint32_t width, height; /* texels; height 0: linear 1D memory fetched by integer index */
    uint64_t pitch_bytes;   /* from one row of texels to the next */
    uint8_t channels;       /* 1, 2 or 4 */
    uint8_t texel_type;     /* enum type of a channel: U8, S8, U16, S16, F16, U32, S32 or F32 */
    bool read_normalized;   /* integer channels are read as floats in [0,1] or [-1,1] */
    bool normalized_coordinates;
    uint8_t address_mode[2]; /* enum texture_address, for x and y */
};

struct race;

struct launch {
    const struct ptx_function *kernel;
    const struct image *image;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    const void *parameters; /* laid out as flow/layout.h says */
    size_t parameter_bytes;
    uint32_t stack_bytes;       /* local memory per thread; 0: the default */
    uint64_t instruction_limit; /* warp instructions per launch (oracle: thread instructions / 32); 0: no limit */
    int texture_count;
    const struct texture *textures;
    struct print_sink print; /* `write` may be NULL: output is dropped */
    uint64_t grid_id;
    struct race *race; /* the race check; NULL: races are not looked for. Not used by the oracle */
};

struct launch_result {
    struct fault fault;         /* kind FAULT_NONE: the launch finished */
    uint64_t warp_instructions; /* executed instructions of strands; 0 from the oracle */
    uint64_t thread_instructions;
    uint64_t branches, divergent_branches; /* executed branches that could diverge; those that did */
    double host_seconds;                   /* host time of the launch; filled in by run_launch() */
};

/* Checks sizes, parameters and performance directives. False, with the fault filled in: the launch is impossible. */
bool launch_validate(const struct launch *launch, const struct layout *layout, struct fault *fault);

#endif
