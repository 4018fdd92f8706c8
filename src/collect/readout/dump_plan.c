// dump_plan.c - reading dump.json.
#include "collect/readout/dump_plan.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/data/units.h"
#include "base/text/json_read.h"
#include "base/text/num.h"

enum {
    NOTES_MOST = 20,
    CORES_MOST = 256, // flat ids have 8 bits
    CHIPS_MOST = 1024,
};

// --- notes -----------------------------------------------------------------------------

void plan_note(struct plan_notes *n, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n->n++ < NOTES_MOST)
        buf_printf(n->b, "%s: %s\n", n->where, text);
}

void plan_notes_end(struct plan_notes *n)
{
    if (n->n > NOTES_MOST)
        buf_printf(n->b, "%s: %zu more like this\n", n->where, n->n - NOTES_MOST);
}

// --- values ----------------------------------------------------------------------------

struct reader {
    struct collection *c;
    struct plan_notes notes;
};

static struct json_read find_member(struct reader *r, struct json_read object,
                                    const char *key)
{
    size_t times;
    struct json_read v = json_find(object, key, &times);
    if (times > 1)
        plan_note(&r->notes, "'%s' occurs %zu times: the last one is used", key, times);
    return v;
}

// A number in its range; `otherwise` if it is missing.
static int64_t get_int(struct reader *r, struct json_read object, const char *key,
                       int64_t low, int64_t high, int64_t otherwise)
{
    struct json_read v = find_member(r, object, key);
    enum json_kind kind = json_peek(&v);
    if (kind == JSON_KIND_END || kind == JSON_KIND_NULL)
        return otherwise;
    int64_t n;
    if (json_take_int(&v, &n) && n >= low && n <= high)
        return n;
    plan_note(&r->notes, "'%s' is not a number from %lld to %lld", key, (long long)low,
              (long long)high);
    return otherwise;
}

static str get_text(struct reader *r, struct json_read object, const char *key)
{
    str text = {0};
    struct json_read v = find_member(r, object, key);
    (void)json_take_text(&v, &r->c->arena, &text);
    return text;
}

// An id below the limit; false if the value is not one.
static bool get_id(struct json_read v, int64_t most, int64_t *id)
{
    return json_take_int(&v, id) && *id >= 0 && *id <= most;
}

// --- cores -----------------------------------------------------------------------------

static int kind_of(struct reader *r, str type)
{
    static const char *const names[] = {"worker", "eth", "dispatch"};
    for (int i = 0; i < 3; i++)
        if (str_is(type, names[i]))
            return i;
    if (type.n)
        plan_note(&r->notes, "'type' of a core is '%.*s': treated as worker", STR(type));
    return TT_CORE_WORKER;
}

// Count and ns of each RISC in turn.
static void get_stalls(struct reader *r, struct json_read object, struct plan_core *p)
{
    struct json_read list = find_member(r, object, "stalls");
    int64_t v[2];
    json_enter(&list, '[');
    for (size_t i = 0; i < TT_RISCS; i++) {
        for (int k = 0; k < 2; k++) {
            v[k] = 0;
            if (!json_element(&list))
                return;
            (void)json_take_int(&list, &v[k]);
        }
        if (v[0] < 0 || v[1] < 0) {
            plan_note(&r->notes, "'stalls' of a core are negative");
            return;
        }
        p->stalls[i] = (uint64_t)v[0];
        p->stall_ns[i] = (uint64_t)v[1];
    }
}

static bool get_core(struct reader *r, struct json_read object, bool is_quasar,
                     struct plan_core *p)
{
    enum { NONE = -1 };
    int64_t x = get_int(r, object, "x", 0, 255, NONE),
            y = get_int(r, object, "y", 0, 255, NONE),
            flat = get_int(r, object, "flat", 0, CORES_MOST - 1, NONE);
    if (x == NONE || y == NONE || flat == NONE) {
        plan_note(&r->notes, "a core without 'x', 'y' or 'flat' is skipped");
        return false;
    }
    int kind = kind_of(r, get_text(r, object, "type"));
    int usual = kind == TT_CORE_ETH ? 1 : is_quasar ? RISCS_MOST : TT_RISCS;
    struct json_read partial = find_member(r, object, "partial");
    *p = (struct plan_core){
        .core = {.x = (int16_t)x,
                 .y = (int16_t)y,
                 .vx = (int16_t)get_int(r, object, "vx", 0, 255, x),
                 .vy = (int16_t)get_int(r, object, "vy", 0, 255, y),
                 .lx = (int16_t)get_int(r, object, "lx", -1, 255, -1),
                 .ly = (int16_t)get_int(r, object, "ly", -1, 255, -1),
                 .flat = (int16_t)flat,
                 .kind = (uint8_t)kind,
                 .n_riscs = (uint8_t)get_int(r, object, "riscs", 1, RISCS_MOST, usual)},
        .is_partial = json_peek(&partial) == JSON_KIND_TRUE,
    };
    get_stalls(r, object, p);
    return true;
}

static void get_cores(struct reader *r, struct json_read chip, bool is_quasar,
                      struct plan_chip *p)
{
    bool is_known[CORES_MOST] = {false};
    struct json_read list = find_member(r, chip, "cores");
    for (json_enter(&list, '['); json_element(&list); json_skip(&list)) {
        struct plan_core core;
        if (!get_core(r, list, is_quasar, &core))
            continue;
        if (is_known[core.core.flat]) {
            plan_note(&r->notes, "a second core with 'flat' %d is skipped", core.core.flat);
            continue;
        }
        is_known[core.core.flat] = true;
        vec_push(&p->cores, core);
    }
}

// --- traces and programs ---------------------------------------------------------------

static void get_replayed(struct reader *r, struct json_read chip, struct plan_chip *p)
{
    struct json_read list = find_member(r, chip, "replayed");
    for (json_enter(&list, '['); json_element(&list); json_skip(&list)) {
        int64_t id;
        bool is_id = get_id(list, INT32_MAX, &id);
        if (!is_id)
            plan_note(&r->notes, "'replayed' has an entry that is not a trace id");
        // Positions in the list matter, so an invalid id keeps its place.
        vec_push(&p->record.replayed, is_id ? (int)id : -1);
    }
}

static void get_traces(struct reader *r, struct json_read chip, struct plan_chip *p)
{
    struct json_read traces = find_member(r, chip, "traces");
    str key;
    for (json_enter(&traces, '{'); json_member(&traces, &key); json_skip(&traces)) {
        int64_t id, base;
        if (!num_int(key, &id) || id < 0 || id > INT32_MAX) {
            plan_note(&r->notes, "'traces' has a key that is not a trace id");
            continue;
        }
        struct trace_record *trace = collection_trace(&p->record, (int)id);
        struct json_read list = traces;
        for (json_enter(&list, '['); json_element(&list); json_skip(&list)) {
            if (get_id(list, UINT32_MAX, &base))
                vec_push(&trace->programs, (uint32_t)base);
            else
                plan_note(&r->notes, "trace %lld has a program that is not a run id",
                          (long long)id);
        }
    }
}

static void get_programs(struct reader *r, struct json_read chip, struct plan_chip *p)
{
    struct json_read list = find_member(r, chip, "programs");
    for (json_enter(&list, '['); json_element(&list); json_skip(&list)) {
        int64_t base;
        if (!get_id(find_member(r, list, "id"), UINT32_MAX, &base)) {
            plan_note(&r->notes, "a program without 'id' is skipped");
            continue;
        }
        collection_add_program(
            r->c, &p->record, (uint32_t)base, get_text(r, list, "name"),
            (int)get_int(r, list, "sub_device", -1, INT32_MAX, -1),
            (int)get_int(r, list, "sub_device_manager", -1, INT32_MAX, -1));
    }
}

// --- chips -----------------------------------------------------------------------------

static int arch_of(const char *name)
{
    return strcmp(name, "wormhole_b0") == 0 ? TT_WORMHOLE
           : strcmp(name, "blackhole") == 0 ? TT_BLACKHOLE
                                            : -1;
}

static void parse_chip(struct reader *r, struct json_read chip, struct dump_plan *plan)
{
    bool is_quasar = strcmp(plan->arch_name, "quasar") == 0;
    struct plan_chip p = {
        .record = {.id = (int)get_int(r, chip, "id", 0, CHIPS_MOST - 1, -1),
                   .arch = arch_of(plan->arch_name),
                   .arch_name = plan->arch_name,
                   .mhz = get_int(r, chip, "freq_mhz", 0, MHZ_MOST, 0),
                   .max_compute_cores = get_int(r, chip, "max_compute_cores", 0, 100000, 0),
                   .dispatch = arena_str(&r->c->arena, get_text(r, chip, "dispatch")),
                   .noc_x = (int)get_int(r, chip, "noc_x", 0, 255, 0),
                   .noc_y = (int)get_int(r, chip, "noc_y", 0, 255, 0),
                   .clock_at_open =
                       (uint64_t)get_int(r, chip, "clock_at_open", 0, INT64_MAX, 0)},
        .dram_base = (uint64_t)get_int(r, chip, "dram_base", 0, INT64_MAX, 0),
        .clock = (uint64_t)get_int(r, chip, "clock", 0, INT64_MAX, 0),
        .region_bytes =
            (uint32_t)get_int(r, chip, "region_bytes", 0, DUMP_REGION_MOST, 0) & ~3u,
        .cores_per_bank = (int)get_int(r, chip, "cores_per_bank", 1, CORES_MOST, 1),
        .processors = (int)get_int(r, chip, "processors", 1, RISCS_MOST,
                                   is_quasar ? RISCS_MOST : TT_RISCS),
    };
    for (size_t i = 0; i < plan->chips.n; i++)
        if (plan->chips.v[i].record.id == p.record.id) {
            plan_note(&r->notes, "a second device %d is skipped", p.record.id);
            return;
        }
    if (p.record.id < 0) {
        plan_note(&r->notes, "a device without 'id' is skipped");
        return;
    }
    get_cores(r, chip, is_quasar, &p);
    if (!p.cores.n) {
        plan_note(&r->notes, "device %d has no 'cores' and is skipped", p.record.id);
        return;
    }
    get_replayed(r, chip, &p);
    get_traces(r, chip, &p);
    get_programs(r, chip, &p);
    vec_push(&plan->chips, p);
}

static bool get_layout(struct dump_plan *p, str text, const char *where, struct err *e)
{
    static const char *const names[] = {"v0", "v1", "v2"};
    for (int i = 0; i < 3; i++)
        if (str_is(text, names[i])) {
            p->layout = (enum words_layout)i;
            return true;
        }
    return err_set(e, ERR_FORMAT, "%s: unknown 'layout' '%.*s'; use v0, v1 or v2", where,
                   STR(text));
}

static void get_options(struct reader *r, struct json_read document)
{
    struct profiler_options *o = &r->c->options, before = *o;
    struct json_read list = find_member(r, document, "options");
    str key, value;
    for (json_enter(&list, '{'); json_member(&list, &key);) {
        struct err e = {0};
        if (!json_take_text(&list, &r->c->arena, &value) ||
            !profiler_options_set(o, key, value, &e))
            plan_note(&r->notes, "unknown option '%.*s'", STR(str_clip(key, 80)));
    }
    // Paths of the other machine do not matter here.
    memcpy(o->folder, before.folder, sizeof o->folder);
    memcpy(o->noc_folder, before.noc_folder, sizeof o->noc_folder);
    memcpy(o->dump_raw, before.dump_raw, sizeof o->dump_raw);
}

bool plan_parse(struct dump_plan *p, str text, const char *where, struct collection *c,
                struct buf *warnings, struct err *e)
{
    *p = (struct dump_plan){0};
    struct json_read document = json_read_of(text);
    if (!json_check(text, where, e))
        return false;
    if (json_peek(&document) != JSON_KIND_OBJECT)
        return err_set(e, ERR_FORMAT, "%s: line 1: not an object", where);
    struct reader r = {.c = c, .notes = {.b = warnings, .where = where}};
    bool ok = get_layout(p, get_text(&r, document, "layout"), where, e);
    if (ok) {
        str arch = get_text(&r, document, "arch");
        p->arch_name = arena_str(&c->arena, arch.n ? arch : S("unknown")).p;
        p->n_readouts = get_int(&r, document, "readouts", 1, UINT32_MAX, 0);
        get_options(&r, document);
        struct json_read chips = find_member(&r, document, "chips");
        for (json_enter(&chips, '['); json_element(&chips); json_skip(&chips))
            parse_chip(&r, chips, p);
        if (!p->chips.n)
            ok =
                err_set(e, ERR_FORMAT,
                        "%s: no valid 'chips'; name a folder that --dump-raw wrote", where);
    }
    plan_notes_end(&r.notes);
    if (!ok)
        plan_free(p);
    return ok;
}

void plan_free(struct dump_plan *p)
{
    for (size_t i = 0; i < p->chips.n; i++) {
        struct plan_chip *chip = &p->chips.v[i];
        for (size_t k = 0; k < chip->record.traces.n; k++)
            vec_free(&chip->record.traces.v[k].programs);
        vec_free(&chip->record.traces);
        vec_free(&chip->record.replayed);
        vec_free(&chip->record.programs);
        vec_free(&chip->cores);
    }
    vec_free(&p->chips);
}
