// device_profiler.c - a profiled device from attach to detach.
#include "profiler/device_profiler.h"

#include <pthread.h>
#include <stdio.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/text/log.h"

#include "analyse/perf/perf_data.h"
#include "collect/decode/decode.h"
#include "collect/readout/host_events.h"
#include "profiler/profiler_clocks.h"
#include "profiler/profiler_run.h"
#include "ttprof/host.h"

struct open_trace {
    int chip, id; // chip: its id
};

struct ttprof_profiler {
    struct tt_access access;
    struct collection c;
    struct readout *readout; // NULL: profiling is off, nothing below is set
    struct decoder *decoder;
    struct sync *sync; // NULL: not requested
    struct perf_data perf;
    struct dump_totals totals;
    struct buf *messages; // NULL: stderr
    struct map told;      // lines printed so far
    struct arena told_arena;
    VEC(struct open_trace) traces; // of a device that is not profiled
    uint64_t last_read;            // bit per chip: READ_LAST happens once
    bool is_appending;             // the log has rows of this process
    struct err error;              // of the last call that failed, for the C API
};

// --- messages --------------------------------------------------------------------------
static void print_line(ttprof_profiler *p, str line)
{
    if (p->messages)
        buf_printf(p->messages, "%.*s\n", STR(line));
    else
        log_line("%.*s", STR(line));
}

// Prints a warning once: read-outs repeat conditions that persist.
static void warn_once(ttprof_profiler *p, str line)
{
    size_t known = p->told.keys.n;
    if (map_put_copy(&p->told, line.p, line.n, &p->told_arena) == known)
        print_line(p, line);
}

static void warn_lines_once(ttprof_profiler *p, struct buf *lines)
{
    str rest = buf_view(lines);
    while (rest.n)
        warn_once(p, str_cut(&rest, '\n'));
    lines->n = 0;
}

// Prints lines even if they repeat.
static void print_lines(ttprof_profiler *p, struct buf *lines)
{
    str rest = buf_view(lines);
    while (rest.n)
        print_line(p, str_cut(&rest, '\n'));
    lines->n = 0;
}

// Prints a text as a whole, tables included.
static void print_text(ttprof_profiler *p, const struct buf *text)
{
    if (p->messages)
        buf_str(p->messages, buf_view(text));
    else
        log_text(buf_view(text), false);
}

static void warn_accumulate(ttprof_profiler *p)
{
    warn_once(
        p,
        S("===================================== L1-ACCUMULATE PROFILING ====================================="));
    warn_once(
        p,
        S("Markers of several programs share one buffer without program ids: no ids, no ops report, no clock sync."));
    warn_once(
        p,
        S("==================================================================================================="));
}

static bool has_dispatch_cores(const struct collection *c)
{
    for (size_t i = 0; i < c->chips.n; i++)
        for (size_t k = 0; k < c->chips.v[i].n_cores; k++)
            if (c->chips.v[i].cores[k].kind == TT_CORE_DISPATCH)
                return true;
    return false;
}

static void tell_of_dispatch(ttprof_profiler *p)
{
    if (has_dispatch_cores(&p->c))
        warn_once(
            p,
            S("dispatch cores are profiled: each of their commands takes longer, so gaps between ops are an upper bound"));
    else
        warn_once(
            p,
            S("no dispatch cores to profile: the host launches programs itself (slow dispatch); use the device with dispatch=fast"));
}

// --- folders ---------------------------------------------------------------------------
// Folders that this process has written logs into. A device that is opened again appends to
// its log; files of an earlier process are deleted once.
static struct {
    pthread_mutex_t lock;
    struct map known;
    struct arena arena;
} begun = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_first_of_process(const char *folder)
{
    (void)pthread_mutex_lock(&begun.lock);
    size_t known = begun.known.keys.n;
    bool is_new = map_put_copy(&begun.known, folder, strlen(folder), &begun.arena) == known;
    (void)pthread_mutex_unlock(&begun.lock);
    return is_new;
}

static bool begin_folder(ttprof_profiler *p, struct err *e)
{
    char logs[600];
    if (p->c.options.no_files)
        return true;
    profiler_logs_folder(&p->c.options, logs, sizeof logs);
    if (!folder_make(logs, e))
        return false;
    p->is_appending = !is_first_of_process(logs);
    if (!p->is_appending)
        collection_delete_files(&p->c.options);
    return true;
}

// --- sync ------------------------------------------------------------------------------
// A failed sync does not fail the run: its rows are still useful.
static void sync_now(ttprof_profiler *p)
{
    struct err e = {0};
    if (!p->sync)
        return;
    TTPROF_ZONE("SyncHostDevice");
    for (size_t i = 0; i < p->c.chips.n; i++)
        for (size_t k = 0; k < p->c.chips.v[i].n_cores; k++)
            if (p->c.chips.v[i].core_health[k].is_partial) {
                warn_once(p, S("no clock sync: a program on the device does not end"));
                return;
            }
    if (!sync_run(p->sync, &e)) {
        struct buf line = {0};
        buf_printf(&line, "clock sync failed: %s\n", e.text);
        warn_lines_once(p, &line);
        buf_free(&line);
    }
    print_lines(p, sync_log(p->sync));
    for (size_t i = 0; i < p->c.chips.n; i++)
        p->c.chips.v[i].clock = sync_model(p->sync, (int)i);
}

static bool write_sync(ttprof_profiler *p, struct err *e)
{
    char path[700];
    if (!p->sync || p->c.options.no_files)
        return true;
    profiler_logs_folder(&p->c.options, path, sizeof path);
    size_t n = strlen(path);
    (void)snprintf(path + n, sizeof path - n, "sync_device_info.csv");
    return sync_write(p->sync, path, e);
}

// --- writing ---------------------------------------------------------------------------
static bool dump_files(ttprof_profiler *p, bool is_last, struct err *e)
{
    TTPROF_ZONE("DumpDeviceProfilerResults");
    const struct profiler_options *o = &p->c.options;
    bool keeps_perf = o->mid_run_dump && o->cpp_post_process;
    struct buf lines = {0};
    p->totals.messages = &lines;
    p->totals.perf = keeps_perf ? &p->perf : NULL;
    bool is_written =
        collection_write_files(&p->c, p->decoder, is_last, p->is_appending, &p->totals, e);
    p->is_appending |= is_written;
    p->perf.goes_on = false;
    print_text(p, &lines);
    buf_free(&lines);
    bool is_complete = is_written && write_sync(p, e) && profiler_write_clocks(&p->c, e);
    profiler_run_show(&p->c);
    return is_complete;
}

// The watermark made the host read; what it read goes to the files at once. A file that
// cannot be written fails the dump at the end as well.
static void dump_mid_run(void *context)
{
    ttprof_profiler *p = context;
    struct err e = {0};
    warn_lines_once(p, readout_warnings(p->readout));
    if (!p->c.options.mid_run_dump)
        return;
    if (!dump_files(p, false, &e))
        warn_once(p, str_of(e.text));
    p->perf.goes_on = true; // the next read asked for has these programs, too
}

// --- opening ---------------------------------------------------------------------------
static void profiler_free(ttprof_profiler *p)
{
    readout_close(p->readout);
    if (p->decoder)
        decoder_free(p->decoder);
    if (p->sync)
        sync_free(p->sync);
    perf_data_free(&p->perf);
    vec_free(&p->traces);
    collection_free(&p->c);
    map_free(&p->told);
    arena_free(&p->told_arena);
    mem_free(p);
}

static bool start(ttprof_profiler *p, struct err *e)
{
    const char *raw = p->c.options.dump_raw;
    if (!profiler_run_enter(&p->c, e) || (raw[0] && !folder_make(raw, e)) ||
        !begin_folder(p, e))
        return false;
    p->readout = readout_open(&p->access, &p->c, e);
    if (!p->readout)
        return false;
    p->decoder = decoder_new(&p->c);
    readout_on_watermark(p->readout, dump_mid_run, p);
    warn_lines_once(p, readout_warnings(p->readout));
    if (p->c.options.accumulate)
        warn_accumulate(p);
    if (p->c.options.dispatch)
        tell_of_dispatch(p);
    if (p->c.options.sync)
        p->sync = sync_new(&p->access, &p->c.options);
    sync_now(p);
    return collection_write_topology(&p->c, e);
}

// Buffers and traces are reported without profiling too: the report of such a run still has
// its replays.
bool device_profiler_hears(const struct profiler_options *o)
{
    return o->memory || (o->trace_tracking && ttprof_is_on());
}

static void note_trace(ttprof_profiler *p, int chip, const struct tt_event *event)
{
    if (event->kind == TT_EVENT_TRACE_END)
        vec_push(&p->traces, ((struct open_trace){chip, event->trace}));
    for (size_t i = 0; i < p->traces.n && event->kind == TT_EVENT_TRACE_RELEASE; i++)
        if (p->traces.v[i].chip == chip && p->traces.v[i].id == event->trace)
            p->traces.v[i] = p->traces.v[--p->traces.n];
}

static void on_event(void *context, const struct tt_event *event)
{
    ttprof_profiler *p = context;
    struct tt_chip chip;
    collection_buffer_event(&p->c, event);
    if (p->access.get_chip(p->access.device, event->chip, &chip) != 0)
        return;
    host_event(&p->c.options, chip.id, event);
    note_trace(p, chip.id, event);
}

static bool start_hearing(ttprof_profiler *p, struct err *e)
{
    if (device_profiler_hears(&p->c.options) && p->access.on_event)
        (void)p->access.on_event(p->access.device, on_event, p);
    return !p->c.options.memory || profiler_run_enter(&p->c, e);
}

ttprof_profiler *device_profiler_open(const struct tt_access *access,
                                      const struct profiler_options *o,
                                      struct buf *messages, struct err *e)
{
    TTPROF_ZONE("AttachDeviceProfiler");
    ttprof_profiler *p = mem_alloc(sizeof *p);
    p->access = *access;
    p->messages = messages;
    p->c.options = *o;
    p->c.access = &p->access;
    if (o->is_enabled ? start(p, e) : start_hearing(p, e))
        return p;
    profiler_free(p);
    return NULL;
}

// --- reading ---------------------------------------------------------------------------
bool device_profiler_dump(ttprof_profiler *p, struct err *e)
{
    return !p->readout || dump_files(p, false, e);
}

// The chip's bit, or all; 0: more chips than bits, which may be read repeatedly.
static uint64_t chip_bits(const ttprof_profiler *p, int chip)
{
    size_t n = p->c.chips.n;
    if (n > 63)
        return 0;
    return chip < 0 ? (UINT64_C(1) << n) - 1 : UINT64_C(1) << chip;
}

static bool is_needless(const ttprof_profiler *p, int chip, enum read_state state)
{
    uint64_t bits = chip_bits(p, chip);
    if (state == READ_LAST)
        return bits && (p->last_read & bits) == bits;
    return state == READ_ONLY_DISPATCH && !p->c.options.dispatch;
}

bool device_profiler_read(ttprof_profiler *p, int chip, enum read_state state,
                          struct err *e)
{
    const struct profiler_options *o = &p->c.options;
    if (!p->readout)
        return true;
    if (chip >= (int)p->c.chips.n)
        return err_set(e, ERR_USAGE, "no chip %d: the device has %zu", chip, p->c.chips.n);
    if (is_needless(p, chip, state))
        return true;
    TTPROF_ZONE("ReadDeviceProfilerResults");
    bool is_read = chip < 0 ? readout_all(p->readout, state, e)
                            : readout_chip(p->readout, chip, state, e);
    warn_lines_once(p, readout_warnings(p->readout));
    if (!is_read)
        return false;
    if (state == READ_LAST)
        p->last_read |= chip_bits(p, chip);
    if (state == READ_NORMAL && p->sync && sync_is_due(p->sync))
        sync_now(p);
    return state != READ_NORMAL || !o->mid_run_dump || dump_files(p, false, e);
}

static void release_traces(const ttprof_profiler *p)
{
    for (size_t i = 0; i < p->c.chips.n; i++)
        for (size_t k = 0; k < p->c.chips.v[i].traces.n; k++)
            if (!p->c.chips.v[i].traces.v[k].is_released)
                host_event_release(&p->c.options, p->c.chips.v[i].id,
                                   p->c.chips.v[i].traces.v[k].id);
    for (size_t i = 0; i < p->traces.n; i++)
        host_event_release(&p->c.options, p->traces.v[i].chip, p->traces.v[i].id);
}

bool device_profiler_close(ttprof_profiler *p, struct err *e)
{
    if (!p)
        return true;
    TTPROF_ZONE("DetachDeviceProfiler");
    bool is_fine = true;
    if (p->readout) {
        // Write what is available whatever failed before; report the first failure.
        struct err later = {0};
        is_fine = device_profiler_read(p, -1, READ_LAST, e);
        if (p->c.options.dispatch)
            readout_end_dispatch(p->readout);
        is_fine &= device_profiler_read(p, -1, READ_ONLY_DISPATCH, is_fine ? e : &later);
        sync_now(p);
        is_fine &= dump_files(p, true, is_fine ? e : &later);
    } else {
        if (device_profiler_hears(&p->c.options) && p->access.on_event)
            (void)p->access.on_event(p->access.device, NULL, NULL);
        is_fine = collection_write_memory(&p->c, e);
    }
    release_traces(p);
    profiler_free(p);
    return is_fine;
}

bool device_profiler_set_folder(ttprof_profiler *p, const char *folder, struct err *e)
{
    return profiler_options_set(&p->c.options, S("TT_METAL_PROFILER_DIR"), str_of(folder),
                                e) &&
           (!p->readout || (profiler_run_enter(&p->c, e) && begin_folder(p, e)));
}

bool device_profiler_fresh_log(ttprof_profiler *p, struct err *e)
{
    (void)e;
    if (p->readout && !p->c.options.no_files) {
        collection_delete_files(&p->c.options);
        p->is_appending = false;
    }
    return true;
}

bool device_profiler_memory(ttprof_profiler *p, const struct memory_record *record,
                            str pool, str name, struct err *e)
{
    static const char *const pools[] = {"DRAM", "L1", "SYSTEM_MEMORY", "L1_SMALL", "TRACE"};
    bool is_known = false;
    if (!p->c.options.memory)
        return true;
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        is_known |= str_is(pool, pools[i]);
    if (!is_known)
        return err_set(
            e, ERR_USAGE,
            "unknown memory '%.*s'; use DRAM, L1, SYSTEM_MEMORY, L1_SMALL or TRACE",
            STR(pool));
    struct memory_record m = *record;
    m.host_ns = p->access.host_ns ? p->access.host_ns(p->access.device) : 0;
    collection_add_memory(&p->c, &m, pool, name);
    host_event_buffer(m.chip, m.is_alloc, pool, m.address, m.bytes);
    return true;
}

void device_profiler_set_timeout(ttprof_profiler *p, uint64_t ns)
{
    if (p->readout)
        readout_set_timeout(p->readout, ns);
}

// --- parts -----------------------------------------------------------------------------
const struct tt_access *device_profiler_access(const ttprof_profiler *p)
{
    return &p->access;
}

struct collection *device_profiler_collection(ttprof_profiler *p)
{
    return p->readout ? &p->c : NULL;
}

struct perf_data *device_profiler_perf(ttprof_profiler *p)
{
    return p->readout ? &p->perf : NULL;
}

uint64_t device_profiler_bytes_read(const ttprof_profiler *p)
{
    return p->readout ? readout_bytes(p->readout) : 0;
}

const char *device_profiler_error(const ttprof_profiler *p)
{
    return p->error.text;
}

struct err *device_profiler_begin(ttprof_profiler *p)
{
    p->error = (struct err){0};
    return &p->error;
}
