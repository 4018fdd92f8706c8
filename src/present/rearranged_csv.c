// rearranged_csv.c - all times of a marker in one cell. The four ids of the logs of 2023
// have been read as the zones they are today, so all logs go the same way.
#include "present/rearranged_csv.h"

#include "base/num.h"
#include "base/sort.h"

static const struct {
    const char *head, *zone;
    enum marker_type type;
} columns[] = {
    {"Firmware Start", "FW", MARKER_ZONE_START},
    {"Kernel start", "KERNEL", MARKER_ZONE_START},
    {"Kernel End", "KERNEL", MARKER_ZONE_END},
    {"Firmware End", "FW", MARKER_ZONE_END},
};
static const char *const riscs[] = {"BRISC", "NCRISC"};
enum {
    COLUMNS = sizeof columns / sizeof *columns,
    RISCS = sizeof riscs / sizeof *riscs,
};

struct sheet {
    const struct trace *t;
    uint8_t *column[RISCS]; // by site: column + 1, 0 = none
    struct buf cell[COLUMNS];
    struct out *out;
};

static void find_columns(struct sheet *s)
{
    const struct trace *t = s->t;
    for (int r = 0; r < RISCS; r++) {
        s->column[r] = mem_alloc(t->sites.n + 1);
        for (size_t i = 0; i < t->sites.n; i++) {
            str name = trace_text(t, t->sites.v[i].name), zone;
            str family = str_of(riscs[r]);
            if (!str_starts(name, family))
                continue;
            zone = str_from(name, family.n);
            for (uint8_t c = 0; c < COLUMNS; c++)
                if (t->sites.v[i].type == columns[c].type && zone.n && zone.p[0] == '-' &&
                    str_is(str_from(zone, 1), columns[c].zone))
                    s->column[r][i] = (uint8_t)(c + 1);
        }
    }
}

static void put_track(struct sheet *s, int r, const struct trace_track *k)
{
    const struct trace *t = s->t;
    for (int c = 0; c < COLUMNS; c++)
        s->cell[c].n = 0;
    for (size_t m = k->marker; m < (size_t)k->marker + k->n_markers; m++) {
        unsigned c = s->column[r][t->markers.site[m]];
        if (!c)
            continue;
        num_put_int(&s->cell[c - 1], (int64_t)t->markers.time[m]);
        buf_char(&s->cell[c - 1], ' ');
    }
    for (int c = 0; c < COLUMNS; c++) {
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
    for (int r = 0; r < RISCS; r++) {
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
    if (s->t->mhz > 0)
        num_put_real(b, (double)s->t->mhz / 1000);
    buf_z(b, "\r\nPCIe slot,");
    num_put_int(b, device->id);
    buf_z(b, "\r\ncore x,core y");
    for (int r = 0; r < RISCS; r++)
        for (int c = 0; c < COLUMNS; c++)
            buf_printf(b, ",%s %s", riscs[r], columns[c].head);
    buf_z(b, "\r\n");
}

static void put_device(struct sheet *s, const struct trace_device *device)
{
    size_t n = device->cores.n;
    struct keyed *order = mem_alloc(mem_bytes(sizeof *order, 2 * n + 1));
    for (size_t i = 0; i < n; i++) {
        const struct trace_core *core = &s->t->cores.v[device->cores.v[i]];
        int64_t place = (int64_t)core->y * 100 + core->x;
        // Shifted, so that places below zero come first.
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
    find_columns(&s);
    for (size_t d = 0; d < t->devices.n; d++)
        put_device(&s, &t->devices.v[d]);
    for (int c = 0; c < COLUMNS; c++)
        buf_free(&s.cell[c]);
    for (int r = 0; r < RISCS; r++)
        mem_free(s.column[r]);
    return out_close(&out, e);
}
