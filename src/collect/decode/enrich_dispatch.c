// enrich_dispatch.c - turns the numbers that dispatch kernels record into words.
#include "collect/decode/enrich.h"

enum { MULTICAST = 1 };

static const char *const commands[] = {
    "CQ_DISPATCH_CMD_ILLEGAL",
    "CQ_DISPATCH_CMD_WRITE_LINEAR",
    "CQ_DISPATCH_CMD_WRITE_LINEAR_H",
    "CQ_DISPATCH_CMD_WRITE_LINEAR_H_HOST",
    "CQ_DISPATCH_CMD_WRITE_PAGED",
    "CQ_DISPATCH_CMD_WRITE_PACKED",
    "CQ_DISPATCH_CMD_WRITE_PACKED_LARGE",
    "CQ_DISPATCH_CMD_WAIT",
    "CQ_DISPATCH_CMD_SINK",
    "CQ_DISPATCH_CMD_DEBUG",
    "CQ_DISPATCH_CMD_DELAY",
    "CQ_DISPATCH_CMD_EXEC_BUF_END",
    "CQ_DISPATCH_CMD_SET_WRITE_OFFSET",
    "CQ_DISPATCH_CMD_TERMINATE",
    "CQ_DISPATCH_CMD_SEND_GO_SIGNAL",
    "CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL",
    "CQ_DISPATCH_SET_NUM_WORKER_SEMS",
    "CQ_DISPATCH_SET_GO_SIGNAL_NOC_DATA",
    "CQ_DISPATCH_CMD_WRITE_PACKED_LARGE_UNICAST",
    "CQ_DISPATCH_SET_SUB_DEVICE_WORKER_COUNTS",
    "CQ_DISPATCH_CMD_RT_PROFILER_FLUSH",
};
static const char *const packed[] = {NULL,   "RTA",   "LAUNCH",
                                     "SEMS", "EVENT", "GO_MSG_INDEX"};
static const char *const large[] = {"UNKNOWN", "CBS_SEMS_CRTAS", "PROGRAM_BINARIES"};

bool dispatch_take(struct dispatch_state *s, uint16_t facts, uint64_t data)
{
    if (facts & ID_COMMAND) {
        s->has_command = true;
        s->command = data;
    } else if (facts & ID_PROGRAM) {
        s->program = (uint32_t)data;
    } else if (facts & (ID_PACKED | ID_PACKED_LARGE)) {
        s->kind = facts & ID_PACKED ? SUBTYPE_PACKED : SUBTYPE_LARGE;
        s->subtype = data;
    } else {
        return false;
    }
    return true;
}

// Appends the name of a number, or the number if it has none.
static void put_one_of(struct buf *b, const char *head, const char *const *list, size_t n,
                       uint64_t v)
{
    if (v < n && list[v])
        buf_printf(b, "%s%s", head, list[v]);
    else
        buf_printf(b, "%llu", (unsigned long long)v);
}

void dispatch_put_command(const struct dispatch_state *s, struct buf *b)
{
    if (s->has_command)
        put_one_of(b, "", commands, sizeof commands / sizeof *commands, s->command);
}

void dispatch_put_subtype(const struct dispatch_state *s, struct buf *b)
{
    if (s->kind == SUBTYPE_LARGE) {
        put_one_of(b, "CQ_DISPATCH_CMD_PACKED_WRITE_LARGE_TYPE_", large,
                   sizeof large / sizeof *large, s->subtype);
        return;
    }
    if (s->subtype & MULTICAST)
        buf_z(b, "MCAST;");
    put_one_of(b, "CQ_DISPATCH_CMD_PACKED_WRITE_FLAG_TYPE_", packed,
               sizeof packed / sizeof *packed, s->subtype >> 1);
}

void dispatch_put_name(const struct dispatch_state *s, bool is_brisc, struct buf *b)
{
    buf_char(b, ':');
    if (is_brisc)
        buf_printf(b, "%u:", s->program);
    if (is_brisc && s->kind != SUBTYPE_NONE)
        dispatch_put_subtype(s, b);
    else
        dispatch_put_command(s, b);
}
