/*
 * The meeting room that nvrt traces rays in: table, chairs, shelves of books, a blind, lamps, as triangles. Included by
 * host.c alone.
 */
#ifndef HEDDLE_WORKLOADS_NVRT_ROOM_H
#define HEDDLE_WORKLOADS_NVRT_ROOM_H

#include "work.h"

#include <math.h>

enum { MOST_TRIANGLES = 1 << 20 };

struct vec {
    float x, y, z;
};

struct triangle {
    struct vec corner[3];
};

struct scene {
    struct triangle *triangle;
    uint32_t count, capacity;
};

static struct vec vec(float x, float y, float z)
{
    return (struct vec){x, y, z};
}

static struct vec add(struct vec a, struct vec b)
{
    return vec(a.x + b.x, a.y + b.y, a.z + b.z);
}

static struct vec scale(struct vec a, float s)
{
    return vec(a.x * s, a.y * s, a.z * s);
}

static struct vec subtract(struct vec a, struct vec b)
{
    return add(a, scale(b, -1));
}

static float dot(struct vec a, struct vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vec cross(struct vec a, struct vec b)
{
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static struct vec unit(struct vec a)
{
    return scale(a, 1 / sqrtf(dot(a, a)));
}

static float axis(struct vec a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

/* ---- the room: y is up, metres ---- */

/* Where a piece of furniture stands and which way it faces: its own x and z axes in the room. */
struct place {
    struct vec origin, x, z;
};

static const struct place nowhere = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};

static struct vec in_room(const struct place *p, struct vec v)
{
    return add(add(p->origin, vec(0, v.y, 0)), add(scale(p->x, v.x), scale(p->z, v.z)));
}

static void add_triangle(struct scene *s, const struct place *p, struct vec a, struct vec b, struct vec c)
{
    if (s->count < s->capacity)
        s->triangle[s->count++] = (struct triangle){{in_room(p, a), in_room(p, b), in_room(p, c)}};
}

/* The parallelogram at `corner` with sides u and v, in n x n pieces. */
static void add_sheet(struct scene *s, const struct place *p, struct vec corner, struct vec u, struct vec v, int n)
{
    for (int i = 0; i < n * n; i++) {
        struct vec du = scale(u, 1.0f / (float)n), dv = scale(v, 1.0f / (float)n);
        struct vec a = add(corner, add(scale(du, (float)(i % n)), scale(dv, (float)(i / n)))), b = add(a, du);
        add_triangle(s, p, a, b, add(a, dv));
        add_triangle(s, p, add(b, dv), add(a, dv), b);
    }
}

static void add_box(struct scene *s, const struct place *p, struct vec low, struct vec high, int n)
{
    struct vec x = vec(high.x - low.x, 0, 0), y = vec(0, high.y - low.y, 0), z = vec(0, 0, high.z - low.z);
    add_sheet(s, p, low, x, y, n);
    add_sheet(s, p, low, y, z, n);
    add_sheet(s, p, low, z, x, n);
    add_sheet(s, p, add(low, z), x, y, n);
    add_sheet(s, p, add(low, x), y, z, n);
    add_sheet(s, p, add(low, y), z, x, n);
}

static void add_chair(struct scene *s, const struct place *p, int n)
{
    add_box(s, p, vec(-0.25f, 0.42f, -0.25f), vec(0.25f, 0.5f, 0.25f), n);
    add_box(s, p, vec(-0.25f, 0.55f, -0.27f), vec(0.25f, 1.0f, -0.22f), n);
    for (int i = 0; i < 4; i++) {
        float x = i & 1 ? 0.2f : -0.24f, z = i & 2 ? 0.2f : -0.24f;
        add_box(s, p, vec(x, 0, z), vec(x + 0.04f, 0.42f, z + 0.04f), 1);
    }
    for (int i = 0; i < 2; i++) {
        float x = i ? 0.25f : -0.3f;
        add_box(s, p, vec(x, 0.65f, -0.25f), vec(x + 0.05f, 0.69f, 0.15f), 1);
        add_box(s, p, vec(x, 0.42f, 0.1f), vec(x + 0.05f, 0.65f, 0.15f), 1);
    }
}

/* Chairs along an ellipse around the table, facing it. */
static void add_chairs(struct scene *s, int count, int n)
{
    for (int i = 0; i < count; i++) {
        /* a point of the unit circle without sine and cosine, whose last bits differ between libraries */
        float h = 2 * ((float)(i % (count / 2)) + 0.5f) / (float)(count / 2) - 1, side = i < count / 2 ? 1 : -1;
        float sine = side * (1 - h * h) / (1 + h * h), cosine = 2 * h / (1 + h * h);
        struct vec to_table = unit(vec(-cosine * 1.9f, 0, -sine * 3.4f));
        struct place p = {vec(6 + 3.4f * cosine, 0, 4 + 1.9f * sine), vec(to_table.z, 0, -to_table.x), to_table};
        add_chair(s, &p, n);
    }
}

static void add_shell(struct scene *s, int n)
{
    add_box(s, &nowhere, vec(0, 0, 0), vec(12, 3.2f, 8), n);
    for (int i = 0; i < 8; i++) { /* lamps */
        struct vec low = vec(1.2f + 2.6f * (float)(i / 2), 3.05f, i % 2 ? 5.2f : 2.2f);
        add_box(s, &nowhere, low, add(low, vec(1.4f, 0.1f, 0.3f)), 1);
    }
    for (int i = 0; i < 6; i++) { /* panels of the back wall */
        struct vec low = vec(0.3f + 1.95f * (float)i, 0.4f, 7.9f);
        add_box(s, &nowhere, low, add(low, vec(1.7f, 2.2f, 0.08f)), n);
    }
}

/* A blind of slats in front of the window side. */
static void add_blind(struct scene *s, int slats)
{
    for (int i = 0; i < slats; i++) {
        float y = 0.9f + 2 * (float)i / (float)slats, depth = 1.0f / (float)slats;
        add_sheet(s, &nowhere, vec(0.5f, y, 0.1f), vec(11, 0, 0), vec(0, depth, depth), 1);
    }
}

static void add_shelf(struct work *w, struct scene *s, int boards, int books)
{
    for (int b = 0; b < boards; b++) {
        float y = 0.3f + 0.5f * (float)b, x = 11.6f;
        add_box(s, &nowhere, vec(x, y, 1), vec(12, y + 0.03f, 7), 1);
        for (int i = 0; i < books; i++) {
            float z = 1 + 6 * (float)i / (float)books, thick = 6 / (float)books * (0.5f + 0.45f * work_random_unit(w));
            float depth = 0.2f + 0.15f * work_random_unit(w), high = 0.2f + 0.2f * work_random_unit(w);
            add_box(s, &nowhere, vec(12 - depth, y + 0.03f, z), vec(11.99f, y + 0.03f + high, z + thick), 1);
        }
    }
}

static void add_table(struct work *w, struct scene *s, int cups, int n)
{
    add_box(s, &nowhere, vec(3.4f, 0.7f, 2.9f), vec(8.6f, 0.75f, 5.1f), n);
    for (int i = 0; i < 4; i++) {
        struct vec low = vec(i & 1 ? 4 : 7.8f, 0, i & 2 ? 3.2f : 4.6f);
        add_box(s, &nowhere, low, add(low, vec(0.15f, 0.7f, 0.15f)), 1);
    }
    for (int i = 0; i < cups; i++) {
        float z = work_random_unit(w) + 0.01f, x = work_random_unit(w) - 0.5f;
        struct vec along = unit(vec(x, 0, z));
        z = 3.1f + 1.8f * work_random_unit(w), x = 3.6f + 4.8f * work_random_unit(w);
        struct place p = {vec(x, 0.75f, z), along, vec(-along.z, 0, along.x)};
        add_box(s, &p, vec(-0.05f, 0, -0.04f), vec(0.05f, 0.12f, 0.04f), n);
    }
}

struct furniture {
    int chairs, pieces, slats, boards, books, cups; /* pieces: of the side of a surface */
};

static struct scene make_room(struct work *w, const struct furniture *f)
{
    struct scene s = {.triangle = work_buffer(w, MOST_TRIANGLES, sizeof *s.triangle), .capacity = MOST_TRIANGLES};
    add_shell(&s, f->pieces);
    add_chairs(&s, f->chairs, f->pieces);
    add_table(w, &s, f->cups, f->pieces);
    add_blind(&s, f->slats);
    add_shelf(w, &s, f->boards, f->books);
    work_check(w, s.count < s.capacity, "the room has too many triangles");
    return s;
}

#endif
