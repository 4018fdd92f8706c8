// tracy_dump.c - the contents of a Tracy trace as plain text.
#include "tracy_dump.h"

#include <inttypes.h>
#include <stdlib.h>

#include "formats/tracy/tracy_colour.h"

// Ends of lines are shown as |, so that each thing is one line.
static void put_text(struct buf *b, str s)
{
    for (size_t i = 0; i < s.n; i++)
        buf_char(b, s.p[i] == '\n' ? '|' : s.p[i]);
}

static void put_optional(struct buf *b, const struct tracy *t, uint32_t text)
{
    put_text(b, text ? tracy_string(t, text - 1) : S("-"));
}

static unsigned ref_bits(struct tracy_ref r)
{
    return (unsigned)r.is_number | (unsigned)r.is_set << 1;
}

// --- the recording, frames, threads, places ----------------------------------------------

static void dump_head(struct buf *b, const struct tracy *t)
{
    buf_printf(b,
               "hdr delay %" PRId64 " res %" PRId64 " mul %.9g last %" PRId64
               " off %" PRIu64 " pid %" PRIu64 " samp %" PRId64
               " arch %u cpu %x od %u\ncap ",
               t->delay, t->resolution, t->ns_per_tick, t->last_time, t->frame_offset,
               t->pid, t->sampling_period, t->cpu_arch, t->cpu_id, t->is_on_demand);
    put_text(b, t->capture_name);
    buf_z(b, " prog ");
    put_text(b, t->program);
    buf_printf(b, " time %" PRIu64 " exec %" PRIu64 "\n", t->capture_time,
               t->executable_time);
    for (size_t i = 0; i < t->topology.n; i++) {
        const struct tracy_cpu *c = &t->topology.v[i];
        buf_printf(b, "topo %u %u %u %u\n", c->package, c->die, c->core, c->thread);
    }
    if (!t->crash.thread && !t->crash.time && !t->crash.text && !t->crash.stack)
        return;
    buf_printf(b, "crash thr %" PRIu64 " t %" PRId64 " msg ", t->crash.thread,
               t->crash.time);
    put_text(b, tracy_keyed_text(t, t->crash.text));
    buf_printf(b, " cs %u\n", t->crash.stack);
}

static void dump_frames(struct buf *b, const struct tracy *t)
{
    for (size_t i = 0; i < t->frame_sets.n; i++) {
        const struct tracy_frames *set = &t->frame_sets.v[i];
        buf_z(b, "frameset ");
        put_text(b, tracy_keyed_text(t, set->name));
        buf_printf(b, " cont %d n %zu\n", set->is_continuous, set->frames.n);
        for (size_t k = 0; k < set->frames.n; k++) {
            const struct tracy_frame *f = pile_at(&set->frames, k);
            buf_printf(b, " frame %" PRId64 " %" PRId64 " %d\n", f->start, f->end,
                       f->image);
        }
    }
    for (size_t i = 0; i < t->sections.n; i++)
        for (size_t k = 0; k < t->sections.v[i].spans.n; k++) {
            const struct tracy_span *s = &t->sections.v[i].spans.v[k];
            buf_printf(b, "span %u %" PRId64 " %" PRId64 " ", t->sections.v[i].category,
                       s->start, s->end);
            put_optional(b, t, s->text);
            buf_char(b, '\n');
        }
    for (size_t i = 0; i < t->section_names.n; i++) {
        buf_printf(b, "category %u ", t->section_names.v[i].category);
        put_optional(b, t, t->section_names.v[i].name);
        buf_char(b, '\n');
    }
}

static void put_ref(struct buf *b, const struct tracy *t, struct tracy_ref r)
{
    put_text(b, r.is_set ? tracy_ref_text(t, r) : S("-"));
    buf_char(b, ' ');
}

static void put_place(struct buf *b, const struct tracy *t, const struct tracy_place *p)
{
    put_ref(b, t, p->name);
    put_ref(b, t, p->function);
    put_ref(b, t, p->file);
    buf_printf(b, "%u %06x b %u%u%u\n", p->line, tracy_swap_colour(p->colour),
               ref_bits(p->name), ref_bits(p->function), ref_bits(p->file));
}

static void dump_places(struct buf *b, const struct tracy *t)
{
    for (size_t i = 0; i < t->thread_names.n; i++) {
        buf_printf(b, "thread %" PRIu64 " name ", t->thread_names.v[i].key);
        put_text(b, tracy_string(t, t->thread_names.v[i].a));
        buf_char(b, '\n');
    }
    for (size_t i = 0; i < t->threads_used.n; i++)
        buf_printf(b, "tcomp %zu %" PRIu64 "\n", i, t->threads_used.v[i]);
    for (size_t i = 0; i < t->places.n; i++) {
        buf_printf(b, "srcloc %zu ", i);
        if (t->place_keys.v[i])
            put_place(b, t, &t->places.v[i]);
        else
            buf_z(b, "(no entry, key 0)\n");
    }
    for (size_t i = 0; i < t->made_places.n; i++) {
        buf_printf(b, "sdyn %zu ", i);
        put_place(b, t, &t->made_places.v[i]);
    }
}

// --- zones per place, which count those that ended
struct counts {
    uint64_t *places, *made;
};

static void counts_print(struct buf *b, const struct tracy *t, struct counts *c,
                         const char *word)
{
    for (size_t i = 0; i < t->places.n; i++)
        if (c->places[i])
            buf_printf(b, "%s %zu %" PRIu64 "\n", word, i, c->places[i]);
    for (size_t i = 0; i < t->made_places.n; i++)
        if (c->made[i])
            buf_printf(b, "%s -%zu %" PRIu64 "\n", word, i + 1, c->made[i]);
    mem_free(c->places);
    mem_free(c->made);
}

static void count_place(const struct tracy *t, struct counts *c, int32_t place)
{
    if (place >= 0 && (size_t)place < t->places.n)
        c->places[place]++;
    else if (place < 0 && (size_t) - (place + 1) < t->made_places.n)
        c->made[-(place + 1)]++;
}

static void dump_counts(struct buf *b, const struct tracy *t)
{
    struct counts c = {mem_alloc(8 * t->places.n + 8), mem_alloc(8 * t->made_places.n + 8)};
    for (size_t i = 0; i < t->threads.n; i++)
        for (size_t k = 0; k < t->threads.v[i].zones.n; k++) {
            const struct tracy_zone *z = pile_at(&t->threads.v[i].zones, k);
            if (z->end != -1)
                count_place(t, &c, z->place);
        }
    counts_print(b, t, &c, "zc");
}

// --- events ------------------------------------------------------------------------------

static void dump_locks(struct buf *b, const struct tracy *t)
{
    for (size_t i = 0; i < t->locks.n; i++) {
        const struct tracy_lock *l = &t->locks.v[i];
        buf_printf(b, "lock %u name ", l->id);
        put_optional(b, t, l->name);
        buf_printf(b, " src %d type %u valid %u ann %" PRId64 " term %" PRId64 "\n",
                   l->place, l->type, l->is_valid, l->announced, l->terminated);
        for (size_t k = 0; k < l->threads.n; k++)
            buf_printf(b, " lthr %" PRIu64 "\n", l->threads.v[k]);
        for (size_t k = 0; k < l->events.n; k++) {
            const struct tracy_lock_event *e = pile_at(&l->events, k);
            buf_printf(b, " lev %" PRId64 " src %d thr %u ev %u\n", e->time, e->place,
                       e->thread, e->kind);
        }
    }
}

static void dump_messages(struct buf *b, const struct tracy *t)
{
    for (size_t i = 0; i < t->messages.n; i++) {
        const struct tracy_message *m = pile_at(&t->messages, i);
        buf_printf(b, "msg %" PRId64 " ", m->time);
        put_ref(b, t, m->text);
        buf_printf(b, "b%u col %08x cs %u src %u sev %u\n", ref_bits(m->text), m->colour,
                   m->stack, m->source, m->severity);
    }
}

static void put_zone_name(struct buf *b, const struct tracy *t, int32_t place)
{
    const struct tracy_place *p = tracy_place_of(t, place);
    put_ref(b, t, p->name.is_set ? p->name : p->function);
}

static void dump_zone(struct buf *b, const struct tracy *t, const struct tracy_zone *z)
{
    buf_z(b, " z ");
    put_zone_name(b, t, z->place);
    buf_printf(b, "%d %" PRId64 " %" PRId64 " ch %u", z->place, z->start, z->end,
               z->children);
    if (z->extra) {
        const struct tracy_extra *x = pile_at(&t->extras, z->extra);
        buf_z(b, " text ");
        put_optional(b, t, x->text);
        buf_z(b, " name ");
        put_optional(b, t, x->name);
        buf_printf(b, " col %06x cs %u", tracy_swap_colour(x->colour), x->stack);
    }
    buf_char(b, '\n');
}

// Zones of a thread that are in no other zone.
static size_t count_roots(const struct pile *zones)
{
    size_t inner = 0;
    for (size_t k = 0; k < zones->n; k++)
        inner += ((const struct tracy_zone *)pile_at(zones, k))->children;
    return zones->n - inner;
}

static void dump_threads(struct buf *b, const struct tracy *t)
{
    size_t parents = 0;
    for (size_t i = 0; i < t->threads.n; i++)
        for (size_t k = 0; k < t->threads.v[i].zones.n; k++)
            parents +=
                ((const struct tracy_zone *)pile_at(&t->threads.v[i].zones, k))->children >
                0;
    buf_printf(b, "zones %" PRIu64 " parents %zu\n", tracy_zone_count(t), parents);
    for (size_t i = 0; i < t->threads.n; i++) {
        const struct tracy_thread *th = &t->threads.v[i];
        buf_printf(b,
                   "THREAD %" PRIu64
                   " count %zu fiber %d hint %d root %zu msgs %zu cs %zu s %zu\n",
                   th->id, th->zones.n, th->is_fiber, th->group, count_roots(&th->zones),
                   th->messages.n, th->switch_samples.n, th->samples.n);
        for (size_t k = 0; k < th->zones.n; k++)
            dump_zone(b, t, pile_at(&th->zones, k));
    }
}

static void dump_lane(struct buf *b, const struct tracy *t, const struct tracy_lane *l)
{
    size_t inner = 0;
    for (size_t k = 0; k < l->zones.n; k++)
        inner += ((const struct tracy_gpu_zone *)pile_at(&l->zones, k))->children;
    buf_printf(b, " LANE %" PRIu64 " root %zu\n", l->thread, l->zones.n - inner);
    for (size_t k = 0; k < l->zones.n; k++) {
        const struct tracy_gpu_zone *z = pile_at(&l->zones, k);
        buf_z(b, "  g ");
        put_zone_name(b, t, z->place);
        buf_printf(b,
                   "%d cpu %" PRId64 " %" PRId64 " gpu %" PRId64 " %" PRId64
                   " cs %u thr %u ch %u q %u\n",
                   z->place, z->cpu_start, z->cpu_end, z->start, z->end, z->stack,
                   z->thread, z->children, z->query);
    }
}

static size_t count_noted(const struct tracy_gpu *g)
{
    size_t n = 0;
    for (size_t i = 0; i < g->notes.n; i++)
        n += i == 0 || g->notes.v[i].query != g->notes.v[i - 1].query;
    return n;
}

static void dump_gpu(struct buf *b, const struct tracy *t, const struct tracy_gpu *g)
{
    buf_printf(b, "CTX thr %" PRIu64 " cal %d count %" PRIu64 " per %g type %u name ",
               g->thread, g->is_calibrated, g->n_zones, (double)g->period, g->type);
    put_optional(b, t, g->name);
    buf_printf(b, " over %" PRIu64 " notes %zu ann %zu\n", g->overflow, g->note_names.n,
               count_noted(g));
    for (size_t k = 0; k < g->note_names.n; k++) {
        buf_printf(b, " note %" PRId64 " ", g->note_names.v[k].id);
        put_optional(b, t, g->note_names.v[k].name);
        buf_char(b, '\n');
    }
    for (size_t k = 0; k < g->notes.n; k++)
        buf_printf(b, " ann q %u id %" PRId64 " v %g\n", g->notes.v[k].query,
                   g->notes.v[k].id, g->notes.v[k].value);
    for (size_t k = 0; k < g->lanes.n; k++)
        dump_lane(b, t, &g->lanes.v[k]);
}

static void dump_gpus(struct buf *b, const struct tracy *t)
{
    uint64_t zones = 0, parents = 0;
    for (size_t i = 0; i < t->gpus.n; i++) {
        const struct tracy_gpu *g = &t->gpus.v[i];
        zones += g->n_zones;
        for (size_t k = 0; k < g->lanes.n; k++)
            for (size_t z = 0; z < g->lanes.v[k].zones.n; z++)
                parents += ((const struct tracy_gpu_zone *)pile_at(&g->lanes.v[k].zones, z))
                               ->children > 0;
    }
    buf_printf(b, "gpu %" PRIu64 " parents %" PRIu64 "\n", zones, parents);
    for (size_t i = 0; i < t->gpus.n; i++)
        dump_gpu(b, t, &t->gpus.v[i]);
}

static void dump_plots(struct buf *b, const struct tracy *t)
{
    for (size_t i = 0; i < t->plots.n; i++) {
        const struct tracy_plot *p = &t->plots.v[i];
        uint32_t colour =
            t->generation == TRACY_U14 ? tracy_swap_colour(p->colour) : p->colour;
        buf_z(b, "plot ");
        put_text(b, tracy_keyed_text(t, p->name));
        buf_printf(b,
                   " type %u fmt %u step %u fill %u col %06x min %g max %g sum %g n %zu\n",
                   p->type, p->format, p->is_step, p->is_filled, colour, p->min, p->max,
                   p->sum, p->points.n);
        for (size_t k = 0; k < p->points.n; k++) {
            const struct tracy_point *point = pile_at(&p->points, k);
            buf_printf(b, " pt %" PRId64 " %g\n", point->time, point->value);
        }
    }
}

static void dump_pools(struct buf *b, const struct tracy *t)
{
    size_t events = 0;
    for (size_t i = 0; i < t->pools.n; i++)
        events += t->pools.v[i].events.n;
    buf_printf(b, "mem events %zu\n", events);
    for (size_t i = 0; i < t->pools.n; i++) {
        const struct tracy_pool *p = &t->pools.v[i];
        buf_z(b, "pool ");
        put_text(b, p->name ? tracy_keyed_text(t, p->name) : S("0"));
        buf_printf(b,
                   " n %zu frees %" PRIu64 " high %" PRIx64 " low %" PRIx64 " use %" PRIu64
                   "\n",
                   p->events.n, p->n_frees, p->high, p->low, p->usage);
        for (size_t k = 0; k < p->events.n; k++) {
            const struct tracy_memory_event *e = pile_at(&p->events, k);
            buf_printf(b,
                       " mev %" PRIx64 " %" PRIu64 " %" PRId64 " %" PRId64
                       " thr %u %u cs %u %u\n",
                       e->address, e->bytes, e->alloc_time, e->free_time, e->alloc_thread,
                       e->free_thread, e->alloc_stack, e->free_stack);
        }
    }
}

// --- callstacks, symbols, and how long the other sections are --------------------------

static void dump_stacks(struct buf *b, const struct tracy *t)
{
    for (size_t i = 0; i < t->app_info.n; i++) {
        buf_z(b, "app ");
        put_text(b, tracy_ref_text(t, t->app_info.v[i]));
        buf_char(b, '\n');
    }
    for (size_t i = 0; i < t->stacks.n; i++) {
        buf_printf(b, "callstack %zu", i + 1);
        for (size_t k = 0; k + 8 <= t->stacks.v[i].n; k += 8) {
            uint64_t address;
            memcpy(&address, t->stacks.v[i].p + k, 8);
            buf_printf(b, " %" PRIx64, address);
        }
        buf_char(b, '\n');
    }
    for (size_t i = 0; i < t->stack_entries.n; i++) {
        const struct tracy_stack_entry *x = &t->stack_entries.v[i];
        buf_printf(b, "csframe %" PRIx64 " n %zu image ", x->address, x->frames.n);
        put_optional(b, t, x->image);
        buf_char(b, '\n');
        for (size_t k = 0; k < x->frames.n; k++) {
            const struct tracy_stack_frame *f = &x->frames.v[k];
            buf_z(b, " csf name ");
            put_optional(b, t, f->name);
            buf_z(b, " file ");
            put_optional(b, t, f->file);
            buf_printf(b, " line %u sym %" PRIx64 "\n", f->line, f->symbol);
        }
    }
}

static void dump_symbols(struct buf *b, const struct tracy *t)
{
    buf_printf(b, "symbols plain %" PRIu64 " inline %" PRIu64 " n %zu\n",
               t->n_plain_symbols, t->n_inline_symbols, t->symbols.n);
    for (size_t i = 0; i < t->symbols.n; i++) {
        const struct tracy_symbol *s = &t->symbols.v[i];
        buf_printf(b, " sym %" PRIx64 " name ", s->address);
        put_optional(b, t, s->name);
        buf_z(b, " file ");
        put_optional(b, t, s->file);
        buf_printf(b, " line %u image ", s->line);
        put_optional(b, t, s->image);
        buf_z(b, " callfile ");
        put_optional(b, t, s->call_file);
        buf_printf(b, " callline %u inline %u size %u\n", s->call_line, s->is_inline,
                   s->size);
    }
}

static void dump_sizes(struct buf *b, const struct tracy *t)
{
    size_t images = 12 + t->image_dictionary.n, switches = 8, cpus = 8 + 8 * TRACY_CPUS;
    for (size_t i = 0; i < t->images.n; i++)
        images += 5 + t->images.v[i].pixels.n;
    for (size_t i = 0; i < t->switches.n; i++)
        switches +=
            16 + t->switches.v[i].switches.n * (t->generation == TRACY_U14 ? 36 : 35);
    for (size_t i = 0; i < TRACY_CPUS; i++)
        cpus += 18 * t->cpu_switches[i].n;
    size_t code = 8, hardware = 8, sources = 8;
    for (size_t i = 0; i < t->code.n; i++)
        code += 12 + t->code.v[i].code.n;
    for (size_t i = 0; i < t->hardware.n; i++) {
        hardware += 56;
        for (size_t k = 0; k < TRACY_HW_KINDS; k++)
            hardware += 8 * t->hardware.v[i].times[k].n;
    }
    for (size_t i = 0; i < t->source_files.n; i++)
        sources += 8 + t->source_files.v[i].name.n + t->source_files.v[i].text.n;
    buf_printf(b, "section 27 (frame images) bytes %zu\n", images);
    buf_printf(b, "section 28 (context switches) bytes %zu\n", switches);
    buf_printf(b, "section 29 (cpu switches) bytes %zu\n", cpus);
    buf_printf(b, "section 30 (tid to pid) bytes %zu\n", 8 + 16 * t->pids.n);
    buf_printf(b, "section 31 (cpu thread data) bytes %zu\n", 8 + 24 * t->cpu_threads.n);
    buf_printf(b, "section 33 (symbol code) bytes %zu\n", code);
    buf_printf(b, "section 34 (code to symbol) bytes %zu\n", 8 + 16 * t->code_symbols.n);
    buf_printf(b, "section 35 (hw samples) bytes %zu\n", hardware);
    buf_printf(b, "section 36 (source files) bytes %zu\n", sources);
}

void tracy_dump(struct buf *b, const struct tracy *t)
{
    dump_head(b, t);
    dump_frames(b, t);
    dump_places(b, t);
    dump_counts(b, t);
    dump_locks(b, t);
    dump_messages(b, t);
    dump_threads(b, t);
    dump_gpus(b, t);
    dump_plots(b, t);
    dump_pools(b, t);
    dump_stacks(b, t);
    dump_symbols(b, t);
    dump_sizes(b, t);
}

// --- canonical order ---------------------------------------------------------------------

static size_t depth_of(str line)
{
    size_t n = 0;
    while (n < line.n && line.p[n] == ' ')
        n++;
    return n;
}

static str word_of(str line)
{
    str rest = str_from(line, depth_of(line));
    return str_cut(&rest, ' ');
}

// A line and the deeper ones that follow it.
static str take_unit(str *rest)
{
    str from = *rest;
    size_t depth = depth_of(str_cut(rest, '\n'));
    while (rest->n && depth_of(*rest) > depth)
        (void)str_cut(rest, '\n');
    return (str){from.p, from.n - rest->n};
}

static bool is_unordered(str word)
{
    static const char *const words[] = {"topo", "thread", "zc",   "LANE",    "note",
                                        "ann",  "pool",   "plot", "csframe", "sym"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_is(word, words[i]))
            return true;
    return false;
}

static bool is_optional(str unit)
{
    str rest = unit, line = str_cut(&rest, '\n'), word = word_of(line);
    return str_is(word, "gc") || (str_is(word, "zc") && str_ends(line, S(" 0")));
}

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

void tracy_dump_canonical(struct buf *b, str dump)
{
    VEC(str) same = {0};
    for (str rest = dump; rest.n;) {
        str unit = take_unit(&rest), word = word_of(unit);
        if (is_optional(unit))
            continue;
        vec_push(&same, unit);
        str next = rest;
        while (next.n && is_optional(next))
            (void)str_cut(&next, '\n');
        if (next.n && is_unordered(word) && str_eq(word, word_of(next)) &&
            depth_of(next) == depth_of(unit))
            continue;
        if (same.n > 1)
            qsort(same.v, same.n, sizeof *same.v, by_text);
        for (size_t i = 0; i < same.n; i++) {
            str inner = same.v[i], line = str_cut(&inner, '\n');
            buf_str(b, line);
            buf_char(b, '\n');
            tracy_dump_canonical(b, inner);
        }
        same.n = 0;
    }
    vec_free(&same);
}
