/* Printing a program and what the analyses found: as text, as a Graphviz graph, or as JSON. */
#ifndef HEDDLE_FLOW_PRINT_H
#define HEDDLE_FLOW_PRINT_H

#include "base/text.h"
#include "flow/program.h"

/* One instruction as in the PTX text, without the `;`. An instruction that decoding inserted is printed in short. */
void program_print_instruction(const struct program *program, int32_t pc, struct text *out);

void program_print_text(const struct program *program, struct text *out);
void program_print_dot(const struct program *program, struct text *out);
void program_print_json(const struct program *program, struct text *out);

#endif
