// tracy_csv_times.c - reads tracy_ops_times.csv: a row for each host zone.
//
// name,src_file,src_line,zone_name,"zone_text",ns_since_start,exec_time_ns,thread[,value],parent
// Only the zone's text is quoted, and nothing is escaped. Most rows have commas only
// between columns and are split there. The others are read from their numbers: three follow
// the text, one precedes the zone's name.
#include "formats/diags.h"
#include "formats/tracy/tracy_csv_parts.h"

enum {
    COLUMNS_MOST = 32,
    NUMBERS = 3,
    FIELDS_MOST = 64, // before the numbers of a row; a line with more is not a row
};

enum column {
    NAME,
    LINE,
    ZONE_NAME,
    ZONE_TEXT,
    START,
    DURATION,
    THREAD,
    VALUE,
    PARENT,
    COLUMNS,
};

static const struct {
    const char *name;
    int usual; // index if there is no header
} columns[COLUMNS] = {
    // clang-format off
    [NAME]      = {"name", 0},
    [LINE]      = {"src_line", 2},
    [ZONE_NAME] = {"zone_name", 3},
    [ZONE_TEXT] = {"zone_text", 4},
    [START]     = {"ns_since_start", 5},
    [DURATION]  = {"exec_time_ns", 6},
    [THREAD]    = {"thread", 7},
    [VALUE]     = {"value", 8},
    [PARENT]    = {"special_parent_text", 8},
    // clang-format on
};

struct reading {
    str text;
    int place[COLUMNS]; // -1: none
    size_t n_columns;
    bool is_usual; // columns are in tt-metal's order
};

static bool is_number(str s)
{
    uint64_t v;
    return s.n && tracy_digits(s, &v) == s.n;
}

// Returns the number of fields; most + 1 if there are more than `most`.
static size_t split_fields(str line, str *fields, size_t most)
{
    size_t n = 0;
    const char *p = line.p, *end = line.n ? p + line.n : p; // NULL + 0 is not defined
    for (;;) {
        const char *comma = p < end ? memchr(p, ',', (size_t)(end - p)) : NULL;
        if (n == most)
            return n + 1;
        fields[n++] = (str){p, (size_t)((comma ? comma : end) - p)};
        if (!comma)
            return n;
        p = comma + 1;
    }
}

static str strip_quotes(str s)
{
    bool is_quoted = s.n >= 2 && s.p[0] == '"' && s.p[s.n - 1] == '"';
    return is_quoted ? (str){s.p + 1, s.n - 2} : s;
}

// --- regular rows ---

static str field_at(const struct reading *g, const str *fields, enum column c)
{
    return g->place[c] >= 0 ? fields[g->place[c]] : (str){"", 0};
}

static bool take_numbers(str start, str duration, struct tracy_zone *z)
{
    return start.n && duration.n && tracy_digits(start, &z->start) == start.n &&
           tracy_digits(duration, &z->duration) == duration.n;
}

// A quoted text must be a whole field; otherwise its commas look like columns.
static bool is_whole_text(str s)
{
    return !s.n || !memchr(s.p, '"', s.n) || strip_quotes(s).n + 2 == s.n;
}

static bool take_regular(const struct reading *g, str line, struct tracy_zone *z)
{
    str fields[COLUMNS_MOST];
    if (split_fields(line, fields, g->n_columns) != g->n_columns)
        return false;
    str text = field_at(g, fields, ZONE_TEXT);
    z->name = fields[g->place[NAME]];
    z->zone_name = field_at(g, fields, ZONE_NAME);
    z->zone_text = strip_quotes(text);
    z->thread = field_at(g, fields, THREAD);
    z->parent_text = field_at(g, fields, PARENT);
    return is_whole_text(text) &&
           take_numbers(field_at(g, fields, START), field_at(g, fields, DURATION), z);
}

// --- rows with commas, quotes or line ends in their texts ---

// The numbers after a zone's text: ",<start>,<duration>,<thread>" and the end of the row or
// another comma. Returns their length in bytes, 0: something else.
static size_t numbers_at(str s, struct tracy_zone *z)
{
    uint64_t v[NUMBERS];
    size_t at = 0, field = 0;
    for (int i = 0; i < NUMBERS; i++) {
        if (at >= s.n || s.p[at] != ',')
            return 0;
        size_t n = tracy_digits(str_from(s, at + 1), &v[i]);
        if (n == 0)
            return 0;
        field = at + 1;
        at += 1 + n;
    }
    if (at < s.n && s.p[at] != ',' && s.p[at] != '\n' && s.p[at] != '\r')
        return 0;
    z->start = v[0];
    z->duration = v[1];
    z->thread = (str){s.p + field, at - field};
    return at;
}

// name,src_file,src_line,zone_name: the line number is the last field that is a number.
static bool take_front(str front, struct tracy_zone *z)
{
    str fields[FIELDS_MOST];
    size_t n = split_fields(front, fields, FIELDS_MOST);
    if (n < 4 || n > FIELDS_MOST)
        return false;
    size_t line = n - 2;
    while (line >= 2 && !is_number(fields[line]))
        line--;
    if (line < 2)
        return false;
    const char *name_end = fields[line - 2].p + fields[line - 2].n;
    const char *zone_name = fields[line + 1].p;
    z->name = strip_quotes((str){front.p, (size_t)(name_end - front.p)});
    z->zone_name = (str){zone_name, (size_t)(front.p + front.n - zone_name)};
    return true;
}

// Does a row start here? A zone text that lost its end runs into it.
static bool is_row(str line)
{
    str fields[5];
    struct tracy_zone z;
    size_t n = split_fields(line, fields, 5);
    if (n < 5 || !fields[0].n || memchr(fields[0].p, '"', fields[0].n) ||
        !is_number(fields[2]))
        return false;
    if (str_starts(fields[4], S("\"")))
        return true;
    const char *behind = fields[4].p + fields[4].n;
    return fields[4].n == 0 &&
           numbers_at((str){behind, (size_t)(line.p + line.n - behind)}, &z);
}

// Finds the quote that ends a zone's text, followed by its numbers. *stop is where to
// continue if there is none: at a line that is a row, or at the end.
static size_t find_text_end(str text, size_t from, struct tracy_zone *z, size_t *stop,
                            size_t *numbers)
{
    size_t checked = from; // lines starting before this are not rows
    for (size_t at = from; at < text.n; at++) {
        const char *p = memchr(text.p + at, '"', text.n - at);
        size_t quote = p ? (size_t)(p - text.p) : text.n;
        const char *end;
        while (checked < quote && (end = memchr(text.p + checked, '\n', quote - checked))) {
            checked = (size_t)(end - text.p) + 1;
            size_t next;
            if (is_row(tracy_line(text, checked, &next))) {
                *stop = checked;
                return STR_NOT_FOUND;
            }
        }
        checked = quote;
        if (p && (*numbers = numbers_at(str_from(text, quote + 1), z)) > 0)
            return quote;
        at = quote;
    }
    *stop = text.n;
    return STR_NOT_FOUND;
}

// The value is empty, or the zone's text again, whatever it contains. Returns where the
// parent's text starts.
static size_t pass_value(str text, size_t at, str zone_text)
{
    size_t next, end = at + zone_text.n;
    if (zone_text.n && str_starts(str_from(text, at), zone_text) && end < text.n &&
        text.p[end] == ',')
        return end + 1;
    str line = tracy_line(text, at, &next);
    if (str_starts(line, S(",")))
        return at + 1;
    const char *comma = line.n ? memrchr(line.p, ',', line.n) : NULL;
    return comma ? (size_t)(comma - text.p) + 1 : at;
}

// What follows the numbers: [,value],parent. The parent's text may be the zone's, too.
// Returns where the next row starts.
static size_t take_back(const struct reading *g, size_t at, struct tracy_zone *z)
{
    size_t next;
    if (at < g->text.n && g->text.p[at] == ',')
        at++;
    if (g->place[VALUE] >= 0)
        at = pass_value(g->text, at, z->zone_text);
    z->parent_text = tracy_line(g->text, at, &next);
    if (z->parent_text.n && z->zone_text.n &&
        str_starts(str_from(g->text, at), z->zone_text)) {
        size_t after;
        str rest = tracy_line(g->text, at + z->zone_text.n, &after);
        if (rest.n == 0) {
            z->parent_text = z->zone_text;
            next = after;
        }
    }
    return next;
}

// A row whose zone has a text. Returns where the next row starts, 0: not such a row.
static size_t take_quoted_zone(const struct reading *g, size_t at, str line,
                               struct tracy_zone *z, size_t *stop)
{
    size_t from = 0;
    for (int tries = 0; tries < FIELDS_MOST && from < line.n; tries++) {
        size_t quote = str_find(str_from(line, from), S(",\""));
        if (quote == STR_NOT_FOUND)
            return 0;
        from += quote + 2;
        if (!take_front((str){line.p, from - 2}, z))
            continue;
        size_t start = at + from, numbers = 0;
        size_t end = find_text_end(g->text, start, z, stop, &numbers);
        if (end == STR_NOT_FOUND)
            return 0;
        z->zone_text = (str){g->text.p + start, end - start};
        return take_back(g, end + 1 + numbers, z);
    }
    return 0;
}

// A row whose zone has no text: numbers follow an empty field.
static size_t take_plain_zone(const struct reading *g, size_t at, str line,
                              struct tracy_zone *z)
{
    size_t from = 0;
    for (int tries = 0; tries < FIELDS_MOST && from < line.n; tries++) {
        size_t comma = str_find(str_from(line, from), S(",,"));
        if (comma == STR_NOT_FOUND)
            return 0;
        from += comma + 1;
        size_t numbers = numbers_at(str_from(line, from), z);
        if (numbers && take_front((str){line.p, from - 1}, z)) {
            z->zone_text = (str){"", 0};
            return take_back(g, at + from + numbers, z);
        }
    }
    return 0;
}

// --- the table ---

static void take_places(struct reading *g, str header)
{
    str fields[COLUMNS_MOST];
    g->n_columns = split_fields(header, fields, COLUMNS_MOST);
    if (g->n_columns > COLUMNS_MOST)
        g->n_columns = COLUMNS_MOST;
    g->is_usual = true;
    for (int c = 0; c < COLUMNS; c++) {
        g->place[c] = -1;
        for (size_t i = 0; i < g->n_columns; i++)
            if (str_is(str_trim(strip_quotes(fields[i])), columns[c].name))
                g->place[c] = (int)i;
        if (c <= THREAD)
            g->is_usual &= g->place[c] == columns[c].usual;
    }
    // Exporters without the fork's columns put the zone's text there.
    if (g->place[ZONE_TEXT] < 0)
        g->place[ZONE_TEXT] = g->place[VALUE];
}

// Without a header, the first row tells the version.
static void take_usual_places(struct reading *g, str row)
{
    str fields[COLUMNS_MOST];
    bool has_value = split_fields(row, fields, COLUMNS_MOST) > 9;
    for (int c = 0; c < COLUMNS; c++)
        g->place[c] = columns[c].usual;
    g->place[VALUE] = has_value ? 8 : -1;
    g->place[PARENT] = has_value ? 9 : 8;
    g->n_columns = has_value ? 10 : 9;
    g->is_usual = true;
}

static size_t take_row(const struct reading *g, size_t at, struct tracy_zone *z,
                       size_t *next)
{
    str line = tracy_line(g->text, at, next);
    if (take_regular(g, line, z))
        return *next;
    if (!g->is_usual)
        return 0;
    size_t stop = *next;
    size_t end = take_quoted_zone(g, at, line, z, &stop);
    if (!end)
        end = take_plain_zone(g, at, line, z);
    *next = stop;
    return end;
}

static void read_rows(const struct reading *g, size_t at, size_t line, tracy_zone_fn *take,
                      void *context, struct diag *d)
{
    while (at < g->text.n) {
        struct tracy_zone z = {.line = line};
        size_t next, end = take_row(g, at, &z, &next);
        str first = tracy_line(g->text, at, &(size_t){0});
        if (end)
            take(context, &z);
        else if (first.n && diag_count(d, DIAG_CAPTURE_ROW))
            tracy_note(d, DIAG_CAPTURE_ROW, TRACY_TIMES, line, first);
        if (!end)
            end = next;
        line += tracy_lines((str){g->text.p + at, end - at});
        at = end;
    }
}

bool tracy_times_read(str text, struct arena *a, tracy_zone_fn *take, void *context,
                      struct diag *d, struct err *e)
{
    (void)a; // all texts are views
    struct reading g = {.text = tracy_without_mark(text)};
    size_t next;
    str first = tracy_line(g.text, 0, &next);
    take_places(&g, first);
    bool has_header = g.place[NAME] >= 0 && g.place[START] >= 0 && g.place[DURATION] >= 0;
    if (has_header) {
        read_rows(&g, next, 2, take, context, d);
        return true;
    }
    if (first.n && !is_row(first))
        return err_set(
            e, ERR_FORMAT,
            "is not a table of host zones: its first line should name the columns name, zone_text, ns_since_start and exec_time_ns; name the tracy_ops_times.csv of the run");
    if (diag_count(d, DIAG_CAPTURE_HEADER))
        tracy_note(d, DIAG_CAPTURE_HEADER, TRACY_TIMES, 1, first);
    take_usual_places(&g, first);
    read_rows(&g, 0, 1, take, context, d);
    return true;
}
