/*
 * What a recording holds beside the blocks of its launches: the run, the modules, and the launches, as sections of the
 * file (tape/file.h). Written by run/recording.c, read by run/replay.c.
 */
#ifndef HEDDLE_RUN_RECORDED_H
#define HEDDLE_RUN_RECORDED_H

#include "device/launch.h"
#include "tape/bytes.h"

struct run_options;
struct run_request;

/* The run that was recorded. */
struct recorded_head {
    char *version;      /* of the heddle that recorded it */
    char *gpu;          /* value of --gpu; NULL: the launches were only computed */
    char *machine_text; /* the description, where --gpu named a file; else NULL */
    char *mechanism;    /* value of --mech; NULL: not given */
    char *settings;     /* every --set, separated by newlines; NULL: none */
    char *options;      /* further options that a replay takes over, for recorded_take_options() */
    bool lists_lines;   /* results have the table of source lines */
};

/* A module in device memory. */
struct recorded_module {
    struct ptx_module *module;
    struct image image; /* without memory: the addresses of variables alone */
};

/* A launch. `launch` has its shape, its parameters and its textures; its module, kernel and image are the reader's to
 * fill in. */
struct recorded_launch {
    uint64_t module; /* number of its module in the file */
    char *kernel;
    struct launch launch;
    uint64_t next_address; /* of device memory before the launch: its parameters stand there */
    uint64_t cycles;       /* that the recorded launch took; 0: it was only computed */
    uint64_t thread_instructions;
};

void recorded_put_head(struct bytes *out, const struct run_request *request);
/* False and an error text (freed by the caller) if the PTX that is written does not parse to the module again. */
bool recorded_put_module(struct bytes *out, const struct image *image, char **error);
void recorded_put_launch(struct bytes *out, const struct recorded_launch *recorded);

/* Read what was put. False if the bytes are not such a section. What was read is to be freed in either case. */
bool recorded_get_head(struct bytes_reader *r, struct recorded_head *head);
bool recorded_get_module(struct bytes_reader *r, struct recorded_module *recorded);
bool recorded_get_launch(struct bytes_reader *r, struct recorded_launch *recorded);
/* Takes the further options of a recording into default ones. False and an error text (freed by the caller) if there
 * are others among them: a recording from elsewhere must not name files that a replay writes. */
bool recorded_take_options(const struct recorded_head *head, struct run_options *into, char **error);
void recorded_free_head(struct recorded_head *head);
void recorded_free_module(struct recorded_module *recorded);
void recorded_free_launch(struct recorded_launch *recorded);

#endif
