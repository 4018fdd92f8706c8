// table.c - what events refer to by number: strings, locations, and one-time facts.
//
// A number is valid for the life of the process: a location keeps its number in the
// program's memory across starts, stops and forks. So a new table begins with the strings
// and locations of the previous one, under the same numbers.
//
// Lookup takes no lock; adding does.
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "record/record.h"

enum { TABLE_FIRST = 1 << 17, TABLE_MORE = 1 << 20, NAME_MOST = 1 << 16 };
enum { CHUNK = 1 << 14, CHUNKS = 1 << 10 };
// Address space is reserved for the whole table, memory is not.
static const size_t reserves[] = {1 << 28, 1 << 24, TABLE_FIRST};

// The entry of each number. Chunks never move.
struct places {
    void **chunk[CHUNKS];
    uint32_t used; // numbers from 1 to this
};

static struct tt_table *table; // atomic; NULL: no lookups
static struct tt_table *out;   // where entries are added: same, or the next one
static size_t reserved, ready; // bytes of address space, and with memory
static uint64_t used; // bytes of entries. After a fork the parent continues with its own
                      // count, in the file
static bool is_full;  // no room was found: not tried again
static struct tt_table *before; // the previous table, of this process or its parent
static uint64_t before_bytes, before_reserved;
static bool is_of_parent;
static struct places strings, locations;
static struct recorder_index by_text, by_address, by_location, by_fiber;
static uint32_t n_locks;

struct tt_table *recorder_table(void)
{
    return __atomic_load_n(&table, __ATOMIC_ACQUIRE);
}

// --- entries -----------------------------------------------------------------------------
struct entry {
    uint32_t bytes, kind;
};
struct string_entry {
    struct entry entry;
    uint32_t id, bytes;
    char text[];
};
struct location_entry {
    struct entry entry;
    struct tt_location location;
};

static void *place_get(const struct places *p, uint32_t number)
{
    return __atomic_load_n(&p->chunk[number / CHUNK][number % CHUNK], __ATOMIC_RELAXED);
}

static bool place_set(struct places *p, uint32_t number, void *entry)
{
    if (number / CHUNK >= CHUNKS)
        return false;
    void ***chunk = &p->chunk[number / CHUNK];
    if (!*chunk && !(*chunk = recorder_pages(CHUNK * sizeof **chunk)))
        return false;
    __atomic_store_n(&(*chunk)[number % CHUNK], entry, __ATOMIC_RELAXED);
    if (p->used < number)
        __atomic_store_n(&p->used, number, __ATOMIC_RELEASE);
    return true;
}

static bool has_room(uint64_t bytes)
{
    if (used + bytes <= ready)
        return true;
    uint64_t more = TABLE_MORE;
    while (used + bytes > ready + more)
        more *= 2;
    if (is_full || ready + more > reserved ||
        !recorder_map_more("table", out, ready, more)) {
        is_full = true;
        out->refused++;
        return false;
    }
    ready += more;
    return true;
}

// Appends an entry of two parts. NULL if there is no room. Readers see all of it or
// nothing.
static void *entry_put(enum tt_entry kind, struct recorder_piece a, struct recorder_piece b)
{
    uint64_t bytes = (sizeof(struct entry) + a.n + b.n + 7) & ~UINT64_C(7);
    if (!out || !has_room(bytes))
        return NULL;
    char *at = (char *)out + used;
    struct entry entry = {(uint32_t)bytes, kind};
    memcpy(at, &entry, sizeof entry);
    memcpy(at + sizeof entry, a.p, a.n);
    if (b.n)
        memcpy(at + sizeof entry + a.n, b.p, b.n);
    used += bytes;
    __atomic_store_n(&out->used, used, __ATOMIC_RELEASE);
    return at;
}

bool recorder_table_put_locked(enum tt_entry kind, const void *fields, size_t bytes)
{
    return entry_put(kind, (struct recorder_piece){fields, bytes},
                     (struct recorder_piece){0});
}

void recorder_table_put(enum tt_entry kind, const void *fields, size_t bytes)
{
    recorder_lock(&recorder_short);
    recorder_table_put_locked(kind, fields, bytes);
    recorder_unlock(&recorder_short);
}

// --- strings -----------------------------------------------------------------------------
static bool is_string(uint32_t number, const void *what)
{
    const struct recorder_piece *t = what;
    const struct string_entry *s = place_get(&strings, number);
    return s->bytes == t->n && memcmp(s->text, t->p, t->n) == 0;
}

static uint32_t string_add(uint32_t hash, struct recorder_piece t)
{
    uint32_t head[2] = {strings.used + 1, (uint32_t)t.n};
    if (head[0] / CHUNK >= CHUNKS)
        return 0;
    void *at =
        entry_put(TT_ENTRY_STRING, (struct recorder_piece){(char *)head, sizeof head}, t);
    if (!at || !place_set(&strings, head[0], at) ||
        !recorder_index_add(&by_text, hash, head[0]))
        return 0;
    return head[0];
}

uint32_t recorder_string_locked(const char *text, size_t bytes)
{
    struct recorder_piece t = {text, bytes < NAME_MOST ? bytes : NAME_MOST};
    uint32_t hash = recorder_hash(t.p, t.n, 0);
    uint32_t number = recorder_index_find(&by_text, hash, is_string, &t);
    return number ? number : string_add(hash, t);
}

uint32_t recorder_string(const char *text, size_t bytes)
{
    if (!text || !recorder_table())
        return 0;
    struct recorder_piece t = {text, bytes < NAME_MOST ? bytes : NAME_MOST};
    uint32_t hash = recorder_hash(t.p, t.n, 0);
    uint32_t number = recorder_index_find(&by_text, hash, is_string, &t);
    if (number)
        return number;
    recorder_lock(&recorder_short);
    number = recorder_string_locked(text, bytes);
    recorder_unlock(&recorder_short);
    return number;
}

bool recorder_string_get(uint64_t number, struct recorder_piece *text)
{
    if (!number || number > __atomic_load_n(&strings.used, __ATOMIC_ACQUIRE))
        return false;
    const struct string_entry *s = place_get(&strings, (uint32_t)number);
    *text = (struct recorder_piece){s->text, s->bytes};
    return true;
}

static bool is_literal(uint32_t number, const void *what)
{
    const struct string_entry *s = place_get(&strings, number);
    return strncmp(s->text, what, s->bytes) == 0 && !((const char *)what)[s->bytes];
}

static bool is_any(uint32_t number, const void *what)
{
    (void)number, (void)what;
    return true;
}

// The text at an address may change (libraries come and go, or it was not a literal), so it
// is compared. The address is stored for the first text only.
uint32_t recorder_literal(const char *text)
{
    if (!text || !recorder_table())
        return 0;
    uint32_t hash = recorder_hash(&text, sizeof text, 0);
    uint32_t number = recorder_index_find(&by_address, hash, is_literal, text);
    if (number)
        return number;
    recorder_lock(&recorder_short);
    number = recorder_string_locked(text, strlen(text));
    if (number && !recorder_index_find(&by_address, hash, is_any, NULL))
        recorder_index_add(&by_address, hash, number);
    recorder_unlock(&recorder_short);
    return number;
}

// --- locations ---------------------------------------------------------------------------
static bool is_location(uint32_t number, const void *what)
{
    const struct location_entry *e = place_get(&locations, number);
    const struct tt_location *a = &e->location, *b = what;
    return a->name == b->name && a->function == b->function && a->file == b->file &&
           a->line == b->line && a->colour == b->colour;
}

static uint32_t location_hash(const struct tt_location *l)
{
    uint32_t fields[] = {l->name, l->function, l->file, l->line, l->colour};
    return recorder_hash(fields, sizeof fields, 0);
}

static uint32_t location_add(uint32_t hash, struct tt_location l)
{
    l.id = locations.used + 1;
    if (l.id / CHUNK >= CHUNKS)
        return 0;
    void *at = entry_put(TT_ENTRY_LOCATION, (struct recorder_piece){(char *)&l, sizeof l},
                         (struct recorder_piece){0});
    if (!at || !place_set(&locations, l.id, at) ||
        !recorder_index_add(&by_location, hash, l.id))
        return 0;
    return l.id;
}

bool recorder_location_get(uint64_t number, struct tt_location *location)
{
    if (!number || number > __atomic_load_n(&locations.used, __ATOMIC_ACQUIRE))
        return false;
    *location =
        ((const struct location_entry *)place_get(&locations, (uint32_t)number))->location;
    return true;
}

uint32_t recorder_location_of(const struct tt_location *l)
{
    if (!recorder_table())
        return 0;
    uint32_t hash = location_hash(l);
    uint32_t number = recorder_index_find(&by_location, hash, is_location, l);
    if (number)
        return number;
    recorder_lock(&recorder_short);
    number = recorder_index_find(&by_location, hash, is_location, l);
    if (!number)
        number = location_add(hash, *l);
    recorder_unlock(&recorder_short);
    return number;
}

static uint32_t string_of(const char *text)
{
    return text ? recorder_string(text, strlen(text)) : 0;
}

uint32_t recorder_location(struct ttprof_location *location)
{
    uint32_t id = __atomic_load_n(&location->id, __ATOMIC_RELAXED);
    if (id)
        return id;
    struct tt_location l = {0,
                            string_of(location->name),
                            string_of(location->function),
                            string_of(location->file),
                            location->line,
                            location->colour};
    id = recorder_location_of(&l);
    __atomic_store_n(&location->id, id, __ATOMIC_RELAXED);
    return id;
}

static bool is_number(uint32_t number, const void *what)
{
    return number == *(const uint32_t *)what;
}

uint32_t recorder_fiber(uint32_t name)
{
    uint32_t fields[2] = {name, 0};
    uint32_t hash = recorder_hash(fields, sizeof fields, recorder_session());
    if (!fields[0] || recorder_index_find(&by_fiber, hash, is_number, fields))
        return fields[0];
    recorder_lock(&recorder_short);
    if (!recorder_index_find(&by_fiber, hash, is_number, fields) &&
        recorder_table_put_locked(TT_ENTRY_FIBER, fields, sizeof fields))
        recorder_index_add(&by_fiber, hash, fields[0]);
    recorder_unlock(&recorder_short);
    return fields[0];
}

uint32_t recorder_lock_number(uint32_t location)
{
    recorder_lock(&recorder_short);
    uint32_t fields[2] = {n_locks + 1, location};
    uint32_t number =
        recorder_table_put_locked(TT_ENTRY_LOCK, fields, sizeof fields) ? ++n_locks : 0;
    recorder_unlock(&recorder_short);
    return number;
}

// --- from table to table -----------------------------------------------------------------
static bool is_kept(uint32_t kind)
{
    return kind == TT_ENTRY_STRING || kind == TT_ENTRY_LOCATION || kind == TT_ENTRY_LOCK ||
           kind == TT_ENTRY_LOCK_NAME || kind == TT_ENTRY_PLOT || kind == TT_ENTRY_APP_INFO;
}

static bool entry_copy(const struct entry *e)
{
    struct recorder_piece fields = {(const char *)(e + 1), e->bytes - sizeof *e};
    void *at = entry_put(e->kind, fields, (struct recorder_piece){0});
    uint32_t number = *(const uint32_t *)(e + 1);
    if (e->kind == TT_ENTRY_LOCK && n_locks < number)
        n_locks = number; // created by the parent after the fork
    return at && (e->kind != TT_ENTRY_STRING || place_set(&strings, number, at)) &&
           (e->kind != TT_ENTRY_LOCATION || place_set(&locations, number, at));
}

static bool copy_what_is_known(void)
{
    for (uint64_t at = TT_TABLE_HEADER; at < before_bytes;) {
        const struct entry *e = (const void *)((const char *)before + at);
        if (is_kept(e->kind) && !entry_copy(e))
            return false;
        at += e->bytes;
    }
    return true;
}

static void *reserve_addresses(void)
{
    for (size_t i = 0; i < sizeof reserves / sizeof *reserves; i++) {
        void *at = mmap(NULL, reserves[i], PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        reserved = reserves[i];
        if (at != MAP_FAILED)
            return at;
    }
    return NULL;
}

bool recorder_table_open(void)
{
    out = reserve_addresses();
    if (!out)
        return false;
    if (!recorder_map_table(out, TABLE_FIRST)) {
        int error = errno;
        munmap(out, reserved);
        errno = error;
        out = NULL;
        return false;
    }
    ready = TABLE_FIRST;
    is_full = false;
    out->used = used = TT_TABLE_HEADER;
    out->version = TT_RECORDING_VERSION;
    __atomic_store_n(&out->magic, TT_TABLE_MAGIC, __ATOMIC_RELEASE);
    if (!copy_what_is_known()) { // its memory stays: it already holds strings
        recorder_file_remove("table");
        out = NULL;
        errno = ENOSPC;
        return false;
    }
    if (is_of_parent)
        munmap(before, before_reserved);
    before = NULL;
    before_bytes = 0;
    __atomic_store_n(&table, out, __ATOMIC_RELEASE);
    return true;
}

void recorder_table_close(bool is_in_child)
{
    if (!table)
        return;
    before = table;
    before_bytes = used;
    before_reserved = reserved;
    is_of_parent = is_in_child;
    out = NULL;
    __atomic_store_n(&table, NULL, __ATOMIC_RELEASE);
}
