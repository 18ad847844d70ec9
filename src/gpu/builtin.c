/*
 * The machine files of gpus/, as bytes of the binary. The assembler reads them, with paths from the
 * repository's root; both gcc and clang give it the -I folders. The Makefile says that this file depends on
 * them.
 */
#include "gpu/machine.h"

#define EMBED(name)                                                                  \
    __asm__(".pushsection .rodata\n"                                                 \
            ".globl machine_" #name "_text\n"                                        \
            ".hidden machine_" #name "_text\n"                                       \
            "machine_" #name "_text:\n"                                              \
            ".incbin \"gpus/" #name ".ini\"\n"                                       \
            ".globl machine_" #name "_end\n"                                         \
            ".hidden machine_" #name "_end\n"                                        \
            "machine_" #name "_end:\n"                                               \
            ".byte 0\n"                                                              \
            ".popsection\n");                                                        \
    extern const char machine_##name##_text[] __attribute__((visibility("hidden"))); \
    extern const char machine_##name##_end[] __attribute__((visibility("hidden")));

EMBED(fx5800)
EMBED(fermi)
EMBED(vws)
EMBED(volta)
EMBED(tiny)

const struct machine_builtin machine_builtins[] = {
    {"fx5800", machine_fx5800_text, machine_fx5800_end}, {"fermi", machine_fermi_text, machine_fermi_end},
    {"vws", machine_vws_text, machine_vws_end},          {"volta", machine_volta_text, machine_volta_end},
    {"tiny", machine_tiny_text, machine_tiny_end},       {NULL, NULL, NULL},
};
