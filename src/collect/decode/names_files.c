// names_files.c - reads and writes names: the compiler's logs and zone_ids.csv.
#include <stdlib.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/text/csv.h"
#include "base/text/num.h"

#include "collect/decode/names.h"

#define PRAGMA "#pragma message: "
#define TAIL   ",KERNEL_PROFILER"

// --- logs ------------------------------------------------------------------------------

// Finds the location in a line of a log, without its quotes: ', ", U+2018 and U+2019 are
// all in use. False: the line is not about a marker.
static bool find_location(str line, str *location)
{
    str rest;
    if (!str_after(line, S(PRAGMA), &rest))
        return false;
    size_t end = str_find(rest, S(TAIL));
    if (end != STR_NOT_FOUND) {
        *location = (str){rest.p, end + sizeof TAIL - 1};
        return true;
    }
    // Only the quote marks its end.
    static const char *const quotes[] = {"'", "\"", "\xE2\x80\x99"};
    rest = str_trim(rest);
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++)
        if (str_ends(rest, str_of(quotes[i]))) {
            rest.n -= strlen(quotes[i]);
            break;
        }
    *location = rest;
    return true;
}

void names_read_log(struct zone_names *n, str text)
{
    while (text.n) {
        str line = str_cut(&text, '\n'), location;
        if (find_location(line, &location))
            names_add_hashed(n, location);
    }
}

bool names_write_log(const struct zone_names *n, const char *path, struct err *e)
{
    struct map there = {0};
    struct arena a = {0};
    struct file f = {0};
    struct out out;
    bool is_cut = false;
    if (access(path, F_OK) == 0) {
        if (!file_open(path, &f, e))
            return false;
        is_cut = f.text.n && f.text.p[f.text.n - 1] != '\n';
        for (str text = f.text, location; text.n;)
            if (find_location(str_cut(&text, '\n'), &location))
                (void)map_put(&there, location);
    }
    bool ok = out_append(&out, path, e);
    for (size_t i = 0; ok && i < n->v.n; i++) {
        const struct zone_name *z = &n->v.v[i];
        str s = arena_printf(&a, "%.*s,%.*s,%lld" TAIL, STR(z->name), STR(z->file),
                             (long long)z->line);
        // Several ids may share a location; its line is written once.
        if (map_get(&there, s) != MAP_NONE)
            continue;
        (void)map_put(&there, s);
        if (is_cut)
            buf_char(&out.b, '\n');
        is_cut = false;
        buf_printf(&out.b, "'" PRAGMA "%.*s'\n", STR(s));
        out_flush_some(&out);
    }
    ok = ok && out_close(&out, e);
    map_free(&there);
    arena_free(&a);
    file_close(&f);
    return ok;
}

// --- zone_ids.csv ----------------------------------------------------------------------

enum { IDS_ID, IDS_NAME, IDS_LINE, IDS_FILE, IDS_COLUMNS };
static const char *const ids_columns[IDS_COLUMNS] = {"id", "name", "line", "file"};

struct ids {
    struct zone_names *n;
    str text;
    struct arena arena;
};

static void take_ids(void *context, const struct csv_rows *rows)
{
    struct ids *ids = context;
    for (size_t r = 0; r < rows->n; r++) {
        str cell[IDS_COLUMNS];
        int64_t id, line;
        for (int c = 0; c < IDS_COLUMNS; c++)
            cell[c] = csv_unquote(csv_raw(ids->text, rows->col[c][r]), &ids->arena);
        bool ok = num_int(cell[IDS_ID], &id) && id >= 0 && id <= UINT16_MAX;
        if (ok && num_int(cell[IDS_LINE], &line) && line >= 0)
            names_add_assigned(ids->n, (uint32_t)id, cell[IDS_NAME], cell[IDS_FILE], line);
        else if (ids->n->n_malformed++ == 0)
            buf_printf(
                &ids->n->warnings,
                "zone_ids.csv: line %zu: not a 16-bit id and a line number; skipped\n",
                csv_line_of(ids->text, rows->at[r]));
    }
}

bool names_read_ids(struct zone_names *n, str text, struct err *e)
{
    struct ids ids = {.n = n, .text = text};
    struct csv_header h;
    int from[IDS_COLUMNS];
    bool ok = csv_header(text, &ids.arena, &h, e);
    for (int c = 0; ok && c < IDS_COLUMNS; c++) {
        from[c] = csv_find(&h, str_of(ids_columns[c]));
        if (from[c] < 0)
            ok = err_set(e, ERR_FORMAT, "line %zu: missing column '%s'", h.line,
                         ids_columns[c]);
    }
    struct csv_plan plan = {
        .from = from, .n_slots = IDS_COLUMNS, .take = take_ids, .context = &ids};
    ok = ok && csv_scan(text, &h, &plan, CSV_FAST, e);
    arena_free(&ids.arena);
    return ok;
}

static int by_id(const void *a, const void *b)
{
    const struct zone_name *const *x = a, *const *y = b;
    if ((*x)->id != (*y)->id)
        return (*x)->id < (*y)->id ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

bool names_write_ids(const struct zone_names *n, const char *path, struct err *e)
{
    struct out out;
    if (!out_open(&out, path, e))
        return false;
    const struct zone_name **list = mem_alloc(mem_bytes(sizeof *list, n->v.n + 1));
    size_t n_list = 0;
    for (size_t i = 0; i < n->v.n; i++)
        if (n->v.v[i].is_assigned)
            list[n_list++] = &n->v.v[i];
    qsort(list, n_list, sizeof *list, by_id);
    buf_z(&out.b, "id,name,line,file\n");
    for (size_t i = 0; i < n_list; i++) {
        buf_printf(&out.b, "%u,", list[i]->id);
        csv_put(&out.b, list[i]->name);
        buf_printf(&out.b, ",%lld,", (long long)list[i]->line);
        csv_put(&out.b, list[i]->file);
        buf_char(&out.b, '\n');
        out_flush_some(&out);
    }
    mem_free(list);
    return out_close(&out, e);
}
