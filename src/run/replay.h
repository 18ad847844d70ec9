/*
 * Replaying a recording: its launches one by one, each as a launch for run_launch() whose threads do what was recorded.
 */
#ifndef HEDDLE_RUN_REPLAY_H
#define HEDDLE_RUN_REPLAY_H

#include "exec/code.h"
#include "run/recorded.h"

struct replay;

/* NULL and an error text (freed by the caller) if the file is no recording that can be replayed. */
struct replay *replay_open(const char *path, char **error);
void replay_close(struct replay *replay);
const struct recorded_head *replay_head(const struct replay *replay);
uint64_t replay_count(const struct replay *replay); /* launches */
/* What is known of a launch without its blocks: name, shape and recorded figures. */
const struct recorded_launch *replay_about(const struct replay *replay, uint64_t index);

/* A launch that is ready to run. */
struct replay_launch {
    struct launch launch;
    struct code *code;
    struct replay_stage *stage; /* what must live as long as the launch; owned */
};

/* False and an error text (freed by the caller) if the launch cannot be made. */
bool replay_begin(struct replay *replay, uint64_t index, struct replay_launch *ready, char **error);
void replay_end(struct replay_launch *ready);

#endif
