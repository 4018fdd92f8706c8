// dump_json.c - writing dump.json.
#include <stdio.h>

#include "collect/readout/dump_parts.h"

static const char *const kind_names[] = {"worker", "eth", "dispatch"};

static void json_key_flag(struct json *j, const char *key, bool is_set)
{
    if (is_set) {
        json_key(j, str_of(key));
        json_bool(j, true);
    }
}

static void put_stalls(struct json *j, const struct risc_health *riscs, int n_riscs)
{
    uint64_t n = 0;
    for (int r = 0; r < n_riscs; r++)
        n += riscs[r].stalls;
    if (!n)
        return;
    json_key(j, S("stalls")); // count and ns per RISC, over all read-outs so far
    json_open(j, '[');
    for (int r = 0; r < n_riscs; r++) {
        json_int(j, (int64_t)riscs[r].stalls);
        json_int(j, (int64_t)riscs[r].stall_ns);
    }
    json_close(j, ']');
}

static void write_core_entry(struct json *j, const struct chip_record *chip,
                             const struct dump_core *core)
{
    const struct tt_core *at = &chip->cores[core->core];
    json_newline(j);
    json_open(j, '{');
    json_key_int(j, "x", at->x);
    json_key_int(j, "y", at->y);
    json_key_int(j, "vx", at->vx);
    json_key_int(j, "vy", at->vy);
    json_key_int(j, "lx", at->lx);
    json_key_int(j, "ly", at->ly);
    json_key_int(j, "flat", at->flat);
    json_key_text(j, "type",
                  str_of(kind_names[at->kind <= TT_CORE_DISPATCH ? at->kind : 0]));
    json_key_int(j, "riscs", core_riscs(at));
    json_key_flag(j, "partial", core->is_partial);
    put_stalls(j, chip->riscs[core->core], core_riscs(at));
    json_close(j, '}');
}

static void put_traces(struct json *j, const struct chip_record *chip)
{
    json_key(j, S("replayed"));
    json_open(j, '[');
    for (size_t i = 0; i < chip->replayed.n; i++)
        json_int(j, chip->replayed.v[i]);
    json_close(j, ']');
    json_key(j, S("traces"));
    json_open(j, '{');
    for (size_t i = 0; i < chip->traces.n; i++) {
        char id[16];
        const struct trace_record *trace = &chip->traces.v[i];
        (void)snprintf(id, sizeof id, "%d", trace->id);
        json_key(j, str_of(id));
        json_open(j, '[');
        for (size_t k = 0; k < trace->programs.n; k++)
            json_int(j, trace->programs.v[k]);
        json_close(j, ']');
    }
    json_close(j, '}');
}

static void put_programs(struct json *j, const struct collection *c,
                         const struct chip_record *chip)
{
    json_key(j, S("programs"));
    json_open(j, '[');
    for (size_t i = 0; i < chip->programs.n; i++) {
        const struct program_record *p = &chip->programs.v[i];
        json_newline(j);
        json_open(j, '{');
        json_key_int(j, "id", p->base);
        json_key_text(j, "name", c->strings.keys.v[p->name]);
        if (p->sub_device >= 0)
            json_key_int(j, "sub_device", p->sub_device);
        if (p->sub_device_manager >= 0)
            json_key_int(j, "sub_device_manager", p->sub_device_manager);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void dump_put_chip(struct json *j, const struct collection *c,
                   const struct dump_geometry *g, const struct dump_part *p)
{
    const struct chip_record *chip = &c->chips.v[p->chip];
    uint64_t clock = 0;
    for (size_t i = 0; i < p->n_blocks; i++)
        clock = p->blocks[i]->clock > clock ? p->blocks[i]->clock : clock;
    json_newline(j);
    json_open(j, '{');
    json_key_int(j, "id", chip->id);
    json_key_int(j, "freq_mhz", chip->mhz);
    json_key_int(j, "max_compute_cores", chip->max_compute_cores);
    json_key_text(j, "dispatch", chip->dispatch);
    json_key_int(j, "noc_x", chip->noc_x);
    json_key_int(j, "noc_y", chip->noc_y);
    json_key_int(j, "dram_base", (int64_t)g->dram_base);
    json_key_int(j, "region_bytes", g->region_bytes);
    json_key_int(j, "cores_per_bank", g->cores_per_bank);
    json_key_int(j, "processors", g->processors);
    json_key_int(j, "clock_at_open", (int64_t)chip->clock_at_open);
    json_key_int(j, "clock", (int64_t)clock);
    put_traces(j, chip);
    put_programs(j, c, chip);
    json_key(j, S("cores"));
    json_open(j, '[');
    for (size_t i = 0; i < p->n_cores; i++)
        write_core_entry(j, chip, &p->cores[i]);
    json_close(j, ']');
    json_close(j, '}');
}

// Paths of this machine are of no use to a reader.
static bool is_place(const char *variable)
{
    static const char *const places[] = {"TT_METAL_PROFILER_DIR",
                                         "TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH",
                                         "TTPROF_DUMP_RAW"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(variable, places[i]) == 0)
            return true;
    return false;
}

// Writes every option that differs from its default: a reader needs them to decode.
static void put_options(struct json *j, const struct profiler_options *o)
{
    struct profiler_setting settings[PROFILER_SETTINGS_MOST];
    struct arena a = {0};
    size_t n = profiler_settings(o, NULL, settings, &a);
    json_key(j, S("options"));
    json_open(j, '{');
    for (size_t i = 0; i < n; i++)
        if (strcmp(settings[i].source, "default") != 0 && !is_place(settings[i].variable))
            json_key_text(j, settings[i].variable, str_of(settings[i].value));
    json_close(j, '}');
    arena_free(&a);
}

void dump_put_document(struct buf *b, const struct profiler_options *o, const char *arch,
                       uint32_t n_readouts, str chips)
{
    struct json j = {.b = b, .is_first = true};
    json_open(&j, '{');
    json_key_text(&j, "layout", S("v2"));
    json_key_text(&j, "arch", str_of(arch));
    if (n_readouts)
        json_key_int(&j, "readouts", n_readouts);
    put_options(&j, o);
    json_key(&j, S("chips"));
    json_open(&j, '[');
    buf_str(b, chips);
    json_close(&j, ']');
    json_close(&j, '}');
    buf_char(b, '\n');
}
