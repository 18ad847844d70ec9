/* What calls that name a device share. */
#ifndef HEDDLE_RUNTIME_DEVICE_H
#define HEDDLE_RUNTIME_DEVICE_H

#include "cuda_runtime_api.h"

/* cudaErrorInvalidDevice, remembered, unless there is a device of this number. The driver must be loaded. */
cudaError_t device_check(int device);

#endif
