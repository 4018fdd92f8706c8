// sample_log.c - short rows to logs, logs to analyses.
#include "sample_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyse/device/legacy.h"
#include "formats/device_log/device_log.h"

static void put_row(struct buf *b, str row)
{
    str track = str_cut(&row, ' '), time = str_cut(&row, ' '), run = str_cut(&row, ' ');
    str id = str_cut(&run, '/'), trace = str_cut(&run, '/');
    str zone = str_cut(&row, ' ');
    unsigned timer_id = 1; // the same name is the same zone
    for (size_t i = 0; i < zone.n; i++)
        timer_id = (timer_id * 31 + (unsigned char)zone.p[i]) % 65536;
    const char *phase = row.p[0] == 'T' ? "" : "ZONE_"; // TS_DATA, TS_EVENT
    buf_printf(b, "%.*s,%u,%.*s,0,%.*s,%.*s,%.*s,%.*s,%s%.*s,7,a.cc,\n", STR(track),
               timer_id, STR(time), STR(id), STR(trace), STR(run), STR(zone), phase,
               STR(row));
}

static void analyse(struct sample_log *s)
{
    struct err e = {0};
    assert_true(device_log_read_text(&s->trace, buf_view(&s->text), "log", &e));
    device_ops_find(&s->ops, &s->trace);
    if (s->trace.is_legacy)
        legacy_add_t0(&s->trace);
    const char *setup = s->trace.is_legacy ? "legacy_setup" : "default_setup";
    assert_true(setup_load(&s->setup, setup, &s->arena, &e));
    device_analyse(&s->analysis, &s->trace, &s->ops, &s->dispatch, &s->setup,
                   (struct analysis_choice){.detect_ops = s->setup.detect_ops});
}

void sample_log_read(struct sample_log *s, const char *chip, const char *rows)
{
    *s = (struct sample_log){0};
    buf_z(&s->text, chip);
    buf_z(&s->text,
          "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
          "reset], data, run host ID, trace id, trace id counter, zone name, type, source "
          "line, source file, meta data\n");
    str rest = str_of(rows);
    while (rest.n)
        put_row(&s->text, str_cut(&rest, '\n'));
    analyse(s);
}

void sample_log_read_text(struct sample_log *s, const char *text)
{
    *s = (struct sample_log){0};
    buf_z(&s->text, text);
    analyse(s);
}

str sample_log_file(struct sample_log *s, bool (*write)(const struct sample_log *s,
                                                        const char *path, struct err *e))
{
    char folder[] = "unit-XXXXXX", path[32];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/file", folder);
    struct err e = {0};
    struct file f;
    assert_true(write(s, path, &e));
    assert_true(file_open(path, &f, &e));
    s->written.n = 0;
    buf_str(&s->written, f.text);
    file_close(&f);
    assert_int_equal(0, unlink(path));
    assert_int_equal(0, rmdir(folder));
    return buf_view(&s->written);
}

void sample_log_end(struct sample_log *s)
{
    device_analysis_free(&s->analysis);
    dispatch_ops_free(&s->dispatch);
    setup_free(&s->setup);
    device_ops_free(&s->ops);
    trace_free(&s->trace);
    arena_free(&s->arena);
    buf_free(&s->text);
    buf_free(&s->written);
}
