/*
 * Loading: a module from whatever holds PTX. That is PTX text, a fat binary, or an executable, library or object file
 * with fat binaries inside, or an archive of such objects.
 *
 * A program that was compiled as a whole has one fat binary per source file, each a module of its own; as a file they
 * are gathered into one module. With relocatable device code the fat binaries are parts of one module and are linked.
 */
#ifndef HEDDLE_PTX_LOAD_H
#define HEDDLE_PTX_LOAD_H

#include "base/vec.h"
#include "ptx/link.h"
#include "ptx/module.h"

enum ptx_failure_kind {
    FAILURE_NONE,
    FAILURE_TEXT, /* the PTX is wrong */
    FAILURE_LINK, /* the modules do not fit together */
    FAILURE_DATA, /* the fat binary or ELF file is damaged, or the file is something else */
    FAILURE_CODE, /* it holds machine code or LTO-IR, and no PTX */
    FAILURE_FILE  /* the file cannot be read */
};

/* Why nothing was loaded. */
struct ptx_failure {
    enum ptx_failure_kind kind;
    struct text text; /* lines, each with its newline; the caller frees it */
};

/* Modules before they are linked. */
struct ptx_units {
    struct vec_of(struct ptx_module *) modules; /* each complete in itself, or linked because the caller says so */
    struct vec_of(struct ptx_module *) parts;   /* parts of one relocatable program */
};

/* An image in memory, whose length the CUDA interface does not pass: a text ended by NUL, a fat binary, or the wrapper
 * of a fat binary. `path` names it in messages; `capability` is the device's, 90 for 9.0 (fatbin_best_ptx()). */
bool ptx_gather_image(struct ptx_units *units, const char *path, const void *image, unsigned capability,
                      struct ptx_failure *failure);
struct ptx_module *ptx_load_image(const char *path, const void *image, unsigned capability,
                                  struct ptx_failure *failure);
/* The same for an image of known length, which may be an ELF file or archive, too. */
bool ptx_gather_bytes(struct ptx_units *units, const char *path, const void *data, size_t length, unsigned capability,
                      struct ptx_failure *failure);
struct ptx_module *ptx_load_bytes(const char *path, const void *data, size_t length, unsigned capability,
                                  struct ptx_failure *failure);
struct ptx_module *ptx_load_file(const char *path, unsigned capability, struct ptx_failure *failure);

/* Links units into one module and empties the lists: parts with each other, and the modules by the rule. NULL:
 * FAILURE_LINK, or FAILURE_CODE if there is no unit. */
struct ptx_module *ptx_link_units(struct ptx_units *units, const char *path, enum ptx_link_rule rule,
                                  struct ptx_failure *failure);
/* Whether the units can be linked together, but for names that are not defined yet; else FAILURE_LINK. */
bool ptx_units_fit(const struct ptx_units *units, struct ptx_failure *failure);
void ptx_units_free(struct ptx_units *units);

/* The whole content of a file, with a NUL behind it, which the caller frees. NULL: FAILURE_FILE. */
char *ptx_read_file(const char *path, size_t *length, struct ptx_failure *failure);

#endif
