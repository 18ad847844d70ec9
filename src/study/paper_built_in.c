/*
 * The papers of the folder papers/, as bytes of the binary.
 *
 * The Makefile finds the papers and gives their names as HEDDLE_PAPERS: PAPER(tbc) PAPER(...). The assembler reads the
 * files, with paths from the repository's root, and puts name, .ini and .csv of each paper behind each other, all ended
 * by zeros.
 */
#include "study/paper.h"

#include <string.h>

#ifndef HEDDLE_PAPERS
#define HEDDLE_PAPERS /* none: a compiler that only looks for mistakes */
#endif

#define PAPER(name)                               \
    ".asciz \"" #name "\"\n"                      \
    ".incbin \"papers/" #name ".ini\"\n.byte 0\n" \
    ".incbin \"papers/" #name ".csv\"\n.byte 0\n"

__asm__(".pushsection .rodata\n"
        ".globl paper_built_in_texts\n"
        ".hidden paper_built_in_texts\n"
        "paper_built_in_texts:\n" HEDDLE_PAPERS ".byte 0\n"
        ".popsection\n");
extern const char paper_built_in_texts[] __attribute__((visibility("hidden")));

bool paper_built_in(int index, struct paper_text *text)
{
    const char *at = paper_built_in_texts;
    for (; *at; index--) {
        *text = (struct paper_text){.name = at};
        text->ini = text->name + strlen(text->name) + 1;
        text->csv = text->ini + strlen(text->ini) + 1;
        at = text->csv + strlen(text->csv) + 1;
        if (!index)
            return true;
    }
    return false;
}
