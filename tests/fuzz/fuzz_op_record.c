// fuzz_op_record.c - any bytes as the record of an op: the reader of JSON, the cells,
// records that are cut off, and records that are shortened.
#include <stdlib.h>

#include "base/text/buf.h"

#include "formats/ops_table/op_record.h"
#include "formats/ops_table/python_repr.h"
#include "fuzz.h"
#include "record/format/op_fit.h"

static void check_cell(str cell)
{
    size_t tail;
    must(cell.n == 0 || cell.p);
    must(cell.n == 0 || !memchr(cell.p, ',', cell.n));
    must(str_bad_utf8(cell, 0, &tail) == cell.n && tail == cell.n);
}

static void check_tensors(const struct op_tensor *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++)
            check_cell(v[i].size[k]);
        check_cell(v[i].layout);
        check_cell(v[i].dtype);
        check_cell(v[i].memory);
    }
}

static void check_record(const struct op_record *r)
{
    const str cells[] = {
        r->code,          r->type,           r->attributes,   r->strategy,
        r->fidelity,      r->compute_source, r->compute_hash, r->movement_source,
        r->movement_hash, r->ideal,          r->compute,      r->bandwidth,
        r->input_rates,   r->output_rates};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        check_cell(cells[i]);
    check_tensors(r->inputs, r->n_inputs);
    check_tensors(r->outputs, r->n_outputs);
    for (size_t i = 0; i < r->n_extra; i++) {
        check_cell(r->extra[i].column);
        check_cell(r->extra[i].cell);
    }
    for (size_t i = 0; i < r->n_sizes; i++) {
        check_cell(r->sizes[i].name);
        must(i == 0 || op_kernel_size_order(r->sizes[i - 1].name, r->sizes[i].name) <= 0);
    }
}

// Cut off at some place: nothing is said that the whole does not say.
static void check_part(str text, const struct op_record *all, struct arena *a)
{
    struct op_record r;
    size_t n = text.n ? (size_t)(unsigned char)text.p[text.n / 2] * text.n / 256 : 0;
    op_record_read((str){text.p, n}, a, &r);
    check_record(&r);
    if (all->is_damaged)
        return;
    must(r.is_damaged || str_trim(str_from(text, n)).n == 0);
    must(!r.code.p || all->code.p);
    must(!r.attributes.p || all->attributes.p);
    must(!r.compute_source.p || all->compute_source.p);
    must(!r.has_id || all->has_id);
    must(!r.has_hash || all->has_hash);
}

static bool same_cells(const struct op_record *x, const struct op_record *y)
{
    return x->id == y->id && x->hash == y->hash && x->device == y->device &&
           str_eq(x->code, y->code) && str_eq(x->type, y->type) &&
           str_eq(x->ideal, y->ideal);
}

// Shortened to half its length, or as far as it goes: it can be read as before.
static void check_fit(str text, const struct op_record *all, struct arena *a)
{
    enum op_fit how;
    size_t most = text.n / 2 + 2;
    char *to = malloc(most); // of this size: a byte too many is seen
    size_t n = op_fit(text.p, text.n, to, most, &how);
    must(n <= most && (n == 0) == (how == OP_FIT_NOT));
    must(!n || (n >= 2 && to[0] == '`' && to[n - 1] == '`'));
    if (n && how >= OP_FIT_COMPACT && text.p[0] == '{' && !all->is_damaged) {
        struct buf plain = {0};
        for (size_t i = 1; i < n - 1; i++) {
            buf_char(&plain, to[i]);
            if (to[i] == '`')
                must(to[++i] == '`');
        }
        struct op_record r;
        op_record_read(buf_view(&plain), a, &r);
        must(!r.is_damaged && same_cells(&r, all));
        must(r.n_outputs <= all->n_outputs && r.n_inputs <= all->n_inputs);
        buf_free(&plain);
    }
    free(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct op_record r;
    str text = {(const char *)data, size};
    op_record_read(text, &a, &r);
    check_record(&r);
    check_part(text, &r, &a);
    check_fit(text, &r, &a);
    arena_free(&a);
    return 0;
}
