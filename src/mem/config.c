/* The knob table of the memory system. Defaults describe a Fermi-like machine (TSTBC Table 1: caches, controllers,
 * DRAM queue and timing). What that table does not give is assumed: clocks, latencies, queues, miss registers,
 * widths. */
#include "mem/config.h"

#include "base/bits.h"
#include "base/diag.h"
#include "base/knob.h"
#include "mem/mem.h"
#include "mem/mshr.h"

#define COUNT(name, unit, meaning, field, fallback, low, high)                                         \
    {                                                                                                  \
        name, unit, meaning, KNOB_COUNT, offsetof(struct mem_config, field), fallback, low, high, NULL \
    }
#define CHOICE(name, meaning, field, fallback, choices)                                  \
    {                                                                                    \
        name, "", meaning, KNOB_CHOICE, offsetof(struct mem_config, field), fallback, 0, \
            sizeof(choices) / sizeof *(choices)-2, choices                               \
    }
#define FLAG(name, meaning, field, fallback)                                                   \
    {                                                                                          \
        name, "", meaning, KNOB_BOOL, offsetof(struct mem_config, field), fallback, 0, 1, NULL \
    }

#define CACHE(name, what, at, kilobytes, line, ways_, latency)                                                        \
    COUNT(name "_bytes", "bytes", "Size of a multiprocessor's " what ", in bytes; 0: no " what ".", port[at].bytes,   \
          (kilobytes)*1024, 0, 16 << 20),                                                                             \
        COUNT(name "_line", "bytes", "Line of the " what ", in bytes.", port[at].line_bytes, line, 32, 128),          \
        COUNT(name "_ways", "ways", "Associativity of the " what ", in ways.", port[at].ways, ways_, 1, 128),         \
        COUNT(name "_latency", "core cycles", "Latency of a hit in the " what ", in core cycles.",                    \
              port[at].latency_cycles, latency, 1, 10000),                                                            \
        COUNT(name "_mshrs", "entries", "Miss registers of the " what ": lines that it can wait for at a time.",      \
              port[at].mshrs, 32, 1, MSHR_MOST),                                                                      \
        COUNT(name "_merges", "accesses", "Accesses that can wait for one line of the " what ".", port[at].merges, 8, \
              1, 1024)

static const char *const store_policies[] = {"update", "evict", "allocate", NULL};
static const char *const set_functions[] = {"linear", "hashed", NULL};
static const char *const write_misses[] = {"fetch", "validate", NULL};
static const char *const dram_models[] = {"banked", "fixed", NULL};

static const struct knob knobs[] = {
    COUNT("core_mhz", "MHz", "Clock of the multiprocessors, in MHz.", core_mhz, 1400, 1, 100000),
    COUNT("crossbar_mhz", "MHz", "Clock of the crossbar and the L2, in MHz.", crossbar_mhz, 700, 1, 100000),
    COUNT("memory_mhz", "MHz", "Command clock of DRAM, in MHz.", memory_mhz, 924, 1, 100000),

    CACHE("l1d", "data cache", PORT_DATA, 16, 128, 4, 20),
    CACHE("constant", "constant cache", PORT_CONSTANT, 8, 64, 2, 8),
    CACHE("texture", "texture cache", PORT_TEXTURE, 12, 128, 24, 40),
    CACHE("instruction", "instruction cache", PORT_INSTRUCTION, 4, 128, 4, 1),
    COUNT("sector_bytes", "bytes",
          "Part of a line that is fetched at a time, in bytes; 0: the whole line. Instructions come in whole lines.",
          sector_bytes, 0, 0, 128),
    CHOICE("l1d_store",
           "Whether a store that hits the data cache updates the line (update) or evicts it (evict), or updates it and "
           "also leaves the sectors that it writes in the cache where it misses (allocate).",
           l1d_store, STORE_UPDATE, store_policies),
    CHOICE(
        "l1d_sets",
        "Which set of the data cache a line is in: its number modulo the sets (linear), or Fermi's hash of the address "
        "(hashed; 32 or 64 sets).",
        l1d_sets, SETS_LINEAR, set_functions),
    COUNT("l1d_banks", "banks",
          "Number of banks of the data cache. Lines of one access that lie in different banks are looked up in one "
          "cycle, but for misses and stores, of which one per cycle leaves the cache.",
          l1d_banks, 1, 1, MEM_MAX_BANKS),
    COUNT("l1d_ports", "lines", "Lines that each bank of the data cache looks up per cycle.", l1d_ports, 1, 1, 8),
    COUNT("constant_width", "bytes", "Bytes that the constant cache gives per cycle, to all lanes that want them.",
          constant_width_bytes, 4, 4, 32),
    COUNT("miss_queue", "packets", "Capacity of a multiprocessor's queue of reads to the crossbar, in packets.",
          miss_queue, 8, 1, 65536),
    COUNT("write_queue", "packets",
          "Capacity of a multiprocessor's queue of writes and atomics to the crossbar, in packets.", write_queue, 8, 1,
          65536),
    FLAG("flush_l1", "Whether the first-level caches are emptied between kernels.", flush_l1, true),
    FLAG("flush_l2", "Whether the L2 is emptied between kernels.", flush_l2, false),

    COUNT("shared_banks", "banks", "Number of banks of shared memory.", shared_banks, 32, 1, 64),
    COUNT("shared_bank_bytes", "bytes", "Bytes that a bank of shared memory gives per pass.", shared_bank_bytes, 4, 4,
          8),

    FLAG("shared_atomics_apart", "Whether lanes whose atomics are on one word of shared memory take a pass each.",
         shared_atomics_apart, false),

    COUNT("crossbar_latency", "crossbar cycles",
          "Latency of a packet through the crossbar, in crossbar cycles, each way.", crossbar_latency, 16, 1, 10000),
    COUNT("crossbar_bytes", "bytes/crossbar cycle",
          "Bandwidth of each port of the crossbar, in bytes per crossbar cycle, each way.", crossbar_bytes, 32, 1,
          4096),
    COUNT("crossbar_queue", "packets", "Packets that a multiprocessor can have in flight to the L2.", crossbar_queue,
          64, 1, 65536),
    COUNT("packet_bytes", "bytes", "Bytes of a request in addition to its data.", packet_bytes, 8, 1, 128),
    COUNT("reply_bytes", "bytes", "Bytes of a reply in addition to its data.", reply_bytes, 8, 0, 128),

    COUNT("channels", "channels", "Number of DRAM channels.", channels, 6, 1, 128),
    COUNT(
        "slices_per_channel", "slices",
        "L2 slices (memory sub-partitions) of a DRAM channel; each has its own crossbar port and a share of the banks.",
        slices_per_channel, 1, 1, 8),
    COUNT(
        "interleave", "bytes",
        "Consecutive bytes of memory in one L2 slice; the next are in the next channel, and in its next slice once all "
        "channels had their turn.",
        interleave_bytes, 256, 32, 65536),
    COUNT("l2_bytes", "bytes", "Size of one slice of the L2, in bytes; 0: no L2.", l2_bytes, 128 * 1024, 0, 256 << 20),
    COUNT("l2_line", "bytes", "Line of the L2, in bytes.", l2_line_bytes, 128, 32, 128),
    COUNT("l2_ways", "ways", "Associativity of the L2, in ways.", l2_ways, 8, 1, 128),
    COUNT("l2_latency", "crossbar cycles", "Latency of a hit in the L2, in crossbar cycles.", l2_latency, 40, 1, 10000),
    COUNT("l2_fill_latency", "crossbar cycles",
          "Time from the arrival of a line from DRAM at an L2 slice to its replies, in crossbar cycles.",
          l2_fill_latency, 1, 1, 10000),
    COUNT("l2_interval", "crossbar cycles", "Time from one lookup of an L2 slice to the next, in crossbar cycles.",
          l2_interval, 1, 1, 10000),
    COUNT("l2_mshrs", "entries", "Miss registers of an L2 slice: lines that it can wait for at a time.", l2_mshrs, 32,
          1, MSHR_MOST),
    COUNT("l2_merges", "accesses", "Accesses that can wait for one line of the L2.", l2_merges, 4, 1, 1024),
    COUNT("l2_queue", "packets", "Capacity of an L2 slice's queue of requests, in packets.", l2_queue, 8, 1, 65536),
    COUNT("l2_reply_queue", "packets", "Capacity of an L2 slice's queue of replies to the crossbar, in packets.",
          l2_reply_queue, 32, 1, 65536),
    CHOICE("l2_write_miss",
           "Whether a write of part of a line that is not in the L2 fetches the line first "
           "(fetch) or makes it valid at once (validate).",
           l2_write_miss, WRITE_FETCH, write_misses),
    COUNT("l2_write_interval", "crossbar cycles",
          "Time that an L2 slice needs for each sector of a write beyond the first, on top of l2_interval, in crossbar "
          "cycles.",
          l2_write_interval, 0, 0, 10000),
    COUNT("l2_fetch", "bytes", "Bytes that a miss of the L2 brings from DRAM at least; 0: the sectors asked for.",
          l2_fetch_bytes, 0, 0, 128),
    COUNT("atomic_interval", "crossbar cycles",
          "Time from one atomic operation on a line to the next, in crossbar cycles.", atomic_interval, 4, 1, 10000),

    CHOICE("dram",
           "Model of DRAM: banks with timing and row buffers (banked), or a fixed bandwidth "
           "and latency (fixed).",
           dram_model, DRAM_BANKED, dram_models),
    COUNT("dram_queue", "requests", "Capacity of a DRAM channel's queue, in requests.", dram_queue, 16, 1, 65536),
    COUNT("dram_banks", "banks", "Number of banks of a DRAM channel.", dram_banks, 16, 1, 64),
    COUNT("dram_row", "bytes", "Row of a DRAM bank, in bytes.", dram_row_bytes, 2048, 128, 65536),
    COUNT("dram_bytes", "bytes/memory cycle", "Bandwidth of a DRAM channel's data bus, in bytes per memory cycle.",
          dram_bytes_per_cycle, 32, 1, 4096),
    COUNT("dram_latency", "memory cycles",
          "Latency of DRAM controller and wires, in memory cycles, on top of the banks' timing.", dram_latency, 60, 0,
          100000),
    COUNT("tCL", "memory cycles", "Time from column command to data, in memory cycles.", t_cl, 12, 1, 1000),
    COUNT("tRP", "memory cycles", "Time from precharge to activate of a DRAM bank, in memory cycles.", t_rp, 12, 1,
          1000),
    COUNT("tRC", "memory cycles", "Time from activate to activate of a DRAM bank, in memory cycles.", t_rc, 40, 1,
          1000),
    COUNT("tRAS", "memory cycles", "Time from activate to precharge of a DRAM bank, in memory cycles.", t_ras, 28, 1,
          1000),
    COUNT("tRCD", "memory cycles", "Time from activate to column command of a DRAM bank, in memory cycles.", t_rcd, 12,
          1, 1000),
    COUNT("tRRD", "memory cycles", "Time from activate to activate of different DRAM banks, in memory cycles.", t_rrd,
          6, 1, 1000),
};

const struct knob_table mem_knobs = {"mem", knobs, sizeof knobs / sizeof *knobs};

static bool check_cache(const char *name, uint32_t bytes, uint32_t line, uint32_t ways, char **error)
{
    if (!bits_is_power_of_two(line))
        return diag_fail(error, "%s_line = %u is not a power of two", name, line);
    if (bytes % (line * ways))
        return diag_fail(error, "%s_bytes = %u is not a whole number of sets of %u lines of %u bytes", name, bytes,
                         ways, line);
    return true;
}

bool mem_config_check(const struct mem_config *c, char **error)
{
    static const char *const names[PORT_COUNT] = {"l1d", "constant", "texture", "instruction"};
    for (int i = 0; i < PORT_COUNT; i++) {
        const struct mem_cache_config *port = &c->port[i];
        if (!check_cache(names[i], port->bytes, port->line_bytes, port->ways, error))
            return false;
        if (port->line_bytes > c->l2_line_bytes)
            return diag_fail(error, "%s_line = %u is longer than l2_line = %u", names[i], port->line_bytes,
                             c->l2_line_bytes);
        if (c->sector_bytes > port->line_bytes)
            return diag_fail(error, "sector_bytes = %u is longer than %s_line = %u", c->sector_bytes, names[i],
                             port->line_bytes);
    }
    const struct mem_cache_config *l1d = &c->port[PORT_DATA];
    uint32_t sets = l1d->bytes / (l1d->line_bytes * l1d->ways);
    if (c->l1d_sets == SETS_HASHED && sets != 0 && sets != 32 && sets != 64)
        return diag_fail(
            error, "l1d_sets = hashed needs 32 or 64 sets, and the data cache has %u; linear takes any number", sets);
    if (!bits_is_power_of_two(c->l1d_banks))
        return diag_fail(error, "l1d_banks = %u is not a power of two", c->l1d_banks);
    if (!check_cache("l2", c->l2_bytes, c->l2_line_bytes, c->l2_ways, error))
        return false;
    if (c->sector_bytes && (!bits_is_power_of_two(c->sector_bytes) || c->sector_bytes < 16))
        return diag_fail(error, "sector_bytes = %u is neither 0 nor a power of two from 16 on", c->sector_bytes);
    if (c->l2_fetch_bytes && (!bits_is_power_of_two(c->l2_fetch_bytes) || c->l2_fetch_bytes > c->l2_line_bytes))
        return diag_fail(error, "l2_fetch = %u is neither 0 nor a power of two of at most l2_line = %u",
                         c->l2_fetch_bytes, c->l2_line_bytes);
    if (!bits_is_power_of_two(c->interleave_bytes) || c->interleave_bytes < c->l2_line_bytes)
        return diag_fail(error, "interleave = %u is not a power of two of at least l2_line = %u", c->interleave_bytes,
                         c->l2_line_bytes);
    if (mem_slices(c) > MEM_MAX_SLICES)
        return diag_fail(error, "channels = %u with slices_per_channel = %u are more than %d slices", c->channels,
                         c->slices_per_channel, MEM_MAX_SLICES);
    if (c->dram_banks % c->slices_per_channel)
        return diag_fail(error, "slices_per_channel = %u does not divide dram_banks = %u", c->slices_per_channel,
                         c->dram_banks);
    if (!bits_is_power_of_two(c->dram_row_bytes))
        return diag_fail(error, "dram_row = %u is not a power of two", c->dram_row_bytes);
    if (!bits_is_power_of_two(c->constant_width_bytes))
        return diag_fail(error, "constant_width = %u is not a power of two", c->constant_width_bytes);
    if (!bits_is_power_of_two(c->shared_bank_bytes))
        return diag_fail(error, "shared_bank_bytes = %u is neither 4 nor 8", c->shared_bank_bytes);
    return true;
}
