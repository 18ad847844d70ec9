/*
 * Arguments of a kernel as words of the command line: typed numbers, raw bytes, and buffers in device memory.
 *
 *   5  -1  1.5                      a number of the type of the kernel's parameter
 *   u32:5  s16:-1  f32:1.5  f64:..  a number of this type, which must be as wide as the parameter
 *   bytes:00ff8040                  the parameter's bytes, lowest first; for structures
 *   buf:f32[1024]                   a buffer of zeros; the parameter is its address
 *   buf:u32[256]=iota               0, 1, 2, ...
 *   buf:f32[64]=fill(1.5)           64 times 1.5
 *   buf:f32[64]=random(7)           random from seed 7: integers of any value, floats in [0, 1)
 *   buf:s32[64]=random(7,-10,10)    integers from -10 to 10, both included; floats in [-10, 10)
 *   buf:u8=file(PATH)               the bytes of a file
 *   buf:u32[4]=1,2,3,4              these values; zeros for those that are left out
 */
#ifndef HEDDLE_CLI_ARGUMENTS_H
#define HEDDLE_CLI_ARGUMENTS_H

#include "device/memory.h"
#include "ptx/module.h"

struct argument {
    const char *word; /* as the user gave it */
    bool is_buffer;   /* the fields below are set only for buffers */
    uint8_t type;     /* enum type of an element */
    uint64_t count;   /* elements */
    uint64_t address; /* in device memory */
    uint64_t bytes;   /* size of the buffer */
};

/* Reads a word as the value of a parameter, allocates the buffer that the word asks for, and stores the parameter's
 * bytes at `into`. False and an error text (freed by the caller) if the word does not fit the parameter. */
bool argument_read(struct argument *argument, const char *word, const struct ptx_variable *parameter,
                   struct memory *memory, uint8_t *into, char **error);

/* Prints `count` elements at `data`, several per line; each line begins with the number of its first element. */
void argument_print(enum type type, const uint8_t *data, uint64_t count, FILE *out);

#endif
