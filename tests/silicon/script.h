/*
 * Scripts: small programs around one instruction, for what a single execution on operand values cannot show.
 *
 * A script's text is PTX in which `$` stands for the instruction as the form spells it. Besides %i (thread
 * of the grid) and %t (thread of the block) it may use
 *   %x %y %z   inputs, one for each letter of `inputs`: r any number, s 0..7, l 0..31, m 0..63, w one the
 *              whole row has, c the third operand of a shuffle, f an f32 that is often an edge value, g one
 *              from 0 to 1
 *   %v         the input %y in a register as wide as the form's type
 *   %o0..%o3   outputs, zero at first; `outputs` of them are kept
 *   %r0..%r9, %rd0..%rd3, %p0..%p5   scratch registers
 *   %w %w2 %n  of rows about the stack: registers of the form's type; %n is 24
 *   `^`        the form's type
 *   `~` `#`    the shuffle mode's operand for whole rows, and for halves of a row
 *   `@`        an address: %r8, or %rd3 where the form names no space, so that the address is generic
 *   a backtick a number of bytes that the copy can have
 *   `?` `&`    bytes that the form stores, and the value or values
 *   `|`        a comma and a cache policy, where the form has one
 */
#ifndef HEDDLE_TESTS_SCRIPT_H
#define HEDDLE_TESTS_SCRIPT_H

#include "ptx/ops.h"

enum {
    SCRIPT_DIVERGENT = 1, /* threads of a row part ways at the instruction: not for .uni, nor for .aligned */
    SCRIPT_OLD = 2,       /* written in PTX 6.0 for sm_60; newer silicon may not have it */
    SCRIPT_SM_90A = 4,    /* for sm_90a */
    SCRIPT_SM_100 = 8,    /* written in PTX 8.6 for sm_100a, which older silicon does not have */
    SCRIPT_CLUSTER = 16,  /* the two blocks are a cluster */
    SCRIPT_STATE = 32,    /* uses the state that an arrival returns: not for shared::cluster */
    SCRIPT_NEWER = 64     /* written for sm_100 */
};

struct script {
    enum op op;
    const char *tag; /* what tells it from the other scripts of the row */
    const char *inputs;
    int outputs;
    unsigned block; /* threads; there are two blocks */
    unsigned flags;
    const char *module; /* before the kernel */
    const char *body;
};

extern const struct script script_table[];
extern const int script_count;
extern const struct script script_table_async[];
extern const int script_count_async;

#endif
