/*
 * The PTX of a generated kernel, as a compiler would write it: a tree of comparisons leads to the path, whose loop is
 * straight code with its branch at the end. Registers as in evaluate.c: %a, %x, %loads, %f, %g.
 */
#include "app.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct listing {
    char *text;
    size_t length, capacity;
    const struct app *app;
};

static __attribute__((format(printf, 2, 3))) void line(struct listing *l, const char *format, ...)
{
    va_list list;
    if (l->capacity - l->length < 256) {
        l->capacity = 2 * l->capacity + 4096;
        l->text = realloc(l->text, l->capacity);
        if (!l->text)
            abort();
    }
    va_start(list, format);
    l->length += (size_t)vsnprintf(l->text + l->length, l->capacity - l->length - 1, format, list);
    va_end(list);
    l->text[l->length++] = '\n';
    l->text[l->length] = '\0';
}

static void emit_head(struct listing *l)
{
    const struct app *app = l->app;
    line(l, ".version 6.3\n.target sm_70\n.address_size 64");
    line(l, ".const .align 4 .b8 constants[%d];", 4 * APP_CONSTANTS);
    line(l, ".visible .entry app(.param .u64 array, .param .u64 choice, .param .u64 turns, .param .u64 out)\n{");
    line(l, "\t.reg .pred %%p;\n\t.reg .f32 %%f, %%g;\n\t.reg .b64 %%array, %%choice, %%turns, %%out, %%at;");
    line(l,
         "\t.reg .b32 %%a, %%x, %%loads, %%thread, %%lane, %%all, %%gid, %%grid, %%round, %%path, %%turn, %%t, %%u;");
    line(l, "\t.reg .b32 %%first;\n\t.shared .align 4 .b8 words[%u];", 4 * app->threads);
    line(l, "\tld.param.u64 %%array, [array];\n\tcvta.to.global.u64 %%array, %%array;");
    line(l, "\tld.param.u64 %%choice, [choice];\n\tcvta.to.global.u64 %%choice, %%choice;");
    line(l, "\tld.param.u64 %%turns, [turns];\n\tcvta.to.global.u64 %%turns, %%turns;");
    line(l, "\tmov.u32 %%thread, %%tid.x;\n\tmov.u32 %%t, %%ctaid.x;\n\tmad.lo.u32 %%gid, %%t, %u, %%thread;",
         app->threads);
    line(l, "\tmov.u32 %%u, %%nctaid.x;\n\tmul.lo.u32 %%grid, %%u, %u;", app->threads);
    if (app->window) {
        line(l, "\tmov.u32 %%lane, %%thread;\n\tmov.u32 %%all, %u;", app->threads);
        line(l, "\tmul.lo.u32 %%first, %%t, %u;\n\tand.b32 %%first, %%first, %d;", app->window, APP_ARRAY_WORDS - 1);
        line(l, "\tmul.wide.u32 %%at, %%first, 4;\n\tadd.s64 %%array, %%array, %%at;");
    } else {
        line(l, "\tmov.u32 %%lane, %%gid;\n\tmov.u32 %%all, %%grid;");
    }
    line(l, "\tmul.wide.u32 %%at, %%gid, 4;\n\tadd.s64 %%choice, %%choice, %%at;\n\tadd.s64 %%turns, %%turns, %%at;");
    line(l, "\tmov.u32 %%a, %%gid;\n\tmov.f32 %%f, 0f00000000;\n\tmov.u32 %%loads, 0;\n\tmov.u32 %%x, 0;");
    line(l, "\tmov.f32 %%g, 0f00000000;\n\tmov.u32 %%round, 0;");
}

/* Shared memory gets the threads' integers. Without a barrier before the store, threads that are late in the round
 * before would read the new words. */
static void emit_share(struct listing *l)
{
    line(l, "\tbar.sync 0;\n\tshl.b32 %%t, %%thread, 2;\n\tmov.u32 %%u, words;\n\tadd.s32 %%u, %%u, %%t;");
    line(l, "\tst.shared.u32 [%%u], %%a;\n\tbar.sync 0;");
}

static void emit_load_global(struct listing *l)
{
    const struct app *app = l->app;
    line(l, "\tmad.lo.u32 %%t, %%loads, %%all, %%lane;\n\tadd.s32 %%loads, %%loads, 1;");
    if (app->order == APP_STRIDED)
        line(l, "\tmul.lo.u32 %%t, %%t, %d;", APP_STRIDE);
    if (app->order == APP_GATHERED)
        line(l, "\txor.b32 %%t, %%t, %%a;\n\tmul.lo.u32 %%t, %%t, %d;\n\tshr.u32 %%t, %%t, %d;", APP_GATHER_FACTOR,
             APP_GATHER_SHIFT);
    line(l, "\tand.b32 %%t, %%t, %u;\n\tmul.wide.u32 %%at, %%t, 4;", (app->window ? app->window : APP_ARRAY_WORDS) - 1);
    line(l, "\tadd.s64 %%at, %%array, %%at;\n\tld.global.u32 %%x, [%%at];");
}

static void emit_step(struct listing *l, struct app_step step)
{
    switch (step.kind) {
    case APP_LOAD_GLOBAL:
        emit_load_global(l);
        break;
    case APP_LOAD_SHARED:
        line(l, "\tadd.s32 %%t, %%thread, %u;\n\tand.b32 %%t, %%t, %u;\n\tshl.b32 %%t, %%t, 2;", step.constant,
             l->app->threads - 1);
        line(l, "\tmov.u32 %%u, words;\n\tadd.s32 %%u, %%u, %%t;\n\tld.shared.u32 %%x, [%%u];");
        break;
    case APP_LOAD_CONSTANT:
        line(l, "\tld.const.u32 %%x, [constants+%u];", 4 * step.constant);
        break;
    case APP_ADD:
        line(l, "\tadd.s32 %%a, %%a, %d;", (int)step.constant);
        break;
    case APP_MULTIPLY:
        line(l, "\tmad.lo.s32 %%a, %%a, %d, %%x;", (int)step.constant);
        break;
    case APP_ROTATE:
        line(l, "\tshf.l.wrap.b32 %%a, %%a, %%a, %u;", step.constant);
        break;
    case APP_MIX:
        line(l, "\tshr.u32 %%t, %%a, %u;\n\txor.b32 %%a, %%a, %%t;", step.constant);
        break;
    case APP_FUSE:
        line(l, "\tfma.rn.f32 %%f, %%f, 0f3F000000, %%g;");
        break;
    default:
        line(l, "\tfma.rn.f32 %%f, %%f, 0f3E800000, 0f3F800000;");
        break;
    }
    if (step.kind < APP_FIRST_OPERATION)
        line(l, "\tand.b32 %%t, %%x, 65535;\n\tcvt.rn.f32.u32 %%g, %%t;");
}

static void emit_path(struct listing *l, unsigned path)
{
    line(l, "PATH_%u:", path);
    for (unsigned i = 0; i < l->app->step_count; i++)
        emit_step(l, l->app->steps[path][i]);
    line(l, "\tadd.s32 %%turn, %%turn, -1;\n\tsetp.ne.u32 %%p, %%turn, 0;\n\t@%%p bra PATH_%u;", path);
    line(l, "\tbra.uni JOIN;");
}

/* Comparisons that lead to the paths from `first` on, and the paths. */
static void emit_tree(struct listing *l, unsigned first, unsigned count)
{
    if (count == 1) {
        emit_path(l, first);
        return;
    }
    unsigned middle = first + count / 2;
    line(l, "\tsetp.ge.u32 %%p, %%path, %u;\n\t@%%p bra FROM_%u_%u;", middle, middle, count / 2);
    emit_tree(l, first, count / 2);
    line(l, "FROM_%u_%u:", middle, count / 2);
    emit_tree(l, middle, count / 2);
}

char *app_emit(const struct app *app)
{
    struct listing l = {.app = app};
    emit_head(&l);
    emit_share(&l);
    line(&l, "\tbra.uni ROUND;\nNEXT:");
    if (app->barrier_every) {
        line(&l, "\trem.u32 %%t, %%round, %u;\n\tsetp.ne.u32 %%p, %%t, 0;\n\t@%%p bra ROUND;", app->barrier_every);
        emit_share(&l);
    }
    line(&l, "ROUND:\n\tld.global.u32 %%path, [%%choice];\n\tld.global.u32 %%turn, [%%turns];");
    line(&l, "\tmul.wide.u32 %%at, %%grid, 4;\n\tadd.s64 %%choice, %%choice, %%at;\n\tadd.s64 %%turns, %%turns, %%at;");
    line(&l, "\tsetp.eq.u32 %%p, %%turn, 0;\n\t@%%p bra JOIN;");
    emit_tree(&l, 0, app->paths);
    line(&l, "JOIN:\n\tadd.s32 %%round, %%round, 1;\n\tsetp.lt.u32 %%p, %%round, %u;\n\t@%%p bra NEXT;", app->rounds);
    line(&l, "\tld.param.u64 %%out, [out];\n\tcvta.to.global.u64 %%out, %%out;\n\tmul.wide.u32 %%at, %%gid, 4;");
    line(&l, "\tadd.s64 %%out, %%out, %%at;\n\tmov.b32 %%t, %%f;\n\txor.b32 %%t, %%t, %%a;");
    line(&l, "\tst.global.u32 [%%out], %%t;\n\tret;\n}");
    return l.text;
}
