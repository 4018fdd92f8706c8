// tracy_dump_rest.c - what tracy_dump does not show, so that no field can be lost unseen.
#include <inttypes.h>

#include "tracy_dump.h"

static void put_bytes(struct buf *b, const char *what, str s)
{
    buf_printf(b, "%s %zu ", what, s.n);
    buf_str(b, s);
    buf_char(b, '\n');
}

static void put_keyed(struct buf *b, const char *what, struct keyed k)
{
    buf_printf(b, "%s %" PRIu64 " %u\n", what, k.key, k.a);
}

static void dump_texts(struct buf *b, const struct tracy *t)
{
    put_bytes(b, "info", t->info);
    put_bytes(b, "maker", (str){t->cpu_maker, sizeof t->cpu_maker});
    for (size_t i = 0; i < t->strings.keys.n; i++)
        put_bytes(b, "string", t->strings.keys.v[i]);
    for (size_t i = 0; i < t->keyed.n; i++)
        put_keyed(b, "keyed", t->keyed.v[i]);
    for (size_t i = 0; i < t->external_names.n; i++)
        buf_printf(b, "external %" PRIu64 " %u %u\n", t->external_names.v[i].tid,
                   t->external_names.v[i].name, t->external_names.v[i].thread_name);
    for (size_t i = 0; i < t->external_used.n; i++)
        buf_printf(b, "external used %" PRIu64 "\n", t->external_used.v[i]);
    for (size_t i = 0; i < t->place_keys.n; i++)
        buf_printf(b, "place key %" PRIu64 "\n", t->place_keys.v[i]);
}

static void dump_samples(struct buf *b, const struct pile *samples)
{
    for (size_t i = 0; i < samples->n; i++) {
        const struct tracy_sample *s = pile_at(samples, i);
        buf_printf(b, " sample %" PRId64 " %u\n", s->time, s->stack);
    }
}

static void dump_threads(struct buf *b, const struct tracy *t)
{
    for (size_t i = 0; i < t->threads.n; i++) {
        const struct tracy_thread *th = &t->threads.v[i];
        buf_printf(b, "thread %" PRIu64 " kernel %" PRIu64 " messages", th->id,
                   th->kernel_samples);
        for (size_t k = 0; k < th->messages.n; k++)
            buf_printf(b, " %u", th->messages.v[k]);
        buf_z(b, "\n switch\n");
        dump_samples(b, &th->switch_samples);
        buf_z(b, " other\n");
        dump_samples(b, &th->samples);
    }
    for (size_t i = 0; i < t->extras.n; i++) {
        const struct tracy_extra *x = pile_at(&t->extras, i);
        buf_printf(b, "extra %u %u %u %u\n", x->stack, x->text, x->name, x->colour);
    }
    for (size_t i = 0; i < t->pools.n; i++)
        buf_printf(b, "live %" PRIu64 "\n", t->pools.v[i].n_live);
}

static void dump_switches(struct buf *b, const struct tracy *t)
{
    for (size_t i = 0; i < t->switches.n; i++) {
        const struct tracy_switches *list = &t->switches.v[i];
        buf_printf(b, "switches %" PRIu64 "\n", list->thread);
        for (size_t k = 0; k < list->switches.n; k++) {
            const struct tracy_switch *s = pile_at(&list->switches, k);
            buf_printf(b, " %" PRId64 " %" PRId64 " %" PRId64 " %" PRIu64 " %u %u %d %d\n",
                       s->wakeup, s->start, s->end, s->thread, s->cpu, s->wakeup_cpu,
                       s->reason, s->state);
        }
    }
    buf_printf(b, "cpu switches %" PRIu64 "\n", t->n_cpu_switches);
    for (size_t cpu = 0; cpu < TRACY_CPUS; cpu++)
        for (size_t k = 0; k < t->cpu_switches[cpu].n; k++) {
            const struct tracy_cpu_switch *s = pile_at(&t->cpu_switches[cpu], k);
            buf_printf(b, " %zu %" PRId64 " %" PRId64 " %u\n", cpu, s->start, s->end,
                       s->thread);
        }
    for (size_t i = 0; i < t->pids.n; i++)
        buf_printf(b, "pid %" PRIu64 " %" PRIu64 "\n", t->pids.v[i].tid, t->pids.v[i].pid);
    for (size_t i = 0; i < t->cpu_threads.n; i++) {
        const struct tracy_cpu_thread *c = &t->cpu_threads.v[i];
        buf_printf(b, "cpu thread %" PRIu64 " %" PRId64 " %u %u\n", c->tid, c->running,
                   c->regions, c->migrations);
    }
}

static void dump_symbols(struct buf *b, const struct tracy *t)
{
    put_bytes(b, "dictionary", t->image_dictionary);
    for (size_t i = 0; i < t->images.n; i++) {
        buf_printf(b, "image %u %u %u ", t->images.v[i].width, t->images.v[i].height,
                   t->images.v[i].is_flipped);
        put_bytes(b, "pixels", t->images.v[i].pixels);
    }
    for (size_t i = 0; i < t->code.n; i++) {
        buf_printf(b, "code %" PRIu64 " ", t->code.v[i].address);
        put_bytes(b, "bytes", t->code.v[i].code);
    }
    for (size_t i = 0; i < t->code_symbols.n; i++)
        buf_printf(b, "code symbol %" PRIu64 " %" PRIu64 "\n", t->code_symbols.v[i].code,
                   t->code_symbols.v[i].symbol);
    for (size_t i = 0; i < t->hardware.n; i++)
        for (size_t kind = 0; kind < TRACY_HW_KINDS; kind++)
            for (size_t k = 0; k < t->hardware.v[i].times[kind].n; k++)
                buf_printf(b, "hardware %" PRIu64 " %zu %" PRId64 "\n",
                           t->hardware.v[i].address, kind,
                           *(const int64_t *)pile_at(&t->hardware.v[i].times[kind], k));
    for (size_t i = 0; i < t->source_files.n; i++) {
        put_bytes(b, "source", t->source_files.v[i].name);
        put_bytes(b, "text", t->source_files.v[i].text);
    }
}

void tracy_dump_rest(struct buf *b, const struct tracy *t)
{
    dump_texts(b, t);
    dump_threads(b, t);
    dump_switches(b, t);
    dump_symbols(b, t);
}
