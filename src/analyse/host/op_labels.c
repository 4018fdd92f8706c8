// op_labels.c - extracts labels of ops from messages.
#include "analyse/host/op_labels.h"

#include "formats/ops_table/op_message.h"

const struct op_label_kind op_label_kinds[OP_LABELS] = {
    [OP_LOCATION] = {"MLIR_OP_LOCATION", "LOC", "loc(unknown)"},
    [OP_CONST_EVAL] = {"MLIR_CONST_EVAL_OP", "CONST_EVAL_OP", "false"},
    [OP_METADATA] = {"MLIR_PROGRAM_METADATA", "PROGRAM_METADATA", "{}"},
};

struct op_key {
    int64_t device;
    uint64_t id;
};

// --- reading messages ------------------------------------------------------------------
// A label keeps its text even if it is empty.
static bool take_label(struct op_labels *l, struct op_label_set *current, str message)
{
    str text = op_message_unticked(message), rest = text;
    str found = str_cut(&rest, ';');
    if (found.n == text.n)
        return false; // no semicolon
    for (int i = 0; i < OP_LABELS; i++)
        if (str_is(found, op_label_kinds[i].tag)) {
            current->v[i] = arena_str(&l->a, rest);
            return true;
        }
    return false;
}

static bool has_same_labels(const struct op_label_set *x, const struct op_label_set *y)
{
    for (int i = 0; i < OP_LABELS; i++) {
        bool are_given = x->v[i].p && y->v[i].p;
        if (are_given ? !str_eq(x->v[i], y->v[i]) : x->v[i].p != y->v[i].p)
            return false;
    }
    return true;
}

static void label_op(struct op_labels *l, const struct op_label_set *current, str message)
{
    struct op_message m;
    l->n_ops++;
    if (!op_message_parse(message, &m)) {
        l->n_damaged++;
        return;
    }
    struct op_key key = {.device = m.device, .id = m.id};
    uint32_t op = map_put_copy(&l->ops, &key, sizeof key, &l->a);
    if (op == l->sets.n) {
        vec_push(&l->sets, *current);
        return;
    }
    l->n_again += !has_same_labels(&l->sets.v[op], current);
    l->sets.v[op] = *current;
}

void op_labels_take(struct op_labels *l, uint32_t process, str message)
{
    while (l->current.n <= process)
        vec_push(&l->current, (struct op_label_set){0});
    struct op_label_set *current = &l->current.v[process];
    if (op_message_is(message))
        label_op(l, current, message);
    else
        (void)take_label(l, current, message);
}

void op_labels_free(struct op_labels *l)
{
    map_free(&l->ops);
    vec_free(&l->sets);
    vec_free(&l->current);
    arena_free(&l->a);
}

// --- lookup ----------------------------------------------------------------------------
bool op_labels_find(const struct op_labels *l, int64_t device, uint64_t id,
                    struct op_label_set *set)
{
    struct op_key key = {.device = device, .id = id};
    uint32_t op = map_get(&l->ops, (str){(const char *)&key, sizeof key});
    bool has_any = false;
    for (int i = 0; i < OP_LABELS; i++) {
        str text = {0};
        if (op != MAP_NONE)
            text = l->sets.v[op].v[i];
        has_any |= text.p != NULL;
        set->v[i] = text.p ? text : str_of(op_label_kinds[i].unlabelled);
    }
    return has_any;
}
