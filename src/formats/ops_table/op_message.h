// op_message.h - parses the first line of a runtime's message about an op: its identity.
//
// Three generations, each with or without surrounding backticks:
//   TT_DNN_DEVICE_OP: "name", hash, device, true, id ->\n{...}   2026-03 on
//   TT_DNN_DEVICE_OP: "name", hash, device, id ->\n{...}         before
//   TT_DNN_DEVICE_OP:"name"\n{...}                               2024-03; rest in JSON
// For an op seen before, the arrow and what follows it are missing.
#ifndef TTP_FORMATS_OPS_TABLE_OP_MESSAGE_H
#define TTP_FORMATS_OPS_TABLE_OP_MESSAGE_H

#include "base/text/str.h"

enum op_cache { OP_CACHE_UNKNOWN, OP_CACHE_MISS, OP_CACHE_HIT };

struct op_message {
    str name; // as between the quotes, escapes included
    uint64_t hash;
    int64_t device;
    uint64_t id; // op id: program, and device in the low 10 bits
    enum op_cache cache;
    str json; // empty for an op seen before
};

// Is it about a device op?
bool op_message_is(str text);
// False: the line is damaged.
bool op_message_parse(str text, struct op_message *m);
// A message without its surrounding backticks. Those inside stay doubled.
str op_message_unticked(str text);

#endif
