// write_zones.c - a program that records by the script of zone_script.h in each way a
// program may live: write_zones ACCOUNT WAY [ARGUMENTS]. It is there to be killed.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ttprof/host.h"
#include "zone_script.h"

enum { THREADS = 4 };
static struct account *account;
static const char *self, *account_path;
static struct ttprof_location places[SCRIPT_PLACES];
static char names[SCRIPT_PLACES][16];

static uint64_t monotonic_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

// --- one thread --------------------------------------------------------------------------
struct hand {
    struct script script;
    struct account_slot *slot;
    ttprof_zone zones[SCRIPT_DEPTH];
};

static struct hand hand_take(void)
{
    uint32_t number = __atomic_fetch_add(&account->used, 1, __ATOMIC_SEQ_CST);
    if (number >= ACCOUNT_SLOTS)
        exit(99);
    struct account_slot *slot = &account->slots[number];
    slot->pid = (uint32_t)getpid();
    slot->tid = (uint32_t)syscall(SYS_gettid);
    slot->start_ns = monotonic_ns();
    return (struct hand){.script = {.slot = number}, .slot = slot};
}

// True: the call has something to record.
static bool step_do(struct hand *h, const struct script_step *s)
{
    char text[SCRIPT_TEXT_MOST];
    ttprof_zone *zone = &h->zones[s->depth];
    if (s->kind == STEP_TEXT || s->kind == STEP_MESSAGE)
        script_text(s->number, s->bytes, text);
    if (s->kind == STEP_MESSAGE) {
        ttprof_message_put(text, s->bytes, TTPROF_INFO, 0);
        return true;
    }
    if (s->kind == STEP_BEGIN) {
        *zone = ttprof_zone_begin(&places[s->place]);
        return true;
    }
    if (!zone->is_open)
        return false;
    if (s->kind == STEP_VALUE)
        ttprof_zone_value(*zone, s->number);
    else if (s->kind == STEP_TEXT)
        ttprof_zone_text(*zone, text, s->bytes);
    else
        ttprof_zone_end(*zone);
    return true;
}

static void hand_work(struct hand *h, uint64_t groups)
{
    for (uint64_t end = h->script.group + groups; h->script.group < end;) {
        struct script_step s = script_next(&h->script);
        bool is_made = step_do(h, &s);
        // Plain stores in this order: whoever kills this process sees them so.
        __atomic_store_n(&h->slot->done, h->slot->done + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&h->slot->made, h->slot->made + is_made, __ATOMIC_RELEASE);
    }
    h->slot->end_ns = monotonic_ns();
}

static void *work(void *groups)
{
    struct hand h = hand_take();
    hand_work(&h, *(const uint64_t *)groups);
    return NULL;
}

static void start_threads(pthread_t *threads, int n, const uint64_t *groups)
{
    for (int i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)groups) != 0)
            exit(98);
}

static void join_threads(const pthread_t *threads, int n)
{
    for (int i = 0; i < n; i++)
        (void)pthread_join(threads[i], NULL);
}

// --- ways to live ---
struct arguments {
    int n;
    char **v;
};

static uint64_t number_of(struct arguments a, int i, uint64_t otherwise)
{
    return i < a.n ? strtoull(a.v[i], NULL, 10) : otherwise;
}

// [GROUPS]: four threads, each so far.
static int live_threads(struct arguments a)
{
    pthread_t threads[THREADS];
    uint64_t groups = number_of(a, 0, UINT32_MAX);
    start_threads(threads, THREADS, &groups);
    join_threads(threads, THREADS);
    return 0;
}

// [THREADS]: short ones, four at a time.
static int live_churn(struct arguments a)
{
    pthread_t threads[THREADS];
    static const uint64_t few[THREADS] = {1, 7, 30, 2};
    for (uint64_t left = number_of(a, 0, UINT32_MAX); left;
         left -= left < THREADS ? left : THREADS) {
        int n = left < THREADS ? (int)left : THREADS;
        for (int i = 0; i < n; i++)
            start_threads(&threads[i], 1, &few[i]);
        join_threads(threads, n);
    }
    return 0;
}

static void child_end(uint64_t number)
{
    if (number % 2)
        _exit(0);
    exit(0);
}

// [FORKS]: a thread records while another one forks; children record, some of their
// children, too.
static _Noreturn int live_forks(struct arguments a)
{
    pthread_t thread;
    uint64_t forever = UINT32_MAX, n = number_of(a, 0, UINT32_MAX);
    struct hand h = hand_take();
    start_threads(&thread, 1, &forever);
    for (uint64_t i = 0; i < n; i++) {
        hand_work(&h, 3);
        pid_t pid = fork();
        if (pid == 0) {
            struct hand own = hand_take();
            hand_work(&own, 1 + i % 20);
            if (i % 5 == 0 && fork() == 0) {
                struct hand inner = hand_take();
                hand_work(&inner, 5);
                child_end(i / 5);
            }
            hand_work(&own, 2);
            while (wait(NULL) > 0)
                ;
            child_end(i);
        }
        while (i % 3 == 2 && waitpid(-1, NULL, WNOHANG) > 0)
            ;
    }
    while (wait(NULL) > 0)
        ;
    _exit(0); // the thread ends wherever it is
}

// [TIMES]: becomes the same program again while its threads record.
static int live_exec(struct arguments a)
{
    pthread_t threads[THREADS];
    uint64_t forever = UINT32_MAX, n = number_of(a, 0, UINT32_MAX);
    char left[24];
    start_threads(threads, THREADS - 1, &forever);
    struct hand h = hand_take();
    hand_work(&h, 200);
    if (!n)
        _exit(0); // as with exec, threads end wherever they are
    (void)snprintf(left, sizeof left, "%llu", (unsigned long long)n - 1);
    (void)execl(self, self, account_path, "exec", left, (char *)NULL);
    return 97;
}

// [TIMES]: stops recording and starts again.
static int live_sessions(struct arguments a)
{
    pthread_t threads[THREADS];
    uint64_t groups = 100;
    const char *folder = getenv("TTPROF_RUN");
    for (uint64_t n = number_of(a, 0, UINT32_MAX); n && folder; n--) {
        start_threads(threads, THREADS, &groups);
        join_threads(threads, THREADS);
        ttprof_stop();
        if (ttprof_start(folder) != 0)
            return 96;
    }
    return 0;
}

static uint64_t other_clock(void *context)
{
    (void)context;
    return monotonic_ns();
}

// Everything goes into the stream again and again; the clock changes.
static _Noreturn int live_flush(struct arguments a)
{
    pthread_t threads[THREADS];
    uint64_t groups = number_of(a, 0, UINT32_MAX);
    start_threads(threads, THREADS, &groups);
    for (int i = 0;; i++) {
        ttprof_flush();
        if (i % 4 == 0)
            ttprof_use_clock(i % 8 ? other_clock : NULL, NULL);
    }
}

// Up and down in no time: kills come while it ends.
static int live_shortly(struct arguments a)
{
    pthread_t threads[THREADS];
    uint64_t groups = number_of(a, 0, 40);
    start_threads(threads, THREADS, &groups);
    join_threads(threads, THREADS);
    return 7;
}

// DEPTH BREADTH [GROUPS]: each process begins so many and records so far.
static int tree(uint64_t depth, uint64_t breadth, uint64_t groups)
{
    struct hand h = hand_take();
    hand_work(&h, groups);
    for (uint64_t i = 0; depth && i < breadth; i++) {
        pid_t pid = fork();
        if (pid < 0)
            return 95;
        if (pid == 0) {
            int code = tree(depth - 1, breadth, groups);
            if (code)
                _exit(code);
            child_end(i);
        }
    }
    int status, worst = 0;
    while (wait(&status) > 0)
        worst |= status;
    return worst ? 94 : 0;
}

static int live_tree(struct arguments a)
{
    return tree(number_of(a, 0, 2), number_of(a, 1, 10), number_of(a, 2, 3));
}

// GROUPS: a daemon, its parent ends at once.
static int live_daemon(struct arguments a)
{
    if (daemon(1, 0) != 0)
        return 93;
    struct hand h = hand_take();
    hand_work(&h, number_of(a, 0, 100));
    return 0;
}

// --- what a program may do to its recorder -----------------------------------------------
static int close_all(const char *unused)
{
    (void)unused;
    return close_range(3, ~0U, 0);
}

// As many files of its own as there can be: whoever still writes to a number of before
// writes into one of these.
static int fill_descriptors(const char *folder)
{
    char path[4096];
    int n = 0;
    (void)close_range(3, ~0U, 0);
    for (;; n++) {
        (void)snprintf(path, sizeof path, "%s/own-%d", folder, n);
        if (open(path, O_RDWR | O_CREAT, 0666) < 0)
            break;
    }
    return n > 8 ? 0 : -1;
}

static int allow_three(const char *unused)
{
    struct rlimit none = {3, 3};
    (void)unused;
    return setrlimit(RLIMIT_NOFILE, &none);
}

static int allow_no_bytes(const char *unused)
{
    struct rlimit none = {4096, 4096};
    (void)unused;
    return setrlimit(RLIMIT_FSIZE, &none);
}

static int change_root(const char *folder)
{
    return chroot(folder) == 0 ? chdir("/") : -1;
}

static int give_up_rights(const char *unused)
{
    (void)unused;
    return setgid(65534) == 0 ? setuid(65534) : -1;
}

static int forget_environment(const char *unused)
{
    (void)unused;
    return clearenv();
}

// What somebody else does, in a shell.
static int run_shell(const char *command)
{
    return system(command);
}

static const struct {
    const char *name;
    int (*strike)(const char *argument);
} disasters[] = {{"close", close_all},       {"fill", fill_descriptors},
                 {"three", allow_three},     {"bytes", allow_no_bytes},
                 {"chdir", chdir},           {"chroot", change_root},
                 {"rights", give_up_rights}, {"environment", forget_environment},
                 {"shell", run_shell}};

// NAME ARGUMENT: threads before it, threads after it, one thread through it.
static int live_through(struct arguments a)
{
    pthread_t threads[THREADS];
    uint64_t groups = 3000;
    struct hand h = hand_take();
    hand_work(&h, groups);
    start_threads(threads, 2, &groups);
    join_threads(threads, 2);
    for (size_t i = 0; a.n == 2 && i < sizeof disasters / sizeof *disasters; i++)
        if (strcmp(a.v[0], disasters[i].name) == 0 && disasters[i].strike(a.v[1]) != 0)
            return 91;
    hand_work(&h, groups);
    start_threads(threads, 2, &groups);
    hand_work(&h, groups);
    join_threads(threads, 2);
    return 42;
}

static const struct {
    const char *name;
    int (*live)(struct arguments a);
} ways[] = {{"threads", live_threads}, {"churn", live_churn},       {"forks", live_forks},
            {"exec", live_exec},       {"sessions", live_sessions}, {"flush", live_flush},
            {"shortly", live_shortly}, {"tree", live_tree},         {"daemon", live_daemon},
            {"through", live_through}};

static bool account_open(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || ftruncate(fd, sizeof *account) != 0)
        return false;
    account = mmap(NULL, sizeof *account, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    return account != MAP_FAILED;
}

int main(int argc, char **argv)
{
    self = "/proc/self/exe";
    if (argc < 3 || !account_open(argv[1])) {
        (void)fprintf(stderr, "usage: write_zones ACCOUNT WAY [ARGUMENTS]\n");
        return 2;
    }
    account_path = argv[1];
    for (uint32_t i = 0; i < SCRIPT_PLACES; i++)
        places[i] = (struct ttprof_location){.name = script_place(i, names[i]),
                                             .function = __func__,
                                             .file = __FILE__,
                                             .line = i + 1};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(argv[2], ways[i].name) == 0)
            return ways[i].live((struct arguments){argc - 3, argv + 3});
    (void)fprintf(stderr, "%s: no such way\n", argv[2]);
    return 2;
}
