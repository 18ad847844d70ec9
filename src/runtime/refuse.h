/* Calls that heddle does not have. */
#ifndef HEDDLE_RUNTIME_REFUSE_H
#define HEDDLE_RUNTIME_REFUSE_H

#include <stdatomic.h>

/* Says on stderr, once, that the call is not supported. Returns cudaErrorNotSupported, remembered; an int, because who
 * calls this has declared the calls of the runtime without their arguments. */
int runtime_refuse(const char *call, atomic_bool *is_said);

#endif
