// noc_trace_read.c - derives transfers from entries.
#include "formats/noc/noc_trace_read.h"

#include "base/data/map.h"
#include "base/text/fields.h"
#include "base/text/json_read.h"

#include "ttprof/noc_event_kinds.h"

// --- file names --------------------------------------------------------------------------

// Cuts the digits at the end of *s off, with `mark` before them.
static bool number_cut(str *s, str mark, uint64_t *out)
{
    size_t from = s->n;
    uint64_t v = 0, factor = 1;
    while (from > 0 && s->p[from - 1] >= '0' && s->p[from - 1] <= '9') {
        uint64_t digit = (uint64_t)(s->p[--from] - '0'), part;
        if (__builtin_mul_overflow(digit, factor, &part) ||
            __builtin_add_overflow(v, part, &v))
            return false;
        factor = factor > UINT64_MAX / 10 ? UINT64_MAX : factor * 10;
    }
    str head = {s->p, from};
    if (from == s->n || !str_ends(head, mark))
        return false;
    s->n = from - mark.n;
    *out = v;
    return true;
}

bool noc_trace_name_parse(str name, struct noc_trace_name *out)
{
    const str head = S("noc_trace_dev"), tail = S(".json");
    uint64_t device = 0, replay;
    if (!str_starts(name, head) || !str_ends(name, tail))
        return false;
    name = (str){name.p + head.n, name.n - head.n - tail.n};
    bool has_replay = number_cut(&name, S("_traceID"), &replay);
    if (!number_cut(&name, S("_ID"), &out->op))
        return false;
    out->trace = has_replay ? (int64_t)(replay >> 32) : -1;
    out->session = has_replay ? (int64_t)(replay & UINT32_MAX) : -1;
    str digits = str_cut(&name, '_'); // the rest is the op's name
    if (!digits.n || !number_cut(&digits, S(""), &device) || device > INT32_MAX)
        return false;
    out->device = (int64_t)device;
    return digits.n == 0;
}

// --- effects of events -------------------------------------------------------------------

enum effect {
    EFFECT_NONE, // barriers, waits: nothing moves
    EFFECT_READ,
    EFFECT_WRITE,
    EFFECT_MULTICAST,
    EFFECT_FABRIC,
    EFFECT_SET_READ, // sets the destination of later ones
    EFFECT_SET_WRITE,
    EFFECT_READ_AGAIN, // uses the last set-up destination
    EFFECT_WRITE_AGAIN,
};

static const uint8_t effects[TT_NOC_EVENT_UNSUPPORTED] = {
    [TT_NOC_EVENT_READ] = EFFECT_READ,
    [TT_NOC_EVENT_READ_SET_STATE] = EFFECT_SET_READ,
    [TT_NOC_EVENT_READ_WITH_STATE] = EFFECT_READ_AGAIN,
    [TT_NOC_EVENT_READ_WITH_STATE_AND_TRID] = EFFECT_READ_AGAIN,
    [TT_NOC_EVENT_READ_DRAM_SHARDED_SET_STATE] = EFFECT_SET_READ,
    [TT_NOC_EVENT_READ_DRAM_SHARDED_WITH_STATE] = EFFECT_READ_AGAIN,
    [TT_NOC_EVENT_WRITE_] = EFFECT_WRITE,
    [TT_NOC_EVENT_WRITE_WITH_TRID] = EFFECT_WRITE,
    [TT_NOC_EVENT_WRITE_INLINE] = EFFECT_WRITE,
    [TT_NOC_EVENT_WRITE_MULTICAST] = EFFECT_MULTICAST,
    [TT_NOC_EVENT_WRITE_SET_STATE] = EFFECT_SET_WRITE,
    [TT_NOC_EVENT_WRITE_WITH_STATE] = EFFECT_WRITE_AGAIN,
    [TT_NOC_EVENT_WRITE_WITH_TRID_SET_STATE] = EFFECT_SET_WRITE,
    [TT_NOC_EVENT_WRITE_WITH_TRID_WITH_STATE] = EFFECT_WRITE_AGAIN,
    [TT_NOC_EVENT_SEMAPHORE_SET_REMOTE] = EFFECT_WRITE,
    [TT_NOC_EVENT_SEMAPHORE_SET_MULTICAST] = EFFECT_MULTICAST,
    [TT_NOC_EVENT_FABRIC_UNICAST_WRITE] = EFFECT_FABRIC,
    [TT_NOC_EVENT_FABRIC_UNICAST_INLINE_WRITE] = EFFECT_FABRIC,
    [TT_NOC_EVENT_FABRIC_UNICAST_ATOMIC_INC] = EFFECT_FABRIC,
    [TT_NOC_EVENT_FABRIC_FUSED_UNICAST_ATOMIC_INC] = EFFECT_FABRIC,
    [TT_NOC_EVENT_FABRIC_MULTICAST_WRITE] = EFFECT_FABRIC,
    [TT_NOC_EVENT_FABRIC_MULTICAST_ATOMIC_INC] = EFFECT_FABRIC,
    [TT_NOC_EVENT_FABRIC_UNICAST_SCATTER_WRITE] = EFFECT_FABRIC,
};

static const char *const event_names[TT_NOC_EVENT_UNSUPPORTED] = {"",
#define NAME(number, name, is_debug) [number] = #name,
                                                                  TT_NOC_EVENT_KINDS(NAME)
#undef NAME
};

// --- entries -----------------------------------------------------------------------------

enum { NOWHERE = -1 };

struct entry {
    str type, noc, process;
    int64_t sx, sy, dx, dy, from_x, from_y, to_x, to_y, channel, bytes;
    uint64_t time;
    bool has_time;
};

#define AT(field) offsetof(struct entry, field)
static const struct field entry_fields[] = {
    {.name = "sx", .type = &field_int, .at = AT(sx)},
    {.name = "sy", .type = &field_int, .at = AT(sy)},
    {.name = "dx", .type = &field_int, .at = AT(dx)},
    {.name = "dy", .type = &field_int, .at = AT(dy)},
    {.name = "mcast_start_x", .type = &field_int, .at = AT(from_x)},
    {.name = "mcast_start_y", .type = &field_int, .at = AT(from_y)},
    {.name = "mcast_end_x", .type = &field_int, .at = AT(to_x)},
    {.name = "mcast_end_y", .type = &field_int, .at = AT(to_y)},
    {.name = "num_bytes", .type = &field_int, .at = AT(bytes)},
    {.name = "type", .type = &field_text, .at = AT(type)},
    {.name = "noc", .type = &field_text, .at = AT(noc)},
    {.name = "proc", .type = &field_text, .at = AT(process)},
};

static void take_channel(struct json_read *r, struct entry *x)
{
    str key;
    if (json_peek(r) != JSON_KIND_OBJECT) {
        json_skip(r);
        return;
    }
    for (json_enter(r, '{'); json_member(r, &key);) {
        if (str_is(key, "eth_chan"))
            (void)json_take_int(r, &x->channel);
        else
            json_skip(r);
    }
}

static void take_member(struct json_read *r, str key, struct entry *x)
{
    const struct field *f = fields_find(FIELDS(entry_fields), key);
    if (f && f->type == &field_int)
        (void)json_take_int(r, field_of(f, x));
    else if (f && json_peek(r) == JSON_KIND_STRING)
        (void)json_take_raw(r, field_of(f, x));
    else if (str_is(key, "timestamp"))
        x->has_time = json_take_unsigned(r, &x->time);
    else if (str_is(key, "fabric_send"))
        take_channel(r, x);
    else
        json_skip(r);
}

static void take_entry(struct json_read *r, struct entry *x)
{
    *x = (struct entry){.sx = NOWHERE,
                        .sy = NOWHERE,
                        .dx = NOWHERE,
                        .dy = NOWHERE,
                        .from_x = NOWHERE,
                        .from_y = NOWHERE,
                        .to_x = NOWHERE,
                        .to_y = NOWHERE,
                        .channel = NOWHERE,
                        .bytes = NOWHERE};
    str key;
    for (json_enter(r, '{'); json_member(r, &key);)
        take_member(r, key, x);
}

// --- transfers ---------------------------------------------------------------------------

// What a RISC has set up.
struct state {
    int64_t x, y, bytes;
};

struct reading {
    struct noc_trace_file *f;
    struct map types;
    int64_t core_x, core_y; // of the previous entries
    str process;
    struct state read, write;
};

static const struct state no_state = {NOWHERE, NOWHERE, 0};

// Entries of a RISC are adjacent; its set-up does not apply to others.
static void follow_risc(struct reading *r, const struct entry *x)
{
    if (r->core_x == x->sx && r->core_y == x->sy && str_eq(r->process, x->process))
        return;
    r->core_x = x->sx;
    r->core_y = x->sy;
    r->process = x->process;
    r->read = r->write = no_state;
}

static bool is_place(int64_t x, int64_t y)
{
    return x >= 0 && x <= INT8_MAX && y >= 0 && y <= INT8_MAX;
}

static void put_transfer(struct reading *r, const struct entry *x,
                         enum noc_transfer_kind kind, int64_t to_x, int64_t to_y,
                         int64_t bytes)
{
    enum { BYTES_MOST = TT_NOC_CHUNK_BYTES * TT_NOC_CHUNKS_MOST };
    bool is_multicast = kind == NOC_MULTICAST;
    if (bytes == 0)
        return;
    if (bytes < 0 || bytes > UINT32_MAX || !is_place(x->sx, x->sy) ||
        !is_place(to_x, to_y) || (is_multicast && !is_place(x->to_x, x->to_y)) ||
        !(str_is(x->noc, "NOC_0") || str_is(x->noc, "NOC_1"))) {
        r->f->n_placeless++;
        return;
    }
    r->f->n_cut += bytes == BYTES_MOST;
    vec_push(&r->f->transfers, (struct noc_transfer){
                                   .core_x = (int16_t)x->sx,
                                   .core_y = (int16_t)x->sy,
                                   .x = (int16_t)to_x,
                                   .y = (int16_t)to_y,
                                   .end_x = (int16_t)(is_multicast ? x->to_x : to_x),
                                   .end_y = (int16_t)(is_multicast ? x->to_y : to_y),
                                   .kind = (uint8_t)kind,
                                   .noc = str_is(x->noc, "NOC_1"),
                                   .bytes = (uint32_t)bytes,
                               });
}

static void put_again(struct reading *r, const struct entry *x, enum noc_transfer_kind kind,
                      const struct state *s)
{
    bool has_place = is_place(x->dx, x->dy);
    put_transfer(r, x, kind, has_place ? x->dx : s->x, has_place ? x->dy : s->y,
                 x->bytes > 0 ? x->bytes : s->bytes);
}

static void put_event(struct reading *r, const struct entry *x)
{
    uint32_t type = map_get(&r->types, x->type);
    struct state set = {x->dx, x->dy, x->bytes > 0 ? x->bytes : 0};
    follow_risc(r, x);
    if (type == MAP_NONE) {
        r->f->n_placeless++;
        return;
    }
    switch ((enum effect)effects[type]) {
    case EFFECT_NONE: break;
    case EFFECT_READ: put_transfer(r, x, NOC_READ, x->dx, x->dy, x->bytes); break;
    case EFFECT_WRITE: put_transfer(r, x, NOC_WRITE, x->dx, x->dy, x->bytes); break;
    case EFFECT_MULTICAST:
        if (is_place(x->from_x, x->from_y))
            put_transfer(r, x, NOC_MULTICAST, x->from_x, x->from_y, x->bytes);
        else // only one corner is given
            put_transfer(r, x, NOC_WRITE, x->dx, x->dy, x->bytes);
        break;
    case EFFECT_FABRIC: put_transfer(r, x, NOC_FABRIC, x->channel, 0, x->bytes); break;
    case EFFECT_SET_READ: r->read = set; break;
    case EFFECT_SET_WRITE: r->write = set; break;
    case EFFECT_READ_AGAIN: put_again(r, x, NOC_READ, &r->read); break;
    case EFFECT_WRITE_AGAIN: put_again(r, x, NOC_WRITE, &r->write); break;
    }
}

static void put_time(struct noc_trace_file *f, const struct entry *x)
{
    if (!x->has_time)
        return;
    if (!f->last_time || x->time < f->first_time)
        f->first_time = x->time;
    if (x->time > f->last_time)
        f->last_time = x->time;
}

void noc_trace_read(struct noc_trace_file *f, str text)
{
    *f = (struct noc_trace_file){0};
    struct reading r = {
        .f = f, .core_x = NOWHERE, .core_y = NOWHERE, .read = no_state, .write = no_state};
    for (size_t i = 0; i < sizeof event_names / sizeof *event_names; i++)
        map_put(&r.types, str_of(event_names[i]));
    struct json_read j = json_read_of(text);
    for (json_enter(&j, '['); json_element(&j);) {
        struct entry x;
        if (json_peek(&j) != JSON_KIND_OBJECT) {
            json_skip(&j);
            f->n_placeless++;
            continue;
        }
        take_entry(&j, &x);
        if (j.is_bad)
            break; // half an entry
        f->n_entries++;
        put_time(f, &x);
        if (x.type.n)
            put_event(&r, &x);
    }
    f->is_damaged = !json_is_done(&j);
    map_free(&r.types);
}

void noc_trace_read_free(struct noc_trace_file *f)
{
    vec_free(&f->transfers);
}
