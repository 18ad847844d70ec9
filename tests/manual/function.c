/* Functions: leaves with early returns, functions in which threads end, functions with barriers, recursion, tables. */
#include "sheet.h"

static int roll(struct manual_sheet *s, int limit)
{
    return manual_dice_below(&s->dice, limit);
}

/* Whether all function kinds of a call may be made at this place. */
static bool may_call(const struct manual_sheet *s, const struct manual_place *at, enum function_kind kind)
{
    if (kind == FUNCTION_ENDING)
        return at->may_end;
    return kind == FUNCTION_PURE || (at->is_uniform && !at->group && (s->body->is_kernel || s->body->kind == kind));
}

static void pass_arguments(struct manual_sheet *s, const struct manual_place *at, int call, int depth)
{
    static const char *const pointers[] = {"row", "in", "acc"};
    manual_line(s, at, ".param .b32 c%d_0, c%d_1, c%d_r;", call, call, call);
    manual_line(s, at, ".param .b64 c%d_2, c%d_3, c%d_4;", call, call, call);
    manual_line(s, at, "st.param.b32 [c%d_0], %%a%d;", call, manual_data(s));
    manual_line(s, at, "st.param.b32 [c%d_1], %%x%d;", call, depth);
    for (int i = 0; i < 3; i++)
        manual_line(s, at, "st.param.b64 [c%d_%d], %%%s;", call, i + 2, pointers[i]);
}

static void take_result(struct manual_sheet *s, const struct manual_place *at, int call)
{
    const int x = manual_new_x(s), a = manual_data(s);
    manual_line(s, at, "ld.param.b32 %%x%d, [c%d_r];", x, call);
    manual_line(s, at, "}");
    manual_line(s, at, "xor.b32 %%a%d, %%a%d, %%x%d;", a, a, x);
}

static void call_function(struct manual_sheet *s, const struct manual_place *at, int number, int depth)
{
    const int call = s->call_count++;
    manual_line(s, at, "{");
    pass_arguments(s, at, call, depth);
    manual_line(s, at, "call%s (c%d_r), f%d, (c%d_0, c%d_1, c%d_2, c%d_3, c%d_4);", manual_uni(s), call, number, call,
                call, call, call, call);
    take_result(s, at, call);
    s->body->cost += s->function[number].cost * at->weight;
}

/* How deep a recursive function may go: 0 to 3. */
static int depth_argument(struct manual_sheet *s, const struct manual_place *at, bool uniform)
{
    const int x = manual_new_x(s);
    if (uniform)
        manual_line(s, at, "and.b32 %%x%d, %%u%d, 3;", x, roll(s, UNIFORM_COUNT));
    else
        manual_line(s, at, "and.b32 %%x%d, %%a%d, 3;", x, manual_data(s));
    return x;
}

/* Through a table of function pointers, which are all of one kind. */
static void call_by_table(struct manual_sheet *s, const struct manual_place *at, enum function_kind kind)
{
    const int call = s->call_count++, x = manual_new_x(s), y = manual_new_y(s);
    int count = 0, most = 0;
    for (int i = 0; i < s->function_count; i++)
        if (s->function[i].kind == kind) {
            count++;
            most = most > s->function[i].cost ? most : s->function[i].cost;
        }
    if (!manual_has_room(s, at, most + 15))
        return;
    const bool uniform = kind == FUNCTION_BARRIER;
    const int depth = depth_argument(s, at, uniform);
    if (uniform)
        manual_line(s, at, "rem.u32 %%x%d, %%u%d, %d;", x, roll(s, UNIFORM_COUNT), count);
    else
        manual_line(s, at, "rem.u32 %%x%d, %%a%d, %d;", x, manual_data(s), count);
    manual_line(s, at, "mov.u64 %%y%d, %s;", y, uniform ? "barrier_table" : "pure_table");
    manual_line(s, at, "mad.wide.u32 %%y%d, %%x%d, 8, %%y%d;", y, x, y);
    manual_line(s, at, "ld.global.u64 %%y%d, [%%y%d];", y, y);
    manual_line(s, at, "{");
    pass_arguments(s, at, call, depth);
    manual_line(s, at,
                "proto%d: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _, .param .b64 _, "
                ".param .b64 _, .param .b64 _);",
                call);
    manual_line(s, at, "call (c%d_r), %%y%d, (c%d_0, c%d_1, c%d_2, c%d_3, c%d_4), proto%d;", call, y, call, call, call,
                call, call, call);
    take_result(s, at, call);
    s->body->cost += most * at->weight;
}

void manual_call(struct manual_sheet *s, const struct manual_place *at)
{
    const int number = s->function_count ? roll(s, s->function_count) : 0;
    const struct manual_function *f = &s->function[number];
    if (s->body->is_kernel && s->has_barrier_table && may_call(s, at, FUNCTION_BARRIER) && roll(s, 3) == 0) {
        call_by_table(s, at, FUNCTION_BARRIER);
    } else if (s->body->is_kernel && s->has_pure_table && roll(s, 3) == 0) {
        call_by_table(s, at, FUNCTION_PURE);
    } else if (number < s->function_count && may_call(s, at, f->kind) && manual_has_room(s, at, f->cost + 15)) {
        const int depth = depth_argument(s, at, f->kind == FUNCTION_BARRIER);
        call_function(s, at, number, depth);
    }
}

/* A return from the middle; what it returns is stored first. */
static void early_return(struct manual_sheet *s, const struct manual_place *at)
{
    const bool all = at->is_uniform;
    const int p = manual_condition(s, at, roll(s, 4) == 0 ? IF_NEVER : all ? IF_RARE_UNIFORM : IF_SOME);
    if (roll(s, 2)) {
        manual_line(s, at, "st.param.b32 [result], %%a%d;", manual_data(s));
        manual_line(s, at, "@%%p%d ret;", p);
    } else {
        manual_line(s, at, "@%%p%d bra $L%d;", p, s->body->end_label);
    }
}

/* The function calls itself while its second argument, a small number, allows. */
static void recurse(struct manual_sheet *s, const struct manual_place *at, int number)
{
    const int depth = manual_new_x(s), p = manual_new_p(s), past = manual_new_label(s);
    manual_line(s, at, "ld.param.b32 %%x%d, [depth];", depth);
    manual_line(s, at, "setp.eq.u32 %%p%d, %%x%d, 0;", p, depth);
    manual_line(s, at, "@%%p%d bra $L%d;", p, past);
    manual_line(s, at, "sub.u32 %%x%d, %%x%d, 1;", depth, depth);
    call_function(s, at, number, depth);
    manual_label(s, past);
}

static void write_function(struct manual_sheet *s, int number, enum function_kind kind)
{
    const bool is_recursive = roll(s, 3) == 0;
    const int levels = is_recursive ? 4 : 1;
    struct manual_body body = {.kind = kind, .cost_limit = (kind == FUNCTION_BARRIER ? 300 : 150)};
    struct manual_place at = {.is_uniform = kind == FUNCTION_BARRIER,
                              .may_end = kind == FUNCTION_ENDING,
                              .warp_count = s->warps,
                              .mask = NO_MASK,
                              .crosses = s->crosses,
                              .weight = 1,
                              .depth = 2};
    struct text head = {0};
    s->body = &body;
    body.end_label = manual_new_label(s);
    const struct manual_scope scope = {body.end_label, manual_scope_kind(&at), 0, NULL};
    at.scopes = &scope;
    manual_prologue(s, &at);
    manual_statements(s, &at, 1 + roll(s, 2));
    if (roll(s, 3))
        early_return(s, &at);
    if (kind == FUNCTION_ENDING)
        manual_end(s, &at);
    if (kind == FUNCTION_BARRIER)
        manual_exchange(s, &at);
    s->function[number].cost = 0; /* of the call to itself; all levels are counted below */
    if (is_recursive)
        recurse(s, &at, number);
    manual_statements(s, &at, 1 + roll(s, 2));
    manual_label(s, body.end_label);
    manual_line(s, &at, "st.param.b32 [result], %%a%d;", manual_data(s));
    manual_line(s, &at, "ret;");
    text_printf(
        &head,
        ".func (.param .b32 result) f%d(.param .b32 value, .param .b32 depth, .param .b64 prow, .param .b64 pin, "
        ".param .b64 pacc)",
        number);
    manual_body_close(s, &s->functions, head.data);
    text_free(&head);
    s->function[number] = (struct manual_function){kind, is_recursive, body.cost * levels};
    s->body = NULL;
}

static bool write_table(struct manual_sheet *s, enum function_kind kind, const char *name)
{
    struct text list = {0};
    int count = 0;
    for (int i = 0; i < s->function_count; i++)
        if (s->function[i].kind == kind)
            text_printf(&list, "%sf%d", count++ ? ", " : "", i);
    if (count >= 2)
        text_printf(&s->functions, ".global .align 8 .u64 %s[%d] = {%s};\n\n", name, count, list.data);
    text_free(&list);
    return count >= 2;
}

void manual_functions(struct manual_sheet *s)
{
    const int count = roll(s, 3) ? roll(s, MAX_FUNCTIONS + 1) : 0;
    for (int i = 0; i < count; i++) {
        const int kind = roll(s, 10);
        write_function(s, i, kind < 4 ? FUNCTION_PURE : kind < 6 ? FUNCTION_ENDING : FUNCTION_BARRIER);
        s->function_count++;
    }
    s->has_pure_table = write_table(s, FUNCTION_PURE, "pure_table");
    s->has_barrier_table = write_table(s, FUNCTION_BARRIER, "barrier_table");
}
