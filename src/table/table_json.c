// table_json.c - a table as JSON, for programs and for pages.
#include <math.h>

#include "base/text/num.h"

#include "table/table.h"

// An empty cell in a file turns a column of counts into floats; write them as counts.
static void put_real(struct json *j, const struct column *c, double v)
{
    bool is_count = c->type == CELL_INT && fabs(v) < 9e15 && trunc(v) == v;
    if (is_count)
        json_int(j, (int64_t)v);
    else
        json_double(j, v);
}

// Texts in a column of numbers become numbers if they parse as numbers.
static void put_text(struct json *j, const struct column *c, str s)
{
    int64_t i;
    double d;
    bool is_number = c->type == CELL_INT || c->type == CELL_REAL;
    if (is_number && num_int(s, &i))
        json_int(j, i);
    else if (is_number && num_real(s, &d))
        json_double(j, d);
    else
        json_text(j, s);
}

// A number in a column of texts, such as a hash, stays a text: readers would convert it to
// a double.
static void put_int(struct json *j, const struct column *c, int64_t v)
{
    char digits[24];
    if (c->type == CELL_TEXT)
        json_text(j, (str){digits, (size_t)(num_write(digits, (uint64_t)v) - digits)});
    else
        json_int(j, v);
}

static void put_json_cell(struct json *j, const struct column *c, struct cell cell)
{
    switch (cell.kind) {
    case CELL_NONE: json_none(j); break;
    case CELL_BOOL: json_bool(j, cell.b); break;
    case CELL_INT: put_int(j, c, cell.i); break;
    case CELL_REAL: put_real(j, c, cell.d); break;
    case CELL_TEXT: put_text(j, c, cell.s); break;
    }
}

// The page does not repeat a unit that is part of the name.
static enum unit unit_of(const struct column *c, enum json_rows form)
{
    str name = str_of(c->name);
    bool is_told = str_ends(name, S("]")) || str_ends(name, S(")"));
    return form == JSON_ARRAYS && is_told ? UNIT_NONE : c->unit;
}

static void put_columns(const struct table *t, enum json_rows form, struct json *j)
{
    static const char *const types[] = {[CELL_NONE] = "text",
                                        [CELL_BOOL] = "bool",
                                        [CELL_INT] = "int",
                                        [CELL_REAL] = "real",
                                        [CELL_TEXT] = "text"};
    json_key(j, S("columns"));
    json_open(j, '[');
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct column *c = &t->columns[i];
        json_newline(j);
        json_open(j, '{');
        json_key_text(j, "name", str_of(c->name));
        json_key_text(j, "type", str_of(types[c->type]));
        json_key_text(j, "unit", str_of(unit_text(unit_of(c, form))));
        json_key_int(j, "decimals", c->decimals);
        json_key(j, S("detail"));
        json_bool(j, c->is_detail);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_members(const struct row *r, struct json *j)
{
    const struct table *t = r->table;
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct column *c = &t->columns[i];
        json_key(j, str_of(c->name));
        if (c->json)
            c->json(r, j);
        else
            put_json_cell(j, c, row_cell(r, c));
    }
}

static void put_items(const struct row *r, struct json *j)
{
    const struct table *t = r->table;
    for (size_t i = 0; i < t->n_columns; i++)
        put_json_cell(j, &t->columns[i], row_cell(r, &t->columns[i]));
}

void table_json_members(const struct table *t, size_t i, struct json *j)
{
    struct arena scratch = {0};
    struct row r = row_open(t, i, &scratch);
    put_members(&r, j);
    arena_free(&scratch);
}

void table_json_rows(const struct table *t, enum json_rows form, struct json *j,
                     struct out *o)
{
    struct arena scratch = {0};
    json_open(j, '[');
    for (size_t i = 0; i < t->n_rows; i++) {
        struct row r = row_open(t, table_row(t, i), &scratch);
        json_newline(j);
        json_open(j, form == JSON_OBJECTS ? '{' : '[');
        if (form == JSON_OBJECTS)
            put_members(&r, j);
        else
            put_items(&r, j);
        json_close(j, form == JSON_OBJECTS ? '}' : ']');
        arena_rewind(&scratch, (struct arena_mark){0});
        out_flush_some(o);
    }
    json_close(j, ']');
    arena_free(&scratch);
}

void table_json(const struct table *t, enum json_rows form, struct json *j, struct out *o)
{
    json_open(j, '{');
    json_key_text(j, "id", str_of(t->id));
    json_key_text(j, "title", str_of(t->title));
    put_columns(t, form, j);
    json_key(j, S("rows"));
    table_json_rows(t, form, j, o);
    json_close(j, '}');
}
