/* Writing on a sheet; see sheet.h. */
#include "sheet.h"

#include <stdarg.h>

enum { MAX_LINES = 700 };

void manual_line(struct manual_sheet *s, const struct manual_place *at, const char *format, ...)
{
    va_list args;
    text_printf(&s->body->text, "\t");
    va_start(args, format);
    text_vprintf(&s->body->text, format, args);
    va_end(args);
    text_printf(&s->body->text, "\n");
    s->body->lines++;
    s->body->cost += at->weight;
}

void manual_label(struct manual_sheet *s, int label)
{
    text_printf(&s->body->text, "$L%d:\n", label);
}

int manual_new_label(struct manual_sheet *s)
{
    return s->label_count++;
}

int manual_new_x(struct manual_sheet *s)
{
    return s->body->x_count++;
}

int manual_new_y(struct manual_sheet *s)
{
    return s->body->y_count++;
}

int manual_new_z(struct manual_sheet *s)
{
    return s->body->z_count++;
}

int manual_new_p(struct manual_sheet *s)
{
    return s->body->p_count++;
}

bool manual_has_room(const struct manual_sheet *s, const struct manual_place *at, int lines)
{
    const struct manual_body *b = s->body;
    return b->cost + lines * at->weight <= b->cost_limit && b->lines < MAX_LINES;
}

int manual_buffer_bytes(const struct manual_sheet *s)
{
    /* A power of two, so that an exclusive or changes from one buffer to the other. */
    int bytes = SLOT_BYTES;
    while (bytes < s->threads * SLOT_BYTES)
        bytes *= 2;
    return bytes;
}

const char *manual_uni(struct manual_sheet *s)
{
    return manual_dice_percent(&s->dice, 50) ? ".uni" : "";
}

enum scope_kind manual_scope_kind(const struct manual_place *at)
{
    if (at->is_uniform)
        return SCOPE_UNIFORM;
    return at->mask == NO_MASK ? SCOPE_PLAIN : SCOPE_CLOSED;
}

struct manual_place manual_inner(const struct manual_place *at, bool uniform)
{
    struct manual_place inner = *at;
    inner.depth++;
    if (!uniform) {
        if (!at->crosses && (at->is_uniform || at->mask != NO_MASK))
            inner.floor = at->scopes;
        inner.is_uniform = false;
        inner.mask = NO_MASK;
    }
    return inner;
}

void manual_body_close(struct manual_sheet *s, struct text *into, const char *head)
{
    struct manual_body *b = s->body;
    text_printf(into, "%s\n{\n", head);
    text_printf(into, "\t.reg .b32 %%a<%d>, %%u<%d>, %%x<%d>, %%t, %%lane, %%warp, %%gid, %%sh, %%buf, %%cnt;\n",
                DATA_COUNT, UNIFORM_COUNT, b->x_count + 1);
    text_printf(into, "\t.reg .b64 %%w<%d>, %%y<%d>, %%row, %%in, %%acc, %%loc;\n", WIDE_COUNT, b->y_count + 1);
    text_printf(into, "\t.reg .b16 %%h<%d>, %%z<%d>;\n", HALF_COUNT, b->z_count + 1);
    text_printf(into, "\t.reg .pred %%q<%d>, %%p<%d>;\n\t.reg .f32 %%f<3>;\n", FLAG_COUNT, b->p_count + 1);
    text_printf(into, "\t.local .align 16 .b8 words[%d];\n", LOCAL_WORDS * 4);
    text_printf(into, "%s}\n\n", b->text.data ? b->text.data : "");
    text_free(&b->text);
}
