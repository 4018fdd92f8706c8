// kill_zones.c - kills write_zones with SIGKILL at random moments and looks at what is left
// behind:
//
//     kill_zones WRITER FOLDER SEED KILLS    makes its runs in the folder
//     kill_zones check RUN ACCOUNT           what somebody else killed
//
// The first line of a failure names the seed of that one kill: 'kill_zones WRITER FOLDER
// SEED 1' tries it again, as far as time can be tried again.
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check_zones.h"
#include "ttprof/recording.h"

enum { RING = 1 << 16, PHASE_MOST_NS = 2000000000 };
static const uint64_t us = 1000, ms = 1000000;

static const char *const policies[] = {"drop newest", "drop oldest", "block"};
static const struct {
    const char *way;
    enum tt_policy policy;
} trials[] = {
    {"threads", TT_BLOCK},       {"churn", TT_BLOCK},    {"forks", TT_BLOCK},
    {"exec", TT_BLOCK},          {"shortly", TT_BLOCK},  {"flush", TT_BLOCK},
    {"threads", TT_DROP_NEWEST}, {"sessions", TT_BLOCK}, {"threads", TT_DROP_OLDEST},
    {"churn", TT_DROP_NEWEST},   {"threads", TT_BLOCK},  {"churn", TT_DROP_OLDEST}};
enum { TRIALS = sizeof trials / sizeof *trials };

static uint64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void pause_until(uint64_t end)
{
    uint64_t now = now_ns();
    if (end > now + 200 * us) { // the rest without the help of the system
        struct timespec t = {.tv_nsec = (long)((end - now - 100 * us) % 1000000000)};
        (void)nanosleep(&t, NULL);
    }
    while (now_ns() < end)
        ;
}

// --- files ---
static void *map_new(const char *path, size_t bytes)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    void *p = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0)
        p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        (void)close(fd);
    if (p == MAP_FAILED) {
        (void)fprintf(stderr, "%s: cannot be mapped\n", path);
        exit(3);
    }
    return p;
}

static double ticks_per_ns(void)
{
#if defined(__x86_64__)
    static double rate;
    if (rate <= 0) {
        uint64_t ns = now_ns(), ticks = __builtin_ia32_rdtsc();
        pause_until(ns + 20 * ms);
        rate = (double)(__builtin_ia32_rdtsc() - ticks) / (double)(now_ns() - ns);
    }
    return rate;
#else
    return 0;
#endif
}

static void control_make(const char *run, enum tt_policy policy)
{
    struct buf path = {0};
    buf_printf(&path, "%s/control%c", run, '\0');
    struct tt_control *c = map_new(path.p, TT_CONTROL_BYTES);
    *c = (struct tt_control){.magic = TT_RUN_MAGIC,
                             .version = TT_RECORDING_VERSION,
                             .gate = 1,
                             .opened_ns = now_ns(),
                             .policy = policy,
                             .ring_bytes = RING,
                             .ticks_per_ns = ticks_per_ns()};
    (void)munmap(c, TT_CONTROL_BYTES);
    buf_free(&path);
}

static int take_away(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

// --- one kill ---
struct trial {
    const char *writer;
    char run[512], account_path[540];
    struct account *account;
    const char *way;
    enum tt_policy policy;
    uint64_t seed;
};

static pid_t start(const struct trial *t)
{
    pid_t pid = fork();
    if (pid == 0) {
        (void)setpgid(0, 0);
        (void)setenv("TTPROF_RUN", t->run, 1);
        (void)execl(t->writer, t->writer, t->account_path, t->way, (char *)NULL);
        _exit(92);
    }
    (void)setpgid(pid, pid);
    return pid;
}

static bool has_recorded(const struct account *a)
{
    return __atomic_load_n(&a->used, __ATOMIC_RELAXED) &&
           __atomic_load_n(&a->slots[0].done, __ATOMIC_RELAXED);
}

// Starting up, the first events, later.
static void wait_for_the_moment(const struct trial *t)
{
    static const uint64_t most[] = {3 * ms, 100 * us, 1 * ms, 12 * ms};
    uint64_t h = script_mix(t->seed, 3), kind = h % 4, start_ns = now_ns();
    while (kind && !has_recorded(t->account) && now_ns() - start_ns < PHASE_MOST_NS)
        ;
    pause_until(now_ns() + (h >> 8) % most[kind]);
}

static void end_all(pid_t pid)
{
    (void)kill(-pid, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) // a fork may have been under way
        (void)kill(-pid, SIGKILL);
}

static bool kill_once(struct trial *t, struct zones_checked *sums)
{
    struct buf why = {0};
    (void)mkdir(t->run, 0777);
    control_make(t->run, t->policy);
    (void)unlink(t->account_path);
    t->account = map_new(t->account_path, sizeof *t->account);
    pid_t pid = start(t);
    wait_for_the_moment(t);
    end_all(pid);
    bool is_fine = zones_check(t->run, t->account, now_ns(), sums, &why);
    (void)munmap(t->account, sizeof *t->account);
    if (!is_fine)
        (void)printf("seed %llu, %s, %s: %.*s; left in %s\n", (unsigned long long)t->seed,
                     t->way, policies[t->policy], STR(why), t->run);
    else
        (void)nftw(t->run, take_away, 16, FTW_DEPTH | FTW_PHYS);
    buf_free(&why);
    return is_fine;
}

static int kill_many(char **argv)
{
    struct zones_checked sums[TRIALS] = {0};
    uint64_t seed = strtoull(argv[3], NULL, 10), n = strtoull(argv[4], NULL, 10);
    uint64_t kills[TRIALS] = {0}, n_failed = 0, start_ns = now_ns();
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    for (uint64_t i = 0; i < n; i++) {
        struct trial t = {.writer = argv[1], .seed = seed + i};
        size_t k = t.seed % TRIALS;
        t.way = trials[k].way;
        t.policy = trials[k].policy;
        (void)snprintf(t.run, sizeof t.run, "%s/kill-%llu", argv[2],
                       (unsigned long long)t.seed);
        (void)snprintf(t.account_path, sizeof t.account_path, "%s.account", t.run);
        kills[k]++;
        bool is_fine = kill_once(&t, &sums[k]);
        n_failed += !is_fine;
        if (is_fine)
            (void)unlink(t.account_path);
    }
    for (size_t k = 0; k < TRIALS; k++)
        if (kills[k])
            (void)printf(
                "%-8s %-11s %4llu kills: %llu processes, %llu threads, %llu zones, %llu "
                "open, "
                "%llu messages; %llu in flight, %llu lost, %llu overwritten\n",
                trials[k].way, policies[trials[k].policy], (unsigned long long)kills[k],
                (unsigned long long)sums[k].processes, (unsigned long long)sums[k].tracks,
                (unsigned long long)sums[k].zones, (unsigned long long)sums[k].open,
                (unsigned long long)sums[k].messages, (unsigned long long)sums[k].in_flight,
                (unsigned long long)sums[k].lost, (unsigned long long)sums[k].overwritten);
    (void)printf("%llu kills from seed %llu on, %llu failed, %.1f s\n",
                 (unsigned long long)n, (unsigned long long)seed,
                 (unsigned long long)n_failed, (double)(now_ns() - start_ns) / 1e9);
    return n_failed != 0;
}

static int check_one(char **argv)
{
    struct zones_checked sums = {0};
    struct buf why = {0};
    const struct account *account = map_new(argv[3], sizeof *account);
    bool is_fine = zones_check(argv[2], account, now_ns(), &sums, &why);
    if (is_fine)
        (void)printf(
            "%llu processes, %llu threads, %llu zones, %llu open, %llu messages, %llu "
            "lost\n",
            (unsigned long long)sums.processes, (unsigned long long)sums.tracks,
            (unsigned long long)sums.zones, (unsigned long long)sums.open,
            (unsigned long long)sums.messages, (unsigned long long)sums.lost);
    else
        (void)printf("%.*s\n", STR(why));
    buf_free(&why);
    return !is_fine;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "check") == 0)
        return check_one(argv);
    if (argc == 5)
        return kill_many(argv);
    (void)fprintf(stderr,
                  "usage: kill_zones WRITER FOLDER SEED KILLS, or check RUN ACCOUNT\n");
    return 2;
}
