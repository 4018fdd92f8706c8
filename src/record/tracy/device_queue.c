// device_queue.c - takes zones of devices from profilers; see devices.h.
//
// A hand-over has the turn from its begin to its end. The sender takes it to start a
// session, so that no zone of an earlier session is in the queue.
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "record/tracy/client.h"
#include "record/tracy/devices.h"
#include "record/tracy/keys.h"
#include "ttprof/device_zones.h"

#define NAP_NS      1000000
#define SECOND_NS   UINT64_C(1000000000)
#define PATIENCE_NS (5 * SECOND_NS) // with a server that takes nothing, at the end

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static struct {
    struct device_tables *tables;
    struct recorder_keys known_cores, known_chips, known_lanes, known_places; // + 1
    char *texts;
    size_t n_texts;
    struct device_zone *queue;
    uint64_t head, tail; // atomic
    uint64_t n_dropped;  // atomic
    uint32_t is_open;    // atomic
    // the hand-over
    uint64_t offset_ns; // added to its times
    uint64_t waited_ns;
    bool is_last, is_dropping;
    int cancellation;
} devices;

const struct device_tables *recorder_devices(void)
{
    return __atomic_load_n(&devices.tables, __ATOMIC_ACQUIRE);
}

// --- begin and end ---
static bool has_memory(void)
{
    struct device_tables *tables = devices.tables;
    if (!tables)
        tables = recorder_pages(sizeof *tables);
    if (!devices.texts)
        devices.texts = recorder_pages(DEVICE_TEXTS);
    if (!devices.queue)
        devices.queue = recorder_pages(DEVICE_QUEUE * sizeof *devices.queue);
    __atomic_store_n(&devices.tables, tables, __ATOMIC_RELEASE);
    return tables && devices.texts && devices.queue;
}

static bool is_open(void)
{
    return __atomic_load_n(&devices.is_open, __ATOMIC_ACQUIRE);
}

// A clock of the program that the recorder does not know of is taken to show the time now.
static uint64_t offset_of(const struct ttprof_device_turn *t)
{
    uint64_t ns = t->now_ns;
    if (!t->is_program_clock)
        return 0;
    if (!recorder_clock_of_program(&ns))
        ns = recorder_monotonic();
    return ns - t->now_ns;
}

bool ttprof_device_zones_begin(const struct ttprof_device_turn *t)
{
    int before;
    recorder_process_check();
    if (!is_open())
        return false;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    (void)pthread_mutex_lock(&turn);
    if (!is_open() || !has_memory()) {
        (void)pthread_mutex_unlock(&turn);
        (void)pthread_setcancelstate(before, NULL);
        return false;
    }
    devices.offset_ns = offset_of(t);
    devices.waited_ns = 0;
    devices.is_last = t->is_last;
    devices.is_dropping = false;
    devices.cancellation = before;
    return true;
}

void ttprof_device_zones_end(void)
{
    int before = devices.cancellation;
    (void)pthread_mutex_unlock(&turn);
    (void)pthread_setcancelstate(before, NULL);
    recorder_tracy_wake();
}

// --- tables ---
// The number of an entry, from 1; 0: it is not there, and *key is where to put it.
static uint32_t find(const struct recorder_keys *known, uint64_t *key,
                     bool (*is)(uint32_t number, const void *what), const void *what)
{
    uint64_t number;
    while ((number = recorder_keys_get(known, *key)) && !is((uint32_t)number, what))
        ++*key;
    return (uint32_t)number;
}

// False: there is no room. The entry is at index *n.
static bool add(struct recorder_keys *known, uint64_t key, uint32_t *n, uint32_t most)
{
    return *n < most && recorder_keys_set(known, key, (uint64_t)*n + 1, most);
}

static void publish(uint32_t *n)
{
    __atomic_store_n(n, *n + 1, __ATOMIC_RELEASE);
}

static bool is_core(uint32_t number, const void *what)
{
    const struct ttprof_device_core *c = what;
    const struct tracy_core *is = &devices.tables->cores[number - 1].core;
    return is->chip == c->chip && is->x == c->x && is->y == c->y;
}

static bool is_any(uint32_t number, const void *what)
{
    (void)number, (void)what;
    return true;
}

static bool chip_of(int64_t chip, uint32_t *number)
{
    struct device_tables *t = devices.tables;
    uint64_t key = (uint64_t)chip;
    uint32_t known = find(&devices.known_chips, &key, is_any, NULL);
    *number = known ? known - 1 : t->n_chips;
    if (!known && !add(&devices.known_chips, key, &t->n_chips, DEVICE_CORES))
        return false;
    if (!known)
        publish(&t->n_chips);
    return true;
}

static uint32_t core_of(const struct ttprof_device_core *c)
{
    struct device_tables *t = devices.tables;
    uint64_t key = (uint64_t)c->chip << 32 | (uint64_t)(c->x & 0xFFFF) << 16 |
                   (uint64_t)(c->y & 0xFFFF);
    uint32_t known = find(&devices.known_cores, &key, is_core, c);
    if (known)
        return known;
    struct device_core *to = &t->cores[t->n_cores];
    uint32_t chip;
    if (!chip_of(c->chip, &chip) ||
        !add(&devices.known_cores, key, &t->n_cores, DEVICE_CORES))
        return 0;
    *to = (struct device_core){
        .core = {c->chip, c->x, c->y, c->logical_x, c->logical_y},
        .chip = chip,
        .is_aligned = c->is_aligned,
    };
    publish(&t->n_cores);
    return t->n_cores;
}

uint32_t ttprof_device_lane(const struct ttprof_device_core *c, uint32_t risc)
{
    struct device_tables *t = devices.tables;
    uint32_t core = core_of(c);
    uint64_t key = (uint64_t)core << 32 | risc;
    uint32_t known = core ? find(&devices.known_lanes, &key, is_any, NULL) : 0;
    if (known || !core || !add(&devices.known_lanes, key, &t->n_lanes, DEVICE_LANES))
        return known;
    t->lanes[t->n_lanes] = (struct device_lane){core - 1, risc};
    publish(&t->n_lanes);
    return t->n_lanes;
}

static bool is_piece(const struct recorder_piece *p, const char *text, size_t n)
{
    return p->n == n && (!n || memcmp(p->p, text, n) == 0);
}

static bool is_place(uint32_t number, const void *what)
{
    const struct ttprof_device_place *p = what;
    const struct device_place *is = &devices.tables->places[number - 1];
    return is->line == p->line && is_piece(&is->name, p->name, p->name_bytes) &&
           is_piece(&is->file, p->file, p->file_bytes);
}

static struct recorder_piece keep(const char *text, size_t n)
{
    char *to = devices.texts + devices.n_texts;
    if (n)
        memcpy(to, text, n);
    devices.n_texts += n;
    return (struct recorder_piece){to, n};
}

uint32_t ttprof_device_place(const struct ttprof_device_place *p)
{
    struct device_tables *t = devices.tables;
    uint32_t hash = recorder_hash(p->name, p->name_bytes, p->line);
    uint64_t key = (uint64_t)recorder_hash(p->file, p->file_bytes, hash) << 16;
    uint32_t known = find(&devices.known_places, &key, is_place, p);
    size_t bytes = p->name_bytes + p->file_bytes;
    if (known || devices.n_texts + bytes > DEVICE_TEXTS ||
        !add(&devices.known_places, key, &t->n_places, DEVICE_PLACES))
        return known;
    t->places[t->n_places] = (struct device_place){keep(p->name, p->name_bytes),
                                                   keep(p->file, p->file_bytes), p->line};
    publish(&t->n_places);
    return t->n_places;
}

// --- the queue ---
static bool has_room(void)
{
    return devices.head - __atomic_load_n(&devices.tail, __ATOMIC_ACQUIRE) < DEVICE_QUEUE;
}

// A hand-over waits for a server that is slow, but not for one that takes nothing.
static void wait_for_room(void)
{
    static const struct timespec moment = {.tv_nsec = NAP_NS};
    uint64_t tail = __atomic_load_n(&devices.tail, __ATOMIC_ACQUIRE), still_ns = 0;
    recorder_tracy_wake();
    while (is_open() && !has_room() && !devices.is_dropping) {
        uint64_t start = recorder_monotonic(), now_tail;
        nanosleep(&moment, NULL);
        uint64_t passed = recorder_monotonic() - start;
        now_tail = __atomic_load_n(&devices.tail, __ATOMIC_ACQUIRE);
        still_ns = now_tail == tail ? still_ns + passed : 0;
        tail = now_tail;
        devices.waited_ns += passed;
        devices.is_dropping =
            devices.is_last ? still_ns > PATIENCE_NS : devices.waited_ns > SECOND_NS;
    }
}

static void drop_one(void)
{
    __atomic_fetch_add(&devices.n_dropped, 1, __ATOMIC_RELAXED);
}

bool ttprof_device_zones_put(const struct ttprof_device_zone *z)
{
    enum { WAKE_EVERY = 1 << 14 };
    if (!devices.is_dropping && !has_room())
        wait_for_room();
    if (!is_open())
        return false;
    if (devices.is_dropping || !z->lane) {
        drop_one();
        return true;
    }
    devices.queue[devices.head % DEVICE_QUEUE] =
        (struct device_zone){.start = z->start_ns + devices.offset_ns,
                             .end = z->end_ns + devices.offset_ns,
                             .run = z->run,
                             .lane = z->lane,
                             .place = z->place,
                             .depth = z->depth,
                             .is_trace = z->is_trace};
    __atomic_store_n(&devices.head, devices.head + 1, __ATOMIC_RELEASE);
    if (devices.head % WAKE_EVERY == 0)
        recorder_tracy_wake();
    return true;
}

// --- for the sender ---
void recorder_devices_open(void)
{
    (void)pthread_mutex_lock(&turn);
    devices.head = devices.tail = 0;
    __atomic_store_n(&devices.n_dropped, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&devices.is_open, 1, __ATOMIC_RELEASE);
    (void)pthread_mutex_unlock(&turn);
}

// A hand-over ends at its next zone, so this is brief.
void recorder_devices_close(void)
{
    __atomic_store_n(&devices.is_open, 0, __ATOMIC_RELEASE);
    (void)pthread_mutex_lock(&turn);
    (void)pthread_mutex_unlock(&turn);
}

static bool is_empty(void)
{
    return __atomic_load_n(&devices.tail, __ATOMIC_RELAXED) ==
           __atomic_load_n(&devices.head, __ATOMIC_ACQUIRE);
}

bool recorder_devices_have_some(void)
{
    return is_open() && !is_empty();
}

bool recorder_devices_next(struct device_zone *zone)
{
    if (is_empty())
        return false;
    *zone = devices.queue[devices.tail % DEVICE_QUEUE];
    __atomic_store_n(&devices.tail, devices.tail + 1, __ATOMIC_RELEASE);
    return true;
}

uint64_t recorder_devices_dropped(void)
{
    return __atomic_exchange_n(&devices.n_dropped, 0, __ATOMIC_RELAXED);
}

static void free_pages(void *pages, size_t bytes)
{
    if (pages)
        (void)munmap(pages, bytes);
}

void recorder_devices_forget(void)
{
    (void)pthread_mutex_lock(&turn);
    free_pages(devices.tables, sizeof *devices.tables);
    free_pages(devices.texts, DEVICE_TEXTS);
    free_pages(devices.queue, DEVICE_QUEUE * sizeof *devices.queue);
    recorder_keys_clear(&devices.known_cores);
    recorder_keys_clear(&devices.known_chips);
    recorder_keys_clear(&devices.known_lanes);
    recorder_keys_clear(&devices.known_places);
    devices.tables = NULL;
    devices.texts = NULL;
    devices.queue = NULL;
    devices.n_texts = devices.head = devices.tail = 0;
    (void)pthread_mutex_unlock(&turn);
}

// Another thread may have had the turn.
void recorder_devices_fork_child(void)
{
    devices.is_open = 0;
    (void)pthread_mutex_init(&turn, NULL);
}
