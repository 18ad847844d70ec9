/* What a file is; see kind.h. */
#include "binary/kind.h"

#include "binary/archive.h"
#include "binary/elf.h"
#include "binary/fatbin.h"

#include <stdlib.h>
#include <string.h>

#define TO_PTX "compile it to PTX: nvcc -ptx -arch=compute_90 -o FILE.ptx FILE.cu"

static bool starts_with(const void *data, size_t length, const char *magic, size_t magic_length)
{
    return length >= magic_length && !memcmp(data, magic, magic_length);
}

#define STARTS_WITH(magic) starts_with(data, length, magic, sizeof(magic) - 1)

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && !strcmp(path + length - tail, ending);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/* The offset of the first character that is neither blank nor within a comment. */
static size_t skip_comments(const char *text, size_t length)
{
    size_t at = 0;
    for (;;) {
        while (at < length && is_space(text[at]))
            at++;
        if (length - at >= 2 && !memcmp(text + at, "//", 2)) {
            while (at < length && text[at] != '\n')
                at++;
        } else if (length - at >= 2 && !memcmp(text + at, "/*", 2)) {
            at += 2;
            while (at < length && !(length - at >= 2 && !memcmp(text + at, "*/", 2)))
                at++;
            at = length - at >= 2 ? at + 2 : length;
        } else {
            return at;
        }
    }
}

/* Whether the beginning holds control characters that no text has. Zeros may end a text. */
static bool is_binary(const unsigned char *data, size_t length)
{
    while (length && !data[length - 1])
        length--;
    for (size_t i = 0; i < length && i < 512; i++)
        if (data[i] < ' ' && !is_space((char)data[i]) && data[i] != 27)
            return true;
    return false;
}

static struct binary_file other(const char *what, const char *advice)
{
    return (struct binary_file){BINARY_OTHER, what, advice};
}

static struct binary_file elf_kind(const void *data, size_t length)
{
    struct elf elf;
    struct elf_section section;
    char *error = NULL;
    if (!elf_open(&elf, data, length, &error)) {
        free(error);
        return other("an ELF file that heddle cannot read", NULL);
    }
    if (elf.machine == ELF_MACHINE_CUDA)
        return other("GPU machine code (a cubin)", FATBIN_ADVICE);
    const char *what = elf.type == ELF_TYPE_OBJECT                                 ? "an object file"
                       : elf.type == ELF_TYPE_SHARED && !elf_has_interpreter(&elf) ? "a shared library"
                                                                                   : "an executable";
    if (elf_find_section(&elf, ".nv_fatbin", &section) || elf_find_section(&elf, "__nv_relfatbin", &section))
        return (struct binary_file){BINARY_WITH_FATBIN, what, NULL};
    return other(what, "no device code is in it");
}

static struct binary_file archive_kind(const void *data, size_t length)
{
    static const char what[] = "an archive of object files";
    struct archive_member member;
    for (size_t offset = 0; archive_next(data, length, &offset, &member);)
        if (elf_is(member.data, member.bytes) && elf_kind(member.data, member.bytes).kind == BINARY_WITH_FATBIN)
            return (struct binary_file){BINARY_ARCHIVE, what, NULL};
    return other(what, "no device code is in it");
}

static struct binary_file text_kind(const char *path, const char *text, size_t length)
{
    static const struct {
        const char *ending, *what, *advice;
    } sources[] = {
        {".cu", "CUDA source", TO_PTX},
        {".cuh", "CUDA source", TO_PTX},
        {".c", "C source", NULL},
        {".h", "a C header", NULL},
        {".cc", "C++ source", NULL},
        {".cpp", "C++ source", NULL},
        {".cl", "OpenCL source", "heddle runs PTX, which clang -target nvptx64 makes of it"},
        {".ll", "LLVM assembly", "llc -march=nvptx64 makes PTX of it"},
        {".sass", "a listing of GPU machine code", FATBIN_ADVICE},
    };
    size_t at = skip_comments(text, length);
    if (starts_with(text + at, length - at, ".version", 8))
        return (struct binary_file){BINARY_PTX, "PTX", NULL};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (ends_with(path, sources[i].ending))
            return other(sources[i].what, sources[i].advice);
    if (starts_with(text, length, "#!", 2))
        return other("a script", NULL);
    return (struct binary_file){BINARY_PTX, "text", NULL}; /* the parser says best what is wrong with it */
}

struct binary_file binary_file_kind(const char *path, const void *data, size_t length)
{
    if (elf_is(data, length))
        return elf_kind(data, length);
    if (length >= 4 && fatbin_is_container(data))
        return (struct binary_file){BINARY_FATBIN, "a fat binary", NULL};
    if (length >= 4 && fatbin_is_wrapper(data))
        return other("the wrapper of a fat binary, which has a meaning only in the memory of a running program", NULL);
    if (archive_is(data, length))
        return archive_kind(data, length);
    if (STARTS_WITH("!<thin>\n"))
        return other("a thin archive", "its object files are elsewhere");
    if (STARTS_WITH("BC\xc0\xde") || STARTS_WITH("\xde\xc0\x17\x0b"))
        return other("LLVM bitcode", "llc -march=nvptx64 makes PTX of it");
    if (STARTS_WITH("\x7fNVVM") || STARTS_WITH("\xed\x43\x4e\x7f"))
        return other("NVVM-IR or LTO-IR", FATBIN_ADVICE);
    if (STARTS_WITH("MZ"))
        return other("a program for Windows", "heddle reads executables of Linux");
    if (STARTS_WITH("\x1f\x8b") || STARTS_WITH("\x28\xb5\x2f\xfd") || STARTS_WITH("PK\x03\x04") ||
        STARTS_WITH("\xfd\x37zXZ"))
        return other("a compressed file", "unpack it first");
    if (is_binary(data, length))
        return other("a binary file of a kind that heddle does not know", NULL);
    return text_kind(path, data, length);
}
