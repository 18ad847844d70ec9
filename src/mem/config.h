/*
 * The knobs of the memory system. Sizes are those of one multiprocessor's cache, or of one slice of the L2.
 * Latencies and intervals of the crossbar and the L2 are in crossbar cycles, those of DRAM in memory cycles.
 * mem/config.c describes each knob.
 */
#ifndef HEDDLE_MEM_CONFIG_H
#define HEDDLE_MEM_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

/* The cache port of a multiprocessor that an access goes through. */
enum mem_port { PORT_DATA, PORT_CONSTANT, PORT_TEXTURE, PORT_INSTRUCTION, PORT_COUNT };

enum mem_store_policy { STORE_UPDATE, STORE_EVICT, STORE_ALLOCATE };
enum mem_write_miss { WRITE_FETCH, WRITE_VALIDATE };
enum mem_sets { SETS_LINEAR, SETS_HASHED };
enum mem_dram_model { DRAM_BANKED, DRAM_FIXED };

enum { MEM_MAX_SLICES = 256 }; /* of all channels together */
enum { MEM_MAX_BANKS = 64 };   /* of the data cache */

/* A first-level cache. bytes = 0: no cache, every access goes to the L2. */
struct mem_cache_config {
    uint32_t bytes, line_bytes, ways, latency_cycles, mshrs, merges;
};

struct mem_config {
    uint32_t core_mhz, crossbar_mhz, memory_mhz;

    struct mem_cache_config port[PORT_COUNT];
    uint32_t sector_bytes; /* 0: lines are fetched whole */
    uint32_t l1d_store;    /* enum mem_store_policy */
    uint32_t l1d_sets;     /* enum mem_sets */
    uint32_t l1d_banks;    /* a power of two; consecutive lines are in consecutive banks */
    uint32_t l1d_ports;    /* lookups of one bank per cycle */
    uint32_t constant_width_bytes;
    uint32_t miss_queue, write_queue;
    bool flush_l1, flush_l2;

    uint32_t shared_banks, shared_bank_bytes;
    bool shared_atomics_apart; /* lanes whose atomics are on one word of shared memory take a pass each */

    uint32_t crossbar_latency, crossbar_bytes, crossbar_queue, packet_bytes, reply_bytes;

    uint32_t channels, slices_per_channel, interleave_bytes;
    uint32_t l2_bytes, l2_line_bytes, l2_ways, l2_latency, l2_fill_latency, l2_interval, l2_mshrs, l2_merges, l2_queue,
        l2_reply_queue;
    uint32_t l2_write_interval; /* added for each sector of a write beyond the first */
    uint32_t l2_fetch_bytes;    /* what a read miss brings at least; 0: the sectors asked for */
    uint32_t l2_write_miss;     /* enum mem_write_miss */
    uint32_t atomic_interval;

    uint32_t dram_model; /* enum mem_dram_model */
    uint32_t dram_queue, dram_banks, dram_row_bytes, dram_bytes_per_cycle, dram_latency;
    uint32_t t_cl, t_rp, t_rc, t_ras, t_rcd, t_rrd;
};

/* Slices of the L2, over all channels. */
static inline uint32_t mem_slices(const struct mem_config *config)
{
    return config->channels * config->slices_per_channel;
}

/* Checks what the range of a single knob cannot say: powers of two, lines no longer than the L2's, whole sets.
 * False and an error text, which the caller frees. */
bool mem_config_check(const struct mem_config *config, char **error);

#endif
