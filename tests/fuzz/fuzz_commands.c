// fuzz_commands.c - any bytes as commands in a queue of fast dispatch. Whatever the
// dispatch kernels are told, the device goes on or ends with a text that names the queue,
// in bounded time, and can be closed.
//
// The first byte: bit 0 the chip, bit 1 whether the entry stalls, bits 2 and 3 what the
// rest is: commands of the prefetcher, one command for the dispatcher or the subordinate,
// or several, each preceded by its target and its length in units of 4 bytes.
#include <errno.h>
#include <string.h>

#include "fuzz.h"
#include "sim/cluster.h"
#include "sim/dispatch/cores.h"
#include "sim/dispatch/dispatch.h"

enum { MOST = 64 << 10, WAIT_NS = 60000 };

// As few cores as fast dispatch can have.
static ttdev *open_device(bool is_blackhole)
{
    struct err e = {0};
    ttdev_cfg cfg;
    ttdev *t = NULL;
    ttdev_cfg_default(&cfg);
    const char *config = is_blackhole
                             ? "board=p150 harvest=0x3ffc dispatch=fast variant=off"
                             : "board=n150 harvest=0x3fc dispatch=fast variant=off";
    must(ttdev_cfg_parse(&cfg, config, &e) == 0 && ttdev_open(&cfg, &t, &e) == 0);
    return t;
}

static void put_several(struct commands *c, const uint8_t *data, size_t n)
{
    while (n >= 2) {
        size_t bytes = 4 * (size_t)data[1];
        uint32_t target = data[0];
        data += 2;
        n -= 2;
        bytes = bytes < n ? bytes : n;
        if (bytes)
            put_relay(c, target, data, bytes);
        data += bytes;
        n -= bytes;
    }
}

static void put_bytes(struct commands *c, const uint8_t *data, size_t n)
{
    buf_str(&c->bytes, (str){(const char *)data, n});
    buf_fill(&c->bytes, 0, -n % TT_COMMAND_BYTES);
    vec_push(&c->ends, c->bytes.n);
}

static void put_input(struct commands *c, uint8_t form, const uint8_t *data, size_t n)
{
    if (n == 0)
        return;
    switch (form & 3) {
    case 0: put_bytes(c, data, n); break;
    case 1: put_relay(c, TT_RELAY_TO_DISPATCHER, data, n); break;
    case 2: put_relay(c, TT_RELAY_TO_SUBORDINATE, data, n); break;
    default: put_several(c, data, n); break;
    }
}

static const struct tile *first_fault(const struct chip *chip)
{
    const struct tile *first = NULL;
    for (int i = 0; i < chip->n_tiles; i++) {
        const struct tile *tile = &chip->tiles[i];
        if (tile->fault.kind != FAULT_NONE &&
            (!first || tile->fault.cycle < first->fault.cycle))
            first = tile;
    }
    return first;
}

// A command may have destroyed the program of a worker, which is then named instead.
static void check_text(ttdev *t, int code)
{
    const char *text = ttdev_fault(t, 0);
    must(code == 0 || code == -EFAULT || code == -EDEADLK || code == -ETIMEDOUT);
    if (code == 0)
        return;
    must(strncmp(text, "device 0, ", 10) == 0);
    const struct tile *tile = code == -EFAULT ? first_fault(&t->chips[0]) : NULL;
    must(code != -EFAULT || tile);
    if (!tile || dispatch_is_core(tile))
        must(strstr(text, "queue 0: "));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > MOST)
        return 0;
    ttdev *t = open_device(data[0] & 1);
    struct chip *chip = &t->chips[0];
    struct commands c = {0};
    put_input(&c, data[0] >> 2, data + 1, size - 1);
    int code = fast_start(chip);
    must(code == 0);
    code = queue_put(&chip->fast->queues[0], &c, data[0] & 2, 0);
    if (!code)
        code = ttdev_wait(t, 0, WAIT_NS);
    check_text(t, code);
    commands_free(&c);
    ttdev_close(t);
    return 0;
}
