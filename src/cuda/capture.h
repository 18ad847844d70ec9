/*
 * Capture: between cuStreamBeginCapture() and cuStreamEndCapture() the operations of a stream become nodes of a graph.
 *
 * Another stream joins a capture by waiting for an event that was recorded in it, and is joined again the same way. A
 * call that would wait for a captured stream, or tie it to work outside the capture, fails and invalidates the capture.
 * By the capture's mode, calls that might wait for the device somewhere inside the driver (such as cuMemAlloc()) fail,
 * too: in the thread that captures, or in all threads.
 */
#ifndef HEDDLE_CUDA_CAPTURE_H
#define HEDDLE_CUDA_CAPTURE_H

#include "cuda/stream.h"

struct capture {
    uint64_t id;
    struct cuda_graph *graph;
    bool owns_graph; /* the capture made the graph, and destroys it if it fails */
    bool is_invalid;
    CUstreamCaptureMode mode;
    uint64_t thread; /* the host thread that began it */
    struct context *context;
    uint64_t origin;             /* id of the stream in which it began */
    struct node_references left; /* last nodes of streams that were destroyed since; they must be joined, too */
    struct capture *next;
};

/* What a call on the stream has to know first: an error if the stream's capture is invalid, or if the stream is the
 * legacy one and a blocking stream captures, which invalidates that capture. */
CUresult capture_check_stream(struct driver_entry *e, const struct stream *s);
/* Makes an operation a node of the stream's capture, and takes over what it owns. */
CUresult capture_add(struct driver_entry *e, struct stream *s, struct operation *op);
/* An allocation in a capturing stream becomes a node; its address is known at once. */
CUresult capture_alloc(struct driver_entry *e, struct stream *s, size_t bytes, CUdeviceptr *address);
/* The call cannot be made on a capturing stream: invalidates its capture. */
CUresult capture_refuse(const struct stream *s);
/* Fails if a capture forbids a call that could wait for the device, and invalidates that capture. */
CUresult capture_check_unsafe(struct driver_entry *e);
/* Fails if any stream of the context captures, and invalidates the captures. */
CUresult capture_check_context(struct driver_entry *e);
/* An event that is recorded in a capturing stream; a stream that waits for an event, if a capture has to do with it
 * (`taken`). */
void capture_record(struct stream *s, struct event_order *order);
CUresult capture_wait(struct driver_entry *e, struct stream *s, const struct event_order *order, bool *taken);
/* The graph of the capture ends. */
void capture_end_with_graph(struct driver *d, struct capture *c);
/* A stream that ends leaves its capture. */
void capture_leave(struct driver *d, struct stream *s);

#endif
