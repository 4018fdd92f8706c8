// tracy_read_rest.c - .tracy files: callstacks, images, context switches, symbols.
#include "formats/tracy/tracy_in.h"

void tracy_read_stacks(struct tracy_in *in)
{
    struct tracy *t = in->t;
    for (uint64_t n = in_count(in, 2); n && !in->is_cut; n--) {
        str stack = in_bytes(in, (uint64_t)in_u16(in) * 8);
        if (!in->is_cut)
            vec_push(&t->stacks, stack);
    }
    for (uint64_t n = in_count(in, 12); n && !in->is_cut; n--) {
        struct tracy_stack_entry x = {.address = in_u64(in)};
        uint8_t frames = in_u8(in);
        x.image = in_text(in);
        for (; frames && !in->is_cut; frames--) {
            struct tracy_stack_frame f = {.name = in_text(in)};
            f.file = in_text(in);
            f.line = in_u32(in);
            f.symbol = in_u64(in);
            vec_push(&x.frames, f);
        }
        vec_push(&t->stack_entries, x);
    }
    for (uint64_t n = in_count(in, 9); n && !in->is_cut; n--) {
        struct tracy_ref ref = in_ref(in);
        if (!in->is_cut)
            vec_push(&t->app_info, ref);
    }
}

void tracy_read_images(struct tracy_in *in)
{
    struct tracy *t = in->t;
    t->image_dictionary = in_bytes(in, in_u32(in));
    for (uint64_t n = in_count(in, 5); n && !in->is_cut; n--) {
        struct tracy_image m = {.width = in_u16(in)};
        m.height = in_u16(in);
        m.is_flipped = in_u8(in);
        m.pixels = in_bytes(in, (uint64_t)m.width * m.height / 2);
        if (!in->is_cut)
            vec_push(&t->images, m);
    }
}

static struct tracy_switch read_switch(struct tracy_in *in, int64_t *last)
{
    struct tracy_switch s = {.wakeup = in_time(in, last)};
    s.start = in_time(in, last);
    s.end = in_time(in, last);
    s.cpu = in_u8(in);
    s.reason = in_i8(in);
    s.state = in_i8(in);
    if (in->t->generation == TRACY_U14)
        s.wakeup_cpu = in_u8(in);
    s.thread = in_u64(in);
    return s;
}

static void read_cpu_switches(struct tracy_in *in)
{
    struct tracy *t = in->t;
    t->n_cpu_switches = in_u64(in);
    for (size_t cpu = 0; cpu < TRACY_CPUS && !in->is_cut; cpu++) {
        int64_t last = 0;
        for (uint64_t n = in_count(in, 18); n && !in->is_cut; n--) {
            struct tracy_cpu_switch s = {.start = in_time(in, &last)};
            s.end = in_time(in, &last);
            s.thread = in_u16(in);
            if (!in->is_cut)
                *(struct tracy_cpu_switch *)pile_add(&t->cpu_switches[cpu], &t->store) = s;
        }
    }
}

void tracy_read_switches(struct tracy_in *in)
{
    struct tracy *t = in->t;
    for (uint64_t n = in_count(in, 16); n && !in->is_cut; n--) {
        struct tracy_switches list = {.thread = in_u64(in),
                                      .switches = pile_of(sizeof(struct tracy_switch))};
        int64_t last = 0;
        for (uint64_t k = in_count(in, 35); k && !in->is_cut; k--) {
            struct tracy_switch s = read_switch(in, &last);
            if (!in->is_cut)
                *(struct tracy_switch *)pile_add(&list.switches, &t->store) = s;
        }
        vec_push(&t->switches, list);
    }
    read_cpu_switches(in);
    for (uint64_t n = in_count(in, 16); n && !in->is_cut; n--) {
        struct tracy_pid p = {.tid = in_u64(in)};
        p.pid = in_u64(in);
        vec_push(&t->pids, p);
    }
    for (uint64_t n = in_count(in, 24); n && !in->is_cut; n--) {
        struct tracy_cpu_thread c = {.tid = in_u64(in)};
        c.running = in_i64(in);
        c.regions = in_u32(in);
        c.migrations = in_u32(in);
        vec_push(&t->cpu_threads, c);
    }
}

static struct tracy_symbol read_symbol(struct tracy_in *in)
{
    struct tracy_symbol s = {.address = in_u64(in)};
    s.name = in_text(in);
    s.file = in_text(in);
    s.line = in_u32(in);
    s.image = in_text(in);
    s.call_file = in_text(in);
    s.call_line = in_u32(in);
    s.is_inline = in_u8(in);
    s.size = in_u24(in);
    return s;
}

static void read_hardware(struct tracy_in *in)
{
    struct tracy *t = in->t;
    for (uint64_t n = in_count(in, 56); n && !in->is_cut; n--) {
        struct tracy_hardware h = {.address = in_u64(in)};
        for (size_t kind = 0; kind < TRACY_HW_KINDS; kind++) {
            h.times[kind] = pile_of(sizeof(int64_t));
            int64_t last = 0;
            for (uint64_t k = in_count(in, 8); k && !in->is_cut; k--)
                *(int64_t *)pile_add(&h.times[kind], &t->store) = in_time(in, &last);
        }
        vec_push(&t->hardware, h);
    }
}

void tracy_read_symbols(struct tracy_in *in)
{
    struct tracy *t = in->t;
    t->n_plain_symbols = in_u64(in);
    t->n_inline_symbols = in_u64(in);
    for (uint64_t n = in_count(in, 32); n && !in->is_cut; n--) {
        struct tracy_symbol s = read_symbol(in);
        if (!in->is_cut)
            vec_push(&t->symbols, s);
    }
    for (uint64_t n = in_count(in, 12); n && !in->is_cut; n--) {
        struct tracy_code c = {.address = in_u64(in)};
        c.code = in_bytes(in, in_u32(in));
        if (!in->is_cut)
            vec_push(&t->code, c);
    }
    for (uint64_t n = in_count(in, 16); n && !in->is_cut; n--) {
        struct tracy_code_symbol c = {.code = in_u64(in)};
        c.symbol = in_u64(in);
        if (!in->is_cut)
            vec_push(&t->code_symbols, c);
    }
    read_hardware(in);
    for (uint64_t n = in_count(in, 8); n && !in->is_cut; n--) {
        struct tracy_source s = {.name = in_bytes(in, in_u32(in))};
        s.text = in_bytes(in, in_u32(in));
        if (!in->is_cut)
            vec_push(&t->source_files, s);
    }
}
