// fuzz_device_log.c - any bytes as a device log, through all analyses and outputs. The
// first byte says how: number of threads, which part is selected, and what of the options.
#include "../support/device_run.h"
#include "fuzz.h"
#include "present/device/device_json.h"
#include "present/device/device_tables.h"
#include "present/device/op_to_op_csv.h"
#include "present/device/rearranged_csv.h"
#include "present/timeline/chrome_json.h"
#include "present/timeline/timeline.h"
#include "profiler/cpp_report_csv.h"
#include "profiler/health.h"

static const char nowhere[] = "/dev/null";

static const struct selection selections[] = {
    {0},
    {.core = "1,*", .risc = "BRISC|NCRISC"},
    {.zone = "*-KERNEL"},
    {.op = "1*", .device = "0"},
    {.run_range = "1-2000"},
    {.from = "+10", .to = "+5000"},
    {.device = "none"},
};
enum { SELECTIONS = sizeof selections / sizeof *selections };

// A law is a sentence; it must not be broken.
static void holds(const char *broken)
{
    if (broken)
        (void)fprintf(stderr, "not so: %s\n", broken);
    must(!broken);
}

static void write_page(struct device_run *r, uint64_t most)
{
    struct device_tables tables;
    device_tables_make(&tables, &r->analysis);
    const struct table *list[DEVICE_TABLES];
    for (int i = 0; i < DEVICE_TABLES; i++)
        list[i] = &tables.table[i];
    struct timeline_page page = {.trace = &r->trace,
                                 .ops = &r->ops,
                                 .tables = list,
                                 .n_tables = DEVICE_TABLES,
                                 .max_zones = most};
    must(timeline_write(&page, nowhere, &r->e));
    device_tables_free(&tables);
}

static void write_all(struct device_run *r, unsigned how)
{
    const struct device_analysis *d = &r->analysis;
    must(health_write_log(&r->trace, &r->ops, nowhere, &r->e));
    must(cpp_report_write(&r->trace, &r->ops, nowhere, &r->e));
    must(op_to_op_write(d, how % 2, nowhere, &r->e));
    must(rearranged_write(&r->trace, nowhere, &r->e));
    must(chrome_write(&r->trace, r->trace.mhz <= 0, nowhere, &r->e));
    must(device_json_write(d, how % 2 ? DEVICE_JSON_FULL : DEVICE_JSON_COMPACT, nowhere,
                           &r->e));
    if (how / 2 % 2)
        write_page(r, how % 4 == 3 ? 2 : 0);
}

static bool read_log(struct device_run *r, str text, unsigned threads)
{
    char number[16];
    (void)snprintf(number, sizeof number, "%u", threads);
    (void)setenv("TTPROF_THREADS", number, 1);
    bool ok = device_run_read(r, text);
    must(ok == (r->e.code == ERR_NONE));
    must(ok || r->e.code == ERR_FORMAT);
    if (ok) {
        holds(law_of_rows(&r->trace));
        holds(law_of_markers(&r->trace));
    }
    return ok;
}

static void read_twice(str text, unsigned threads)
{
    struct device_run one, more;
    bool ok = read_log(&one, text, 1);
    must(read_log(&more, text, threads) == ok);
    if (ok)
        holds(trace_differs(&one.trace, &more.trace));
    device_run_free(&one);
    device_run_free(&more);
}

static void run_all(str text, unsigned how)
{
    struct device_how choice = {.selection = selections[how / 3 % SELECTIONS],
                                .no_op_detection = how % 16 == 5,
                                .with_incomplete_ops = how % 8 == 3,
                                .with_percentiles = how % 4 == 1};
    struct device_run r;
    if (read_log(&r, text, 1 + how % 3)) {
        must(device_run_analyse(&r, &choice));
        holds(law_of_markers(&r.trace));
        if (selection_is_empty(&choice.selection)) {
            holds(law_of_pairing(&r.trace));
            if (!r.trace.is_legacy) // T0 is in no op
                holds(law_of_ops(&r.trace, &r.ops));
        }
        write_all(&r, how);
    }
    device_run_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    str text = {(const char *)data + 1, size - 1};
    if (data[0] & 0x80)
        read_twice(text, 2 + data[0] % 3);
    else
        run_all(text, data[0]);
    return 0;
}
