/* Energy of a launch: see energy.h. */
#include "report/energy.h"

#include "mem/stats.h"
#include "sm/stats.h"

#include <math.h>

enum {
#define ENERGY(name, picojoules, meaning, source) PJ_##name,
#include "report/energy.def"
    ENERGY_FIGURES
};

const struct energy_figure energy_figures[] = {
#define ENERGY(name, picojoules, meaning, source) {#name, picojoules, meaning, source},
#include "report/energy.def"
    {0},
};

static const struct stat_counter energy_counters[] = {
#define PART(field, text)                                            \
    {                                                                \
#field, "pJ", text, offsetof(struct energy, field), STAT_SUM \
    }
    PART(l0, "L0 instruction caches: sm.l0_hits, and two accesses for each of sm.l0_misses, a look-up and a fill."),
    PART(l1, "L1 instruction cache: sm.fetches that no L0 served, and lines that are filled."),
    PART(l2, "Lines that the L2 reads for the L1 instruction cache: instruction.misses less instruction.merges."),
    PART(decode, "Decoding and control: sm.decodes."),
    PART(slices, "Instruction buffers, written and read, and scoreboards: sm.buffer_fills."),
    PART(picks, "The scheduler's entry of the strand that issues: sm.warp_instructions and sm.syncs."),
    PART(registers, "Registers that threads read and write, in 32 bits, at each issue."),
    PART(lanes, "Operations of threads, by class of instruction."),
#undef PART
};

const struct stat_owner energy_owner = {"energy", energy_counters, sizeof energy_counters / sizeof *energy_counters,
                                        sizeof(struct energy)};

/* ---- the front end ---- */

enum {
    WORD = 8,             /* bytes of an access that energy.def speaks of */
    BUFFER_ENTRY = 16,    /* Rogers et al., ISCA 2015, Table 2: 4 Kbits for 32 decoded instructions */
    SCOREBOARD_ENTRY = 7, /* Table 2: 1800 bits for 32 warps */
    SCHEDULER_ENTRY = 8   /* section 4.3: PC, masks, valid bit */
};

/* Energy to read or write some bytes of an SRAM. */
static double sram(double size_bytes, double bytes)
{
    return energy_figures[PJ_sram].picojoules * sqrt(size_bytes / 32768) * bytes / WORD;
}

static uint64_t events(double count, double picojoules)
{
    return (uint64_t)llround(count * picojoules);
}

static double count_of(const struct gpu_result *result, const char *path)
{
    return (double)stat_get(&(struct stat_result){result->parts, result->part_count}, path, NULL);
}

static void add_front_end(struct energy *e, const struct machine *m, const struct gpu_result *result)
{
    const struct sm_stats *s = &result->sm;
    const uint32_t bytes = m->sm.instruction_bytes, line = m->mem.port[PORT_INSTRUCTION].line_bytes;
    const double warps = (double)m->sm.max_threads / m->sm.warp_width;
    const double lines = count_of(result, "instruction.misses") - count_of(result, "instruction.merges");
    const double l1 = m->mem.port[PORT_INSTRUCTION].bytes;
    e->l0 = events((double)(s->l0_hits + 2 * s->l0_misses), sram(m->sm.l0_bytes, bytes));
    e->l1 = events((double)(s->fetches - s->l0_hits), sram(l1, bytes)) + events(lines, sram(l1, line));
    e->l2 = events(lines, sram(m->mem.l2_bytes, line));
    e->decode = events((double)s->decodes, energy_figures[PJ_control].picojoules);
    e->slices = events((double)s->buffer_fills, 2 * sram(warps * m->sm.ibuffer_entries * BUFFER_ENTRY, BUFFER_ENTRY) +
                                                    sram(warps * SCOREBOARD_ENTRY, WORD));
    e->picks = events((double)(s->warp_instructions + s->syncs), sram(warps * SCHEDULER_ENTRY, WORD));
}

/* ---- the back end ---- */

/* Registers of 32 bits that a thread reads and writes; predicates are in a file of their own. */
static unsigned registers_of(const struct insn *in)
{
    unsigned count = 0;
    for (int i = 0; i < in->dest_count; i++)
        if (in->dest[i].kind == REF_PLANE && in->dest[i].bits > 1)
            count += (in->dest[i].bits + 31u) / 32;
    for (int i = 0; i < in->source_count; i++)
        if (in->source[i].kind == REF_PLANE && in->source[i].bits > 1)
            count += (in->source[i].bits + 31u) / 32;
    return count;
}

/* Divisions and special functions have no figure of their own: they count as a multiplication of their type. */
static double lane_picojoules(const struct insn *in)
{
    switch ((enum op_class)in->class) {
    case CLASS_IMUL:
    case CLASS_IDIV:
        return energy_figures[PJ_imul].picojoules;
    case CLASS_FP32:
    case CLASS_HALF:
    case CLASS_FDIV:
    case CLASS_SFU:
    case CLASS_CVT:
        return energy_figures[PJ_fp32].picojoules;
    case CLASS_FP64:
    case CLASS_DDIV:
        return energy_figures[PJ_fp64].picojoules;
    default:
        return energy_figures[PJ_int].picojoules;
    }
}

static void add_back_end(struct energy *e, const struct program *p, const struct gpu_result *result)
{
    double registers = 0, lanes = 0;
    for (int32_t pc = 0; result->sites && pc < p->insn_count && pc < result->site_count; pc++) {
        double threads = (double)result->sites[pc].threads;
        registers += threads * registers_of(&p->insns[pc]);
        lanes += threads * lane_picojoules(&p->insns[pc]);
    }
    e->registers = events(registers, energy_figures[PJ_register].picojoules);
    e->lanes = events(lanes, 1);
}

struct energy energy_of(const struct machine *m, const struct program *p, const struct gpu_result *result)
{
    struct energy e = {0};
    if (result->sm.fetches)
        add_front_end(&e, m, result);
    add_back_end(&e, p, result);
    return e;
}
