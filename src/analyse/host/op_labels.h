// op_labels.h - what a compiler says about the ops of its program: their location in the
// model, whether they only prepare constants, which program they belong to.
//
// It sends messages such as "MLIR_OP_LOCATION;<text>". Each one labels the ops whose
// messages follow from the same process, until the next of its kind. The text is everything
// after the first semicolon.
#ifndef TTP_ANALYSE_HOST_OP_LABELS_H
#define TTP_ANALYSE_HOST_OP_LABELS_H

#include "base/data/arena.h"
#include "base/data/map.h"
#include "base/data/vec.h"

enum op_label { OP_LOCATION, OP_CONST_EVAL, OP_METADATA, OP_LABELS };

struct op_label_kind {
    const char *tag;        // of the message
    const char *column;     // in a report
    const char *unlabelled; // shown for an op without one
};
extern const struct op_label_kind op_label_kinds[OP_LABELS];

struct op_label_set {
    str v[OP_LABELS]; // p NULL: not given
};

struct op_labels {
    struct arena a;
    struct map ops;                   // device and op id
    VEC(struct op_label_set) sets;    // by op
    VEC(struct op_label_set) current; // by process
    uint64_t n_ops;                   // messages about ops
    uint64_t n_damaged;               // unreadable ones
    uint64_t n_again;                 // ops repeated with other labels: the last ones win
};

// Takes the messages of a run in time order. Others are ignored.
void op_labels_take(struct op_labels *l, uint32_t process, str message);
void op_labels_free(struct op_labels *l);

// The labels of an op; false: it has none. A kind that was not given has the text
// `unlabelled`.
bool op_labels_find(const struct op_labels *l, int64_t device, uint64_t id,
                    struct op_label_set *set);

#endif
