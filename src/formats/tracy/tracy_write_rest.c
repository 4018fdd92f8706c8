// tracy_write_rest.c - .tracy files, out: callstacks, images, context switches, symbols.
#include "formats/tracy/tracy_out.h"

void tracy_write_stacks(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    out_u64(o, t->stacks.n);
    for (size_t i = 0; i < t->stacks.n; i++) {
        out_u16(o, (uint16_t)(t->stacks.v[i].n / 8));
        out_bytes(o, t->stacks.v[i]);
    }
    out_u64(o, t->stack_entries.n);
    for (size_t i = 0; i < t->stack_entries.n; i++) {
        const struct tracy_stack_entry *x = &t->stack_entries.v[i];
        uint8_t n = x->frames.n < UINT8_MAX ? (uint8_t)x->frames.n : UINT8_MAX;
        out_u64(o, x->address);
        out_u8(o, n);
        out_text(o, x->image);
        for (size_t k = 0; k < n; k++) {
            out_text(o, x->frames.v[k].name);
            out_text(o, x->frames.v[k].file);
            out_u32(o, x->frames.v[k].line);
            out_u64(o, x->frames.v[k].symbol);
        }
        tracy_out_left(o, "inlined functions of an address", x->frames.n - n);
    }
    out_u64(o, t->app_info.n);
    for (size_t i = 0; i < t->app_info.n; i++)
        out_ref(o, t->app_info.v[i]);
}

void tracy_write_images(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    out_u32(o, (uint32_t)t->image_dictionary.n);
    out_bytes(o, t->image_dictionary);
    out_u64(o, t->images.n);
    for (size_t i = 0; i < t->images.n; i++) {
        out_u16(o, t->images.v[i].width);
        out_u16(o, t->images.v[i].height);
        out_u8(o, t->images.v[i].is_flipped);
        out_bytes(o, t->images.v[i].pixels);
    }
}

static void write_thread_switches(struct tracy_out *o, const struct tracy_switches *list)
{
    int64_t last = 0;
    out_u64(o, list->thread);
    out_u64(o, list->switches.n);
    for (size_t i = 0; i < list->switches.n; i++) {
        const struct tracy_switch *s = pile_at(&list->switches, i);
        out_time(o, s->wakeup, &last);
        out_time(o, s->start, &last);
        out_time(o, s->end, &last);
        out_u8(o, s->cpu);
        out_i8(o, s->reason);
        out_i8(o, s->state);
        if (o->generation == TRACY_U14)
            out_u8(o, s->wakeup_cpu);
        out_u64(o, s->thread);
    }
}

void tracy_write_switches(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    out_u64(o, t->switches.n);
    for (size_t i = 0; i < t->switches.n; i++)
        write_thread_switches(o, &t->switches.v[i]);
    out_u64(o, t->n_cpu_switches);
    for (size_t cpu = 0; cpu < TRACY_CPUS; cpu++) {
        int64_t last = 0;
        out_u64(o, t->cpu_switches[cpu].n);
        for (size_t i = 0; i < t->cpu_switches[cpu].n; i++) {
            const struct tracy_cpu_switch *s = pile_at(&t->cpu_switches[cpu], i);
            out_time(o, s->start, &last);
            out_time(o, s->end, &last);
            out_u16(o, s->thread);
        }
    }
    out_u64(o, t->pids.n);
    for (size_t i = 0; i < t->pids.n; i++) {
        out_u64(o, t->pids.v[i].tid);
        out_u64(o, t->pids.v[i].pid);
    }
    out_u64(o, t->cpu_threads.n);
    for (size_t i = 0; i < t->cpu_threads.n; i++) {
        out_u64(o, t->cpu_threads.v[i].tid);
        out_i64(o, t->cpu_threads.v[i].running);
        out_u32(o, t->cpu_threads.v[i].regions);
        out_u32(o, t->cpu_threads.v[i].migrations);
    }
}

static void write_symbol(struct tracy_out *o, const struct tracy_symbol *s)
{
    out_u64(o, s->address);
    out_text(o, s->name);
    out_text(o, s->file);
    out_u32(o, s->line);
    out_text(o, s->image);
    out_text(o, s->call_file);
    out_u32(o, s->call_line);
    out_u8(o, s->is_inline);
    out_u24(o, s->size);
}

static void out_str32(struct tracy_out *o, str s)
{
    out_u32(o, (uint32_t)s.n);
    out_bytes(o, s);
}

static void write_code(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    out_u64(o, t->code.n);
    for (size_t i = 0; i < t->code.n; i++) {
        out_u64(o, t->code.v[i].address);
        out_str32(o, t->code.v[i].code);
    }
    out_u64(o, t->code_symbols.n);
    for (size_t i = 0; i < t->code_symbols.n; i++) {
        out_u64(o, t->code_symbols.v[i].code);
        out_u64(o, t->code_symbols.v[i].symbol);
    }
}

void tracy_write_symbols(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    out_u64(o, t->n_plain_symbols);
    out_u64(o, t->n_inline_symbols);
    out_u64(o, t->symbols.n);
    for (size_t i = 0; i < t->symbols.n; i++)
        write_symbol(o, &t->symbols.v[i]);
    write_code(o);
    out_u64(o, t->hardware.n);
    for (size_t i = 0; i < t->hardware.n; i++) {
        out_u64(o, t->hardware.v[i].address);
        for (size_t k = 0; k < TRACY_HW_KINDS; k++) {
            const struct pile *times = &t->hardware.v[i].times[k];
            int64_t last = 0;
            out_u64(o, times->n);
            for (size_t n = 0; n < times->n; n++)
                out_time(o, *(const int64_t *)pile_at(times, n), &last);
        }
    }
    out_u64(o, t->source_files.n);
    for (size_t i = 0; i < t->source_files.n; i++) {
        out_str32(o, t->source_files.v[i].name);
        out_str32(o, t->source_files.v[i].text);
    }
}
