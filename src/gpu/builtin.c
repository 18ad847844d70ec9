/*
 * The built-in machines: the files of gpus/, as bytes of the library.
 *
 * No machine is named here. The build lists the files of gpus/ in gpu/machines.def, one line MACHINE(number, "name")
 * per file, in order of name. The assembler reads each file, with a path from the repository's root; both gcc and
 * clang give the assembler the -I folders. A symbol carries the file's number, since a file's name need not be a C
 * identifier.
 */
#include "gpu/machine.h"

#define MACHINE(number, name)                                                        \
    __asm__(".pushsection .rodata\n"                                                 \
            ".globl machine_text_" #number "\n"                                      \
            ".hidden machine_text_" #number "\n"                                     \
            "machine_text_" #number ":\n"                                            \
            ".incbin \"gpus/" name ".ini\"\n"                                        \
            ".globl machine_end_" #number "\n"                                       \
            ".hidden machine_end_" #number "\n"                                      \
            "machine_end_" #number ":\n"                                             \
            ".byte 0\n"                                                              \
            ".popsection\n");                                                        \
    extern const char machine_text_##number[] __attribute__((visibility("hidden"))); \
    extern const char machine_end_##number[] __attribute__((visibility("hidden")));
#include "gpu/machines.def"
#undef MACHINE

const struct machine_builtin machine_builtins[] = {
#define MACHINE(number, name) {name, machine_text_##number, machine_end_##number},
#include "gpu/machines.def"
#undef MACHINE
    {NULL, NULL, NULL},
};

const char *const *machine_names(void)
{
    static const char *const names[] = {
#define MACHINE(number, name) name,
#include "gpu/machines.def"
#undef MACHINE
        NULL,
    };
    return names;
}
