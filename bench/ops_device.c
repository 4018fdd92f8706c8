// ops_device.c - cost of each step of the device part of an ops report.
//
//     ops_device log FILE          a device log
//     ops_device report FILE       the report that the runtime writes
//     ops_device rows log|report FILE   the rows that they give, as a table
//
// Prints one line of JSON, CPU seconds by step; the file is mapped and read once, as a
// command does it.
#include <stdio.h>
#include <string.h>

#include "analyse/ops/rows_of_log.h"
#include "bench.h"
#include "formats/device_log/device_log.h"

enum step { READ, OPS, DISPATCH, MEASURE, STEPS };
static const char *const step_names[STEPS] = {"read", "ops", "dispatch", "measure"};

struct costs {
    double cpu[STEPS], wall;
    uint64_t n_rows;
};

static bool from_log(const char *path, struct device_rows *rows, struct costs *r,
                     struct err *e)
{
    struct trace t = {0};
    struct device_ops ops;
    struct dispatch_ops dispatch;
    double at[STEPS + 1] = {bench_cpu()};
    if (!device_log_read(&t, path, e)) {
        trace_free(&t);
        return false;
    }
    at[1] = bench_cpu();
    device_ops_find(&ops, &t);
    at[2] = bench_cpu();
    dispatch_ops_find(&dispatch, &t);
    at[3] = bench_cpu();
    device_rows_measure(rows, &t, &ops, &dispatch, (struct device_rows_choice){0});
    at[4] = bench_cpu();
    for (int i = 0; i < STEPS; i++)
        r->cpu[i] = at[i + 1] - at[i];
    r->n_rows = t.n_rows;
    dispatch_ops_free(&dispatch);
    device_ops_free(&ops);
    trace_free(&t);
    return true;
}

static bool from_report(const char *path, struct device_rows *rows, struct costs *r,
                        struct err *e)
{
    struct diag d = {0};
    double start = bench_cpu();
    bool ok = device_rows_read(rows, path, &d, e);
    r->cpu[READ] = bench_cpu() - start;
    r->n_rows = rows->v.n;
    return ok;
}

static void print_id(int64_t id)
{
    if (id != DEVICE_NO_ID)
        printf("%lld", (long long)id);
}

static void print_rows(const struct device_rows *rows)
{
    printf("DEVICE ID,GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID");
    for (int n = 0; n < DEVICE_NUMBERS; n++)
        printf(",%s", device_number_columns[n]);
    printf(",STATES\n");
    for (size_t i = 0; i < rows->v.n; i++) {
        const struct device_row *row = &rows->v.v[i];
        printf("%lld,%llu,", (long long)row->device, (unsigned long long)row->op);
        print_id(row->trace);
        printf(",");
        print_id(row->session);
        for (int n = 0; n < DEVICE_NUMBERS; n++) {
            printf(",");
            print_id(row->v[n]);
        }
        printf(",");
        for (int n = 0; n < DEVICE_NUMBERS; n++)
            printf("%c", "oemrb"[row->state[n]]);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    struct device_rows rows = {0};
    struct costs r = {0};
    struct err e = {0};
    bool with_rows = argc == 4 && strcmp(argv[1], "rows") == 0;
    if (argc != 3 + with_rows) {
        fprintf(stderr, "Usage: ops_device [rows] log|report FILE\n");
        return 2;
    }
    const char *kind = argv[argc - 2], *path = argv[argc - 1];
    r.wall = bench_wall();
    if (!(strcmp(kind, "log") == 0 ? from_log : from_report)(path, &rows, &r, &e)) {
        fprintf(stderr, "ops_device: %s\n", e.text);
        return err_exit_code(e.code);
    }
    r.wall = bench_wall() - r.wall;
    if (with_rows) {
        print_rows(&rows);
    } else {
        printf("{\"rows\": %llu, \"device_rows\": %zu, \"wall\": %.6f",
               (unsigned long long)r.n_rows, rows.v.n, r.wall);
        for (int i = 0; i < STEPS; i++)
            printf(", \"%s\": %.6f", step_names[i], r.cpu[i]);
        printf("}\n");
    }
    device_rows_free(&rows);
    return 0;
}
