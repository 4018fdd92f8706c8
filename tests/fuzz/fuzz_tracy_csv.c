// fuzz_tracy_csv.c - any bytes as the tables of a host capture.
#include "formats/diags.h"
#include "formats/ops_table/op_message.h"
#include "formats/tracy/tracy_csv.h"
#include "fuzz.h"

struct seen {
    str text;
    const char *last; // texts come in the order of the table, and none overlaps another
    size_t line, n, n_bytes;
    struct diag d;
};

static bool is_inside(const struct seen *s, str part)
{
    return part.n && part.p >= s->text.p && part.p + part.n <= s->text.p + s->text.n;
}

static void take_zone(void *context, const struct tracy_zone *z)
{
    struct seen *s = context;
    must(is_inside(s, z->name) || z->name.n == 0);
    must(is_inside(s, z->zone_text) || z->zone_text.n == 0);
    must(is_inside(s, z->parent_text) || z->parent_text.n == 0);
    must(is_inside(s, z->thread) || z->thread.n == 0);
    must(z->line > s->line);
    s->line = z->line;
    s->n++;
}

static void take_message(void *context, const struct tracy_message *m)
{
    struct seen *s = context;
    struct op_message op;
    if (is_inside(s, m->text)) {
        must(m->text.p >= s->last);
        s->last = m->text.p + m->text.n;
    }
    must(m->line > s->line);
    s->line = m->line;
    s->n++;
    s->n_bytes += m->text.n;
    (void)op_message_parse(m->text, &op);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct err e = {0};
    struct seen s = {.text = {(const char *)data, size}, .last = (const char *)data};
    if (!tracy_times_read(s.text, &a, take_zone, &s, &s.d, &e))
        must(e.code == ERR_FORMAT);
    must(s.n <= size);
    e = (struct err){0};
    s.line = s.n = 0;
    if (!tracy_data_read(s.text, &a, take_message, &s, &s.d, &e))
        must(e.code == ERR_FORMAT);
    must(s.n_bytes <= size);
    must(s.d.entry[DIAG_MESSAGE_CUT].count <= s.n);
    arena_free(&a);
    return 0;
}
