/* What the stepper prints of a scene: for readers (view.c), or as one JSON object per answer (view_json.c). */
#ifndef HEDDLE_STEP_VIEW_H
#define HEDDLE_STEP_VIEW_H

#include "step/scene.h"

struct step_look {
    int columns;      /* width of lines */
    bool is_coloured; /* for a terminal */
};

/* The stop: its number, cycle and place, the source line, the instruction, the lanes, and the paragraphs of the
 * mechanism's state that the stop before did not have. */
void view_stop(struct step_scene *s, const struct step_look *look, struct text *out);
void view_source(struct step_scene *s, const struct step_look *look, struct text *out);
/* Where the threads of a warp are; -1: of each warp that has threads in the issue. */
void view_lanes(struct step_scene *s, int warp, struct text *out);
void view_state(const struct step_scene *s, struct text *out);
void view_registers(struct step_scene *s, struct scene_thread thread, struct text *out);
/* One register in all threads of the issue; false: it holds no value there. */
bool view_register(struct step_scene *s, const char *name, struct text *out);

/* The same as JSON objects, each on a line of its own. */
void view_json_stop(struct step_scene *s, struct text *out);
void view_json_lanes(struct step_scene *s, int warp, struct text *out);
void view_json_state(const struct step_scene *s, struct text *out);
void view_json_registers(struct step_scene *s, struct scene_thread thread, struct text *out);
bool view_json_register(struct step_scene *s, const char *name, struct text *out);

/* Calls `show` for each static warp that has threads in the issue, in ascending order. */
void view_each_warp(const struct step_scene *s, void (*show)(struct step_scene *s, int warp, struct text *out),
                    struct text *out);
/* Groups of the warp's threads that are at one place for one reason: for each, its place and its home slots. Returns
 * how many there are, no more than `most`. */
struct view_group {
    struct scene_place place;
    uint64_t slots;
};
int view_group_threads(const struct step_scene *s, int warp, struct view_group *groups, int most);
/* The register of this name that the thread has; false: it has none. */
bool view_find_register(struct step_scene *s, struct scene_thread thread, const char *name,
                        struct named_register *found);
const char *view_doing(enum scene_doing doing); /* "issues now", ... */

#endif
