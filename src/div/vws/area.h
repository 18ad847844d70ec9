/*
 * The area that variable warp sizing adds to an SM, as the paper estimates it for 40 nm (Rogers et al., ISCA 2015,
 * section 6.7): storage by its bits, a share of the control logic for each slice, and the ports of the L1 instruction
 * cache.
 *
 * The paper gives the area of its instruction cache with one port and with two. Other sizes and numbers of ports are
 * extrapolated here: area grows with the number of bits, and with the square of a cell's side, to which each port adds
 * as much as the second port does. The paper has eight or fewer slices. With more, narrower than four lanes, the gang
 * table has as many more entries as a warp can form gangs more, and the masks of an entry have one bit per slice.
 */
#ifndef HEDDLE_DIV_VWS_AREA_H
#define HEDDLE_DIV_VWS_AREA_H

#include <stdint.h>

/* The machine whose area is estimated. */
struct vws_area_of {
    uint32_t lanes, slice_lanes;   /* lanes of the SM, and of a slice */
    uint32_t warps;                /* slice warps per slice */
    uint32_t l1i_bytes, l1i_ports; /* size and ports of the L1 instruction cache */
    uint32_t l0_bytes;             /* size of the L0 instruction cache of a slice */
    uint32_t gangs;                /* entries of the gang table where the SM has eight slices */
    uint32_t sm_count;             /* SMs of the GPU */
};

/* Added area in square millimetres. */
struct vws_area {
    double l1i; /* ports of the L1 instruction cache beyond the first */
    double l0, buffers, table, scoreboards, control;
    double sm, sm_percent;   /* sum of the parts above; as a percentage of an SM of 16 mm2 */
    double gpu, gpu_percent; /* all SMs; as a percentage of a GPU of 529 mm2 */
};

/* The gang table. */
struct vws_table {
    double entries, entry_bits;
};

struct vws_table vws_table(const struct vws_area_of *of);
struct vws_area vws_area(const struct vws_area_of *of);

#endif
