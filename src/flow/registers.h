/*
 * Registers by name: which registers of the PTX text hold a value at a PC, and in which planes the values stand.
 *
 * A program (program.h) knows planes only, and registers take turns in them. At a PC a plane certainly holds the value
 * of a register that is live there, for every thread that is there. A register that the thread's last instruction wrote
 * holds its value as well, even if nobody reads it later. Nothing certain can be said of other registers. A program is
 * decoded anew to find this out, since only debuggers ask.
 */
#ifndef HEDDLE_FLOW_REGISTERS_H
#define HEDDLE_FLOW_REGISTERS_H

#include "flow/program.h"

struct named_register {
    const char *name; /* as in the PTX text; "carry" for the carry flag. Lives as long as the module */
    uint8_t type;     /* enum type as declared; TYPE_PRED for the carry flag */
    uint8_t bits;     /* width in planes: 1 (predicate), 16, 32, 64 or 128 */
    int32_t plane;
};

struct registers;

/* Of the program that program_create() makes of this kernel, which must have had success. */
struct registers *registers_create(const struct ptx_function *kernel);
void registers_destroy(struct registers *r);

/* Registers that are live before the instruction at the PC, in the order of their declaration. */
const struct named_register *registers_live(const struct registers *r, int32_t pc, int *count);
/* Registers that the instruction at the PC writes. */
const struct named_register *registers_written(const struct registers *r, int32_t pc, int *count);

#endif
