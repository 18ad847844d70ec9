/*
 * User objects: data of the program that graphs use, with a count of references and a function that ends the data when
 * the last reference is gone. Copies of a graph hold references of their own. The function runs in a thread of the
 * driver, as host functions do.
 */
#include "cuda/graph.h"
#include "cuda/queue.h"

#include <limits.h>

struct user_object {
    struct object object;
    uint64_t count;
    CUhostFn destroy;
    void *data;
};

static struct user_object *find(struct driver *d, CUuserObject object)
{
    return object_find(d, OBJECT_USER_OBJECT, handle_of(object));
}

/* The function runs as an operation of the legacy stream of the current context, or of any if the caller has none. At
 * the end of the process nobody is left to run it. */
static void release(struct driver *d, struct user_object *u, uint64_t count)
{
    if (find(d, (CUuserObject)u) != u || (u->count -= count))
        return;
    struct operation op = {.parameters = {.type = CU_GRAPH_NODE_TYPE_HOST, .host = {u->destroy, u->data}}};
    struct driver_entry e = {.driver = d, .context = context_current(d)};
    if (!e.context && d->streams.all)
        e.context = d->streams.all->object.context;
    object_destroy(d, &u->object);
    if (e.context)
        queue_add(&e, stream_find(&e, CU_STREAM_LEGACY), &op);
}

/* A program that releases more references than its own ends an object that graphs still name. */
void user_references_copy(struct driver *d, struct cuda_graph *to, const struct cuda_graph *from)
{
    for (int i = 0; i < from->users.count; i++) {
        struct user_object *u = from->users.data[i].object;
        if (find(d, (CUuserObject)u) != u)
            continue;
        u->count++;
        vec_push(&to->users, (struct user_reference){u, 1});
    }
}

void user_references_release(struct driver *d, struct cuda_graph *g)
{
    while (g->users.count) {
        struct user_reference r = g->users.data[--g->users.count];
        release(d, r.object, r.count);
    }
    vec_free(&g->users);
}

CUresult cuUserObjectCreate(CUuserObject *object, void *data, CUhostFn destroy, unsigned int count, unsigned int flags)
{
    ENTER(e, NEED_INIT);
    if (!object || !destroy || !count || count > INT_MAX || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
        return CUDA_ERROR_INVALID_VALUE;
    struct user_object *u = xcalloc(1, sizeof *u);
    u->count = count;
    u->destroy = destroy;
    u->data = data;
    object_add(e.driver, &u->object, OBJECT_USER_OBJECT, handle_of(u), NULL);
    *object = (CUuserObject)u;
    return CUDA_SUCCESS;
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count)
{
    ENTER(e, NEED_INIT);
    struct user_object *u = find(e.driver, object);
    if (!u || !count || count > INT_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    u->count += count;
    return CUDA_SUCCESS;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count)
{
    ENTER(e, NEED_INIT);
    struct user_object *u = find(e.driver, object);
    if (!u || !count || count > u->count)
        return CUDA_ERROR_INVALID_VALUE;
    release(e.driver, u, count);
    return CUDA_SUCCESS;
}

static struct user_reference *find_reference(struct cuda_graph *g, const struct user_object *u)
{
    for (int i = 0; i < g->users.count; i++)
        if (g->users.data[i].object == u)
            return &g->users.data[i];
    return NULL;
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags)
{
    ENTER(e, NEED_INIT);
    struct cuda_graph *g = cuda_graph_find(e.driver, graph);
    struct user_object *u = find(e.driver, object);
    if (!g || !u || !count || count > INT_MAX || flags & ~(unsigned)CU_GRAPH_USER_OBJECT_MOVE)
        return CUDA_ERROR_INVALID_VALUE;
    if (!(flags & CU_GRAPH_USER_OBJECT_MOVE))
        u->count += count;
    struct user_reference *r = find_reference(g, u);
    if (r)
        r->count += count;
    else
        vec_push(&g->users, (struct user_reference){u, count});
    return CUDA_SUCCESS;
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
    ENTER(e, NEED_INIT);
    struct cuda_graph *g = cuda_graph_find(e.driver, graph);
    struct user_object *u = find(e.driver, object);
    struct user_reference *r = g && u ? find_reference(g, u) : NULL;
    if (!r || !count || count > r->count)
        return CUDA_ERROR_INVALID_VALUE;
    r->count -= count;
    if (!r->count)
        *r = g->users.data[--g->users.count];
    release(e.driver, u, count);
    return CUDA_SUCCESS;
}
