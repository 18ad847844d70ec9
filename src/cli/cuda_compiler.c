/* CUDA compilers: see cuda_compiler.h. */
#define _GNU_SOURCE
#include "cli/cuda_compiler.h"

#include "base/arena.h"
#include "base/child.h"
#include "base/diag.h"
#include "base/temporary.h"
#include "base/text.h"
#include "base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* PTX for compute capability 8.0, which every nvcc since CUDA 11 and every clang since version 11 can write. */
#define NVCC_ARCH  "-arch=compute_80"
#define CLANG_ARCH "--cuda-gpu-arch=sm_80"

struct words {
    struct vec_of(char *) list;
};

static char *copy(const char *text)
{
    return strcpy(xmalloc(strlen(text) + 1), text);
}

static char *join(const char *folder, int length, const char *name)
{
    struct text path = {0};
    text_printf(&path, "%.*s/%s", length, folder, name);
    return text_take(&path);
}

static bool is_program(const char *path)
{
    struct stat about;
    return !stat(path, &about) && S_ISREG(about.st_mode) && !access(path, X_OK);
}

/* The program of this name in PATH, or at this path; NULL: there is none. Owned by the caller. */
static char *find_program(const char *name)
{
    if (strchr(name, '/'))
        return is_program(name) ? copy(name) : NULL;
    const char *at = getenv("PATH");
    while (at) {
        int length = (int)strcspn(at, ":");
        char *path = join(length ? at : ".", length ? length : 1, name);
        if (is_program(path))
            return path;
        free(path);
        at = at[length] ? at + length + 1 : NULL;
    }
    return NULL;
}

/* The folder of a CUDA toolkit in which the file exists; NULL: there is none. Owned by the caller. */
static char *find_toolkit(const char *file)
{
    const char *const folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda",
                                   "/usr/lib/cuda"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (!folders[i] || !*folders[i])
            continue;
        char *path = join(folders[i], (int)strlen(folders[i]), file);
        bool exists = !access(path, F_OK);
        free(path);
        if (exists)
            return copy(folders[i]);
    }
    return NULL;
}

static char *find_nvcc(void)
{
    char *path = find_program("nvcc");
    char *toolkit = path ? NULL : find_toolkit("bin/nvcc");
    if (toolkit)
        path = join(toolkit, (int)strlen(toolkit), "bin/nvcc");
    free(toolkit);
    return path;
}

static char *find_clang(void)
{
    char *path = find_program("clang++");
    for (int version = 25; !path && version >= 14; version--) {
        char name[32];
        snprintf(name, sizeof name, "clang++-%d", version);
        path = find_program(name);
    }
    return path;
}

bool cuda_compiler_find(const char *wanted, struct cuda_compiler *compiler, char **error)
{
    *compiler = (struct cuda_compiler){0};
    if (wanted) {
        const char *slash = strrchr(wanted, '/');
        compiler->is_nvcc = strstr(slash ? slash + 1 : wanted, "nvcc") != NULL;
        compiler->path = compiler->is_nvcc && !slash ? find_nvcc() : find_program(wanted);
        return compiler->path || diag_fail(error, "there is no compiler %s", wanted);
    }
    compiler->path = find_nvcc();
    compiler->is_nvcc = compiler->path != NULL;
    if (!compiler->path)
        compiler->path = find_clang();
    return compiler->path ||
           diag_fail(error,
                     "CUDA sources need a compiler, and neither nvcc (in PATH, CUDA_HOME or /usr/local/cuda) nor "
                     "clang++ (in PATH) is here");
}

void cuda_compiler_free(struct cuda_compiler *compiler)
{
    free(compiler->path);
    compiler->path = NULL;
}

bool cuda_compiler_takes(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && !strcmp(path + length - 3, ".cu");
}

static void add(struct words *words, const char *word)
{
    vec_push(&words->list, copy(word));
}

static void add_joined(struct words *words, const char *before, const char *after)
{
    struct text word = {0};
    text_printf(&word, "%s%s", before, after);
    vec_push(&words->list, text_take(&word));
}

/* Runs the compiler, which prints where this command does, and frees the words. */
static int call(const struct cuda_compiler *compiler, struct words *words)
{
    struct child child;
    vec_push(&words->list, NULL);
    struct child_program program = {.path = compiler->path, .words = words->list.data, .output = -1};
    int status = child_start(&child, &program) ? child_wait(&child, NULL) : 1;
    for (int i = 0; i < words->list.count; i++)
        free(words->list.data[i]);
    vec_free(&words->list);
    return status;
}

/* clang finds the headers of a toolkit in /usr/local/cuda by itself, and elsewhere only if told. */
static void add_toolkit(struct words *words, bool links)
{
    char *toolkit = find_toolkit("include/cuda_runtime.h");
    if (!toolkit)
        return;
    add_joined(words, "--cuda-path=", toolkit);
    if (links) {
        char *libraries = join(toolkit, (int)strlen(toolkit), "lib64");
        add_joined(words, "-L", libraries);
        free(libraries);
    }
    free(toolkit);
}

char *cuda_compiler_make_ptx(const char *source, char **error)
{
    struct cuda_compiler compiler;
    if (!cuda_compiler_find(NULL, &compiler, error))
        return NULL;
    char *ptx = temporary_file("", 0, error);
    if (!ptx) {
        cuda_compiler_free(&compiler);
        return NULL;
    }
    struct words words = {0};
    add(&words, compiler.path);
    if (compiler.is_nvcc) {
        add(&words, "-ptx");
        add(&words, "-lineinfo");
        add(&words, NVCC_ARCH);
    } else {
        add(&words, "--cuda-device-only");
        add(&words, "-S");
        add(&words, "-O2");
        add(&words, "-gline-tables-only");
        add(&words, CLANG_ARCH);
        add_toolkit(&words, false);
    }
    add(&words, "-o");
    add(&words, ptx);
    add(&words, source);
    int status = call(&compiler, &words);
    if (status) {
        diag_fail(error, "%s could not compile %s (exit status %d)", compiler.path, source, status);
        temporary_remove(ptx);
        ptx = NULL;
    }
    cuda_compiler_free(&compiler);
    return ptx;
}

/* Whether the user's words choose architectures. */
static bool chooses_architecture(char *const *words)
{
    static const char *const starts[] = {"-arch", "--gpu-architecture", "-gencode",        "--generate-code",
                                         "-code", "--gpu-code",         "--cuda-gpu-arch", "--offload-arch"};
    for (; *words; words++)
        for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
            if (!strncmp(*words, starts[i], strlen(starts[i])))
                return true;
    return false;
}

int cuda_compiler_make_program(const struct cuda_compiler *compiler, char *const *given)
{
    struct words words = {0};
    bool chosen = chooses_architecture(given);
    add(&words, compiler->path);
    if (compiler->is_nvcc) {
        add(&words, "-cudart=shared");
        add(&words, "-lineinfo");
        if (!chosen)
            add(&words, NVCC_ARCH);
    } else {
        add(&words, "-gline-tables-only");
        add(&words, "--cuda-include-ptx=all");
        if (!chosen)
            add(&words, CLANG_ARCH);
        add_toolkit(&words, true);
    }
    for (char *const *word = given; *word; word++)
        add(&words, *word);
    if (!compiler->is_nvcc)
        add(&words, "-lcudart");
    return call(compiler, &words);
}
