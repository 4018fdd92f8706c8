// sample_clock.c - the chips of sample_clock.h.
#include "sample_clock.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { CONTROL = 0x1000, VECTOR = 0x2000, ETH_VECTOR = 0x8000, ANSWER_CYCLES = 14 };

double sample_clock_cycle(const struct sample_clock *c, double host_ns)
{
    return (double)c->boot + host_ns * c->cycles_per_ns;
}

static double fraction(struct sample_clocks *s)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(s->random >> 33) / 2147483648.0;
}

static struct sample_clock *chip_of(void *device, int chip)
{
    return &((struct sample_clocks *)device)->chips[chip];
}

// --- what there is ---------------------------------------------------------------------
static int get_chip(void *device, int chip, struct tt_chip *out)
{
    *out = (struct tt_chip){.id = chip,
                            .hz = 1e9,
                            .cores = chip_of(device, chip)->cores,
                            .n_cores = 3,
                            .is_remote = chip_of(device, chip)->slowness > 1};
    return 0;
}
static size_t n_links(void *device)
{
    return ((struct sample_clocks *)device)->n_links;
}
static int get_link(void *device, size_t i, struct tt_link *out)
{
    *out = ((struct sample_clocks *)device)->links[i];
    return 0;
}

// --- accesses --------------------------------------------------------------------------
static uint32_t *words_at(struct sample_clock *c, uint32_t address)
{
    if (address >= ETH_VECTOR)
        return &c->eth_vector[(address - ETH_VECTOR) / 2048][address % 2048 / 4];
    if (address >= VECTOR)
        return c->vector + (address - VECTOR) / 4;
    return c->control + (address - CONTROL) / 4;
}

static void take_word(struct sample_clock *c, double effect)
{
    uint32_t word = c->control[TT_CONTROL_FW_RESET_L];
    bool is_lost =
        word != TT_SYNC_STOP && c->lose_every && ++c->n_words % c->lose_every == 0;
    if (!c->is_running || is_lost)
        return;
    c->control[TT_CONTROL_FW_RESET_L] = 0;
    if (word == TT_SYNC_STOP) {
        c->is_running = false;
        return;
    }
    uint64_t stamp = (uint64_t)sample_clock_cycle(c, effect) + 20;
    uint32_t *sample = c->vector + TT_SYNC_SAMPLE(++c->number);
    sample[TT_SAMPLE_HIGH] = (uint32_t)(stamp >> 32);
    sample[TT_SAMPLE_LOW] = (uint32_t)stamp;
    sample[TT_SAMPLE_HOST] = word;
    sample[TT_SAMPLE_NUMBER] = c->number;
    c->control[TT_CONTROL_FW_RESET_H] = c->number;
}

static int l1_write(void *device, int chip, const struct tt_core *core, uint32_t address,
                    const void *data, size_t bytes)
{
    struct sample_clocks *s = device;
    struct sample_clock *c = chip_of(device, chip);
    double lasts = (400 + 150 * fraction(s)) * c->slowness;
    double effect = s->now + lasts * (0.5 + fraction(s) / 2);
    (void)core;
    s->now += floor(lasts);
    if (c->is_deaf)
        return -EIO;
    memcpy(words_at(c, address), data, bytes);
    if (address == CONTROL + 4 * TT_CONTROL_FW_RESET_L && *(const uint32_t *)data)
        take_word(c, effect);
    return 0;
}

static int l1_read(void *device, int chip, const struct tt_core *core, uint32_t address,
                   void *data, size_t bytes)
{
    struct sample_clocks *s = device;
    (void)core;
    s->now += floor(1200 * chip_of(device, chip)->slowness);
    if (chip_of(device, chip)->is_deaf)
        return -EIO;
    memcpy(data, words_at(chip_of(device, chip), address), bytes);
    return 0;
}

// --- kernels ---------------------------------------------------------------------------
// Cycle 0 of a row is the first stamp of the round.
static void put_round(struct sample_clock *c, int channel, uint32_t k, double at,
                      double cycles)
{
    uint32_t *vector = c->eth_vector[channel];
    uint64_t stamp = (uint64_t)sample_clock_cycle(c, at);
    if (k == 0)
        vector[TT_SYNC_HIGH] = (uint32_t)(stamp >> 32);
    vector[TT_SYNC_ROUND(k)] = (uint32_t)stamp;
    vector[TT_SYNC_ROUND(k) + 1] = (uint32_t)cycles;
    vector[TT_SYNC_ROUNDS] = k + 1;
}

static void make_rounds(struct sample_clocks *s, const struct tt_link *link)
{
    struct sample_clock *sender = &s->chips[link->chip];
    struct sample_clock *receiver = &s->chips[link->peer_chip];
    bool *is_sending = &sender->is_sending[link->channel & 1];
    bool *is_receiving = &receiver->is_receiving[link->peer_channel & 1];
    if (!*is_sending || !*is_receiving)
        return;
    for (uint32_t k = 0; k < TT_SYNC_MOST_ROUNDS; k++) {
        double came = s->now + s->flight_ns + 10 * fraction(s);
        double answered = came + ANSWER_CYCLES / receiver->cycles_per_ns;
        double seen = answered + s->flight_ns + s->answer_ns + 10 * fraction(s);
        put_round(receiver, link->peer_channel, k, came, ANSWER_CYCLES);
        put_round(sender, link->channel, k, s->now,
                  ceil((seen - s->now) * sender->cycles_per_ns));
        s->now = ceil(seen) + 20;
    }
    *is_sending = *is_receiving = false;
}

static int launch(void *device, int chip, const struct tt_kernel *kernels, size_t n,
                  uint32_t run_id)
{
    struct sample_clocks *s = device;
    struct sample_clock *c = chip_of(device, chip);
    (void)run_id, (void)n;
    s->n_launches++;
    if (c->is_deaf)
        return -EIO;
    if (c->never_starts)
        return 0;
    if (strcmp(kernels->image, "sync") == 0) {
        c->is_running = true;
        c->number = 0;
        c->control[TT_CONTROL_FW_RESET_H] = 0;
    }
    if (strcmp(kernels->image, "sync_sender") == 0)
        c->is_sending[kernels->core - 1] = true;
    if (strcmp(kernels->image, "sync_receiver") == 0)
        c->is_receiving[kernels->core - 1] = true;
    for (size_t i = 0; i < s->n_links; i++)
        make_rounds(s, &s->links[i]);
    return 0;
}

static int wait(void *device, int chip, uint64_t timeout_ns)
{
    const struct sample_clock *c = chip_of(device, chip);
    (void)timeout_ns;
    return c->is_deaf ? -EIO : c->is_running || c->never_starts ? -EDEADLK : 0;
}

static uint64_t host_ns(void *device)
{
    return (uint64_t)((struct sample_clocks *)device)->now;
}
static int sleep_ns(void *device, uint64_t ns)
{
    ((struct sample_clocks *)device)->now += (double)ns;
    return 0;
}
static const char *no_error(void *device)
{
    (void)device;
    return "";
}

void sample_clocks_open(struct sample_clocks *s, int n_chips, uint64_t seed)
{
    *s = (struct sample_clocks){
        .n_chips = n_chips, .flight_ns = 700, .now = 1e9, .random = seed};
    for (int i = 0; i < n_chips; i++) {
        struct sample_clock *c = &s->chips[i];
        c->cycles_per_ns = 1 + (30.0 - 25.0 * i) * 1e-6;
        c->boot = 5000000 + 4000000000u * (uint64_t)(n_chips - i);
        c->slowness = 1;
        c->cores[0] = (struct tt_core){
            .x = 1, .y = 2, .kind = TT_CORE_WORKER, .control = CONTROL, .buffers = VECTOR};
        for (uint32_t k = 0; k < 2; k++)
            c->cores[k + 1] = (struct tt_core){
                .kind = TT_CORE_ETH, .lx = (int16_t)k, .buffers = ETH_VECTOR + 2048 * k};
    }
    s->access = (struct tt_access){.device = s,
                                   .n_chips = n_chips,
                                   .get_chip = get_chip,
                                   .n_links = n_links,
                                   .get_link = get_link,
                                   .l1_read = l1_read,
                                   .l1_write = l1_write,
                                   .wait = wait,
                                   .launch = launch,
                                   .host_ns = host_ns,
                                   .sleep_ns = sleep_ns,
                                   .error = no_error};
}

void sample_clocks_join(struct sample_clocks *s, int sender, int receiver)
{
    s->links[s->n_links++] =
        (struct tt_link){.chip = sender, .channel = 1, .peer_chip = receiver};
}
