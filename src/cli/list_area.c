/* heddle list area: what variable warp sizing adds to a multiprocessor, by the width of its slices. */
#include "cli/list.h"

#include "cli/cli.h"
#include "div/vws_area.h"

#include <stddef.h>

enum { WIDTHS = 3 };

static const struct row {
    const char *name;
    size_t offset;
} rows[] = {
    {"l1i_second_port_mm2", offsetof(struct vws_area, l1i)},
    {"l0_mm2", offsetof(struct vws_area, l0)},
    {"ibuffers_mm2", offsetof(struct vws_area, buffers)},
    {"gang_table_mm2", offsetof(struct vws_area, table)},
    {"scoreboards_mm2", offsetof(struct vws_area, scoreboards)},
    {"control_mm2", offsetof(struct vws_area, control)},
    {"sm_mm2", offsetof(struct vws_area, sm)},
    {"sm_percent", offsetof(struct vws_area, sm_percent)},
    {"gpu_mm2", offsetof(struct vws_area, gpu)},
    {"gpu_percent", offsetof(struct vws_area, gpu_percent)},
};

int list_area(const struct list_request *r)
{
    static const uint32_t widths[WIDTHS] = {4, 8, 16};
    struct vws_area area[WIDTHS];
    for (int i = 0; i < WIDTHS; i++)
        area[i] = vws_area(&(struct vws_area_of){.lanes = 32,
                                                 .slice_lanes = widths[i],
                                                 .warps = 32,
                                                 .l1i_bytes = 64 << 10,
                                                 .l1i_ports = 2,
                                                 .l0_bytes = 256,
                                                 .gangs = 128,
                                                 .sm_count = 15});
    if (r->format != FORMAT_JSON)
        printf("%-20s %10s %10s %10s\n", "", "slices: 4", "8", "16 lanes");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        printf(r->format == FORMAT_JSON ? "{\"name\":\"%s\"" : "%-20s", rows[k].name);
        for (int i = 0; i < WIDTHS; i++) {
            double value = *(const double *)((const char *)&area[i] + rows[k].offset);
            if (r->format == FORMAT_JSON)
                printf(",\"%u\":%.4f", widths[i], value);
            else
                printf(" %10.3f", value);
        }
        printf(r->format == FORMAT_JSON ? "}\n" : "\n");
    }
    return STATUS_OK;
}
