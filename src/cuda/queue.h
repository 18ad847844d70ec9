/*
 * Queues: the operations that streams have not done yet, and the thread that does them.
 *
 * An operation is normally done by the thread that calls the driver, before the call returns. Host functions are not:
 * the worker, a thread of the driver, runs them without the driver's lock, as in NVIDIA's driver. The caller waits up
 * to a second for the host function, so that a program's output comes in a fixed order; a host function that waits for
 * its caller goes on after that second. The stream is then busy, and what the program asks for in it waits in the
 * stream's queue, in order. A stream also becomes busy when it waits for a value in memory that is not there yet, or
 * for an event that a busy stream has not reached.
 *
 * Synchronising calls wait for queues. One kind of wait may never end: that for a value which nobody writes. When
 * nothing else has happened for 20 s, such a wait is given up with a message, and the context has failed.
 *
 * Every operation in a queue has a turn, a number that grows. The legacy stream waits for turns before its own in all
 * blocking streams of its context, and they for those of the legacy stream.
 */
#ifndef HEDDLE_CUDA_QUEUE_H
#define HEDDLE_CUDA_QUEUE_H

#include "cuda/stream.h"

/* Whether operations of the stream have to wait: it has some that are not done, or the legacy stream orders it so. */
bool queue_is_busy(struct driver *d, const struct stream *s);
/* Puts an operation into the stream's queue, and takes over what it owns. If the stream was not busy, waits up to a
 * second for the operation's end. */
CUresult queue_add(struct driver_entry *e, struct stream *s, struct operation *op);
/* Drops what is in the queue of a stream that ends. */
void queue_drop(struct driver *d, struct stream *s);

/* Wait until all operations that are now queued are done: of a stream and of those it has to wait for, of a context,
 * before an event. They return the context's error. */
CUresult queue_wait_stream(struct driver_entry *e, CUstream stream);
CUresult queue_wait_context(struct driver_entry *e);
CUresult queue_wait_event(struct driver_entry *e, CUevent event);

/* driver_enter(): whether a call that could wait for the device may be made now (capture.h); `sync`: it does wait for
 * the legacy stream. */
CUresult queue_check_call(struct driver_entry *e, bool sync);

#endif
