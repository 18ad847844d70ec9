/*
 * Streams: their properties, their queue, and their part in a capture.
 *
 * The legacy default stream has one struct stream per context, and the per-thread default stream one per context and
 * host thread; both are made when they are first used.
 */
#ifndef HEDDLE_CUDA_STREAM_H
#define HEDDLE_CUDA_STREAM_H

#include "cuda/op.h"

#include "base/vec.h"

enum stream_role { STREAM_CREATED, STREAM_IS_LEGACY, STREAM_IS_PER_THREAD };

/* A node of a capture that later nodes will depend on. Its handle is looked up before each use, because the program may
 * destroy the node. */
struct node_reference {
    uint64_t handle, id;
    CUgraphEdgeData edge;
};

struct node_references vec_of(struct node_reference);

/* An operation that a stream has not done yet. */
struct pending {
    struct operation op;
    uint64_t turn; /* counts the operations of all queues */
    struct pending *next;
};

struct stream {
    struct object object;
    struct stream *prev, *next; /* all streams of the driver */
    enum stream_role role;
    uint64_t thread; /* per-thread default stream: whose */
    unsigned flags;
    int priority;
    CUaccessPolicyWindow window;
    CUsynchronizationPolicy sync_policy;
    CUlaunchMemSyncDomainMap domain_map;
    CUlaunchMemSyncDomain domain;
    struct pending *first, *last;  /* the queue */
    uint64_t running_turn;         /* what the worker does now; 0: nothing */
    uint64_t done_turn;            /* the last operation of the queue that is done */
    struct capture *capture;       /* NULL: the stream does not capture */
    struct node_references leaves; /* capture: what the next node will depend on */
    CUgraphNode *told_nodes;       /* capture: the leaves as cuStreamGetCaptureInfo() gave them out */
    CUgraphEdgeData *told_edges;
};

/* The stream of a handle, also of NULL and of the two names of default streams; NULL: the handle is wrong. */
struct stream *stream_find(struct driver_entry *e, CUstream stream);
/* Whether the stream and the legacy stream wait for each other. */
static inline bool stream_is_blocking(const struct stream *s)
{
    return !(s->flags & CU_STREAM_NON_BLOCKING) && s->role != STREAM_IS_LEGACY;
}

/* What a call that can neither be captured nor wait in a queue needs of its stream. Waits until earlier work of the
 * stream is done. */
CUresult stream_settle(struct driver_entry *e, CUstream stream);
/* Does an operation in a stream: now, or later, or as a node of the stream's capture. Takes over what the operation
 * owns, also when the call fails. */
CUresult stream_submit(struct driver_entry *e, CUstream stream, struct operation *op);

/* How an event stands to queues and captures; a part of struct cuda_event. */
struct event_order {
    uint64_t recorded_turn; /* the last record; 0: never recorded */
    uint64_t done_turn;     /* the last record that is done */
    uint64_t capture_id;    /* the capture in which the event was last recorded; 0: in none */
    struct node_references nodes;
};

/* event.c */
struct event_order *event_order(struct driver *d, CUevent event);
bool event_is_done(const struct event_order *order);
/* Notes the time of the record with this turn, unless a later record has replaced it; 0: a new record. */
void event_record_now(struct driver *d, CUevent event, uint64_t turn);

#endif
