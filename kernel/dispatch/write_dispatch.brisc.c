// write_dispatch.brisc.c - the dispatcher of fast dispatch: executes the commands that the
// prefetcher put into the dispatch buffer. Words and commands:
// include/ttprof/dispatch_words.h.
//
// A command starts on a page and may be longer than one: bytes are used as soon as their
// pages are there, and a command that reaches the end of the buffer continues at its start.
#include "dispatch.h"

static struct {
    uint32_t pcie, block;                 // arguments
    uint32_t start, end;                  // the buffer
    uint32_t at;                          // the command being executed
    uint32_t taken;                       // pages before it
    uint32_t ready, freed;                // pages that came, pages given back
    uint32_t completion, completion_data; // addresses on the host
    uint32_t completion_bytes;            // of the data
    uint32_t written, written_at;         // bytes in all; where the next go
    uint32_t notified, done;
    uint32_t offsets[TT_OFFSETS_MOST];
} in;

// --- the buffer ------------------------------------------------------------------------
// Pages go back once their data have left.
static void give_back(void)
{
    noc_async_writes_flushed();
    dispatch_add(dispatch_at(TT_PREFETCH_FREED), in.taken - in.freed);
    in.freed = in.taken;
}

// Before waiting for the rest of a command, what is in front of it goes back: it may need
// the whole buffer.
__attribute__((noinline)) static void wait_for(uint32_t bytes)
{
    uint32_t pages = (bytes + TT_DISPATCH_PAGE - 1) / TT_DISPATCH_PAGE;
    if (in.taken != in.freed)
        give_back();
    in.ready = dispatch_wait_word(dispatch_at(TT_DISPATCH_READY), in.taken + pages);
}
// Makes sure that so many bytes of the command are there.
TTK_INLINE void need(uint32_t bytes)
{
    if (__builtin_expect(bytes > (in.ready - in.taken) * TT_DISPATCH_PAGE, 0))
        wait_for(bytes);
}

// Where byte `offset` of the command is.
TTK_INLINE uint32_t place_of(uint32_t offset)
{
    uint32_t at = in.at + offset;
    return at < in.end ? at : at - (in.end - in.start);
}

static void step(uint32_t bytes)
{
    uint32_t pages = (bytes + TT_DISPATCH_PAGE - 1) / TT_DISPATCH_PAGE;
    in.at = place_of(pages * TT_DISPATCH_PAGE);
    in.taken += pages;
    DISPATCH_WORD(dispatch_at(TT_DISPATCH_DONE)) = ++in.done;
    if (in.taken - in.freed >= in.block)
        give_back();
}

// Refuses `bytes` of data behind the first `offset` bytes of a command: none, or more than
// the buffer can hold.
TTK_INLINE void check_length(uint32_t offset, uint32_t bytes, uint32_t w0)
{
    if (bytes == 0 || bytes > in.end - in.start - offset)
        dispatch_fail(TT_DISPATCH_SIZE, w0);
}

// --- writes ----------------------------------------------------------------------------
struct target {
    uint32_t xy, dests;
    uint32_t control;
    bool links_on; // the next write belongs to the same series
};

TTK_INLINE void send_packet(uint32_t from, const struct target *t, uint32_t to,
                            uint32_t bytes, uint32_t linked)
{
    uint64_t address = (uint64_t)t->xy << 32 | to;
    if (t->control & TT_NOC_MULTICAST)
        ttk_event_multicast(TT_NOC_EVENT_WRITE_MULTICAST, from, address, bytes, linked);
    else
        ttk_event_write(from, address, bytes);
    ttk_noc_write_packet(TT_NOC_BUFFER_WRITE, from, address, bytes, t->control | linked);
    ttk_noc.writes++;
    ttk_noc.acks += t->dests;
}

// In packets; those to a rectangle are linked.
__attribute__((noinline)) static void send_parts(uint32_t offset, const struct target *t,
                                                 uint32_t to, uint32_t bytes)
{
    uint32_t link = t->control & TT_NOC_MULTICAST ? TT_NOC_LINKED : 0;
    while (bytes) {
        uint32_t from = place_of(offset);
        uint32_t part = dispatch_least(bytes, NOC_MAX_BURST_SIZE);
        part = dispatch_least(part, in.end - from);
        need(offset + part);
        bytes -= part;
        send_packet(from, t, to, part, bytes || t->links_on ? link : 0);
        offset += part;
        to += part;
    }
}
// Bytes of the command from `offset` on.
TTK_INLINE void send(uint32_t offset, const struct target *t, uint32_t to, uint32_t bytes)
{
    uint32_t from = place_of(offset);
    if (bytes <= NOC_MAX_BURST_SIZE && bytes <= in.end - from &&
        offset + bytes <= (in.ready - in.taken) * TT_DISPATCH_PAGE)
        send_packet(from, t, to, bytes, t->links_on ? TT_NOC_LINKED : 0);
    else
        send_parts(offset, t, to, bytes);
}

static uint32_t write_linear(const uint32_t *command)
{
    struct target t = {.xy = command[1], .dests = 1, .control = TTK_NOC_UNICAST};
    uint32_t to = command[2], bytes = command[3];
    check_length(TT_COMMAND_BYTES, bytes, command[0]);
    send(TT_COMMAND_BYTES, &t, to, bytes);
    return TT_COMMAND_BYTES + bytes;
}

__attribute__((noinline)) static uint32_t write_paged(const uint32_t *command)
{
    uint32_t w0 = command[0], address = command[1], bytes = command[2], n = command[3];
    uint32_t bank = w0 >> 16, offset = TT_COMMAND_BYTES;
    struct target t = {.dests = 1, .control = TTK_NOC_UNICAST};
    if (bank >= ttk_noc.banks || n > TT_PAGED_MOST)
        dispatch_fail(TT_DISPATCH_COUNT, w0);
    if (bytes % TT_COMMAND_BYTES || bytes > TT_PAGED_BYTES_MOST)
        dispatch_fail(TT_DISPATCH_SIZE, w0);
    check_length(offset, n * bytes, w0);
    for (; n; n--) {
        uint64_t to = ttk_bank_address(bank, address);
        t.xy = (uint32_t)(to >> 32);
        send(offset, &t, (uint32_t)to, bytes);
        offset += bytes;
        if (++bank == ttk_noc.banks) {
            bank = 0;
            address += bytes;
        }
    }
    return offset;
}

// Data of one size to one address of many cores, without a step over the buffer's end.
static void send_packed(uint32_t entry, uint32_t from, uint32_t to, uint32_t bytes,
                        uint32_t stride, uint32_t count)
{
    const uint32_t *e = TTK_L1(const uint32_t, entry), *end = e + count;
    noc_async_write_one_packet_set_state(to, bytes);
    TTK_REGISTER(TTK_NOC_BUFFER(TT_NOC_BUFFER_WRITE) + TT_NOC_RET_LO) = to;
    for (uint32_t xy = *e; e != end; from += stride) {
        uint32_t at = ttk_noc_ready(TT_NOC_BUFFER_WRITE), next = *++e;
        ttk_event_write(from, (uint64_t)xy << 32 | to, bytes);
        TTK_REGISTER(at + TT_NOC_RET_MID) = xy;
        TTK_REGISTER(at + TT_NOC_TARG_LO) = from;
        TTK_REGISTER(at + TTL_noc_cmd_ctrl) = 1;
        xy = next;
    }
    ttk_noc.writes += count;
    ttk_noc.acks += count;
}

static uint32_t write_packed(const uint32_t *command)
{
    uint32_t w0 = command[0], bytes = command[1], to = command[2], index = command[3];
    uint32_t flags = w0 >> 8 & 0xFF, count = w0 >> 16;
    bool is_multicast = flags & TT_PACKED_MULTICAST;
    DeviceTimestampedData("packed_data_dispatch",
                          flags >> TT_PACKED_TYPE_SHIFT << 1 | is_multicast);
    if (count == 0 || count > (is_multicast ? TT_PACKED_MULTICAST_MOST : TT_PACKED_MOST) ||
        index >= TT_OFFSETS_MOST)
        dispatch_fail(TT_DISPATCH_COUNT, w0);
    if (bytes > TT_PACKED_BYTES_MOST)
        dispatch_fail(TT_DISPATCH_SIZE, w0);
    to += in.offsets[index];
    uint32_t padded = dispatch_round_up(bytes, TT_COMMAND_BYTES), entry = TT_COMMAND_BYTES;
    uint32_t entry_bytes = is_multicast ? 8 : 4;
    uint32_t data = entry + dispatch_round_up(count * entry_bytes, TT_COMMAND_BYTES);
    uint32_t stride = flags & TT_PACKED_ONE_DATUM ? 0 : padded;
    uint32_t total = data + (stride ? count * stride : padded);
    check_length(data, total - data, w0);
    need(total);
    if (!is_multicast && in.at + total <= in.end) {
        send_packed(in.at + entry, in.at + data, to, bytes, stride, count);
        return total;
    }
    struct target t = {.dests = 1,
                       .control = is_multicast ? TTK_NOC_MULTICAST : TTK_NOC_UNICAST};
    for (; count; count--) {
        const uint32_t *e = TTK_L1(const uint32_t, place_of(entry));
        t.xy = e[0];
        if (is_multicast) {
            t.dests = e[1];
            noc_async_write_barrier();
        }
        send(data, &t, to, bytes);
        entry += entry_bytes;
        data += stride;
    }
    return total;
}

static uint32_t write_packed_large(const uint32_t *command)
{
    uint32_t w0 = command[0], index = command[1], count = w0 >> 16;
    DeviceTimestampedData("packed_large_data_dispatch", w0 >> 8 & 0xFF);
    if (count == 0 || count > TT_LARGE_MOST || index >= TT_OFFSETS_MOST)
        dispatch_fail(TT_DISPATCH_COUNT, w0);
    uint32_t base = in.offsets[index], entry = TT_COMMAND_BYTES;
    uint32_t data = entry + count * TT_LARGE_ENTRY_BYTES;
    struct target t = {.control = TTK_NOC_MULTICAST};
    need(data);
    for (; count; count--) {
        const uint32_t *e = TTK_L1(const uint32_t, place_of(entry));
        uint32_t to = base + e[1], bytes = e[2];
        if (!t.links_on)
            noc_async_write_barrier();
        t.xy = e[0];
        t.dests = e[3] & 0xFFFF;
        t.links_on = count > 1 && !(e[3] & TT_LARGE_UNLINK);
        check_length(data, bytes, w0);
        send(data, &t, to, bytes);
        entry += TT_LARGE_ENTRY_BYTES;
        data += dispatch_round_up(bytes, TT_COMMAND_BYTES);
    }
    return data;
}

// --- to the host -----------------------------------------------------------------------
// The bytes of the command itself, header and all, then the count of all bytes: both go the
// same way, so the host sees the count last.
static uint32_t write_host(const uint32_t *command)
{
    uint32_t bytes = TT_COMMAND_BYTES + command[1], left = bytes, offset = 0;
    uint32_t taken = dispatch_round_up(bytes, TT_COMPLETION_PAGE);
    uint32_t end = in.completion_data + in.completion_bytes;
    uint32_t to = in.written_at;
    struct target t = {.xy = in.pcie, .dests = 1, .control = TTK_NOC_UNICAST};
    check_length(TT_COMMAND_BYTES, command[1], command[0]);
    if (taken > in.completion_bytes)
        dispatch_fail(TT_DISPATCH_SIZE, command[0]);
    in.written += taken;
    dispatch_wait_word(dispatch_at(TT_DISPATCH_READ), in.written - in.completion_bytes);
    in.written_at += taken;
    if (in.written_at >= end)
        in.written_at -= in.completion_bytes;
    while (left) {
        uint32_t part = dispatch_least(left, end - to);
        send(offset, &t, to, part);
        offset += part;
        left -= part;
        to = in.completion_data;
    }
    noc_async_writes_flushed(); // of the count before
    DISPATCH_WORD(dispatch_at(TT_DISPATCH_WRITTEN)) = in.written;
    send_packet(dispatch_at(TT_DISPATCH_WRITTEN), &t, in.completion, TT_COMMAND_BYTES, 0);
    return bytes;
}

// --- the rest --------------------------------------------------------------------------
static uint32_t set_write_offset(const uint32_t *command)
{
    uint32_t w0 = command[0], n = w0 >> 8 & 0xFF;
    DeviceTimestampedData("runtime_host_id_dispatch", command[1]);
    if (n > TT_OFFSETS_MOST)
        dispatch_fail(TT_DISPATCH_COUNT, w0);
    for (uint32_t i = 0; i < n; i++)
        in.offsets[i] = command[4 + i];
    return TT_COMMAND_BYTES + 4 * n;
}

static void sync(void)
{
    dispatch_add(dispatch_at(TT_PREFETCH_SYNC), 1);
}

static void wait(const uint32_t *command)
{
    uint32_t w0 = command[0], address = command[1], count = command[2];
    uint32_t flags = w0 >> 8, stream = w0 >> 16;
    if (stream >= TT_STREAMS_MOST)
        dispatch_fail(TT_DISPATCH_COUNT, w0);
    if (flags & TT_WAIT_BARRIER)
        noc_async_write_barrier();
    if (flags & TT_WAIT_MEMORY)
        dispatch_wait_word(address, count);
    if (flags & TT_WAIT_COUNTER)
        dispatch_wait_counter(stream, count);
    if (flags & TT_WAIT_CLEAR) {
        uint32_t value = TTK_REGISTER(dispatch_stream(stream, TTL_stream_count_word));
        TTK_REGISTER(dispatch_stream(stream, TTL_stream_update_word)) =
            (-value & TT_COMPLETION_MASK) << TT_COMPLETION_SHIFT;
    }
    if (flags & TT_WAIT_SYNC)
        sync();
}

static void notify(uint32_t w0)
{
    if (w0 >> 8 & 0xFF)
        noc_async_write_barrier();
    DISPATCH_WORD(dispatch_at(TT_DISPATCH_NOTIFIED)) = ++in.notified;
}

// Returns the bytes of the command; 0: it was the last.
static uint32_t execute(const uint32_t *command)
{
    uint32_t w0 = command[0], id = w0 & 0xFF;
    DeviceTimestampedData("process_cmd_d_dispatch", id);
    switch (id) {
    case TT_CMD_WRITE_LINEAR: return write_linear(command);
    case TT_CMD_WRITE_HOST: return write_host(command);
    case TT_CMD_WRITE_PAGED: return write_paged(command);
    case TT_CMD_WRITE_PACKED: return write_packed(command);
    case TT_CMD_WRITE_PACKED_LARGE: return write_packed_large(command);
    case TT_CMD_WAIT: wait(command); return TT_COMMAND_BYTES;
    case TT_CMD_DISPATCH_END_BUF: sync(); return TT_COMMAND_BYTES;
    case TT_CMD_SET_WRITE_OFFSET: return set_write_offset(command);
    case TT_CMD_DISPATCH_TERMINATE: return 0;
    case TT_CMD_NOTIFY: notify(w0); return TT_COMMAND_BYTES;
    default: dispatch_fail(TT_DISPATCH_UNKNOWN, w0);
    }
}

static bool serve(void)
{
    DeviceZoneScopedN("CQ-DISPATCH");
    uint32_t bytes = execute(TTK_L1(const uint32_t, in.at));
    step(bytes ? bytes : TT_COMMAND_BYTES);
    return bytes;
}

static void start(void)
{
    dispatch_add_set(get_arg_val(TT_DISPATCH_PREFETCHER));
    in.pcie = get_arg_val(TT_DISPATCH_PCIE);
    in.block = get_arg_val(TT_DISPATCH_USED_BLOCK);
    in.start = in.at = dispatch_at(TT_DISPATCH_BUFFER);
    in.end = in.start + get_arg_val(TT_DISPATCH_USED_PAGES) * TT_DISPATCH_PAGE;
    in.completion = get_arg_val(TT_DISPATCH_COMPLETION);
    in.completion_data = in.written_at = in.completion + TT_COMPLETION_DATA;
    in.completion_bytes = get_arg_val(TT_DISPATCH_COMPLETION_BYTES) - TT_COMPLETION_DATA;
}

void kernel_main(void)
{
    start();
    do {
        if (in.ready == in.taken)
            in.ready = dispatch_wait_word(dispatch_at(TT_DISPATCH_READY), in.taken + 1);
    } while (serve());
    noc_async_full_barrier();
}
