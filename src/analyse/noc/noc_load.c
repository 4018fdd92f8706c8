// noc_load.c - computes report columns from NoC traces.
//
// Utilisation is bytes moved over what could have been moved in the op's time. Nothing is
// simulated, and the time of a transfer within the op plays no part.
#include "analyse/noc/noc_load.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "base/data/map.h"
#include "base/text/num.h"

#include "analyse/diags.h"
#include "analyse/noc/noc_grid.h"
#include "formats/noc/noc_trace_read.h"

enum load_column {
    LOAD_NOC,
    LOAD_MULTICAST,
    LOAD_DRAM,
    LOAD_DRAM_EACH,
    LOAD_ETH,
    LOAD_COLUMNS,
};
static const char *const column_names[LOAD_COLUMNS] = {
    "NOC UTIL (%)",     "MULTICAST NOC UTIL (%)",
    "DRAM BW UTIL (%)", "DRAM BW UTIL PER CTRL (%)",
    "ETH BW UTIL (%)",
};

// --- traffic of a program ----------------------------------------------------------------

struct load {
    double link_bytes, multicast_bytes; // summed over every link passed
    double dram_bytes;
    double controller_bytes[DIE_PLACES_MOST / DIE_PORTS];
    double eth_bytes[DIE_PLACES_MOST];
    uint64_t n_outside; // off the map
};

static void add_dram(struct load *l, const struct noc_grid *g, struct die_place p,
                     double bytes)
{
    int controller = g->controller[p.y][p.x];
    if (controller < 0)
        return;
    l->dram_bytes += bytes;
    l->controller_bytes[controller] += bytes;
}

static void add_write(struct load *l, const struct noc_grid *g, int noc,
                      struct die_place from, struct die_place to, double bytes)
{
    l->link_bytes += bytes * noc_grid_hops(g, noc, from, to);
    add_dram(l, g, to, bytes);
    if (g->channel[to.y][to.x] >= 0)
        l->eth_bytes[g->channel[to.y][to.x]] += bytes;
}

static void add_transfer(struct load *l, const struct noc_grid *g,
                         const struct noc_transfer *t)
{
    struct die_place core = {t->core_x, t->core_y}, to = {t->x, t->y};
    struct die_place end = {t->end_x, t->end_y};
    if (t->kind == NOC_FABRIC && t->x < g->n_channels)
        to = end = g->eth[t->x];
    bool is_known = t->kind != NOC_FABRIC || t->x < g->n_channels;
    if (!is_known || !noc_grid_has(g, core) || !noc_grid_has(g, to) ||
        !noc_grid_has(g, end)) {
        l->n_outside++;
        return;
    }
    double bytes = t->bytes;
    switch ((enum noc_transfer_kind)t->kind) {
    case NOC_READ:
        l->link_bytes += bytes * noc_grid_hops(g, t->noc, to, core);
        add_dram(l, g, to, bytes);
        break;
    case NOC_WRITE:
    case NOC_FABRIC: add_write(l, g, t->noc, core, to, bytes); break;
    case NOC_MULTICAST: {
        double passed = bytes * noc_grid_spread(g, t->noc, core, to, end);
        l->link_bytes += passed;
        l->multicast_bytes += passed;
        break;
    }
    }
}

// --- time of a program -------------------------------------------------------------------

struct span {
    double cycles, ns;
};

// The span of a row's kernels; false: they were not measured.
static bool span_of_row(const struct device_rows *rows, const struct device_row *row,
                        double arch_mhz, struct span *s)
{
    int64_t start = row->v[DEVICE_KERNEL_START], end = row->v[DEVICE_KERNEL_END];
    int64_t ns = row->v[DEVICE_KERNEL];
    int64_t own = device_row_mhz(rows, row);
    double mhz = own > 0 ? (double)own : arch_mhz;
    bool has_cycles = start != DEVICE_NONE && end != DEVICE_NONE && end > start;
    bool has_ns = ns != DEVICE_NONE && ns > 0;
    if (!has_cycles && !has_ns)
        return false;
    double cycles = has_cycles ? (double)(end - start) : (double)ns * mhz / 1000;
    // The runtime's report gives the clock only through both of its numbers.
    bool is_by_clock = has_cycles && (own > 0 || !has_ns);
    s->cycles += cycles;
    s->ns += is_by_clock ? cycles * 1000 / mhz : (double)ns;
    return true;
}

// --- rows --------------------------------------------------------------------------------

struct row_key {
    int64_t device;
    uint64_t op;
    int64_t trace, session;
};

struct loading {
    struct device_rows *rows;
    struct diag *diag;
    struct arena arena;
    struct map keys;
    uint32_t *first_row, *next_row; // row + 1 by key and by row; 0: none
    str *cells[LOAD_COLUMNS];
    struct buf text;
};

static struct row_key make_row_key(int64_t device, uint64_t op, int64_t trace,
                                   int64_t session)
{
    bool has_trace = trace != DEVICE_NO_ID && trace >= 0;
    bool has_session = session != DEVICE_NO_ID && session >= 0;
    return (struct row_key){device, op, has_trace ? trace : -1, has_session ? session : -1};
}

// Executions with the same ids share one trace: they are chained in a list.
static void key_rows(struct loading *l)
{
    size_t n = l->rows->v.n;
    l->first_row = push_many(&l->arena, uint32_t, n + 1);
    l->next_row = push_many(&l->arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct device_row *row = &l->rows->v.v[i];
        struct row_key key = make_row_key(row->device, row->op, row->trace, row->session);
        uint32_t k = map_put_copy(&l->keys, &key, sizeof key, &l->arena);
        l->next_row[i] = l->first_row[k];
        l->first_row[k] = (uint32_t)i + 1;
    }
}

static void cell_put(struct loading *l, enum load_column column, size_t row, str text)
{
    if (!l->cells[column])
        l->cells[column] = push_many(&l->rows->a, str, l->rows->v.n);
    l->cells[column][row] = text;
}

static str percent_text(struct loading *l, double part, double whole)
{
    l->text.n = 0;
    num_put_fixed(&l->text, part / whole * 100, 1, false);
    return arena_str(&l->rows->a, buf_view(&l->text));
}

// "c0:12.5% c3:0.4%": the controllers that were used.
static str controllers_text(struct loading *l, const struct load *load, int n, double whole)
{
    l->text.n = 0;
    for (int c = 0; c < n; c++) {
        if (load->controller_bytes[c] == 0)
            continue;
        buf_printf(&l->text, "%sc%d:", l->text.n ? " " : "", c);
        num_put_fixed(&l->text, load->controller_bytes[c] / whole * 100, 1, false);
        buf_char(&l->text, '%');
    }
    return arena_str(&l->rows->a, l->text.n ? buf_view(&l->text) : S("-"));
}

// "(0;6;9):3.1%": device, row and column of each Ethernet tile that sent data.
static str eth_text(struct loading *l, const struct noc_grid *g, const struct load *load,
                    int64_t device, double whole)
{
    l->text.n = 0;
    for (int y = 0; y < g->size_y; y++) {
        for (int x = 0; x < g->size_x; x++) {
            int channel = g->channel[y][x];
            if (channel < 0 || load->eth_bytes[channel] == 0)
                continue;
            buf_printf(&l->text, "%s(%lld;%d;%d):", l->text.n ? " " : "", (long long)device,
                       y, x);
            num_put_fixed(&l->text, load->eth_bytes[channel] / whole * 100, 1, false);
            buf_char(&l->text, '%');
        }
    }
    return arena_str(&l->rows->a, l->text.n ? buf_view(&l->text) : S("-"));
}

static void fill_row(struct loading *l, size_t row, const struct arch *arch,
                     const struct noc_grid *g, const struct load *load, struct span span)
{
    const int nocs = 2, directions = 2;
    double links = (double)(nocs * directions * g->size_x * g->size_y);
    double link_most = links * g->link_bytes * span.cycles;
    double dram_most = arch->dram_gb_s * span.ns; // GB/s are bytes per ns
    int64_t device = l->rows->v.v[row].device;
    cell_put(l, LOAD_NOC, row, percent_text(l, load->link_bytes, link_most));
    cell_put(l, LOAD_MULTICAST, row, percent_text(l, load->multicast_bytes, link_most));
    if (dram_most > 0 && g->n_controllers) {
        cell_put(l, LOAD_DRAM, row, percent_text(l, load->dram_bytes, dram_most));
        cell_put(l, LOAD_DRAM_EACH, row,
                 controllers_text(l, load, g->n_controllers,
                                  dram_most / (double)g->n_controllers));
    }
    if (arch->eth_gb_s > 0)
        cell_put(l, LOAD_ETH, row, eth_text(l, g, load, device, arch->eth_gb_s * span.ns));
}

// --- files -------------------------------------------------------------------------------

static void count_problem(struct diag *d, int kind, uint64_t n, const char *file)
{
    if (!n)
        return;
    if (diag_count(d, kind))
        diag_note(d, kind, "%s", file);
    d->entry[kind].count += n - 1;
}

static const struct arch *arch_of_row(const struct loading *l, size_t row)
{
    str name = row < l->rows->arch_of.n ? l->rows->arch_of.v[row] : l->rows->arch;
    return arch_find(arch_all(), name.n ? name : l->rows->arch);
}

// Applies a trace to all rows with its ids, over the sum of their times.
static void use_trace(struct loading *l, uint32_t first, const struct noc_trace_file *f,
                      const char *name)
{
    const struct arch *arch = arch_of_row(l, first - 1);
    struct noc_grid grid;
    if (!arch || !noc_grid_make(&grid, arch)) {
        count_problem(l->diag, DIAG_NOC_ARCH, 1, name);
        return;
    }
    struct load load = {0};
    struct span span = {0};
    for (size_t i = 0; i < f->transfers.n; i++)
        add_transfer(&load, &grid, &f->transfers.v[i]);
    count_problem(l->diag, DIAG_NOC_EVENT, load.n_outside, name);
    for (uint32_t r = first; r; r = l->next_row[r - 1])
        (void)span_of_row(l->rows, &l->rows->v.v[r - 1], arch->clock_mhz, &span);
    if (span.cycles == 0 && f->last_time > f->first_time) {
        int64_t own = device_row_mhz(l->rows, &l->rows->v.v[first - 1]);
        double mhz = own > 0 ? (double)own : arch->clock_mhz;
        span.cycles = (double)(f->last_time - f->first_time);
        span.ns = span.cycles * 1000 / mhz;
    }
    if (span.cycles > 0)
        for (uint32_t r = first; r; r = l->next_row[r - 1])
            fill_row(l, r - 1, arch, &grid, &load, span);
}

static void use_file(struct loading *l, const char *folder, const char *name)
{
    struct noc_trace_name ids;
    struct err e = {0};
    struct file file;
    if (!noc_trace_name_parse(str_of(name), &ids)) {
        count_problem(l->diag, DIAG_NOC_FILE, 1, name);
        return;
    }
    struct row_key key = make_row_key(ids.device, ids.op, ids.trace, ids.session);
    uint32_t k = map_get(&l->keys, (str){(const char *)&key, sizeof key});
    if (k == MAP_NONE) {
        count_problem(l->diag, DIAG_NOC_NO_ROW, 1, name);
        return;
    }
    if (!file_open(arena_printf(&l->arena, "%s/%s", folder, name).p, &file, &e)) {
        count_problem(l->diag, DIAG_NOC_FILE, 1, name);
        return;
    }
    struct noc_trace_file f;
    noc_trace_read(&f, file.text);
    count_problem(l->diag, DIAG_NOC_FILE, f.is_damaged || file.damage, name);
    count_problem(l->diag, DIAG_NOC_EVENT, f.n_placeless, name);
    count_problem(l->diag, DIAG_NOC_CUT, f.n_cut, name);
    if (f.n_entries)
        use_trace(l, l->first_row[k], &f, name);
    noc_trace_read_free(&f);
    file_close(&file);
}

static int by_text(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static bool is_trace_file(const char *name)
{
    return str_starts(str_of(name), S("noc_trace_")) && str_ends(str_of(name), S(".json"));
}

bool noc_load_is_there(const char *folder)
{
    DIR *d = opendir(folder);
    bool is_there = false;
    for (const struct dirent *entry; d && !is_there && (entry = readdir(d));)
        is_there = is_trace_file(entry->d_name);
    if (d)
        (void)closedir(d);
    return is_there;
}

static void use_folder(struct loading *l, const char *folder)
{
    VEC(const char *) names = {0};
    DIR *d = opendir(folder);
    if (!d) {
        count_problem(l->diag, DIAG_NOC_FILE, errno != ENOENT, folder);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(d));)
        if (is_trace_file(entry->d_name))
            vec_push(&names, arena_str(&l->arena, str_of(entry->d_name)).p);
    (void)closedir(d);
    if (names.n)
        qsort(names.v, names.n, sizeof *names.v, by_text);
    for (size_t i = 0; i < names.n; i++)
        use_file(l, folder, names.v[i]);
    vec_free(&names);
}

void noc_load_add(struct device_rows *rows, const char *folder, struct diag *d)
{
    struct loading l = {.rows = rows, .diag = d};
    key_rows(&l);
    use_folder(&l, folder);
    for (int c = 0; c < LOAD_COLUMNS; c++)
        if (l.cells[c])
            vec_push(&rows->extra,
                     (struct device_extra){str_of(column_names[c]), l.cells[c]});
    map_free(&l.keys);
    buf_free(&l.text);
    arena_free(&l.arena);
}
