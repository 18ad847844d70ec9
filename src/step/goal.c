/* Which PCs a line, a block or a barrier has. See goal.h. */
#include "step/goal.h"

#include "base/arena.h"
#include "base/diag.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Whether a command's file is that of a line table: the whole path, or its end from a slash on. */
static bool is_file(const char *path, const char *word)
{
    size_t whole = strlen(path), part = strlen(word);
    return whole >= part && !strcmp(path + whole - part, word) && (whole == part || path[whole - part - 1] == '/');
}

static bool is_on_line(const struct program *p, int32_t pc, const struct step_command *c)
{
    struct ptx_place place = program_place(p, pc);
    if (!strcmp(c->word, "ptx"))
        return (uint64_t)place.ptx_line == c->number;
    if (*c->word && !(place.path && is_file(place.path, c->word)))
        return false;
    return (uint64_t)place.line == c->number;
}

/* Whether the line begins at the PC: the PC before is on another line, or in another basic block. */
static bool begins_line(const struct program *p, int32_t pc, const struct step_command *c)
{
    bool is_first = p->insns[pc].flags & INSN_LEADER || !pc || !is_on_line(p, pc - 1, c);
    return is_on_line(p, pc, c) && is_first;
}

static bool begins_block(const struct program *p, int32_t pc, const struct step_command *c)
{
    const struct flow_block *b = &p->blocks[p->insns[pc].block];
    return b->first == pc && (!strcmp(b->name, c->word) || (b->label && !strcmp(b->label, c->word)));
}

static bool is_goal(const struct program *p, int32_t pc, const struct step_command *c)
{
    return c->verb == STEP_LINE    ? begins_line(p, pc, c)
           : c->verb == STEP_BLOCK ? begins_block(p, pc, c)
                                   : p->insns[pc].class == CLASS_BARRIER;
}

bool *goal_find_pcs(const struct program *p, const struct step_command *c, char **error)
{
    bool *pcs = xcalloc((size_t)p->insn_count + 1, sizeof *pcs), has_any = false;
    for (int32_t pc = 0; pc < p->insn_count; pc++)
        has_any |= pcs[pc] = is_goal(p, pc, c);
    if (has_any)
        return pcs;
    free(pcs);
    if (c->verb == STEP_LINE)
        diag_fail(error, "no instruction comes from line %" PRIu64 "%s%s", c->number, *c->word ? " of " : "", c->word);
    else if (c->verb == STEP_BLOCK)
        diag_fail(error, "there is no basic block '%s'; heddle flow lists them", c->word);
    else
        diag_fail(error, "the kernel has no block barrier");
    return NULL;
}
