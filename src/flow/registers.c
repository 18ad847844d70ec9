/* Registers by name, from the liveness that a program is made with. See registers.h. */
#include "flow/registers.h"

#include "base/vec.h"
#include "flow/analysis.h"

/* Lists of registers, one per PC. */
struct register_lists {
    int32_t *first, *count; /* by PC: where its list begins, and how long it is */
    struct vec_of(struct named_register) all;
};

struct registers {
    struct register_lists live, written;
};

/* The set of live registers on the way up through a block. */
struct live_set {
    int32_t *place; /* by register: 1 + its place in `list`; 0: the register is not live */
    struct vec_of(int32_t) list;
};

static void add(struct live_set *s, int32_t reg)
{
    if (reg < 0 || s->place[reg])
        return;
    vec_push(&s->list, reg);
    s->place[reg] = s->list.count;
}

static void drop(struct live_set *s, int32_t reg)
{
    if (reg < 0 || !s->place[reg])
        return;
    int32_t last = s->list.data[--s->list.count];
    s->list.data[s->place[reg] - 1] = last;
    s->place[last] = s->place[reg];
    s->place[reg] = 0;
}

static int compare_numbers(const void *left, const void *right)
{
    return *(const int32_t *)left - *(const int32_t *)right;
}

static struct named_register describe(const struct program_function *f, const struct analysis *a, int32_t reg)
{
    const struct ptx_function *source = f->source;
    bool is_hidden = reg >= source->register_count;
    const char *hidden = reg == source->register_count ? "carry" : "copies under way";
    return (struct named_register){.name = is_hidden ? hidden : source->registers[reg].name,
                                   .type = is_hidden ? TYPE_PRED : source->registers[reg].type,
                                   .bits = a->register_bits[reg],
                                   .plane = analysis_plane(a, f, reg)};
}

/* Writes the list of a PC. */
static void note_list(struct register_lists *lists, int32_t pc, const struct program_function *f,
                      const struct analysis *a, const int32_t *regs, int count)
{
    lists->first[pc] = lists->all.count;
    lists->count[pc] = count;
    for (int i = 0; i < count; i++)
        vec_push(&lists->all, describe(f, a, regs[i]));
}

static void note_written(struct registers *r, int32_t pc, const struct program *p, const struct analysis *a)
{
    const struct insn *insn = &p->insns[pc];
    int32_t regs[UINT8_MAX];
    int count = 0;
    for (int i = 0; i < insn->dest_count; i++)
        if (analysis_register(&insn->dest[i]) >= 0)
            regs[count++] = analysis_register(&insn->dest[i]);
    note_list(&r->written, pc, &p->functions[insn->function], a, regs, count);
}

/* Makes the set that of the registers live at the block's end. */
static void start_at_end(struct live_set *s, const struct analysis *a, int block, uint64_t *out)
{
    while (s->list.count)
        drop(s, s->list.data[s->list.count - 1]);
    liveness_out(&a->live, a, block, out);
    for (int name = 0; name < a->live.name_count; name++)
        if (out[name / 64] >> (name % 64) & 1)
            add(s, a->live.reg[name]);
}

static void note_function(struct registers *r, const struct program *p, const struct program_function *f,
                          const struct analysis *a)
{
    struct live_set s = {.place = xcalloc((size_t)a->register_count + 1, sizeof *s.place)};
    uint64_t *out = xcalloc((size_t)a->live.words + 1, sizeof *out);
    struct vec_of(int32_t) sorted = {0};
    for (int b = 0; b < f->block_count; b++) {
        const struct flow_block *block = &p->blocks[f->first_block + b];
        start_at_end(&s, a, b, out);
        for (int32_t pc = block->last; pc >= block->first; pc--) {
            const struct insn *insn = &p->insns[pc];
            for (int i = 0; i < insn->dest_count && insn->guard < 0; i++)
                drop(&s, analysis_register(&insn->dest[i]));
            add(&s, insn->guard);
            for (int i = 0; i < insn->source_count; i++)
                add(&s, analysis_register(&insn->source[i]));
            sorted.count = 0;
            for (int i = 0; i < s.list.count; i++)
                vec_push(&sorted, s.list.data[i]);
            if (sorted.count)
                qsort(sorted.data, (size_t)sorted.count, sizeof *sorted.data, compare_numbers);
            note_list(&r->live, pc, f, a, sorted.data, sorted.count);
            note_written(r, pc, p, a);
        }
    }
    vec_free(&sorted);
    vec_free(&s.list);
    free(s.place);
    free(out);
}

static void open_lists(struct register_lists *lists, int count)
{
    lists->first = xcalloc((size_t)count + 1, sizeof *lists->first);
    lists->count = xcalloc((size_t)count + 1, sizeof *lists->count);
}

static void close_lists(struct register_lists *lists)
{
    free(lists->first);
    free(lists->count);
    vec_free(&lists->all);
}

void registers_note(struct registers *r, const struct program *p, const struct analysis *functions)
{
    open_lists(&r->live, p->insn_count);
    open_lists(&r->written, p->insn_count);
    for (int i = 0; i < p->function_count; i++)
        note_function(r, p, &p->functions[i], &functions[i]);
}

struct registers *registers_create(const struct ptx_function *kernel)
{
    struct registers *r = xcalloc(1, sizeof *r);
    char *error;
    struct program *p = program_create_with(kernel, r, &error);
    program_destroy(p);
    free(error);
    return r;
}

void registers_destroy(struct registers *r)
{
    if (!r)
        return;
    close_lists(&r->live);
    close_lists(&r->written);
    free(r);
}

static const struct named_register *list_of(const struct register_lists *lists, int32_t pc, int *count)
{
    *count = lists->count ? lists->count[pc] : 0;
    return *count ? lists->all.data + lists->first[pc] : NULL;
}

const struct named_register *registers_live(const struct registers *r, int32_t pc, int *count)
{
    return list_of(&r->live, pc, count);
}

const struct named_register *registers_written(const struct registers *r, int32_t pc, int *count)
{
    return list_of(&r->written, pc, count);
}
