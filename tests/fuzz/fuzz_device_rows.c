// fuzz_device_rows.c - any bytes as the device's half of an ops report. The first byte says
// what they are: a report of the runtime, or a device log and the number of threads.
#include "../support/device_rows_laws.h"
#include "fuzz.h"

static void holds(const char *broken)
{
    if (broken)
        (void)fprintf(stderr, "not so: %s\n", broken);
    must(!broken);
}

static void law_of_extra(const struct device_rows *r)
{
    for (size_t c = 0; c < r->extra.n; c++) {
        size_t n = 0;
        for (size_t i = 0; i < r->v.n; i++) {
            n += r->extra.v[c].cell[i].n != 0;
            must(!r->extra.v[c].cell[i].n ||
                 !memchr(r->extra.v[c].cell[i].p, ',', r->extra.v[c].cell[i].n));
        }
        must(n); // a column without a cell is none
    }
}

static void read_report(str text)
{
    struct device_rows r;
    struct diag d = {0};
    struct err e = {0};
    bool ok = device_rows_read_text(&r, text, "report", &d, &e);
    must(ok == (e.code == ERR_NONE));
    must(ok || (e.code == ERR_FORMAT && !r.v.n));
    if (ok) {
        holds(law_of_states(&r));
        law_of_extra(&r);
        must(r.arch_of.n == 0 || r.arch_of.n == r.v.n);
    }
    device_rows_free(&r);
}

static void measure(const struct device_run *run, unsigned threads, struct device_rows *r)
{
    char number[16];
    (void)snprintf(number, sizeof number, "%u", threads);
    (void)setenv("TTPROF_THREADS", number, 1);
    device_rows_measure(r, &run->trace, &run->ops, &run->dispatch,
                        (struct device_rows_choice){0});
}

static void read_log(str text, unsigned threads)
{
    struct device_run run;
    struct device_how how = {.with_incomplete_ops = true};
    if (device_run(&run, text, &how) && !run.trace.is_legacy) {
        struct device_rows one, more;
        measure(&run, 1, &one);
        measure(&run, threads, &more);
        holds(law_of_measured(&run, &one));
        holds(law_of_states(&one));
        must(device_rows_are_same(&one, &more));
        device_rows_free(&one);
        device_rows_free(&more);
    }
    device_run_free(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    str text = {(const char *)data + 1, size - 1};
    if (data[0] & 1)
        read_log(text, 2 + data[0] / 2 % 3);
    else
        read_report(text);
    return 0;
}
