// test_dispatch_zones.c - what dispatch kernels record of their commands.
#include "base/text/buf.h"

#include "sample_dispatch.h"

static const char *zone_name(const struct rig *s, uint32_t id)
{
    for (size_t i = 0; i < s->t->zones.v.n; i++)
        if (s->t->zones.v.v[i].id == id)
            return s->t->zones.v.v[i].name;
    fail_msg("no zone has id %u", id);
    return NULL;
}

// The optional markers in a RISC's vector: "zone(data=1 data=2)", open ones without ")".
static struct buf markers(const struct rig *s, const struct tile *tile, uint32_t risc)
{
    struct buf b = {0};
    uint32_t at = s->chip->layout->profiler_buffers + risc * TT_PROFILER_BUFFER_BYTES;
    for (uint32_t w = TT_CHUNK_CUSTOM; w < TT_CHUNK_WORDS; w += 2) {
        uint32_t high = rig_word(tile, at + 4 * w);
        if (high == 0)
            break;
        const char *name = zone_name(s, TT_MARKER_ID(high));
        switch (TT_MARKER_TYPE(high)) {
        case TT_PACKET_ZONE_START: buf_printf(&b, "%s(", name); break;
        case TT_PACKET_ZONE_END: buf_z(&b, ") "); break;
        case TT_PACKET_TS_DATA:
            buf_printf(&b, " %s=%u", name, rig_word(tile, at + 4 * w + 12));
            w += 2;
            break;
        default: fail_msg("marker of type %u", TT_MARKER_TYPE(high));
        }
    }
    buf_char(&b, 0);
    return b;
}

static cmd program(struct rig *s)
{
    enum { AT = 0x60000 };
    cmd entry = {0}, w = {0};
    cmd_put_header(&w, tt_command(TT_CMD_SET_WRITE_OFFSET, 1, 0), 4711, 0, 0);
    cmd_put(&w, 0);
    cmd_relay(&entry, TT_CMD_RELAY_INLINE, TT_RELAY_TO_DISPATCHER, &w);
    cmd_put_header(&w, tt_command(TT_CMD_WRITE_PACKED_LARGE, TT_LARGE_TEXT, 1), 0, 0, 0);
    cmd_put_header(&w, rig_rectangle(s, 0, 0, 1, 1), AT, 16, 4 | TT_LARGE_UNLINK);
    cmd_put_bytes(&w, 1, 16);
    cmd_relay(&entry, TT_CMD_RELAY_INLINE, TT_RELAY_TO_DISPATCHER, &w);
    cmd_put_header(
        &w,
        tt_command(TT_CMD_WRITE_PACKED,
                   TT_PACKED_MULTICAST | TT_PACKED_LAUNCH << TT_PACKED_TYPE_SHIFT, 1),
        16, AT, 0);
    cmd_put(&w, rig_rectangle(s, 0, 0, 1, 1));
    cmd_put(&w, 4);
    cmd_pad(&w, TT_COMMAND_BYTES);
    cmd_put_bytes(&w, 1, 16);
    cmd_relay(&entry, TT_CMD_RELAY_INLINE, TT_RELAY_TO_DISPATCHER, &w);
    cmd_put_header(&w, TT_CMD_NOTIFY, 0, 0, 0);
    cmd_relay(&entry, TT_CMD_RELAY_INLINE, TT_RELAY_TO_DISPATCHER, &w);
    cmd_put_header(&w, TT_CMD_SEND_GO, tt_go_word(TT_GO_RESET_READ_PTR_FROM_HOST, 1, 1, 0),
                   0, TT_COMPLETION_STREAM);
    cmd_relay(&entry, TT_CMD_RELAY_INLINE, TT_RELAY_TO_SUBORDINATE, &w);
    return entry;
}

static void records(const char *config, uint32_t flags, const char *prefetcher,
                    const char *dispatcher, const char *subordinate)
{
    struct rig s;
    rig_open(
        &s, (struct rig_options){.config = config, .has_prefetcher = true, .flags = flags});
    cmd entry = program(&s);
    rig_enqueue(&s, &entry, 0);
    rig_until(&s, s.prefetcher, TT_PREFETCH_GO_FREED, 1);
    rig_pass(&s);
    struct buf got = markers(&s, s.prefetcher, TT_BRISC);
    assert_string_equal(got.p, prefetcher);
    buf_free(&got);
    got = markers(&s, s.dispatcher, TT_BRISC);
    assert_string_equal(got.p, dispatcher);
    buf_free(&got);
    got = markers(&s, s.dispatcher, TT_NCRISC);
    assert_string_equal(got.p, subordinate);
    buf_free(&got);
    rig_close(&s);
}

// The zones of prefetcher and subordinate contain the wait for the next command.
TEST(dispatch_kernels_record_their_commands_on_request)
{
    static const char *const configs[] = {"board=n150 variant=prof",
                                          "board=p150 variant=full"};
    for (int i = 0; i < 2; i++) {
        records(configs[i], TT_LEVEL_ALL | TT_FLAG_DISPATCH,
                "CQ-PREFETCH() CQ-PREFETCH() CQ-PREFETCH() CQ-PREFETCH() CQ-PREFETCH() "
                "CQ-PREFETCH(",
                "CQ-DISPATCH( process_cmd_d_dispatch=12 runtime_host_id_dispatch=4711) "
                "CQ-DISPATCH( process_cmd_d_dispatch=6 packed_large_data_dispatch=2) "
                "CQ-DISPATCH( process_cmd_d_dispatch=5 packed_data_dispatch=5) "
                "CQ-DISPATCH( process_cmd_d_dispatch=15) ",
                "CQ-DISPATCH-SUBORDINATE( process_cmd_d_dispatch_subordinate=14) "
                "CQ-DISPATCH-SUBORDINATE(");
        records(configs[i], TT_LEVEL_ALL, "", "", "");
    }
}
