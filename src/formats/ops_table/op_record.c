// op_record.c - reads the record of an op, key by key.
//
// Keys come in any order; known keys are in a table. A value of an unexpected kind is
// printed as it is, or dropped if the key has parts.
#include "formats/ops_table/op_record.h"

#include <math.h>
#include <stdlib.h>

#include "base/data/vec.h"

#include "formats/ops_table/python_repr.h"

typedef VEC(struct op_tensor) tensors;
enum kernel_list {
    COMPUTE_SOURCE,
    COMPUTE_HASH,
    MOVEMENT_SOURCE,
    MOVEMENT_HASH,
    KERNEL_LISTS
};

struct reading {
    struct json_read j;
    struct arena *a;
    struct op_record *r;
    tensors inputs, optional, outputs;
    uint64_t n_inputs_said, n_optional_said;
    VEC(struct op_kernel_size) sizes;
    VEC(struct op_extra) extra;
    bool has_kernels;
    struct buf lists[KERNEL_LISTS]; // without their brackets
    str fidelity;
};

static str take_cell_text(struct reading *g)
{
    return python_cell(&g->j, g->a);
}

// A truncated value does not replace what another key gave.
static void take_cell(struct reading *g, str *to)
{
    str c = take_cell_text(g);
    if (c.p)
        *to = c;
}

static str to_upper(struct reading *g, str s, char underscore)
{
    char *to = push_many(g->a, char, s.n + 1);
    for (size_t i = 0; i < s.n; i++)
        to[i] = s.p[i] == '_'                    ? underscore
                : s.p[i] >= 'a' && s.p[i] <= 'z' ? (char)(s.p[i] - 'a' + 'A')
                                                 : s.p[i];
    return (str){to, s.n};
}

// Enters an object or array; skips anything else.
static bool enter_kind(struct reading *g, enum json_kind kind)
{
    if (json_peek(&g->j) != kind) {
        json_skip(&g->j);
        return false;
    }
    return json_enter(&g->j, kind == JSON_KIND_OBJECT ? '{' : '[');
}

// --- tensors ---

static void take_shape(struct reading *g, struct op_tensor *t)
{
    static const char letters[] = "WZYX";
    str key;
    if (!enter_kind(g, JSON_KIND_OBJECT))
        return;
    while (json_member(&g->j, &key)) {
        const char *at = key.n == 1 ? strchr(letters, key.p[0]) : NULL;
        if (at && *at)
            take_cell(g, &t->size[at - letters]);
        else
            json_skip(&g->j);
    }
}

struct memory {
    str device, buffer, layout;
};

static void take_config(struct reading *g, struct memory *m)
{
    str key;
    if (!enter_kind(g, JSON_KIND_OBJECT))
        return;
    while (json_member(&g->j, &key)) {
        if (str_is(key, "buffer_type"))
            take_cell(g, &m->buffer);
        else if (str_is(key, "memory_layout"))
            take_cell(g, &m->layout);
        else
            json_skip(&g->j);
    }
}

static void take_storage(struct reading *g, struct op_tensor *t)
{
    struct memory m = {0};
    str key;
    if (json_peek(&g->j) != JSON_KIND_OBJECT) {
        take_cell(g, &t->memory);
        return;
    }
    for (json_enter(&g->j, '{'); json_member(&g->j, &key);) {
        if (str_is(key, "device_id"))
            take_cell(g, &m.device);
        else if (str_is(key, "memory_config"))
            take_config(g, &m);
        else
            json_skip(&g->j);
    }
    if (m.device.p && m.buffer.p && m.layout.p) {
        m.buffer = to_upper(g, m.buffer, '_');
        m.layout = to_upper(g, m.layout, '_');
        t->memory = arena_printf(g->a, "DEV_%.*s_%.*s_%.*s", STR(m.device), STR(m.buffer),
                                 STR(m.layout));
    }
}

static void take_tensor(struct reading *g, struct op_tensor *t)
{
    str key;
    if (!enter_kind(g, JSON_KIND_OBJECT))
        return;
    while (json_member(&g->j, &key)) {
        if (str_is(key, "shape"))
            take_shape(g, t);
        else if (str_is(key, "layout"))
            take_cell(g, &t->layout);
        else if (str_is(key, "dtype"))
            take_cell(g, &t->dtype);
        else if (str_is(key, "storage_type"))
            take_storage(g, t);
        else
            json_skip(&g->j);
    }
}

static bool tensor_is_empty(const struct op_tensor *t)
{
    return !t->layout.p && !t->dtype.p && !t->memory.p && !t->size[0].p && !t->size[1].p &&
           !t->size[2].p && !t->size[3].p;
}

static void take_tensors(struct reading *g, tensors *to)
{
    to->n = 0; // a repeated key counts once
    g->r->has_tensors = true;
    if (!enter_kind(g, JSON_KIND_ARRAY))
        return;
    while (json_element(&g->j)) {
        struct op_tensor t = {0};
        take_tensor(g, &t);
        if (!g->j.is_bad || !tensor_is_empty(&t))
            vec_push(to, t);
    }
}

static void take_inputs(struct reading *g)
{
    take_tensors(g, &g->inputs);
}
static void take_optional(struct reading *g)
{
    take_tensors(g, &g->optional);
}
static void take_outputs(struct reading *g)
{
    take_tensors(g, &g->outputs);
}

static void take_n_inputs(struct reading *g)
{
    (void)json_take_unsigned(&g->j, &g->n_inputs_said);
}
static void take_n_optional(struct reading *g)
{
    (void)json_take_unsigned(&g->j, &g->n_optional_said);
}
static void take_n_outputs(struct reading *g)
{
    (void)json_take_unsigned(&g->j, &g->r->n_outputs_said);
}

// --- kernels ---

static void list_add(struct reading *g, struct buf *list)
{
    size_t before = list->n;
    if (list->n)
        buf_str(list, S(", "));
    if (!python_repr(&g->j, list))
        list->n = before;
}

static void take_kernel(struct reading *g, bool is_compute)
{
    str key;
    struct buf *source = &g->lists[is_compute ? COMPUTE_SOURCE : MOVEMENT_SOURCE];
    struct buf *hash = &g->lists[is_compute ? COMPUTE_HASH : MOVEMENT_HASH];
    if (!enter_kind(g, JSON_KIND_OBJECT))
        return;
    while (json_member(&g->j, &key)) {
        if (str_is(key, "source") || str_is(key, "path")) // path: 2024
            list_add(g, source);
        else if (str_is(key, "name"))
            list_add(g, hash);
        else if (is_compute && str_is(key, "math_fidelity"))
            take_cell(g, &g->fidelity);
        else
            json_skip(&g->j);
    }
}

static void take_kernels(struct reading *g, bool is_compute)
{
    if (!enter_kind(g, JSON_KIND_ARRAY))
        return;
    while (json_element(&g->j))
        take_kernel(g, is_compute);
}

static void take_size(struct reading *g, str key)
{
    static const str suffix = {" MAX KERNEL SIZE", sizeof " MAX KERNEL SIZE" - 1};
    struct arena scratch = {0};
    str name = to_upper(g, python_cell_of(json_unescape(key, &scratch), g->a), ' ');
    str bytes = take_cell_text(g);
    arena_free(&scratch);
    if (!bytes.p)
        return;
    if (str_ends(name, suffix)) {
        name.n -= suffix.n;
        vec_push(&g->sizes, (struct op_kernel_size){name, bytes});
    } else {
        str column = arena_printf(g->a, "%.*s [B]", STR(name));
        vec_push(&g->extra, (struct op_extra){column, bytes});
    }
}

static void take_sizes(struct reading *g)
{
    str key;
    g->sizes.n = 0;
    if (!enter_kind(g, JSON_KIND_OBJECT))
        return;
    while (json_member(&g->j, &key))
        take_size(g, key);
}

static void take_kernel_info(struct reading *g)
{
    str key;
    if (!enter_kind(g, JSON_KIND_OBJECT))
        return;
    g->has_kernels = true;
    for (int i = 0; i < KERNEL_LISTS; i++)
        g->lists[i].n = 0;
    while (json_member(&g->j, &key)) {
        if (str_is(key, "compute_kernels"))
            take_kernels(g, true);
        else if (str_is(key, "datamovement_kernels"))
            take_kernels(g, false);
        else if (str_is(key, "kernel_sizes"))
            take_sizes(g);
        else
            json_skip(&g->j);
    }
}

// --- the other keys ---

static void take_compute_ns(struct reading *g)
{
    struct json_read again = g->j;
    double v;
    take_cell(g, &g->r->compute);
    if (!g->j.is_bad && json_take_real(&again, &v))
        g->r->compute_ns = v;
}

static void take_model(struct reading *g)
{
    struct op_record *r = g->r;
    const struct {
        const char *key;
        str *to;
    } keys[] = {{"ideal_ns", &r->ideal},
                {"bandwidth_ns", &r->bandwidth},
                {"input_bws", &r->input_rates},
                {"output_bws", &r->output_rates}};
    enum { N = sizeof keys / sizeof keys[0] };
    str key;
    if (!enter_kind(g, JSON_KIND_OBJECT))
        return;
    while (json_member(&g->j, &key)) {
        size_t i = 0;
        while (i < N && !str_is(key, keys[i].key))
            i++;
        if (i < N)
            take_cell(g, keys[i].to);
        else if (str_is(key, "compute_ns"))
            take_compute_ns(g);
        else
            json_skip(&g->j);
    }
}

static void take_id(struct reading *g)
{
    g->r->has_id |= json_take_unsigned(&g->j, &g->r->id);
}
static void take_device(struct reading *g)
{
    g->r->has_device |= json_take_int(&g->j, &g->r->device);
}
static void take_hash(struct reading *g)
{
    g->r->has_hash |= json_take_unsigned(&g->j, &g->r->hash);
}
// The same hash again, or the only one.
static void take_program_hash(struct reading *g)
{
    if (g->r->has_hash)
        json_skip(&g->j);
    else
        take_hash(g);
}
static void take_hit(struct reading *g)
{
    uint64_t number;
    if (json_peek(&g->j) != JSON_KIND_NUMBER) {
        g->r->has_hit |= json_take_bool(&g->j, &g->r->is_hit);
    } else if (json_take_unsigned(&g->j, &number)) {
        g->r->has_hit = true;
        g->r->is_hit = number != 0;
    }
}
static void take_code(struct reading *g)
{
    take_cell(g, &g->r->code);
}
static void take_type(struct reading *g)
{
    take_cell(g, &g->r->type);
}
static void take_attributes(struct reading *g)
{
    take_cell(g, &g->r->attributes);
}
static void take_strategy(struct reading *g)
{
    take_cell(g, &g->r->strategy);
}

static const struct {
    const char *key;
    void (*take)(struct reading *g);
} keys[] = {
    {"attributes", take_attributes},
    {"device_id", take_device},
    {"global_call_count", take_id},
    {"input_tensors", take_inputs},
    {"input_tensors_original_count", take_n_inputs},
    {"kernel_info", take_kernel_info},
    {"op_code", take_code},
    {"op_hash", take_hash},
    {"op_type", take_type},
    {"optional_input_tensors", take_optional},
    {"optional_input_tensors_original_count", take_n_optional},
    {"output_tensors", take_outputs},
    {"output_tensors_original_count", take_n_outputs},
    {"parallelization_strategy", take_strategy},
    {"performance_model", take_model},
    {"program_cache_hit", take_hit},
    {"program_hash", take_program_hash},
};

static void take_extra(struct reading *g, str key)
{
    struct arena scratch = {0};
    str column = to_upper(g, python_cell_of(json_unescape(key, &scratch), g->a), ' ');
    str value = take_cell_text(g);
    arena_free(&scratch);
    if (value.p)
        vec_push(&g->extra, (struct op_extra){column, value});
}

static void take_member(struct reading *g, str key)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (str_is(key, keys[i].key)) {
            keys[i].take(g);
            return;
        }
    }
    take_extra(g, key);
}

// --- the order of kernel sizes ---

// "TENSIX DM 0" is number 0 of class "TENSIX DM"; "BRISC" is of class "BRISC".
static str size_class(str name, int64_t *index)
{
    size_t n = name.n;
    uint64_t v = 0, unit = 1;
    while (n && name.p[n - 1] >= '0' && name.p[n - 1] <= '9' && name.n - n < 9) {
        v += unit * (uint64_t)(name.p[--n] - '0');
        unit *= 10;
    }
    *index = (int64_t)v;
    return n && n < name.n && name.p[n - 1] == ' ' ? (str){name.p, n - 1} : name;
}

static size_t class_rank(str class)
{
    // The last four were used until early 2025.
    static const char *const order[] = {"TENSIX DM",   "TENSIX COMPUTE", "ACTIVE ETH DM",
                                        "IDLE ETH DM", "BRISC",          "NCRISC",
                                        "TRISC",       "ERISC"};
    size_t i = 0;
    while (i < sizeof order / sizeof order[0] && !str_is(class, order[i]))
        i++;
    return i;
}

int op_kernel_size_order(str a, str b)
{
    int64_t index_a, index_b;
    str class_a = size_class(a, &index_a), class_b = size_class(b, &index_b);
    size_t rank_a = class_rank(class_a), rank_b = class_rank(class_b);
    if (rank_a != rank_b)
        return rank_a < rank_b ? -1 : 1;
    if (index_a != index_b)
        return index_a < index_b ? -1 : 1;
    return str_cmp(a, b);
}

static int by_column(const void *a, const void *b)
{
    const struct op_kernel_size *x = a, *y = b;
    return op_kernel_size_order(x->name, y->name);
}

// --- the whole record ---

// Inputs first, then the optional ones.
static void keep_inputs(struct reading *g)
{
    struct op_record *r = g->r;
    r->n_inputs = g->inputs.n + g->optional.n;
    if (r->n_inputs)
        r->inputs = push_many(g->a, struct op_tensor, r->n_inputs);
    if (g->inputs.n)
        memcpy(r->inputs, g->inputs.v, g->inputs.n * sizeof *r->inputs);
    if (g->optional.n)
        memcpy(r->inputs + g->inputs.n, g->optional.v, g->optional.n * sizeof *r->inputs);
    // A list that was not cut has the given length.
    if (g->n_inputs_said || g->n_optional_said)
        r->n_inputs_said = (g->n_inputs_said ? g->n_inputs_said : g->inputs.n) +
                           (g->n_optional_said ? g->n_optional_said : g->optional.n);
}

static str keep_list(struct reading *g, enum kernel_list which)
{
    const struct buf *list = &g->lists[which];
    str text = arena_printf(g->a, "[%.*s]", (int)list->n, list->n ? list->p : "");
    return python_cell_of(text, g->a);
}

static void keep_kernels(struct reading *g)
{
    struct op_record *r = g->r;
    r->compute_source = keep_list(g, COMPUTE_SOURCE);
    r->compute_hash = keep_list(g, COMPUTE_HASH);
    r->movement_source = keep_list(g, MOVEMENT_SOURCE);
    r->movement_hash = keep_list(g, MOVEMENT_HASH);
    r->fidelity = g->fidelity;
}

static void *copy_to_arena(struct reading *g, const void *v, size_t n, size_t size)
{
    return n ? memcpy(arena_push(g->a, n * size, _Alignof(max_align_t)), v, n * size)
             : NULL;
}

static void keep_all(struct reading *g)
{
    struct op_record *r = g->r;
    keep_inputs(g);
    if (g->sizes.n > 1)
        qsort(g->sizes.v, g->sizes.n, sizeof *g->sizes.v, by_column);
    r->outputs =
        copy_to_arena(g, g->outputs.v, r->n_outputs = g->outputs.n, sizeof *r->outputs);
    r->sizes = copy_to_arena(g, g->sizes.v, r->n_sizes = g->sizes.n, sizeof *r->sizes);
    r->extra = copy_to_arena(g, g->extra.v, r->n_extra = g->extra.n, sizeof *r->extra);
    if (g->has_kernels)
        keep_kernels(g);
}

void op_record_read(str json, struct arena *a, struct op_record *r)
{
    struct reading g = {.j = json_read_of(json), .a = a, .r = r};
    *r = (struct op_record){.compute_ns = NAN};
    str key;
    for (json_enter(&g.j, '{'); json_member(&g.j, &key);)
        take_member(&g, key);
    r->is_damaged = !json_is_done(&g.j);
    keep_all(&g);
    vec_free(&g.inputs);
    vec_free(&g.optional);
    vec_free(&g.outputs);
    vec_free(&g.sizes);
    vec_free(&g.extra);
    for (int i = 0; i < KERNEL_LISTS; i++)
        buf_free(&g.lists[i]);
}

static void fill_cell(str *cell, str from)
{
    if (!cell->p)
        *cell = from;
}

void op_record_fill(struct op_record *r, const struct op_record *from)
{
    static const size_t cells[] = {
        offsetof(struct op_record, code),
        offsetof(struct op_record, type),
        offsetof(struct op_record, attributes),
        offsetof(struct op_record, strategy),
        offsetof(struct op_record, fidelity),
        offsetof(struct op_record, compute_source),
        offsetof(struct op_record, compute_hash),
        offsetof(struct op_record, movement_source),
        offsetof(struct op_record, movement_hash),
        offsetof(struct op_record, ideal),
        offsetof(struct op_record, compute),
        offsetof(struct op_record, bandwidth),
        offsetof(struct op_record, input_rates),
        offsetof(struct op_record, output_rates),
    };
    if (!r->compute.p)
        r->compute_ns = from->compute_ns;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        fill_cell((str *)((char *)r + cells[i]),
                  *(const str *)((const char *)from + cells[i]));
    if (!r->has_tensors) {
        r->inputs = from->inputs;
        r->n_inputs = from->n_inputs;
        r->n_inputs_said = from->n_inputs_said;
        r->outputs = from->outputs;
        r->n_outputs = from->n_outputs;
        r->n_outputs_said = from->n_outputs_said;
    }
    if (!r->n_sizes) {
        r->sizes = from->sizes;
        r->n_sizes = from->n_sizes;
    }
    if (!r->n_extra) {
        r->extra = from->extra;
        r->n_extra = from->n_extra;
    }
}
