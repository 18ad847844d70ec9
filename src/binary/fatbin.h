/*
 * Fat binaries: what nvcc packs the device code of one source file into, several forms of it side by side.
 *
 * A container is a header and a row of entries. An entry holds the code for one architecture: PTX text, machine code
 * (an ELF file, "cubin") or LTO-IR, plain or compressed as one LZ4 block or one zstd frame. In a running program a
 * wrapper points to the container. With relocatable device code (nvcc -rdc=true) the wrapper also points to a list of
 * containers, one per source file, whose code has to be linked.
 *
 * heddle executes PTX alone. Machine code and LTO-IR are listed, so that a message can say what a file holds.
 *
 * No length in the data is believed: entries are read within the container, containers within what the caller says is
 * there. Of an image in memory, whose length the CUDA interface does not pass, the container's own header gives the
 * length, as in every CUDA driver.
 */
#ifndef HEDDLE_BINARY_FATBIN_H
#define HEDDLE_BINARY_FATBIN_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_MACHINE_CODE = 2, FATBIN_LTO_IR = 8 };
enum fatbin_packing { FATBIN_PLAIN, FATBIN_LZ4, FATBIN_ZSTD };

struct fatbin_entry {
    unsigned kind; /* enum fatbin_kind, or a number that heddle does not know */
    enum fatbin_packing packing;
    unsigned arch; /* 90 for compute_90 and sm_90 */
    char suffix;   /* 'a' (this architecture alone), 'f' (its family) or '\0' (this and all later architectures) */
    const uint8_t *data; /* within the container */
    size_t bytes;
    uint64_t unpacked_bytes; /* as the entry says; 0 if it is plain */
};

/* The entries of one container. */
struct fatbin {
    struct fatbin_entry *entries;
    int count;
};

/* Whether a container, or the wrapper of a running program, starts here. At least 4 bytes must be readable. */
bool fatbin_is_container(const void *data);
bool fatbin_is_wrapper(const void *data);

/* Reads the container at the start of `data`. *taken is its length with the header. False: *error, which the caller
 * frees, says what is wrong. */
bool fatbin_read(const void *data, size_t length, struct fatbin *fatbin, size_t *taken, char **error);
/* The length of a container in memory, by its own header; 0: no container starts here. */
size_t fatbin_length(const void *data);
void fatbin_free(struct fatbin *fatbin);

/* What a wrapper points to: `container` for code that was linked already, `list` for code that was not. */
struct fatbin_wrapper {
    const void *container;   /* or NULL */
    const void *const *list; /* containers, ended by NULL; or NULL */
};
bool fatbin_read_wrapper(const void *data, struct fatbin_wrapper *wrapper, char **error);

/* The PTX that a device of this compute capability (90 for 9.0) gets; NULL: the container has none.
 *
 * As a CUDA driver does, this takes the highest architecture that is not above the device's: programs choose code paths
 * by __CUDA_ARCH__ and expect the path of the device that they were told of. Among equal architectures the one without
 * a suffix is taken, because it needs no instructions of one chip alone. If all are above the device, where a driver
 * would refuse, the lowest is taken: heddle executes PTX of every architecture. */
const struct fatbin_entry *fatbin_best_ptx(const struct fatbin *fatbin, unsigned capability);

/* The text of a PTX entry, ended by a NUL, which the caller frees. NULL: *error says what is wrong. */
char *fatbin_unpack(const struct fatbin_entry *entry, size_t *length, char **error);

/* Appends a container with one entry, of plain PTX for an architecture. */
void fatbin_append_ptx(struct text *out, const char *ptx, size_t length, unsigned arch);

/* Appends what the container holds, in a phrase: "machine code for sm_80 and sm_90, PTX for compute_90". */
void fatbin_describe(const struct fatbin *fatbin, struct text *out);

/* How a user gets PTX into a program: the end of messages on files without PTX. */
#define FATBIN_ADVICE \
    "heddle executes PTX; compile with 'nvcc -gencode arch=compute_90,code=compute_90 ...', which puts PTX in"

#endif
