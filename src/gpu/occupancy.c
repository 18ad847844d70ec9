/* Occupancy: the least of what block slots, threads, registers and shared memory allow. See occupancy.h. */
#include "gpu/occupancy.h"

static uint32_t divide_up(uint32_t x, uint32_t by)
{
    return x / by + (x % by != 0);
}

static uint64_t round_up(uint64_t x, uint32_t unit)
{
    return (x + unit - 1) / unit * unit;
}

static uint64_t block_registers(const struct sm_config *sm, uint32_t warps, uint32_t registers)
{
    uint64_t of_warp = (uint64_t)registers * sm->warp_width;
    if (sm->register_scope == SM_REGISTERS_BY_BLOCK)
        return round_up(of_warp * warps, sm->register_unit);
    return round_up(of_warp, sm->register_unit) * warps;
}

static uint32_t saturate(uint64_t x)
{
    return x > UINT32_MAX ? UINT32_MAX : (uint32_t)x;
}

static uint32_t fit(uint32_t have, uint64_t need)
{
    return need ? (uint32_t)(have / need) : UINT32_MAX;
}

struct occupancy occupancy_of(const struct machine *m, const struct occupancy_need *need)
{
    struct occupancy found = {0};
    const struct sm_config *sm = &m->sm;
    uint32_t warps = divide_up(need->threads, sm->warp_width);
    uint64_t registers = block_registers(sm, warps, need->registers);
    uint64_t shared = round_up(need->shared_bytes, sm->shared_unit_bytes);
    found.registers_used = saturate(registers);
    found.shared_bytes_used = saturate(shared);
    found.allowed[OCCUPANCY_BLOCK_SIZE] = need->threads > m->gpu.max_block_threads ? 0 : UINT32_MAX;
    found.allowed[OCCUPANCY_BLOCKS] = sm->max_blocks;
    found.allowed[OCCUPANCY_THREADS] = fit(sm->max_threads, (uint64_t)warps * sm->warp_width);
    found.allowed[OCCUPANCY_REGISTERS] = fit(sm->registers, registers);
    found.allowed[OCCUPANCY_SHARED] = fit(sm->shared_bytes, shared);
    for (int i = 1; i < OCCUPANCY_LIMIT_COUNT; i++)
        if (found.allowed[i] < found.allowed[found.limit])
            found.limit = (enum occupancy_limit)i;
    found.blocks = found.allowed[found.limit];
    found.threads = found.blocks * need->threads;
    found.warps = found.blocks * warps;
    return found;
}

const char *occupancy_limit_name(enum occupancy_limit limit)
{
    static const char *const names[OCCUPANCY_LIMIT_COUNT] = {
        [OCCUPANCY_BLOCK_SIZE] = "block size", [OCCUPANCY_BLOCKS] = "blocks",        [OCCUPANCY_THREADS] = "threads",
        [OCCUPANCY_REGISTERS] = "registers",   [OCCUPANCY_SHARED] = "shared memory",
    };
    return names[limit];
}

void occupancy_explain(const struct machine *m, const struct occupancy_need *need, const struct occupancy *found,
                       struct text *out)
{
    if (found->blocks) {
        text_printf(out, "%u blocks per multiprocessor, limited by %s", found->blocks,
                    occupancy_limit_name(found->limit));
        return;
    }
    text_printf(out, "a block does not fit on a multiprocessor of '%s': it needs ", m->name);
    switch (found->limit) {
    case OCCUPANCY_BLOCK_SIZE:
        text_printf(out, "%u threads, and a block may have %u", need->threads, m->gpu.max_block_threads);
        break;
    case OCCUPANCY_REGISTERS:
        text_printf(out, "%u registers (%u per thread), and there are %u", found->registers_used, need->registers,
                    m->sm.registers);
        break;
    case OCCUPANCY_SHARED:
        text_printf(out, "%u bytes of shared memory, and there are %u", found->shared_bytes_used, m->sm.shared_bytes);
        break;
    /* threads: max_blocks is at least 1, and machine_check() holds that a block of allowed size fits max_threads */
    default:
        text_printf(out, "%u threads, and there are %u", need->threads, m->sm.max_threads);
        break;
    }
}
