/* The area of variable warp sizing; area.h says what is estimated. */
#include "div/vws/area.h"

#include <math.h>

/* Area of one bit with its wiring, in square micrometres: in a latch, and in a flip-flop of an associative table. */
static const double latch = 2.1 * 1.5, flip_flop = 3.6 * 3;

enum { BUFFER_BITS = 128, GANG_BITS = 64, L1I_BYTES = 64 << 10, PAPER_SLICES = 8 };

static const double scoreboard_bits = 1800.0 / 32; /* bits of the scoreboard of one slice warp */
static const double l1i_area = 0.087, l1i_dual_area = 0.194, sm_area = 16, gpu_area = 529;
static const double control_share = 0.01; /* control logic per slice, as a share of the SM's area */

static double l1i_ports(const struct vws_area_of *of)
{
    double side = 1 + (sqrt(l1i_dual_area / l1i_area) - 1) * (of->l1i_ports - 1.0);
    return l1i_area * of->l1i_bytes / L1I_BYTES * (side * side - 1);
}

/* An entry of the gang table has two masks of one bit per slice. With more slices than the paper's eight, a warp
 * can split into more gangs (half as many as there are slices), and each entry has longer masks. With fewer slices the
 * table stays as it is, as in Table 2. */
struct vws_table vws_table(const struct vws_area_of *of)
{
    double slices = (double)of->lanes / of->slice_lanes, more = slices > PAPER_SLICES ? slices - PAPER_SLICES : 0;
    return (struct vws_table){.entries = of->gangs * (1 + more / PAPER_SLICES), .entry_bits = GANG_BITS + 2 * more};
}

struct vws_area vws_area(const struct vws_area_of *of)
{
    double slices = (double)of->lanes / of->slice_lanes, mm2 = 1e-6;
    struct vws_table table = vws_table(of);
    struct vws_area a = {.l1i = l1i_ports(of),
                         .l0 = slices * 8 * of->l0_bytes * latch * mm2,
                         .buffers = slices * of->warps * BUFFER_BITS * latch * mm2,
                         .table = table.entries * table.entry_bits * latch * mm2,
                         .scoreboards = slices * of->warps * scoreboard_bits * flip_flop * mm2,
                         .control = slices * control_share * sm_area};
    a.sm = a.l1i + a.l0 + a.buffers + a.table + a.scoreboards + a.control;
    a.sm_percent = 100 * a.sm / sm_area;
    a.gpu = of->sm_count * a.sm;
    a.gpu_percent = 100 * a.gpu / gpu_area;
    return a;
}
