/* What a compiler's other passes leave of a prediction: see predict_copies.h. The program is only read. */
#include "recon/predict_copies.h"

#include "recon/predict_region.h"

#include <stdio.h>

/* ---- copies ---- */

static bool dominates(const struct program *p, int32_t above, int32_t below)
{
    int32_t a = p->insns[above].block, b = p->insns[below].block;
    if (a == b)
        return above <= below;
    while (b >= 0 && b != a)
        b = p->blocks[b].dominator;
    return b == a;
}

static int loop_of(const struct program *p, int32_t pc)
{
    return p->blocks[p->insns[pc].block].loop;
}

static int depth_of(const struct program *p, int32_t pc)
{
    int loop = loop_of(p, pc);
    return loop < 0 ? 0 : p->loops[loop].depth;
}

bool copies_are_covered(const struct program *program, const struct predict_copies *copies, int32_t pc)
{
    for (int i = 0; i < copies->count; i++) {
        int32_t other = copies->pcs[i];
        int deeper = depth_of(program, other) - depth_of(program, pc);
        if (other != pc && (deeper > 0 || (!deeper && dominates(program, other, pc))))
            return true;
    }
    return false;
}

/* Whether a path leads from one PC to another without a step to the block `header` (-1: any path). */
static bool leads_to(const struct program *p, int32_t from, int32_t to, int32_t header)
{
    int32_t target = p->insns[to].block;
    if (target == p->insns[from].block && from < to)
        return true;
    struct arena scratch = {0};
    bool *seen = arena_array(&scratch, bool, (size_t)p->block_count), found = false;
    int32_t *stack = arena_array(&scratch, int32_t, (size_t)p->block_count);
    int count = 0;
    stack[count++] = p->insns[from].block;
    while (count && !found) {
        const struct flow_block *b = &p->blocks[stack[--count]];
        for (int k = 0; k < b->successor_count; k++) {
            int32_t next = b->successors[k];
            if (next == header || seen[next])
                continue;
            seen[next] = true;
            found |= next == target;
            stack[count++] = next;
        }
    }
    arena_free(&scratch);
    return found;
}

/* Whether an iteration of the loop around them may come to two of the copies; without a loop, whether a thread may. */
static bool are_in_sequence(const struct program *p, const struct predict_copies *copies, int loop)
{
    int32_t header = loop < 0 ? -1 : p->loops[loop].header;
    for (int i = 0; i < copies->count; i++)
        for (int k = 0; k < copies->count; k++)
            if (i != k && loop_of(p, copies->pcs[i]) == loop && loop_of(p, copies->pcs[k]) == loop &&
                leads_to(p, copies->pcs[i], copies->pcs[k], header))
                return true;
    return false;
}

const char *copies_refusal(const struct program *program, const struct predict_copies *copies, struct arena *arena)
{
    for (int i = 0; i < copies->count; i++)
        if (depth_of(program, copies->pcs[i]))
            return NULL;
    if (copies->count < 2)
        return NULL;
    if (are_in_sequence(program, copies, -1))
        return arena_printf(arena,
                            "there are %d copies of the point and none is in a loop: the loop was unrolled completely, "
                            "and no other iteration comes to the same copy",
                            copies->count);
    return arena_printf(arena,
                        "there are %d copies of the point, on different sides of branches and in no loop: the code was "
                        "inlined, and threads at different copies cannot meet; heddle recon --outline makes one "
                        "function of equal code",
                        copies->count);
}

/* Whether threads that begin the region together may come to the point at different times: a divergent branch lies
 * between. */
static bool can_diverge(const struct program *p, const struct predict_region *r)
{
    for (int32_t i = 0; i < p->branch_count; i++) {
        const struct branch *b = &p->branches[i];
        if (p->insns[b->pc].function == r->function && !b->uniform && !b->promised_uniform &&
            predict_is_between(r, b->pc))
            return true;
    }
    return false;
}

const char *copies_uselessness(const struct program *program, const struct predict_copies *copies,
                               const struct prediction *prediction, struct arena *arena)
{
    if (copies->count < 2 || prediction->callee >= 0)
        return NULL;
    struct arena scratch = {0};
    struct predict_region r = predict_region_create(program, prediction, &scratch);
    bool can_gain = predict_refusal(&r, &scratch) || can_diverge(program, &r);
    arena_free(&scratch);
    return can_gain ? NULL
                    : arena_printf(arena,
                                   "there are %d copies of the point, and all threads come to the first one together: "
                                   "the loop that threads leave in different iterations was unrolled completely",
                                   copies->count);
}

const char *copies_note(const struct program *program, const struct predict_copies *copies, int32_t pc,
                        struct arena *arena)
{
    int loop = loop_of(program, pc), points = 0, here = 0;
    for (int i = 0; i < copies->count; i++) {
        bool is_here = loop_of(program, copies->pcs[i]) == loop;
        here += is_here;
        points += is_here && !copies_are_covered(program, copies, copies->pcs[i]);
    }
    int elsewhere = copies->count - here;
    if (here == 1)
        return elsewhere ? arena_printf(arena,
                                        "the compiler left %d more %s of the point in other loops or in none; threads "
                                        "do not wait there",
                                        elsewhere, elsewhere > 1 ? "copies" : "copy")
                         : NULL;
    if (points > 1)
        return arena_printf(
            arena, "one of %d copies in this loop, %s; threads at one copy do not meet threads at another", points,
            are_in_sequence(program, copies, loop) ? "which was unrolled" : "on different sides of a branch");
    return arena_printf(
        arena, "%d copies in this loop, which was unrolled or fused; threads wait at the first, once in each iteration",
        here);
}

/* ---- absence ---- */

static bool names(const char *pragma, const char *word, const char *name)
{
    size_t length = strlen(word);
    if (strncmp(pragma, word, length) || (pragma[length] != ' ' && pragma[length] != '\t'))
        return false;
    pragma += length + strspn(pragma + length, " \t");
    length = strlen(name);
    return !strncmp(pragma, name, length) && strchr(" \t", pragma[length]);
}

/* The function of the module that has the pragma, or NULL. */
static const struct ptx_function *find_pragma(const struct ptx_module *m, const char *word, const char *name)
{
    for (int f = 0; f < m->function_count; f++)
        for (int i = 0; i < m->functions[f]->pragma_count; i++)
            if (names(m->functions[f]->pragmas[i].text, word, name))
                return m->functions[f];
    return NULL;
}

bool copies_are_predicted(const struct ptx_module *module, const char *name)
{
    return find_pragma(module, "heddle.predict", name);
}

/* Adds the calls of the function that were inlined around the location to the list of sites, each once. */
static void add_sites(const struct ptx_module *m, int location, const char *name, int *sites, int *count)
{
    for (; location >= 0; location = m->locations[location].inlined_at) {
        const struct ptx_location *l = &m->locations[location];
        bool is_new = l->function && !strcmp(l->function, name) && l->inlined_at >= 0;
        for (int i = 0; i < *count; i++)
            is_new &= sites[i] != l->inlined_at;
        if (is_new)
            sites[(*count)++] = l->inlined_at;
    }
}

/* Says where calls of the function were inlined, if line tables tell. */
static const char *describe_inlining(const struct program *p, const char *name, struct arena *arena)
{
    const struct ptx_module *m = p->kernel->module;
    int *sites = arena_array(arena, int, (size_t)m->location_count + 1), count = 0;
    for (int32_t pc = 0; pc < p->insn_count; pc++)
        if (p->insns[pc].location >= 0 && p->insns[pc].location < m->location_count)
            add_sites(m, p->insns[pc].location, name, sites, &count);
    if (!count)
        return NULL;
    struct text text = {0};
    for (int i = 0; i < count && i < 4; i++)
        text_printf(&text, "%s%d", i ? ", " : count > 1 ? "from lines " : "from line ", m->locations[sites[i]].line);
    if (count > 4)
        text_printf(&text, " and %d more", count - 4);
    const char *said = arena_printf(arena,
                                    "the compiler inlined %s (called %s) and left no call; declare the function "
                                    "__noinline__, or heddle recon --outline makes one function of equal code",
                                    name, text.data);
    text_free(&text);
    return said;
}

const char *copies_absence(const struct program *program, const char *name, struct arena *arena)
{
    const struct ptx_module *m = program->kernel->module;
    const struct ptx_function *holder = find_pragma(m, "heddle.label", name);
    const char *inlining = describe_inlining(program, name, arena);
    if (inlining)
        return inlining;
    if (holder)
        return arena_printf(arena, "the label stands in %s, which the kernel does not call", holder->name);
    if (ptx_find_function(m, name))
        return arena_printf(arena,
                            "the module has the function %s, but the kernel calls it no more: the calls were inlined, "
                            "or are dead code",
                            name);
    return "the compiler dropped it as dead code, or inlined it; line tables (nvcc -lineinfo) tell which";
}
