/*
 * What narrow warps and variable warp sizing cost: per slice a stack, a scoreboard and an instruction buffer for each
 * slice warp, an L0, and a table of gangs (Rogers et al., ISCA 2015, section 6.7). area.h has the paper's silicon.
 *
 * The paper's Table 2 does not list the stacks: each slice warp has one of its own (section 4.3), with as many entries
 * as a warp's but a narrower mask. They are counted here as storage, not as area.
 */
#include "div/parts/cost.h"
#include "div/vws/area.h"
#include "div/vws/vws.h"

/* Lanes of a slice: no wider than a warp. */
static uint32_t slice_width(const struct cost *c, uint32_t knob)
{
    uint32_t width = vws_widths[knob];
    return width < c->machine->warp_width ? width : c->machine->warp_width;
}

static void cost_slices(struct cost *c, uint32_t width)
{
    const struct cost_machine *m = c->machine;
    double slices = (double)m->warp_width / width, slice_warps = slices * m->warps;
    cost_storage(c, "slice stacks", slice_warps * cost_entries(c, 0), 2.0 * COST_PC_BITS + width,
                 "N x W / width x D entries of PC + RPC + width", COST_VWS ", section 4.3; not in Table 2");
    cost_storage(c, "slice scoreboards", slice_warps * cost_scoreboard_entries(c), cost_scoreboard_bits(c),
                 "N x W / width scoreboards as a warp has", COST_VWS ", Table 2");
    cost_storage(c, "slice buffers", slice_warps * m->ibuffer_entries, COST_INSTRUCTION_BITS,
                 "N x W / width instruction buffers as a warp has", COST_VWS ", Table 2");
    cost_storage(c, "L0 caches", slices, 8.0 * m->l0_bytes, "W / width caches of sm.l0_bytes", COST_VWS ", Table 2");
    cost_logic(c, "slice front end", slices, width, "W / width: fetch, decode and issue",
               COST_VWS ", sections 4.1, 6.7");
}

void ws_cost(struct cost *c)
{
    const struct ws_knobs *knobs = c->knobs;
    cost_slices(c, slice_width(c, knobs->width));
}

void vws_cost(struct cost *c)
{
    const struct cost_machine *m = c->machine;
    const struct vws_knobs *knobs = c->knobs;
    uint32_t width = slice_width(c, knobs->width);
    struct vws_area_of of = {.lanes = m->warp_width,
                             .slice_lanes = width,
                             .warps = m->warps,
                             .l1i_bytes = m->l1i_bytes,
                             .l1i_ports = knobs->fetch_ports,
                             .l0_bytes = m->l0_bytes,
                             .gangs = knobs->table_sets * knobs->table_ways,
                             .sm_count = m->sm_count};
    struct vws_area area = vws_area(&of);
    struct vws_table table = vws_table(&of);
    cost_slices(c, width);
    cost_storage(c, "gang table", table.entries, table.entry_bits,
                 "vws.table_sets x vws.table_ways entries; more and longer with more than 8 slices",
                 COST_VWS ", section 4.3, Table 2");
    cost_storage(c, "independent-warp masks", m->warps, (double)m->warp_width / width, "N x W / width bits",
                 COST_VWS ", section 4.2; not in Table 2");
    cost_logic(c, "L1I port", knobs->fetch_ports, COST_INSTRUCTION_BITS, "vws.fetch_ports", COST_VWS ", section 4.6");
    cost_area(c, area.sm, area.sm_percent);
    cost_figure(c, "share of the GPU", area.gpu_percent, "%", "gpu.sm_count x area of 529 mm2", COST_VWS ", Table 2");
}
