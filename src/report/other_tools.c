/*
 * The names that users know from GPGPU-Sim and from Nsight Compute, for figures that heddle counts too. Each row's
 * meaning is the formula over heddle's own counters, so that a reader can see what is and what is not the other tool's
 * definition.
 */
#include "report/formula_terms.h"
#include "report/formulas.h"
#include "report/stalls.h"

COUNTER(cycles, "sm.cycles")
COUNTER(warp_instructions, "sm.warp_instructions")
COUNTER(thread_instructions, "sm.thread_instructions")
RATIO(thread_ipc, 1, "sm.thread_instructions", "sm.cycles")
RATIO(threads_per_issue, 1, "sm.thread_instructions", "sm.warp_instructions")
RATIO(occupancy_percent, 100, "sm.resident_thread_cycles", "peak.thread_cycles")
COUNTER(dram_bytes, "dram.bytes")

/* GPGPU-Sim's L1 counts stores as accesses, and does not count merges ("pending hits") as misses. */
VALUE(sim_l1_accesses, get(r, "l1d.accesses") + get(r, "l1d.stores"))
VALUE(sim_l1_misses, get(r, "l1d.misses") - get(r, "l1d.merges") + get(r, "l1d.stores") - get(r, "l1d.store_hits"))
VALUE(sim_l1_miss_rate, ratio(sim_l1_misses(r), sim_l1_accesses(r)))
COUNTER(sim_l1_pending, "l1d.merges")
COUNTER(sim_l2_accesses, "l2.accesses")
VALUE(sim_l2_misses, get(r, "l2.misses") - get(r, "l2.merges"))
VALUE(sim_l2_miss_rate, ratio(sim_l2_misses(r), sim_l2_accesses(r)))
COUNTER(sim_l2_pending, "l2.merges")
COUNTER(blocks, "sm.blocks")
VALUE(sim_reads, get(r, "l1d.misses") - get(r, "l1d.merges") + get(r, "l1d.bypasses"))
COUNTER(sim_writes, "l1d.stores")

/* The memory stage of GPGPU-Sim has one instruction at a time; see stalls.h. Its caches have one resource of both
 * misses and their targets (mshr), and one of both queues to the crossbar (icnt). */
#define STALLS(id, owner)                                                                           \
    COUNTER(id##_banks, owner ".bank_stall_cycles")                                                 \
    VALUE(id##_registers, get(r, owner ".mshr_stall_cycles") + get(r, owner ".merge_stall_cycles")) \
    VALUE(id##_queues, get(r, owner ".miss_queue_stall_cycles") + get(r, owner ".write_queue_stall_cycles"))

STALLS(sim_data, "l1d")
STALLS(sim_constant, "constant")
STALLS(sim_texture, "texture")
COUNTER(sim_data_sends, "l1d.send_stall_cycles")
COUNTER(sim_shared_banks, "sm.shared_stall_cycles")
VALUE(sim_stalls, stalls_of_pipe(r, STALL_DATA) + stalls_of_pipe(r, STALL_SHARED) + stalls_of_pipe(r, STALL_CONSTANT) +
                      stalls_of_pipe(r, STALL_TEXTURE))

/* clang-format off */
#define STALL_ROWS(id, stage, owner) \
    {"gpgpu_stall_shd_mem[" stage "][bk_conf]", "cycles", "Equals " owner ".bank_stall_cycles.", id##_banks}, \
    {"gpgpu_stall_shd_mem[" stage "][mshr_rc]", "cycles", \
     "Equals " owner ".mshr_stall_cycles + " owner ".merge_stall_cycles.", id##_registers}, \
    {"gpgpu_stall_shd_mem[" stage "][icnt_rc]", "cycles", \
     "Equals " owner ".miss_queue_stall_cycles + " owner ".write_queue_stall_cycles.", id##_queues}
/* clang-format on */

const struct stat_formula gpu_names_gpgpusim[] = {
    {"gpu_sim_cycle", "cycles", "Equals sm.cycles.", cycles},
    {"gpu_sim_insn", "thread instructions", "Equals sm.thread_instructions.", thread_instructions},
    {"gpu_ipc", "per cycle", "Equals sm.thread_instructions / sm.cycles.", thread_ipc},
    {"gpu_tot_sim_cycle", "cycles", "Equals sm.cycles of this launch alone.", cycles},
    {"gpu_tot_sim_insn", "thread instructions", "Equals sm.thread_instructions of this launch alone.",
     thread_instructions},
    {"gpu_tot_ipc", "per cycle", "Equals gpu_tot_sim_insn / gpu_tot_sim_cycle.", thread_ipc},
    {"gpu_tot_issued_cta", "blocks", "Equals sm.blocks.", blocks},
    {"gpu_occupancy", "%", "Equals 100 * sm.resident_thread_cycles / peak.thread_cycles.", occupancy_percent},
    {"L1D_total_cache_accesses", "lines", "Equals l1d.accesses + l1d.stores.", sim_l1_accesses},
    {"L1D_total_cache_misses", "lines", "Equals l1d.misses - l1d.merges + l1d.stores - l1d.store_hits.", sim_l1_misses},
    {"L1D_total_cache_miss_rate", "", "Equals L1D_total_cache_misses / L1D_total_cache_accesses.", sim_l1_miss_rate},
    {"L1D_total_cache_pending_hits", "lines", "Equals l1d.merges.", sim_l1_pending},
    {"L2_total_cache_accesses", "lines", "Equals l2.accesses.", sim_l2_accesses},
    {"L2_total_cache_misses", "lines", "Equals l2.misses - l2.merges.", sim_l2_misses},
    {"L2_total_cache_miss_rate", "", "Equals L2_total_cache_misses / L2_total_cache_accesses.", sim_l2_miss_rate},
    {"L2_total_cache_pending_hits", "lines", "Equals l2.merges.", sim_l2_pending},
    {"gpgpu_n_mem_read_global", "lines",
     "Equals l1d.misses - l1d.merges + l1d.bypasses: reads sent to the L2, those of local memory included.", sim_reads},
    {"gpgpu_n_mem_write_global", "lines", "Equals l1d.stores: writes sent to the L2, those of local memory included.",
     sim_writes},
    {"gpgpu_n_stall_shd_mem", "cycles", "Equals memory_stalls: the gpgpu_stall_shd_mem of all pipes and causes.",
     sim_stalls},
    STALL_ROWS(sim_data, "gl_mem", "l1d"),
    {"gpgpu_stall_shd_mem[gl_mem][coal_stall]", "cycles", "Equals l1d.send_stall_cycles.", sim_data_sends},
    {"gpgpu_stall_shd_mem[s_mem][bk_conf]", "cycles", "Equals sm.shared_stall_cycles.", sim_shared_banks},
    STALL_ROWS(sim_constant, "c_mem", "constant"),
    STALL_ROWS(sim_texture, "t_mem", "texture"),
};

const int gpu_names_gpgpusim_count = sizeof gpu_names_gpgpusim / sizeof *gpu_names_gpgpusim;

VALUE(nsight_l1_hits, 100 * ratio(get(r, "l1d.hits"), get(r, "l1d.accesses")))
VALUE(nsight_l2_hits, 100 * ratio(get(r, "l2.hits"), get(r, "l2.accesses")))
RATIO(nsight_dram, 100, "dram.bus_cycles", "peak.bus_cycles")
COUNTER(passes, "sm.shared_passes")

const struct stat_formula gpu_names_nsight[] = {
    {"sm__cycles_elapsed.max", "cycles", "Equals sm.cycles.", cycles},
    {"smsp__inst_executed.sum", "inst", "Equals sm.warp_instructions.", warp_instructions},
    {"smsp__thread_inst_executed.sum", "inst", "Equals sm.thread_instructions.", thread_instructions},
    {"smsp__thread_inst_executed_per_inst_executed.ratio", "threads",
     "Equals sm.thread_instructions / sm.warp_instructions.", threads_per_issue},
    {"sm__warps_active.avg.pct_of_peak_sustained_elapsed", "%",
     "Equals 100 * sm.resident_thread_cycles / peak.thread_cycles. Every thread of a block counts until the block "
     "ends.",
     occupancy_percent},
    {"l1tex__t_sector_hit_rate.pct", "%", "Equals 100 * l1d.hits / l1d.accesses: a rate of lines, not of sectors.",
     nsight_l1_hits},
    {"lts__t_sector_hit_rate.pct", "%", "Equals 100 * l2.hits / l2.accesses: a rate of lines, not of sectors.",
     nsight_l2_hits},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "passes", "Equals sm.shared_passes.", passes},
    {"dram__bytes.sum", "bytes", "Equals dram.bytes.", dram_bytes},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", "Equals 100 * dram.bus_cycles / peak.bus_cycles.",
     nsight_dram},
};

const int gpu_names_nsight_count = sizeof gpu_names_nsight / sizeof *gpu_names_nsight;
