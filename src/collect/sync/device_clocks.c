// device_clocks.c - writes and reads clock models.
#include "collect/sync/device_clocks.h"

#include <math.h>

#include "base/file/file.h"
#include "base/text/json.h"
#include "base/text/json_read.h"

// The fields of an epoch that are doubles: one list for writer and reader.
static const struct field {
    const char *name;
    size_t at;
} fields[] = {
    {"cycle_fraction", offsetof(struct clock_epoch, cycle_fraction)},
    {"host_fraction", offsetof(struct clock_epoch, host_fraction)},
    {"cycles_per_ns", offsetof(struct clock_epoch, cycles_per_ns)},
    {"rate_error", offsetof(struct clock_epoch, rate_error)},
    {"error_ns", offsetof(struct clock_epoch, error_ns)},
    {"reach_ns", offsetof(struct clock_epoch, reach_ns)},
    {"residual_ns", offsetof(struct clock_epoch, residual_ns)},
};
enum { N_FIELDS = sizeof fields / sizeof *fields };

// --- writing ---------------------------------------------------------------------------

static void put_real(struct json *j, const char *key, double v)
{
    json_key(j, str_of(key));
    json_double(j, v);
}

static void put_epoch(struct json *j, const struct clock_epoch *e)
{
    json_newline(j);
    json_open(j, '{');
    json_key_int(j, "cycle", (int64_t)e->cycle);
    json_key_int(j, "host", (int64_t)e->host);
    for (int i = 0; i < N_FIELDS; i++) {
        double v;
        memcpy(&v, (const char *)e + fields[i].at, sizeof v);
        put_real(j, fields[i].name, v);
    }
    json_close(j, '}');
}

static void put_cores(struct json *j, const struct device_clock *c)
{
    json_key(j, S("cores"));
    json_open(j, '[');
    for (size_t i = 0; i < c->cores.n; i++) {
        const struct clock_core *core = &c->cores.v[i];
        const int64_t v[] = {core->x, core->y, core->logical_x, core->logical_y};
        json_open(j, '[');
        for (size_t k = 0; k < sizeof v / sizeof *v; k++)
            json_int(j, v[k]);
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void put_chip(struct json *j, const struct device_clock *c)
{
    json_newline(j);
    json_open(j, '{');
    json_key_int(j, "id", c->chip);
    json_key(j, S("synced"));
    json_bool(j, c->model.is_synced);
    put_real(j, "nominal_ghz", c->model.nominal);
    put_real(j, "error_ns",
             c->model.is_synced ? clock_model_worst_ns(&c->model) : (double)INFINITY);
    json_key(j, S("epochs"));
    json_open(j, '[');
    for (size_t i = 0; i < c->model.epochs.n; i++)
        put_epoch(j, &c->model.epochs.v[i]);
    json_close(j, ']');
    put_cores(j, c);
    json_close(j, '}');
}

static void put_numbers(struct json *j, const char *key, const struct clocks_numbers *n)
{
    json_key(j, str_of(key));
    json_open(j, '[');
    json_int(j, n->first);
    json_int(j, n->end);
    json_close(j, ']');
}

bool device_clocks_write(const struct device_clocks *c, const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    struct json j = {.b = &o.b, .is_first = true};
    json_open(&j, '{');
    if (c->pid) {
        json_key_int(&j, "pid", c->pid);
        json_key_int(&j, "attachment", c->attachment);
        json_key_int(&j, "attached_ns", (int64_t)c->attached_ns);
        put_numbers(&j, "programs", &c->programs);
        put_numbers(&j, "traces", &c->traces);
    }
    json_key_text(&j, "host_clock", c->is_program_clock ? S("program") : S("monotonic"));
    json_key(&j, S("chips"));
    json_open(&j, '[');
    for (size_t i = 0; i < c->chips.n; i++)
        put_chip(&j, &c->chips.v[i]);
    json_close(&j, ']');
    json_close(&j, '}');
    buf_char(&o.b, '\n');
    return out_close(&o, e);
}

// --- reading ---------------------------------------------------------------------------

static uint64_t get_count(struct json_read object, const char *key)
{
    int64_t v = 0;
    struct json_read at = json_find(object, key, NULL);
    return json_take_int(&at, &v) && v > 0 ? (uint64_t)v : 0;
}

// Missing or null means unknown.
static double get_real(struct json_read object, const char *key, double unknown)
{
    double v;
    struct json_read at = json_find(object, key, NULL);
    return json_take_real(&at, &v) && !isnan(v) ? v : unknown;
}

static void get_epoch(struct json_read object, struct clock_model *m)
{
    struct clock_epoch e = {.cycle = get_count(object, "cycle"),
                            .host = get_count(object, "host")};
    for (int i = 0; i < N_FIELDS; i++) {
        bool is_error = strstr(fields[i].name, "error") != NULL;
        double v = get_real(object, fields[i].name, is_error ? (double)INFINITY : 0);
        memcpy((char *)&e + fields[i].at, &v, sizeof v);
    }
    // An invalid rate, or an epoch before its predecessor, would send zones to infinity.
    if (!(e.cycles_per_ns > 0) || !isfinite(e.cycles_per_ns))
        return;
    if (m->epochs.n && e.cycle < m->epochs.v[m->epochs.n - 1].cycle)
        return;
    vec_push(&m->epochs, e);
}

static bool get_core(struct json_read *list, struct clock_core *core)
{
    int32_t *const to[] = {&core->x, &core->y, &core->logical_x, &core->logical_y};
    size_t n = 0;
    struct json_read row = *list;
    for (json_enter(&row, '['); json_element(&row); n++) {
        int64_t v = -1;
        if (!json_take_int(&row, &v))
            json_skip(&row);
        if (v < 0 || v > INT16_MAX)
            return false;
        if (n < sizeof to / sizeof *to)
            *to[n] = (int32_t)v;
    }
    return n == sizeof to / sizeof *to;
}

static void get_cores(struct json_read object, struct device_clock *c)
{
    struct json_read list = json_find(object, "cores", NULL);
    for (json_enter(&list, '['); json_element(&list); json_skip(&list)) {
        struct clock_core core;
        if (get_core(&list, &core))
            vec_push(&c->cores, core);
    }
}

static struct device_clock parse_clock(struct json_read object)
{
    struct device_clock c = {0};
    struct json_read id = json_find(object, "id", NULL);
    (void)json_take_int(&id, &c.chip);
    c.model.nominal = get_real(object, "nominal_ghz", 0);
    struct json_read list = json_find(object, "epochs", NULL);
    for (json_enter(&list, '['); json_element(&list); json_skip(&list))
        get_epoch(list, &c.model);
    get_cores(object, &c);
    struct json_read synced = json_find(object, "synced", NULL);
    c.model.is_synced = json_peek(&synced) == JSON_KIND_TRUE && c.model.epochs.n;
    return c;
}

static struct clocks_numbers get_numbers(struct json_read object, const char *key)
{
    uint32_t v[2] = {0};
    int n = 0;
    struct json_read list = json_find(object, key, NULL);
    for (json_enter(&list, '['); json_element(&list); n++) {
        int64_t number = 0;
        if (!json_take_int(&list, &number))
            json_skip(&list);
        if (n < 2 && number > 0 && number <= UINT32_MAX)
            v[n] = (uint32_t)number;
    }
    return v[0] < v[1] ? (struct clocks_numbers){v[0], v[1]} : (struct clocks_numbers){0};
}

static bool get_clocks(struct device_clocks *c, str text, const char *path, struct err *e)
{
    if (!json_check(text, path, e))
        return false;
    struct json_read root = json_read_of(text), chips = json_find(root, "chips", NULL);
    if (json_peek(&chips) != JSON_KIND_ARRAY)
        return err_set(e, ERR_FORMAT, "%s: no list 'chips': not a clock file", path);
    str clock;
    struct json_read at = json_find(root, "host_clock", NULL);
    c->pid = (uint32_t)get_count(root, "pid");
    c->attachment = (uint32_t)get_count(root, "attachment");
    c->attached_ns = get_count(root, "attached_ns");
    c->programs = get_numbers(root, "programs");
    c->traces = get_numbers(root, "traces");
    c->is_program_clock = json_take_raw(&at, &clock) && str_is(clock, "program");
    for (json_enter(&chips, '['); json_element(&chips); json_skip(&chips))
        vec_push(&c->chips, parse_clock(chips));
    return true;
}

bool device_clocks_read(struct device_clocks *c, const char *path, struct err *e)
{
    struct file f;
    *c = (struct device_clocks){0};
    if (!file_open(path, &f, e))
        return false;
    bool ok = get_clocks(c, f.text, path, e);
    file_close(&f);
    return ok;
}

void device_clocks_free(struct device_clocks *c)
{
    for (size_t i = 0; i < c->chips.n; i++) {
        clock_model_free(&c->chips.v[i].model);
        vec_free(&c->chips.v[i].cores);
    }
    vec_free(&c->chips);
}

static const struct device_clock *find_chip(const struct device_clocks *c, int64_t chip)
{
    for (size_t i = 0; i < c->chips.n; i++)
        if (c->chips.v[i].chip == chip)
            return &c->chips.v[i];
    return NULL;
}

const struct clock_model *device_clocks_find(const struct device_clocks *c, int64_t chip)
{
    const struct device_clock *found = find_chip(c, chip);
    return found ? &found->model : NULL;
}

static void place_core(const struct device_clock *c, struct trace_core *core)
{
    for (size_t i = 0; i < c->cores.n; i++)
        if (c->cores.v[i].x == core->x && c->cores.v[i].y == core->y) {
            core->has_logical = true;
            core->logical_x = c->cores.v[i].logical_x;
            core->logical_y = c->cores.v[i].logical_y;
        }
}

void device_clocks_attach(const struct device_clocks *c, struct trace *t, uint32_t log)
{
    for (size_t i = 0; i < t->devices.n; i++) {
        struct trace_device *d = &t->devices.v[i];
        if (d->log != log)
            continue;
        d->clock = device_clocks_find(c, d->id);
        d->pid = c->pid;
        d->attachment = c->attachment;
        d->is_program_clock = c->is_program_clock;
        const struct device_clock *chip = find_chip(c, d->id);
        for (size_t k = 0; chip && k < d->cores.n; k++)
            place_core(chip, &t->cores.v[d->cores.v[k]]);
    }
}
