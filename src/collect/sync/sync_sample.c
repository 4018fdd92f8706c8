// sync_sample.c - the host writes words, a kernel stamps them with the chip's clock. All
// chips run at once, so that many take no longer than one.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "collect/sync/sync_parts.h"

enum {
    READ_EVERY = 124, // samples: capacity of the kernel's ring
    CHECK_EVERY = 25, // samples between checks whether the error is small enough
    SETTLE_NS = 20000,
    START_POLLS = 1000,
    NOT_STARTED = -1, // in FW_RESET_H; the kernel writes 0
};
#define ENOUGH_BASELINE_NS 150000000.0
#define ENOUGH_RATE_ERROR  0.2e-6 // standard error of the slope

const char *sync_why(const struct sync *s, int code)
{
    const char *text = s->access->error ? s->access->error(s->access->device) : "";
    return *text ? text : strerror(-code);
}

static const struct tt_core *sync_core(const struct sync_chip *c)
{
    return &c->chip.cores[c->core];
}

static int write_control(struct sync *s, int chip, int word, uint32_t value)
{
    const struct tt_core *core = sync_core(&s->chips[chip]);
    return s->access->l1_write(s->access->device, chip, core,
                               core->control + 4 * (uint32_t)word, &value, sizeof value);
}

static int read_control(struct sync *s, int chip, int word, uint32_t *value)
{
    const struct tt_core *core = sync_core(&s->chips[chip]);
    return s->access->l1_read(s->access->device, chip, core,
                              core->control + 4 * (uint32_t)word, value, sizeof *value);
}

// Keep the first error: later ones usually follow from it.
static void fail_chip(struct sync *s, int chip, const char *what, int code, struct err *e)
{
    s->chips[chip].is_sampled = false;
    if (e->code == ERR_NONE)
        (void)err_set(e, ERR_IO, "sync: device %d %s: %s", s->chips[chip].chip.id, what,
                      sync_why(s, code));
}

// --- the kernel ------------------------------------------------------------------------
// A stamp is only valid if the kernel was polling before the word arrived.
static int wait_for_start(struct sync *s, int chip)
{
    for (int i = 0; i < START_POLLS; i++) {
        uint32_t number;
        int code = read_control(s, chip, TT_CONTROL_FW_RESET_H, &number);
        if (code < 0)
            return code;
        if (number == 0)
            return s->access->sleep_ns(s->access->device, SETTLE_NS);
        if ((code = s->access->sleep_ns(s->access->device, SETTLE_NS)) < 0)
            return code;
    }
    return -ETIMEDOUT;
}

static int clear_ring(struct sync *s, int chip)
{
    static const uint32_t none[TT_SYNC_SLOTS * TT_SYNC_SAMPLE_WORDS];
    const struct tt_core *core = sync_core(&s->chips[chip]);
    return s->access->l1_write(s->access->device, chip, core,
                               core->buffers + 4 * TT_SYNC_SAMPLE(0), none, sizeof none);
}

static int start_kernel(struct sync *s, int chip)
{
    const uint32_t until_stopped = 0;
    struct tt_kernel kernel = {.image = "sync",
                               .risc = TT_BRISC,
                               .core = s->chips[chip].core,
                               .args = &until_stopped,
                               .n_args = 1};
    int code = clear_ring(s, chip);
    if (code >= 0)
        code = write_control(s, chip, TT_CONTROL_FW_RESET_L, 0);
    if (code >= 0)
        code = write_control(s, chip, TT_CONTROL_FW_RESET_H, (uint32_t)NOT_STARTED);
    if (code >= 0)
        code = s->access->launch(s->access->device, chip, &kernel, 1, SYNC_KERNEL_ID);
    return code;
}

static void start_chips(struct sync *s, struct err *e)
{
    for (int i = 0; i < s->access->n_chips; i++) {
        struct sync_chip *c = &s->chips[i];
        c->first = c->next_stamp = c->samples.n;
        c->n_taken = 0;
        c->is_sampled = true;
        int code = c->has_core ? start_kernel(s, i) : -ENODEV;
        c->is_running = code >= 0;
        if (code < 0)
            fail_chip(s, i, "cannot start the sync kernel", code, e);
        else if (!c->start)
            c->start = s->access->host_ns(s->access->device);
    }
    for (int i = 0; i < s->access->n_chips; i++) {
        int code = s->chips[i].is_sampled ? wait_for_start(s, i) : 0;
        if (code < 0)
            fail_chip(s, i, "does not start the sync kernel", code, e);
    }
}

static void stop_chips(struct sync *s, struct err *e)
{
    (void)s->access->sleep_ns(s->access->device, SETTLE_NS); // lets the last sample arrive
    for (int i = 0; i < s->access->n_chips; i++) {
        if (!s->chips[i].is_running) // a chip that failed may still be running its kernel
            continue;
        int code = write_control(s, i, TT_CONTROL_FW_RESET_L, TT_SYNC_STOP);
        if (code >= 0)
            code = s->access->wait(s->access->device, i, SYNC_SECOND_NS);
        if (code < 0)
            fail_chip(s, i, "does not end the sync kernel", code, e);
    }
}

// --- samples ---------------------------------------------------------------------------
static int take_sample(struct sync *s, int chip)
{
    struct sync_chip *c = &s->chips[chip];
    struct sync_sample sample = {.epoch = s->n_epochs};
    sample.before = s->access->host_ns(s->access->device);
    sample.word = (uint32_t)(sample.before - c->start) | 1;
    int code = write_control(s, chip, TT_CONTROL_FW_RESET_L, sample.word);
    sample.after = s->access->host_ns(s->access->device);
    if (code >= 0)
        vec_push(&c->samples, sample);
    return code;
}

// Words identify the sample of a stamp: a sample that the kernel missed gets none.
static void give_stamp(struct sync_chip *c, const uint32_t *words)
{
    for (size_t i = c->next_stamp; i < c->samples.n; i++)
        if (c->samples.v[i].word == words[TT_SAMPLE_HOST]) {
            c->samples.v[i].stamp =
                (uint64_t)words[TT_SAMPLE_HIGH] << 32 | words[TT_SAMPLE_LOW];
            c->samples.v[i].has_stamp = true;
            c->next_stamp = i + 1;
            return;
        }
}

// Reads the stamps since the last time, at most as many as the ring holds.
static int read_stamps(struct sync *s, int chip)
{
    struct sync_chip *c = &s->chips[chip];
    const struct tt_core *core = sync_core(c);
    uint32_t ring[TT_SYNC_SLOTS * TT_SYNC_SAMPLE_WORDS];
    int code = s->access->l1_read(s->access->device, chip, core,
                                  core->buffers + 4 * TT_SYNC_SAMPLE(0), ring, sizeof ring);
    if (code < 0)
        return code;
    uint32_t written = (uint32_t)(c->samples.n - c->first);
    for (uint32_t number = c->n_taken + 1; number <= written; number++) {
        const uint32_t *words = &ring[TT_SYNC_SAMPLE(number) - TT_SYNC_SAMPLE(0)];
        if (words[TT_SAMPLE_NUMBER] != number)
            continue;
        give_stamp(c, words);
        c->n_taken = number;
    }
    return 0;
}

static void read_chips(struct sync *s, struct err *e)
{
    for (int i = 0; i < s->access->n_chips; i++) {
        int code = s->chips[i].is_sampled ? read_stamps(s, i) : 0;
        if (code < 0)
            fail_chip(s, i, "cannot be read", code, e);
    }
}

// --- lines -----------------------------------------------------------------------------
bool sync_fit_chip(struct sync_chip *c, struct clock_epoch *out)
{
    struct arena a = {0};
    struct sync_sample *samples = c->samples.v + c->first;
    size_t n = c->samples.n - c->first, n_points = 0, next = 0;
    struct sync_point *points = push_many(&a, struct sync_point, n);
    bool *is_kept = push_many(&a, bool, n);
    for (size_t i = 0; i < n; i++)
        if (samples[i].has_stamp)
            points[n_points++] =
                (struct sync_point){samples[i].stamp, samples[i].before, samples[i].after};
    (void)sync_choose(points, n_points, is_kept);
    double late_ns = TT_SYNC_POLL_CYCLES * 1e9 / c->chip.hz;
    bool has_line = sync_fit(points, n_points, is_kept, late_ns, out);
    for (size_t i = 0; i < n; i++)
        samples[i].is_kept = samples[i].has_stamp && is_kept[next++];
    out->n_samples = (uint32_t)n;
    out->n_missing = (uint32_t)(n - n_points);
    arena_free(&a);
    return has_line;
}

static bool is_enough(struct sync *s)
{
    bool enough = true;
    for (int i = 0; i < s->access->n_chips && enough; i++) {
        struct sync_chip *c = &s->chips[i];
        struct clock_epoch line;
        if (!c->is_sampled)
            continue;
        double baseline =
            (double)(c->samples.v[c->samples.n - 1].before - c->samples.v[c->first].before);
        enough = baseline >= ENOUGH_BASELINE_NS && sync_fit_chip(c, &line) &&
                 line.rate_error < SYNC_SIGMAS * ENOUGH_RATE_ERROR;
    }
    return enough;
}

static bool is_any_sampled(const struct sync *s)
{
    for (int i = 0; i < s->access->n_chips; i++)
        if (s->chips[i].is_sampled)
            return true;
    return false;
}

// Read only after the kernel has had the full interval for its latest sample.
static bool may_take_more(struct sync *s, int n_taken, struct err *e)
{
    int every = s->is_adaptive ? CHECK_EVERY : READ_EVERY;
    if (n_taken == 0 || n_taken % every)
        return true;
    read_chips(s, e);
    return !s->is_adaptive || !is_enough(s);
}

bool sync_take_samples(struct sync *s, struct err *e)
{
    start_chips(s, e);
    for (int i = 0; i < SYNC_SAMPLES && is_any_sampled(s); i++) {
        (void)s->access->sleep_ns(s->access->device, s->spacing_ns);
        if (!may_take_more(s, i, e))
            break;
        for (int chip = 0; chip < s->access->n_chips; chip++) {
            int code = s->chips[chip].is_sampled ? take_sample(s, chip) : 0;
            if (code < 0)
                fail_chip(s, chip, "does not accept the host's write", code, e);
        }
    }
    stop_chips(s, e);
    read_chips(s, e);
    return e->code == ERR_NONE;
}
