// device_log_head.c - parses the first two lines of a device log.
//
// A log is readable even if they are damaged: the rows tell the number of columns, and 15
// or 6 columns have had the same order in every version.
#include "base/data/units.h"
#include "base/text/num.h"

#include "formats/device_log/device_log.h"
#include "formats/diags.h"

static const struct {
    enum log_field field;
    const char *name;
} column_names[] = {
    // clang-format off
    {LOG_CHIP, "PCIe slot"}, {LOG_CHIP, "chip_id"},
    {LOG_X, "core_x"}, {LOG_Y, "core_y"},
    {LOG_RISC, "RISC processor type"},
    {LOG_TIMER_ID, "timer_id"},
    {LOG_TIME, "time[cycles since reset]"},
    {LOG_DATA, "data"}, {LOG_DATA, "stat value"},
    {LOG_RUN, "run host ID"}, {LOG_RUN, "run ID"}, // the first one wins
    {LOG_TRACE, "trace id"}, {LOG_COUNTER, "trace id counter"},
    {LOG_NAME, "zone name"},
    {LOG_TYPE, "type"}, {LOG_TYPE, "zone phase"},
    {LOG_LINE, "source line"}, {LOG_FILE, "source file"}, {LOG_META, "meta data"},
    // clang-format on
};
enum { N_NAMES = sizeof column_names / sizeof *column_names };

enum { LEGACY_COLUMNS = 6, CURRENT_COLUMNS = LOG_FIELDS, LOOK_AT_ROWS = 64 };

static str take_line(str *text)
{
    return str_trim(str_cut(text, '\n'));
}

static size_t count_cells(str line)
{
    size_t n = 1;
    for (size_t i = 0; i < line.n; i++)
        n += line.p[i] == ',';
    return n;
}

static str after_last_colon(str cell)
{
    for (size_t i = cell.n; i-- > 0;)
        if (cell.p[i] == ':')
            return str_trim(str_from(cell, i + 1));
    return str_trim(cell);
}

// "ARCH: blackhole, CHIP_FREQ[MHz]: 1350, Max Compute Cores: 110" and its older forms.
static bool parse_chip(str line, struct trace *t)
{
    if (str_has(line, S("Chip clock is at "))) {
        t->arch = S("grayskull");
        t->mhz = 1200;
        return true;
    }
    if (!str_has(line, S("ARCH")))
        return false;
    t->arch = after_last_colon(str_cut(&line, ','));
    bool ok = num_int(after_last_colon(str_cut(&line, ',')), &t->mhz) && t->mhz > 0 &&
              t->mhz <= MHZ_MOST;
    if (!ok)
        t->mhz = 0;
    str cores = after_last_colon(str_cut(&line, ','));
    if (cores.n && (!num_int(cores, &t->max_compute_cores) || t->max_compute_cores < 0)) {
        t->max_compute_cores = 0;
        ok = false;
    }
    t->dispatch = after_last_colon(str_cut(&line, ',')); // written by ttprof only
    return ok;
}

static void parse_names(str line, struct log_head *h)
{
    int rank[LOG_FIELDS];
    for (int f = 0; f < LOG_FIELDS; f++) {
        h->column[f] = -1;
        rank[f] = N_NAMES;
    }
    h->n_columns = count_cells(line);
    for (int column = 0; (size_t)column < h->n_columns; column++) {
        str name = str_trim(str_cut(&line, ','));
        for (int i = 0; i < N_NAMES; i++) {
            enum log_field f = column_names[i].field;
            if (!str_eq_nocase(name, str_of(column_names[i].name)) || i >= rank[f])
                continue;
            h->column[f] = column;
            rank[f] = i;
            if (f == LOG_TYPE)
                h->has_phases = str_is(str_of(column_names[i].name), "zone phase");
        }
    }
}

static bool has_needed(const struct log_head *h)
{
    for (int f = 0; f < LOG_NEEDED; f++)
        if (h->column[f] < 0)
            return false;
    return true;
}

// Columns that the header does not name are at their usual index, unless it is taken.
static size_t fill_by_place(struct log_head *h, size_t n_columns)
{
    size_t filled = 0;
    for (int f = 0; (size_t)f < n_columns; f++) {
        bool is_taken = false;
        for (int other = 0; other < LOG_FIELDS; other++)
            is_taken |= h->column[other] == f;
        if (h->column[f] < 0 && !is_taken) {
            h->column[f] = f;
            filled++;
        }
    }
    h->n_columns = n_columns;
    return filled;
}

// 6 or 15 if more than half of the first rows have that many cells, else 0.
static size_t columns_of_rows(str text)
{
    size_t legacy = 0, current = 0, rows = 0;
    while (text.n && rows < LOOK_AT_ROWS) {
        str line = take_line(&text);
        if (!line.n)
            continue;
        size_t n = count_cells(line);
        legacy += n == LEGACY_COLUMNS;
        current += n == CURRENT_COLUMNS;
        rows++;
    }
    return 2 * current > rows ? CURRENT_COLUMNS : 2 * legacy > rows ? LEGACY_COLUMNS : 0;
}

// Could these few bytes be the start of a truncated log?
static bool is_cut_head(str text)
{
    static const char *const heads[] = {"ARCH: ", "Chip clock is at ", "PCIe slot",
                                        "chip_id"};
    text = str_trim(text);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        str head = str_of(heads[i]);
        if (text.n &&
            str_starts(text.n < head.n ? head : text, text.n < head.n ? text : head))
            return true;
    }
    return false;
}

bool log_fail(struct err *e)
{
    return err_set(
        e, ERR_FORMAT,
        "line 2: not the column names of a device log (PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], ...), and the rows have neither 15 nor 6 cells; name a profile_log_device.csv");
}

// All logs since 2024 have their columns in one order, except for the ids between data and
// zone name and the presence of metadata.
static bool is_plain_order(struct log_head *h)
{
    const int first_run = LOG_DATA + 1, name = h->column[LOG_NAME];
    for (int f = 0; f <= LOG_DATA; f++)
        if (h->column[f] != f)
            return false;
    for (int f = LOG_RUN; f <= LOG_COUNTER; f++)
        if (h->column[f] >= 0 && (h->column[f] < first_run || h->column[f] >= name))
            return false;
    h->n_run = name - first_run;
    if (h->n_run < 1 || h->n_run > RUN_COLUMNS_MOST || h->column[LOG_RUN] < 0)
        return false;
    for (int f = LOG_NAME; f <= LOG_FILE; f++)
        if (h->column[f] != name + f - LOG_NAME)
            return false;
    int last = h->column[LOG_META] < 0 ? h->column[LOG_FILE] : h->column[LOG_META];
    return h->n_columns == (size_t)last + 1 && last <= h->column[LOG_FILE] + 1;
}

static void odd_head(struct trace *t, uint32_t line, str what)
{
    trace_odd(t, TRACE_NO_TRACK, DIAG_HEADER_ODD, 1, line, str_clip(what, 80));
}

bool log_head_parse(str text, struct trace *t, struct log_head *h, struct err *e)
{
    *h = (struct log_head){0};
    if (str_trim(text).n == 0)
        return err_set(e, ERR_FORMAT, "is empty; the device wrote no log");
    str rest = text;
    if (str_starts(rest, S("\xEF\xBB\xBF")))
        rest = str_from(rest, 3);
    uint32_t n_line = 1;
    str line = take_line(&rest);
    parse_names(line, h);
    bool is_damaged = false;
    if (!has_needed(h)) {
        // The usual case: line 1 is about the chip, line 2 has the names.
        is_damaged = !parse_chip(line, t);
        str first = line;
        n_line = 2;
        line = take_line(&rest);
        parse_names(line, h);
        if (is_damaged)
            odd_head(t, 1, first);
    }
    if (n_line == 1 && h->n_columns == LEGACY_COLUMNS) {
        // The first logs have no line about the chip; there was only one.
        t->arch = S("grayskull");
        t->mhz = 1200;
    }
    h->is_named = has_needed(h);
    size_t place = columns_of_rows(rest);
    if (h->n_columns == CURRENT_COLUMNS || h->n_columns == LEGACY_COLUMNS)
        place = h->n_columns;
    else if (h->is_named && (h->n_columns > CURRENT_COLUMNS || place != CURRENT_COLUMNS))
        place = 0; // another version of the log: its names decide
    // If names and rows disagree, a lost comma has shifted the names.
    if (place && place != h->n_columns)
        for (int f = 0; f < LOG_FIELDS; f++)
            h->column[f] = -1;
    if (place && fill_by_place(h, place))
        odd_head(t, n_line, line);
    if (!has_needed(h)) {
        // Nothing to go by: valid only for a log that ends here.
        if (str_trim(rest).n || !is_cut_head(text))
            return log_fail(e);
        trace_odd(t, TRACE_NO_TRACK, DIAG_LOG_CUT, 1, n_line, str_clip(line, 80));
    }
    h->body = rest.n ? (size_t)(rest.p - text.p) : text.n;
    h->body_line = n_line + 1;
    h->is_plain = is_plain_order(h);
    t->is_legacy = h->n_columns == LEGACY_COLUMNS;
    t->has_trace_columns = h->column[LOG_TRACE] >= 0 && h->column[LOG_COUNTER] >= 0;
    return true;
}
