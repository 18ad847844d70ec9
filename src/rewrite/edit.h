/*
 * An editor of a function's body, for the passes that rewrite a module.
 *
 * While a function is open, its body is a list of items: instructions, labels and pragmas, in the order of the text. An
 * item stays where it is in memory, so a pass may keep pointers to items while it inserts and removes others. Branches
 * name labels by number instead of instructions by index, so nothing has to be kept up to date. edit_close() makes the
 * function's instructions, labels and pragmas from the list. An item that came from the text keeps its line and source
 * location; a new instruction has those of the item that it was inserted ahead of.
 *
 * New instructions are written as PTX (ptx/snippet.h):
 *
 *   int32_t count = edit_add_register(&e, TYPE_U32, "count");
 *   edit_insert(&e, at, "add.u32 %s, %s, 1;", edit_name(&e, count), edit_name(&e, count));
 *
 * A text that does not parse is a mistake of the pass, and ends the process with the text.
 */
#ifndef HEDDLE_REWRITE_EDIT_H
#define HEDDLE_REWRITE_EDIT_H

#include "base/vec.h"
#include "ptx/module.h"

enum edit_kind {
    EDIT_INSTRUCTION,
    EDIT_LABEL,
    EDIT_PRAGMA,
    EDIT_END /* behind the last item: what is inserted ahead of it is appended */
};

struct edit_item {
    enum edit_kind kind;
    struct edit_item *previous, *next;
    struct ptx_instruction insn; /* EDIT_INSTRUCTION; a label operand's `target` is the number of a label */
    const char *text;            /* EDIT_LABEL: its name; EDIT_PRAGMA: the pragma */
    int number;                  /* EDIT_LABEL: what branches to the label have as `target` */
    int index; /* EDIT_INSTRUCTION: its index when the function was opened; -1: the instruction is new */
    int line;  /* EDIT_LABEL, EDIT_PRAGMA: line number in the PTX text */
};

struct edit {
    struct ptx_function *function;
    struct edit_item end;                     /* its `next` is the first item, its `previous` the last */
    int count;                                /* instructions when the function was opened */
    struct edit_item **original;              /* by index when the function was opened */
    struct vec_of(struct edit_item *) labels; /* by number; NULL: the label was removed */
    struct arena scratch;                     /* items live here until the function is closed */
};

void edit_open(struct edit *e, struct ptx_function *function);
/* Makes the function from the list. `e` must be opened again to be used. */
void edit_close(struct edit *e);

/* ---- places ---- */

static inline struct edit_item *edit_first(struct edit *e)
{
    return e->end.next;
}

static inline struct edit_item *edit_end(struct edit *e)
{
    return &e->end;
}

/* The instruction that had this index when the function was opened; the end for the number of instructions. */
struct edit_item *edit_at(struct edit *e, int index);
/* The first instruction from this item on, itself included; or the end. */
struct edit_item *edit_next_instruction(struct edit_item *item);

/* ---- labels and branches ---- */

/* A new label ahead of `before`. Its name begins with the hint. */
struct edit_item *edit_add_label(struct edit *e, struct edit_item *before, const char *hint);
/* The last label between `item` and the instruction ahead of it; a new label directly ahead of `item` if there is none.
 * Threads that fall into `item` and threads that jump to the label do the same, but for pragmas between the two. */
struct edit_item *edit_label_of(struct edit *e, struct edit_item *item, const char *hint);
/* The label that a `bra` names, or NULL. */
struct edit_item *edit_target(const struct edit *e, const struct edit_item *branch);
void edit_retarget(struct edit_item *branch, const struct edit_item *label);
/* Makes all branches to `from`, those in lists of branch targets as well, branches to `to`. */
void edit_retarget_all(struct edit *e, const struct edit_item *from, const struct edit_item *to);

/* ---- changes ---- */

/* Inserts the statements of a formatted PTX text ahead of `before`, and returns the first new item. Registers and
 * labels are named as in the function; those that the text declares must be new (edit_add_register() and
 * edit_fresh_name() find names). */
struct edit_item *edit_insert(struct edit *e, struct edit_item *before, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct edit_item *edit_insert_pragma(struct edit *e, struct edit_item *before, const char *text);
/* Takes an item out of the list. A label must not be named by any branch when the function is closed. */
void edit_remove(struct edit *e, struct edit_item *item);
/* Removes the items from `first` to `last`, but keeps their labels. */
void edit_remove_instructions(struct edit *e, struct edit_item *first, struct edit_item *last);
/* Moves the items from `first` to `last` ahead of `before`, which is none of them. */
void edit_move(struct edit *e, struct edit_item *first, struct edit_item *last, struct edit_item *before);
/* Copies the items from `first` to `last` ahead of `before` and returns the first copy. Labels of the copy get new
 * names, and branches of the copy lead to the labels of the copy. */
struct edit_item *edit_copy(struct edit *e, struct edit_item *first, struct edit_item *last, struct edit_item *before);

/* ---- registers and names ---- */

/* A new register, whose name is % with the hint and a number behind. */
int32_t edit_add_register(struct edit *e, enum type type, const char *hint);
static inline const char *edit_name(const struct edit *e, int32_t reg)
{
    return e->function->registers[reg].name;
}
/* A name that begins with the hint and that nothing in the function or at module scope has. */
const char *edit_fresh_name(struct edit *e, const char *hint);
/* Called for a register of an instruction, which it may replace by another. */
typedef void edit_visitor(void *context, int32_t *reg, bool is_written);
/* Visits every register that the instruction names: its guard, operands, addresses, vectors, arguments and results. */
void edit_visit_registers(struct ptx_instruction *insn, edit_visitor *visit, void *context);
/* A copy of the instruction with operands of its own, in the function's module. */
struct ptx_instruction edit_copy_instruction(struct edit *e, const struct ptx_instruction *insn);

/* ---- the module ---- */

/* Adds a function, given as PTX, that `before` may call. */
struct ptx_function *edit_add_function(struct ptx_module *module, const struct ptx_function *before,
                                       const char *definition);
/* A name for a new function: nothing in the module has the name. */
const char *edit_fresh_function_name(struct ptx_module *module, const char *hint);

#endif
