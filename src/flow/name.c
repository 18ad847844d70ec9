/*
 * Short names of basic blocks, for everything that is printed about a program. A block whose label is a single letter,
 * as in the papers' examples, has the label as its name. The others get the letters A to Z and a to z that no label
 * took, in the order of the blocks, and then letters with a number behind them. No name begins with a digit, so that
 * none can be taken for a PC.
 */
#include "flow/analysis.h"

#include <stdio.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

enum { LETTER_COUNT = sizeof letters - 1 };

/* Of several labels of one block the first counts. If functions have the same single-letter label, the first function's
 * block gets the letter. */
static void find_labels(struct program *p, const struct analysis *functions, bool taken[LETTER_COUNT])
{
    for (int f = 0; f < p->function_count; f++) {
        const struct ptx_function *source = p->functions[f].source;
        for (int i = 0; i < source->label_count; i++) {
            const char *label = source->labels[i].name;
            struct flow_block *block = &p->blocks[p->insns[functions[f].pc_of[source->labels[i].target]].block];
            if (block->label)
                continue;
            block->label = label;
            const char *letter = label[0] && !label[1] ? strchr(letters, label[0]) : NULL;
            if (letter && !taken[letter - letters]) {
                taken[letter - letters] = true;
                block->name = label;
            }
        }
    }
}

void blocks_name(struct program *p, const struct analysis *functions)
{
    bool taken[LETTER_COUNT] = {false};
    find_labels(p, functions, taken);
    int at = 0, round = 0;
    for (int b = 0; b < p->block_count; b++) {
        if (p->blocks[b].name)
            continue;
        while (!round && at < LETTER_COUNT && taken[at])
            at++;
        if (at == LETTER_COUNT) {
            round++;
            at = 0;
        }
        char name[16];
        int length = round ? snprintf(name, sizeof name, "%c%d", letters[at], round)
                           : snprintf(name, sizeof name, "%c", letters[at]);
        p->blocks[b].name = arena_copy_string(&p->arena, name, (size_t)length);
        at++;
    }
}

void program_print_pc(const struct program *p, int32_t pc, struct text *out)
{
    if (pc < 0 || pc >= p->insn_count) {
        text_printf(out, "-");
        return;
    }
    const struct flow_block *block = &p->blocks[p->insns[pc].block];
    text_printf(out, "%s", block->name);
    if (pc != block->first)
        text_printf(out, "+%d", (int)(pc - block->first));
}
