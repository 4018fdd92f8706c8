// fuzz_op_labels.c - messages about ops and their labels, any bytes: a zero byte ends each.
#include "analyse/host/op_labels.h"
#include "formats/ops_table/op_message.h"
#include "fuzz.h"

static bool is_inside(str part, str whole)
{
    return part.n == 0 || (part.p >= whole.p && part.p + part.n <= whole.p + whole.n);
}

// An op that was just told of has the labels that its process has now.
static void check(const struct op_labels *l, uint32_t process, str message)
{
    struct op_message m;
    struct op_label_set set;
    bool is_op = op_message_is(message);
    if (!op_message_parse(message, &m))
        return;
    must(is_op);
    must(is_inside(m.name, message) && is_inside(m.json, message));
    bool has_label = op_labels_find(l, m.device, m.id, &set);
    const struct op_label_set *now = &l->current.v[process];
    bool has_current = false;
    for (int i = 0; i < OP_LABELS; i++) {
        must(set.v[i].p);
        must(!now->v[i].p || str_eq(set.v[i], now->v[i]));
        has_current |= now->v[i].p != NULL;
    }
    must(has_label == has_current);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct op_labels l = {0};
    str rest = {(const char *)data, size};
    while (rest.n) {
        str message = str_cut(&rest, '\0');
        uint32_t process = (uint32_t)(message.n % 3);
        op_labels_take(&l, process, message);
        check(&l, process, message);
    }
    must(l.n_damaged <= l.n_ops);
    must(l.sets.n == l.ops.keys.n && l.sets.n + l.n_damaged <= l.n_ops);
    op_labels_free(&l);
    return 0;
}
