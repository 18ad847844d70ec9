/*
 * An image: a module loaded into memory, its global and constant variables placed and initialised.
 *
 * Constant variables share one allocation, the constant bank; an address in the const space is an offset in it.
 */
#ifndef HEDDLE_DEVICE_IMAGE_H
#define HEDDLE_DEVICE_IMAGE_H

#include "device/memory.h"
#include "ptx/module.h"

struct image {
    const struct ptx_module *module;
    struct memory *memory;
    uint64_t constant_base; /* generic address of the constant bank; 0 if there is none */
    uint64_t constant_bytes;
    uint64_t *module_address;    /* by module variable index: generic address (global, const), else 0 */
    uint64_t **function_address; /* by function index, then variable index: the same for variables in bodies */
};

/* NULL and an error text (freed by the caller) if it does not fit or refers to an undefined symbol. */
struct image *image_load(const struct ptx_module *module, struct memory *memory, char **error);
void image_unload(struct image *image); /* frees its variables */

/* Generic address of a global or const variable; 0 if it has none. */
uint64_t image_address(const struct image *image, const struct ptx_variable *variable);
/* Address within the variable's own space: an offset for const, the generic address for global. */
uint64_t image_own_address(const struct image *image, const struct ptx_variable *variable);
/* What `mov` of a function's name gives: a value that names the function and cannot be dereferenced. */
uint64_t image_function_address(const struct image *image, const struct ptx_function *function);

#endif
