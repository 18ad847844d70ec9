/*
 * ELF files of 64 bits: their sections by name, and what the dynamic linker is told (libraries and where to look for
 * them). Of GPU machine code, which is ELF as well, only the fact is read.
 *
 * No offset or length in the file is believed; a damaged table reads as one that ends where the damage begins.
 */
#ifndef HEDDLE_BINARY_ELF_H
#define HEDDLE_BINARY_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_MACHINE_X86_64 = 62, ELF_MACHINE_AARCH64 = 183, ELF_MACHINE_CUDA = 190 };
enum { ELF_TYPE_OBJECT = 1, ELF_TYPE_EXECUTABLE = 2, ELF_TYPE_SHARED = 3 };
enum { ELF_TAG_NEEDED = 1, ELF_TAG_SONAME = 14, ELF_TAG_RPATH = 15, ELF_TAG_RUNPATH = 29 };

/* A file in memory; it points into the caller's bytes, which stay the caller's. */
struct elf {
    const uint8_t *data;
    size_t length;
    unsigned type;                      /* ELF_TYPE_*; a position-independent executable is ELF_TYPE_SHARED */
    unsigned machine;                   /* ELF_MACHINE_* */
    const uint8_t *sections, *segments; /* tables; NULL: the file has none that can be read */
    unsigned section_count, segment_count;
    size_t section_stride, segment_stride;
};

struct elf_section {
    const char *name;
    const uint8_t *data;
    size_t bytes;
};

/* Whether the bytes begin as an ELF file does. */
bool elf_is(const void *data, size_t length);
/* False: *error, which the caller frees, says what is wrong. */
bool elf_open(struct elf *elf, const void *data, size_t length, char **error);
/* The section of this name; false: the file has none, or the section is not within the file. */
bool elf_find_section(const struct elf *elf, const char *name, struct elf_section *section);
/* The text of the n-th entry (from 0) of the dynamic section with this tag, one of ELF_TAG_*; NULL: there is none. */
const char *elf_dynamic_text(const struct elf *elf, uint64_t tag, int n);
/* Whether a dynamic linker starts the program: false for a static executable. */
bool elf_has_interpreter(const struct elf *elf);

#endif
