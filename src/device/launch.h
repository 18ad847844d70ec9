/*
 * A launch: what both executors are given, and what they return.
 */
#ifndef HEDDLE_DEVICE_LAUNCH_H
#define HEDDLE_DEVICE_LAUNCH_H

#include "device/fault.h"
#include "device/image.h"
#include "flow/program.h"

enum {
    LAUNCH_MAX_THREADS = 1024,              /* of a block */
    LAUNCH_MAX_SHARED_BYTES = 227 * 1024,   /* of a block */
    LAUNCH_MAX_BARRIERS = 16,               /* named barriers of a block */
    LAUNCH_MULTIPROCESSORS = 132,           /* what %nsmid says without a described machine */
    LAUNCH_RESIDENT_ROWS = 64,              /* what %nwarpid says without a described machine */
    LAUNCH_DEFAULT_STACK_BYTES = 64 * 1024, /* local memory of a thread */
    LAUNCH_MAX_STACK_BYTES = 512 * 1024
};

/* Where a kernel's printf goes: called once per executed vprintf with the finished text. */
struct print_sink {
    void (*write)(void *context, const char *text, size_t length);
    void *context;
};

/* A texture: what a texture object's handle stands for. Point filtering, unnormalised coordinates. */
enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

struct texture {
    uint64_t handle;        /* what the kernel passes; never 0 */
    uint64_t address;       /* generic */
    uint32_t width, height; /* texels; height 0: linear 1D memory fetched by integer index */
    uint64_t pitch_bytes;
    uint8_t channels;     /* 1, 2 or 4 */
    uint8_t texel_type;   /* enum type of a channel: U8 S8 U16 S16 F16 U32 S32 F32 */
    bool read_normalized; /* integers become floats in [0,1] or [-1,1] */
    bool normalized_coordinates;
    uint8_t address_mode[2]; /* enum texture_address */
};

struct race;

struct launch {
    const struct ptx_function *kernel;
    const struct image *image;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    const void *parameters; /* laid out as layout.h says */
    size_t parameter_bytes;
    uint32_t stack_bytes;       /* local memory of a thread; 0: default */
    uint64_t instruction_limit; /* warp instructions of the whole launch (oracle: thread instructions / 32); 0: none */
    int texture_count;
    const struct texture *textures;
    struct print_sink print; /* write may be NULL: output is dropped */
    uint64_t grid_id;
    struct race *race; /* looks for races; NULL: nobody does. Not with the oracle */
};

struct launch_result {
    struct fault fault;         /* kind FAULT_NONE: it finished */
    uint64_t warp_instructions; /* strand issues; 0 from the oracle */
    uint64_t thread_instructions;
    uint64_t branches, divergent_branches; /* warp instructions that could go more than one way, and did */
    double host_seconds;                   /* how long it took here; filled in by who runs the launch */
};

/* Fills the fault and returns false if the launch cannot be made (sizes, parameters, performance directives). */
bool launch_validate(const struct launch *launch, const struct layout *layout, struct fault *fault);

#endif
