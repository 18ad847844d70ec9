/*
 * Short names of basic blocks, for everything that is printed about a program. A block whose label is a single letter,
 * as in the papers' examples, has the label as its name. The others get the letters A to Z and a to z that no label
 * took, in the order of the blocks, and then letters with a number behind them. No name begins with a digit, so that
 * none can be taken for a PC; and no name is a label of another block, so that a word means one place.
 */
#include "flow/analysis.h"

#include "base/vec.h"

#include <stdio.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

enum { LETTER_COUNT = sizeof letters - 1 };

/* Names that labels have. */
struct taken_names {
    bool letter[LETTER_COUNT];
    struct vec_of(const char *) numbered; /* labels that look like a letter with a number behind it */
};

static void take_name(struct taken_names *taken, const char *label)
{
    const char *letter = label[0] ? strchr(letters, label[0]) : NULL;
    if (letter && !label[1])
        taken->letter[letter - letters] = true;
    else if (letter && label[1] >= '0' && label[1] <= '9')
        vec_push(&taken->numbered, label);
}

static bool is_taken(const struct taken_names *taken, const char *name)
{
    for (int i = 0; i < taken->numbered.count; i++)
        if (!strcmp(taken->numbered.data[i], name))
            return true;
    return false;
}

/* A single letter names a block if it is the block's first label. If functions have the same single-letter label, the
 * first function's block gets the letter. */
static void find_labels(struct program *p, const struct analysis *functions, struct taken_names *taken)
{
    for (int f = 0; f < p->function_count; f++) {
        const struct ptx_function *source = p->functions[f].source;
        for (int i = 0; i < source->label_count; i++) {
            const char *label = source->labels[i].name;
            const char *letter = label[0] && !label[1] ? strchr(letters, label[0]) : NULL;
            bool is_new = letter && !taken->letter[letter - letters];
            take_name(taken, label);
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
    struct taken_names taken = {0};
    find_labels(p, functions, &taken);
    int next = 0; /* number of the next name, in the order A, B, ..., z, A1, B1, ... */
    for (int b = 0; b < p->block_count; b++) {
        char name[16];
        bool is_free = false;
        while (!p->blocks[b].name && !is_free) {
            int letter = next % LETTER_COUNT, round = next / LETTER_COUNT;
            next++;
            if (round)
                snprintf(name, sizeof name, "%c%d", letters[letter], round);
            else
                snprintf(name, sizeof name, "%c", letters[letter]);
            is_free = round ? !is_taken(&taken, name) : !taken.letter[letter];
        }
        if (is_free)
            p->blocks[b].name = arena_copy_string(&p->arena, name, strlen(name));
    }
    vec_free(&taken.numbered);
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
