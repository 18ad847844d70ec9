/* A few bytes of each thread's own in some state space, to load from, store to, and take the address of. */
#include "place.h"

#include "base/diag.h"

#include <string.h>

enum { CONST_BYTES = 512, PARAM_BYTES = 64, PARAM_OFFSET = 16 };

static void random_bytes(uint8_t *out, size_t count, struct random *random)
{
    static const uint8_t edges[8] = {0x00, 0xff, 0x80, 0x7f, 0x01, 0xfe, 0x55, 0xaa};
    for (size_t i = 0; i < count; i++) {
        const uint64_t x = random_u64(random);
        out[i] = x & 3 ? (uint8_t)(x >> 8) : edges[x >> 8 & 7];
    }
}

static unsigned unit_bytes(const struct place *p)
{
    return p->bytes < 4 ? p->bytes : 4;
}

/* Copies the place's bytes, unit by unit, from or to the thread's entry at %address. */
static void copy(struct emitter *e, const struct place *p, bool in)
{
    const unsigned unit = unit_bytes(p), bits = 8 * unit;
    const char *space = mod_text[p->space];
    for (unsigned at = 0; at < p->bytes; at += unit)
        if (in) {
            emit_line(e, "ld.global.b%u %%unit, [%%address+%u];", bits, at);
            emit_line(e, "st.%s.b%u [%%place+%u], %%unit;", space, bits, at);
        } else {
            emit_line(e, "ld.%s.b%u %%unit, [%%place+%u];", space, bits, at);
            emit_line(e, "st.global.b%u [%%address+%u], %%unit;", bits, at);
        }
}

static void make_const(struct emitter *e, struct place *p, struct random *random)
{
    uint8_t bytes[CONST_BYTES];
    random_bytes(bytes, CONST_BYTES, random);
    text_printf(&e->module, ".const .align 16 .b8 place_const[%d] = {", CONST_BYTES);
    for (int i = 0; i < CONST_BYTES; i++)
        text_printf(&e->module, "%s%u", i ? "," : "", bytes[i]);
    text_printf(&e->module, "};\n");
    emit_line(e, "and.b32 %%flat, %%i, %u;", CONST_BYTES / p->bytes - 1);
    emit_line(e, "mul.wide.u32 %%address, %%flat, %u;", p->bytes);
    emit_line(e, "mov.u64 %%place, place_const;");
    emit_line(e, "add.u64 %%place, %%place, %%address;");
}

static void make_param(struct emitter *e, struct place *p, struct random *random)
{
    p->arg = emit_value(e, PARAM_BYTES, 16);
    p->data = e->c->base.arg[p->arg].data;
    random_bytes(p->data, PARAM_BYTES, random);
    emit_line(e, "mov.u64 %%place, p%d;", p->arg);
    emit_line(e, "add.u64 %%place, %%place, %d;", PARAM_OFFSET);
}

static void make_copy(struct emitter *e, struct place *p)
{
    if (p->space == SPACE_SHARED || p->space == SPACE_CLUSTER) {
        const char *name = p->space == SPACE_SHARED ? "place_shared" : "place_cluster";
        text_printf(&e->module, ".shared .align 16 .b8 %s[%u];\n", name, e->c->base.block[0] * p->bytes);
        emit_line(e, "mul.wide.u32 %%address, %%t, %u;", p->bytes);
        emit_line(e, "mov.u64 %%place, %s;", name);
        emit_line(e, "add.u64 %%place, %%place, %%address;");
    } else {
        emit_line(e, ".local .align 16 .b8 place_local[16];");
        emit_line(e, "mov.u64 %%place, place_local;");
    }
    emit_address(e, "%address", p->arg);
    copy(e, p, true);
}

struct place place_make(struct emitter *e, enum mod space, unsigned bytes, bool kept, struct random *random)
{
    struct place p = {.space = space, .bytes = bytes, .arg = -1};
    emit_line(e, ".reg .b64 %%place;");
    emit_line(e, ".reg .b%u %%unit;", unit_bytes(&p) == 4 ? 32 : 16);
    if (space == SPACE_CONST) {
        make_const(e, &p, random);
        return p;
    }
    if (space == SPACE_PARAM) {
        make_param(e, &p, random);
        return p;
    }
    const bool is_global = space == MOD_NONE || space == SPACE_GLOBAL;
    static const enum type types[] = {TYPE_NONE, TYPE_B8, TYPE_B16, TYPE_NONE, TYPE_B32};
    const enum type type = bytes <= 4 ? types[bytes] : bytes == 8 ? TYPE_B64 : TYPE_B128;
    p.arg = emit_buffer(e, bytes, type, kept && is_global);
    p.data = e->c->base.arg[p.arg].data;
    random_bytes(p.data, e->c->base.arg[p.arg].bytes, random);
    if (is_global)
        emit_address(e, "%place", p.arg);
    else
        make_copy(e, &p);
    return p;
}

void place_keep(struct emitter *e, const struct place *p)
{
    if (p->space == MOD_NONE || p->space == SPACE_GLOBAL)
        return;
    const int arg = emit_buffer(e, p->bytes, (enum type)e->c->column[p->arg].type, true);
    memset(e->c->base.arg[arg].data, 0xcd, e->c->base.arg[arg].bytes);
    emit_address(e, "%address", arg);
    copy(e, p, false);
}
