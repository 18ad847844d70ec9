/*
 * Machines: a GPU described by knobs, built in from a file of gpus/ or read from a user's file.
 *
 * A machine file has sections [gpu], [sm] and [mem]; each line is `knob = value`, with comments after `;`. A knob that
 * the file leaves out keeps its default. Errors name file and line. A machine that was loaded or changed is valid only
 * once machine_check() has said so; machine_load() calls it.
 */
#ifndef HEDDLE_GPU_MACHINE_H
#define HEDDLE_GPU_MACHINE_H

#include "base/text.h"
#include "mem/config.h"
#include "sm/config.h"

#include <stdbool.h>
#include <stdint.h>

struct gpu_config {
    uint32_t sm_count;              /* multiprocessors */
    uint32_t max_block_threads;     /* threads that a block may have */
    uint32_t kernel_latency_cycles; /* core cycles from the end of one kernel to the first block of the next */
    double block_interval; /* core cycles from the start of one block to that of the next, of the GPU; 0: none */
    /* What events of a CUDA program see beside cycles; neither changes a counter. */
    uint32_t launch_ns; /* time that a launch takes before its first cycle */
    double copy_gbps;   /* 10^9 bytes per second between host and device; 0: copies take no time */
};

struct machine {
    char *name;        /* "fermi", or a file's name without folder and .ini; owned */
    char *description; /* the text of `description` in section [gpu]; owned */
    struct gpu_config gpu;
    struct sm_config sm; /* knobs of each multiprocessor */
    struct mem_config mem;
};

extern const struct knob_table gpu_knobs;

/* Loads a built-in machine by name, or else the file with this path. On failure NULL and an error text, which the
 * caller frees. */
struct machine *machine_load(const char *name_or_path, char **error);
void machine_free(struct machine *m);

/* Sets a knob: "sm.warp_width=16". On failure false and an error text, which the caller frees and which names the
 * range or the nearest knob. */
bool machine_set(struct machine *m, const char *assignment, char **error);
/* Checks what the range of a single knob cannot say. To be called after the last machine_set(). */
bool machine_check(const struct machine *m, char **error);

/* A name that sets several knobs to one value, for values that move together in a sweep. A group has no value of its
 * own, so reports name its knobs. */
struct machine_group {
    const char *section, *name, *meaning;
    const char *const *knobs; /* of the section; ends with NULL */
};

extern const struct machine_group machine_groups[]; /* ends with a NULL name */

void machine_print_json(const struct machine *m, struct text *out); /* prints one JSON object */

/* The built-in machines, one per file of gpus/, in order of name. The bytes from `text` to `end` are the file's; a zero
 * byte follows them. */
struct machine_builtin {
    const char *name; /* the file's name without .ini */
    const char *text, *end;
};

extern const struct machine_builtin machine_builtins[]; /* ends with a NULL name */

/* The names of the built-in machines, in order; ends with NULL. */
const char *const *machine_names(void);

#endif
