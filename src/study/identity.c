/* The identity of a run: see identity.h. */
#define _GNU_SOURCE
#include "study/identity.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/sha256.h"
#include "div/contract/div.h"
#include "gpu/gpu.h"
#include "run/request.h"
#include "study/installed.h"
#include "study/workload.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>

static const char own_executable[] = "/proc/self/exe";

struct known_file {
    char *path;
    char hex[SHA256_HEX];
    UT_hash_handle hh;
};

struct identity {
    char build[SHA256_HEX];
    struct known_file *files;
};

/* What a command line says. */
struct identity_words {
    struct run_request request;
    struct vec_of(const char *) own; /* words of heddle run itself, such as --grid 4; not owned */
    const char *size, *ptx;          /* NULL: not given */
    bool wants_hints;
    bool writes; /* the run leaves a file beside its result */
};

/* ---- files ---- */

/* The hash of a file's bytes; NULL and an error text. */
static const char *hash_file(struct identity *i, const char *path, char **error)
{
    struct known_file *f;
    HASH_FIND_STR(i->files, path, f);
    if (f)
        return f->hex;
    struct sha256 s;
    sha256_open(&s);
    if (!sha256_add_file(&s, path)) {
        diag_fail(error, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    f = xcalloc(1, sizeof *f);
    f->path = strdup(path);
    sha256_hex(&s, f->hex);
    HASH_ADD_KEYPTR(hh, i->files, f->path, strlen(f->path), f);
    return f->hex;
}

static bool is_plain_file(const char *path)
{
    struct stat about;
    return !stat(path, &about) && S_ISREG(about.st_mode) && !access(path, R_OK);
}

/* Adds the name and the hash of each shared library of a folder, in the order of their names. */
static bool add_libraries(struct identity *i, struct sha256 *s, const char *folder, char **error)
{
    struct dirent **entries = NULL;
    int count = folder ? scandir(folder, &entries, NULL, alphasort) : 0;
    bool ok = true;
    for (int k = 0; k < count; k++) {
        struct text path = {0};
        struct stat about;
        text_printf(&path, "%s/%s", folder, entries[k]->d_name);
        if (ok && strstr(entries[k]->d_name, ".so") && !lstat(path.data, &about) && S_ISREG(about.st_mode)) {
            const char *hex = hash_file(i, path.data, error);
            ok = hex;
            sha256_add_text(s, entries[k]->d_name);
            sha256_add_text(s, hex);
        }
        text_free(&path);
        free(entries[k]);
    }
    free(entries);
    return ok;
}

struct identity *identity_open(char **error)
{
    struct identity *i = xcalloc(1, sizeof *i);
    struct sha256 s;
    sha256_open(&s);
    const char *hex = hash_file(i, own_executable, error);
    char *folder = installed_path("libcuda", NULL);
    sha256_add_text(&s, hex);
    bool ok = hex && add_libraries(i, &s, folder, error);
    free(folder);
    sha256_hex(&s, i->build);
    if (ok)
        return i;
    identity_close(i);
    return NULL;
}

void identity_close(struct identity *i)
{
    if (!i)
        return;
    struct known_file *f, *next;
    HASH_ITER(hh, i->files, f, next)
    {
        HASH_DEL(i->files, f);
        free(f->path);
        free(f);
    }
    free(i);
}

const char *identity_build(const struct identity *i)
{
    return i->build;
}

/* ---- the command line ---- */

/* The value of an option of heddle run at words[*at], as `--name value` or `--name=value`, moving *at behind it; NULL:
 * there is another word. */
static const char *value_of(const struct trial *t, int *at, const char *name)
{
    const char *word = t->words.data[*at];
    size_t length = strlen(name);
    if (strncmp(word, name, length) || (word[length] && word[length] != '='))
        return NULL;
    if (!word[length] && *at + 1 == t->words.count)
        return NULL;
    const char *value = word[length] ? word + length + 1 : t->words.data[++*at];
    ++*at;
    return value;
}

/* Takes a word that is no option of a run. */
static void take_own(struct identity_words *w, const struct trial *t, int *at)
{
    const char *value, *word = t->words.data[*at];
    if ((value = value_of(t, at, "--size"))) {
        w->size = value;
    } else if ((value = value_of(t, at, "--ptx"))) {
        w->ptx = value;
    } else if (!strcmp(word, "--hints")) {
        w->wants_hints = true;
        ++*at;
    } else {
        w->writes |= !strncmp(word, "--write", 7) || !strncmp(word, "--report", 8);
        vec_push(&w->own, word);
        ++*at;
    }
}

static bool read_words(struct identity_words *w, const struct trial *t, char **error)
{
    struct run_options *o = &w->request.options;
    request_open(&w->request);
    if (!options_take_environment(o, error))
        return false;
    for (int at = t->program ? 0 : 1; at < t->words.count;) {
        int taken = options_take(o, t->words.count, t->words.data, &at, error);
        if (taken < 0)
            return false;
        if (!taken)
            take_own(w, t, &at);
    }
    w->writes |= o->record_path || o->json_path || o->csv_path || o->trace || o->trace_file || o->trace_perfetto ||
                 o->trace_svg || o->trace_tikz || o->report_data;
    return request_settle(&w->request, error);
}

static void free_words(struct identity_words *w)
{
    vec_free(&w->own);
    request_close(&w->request);
}

static void forget(char **word)
{
    free(*word);
    *word = NULL;
}

/* Prints all that the run is told, with defaults: options, machine and mechanism. Options that the machine and the
 * mechanism show by their knobs are left out, and so are those that change only what is printed. */
static void print_configuration(struct identity_words *w, struct text *out)
{
    struct run_options *o = &w->request.options;
    const struct gpu_run *gpu = w->request.gpu;
    forget(&o->gpu);
    forget(&o->mechanism);
    forget(&o->settings);
    forget(&o->stats);
    o->paper_schedulers = false;
    text_printf(out, "{\"options\":");
    options_json(o, out);
    text_printf(out, ",\"machine\":");
    if (gpu)
        machine_print_json(gpu->machine, out);
    else
        text_printf(out, "null");
    text_printf(out, ",\"mechanism\":{\"name\":");
    json_print_string(out, gpu ? gpu->mechanism->name : NULL);
    if (gpu && gpu->mechanism->knobs) {
        text_printf(out, ",\"%s\":{", gpu->mechanism->knobs->section);
        knob_print_json(gpu->mechanism->knobs, gpu->mechanism_knobs, out);
        text_printf(out, "}");
    }
    text_printf(out, "}}");
}

/* The settings of --set in one line, in the order in which they came. */
static char *settings_of(const struct run_options *o)
{
    char *settings = strdup(o->settings ? o->settings : "");
    size_t length = strlen(settings);
    for (char *c = settings; *c; c++)
        *c = (char)(*c == '\n' ? ' ' : *c);
    if (length)
        settings[length - 1] = '\0'; /* each setting ends with a line */
    return settings;
}

/* The mechanism's name with the passes of --rewrite behind it: "pdom+coarsen=4+delay". */
static char *mechanism_of(const struct identity_words *w)
{
    struct text name = {0};
    if (!w->request.gpu)
        return NULL;
    text_printf(&name, "%s", w->request.gpu->mechanism->name);
    const char *passes = w->request.options.rewrite;
    if (passes)
        text_printf(&name, "+");
    for (; passes && *passes; passes++)
        text_printf(&name, "%c", *passes == ',' ? '+' : *passes);
    return text_take(&name);
}

/* ---- program and input ---- */

/* The file that a program's name stands for, as shells find it; owned by the caller. */
static char *find_program(const char *name)
{
    const char *at = strchr(name, '/') ? NULL : getenv("PATH");
    while (at && *at) {
        size_t length = strcspn(at, ":");
        struct text path = {0};
        text_printf(&path, "%.*s%s%s", (int)length, at, length ? "/" : "./", name);
        if (is_plain_file(path.data) && !access(path.data, X_OK))
            return text_take(&path);
        text_free(&path);
        at += length;
        at += *at == ':';
    }
    return strdup(name);
}

static bool is_source(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && !strcmp(path + length - 3, ".cu");
}

/* Adds the word, and the bytes of the file that it names in this way, if there is one. */
static bool add_word(struct identity *i, struct sha256 *s, const char *word, const char *path, char **error)
{
    sha256_add_text(s, word);
    if (!path || !is_plain_file(path))
        return true;
    const char *hex = hash_file(i, path, error);
    sha256_add_text(s, hex);
    return hex;
}

/* Adds a word of heddle run; "buf:u8=file(PATH)" with the bytes of the file. */
static bool add_own_word(struct identity *i, struct sha256 *s, const char *word, char **error)
{
    static const char function[] = "file(";
    const char *call = strstr(word, function), *end = strrchr(word, ')');
    char *path =
        call && end > call ? strndup(call + sizeof function - 1, (size_t)(end - call) - (sizeof function - 1)) : NULL;
    bool ok = add_word(i, s, word, path, error);
    free(path);
    return ok;
}

static bool hash_input(struct identity *i, const struct trial *t, const struct identity_words *w,
                       const struct workload *workload, struct task *task, char **error)
{
    char hex[SHA256_HEX];
    bool ok = true;
    struct sha256 s;
    sha256_open(&s);
    sha256_add_text(&s, task->size);
    sha256_add_text(&s, task->ptx);
    sha256_add_text(&s, task->hints ? "hints" : NULL);
    sha256_add_text(&s, workload ? workload->number : NULL);
    for (int k = 0; ok && k < w->own.count; k++)
        ok = add_own_word(i, &s, w->own.data[k], error);
    for (int k = 1; ok && t->program && t->program[k]; k++)
        ok = add_word(i, &s, t->program[k], t->program[k], error);
    const char *profile = w->request.options.profile;
    ok = ok && (!profile || add_word(i, &s, "profile", profile, error));
    sha256_hex(&s, hex);
    task->input_hash = strdup(hex);
    return ok;
}

static const struct workload *workload_of(const struct trial *t)
{
    return t->program || !access(t->words.data[0], R_OK) ? NULL : workload_find(t->words.data[0]);
}

/* Names the program, and hashes its file. */
static bool name_program(struct identity *i, const struct trial *t, const struct workload *workload, struct task *task,
                         char **error)
{
    struct text name = {0};
    char *path = workload     ? workload_program(workload, error)
                 : t->program ? find_program(t->program[0])
                              : strdup(t->words.data[0]);
    for (int k = 0; t->program && t->program[k]; k++)
        text_printf(&name, "%s%s", k ? " " : "", t->program[k]);
    if (!t->program)
        text_printf(&name, "%s", workload ? workload->name : t->words.data[0]);
    task->name = text_take(&name);
    bool ok = path;
    if (ok && !t->program && is_source(path))
        ok = diag_fail(error, "%s is CUDA source, which other files and a compiler make a program of", path);
    const char *hex = ok ? hash_file(i, path, error) : NULL;
    task->program_hash = hex ? strdup(hex) : NULL;
    free(path);
    return hex;
}

/* The words behind `heddle`, as a JSON array. */
static char *print_words(const struct trial *t)
{
    struct text out = {0};
    text_printf(&out, "[\"%s\"", t->program ? "exec" : "run");
    for (int k = 0; k < t->words.count; k++) {
        text_printf(&out, ",");
        json_print_string(&out, t->words.data[k]);
    }
    if (t->program)
        text_printf(&out, ",\"--\"");
    for (int k = 0; t->program && t->program[k]; k++) {
        text_printf(&out, ",");
        json_print_string(&out, t->program[k]);
    }
    text_printf(&out, "]");
    return text_take(&out);
}

static void make_key(struct task *task)
{
    char hex[SHA256_HEX];
    struct sha256 s;
    sha256_open(&s);
    const char *const parts[] = {"heddle run 1",
                                 task->build,
                                 task->name,
                                 task->program_hash,
                                 task->input_hash,
                                 task->configuration,
                                 task->verifies_itself ? "verifies itself" : NULL};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        sha256_add_text(&s, parts[k]);
    sha256_hex(&s, hex);
    task->key = strdup(hex);
}

static bool make_task(struct identity *i, const struct trial *t, struct identity_words *w, struct task *task,
                      char **error)
{
    if (!read_words(w, t, error))
        return false;
    if (w->writes)
        return diag_fail(error, "the run writes a file beside its result, which a stored result would not");
    const struct workload *workload = workload_of(t);
    const struct gpu_run *gpu = w->request.gpu;
    struct text configuration = {0};
    task->build = strdup(i->build);
    task->version = strdup(HEDDLE_VERSION);
    task->gpu = gpu ? strdup(gpu->machine->name) : NULL;
    task->mechanism = mechanism_of(w);
    task->size = workload ? strdup(w->size ? w->size : "small") : NULL;
    task->ptx = workload ? strdup(w->ptx ? w->ptx : "nvcc") : NULL;
    task->hints = w->wants_hints;
    task->verifies_itself = t->verifies_itself;
    task->settings = settings_of(&w->request.options);
    task->words = print_words(t);
    if (!name_program(i, t, workload, task, error) || !hash_input(i, t, w, workload, task, error))
        return false;
    print_configuration(w, &configuration);
    task->configuration = text_take(&configuration);
    make_key(task);
    return true;
}

bool identity_make_task(struct identity *i, const struct trial *trial, struct task *task, char **error)
{
    struct identity_words w = {0};
    bool ok = make_task(i, trial, &w, task, error);
    free_words(&w);
    if (!ok)
        task_free(task);
    return ok;
}
