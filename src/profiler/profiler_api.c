// profiler_api.c - include/ttprof/profiler.h: the profiler for programs in C.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text/log.h"

#include "analyse/perf/perf_data.h"
#include "profiler/device_profiler.h"
#include "ttprof/profiler.h"

// --- errors ----------------------------------------------------------------------------
static int code_of(enum err_code code)
{
    static const int codes[] = {
        [ERR_NONE] = 0,         [ERR_USAGE] = -EINVAL, [ERR_IO] = -EIO,
        [ERR_FORMAT] = -EPROTO, [ERR_LIMIT] = -ENOSPC, [ERR_FAILED] = -EBUSY,
    };
    return codes[code];
}

static int return_code(const struct err *e)
{
    int code = code_of(e->code);
    return code ? code : -EINVAL;
}

const char *ttprof_profiler_error(const ttprof_profiler *p)
{
    return p ? device_profiler_error(p) : "";
}

// --- attach and detach -----------------------------------------------------------------
// Warnings are printed later, when the profiler is attached.
int ttprof_profiler_needs(struct ttprof_device_needs *out, char err[256])
{
    struct profiler_options o;
    struct buf warnings = {0};
    struct err e = {0};
    *out = (struct ttprof_device_needs){0};
    bool is_fine = profiler_options_read(&o, (const char *const *)environ, &warnings, &e);
    if (is_fine && o.is_enabled)
        *out = (struct ttprof_device_needs){
            .is_enabled = true,
            .variant = profiler_variant(&o),
            .region_bytes = profiler_region_bytes(&o, &warnings),
            .region_buffers = (uint32_t)profiler_region_buffers(&o)};
    buf_free(&warnings);
    if (is_fine)
        return 0;
    (void)snprintf(err, 256, "%.255s", e.text);
    return return_code(&e);
}

int ttprof_profiler_attach(const struct tt_access *access, ttprof_profiler **out,
                           char err[256])
{
    struct profiler_options o;
    struct buf warnings = {0};
    struct err e = {0};
    *out = NULL;
    bool is_fine = profiler_options_read(&o, (const char *const *)environ, &warnings, &e);
    str rest = buf_view(&warnings);
    while (rest.n) {
        str line = str_cut(&rest, '\n');
        log_line("%.*s", STR(line));
    }
    buf_free(&warnings);
    if (is_fine)
        *out = device_profiler_open(access, &o, NULL, &e);
    if (*out)
        return 0;
    (void)snprintf(err, 256, "%.255s", e.text);
    return return_code(&e);
}

int ttprof_profiler_detach(ttprof_profiler *p)
{
    struct err e = {0};
    if (device_profiler_close(p, &e))
        return 0;
    // The profiler is freed, and its error with it.
    log_line("%s", e.text);
    return return_code(&e);
}

// --- reading ---------------------------------------------------------------------------
// Debug printing may be switched on after the profiler was attached.
static bool is_printing(struct err *e)
{
    struct profiler_options o;
    struct buf unused = {0};
    profiler_options_default(&o);
    (void)profiler_options_take(&o, (const char *const *)environ, &unused, &unused);
    buf_free(&unused);
    if (o.debug_print)
        (void)err_set(e, ERR_FAILED,
                      "Debug print server is running, cannot read device profiler data");
    return o.debug_print;
}

static int read_chip(ttprof_profiler *p, int chip, int state)
{
    static const enum read_state states[] = {[TTPROF_READ_NORMAL] = READ_NORMAL,
                                             [TTPROF_READ_LAST] = READ_LAST,
                                             [TTPROF_READ_ONLY_DISPATCH] =
                                                 READ_ONLY_DISPATCH};
    if (!p || !device_profiler_collection(p))
        return 0;
    struct err *e = device_profiler_begin(p);
    if (state < TTPROF_READ_NORMAL || state > TTPROF_READ_ONLY_DISPATCH) {
        (void)err_set(e, ERR_USAGE, "%d is not a read state", state);
        return return_code(e);
    }
    if (is_printing(e))
        return return_code(e);
    return device_profiler_read(p, chip, states[state], e) ? 0 : return_code(e);
}

int ttprof_read_mesh_profiler_results(ttprof_profiler *p, int state)
{
    return read_chip(p, -1, state);
}

int ttprof_read_device_profiler(ttprof_profiler *p)
{
    return read_chip(p, -1, TTPROF_READ_NORMAL);
}

int ttprof_read_device_profiler_results(ttprof_profiler *p, int chip, int state)
{
    if (chip >= 0 || !p || !device_profiler_collection(p))
        return read_chip(p, chip, state);
    (void)err_set(device_profiler_begin(p), ERR_USAGE, "no chip %d", chip);
    return -EINVAL;
}

int ttprof_dump_results(ttprof_profiler *p)
{
    if (!p)
        return 0;
    struct err *e = device_profiler_begin(p);
    return device_profiler_dump(p, e) ? 0 : return_code(e);
}

int ttprof_memory_record(ttprof_profiler *p, int chip, const char *pool, const char *name,
                         uint64_t address, uint64_t bytes, bool is_alloc)
{
    if (!p)
        return 0;
    struct err *e = device_profiler_begin(p);
    struct memory_record m = {
        .chip = chip, .address = address, .bytes = bytes, .is_alloc = is_alloc};
    return device_profiler_memory(p, &m, str_of(pool), str_of(name), e) ? 0
                                                                        : return_code(e);
}

int ttprof_fresh_device_log(ttprof_profiler *p)
{
    if (!p)
        return 0;
    struct err *e = device_profiler_begin(p);
    return device_profiler_fresh_log(p, e) ? 0 : return_code(e);
}

int ttprof_set_profiler_dir(ttprof_profiler *p, const char *folder)
{
    if (!p)
        return 0;
    struct err *e = device_profiler_begin(p);
    return device_profiler_set_folder(p, folder, e) ? 0 : return_code(e);
}

// --- the training helper ---------------------------------------------------------------
static int run_markers(ttprof_profiler *p, int chip, int n,
                       int (*marker_op)(void *context, int chip), void *context)
{
    for (int i = 0; i < n; i++) {
        int rc = marker_op ? marker_op(context, chip) : 0;
        if (rc != 0) {
            (void)err_set(device_profiler_begin(p), ERR_FAILED,
                          "cannot launch the marker op: %s", strerror(rc < 0 ? -rc : rc));
            return rc < 0 ? rc : -rc;
        }
    }
    return 0;
}

// Host times instead of device times: no read-out, but the device must have finished.
static int print_time(ttprof_profiler *p, int chip, const char *name)
{
    const struct tt_access *a = device_profiler_access(p);
    (void)a->wait(a->device, chip, UINT64_C(10000000000));
    (void)printf("[NAIVE_PROFILER] %s timestamp_us=%llu\n", name,
                 (unsigned long long)(a->host_ns(a->device) / 1000));
    return fflush(stdout) == 0 ? 0 : -errno;
}

int ttprof_read_results(ttprof_profiler *p, int chip, const char *name, bool dump_results,
                        int n_noops, int state, int (*marker_op)(void *context, int chip),
                        void *context)
{
    if (!p)
        return 0;
    if (getenv("TTML_NAIVE_PROFILER"))
        return print_time(p, chip, name);
    if (!device_profiler_collection(p))
        return 0;
    int rc = run_markers(p, chip, n_noops, marker_op, context);
    if (rc == 0 && dump_results)
        rc = read_chip(p, -1, state);
    return rc ? rc : run_markers(p, chip, n_noops, marker_op, context);
}

// --- perf data -------------------------------------------------------------------------
// The id of a chip by its index; -1: no such chip.
static int64_t id_of(ttprof_profiler *p, int chip)
{
    const struct collection *c = device_profiler_collection(p);
    bool is_there = c && chip >= 0 && (size_t)chip < c->chips.n;
    return is_there ? c->chips.v[chip].id : -1;
}

static int programs_of(ttprof_profiler *p, int chip, bool latest,
                       const struct ttprof_program_perf **out, size_t *n)
{
    *out = NULL;
    *n = 0;
    struct perf_data *perf = p ? device_profiler_perf(p) : NULL;
    if (!perf)
        return 0;
    int64_t id = id_of(p, chip);
    if (id < 0) {
        (void)err_set(device_profiler_begin(p), ERR_USAGE, "no chip %d", chip);
        return -EINVAL;
    }
    const struct perf_set *set = perf_data_of(perf, id);
    if (set) {
        *out = latest ? set->latest.v : set->all.v;
        *n = latest ? set->latest.n : set->all.n;
    }
    return 0;
}

int ttprof_latest_programs_perf_data(ttprof_profiler *p, int chip,
                                     const struct ttprof_program_perf **out, size_t *n)
{
    return programs_of(p, chip, true, out, n);
}

int ttprof_all_programs_perf_data(ttprof_profiler *p, int chip,
                                  const struct ttprof_program_perf **out, size_t *n)
{
    return programs_of(p, chip, false, out, n);
}

int ttprof_kernel_duration_summary(ttprof_profiler *p, int chip, bool latest, uint64_t min,
                                   uint64_t max, size_t buckets,
                                   struct ttprof_duration_summary *out)
{
    const struct ttprof_program_perf *v;
    size_t n;
    *out = (struct ttprof_duration_summary){0};
    int rc = programs_of(p, chip, latest, &v, &n);
    struct perf_data *perf = p ? device_profiler_perf(p) : NULL;
    if (rc == 0 && perf)
        perf_data_summary(perf, id_of(p, chip), latest, min, max, buckets, out);
    return rc;
}
