/* Describes races for people: one finding per pair of instructions and kind of race, with the first two accesses
 * as its example. */
#include "base/demangle.h"
#include "exec/race/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const act_text[] = {
    [RACE_READ] = "read", [RACE_WRITE] = "write", [RACE_ATOMIC] = "atomic", [RACE_ATOMIC_READ] = "atomic read"};

static const char *const kind_text[] = {[RACE_IN_ROW] = "two threads of one row",
                                        [RACE_IN_BLOCK] = "threads of two rows of a block",
                                        [RACE_OF_BLOCKS] = "threads of two blocks"};

static const char *const flow_text[] = {
    [RACE_STORE_TO_LOAD] = "a thread reads what another thread of its warp wrote",
    [RACE_LOAD_TO_STORE] = "a thread writes what another thread of its warp read before",
    [RACE_STORE_TO_STORE] = "a thread writes where another thread of its warp wrote before"};

static enum race_flow flow_of(const struct race_pair *p)
{
    if (p->act_before == RACE_READ)
        return RACE_LOAD_TO_STORE;
    return p->act == RACE_READ || p->act == RACE_ATOMIC_READ ? RACE_STORE_TO_LOAD : RACE_STORE_TO_STORE;
}

static enum race_kind kind_of(const struct race_pair *p)
{
    const struct race_seen *self = &p->present->self;
    if (p->before->block != self->block)
        return RACE_OF_BLOCKS;
    return p->before->row == self->row ? RACE_IN_ROW : RACE_IN_BLOCK;
}

static void print_access(const struct race_pair *p, enum race_act act, const struct race_seen *s, int lane,
                         struct text *out)
{
    const struct engine *e = p->e;
    const uint32_t *grid = e->launch->grid, *n = e->launch->block;
    uint32_t block = s->block - 1, thread = s->row * ROW_LANES + (uint32_t)lane;
    char where[160];
    const struct insn *insn = &e->program->insns[s->pc];
    text_printf(out, "block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), %s\n",
                block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1], thread % n[0],
                thread / n[0] % n[1], thread / n[0] / n[1], act_text[act]);
    text_printf(out, "          %s: ", program_where_both(e->program, (int32_t)s->pc, where, sizeof where));
    if (insn->origin)
        ptx_print_instruction(e->program->functions[insn->function].source, insn->origin, out);
    else
        text_printf(out, "%s", op_table[insn->op].mnemonic);
    text_printf(out, "\n");
}

/* Names the variable, if it is a shared variable that holds the address. */
static bool print_variable(const struct layout *l, const struct ptx_function *f, const struct ptx_variable *v,
                           uint64_t address, struct text *out)
{
    if (v->space != SPACE_SHARED)
        return false;
    int64_t first = layout_offset(l, f, v);
    bool within = first != LAYOUT_NONE && address >= (uint64_t)first &&
                  (v->is_unsized || address - (uint64_t)first < v->size_bytes);
    if (within)
        text_printf(out, "byte %" PRIu64 " of %s", address - (uint64_t)first, v->name);
    return within;
}

static void print_shared(const struct engine *e, uint64_t address, struct text *out)
{
    const struct layout *l = e->program->layout;
    const struct ptx_module *m = l->kernel->module;
    for (int i = 0; i < l->reached_count; i++)
        for (int k = 0; k < l->reached[i]->variable_count; k++)
            if (print_variable(l, l->reached[i], l->reached[i]->variables[k], address, out))
                return;
    for (int i = 0; i < m->variable_count; i++)
        if (print_variable(l, l->kernel, m->variables[i], address, out))
            return;
    text_printf(out, "byte %" PRIu64 " of the block's shared memory", address);
}

static char *describe(const struct race_pair *p, const struct race_finding *f, bool is_lockstep)
{
    struct text t = {0};
    char near[320];
    char *kernel = demangle_short(p->e->launch->kernel->name);
    if (is_lockstep)
        text_printf(&t, "kernel %s relies on lock-step: %s, and no .sync orders them\n", kernel, flow_text[f->flow]);
    else
        text_printf(&t, "race in kernel %s: %s, and nothing orders them\n", kernel, kind_text[f->kind]);
    free(kernel);
    text_printf(&t, "  on      %" PRIu32 " bytes of %s memory at 0x%" PRIx64 ": ", p->bytes, space_text[p->space],
                p->address);
    if (p->space == IN_SHARED)
        print_shared(p->e, p->address, &t);
    else
        text_printf(&t, "%s", memory_describe(p->e->memory, p->address, near, sizeof near));
    text_printf(&t, "\n  first   ");
    print_access(p, p->act_before, p->before, p->lane, &t);
    text_printf(&t, "  then    ");
    print_access(p, p->act, &p->present->self, p->present->lane, &t);
    return text_take(&t);
}

void race_found(struct race *r, const struct race_pair *p)
{
    int32_t before = (int32_t)p->before->pc, now = (int32_t)p->present->self.pc;
    bool swap = now < before && !r->is_lockstep;
    struct race_finding new = {swap ? now : before, swap ? before : now, .kind = kind_of(p), .flow = flow_of(p)};
    for (int i = 0; i < r->findings.count; i++) {
        struct race_finding *f = &r->findings.data[i];
        if (f->low_pc == new.low_pc && f->high_pc == new.high_pc && f->kind == new.kind) {
            f->times++;
            return;
        }
    }
    new.times = 1;
    new.text = r->findings.count < RACE_MAX_KEPT ? describe(p, &new, r->is_lockstep) : NULL;
    vec_push(&r->findings, new);
}

void race_forget_findings(struct race *r)
{
    for (int i = 0; i < r->findings.count; i++)
        free(r->findings.data[i].text);
    vec_free(&r->findings);
}

int race_count(const struct race *r)
{
    return r->findings.count;
}

int race_count_kind(const struct race *r, enum race_kind kind)
{
    int count = 0;
    for (int i = 0; i < r->findings.count; i++)
        count += r->findings.data[i].kind == kind;
    return count;
}

int race_count_flow(const struct race *r, enum race_flow flow)
{
    int count = 0;
    for (int i = 0; i < r->findings.count; i++)
        count += r->findings.data[i].flow == flow;
    return count;
}

bool race_is_lockstep(const struct race *r)
{
    return r->is_lockstep;
}

bool race_first(const struct race *r, int32_t *low_pc, int32_t *high_pc)
{
    if (!r->findings.count)
        return false;
    *low_pc = r->findings.data[0].low_pc;
    *high_pc = r->findings.data[0].high_pc;
    return true;
}

static void print_meaning(const struct race *r, const char *mechanism, bool in_step, struct text *out)
{
    if (!race_count_kind(r, RACE_IN_ROW))
        return;
    if (!r->is_lockstep)
        text_printf(out, "The program relies on threads of a row executing in lock-step (it is warp-synchronous).\n");
    if (in_step)
        text_printf(out, "%s keeps threads in lock-step until they diverge; mechanisms that regroup threads do not.\n",
                    mechanism);
    else
        text_printf(out, "Under %s lock-step is not guaranteed: results may be wrong.\n", mechanism);
}

void race_print(const struct race *r, const char *mechanism, bool in_step, struct text *out)
{
    int count = r->findings.count;
    if (!count)
        return;
    for (int i = 0; i < count && i < RACE_MAX_KEPT; i++) {
        const struct race_finding *f = &r->findings.data[i];
        text_printf(out, "%s", f->text);
        if (f->times > 1)
            text_printf(out, "  found   %" PRIu64 " times\n", f->times);
    }
    if (r->is_lockstep)
        text_printf(out,
                    "%d pair%s of instructions rel%s on lock-step: %d write to read, %d read to write, %d write to "
                    "write; __syncwarp() between the two orders them\n",
                    count, count == 1 ? "" : "s", count == 1 ? "ies" : "y", race_count_flow(r, RACE_STORE_TO_LOAD),
                    race_count_flow(r, RACE_LOAD_TO_STORE), race_count_flow(r, RACE_STORE_TO_STORE));
    else
        text_printf(out, "%d pair%s of instructions race%s: %d within rows, %d within blocks, %d between blocks\n",
                    count, count == 1 ? "" : "s", count == 1 ? "s" : "", race_count_kind(r, RACE_IN_ROW),
                    race_count_kind(r, RACE_IN_BLOCK), race_count_kind(r, RACE_OF_BLOCKS));
    print_meaning(r, mechanism, in_step, out);
}
