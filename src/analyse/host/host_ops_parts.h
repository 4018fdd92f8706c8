// host_ops_parts.h - internals of host_ops: state until all messages and zones have
// arrived.
#ifndef TTP_ANALYSE_HOST_HOST_OPS_PARTS_H
#define TTP_ANALYSE_HOST_HOST_OPS_PARTS_H

#include "analyse/host/host_ops.h"

struct host_op_key {
    uint64_t process, id;
};
struct host_cache_key { // one program on one device
    uint64_t process, hash;
    int64_t device;
};
struct host_capture { // of a trace, in progress
    uint64_t process;
    int64_t device, trace;
};
struct op_zone_seen {
    struct host_op_key key;
    uint64_t start, duration;
    uint32_t depth; // number of op zones around it
    uint32_t level; // depth of the outermost enclosing zone that has ended
    uint32_t name;  // index in zone_names
};
struct op_child_seen {
    struct host_op_key key;
    uint64_t duration;
    uint32_t name; // index in zone_names
};

// Messages and zones may arrive in any order relative to each other: zones wait here until
// host_ops_finish.
struct host_ops_inner {
    struct map ids;    // host_op_key: the op's index
    struct map cached; // host_cache_key
    VEC(uint32_t) cached_record;
    VEC(struct host_capture) captures;
    struct map zone_names;
    VEC(struct op_zone_seen) zones;
    VEC(struct op_child_seen) children;
};

// The text itself if it is UTF-8; otherwise a copy with replacement characters.
str host_ops_valid(struct host_ops *h, str text);
// A cell: a copy with `,` replaced by `;`.
str host_ops_cell(struct host_ops *h, str text);
// Finds or adds the op of this id. It is new if the number of ops grew.
uint32_t host_ops_at(struct host_ops *h, uint32_t process, uint64_t id);
// header and text, without any tag
void host_ops_signpost(struct host_ops *h, uint64_t time, str text);
// A zone inside the op that `parent` names.
void host_ops_call(struct host_ops *h, uint32_t process, str name, str parent,
                   uint64_t duration);
void host_ops_place_zones(struct host_ops *h);
void host_ops_sum_children(struct host_ops *h);

#endif
