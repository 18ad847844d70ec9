/*
 * heddle list area: the silicon that variable warp sizing adds to a multiprocessor, by the width of its slices.
 *
 * Without options these are the numbers of Table 2 of Rogers et al., ISCA 2015: the paper's machine as a GPU of 15
 * multiprocessors, with two ports of the L1 instruction cache and L0 caches of 256 bytes. --gpu takes another machine,
 * with the default knobs of vws; --set changes a knob of the machine or of vws.
 */
#include "cli/list.h"

#include "cli/cli.h"
#include "div/vws/area.h"
#include "div/vws/vws.h"
#include "gpu/machine.h"

#include <string.h>

enum { WIDTHS = 3 };

static const struct area_row {
    const char *name;
    size_t offset;
} rows[] = {
    {"l1i_ports_mm2", offsetof(struct vws_area, l1i)},
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

struct area_design {
    struct machine *machine;
    struct vws_knobs vws;
};

static bool set(struct area_design *d, const char *setting, char **error)
{
    const char *equals = strchr(setting, '=');
    char name[64];
    if (strncmp(setting, "vws.", 4) || !equals)
        return machine_set(d->machine, setting, error);
    snprintf(name, sizeof name, "%.*s", (int)(equals - setting) - 4, setting + 4);
    return knob_set(&vws_knob_table, &d->vws, name, equals + 1, error);
}

static bool open_design(struct area_design *d, const struct list_request *r, char **error)
{
    static const char *const paper[] = {"gpu.sm_count=15", "sm.l0_bytes=256", "vws.fetch_ports=2"};
    bool ok = true;
    knob_defaults(&vws_knob_table, &d->vws);
    d->machine = machine_load(r->gpu ? r->gpu : "vws", error);
    if (!d->machine)
        return false;
    for (size_t i = 0; ok && !r->gpu && i < sizeof paper / sizeof *paper; i++)
        ok = set(d, paper[i], error);
    for (int i = 0; ok && i < r->setting_count; i++)
        ok = set(d, r->settings[i], error);
    return ok && machine_check(d->machine, error);
}

static struct vws_area area_of(const struct area_design *d, uint32_t slice_lanes)
{
    const struct machine *m = d->machine;
    return vws_area(&(struct vws_area_of){.lanes = m->sm.warp_width,
                                          .slice_lanes = slice_lanes,
                                          .warps = m->sm.max_threads / m->sm.warp_width,
                                          .l1i_bytes = m->mem.port[PORT_INSTRUCTION].bytes,
                                          .l1i_ports = d->vws.fetch_ports,
                                          .l0_bytes = m->sm.l0_bytes,
                                          .gangs = d->vws.table_sets * d->vws.table_ways,
                                          .sm_count = m->gpu.sm_count});
}

static void print_areas(enum list_format format, const uint32_t *widths, const struct vws_area *area)
{
    if (format != LIST_JSON)
        printf("%-20s %10s %10s %10s\n", "", "slices: 4", "8", "16 lanes");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        printf(format == LIST_JSON ? "{\"name\":\"%s\"" : "%-20s", rows[k].name);
        for (int i = 0; i < WIDTHS; i++) {
            double value = *(const double *)((const char *)&area[i] + rows[k].offset);
            if (format == LIST_JSON)
                printf(",\"%u\":%.4f", widths[i], value);
            else
                printf(" %10.3f", value);
        }
        printf(format == LIST_JSON ? "}\n" : "\n");
    }
}

int list_area(const struct list_request *r)
{
    static const uint32_t widths[WIDTHS] = {4, 8, 16};
    struct vws_area area[WIDTHS];
    struct area_design d = {0};
    char *error = NULL;
    bool ok = open_design(&d, r, &error);
    for (int i = 0; ok && i < WIDTHS; i++)
        area[i] = area_of(&d, widths[i]);
    if (ok)
        print_areas(r->format, widths, area);
    else
        cli_misuse("list", "%s", error);
    free(error);
    machine_free(d.machine);
    return ok ? STATUS_OK : STATUS_USAGE;
}
