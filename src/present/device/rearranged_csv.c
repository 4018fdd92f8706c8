// rearranged_csv.c - all times of a marker in one cell. The reader has already turned the
// four timer ids of 2023 logs into today's zones, so all logs are handled alike.
#include "present/device/rearranged_csv.h"

#include "base/data/sort.h"
#include "base/text/num.h"

enum { RISCS = 2, EACH = 4, COLUMNS = RISCS * EACH };
static const char *const riscs[RISCS] = {"BRISC", "NCRISC"};
static const struct {
    const char *head, *zone;
    enum marker_type type;
} columns[COLUMNS] = {
    // clang-format off
    {"BRISC Firmware Start",  "BRISC-FW",      MARKER_ZONE_START},
    {"BRISC Kernel start",    "BRISC-KERNEL",  MARKER_ZONE_START},
    {"BRISC Kernel End",      "BRISC-KERNEL",  MARKER_ZONE_END},
    {"BRISC Firmware End",    "BRISC-FW",      MARKER_ZONE_END},
    {"NCRISC Firmware Start", "NCRISC-FW",     MARKER_ZONE_START},
    {"NCRISC Kernel start",   "NCRISC-KERNEL", MARKER_ZONE_START},
    {"NCRISC Kernel End",     "NCRISC-KERNEL", MARKER_ZONE_END},
    {"NCRISC Firmware End",   "NCRISC-FW",     MARKER_ZONE_END},
    // clang-format on
};

struct sheet {
    const struct trace *t;
    uint8_t *column; // by site; COLUMNS = none
    struct buf cell[EACH];
    struct out *out;
};

static uint8_t column_of(const struct trace *t, const struct trace_site *s)
{
    uint8_t c = 0;
    while (c < COLUMNS &&
           (s->type != columns[c].type || !str_is(trace_text(t, s->name), columns[c].zone)))
        c++;
    return c;
}

// The four cells of a RISC.
static void put_track(struct sheet *s, unsigned risc, const struct trace_track *k)
{
    const struct trace *t = s->t;
    for (int c = 0; c < EACH; c++)
        s->cell[c].n = 0;
    for (size_t m = k->marker; m < (size_t)k->marker + k->n_markers; m++) {
        unsigned c = s->column[t->markers.site[m]];
        if (c / EACH != risc)
            continue;
        num_put_int(&s->cell[c % EACH], (int64_t)t->markers.time[m]);
        buf_char(&s->cell[c % EACH], ' ');
    }
    for (int c = 0; c < EACH; c++) {
        str cell = buf_view(&s->cell[c]);
        buf_char(&s->out->b, ',');
        buf_str(&s->out->b, (str){cell.p, cell.n ? cell.n - 1 : 0});
        out_flush_some(s->out);
    }
}

static void put_core(struct sheet *s, const struct trace_core *core)
{
    const struct trace *t = s->t;
    buf_printf(&s->out->b, "%d,%d", core->x, core->y);
    for (unsigned r = 0; r < RISCS; r++) {
        struct trace_track none = {0};
        const struct trace_track *track = &none;
        for (size_t k = 0; k < core->tracks.n; k++)
            if (str_is(trace_text(t, t->tracks.v[core->tracks.v[k]].risc), riscs[r]))
                track = &t->tracks.v[core->tracks.v[k]];
        put_track(s, r, track);
    }
    buf_z(&s->out->b, "\r\n");
}

static void put_heads(struct sheet *s, const struct trace_device *device)
{
    struct buf *b = &s->out->b;
    buf_z(b, "Clock Frequency [GHz],");
    int64_t mhz = trace_mhz(s->t, (uint32_t)(device - s->t->devices.v));
    if (mhz > 0)
        num_put_real(b, (double)mhz / 1000);
    buf_z(b, "\r\nPCIe slot,");
    num_put_int(b, device->id);
    buf_z(b, "\r\ncore x,core y");
    for (int c = 0; c < COLUMNS; c++)
        buf_printf(b, ",%s", columns[c].head);
    buf_z(b, "\r\n");
}

static void put_device_rows(struct sheet *s, const struct trace_device *device)
{
    size_t n = device->cores.n;
    struct keyed *order = mem_alloc(mem_bytes(sizeof *order, 2 * n + 1));
    for (size_t i = 0; i < n; i++) {
        const struct trace_core *core = &s->t->cores.v[device->cores.v[i]];
        int64_t place = (int64_t)core->y * 100 + core->x;
        // Offset so that negative coordinates sort first.
        order[i] =
            (struct keyed){(uint64_t)place + (UINT64_C(1) << 63), device->cores.v[i], 0};
    }
    sort_keyed(order, order + n, n);
    put_heads(s, device);
    for (size_t i = 0; i < n; i++)
        put_core(s, &s->t->cores.v[order[i].a]);
    mem_free(order);
}

bool rearranged_write(const struct trace *t, const char *path, struct err *e)
{
    struct out out;
    if (!out_open(&out, path, e))
        return false;
    struct sheet s = {.t = t, .out = &out};
    s.column = mem_alloc(t->sites.n + 1);
    for (size_t i = 0; i < t->sites.n; i++)
        s.column[i] = column_of(t, &t->sites.v[i]);
    for (size_t d = 0; d < t->devices.n; d++)
        put_device_rows(&s, &t->devices.v[d]);
    for (int c = 0; c < EACH; c++)
        buf_free(&s.cell[c]);
    mem_free(s.column);
    return out_close(&out, e);
}
