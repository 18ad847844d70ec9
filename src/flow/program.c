/*
 * Programs: makes a kernel and every function it can call into one decoded program (program.h), pass by pass. The
 * passes are in other files of flow/ (analysis.h lists them); each reads what the passes before it found, so their
 * order in analyse() matters. Once made, a program is only read.
 */
#include "flow/program.h"

#include "base/bits.h"
#include "base/text.h"
#include "flow/analysis.h"
#include "flow/decode.h"

#include <stdlib.h>
#include <string.h>

static void describe_registers(const struct ptx_function *f, struct analysis *a, struct arena *scratch)
{
    a->register_count = f->register_count + 1 + PROGRAM_COPY_REGISTERS;
    a->register_bits = arena_array(scratch, uint8_t, (size_t)a->register_count);
    for (int i = 0; i < f->register_count; i++)
        a->register_bits[i] = (uint8_t)decode_register_bits((enum type)f->registers[i].type);
    for (int i = f->register_count; i < a->register_count; i++) /* the carry, and copies under way */
        a->register_bits[i] = 1;
}

/* Special registers that do not change while a thread lives are kept in planes, below the planes of registers. */
static void place_sregs(struct program *p, const bool *uses_sreg)
{
    for (int i = 0; i < SREG_COUNT; i++) {
        p->sreg_plane[i] = -1;
        if (!uses_sreg[i] || sreg_table[i].scope == SCOPE_EVERY_READ)
            continue;
        p->sreg_plane[i] = p->plane_count;
        p->plane_count += type_table[sreg_table[i].type].bits == 64 ? 2 : 1;
    }
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_refs(uint64_t hash, const struct ref *refs, int count)
{
    for (int i = 0; i < count; i++) {
        const struct ref *r = &refs[i];
        hash = mix(hash, r->kind | (uint64_t)r->type << 8 | (uint64_t)r->bits << 16 | (uint64_t)r->negate << 24 |
                             (uint64_t)r->sreg << 32 | (uint64_t)r->select << 40);
        hash = mix(hash, (uint32_t)r->plane | r->immediate << 32);
        hash = mix(hash, (uint64_t)r->offset + (r->immediate >> 32));
        if (r->variable)
            hash = bits_hash(hash, r->variable->name, strlen(r->variable->name));
        if (r->function)
            hash = bits_hash(hash, r->function->name, strlen(r->function->name));
    }
    return hash;
}

static uint64_t hash_program(const struct program *p)
{
    uint64_t hash = bits_hash(BITS_HASH_SEED, p->kernel->name, strlen(p->kernel->name));
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        const struct insn *insn = &p->insns[pc];
        hash = mix(hash, insn->op | (uint64_t)insn->guard_negate << 16 | (uint64_t)(uint32_t)insn->guard << 32);
        hash = mix(hash, (uint32_t)insn->target | insn->suffixes.flags << 32);
        hash = bits_hash(hash, insn->suffixes.type, 2);
        if (insn->suffixes.shape)
            hash = bits_hash(mix(hash, insn->suffixes.shape), insn->suffixes.type, sizeof insn->suffixes.type);
        for (int g = 0; g < GROUP_COUNT; g++)
            hash = insn->suffixes.mod[g] ? mix(hash, insn->suffixes.mod[g]) : hash;
        hash = hash_refs(hash, insn->dest, insn->dest_count);
        hash = hash_refs(hash, insn->source, insn->source_count);
    }
    for (int i = 0; i < p->branch_count; i++)
        for (int k = 0; k < p->branches[i].target_count; k++)
            hash = mix(hash, (uint64_t)p->branches[i].target[k]);
    return hash;
}

/* Runs all passes over the decoded functions. */
static void analyse(struct program *p, const struct decoder *d, struct registers *registers, struct arena *scratch)
{
    struct analysis *functions = arena_array(scratch, struct analysis, (size_t)p->function_count);
    for (int i = 0; i < p->function_count; i++) {
        functions[i].pc_of = d->pc_of[i];
        describe_registers(p->functions[i].source, &functions[i], scratch);
    }
    blocks_create(p, functions, scratch);
    blocks_name(p, functions);
    blocks_analyse(p, functions, scratch);
    for (int i = 0; i < p->function_count; i++)
        functions[i].live = liveness_create(p, i, &functions[i], scratch);
    branch_create(p, functions);
    uniform_prove(p, functions, scratch);
    for (int i = 0; i < p->function_count; i++)
        reconvergence_past_bare_ends(p, &p->functions[i], &functions[i], scratch);
    reconvergence_before_barriers(p, functions, scratch);
    branch_reconverge(p, functions);
    allocate_planes(p, functions, scratch);
    place_sregs(p, d->uses_sreg);
    callgraph_resolve(p, functions, scratch);
    /* Before bind_planes() replaces registers by planes, so that the hash does not depend on the allocation. */
    p->hash = hash_program(p);
    if (registers)
        registers_note(registers, p, functions);
    bind_planes(p, functions);
}

/* Limits that all CUDA machines share; a launch checks those that differ between machines. */
enum { MOST_LOCAL_BYTES = 512 * 1024, MOST_PARAMETER_BYTES = 32764 };

static char *check_sizes(const struct program *p)
{
    struct text t = {0};
    if (p->layout->dynamic_shared_offset >= LAYOUT_LIMIT || p->layout->static_shared_bytes >= LAYOUT_LIMIT)
        text_printf(&t, "kernel '%s' declares more shared memory than any machine has", p->kernel->name);
    else if (p->layout->parameter_bytes > MOST_PARAMETER_BYTES)
        text_printf(&t, "kernel '%s' has %u bytes of parameters; at most %d are possible", p->kernel->name,
                    p->layout->parameter_bytes, MOST_PARAMETER_BYTES);
    else if (p->stack_bytes > MOST_LOCAL_BYTES)
        text_printf(&t, "kernel '%s' needs %u bytes of local memory per thread; at most %d are possible",
                    p->kernel->name, p->stack_bytes, MOST_LOCAL_BYTES);
    return t.length ? text_take(&t) : NULL;
}

struct program *program_create(const struct ptx_function *kernel, char **error)
{
    return program_create_with(kernel, NULL, error);
}

struct program *program_create_with(const struct ptx_function *kernel, struct registers *registers, char **error)
{
    struct text t = {0};
    *error = NULL;
    if (!kernel->is_defined) {
        text_printf(&t, "kernel '%s' has no body", kernel->name);
        *error = text_take(&t);
        return NULL;
    }
    struct program *p = xcalloc(1, sizeof *p);
    struct arena scratch = {0};
    struct decoder d = {.program = p, .scratch = &scratch};
    p->kernel = kernel;
    p->layout = layout_create(kernel);
    if (decode_functions(&d)) {
        analyse(p, &d, registers, &scratch);
        *error = check_sizes(p);
    } else {
        *error = d.error;
    }
    decode_finish(&d);
    arena_free(&scratch);
    if (*error) {
        program_destroy(p);
        return NULL;
    }
    return p;
}

void program_destroy(struct program *program)
{
    if (!program)
        return;
    layout_destroy(program->layout);
    arena_free(&program->arena);
    free(program);
}

struct program program_plain(const struct program *program)
{
    struct program plain = *program;
    plain.branches = plain.plain_branches;
    return plain;
}

struct ptx_place program_place(const struct program *program, int32_t pc)
{
    return ptx_place(program->kernel->module, program->insns[pc].location, program->insns[pc].line);
}

const char *program_where(const struct program *program, int32_t pc, char *buffer, size_t size)
{
    struct ptx_place place = program_place(program, pc);
    return ptx_place_print(&place, buffer, size);
}

const char *program_where_both(const struct program *program, int32_t pc, char *buffer, size_t size)
{
    struct ptx_place place = program_place(program, pc);
    return ptx_place_print_both(&place, buffer, size);
}
