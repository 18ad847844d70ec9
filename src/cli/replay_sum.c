/* Printing the sums of replays: see replay_sum.h. */
#include "cli/replay_sum.h"

#include "base/diag.h"
#include "run/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void replay_sum_add(struct replay_sum *sum, const struct gpu_result *result)
{
    sum->launches++;
    sum->cycles += result->cycles;
    sum->warp_instructions += result->launch.warp_instructions;
    sum->thread_instructions += result->launch.thread_instructions;
    sum->lanes += result->sm.issue_slots;
    sum->seconds += result->launch.host_seconds;
}

/* "nvrt.rec: 3 launches, recorded under pdom on fermi in 1234 cycles". The file's folders are left out, so that the
 * line fits a terminal. */
static void print_heading(FILE *out, const char *path, const struct replay *replay)
{
    const struct recorded_head *head = replay_head(replay);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    uint64_t count = replay_count(replay), cycles = 0;
    for (uint64_t i = 0; i < count; i++)
        cycles += replay_about(replay, i)->cycles;
    fprintf(out, "%s: %" PRIu64 " launch%s, recorded ", name, count, count == 1 ? "" : "es");
    if (head->gpu)
        fprintf(out, "under %s on %s in %" PRIu64 " cycles\n", head->mechanism ? head->mechanism : "pdom", head->gpu,
                cycles);
    else
        fprintf(out, "without a machine\n");
}

static double efficiency(const struct replay_sum *s)
{
    return s->lanes ? 100 * (double)s->thread_instructions / (double)s->lanes : 0;
}

void replay_sum_print(const struct replay_sum *s, const char *path, const struct replay *replay)
{
    FILE *out = diag_stream();
    print_heading(out, path, replay);
    fprintf(out, "  mechanism            %s\n", s->mechanism);
    fprintf(out, "  launches             %d\n  cycles               %" PRIu64 "\n", s->launches, s->cycles);
    fprintf(out, "  warp instructions    %" PRIu64 "\n  thread instructions  %" PRIu64 "\n", s->warp_instructions,
            s->thread_instructions);
    fprintf(out, "  SIMD efficiency      %.1f %%\n", efficiency(s));
    if (s->cycles)
        fprintf(out, "  thread IPC           %.2f\n", (double)s->thread_instructions / (double)s->cycles);
    fprintf(out, "  host seconds         %.3f\n", s->seconds);
}

void replay_sum_table(const struct replay_sum *sums, int count, const char *path, const struct replay *replay)
{
    print_heading(stdout, path, replay);
    printf("%-12s %14s %9s %18s %16s %11s\n", "mechanism", "cycles", "speedup", "warp instructions", "SIMD efficiency",
           "thread IPC");
    for (int i = 0; i < count; i++) {
        const struct replay_sum *s = &sums[i];
        double cycles = (double)(s->cycles ? s->cycles : 1);
        printf("%-12s %14" PRIu64 " %9.3f %18" PRIu64 " %14.1f %% %11.2f\n", s->mechanism, s->cycles,
               (double)sums[0].cycles / cycles, s->warp_instructions, efficiency(s),
               (double)s->thread_instructions / cycles);
    }
    fflush(stdout);
}
