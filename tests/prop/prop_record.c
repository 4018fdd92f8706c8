// Whatever threads record, the reader gives back: random programs through the calls of
// host.h, in real threads, beside the list that each of them kept.
//
//     prop_record [SEED [SEED]]       these seeds only, each named as it begins
#include "prop_record.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file/file.h"

#include "present/reports/zones_csv.h"

struct law record_laws[LAWS] = {
    [LAW_OPENS] = {.name = "a recording can be read, and nothing in it is damaged"},
    [LAW_EVENTS] = {.name = "all that was recorded comes back, in order and as it was"},
    [LAW_TIMES] = {.name = "times are between those before and after the call"},
    [LAW_LOSSES] = {.name = "what is missing is counted, by thread and reason"},
    [LAW_TRACKS] = {.name = "processes, threads and fibers are those that were"},
    [LAW_ORDER] = {.name = "what happened after on another thread has a later time"},
    [LAW_LIVE] = {.name = "a recording that goes on can be read, and is a beginning"},
    [LAW_LANES] = {.name = "tables do not depend on the number of lanes"},
};

// --- lanes -------------------------------------------------------------------------------
typedef bool write_form(const struct trace *, const struct zones_csv *, const char *,
                        struct err *);

static uint64_t bytes_hash(const char *path)
{
    struct file f;
    struct err e = {0};
    uint64_t hash = 1;
    if (!file_open(path, &f, &e))
        return 0;
    for (size_t i = 0; i < f.text.n; i++)
        hash = (hash ^ (unsigned char)f.text.p[i]) * UINT64_C(0x100000001B3);
    file_close(&f);
    return hash;
}

static uint64_t form_hash(const struct scene *s, write_form *form, uint32_t seed)
{
    struct trace r;
    struct err e = {0};
    char path[96];
    struct zones_csv how = zones_csv_default();
    how.is_upstream = seed & 1;
    how.is_compatible = seed & 2;
    how.choice.is_self = seed & 4;
    (void)snprintf(path, sizeof path, "%s/form.csv", s->folder);
    if (!host_run_open(&r, s->folder, &e))
        return 0;
    bool is_written = form(&r, &how, path, &e);
    trace_free(&r);
    return is_written ? bytes_hash(path) : 0;
}

void record_check_lanes(const struct scene *s)
{
    static write_form *const forms[] = {zones_csv_statistics, zones_csv_unwrapped,
                                        zones_csv_messages};
    static const char *const lanes[] = {"1", "2", "5"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        uint64_t hash[3];
        for (int k = 0; k < 3; k++) {
            (void)setenv("TTPROF_THREADS", lanes[k], 1);
            hash[k] = form_hash(s, forms[i], (uint32_t)s->seed);
        }
        law_check(&record_laws[LAW_LANES],
                  hash[0] && hash[0] == hash[1] && hash[0] == hash[2], "%s: form %zu",
                  scene_show(s), i);
    }
    (void)unsetenv("TTPROF_THREADS");
}

// --- scenes ------------------------------------------------------------------------------
static void look(void *context)
{
    record_check_live(context);
}

static bool is_any_broken(void)
{
    bool is_broken = false;
    for (int i = 0; i < LAWS; i++)
        is_broken |= record_laws[i].is_broken;
    return is_broken;
}

static bool try_seed(uint64_t seed, bool is_named)
{
    struct truth *truth = mmap(NULL, sizeof *truth, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (truth == MAP_FAILED)
        abort();
    struct scene s = scene_make(seed, truth);
    if (is_named)
        (void)fprintf(stderr, "%s\n", scene_show(&s));
    if (law_check(&record_laws[LAW_OPENS], scene_play(&s, look, &s), "%s", s.folder)) {
        record_check(&s);
        if (seed % 4 == 0)
            record_check_lanes(&s);
    }
    bool is_broken = is_any_broken();
    if (is_broken && getenv("TTPROF_PROP_KEEP"))
        (void)fprintf(stderr, "%s stays\n", s.folder);
    else
        scene_remove(&s);
    (void)munmap(truth, sizeof *truth);
    return !is_broken;
}

// Seeds that found something once.
static const uint64_t found[] = {
    54,  // counts of a flight recorder that is read while its threads end
    130, // a session in which the clock has number 3
    270, // a segment that is noted while its ring is read
    432, // names and places are no events, and not lost when a ring is full
    788,
};

int main(int argc, char **argv)
{
    bool is_good = true;
    uint64_t first = 1, last = prop_rounds(40);
    if (argc > 1) {
        first = strtoull(argv[1], NULL, 10);
        last = argc > 2 ? strtoull(argv[2], NULL, 10) : first;
    }
    for (size_t i = 0; argc == 1 && is_good && i < sizeof found / sizeof *found; i++)
        is_good = try_seed(found[i], false);
    for (uint64_t seed = first; is_good && seed <= last; seed++)
        is_good = try_seed(seed, argc > 1);
    return laws_report(record_laws, LAWS);
}
