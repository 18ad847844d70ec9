/*
 * Device printf: formats what a vprintf call passes, as the CUDA run time does on the host after a launch.
 */
#ifndef HEDDLE_DEVICE_PRINT_H
#define HEDDLE_DEVICE_PRINT_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Reads `bytes` bytes of guest memory at a generic address. False: they do not exist. */
typedef bool print_read_fn(void *context, uint64_t address, void *into, uint32_t bytes);

/*
 * Appends to `out` what printf(format, ...) prints. `format` and `arguments` are generic addresses. The arguments
 * follow each other, each aligned to its size: int and unsigned have 4 bytes; long, pointers and doubles have 8.
 * Returns what vprintf returns to the kernel: the number of arguments, or -1 if the format cannot be read.
 */
int print_format(uint64_t format, uint64_t arguments, print_read_fn *read, void *context, struct text *out);

#endif
