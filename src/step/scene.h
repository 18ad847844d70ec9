/*
 * A scene: one stop of the stepper, and what can be asked of it. The instruction of the scene's issue has not been
 * executed yet, so registers and the mechanism's state are those that the instruction will find.
 *
 * Registers hold the values of all instructions that have issued, also those whose latency has not passed yet: the
 * machine executes at issue (docs/architecture.md, Time).
 */
#ifndef HEDDLE_STEP_SCENE_H
#define HEDDLE_STEP_SCENE_H

#include "flow/registers.h"
#include "gpu/gpu.h"
#include "report/source.h"
#include "sm/sm.h"
#include "step/journal.h"

struct step_scene {
    const struct gpu_run *run;
    const struct launch *launch;
    const struct program *program;
    const struct journal *journal;
    struct registers *registers; /* made when first asked for; owned by the stepper */
    struct sources *sources;
    const struct sm *sm;         /* NULL: the launch has ended, and nothing below is known */
    const struct strand *strand; /* that is about to issue */
    uint64_t issue;              /* number, from 1 on */
    const uint64_t *last;        /* [row * ROW_LANES + lane]: the thread's last issue before this one; 0: none */
    const char *state;           /* the mechanism's, in words */
    const char *state_before;    /* the same at the stop before this one; NULL: there is none */
};

struct scene_thread {
    int32_t row;
    int lane; /* in its row */
};

/* Where a thread is and why. */
enum scene_doing {
    SCENE_ISSUES,        /* in the issue of the scene */
    SCENE_IN_STRAND,     /* in another strand, which may issue */
    SCENE_PARKED,        /* in a strand that the mechanism keeps from issuing */
    SCENE_AT_BARRIER,    /* waits at a block barrier */
    SCENE_AT_CLUSTER,    /* waits at the barrier of its cluster */
    SCENE_AT_RENDEZVOUS, /* waits at a warp-level operation for other threads */
    SCENE_HELD_BACK,     /* in no strand: only the mechanism knows when it goes on */
    SCENE_ENDED
};

struct scene_place {
    enum scene_doing doing;
    int32_t pc;     /* PC_NONE: not known, or the thread has ended */
    int32_t strand; /* id; -1: in none */
    int barrier;    /* SCENE_AT_BARRIER: number of the barrier */
};

/* Threads of a static warp, W of them. */
int scene_warp_count(const struct step_scene *s);
int scene_warp_of(const struct step_scene *s, struct scene_thread thread);
/* Whether the warp has resident threads. */
bool scene_has_warp(const struct step_scene *s, int warp);
/* The warp's i-th thread, i below W; false: its block has no such thread, or no block is resident there. */
bool scene_thread_of(const struct step_scene *s, int warp, int i, struct scene_thread *thread);
uint64_t scene_slot(const struct step_scene *s, struct scene_thread thread); /* home slot, as a bit */
/* The thread of the issue in a lane; if the issue leaves the lane empty, the thread of its first warp that has the
 * lane. False: there is none. */
bool scene_find_lane(const struct step_scene *s, int lane, struct scene_thread *thread);
struct scene_place scene_place_of(const struct step_scene *s, struct scene_thread thread);
uint32_t scene_thread_id(const struct step_scene *s, struct scene_thread thread);    /* linear, in its block */
uint64_t scene_block_number(const struct step_scene *s, struct scene_thread thread); /* linear, in the grid */

struct scene_register {
    struct named_register reg;
    bool is_new; /* the thread's last instruction wrote it */
};
struct scene_registers vec_of(struct scene_register);

/* The registers of a thread that certainly hold a value (flow/registers.h), in the order of their declaration. The
 * caller frees the list. */
void scene_list_registers(struct step_scene *s, struct scene_thread thread, struct scene_registers *list);
/* Appends the value of a register: "0x0000002a 42", "-1.5", "true". */
void scene_print_value(const struct step_scene *s, struct scene_thread thread, const struct named_register *reg,
                       struct text *out);

#endif
