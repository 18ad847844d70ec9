/*
 * CUDA compilers: finding nvcc or clang, and calling them.
 *
 * heddle needs PTX with line tables, and programs that are linked with the runtime as a shared library. The options for
 * both are added here, so that a user of heddle run FILE.cu and heddle cc need not know them.
 */
#ifndef HEDDLE_CLI_CUDA_COMPILER_H
#define HEDDLE_CLI_CUDA_COMPILER_H

#include <stdbool.h>

struct cuda_compiler {
    char *path; /* owned */
    bool is_nvcc;
};

/* Finds nvcc (in PATH, in the folder that CUDA_HOME or CUDA_PATH names, in /usr/local/cuda), or else clang. With a name
 * or path, finds just that one. False and an error text, freed by the caller, that says where was looked. */
bool cuda_compiler_find(const char *wanted, struct cuda_compiler *compiler, char **error);
void cuda_compiler_free(struct cuda_compiler *compiler);

/* Whether the path is that of a CUDA source: it ends in .cu. */
bool cuda_compiler_takes(const char *path);
/* Compiles the kernels of a source to PTX. Returns the path of the PTX, to be removed with temporary_remove(); NULL and
 * an error text, freed by the caller, after what the compiler itself has printed. */
char *cuda_compiler_make_ptx(const char *source, char **error);
/* Calls the compiler with the given words, ended by NULL, and options for a program that heddle can run. Returns the
 * compiler's exit status. */
int cuda_compiler_make_program(const struct cuda_compiler *compiler, char *const *given);

#endif
