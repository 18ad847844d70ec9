/* Finding the driver: libcuda.so.1, by the loader's usual search. */
#include "runtime/driver_calls.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

struct driver_calls driver;

/* The name of a call's symbol, and where its address goes. NAME_OF expands the symbol versions of cuda.h first. */
struct call_slot {
    const char *symbol;
    size_t offset;
};

#define NAME_OF(name) #name

static const struct call_slot slot_table[] = {
#define DRIVER_CALL(name) {NAME_OF(name), offsetof(struct driver_calls, name)},
#include "runtime/driver_calls.def"
#undef DRIVER_CALL
};

bool driver_calls_load(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        fprintf(stderr, "heddle: no driver: %s; run the program with heddle exec\n", dlerror());
        return false;
    }
    /* The vendor's driver has calls of the same names, but programs that have this runtime ask for heddle. */
    if (!dlsym(library, "heddle_version")) {
        fputs("heddle: no driver: libcuda.so.1 is here, but not heddle's; run the program with heddle exec\n", stderr);
        return false;
    }
    for (size_t i = 0; i < sizeof slot_table / sizeof slot_table[0]; i++) {
        void *call = dlsym(library, slot_table[i].symbol);
        if (!call) {
            fprintf(stderr, "heddle: the driver lacks %s\n", slot_table[i].symbol);
            return false;
        }
        *(void **)((char *)&driver + slot_table[i].offset) = call;
    }
    return true;
}
