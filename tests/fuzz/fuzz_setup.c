// fuzz_setup.c - any bytes as a setup; what can be read is run over a small log.
#include "../support/device_run.h"
#include "fuzz.h"
#include "present/device/device_json.h"
#include "present/device/op_to_op_csv.h"

// Two ops on two cores, a dispatch core, an event and a sum.
static const char log_text[] = LOG_HEAD
    "0,1,1,BRISC,1,100,0,1024,,,BRISC-FW,ZONE_START,1,a.cc,\n"
    "0,1,1,BRISC,2,110,0,1024,,,BRISC-KERNEL,ZONE_START,2,a.cc,\n"
    "0,1,1,BRISC,9,115,7,1024,,,SUM,ZONE_TOTAL,2,a.cc,\n"
    "0,1,1,BRISC,2,120,0,1024,,,BRISC-KERNEL,ZONE_END,2,a.cc,\n"
    "0,1,1,BRISC,1,130,0,1024,,,BRISC-FW,ZONE_END,1,a.cc,\n"
    "0,1,1,BRISC,1,200,0,2048,,,BRISC-FW,ZONE_START,1,a.cc,\n"
    "0,1,1,BRISC,1,230,0,2048,,,BRISC-FW,ZONE_END,1,a.cc,\n"
    "0,2,1,BRISC,1,101,0,1024,,,BRISC-FW,ZONE_START,1,a.cc,\n"
    "0,2,1,BRISC,1,131,0,1024,,,BRISC-FW,ZONE_END,1,a.cc,\n"
    "0,2,1,BRISC,5,140,1,1024,,,E,TS_EVENT,3,a.cc,\n"
    "0,9,9,BRISC,3,90,0,0,,,CQ-DISPATCH,ZONE_START,4,d.cc,\n"
    "0,9,9,BRISC,4,91,1,0,,,x,TS_DATA,5,d.cc,{\"workers_runtime_id\":1024}\n"
    "0,9,9,BRISC,3,99,0,0,,,CQ-DISPATCH,ZONE_END,4,d.cc,\n";

static void run(const struct setup *s)
{
    struct device_how how = {.setup = s, .with_percentiles = true};
    struct device_run r;
    must(device_run(&r, S(log_text), &how));
    must(op_to_op_write(&r.analysis, false, "/dev/null", &r.e));
    must(device_json_write(&r.analysis, DEVICE_JSON_FULL, "/dev/null", &r.e));
    device_run_free(&r);
}

static void check(const struct setup *s)
{
    must(s->n_display > 0 && s->n_display <= STATS);
    for (size_t i = 0; i < s->analyses.n; i++) {
        const struct analysis *a = &s->analyses.v[i];
        must(a->name.n > 0 && a->start.risc.n > 0);
        must(a->across < ACROSSES && a->type < ANALYSIS_TYPES);
        for (size_t k = 0; k < i; k++)
            must(!str_eq(a->name, s->analyses.v[k].name));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct setup s;
    struct err e = {0};
    bool ok = setup_parse(&s, (str){(const char *)data, size}, "fuzz.ini", &a, &e);
    must(ok == (e.code == ERR_NONE));
    must(ok || e.code == ERR_FORMAT);
    must(ok || strstr(e.text, ".ini"));
    if (ok) {
        check(&s);
        run(&s);
        setup_free(&s);
    }
    arena_free(&a);
    return 0;
}
