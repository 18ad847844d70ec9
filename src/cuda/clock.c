/* The clock that events read: see clock.h. */
#include "cuda/clock.h"

#include "gpu/machine.h"

static const uint64_t picoseconds_per_second = UINT64_C(1000000000000);

void clock_read(const struct driver *d, struct timespec *time)
{
    if (!d->request.gpu) {
        clock_gettime(CLOCK_MONOTONIC, time);
        return;
    }
    uint64_t now = d->request.simulated_picoseconds;
    *time = (struct timespec){.tv_sec = (time_t)(now / picoseconds_per_second),
                              .tv_nsec = (long)(now % picoseconds_per_second / 1000)};
}

static bool is_on_device(const struct driver *d, uint64_t address)
{
    return address >= MEMORY_HEAP_BASE && address < d->memory->next_address;
}

void clock_pass_copy(struct driver *d, uint64_t to, uint64_t from, uint64_t bytes)
{
    const struct machine *machine = device_machine(d);
    if (machine && machine->gpu.copy_gbps > 0 && is_on_device(d, to) != is_on_device(d, from))
        d->request.simulated_picoseconds += (uint64_t)(1000 * (double)bytes / machine->gpu.copy_gbps);
}
