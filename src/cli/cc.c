/* heddle cc: compiles CUDA programs for heddle. */
#include "cli/cli.h"
#include "cli/cuda_compiler.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option option_table[] = {
    {"--compiler", "nvcc|clang++|PATH", "Compiler to call.", "nvcc if it is there, else clang++"},
    {NULL, NULL, NULL, NULL},
};

static int run(int argc, char **argv)
{
    struct vec_of(char *) words = {0};
    const char *wanted = NULL;
    bool has_source = false;
    for (int i = 1; i < argc;) {
        const char *value;
        if (cli_take(option_table, argc, argv, &i, &value)) {
            if (!value)
                return cli_misuse("cc", "--compiler needs a value");
            wanted = value;
            continue;
        }
        has_source = has_source || argv[i][0] != '-';
        vec_push(&words, argv[i++]);
    }
    if (!has_source) {
        vec_free(&words);
        return cli_misuse("cc", "there is nothing to compile");
    }
    vec_push(&words, NULL);
    struct cuda_compiler compiler;
    char *error = NULL;
    int status;
    if (cuda_compiler_find(wanted, &compiler, &error)) {
        status = cuda_compiler_make_program(&compiler, words.data);
        cuda_compiler_free(&compiler);
    } else {
        status = cli_fail("error: %s", error);
        free(error);
    }
    vec_free(&words);
    return status;
}

const struct command cc_command = {
    .name = "cc",
    .summary = "compile a CUDA program for heddle exec, with nvcc or clang",
    .usage = "heddle cc FILE.cu... -o PROGRAM [OPTIONS OF THE COMPILER]",
    .description =
        "Calls nvcc, or clang++ where there is no nvcc, so that heddle can run the program: PTX for compute capability "
        "8.0 unless the options choose architectures, line tables, and the CUDA runtime as a shared library. All words "
        "but --compiler are passed on. The program is an ordinary CUDA program, and runs on a GPU as well. The exit "
        "status is the compiler's.",
    .options = option_table,
    .examples = "heddle cc saxpy.cu -o saxpy\n"
                "heddle cc main.cu kernels.cu -rdc=true -O3 -o app && heddle exec ./app\n"
                "heddle cc --compiler clang++ saxpy.cu -o saxpy\n",
    .run = run,
};
