// ends.c - a program that records 1 000 zones and then ends in the way that it is told.
#define TTPROF_ENABLE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ttprof/host.h>
#include <unistd.h>

static void work(void)
{
    for (int i = 0; i < 1000; i++) {
        TTPROF_ZONE("work");
    }
}

static void *thread(void *unused)
{
    work();
    return unused;
}

static void daemonise(void)
{
    if (fork() != 0)
        _exit(0);
    setsid();
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    if (chdir("/") != 0)
        abort();
    work();
}

// Threads that come later cannot make files any more; those that were there go on.
static void drop_privileges(void)
{
    pthread_t t;
    if (chroot("/var/empty") != 0 && chroot("/usr") != 0)
        exit(77);
    if (chdir("/") != 0 || setgid(65534) != 0 || setuid(65534) != 0)
        exit(77);
    work();
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
}

static void late(void)
{
    work();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    work();
    if (strcmp(how, "_exit") == 0)
        _exit(5);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "exec") == 0)
        execl(argv[0], argv[0], "_exit", (char *)NULL);
    if (strcmp(how, "daemon") == 0)
        daemonise();
    if (strcmp(how, "drop") == 0)
        drop_privileges();
    if (strcmp(how, "late") == 0)
        atexit(late);
    if (strcmp(how, "thread") == 0) {
        pthread_t t;
        pthread_create(&t, NULL, thread, NULL);
        pthread_exit(NULL); // the process ends with its last thread
    }
    return 0;
}

// Under this name the allocator of the program records, too.
#ifdef HOOK_MALLOC
void *__libc_malloc(size_t bytes);
void __libc_free(void *at);
void *malloc(size_t bytes)
{
    void *at = __libc_malloc(bytes);
    ttprof_alloc(at, bytes, NULL);
    return at;
}
void free(void *at)
{
    ttprof_free(at, NULL);
    __libc_free(at);
}
#endif
