/*
 * The area that variable warp sizing adds to a multiprocessor, as the paper estimates it for 40 nm (Rogers et al., ISCA 2015,
 * section 6.7): storage by its bits, a share of the control logic for each slice, and the ports of the L1 instruction cache.
 *
 * The paper has its instruction cache with one port and with two. Other sizes and numbers of ports are extrapolated here: area
 * grows with the bits, and with the square of a cell's side, to which each port adds as much as the second one does.
 */
#ifndef HEDDLE_DIV_VWS_AREA_H
#define HEDDLE_DIV_VWS_AREA_H

#include <stdint.h>

struct vws_area_of {
    uint32_t lanes, slice_lanes; /* of the multiprocessor, and of a slice */
    uint32_t warps;              /* slice warps of a slice */
    uint32_t l1i_bytes, l1i_ports;
    uint32_t l0_bytes; /* of a slice */
    uint32_t gangs;    /* entries of the gang table */
    uint32_t sm_count;
};

/* In square millimetres. */
struct vws_area {
    double l1i; /* beyond one port */
    double l0, buffers, table, scoreboards, control;
    double sm, sm_percent;   /* of all these together, and of a multiprocessor of 16 mm2 */
    double gpu, gpu_percent; /* of all multiprocessors, and of a GPU of 529 mm2 */
};

struct vws_area vws_area(const struct vws_area_of *of);

#endif
