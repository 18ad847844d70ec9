/*
 * Short names of basic blocks, for everything that is printed about a program. A block whose label is a single letter,
 * as in the papers' examples, has the label as its name. The others get the letters A to Z and a to z that no label
 * took, in the order of the blocks, and then letters with a number behind them. No name begins with a digit, so that
 * none can be taken for a PC; and no name is a label of another block, so that a word means one place.
 */
#include "flow/analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

enum { LETTER_COUNT = sizeof letters - 1 };

/* The names that labels have taken, by number in the order A, B, ..., z, A1, B1, ...: one flag for each name that the
 * blocks of a program can come to. */
struct taken_names {
    int count;
    bool *is_taken;
};

/* The number of a name, or -1: blocks never have this name. */
static int number_of(const struct taken_names *taken, const char *name)
{
    const char *letter = name[0] ? strchr(letters, name[0]) : NULL;
    if (!letter)
        return -1;
    char *end = NULL;
    long round = name[1] ? strtol(name + 1, &end, 10) : 0;
    if (name[1] && (*end || name[1] < '1' || name[1] > '9' || round > taken->count))
        return -1;
    long number = round * LETTER_COUNT + (letter - letters);
    return number < taken->count ? (int)number : -1;
}

/* A single letter names a block if it is the block's first label. If functions have the same single-letter label, the
 * first function's block gets the letter. */
static void find_labels(struct program *p, const struct analysis *functions, struct taken_names *taken)
{
    for (int f = 0; f < p->function_count; f++) {
        const struct ptx_function *source = p->functions[f].source;
        for (int i = 0; i < source->label_count; i++) {
            const char *label = source->labels[i].name;
            int number = number_of(taken, label);
            bool is_new = number >= 0 && !label[1] && !taken->is_taken[number];
            if (number >= 0)
                taken->is_taken[number] = true;
            struct flow_block *block = &p->blocks[p->insns[functions[f].pc_of[source->labels[i].target]].block];
            if (block->label)
                continue;
            block->label = label;
            if (is_new)
                block->name = label;
        }
    }
}

void blocks_name(struct program *p, const struct analysis *functions)
{
    struct taken_names taken = {.count = p->block_count + LETTER_COUNT};
    for (int f = 0; f < p->function_count; f++)
        taken.count += p->functions[f].source->label_count;
    taken.is_taken = xcalloc((size_t)taken.count, sizeof *taken.is_taken);
    find_labels(p, functions, &taken);
    int next = 0;
    for (int b = 0; b < p->block_count; b++) {
        if (p->blocks[b].name)
            continue;
        while (taken.is_taken[next])
            next++;
        char name[16];
        int letter = next % LETTER_COUNT, round = next / LETTER_COUNT;
        int length = round ? snprintf(name, sizeof name, "%c%d", letters[letter], round)
                           : snprintf(name, sizeof name, "%c", letters[letter]);
        p->blocks[b].name = arena_copy_string(&p->arena, name, (size_t)length);
        next++;
    }
    free(taken.is_taken);
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
