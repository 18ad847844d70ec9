/* Opens and closes a shared object with kernels, several times: loader PLUGIN. Its variables start anew each time. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words)
{
    for (int i = 0; i < 3 && count > 1; i++) {
        void *plugin = dlopen(words[1], RTLD_NOW);
        if (!plugin) {
            printf("%s\n", dlerror());
            return 1;
        }
        int (*run)(void) = (int (*)(void))dlsym(plugin, "plugin_run");
        printf("%d ", run());
        printf("%d\n", run());
        dlclose(plugin);
    }
    return 0;
}
