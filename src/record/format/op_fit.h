// op_fit.h - op records ("TT_DNN_DEVICE_OP: ... ->\n{JSON}") as messages of Tracy, which
// hold 65534 bytes. Longer ones are shortened as tt-metal does it: blanks go first, then
// the kernels, then the attributes and all but the first tensors.
//
// Needs no memory, and no more stack however deep the JSON is.
#ifndef TTP_RECORD_FORMAT_OP_FIT_H
#define TTP_RECORD_FORMAT_OP_FIT_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

enum {
    OP_FIT_BYTES = 65534, // of a message, with its backticks
    OP_FIT_TENSORS = 8,   // of each list, when the rest must go
    OP_FIT_DEPTH = 128    // deeper JSON is not read here, nor by readers of op records
};
enum op_fit {
    OP_FIT_WHOLE,   // as it was
    OP_FIT_COMPACT, // without blanks
    OP_FIT_NO_KERNELS,
    OP_FIT_FEW_TENSORS, // nor attributes; tells how many there were
    OP_FIT_NOT          // too long even so, or not JSON
};

// A record is a line that ends with "->", and JSON; or JSON alone.
// Writes the record as a message in backticks, with inner ones doubled; a record that is in
// backticks already has doubled them. `to` has room for `most` bytes. Returns how long the
// message is; 0: OP_FIT_NOT, and `to` is undefined.
size_t op_fit(const char *text, size_t n, char *to, size_t most, enum op_fit *how);

#pragma GCC visibility pop
#endif
