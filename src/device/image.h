/*
 * An image: a module loaded into device memory, with its global and constant variables placed and initialised.
 *
 * Each global variable has its own allocation. That of a managed variable is host memory at its own address, so
 * that host and kernels use one pointer. Constant variables share one allocation, the constant bank; an address in
 * the const space is an offset in the bank. Shared and local variables are not part of an image.
 */
#ifndef HEDDLE_DEVICE_IMAGE_H
#define HEDDLE_DEVICE_IMAGE_H

#include "device/memory.h"
#include "ptx/module.h"

struct image {
    const struct ptx_module *module;
    struct memory *memory;
    uint64_t constant_base; /* generic address of the constant bank; 0: the module has no constants */
    uint64_t constant_bytes;
    uint64_t *module_address; /* by index of a module variable: its generic address if it is global or const, else 0 */
    uint64_t **function_address; /* by index of a function, then of a variable in its body: its generic address, or 0 */
};

/* NULL and an error text, freed by the caller, if the module does not fit into memory or names an undefined symbol. */
struct image *image_load(const struct ptx_module *module, struct memory *memory, char **error);
/* The memory that the module's variables take; UINT64_MAX: more than there is anywhere. */
uint64_t image_bytes(const struct ptx_module *module);
void image_reset(struct image *image);  /* gives all variables their initial values again */
void image_unload(struct image *image); /* frees the image and its variables' memory */

/* Generic address of a global or const variable; 0 for any other variable. */
uint64_t image_address(const struct image *image, const struct ptx_variable *variable);
/* Address in the variable's own space: an offset in the constant bank for const, the generic address for global. */
uint64_t image_own_address(const struct image *image, const struct ptx_variable *variable);
/* The value of a function's name in `mov`: identifies the function, and is no address of memory. */
uint64_t image_function_address(const struct image *image, const struct ptx_function *function);

/* TYPE_TEXREF, TYPE_SAMPLERREF or TYPE_SURFREF, if a variable of that type is at the generic address; else
 * TYPE_NONE. */
enum type image_reference_type(const struct image *image, uint64_t address);

#endif
