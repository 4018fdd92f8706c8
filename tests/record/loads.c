// loads.c - a program that loads the recorder, unloads it under a running thread, and loads
// it again: loads LIBRARY.
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

struct location {
    const char *name, *function, *file;
    uint32_t line, colour, id;
};
struct zone {
    uint32_t is_open;
};
static struct zone (*begin)(struct location *);
static void (*end)(struct zone);

static void *work(void *unused)
{
    static struct location place = {"work", "work", "loads.c", 1, 0, 0};
    for (int i = 0; i < 500; i++)
        end(begin(&place));
    return unused;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < 2; i++) {
        void *library = dlopen(argv[argc - 1], RTLD_NOW);
        pthread_t t;
        if (!library) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        *(void **)&begin = dlsym(library, "ttprof_zone_begin");
        *(void **)&end = dlsym(library, "ttprof_zone_end");
        pthread_create(&t, NULL, work, NULL);
        dlclose(library);
        pthread_join(t, NULL);
    }
    return 0;
}
