/*
 * The device: a case run through the CUDA driver API, on a GPU or on heddle's own libcuda.so.1.
 *
 * One device a process: CUDA does not survive a fork, so nothing here may be called before the last one.
 */
#ifndef HEDDLE_TESTS_DEVICE_H
#define HEDDLE_TESTS_DEVICE_H

#include "op_case.h"

#include <stddef.h>

enum device_status {
    DEVICE_DONE,
    DEVICE_REFUSED, /* the module was not accepted; the device is as before */
    DEVICE_FAULT    /* anything else; the context may be lost, so that the process had better end */
};

enum { DEVICE_MESSAGE_BYTES = 1024 };

bool device_open(char message[DEVICE_MESSAGE_BYTES]);

/*
 * Runs the case; each output buffer's contents come into outputs[argument], allocated, for the caller to
 * free.
 * `optimisation` is the level, 0 to 4, at which the driver compiles the module; -1: the driver's own. On failure there are no
 * outputs, and the message says why.
 */
enum device_status device_run(const struct test_case *c, int optimisation, void *outputs[CASE_MAX_ARGS],
                              char message[DEVICE_MESSAGE_BYTES]);

bool device_print(void); /* name and driver version on standard output */

#endif
