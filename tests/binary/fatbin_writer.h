/* Writes fat binaries, and ELF files that hold them, for tests. It shares no line with the reader in src/binary. */
#ifndef HEDDLE_TESTS_BINARY_FATBIN_WRITER_H
#define HEDDLE_TESTS_BINARY_FATBIN_WRITER_H

#include "base/text.h"

#include <stdint.h>

enum write_packing { WRITE_PLAIN, WRITE_LZ4, WRITE_ZSTD };

struct fatbin_part {
    uint16_t kind; /* 1 PTX, 2 machine code, 8 LTO-IR */
    uint32_t arch;
    char suffix; /* 'a', 'f' or '\0' */
    enum write_packing packing;
    const char *data;
    size_t length; /* 0: data is a string, and is written with its length */
};

/* Appends a container with these entries. */
void write_fatbin(struct text *out, const struct fatbin_part *parts, int count);

struct elf_part {
    const char *name; /* of the section */
    const char *data;
    size_t length;
};
/* Appends an ELF file of this type and machine (elf.h) with these sections, and with a dynamic section that needs the
 * libraries of `needed`, a list ended by NULL, and names `runpath` (NULL: none). */
void write_elf(struct text *out, unsigned type, unsigned machine, const struct elf_part *parts, int count,
               const char *const *needed, const char *runpath);

#endif
