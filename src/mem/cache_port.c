/* Cache ports: opening them, and sectors of their lines. See cache_port.h. */
#include "mem/cache_port.h"

void cache_port_open(struct cache_port *port, const struct mem_config *config, struct port_stats *stats, int index,
                     uint32_t sm, struct storage *storage)
{
    const struct mem_cache_config *own = &config->port[index];
    uint32_t sector = config->sector_bytes ? config->sector_bytes : own->line_bytes;
    port->config = own;
    port->stats = stats;
    port->line_shift = (unsigned)__builtin_ctz(own->line_bytes);
    port->sector_shift = (unsigned)__builtin_ctz(sector);
    port->sectors = own->line_bytes / sector;
    port->latency_cycles = own->latency_cycles;
    port->index = (uint8_t)index;
    port->is_whole = !config->sector_bytes;
    port->banks = index == PORT_DATA ? (uint8_t)config->l1d_banks : 1;
    port->bank_ports = index == PORT_DATA ? (uint8_t)config->l1d_ports : 1;
    port->is_banked = port->banks * port->bank_ports > 1;
    port->absent = CACHE_EMPTY;
    port->read =
        (struct packet){.bytes = (uint16_t)own->line_bytes,
                        .reply = {.sm = (uint16_t)sm, .data_bytes = (uint8_t)own->line_bytes, .port = port->index},
                        .kind = PACKET_READ,
                        .sectors = 1,
                        .wants_reply = true};
    port->stall_cycles[MEM_NO_MSHR] = &stats->mshr_stall_cycles;
    port->stall_cycles[MEM_NO_MERGE] = &stats->merge_stall_cycles;
    port->stall_cycles[MEM_NO_MISS_QUEUE] = &stats->miss_queue_stall_cycles;
    port->stall_cycles[MEM_NO_WRITE_QUEUE] = &stats->write_queue_stall_cycles;
    cache_open(&port->cache, own->bytes, own->line_bytes, own->ways, storage);
    if (index == PORT_DATA && config->l1d_sets == SETS_HASHED)
        cache_hash_sets(&port->cache);
    mshr_open(&port->mshr, own->mshrs, own->merges, storage);
    port->target = storage_array(storage, struct cache_port_target, port->mshr.nodes);
    port->transaction = storage_array(storage, struct transaction, COALESCE_MAX);
}

unsigned cache_port_sectors(const struct cache_port *port, uint32_t touched)
{
    if (port->is_whole)
        return 1;
    unsigned sectors = 0, parts = 32 / port->sectors;
    for (unsigned i = 0; i < port->sectors; i++)
        if (touched >> (i * parts) & (UINT32_MAX >> (32 - parts)))
            sectors |= 1u << i;
    return sectors;
}
