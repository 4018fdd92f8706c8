// readout_events.c - handles device events while profiling: programs, traces, and regions
// that fill up.
#include "collect/readout/host_events.h"
#include "collect/readout/readout_parts.h"

enum {
    LOOK_FREE_LEAST = TT_CHUNK_WORDS + TT_CHUNK_CUSTOM
}; // words of one launch and its end

// The largest number of DRAM words of any RISC of the chip.
static uint32_t most_words_in_dram(struct readout *r, int chip)
{
    const struct tt_chip *info = &r->chips[chip].info;
    uint32_t most = 0;
    for (size_t i = 0; i < info->n_cores; i++) {
        uint32_t end[TT_RISCS];
        if (!core_l1_read(r, (uint32_t)chip, i,
                          info->cores[i].control + 4 * TT_CONTROL_HOST_END, end,
                          sizeof end))
            continue;
        for (int risc = 0; risc < TT_RISCS; risc++)
            most = end[risc] > most ? end[risc] : most;
    }
    return most < r->cap ? most : r->cap;
}

// Reads out before a region fills up, that is, before `n` launches that would not fit. A
// launch writes at most one L1 vector, so the check is due only after as many launches as
// there is room for. More than an empty region holds get one.
static void read_before_full(struct readout *r, int chip, uint32_t n)
{
    struct chip_state *state = &r->chips[chip];
    if (state->is_recording || r->is_reading || state->n_launches + n <= state->n_most)
        return;
    r->is_reading = true;
    bool is_quiet = readout_wait(r, chip) == 0;
    uint32_t used = is_quiet ? most_words_in_dram(r, chip) : 0, free_words = r->cap - used;
    r->is_reading = false;
    state->n_launches = 0;
    uint64_t need = (uint64_t)(n - 1) * TT_CHUNK_WORDS + LOOK_FREE_LEAST;
    if (free_words >= need || used == 0) {
        state->n_most = free_words / TT_CHUNK_WORDS;
        return;
    }
    readout_now(r, chip, READ_NORMAL);
    if (r->on_watermark)
        r->on_watermark(r->watermark_context);
}

static void before_launches(struct readout *r, int chip, uint32_t n)
{
    if (r->c->options.watermark)
        read_before_full(r, chip, n);
    r->chips[chip].n_launches += n;
}

static void on_launch(struct readout *r, const struct tt_event *event)
{
    struct chip_record *chip = &r->c->chips.v[event->chip];
    collection_add_program(r->c, chip, event->program, str_of(event->name),
                           event->sub_device, event->sub_device_manager);
    if (event->trace >= 0 && !event->is_replay) {
        struct trace_record *trace = collection_trace(chip, event->trace);
        vec_push(&trace->programs, event->program);
    }
    r->chips[event->chip].is_used = true;
    before_launches(r, event->chip, 1);
}

// A replay from the device's memory launches all its programs at once.
static void on_replay(struct readout *r, const struct tt_event *event)
{
    vec_push(&r->c->chips.v[event->chip].replayed, event->trace);
    if (event->n_programs)
        before_launches(r, event->chip, event->n_programs);
}

void readout_event(void *context, const struct tt_event *event)
{
    struct readout *r = context;
    if (event->chip < 0 || event->chip >= r->access.n_chips)
        return;
    struct chip_record *chip = &r->c->chips.v[event->chip];
    host_event(&r->c->options, chip->id, event);
    switch (event->kind) {
    case TT_EVENT_LAUNCH: on_launch(r, event); break;
    case TT_EVENT_TRACE_BEGIN: r->chips[event->chip].is_recording = true; break;
    case TT_EVENT_TRACE_END: r->chips[event->chip].is_recording = false; break;
    case TT_EVENT_TRACE_REPLAY: on_replay(r, event); break;
    case TT_EVENT_TRACE_RELEASE:
        collection_trace(chip, event->trace)->is_released = true;
        break;
    default: collection_buffer_event(r->c, event); break;
    }
}
