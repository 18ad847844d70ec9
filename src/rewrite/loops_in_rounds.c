/*
 * Two rival transforms of speculative reconvergence, as passes: loop merging and Iteration Delay (Damani et al., CGO
 * 2020, section 7; rounds.h has the literature and the code that is made).
 *
 * merge-loops  a loop within a loop, which threads leave in different iterations. Han and Abdelrahman flatten the two
 *              into one loop, in each round of which a thread does an iteration of the inner loop, or the rest of the
 *              outer one; they copy the prolog and epilog of the inner loop for that. PTX has jumps, so nothing is
 *              copied: the gate stands ahead of an iteration of the inner loop, and a thread comes there from that
 *              loop or, through epilog and prolog, from the outer loop. With `majority` a second gate stands on the
 *              way out of the inner loop: either as many threads as want to do an iteration, or as many as want to
 *              leave the inner loop, go on
 * delay        a loop with a divergent branch. With `gather` the gate stands ahead of the expensive side, and threads
 *              that take the other side go on to later iterations until all are at the gate or have left the loop.
 *              With `majority` both sides have gates, and the vote decides which side is run, as Han and Abdelrahman
 *              do
 *
 * Where a pass is applied is what detection finds (recon/detect.h). With `all` and `all-majority` it is applied
 * wherever it is legal, whether it pays or not.
 */
#include "recon/detect.h"
#include "rewrite/rounds.h"
#include "rewrite/table.h"

#include <stdlib.h>

enum { MOST_CHANGES = 64 }; /* of one kernel */

/* What a pass looks for. */
struct rounds_pass {
    const char *name;
    enum detect_pattern pattern;
    enum rounds_policy policy;
    bool is_everywhere; /* wherever it is legal */
};

/* Whether the pass's word is this one; without a word, the first of a list stands there. */
static bool is_word(const struct rewrite_options *options, const char *word)
{
    size_t length = strlen(word);
    return options->word && !strncmp(options->word, word, length) && strchr("|", options->word[length]);
}

/* The gates of a candidate. `gates` has room for all edges of the loop. */
static int find_gates(const struct program *p, const struct detected *d, enum rounds_policy policy, int loop,
                      struct rounds_gate *gates)
{
    const struct branch *b = &p->branches[d->branch];
    int32_t from = p->insns[b->pc].block, point = p->insns[d->prediction.label].block;
    int inner = p->blocks[from].loop, count = 0;
    bool is_delay = d->pattern == DETECT_ITERATION_DELAY;
    if (is_delay && policy == ROUNDS_MAJORITY)
        gates[count++] = (struct rounds_gate){.from = from, .to = point};
    else
        gates[count++] = (struct rounds_gate){.from = -1, .to = point};
    if (policy != ROUNDS_MAJORITY)
        return count;
    if (is_delay || inner == loop) { /* the other side of the branch */
        for (int k = 0; k < b->target_count; k++)
            if (p->insns[b->target[k]].block != point)
                gates[count++] = (struct rounds_gate){from, p->insns[b->target[k]].block, true};
        return count;
    }
    for (int i = 0; i < p->loops[inner].block_count; i++) { /* the ways out of the inner loop */
        const struct flow_block *block = &p->blocks[p->loops[inner].blocks[i]];
        for (int k = 0; k < block->successor_count; k++)
            if (!rounds_holds(p, inner, block->successors[k]) && rounds_holds(p, loop, block->successors[k]))
                gates[count++] = (struct rounds_gate){p->loops[inner].blocks[i], block->successors[k], true};
    }
    return count;
}

/* Changes the loop of a candidate. False, and why, if that is refused. */
static bool apply_to(const struct rounds_pass *pass, const struct program *p, const struct detected *d,
                     struct ptx_module *module, struct arena *arena, const char **why)
{
    int loop = p->blocks[p->insns[d->prediction.starts[0].pc].block].loop, edges = 2;
    for (int i = 0; i < p->loops[loop].block_count; i++)
        edges += p->blocks[p->loops[loop].blocks[i]].successor_count;
    struct rounds_gate *gates = arena_array(arena, struct rounds_gate, (size_t)edges);
    struct rounds rounds = {.program = p, .loop = loop, .policy = pass->policy, .gates = gates};
    rounds.gate_count = find_gates(p, d, pass->policy, loop, gates);
    *why = rounds_refusal(&rounds, arena);
    if (!*why && pass->policy == ROUNDS_MAJORITY && rounds.gate_count < 2)
        *why = "there is only one side";
    if (*why)
        return false;
    rounds_apply(&rounds, module);
    return true;
}

static void say(struct text *said, const struct rounds_pass *pass, const struct program *p, const struct detected *d,
                const char *what)
{
    char where[256];
    struct text line = {0};
    text_printf(&line, "%s: %s: branch at %s: %s\n", pass->name, p->kernel->name,
                program_where(p, p->branches[d->branch].pc, where, sizeof where), what);
    if (!said->data || !strstr(said->data, line.data)) /* both sides of a branch may have one reason */
        text_printf(said, "%s", line.data);
    text_free(&line);
}

/* Whether detection left the candidate alone because it does not pay, and not because it is forbidden: of these, the
 * pass finds what forbids it by itself. */
static bool is_wanted(const struct rounds_pass *pass, const struct detected *d)
{
    return d->pattern == pass->pattern && (!d->refusal || pass->is_everywhere);
}

/* Whether the candidate's loop votes. After a change, that says no more than that the loop was changed. */
static bool is_in_voting_loop(const struct program *p, const struct detected *d)
{
    const struct flow_loop *l = &p->loops[p->blocks[p->insns[d->prediction.starts[0].pc].block].loop];
    for (int i = 0; i < l->block_count; i++)
        for (int32_t pc = p->blocks[l->blocks[i]].first; pc <= p->blocks[l->blocks[i]].last; pc++)
            if (p->insns[pc].op == OP_BALLOT_SYNC || p->insns[pc].op == OP_VOTE_SYNC)
                return true;
    return false;
}

/* Changes the first candidate of a kernel that can be changed. False: there is none; then what was refused is said. */
static bool change_one(const struct rounds_pass *pass, struct ptx_module *module, const struct ptx_function *kernel,
                       bool is_first, struct text *said)
{
    struct predictions predictions = {0};
    struct arena arena = {0};
    struct text refused = {0};
    char *error = NULL, point[256];
    bool is_changed = false;
    struct program *p = program_create(kernel, &error);
    if (!p) {
        text_printf(said, "%s: %s: %s\n", pass->name, kernel->name, error);
        free(error);
        return false;
    }
    struct detection *found = detect(&predictions, p, &(struct detect_rules){0});
    for (int i = 0; i < found->list.count && !is_changed; i++) {
        const struct detected *d = &found->list.data[i];
        const char *why = d->refusal;
        if (is_wanted(pass, d))
            is_changed = apply_to(pass, p, d, module, &arena, &why);
        if (is_changed)
            say(said, pass, p, d,
                arena_printf(&arena, "threads meet by vote at %s (estimated gain of a barrier there: %.2f)",
                             program_where(p, d->prediction.label, point, sizeof point), d->gain));
        else if (d->pattern == pass->pattern && (is_first || !is_in_voting_loop(p, d)))
            say(&refused, pass, p, d, arena_printf(&arena, "left alone: %s", why));
    }
    if (!is_changed && refused.length)
        text_printf(said, "%s", refused.data);
    detection_destroy(found);
    predictions_free(&predictions);
    program_destroy(p);
    text_free(&refused);
    arena_free(&arena);
    return is_changed;
}

static bool apply(struct rounds_pass pass, struct ptx_module *module, const struct ptx_function *kernel,
                  const struct rewrite_options *options, struct text *said)
{
    int changes = 0;
    pass.is_everywhere = is_word(options, "all") || is_word(options, "all-majority");
    pass.policy = is_word(options, "majority") || is_word(options, "all-majority") ? ROUNDS_MAJORITY : ROUNDS_ALL;
    while (changes < MOST_CHANGES && change_one(&pass, module, kernel, !changes, said))
        changes++;
    return changes > 0;
}

bool rewrite_merge_loops(struct ptx_module *module, struct ptx_function *kernel, const struct rewrite_options *options,
                         struct text *said)
{
    return apply((struct rounds_pass){.name = "merge-loops", .pattern = DETECT_LOOP_MERGE}, module, kernel, options,
                 said);
}

bool rewrite_delay(struct ptx_module *module, struct ptx_function *kernel, const struct rewrite_options *options,
                   struct text *said)
{
    return apply((struct rounds_pass){.name = "delay", .pattern = DETECT_ITERATION_DELAY}, module, kernel, options,
                 said);
}
