// gather.erisc.c - one end of the link: fetches the own part from a worker, sends it to the
// other chip, takes what comes from there, and gives both to the worker.
#include "ttprof/kernel.h"

enum {
    ARG_WORKER_X,
    ARG_WORKER_Y,
    ARG_PART,     // worker's L1: the own part
    ARG_GATHERED, // worker's L1: all parts, in order of the chips
    ARG_BYTES,    // of a part
    ARG_CHIP,     // 0 or 1
    ARG_OUT,      // own L1: the own part and, behind it, the mark
    ARG_IN,       // own L1: the other part and its mark
    ARG_LOG,
    ARG_MARK,
    ARG_HELLO, // own L1: the mark of the other end, then the own one
};
enum { MESSAGE_BYTES = 8192, MARK_BYTES = 16 };
enum { LOG_SEND, LOG_RECEIVE }; // 8 bytes each

static void log_clock(uint32_t index)
{
    uint64_t now = ttk_cycles();
    *TTK_L1(volatile uint32_t, get_arg_val(ARG_LOG) + 8 * index) = (uint32_t)now;
    *TTK_L1(volatile uint32_t, get_arg_val(ARG_LOG) + 8 * index + 4) =
        (uint32_t)(now >> 32);
}

// The mark travels behind the last byte, so that it arrives with or after everything else.
static void send(uint32_t from, uint32_t to, uint32_t bytes)
{
    DeviceZoneScopedN("SEND");
    log_clock(LOG_SEND);
    *TTK_L1(volatile uint32_t, from + bytes) = get_arg_val(ARG_MARK);
    bytes += MARK_BYTES;
    while (bytes) {
        uint32_t part = bytes < MESSAGE_BYTES ? bytes : MESSAGE_BYTES;
        eth_send(from, to, part);
        from += part;
        to += part;
        bytes -= part;
    }
}

static void wait_for_mark(uint32_t at)
{
    do {
        ttk_fence();
    } while (*TTK_L1(volatile uint32_t, at) != get_arg_val(ARG_MARK));
}

static void receive(uint32_t at, uint32_t bytes)
{
    DeviceZoneScopedN("RECEIVE");
    wait_for_mark(at + bytes);
    log_clock(LOG_RECEIVE);
}

// Both ends are launched by the host, one after the other: wait until the other one runs.
static void meet(void)
{
    DeviceZoneScopedN("MEET");
    uint32_t hello = get_arg_val(ARG_HELLO), own = hello + MARK_BYTES;
    *TTK_L1(volatile uint32_t, own) = get_arg_val(ARG_MARK);
    eth_send(own, hello, MARK_BYTES);
    wait_for_mark(hello);
}

void kernel_main(void)
{
    uint32_t x = get_arg_val(ARG_WORKER_X), y = get_arg_val(ARG_WORKER_Y);
    uint32_t bytes = get_arg_val(ARG_BYTES), chip = get_arg_val(ARG_CHIP);
    uint32_t out = get_arg_val(ARG_OUT), in = get_arg_val(ARG_IN);
    uint32_t gathered = get_arg_val(ARG_GATHERED);
    noc_async_read(get_noc_addr(x, y, get_arg_val(ARG_PART)), out, bytes);
    noc_async_read_barrier();
    meet();
    send(out, in, bytes); // both chips use the same addresses
    noc_async_write(out, get_noc_addr(x, y, gathered + chip * bytes), bytes);
    receive(in, bytes);
    noc_async_write(in, get_noc_addr(x, y, gathered + !chip * bytes), bytes);
    noc_async_write_barrier();
    eth_send_barrier();
}
