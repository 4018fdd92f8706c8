// findings.c - the kinds that were counted, in enum order.
#include "table/findings.h"

#include "analyse/diags.h"

struct finding {
    int kind;
    int64_t count;
    const char *first, *what, *remedy;
};

// Finds the next kind that was counted, from *k on.
static bool finding_next(const struct diag *d, int *k, struct finding *f)
{
    for (; *k < DIAG_KINDS; (*k)++) {
        const struct diag_entry *entry = &d->entry[*k];
        if (!entry->count)
            continue;
        int kind = (*k)++;
        *f = (struct finding){.kind = kind,
                              .count = (int64_t)entry->count,
                              .first = entry->first,
                              .what = diag_what(kind),
                              .remedy = diag_remedy(kind)};
        return true;
    }
    return false;
}

static const struct column columns[] = {
    // clang-format off
    {.name = "Finding", .type = CELL_TEXT, .is_left = true, .get = at_z, MEMBER(struct finding, what)},
    {.name = "Count", .type = CELL_INT, .get = at_i64, MEMBER(struct finding, count)},
    {.name = "First seen", .type = CELL_TEXT, .is_left = true, .get = at_z, MEMBER(struct finding, first)},
    {.name = "Remedy", .type = CELL_TEXT, .is_left = true, .get = at_z, MEMBER(struct finding, remedy)},
    // clang-format on
};

struct table findings_table(const struct diag *d, struct arena *a)
{
    struct finding *rows = push_many(a, struct finding, DIAG_KINDS);
    size_t n = 0;
    for (int k = 0; finding_next(d, &k, &rows[n]);)
        n++;
    return (struct table){.id = "diag",
                          .title = "Findings in this data",
                          .columns = columns,
                          .n_columns = sizeof columns / sizeof *columns,
                          .rows = rows,
                          .row_bytes = sizeof *rows,
                          .n_rows = n};
}

void findings_json(const struct diag *d, struct json *j)
{
    struct finding f;
    json_key(j, S("findings"));
    json_open(j, '[');
    for (int k = 0; finding_next(d, &k, &f);) {
        json_newline(j);
        json_open(j, '{');
        json_key_text(j, "kind", str_of(diag_name(f.kind)));
        json_key_int(j, "count", f.count);
        json_key_text(j, "first", str_of(f.first));
        json_key_text(j, "what", str_of(f.what));
        json_key_text(j, "remedy", str_of(f.remedy));
        json_close(j, '}');
    }
    json_close(j, ']');
}

void findings_lines(const struct diag *d, void (*line)(void *context, const char *text),
                    void *context)
{
    struct finding f;
    struct arena a = {0};
    for (int k = 0; finding_next(d, &k, &f);) {
        line(context, arena_printf(&a, "%s: %s (%lld in all): %s", f.first, f.what,
                                   (long long)f.count, f.remedy)
                          .p);
        arena_rewind(&a, (struct arena_mark){0});
    }
    arena_free(&a);
}
